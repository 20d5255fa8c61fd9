/*
 * The plate at scale: slopes, plateaus, counts, growth and evenness of made-up samples; and the
 * command on a few contacts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"

#include "scale.h"

/* ---- made-up samples --------------------------------------------------------------------------
 */

enum { TRIALS = 3, EPSILONS = 19, CASES = 3 };

static const double epsilon_of_top = 1.0, floor_rms = 1e-14;
static size_t events[TRIALS] = {40, 41, 42};

/* three to the decade from 1 down to 1e-6 */
static double epsilon_at(size_t k) {
  return epsilon_of_top * pow(10.0, -(double)k / 3.0);
}

/* c eps^(order + 1) up to the distance, constant from there on, never below the floor */
static double error_at(double epsilon, double distance, int order) {
  const double seen = fmin(epsilon, distance);
  return fmax(floor_rms, (order == 1 ? 0.5 : 2.0) * pow(seen, order + 1.0));
}

static void set(scale_point *p, scale_quantity q, size_t trial, double value) {
  p->sample[(size_t)q * TRIALS + trial] = value;
}

/* starts err by 1, 2 and 3 times as much; crossings cost N^1.5 s, N^0.5 fields and N^0 guards each;
 * the last start misses a crossing where epsilon is above the distance */
static void fill(scale_case *c) {
  const double n = (double)c->contacts;
  for (size_t i = 0; i < SCALE_ORDERS * c->epsilons; i++) {
    scale_point *const p = &c->point[i];
    for (size_t j = 0; j < TRIALS; j++) {
      const bool missed = j == TRIALS - 1 && p->epsilon > c->distance.median;
      set(p, SCALE_RMS, j, (1.0 + (double)j) * error_at(p->epsilon, c->distance.median, p->order));
      set(p, SCALE_EVENTS, j, (double)events[j] - (missed ? 1.0 : 0.0));
      set(p, SCALE_SECONDS, j, 41.0 * pow(n, 1.5));
      set(p, SCALE_FIELDS, j, 41.0 * sqrt(n));
      set(p, SCALE_GUARDS, j, 82.0);
    }
  }
}

static void make_up(scale_case *c, size_t contacts, double distance) {
  char message[MEASURE_MESSAGE_SIZE];
  double epsilon[EPSILONS];
  for (size_t k = 0; k < EPSILONS; k++) epsilon[k] = epsilon_at(k);
  *c = (scale_case){.contacts = contacts, .distance = {distance / 3, distance, 3 * distance}};
  c->starts.trials = TRIALS;
  c->starts.events = events;
  assert_int_equal(scale_add_points(c, epsilon, EPSILONS), 0);
  fill(c);
  assert_int_equal(scale_summarize(c, message), 0);
}

static void dispose(scale_case *c) {
  c->starts = (contest_starts){0}; // the crossings are no allocation
  scale_case_free(c);
}

/* ---- what is derived --------------------------------------------------------------------------
 */

static void rows_are_medians_and_counts(void **state) {
  (void)state;
  scale_case c;
  make_up(&c, 100, 0.01);
  const double *const above = c.point[3].row, *const below = c.point[EPSILONS + 9].row;
  assert_true(above[SCALE_CONTACTS] == 100 && above[SCALE_ORDER] == 1);
  assert_true(above[SCALE_EPSILON] == epsilon_at(3) && above[SCALE_DISTANCE] == 0.01);
  assert_true(above[SCALE_TRIALS] == 3 && above[SCALE_EXACT] == 2);
  assert_true(fabs(above[SCALE_REFERENCE_EVENTS] - 41) < 1e-12);
  assert_true(above[SCALE_MEASURED + SCALE_RMS] == 2 * error_at(1, 0.01, 1));
  assert_true(above[SCALE_RMS_WORST] == 3 * error_at(1, 0.01, 1));
  assert_true(below[SCALE_ORDER] == 2 && below[SCALE_EXACT] == 3);
  assert_true(below[SCALE_MEASURED + SCALE_EVENTS] == 41);
  dispose(&c);
}

/* below the distance the slope is the order's, whatever the plateau and the floor do beside it */
static void slopes_are_those_between_plateau_and_floor(void **state) {
  (void)state;
  scale_case c;
  make_up(&c, 100, 0.01);
  const scale_series *const s = c.series;
  assert_int_equal(s[0].order, 1);
  assert_int_equal(s[1].order, 2);
  assert_true(fabs(s[0].line.slope - 2) < 1e-9 && fabs(s[1].line.slope - 3) < 1e-9);
  for (size_t i = 0; i < SCALE_ORDERS; i++) {
    // an eighth of the distance, rounded down to the grid
    assert_true(s[i].fit_max == epsilon_at(9));
    assert_true(error_at(s[i].fit_min, 0.01, s[i].order) >= 10 * floor_rms);
    assert_true(fabs(s[i].plateau / (2 * error_at(1, 0.01, s[i].order)) - 1) < 1e-12);
    assert_true(s[i].exact_epsilon == epsilon_at(6));
  }
  assert_true(s[1].fit_min > s[0].fit_min);
  dispose(&c);
}

static void what_cannot_be_fitted_is_not(void **state) {
  (void)state;
  char message[MEASURE_MESSAGE_SIZE];
  scale_case c;
  make_up(&c, 100, 1e-7);
  assert_int_equal(c.series[0].fitted, 0);
  assert_true(c.series[0].exact_epsilon == 0);
  dispose(&c);
  make_up(&c, 100, 1);
  assert_true(isnan(c.series[0].plateau));
  set(&c.point[4], SCALE_RMS, 1, NAN);
  assert_int_equal(scale_summarize(&c, message), -1);
  assert_non_null(strstr(message, "100 contacts: "));
  dispose(&c);
}

/* distances shrink as contacts grow in number, and epsilon with them */
static void growth_is_along_the_distance(void **state) {
  (void)state;
  char message[MEASURE_MESSAGE_SIZE];
  scale_case cases[CASES];
  scale all = {.case_count = CASES, .cases = cases, .message = message};
  scale_growth g;
  for (size_t i = 0; i < CASES; i++)
    make_up(&cases[i], (size_t)pow(10.0, 1.0 + (double)i), 0.1 / pow(10.0, (double)i));
  for (all.case_count = CASES; all.case_count >= 2; all.case_count--) {
    assert_int_equal(scale_fit_growth(&all, 2, 0.1, &g, message), 0);
    assert_int_equal(g.count, all.case_count);
    assert_true(fabs(g.exponent[SCALE_COST_TIME] - 1.5) < 1e-9);
    assert_true(fabs(g.exponent[SCALE_COST_FIELD] - 0.5) < 1e-9);
    assert_true(fabs(g.exponent[SCALE_COST_GUARD]) < 1e-9);
  }
  assert_int_equal(scale_fit_growth(&all, 1, 0.1, &g, message), 0);
  assert_true(g.count == 1 && isnan(g.exponent[SCALE_COST_TIME]));
  // nothing has been measured there
  all.case_count = CASES;
  assert_int_equal(scale_fit_growth(&all, 1, 1e6, &g, message), 0);
  assert_true(g.count == 0 && isnan(g.exponent[SCALE_COST_TIME]));
  for (size_t i = 0; i < CASES; i++) dispose(&cases[i]);
}

static void a_jump_between_neighbours_is_seen(void **state) {
  (void)state;
  char message[MEASURE_MESSAGE_SIZE];
  scale_case cases[CASES];
  const scale all = {.case_count = CASES, .cases = cases, .message = message};
  for (size_t i = 0; i < CASES; i++) make_up(&cases[i], 100 + i, 0.01);
  scale_evenness e = scale_look_along(&all, 1, 9);
  assert_true(e.count == CASES && e.largest_ratio == 1 && e.exact && e.rms_min == e.rms_max);
  assert_false(scale_look_along(&all, 1, 0).exact);

  const double smooth = e.rms_min;
  for (size_t j = 0; j < TRIALS; j++) set(&cases[1].point[9], SCALE_RMS, j, 0.25 * smooth);
  assert_int_equal(scale_summarize(&cases[1], message), 0);
  e = scale_look_along(&all, 1, 9);
  assert_true(fabs(e.largest_ratio - 4) < 1e-12);
  assert_true(e.rms_min == 0.25 * smooth && e.rms_max == smooth);

  // what not all of them have is not compared
  cases[2].point[9].epsilon *= 1.5;
  assert_int_equal(scale_look_along(&all, 1, 9).count, 0);
  for (size_t i = 0; i < CASES; i++) dispose(&cases[i]);
}

/* ---- the command ------------------------------------------------------------------------------
 */

/* the orders of both projections, and exact crossings */
static void the_plate_has_its_orders(void **state) {
  static const char *const columns[] = {"contacts", "rms_error", "exact_counts", "time_s"};
  essbench(state, "scale --contacts 10,20 --trials 2 --point-time 0 --out results --epsilons "
                  "2e-1,3e-4,1e-4,3e-5,1e-5,1e-6");
  json_t *const object = read_json(state, "results/scale.json");
  const json_t *const cases = json_object_get(object, "cases");
  assert_int_equal(json_array_size(cases), 2);
  for (size_t i = 0; i < 2; i++) {
    const json_t *const one = json_array_get(cases, i), *const list =
                                                            json_object_get(one, "series");
    for (size_t k = 0; k < 2; k++) {
      const json_t *const series = json_array_get(list, k);
      assert_true(fabs(number_of(series, "slope") - (2.0 + (double)k)) < (k ? 0.1 : 0.03));
      assert_true(number_of(series, "exact_epsilon") >= 3e-4);
      assert_true(number_of(series, "plateau_rms_error") > (k ? 1e-6 : 1e-2));
    }
  }
  json_decref(object);

  measure_table *const table = read_table(state, "results/scale.csv", columns, 4);
  assert_int_equal(measure_table_rows(table), 2 * 2 * 6);
  for (size_t i = 0; i < 24; i++) {
    assert_true(field_of(table, i, "contacts") == (i < 12 ? 10 : 20));
    assert_true(field_of(table, i, "projection_order") == (double)(1 + i / 6 % 2));
    assert_true(field_of(table, i, "time_s") > 0);
    if (i % 6) assert_true(field_of(table, i, "exact_counts") == 2);
  }
  measure_table_free(table);
}

/* without --epsilons they reach from above the distance between crossings to far below it */
static void epsilons_are_about_the_distance(void **state) {
  static const char *const columns[] = {"epsilon", "crossing_distance"};
  essbench(state, "scale --contacts 5 --trials 1 --point-time 0 --out results");
  measure_table *const table = read_table(state, "results/scale.csv", columns, 2);
  const size_t rows = measure_table_rows(table) / 2;
  assert_int_equal(rows, 15);
  const double distance = field_of(table, 0, "crossing_distance");
  assert_true(field_of(table, 0, "epsilon") > 46 * distance);
  assert_true(field_of(table, 0, "epsilon") <= 100 * distance);
  assert_true(field_of(table, rows - 1, "epsilon") >= 1e-3 * distance);
  assert_true(field_of(table, rows - 1, "epsilon") < 2.2e-3 * distance);
  measure_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_medians_and_counts),
      cmocka_unit_test(slopes_are_those_between_plateau_and_floor),
      cmocka_unit_test(what_cannot_be_fitted_is_not),
      cmocka_unit_test(growth_is_along_the_distance),
      cmocka_unit_test(a_jump_between_neighbours_is_seen),
      cmocka_unit_test_setup_teardown(the_plate_has_its_orders, folder_set_up, folder_tear_down),
      cmocka_unit_test_setup_teardown(epsilons_are_about_the_distance, folder_set_up,
                                      folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
