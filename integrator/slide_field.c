/*
 * The field on surfaces, (S1) of docs/theory/sliding.md, and the return of a state onto them. If
 * jumps add up, as those of friction do, the field is evaluated with all surfaces at -1, and with
 * each of them alone at +1. Otherwise, as in products of signs, it is the mean of the fields of all
 * corners of the cube of signs, each weighted by the product of its surfaces' weights, for three
 * surfaces at most.
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

/* ---- the push of an impact's guard ----------------------------------------------------------- */

/* growth of the speed towards the guard at which the map is evaluated */
static const double SPEED_UP = 8.0;

/* smallest change of speed by a map that pushes, over the speed of arrival; less is rounding */
static const double SENT_BACK = 0.1;

/* the change by the map of a state that arrives with this speed; false if it does not return it */
static bool change_by_map(ess_driver *d, double t, const double x[], size_t k, double speed,
                          double change[], int *code) {
  ess_slides *const s = d->slides;
  const double *const push = s->push + k * d->lanes;
  for (size_t l = 0; l < d->lanes; l++) s->beside[l] = x[l] - speed * push[l];
  const double *const after = ess_impact_returns(d, t, k, s->beside, d->sign[k], code);
  for (size_t l = 0; after && l < d->lanes; l++) change[l] = after[l] - s->beside[l];
  return after;
}

/* The push of an impact's guard on a state at rest, at lambda = 1: the force of infinitely many
 * impacts acts as each of them does. The map may put the state onto the guard besides, at any
 * speed; the difference of two speeds leaves that out. */
static int push_back(ess_driver *d, double t, const double x[], size_t k, double jump[]) {
  ess_slides *const s = d->slides;
  const double *const push = s->push + k * d->lanes;
  double *const slower = s->f_beside;
  bool changes = false;
  int code = 0;
  for (double speed = 1.0; !code && !changes && speed * DBL_EPSILON < 1.0; speed *= SPEED_UP) {
    const bool returns = change_by_map(d, t, x, k, speed, slower, &code) &&
                         change_by_map(d, t, x, k, 2.0 * speed, jump, &code);
    if (!returns) continue;
    double along = 0.0, whole = 0.0; // of the change along the push, in tolerances
    for (size_t l = 0; l < d->lanes; l++) {
      jump[l] -= slower[l];
      if (push[l] == 0.0) continue;
      const double unit = d->atol[l] + d->rtol[l] * fabs(s->beside[l]), its = push[l] / unit;
      along += its * (jump[l] / unit);
      whole += its * its;
    }
    changes = fabs(along) / whole >= SENT_BACK * speed;
    for (size_t l = 0; l < d->lanes; l++) jump[l] *= s->scale[k] / speed;
  }
  if (code) return ess_callback_failed(d, code);
  return changes ? ESS_SUCCESS
                 : ess_slide_fail(d, k, SIZE_MAX,
                                  "an impact's map does not say what pushes the state back");
}

/* ---- a look at both sides of surfaces -------------------------------------------------------- */

/* increment of a difference of rates that are differences, relative to the state */
static const double TWICE_NOISY_PART = 1e-2;

/* The model sees event function k with this sign, in s->mode and not in the driver's. That of a
 * guard on which the state rests stays: nothing acts beyond it. */
static int show(ess_driver *d, size_t k, double sign) {
  ess_slides *const s = d->slides;
  const ess_system *const system = &d->system;
  if (s->order[k] == ESS_REST || s->mode[k] * sign > 0.0) return ESS_SUCCESS;
  s->mode[k] = sign;
  d->apply.t_seen = d->t;
  return system->mode_changed ? ess_called(d, system->mode_changed(s->mode, k, system->params))
                              : ESS_SUCCESS;
}

/* All surfaces take this sign; or, with 0, the driver's again, even after a failure. */
static int show_all(ess_driver *d, const size_t set[], size_t count, double sign) {
  int status = ESS_SUCCESS;
  for (size_t i = 0; i < count; i++) {
    const int shown = show(d, set[i], sign != 0.0 ? sign : d->sign[set[i]]);
    if (!status) status = shown;
  }
  return status;
}

/* The factor of h_k with which the surface pushes the state to h_k < 0: an impact's guard pushes to
 * the side from which the state came. */
static double side_of(const ess_driver *d, size_t k) {
  return d->slides->order[k] == ESS_REST ? -d->sign[k] : 1.0;
}

/* The derivatives along v of the rates of second-order surfaces, by differences: of fourth order if
 * rates are differences themselves, whose noise is larger. These rates depend on none of the signs.
 */
static int change_of_rates(ess_driver *d, double t, const double x[], const double v[], bool passes,
                           const size_t set[], size_t count, double rate[]) {
  ess_slides *const s = d->slides;
  const bool noisy = d->caller.rates != ESS_RATES_GIVEN;
  const double step = ess_tangent_part(d, x, v, noisy ? TWICE_NOISY_PART : cbrt(DBL_EPSILON));
  const int ways = ess_difference_ways(noisy);
  const ess_sought sought = {.which = set, .count = count, .by_field = true};
  for (size_t i = 0; i < count; i++)
    if (s->order[set[i]]) rate[i] *= 0.0; // what is no number stays none
  for (int way = -ways; way <= ways && step != 0.0; way++) {
    if (way == 0) continue;
    const double by = way * step, at = t + (passes ? by : 0.0);
    for (size_t l = 0; l < d->lanes; l++) s->beside[l] = x[l] + by * v[l];
    int status = ess_field_at(d, s->mode, at, s->beside, s->f_beside);
    if (!status)
      status = ess_sought_guard_rates(d, at, s->beside, s->f_beside, &sought, s->h, s->rate);
    if (status) return status;
    const double weight = ess_difference_weight(noisy, way) / step;
    for (size_t i = 0; i < count; i++)
      if (s->order[set[i]]) rate[i] += weight * side_of(d, set[i]) * s->rate[set[i]];
  }
  return ESS_SUCCESS;
}

/* Evaluates the field on both sides of these surfaces: f0, jumps, and the rates a and G by them; or
 * the fields of all corners, in which the i-th surface is at +1 if bit i is set, and rates by
 * these. *known: all rates are numbers. s->unknown is the first event function that is not, or
 * whose rate is not though state and field are. */
static int look(ess_driver *d, double t, const double x[], const size_t set[], size_t count,
                bool *known) {
  ess_slides *const s = d->slides;
  const size_t n = d->system.dimension, fields = s->adds ? count + 1 : (size_t)1 << count;
  double all = 0.0;
  int status = ESS_SUCCESS;
  memcpy(s->mode, d->sign, d->system.event_count * sizeof *s->mode);
  for (size_t c = 0; !status && c < fields; c++) {
    const bool jumps = s->adds && c > 0;
    const bool rests = jumps && s->order[set[c - 1]] == ESS_REST;
    const ess_sought sought = {.which = set, .count = count, .by_field = !jumps};
    double *const f = !s->adds ? s->corner + c * d->lanes
                      : jumps  ? s->jump + (c - 1) * d->lanes
                               : s->f0;
    bool any_second = false;
    for (size_t i = 0; !status && i < count; i++)
      status = show(d, set[i], (s->adds ? i + 1 == c : c >> i & 1) ? 1.0 : -1.0);
    if (!status)
      status = rests ? push_back(d, t, x, set[c - 1], f) : ess_field_at(d, s->mode, t, x, f);
    if (!status && jumps) status = show(d, set[c - 1], -1.0);
    for (size_t l = 0; jumps && !rests && l < n; l++) f[l] -= s->f0[l];
    if (!status) status = ess_sought_guard_rates(d, t, x, f, &sought, s->h, s->rate);
    for (size_t i = 0; !status && i < count; i++) {
      const size_t k = set[i];
      s->sum[i] = s->rate[k] + 0.0 * s->h[k];
      any_second = any_second || s->order[k];
      if (isfinite(s->sum[i]) || s->unknown != SIZE_MAX || !ess_are_finite(x, n)) continue;
      if (!isfinite(s->h[k]) || ess_are_finite(f, n)) s->unknown = k;
    }
    if (!status && any_second) status = change_of_rates(d, t, x, f, !jumps, set, count, s->sum);
    for (size_t i = 0; i < count; i++) {
      *(!s->adds ? &s->q[c * count + i] : jumps ? &s->g[i * count + c - 1] : &s->a[i]) = s->sum[i];
      all += 0.0 * s->sum[i];
    }
  }
  *known = all == 0.0;
  const int shown = show_all(d, set, count, 0.0);
  return status ? status : shown;
}

int ess_slide_look_here(ess_driver *d, const size_t set[], size_t count) {
  bool known;
  d->slides->unknown = SIZE_MAX;
  const int status = look(d, d->t, d->x, set, count, &known);
  return status || known ? status : ess_fail_field(d);
}

int ess_slide_look_adds(ess_driver *d, double t, const double x[], const size_t set[],
                        size_t count) {
  ess_slides *const s = d->slides;
  size_t others = 0; // pushes of impacts add up
  for (size_t i = 0; i < count; i++) others += s->order[set[i]] != ESS_REST;
  if (others < 2 || !s->adds) return ESS_SUCCESS;
  memcpy(s->mode, d->sign, d->system.event_count * sizeof *s->mode);
  int status = show_all(d, set, count, 1.0);
  if (!status) status = ess_field_at(d, s->mode, t, x, s->corner);
  const int shown = show_all(d, set, count, 0.0);
  if (!status) status = shown;
  for (size_t l = 0; !status && l < d->system.dimension; l++) {
    double sum = s->f0[l], size = fabs(s->f0[l]) + fabs(s->corner[l]);
    for (size_t j = 0; j < count; j++) {
      if (s->order[set[j]] == ESS_REST) continue;
      sum += s->jump[j * d->lanes + l];
      size += fabs(s->jump[j * d->lanes + l]);
    }
    s->adds = s->adds && fabs(sum - s->corner[l]) <= ESS_NEGLIGIBLE * size;
  }
  return status;
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

/* ---- means of corners ------------------------------------------------------------------------ */

/* the weight of corner c; its derivative by lambda[by], if by < count */
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

/* The mean of a value over all corners, as linear in lambda as it is about this one: that without
 * lambda, and into slope[j * across] the derivative by lambda_j. */
static double linear_mean(const double value[], size_t across, const double lambda[], size_t count,
                          double slope[], size_t along) {
  double base = 0.0;
  for (size_t c = 0; c < (size_t)1 << count; c++)
    base += weight_of(c, lambda, count, SIZE_MAX) * value[c * across];
  for (size_t j = 0; j < count; j++) {
    double sum = 0.0;
    for (size_t c = 0; c < (size_t)1 << count; c++)
      sum += weight_of(c, lambda, count, j) * value[c * across];
    slope[j * along] = sum;
    base -= sum * lambda[j];
  }
  return base;
}

/* Newton's method from lambda on for the rates of surfaces between their bounds; and a and G there
 */
static bool converge(ess_slides *s, const signed char at[], size_t count, double lambda[]) {
  double *const last = s->box.near;
  double most = INFINITY;
  for (int i = 0; i <= ESS_PROBES; i++) {
    for (size_t k = 0; k < count; k++)
      s->a[k] = linear_mean(s->q + k, count, lambda, count, s->g + k * count, 1);
    if (most <= ESS_NEGLIGIBLE) return true;
    memcpy(last, lambda, count * sizeof *last);
    if (!ess_box_solve(count, s->a, s->g, at, lambda, &s->box)) return false;
    most = 0.0;
    for (size_t k = 0; k < count; k++) most = ess_larger(fabs(lambda[k] - last[k]), most);
    if (!(most < 1e6)) return false;
  }
  return false;
}

/* f0 and jumps by lambda: the field is f0 + sum of lambda_j jump_j */
static void mean_fields(const ess_driver *d, size_t count) {
  const ess_slides *const s = d->slides;
  for (size_t l = 0; l < d->system.dimension; l++)
    s->f0[l] = linear_mean(s->corner + l, d->lanes, s->lambda, count, s->jump + l, d->lanes);
}

ess_solutions ess_slide_solve(ess_driver *d, size_t count, size_t worst[2]) {
  ess_slides *const s = d->slides;
  if (s->adds) return ess_box_lcp(count, s->a, s->g, s->lambda, s->part, worst, &s->box);
  // all solutions that Newton's method finds from 27 places
  signed char choice[3], place[3];
  double found[3];
  size_t solutions = 0, ways = 1;
  for (size_t i = 0; i < count; i++) ways *= 3;
  for (size_t i = 0; i < ways * ways; i++) {
    ess_box_choose(count, i / ways, choice);
    ess_box_choose(count, i % ways, place);
    for (size_t k = 0; k < count; k++)
      found[k] = choice[k] ? choice[k] > 0 : 0.5 + 0.35 * (double)place[k];
    if (converge(s, choice, count, found) && ess_box_fits(count, s->a, s->g, choice, found))
      ess_box_add(count, found, choice, s->lambda, s->part, &solutions);
  }
  worst[0] = 0;
  worst[1] = count > 1 ? 1 : SIZE_MAX;
  for (size_t k = 0; k < count; k++)
    s->a[k] = linear_mean(s->q + k, count, s->lambda, count, s->g + k * count, 1);
  mean_fields(d, count);
  return solutions == 1 ? ESS_ONE_SOLUTION : ESS_MANY_SOLUTIONS;
}

/* ---- the field ------------------------------------------------------------------------------- */

int ess_slide_field(ess_driver *d, double t, const double x[], double f[]) {
  static const signed char between[3] = {ESS_BETWEEN, ESS_BETWEEN, ESS_BETWEEN};
  ess_slides *const s = d->slides;
  const size_t count = s->count;
  bool known;
  const int status = look(d, t, x, s->set, count, &known);
  if (status) return status;
  bool found = known && (s->adds ? ess_box_unbounded(count, s->a, s->g, s->half, s->lambda, &s->box)
                                 : converge(s, between, count, s->lambda));
  for (size_t i = 0; i < count; i++) found = found && isfinite(s->lambda[i]);
  // surfaces may have lost their hold by a crossing at the node: those left are asked for next
  if (known && !found && s->adds && s->noted_count && x == d->x) {
    memset(s->lambda, 0, count * sizeof *s->lambda);
    found = true;
  }
  if (found && !s->adds) mean_fields(d, count);
  for (size_t l = 0; l < d->system.dimension; l++) {
    double sum = s->f0[l];
    for (size_t j = 0; j < count; j++) sum += s->lambda[j] * s->jump[j * d->lanes + l];
    f[l] = found ? sum : NAN; // the step is too long, or the surfaces do not hold the state
  }
  if (found) s->unknown = SIZE_MAX;
  return ESS_SUCCESS;
}

/* ---- the place of a sliding state ------------------------------------------------------------ */

/* Rounding, and the errors of steps along curved surfaces, take a state off its surfaces. */

void ess_slide_begin_node(ess_driver *d, const double lambda[]) {
  ess_slides *const s = d->slides;
  memmove(s->node, lambda, s->count * sizeof *lambda);
  s->halvings = 0;
  s->is_whole = false;
}

/* Adds to `back` the way onto the surfaces, by a, in the way of their jumps; or the same of
 * second-order surfaces alone, in the way of the changes of the field by these. */
static int find_back(ess_driver *d, bool is_aside, double back[], bool *found) {
  ess_slides *const s = d->slides;
  const size_t count = s->count;
  const double *const g = is_aside ? s->g_aside : s->g;
  bool any = !is_aside;
  int status = ESS_SUCCESS;
  for (size_t i = 0; i < count; i++) {
    const size_t k = s->set[i];
    const bool is_second = s->order[k] != ESS_FIRST_ORDER;
    any = any || is_second;
    s->sum[i] = is_second ? -side_of(d, k) * (is_aside ? d->h[k] : d->rate[k]) : -d->h[k];
    if (is_aside && !is_second) s->sum[i] = 0.0;
    for (size_t j = 0; is_aside && j < count; j++)
      s->g_aside[i * count + j] =
          is_second && s->order[s->set[j]] ? s->g[i * count + j] : (double)(i == j);
  }
  *found = any && ess_box_unbounded(count, s->sum, g, s->nothing, s->back, &s->box);
  for (size_t j = 0; *found && !status && j < count; j++) {
    const double *way = s->jump + j * d->lanes;
    if (is_aside && !s->order[s->set[j]]) continue;
    if (is_aside) status = ess_slide_look_aside(d, way, s->aside);
    if (is_aside) way = s->aside;
    for (size_t l = 0; l < d->system.dimension; l++) back[l] -= s->back[j] * way[l];
  }
  return status;
}

int ess_slide_put_back(ess_driver *d, double most) {
  ess_slides *const s = d->slides;
  for (double last = INFINITY;;) {
    bool found;
    memset(d->x_try, 0, d->lanes * sizeof *d->x_try);
    int status = find_back(d, false, d->x_try, &found);
    if (status || !found) return status;
    status = find_back(d, true, d->x_try, &found);
    if (status) return status;
    const double off = ess_scaled_norm(d, d->x_try, d->x, d->x);
    if (off <= ESS_LOST) return ESS_SUCCESS;
    if (!(off <= most))
      return ess_slide_fail(d, s->set[0], SIZE_MAX, "the state is lost off what it slides on");
    if (off > 0.5 * last) return ESS_SUCCESS; // the rest is rounding
    last = off;
    for (size_t i = 0; i < d->lanes; i++) d->x_try[i] += d->x[i];
    status = ess_check_state(d, d->x_try);
    if (status) return status;
    memcpy(d->x, d->x_try, d->lanes * sizeof *d->x);
    if (d->tangents) d->tangents->has_first = false;
    status = ess_evaluate_node(d);
    if (status) return status;
    ess_slide_begin_node(d, s->lambda);
  }
}

int ess_slide_step_beside(ess_driver *d, size_t i, size_t count, double to, double part) {
  ess_slides *const s = d->slides;
  const double *const jump = s->jump + i * d->lanes;
  double *const aside = s->aside;
  const size_t k = s->events[i];
  const double rate = s->g[i * count + i];
  // what has lost its hold is left by the square of time
  if (!(fabs(rate) > ESS_NEGLIGIBLE * fabs(s->a[i]))) return ESS_SUCCESS;
  const int status = ess_slide_look_aside(d, jump, aside);
  if (status) return status;
  const double by = part / ess_scaled_norm(d, jump, d->x, d->x);
  const double far = part / ess_scaled_norm(d, aside, d->x, d->x);
  const double side = side_of(d, k), now = side * d->rate[k] / rate;
  // it may go away faster already
  const double turn = -to * now > by ? 0.0 : -to * by - now;
  const double move = -to * far - side * d->h[k] / rate;
  for (size_t l = 0; l < d->system.dimension; l++) d->x_try[l] += turn * jump[l] + move * aside[l];
  return ESS_SUCCESS;
}
