/*
 * ess_check_jacobian: derivatives that are right pass at any scale, wrong ones are found and named.
 * test_properties.c does so with those of the whole catalogue.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ess_tangents.h"
#include "hybrid.h"
#include "test.h"

enum { STATES = 5, EVENTS = 6, MODELS = 25 };

/* A plane; a peg; terrain; a product of all; a steep wall; one that hardly depends on a state. Each
 * state has a unit of its own, from nanometres to gigametres, and is zero or a few units. */
static hybrid *model(int i) {
  static const double units[] = {1.0, 1e-9, 1e6, 1e-3, 1e9}, places[] = {1.3, 0.0, -0.4, 2.0, 0.7};
  hybrid *const h = hybrid_of("each 5: x@' = 1\neach 5: y@ = x@/u@\n"
                              "plane: y0 - 2*y1 + 0.3*y4 - 0.7\n"
                              "peg: 0.5 - sqrt((y0 - 4)^2 + (y1 - 0.2)^2)\n"
                              "terrain: y2 - 0.1*sin(9*y3) - exp(0.3*y0)\n"
                              "product: y0*y1*y2*y3*y4 - 1\n"
                              "wall: 1 - 2/(exp(40*(y3 - 1.1)) + 1) + 1000*y1\n"
                              "nearly: y2 + 1e-6*y4^2");
  for (int j = 0; j < STATES; j++) {
    const double unit = units[(j * (1 + i / 5) + i) % 5];
    hybrid_add(h, "u%d = %.17g; from 0: x%d = %.17g", j, unit, j, unit * places[(i + 2 * j) % 5]);
  }
  return h;
}

static int check(hybrid *h, unsigned gives, ess_jacobian_check *worst) {
  double x[STATES];
  const ess_system system = hybrid_system(h, gives);
  const double t = hybrid_start(h, x);
  return ess_check_jacobian(&system, t, x, worst);
}

static const unsigned JACOBIAN = 1u << HYBRID_GUARD_JACOBIAN, RATES = 1u << HYBRID_GUARD_RATES;

TEST(what_is_right_passes) {
  const unsigned gives[] = {JACOBIAN, RATES, JACOBIAN | RATES, HYBRID_GIVES_ALL};
  for (int i = 0; i < MODELS; i++)
    for (int g = 0; g < 4; g++) {
      hybrid *const h = model(i);
      ess_jacobian_check worst;
      if (check(h, gives[g], &worst))
        fail_msg("%d: h%zu by x%zu: %g, found %g", i, worst.row, worst.column, worst.given,
                 worst.found);
      assert_int_equal(check(h, gives[g], NULL), ESS_SUCCESS);
      hybrid_free(h);
    }
}

TEST(a_wrong_entry_is_found) {
  static const double factors[] = {-1.0, 1.01, 0.99, 0.01, 0.0, 3.0};
  for (int i = 0; i < MODELS; i++) {
    hybrid *const h = model(i);
    const ess_system system = hybrid_system(h, JACOBIAN);
    double x[STATES], Dh[EVENTS * STATES];
    hybrid_start(h, x);
    system.event_jacobian(0.0, x, Dh, h);
    for (size_t entry = 0; entry < EVENTS * STATES; entry++) {
      // beside the event function itself, to rounding, a small one does not show
      const double weight = fabs(Dh[entry] * h->parameter[entry % STATES]);
      if (!(weight > 1e-8 * (entry / STATES == 4 ? 1e3 : 1.0))) continue;
      for (int f = 0; f < 6; f++) {
        h->fault = (hybrid_fault){
            .in = HYBRID_GUARD_JACOBIAN, .call = 1, .factor = factors[f], .entry = entry};
        ess_jacobian_check worst = {.row = 99};
        if (check(h, JACOBIAN, &worst) != ESS_EJACOBIAN || worst.row != entry / STATES ||
            worst.column != entry % STATES || worst.of != ESS_JACOBIAN_OF_EVENTS)
          fail_msg("%d: h%zu by x%zu times %g: h%zu by x%zu", i, entry / STATES, entry % STATES,
                   factors[f], worst.row, worst.column);
        assert_true(worst.given != worst.found);
      }
    }
    hybrid_free(h);
  }
}

/* all rates that a callback gives, by a factor, or those of one event function; alone, or beside a
 * Jacobian that is right */
TEST(a_wrong_rate_is_found) {
  static const double factors[] = {-1.0, 1.01, 0.99, 0.01, 0.0, 3.0};
  for (int i = 0; i < MODELS; i++) {
    hybrid *const h = model(i);
    for (size_t entry = 0; entry < 2 * EVENTS; entry++)
      for (int f = 0; f < 6; f++)
        for (int some = 0; some < 2; some++) {
          h->fault = (hybrid_fault){.in = some ? HYBRID_SOME_RATES : HYBRID_GUARD_RATES,
                                    .call = 1,
                                    .factor = factors[f],
                                    .entry = entry};
          ess_jacobian_check worst;
          assert_int_equal(check(h, JACOBIAN | RATES, &worst), ESS_EJACOBIAN);
          if (!some && entry < EVENTS) assert_int_equal(check(h, RATES, &worst), ESS_EJACOBIAN);
          if (!some && entry < EVENTS) assert_int_equal(worst.row, entry);
        }
    hybrid_free(h);
  }
}

/* h = max(x, -x/2) has a kink at 0, and h = sqrt(x + 1e-3) - 1 is no number below -1e-3 */
TEST(beside_a_kink_or_an_edge_all_is_well) {
  static const double places[] = {1e-6, -1e-6, 1e-4, -5e-4, 1.0, 1e5};
  hybrid *const h = hybrid_of("x' = 1; kink: 0.25*x + 0.75*sqrt(x^2); edge: sqrt(x + 1e-3) - 1");
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    hybrid_set(h, "x", places[i]);
    assert_int_equal(check(h, JACOBIAN, NULL), ESS_SUCCESS);
  }
  hybrid_set(h, "x", -1.0);
  assert_int_equal(check(h, JACOBIAN, NULL), ESS_EEVENT);
  hybrid_free(h);
}

/* a wall that swings, a clock, a threshold that falls */
TEST(rates_by_time_are_checked) {
  static const double times[] = {0.0, 0.6, -3.0, 2.5e3}, factors[] = {-1.0, 0.0, 1.01, 0.5};
  for (size_t i = 0; i < 4; i++) {
    hybrid *const h = hybrid_of("x' = 1; y' = 1; swing: x - 0.3*sin(5*t); clock: t - 7\n"
                                "falls: y*exp(0 - t) - 1e-3; from %g: x = 0.4, y = 2",
                                times[i]);
    const unsigned by_time = 1u << HYBRID_TIME_RATES;
    const unsigned gives[] = {by_time | JACOBIAN, RATES};
    for (int g = 0; g < 2; g++) {
      ess_jacobian_check worst;
      h->fault = (hybrid_fault){0};
      assert_int_equal(check(h, gives[g], &worst), ESS_SUCCESS);
      // much later nothing is left of the threshold
      for (size_t spoiled = 0; spoiled < (times[i] > 100.0 ? 2 : 3); spoiled++)
        for (int f = 0; f < 4; f++) {
          h->fault = (hybrid_fault){
              .in = HYBRID_TIME_RATES, .call = 1, .factor = factors[f], .entry = spoiled};
          assert_int_equal(check(h, gives[g], &worst), ESS_EJACOBIAN);
          assert_true(worst.row == spoiled && worst.column == 2 &&
                      worst.of == ESS_JACOBIAN_OF_EVENTS);
        }
      h->fault = (hybrid_fault){.in = HYBRID_TIME_RATES, .call = 1, .value = NAN};
      assert_int_equal(check(h, gives[g], &worst), ESS_EEVENT);
    }
    hybrid_free(h);
  }
}

/* event functions that are given near the state alone: no difference is made beyond */
static double reach;
static ess_system right;

static int near(double t, const double x[], double h[], void *params) {
  return fabs(x[0] - 1.0) <= reach ? right.event_functions(t, x, h, params) : 1;
}

TEST(few_differences_suffice) {
  for (reach = 0.1; reach > 1e-9; reach *= 0.5)
    for (int wrong = 0; wrong < 2; wrong++) {
      hybrid *const h = hybrid_of("x' = 1; a: sin(x) - 0.3; b: exp(3*x) - 2; from 0: x = 1");
      if (wrong)
        h->fault =
            (hybrid_fault){.in = HYBRID_GUARD_JACOBIAN, .call = 1, .factor = 1.01, .entry = 1};
      double x[1];
      ess_jacobian_check worst;
      right = hybrid_system(h, JACOBIAN);
      ess_system system = right;
      system.event_functions = near;
      const double t = hybrid_start(h, x);
      assert_int_equal(ess_check_jacobian(&system, t, x, &worst),
                       wrong ? ESS_EJACOBIAN : ESS_SUCCESS);
      if (wrong) assert_int_equal(worst.row, 1);
      hybrid_free(h);
    }
}

TEST(refusals_and_failures_are_told) {
  hybrid *const h = model(0);
  double x[STATES], bad[STATES];
  hybrid_start(h, x);
  memcpy(bad, x, sizeof bad);
  bad[2] = NAN;
  ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  assert_int_equal(ess_check_jacobian(NULL, 0.0, x, NULL), ESS_EINVAL);
  assert_int_equal(ess_check_jacobian(&system, 0.0, NULL, NULL), ESS_EINVAL);
  assert_int_equal(ess_check_jacobian(&system, 0.0, bad, NULL), ESS_EINVAL);
  assert_int_equal(ess_check_jacobian(&system, NAN, x, NULL), ESS_EINVAL);
  ess_jacobian_check worst;
  assert_int_equal(check(h, 0, &worst), ESS_SUCCESS); // nothing is given
  assert_true(worst.row == SIZE_MAX && worst.column == SIZE_MAX);
  for (int in = HYBRID_GUARDS; in <= HYBRID_SOME_RATES; in++) {
    h->fault = (hybrid_fault){.in = (hybrid_callback)in, .call = 1, .code = 5};
    assert_int_equal(check(h, HYBRID_GIVES_ALL, NULL), ESS_ECALLBACK);
  }
  hybrid_free(h);
  hybrid *const smooth = hybrid_of("x' = -x*y; y' = x; z' = 1"); // no event functions
  system = hybrid_system(smooth, HYBRID_GIVES_ALL);
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, NULL), ESS_SUCCESS);
  hybrid_free(smooth);
}
