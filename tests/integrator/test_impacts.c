/*
 * Impacts: the state jumps at a crossing. A ball against its closed form, events of one instant
 * together, maps at fault, Zeno, grazing, and impacts among crossings in quick succession.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

static const double G = TOY_GRAVITY;

/* a ball over the ground: toy_height and velocity */
typedef struct bouncer {
  double restitution;
  size_t count; /* events handed to the map */
  int fails;
  bool is_nan;
} bouncer;

static int bounce(ess_impact *impact, void *params) {
  bouncer *const b = params;
  b->count += impact->count;
  if (b->fails) return b->fails;
  assert_int_equal(impact->count, 1);
  assert_int_equal(impact->events[0], 0);
  assert_true(impact->sign[0] > 0.0 && impact->mode[0] < 0.0);
  assert_true(fabs(impact->x[0]) < 1e-9 && impact->x[1] < 0.0);
  impact->after[1] = b->is_nan ? NAN : -b->restitution * impact->x[1];
  impact->mode[0] = 1.0;
  impact->armed[ESS_GUARD_DOWN(0)] = true;
  return 0;
}

static const ess_impacts bounces = {.map = bounce};

static ess_system bouncing(bouncer *b) {
  return (ess_system){.dimension = 2,
                      .guard_count = 1,
                      .field = toy_fall,
                      .guards = toy_height,
                      .guard_jacobian = toy_height_jacobian,
                      .impacts = &bounces,
                      .params = b};
}

/* toy_height and velocity of a ball dropped from h */
static void exact_ball(double h, double e, double t, double x[2]) {
  double v = sqrt(2.0 * G * h);
  double landing = v / G;
  if (t < landing) {
    x[0] = h - 0.5 * G * t * t;
    x[1] = -G * t;
    return;
  }
  for (v *= e; t >= landing + 2.0 * v / G; v *= e) landing += 2.0 * v / G;
  const double since = t - landing;
  x[0] = since * (v - 0.5 * G * since);
  x[1] = v - G * since;
}

static void a_ball_bounces_as_it_should(void **state) {
  (void)state;
  for (int paper = 0; paper < 2; paper++) {
    bouncer b = {.restitution = 0.8};
    const ess_system system = bouncing(&b);
    ess_options options = paper ? ess_options_paper() : ess_options_default();
    options.rtol = options.atol = 1e-10;
    options.epsilon = 1e-6;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {1.0, 0.0}, exact[2];
    for (int i = 1; i <= 38; i++) {
      assert_int_equal(ess_driver_apply(d, &t, 0.1 * i, x), ESS_SUCCESS);
      exact_ball(1.0, 0.8, t, exact);
      assert_true(fabs(x[0] - exact[0]) < 1e-8 && fabs(x[1] - exact[1]) < 1e-8);
      assert_true(ess_driver_sign(d)[0] > 0.0);
    }
    assert_int_equal(ess_driver_counters(d)->impacts, b.count);
    assert_true(b.count >= 12);
    ess_driver_free(d);
  }
}

static void energy_is_lost_by_the_square_of_restitution(void **state) {
  (void)state;
  bouncer b = {.restitution = 0.5};
  const ess_system system = bouncing(&b);
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[2] = {1.0, 0.0};
  assert_int_equal(ess_driver_apply(d, &t, 0.7, x), ESS_SUCCESS);
  assert_int_equal(b.count, 1);
  assert_true(fabs(G * x[0] + 0.5 * x[1] * x[1] - 0.25 * G) < 1e-7);
  ess_driver_free(d);
}

static void impacts_that_accumulate_end_at_a_time_that_is_known(void **state) {
  (void)state;
  const uint64_t most[] = {200, 20};
  for (int i = 0; i < 2; i++) {
    bouncer b = {.restitution = 0.8};
    const ess_system system = bouncing(&b);
    ess_options options = ess_options_default();
    options.zeno_impacts = most[i];
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {1.0, 0.0};
    assert_int_equal(ess_driver_apply(d, &t, 5.0, x), ESS_EZENO);
    assert_true(fabs(ess_driver_failure(d)->time - 4.0637128) < 5e-8);
    assert_true(t < ess_driver_failure(d)->time && x[1] > 0.0);
    assert_true(b.count <= most[i] + 4);
    ess_driver_free(d);
  }
}

static void a_long_series_within_the_run_is_not_zeno(void **state) {
  (void)state;
  bouncer b = {.restitution = 0.99};
  const ess_system system = bouncing(&b);
  ess_options options = ess_options_default();
  options.zeno_impacts = 4;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[2] = {1.0, 0.0}, exact[2];
  assert_int_equal(ess_driver_apply(d, &t, 20.0, x), ESS_SUCCESS);
  exact_ball(1.0, 0.99, t, exact);
  assert_true(fabs(x[0] - exact[0]) < 1e-5);
  ess_driver_free(d);
}

static void a_map_at_fault_leaves_the_state_before_it(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    bouncer b = {.restitution = 0.8, .fails = i ? 0 : 7, .is_nan = i};
    const ess_system system = bouncing(&b);
    const ess_options options = ess_options_default();
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {1.0, 0.0};
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), i ? ESS_EIMPACT : ESS_ECALLBACK);
    if (!i) assert_int_equal(ess_driver_failure(d)->callback_code, 7);
    assert_true(x[1] < 0.0 && fabs(x[0]) < 1e-9 && ess_driver_sign(d)[0] > 0.0);
    // mended, the run goes on
    b.fails = 0;
    b.is_nan = false;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    double exact[2];
    exact_ball(1.0, 0.8, 1.0, exact);
    assert_true(fabs(x[0] - exact[0]) < 1e-7);
    ess_driver_free(d);
  }
}

static void what_is_wrong_with_impacts_is_named(void **state) {
  (void)state;
  bouncer b = {0};
  ess_system system = bouncing(&b);
  ess_options options = ess_options_default();
  ess_impacts wrong = {0};
  system.impacts = &wrong;
  assert_non_null(strstr(ess_check(&system, &options), "map"));
  system.impacts = &bounces;
  options.tie = -1.0;
  assert_non_null(strstr(ess_check(&system, &options), "tie"));
  options.tie = 0.0;
  options.zeno_impacts = 3;
  assert_non_null(strstr(ess_check(&system, &options), "zeno_impacts"));
}

/* ---- its derivatives, checked ---------------------------------------------------------------- */

static int fall_jacobian(double t, const double x[], const double sign[], double J[],
                         void *params) {
  const bouncer *const b = params;
  (void)t;
  (void)x;
  (void)sign;
  J[0] = J[2] = J[3] = 0.0;
  J[1] = b->count ? 1.01 : 1.0;
  return 0;
}

static int bounce_freely(ess_impact *impact, void *params) {
  const bouncer *const b = params;
  impact->after[1] = -b->restitution * impact->x[1] * impact->x[1];
  return 0;
}

static int bounce_jacobian(const ess_impact *impact, double DR[], void *params) {
  const bouncer *const b = params;
  DR[0] = 1.0;
  DR[1] = DR[2] = 0.0;
  DR[3] = -2.0 * b->restitution * impact->x[1] * (b->fails ? 1.01 : 1.0);
  return 0;
}

static void wrong_derivatives_are_found(void **state) {
  (void)state;
  bool at[2] = {false, true};
  const ess_impacts impacts = {.at = at, .map = bounce_freely, .jacobian = bounce_jacobian};
  bouncer b = {.restitution = 0.8};
  ess_system system = bouncing(&b);
  system.impacts = &impacts;
  system.field_jacobian = fall_jacobian;
  const double x[2] = {0.3, -2.0};
  ess_jacobian_check worst;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_SUCCESS);
  b.count = 1;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_EJACOBIAN);
  assert_int_equal(worst.of, ESS_JACOBIAN_OF_FIELD);
  assert_true(worst.guard == 0 && worst.state == 1 && fabs(worst.found - 1.0) < 1e-6);
  b.count = 0;
  b.fails = 1;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_EJACOBIAN);
  assert_int_equal(worst.of, ESS_JACOBIAN_OF_IMPACT);
  assert_true(worst.event == 0 && worst.guard == 1 && worst.state == 1);
  assert_true(fabs(worst.found - 3.2) < 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_bounces_as_it_should),
      cmocka_unit_test(energy_is_lost_by_the_square_of_restitution),
      cmocka_unit_test(impacts_that_accumulate_end_at_a_time_that_is_known),
      cmocka_unit_test(a_long_series_within_the_run_is_not_zeno),
      cmocka_unit_test(a_map_at_fault_leaves_the_state_before_it),
      cmocka_unit_test(wrong_derivatives_are_found),
      cmocka_unit_test(what_is_wrong_with_impacts_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
