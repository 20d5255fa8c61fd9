/*
 * Flow, impact and pseudo-impulse in a mode: three right sides for one inverse.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "kkt.h"

/* Y - C q' - N in a mode */
static void effort(const kkt *s, contact_mode mode, double f[]) {
  const mechanism *const m = s->m;
  const size_t n = m->coordinates;
  double term[MECHANISM_COORDINATES_MAX];
  memset(f, 0, n * sizeof *f);
  if (m->applied) m->applied(s->q, s->v, mode, f, m->params);
  if (m->coriolis) {
    m->coriolis(s->q, s->v, term, m->params);
    for (size_t j = 0; j < n; j++) f[j] -= term[j];
  }
  if (m->potential) {
    m->potential(s->q, term, m->params);
    for (size_t j = 0; j < n; j++) f[j] -= term[j];
  }
}

/* The right side (upper; lower), lower NULL for zeros, by coordinate and by constraint; and the
 * size that the rounding of each is a part of, where it is more than its own. */
static void right_side(const kkt_inverse *f, const double upper[], const double lower[],
                       const double lower_size[], double b[], double b_size[]) {
  for (size_t i = 0; i < f->order; i++) {
    const bool motion = i < f->coordinates;
    b[i] = motion ? upper[f->of[i]] : lower ? lower[f->of[i]] : 0;
    b_size[i] = fabs(b[i]);
    if (!motion && lower) b_size[i] += lower_size[f->of[i]];
  }
}

static double row_product(const kkt_inverse *f, size_t i, const double b[]) {
  double sum = 0;
  for (size_t j = 0; j < f->order; j++) sum += f->entry[i * f->order + j] * b[j];
  return sum;
}

static void motion_of(const kkt_inverse *f, const double b[], double motion[]) {
  for (size_t i = 0; i < f->coordinates; i++) motion[f->of[i]] = row_product(f, i, b);
}

/*
 * Multipliers and their sizes. An entry of the inverse that is zero but for rounding makes a
 * multiplier that is, so that its size is at least a rounding of the largest product there is.
 */
static void multipliers_of(const kkt_inverse *f, const double b[], const double b_size[],
                           kkt_multipliers *out) {
  static const double rounding = 1e-3; /* as a part of what is taken for zero */
  double entry_max = 0, b_max = 0;
  memset(out, 0, sizeof *out);
  for (size_t i = f->coordinates; i < f->order; i++)
    for (size_t j = 0; j < f->order; j++)
      entry_max = fmax(entry_max, fabs(f->entry[i * f->order + j]));
  for (size_t j = 0; j < f->order; j++) b_max = fmax(b_max, b_size[j]);
  for (size_t i = f->coordinates; i < f->order; i++) {
    double size = rounding * entry_max * b_max;
    for (size_t j = 0; j < f->order; j++) size += fabs(f->entry[i * f->order + j]) * b_size[j];
    out->value[f->of[i]] = row_product(f, i, b);
    out->size[f->of[i]] = size;
  }
}

static double settled(const kkt *s, size_t k) {
  const double rate = s->settling, speed = s->speed[k];
  return mechanism_is_normal(s->m, k) ? rate * (2 * speed + rate * s->a[k]) : rate * speed;
}

/* ---- friction of what rubs ------------------------------------------------------------------- */

/* The row of the normal that it is tangent to; the order where that is not active. */
static size_t pressed_row(const kkt *s, const kkt_inverse *f) {
  const size_t k = mechanism_rubbing(s->m);
  size_t i = f->coordinates;
  while (k != SIZE_MAX && i < f->order && f->of[i] != s->m->constraint[k].normal) i++;
  return k == SIZE_MAX ? f->order : i;
}

/* its row, as a force along it is a right side */
static void along_tangent(const kkt *s, const kkt_inverse *f, double along[]) {
  const double *const row = s->A + mechanism_rubbing(s->m) * s->m->coordinates;
  for (size_t i = 0; i < f->order; i++) along[i] = i < f->coordinates ? row[f->of[i]] : 0;
}

static double speed_along(const kkt_inverse *f, const double along[], const double b[]) {
  double sum = 0;
  for (size_t i = 0; i < f->coordinates; i++) sum += along[i] * row_product(f, i, b);
  return sum;
}

/* The friction on what slips this way, with what it does to the force on the normal, which sets it:
 * lambda = lambda_0 + (A+ A_t') mu slip lambda. false: it jams. */
static bool friction_of(const kkt *s, const kkt_inverse *f, double slip, const double along[],
                        const double b[], double *friction) {
  const size_t row = pressed_row(s, f);
  const double mu = s->m->constraint[mechanism_rubbing(s->m)].friction * slip;
  const double left = 1 - mu * row_product(f, row, along);
  *friction = left > 0 ? mu * row_product(f, row, b) / left : 0;
  return left > 0;
}

static bool add_friction(const kkt *s, const kkt_inverse *f, double b[]) {
  if (s->slip == 0 || pressed_row(s, f) == f->order) return true;
  double along[KKT_ORDER_MAX], friction;
  along_tangent(s, f, along);
  if (!friction_of(s, f, s->slip, along, b, &friction)) return false;
  for (size_t i = 0; i < f->order; i++) b[i] += friction * along[i];
  return true;
}

/* the impulse of friction: of the way that it slips after it, or what lets it stick */
static void add_friction_impulse(const kkt *s, const kkt_inverse *f, double b[]) {
  if (pressed_row(s, f) == f->order) return;
  double along[KKT_ORDER_MAX], impulse = 0;
  along_tangent(s, f, along);
  const double speed = speed_along(f, along, b), gained = speed_along(f, along, along);
  bool slips = false;
  for (int slip = -1; !slips && slip <= 1; slip += 2)
    slips = friction_of(s, f, slip, along, b, &impulse) && slip * (speed + impulse * gained) > 0;
  if (!slips) impulse = gained > 0 ? -speed / gained : 0;
  for (size_t i = 0; i < f->order; i++) b[i] += impulse * along[i];
}

/* ---- three right sides ----------------------------------------------------------------------- */

bool kkt_flow(kkt *s, contact_mode mode, double acceleration[], kkt_multipliers *force) {
  const kkt_inverse *const f = kkt_in(s, mode);
  if (!f) return false;
  double upper[MECHANISM_COORDINATES_MAX], lower[MECHANISM_CONSTRAINTS_MAX], b[KKT_ORDER_MAX],
      b_size[KKT_ORDER_MAX];
  effort(s, mode, upper);
  for (size_t k = 0; k < s->m->constraints; k++) lower[k] = -s->bend[k] - settled(s, k);
  right_side(f, upper, lower, s->bend_size, b, b_size);
  if (force) multipliers_of(f, b, b_size, force);
  if (!acceleration) return true;
  if (!add_friction(s, f, b)) return false;
  memset(acceleration, 0, s->m->coordinates * sizeof *acceleration);
  if (s->m->free_limbs) s->m->free_limbs(s->q, s->v, acceleration, s->m->params);
  for (size_t j = 0; j < s->m->coordinates; j++)
    if (!s->m->limb || s->m->limb[j] == MECHANISM_BODY) acceleration[j] = 0;
  motion_of(f, b, acceleration);
  return true;
}

bool kkt_impact(kkt *s, contact_mode mode, double velocity[], kkt_multipliers *impulse) {
  const kkt_inverse *const f = kkt_in(s, mode);
  if (!f) return false;
  double b[KKT_ORDER_MAX], b_size[KKT_ORDER_MAX];
  right_side(f, s->momentum, NULL, NULL, b, b_size);
  if (impulse) multipliers_of(f, b, b_size, impulse);
  if (!velocity) return true;
  add_friction_impulse(s, f, b);
  memcpy(velocity, s->v, s->m->coordinates * sizeof *velocity);
  motion_of(f, b, velocity);
  return true;
}

bool kkt_pseudo_impulse(kkt *s, contact_mode mode, kkt_multipliers *impulse) {
  const kkt_inverse *const f = kkt_in(s, mode);
  if (!f) return false;
  double upper[MECHANISM_COORDINATES_MAX], b[KKT_ORDER_MAX], b_size[KKT_ORDER_MAX];
  effort(s, mode, upper);
  right_side(f, upper, NULL, NULL, b, b_size);
  multipliers_of(f, b, b_size, impulse);
  return true;
}

double kkt_cone(const kkt *s, size_t k, const double multiplier[]) {
  const mechanism_constraint *const c = &s->m->constraint[k];
  if (c->normal == k) return -multiplier[k];
  if (isinf(c->friction)) return INFINITY;
  return -c->friction * multiplier[c->normal] - fabs(multiplier[k]);
}
