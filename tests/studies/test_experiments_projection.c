/*
 * The projection on the plate against the reference, with the settings of `essbench run --solver
 * projection --epsilon X --rtol 1e-10`: how far off it ends, and how its error falls with epsilon.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"
#include "plate.h"
#include "solvers.h"
#include "trajectory.h"

enum { N = 6, EPSILONS = 3 };

/* what one run of the projection is off */
typedef struct offset {
  double rms;
  double end; /* the largest in any component at the end */
  double events;
} offset;

static model prepared(double contacts, int law, double damping) {
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &plate_type);
  assert_int_equal(model_set(&m, "contacts", contacts, message), 0);
  assert_int_equal(model_set(&m, "law", law, message), 0);
  assert_int_equal(model_set(&m, "damping", damping, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

static offset measure_with(const model *m, const double x0[], const solver_settings *settings,
                           const trajectory *exact) {
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report;
  trajectory t;
  void *instance;
  assert_int_equal(trajectory_alloc(&t, m, message), 0);
  const solver_output output = trajectory_output(&t);
  assert_int_equal(projection_solver.prepare(m, settings, &output, &instance, message), 0);
  if (projection_solver.run(instance, x0, &output, &report)) fail_msg("%s", report.message);
  offset o = {.rms = trajectory_rms(&t, exact), .events = (double)report.events};
  for (size_t i = (t.count - 1) * N; i < t.count * N; i++)
    o.end = fmax(o.end, fabs(t.states[i] - exact->states[i]));
  projection_solver.release(instance);
  trajectory_free(&t);
  return o;
}

static offset measure(const model *m, const double x0[], double epsilon, const trajectory *exact) {
  solver_settings settings = solver_settings_default();
  settings.epsilon = epsilon;
  settings.rtol = 1e-10;
  return measure_with(m, x0, &settings, exact);
}

/* a tenth of epsilon is a hundredth of the error, once crossings are further apart than epsilon */
static void check_start(const model *m, double height, double tilt) {
  static const double epsilons[EPSILONS] = {1e-3, 1e-4, 1e-5}, falls[EPSILONS] = {1, 10, 50};
  const double x0[N] = {0, height, tilt};
  char message[SOLVER_MESSAGE_SIZE];
  trajectory exact;
  size_t events;
  double before = INFINITY;
  assert_int_equal(trajectory_alloc(&exact, m, message), 0);
  if (trajectory_reference(&exact, m, x0, &events, NULL, message)) fail_msg("%s", message);
  for (size_t i = 0; i < EPSILONS; i++) {
    const offset o = measure(m, x0, epsilons[i], &exact);
    const double off = fabs(o.events - (double)events) / (double)events;
    if (!(o.rms > 0.0 && o.rms < before / falls[i]) || (i == 1 && o.end > 1e-3) || off > 0.01)
      fail_msg("height %g, epsilon %g: RMS %g after %g, %g off at the end, %g of %zu crossings",
               height, epsilons[i], o.rms, before, o.end, o.events, events);
    before = o.rms;
  }
  trajectory_free(&exact);
}

/* N x law x damping x two starts */
static void the_error_falls_with_the_square_of_epsilon(void **state) {
  (void)state;
  static const double contacts[] = {2, 10, 37, 100}, damping[] = {60, 0};
  for (size_t i = 0; i < 16; i++) {
    model m = prepared(contacts[i / 4], (int)(i & 1), damping[(i >> 1) & 1]);
    check_start(&m, 2.5, 0.05);
    check_start(&m, 2.3, 0.02);
    model_release(&m);
  }
}

/* a low and tilted start: long flights in which the plate turns, and contacts that recede from a
 * guard and come back within one integration step */
static void steps_as_long_as_a_flight_miss_nothing(void **state) {
  (void)state;
  static const double contacts[] = {2, 10, 37};
  for (size_t i = 0; i < 12; i++) {
    model m = prepared(contacts[i / 4], (int)(i & 1), i & 2 ? 60 : 0);
    check_start(&m, 2.1, -0.09);
    model_release(&m);
  }
}

/* no epsilon is too small: below rounding, guards are located and crossed where they are */
static void a_neighbourhood_thinner_than_rounding(void **state) {
  (void)state;
  static const double epsilons[] = {1e-14, 1e-16, 1e-20, 1e-300};
  const double x0[N] = {0, 2.1, -0.09};
  char message[SOLVER_MESSAGE_SIZE];
  model m = prepared(37, PLATE_PAPER, 60);
  trajectory exact;
  size_t events;
  assert_int_equal(trajectory_alloc(&exact, &m, message), 0);
  assert_int_equal(trajectory_reference(&exact, &m, x0, &events, NULL, message), 0);
  for (size_t i = 0; i < 4; i++) {
    const offset o = measure(&m, x0, epsilons[i], &exact);
    assert_true(o.events == (double)events);
    assert_true(o.rms < 1e-7);
  }
  trajectory_free(&exact);
  model_release(&m);
}

/* the command line does what the functions do, with these settings and options for the same */
static void check_command(void **state, const solver_settings *settings, const char *options) {
  const double x0[N] = {0, 2.3, 0.02};
  char message[SOLVER_MESSAGE_SIZE];
  model m = prepared(10, PLATE_PAPER, 60);
  trajectory exact;
  assert_int_equal(trajectory_alloc(&exact, &m, message), 0);
  assert_int_equal(trajectory_reference(&exact, &m, x0, NULL, NULL, message), 0);
  const offset o = measure_with(&m, x0, settings, &exact);
  json_t *const run = ESSBENCH_JSON(state,
                                    "run --model plate --contacts 10 --law paper --damping 60 "
                                    "--height 2.3 --tilt 0.02 --solver projection %s --json",
                                    options);
  assert_true(number_of(run, "rms_error") == o.rms);
  assert_true(number_of(run, "events") == o.events);
  const json_t *const shown = json_object_get(run, "options");
  assert_true(number_of(shown, "epsilon") == settings->epsilon);
  const solver_settings in_force =
      solver_settings_in_force(&projection_solver, settings, m.type->time_step);
  assert_true(number_of(shown, "projection_max") == in_force.projection_max);
  json_decref(run);
  trajectory_free(&exact);
  model_release(&m);
}

static void the_command_runs_the_same(void **state) {
  solver_settings settings = solver_settings_default();
  settings.epsilon = 1e-4;
  settings.rtol = 1e-10;
  check_command(state, &settings, "--epsilon 1e-4 --rtol 1e-10");
  settings.epsilon = 0.05;
  settings.projection_max = 0.01;
  check_command(state, &settings, "--epsilon 0.05 --rtol 1e-10 --projection-max 0.01");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_error_falls_with_the_square_of_epsilon),
      cmocka_unit_test(steps_as_long_as_a_flight_miss_nothing),
      cmocka_unit_test(a_neighbourhood_thinner_than_rounding),
      cmocka_unit_test_setup_teardown(the_command_runs_the_same, folder_set_up, folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
