/*
 * The plate at scale: slopes, plateaus and counts of made-up samples.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "scale.c"
#include "studies.h"
#include "study_fixture.h"

/* ---- made-up samples --------------------------------------------------------------------------
 */

enum { TRIALS = 3, EPSILONS = 19 };

static const double epsilon_of_top = 1.0, floor_rms = 1e-14;
static const size_t events[TRIALS] = {40, 41, 42};
static const scale_settings settings = {.trials = TRIALS};

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

/* starts err by 1, 2 and 3 times as much; crossings cost N^1.5 s, N^0.5 fields and N^0 guards each;
 * the last start misses a crossing where epsilon is above the distance */
static scale_sample sample_of(const plate *of, size_t order, double epsilon, size_t trial) {
  const bool missed = trial == TRIALS - 1 && epsilon > of->distance;
  const double n = (double)of->contacts;
  scale_sample s = {.contacts = of->contacts,
                    .order = order,
                    .epsilon = epsilon,
                    .reference_events = (double)events[trial],
                    .distance = {of->distance / 3, of->distance, 3 * of->distance}};
  if (!order) return s;
  s.tight.rms_error = (1.0 + (double)trial) * error_at(epsilon, of->distance, order);
  s.tight.events = (double)events[trial] - (missed ? 1.0 : 0.0);
  s.timed.time_s = 41.0 * pow(n, 1.5);
  s.timed.field_evaluations = 41.0 * sqrt(n);
  s.timed.guard_evaluations = 82.0;
  return s;
}

static void make_up_all(made_up *u, const plate of[], size_t count) {
  make_up(u, &scale_study, &settings);
  for (size_t i = 0; i < count * TRIALS; i++) {
    const scale_sample s = sample_of(&of[i / TRIALS], 0, NAN, i % TRIALS);
    give(u, &s);
  }
  for (size_t i = 0; i < count * SCALE_ORDERS * EPSILONS * TRIALS; i++) {
    const size_t point = i / TRIALS;
    const scale_sample s =
        sample_of(&of[point / (SCALE_ORDERS * EPSILONS)], 1 + point / EPSILONS % SCALE_ORDERS,
                  epsilon_at(point % EPSILONS), i % TRIALS);
    give(u, &s);
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
  const scale_row *const r = study_rows(&u.run, SCALE_ROWS, &count);
  const scale_row *const above = &r[3], *const below = &r[EPSILONS + 9];
  assert_int_equal(count, SCALE_ORDERS * EPSILONS);
  assert_true(above->contacts == 100 && above->projection_order == 1);
  assert_true(above->epsilon == epsilon_at(3) && above->crossing_distance == 0.01);
  assert_true(above->trials == 3 && above->exact_counts == 2);
  assert_true(fabs(above->reference_events - 41) < 1e-12);
  assert_true(above->rms_error == 2 * error_at(1, 0.01, 1));
  assert_true(above->rms_worst == 3 * error_at(1, 0.01, 1));
  assert_true(below->projection_order == 2 && below->exact_counts == 3);
  assert_true(below->events == 41 && below->guard_evaluations == 82);
  dispose(&u);
}

/* below the distance the slope is the order's, whatever the plateau and the floor do beside it */
static void slopes_are_those_between_plateau_and_floor(void **state) {
  (void)state;
  made_up u;
  size_t count;
  make_up_all(&u, &(plate){100, 0.01}, 1);
  const scale_series *const s = study_rows(&u.run, SCALE_SERIES, &count);
  assert_int_equal(count, SCALE_ORDERS);
  assert_true(fabs(s[0].slope - 2) < 1e-9 && fabs(s[1].slope - 3) < 1e-9);
  for (size_t i = 0; i < SCALE_ORDERS; i++) {
    assert_int_equal(s[i].projection_order, i + 1);
    // an eighth of the distance, rounded down to the grid
    assert_true(s[i].fit_range[1] == epsilon_at(9));
    assert_true(error_at(s[i].fit_range[0], 0.01, i + 1) >= 10 * floor_rms);
    assert_true(s[i].slope_interval[0] <= s[i].slope && s[i].slope <= s[i].slope_interval[1]);
    assert_true(fabs(s[i].plateau_rms_error / (2 * error_at(1, 0.01, i + 1)) - 1) < 1e-12);
    assert_true(s[i].exact_epsilon == epsilon_at(6));
  }
  assert_true(s[1].fit_range[0] > s[0].fit_range[0]);
  dispose(&u);
}

static void what_cannot_be_fitted_is_not(void **state) {
  (void)state;
  made_up u;
  size_t count;
  make_up_all(&u, &(plate){100, 1e-7}, 1);
  const scale_series *s = study_rows(&u.run, SCALE_SERIES, &count);
  assert_int_equal(s->fitted, 0);
  assert_true(isnan(s->slope) && isnan(s->slope_interval[0]) && s->exact_epsilon == 0);
  dispose(&u);
  make_up_all(&u, &(plate){100, 1}, 1);
  s = study_rows(&u.run, SCALE_SERIES, &count);
  assert_true(isnan(s->plateau_rms_error));
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
