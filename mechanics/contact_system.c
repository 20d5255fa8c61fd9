/*
 * A mechanism's hybrid system in libess's words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_system.h"

#include <math.h>
#include <string.h>

/* A cone's guard lies beyond zero by this part of the forces that it is of, so that one which stays
 * zero is not crossed by its rounding. */
static const double hair = 1e-9;

/* A contact that is let go at a start lands where it is this deep: as much as a start may be off.
 */
static const double let_go_depth = 1e-9;

/* The drift of integration away from the contacts decays within this many time scales. */
static const double settling_scales = 50;

enum { GAP, CONE, ACTIVE, KINDS, EVENTS_MAX = KINDS * MECHANISM_CONSTRAINTS_MAX + 1 };

static size_t event(const contact_system *s, int kind, size_t k) {
  return (size_t)kind * s->m->constraints + k;
}

/* the event function that is the speed of slip, behind all others; SIZE_MAX: nothing rubs */
static size_t slip_event(const contact_system *s) {
  return mechanism_rubbing(s->m) == SIZE_MAX ? SIZE_MAX : KINDS * s->m->constraints;
}

/* whether what rubs touches, in a mode */
static bool rubs_in(const mechanism *m, contact_mode mode) {
  const size_t k = mechanism_rubbing(m);
  return k != SIZE_MAX && (mode & CONTACT(m->constraint[k].normal));
}

contact_mode contact_system_mode(const contact_system *s, const double sign[]) {
  contact_mode mode = 0;
  for (size_t k = 0; k < s->m->constraints; k++)
    if (sign[event(s, ACTIVE, k)] > 0) mode |= CONTACT(k);
  return mode;
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  contact_system *const s = params;
  const size_t n = s->m->coordinates;
  const contact_mode mode = contact_system_mode(s, sign);
  kkt_at(s->c.here, x, x + n);
  memcpy(dxdt, x + n, n * sizeof *x);
  s->c.here->slip = rubs_in(s->m, mode) ? sign[slip_event(s)] : 0;
  const bool flows = kkt_flow(s->c.here, mode, dxdt + n, NULL);
  s->c.here->slip = 0;
  return flows ? 0 : CONTACT_SYSTEM_SINGULAR;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  contact_system *const s = params;
  kkt *const here = s->c.here;
  kkt_multipliers force;
  kkt_at(here, x, x + s->m->coordinates);
  if (!kkt_flow(here, s->mode, NULL, &force)) return CONTACT_SYSTEM_SINGULAR;
  for (size_t k = 0; k < s->m->constraints; k++) {
    const mechanism_constraint *const c = &s->m->constraint[k];
    const bool normal = c->normal == k, active = (s->mode & CONTACT(k)) != 0;
    const double size = force.size[k] + (normal ? 0 : c->friction * force.size[c->normal]);
    const double depth = s->leaving & CONTACT(k) ? let_go_depth : 0;
    h[event(s, GAP, k)] = normal && !active ? here->a[k] + depth : 1;
    h[event(s, CONE, k)] = active ? kkt_cone(here, k, force.value) + hair * size : 1;
    h[event(s, ACTIVE, k)] = active ? 1 : -1;
  }
  if (slip_event(s) != SIZE_MAX)
    h[slip_event(s)] = rubs_in(s->m, s->mode) ? here->speed[mechanism_rubbing(s->m)] : 1;
  return 0;
}

/* By differences along v: what a cone's force changes by is no part of what a mechanism states. */
static int all_rates(double t, const double x[], const double v[], double h[], double rate[],
                     void *params) {
  contact_system *const s = params;
  const size_t states = s->system.dimension, events = s->system.event_count;
  double there[2 * MECHANISM_COORDINATES_MAX], side[2][EVENTS_MAX];
  double speed = 0;
  for (size_t i = 0; i < states; i++) speed = fmax(speed, fabs(v[i]) / fmax(1, fabs(x[i])));
  const double step = speed > 0 ? 1e-5 / speed : 1e-5;
  for (int i = 0; i < 2; i++) {
    for (size_t j = 0; j < states; j++) there[j] = x[j] + (i ? -step : step) * v[j];
    const int wrong = event_functions(t, there, side[i], params);
    if (wrong) return wrong;
  }
  for (size_t i = 0; i < events; i++) rate[i] = (side[0][i] - side[1][i]) / (2 * step);
  const int wrong = event_functions(t, x, h, params);
  for (size_t k = 0; k < s->m->constraints; k++) {
    if (!mechanism_is_normal(s->m, k) || (s->mode & CONTACT(k))) continue;
    rate[event(s, GAP, k)] = 0;
    for (size_t j = 0; j < s->m->coordinates; j++)
      rate[event(s, GAP, k)] += s->c.here->A[k * s->m->coordinates + j] * v[j];
  }
  return wrong;
}

static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  (void)vt;
  const contact_system *const s = params;
  double all[EVENTS_MAX], rates[EVENTS_MAX] = {0};
  bool moves = false; // else values alone are asked for
  for (size_t j = 0; j < s->system.dimension; j++) moves = moves || v[j] != 0;
  const int wrong =
      moves ? all_rates(t, x, v, all, rates, params) : event_functions(t, x, all, params);
  for (size_t i = 0; i < count; i++) {
    h[i] = all[which ? which[i] : i];
    rate[i] = rates[which ? which[i] : i];
  }
  return wrong;
}

static int mode_changed(const double sign[], size_t guard, void *params) {
  (void)guard;
  contact_system *const s = params;
  s->mode = contact_system_mode(s, sign);
  return 0;
}

/* A contact with friction slips in its direction at the state of the last evaluation of the
 * mechanics. A contact that does not slip is latched so from either side. */
static void latch_slip(const contact_system *s, contact_mode mode, double sign[], bool armed[]) {
  const size_t e = slip_event(s);
  if (e == SIZE_MAX) return;
  const bool rubs = rubs_in(s->m, mode);
  sign[e] = rubs && s->c.here->speed[mechanism_rubbing(s->m)] < 0 ? -1 : 1;
  armed[ESS_GUARD_UP(e)] = rubs && sign[e] < 0;
  armed[ESS_GUARD_DOWN(e)] = rubs && sign[e] > 0;
}

/* gaps of open contacts and cones of active ones are armed, where they fall below zero */
static void latch(const contact_system *s, contact_mode mode, double sign[], bool armed[]) {
  const contact_mode choices = mechanism_choices(s->m);
  for (size_t k = 0; k < s->m->constraints; k++) {
    const bool active = (mode & CONTACT(k)) != 0;
    const bool watched[KINDS] = {mechanism_is_normal(s->m, k) && !active,
                                 active && (choices & CONTACT(k)), false};
    for (int kind = 0; kind < KINDS; kind++) {
      const size_t e = event(s, kind, k);
      sign[e] = kind == ACTIVE && !active ? -1 : 1;
      armed[ESS_GUARD_UP(e)] = false;
      armed[ESS_GUARD_DOWN(e)] = watched[kind];
    }
  }
  latch_slip(s, mode, sign, armed);
}

static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t;
  contact_system *const s = params;
  contact_mode mode;
  const int wrong = contact_system_start(s, x, &mode);
  if (!wrong) latch(s, mode, sign, armed);
  return wrong;
}

int contact_system_replay(contact_system *s, const ess_impact *impact, contact_transition *out) {
  contact_mode landed = 0;
  for (size_t i = 0; i < impact->count; i++)
    if (impact->events[i] < s->m->constraints) landed |= CONTACT(impact->events[i]);
  return contact_system_transition(s, impact->x, contact_system_mode(s, impact->sign), landed, out);
}

static int map(ess_impact *impact, void *params) {
  contact_system *const s = params;
  const size_t n = s->m->coordinates;
  contact_transition made;
  const int wrong = contact_system_replay(s, impact, &made);
  if (wrong) return wrong;
  memcpy(impact->after, made.q, n * sizeof *made.q);
  memcpy(impact->after + n, made.v, n * sizeof *made.v);
  latch(s, made.after, impact->mode, impact->armed);
  return 0;
}

/* The map's derivative by central differences that all complete, or all do not, as it did: they
 * move speeds by more than impacts that complete have. */
static int map_jacobian(const ess_impact *impact, double DR[], void *params) {
  contact_system *const s = params;
  const size_t n = s->m->coordinates, states = 2 * n;
  const double below = s->completes_below;
  double x[2 * MECHANISM_COORDINATES_MAX];
  ess_impact beside = *impact;
  contact_transition made;
  int wrong = contact_system_replay(s, impact, &made);
  s->completes_below = contact_system_completes(s, &made) ? INFINITY : 0;
  memcpy(x, impact->x, states * sizeof *x);
  beside.x = x;
  for (size_t j = 0; !wrong && j < states; j++) {
    const double step = 1e-6 * fmax(1, fabs(impact->x[j]));
    for (int side = -1; !wrong && side <= 1; side += 2) {
      x[j] = impact->x[j] + side * step;
      wrong = contact_system_replay(s, &beside, &made);
      for (size_t i = 0; i < states; i++) {
        const double there = i < n ? made.q[i] : made.v[i - n];
        DR[i * states + j] = side < 0 ? there : (there - DR[i * states + j]) / (2 * step);
      }
    }
    x[j] = impact->x[j];
  }
  s->completes_below = below;
  return wrong;
}

void contact_system_complete(contact_system *s, double below) {
  s->completes_below = below;
}

const char *contact_system_refused(const mechanism *m, double delta_t) {
  const char *const wrong = mechanism_refused(m);
  if (wrong) return wrong;
  return delta_t >= 0 && isfinite(delta_t) ? NULL : "delta_t must be finite and not negative";
}

const char *contact_system_reason(int code) {
  switch (code) {
  case CONTACT_SYSTEM_SINGULAR:
    return "the contact mode's equations have no solution here: inertia or contacts are singular";
  case CONTACT_SYSTEM_NO_MODE:
    return "no contact mode agrees with the forces or impulses here";
  case CONTACT_SYSTEM_NO_TREND:
    return "whether a contact stays is decided by a later derivative of its force than is known";
  case CONTACT_SYSTEM_BELOW:
    return "a contact is below its surface at the start";
  default:
    return NULL;
  }
}

int contact_system_prepare(contact_system *s, const mechanism *m, double delta_t) {
  *s = (contact_system){.m = m, .delta_t = delta_t, .c = complementarity_alloc(m)};
  if (!s->c.here) return -1;
  const double scale = m->time_scale > 0 ? m->time_scale : KKT_TIME_SCALE;
  s->c.here->settling = 1 / (settling_scales * scale);
  s->impacts = (ess_impacts){.map = map, .jacobian = map_jacobian};
  const size_t slip = slip_event(s);
  for (size_t e = 0; e < KINDS * m->constraints; e++)
    s->kinds[ESS_GUARD_UP(e)] = s->kinds[ESS_GUARD_DOWN(e)] = ESS_GUARD_IMPACT;
  s->system = (ess_system){.dimension = 2 * m->coordinates,
                           .event_count = KINDS * m->constraints + (slip != SIZE_MAX),
                           .field = field,
                           .event_functions = event_functions,
                           .event_rates = event_rates,
                           .mode_changed = mode_changed,
                           .kinds = s->kinds,
                           .impacts = &s->impacts,
                           .start = start,
                           .params = s};
  return 0;
}

void contact_system_release(contact_system *s) {
  complementarity_free(&s->c);
}
