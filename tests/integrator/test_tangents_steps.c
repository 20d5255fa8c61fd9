/*
 * Tangents where the state says little of them: steps that are right for a state at rest, and
 * events of one instant that are too many to be ordered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

/* ---- a stiff oscillator at rest: steps of the state may be of any length --------------------- */

static const double STIFFNESS = 4000.0;

static int swing(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  (void)sign;
  (void)params;
  dxdt[0] = x[1];
  dxdt[1] = -STIFFNESS * x[0];
  return 0;
}

static void directions_have_a_tolerance_of_their_own(void **state) {
  (void)state;
  const ess_system system = {.dimension = 2, .field = swing};
  for (int j = 4; j <= 7; j++) { // by differences no better
    ess_options options = ess_options_default();
    options.rtol = options.atol = pow(10.0, -j);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {0.0, 0.0};
    assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_true(ess_driver_counters(d)->steps < 20);
    const double w = sqrt(STIFFNESS), *const v = ess_driver_tangent(d);
    const double known[] = {cos(w), sin(w) / w, -w * sin(w), cos(w)};
    for (int i = 0; i < 4; i++)
      assert_true(fabs(v[i] - known[i]) < 500.0 * options.rtol * (i == 2 ? w : 1.0));
    ess_driver_free(d);
  }
}

/* ---- a level plate on many feet: z, theta and their rates ------------------------------------ */

typedef struct plate {
  size_t feet;
  double coupling; /* by how much the feet's forces do not add up */
} plate;

static double place(const plate *p, size_t i) {
  return -1.0 + 2.0 * (double)i / (double)(p->feet - 1);
}

static int press(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const plate *const p = params;
  double pressed = 0.0;
  (void)t;
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = -9.81;
  dxdt[3] = 0.0;
  for (size_t i = 0; i < p->feet; i++) {
    if (sign[i] < 0.0) continue;
    const double a = place(p, i), speed = x[2] + a * x[3];
    const double force = (-200.0 * (x[0] + a * x[1]) - 5.0 * speed) / (double)p->feet;
    dxdt[2] += force;
    dxdt[3] += 3.0 * a * force;
    pressed += 1.0 + 0.1 * a;
  }
  dxdt[0] -= p->coupling * pressed * pressed / (double)(p->feet * p->feet);
  return 0;
}

static int depths(const double x[], double h[], void *params) {
  const plate *const p = params;
  for (size_t i = 0; i < p->feet; i++) h[i] = -(x[0] + place(p, i) * x[1]);
  return 0;
}

static int rates(const double x[], const double v[], double h[], double rate[], void *params) {
  depths(v, rate, params);
  return depths(x, h, params);
}

/* the end state from this height and angle */
static void drop(plate *p, ess_driver *d, double height, double angle, double x[4]) {
  double t = 0.0;
  const double start[] = {height, angle, -1.0, 0.0};
  (void)p;
  memcpy(x, start, sizeof start);
  ess_driver_reset(d);
  assert_int_equal(ess_driver_apply(d, &t, 0.4, x), ESS_SUCCESS);
}

static void a_level_plate_is_differentiable(void **state) {
  (void)state;
  const size_t feet[] = {2, 5, 8, 9, 100};
  for (int i = 0; i < 5; i++) {
    plate p = {.feet = feet[i]};
    const ess_system system = {.dimension = 4,
                               .guard_count = p.feet,
                               .field = press,
                               .guards = depths,
                               .guard_rates = rates,
                               .params = &p};
    ess_options options = ess_options_default();
    options.rtol = options.atol = 1e-11;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    const double step = 1e-4;
    double above[4], below[4], x[4];
    drop(&p, d, 0.2, step, above);
    drop(&p, d, 0.2, -step, below);
    assert_int_equal(ess_driver_follow(d, 4, NULL), ESS_SUCCESS);
    drop(&p, d, 0.2, 0.0, x);
    const ess_smoothness *const s = ess_driver_smoothness(d);
    assert_int_equal(s->kind, ESS_SMOOTH_C1);
    assert_int_equal(s->pieces, 1);
    assert_int_equal(s->instants, 1);
    assert_int_equal(s->count, p.feet);
    for (int l = 0; l < 4; l++) {
      const double difference = (above[l] - below[l]) / (2.0 * step);
      assert_true(fabs(ess_driver_tangent(d)[4 * l + 1] - difference) < 1e-4);
    }
    ess_driver_free(d);
  }
}

/* more events than are counted, whose jumps do not add up: each direction has its derivative still
 */
static void many_that_do_not_add_up_are_not_counted(void **state) {
  (void)state;
  plate p = {.feet = 12, .coupling = 0.5};
  const ess_system system = {.dimension = 4,
                             .guard_count = p.feet,
                             .field = press,
                             .guards = depths,
                             .guard_rates = rates,
                             .params = &p};
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-11;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  for (int side = -1; side <= 1; side += 2) {
    const double v[4] = {0.0, side, 0.0, 0.0}, step = 1e-5;
    double beside[4], x[4];
    drop(&p, d, 0.2, side * step, beside);
    assert_int_equal(ess_driver_follow(d, 1, v), ESS_SUCCESS);
    drop(&p, d, 0.2, 0.0, x);
    assert_int_equal(ess_driver_smoothness(d)->kind, ESS_SMOOTH_NOT_COUNTED);
    assert_int_equal(ess_driver_smoothness(d)->pieces, 0);
    for (int l = 0; l < 4; l++)
      assert_true(fabs(ess_driver_tangent(d)[l] - (beside[l] - x[l]) / step) < 1e-3);
    assert_int_equal(ess_driver_follow(d, 0, NULL), ESS_SUCCESS);
  }
  ess_driver_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(directions_have_a_tolerance_of_their_own),
      cmocka_unit_test(a_level_plate_is_differentiable),
      cmocka_unit_test(many_that_do_not_add_up_are_not_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
