/*
 * The leaping body: its three scenarios in kind, and what its massless legs may not do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_run.h"

static contact_run r;

enum { X, Z, PHI, COORDINATES = 6 };

static bool has_been_in(const char *word) {
  for (size_t i = 0; i < r.count; i++)
    if (strstr(r.impact[i].after, word)) return true;
  return false;
}

static size_t landings(const char *contact) {
  size_t count = 0;
  for (size_t i = 0; i < r.count; i++)
    for (size_t k = 0; k < r.impact[i].count; k++)
      count += strcmp(r.impact[i].landed[k].contact, contact) == 0;
  return count;
}

/* it lies, pushes, and is in the air with both legs out of the way */
static void assert_leap(const char *scenario) {
  CONTACT_RUN(&r, &rhex_type, "scenario", scenario, "duration", "0.3", );
  assert_int_equal(r.status, ESS_SUCCESS);
  assert_string_equal(r.first, "{nose, tail}");
  assert_int_equal(landings("front"), 1);
  assert_int_equal(landings("rear"), 1);
  assert_string_equal(r.impact[r.count - 1].after, "{}");
  assert_true(r.x[Z] > 0.15 && r.x[COORDINATES + Z] > -1);
  assert_true(has_been_in("{front, rear") || has_been_in("{front}") || has_been_in("{rear}"));
  assert_true(r.stray < 1e-6);
}

static void it_leaps_forward(void **state) {
  (void)state;
  assert_leap("forward");
  assert_true(has_been_in("front sticks") && has_been_in("rear sticks"));
  assert_true(r.x[X] > 0.05 && r.x[COORDINATES + X] > 0.5);
  model_release(&r.m);
}

static void it_leaps_upward(void **state) {
  (void)state;
  assert_leap("vertical");
  assert_true(fabs(r.x[X]) < 0.02);
  model_release(&r.m);
}

static void it_leaps_at_a_ledge(void **state) {
  (void)state;
  assert_leap("ledge");
  assert_true(has_been_in("front sticks"));
  assert_true(r.x[X] > 0);
  model_release(&r.m);
}

/* Massless: while a foot slides, the torque is all that its force can come from, and a free leg
 * does nothing to the body. */
static void free_legs_do_nothing_to_the_body(void **state) {
  (void)state;
  CONTACT_RUN(&r, &rhex_type, "duration", "0.001", );
  contact_model *const p = r.m.data;
  double still[COORDINATES], moving[COORDINATES];
  const double q[COORDINATES] = {0, 1, 0.1, 1, -1, 1};
  const double v[2][COORDINATES] = {{1, 2, 3, 0, 0, 1}, {1, 2, 3, 40, -50, 1}};
  kkt_at(p->s.c.here, q, v[0]);
  assert_true(kkt_flow(p->s.c.here, 0, still, NULL));
  kkt_at(p->s.c.here, q, v[1]);
  assert_true(kkt_flow(p->s.c.here, 0, moving, NULL));
  for (size_t j = X; j <= PHI; j++) assert_true(still[j] == moving[j]);
  assert_true(still[3] != moving[3]);
  assert_near(still[Z], -9.81, 1e-12);
  model_release(&r.m);
}

/* When the rear leg lands, the front foot, kept sticking, would be pulled at by the impact, and is
 * pressed on by the motor for far more within delta_t: signs as in section 2.7.2. */
static double impulse_x[2 * COORDINATES];

static int keep_rear_landing(const ess_impact *impact, void *context) {
  (void)context;
  if (impact->count == 1 && impact->events[0] == 2 && impulse_x[1] == 0)
    memcpy(impulse_x, impact->x, sizeof impulse_x);
  return 0;
}

static void the_motor_outweighs_the_rear_legs_impact(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &rhex_type);
  assert_int_equal(model_prepare(&m, message), 0);
  contact_model *const p = m.data;
  ess_options options = ess_options_default();
  options.observer.impact = keep_rear_landing;
  double t = 0, x[2 * COORDINATES];
  m.type->initial_state(&m, x);
  ess_driver *const d = ess_driver_alloc(&m.system, &options, NULL);
  assert_int_equal(ess_driver_apply(d, &t, 0.05, x), ESS_SUCCESS);
  ess_driver_free(d);
  kkt_multipliers impact, pseudo;
  kkt_at(p->s.c.here, impulse_x, impulse_x + COORDINATES);
  const contact_mode sticking = 15;
  assert_true(kkt_impact(p->s.c.here, sticking, NULL, &impact));
  assert_true(kkt_pseudo_impulse(p->s.c.here, sticking, &pseudo));
  print_message("front foot: U(P) = %.3g N s, U(P~) = %.3g N s\n", -impact.value[0],
                -0.03 * pseudo.value[0]);
  assert_true(-impact.value[0] < 0);
  assert_true(-0.03 * pseudo.value[0] > impact.value[0]);
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_leaps_forward),
      cmocka_unit_test(it_leaps_upward),
      cmocka_unit_test(it_leaps_at_a_ledge),
      cmocka_unit_test(free_legs_do_nothing_to_the_body),
      cmocka_unit_test(the_motor_outweighs_the_rear_legs_impact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
