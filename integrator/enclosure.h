/*
 * What an event function may be between the ends of the step just tried: a quartic, by Bernstein
 * coefficients on [0, 1], and by how much that may be off. Location, steps through crossings, and
 * what is touched and left again all go by this one enclosure.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ENCLOSURE_H
#define ESS_ENCLOSURE_H

#include <float.h>

#include "driver_state.h"
#include "lanes.h"

/* ---- quartics ----------------------------------------------------------------------------- */

/* Value and slope at theta. */
double ess_quartic(const double b[ESS_QUARTIC], double theta, double *slope);

/* Where the quartic first goes from negative to non-negative in (0, 1], or ESS_NEVER. */
#define ESS_NEVER 2.0
double ess_quartic_upcrossing(const double b[ESS_QUARTIC]);

/* Changes of sign among the coefficients: no fewer than there are roots in (0, 1). */
int ess_sign_changes(const double b[ESS_QUARTIC]);

/* The quartic's parts from 0 to theta, and from there to 1. */
void ess_quartic_split(const double b[ESS_QUARTIC], double theta, double until[ESS_QUARTIC],
                       double after[ESS_QUARTIC]);

/* ---- models ------------------------------------------------------------------------------- */

/* One text for one event function and for four: `number` is double or ess_lanes.
 *
 * The quartic with these values and rates at both ends and this value in the middle, over four
 * times `quarter`; and what is not told from its level: a billionth of the neighbourhood, or
 * rounding in values that add up to `size`. */
#define ESS_DEFINE_MODEL(quartic, tolerance, number)                                               \
  static inline void quartic(number first, number rate, number middle, number last,                \
                             number rate_last, number quarter, number b[ESS_QUARTIC]) {            \
    b[0] = first;                                                                                  \
    b[1] = first + quarter * rate;                                                                 \
    b[3] = last - quarter * rate_last;                                                             \
    b[4] = last;                                                                                   \
    const number mean = 0.5 * (first + last); /* the coefficient itself, of a constant */          \
    b[2] = mean + 8.0 / 3.0 * (middle - mean) - 2.0 / 3.0 * quarter * (rate - rate_last);          \
  }                                                                                                \
  static inline number tolerance(number scale, number size) {                                      \
    return 1e-9 * scale + 8.0 * DBL_EPSILON * size;                                                \
  }
ESS_DEFINE_MODEL(ess_quartic_of_one, ess_tolerance_of_one, double)
ESS_DEFINE_MODEL(ess_quartic_of_four, ess_tolerance_of_four, ess_lanes)
#undef ESS_DEFINE_MODEL

/* Event function k seen from a side, over the step just tried: where its value in the middle is not
 * `known` it is taken to be a cubic. The same of a guard from theta on; and of event function k's
 * armed guard relative to its level. */
void ess_model_event(const ess_driver *d, size_t k, double side, bool known, double b[ESS_QUARTIC]);
void ess_model_after(const ess_driver *d, size_t guard, double theta, bool known,
                     double b[ESS_QUARTIC]);
void ess_model_guard(const ess_driver *d, size_t k, double b[ESS_QUARTIC]);

/* What event functions h[k], and the three after it, are at the step's ends and middle, from the
 * sides of their armed guards and relative to their levels: their models. */
typedef struct ess_models {
  ess_lanes b[ESS_QUARTIC];
} ess_models;

static inline ess_models ess_seen_from_guards(const ess_driver *d, size_t k,
                                              const ess_lanes b[ESS_QUARTIC]) {
  const ess_lanes side = ess_lanes_load(d->side + k), level = ess_lanes_load(d->level + k);
  ess_models m;
  for (int i = 0; i < ESS_QUARTIC; i++) m.b[i] = side * b[i] - level;
  return m;
}

static inline ess_models ess_model_guards(const ess_driver *d, size_t k) {
  ess_lanes b[ESS_QUARTIC];
  ess_quartic_of_four(ess_lanes_load(d->h + k), ess_lanes_load(d->rate + k),
                      ess_lanes_load(d->h_mid + k), ess_lanes_load(d->h_end + k),
                      ess_lanes_load(d->rate_end + k), ess_lanes_all(0.25 * d->dt), b);
  return ess_seen_from_guards(d, k, b);
}

/* Which of four rise through zero once, and do not go below it again, were they higher by this
 * between their ends. */
static inline ess_mask ess_rise_once(const ess_models *m, ess_lanes more) {
  const ess_lanes zero = {0.0};
  ess_mask falls = {0}, was_below = m->b[0] < zero;
  for (int i = 1; i < ESS_QUARTIC; i++) {
    const ess_mask is_below = (i < ESS_QUARTIC - 1 ? m->b[i] + more : m->b[i]) < zero;
    falls |= is_below & ~was_below;
    was_below = is_below;
  }
  return (m->b[0] < zero) & (m->b[ESS_QUARTIC - 1] >= zero) & ~falls;
}

/* Guard k is at its level where it misses that by this. */
double ess_level_tolerance(const ess_driver *d, size_t k);

/* Which of four guards, those of these event functions that lie beyond their zeros by `side`, are
 * not reached in the rest of the step where they are armed at theta, whatever their models are off
 * by; and whether one is not. */
ess_mask ess_stay_below(const ess_driver *d, const size_t which[ESS_LANES], ess_lanes side,
                        ess_lanes theta);
bool ess_stays_below(const ess_driver *d, size_t guard, double theta);

/* Whether event function k's model is off by no more than rounding where it was checked. */
bool ess_model_is_exact(const ess_driver *d, size_t k);

/* ---- the guards that a step reaches ------------------------------------------------------- */

/* The places of this step where models are held against event functions. */
void ess_choose_looks(ess_driver *d);

/* Lists in d->flagged the guards that reach their level within the step, by their model. Returns a
 * guard of which the step is too long to tell, or SIZE_MAX. */
size_t ess_flag_guards(ess_driver *d);

/* Forgets the guards that are listed. */
void ess_clear_flags(ess_driver *d);

/* Takes the guards off the list whose models do not cross before theta. */
void ess_keep_rivals(ess_driver *d, double theta);

#endif
