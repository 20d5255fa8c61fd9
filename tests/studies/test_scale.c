/*
 * The plate at scale: slopes, plateaus and counts of made-up samples.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "presets.c"
#include "studies.h"
#include "study_fixture.h"

/* ---- made-up samples --------------------------------------------------------------------------
 */

enum { TRIALS = 3, EPSILONS = 19 };

static const double epsilon_of_top = 1.0, floor_rms = 1e-14;
static const size_t crossed[TRIALS] = {40, 41, 42};
static const knobs_asked settings = {.trials = TRIALS};

/* a number of contacts, and the distance between its crossings */
typedef struct plate {
  size_t contacts;
  double distance;
} plate;

/* three to the decade from 1 down to 1e-6 */
static double epsilon_at(size_t k) {
  return epsilon_of_top * pow(10.0, -(double)k / 3.0);
}

/* c eps^(order + 1) up to the distance, constant from there on, never below the floor */
static double error_at(double epsilon, double distance, size_t order) {
  const double seen = fmin(epsilon, distance);
  return fmax(floor_rms, (order == 1 ? 0.5 : 2.0) * pow(seen, (double)order + 1.0));
}

/* what is known of a start by its reference, and the distances of crossings */
static void give_start(made_up *u, const plate *of, size_t trial) {
  const knob_lap lap = {.what = "",
                        .solver = "",
                        .contacts = of->contacts,
                        .trial = trial,
                        .events_reference = (double)crossed[trial],
                        .more = {of->distance / 3, of->distance, 3 * of->distance}};
  give(u, &lap);
}

/* starts err by 1, 2 and 3 times as much; crossings cost N^1.5 s, N^0.5 fields and N^0 guards each;
 * the last start misses a crossing where epsilon is above the distance */
static void give_point(made_up *u, const plate *of, size_t order, double epsilon, size_t trial) {
  const bool missed = trial == TRIALS - 1 && epsilon > of->distance;
  const double n = (double)of->contacts;
  knob_lap lap = {.what = "tight",
                  .solver = "projection",
                  .contacts = of->contacts,
                  .trial = trial,
                  .order = order,
                  .epsilon = epsilon,
                  .events_reference = (double)crossed[trial]};
  lap.of.rms_error = (1.0 + (double)trial) * error_at(epsilon, of->distance, order);
  lap.of.events = (double)crossed[trial] - (missed ? 1.0 : 0.0);
  give(u, &lap);
  lap.what = "everyday";
  lap.of = (outcome){
      .time_s = 41.0 * pow(n, 1.5), .field_evaluations = 41.0 * sqrt(n), .event_evaluations = 82.0};
  give(u, &lap);
}

static void make_up_all(made_up *u, const plate of[], size_t count) {
  make_up(u, &scale_study, &settings);
  for (size_t i = 0; i < count * TRIALS; i++) give_start(u, &of[i / TRIALS], i % TRIALS);
  for (size_t i = 0; i < count * SCALE_ORDERS * EPSILONS * TRIALS; i++) {
    const size_t point = i / TRIALS;
    give_point(u, &of[point / (SCALE_ORDERS * EPSILONS)], 1 + point / EPSILONS % SCALE_ORDERS,
               epsilon_at(point % EPSILONS), i % TRIALS);
  }
  rederive(u);
}

/* ---- what is derived --------------------------------------------------------------------------
 */

static void rows_are_medians_and_counts(void **state) {
  (void)state;
  made_up u;
  size_t count;
  make_up_all(&u, &(plate){100, 0.01}, 1);
  static const struct {
    size_t row;
    const char *name;
    double value;
  } expected[] = {{3, "contacts", 100},
                  {3, "projection_order", 1},
                  {3, "crossing_distance", 0.01},
                  {3, "trials", 3},
                  {3, "exact_counts", 2},
                  {3, "reference_events", 41},
                  {EPSILONS + 9, "projection_order", 2},
                  {EPSILONS + 9, "exact_counts", 3},
                  {EPSILONS + 9, "events", 41},
                  {EPSILONS + 9, "event_evaluations", 82}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_true(number_at(&u, SCALE_ROWS, expected[i].row, expected[i].name) == expected[i].value);
  study_rows(&u.run, SCALE_ROWS, &count);
  assert_int_equal(count, SCALE_ORDERS * EPSILONS);
  assert_true(number_at(&u, SCALE_ROWS, 3, "epsilon") == epsilon_at(3));
  assert_true(number_at(&u, SCALE_ROWS, 3, "rms_error") == 2 * error_at(1, 0.01, 1));
  assert_true(number_at(&u, SCALE_ROWS, 3, "rms_worst") == 3 * error_at(1, 0.01, 1));
  dispose(&u);
}

/* below the distance the slope is the order's, whatever the plateau and the floor do beside it */
static void slopes_are_those_between_plateau_and_floor(void **state) {
  (void)state;
  made_up u;
  size_t count;
  make_up_all(&u, &(plate){100, 0.01}, 1);
  double finest = 0.0;
  study_rows(&u.run, SCALE_SERIES, &count);
  assert_int_equal(count, SCALE_ORDERS);
  for (size_t i = 0; i < SCALE_ORDERS; i++) {
    double range[2], ends[2];
    const double slope = number_at(&u, SCALE_SERIES, i, "slope");
    const double plateau = number_at(&u, SCALE_SERIES, i, "plateau_rms_error");
    assert_true(fabs(slope - (double)(i + 2)) < 1e-9);
    assert_true(number_at(&u, SCALE_SERIES, i, "projection_order") == (double)(i + 1));
    interval_at(&u, SCALE_SERIES, i, "fit_range", range);
    interval_at(&u, SCALE_SERIES, i, "slope_interval", ends);
    // an eighth of the distance, rounded down to the grid
    assert_true(range[1] == epsilon_at(9));
    assert_true(error_at(range[0], 0.01, i + 1) >= 10 * floor_rms && range[0] > finest);
    assert_true(ends[0] <= slope && slope <= ends[1]);
    assert_true(fabs(plateau / (2 * error_at(1, 0.01, i + 1)) - 1) < 1e-12);
    assert_true(number_at(&u, SCALE_SERIES, i, "exact_epsilon") == epsilon_at(6));
    finest = range[0];
  }
  dispose(&u);
}

static void what_cannot_be_fitted_is_not(void **state) {
  (void)state;
  made_up u;
  double ends[2];
  make_up_all(&u, &(plate){100, 1e-7}, 1);
  assert_true(number_at(&u, SCALE_SERIES, 0, "fitted") == 0);
  interval_at(&u, SCALE_SERIES, 0, "slope_interval", ends);
  assert_true(isnan(number_at(&u, SCALE_SERIES, 0, "slope")) && isnan(ends[0]));
  assert_true(number_at(&u, SCALE_SERIES, 0, "exact_epsilon") == 0);
  dispose(&u);
  make_up_all(&u, &(plate){100, 1}, 1);
  assert_true(isnan(number_at(&u, SCALE_SERIES, 0, "plateau_rms_error")));
  dispose(&u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_medians_and_counts),
      cmocka_unit_test(slopes_are_those_between_plateau_and_floor),
      cmocka_unit_test(what_cannot_be_fitted_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
