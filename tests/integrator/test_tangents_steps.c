/*
 * Tangents where the state says little of them: steps that are right for a state at rest, and
 * events of one instant that are too many to be ordered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

/* ---- a stiff oscillator at rest: steps of the state may be of any length --------------------- */

static const double STIFFNESS = 4000.0;

FIELD(swing) {
  dxdt[0] = x[1];
  dxdt[1] = -STIFFNESS * x[0];
}

TEST(directions_have_a_tolerance_of_their_own) {
  const ess_system system = {.dimension = 2, .field = swing};
  for (int j = 4; j <= 7; j++) { // by differences no better
    const ess_options options = toy_options(pow(10.0, -j));
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

FIELD(press_field) {
  const plate *const p = params;
  double pressed = 0.0;
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
}

PLANES_EACH(press, 4, AS(plate)->feet, -(x[0] + place(AS(plate), k) * x[1]), 0.0);

/* the end state from this height and angle */
static void drop(plate *p, ess_driver *d, double height, double angle, double x[4]) {
  double t = 0.0;
  const double start[] = {height, angle, -1.0, 0.0};
  memcpy(x, start, sizeof start);
  ess_driver_reset(d);
  assert_int_equal(ess_driver_apply(d, &t, 0.4, x), ESS_SUCCESS);
}

TEST(a_level_plate_is_differentiable) {
  const size_t feet[] = {2, 5, 8, 9, 100};
  for (int i = 0; i < 5; i++) {
    plate p = {.feet = feet[i]};
    const ess_system system = {
        .dimension = 4, .guard_count = p.feet, OF_RATES(press), .params = &p};
    const ess_options options = toy_options(1e-11);
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
TEST(many_that_do_not_add_up_are_not_counted) {
  plate p = {.feet = 12, .coupling = 0.5};
  const ess_system system = {.dimension = 4, .guard_count = p.feet, OF_RATES(press), .params = &p};
  const ess_options options = toy_options(1e-11);
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

/* ---- a plate that lands aslant -------------------------------------------------------- */

FIELD_JACOBIAN(press_by_state) {
  const double level[4] = {0};
  double f[4], column[4] = {0};
  press_field(t, level, sign, f, params); // affine in the state
  for (int j = 0; j < 4; j++) {
    column[j] = 1.0;
    double beside[4];
    press_field(t, column, sign, beside, params);
    for (int i = 0; i < 4; i++) J[4 * i + j] = beside[i] - f[i];
    column[j] = 0.0;
  }
}

/* largest difference of the tangents at a tolerance from those known, in parts of the largest; the
 * counters with tangents and without */
static double error_of(const ess_system *system, double tolerance, const double known[16],
                       ess_counters counters[2]) {
  const ess_options options = toy_options(tolerance);
  double off = 0.0, size = 0.0, x[2][4];
  for (int follows = 0; follows < 2; follows++) {
    ess_driver *const d = ess_driver_alloc(system, &options, NULL);
    if (follows) assert_int_equal(ess_driver_follow(d, 4, NULL), ESS_SUCCESS);
    drop(system->params, d, 0.2, 0.05, x[follows]);
    counters[follows] = *ess_driver_counters(d);
    for (int i = 0; follows && i < 16; i++) {
      off = fmax(off, fabs(ess_driver_tangent(d)[i] - known[i]));
      size = fmax(size, fabs(known[i]));
    }
    ess_driver_free(d);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  return off / size;
}

/* by differences of runs at a tight tolerance, extrapolated */
static void differences(const ess_system *system, double known[16]) {
  const ess_options options = toy_options(1e-13);
  ess_driver *const d = ess_driver_alloc(system, &options, NULL);
  for (int j = 0; j < 4; j++)
    for (int half = 0; half < 2; half++) {
      const double step = half ? 5e-5 : 1e-4;
      double x[2][4];
      for (int side = 0; side < 2; side++) {
        double t = 0.0, start[4] = {0.2, 0.05, -1.0, 0.0};
        start[j] += side ? step : -step;
        ess_driver_reset(d);
        assert_int_equal(ess_driver_apply(d, &t, 0.4, start), ESS_SUCCESS);
        memcpy(x[side], start, sizeof start);
      }
      for (int i = 0; i < 4; i++) {
        const double found = (x[1][i] - x[0][i]) / (2.0 * step);
        known[4 * i + j] = half ? (4.0 * found - known[4 * i + j]) / 3.0 : found;
      }
    }
  ess_driver_free(d);
}

TEST(a_plate_s_derivative_is_the_flow_s) {
  const size_t feet[] = {2, 10, 30, 100};
  for (int i = 0; i < 4; i++)
    for (int given = 0; given < 2; given++) {
      plate p = {.feet = feet[i]};
      const ess_system system = {.dimension = 4,
                                 .guard_count = p.feet,
                                 OF_RATES(press),
                                 .field_jacobian = given ? press_by_state : NULL,
                                 .params = &p};
      double known[16];
      ess_counters c[2];
      differences(&system, known);
      for (int j = 3; j <= 10; j++) {
        const double tolerance = pow(10.0, -j), error = error_of(&system, tolerance, known, c);
        assert_true(error < 10.0 * (double)p.feet * tolerance + 1e-8);
        assert_int_equal(c[1].crossings, c[0].crossings);
        // crossings that are made together are looked at each
        const uint64_t more = c[1].field_evaluations - c[0].field_evaluations;
        if (given) assert_true(more <= 2 * c[1].crossings);
        // differences are from both sides where the tolerance is less than the noise of one
        const uint64_t times = j < 8 ? 5 : 9;
        // and a crossing takes the field before it, and at stages of parts of steps beside it
        const uint64_t beside = 2 * c[1].crossings + 10;
        if (!given) assert_true(c[1].field_evaluations <= times * c[0].field_evaluations + beside);
      }
    }
}
