/*
 * Event functions under suspicion: whether one changes along the field as its Jacobian, or rate,
 * says. Nobody looks until a step is halved for a guard again and again, or a move goes
 * astray: a run with a right Jacobian pays nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "slides.h"

/* ---- grain -------------------------------------------------------------------------------- */

/* The grain of an event function: what is less is not told from zero. It is nought, until a step
 * is halved for one that stays in doubt however short the step is: such doubt is rounding, as
 * where a state rests on its zero, h = h' = 0, and differs from it by the last digits of large
 * numbers. It is nought again once the state has left. */

/* reduction of a step by halvings after which doubt must be rounding: doubt that depends on the
 * step size has vanished long before */
static const double HALVED = 1.0 / (1 << 24);

/* an event function that is so many grains has left its zero */
static const double LEFT = 10.0;

/* by how much state i moves one of the two ways, of so much at least */
static double astray(size_t i, double unit, int way) {
  const double part = 1.0 + ess_scattered(2 * i + (size_t)way + 1);
  return part * (way ? unit : i % 2 ? -unit : unit);
}

/* one of the two ways, into d->v_try */
static void move_by(ess_driver *d, double tolerances, double roundings, int way) {
  for (size_t i = 0; i < d->system.dimension; i++) {
    // the time that has passed, where it is a state more, is not off but for rounding
    const double size = fabs(d->x[i]);
    const double tolerance = i < ess_caller_states(d) ? d->atol[i] + d->rtol[i] * size : 0.0;
    d->v_try[i] = astray(i, tolerances * tolerance + roundings * DBL_EPSILON * size, way);
  }
}

/* what event functions change by along d->v_try, where that is more: of the first `count`, from k
 * on
 */
static int weigh_move(ess_driver *d, size_t k, size_t count, double weight[]) {
  d->t_seen = d->t;
  const int status = ess_guard_rates(d, d->t, d->x, d->v_try, d->h_try, d->rate_try);
  for (size_t i = 0; !status && i < count; i++)
    weight[i] = ess_larger(fabs(d->rate_try[k + i]), weight[i]);
  return status;
}

/* what event functions change by when each state moves by a part of its tolerance, and a multiple
 * of its rounding */
static int weigh(ess_driver *d, size_t k, size_t count, double tolerances, double roundings,
                 double weight[]) {
  int status = ESS_SUCCESS;
  for (size_t i = 0; i < count; i++) weight[i] = 0.0;
  for (int way = 0; !status && way < 2; way++) {
    move_by(d, tolerances, roundings, way);
    status = weigh_move(d, k, count, weight);
  }
  return status;
}

int ess_rates_astray(ess_driver *d, int way) {
  move_by(d, 1.0, 0.0, way);
  d->t_seen = d->t;
  return ess_guard_rates(d, d->t, d->x, d->v_try, d->h_try, d->rate_try);
}

int ess_allowed_error(ess_driver *d, size_t k, double *allowed) {
  return weigh(d, k, 1, 1.0, 8.0, allowed);
}

int ess_allowed_errors(ess_driver *d, double allowed[]) {
  return weigh(d, 0, d->system.guard_count, 1.0, 8.0, allowed);
}

int ess_rounding_error(ess_driver *d, size_t k, double *rounding) {
  return weigh(d, k, 1, 0.0, 8.0, rounding);
}

int ess_rounding_errors(ess_driver *d, double roundings[]) {
  return weigh(d, 0, d->system.guard_count, 0.0, 8.0, roundings);
}

/* signs of terms that differ at random do not let them cancel */
int ess_weigh_terms(ess_driver *d, const double v[], double terms[]) {
  const size_t m = d->system.guard_count;
  memset(terms, 0, m * sizeof *terms);
  for (int way = 0; way < 2; way++) {
    for (size_t i = 0; i < d->system.dimension; i++) d->v_try[i] = astray(i, v[i], way);
    const int status = weigh_move(d, 0, m, terms);
    if (status) return status;
  }
  return ESS_SUCCESS;
}

/* a map that mixes states rounds each of them by so many roundings of the largest that it mixes */
static const double MIXED = 64.0;

int ess_map_errors(ess_driver *d, const double before[], const double after[], double errors[]) {
  const size_t n = ess_caller_states(d), m = d->system.guard_count;
  double largest = 0.0;
  for (size_t i = 0; i < n; i++)
    if (after[i] != before[i])
      largest = ess_larger(ess_larger(fabs(before[i]), fabs(after[i])), largest);
  memset(errors, 0, m * sizeof *errors);
  for (int way = 0; way < 2; way++) {
    move_by(d, 0.0, 8.0, way);
    for (size_t i = 0; i < n; i++)
      if (after[i] != before[i]) d->v_try[i] += astray(i, MIXED * DBL_EPSILON * largest, way);
    const int status = weigh_move(d, 0, m, errors);
    if (status) return status;
  }
  return ESS_SUCCESS;
}

/* whether the rate of event function k is nought at both ends of the step that is in doubt, or
 * where it begins on its zero: what it changes by there may be rounding however long the step is */
static bool is_at_rest(const ess_driver *d, size_t k) {
  return d->rate[k] == 0.0 && (d->rate_end[k] == 0.0 || d->h[k] == 0.0);
}

/* Whether event function k stays on its zero, all along a step of a state that slides, by what is
 * slight beside what the tolerance lets it be off by: what is slid on may hold it there. */
static int is_held(ess_driver *d, size_t k, bool *held) {
  const double far[] = {d->h[k], d->h_check[0][k], d->h_mid[k], d->h_check[1][k], d->h_end[k]};
  double allowed;
  *held = false;
  if (!ess_is_sliding(d)) return ESS_SUCCESS;
  const int status = ess_allowed_error(d, k, &allowed);
  *held = true;
  for (size_t i = 0; i < sizeof far / sizeof *far; i++)
    *held = *held && fabs(far[i]) <= ESS_ROUNDING_PART * allowed;
  return status;
}

bool ess_is_shortest(const ess_driver *d) {
  return !(d->dt > 1e3 * DBL_EPSILON * ess_larger(fabs(d->t), d->doubt.longest));
}

int ess_coarsen(ess_driver *d, size_t k, bool *coarser) {
  // what rests has part in the rounding of all others in a step that solves for them together
  const bool is_solved = d->base->solves_all && d->h[k] == 0.0 && is_at_rest(d, k);
  bool held;
  int status = is_held(d, k, &held);
  const bool is_halved = d->dt <= HALVED * d->doubt.longest || is_solved || held;
  double allowed;
  *coarser = false;
  if (status || d->grain[k] > 0.0 || !(is_halved || ess_is_shortest(d) || is_at_rest(d, k)))
    return status;
  status = is_halved ? ess_allowed_error(d, k, &allowed) : ess_rounding_error(d, k, &allowed);
  const double doubt = d->inexact[k];
  if (status || !(doubt <= allowed && allowed > 0.0 && allowed < INFINITY)) return status;
  d->grain[k] = ess_larger(doubt, is_halved ? ESS_LOST_PART * allowed : allowed);
  d->is_coarse = *coarser = true;
  return ESS_SUCCESS;
}

int ess_refine(ess_driver *d) {
  const int status = weigh(d, 0, d->system.guard_count, 1.0, 8.0, d->some_h);
  d->is_coarse = false;
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    const double allowed = d->some_h[k], way = d->control.next * fabs(d->rate[k]);
    if (fabs(d->h[k]) > LEFT * d->grain[k] || d->grain[k] > allowed || way > allowed)
      d->grain[k] = 0.0;
    d->is_coarse |= d->grain[k] > 0.0;
  }
  return status;
}

/* what event functions differ by where states are moved by their tolerance, as above: of those that
 * turn within that it is less than their rates say. Into d->some_h. */
static int allowed_differences(ess_driver *d) {
  double *const allowed = d->some_h;
  memset(allowed, 0, d->guard_lanes * sizeof *allowed);
  for (int way = 0; way < 2; way++) {
    move_by(d, 1.0, 8.0, way);
    for (size_t i = 0; i < d->system.dimension; i++) d->x_try[i] = d->x[i] + d->v_try[i];
    const int status = ess_guards(d, d->t, d->x_try, d->h_try);
    if (status) return status;
    for (size_t k = 0; k < d->system.guard_count; k++)
      allowed[k] = ess_larger(fabs(d->h_try[k] - d->h[k]), allowed[k]);
  }
  return ESS_SUCCESS;
}

int ess_give_grains(ess_driver *d) {
  const int status = allowed_differences(d);
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    const double grain = ESS_ROUNDING_PART * d->some_h[k];
    const bool rests = fabs(d->h[k]) + d->control.next * fabs(d->rate[k]) <= grain;
    if (d->side[k] == 0.0 || !rests || !(grain < INFINITY)) continue;
    d->grain[k] = ess_larger(grain, d->grain[k]);
    d->is_coarse = true;
  }
  return status;
}

/* ---- rates that are contradicted ------------------------------------------------------------ */

/* consecutive halvings for one guard before its rates are checked */
enum { PATIENCE = 6 };

/* distance of a second place that is checked, over the rest of the run */
static const double FAR = 1e-2;

/* Check of a rate: difference quotients, each over a quarter of the interval before; number in a
 * row that must agree, and how well; relative difference of a wrong rate (at a kink a difference of
 * half would not be one). */
enum { QUOTIENTS = 8, AGREEING = 3 };
static const double AGREEMENT = 0.02, DISAGREEMENT = 0.25;

/* changes that are ignored, in units of the event function, and in roundings of its terms, which
 * may be larger (y - sin x) */
static const double NOISE = 1e3 * DBL_EPSILON, ROUNDED = 1e2;

/* a place on the path, and what is said of event function k there */
typedef struct place {
  double t;
  const double *x, *f;
  double h, rate;
} place;

/* whether k changes otherwise than the rate says on the way from a place, `length` along f or, when
 * that is negative, back: quotients agree with each other and not with the rate */
static int is_contradicted(ess_driver *d, size_t k, const place *p, double length,
                           bool *contradicted) {
  double last = NAN, way = 0.25 * length, rounding;
  int agreeing = 1, failed = ess_rounding_error(d, k, &rounding);
  *contradicted = false;
  if (failed) return failed;
  const double noise = NOISE * fabs(p->h) + ROUNDED * rounding;
  for (int i = 0; i < QUOTIENTS; i++, way *= 0.25) {
    for (size_t j = 0; j < d->system.dimension; j++) d->x_try[j] = p->x[j] + way * p->f[j];
    const int status = ess_guards(d, p->t + way, d->x_try, d->h_try);
    if (status) return status;
    const double change = d->h_try[k] - p->h, quotient = change / way;
    if (!(fabs(change) > noise)) return ESS_SUCCESS;
    const bool agrees = fabs(quotient - last) <= AGREEMENT * fabs(quotient);
    agreeing = agrees ? agreeing + 1 : 1;
    last = quotient;
    if (agreeing < AGREEING) continue;
    const double size = ess_larger(fabs(quotient), fabs(p->rate));
    *contradicted = fabs(quotient - p->rate) > DISAGREEMENT * size;
    return ESS_SUCCESS;
  }
  return ESS_SUCCESS;
}

/* whether the rate is contradicted at both ends of a piece of the path: at one it may be a kink */
static int examine(ess_driver *d, size_t k, const place *from, const place *to, double length,
                   bool *contradicted) {
  const int status = is_contradicted(d, k, from, length, contradicted);
  if (status || !*contradicted) return status;
  return is_contradicted(d, k, to, -length, contradicted);
}

/* the rate of event function k contradicts what it does */
static int contradict(ess_driver *d, size_t k) {
  const int status = ess_fail(d, ESS_EJACOBIAN, k);
  if (d->caller.differs)
    d->failure.reason = "guard_jacobian is not given, and differences of guards, which are used in "
                        "its place, contradict each other: guards has a kink or noise";
  return status;
}

/* the same of the step just tried */
static int examine_step(ess_driver *d, size_t k, bool *contradicted) {
  const double *const last = d->stage[d->base->last];
  const place from = {d->t, d->x, d->stage[d->base->first], d->h[k], d->rate[k]};
  const place to = {d->t + d->dt, d->x_end, last, d->h_end[k], d->rate_end[k]};
  return examine(d, k, &from, &to, d->dt, contradicted);
}

/* Where an event function turns too far steps may be as short as they get, and a rate that is a
 * difference is contradicted in all that are shorter than it, beside a kink. So the other place is
 * further away, straight along the field. */
int ess_suspect_turns(ess_driver *d) {
  const ess_turning *const s = &d->control.turning;
  const bool is_lasting = s->tries && s->tries % PATIENCE == 0;
  if (!is_lasting || !(s->share > ESS_STILL_TURNING)) return ESS_SUCCESS;
  const size_t k = s->guard;
  const double length = ess_larger(d->dt, FAR * (d->t_end - d->t));
  const double *const f = d->stage[d->base->first];
  double *const x = d->stage[1]; // the dense output is made
  for (size_t i = 0; i < d->lanes; i++) x[i] = d->x[i] + length * f[i];
  bool contradicted = false;
  int status = ess_guard_rates(d, d->t + length, x, f, d->h_try, d->rate_try);
  const place from = {d->t, d->x, f, d->h[k], d->rate[k]};
  const place to = {d->t + length, x, f, d->h_try[k], d->rate_try[k]};
  if (!status) status = examine(d, k, &from, &to, length, &contradicted);
  if (status) ess_no_failure(d); // the state need not come there
  return status || !contradicted ? ESS_SUCCESS : contradict(d, k);
}

int ess_suspect_step(ess_driver *d, size_t k) {
  d->doubt.count = k == d->doubt.guard ? d->doubt.count + 1 : 1;
  d->doubt.guard = k;
  d->doubt.is_on = true;
  d->doubt.longest = ess_larger(d->dt, d->doubt.longest);
  if (d->doubt.count % PATIENCE) return ESS_SUCCESS;
  bool contradicted;
  const int status = examine_step(d, k, &contradicted);
  return status || !contradicted ? status : contradict(d, k);
}

void ess_suspect_none(ess_driver *d) {
  if (!d->doubt.is_on) {
    d->doubt.longest = 0.0;
    d->doubt.count = 0;
  }
  d->doubt.is_on = false;
}

int ess_suspect_piece(ess_driver *d, size_t k, double h, double rate) {
  const ess_piece *const p = &d->piece;
  // halfway there is near enough not to ask
  if (!(fabs(d->h[k]) > 0.5 * fabs(h)) || !(p->length > 0.0)) return ESS_SUCCESS;
  const place from = {p->t0, p->x, p->c[0], h, rate};
  const place to = {d->t, d->x, d->f, d->h[k], d->rate[k]};
  bool contradicted;
  const int status = examine(d, k, &from, &to, p->length, &contradicted);
  return status || !contradicted ? status : contradict(d, k);
}
