/*
 * The trotting body against numbers that were computed apart from it: landing, states and their
 * derivatives by the initial rotation on soft limbs; the jump of the outcome on rigid ones; the
 * kink where legs are coupled.
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

#include "trot.h"

enum { STATES = 8 };
enum { Z, THETA, VZ, OMEGA, Y_REAR, Y_FRONT, VY_REAR, VY_FRONT };

/* within so much of what is known */
static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.10g is not %.10g", value, known);
}

typedef struct change {
  const char *name;
  double value;
} change;

static model trot(int limbs, const change changes[]) {
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, &trot_type);
  assert_int_equal(model_set(&m, "limbs", limbs, message), 0);
  for (; changes && changes->name; changes++)
    assert_int_equal(model_set(&m, changes->name, changes->value, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

/* the state at t, from the start with this rotation */
static void outcome(const model *m, double tilt, double t, double x[STATES]) {
  double x0[STATES];
  char message[MODEL_MESSAGE_SIZE];
  model_reference out = {.times = &t, .count = 1, .states = x};
  m->type->initial_state(m, x0);
  x0[THETA] = tilt;
  if (m->type->reference(m, x0, &out, message)) fail_msg("%s", message);
}

static void derivative(const model *m, double t, double dx[STATES]) {
  static const double step = 1e-5;
  double above[STATES], below[STATES];
  outcome(m, step, t, above);
  outcome(m, -step, t, below);
  for (int i = 0; i < STATES; i++) dx[i] = (above[i] - below[i]) / (2.0 * step);
}

static void soft_limbs_are_as_known(void **state) {
  (void)state;
  model m = trot(TROT_SOFT, NULL);
  double x[STATES], dx[STATES];
  outcome(&m, 0.0, 0.3, x);
  derivative(&m, 0.3, dx);
  near(x[Z], 0.90566906, 1e-8);
  near(x[VZ], 0.83307829, 1e-8);
  near(dx[THETA], 0.09277210, 1e-7);
  near(dx[OMEGA], -15.509511, 1e-5);

  outcome(&m, 0.0, 0.35, x);
  derivative(&m, 0.35, dx);
  near(x[Z], 0.98800605, 1e-8);
  near(x[VZ], 1.80953683, 1e-8);
  near(x[Y_REAR], 1.25915e-4, 1e-9);
  near(x[VY_FRONT], 0.07455553, 1e-8);
  near(dx[THETA], -0.52430902, 1e-7);
  near(dx[OMEGA], -7.5727205, 1e-5);
  near(dx[Y_REAR], 0.02660057, 1e-7);
  near(dx[Y_FRONT], -0.02660057, 1e-7);
  near(dx[VY_REAR], 10.399770, 1e-4);
  near(dx[VY_FRONT], -10.399770, 1e-4);
  model_release(&m);
}

/* the feet rest from 0.23321676 s to 0.34508603 s, having come at 3.2878564 m/s */
static void soft_limbs_land_and_leave_when_known(void **state) {
  (void)state;
  model m = trot(TROT_SOFT, NULL);
  double x[STATES];
  outcome(&m, 0.0, 0.23321676 - 1e-7, x);
  near(x[VY_REAR], -3.2878564, 2e-6);
  assert_true(x[Y_REAR] > 0.0);
  outcome(&m, 0.0, 0.23321676 + 1e-7, x);
  assert_true(x[VY_REAR] == 0.0 && x[Y_FRONT] == 0.0);
  outcome(&m, 0.0, 0.34508603 - 1e-7, x);
  assert_true(x[VY_REAR] == 0.0 && x[VY_FRONT] == 0.0);
  outcome(&m, 0.0, 0.34508603 + 1e-7, x);
  assert_true(x[VY_REAR] > 0.0 && x[VY_FRONT] > 0.0);
  model_release(&m);
}

static void coupled_legs_make_a_kink(void **state) {
  (void)state;
  static const double step = 1e-6;
  model m = trot(TROT_SOFT, (const change[]){{"coupling", 1.0}, {0}});
  double at[STATES], right[STATES], left[STATES];
  outcome(&m, 0.0, 0.3, at);
  outcome(&m, step, 0.3, right);
  outcome(&m, -step, 0.3, left);
  near((right[VZ] - at[VZ]) / step, 2.6936, 1e-3);
  near((at[VZ] - left[VZ]) / step, -2.6936, 1e-3);
  model_release(&m);
}

/* with d = m = 1: behind both impacts the body turns at -+ v (I - 1)/(I + 1)^2, or not at all */
static void rigid_limbs_jump(void **state) {
  (void)state;
  static const double tilt = 1e-7, landing = 0.23321676, v = 3.2878564;
  static const double inertias[] = {0.5, 1, 2, 4}, turns[] = {0, 0, 1.0 / 9, 0.12};
  for (int i = 0; i < 4; i++) {
    model m = trot(TROT_RIGID, (const change[]){{"inertia", inertias[i]}, {0}});
    double x[STATES];
    outcome(&m, tilt, landing + 1e-6, x);
    near(x[OMEGA], -v * turns[i], 1e-5);
    outcome(&m, -tilt, landing + 1e-6, x);
    near(x[OMEGA], v * turns[i], 1e-5);
    outcome(&m, 0.0, landing + 1e-6, x);
    assert_true(x[OMEGA] == 0.0);
    model_release(&m);
  }
}

/* it lands again 2 |omega| (I + m d^2)/(m g d) later: the outcome is taken before */
static void the_lifted_foot_is_in_the_air_for_as_long_as_known(void **state) {
  (void)state;
  static const double inertias[] = {2, 4}, later[] = {0.223, 0.402};
  for (int i = 0; i < 2; i++) {
    model m = trot(TROT_RIGID, (const change[]){{"inertia", inertias[i]}, {0}});
    double x[STATES];
    outcome(&m, 1e-7, 0.23321676 + later[i] - 1e-3, x);
    assert_true(x[Z] - sin(x[THETA]) - 1.0 < 0.01 && x[OMEGA] > 0.3);
    outcome(&m, 1e-7, 0.23321676 + later[i] + 1e-3, x);
    near(x[OMEGA], 0.0, 0.3);
    model_release(&m);
  }
}

/* what says so beforehand */
static void decoupling_is_known_at_touch_down(void **state) {
  (void)state;
  static const double level[STATES] = {1.0, 0.0, -3.0, 0.0};
  const double inertias[] = {0.5, 1, 2, 4};
  for (int i = 0; i < 4; i++) {
    model m = trot(TROT_RIGID, (const change[]){{"inertia", inertias[i]}, {0}});
    const trot_decoupling at = trot_decoupling_at(&m, level);
    near(at.orthogonality, (inertias[i] - 1.0) / (inertias[i] + 1.0), 1e-15);
    assert_false(at.block_diagonal);
    assert_true(isnan(at.additivity) && isnan(at.foreign));
    model_release(&m);
  }
  for (int coupled = 0; coupled < 2; coupled++) {
    model m = trot(TROT_SOFT, (const change[]){{"coupling", coupled}, {0}});
    const double x[STATES] = {1.0, 0.0, -3.0, 0.0, 0.0, 0.0, -3.0, -3.0};
    const trot_decoupling at = trot_decoupling_at(&m, x);
    assert_true(at.orthogonality == 0.0 && at.block_diagonal);
    assert_true(coupled ? at.additivity > 1e-3 : at.additivity < 1e-12);
    // of -c2 w|w| in both legs: w and with it the force of a leg depend on the other foot
    assert_true(coupled ? at.foreign > 1e-4 : at.foreign == 0.0);
    model_release(&m);
  }
}

/* a foot below the ground would count as one that stands, and carry nothing */
static void a_start_below_the_ground_is_refused(void **state) {
  (void)state;
  static const struct {
    int limbs;
    double height, tilt, speed;
    int status;
  } starts[] = {{TROT_RIGID, 0.5, 0, 1, MODEL_REFUSED},
                {TROT_RIGID, 1, 0, 1, MODEL_REFUSED},
                {TROT_RIGID, 1, 0, 0, 0},
                {TROT_RIGID, 1.5, 0.6, 1, MODEL_REFUSED},
                {TROT_RIGID, 1.5, -0.6, 1, MODEL_REFUSED},
                {TROT_RIGID, 1.5, 0.5, 1, 0},
                {TROT_SOFT, 0.99, 0, 1, MODEL_REFUSED},
                {TROT_SOFT, 1, 0, 1, 0}};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    model m;
    char message[MODEL_MESSAGE_SIZE];
    model_init(&m, &trot_type);
    assert_int_equal(model_set(&m, "limbs", starts[i].limbs, message), 0);
    assert_int_equal(model_set(&m, "height", starts[i].height, message), 0);
    assert_int_equal(model_set(&m, "tilt", starts[i].tilt, message), 0);
    assert_int_equal(model_set(&m, "speed", starts[i].speed, message), 0);
    assert_int_equal(model_prepare(&m, message), starts[i].status);
    if (i == 0)
      assert_string_equal(message,
                          "trot: height 0.5 is not accepted; it is above 1 m, where a foot lands");
    model_release(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(soft_limbs_are_as_known),
      cmocka_unit_test(soft_limbs_land_and_leave_when_known),
      cmocka_unit_test(coupled_legs_make_a_kink),
      cmocka_unit_test(rigid_limbs_jump),
      cmocka_unit_test(the_lifted_foot_is_in_the_air_for_as_long_as_known),
      cmocka_unit_test(decoupling_is_known_at_touch_down),
      cmocka_unit_test(a_start_below_the_ground_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
