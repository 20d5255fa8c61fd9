/*
 * Enumeration of modes for FA, IV and PIV.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "complementarity.h"

#include "trend.h"

complementarity complementarity_alloc(const mechanism *m) {
  complementarity c = {.here = kkt_alloc(m), .elsewhere = kkt_alloc(m)};
  if (!c.here || !c.elsewhere) complementarity_free(&c);
  return c;
}

void complementarity_free(complementarity *c) {
  kkt_free(c->here);
  kkt_free(c->elsewhere);
  *c = (complementarity){0};
}

/* Whether U_k is not negative in a mode that holds k; false where the mode has no inverse. */
typedef bool keeps_fn(complementarity *c, contact_mode mode, size_t k, double delta_t);

static bool keeps_force(complementarity *c, contact_mode mode, size_t k, double delta_t) {
  (void)delta_t;
  if (!kkt_in(c->here, mode)) return false;
  const int trend = trend_of(c->here, c->elsewhere, mode, k);
  c->untold += trend == TREND_UNKNOWN;
  return trend >= 0;
}

static bool not_negative(const kkt *s, size_t k, const kkt_multipliers *of) {
  return kkt_cone(s, k, of->value) >= -trend_rounding(s, k, of);
}

static bool keeps_impulse(complementarity *c, contact_mode mode, size_t k, double delta_t) {
  (void)delta_t;
  kkt_multipliers impulse;
  return kkt_impact(c->here, mode, NULL, &impulse) && not_negative(c->here, k, &impulse);
}

static bool keeps_pseudo(complementarity *c, contact_mode mode, size_t k, double delta_t) {
  kkt_multipliers sum, pseudo;
  if (!kkt_impact(c->here, mode, NULL, &sum)) return false;
  if (not_negative(c->here, k, &sum)) return true;
  if (!kkt_pseudo_impulse(c->here, mode, &pseudo)) return false;
  for (size_t i = 0; i < c->here->m->constraints; i++) {
    sum.value[i] += delta_t * pseudo.value[i];
    sum.size[i] += delta_t * pseudo.size[i];
  }
  return not_negative(c->here, k, &sum);
}

/* The constraints of the contact that k is of: the normal, and the tangents that have a cone. */
static contact_mode contact_of(const mechanism *m, size_t k) {
  contact_mode contact = 0;
  for (size_t i = 0; i < m->constraints; i++)
    if (m->constraint[i].normal == m->constraint[k].normal) contact |= CONTACT(i);
  return contact & mechanism_choices(m);
}

/* K of (37): J with k. K of (49) and (58): J with all of k's contact in the scope, since what an
 * impact lets go of a contact with friction is its normal and its tangents together (2.8). With the
 * normal alone a massless foot would take no impulse, and never leave. */
static contact_mode asked_in(const complementarity *c, contact_mode scope, contact_mode mode,
                             size_t k, keeps_fn *keeps) {
  const contact_mode with = keeps == keeps_force ? CONTACT(k) : contact_of(c->here->m, k);
  return mode | (with & scope);
}

/* The predicate (31). A tangent asks nothing where its normal is not in the mode: there is no mode
 * that holds it then (71). */
static bool solves(complementarity *c, contact_mode scope, contact_mode mode, keeps_fn *keeps,
                   double delta_t) {
  const mechanism *const m = c->here->m;
  if ((mode & ~scope) || !mechanism_is_mode(m, mode) || !kkt_in(c->here, mode)) return false;
  for (size_t k = 0; k < m->constraints; k++) {
    if (!(scope & CONTACT(k))) continue;
    if (!mechanism_is_normal(m, k) && !(mode & CONTACT(m->constraint[k].normal))) continue;
    const contact_mode in = asked_in(c, scope, mode, k, keeps);
    if (keeps(c, in, k, delta_t) != ((mode & CONTACT(k)) != 0)) return false;
  }
  return true;
}

/* fewer contacts, or as many and lower indices */
static bool comes_before(contact_mode a, contact_mode b) {
  const size_t in_a = mechanism_count(a), in_b = mechanism_count(b);
  if (in_a != in_b) return in_a < in_b;
  const contact_mode differ = a ^ b, lowest = differ & (~differ + 1);
  return (a & lowest) != 0;
}

/* over all subsets of the scope that hold `least` */
static complementarity_choice choose(complementarity *c, contact_mode scope, contact_mode least,
                                     keeps_fn *keeps, double delta_t) {
  complementarity_choice found = {0};
  const contact_mode free = scope & ~least;
  for (contact_mode part = free;; part = (part - 1) & free) {
    const contact_mode mode = least | part;
    if (solves(c, scope, mode, keeps, delta_t)) {
      if (found.solutions == 0 || comes_before(mode, found.mode)) found.mode = mode;
      found.solutions++;
    }
    if (part == 0) return found;
  }
}

complementarity_choice complementarity_forces(complementarity *c, contact_mode scope) {
  return choose(c, scope, 0, keeps_force, 0);
}

complementarity_choice complementarity_impulses(complementarity *c, contact_mode scope) {
  return choose(c, scope, 0, keeps_impulse, 0);
}

complementarity_choice complementarity_pseudo(complementarity *c, contact_mode scope,
                                              double delta_t) {
  const complementarity_choice plain = complementarity_impulses(c, scope);
  if (!(delta_t > 0) || plain.solutions == 0) return plain;
  complementarity_choice found = choose(c, scope, plain.mode, keeps_pseudo, delta_t);
  if (found.solutions == 0) found.mode = plain.mode;
  return found;
}

bool complementarity_is_impulses(complementarity *c, contact_mode scope, contact_mode mode) {
  return solves(c, scope, mode, keeps_impulse, 0);
}

bool complementarity_is_pseudo(complementarity *c, contact_mode scope, contact_mode mode,
                               double delta_t) {
  const contact_mode least = complementarity_impulses(c, scope).mode;
  return (least & ~mode) == 0 && solves(c, scope, mode, keeps_pseudo, delta_t);
}
