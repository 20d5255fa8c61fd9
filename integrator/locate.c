/*
 * Which candidate first reaches its level within a step, and where.
 *
 * Along the dense output, a quartic, the event function is modelled by the quartic that has its
 * values and rates at both ends and its value at mid-step; for an event function affine in the
 * state the model is exact. Its Bernstein coefficients bound it: when all lie below the level the
 * guard cannot stop the step, whatever it does between the ends, and no touch-and-leave goes
 * unseen. The few guards that are left are located on the event functions themselves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ess_internal.h"

enum { QUARTIC = 5, SUBDIVISIONS = 40, PROBES = 80 };

/* no upward crossing in [0, 1] */
static const double NEVER = 2.0;

/* where a search for the level stands: the probe, what it found, and the bracket around it */
typedef struct probe {
  double theta, below, above;
  size_t guard;  /* the guard furthest above its level, relative to its tolerance */
  double excess; /* its g - level */
  bool close;    /* excess within its tolerance */
} probe;

/* Bernstein coefficients of guard k's model over the step, relative to its level */
static void model_guard(const ess_driver *d, size_t k, double b[QUARTIC]) {
  const double side = -d->sign[k], quarter = 0.25 * d->dt;
  const double g0 = side * d->h[k], g1 = side * d->h_end[k], middle = side * d->h_mid[k];
  b[0] = g0;
  b[1] = g0 + quarter * side * d->rate[k];
  b[3] = g1 - quarter * side * d->rate_end[k];
  b[4] = g1;
  b[2] = (16.0 * middle - g0 - g1 - 4.0 * (b[1] + b[3])) / 6.0;
  for (int i = 0; i < QUARTIC; i++) b[i] -= d->level[k];
}

/* value and slope of a Bernstein quartic, by its monomial form */
static double quartic(const double b[QUARTIC], double theta, double *slope) {
  const double a1 = 4.0 * (b[1] - b[0]), a2 = 6.0 * (b[2] - 2.0 * b[1] + b[0]);
  const double a3 = 4.0 * (b[3] - 3.0 * (b[2] - b[1]) - b[0]);
  const double a4 = b[4] - 4.0 * (b[3] + b[1]) + 6.0 * b[2] + b[0];
  *slope = a1 + theta * (2.0 * a2 + theta * (3.0 * a3 + theta * 4.0 * a4));
  return b[0] + theta * (a1 + theta * (a2 + theta * (a3 + theta * a4)));
}

/* the one root of a quartic that is negative at 0 and not at 1: Newton kept within its bracket */
static double single_root(const double b[QUARTIC]) {
  double below = 0.0, above = 1.0, theta = b[0] / (b[0] - b[4]);
  for (int i = 0; i < PROBES && above - below > DBL_EPSILON * above; i++) {
    double slope;
    const double value = quartic(b, theta, &slope);
    if (value < 0.0)
      below = theta;
    else
      above = theta;
    const double newton = theta - value / slope;
    const bool kept = newton > below && newton < above;
    if (kept && fabs(newton - theta) <= DBL_EPSILON * theta) return newton;
    theta = kept ? newton : 0.5 * (below + above);
  }
  return above;
}

/* de Casteljau at 1/2 */
static void halve(const double b[QUARTIC], double left[QUARTIC], double right[QUARTIC]) {
  memcpy(right, b, QUARTIC * sizeof *right);
  for (int level = 0; level < QUARTIC; level++) {
    left[level] = right[0];
    for (int i = 0; i < QUARTIC - 1 - level; i++) right[i] = 0.5 * (right[i] + right[i + 1]);
  }
}

/* where the quartic first goes from negative to non-negative in (0, 1], or NEVER */
static double first_upcrossing(const double b[QUARTIC], int depth) {
  int negative = 0, changes = 0;
  for (int i = 0; i < QUARTIC; i++) {
    negative += b[i] < 0.0;
    if (i) changes += (b[i] < 0.0) != (b[i - 1] < 0.0);
  }
  if (negative == 0 || negative == QUARTIC) return NEVER;

  // the number of sign changes bounds the number of roots (Descartes)
  const bool rises = b[0] < 0.0 && b[QUARTIC - 1] >= 0.0;
  if (changes == 1) return rises ? single_root(b) : NEVER;
  if (depth == SUBDIVISIONS) return rises ? 1.0 : NEVER;
  double left[QUARTIC], right[QUARTIC];
  halve(b, left, right);
  double theta = first_upcrossing(left, depth + 1);
  if (theta <= 1.0) return 0.5 * theta;
  theta = first_upcrossing(right, depth + 1);
  return theta <= 1.0 ? 0.5 + 0.5 * theta : NEVER;
}

/* how far each candidate's model may rise above its level: one pass that vectorises. Not a number
 * when the event function or its rate is not finite. */
static void bound_guards(const ess_driver *d, double *restrict margin) {
  const size_t m = d->system.guard_count;
  const double quarter = 0.25 * d->dt;
  const double *restrict const sign = d->sign, *restrict const level = d->level;
  const double *restrict const h0 = d->h, *restrict const h1 = d->h_end;
  const double *restrict const rate0 = d->rate, *restrict const rate1 = d->rate_end;
  const double *restrict const middle = d->h_mid;
  for (size_t k = 0; k < m; k++) {
    const double b1 = h0[k] + quarter * rate0[k], b3 = h1[k] - quarter * rate1[k];
    const double b2 = (16.0 * middle[k] - h0[k] - h1[k] - 4.0 * (b1 + b3)) / 6.0;
    const double g1 = -sign[k] * b1, g2 = -sign[k] * b2, g3 = -sign[k] * b3, g4 = -sign[k] * h1[k];
    const double left = g1 > g2 ? g1 : g2, right = g3 > g4 ? g3 : g4;
    margin[k] = (left > right ? left : right) - level[k] + 0.0 * b2;
  }
}

/* exchanges the first flagged guard and the last */
static void move_to_front(ess_driver *d) {
  const size_t last = d->flagged_count - 1, guard = d->flagged[last];
  const double theta = d->flagged_theta[last];
  d->flagged[last] = d->flagged[0];
  d->flagged_theta[last] = d->flagged_theta[0];
  d->flagged[0] = guard;
  d->flagged_theta[0] = theta;
}

/* lists the candidates that may reach their level within the step */
static int flag_guards(ess_driver *d) {
  double *const margin = d->h_try;
  bound_guards(d, margin);
  d->flagged_count = 0;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    if (margin[k] < 0.0) continue;
    if (isnan(margin[k])) return ess_fail(d, ESS_EGUARD, k);
    // a guard that starts above its level has to go below first: it counts from its own place on
    double b[QUARTIC];
    model_guard(d, k, b);
    d->flagged_theta[d->flagged_count] = b[0] < 0.0 ? 0.0 : first_upcrossing(b, 0);
    d->flagged[d->flagged_count++] = k;
    // the guard that the field at the node reaches first goes to the front: most often it is the
    // first indeed, and the others are then dismissed at one evaluation each
    if (k == d->first_reached) move_to_front(d);
  }
  return ESS_SUCCESS;
}

/* first crossing of a model, when it comes before `best`; else NEVER, most often at the price of
 * one evaluation */
static double crossing_before(const double b[QUARTIC], double best) {
  double slope;
  int changes = 0;
  for (int i = 1; i < QUARTIC; i++) changes += (b[i] < 0.0) != (b[i - 1] < 0.0);
  if (best <= 1.0 && changes == 1 && quartic(b, best, &slope) < 0.0) return NEVER;
  const double theta = first_upcrossing(b, 0);
  return theta < best ? theta : NEVER;
}

/* the flagged guard whose model crosses first, and where; SIZE_MAX when none does */
static size_t first_flagged(const ess_driver *d, double *theta) {
  size_t first = SIZE_MAX;
  *theta = NEVER;
  for (size_t i = 0; i < d->flagged_count; i++) {
    if (d->flagged_theta[i] > 1.0) continue;
    double b[QUARTIC];
    model_guard(d, d->flagged[i], b);
    const double crossing = crossing_before(b, *theta);
    if (crossing > 1.0) continue;
    *theta = crossing;
    first = i;
  }
  return first;
}

/* g at a probe may miss its level by this much: a billionth of the neighbourhood, or rounding */
static double tolerance(const ess_driver *d, size_t k) {
  return 1e-9 * d->epsilon[k] + 8.0 * DBL_EPSILON * (fabs(d->h[k]) + fabs(d->h_end[k]));
}

/* evaluates the flagged guards at p->theta and narrows the bracket */
static int look(ess_driver *d, probe *p) {
  ess_dopri5_dense(d, p->theta, d->x_try);
  const int status = ess_guards(d, d->x_try, d->h_try);
  if (status) return status;
  p->excess = -INFINITY;
  double furthest = -INFINITY;
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (p->theta < d->flagged_theta[i]) continue;
    const double excess = -d->sign[k] * d->h_try[k] - d->level[k], unit = tolerance(d, k);
    if (!isfinite(excess)) return ess_fail(d, ESS_EGUARD, k);
    if (excess / unit <= furthest) continue;
    furthest = excess / unit;
    p->excess = excess;
    p->guard = k;
  }
  p->close = fabs(furthest) <= 1.0;
  if (p->excess < 0.0)
    p->below = p->theta;
  else
    p->above = p->theta;
  return ESS_SUCCESS;
}

/* the next place to look: Newton with the model's slope, or the middle of the bracket */
static double next_probe(const ess_driver *d, const probe *p) {
  if (p->excess > -INFINITY) {
    double b[QUARTIC], slope;
    model_guard(d, p->guard, b);
    quartic(b, p->theta, &slope);
    const double newton = p->theta - p->excess / slope;
    if (newton > p->below && newton < p->above) return newton;
  }
  return 0.5 * (p->below + p->above);
}

/* searches from the model's crossing p->theta for the real one; *found = false for a false alarm */
static int refine(ess_driver *d, probe *p, bool *found) {
  bool reached = false;
  *found = false;
  for (int i = 0; i < PROBES; i++) {
    const int status = look(d, p);
    if (status) return status;
    reached = reached || p->excess >= 0.0;
    if (p->close) {
      *found = true;
      return ESS_SUCCESS;
    }
    if (p->above - p->below <= 2.0 * DBL_EPSILON * p->above) break;
    p->theta = next_probe(d, p);
  }
  // the bracket is as narrow as it gets: its upper end has the crossing behind it
  if (!reached) return ESS_SUCCESS;
  *found = true;
  p->theta = p->above;
  return look(d, p);
}

/* the flagged guards at or above their level at the probe are inside their neighbourhoods now */
static void enter_neighbourhoods(ess_driver *d) {
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (-d->sign[k] * d->h_try[k] - d->level[k] >= -tolerance(d, k)) d->level[k] = 0.0;
  }
}

int ess_locate_first(ess_driver *d, double *theta, bool *cut) {
  *theta = 1.0;
  *cut = false;
  int status = flag_guards(d);
  while (!status) {
    // the guard whose model crosses first shows where to look for the first real crossing of any
    probe p = {.below = 0.0, .above = 1.0};
    const size_t first = first_flagged(d, &p.theta);
    if (first == SIZE_MAX) return ESS_SUCCESS;
    bool found;
    status = refine(d, &p, &found);
    if (status) break;
    if (found) {
      enter_neighbourhoods(d);
      *theta = p.theta;
      *cut = true;
      return ESS_SUCCESS;
    }
    d->flagged_theta[first] = NEVER;
  }
  return status;
}
