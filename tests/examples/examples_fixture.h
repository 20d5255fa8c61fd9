/*
 * What the tests of examples/ share: the lines that a program prints, and an integrator that has
 * nothing in common with libess: classical Runge-Kutta steps of fixed length through fields that
 * look at the sign of h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef EXAMPLES_FIXTURE_H
#define EXAMPLES_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LINES_MAX = 64, LINE_SIZE = 256, STATES_MAX = 8 };

/* lines the program printed; its exit status must be 0 */
static inline size_t run_example(const char *program, char lines[LINES_MAX][LINE_SIZE]) {
  FILE *const pipe = popen(program, "r");
  assert_non_null(pipe);
  size_t count = 0;
  while (count < LINES_MAX && fgets(lines[count], LINE_SIZE, pipe)) count++;
  assert_int_equal(pclose(pipe), 0);
  assert_true(count < LINES_MAX);
  return count;
}

typedef void plain_field(const double x[], double dxdt[]);

/* one step of length dt; n <= STATES_MAX states */
static inline void runge_kutta_step(plain_field *field, size_t n, double dt, double x[]) {
  static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
  double k[STATES_MAX] = {0.0}, y[STATES_MAX], sum[STATES_MAX] = {0.0};
  for (int stage = 0; stage < 4; stage++) {
    for (size_t i = 0; i < n; i++) y[i] = x[i] + node[stage] * dt * k[i];
    field(y, k);
    for (size_t i = 0; i < n; i++) sum[i] += weight[stage] * k[i];
  }
  for (size_t i = 0; i < n; i++) x[i] += dt / 6.0 * sum[i];
}

#endif
