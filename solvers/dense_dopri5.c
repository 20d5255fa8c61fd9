/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dormand & Prince 5(4) with dense output: see dense_dopri5.h. */
#include "dense_dopri5.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROOM = DENSE_DOPRI5_ROOM, STAGES = DENSE_DOPRI5_STAGES };

/* nodes, stage weights, error weights b - b_hat, weights of the dense output */
static const double C[STAGES] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
static const double A[STAGES][STAGES - 1] = {
    {0.0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double E[STAGES] = {71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                 -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const double D[STAGES] = {-12715105075.0 / 11282082432.0,  0.0,
                                 87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                 701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                 69997945.0 / 29380423.0};

/* step control as in the book's own program (II.4 and appendix): safety, its two exponents, bounds
 * of a step's change, least error counted. libess has bounds of its own, which are not taken over:
 * a baseline is what others would have used. */
static const double safety = 0.9, alpha = 0.17, beta = 0.04;
static const double most_growth = 10.0, most_shrinking = 0.2, least_error = 1e-4;

dense_dopri5 dense_dopri5_make(size_t n, dense_dopri5_field field, void *params, double rtol,
                               double atol, double h_max) {
  return (dense_dopri5){
      .field = field, .params = params, .n = n, .rtol = rtol, .atol = atol, .h_max = h_max};
}

/* out = sum of weight[s]*k[s] over the first `count` stages, all components at once */
static inline void combine(const dense_dopri5 *d, const double weight[], int count, double out[]) {
  double sum[ROOM] = {0};
  for (int s = 0; s < count; s++)
    for (int i = 0; i < ROOM; i++) sum[i] += weight[s] * d->k[s][i];
  memcpy(out, sum, sizeof sum);
}

static int evaluate(dense_dopri5 *d, double t, const double x[], double dxdt[]) {
  return d->field(t, x, dxdt, d->params) ? DENSE_DOPRI5_EFIELD : DENSE_DOPRI5_SUCCESS;
}

/* root mean square of v, scaled by the tolerances at a and b */
static double scaled_norm(const dense_dopri5 *d, const double v[], const double a[],
                          const double b[]) {
  double sum = 0.0;
  for (size_t i = 0; i < d->n; i++) {
    const double size = fabs(a[i]) > fabs(b[i]) ? fabs(a[i]) : fabs(b[i]);
    // a component that is and stays zero is right at any tolerance
    const double scaled = v[i] == 0.0 ? 0.0 : v[i] / (d->atol + d->rtol * size);
    sum += scaled * scaled;
  }
  return sqrt(sum / (double)d->n);
}

/* an Euler step that moves the state by a hundredth of its size shows the second derivative */
static int first_step(dense_dopri5 *d, double t1) {
  double later[ROOM];
  const double size = scaled_norm(d, d->x, d->x, d->x), speed = scaled_norm(d, d->k[0], d->x, d->x);
  const bool usable = isfinite(size) && isfinite(speed) && size >= 1e-5 && speed >= 1e-5;
  const double euler = fmin(usable ? 0.01 * size / speed : 1e-6, t1 - d->t);
  for (int i = 0; i < ROOM; i++) later[i] = d->x[i] + euler * d->k[0][i];
  const int status = evaluate(d, d->t + euler, later, d->k[1]);
  if (status) return status;
  for (int i = 0; i < ROOM; i++) later[i] = d->k[1][i] - d->k[0][i];
  const double bend = scaled_norm(d, later, d->x, d->x) / euler;
  const double steepest = fmax(speed, bend);
  const double step = steepest > 1e-15 ? pow(0.01 / steepest, 0.2) : fmax(1e-6, 1e-3 * euler);
  d->next = fmin(100.0 * euler, step);
  if (!(d->next > 0.0)) d->next = euler;
  return DENSE_DOPRI5_SUCCESS;
}

int dense_dopri5_start(dense_dopri5 *d, double t, const double x[], double t1) {
  memset(d->x, 0, sizeof d->x);
  memset(d->x_end, 0, sizeof d->x_end);
  memset(d->k, 0, sizeof d->k);
  memcpy(d->x, x, d->n * sizeof *x);
  d->t = t;
  d->error_old = least_error;
  d->rejected = 0;
  const int status = dense_dopri5_refresh(d);
  return status ? status : first_step(d, t1);
}

/* the stages of a step of length h from the start; the last stage's state is the solution itself */
static int attempt(dense_dopri5 *d, double h, double *error) {
  double change[ROOM];
  for (int s = 1; s < STAGES; s++) {
    combine(d, A[s], s, change);
    for (int i = 0; i < ROOM; i++) d->x_end[i] = d->x[i] + h * change[i];
    const int status = evaluate(d, d->t + C[s] * h, d->x_end, d->k[s]);
    if (status) return status;
  }
  combine(d, E, STAGES, change);
  for (int i = 0; i < ROOM; i++) change[i] *= h;
  *error = scaled_norm(d, change, d->x, d->x_end);
  return DENSE_DOPRI5_SUCCESS;
}

int dense_dopri5_step(dense_dopri5 *d, double t1) {
  double h = fmin(d->next, d->h_max), error;
  for (bool refused = false;; refused = true) {
    // a rest too short for a step of its own is taken along
    const double rest = t1 - d->t;
    if (h > rest || rest - h < 1e-3 * h) h = rest;
    if (h < rest && !(h > 16.0 * DBL_EPSILON * fabs(d->t) && h > DBL_MIN))
      return DENSE_DOPRI5_EUNDERFLOW;
    const int status = attempt(d, h, &error);
    if (status) return status;
    const double factor = error > 0.0 ? safety * pow(error, -alpha) : INFINITY;
    if (!(error <= 1.0)) {
      h *= isfinite(error) ? fmax(most_shrinking, factor) : 0.1;
      d->rejected++;
      continue;
    }
    const double growth = fmax(most_shrinking, factor * pow(d->error_old, beta));
    d->next = h * fmin(refused ? 1.0 : most_growth, growth);
    d->error_old = fmax(error, least_error);
    d->h = h;
    d->t_end = h == rest ? t1 : d->t + h;
    d->dense_ready = false;
    return DENSE_DOPRI5_SUCCESS;
  }
}

static void prepare_dense(dense_dopri5 *d) {
  if (d->dense_ready) return;
  d->dense_ready = true;
  combine(d, D, STAGES, d->dense[3]);
  for (int i = 0; i < ROOM; i++) {
    const double rise = d->x_end[i] - d->x[i], bend = d->h * d->k[0][i] - rise;
    d->dense[0][i] = rise;
    d->dense[1][i] = bend;
    d->dense[2][i] = rise - d->h * d->k[STAGES - 1][i] - bend;
    d->dense[3][i] *= d->h;
  }
}

void dense_dopri5_at(dense_dopri5 *d, double theta, double x[]) {
  prepare_dense(d);
  const double rest = 1.0 - theta;
  for (size_t i = 0; i < d->n; i++)
    x[i] = d->x[i] +
           theta * (d->dense[0][i] +
                    rest * (d->dense[1][i] + theta * (d->dense[2][i] + rest * d->dense[3][i])));
}

void dense_dopri5_rate_at(dense_dopri5 *d, double theta, double dxdt[]) {
  prepare_dense(d);
  const double rest = 1.0 - theta, turn = rest - theta;
  for (size_t i = 0; i < d->n; i++)
    dxdt[i] =
        (d->dense[0][i] + turn * d->dense[1][i] +
         theta * ((2.0 - 3.0 * theta) * d->dense[2][i] + 2.0 * rest * turn * d->dense[3][i])) /
        d->h;
}

void dense_dopri5_write(dense_dopri5 *d, const solver_output *output, size_t *written, double theta,
                        double t) {
  for (; *written < output->count && output->times[*written] <= t; ++*written)
    dense_dopri5_at(d, fmin((output->times[*written] - d->t) / d->h, theta),
                    output->states + *written * d->n);
}

void dense_dopri5_accept(dense_dopri5 *d) {
  memcpy(d->x, d->x_end, sizeof d->x);
  memcpy(d->k[0], d->k[STAGES - 1], sizeof d->k[0]);
  d->t = d->t_end;
}

void dense_dopri5_halve(dense_dopri5 *d) {
  d->next = 0.5 * d->h;
  d->rejected++;
}

int dense_dopri5_cut(dense_dopri5 *d, double theta) {
  double x[ROOM];
  dense_dopri5_at(d, theta, x);
  memcpy(d->x, x, d->n * sizeof *x);
  d->t += theta * d->h;
  return dense_dopri5_refresh(d);
}

int dense_dopri5_refresh(dense_dopri5 *d) {
  return evaluate(d, d->t, d->x, d->k[0]);
}
