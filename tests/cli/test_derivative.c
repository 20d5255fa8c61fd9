/*
 * essbench derivative against differences of the models' references, and against what is known of
 * instants at which both feet of the trotting body land: a derivative, two, or none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"
#include "gradient.h"
#include "model.h"
#include "solver.h"

enum { N_MAX = 8 };

#define WAYS "forward", "adjoint", "differences"

typedef struct setting {
  const char *name, *value;
} setting;

/* entry (i, j) of an array of rows */
static double entry(const json_t *matrix, size_t i, size_t j) {
  const json_t *const value = json_array_get(json_array_get(matrix, i), j);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.10g is not %.10g", value, known);
}

static void end_state(const model *m, const double x0[], double x[]) {
  char message[MODEL_MESSAGE_SIZE];
  const double end = model_get(m, "duration");
  model_reference out = {.times = &end, .count = 1, .states = x};
  if (m->type->reference(m, x0, &out, message)) fail_msg("%s", message);
}

/* differences of the reference, by the state j of the start */
static void difference(const model *m, size_t j, double column[]) {
  static const double step = 2e-5;
  double x0[N_MAX], above[N_MAX], below[N_MAX];
  m->type->initial_state(m, x0);
  x0[j] += step;
  end_state(m, x0, above);
  x0[j] -= 2.0 * step;
  end_state(m, x0, below);
  for (size_t i = 0; i < m->system.dimension; i++) column[i] = (above[i] - below[i]) / (2.0 * step);
}

/* the same model, here and by the program */
static void agrees(void **state, const char *name, const setting settings[], double within) {
  char words[COMMAND_SIZE], message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, model_find(name));
  snprintf(words, sizeof words, "derivative --model %s --tolerance 1e-11 --json", name);
  for (; settings->name; settings++) {
    assert_int_equal(model_set_text(&m, settings->name, settings->value, message), 0);
    snprintf(words + strlen(words), sizeof words - strlen(words), " --%s %s", settings->name,
             settings->value);
  }
  assert_int_equal(model_prepare(&m, message), 0);
  const size_t n = m.system.dimension;
  json_t *const result = ESSBENCH_JSON(state, "%s", words);
  const json_t *const matrix = json_object_get(result, "derivative");
  assert_string_equal(text_of(result, "flow"), "C1");
  assert_int_equal(json_array_size(matrix), n);
  for (size_t j = 0; j < n; j++) {
    double column[N_MAX], size = 1.0;
    difference(&m, j, column);
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(column[i]));
    for (size_t i = 0; i < n; i++)
      if (!(fabs(entry(matrix, i, j) - column[i]) <= within * size))
        fail_msg("%s: (%zu, %zu) is %.9g, by differences %.9g", words, i, j, entry(matrix, i, j),
                 column[i]);
  }
  json_decref(result);
  model_release(&m);
}

/* past the accumulation the block rests where its corner was: the rate at which it had turned, or
 * had been turned about that corner, is forgotten. Shifted, it rests elsewhere. */
static void past_an_accumulation_the_start_is_forgotten(void **state) {
  const double tilt = 0.2, half_width = 0.025, half_height = 0.05;
  const double arm[] = {-half_width * sin(tilt) - half_height * cos(tilt),
                        half_width * cos(tilt) - half_height * sin(tilt), 1.0};
  json_t *const result = ESSBENCH_JSON(
      state,
      "derivative --model rocking-block --delta-t 0 --complete yes --tolerance 1e-10 --json");
  const json_t *const matrix = json_object_get(result, "derivative");
  assert_string_equal(text_of(result, "flow"), "C1");
  assert_string_equal(text_of(result, "start_contacts"), "{left}");
  for (size_t i = 0; i < 6; i++) {
    double turned = 0.0, turning = 0.0;
    for (size_t j = 0; j < 3; j++) {
      turned += entry(matrix, i, j) * arm[j];
      turning += entry(matrix, i, 3 + j) * arm[j];
    }
    near(entry(matrix, i, 0), i == 0 ? 1.0 : 0.0, 1e-6);
    near(turned, 0.0, 1e-6);
    near(turning, 0.0, 1e-6);
  }
  json_decref(result);
}

static void is_what_differences_of_the_reference_are(void **state) {
  agrees(state, "ball", (const setting[]){{"duration", "3"}, {0}}, 1e-7);
  agrees(state, "ball",
         (const setting[]){{"surface", "ceiling"},
                           {"restitution", "0"},
                           {"height", "-1"},
                           {"speed", "6"},
                           {"duration", "0.5"},
                           {0}},
         1e-7);
  agrees(state, "hopper", (const setting[]){{"duration", "1"}, {0}}, 1e-6);
  agrees(state, "slip", (const setting[]){{"duration", "1.2"}, {0}}, 1e-6);
  agrees(state, "trot", (const setting[]){{"tilt", "0.02"}, {0}}, 1e-6);
  agrees(state, "trot",
         (const setting[]){{"tilt", "-0.03"}, {"coupling", "1"}, {"duration", "0.36"}, {0}}, 1e-6);
  agrees(state, "trot", (const setting[]){{"limbs", "rigid"}, {"tilt", "0.02"}, {0}}, 1e-6);
  agrees(state, "plate",
         (const setting[]){{"contacts", "10"},
                           {"damping", "0"},
                           {"height", "2.47"},
                           {"tilt", "0.033"},
                           {"duration", "0.9"},
                           {0}},
         1e-5);
  agrees(state, "plate",
         (const setting[]){
             {"contacts", "4"}, {"damping", "60"}, {"tilt", "0.1"}, {"duration", "0.7"}, {0}},
         1e-5);
}

/* both feet at once: columns by the initial rotation, theta */
static void decoupled_limbs_have_a_derivative(void **state) {
  json_t *result =
      ESSBENCH_JSON(state, "derivative --model trot --duration 0.3 --tolerance 1e-11 --json");
  const json_t *matrix = json_object_get(result, "derivative");
  assert_string_equal(text_of(result, "flow"), "C1");
  assert_true(json_is_null(json_object_get(result, "matrices")));
  near(entry(matrix, 1, 1), 0.09277210, 1e-7);
  near(entry(matrix, 3, 1), -15.509511, 1e-5);
  json_decref(result);

  result = ESSBENCH_JSON(state, "derivative --model trot --duration 0.35 --tolerance 1e-11 --json");
  matrix = json_object_get(result, "derivative");
  assert_string_equal(text_of(result, "flow"), "C1");
  near(entry(matrix, 1, 1), -0.52430902, 1e-7);
  near(entry(matrix, 3, 1), -7.5727205, 1e-5);
  near(entry(matrix, 4, 1), 0.02660057, 1e-7);
  near(entry(matrix, 5, 1), -0.02660057, 1e-7);
  near(entry(matrix, 6, 1), 10.399770, 1e-5);
  near(entry(matrix, 7, 1), -10.399770, 1e-5);
  json_decref(result);
}

static void coupled_limbs_have_two(void **state) {
  json_t *const result =
      ESSBENCH_JSON(state, "derivative --model trot --coupling 1 --tolerance 1e-11 --direction "
                           "0,1,0,0,0,0,0,0 --json");
  const json_t *const pieces = json_object_get(result, "matrices");
  assert_string_equal(text_of(result, "flow"), "piecewise");
  assert_true(json_is_null(json_object_get(result, "derivative")));
  assert_int_equal(json_array_size(pieces), 2);
  double vz[2];
  for (size_t i = 0; i < 2; i++) {
    const json_t *const piece = json_array_get(pieces, i);
    assert_int_equal(json_array_size(json_object_get(piece, "order")), 2);
    vz[i] = entry(json_object_get(piece, "matrix"), 2, 1);
  }
  near(fabs(vz[0]), 2.6936, 1e-4);
  near(vz[0] + vz[1], 0.0, 1e-8);

  // the rear foot lands first where the rotation is positive
  const json_t *const along = json_object_get(result, "directional");
  near(json_number_value(json_array_get(along, 2)), 2.6936, 1e-4);
  json_decref(result);
}

static void rigid_limbs_have_none_where_the_rear_foot_lifts_off(void **state) {
  static const struct {
    const char *inertia, *flow;
  } bodies[] = {{"4", "discontinuous"}, {"2", "discontinuous"}, {"1", "C1"}, {"0.5", "C1"}};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    json_t *const result = ESSBENCH_JSON(
        state, "derivative --model trot --limbs rigid --inertia %s --json", bodies[i].inertia);
    assert_string_equal(text_of(result, "flow"), bodies[i].flow);
    const bool exists = strcmp(bodies[i].flow, "C1") == 0;
    assert_true(json_is_null(json_object_get(result, "derivative")) == !exists);
    assert_true(json_is_null(json_object_get(result, "state")) == !exists);
    if (!exists) {
      const json_t *const at = json_object_get(result, "simultaneous");
      near(number_of(at, "time"), 0.23321676, 1e-7);
      assert_int_equal(json_array_size(json_object_get(at, "events")), 2);
    }
    json_decref(result);
  }
}

/* the body rests whatever it was turned by: the foot that has landed first was let go for a moment
 * by what a run strays from the ground, and derivatives were 1e7 */
static void a_foot_stays_where_the_other_lands_beside_it(void **state) {
  static const char *const tolerances[] = {"1e-8", "1e-11"};
  for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
    json_t *const result =
        ESSBENCH_JSON(state,
                      "derivative --model trot --limbs rigid --inertia 1 --tilt "
                      "0.030000000000000006 --duration 0.4 --tolerance %s --json",
                      tolerances[i]);
    const json_t *const matrix = json_object_get(result, "derivative");
    for (size_t row = 0; row < 4; row++)
      for (size_t column = 0; column < 4; column++) near(entry(matrix, row, column), 0.0, 1e-6);
    json_decref(result);
  }
}

/* of crossings the saltations alone take calls of the field more */
static void a_jacobian_saves_the_field(void **state) {
  json_t *const plain = ESSBENCH_JSON(state, "run --model slip --tolerance 1e-9 --json");
  json_t *const with = ESSBENCH_JSON(state, "derivative --model slip --tolerance 1e-9 --json");
  const json_t *const cost = json_object_get(with, "cost");
  assert_true(number_of(cost, "field_evaluations") <= 1.05 * number_of(plain, "field_evaluations"));
  assert_true(number_of(cost, "field_jacobian_evaluations") > 0);
  json_decref(plain);
  json_decref(with);
}

/* the example of NAG's d02bj: where it lands, by drag, weight and start, to the digits known */
static void a_projectile_lands_by_its_parameters(void **state) {
  static const struct {
    const char *name;
    double value;
  } known[] = {{"a", 189.9144162},
               {"b", 34.2539677},
               {"y", 1.0519049},
               {"v", 24.3090453},
               {"phi", 2.6049826}};
  static const char *const ways[] = {WAYS};
  for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
    json_t *const result = ESSBENCH_JSON(
        state, "derivative --model projectile --way %s --tolerance 1e-11 --json", ways[way]);
    const json_t *const by = json_object_get(result, "by");
    near(number_of(json_object_get(result, "outcome"), "value"), 7.288293115263, 1e-10);
    near(number_of(result, "time"), 7.288293115263, 1e-10);
    assert_string_equal(text_of(result, "way"), ways[way]);
    assert_int_equal(json_array_size(by), 5);
    for (size_t j = 0; j < 5; j++) {
      const json_t *const one = json_array_get(by, j);
      assert_string_equal(text_of(one, "name"), known[j].name);
      near(number_of(one, "value"), known[j].value, 1e-8 * known[j].value + 6e-8);
    }
    json_decref(result);
  }
  char path[PATH_SIZE], said[2 * COMMAND_SIZE];
  essbench(state, "derivative --model projectile --outcome v");
  read_text(path_in(state, "out", path), said, sizeof said);
  assert_non_null(strstr(said, "projectile ends at x = 7.28829"));
  assert_non_null(strstr(said, "v by each input, forward"));
}

/* tangents, adjoint and differences of runs: through crossings, impacts, slides, many events at one
 * instant, and to a section */
static void three_ways_agree(void **state) {
  static const char *const runs[] = {"projectile",
                                     "ball --duration 3",
                                     "slip",
                                     "hopper --duration 1",
                                     "belt",
                                     "trot --coupling 1",
                                     "plate --contacts 10 --damping 0 --tilt 0.02 --duration 0.9"};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    json_t *const result =
        ESSBENCH_JSON(state, "derivative --model %s --tolerance 1e-10 --check --json", runs[i]);
    const json_t *const check = json_object_get(result, "check");
    if (!json_is_true(json_object_get(check, "agrees"))) fail_msg("%s: they disagree", runs[i]);
    const bool pieces = strcmp(text_of(result, "flow"), "C1") != 0;
    assert_true(pieces == (strncmp(runs[i], "trot", 4) == 0));
    assert_int_equal(json_array_size(json_object_get(check, "ways")), pieces ? 1 : 2);
    json_decref(result);
  }
  char path[PATH_SIZE], said[2 * COMMAND_SIZE];
  essbench(state, "derivative --model projectile --check");
  read_text(path_in(state, "out", path), said, sizeof said);
  assert_non_null(strstr(said, "verdict: tangents and adjoint and differences agree"));
  // states of a map's that are 300 times as large as the others have no part in its derivative
  essbench(state, "derivative --model rhex --duration 0.2 --check");
  read_text(path_in(state, "out", path), said, sizeof said);
  // it accepts no start beside its own: what was compared is said, and no more
  assert_non_null(
      strstr(said, "differences are not compared: the model accepts no initial state beside"));
  assert_non_null(
      strstr(said, "verdict: tangents and adjoint agree; they are not compared with differences"));
}

/* how far the adjoint of all outcomes by all inputs is from tangents, in parts of what they change
 * by
 */
static void adjoint_is_tangents(const char *name, const char *option, const char *value,
                                double within) {
  char message[SOLVER_MESSAGE_SIZE];
  model m;
  model_init(&m, model_find(name));
  if (option) assert_int_equal(model_set_text(&m, option, value, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-12;
  if (m.type->slides) options.sliding = ESS_SLIDING_SLIDE;
  const size_t rows = gradient_outcomes(&m), all = rows * (gradient_inputs(&m) + 1);
  double *const room = calloc(2 * all, sizeof *room), x0[MODEL_DIMENSION_MAX];
  gradient forward = {.value = room, .by = room + rows};
  gradient adjoint = {.value = room + all, .by = room + all + rows};
  assert_non_null(room);
  m.type->initial_state(&m, x0);
  if (gradient_find(&m, &options, x0, GRADIENT_FORWARD, &forward, message) ||
      gradient_find(&m, &options, x0, GRADIENT_ADJOINT, &adjoint, message))
    fail_msg("%s: %s", name, message);
  const gradient_gap gap = gradient_apart(&m, &options, x0, &forward, &adjoint);
  print_message("%-20s %.1e\n", name, gap.off);
  if (!(gap.off <= within))
    fail_msg("%s: %s by %s is off by %.2g", name, gradient_outcome_name(&m, gap.outcome),
             gradient_input_name(&m, gap.input), gap.off);
  free(room);
  model_release(&m);
}

/* a part of the models, which other tests share at the same time */
typedef struct part {
  size_t number, count;
} part;

/* To 1e-10, every model from its own start. It is more where only one of tangents and adjoint parts
 * a step of a mechanism, whose field is differenced with its forces of hundreds of newtons: there
 * they look at it in different places. */
static void an_adjoint_is_tangents_on_every_model(void **state) {
  static const struct {
    const char *name, *option, *value;
    double within;
  } more[] = {{"trot", "tilt", "0.02", 1e-10},
              {"trot", "coupling", "1", 1e-10},
              {"trot-on-springs", "tilt", "0.02", 1e-10},
              {"plate", "field", "aggregated", 1e-10},
              {"plate", "law", "paper", 1e-10},
              {"rhex", "scenario", "vertical", 1e-10},
              {"rhex", "scenario", "ledge", 2e-9}};
  const part *const of = *state;
  size_t at = 0;
  for (size_t i = 0; model_types[i]; i++) {
    const char *const name = model_types[i]->name;
    const bool is_long = strcmp(name, "legged") == 0, is_strong = strcmp(name, "rhex") == 0;
    const double within = is_strong ? 2e-9 : strcmp(name, "hill") == 0 ? 2e-10 : 1e-10;
    // legged by itself: it takes as long as all others
    if (is_long ? of->number == 0 : of->number && at++ % (of->count - 1) + 1 == of->number)
      adjoint_is_tangents(name, is_long ? "duration" : NULL, "0.3", within);
  }
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    if (of->number && at++ % (of->count - 1) + 1 == of->number)
      adjoint_is_tangents(more[i].name, more[i].option, more[i].value, more[i].within);
}

static int half(double t, const double x[], const double sign[], double Fp[], void *params) {
  const double *const p = params;
  (void)t, (void)sign, (void)p;
  for (size_t i = 0; i < 6; i++) Fp[i] = 0.0;
  Fp[2] = 0.5 * tan(x[2]) / x[1];
  return 0;
}

/* a derivative that is wrong is wrong in tangents and adjoint alike: differences tell */
static void a_wrong_derivative_is_told(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  model m;
  double x0[N_MAX];
  model_init(&m, model_find("projectile"));
  assert_int_equal(model_prepare(&m, message), 0);
  m.type->initial_state(&m, x0);
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-10;
  for (int wrong = 0; wrong < 2; wrong++) {
    if (wrong) m.system.parameters.field_jacobian = half;
    gradient_check check;
    assert_int_equal(gradient_check_all(&m, &options, x0, FLOW_C1, &check, message), 0);
    assert_true(gradient_check_agrees(&check) == !wrong);
    assert_true(check.gap[GRADIENT_ADJOINT].off <= 1e-10);
    if (wrong) assert_true(check.gap[GRADIENT_DIFFERENCES].off > 1e-2);
    gradient_check_free(&check);
  }
  model_release(&m);
}

static void the_table_says_the_same(void **state) {
  char path[PATH_SIZE], said[2 * COMMAND_SIZE];
  essbench(state, "derivative --model ball");
  read_text(path_in(state, "out", path), said, sizeof said);
  assert_non_null(strstr(
      said, "derivative with respect to the initial state (C1: the same for every direction)"));
  assert_non_null(strstr(said, "1.3865022     0.18725745"));
  assert_non_null(strstr(said, "3.9865022              1"));
  essbench(state, "derivative --model trot --limbs rigid");
  read_text(path_in(state, "out", path), said, sizeof said);
  assert_non_null(
      strstr(said, "trot: the flow is discontinuous: at t = 0.233216763 s events 0, 1"));
}

/* without arguments all but the adjoint of every model: that of so many parts, each by its number
 */
int main(int argc, char **argv) {
  if (argc == 3) {
    part of = {strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10)};
    const struct CMUnitTest models[] = {
        cmocka_unit_test_prestate(an_adjoint_is_tangents_on_every_model, &of)};
    return cmocka_run_group_tests(models, NULL, NULL);
  }
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
      TEST(past_an_accumulation_the_start_is_forgotten),
      TEST(is_what_differences_of_the_reference_are),
      TEST(decoupled_limbs_have_a_derivative),
      TEST(coupled_limbs_have_two),
      TEST(rigid_limbs_have_none_where_the_rear_foot_lifts_off),
      TEST(a_foot_stays_where_the_other_lands_beside_it),
      TEST(a_jacobian_saves_the_field),
      TEST(a_projectile_lands_by_its_parameters),
      TEST(three_ways_agree),
      TEST(a_wrong_derivative_is_told),
      TEST(the_table_says_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
