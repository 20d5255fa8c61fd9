/*
 * Runs that start on an event function's zero, with no rate: what comes next decides on which side
 * they go on, and no step is halved without end for the digits that rounding leaves there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

enum { DERIVATIVES = 4, WORK_MAX = 500 };

/* x is at `place`, and of its derivatives up to `order` the last alone is not 0: `up` where h > 0,
 * `down` below. h = side (x - place); a second event function is twice that, or minus that. */
typedef struct touch {
  int order;
  double up, down, place, side, size, unit; /* of states, and of h */
  double twin;                              /* of the second event function; 0: there is none */
} touch;

FIELD(touch_field) {
  const touch *const s = params;
  for (int i = 0; i + 1 < s->order; i++) dxdt[i] = x[i + 1];
  dxdt[s->order - 1] = s->side * s->size * (sign[0] > 0.0 ? s->up : s->down);
}

GUARD_RATES(touch_rates) {
  const touch *const s = params;
  h[0] = s->unit * s->side * (x[0] - s->place * s->size);
  rate[0] = s->unit * s->side * v[0];
  if (s->twin == 0.0) return;
  h[1] = s->twin * h[0];
  rate[1] = s->twin * rate[0];
}

GUARDS_BY_RATES(touch, 2);

/* goes on where the derivative leads, at once and exactly */
static void check(touch s, double t0, double tolerance) {
  const double span = 0.3, factorial[] = {1.0, 1.0, 2.0, 6.0, 24.0};
  const ess_system system = {.dimension = (size_t)s.order,
                             .guard_count = s.twin == 0.0 ? 1 : 2,
                             OF_RATES(touch),
                             .params = &s};
  ess_options options = ess_options_default();
  options.rtol = tolerance;
  options.atol = tolerance * s.size;
  options.max_steps = WORK_MAX;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = t0, x[DERIVATIVES] = {s.place * s.size};
  const int status = ess_driver_apply(d, &t, t0 + span, x);
  const double duration = t0 + span - t0; // as it was rounded
  const double moved = (s.up > 0.0 ? s.up : s.down) * pow(duration, s.order) / factorial[s.order];
  const double off = fabs(x[0] / s.size - (s.place + s.side * moved));
  const double clock = 1e-16 * fabs(t0), rounding = 1e-15 * fabs(s.place);
  const bool good = status == ESS_SUCCESS && off < 10.0 * (tolerance + rounding + clock);
  if (!good)
    fail_msg("order %d, up %g, down %g, place %g, side %g, size %g, unit %g, twin %g, from %g, "
             "tolerance %g: %s at %g + %g, off by %g",
             s.order, s.up, s.down, s.place, s.side, s.size, s.unit, s.twin, t0, tolerance,
             ess_strerror(status), t0, t - t0, off);
  ess_driver_free(d);
}

/* from all of these times, on either side, with all of these second event functions */
static void check_all(touch s, double tolerance) {
  const double starts[] = {0.0, -5.0, 1e9}, twins[] = {0.0, 2.0, -1.0};
  for (int i = 0; i < 3 * 3 * 2; i++) {
    s.twin = twins[i / 3 % 3];
    s.side = i / 9 ? -1.0 : 1.0;
    check(s, starts[i % 3], tolerance);
  }
}

/* accelerations: released upwards, downwards, and from a place that pushes to either side */
static const double pushes[][2] = {
    {1.0, 1.0}, {-1.0, -1.0}, {0.3, -2.0}, {9.81, 1.0}, {-2.0, -0.1}};
enum { PUSHES = sizeof pushes / sizeof *pushes };

TEST(at_every_tolerance) {
  const double places[] = {0.0, 0.1, -3.0, 1000.0};
  for (int order = 2; order <= DERIVATIVES; order++)
    for (int i = 0; i < PUSHES * 4; i++)
      for (double tolerance = 1e-3; tolerance > 0.5e-13; tolerance *= 0.1) {
        const touch s = {.order = order,
                         .up = pushes[i / 4][0],
                         .down = pushes[i / 4][1],
                         .place = places[i % 4],
                         .size = 1.0,
                         .unit = 1.0};
        check_all(s, tolerance);
      }
}

TEST(in_every_unit) {
  const double units[] = {1.0, 1e-12, 1e12};
  for (int order = 2; order <= DERIVATIVES; order++)
    for (int i = 0; i < PUSHES * 9; i++) {
      const touch s = {.order = order,
                       .up = pushes[i / 9][0],
                       .down = pushes[i / 9][1],
                       .place = 0.1,
                       .size = units[i % 3],
                       .unit = units[i / 3 % 3]};
      check_all(s, 1e-6);
      check_all(s, 1e-10);
    }
}

/* the same when an apply goes on, in the mode that it has: thrown up to the zero, it turns there */
ON_STEP_CODE(stop_at_top) {
  return info->t1 >= 0.0;
}

TEST(an_apply_that_goes_on_from_there) {
  for (double tolerance = 1e-3; tolerance > 0.5e-12; tolerance *= 0.1) {
    touch s = {
        .order = 2, .up = -2.0, .down = -2.0, .place = 0.1, .side = 1.0, .size = 1.0, .unit = 1.0};
    const ess_system system = {.dimension = 2, .guard_count = 1, OF_RATES(touch), .params = &s};
    ess_options options = toy_options(tolerance);
    options.max_steps = WORK_MAX;
    options.observer.step = stop_at_top;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = -1.0, x[2] = {s.place - 1.0, 2.0};
    assert_int_equal(ess_driver_apply(d, &t, 0.0, x), ESS_ESTOP);
    assert_true(t == 0.0);
    // where it is exactly
    x[0] = s.place;
    x[1] = 0.0;
    options.observer.step = NULL;
    assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_true(fabs(x[0] - s.place + 1.0) < 10.0 * tolerance);
    ess_driver_free(d);
  }
}

/* released at the height of an event, whose function is a difference of two numbers of order one,
 * with no rates but those that differences tell */
FIELD(released_field) {
  const touch *const s = params;
  dxdt[0] = x[1];
  dxdt[1] = s->up * sin(s->down + x[0]);
}

GUARDS(released_guards) {
  h[0] = x[0] - AS(touch)->place;
}

GUARD_JACOBIAN(released_jacobian) {
  Dh[0] = 1.0;
  Dh[1] = 0.0;
}

TEST(one_that_is_known_by_its_values_alone) {
  enum { EVALUATIONS = 100 };
  for (int i = 0; i < 5 * 8; i++) {
    const double places[] = {1.0, 0.37, -2.6, 1.3, 12.0};
    touch s = {.up = i % 8 < 4 ? -7.3 : 2.1, .place = places[i / 8]};
    // constant, but for rounding of the sine, or a pendulum's
    s.down = i % 4 < 2 ? 0.5 * M_PI - s.place : 0.0;
    const ess_system system = {.dimension = 2,
                               .guard_count = 1,
                               .field = released_field,
                               .guards = released_guards,
                               .guard_jacobian = i % 4 == 3 ? released_jacobian : NULL,
                               .guards_move = i % 2,
                               .params = &s};
    ess_options options = ess_options_default();
    options.rtol = 1e-3;
    options.atol = 1e-6;
    options.max_steps = WORK_MAX;
    double x[] = {s.place, 0.0};
    const toy_end end = toy_run(&system, &options, 0.0, 0.8, x);
    if (end.status || end.counters.field_evaluations > EVALUATIONS)
      fail_msg("%d: %s at %g, %llu evaluations", i, ess_strerror(end.status), end.t,
               (unsigned long long)end.counters.field_evaluations);
  }
}

/* an event function that jumps where the run starts: it is crossed once, soon, and never waited for
 */
FIELD(cliff_field) {
  dxdt[0] = sign[0] > 0.0 ? 2.0 : 1.0;
}

GUARD_RATES(cliff_rates) {
  h[0] = x[0] > 0.0 ? 1.0 + x[0] : -1.0 + x[0];
  rate[0] = v[0];
}

GUARDS_BY_RATES(cliff, 1);

TEST(a_cliff_at_the_start) {
  const double starts[] = {0.0, -5.0, 1e-300};
  for (int i = 0; i < 3; i++) {
    const ess_system system = {.dimension = 1, .guard_count = 1, OF_RATES(cliff)};
    ess_options options = ess_options_default();
    options.max_steps = WORK_MAX;
    double x[1] = {0.0};
    const toy_end end = toy_run(&system, &options, starts[i], starts[i] + 1.0, x);
    if (end.status) fail_msg("from %g: %s at %g", starts[i], ess_strerror(end.status), end.t);
    assert_int_equal(end.counters.crossings, 1);
    assert_true(fabs(x[0] - 2.0) < 1e-8);
  }
}

/* ---- what is left behind --------------------------------------------------------------------- */

/* thrown up from h = h' = 0, back for certain at t = 1; h is in units that shrink, x[2] of them */
FIELD(thrown_field) {
  dxdt[0] = x[1];
  dxdt[1] = 1.0 - 3.0 * t;
  dxdt[2] = -20.0 * x[2];
  dxdt[3] = sign[0] < 0.0;
}

GUARD_RATES(thrown_rates) {
  const double *const place = params;
  h[0] = x[2] * (x[0] - *place);
  rate[0] = x[2] * v[0] + (x[0] - *place) * v[2];
}

GUARDS_BY_RATES(thrown, 1);

TEST(what_was_rounding_there_is_told_from_zero_later) {
  double places[] = {0.1, -3.0, 1000.0};
  for (int i = 0; i < 3; i++)
    for (double tolerance = 1e-4; tolerance > 0.5e-10; tolerance *= 0.1) {
      const ess_system system = {
          .dimension = 4, .guard_count = 1, OF_RATES(thrown), .params = &places[i]};
      ess_options options = ess_options_default();
      options.rtol = tolerance;
      options.atol = 1e-3 * tolerance;
      options.max_steps = 10 * WORK_MAX;
      double x[4] = {places[i], 0.0, 1e6, 0.0};
      const toy_end end = toy_run(&system, &options, 0.0, 1.5, x);
      const double rounding = 1e-14 * fabs(places[i]);
      if (end.status || !(fabs(x[3] - 0.5) < 10.0 * (tolerance + rounding)))
        fail_msg("from %g, tolerance %g: %s, crossed at %.12g in place of 1", places[i], tolerance,
                 ess_strerror(end.status), 1.5 - x[3]);
      assert_int_equal(end.counters.crossings, 1);
    }
}
