/*
 * The hopper: field and guard, and its closed form against energy and against the truth.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hopper.h"
#include "truth.h"

enum { N = 2, SAMPLES = 1001 };

static model prepared(double stiffness) {
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &hopper_type);
  assert_int_equal(model_set(&m, "stiffness", stiffness, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

static void reference(const model *m, const double x0[N], double states[SAMPLES * N],
                      size_t *events) {
  char message[MODEL_MESSAGE_SIZE];
  double times[SAMPLES];
  for (size_t i = 0; i < SAMPLES; i++) times[i] = 0.002 * (double)i;
  model_reference out = {.times = times, .count = SAMPLES, .states = states};
  assert_int_equal(m->type->reference(m, x0, &out, message), 0);
  assert_string_equal(out.kind, "exact");
  *events = out.events;
}

static void field_and_guard(void **state) {
  (void)state;
  model m = prepared(800);
  const double x[N] = {0.9, -1.5}, flight = -1, stance = 1;
  double f[N], h, rate, Dh[N];
  m.system.field(0, x, &flight, f, m.system.params);
  assert_true(f[0] == -1.5 && f[1] == -9.81);
  m.system.field(0, x, &stance, f, m.system.params);
  assert_true(f[0] == -1.5 && fabs(f[1] - (80 - 9.81)) < 1e-12);
  m.system.event_rates(0.0, x, 1.0, f, NULL, m.system.event_count, &h, &rate, m.system.params);
  m.system.event_jacobian(0.0, x, Dh, m.system.params);
  assert_true(fabs(h - 0.1) < 1e-15 && rate == 1.5 && Dh[0] == -1 && Dh[1] == 0);
  assert_true(model_has_guard(&m, ESS_GUARD_UP(0)) && model_has_guard(&m, ESS_GUARD_DOWN(0)));
  unsigned char active = 0;
  m.type->active_contacts(&m, x, &active);
  assert_int_equal(active, 1);
  m.type->active_contacts(&m, (double[]){1.1, 0}, &active);
  assert_int_equal(active, 0);
  assert_int_equal(m.type->contact_count(&m), 1);
  model_release(&m);
}

static double energy(const hopper_parameters *p, const double x[N]) {
  const double squeeze = fmax(0, p->free_length - x[0]);
  return 0.5 * p->mass * x[1] * x[1] + p->mass * p->gravity * x[0] +
         0.5 * p->stiffness * squeeze * squeeze;
}

/* Starts in flight and in stance, rising and falling, on the guard, and never leaving it. */
static const double starts[][N] = {{2, 0},    {1.3, 4},    {1.5, -6},       {0.9, 0},
                                   {0.8, 3},  {0.95, -5},  {0.98, 0},       {0.99, 0.05},
                                   {1, -2},   {1, 2},      {1, 0},          {1 - 1e-16, 3},
                                   {-0.5, 0}, {1.0001, 0}, {0.98773749, 0}, {1 - 1e-9, -1e-6}};
enum { STARTS = sizeof starts / sizeof *starts };

static const double stiffnesses[] = {20, 50, 800, 5000};
enum { STIFFNESSES = sizeof stiffnesses / sizeof *stiffnesses };

static void energy_is_conserved(void **state) {
  (void)state;
  static double states[SAMPLES * N];
  double worst = 0;
  for (size_t s = 0; s < STIFFNESSES; s++) {
    model m = prepared(stiffnesses[s]);
    for (size_t i = 0; i < STARTS; i++) {
      size_t events;
      reference(&m, starts[i], states, &events);
      assert_memory_equal(states, starts[i], sizeof starts[i]);
      const double before = energy(hopper_get(&m), starts[i]);
      for (size_t j = 0; j < SAMPLES; j++) {
        const double now = energy(hopper_get(&m), &states[j * N]);
        worst = fmax(worst, fabs(now - before) / before);
      }
    }
    model_release(&m);
  }
  print_message("hopper's energy, relative: %.2e\n", worst);
  assert_true(worst < 1e-12);
}

/* the same motion by the truth */
static void integrate(const hopper_parameters *p, const double x0[N], double states[SAMPLES * N],
                      size_t *events) {
  double times[SAMPLES];
  for (size_t i = 0; i < SAMPLES; i++) times[i] = 0.002 * (double)i;
  hybrid *const h = hybrid_of("z' = v; v' = -%.17g + on(s)*%.17g*(%.17g - z)/%.17g; s: %.17g - z\n"
                              "from 0: z = %.17g, v = %.17g; to %.17g",
                              p->gravity, p->stiffness, p->free_length, p->mass, p->free_length,
                              x0[0], x0[1], times[SAMPLES - 1]);
  const truth_end end =
      truth_run(h, &(truth_options){.margin = -1.0, .times = times, .time_count = SAMPLES});
  assert_int_equal(end.status, TRUTH_SUCCESS);
  memcpy(states, end.states, SAMPLES * N * sizeof *states);
  *events = end.count;
  free(end.states);
  hybrid_free(h);
}

static void the_closed_form_agrees_with_the_truth(void **state) {
  (void)state;
  static double exact[SAMPLES * N], independent[SAMPLES * N];
  double worst = 0;
  for (size_t s = 0; s < STIFFNESSES; s++) {
    model m = prepared(stiffnesses[s]);
    for (size_t i = 0; i < STARTS; i++) {
      size_t events, events_too;
      reference(&m, starts[i], exact, &events);
      integrate(hopper_get(&m), starts[i], independent, &events_too);
      assert_int_equal(events, events_too);
      for (size_t j = 0; j < SAMPLES * N; j++) {
        worst = fmax(worst, fabs(exact[j] - independent[j]));
      }
    }
    model_release(&m);
  }
  print_message("hopper's closed form against the truth: %.2e\n", worst);
  assert_true(worst < 1e-10);
}

static void starts_on_the_guard_lie_on_the_side_they_move_to(void **state) {
  (void)state;
  static double states[SAMPLES * N];
  size_t events;
  model m = prepared(800);

  // rising: a parabola until t = 2v/g = 0.41; the fourth touch-down would come at 2.0007
  reference(&m, (double[]){1, 2}, states, &events);
  assert_true(fabs(states[50 * N] - (1 + 2 * 0.1 - 0.5 * 9.81 * 0.01)) < 1e-14);
  assert_int_equal(events, 6);

  // at rest: the spring takes hold at once and never lets go
  reference(&m, (double[]){1, 0}, states, &events);
  assert_int_equal(events, 0);
  const double w = sqrt(800), sag = 9.81 / 800;
  assert_true(fabs(states[50 * N] - (1 - sag + sag * cos(w * 0.1))) < 1e-14);
  model_release(&m);
}

static void there_is_a_single_start(void **state) {
  (void)state;
  model m = prepared(800);
  double x[N], drawn[N];
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  m.type->initial_state(&m, x);
  m.type->random_state(&m, rng, drawn);
  assert_true(x[0] == 2 && x[1] == 0);
  assert_memory_equal(x, drawn, sizeof x);
  gsl_rng_free(rng);
  model_release(&m);
}

static void starts_that_are_not_finite_are_refused(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE] = "";
  model m = prepared(800);
  const double time = 0, x0[N] = {INFINITY, 0};
  double x[N];
  model_reference out = {.times = &time, .count = 1, .states = x};
  assert_int_equal(m.type->reference(&m, x0, &out, message), -1);
  assert_string_equal(message, "hopper: the initial state must be finite");
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(field_and_guard),
      cmocka_unit_test(energy_is_conserved),
      cmocka_unit_test(the_closed_form_agrees_with_the_truth),
      cmocka_unit_test(starts_on_the_guard_lie_on_the_side_they_move_to),
      cmocka_unit_test(there_is_a_single_start),
      cmocka_unit_test(starts_that_are_not_finite_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
