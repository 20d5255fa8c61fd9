/*
 * Without damping MuJoCo's trajectories converge to the models' own solutions as its step shrinks.
 * (With damping the force jumps at touch-down and convergence is erratic.)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "bridge_fixture.h"

enum { SAMPLES = 1001 };
static const double dt = 0.002;

/* largest difference of any component at any sample */
static double error_of(const model *m, const model_reference *exact, const char *integrator,
                       int substeps) {
  solver_output output = fixture_output(m, SAMPLES, dt);
  solver_settings settings = fixture_settings();
  solver_report report;
  settings.time_step = dt / substeps;
  settings.variant = integrator;
  void *b = fixture_instance(m, &settings, &output);
  fixture_run(b, exact->states, &output, &report);
  double largest = 0;
  for (size_t i = 0; i < SAMPLES * m->system.dimension; ++i)
    largest = fmax(largest, fabs(output.states[i] - exact->states[i]));
  bridge_solver.release(b);
  fixture_free(&output);
  return largest;
}

/* errors at steps of 2 ms, 0.25 ms and 1/32 ms */
static void converges_to(model m, const char *integrator, double bound) {
  solver_output grid = fixture_output(&m, SAMPLES, dt);
  model_reference exact = {.times = grid.times, .count = SAMPLES, .states = grid.states};
  char message[MODEL_MESSAGE_SIZE];
  double x0[MODEL_DIMENSION_MAX], error[3];
  m.type->initial_state(&m, x0);
  if (m.type->reference(&m, x0, &exact, message)) fail_msg("%s", message);
  for (int i = 0, substeps = 1; i < 3; ++i, substeps *= 8)
    error[i] = error_of(&m, &exact, integrator, substeps);
  print_message("%s, N = %g, %s: %.2e %.2e %.2e\n", m.type->name, model_get(&m, "contacts"),
                integrator, error[0], error[1], error[2]);
  assert_true(error[1] < error[0]);
  assert_true(error[2] < error[1]);
  assert_true(error[2] < bound);
  fixture_free(&grid);
  model_release(&m);
}

static void converges(size_t contacts, const char *integrator, double bound) {
  converges_to(fixture_model(contacts, 0), integrator, bound);
}

static void test_rk4(void **state) {
  (void)state;
  converges(0, "RK4", 1e-4);
  converges(2, "RK4", 1e-4);
  converges(10, "RK4", 1e-4);
}

static void test_euler(void **state) {
  (void)state;
  converges(0, "Euler", 1e-2);
  converges(10, "Euler", 1e-2);
}

static void test_robots(void **state) {
  (void)state;
  static const size_t legs[] = {2, 6};
  for (size_t i = 0; i < 4; ++i) {
    model m;
    model_init(&m, model_find("legged"));
    fixture_set(&m, "contacts", (double)legs[i / 2]);
    fixture_prepare(&m);
    converges_to(m, i % 2 ? "implicitfast" : "Euler", 1e-2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rk4), cmocka_unit_test(test_euler),
                                     cmocka_unit_test(test_robots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
