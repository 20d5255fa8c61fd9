/*
 * Acceptance of `essbench run`: the plate's reference against an integrator that shares no code
 * with it, both forms of the field, and what the JSON holds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"
#include "plate_truth.h"

enum { N = 6 };

/* one promised case */
typedef struct plate_case {
  size_t contacts;
  const char *law;
  double damping, height, tilt;
} plate_case;

/* calls `check` for N x law x damping x two starts */
static void for_all_cases(void **state, void (*check)(void **state, const plate_case *c)) {
  static const size_t contacts[] = {2, 10, 37, 100};
  static const char *const laws[] = {"roller", "paper"};
  static const double damping[] = {60, 0}, starts[][2] = {{2.5, 0.05}, {2.1, -0.09}};
  for (size_t i = 0; i < 32; i++) {
    const plate_case c = {.contacts = contacts[i / 8],
                          .law = laws[i & 1],
                          .damping = damping[(i >> 1) & 1],
                          .height = starts[(i >> 2) & 1][0],
                          .tilt = starts[(i >> 2) & 1][1]};
    check(state, &c);
  }
}

/* `essbench run --json` of a case with more options */
static json_t *run_case(void **state, const plate_case *c, const char *options) {
  return ESSBENCH_JSON(state,
                       "run --model plate --contacts %zu --law %s --stiffness 8000 --damping %.17g "
                       "--height %.17g --tilt %.17g --duration 2 --json %s",
                       c->contacts, c->law, c->damping, c->height, c->tilt, options);
}

/* the state at the end */
static void read_state(const json_t *run, double x[N]) {
  const json_t *const values = json_object_get(run, "state");
  assert_int_equal(json_array_size(values), N);
  for (size_t i = 0; i < N; i++) {
    assert_true(json_is_number(json_array_get(values, i)));
    x[i] = json_number_value(json_array_get(values, i));
  }
}

static double largest_difference(const json_t *run, const double expected[N]) {
  double x[N], worst = 0.0;
  read_state(run, x);
  for (size_t i = 0; i < N; i++) worst = fmax(worst, fabs(x[i] - expected[i]));
  return worst;
}

/* the truth about the plate, which has none of essbench's code */
static size_t truth(const plate_case *c, double end[N]) {
  const plate_text text = {.contacts = c->contacts,
                           .paper = strcmp(c->law, "paper") == 0,
                           .mass = 10,
                           .inertia = 10,
                           .gravity = 9.81,
                           .stiffness = 8000 / (double)c->contacts,
                           .damping = c->damping / (double)c->contacts,
                           .free_length = 1,
                           .radius = strcmp(c->law, "paper") == 0 ? 0 : 0.5,
                           .half_width = 1};
  const double y0[N] = {0, c->height, c->tilt}, time = 2.0;
  size_t events;
  assert_int_equal(plate_truth(&text, y0, &time, 1, end, &events), TRUTH_SUCCESS);
  return events;
}

static void check_reference(void **state, const plate_case *c) {
  double end[N];
  const size_t events = truth(c, end);
  json_t *const run = run_case(state, c, "--solver reference --no-reference");
  const double worst = largest_difference(run, end);
  if (worst > 1e-7)
    fail_msg("N = %zu, %s, c = %g, height %g: %g", c->contacts, c->law, c->damping, c->height,
             worst);
  assert_int_equal((size_t)number_of(run, "events"), events);
  json_decref(run);
}

static void the_reference_agrees_with_an_independent_integration(void **state) {
  for_all_cases(state, check_reference);
}

/* from one of the starts: what is compared is the sum, not the trajectory */
static void check_field_forms(void **state, const plate_case *c) {
  double end[N];
  if (c->height > 2.2) return;
  json_t *const plain = run_case(state, c, "--epsilon 1e-4 --rtol 1e-10 --no-reference");
  json_t *const sums =
      run_case(state, c, "--epsilon 1e-4 --rtol 1e-10 --no-reference --field aggregated");
  read_state(plain, end);
  const double worst = largest_difference(sums, end);
  if (worst > 1e-9)
    fail_msg("N = %zu, %s, c = %g, height %g: %g", c->contacts, c->law, c->damping, c->height,
             worst);
  assert_true(number_of(plain, "events") > 0.0);
  assert_true(number_of(plain, "events") == number_of(sums, "events"));
  json_decref(plain);
  json_decref(sums);
}

static void both_forms_of_the_field_give_the_same_run(void **state) {
  for_all_cases(state, check_field_forms);
}

/* counts of the work done; the reference's is nobody's to count */
static void check_counters(const json_t *run, bool counted) {
  static const char *const names[] = {
      "steps",   "rejected",          "entries",          "projections",
      "through", "field_evaluations", "event_evaluations"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const json_t *const value = json_object_get(run, names[i]);
    if (!value || json_typeof(value) != (counted ? JSON_INTEGER : JSON_NULL))
      fail_msg("%s: member %s", text_of(run, "solver"), names[i]);
  }
  if (counted) assert_true(number_of(run, "steps") > 0.0);
}

/* the members promised, with their types; then for each solver that counts it, a count above 0 */
static void the_json_holds_what_is_promised(void **state) {
  static const struct {
    const char *name;
    json_type type;
  } members[] = {{"schema", JSON_STRING},    {"model", JSON_STRING},     {"contacts", JSON_INTEGER},
                 {"solver", JSON_STRING},    {"options", JSON_OBJECT},   {"time", JSON_REAL},
                 {"state", JSON_ARRAY},      {"events", JSON_INTEGER},   {"rms_error", JSON_REAL},
                 {"reference", JSON_STRING}, {"wall_time_s", JSON_REAL}, {"status", JSON_STRING}};
  static const char *const solvers[] = {"libess", "projection", "mujoco", "reference"};
  for (size_t k = 0; k < 4; k++) {
    json_t *const run =
        ESSBENCH_JSON(state, "run --contacts 10 --damping 0 --solver %s --json", solvers[k]);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
      const json_t *const value = json_object_get(run, members[i].name);
      if (!value || json_typeof(value) != members[i].type)
        fail_msg("%s: member %s", solvers[k], members[i].name);
    }
    assert_string_equal(text_of(run, "solver"), solvers[k]);
    assert_string_equal(text_of(run, "model"), "plate");
    assert_string_equal(text_of(run, "status"), "success");
    assert_true(number_of(run, "contacts") == 10.0 && number_of(run, "time") == 2.0);
    assert_true(number_of(run, "events") > 0.0 && number_of(run, "wall_time_s") > 0.0);
    if (k < 3) assert_true(number_of(run, "rms_error") > 0.0);
    check_counters(run, k < 3);
    json_decref(run);
  }
}

static void what_is_not_counted_is_not_printed(void **state) {
  char text[COMMAND_SIZE], path[PATH_SIZE];
  essbench(state, "run --solver reference");
  read_text(path_in(state, "out", path), text, sizeof text);
  assert_non_null(strstr(text, " crossings, "));
  assert_null(strstr(text, " steps"));
  assert_null(strstr(text, " evaluations"));
  essbench(state, "run --solver mujoco");
  read_text(path_in(state, "out", path), text, sizeof text);
  assert_non_null(strstr(text, " crossings, 1000 steps, 1000 field evaluations, "));
}

/* asked for nothing to compare with, the error is unknown and says so */
static void without_a_reference_there_is_no_error(void **state) {
  json_t *const run = ESSBENCH_JSON(state, "run --no-reference --json");
  assert_true(json_is_null(json_object_get(run, "rms_error")));
  assert_true(json_is_null(json_object_get(run, "reference")));
  json_decref(run);
}

/* what the program says it used is what it was given, every digit of it */
static void the_options_stand_in_the_record(void **state) {
  json_t *const run = ESSBENCH_JSON(
      state, "run --epsilon 0.00123456789012345678 --rtol 3e-9 --atol 7e-11 --h-max 0.01 "
             "--projection-order 2 --law paper --contacts 7 --per-spring yes --damping 0.1 --json");
  const json_t *const options = json_object_get(run, "options"), *const parameters =
                                                                     json_object_get(options,
                                                                                     "parameters");
  assert_true(number_of(options, "epsilon") == 0.00123456789012345678);
  assert_true(number_of(options, "rtol") == 3e-9 && number_of(options, "atol") == 7e-11);
  assert_true(number_of(options, "h_max") == 0.01);
  assert_true(number_of(options, "projection_order") == 2.0);
  assert_string_equal(text_of(run, "solver"), "projection");
  assert_string_equal(text_of(parameters, "law"), "paper");
  assert_string_equal(text_of(parameters, "per-spring"), "yes");
  assert_true(number_of(parameters, "contacts") == 7.0);
  assert_true(number_of(parameters, "damping") == 0.1);
  json_decref(run);
}

/* what does not concern a solver was not in force, and a default is what it stands for */
static void the_record_has_no_other_options(void **state) {
  static const char *const names[] = {"epsilon",          "rtol",    "h_max",  "projection_max",
                                      "projection_order", "scaling", "variant"};
  static const struct {
    const char *words, *known; /* a letter of each name's initial where it is known */
    double time_step;
  } cases[] = {{"--solver libess --h-max 0.01", "rh", NAN},
               {"--epsilon 1e-3 --h-max 0.01", "erhpp", NAN},
               {"--solver mujoco", "sv", 0.002},
               {"--solver reference", "", NAN},
               {"--solver hybrid --time-step 0.001", "", 0.001},
               {"--solver smooth --h-max 0.01", "erh", NAN},
               {"--solver gsl --h-max 0.01", "rhv", NAN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    json_t *const run = ESSBENCH_JSON(state, "run --contacts 3 --json %s", cases[i].words);
    const json_t *const options = json_object_get(run, "options");
    const char *known = cases[i].known;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
      const bool expected = *known == names[k][0];
      known += expected;
      if (json_is_null(json_object_get(options, names[k])) == expected)
        fail_msg("%s: %s", cases[i].words, names[k]);
    }
    const json_t *const step = json_object_get(options, "time_step");
    assert_true(isnan(cases[i].time_step) ? json_is_null(step)
                                          : json_number_value(step) == cases[i].time_step);
    json_decref(run);
  }
  json_t *const run = ESSBENCH_JSON(state, "run --contacts 3 --json --epsilon 3e-4");
  assert_true(number_of(json_object_get(run, "options"), "projection_max") == 6e-4);
  json_decref(run);
}

/* what the options given say of the solver and its tolerances */
static void the_solver_is_chosen_by_its_settings(void **state) {
  static const struct {
    const char *options, *solver;
    double rtol, atol;
  } cases[] = {
      {"", "libess", 1e-8, 1e-10},
      {"--tolerance 1e-3", "libess", 1e-3, 1e-3},
      {"--tolerance 1e-3 --atol 1e-6", "libess", 1e-3, 1e-6},
      {"--rtol 1e-6 --tolerance 1e-3", "libess", 1e-6, 1e-3},
      {"--epsilon 1e-3", "projection", 1e-8, 1e-10},
      {"--projection-order 2", "projection", 1e-8, 1e-10},
      {"--solver projection --projection-max inf --tolerance 1e-5", "projection", 1e-5, 1e-5},
      {"--solver smooth --epsilon 1e-3 --tolerance 1e-5", "smooth", 1e-5, 1e-5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    json_t *const run = ESSBENCH_JSON(state, "run --model hopper --json %s", cases[i].options);
    const json_t *const options = json_object_get(run, "options");
    assert_string_equal(text_of(run, "solver"), cases[i].solver);
    assert_true(number_of(options, "rtol") == cases[i].rtol);
    assert_true(number_of(options, "atol") == cases[i].atol);
    json_decref(run);
  }
}

/* stiffness and damping are totals unless said to be of one spring */
static void totals_and_springs_are_the_same_plate(void **state) {
  double end[N];
  json_t *const totals = ESSBENCH_JSON(state, "run --contacts 8 --damping 64 --json");
  json_t *const springs =
      ESSBENCH_JSON(state, "run --contacts 8 --per-spring yes --stiffness 1000 --damping 8 --json");
  read_state(totals, end);
  assert_true(largest_difference(springs, end) == 0.0);
  json_decref(totals);
  json_decref(springs);
}

/* the other two models, against solutions in closed form */
static void the_other_models_run(void **state) {
  json_t *run = ESSBENCH_JSON(state, "run --model hopper --epsilon 1e-5 --rtol 1e-10 --json");
  assert_string_equal(text_of(run, "reference"), "exact");
  assert_true(number_of(run, "rms_error") < 1e-6);
  assert_true(json_is_null(json_object_get(run, "contacts")));
  json_decref(run);
  run = ESSBENCH_JSON(state, "run --model affine3 --epsilon 1e-5 --rtol 1e-12 --json");
  assert_string_equal(text_of(run, "reference"), "exact");
  assert_true(number_of(run, "rms_error") < 1e-9);
  assert_true(number_of(run, "events") == 3.0);
  json_decref(run);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(the_reference_agrees_with_an_independent_integration),
      TEST(both_forms_of_the_field_give_the_same_run),
      TEST(the_json_holds_what_is_promised),
      TEST(what_is_not_counted_is_not_printed),
      TEST(without_a_reference_there_is_no_error),
      TEST(the_options_stand_in_the_record),
      TEST(the_record_has_no_other_options),
      TEST(the_solver_is_chosen_by_its_settings),
      TEST(totals_and_springs_are_the_same_plate),
      TEST(the_other_models_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
