/*
 * Sizes at their ends, with the default method: ten thousand guards at once, one state and a
 * hundred, seconds of 1e-9 and 1e9, clocks that show 1e6.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"
#include "hostile.h"

static const double tolerances[] = {1e-3, 1e-6, 1e-9};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

static bed springs;

/* a run of the bed from rest at 1, down and up again, that must succeed */
static void run_bed(double tolerance, double t0, double x[2]) {
  const ess_system system = bed_system(&springs);
  const ess_options options = toy_options(tolerance);
  ess_driver *const d = hostile_driver(&system, &options);
  double t = t0;
  x[0] = 1.0;
  x[1] = 0.0;
  const int status = ess_driver_apply(d, &t, t0 + 2.3 * springs.second, x);
  if (status) fail_msg("at %g: %s at t = %g", tolerance, ess_strerror(status), t);
  assert_int_equal(ess_driver_counters(d)->crossings, 2 * springs.count);
  hostile_check_signs(d, springs.count);
  ess_driver_free(d);
}

/* Outcome: no energy is won or lost but what the tolerance allows. */
TEST(many_guards_at_once) {
  const double spreads[] = {0.0, 1e-3};
#ifdef HOSTILE_GUARDS
  const size_t count = HOSTILE_GUARDS;
#else
  const size_t count = BED_MAX;
#endif
  for (size_t i = 0; i < 2; i++) {
    double x[2];
    bed_make(&springs, count, spreads[i]);
    run_bed(1e-4, 0.0, x);
    const double off = fabs(bed_energy(&springs, x) - 2.0);
    if (!(off <= 30e-4)) fail_msg("spread %g: energy off by %g", spreads[i], off);
  }
}

/* the same numbers whatever a second is, but for rounding where steps are chosen */
TEST(seconds_of_any_length) {
  const double seconds[] = {1e-9, 1e-3, 1e3, 1e9};
  for (size_t i = 0; i < TOLERANCES; i++) {
    double exact[2], x[2];
    bed_make(&springs, 40, 1e-3);
    run_bed(1e-12, 0.0, exact);
    for (size_t j = 0; j < 4; j++) {
      springs.second = seconds[j];
      run_bed(tolerances[i], 0.0, x);
      const double off = fmax(fabs(x[0] - exact[0]), fabs(x[1] - exact[1]));
      if (!(off <= 30.0 * tolerances[i]))
        fail_msg("seconds of %g at %g: off by %g", seconds[j], tolerances[i], off);
    }
  }
}

/* time has 1e-10 left to tell crossings apart */
TEST(clocks_that_show_a_million) {
  const double starts[] = {-1e6, 1e6};
  for (size_t i = 0; i < TOLERANCES; i++) {
    double exact[2], x[2];
    bed_make(&springs, 40, 1e-3);
    run_bed(1e-12, 0.0, exact);
    for (size_t j = 0; j < 2; j++) {
      run_bed(tolerances[i], starts[j], x);
      const double off = fmax(fabs(x[0] - exact[0]), fabs(x[1] - exact[1]));
      if (!(off <= 30.0 * tolerances[i] + 1e-9))
        fail_msg("from %g at %g: off by %g", starts[j], tolerances[i], off);
    }
  }
}

/* ---- dimensions ------------------------------------------------------------------------------ */

enum { STOPS = 100 };

/* a clock that is faster beyond each guard, by ever less */
FIELD(one_field) {
  dxdt[0] = 1.0;
  for (size_t k = 0; k < STOPS; k++)
    if (sign[k] > 0.0) dxdt[0] += (k % 3 ? 1.0 : -0.5) / STOPS;
}

static double stop_at(size_t k) {
  return 1.0 + 1e-3 * (double)k / STOPS;
}

PLANES_EACH(one, 1, STOPS, x[0], stop_at(k));

/* where the clock is after `left` seconds from the first stop */
static double one_exact(double left) {
  double x = stop_at(0), speed = 1.0;
  for (size_t k = 0; k < STOPS; k++) {
    speed += (k % 3 ? 1.0 : -0.5) / STOPS;
    const double room = k + 1 < STOPS ? stop_at(k + 1) - x : INFINITY;
    if (left * speed < room) return x + left * speed;
    left -= room / speed;
    x += room;
  }
  return x;
}

TEST(one_state) {
  const ess_system system = {.dimension = 1, .guard_count = STOPS, OF_RATES(one)};
  for (size_t i = 0; i < TOLERANCES; i++) {
    const ess_options options = toy_options(tolerances[i]);
    for (double left = 1e-5; left < 2.0; left *= 3.0) {
      double x = 0.0;
      toy_succeeds(&system, &options, 0.0, 1.0 + left, &x);
      if (!(fabs(x - one_exact(left)) <= 30.0 * tolerances[i]))
        fail_msg("%g s at %g: off by %g", left, tolerances[i], x - one_exact(left));
    }
  }
}

/* as balls_error, over all states alike */
static double balls_rms(const balls *b, const double x0[], double t, const double x[]) {
  const toy_ball ball = {.stiffness = b->stiffness};
  double sum = 0.0;
  for (size_t i = 0; i < b->count; i++) {
    double exact[2];
    ball_exact(&ball, x0[2 * i], t, exact);
    sum += pow(x[2 * i] - exact[0], 2.0) + pow(x[2 * i + 1] - exact[1], 2.0);
  }
  return sqrt(sum / (2.0 * (double)b->count));
}

/* fifty balls, which land within a millisecond, or when they will */
TEST(a_hundred_states) {
  const double spreads[] = {0.0, 1e-3, 1.0};
  for (size_t i = 0; i < TOLERANCES; i++)
    for (size_t j = 0; j < 3; j++) {
      balls b = balls_of(50, 50);
      const ess_system system = balls_system(&b);
      const ess_options options = toy_options(tolerances[i]);
      double x0[100], x[100];
      balls_drop(&b, 0.5, spreads[j], x0);
      memcpy(x, x0, sizeof x);
      toy_succeeds(&system, &options, 0.0, 3.0, x);
      const double off = balls_rms(&b, x0, 3.0, x);
      // a norm over a hundred states lets a few of them be ten times as wrong
      if (!(off <= 100.0 * tolerances[i]))
        fail_msg("spread %g at %g: off by %g", spreads[j], tolerances[i], off);
    }
}
