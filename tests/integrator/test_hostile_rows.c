/*
 * The default method where crossings come in clusters: guards that the row of the empty pool arms,
 * and labels of any value.
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
  const ess_options options = hostile_options(tolerance);
  ess_driver *const d = hostile_driver(system, &options);
  outcome o = {.x = {0.5, 0.0}};
  double t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 3.0, o.x), ESS_SUCCESS);
  o.counters = *ess_driver_counters(d);
  ess_driver_free(d);
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
static void pools_emptied_in_clusters(void **state) {
  (void)state;
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
        // which guards are armed decides where sub-steps end, so the errors are not the same
        for (int i = 0; i < 2; i++) assert_true(fabs(pooled.x[i] - mirrored.x[i]) <= tolerance);
      }
}

/* Outcome: labels are names, so that the same run comes of any. */
static void labels_of_any_value(void **state) {
  (void)state;
  static const int names[][2] = {{0, 1}, {-1, -2}, {INT_MIN, INT_MAX}};
  enum { NAMES = sizeof names / sizeof *names };
  int labels[SPRINGS];
  outcome first = {0};
  for (size_t n = 0; n < NAMES; n++) {
    bed_make(&springs, SPRINGS, 1e-3);
    for (size_t i = 0; i < SPRINGS; i++) labels[i] = names[n][i % 2];
    ess_system system = bed_system(&springs);
    system.labels = labels;
    const outcome o = run(&system, 1e-6);
    if (n == 0) first = o;
    assert_memory_equal(&o, &first, sizeof o);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pools_emptied_in_clusters),
      cmocka_unit_test(labels_of_any_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
