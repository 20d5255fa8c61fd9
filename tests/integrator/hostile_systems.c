/*
 * Hostile systems through the default method, held against the truth.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hostile_systems.h"
#include "callbacks.h"
#include "draws.h"

#include <math.h>
#include <string.h>

enum { STATES = HOSTILE_STATES, GUARDS = HOSTILE_GUARDS };

/* an error of so many tolerances is looked at more closely */
static const double SUSPECT = 30.0, FINER = 12.0, GROWTH = 10.0;

FIELD(field) {
  const hostile_system *const s = params;
  for (size_t i = 0; i < s->n; i++) {
    dxdt[i] = s->drift[i];
    for (size_t j = 0; j < s->n; j++) dxdt[i] += s->matrix[i][j] * x[j];
  }
  for (size_t k = 0; k < s->m; k++) {
    const double weight = 0.5 + 0.5 * sign[k];
    if (weight == 0.0) continue;
    double along = 0.0;
    for (size_t j = 0; j < s->n; j++) along += s->jump[k].row[j] * x[j];
    for (size_t i = 0; i < s->n; i++)
      dxdt[i] += weight * (s->jump[k].constant[i] + along * s->jump[k].column[i]);
  }
}

GUARDS(guards) {
  const hostile_system *const s = params;
  for (size_t k = 0; k < s->m; k++) h[k] = hostile_event(s, k, x);
}

GUARD_JACOBIAN(jacobian) {
  const hostile_system *const s = params;
  for (size_t k = 0; k < s->m; k++) hostile_gradient(s, k, x, Dh + k * s->n);
}

ARMED_AT_START(choose_armed) {
  const hostile_system *const s = params;
  for (size_t j = 0; j < 2 * s->m; j++) armed[j] = armed[j] && !s->off[j];
}

double hostile_unit(const hostile_system *s, double tolerance, size_t i) {
  return s->by_component && i % 3 != 1 ? 10.0 * tolerance : tolerance;
}

/* --- the run ------------------------------------------------------------------------------------
 */

/* what an observer saw */
typedef struct watch {
  size_t seen;
  double latest;
  bool is_ordered;
} watch;

ON_CROSSING(observe) {
  watch *const w = context;
  w->seen++;
  w->is_ordered = w->is_ordered && info->t >= w->latest;
  w->latest = info->t;
}

/* to the outputs, each by an apply of its own, with other tolerances from one to the next, or all
 * of them sampled; with a name outside and never inlined, so that callgrind finds it */
int hostile_reach(const hostile_system *s, ess_driver *d, const ess_options *options,
                  hostile_path *p);
__attribute__((noinline)) int hostile_reach(const hostile_system *s, ess_driver *d,
                                            const ess_options *options, hostile_path *p) {
  double t = 0.0, x[STATES], samples[HOSTILE_OUTPUTS * STATES];
  int status = ESS_SUCCESS;
  memcpy(x, s->x0, sizeof x);
  if (s->way == HOSTILE_SAMPLED) {
    status = ess_driver_sample(d, &t, s->end, x, s->output, s->output_count, samples);
    for (size_t i = 0; i < s->output_count; i++)
      memcpy(p->x[i], samples + i * s->n, s->n * sizeof *samples);
    return status;
  }
  for (size_t i = 0; !status && i < s->output_count; i++) {
    status = ess_driver_apply(d, &t, s->output[i], x);
    memcpy(p->x[i], x, sizeof x);
    if (status || s->way != HOSTILE_TIGHTENED) continue;
    ess_options other = *options;
    other.rtol *= i % 2 ? 0.3 : 1.0;
    other.atol *= i % 2 ? 0.3 : 1.0;
    if (!s->by_component) status = ess_driver_set_options(d, &other);
  }
  return status;
}

static hostile_path run(const hostile_system *s, double tolerance, watch *w,
                        ess_counters *counters) {
  hostile_path p = {0};
  bool silent[2 * GUARDS];
  double unit[STATES];
  for (size_t j = 0; j < 2 * s->m; j++) silent[j] = s->silent[j / 2];
  for (size_t i = 0; i < s->n; i++) unit[i] = hostile_unit(s, tolerance, i);
  const ess_reset_matrix resets = {.row_start = s->row_start,
                                   .guard = s->row_guard,
                                   .effect = s->row_effect,
                                   .silent = silent,
                                   .start = choose_armed};
  hostile_system copy = *s; // callbacks are given what may be written
  const ess_system system = {.dimension = s->n,
                             .guard_count = s->m,
                             .field = field,
                             .guards = guards,
                             .guard_jacobian = jacobian,
                             .weights = s->weights,
                             .one_way = s->one_way,
                             .resets = s->has_matrix ? &resets : NULL,
                             .params = &copy};
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  if (s->by_component) options.rtols = options.atols = unit;
  options.max_steps = 2000000;
  options.max_crossings = 100000;
  if (w) options.observer = (ess_observer){.crossing = observe, .context = w};
  ess_driver *const d = ess_driver_alloc(&system, &options, &p.status);
  if (!d) return p;
  p.status = hostile_reach(s, d, &options, &p);
  *counters = *ess_driver_counters(d);
  p.crossings = counters->crossings;
  p.silent = counters->silent;
  memcpy(p.sign, ess_driver_sign(d), s->m * sizeof *p.sign);
  ess_driver_free(d);
  return p;
}

/* --- against the truth --------------------------------------------------------------------------
 */

/* the worst of all states and outputs, in tolerances */
static double error_of(const hostile_system *s, double tolerance, const hostile_path *p,
                       const hostile_path *truth) {
  double worst = 0.0;
  for (size_t o = 0; o < s->output_count; o++)
    for (size_t i = 0; i < s->n; i++) {
      const double unit = hostile_unit(s, tolerance, i) * (1.0 + fabs(truth->x[o][i]));
      const double error = fabs(p->x[o][i] - truth->x[o][i]) / unit;
      if (!(error <= worst)) worst = error;
    }
  return worst;
}

static bool is_other(const hostile_system *s, const hostile_path *p, const hostile_path *truth) {
  bool other = p->crossings != truth->crossings || p->silent != truth->silent;
  for (size_t k = 0; k < s->m; k++) other = other || p->sign[k] != truth->sign[k];
  return other;
}

/* the system with its start and its guards elsewhere, by so many tolerances at most */
static hostile_system move(const hostile_system *s, const hostile_path *truth, double tolerance,
                           uint64_t *sequence) {
  hostile_system moved = *s;
  for (size_t i = 0; i < s->n; i++)
    moved.x0[i] += hostile_unit(s, tolerance, i) * (1.0 + fabs(s->x0[i])) * HOSTILE_MOVED *
                   draw_apart(sequence, -1.0, 1.0);
  for (size_t k = 0; k < s->m; k++) {
    const double *const x = truth->x[s->output_count - 1];
    double gradient[STATES], size = 0.0;
    hostile_gradient(s, k, x, gradient);
    for (size_t i = 0; i < s->n; i++)
      size += fabs(gradient[i]) * hostile_unit(s, tolerance, i) * (1.0 + fabs(x[i]));
    const double by = size * HOSTILE_MOVED * draw_apart(sequence, -1.0, 1.0);
    hostile_guard *const g = &moved.guard[k];
    g->place += by;
    g->radius += fmin(by, 0.3 * g->radius);
  }
  return moved;
}

/* whether the truth is well told: so that an error, or another crossing, is libess's */
static bool is_clear(const hostile_system *s, const hostile_path *truth, double tolerance) {
  uint64_t sequence = s->seed;
  hostile_path p;
  hostile_truth(s, SUSPECT * tolerance, 1.0, &p);
  bool clear = !p.is_unclear;
  for (int i = 0; clear && i < HOSTILE_MOVES; i++) {
    const hostile_system moved = move(s, truth, tolerance, &sequence);
    hostile_truth(&moved, SUSPECT * tolerance, FINER, &p);
    clear = !p.status && !p.is_unclear && !is_other(s, &p, truth) &&
            error_of(s, tolerance, &p, truth) < GROWTH * HOSTILE_MOVED;
  }
  return clear;
}

/* held against a finer truth where it does not agree with this one */
static hostile_verdict judge(const hostile_system *s, const hostile_path *p,
                             const hostile_path *truth, double tolerance, double *error) {
  *error = error_of(s, tolerance, p, truth);
  if (*error <= SUSPECT && !is_other(s, p, truth)) return HOSTILE_RIGHT;
  hostile_path finer;
  hostile_truth(s, 0.0, FINER, &finer);
  if (finer.status || finer.is_unclear) return HOSTILE_LEFT_OUT;
  *error = error_of(s, tolerance, p, &finer);
  const bool other = is_other(s, p, &finer);
  if (*error <= SUSPECT && !other) return HOSTILE_RIGHT;
  if (!is_clear(s, &finer, tolerance)) return HOSTILE_LEFT_OUT;
  return *error > HOSTILE_WORST || (other && *error > HOSTILE_OTHER) ? HOSTILE_WRONG
                                                                     : HOSTILE_RIGHT;
}

hostile_outcome hostile_run(const hostile_system *s, const hostile_path *truth, double tolerance,
                            bool observed) {
  hostile_outcome o = {.is_observed_alike = true};
  const hostile_path p = run(s, tolerance, NULL, &o.counters);
  o.status = p.status;
  o.crossings = p.crossings;
  o.silent = p.silent;
  o.true_crossings = truth->crossings;
  o.true_silent = truth->silent;
  o.verdict = p.status ? HOSTILE_REFUSED : judge(s, &p, truth, tolerance, &o.error);
  if (!observed) return o;
  watch w = {.is_ordered = true};
  ess_counters counters;
  const hostile_path again = run(s, tolerance, &w, &counters);
  o.is_observed_alike = again.status == p.status && w.is_ordered && w.seen == again.crossings &&
                        !memcmp(again.x, p.x, sizeof p.x) &&
                        !memcmp(again.sign, p.sign, sizeof p.sign);
  return o;
}
