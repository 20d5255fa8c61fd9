/*
 * The ripple that steps at the edge of stability leave in a stiff field, where tangents are
 * followed. In the state it is below the tolerance, but the field multiplies it by its spectral
 * radius, and a crossing takes the field over into directions. So steps before a crossing are held
 * to less: nearly as long, they leave less of it (docs/theory/method.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "armed.h"
#include "callbacks.h"
#include "difference.h"
#include "dopri5.h"
#include "driver_state.h"
#include "stabilised.h"
#include "tangent_control.h"
#include "tangent_state.h"
#include "variation.h"

/* directions may err by so many tolerances by one of the state */
static const double ALLOWED = 30.0;

/* a crossing is near that comes within this time, times the radius: ripples need as long to decay
 */
static const double NEAR = 40.0;

/* radius times length from which a step may leave ripples */
static const double STIFF_FROM = 0.25;

/* the radius is found anew after so many tries, after a crossing, and where stages show so many
 * times what they have shown then */
enum { TRIES = 25 };
static const double GROWN = 4.0;

/* a step is held to no less than so many roundings of the state */
static const double ROUNDINGS = 64.0;

/* a state has no ripple whose part in that is less than this part of the largest */
static const double STILL = 0.01;

/* radius times length of the first step after stabilised ones */
static const double FIRST = 2.0;

/* the largest component in units of the states, at least 1 */
static double size_of(const ess_driver *d, const double v[]) {
  double most = 1.0;
  for (size_t i = 0; i < d->system.dimension; i++)
    most = ess_larger(most, fabs(v[i]) / ess_tangent_unit(d, i));
  return most;
}

/* root of the sum of squares in these units */
static double length_of(const ess_driver *d, const double v[]) {
  double sum = 0.0;
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double part = v[i] / ess_tangent_unit(d, i);
    sum += part * part;
  }
  return sqrt(sum);
}

/* ---- what a crossing makes of an error of the state ------------------------------------------ */

/* the largest part of a state in the ripple, whose direction is in `at` */
static double largest_part(const ess_driver *d) {
  double most = 0.0;
  for (size_t i = 0; i < d->system.dimension; i++)
    most = ess_larger(most, fabs(d->tangents->at[i]) / ess_tangent_unit(d, i));
  return most;
}

/* whether state i has its part in it: others may be as large as they like, as a clock */
static bool ripples(const ess_driver *d, size_t i, double largest) {
  return fabs(d->tangents->at[i]) >= STILL * largest * ess_tangent_unit(d, i);
}

/* size of the states that ripple */
static double size_of_ripples(const ess_driver *d) {
  const double largest = largest_part(d);
  double most = 1.0;
  for (size_t i = 0; i < d->system.dimension; i++)
    if (ripples(d, i, largest)) most = ess_larger(most, fabs(d->x[i]) / ess_tangent_unit(d, i));
  return most;
}

/* whether directions gain so much of a crossing that this is as much as any error in it */
static bool is_fast(const ess_driver *d, double radius) {
  return !(radius * size_of_ripples(d) > ALLOWED * size_of(d, d->f));
}

/* by the crossing of event function k, as directions and field are now: their error of one
 * tolerance of the state, over what is allowed; the largest so far */
static int weigh(ess_driver *d, size_t k, double radius, double *most) {
  ess_tangents *const v = d->tangents;
  const double size = size_of_ripples(d), speed = size_of(d, d->f), rate = fabs(d->rate[k]);
  int status = ESS_SUCCESS;
  // of an adjoint the worst of all directions
  if (v->tape && radius * size > ALLOWED * speed * *most) *most = radius * size / (ALLOWED * speed);
  for (size_t j = 0; !status && j < v->count; j++) {
    const double *const column = v->v + j * d->system.dimension;
    status = ess_some_guard_rates(d, d->t, d->x, column, &k, 1, v->h, v->rate);
    const double along = fabs(v->rate[0]);
    const double largest = ess_larger(rate * size_of(d, column), along * speed);
    const double error = radius * along * size / (ALLOWED * largest);
    if (error > *most) *most = error;
  }
  return status;
}

/* the same of all crossings that are near; 1 where they allow one tolerance */
static int weigh_near(ess_driver *d, double radius, double *most) {
  int status = ESS_SUCCESS;
  *most = 1.0;
  if (is_fast(d, radius)) return ESS_SUCCESS;
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    if (!ess_is_armed(d, k) || ess_is_silent(d, k)) continue;
    // a ripple may turn the rate of one that is approached
    const bool near = -d->side[k] * d->h[k] * radius <= NEAR * fabs(d->rate[k]);
    if (near) status = weigh(d, k, radius, most);
  }
  return status;
}

/* no less than rounding lets a step be held to */
static double limit(const ess_driver *d, double severity) {
  const double largest = largest_part(d);
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double x = fabs(d->x[i]), rounding = ROUNDINGS * DBL_EPSILON * x;
    if (ripples(d, i, largest) && rounding * severity > d->atol[i] + d->rtol[i] * x)
      severity = (d->atol[i] + d->rtol[i] * x) / rounding;
  }
  return ess_larger(1.0, severity);
}

/* ---- the spectral radius --------------------------------------------------------------------- */

/* as the last two stages of the step just tried show it; the ripple's direction with it */
static double show_radius(ess_driver *d) {
  const double *const f = d->stage[ESS_STAGES - 1], *const f_before = d->stage[ESS_STAGES - 2];
  for (size_t i = 0; i < d->system.dimension; i++) d->tangents->at[i] = f[i] - f_before[i];
  (void)ess_dopri5_stage(d, ESS_STAGES - 2, d->x_try);
  return ess_stabilised_radius(d, f, f_before, d->x_end, d->x_try);
}

/* to = the Jacobian at the step's end, times from; how many times as long that is */
static int multiply(ess_driver *d, const double from[], double to[], double *gain) {
  const double *const f = d->stage[ESS_STAGES - 1];
  const int status = ess_tangent_rates(d, d->t + d->dt, d->x_end, f, from, NULL, 1, to);
  const double before = length_of(d, from);
  *gain = before > 0.0 ? length_of(d, to) / before : 0.0;
  return status;
}

/* by two iterations from what stages have shown: that alone tells nothing of positions and rates,
 * which are measured in units that have nothing to do with each other */
static int find_radius(ess_driver *d, double shown) {
  ess_tangents *const v = d->tangents;
  double gain[2] = {0.0, 0.0};
  int status = multiply(d, v->at, v->mapped, &gain[0]);
  if (!status) status = multiply(d, v->mapped, v->at, &gain[1]);
  v->radius = sqrt(gain[0] * gain[1]);
  v->shown = shown;
  v->radius_tries = 0;
  v->radius_crossings = d->counters.crossings;
  return status;
}

static bool knows_radius(const ess_driver *d, double shown) {
  const ess_tangents *const v = d->tangents;
  return v->radius_crossings == d->counters.crossings && v->radius_tries < TRIES &&
         shown <= GROWN * v->shown;
}

/* ---- steps of dopri5, and stabilised ones ---------------------------------------------------- */

int ess_tangent_severity(ess_driver *d, double error, double *severity) {
  ess_tangents *const v = d->tangents;
  *severity = 1.0;
  v->radius_tries++;
  // one that is rejected anyhow shows nothing
  if (d->stabilised.is_on || !d->armed_count || !(error <= 1.0)) return ESS_SUCCESS;
  const double shown = show_radius(d), was = v->severity;
  v->severity = 1.0;
  int status = ESS_SUCCESS;
  if (!(shown * d->dt > STIFF_FROM || was > 1.0)) return ESS_SUCCESS;
  if (!knows_radius(d, shown)) {
    double most;
    status = weigh_near(d, shown, &most);
    // most often that is enough
    if (status || !(error * most > 1.0)) return status;
    status = find_radius(d, shown);
  }
  if (status || !(v->radius * d->dt > STIFF_FROM || was > 1.0)) return status;
  status = weigh_near(d, v->radius, severity);
  v->severity = *severity = limit(d, *severity);
  return status;
}

/* as stabilised steps have found them */
static double take_radius(ess_driver *d) {
  const ess_stabilised *const s = &d->stabilised;
  memcpy(d->tangents->at, s->direction, d->system.dimension * sizeof *s->direction);
  return s->radius;
}

/* steps are dopri5's from the node on, for so long at most */
static void leave_stabilised(ess_driver *d, double time) {
  ess_stabilised *const s = &d->stabilised;
  s->is_on = false;
  s->off_until = d->t + time;
  d->dt_next = ess_smaller(FIRST / s->radius, d->dt_next);
  d->log_error_old = ESS_LOG_ERROR_FLOOR; // that was the other's
}

int ess_tangent_leave(ess_driver *d) {
  const double radius = take_radius(d);
  double most = 1.0;
  const int status = d->armed_count ? weigh_near(d, radius, &most) : ESS_SUCCESS;
  if (!status && most > 1.0) leave_stabilised(d, 2.0 * NEAR / radius);
  return status;
}

int ess_tangent_approach(ess_driver *d, double time, bool *again) {
  const double radius = take_radius(d);
  double most = 1.0;
  int status = ESS_SUCCESS;
  *again = false;
  if (is_fast(d, radius)) return ESS_SUCCESS;
  for (size_t i = 0; !status && i < d->flagged_count; i++)
    if (!ess_is_silent(d, d->flagged[i])) status = weigh(d, d->flagged[i], radius, &most);
  if (status || !(most > 1.0)) return status;
  *again = true;
  d->counters.rejected++;
  if (time * radius > NEAR)
    d->dt_next = time - 0.75 * NEAR / radius;
  else
    leave_stabilised(d, time + NEAR / radius);
  return ESS_SUCCESS;
}
