/*
 * essbench speed: what it derives from made-up samples, what it counts and reads, and the command
 * on a small run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include <sys/stat.h>

#include "experiments_fixture.h"
#include "solvers.h"
#include "speed.h"

static void close_to(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
    fail_msg("%.17g instead of %.17g", value, expected);
}

/* ---- what is derived --------------------------------------------------------------------------
 */

static speed_costs made_up_costs(void) {
  speed_costs costs;
  const double ns[SPEED_CALLBACKS] = {20, 7, 11, 5, 12}; // one further event function: 1
  for (size_t i = 0; i < SPEED_CALLBACKS; i++)
    costs.call[i] = (measure_interval){1e-9 * ns[i], 1e-9 * ns[i], 1e-9 * ns[i]};
  return costs;
}

static void a_bound_is_what_the_calls_cost(void **state) {
  (void)state;
  double counts[SPEED_COUNTS] = {[SPEED_FIELDS] = 100,
                                 [SPEED_GUARDS] = 10,
                                 [SPEED_RATES] = 3,
                                 [SPEED_SOME] = 4,
                                 [SPEED_SOME_GUARDS] = 24};
  speed_costs costs = made_up_costs();
  close_to(speed_bound(counts, &costs), 1e-9 * (2000 + 70 + 33 + 20 + 20));

  // callbacks that the model does not have are not called, and cost nothing
  costs.call[SPEED_RATES_CALL].estimate = costs.call[SPEED_SOME_CALL].estimate =
      costs.call[SPEED_MORE_CALL].estimate = NAN;
  counts[SPEED_RATES] = counts[SPEED_SOME] = counts[SPEED_SOME_GUARDS] = 0;
  close_to(speed_bound(counts, &costs), 1e-9 * (2000 + 70));
}

static void tiny_projections_onto_located_entries_are_root_finding(void **state) {
  (void)state;
  assert_string_equal(speed_regime(1.0, 1e-5, 2e-3), "root finding");
  assert_string_equal(speed_regime(0.5, 1e-5, 2e-3), "projection"); // half are not located
  assert_string_equal(speed_regime(1.0, 1e-4, 2e-3), "projection"); // and these are long
}

/* a takes x (2 + j), b takes x (20 + 10 j), one start adding a constant to all of a's */
static void slopes_are_of_medians_and_draws_are_shared(void **state) {
  (void)state;
  enum { GROUPS = 3, TRIALS = 5 };
  const double x[GROUPS] = {2, 10, 20};
  double a[GROUPS * TRIALS], b[GROUPS * TRIALS];
  measure_interval ours, mujoco, share;
  for (size_t i = 0; i < GROUPS; i++)
    for (size_t j = 0; j < TRIALS; j++) {
      a[i * TRIALS + j] = x[i] * (2.0 + (double)j) + 7.0;
      b[i * TRIALS + j] = x[i] * (20.0 + 10.0 * (double)j);
    }
  assert_int_equal(speed_slopes(x, GROUPS, a, b, TRIALS, 1, &ours, &mujoco, &share), 0);
  close_to(ours.estimate, 4.0);
  close_to(mujoco.estimate, 40.0);
  close_to(share.estimate, 0.1);
  assert_true(ours.low >= 2.0 - 1e-9 && ours.low < 4.0 && ours.high > 4.0 &&
              ours.high <= 6.0 + 1e-9);
  // a start that is slow for one is slow for the other: their quotient does not scatter
  assert_true(fabs(share.low - 0.1) < 1e-12 && fabs(share.high - 0.1) < 1e-12);
  assert_int_not_equal(speed_slopes(x, 1, a, b, TRIALS, 1, &ours, &mujoco, &share), 0);
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { STARTS = 5 };

/* the hopper with MuJoCo and libess at five starts; owned by the test */
typedef struct made_up {
  speed_case c;
  speed_entry entry[2];
  double seconds[2][STARTS], rms[2][STARTS], events[2][STARTS], reference[STARTS];
  double counts[STARTS][SPEED_COUNTS];
} made_up;

static void set_up(made_up *u) {
  char message[SOLVER_MESSAGE_SIZE];
  *u = (made_up){
      .seconds = {{300, 200, 500, 100, 400}, {1, 2, 4, 5, 3}},
      .rms = {{3, 2, 5, 1, 4}, {.1, .2, .4, .5, .3}},
      .events = {{4, 4, 4, 4, 4}, {4, 4, 5, 4, 4}},
      .reference = {4, 4, 4, 4, 4},
  };
  u->c = (speed_case){.contacts = 1,
                      .forms = 1,
                      .damping = NAN,
                      .trials = STARTS,
                      .events = u->reference,
                      .count = 2,
                      .entry = u->entry,
                      .costs = {made_up_costs()}};
  model_init(&u->c.form[0], model_find("hopper"));
  assert_int_equal(model_prepare(&u->c.form[0], message), 0);
  for (size_t k = 0; k < 2; k++)
    u->entry[k] = (speed_entry){.solver = k ? &projection_solver : &bridge_solver,
                                .protocol = "equal-error",
                                .settings = solver_settings_default(),
                                .seconds = u->seconds[k],
                                .rms = u->rms[k],
                                .events = u->events[k],
                                .counts = u->counts};
  for (size_t j = 0; j < STARTS; j++) {
    u->counts[j][SPEED_STEPS] = (double)(10 + j);
    u->counts[j][SPEED_FIELDS] = 50;
    u->counts[j][SPEED_GUARDS] = 30;
    u->counts[j][SPEED_ENTRIES] = u->counts[j][SPEED_CROSSINGS] = 4;
    u->counts[j][SPEED_PROJECTIONS] = 2;
    u->counts[j][SPEED_PROJECTED] = 2e-3;
  }
}

static void rows_have_medians_quantiles_and_paired_ratios(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  made_up u;
  speed_row row;
  set_up(&u);
  assert_int_equal(speed_summarize(&u.c, &u.entry[1], NULL, 1, &row, message), 0);
  close_to(row.number[SPEED_N_MEDIAN], 3);
  close_to(row.number[SPEED_N_RIVAL_MEDIAN], 300);
  close_to(row.number[SPEED_N_RATIO], 125); // of 300, 100, 125, 20, 133: not of the medians
  assert_true(row.number[SPEED_N_RATIO_LOW] >= 20 && row.number[SPEED_N_RATIO_LOW] < 125);
  assert_true(row.number[SPEED_N_RATIO_HIGH] <= 300 && row.number[SPEED_N_RATIO_HIGH] > 125);
  close_to(row.number[SPEED_N_RMS], 0.3);
  close_to(row.number[SPEED_N_RMS_Q90], 0.46);
  close_to(row.number[SPEED_N_RMS_WORST], 0.5);
  close_to(row.number[SPEED_N_RIVAL_RMS], 3);
  close_to(row.number[SPEED_N_RIVAL_RMS_WORST], 5);
  close_to(row.number[SPEED_N_EVENTS_RATIO], 21.0 / 20.0);
  close_to(row.number[SPEED_N_PER_CROSSING], 0.75);
  close_to(row.number[SPEED_N_STEPS], 12);
  close_to(row.number[SPEED_N_PROJECTED], 1e-3);
  close_to(row.number[SPEED_N_ENTRIES_PER_CROSSING], 1);
  close_to(row.number[SPEED_N_EVALUATIONS_PER_CROSSING], 20);
  close_to(row.number[SPEED_N_BOUND], 1e-9 * (50 * 20 + 30 * 7));
  close_to(row.number[SPEED_N_OVER_BOUND], 3 / 1210e-9);
  close_to(row.number[SPEED_N_RATIO_AT_BOUND], 300 / 1210e-9);
  assert_true(isnan(row.number[SPEED_N_BEFORE]));
  assert_string_equal(row.text[SPEED_TEXT_REGIME], "projection");

  // MuJoCo is its own rival, and has no counts of ours
  assert_int_equal(speed_summarize(&u.c, &u.entry[0], NULL, 1, &row, message), 0);
  close_to(row.number[SPEED_N_RATIO], 1);
  assert_true(isnan(row.number[SPEED_N_STEPS]) && isnan(row.number[SPEED_N_BOUND]));
  model_release(&u.c.form[0]);
}

/* ---- location ---------------------------------------------------------------------------------
 */

enum { POINTS = 6, RUNS = 6 };

/* what settings take and err at the starts of even and odd number */
typedef struct outcome {
  speed_family family;
  double epsilon, even_s, odd_s, even_rms, odd_rms;
  bool failed;
} outcome;

static const outcome outcomes[POINTS] = {{SPEED_LOCATION, 1.0, 8, 9, 1e-6, 2e-6, false},
                                         {SPEED_ORDER_1, 1e-2, 2, 6, 9e-3, 2e-2, false},
                                         {SPEED_ORDER_1, 1e-2, 5, 3, 8.9e-3, 1e-2, false},
                                         {SPEED_ORDER_1, 1e-3, 4, 4, 9e-4, 1e-3, false},
                                         {SPEED_ORDER_2, 1e-2, 1, 1, 1e-9, 1e-9, true},
                                         {SPEED_LIBESS, 0, 4, 6, 9e-5, 9e-5, false}};

static void half_of_the_starts_choose_and_half_are_shown(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  double seconds[POINTS][RUNS], rms[POINTS][RUNS], events[RUNS];
  speed_entry entry[POINTS];
  speed_point point[POINTS];
  const speed_case of = {.events = events};
  speed_location l = {
      .of = &of, .race = {.trials = RUNS, .count = POINTS, .entry = entry}, .point = point};
  for (size_t i = 0; i < POINTS; i++) {
    const outcome *const o = &outcomes[i];
    for (size_t j = 0; j < RUNS; j++) {
      seconds[i][j] = j % 2 ? o->odd_s : o->even_s;
      rms[i][j] = j % 2 ? o->odd_rms : o->even_rms;
      events[j] = 10;
    }
    entry[i] = (speed_entry){.settings.epsilon = o->epsilon,
                             .seconds = seconds[i],
                             .rms = rms[i],
                             .events = events,
                             .failed = o->failed};
    point[i] = (speed_point){.family = o->family, .entry = &entry[i]};
  }
  if (speed_location_summarize(&l, 1, message)) fail_msg("%s", message);
  close_to(point[1].choice_s, 2);
  close_to(point[1].median_s, 6);
  close_to(point[1].rms_error, 2e-2);
  close_to(point[1].crossing_s, 0.6);
  close_to(point[1].events_ratio, 1);
  assert_true(isnan(point[4].choice_s));

  // 1e-2: both, at the times of the starts that are shown; 1e-5: location alone; 1e-7: neither
  assert_true(l.duel[0].target == 1e-2);
  assert_int_equal(l.duel[0].location, 0);
  assert_int_equal(l.duel[0].libess, 5);
  close_to(l.duel[0].location_over_libess.estimate, 1.5);
  assert_int_equal(l.duel[4].libess, 5);
  assert_int_equal(l.duel[5].location, 0);
  assert_int_equal(l.duel[5].libess, SIZE_MAX);
  assert_true(isnan(l.duel[5].location_over_libess.estimate));
  assert_int_equal(l.duel[7].location, SIZE_MAX);

  // for an epsilon stands the cheapest that is nearly as good as its best
  assert_int_equal(speed_location_at(&l, SPEED_ORDER_1, 1e-2), 1);
  assert_int_equal(speed_location_at(&l, SPEED_ORDER_1, 1e-3), 3);
  assert_int_equal(speed_location_at(&l, SPEED_ORDER_2, 1e-2), SIZE_MAX);
}

/* ---- counting ---------------------------------------------------------------------------------
 */

/* a run behind counting callbacks is the run that is timed */
static void check_counts(const model *m, const solver_type *solver, double counts[SPEED_COUNTS]) {
  char message[SOLVER_MESSAGE_SIZE];
  double x0[MODEL_DIMENSION_MAX];
  solver_settings settings = solver_settings_default();
  solver_report report;
  trajectory plain, counted;
  void *instance;
  settings.epsilon = 3e-3;
  settings.rtol = settings.atol = 1e-4;
  settings.order = 2;
  m->type->initial_state(m, x0);
  assert_int_equal(trajectory_alloc(&plain, m, message), 0);
  assert_int_equal(trajectory_alloc(&counted, m, message), 0);
  const solver_output output = trajectory_output(&plain), again = trajectory_output(&counted);
  assert_int_equal(solver->prepare(m, &settings, &output, &instance, message), 0);
  assert_int_equal(solver->run(instance, x0, &output, &report), 0);
  assert_int_equal(speed_count_run(m, solver, &settings, x0, &again, counts), 0);
  assert_memory_equal(output.states, again.states,
                      output.count * plain.dimension * sizeof *output.states);
  assert_true(counts[SPEED_CROSSINGS] == (double)report.events && report.events > 0);
  assert_true(counts[SPEED_STEPS] == (double)report.steps);
  assert_true(counts[SPEED_PROJECTIONS] == (double)report.projections);
  assert_true(counts[SPEED_SUBSTEPS] == (double)report.substeps);
  assert_true(counts[SPEED_FIELDS] == (double)report.field_evaluations);
  assert_true(counts[SPEED_SOME_GUARDS] >= counts[SPEED_SOME]);
  solver->release(instance);
  trajectory_free(&plain);
  trajectory_free(&counted);
}

static void counts_are_those_of_the_run(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  double counts[SPEED_COUNTS];
  model m;
  model_init(&m, model_find("plate"));
  assert_int_equal(model_prepare(&m, message), 0);
  check_counts(&m, &libess_solver, counts);
  check_counts(&m, &projection_solver, counts);
  assert_true(counts[SPEED_PROJECTED] > 0.0);
  model_release(&m);
}

/* ---- before -----------------------------------------------------------------------------------
 */

static const char sweep_text[] =
    "{\"model\": {\"damping\": 60.0, \"field\": \"contacts\"},"
    " \"benchmarks\": [{\"name\": \"plate/equal-error/mujoco/contacts:2\"}],"
    " \"ratios\": [{\"contacts\": 2, \"protocol\": \"target-0.01\","
    "   \"mujoco_over_projection\": 99, \"interval\": [98, 100]},"
    "  {\"contacts\": 2, \"protocol\": \"equal-error\","
    "   \"mujoco_over_projection\": 12.5, \"interval\": [12, 13]}],"
    " \"slopes\": [{\"solver\": \"mujoco\", \"protocol\": \"equal-error\", \"s_per_contact\": 8},"
    "  {\"solver\": \"projection\", \"protocol\": \"equal-error\", \"s_per_contact\": 2}]}";

static void a_sweep_is_a_before(void **state) {
  char message[MEASURE_MESSAGE_SIZE], path[PATH_SIZE];
  assert_null(speed_before_read(*state, message));
  assert_non_null(strstr(message, "holds neither speed.json nor sweep.json"));
  assert_int_equal(write_text(path_in(state, "sweep.json", path), sweep_text), 0);
  json_t *const before = speed_before_read(*state, message);
  if (!before) fail_msg("%s", message);
  speed_row row = {.text = {"plate", "roller", "contacts", "projection", "", "equal-error", ""}};
  row.number[SPEED_N_CONTACTS] = 2;
  row.number[SPEED_N_DAMPING] = 60;
  const measure_interval found = speed_before_find(before, &row);
  assert_true(found.estimate == 12.5 && found.low == 12 && found.high == 13);
  close_to(speed_before_share(before, SPEED_CONTACTS), 0.25);
  assert_true(isnan(speed_before_share(before, SPEED_AGGREGATED)));
  row.number[SPEED_N_DAMPING] = 0;
  assert_true(isnan(speed_before_find(before, &row).estimate));
  row.number[SPEED_N_DAMPING] = 60;
  row.text[SPEED_TEXT_FIELD] = "aggregated";
  assert_true(isnan(speed_before_find(before, &row).estimate));
  json_decref(before);
}

/* ---- the command ------------------------------------------------------------------------------
 */

static bool is(const json_t *row, const char *name, const char *text) {
  return strcmp(text_of(row, name), text) == 0;
}

/* hopper; plate with 2 and 3 contacts, the last against RK4 too and without damping */
static void check_rows(const json_t *rows) {
  size_t i, ours = 0, mujoco = 0;
  json_t *row;
  json_array_foreach(rows, i, row) {
    if (is(row, "solver", "mujoco")) {
      mujoco++;
      continue;
    }
    ours++;
    close_to(number_of(row, "s_per_crossing"),
             number_of(row, "median_s") / number_of(row, "events"));
    assert_true(number_of(row, "mujoco_over_this_lo") <= number_of(row, "mujoco_over_this"));
    assert_true(number_of(row, "mujoco_over_this") <= number_of(row, "mujoco_over_this_hi"));
    assert_true(number_of(row, "rms_error") <= number_of(row, "rms_worst"));
    assert_true(number_of(row, "steps") > 0.0 && number_of(row, "bound_s") > 0.0);
    assert_true(number_of(row, "field_gap") < 1e-7);
  }
  assert_int_equal(mujoco, 5);
  assert_int_equal(ours, 16);
}

/* the table's rows are the .json's, with the settings of each */
static void check_settings_in_table(void **state, const json_t *rows) {
  static const char *const names[] = {"epsilon", "projection_order", "rtol", "atol"};
  measure_table *const table = read_table(state, "results/speed.csv", names, 4);
  assert_int_equal(measure_table_rows(table), json_array_size(rows));
  size_t i;
  json_t *row;
  json_array_foreach(rows, i, row) {
    const json_t *const settings = json_object_get(row, "settings");
    const bool mujoco = strcmp(text_of(row, "solver"), "mujoco") == 0;
    const bool projection = strcmp(text_of(row, "solver"), "projection") == 0;
    for (size_t k = 0; k < 4; k++)
      if (k < 2 ? projection : !mujoco)
        assert_true(field_of(table, i, names[k]) == number_of(settings, names[k]));
      else {
        const size_t column = measure_table_column(table, names[k]);
        assert_string_equal(measure_table_text(table, i, column), "");
        assert_true(json_is_null(json_object_get(settings, names[k])));
      }
  }
  measure_table_free(table);
}

static void a_small_run_is_written_and_shown(void **state) {
  char said[16 * COMMAND_SIZE], path[PATH_SIZE];
  assert_int_equal(mkdir(path_in(state, "before", path), 0777), 0);
  assert_int_equal(write_text(path_in(state, "before/sweep.json", path), sweep_text), 0);
  essbench(state, "speed --contacts 2,3 --trials 2 --before before --out results");
  json_t *const results = read_json(state, "results/speed.json");
  const json_t *const location = json_object_get(results, "location");
  check_rows(json_object_get(results, "rows"));
  check_settings_in_table(state, json_object_get(results, "rows"));
  assert_true(json_is_true(json_object_get(results, "complete")));
  assert_int_equal(json_array_size(json_object_get(results, "marginals")), SPEED_FORMS);
  assert_int_equal(json_array_size(json_object_get(results, "samples")), 4);
  assert_int_equal(json_array_size(json_object_get(location, "duels")), SPEED_TARGETS);
  assert_true(json_array_size(json_object_get(location, "over_epsilon")) > SPEED_EPSILONS);
  assert_true(json_array_size(json_object_get(location, "over_tolerance")) > 4);
  json_decref(results);

  essbench(state, "speed --table --out results");
  read_text(path_in(state, "out", path), said, sizeof said);
  assert_non_null(strstr(said, "| hopper |  | free |"));
  assert_non_null(strstr(said, "| plate, roller, N = 3, c = 0 | aggregated | equal-error |"));
  assert_non_null(strstr(said, "| plate, roller, N = 3, c = 0 | contacts | equal-median |"));
  assert_non_null(strstr(said, "| 12.5 [12.0, 13.0] |"));
  assert_non_null(strstr(said, "| solver | rtol | steps | sub-steps | groups |"));
  assert_non_null(strstr(said, "| location, rtol 1e-10 |"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bound_is_what_the_calls_cost),
      cmocka_unit_test(tiny_projections_onto_located_entries_are_root_finding),
      cmocka_unit_test(slopes_are_of_medians_and_draws_are_shared),
      cmocka_unit_test(rows_have_medians_quantiles_and_paired_ratios),
      cmocka_unit_test(half_of_the_starts_choose_and_half_are_shown),
      cmocka_unit_test(counts_are_those_of_the_run),
      TEST(a_sweep_is_a_before),
      TEST(a_small_run_is_written_and_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
