/*
 * The running mass: its periodic gaits at one energy are those that are known, and so is how they
 * answer a small change of the apex. The bouncing ball's exact solution, and where it ends.
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
#include "slip.h"

enum { X, Z, VX, VZ, FOOT, STATES };

/* within so much of what is known */
static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.10g is not %.10g", value, known);
}

static const double energy = 0.5 * 25.0 + 9.81; /* for each kilogram, of 5 m/s at 1 m */

static void state_at(const model *m, const double x0[], double t, double x[]) {
  char message[MODEL_MESSAGE_SIZE];
  model_reference out = {.times = &t, .count = 1, .states = x};
  if (m->type->reference(m, x0, &out, message)) fail_msg("%s", message);
}

/* height of the apex after one of this height */
static double next_apex(const model *m, double height) {
  double x[STATES], x0[STATES];
  m->type->initial_state(m, x0);
  x0[Z] = height;
  x0[VX] = sqrt(2.0 * (energy - 9.81 * height));

  // a rise ends: later than it begins, and found to rounding
  double low = 0.0, high = 0.0;
  for (bool rises = false; high == 0.0;) {
    assert_true(low < 2.0);
    state_at(m, x0, low + 0.01, x);
    if (rises && x[VZ] <= 0.0) high = low + 0.01;
    rises = x[VZ] > 0.0;
    if (high == 0.0) low += 0.01;
  }
  for (int i = 0; i < 40; i++) {
    const double middle = 0.5 * (low + high);
    state_at(m, x0, middle, x);
    *(x[VZ] > 0.0 ? &low : &high) = middle;
  }
  return x[Z];
}

static void gaits_are_as_known(void **state) {
  (void)state;
  static const double heights[] = {0.94026714, 1.33768638}, multipliers[] = {-0.161308, 1.686968};
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, &slip_type);
  assert_int_equal(model_prepare(&m, message), 0);
  for (int i = 0; i < 2; i++) {
    const double step = 1e-5, h = heights[i];
    near(next_apex(&m, h), h, 2e-8);
    near((next_apex(&m, h + step) - next_apex(&m, h - step)) / (2.0 * step), multipliers[i], 2e-6);
  }
  model_release(&m);
}

static void the_ball_bounces_as_known(void **state) {
  (void)state;
  static const double step = 1e-6;
  static const double derivative[2][2] = {{1.38650223, 0.18725745}, {3.98650223, 1.0}};
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, &ball_type);
  assert_int_equal(model_prepare(&m, message), 0);
  for (int j = 0; j < 2; j++) {
    double above[2], below[2], x0[2] = {1.0, 0.0};
    x0[j] += step;
    state_at(&m, x0, 1.0, above);
    x0[j] -= 2.0 * step;
    state_at(&m, x0, 1.0, below);
    for (int i = 0; i < 2; i++) near((above[i] - below[i]) / (2.0 * step), derivative[i][j], 1e-8);
  }

  // there is nothing behind an infinity of bounces
  double x[2], x0[2] = {1.0, 0.0}, t = 4.07;
  model_reference out = {.times = &t, .count = 1, .states = x};
  assert_int_equal(m.type->reference(&m, x0, &out, message), -1);
  assert_string_equal(message,
                      "ball: impacts accumulate, and it comes to rest, at t = 4.06371277 s (Zeno)");
  model_release(&m);
}

/* Corollary 1: on the floor from where bounces accumulate on; the derivative is that of rest */
static void the_ball_rests_where_bounces_accumulate(void **state) {
  (void)state;
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, &ball_type);
  assert_int_equal(model_set_text(&m, "complete", "yes", message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  double x[2], exact[2][2], x0[2] = {1.0, 0.0};
  const double times[] = {4.0, 5.0};
  model_reference out = {.times = times, .count = 2, .states = exact[0]};
  assert_int_equal(m.type->reference(&m, x0, &out, message), 0);
  for (size_t i = 0; i < 2; i++) {
    state_at(&m, x0, times[i], x);
    near(x[0], exact[i][0], 1e-9);
    near(x[1], exact[i][1], 1e-9);
  }
  assert_true(exact[0][0] > 0.0 && exact[1][0] == 0.0 && exact[1][1] == 0.0);
  assert_true(x[0] == 0.0 && x[1] == 0.0);
  model_release(&m);
}

static void a_bag_of_beans_leaves_the_ceiling_at_once(void **state) {
  (void)state;
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, &ball_type);
  assert_int_equal(model_set(&m, "surface", 1, message), 0);
  assert_int_equal(model_set(&m, "restitution", 0, message), 0);
  assert_int_equal(model_set(&m, "height", -1, message), 0);
  assert_int_equal(model_set(&m, "speed", 6, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  double x0[2], x[2];
  m.type->initial_state(&m, x0);
  const double hit = (6.0 - sqrt(36.0 - 2.0 * 9.81)) / 9.81;
  state_at(&m, x0, 0.5, x);
  near(x[0], -0.5 * 9.81 * (0.5 - hit) * (0.5 - hit), 1e-14);
  near(x[1], -9.81 * (0.5 - hit), 1e-14);
  model_release(&m);
}

static void refuses(const model_type *type, const char *name, double value, const char *expected) {
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, type);
  assert_int_equal(model_set(&m, name, value, message), 0);
  assert_int_equal(model_prepare(&m, message), MODEL_REFUSED);
  assert_string_equal(message, expected);
  model_release(&m);
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  refuses(&slip_type, "height", 0.9,
          "slip: height 0.9 is not accepted; it is above 0.927183855 m, where the leg lands");
  refuses(&ball_type, "restitution", 0,
          "ball: restitution 0 is not accepted on a floor; it is above 0 there");
  refuses(&ball_type, "height", -1,
          "ball: height -1 is not accepted; a floor, at z = 0, is not above it");
  refuses(&ball_type, "surface", 1,
          "ball: height 1 is not accepted; a ceiling, at z = 0, is above it");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaits_are_as_known),
      cmocka_unit_test(the_ball_bounces_as_known),
      cmocka_unit_test(the_ball_rests_where_bounces_accumulate),
      cmocka_unit_test(a_bag_of_beans_leaves_the_ceiling_at_once),
      cmocka_unit_test(what_makes_no_sense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
