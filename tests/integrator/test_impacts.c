/*
 * Impacts: the state jumps at a crossing. A ball against its closed form, events of one instant
 * together, maps at fault, Zeno, grazing, and impacts among crossings in quick succession.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

static const double G = TOY_GRAVITY;

/* what a map returns of the mode */
typedef enum returned { MODE_AND_ARMED, MODE_ALONE, NEITHER, NO_MODE } returned;

/* a ball over the ground: height and velocity */
typedef struct bouncer {
  double restitution;
  size_t count; /* events handed to the map */
  int fails;
  bool is_nan;
  returned returns;
} bouncer;

IMPACT_MAP_CODE(bounce) {
  bouncer *const b = params;
  b->count += impact->count;
  if (b->fails) return b->fails;
  assert_int_equal(impact->count, 1);
  assert_int_equal(impact->events[0], 0);
  assert_true(impact->sign[0] > 0.0 && impact->mode[0] < 0.0);
  assert_true(fabs(impact->x[0]) < 1e-9 && impact->x[1] < 0.0);
  impact->after[1] = b->is_nan ? NAN : -b->restitution * impact->x[1];
  if (b->returns == MODE_ALONE) impact->mode[0] = 1.0;
  if (b->returns == NO_MODE) impact->mode[0] = 0.0;
  return b->returns == MODE_AND_ARMED ? toy_stays_above(impact, 0) : 0;
}

static const ess_impacts bounces = {.map = bounce};

static ess_system bouncing(bouncer *b) {
  return (ess_system){
      .dimension = 2, .guard_count = 1, OF_JACOBIAN(toy_fall), .impacts = &bounces, .params = b};
}

/* height and velocity of a ball dropped from h */
static void exact_ball(double h, double e, double t, double x[2]) {
  double v = sqrt(2.0 * G * h);
  double landing = v / G;
  if (t < landing) {
    x[0] = h - 0.5 * G * t * t;
    x[1] = -G * t;
    return;
  }
  for (v *= e; t >= landing + 2.0 * v / G; v *= e) landing += 2.0 * v / G;
  const double since = t - landing;
  x[0] = since * (v - 0.5 * G * since);
  x[1] = v - G * since;
}

TEST(a_ball_bounces_as_it_should) {
  for (int i = 0; i < 4; i++) {
    const bool paper = i % 2;
    bouncer b = {.restitution = 0.8, .returns = i / 2 ? MODE_ALONE : MODE_AND_ARMED};
    const ess_system system = bouncing(&b);
    ess_options options = paper ? ess_options_paper() : ess_options_default();
    options.rtol = options.atol = 1e-10;
    options.epsilon = 1e-6;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {1.0, 0.0}, exact[2];
    for (int j = 1; j <= 38; j++) {
      assert_int_equal(ess_driver_apply(d, &t, 0.1 * j, x), ESS_SUCCESS);
      exact_ball(1.0, 0.8, t, exact);
      assert_true(fabs(x[0] - exact[0]) < 1e-8 && fabs(x[1] - exact[1]) < 1e-8);
      assert_true(ess_driver_sign(d)[0] > 0.0);
    }
    assert_int_equal(ess_driver_counters(d)->impacts, b.count);
    assert_true(b.count >= 12);
    ess_driver_free(d);
  }
}

/* a floor; what it does at its guard, from above or from both sides */
typedef struct floor_under {
  bool two_sided, by_time, by_speed; // by_speed: the side is the one that the ball moves to then
  size_t made;
} floor_under;

IMPACT_MAP(off_the_floor) {
  floor_under *const p = params;
  p->made++;
  impact->after[1] = -0.8 * impact->x[1];
  const double moved_to = impact->after[1] < 0.0 ? -1.0 : 1.0;
  const double side = p->by_speed ? moved_to : p->two_sided ? impact->sign[0] : 1.0;
  impact->mode[0] = side;
  impact->armed[ESS_GUARD_UP(0)] = side < 0.0;
  impact->armed[ESS_GUARD_DOWN(0)] = side > 0.0;
}

/* the status of a ball that starts here, this fast, and where it is then */
static int from(double height, floor_under *p, const bool at[], double speed, double x[2],
                uint64_t *impacts) {
  const ess_impacts made = {.at = at, .map = off_the_floor};
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             OF_JACOBIAN(toy_fall),
                             .guards_move = p->by_time,
                             .impacts = &made,
                             .params = p};
  const ess_options options = ess_options_default();
  x[0] = height;
  x[1] = speed;
  const toy_end end = toy_run(&system, &options, 0.0, 0.1, x);
  *impacts = end.counters.impacts;
  return end.status;
}

static int from_the_floor(floor_under *p, const bool at[], double speed, double x[2],
                          uint64_t *impacts) {
  return from(0.0, p, at, speed, x, impacts);
}

/* a run that another has left at its landing, some digits below the floor */
TEST(nothing_falls_through_a_floor_whose_zero_its_last_digits_have_passed) {
  static const bool down[] = {[ESS_GUARD_DOWN(0)] = true, [ESS_GUARD_UP(0)] = false};
  static const double depths[] = {1e-17, 1e-15, 1e-13, 1e-11, 1e-10};
  for (size_t i = 0; i < 5 * 4; i++) {
    floor_under p = {.by_time = i & 1};
    uint64_t impacts;
    double x[2];
    const double depth = depths[i / 4];
    const bool *const at = i & 2 ? down : NULL;
    assert_int_equal(from(-depth, &p, at, -1.0, x, &impacts), ESS_SUCCESS);
    assert_int_equal(impacts, 1);
    assert_true(fabs(x[0] - (0.08 - 0.005 * G)) < 1e-7);
    // where both sides are walls it may have left, and upwards it has
    floor_under wall = {.two_sided = true};
    assert_int_equal(from(-depth, &wall, NULL, -1.0, x, &impacts), ESS_SUCCESS);
    assert_int_equal(impacts, 0);
    assert_int_equal(from(depth, &p, at, 1.0, x, &impacts), ESS_SUCCESS);
    assert_int_equal(impacts, 0);
  }
}

TEST(nothing_falls_through_a_floor_that_it_starts_on) {
  static const bool down[] = {[ESS_GUARD_DOWN(0)] = true, [ESS_GUARD_UP(0)] = false};
  for (int form = 0; form < 8; form++) {
    floor_under p = {.two_sided = form & 1, .by_time = form & 2};
    const bool *const at = form & 4 ? down : NULL;
    uint64_t impacts;
    double x[2];
    // downwards: at once, and 0.8 as fast; up it goes
    int status = from_the_floor(&p, at, -1.0, x, &impacts);
    const bool may_have_left = p.two_sided && !at;
    assert_int_equal(status, ESS_SUCCESS);
    assert_int_equal(impacts, may_have_left ? 0 : 1);
    const double v = may_have_left ? -1.0 : 0.8;
    assert_true(fabs(x[0] - (0.1 * v - 0.005 * G)) < 1e-7);
    status = from_the_floor(&p, at, 1.0, x, &impacts);
    assert_int_equal(status, ESS_SUCCESS);
    assert_true(impacts == 0 && fabs(x[0] - (0.1 - 0.005 * G)) < 1e-7);
    // at rest: a status, and not below the floor
    status = from_the_floor(&p, at, 0.0, x, &impacts);
    assert_int_equal(status, ESS_EGRAZING);
    assert_true(x[0] == 0.0 && impacts == 0);
  }
}

TEST(what_is_thrown_from_a_wall_leaves_it_whichever_way_the_map_says_its_side) {
  for (int form = 0; form < 4; form++) {
    floor_under p = {.by_speed = true, .by_time = form & 1};
    const double speed = form & 2 ? 1.0 : -1.0;
    uint64_t impacts;
    double x[2];
    assert_int_equal(from_the_floor(&p, NULL, speed, x, &impacts), ESS_SUCCESS);
    assert_int_equal(impacts, 0);
    assert_true(fabs(x[0] - (0.1 * speed - 0.005 * G)) < 1e-7);
  }
}

/* a neuron that is charged up to 1, and fires: its side is read off the charge */
PLANES(charge, 1, (x[0]), (1.0));

IMPACT_MAP(fire) {
  impact->after[0] = 0.0;
  impact->mode[0] = impact->after[0] < impact->x[0] ? -1.0 : 1.0;
  impact->armed[ESS_GUARD_UP(0)] = impact->mode[0] < 0.0;
  impact->armed[ESS_GUARD_DOWN(0)] = impact->mode[0] > 0.0;
}

TEST(what_starts_where_it_is_taken_away_from_is_taken_away) {
  const ess_impacts fires = {.map = fire};
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = toy_clock,
                             .guards = charge_guards,
                             .impacts = &fires};
  const ess_options options = ess_options_default();
  double x = 1.0;
  const toy_end end = toy_succeeds(&system, &options, 0.0, 2.5, &x);
  assert_true(fabs(x - 0.5) < 1e-9);
  assert_int_equal(end.counters.impacts, 3);
}

TEST(energy_is_lost_by_the_square_of_restitution) {
  bouncer b = {.restitution = 0.5};
  const ess_system system = bouncing(&b);
  const ess_options options = ess_options_default();
  double x[2] = {1.0, 0.0};
  toy_succeeds(&system, &options, 0.0, 0.7, x);
  assert_int_equal(b.count, 1);
  assert_true(fabs(G * x[0] + 0.5 * x[1] * x[1] - 0.25 * G) < 1e-7);
}

TEST(impacts_that_accumulate_end_at_a_time_that_is_known) {
  const uint64_t most[] = {200, 20};
  for (int i = 0; i < 2; i++) {
    bouncer b = {.restitution = 0.8};
    const ess_system system = bouncing(&b);
    ess_options options = ess_options_default();
    options.zeno_impacts = most[i];
    double x[2] = {1.0, 0.0};
    const toy_end end = toy_run(&system, &options, 0.0, 5.0, x);
    assert_int_equal(end.status, ESS_EZENO);
    assert_true(fabs(end.failure.time - 4.0637128) < 5e-8);
    assert_true(end.t < end.failure.time && x[1] > 0.0);
    assert_true(b.count <= most[i] + 4);
  }
}

/* two tanks that run out, at 1 and 2, and one inflow of 2.5, to the tank that was empty last */
FIELD(run_out_field) {
  dxdt[0] = (sign[2] < 0.0 ? 2.5 : 0.0) - 1.0;
  dxdt[1] = (sign[2] > 0.0 ? 2.5 : 0.0) - 2.0;
}

GUARDS(run_out_guards) {
  h[0] = x[0];
  h[1] = x[1];
  h[2] = 1.0; // has no guard
}

IMPACT_MAP(turn_inflow) {
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    impact->mode[2] = k ? 1.0 : -1.0;
    toy_stays_above(impact, k);
  }
}

/* nothing jumps, and tanks do not run out more slowly: the times alone say that there is an end */
TEST(what_does_not_jump_may_accumulate_too) {
  const bool at[] = {[ESS_GUARD_DOWN(0)] = true, [ESS_GUARD_DOWN(1)] = true, [5] = false};
  const ess_impacts turns = {.at = at, .map = turn_inflow};
  const ess_system system = {.dimension = 2, .guard_count = 3, OF(run_out), .impacts = &turns};
  for (int digits = 2; digits <= 11; digits++) {
    const ess_options options = toy_options(pow(10.0, -digits));
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {0.5, 0.7};
    assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 5.0, x), ESS_EZENO);
    assert_true(fabs(ess_driver_failure(d)->time - 2.4) < 1e-9);
    ess_driver_free(d);
  }
}

TEST(a_long_series_within_the_run_is_not_zeno) {
  bouncer b = {.restitution = 0.99};
  const ess_system system = bouncing(&b);
  ess_options options = ess_options_default();
  options.zeno_impacts = 4;
  double x[2] = {1.0, 0.0}, exact[2];
  const toy_end end = toy_succeeds(&system, &options, 0.0, 20.0, x);
  exact_ball(1.0, 0.99, end.t, exact);
  assert_true(fabs(x[0] - exact[0]) < 1e-5);
}

TEST(a_map_at_fault_leaves_the_state_before_it) {
  const struct {
    bouncer map;
    const char *said;
  } rows[] = {{{.fails = 7}, NULL},
              {{.is_nan = true}, "after"},
              {{.returns = NO_MODE}, "mode"},
              {{.returns = NEITHER}, "neither mode nor armed"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bouncer b = rows[i].map;
    b.restitution = 0.8;
    const ess_system system = bouncing(&b);
    const ess_options options = ess_options_default();
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {1.0, 0.0};
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), b.fails ? ESS_ECALLBACK : ESS_EIMPACT);
    const ess_failure *const failure = ess_driver_failure(d);
    assert_int_equal(failure->callback_code, b.fails);
    if (rows[i].said) assert_non_null(strstr(failure->reason, rows[i].said));
    assert_true(x[1] < 0.0 && fabs(x[0]) < 1e-9 && ess_driver_sign(d)[0] > 0.0);
    // mended, the run goes on
    b.fails = 0;
    b.is_nan = false;
    b.returns = MODE_AND_ARMED;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    double exact[2];
    exact_ball(1.0, 0.8, 1.0, exact);
    assert_true(fabs(x[0] - exact[0]) < 1e-7);
    ess_driver_free(d);
  }
}

TEST(what_is_wrong_with_impacts_is_named) {
  bouncer b = {0};
  ess_system system = bouncing(&b);
  ess_options options = ess_options_default();
  ess_impacts wrong = {0};
  system.impacts = &wrong;
  assert_non_null(strstr(ess_check(&system, &options), "map"));
  system.impacts = &bounces;
  options.tie = -1.0;
  assert_non_null(strstr(ess_check(&system, &options), "tie"));
  options.tie = 0.0;
  options.zeno_impacts = 3;
  assert_non_null(strstr(ess_check(&system, &options), "zeno_impacts"));
}

/* ---- its derivatives, checked ---------------------------------------------------------------- */

FIELD_JACOBIAN(fall_jacobian) {
  const bouncer *const b = params;
  J[0] = J[2] = J[3] = 0.0;
  J[1] = b->count ? 1.01 : 1.0;
}

IMPACT_MAP(bounce_freely) {
  const bouncer *const b = params;
  impact->after[1] = -b->restitution * impact->x[1] * impact->x[1];
}

static int bounce_jacobian(const ess_impact *impact, double DR[], void *params) {
  const bouncer *const b = params;
  DR[0] = 1.0;
  DR[1] = DR[2] = 0.0;
  DR[3] = -2.0 * b->restitution * impact->x[1] * (b->fails ? 1.01 : 1.0);
  return 0;
}

TEST(wrong_derivatives_are_found) {
  bool at[2] = {false, true};
  const ess_impacts impacts = {.at = at, .map = bounce_freely, .jacobian = bounce_jacobian};
  bouncer b = {.restitution = 0.8};
  ess_system system = bouncing(&b);
  system.impacts = &impacts;
  system.field_jacobian = fall_jacobian;
  const double x[2] = {0.3, -2.0};
  ess_jacobian_check worst;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_SUCCESS);
  b.count = 1;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_EJACOBIAN);
  assert_int_equal(worst.of, ESS_JACOBIAN_OF_FIELD);
  assert_true(worst.guard == 0 && worst.state == 1 && fabs(worst.found - 1.0) < 1e-6);
  b.count = 0;
  b.fails = 1;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_EJACOBIAN);
  assert_int_equal(worst.of, ESS_JACOBIAN_OF_IMPACT);
  assert_true(worst.event == 0 && worst.guard == 1 && worst.state == 1);
  assert_true(fabs(worst.found - 3.2) < 1e-5);
}

/* a point that a wall stops but for rounding, and what pushes it from the wall */
typedef struct stopped {
  double push, place, speed; /* the last by what the point came with */
} stopped;

FIELD(pushed) {
  const stopped *const s = params;
  dxdt[0] = x[1];
  dxdt[1] = s->push;
}

IMPACT_MAP_CODE(stop) {
  const stopped *const s = params;
  impact->after[0] += s->place;
  impact->after[1] = s->speed * impact->x[1];
  return toy_stays_above(impact, 0);
}

/* The state is at the wall and does not move: its acceleration says what follows. Rounding of both
 * signs, as that of a speed and as that of a difference, must not. */
TEST(what_an_impact_stops_goes_as_it_is_pushed) {
  static const double places[] = {0.0, 1e-16};
  static const double speeds[] = {0.0, 1e-16, -1e-16, 1e-11, 1e-8, -1e-8};
  const ess_impacts stops = {.map = stop};
  // 1 - t + 0.2 t^2 reaches the wall at 1.38 s; what is pushed to the wall stays there
  const double push = 0.4, landing = (1.0 - sqrt(0.2)) / push, since = 3.0 - landing;
  for (size_t i = 0; i < 2 * 2 * 6; i++) {
    const bool is_away = i % 2 == 0;
    stopped s = {is_away ? push : -push, places[i / 2 % 2], speeds[i / 4]};
    const ess_system system = {.dimension = 2,
                               .guard_count = 1,
                               .field = pushed,
                               .guards = toy_fall_guards,
                               .guard_jacobian = toy_fall_jacobian,
                               .impacts = &stops,
                               .params = &s};
    const ess_options options = ess_options_default();
    double x[2] = {1.0, -1.0};
    const toy_end end = toy_run(&system, &options, 0.0, 3.0, x);
    if (is_away)
      assert_int_equal(end.status, ESS_SUCCESS);
    else
      assert_true(end.status == ESS_EZENO || end.status == ESS_EGRAZING);
    assert_true(fabs(x[0] - (is_away ? 0.5 * push * since * since : 0.0)) < 1e-6);
    assert_true(end.counters.impacts < 100);
  }
}
