/*
 * Models that slide: libess agrees with their reference, which shares nothing with it, at any
 * tolerance and from any start, and both with what is known of the belt.
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

#include "slides.h"

enum { STATES = 16 };

static const model_type *const types[] = {&belt_type, &relay_type, &blocks_type};
enum { TYPES = sizeof types / sizeof *types };

static void by_reference(const model *m, const double x0[], double t, double x[]) {
  char message[MODEL_MESSAGE_SIZE];
  model_reference out = {.times = &t, .count = 1, .states = x};
  if (m->type->reference(m, x0, &out, message)) fail_msg("%s", message);
}

static void by_libess(const model *m, const double x0[], double tolerance, double until,
                      double x[]) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.sliding = ESS_SLIDING_SLIDE;
  ess_driver *const d = ess_driver_alloc(&m->system, &options, NULL);
  double t = 0.0;
  memcpy(x, x0, m->system.dimension * sizeof *x);
  const int status = ess_driver_apply(d, &t, until, x);
  if (status) fail_msg("%s: %s at %.9g", m->type->name, ess_strerror(status), t);
  ess_driver_free(d);
}

static double distance(const model *m, const double a[], const double b[]) {
  double most = 0.0;
  for (size_t i = 0; i < m->system.dimension; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static model make(const model_type *type) {
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, type);
  if (model_prepare(&m, message)) fail_msg("%s", message);
  return m;
}

static void both_agree(void **state) {
  (void)state;
  const double until[TYPES] = {20.0, 4.0, 12.0};
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int i = 0; i < TYPES; i++) {
    model m = make(types[i]);
    for (int start = 0; start < 3; start++) {
      double x0[STATES], known[STATES], x[STATES];
      m.type->random_state(&m, rng, x0);
      by_reference(&m, x0, until[i], known);
      for (int digits = 4; digits <= 10; digits += 2) {
        const double tolerance = pow(10.0, -digits);
        by_libess(&m, x0, tolerance, until[i], x);
        const double off = distance(&m, x, known);
        if (!(off <= 100.0 * tolerance + 2e-8)) // the reference has an error, too
          fail_msg("%s, start %d, 1e-%d: off by %g", m.type->name, start, digits, off);
      }
    }
    model_release(&m);
  }
  gsl_rng_free(rng);
}

static void a_chain_of_any_length(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  for (int count = 1; count <= 8; count++) {
    model m;
    double x0[STATES], known[STATES], x[STATES];
    model_init(&m, &blocks_type);
    assert_int_equal(model_set(&m, "blocks", count, message), 0);
    assert_int_equal(model_prepare(&m, message), 0);
    assert_int_equal(m.system.dimension, 2 * count);
    m.type->initial_state(&m, x0);
    by_reference(&m, x0, 6.0, known);
    by_libess(&m, x0, 1e-9, 6.0, x);
    if (!(distance(&m, x, known) < 1e-7))
      fail_msg("%d blocks: off by %g", count, distance(&m, x, known));
    model_release(&m);
  }
}

/* it sticks from x = 0.264941105407 to 1, and comes back after a period */
static void the_belt_is_as_known(void **state) {
  (void)state;
  model m = make(&belt_type);
  double x0[STATES], x[STATES], later[STATES];
  m.type->initial_state(&m, x0);
  by_reference(&m, x0, 7.266719402578, x);
  assert_true(fabs(x[0] - 0.264941105407) < 1e-9 && fabs(x[1] - 0.5) < 1e-9);
  by_reference(&m, x0, 3.0, x);
  by_reference(&m, x0, 3.0 + 6.736837191765, later);
  assert_true(distance(&m, x, later) < 1e-9);
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_agree),
      cmocka_unit_test(a_chain_of_any_length),
      cmocka_unit_test(the_belt_is_as_known),
  };
  return cmocka_run_group_tests_name("slides", tests, NULL, NULL);
}
