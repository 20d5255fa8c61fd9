/*
 * Races within a process: every trial times all entries, with errors and crossings of that trial's
 * own start; a run that fails ends nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "race.h"

#include <math.h>
#include <string.h>

#include "cases.h"
#include "solvers.h"
#include "study_fixture.h"

enum { TRIALS = 4, ENTRIES = 3, OURS, THEIRS, LAME };

static const column columns[] = {{0}};
static const study racing = {.name = "racing", .tables = {{.columns = columns, .row_size = 1}}};
static const case_change unchanged[] = {{0}};

/* libess, but lame: from a trial on its runs fail; how often it was prepared */
static size_t prepared, lame_from;
static const contest_starts *lame_starts;
static solver_type lame;

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  prepared++;
  return libess_solver.prepare(m, settings, output, instance, message);
}

static int run_lame(void *instance, const double x0[], const solver_output *output,
                    solver_report *report) {
  const size_t trial = (size_t)(x0 - lame_starts->states) / lame_starts->m->system.dimension;
  if (trial < lame_from) return libess_solver.run(instance, x0, output, report);
  strcpy(report->message, "lame");
  return -1;
}

static void begin(made_up *u, model *m, const volatile int *interrupted) {
  lame = libess_solver;
  lame.name = "lame";
  lame.prepare = prepare;
  lame.run = run_lame;
  prepared = 0;
  make_up(u, &racing, NULL);
  model_init(m, model_find("plate"));
  assert_int_equal(model_set(m, "contacts", 3, u->message), 0);
  u->run.m = m;
  u->run.interrupted = interrupted;
}

static void end(made_up *u) {
  race_end(&u->run);
  cases_free(&u->run);
  dispose(u);
}

static race *line_up(made_up *u, size_t number, contest_starts *starts) {
  race_entry entry[ENTRIES] = {
      {.solver = &libess_solver, .settings = solver_settings_default()},
      {.solver = &projection_solver, .settings = solver_settings_default()},
      {.solver = &lame, .settings = solver_settings_default()}};
  const race_plan plan = {.starts = starts, .seed = 5, .warmups = 1};
  race *const r = race_of(&u->run, number, &plan, entry, ENTRIES);
  if (!r) fail_msg("%s", u->message);
  return r;
}

static void a_trial_times_every_entry(void **state) {
  static const volatile int calm = 0;
  made_up u;
  model m;
  (void)state;
  begin(&u, &m, &calm);
  lame_from = 2;
  contest_starts *const starts = case_starts(&u.run, unchanged, TRIALS);
  assert_non_null(starts);
  lame_starts = starts;
  for (size_t trial = 0; trial < TRIALS; trial++) {
    race_lap lap[ENTRIES];
    outcome alone;
    if (race_trial(line_up(&u, 7, starts), trial, lap)) fail_msg("%s", u.message);
    // kept between the trials, and no reference is
    assert_int_equal(prepared, 1);
    assert_null(starts->references[trial].states);
    for (size_t k = 0; k < ENTRIES; k++) {
      assert_true(lap[k].of.time_s > 0.0 && lap[k].repetitions >= 1.0);
      assert_true(lap[k].failed == (k == ENTRIES - 1 && trial >= lame_from));
    }
    assert_int_equal(contest_reference(starts, trial, u.message), 0);
    const solver_settings settings = solver_settings_default();
    assert_int_equal(outcome_run(&projection_solver, &settings, starts, trial,
                                 (outcome_effort){.runs = 1}, &alone, u.message),
                     0);
    assert_true(lap[1].of.rms_error == alone.rms_error && lap[1].of.events == alone.events);
    assert_true(lap[1].of.field_evaluations == alone.field_evaluations);
    assert_true(lap[0].of.rms_error != lap[1].of.rms_error);
    if (lap[2].failed) {
      assert_true(isnan(lap[2].of.rms_error));
      assert_string_equal(lap[2].message, "lame");
    } else {
      assert_true(lap[2].of.rms_error == lap[0].of.rms_error);
    }
  }
  // another race has its own
  line_up(&u, 8, starts);
  assert_int_equal(prepared, 2);
  end(&u);
}

/* some of the trials, in any order; who fails at one of them is out */
static void turns_tell_every_trial(void **state) {
  static const volatile int calm = 0;
  static const size_t trial[] = {3, 1};
  made_up u;
  model m;
  race_lap lap[2 * ENTRIES];
  (void)state;
  begin(&u, &m, &calm);
  lame_from = 2;
  contest_starts *const starts = case_starts(&u.run, unchanged, TRIALS);
  lame_starts = starts;
  race *const r = line_up(&u, 1, starts);
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(contest_reference(starts, trial[i], u.message), 0);
  if (race_turns(r, trial, 2, lap)) fail_msg("%s", u.message);
  for (size_t i = 0; i < 2; i++) {
    const solver_settings settings = solver_settings_default();
    outcome alone;
    assert_int_equal(outcome_run(&projection_solver, &settings, starts, trial[i],
                                 (outcome_effort){.runs = 1}, &alone, u.message),
                     0);
    const race_lap *const own = &lap[i * ENTRIES];
    assert_true(own[0].of.time_s > 0.0 && own[1].of.time_s > 0.0);
    assert_true(own[0].repetitions >= 1.0 && !own[0].failed && !own[1].failed);
    assert_true(own[1].of.rms_error == alone.rms_error && own[1].of.events == alone.events);
    assert_true(own[2].failed && isnan(own[2].of.rms_error));
    assert_string_equal(own[2].message, "lame");
    if (i) assert_true(own[0].retaken == 0.0 && own[0].disturbed == 0.0);
  }
  end(&u);
}

static void an_interrupt_ends_a_trial(void **state) {
  static const volatile int interrupted = 1;
  made_up u;
  model m;
  race_lap lap[ENTRIES];
  (void)state;
  begin(&u, &m, &interrupted);
  lame_from = TRIALS;
  contest_starts *const starts = case_starts(&u.run, unchanged, TRIALS);
  lame_starts = starts;
  assert_int_equal(race_trial(line_up(&u, 0, starts), 0, lap), -1);
  assert_string_equal(u.message, "interrupted");
  assert_int_equal(race_turns(line_up(&u, 0, starts), &(size_t){0}, 1, lap), -1);
  assert_string_equal(u.message, "interrupted");
  end(&u);
}

/* one that cannot be prepared is told of, and nothing stays */
static void a_refusal_is_told(void **state) {
  static const volatile int calm = 0;
  made_up u;
  model m;
  (void)state;
  begin(&u, &m, &calm);
  contest_starts *const starts = case_starts(&u.run, unchanged, TRIALS);
  race_entry entry = {.solver = &projection_solver, .settings = solver_settings_default()};
  entry.settings.order = 3;
  const race_plan plan = {.starts = starts};
  assert_null(race_of(&u.run, 0, &plan, &entry, 1));
  assert_true(strlen(u.message) > 0);
  assert_null(u.private.race);
  end(&u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_trial_times_every_entry),
      cmocka_unit_test(turns_tell_every_trial),
      cmocka_unit_test(an_interrupt_ends_a_trial),
      cmocka_unit_test(a_refusal_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
