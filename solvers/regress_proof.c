/*
 * libess's solvers spoilt on purpose, to prove that the regression gate notices. Compiled only when
 * CMake is given ESSBENCH_PROOF; the solvers as they are then go by the names ..._unspoilt, and
 * these take their place:
 *
 *   slowdown=P        every run of either takes P percent longer, spent on the clock
 *   extra-projection  every run of projection projects once more, on a system of its own
 *   epsilon-bug       epsilon is off by the square root of 3: where the error goes with epsilon
 *                     squared it is three times what it was
 *
 * Bugs inside libess are sown into its source by tools/prove-regress.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "solvers.h"

extern const solver_type libess_solver_unspoilt, projection_solver_unspoilt;

static const char proof[] = ESSBENCH_PROOF;
static const char slowdown[] = "slowdown=";

typedef struct spoilt {
  const solver_type *unspoilt;
  void *instance; /* of that */
} spoilt;

/* share of a run's time to be wasted after it */
static double wasted_share(void) {
  const size_t length = strlen(slowdown);
  return strncmp(proof, slowdown, length) == 0 ? 0.01 * atof(proof + length) : 0.0;
}

static int prepare(const solver_type *unspoilt, const model *m, const solver_settings *settings,
                   const solver_output *output, void **instance,
                   char message[SOLVER_MESSAGE_SIZE]) {
  solver_settings changed = *settings;
  if (strcmp(proof, "epsilon-bug") == 0) changed.epsilon *= sqrt(3.0);
  spoilt *const s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(message, SOLVER_MESSAGE_SIZE, "%s: out of memory", unspoilt->name);
    return SOLVER_FAILED;
  }
  s->unspoilt = unspoilt;
  const int status = unspoilt->prepare(m, &changed, output, &s->instance, message);
  if (status)
    free(s);
  else
    *instance = s;
  return status;
}

/* a point that moves at unit speed through the one guard at 0 */
static int unit_field(double t, const double x[], const double sign[], double dxdt[],
                      void *params) {
  (void)t;
  (void)x;
  (void)sign;
  (void)params;
  dxdt[0] = 1.0;
  return 0;
}

static int position(const double x[], double h[], void *params) {
  (void)params;
  h[0] = x[0];
  return 0;
}

static int unit_rate(const double x[], const double v[], double h[], double rate[], void *params) {
  rate[0] = v[0];
  return position(x, h, params);
}

/* starts inside the guard's neighbourhood, so that it projects at once; counted with the rest */
static int project_once_more(solver_report *report) {
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = unit_field,
                             .guards = position,
                             .guard_rates = unit_rate};
  ess_options options = ess_options_paper();
  ess_driver *const driver = ess_driver_alloc(&system, &options, NULL);
  if (!driver) return -1;
  double t = 0.0, x = -0.5 * options.epsilon;
  const int status = ess_driver_apply(driver, &t, options.epsilon, &x);
  const ess_counters *const counted = ess_driver_counters(driver);
  report->steps += counted->steps;
  report->entries += counted->entries;
  report->projections += counted->projections;
  report->field_evaluations += counted->field_evaluations;
  report->guard_evaluations += counted->guard_evaluations;
  ess_driver_free(driver);
  return status;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  const spoilt *const s = instance;
  const uint64_t start = measure_clock_ns();
  int status = s->unspoilt->run(s->instance, x0, output, report);
  if (!status && s->unspoilt == &projection_solver_unspoilt &&
      strcmp(proof, "extra-projection") == 0)
    status = project_once_more(report);
  const double end = (1.0 + wasted_share()) * (double)(measure_clock_ns() - start);
  while ((double)(measure_clock_ns() - start) < end) continue;
  return status;
}

static void release(void *instance) {
  spoilt *const s = instance;
  if (!s) return;
  s->unspoilt->release(s->instance);
  free(s);
}

static int prepare_libess(const model *m, const solver_settings *settings,
                          const solver_output *output, void **instance,
                          char message[SOLVER_MESSAGE_SIZE]) {
  return prepare(&libess_solver_unspoilt, m, settings, output, instance, message);
}

const solver_type libess_solver = {
    .name = "libess",
    .summary = "libess by one tolerance, spoilt on purpose (" ESSBENCH_PROOF ")",
    .prepare = prepare_libess,
    .run = run,
    .release = release,
};

static int prepare_projection(const model *m, const solver_settings *settings,
                              const solver_output *output, void **instance,
                              char message[SOLVER_MESSAGE_SIZE]) {
  return prepare(&projection_solver_unspoilt, m, settings, output, instance, message);
}

const solver_type projection_solver = {
    .name = "projection",
    .summary = "libess by the paper's method, spoilt on purpose (" ESSBENCH_PROOF ")",
    .prepare = prepare_projection,
    .run = run,
    .release = release,
};
