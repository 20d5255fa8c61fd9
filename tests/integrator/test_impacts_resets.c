/*
 * Impacts of a system with a reset matrix: starts on their guards, which the matrix's `start` may
 * leave unarmed, and maps that leave the mode to rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "matrix.h"

static const double G = TOY_GRAVITY;

/* a ball over a floor, or a ceiling, that may have a hole: below it there is no weight */
typedef struct holed {
  double side; /* +1: a floor, -1: the mirror image */
  bool hole, two_sided;
  size_t starts;
} holed;

FIELD(holed_fall) {
  const holed *const p = params;
  dxdt[0] = x[1];
  dxdt[1] = sign[0] == p->side ? -G * p->side : 0.0;
}

IMPACT_MAP(holed_bounce) {
  const holed *const p = params;
  impact->after[1] = -0.8 * impact->x[1];
  impact->mode[0] = impact->sign[0];
  impact->armed[p->side > 0.0 ? ESS_GUARD_DOWN(0) : ESS_GUARD_UP(0)] = impact->sign[0] == p->side;
}

ARMED_AT_START(holed_start) {
  holed *const p = params;
  p->starts++;
  const size_t ahead = sign[0] > 0.0 ? ESS_GUARD_DOWN(0) : ESS_GUARD_UP(0);
  assert_true(armed[ahead] && !armed[ESS_GUARD_UP(0) + ESS_GUARD_DOWN(0) - ahead]);
  if (p->hole) armed[ESS_GUARD_UP(0)] = armed[ESS_GUARD_DOWN(0)] = false;
}

/* from this height over the floor, this fast: the height and speed after 0.1 */
static int run_holed(holed *p, double height, double speed, double x[2], uint64_t *impacts) {
  const bool from_above[] = {p->side<0.0, p->side> 0.0};
  const ess_impacts made = {.at = p->two_sided ? NULL : from_above, .map = holed_bounce};
  matrix m = matrix_begin(1);
  matrix_end(&m);
  m.resets.start = holed_start;
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             .field = holed_fall,
                             .guards = toy_fall_guards,
                             .guard_jacobian = toy_fall_jacobian,
                             .resets = &m.resets,
                             .impacts = &made,
                             .params = p};
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  matrix_free(&m);
  x[0] = p->side * height;
  x[1] = p->side * speed;
  const toy_end end = toy_go(d, 1, 0.0, 0.1, x);
  x[0] *= p->side;
  x[1] *= p->side;
  *impacts = end.counters.impacts;
  if (!end.status) assert_true(end.sign[0] == (x[0] < 0.0 ? -p->side : p->side));
  return end.status;
}

/* on the zero, and some digits beyond it */
static const double depths[] = {0.0, 1e-17, 1e-15, 1e-11};
enum { DEPTHS = sizeof depths / sizeof *depths };

TEST(what_starts_over_a_hole_falls_through_it) {
  for (int i = 0; i < 4 * DEPTHS; i++) {
    holed p = {.side = i & 1 ? 1.0 : -1.0, .hole = true, .two_sided = i & 2};
    uint64_t impacts;
    double x[2];
    assert_int_equal(run_holed(&p, -depths[i / 4], -1.0, x, &impacts), ESS_SUCCESS);
    assert_int_equal(impacts, 0);
    assert_true(fabs(x[0] + 0.1) < 1e-9 && fabs(x[1] + 1.0) < 1e-9);
    // the mode that `start` sees in the end is the one that the run begins in
    assert_int_equal(p.starts, 2);
    assert_int_equal(run_holed(&p, depths[i / 4], 1.0, x, &impacts), ESS_SUCCESS);
    assert_true(impacts == 0 && fabs(x[0] - (0.1 - 0.005 * G)) < 1e-9);
  }
}

TEST(what_starts_on_a_floor_with_a_matrix_bounces_at_once) {
  for (int i = 0; i < 2 * DEPTHS; i++) {
    holed p = {.side = i & 1 ? 1.0 : -1.0};
    uint64_t impacts;
    double x[2];
    assert_int_equal(run_holed(&p, -depths[i / 2], -1.0, x, &impacts), ESS_SUCCESS);
    assert_int_equal(impacts, 1);
    assert_true(fabs(x[0] - (0.08 - 0.005 * G)) < 1e-9);
    assert_int_equal(p.starts, 1);
  }
}

/* a neuron that is charged up to 1, and fires; a row says that it is below again */
FIELD(charge) {
  dxdt[0] = 1.0;
}

GUARDS(threshold) {
  h[0] = x[0] - 1.0;
}

IMPACT_MAP(fire) {
  impact->after[0] = 0.0;
}

TEST(a_mode_that_rows_put_back_is_back_at_the_start_too) {
  const ess_impacts fires = {.map = fire};
  matrix m = matrix_begin(1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(0), 1);
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = charge,
                             .guards = threshold,
                             .resets = matrix_end(&m),
                             .impacts = &fires};
  const ess_options options = ess_options_default();
  for (int i = 0; i < 4; i++) {
    const double starts[] = {0.5, 1.0, 1.0 + 1e-15, 1.0 - 1e-15};
    double x = starts[i];
    const toy_end end = toy_succeeds(&system, &options, 0.0, 2.4, &x);
    assert_int_equal(end.counters.impacts, i ? 3 : 2);
    assert_true(fabs(x - (i ? 0.4 : 0.9)) < 1e-9);
  }
  matrix_free(&m);
}
