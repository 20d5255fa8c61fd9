/*
 * The cost of a crossing: which value of a knob is chosen, on made-up outcomes; and the command on
 * a small range of contacts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"

#include "precision.c"
#include "study_fixture.h"

/* ---- the choice -------------------------------------------------------------------------------
 */

static const double values[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 0};
enum { VALUES = 5 };

/* what each value makes of itself, and how many were tried */
typedef struct attempts {
  double rms[VALUES], seconds[VALUES];
  precision_status status[VALUES];
  size_t trials[VALUES];
  int refused;
  size_t tried;
} attempts;

static int made_up_attempt(void *context, precision_sample *s, char message[SOLVER_MESSAGE_SIZE]) {
  attempts *const o = context;
  const size_t i = o->tried++;
  assert_true(s->value == values[i]);
  s->of.rms_error = o->rms[i];
  s->of.time_s = o->seconds[i];
  s->trials = o->trials[i];
  s->status = o->status[i];
  if (o->refused) {
    snprintf(message, SOLVER_MESSAGE_SIZE, "not this model");
    return SOLVER_REFUSED;
  }
  if (isinf(o->rms[i])) snprintf(message, SOLVER_MESSAGE_SIZE, "gave up");
  return isinf(o->rms[i]) ? SOLVER_FAILED : 0;
}

static char said[SOLVER_MESSAGE_SIZE];

static precision_sample chosen_of(method_knob knob, double target, attempts *o) {
  const race_method method = {.name = "made-up", .knob = knob, .values = values};
  precision_sample none = precision_unknown("known", 2, 0, NAN);
  none.of = outcome_unknown();
  said[0] = '\0';
  return crossing_choose(&method, none, target, made_up_attempt, o, said);
}

static void the_first_that_reaches_is_the_cheapest_step(void **state) {
  (void)state;
  attempts o = {.rms = {1, 0.1, 0.01, 1e-3, 1e-4}, .seconds = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1}};
  const precision_sample c = chosen_of(METHOD_TIME_STEP, 0.01, &o);
  assert_int_equal(c.status, PRECISION_OK);
  assert_true(c.value == 1e-3 && c.of.rms_error == 0.01 && c.of.time_s == 1e-3);
  assert_string_equal(said, "");
  assert_int_equal(o.tried, 3);
}

/* a right state with wrong crossings is not what a crossing costs; who is chosen keeps its starts
 */
static void crossings_must_be_the_references(void **state) {
  (void)state;
  attempts o = {.rms = {1, 1e-3, 1e-3, 1e-4, 1e-5},
                .seconds = {1e-5, 2e-5, 3e-5, 4e-5, 5e-5},
                .status = {0, PRECISION_CROSSINGS, PRECISION_DIVERGED},
                .trials = {12, 12, 12, 3, 1}};
  precision_sample c = chosen_of(METHOD_TIME_STEP, 0.01, &o);
  assert_int_equal(c.status, PRECISION_OK);
  assert_true(c.value == 1e-4 && c.trials == 3);
  // where none else is close enough, the closest tells why it is not accepted
  for (size_t i = 0; i < VALUES; i++) o.status[i] = PRECISION_CROSSINGS;
  o.tried = 0;
  c = chosen_of(METHOD_TIME_STEP, 0.01, &o);
  assert_int_equal(c.status, PRECISION_CROSSINGS);
  assert_true(c.value == 1e-5);
  assert_string_equal(
      said, "the RMS error is 1e-05, but crossings are more than 1 % off the reference's");
}

/* the cost over epsilon has a hump: it is looked past, as far as it is not hopelessly high */
static void a_smaller_epsilon_may_cost_less(void **state) {
  (void)state;
  attempts o = {.rms = {1, 0.009, 1e-3, 1e-4, 1e-5}, .seconds = {1, 2.0, 2.9, 1.5, 1.6}};
  precision_sample c = chosen_of(METHOD_EPSILON, 0.01, &o);
  assert_true(c.value == 1e-4 && c.of.time_s == 1.5);
  assert_int_equal(o.tried, VALUES);

  attempts high = {.rms = {1, 0.009, 1e-3, 1e-4, 1e-5}, .seconds = {1, 2.0, 3.1, 1.5, 1.6}};
  c = chosen_of(METHOD_EPSILON, 0.01, &high);
  assert_true(c.value == 1e-2 && c.of.time_s == 2.0);
  assert_int_equal(high.tried, 3);
}

static void what_does_not_reach_tells_how_close_it_came(void **state) {
  (void)state;
  attempts o = {.rms = {1, 0.1, 0.05, 0.07, INFINITY}, .seconds = {1, 1, 1, 1, INFINITY}};
  const precision_sample c = chosen_of(METHOD_RTOL, 0.01, &o);
  assert_int_equal(c.status, PRECISION_UNREACHED);
  assert_true(c.value == 1e-3 && c.of.rms_error == 0.05 && c.of.time_s == 1);
  assert_string_equal(said, "the RMS error is 0.05 at best");
}

static void runs_that_would_take_too_long_are_not_made(void **state) {
  (void)state;
  attempts o = {.rms = {1, 0.1, 0.05, 1e-3, 1e-4}, .seconds = {0.02, 0.2, 2.0, 20.0, 200.0}};
  const precision_sample c = chosen_of(METHOD_TIME_STEP, 0.01, &o);
  assert_int_equal(c.status, PRECISION_TOO_LONG);
  assert_int_equal(o.tried, 3);
  assert_true(c.of.rms_error == 0.05);
}

static void failures_and_refusals_are_told_apart(void **state) {
  (void)state;
  const double inf = INFINITY;
  attempts failing = {.rms = {inf, inf, inf, inf, inf}, .seconds = {inf, inf, inf, inf, inf}};
  precision_sample c = chosen_of(METHOD_RTOL, 0.01, &failing);
  assert_int_equal(c.status, PRECISION_FAILED);
  assert_string_equal(said, "gave up");
  assert_true(isnan(c.value) && isnan(c.of.time_s));
  attempts refusing = {.refused = 1};
  c = chosen_of(METHOD_RTOL, 0.01, &refusing);
  assert_int_equal(c.status, PRECISION_REFUSED);
  assert_string_equal(said, "not this model");
  assert_int_equal(refusing.tried, 1);
}

/* ---- methods that are the same ----------------------------------------------------------------
 */

enum { CONTACTS = 2 };

static size_t two_numbers[CONTACTS] = {2, 5};

/* whether the second of two variants is stood for by the first, where their errors at one of the
 * numbers of contacts differ by so much, and the value of its knob there is so many times as large
 */
static bool is_one(double difference, double times) {
  made_up u;
  races_asked asked = {.contacts = {CONTACTS, two_numbers}, .trials = 1, .target = 0.01};
  const study_option *o = crossing_cost_study.options;
  while (strcmp(o->name, "methods") != 0) o++;
  make_up(&u, &crossing_cost_study, &asked);
  u.run.processes = 1;
  assert_int_equal(option_set(o, "time-stepping-euler,time-stepping-midpoint", &asked, u.message),
                   0);
  assert_int_equal(study_cells_plan(&u.run, 0), 3 * CONTACTS);
  for (; u.ended < study_cells(&u.run); end_cell(&u)) {
    const races_cell *const c = study_cell_at(&u.run, u.ended);
    const size_t method = c->number ? chosen_at(&u.run, c->number) : 0;
    const bool here = c->of == 1 && method == asked.methods.index[1];
    precision_sample s =
        precision_unknown("known", two_numbers[c->of], method, here ? 1e-3 * times : 1e-3);
    s.of.rms_error = 1e-2 * (1.0 + 1e-8 * (double)u.ended) * (here ? 1.0 + difference : 1.0);
    s.trials = 1;
    give(&u, &s);
  }
  assert_int_equal(study_cells_plan(&u.run, 1), CONTACTS);
  const precision_survey *const all = u.run.own;
  const bool one = *all->point[1].as && *all->point[3].as;
  assert_true(!*all->point[0].as && !*all->point[2].as && !*all->point[1].as == !*all->point[3].as);
  free(u.run.own);
  start_anew(&u);
  return one;
}

static void what_is_the_same_everywhere_is_one(void **state) {
  (void)state;
  assert_true(is_one(0.0, 1.0) && is_one(5e-7, 1.0));
  assert_false(is_one(2e-6, 1.0) || is_one(0.0, 2.0));
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* whatever the choice promised, a row tells what the race found: its status and message, where one
 * start is known to have such an error at best, and to have it in the race */
static void check_row(precision_status known, double best, double raced, const char *status,
                      const char *message) {
  made_up u;
  races_asked asked = {.contacts = {1, two_numbers}, .trials = 1, .target = 0.01};
  const study_option *o = crossing_cost_study.options;
  model m;
  while (strcmp(o->name, "methods") != 0) o++;
  model_init(&m, model_find("plate"));
  make_up(&u, &crossing_cost_study, &asked);
  u.run.m = &m;
  u.run.processes = 1;
  assert_int_equal(option_set(o, "hybrid", &asked, u.message), 0);
  assert_int_equal(study_cells_plan(&u.run, 0), 2);
  const size_t method = asked.methods.index[0];
  precision_sample start = precision_unknown("start", 2, 0, NAN),
                   first = precision_unknown("known", 2, method, 1e-3),
                   lap = precision_unknown("lap", 2, method, 1e-3);
  start.start = (precision_start){.events = 10, .held = 1};
  first.status = known;
  first.trials = 1;
  first.of = (outcome){1e-3, best, 10, 100, 100, 100, 100, 100, 100, 100};
  lap.of = (outcome){1e-3, raced, 10, 100, 100, 100, 100, 100, 100, 100};
  give(&u, &start);
  end_cell(&u);
  give(&u, &first);
  end_cell(&u);
  assert_int_equal(study_cells_plan(&u.run, 1), known == PRECISION_OK);
  if (known == PRECISION_OK) give(&u, &lap);
  if (known == PRECISION_OK) end_cell(&u);
  rederive(&u);
  assert_string_equal(text_at(&u, CROSSING_COST_ROWS, 0, "status"), status);
  assert_string_equal(text_at(&u, CROSSING_COST_ROWS, 0, "message"), message);
  // one that is not raced has the error that came closest, and no failures
  const double rms = known == PRECISION_OK ? raced : best;
  assert_true(number_at(&u, CROSSING_COST_ROWS, 0, "rms_error") == rms);
  assert_true(isnan(number_at(&u, CROSSING_COST_ROWS, 0, "failures")) == (known != PRECISION_OK));
  assert_true(fabs(number_at(&u, CROSSING_COST_ROWS, 0, "ns_per_crossing") / 1e5 - 1) < 1e-12);
  cases_free(&u.run);
  free(u.run.own);
  start_anew(&u);
}

static void a_row_above_the_target_is_not_reached(void **state) {
  (void)state;
  const char *const above = "the RMS error is above the target in the race";
  check_row(PRECISION_OK, 0.01, 0.01, "ok", "");
  check_row(PRECISION_OK, 0.01, 0.02, "not reached", above);
  check_row(PRECISION_OK, 0.01, 2, "diverged",
            "no better than a state that stays where it started");
  check_row(PRECISION_UNREACHED, 0.05, NAN, "not reached", "");
}

/* ---- the command ------------------------------------------------------------------------------
 */

static const char *text_in(const measure_table *table, size_t row, const char *name) {
  return measure_table_text(table, row, measure_table_column(table, name));
}

/* every method at every number of contacts, in order; who is raced reaches the target */
static void a_row_for_every_method_and_number(void **state) {
  static const char *const columns[] = {"contacts",        "method",    "status",
                                        "ns_per_crossing", "rms_error", "target"};
  static const char *const methods[] = {"projection-1", "projection-2", "hybrid"};
  static const double contacts[] = {2, 5};
  essbench(
      state,
      "crossing-cost --contacts 2,5 --trials 2 --processes 2 --duration 1 --target 1e-4 --methods "
      "projection-1,projection-2,hybrid --out results");
  measure_table *const table = read_table(state, "results/crossing_cost.csv", columns, 6);
  assert_int_equal(measure_table_rows(table), 6);
  for (size_t i = 0; i < 6; i++) {
    assert_true(field_of(table, i, "contacts") == contacts[i / 3]);
    assert_string_equal(text_in(table, i, "method"), methods[i % 3]);
    assert_string_equal(text_in(table, i, "law"), "roller");
    assert_true(field_of(table, i, "target") == 1e-4);
    const double rms = field_of(table, i, "rms_error"), time = field_of(table, i, "median_s");
    const double crossings = field_of(table, i, "events_reference");
    const bool reached = strcmp(text_in(table, i, "status"), "not reached") != 0;
    assert_true(reached ? rms <= 1e-4 : rms > 1e-4);
    // Euler's steps do not get there
    assert_int_equal(reached, i % 3 != 2);
    assert_true(fabs(field_of(table, i, "ns_per_crossing") * crossings / (1e9 * time) - 1) < 1e-12);
  }
  measure_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_that_reaches_is_the_cheapest_step),
      cmocka_unit_test(crossings_must_be_the_references),
      cmocka_unit_test(a_row_above_the_target_is_not_reached),
      cmocka_unit_test(a_smaller_epsilon_may_cost_less),
      cmocka_unit_test(what_does_not_reach_tells_how_close_it_came),
      cmocka_unit_test(runs_that_would_take_too_long_are_not_made),
      cmocka_unit_test(failures_and_refusals_are_told_apart),
      cmocka_unit_test(what_is_the_same_everywhere_is_one),
      cmocka_unit_test_setup_teardown(a_row_for_every_method_and_number, folder_set_up,
                                      folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
