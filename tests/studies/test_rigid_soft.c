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
  essbench(state, "rigid-soft --stiffnesses 1e8,1e6 --ratios 10,0.2");
  json_t *const results = read_json(state, "results/rigid_soft.json");
  const json_t *const rows = json_object_get(results, "rows");
  assert_int_equal(json_array_size(rows), COUNT);

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
  json_decref(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(stiff_springs_are_rigid_where_they_damp, folder_set_up,
                                      folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
