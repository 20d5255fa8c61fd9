/*
 * The examples of derivatives: SLIP's gaits and multipliers are those that are known, and the plate
 * lands as planned when it is integrated again here, without libess; no other throw takes less.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "examples_fixture.h"

static void gaits_and_multipliers_are_as_known(void **state) {
  (void)state;
  static const double known[2][2] = {{0.94026714, -0.161308}, {1.33768638, 1.686968}};
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_SLIP_GAITS, lines);
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    double height, multiplier;
    if (sscanf(lines[i], "gait with its apex at %lf m: multiplier %lf", &height, &multiplier) != 2)
      continue;
    assert_true(found < 2);
    assert_true(fabs(height - known[found][0]) < 1e-8);
    assert_true(fabs(multiplier - known[found][1]) < 1e-6);
    found++;
  }
  assert_int_equal(found, 2);
}

/* the plate of the example, each absorber looked at in each call */
static void plate(const double x[], double dxdt[]) {
  static const double place[] = {-0.5, -0.2, 0.2, 0.5};
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = -9.81;
  dxdt[3] = 0.0;
  for (int i = 0; i < 4; i++) {
    const double arm = place[i] * cos(x[1]), depth = -x[0] - place[i] * sin(x[1]);
    if (depth < 0.0) continue;
    const double force = 2000.0 * depth + 40.0 * (-x[2] - arm * x[3]);
    dxdt[2] += force / 10.0;
    dxdt[3] += arm * force;
  }
}

static void the_plate_lands_as_planned(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_LANDING, lines);
  double speed = NAN, spin = NAN, tilt = NAN, miss = NAN;
  size_t i = 1;
  assert_string_equal(lines[0], "with saltation\n");
  for (; i < count && strcmp(lines[i], "without\n") != 0; i++)
    assert_int_equal(sscanf(lines[i], " %*d: from %lf m/s and %lf rad/s to %lf rad and %lf m/s",
                            &speed, &spin, &tilt, &miss),
                     4);
  assert_true(i < 12 && hypot(tilt, miss) < 1e-9);

  double x[STATES_MAX] = {0.5, 0.2, speed, spin};
  const int steps = 300000;
  for (int k = 0; k < steps; k++) runge_kutta_step(plate, 4, 0.3 / steps, x);
  assert_true(fabs(x[1]) < 1e-4 && fabs(x[2] - 0.8) < 1e-3);

  // the other planner is left where it is stuck
  assert_true(i + 3 < count);
  assert_non_null(strstr(lines[count - 2], "no step along it comes nearer"));
  assert_int_equal(sscanf(lines[count - 3], " %*d: from %lf m/s and %lf rad/s to %lf rad and %lf",
                          &speed, &spin, &tilt, &miss),
                   4);
  assert_true(hypot(tilt, miss) > 0.1);
}

/* ---- the throw, in closed form between bounces ------------------------------------------------
 */

enum { SINES = 16, WEIGHTS = 2 * SINES };
static const double throw_time = 1.5;

/* speed and place along one axis at t, from those at t0, by thrust of these weights and a steady a
 */
static void fly(const double p[SINES], double a, double t0, double t, const double from[2],
                double to[2]) {
  const double since = t - t0;
  to[0] = from[0] + a * since;
  to[1] = from[1] + from[0] * since + 0.5 * a * since * since;
  for (int j = 0; j < SINES; j++) {
    const double w = (j + 1) * acos(-1.0) / throw_time;
    to[0] += p[j] * (cos(w * t0) - cos(w * t)) / w;
    to[1] += p[j] * (since * cos(w * t0) / w - (sin(w * t) - sin(w * t0)) / (w * w));
  }
}

static double above_floor(const double along[2], const double up[2]) {
  return up[1] - 0.1 * cos(3.0 * along[1]);
}

/* effort and miss of the throw by these weights; *bounces on the way */
static double value_of(const double p[WEIGHTS], int *bounces, double end[2]) {
  const double dt = 1e-4;
  double t0 = 0.0, along[2] = {0.3, 0.0}, up[2] = {0.0, 1.0}, x[2], z[2];
  *bounces = 0;
  for (double t = dt; t <= throw_time + 0.5 * dt; t += dt) {
    double low = t - dt, high = t;
    fly(p, 0.0, t0, high, along, x);
    fly(p + SINES, -9.81, t0, high, up, z);
    if (above_floor(x, z) >= 0.0 || low < t0) continue;
    while (high - low > 1e-15 * high) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      fly(p, 0.0, t0, middle, along, x);
      fly(p + SINES, -9.81, t0, middle, up, z);
      *(above_floor(x, z) < 0.0 ? &high : &low) = middle;
    }
    const double slope = -0.3 * sin(3.0 * x[1]), size = hypot(slope, 1.0);
    const double into = (z[0] - slope * x[0]) / size;
    along[0] = x[0] + 1.8 * into * slope / size;
    along[1] = x[1];
    up[0] = z[0] - 1.8 * into / size;
    up[1] = z[1];
    t0 = high;
    ++*bounces;
  }
  fly(p, 0.0, t0, throw_time, along, x);
  fly(p + SINES, -9.81, t0, throw_time, up, z);
  end[0] = x[1];
  end[1] = z[1];
  double effort = 0.0; // sines are orthogonal
  for (int j = 0; j < WEIGHTS; j++) effort += 0.25 * throw_time * p[j] * p[j];
  const double miss[2] = {end[0] - 1.2, end[1] - 0.6};
  return effort + 500.0 * (miss[0] * miss[0] + miss[1] * miss[1]);
}

static void the_throw_cannot_be_better(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_THROW, lines);
  double p[WEIGHTS], least = NAN, end[2], said[2] = {NAN, NAN};
  int found = 0, j, bounces;
  for (size_t i = 0; i < count; i++) {
    double along, up;
    if (sscanf(lines[i], "thrust %d: %lf %lf", &j, &along, &up) == 3) {
      assert_int_equal(j, ++found);
      p[j - 1] = along;
      p[SINES + j - 1] = up;
    }
    (void)sscanf(lines[i], "least: %lf", &least);
    (void)sscanf(lines[i], "success after %*d runs: at %lf m, %lf m", &said[0], &said[1]);
  }
  assert_int_equal(found, SINES);
  assert_true(fabs(value_of(p, &bounces, end) - least) < 1e-7);
  assert_true(bounces >= 2);
  assert_true(hypot(end[0] - said[0], end[1] - said[1]) < 2e-6);
  assert_true(hypot(end[0] - 1.2, end[1] - 0.6) < 0.01);
  for (int i = 0; i < WEIGHTS; i++) {
    const double at = p[i], by = 1e-3;
    p[i] = at + by;
    const double more = value_of(p, &bounces, end);
    p[i] = at - by;
    const double less = value_of(p, &bounces, end);
    p[i] = at;
    assert_true(more > least && less > least);
    assert_true(fabs(more - less) / (2.0 * by) < 1e-3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaits_and_multipliers_are_as_known),
      cmocka_unit_test(the_plate_lands_as_planned),
      cmocka_unit_test(the_throw_cannot_be_better),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
