/*
 * What a sweep derives from its samples, on made-up ones: quantiles, outliers, crossings, slopes,
 * paired ratios and their intervals, and settings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sweep.c"

#include <math.h>
#include <string.h>

#include "races.h"
#include "solvers.h"
#include "studies.h"
#include "study_fixture.h"

enum { TRIALS = 11, ROWS = 3, OURS = 0, MUJOCO, CALLBACK, RACERS };

/* three numbers of contacts, ours and MuJoCo's two entries in each */
typedef struct sweep_made_up {
  made_up u;
  model m;
  races_asked settings;
  sweep_sample sample[ROWS][TRIALS][RACERS];
} sweep_made_up;

static size_t contacts[ROWS] = {2, 10, 20};

/* in an order that is not the sorted one */
static double rank_of(size_t trial) {
  return (double)(7 * trial % TRIALS);
}

/* ours takes (1 + rank / 10) N ms, MuJoCo twice the mean of that and ever more from start to start,
 * so that the median quotient is not the quotient of the medians; by a callback half of that */
static void set_up(sweep_made_up *w) {
  static const char *const names[RACERS] = {"projection", "mujoco", "mujoco-callback"};
  memset(w, 0, sizeof *w);
  w->settings.trials = TRIALS;
  w->settings.contacts = (contacts_range){ROWS, contacts};
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < TRIALS; j++)
      for (size_t k = 0; k < RACERS; k++) {
        const double n = (double)contacts[i], rank = k == OURS ? rank_of(j) : (double)j;
        sweep_sample *const s = &w->sample[i][j][k];
        *s = (sweep_sample){.contacts = contacts[i],
                            .solver = names[k],
                            .protocol = "equal-error",
                            .target = 0.01,
                            .settings = solver_settings_default(),
                            .gap = {.gap = 1e-9, .rms = 1.0, .scaling = 1e6},
                            .epsilon = 1e-3,
                            .source = "--epsilon",
                            .trial = j,
                            .seconds = 1e-3 * n * (k == OURS ? 1.0 + 0.1 * rank : 3.0 + rank),
                            .repetitions = 1.0,
                            .rms_error = 1e-3 * (1.0 + rank),
                            .events = 100.0,
                            .events_reference = 100.0};
        if (k == CALLBACK) s->seconds *= 0.5;
        if (k != OURS) continue;
        s->settings.order = 2;
        s->settings.atol = 3e-5;
        s->settings.projection_max = INFINITY;
      }
}

/* those that say who races, and cells for the race in so many processes */
static void enter_all_racers(sweep_made_up *w, size_t processes) {
  make_up(&w->u, &sweep_study, &w->settings);
  model_init(&w->m, model_find("plate"));
  w->u.run.m = &w->m;
  w->u.run.processes = processes;
  for (size_t stage = 0; stage < 2; stage++)
    assert_true(study_cells_plan(&w->u.run, stage) == (long)(ROWS * (stage ? processes : 1)));
  for (size_t i = 0; i < ROWS; i++, end_cell(&w->u))
    for (size_t k = 0; k < RACERS; k++) {
      sweep_sample who = w->sample[i][0][k];
      who.seconds = who.rms_error = who.events = NAN;
      give(&w->u, &who);
    }
}

static void race_once(sweep_made_up *w) {
  enter_all_racers(w, 1);
  for (size_t i = 0; i < ROWS; i++, end_cell(&w->u))
    for (size_t j = 0; j < TRIALS; j++)
      for (size_t k = 0; k < RACERS; k++) give(&w->u, &w->sample[i][j][k]);
}

static void sum_up(sweep_made_up *w) {
  race_once(w);
  rederive(&w->u);
}

static void tear_down(sweep_made_up *w) {
  study_cells_free(&w->u.run);
  dispose(&w->u);
}

/* of the row of one who races at a number of contacts */
static double row_at(const sweep_made_up *w, size_t i, size_t entry, const char *name) {
  assert_int_equal(w->u.private.rows[SWEEP_ROWS].count, ROWS * RACERS);
  return number_at(&w->u, SWEEP_ROWS, i * RACERS + entry, name);
}

static void close_to(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected) + 1e-15))
    fail_msg("%.17g instead of %.17g", value, expected);
}

static void quantiles_are_those_of_the_starts(void **state) {
  static sweep_made_up w;
  (void)state;
  set_up(&w);
  sum_up(&w);
  static const struct {
    const char *name;
    double value;
  } expected[] = {{"contacts", 10},    {"median_s", 15e-3}, {"q25_s", 12.5e-3},
                  {"q75_s", 17.5e-3},  {"min_s", 10e-3},    {"mad_s", 3e-3},
                  {"rms_error", 6e-3}, {"rms_q90", 10e-3},  {"rms_worst", 11e-3}};
  // 10 .. 20 ms
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
    close_to(row_at(&w, 1, OURS, expected[k].name), expected[k].value);
  assert_string_equal(text_at(&w.u, SWEEP_ROWS, RACERS + OURS, "solver"), "projection");
  const double wider = draws_widening(&(draws){.trials = TRIALS, .processes = 1});
  const double low = row_at(&w, 1, OURS, "median_lo_s"), high = row_at(&w, 1, OURS, "median_hi_s");
  assert_true(low >= 15e-3 * pow(10.0 / 15.0, wider) && low < 15e-3);
  assert_true(high <= 15e-3 * pow(20.0 / 15.0, wider) && high > 15e-3);
  tear_down(&w);
}

/* three interquartile ranges above the upper quartile: 17.5 + 3 * 5 */
static void outliers_are_flagged_and_kept(void **state) {
  static sweep_made_up w;
  size_t slowest = 0, count;
  (void)state;
  for (size_t j = 0; j < TRIALS; j++)
    if (rank_of(j) == 10.0) slowest = j;
  for (size_t flagged = 0; flagged < 2; flagged++) {
    set_up(&w);
    w.sample[1][slowest][OURS].seconds = flagged ? 32.6e-3 : 32.4e-3;
    sum_up(&w);
    assert_true(row_at(&w, 1, OURS, "outliers") == (double)flagged);
    close_to(row_at(&w, 1, OURS, "median_s"), 15e-3);
    // by number of contacts, solver and start
    study_rows(&w.u.run, SWEEP_TRIALS, &count);
    assert_int_equal(count, ROWS * RACERS * TRIALS);
    for (size_t i = 0; i < count; i++) {
      const bool here = i == RACERS * TRIALS + slowest;
      assert_true(number_at(&w.u, SWEEP_TRIALS, i, "outlier") == (double)(here && flagged));
      assert_true(number_at(&w.u, SWEEP_TRIALS, i, "trial") == (double)(i % TRIALS));
    }
    tear_down(&w);
  }
}

/* one per cent of 1100 crossings are 11, one start's or several's */
static void crossings_are_judged_in_all(void **state) {
  static const struct {
    double last, ratio;
    const char *off;
  } cases[] = {{100.0, 1090.0 / 1100.0, ""},
               {98.0, 1088.0 / 1100.0, "(!)"},
               {122.0, 1112.0 / 1100.0, "(!)"}};
  static sweep_made_up w;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    set_up(&w);
    w.sample[0][3][OURS].events = 94.0;
    w.sample[0][4][OURS].events = 96.0;
    w.sample[0][5][OURS].events = cases[i].last;
    sum_up(&w);
    close_to(row_at(&w, 0, OURS, "events_ratio"), cases[i].ratio);
    close_to(row_at(&w, 0, OURS, "events"), 100.0);
    assert_string_equal(text_at(&w.u, SWEEP_ROWS, OURS, "off"), cases[i].off);
    tear_down(&w);
  }
}

static double slope_of(const sweep_made_up *w, size_t racer, double ends[2]) {
  assert_int_equal(w->u.private.rows[SWEEP_SLOPES].count, RACERS);
  interval_at(&w->u, SWEEP_SLOPES, racer, "interval", ends);
  return number_at(&w->u, SWEEP_SLOPES, racer, "s_per_contact");
}

/* times are proportional to N: the slope is the median over N, and that of the resamples varies */
static void slopes_are_those_of_the_medians(void **state) {
  static const double slope[RACERS] = {1.5e-3, 8e-3, 4e-3}, low[RACERS] = {1e-3, 3e-3, 1.5e-3},
                      high[RACERS] = {2e-3, 13e-3, 6.5e-3};
  static sweep_made_up w;
  (void)state;
  set_up(&w);
  sum_up(&w);
  for (size_t k = 0; k < RACERS; k++) {
    double ends[2];
    const double wider = draws_widening(&(draws){.processes = 1}), value = slope_of(&w, k, ends);
    close_to(value, slope[k]);
    assert_true(ends[0] < value && value < ends[1]);
    assert_true(ends[0] >= value * pow(low[k] / value, wider));
    assert_true(ends[1] <= value * pow(high[k] / value, wider));
    close_to(row_at(&w, 1, k, "marginal_s"), value);
  }
  tear_down(&w);
}

/* who is not everywhere has no slope; all others do, whatever place they have in the list there */
static void slopes_are_of_those_who_race_everywhere(void **state) {
  static sweep_made_up w;
  double ends[2];
  (void)state;
  set_up(&w);
  enter_all_racers(&w, 1);
  for (size_t i = 0; i < ROWS; i++, end_cell(&w.u))
    for (size_t j = 0; j < TRIALS; j++)
      for (size_t k = 0; k < RACERS; k++)
        if (i != 1 || k != MUJOCO) give(&w.u, &w.sample[i][j][k]);
  rederive(&w.u);
  assert_true(isnan(slope_of(&w, MUJOCO, ends)) && isnan(ends[0]) && isnan(ends[1]));
  close_to(slope_of(&w, OURS, ends), 1.5e-3);
  close_to(slope_of(&w, CALLBACK, ends), 4e-3);
  for (size_t row = 0; row < ROWS * RACERS - 1; row++) {
    const bool mujoco = strcmp(text_at(&w.u, SWEEP_ROWS, row, "solver"), "mujoco") == 0;
    assert_true(isnan(number_at(&w.u, SWEEP_ROWS, row, "marginal_s")) == mujoco);
  }
  tear_down(&w);
}

/* the median of MuJoCo's time over ours, start by start */
static double expected_ratio(void) {
  double quotient[TRIALS];
  for (size_t j = 0; j < TRIALS; j++) quotient[j] = (3.0 + (double)j) / (1.0 + 0.1 * rank_of(j));
  for (size_t a = 0; a < TRIALS; a++)
    for (size_t b = a + 1; b < TRIALS; b++)
      if (quotient[b] < quotient[a]) {
        const double other = quotient[a];
        quotient[a] = quotient[b];
        quotient[b] = other;
      }
  return quotient[TRIALS / 2];
}

static void ratios_are_paired(void **state) {
  static sweep_made_up w;
  size_t count;
  (void)state;
  set_up(&w);
  sum_up(&w);
  study_rows(&w.u.run, SWEEP_RATIOS, &count);
  assert_int_equal(count, ROWS);
  for (size_t i = 0; i < ROWS; i++) {
    const struct {
      const char *name;
      double value;
    } expected[] = {{"mujoco_over_libess", expected_ratio()},
                    {"callback_over_libess", 0.5 * expected_ratio()},
                    {"mujoco_s", 8e-3 * (double)contacts[i]},
                    {"libess_s", 1.5e-3 * (double)contacts[i]},
                    {"callback_s", 4e-3 * (double)contacts[i]},
                    {"rms_error_callback", number_at(&w.u, SWEEP_RATIOS, i, "rms_error_mujoco")}};
    double ends[2], of_callback[2];
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
      close_to(number_at(&w.u, SWEEP_RATIOS, i, expected[k].name), expected[k].value);
    assert_true(fabs(expected_ratio() - 8.0 / 1.5) > 0.05); // that of the medians
    interval_at(&w.u, SWEEP_RATIOS, i, "interval", ends);
    interval_at(&w.u, SWEEP_RATIOS, i, "callback_interval", of_callback);
    assert_true(ends[0] < expected_ratio() && ends[1] > expected_ratio());
    close_to(of_callback[0], 0.5 * ends[0]);
    close_to(settings_at(&w.u, SWEEP_RATIOS, i).atol, 3e-5);
    assert_string_equal(text_at(&w.u, SWEEP_RATIOS, i, "solver"), "projection");
  }
  tear_down(&w);
}

/* the setting that was chosen stands in its row, and what all have in common at the top */
static void rows_have_their_settings(void **state) {
  static sweep_made_up w;
  size_t count;
  (void)state;
  set_up(&w);
  for (size_t j = 0; j < TRIALS; j++) w.sample[1][j][OURS].settings.rtol = 1e-3;
  sum_up(&w);
  const solver_settings ours = settings_at(&w.u, SWEEP_ROWS, RACERS + OURS);
  assert_true(ours.epsilon == 1e-3 && ours.rtol == 1e-3 && ours.atol == 3e-5);
  assert_true(ours.projection_max == INFINITY && ours.order == 2);
  const solver_settings theirs = settings_at(&w.u, SWEEP_ROWS, RACERS + MUJOCO);
  assert_true(isnan(theirs.epsilon) && isnan(theirs.rtol) && isnan(theirs.h_max));
  assert_true(theirs.order == 0);
  assert_string_equal(theirs.variant, "Euler");
  study_rows(&w.u.run, SWEEP_TOP, &count);
  assert_int_equal(count, 1);
  const solver_settings top = settings_at(&w.u, SWEEP_TOP, 0);
  assert_true(top.atol == 3e-5 && isnan(top.rtol) && top.order == 2 && top.scaling == 1e6);
  assert_true(top.projection_max == INFINITY);
  assert_true(number_at(&w.u, SWEEP_TOP, 0, "epsilon") == 1e-3);
  tear_down(&w);
}

/* samples come process by process: trials are told in their order, and paired whoever ran them */
static void processes_are_put_together(void **state) {
  enum { PROCESSES = 3 };
  static sweep_made_up w;
  size_t count;
  (void)state;
  set_up(&w);
  enter_all_racers(&w, PROCESSES);
  for (size_t i = 0; i < ROWS; i++)
    for (size_t p = 0; p < PROCESSES; p++, end_cell(&w.u))
      for (size_t j = p; j < TRIALS; j += PROCESSES)
        for (size_t k = 0; k < RACERS; k++) {
          sweep_sample *const s = &w.sample[i][j][k];
          s->process = p;
          s->retaken = j < PROCESSES ? 2.0 : 0.0;
          s->disturbed = j < PROCESSES ? 1.0 : 0.0;
          give(&w.u, s);
        }
  rederive(&w.u);
  study_rows(&w.u.run, SWEEP_TRIALS, &count);
  assert_int_equal(count, ROWS * RACERS * TRIALS);
  for (size_t i = 0; i < count; i++) {
    const size_t trial = i % TRIALS;
    assert_true(number_at(&w.u, SWEEP_TRIALS, i, "trial") == (double)trial);
    assert_true(number_at(&w.u, SWEEP_TRIALS, i, "process") == (double)(trial % PROCESSES));
  }
  close_to(row_at(&w, 1, OURS, "median_s"), 15e-3);
  assert_true(row_at(&w, 1, OURS, "retaken") == 2.0 * PROCESSES);
  assert_true(row_at(&w, 2, MUJOCO, "disturbed") == 1.0 * PROCESSES);
  close_to(number_at(&w.u, SWEEP_RATIOS, 0, "mujoco_over_libess"), expected_ratio());
  tear_down(&w);
}

/* a row that cannot be made is told of */
static void a_row_that_fails_is_told(void **state) {
  static sweep_made_up w;
  (void)state;
  set_up(&w);
  w.sample[1][TRIALS - 1][OURS].seconds = INFINITY;
  race_once(&w);
  assert_int_equal(derived(&w.u), -1);
  assert_non_null(strstr(w.u.message, measure_strerror(MEASURE_ENONFINITE)));
  tear_down(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantiles_are_those_of_the_starts),
      cmocka_unit_test(outliers_are_flagged_and_kept),
      cmocka_unit_test(crossings_are_judged_in_all),
      cmocka_unit_test(slopes_are_those_of_the_medians),
      cmocka_unit_test(slopes_are_of_those_who_race_everywhere),
      cmocka_unit_test(ratios_are_paired),
      cmocka_unit_test(rows_have_their_settings),
      cmocka_unit_test(processes_are_put_together),
      cmocka_unit_test(a_row_that_fails_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
