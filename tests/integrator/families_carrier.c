/*
 * Event functions that turn many times while the field has no error of its own: a relay on a
 * carrier, the same on a carrier of several frequencies, and fuel that is injected by crank angle.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "callbacks.h"
#include "families.h"

#include <math.h>
#include <string.h>

static const double TURN = 6.283185307179586;

/* ---- a relay on a carrier -------------------------------------------------------------------- */

enum { WAVES = 3 };

/* sum of amplitude sin(frequency tau + phase), less level; on, x grows */
typedef struct carrier {
  size_t waves;
  double amplitude[WAVES], frequency[WAVES], phase[WAVES], level;
} carrier;

static double carrier_at(const carrier *c, double tau, double *slope) {
  double sum = -c->level;
  *slope = 0.0;
  for (size_t i = 0; i < c->waves; i++) {
    const double angle = c->frequency[i] * tau + c->phase[i];
    sum += c->amplitude[i] * sin(angle);
    *slope += c->amplitude[i] * c->frequency[i] * cos(angle);
  }
  return sum;
}

FIELD(relay_field) {
  dxdt[0] = 0.5 * (sign[0] + 1.0);
  dxdt[1] = 1.0;
}

GUARDS(relay_guards) {
  double slope;
  h[0] = carrier_at(params, x[1], &slope);
}

GUARD_JACOBIAN(relay_jacobian) {
  Dh[0] = 0.0;
  carrier_at(params, x[1], &Dh[1]);
}

/* where h, or its slope, changes its sign between a and b */
static double change_between(const carrier *c, double a, double b, bool of_slope) {
  double slope, value = carrier_at(c, a, &slope);
  const bool from = (of_slope ? slope : value) >= 0.0;
  for (int i = 0; i < 100; i++) {
    const double middle = 0.5 * (a + b);
    value = carrier_at(c, middle, &slope);
    if (((of_slope ? slope : value) >= 0.0) == from)
      a = middle;
    else
      b = middle;
  }
  return 0.5 * (a + b);
}

/* crossings between `from` and `to`, and how long h is positive; looked for between extrema */
typedef struct relay_truth {
  size_t crossings;
  double on, nearest; /* nearest: the extremum, or end, nearest to zero */
} relay_truth;

static void add_piece(const carrier *c, double a, double b, relay_truth *r) {
  double slope;
  const double first = carrier_at(c, a, &slope), last = carrier_at(c, b, &slope);
  r->nearest = fmin(r->nearest, fmin(fabs(first), fabs(last)));
  if ((first >= 0.0) == (last >= 0.0)) {
    r->on += first >= 0.0 ? b - a : 0.0;
    return;
  }
  const double at = change_between(c, a, b, false);
  r->crossings++;
  r->on += first >= 0.0 ? at - a : b - at;
}

static relay_truth relay_exact(const carrier *c, double from, double to) {
  double fastest = 0.0, last = from, slope;
  for (size_t i = 0; i < c->waves; i++) fastest = fmax(fastest, c->frequency[i]);
  relay_truth r = {.nearest = INFINITY};
  const size_t looks = 16 + (size_t)(200.0 * fastest * (to - from) / TURN);
  carrier_at(c, from, &slope);
  bool rises = slope >= 0.0;
  double before = from;
  for (size_t i = 1; i <= looks; i++) {
    const double tau = from + (to - from) * (double)i / (double)looks;
    carrier_at(c, tau, &slope);
    if ((slope >= 0.0) != rises) {
      const double extremum = change_between(c, before, tau, true);
      add_piece(c, last, extremum, &r);
      last = extremum;
      rises = !rises;
    }
    before = tau;
  }
  add_piece(c, last, to, &r);
  return r;
}

static family_run run_carrier(carrier *c, const ess_options *options, double start, double end) {
  const ess_system system = {.dimension = 2, .guard_count = 1, OF_JACOBIAN(relay), .params = c};
  const relay_truth r = relay_exact(c, start, start + end);
  // what rounding of tau makes of it
  family_run run = {.is_left_out = r.nearest < 1e-7, .true_crossings = r.crossings};
  double x[] = {0.0, start};
  const double truth[] = {r.on, start + end};
  if (!run.is_left_out) family_apply(&system, options, end, x, truth, &run);
  return run;
}

family_run family_carrier_at(double frequency, double level, double end, double tolerance) {
  carrier c = {.waves = 1, .amplitude = {1.0}, .frequency = {frequency}, .level = level};
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  return run_carrier(&c, &options, 0.0, end);
}

static family_run run_relay(carrier *c, uint64_t *sequence, double end) {
  ess_options options = family_options(sequence);
  const double start = family_one_of(sequence, 3) ? 0.0 : family_log_between(sequence, 1e-2, 1e3);
  if (!family_one_of(sequence, 4)) options.h_init = end * family_log_between(sequence, 1e-6, 1.0);
  return run_carrier(c, &options, start, end);
}

family_run family_relay(uint64_t seed) {
  uint64_t sequence = seed;
  const double end = family_log_between(&sequence, 0.1, 10.0);
  carrier c = {.waves = 1, .amplitude = {1.0}};
  c.frequency[0] = TURN / end * family_log_between(&sequence, 0.5, 100.0);
  c.phase[0] = family_one_of(&sequence, 2) ? family_between(&sequence, 0.0, TURN) : 0.0;
  // of duties of all sizes the narrow ones, too
  c.level = family_one_of(&sequence, 2) ? family_between(&sequence, -1.0, 1.0)
                                        : 1.0 - family_log_between(&sequence, 1e-5, 1.0);
  if (!family_one_of(&sequence, 4)) c.level = -c.level;
  return run_relay(&c, &sequence, end);
}

family_run family_waves(uint64_t seed) {
  uint64_t sequence = seed;
  const double end = family_log_between(&sequence, 0.1, 10.0);
  carrier c = {.waves = 2 + family_one_of(&sequence, 2)};
  double sum = 0.0;
  for (size_t i = 0; i < c.waves; i++) {
    c.amplitude[i] = i ? family_log_between(&sequence, 1e-3, 1.0) : 1.0;
    c.frequency[i] = TURN / end * family_log_between(&sequence, 0.5, 100.0);
    c.phase[i] = family_between(&sequence, 0.0, TURN);
    sum += c.amplitude[i];
  }
  c.level = sum * family_between(&sequence, -1.0, 1.0);
  return run_relay(&c, &sequence, end);
}

/* ---- fuel injected by crank angle ------------------------------------------------------------ */

enum { CYLINDERS = 8, ANGLE = 0, SPEED = 1, FUEL = 2 };

/* cylinder k is open where cos(angle/2 - place) > level, gives fuel and pushes the crank on */
typedef struct engine {
  size_t cylinders;
  double place[CYLINDERS], level[CYLINDERS], flow[CYLINDERS], torque[CYLINDERS], drag;
} engine;

FIELD(engine_field) {
  const engine *const e = params;
  dxdt[ANGLE] = x[SPEED];
  dxdt[SPEED] = -e->drag;
  dxdt[FUEL] = 0.0;
  for (size_t k = 0; k < e->cylinders; k++) {
    if (!(sign[k] > 0.0)) continue;
    dxdt[SPEED] += e->torque[k];
    dxdt[FUEL] += e->flow[k];
  }
}

GUARDS(engine_guards) {
  const engine *const e = params;
  for (size_t k = 0; k < e->cylinders; k++) h[k] = cos(0.5 * x[ANGLE] - e->place[k]) - e->level[k];
}

GUARD_JACOBIAN(engine_jacobian) {
  const engine *const e = params;
  memset(Dh, 0, e->cylinders * 3 * sizeof *Dh);
  for (size_t k = 0; k < e->cylinders; k++)
    Dh[3 * k + ANGLE] = -0.5 * sin(0.5 * x[ANGLE] - e->place[k]);
}

/* the next angle after this one at which cylinder k opens or closes */
static double next_edge(const engine *e, size_t k, double angle, bool open) {
  const double edge = 2.0 * e->place[k] + (open ? 2.0 : -2.0) * acos(e->level[k]);
  return edge + 2.0 * TURN * ceil((angle - edge) / (2.0 * TURN) + 1e-12);
}

/* exact from edge to edge; false where the crank nearly stops, or an edge is near the ends;
 * `nearest`: the angle to the edge that is nearest to the end */
static bool engine_exact(const engine *e, double end, double x[], size_t *crossings,
                         double *nearest) {
  bool open[CYLINDERS];
  const double slowest = 0.05 * x[SPEED];
  double t = 0.0, last = -INFINITY;
  for (size_t k = 0; k < e->cylinders; k++) {
    const double h = cos(0.5 * x[ANGLE] - e->place[k]) - e->level[k];
    if (fabs(h) < 1e-6) return false;
    open[k] = h > 0.0;
  }
  for (*crossings = 0;; ++*crossings) {
    double push = -e->drag, flow = 0.0, edge = INFINITY;
    size_t which = 0;
    for (size_t k = 0; k < e->cylinders; k++) {
      push += open[k] ? e->torque[k] : 0.0;
      flow += open[k] ? e->flow[k] : 0.0;
      const double at = next_edge(e, k, x[ANGLE], open[k]);
      if (at >= edge) continue;
      edge = at;
      which = k;
    }
    const double way = edge - x[ANGLE], square = x[SPEED] * x[SPEED] + 2.0 * push * way;
    const double speed = square > 0.0 ? sqrt(square) : 0.0;
    const double duration = square > 0.0 ? 2.0 * way / (x[SPEED] + speed) : INFINITY;
    if (t + duration >= end) {
      const double rest = end - t;
      x[FUEL] += flow * rest;
      x[ANGLE] += rest * (x[SPEED] + 0.5 * push * rest);
      x[SPEED] += push * rest;
      *nearest = fmin(edge - x[ANGLE], x[ANGLE] - last);
      return x[SPEED] > slowest && edge - x[ANGLE] > 1e-2;
    }
    if (speed < slowest) return false;
    t += duration;
    x[FUEL] += flow * duration;
    x[ANGLE] = last = edge;
    x[SPEED] = speed;
    open[which] = !open[which];
    if (end - t < 1e-3 / speed) return false;
  }
}

family_run family_crank(uint64_t seed) {
  uint64_t sequence = seed;
  engine e = {.cylinders = 1 + family_one_of(&sequence, CYLINDERS)};
  const double speed = family_log_between(&sequence, 1.0, 600.0);
  const double turns = family_log_between(&sequence, 0.5, 100.0);
  const double end = turns * TURN / speed, share = family_between(&sequence, 0.0, 1.0);
  // over the run the speed may change by so much, up or down
  const double change = family_log_between(&sequence, 1e-4, 2.0) * speed / end;
  const double level = family_between(&sequence, 0.0, 1.0) < 0.5
                           ? family_between(&sequence, -0.9, 0.99)
                           : 1.0 - family_log_between(&sequence, 1e-4, 1e-1);
  const double duty = acos(level) / (0.5 * TURN) * (double)e.cylinders;
  const double x0 = family_between(&sequence, 0.0, 4.0 * TURN);
  e.drag = change * family_between(&sequence, 0.0, 1.0);
  for (size_t k = 0; k < e.cylinders; k++) {
    e.place[k] = TURN * ((double)k + 0.3 * share) / (double)e.cylinders;
    e.level[k] = level;
    e.flow[k] = family_between(&sequence, 0.5, 2.0) * speed;
    e.torque[k] = change * family_between(&sequence, 0.5, 1.5) / duty;
  }
  const ess_system system = {
      .dimension = 3, .guard_count = e.cylinders, OF_JACOBIAN(engine), .params = &e};
  const ess_options options = family_options(&sequence);
  family_run run = {.is_left_out = false};
  double x[] = {x0, speed, 0.0}, truth[] = {x0, speed, 0.0};
  double nearest = 0.0;
  run.is_left_out = !engine_exact(&e, end, truth, &run.true_crossings, &nearest);
  if (!run.is_left_out) family_apply(&system, &options, end, x, truth, &run);
  // an error of the angle, which is judged as such, may carry the end to the other side of an edge
  if (fabs(x[ANGLE] - truth[ANGLE]) >= nearest) run.true_crossings = SIZE_MAX;
  return run;
}
