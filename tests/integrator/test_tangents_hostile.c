/*
 * Tangents under attack: sections among several events, derivatives that are not finite or fail,
 * units, directions of any size, and drivers used again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

/* ---- x' = 1 + C [x >= 0], which meets both guards at once from (-1, -1) ---------------------- */

static const double jumps[2][2] = {{0.5, 1.0}, {2.0, 0.25}};

FIELD(corner) {
  for (int i = 0; i < 2; i++) {
    dxdt[i] = 1.0;
    for (int k = 0; k < 2; k++) dxdt[i] += sign[k] > 0.0 ? jumps[i][k] : 0.0;
  }
}

PLANES(states, 2, (x[0], x[1]), (0.0, 0.0));

static const ess_system corner_system = {.dimension = 2,
                                         .guard_count = 2,
                                         .field = corner,
                                         .guards = states_guards,
                                         .guard_rates = states_rates};

/* from this start to event `last`: when, and where to */
static double exact_section(const double start[2], size_t last, double x[2]) {
  double t = 0.0, f[2], sign[2] = {-1.0, -1.0};
  memcpy(x, start, 2 * sizeof *x);
  for (size_t next = 2; next != last;) {
    double soonest = INFINITY;
    corner(0.0, x, sign, f, NULL);
    for (size_t i = 0; i < 2; i++)
      if (sign[i] < 0.0 && -x[i] / f[i] < soonest) {
        soonest = -x[i] / f[i];
        next = i;
      }
    for (size_t i = 0; i < 2; i++) x[i] += soonest * f[i];
    x[next] = 0.0;
    sign[next] = 1.0;
    t += soonest;
  }
  return t;
}

ON_CROSSING_CODE(stop_at) {
  return info->guard == *(const size_t *)context;
}

TEST(a_section_among_several_events) {
  const double step = 1e-3; // the flow is linear within a piece
  for (size_t last = 0; last < 2; last++)
    for (int angle = 0; angle < 40; angle++) {
      const double v[2] = {cos(0.3 + angle), sin(0.3 + angle)};
      const double beside[2] = {-1.0 + step * v[0], -1.0 + step * v[1]};
      ess_options options = ess_options_default();
      options.observer = (ess_observer){.crossing = stop_at, .context = &last};
      ess_driver *const d = ess_driver_alloc(&corner_system, &options, NULL);
      double t = 0.0, x[2] = {-1.0, -1.0}, there[2], Dt, Dx[2];
      assert_int_equal(ess_driver_follow(d, 1, v), ESS_SUCCESS);
      assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_ESTOP);
      assert_int_equal(ess_driver_section(d, last, &Dt, Dx), ESS_SUCCESS);
      assert_true(fabs(Dt - (exact_section(beside, last, there) - 1.0) / step) < 1e-6);
      for (int i = 0; i < 2; i++) assert_true(fabs(Dx[i] - there[i] / step) < 1e-6);
      ess_driver_free(d);
    }
}

/* what has been met in one run is met again in the next */
TEST(a_driver_used_again_goes_through_its_events_again) {
  const double v[2] = {1.0, 0.5};
  const ess_options options = ess_options_default();
  for (int anew = 0; anew < 2; anew++) {
    ess_driver *const d = ess_driver_alloc(&corner_system, &options, NULL);
    double known[2] = {0.0, 0.0};
    assert_int_equal(ess_driver_follow(d, 1, v), ESS_SUCCESS);
    for (size_t run = 0; run < 3; run++) {
      double t = 0.0, x[2] = {-1.0, -1.0};
      if (anew && run) assert_int_equal(ess_driver_follow(d, 1, known), ESS_SUCCESS);
      ess_driver_reset(d);
      assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
      memcpy(known, ess_driver_tangent(d), sizeof known);
      assert_int_equal(ess_driver_smoothness(d)->instants, anew ? 1 : 1 + run);
    }
    // by x first (1 + 2, 1 + 0.5), then y, each time while v_x > v_y; else the other way round
    double y[2] = {v[0], v[1]};
    for (size_t run = 0; run < 3; run++) {
      const double beside[2] = {-1.0 + 1e-3 * y[0], -1.0 + 1e-3 * y[1]};
      double at[2], f[2];
      const double sign[2] = {1.0, 1.0};
      const size_t second = y[0] >= y[1];
      const double left = 2.0 - exact_section(beside, second, at);
      corner(0.0, at, sign, f, NULL);
      for (int i = 0; i < 2; i++) y[i] = (at[i] + left * f[i] - f[i]) / 1e-3;
    }
    for (int i = 0; i < 2; i++) assert_true(fabs(known[i] - y[i]) < 1e-6 * fabs(y[i]));
    ess_driver_free(d);
  }
}

/* ---- an impact among others that moves the state past their guards, or back from them -------- */

enum { AHEAD, BESIDE, COUNT, STATES };

/* both states go on, and faster once the other has passed its zero */
FIELD(two_on_their_way) {
  dxdt[AHEAD] = 1.0 + (sign[1] > 0.0 ? 0.5 : 0.0);
  dxdt[BESIDE] = 1.0 + (sign[0] > 0.0 ? 1.0 : 0.0);
  dxdt[COUNT] = sign[0] > 0.0 && sign[1] > 0.0 ? 1.0 : 0.0;
}

static const bool first_alone[4] = {true, true, false, false};

/* the first of them kicks the other */
IMPACT_MAP(kick) {
  impact->after[BESIDE] += *(const double *)params;
}

static const ess_impacts kicks = {.at = first_alone, .map = kick};

static int go_kicked(double kicked, const double v[], double step, double x[STATES], double D[],
                     bool adjoint) {
  const ess_system system = {.dimension = STATES,
                             .guard_count = 2,
                             .field = two_on_their_way,
                             .guards = states_guards,
                             .guard_rates = states_rates,
                             .impacts = &kicks,
                             .params = &kicked};
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  const double unit[STATES] = {0.0, 0.0, 1.0};
  double t = 0.0;
  for (int i = 0; i < STATES; i++) x[i] = (i < COUNT ? -1.0 : 0.0) + step * v[i];
  if (D && !adjoint) assert_int_equal(ess_driver_follow(d, 1, v), ESS_SUCCESS);
  if (adjoint) assert_int_equal(ess_driver_record(d, 1 << 20), ESS_SUCCESS);
  const int status = ess_driver_apply(d, &t, 2.0, x);
  if (!status && D && !adjoint) memcpy(D, ess_driver_tangent(d), STATES * sizeof *D);
  if (!status && adjoint) assert_int_equal(ess_driver_adjoint(d, 1, unit, D, NULL), ESS_SUCCESS);
  ess_driver_free(d);
  return status;
}

TEST(an_impact_may_take_the_state_past_others_of_its_instant) {
  (void)state;
  const double step = 1e-3; // the flow is linear within a piece
  double x[STATES], there[STATES], D[STATES];
  const double none[STATES] = {0.0};
  for (int angle = 0; angle < 40; angle++) {
    const double v[STATES] = {cos(0.3 + angle), sin(0.3 + angle), 0.3};
    assert_int_equal(go_kicked(0.5, v, 0.0, x, D, false), ESS_SUCCESS);
    assert_int_equal(go_kicked(0.5, v, step, there, NULL, false), ESS_SUCCESS);
    for (int i = 0; i < STATES; i++) assert_true(fabs(D[i] - (there[i] - x[i]) / step) < 1e-6);
    // kicked back, the other passes its zero later in one order, and with it in the other
    assert_int_equal(go_kicked(-0.5, v, 0.0, x, D, false), ESS_EDISCONTINUOUS);
  }
  // the first piece: the impact first, which takes the state past the other at once
  assert_int_equal(go_kicked(0.5, none, 0.0, x, D, true), ESS_SUCCESS);
  assert_true(fabs(D[AHEAD] - 1.0) < 1e-9 && fabs(D[BESIDE]) < 1e-9);
}

/* ---- an oscillator, whose Jacobian goes wrong ------------------------------------------------ */

typedef struct wrong {
  double entry; /* from half-way on */
  int code;
} wrong;

FIELD(swing) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0];
}

FIELD_JACOBIAN_CODE(swing_jacobian) {
  const wrong *const w = params;
  J[0] = J[3] = 0.0;
  J[1] = 1.0;
  J[2] = t < 0.5 ? -1.0 : w->entry;
  return t < 0.5 ? 0 : w->code;
}

TEST(a_jacobian_that_is_not_finite_ends_the_run) {
  const wrong cases[] = {{NAN, 0}, {INFINITY, 0}, {1e200, 0}, {-1.0, 7}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    wrong w = cases[i];
    const ess_system system = {
        .dimension = 2, .field = swing, .field_jacobian = swing_jacobian, .params = &w};
    const ess_options options = ess_options_default();
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {1.0, 0.0};
    assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
    const int status = ess_driver_apply(d, &t, 1.0, x);
    assert_int_equal(status, w.code ? ESS_ECALLBACK : ESS_EFIELD);
    assert_int_equal(ess_driver_failure(d)->status, status);
    assert_int_equal(ess_driver_failure(d)->callback_code, w.code);
    assert_true(ess_driver_failure(d)->time >= 0.4);
    // the state is good; directions are, or there are none
    assert_true(fabs(x[0] - cos(t)) < 1e-7);
    const double *const v = ess_driver_tangent(d);
    for (int l = 0; v && l < 2; l++) assert_true(fabs(v[2 * l] - (l ? -sin(t) : cos(t))) < 1e-7);
    w = (wrong){-1.0, 0};
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_true(fabs(x[0] - cos(1.0)) < 1e-7);
    const double *const after = ess_driver_tangent(d);
    assert_true(!v == !after);
    if (after) assert_true(fabs(after[0] - cos(1.0)) < 1e-7);
    ess_driver_free(d);
  }
}

TEST(directions_may_be_of_any_size) {
  const double sizes[] = {1e-300, 1e-200, 1e-20, 1e20, 1e200, 1e300};
  const ess_system system = {.dimension = 2, .field = swing};
  const ess_options options = ess_options_default();
  for (int i = 0; i < 6; i++) {
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    const double v[4] = {sizes[i], 0.0, 0.0, sizes[i]};
    double t = 0.0, x[2] = {1.0, 0.0};
    assert_int_equal(ess_driver_follow(d, 2, v), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_true(fabs(ess_driver_tangent(d)[0] / sizes[i] - cos(1.0)) < 1e-7);
    assert_true(fabs(ess_driver_tangent(d)[1] / sizes[i] - sin(1.0)) < 1e-7);
    ess_driver_free(d);
  }
}

FIELD(blow_up) {
  dxdt[0] = 5000.0 * x[0];
}

/* the state rests where it is unstable: its derivative is beyond the numbers */
TEST(directions_that_overflow_end_the_run) {
  const ess_system system = {.dimension = 1, .field = blow_up};
  ess_options options = ess_options_default();
  options.rtol = 1e-3;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[1] = {0.0};
  assert_int_equal(ess_driver_follow(d, 1, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_EFIELD);
  assert_null(ess_driver_tangent(d));
  ess_driver_free(d);
}

/* ---- units ----------------------------------------------------------------------------------- */

/* x' = -x^2 / u */
FIELD(decay_field) {
  const double *const unit = params;
  dxdt[0] = -x[0] * x[0] / *unit;
}

PLANES(decay, 1, (x[0] / *AS(double)), (0.5));

/* x+ = x^2 / u + u / 4: the same state, and the same derivative at u / 2 */
IMPACT_MAP(reflect) {
  const double *const unit = params;
  impact->after[0] = impact->x[0] * impact->x[0] / *unit + 0.25 * *unit;
}

TEST(units_do_not_matter_to_differences) {
  for (double unit = 1e-12; unit < 1e13; unit *= 1e3) {
    const ess_impacts impacts = {.map = reflect};
    const ess_system system = {
        .dimension = 1, .guard_count = 1, OF_JACOBIAN(decay), .impacts = &impacts, .params = &unit};
    ess_options options = ess_options_default();
    options.atol = 1e-10 * unit;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[1] = {unit};
    assert_int_equal(ess_driver_follow(d, 1, NULL), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(d)->impacts, 1);
    assert_true(fabs(x[0] / unit - 0.25) < 1e-7);
    assert_true(fabs(ess_driver_tangent(d)[0] - 0.0625) < 1e-7);
    ess_driver_free(d);
  }
}
