/*
 * The ruler: a scalar along a step. Its values, and its rates where they are known, become the
 * Bernstein coefficients of a quartic on [0, 1]. Values at other places give the quartic's doubt,
 * the distance by which it may be off. Its first rise through zero and its first turn are the
 * places where the scalar itself is searched.
 *
 * Users: event functions (enclosure.c, locate.c), grazes (impact_limits.c), places in steps through
 * crossings (through.c), and the weights of slides (slide_exit.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ALONG_H
#define ESS_ALONG_H

#include "arithmetic.h"

enum { ESS_QUARTIC = 5 }; /* coefficients of one */

/* ---- quartics ----------------------------------------------------------------------------- */

/* Value and slope at theta. */
double ess_quartic(const double b[ESS_QUARTIC], double theta, double *slope);

/* Coefficients of its slope, a cubic, as those of a quartic. */
void ess_quartic_slope(const double b[ESS_QUARTIC], double slope[ESS_QUARTIC]);

/* Largest coefficient less the smallest: a bound of how far the quartic ranges. */
double ess_quartic_range(const double b[ESS_QUARTIC]);

/* Changes of sign among the coefficients: no fewer than there are roots in (0, 1). */
int ess_sign_changes(const double b[ESS_QUARTIC]);

/* The quartic's parts from 0 to theta, and from there to 1. */
void ess_quartic_split(const double b[ESS_QUARTIC], double theta, double until[ESS_QUARTIC],
                       double after[ESS_QUARTIC]);

/* Where the quartic first goes from negative to non-negative in (0, 1], or ESS_NEVER. */
#define ESS_NEVER 2.0
double ess_quartic_upcrossing(const double b[ESS_QUARTIC]);

/* Where a quartic that falls turns for the first time, were its slope larger by `more` between its
 * ends; ESS_NEVER where it falls to the end. */
double ess_quartic_turn(const double b[ESS_QUARTIC], double more);

/* Which of four rise through zero once, and do not go below it again, were they higher by this
 * between their ends. */
typedef struct ess_models {
  ess_lanes b[ESS_QUARTIC];
} ess_models;

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

/* ---- models ------------------------------------------------------------------------------- */

/* One text for one scalar and for four: `number` is double or ess_lanes. The quartic with these
 * values and rates at both ends and this value in the middle, over four times `quarter`; and the
 * middle of the cubic that has those at both ends. */
#define ESS_DEFINE_MODEL(quartic, middle_of_cubic, number)                                         \
  static inline void quartic(number first, number rate, number middle, number last,                \
                             number rate_last, number quarter, number b[ESS_QUARTIC]) {            \
    b[0] = first;                                                                                  \
    b[1] = first + quarter * rate;                                                                 \
    b[3] = last - quarter * rate_last;                                                             \
    b[4] = last;                                                                                   \
    const number mean = 0.5 * (first + last); /* the coefficient itself, of a constant */          \
    b[2] = mean + 8.0 / 3.0 * (middle - mean) - 2.0 / 3.0 * quarter * (rate - rate_last);          \
  }                                                                                                \
  static inline number middle_of_cubic(number first, number rate, number last, number rate_last,   \
                                       number quarter) {                                           \
    return 0.5 * (first + last) + 0.5 * quarter * (rate - rate_last);                              \
  }
ESS_DEFINE_MODEL(ess_quartic_of_one, ess_middle_of_cubic, double)
ESS_DEFINE_MODEL(ess_quartic_of_four, ess_middle_of_cubics, ess_lanes)
#undef ESS_DEFINE_MODEL

/* The quartic with these values at every quarter of the step. */
void ess_quartic_of_quarters(const double y[ESS_QUARTIC], double b[ESS_QUARTIC]);

/* ---- doubt -------------------------------------------------------------------------------- */

/* A quartic is compared with its scalar at two places per step, near those of its largest error.
 * A low-discrepancy sequence spreads them: no two steps have the same places, and those of a few
 * are even. */
typedef struct ess_compared {
  double at[2];
  double weight[2][ESS_QUARTIC]; /* of a quartic's Bernstein coefficients, at these places */
} ess_compared;

/* Half-width of the spread around the largest errors. */
static const double COMPARED_ASIDE = 0.03;

/* The places of the try with this number, near those of the largest errors. */
static inline void ess_compare_at(ess_compared *c, const double largest[2], uint64_t number) {
  // powers of the root of x^3 = x + 1, which make the sequence even
  static const double fraction[2] = {0.7548776662466927, 0.5698402909980532};
  for (int i = 0; i < 2; i++) {
    const double multiple = fraction[i] * (double)number;
    const double theta = largest[i] + COMPARED_ASIDE * (2.0 * (multiple - floor(multiple)) - 1.0);
    const double rest = 1.0 - theta, square = theta * theta, left = rest * rest;
    c->at[i] = theta;
    c->weight[i][0] = left * left;
    c->weight[i][1] = 4.0 * left * rest * theta;
    c->weight[i][2] = 6.0 * left * square;
    c->weight[i][3] = 4.0 * rest * square * theta;
    c->weight[i][4] = square * square;
  }
}

/* Error bound of a quartic over the error found at these places. The error is a fifth derivative
 * times a polynomial of degree 5, within 12 % of its largest there; the rest is a margin. */
static const double ESS_DOUBT = 4.0;

/* Relative range of a scalar below which its turning is not judged; and relative step of Newton's
 * method on a quartic that is the last: the next would be its square. */
static const double ESS_STILL = 1e-9;

/* ---- the search --------------------------------------------------------------------------- */

/* Accuracy of a root's place, relative; and the most values that a search takes. */
static const double ESS_PLACED = 1e-14;
enum { ESS_PROBES = 80 };

/* The search for the root of a scalar between `below`, where it is negative, and `above`, where it
 * is not. */
typedef struct ess_search {
  double below, above;
  double theta;             /* the place to be looked at next */
  double last, value;       /* that before it, and the scalar there */
  double step, step_before; /* the last two steps */
} ess_search;

/* From theta on, within (below, above); `value` is the scalar's at `below`. */
static inline ess_search ess_search_from(double theta, double below, double above, double value) {
  return (ess_search){.below = below,
                      .above = above,
                      .theta = theta,
                      .last = below,
                      .value = value,
                      .step = above - below,
                      .step_before = above - below};
}

/* The scalar at theta has this value, and this slope or, where that is not a number, the slope of
 * the secant: narrows the bracket, and chooses the next place. */
void ess_search_on(ess_search *s, double value, double slope);

/* Neither slope nor secant led to the next place: it is the middle. */
static inline bool ess_search_is_halved(const ess_search *s) {
  return s->theta == 0.5 * (s->below + s->above);
}

static inline bool ess_search_is_over(const ess_search *s) {
  return s->above - s->below <= 2.0 * ESS_PLACED * s->above;
}

#endif
