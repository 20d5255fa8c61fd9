/*
 * Bilateral constraints that do not couple limbs leave the flow differentiable (Pace & Burden 2017,
 * 5.9): the soft trot with each foot made of two masses on a rigid bar, by multipliers, in
 * coordinates that have the bar as a constraint. It is the trot with feet of both masses, whose
 * numbers are known.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ess.h"
#include "ess_tangents.h"

enum { Z, THETA, VZ, OMEGA, LIMB, LIMB_STATES = 4, N = LIMB + 2 * LIMB_STATES };
enum { KNEE, FOOT, V_KNEE, V_FOOT }; /* of a limb */
enum { LANDS, LEAVES, EVENTS };

static const double g = 9.81, mass = 1.0, inertia = 2.0, stiffness = 400.0, damping = 5.0;
static const double bar = 0.2, leg = 0.8, masses[2] = {0.06, 0.04}, side[2] = {-1.0, 1.0};

static double leg_force(const double x[], int i) {
  const double *const y = x + LIMB + i * LIMB_STATES;
  const double length = x[Z] + side[i] * sin(x[THETA]) - y[KNEE];
  const double rate = x[VZ] + side[i] * cos(x[THETA]) * x[OMEGA] - y[V_KNEE];
  return stiffness * (leg - length) - damping * rate;
}

/*
 * What the constraints take from a limb's rates, or accelerations, v: M^-1 A' (A M^-1 A')^-1 A v,
 * with the bar's row (1, -1) and, where the foot is held, the ground's (0, 1). The multiplier of
 * the ground is returned.
 */
static double constrain(bool held, double v[2]) {
  const double a = 1.0 / masses[KNEE], b = 1.0 / masses[FOOT];
  const double bar_only = (v[KNEE] - v[FOOT]) / (a + b);
  // [a + b, -b; -b, b] (bar, ground) = (v_knee - v_foot, v_foot)
  const double along = held ? v[KNEE] / a : bar_only;
  const double ground = held ? v[FOOT] / b + along : 0.0;
  v[KNEE] -= a * along;
  v[FOOT] -= b * (ground - along);
  return -ground;
}

static double accelerate(const double x[], int i, bool held, double v[2]) {
  v[KNEE] = -leg_force(x, i) / masses[KNEE] - g;
  v[FOOT] = -g;
  return constrain(held, v);
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)params;
  double force = 0.0, torque = 0.0;
  for (int i = 0; i < 2; i++) {
    const double *const y = x + LIMB + i * LIMB_STATES;
    double *const dy = dxdt + LIMB + i * LIMB_STATES;
    const double f = leg_force(x, i);
    force += f;
    torque += side[i] * cos(x[THETA]) * f;
    dy[KNEE] = y[V_KNEE];
    dy[FOOT] = y[V_FOOT];
    accelerate(x, i, sign[i * EVENTS + LANDS] > 0.0, dy + V_KNEE);
  }
  dxdt[Z] = x[VZ];
  dxdt[THETA] = x[OMEGA];
  dxdt[VZ] = force / mass - g;
  dxdt[OMEGA] = torque / inertia;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  for (int i = 0; i < 2; i++) {
    double v[2];
    h[i * EVENTS + LANDS] = -x[LIMB + i * LIMB_STATES + FOOT];
    h[i * EVENTS + LEAVES] = -accelerate(x, i, true, v);
  }
  return 0;
}

/* of the forces by differences, which the pieces of them take exactly enough */
static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  static const double step = 1e-6;
  double y[N], above[2 * EVENTS], below[2 * EVENTS];
  memcpy(y, x, sizeof y);
  for (int j = 0; j < N; j++) {
    y[j] = x[j] + step;
    event_functions(0.0, y, above, params);
    y[j] = x[j] - step;
    event_functions(0.0, y, below, params);
    y[j] = x[j];
    for (int k = 0; k < 2 * EVENTS; k++) Dh[k * N + j] = (above[k] - below[k]) / (2.0 * step);
  }
  return 0;
}

/* the field is linear but for the rotation: wide differences of order 4 have ten digits and more */
static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  static const double step = 1e-3;
  double y[N], f[4][N];
  memcpy(y, x, sizeof y);
  for (int j = 0; j < N; j++) {
    for (int k = 0; k < 4; k++) {
      y[j] = x[j] + step * (k < 2 ? k - 2 : k - 1);
      field(t, y, sign, f[k], params);
    }
    y[j] = x[j];
    for (int i = 0; i < N; i++)
      J[i * N + j] = (8.0 * (f[2][i] - f[1][i]) - (f[3][i] - f[0][i])) / (12.0 * step);
  }
  return 0;
}

static int change(ess_impact *impact, void *params) {
  (void)params;
  for (size_t e = 0; e < impact->count; e++) {
    const size_t i = impact->events[e] / EVENTS, lands = impact->events[e] % EVENTS == LANDS;
    double *const y = impact->after + LIMB + i * LIMB_STATES;
    impact->mode[i * EVENTS + LANDS] = lands ? 1.0 : -1.0;
    impact->armed[ESS_GUARD_DOWN(i * EVENTS + LANDS)] = false;
    impact->armed[ESS_GUARD_UP(i * EVENTS + LANDS)] = false;
    impact->armed[ESS_GUARD_UP(i * EVENTS + LEAVES)] = lands;
    impact->mode[i * EVENTS + LEAVES] = -1.0;
    if (lands) constrain(true, y + V_KNEE);
  }
  return 0;
}

static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)x, (void)params;
  memset(armed, 0, 4 * EVENTS * sizeof *armed);
  for (int i = 0; i < 2; i++) {
    sign[i * EVENTS + LANDS] = sign[i * EVENTS + LEAVES] = -1.0;
    armed[ESS_GUARD_UP(i * EVENTS + LANDS)] = true;
  }
  return 0;
}

static const ess_impacts impacts = {.map = change};
static const ess_system linked = {.dimension = N,
                                  .event_count = 2 * EVENTS,
                                  .field = field,
                                  .event_functions = event_functions,
                                  .event_jacobian = event_jacobian,
                                  .impacts = &impacts,
                                  .start = start,
                                  .field_jacobian = field_jacobian};

static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.10g is not %.10g", value, known);
}

/* x at t, and its derivative by the initial rotation */
static void follow(double t1, double x[N], double d[N]) {
  static const double along[N] = {[THETA] = 1.0};
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-11;
  int status;
  double t = 0.0;
  const double from[N] = {1.5, 0.0, -1.0, 0.0, 0.7, 0.5, -1.0, -1.0, 0.7, 0.5, -1.0, -1.0};
  memcpy(x, from, sizeof from);
  ess_driver *const driver = ess_driver_alloc(&linked, &options, &status);
  assert_non_null(driver);
  assert_int_equal(ess_driver_follow(driver, 1, along), ESS_SUCCESS);
  status = ess_driver_apply(driver, &t, t1, x);
  if (status) fail_msg("%s at t = %g", ess_strerror(status), ess_driver_failure(driver)->time);
  assert_int_equal(ess_driver_smoothness(driver)->kind, ESS_SMOOTH_C1);
  assert_true(ess_driver_smoothness(driver)->instants >= 1);
  memcpy(d, ess_driver_tangent(driver), N * sizeof *d);
  ess_driver_free(driver);
}

static void bars_within_limbs_leave_the_flow_differentiable(void **state) {
  (void)state;
  double x[N], d[N];
  follow(0.3, x, d);
  near(x[Z], 0.90566906, 1e-8);
  near(x[VZ], 0.83307829, 1e-8);
  near(d[THETA], 0.09277210, 1e-7);
  near(d[OMEGA], -15.509511, 1e-5);

  // the feet have left the ground again
  follow(0.35, x, d);
  near(x[Z], 0.98800605, 1e-8);
  near(x[VZ], 1.80953683, 1e-8);
  near(x[LIMB + FOOT], 1.25915e-4, 1e-9);
  near(d[THETA], -0.52430902, 1e-7);
  near(d[OMEGA], -7.5727205, 1e-5);
  near(d[LIMB + FOOT], 0.02660057, 1e-7);
  near(d[LIMB + LIMB_STATES + FOOT], -0.02660057, 1e-7);
  near(d[LIMB + V_FOOT], 10.399770, 1e-5);

  // the bars keep their length, whichever way the body turns
  for (int i = 0; i < 2; i++) {
    const double *const y = x + LIMB + i * LIMB_STATES, *const dy = d + LIMB + i * LIMB_STATES;
    near(y[KNEE] - y[FOOT], bar, 1e-10);
    near(y[V_KNEE] - y[V_FOOT], 0.0, 1e-8);
    near(dy[KNEE] - dy[FOOT], 0.0, 1e-8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bars_within_limbs_leave_the_flow_differentiable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
