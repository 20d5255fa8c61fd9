/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event-unaware solvers (plain.h) with one tolerance: bases of libess with their dense output, on a
 * system that has no event functions. The error control alone shortens steps over a crossing.
 * dopri5 takes six right-hand-side evaluations a step. LIT takes one, with the model's Jacobian in
 * the mode of the state; for a model without a Jacobian, W is 0. */
#include <gsl/gsl_linalg.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "mode.h"
#include "plain.h"

typedef struct plain_libess {
  const char *name;
  plain_mode mode;
  ess_driver *driver;
  gsl_matrix *matrix; /* NULL: W is 0, or the base is explicit */
  gsl_permutation *order;
  double c; /* of the factors; NAN where there are none of the last state */
} plain_libess;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  plain_libess *const p = params;
  (void)sign;
  p->c = NAN;
  return plain_field(&p->mode, t, x, dxdt);
}

/* the factors of 1 - c J at x */
static int factorise(plain_libess *p, double t, const double x[], double c) {
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
  plain_libess *const p = params;
  (void)sign;
  if (!p->matrix) return 0;
  gsl_vector_view all = gsl_vector_view_array(v, p->mode.m->system.dimension);
  const int status = p->c == c ? 0 : factorise(p, t, x, c);
  return status ? status : gsl_linalg_LU_svx(p->matrix, p->order, &all.vector);
}

static void release(void *instance) {
  plain_libess *const p = instance;
  if (!p) return;
  ess_driver_free(p->driver);
  gsl_matrix_free(p->matrix);
  gsl_permutation_free(p->order);
  plain_free(&p->mode);
  free(p);
}

static bool alloc_matrix(plain_libess *p, const model *m) {
  const size_t n = m->system.dimension;
  if (!m->system.field_jacobian) return true;
  p->matrix = gsl_matrix_alloc(n, n);
  p->order = gsl_permutation_alloc(n);
  return p->matrix && p->order;
}

static int prepare(const char *name, ess_options options, ess_base base, const model *m,
                   const solver_settings *settings, void **instance,
                   char message[SOLVER_MESSAGE_SIZE]) {
  options.base = base;
  options.rtol = settings->rtol;
  options.atol = settings->atol;
  options.h_max = settings->h_max;
  if (plain_check(name, m, message)) return SOLVER_REFUSED;
  plain_libess *const p = calloc(1, sizeof *p);
  const ess_system system = {.dimension = m->system.dimension,
                             .field = field,
                             .field_solve = options.base == ESS_BASE_LIT ? field_solve : NULL,
                             .params = p};
  const char *const wrong = ess_check(&system, &options);
  if (p && !wrong && !plain_alloc(&p->mode, name, m, message) &&
      (!system.field_solve || alloc_matrix(p, m)))
    p->driver = ess_driver_alloc(&system, &options, NULL);
  if (p && p->driver) {
    p->name = name;
    *instance = p;
    return 0;
  }
  release(p);
  return wrong ? SOLVER_REFUSE(message, "%s: %s", name, wrong)
               : SOLVER_FAIL(message, "%s: out of memory", name);
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  plain_libess *const p = instance;
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
  return SOLVER_FAIL(report->message, "%s: %s at t = %.9g", p->name, ess_strerror(status), t);
}

static int inspect(void *instance, const solver_output *output, solver_report *report) {
  return plain_inspect(&((plain_libess *)instance)->mode, output, report);
}

/* the paper's options judge a step by the embedded error alone, as any dopri5 does */
PLAIN_SOLVER(dopri5, "plain-dopri5",
             "dopri5 by one tolerance, the mode read off the state: no crossing is looked for", run,
             prepare("plain-dopri5", ess_options_paper(), ESS_BASE_DOPRI5, m, settings, instance,
                     message));

PLAIN_SOLVER(lit, "plain-lit",
             "LIT of order 2, one evaluation a step, with the model's Jacobian, by one tolerance, "
             "the mode read off the state",
             run,
             prepare("plain-lit", ess_options_default(), ESS_BASE_LIT, m, settings, instance,
                     message));
