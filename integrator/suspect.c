/*
 * Doubts of event functions: how much they change by the errors of states, which of that is
 * rounding, and whether they change along the field as their Jacobians, or rates, say. The last is
 * looked at where a step is halved for a guard again and again, or a projection misses it: a run
 * with a right Jacobian pays nothing.
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

/* ---- errors of event functions --------------------------------------------------------------- */

/* States are moved in two directions, each state by another part of its error, at least by the
 * whole of it: terms of an event function that cancel along one do not along the other. */
enum { ASTRAY = 2 };

static double part_of(size_t i, double error, int direction) {
  const double part = 1.0 + ess_scattered(2 * i + (size_t)direction + 1);
  return part * (direction || i % 2 == 0 ? error : -error);
}

/* one of the directions, into d->v_try: by tolerances and by roundings of the states */
static void move_by(ess_driver *d, double tolerances, double roundings, int direction) {
  for (size_t i = 0; i < d->system.dimension; i++) {
    // the time that has passed, where it is a state more, is not off but for rounding
    const double size = fabs(d->x[i]);
    const double tolerance = i < ess_caller_states(d) ? d->atol[i] + d->rtol[i] * size : 0.0;
    d->v_try[i] = part_of(i, tolerances * tolerance + roundings * DBL_EPSILON * size, direction);
  }
}

/* the changes of `count` event functions from k on along d->v_try, where they are larger */
static int weigh(ess_driver *d, size_t k, size_t count, double change[]) {
  d->apply.t_seen = d->t;
  const int status = ess_guard_rates(d, d->t, d->x, d->v_try, d->h_try, d->rate_try);
  for (size_t i = 0; !status && i < count; i++)
    change[i] = ess_larger(fabs(d->rate_try[k + i]), change[i]);
  return status;
}

static int weigh_errors(ess_driver *d, size_t k, size_t count, double tolerances, double change[]) {
  int status = ESS_SUCCESS;
  memset(change, 0, count * sizeof *change);
  for (int direction = 0; !status && direction < ASTRAY; direction++) {
    move_by(d, tolerances, 8.0, direction);
    status = weigh(d, k, count, change);
  }
  return status;
}

int ess_rates_astray(ess_driver *d, int direction) {
  move_by(d, 1.0, 0.0, direction);
  d->apply.t_seen = d->t;
  return ess_guard_rates(d, d->t, d->x, d->v_try, d->h_try, d->rate_try);
}

int ess_allowed_error(ess_driver *d, size_t k, double *allowed) {
  return weigh_errors(d, k, 1, 1.0, allowed);
}

int ess_allowed_errors(ess_driver *d, double allowed[]) {
  return weigh_errors(d, 0, d->system.event_count, 1.0, allowed);
}

int ess_rounding_error(ess_driver *d, size_t k, double *rounding) {
  return weigh_errors(d, k, 1, 0.0, rounding);
}

int ess_rounding_errors(ess_driver *d, double roundings[]) {
  return weigh_errors(d, 0, d->system.event_count, 0.0, roundings);
}

int ess_weigh_terms(ess_driver *d, const double v[], double terms[]) {
  int status = ESS_SUCCESS;
  memset(terms, 0, d->system.event_count * sizeof *terms);
  for (int direction = 0; !status && direction < ASTRAY; direction++) {
    for (size_t i = 0; i < d->system.dimension; i++) d->v_try[i] = part_of(i, v[i], direction);
    status = weigh(d, 0, d->system.event_count, terms);
  }
  return status;
}

int ess_map_errors(ess_driver *d, const double before[], const double after[], double errors[]) {
  const size_t n = ess_caller_states(d), m = d->system.event_count;
  double largest = 0.0;
  int status = ESS_SUCCESS;
  for (size_t i = 0; i < n; i++)
    if (after[i] != before[i])
      largest = ess_larger(ess_larger(fabs(before[i]), fabs(after[i])), largest);
  memset(errors, 0, m * sizeof *errors);
  for (int direction = 0; !status && direction < ASTRAY; direction++) {
    move_by(d, 0.0, 8.0, direction);
    for (size_t i = 0; i < n; i++)
      if (after[i] != before[i]) d->v_try[i] += part_of(i, ESS_ROUNDING * largest, direction);
    status = weigh(d, 0, m, errors);
  }
  return status;
}

/* ---- grain ----------------------------------------------------------------------------------- */

/* The grain of an event function is the distance from its zero that is rounding. It is nought until
 * a step is halved for a guard that stays in doubt however short the step is, as where a state
 * rests on its zero, h = h' = 0, and differs from it by the last digits of large numbers; and again
 * once the state has left. */

bool ess_is_shortest(const ess_driver *d) {
  return !(d->dt > 1e3 * DBL_EPSILON * ess_larger(fabs(d->t), d->doubt.longest));
}

int ess_coarsen(ess_driver *d, size_t k, bool *coarser) {
  // reduction of a step by halvings after which doubt that depends on its length has vanished
  static const double HALVED = 1.0 / (1 << 24);
  const double h[] = {d->h[k], d->inside.beside[0][k], d->inside.middle[k], d->inside.beside[1][k],
                      d->h_end[k]};
  // the change of an event function whose rate is nought at both ends of the step, or at a
  // beginning on its zero, may be rounding however long the step is
  const bool rests = d->rate[k] == 0.0 && (d->rate_end[k] == 0.0 || d->h[k] == 0.0);
  // such a one has part in the rounding of all others in a step that solves for them together
  bool is_halved = d->dt <= HALVED * d->doubt.longest ||
                   (d->base->kind == ESS_IMPLICIT && d->h[k] == 0.0 && rests);
  double allowed;
  int status = ESS_SUCCESS;
  *coarser = false;
  if (ess_is_sliding(d)) { // the surfaces may hold it on its zero
    bool held = true;
    status = ess_allowed_error(d, k, &allowed);
    for (size_t i = 0; i < sizeof h / sizeof *h; i++)
      held = held && fabs(h[i]) <= ESS_GRAIN_AT_REST * allowed;
    is_halved = is_halved || held;
  }
  if (status || d->grains.of[k] > 0.0 || !(is_halved || rests || ess_is_shortest(d))) return status;
  status = is_halved ? ess_allowed_error(d, k, &allowed) : ess_rounding_error(d, k, &allowed);
  const double doubt = d->inside.inexact[k];
  if (status || !(doubt <= allowed && allowed > 0.0 && allowed < INFINITY)) return status;
  d->grains.of[k] = ess_larger(doubt, is_halved ? ESS_LOST * allowed : allowed);
  d->grains.any = *coarser = true;
  return ESS_SUCCESS;
}

int ess_refine(ess_driver *d) {

  const int status = ess_allowed_errors(d, d->some_h);
  d->grains.any = false;
  for (size_t k = 0; !status && k < d->system.event_count; k++) {
    const double allowed = d->some_h[k], change = d->control.next * fabs(d->rate[k]);
    if (fabs(d->h[k]) > ESS_GRAINS_AWAY * d->grains.of[k] || d->grains.of[k] > allowed ||
        change > allowed)
      d->grains.of[k] = 0.0;
    d->grains.any |= d->grains.of[k] > 0.0;
  }
  return status;
}

/* By differences of values, not by rates: an event function that turns within the tolerance differs
 * by less than its rates say. */
int ess_give_grains(ess_driver *d) {
  // returns at once have shortened the next step
  const double time = ess_larger(d->control.next, d->returns.natural);
  double *const allowed = d->some_h;
  memset(allowed, 0, d->event_lanes * sizeof *allowed);
  for (int direction = 0; direction < ASTRAY; direction++) {
    move_by(d, 1.0, 8.0, direction);
    for (size_t i = 0; i < d->system.dimension; i++) d->x_try[i] = d->x[i] + d->v_try[i];
    const int status = ess_event_values(d, d->t, d->x_try, d->h_try);
    if (status) return status;
    for (size_t k = 0; k < d->system.event_count; k++)
      allowed[k] = ess_larger(fabs(d->h_try[k] - d->h[k]), allowed[k]);
  }
  for (size_t k = 0; k < d->system.event_count; k++) {
    const double grain = ESS_GRAIN_AT_REST * allowed[k];
    const bool rests = fabs(d->h[k]) + time * fabs(d->rate[k]) <= grain;
    if (d->side[k] == 0.0 || !rests || !(grain < INFINITY)) continue;
    d->grains.of[k] = ess_larger(grain, d->grains.of[k]);
    d->grains.any = true;
  }
  return ESS_SUCCESS;
}

/* ---- rates that are contradicted ------------------------------------------------------------- */

/* tries of a step, or halvings for one guard, in a row before its rates are checked */
enum { PATIENCE = 6 };

/* Check of a rate: difference quotients, each over a quarter of the interval before; their
 * agreement; relative difference of a wrong rate, where a kink has half; and changes, in roundings
 * of the event function's terms, that are ignored. */
enum { RATE_QUOTIENTS = 8 };
static const double RATE_AGREEMENT = 0.02, RATE_WRONG = 0.25, CHANGE_ROUNDINGS = 1e2;

/* a state of the path, with the value and rate of the event function there */
typedef struct place {
  double t;
  const double *x, *f;
  double h, rate;
} place;

/* whether quotients of k from a place over `length` along f, or back where that is negative, agree
 * with each other and not with the rate */
static int is_contradicted(ess_driver *d, size_t k, const place *p, double length,
                           bool *contradicted) {
  double last = NAN, way = 0.25 * length, rounding;
  int agreeing = 1, status = ess_rounding_error(d, k, &rounding);
  *contradicted = false;
  for (int i = 0; !status && i < RATE_QUOTIENTS; i++, way *= 0.25) {
    for (size_t j = 0; j < d->system.dimension; j++) d->x_try[j] = p->x[j] + way * p->f[j];
    status = ess_event_values(d, p->t + way, d->x_try, d->h_try);
    if (status) return status;
    const double change = d->h_try[k] - p->h, quotient = change / way;
    if (!(fabs(change) > CHANGE_ROUNDINGS * (8.0 * DBL_EPSILON * fabs(p->h) + rounding)))
      return status;
    const bool agrees = fabs(quotient - last) <= RATE_AGREEMENT * fabs(quotient);
    agreeing = agrees ? agreeing + 1 : 1;
    last = quotient;
    if (agreeing < ESS_AGREEING) continue;
    const double size = ess_larger(fabs(quotient), fabs(p->rate));
    *contradicted = fabs(quotient - p->rate) > RATE_WRONG * size;
    return status;
  }
  return status;
}

/* fails where the rate is contradicted at both ends of a piece of the path: at one it may be a kink
 */
static int examine(ess_driver *d, size_t k, const place *from, const place *to, double length) {
  bool contradicted;
  int status = is_contradicted(d, k, from, length, &contradicted);
  if (!status && contradicted) status = is_contradicted(d, k, to, -length, &contradicted);
  if (status || !contradicted) return status;
  status = ess_fail(d, ESS_EJACOBIAN, k);
  if (d->caller.rates == ESS_RATES_BY_DIFFERENCES && k < d->watched.first)
    d->failure.reason =
        "event_jacobian is not given, and differences of event_functions, which are used in "
        "its place, contradict each other: event_functions has a kink or noise";
  if (k >= d->watched.first)
    d->failure.reason = "differences of watch.values contradict each other: it has a kink or noise";
  return status;
}

/* Where an event function turns too far steps may be as short as they get, and a rate that is a
 * difference is contradicted in all that are shorter than it, beside a kink. So the other place is
 * further away, straight along the field. */
int ess_suspect_turns(ess_driver *d) {
  static const double SECOND_PLACE = 1e-2; // of the rest of the run
  const ess_turning *const s = &d->control.turning;
  const bool is_lasting = s->tries && s->tries % PATIENCE == 0;
  if (!is_lasting || !(s->share > ESS_STILL_TURNING)) return ESS_SUCCESS;
  const size_t k = s->guard;
  const double length = ess_larger(d->dt, SECOND_PLACE * (d->apply.t_end - d->t));
  const double *const f = d->stage[d->base->first];
  double *const x = d->stage[1]; // the dense output is made
  for (size_t i = 0; i < d->lanes; i++) x[i] = d->x[i] + length * f[i];
  int status = ess_guard_rates(d, d->t + length, x, f, d->h_try, d->rate_try);
  const place from = {d->t, d->x, f, d->h[k], d->rate[k]};
  const place to = {d->t + length, x, f, d->h_try[k], d->rate_try[k]};
  if (!status) status = examine(d, k, &from, &to, length);
  if (status && status != ESS_EJACOBIAN) ess_no_failure(d); // the state need not come there
  return status == ESS_EJACOBIAN ? status : ESS_SUCCESS;
}

int ess_suspect_step(ess_driver *d, size_t k) {
  d->doubt.count = k == d->doubt.guard ? d->doubt.count + 1 : 1;
  d->doubt.guard = k;
  d->doubt.step = d->counters.steps;
  d->doubt.longest = ess_larger(d->dt, d->doubt.longest);
  if (d->doubt.count % PATIENCE) return ESS_SUCCESS;
  const double *const last = d->stage[d->base->last];
  const place from = {d->t, d->x, d->stage[d->base->first], d->h[k], d->rate[k]};
  const place to = {d->t + d->dt, d->x_end, last, d->h_end[k], d->rate_end[k]};
  return examine(d, k, &from, &to, d->dt);
}

void ess_suspect_none(ess_driver *d) {
  if (d->doubt.step == d->counters.steps) return; // this one has been halved
  d->doubt.longest = 0.0;
  d->doubt.count = 0;
}

int ess_suspect_piece(ess_driver *d, size_t k, double h, double rate) {
  const ess_piece *const p = &d->piece;
  // halfway there is near enough not to ask
  if (!(fabs(d->h[k]) > 0.5 * fabs(h)) || !(p->length > 0.0)) return ESS_SUCCESS;
  const place from = {p->t0, p->x, p->c[0], h, rate};
  const place to = {d->t, d->x, d->f, d->h[k], d->rate[k]};
  return examine(d, k, &from, &to, p->length);
}
