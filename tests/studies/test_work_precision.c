/*
 * What work-precision makes of its samples, on made-up ones: what a point is worth, which methods
 * are the same, who is cheapest, and the file in which every model keeps its place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "work_precision.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_version.h>

#include "baselines.h"
#include "commands.h"
#include "csv.h"
#include "record.h"
#include "solvers.h"
#include "test_measure_folder.h"

enum { TRIALS = 4, POINTS = 3, METHODS = 3 };

static const double values[] = {1e-2, 1e-3, 1e-4, 0};
static const precision_method methods[METHODS] = {
    {.name = "a", .label = "A", .solver = "hybrid", .knob = PRECISION_TIME_STEP, .values = values},
    {.name = "b", .label = "B", .solver = "hybrid", .knob = PRECISION_TIME_STEP, .values = values},
    {.name = "c", .label = "C", .solver = "smooth", .knob = PRECISION_TIME_STEP, .values = values}};

/* a case whose every point of every method is measured: errors a tenth of the knob, times as its
 * inverse, ten crossings */
typedef struct made_up {
  arguments given;
  model m;
  precision_case c;
} made_up;

static precision_point *point(made_up *u, size_t method, size_t value) {
  return &u->c.point[method * POINTS + value];
}

static void fill(precision_point *p) {
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++) p->first[q] = 100.0;
  p->first[PRECISION_SECONDS] = 1e-6 / p->value;
  p->first[PRECISION_RMS] = 0.1 * p->value;
  for (size_t j = 0; j < TRIALS; j++) {
    for (size_t q = 0; q < PRECISION_QUANTITIES; q++) p->sample[q][j] = 100.0;
    p->sample[PRECISION_SECONDS][j] = 1e-6 / p->value;
    p->sample[PRECISION_RMS][j] = 0.1 * p->value * (1.0 + 0.1 * (double)j);
    p->sample[PRECISION_EVENTS][j] = 10.0;
  }
}

static made_up *new_case(const char *type, double contacts) {
  made_up *const u = calloc(1, sizeof *u);
  char message[MODEL_MESSAGE_SIZE];
  model_init(&u->m, model_find(type));
  if (contacts > 0.0) assert_int_equal(model_set(&u->m, "contacts", contacts, message), 0);
  u->given.seed = 1;
  u->given.command = &work_precision_command;
  u->c = (precision_case){.given = &u->given,
                          .m = &u->m,
                          .contacts = contacts > 0.0 ? (size_t)contacts : 1,
                          .trials = TRIALS,
                          .core = -1};
  u->c.gap.gap = NAN;
  u->c.count = METHODS * POINTS;
  u->c.point = calloc(u->c.count, sizeof *u->c.point);
  u->c.held = calloc(TRIALS, sizeof *u->c.held);
  u->c.starts.events = calloc(TRIALS, sizeof *u->c.starts.events);
  for (size_t j = 0; j < TRIALS; j++) {
    u->c.held[j] = 1.0;
    u->c.starts.events[j] = 10;
  }
  for (size_t i = 0; i < u->c.count; i++) {
    precision_point *const p = &u->c.point[i];
    *p = (precision_point){.method = &methods[i / POINTS],
                           .value = values[i % POINTS],
                           .settings = solver_settings_default(),
                           .probed = true,
                           .trials = TRIALS};
    for (size_t q = 0; q < PRECISION_QUANTITIES; q++) p->sample[q] = calloc(TRIALS, sizeof(double));
    fill(p);
  }
  return u;
}

static int set_up(void **state) {
  *state = new_case("hopper", 0.0);
  return 0;
}

static int tear_down(void **state) {
  made_up *const u = *state;
  precision_case_free(&u->c);
  free(u);
  return 0;
}

/* ---- judging --------------------------------------------------------------------------------- */

static precision_row summary(made_up *u, const precision_point *p) {
  char message[MEASURE_MESSAGE_SIZE];
  precision_row row;
  assert_int_equal(precision_summarize(&u->c, p, &row, message), 0);
  return row;
}

static void a_good_point_is_ok(void **state) {
  made_up *const u = *state;
  const precision_point *const p = point(u, 0, 1);
  assert_int_equal(precision_judge(&u->c, p), PRECISION_OK);
  const precision_row row = summary(u, p);
  assert_string_equal(row.text[PRECISION_STATUS], "ok");
  assert_string_equal(row.text[PRECISION_MESSAGE], "");
  assert_string_equal(row.text[PRECISION_LAW], "");
  assert_true(isnan(row.number[PRECISION_DAMPING]));
  assert_true(fabs(row.number[PRECISION_RMS_ERROR] - 1.15e-4) < 1e-12);
  assert_true(fabs(row.number[PRECISION_RMS_WORST] - 1.3e-4) < 1e-12);
  assert_true(row.number[PRECISION_MEDIAN] == 1e-3);
  assert_true(row.number[PRECISION_EVALUATIONS] == 200.0);
  assert_true(row.number[PRECISION_EVENTS_RATIO] == 1.0);
  assert_true(row.number[PRECISION_FAILURES] == 0.0);
}

static void crossings_off_by_more_than_one_percent_are_marked(void **state) {
  made_up *const u = *state;
  precision_point *const p = point(u, 0, 0);
  u->c.starts.events[0] = 970;
  p->sample[PRECISION_EVENTS][0] = 970.0 + 9.0; // all in all 0.9 %
  assert_int_equal(precision_judge(&u->c, p), PRECISION_OK);
  p->sample[PRECISION_EVENTS][0] += 2.0;
  assert_int_equal(precision_judge(&u->c, p), PRECISION_CROSSINGS);
  p->sample[PRECISION_EVENTS][0] = 970.0 - 11.0;
  const precision_row row = summary(u, p);
  assert_string_equal(row.text[PRECISION_STATUS], "crossings");
  assert_true(fabs(row.number[PRECISION_EVENTS_RATIO] - 989.0 / 1000.0) < 1e-12);
  // it has its error and time all the same
  assert_true(row.number[PRECISION_RMS_ERROR] > 0.0 && row.number[PRECISION_MEDIAN] > 0.0);

  // none where there should be none is right, and one is not
  for (size_t j = 0; j < TRIALS; j++) {
    u->c.starts.events[j] = 0;
    p->sample[PRECISION_EVENTS][j] = 0.0;
  }
  assert_int_equal(precision_judge(&u->c, p), PRECISION_OK);
  p->sample[PRECISION_EVENTS][2] = 1.0;
  assert_int_equal(precision_judge(&u->c, p), PRECISION_CROSSINGS);
}

static void no_better_than_staying_put_is_diverged(void **state) {
  made_up *const u = *state;
  precision_point *const p = point(u, 0, 0);
  p->sample[PRECISION_RMS][1] = 1.0;
  assert_int_equal(precision_judge(&u->c, p), PRECISION_DIVERGED);
  assert_true(summary(u, p).number[PRECISION_FAILURES] == 1.0);
  p->sample[PRECISION_RMS][1] = 0.999;
  assert_int_equal(precision_judge(&u->c, p), PRECISION_OK);

  // an error that is not finite has no part in the median
  p->sample[PRECISION_RMS][1] = INFINITY;
  p->sample[PRECISION_RMS][2] = NAN;
  const precision_row row = summary(u, p);
  assert_string_equal(row.text[PRECISION_STATUS], "diverged");
  assert_true(*row.text[PRECISION_MESSAGE]);
  assert_true(row.number[PRECISION_FAILURES] == 2.0);
  assert_true(fabs(row.number[PRECISION_RMS_ERROR] - 1.15e-3) < 1e-12);
}

static void a_run_that_gave_up_is_failed(void **state) {
  made_up *const u = *state;
  precision_point *const p = point(u, 0, 0);
  for (size_t q = PRECISION_RMS; q < PRECISION_QUANTITIES; q++) p->sample[q][3] = NAN;
  p->sample[PRECISION_RMS][0] = 5.0; // and another diverged
  snprintf(p->message, sizeof p->message, "the reason");
  const precision_row row = summary(u, p);
  assert_string_equal(row.text[PRECISION_STATUS], "failed");
  assert_string_equal(row.text[PRECISION_MESSAGE], "the reason");
  assert_true(row.number[PRECISION_FAILURES] == 2.0);
  assert_true(row.number[PRECISION_EVENTS_RATIO] == 1.0);
  assert_true(row.number[PRECISION_STEPS_MEDIAN] == 100.0);
}

static void an_obstacle_leaves_a_marked_point(void **state) {
  static const precision_status obstacles[] = {PRECISION_FAILED, PRECISION_TOO_LONG,
                                               PRECISION_REFUSED};
  made_up *const u = *state;
  precision_point *const p = point(u, 0, 0);
  p->trials = 0;
  for (size_t i = 0; i < 3; i++) {
    p->obstacle = obstacles[i];
    const precision_row row = summary(u, p);
    assert_string_equal(row.text[PRECISION_STATUS], precision_status_name(obstacles[i]));
    // where it would stand: the time of the first run, and what that evaluated
    assert_true(row.number[PRECISION_MEDIAN] == p->first[PRECISION_SECONDS]);
    assert_true(row.number[PRECISION_EVALUATIONS] == 200.0);
    assert_true(isnan(row.number[PRECISION_RMS_ERROR]));
    assert_true(isnan(row.number[PRECISION_EVENTS_RATIO]));
  }
}

static void a_few_starts_make_a_median_of_those(void **state) {
  made_up *const u = *state;
  precision_point *const p = point(u, 0, 0);
  p->trials = 3;
  const precision_row row = summary(u, p);
  assert_true(row.number[PRECISION_TRIALS] == 3.0);
  assert_true(fabs(row.number[PRECISION_RMS_ERROR] - 1.1e-3) < 1e-12);
  p->trials = 1;
  const precision_row one = summary(u, p);
  assert_true(fabs(one.number[PRECISION_RMS_ERROR] - 1e-3) < 1e-12);
  assert_true(one.number[PRECISION_MEDIAN] == p->sample[PRECISION_SECONDS][0]);
  assert_true(isnan(one.number[PRECISION_MEDIAN_LOW]));
}

/* evaluations decide, never a clock; an evaluation of MuJoCo counts as 25 */
static void the_work_decides_the_starts(void **state) {
  (void)state;
  made_up *const u = new_case("plate", 84.0);
  const precision_method own = {.name = "own", .solver = "projection"};
  const precision_method other = {.name = "other", .solver = "mujoco"};
  u->given.trials = 12;
  u->given.point_work = 1.2e6;
  assert_int_equal(precision_trials(&u->c, &own, 1000.0), 12);
  assert_int_equal(precision_trials(&u->c, &own, 1001.0), PRECISION_FEW);
  assert_int_equal(precision_trials(&u->c, &own, 4000.0), PRECISION_FEW);
  assert_int_equal(precision_trials(&u->c, &own, 4001.0), 1);
  assert_int_equal(precision_trials(&u->c, &other, 40.0), 12);
  assert_int_equal(precision_trials(&u->c, &other, 41.0), PRECISION_FEW);
  assert_int_equal(precision_trials(&u->c, &other, 161.0), 1);
  u->given.trials = 2;
  assert_int_equal(precision_trials(&u->c, &own, 6000.0), 2);
  assert_int_equal(precision_trials(&u->c, &own, 6001.0), 1);
  tear_down((void **)&(void *){u});
}

/* ---- methods that are the same ----------------------------------------------------------------
 */

/* which method stands for the first, the second and the third */
static void check_stands(made_up *u, const char *first, const char *second, const char *third) {
  const char *const wanted[METHODS] = {first, second, third};
  precision_find_coincidences(&u->c);
  for (size_t i = 0; i < u->c.count; i++) {
    const precision_method *const as = u->c.point[i].as;
    assert_string_equal(as ? as->name : "", wanted[i / POINTS]);
    assert_string_equal(summary(u, &u->c.point[i]).text[PRECISION_COINCIDES], wanted[i / POINTS]);
  }
}

static void variants_that_are_the_same_are_found(void **state) {
  made_up *const u = *state;
  // the same but for rounding; another solver is never the same
  point(u, 1, 0)->first[PRECISION_RMS] *= 1.0 + 5e-7;
  check_stands(u, "", "a", "");
  // what is known of the one that is stood for is its first run
  assert_int_equal(point(u, 1, 2)->trials, 1);
  assert_true(point(u, 1, 2)->sample[PRECISION_RMS][0] == point(u, 1, 2)->first[PRECISION_RMS]);
  assert_int_equal(point(u, 0, 2)->trials, TRIALS);
}

/* however much faster another one's first runs were: the clock may say otherwise tomorrow */
static void the_first_of_the_table_stands_for_the_others(void **state) {
  made_up *const u = *state;
  for (size_t k = 0; k < POINTS; k++) point(u, 1, k)->first[PRECISION_SECONDS] *= 0.01;
  check_stands(u, "", "a", "");
}

static void one_difference_is_enough(void **state) {
  made_up *const u = *state;
  point(u, 1, 2)->first[PRECISION_RMS] *= 1.0 + 2e-6;
  check_stands(u, "", "", "");
}

static void those_that_fail_alike_are_alike(void **state) {
  made_up *const u = *state;
  for (size_t i = 0; i < 2; i++) {
    point(u, i, 1)->first[PRECISION_RMS] = NAN;
    point(u, i, 1)->obstacle = PRECISION_FAILED;
    point(u, i, 1)->trials = 0;
  }
  check_stands(u, "", "a", "");
  assert_int_equal(point(u, 1, 1)->trials, 0);
  point(u, 1, 1)->obstacle = PRECISION_TOO_LONG;
  check_stands(u, "", "", "");
  // of one that would take too long it is not known that it does anything else
  point(u, 0, 1)->obstacle = PRECISION_OK;
  check_stands(u, "", "a", "");
}

static void nothing_is_the_same_that_nobody_runs(void **state) {
  made_up *const u = *state;
  for (size_t i = 0; i < u->c.count; i++) {
    u->c.point[i].obstacle = PRECISION_REFUSED;
    u->c.point[i].trials = 0;
  }
  check_stands(u, "", "", "");
}

/* ---- the fastest ------------------------------------------------------------------------------
 */

static precision_row made_row(const char *solver, const char *status, const char *as, double rms,
                              double seconds) {
  return (precision_row){
      .text =
          {[PRECISION_SOLVER] = solver, [PRECISION_STATUS] = status, [PRECISION_COINCIDES] = as},
      .number = {[PRECISION_RMS_ERROR] = rms,
                 [PRECISION_MEDIAN] = seconds,
                 [PRECISION_EVALUATIONS] = 1.0 / seconds}};
}

static void the_cheapest_reaches_the_target(void **state) {
  (void)state;
  const precision_row rows[] = {
      made_row("a", "ok", "", 1e-2, 1.0),       made_row("a", "ok", "", 1e-3, 3.0),
      made_row("a", "ok", "", 1e-4, 2.0), // finer and cheaper at once
      made_row("b", "ok", "a", 1e-5, 0.1),      made_row("c", "crossings", "", 1e-5, 0.1),
      made_row("c", "diverged", "", 1e-5, 0.1), made_row("c", "failed", "", NAN, 0.1),
      made_row("c", "ok", "", 5e-4, 2.5),
  };
  const size_t count = sizeof rows / sizeof *rows;
  assert_int_equal(precision_cheapest(rows, count, NULL, 1e-2, PRECISION_MEDIAN), 0);
  assert_int_equal(precision_cheapest(rows, count, NULL, 9e-3, PRECISION_MEDIAN), 2);
  assert_int_equal(precision_cheapest(rows, count, "c", 9e-3, PRECISION_MEDIAN), 7);
  assert_int_equal(precision_cheapest(rows, 2, NULL, 1e-3, PRECISION_MEDIAN), 1);
  assert_true(precision_cheapest(rows, count, NULL, 9e-5, PRECISION_MEDIAN) == SIZE_MAX);
  assert_true(precision_cheapest(rows, count, "b", 1.0, PRECISION_MEDIAN) == SIZE_MAX);
  assert_int_equal(precision_cheapest(rows, count, NULL, 1e-3, PRECISION_EVALUATIONS), 1);
}

/* ---- the table of methods ---------------------------------------------------------------------
 */

static void every_method_can_be_asked_for(void **state) {
  (void)state;
  for (size_t i = 0; i < precision_method_count; i++) {
    const precision_method *const method = &precision_methods[i];
    const solver_type *const solver = solver_find(method->solver);
    assert_non_null(solver);
    assert_ptr_equal(precision_method_find(method->name), method);
    assert_true(strpbrk(method->name, " ,='\"") == NULL);
    // gnuplot cuts a text at its comma
    assert_true(strpbrk(method->label, ",='\"") == NULL);
    for (size_t k = 0; k < i; k++)
      assert_string_not_equal(precision_methods[k].label, method->label);
    if (method->variant) assert_non_null(solver_variant(solver, method->variant));
    for (size_t k = 0; method->values[k] > 0.0; k++) {
      assert_true(k == 0 || method->values[k] < method->values[k - 1]);
      const solver_settings s = precision_settings(method, method->values[k], 10);
      const double of_knob[] = {[PRECISION_EPSILON] = s.epsilon,
                                [PRECISION_TOLERANCE] = s.rtol,
                                [PRECISION_RTOL] = s.rtol,
                                [PRECISION_TIME_STEP] = s.time_step};
      assert_true(of_knob[method->knob] == method->values[k]);
      assert_true(s.rtol >= 1e-13 && s.rtol <= 0.1 && s.atol > 0.0);
      assert_true((s.rtol == s.atol) == (method->knob == PRECISION_TOLERANCE));
    }
  }
  assert_null(precision_method_find("nosuch"));
}

/* Tolerances that go with the knob, where their factor changes and within their bounds. */
static void tolerances_go_with_the_knob(void **state) {
  (void)state;
  const struct {
    const char *method;
    double value, rtol;
  } cases[] = {{"projection-1", 1e-4, 1e-6}, {"projection-2", 1e-3, 1e-6}, {"smooth", 1e-2, 1e-3},
               {"smooth", 1e-3, 1e-5},       {"smooth", 3e-4, 9e-8},       {"smooth", 1e-1, 1e-2},
               {"listing", 1e-4, 1e-6},      {"listing-free", 1e-4, 1e-6}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const precision_method *const method = precision_method_find(cases[i].method);
    const solver_settings s = precision_settings(method, cases[i].value, 10);
    if (!(fabs(s.rtol - cases[i].rtol) <= 1e-9 * cases[i].rtol))
      fail_msg("%s at %g: rtol %g, not %g", cases[i].method, cases[i].value, s.rtol, cases[i].rtol);
    assert_true(fabs(s.atol - 1e-2 * s.rtol) <= 1e-9 * s.atol);
  }
}

/* ---- the file ---------------------------------------------------------------------------------
 */

static precision_results read_back(void **state) {
  char message[MEASURE_MESSAGE_SIZE];
  precision_results results;
  if (precision_results_read(&results, *state, message)) fail_msg("%s", message);
  return results;
}

static void write_case(void **state, made_up *u) {
  char message[MEASURE_MESSAGE_SIZE];
  u->given.folder = *state;
  if (precision_write(&u->c, message)) fail_msg("%s", message);
}

/* first row's model and contacts, and how many rows */
static void check_case(const precision_results *r, size_t first, const char *name, double contacts,
                       double rms) {
  assert_string_equal(r->row[first].text[PRECISION_MODEL], name);
  assert_true(r->row[first].number[PRECISION_CONTACTS] == contacts);
  assert_true(fabs(r->row[first].number[PRECISION_RMS_ERROR] / rms - 1.0) < 1e-12);
  assert_int_equal(precision_case_rows(r, first), METHODS * POINTS);
}

static void every_model_keeps_its_place(void **state) {
  char message[MEASURE_MESSAGE_SIZE], path[PATH_SIZE];
  precision_results results = read_back(state);
  assert_int_equal(results.count, 0);
  made_up *const hopper = new_case("hopper", 0.0), *const ten = new_case("plate", 10.0);
  made_up *const hundred = new_case("plate", 100.0);
  write_case(state, hopper);
  write_case(state, ten);
  write_case(state, hundred);
  for (size_t j = 0; j < TRIALS; j++) point(ten, 0, 0)->sample[PRECISION_RMS][j] = 0.5;
  write_case(state, ten);
  results = read_back(state);
  assert_int_equal(results.count, 3 * METHODS * POINTS);
  check_case(&results, 0, "hopper", 1.0, 1.15e-3);
  check_case(&results, METHODS * POINTS, "plate", 10.0, 0.5);
  check_case(&results, 2 * METHODS * POINTS, "plate", 100.0, 1.15e-3);
  assert_string_equal(results.row[METHODS * POINTS].text[PRECISION_LAW], "roller");
  precision_results_free(&results);

  // the table has the same rows
  measure_table *table;
  assert_int_equal(measure_table_read(&table, path_in(state, "work_precision.csv", path), message),
                   0);
  assert_int_equal(measure_table_rows(table), 3 * METHODS * POINTS);
  assert_string_equal(
      measure_table_text(table, METHODS * POINTS, measure_table_column(table, "rms_error")), "0.5");
  measure_table_free(table);

  made_up *const all[] = {hopper, ten, hundred};
  for (size_t i = 0; i < 3; i++) tear_down((void **)&(void *){all[i]});
}

static void another_file_is_left_alone(void **state) {
  char message[MEASURE_MESSAGE_SIZE] = "", path[PATH_SIZE], text[64];
  precision_results results;
  made_up *const u = new_case("hopper", 0.0);
  assert_int_equal(
      write_text(path_in(state, "work_precision.json", path), "{\"schema\": \"other\"}\n"), 0);
  assert_int_equal(precision_results_read(&results, *state, message), -1);
  assert_non_null(strstr(message, "is not what work-precision writes"));
  u->given.folder = *state;
  assert_int_equal(precision_write(&u->c, message), -1);
  read_text(path, text, sizeof text);
  assert_string_equal(text, "{\"schema\": \"other\"}\n");
  tear_down((void **)&(void *){u});
}

/* ---- the environment --------------------------------------------------------------------------
 */

/* results name the libraries they were made with */
static void results_name_the_libraries(void **state) {
  made_up *const u = *state;
  char version[SUNDIALS_VERSION_SIZE];
  json_t *const record = record_begin("essbench-work-precision-1", &u->given, -1);
  const json_t *const environment = json_object_get(record, "environment");
  sundials_version(version);
  assert_string_equal(json_string_value(json_object_get(environment, "sundials")), version);
  assert_string_equal(json_string_value(json_object_get(environment, "gsl")), gsl_version);
  const json_t *const mujoco = json_object_get(environment, "mujoco");
  assert_string_equal(json_string_value(json_object_get(mujoco, "version")),
                      bridge_version_string());
  json_decref(record);
}

int main(void) {
#define JUDGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define FILED(test)  cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      JUDGED(a_good_point_is_ok),
      JUDGED(crossings_off_by_more_than_one_percent_are_marked),
      JUDGED(no_better_than_staying_put_is_diverged),
      JUDGED(a_run_that_gave_up_is_failed),
      JUDGED(an_obstacle_leaves_a_marked_point),
      JUDGED(a_few_starts_make_a_median_of_those),
      cmocka_unit_test(the_work_decides_the_starts),
      JUDGED(variants_that_are_the_same_are_found),
      JUDGED(the_first_of_the_table_stands_for_the_others),
      JUDGED(one_difference_is_enough),
      JUDGED(those_that_fail_alike_are_alike),
      JUDGED(nothing_is_the_same_that_nobody_runs),
      cmocka_unit_test(the_cheapest_reaches_the_target),
      cmocka_unit_test(every_method_can_be_asked_for),
      cmocka_unit_test(tolerances_go_with_the_knob),
      JUDGED(results_name_the_libraries),
      FILED(every_model_keeps_its_place),
      FILED(another_file_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
