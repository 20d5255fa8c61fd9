/*
 * The study of rigid contacts against springs as a user runs it: what is known of the rigid ones,
 * and where springs lead as they grow stiff.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"

static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.10g is not %.10g", value, known);
}

/* a number in a row */
static double at(const json_t *rows, size_t i, const char *name) {
  const json_t *const row = json_array_get(rows, i);
  assert_non_null(row);
  return number_of(row, name);
}

/* block: rigid without and with pseudo-impulses, then 1e8 and 1e6 N/m at ratios 10 and 0.2; the
 * landing: rigid, then the same */
enum { RIGID, PSEUDO, BLOCK, TROT = BLOCK + 4, LANDING, COUNT = LANDING + 4 };

static void stiff_springs_are_rigid_where_they_damp(void **state) {
  essbench(state, "rigid-soft --stiffnesses 1e8,1e6 --ratios 10,0.2 --time-steps 2,0.25 "
                  "--integrators RK4");
  json_t *const results = read_json(state, "results/rigid_soft.json");
  const json_t *const rows = json_object_get(results, "rows");
  assert_true(json_array_size(rows) > COUNT);

  near(at(rows, RIGID, "landing"), 0.102296, 1e-6);
  near(at(rows, RIGID, "spin_ratio"), 0.7, 1e-7);
  near(at(rows, RIGID, "stop_speed"), 0.0, 0.0);
  near(at(rows, PSEUDO, "stop_speed"), 0.063064, 1e-6);
  near(at(rows, PSEUDO, "stop_delta_t"), 0.03, 1e-12);

  // much damping: each hundredfold stiffness brings it a hundred times closer
  near(at(rows, BLOCK, "spin_ratio"), 0.7, 1e-4);
  near(at(rows, BLOCK + 1, "angle_rms") / at(rows, BLOCK, "angle_rms"), 100.0, 40.0);
  near(at(rows, BLOCK + 1, "landing_off") / at(rows, BLOCK, "landing_off"), 100.0, 20.0);
  near(at(rows, BLOCK + 1, "stop_speed") / at(rows, BLOCK, "stop_speed"), 10.0, 0.5);
  near(at(rows, LANDING, "end_rate"), at(rows, TROT, "end_rate"), 1e-4);
  assert_true(at(rows, BLOCK, "field_evaluations") > 4 * at(rows, BLOCK + 1, "field_evaluations"));
  assert_true(at(rows, BLOCK + 1, "field_evaluations") > 20 * at(rows, RIGID, "field_evaluations"));

  // little: it bounces, and stiffness does not help
  for (size_t i = BLOCK + 2; i < BLOCK + 4; i++) {
    assert_true(at(rows, i, "spin_ratio") > 0.73);
    assert_true(at(rows, i, "angle_rms") > 0.01);
    assert_true(at(rows, i + LANDING - BLOCK, "end_rate") < -0.5);
  }
  for (size_t i = 0; i < COUNT; i++) assert_true(at(rows, i, "time_s") > 0.0);
  json_decref(results);
}

/* the row of MuJoCo's with that choice and contacts (NULL: any), for a system and a step */
static const json_t *row_of(const json_t *rows, const char *system, const char *choice,
                            const char *contacts, double ratio, double step) {
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *const row = json_array_get(rows, i);
    if (strcmp(text_of(row, "system"), system) == 0 &&
        strcmp(text_of(row, "choice"), choice) == 0 && number_of(row, "time_step") == step &&
        (!contacts || strcmp(text_of(row, "contacts"), contacts) == 0) &&
        (isnan(ratio) || number_of(row, "damping_ratio") == ratio))
      return row;
  }
  fail_msg("no row: %s %s %s", system, choice, contacts ? contacts : "");
  return NULL;
}

static void mujoco_is_as_close_as_its_steps_allow(void **state) {
  essbench(state, "rigid-soft --stiffnesses 1e6 --ratios 2,0.2 --time-steps 2,0.25 "
                  "--integrators RK4,Euler");
  json_t *const results = read_json(state, "results/rigid_soft.json");
  const json_t *const rows = json_object_get(results, "rows");
  static const char *const systems[] = {"block", "trot"};
  for (size_t i = 0; i < 2; i++) {
    const char *const s = systems[i];
    const json_t *const usual = row_of(rows, s, "default", "own", NAN, 0.002);
    near(number_of(usual, "time_constant"), 0.02, 0.0);
    const double distance = number_of(usual, "angle_rms");
    assert_true(distance > 4e-3 && distance < 2e-2);

    // a shorter step bears stiffer contacts, of either kind, and these come closer
    for (int own = 0; own < 2; own++) {
      const char *const kind = own ? "own" : "springs";
      const json_t *const coarse = row_of(rows, s, "stiffest", kind, own ? NAN : 2.0, 0.002);
      const json_t *const fine = row_of(rows, s, "stiffest", kind, own ? NAN : 2.0, 0.00025);
      assert_true(number_of(fine, "stiffness") > 10.0 * number_of(coarse, "stiffness"));
      if (own)
        near(number_of(coarse, "time_constant") / number_of(fine, "time_constant"), 8.0, 3.0);
    }
    const json_t *const coarse = row_of(rows, s, "closest", NULL, NAN, 0.002);
    const json_t *const fine = row_of(rows, s, "closest", NULL, NAN, 0.00025);
    assert_true(number_of(coarse, "angle_rms") < 0.5 * distance);
    assert_true(number_of(fine, "angle_rms") < 0.5 * number_of(coarse, "angle_rms"));
    assert_true(number_of(fine, "steps") == 8.0 * number_of(coarse, "steps"));
    assert_true(number_of(fine, "time_s") > number_of(coarse, "time_s"));
  }
  const json_t *const block = row_of(rows, "block", "default", NULL, NAN, 0.00025);
  near(number_of(block, "landing_off"), -1.1e-3, 4e-4);
  near(number_of(block, "stop_speed"), 0.045, 0.005);

  // the same springs by both engines
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *const row = json_array_get(rows, i);
    const bool springs = strcmp(text_of(row, "contacts"), "springs") == 0;
    if (!springs || strcmp(text_of(row, "choice"), "closest") != 0) continue;
    assert_true(number_of(row, "soft_angle_rms") < 2e-3);
  }
  json_decref(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(stiff_springs_are_rigid_where_they_damp, folder_set_up,
                                      folder_tear_down),
      cmocka_unit_test_setup_teardown(mujoco_is_as_close_as_its_steps_allow, folder_set_up,
                                      folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
