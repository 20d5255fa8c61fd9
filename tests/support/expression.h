/*
 * Expressions in time, states, signs and parameters: a list of nodes, each behind its operands, so
 * that one pass in the order of the list evaluates them. Equal nodes are one. Derivatives are
 * further nodes of the same list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

typedef enum operation {
  CONSTANT,  /* value */
  TIME,      /* t */
  STATE,     /* x[left] */
  SIGN,      /* sign[left] */
  PARAMETER, /* parameter[left] */
  AFTER,     /* 0 for t < value, else 1; with left > 0, value stands for parameter[left - 1] */
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  SINE, /* of node left, as are those that follow */
  COSINE,
  EXPONENTIAL,
  LOGARITHM,
  ROOT
} operation;

typedef struct node {
  operation op;
  int left, right; /* operands by their place in the list, or an index */
  double value;
} node;

typedef struct expressions {
  node *nodes;
  int count, room;
  int *table, table_size;  /* finds equal nodes */
  struct derived *derived; /* of each node, in the derivative that was asked for last */
  int derived_room, derivatives;
} expressions;

void expressions_free(expressions *list);

/* The place of a node, a new one if there is none that is equal. Constants are folded, and 0 and 1
 * are left out where they do nothing. */
int expression(expressions *list, operation op, int left, int right);
int expression_constant(expressions *list, double value);
int expression_after(expressions *list, double time);
int expression_after_parameter(expressions *list, size_t parameter);

/* The derivative with respect to a state or parameter of this index, or to time. */
int expression_derivative(expressions *list, int of, operation by, int index);

/* An array of values of some expressions: outputs[i] belongs at places[i] of `size` numbers, whose
 * others are 0. `order` has all nodes that they need, first those `steady` ones that depend on
 * signs and parameters alone. */
typedef struct expression_array {
  size_t size, count;
  int *outputs;
  size_t *places;
  int *order, order_count, steady;
  unsigned long mode; /* the caller's: signs and parameters of the last evaluation */
} expression_array;

/* Appends an output; expressions that are constantly 0 are left out. */
void expression_array_put(expression_array *array, const expressions *list, size_t place, int of);
/* Finds the order; called once, after all outputs. */
void expression_array_close(expression_array *array, const expressions *list, size_t size);
void expression_array_free(expression_array *array);

/* Evaluates; value[list->count] is room for the nodes. out may be NULL. `is_same`: value[] has the
 * steady nodes already, of the same signs and parameters. */
void expression_array_values(const expression_array *array, const expressions *list, bool is_same,
                             double t, const double x[], const double sign[],
                             const double parameter[], double value[], double out[]);

#endif
