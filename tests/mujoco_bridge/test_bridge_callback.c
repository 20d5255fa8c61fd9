/*
 * MuJoCo with the contact force as a callback: the same system and the same trajectory as by
 * contacts; the callback is the process's own again after each run, whatever became of it; models
 * that have no such force are refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <mujoco/mujoco.h>

#include "bridge_fixture.h"

enum { SAMPLES = 1001, STATES = 500 };
static const double dt = 0.002;

static void *prepare(const solver_type *solver, const model *m, const char *integrator,
                     double time_step, const solver_output *output) {
  char message[SOLVER_MESSAGE_SIZE];
  solver_settings settings = fixture_settings();
  void *instance;
  settings.variant = integrator;
  settings.time_step = time_step;
  if (solver->prepare(m, &settings, output, &instance, message)) fail_msg("%s", message);
  return instance;
}

static void run(void *instance, const model *m, const solver_output *output) {
  solver_report report;
  double x0[MODEL_DIMENSION_MAX];
  m->type->initial_state(m, x0);
  if (bridge_callback_solver.run(instance, x0, output, &report)) fail_msg("%s", report.message);
}

/* once, by one of the two */
static void follow(const solver_type *solver, const model *m, const char *integrator,
                   double time_step, const solver_output *output) {
  void *const instance = prepare(solver, m, integrator, time_step, output);
  run(instance, m, output);
  solver->release(instance);
}

static double apart(const model *m, const solver_output *a, const solver_output *b) {
  double largest = 0.0;
  for (size_t i = 0; i < a->count * m->system.dimension; ++i)
    largest = fmax(largest, fabs(a->states[i] - b->states[i]));
  return largest;
}

/* at whatever integrator and step */
static void test_trajectory_is_that_by_contacts(void **state) {
  (void)state;
  static const struct {
    size_t contacts;
    double damping;
    const char *integrator;
    double time_step;
  } rows[] = {{0, 0, "Euler", 0.0},        {2, 60, "Euler", 0.0},   {10, 60, "Euler", 0.0},
              {100, 60, "Euler", 0.0},     {100, 0, "Euler", 0.0},  {10, 60, "implicitfast", 0.0},
              {10, 60, "implicit", 0.001}, {10, 60, "RK4", 0.0005}, {0, 0, "RK4", 0.006},
              {100, 60, "RK4", 0.012}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    model m = fixture_model(rows[i].contacts, rows[i].damping);
    solver_output a = fixture_output(&m, SAMPLES, dt), b = fixture_output(&m, SAMPLES, dt);
    follow(&bridge_solver, &m, rows[i].integrator, rows[i].time_step, &a);
    follow(&bridge_callback_solver, &m, rows[i].integrator, rows[i].time_step, &b);
    const double largest = apart(&m, &a, &b);
    if (!(largest <= 1e-6)) fail_msg("row %zu: trajectories differ by %g", i, largest);
    fixture_free(&a);
    fixture_free(&b);
    model_release(&m);
  }
}

/* what is left is rounding; the law that contacts have no twin of is done, too */
static void test_field_is_the_models(void **state) {
  (void)state;
  static const struct {
    const char *model, *parameter;
    double value;
  } rows[] = {{"hopper", "mass", 2},
              {"plate", "contacts", 2},
              {"plate", "contacts", 100},
              {"plate", "damping", 0},
              {"plate", "law", 1},
              {"plate", "field", 1},
              {"trot-on-springs", "mass", 5},
              {"block-on-springs", "friction", 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    const solver_settings settings = fixture_settings();
    char message[SOLVER_MESSAGE_SIZE];
    bridge_gap gap;
    model m;
    model_init(&m, model_find(rows[i].model));
    fixture_set(&m, rows[i].parameter, rows[i].value);
    fixture_prepare(&m);
    if (bridge_field_gap(&bridge_callback_solver, &m, &settings, STATES, 1, &gap, message))
      fail_msg("%s", message);
    if (!(gap.gap < 1e-13)) fail_msg("%s: the gap is %g", rows[i].model, gap.gap);
    if (!(gap.touching > 5 && gap.rms > 1.0))
      fail_msg("%s: %zu states touch, and the RMS is %g", rows[i].model, gap.touching, gap.rms);
    assert_true(isnan(gap.scaling) && isnan(gap.inverse_weight));
    model_release(&m);
  }
}

static double error_of(const model *m, const solver_output *at, const double reference[]) {
  double sum = 0.0;
  const size_t size = at->count * m->system.dimension;
  for (size_t i = 0; i < size; ++i) sum += pow(at->states[i] - reference[i], 2);
  return sqrt(sum / (double)size);
}

static void test_converges_to_the_reference(void **state) {
  (void)state;
  model m = fixture_model(10, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt), exact = fixture_output(&m, SAMPLES, dt);
  model_reference reference = {.times = exact.times, .count = SAMPLES, .states = exact.states};
  char message[MODEL_MESSAGE_SIZE];
  double x0[6];
  m.type->initial_state(&m, x0);
  if (m.type->reference(&m, x0, &reference, message)) fail_msg("%s", message);
  follow(&bridge_callback_solver, &m, "Euler", dt, &output);
  const double coarse = error_of(&m, &output, exact.states);
  follow(&bridge_callback_solver, &m, "Euler", dt / 16, &output);
  const double fine = error_of(&m, &output, exact.states);
  follow(&bridge_callback_solver, &m, "RK4", dt / 16, &output);
  const double finest = error_of(&m, &output, exact.states);
  if (!(fine < coarse / 8 && fine > coarse / 32 && finest < fine / 4 && finest < 1e-4))
    fail_msg("errors %g, %g, %g", coarse, fine, finest);
  fixture_free(&output);
  fixture_free(&exact);
  model_release(&m);
}

/* one of each in turns, of two systems, and one by contacts between them */
static void test_instances_in_turns(void **state) {
  (void)state;
  model two = fixture_model(2, 60), ten = fixture_model(10, 60);
  solver_output a = fixture_output(&two, SAMPLES, dt), b = fixture_output(&ten, SAMPLES, dt);
  solver_output again = fixture_output(&two, SAMPLES, dt), same = fixture_output(&ten, SAMPLES, dt);
  follow(&bridge_callback_solver, &two, "Euler", 0.0, &a);
  follow(&bridge_callback_solver, &ten, "Euler", 0.0, &b);
  void *const first = prepare(&bridge_callback_solver, &two, "Euler", 0.0, &a);
  void *const second = prepare(&bridge_callback_solver, &ten, "Euler", 0.0, &b);
  void *const between = prepare(&bridge_solver, &ten, "Euler", 0.0, &b);
  for (int i = 0; i < 3; ++i) {
    run(first, &two, &again);
    run(between, &ten, &same);
    run(second, &ten, &same);
    assert_memory_equal(again.states, a.states, SAMPLES * 6 * sizeof *a.states);
    assert_memory_equal(same.states, b.states, SAMPLES * 6 * sizeof *b.states);
  }
  bridge_callback_solver.release(first);
  bridge_callback_solver.release(second);
  bridge_solver.release(between);
  fixture_free(&a);
  fixture_free(&b);
  fixture_free(&again);
  fixture_free(&same);
  model_release(&two);
  model_release(&ten);
}

static void callers(const mjModel *m, mjData *d) {
  (void)m;
  d->qfrc_passive[0] += 1e6;
}

static int fails(const model *m, const double x[], double force[]) {
  (void)m, (void)x, (void)force;
  return 1;
}

/* a run has the callback to itself, and gives it back; also where its own fails */
static void test_callback_is_given_back(void **state) {
  (void)state;
  model m = fixture_model(0, 0);
  solver_output output = fixture_output(&m, SAMPLES, dt), alone = fixture_output(&m, SAMPLES, dt);
  follow(&bridge_callback_solver, &m, "Euler", 0.0, &alone);
  assert_null(mjcb_passive);
  mjcb_passive = callers;
  void *const b = prepare(&bridge_callback_solver, &m, "Euler", 0.0, &output);
  run(b, &m, &output);
  assert_ptr_equal(mjcb_passive, callers);
  assert_memory_equal(output.states, alone.states, SAMPLES * 2 * sizeof *output.states);

  const model_type *const type = m.type;
  model_type broken = *type;
  const double x0[] = {2, 0};
  solver_report report;
  broken.contact_force = fails;
  m.type = &broken;
  assert_int_equal(bridge_callback_solver.run(b, x0, &output, &report), -1);
  fixture_expect_line(report.message, "the contact force of hopper failed");
  assert_ptr_equal(mjcb_passive, callers);
  m.type = type;
  run(b, &m, &output);
  assert_memory_equal(output.states, alone.states, SAMPLES * 2 * sizeof *output.states);
  mjcb_passive = NULL;
  bridge_callback_solver.release(b);
  fixture_free(&output);
  fixture_free(&alone);
  model_release(&m);
}

/* as by contacts */
static void test_crossings_are_counted(void **state) {
  (void)state;
  model m = fixture_model(10, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  solver_report a, b;
  void *one = prepare(&bridge_solver, &m, "Euler", 0.0, &output);
  run(one, &m, &output);
  assert_int_equal(bridge_solver.inspect(one, &output, &a), 0);
  bridge_solver.release(one);
  one = prepare(&bridge_callback_solver, &m, "Euler", 0.0, &output);
  run(one, &m, &output);
  assert_int_equal(bridge_callback_solver.inspect(one, &output, &b), 0);
  bridge_callback_solver.release(one);
  assert_true(a.events > 20);
  assert_int_equal(a.events, b.events);
  fixture_free(&output);
  model_release(&m);
}

static void test_refusals(void **state) {
  (void)state;
  static const struct {
    const char *model, *integrator, *words;
    double time_step;
  } rows[] = {{"affine3", NULL,
               "mujoco-callback: affine3 has no contact force that a callback could add", 0},
              {"legged", NULL, "mujoco-callback: legged has no contact force", 0},
              {"rocking-block", NULL, "mujoco-callback: rocking-block has no contact force", 0},
              {"slip", NULL, "mujoco-callback: slip has no contact force", 0},
              {"block-on-springs", NULL, "corners of block-on-springs stick", 0},
              {"hopper", "leapfrog", "mujoco-callback: MuJoCo", 0},
              {"hopper", NULL, "mujoco-callback: step 0.0015 s is not accepted", 0.0015}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    const solver_output output = {.dt = dt};
    solver_settings settings = fixture_settings();
    char message[SOLVER_MESSAGE_SIZE] = "";
    void *instance = &message;
    model m;
    settings.variant = rows[i].integrator;
    settings.time_step = rows[i].time_step;
    model_init(&m, model_find(rows[i].model));
    fixture_prepare(&m);
    assert_int_equal(bridge_callback_solver.prepare(&m, &settings, &output, &instance, message),
                     SOLVER_REFUSED);
    assert_null(instance);
    fixture_expect_line(message, rows[i].words);
    model_release(&m);
  }
}

/* contacts of MuJoCo's own have what no force of the model says; and a scene of the caller's has to
 * have room for whose it is */
static void test_scenes_that_a_callback_cannot_have(void **state) {
  (void)state;
  const solver_output output = {.dt = dt};
  const solver_settings settings = fixture_settings();
  model m = fixture_model(0, 0);
  char message[SOLVER_MESSAGE_SIZE], *text;
  mjcf_options scene = mjcf_options_default();
  void *b;
  assert_int_equal(mjcf_write(&m, &scene, &text, NULL, message), 0);
  scene.by_callback = true;
  assert_int_equal(bridge_prepare(&m, &settings, &output, &scene, text, &b, message),
                   SOLVER_FAILED);
  fixture_expect_line(message, "no user data");
  free(text);
  scene.time_constant = 0.02;
  assert_int_equal(bridge_prepare(&m, &settings, &output, &scene, NULL, &b, message),
                   SOLVER_FAILED);
  fixture_expect_line(message, "a time_constant is of contacts");
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trajectory_is_that_by_contacts),
      cmocka_unit_test(test_field_is_the_models),
      cmocka_unit_test(test_converges_to_the_reference),
      cmocka_unit_test(test_instances_in_turns),
      cmocka_unit_test(test_callback_is_given_back),
      cmocka_unit_test(test_crossings_are_counted),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_scenes_that_a_callback_cannot_have),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
