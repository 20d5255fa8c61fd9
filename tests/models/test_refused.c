/*
 * What has no derivative, or no future, ends in a status that says so: impacts that accumulate,
 * whose time is differentiable all the same; a ceiling that is grazed; an effort that leaves no
 * mode consistent (Pace & Burden 2017, 5.3, 5.4 and 5.7).
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

#include "ball.h"

static model ball(const char *const settings[][2]) {
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, &ball_type);
  for (; (*settings)[0]; settings++)
    assert_int_equal(model_set_text(&m, (*settings)[0], (*settings)[1], message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

/* how a run of 10 s ends, and when */
static int ends(const ess_system *system, double x[], double tolerance, ess_failure *failure) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  int status;
  double t = 0.0;
  ess_driver *const driver = ess_driver_alloc(system, &options, &status);
  assert_non_null(driver);
  status = ess_driver_apply(driver, &t, 10.0, x);
  *failure = *ess_driver_failure(driver);
  ess_driver_free(driver);
  return status;
}

static double zeno_time(const model *m, double height) {
  double x[2] = {height, 0.0};
  ess_failure failure;
  assert_int_equal(ends(&m->system, x, 1e-12, &failure), ESS_EZENO);
  return failure.time;
}

/* of a ball from height h it is (1 + e)/(1 - e) sqrt(2 h/g) */
static void the_time_of_accumulation_is_differentiable(void **state) {
  (void)state;
  static const double step = 1e-4;
  model m = ball((const char *const[][2]){{"restitution", "0.8"}, {NULL, NULL}});
  assert_true(fabs(zeno_time(&m, 1.0) - 4.0637128) < 5e-8);
  const double derivative = (zeno_time(&m, 1.0 + step) - zeno_time(&m, 1.0 - step)) / (2.0 * step);
  assert_true(fabs(derivative - 2.0318564) < 1e-6);
  model_release(&m);
}

static void a_grazed_ceiling_is_refused(void **state) {
  (void)state;
  model m = ball((const char *const[][2]){{"surface", "ceiling"}, {"height", "-1"}, {NULL, NULL}});
  const double grazing = sqrt(2.0 * 9.81);
  double x[2] = {-1.0, grazing};
  ess_failure failure;
  assert_int_equal(ends(&m.system, x, 1e-10, &failure), ESS_EGRAZING);
  assert_true(fabs(failure.time - grazing / 9.81) < 1e-4);

  // a little slower misses it, a little faster meets it
  for (int faster = 0; faster < 2; faster++) {
    double y[2] = {-1.0, grazing + (faster ? 0.01 : -0.01)};
    assert_int_equal(ends(&m.system, y, 1e-10, &failure), ESS_SUCCESS);
  }
  model_release(&m);
}

/* ---- an effort that depends on the contact ----------------------------------------------------
 */

enum { Q1, Q2, V1, V2, N };
enum { NO_MODE = 57 };

/* the plane over q1 = 0: free it is pushed towards it, in contact away from it */
static int effort(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)params;
  const double side = sign[0] > 0.0 ? 1.0 : -1.0;
  dxdt[Q1] = x[V1];
  dxdt[Q2] = x[V2];
  dxdt[V1] = side;
  dxdt[V2] = -side;
  return 0;
}

static int above(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  h[0] = -x[Q1];
  return 0;
}

static int above_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  (void)vt, (void)which, (void)count;
  rate[0] = -v[Q1];
  return above(t, x, h, params);
}

/* plastic; then the contact, whose force would have to pull, and freedom, which leads back to it,
 * are looked at */
static int find_mode(ess_impact *impact, void *params) {
  (void)params;
  impact->after[V1] = 0.0;
  for (int contact = 1; contact >= 0; contact--) {
    double f[N];
    impact->mode[0] = contact ? 1.0 : -1.0;
    effort(impact->t, impact->after, impact->mode, f, NULL);
    const bool consistent = contact ? f[V1] <= 0.0 : f[V1] >= 0.0;
    if (consistent) return 0;
  }
  return NO_MODE;
}

static void an_effort_without_a_consistent_mode_is_refused(void **state) {
  (void)state;
  static const ess_impacts impacts = {.map = find_mode};
  const ess_system system = {.dimension = N,
                             .event_count = 1,
                             .field = effort,
                             .event_functions = above,
                             .event_rates = above_rates,
                             .impacts = &impacts};
  double x[N] = {0.5, 0.0, 0.0, 0.0};
  ess_failure failure;
  assert_int_equal(ends(&system, x, 1e-10, &failure), ESS_ECALLBACK);
  assert_int_equal(failure.callback_code, NO_MODE);

  // it touches down after a second, and the state is that before
  assert_true(fabs(failure.time - 1.0) < 1e-8);
  assert_true(fabs(x[Q1]) < 1e-8 && fabs(x[V1] + 1.0) < 1e-8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_time_of_accumulation_is_differentiable),
      cmocka_unit_test(a_grazed_ceiling_is_refused),
      cmocka_unit_test(an_effort_without_a_consistent_mode_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
