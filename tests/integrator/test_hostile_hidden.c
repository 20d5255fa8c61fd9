/*
 * Crossings in quick succession of which all but two leave the field as it is: one of the two
 * switches a rate on, the other switches it off, and together they change nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

static const double tolerances[] = {1e-3, 1e-5, 1e-8};
static const double spreads[] = {1e-3, 1e-2, 0.1, 1.0};
enum {
  TOLERANCES = sizeof tolerances / sizeof *tolerances,
  SPREADS = sizeof spreads / sizeof *spreads,
  COUNT_MAX = 100
};

static const double of_tolerance = 30.0; /* what an error may be of it */
static const double idle = 0.5, push = 1.0, end = 2.0;

enum { CLOCK, WAY, STATES };

/* the clock passes gate[k]; the gates on and off are those that matter */
typedef struct gates {
  size_t count, on, off;
  double gate[COUNT_MAX];
  uint64_t calls; /* of the field */
} gates;

FIELD(gates_field) {
  gates *const g = params;
  g->calls++;
  dxdt[CLOCK] = 1.0;
  dxdt[WAY] = idle;
  if (sign[g->on] > 0.0) dxdt[WAY] += push;
  if (sign[g->off] > 0.0) dxdt[WAY] -= push;
}

PLANES_EACH(gates, STATES, AS(gates)->count, x[CLOCK], AS(gates)->gate[k]);

static void check(gates *g, double tolerance) {
  const ess_system system = {
      .dimension = STATES, .guard_count = g->count, OF_RATES(gates), .params = g};
  const ess_options options = toy_options(tolerance);
  double x[STATES] = {0.0};
  g->calls = 0;
  const toy_end made = toy_succeeds(&system, &options, 0.0, end, x);
  assert_int_equal(made.counters.crossings, g->count);
  const double wanted = idle * end + push * (g->gate[g->off] - g->gate[g->on]);
  const double off = fabs(x[WAY] - wanted);
  if (!(off <= of_tolerance * tolerance))
    fail_msg("%zu gates, %zu on and %zu off, at %g: off by %g tolerances", g->count, g->on, g->off,
             tolerance, off / tolerance);
  // a crossing that is located takes seven
  assert_true(g->calls <= 7 * g->count + 300);
}

/* gates spread over [0.5, 0.5 + spread], in no order; every pair of them, or every stride-th */
static void check_all(size_t count, size_t stride) {
  gates g = {.count = count};
  for (size_t i = 0; i < SPREADS; i++) {
    for (size_t k = 0; k < count; k++)
      g.gate[k] = 0.5 + spreads[i] * fmod(0.6180339887498949 * (double)(k + 1), 1.0);
    for (size_t pair = 0; pair < count * count; pair += stride) {
      g.on = pair / count;
      g.off = pair % count;
      for (size_t j = 0; g.on != g.off && j < TOLERANCES; j++) check(&g, tolerances[j]);
    }
  }
}

/* Outcome: each push lasts as long as the clock takes from gate to gate. */
TEST_OF(a_push_among_ten_gates, check_all(10, 1));
TEST_OF(a_push_among_a_hundred_gates, check_all(COUNT_MAX, 137));
