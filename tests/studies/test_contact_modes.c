/*
 * The study of pseudo-impulses as a user runs it: where a hill holds a point, and when a rocking
 * block lands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"

static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.10g is not %.10g", value, known);
}

static void hill_rests_where_it_must(void **state) {
  essbench(state, "contact-modes --slope-step 15 --speed-step 0.03");
  json_t *const results = read_json(state, "results/contact_modes.json");
  const json_t *const rows = json_object_get(results, "thresholds");
  assert_int_equal(json_array_size(rows), 4);
  near(number_of(json_array_get(rows, 1), "slope"), 30.0, 0.0);
  near(number_of(json_array_get(rows, 1), "found"), 0.169914, 1e-6);
  for (size_t i = 0; i < 4; i++) {
    const json_t *const row = json_array_get(rows, i);
    const double known = 9.81 * 0.03 * tan(15.0 * (double)(i + 1) * acos(-1.0) / 180.0);
    near(number_of(row, "known"), known, 1e-12);
    near(number_of(row, "found"), known, 1e-8 * known);
  }
  const json_t *const hill = json_object_get(results, "hill");
  assert_int_equal(json_array_size(hill), 4 * 20);
  size_t i;
  json_t *row;
  json_array_foreach(hill, i, row) assert_true(
      json_is_true(json_object_get(row, "rests")) ==
      (number_of(row, "speed") < 9.81 * 0.03 * tan(number_of(row, "slope") * acos(-1.0) / 180.0)));
  json_decref(results);
}

/* the speeds are those of the corner: twice the centre's */
static void block_lands_when_it_must(void **state) {
  static const double times[] = {0.102296, 0.218653, 0.294712, 0.346423};
  static const double speeds[] = {0.216184, 0.151328, 0.105930, 0.074152};
  essbench(state, "contact-modes --slope-step 20 --speed-step 0.6");
  json_t *const results = read_json(state, "results/contact_modes.json");
  size_t impacts[2] = {0, 0}, i;
  double last = 0.0;
  json_t *row;
  json_array_foreach(json_object_get(results, "block"), i, row) {
    if (!json_is_true(json_object_get(row, "impact"))) continue;
    const bool pseudo = number_of(row, "delta_t") > 0.0;
    const size_t k = impacts[pseudo]++;
    if (!pseudo) last = number_of(row, "t");
    if (k >= 4) continue;
    near(number_of(row, "t"), times[k], 1e-6);
    near(number_of(row, "speed"), speeds[k], 1e-6);
  }
  assert_int_equal(impacts[1], 3);
  assert_true(impacts[0] > 40);
  near(last, 0.464672, 1e-6);
  json_decref(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(hill_rests_where_it_must, folder_set_up, folder_tear_down),
      cmocka_unit_test_setup_teardown(block_lands_when_it_must, folder_set_up, folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
