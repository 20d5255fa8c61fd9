/*
 * The study of a mass on a belt, as a user runs it with few settings: beside what is known of the
 * path, and what its own rows say is the cheapest.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"

/* the calls of the cheapest row by this solver within an error; INFINITY: none is */
static double least_calls(const json_t *runs, const char *solver, double target) {
  double least = INFINITY;
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *const row = json_array_get(runs, i);
    const double error = number_of(row, "error"), calls = number_of(row, "calls");
    if (strcmp(text_of(row, "solver"), solver) == 0 && error <= target && calls < least)
      least = calls;
  }
  return least;
}

static void the_cheapest_within_an_error_count(void **state) {
  static const char *const words[] = {"libess", "tanh-cvode"};
  static const char *const names[] = {"libess_calls", "tanh_calls"};
  essbench(state, "sliding --trials 2 --widths 1e-2,1e-3,1e-5 --tolerances 1e-3,1e-5,1e-7");
  json_t *const results = read_json(state, "results/sliding.json");
  const json_t *const runs = json_object_get(results, "runs");
  const json_t *const costs = json_object_get(results, "costs");
  assert_int_equal(json_array_size(runs), 4 * 3);
  assert_int_equal(json_array_size(costs), 5);
  for (size_t i = 0; i < 5; i++) {
    const json_t *const row = json_array_get(costs, i);
    const double target = number_of(row, "target");
    for (size_t k = 0; k < 2; k++) {
      const double least = least_calls(runs, words[k], target);
      const json_t *const said = json_object_get(row, names[k]);
      if (isfinite(least))
        assert_true(json_number_value(said) == least);
      else
        assert_true(json_is_null(said));
    }
  }
  // three widths reach three errors: a tanh errs by about its width
  assert_true(json_is_number(json_object_get(json_array_get(costs, 0), "tanh_calls")));
  assert_true(json_is_null(json_object_get(json_array_get(costs, 4), "tanh_calls")));
  json_decref(results);
}

/* it slips at t = 2, at x = 1, and sticks again at 7.266719402578, x = 0.264941105407 */
static void slides_begin_and_end_where_they_do(void **state) {
  static const double known[][3] = {
      {0.0, 0.0, 1}, {2.0, 1.0, 0}, {7.266719402578, 0.264941105407, 1}};
  essbench(state, "sliding --trials 1 --widths 1e-2 --tolerances 1e-3");
  json_t *const results = read_json(state, "results/sliding.json");
  const json_t *const slides = json_object_get(results, "slides");
  assert_true(json_array_size(slides) >= 3);
  for (size_t i = 0; i < 3; i++) {
    const json_t *const row = json_array_get(slides, i);
    assert_true(fabs(number_of(row, "t") - known[i][0]) < 1e-7);
    assert_true(fabs(number_of(row, "x") - known[i][1]) < 1e-7);
    assert_true(json_is_true(json_object_get(row, "begins")) == (known[i][2] > 0));
  }
  json_decref(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_cheapest_within_an_error_count, folder_set_up,
                                      folder_tear_down),
      cmocka_unit_test_setup_teardown(slides_begin_and_end_where_they_do, folder_set_up,
                                      folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
