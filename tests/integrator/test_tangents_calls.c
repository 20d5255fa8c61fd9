/*
 * What tangents cost without a Jacobian of the field, and that they are as good as with one: a bed
 * of feet that are unlike, bent springs, touched and left.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

enum { STATES = 5, MOST = 12 }; // not whole lanes

typedef struct bed {
  size_t feet;
  double unlike; /* some feet are stiffer than others, by up to 20 times this */
} bed;

static double place(const bed *b, size_t i) {
  return -1.0 + 2.0 * (double)i / (double)(b->feet - 1);
}

FIELD(press_field) {
  const bed *const b = params;
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = -9.81 - 3.0 * x[2] * fabs(x[2]) - 20.0 * sin(5.0 * x[0]);
  dxdt[3] = 0.0;
  dxdt[4] = x[0] * x[3];
  for (size_t i = 0; i < b->feet; i++) {
    if (sign[i] < 0.0) continue;
    const double a = place(b, i), unlike = fabs(sin(977.0 * (double)i));
    const double g = x[0] + a * sin(x[1]), speed = x[2] + a * cos(x[1]) * x[3];
    const double spring = g * (3000.0 * g * g - 200.0 - 20.0 * b->unlike * unlike);
    const double force = (spring - 40.0 * speed * g - 5.0 * speed) / (double)b->feet;
    dxdt[2] += force;
    dxdt[3] += 3.0 * a * cos(x[1]) * force;
  }
}

FIELD_JACOBIAN(press_jacobian) {
  for (size_t j = 0; j < STATES; j++) {
    const double step = 1e-5;
    double above[STATES], below[STATES], beside[STATES];
    memcpy(beside, x, sizeof beside);
    beside[j] += step;
    press_field(t, beside, sign, above, params);
    beside[j] -= 2.0 * step;
    press_field(t, beside, sign, below, params);
    for (size_t i = 0; i < STATES; i++) J[STATES * i + j] = (above[i] - below[i]) / (2.0 * step);
  }
}

GUARDS(press_guards) {
  const bed *const b = params;
  for (size_t i = 0; i < b->feet; i++) h[i] = -(x[0] + place(b, i) * sin(x[1]));
}

GUARD_RATES_CODE(press_rates) {
  const bed *const b = params;
  for (size_t i = 0; i < b->feet; i++) rate[i] = -(v[0] + place(b, i) * cos(x[1]) * v[1]);
  return press_guards(0.0, x, h, params);
}

/* directions after a run, and what it took; p = 0: none */
static ess_counters run(bed *b, double tolerance, bool given, size_t p, double v[]) {
  const ess_system system = {.dimension = STATES,
                             .guard_count = b->feet,
                             OF_RATES(press),
                             .field_jacobian = given ? press_jacobian : NULL,
                             .params = b};
  const ess_options options = toy_options(tolerance);
  double directions[STATES * MOST], t = 0.0, x[STATES] = {0.2, 0.05, -1.0};
  for (size_t i = 0; i < STATES * p; i++) directions[i] = sin(1.0 + (double)i);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  if (p) assert_int_equal(ess_driver_follow(d, p, directions), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 0.4, x), ESS_SUCCESS);
  if (p) memcpy(v, ess_driver_tangent(d), STATES * p * sizeof *v);
  const ess_counters counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return counters;
}

static double apart(const double a[], const double b[], size_t count) {
  double off = 0.0, size = 0.0;
  for (size_t i = 0; i < count; i++) {
    off = fmax(off, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return off / size;
}

TEST(calls_and_errors_are_as_promised) {
  const size_t feet[] = {10, 100}, directions[] = {1, 2, STATES, MOST};
  for (int i = 0; i < 4; i++) {
    bed b = {.feet = feet[i % 2], .unlike = i < 2 ? 0.0 : 20.0};
    double known[STATES * MOST];
    run(&b, 1e-11, true, MOST, known); // crossings are located
    for (int j = 2; j <= 7; j++)
      for (int l = 0; l < 4; l++) {
        const size_t p = directions[l], most = p > STATES ? p : STATES;
        const double tolerance = pow(10.0, -j);
        double by_differences[STATES * MOST], by_jacobian[STATES * MOST];
        const ess_counters plain = run(&b, tolerance, false, 0, NULL);
        const ess_counters c = run(&b, tolerance, false, p, by_differences);
        const ess_counters with = run(&b, tolerance, true, p, by_jacobian);
        assert_int_equal(with.crossings, c.crossings);
        // crossings that are made together are looked at each
        const uint64_t each = 2 * with.crossings;
        assert_true(with.field_evaluations <= plain.field_evaluations + each);
        // and steps of directions by themselves
        const double calls = (double)((1 + most) * plain.field_evaluations);
        assert_true((double)c.field_evaluations <=
                    1.05 * calls + 3.0 * (STATES + 1) + (double)each);
        assert_true(apart(by_differences, by_jacobian, STATES * p) <
                    5.0 * (double)b.feet * tolerance + 1e-6);
        // each crossing takes the field before it from a step, to the tolerance over its length
        if (p == MOST)
          assert_true(apart(by_jacobian, known, STATES * p) <
                      50.0 * (double)b.feet * tolerance + 1e-6);
      }
  }
}
