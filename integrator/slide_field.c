/*
 * The field on surfaces, and the way back onto them. Where what crossings add to the field adds up,
 * as friction does, one call for each surface beside the one for all of them at -1 tells it. Where
 * not, as in products of signs, it is the mean of the fields of all corners, each with the product
 * of its surfaces' weights, for three surfaces at most.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "impacts.h"
#include "slides.h"
#include "tangents.h"

/* ---- what the guard of an impact pushes by --------------------------------------------------- */

/* What the guard of an impact pushes a state by that rests on it: the force of infinitely many
 * impacts acts as each of them does. */

/* growth of the speed towards the guard at which the map is evaluated, and number of attempts */
static const double SPEED_UP = 8.0;
enum { SPEED_UPS = 16 };

/* smallest change of speed by a map that pushes, over the speed of arrival; less is rounding */
static const double SENT_BACK = 0.1;

/* how much of a push there is in a change of the state beside */
static double share_of_push(const ess_driver *d, const double push[], const double change[]) {
  const double *const beside = d->slides->beside;
  double along = 0.0, whole = 0.0;
  for (size_t l = 0; l < ess_caller_states(d); l++) {
    if (push[l] == 0.0) continue;
    const double unit = d->atol[l] + d->rtol[l] * fabs(beside[l]), its = push[l] / unit;
    along += its * (change[l] / unit);
    whole += its * its;
  }
  return fabs(along) / whole;
}

/* what the map does to a state so much on the way to the guard, into `change`; false where it does
 * not send that back */
static bool change_by_map(ess_driver *d, double t, const double x[], size_t k, double times,
                          double change[], int *code) {
  ess_slides *const s = d->slides;
  const double *const push = s->push + k * d->lanes;
  for (size_t l = 0; l < d->lanes; l++) s->beside[l] = x[l] - times * push[l];
  const double *const after = ess_impact_returns(d, t, k, s->beside, d->sign[k], code);
  for (size_t l = 0; after && l < d->lanes; l++) change[l] = after[l] - s->beside[l];
  return after;
}

/* At lambda = 1, at time t and state x: what the map does by the speed of a state that comes to it.
 * It may put the state onto the guard besides, at any speed: that is no push. */
static int push_back(ess_driver *d, double t, const double x[], size_t k, double jump[]) {
  ess_slides *const s = d->slides;
  const double *const push = s->push + k * d->lanes;
  double *const slower = s->f_beside, times = 1.0;
  bool returns = false, changes = false;
  int code = 0;
  for (int i = 0; !code && !changes && i < SPEED_UPS; i++, times *= SPEED_UP) {
    returns = change_by_map(d, t, x, k, times, slower, &code) &&
              change_by_map(d, t, x, k, 2.0 * times, jump, &code);
    if (!returns) continue;
    for (size_t l = 0; l < d->lanes; l++) jump[l] -= slower[l];
    changes = share_of_push(d, push, jump) >= SENT_BACK * times;
    for (size_t l = 0; l < d->lanes; l++) jump[l] *= s->scale[k] / times;
  }
  if (code) return ess_callback_failed(d, code);
  return changes ? ESS_SUCCESS
                 : ess_slide_fail(d, k, SIZE_MAX,
                                  "an impact's map does not say what pushes the state back");
}

/* ---- the field ------------------------------------------------------------------------------- */

/* an event function is seen so that its surface pushes the state below it: what rests on an
 * impact's guard is pushed back to the side that it came from */
static double way_of(const ess_driver *d, size_t k) {
  return d->slides->rests[k] ? -d->sign[k] : 1.0;
}

/* relative accuracy to which additive jumps add up */
static const double ADDS_UP = 1e-9;

/* Newton's method for the weights: steps, and change at convergence */
enum { NEWTON = 40 };
static const double NEWTON_CONVERGED = 1e-13;

/* increment of a difference of differences, relative to the state */
static const double NOISY_PART = 1e-2;

/* distance below which two solutions are one */
static const double SOLUTIONS_APART = 1e-6;

/* an impact's is what it was: nothing acts beyond it */
static int set_sign(ess_driver *d, size_t k, double sign) {
  return d->slides->rests[k] ? ESS_SUCCESS : ess_take_sign(d, k, sign);
}

/* the rates of event functions, along the field, at a state beside x */
static int rates_beside(ess_driver *d, double t, const double x[], const double v[], double step,
                        bool passes, const size_t set[], size_t count) {
  ess_slides *const s = d->slides;
  const double at = t + (passes ? step : 0.0);
  for (size_t l = 0; l < d->lanes; l++) s->beside[l] = x[l] + step * v[l];
  const ess_sought sought = {.which = set, .count = count, .by_field = true};
  const int status = ess_field_at(d, d->sign, at, s->beside, s->f_beside);
  if (status) return status;
  return ess_sought_guard_rates(d, at, s->beside, s->f_beside, &sought, s->h, s->rate);
}

/* How fast the rates of those change along v whose rates do not jump: by differences, of a higher
 * order where rates are differences themselves, whose noise is larger. No sign of theirs says what
 * their rates are. */
static int change_of_rates(ess_driver *d, double t, const double x[], const double v[], bool passes,
                           const size_t set[], size_t count, double rate[]) {
  ess_slides *const s = d->slides;
  const bool noisy = s->is_noisy;
  const double step = ess_tangent_part(d, x, v, noisy ? NOISY_PART : cbrt(DBL_EPSILON));
  const int ways = ess_difference_ways(noisy);
  for (size_t i = 0; i < count; i++)
    if (s->second[set[i]]) rate[i] *= 0.0; // what is no number stays none
  if (step == 0.0) return ESS_SUCCESS;
  for (int way = -ways; way <= ways; way++) {
    if (way == 0) continue;
    const double weight = ess_difference_weight(noisy, way) / step;
    const int status = rates_beside(d, t, x, v, way * step, passes, set, count);
    if (status) return status;
    for (size_t i = 0; i < count; i++)
      if (s->second[set[i]]) rate[i] += weight * way_of(d, set[i]) * s->rate[set[i]];
  }
  return ESS_SUCCESS;
}

/* an event function that is no number, or whose rate is not though the field is one, is at fault */
static void note_unknown(ess_driver *d, size_t k, const double x[], const double v[]) {
  ess_slides *const s = d->slides;
  const size_t n = d->system.dimension;
  if (s->unknown != SIZE_MAX || isfinite(s->h[k] + s->rate[k]) || !ess_are_finite(x, n)) return;
  if (!isfinite(s->h[k]) || ess_are_finite(v, n)) s->unknown = k;
}

/* The rates along v of the event functions listed, or of their rates; `passes`: time does. One that
 * is no number has no rate. */
static int rates_along(ess_driver *d, double t, const double x[], const double v[], bool passes,
                       const size_t set[], size_t count, double rate[]) {
  ess_slides *const s = d->slides;
  const ess_sought sought = {.which = set, .count = count, .by_field = passes};
  bool any = false;
  const int status = ess_sought_guard_rates(d, t, x, v, &sought, s->h, s->rate);
  for (size_t i = 0; i < count; i++) {
    rate[i] = s->rate[set[i]] + 0.0 * s->h[set[i]];
    if (!isfinite(rate[i]) && !status) note_unknown(d, set[i], x, v);
    any = any || s->second[set[i]];
  }
  return status || !any ? status : change_of_rates(d, t, x, v, passes, set, count, rate);
}

int ess_slide_look_aside(ess_driver *d, const double jump[], double aside[]) {
  ess_slides *const s = d->slides;
  const double step = ess_tangent_part(d, d->x, jump, cbrt(DBL_EPSILON));
  memset(aside, 0, d->lanes * sizeof *aside);
  for (int way = -1; step > 0.0 && way <= 1; way += 2) {
    for (size_t l = 0; l < d->lanes; l++) s->beside[l] = d->x[l] + way * step * jump[l];
    const int status = ess_field_at(d, d->sign, d->t, s->beside, s->f_beside);
    if (status) return status;
    for (size_t l = 0; l < d->system.dimension; l++)
      aside[l] += way * s->f_beside[l] / (2.0 * step);
  }
  return ESS_SUCCESS;
}

/* the fields of all corners: in corner c the i-th surface is at +1 where bit i is set */
static int look_at_corners(ess_driver *d, double t, const double x[], const size_t set[],
                           size_t count) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  for (size_t c = 0; !status && c < (size_t)1 << count; c++) {
    double *const f = s->corner + c * d->lanes;
    for (size_t i = 0; !status && i < count; i++)
      status = set_sign(d, set[i], c >> i & 1 ? 1.0 : -1.0);
    if (!status) status = ess_field_at(d, d->sign, t, x, f);
    if (!status) status = rates_along(d, t, x, f, true, set, count, s->q + c * count);
  }
  for (size_t i = 0; !status && i < count; i++) status = set_sign(d, set[i], -1.0);
  return status;
}

/* calls the field on either side of these surfaces */
static int look(ess_driver *d, double t, const double x[], const size_t set[], size_t count) {
  ess_slides *const s = d->slides;
  const size_t n = d->system.dimension;
  if (!s->adds) return look_at_corners(d, t, x, set, count);
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && i < count; i++) status = set_sign(d, set[i], -1.0);
  if (!status) status = ess_field_at(d, d->sign, t, x, s->f0);
  if (!status) status = rates_along(d, t, x, s->f0, true, set, count, s->a);
  for (size_t j = 0; !status && j < count; j++) {
    double *const jump = s->jump + j * d->lanes;
    if (s->rests[set[j]]) {
      status = push_back(d, t, x, set[j], jump);
    } else {
      status = set_sign(d, set[j], 1.0);
      if (!status) status = ess_field_at(d, d->sign, t, x, jump);
      if (!status) status = set_sign(d, set[j], -1.0);
      for (size_t l = 0; l < n; l++) jump[l] -= s->f0[l];
    }
    if (!status) status = rates_along(d, t, x, jump, false, set, count, s->sum);
    for (size_t i = 0; i < count; i++) s->g[i * count + j] = s->sum[i];
  }
  return status;
}

/* whether all rates that have been looked at are numbers: by one that is infinite a surface's share
 * would be nought */
static bool is_seen(const ess_slides *s, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; s->adds && i < count; i++) sum += 0.0 * s->a[i];
  for (size_t i = 0; s->adds && i < count * count; i++) sum += 0.0 * s->g[i];
  for (size_t i = 0; !s->adds && i < count << count; i++) sum += 0.0 * s->q[i];
  return sum == 0.0;
}

int ess_slide_look_here(ess_driver *d, const size_t set[], size_t count) {
  d->slides->unknown = SIZE_MAX;
  const int status = look(d, d->t, d->x, set, count);
  return status || is_seen(d->slides, count) ? status : ess_fail_field(d);
}

int ess_slide_look_adds(ess_driver *d, double t, const double x[], const size_t set[],
                        size_t count) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  size_t others = 0; // pushes of impacts add up
  for (size_t i = 0; i < count; i++) others += !s->rests[set[i]];
  if (others < 2 || !s->adds) return ESS_SUCCESS;
  for (size_t i = 0; !status && i < count; i++) status = set_sign(d, set[i], 1.0);
  if (!status) status = ess_field_at(d, d->sign, t, x, s->corner);
  for (size_t i = 0; !status && i < count; i++) status = set_sign(d, set[i], -1.0);
  for (size_t l = 0; !status && l < d->system.dimension; l++) {
    double sum = s->f0[l], size = fabs(s->f0[l]) + fabs(s->corner[l]);
    for (size_t j = 0; j < count; j++) {
      if (s->rests[set[j]]) continue;
      sum += s->jump[j * d->lanes + l];
      size += fabs(s->jump[j * d->lanes + l]);
    }
    s->adds = s->adds && fabs(sum - s->corner[l]) <= ADDS_UP * size;
  }
  return status;
}

/* ---- means of corners ------------------------------------------------------------------------ */

/* the weight of corner c; its derivative by lambda[by], where by < count */
static double weight_of(size_t c, const double lambda[], size_t count, size_t by) {
  double product = 1.0;
  for (size_t i = 0; i < count; i++) {
    const bool is_set = c >> i & 1;
    if (i == by)
      product *= is_set ? 1.0 : -1.0;
    else
      product *= is_set ? lambda[i] : 1.0 - lambda[i];
  }
  return product;
}

/* the rate of the i-th event function by the mean, or its derivative */
static double mean_rate(const ess_slides *s, const double lambda[], size_t count, size_t i,
                        size_t by) {
  double sum = 0.0;
  for (size_t c = 0; c < (size_t)1 << count; c++)
    sum += weight_of(c, lambda, count, by) * s->q[c * count + i];
  return sum;
}

/* a and g by which rates change about lambda, so that a + g lambda is the rates */
static void linearise(ess_slides *s, const double lambda[], size_t count) {
  for (size_t i = 0; i < count; i++) {
    s->a[i] = mean_rate(s, lambda, count, i, SIZE_MAX);
    for (size_t j = 0; j < count; j++) {
      s->g[i * count + j] = mean_rate(s, lambda, count, i, j);
      s->a[i] -= s->g[i * count + j] * lambda[j];
    }
  }
}

/* makes the rates of those between their bounds nothing, from lambda on */
static bool converge(ess_slides *s, const signed char part[], size_t count, double lambda[]) {
  double *const matrix = s->box.matrix, *const step = s->box.b;
  for (int i = 0; i < NEWTON; i++) {
    double most = 0.0;
    linearise(s, lambda, count);
    for (size_t k = 0; k < count; k++) {
      step[k] = -s->a[k];
      for (size_t j = 0; j < count; j++) {
        step[k] -= s->g[k * count + j] * lambda[j];
        matrix[k * count + j] = part && (part[k] || part[j]) ? k == j : s->g[k * count + j];
      }
      if (part && part[k]) step[k] = 0.0;
    }
    if (!ess_solve_linear(count, matrix, step, s->box.queue)) return false;
    for (size_t k = 0; k < count; k++) {
      lambda[k] += step[k];
      most = ess_larger(fabs(step[k]), most);
    }
    if (!(most < 1e6)) return false;
    if (most <= NEWTON_CONVERGED) break;
  }
  linearise(s, lambda, count);
  return true;
}

/* whether lambda solves it, with those that are at their bounds there */
static bool is_solution(const ess_slides *s, const signed char part[], size_t count,
                        const double lambda[]) {
  for (size_t i = 0; i < count; i++) {
    double rate = s->a[i], unit = 0.0;
    for (size_t j = 0; j < count; j++) rate += s->g[i * count + j] * lambda[j];
    for (size_t j = 0; j < count; j++) unit += fabs(s->g[i * count + j]);
    if (part[i] && part[i] * rate < 0.0) return false;
    if (!part[i] && (lambda[i] < 0.0 || lambda[i] > 1.0 || fabs(rate) > ADDS_UP * unit))
      return false;
  }
  return true;
}

/* all solutions that the three, at most, have: those that Newton finds from 27 places */
static ess_solutions solve_corners(ess_slides *s, size_t count, size_t worst[2]) {
  signed char way[3], place[3];
  double found[3];
  size_t solutions = 0, ways = 1;
  for (size_t i = 0; i < count; i++) ways *= 3;
  for (size_t i = 0; i < ways * ways; i++) {
    ess_choose_way(count, i / ways, way);
    ess_choose_way(count, i % ways, place);
    for (size_t k = 0; k < count; k++)
      found[k] = way[k] ? way[k] > 0 : 0.5 + 0.35 * (double)place[k];
    if (!converge(s, way, count, found) || !is_solution(s, way, count, found)) continue;
    double apart = solutions ? 0.0 : INFINITY;
    for (size_t k = 0; k < count; k++) apart = ess_larger(fabs(found[k] - s->lambda[k]), apart);
    solutions += apart > SOLUTIONS_APART;
    memcpy(s->lambda, found, count * sizeof *found);
    memcpy(s->part, way, count * sizeof *way);
  }
  worst[0] = 0;
  worst[1] = count > 1 ? 1 : SIZE_MAX;
  linearise(s, s->lambda, count);
  return solutions == 1 ? ESS_ONE_SOLUTION : ESS_MANY_SOLUTIONS;
}

/* what each surface adds, as lambda weighs it */
static void mean_jumps(const ess_driver *d, size_t count) {
  const ess_slides *const s = d->slides;
  for (size_t j = 0; j < count; j++)
    for (size_t l = 0; l < d->system.dimension; l++) {
      double sum = 0.0;
      for (size_t c = 0; c < (size_t)1 << count; c++)
        sum += weight_of(c, s->lambda, count, j) * s->corner[c * d->lanes + l];
      s->jump[j * d->lanes + l] = sum;
    }
}

/* ---- both ------------------------------------------------------------------------------------ */

ess_solutions ess_slide_solve(ess_driver *d, size_t count, size_t worst[2]) {
  ess_slides *const s = d->slides;
  if (s->adds) return ess_complementarity(count, s->a, s->g, s->lambda, s->part, worst, &s->box);
  const ess_solutions found = solve_corners(s, count, worst);
  mean_jumps(d, count);
  return found;
}

int ess_slide_field(ess_driver *d, double t, const double x[], double f[]) {
  ess_slides *const s = d->slides;
  const size_t n = d->system.dimension, count = s->count;
  const int status = look(d, t, x, s->set, count);
  if (status) return status;
  const bool seen = is_seen(s, count);
  bool found = seen;
  if (found && s->adds) {
    found = ess_complementarity_inside(count, s->a, s->g, s->half, s->lambda, &s->box);
  } else if (found) {
    found = converge(s, NULL, count, s->lambda);
    if (found) mean_jumps(d, count);
  }
  for (size_t i = 0; i < count; i++) found = found && isfinite(s->lambda[i]);
  // a crossing at the node may have taken their hold: which of them are left is asked next
  if (seen && !found && s->adds && s->noted_count && x == d->x) {
    memset(s->lambda, 0, count * sizeof *s->lambda);
    found = true;
  }
  for (size_t l = 0; l < n; l++) {
    double sum = s->adds ? s->f0[l] : 0.0;
    for (size_t j = 0; s->adds && j < count; j++) sum += s->lambda[j] * s->jump[j * d->lanes + l];
    for (size_t c = 0; !s->adds && c < (size_t)1 << count; c++)
      sum += weight_of(c, s->lambda, count, SIZE_MAX) * s->corner[c * d->lanes + l];
    f[l] = found ? sum : NAN; // the step is too long, or the surfaces do not hold the state
  }
  if (found) s->unknown = SIZE_MAX;
  return ESS_SUCCESS;
}

/* ---- where a sliding state is put ------------------------------------------------------------ */

/* Where a sliding state is put: back onto its surfaces, off which rounding takes it, and the error
 * of steps along surfaces that are curved; or beside one that it leaves. */

/* rounds of moving onto the surfaces, each if it moves the state by more than ESS_LEFT_BY */
enum { RETURN_ROUNDS = 3 };

/* what the surfaces' event functions, or rates where these do not jump, have to change by, along
 * what the surfaces add to the field; false where there is no way */
static bool find_back(ess_driver *d, double back[]) {
  ess_slides *const s = d->slides;
  for (size_t i = 0; i < s->count; i++) {
    const size_t k = s->set[i];
    s->sum[i] = -way_of(d, k) * (s->second[k] ? d->rate[k] : d->h[k]);
  }
  if (!ess_complementarity_inside(s->count, s->sum, s->g, s->nothing, s->back, &s->box))
    return false;
  for (size_t j = 0; j < s->count; j++)
    for (size_t l = 0; l < d->system.dimension; l++)
      back[l] -= s->back[j] * s->jump[j * d->lanes + l];
  return true;
}

/* and those of second order themselves, along what the field changes by along that */
static int find_aside(ess_driver *d, double back[]) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  bool any = false;
  for (size_t i = 0; i < s->count; i++) {
    const bool is_second = s->second[s->set[i]];
    any = any || is_second;
    s->sum[i] = is_second ? -way_of(d, s->set[i]) * d->h[s->set[i]] : 0.0;
    for (size_t j = 0; j < s->count; j++)
      s->g_aside[i * s->count + j] = is_second && s->second[s->set[j]] ? s->g[i * s->count + j]
                                     : i == j                          ? 1.0
                                                                       : 0.0;
  }
  if (!any ||
      !ess_complementarity_inside(s->count, s->sum, s->g_aside, s->nothing, s->back, &s->box))
    return ESS_SUCCESS;
  for (size_t j = 0; !status && j < s->count; j++) {
    if (!s->second[s->set[j]]) continue;
    status = ess_slide_look_aside(d, s->jump + j * d->lanes, s->aside);
    for (size_t l = 0; l < d->system.dimension; l++) back[l] -= s->back[j] * s->aside[l];
  }
  return status;
}

int ess_slide_put_back(ess_driver *d, double most) {
  ess_slides *const s = d->slides;
  for (int round = 0; round < RETURN_ROUNDS; round++) {
    memset(d->x_try, 0, d->lanes * sizeof *d->x_try);
    if (!find_back(d, d->x_try)) return ESS_SUCCESS;
    int status = find_aside(d, d->x_try);
    if (status) return status;
    const double off = ess_scaled_norm(d, d->x_try, d->x, d->x);
    if (off <= ESS_LEFT_BY) return ESS_SUCCESS;
    if (!(off <= most))
      return ess_slide_fail(d, s->set[0], SIZE_MAX, "the state is lost off what it slides on");
    for (size_t i = 0; i < d->lanes; i++) d->x_try[i] += d->x[i];
    status = ess_check_state(d, d->x_try);
    if (status) return status;
    memcpy(d->x, d->x_try, d->lanes * sizeof *d->x);
    if (d->tangents) d->tangents->has_first = false;
    status = ess_evaluate_node(d);
    if (status) return status;
    ess_slide_begin_node(d, s->lambda);
  }
  return ESS_SUCCESS;
}

int ess_slide_step_beside(ess_driver *d, size_t i, size_t count, double to, double part) {
  ess_slides *const s = d->slides;
  const double *const jump = s->jump + i * d->lanes;
  double *const aside = s->aside;
  const size_t k = s->events[i];
  const double rate = s->g[i * count + i];
  // what has lost its hold is left by the square of time
  if (!(fabs(rate) > ADDS_UP * fabs(s->a[i]))) return ESS_SUCCESS;
  const int status = ess_slide_look_aside(d, jump, aside);
  if (status) return status;
  const double by = part / ess_scaled_norm(d, jump, d->x, d->x);
  const double far = part / ess_scaled_norm(d, aside, d->x, d->x);
  const double way = way_of(d, k), now = way * d->rate[k] / rate;
  // it may go away faster already
  const double turn = -to * now > by ? 0.0 : -to * by - now;
  const double move = -to * far - way * d->h[k] / rate;
  for (size_t l = 0; l < d->system.dimension; l++) d->x_try[l] += turn * jump[l] + move * aside[l];
  return ESS_SUCCESS;
}
