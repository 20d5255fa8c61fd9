/*
 * MuJoCo's flags by name, and runs under its own timers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <mujoco/mujoco.h>

#include "bridge_fixture.h"

enum { SAMPLES = 1001 };
static const double dt = 0.002;

static void test_flags_are_known_by_name(void **state) {
  (void)state;
  model m = fixture_model(2, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  char message[SOLVER_MESSAGE_SIZE];
  void *b = fixture_instance(&m, &settings, &output);
  assert_true(bridge_has_flag("Contact"));
  assert_true(bridge_has_flag("Energy"));
  assert_false(bridge_has_flag("contact"));
  assert_false(bridge_has_flag(""));
  assert_int_equal(bridge_instance_flag(b, "Contacts", true, message), SOLVER_REFUSED);
  fixture_expect_line(message, "has no flag Contacts");
  bridge_solver.release(b);
  fixture_free(&output);
  model_release(&m);
}

/* without contacts the plate falls through its springs; with them again it does as before */
static void test_flags_act(void **state) {
  (void)state;
  model m = fixture_model(2, 60);
  solver_output before = fixture_output(&m, SAMPLES, dt), after = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report;
  double x0[6];
  m.type->initial_state(&m, x0);
  void *b = fixture_instance(&m, &settings, &before);
  fixture_run(b, x0, &before, &report);
  assert_int_equal(bridge_instance_flag(b, "Contact", false, message), 0);
  fixture_run(b, x0, &after, &report);
  const double fall = 0.5 * 9.81 * 2.0 * (2.0 + dt), *x = after.states + 6 * (SAMPLES - 1);
  assert_true(fabs(x[1] - (x0[1] - fall)) < 1e-9);
  assert_int_equal(bridge_instance_flag(b, "Contact", true, message), 0);
  fixture_run(b, x0, &after, &report);
  assert_memory_equal(after.states, before.states, SAMPLES * sizeof x0);

  // sleeping is allowed, never done
  if (bridge_has_flag("Sleep")) {
    assert_int_equal(bridge_instance_flag(b, "Sleep", false, message), 0);
    assert_int_equal(bridge_instance_flag(b, "Sleep", true, message), 0);
    fixture_run(b, x0, &after, &report);
    assert_memory_equal(after.states, before.states, SAMPLES * sizeof x0);
  }
  bridge_solver.release(b);
  fixture_free(&before);
  fixture_free(&after);
  model_release(&m);
}

/* a clock that shows how often it was read: every timer shows at least its own second reading */
static double count_readings(void) {
  static double readings;
  return readings++;
}

static double no_clock(void) {
  return 0.0;
}

static void test_timers_show_every_step(void **state) {
  (void)state;
  model m = fixture_model(10, 60);
  solver_output plain = fixture_output(&m, SAMPLES, dt), timed = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  bridge_profile profile = {0};
  solver_report report;
  double x0[6];
  m.type->initial_state(&m, x0);
  void *b = fixture_instance(&m, &settings, &plain);
  fixture_run(b, x0, &plain, &report);
  mjcb_time = no_clock;
  for (int i = 0; i < 2; ++i)
    assert_int_equal(bridge_profiled_run(b, x0, &timed, count_readings, &profile, &report), 0);

  // the trajectory is the same, and the caller has its clock back
  assert_memory_equal(timed.states, plain.states, SAMPLES * sizeof x0);
  assert_true(mjcb_time == no_clock);
  mjcb_time = NULL;

  // both runs are in the sums; parts stand behind what they are parts of and are not longer
  assert_true(profile.count >= 10);
  assert_string_equal(profile.timer[0].name, "step");
  assert_int_equal(profile.timer[0].calls, 2 * (SAMPLES - 1));
  double parts[BRIDGE_TIMERS_MAX] = {0};
  for (size_t i = 0; i < profile.count; ++i) {
    const bridge_timer *t = &profile.timer[i];
    assert_true(t->duration >= (double)t->calls);
    assert_true(t->parent < (int)i);
    // an old version shows no constraint where there are none
    assert_true(t->calls <= profile.timer[0].calls);
    if (t->calls > 0 && i > 0) assert_true(t->parent >= 0);
    if (t->parent >= 0) parts[t->parent] += t->duration;
  }
  for (size_t i = 0; i < profile.count; ++i) assert_true(parts[i] <= profile.timer[i].duration);
  bridge_solver.release(b);
  fixture_free(&plain);
  fixture_free(&timed);
  model_release(&m);
}

/* a run that fails leaves neither sums nor clock behind */
static void test_failed_runs_add_nothing(void **state) {
  (void)state;
  model m = fixture_model(2, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  const double x0[] = {0, NAN, 0, 0, 0, 0};
  bridge_profile profile = {0};
  solver_report report;
  void *b = fixture_instance(&m, &settings, &output);
  assert_int_equal(bridge_profiled_run(b, x0, &output, count_readings, &profile, &report), -1);
  assert_int_equal(profile.count, 0);
  assert_null(mjcb_time);
  bridge_solver.release(b);
  fixture_free(&output);
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flags_are_known_by_name),
      cmocka_unit_test(test_flags_act),
      cmocka_unit_test(test_timers_show_every_step),
      cmocka_unit_test(test_failed_runs_add_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
