/*
 * What work-precision makes of its samples, on made-up ones: what a point is worth, which methods
 * are the same, and who is cheapest.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "precision.c"
#include "studies.h"
#include "study_fixture.h"

enum { TRIALS = 4, METHODS = 3, VALUES = 21, PROCESSES = 2 };

/* b and c are variants of one solver */
static const char *const names[METHODS] = {"hybrid", "time-stepping-euler",
                                           "time-stepping-midpoint"};
enum { A, B, C };

/* every point of every method is measured: errors a tenth of the knob, times as its inverse, ten
 * crossings */
typedef struct example {
  made_up u;
  model m;
  void *settings;
  precision_sample start[TRIALS], first[METHODS][VALUES], lap[METHODS][VALUES][TRIALS];
} example;

static size_t index_of(const char *method) {
  size_t i = 0;
  while (race_methods[i].name && strcmp(race_methods[i].name, method) != 0) i++;
  assert_non_null(race_methods[i].name);
  return i;
}

/* sets an option of the study, and tells where its value is */
static void *set(void *into, const char *name, const char *text) {
  char message[MEASURE_MESSAGE_SIZE];
  const study_option *o = work_precision_study.options;
  while (strcmp(o->name, name) != 0) o++;
  assert_int_equal(option_set(o, text, into, message), 0);
  return (char *)into + o->offset;
}

static void fill(precision_sample *s, const char *what, size_t method, double value, double rms) {
  *s = precision_unknown(what, 1, method, value);
  s->of = (outcome){1e-6 / value, rms, 10, 100, 100, 100, 100, 100, 100, 100};
}

static int set_up(void **state) {
  char list[128];
  example *const e = calloc(1, sizeof *e);
  e->settings = calloc(1, work_precision_study.settings_size);
  snprintf(list, sizeof list, "%s,%s,%s", names[A], names[B], names[C]);
  set(e->settings, "methods", list);
  set(e->settings, "trials", "4");
  model_init(&e->m, model_find("hopper"));
  make_up(&e->u, &work_precision_study, e->settings);
  e->u.run.m = &e->m;
  e->u.run.processes = PROCESSES;
  for (size_t j = 0; j < TRIALS; j++) {
    e->start[j] = precision_unknown("start", 1, 0, NAN);
    e->start[j].trial = j;
    e->start[j].start = (precision_start){.events = 10, .held = 1};
  }
  for (size_t i = 0; i < METHODS; i++)
    for (size_t k = 0; k < VALUES; k++) {
      const size_t method = index_of(names[i]);
      const double value = race_methods[method].values[k];
      fill(&e->first[i][k], "known", method, value, 0.1 * value);
      e->first[i][k].trials = TRIALS;
      for (size_t j = 0; j < TRIALS; j++) {
        fill(&e->lap[i][k][j], "lap", method, value, 0.1 * value * (1.0 + 0.1 * (double)j));
        e->lap[i][k][j].trial = j;
      }
    }
  // those of one solver differ, so that they are not the same
  for (size_t k = 0; k < VALUES; k++) e->first[C][k].of.rms_error *= 1.01;
  *state = e;
  return 0;
}

static int tear_down(void **state) {
  example *const e = *state;
  cases_free(&e->u.run);
  free(e->u.run.own);
  free(e->settings);
  start_anew(&e->u);
  free(e);
  return 0;
}

/* gives the laps of a race, start by start; the second process has no errors, and takes a tenth
 * longer */
static void give_laps(example *e, const races_cell *race) {
  const precision_survey *const points = e->u.run.own;
  const size_t trials = trials_at(&e->u.run, race->of, race->number),
               process = race->number % e->u.run.processes;
  for (size_t j = 0; j < trials; j++)
    for (size_t i = 0; i < points->count; i++) {
      precision_sample s = e->lap[i / VALUES][i % VALUES][j];
      s.process = process;
      if (process) s.of.rms_error = NAN;
      if (process) s.of.time_s *= 1.1;
      if (precision_raced(&points->point[i], 1, trials)) give(&e->u, &s);
    }
}

/* what is looked at of a point */
typedef struct point {
  const char *model, *method, *knob, *status, *message, *law, *coincides_with;
  double damping, contacts, trials, rms_error, rms_worst, median_s, median_lo_s, median_hi_s,
      evaluations, steps, projections, events, events_reference, events_ratio, failures;
} point;

static point point_at(const example *e, size_t row) {
#define TEXT(name)   .name = text_at(&e->u, WORK_PRECISION_POINTS, row, #name)
#define NUMBER(name) .name = number_at(&e->u, WORK_PRECISION_POINTS, row, #name)
  return (point){
      TEXT(model),          TEXT(method),        TEXT(knob),           TEXT(status),
      TEXT(message),        TEXT(law),           TEXT(coincides_with), NUMBER(damping),
      NUMBER(contacts),     NUMBER(trials),      NUMBER(rms_error),    NUMBER(rms_worst),
      NUMBER(median_s),     NUMBER(median_lo_s), NUMBER(median_hi_s),  NUMBER(evaluations),
      NUMBER(steps),        NUMBER(projections), NUMBER(events),       NUMBER(events_reference),
      NUMBER(events_ratio), NUMBER(failures)};
}

/* makes points of the samples */
static void conclude(example *e) {
  size_t count;
  start_anew(&e->u);
  free(e->u.run.own);
  e->u.run.own = NULL;
  assert_int_equal(study_cells_plan(&e->u.run, 0), 1 + METHODS);
  for (size_t j = 0; j < TRIALS; j++) give(&e->u, &e->start[j]);
  end_cell(&e->u);
  for (size_t i = 0; i < METHODS; i++, end_cell(&e->u))
    for (size_t k = 0; k < VALUES; k++) give(&e->u, &e->first[i][k]);
  if (study_cells_plan(&e->u.run, 1) < 0) fail_msg("%s", e->u.message);
  for (; e->u.ended < study_cells(&e->u.run); end_cell(&e->u))
    give_laps(e, study_cell_at(&e->u.run, e->u.ended));
  rederive(&e->u);
  study_rows(&e->u.run, WORK_PRECISION_POINTS, &count);
  assert_int_equal(count, METHODS * VALUES);
}

/* the one that is looked at */
static point first_point(example *e) {
  conclude(e);
  return point_at(e, 0);
}

/* ---- judging --------------------------------------------------------------------------------- */

static void a_good_point_is_ok(void **state) {
  example *const e = *state;
  conclude(e);
  const point row = point_at(e, 10); // 1e-3 s
  assert_string_equal(row.model, "hopper");
  assert_string_equal(row.method, "hybrid");
  assert_string_equal(row.knob, "time_step");
  assert_string_equal(row.status, "ok");
  assert_string_equal(row.message, "");
  assert_string_equal(row.law, "");
  assert_true(isnan(row.damping) && row.contacts == 1 && row.trials == TRIALS);
  assert_true(fabs(row.rms_error - 1.15e-4) < 1e-12);
  assert_true(fabs(row.rms_worst - 1.3e-4) < 1e-12);
  // of all starts in both processes
  assert_true(fabs(row.median_s - 1.05e-3) < 1e-12);
  assert_true(row.median_lo_s < 1e-3 && row.median_hi_s > 1.1e-3);
  assert_true(row.evaluations == 200 && row.steps == 100 && row.projections == 100);
  assert_true(row.events == 10 && row.events_reference == 10 && row.events_ratio == 1);
  assert_true(row.failures == 0);
}

static void crossings_off_by_more_than_one_percent_are_marked(void **state) {
  example *const e = *state;
  precision_sample *const lap = e->lap[A][0];
  e->start[0].start.events = 970;
  lap[0].of.events = 970 + 9; // all in all 0.9 %
  assert_string_equal(first_point(e).status, "ok");
  lap[0].of.events += 2;
  assert_string_equal(first_point(e).status, "crossings");
  lap[0].of.events = 970 - 11;
  const point row = first_point(e);
  assert_string_equal(row.status, "crossings");
  assert_true(*row.message);
  assert_true(fabs(row.events_ratio - 989.0 / 1000.0) < 1e-12);
  // it has its error and time all the same
  assert_true(row.rms_error > 0 && row.median_s > 0);

  // none where there should be none is right, and one is not
  for (size_t j = 0; j < TRIALS; j++) e->start[j].start.events = lap[j].of.events = 0;
  assert_string_equal(first_point(e).status, "ok");
  lap[2].of.events = 1;
  assert_string_equal(first_point(e).status, "crossings");
}

static void no_better_than_staying_put_is_diverged(void **state) {
  example *const e = *state;
  precision_sample *const lap = e->lap[A][0];
  lap[1].of.rms_error = 1;
  assert_string_equal(first_point(e).status, "diverged");
  assert_true(first_point(e).failures == 1);
  lap[1].of.rms_error = 0.999;
  assert_string_equal(first_point(e).status, "ok");

  // an error that is not finite, of which the journal keeps no more than that it is not known, has
  // no part in the median
  lap[1].of.rms_error = lap[2].of.rms_error = NAN;
  const point row = first_point(e);
  assert_string_equal(row.status, "diverged");
  assert_true(*row.message);
  assert_true(row.failures == 2);
  assert_true(fabs(row.rms_error - 2.76e-3) < 1e-12);
}

static void a_run_that_gave_up_is_failed(void **state) {
  example *const e = *state;
  precision_sample *const lap = e->lap[A][0];
  const double seconds = lap[3].of.time_s;
  lap[3].of = outcome_unknown();
  lap[3].of.time_s = seconds;
  lap[3].message = "the reason";
  lap[0].of.rms_error = 5; // and another diverged
  const point row = first_point(e);
  assert_string_equal(row.status, "failed");
  assert_string_equal(row.message, "the reason");
  assert_true(row.failures == 2 && row.events_ratio == 1 && row.steps == 100);
}

static void an_obstacle_leaves_a_marked_point(void **state) {
  static const precision_status obstacles[] = {PRECISION_FAILED, PRECISION_TOO_LONG,
                                               PRECISION_REFUSED};
  example *const e = *state;
  precision_sample *const first = &e->first[A][0];
  first->trials = 0;
  first->of.rms_error = NAN;
  for (size_t i = 0; i < 3; i++) {
    first->status = obstacles[i];
    const point row = first_point(e);
    assert_string_equal(row.status, precision_status_name(obstacles[i]));
    // where it would stand: the time of the first run, and what that evaluated
    assert_true(row.median_s == first->of.time_s && row.evaluations == 200);
    assert_true(isnan(row.rms_error) && isnan(row.events_ratio) && row.trials == 0);
  }
}

static void a_few_starts_make_a_median_of_those(void **state) {
  example *const e = *state;
  e->first[A][0].trials = PRECISION_FEW;
  const point row = first_point(e);
  assert_true(row.trials == 3);
  assert_true(fabs(row.rms_error - 2.64e-3) < 1e-12);
  // the first run is all that there is then
  e->first[A][0].trials = 1;
  e->first[A][0].of.rms_error = 1.5e-3;
  const point one = first_point(e);
  assert_true(one.trials == 1 && one.rms_error == 1.5e-3);
  assert_true(one.median_s == e->first[A][0].of.time_s && isnan(one.median_lo_s));
}

/* evaluations decide, never a clock; an evaluation of MuJoCo counts as 25 */
static void the_work_decides_the_starts(void **state) {
  (void)state;
  const race_method own = {.solver = "projection"}, other = {.solver = "mujoco"};
  const races_asked twelve = {.trials = 12, .point_work = 1.2e6};
  const races_asked two = {.trials = 2, .point_work = 1.2e6};
  assert_int_equal(precision_trials(&twelve, 84, &own, 1000), 12);
  assert_int_equal(precision_trials(&twelve, 84, &own, 1001), PRECISION_FEW);
  assert_int_equal(precision_trials(&twelve, 84, &own, 4000), PRECISION_FEW);
  assert_int_equal(precision_trials(&twelve, 84, &own, 4001), 1);
  assert_int_equal(precision_trials(&twelve, 84, &other, 40), 12);
  assert_int_equal(precision_trials(&twelve, 84, &other, 41), PRECISION_FEW);
  assert_int_equal(precision_trials(&twelve, 84, &other, 161), 1);
  assert_int_equal(precision_trials(&two, 84, &own, 6000), 2);
  assert_int_equal(precision_trials(&two, 84, &own, 6001), 1);
}

/* ---- methods that are the same --------------------------------------------------------------- */

/* the variants of one solver do the same; which method stands for each */
static void check_stands(example *e, const char *a, const char *b, const char *c) {
  const char *const wanted[METHODS] = {a, b, c};
  conclude(e);
  for (size_t i = 0; i < METHODS * VALUES; i++)
    assert_string_equal(point_at(e, i).coincides_with, wanted[i / VALUES]);
}

static void make_same(example *e) {
  for (size_t k = 0; k < VALUES; k++) e->first[C][k].of = e->first[B][k].of;
}

static void variants_that_are_the_same_are_found(void **state) {
  example *const e = *state;
  make_same(e);
  // the same but for rounding; another solver is never the same
  e->first[C][0].of.rms_error *= 1.0 + 5e-7;
  check_stands(e, "", "", names[B]);
  // what is known of the one that is stood for is its first run
  conclude(e);
  const point b = point_at(e, B * VALUES + 2), c = point_at(e, C * VALUES + 2);
  assert_true(c.trials == 1 && c.rms_error == e->first[C][2].of.rms_error);
  assert_true(b.trials == TRIALS);
}

/* however much faster another one's first runs were: the clock may say otherwise tomorrow */
static void the_first_of_the_table_stands_for_the_others(void **state) {
  example *const e = *state;
  make_same(e);
  for (size_t k = 0; k < VALUES; k++) e->first[C][k].of.time_s *= 0.01;
  check_stands(e, "", "", names[B]);
}

static void one_difference_is_enough(void **state) {
  example *const e = *state;
  make_same(e);
  e->first[C][2].of.rms_error *= 1.0 + 2e-6;
  check_stands(e, "", "", "");
}

static void those_that_fail_alike_are_alike(void **state) {
  example *const e = *state;
  make_same(e);
  for (size_t i = B; i <= C; i++) {
    e->first[i][1].of.rms_error = NAN;
    e->first[i][1].status = PRECISION_FAILED;
    e->first[i][1].trials = 0;
  }
  check_stands(e, "", "", names[B]);
  conclude(e);
  assert_true(point_at(e, C * VALUES + 1).trials == 0);
  e->first[C][1].status = PRECISION_TOO_LONG;
  check_stands(e, "", "", "");
  // of one that would take too long it is not known that it does anything else
  e->first[B][1].status = PRECISION_OK;
  e->first[B][1].trials = TRIALS;
  check_stands(e, "", "", names[B]);
}

static void nothing_is_the_same_that_nobody_runs(void **state) {
  example *const e = *state;
  make_same(e);
  for (size_t i = 0; i < METHODS; i++)
    for (size_t k = 0; k < VALUES; k++) {
      e->first[i][k].status = PRECISION_REFUSED;
      e->first[i][k].trials = 0;
    }
  check_stands(e, "", "", "");
}

/* ---- the table of methods -------------------------------------------------------------------- */

static void every_method_can_be_asked_for(void **state) {
  (void)state;
  for (size_t i = 0; i < race_method_count; i++) {
    const race_method *const method = &race_methods[i];
    const solver_type *const solver = solver_find(method->solver);
    assert_non_null(solver);
    assert_true(strpbrk(method->name, " ,='\"") == NULL);
    // gnuplot cuts a text at its comma
    assert_true(strpbrk(method->label, ",='\"") == NULL);
    for (size_t k = 0; k < i; k++) assert_string_not_equal(race_methods[k].label, method->label);
    if (method->variant) assert_non_null(solver_variant(solver, method->variant));
    for (size_t k = 0; method->values[k] > 0.0; k++) {
      assert_true(k == 0 || method->values[k] < method->values[k - 1]);
      const solver_settings s = method_settings(method, method->values[k], 10);
      const double of_knob[] = {[METHOD_EPSILON] = s.epsilon,
                                [METHOD_TOLERANCE] = s.rtol,
                                [METHOD_RTOL] = s.rtol,
                                [METHOD_TIME_STEP] = s.time_step};
      assert_true(of_knob[method->knob] == method->values[k]);
      assert_true(s.rtol >= 1e-13 && s.rtol <= 0.1 && s.atol > 0.0);
      assert_true((s.rtol == s.atol) == (method->knob == METHOD_TOLERANCE));
    }
  }
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
    const race_method *const method = &race_methods[index_of(cases[i].method)];
    const solver_settings s = method_settings(method, cases[i].value, 10);
    if (!(fabs(s.rtol - cases[i].rtol) <= 1e-9 * cases[i].rtol))
      fail_msg("%s at %g: rtol %g, not %g", cases[i].method, cases[i].value, s.rtol, cases[i].rtol);
    assert_true(fabs(s.atol - 1e-2 * s.rtol) <= 1e-9 * s.atol);
  }
}

int main(void) {
#define JUDGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
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
      cmocka_unit_test(every_method_can_be_asked_for),
      cmocka_unit_test(tolerances_go_with_the_knob),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
