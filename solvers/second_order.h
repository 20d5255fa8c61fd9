/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two schemes of order 2 with error control and dense output, as anyone might write them who has no
 * use for event functions: Heun's 2(1), of two right-hand-side evaluations a step, and Adams', of
 * one.
 *
 * The error of a step is the root mean square over the components, each over atol + rtol |x|. */
#ifndef SECOND_ORDER_H
#define SECOND_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* dx/dt at (t, x): 0, or what ends the run. */
typedef int second_order_field(void *context, double t, const double x[], double dxdt[]);

/* Adams: the predictor of Adams and Bashforth, corrected by the trapezoidal rule. The slope at the
 * prediction serves as that of the corrected state. The first step is Heun's. */
typedef enum second_order_scheme { SECOND_ORDER_HEUN, SECOND_ORDER_ADAMS } second_order_scheme;

/* Above the line the caller's, who sets it before second_order_alloc. */
typedef struct second_order {
  second_order_scheme scheme;
  size_t dimension;
  double rtol, atol, h_max;
  second_order_field *field;
  void *context;
  /* ---- */
  uint64_t steps, rejected; /* since the last reset */
  double step;              /* to begin with; 0: not known yet */
  double *room;
} second_order;

/* 0, or -1 where there is no memory. Free with second_order_free. */
int second_order_alloc(second_order *s);
void second_order_free(second_order *s);

/* Forgets the run before. */
void second_order_reset(second_order *s);

/* Integrates x from *t to `end`, and writes the states at times[count], which lie between the two
 * and do not fall. What was before *t is not used, as the field may have been another. 0, or what
 * ended the run, with *t and x where it did. */
int second_order_sample(second_order *s, double *t, double end, double x[], const double times[],
                        size_t count, double states[]);

/* What ends a run besides the field. */
enum { SECOND_ORDER_TOO_SMALL = -1001, SECOND_ORDER_TOO_MANY = -1002 };

/* Such a status in words. */
const char *second_order_says(int status);

#endif
