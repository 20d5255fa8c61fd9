/*
 * Neighbourhoods given as a time: where they begin, that no crossing is passed, and that the units
 * of an event function do not matter.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"

static const double step_limits[] = {INFINITY, 0.3, 0.02, 0.002};
enum { STEP_LIMITS = sizeof step_limits / sizeof *step_limits };

/* one ball: where its first projection begins, and how long each is */
typedef struct projections {
  double begin, longest;
  size_t count;
} projections;

static int note_projection(const ess_step_info *info, void *context) {
  projections *const p = context;
  if (!info->projection) return 0;
  if (!p->count++) p->begin = info->t0;
  p->longest = fmax(p->longest, info->t1 - info->t0);
  return 0;
}

static projections drop_one(double height, double reach, double h_max) {
  toy_ball ball = {.stiffness = 50.0};
  const ess_system system = ball_system(&ball);
  projections seen = {0};
  ess_options options = ess_options_paper();
  options.epsilon_time = reach;
  options.h_max = h_max;
  options.observer = (ess_observer){.step = note_projection, .context = &seen};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {height, 0.0}, t = 0.0;
  const double end = sqrt(height) + 0.5 * ball_contact_time(&ball, height);
  assert_int_equal(ess_driver_apply(d, &t, end, x), ESS_SUCCESS);
  ess_driver_free(d);
  return seen;
}

/* from height z0 at rest, the tangent takes `reach` to the ground when z0 - t^2 = 2 t reach,
 * whatever the steps */
static void begin_where_the_tangent_takes_that_time(void **state) {
  (void)state;
  for (double height = 0.003; height < 3.0; height *= 1.9)
    for (double reach = 1e-5; reach < 0.2; reach *= 3.7)
      for (size_t i = 0; i < STEP_LIMITS; i++) {
        const projections seen = drop_one(height, reach, step_limits[i]);
        const double begin = sqrt(reach * reach + height) - reach;
        if (seen.count != 1 || !(fabs(seen.begin - begin) < 1e-8 + 1e-6 * reach) ||
            !(seen.longest < reach * (1.0 + 1e-5)))
          fail_msg("height %g, time %g, steps to %g: %zu projections, at %.9g for %.9g", height,
                   reach, step_limits[i], seen.count, seen.begin, seen.longest);
      }
}

/* a ball tossed at rest just above its guard turns around inside the width that the end of a long
 * step suggests: five balls on all step lengths */
static void no_crossing_is_passed(void **state) {
  (void)state;
  for (double lowest = 1e-4; lowest < 1.0; lowest *= 2.3)
    for (double reach = 1e-4; reach < 0.1; reach *= 2.9)
      for (size_t i = 0; i < STEP_LIMITS; i++)
        for (int order = 1; order <= 2; order++) {
          balls b = balls_of(5, 5);
          const ess_system system = balls_system(&b);
          ess_options options = ess_options_paper();
          options.epsilon_time = reach;
          options.order = order;
          options.h_max = step_limits[i];
          ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
          double x0[10], x[10], t = 0.0;
          balls_drop(&b, lowest, lowest, x0);
          memcpy(x, x0, sizeof x);
          // until all are on their springs, and none has left
          const double end = sqrt(2.0 * lowest) + 0.05;
          assert_int_equal(ess_driver_apply(d, &t, end, x), ESS_SUCCESS);
          assert_int_equal(ess_driver_counters(d)->crossings, 5);
          // every projection moves every ball along its tangent
          const double speed = 2.0 * sqrt(2.0 * lowest), bend = reach * sqrt(b.stiffness);
          const double bound = 16.0 * reach * reach * (2.0 + b.stiffness * speed);
          const double error = balls_error(&b, x0, end, x);
          if (!(error < 1e-7 + (order == 2 ? bend : 1.0) * bound))
            fail_msg("order %d, heights from %g, time %g, steps to %g: error %g", order, lowest,
                     reach, step_limits[i], error);
          ess_driver_free(d);
        }
}

/* error after a bounce, lift-off included */
static double bounce_error(double reach, int order, double h_max) {
  balls b = balls_of(3, 3);
  const ess_system system = balls_system(&b);
  ess_options options = ess_options_paper();
  options.epsilon_time = reach;
  options.order = order;
  options.h_max = h_max;
  options.rtol = options.atol = 1e-12;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x0[6], x[6], t = 0.0;
  balls_drop(&b, 1.0, 0.5, x0);
  memcpy(x, x0, sizeof x);
  assert_int_equal(ess_driver_apply(d, &t, 2.5, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_counters(d)->crossings, 6);
  ess_driver_free(d);
  return balls_error(&b, x0, 2.5, x);
}

/* the power of the time with which the error falls, and that the length of steps has no say in it
 */
static void the_error_falls_with_the_order(void **state) {
  (void)state;
  for (int order = 1; order <= 2; order++)
    for (size_t i = 0; i < STEP_LIMITS; i++)
      for (double reach = 1.6e-2; reach > 3e-3; reach *= 0.5) {
        const double error = bounce_error(reach, order, step_limits[i]);
        const double power = log2(error / bounce_error(0.5 * reach, order, step_limits[i]));
        const double other = bounce_error(reach, order, 0.01);
        if (!(fabs(power - (order + 1)) < 0.2) || !(fabs(error - other) < 1e-3 * other))
          fail_msg("order %d, steps to %g, time %g: error %g (%g), falls with power %g", order,
                   step_limits[i], reach, error, other, power);
      }
}

/* six balls and four silent event functions, a third of all scaled by `factor`, a third by its
 * inverse */
static balls_trace scaled_run(double factor, int order, double together, bool resets, double x[]) {
  enum { BALLS = 6, GUARDS = 10 };
  balls b = balls_of(BALLS, GUARDS);
  for (size_t k = 0; k < GUARDS; k++) {
    b.scale[k] = k % 3 == 1 ? factor : k % 3 == 2 ? 1.0 / factor : 1.0;
    b.level[k] = k < BALLS ? 0.0 : 0.01 * (double)(k - BALLS);
  }
  size_t row_start[2 * GUARDS + 2] = {0}, guard[2 * GUARDS];
  signed char effect[2 * GUARDS];
  bool silent[2 * GUARDS];
  for (size_t j = 0; j < 2 * GUARDS; j++) {
    row_start[j + 1] = j + 1;
    guard[j] = j % 2 ? j - 1 : j + 1;
    effect[j] = 1;
    silent[j] = j / 2 >= BALLS;
  }
  row_start[2 * GUARDS + 1] = 2 * GUARDS;
  const ess_reset_matrix matrix = {row_start, guard, effect, silent, NULL};
  ess_system system = balls_system(&b);
  if (resets) system.resets = &matrix;
  balls_trace trace;
  ess_options options = ess_options_paper();
  options.epsilon_time = 0.004;
  options.order = order;
  options.together = together;
  options.observer = balls_observer(&b, &trace);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0;
  balls_drop(&b, 0.5, 0.1, x);
  assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
  assert_true((ess_driver_counters(d)->silent > 0) == resets);
  ess_driver_free(d);
  return trace;
}

static void units_do_not_matter(void **state) {
  (void)state;
  for (int order = 1; order <= 2; order++)
    for (int i = 0; i < 4; i++) {
      const double together = i % 2 ? 0.003 : 0.0;
      double plain[12], scaled[12], by_2[12];
      const balls_trace trace = scaled_run(1.0, order, together, i / 2, plain);
      // powers of two round nothing: every step and crossing is the same to the last bit
      const balls_trace same = scaled_run(0x1p40, order, together, i / 2, by_2);
      assert_true(trace.hash == same.hash);
      assert_memory_equal(plain, by_2, sizeof plain);
      const balls_trace close = scaled_run(1e9, order, together, i / 2, scaled);
      assert_int_equal(trace.crossings, close.crossings);
      assert_int_equal(trace.projections, close.projections);
      for (size_t j = 0; j < 12; j++) assert_true(fabs(plain[j] - scaled[j]) < 1e-9);
    }
}

/* epsilon itself has no say */
static void epsilon_is_not_used(void **state) {
  (void)state;
  balls b = balls_of(4, 4);
  for (size_t k = 0; k < 4; k++) b.scale[k] = 1e-9;
  const ess_system system = balls_system(&b);
  balls_trace trace[2];
  const double epsilons[] = {1e-9, 3.0};
  for (size_t i = 0; i < 2; i++) {
    ess_options options = ess_options_paper();
    options.epsilon = epsilons[i];
    options.epsilon_time = 1e-3;
    options.observer = balls_observer(&b, &trace[i]);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[8], t = 0.0;
    balls_drop(&b, 0.5, 0.5, x);
    assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
    ess_driver_free(d);
  }
  assert_true(trace[0].hash == trace[1].hash);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(begin_where_the_tangent_takes_that_time),
      cmocka_unit_test(no_crossing_is_passed),
      cmocka_unit_test(the_error_falls_with_the_order),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(epsilon_is_not_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
