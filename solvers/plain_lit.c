/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event-unaware solver (plain.h) with one tolerance and one right-hand-side evaluation a step:
 * libess's LIT on a system that has no event functions, with the model's Jacobian in the mode that
 * the state has. Of a model without one W is 0. */
#include <gsl/gsl_linalg.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "mode.h"
#include "plain.h"

static const char name[] = "plain-lit";

typedef struct plain_lit {
  plain_mode mode;
  ess_driver *driver;
  gsl_matrix *matrix; /* NULL: W is 0 */
  gsl_permutation *order;
  double c; /* of the factors; NAN where there are none of the last state */
} plain_lit;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  plain_lit *const p = params;
  (void)sign;
  p->c = NAN;
  return plain_field(&p->mode, t, x, dxdt);
}

/* the factors of 1 - c J at x */
static int factorise(plain_lit *p, double t, const double x[], double c) {
  const ess_system *const s = &p->mode.m->system;
  double *const J = p->matrix->data;
  const size_t n = s->dimension;
  int status = plain_read(&p->mode, t, x), parity;
  if (!status) status = s->field_jacobian(t, x, p->mode.sign, J, s->params);
  for (size_t i = 0; i < n * n; i++) J[i] = (double)(i % (n + 1) == 0) - c * J[i];
  if (!status) status = gsl_linalg_LU_decomp(p->matrix, p->order, &parity);
  p->c = c;
  return status;
}

static int field_solve(double t, const double x[], const double sign[], double c, double v[],
                       void *params) {
  plain_lit *const p = params;
  (void)sign;
  if (!p->matrix) return 0;
  gsl_vector_view all = gsl_vector_view_array(v, p->mode.m->system.dimension);
  const int status = p->c == c ? 0 : factorise(p, t, x, c);
  return status ? status : gsl_linalg_LU_svx(p->matrix, p->order, &all.vector);
}

static void release(void *instance) {
  plain_lit *const p = instance;
  if (!p) return;
  ess_driver_free(p->driver);
  gsl_matrix_free(p->matrix);
  gsl_permutation_free(p->order);
  plain_free(&p->mode);
  free(p);
}

static bool alloc_matrix(plain_lit *p, const model *m) {
  const size_t n = m->system.dimension;
  if (!m->system.field_jacobian) return true;
  p->matrix = gsl_matrix_alloc(n, n);
  p->order = gsl_permutation_alloc(n);
  return p->matrix && p->order;
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)output;
  ess_options options = ess_options_default();
  options.rtol = settings->rtol;
  options.atol = settings->atol;
  options.h_max = settings->h_max;
  options.base = ESS_BASE_LIT;
  if (plain_check(name, m, message)) return SOLVER_REFUSED;
  plain_lit *const p = calloc(1, sizeof *p);
  const ess_system system = {
      .dimension = m->system.dimension, .field = field, .field_solve = field_solve, .params = p};
  const char *const wrong = ess_check(&system, &options);
  if (p && !wrong && !plain_alloc(&p->mode, name, m, message) && alloc_matrix(p, m))
    p->driver = ess_driver_alloc(&system, &options, NULL);
  if (p && p->driver) {
    *instance = p;
    return 0;
  }
  release(p);
  return wrong ? SOLVER_REFUSE(message, "%s: %s", name, wrong)
               : SOLVER_FAIL(message, "%s: out of memory", name);
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  plain_lit *const p = instance;
  double t = output->times[0], x[MODEL_DIMENSION_MAX];
  memcpy(x, x0, p->mode.m->system.dimension * sizeof *x);
  plain_start(&p->mode);
  ess_driver_reset(p->driver);
  const int status = ess_driver_sample(p->driver, &t, output->times[output->count - 1], x,
                                       output->times, output->count, output->states);
  const ess_counters *const counted = ess_driver_counters(p->driver);
  *report = (solver_report){.steps = counted->steps, .rejected = counted->rejected};
  plain_report(&p->mode, report);
  if (!status) return 0;
  return SOLVER_FAIL(report->message, "%s: %s at t = %.9g", name, ess_strerror(status), t);
}

static int inspect(void *instance, const solver_output *output, solver_report *report) {
  return plain_inspect(&((plain_lit *)instance)->mode, output, report);
}

const solver_type plain_lit_solver = {
    .name = name,
    .summary =
        "LIT of order 2, one evaluation a step, with the model's Jacobian, by one tolerance, "
        "the mode read off the state",
    .prepare = prepare,
    .run = run,
    .inspect = inspect,
    .release = release,
};
