/*
 * Hostile: a round peg that is met only because the crossings of a cluster have turned the path.
 * The field is constant in each mode, so nothing but the guards themselves keeps steps short.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

enum { LINES = 12, PEG = LINES, GUARDS };

/* lines across the way, from x = 1 on, each of which turns it, and a peg beside */
typedef struct course {
  double spread, radius, peg_x, peg_y;
} course;

/* state: x, y, and the time spent over the peg */
FIELD(field) {
  double beyond = 0.0;
  for (int i = 0; i < LINES; i++) beyond += sign[i] > 0.0;
  dxdt[0] = 1.0;
  dxdt[1] = beyond / LINES;
  dxdt[2] = sign[PEG] > 0.0;
}

GUARD_RATES(guard_rates) {
  const course *const c = params;
  const double dx = x[0] - c->peg_x, dy = x[1] - c->peg_y, away = hypot(dx, dy) + 1e-300;
  for (int i = 0; i < LINES; i++) {
    h[i] = x[0] - 1.0 - i * c->spread / LINES;
    rate[i] = v[0];
  }
  h[PEG] = c->radius - away;
  rate[PEG] = -(dx * v[0] + dy * v[1]) / away;
}

GUARDS_CODE(guards) {
  const double still[3] = {0.0};
  double rate[GUARDS];
  return guard_rates(t, x, still, h, rate, params);
}

/* height of the path at x: between the lines it is straight */
static double height(const course *c, double x) {
  double y = 0.0;
  for (int i = 0; i < LINES; i++) y += fmax(0.0, x - 1.0 - i * c->spread / LINES) / LINES;
  return y;
}

/* numbers in [0, 1), the same everywhere */
static double draw(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 40) / 16777216.0;
}

static course draw_course(uint64_t *state) {
  course c = {.spread = pow(10.0, -2.0 + 2.0 * draw(state))};
  c.radius = c.spread * (0.02 + 0.1 * draw(state));
  c.peg_x = 1.0 + c.spread * (0.15 + 0.8 * draw(state));
  c.peg_y = height(&c, c.peg_x) + 0.5 * c.radius;
  return c;
}

static uint64_t crossings_of(course *c, ess_options options, double *over) {
  const ess_system system = {.dimension = 3,
                             .guard_count = GUARDS,
                             .field = field,
                             .guards = guards,
                             .guard_rates = guard_rates,
                             .params = c};
  double x[] = {0.0, 0.0, 0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 3.0, x);
  const uint64_t crossings = end.counters.crossings;
  *over = x[2];
  return crossings;
}

TEST(a_peg_on_the_path_that_jumps_bend_is_met) {
  enum { COURSES = 200 };
  static const double tolerances[] = {1e-2, 1e-5, 1e-8};
  uint64_t seed = 1;
  for (int i = 0; i < COURSES; i++) {
    course c = draw_course(&seed);
    ess_options fine = ess_options_default();
    fine.h_max = 0.1 * c.radius;
    double expected, over;
    assert_int_equal(crossings_of(&c, fine, &expected), LINES + 2);
    for (size_t j = 0; j < sizeof tolerances / sizeof *tolerances; j++) {
      const ess_options options = toy_options(tolerances[j]);
      const uint64_t crossings = crossings_of(&c, options, &over);
      if (crossings != LINES + 2)
        fail_msg("course %d at %g: %llu crossings", i, tolerances[j],
                 (unsigned long long)crossings);
      if (fabs(over - expected) > 30.0 * tolerances[j] + 1e-7)
        print_error("course %d at %g: %g, not %g over the peg; spread %g radius %g\n", i,
                    tolerances[j], over, expected, c.spread, c.radius);
      assert_true(fabs(over - expected) <= 30.0 * tolerances[j] + 1e-7);
    }
  }
}
