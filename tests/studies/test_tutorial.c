/*
 * The example of the tutorial of contact methods, by its own programs as they are printed: a mass
 * of 10 kg that falls 1 m onto a rigid floor, in steps of 1 ms, against the exact motion; and the
 * derivative of a bounce, by libess. The claims of the tutorial are judged by these numbers
 * (experiments/studies/claims.c).
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

#include "flow.h"

enum { Z, V, STATES };

/* as the tutorial has them */
enum { POINTS = 1000 };
static const double mass = 10.0, gravity = 9.81, fall = 1.0, time_step = 1e-3;

/* Starts beside that one, for the slope of a height by the start: they span more than a step's
 * fall, within which the step of the landing changes once. */
enum { NEIGHBOURS = 2001 };
static const double apart = 5e-6;

/* what counts as a touch: a share of the weight, which the smooth force never quite leaves */
static const double touch_share = 0.01;

/* ---- the tutorial's programs ----------------------------------------------------------------- */

/* From the state at a step to the next one; before that it may be rewritten, as a jump map does.
 * Returns the force of the floor. */
typedef double step_fn(double x[STATES], double restitution);

static void euler(double x[STATES], double force) {
  const double speed = x[V];
  x[V] += time_step * (force / mass - gravity);
  x[Z] += time_step * speed;
}

static double hybrid(double x[STATES], double restitution) {
  double force = 0.0;
  if (x[Z] < 0.0) {
    force = mass * -(1.0 + restitution) * x[V] / time_step;
    x[Z] = 0.0;
    x[V] *= -restitution;
  }
  euler(x, 0.0);
  return force;
}

static double smooth(double x[STATES], double restitution) {
  static const double spring = 0.01, damping = 0.1, most = 1500.0, steep = 100.0;
  (void)restitution;
  const double scale = 0.5 * most / spring, distance = scale - scale * tanh(steep * x[Z]);
  const double force = spring * distance - damping * x[V] * distance;
  euler(x, force);
  return force;
}

/* The solution of its constraints (1) to (4), without the slack that IPOPT needs: the force is
 * none, or that with which the step ends on the floor. */
static double stepping(double x[STATES], double restitution) {
  (void)restitution;
  const double free_speed = x[V] - time_step * gravity;
  const double force = fmax(0.0, -mass * (x[Z] / time_step + free_speed) / time_step);
  x[V] = free_speed + time_step * force / mass;
  x[Z] = force > 0.0 ? 0.0 : x[Z] + time_step * x[V];
  return force;
}

/* ---- the exact motion ------------------------------------------------------------------------ */

/* until the second landing, which is after the end */
static void exact(double t, double restitution, double x[STATES]) {
  const double lands = sqrt(2.0 * fall / gravity), after = t - lands;
  const double up = restitution * gravity * lands;
  x[Z] = after < 0.0 ? fall - 0.5 * gravity * t * t : 0.0;
  x[V] = after < 0.0 ? -gravity * t : 0.0;
  if (after < 0.0 || restitution == 0.0) return;
  x[Z] = up * after - 0.5 * gravity * after * after;
  x[V] = up - gravity * after;
}

/* of the height at t, after the first bounce, by the height at the start */
static double exact_derivative(double t, double restitution) {
  const double lands = sqrt(2.0 * fall / gravity), later = 1.0 / (gravity * lands);
  return later * gravity * ((1.0 + restitution) * (t - lands) - restitution * lands);
}

/* ---- what is known of a program -------------------------------------------------------------- */

/* errors of the height and of the speed over all steps, the height at the end, how often the floor
 * begins to push, and the largest change of a step's slope, height by initial height, from one
 * start to the next */
typedef struct found {
  double rms_position, rms_speed, rest, kink;
  int touches;
} found;

/* of the heights from three neighbouring starts, the one in the middle as it has been */
static double largest_kink(step_fn *step, double restitution) {
  double most = 0.0, last[POINTS], slope[POINTS];
  for (int i = 0; i < NEIGHBOURS; i++) {
    double x[STATES] = {fall + apart * (i - NEIGHBOURS / 2), 0.0};
    for (int k = 0; k < POINTS; k++) {
      const double now = i ? (x[Z] - last[k]) / apart : NAN;
      if (i > 1) most = fmax(most, fabs(now - slope[k]));
      slope[k] = now;
      last[k] = x[Z];
      step(x, restitution);
    }
  }
  return most;
}

static found run(step_fn *step, double restitution) {
  double x[STATES] = {fall, 0.0}, known[STATES], squares[STATES] = {0.0};
  bool touches = false;
  found f = {0};
  for (int k = 0; k < POINTS; k++) {
    exact(k * time_step, restitution, known);
    for (int i = 0; i < STATES; i++) squares[i] += (x[i] - known[i]) * (x[i] - known[i]);
    f.rest = x[Z];
    const bool pushed = step(x, restitution) > touch_share * mass * gravity;
    f.touches += pushed && !touches;
    touches = pushed;
  }
  f.rms_position = sqrt(squares[Z] / POINTS);
  f.rms_speed = sqrt(squares[V] / POINTS);
  f.kink = largest_kink(step, restitution);
  return f;
}

static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.12g is not %.12g", value, known);
}

/* ---- the tests ------------------------------------------------------------------------------- */

/* From the floor it sinks by g dt^2 in two steps, and is put back: a touch every other step. A
 * start lands a step later than the next and loses, or turns, its speed there. */
static void hybrid_is_accurate_and_chatters(void **state) {
  (void)state;
  const found f = run(hybrid, 0.0);
  const double steps = sqrt(2.0 * fall / gravity) / time_step;
  assert_true(f.rms_position <= 1e-3);
  near(f.rms_position, 0.00087, 5e-7);
  near(f.rms_speed, 0.198850, 5e-7);
  near(f.rest, -gravity * time_step * time_step, 1e-15);
  near(f.touches, (POINTS - steps) / 2.0, 1.5);
  assert_int_equal(f.touches, 274);
  near(f.kink, sqrt(2.0 * gravity * fall) * time_step / apart, 5.0);
}

static void hybrid_has_no_derivative(void **state) {
  (void)state;
  const found f = run(hybrid, 0.7);
  assert_true(f.kink >= 0.5);
  near(f.kink, 1.7 * sqrt(2.0 * gravity * fall) * time_step / apart, 10.0);
  near(f.kink, 1512.0, 0.5);
  assert_int_equal(f.touches, 1);
}

/* the spring's 750 N (1 - tanh 100 z) bears the weight */
static void smooth_is_inaccurate_and_has_a_derivative(void **state) {
  (void)state;
  const found f = run(smooth, 0.0);
  assert_true(f.rms_position >= 1e-3 && f.kink <= 0.5);
  near(f.rms_position, 0.008533, 5e-7);
  near(f.kink, 0.0003103, 5e-8);
  near(f.rest, atanh(1.0 - mass * gravity / 750.0) / 100.0, 1e-4);
  assert_int_equal(f.touches, 1);
}

/* constraints only end the fall: the slope goes from 1 to 0, which an interval of starts may share
 */
static void time_stepping_is_accurate_and_has_no_derivative(void **state) {
  (void)state;
  const found f = run(stepping, 0.0);
  assert_true(f.rms_position <= 1e-3 && f.kink >= 0.5);
  near(f.rms_position, 0.0008591, 5e-8);
  near(f.kink, 0.95, 5e-3);
  assert_true(f.kink <= 1.0 + 1e-9);
  near(f.rest, 0.0, 0.0);
  assert_int_equal(f.touches, 1);
}

/* the same bounce, its jump map given to libess: the height at 1 s by the initial height */
static void libess_has_the_derivative(void **state) {
  (void)state;
  static const double restitution = 0.7, end = 1.0, tolerance = 1e-11;
  static const double start[STATES] = {1.0, 0.0}, along[STATES] = {1.0, 0.0};
  char message[SOLVER_MESSAGE_SIZE];
  model m;
  model_init(&m, model_find("ball"));
  if (model_set(&m, "restitution", restitution, message)) fail_msg("%s", message);
  if (model_prepare(&m, message)) fail_msg("%s", message);
  double x[STATES], tangent[STATES], known[STATES];
  ess_options with = ess_options_default();
  with.rtol = with.atol = tolerance;
  const flow_request request = {.m = &m,
                                .options = &with,
                                .x0 = start,
                                .t1 = end,
                                .count = 1,
                                .directions = along,
                                .piece = SIZE_MAX};
  flow out = {.state = x, .tangent = tangent};
  if (flow_follow(&request, &out, message)) fail_msg("%s", message);
  exact(end, restitution, known);
  near(x[Z], known[Z], 1e-12);
  near(tangent[Z], exact_derivative(end, restitution), 1e-12);
  near(tangent[Z], 1.36502988, 1e-8);
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hybrid_is_accurate_and_chatters),
      cmocka_unit_test(hybrid_has_no_derivative),
      cmocka_unit_test(smooth_is_inaccurate_and_has_a_derivative),
      cmocka_unit_test(time_stepping_is_accurate_and_has_no_derivative),
      cmocka_unit_test(libess_has_the_derivative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
