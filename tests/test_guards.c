/*
 * Guards that break event integrators: order of near-simultaneous crossings, touches between a
 * step's ends, duplicates, starts on a guard, crossings at the end.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

/*
 * A point that runs at unit speed in x0 through guards h_k = scale_k x0 + slope_k x1 - offset_k,
 * and whose speed across changes with every crossing: x1' = sum of jump_k over the guards crossed.
 * Piecewise constant, so that projection is exact.
 */
enum { LANES_MAX = 8 };

typedef struct lanes {
  size_t count;
  double offset[LANES_MAX], slope[LANES_MAX], jump[LANES_MAX];
  double scale[LANES_MAX]; // of x0 in h; 0 stands for 1
} lanes;

static double lane_scale(const lanes *l, size_t k) {
  return l->scale[k] == 0.0 ? 1.0 : l->scale[k];
}

static int lanes_field(double t, const double x[], const double sign[], double dxdt[],
                       void *params) {
  const lanes *const l = params;
  (void)t;
  (void)x;
  dxdt[0] = 1.0;
  dxdt[1] = 0.0;
  for (size_t k = 0; k < l->count; k++) dxdt[1] += sign[k] > 0.0 ? l->jump[k] : 0.0;
  return 0;
}

static int lanes_guards(const double x[], double h[], void *params) {
  const lanes *const l = params;
  for (size_t k = 0; k < l->count; k++)
    h[k] = lane_scale(l, k) * x[0] + l->slope[k] * x[1] - l->offset[k];
  return 0;
}

static int lanes_jacobian(const double x[], double Dh[], void *params) {
  const lanes *const l = params;
  (void)x;
  for (size_t k = 0; k < l->count; k++) {
    Dh[2 * k] = lane_scale(l, k);
    Dh[2 * k + 1] = l->slope[k];
  }
  return 0;
}

/* runs to t1 = 1 from (0, 0) and returns the final x1 */
static double run_lanes(lanes *l, double epsilon, toy_log *log) {
  const ess_system system = {.dimension = 2,
                             .guard_count = l->count,
                             .field = lanes_field,
                             .guards = lanes_guards,
                             .guard_jacobian = lanes_jacobian,
                             .params = l};
  ess_options options = ess_options_default();
  options.epsilon = epsilon;
  options.observer = toy_observer(log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double x[2] = {0.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  ess_driver_free(d);
  return x[1];
}

static void a_slow_guard_is_not_projected_past_a_fast_one(void **state) {
  (void)state;
  // guard 0 is slow: its neighbourhood is entered at t = 0.1, long before that of guard 1, which is
  // reached first nevertheless
  lanes l = {.count = 2, .offset = {0.05, 0.3}, .scale = {0.1, 1.0}, .jump = {0.0, 1.0}};
  toy_log log;
  assert_true(fabs(run_lanes(&l, 0.04, &log) - 0.7) < 1e-12);
  assert_int_equal(log.count, 2);
  assert_int_equal(log.guard[0], 1);
  assert_true(fabs(log.time[0] - 0.3) < 1e-12 && fabs(log.time[1] - 0.5) < 1e-12);
}

static void crossings_within_epsilon_keep_their_order(void **state) {
  (void)state;
  // three guards within one neighbourhood, listed in the wrong order, with fields that do not
  // commute
  lanes l = {
      .count = 3, .offset = {0.53, 0.5, 0.51}, .slope = {0.5, 0.0, -0.5}, .jump = {0.3, 0.6, -0.4}};
  toy_log log;
  const double end = run_lanes(&l, 0.2, &log);
  assert_int_equal(log.count, 3);
  // by hand: guard 1 at 0.5; then x1 = 0.6 (t - 0.5) and the others by their own equations
  const double t0 = (0.53 + 0.5 * 0.6 * 0.5) / (1.0 + 0.5 * 0.6);
  const double t2 = (0.51 - 0.5 * 0.6 * 0.5) / (1.0 - 0.5 * 0.6);
  assert_true(t2 < t0);
  const double x1 = 0.6 * (t2 - 0.5), speed = 0.2;
  const double t0_later = (0.53 - 0.5 * (x1 - speed * t2)) / (1.0 + 0.5 * speed);
  assert_int_equal(log.guard[0], 1);
  assert_int_equal(log.guard[1], 2);
  assert_int_equal(log.guard[2], 0);
  assert_true(fabs(log.time[1] - t2) < 1e-12 && fabs(log.time[2] - t0_later) < 1e-12);
  assert_true(fabs(end - (x1 + speed * (t0_later - t2) + 0.5 * (1.0 - t0_later))) < 1e-12);
}

static void duplicate_guards_are_both_crossed(void **state) {
  (void)state;
  lanes l = {.count = 3,
             .offset = {0.5, 0.5, nextafter(nextafter(0.5, 1.0), 1.0)},
             .jump = {0.25, 0.25, 0.5}};
  toy_log log;
  assert_true(fabs(run_lanes(&l, 1e-3, &log) - 0.5) < 1e-12);
  assert_int_equal(log.count, 3);
}

static void a_start_on_a_guard_takes_the_side_the_field_points_to(void **state) {
  (void)state;
  lanes l = {.count = 2, .offset = {0.0, 0.5}, .jump = {1.0, 0.0}};
  toy_log log;
  assert_true(fabs(run_lanes(&l, 1e-3, &log) - 1.0) < 1e-12);
  assert_int_equal(log.count, 1); // guard 0 is behind from the start
}

static void a_crossing_at_the_end_is_made_once(void **state) {
  (void)state;
  lanes l = {.count = 1, .offset = {1.0}, .jump = {1.0}};
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             .field = lanes_field,
                             .guards = lanes_guards,
                             .guard_jacobian = lanes_jacobian,
                             .params = &l};
  ess_options options = ess_options_default();
  toy_log log;
  options.observer = toy_observer(&log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_true(t == 1.0 && x[0] <= 1.0 + 1e-15);
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  assert_int_equal(log.count, 1);
  assert_true(fabs(x[1] - 1.0) < 1e-12);
  ess_driver_free(d);
}

/* a point thrown up at a ceiling: z = t - t^2, h = z - ceiling, far or touching */
static int thrown_field(double t, const double x[], const double sign[], double dxdt[],
                        void *params) {
  (void)t;
  (void)params;
  dxdt[0] = x[1];
  dxdt[1] = -2.0 - (sign[0] > 0.0 ? 1.0 : 0.0);
  return 0;
}

static int thrown_guards(const double x[], double h[], void *params) {
  h[0] = x[0] - *(const double *)params;
  return 0;
}

static int thrown_jacobian(const double x[], double Dh[], void *params) {
  (void)x;
  (void)params;
  Dh[0] = 1.0;
  Dh[1] = 0.0;
  return 0;
}

static size_t throw_at(double ceiling, double epsilon) {
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             .field = thrown_field,
                             .guards = thrown_guards,
                             .guard_jacobian = thrown_jacobian,
                             .params = &ceiling};
  ess_options options = ess_options_default();
  options.epsilon = epsilon;
  options.h_init = 1.0; // one step from start to end: both are far below the ceiling
  options.projection_max = 0.1;
  toy_log log;
  options.observer = toy_observer(&log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.0, 1.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  ess_driver_free(d);
  return log.count;
}

static void a_touch_within_one_step_is_seen(void **state) {
  (void)state;
  for (double depth = 0.2; depth > 1e-9; depth *= 0.1)
    for (double epsilon = 1e-10; epsilon < depth; epsilon *= 10.0)
      assert_int_equal(throw_at(0.25 - depth, epsilon), 2);
}

static void grazing_without_reaching_is_no_crossing(void **state) {
  (void)state;
  // the neighbourhood is entered, the guard never reached: 0.25 is the top of the flight
  for (double gap = 1e-2; gap > 1e-7; gap *= 0.1) assert_int_equal(throw_at(0.25 + gap, 1e-10), 0);
  assert_int_equal(throw_at(0.26, 0.011), 0);
}

/* one guard crossed four times within one long step: h = cos(2 pi t) in disguise, by a clock state
 */
static int clock_field(double t, const double x[], const double sign[], double dxdt[],
                       void *params) {
  (void)t;
  (void)x;
  (void)sign;
  (void)params;
  dxdt[0] = 1.0;
  return 0;
}

static int wave_guards(const double x[], double h[], void *params) {
  (void)params;
  h[0] = (x[0] - 0.2) * (x[0] - 0.4) * (x[0] - 0.6) * (x[0] - 0.8);
  return 0;
}

static int wave_jacobian(const double x[], double Dh[], void *params) {
  (void)params;
  const double a = x[0] - 0.2, b = x[0] - 0.4, c = x[0] - 0.6, d = x[0] - 0.8;
  Dh[0] = b * c * d + a * c * d + a * b * d + a * b * c;
  return 0;
}

static void four_crossings_within_one_step_are_all_seen(void **state) {
  (void)state;
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = clock_field,
                             .guards = wave_guards,
                             .guard_jacobian = wave_jacobian};
  ess_options options = ess_options_default();
  options.epsilon = 1e-7;
  options.h_init = 1.0;
  toy_log log;
  options.observer = toy_observer(&log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[1] = {0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(log.count, 4);
  for (size_t k = 0; k < 4; k++) assert_true(fabs(log.time[k] - 0.2 * (double)(k + 1)) < 1e-6);
  ess_driver_free(d);
}

/* h = sin(w x0): far from any quartic over a long step */
static int sine_guards(const double x[], double h[], void *params) {
  h[0] = sin(*(const double *)params * x[0]);
  return 0;
}

static int sine_jacobian(const double x[], double Dh[], void *params) {
  const double w = *(const double *)params;
  Dh[0] = w * cos(w * x[0]);
  return 0;
}

static void guards_far_from_their_model_shorten_the_step(void **state) {
  (void)state;
  for (double w = 3.0; w < 300.0; w *= 1.7) {
    double frequency = w;
    const ess_system system = {.dimension = 1,
                               .guard_count = 1,
                               .field = clock_field,
                               .guards = sine_guards,
                               .guard_jacobian = sine_jacobian,
                               .params = &frequency};
    ess_options options = ess_options_default();
    options.epsilon = 1e-9;
    options.h_init = 1.0;
    toy_log log;
    options.observer = toy_observer(&log);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[1] = {0.01}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 0.99, x), ESS_SUCCESS);
    assert_int_equal(log.count, (size_t)floor(w / M_PI) - (size_t)floor(0.01 * w / M_PI));
    for (size_t k = 0; k < log.count && k < TOY_EVENTS; k++)
      assert_true(fabs(log.time[k] + 0.01 - (double)(k + 1) * M_PI / w) < 1e-9);
    ess_driver_free(d);
  }
}

/* h = (x0 + 1e6) - (1e6 + 1/2): its rounding is a hundred times epsilon */
static int coarse_guards(const double x[], double h[], void *params) {
  (void)params;
  volatile const double far = x[0] + 1e6;
  h[0] = far - (1e6 + 0.5);
  return 0;
}

static int coarse_jacobian(const double x[], double Dh[], void *params) {
  (void)params;
  (void)x;
  Dh[0] = 1.0;
  return 0;
}

static void a_crossing_below_the_rounding_of_h_is_made_in_time(void **state) {
  (void)state;
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = clock_field,
                             .guards = coarse_guards,
                             .guard_jacobian = coarse_jacobian};
  ess_options options = ess_options_default();
  options.epsilon = 1e-12;
  toy_log log;
  options.observer = toy_observer(&log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[1] = {0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(log.count, 1);
  assert_true(fabs(log.time[0] - 0.5) < 1e-9);
  ess_driver_free(d);
}

/* two bodies that move together at a distance of 1/4: h is zero but for rounding */
static int together_field(double t, const double x[], const double sign[], double dxdt[],
                          void *params) {
  (void)t;
  (void)sign;
  (void)params;
  dxdt[0] = dxdt[1] = x[2];
  dxdt[2] = -x[0];
  return 0;
}

static int together_guards(const double x[], double h[], void *params) {
  (void)params;
  h[0] = x[0] - x[1] - 0.25;
  return 0;
}

static int together_jacobian(const double x[], double Dh[], void *params) {
  (void)x;
  (void)params;
  Dh[0] = 1.0;
  Dh[1] = -1.0;
  Dh[2] = 0.0;
  return 0;
}

static void a_guard_that_is_zero_but_for_rounding_costs_no_steps(void **state) {
  (void)state;
  const ess_system system = {.dimension = 3,
                             .guard_count = 1,
                             .field = together_field,
                             .guards = together_guards,
                             .guard_jacobian = together_jacobian};
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[3] = {0.8, 0.55, 0.7}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 5.0, x), ESS_SUCCESS);
  assert_true(ess_driver_counters(d)->steps + ess_driver_counters(d)->rejected < 200);
  ess_driver_free(d);
}

/* a ball at rest on h = z = 0 that falls: y counts the time below */
static int resting_field(double t, const double x[], const double sign[], double dxdt[],
                         void *params) {
  (void)t;
  (void)params;
  dxdt[0] = x[1];
  dxdt[1] = -1.0;
  dxdt[2] = sign[0] < 0.0 ? 1.0 : 0.0;
  return 0;
}

static int resting_guards(const double x[], double h[], void *params) {
  (void)params;
  h[0] = x[0];
  return 0;
}

static int resting_jacobian(const double x[], double Dh[], void *params) {
  (void)x;
  (void)params;
  Dh[0] = 1.0;
  Dh[1] = Dh[2] = 0.0;
  return 0;
}

static void a_start_at_rest_on_a_guard_takes_the_side_it_moves_to(void **state) {
  (void)state;
  const ess_system system = {.dimension = 3,
                             .guard_count = 1,
                             .field = resting_field,
                             .guards = resting_guards,
                             .guard_jacobian = resting_jacobian};
  ess_options options = ess_options_default();
  options.h_init = 0.2;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[3] = {0.0, 0.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_true(fabs(x[2] - 1.0) < 1e-12);
  ess_driver_free(d);
}

/* each guard has the neighbourhood it was given: seen where the projection begins */
static int note_projection(const ess_step_info *info, void *context) {
  double *const length = context;
  if (info->projection) length[length[0] == 0.0 ? 0 : 1] = info->t1 - info->t0;
  return 0;
}

static void each_guard_has_its_own_epsilon(void **state) {
  (void)state;
  lanes l = {.count = 2, .offset = {0.3, 0.7}};
  const double epsilons[] = {0.05, 0.002};
  const ess_system system = {.dimension = 2,
                             .guard_count = 2,
                             .field = lanes_field,
                             .guards = lanes_guards,
                             .guard_jacobian = lanes_jacobian,
                             .params = &l};
  double length[2] = {0.0, 0.0}, x[2] = {0.0, 0.0}, t = 0.0;
  ess_options options = ess_options_default();
  options.guard_epsilons = epsilons;
  options.observer = (ess_observer){.step = note_projection, .context = length};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_true(fabs(length[0] - 0.05) < 1e-9 && fabs(length[1] - 0.002) < 1e-9);
  ess_driver_free(d);
}

static int flat_guards(const double x[], double h[], void *params) {
  (void)params;
  (void)x;
  h[0] = 0.0;
  return 0;
}

static int flat_jacobian(const double x[], double Dh[], void *params) {
  (void)params;
  (void)x;
  Dh[0] = 0.0;
  return 0;
}

static void a_guard_that_is_zero_throughout_is_never_crossed(void **state) {
  (void)state;
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = clock_field,
                             .guards = flat_guards,
                             .guard_jacobian = flat_jacobian};
  ess_options options = ess_options_default();
  toy_log log;
  options.observer = toy_observer(&log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[1] = {0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_true(fabs(x[0] - 1.0) < 1e-14);
  assert_int_equal(log.count, 0);
  ess_driver_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slow_guard_is_not_projected_past_a_fast_one),
      cmocka_unit_test(crossings_within_epsilon_keep_their_order),
      cmocka_unit_test(duplicate_guards_are_both_crossed),
      cmocka_unit_test(a_start_on_a_guard_takes_the_side_the_field_points_to),
      cmocka_unit_test(a_crossing_at_the_end_is_made_once),
      cmocka_unit_test(a_touch_within_one_step_is_seen),
      cmocka_unit_test(grazing_without_reaching_is_no_crossing),
      cmocka_unit_test(four_crossings_within_one_step_are_all_seen),
      cmocka_unit_test(guards_far_from_their_model_shorten_the_step),
      cmocka_unit_test(a_crossing_below_the_rounding_of_h_is_made_in_time),
      cmocka_unit_test(a_guard_that_is_zero_but_for_rounding_costs_no_steps),
      cmocka_unit_test(a_start_at_rest_on_a_guard_takes_the_side_it_moves_to),
      cmocka_unit_test(each_guard_has_its_own_epsilon),
      cmocka_unit_test(a_guard_that_is_zero_throughout_is_never_crossed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
