/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plain method (plain.h) with one tolerance: libess's own dopri5 with its dense output, on a
 * system that has no event functions. Steps over a crossing are shortened by the error control
 * alone. */
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "mode.h"
#include "plain.h"

static const char name[] = "plain-dopri5";

typedef struct plain_dopri5 {
  plain_mode mode;
  ess_driver *driver;
} plain_dopri5;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)sign;
  return plain_field(&((plain_dopri5 *)params)->mode, t, x, dxdt);
}

static void release(void *instance) {
  plain_dopri5 *const p = instance;
  if (!p) return;
  ess_driver_free(p->driver);
  plain_free(&p->mode);
  free(p);
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)output;
  ess_options options = ess_options_paper();
  options.rtol = settings->rtol;
  options.atol = settings->atol;
  options.h_max = settings->h_max;
  if (plain_check(name, m, message)) return SOLVER_REFUSED;
  plain_dopri5 *const p = calloc(1, sizeof *p);
  const ess_system system = {.dimension = m->system.dimension, .field = field, .params = p};
  const char *const wrong = ess_check(&system, &options);
  if (p && !wrong && !plain_alloc(&p->mode, name, m, message))
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
  plain_dopri5 *const p = instance;
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
  return plain_inspect(&((plain_dopri5 *)instance)->mode, output, report);
}

const solver_type plain_dopri5_solver = {
    .name = name,
    .summary = "dopri5 by one tolerance, the mode read off the state: no crossing is looked for",
    .prepare = prepare,
    .run = run,
    .inspect = inspect,
    .release = release,
};
