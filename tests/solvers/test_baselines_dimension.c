/*
 * A model of many states: every solver does it or refuses it in one line, and one of more than
 * there is room for is refused for all of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "solvers.h"

enum { SAMPLES = 11 };

/* x_i falls from 1 at the rate 1 + i / 10, and slower by half from x_0 = 1/2 on */
static double rate_of(size_t i) {
  return 1.0 + 0.1 * (double)i;
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  const size_t n = *(const size_t *)params;
  for (size_t i = 0; i < n; i++) dxdt[i] = -(sign[0] > 0.0 ? 0.5 : 1.0) * rate_of(i) * x[i];
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  h[0] = 0.5 - x[0];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)x;
  memset(Dh, 0, *(const size_t *)params * sizeof *Dh);
  Dh[0] = -1.0;
  return 0;
}

static size_t dimension;

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  (void)message;
  m->system = (ess_system){.dimension = dimension,
                           .event_count = 1,
                           .field = field,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .params = &dimension};
  m->data = &dimension;
  return 0;
}

static void release(model *m) {
  (void)m;
}

static int reference(const model *m, const double x0[], model_reference *out, char *message) {
  (void)x0, (void)message;
  const size_t n = m->system.dimension;
  for (size_t k = 0; k < out->count; k++) {
    const double t = out->times[k], crossing = log(2.0);
    for (size_t i = 0; i < n; i++)
      out->states[k * n + i] =
          exp(-rate_of(i) * (fmin(t, crossing) + 0.5 * fmax(0.0, t - crossing)));
  }
  out->events = 1;
  return 0;
}

static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return true;
}

static const model_type many = {.name = "many",
                                .time_step = 0.1,
                                .prepare = prepare,
                                .release = release,
                                .reference = reference,
                                .changes_field = changes_field};

/* by a solver from all ones over a second: the largest error, or NaN and why it was refused */
static double worst_error(const solver_type *solver, char message[SOLVER_MESSAGE_SIZE]) {
  static double times[SAMPLES], x0[MODEL_DIMENSION_MAX];
  static double states[SAMPLES * MODEL_DIMENSION_MAX], exact[SAMPLES * MODEL_DIMENSION_MAX];
  model m;
  void *instance;
  model_init(&m, &many);
  assert_int_equal(model_prepare(&m, message), 0);
  for (size_t i = 0; i < SAMPLES; i++) times[i] = 0.1 * (double)i;
  for (size_t i = 0; i < dimension; i++) x0[i] = 1.0;
  solver_settings settings = solver_settings_default();
  settings.time_step = 1e-3;
  settings.epsilon = 1e-7;
  const solver_output output = {.times = times, .dt = 0.1, .count = SAMPLES, .states = states};
  double worst = NAN;
  const int refused = solver->prepare(&m, &settings, &output, &instance, message);
  if (refused) {
    assert_int_equal(refused, SOLVER_REFUSED);
  } else {
    solver_report report = {0};
    model_reference truth = {.times = times, .count = SAMPLES, .states = exact};
    if (solver->run(instance, x0, &output, &report)) fail_msg("%s", report.message);
    if (solver->inspect) assert_int_equal(solver->inspect(instance, &output, &report), 0);
    solver->release(instance);
    assert_int_equal(report.events, 1);
    reference(&m, x0, &truth, message);
    worst = 0.0;
    for (size_t i = 0; i < SAMPLES * dimension; i++)
      worst = fmax(worst, fabs(states[i] - exact[i]));
  }
  model_release(&m);
  return worst;
}

static void every_solver_does_or_refuses_many_states(void **state) {
  (void)state;
  dimension = 40;
  size_t done = 0;
  for (size_t i = 0; solver_types[i].type; i++) {
    const char *const name = solver_types[i].type->name;
    char message[SOLVER_MESSAGE_SIZE] = "";
    const double worst = worst_error(solver_types[i].type, message);
    if (isnan(worst)) {
      assert_true(*message && !strchr(message, '\n'));
      if (strcmp(name, "location") == 0 || strcmp(name, "listing") == 0)
        assert_non_null(strstr(message, "40 states are not accepted; it takes up to 8"));
      continue;
    }
    done++;
    const bool fixed_step = strcmp(name, "hybrid") == 0 || strcmp(name, "plain-euler") == 0;
    if (worst > (fixed_step ? 3e-3 : 1e-5)) fail_msg("%s: %g", name, worst);
  }
  // libess by both methods and by two more bases, the reference, cvode, gsl, hybrid, and the seven
  // event-unaware ones
  assert_int_equal(done, 15);
}

static void more_than_there_is_room_for_is_refused(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  model m;
  dimension = MODEL_DIMENSION_MAX + 1;
  model_init(&m, &many);
  assert_int_equal(model_prepare(&m, message), MODEL_REFUSED);
  assert_string_equal(message, "many has 513 states; up to 512 are accepted");
  assert_null(m.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver_does_or_refuses_many_states),
      cmocka_unit_test(more_than_there_is_room_for_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
