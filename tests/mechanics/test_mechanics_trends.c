/*
 * Trends: the four curves of Figure 2, where the present force decides, then its slope; and forces
 * that are zero for good.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "complementarity.h"
#include "random_mechanism.h"
#include "trend.h"

/* a particle of unit mass on a = sign x^power + height y, forced from the outside */
typedef struct curve {
  double sign, height, force[2];
  int power;
} curve;

static void inertia(const double q[], double M[], void *params) {
  (void)q, (void)params;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
}

static void potential(const double q[], double N[], void *params) {
  (void)q;
  const curve *const c = params;
  N[0] = -c->force[0];
  N[1] = -c->force[1];
}

static void gaps(const double q[], double a[], void *params) {
  const curve *const c = params;
  a[0] = c->sign * pow(q[0], c->power) + c->height * q[1];
}

static void rows(const double q[], double A[], void *params) {
  const curve *const c = params;
  A[0] = c->sign * c->power * pow(q[0], c->power - 1);
  A[1] = c->height;
}

static const mechanism_constraint only[] = {{.normal = 0}};

static mechanism on(curve *c) {
  return (mechanism){.coordinates = 2,
                     .constraints = 1,
                     .constraint = only,
                     .inertia = inertia,
                     .potential = potential,
                     .gaps = gaps,
                     .rows = rows,
                     .params = c};
}

static void the_curves_of_figure_2(void **state) {
  (void)state;
  curve curves[] = {{.sign = 1, .height = 4, .power = 2},
                    {.sign = -1, .height = 4, .power = 2},
                    {.sign = 1, .height = 8, .power = 3},
                    {.sign = -1, .height = 8, .power = 3}};
  const double force[] = {-0.125, 0.125, 0, 0};
  const int trend[] = {-1, 1, -1, 1};
  for (size_t i = 0; i < 4; i++) {
    for (double v = 0.1; v < 100; v *= 7) {
      const mechanism m = on(&curves[i]);
      complementarity c = complementarity_alloc(&m);
      kkt_at(c.here, (double[]){0, 0}, (double[]){v, 0});
      kkt_multipliers of;
      assert_true(kkt_flow(c.here, 1, NULL, &of));
      assert_true(fabs(kkt_cone(c.here, 0, of.value) - force[i] * v * v) < 1e-10 * v * v);
      assert_int_equal(trend_of(c.here, c.elsewhere, 1, 0), trend[i]);
      const complementarity_choice found = complementarity_forces(&c, 1);
      assert_int_equal(found.solutions, 1);
      assert_int_equal(found.mode, trend[i] > 0);
      complementarity_free(&c);
    }
  }
}

/* U is of the order of s^(power - 2): up to its eighth derivative; a later one cannot be told */
static void later_derivatives_decide(void **state) {
  (void)state;
  for (int power = 3; power <= 12; power++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      curve c = {.sign = sign, .height = 8, .power = power};
      const mechanism m = on(&c);
      complementarity s = complementarity_alloc(&m);
      kkt_at(s.here, (double[]){0, 0}, (double[]){30, 0});
      assert_int_equal(trend_of(s.here, s.elsewhere, 1, 0), power <= 10 ? -sign : TREND_UNKNOWN);
      assert_int_equal(s.untold, 0);
      complementarity_forces(&s, 1);
      assert_int_equal(s.untold > 0, power > 10);
      complementarity_free(&s);
    }
  }
}

static void a_force_that_stays_zero_is_not_negative(void **state) {
  (void)state;
  curve c = {.sign = 0, .height = 1, .power = 2, .force = {3, 0}};
  const mechanism m = on(&c);
  complementarity s = complementarity_alloc(&m);
  kkt_at(s.here, (double[]){0.7, 0}, (double[]){1, 0});
  assert_int_equal(trend_of(s.here, s.elsewhere, 1, 0), 0);
  assert_int_equal(complementarity_forces(&s, 1).mode, 1);
  c.force[1] = 1e-3;
  assert_int_equal(trend_of(s.here, s.elsewhere, 1, 0), -1);
  c.force[1] = -1e-3;
  assert_int_equal(trend_of(s.here, s.elsewhere, 1, 0), 1);
  complementarity_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_curves_of_figure_2),
      cmocka_unit_test(later_derivatives_decide),
      cmocka_unit_test(a_force_that_stays_zero_is_not_negative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
