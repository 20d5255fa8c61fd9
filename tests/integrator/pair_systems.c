/*
 * The systems of pair_systems.h by libess, held against the truth.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pair_systems.h"
#include "callbacks.h"
#include "draws.h"

#include <math.h>
#include <string.h>

enum {
  STATES = PAIR_STATES,
  GUARDS = PAIR_GUARDS,
  CALLS = 300000,
  LOOKS = 2000000,
  STOPS = 100000
};

/* an error of so many tolerances is looked at more closely; a ball rests below so high a bounce */
static const double SUSPECT = 30.0, FINER = 4.0, GROWTH = 10.0, LOWEST = 1e-10;

const pair_refusal pair_refusals[PAIR_REFUSALS] = {
    {PAIR_SLIDING, PAIR_WEIGHTS, "sliding needs a system without weights", "docs/guide/sliding.md",
     "A system that declares `weights` cannot slide"},
    {PAIR_REST, PAIR_WEIGHTS, "sliding needs a system without weights", "integrator/ess.h",
     "Needs ESS_SLIDING_FILIPPOV."}};

/* one run: the system, and what it takes */
typedef struct run {
  const pair_system *s;
  uint64_t calls, looks, stops;
} run;

/* ---- callbacks ------------------------------------------------------------------------------- */

/* by its own inverse, a reflection, from the system's states to the caller's and back */
static void turn(const pair_system *s, const double from[], double to[]) {
  double along = 0.0;
  for (size_t i = 0; i < s->n; i++) along += s->mirror[i] * from[i];
  for (size_t i = 0; i < s->n; i++) to[i] = from[i] - 2.0 * along * s->mirror[i];
}

static double form(const double row[], const double wide[]) {
  double sum = 0.0;
  for (size_t i = 0; i < PAIR_WIDTH; i++) sum += row[i] * wide[i];
  return sum;
}

static void widen_turned(const pair_system *s, double t, const double x[], double wide[]) {
  double z[STATES];
  turn(s, x, z);
  pair_widen(s, t, z, wide);
}

static bool is_weighed(const pair_system *s, size_t k) {
  const pair_kind kind = s->guard[k].kind;
  return kind == PAIR_BLOCK || kind == PAIR_SPRING || kind == PAIR_LOW;
}

FIELD_CODE(pair_field) {
  run *const r = params;
  const pair_system *const s = r->s;
  double wide[PAIR_WIDTH], rate[STATES];
  widen_turned(s, t, x, wide);
  for (size_t i = 0; i < s->n; i++) rate[i] = form(s->base[i], wide);
  for (size_t k = 0; k < s->m; k++) {
    const double weight = 0.5 + 0.5 * sign[k];
    if (weight == 0.0 || !is_weighed(s, k)) continue;
    for (size_t i = 0; i < s->n; i++)
      if (s->guard[k].adds[i]) rate[i] += weight * form(s->guard[k].add[i], wide);
  }
  turn(s, rate, dxdt);
  return ++r->calls > CALLS;
}

/* of the field in the system's own states */
static void differentiate(const pair_system *s, const double sign[], double D[STATES][STATES]) {
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->n; j++) {
      D[i][j] = s->base[i][j];
      for (size_t k = 0; k < s->m; k++)
        if (is_weighed(s, k)) D[i][j] += (0.5 + 0.5 * sign[k]) * s->guard[k].add[i][j];
    }
}

FIELD_JACOBIAN(pair_field_jacobian) {
  const pair_system *const s = ((const run *)params)->s;
  double D[STATES][STATES], column[STATES], turned[STATES];
  differentiate(s, sign, D);
  for (size_t i = 0; i < s->n; i++) {
    turn(s, D[i], turned);
    memcpy(D[i], turned, s->n * sizeof *turned);
  }
  for (size_t j = 0; j < s->n; j++) {
    for (size_t i = 0; i < s->n; i++) column[i] = D[i][j];
    turn(s, column, turned);
    for (size_t i = 0; i < s->n; i++) J[i * s->n + j] = turned[i];
  }
}

/* (1 - c W)^-1 v, by elimination; W is the Jacobian, or nothing where there is none */
static int pair_field_solve(double t, const double x[], const double sign[], double c, double v[],
                            void *params) {
  const pair_system *const s = ((const run *)params)->s;
  const size_t n = s->n;
  double A[STATES * STATES];
  if (s->has[PAIR_NO_FIELD_JACOBIAN]) return 0;
  pair_field_jacobian(t, x, sign, A, params);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) A[i * n + j] = (i == j) - c * A[i * n + j];
  for (size_t p = 0; p < n; p++) {
    size_t best = p;
    for (size_t i = p; i < n; i++)
      if (fabs(A[i * n + p]) > fabs(A[best * n + p])) best = i;
    for (size_t j = 0; j < n; j++) {
      const double other = A[p * n + j];
      A[p * n + j] = A[best * n + j];
      A[best * n + j] = other;
    }
    const double other = v[p];
    v[p] = v[best];
    v[best] = other;
    for (size_t i = p + 1; i < n; i++) {
      const double share = A[i * n + p] / A[p * n + p];
      for (size_t j = p; j < n; j++) A[i * n + j] -= share * A[p * n + j];
      v[i] -= share * v[p];
    }
  }
  for (size_t p = n; p-- > 0;) {
    for (size_t j = p + 1; j < n; j++) v[p] -= A[p * n + j] * v[j];
    v[p] /= A[p * n + p];
  }
  return 0;
}

GUARDS_CODE(pair_guards) {
  run *const r = params;
  double wide[PAIR_WIDTH];
  widen_turned(r->s, t, x, wide);
  for (size_t k = 0; k < r->s->m; k++) {
    const double value = form(r->s->guard[k].row, wide);
    h[k] = value + r->s->guard[k].cube * value * value * value;
  }
  return ++r->looks > LOOKS;
}

/* d h / d (the form it is a cubic of) */
static double slope(const pair_guard *g, const double wide[]) {
  const double value = form(g->row, wide);
  return 1.0 + 3.0 * g->cube * value * value;
}

GUARD_JACOBIAN(pair_guard_jacobian) {
  const pair_system *const s = ((const run *)params)->s;
  double wide[PAIR_WIDTH];
  widen_turned(s, t, x, wide);
  for (size_t k = 0; k < s->m; k++) {
    turn(s, s->guard[k].row, Dh + k * s->n);
    for (size_t i = 0; i < s->n; i++) Dh[k * s->n + i] *= slope(&s->guard[k], wide);
  }
}

GUARD_RATES_CODE(pair_guard_rates) {
  const pair_system *const s = ((const run *)params)->s;
  double wide[PAIR_WIDTH], speed[STATES];
  widen_turned(s, t, x, wide);
  turn(s, v, speed);
  for (size_t k = 0; k < s->m; k++) {
    rate[k] = 0.0;
    for (size_t i = 0; i < s->n; i++) rate[k] += s->guard[k].row[i] * speed[i];
    rate[k] *= slope(&s->guard[k], wide);
  }
  return pair_guards(t, x, h, params);
}

/* d/dt of a form whose states stay */
static double own_rate(const pair_system *s, const double row[], const double wide[]) {
  double rate = row[PAIR_TIME];
  for (size_t i = 0; i < PAIR_WAVES; i++) {
    const size_t sine = PAIR_SINE + 2 * i;
    rate += s->pace[i] * (row[sine] * wide[sine + 1] - row[sine + 1] * wide[sine]);
  }
  return rate;
}

static int pair_time_rates(double t, const double x[], double rate[], void *params) {
  const pair_system *const s = ((const run *)params)->s;
  double wide[PAIR_WIDTH];
  widen_turned(s, t, x, wide);
  for (size_t k = 0; k < s->m; k++)
    rate[k] = own_rate(s, s->guard[k].row, wide) * slope(&s->guard[k], wide);
  return 0;
}

IMPACT_MAP(pair_map) {
  const pair_system *const s = ((const run *)params)->s;
  double wide[PAIR_WIDTH];
  widen_turned(s, impact->t, impact->after, wide);
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    const pair_guard *const g = &s->guard[k];
    if (g->kind == PAIR_DOSE)
      for (size_t j = 0; j < s->n; j++) wide[j] += g->push[j];
    if (g->kind != PAIR_BALL) continue;
    const double into = -(wide[g->state] + own_rate(s, g->row, wide));
    if (s->resets_place) wide[g->state - 1] -= form(g->row, wide);
    for (size_t j = 0; into > 0.0 && j < s->n; j++)
      wide[j] += (1.0 + g->bounce) * into * g->push[j];
    impact->mode[k] = 1.0;
    impact->armed[ESS_GUARD_DOWN(k)] = true;
  }
  turn(s, wide, impact->after);
}

/* a heater that is on waits for the upper threshold, one that is off for the lower */
static int pair_armed(const double sign[], bool armed[], void *params) {
  const pair_system *const s = ((const run *)params)->s;
  for (size_t k = 0; k < s->m; k++) {
    if (s->guard[k].kind != PAIR_HIGH) continue;
    armed[ESS_GUARD_UP(k)] = sign[k + 1] < 0.0;
    armed[ESS_GUARD_DOWN(k)] = armed[ESS_GUARD_UP(k + 1)] = false;
    armed[ESS_GUARD_DOWN(k + 1)] = sign[k + 1] > 0.0;
  }
  return 0;
}

/* a ball that lies on its table is above it, though rounding may say that it is below */
static int pair_start(double t, const double x[], double sign[], bool armed[], void *params) {
  const pair_system *const s = ((const run *)params)->s;
  for (size_t k = 0; k < s->m; k++) {
    if (s->guard[k].kind != PAIR_BALL || !s->guard[k].begins_held) continue;
    sign[k] = 1.0;
    armed[ESS_GUARD_DOWN(k)] = true;
    armed[ESS_GUARD_UP(k)] = false;
  }
  return 0;
}

static int pair_watch(double t, const double x[], double g[], void *params) {
  run *const r = params;
  g[0] = x[0] - 0.1;
  g[1] = x[r->s->n - 1] + 0.2;
  return ++r->looks > LOOKS;
}

/* ---- runs ------------------------------------------------------------------------------------ */

ON_STEP_CODE(stop_step) {
  return 1;
}

ON_CROSSING_CODE(stop_crossing) {
  return 1;
}

ON_IMPACT_CODE(stop_impact) {
  return 1;
}

ON_SLIDE_CODE(stop_slide) {
  return 1;
}

/* rows of a matrix in which each guard arms its mirror image, but for a heater's, of which each
 * arms the other */
static void fill_rows(const pair_system *s, size_t start[], size_t guard[], signed char effect[]) {
  size_t count = 0;
  for (size_t j = 0; j < 2 * s->m; j++) {
    const size_t k = j / 2, up = ESS_GUARD_UP(k), down = ESS_GUARD_DOWN(k);
    const pair_kind kind = s->guard[k].kind;
    start[j] = count;
    if (kind == PAIR_BALL || kind == PAIR_DOSE) continue;
    if ((kind == PAIR_HIGH && j == down) || (kind == PAIR_LOW && j == up)) continue;
    guard[count] = kind == PAIR_HIGH  ? ESS_GUARD_DOWN(k + 1)
                   : kind == PAIR_LOW ? ESS_GUARD_UP(k - 1)
                   : j == up          ? down
                                      : up;
    effect[count++] = 1;
  }
  start[2 * s->m] = start[2 * s->m + 1] = count;
}

/* to a time, going on where it is stopped; samples on the way, or none */
static int go(const pair_system *s, run *r, ess_driver *d, double *t, double goal, double x[],
              const double times[], size_t count, double samples[]) {
  size_t next = 0;
  for (;;) {
    const int status =
        ess_driver_sample(d, t, goal, x, times + next, count - next, samples + next * s->n);
    if (status != ESS_ESTOP || ++r->stops > STOPS) return status;
    while (next < count && times[next] <= *t) next++;
  }
}

/* all outputs, the run ended and continued at other times in between where that is drawn */
static int reach_outputs(const pair_system *s, run *r, ess_driver *d, const ess_options *options,
                         pair_path *p, double *t) {
  double x[STATES], samples[PAIR_OUTPUTS * STATES] = {0.0};
  int status = ESS_SUCCESS;
  turn(s, s->x0, x);
  if (s->has[PAIR_STOP_TIMES]) {
    size_t halt = 0;
    for (size_t i = 0; i < PAIR_OUTPUTS && !status; i++) {
      while (!status && halt < PAIR_HALTS && s->halt[halt] < s->output[i])
        status = go(s, r, d, t, s->halt[halt++], x, NULL, 0, NULL);
      if (!status && s->sets_options) status = ess_driver_set_options(d, options);
      if (!status) status = go(s, r, d, t, s->output[i], x, NULL, 0, NULL);
      memcpy(samples + i * s->n, x, s->n * sizeof *x);
    }
  } else {
    status = go(s, r, d, t, s->end, x, s->output, PAIR_OUTPUTS, samples);
  }
  for (size_t i = 0; i < PAIR_OUTPUTS; i++) turn(s, samples + i * s->n, p->z[i]);
  return status;
}

static ess_options options_of(const pair_system *s) {
  ess_options o = ess_options_default();
  o.rtol = o.atol = s->tolerance;
  for (size_t i = PAIR_DOPRI5; i <= PAIR_ROS2; i++)
    if (s->has[i]) o.base = (ess_base)(i - PAIR_DOPRI5);
  o.sliding = s->has[PAIR_SLIDING] ? ESS_SLIDING_FILIPPOV : ESS_SLIDING_NONE;
  o.rest = s->has[PAIR_REST];
  o.max_steps = 200000;
  if (s->has[PAIR_STOP_EVENTS]) {
    if (s->stops_crossings) o.observer.crossing = stop_crossing;
    if (s->stops_impacts) o.observer.impact = stop_impact;
    if (s->stops_slides) o.observer.slide = stop_slide;
  }
  if (s->has[PAIR_STOP_STEPS]) o.observer.step = stop_step;
  return o;
}

static void apply(const pair_system *s, pair_path *p, pair_outcome *o) {
  run r = {.s = s};
  bool at[2 * GUARDS] = {false}, has_impacts = false;
  size_t start[2 * GUARDS + 2], guard[2 * GUARDS];
  signed char effect[2 * GUARDS];
  const uint64_t stop[] = {1, 1};
  for (size_t k = 0; k < s->m; k++) {
    at[ESS_GUARD_DOWN(k)] = s->guard[k].kind == PAIR_BALL;
    at[ESS_GUARD_UP(k)] = s->guard[k].kind == PAIR_DOSE;
    has_impacts = has_impacts || at[ESS_GUARD_DOWN(k)] || at[ESS_GUARD_UP(k)];
  }
  fill_rows(s, start, guard, effect);
  const ess_reset_matrix resets = {
      .row_start = start, .guard = guard, .effect = effect, .start = pair_armed};
  const ess_impacts impacts = {.at = at, .map = pair_map, .start = pair_start};
  const bool tells = !s->has[PAIR_NO_GUARD_JACOBIAN];
  ess_system system = {.dimension = s->n,
                       .guard_count = s->m,
                       OF(pair),
                       .field_solve = pair_field_solve,
                       .weights = s->has[PAIR_WEIGHTS],
                       .guards_move = s->has[PAIR_MOVING],
                       .resets = s->has_matrix ? &resets : NULL,
                       .impacts = has_impacts ? &impacts : NULL,
                       .params = &r};
  if (tells) system.guard_jacobian = pair_guard_jacobian;
  if (tells && s->has_rates) system.guard_rates = pair_guard_rates;
  if (s->has_time_rates && s->has[PAIR_MOVING]) system.guard_time_rates = pair_time_rates;
  if (!s->has[PAIR_NO_FIELD_JACOBIAN]) system.field_jacobian = pair_field_jacobian;
  if (s->watches) system.watch = (ess_watch){.count = 2, .values = pair_watch, .stop = stop};
  const ess_options options = options_of(s);
  ess_driver *const d = ess_driver_alloc(&system, &options, &o->status);
  if (!d) {
    o->reason = ess_check(&system, &options);
    return;
  }
  o->status = reach_outputs(s, &r, d, &options, p, &o->time);
  o->is_endless = r.calls > CALLS || r.looks > LOOKS || r.stops > STOPS;
  o->calls = r.calls;
  o->looks = r.looks;
  o->stops = r.stops;
  o->counters = *ess_driver_counters(d);
  o->reason = ess_driver_failure(d)->reason;
  o->guard = ess_driver_failure(d)->guard;
  p->crossings = o->counters.crossings;
  size_t count = 0;
  const size_t *const held = ess_driver_sliding(d, &count);
  for (size_t i = 0; held && i < count; i++) p->held[held[i]] = true;
  memcpy(p->sign, ess_driver_sign(d), s->m * sizeof *p->sign);
  ess_driver_free(d);
}

/* ---- against the truth ----------------------------------------------------------------------- */

static double unit(const pair_system *s, double size) {
  return s->tolerance * (1.0 + fabs(size));
}

/* the worst of all of the caller's states and outputs, in tolerances */
static double error_of(const pair_system *s, const pair_path *p, const pair_path *truth) {
  double worst = 0.0, x[STATES], y[STATES];
  for (size_t o = 0; o < PAIR_OUTPUTS; o++) {
    turn(s, p->z[o], x);
    turn(s, truth->z[o], y);
    for (size_t i = 0; i < s->n; i++) {
      const double error = fabs(x[i] - y[i]) / unit(s, y[i]);
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

/* whether another mode has been come to */
static bool is_other(const pair_system *s, const pair_path *p, const pair_path *truth) {
  bool other = false;
  for (size_t k = 0; k < s->m; k++) {
    const pair_kind kind = s->guard[k].kind;
    other = other || p->held[k] != truth->held[k];
    if (kind == PAIR_HIGH || p->held[k]) continue;
    other = other || p->sign[k] != truth->sign[k];
  }
  return other;
}

/* the system with its start, event functions and friction elsewhere, by so many tolerances */
static pair_system move(const pair_system *s, double moved, uint64_t *sequence) {
  pair_system to = *s;
  for (size_t i = 0; i < s->n; i++)
    to.x0[i] += unit(s, s->x0[i]) * moved * draw_apart(sequence, -1.0, 1.0);
  for (size_t k = 0; k < s->m; k++) {
    pair_guard *const g = &to.guard[k];
    g->row[PAIR_ONE] += unit(s, g->row[PAIR_ONE]) * moved * draw_apart(sequence, -1.0, 1.0);
    const double grip = 1.0 + unit(s, 0.0) * moved * draw_apart(sequence, -1.0, 1.0);
    for (size_t i = 0; g->kind == PAIR_BLOCK && i < s->n; i++) {
      to.base[i][PAIR_ONE] += 0.5 * g->push[i] * (1.0 - grip);
      g->push[i] *= grip;
      g->add[i][PAIR_ONE] *= grip;
    }
    if (g->kind != PAIR_BALL || !g->begins_held) continue;
    to.x0[g->state - 1] = s->x0[g->state - 1] + s->guard[k].row[PAIR_ONE] - g->row[PAIR_ONE];
  }
  return to;
}

/* whether the truth is well told: so that an error, or another mode, is libess's; and how far off
 * the truth is at most, in tolerances, where the system is moved: INFINITY where that has no end */
static bool is_clear(const pair_system *s, const pair_path *truth, double *spread) {
  uint64_t sequence = s->seed;
  pair_path p;
  bool clear = true;
  *spread = 0.0;
  for (int i = 0; i < PAIR_MOVES; i++) {
    const pair_system moved = move(s, PAIR_MOVED, &sequence);
    // a bounce that is no higher than the tolerance may end at once
    pair_truth(&moved, i % 2 ? sqrt(2.0 * s->tolerance) : LOWEST, 1.0, &p);
    *spread = p.status ? INFINITY : fmax(*spread, error_of(s, &p, truth));
    clear = clear && !p.status && !is_other(s, &p, truth) && p.crossings == truth->crossings &&
            (i % 2 || p.slips == truth->slips);
  }
  return clear && *spread < GROWTH * PAIR_MOVED;
}

/* whether a ball that may not rest bounces no higher than the tolerance where the system is moved:
 * that does not tell whether its impacts accumulate */
static bool may_accumulate(const pair_system *s) {
  uint64_t sequence = s->seed;
  pair_path p = {.slow = INFINITY};
  for (int i = 0; i < PAIR_MOVES && p.slow == INFINITY; i++) {
    const pair_system moved = move(s, PAIR_MOVED, &sequence);
    pair_truth(&moved, sqrt(2.0 * s->tolerance), 1.0, &p);
  }
  return p.slow < INFINITY;
}

/* Errors that are right, in tolerances. Of RKC and ROS2 ess.h says that they are "some 10 to 100
 * times that with many slow oscillations": that is their own, which the system multiplies by as
 * much as what it is moved by. */
static double allowed_error(const pair_system *s, double spread) {
  const bool is_low = s->has[PAIR_RKC] || s->has[PAIR_ROS2];
  return is_low ? PAIR_WORST * fmax(1.0, spread / PAIR_MOVED) : PAIR_WORST;
}

static pair_verdict judge(const pair_system *s, const pair_path *p, pair_outcome *o) {
  pair_path truth;
  double spread;
  pair_truth(s, LOWEST, 1.0, &truth);
  if (truth.status) return PAIR_LEFT_OUT;
  if (o->status || o->is_endless) {
    // the tolerance may not tell whether there is a graze, or bounces come to an end
    const bool is_unclear = (o->status == ESS_EGRAZING && !is_clear(s, &truth, &spread)) ||
                            (o->status == ESS_EZENO && may_accumulate(s));
    return is_unclear ? PAIR_LEFT_OUT : PAIR_FALSE_STATUS;
  }
  o->error = error_of(s, p, &truth);
  o->is_other = is_other(s, p, &truth) ||
                (!s->has[PAIR_SLIDING] && !s->watches && p->crossings != truth.crossings);
  if (o->error <= SUSPECT && !o->is_other) return PAIR_RIGHT;
  pair_path finer;
  pair_truth(s, LOWEST, FINER, &finer);
  if (finer.status || error_of(s, &finer, &truth) > 1.0) return PAIR_LEFT_OUT;
  if (!is_clear(s, &finer, &spread))
    return o->error > fmax(PAIR_WORST, PAIR_BEYOND * spread) ? PAIR_WRONG : PAIR_LEFT_OUT;
  const double most = allowed_error(s, spread);
  return o->error > most || (o->is_other && o->error > PAIR_OTHER) ? PAIR_WRONG : PAIR_RIGHT;
}

pair_outcome pair_run(const pair_system *s) {
  pair_outcome o = {0};
  pair_path p = {0};
  apply(s, &p, &o);
  if (s->has[PAIR_SLIDING] && s->has[PAIR_WEIGHTS]) {
    const bool is_told = o.reason && !strcmp(o.reason, pair_refusals[0].says);
    o.verdict = o.status == ESS_EINVAL && is_told ? PAIR_REFUSED : PAIR_FALSE_STATUS;
    return o;
  }
  o.verdict = judge(s, &p, &o);
  return o;
}
