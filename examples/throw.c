/*
 * A throw planned by its gradient: a ball with two small thrusters falls onto a wavy floor,
 * bounces, and is to be at a target at a given time with as little thrust as that takes. Thrust is
 * a sum of sines, whose 32 weights are the parameters. The adjoint has the derivative of effort and
 * miss by all of them from one run, back through every bounce; L-BFGS does the rest. Differences
 * would take 33 runs for each gradient. SI units, a mass of 1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ess.h"
#include "ess_tangents.h"

enum { X, Z, VX, VZ, EFFORT, STATES };
enum { SINES = 16, PARAMETERS = 2 * SINES, MEMORY = 8, ITERATIONS_MAX = 200 };

static const double pi = 3.14159265358979323846, gravity = 9.81, restitution = 0.8;
static const double duration = 1.5, target[2] = {1.2, 0.6}, weight = 1e3;

static double floor_at(double x) {
  return 0.1 * cos(3.0 * x);
}

static double slope_at(double x) {
  return -0.3 * sin(3.0 * x);
}

static double sine(size_t j, double t) {
  return sin((double)(j + 1) * pi * t / duration);
}

/* along x from the first half of the weights, and up from the second */
static void thrust(const double p[], double t, double u[2]) {
  u[0] = u[1] = 0.0;
  for (size_t j = 0; j < SINES; j++) {
    u[0] += p[j] * sine(j, t);
    u[1] += p[SINES + j] * sine(j, t);
  }
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)sign;
  double u[2];
  thrust(params, t, u);
  dxdt[X] = x[VX];
  dxdt[Z] = x[VZ];
  dxdt[VX] = u[0];
  dxdt[VZ] = u[1] - gravity;
  dxdt[EFFORT] = 0.5 * (u[0] * u[0] + u[1] * u[1]);
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  (void)t, (void)x, (void)sign, (void)params;
  memset(J, 0, STATES * STATES * sizeof *J);
  J[X * STATES + VX] = J[Z * STATES + VZ] = 1.0;
  return 0;
}

static int by_parameters(double t, const double x[], const double sign[], double Fp[],
                         void *params) {
  (void)x, (void)sign;
  double u[2];
  thrust(params, t, u);
  memset(Fp, 0, STATES * PARAMETERS * sizeof *Fp);
  for (size_t j = 0; j < SINES; j++) {
    const double s = sine(j, t);
    Fp[VX * PARAMETERS + j] = Fp[VZ * PARAMETERS + SINES + j] = s;
    Fp[EFFORT * PARAMETERS + j] = u[0] * s;
    Fp[EFFORT * PARAMETERS + SINES + j] = u[1] * s;
  }
  return 0;
}

/* height above the floor */
static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t, (void)params;
  h[0] = x[Z] - floor_at(x[X]);
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t, (void)params;
  memset(Dh, 0, STATES * sizeof *Dh);
  Dh[X] = -slope_at(x[X]);
  Dh[Z] = 1.0;
  return 0;
}

/* the floor does not move with the thrust */
static int guard_by_parameters(double t, const double x[], double hp[], void *params) {
  (void)t, (void)x, (void)params;
  memset(hp, 0, PARAMETERS * sizeof *hp);
  return 0;
}

/* the speed into the floor comes back in part; that along it stays */
static int bounce(ess_impact *impact, void *params) {
  (void)params;
  const double slope = slope_at(impact->x[X]), size = hypot(slope, 1.0);
  const double normal[2] = {-slope / size, 1.0 / size};
  const double into = normal[0] * impact->x[VX] + normal[1] * impact->x[VZ];
  impact->after[VX] -= (1.0 + restitution) * into * normal[0];
  impact->after[VZ] -= (1.0 + restitution) * into * normal[1];
  impact->mode[0] = 1.0;
  impact->armed[ESS_GUARD_UP(0)] = false;
  impact->armed[ESS_GUARD_DOWN(0)] = true;
  return 0;
}

/* ---- what is to be least, and its gradient --------------------------------------------------- */

typedef struct throw {
  ess_driver *driver;
  double p[PARAMETERS], x[STATES], value;
  uint64_t runs;
}
throw;

/* effort, and the miss weighed; NULL: no gradient */
static int evaluate(throw *a, double gradient[]) {
  static const double start[STATES] = {[Z] = 1.0, [VX] = 0.3};
  double t = 0.0, outcome[STATES] = {0.0};
  a->runs++;
  memcpy(a->x, start, sizeof start);
  ess_driver_reset(a->driver);
  int status = ess_driver_apply(a->driver, &t, duration, a->x);
  if (status) return status;
  const double miss[2] = {a->x[X] - target[0], a->x[Z] - target[1]};
  a->value = a->x[EFFORT] + 0.5 * weight * (miss[0] * miss[0] + miss[1] * miss[1]);
  outcome[EFFORT] = 1.0;
  outcome[X] = weight * miss[0];
  outcome[Z] = weight * miss[1];
  return gradient ? ess_driver_adjoint(a->driver, 1, outcome, NULL, gradient) : ESS_SUCCESS;
}

/* ---- L-BFGS: the last steps, and how the gradient has changed along them --------------------- */

typedef struct past {
  double step[MEMORY][PARAMETERS], change[MEMORY][PARAMETERS];
  size_t count;
} past;

static double dot(const double a[], const double b[]) {
  double sum = 0.0;
  for (size_t i = 0; i < PARAMETERS; i++) sum += a[i] * b[i];
  return sum;
}

static void add(double factor, const double a[], double to[]) {
  for (size_t i = 0; i < PARAMETERS; i++) to[i] += factor * a[i];
}

/* minus the inverse Hessian, as the past tells it, times the gradient (the two loops) */
static void descend(const past *b, const double gradient[], double way[]) {
  double alpha[MEMORY];
  const size_t first = b->count > MEMORY ? b->count - MEMORY : 0;
  memcpy(way, gradient, PARAMETERS * sizeof *way);
  for (size_t i = b->count; i-- > first;) {
    const double *const s = b->step[i % MEMORY], *const y = b->change[i % MEMORY];
    alpha[i % MEMORY] = dot(s, way) / dot(s, y);
    add(-alpha[i % MEMORY], y, way);
  }
  if (b->count) {
    const size_t last = (b->count - 1) % MEMORY;
    const double scale =
        dot(b->step[last], b->change[last]) / dot(b->change[last], b->change[last]);
    for (size_t i = 0; i < PARAMETERS; i++) way[i] *= scale;
  }
  for (size_t i = first; i < b->count; i++) {
    const double *const s = b->step[i % MEMORY], *const y = b->change[i % MEMORY];
    add(alpha[i % MEMORY] - dot(y, way) / dot(s, y), s, way);
  }
  for (size_t i = 0; i < PARAMETERS; i++) way[i] = -way[i];
}

/* a step along the way that leads down far enough; false where none does */
static bool search(throw *a, const double gradient[], const double way[], double step[],
                   int *status) {
  double from[PARAMETERS], length = 1.0;
  const double before = a->value, slope = dot(gradient, way);
  memcpy(from, a->p, sizeof from);
  for (int tries = 0; tries < 40; tries++, length *= 0.5) {
    for (size_t i = 0; i < PARAMETERS; i++) {
      step[i] = length * way[i];
      a->p[i] = from[i] + step[i];
    }
    *status = evaluate(a, NULL);
    if (*status) return false;
    if (a->value <= before + 1e-4 * length * slope) return true;
  }
  memcpy(a->p, from, sizeof from);
  return false;
}

static int plan(throw *a) {
  static past b;
  double gradient[PARAMETERS], next[PARAMETERS], way[PARAMETERS];
  int status = evaluate(a, gradient);
  for (int i = 0; !status && i < ITERATIONS_MAX; i++) {
    if (i % 10 == 0) printf("%3d: %.9f\n", i, a->value);
    if (sqrt(dot(gradient, gradient)) < 1e-6) break;
    double *const step = b.step[b.count % MEMORY], *const change = b.change[b.count % MEMORY];
    descend(&b, gradient, way);
    if (!(dot(gradient, way) < 0.0) || !search(a, gradient, way, step, &status)) break;
    status = evaluate(a, next);
    for (size_t k = 0; k < PARAMETERS; k++) change[k] = next[k] - gradient[k];
    b.count += dot(step, change) > 0.0; // else the past says nothing of a minimum
    memcpy(gradient, next, sizeof gradient);
  }
  printf("least: %.9f, gradient %.1e\n", a->value, sqrt(dot(gradient, gradient)));
  return status;
}

int main(void) {
  throw a = {.runs = 0};
  const ess_impacts impacts = {.map = bounce};
  const ess_system ball = {.dimension = STATES,
                           .event_count = 1,
                           .field = field,
                           .field_jacobian = field_jacobian,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .impacts = &impacts,
                           .parameters = {.count = PARAMETERS,
                                          .values = a.p,
                                          .field_jacobian = by_parameters,
                                          .event_jacobian = guard_by_parameters},
                           .params = a.p};
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-10;
  int status;
  a.driver = ess_driver_alloc(&ball, &options, &status);
  if (a.driver) status = ess_driver_record(a.driver, (size_t)1 << 22);
  if (!status) status = plan(&a);
  for (size_t j = 0; j < SINES; j++)
    printf("thrust %2zu: %.12f %.12f\n", j + 1, a.p[j], a.p[SINES + j]);
  printf("%s after %llu runs: at %.6f m, %.6f m, effort %.6f\n", ess_strerror(status),
         (unsigned long long)a.runs, a.x[X], a.x[Z], a.x[EFFORT]);
  ess_driver_free(a.driver);
  return status;
}
