/*
 * examples/bouncing_ball, moving_guard, no_jacobian, backward, watch and stick_slip: what they
 * print, against closed forms.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "examples_fixture.h"

static void near(double value, double expected, double error) {
  if (!(fabs(value - expected) <= error)) fail_msg("%.9f, not %.9f", value, expected);
}

static void ball_falls_and_rises_against_the_air(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_BOUNCING_BALL, lines);
  assert_true(count >= 4);
  const double g = 9.81, k = 0.1;
  double height = 1.0, at = 0.0, t, v, then;
  for (size_t i = 0; i + 1 < count; i++) {
    assert_int_equal(sscanf(lines[i], "bounce t = %lf s, v = %lf m/s, then %lf", &t, &v, &then), 3);
    at += acosh(exp(k * height)) / sqrt(g * k);
    near(t, at, 1e-5);
    near(v, -sqrt(g / k * (1.0 - exp(-2.0 * k * height))), 1e-5);
    near(then, -0.8 * v, 1e-5);
    height = log(1.0 + k * then * then / g) / (2.0 * k);
    at += atan(then * sqrt(k / g)) / sqrt(g * k);
  }
  assert_non_null(strstr(lines[count - 1], "success at t = 2.0"));
}

static void mass_falls_freely_onto_a_table_that_swings(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_MOVING_GUARD, lines);
  assert_true(count >= 3);
  for (size_t i = 0; i + 1 < count; i++) {
    double t, z;
    assert_int_equal(sscanf(lines[i],
                            i % 2 ? "lift-off t = %lf s, z = %lf" : "touch-down t = %lf s, z = %lf",
                            &t, &z),
                     2);
    // on the table's spring; at first after a free fall
    near(z, 1.0 + 0.05 * sin(12.0 * t), 1e-6);
    if (i == 0) near(z, 2.0 - 0.5 * 9.81 * t * t, 1e-6);
  }
  assert_non_null(strstr(lines[count - 1], "success at t = 1.0"));
}

static void puck_flies_a_parabola_within_the_circle(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  assert_int_equal(run_example(EXAMPLE_NO_JACOBIAN, lines), 3);
  double in, out, x, y, end_x, end_y;
  assert_int_equal(sscanf(lines[0], "enters t = %lf s", &in), 1);
  assert_int_equal(sscanf(lines[1], "leaves t = %lf s, x = %lf m, y = %lf", &out, &x, &y), 3);
  assert_int_equal(
      sscanf(lines[2], "success at t = 6.000000 s: x = %lf m, y = %lf", &end_x, &end_y), 2);
  near(in, 3.0 - sqrt(1.0 - 0.16), 1e-6);
  const double within = out - in;
  near(x, out - 3.0, 1e-6);
  near(y, 0.4 + 0.25 * within * within, 1e-6);
  near(hypot(x, y), 1.0, 1e-6);
  near(end_x, 3.0, 1e-6);
  near(end_y, y + 0.5 * within * (6.0 - out), 1e-6);
}

static void what_goes_forward_comes_back(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  assert_int_equal(run_example(EXAMPLE_BACKWARD, lines), 10);
  double there[4], back[4], z, v;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(sscanf(lines[i], "crossing t = %lf", &there[i]), 1);
    assert_int_equal(sscanf(lines[5 + i], "crossing t = %lf", &back[i]), 1);
  }
  near(there[0], sqrt(2.0 / 9.81), 1e-6);
  for (int i = 0; i < 4; i++) near(back[i], there[3 - i], 1e-5);
  assert_int_equal(sscanf(lines[9], "success at t = 0.000000 s: z = %lf m, v = %lf", &z, &v), 2);
  near(z, 2.0, 1e-5);
  near(v, 0.0, 1e-5);
}

static void stone_is_seen_over_the_wall(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  assert_int_equal(run_example(EXAMPLE_WATCH, lines), 5);
  const double g = 9.81, top = 10.0 / g, beside = sqrt(100.0 - 6.0 * g) / g;
  const char *const formats[] = {"wall t = %lf", "top t = %lf", "wall t = %lf", "ground t = %lf"};
  const double expected[] = {top - beside, top, top + beside, 2.0 * top};
  double t, v;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(sscanf(lines[i], formats[i], &t), 1);
    near(t, expected[i], 1e-7);
  }
  assert_int_equal(sscanf(strstr(lines[4], "at t"), "at t = %lf s: v = %lf", &t, &v), 2);
  near(t, 2.0 * top, 1e-6);
  near(v, -10.0, 1e-6);
}

/* the block slips one way (side +1 or -1) from t0 at rest: its slip, and its way, at t */
static void slipped(double t0, double side, double t, double *w, double *x) {
  const double constant = 9.81 * (sin(0.1) - side * 0.3 * cos(0.1)), pi = acos(-1.0);
  const double span = t - t0, c0 = cos(2.0 * pi * t0), s0 = sin(2.0 * pi * t0);
  *w = constant * span + 3.0 / pi * (cos(2.0 * pi * t) - c0);
  *x =
      0.5 * constant * span * span + 3.0 / pi * ((sin(2.0 * pi * t) - s0) / (2.0 * pi) - c0 * span);
}

/* what moves the block while it does not slip, over what friction can hold */
static double pull(double t) {
  return (9.81 * sin(0.1) - 6.0 * sin(2.0 * acos(-1.0) * t)) / (0.3 * 9.81 * cos(0.1));
}

/* when friction no longer holds, and which way the block goes; then when it halts */
static double until_slip(double t, double *side) {
  double high = t;
  while (fabs(pull(high)) < 1.0) high += 1e-4;
  *side = pull(high) > 0.0 ? 1.0 : -1.0;
  for (double low = high - 1e-4; high - low > 1e-13;) {
    const double middle = 0.5 * (low + high);
    *(fabs(pull(middle)) < 1.0 ? &low : &high) = middle;
  }
  return high;
}

static double until_halt(double t0, double side) {
  double w, x, high = t0 + 1e-2;
  for (slipped(t0, side, high, &w, &x); w * side > 0.0; slipped(t0, side, high, &w, &x))
    high += 1e-4;
  for (double low = high - 1e-4; high - low > 1e-13;) {
    const double middle = 0.5 * (low + high);
    slipped(t0, side, middle, &w, &x);
    *(w * side > 0.0 ? &low : &high) = middle;
  }
  return high;
}

static void says(const char *line, const char *what, double t, double x) {
  double at, place;
  assert_non_null(strstr(line, "t = "));
  if (strncmp(line, what, strlen(what)) != 0) fail_msg("%s, not %s", line, what);
  assert_int_equal(sscanf(strstr(line, "t = "), "t = %lf s, x = %lf", &at, &place), 2);
  near(at, t, 1e-6);
  near(place, x, 1e-6);
}

static void block_sticks_slips_and_turns(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_STICK_SLIP, lines);
  double t = 0.0, x = 0.0, side, w, way, end_x, end_w;
  size_t i = 0, turns = 0, sticks = 0;
  for (;;) {
    says(lines[i++], "halts", t, x);
    if (fabs(pull(t)) < 1.0) {
      says(lines[i++], "sticks", t, x);
      t = until_slip(t, &side);
      says(lines[i++], side > 0.0 ? "slips down" : "slips up", t, x);
      sticks++;
    } else {
      side = pull(t) > 0.0 ? 1.0 : -1.0;
      turns++;
    }
    const double halt = until_halt(t, side);
    if (halt > 3.0) break;
    slipped(t, side, halt, &w, &way);
    t = halt;
    x += way;
  }
  slipped(t, side, 3.0, &w, &way);
  assert_true(sticks >= 3 && turns >= 2);
  assert_int_equal(i + 1, count);
  assert_int_equal(
      sscanf(lines[i], "success at t = 3.000000 s: x = %lf m, w = %lf", &end_x, &end_w), 2);
  near(end_x, x + way, 1e-6);
  near(end_w, w, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_falls_and_rises_against_the_air),
      cmocka_unit_test(mass_falls_freely_onto_a_table_that_swings),
      cmocka_unit_test(puck_flies_a_parabola_within_the_circle),
      cmocka_unit_test(what_goes_forward_comes_back),
      cmocka_unit_test(stone_is_seen_over_the_wall),
      cmocka_unit_test(block_sticks_slips_and_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
