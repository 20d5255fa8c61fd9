/*
 * The small print of crossings: limits, exceptions and precautions on which no other test depends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "matrix.h"

/* a clock x' = 1 through guards written by the test, at any rates */
typedef struct clock_plan {
  size_t guard_count;
  void (*look)(double x, double h[], double slope[]);
  double rate_of_some; /* factor of the rates that some_guard_rates gives */
} clock_plan;

GUARDS(clock_guards) {
  const clock_plan *const p = params;
  double slope[4];
  p->look(x[0], h, slope);
}

GUARD_RATES(clock_rates) {
  const clock_plan *const p = params;
  p->look(x[0], h, rate);
  for (size_t k = 0; k < p->guard_count; k++) rate[k] *= v[0];
}

SOME_RATES(some_clock_rates) {
  const clock_plan *const p = params;
  double all[4], slope[4];
  p->look(x[0], all, slope);
  for (size_t i = 0; i < count; i++) {
    h[i] = all[which[i]];
    rate[i] = slope[which[i]] * v[0] * p->rate_of_some;
  }
}

static ess_system clock_system(clock_plan *p) {
  return (ess_system){.dimension = 1,
                      .guard_count = p->guard_count,
                      .field = toy_clock,
                      .guards = clock_guards,
                      .guard_rates = clock_rates,
                      .some_guard_rates = some_clock_rates,
                      .params = p};
}

/* runs from 0 to 1; counters when asked for */
static int run(const ess_system *system, const ess_options *options, ess_counters *counters) {
  double x[1] = {0.0};
  const toy_end end = toy_run(system, options, 0.0, 1.0, x);
  if (counters) *counters = end.counters;
  return end.status;
}

/* ---- a guard that its model does not see ----------------------------------------------------- */

/* guard 1 is above zero from 0.6733 to 0.7067, and where steps of a quarter look it is not */
static void bump(double x, double h[], double slope[]) {
  const double width = 0.02, place = (x - 0.69) / width, hill = 2.0 * exp(-place * place);
  h[0] = x - 0.7;
  slope[0] = 1.0;
  h[1] = hill - 1.0;
  slope[1] = -2.0 * place / width * hill;
}

/* one that is found above zero where another is located is sought in shorter steps, and crossed
 * where it should be: before the other, and not at the same time */
TEST(a_guard_overlooked_is_found_where_another_is_located) {
  clock_plan p = {.guard_count = 2, .look = bump, .rate_of_some = 1.0};
  const ess_system system = clock_system(&p);
  toy_log log;
  ess_options options = ess_options_paper();
  options.epsilon = 1e-7;
  options.h_init = 1.0;
  options.observer = toy_observer(&log);
  assert_int_equal(run(&system, &options, NULL), ESS_SUCCESS);
  const double half = 0.02 * sqrt(M_LN2);
  const double expected[] = {0.69 - half, 0.7, 0.69 + half};
  const size_t guards[] = {1, 0, 1};
  assert_int_equal(log.count, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(log.guard[i], guards[i]);
    assert_true(fabs(log.time[i] - expected[i]) < 1e-6);
  }
}

/* guard 0 almost touches zero at 0.4, closer than the model of a long step can tell; guard 1 comes
 * after that */
static void near_touch(double x, double h[], double slope[]) {
  const double away = x - 0.4;
  h[0] = -1e-4 - away * away * (1.0 + sin(3.0 * x));
  slope[0] = -2.0 * away * (1.0 + sin(3.0 * x)) - away * away * 3.0 * cos(3.0 * x);
  h[1] = x - 0.8;
  slope[1] = 1.0;
}

/* the guard taken for the first is no crossing after all: those set aside for it count again */
TEST(a_false_alarm_hides_no_other_crossing) {
  clock_plan p = {.guard_count = 2, .look = near_touch, .rate_of_some = 1.0};
  const ess_system system = clock_system(&p);
  for (double h_init = 0.5; h_init <= 1.0; h_init += 1.0 / 64.0) {
    toy_log log;
    ess_options options = ess_options_paper();
    options.epsilon = 1e-9;
    options.h_init = options.h_max = h_init;
    options.observer = toy_observer(&log);
    assert_int_equal(run(&system, &options, NULL), ESS_SUCCESS);
    assert_int_equal(log.count, 1);
    assert_true(log.guard[0] == 1 && fabs(log.time[0] - 0.8) < 1e-9);
  }
}

GUARDS(no_guards) {
  h[0] = x[0] > 0.0 ? NAN : -10.0;
}

static void far(double x, double h[], double slope[]) {
  h[0] = x - 10.0;
  slope[0] = 1.0;
}

/* not a number within every step, and a number at its ends: nobody knows what it does in between */
TEST(a_guard_without_values_within_steps_is_a_failure) {
  clock_plan p = {.guard_count = 1, .look = far, .rate_of_some = 1.0};
  ess_system system = clock_system(&p);
  const ess_options options = ess_options_paper();
  assert_int_equal(run(&system, &options, NULL), ESS_SUCCESS);
  system.guards = no_guards;
  assert_int_equal(run(&system, &options, NULL), ESS_EGUARD);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* a step that is short only because the run ends says nothing of the next run's */
TEST(a_short_run_does_not_shorten_the_next) {
  clock_plan p = {.guard_count = 1, .look = far, .rate_of_some = 1.0};
  const ess_system system = clock_system(&p);
  ess_options options = ess_options_paper();
  options.h_init = 1.0;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = 0.0, x[1] = {0.0};
  assert_int_equal(ess_driver_apply(d, &t, 1e-6, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_counters(d)->steps, 2);
  ess_driver_free(d);
}

/* an end that lies a rounding or so beyond the longest step is reached with that step */
TEST(no_step_is_left_for_a_rounding) {
  clock_plan p = {.guard_count = 1, .look = far, .rate_of_some = 1.0};
  const ess_system system = clock_system(&p);
  ess_options options = ess_options_paper();
  options.h_init = 1.0;
  options.h_max = 1.0 - 1e-12;
  ess_counters counters;
  assert_int_equal(run(&system, &options, &counters), ESS_SUCCESS);
  assert_int_equal(counters.steps, 1);
}

/* ---- the empty pool -------------------------------------------------------------------------- */

/* stays where its one guard, at 0.25, has been crossed */
FIELD(stopping_field) {
  dxdt[0] = sign[0] > 0.0 ? 0.0 : 1.0;
}

static void at_a_quarter(double x, double h[], double slope[]) {
  h[0] = x - 0.25;
  slope[0] = 1.0;
}

/* a guard on which the state lies is not on its near side: it does not come back */
TEST(the_pool_takes_back_only_what_lies_ahead) {
  for (int one_way = 0; one_way < 2; one_way++) {
    clock_plan p = {.guard_count = 1, .look = at_a_quarter, .rate_of_some = 1.0};
    ess_system system = clock_system(&p);
    system.field = stopping_field;
    system.one_way = one_way;
    matrix pool = matrix_begin(1);
    matrix_add_pool(&pool, one_way);
    system.resets = matrix_end(&pool);
    ess_options options = ess_options_paper();
    options.epsilon = 1.0; // projected onto from the start, to the last bit
    ess_counters counters;
    assert_int_equal(run(&system, &options, &counters), ESS_SUCCESS);
    assert_int_equal(counters.crossings, 1);
    matrix_free(&pool);
  }
}

/* guards at 0.25 and 0.75 */
static void two_places(double x, double h[], double slope[]) {
  at_a_quarter(x, h, slope);
  h[1] = x - 0.75;
  slope[1] = 1.0;
}

ARMED_AT_START(arm_first_alone) {
  armed[ESS_GUARD_UP(1)] = false;
}

/* the row of the empty pool arms; an entry that would disarm says nothing there */
TEST(the_pool_s_row_only_arms) {
  for (int effect = -1; effect <= 1; effect += 2) {
    clock_plan p = {.guard_count = 2, .look = two_places, .rate_of_some = 1.0};
    ess_system system = clock_system(&p);
    matrix r = matrix_begin(2);
    matrix_add(&r, 4, ESS_GUARD_UP(1), effect);
    ess_reset_matrix resets = *matrix_end(&r);
    resets.start = arm_first_alone;
    system.resets = &resets;
    ess_options options = ess_options_paper();
    options.h_max = 0.1;
    ess_counters counters;
    assert_int_equal(run(&system, &options, &counters), ESS_SUCCESS);
    assert_int_equal(counters.crossings, effect > 0 ? 2 : 1);
    matrix_free(&r);
  }
}

/* ---- the start ------------------------------------------------------------------------------- */

static void nothing(double x, double h[], double slope[]) {
  h[0] = slope[0] = 0.0;
}

/* an event function that is zero and stays zero counts as crossed */
TEST(on_a_guard_for_good_is_behind_it) {
  clock_plan p = {.guard_count = 1, .look = nothing, .rate_of_some = 1.0};
  const ess_system system = clock_system(&p);
  const ess_options options = ess_options_paper();
  double x[1] = {0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
  assert_true(end.sign[0] == 1.0);
  assert_int_equal(end.counters.crossings, 0);
}

static void nearer(double x, double h[], double slope[]) {
  h[0] = 0.5 - x;
  slope[0] = -1.0;
}

ARMED_AT_START(arm_everything) {
  armed[ESS_GUARD_UP(0)] = armed[ESS_GUARD_DOWN(0)] = true;
}

/* a start clears guards; one that sets what does not lie ahead arms nothing */
TEST(no_start_arms_a_one_way_event_function_downward) {
  for (int i = 0; i < 4; i++) {
    const bool one_way = i & 1;
    clock_plan p = {.guard_count = 1, .look = nearer, .rate_of_some = 1.0};
    ess_system system = clock_system(&p);
    matrix r = matrix_begin(1);
    ess_reset_matrix resets = *matrix_end(&r);
    resets.start = arm_everything;
    system.resets = &resets;
    system.one_way = one_way;
    const ess_options options = i & 2 ? ess_options_default() : ess_options_paper();
    ess_counters counters;
    assert_int_equal(run(&system, &options, &counters), ESS_SUCCESS);
    assert_int_equal(counters.crossings, one_way ? 0 : 1);
    matrix_free(&r);
  }
}

/* ---- projections ----------------------------------------------------------------------------- */

static void place(double x, double h[], double slope[]) {
  h[0] = x - 0.5;
  slope[0] = 1.0;
}

/* a rate that is not a number where order 2 corrects is no reason to be content with the tangent */
TEST(a_correction_without_a_rate_is_a_failure) {
  const double rates[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    clock_plan p = {.guard_count = 1, .look = place, .rate_of_some = rates[i]};
    const ess_system system = clock_system(&p);
    ess_options options = ess_options_paper();
    options.epsilon = 1.0; // inside from the start: nothing is located
    options.order = 2;
    assert_int_equal(run(&system, &options, NULL), ESS_EGUARD);
  }
}

/* guard 1 is reached first, at a tenth of the other's rate */
static void slow_one_first(double x, double h[], double slope[]) {
  place(x, h, slope);
  h[1] = 0.1 * (x - 0.45);
  slope[1] = 0.1;
}

/* requirement 4 is about guards that are projected onto: silent ones are only passed */
TEST(a_silent_guard_need_not_be_live) {
  clock_plan p = {.guard_count = 2, .look = slow_one_first, .rate_of_some = 1.0};
  ess_system system = clock_system(&p);
  ess_options options = ess_options_paper();
  options.epsilon = 1.0;
  options.liveness = 0.5;
  for (int silent = 0; silent < 2; silent++) {
    matrix r = matrix_begin(2);
    r.silent[ESS_GUARD_UP(1)] = silent;
    system.resets = matrix_end(&r);
    ess_counters counters;
    assert_int_equal(run(&system, &options, &counters), silent ? ESS_SUCCESS : ESS_ELIVENESS);
    assert_int_equal(counters.silent, silent);
    assert_int_equal(counters.crossings, silent);
    matrix_free(&r);
  }
}

/* guard 1, silent, is passed on the way to guard 0, and disarms it: there is nothing to project
 * onto
 */
TEST(a_silent_guard_on_the_way_disarms_the_goal) {
  clock_plan p = {.guard_count = 2, .look = slow_one_first, .rate_of_some = 1.0};
  ess_system system = clock_system(&p);
  ess_options options = ess_options_paper();
  options.epsilon = 1.0;
  matrix r = matrix_begin(2);
  r.silent[ESS_GUARD_UP(1)] = true;
  matrix_add(&r, ESS_GUARD_UP(1), ESS_GUARD_UP(0), -1);
  system.resets = matrix_end(&r);
  ess_counters counters;
  assert_int_equal(run(&system, &options, &counters), ESS_SUCCESS);
  assert_int_equal(counters.silent, 1);
  assert_int_equal(counters.crossings, 0);
  assert_int_equal(counters.projections, 0);
  matrix_free(&r);
}

static void both_at_the_end(double x, double h[], double slope[]) {
  h[0] = h[1] = x - 1.0;
  slope[0] = slope[1] = 1.0;
}

/* the first ends the run's time; the second takes none, and is not left for the next run */
TEST(all_crossings_at_the_end_are_made) {
  clock_plan p = {.guard_count = 2, .look = both_at_the_end, .rate_of_some = 1.0};
  const ess_system system = clock_system(&p);
  ess_options options = ess_options_paper();
  options.epsilon = 2.0;
  ess_counters counters;
  assert_int_equal(run(&system, &options, &counters), ESS_SUCCESS);
  assert_int_equal(counters.crossings, 2);
}

/* ---- progress -------------------------------------------------------------------------------- */

enum { WALLS = 24 };

/* x rises to a number of walls, all at 0.25, and falls once event function WALLS has a negative
 * sign, whatever its value, which is far above zero */
FIELD(bounce_field) {
  dxdt[0] = sign[WALLS] > 0.0 ? 1.0 : -1.0;
}

PLANES_EACH(bounce, 1, WALLS + 1, x[0], k < WALLS ? 0.25 : -100.0);

/* up and down again at once through each of many guards is progress, no chatter */
TEST(a_bounce_off_many_guards_at_one_place) {
  // the last wall's crossing latches the mode in which x falls
  matrix r = matrix_begin(WALLS + 1);
  for (size_t k = 0; k < WALLS; k++) {
    matrix_add(&r, ESS_GUARD_UP(k), ESS_GUARD_DOWN(k), 1);
    if (k == WALLS - 1) matrix_add(&r, ESS_GUARD_UP(k), ESS_GUARD_UP(WALLS), 1);
  }
  const ess_system system = {
      .dimension = 1, .guard_count = WALLS + 1, OF_RATES(bounce), .resets = matrix_end(&r)};
  const ess_options options = ess_options_paper();
  double x[1] = {0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
  assert_int_equal(end.counters.crossings, 2 * WALLS);
  assert_true(fabs(x[0] + 0.5) < 1e-12);
  matrix_free(&r);
}
