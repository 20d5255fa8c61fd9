/*
 * affine3: Table 4.1 row by row, the crossing times, and the exact solution against closed forms
 * and GSL's rk8pd.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "affine3.h"

enum { N = 3, SAMPLES = 251 };

static const double start[N] = {-0.4, -0.15, 0.3};

static model prepared(void) {
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &affine3_type);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

static void fill_times(double times[SAMPLES], double t1) {
  for (size_t i = 0; i < SAMPLES; i++) times[i] = t1 * (double)i / (SAMPLES - 1);
}

/* Table 4.1 as printed. */
static void table(const double s[], bool right, bool up, bool below, double d[N]) {
  const double x = s[0], y = s[1], z = s[2];
  d[0] = up ? (right ? 10 * x + 1 : y + 1) : (right ? -2 * y + 1 : -y + 1);
  d[1] = up ? (right ? y + 1 : -x + 1) : (right ? x / 2 + 2 : x + 1);
  d[2] = below ? 3 * z - 1 : -z - 1;
}

static void the_field_is_table_4_1(void **state) {
  (void)state;
  model m = prepared();
  const double x[N] = {0.37, -0.81, 0.59};
  for (int mode = 0; mode < 8; mode++) {
    const bool right = mode & 1, up = mode & 2, below = mode & 4;
    const double sign[N] = {right ? 1 : -1, up ? 1 : -1, below ? 1 : -1};
    double f[N], expected[N];
    table(x, right, up, below, expected);
    assert_int_equal(m.system.field(0, x, sign, f, m.system.params), 0);
    for (size_t i = 0; i < N; i++) assert_true(fabs(f[i] - expected[i]) < 1e-15);
  }
  for (size_t k = 0; k < AFFINE3_GUARDS; k++)
    assert_true(model_has_guard(&m, ESS_GUARD_UP(k)) && !model_has_guard(&m, ESS_GUARD_DOWN(k)));
  model_release(&m);
}

static void guards_are_the_coordinate_planes(void **state) {
  (void)state;
  model m = prepared();
  const double x[N] = {0.2, -0.3, 0.5}, v[N] = {1, 2, 3};
  double h[N], h_too[N], rate[N], Dh[N * N];
  m.system.event_functions(0.0, x, h, m.system.params);
  m.system.event_rates(0.0, x, 1.0, v, NULL, m.system.event_count, h_too, rate, m.system.params);
  m.system.event_jacobian(0.0, x, Dh, m.system.params);
  const double expected_h[N] = {0.2, -0.3, -0.5}, expected_rate[N] = {1, 2, -3};
  const double expected_Dh[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
  assert_memory_equal(h, expected_h, sizeof h);
  assert_memory_equal(h_too, h, sizeof h);
  assert_memory_equal(rate, expected_rate, sizeof rate);
  assert_memory_equal(Dh, expected_Dh, sizeof Dh);
  model_release(&m);
}

static void crossing_times_are_those_of_the_design(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  double times[AFFINE3_GUARDS];
  size_t guards[AFFINE3_GUARDS], count = 0;
  assert_int_equal(affine3_crossings(start, 0.5, times, guards, &count, message), 0);
  assert_int_equal(count, 3);
  assert_true(fabs(times[0] - 0.20958808) < 5e-9);
  assert_true(fabs(times[1] - log(1.3)) < 4e-16);
  assert_true(fabs(times[2] - 0.36920715) < 5e-9);
  assert_int_equal(guards[0], 1);
  assert_int_equal(guards[1], 2);
  assert_int_equal(guards[2], 0);

  // crossings after the end are not reported; one exactly at the end is
  assert_int_equal(affine3_crossings(start, 0.3, times, guards, &count, message), 0);
  assert_int_equal(count, 2);
  const double at_guards[N] = {0, 0, 0};
  assert_int_equal(affine3_crossings(at_guards, 0.5, times, guards, &count, message), 0);
  assert_int_equal(count, 0);
}

static void z_is_its_own_closed_form(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  model m = prepared();
  double times[SAMPLES], states[SAMPLES * N], worst = 0;
  fill_times(times, 0.5);
  model_reference out = {.times = times, .count = SAMPLES, .states = states};
  assert_int_equal(m.type->reference(&m, start, &out, message), 0);
  assert_int_equal(out.events, 3);
  assert_string_equal(out.kind, "exact");
  const double crossing = log(1.3);
  for (size_t i = 0; i < SAMPLES; i++) {
    const double t = times[i];
    const double z = t < crossing ? 1.3 * exp(-t) - 1 : -expm1(3 * (t - crossing)) / 3;
    worst = fmax(worst, fabs(states[i * N + 2] - z));
  }
  print_message("z against its closed form: %.2e\n", worst);
  assert_true(worst < 1e-14);
  model_release(&m);
}

typedef struct mode {
  bool right, up, below;
} mode;

static int right_side(double t, const double x[], double dxdt[], void *params) {
  (void)t;
  const mode *now = params;
  table(x, now->right, now->up, now->below, dxdt);
  return GSL_SUCCESS;
}

/* rk8pd from t0 to t1 in one mode. */
static void rk8pd(mode now, double t0, double t1, double x[N]) {
  gsl_odeiv2_system system = {right_side, NULL, N, &now};
  gsl_odeiv2_driver *driver =
      gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-3, 1e-15, 1e-15);
  assert_non_null(driver);
  double t = t0;
  if (t1 > t0) assert_int_equal(gsl_odeiv2_driver_apply(driver, &t, t1, x), GSL_SUCCESS);
  gsl_odeiv2_driver_free(driver);
}

/* The exact solution must be the table's flow between its crossings, lie on the guard at each, and
 * on the sides the modes say in between. */
static double check_against_rk8pd(const double x0[], double t1) {
  char message[MODEL_MESSAGE_SIZE];
  model m = prepared();
  double crossings[AFFINE3_GUARDS];
  size_t guards[AFFINE3_GUARDS], count = 0;
  assert_int_equal(affine3_crossings(x0, t1, crossings, guards, &count, message), 0);

  double times[SAMPLES], states[SAMPLES * N], x[N], t = 0, worst = 0;
  fill_times(times, t1);
  model_reference out = {.times = times, .count = SAMPLES, .states = states};
  assert_int_equal(m.type->reference(&m, x0, &out, message), 0);
  assert_int_equal(out.events, count);
  memcpy(x, x0, sizeof x);
  mode now = {x[0] >= 0, x[1] >= 0, x[2] <= 0};
  for (size_t i = 0, k = 0; i < SAMPLES; i++) {
    for (; k < count && crossings[k] <= times[i]; k++) {
      rk8pd(now, t, crossings[k], x);
      t = crossings[k];
      assert_true(fabs(x[guards[k]]) < 1e-13 * (1 + fabs(x[0]) + fabs(x[1]) + fabs(x[2])));
      if (guards[k] == 0) now.right = true;
      if (guards[k] == 1) now.up = true;
      if (guards[k] == 2) now.below = true;
    }
    rk8pd(now, t, times[i], x);
    t = times[i];
    for (size_t j = 0; j < N; j++) {
      const double scale = fmax(1, fabs(x[j]));
      worst = fmax(worst, fabs(states[i * N + j] - x[j]) / scale);
    }
    const double slack = 1e-12;
    assert_true(now.right ? x[0] > -slack : x[0] < slack);
    assert_true(now.up ? x[1] > -slack : x[1] < slack);
    assert_true(now.below ? x[2] < slack : x[2] > -slack);
  }
  model_release(&m);
  return worst;
}

static void the_exact_solution_agrees_with_rk8pd(void **state) {
  (void)state;
  const double worst = check_against_rk8pd(start, 0.5);
  print_message("exact solution against rk8pd, the paper's start: %.2e\n", worst);
  assert_true(worst < 1e-13);
}

static void random_starts_agree_with_rk8pd(void **state) {
  (void)state;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  double worst = 0;
  for (int i = 0; i < 40; i++) {
    // also x < -1, where y falls before it rises
    double x0[N];
    x0[0] = -2 + 2.5 * gsl_rng_uniform(rng);
    for (size_t j = 1; j < N; j++) x0[j] = -1 + 2 * gsl_rng_uniform(rng);
    worst = fmax(worst, check_against_rk8pd(x0, 0.6));
  }
  gsl_rng_free(rng);
  print_message("exact solution against rk8pd, random starts: %.2e\n", worst);
  assert_true(worst < 1e-12);
}

static void libess_converges_to_the_exact_solution(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  model m = prepared();
  double times[SAMPLES], exact[SAMPLES * N], states[SAMPLES * N], x[N], t = 0, sum = 0;
  fill_times(times, 0.5);
  model_reference out = {.times = times, .count = SAMPLES, .states = exact};
  assert_int_equal(m.type->reference(&m, start, &out, message), 0);

  ess_options options = ess_options_paper();
  options.projection.epsilon = 1e-6;
  options.rtol = options.atol = 1e-13;
  ess_driver *driver = ess_driver_alloc(&m.system, &options, NULL);
  assert_non_null(driver);
  m.type->initial_state(&m, x);
  assert_int_equal(ess_driver_sample(driver, &t, 0.5, x, times, SAMPLES, states), ESS_SUCCESS);
  assert_int_equal(ess_driver_counters(driver)->projections, 3);
  for (size_t i = 0; i < SAMPLES * N; i++) sum += pow(states[i] - exact[i], 2);
  const double rms = sqrt(sum / (SAMPLES * N));
  print_message("libess at epsilon 1e-6: rms %.2e\n", rms);
  assert_true(rms < 1e-10);
  ess_driver_free(driver);
  model_release(&m);
}

static void starts_that_are_not_finite_are_refused(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE] = "";
  double times[AFFINE3_GUARDS];
  size_t guards[AFFINE3_GUARDS], count = 0;
  const double bad[N] = {0, NAN, 0};
  assert_int_equal(affine3_crossings(bad, 0.5, times, guards, &count, message), -1);
  assert_string_equal(message,
                      "affine3: the initial state and the time must be finite, the time >= 0");
  assert_int_equal(affine3_crossings(start, -1, times, guards, &count, message), -1);
  assert_int_equal(affine3_crossings(start, INFINITY, times, guards, &count, message), -1);
}

/* Table 4.1's three guards meet at the origin: two derivatives, by whether x or y is crossed first,
 * and one where nothing coincides, which differences have */
static void derivative_is_as_known(void **state) {
  (void)state;
  static const double corner[] = {-0.340183718, -0.250856696, 0.349858808};
  static const double known[] = {7.05903491, -2.18361538, 0, 0.76389991, 0.40295071,
                                 0,          0,           0, 1.34985881};
  static const size_t x_first[] = {0, 1, 2}, y_first[] = {1, 0, 2};
  char message[MODEL_MESSAGE_SIZE];
  double found[9];
  assert_int_equal(affine3_derivative(corner, 0.5, x_first, found, message), 0);
  for (size_t i = 0; i < 9; i++) assert_true(fabs(found[i] - known[i]) < 5e-8);
  assert_int_equal(affine3_derivative(corner, 0.5, y_first, found, message), 0);
  assert_true(fabs(found[3] - 0.36094920) < 5e-8 && fabs(found[4] - 1.16685062) < 5e-8);

  static const double step = 1e-5;
  assert_int_equal(affine3_derivative(start, 0.5, NULL, found, message), 0);
  for (size_t j = 0; j < 3; j++) {
    double times[] = {0.5}, ends[2][3];
    for (int side = 0; side < 2; side++) {
      model m = prepared();
      double x[] = {-0.4, -0.15, 0.3};
      x[j] += side ? step : -step;
      model_reference out = {.times = times, .count = 1, .states = ends[side]};
      assert_int_equal(m.type->reference(&m, x, &out, message), 0);
    }
    for (size_t i = 0; i < 3; i++)
      assert_true(fabs(found[3 * i + j] - (ends[1][i] - ends[0][i]) / (2 * step)) < 1e-8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_field_is_table_4_1),
      cmocka_unit_test(guards_are_the_coordinate_planes),
      cmocka_unit_test(crossing_times_are_those_of_the_design),
      cmocka_unit_test(z_is_its_own_closed_form),
      cmocka_unit_test(the_exact_solution_agrees_with_rk8pd),
      cmocka_unit_test(random_starts_agree_with_rk8pd),
      cmocka_unit_test(libess_converges_to_the_exact_solution),
      cmocka_unit_test(derivative_is_as_known),
      cmocka_unit_test(starts_that_are_not_finite_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
