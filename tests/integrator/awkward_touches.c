/*
 * Awkward cases of guards that are touched, left and met again: grazing, touches and re-crossings
 * within one step, guards without a gradient, neighbourhoods larger than all that happens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>

#include "awkward.h"

/* ---- a point thrown up at a ceiling ---------------------------------------------------------- */

/* z = t - t^2 below the ceiling, whose top is 1/4 at t = 1/2; above, gravity is 3 instead of 2 */
FIELD(thrown_field) {
  dxdt[0] = x[1];
  dxdt[1] = sign[0] > 0.0 ? -3.0 : -2.0;
}

PLANES(thrown, 2, (x[0]), (*AS(double)));

/* throws at a ceiling; the first step would go from start to end, both far below it */
static size_t throw_at(double ceiling, double epsilon, double projection_max, int order,
                       double x[2]) {
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             OF(thrown),
                             .guard_jacobian = toy_fall_jacobian,
                             .params = &ceiling};
  ess_options options = toy_paper(order);
  options.epsilon = epsilon;
  options.h_init = 1.0;
  options.projection_max = projection_max;
  toy_log log;
  options.observer = toy_observer(&log);
  x[0] = 0.0;
  x[1] = 1.0;
  toy_succeeds(&system, &options, 0.0, 1.0, x);
  for (size_t i = 0; i < log.count; i++) assert_int_equal(log.direction[i], i % 2 ? -1 : 1);
  return log.count;
}

/* where the throw ends, exactly, with the ceiling `depth` below its top */
static void throw_exactly(double depth, double x[2]) {
  const double speed = 2.0 * sqrt(depth), above = 2.0 * speed / 3.0;
  const double rest = 1.0 - (0.5 - sqrt(depth)) - above;
  x[0] = 0.25 - depth - speed * rest - rest * rest;
  x[1] = -speed - 2.0 * rest;
}

/* Outcome: two crossings, up and down, however shallow the touch, and the end to the projections'
 * error: at speed v = 2 sqrt(depth) each lasts epsilon / v, and leaves less than 6 / v of that
 * squared. */
CASE(touch_and_leave_within_one_step) {
  for (double depth = 0.2; depth > 1e-9; depth *= 0.1)
    for (double epsilon = 1e-10; epsilon < 0.5 * depth; epsilon *= 10.0) {
      double x[2], exact[2];
      assert_int_equal(throw_at(0.25 - depth, epsilon, 0.1, order, x), 2);
      throw_exactly(depth, exact);
      const double speed = 2.0 * sqrt(depth), bound = 6.0 * pow(epsilon / speed, 2) / speed;
      assert_true(hypot(x[0] - exact[0], x[1] - exact[1]) < bound + 1e-10);
    }
}

/* Outcome: no crossing of a guard whose neighbourhood is entered and left again, when no projection
 * may last as long as the tangent needs at least, sqrt(gap); the parabola's own end. */
CASE(grazing_without_touching) {
  for (double gap = 1e-2; gap > 1e-7; gap *= 0.1)
    for (double epsilon = 1e-10; epsilon < 0.1; epsilon *= 10.0) {
      double x[2];
      assert_int_equal(throw_at(0.25 + gap, epsilon, 0.9 * sqrt(gap), order, x), 0);
      assert_true(hypot(x[0], x[1] + 1.0) < 1e-12);
    }
}

/* Outcome of touching a guard to the last bit: it is not crossed, or crossed and crossed back. The
 * latter can be by a projection no longer than p = projection_max, hence at a rate of at most 4 p,
 * half of which is left at the guard: at most 4/3 p is spent above, at a gravity of 1 more, and
 * what the tangents miss, 2 p at most each way, is of that size too. */
CASE(grazing_that_touches_and_recedes) {
  for (double longest = 1e-2; longest > 1e-6; longest *= 0.1)
    for (double epsilon = 1e-10; epsilon < 0.1; epsilon *= 10.0) {
      double x[2];
      const size_t crossings = throw_at(0.25, epsilon, longest, order, x);
      assert_true(crossings == 0 || crossings == 2);
      assert_true(hypot(x[0], x[1] + 1.0) < 6.0 * longest);
    }
}

/* ---- a clock through guards of its own ------------------------------------------------------- */

/* runs the clock from 0 to 1, in one step if it may, through a guard */
static void run_clock(int (*guards)(double, const double[], double[], void *),
                      int (*jacobian)(double, const double[], double[], void *), double epsilon,
                      int order, toy_log *log) {
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = toy_clock,
                             .guards = guards,
                             .guard_jacobian = jacobian};
  ess_options options = toy_paper(order);
  options.epsilon = epsilon;
  options.h_init = 1.0;
  options.observer = toy_observer(log);
  double x[1] = {0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
  assert_true(end.t == 1.0 && fabs(x[0] - 1.0) < 1e-13); // the rounding of all steps
}

GUARDS(wave_guards) {
  h[0] = (x[0] - 0.2) * (x[0] - 0.4) * (x[0] - 0.6) * (x[0] - 0.8);
}

GUARD_JACOBIAN(wave_jacobian) {
  const double a = x[0] - 0.2, b = x[0] - 0.4, c = x[0] - 0.6, d = x[0] - 0.8;
  Dh[0] = b * c * d + a * c * d + a * b * d + a * b * c;
}

/* Outcome: all four crossings of one guard within what is one step of the field, down first, each
 * at its time: rates are at least 0.016 and |h''| below 0.5 there, so that a projection over
 * epsilon errs by (epsilon / 0.016)^2 0.5 / 0.016 / 2 at most. */
CASE(recrossing_within_one_step) {
  for (double epsilon = 1e-9; epsilon < 1e-5; epsilon *= 10.0) {
    toy_log log;
    run_clock(wave_guards, wave_jacobian, epsilon, order, &log);
    assert_int_equal(log.count, 4);
    const double bound = pow(epsilon / 0.016, 2) * 0.25 / 0.016 + 1e-9 * epsilon / 0.016 + 1e-13;
    for (size_t k = 0; k < 4; k++) {
      assert_int_equal(log.direction[k], k % 2 ? 1 : -1);
      assert_true(fabs(log.time[k] - 0.2 * (double)(k + 1)) < bound);
    }
  }
}

/* rises to zero at 0.3, is zero until 0.6, rises on: smooth, and without a gradient in between */
GUARDS(terrace_guards) {
  h[0] = x[0] < 0.3 ? pow(x[0] - 0.3, 3) : x[0] > 0.6 ? pow(x[0] - 0.6, 3) : 0.0;
}

GUARD_JACOBIAN(terrace_jacobian) {
  const double away = x[0] < 0.3 ? x[0] - 0.3 : x[0] > 0.6 ? x[0] - 0.6 : 0.0;
  Dh[0] = 3.0 * away * away;
}

/* Outcome: one crossing, upward, at a time from the neighbourhood's entry to the terrace's end:
 * where on the terrace, the event function does not say. */
CASE(zero_over_an_interval) {
  for (double epsilon = 1e-9; epsilon < 1e-2; epsilon *= 10.0) {
    toy_log log;
    run_clock(terrace_guards, terrace_jacobian, epsilon, order, &log);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.direction[0], 1);
    assert_true(log.time[0] >= 0.3 - 1.0001 * cbrt(epsilon) && log.time[0] <= 0.6 + cbrt(1e-9));
  }
}

GUARDS(flat_guards) {
  h[0] = 0.0;
}

GUARD_JACOBIAN(flat_jacobian) {
  Dh[0] = 0.0;
}

/* Outcome: an event function that is zero everywhere is never crossed. */
CASE(zero_throughout) {
  for (double epsilon = 1e-9; epsilon < 10.0; epsilon *= 100.0) {
    toy_log log;
    run_clock(flat_guards, flat_jacobian, epsilon, order, &log);
    assert_int_equal(log.count, 0);
  }
}

/* ---- guards armed from the wrong side -------------------------------------------------------- */

/* x0 runs, and arms guard 1 at x0 = 0.5; guard 1 is x1 - 0.5, and x1 starts beyond it at 0.75 with
 * the speed that x2 keeps, which is turned round at x0 = 1.5 by guard 2 */
FIELD(armed_field) {
  dxdt[0] = 1.0;
  dxdt[1] = sign[2] < 0.0 ? x[2] : -x[2];
  dxdt[2] = 0.0;
}

PLANES(armed, 3, (x[0], x[1], x[0]), (0.5, 0.5, 1.5));

static void run_armed(double speed, int order, toy_log *log) {
  // row UP(0) arms UP(1); the others are empty
  const size_t rows[] = {0, 1, 1, 1, 1, 1, 1, 1}, armed[] = {ESS_GUARD_UP(1)};
  const signed char effects[] = {1};
  const ess_reset_matrix resets = {.row_start = rows, .guard = armed, .effect = effects};
  const ess_system system = {
      .dimension = 3, .guard_count = 3, OF_JACOBIAN(armed), .one_way = true, .resets = &resets};
  ess_options options = toy_paper(order);
  options.observer = toy_observer(log);
  double x[3] = {0.0, 0.75, speed};
  toy_succeeds(&system, &options, 0.0, 3.0, x);
}

static void check_armed(double speed, int order, const size_t guards[3], const double times[3]) {
  toy_log log;
  run_armed(speed, order, &log);
  assert_int_equal(log.count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(log.guard[i], guards[i]);
    assert_int_equal(log.direction[i], 1);
    assert_true(fabs(log.time[i] - times[i]) < 1e-9);
  }
}

/* Outcome: armed while the state is beyond it, a guard is crossed at once when it is approached;
 * when it recedes, once the state comes back: from below, or turned round while still beyond. */
CASE(armed_beyond_the_guard) {
  const size_t rising[] = {0, 1, 2}, falling[] = {0, 2, 1};
  check_armed(0.1, order, rising, (const double[]){0.5, 0.5, 1.5});
  // from 3/4 to 3/8 at t = 3/2, and back to 1/2
  check_armed(-0.25, order, falling, (const double[]){0.5, 1.5, 2.0});
  check_armed(-0.05, order, falling, (const double[]){0.5, 1.5, 1.5});
}

/* ---- a ball on a spring ---------------------------------------------------------------------- */

/* Outcome: dropped from a hundredth onto a stiff spring that it presses in by two thousandths, with
 * all of it inside the neighbourhood: touch-down and lift-off, nothing else, and the energy kept to
 * what projections no longer than p cost: 2 p^2 landing, and (k v^2 + a^2) p^2 / 2 leaving, as
 * v <= 0.2 and |a| <= sqrt(k) v + 2. */
CASE(epsilon_larger_than_the_penetration) {
  const double height = 0.01, speed = 0.2, stiffness = 1e4, longest = 1e-5;
  toy_ball ball = {.stiffness = stiffness};
  const double fall = sqrt(height), contact = ball_contact_time(&ball, height);
  const double force = sqrt(stiffness) * speed + 2.0;
  const double bound =
      (2.0 + 0.5 * (stiffness * speed * speed + force * force)) * longest * longest;
  for (double epsilon = 3e-3; epsilon < 1e6; epsilon *= 30.0) {
    const ess_system system = ball_system(&ball);
    ess_options options = toy_paper(order);
    options.epsilon = epsilon;
    options.projection_max = longest;
    options.rtol = 1e-12;
    options.atol = 1e-14;
    toy_log log;
    options.observer = toy_observer(&log);
    double x[2] = {height, 0.0};
    toy_succeeds(&system, &options, 0.0, fall + contact + fall, x);
    assert_int_equal(log.count, 2);
    assert_true(log.direction[0] == 1 && log.direction[1] == -1);
    // the fall takes too long by p^2 / v at most; the way out, by p at most
    assert_true(fabs(log.time[0] - fall) < longest * longest / speed * 2.0 + 1e-12);
    assert_true(fabs(log.time[1] - fall - contact) < longest);
    assert_true(fabs(0.5 * x[1] * x[1] + 2.0 * x[0] - 2.0 * height) < bound);
  }
}

/* throws the ball up at unit speed from a thousandth above ground and returns when it lands */
static double throw_from_inside(double epsilon, double h_max, int order) {
  toy_ball ball = {.stiffness = 50.0};
  const ess_system system = ball_system(&ball);
  ess_options options = toy_paper(order);
  options.epsilon = epsilon;
  options.h_init = 10.0;
  options.h_max = h_max;
  toy_log log;
  options.observer = toy_observer(&log);
  double x[2] = {1e-3, 1.0};
  toy_succeeds(&system, &options, 0.0, 1.25, x);
  assert_int_equal(log.count, 1);
  assert_int_equal(log.direction[0], 1);
  return log.time[0];
}

/* Outcome: a ball that starts inside the ground's neighbourhood and recedes lands once. In small
 * steps it is seen to leave, and projected from the neighbourhood's edge, at the speed it has there
 * by energy. In one step, or when it never leaves, it is located: it lands in time. */
CASE(starts_inside_recedes_and_returns) {
  const double landing = 0.5 + sqrt(0.25 + 1e-3), epsilons[] = {2e-3, 2e-2, 0.1, 0.2};
  for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
    const double epsilon = epsilons[e], speed = sqrt(1.0 + 4.0 * (1e-3 - epsilon));
    // order 2 falls at the speed half-way, and corrects what that has too much
    const double tangent = epsilon / speed, excess = tangent * tangent / (speed + tangent);
    const double duration = tangent - (order == 2 ? excess : 0.0);
    const double projected = 0.5 * (1.0 + speed) + duration;
    assert_true(fabs(throw_from_inside(epsilon, 1e-3, order) - projected) < 1e-8);
    const double time = throw_from_inside(epsilon, INFINITY, order);
    assert_true(time > fmin(landing, projected) - 1e-8);
    assert_true(time < fmax(landing, projected) + 1e-8);
  }
  for (double epsilon = 0.26; epsilon < 1e4; epsilon *= 10.0)
    assert_true(fabs(throw_from_inside(epsilon, INFINITY, order) - landing) < 2e-9 * epsilon);
}
