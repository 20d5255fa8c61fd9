/*
 * Systems that cannot be integrated as asked: chatter, sliding, tolerances out of reach. Each must
 * end in a status, at a good state, after a bounded amount of work.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hostile.h"

static const double tolerances[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances, WORK_MAX = 200000 };

/* where a run ended */
typedef struct ending {
  int status;
  double t, x[3];
  ess_failure failure;
  ess_counters counters;
} ending;

static ending run(const ess_system *system, double tolerance, const double x0[], double t1) {
  const ess_options options = toy_options(tolerance);
  ess_driver *const d = hostile_driver(system, &options);
  ending e = {0};
  memcpy(e.x, x0, system->dimension * sizeof *x0);
  e.status = ess_driver_apply(d, &e.t, t1, e.x);
  e.failure = *ess_driver_failure(d);
  e.counters = *ess_driver_counters(d);
  for (size_t i = 0; i < system->dimension; i++) assert_true(isfinite(e.x[i]));
  hostile_check_signs(d, system->guard_count);
  ess_driver_free(d);
  return e;
}

/* stuck at about `where`, with a status that says so */
static void check_stuck(const ending *e, double tolerance, double where) {
  const bool told =
      e->status == ESS_ECHATTER || e->status == ESS_ESLIDING || e->status == ESS_ETOLERANCE;
  const bool good = told && e->failure.status == (ess_status)e->status &&
                    fabs(e->t - where) < 1e-3 + 30.0 * tolerance &&
                    e->counters.field_evaluations < WORK_MAX;
  if (!good)
    fail_msg("at %g: %s, at t = %.9g, not %g, after %llu calls of the field", tolerance,
             ess_strerror(e->status), e->t, where,
             (unsigned long long)e->counters.field_evaluations);
}

/* ---- one guard ------------------------------------------------------------------------------- */

FIELD(slide_field) {
  dxdt[0] = 0.3 - sign[0];
  dxdt[1] = 1.0;
}

/* that is done alone in test_api_sliding.c: here `pull` times as fast, amid guards that the clock y
 * crosses within `width` about when x = 0 is reached, and that push x up and down by turns */
typedef struct crowd {
  size_t others;
  double pull, width, push;
} crowd;

static double crowd_end(const crowd *c) {
  return 1.0 / (0.7 * c->pull);
}

GUARDS(crowd_guards) {
  const crowd *const c = params;
  h[0] = x[0];
  for (size_t k = 1; k <= c->others; k++)
    h[k] = x[1] - crowd_end(c) - c->width * ((double)k / (double)c->others - 0.5);
}

GUARD_RATES_CODE(crowd_rates) {
  const crowd *const c = params;
  rate[0] = v[0];
  for (size_t k = 1; k <= c->others; k++) rate[k] = v[1];
  return crowd_guards(t, x, h, params);
}

FIELD(crowd_field) {
  const crowd *const c = params;
  slide_field(t, x, sign, dxdt, params);
  dxdt[2] = 0.0;
  for (size_t k = 1; k <= c->others; k++) {
    dxdt[2] += sign[k];
    if (sign[k] > 0.0) dxdt[0] += k % 2 ? c->push : -c->push;
  }
  dxdt[0] *= c->pull;
}

/* Outcome: a status that says so, never success with the signs of one side on the other. */
TEST(sliding_amid_others) {
  static const double pulls[] = {0.5, 5.0, 50.0}, pushes[] = {0.0, 0.15, 0.3};
  const double x0[] = {1.0, 0.0, 0.0};
  crowd c;
  const ess_system template = {.dimension = 3, OF_RATES(crowd), .params = &c};
  for (c.others = 4; c.others <= 64; c.others *= 4)
    for (c.width = 1e-8; c.width < 1e-2; c.width *= 10.0)
      for (size_t i = 0; i < 9; i++)
        for (double tolerance = 1e-1; tolerance > 5e-11; tolerance *= 0.1) {
          ess_system system = template;
          system.guard_count = 1 + c.others;
          c.pull = pulls[i % 3];
          c.push = pushes[i / 3];
          const ending e = run(&system, tolerance, x0, crowd_end(&c) + 2.0);
          check_stuck(&e, tolerance, crowd_end(&c));
        }
}

/* ---- two guards ------------------------------------------------------------------------------ */

/* round the origin, half as far at each crossing: there in the end, from (1, y) after 2 (1 + y) s
 */
FIELD(spiral_field) {
  const double right = sign[0], up = sign[1];
  dxdt[0] = right == up ? -up : -0.5 * up;
  dxdt[1] = right == up ? 0.5 * right : right;
}

PLANES(axes, 2, (x[0], x[1]), (0.0, 0.0));

/* Outcome: the guards throw the state back at each other, faster and faster, until the origin. */
TEST(chatter_of_two_guards) {
  const ess_system system = {.dimension = 2,
                             .guard_count = 2,
                             .field = spiral_field,
                             .guards = axes_guards,
                             .guard_rates = axes_rates};
  const double x0[] = {1.0, 1e-3};
  for (size_t i = 0; i < TOLERANCES; i++) {
    const ending e = run(&system, tolerances[i], x0, 4.0);
    check_stuck(&e, tolerances[i], 2.0 * (1.0 + x0[1]));
    assert_true(hypot(e.x[0], e.x[1]) < 0.01 + 30.0 * tolerances[i]);
  }
}

/* toward the corner from all sides, and straight */
FIELD(corner_field) {
  dxdt[0] = -sign[0];
  dxdt[1] = -sign[1];
}

TEST(sliding_into_a_corner) {
  const ess_system system = {.dimension = 2,
                             .guard_count = 2,
                             .field = corner_field,
                             .guards = axes_guards,
                             .guard_rates = axes_rates};
  const double x0[] = {1.0, 1.0}, x1[] = {1.0, 1.0 + 1e-7};
  for (size_t i = 0; i < TOLERANCES; i++) {
    ending e = run(&system, tolerances[i], x0, 4.0);
    check_stuck(&e, tolerances[i], 1.0);
    e = run(&system, tolerances[i], x1, 4.0);
    check_stuck(&e, tolerances[i], 1.0);
  }
}

/* ---- tolerances ------------------------------------------------------------------------------ */

static bed springs;

/* Outcome: a status, at a state on the path: what no number can resolve is not called a success. */
TEST(a_tolerance_out_of_reach) {
  const double spreads[] = {0.0, 1e-9, 1e-3, 0.1};
  for (size_t i = 0; i < 4; i++) {
    bed_make(&springs, 20, spreads[i]);
    const ess_system system = bed_system(&springs);
    ess_options options = toy_options(1e-16);
    options.atol = 1e-300;
    double x[2] = {1.0, 0.0};
    const double energy = bed_energy(&springs, x);
    const toy_end end = toy_run(&system, &options, 0.0, 5.0, x);
    if (!(end.status == ESS_EUNDERFLOW || end.status == ESS_ETOLERANCE))
      fail_msg("spread %g: %s at t = %g after %zu calls of the field", spreads[i],
               ess_strerror(end.status), end.t, springs.calls);
    assert_true(springs.calls < WORK_MAX);
    assert_true(fabs(bed_energy(&springs, x) - energy) < 1e-9);
  }
}
