/*
 * The leaping body: its three scenarios in kind, and what its massless legs may not do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_run.h"

static contact_run r;

enum { X, Z, PHI, FRONT, REAR, COORDINATES = 6 };

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

/* it lies, pushes, and is in the air until its body lands, with both legs raised */
static void assert_leap(const char *scenario) {
  CONTACT_RUN(&r, &rhex_type, "scenario", scenario, );
  assert_int_equal(r.status, ESS_SUCCESS);
  assert_string_equal(r.first, "{nose, tail}");
  assert_true(landings("front") > 0 && landings("rear") > 0);
  size_t off = 0;
  while (off < r.count && strcmp(r.impact[off].after, "{}") != 0) off++;
  assert_true(off + 1 < r.count);
  for (size_t i = off + 1; i < r.count; i++)
    for (size_t k = 0; k < r.impact[i].count; k++)
      assert_true(strcmp(r.impact[i].landed[k].contact, "front") != 0 &&
                  strcmp(r.impact[i].landed[k].contact, "rear") != 0);
  assert_true(fabs(r.x[FRONT]) > 2.7 && fabs(r.x[REAR]) > 2.7);
  assert_true(r.stray < 1e-6);
}

/* on the ledge's edge, the nose on its top */
static void assert_on_ledge(double height) {
  assert_int_equal(landings("nose on ledge"), 1);
  assert_true(landings("edge") > 0);
  assert_true(r.x[Z] > 0.06 + 0.2 * height);
  contact_model *const p = r.m.data;
  kkt_at(p->s.c.here, r.x, r.x + COORDINATES);
  for (size_t k = 4; k < p->m.constraints; k++) assert_true(p->s.c.here->a[k] > -1e-7);
}

static void it_leaps_forward(void **state) {
  (void)state;
  assert_leap("forward");
  assert_true(has_been_in("front sticks") && has_been_in("rear sticks"));
  assert_on_ledge(0.1);
  assert_string_equal(r.impact[r.count - 1].after, "{edge, nose on ledge}");
  model_release(&r.m);
}

static void it_leaps_upward(void **state) {
  (void)state;
  assert_leap("vertical");
  assert_true(fabs(r.x[X]) < 0.02);
  assert_string_equal(r.impact[r.count - 1].after, "{nose, tail}");
  model_release(&r.m);
}

static void it_leaps_onto_a_ledge(void **state) {
  (void)state;
  assert_leap("ledge");
  assert_true(has_been_in("front sticks"));
  assert_on_ledge(0.1);
  model_release(&r.m);
}

/* Rounded corners: gaps and rows of the body and the ledge agree by differences, everywhere. */
static void the_ledges_rows_are_those_of_its_gaps(void **state) {
  (void)state;
  CONTACT_RUN(&r, &rhex_type, "duration", "0.001", );
  const contact_model *const p = r.m.data;
  const size_t n = p->m.coordinates, rows = p->m.constraints;
  assert_int_equal(rows, 9);
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  double worst = 0;
  for (int draw = 0; draw < 1000; draw++) {
    double q[COORDINATES] = {0}, A[9 * COORDINATES], a[2][9];
    for (size_t j = X; j <= REAR; j++) q[j] = 2 * gsl_rng_uniform(rng) - 1;
    p->m.rows(q, A, p->m.params);
    for (size_t j = X; j <= REAR; j++) {
      const double at = q[j], step = 1e-6;
      for (int side = 0; side < 2; side++) {
        q[j] = side ? at - step : at + step;
        p->m.gaps(q, a[side], p->m.params);
      }
      q[j] = at;
      for (size_t k = 0; k < rows; k++)
        if (p->m.constraint[k].normal == k)
          worst = fmax(worst, fabs((a[0][k] - a[1][k]) / (2 * step) - A[k * n + j]));
    }
  }
  gsl_rng_free(rng);
  print_message("rows, by differences: %.1e\n", worst);
  assert_true(worst < 1e-7);
  model_release(&r.m);
}

/* the mode in which the rear leg's first landing leaves */
static const char *mode_after_the_rear_lands(void) {
  for (size_t i = 0; i < r.count; i++)
    for (size_t k = 0; k < r.impact[i].count; k++)
      if (strcmp(r.impact[i].landed[k].contact, "rear") == 0) return r.impact[i].held;
  fail();
  return "";
}

/* Figure 4: without a pseudo-impulse the rear leg's landing throws the front one off, which comes
 * back, and throws the other off; with one both stay. */
static void legs_chatter_without_pseudo_impulses(void **state) {
  (void)state;
  CONTACT_RUN(&r, &rhex_type, "duration", "0.4", "delta-t", "0", );
  assert_int_equal(r.status, ESS_SUCCESS);
  assert_null(strstr(mode_after_the_rear_lands(), "front"));
  print_message("without: the front foot lands %zu times, the rear one %zu\n", landings("front"),
                landings("rear"));
  assert_true(landings("front") > 10 && landings("rear") > 50);
  model_release(&r.m);
  CONTACT_RUN(&r, &rhex_type, "duration", "0.4", "delta-t", "0.03", );
  assert_non_null(strstr(mode_after_the_rear_lands(), "front, rear"));
  assert_int_equal(landings("front"), 1);
  assert_int_equal(landings("rear"), 1);
  model_release(&r.m);
}

/* Section 2.7.2's signs: as the rear leg lands, the front foot, kept sticking, would be pulled by
 * the impact, and is pressed by the motor. */
static void the_impact_pulls_what_the_motor_presses(void **state) {
  (void)state;
  CONTACT_RUN(&r, &rhex_type, "duration", "0.0327628", "delta-t", "0", );
  assert_int_equal(r.status, ESS_SUCCESS);
  contact_model *const p = r.m.data;
  kkt *const here = p->s.c.here;
  const contact_mode feet = CONTACT(0) | CONTACT(1) | CONTACT(2) | CONTACT(3);
  kkt_multipliers impulse, pseudo;
  kkt_at(here, r.x, r.x + COORDINATES);
  assert_near(here->a[2], 0, 1e-6);
  assert_true(kkt_impact(here, feet, NULL, &impulse) && kkt_pseudo_impulse(here, feet, &pseudo));
  assert_near(kkt_cone(here, 0, impulse.value), -0.06, 5e-3);
  assert_near(0.03 * kkt_cone(here, 0, pseudo.value), 0.37, 5e-3);
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
      cmocka_unit_test(it_leaps_onto_a_ledge),
      cmocka_unit_test(the_ledges_rows_are_those_of_its_gaps),
      cmocka_unit_test(the_impact_pulls_what_the_motor_presses),
      cmocka_unit_test(legs_chatter_without_pseudo_impulses),
      cmocka_unit_test(free_legs_do_nothing_to_the_body),
      cmocka_unit_test(the_motor_outweighs_the_rear_legs_impact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
