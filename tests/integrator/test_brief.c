/*
 * Brief steps: those of order 3 from a crossing to the next.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../../integrator/core.h"
#include "toy.h"

/* calls of the field for each crossing, and what the state is off by */
typedef struct outcome {
  double calls, error;
} outcome;

/* ---- crossings at regular times -------------------------------------------------------------- */

/* The last two states are a height and its speed, which gravity pulls to 0 from either side: an arc
 * takes two units of time over `gravity`, and is a parabola. Others are rates of their own. */

static void fall(const double x[], const double sign[], double dxdt[], void *params) {
  const double *const gravity = params;
  dxdt[0] = x[1];
  dxdt[1] = -*gravity * sign[0];
}

FIELD(rotate) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0];
  fall(x + 2, sign, dxdt + 2, params);
}

PLANES(rotated_height, 4, (x[2]), (0.0));

/* x' = 3 t^2, which order 3 has without error where each stage sees its own time */
FIELD(cubic) {
  dxdt[0] = dxdt[1] = 3.0 * t * t;
  fall(x + 2, sign, dxdt + 2, params);
}

typedef int field_of(double t, const double x[], const double sign[], double dxdt[], void *params);

static ess_system regular(field_of *field, double *gravity) {
  return (ess_system){.dimension = 4,
                      .guard_count = 1,
                      .field = field,
                      .guards = rotated_height_guards,
                      .guard_rates = rotated_height_rates,
                      .params = gravity};
}

/* from an arc's beginning to a time; where no step is let be brief all are of order 5 */
static outcome run(const ess_system *system, const ess_options *options, bool brief, double end,
                   double x[]) {
  ess_driver *const d = ess_driver_alloc(system, options, NULL);
  double t = 0.0;
  assert_non_null(d);
  if (!brief) d->control.brief.longest = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, end, x), ESS_SUCCESS);
  const ess_counters *const c = ess_driver_counters(d);
  assert_true(c->crossings > 30);
  const double calls = (double)c->field_evaluations / (double)c->crossings;
  ess_driver_free(d);
  return (outcome){.calls = calls};
}

/* all steps are accepted, each from one crossing to the next */
static ess_options by_arcs(double gravity) {
  ess_options options = ess_options_default();
  options.atol = 1e3;
  options.h_max = 3.0 / gravity;
  return options;
}

static outcome run_rotation(const ess_options *options, bool brief, double gravity) {
  const ess_system system = regular(rotate, &gravity);
  double x[] = {1.0, 0.0, 0.0, 1.0};
  outcome o = run(&system, options, brief, 2.0, x);
  o.error = hypot(x[0] - cos(2.0), x[1] + sin(2.0));
  return o;
}

TEST(they_are_of_order_3) {
  const ess_options options = by_arcs(40.3), half = by_arcs(80.6);
  const outcome one = run_rotation(&options, true, 40.3), two = run_rotation(&half, true, 80.6);
  assert_true(one.calls < 4.7 && two.calls < 4.7);
  const double order = log2(one.error / two.error);
  assert_true(order > 2.7 && order < 3.3);
}

TEST(stages_see_their_own_time) {
  double gravity = 40.0, x[] = {0.0, 0.0, 0.0, 1.0};
  const ess_options options = by_arcs(gravity);
  const ess_system system = regular(cubic, &gravity);
  assert_true(run(&system, &options, true, 3.0, x).calls < 4.7);
  assert_true(fabs(x[0] - 27.0) < 1e-11);
}

/* Outcome: four calls from a crossing to the next in place of seven, and the tolerance is kept. */
TEST(they_take_fewer_calls) {
  for (double tolerance = 1e-2; tolerance > 5e-5; tolerance *= 0.1) {
    const ess_options options = toy_options(tolerance);
    const outcome with = run_rotation(&options, true, 40.3);
    assert_true(with.calls < 5.0 && run_rotation(&options, false, 40.3).calls > 7.0);
    assert_true(with.error < tolerance);
  }
}

/* Outcome: where order 3 does not reach from a crossing to the next, it is hardly tried. */
TEST(accurate_steps_are_none) {
  for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= 0.1) {
    const ess_options options = toy_options(tolerance);
    const outcome with = run_rotation(&options, true, 40.3);
    const outcome without = run_rotation(&options, false, 40.3);
    assert_true(with.calls < 1.06 * without.calls && with.error < 1.01 * without.error);
  }
}

/* Outcome: what the paper's method goes on from is no brief step. */
TEST(the_papers_method_has_none) {
  double gravity = 40.3, x[] = {1.0, 0.0, 0.0, 1.0}, t = 0.0;
  const ess_system system = regular(rotate, &gravity);
  ess_options options = by_arcs(gravity);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  assert_ptr_equal(d->base, &ess_base_brief);
  options.method = ESS_METHOD_PAPER;
  options.epsilon = 1e-6;
  assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
  assert_ptr_equal(d->base, &ess_base_dopri5);
  ess_driver_free(d);
}
