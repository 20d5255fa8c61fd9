/*
 * Slides of second order: the force of a contact does not jump the rate of its depth, but what
 * changes that. A body that bounces on such contacts, ever less, comes to rest on them, and leaves
 * where they would have to pull.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "slide_log.h"

enum { MOST = 8 };

static ess_options bouncing(double tolerance, slides *log) {
  ess_options options = sliding(tolerance, log);
  log->most = MOST;
  options.max_steps = options.max_crossings = 30000;
  return options;
}

/* ---- one contact ----------------------------------------------------------------------------- */

/* x'' = cos t - 2 [x > 0] - c x', and y' = [x > 0]: so 2 y + x' + c x - sin t stays */
typedef struct pressed {
  double c;
} pressed;

FIELD(pressed_field) {
  const pressed *const p = params;
  const double on = sign[0] > 0.0;
  dxdt[0] = x[1];
  dxdt[1] = cos(t) - 2.0 * on - p->c * x[1];
  dxdt[2] = on;
}

PLANES(first, 3, (x[0]), (0.0));

static ess_system pressed_system(pressed *p) {
  return (ess_system){.dimension = 3,
                      .guard_count = 1,
                      .field = pressed_field,
                      .guards = first_guards,
                      .guard_rates = first_rates,
                      .params = p};
}

/* x at t after it has left at rest at pi/2: x'' + c x' = cos t */
static double after_leaving(double c, double t) {
  const double a = -1.0 / (1.0 + c * c), b = -c * a, decays = -a / c;
  return a * cos(t) + b * sin(t) - b - decays + decays * exp(-c * (t - M_PI_2));
}

TEST(a_bouncing_body_comes_to_rest) {
  const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
    const double tolerance = tolerances[i];
    slides log;
    pressed p = {30.0};
    const ess_options options = bouncing(tolerance, &log);
    const ess_system system = pressed_system(&p);
    double x[] = {0.0, -0.1, 0.0};
    toy_succeeds(&system, &options, 0.0, 3.0, x);
    // those of 2 y + x' + c x: what bounces are left when it begins to slide is not in them
    const double y = 0.5 * (1.0 - 0.1), at = after_leaving(p.c, 3.0);
    assert_true(fabs(x[2] - y) <= 5.0 * tolerance + 1e-12 && fabs(x[0] - at) <= 5.0 * tolerance);
    // the bounces are seen through where there are not too many, or less than the tolerance is left
    if (tolerance > 2e-7 && tolerance < 1e-3) continue;
    assert_int_equal(log.count, 2);
    assert_true(log.begins[0] == 1 && log.begins[1] == -1 && log.time[0] < 1.55);
    assert_true(fabs(log.time[1] - M_PI_2) <= 1e-8);
  }
}

/* it comes to rest at any damping, wherever its bounces begin, and whichever way up it is told */
FIELD_CODE(turned_field) {
  const double turned[] = {-x[0], -x[1], x[2]}, its[] = {-sign[0]};
  const int status = pressed_field(t, turned, its, dxdt, params);
  dxdt[0] = -dxdt[0];
  dxdt[1] = -dxdt[1];
  return status;
}

TEST(it_does_at_any_damping) {
  size_t slid = 0;
  for (int i = 0; i < 40; i++) {
    slides log;
    pressed p = {5.0 * pow(10.0, 0.05 * i)};
    const ess_options options = bouncing(1e-8, &log);
    ess_system system = pressed_system(&p);
    const double start[] = {0.0, 0.02 + 0.01 * i}, way = i % 3 ? 1.0 : -1.0;
    if (way < 0.0) system.field = turned_field;
    double x[] = {way * start[0], way * start[1], 0.0};
    toy_succeeds(&system, &options, 0.0, 1.2, x);
    const double left = start[1] - way * (x[1] + p.c * x[0]);
    assert_true(fabs(2.0 * x[2] - sin(1.2) - left) <= 1e-6);
    slid += log.count > 0;
    if (!log.count) continue;
    assert_int_equal(log.count, 1);
    assert_true(fabs(x[0]) <= 1e-10 && fabs(x[1]) <= 1e-10);
  }
  assert_true(slid >= 20);
}

TEST(directions_are_not_carried_into_it) {
  slides log;
  pressed p = {30.0};
  ess_options options = bouncing(1e-8, &log);
  const ess_system system = pressed_system(&p);
  double t = 0.0, x[] = {0.0, -0.1, 0.0}, v[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_follow(d, 3, v), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_ESLIDING);
  assert_string_equal(ess_driver_failure(d)->reason,
                      "directions are not carried into slides of second order");
  assert_int_equal(ess_driver_failure(d)->guard, 0);
  assert_true(t > 0.5 && t < 1.5 && fabs(x[0]) < 1e-6);
  assert_int_equal(log.count, 0);
  ess_driver_free(d);
}

/* ---- two contacts ---------------------------------------------------------------------------- */

/* x_i'' = a_i(t) - sum B_ij [x_j > 0] - c x_i': both are held from when both have come to rest; the
 * first leaves where its force is none, and the second is held by the other's no more */
static const double B[2][2] = {{2.0, 0.5}, {0.6, 1.6}};
enum { DAMPING = 40 };

static void pushed(double t, double a[2]) {
  a[0] = 1.2 - 0.5 * t;
  a[1] = 0.9;
}

/* [x0 > 0] [x1 > 0] more where contacts do not add up */
FIELD(two_field) {
  const double both = *(const double *)params;
  double a[2];
  pushed(t, a);
  for (size_t i = 0; i < 2; i++) {
    const double on = sign[i] > 0.0;
    dxdt[i] = x[2 + i];
    dxdt[2 + i] = a[i] - DAMPING * x[2 + i] - both * (sign[0] > 0.0) * (sign[1] > 0.0);
    for (size_t j = 0; j < 2; j++) dxdt[2 + i] -= B[i][j] * (sign[j] > 0.0);
    dxdt[4 + i] = on;
  }
}

PLANES(two, 6, (x[0], x[1]), (0.0, 0.0));

TEST(two_contacts_hold_a_body) {
  double both = 0.0;
  slides log;
  const ess_options options = bouncing(1e-9, &log);
  const ess_system system = {.dimension = 6, .guard_count = 2, OF_RATES(two), .params = &both};
  double x[] = {0.0, 0.0, -0.03, 0.04, 0.0, 0.0};
  toy_succeeds(&system, &options, 0.0, 3.0, x);
  // the first leaves where lambda_0 = (1.6 a_0 - 0.5 a_1) / 2.9 is nothing
  const double leaves = (1.2 - 0.5 * 0.9 / 1.6) / 0.5;
  assert_int_equal(log.count, 3);
  assert_true(log.begins[0] == 1 && log.begins[1] == 1 && log.begins[2] == -1);
  assert_int_equal(log.guard[2], 0);
  assert_true(fabs(log.time[2] - leaves) <= 1e-8);
  // all of B y + x' + c x is what a has made of it
  double push[2] = {1.2 * 3.0 - 0.25 * 9.0 - 0.03, 0.9 * 3.0 + 0.04};
  for (size_t i = 0; i < 2; i++) {
    const double sum = B[i][0] * x[4] + B[i][1] * x[5] + x[2 + i] + DAMPING * x[i];
    assert_true(fabs(sum - push[i]) <= 1e-8);
  }
  assert_true(fabs(x[1]) <= 1e-10 && fabs(x[3]) <= 1e-10 && x[0] < -1e-3);
}

/* ---- a contact that another takes the force of ----------------------------------------------- */

/* x'' = 1 - 2 [x > 0] [z < 0] - DAMPING x' and z' = 1: where z passes zero nothing holds x */
FIELD(let_go_field) {
  dxdt[0] = x[2];
  dxdt[1] = 1.0;
  dxdt[2] = 1.0 - 2.0 * (sign[0] > 0.0) * (sign[1] < 0.0) - DAMPING * x[2];
}

TEST(a_crossing_takes_the_force_that_holds) {
  double none = 0.0;
  const double tolerances[] = {1e-7, 1e-8, 1e-9};
  for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
    slides log;
    const ess_options options = bouncing(tolerances[i], &log);
    const ess_system system = {.dimension = 3,
                               .guard_count = 2,
                               .field = let_go_field,
                               .guards = two_guards,
                               .guard_rates = two_rates,
                               .params = &none};
    double x[] = {0.0, -1.0, -0.1};
    const double s = 1.5, far = s / DAMPING - (1.0 - exp(-DAMPING * s)) / (DAMPING * DAMPING);
    toy_succeeds(&system, &options, 0.0, 1.0 + s, x);
    assert_true(fabs(x[0] - far) <= 2.0 * tolerances[i]);
    assert_int_equal(log.count, 2);
    assert_true(log.begins[0] == 1 && log.begins[1] == -1);
    assert_true(fabs(log.time[1] - 1.0) <= 1e-8);
  }
}

/* ---- a weight with kinks --------------------------------------------------------------------- */

/* x'' = p - 2 [x > 0] - 30 x', where p is a triangle wave: the weight p / 2 comes near nothing, and
 * has a kink forty times a second, which no model of it follows */
FIELD(ragged_field) {
  const double wave = fabs(2.0 * (20.0 * t - floor(20.0 * t)) - 1.0);
  dxdt[0] = x[1];
  dxdt[1] = 0.1 + wave - 2.0 * (sign[0] > 0.0) - 30.0 * x[1];
}

/* in the mean of some tolerances: one alone is luck */
TEST(what_the_tolerance_hides_is_not_looked_for) {
  enum { KINKS = 40, TIME = 3, RUNS = 40 };
  double none = 0.0;
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             .field = ragged_field,
                             .guards = first_guards,
                             .guard_rates = first_rates,
                             .params = &none};
  uint64_t calls = 0, slid = 0;
  for (int i = 0; i < RUNS; i++) {
    slides log;
    const ess_options options = bouncing(0.1 * pow(1.01, i - RUNS / 2), &log);
    double x[] = {0.0, -0.1};
    const toy_end end = toy_succeeds(&system, &options, 0.0, TIME, x);
    assert_true(log.count <= 1 && fabs(x[0]) <= 0.1 && fabs(x[1]) <= 0.1);
    slid += log.count;
    calls += end.counters.field_evaluations;
  }
  assert_true(10 * slid > 9 * RUNS && calls < (uint64_t)RUNS * 120 * KINKS * TIME);
}

/* ---- bounces that grow denser ---------------------------------------------------------------- */

/* x'' = -a(t) sign x, where a grows without bound towards END, so that bounces are as far apart as
 * a share of what is left until then. At any time their pace says that some DENSITY more come until
 * the end; but they are many times as many. */
enum { DENSITY = 1500, BOUNCES = 4000 };
static const double END = 1.001;

FIELD(denser_field) {
  const double speed = *(const double *)params, left = (END - t) / END;
  dxdt[0] = x[1];
  dxdt[1] = -sign[0] * 2.0 * speed * DENSITY / END / (left * sqrt(left));
}

/* without a margin they are foretold to be few enough until it is too late; wherever the last digit
 * has them begin */
TEST(bounces_that_grow_denser_are_slid_on) {
  for (int i = 0; i < 34; i++) {
    slides log;
    double speed = 1e-3;
    ess_options options = bouncing(1e-6, &log);
    options.max_crossings = BOUNCES;
    options.max_steps = 100 * BOUNCES;
    const ess_system system = {.dimension = 2,
                               .guard_count = 1,
                               .field = denser_field,
                               .guards = first_guards,
                               .guard_rates = first_rates,
                               .params = &speed};
    double x[] = {1e-9, speed + (i % 2 ? 1.0 : -1.0) * pow(10.0, -16.0 + 0.25 * i)};
    toy_succeeds(&system, &options, 0.0, 1.0, x);
    assert_true(log.count == 1 && fabs(x[0]) <= 1e-9);
  }
}
