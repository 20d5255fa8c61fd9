/*
 * The default method where crossings come in clusters: guards that the row of the empty pool arms,
 * and rows that latch other event functions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <limits.h>

#include "hostile.h"

enum { SPRINGS = 20, GUARDS = 2 * SPRINGS };

static bed springs;

typedef struct outcome {
  double x[2];
  ess_counters counters;
} outcome;

static outcome run(const ess_system *system, double tolerance) {
  const ess_options options = toy_options(tolerance);
  outcome o = {.x = {0.5, 0.0}};
  o.counters = toy_succeeds(system, &options, 0.0, 3.0, o.x).counters;
  return o;
}

/* one row alone, that of the empty pool, which arms whatever lies ahead */
static void make_pool(size_t row_start[GUARDS + 2], size_t guard[GUARDS],
                      signed char effect[GUARDS]) {
  for (size_t j = 0; j < GUARDS; j++) {
    row_start[j] = 0;
    guard[j] = j;
    effect[j] = 1;
  }
  row_start[GUARDS] = 0;
  row_start[GUARDS + 1] = GUARDS;
}

/* Outcome: as with mirrored pairs, since every spring is let go only when all have been pressed.
 * The crossing that empties the pool leaves its event function on zero, or a rounding before it:
 * its guard is armed again all the same. */
TEST(pools_emptied_in_clusters) {
  size_t row_start[GUARDS + 2], guard[GUARDS];
  signed char effect[GUARDS];
  make_pool(row_start, guard, effect);
  const ess_reset_matrix pool = {.row_start = row_start, .guard = guard, .effect = effect};
  for (double spread = 1e-5; spread < 2e-3; spread *= 10.0)
    for (double stiffness = 10.0; stiffness < 2e6; stiffness *= 10.0)
      for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-3) {
        bed_make(&springs, SPRINGS, spread);
        springs.stiffness = stiffness;
        ess_system system = bed_system(&springs);
        const outcome mirrored = run(&system, tolerance);
        system.resets = &pool;
        const outcome pooled = run(&system, tolerance);
        assert_int_equal(pooled.counters.crossings, mirrored.counters.crossings);
        // which guards are armed decides where steps end, so the errors are not the same
        for (int i = 0; i < 2; i++) assert_true(fabs(pooled.x[i] - mirrored.x[i]) <= tolerance);
      }
}

/* lines across the way of x, each of which adds 1 to the rate of y once it is passed */
enum { LINES = 14, BESIDE = LINES, AHEAD, LATCHING = AHEAD + 1 };

typedef struct lines {
  double at[LATCHING];
  size_t beside; /* the line whose row latches BESIDE back; that of the next latches AHEAD */
} lines;

FIELD(lines_field) {
  dxdt[0] = 1.0;
  dxdt[1] = 0.0;
  for (size_t k = 0; k < LATCHING; k++) dxdt[1] += sign[k] > 0.0;
}

GUARDS(lines_guards) {
  const lines *const l = params;
  for (size_t k = 0; k < LATCHING; k++) h[k] = x[0] - l->at[k];
  h[BESIDE] = -h[BESIDE];
}

GUARD_RATES_CODE(lines_rates) {
  for (size_t k = 0; k < LATCHING; k++) rate[k] = k == BESIDE ? -v[0] : v[0];
  return lines_guards(t, x, h, params);
}

ARMED_AT_START(lines_start) {
  armed[ESS_GUARD_UP(AHEAD)] = false;
}

/* y at the end: line by line, and what two of them latch */
static double lines_pass(const lines *l, double end) {
  double y = end; // of BESIDE
  for (size_t k = 0; k < LINES; k++) y += end - l->at[k];
  y -= end - l->at[l->beside];
  return y + end - l->at[l->beside + 1];
}

/* Outcome: the jumps of a cluster are alike, but for two that follow each other: the row of one
 * latches another event function, which takes as much as the crossing gives; that of the next one
 * that gives as much again. Their sum is what it would be without, and neither shows. */
TEST(rows_that_latch_others_in_clusters) {
  static const signed char effect[] = {ESS_ARM_AHEAD, ESS_ARM_AHEAD};
  static const size_t guard[] = {ESS_GUARD_UP(BESIDE), ESS_GUARD_UP(AHEAD)};
  for (size_t beside = 2; beside + 1 < LINES; beside++)
    for (double gap = 1e-4; gap < 0.1; gap *= 2.0) {
      lines l = {.beside = beside};
      for (size_t k = 0; k < LINES; k++) l.at[k] = 1.0 + gap * (double)k;
      l.at[BESIDE] = l.at[AHEAD] = 0.5;
      size_t row_start[2 * LATCHING + 2];
      for (size_t j = 0; j < 2 * LATCHING + 2; j++)
        row_start[j] = j <= ESS_GUARD_UP(beside) ? 0 : j <= ESS_GUARD_UP(beside + 1) ? 1 : 2;
      const ess_reset_matrix rows = {
          .row_start = row_start, .guard = guard, .effect = effect, .start = lines_start};
      const ess_system system = {.dimension = 2,
                                 .guard_count = LATCHING,
                                 OF_RATES(lines),
                                 .one_way = true,
                                 .resets = &rows,
                                 .params = &l};
      const ess_options options = toy_options(1e-7);
      double x[2] = {0.0};
      toy_succeeds(&system, &options, 0.0, 3.0, x);
      assert_true(fabs(x[1] - lines_pass(&l, 3.0)) <= 3e-6);
    }
}
