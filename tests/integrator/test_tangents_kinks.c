/*
 * Kinks of the field: at a guard, as of a contact whose force is nothing beyond it, and where there
 * is no guard. Differences are of the mode's side, and a state that stays at a kink has no
 * derivative for all directions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

/* ---- a ball on a spring that only pushes ----------------------------------------------------- */

enum { BALL = 2, COLUMNS = BALL + 1, RECORDED = 1 << 22 };

typedef struct push {
  double floor; /* the parameter */
  double spring;
  bool has_guard, is_given; /* so are the field's derivatives */
} push;

static bool is_pushed(const push *p, const double x[], const double sign[]) {
  return x[0] < p->floor && (!p->has_guard || sign[0] < 0.0);
}

FIELD(push_field) {
  const push *const p = params;
  dxdt[0] = x[1];
  dxdt[1] = is_pushed(p, x, sign) ? p->spring * (p->floor - x[0]) : 0.0;
}

FIELD_JACOBIAN(push_by_state) {
  const push *const p = params;
  J[0] = J[3] = 0.0;
  J[1] = 1.0;
  J[2] = is_pushed(p, x, sign) ? -p->spring : 0.0;
}

FIELD_BY(push_by_floor) {
  const push *const p = params;
  Fp[0] = 0.0;
  Fp[1] = is_pushed(p, x, sign) ? p->spring : 0.0;
}

GUARDS(push_guards) {
  h[0] = x[0] - ((const push *)params)->floor;
}

GUARD_JACOBIAN(push_jacobian) {
  Dh[0] = 1.0;
  Dh[1] = 0.0;
}

/* by height, speed and floor, of a ball that falls at the speed 5 from 2.8 above the floor */
static void known(const push *p, double V[BALL * COLUMNS]) {
  const double contact = M_PI / sqrt(p->spring);
  const double right[] = {-1.0, contact - 1.0, 2.0, 0.0, -1.0, 0.0};
  memcpy(V, right, sizeof right);
}

/* the largest error of tangents, and of the adjoint, over what one of 1 is given by */
static double error_of(push *p, double tolerance) {
  const ess_system system = {.dimension = BALL,
                             .guard_count = p->has_guard,
                             .field = push_field,
                             .guards = p->has_guard ? push_guards : NULL,
                             .guard_jacobian = p->has_guard ? push_jacobian : NULL,
                             .field_jacobian = p->is_given ? push_by_state : NULL,
                             .field_parameter_jacobian = p->is_given ? push_by_floor : NULL,
                             .parameters = 1,
                             .parameter_values = &p->floor,
                             .params = p};
  const ess_options options = toy_options(tolerance);
  const double of_height[BALL] = {1.0, 0.0}, of_speed[BALL] = {0.0, 1.0};
  double V[BALL * COLUMNS], W[BALL * COLUMNS], most = 0.0;
  known(p, W);
  for (int records = 0; records < 2; records++) {
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[BALL] = {p->floor + 2.8, -5.0};
    assert_int_equal(records ? ess_driver_record(d, RECORDED)
                             : ess_driver_follow_parameters(d, COLUMNS, NULL, NULL),
                     ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    if (records) {
      assert_int_equal(ess_driver_adjoint(d, 1, of_height, V, V + BALL), ESS_SUCCESS);
      assert_int_equal(ess_driver_adjoint(d, 1, of_speed, V + COLUMNS, V + COLUMNS + BALL),
                       ESS_SUCCESS);
    } else {
      memcpy(V, ess_driver_tangent(d), sizeof V);
    }
    assert_int_equal(ess_driver_smoothness(d)->kind, ESS_SMOOTH_C1);
    for (int i = 0; i < BALL * COLUMNS; i++) most = fmax(most, fabs(V[i] - W[i]));
    ess_driver_free(d);
  }
  return most;
}

/* In what the derivative may be off by, besides tolerances, are differences' noise, and where no
 * guard tells on which side of the kink they are, that these are across it, both in parts of the
 * spring. */
static double allowed(const push *p, double tolerance) {
  if (p->has_guard) return 2e3 * tolerance + 3e-14 * p->spring;
  return 5e3 * tolerance + 3e-12 * p->spring;
}

TEST(a_spring_that_only_pushes_has_its_derivative) {
  for (double spring = 1e3; spring < 2e5; spring *= 10.0)
    for (double tolerance = 1e-6; tolerance > 5e-13; tolerance *= 1e-2)
      for (int i = 0; i < 4; i++) {
        push p = {.floor = 0.3, .spring = spring, .has_guard = i / 2, .is_given = i % 2};
        const double error = error_of(&p, tolerance);
        if (!(error < allowed(&p, tolerance)))
          fail_msg("spring %g, tolerance %g, guard %d, given %d: %g", spring, tolerance,
                   p.has_guard, p.is_given, error);
      }
}

/* ---- kinks that the state stays at ----------------------------------------------------------- */

enum { AT_REST, BESIDE, PAST, SMOOTH, KINKS };

/* p'' of a spring that pushes from 0 on; there at rest, a little above, or passing; or one of a
 * force that has a second derivative nowhere, at its zero */
FIELD(held_field) {
  const int kind = *(const int *)params;
  dxdt[0] = x[1];
  dxdt[1] = kind == SMOOTH ? -x[0] * fabs(x[0]) : 100.0 * fmax(0.0, -x[0]);
}

TEST(a_state_that_stays_at_a_kink_is_not_called_smooth) {
  for (int kind = 0; kind < KINKS; kind++)
    for (double tolerance = 1e-8; tolerance > 5e-13; tolerance *= 1e-2) {
      const ess_system system = {.dimension = 2, .field = held_field, .params = &kind};
      const ess_options options = toy_options(tolerance);
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double t = 0.0, x[2] = {kind == BESIDE ? 1e-3 : 0.0, kind == PAST ? -1.0 : 0.0};
      assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
      assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
      assert_int_equal(ess_driver_smoothness(d)->kind,
                       kind == AT_REST ? ESS_SMOOTH_NOT_COUNTED : ESS_SMOOTH_C1);
      ess_driver_free(d);
    }
}

/* ---- noise ----------------------------------------------------------------------------------- */

enum { NOISY = 40 };

/* decay, each state of its own, and what rounding leaves of sums of many large terms: something
 * else at each state, however near */
FIELD(noisy_field) {
  const double noise = *(const double *)params;
  double phase = 0.0;
  for (int i = 0; i < NOISY; i++) phase += 1e13 * (i + 1) * x[i];
  for (int i = 0; i < NOISY; i++) dxdt[i] = -x[i] + noise * sin(phase + i * i);
}

TEST(the_noise_of_a_field_is_no_kink) {
  for (double noise = 1e-13; noise < 2e-12; noise *= 10.0) {
    const ess_system system = {.dimension = NOISY, .field = noisy_field, .params = &noise};
    const ess_options options = toy_options(1e-9);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[NOISY];
    for (int i = 0; i < NOISY; i++) x[i] = 1.0 + 0.01 * i;
    assert_int_equal(ess_driver_follow(d, NOISY, NULL), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_smoothness(d)->kind, ESS_SMOOTH_C1);
    ess_driver_free(d);
  }
}
