/*
 * Event functions under suspicion: whether one changes along the field as its Jacobian, or rate,
 * says. Nobody looks until a step is halved for a guard again and again, or a projection goes
 * astray: a run with a right Jacobian pays nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "driver_state.h"
#include "grain.h"
#include "rodas.h"
#include "status.h"
#include "suspect.h"
#include "turning.h"

/* halvings for one guard, no step between them free of doubt, before it is looked at */
enum { PATIENCE = 6 };

/* where it only turns too far: how far away it is looked at, too, by what is left of the run */
static const double FAR = 1e-2;

/* difference quotients, each over a quarter of the way of the one before; as many in a row as must
 * agree, and how well; and by how much a rate must differ from them: at a kink half is nothing */
enum { QUOTIENTS = 8, AGREEING = 3 };
static const double AGREEMENT = 0.02, DISAGREEMENT = 0.25;

/* changes smaller than this many roundings say nothing: of the event function, or of what it is
 * made of, which may be larger (y - sin x) */
static const double NOISE = 1e3 * DBL_EPSILON, ROUNDINGS = 1e2;

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
  const double noise = NOISE * fabs(p->h) + ROUNDINGS * rounding;
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

/* how fast the state moves where the step just tried begins */
static const double *first_rates(const ess_driver *d) {
  return ess_by_rodas(d) ? d->stage[ESS_RODAS_FIRST] : d->f;
}

/* the same of the step just tried */
static int examine_step(ess_driver *d, size_t k, bool *contradicted) {
  const double *const last = ess_by_rodas(d) ? d->stage[ESS_RODAS_LAST] : d->stage[6];
  const place from = {d->t, d->x, first_rates(d), d->h[k], d->rate[k]};
  const place to = {d->t + d->dt, d->x_end, last, d->h_end[k], d->rate_end[k]};
  return examine(d, k, &from, &to, d->dt, contradicted);
}

/* Where an event function turns too far steps may be as short as they get, and a rate that is a
 * difference is contradicted in all that are shorter than it, beside a kink. So the other place is
 * further away, straight along the field. */
int ess_suspect_turns(ess_driver *d) {
  const ess_turning *const s = &d->turning;
  const bool is_lasting = s->tries && s->tries % PATIENCE == 0;
  if (!is_lasting || !(s->share > ESS_STILL_TURNING)) return ESS_SUCCESS;
  const size_t k = s->guard;
  const double length = ess_larger(d->dt, FAR * (d->t_end - d->t));
  const double *const f = first_rates(d);
  double *const x = d->stage[1]; // the dense output is made
  for (size_t i = 0; i < d->lanes; i++) x[i] = d->x[i] + length * f[i];
  bool contradicted = false;
  int status = ess_guard_rates(d, d->t + length, x, f, d->h_try, d->rate_try);
  const place from = {d->t, d->x, f, d->h[k], d->rate[k]};
  const place to = {d->t + length, x, f, d->h_try[k], d->rate_try[k]};
  if (!status) status = examine(d, k, &from, &to, length, &contradicted);
  if (status) ess_no_failure(d); // the state need not come there
  return status || !contradicted ? ESS_SUCCESS : ess_fail(d, ESS_EJACOBIAN, k);
}

int ess_suspect_step(ess_driver *d, size_t k) {
  d->doubts = k == d->doubted ? d->doubts + 1 : 1;
  d->doubted = k;
  d->is_doubting = true;
  d->longest_doubted = ess_larger(d->dt, d->longest_doubted);
  if (d->doubts % PATIENCE) return ESS_SUCCESS;
  bool contradicted;
  const int status = examine_step(d, k, &contradicted);
  return status || !contradicted ? status : ess_fail(d, ESS_EJACOBIAN, k);
}

void ess_suspect_none(ess_driver *d) {
  if (!d->is_doubting) d->longest_doubted = 0.0;
  if (!d->is_doubting) d->doubts = 0;
  d->is_doubting = false;
}

int ess_suspect_projection(ess_driver *d, size_t k, double h, double rate) {
  const ess_piece *const p = &d->piece;
  // halfway there is near enough not to ask
  if (!(fabs(d->h[k]) > 0.5 * fabs(h)) || !(p->length > 0.0)) return ESS_SUCCESS;
  const place from = {p->t0, p->x, p->c[0], h, rate};
  const place to = {d->t, d->x, d->f, d->h[k], d->rate[k]};
  bool contradicted;
  const int status = examine(d, k, &from, &to, p->length, &contradicted);
  return status || !contradicted ? status : ess_fail(d, ESS_EJACOBIAN, k);
}
