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

#include "ess_internal.h"

enum { QUARTIC = ESS_QUARTIC, PROBES = 80, NEWTON_PROBES = 8 };

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

/* the model's error is that of interpolation, theta^2 (theta - 1/2) (1 - theta)^2 times a fifth
 * derivative: at the first quarter it is within 2 % of its largest. Four times that is allowed for.
 */
static const double DOUBT = 4.0;

/* a model that crosses its level is believed when it is off by less than this part of its range */
static const double TRUSTED = 0.03;

/* how far each candidate's model may rise above its level, beyond what is rounding or a billionth
 * of the neighbourhood, and by how much the model may be off: one pass that vectorises. Not a
 * number when the event function or its rate is not finite. */
static void bound_guards(const ess_driver *d, double *restrict margin, double *restrict doubt) {
  const size_t m = d->system.guard_count;
  const double quarter = 0.25 * d->dt;
  const double *restrict const sign = d->sign, *restrict const level = d->level;
  const double *restrict const h0 = d->h, *restrict const h1 = d->h_end;
  const double *restrict const rate0 = d->rate, *restrict const rate1 = d->rate_end;
  const double *restrict const middle = d->h_mid, *restrict const check = d->h_check;
  const double *restrict const epsilon = d->epsilon;
  for (size_t k = 0; k < m; k++) {
    const double b1 = h0[k] + quarter * rate0[k], b3 = h1[k] - quarter * rate1[k];
    const double b2 = (16.0 * middle[k] - h0[k] - h1[k] - 4.0 * (b1 + b3)) / 6.0;
    const double g1 = -sign[k] * b1, g2 = -sign[k] * b2, g3 = -sign[k] * b3, g4 = -sign[k] * h1[k];
    const double left = g1 > g2 ? g1 : g2, right = g3 > g4 ? g3 : g4;
    const double slight = 1e-9 * epsilon[k] + 8.0 * DBL_EPSILON * (fabs(h0[k]) + fabs(h1[k]));
    margin[k] = (left > right ? left : right) - level[k] - slight + 0.0 * b2;
    // the model at the first quarter, from its Bernstein coefficients
    const double model = (81.0 * h0[k] + 108.0 * b1 + 54.0 * b2 + 12.0 * b3 + h1[k]) / 256.0;
    const double rounding = 16.0 * DBL_EPSILON * (fabs(h0[k]) + fabs(b2) + fabs(h1[k]));
    const double error = DOUBT * (fabs(check[k] - model) - rounding - slight);
    doubt[k] = error < 0.0 ? 0.0 : error;
  }
}

/* the guard that the field at the node reaches first goes to the front: most often it is the first
 * indeed, and the others are then dismissed at one evaluation each */
static void prefer_first_reached(ess_driver *d) {
  size_t i = 0;
  while (i < d->flagged_count && d->flagged[i] != d->first_reached) i++;
  if (i >= d->flagged_count) return;
  const double theta = d->flagged_theta[i];
  d->flagged[i] = d->flagged[0];
  d->flagged_theta[i] = d->flagged_theta[0];
  d->flagged[0] = d->first_reached;
  d->flagged_theta[0] = theta;
}

/* where a model that starts above its level counts from: its lowest point before it rises to the
 * level again, to one part in sixteen; ESS_NEVER when it does not */
static double counts_from(const double b[QUARTIC]) {
  enum { PLACES = 16 };
  const double crossing = ess_quartic_upcrossing(b);
  if (crossing > 1.0) return ESS_NEVER;
  double place = 0.0, lowest = INFINITY, slope;
  for (int i = 1; i < PLACES; i++) {
    const double theta = crossing * i / PLACES, value = ess_quartic(b, theta, &slope);
    if (value >= lowest) continue;
    lowest = value;
    place = theta;
  }
  return place;
}

/* whether guard k's model is good enough to say where it crosses: off by a fraction of its range */
static bool model_is_trusted(const ess_driver *d, size_t k, double doubt) {
  double b[QUARTIC];
  model_guard(d, k, b);
  double low = b[0], high = b[0];
  for (int i = 1; i < QUARTIC; i++) {
    low = fmin(low, b[i]);
    high = fmax(high, b[i]);
  }
  return doubt <= TRUSTED * (high - low);
}

/* whether any guard may reach its level, or is not a number */
static bool any_flagged(const double margin[], const double doubt[], size_t count) {
  int64_t flagged = 0;
  for (size_t k = 0; k < count; k++) flagged |= !(margin[k] + doubt[k] < 0.0);
  return flagged;
}

/* lists the candidates that may reach their level within the step */
static void flag_guards(ess_driver *d, ess_location *found) {
  double *const margin = d->h_try, *const doubt = d->flagged_theta;
  bound_guards(d, margin, doubt);
  d->flagged_count = 0;
  if (!any_flagged(margin, doubt, d->system.guard_count)) return;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    if (margin[k] + doubt[k] < 0.0) continue;
    // neither below its level for sure nor crossing it for sure, or not a number
    if (!(margin[k] >= 0.0 && model_is_trusted(d, k, doubt[k]))) {
      found->doubt = true;
      found->doubt_guard = k;
      return;
    }
    d->flagged[d->flagged_count++] = k;
  }
  // a guard that starts above its level has to go below first: it counts from its own place on
  for (size_t i = 0; i < d->flagged_count; i++) {
    double b[QUARTIC];
    model_guard(d, d->flagged[i], b);
    d->flagged_theta[i] = b[0] < 0.0 ? 0.0 : counts_from(b);
  }
  prefer_first_reached(d);
}

/* first crossing of a model, when it comes before `best`; else ESS_NEVER, most often at the price
 * of one evaluation */
static double crossing_before(const double b[QUARTIC], double best) {
  double slope;
  int changes = 0;
  for (int i = 1; i < QUARTIC; i++) changes += (b[i] < 0.0) != (b[i - 1] < 0.0);
  if (best <= 1.0 && changes == 1 && ess_quartic(b, best, &slope) < 0.0) return ESS_NEVER;
  const double theta = ess_quartic_upcrossing(b);
  return theta < best ? theta : ESS_NEVER;
}

/* the flagged guard whose model crosses first, and where; SIZE_MAX when none does */
static size_t first_flagged(const ess_driver *d, double *theta) {
  size_t first = SIZE_MAX;
  *theta = ESS_NEVER;
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

/* the next place to look: Newton with the model's slope, or the middle of the bracket when that
 * does not get there */
static double next_probe(const ess_driver *d, const probe *p, int probes) {
  if (p->excess > -INFINITY && probes < NEWTON_PROBES) {
    double b[QUARTIC], slope;
    model_guard(d, p->guard, b);
    ess_quartic(b, p->theta, &slope);
    const double newton = p->theta - p->excess / slope;
    if (newton > p->below && newton < p->above) return newton;
  }
  return 0.5 * (p->below + p->above);
}

/* searches from the model's crossing p->theta for the real one; *found = false for a false alarm */
static int refine(ess_driver *d, probe *p, bool *found) {
  *found = false;
  for (int i = 0; i < PROBES; i++) {
    const int status = look(d, p);
    if (status) return status;
    if (p->close) {
      *found = true;
      return ESS_SUCCESS;
    }
    if (p->above - p->below <= 2.0 * DBL_EPSILON * p->above) break;
    p->theta = next_probe(d, p, i);
  }
  // the bracket is as narrow as it gets: what lies at its upper end decides
  p->theta = p->above;
  const int status = look(d, p);
  *found = p->excess >= 0.0;
  return status;
}

/* whether guard k, below its level at the node, lies above it at the probe */
static bool lies_above(const ess_driver *d, size_t k) {
  const double side = -d->sign[k];
  const bool above = side * d->h_try[k] - d->level[k] > tolerance(d, k);
  return above && side * d->h[k] < d->level[k];
}

/* whether more guards lie above their levels at the probe than were flagged: the model of one said
 * that it would not */
static bool overlooked(const ess_driver *d) {
  size_t above = 0, flagged = 0;
  for (size_t k = 0; k < d->system.guard_count; k++) above += lies_above(d, k);
  for (size_t i = 0; i < d->flagged_count; i++) flagged += lies_above(d, d->flagged[i]);
  return above > flagged;
}

/* the guards at their level at the probe are inside their neighbourhoods from now on */
static void enter_neighbourhoods(ess_driver *d) {
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    const double g = -d->sign[k] * d->h_try[k], unit = tolerance(d, k);
    if (g - d->level[k] < -unit) continue;
    d->entry[k] = fmin(d->entry[k], g - 4.0 * unit);
    d->level[k] = 0.0;
  }
}

int ess_locate_first(ess_driver *d, ess_location *found) {
  *found = (ess_location){.theta = 1.0, .doubt_guard = SIZE_MAX};
  flag_guards(d, found);
  while (!found->doubt) {
    // the guard whose model crosses first shows where to look for the first real crossing of any
    probe p = {.below = 0.0, .above = 1.0};
    const size_t first = first_flagged(d, &p.theta);
    if (first == SIZE_MAX) return ESS_SUCCESS;
    const int status = refine(d, &p, &found->cut);
    if (status) return status;
    if (found->cut) {
      found->theta = p.theta;
      found->doubt = overlooked(d);
      found->doubt_guard = p.guard;
      if (!found->doubt) enter_neighbourhoods(d);
      return ESS_SUCCESS;
    }
    d->flagged_theta[first] = ESS_NEVER;
  }
  return ESS_SUCCESS;
}
