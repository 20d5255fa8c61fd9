/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "expression.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void expressions_free(expressions *list) {
  free(list->nodes);
  free(list->table);
  free(list->derived);
  *list = (expressions){0};
}

static void *resized(void *memory, size_t bytes) {
  memory = realloc(memory, bytes);
  if (!memory) abort();
  return memory;
}

/* the entry of the table that has such a node, or the empty one where it belongs */
static int *entry_of(const expressions *list, const node *of) {
  uint64_t bits, hash;
  memcpy(&bits, &of->value, sizeof bits);
  hash = ((uint64_t)of->op * 31 + (uint64_t)of->left) * 1000003 + (uint64_t)of->right;
  hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
  for (int at = (int)(hash >> 40) % list->table_size;; at = (at + 1) % list->table_size) {
    int *const entry = &list->table[at];
    const node *const there = *entry < 0 ? NULL : &list->nodes[*entry];
    if (!there || (there->op == of->op && there->left == of->left && there->right == of->right &&
                   !memcmp(&there->value, &of->value, sizeof of->value)))
      return entry;
  }
}

static void grow(expressions *list) {
  list->room = 2 * list->room + 64;
  list->nodes = resized(list->nodes, (size_t)list->room * sizeof *list->nodes);
  list->table_size = 4 * list->room;
  list->table = resized(list->table, (size_t)list->table_size * sizeof *list->table);
  memset(list->table, -1, (size_t)list->table_size * sizeof *list->table);
  for (int i = 0; i < list->count; i++) *entry_of(list, &list->nodes[i]) = i;
}

static int put(expressions *list, node of) {
  if (list->count == list->room) grow(list);
  int *const entry = entry_of(list, &of);
  if (*entry < 0) {
    *entry = list->count;
    list->nodes[list->count++] = of;
  }
  return *entry;
}

int expression_constant(expressions *list, double value) {
  return put(list, (node){.op = CONSTANT, .value = value});
}

int expression_after(expressions *list, double time) {
  return put(list, (node){.op = AFTER, .value = time});
}

int expression_after_parameter(expressions *list, size_t parameter) {
  return put(list, (node){.op = AFTER, .left = (int)parameter + 1});
}

static double computed(operation op, double a, double b) {
  switch (op) {
  case ADD:
    return a + b;
  case SUBTRACT:
    return a - b;
  case MULTIPLY:
    return a * b;
  case DIVIDE:
    return a / b;
  case SINE:
    return sin(a);
  case COSINE:
    return cos(a);
  case EXPONENTIAL:
    return exp(a);
  case LOGARITHM:
    return log(a);
  case ROOT:
    return sqrt(a);
  default:
    abort();
  }
}

static const double *constant_of(const expressions *list, int of) {
  return list->nodes[of].op == CONSTANT ? &list->nodes[of].value : NULL;
}

int expression(expressions *list, operation op, int left, int right) {
  if (op < ADD) return put(list, (node){.op = op, .left = left});
  const bool is_binary = op <= DIVIDE;
  const double *const a = constant_of(list, left);
  const double *const b = is_binary ? constant_of(list, right) : a;
  if (a && b) return expression_constant(list, computed(op, *a, *b));
  if (is_binary && a && *a == 0.0 && op != SUBTRACT) return op == ADD ? right : left;
  if (is_binary && b && *b == 0.0 && op != DIVIDE) return op == MULTIPLY ? right : left;
  if (op == MULTIPLY && a && *a == 1.0) return right;
  if ((op == MULTIPLY || op == DIVIDE) && b && *b == 1.0) return left;
  return put(list, (node){.op = op, .left = left, .right = is_binary ? right : 0});
}

/* ---- derivatives ----------------------------------------------------------------------------- */

struct derived {
  int which, node; /* the derivative that it is of: others are old */
};

static int know(expressions *list, int of, int result) {
  list->derived[of] = (struct derived){list->derivatives, result};
  return result;
}

static int derivative(expressions *list, int of, operation by, int index) {
  const node n = list->nodes[of];
  if (list->derived[of].which == list->derivatives) return list->derived[of].node;
  const int zero = expression_constant(list, 0.0), one = expression_constant(list, 1.0);
  int result = zero;
  if (n.op < ADD) {
    if (n.op == by && (by == TIME || n.left == index)) result = one;
    return know(list, of, result);
  }
  const int da = derivative(list, n.left, by, index);
  const int db = n.op <= DIVIDE ? derivative(list, n.right, by, index) : zero;
  const int two = expression_constant(list, 2.0);
  switch (n.op) {
  case ADD:
  case SUBTRACT:
    result = expression(list, n.op, da, db);
    break;
  case MULTIPLY:
    result = expression(list, ADD, expression(list, MULTIPLY, da, n.right),
                        expression(list, MULTIPLY, n.left, db));
    break;
  case DIVIDE: /* (a' - (a/b) b') / b */
    result = expression(
        list, DIVIDE, expression(list, SUBTRACT, da, expression(list, MULTIPLY, of, db)), n.right);
    break;
  case SINE:
    result = expression(list, MULTIPLY, da, expression(list, COSINE, n.left, 0));
    break;
  case COSINE:
    result = expression(list, SUBTRACT, zero,
                        expression(list, MULTIPLY, da, expression(list, SINE, n.left, 0)));
    break;
  case EXPONENTIAL:
    result = expression(list, MULTIPLY, da, of);
    break;
  case LOGARITHM:
    result = expression(list, DIVIDE, da, n.left);
    break;
  case ROOT:
    result = expression(list, DIVIDE, da, expression(list, MULTIPLY, two, of));
    break;
  default:
    abort();
  }
  return know(list, of, result);
}

int expression_derivative(expressions *list, int of, operation by, int index) {
  const int before = list->derived_room;
  if (before <= of) {
    list->derived_room = list->room > of ? list->room : of + 1;
    list->derived = resized(list->derived, (size_t)list->derived_room * sizeof *list->derived);
    memset(list->derived + before, 0,
           (size_t)(list->derived_room - before) * sizeof *list->derived);
  }
  list->derivatives++;
  return derivative(list, of, by, index);
}

/* ---- arrays of values ------------------------------------------------------------------------ */

void expression_array_put(expression_array *array, const expressions *list, size_t place, int of) {
  if (list->nodes[of].op == CONSTANT && list->nodes[of].value == 0.0) return;
  array->outputs = resized(array->outputs, (array->count + 1) * sizeof *array->outputs);
  array->places = resized(array->places, (array->count + 1) * sizeof *array->places);
  array->outputs[array->count] = of;
  array->places[array->count++] = place;
}

void expression_array_close(expression_array *array, const expressions *list, size_t size) {
  char *const needed = calloc((size_t)list->count + 1, 1);
  if (!needed) abort();
  array->size = size;
  for (size_t i = 0; i < array->count; i++) needed[array->outputs[i]] = 1;
  for (int i = list->count - 1; i >= 0; i--) {
    const node *const n = &list->nodes[i];
    if (!needed[i] || n->op < ADD) continue;
    needed[n->left] = 1;
    if (n->op <= DIVIDE) needed[n->right] = 1;
  }
  array->order = resized(array->order, ((size_t)list->count + 1) * sizeof *array->order);
  array->order_count = 0;
  for (int i = 0; i < list->count; i++) { /* 2: steady */
    const node *const n = &list->nodes[i];
    bool is_steady = n->op == CONSTANT || n->op == SIGN || n->op == PARAMETER;
    if (n->op >= ADD) is_steady = needed[n->left] == 2 && (n->op > DIVIDE || needed[n->right] == 2);
    if (needed[i] && is_steady) needed[i] = 2;
  }
  for (char pass = 2; pass >= 1; pass--) {
    for (int i = 0; i < list->count; i++)
      if (needed[i] == pass) array->order[array->order_count++] = i;
    if (pass == 2) array->steady = array->order_count;
  }
  array->order = resized(array->order, ((size_t)array->order_count + 1) * sizeof *array->order);
  free(needed);
}

void expression_array_free(expression_array *array) {
  free(array->outputs);
  free(array->places);
  free(array->order);
  *array = (expression_array){0};
}

void expression_array_values(const expression_array *array, const expressions *list, bool is_same,
                             double t, const double x[], const double sign[],
                             const double parameter[], double value[], double out[]) {
  for (int i = is_same ? array->steady : 0; i < array->order_count; i++) {
    const int at = array->order[i];
    const node *const n = &list->nodes[at];
    switch (n->op) {
    case CONSTANT:
      value[at] = n->value;
      break;
    case TIME:
      value[at] = t;
      break;
    case STATE:
      value[at] = x[n->left];
      break;
    case SIGN:
      value[at] = sign[n->left];
      break;
    case PARAMETER:
      value[at] = parameter[n->left];
      break;
    case AFTER:
      value[at] = t >= (n->left ? parameter[n->left - 1] : n->value) ? 1.0 : 0.0;
      break;
    case ADD:
      value[at] = value[n->left] + value[n->right];
      break;
    case SUBTRACT:
      value[at] = value[n->left] - value[n->right];
      break;
    case MULTIPLY:
      value[at] = value[n->left] * value[n->right];
      break;
    default:
      value[at] = computed(n->op, value[n->left], n->op == DIVIDE ? value[n->right] : 0.0);
    }
  }
  if (!out) return;
  if (array->count < array->size) memset(out, 0, array->size * sizeof *out);
  for (size_t i = 0; i < array->count; i++) out[array->places[i]] = value[array->outputs[i]];
}
