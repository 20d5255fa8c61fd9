/*
 * The search for the cheapest settings: the rule of choice on made-up candidates, what a run from
 * several starts shows by a made-up solver, and the search itself on the hopper.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "solvers.h"

static const search_limits limits = {1e-2, 2e-2, 4e-2, 0.005};

/* at every limit exactly */
static search_candidate at_limits(double seconds) {
  return (search_candidate){.settings = solver_settings_default(),
                            .seconds = seconds,
                            .rms = limits.rms,
                            .rms_q90 = limits.rms_q90,
                            .rms_worst = limits.rms_worst,
                            .events_off = limits.events_off};
}

/* ---- the rule -------------------------------------------------------------------------------- */

static void a_rival_sets_the_limits(void **state) {
  (void)state;
  const search_candidate rival = {
      .rms = 0.01, .rms_q90 = 0.03, .rms_worst = 0.2, .events_off = 0.5};
  const search_limits l = search_limits_against(&rival);
  assert_true(fabs(l.rms - 0.009) < 1e-15);
  assert_true(l.rms_q90 == 0.03 && l.rms_worst == 0.2 && l.events_off == 0.005);
}

static void every_limit_counts_and_none_by_more(void **state) {
  (void)state;
  search_candidate c = at_limits(1.0);
  assert_true(search_accepts(&limits, &c));
  double *const values[] = {&c.rms, &c.rms_q90, &c.rms_worst, &c.events_off};
  for (size_t i = 0; i < 4; i++) {
    const double kept = *values[i];
    *values[i] = nextafter(kept, INFINITY);
    assert_false(search_accepts(&limits, &c));
    *values[i] = NAN;
    assert_false(search_accepts(&limits, &c));
    *values[i] = kept;
  }
  c.seconds = INFINITY;
  assert_false(search_accepts(&limits, &c));

  // where nothing is asked, anything that is a number will do
  const search_limits none = {INFINITY, INFINITY, INFINITY, INFINITY};
  search_candidate wild = {.seconds = 1.0, .rms = 1e9, .rms_q90 = 1e9, .rms_worst = 1e9};
  assert_true(search_accepts(&none, &wild));
  wild.rms = INFINITY;
  assert_false(search_accepts(&none, &wild));
}

static void what_none_reaches_is_told_of_the_closest(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  search_candidate list[3] = {at_limits(1.0), at_limits(2.0), at_limits(INFINITY)};
  list[0].rms = 10.0 * limits.rms;
  list[1].rms = 1.5 * limits.rms;
  list[1].events_off = 0.02;
  list[1].settings.rtol = 0.0625;
  list[2].rms = INFINITY;
  assert_int_equal(search_closest(&limits, list, 3), 1);
  search_explain(&limits, &list[1], 3, message);
  assert_non_null(strstr(message, "none of 3 settings is good enough: the closest"));
  assert_non_null(strstr(message, "(tolerance 0.0625)"));
  assert_non_null(strstr(message, "crossings missed or invented of 0.02, and 0.005 is accepted"));
  assert_null(strchr(message, '\n'));
  assert_int_equal(search_closest(&limits, list + 2, 1), SIZE_MAX);
  search_explain(&limits, &list[2], 1, message);
  assert_non_null(strstr(message, "none runs to the end"));
}

/* ---- runs ------------------------------------------------------------------------------------ */

enum { STARTS = 11, EVENTS = 100 };

/* what the made-up solver does at each start; the start's height is its number */
static double made_up_error[STARTS], made_up_events[STARTS];
static size_t fails_at, runs;

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)m, (void)output;
  *instance = &runs;
  snprintf(message, SOLVER_MESSAGE_SIZE, "refused");
  return settings->epsilon > 1.0 ? SOLVER_REFUSED : 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  (void)instance;
  const size_t j = (size_t)x0[0];
  for (size_t i = 0; i < 2 * output->count; i++) output->states[i] = made_up_error[j];
  *report = (solver_report){.events = (uint64_t)made_up_events[j]};
  runs++;
  return j == fails_at ? SOLVER_FAILED : 0;
}

static void release(void *instance) {
  (void)instance;
}

static const solver_type made_up = {
    .name = "made-up", .summary = "", .prepare = prepare, .run = run, .release = release};

typedef struct room {
  model m;
  contest_starts starts;
} room;

/* references of zeros, errors 1, 2, .. 11 in another order, and every crossing made */
static void set_up(room *r) {
  char message[SOLVER_MESSAGE_SIZE];
  model_init(&r->m, model_find("hopper"));
  assert_int_equal(model_prepare(&r->m, message), 0);
  assert_int_equal(contest_starts_alloc(&r->starts, &r->m, STARTS, false, 1, message), 0);
  for (size_t j = 0; j < STARTS; j++) {
    assert_int_equal(trajectory_alloc(&r->starts.references[j], &r->m, message), 0);
    memset(r->starts.references[j].states, 0,
           2 * r->starts.references[j].count * sizeof *r->starts.references[j].states);
    r->starts.states[2 * j] = (double)j;
    r->starts.events[j] = EVENTS;
    made_up_error[j] = (double)(1 + 7 * j % STARTS);
    made_up_events[j] = EVENTS;
  }
  fails_at = SIZE_MAX;
  runs = 0;
}

static void tear_down(room *r) {
  contest_starts_free(&r->starts);
  model_release(&r->m);
}

static search_candidate run_from(const room *r, size_t trials, double patience) {
  search_candidate c = {.settings = solver_settings_default()};
  search_run(&r->starts, trials, &made_up, patience, &c);
  return c;
}

static void a_run_shows_its_quantiles_and_crossings(void **state) {
  (void)state;
  room r;
  set_up(&r);
  made_up_events[3] += 2.0; // two invented and two missed do not cancel
  made_up_events[5] -= 2.0;
  const search_candidate c = run_from(&r, STARTS, INFINITY);
  assert_int_equal(c.trials, STARTS);
  assert_int_equal(runs, STARTS);
  assert_true(fabs(c.rms - 6.0) < 1e-12);
  assert_true(fabs(c.rms_q90 - 10.0) < 1e-12);
  assert_true(fabs(c.rms_worst - 11.0) < 1e-12);
  assert_true(fabs(c.events_off - 4.0 / (STARTS * EVENTS)) < 1e-15);
  assert_true(c.seconds >= 0.0 && c.seconds < INFINITY);
  tear_down(&r);
}

static void few_starts_are_the_first_ones(void **state) {
  (void)state;
  room r;
  set_up(&r);
  const search_candidate c = run_from(&r, 3, INFINITY); // errors 1, 8, 4
  assert_int_equal(c.trials, 3);
  assert_true(fabs(c.rms - 4.0) < 1e-12 && fabs(c.rms_worst - 8.0) < 1e-12);
  tear_down(&r);
}

static void check_out(const search_candidate *c, size_t trials) {
  assert_int_equal(c->trials, trials);
  assert_true(c->seconds == INFINITY && c->rms == INFINITY && c->rms_q90 == INFINITY &&
              c->rms_worst == INFINITY && c->events_off == INFINITY);
}

static void patience_ends(void **state) {
  (void)state;
  room r;
  set_up(&r);
  const search_candidate c = run_from(&r, STARTS, -1.0);
  check_out(&c, 1);
  tear_down(&r);
}

static void a_solver_that_gives_up_or_refuses_is_out(void **state) {
  (void)state;
  room r;
  set_up(&r);
  fails_at = 4;
  search_candidate c = run_from(&r, STARTS, INFINITY);
  check_out(&c, 5);
  fails_at = SIZE_MAX;
  made_up_error[2] = NAN;
  c = run_from(&r, STARTS, INFINITY);
  check_out(&c, STARTS);
  c.settings.epsilon = 2.0;
  search_run(&r.starts, STARTS, &made_up, INFINITY, &c);
  check_out(&c, 0);
  tear_down(&r);
}

/* ---- the search ------------------------------------------------------------------------------ */

static int search(room *r, search_limits asked, const volatile int *interrupted,
                  search_candidate *best, char message[SOLVER_MESSAGE_SIZE]) {
  char why[SOLVER_MESSAGE_SIZE];
  model_init(&r->m, model_find("hopper"));
  assert_int_equal(model_prepare(&r->m, why), 0);
  assert_int_equal(contest_starts_alloc(&r->starts, &r->m, 2, false, 1, why), 0);
  for (size_t j = 0; j < 2; j++) assert_int_equal(contest_reference(&r->starts, j, why), 0);
  const search_request request = {.starts = &r->starts,
                                  .base = solver_settings_default(),
                                  .limits = asked,
                                  .label = "search",
                                  .interrupted = interrupted};
  return search_tolerance(&request, best, message);
}

static void the_hopper_has_a_tolerance(void **state) {
  (void)state;
  static const search_limits asked = {2e-3, 2e-3, 2e-3, 0.005};
  char message[SOLVER_MESSAGE_SIZE];
  room r;
  search_candidate best;
  if (search(&r, asked, NULL, &best, message)) fail_msg("%s", message);
  assert_true(search_accepts(&asked, &best));
  assert_true(best.settings.rtol == best.settings.atol && best.settings.h_max == INFINITY);
  assert_true(best.settings.rtol <= 0.1 && best.settings.rtol > 0.9e-10);

  // what it is said to show, it shows again, and the next larger one is not good enough
  search_candidate again = {.settings = best.settings};
  search_run(&r.starts, 2, &libess_solver, INFINITY, &again);
  assert_true(again.rms == best.rms && again.rms_worst == best.rms_worst);
  again.settings.rtol = again.settings.atol = best.settings.rtol * pow(10.0, 0.125);
  search_run(&r.starts, 2, &libess_solver, INFINITY, &again);
  assert_true(best.settings.rtol == 0.1 || !search_accepts(&asked, &again));
  tear_down(&r);
}

static void what_no_tolerance_reaches_is_told(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  room r;
  search_candidate best;
  assert_int_equal(search(&r, (search_limits){1e-16, 1.0, 1.0, 0.005}, NULL, &best, message), 1);
  assert_non_null(strstr(message, "settings is good enough: the closest (tolerance "));
  assert_non_null(strstr(message, "has a median error of "));
  assert_non_null(strstr(message, ", and 1e-16 is accepted"));
  tear_down(&r);
}

static void an_interrupt_ends_it(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  const volatile int interrupted = 1;
  room r;
  search_candidate best;
  assert_int_equal(search(&r, limits, &interrupted, &best, message), -1);
  assert_string_equal(message, "interrupted");
  tear_down(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rival_sets_the_limits),
      cmocka_unit_test(every_limit_counts_and_none_by_more),
      cmocka_unit_test(what_none_reaches_is_told_of_the_closest),
      cmocka_unit_test(a_run_shows_its_quantiles_and_crossings),
      cmocka_unit_test(few_starts_are_the_first_ones),
      cmocka_unit_test(patience_ends),
      cmocka_unit_test(a_solver_that_gives_up_or_refuses_is_out),
      cmocka_unit_test(the_hopper_has_a_tolerance),
      cmocka_unit_test(what_no_tolerance_reaches_is_told),
      cmocka_unit_test(an_interrupt_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
