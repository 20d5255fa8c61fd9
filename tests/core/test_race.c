/*
 * Races within a process: every entry has its time, error and crossings from every start that is
 * the process's; what is the same runs once; a run that gives up ends nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "race.h"

#include <math.h>
#include <string.h>

#include "solvers.h"
#include "study_fixture.h"

enum { TRIALS = 5, ENTRIES = 4, OURS = 0, THEIRS, AGAIN, LAME };

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

/* a race under way, and all that it told */
typedef struct told {
  made_up u;
  model m;
  contest_starts *starts;
  race_entry entry[ENTRIES];
  size_t entries, laps;
  race_lap lap[TRIALS * ENTRIES];
  char message[TRIALS * ENTRIES][8];
} told;

static void begin(told *t, const volatile int *interrupted) {
  const solver_settings settings = solver_settings_default();
  lame = libess_solver;
  lame.name = "lame";
  lame.prepare = prepare;
  lame.run = run_lame;
  prepared = 0;
  lame_from = TRIALS;
  make_up(&t->u, &racing, NULL);
  model_init(&t->m, model_find("plate"));
  assert_int_equal(model_set(&t->m, "contacts", 3, t->u.message), 0);
  t->u.run.m = &t->m;
  t->u.run.interrupted = interrupted;
  lame_starts = t->starts = case_starts(&t->u.run, unchanged, TRIALS);
  assert_non_null(t->starts);
  t->entry[OURS] = (race_entry){.solver = &libess_solver, .settings = settings};
  t->entry[THEIRS] = (race_entry){.solver = &projection_solver, .settings = settings};
  t->entry[AGAIN] = t->entry[THEIRS];
  t->entry[LAME] = (race_entry){.solver = &lame, .settings = settings};
}

static void end(told *t) {
  cases_free(&t->u.run);
  dispose(&t->u);
}

static int note(void *context, const race_lap *lap) {
  told *const t = context;
  assert_true(t->laps < TRIALS * ENTRIES);
  assert_int_equal(lap->entry, t->laps % ENTRIES);
  strncpy(t->message[t->laps], lap->message, sizeof t->message[0] - 1);
  t->lap[t->laps++] = *lap;
  return 0;
}

static int run_part(told *t, size_t process, size_t processes, bool crossed) {
  const race_plan plan = {.starts = t->starts,
                          .trials = TRIALS,
                          .process = process,
                          .processes = processes,
                          .crossed = crossed,
                          .seed = 5};
  t->laps = 0;
  memset(t->message, 0, sizeof t->message);
  return race_run(&t->u.run, &plan, t->entry, ENTRIES, note, t);
}

/* what a run alone gives */
static outcome alone(told *t, size_t trial) {
  outcome of;
  assert_int_equal(contest_reference(t->starts, trial, t->u.message), 0);
  assert_int_equal(outcome_run(&projection_solver, &t->entry[THEIRS].settings, t->starts, trial,
                               (outcome_effort){.runs = 1}, &of, t->u.message),
                   0);
  trajectory_free(&t->starts->references[trial]);
  return of;
}

static void check_laps(told *t, const size_t trial[], size_t trials, bool errors) {
  assert_int_equal(t->laps, trials * ENTRIES);
  for (size_t i = 0; i < trials; i++) {
    const race_lap *const lap = &t->lap[i * ENTRIES];
    const outcome own = alone(t, trial[i]);
    for (size_t k = 0; k < ENTRIES; k++) {
      assert_true(lap[k].trial == trial[i] && lap[k].of.time_s > 0.0);
      assert_true(lap[k].repetitions >= 1.0);
      if (i) assert_true(lap[k].retaken == 0.0 && lap[k].disturbed == 0.0);
    }
    assert_true(lap[THEIRS].of.events == own.events);
    assert_true(lap[THEIRS].of.field_evaluations == own.field_evaluations);
    assert_true(errors ? lap[THEIRS].of.rms_error == own.rms_error
                       : isnan(lap[THEIRS].of.rms_error) != 0);
    assert_true(!errors || lap[OURS].of.rms_error != own.rms_error);
    // no reference is left
    assert_null(t->starts->references[trial[i]].states);
  }
}

static const volatile int calm = 0;

static void a_process_runs_its_starts(void **state) {
  static told t;
  (void)state;
  begin(&t, &calm);
  if (run_part(&t, 1, 2, false)) fail_msg("%s", t.u.message);
  check_laps(&t, (const size_t[]){1, 3}, 2, true);
  if (run_part(&t, 0, 2, false)) fail_msg("%s", t.u.message);
  check_laps(&t, (const size_t[]){0, 2, 4}, 3, true);
  end(&t);
}

static void every_process_runs_all_where_they_are_crossed(void **state) {
  static const size_t all[TRIALS] = {0, 1, 2, 3, 4};
  static told t;
  (void)state;
  begin(&t, &calm);
  for (size_t process = 0; process < 2; process++) {
    if (run_part(&t, process, 2, true)) fail_msg("%s", t.u.message);
    check_laps(&t, all, TRIALS, !process);
  }
  end(&t);
}

/* settings that do not concern a solver make no other */
static void what_is_the_same_runs_once(void **state) {
  static told t;
  (void)state;
  begin(&t, &calm);
  for (size_t k = 0; k < ENTRIES; k++) t.entry[k] = t.entry[LAME];
  // it is in no table: its settings are its own
  t.entry[3].settings.variant = "other";
  assert_int_equal(run_part(&t, 0, 1, false), 0);
  assert_int_equal(prepared, 2);
  for (size_t i = 0; i < TRIALS * ENTRIES; i += ENTRIES)
    assert_true(t.lap[i].of.time_s == t.lap[i + 1].of.time_s);
  const solver_settings settings = solver_settings_default();
  for (size_t k = 0; k < ENTRIES; k++)
    t.entry[k] = (race_entry){.solver = &projection_solver, .settings = settings};
  t.entry[1].settings.time_step = 0.001;
  t.entry[2].settings.epsilon *= 0.5;
  assert_int_equal(run_part(&t, 0, 1, false), 0);
  for (size_t i = 0; i < TRIALS * ENTRIES; i += ENTRIES) {
    assert_true(t.lap[i].of.rms_error == t.lap[i + 1].of.rms_error);
    assert_true(t.lap[i].of.time_s == t.lap[i + 1].of.time_s);
    assert_true(t.lap[i].of.rms_error != t.lap[i + 2].of.rms_error);
  }
  end(&t);
}

static void a_run_that_gives_up_is_told(void **state) {
  static told t;
  (void)state;
  begin(&t, &calm);
  lame_from = 3;
  if (run_part(&t, 0, 1, false)) fail_msg("%s", t.u.message);
  for (size_t i = 0; i < TRIALS; i++) {
    const race_lap *const lap = &t.lap[i * ENTRIES];
    assert_string_equal(t.message[i * ENTRIES + LAME], i < lame_from ? "" : "lame");
    assert_string_equal(t.message[i * ENTRIES + OURS], "");
    assert_true(lap[LAME].of.time_s > 0.0);
    assert_true(i < lame_from ? lap[LAME].of.rms_error == lap[OURS].of.rms_error
                              : isnan(lap[LAME].of.rms_error) && isnan(lap[LAME].of.steps));
  }
  end(&t);
}

/* a candidate that is no solver: it counts its runs, and fails as often as it is asked to */
typedef struct counting {
  size_t runs;
  bool fails;
} counting;

static int count_run(void *context, size_t trial) {
  (void)trial;
  counting *const c = context;
  c->runs++;
  return c->fails;
}

static int take_time(void *context, const race_lap *lap) {
  ((double *)context)[lap->trial] = lap->of.time_s;
  return 0;
}

static void a_candidate_of_the_callers_races_beside_solvers(void **state) {
  static told t;
  (void)state;
  counting good = {0}, bad = {.fails = true};
  const measure_candidate of_good = {.run = count_run, .context = &good};
  const measure_candidate of_bad = {.run = count_run, .context = &bad};
  begin(&t, &calm);
  t.entry[AGAIN] = (race_entry){.own = &of_good};
  t.entry[LAME] = (race_entry){.own = &of_bad};
  if (run_part(&t, 0, 1, false)) fail_msg("%s", t.u.message);
  assert_int_equal(t.laps, TRIALS * ENTRIES);
  for (size_t i = 0; i < TRIALS; i++) {
    const race_lap *const lap = &t.lap[i * ENTRIES];
    assert_true(lap[OURS].of.rms_error > 0.0 && lap[AGAIN].of.time_s > 0.0);
    assert_true(isnan(lap[AGAIN].of.rms_error) && isnan(lap[LAME].of.time_s));
  }
  assert_true(good.runs > TRIALS);
  assert_int_equal(bad.runs, 1);

  // they race alone where there are no starts
  const race_plan plan = {.trials = 2, .processes = 1};
  double seconds[2] = {0.0};
  assert_int_equal(race_run(&t.u.run, &plan, &t.entry[AGAIN], 1, take_time, seconds), 0);
  assert_true(seconds[0] > 0.0 && seconds[1] > 0.0);
  end(&t);
}

static void an_interrupt_ends_it(void **state) {
  static const volatile int interrupted = 1;
  static told t;
  (void)state;
  begin(&t, &interrupted);
  for (size_t process = 0; process < 2; process++) {
    assert_int_equal(run_part(&t, process, 2, true), -1);
    assert_string_equal(t.u.message, "interrupted");
    assert_int_equal(t.laps, 0);
  }
  end(&t);
}

/* one that cannot be prepared is told of */
static void a_refusal_is_told(void **state) {
  static told t;
  (void)state;
  begin(&t, &calm);
  t.entry[AGAIN].settings.order = 3;
  assert_int_equal(run_part(&t, 0, 1, false), -1);
  assert_true(strlen(t.u.message) > 0);
  for (size_t i = 0; i < TRIALS; i++) assert_null(t.starts->references[i].states);
  end(&t);
}

/* where the laps of each start are: two entries, in cells behind another one, with more behind them
 */
static void laps_are_found(void **state) {
  (void)state;
  made_up u;
  study_planned cells[] = {{.count = 5}, {.first = 5, .count = 8}, {.first = 13, .count = 6}};
  make_up(&u, &racing, NULL);
  u.run.processes = 2;
  u.private.cell = cells;
  for (char row = 0; row < 19; row++) give(&u, &row);
  const draws nested = race_draws(&u.run, 5, false), crossed = race_draws(&u.run, 3, true);
  for (size_t j = 0; j < 5; j++) // 0 2 4, 1 3
    assert_int_equal(*(const char *)race_lap_at(&u.run, 1, &nested, 2, 1, j),
                     (j % 2 ? 13 : 5) + j / 2 * 2 + 1);
  assert_true(crossed.processes == 2 && crossed.trials == 6 && crossed.crossed);
  const draws few = race_draws(&u.run, 1, false);
  assert_true(few.processes == 1 && few.trials == 1 && !few.crossed);
  dispose(&u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_process_runs_its_starts),
      cmocka_unit_test(every_process_runs_all_where_they_are_crossed),
      cmocka_unit_test(what_is_the_same_runs_once),
      cmocka_unit_test(a_run_that_gives_up_is_told),
      cmocka_unit_test(a_candidate_of_the_callers_races_beside_solvers),
      cmocka_unit_test(an_interrupt_ends_it),
      cmocka_unit_test(a_refusal_is_told),
      cmocka_unit_test(laps_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
