/*
 * The work of a run, each callback counted by itself: the same run once more, untimed, with every
 * callback of the system behind one that counts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "solvers.h"
#include "speed.h"

/* what stands between libess and a model */
typedef struct counting {
  const model *m;
  const ess_system *system; /* the model's own */
  double *counts;
} counting;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  counting *const c = params;
  c->counts[SPEED_FIELDS]++;
  return c->system->field(t, x, sign, dxdt, c->system->params);
}

static int guards(const double x[], double h[], void *params) {
  counting *const c = params;
  c->counts[SPEED_GUARDS]++;
  return c->system->guards(x, h, c->system->params);
}

static int guard_jacobian(const double x[], double Dh[], void *params) {
  const counting *const c = params;
  return c->system->guard_jacobian(x, Dh, c->system->params);
}

static int guard_rates(const double x[], const double v[], double h[], double rate[],
                       void *params) {
  counting *const c = params;
  c->counts[SPEED_RATES]++;
  return c->system->guard_rates(x, v, h, rate, c->system->params);
}

static int some_guard_rates(const double x[], const double v[], const size_t which[], size_t count,
                            double h[], double rate[], void *params) {
  counting *const c = params;
  c->counts[SPEED_SOME]++;
  c->counts[SPEED_SOME_GUARDS] += (double)count;
  return c->system->some_guard_rates(x, v, which, count, h, rate, c->system->params);
}

static int mode_changed(const double sign[], size_t guard, void *params) {
  const counting *const c = params;
  return c->system->mode_changed(sign, guard, c->system->params);
}

static int start(const double sign[], bool armed[], void *params) {
  const counting *const c = params;
  return c->system->resets->start(sign, armed, c->system->params);
}

/* the system with every callback it has behind one that counts; `resets` is the caller's */
static ess_system counted_system(counting *c, ess_reset_matrix *resets) {
  ess_system s = *c->system;
  s.params = c;
  s.field = field;
  s.guards = guards;
  if (s.guard_jacobian) s.guard_jacobian = guard_jacobian;
  if (s.guard_rates) s.guard_rates = guard_rates;
  if (s.some_guard_rates) s.some_guard_rates = some_guard_rates;
  if (s.mode_changed) s.mode_changed = mode_changed;
  if (s.resets) {
    *resets = *s.resets;
    if (resets->start) resets->start = start;
    s.resets = resets;
  }
  return s;
}

static int count_step(const ess_step_info *info, void *context) {
  const counting *const c = context;
  if (info->projection) c->counts[SPEED_PROJECTED] += info->t1 - info->t0;
  return 0;
}

static int count_crossing(const ess_crossing_info *info, void *context) {
  const counting *const c = context;
  c->counts[SPEED_CROSSINGS] += c->m->type->changes_field(c->m, info->guard, info->sign);
  return 0;
}

int speed_count_run(const model *m, const solver_type *solver, const solver_settings *settings,
                    const double x0[], const solver_output *output, double counts[SPEED_COUNTS]) {
  counting c = {.m = m, .system = &m->system, .counts = counts};
  ess_reset_matrix resets;
  const ess_system system = counted_system(&c, &resets);
  ess_options options = solver_libess_options(solver_method(solver), settings, output->dt);
  options.observer = (ess_observer){.step = count_step, .crossing = count_crossing, .context = &c};
  double t = output->times[0], x[MODEL_DIMENSION_MAX];
  int status;
  ess_driver *const driver = ess_driver_alloc(&system, &options, &status);
  if (!driver) return status;
  memcpy(x, x0, system.dimension * sizeof *x);
  memset(counts, 0, SPEED_COUNTS * sizeof *counts);
  status = ess_driver_sample(driver, &t, output->times[output->count - 1], x, output->times,
                             output->count, output->states);
  const ess_counters *const counted = ess_driver_counters(driver);
  counts[SPEED_STEPS] = (double)counted->steps;
  counts[SPEED_REJECTED] = (double)counted->rejected;
  counts[SPEED_ENTRIES] = (double)counted->entries;
  counts[SPEED_PROJECTIONS] = (double)counted->projections;
  counts[SPEED_SUBSTEPS] = (double)counted->substeps;
  counts[SPEED_GROUPS] = (double)counted->groups;
  ess_driver_free(driver);
  return status;
}

int speed_count_work(speed_case *c, char *message) {
  trajectory samples;
  if (trajectory_alloc(&samples, &c->form[0], message)) return -1;
  const solver_output output = trajectory_output(&samples);
  const size_t n = c->form[0].system.dimension;
  int status = 0;
  for (size_t k = 0; !status && k < c->count; k++) {
    const speed_entry *const e = &c->entry[k];
    for (size_t j = 0; !status && solver_is_libess(e->solver) && j < c->trials; j++)
      status = speed_count_run(&c->form[e->form], e->solver, &e->settings, c->starts.states + j * n,
                               &output, e->counts[j]);
  }
  trajectory_free(&samples);
  if (status) measure_message(message, "counting: %s", ess_strerror(status));
  return status ? -1 : 0;
}
