/*
 * The effect of simultaneous events on mode and state.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "contact_system.h"
#include "trend.h"

/* Gap (in units of a) and speed within which a contact touches at a start. */
static const double touching = 1e-9;

/* Deeper than a run strays from its contacts, from whose end another may start. */
static const double below = 1e-6;

/* A gap, and a speed, that is not zero to libess, and to nobody else. */
static const double hair = 1e-12;

/* tangents that can be chosen and whose normals are in a mode */
static contact_mode tangents_of(const mechanism *m, contact_mode mode) {
  contact_mode tangents = 0;
  for (size_t k = 0; k < m->constraints; k++) {
    const mechanism_constraint *const c = &m->constraint[k];
    if (mechanism_has_cone(m, k) && (mode & CONTACT(c->normal))) tangents |= CONTACT(k);
  }
  return tangents;
}

static contact_mode normals_of(const mechanism *m, contact_mode mode) {
  contact_mode normals = 0;
  for (size_t k = 0; k < m->constraints; k++)
    if (mechanism_is_normal(m, k)) normals |= CONTACT(k);
  return mode & normals;
}

/* FA's mode in a scope. 0, or what stops a run. */
static int stays(contact_system *s, contact_mode scope, contact_mode *mode) {
  const size_t untold = s->c.untold;
  const complementarity_choice found = complementarity_forces(&s->c, scope);
  *mode = found.mode;
  if (s->c.untold > untold) return CONTACT_SYSTEM_NO_TREND;
  return found.solutions > 0 ? 0 : CONTACT_SYSTEM_NO_MODE;
}

/* whether a contact touches without a speed, nor one along it where it sticks */
static bool rests(const kkt *here, size_t normal) {
  const mechanism *const m = here->m;
  if (!mechanism_is_normal(m, normal) || !(fabs(here->a[normal]) <= touching)) return false;
  for (size_t k = 0; k < m->constraints; k++) {
    const bool is_held = k == normal || isinf(m->constraint[k].friction);
    if (m->constraint[k].normal == normal && is_held && !(fabs(here->speed[k]) <= touching))
      return false;
  }
  return true;
}

int contact_system_start(contact_system *s, const double x[], contact_mode *mode) {
  const mechanism *const m = s->m;
  kkt *const here = s->c.here;
  contact_mode scope = 0;
  double size = 1;
  *mode = 0;
  kkt_at(here, x, x + m->coordinates);
  for (size_t j = 0; j < m->coordinates; j++) size = fmax(size, fabs(x[j]));
  for (size_t k = 0; k < m->constraints; k++) {
    if (mechanism_is_normal(m, k) && here->a[k] < -below * size) return CONTACT_SYSTEM_BELOW;
    if (rests(here, k)) scope |= CONTACT(k);
  }
  const contact_mode tangents = tangents_of(m, scope);
  for (size_t k = 0; k < m->constraints; k++)
    if ((tangents & CONTACT(k)) && fabs(here->speed[k]) <= touching) scope |= CONTACT(k);
  const int wrong = stays(s, scope, mode);
  s->leaving = scope & ~*mode;
  return wrong;
}

/* The state moved onto the contacts of a mode, by what integration has strayed from them, in the
 * metric of the inertia; those that let go are set ahead of their guards, and on their way, by a
 * hair, since nothing else says yet that they leave. */
static void settle(kkt *here, contact_mode mode, contact_mode let_go, double q[]) {
  const mechanism *const m = here->m;
  const contact_mode on = normals_of(m, mode);
  double v[MECHANISM_COORDINATES_MAX];
  memcpy(v, here->v, m->coordinates * sizeof *v);
  for (int pass = 0; pass < 2; pass++) {
    const kkt_inverse *const f = kkt_in(here, on);
    if (!f) return;
    for (size_t j = f->coordinates; j < f->order; j++) {
      const size_t k = f->of[j];
      if (!mechanism_is_normal(m, k)) continue;
      const double ahead = let_go & CONTACT(k) ? hair : 0;
      for (size_t i = 0; i < f->coordinates; i++) {
        q[f->of[i]] += f->entry[i * f->order + j] * (ahead - here->a[k]);
        if (ahead > 0) v[f->of[i]] += f->entry[i * f->order + j] * (ahead - here->speed[k]);
      }
    }
    kkt_at(here, q, v);
  }
}

/* Massless limbs that an impact lets go rotate out of the way (2.6): their contacts leave at least
 * at the mechanism's speed, by the coordinates that they hold alone. */
static void lift(kkt *here, contact_mode gone, double q[]) {
  const mechanism *const m = here->m;
  const size_t n = m->coordinates;
  double v[MECHANISM_COORDINATES_MAX];
  memcpy(v, here->v, n * sizeof *v);
  for (size_t k = 0; m->limb && k < m->constraints; k++) {
    double square = 0;
    for (size_t j = 0; j < n; j++)
      if (m->limb[j] == k) square += here->A[k * n + j] * here->A[k * n + j];
    if (!(gone & CONTACT(k)) || square == 0) continue;
    const double faster = fmax(0, fmax(hair, m->lift) - here->speed[k]);
    for (size_t j = 0; j < n; j++) {
      if (m->limb[j] != k) continue;
      q[j] += here->A[k * n + j] * (hair - here->a[k]) / square;
      v[j] += here->A[k * n + j] * faster / square;
    }
  }
  kkt_at(here, q, v);
}

bool contact_system_completes(const contact_system *s, const contact_transition *made) {
  for (size_t k = 0; k < s->m->constraints; k++)
    if ((made->landed & CONTACT(k)) && !(made->speed[k] < s->completes_below)) return false;
  return true;
}

/* PIV, or the union of the modes that impacts accumulate in; and the impact it makes */
static int land(contact_system *s, contact_mode scope, contact_transition *out) {
  kkt *const here = s->c.here;
  const complementarity_choice found = contact_system_completes(s, out) && kkt_in(here, scope)
                                           ? (complementarity_choice){scope, 1}
                                           : complementarity_pseudo(&s->c, scope, s->delta_t);
  out->solutions = found.solutions;
  out->held = found.mode;
  if (found.solutions == 0 && !complementarity_is_impulses(&s->c, scope, found.mode))
    return CONTACT_SYSTEM_NO_MODE;
  double v[MECHANISM_COORDINATES_MAX];
  if (!kkt_impact(here, found.mode, v, &out->impulse)) return CONTACT_SYSTEM_SINGULAR;
  kkt_at(here, out->q, v);
  return 0;
}

int contact_system_transition(contact_system *s, const double x[], contact_mode before,
                              contact_mode landed, contact_transition *out) {
  const size_t n = s->m->coordinates;
  kkt *const here = s->c.here;
  *out = (contact_transition){.before = before, .landed = landed, .held = before, .solutions = 1};
  memcpy(out->q, x, n * sizeof *x);
  kkt_at(here, x, x + n);
  for (size_t k = 0; k < s->m->constraints; k++) out->speed[k] = -here->speed[k];
  settle(here, before | landed, 0, out->q);
  double v[MECHANISM_COORDINATES_MAX];
  int wrong = 0;
  if (landed)
    wrong = land(s, before | landed | tangents_of(s->m, landed), out);
  else if (kkt_impact(here, before, v, NULL))
    kkt_at(here, out->q, v);
  else
    wrong = CONTACT_SYSTEM_SINGULAR;
  if (wrong) return wrong;
  lift(here, (before | landed) & ~out->held, out->q);
  wrong = stays(s, out->held, &out->after);
  settle(here, out->held, out->held & ~out->after, out->q);
  memcpy(out->v, here->v, n * sizeof *out->v);
  return wrong;
}
