/*
 * Acceptance of `essbench order`: both orders of the projection on the paper's affine system.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"

static const char *const columns[] = {"epsilon", "projection_order", "rms_error",        "in_fit",
                                      "steps",   "projections",      "field_evaluations"};
enum { COLUMNS = sizeof columns / sizeof *columns, POINTS_MAX = 200 };

/* the points of one projection order, as epsilon falls */
typedef struct series {
  size_t count;
  double epsilon[POINTS_MAX], rms[POINTS_MAX];
} series;

static series read_series(const measure_table *table, double order) {
  series s = {0};
  for (size_t i = 0; i < measure_table_rows(table); i++) {
    if (field_of(table, i, "projection_order") != order) continue;
    assert_true(s.count < POINTS_MAX);
    s.epsilon[s.count] = field_of(table, i, "epsilon");
    s.rms[s.count++] = field_of(table, i, "rms_error");
  }
  return s;
}

/* least squares on logarithms, written again here */
static double slope_of(const series *s, double from, double to) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < s->count; i++) {
    if (s->epsilon[i] < from * 0.9999 || s->epsilon[i] > to * 1.0001) continue;
    const double u = log(s->epsilon[i]), v = log(s->rms[i]);
    n += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  assert_true(n >= 10);
  return (n * xy - x * y) / (n * xx - x * x);
}

static json_t *fit_of_order(const json_t *object, int order) {
  json_t *fit;
  size_t i;
  json_array_foreach(json_object_get(object, "fits"), i, fit) {
    if ((int)number_of(fit, "projection_order") == order) return fit;
  }
  fail_msg("no fit of order %d", order);
  return NULL;
}

/* what the summary of one projection order says is what its points say */
static void check_fit(void **state, int order, const series *s, double from, double to) {
  json_t *const object = read_json(state, "results/order.json");
  const json_t *const fit = fit_of_order(object, order);
  const json_t *const interval = json_object_get(fit, "slope_interval");
  const double slope = slope_of(s, from, to);
  assert_true(fabs(number_of(fit, "fit_min") / from - 1) < 1e-9);
  assert_true(fabs(number_of(fit, "fit_max") / to - 1) < 1e-9);
  assert_true(fabs(number_of(fit, "slope") - slope) < 1e-6);
  assert_true(json_number_value(json_array_get(interval, 0)) <= slope);
  assert_true(json_number_value(json_array_get(interval, 1)) >= slope);
  assert_true(json_is_true(json_object_get(fit, "monotone")));
  json_decref(object);
}

/* all epsilons of the paper's figure and more, and an error that falls with them down to `floor` */
static void check_points(const series *s, double floor) {
  assert_true(s->epsilon[0] >= 1.0 && s->epsilon[s->count - 1] <= 1.0001e-6);
  for (size_t i = 1; i < s->count; i++) {
    assert_true(s->epsilon[i] < s->epsilon[i - 1]);
    if (s->epsilon[i - 1] <= 0.05 && s->epsilon[i] >= floor) assert_true(s->rms[i] < s->rms[i - 1]);
  }
}

/* error of order two in epsilon, which falls on to 1e-6 without a floor */
static void projection_order_1_gives_slope_2(void **state) {
  essbench(state, "order --out results");
  measure_table *const table = read_table(state, "results/order.csv", columns, COLUMNS);
  const series s = read_series(table, 1);
  measure_table_free(table);
  check_points(&s, 0.0);
  assert_true(fabs(slope_of(&s, 1e-5, 1e-2) - 2.0) <= 0.03);
  for (size_t i = 1; i < s.count; i++)
    if (s.epsilon[i] <= 1.0001e-5) assert_true(s.rms[i] > 0.0 && s.rms[i] <= 1e-9);
  check_fit(state, 1, &s, 1e-5, 1e-2);

  // the paper's slope stands beside this order's, and is unknown for the other
  json_t *const object = read_json(state, "results/order.json");
  assert_true(number_of(fit_of_order(object, 1), "paper_slope") == 2.1);
  assert_true(json_is_null(json_object_get(fit_of_order(object, 2), "paper_slope")));
  json_decref(object);
}

/* error of order three; below the fitted range only rounding and the integration's tolerance are
 * left, which the range must keep clear of */
static void projection_order_2_gives_slope_3(void **state) {
  essbench(state, "order --out results");
  measure_table *const table = read_table(state, "results/order.csv", columns, COLUMNS);
  const series first = read_series(table, 1), s = read_series(table, 2);
  measure_table_free(table);
  check_points(&s, 1e-4);
  assert_true(fabs(slope_of(&s, 1e-4, 1e-2) - 3.0) <= 0.1);
  check_fit(state, 2, &s, 1e-4, 1e-2);

  assert_int_equal(s.count, first.count);
  for (size_t i = 0; i < s.count; i++) {
    assert_true(s.epsilon[i] == first.epsilon[i] && s.rms[i] < first.rms[i]);
    if (s.epsilon[i] <= 1.0001e-5) assert_true(s.rms[i] <= 1e-13);
    if (s.epsilon[i] >= 0.9999e-4) assert_true(s.rms[i] >= 10.0 * s.rms[s.count - 1]);
  }
}

/* the second in closed form: ln 1.3 */
static void the_exact_crossings(void **state) {
  essbench(state, "order --out results");
  json_t *const object = read_json(state, "results/order.json");
  const json_t *const times = json_object_get(object, "crossing_times");
  const double expected[] = {0.20958808, log(1.3), 0.36920715};
  assert_int_equal(json_array_size(times), 3);
  for (size_t i = 0; i < 3; i++)
    assert_true(fabs(json_number_value(json_array_get(times, i)) - expected[i]) <= 1e-8);
  json_decref(object);
}

/* all but the environment is the same to the last digit */
static void a_second_run_repeats_the_first(void **state) {
  static const char *const tables[] = {"order.csv", "order_fit.csv", "projection_path.csv"};
  static char first[1 << 16], second[1 << 16];
  char name[64], path[PATH_SIZE];
  essbench(state, "order --out a");
  essbench(state, "order --out b");
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    snprintf(name, sizeof name, "a/%s", tables[i]);
    read_text(path_in(state, name, path), first, sizeof first);
    snprintf(name, sizeof name, "b/%s", tables[i]);
    read_text(path_in(state, name, path), second, sizeof second);
    assert_true(strlen(first) > 100 && strlen(first) < sizeof first - 1);
    assert_string_equal(first, second);
  }
  json_t *const a = read_json(state, "a/order.json"), *const b = read_json(state, "b/order.json");
  assert_int_equal(json_object_del(a, "environment"), 0);
  assert_int_equal(json_object_del(b, "environment"), 0);
  assert_true(json_equal(a, b));
  json_decref(a);
  json_decref(b);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(projection_order_1_gives_slope_2), TEST(projection_order_2_gives_slope_3),
      TEST(the_exact_crossings), TEST(a_second_run_repeats_the_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
