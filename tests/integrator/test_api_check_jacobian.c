/*
 * ess_check_jacobian: what is right passes at any scale, what is wrong is found and named.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

/* states in units of their own; event functions of all kinds */
enum { STATES = 5, EVENTS = 6 };

typedef struct model {
  double unit[STATES]; /* x_i is this times a number near 1 */
  double place[STATES];
  /* what is spoiled: an entry by a factor, rows swapped, in Dh (0), guard_rates (1) or
   * some_guard_rates (2) */
  int where;
  size_t row, column, swapped;
  double factor;
} model;

FIELD(model_field) {
  for (int i = 0; i < STATES; i++) dxdt[i] = 1.0;
}

/* a plane; a peg; terrain; a product with all; a steep wall; one that is nearly independent of a
 * state */
GUARDS(model_guards) {
  const model *const p = params;
  double y[STATES];
  for (int i = 0; i < STATES; i++) y[i] = x[i] / p->unit[i];
  h[0] = y[0] - 2.0 * y[1] + 0.3 * y[4] - 0.7;
  h[1] = 0.5 - hypot(y[0] - 4.0, y[1] - 0.2);
  h[2] = y[2] - 0.1 * sin(9.0 * y[3]) - exp(0.3 * y[0]);
  h[3] = y[0] * y[1] * y[2] * y[3] * y[4] - 1.0;
  h[4] = tanh(20.0 * (y[3] - 1.1)) + 1e3 * y[1];
  h[5] = y[2] + 1e-6 * y[4] * y[4];
}

static void exact(const double x[], double D[EVENTS][STATES], const model *p) {
  double y[STATES];
  for (int i = 0; i < STATES; i++) y[i] = x[i] / p->unit[i];
  memset(D, 0, EVENTS * sizeof *D);
  const double far = hypot(y[0] - 4.0, y[1] - 0.2), wall = tanh(20.0 * (y[3] - 1.1));
  D[0][0] = 1.0;
  D[0][1] = -2.0;
  D[0][4] = 0.3;
  D[1][0] = -(y[0] - 4.0) / far;
  D[1][1] = -(y[1] - 0.2) / far;
  D[2][2] = 1.0;
  D[2][3] = -0.9 * cos(9.0 * y[3]);
  D[2][0] = -0.3 * exp(0.3 * y[0]);
  for (int i = 0; i < STATES; i++) {
    D[3][i] = 1.0;
    for (int j = 0; j < STATES; j++) D[3][i] *= j == i ? 1.0 : y[j];
  }
  D[4][1] = 1e3;
  D[4][3] = 20.0 * (1.0 - wall * wall);
  D[5][2] = 1.0;
  D[5][4] = 2e-6 * y[4];
  for (int k = 0; k < EVENTS; k++)
    for (int i = 0; i < STATES; i++) D[k][i] /= p->unit[i];
}

static void given(const double x[], double D[EVENTS][STATES], const model *p, int where) {
  exact(x, D, p);
  if (where != p->where) return;
  D[p->row][p->column] *= p->factor;
  double held[STATES];
  memcpy(held, D[p->row], sizeof held);
  memcpy(D[p->row], D[p->swapped], sizeof held);
  memcpy(D[p->swapped], held, sizeof held);
}

GUARD_JACOBIAN(model_jacobian) {
  double D[EVENTS][STATES];
  given(x, D, params, 0);
  memcpy(Dh, D, sizeof D);
}

static int some_of(const double x[], const double v[], const size_t which[], size_t count,
                   double h[], double rate[], const model *p, int where) {
  double D[EVENTS][STATES], all[EVENTS];
  given(x, D, p, where);
  model_guards(0.0, x, all, (void *)p);
  for (size_t i = 0; i < count; i++) {
    h[i] = all[which[i]];
    rate[i] = 0.0;
    for (int j = 0; j < STATES; j++) rate[i] += D[which[i]][j] * v[j];
  }
  return 0;
}

GUARD_RATES_CODE(model_rates) {
  const size_t which[EVENTS] = {0, 1, 2, 3, 4, 5};
  return some_of(x, v, which, EVENTS, h, rate, params, 1);
}

SOME_RATES_CODE(model_some) {
  return some_of(x, v, which, count, h, rate, params, 2);
}

/* with a Jacobian alone (0), rates alone (1), or all callbacks (2) */
static ess_system model_system(model *p, int callbacks) {
  return (ess_system){.dimension = STATES,
                      .guard_count = EVENTS,
                      OF(model),
                      .guard_jacobian = callbacks != 1 ? model_jacobian : NULL,
                      .guard_rates = callbacks >= 1 ? model_rates : NULL,
                      .some_guard_rates = callbacks >= 1 ? model_some : NULL,
                      .params = p};
}

/* units from nanometres to gigametres, places from zero to a few; by a counter */
static model model_of(int i, double x[STATES]) {
  static const double units[] = {1.0, 1e-9, 1e6, 1e-3, 1e9}, places[] = {1.3, 0.0, -0.4, 2.0, 0.7};
  model p = {.where = -1};
  for (int j = 0; j < STATES; j++) {
    p.unit[j] = units[(j * (1 + i / 5 % 5) + i) % 5];
    p.place[j] = places[(i + 2 * j) % 5];
    x[j] = p.unit[j] * p.place[j];
  }
  return p;
}

TEST(what_is_right_passes) {
  for (int i = 0; i < 25 * 3; i++) {
    double x[STATES];
    model p = model_of(i % 25, x);
    const ess_system system = model_system(&p, i / 25);
    ess_jacobian_check worst;
    const int status = ess_check_jacobian(&system, 0.0, x, &worst);
    if (status)
      fail_msg("%d: %s: h%zu by x%zu: %g, found %g", i, ess_strerror(status), worst.guard,
               worst.state, worst.given, worst.found);
    assert_int_equal(ess_check_jacobian(&system, 0.0, x, NULL), ESS_SUCCESS);
  }
}

/* whether that is found, and the event function named */
static bool is_found(const model *spoiled, int callbacks, const double x[]) {
  model p = *spoiled;
  const ess_system system = model_system(&p, callbacks);
  ess_jacobian_check worst = {.guard = 99};
  const int status = ess_check_jacobian(&system, 0.0, x, &worst);
  if (status != ESS_EJACOBIAN) return false;
  const bool by_rate = p.where > 0 && !(callbacks == 1 && p.where == 1);
  assert_true(worst.guard == p.row || worst.guard == p.swapped || by_rate);
  assert_true(worst.given != worst.found);
  return true;
}

TEST(a_wrong_entry_is_found) {
  const double factors[] = {-1.0, 1.01, 0.99, 0.01, 0.0, 3.0};
  for (int i = 0; i < 25; i++) {
    double x[STATES], D[EVENTS][STATES];
    model p = model_of(i, x);
    exact(x, D, &p);
    for (size_t at = 0; at < EVENTS * STATES; at++) {
      p.row = p.swapped = at / STATES;
      p.column = at % STATES;
      // what does not show beside the event function itself, to rounding, cannot be seen
      const double weight = fabs(D[p.row][p.column] * p.unit[p.column]);
      const double beside = p.row == 4 ? 1e3 : 1.0;
      for (int f = 0; weight > 1e-8 * beside && f < 6; f++) {
        p.factor = factors[f];
        for (p.where = 0; p.where < 3; p.where++) {
          const int callbacks = p.where ? 2 : 0;
          if (!is_found(&p, callbacks, x))
            fail_msg("%d: h%zu by x%zu times %g in %d: %g", i, p.row, p.column, p.factor, p.where,
                     D[p.row][p.column]);
        }
        p.where = 1;
        assert_true(is_found(&p, 1, x));
      }
    }
  }
}

TEST(swapped_rows_are_found) {
  double x[STATES];
  model p = model_of(0, x);
  p.factor = 1.0;
  for (size_t at = 0; at < EVENTS * EVENTS; at++) {
    p.row = at / EVENTS;
    p.swapped = at % EVENTS;
    if (p.row == p.swapped) continue;
    for (p.where = 0; p.where < 3; p.where++) assert_true(is_found(&p, p.where ? 2 : 0, x));
  }
}

/* ---- what the state cannot help -------------------------------------------------------------- */

/* h = max(x, -x/2): a kink at 0; h = sqrt(x): no number below it */
GUARDS(edge_guards) {
  h[0] = fmax(x[0], -0.5 * x[0]);
  h[1] = sqrt(x[0] + 1e-3) - 1.0;
}

GUARD_JACOBIAN(edge_jacobian) {
  Dh[0] = x[0] >= 0.0 ? 1.0 : -0.5;
  Dh[1] = 0.5 / sqrt(x[0] + 1e-3);
}

TEST(beside_a_kink_or_an_edge_all_is_well) {
  const ess_system system = {.dimension = 1,
                             .guard_count = 2,
                             .field = model_field,
                             .guards = edge_guards,
                             .guard_jacobian = edge_jacobian};
  const double places[] = {1e-6, -1e-6, 1e-4, -5e-4, 1.0, 1e5};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    ess_jacobian_check worst;
    const int status = ess_check_jacobian(&system, 0.0, &places[i], &worst);
    if (status)
      fail_msg("%g: %s: h%zu: %g, found %g", places[i], ess_strerror(status), worst.guard,
               worst.given, worst.found);
  }
}

GUARDS_CODE(failing_guards) {
  return 5;
}

/* ---- time, and what is not given ------------------------------------------------------------- */

/* a wall that swings, a clock, a threshold that falls; `params` spoils one of their rates */
typedef struct swinging {
  size_t spoiled;
  double factor;
} swinging;

GUARDS(swinging_guards) {
  h[0] = x[0] - 0.3 * sin(5.0 * t);
  h[1] = t - 7.0;
  h[2] = x[1] * exp(-t) - 1e-3;
}

GUARD_JACOBIAN(swinging_jacobian) {
  memset(Dh, 0, 6 * sizeof *Dh);
  Dh[0] = 1.0;
  Dh[5] = exp(-t);
}

GUARD_RATES_CODE(swinging_rates) {
  rate[0] = v[0];
  rate[1] = 0.0;
  rate[2] = v[1] * exp(-t);
  return swinging_guards(t, x, h, params);
}

static int swinging_time_rates(double t, const double x[], double ht[], void *params) {
  const swinging *const p = params;
  ht[0] = -1.5 * cos(5.0 * t);
  ht[1] = 1.0;
  ht[2] = -x[1] * exp(-t);
  if (p->spoiled < 3) ht[p->spoiled] *= p->factor;
  return 0;
}

static ess_system swinging_system(swinging *p, int given) {
  return (ess_system){.dimension = 2,
                      .guard_count = 3,
                      .field = model_field,
                      .guards = swinging_guards,
                      .guard_jacobian = given == 1 ? swinging_jacobian : NULL,
                      .guard_rates = given == 2 ? swinging_rates : NULL,
                      .guards_move = true,
                      .guard_time_rates = swinging_time_rates,
                      .params = p};
}

TEST(rates_by_time_are_checked) {
  const double x[] = {0.4, 2.0}, times[] = {0.0, 0.6, -3.0, 2.5e3}, factors[] = {-1, 0, 1.01, 0.5};
  for (int given = 0; given < 3; given++)
    for (size_t i = 0; i < 4; i++) {
      // much later nothing of the threshold is left but the clock and the wall
      const size_t last = times[i] > 100.0 ? 2 : 3;
      swinging p = {.spoiled = SIZE_MAX};
      const ess_system system = swinging_system(&p, given);
      ess_jacobian_check worst;
      assert_int_equal(ess_check_jacobian(&system, times[i], x, &worst), ESS_SUCCESS);
      for (p.spoiled = 0; p.spoiled < last; p.spoiled++)
        for (int f = 0; f < 4; f++) {
          p.factor = factors[f];
          assert_int_equal(ess_check_jacobian(&system, times[i], x, &worst), ESS_EJACOBIAN);
          assert_int_equal(worst.guard, p.spoiled);
          assert_int_equal(worst.state, 2);
          assert_int_equal(worst.of, ESS_JACOBIAN_OF_GUARDS);
        }
      p.spoiled = 0;
      p.factor = NAN;
      assert_int_equal(ess_check_jacobian(&system, times[i], x, &worst), ESS_EGUARD);
    }
}

TEST(what_is_not_given_is_passed_over) {
  double x[STATES];
  model p = model_of(0, x);
  ess_system system = model_system(&p, 0);
  system.guard_jacobian = NULL;
  ess_jacobian_check worst;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_SUCCESS);
  assert_true(worst.guard == SIZE_MAX && worst.state == SIZE_MAX);
  system.guards = failing_guards;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_ECALLBACK);
}

TEST(refusals_and_failures_are_told) {
  double x[STATES], bad[STATES];
  model p = model_of(0, x);
  ess_system system = model_system(&p, 2);
  assert_int_equal(ess_check_jacobian(NULL, 0.0, x, NULL), ESS_EINVAL);
  assert_int_equal(ess_check_jacobian(&system, 0.0, NULL, NULL), ESS_EINVAL);
  memcpy(bad, x, sizeof bad);
  bad[2] = NAN;
  assert_int_equal(ess_check_jacobian(&system, 0.0, bad, NULL), ESS_EINVAL);
  system.guards = failing_guards;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, NULL), ESS_ECALLBACK);
  system = model_system(&p, 2);
  system.guard_count = 0;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, NULL), ESS_SUCCESS);
  const ess_system edge = {.dimension = 1,
                           .guard_count = 2,
                           .field = model_field,
                           .guards = edge_guards,
                           .guard_jacobian = edge_jacobian};
  const double beyond = -1.0;
  assert_int_equal(ess_check_jacobian(&edge, 0.0, &beyond, NULL), ESS_EGUARD);
}
