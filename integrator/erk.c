/*
 * The explicit bases: the Dormand-Prince 5(4) pair with its 4th-order dense output, and a pair of
 * order 3.
 *
 * E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer
 * 1993: tableau II.5 table 5.2, first step II.4, dense output II.6 (6.12 and the text after it).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"

/* nodes c, stage weights a, error weights e = b - b_hat, dense-output weights d */
const double ess_dopri5_c[ESS_STAGES] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
const double ess_dopri5_a[ESS_STAGES][ESS_STAGES - 1] = {
    {0.0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
const double ess_dopri5_b[ESS_STAGES] = {35.0 / 384,     0.0,       500.0 / 1113, 125.0 / 192,
                                         -2187.0 / 6784, 11.0 / 84, 0.0};
const double ess_dopri5_e[ESS_STAGES] = {71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                         -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
const double ess_dopri5_d[ESS_STAGES] = {
    -12715105075.0 / 11282082432.0,  0.0,
    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0};

/* An explicit pair, whose last stage is at the step's end (first same as last). The largest of its
 * error estimates counts. */
typedef struct pair {
  int stages, estimates;
  const double *c, (*a)[ESS_STAGES - 1], (*error)[ESS_STAGES];
} pair;

static const pair DOPRI5 = {.stages = ESS_STAGES,
                            .estimates = 1,
                            .c = ess_dopri5_c,
                            .a = ess_dopri5_a,
                            .error = &ess_dopri5_e};

/* Of order 3. The embedded estimate of order 2 vanishes for motions that decay at the rate 1/dt, as
 * between bounces that die away, whatever the error of order 3. The other vanishes only at 5.25/dt,
 * where the embedded one is large. */
static const double BRIEF_C[] = {0.0, 1.0 / 2, 3.0 / 4, 1.0};
static const double BRIEF_A[][ESS_STAGES - 1] = {
    {0.0}, {1.0 / 2}, {0.0, 3.0 / 4}, {2.0 / 9, 1.0 / 3, 4.0 / 9}};
static const double BRIEF_ERROR[][ESS_STAGES] = {{-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8},
                                                 {3.0 / 40, -7.0 / 40, 2.0 / 40, 2.0 / 40}};
static const pair BRIEF = {
    .stages = 4, .estimates = 2, .c = BRIEF_C, .a = BRIEF_A, .error = BRIEF_ERROR};

/* to = base + dt * sum of weight[s] * stage[s] over the first `count` stages; base NULL is zero.
 * The stage that the field has just written comes last, so that all the rest need not wait for it.
 */
static inline void advance(const ess_driver *d, double dt, double *const stage[],
                           const double base[], const double weight[], int count, double to[]) {
  const size_t n = d->system.dimension;
  const double last_weight = dt * weight[count - 1];
  const double *const last = stage[count - 1];
  // a few states one by one: the field has just written them so, and a processor waits when it is
  // to read as one what was written as several; volatile keeps the compiler from doing that
  const volatile double *const just_written = last;
  for (size_t i = 0; n < ESS_LANES && i < n; i++) {
    double sum = 0.0;
    for (int s = 0; s < count - 1; s++) sum += weight[s] * stage[s][i];
    to[i] = (base ? base[i] + dt * sum : dt * sum) + last_weight * just_written[i];
  }
  for (size_t i = 0; n >= ESS_LANES && i < d->lanes; i += ESS_LANES) {
    ess_lanes sum = {0.0};
    for (int s = 0; s < count - 1; s++) sum += weight[s] * ess_lanes_load(stage[s] + i);
    sum *= dt;
    if (base) sum += ess_lanes_load(base + i);
    ess_lanes_store(to + i, sum + last_weight * ess_lanes_load(last + i));
  }
}

/* Inlined for each pair, and unrolled: its numbers are then constants, and the number of terms of
 * each sum is known. */
static inline __attribute__((always_inline)) int try_pair(ess_driver *d, const pair *p,
                                                          double *error) {
  const int last = p->stages - 1;
  double *few[ESS_STAGES];
  double *const *const stage = p->stages == ESS_STAGES ? d->stage : few;
  for (int s = 0; stage == few && s < last; s++) few[s] = d->stage[s];
  if (stage == few) few[last] = d->stage[ESS_STAGES - 1];
#pragma GCC unroll 6
  for (int s = 1; s <= last; s++) {
    // the last stage's state is the solution itself
    double *const x = s == last ? d->x_end : d->x_try;
    advance(d, d->dt, stage, d->x, p->a[s], s, x);
    const int status = ess_field(d, d->t + p->c[s] * d->dt, x, stage[s]);
    if (status) return status;
  }
  *error = 0.0;
  for (int i = 0; i < p->estimates; i++) {
    advance(d, d->dt, stage, NULL, p->error[i], p->stages, d->x_try);
    *error = ess_larger(*error, ess_scaled_norm(d, d->x_try, d->x, d->x_end));
  }
  return ESS_SUCCESS;
}

int ess_dopri5_try(ess_driver *d, double *error) {
  return d->base == &ess_base_brief ? try_pair(d, &BRIEF, error) : try_pair(d, &DOPRI5, error);
}

void ess_dopri5_stage_of(const ess_driver *d, int s, double dt, const double x[],
                         double *const stage[], double to[]) {
  advance(d, dt, stage, x, ess_dopri5_a[s], s, to);
}

double ess_dopri5_stage(const ess_driver *d, int s, double x[]) {
  if (s == 0)
    memcpy(x, d->x, d->lanes * sizeof *x);
  else
    ess_dopri5_stage_of(d, s, d->dt, d->x, d->stage, x);
  return d->t + ess_dopri5_c[s] * d->dt;
}

void ess_dopri5_sum(ess_sum what, double dt, const double base[], double *const rate[],
                    size_t count, double to[]) {
  const double *const weight = what == ESS_SUM_DENSE   ? ess_dopri5_d
                               : what == ESS_SUM_ERROR ? ess_dopri5_e
                                                       : ess_dopri5_a[what];
  const int stages = (int)what < ESS_STAGES ? (int)what : ESS_STAGES;
  ess_sum_rates(dt, base, rate, weight, stages, count, to);
}

/* without the last coefficient, which the stages between make, a cubic */
static void cubic_of(const ess_driver *d, double dt, const double x[], const double end[],
                     double *const stage[], double *const dense[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES) {
    const ess_lanes rise = ess_lanes_load(end + i) - ess_lanes_load(x + i);
    const ess_lanes bend = dt * ess_lanes_load(stage[0] + i) - rise;
    ess_lanes_store(dense[0] + i, rise);
    ess_lanes_store(dense[1] + i, bend);
    ess_lanes_store(dense[2] + i, rise - dt * ess_lanes_load(stage[6] + i) - bend);
  }
}

void ess_dopri5_dense_of(const ess_driver *d, double dt, const double x[], const double end[],
                         double *const stage[], double *const dense[]) {
  cubic_of(d, dt, x, end, stage, dense);
  advance(d, dt, stage, NULL, ess_dopri5_d, ESS_STAGES, dense[3]);
}

void ess_dense_of_pair(ess_driver *d) {
  cubic_of(d, d->dt, d->x, d->x_end, d->stage, d->dense);
  advance(d, d->dt, d->stage, NULL, ess_dopri5_d, ESS_STAGES, d->dense[3]);
}

void ess_dense_of_ends(ess_driver *d) {
  cubic_of(d, d->dt, d->x, d->x_end, d->stage, d->dense);
  memset(d->dense[3], 0, d->lanes * sizeof *d->dense[3]);
}

const ess_stepper ess_base_dopri5 = {.try = ess_dopri5_try,
                                     .judge = ess_control_judge,
                                     .dense = ess_dense_of_pair,
                                     .last = ESS_STAGES - 1,
                                     .alpha = 0.2 - 0.75 * ESS_BETA,
                                     .safety = ESS_SAFETY,
                                     .severity = ESS_SEVERITY,
                                     .brief = &ess_base_brief};
const ess_stepper ess_base_brief = {.try = ess_dopri5_try,
                                    .judge = ess_brief_judge,
                                    .dense = ess_dense_of_ends,
                                    .last = ESS_STAGES - 1,
                                    .severity = ESS_SEVERITY,
                                    .fallback = &ess_base_dopri5};

/* four states of it */
static inline ess_lanes four_along(const double x[], double *const dense[], double theta,
                                   size_t i) {
  const double rest = 1.0 - theta;
  const ess_lanes inner = ess_lanes_load(dense[2] + i) + rest * ess_lanes_load(dense[3] + i);
  const ess_lanes outer = ess_lanes_load(dense[1] + i) + theta * inner;
  return ess_lanes_load(x + i) + theta * (ess_lanes_load(dense[0] + i) + rest * outer);
}

void ess_dopri5_along(size_t count, const double x[], double *const dense[], double theta,
                      double to[]) {
  size_t i = 0;
  for (; i + ESS_LANES <= count; i += ESS_LANES)
    ess_lanes_store(to + i, four_along(x, dense, theta, i));
  if (i == count) return;
  const ess_lanes last = four_along(x, dense, theta, i);
  memcpy(to + i, &last, (count - i) * sizeof *to); // the caller's ends there
}

void ess_dopri5_dense(const ess_driver *d, double theta, double x[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES)
    ess_lanes_store(x + i, four_along(d->x, d->dense, theta, i));
}

void ess_dopri5_slope(const ess_driver *d, double theta, double slope[]) {
  const double rest = 1.0 - theta;
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double inner = d->dense[2][i] + rest * d->dense[3][i];
    const double middle = d->dense[1][i] + theta * inner;
    const double outer = d->dense[0][i] + rest * middle;
    const double turn = inner - theta * d->dense[3][i];
    slope[i] = (outer + theta * (rest * turn - middle)) / d->dt;
  }
}
