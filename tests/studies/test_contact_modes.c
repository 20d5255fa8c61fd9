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

/* every number of the paper's examples in all of its digits, every sequence of modes */
static void examples_are_as_known(void **state) {
  essbench(state, "contact-modes --slope-step 20 --speed-step 0.6");
  json_t *const results = read_json(state, "results/contact_modes.json");
  const json_t *const known = json_object_get(results, "known");
  size_t i, compared = 0;
  json_t *row;
  assert_int_equal(json_array_size(known), 32);
  json_array_foreach(known, i, row) if (!json_is_true(json_object_get(row, "agrees")))
      fail_msg("%s: %s is %.10g, not %.10g", text_of(row, "example"), text_of(row, "quantity"),
               number_of(row, "found"), number_of(row, "known"));
  json_array_foreach(json_object_get(results, "words"), i, row) {
    if (strcmp(text_of(row, "known"), "in kind") == 0) continue;
    assert_string_equal(text_of(row, "found"), text_of(row, "known"));
    compared++;
  }
  assert_int_equal(compared, 13);
  json_decref(results);
}

/* what is cut off falls with delta_t, and is that of mechanisms.md */
static void less_is_cut_off_by_less_delta_t(void **state) {
  essbench(state, "contact-modes --slope-step 20 --speed-step 0.6 --truncations 0.03,0.01,0.001");
  json_t *const results = read_json(state, "results/contact_modes.json");
  static const double earlier[] = {0.169960, 0.057692, 0.004745};
  const json_t *const rows = json_object_get(results, "truncation");
  assert_int_equal(json_array_size(rows), 3);
  double angle = INFINITY;
  for (size_t i = 0; i < 3; i++) {
    const json_t *const row = json_array_get(rows, i);
    near(number_of(row, "earlier"), earlier[i], 1e-6);
    assert_true(number_of(row, "angle") < angle);
    angle = number_of(row, "angle");
  }
  json_decref(results);
}

/* how often a foot's force goes to zero at an instant */
static size_t times_let_go(const json_t *rows, double delta_t, const char *foot) {
  size_t i, count = 0;
  double before = 0.0, time = 0.0;
  json_t *row;
  json_array_foreach(rows, i, row) {
    if (number_of(row, "delta_t") != delta_t) continue;
    count += before > 1.0 && number_of(row, foot) == 0.0 && number_of(row, "t") == time;
    before = number_of(row, foot);
    time = number_of(row, "t");
  }
  return count;
}

/* Figure 4 */
static void feet_chatter_without_pseudo_impulses(void **state) {
  essbench(state, "contact-modes --slope-step 20 --speed-step 0.6");
  json_t *const results = read_json(state, "results/contact_modes.json");
  const json_t *const rows = json_object_get(results, "leap");
  assert_true(times_let_go(rows, 0.0, "front") >= 1 && times_let_go(rows, 0.0, "rear") > 5);
  assert_int_equal(times_let_go(rows, 0.03, "front"), 0);
  assert_int_equal(times_let_go(rows, 0.03, "rear"), 0);
  json_decref(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(hill_rests_where_it_must, folder_set_up, folder_tear_down),
      cmocka_unit_test_setup_teardown(block_lands_when_it_must, folder_set_up, folder_tear_down),
      cmocka_unit_test_setup_teardown(examples_are_as_known, folder_set_up, folder_tear_down),
      cmocka_unit_test_setup_teardown(less_is_cut_off_by_less_delta_t, folder_set_up,
                                      folder_tear_down),
      cmocka_unit_test_setup_teardown(feet_chatter_without_pseudo_impulses, folder_set_up,
                                      folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
