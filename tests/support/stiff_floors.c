/*
 * Bodies on stiff floors: see stiff_floors.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "stiff_floors.h"

#include <math.h>
#include <string.h>

enum { LANDINGS = 4096, SCANS = 64 }; /* looks at the exact path in each oscillation */

static const double gravity = 9.81;
static const double at_rest = 1e-9; /* energy, as a part of the start's */

double floor_damping(double stiffness, double ratio) {
  return 2.0 * ratio * sqrt(stiffness);
}

floor_case floor_population(size_t i) {
  static const double drops[FLOOR_DROPS] = {0.01, 0.03, 0.1, 0.3, 1.0};
  const size_t damper = i % FLOOR_DAMPERS, rest = i / FLOOR_DAMPERS;
  floor_case c = {.drop = drops[rest % FLOOR_DROPS]};
  c.stiffness = pow(10.0, 4.0 + (double)(rest / FLOOR_DROPS));
  if (damper > 0) c.damping = damper % 2 ? 100.0 : floor_damping(c.stiffness, 0.1);
  c.law = damper > 2 ? FLOOR_LETS_GO : FLOOR_PULLS;
  return c;
}

/* above the floor, as if it were not there */
static double energy(double z, double v) {
  return 0.5 * v * v + gravity * z;
}

/* of oscillation about rest */
static double energy_above_rest(const floor_case *c, double z, double v) {
  const double u = z + gravity / c->stiffness;
  return 0.5 * v * v + 0.5 * c->stiffness * u * u;
}

/* energies at landings, one after the other */
typedef struct landings {
  size_t count;
  double energy[LANDINGS];
} landings;

static void note(landings *l, double z, double v) {
  if (l->count < LANDINGS) l->energy[l->count++] = energy(z, v);
}

/* ---- the exact path -------------------------------------------------------------------------- */

typedef enum phase { FREE, PRESSED, RELEASED } phase;

typedef struct path {
  const floor_case *c;
  phase phase;
  double t, z, v;
} path;

/* the state s after where the path stands, in its phase */
static void state_after(const path *p, double s, double *z, double *v) {
  if (p->phase != PRESSED) {
    *z = p->z + p->v * s - 0.5 * gravity * s * s;
    *v = p->v - gravity * s;
    return;
  }
  const double decay = 0.5 * p->c->damping, w = sqrt(p->c->stiffness - decay * decay);
  const double u = p->z + gravity / p->c->stiffness, b = (p->v + decay * u) / w;
  const double size = exp(-decay * s), cosine = cos(w * s), sine = sin(w * s);
  *z = size * (u * cosine + b * sine) - gravity / p->c->stiffness;
  *v = size * ((b * w - decay * u) * cosine - (u * w + decay * b) * sine);
}

/* above 0 once the phase is over: the floor's end, or that of its force */
static double over(const path *p, double z, double v) {
  if (p->phase == FREE) return -z;
  const double force = -p->c->stiffness * z - p->c->damping * v;
  if (p->phase == RELEASED) return fmax(force, z);
  return p->c->law == FLOOR_PULLS ? z : -force;
}

static double over_after(const path *p, double s) {
  double z, v;
  state_after(p, s, &z, &v);
  return over(p, z, v);
}

/* time to the phase's end, or what is left of the run */
static double duration(const path *p) {
  const double left = FLOOR_END - p->t;
  // a flight is a parabola; it ends on the floor
  if (p->phase == FREE)
    return fmin(left, (p->v + sqrt(p->v * p->v + 2.0 * gravity * fmax(p->z, 0.0))) / gravity);
  const double step = 2.0 * M_PI / sqrt(p->c->stiffness) / SCANS;
  double s = step;
  while (s < left && !(over_after(p, s) > 0.0)) s += step;
  if (s >= left) return left;
  double below = s - step, above = s;
  for (int i = 0; i < 100; i++) {
    const double middle = 0.5 * (below + above);
    if (over_after(p, middle) > 0.0)
      above = middle;
    else
      below = middle;
  }
  return above;
}

static void next_phase(path *p, landings *l) {
  if (p->phase == FREE) note(l, p->z, p->v);
  const double force = -p->c->stiffness * p->z - p->c->damping * p->v;
  if (p->phase == FREE)
    p->phase = PRESSED;
  else if (p->phase == PRESSED)
    p->phase = p->c->law == FLOOR_PULLS ? FREE : RELEASED;
  else
    p->phase = force > p->z ? PRESSED : FREE;
}

static path exact(const floor_case *c, landings *l) {
  path p = {.c = c, .phase = FREE, .z = c->drop};
  while (p.t < FLOOR_END && l->count < LANDINGS) {
    const double s = duration(&p);
    const bool ends = s < FLOOR_END - p.t;
    double z, v;
    state_after(&p, s, &z, &v);
    p.t = ends ? p.t + s : FLOOR_END;
    p.z = z;
    p.v = v;
    if (ends) next_phase(&p, l);
  }
  return p;
}

void floor_exact(const floor_case *c, double x[2]) {
  static _Thread_local landings l;
  l.count = 0;
  const path p = exact(c, &l);
  x[0] = p.z;
  x[1] = p.v;
}

/* ---- libess ---------------------------------------------------------------------------------- */

static double acceleration(const floor_case *c, const double x[], const double sign[]) {
  const bool pressed = sign[0] > 0.0 && (c->law == FLOOR_PULLS || sign[1] > 0.0);
  return -gravity - (pressed ? c->stiffness * x[0] + c->damping * x[1] : 0.0);
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  dxdt[0] = x[1];
  dxdt[1] = acceleration(params, x, sign);
  return 0;
}

/* depth, and force over stiffness */
static int guards(double t, const double x[], double h[], void *params) {
  (void)t;
  const floor_case *const c = params;
  h[0] = -x[0];
  if (c->law == FLOOR_LETS_GO) h[1] = -x[0] - c->damping / c->stiffness * x[1];
  return 0;
}

static int guard_rates(double t, const double x[], const double v[], double h[], double rate[],
                       void *params) {
  guards(t, x, h, params);
  return guards(t, v, rate, params);
}

/* as models/plate_resets.c, of one contact */
static int start(const double sign[], bool armed[], void *params) {
  (void)sign, (void)params;
  memset(armed, 0, 4 * sizeof *armed);
  armed[ESS_GUARD_UP(0)] = true;
  return 0;
}

static const size_t ROW_START[] = {0, 1, 3, 5, 7, 7};
static const size_t ROW_GUARD[] = {ESS_GUARD_DOWN(1), ESS_GUARD_UP(0),   ESS_GUARD_UP(1),
                                   ESS_GUARD_DOWN(1), ESS_GUARD_DOWN(0), ESS_GUARD_UP(1),
                                   ESS_GUARD_DOWN(0)};
static const signed char ROW_EFFECT[] = {1, 1, -1, 1, -1, 1, 1};
static const bool SILENT[] = {false, true, false, false};
static const ess_reset_matrix ROWS = {ROW_START, ROW_GUARD, ROW_EFFECT, SILENT, start};

static int watch(const ess_crossing_info *info, void *context) {
  if (info->guard == 0 && info->direction > 0) note(context, info->x[0], info->x[1]);
  return 0;
}

/* a landing that is missing, or is not there in the exact path, is held against none: a body that
 * does not leave the floor has no energy above it, and last flights are as small as errors */
static double compare(const landings *seen, const landings *wanted, double whole) {
  double worst = 0.0;
  const size_t count = seen->count > wanted->count ? seen->count : wanted->count;
  for (size_t i = 0; i < count; i++) {
    const double a = i < seen->count ? seen->energy[i] : 0.0;
    const double b = i < wanted->count ? wanted->energy[i] : 0.0;
    worst = fmax(worst, fabs(a - b) / whole);
  }
  return worst;
}

static void judge(const floor_case *c, const landings *seen, const double x[],
                  floor_outcome *outcome) {
  static _Thread_local landings wanted;
  const double whole = gravity * c->drop;
  wanted.count = 0;
  const path p = exact(c, &wanted);
  outcome->energy_error = compare(seen, &wanted, whole);
  outcome->rests = energy_above_rest(c, p.z, p.v) < at_rest * whole;
  if (outcome->rests) outcome->rest_error = energy_above_rest(c, x[0], x[1]) / whole;
}

floor_outcome floor_run(const floor_case *c, const ess_options *options) {
  static _Thread_local landings seen;
  seen.count = 0;
  ess_options observed = *options;
  observed.observer = (ess_observer){.crossing = watch, .context = &seen};
  const ess_system system = {.dimension = 2,
                             .guard_count = c->law == FLOOR_PULLS ? 1 : 2,
                             .field = field,
                             .guards = guards,
                             .guard_rates = guard_rates,
                             .resets = c->law == FLOOR_PULLS ? NULL : &ROWS,
                             .params = (void *)c};
  floor_outcome outcome = {.energy_error = INFINITY, .rest_error = 0.0};
  ess_driver *const d = ess_driver_alloc(&system, &observed, &outcome.status);
  if (!d) return outcome;
  double t = 0.0, x[2] = {c->drop, 0.0};
  outcome.status = ess_driver_apply(d, &t, FLOOR_END, x);
  outcome.counters = *ess_driver_counters(d);
  judge(c, &seen, x, &outcome);
  ess_driver_free(d);
  return outcome;
}
