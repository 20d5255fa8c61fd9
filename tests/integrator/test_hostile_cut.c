/*
 * Steps that end early, where a row arms a guard that is crossed at once, or disarms one that has
 * just been passed. Truth: x' = 1, so x is the time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "toy.h"

enum { GUARDS = 3, RUNS = 2000 };

PLANES_EACH(clock, 1, GUARDS, x[0], AS(double)[k]);

/* the third is not armed before the second is crossed */
ARMED_AT_START(clock_start) {
  armed[ESS_GUARD_UP(2)] = false;
}

static ess_driver *clock_driver(double place[], const ess_reset_matrix *resets,
                                ess_options options) {
  const ess_system system = {.dimension = 1,
                             .guard_count = GUARDS,
                             .field = toy_clock,
                             .guards = clock_guards,
                             .guard_jacobian = clock_jacobian,
                             .resets = resets,
                             .params = place};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  return d;
}

/* by how much the state is not the time, in a run of several applies */
static double time_lost(double place[], uint64_t *seed, double tolerance) {
  // crossing the second arms what lies ahead of the third
  static const size_t row_start[2 * GUARDS + 2] = {0, 0, 0, 1, 1, 1, 1, 1};
  static const size_t guard[] = {ESS_GUARD_UP(2)};
  static const signed char effect[] = {ESS_ARM_AHEAD};
  const ess_reset_matrix resets = {
      .row_start = row_start, .guard = guard, .effect = effect, .start = clock_start};
  ess_driver *const d = clock_driver(place, &resets, toy_options(tolerance));
  double t = 0.0, x = 0.0, lost = 0.0;
  const double ends[] = {0.38 + 0.02 * draw(seed), 0.4845 + 0.01 * draw(seed), 0.7};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(ess_driver_apply(d, &t, ends[i], &x), ESS_SUCCESS);
    lost = fmax(lost, fabs(x - t));
  }
  ess_driver_free(d);
  return lost;
}

TEST(no_time_passes_but_with_the_state) {
  uint64_t seed = 1;
  for (int i = 0; i < RUNS; i++) {
    const double tolerance = i % 2 ? 1e-3 : 1e-6;
    double place[GUARDS] = {0.48 - 0.006 * draw(&seed), 0.48, 0.48 + 0.004 * draw(&seed)};
    const double lost = time_lost(place, &seed, tolerance);
    if (!(lost < 1e-12)) fail_msg("run %d, at %g: %g of the time is lost", i, tolerance, lost);
  }
}

/* crossings made, of which the third guard's disarms the second, and the first's the third */
static void chain(double place[], double between, uint64_t *loud, uint64_t *silent) {
  static const size_t row_start[2 * GUARDS + 2] = {0, 1, 1, 1, 1, 2, 2, 2};
  static const size_t guard[] = {ESS_GUARD_UP(2), ESS_GUARD_UP(1)};
  static const signed char effect[] = {-1, -1};
  static const bool is_silent[2 * GUARDS] = {true, true, false, false, true, true};
  const ess_reset_matrix resets = {
      .row_start = row_start, .guard = guard, .effect = effect, .silent = is_silent};
  ess_driver *const d = clock_driver(place, &resets, ess_options_default());
  double t = 0.0, x = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, between, &x), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 0.4, &x), ESS_SUCCESS);
  *loud = ess_driver_counters(d)->crossings;
  *silent = ess_driver_counters(d)->silent;
  ess_driver_free(d);
}

TEST(who_is_disarmed_after_its_crossing_has_been_crossed) {
  uint64_t seed = 1, loud, silent;
  for (int i = 0; i < RUNS; i++) {
    double place[GUARDS] = {0.3 + 0.01 * draw(&seed), 0.33, 0.29 + 0.01 * draw(&seed)};
    chain(place, 0.31 + 0.02 * draw(&seed), &loud, &silent);
    assert_int_equal(loud, 0);
    assert_int_equal(silent, 2);
  }
}
