/*
 * The driver: checks and allocates, then alternates integration and projection steps (Listing 1 of
 * the paper, with the corrections that make it miss no crossing).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "substep.h"

ess_options ess_options_default(void) {
  return (ess_options){.rtol = 1e-8,
                       .atol = 1e-10,
                       .h_max = INFINITY,
                       .max_steps = 10000000,
                       .max_crossings = 10000000,
                       .method = ESS_METHOD_TOLERANCE,
                       .epsilon = 1e-3,
                       .order = 1,
                       .projection_max = INFINITY};
}

ess_options ess_options_paper(void) {
  ess_options options = ess_options_default();
  options.method = ESS_METHOD_PAPER;
  return options;
}

static bool positive(double v) {
  return v > 0.0 && isfinite(v);
}

static const char *check_tolerances(const ess_options *o, size_t n) {
  for (size_t i = 0; i < (o->rtols ? n : 1); i++) {
    const double rtol = o->rtols ? o->rtols[i] : o->rtol;
    if (!(rtol >= 0.0 && rtol < 1.0))
      return o->rtols ? "each of rtols must be a number in [0, 1)"
                      : "rtol must be a number in [0, 1)";
  }
  for (size_t i = 0; i < (o->atols ? n : 1); i++) {
    const double atol = o->atols ? o->atols[i] : o->atol;
    if (!(atol >= 0.0) || !isfinite(atol))
      return o->atols ? "each of atols must be a finite number >= 0"
                      : "atol must be a finite number >= 0";
  }
  for (size_t i = 0; i < (o->rtols || o->atols ? n : 1); i++)
    if ((o->rtols ? o->rtols[i] : o->rtol) == 0.0 && (o->atols ? o->atols[i] : o->atol) == 0.0)
      return o->rtols || o->atols ? "for each state, one of its rtol and atol must be > 0"
                                  : "one of rtol and atol must be > 0";
  return NULL;
}

static const char *check_system(const ess_system *s) {
  if (s->dimension < 1) return "dimension must be at least 1";
  if (!s->field) return "field must not be NULL";
  if (s->guard_count && !s->guards) return "guards must not be NULL when guard_count > 0";
  if (s->guard_count && !s->guard_jacobian && !s->guard_rates)
    return "one of guard_jacobian and guard_rates must not be NULL when guard_count > 0";
  return ess_resets_check(s);
}

const char *ess_check(const ess_system *system, const ess_options *o) {
  if (!system) return "system must not be NULL";
  if (!o) return "options must not be NULL";
  const char *wrong = check_system(system);
  if (!wrong) wrong = check_tolerances(o, system->dimension);
  if (wrong) return wrong;
  if (o->method != ESS_METHOD_TOLERANCE && o->method != ESS_METHOD_PAPER)
    return "method must be ESS_METHOD_TOLERANCE or ESS_METHOD_PAPER";
  if (!positive(o->epsilon)) return "epsilon must be a finite number > 0";
  for (size_t k = 0; o->guard_epsilons && k < system->guard_count; k++)
    if (!positive(o->guard_epsilons[k]))
      return "each of guard_epsilons must be a finite number > 0";
  if (o->order != 1 && o->order != 2) return "order must be 1 or 2";
  if (!(o->h_max > 0.0)) return "h_max must be > 0 (INFINITY is accepted)";
  if (!(o->h_init >= 0.0) || !isfinite(o->h_init)) return "h_init must be a finite number >= 0";
  if (!(o->projection_max > 0.0)) return "projection_max must be > 0 (INFINITY is accepted)";
  if (!(o->liveness >= 0.0) || !isfinite(o->liveness))
    return "liveness must be a finite number >= 0";
  if (o->max_steps < 1) return "max_steps must be at least 1";
  if (o->max_crossings < 1) return "max_crossings must be at least 1";
  return NULL;
}

/* how wide they are, and for how long a guard may take within them */
void ess_set_neighbourhoods(ess_driver *d) {
  const ess_options *const o = &d->options;
  for (size_t k = 0; k < d->system.guard_count; k++)
    d->epsilon[k] = o->guard_epsilons ? o->guard_epsilons[k] : o->epsilon;
  d->lead = o->projection_max;
  d->severity = 1.0;
  if (o->method == ESS_METHOD_PAPER) return;
  d->severity = 6.0;
  d->lead = 0.0; // no neighbourhoods: a guard is reached where it is crossed
  for (size_t k = 0; k < d->system.guard_count; k++) d->epsilon[k] = INFINITY;
}

ess_driver *ess_driver_alloc(const ess_system *system, const ess_options *options, int *status) {
  int ignored;
  if (!status) status = &ignored;
  *status = ESS_EINVAL;
  if (ess_check(system, options)) return NULL;

  *status = ESS_ENOMEM;
  ess_driver *const d = calloc(1, sizeof *d);
  if (!d) return NULL;
  d->system = *system;
  d->options = *options;
  if (!ess_memory_alloc(d)) {
    ess_driver_free(d);
    return NULL;
  }
  ess_take_options(d, options);
  d->system.resets = NULL; // copied
  ess_driver_reset(d);
  *status = ESS_SUCCESS;
  return d;
}

void ess_driver_free(ess_driver *d) {
  if (!d) return;
  ess_memory_free(d);
  free(d);
}

void ess_driver_reset(ess_driver *d) {
  if (!d) return;
  d->latched = false;
  d->t = 0.0;
  d->dt_next = 0.0;
  d->log_error_old = ESS_LOG_ERROR_FLOOR;
  d->window = 1.0;
  d->cluster.next_length = d->cluster.load = 0.0;
  d->cluster.pattern = 0;
  ess_forget_curved(d);
  for (size_t i = 0; i < ESS_CLASSES; i++) d->cluster.memory[i].is_set = false;
  d->piece.kind = ESS_PIECE_POINT;
  d->piece.t0 = d->piece.t1 = NAN;
  d->counters = (ess_counters){0};
  ess_no_failure(d);
}

const ess_counters *ess_driver_counters(const ess_driver *d) {
  return d ? &d->counters : NULL;
}

const ess_failure *ess_driver_failure(const ess_driver *d) {
  static const ess_failure no_driver = {.status = ESS_EINVAL,
                                        .guard = SIZE_MAX,
                                        .other_guard = SIZE_MAX,
                                        .reason = "driver must not be NULL"};
  return d ? &d->failure : &no_driver;
}

const double *ess_driver_sign(const ess_driver *d) {
  return d ? d->sign : NULL;
}

void ess_advance_time(ess_driver *d, double duration) {
  const double before = d->t, added = duration + d->t_rest;
  // what rounding cut off may be half a rounding below, or reach past the end: time does neither
  d->t = ess_smaller(added > 0.0 ? before + added : before, d->t_end);
  d->t_rest = added - (d->t - before);
}

/* puts the driver at the caller's state, in the latched mode */
static int begin(ess_driver *d, double t, double t1, const double x[]) {
  ess_piece_begin(d, t, x);
  d->t = d->t_seen = t;
  ess_no_failure(d);
  d->t_end = t1;
  d->t_rest = 0.0;
  memcpy(d->x, x, d->system.dimension * sizeof *x);
  d->progress_time = t;
  d->stalled_crossings = 0;
  d->last_guard = d->slide_guard = d->doubted = SIZE_MAX;
  d->slide_time = t;
  d->slide_returns = 0;
  d->apply_steps = 0;
  d->apply_crossings = 0;
  return d->latched ? ess_resume(d) : ess_latch(d);
}

/* projects onto the first candidate when it is inside its neighbourhood and before t1, else
 * integrates */
static int advance_once(ess_driver *d, const ess_candidate *first, double t1) {
  if (first->found && first->duration <= t1 - d->t && ess_inside(d, first->guard)) {
    bool made;
    const int status = ess_projection_step(d, first, t1, &made);
    if (status || made) return status;
  }
  if (d->t >= t1) return ESS_SUCCESS;
  d->first_reached = first->guard;
  d->awaiting = first->found && ess_any_inside(d) && !ess_inside(d, first->guard);
  return ess_integration_step(d, t1);
}

/* the loop of Listing 1; crossings that take no time are made even at t1 */
static int advance(ess_driver *d, double t1) {
  if (d->options.method == ESS_METHOD_TOLERANCE) return ess_advance_by_tolerance(d, t1);
  for (;;) {
    ess_candidate first;
    int status = ess_first_candidate(d, &first);
    if (status) return status;
    const bool due = first.found && first.duration == 0.0 && ess_inside(d, first.guard);
    if (d->t >= t1 && !due) return ESS_SUCCESS;
    status = advance_once(d, &first, t1);
    if (status) return status;
  }
}

int ess_driver_apply(ess_driver *d, double *t, double t1, double x[]) {
  return ess_driver_sample(d, t, t1, x, NULL, 0, NULL);
}

/* finite: a field need not look at every component, and would not notice */
static bool state_accepted(const ess_driver *d, const double x[]) {
  bool finite = true;
  for (size_t i = 0; i < d->system.dimension; i++) finite &= isfinite(x[i]) != 0;
  return finite;
}

/* whether times ascend */
static bool is_ascending(const double times[], size_t count) {
  // four at once: a long grid is checked in every call
  ess_mask ascending = ~(ess_mask){0};
  size_t i = 1;
  for (; i + ESS_LANES <= count; i += ESS_LANES)
    ascending &= ess_lanes_load(times + i) >= ess_lanes_load(times + i - 1);
  bool accepted = !ess_mask_any(~ascending);
  for (; i < count; i++) accepted = accepted && times[i] >= times[i - 1];
  return accepted;
}

/* what is wrong with the grid of samples; NULL when nothing is */
static const char *check_grid(const double times[], size_t count, const double states[], double t,
                              double t1) {
  if (!count) return NULL;
  if (!times) return "times must not be NULL when count > 0";
  if (!states) return "states must not be NULL when count > 0";
  if (!(times[0] >= t && times[count - 1] <= t1)) return "times must lie within [*t, t1]";
  return is_ascending(times, count) ? NULL : "times must ascend";
}

/* what is wrong with where an apply is to begin and end; NULL when nothing is */
static const char *check_apply(const ess_driver *d, const double *t, double t1, const double x[]) {
  if (d->applying) return "a callback or observer must not apply the driver that calls it";
  if (!t) return "t must not be NULL";
  if (!x) return "x must not be NULL";
  if (!isfinite(*t)) return "*t must be finite";
  if (!isfinite(t1)) return "t1 must be finite";
  if (t1 < *t) return "t1 must not be before *t: time goes forward only";
  return state_accepted(d, x) ? NULL : "each of x must be finite";
}

int ess_driver_sample(ess_driver *d, double *t, double t1, double x[], const double times[],
                      size_t count, double states[]) {
  if (!d) return ESS_EINVAL;
  const char *wrong = check_apply(d, t, t1, x);
  if (!wrong) wrong = check_grid(times, count, states, *t, t1);
  if (wrong) return ess_refuse(d, t ? *t : d->t, wrong);
  d->times = times;
  d->times_count = count;
  d->times_done = 0;
  d->samples = states;

  d->applying = true;
  int status = begin(d, *t, t1, x);
  if (!status) status = advance(d, t1);
  d->applying = false;
  if (!status) ess_sample_rest(d);
  // what an observer was refused on the way is no failure of the run
  if (!status) ess_no_failure(d);
  *t = d->t;
  memcpy(x, d->x, d->system.dimension * sizeof *x);
  return status;
}
