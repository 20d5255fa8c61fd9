/*
 * States that start on the guard of an impact, or rest there within rounding: balls that touch. No
 * field says on which side of it they are, and rounding must not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "dopri5.h"
#include "events.h"
#include "impacts.h"
#include "suspect.h"

/* whether event function k has a guard whose crossing is an impact */
static bool has_impact(const ess_driver *d, size_t k) {
  const bool *const at = d->impacts->at;
  return at[ESS_GUARD_UP(k)] || (at[ESS_GUARD_DOWN(k)] && !d->system.one_way);
}

/* nobody asks what rounding makes of an event function that is larger than this, by states */
static const double SMALL = 1e-4;

static bool is_small(const ess_driver *d, size_t k) {
  double size = 1.0;
  for (size_t i = 0; i < d->system.dimension; i++) size = ess_larger(size, fabs(d->x[i]));
  return fabs(d->h[k]) <= SMALL * size;
}

/* whether event function k does not change, and is not told from zero: it gets a grain then */
static int find_grain(ess_driver *d, size_t k, bool *rests) {
  double rounding;
  *rests = false;
  if (d->rate[k] != 0.0 || !is_small(d, k)) return ESS_SUCCESS;
  *rests = d->h[k] == 0.0;
  if (*rests) return ESS_SUCCESS;
  const int status = ess_rounding_error(d, k, &rounding);
  *rests = fabs(d->h[k]) <= rounding;
  if (status || !*rests) return status;
  d->grain[k] = rounding;
  d->is_coarse = true;
  return ESS_SUCCESS;
}

int ess_find_resting(ess_driver *d) {
  int status = ESS_SUCCESS;
  if (!d->impacts || d->impacts->calls.start) return status; // who starts it says the mode
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    bool *const rests = &d->impacts->rests[k];
    *rests = false;
    if (has_impact(d, k)) status = find_grain(d, k, rests);
  }
  return status;
}

bool ess_rests_on_impact(const ess_driver *d, size_t k) {
  return d->impacts && d->impacts->rests[k];
}

bool ess_impact_returns(ess_driver *d, double t, size_t k, const double x[], double side,
                        const double **after) {
  ess_impact_work *const w = d->impacts;
  const size_t m = d->system.guard_count;
  const size_t guard = side < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
  if (!w->at[guard] || (side > 0.0 && d->system.one_way)) return false;
  memcpy(w->x, x, d->lanes * sizeof *w->x);
  memcpy(w->after, w->x, d->lanes * sizeof *w->after);
  memcpy(w->sign, d->sign, m * sizeof *w->sign);
  w->sign[k] = side;
  memcpy(w->mode, w->sign, m * sizeof *w->mode);
  w->mode[k] = -side;
  for (size_t i = 0; i < m; i++) {
    w->armed[ESS_GUARD_UP(i)] = w->mode[i] < 0.0;
    w->armed[ESS_GUARD_DOWN(i)] = w->mode[i] > 0.0 && !d->system.one_way;
  }
  w->events[0] = k;
  ess_impact impact = {.t = t,
                       .count = 1,
                       .events = w->events,
                       .x = w->x,
                       .sign = w->sign,
                       .after = w->after,
                       .mode = w->mode,
                       .armed = w->armed};
  d->t_seen = t;
  *after = w->after;
  return !w->calls.map(&impact, d->system.params) && w->mode[k] == side && w->armed[guard];
}

/* the same now; the state after it is w->after */
static bool returns_to(ess_driver *d, size_t k, const double x[], double side) {
  const double *after;
  return ess_impact_returns(d, d->t, k, x, side, &after);
}

int ess_impact_side(ess_driver *d, size_t k) {
  const bool *const at = d->impacts->at;
  bool below = at[ESS_GUARD_UP(k)], above = at[ESS_GUARD_DOWN(k)] && !d->system.one_way;
  if (below && above) {
    below = returns_to(d, k, d->x, -1.0);
    above = returns_to(d, k, d->x, 1.0);
  }
  if (below == above) return ess_fail(d, ESS_EGRAZING, k);
  d->sign[k] = below ? -1.0 : 1.0;
  return ESS_SUCCESS;
}

/* whether the state that the map has just returned is still on event function k's guard */
static int stays(ess_driver *d, size_t k, bool *on) {
  double allowed;
  int status = ess_allowed_error(d, k, &allowed);
  if (!status) status = ess_guards(d, d->t, d->impacts->after, d->h_try);
  *on = fabs(d->h_try[k]) <= allowed;
  return status;
}

/* whether the state, on event function k's zero, is led through an impact of it from this side */
static int look_ahead(ess_driver *d, size_t k, double side, bool *ahead) {
  const bool *const at = d->impacts->at;
  const bool up = at[ESS_GUARD_UP(k)], down = at[ESS_GUARD_DOWN(k)] && !d->system.one_way;
  *ahead = side < 0.0 ? up : down;
  if (!up || !down) return ESS_SUCCESS;
  // From a wall with two sides the state may just have come back, unless it is at rest. What has
  // been sent back comes to the wall as from its other side; the state itself goes away from there.
  *ahead = returns_to(d, k, d->x, side);
  if (!*ahead || d->rate[k] == 0.0) return ESS_SUCCESS;
  bool on;
  const int status = stays(d, k, &on);
  *ahead = !on || !returns_to(d, k, d->impacts->after, -side);
  return status;
}

int ess_put_before_impact(ess_driver *d, size_t k) {
  const ess_impact_work *const w = d->impacts;
  if (!w || w->calls.start || d->system.resets) return ESS_SUCCESS; // who starts it says the mode
  bool ahead;
  const int status = look_ahead(d, k, -d->sign[k], &ahead);
  if (status || !ahead) return status;
  if (d->rate[k] == 0.0) return ess_fail(d, ESS_EGRAZING, k);
  d->sign[k] = -d->sign[k];
  return ESS_SUCCESS;
}

/* whether event function k is beyond its zero by no more than the tolerance and moves on: a state
 * at which a run has ended on an event, and whose last digits have passed it */
static int has_just_passed(ess_driver *d, size_t k, bool *passed) {
  double allowed;
  *passed = has_impact(d, k) && d->h[k] * d->rate[k] > 0.0 && is_small(d, k);
  if (!*passed) return ESS_SUCCESS;
  const int status = ess_allowed_error(d, k, &allowed);
  *passed = fabs(d->h[k]) <= allowed;
  return status;
}

int ess_put_before_passed(ess_driver *d) {
  const ess_impact_work *const w = d->impacts;
  bool any = false;
  if (!w || w->calls.start || d->system.resets) return ESS_SUCCESS; // who starts it says the mode
  for (size_t k = 0; k < d->system.guard_count; k++) {
    bool ahead;
    int status = has_just_passed(d, k, &ahead);
    if (!status && ahead) status = look_ahead(d, k, -d->sign[k], &ahead);
    if (status) return status;
    // what the map does not send back has made it, and is where it belongs
    if (!ahead || !returns_to(d, k, d->x, -d->sign[k])) continue;
    d->sign[k] = -d->sign[k];
    any = true;
  }
  if (!any) return ESS_SUCCESS;
  const int status = ess_announce(d, d->system.guard_count);
  return status ? status : ess_evaluate_node(d);
}

int ess_let_rest(ess_driver *d) {
  int status = ESS_SUCCESS;
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    bool rests;
    if (ess_is_impact(d, k) && d->side[k] * d->h[k] > 0.0) status = find_grain(d, k, &rests);
  }
  return status;
}

/* parts of a step in which a rate is to have become more than rounding */
static const double SHORTLY[] = {1e-3, 1e-1};

/* the part of the rate at which the state came that is rounding, by derivatives and by differences;
 * and how many times what is left of that rate is */
static const double EXACT = 1e-12, DIFFERENCED = 1e-8, LEFT = 16.0;

/* how much faster event function k comes to its guard when the state is there, a little later,
 * than what may be rounding; negative: it goes away */
static double pushed(const ess_driver *d, size_t k) {
  const ess_impact_work *const w = d->impacts;
  const bool is_exact = d->system.guard_jacobian || d->system.guard_rates;
  const double rate = d->side[k] * d->rate_end[k];
  const double doubt = (is_exact ? EXACT : DIFFERENCED) * w->stopped[k] + LEFT * w->left[k];
  return fabs(rate) > doubt ? rate : 0.0;
}

/* whether the state has been stopped here on event function k's guard, which is an impact's */
static bool is_stopped(const ess_driver *d, size_t k) {
  const ess_impact_work *const w = d->impacts;
  return d->t == w->t_stopped && w->stopped[k] > 0.0 && d->rate[k] == 0.0 && ess_is_impact(d, k);
}

/* *pushes where one of those is pushed through its guard, as rates so much later tell; *sure where
 * they tell of each */
static int look_shortly(ess_driver *d, double later, bool *pushes, bool *sure) {
  const double t = ess_smaller(d->t + later, d->t_end);
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x[i] + later * d->f[i];
  int status = ess_field(d, t, d->x_try, d->stage[1]);
  if (!status) status = ess_guard_rates(d, t, d->x_try, d->stage[1], d->h_try, d->rate_end);
  *pushes = false;
  *sure = true;
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    if (!is_stopped(d, k)) continue;
    *pushes = *pushes || pushed(d, k) > 0.0;
    *sure = *sure && pushed(d, k) != 0.0;
  }
  return status;
}

int ess_end_stopped(ess_driver *d) {
  bool any = false, pushes = false, sure = false;
  double step;
  for (size_t k = 0; k < d->system.guard_count; k++) any = any || is_stopped(d, k);
  int status = any ? ess_dopri5_first_step(d, d->t + 1.0, &step) : ESS_SUCCESS;
  for (size_t i = 0; any && !status && !sure && !pushes && i < 2; i++)
    status = look_shortly(d, SHORTLY[i] * step, &pushes, &sure);
  return !status && pushes ? ess_end_zeno(d, d->t) : status;
}
