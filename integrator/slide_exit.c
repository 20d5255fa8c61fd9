/*
 * Where slides end: a weight of the mean that holds the state on its surfaces comes to its bound
 * within a step. Its quartic has its values at every quarter of the step (along.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "slides.h"

enum { QUARTIC = ESS_QUARTIC };

/* Noise of a weight: LAMBDA_ROUNDING, or ESS_NEGLIGIBLE if it is found by differences. A model is
 * as exact as its weight within NOISES times that, and its turning is judged beyond STILL_NOISES
 * times that. */
static const double LAMBDA_ROUNDING = 1e-13, NOISES = 10.0, STILL_NOISES = 1e4;

/* lambda at theta of the step just tried */
static int look_at(ess_driver *d, double theta) {
  ess_dopri5_dense(d, theta, d->x_try);
  return ess_slide_field(d, d->t + theta * d->dt, d->x_try, d->v_try);
}

/* whether all of them are numbers there: they are not where a callback's are not, or the surfaces
 * do not hold the state */
static bool are_known(const ess_slides *s) {
  double sum = 0.0;
  for (size_t i = 0; i < s->count; i++) sum += 0.0 * s->lambda[i];
  return sum == 0.0;
}

/* A surface of second order is solved by differences, as all lambdas are then that are solved for
 * together. */
static bool any_second(const ess_slides *s) {
  size_t i = 0;
  while (i < s->count && !s->order[s->set[i]]) i++;
  return i < s->count;
}

static double noise_of(const ess_driver *d) {
  return d->caller.rates != ESS_RATES_GIVEN || any_second(d->slides) ? ESS_NEGLIGIBLE
                                                                     : LAMBDA_ROUNDING;
}

/* The distance beyond its bound to which a weight is located, so that the state recedes from the
 * surface. ESS_NEGLIGIBLE is the worst case of a surface of second order: most have a tenth of it.
 */
static double margin_of(const ess_driver *d) {
  if (d->caller.rates != ESS_RATES_GIVEN) return ESS_NEGLIGIBLE;
  return any_second(d->slides) ? 0.1 * ESS_NEGLIGIBLE : NOISES * LAMBDA_ROUNDING;
}

/* the distance of lambda beyond a bound: below 0, or above 1 */
static double beyond(const ess_driver *d, double lambda, bool upper) {
  return (upper ? lambda - 1.0 : -lambda) - margin_of(d);
}

/* that of the farthest */
static double farthest(const ess_driver *d, const double lambda[]) {
  double most = -INFINITY;
  for (size_t i = 0; i < d->slides->count; i++) {
    const double below = beyond(d, lambda[i], false), above = beyond(d, lambda[i], true);
    most = ess_larger(ess_larger(below, above), most);
  }
  return most;
}

bool ess_slide_is_beyond(const ess_driver *d) {
  return farthest(d, d->slides->lambda) > 0.0;
}

/* of the farthest at the j-th quarter of the step */
static double seen_at(const ess_driver *d, int j) {
  return farthest(d, d->slides->seen + (size_t)j * d->system.event_count);
}

/* accuracy with which the i-th lambda has to be known: more would not be felt over the whole step
 */
static double slack(const ess_driver *d, size_t i) {
  const ess_slides *const s = d->slides;
  const double moves = d->dt * ess_scaled_norm(d, s->jump + i * d->lanes, d->x, d->x_end);
  return ess_larger(NOISES * noise_of(d), ESS_UNFELT / moves);
}

/* the model of the distance of the i-th lambda beyond a bound, and its doubt: the error, a fifth
 * derivative times the product of the distances from the quarters, is largest where it is compared
 */
static double model(const ess_driver *d, size_t i, bool upper, double b[QUARTIC]) {
  const ess_slides *const s = d->slides;
  const size_t m = d->system.event_count;
  double y[QUARTIC], most = 0.0, slope;
  for (size_t j = 0; j < QUARTIC; j++) y[j] = beyond(d, s->seen[j * m + i], upper);
  ess_quartic_of_quarters(y, b);
  for (size_t j = 0; j < ESS_SLIDE_CHECKS; j++) {
    const double now = beyond(d, s->checked[j * m + i], upper);
    const double off = now - ess_quartic(b, s->compared.at[j], &slope);
    most = ess_larger(fabs(off) - noise_of(d), most);
  }
  return ESS_DOUBT * most;
}

/* ---- looks at a step ------------------------------------------------------------------------- */

/* whether the step is tried again, half as long: it is not where it is short enough for all doubt
 */
static bool may_halve(ess_driver *d) {
  return ++d->slides->halvings <= ESS_PROBES && d->dt > d->control.shortest;
}

/* into a row, at theta; *known stays where it is */
static int note_lambda(ess_driver *d, double theta, double row[], bool *known) {
  const int status = look_at(d, theta);
  *known = *known && are_known(d->slides);
  memcpy(row, d->slides->lambda, d->slides->count * sizeof *row);
  return status;
}

static int look_between(ess_driver *d, bool *known) {
  static const double largest[2] = {0.1, 0.9};
  ess_slides *const s = d->slides;
  const size_t m = d->system.event_count;
  int status = ESS_SUCCESS;
  for (size_t j = 1; !status && j + 1 < QUARTIC; j++)
    status = note_lambda(d, 0.25 * (double)j, s->seen + j * m, known);
  ess_compare_at(&s->compared, largest, d->counters.steps + d->counters.rejected + 1);
  for (size_t j = 0; !status && j < ESS_SLIDE_CHECKS; j++)
    status = note_lambda(d, s->compared.at[j], s->checked + j * m, known);
  return status;
}

/* The doubt over the range of the i-th model. An error that nobody asks for counts less than what
 * is believed, so that steps grow. */
static double share_of(const ess_driver *d, size_t i, double noise) {
  double b[QUARTIC];
  const double doubt = model(d, i, false, b), range = ess_quartic_range(b);
  if (!(range > STILL_NOISES * noise_of(d) && doubt > NOISES * noise)) return 0.0;
  const double share = doubt / range, seen = doubt / slack(d, i);
  return seen <= 1.0 ? ess_smaller(share, seen * ess_believed_share(d)) : share;
}

/* Lambdas turn as event functions do, and steps are bounded by that alike: a state that is held has
 * no error of its own, and its steps would soon span whole periods of what holds it. A doubt that
 * would have the step refused is compared with the lambdas' noise first: they do not change by a
 * line over a short part of the step, in which time moves by some roundings at least. */
static int watch_turns(ess_driver *d, bool *too_far) {
  ess_slides *const s = d->slides;
  ess_turning *const turning = &d->control.turning;
  double *const noise = s->back;
  const double at = s->compared.at[0];
  const double apart = ess_larger(ESS_LATER, NOISES * DBL_EPSILON * fabs(d->t) / d->dt);
  bool is_measured = false;
  int status = ESS_SUCCESS;
  if (!d->armed_count) turning->share = ESS_STILL_TURNING;
  for (size_t i = 0; i < s->count; i++) noise[i] = 0.0;
  for (size_t i = 0; !status && i < s->count; i++) {
    double share = share_of(d, i, noise[i]);
    if (share > ess_believed_share(d) && !is_measured) {
      status = look_at(d, at + apart);
      for (size_t j = 0; j < s->count; j++) noise[j] = s->checked[j] - 2.0 * s->lambda[j];
      if (!status) status = look_at(d, at + 2.0 * apart);
      for (size_t j = 0; j < s->count; j++) noise[j] = fabs(noise[j] + s->lambda[j]);
      is_measured = true;
      share = share_of(d, i, noise[i]);
    }
    if (!(share > turning->share)) continue;
    turning->share = share;
    turning->guard = SIZE_MAX;
  }
  if (status) return status;
  const ess_verdict v = ess_judge_turning(d);
  *too_far = v.cause == ESS_BY_TURNING;
  for (size_t i = 0; i < s->count; i++) turning->pace[s->set[i]] = 0.0;
  return v.status;
}

/* ---- the exit -------------------------------------------------------------------------------- */

/* the first place at which one comes to its bound, by its model b; ESS_NEVER. *sure: all models are
 * as exact as that has to be known. */
static double first_reached(const ess_driver *d, double before, double b[QUARTIC], bool *sure) {
  double first = ESS_NEVER, now[QUARTIC];
  *sure = true;
  for (size_t i = 0; i < d->slides->count; i++)
    for (int upper = 0; upper < 2; upper++) {
      const double doubt = model(d, i, upper, now);
      double most = now[0];
      for (int j = 1; j < QUARTIC; j++) most = ess_larger(now[j], most);
      if (most + doubt < 0.0) continue;
      const double theta = ess_quartic_upcrossing(now);
      const bool ends_beyond = now[QUARTIC - 1] > 0.0 && ess_sign_changes(now) == 1;
      *sure = *sure && (doubt <= slack(d, i) ||
                        (ends_beyond && doubt <= ESS_BELIEVED * ess_quartic_range(now)));
      if (theta >= first) continue;
      first = theta;
      memcpy(b, now, sizeof now);
    }
  return first <= before ? first : ESS_NEVER;
}

/* from the model's place on, where the first of all comes to its bound: none is beyond at `below`,
 * one is at `above` */
static int refine(ess_driver *d, double below, double above, double *theta) {
  const double margin = margin_of(d);
  if (!(*theta > below && *theta < above)) *theta = 0.5 * (below + above);
  ess_search s = ess_search_from(*theta, below, above, seen_at(d, (int)(below * (QUARTIC - 1))));
  for (int i = 0; i < ESS_PROBES && !ess_search_is_over(&s); i++) {
    const int status = look_at(d, s.theta);
    if (status) return status;
    if (!are_known(d->slides)) return ess_fail_field(d);
    const double y = farthest(d, d->slides->lambda);
    if (y >= 0.0 && y <= 0.5 * margin) {
      s.above = s.theta;
      break;
    }
    ess_search_on(&s, y - 0.25 * margin, NAN);
  }
  *theta = s.above;
  return look_at(d, *theta);
}

/* Exits of the step, once lambda is known along it: it is cut where the state leaves, and guards
 * beyond that are passed later. *unsure where a shorter step has to decide. */
static int find_exit(ess_driver *d, ess_location *found, bool *unsure) {
  double b[QUARTIC], until[QUARTIC], rest[QUARTIC];
  bool sure;
  int j = 1, status = ESS_SUCCESS;
  double theta = first_reached(d, found->theta, b, &sure);
  *unsure = !sure && may_halve(d);
  if (*unsure || theta > 1.0) return ESS_SUCCESS;
  while (j < QUARTIC && !(seen_at(d, j) >= 0.0)) j++;
  const bool is_seen = j < QUARTIC;
  double below = 0.25 * (j - 1), above = 0.25 * j;
  if (!is_seen || theta < below) {
    // by the model, one is beyond between two quarters alone: half the way to where it comes back,
    // or to the end
    ess_quartic_split(b, theta, until, rest);
    for (int i = 0; i < QUARTIC; i++) rest[i] = -rest[i];
    const double back = ess_smaller(ess_quartic_upcrossing(rest), 1.0);
    const double between = theta + 0.5 * back * (1.0 - theta);
    status = look_at(d, between);
    const double y = farthest(d, d->slides->lambda);
    if (status || (!(y >= 0.0) && !is_seen)) return status;
    if (y >= 0.0) {
      above = between;
      below = 0.25 * floor(4.0 * between);
    }
  }
  status = refine(d, below, above, &theta);
  if (status || theta > found->theta) return status;
  *found = (ess_location){.use = ESS_USE_CUT, .theta = theta, .doubt_guard = SIZE_MAX};
  d->slides->question = ESS_AT_BOUND;
  for (size_t i = 0; i < d->flagged.count; i++)
    if (d->flagged.fate[d->flagged.list[i]] != ESS_FATE_PASSED)
      d->flagged.fate[d->flagged.list[i]] = ESS_FATE_SOUGHT;
  return ess_event_values(d, d->t + theta * d->dt, d->x_try, d->h_try);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* whether the surfaces still hold the state, in one way alone, where they have just been looked at
 */
static bool holds(const ess_driver *d, size_t worst[2]) {
  const ess_slides *const s = d->slides;
  return ess_principal_minors(s->count, s->g, NULL, worst, &s->box) != ESS_MINORS_NEGATIVE;
}

ess_verdict ess_slide_watch(ess_driver *d, ess_location *found) {
  ess_slides *const s = d->slides;
  const ess_verdict half = ess_refused(ESS_BY_EXIT, 0.5 * d->dt);
  const size_t bytes = s->count * sizeof *s->lambda;
  size_t worst[2];
  const bool added = s->adds;
  int status = ESS_SUCCESS;
  if (!d->armed_count) ess_clear_flags(d);
  s->question = ESS_NO_QUESTION;
  // the step's last stage was the last call, where no direction has called since
  if (d->tangents) status = ess_slide_field(d, d->t + d->dt, d->x_end, d->v_try);
  memcpy(s->seen, s->node, bytes);
  memcpy(s->seen + (QUARTIC - 1) * d->system.event_count, s->lambda, bytes);
  if (!status) status = ess_slide_look_adds(d, d->t + d->dt, d->x_end, s->set, s->count);
  if (status) return (ess_verdict){.status = status};
  if (added && !s->adds) { // by corners from here on
    if (s->count > 3) status = ess_slide_fail(d, s->set[0], s->set[1], ESS_NOT_ADDITIVE);
    memcpy(s->lambda, s->node, bytes);
    if (!status) status = ess_evaluate_node(d);
    return (ess_verdict){.status = status, .cause = ESS_BY_EXIT, .next = d->dt};
  }
  bool held = holds(d, worst), known = are_known(s), too_far = false, unsure = false;
  status = look_between(d, &known);
  if (!status && !known && may_halve(d)) return half;
  if (!status && !known) status = ess_fail_field(d);
  if (!status) status = watch_turns(d, &too_far);
  if (!status && too_far) return ess_refused(ESS_BY_TURNING, d->control.next);
  if (!status) status = find_exit(d, found, &unsure);
  if (status) return (ess_verdict){.status = status};
  if (unsure) return half;
  if (s->question) held = holds(d, worst);
  if (!held && may_halve(d)) return half;
  if (!held) return (ess_verdict){.status = ess_slide_fail_pair(d, s->set, worst)};
  s->is_whole = found->use != ESS_USE_CUT;
  return (ess_verdict){0};
}
