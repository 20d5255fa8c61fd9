/*
 * Where slides end: a weight of the mean that holds the state on its surfaces comes to its bound
 * within a step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "slides.h"

/* distance beyond its bound to which a weight is located, so that the state recedes from the
 * surface; BEYOND_NOISY if the weight is found by differences, whose noise is below LAMBDA_NOISE */
static const double BEYOND = 1e-12, BEYOND_SECOND = 1e-10, BEYOND_NOISY = 2e-9, LAMBDA_NOISE = 1e-9;

/* halvings of a step for one doubt */
enum { EXIT_HALVINGS = 40 };

/* Places at which a quartic of lambda is compared with lambda, near its largest errors; half-width
 * of their spread, and its sequence. */
static const double CHECKED[ESS_SLIDE_CHECKS] = {0.1, 0.9}, ASIDE = 0.03;
static const double FRACTION = 0.7548776662466927;

/* Change of a noisy lambda below which its turning is not judged (ESS_STILL otherwise), and error
 * of a quartic in units of noise. NOISE_APART, NOISE_ROUNDINGS: increment, relative, and factor on
 * rounding for the estimate of noise. */
static const double STILL_NOISY = 1e-5, NOISES = 32.0;
static const double NOISE_APART = 1e-6, NOISE_ROUNDINGS = 16.0;

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

/* whether one slides by its second order, which is made of differences, as all lambdas are then
 * that are solved for together */
static bool any_second(const ess_slides *s) {
  size_t i = 0;
  while (i < s->count && !s->second[s->set[i]]) i++;
  return i < s->count;
}

static bool is_noisy(const ess_slides *s) {
  return s->is_noisy || any_second(s);
}

/* what of lambdas is beyond their bounds for sure */
static double margin(const ess_slides *s) {
  return s->is_noisy ? BEYOND_NOISY : any_second(s) ? BEYOND_SECOND : BEYOND;
}

/* effect of an error in a weight, over a whole step and in tolerances, that does not matter */
static const double UNSEEN = 0.1;

static double slack(const ess_driver *d, size_t i) {
  const ess_slides *const s = d->slides;
  const double least = is_noisy(s) ? 10.0 * LAMBDA_NOISE : 0.1 * BEYOND;
  const double moves = d->dt * ess_scaled_norm(d, s->jump + i * d->lanes, d->x, d->x_end);
  return ess_larger(least, UNSEEN / moves);
}

/* how far beyond a bound lambda is: below 0, or above 1 */
static double beyond(const ess_slides *s, double lambda, bool upper) {
  return (upper ? lambda - 1.0 : -lambda) - margin(s);
}

/* how far beyond its bound the one is that is the farthest */
static double farthest(const ess_slides *s, const double lambda[]) {
  double most = -INFINITY;
  for (size_t i = 0; i < s->count; i++) {
    const double below = beyond(s, lambda[i], false), above = beyond(s, lambda[i], true);
    most = ess_larger(ess_larger(below, above), most);
  }
  return most;
}

bool ess_slide_is_beyond(const ess_driver *d) {
  return farthest(d->slides, d->slides->lambda) > 0.0;
}

/* Bernstein coefficients of the quartic that says how far beyond a bound the i-th is, as it has
 * been seen at every quarter */
static void model(const ess_driver *d, size_t i, bool upper, double b[ESS_QUARTIC]) {
  double y[ESS_SLIDE_LOOKS];
  for (int j = 0; j < ESS_SLIDE_LOOKS; j++)
    y[j] = beyond(d->slides, d->slides->seen[(size_t)j * d->system.guard_count + i], upper);
  const double d1 = y[1] - y[0], d2 = y[2] - 2.0 * y[1] + y[0];
  const double d3 = y[3] - 3.0 * (y[2] - y[1]) - y[0];
  const double d4 = y[4] - 4.0 * (y[3] + y[1]) + 6.0 * y[2] + y[0];
  const double a1 = 4.0 * (d1 - d2 / 2.0 + d3 / 3.0 - d4 / 4.0);
  const double a2 = 16.0 * (d2 / 2.0 - d3 / 2.0 + 11.0 * d4 / 24.0);
  const double a3 = 64.0 * (d3 / 6.0 - d4 / 4.0);
  b[0] = y[0];
  b[1] = y[0] + a1 / 4.0;
  b[2] = y[0] + a1 / 2.0 + a2 / 6.0;
  b[3] = y[0] + 0.75 * a1 + a2 / 2.0 + a3 / 4.0;
  b[4] = y[4];
}

/* by how much it may be off anywhere, from how much it is where it is checked: its error, the
 * product of the ways from its places times a fifth derivative, is the largest there */
static double doubt_of(const ess_driver *d, size_t i, bool upper, const double b[ESS_QUARTIC]) {
  const ess_slides *const s = d->slides;
  const double noise = is_noisy(s) ? LAMBDA_NOISE : ESS_ROUNDING;
  double most = 0.0, slope;
  for (int j = 0; j < ESS_SLIDE_CHECKS; j++) {
    const double lambda = s->checked[(size_t)j * d->system.guard_count + i];
    const double off = beyond(s, lambda, upper) - ess_quartic(b, s->check_at[j], &slope);
    most = ess_larger(fabs(off) - noise, most);
  }
  return ESS_DOUBT * most;
}

/* where one comes to a bound before theta, by its model b; ESS_NEVER where it does not. *sure is
 * false where that does not tell. */
static double reaches(const ess_driver *d, size_t i, bool upper, double b[ESS_QUARTIC],
                      bool *sure) {
  double most = -INFINITY, least = INFINITY;
  model(d, i, upper, b);
  const double doubt = doubt_of(d, i, upper, b);
  for (int j = 0; j < ESS_QUARTIC; j++) {
    most = ess_larger(b[j], most);
    least = ess_smaller(b[j], least);
  }
  *sure = true;
  if (most + doubt < 0.0) return ESS_NEVER;
  const double theta = ess_quartic_upcrossing(b);
  const bool ends_beyond = b[ESS_QUARTIC - 1] > 0.0 && ess_sign_changes(b) == 1;
  *sure = doubt <= slack(d, i) || (ends_beyond && doubt <= ESS_BELIEVED * (most - least));
  return theta;
}

/* from the model's place on, where the first of all comes to its bound: none is beyond at `below`,
 * one is at `above`, by these much */
static int refine(ess_driver *d, double theta, double below, double y_below, double above,
                  double y_above, double *at) {
  enum { EXIT_PROBES = 60 };
  int side = 0;
  for (int i = 0; i < EXIT_PROBES && above - below > 2.0 * DBL_EPSILON; i++) {
    if (!(theta > below && theta < above)) theta = 0.5 * (below + above);
    const int status = look_at(d, theta);
    if (status) return status;
    if (!are_known(d->slides)) return ess_fail_field(d);
    const double y = farthest(d->slides, d->slides->lambda);
    if (y >= 0.0 && y <= 0.5 * margin(d->slides)) {
      above = theta;
      break;
    }
    // false position, which halves the weight of an end that stays
    if (y < 0.0) {
      below = theta;
      y_below = y;
      if (side < 0) y_above *= 0.5;
      side = -1;
    } else {
      above = theta;
      y_above = y;
      if (side > 0) y_below *= 0.5;
      side = 1;
    }
    theta = below + (above - below) * (y_below / (y_below - y_above));
  }
  *at = above;
  return look_at(d, above);
}

/* whether the step is tried again, half as long: it is not where it is short enough for all doubt
 */
static bool may_halve(ess_driver *d) {
  return ++d->slides->halvings <= EXIT_HALVINGS &&
         d->dt > 1e3 * DBL_EPSILON * ess_larger(fabs(d->t), DBL_MIN);
}

/* lambda at both ends of the step */
static int look_at_ends(ess_driver *d) {
  ess_slides *const s = d->slides;
  const size_t bytes = s->count * sizeof *s->lambda;
  int status = ESS_SUCCESS;
  // the step's last stage was the last call, where no direction has called since
  if (d->tangents) status = ess_slide_field(d, d->t + d->dt, d->x_end, d->v_try);
  memcpy(s->seen, s->node, bytes);
  memcpy(s->seen + (ESS_SLIDE_LOOKS - 1) * d->system.guard_count, s->lambda, bytes);
  return status;
}

/* into a row, at theta; *known stays where it is */
static int note_lambda(ess_driver *d, double theta, double row[], bool *known) {
  const int status = look_at(d, theta);
  *known = *known && are_known(d->slides);
  memcpy(row, d->slides->lambda, d->slides->count * sizeof *row);
  return status;
}

static int look_between(ess_driver *d, bool *known) {
  ess_slides *const s = d->slides;
  const size_t m = d->system.guard_count;
  int status = ESS_SUCCESS;
  for (size_t j = 1; !status && j + 1 < ESS_SLIDE_LOOKS; j++)
    status = note_lambda(d, (double)j / (ESS_SLIDE_LOOKS - 1), s->seen + j * m, known);
  for (size_t j = 0; !status && j < ESS_SLIDE_CHECKS; j++) {
    const double multiple = FRACTION * (double)(d->counters.steps + d->counters.rejected + 1 + j);
    const double aside = ASIDE * (2.0 * (multiple - floor(multiple)) - 1.0);
    s->check_at[j] = CHECKED[j] + aside;
    status = note_lambda(d, s->check_at[j], s->checked + j * m, known);
  }
  return status;
}

/* how far apart the i-th lambda has been seen within the step */
static double range_of(const ess_driver *d, size_t i) {
  const ess_slides *const s = d->slides;
  const size_t m = d->system.guard_count;
  double least = INFINITY, most = -INFINITY;
  for (size_t j = 0; j < ESS_SLIDE_LOOKS + ESS_SLIDE_CHECKS; j++) {
    const size_t check = j - ESS_SLIDE_LOOKS;
    const double lambda = j < ESS_SLIDE_LOOKS ? s->seen[j * m + i] : s->checked[check * m + i];
    least = ess_smaller(lambda, least);
    most = ess_larger(lambda, most);
  }
  return most - least;
}

/* what of lambdas is noise: they do not change by a line over so short a part of the step, in which
 * time moves by some roundings at least */
static int find_noise(ess_driver *d, double noise[]) {
  ess_slides *const s = d->slides;
  const double apart = ess_larger(NOISE_APART, NOISE_ROUNDINGS * DBL_EPSILON * fabs(d->t) / d->dt);
  const double *const first = s->checked;
  int status = look_at(d, s->check_at[0] + apart);
  for (size_t i = 0; i < s->count; i++) noise[i] = first[i] - 2.0 * s->lambda[i];
  if (!status) status = look_at(d, s->check_at[0] + 2.0 * apart);
  for (size_t i = 0; i < s->count; i++) noise[i] = fabs(noise[i] + s->lambda[i]);
  return status;
}

/* what share of its range the model of the i-th lambda may be off by; less, so that steps grow,
 * where that is less than anybody asks for */
static double share_of(const ess_driver *d, size_t i, double noise) {
  double b[ESS_QUARTIC];
  model(d, i, false, b);
  const double doubt = doubt_of(d, i, false, b), range = range_of(d, i);
  const double still = is_noisy(d->slides) ? STILL_NOISY : ESS_STILL;
  if (!(range > still && doubt > NOISES * noise)) return 0.0;
  const double share = doubt / range, seen = doubt / slack(d, i);
  return seen <= 1.0 ? ess_smaller(share, seen * ess_believed_share(d)) : share;
}

/* Lambdas turn as event functions do, and steps are bounded by that alike: a state that is held has
 * no error of its own, and its steps would soon span whole periods of what holds it. What would
 * have the step refused is held against its noise first. */
static int watch_turns(ess_driver *d, bool *too_far) {
  ess_slides *const s = d->slides;
  ess_turning *const turning = &d->control.turning;
  double *const noise = s->back;
  bool is_measured = false;
  int status = ESS_SUCCESS;
  if (!d->armed_count) turning->share = ESS_STILL_TURNING;
  for (size_t i = 0; i < s->count; i++) noise[i] = 0.0;
  for (size_t i = 0; !status && i < s->count; i++) {
    double share = share_of(d, i, noise[i]);
    if (share > ess_believed_share(d) && !is_measured) {
      status = find_noise(d, noise);
      is_measured = true;
      share = share_of(d, i, noise[i]);
    }
    if (!(share > turning->share)) continue;
    turning->share = share;
    turning->guard = SIZE_MAX;
  }
  if (status) return status;
  *too_far = ess_turns_too_far(d);
  for (size_t i = 0; i < s->count; i++) turning->pace[s->set[i]] = 0.0;
  return ESS_SUCCESS;
}

/* the step is cut where the state leaves; what lies beyond is passed later */
static int cut(ess_driver *d, ess_location *found, double theta) {
  found->cut = true;
  found->theta = theta;
  found->doubt_guard = SIZE_MAX;
  d->slides->leaves = true;
  for (size_t i = 0; i < d->flagged_count; i++)
    if (d->fate[d->flagged[i]] != ESS_FATE_PASSED) d->fate[d->flagged[i]] = ESS_FATE_SOUGHT;
  return ess_guards(d, d->t + theta * d->dt, d->x_try, d->h_try);
}

/* the first place at which one comes to its bound, by its model b; ESS_NEVER. *sure: of all. */
static double first_reached(const ess_driver *d, double before, double b[ESS_QUARTIC], bool *sure) {
  double first = ESS_NEVER;
  *sure = true;
  for (size_t i = 0; i < d->slides->count; i++)
    for (int upper = 0; upper < 2; upper++) {
      double its[ESS_QUARTIC];
      bool its_sure;
      const double theta = reaches(d, i, upper, its, &its_sure);
      *sure = *sure && its_sure;
      if (theta >= first) continue;
      first = theta;
      memcpy(b, its, sizeof its);
    }
  return first <= before ? first : ESS_NEVER;
}

/* from where a model comes to the bound half the way to where it comes back, or to the end */
static double amid(const double b[ESS_QUARTIC], double theta) {
  double until[ESS_QUARTIC], rest[ESS_QUARTIC];
  ess_quartic_split(b, theta, until, rest);
  for (int j = 0; j < ESS_QUARTIC; j++) rest[j] = -rest[j];
  return theta + 0.5 * ess_smaller(ess_quartic_upcrossing(rest), 1.0) * (1.0 - theta);
}

/* how far beyond its bound the farthest is at the j-th place seen */
static double seen_at(const ess_driver *d, int j) {
  return farthest(d->slides, d->slides->seen + (size_t)j * d->system.guard_count);
}

/* the first places seen between which one comes to its bound; false where none does */
static bool bracket(const ess_driver *d, double *below, double *y_below, double *above,
                    double *y_above) {
  *below = 0.0;
  *y_below = ess_smaller(seen_at(d, 0), -0.1 * BEYOND);
  for (int j = 1; j < ESS_SLIDE_LOOKS; j++) {
    const double y = seen_at(d, j), theta = (double)j / (ESS_SLIDE_LOOKS - 1);
    if (y >= 0.0) {
      *above = theta;
      *y_above = y;
      return true;
    }
    *below = theta;
    *y_below = y;
  }
  return false;
}

/* whether the surfaces still hold the state, in one way alone, where they have just been looked at
 */
static bool holds(const ess_driver *d, size_t worst[2]) {
  const ess_slides *const s = d->slides;
  return ess_principal_minors(s->count, s->g, NULL, worst, &s->box) != ESS_MINORS_NEGATIVE;
}

/* exits of the step, once lambda is known along it; *unsure where a shorter one has to tell */
static int find_exit(ess_driver *d, ess_location *found, bool *unsure) {
  bool sure;
  double b[ESS_QUARTIC], theta = first_reached(d, found->theta, b, &sure);
  double below, y_below, above = 1.0, y_above = 0.0;
  if (!sure && may_halve(d)) {
    *unsure = true;
    return ESS_SUCCESS;
  }
  if (theta > 1.0) return ESS_SUCCESS;
  const bool is_seen = bracket(d, &below, &y_below, &above, &y_above);
  if (!is_seen || theta < below) {
    // before that one is beyond between two places alone, by the model
    const double between = amid(b, theta);
    const int status = look_at(d, between);
    const double y = farthest(d->slides, d->slides->lambda);
    if (status || (!(y >= 0.0) && !is_seen)) return status;
    if (y >= 0.0) {
      above = between;
      y_above = y;
      below = floor(above * (ESS_SLIDE_LOOKS - 1)) / (ESS_SLIDE_LOOKS - 1);
      y_below = ess_smaller(seen_at(d, (int)(below * (ESS_SLIDE_LOOKS - 1))), -0.1 * BEYOND);
    }
  }
  const int status = refine(d, theta, below, y_below, above, y_above, &theta);
  if (status || theta > found->theta) return status;
  return cut(d, found, theta);
}

ess_verdict ess_slide_watch(ess_driver *d, ess_location *found) {
  ess_slides *const s = d->slides;
  const ess_verdict half = ess_refused(ESS_BY_EXIT, 0.5 * d->dt);
  size_t worst[2];
  const bool added = s->adds;
  if (!d->armed_count) ess_clear_flags(d);
  s->leaves = false;
  int status = look_at_ends(d);
  if (!status) status = ess_slide_look_adds(d, d->t + d->dt, d->x_end, s->set, s->count);
  if (status) return (ess_verdict){.status = status};
  if (added && !s->adds) { // by corners from here on
    if (s->count > 3)
      status = ess_slide_fail(d, s->set[0], s->set[1],
                              "jumps of more than three event functions that slide do not add up");
    memcpy(s->lambda, s->node, s->count * sizeof *s->lambda);
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
  if (s->leaves) held = holds(d, worst);
  if (!held && may_halve(d)) return half;
  if (!held) return (ess_verdict){.status = ess_slide_fail_pair(d, s->set, worst)};
  s->is_whole = !found->cut;
  return (ess_verdict){.stands = true};
}
