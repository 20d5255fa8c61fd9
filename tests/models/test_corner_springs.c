/*
 * Bodies that touch the ground on springs: against the closed form of a body that lands level, and
 * of a block that is let go; their derivatives; libess against GSL through landings and lift-offs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "corner_springs.h"
#include "ess_tangents.h"

enum { N = CORNERS_STATES };

static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.12g is not %.12g", value, known);
}

typedef struct change {
  const char *name;
  double value;
} change;

static model body(const model_type *type, const change changes[]) {
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, type);
  for (; changes && changes->name; changes++)
    assert_int_equal(model_set(&m, changes->name, changes->value, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

static void by_libess(const model *m, double t, double x[N]) {
  ess_options with = ess_options_default();
  with.rtol = with.atol = 1e-11;
  ess_driver *const driver = ess_driver_alloc(&m->system, &with, NULL);
  double reached = 0.0;
  assert_non_null(driver);
  m->type->initial_state(m, x);
  assert_int_equal(ess_driver_apply(driver, &reached, t, x), ESS_SUCCESS);
  ess_driver_free(driver);
}

/* Both feet land at once: m z'' = -2 k z - 2 c z' - m g from z = 0 at speed v, until the force is
 * gone; then it flies. */
static void level_landing_is_the_closed_form(void **state) {
  (void)state;
  const double k = 1e5, ratio = 0.1, g = 9.81, v = sqrt(1.0 + 2.0 * g * 0.5);
  model m = body(&trot_on_springs_type,
                 (const change[]){{"stiffness", k}, {"damping-ratio", ratio}, {0}});
  const double c = 2.0 * ratio * sqrt(k), w0 = sqrt(2.0 * k), zeta = c / sqrt(2.0 * k);
  const double w = w0 * sqrt(1.0 - zeta * zeta), sag = g / (w0 * w0);
  const double lands = (v - 1.0) / g;
  // z + sag = e^(-zeta w0 t) (a cos wt + b sin wt)
  const double a = sag, b = (zeta * w0 * sag - v) / w;
  double low = 0.5 * M_PI / w, high = M_PI / w, z = 0.0, rate = 0.0, x[N];
  for (int i = 0; i < 80; i++) {
    const double t = 0.5 * (low + high), e = exp(-zeta * w0 * t);
    z = e * (a * cos(w * t) + b * sin(w * t)) - sag;
    rate = -zeta * w0 * (z + sag) + e * w * (b * cos(w * t) - a * sin(w * t));
    *(-k * z - c * rate > 0.0 ? &low : &high) = t;
  }
  by_libess(&m, lands + 0.5 * M_PI / w, x);
  near(x[CORNERS_Z] - 1.0, exp(-zeta * w0 * 0.5 * M_PI / w) * b - sag, 1e-10);
  const double fly = 0.02;
  by_libess(&m, lands + high + fly, x);
  near(x[CORNERS_Z] - 1.0, z + rate * fly - 0.5 * g * fly * fly, 1e-9);
  near(x[CORNERS_VZ], rate - g * fly, 1e-8);
  near(x[CORNERS_PHI], 0.0, 1e-12);
  model_release(&m);
}

/* a block that is let go turns about its corner, which does not move at first, on either side */
static void block_starts_on_a_corner_that_carries_it(void **state) {
  (void)state;
  for (int friction = 0; friction < 2; friction++)
    for (int side = -1; side <= 1; side += 2) {
      model m = body(&block_on_springs_type,
                     (const change[]){{"tilt", 0.2 * side}, {"friction", friction}, {0}});
      double x[N], dxdt[N], h[2 * CORNERS], sign[2 * CORNERS], r[2];
      m.type->initial_state(&m, x);
      assert_int_equal(m.system.event_functions(0.0, x, h, m.system.params), 0);
      for (int i = 0; i < 2 * CORNERS; i++) sign[i] = h[i] > 0.0 ? 1.0 : -1.0;
      const int on = side > 0 ? 0 : 1;
      assert_true(sign[on] > 0.0 && sign[1 - on] < 0.0);
      assert_int_equal(m.system.field(0.0, x, sign, dxdt, m.system.params), 0);
      corner_springs_from(m.data, on, x[CORNERS_PHI], r);
      near(dxdt[CORNERS_VZ] + r[0] * dxdt[CORNERS_OMEGA], 0.0, 1e-9);
      if (friction == 0) near(dxdt[CORNERS_VX] - r[1] * dxdt[CORNERS_OMEGA], 0.0, 1e-9);
      if (friction == 1) near(dxdt[CORNERS_VX], 0.0, 1e-12);
      assert_true(dxdt[CORNERS_OMEGA] * side < 0.0);
      model_release(&m);
    }
}

static void derivatives_are_right(void **state) {
  (void)state;
  static const double x[N] = {0.01, 0.051, 0.07, -0.3, 0.2, 1.5, -0.01, 0.03};
  const model_type *const types[] = {&block_on_springs_type, &trot_on_springs_type};
  for (int i = 0; i < 2; i++) {
    model m = body(types[i], NULL);
    ess_jacobian_check worst;
    if (ess_check_jacobian(&m.system, 0.0, x, &worst))
      fail_msg("event %zu, state %zu: %g is not %g", worst.row, worst.column, worst.given,
               worst.found);
    model_release(&m);
  }
}

/* hops on springs that damp little, and rocking on springs that damp much */
static void libess_agrees_with_the_reference(void **state) {
  (void)state;
  static const double ratios[] = {0.2, 2.0};
  const model_type *const types[] = {&block_on_springs_type, &trot_on_springs_type};
  for (int i = 0; i < 4; i++) {
    const double t = 0.35;
    model m =
        body(types[i / 2],
             (const change[]){{"damping-ratio", ratios[i % 2]}, {"tilt", i < 2 ? 0.2 : 0.02}, {0}});
    double x0[N], x[N], known[N];
    char message[MODEL_MESSAGE_SIZE];
    model_reference out = {.times = &t, .count = 1, .states = known};
    m.type->initial_state(&m, x0);
    if (m.type->reference(&m, x0, &out, message)) fail_msg("%s", message);
    by_libess(&m, t, x);
    assert_true(out.events > 3);
    for (int j = 0; j < N; j++) near(x[j], known[j], 1e-8);
    model_release(&m);
  }
}

/* A block nearly level on floors of 1e9 N/m: what its event functions change by in a step gets
 * smaller than the rounding of the state they are made of, which no shorter step helps. */
static void rounding_does_not_stop_a_stiff_landing(void **state) {
  (void)state;
  static const double tilts[] = {3e-5, 2.7750370336263682e-06};
  for (int i = 0; i < 2; i++) {
    model m = body(
        &block_on_springs_type,
        (const change[]){{"stiffness", 1e9}, {"damping-ratio", 10.0}, {"tilt", tilts[i]}, {0}});
    ess_options with = ess_options_default();
    with.rtol = with.atol = 1e-12;
    ess_driver *const driver = ess_driver_alloc(&m.system, &with, NULL);
    double t = 0.0, x[N];
    assert_non_null(driver);
    m.type->initial_state(&m, x);
    assert_int_equal(ess_driver_apply(driver, &t, 0.002, x), ESS_SUCCESS);
    const ess_counters *const made = ess_driver_counters(driver);
    assert_true(made->steps + made->rejected < 50000);
    ess_driver_free(driver);
    model_release(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(level_landing_is_the_closed_form),
      cmocka_unit_test(block_starts_on_a_corner_that_carries_it),
      cmocka_unit_test(derivatives_are_right),
      cmocka_unit_test(libess_agrees_with_the_reference),
      cmocka_unit_test(rounding_does_not_stop_a_stiff_landing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
