/*
 * Acceptance of `essbench calibrate`, and the calibration where there is no epsilon to be found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "calibration.h"
#include "experiments_fixture.h"

static const char *const columns[] = {"stiffness_over_mass",
                                      "main",
                                      "epsilon",
                                      "rms_error_mujoco",
                                      "rms_error_projection",
                                      "ratio",
                                      "penetration",
                                      "field_gap",
                                      "scaling_s",
                                      "runtime_mujoco_s",
                                      "runtime_projection_s"};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* epsilon' over k/m of a prototype that shares no code with this one, to the digits it printed */
static const double prototype[][2] = {{20, 0.040},   {50, 0.022},   {100, 0.0092},  {200, 0.0060},
                                      {300, 0.0047}, {500, 0.0040}, {1000, 0.0029}, {2000, 0.0021}};
enum { PROTOTYPES = sizeof prototype / sizeof *prototype };

/* both errors are there, they agree, and the system was the same */
static void check_row(const measure_table *table, size_t row) {
  const double mujoco = field_of(table, row, "rms_error_mujoco"),
               ours = field_of(table, row, "rms_error_projection"),
               epsilon = field_of(table, row, "epsilon");
  assert_string_equal(measure_table_text(table, row, measure_table_column(table, "status")), "ok");
  assert_true(mujoco > 0.0 && ours > 0.0);
  assert_true(fabs(ours / mujoco - 1.0) <= 1e-3);
  assert_true(fabs(field_of(table, row, "ratio") - ours / mujoco) <= 1e-12);
  assert_true(epsilon > 0.0 && epsilon < field_of(table, row, "penetration"));
  assert_true(field_of(table, row, "field_gap") <= 1e-7);
  assert_true(field_of(table, row, "scaling_s") >= 2e5);
  assert_true(field_of(table, row, "runtime_mujoco_s") > 0.0);
  assert_true(field_of(table, row, "runtime_projection_s") > 0.0);
}

/* two digits, so half a unit of the second is allowed for beside the 3 % */
static void check_prototype(const measure_table *table, const double expected[2]) {
  for (size_t i = 0; i < measure_table_rows(table); i++) {
    if (fabs(field_of(table, i, "stiffness_over_mass") - expected[0]) > 1e-9) continue;
    const double epsilon = field_of(table, i, "epsilon");
    if (fabs(epsilon / expected[1] - 1.0) > 0.03)
      fail_msg("k/m = %g: epsilon %g, prototype %g", expected[0], epsilon, expected[1]);
    return;
  }
  fail_msg("no row with k/m = %g", expected[0]);
}

static void check_table(void **state) {
  size_t main_rows = 0;
  measure_table *const table = read_table(state, "results/calibration.csv", columns, COLUMNS);
  for (size_t i = 0; i < measure_table_rows(table); i++) {
    check_row(table, i);
    main_rows += field_of(table, i, "main") == 1.0;
  }
  assert_int_equal(main_rows, 1);
  for (size_t i = 0; i < PROTOTYPES; i++) check_prototype(table, prototype[i]);
  measure_table_free(table);
}

static void check_json(void **state) {
  json_t *const object = read_json(state, "results/calibration.json");
  const double mujoco = number_of(object, "rms_error_mujoco"),
               ours = number_of(object, "rms_error_projection");
  assert_true(fabs(ours / mujoco - 1.0) <= 1e-3);
  assert_true(number_of(object, "ratio") == ours / mujoco);
  assert_true(number_of(object, "stiffness_over_mass") == 800.0);
  const json_t *const gap = json_object_get(object, "field_gap");
  assert_true(number_of(gap, "gap") > 0.0 && number_of(gap, "gap") <= 1e-7);
  assert_true(number_of(gap, "states") >= 2000);
  assert_true(json_array_size(json_object_get(object, "table")) >= PROTOTYPES);
  const json_t *const paper = json_object_get(object, "paper");
  assert_true(number_of(paper, "epsilon") == 0.13);
  assert_true(number_of(paper, "runtime_mujoco_s") == 0.002436);
  assert_true(number_of(paper, "runtime_projection_s") == 0.010251);
  json_decref(object);
}

/* the main row's errors again, from the trajectories that stand in the file */
static void check_trajectory(void **state) {
  static const char *const names[] = {"t",        "z_exact",      "v_exact",     "z_mujoco",
                                      "v_mujoco", "z_projection", "v_projection"};
  measure_table *const table = read_table(state, "results/calibration_trajectory.csv", names, 7);
  json_t *const object = read_json(state, "results/calibration.json");
  const size_t rows = measure_table_rows(table);
  double sum[2] = {0.0, 0.0};
  assert_int_equal(rows, 1001);
  for (size_t i = 0; i < rows; i++) {
    for (size_t k = 0; k < 2; k++) {
      const double z = field_of(table, i, names[3 + 2 * k]) - field_of(table, i, "z_exact"),
                   v = field_of(table, i, names[4 + 2 * k]) - field_of(table, i, "v_exact");
      sum[k] += z * z + v * v;
    }
  }
  const double mujoco = sqrt(sum[0] / (2.0 * (double)rows)),
               ours = sqrt(sum[1] / (2.0 * (double)rows));
  assert_true(fabs(mujoco / number_of(object, "rms_error_mujoco") - 1.0) < 1e-12);
  assert_true(fabs(ours / number_of(object, "rms_error_projection") - 1.0) < 1e-12);
  json_decref(object);
  measure_table_free(table);
}

static void epsilon_at_which_the_errors_agree(void **state) {
  essbench(state, "calibrate --trials 3 --out results");
  check_table(state);
  check_json(state);
  check_trajectory(state);
}

/* a hopper of these parameters has no epsilon, for a reason that has `words` in it */
static void no_epsilon(const char *const parameters[], const char *words) {
  char message[SOLVER_MESSAGE_SIZE] = "";
  calibration result;
  model m;
  model_init(&m, model_find("hopper"));
  for (size_t i = 0; parameters[i]; i += 2)
    if (model_set_text(&m, parameters[i], parameters[i + 1], message)) fail_msg("%s", message);
  if (model_prepare(&m, message)) fail_msg("%s", message);
  if (calibrate_hopper(&m, 1, &result, message)) fail_msg("%s", message);
  assert_true(isnan(result.epsilon));
  assert_true(isnan(result.rms_projection));
  if (!strstr(result.status, words)) fail_msg("%s instead of %s", result.status, words);
  assert_null(strchr(result.status, '\n'));
  model_release(&m);
}

/* so stiff that MuJoCo's error exceeds any that a neighbourhood inside the spring can make; cut off
 * while the spring is still being pressed; never touching it; leaving it or not, as epsilon is */
static void no_root_gives_a_reason_and_no_number(void **state) {
  (void)state;
  no_epsilon((const char *const[]){"stiffness", "1e6", NULL}, "no root");
  no_epsilon((const char *const[]){"duration", "0.46", NULL}, "no root");
  no_epsilon((const char *const[]){"duration", "0.1", NULL}, "never pressed");
  no_epsilon((const char *const[]){"height", "100", NULL}, "never pressed");
  no_epsilon((const char *const[]){"height", "0.99", NULL}, "jumps");
}

static void several_roots_give_a_reason_and_no_number(void **state) {
  (void)state;
  no_epsilon((const char *const[]){"stiffness", "1e4", "height", "1", NULL}, "not unique");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(epsilon_at_which_the_errors_agree, folder_set_up,
                                      folder_tear_down),
      cmocka_unit_test(no_root_gives_a_reason_and_no_number),
      cmocka_unit_test(several_roots_give_a_reason_and_no_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
