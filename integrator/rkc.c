/*
 * The stabilised base: Runge-Kutta-Chebyshev of order 2, with as many stages as the step takes to
 * be stable. Their number grows with the square root of the step's length.
 *
 * B. P. Sommeijer, L. F. Shampine, J. G. Verwer, RKC: an explicit solver for parabolic PDEs,
 * J. Comput. Appl. Math. 88 (1998) 315-326: the recursion and its stability in 2, the error in 3.1,
 * the spectral radius in 3.2.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"

/* RKC. DAMPING: of its polynomial. s stages are stable if radius times length <= (s^2 - 1) /
 * STABLE. RADIUS_MARGIN: factor on the spectral radius, which may be larger than found. */
static const double DAMPING = 2.0 / 13.0, STABLE = 1.54, RADIUS_MARGIN = 1.2;

/* bounds accumulated rounding */
enum { STAGES_MOST = 250 };

/* power iteration: relative change at convergence, and largest number of iterations */
static const double RADIUS_CONVERGED = 0.05;
enum { RADIUS_ITERATIONS = 20 };

/* stages, not rounded, that are stable for this radius times length */
static double stages_for(double extent) {
  return sqrt(1.0 + STABLE * RADIUS_MARGIN * extent);
}

/* ---- the spectral radius --------------------------------------------------------------------- */

double ess_size_beside(const ess_driver *d, const double v[], const double w[]) {
  const size_t n = d->caller.system.dimension; // time is not stiff
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double part = (w ? v[i] - w[i] : v[i]) / ess_unit_beside(d, i);
    sum += part * part;
  }
  return sqrt(sum / (double)n);
}

/* the field's Jacobian has a spectral radius of this or more: it is f at x and f_before at
 * x_before; 0 where that does not show */
static double radius_between(const ess_driver *d, const double f[], const double f_before[],
                             const double x[], const double x_before[]) {
  const double rate = ess_size_beside(d, f, f_before) / ess_size_beside(d, x, x_before);
  return rate < INFINITY ? rate : 0.0; // not a number where nothing has moved
}

double ess_radius_shown(ess_driver *d, double ripple[]) {
  const double *const f = d->stage[ESS_STAGES - 1], *const f_before = d->stage[ESS_STAGES - 2];
  for (size_t i = 0; i < d->lanes; i++) ripple[i] = f[i] - f_before[i];
  (void)ess_dopri5_stage(d, ESS_STAGES - 2, d->x_try); // that before the last, at the end too
  return radius_between(d, f, f_before, d->x_end, d->x_try);
}

/* The first direction has a part in each state, by no pattern that a field may share. */
int ess_find_radius(ess_driver *d, ess_multiplier *multiply) {
  ess_stabilised *const s = &d->stabilised;
  const double size = ess_size_beside(d, s->direction, NULL);
  double found = 0.0;
  if (!(size > 0.0 && size < INFINITY))
    for (size_t i = 0; i < ess_caller_states(d); i++) // time is not stiff
      s->direction[i] = (2.0 * ess_scattered(i + 1) - 1.0) * ess_unit_beside(d, i);
  s->tries = 0;
  for (int k = 0; k < RADIUS_ITERATIONS; k++) {
    double grown;
    const int status = multiply(d, s->direction, &grown);
    if (status) return status;
    const double before = found;
    // the error control sees a field that is not a number
    if (!(grown > 0.0 && grown < INFINITY)) break;
    found = grown;
    if (fabs(found - before) <= RADIUS_CONVERGED * found) break;
  }
  s->radius = found;
  return ESS_SUCCESS;
}

/* by a difference of the field at the node */
static int multiply(ess_driver *d, double v[], double *grown) {
  const size_t n = d->system.dimension;
  double *const beside = d->stage[1], *const rate = d->stage[2];
  const double step = sqrt(DBL_EPSILON) / ess_size_beside(d, v, NULL);
  for (size_t i = 0; i < n; i++) beside[i] = d->x[i] + step * v[i];
  const int status = ess_field(d, d->t, beside, rate);
  *grown = radius_between(d, rate, d->f, beside, d->x);
  for (size_t i = 0; i < n; i++) v[i] = rate[i] - d->f[i];
  return status;
}

static int begin(ess_driver *d) {
  const double most = (double)STAGES_MOST * STAGES_MOST - 1.0;
  int status = ESS_SUCCESS;
  if (d->stabilised.tries >= ESS_RADIUS_TRIES) status = ess_find_radius(d, multiply);
  ess_control_bound(d, ESS_BY_STABILITY, most / (STABLE * RADIUS_MARGIN * d->stabilised.radius));
  return status;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* T, T' and T'' at w0, of two degrees in a row */
typedef struct chebyshev {
  double w0, t[2], slope[2], bend[2];
} chebyshev;

static chebyshev first_two(int stages) {
  const double w0 = 1.0 + DAMPING / ((double)stages * stages);
  return (chebyshev){.w0 = w0, .t = {1.0, w0}, .slope = {0.0, 1.0}};
}

static void next_degree(chebyshev *c) {
  const double w0 = c->w0;
  const double t = 2.0 * w0 * c->t[1] - c->t[0];
  const double slope = 2.0 * (c->t[1] + w0 * c->slope[1]) - c->slope[0];
  const double bend = 4.0 * c->slope[1] + 2.0 * w0 * c->bend[1] - c->bend[0];
  *c = (chebyshev){w0, {c->t[1], t}, {c->slope[1], slope}, {c->bend[1], bend}};
}

/* x_end and the field there, and the last stage before them, with its field in stage[1] */
static int make_stages(ess_driver *d, int stages, const double **before) {
  const size_t n = d->lanes;
  const double dt = d->dt;
  const double *const x = d->x, *const f = d->stage[0];
  double *const rate = d->stage[1], *older = d->stage[2], *old = d->stage[3], *next = d->stage[4];
  chebyshev c = first_two(stages);
  for (int j = 2; j <= stages; j++) next_degree(&c);
  const double w1 = c.slope[1] / c.bend[1]; // which makes the polynomial that of order 2
  c = first_two(stages);
  double b_older = 1.0 / (4.0 * c.w0 * c.w0), b_old = b_older; // as T_2 has it
  double node_older = 0.0, node_old = b_old * w1;
  memcpy(older, x, n * sizeof *older);
  for (size_t i = 0; i < n; i++) old[i] = x[i] + dt * node_old * f[i];
  for (int j = 2; j <= stages; j++) {
    const double a = 1.0 - b_old * c.t[1];
    const int status = ess_field(d, d->t + ess_smaller(node_old, 1.0) * dt, old, rate);
    if (status) return status;
    next_degree(&c);
    const double b = c.bend[1] / (c.slope[1] * c.slope[1]);
    const double mu = 2.0 * c.w0 * b / b_old, nu = -b / b_older, gain = 2.0 * w1 * b / b_old;
    double *const to = j == stages ? d->x_end : next;
    for (size_t i = 0; i < n; i++)
      to[i] =
          (1.0 - mu - nu) * x[i] + mu * old[i] + nu * older[i] + dt * gain * (rate[i] - a * f[i]);
    const double node = mu * node_old + nu * node_older + gain * (1.0 - a);
    node_older = node_old;
    node_old = node;
    b_older = b_old;
    b_old = b;
    next = older;
    older = old;
    old = to;
  }
  *before = older;
  return ess_field(d, d->t + dt, d->x_end, d->stage[6]);
}

void ess_estimate_by_ends(ess_driver *d) {
  const double *const f = d->stage[0], *const f_end = d->stage[6];
  for (size_t i = 0; i < d->lanes; i++)
    d->x_try[i] = 0.8 * (d->x[i] - d->x_end[i]) + 0.4 * d->dt * (f[i] + f_end[i]);
}

/* The error of an RKC step, over the tolerance: (R2) of docs/theory/stiff.md. The local error grows
 * with h^3, the global one with h^2: control of the local error alone would reduce the global error
 * only as tolerance^(2/3). The geometric mean of the local error and the change of state grows with
 * h^2; OF_MEAN is its weight. The result is at most local error / OF_ERROR, since that error may be
 * rounding. */
static const double OF_MEAN = 0.05, OF_ERROR = 0.03;

double ess_error_of_order_2(ess_driver *d) {
  const double error = ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x_end[i] - d->x[i];
  const double moves = ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  const double mean = ess_smaller(OF_MEAN * sqrt(error * moves), error / OF_ERROR);
  return ess_larger(mean, error);
}

static int try_rkc(ess_driver *d, double *error) {
  ess_stabilised *const s = &d->stabilised;
  const double *before = NULL;
  s->tries++;
  s->stages = 1 + (int)ess_smaller(stages_for(d->dt * s->radius), STAGES_MOST - 1);
  const int status = make_stages(d, s->stages, &before);
  if (status) return status;
  // an unstable motion outgrows all others in a step: then this is its rate
  const double seen = radius_between(d, d->stage[6], d->stage[1], d->x_end, before);
  s->radius = ess_larger(seen, s->radius);
  ess_estimate_by_ends(d);
  *error = ess_error_of_order_2(d);
  return ESS_SUCCESS;
}

static double cost(ess_driver *d) {
  return d->stabilised.stages / d->dt;
}

static double cost_instead(ess_driver *d, double radius) {
  const double error = ess_severity(d) * ess_error_of_order_2(d);
  const double length = d->dt * ess_smaller(ESS_GROW_MOST, ESS_SAFER * pow(error, -ESS_BY_SQUARE));
  return (0.5 + stages_for(radius * length)) / length; // half a stage is rounded up
}

/* chosen for less than dopri5 takes, which is more accurate */
const ess_stepper ess_base_rkc = {.kind = ESS_STABILISED,
                                  .begin = begin,
                                  .try = try_rkc,
                                  .judge = ess_control_judge,
                                  .dense = ess_dense_of_ends,
                                  .last = ESS_STAGES - 1,
                                  .alpha = ESS_BY_SQUARE,
                                  .safety = ESS_SAFETY,
                                  .severity = ESS_SEVERITY,
                                  .cost = cost,
                                  .cost_instead = cost_instead,
                                  .begins = 0.4,
                                  .ends = 0.6};
