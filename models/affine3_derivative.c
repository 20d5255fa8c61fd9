/*
 * The exact derivative of affine3's flow: exponentials between crossings, saltation matrices at
 * them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <stdio.h>
#include <string.h>

#include "affine3.h"

enum { N = AFFINE3_GUARDS, SQUARE = N * N };

/* a <- b a */
static void multiply(double a[SQUARE], const double b[SQUARE]) {
  double product[SQUARE];
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) {
      product[i * N + j] = 0.0;
      for (size_t k = 0; k < N; k++) product[i * N + j] += b[i * N + k] * a[k * N + j];
    }
  memcpy(a, product, sizeof product);
}

/* of a mode, whose field is affine */
static int flow_derivative(const ess_system *s, const double sign[N], double tau,
                           double e[SQUARE]) {
  double a[SQUARE], zero[N] = {0.0};
  s->field_jacobian(0.0, zero, sign, a, s->params);
  for (size_t i = 0; i < SQUARE; i++) a[i] *= tau;
  gsl_matrix_view matrix = gsl_matrix_view_array(a, N, N);
  gsl_matrix_view exponential = gsl_matrix_view_array(e, N, N);
  return gsl_linalg_exponential_ss(&matrix.matrix, &exponential.matrix, GSL_PREC_DOUBLE);
}

/* I + (f+ - f-) Dh / (Dh f-) at x, where `guard` flips */
static void saltation(const ess_system *s, const double x[N], double sign[N], size_t guard,
                      double xi[SQUARE]) {
  double before[N], after[N], Dh[SQUARE], rate = 0.0;
  s->field(0.0, x, sign, before, s->params);
  sign[guard] = 1.0;
  s->field(0.0, x, sign, after, s->params);
  s->event_jacobian(0.0, x, Dh, s->params);
  for (size_t j = 0; j < N; j++) rate += Dh[guard * N + j] * before[j];
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++)
      xi[i * N + j] = (i == j) + (after[i] - before[i]) * Dh[guard * N + j] / rate;
}

/* the states at the crossings, ascending in time */
static int states_at(const model *m, const double x0[], const double times[], size_t count,
                     double states[], char message[MODEL_MESSAGE_SIZE]) {
  model_reference at = {.times = times, .count = count, .states = states};
  return count ? m->type->reference(m, x0, &at, message) : 0;
}

int affine3_derivative(const double x0[], double t1, const size_t order[], double derivative[],
                       char message[MODEL_MESSAGE_SIZE]) {
  double times[N], states[SQUARE], sign[N], h[N], step[SQUARE], t = 0.0;
  size_t guards[N], count;
  model m;
  model_init(&m, &affine3_type);
  if (affine3_crossings(x0, t1, times, guards, &count, message) || model_prepare(&m, message) ||
      states_at(&m, x0, times, count, states, message))
    return -1;
  const ess_system *const s = &m.system;
  s->event_functions(0.0, x0, h, s->params);
  for (size_t k = 0; k < N; k++) sign[k] = h[k] < 0.0 ? -1.0 : 1.0;
  for (size_t i = 0; i < SQUARE; i++) derivative[i] = i % (N + 1) == 0;
  int status = GSL_SUCCESS;
  for (size_t i = 0; !status && i < count; i++) {
    status = flow_derivative(s, sign, times[i] - t, step);
    multiply(derivative, step);
    saltation(s, &states[i * N], sign, order ? order[i] : guards[i], step);
    multiply(derivative, step);
    t = times[i];
  }
  if (!status) status = flow_derivative(s, sign, t1 - t, step);
  if (!status) multiply(derivative, step);
  model_release(&m);
  if (!status) return 0;
  snprintf(message, MODEL_MESSAGE_SIZE, "affine3: %s", gsl_strerror(status));
  return -1;
}
