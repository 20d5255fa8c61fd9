/*
 * The tutorial's examples give the tutorial's numbers: a mass of 10 kg dropped from 1 m, 1000
 * states 1 ms apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "point_mass.h"

enum { STATES = 1000 };

typedef double step_function(const point_mass *p, point_mass_state *s);

/* states z, v before each step, and the ground force at it; the last state has none */
typedef struct history {
  point_mass_state state[STATES];
  double force[STATES];
} history;

static history drop(step_function *step, double restitution) {
  point_mass p = point_mass_default();
  p.restitution = restitution;
  point_mass_state s = {.z = 1.0, .v = 0.0};
  history h = {0};
  for (int k = 0; k < STATES - 1; k++) {
    h.state[k] = s;
    h.force[k] = step(&p, &s);
  }
  h.state[STATES - 1] = s;
  return h;
}

static void is_near(double value, double wanted, double tolerance) {
  if (!(fabs(value - wanted) <= tolerance)) fail_msg("%.9g is not %.9g", value, wanted);
}

/* first step at or after `from` with a force; -1 when there is none */
static int next_force(const history *h, int from) {
  for (int k = from; k < STATES; k++)
    if (h->force[k] > 0.0) return k;
  return -1;
}

/* The tutorial's mass bounces once within the second. */
static void test_hybrid_bounces(void **state) {
  (void)state;
  const history h = drop(point_mass_step_hybrid, 0.7);
  assert_int_equal(next_force(&h, 0), 453);
  is_near(h.force[453], 75546.8, 0.05);
  assert_int_equal(next_force(&h, 454), -1);
  is_near(h.state[454].v, 0.7 * 9.81e-3 * 453 - 9.81e-3, 1e-9);
}

/* Without restitution it should rest on the ground; it is let go and caught every second step. */
static void test_hybrid_chatters(void **state) {
  (void)state;
  const history h = drop(point_mass_step_hybrid, 0.0);
  assert_int_equal(next_force(&h, 0), 453);
  is_near(h.force[453], 44439.3, 0.05);
  for (int k = 455; k < STATES - 1; k++) is_near(h.force[k], k % 2 ? 196.2 : 0.0, 1e-6);
}

/* It comes to rest above the ground, after a force seven times what the spring alone can give. */
static void test_smooth_hovers(void **state) {
  (void)state;
  const history h = drop(point_mass_step_smooth, 0.0);
  double peak = 0.0;
  for (int k = 0; k < STATES; k++) peak = fmax(peak, h.force[k]);
  is_near(peak, 11042.0, 0.5);
  is_near(h.force[451], peak, 0.0);
  is_near(h.state[STATES - 1].z, 13.298e-3, 0.5e-6);
  assert_true(fabs(h.state[STATES - 1].v) < 1e-5);
  is_near(h.force[STATES - 2], 98.1, 0.05);
}

/* Two steps to stop it on the ground, then its weight. */
static void test_complementarity_rests(void **state) {
  (void)state;
  const history h = drop(point_mass_step_complementarity, 0.0);
  assert_int_equal(next_force(&h, 0), 451);
  is_near(h.force[451], 43281.8, 0.05);
  is_near(h.force[452], 1157.5, 0.05);
  for (int k = 453; k < STATES - 1; k++) {
    is_near(h.force[k], 98.1, 1e-6);
    is_near(h.state[k].z, 0.0, 1e-15);
  }
}

/* What is solved for: f >= 0, z >= 0 after the step, f z = 0. */
static void test_complementarity_conditions(void **state) {
  (void)state;
  const history h = drop(point_mass_step_complementarity, 0.0);
  for (int k = 0; k < STATES - 1; k++) {
    const double z = h.state[k + 1].z;
    assert_true(h.force[k] >= 0.0);
    assert_true(z > -1e-15);
    assert_true(fabs(h.force[k] * z) < 1e-10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hybrid_bounces),
      cmocka_unit_test(test_hybrid_chatters),
      cmocka_unit_test(test_smooth_hovers),
      cmocka_unit_test(test_complementarity_rests),
      cmocka_unit_test(test_complementarity_conditions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
