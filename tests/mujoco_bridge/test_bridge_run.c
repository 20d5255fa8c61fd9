/*
 * MuJoCo as a solver: its runs start, sample, repeat and count as the seam promises.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "bridge_fixture.h"

enum { SAMPLES = 1001 };
static const double dt = 0.002;

static void test_first_sample_is_the_start(void **state) {
  (void)state;
  model m = fixture_model(10, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  const double x0[] = {0.1, 2.4, -0.07, 0.3, -0.2, 0.1};
  solver_report report;
  void *b = fixture_instance(&m, &settings, &output);
  fixture_run(b, x0, &output, &report);
  assert_memory_equal(output.states, x0, sizeof x0);
  assert_int_equal(report.steps, SAMPLES - 1);
  assert_int_equal(report.field_evaluations, SAMPLES - 1);

  // free flight is exact for the constant velocities
  const double *x = output.states + 6 * 50;
  assert_true(fabs(x[0] - (0.1 + 0.3 * 0.1)) < 1e-12);
  assert_true(fabs(x[2] - (-0.07 + 0.1 * 0.1)) < 1e-12);
  assert_true(fabs(x[4] - (-0.2 - 9.81 * 0.1)) < 1e-12);
  bridge_solver.release(b);
  fixture_free(&output);
  model_release(&m);
}

static void test_runs_repeat_bit_for_bit(void **state) {
  (void)state;
  model m = fixture_model(10, 60);
  solver_output first = fixture_output(&m, SAMPLES, dt), again = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  const double x0[] = {0, 2.5, 0.05, 0, 0, 0}, other[] = {0, 2.1, -0.09, 0, 0, 0};
  const size_t bytes = SAMPLES * sizeof x0;
  solver_report report;
  void *b = fixture_instance(&m, &settings, &first);
  fixture_run(b, x0, &first, &report);

  // after another start, and from a fresh instance
  fixture_run(b, other, &again, &report);
  assert_memory_not_equal(again.states, first.states, bytes);
  fixture_run(b, x0, &again, &report);
  assert_memory_equal(again.states, first.states, bytes);
  bridge_solver.release(b);
  b = fixture_instance(&m, &settings, &first);
  fixture_run(b, x0, &again, &report);
  assert_memory_equal(again.states, first.states, bytes);
  bridge_solver.release(b);
  fixture_free(&first);
  fixture_free(&again);
  model_release(&m);
}

static void test_substeps(void **state) {
  (void)state;
  model m = fixture_model(2, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  solver_settings settings = fixture_settings();
  solver_report report;
  double x0[6];
  m.type->initial_state(&m, x0);
  settings.time_step = dt / 3;
  settings.variant = "RK4";
  void *b = fixture_instance(&m, &settings, &output);
  fixture_run(b, x0, &output, &report);
  assert_int_equal(report.steps, 3 * (SAMPLES - 1));
  assert_int_equal(report.field_evaluations, 12 * (SAMPLES - 1));

  // before touch-down RK4 is exact
  const double t = 0.2, *x = output.states + 6 * 100;
  assert_true(fabs(x[1] - (2.5 - 0.5 * 9.81 * t * t)) < 1e-12);
  bridge_solver.release(b);
  fixture_free(&output);
  model_release(&m);
}

/* a step of three output steps: every third output is MuJoCo's own, those between on the chord */
static void test_strides(void **state) {
  (void)state;
  enum { COARSE = (SAMPLES - 1) / 3 + 1 };
  model m = fixture_model(2, 60);
  solver_output coarse = fixture_output(&m, COARSE, 3 * dt);
  solver_output fine = fixture_output(&m, SAMPLES, dt);
  solver_settings settings = fixture_settings();
  solver_report report;
  double x0[6];
  m.type->initial_state(&m, x0);
  settings.time_step = 3 * dt;
  void *a = fixture_instance(&m, &settings, &coarse), *b = fixture_instance(&m, &settings, &fine);
  fixture_run(a, x0, &coarse, &report);
  assert_int_equal(report.steps, COARSE - 1);
  fixture_run(b, x0, &fine, &report);
  assert_int_equal(report.steps, (SAMPLES - 1 + 2) / 3);
  for (size_t i = 0; i + 1 < COARSE; ++i)
    for (size_t k = 0; k < 6; ++k) {
      const double from = coarse.states[6 * i + k], to = coarse.states[6 * (i + 1) + k];
      assert_true(fine.states[6 * 3 * i + k] == from);
      assert_true(fabs(fine.states[6 * (3 * i + 1) + k] - (2 * from + to) / 3) < 1e-12);
    }
  bridge_solver.release(a);
  bridge_solver.release(b);
  fixture_free(&coarse);
  fixture_free(&fine);
  model_release(&m);
}

/* the hopper at rest on its spring stays there, and bounces to its height from above */
static void test_hopper_rests_and_bounces(void **state) {
  (void)state;
  model m = fixture_model(0, 0);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  const double rest[] = {1 - 9.81 / 800, 0}, drop[] = {2, 0};
  solver_report report;
  void *b = fixture_instance(&m, &settings, &output);
  fixture_run(b, rest, &output, &report);
  assert_true(fabs(output.states[2 * (SAMPLES - 1)] - rest[0]) < 1e-9);
  fixture_run(b, drop, &output, &report);

  // touch-down at sqrt(2/g), half a turn or so of the spring, and up again
  double highest = 0, lowest = 2;
  for (size_t i = 0; i < SAMPLES; ++i) {
    const double z = output.states[2 * i];
    lowest = fmin(lowest, z);
    if (output.times[i] > 0.6) highest = fmax(highest, z);
  }
  assert_true(fabs(lowest - (1 - 9.81 / 800 - sqrt(pow(9.81 / 800, 2) + 2 * 9.81 / 800))) < 2e-3);
  assert_true(fabs(highest - 2) < 0.05);
  bridge_solver.release(b);
  fixture_free(&output);
  model_release(&m);
}

static void test_inspect_counts_changes_of_contact(void **state) {
  (void)state;
  model m = fixture_model(0, 0);
  const solver_settings settings = fixture_settings();
  const double x0[] = {2, 0};
  solver_report report;

  // down at 0.45 s, up 0.12 s later, down again at 1.48 s, up at 1.6 s
  solver_output output = fixture_output(&m, SAMPLES, dt);
  void *b = fixture_instance(&m, &settings, &output);
  fixture_run(b, x0, &output, &report);
  assert_int_equal(bridge_solver.inspect(b, &output, &report), 0);
  assert_int_equal(report.events, 4);
  bridge_solver.release(b);
  fixture_free(&output);
  model_release(&m);
}

static void test_plate_counts_like_its_model(void **state) {
  (void)state;
  model m = fixture_model(10, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  solver_report report;
  double x0[6];
  m.type->initial_state(&m, x0);
  void *b = fixture_instance(&m, &settings, &output);
  fixture_run(b, x0, &output, &report);
  assert_int_equal(bridge_solver.inspect(b, &output, &report), 0);
  unsigned char now[10], before[10];
  uint64_t events = 0;
  m.type->active_contacts(&m, output.states, before);
  for (size_t i = 1; i < SAMPLES; ++i) {
    m.type->active_contacts(&m, output.states + 6 * i, now);
    for (size_t k = 0; k < 10; ++k) events += now[k] != before[k];
    memcpy(before, now, sizeof now);
  }
  assert_true(events > 20);
  assert_int_equal(report.events, events);
  bridge_solver.release(b);
  fixture_free(&output);
  model_release(&m);
}

static void test_pairs_and_broad_phase_agree(void **state) {
  (void)state;
  model m = fixture_model(10, 60);
  solver_output lean = fixture_output(&m, SAMPLES, dt), full = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report;
  double x0[6];
  void *b = fixture_instance(&m, &settings, &lean);
  m.type->initial_state(&m, x0);
  fixture_run(b, x0, &lean, &report);
  bridge_solver.release(b);

  // everything MuJoCo does by default, and a solver that never stops early
  mjcf_options scene = mjcf_options_default();
  scene.pairs = MJCF_PAIRS_OFF;
  scene.lean = false;
  scene.warmstart = true;
  scene.jacobian = "auto";
  scene.tolerance = 0;
  scene.iterations = 10;
  assert_int_equal(bridge_prepare(&m, &settings, &full, &scene, NULL, &b, message), 0);
  fixture_run(b, x0, &full, &report);
  bridge_solver.release(b);
  double largest = 0;
  for (size_t i = 0; i < 6 * SAMPLES; ++i)
    largest = fmax(largest, fabs(lean.states[i] - full.states[i]));
  if (!(largest <= 1e-9)) fail_msg("trajectories differ by %g", largest);
  fixture_free(&lean);
  fixture_free(&full);
  model_release(&m);
}

static void test_every_integrator_of_this_version(void **state) {
  (void)state;
  static const char *const names[] = {"Euler", "RK4", "implicit", "implicitfast", "discrete"};
  model m = fixture_model(2, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  solver_settings settings = fixture_settings();
  double x0[6];
  m.type->initial_state(&m, x0);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    char message[SOLVER_MESSAGE_SIZE];
    solver_report report;
    void *b;
    settings.variant = names[i];
    if (bridge_solver.prepare(&m, &settings, &output, &b, message) == 0) {
      fixture_run(b, x0, &output, &report);
      assert_true(output.states[6 * (SAMPLES - 1) + 1] > 0.9);
      bridge_solver.release(b);
    } else {
      // the first three are in every version
      assert_true(i >= 3);
      fixture_expect_line(message, "has no integrator");
      fixture_expect_line(message, names[i]);
    }
  }
  fixture_free(&output);
  model_release(&m);
}

static void test_large_scenes_run(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 100, 1000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    model m = fixture_model(sizes[i], 60);
    solver_output output = fixture_output(&m, 401, dt);
    const solver_settings settings = fixture_settings();
    solver_report report;
    const double x0[] = {0, 1.1, 0, 0, -3, 0};
    void *b = fixture_instance(&m, &settings, &output);
    fixture_run(b, x0, &output, &report);
    assert_int_equal(bridge_solver.inspect(b, &output, &report), 0);

    // level and straight down: all contacts close and open together
    assert_true(report.events >= 2 * sizes[i]);
    bridge_solver.release(b);
    fixture_free(&output);
    model_release(&m);
  }
}

static void test_locale_changes_nothing(void **state) {
  (void)state;
  model m = fixture_model(3, 60);
  solver_output plain = fixture_output(&m, SAMPLES, dt), german = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  solver_report report;
  double x0[6];
  m.type->initial_state(&m, x0);
  void *b = fixture_instance(&m, &settings, &plain);
  fixture_run(b, x0, &plain, &report);
  bridge_solver.release(b);
  const bool here = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
  if (here) {
    b = fixture_instance(&m, &settings, &german);
    fixture_run(b, x0, &german, &report);
    bridge_solver.release(b);
    setlocale(LC_ALL, "C");
    assert_memory_equal(german.states, plain.states, SAMPLES * sizeof x0);
  }
  fixture_free(&plain);
  fixture_free(&german);
  model_release(&m);
  if (!here) {
    print_message("no locale with a decimal comma here\n");
    skip();
  }
}

static void test_library_facts(void **state) {
  (void)state;
  int major, minor, patch;
  const char *const avx = bridge_has_avx();
  assert_int_equal(sscanf(bridge_version_string(), "%d.%d.%d", &major, &minor, &patch), 3);
  assert_non_null(strstr(bridge_library_path(), "libmujoco"));
  assert_true(!strcmp(avx, "yes") || !strcmp(avx, "no") || !strcmp(avx, "unknown"));
  print_message("MuJoCo %s, AVX %s, %s\n", bridge_version_string(), avx, bridge_library_path());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_sample_is_the_start),
      cmocka_unit_test(test_runs_repeat_bit_for_bit),
      cmocka_unit_test(test_substeps),
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_hopper_rests_and_bounces),
      cmocka_unit_test(test_inspect_counts_changes_of_contact),
      cmocka_unit_test(test_plate_counts_like_its_model),
      cmocka_unit_test(test_pairs_and_broad_phase_agree),
      cmocka_unit_test(test_every_integrator_of_this_version),
      cmocka_unit_test(test_large_scenes_run),
      cmocka_unit_test(test_locale_changes_nothing),
      cmocka_unit_test(test_library_facts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
