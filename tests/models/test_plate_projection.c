/*
 * libess on random plates with steps as long as it likes: no crossing lost, none invented, and the
 * reference reached. What breaks here breaks silently elsewhere.
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

#include "plate.h"

enum { SAMPLES = 101, STATES = 6, STARTS = 24 };
static const double duration = 2.0;

typedef struct counted {
  const model *m;
  size_t events;
} counted;

static int count(const ess_crossing_info *info, void *context) {
  counted *const c = context;
  c->events += c->m->type->changes_field(c->m, info->event, info->sign);
  return 0;
}

/* largest difference to the reference on the grid; the crossings of both */
static double worst_error(const model *m, const double x0[], double epsilon, double h_max,
                          size_t *events, size_t *expected) {
  double times[SAMPLES], exact[SAMPLES * STATES], states[SAMPLES * STATES], x[STATES], t = 0.0;
  char message[MODEL_MESSAGE_SIZE];
  for (int i = 0; i < SAMPLES; i++) times[i] = duration * i / (SAMPLES - 1);
  model_reference reference = {.times = times, .count = SAMPLES, .states = exact};
  assert_int_equal(m->type->reference(m, x0, &reference, message), 0);
  counted c = {.m = m};
  ess_options options = ess_options_paper();
  options.projection.epsilon = epsilon;
  options.rtol = 1e-10;
  options.atol = 1e-11;
  options.h_max = h_max;
  options.observer = (ess_observer){.crossing = count, .context = &c};
  ess_driver *const d = ess_driver_alloc(&m->system, &options, NULL);
  memcpy(x, x0, sizeof x);
  assert_int_equal(ess_driver_sample(d, &t, duration, x, times, SAMPLES, states), ESS_SUCCESS);
  ess_driver_free(d);
  double worst = 0.0;
  for (int i = 0; i < SAMPLES * STATES; i++) worst = fmax(worst, fabs(states[i] - exact[i]));
  *events = c.events;
  *expected = reference.events;
  return worst;
}

static void free_steps_reach_the_reference(void **state) {
  (void)state;
  const double contacts[] = {2, 10, 37}, h_max[] = {INFINITY, 0.05};
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (size_t n = 0; n < 3; n++) {
    model m;
    char message[MODEL_MESSAGE_SIZE];
    model_init(&m, &plate_type);
    assert_int_equal(model_set(&m, "contacts", contacts[n], message), 0);
    assert_int_equal(model_prepare(&m, message), 0);
    for (int i = 0; i < STARTS; i++) {
      double x0[STATES];
      size_t events, expected;
      m.type->random_state(&m, rng, x0);
      const double error = worst_error(&m, x0, 1e-6, h_max[i % 2], &events, &expected);
      assert_true(error < 1e-4);
      assert_int_equal(events, expected);
    }
    model_release(&m);
  }
  gsl_rng_free(rng);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_steps_reach_the_reference)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
