/*
 * essbench speed: what it derives from made-up samples, what it counts and reads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "solvers.h"
#include "speed.c"
#include "studies.h"
#include "study_fixture.h"
#include "test_measure_folder.h"

static void close_to(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
    fail_msg("%.17g instead of %.17g", value, expected);
}

/* ---- bound ------------------------------------------------------------------------------------
 */

static void a_bound_is(double expected, const char *of) {
  char message[MEASURE_MESSAGE_SIZE], sql[2048];
  measure_store *store;
  json_t *rows;
  snprintf(sql, sizeof sql, "SELECT 1e9 * (" BOUND ") FROM (SELECT %s)", of);
  assert_int_equal(measure_store_open(&store, NULL, "", message), 0);
  if (measure_store_run(store, sql, NULL, &rows, message)) fail_msg("%s", message);
  close_to(json_real_value(json_array_get(json_array_get(rows, 0), 0)), expected);
  json_decref(rows);
  measure_store_close(store);
}

static void a_bound_is_what_the_calls_cost(void **state) {
  (void)state;
  // one further event function: 1
  a_bound_is(2000 + 70 + 33 + 20 + 20,
             "100 AS fields, 10 AS guards, 3 AS rates, 4 AS some, 24 AS some_guards, "
             "20e-9 AS field_s, 7e-9 AS guards_s, 11e-9 AS rates_s, 5e-9 AS some_s, "
             "12e-9 AS more_s");
  // callbacks that the model does not have are not called, and cost nothing
  a_bound_is(2000 + 70, "100 AS fields, 10 AS guards, 0 AS rates, 0 AS some, 0 AS some_guards, "
                        "20e-9 AS field_s, 7e-9 AS guards_s, NULL AS rates_s, NULL AS some_s, "
                        "NULL AS more_s");
}

/* ---- made-up samples --------------------------------------------------------------------------
 */

enum { STARTS = 5, PROCESSES = 2, SYSTEMS = 4 };

static size_t contacts[] = {2, 4};
static const races_asked settings = {.contacts = {2, contacts}, .trials = STARTS};

/* an order of starts that is not the sorted one: 0, 2, 4, 1, 3 */
static double rank_of(size_t start) {
  return (double)(2 * start % STARTS);
}

/* MuJoCo errs by 0.03 to 0.05 at the output step, by 0.02 to 0.04 at what it chose, and takes
 * N (10 + rank) s and half of that; libess errs by a tenth, and takes N + 10 rank ms, 1 more in the
 * second process; its tolerance is finer with more contacts */
static speed_sample entry_of(size_t system, const char *protocol, const char *solver,
                             const char *field) {
  speed_sample s;
  column_clear(speed_study.tables[SPEED_SAMPLES].columns, &s);
  s.of = speed_system_at(&settings, system);
  const bool ours = strcmp(solver, "libess") == 0;
  s.what = "entry";
  s.protocol = protocol;
  s.solver = solver;
  s.field = field;
  s.variant = ours ? "" : strcmp(protocol, "Euler-2ms") == 0 ? "Euler" : "implicitfast";
  s.rtol = ours ? 1e-2 / (double)(1 + system) : NAN;
  s.time_step = ours                                 ? NAN
                : strcmp(protocol, "Euler-2ms") == 0 ? 2e-3
                                                     : 4e-3 + 2e-3 * (double)system;
  s.field_gap = 1e-9;
  s.scaling = 1e6;
  return s;
}

static speed_sample made_run(const speed_sample *entry, size_t n, size_t process, size_t start) {
  speed_sample s = *entry;
  const bool ours = strcmp(s.solver, "libess") == 0, euler = strcmp(s.variant, "Euler") == 0;
  const double rank = rank_of(start), mujoco_s = (double)n * (10.0 + rank);
  s.what = "run";
  s.process = process;
  s.trial = start;
  s.seconds = ours    ? 1e-3 * ((double)n + 10.0 * rank + (double)process)
              : euler ? mujoco_s
                      : mujoco_s / 2;
  s.rms_error = process ? NAN : ours ? 1e-2 * (1 + rank) : (euler ? 0.03 : 0.02) + 5e-3 * rank;
  s.events = 4.0 + (ours && start == 4);
  s.events_reference = process ? NAN : 4.0;
  s.retaken = start ? 0.0 : 3.0;
  for (size_t i = 0; ours && !process && i < COUNTS; i++) s.counts[i] = 0.0;
  if (!ours || process) return s;
  s.counts[COUNT_STEPS] = 10.0 + (double)start;
  s.counts[COUNT_FIELDS] = 50.0;
  s.counts[COUNT_GUARDS] = 30.0;
  s.counts[COUNT_ENTRIES] = s.counts[COUNT_CROSSINGS] = 4.0;
  return s;
}

/* what a cell would have told */
static void measure_cell(made_up *u, size_t index, bool race) {
  u->private.measured = json_array();
  const size_t system = race ? (index - SYSTEMS) / PROCESSES : index;
  const size_t process = race ? (index - SYSTEMS) % PROCESSES : 0;
  const speed_system of = speed_system_at(&settings, system);
  const char *const field = of.forms > 1 ? "contacts" : "";
  speed_sample entry[SPEED_ENTRIES_MAX];
  size_t count = 3;
  entry[0] = entry_of(system, "Euler-2ms", "mujoco", "");
  entry[1] = entry_of(system, "equal-error", "mujoco", "");
  entry[2] = entry_of(system, "equal-error", "libess", field);
  if (race) count = speed_entries(&u->run, system, entry);
  for (size_t i = 0; !race && i < count; i++)
    assert_int_equal(study_add(&u->run, SPEED_SAMPLES, &entry[i]), 0);
  for (size_t j = 0; race && j < STARTS; j++)
    for (size_t i = 0; i < count; i++) {
      speed_sample s = made_run(&entry[i], of.contacts, process, j);
      s.of = of;
      assert_int_equal(study_add(&u->run, SPEED_SAMPLES, &s), 0);
    }
  for (size_t i = 0; race && i < of.forms * CALLS * CALL_SAMPLES; i++) {
    speed_sample s = entry[0];
    s.what = "call";
    s.of = of;
    s.field = form_name(&of, i / CALL_SAMPLES / CALLS);
    s.process = process;
    s.trial = i % CALL_SAMPLES;
    s.variant = call_names[i / CALL_SAMPLES % CALLS];
    s.seconds = i / CALL_SAMPLES % CALLS < 2 ? 1e-5 : NAN;
    assert_int_equal(study_add(&u->run, SPEED_SAMPLES, &s), 0);
  }
  json_t *const told = study_cells_entry(&u->run, &u->private.cell[index]);
  assert_true(study_cells_take(&u->run, told));
  json_decref(told);
  json_decref(u->private.measured);
}

static void make_up_all(made_up *u) {
  make_up(u, &speed_study, &settings);
  u->run.processes = PROCESSES;
  u->private.known = json_object();
  for (size_t stage = 0, done = 0; study_cells_plan(&u->run, stage) > 0; stage++) {
    for (; done < study_cells(&u->run); done++) measure_cell(u, done, stage > 0);
    assert_int_equal(study_cells_settle(&u->run), 0);
  }
  assert_int_equal(study_cells(&u->run), SYSTEMS + SYSTEMS * PROCESSES);
  u->ended = SYSTEMS + SYSTEMS * PROCESSES;
  rederive(u);
}

static void dispose_all(made_up *u) {
  study_cells_free(&u->run);
  dispose(u);
  json_decref(u->private.known);
}

static size_t row_of(const made_up *u, size_t n, double damping, const char *protocol,
                     const char *solver) {
  size_t count;
  study_rows(&u->run, SPEED_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    if (number_at(u, SPEED_ROWS, i, "contacts") == (double)n &&
        (number_at(u, SPEED_ROWS, i, "damping") == damping || isnan(damping)) &&
        strcmp(text_at(u, SPEED_ROWS, i, "protocol"), protocol) == 0 &&
        strcmp(text_at(u, SPEED_ROWS, i, "solver"), solver) == 0)
      return i;
  fail_msg("no row of %s in %s", solver, protocol);
  return 0;
}

typedef struct named {
  const char *name;
  double value;
} named;

static void rows_have_medians_quantiles_and_paired_ratios(void **state) {
  static const named expected[] = {
      {"trials", STARTS},
      {"processes", PROCESSES},
      {"median_s", 0.0245}, // of 4 + 10 rank and one more
      {"mujoco_s", 24.0},   // 4 (10 + 2) / 2
      // by start and process: 20/4, 20/5, 22/14, 22/15, 24/24, 24/25, 26/34 ..., in thousands
      {"mujoco_over_this", 0.5 * (1000.0 + 960.0)},
      {"rms_error", 0.03},
      {"rms_q90", 0.046},
      {"rms_worst", 0.05},
      {"mujoco_rms_error", 0.03},
      {"accepted_rms_error", 0.04}, // of Euler at the output step, on the same starts
      {"accepted_rms_worst", 0.05},
      {"worse", 1}, // 21 crossings of 20
      {"events_ratio", 21.0 / 20.0},
      {"retaken", 3.0 * PROCESSES},
      {"steps", 12.0},
      {"evaluations_per_crossing", 20.0},
      {"bound_s", 80e-5},
      {"over_bound", 0.0245 / 80e-5},
      {"mujoco_over_bound", 24.0 / 80e-5},
      {"mujoco_time_step", 8e-3}};
  (void)state;
  made_up u;
  make_up_all(&u);
  const size_t r = row_of(&u, 4, 60.0, "equal-error", "libess");
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    close_to(number_at(&u, SPEED_ROWS, r, expected[i].name), expected[i].value);
  assert_true(number_at(&u, SPEED_ROWS, r, "mujoco_over_this_lo") < 980.0 &&
              number_at(&u, SPEED_ROWS, r, "mujoco_over_this_hi") > 980.0);
  close_to(settings_at(&u, SPEED_ROWS, r).rtol, 1e-2 / 3.0);
  assert_string_equal(text_at(&u, SPEED_ROWS, r, "mujoco_variant"), "implicitfast");

  // MuJoCo is its own rival, has no work of ours, and is no worse than its Euler
  const size_t m = row_of(&u, 4, 60.0, "equal-error", "mujoco");
  close_to(number_at(&u, SPEED_ROWS, m, "mujoco_over_this"), 1.0);
  assert_true(isnan(number_at(&u, SPEED_ROWS, m, "steps")) &&
              isnan(number_at(&u, SPEED_ROWS, m, "bound_s")) &&
              isnan(number_at(&u, SPEED_ROWS, m, "over_bound")));
  assert_true(number_at(&u, SPEED_ROWS, m, "worse") == 0.0);
  assert_string_equal(text_at(&u, SPEED_ROWS, row_of(&u, 1, NAN, "equal-error", "libess"), "field"),
                      "");
  dispose_all(&u);
}

static void one_more_contact_has_one_setting(void **state) {
  (void)state;
  made_up u;
  size_t count;
  double ends[2];
  make_up_all(&u);
  // the finest tolerance, and MuJoCo's setting at the largest; the undamped plate has none
  close_to(settings_at(&u, SPEED_ROWS, row_of(&u, 2, 60.0, speed_fixed, "libess")).rtol,
           1e-2 / 3.0);
  close_to(
      number_at(&u, SPEED_ROWS, row_of(&u, 2, 60.0, speed_fixed, "mujoco"), "mujoco_time_step"),
      8e-3);
  close_to(settings_at(&u, SPEED_ROWS, row_of(&u, 4, 0.0, "equal-error", "libess")).rtol,
           1e-2 / 4.0);
  study_rows(&u.run, SPEED_MARGINALS, &count);
  assert_int_equal(count, 1); // the other form of the field has no tolerance
  assert_string_equal(text_at(&u, SPEED_MARGINALS, 0, "field"), "contacts");
  const double share = number_at(&u, SPEED_MARGINALS, 0, "share");
  close_to(number_at(&u, SPEED_MARGINALS, 0, "rtol"), 1e-2 / 3.0);
  close_to(number_at(&u, SPEED_MARGINALS, 0, "s_per_contact"), 1e-3);
  close_to(number_at(&u, SPEED_MARGINALS, 0, "mujoco_s_per_contact"), 6.0);
  close_to(share, 1e-3 / 6.0);
  // a start that is slow at one number of contacts is slow at all: our slope does not scatter
  interval_at(&u, SPEED_MARGINALS, 0, "interval", ends);
  assert_true(fabs(ends[0] - 1e-3) < 1e-12 && fabs(ends[1] - 1e-3) < 1e-12);
  interval_at(&u, SPEED_MARGINALS, 0, "share_interval", ends);
  assert_true(ends[0] < share && share < ends[1]);
  dispose_all(&u);
}

/* ---- counting ---------------------------------------------------------------------------------
 */

/* a run behind counting callbacks is the run that is timed */
static void counts_are_those_of_the_run(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  double x0[MODEL_DIMENSION_MAX], counts[COUNTS];
  solver_settings with = solver_settings_default();
  solver_report report;
  trajectory plain, counted;
  void *instance;
  model m;
  model_init(&m, model_find("plate"));
  assert_int_equal(model_prepare(&m, message), 0);
  with.rtol = with.atol = 1e-4;
  m.type->initial_state(&m, x0);
  assert_int_equal(trajectory_alloc(&plain, &m, message), 0);
  assert_int_equal(trajectory_alloc(&counted, &m, message), 0);
  const solver_output output = trajectory_output(&plain), again = trajectory_output(&counted);
  assert_int_equal(libess_solver.prepare(&m, &with, &output, &instance, message), 0);
  assert_int_equal(libess_solver.run(instance, x0, &output, &report), 0);
  assert_int_equal(count_calls(&m, &with, x0, &again, counts), 0);
  assert_memory_equal(output.states, again.states,
                      output.count * plain.dimension * sizeof *output.states);
  assert_true(counts[COUNT_CROSSINGS] == (double)report.events && report.events > 0);
  assert_true(counts[COUNT_STEPS] == (double)report.steps);
  assert_true(counts[COUNT_THROUGH] == (double)report.through);
  assert_true(counts[COUNT_FIELDS] == (double)report.field_evaluations);
  assert_true(counts[COUNT_SOME_GUARDS] >= counts[COUNT_SOME]);
  libess_solver.release(instance);
  trajectory_free(&plain);
  trajectory_free(&counted);
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bound_is_what_the_calls_cost),
      cmocka_unit_test(rows_have_medians_quantiles_and_paired_ratios),
      cmocka_unit_test(one_more_contact_has_one_setting),
      cmocka_unit_test(counts_are_those_of_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
