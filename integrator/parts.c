/*
 * Steps in parts, for V and the adjoint.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "slides.h"
#include "tangents.h"

/* shortest part of a step, over its length; most halvings at once */
static const double SHORTEST = 0x1.8p-31;
enum { AT_ONCE = 8 };

double ess_rounding_of(const ess_driver *d, const double x[], const double f[], const double J[],
                       const double direction[]) {
  if (ess_tangent_knows_field(d)) return 0.0;
  const bool noisy = ess_is_sliding_by_differences(d);
  const double part = noisy                     ? ESS_NOISY_PART
                      : d->tangents->is_central ? 2.0 * cbrt(DBL_EPSILON)
                                                : sqrt(DBL_EPSILON);
  const double step = ess_tangent_part(d, x, direction, part);
  const size_t n = d->system.dimension;
  double largest = 0.0;
  for (size_t i = 0; i < ess_caller_states(d); i++) {
    double size = fabs(f[i]);
    for (size_t l = 0; J && l < n; l++) size += fabs(J[i * n + l] * x[l]);
    largest = size <= largest ? largest : size + 0.0 * largest;
  }
  return step > 0.0 ? (noisy ? ESS_COMPUTED : DBL_EPSILON) * largest / step : 0.0;
}

/* ---- the step's own directions --------------------------------------------------------------- */

void ess_own_lay(ess_own *own, size_t n, ess_layout *l) {
  double **const k = own->k;
  ESS_LAY(l, double, ESS_OWN *n, &own->v, &own->end, &own->error, &k[0], &k[1], &k[2], &k[3], &k[4],
          &k[5], &k[6]);
  ESS_LAY(l, double, (n * n), &own->first, &own->last);
}

/* Each displaces every fourth state. Sizes and signs are the bits of a product, so that nothing
 * cancels; time is not displaced if it is a state. */
static void begin_own(const ess_driver *d, ess_own *own) {
  const size_t n = d->system.dimension;
  memset(own->v, 0, ESS_OWN * n * sizeof *own->v);
  for (size_t i = 0; i < ess_caller_states(d); i++) {
    const uint64_t mixed = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    const double size = ess_tangent_unit(d, i) * (0.5 + (double)(mixed >> 12) * 0x1p-52);
    own->v[i % ESS_OWN * n + i] = mixed & 1 ? -size : size;
  }
}

void ess_own_stage(ess_driver *d, int s, double dt, const double J[]) {
  ess_own *const own = &d->tangents->own;
  const size_t n = d->system.dimension;
  if (s == 0) begin_own(d, own);
  ess_dopri5_sum((ess_sum)s, dt, own->v, own->k, ESS_OWN * n, own->end);
  for (size_t j = 0; j < ESS_OWN; j++) ess_multiply(J, own->end + j * n, n, own->k[s] + j * n);
}

void ess_own_look(ess_driver *d, const double x[], const double f[], const double J[]) {
  ess_own *const own = &d->tangents->own;
  begin_own(d, own);
  for (size_t j = 0; j < ESS_OWN; j++)
    own->noise[j] = ess_rounding_of(d, x, f, J, own->v + j * d->system.dimension);
}

double ess_own_error(ess_driver *d, double dt) {
  const ess_own *const own = &d->tangents->own;
  const size_t n = d->system.dimension;
  double most = 0.0;
  ess_dopri5_sum(ESS_SUM_ERROR, dt, NULL, own->k, ESS_OWN * n, own->error);
  for (size_t j = 0; j < ESS_OWN; j++) {
    double *const error = own->error + j * n;
    const double lost =
        fabs(dt) * own->noise[j] + DBL_MIN / DBL_EPSILON; // what is denormal soon has decayed
    for (size_t i = 0; i < n; i++) error[i] = ess_larger(0.0, fabs(error[i]) - lost);
    const double its = ess_scaled_norm(d, error, own->v + j * n, own->end + j * n);
    if (!(its <= DBL_MAX)) return INFINITY;
    most = ess_larger(most, its);
  }
  return most / ESS_ALLOWED;
}

/* ---- parts ----------------------------------------------------------------------------------- */

double ess_pace_after(double pace, double length, double error) {
  const double wanted = error > 0.0 ? ESS_SAFETY * pow(error, -0.2) : ESS_GROW_MOST;
  const double factor = ess_clamp(wanted, ESS_SHRINK_MOST, ESS_GROW_MOST);
  if (error <= 1.0) return ess_larger(length * ess_larger(factor, 1.0), pace);
  // the error of a first step that is too long does not show by how much
  if (pace == 0.0) return ldexp(length, -AT_ONCE);
  return ess_smaller(pace, length * ess_smaller(factor, ESS_SAFETY));
}

/* resolved, share: weights with which the estimate is about the error of a step for a sine of any
 * phase, from a third of a period to more than one per step, and unchanged for shorter steps.
 * above: change over rounding from which they apply. */
double ess_seen_error(double error, double rounding, double change, double last) {
  static const double resolved = 1e-3, share = 9e-4, above = 1e3;
  if (!(change > above * rounding)) return error;
  const double of_error = error * error / (resolved * change),
               of_last = share * last * last / change;
  return error > 0.0 ? ess_larger(error, ess_larger(of_error, of_last)) : error;
}

double ess_parts_stage(const ess_parts *p, int s, double from, double to, double x[]) {
  const double node = ess_dopri5_c[s], place = node < 1.0 ? from + node * (to - from) : to;
  ess_dopri5_along(p->d->lanes, p->x, p->dense, place, x);
  return p->t + place * p->dt;
}

static int halve(ess_parts *p, double from, double to, ess_errors errors);

/* One part, or parts of it if it is beyond the pace or its errors are too large. The step's own
 * directions must allow each part, too. Of whole steps they would ask too much: fast motions that
 * have decayed in a stiff field. The pace asks for no part below the shortest: it may be that of a
 * step which was short for another reason. */
static int go(ess_parts *p, double from, double to) {
  const double in_time = fabs((to - from) * p->dt);
  ess_errors errors = {.its = INFINITY, .own = 0.0};
  if (ess_is_beyond(*p->pace, in_time) && 0.5 * (to - from) >= p->shortest)
    return halve(p, from, to, errors);
  if (p->tries++ >= p->d->options.max_steps) return ess_fail(p->d, ESS_EMAXSTEPS, SIZE_MAX);
  const int status = p->look(p, from, to, &errors);
  if (status) return status;
  *p->pace = ess_pace_after(*p->pace, in_time, errors.its);
  if (!(errors.its <= 1.0) || errors.own > 1.0) return halve(p, from, to, errors);
  p->go(p);
  return ESS_SUCCESS;
}

/* Halves a step or a part by as many powers of two as the fifth power of the length asks for. */
static int halve(ess_parts *p, double from, double to, ess_errors errors) {
  const double error = isnan(errors.own) ? errors.its : errors.own;
  const bool is_longer = error > 1.0;
  const int more = is_longer ? (int)ess_clamp(ceil(0.2 * log2(error)), 1.0, AT_ONCE) : 1;
  const int count = 1 << more;
  const double length = (to - from) / count;
  int status = ESS_SUCCESS;
  if (length < p->shortest)
    return ess_fail(p->d, isfinite(errors.its) ? ESS_EUNDERFLOW : ESS_EFIELD, SIZE_MAX);
  for (int i = 0; !status && i < count; i++) {
    const int part = p->goes_back ? count - 1 - i : i;
    const double begin = from + part * length;
    status = go(p, begin, part + 1 == count ? to : from + (part + 1) * length);
  }
  return status;
}

int ess_go_in_parts(ess_parts *p, double to, const ess_errors *errors) {
  p->shortest = SHORTEST * to;
  return errors ? halve(p, 0.0, to, *errors) : go(p, 0.0, to);
}
