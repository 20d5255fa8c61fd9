/*
 * Guards that are armed while the state is beyond their zeros: they are crossed where they come
 * back once they have gone below, or where they turn before. Random ones, against the event
 * function itself at many times.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

#ifndef ARMED_BEYOND_CASES
#define ARMED_BEYOND_CASES 5000
#endif

/* h0 arms h1, a cubic with a wave on it, and a hump */
typedef struct armed {
  double square, cube, at, height;
  double wave, frequency, phase;
  double hump, hump_at, width;
} armed;

static const double ARMED_AT = 0.1;
static const double NEVER = 2.0;

static double value_of(const armed *a, double t, double *rate) {
  const double off = t - a->at, turned = a->frequency * t + a->phase;
  const double from = a->width > 0.0 ? (t - a->hump_at) / a->width : 0.0;
  const double hump = a->hump * exp(-from * from);
  *rate = off * (2.0 * a->square + 3.0 * a->cube * off) + a->wave * a->frequency * cos(turned);
  if (a->width > 0.0) *rate -= 2.0 * from / a->width * hump;
  return off * off * (a->square + a->cube * off) + a->height + a->wave * sin(turned) + hump;
}

GUARDS(guards) {
  double rate;
  h[0] = x[0] - ARMED_AT;
  h[1] = value_of(params, x[0], &rate);
}

GUARD_JACOBIAN(jacobian) {
  Dh[0] = 1.0;
  (void)value_of(params, x[0], &Dh[1]);
}

static int start(const double sign[], bool armed_at_start[], void *params) {
  armed_at_start[ESS_GUARD_UP(1)] = armed_at_start[ESS_GUARD_DOWN(1)] = false;
  return 0;
}

/* when h1 is crossed, by a run whose first step is to span all of it; NEVER where it is not */
static double crossed_at(armed *a, bool has_jacobian) {
  const size_t row_start[] = {0, 1, 1, 1, 1, 1}, row_guard[] = {ESS_GUARD_UP(1)};
  const signed char row_effect[] = {1};
  const ess_reset_matrix resets = {row_start, row_guard, row_effect, NULL, start};
  const ess_system system = {.dimension = 1,
                             .guard_count = 2,
                             .field = toy_clock,
                             .guards = guards,
                             .guard_jacobian = has_jacobian ? jacobian : NULL,
                             .resets = &resets,
                             .params = a};
  ess_options options = ess_options_default();
  options.h_init = 1.0;
  toy_log log;
  options.observer = toy_observer(&log);
  double x[1] = {0.0};
  toy_succeeds(&system, &options, 0.0, 1.0, x);
  assert_in_range(log.count, 1, 2);
  return log.count > 1 ? log.time[1] : NEVER;
}

/* ---- the truth ------------------------------------------------------------------------------- */

/* where h1, or its rate, rises through zero between two times */
static double rises_at(const armed *a, double below, double above, bool turning) {
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (below + above);
    double rate;
    const double value = value_of(a, middle, &rate);
    *((turning ? rate : value) < 0.0 ? &below : &above) = middle;
  }
  return above;
}

/* when h1 is crossed; *unclear where a hair decides it: it all but turns, or turns on its zero, or
 * is crossed at the end */
static double truth_of(const armed *a, bool *unclear) {
  enum { PLACES = 20000 };
  const double part = (1.0 - ARMED_AT) / PLACES;
  double rate_before, rate, after, when = NEVER;
  bool beyond = true;
  (void)value_of(a, ARMED_AT, &rate_before);
  *unclear = false;
  for (int i = 1; i <= PLACES && when > 1.0; i++, rate_before = rate) {
    const double t = ARMED_AT + part * i, value = value_of(a, t, &rate);
    double from = t - part;
    (void)value_of(a, t + part, &after);
    *unclear |= beyond && rate < 0.0 && rate > -3e-4 && rate >= rate_before && rate >= after;
    if (beyond && rate >= 0.0) {
      from = rises_at(a, from, t, true);
      double ignored;
      const double lowest = value_of(a, from, &ignored);
      *unclear |= fabs(lowest) < 1e-9;
      if (lowest >= 0.0) when = from;
      beyond = false;
    }
    beyond = beyond && value >= 0.0;
    if (!beyond && value >= 0.0 && when > 1.0) when = rises_at(a, from, t, false);
  }
  *unclear |= fabs(when - 1.0) < 1e-6;
  return when;
}

/* ---- the cases ------------------------------------------------------------------------------- */

static uint64_t seed = 88172645463325252ULL;

static double draw(double from, double to) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return from + (to - from) * (double)(seed >> 11) * 0x1p-53;
}

/* Outcome: each is crossed when it should be, wherever a step has its turn, and however near to its
 * zero that is. */
TEST(guards_armed_beyond_their_zeros_are_crossed_in_time) {
  size_t cases = 0, never = 0;
  for (int i = 0; i < ARMED_BEYOND_CASES; i++) {
    armed a = {.square = draw(0.3, 4.3),
               .cube = draw(-3.0, 3.0),
               .at = draw(0.2, 0.9),
               .height = draw(-0.5, 0.5) * pow(10.0, draw(-4.0, 0.0)),
               .wave = draw(0.0, 1.0) < 0.2 ? 0.0 : 0.3 * pow(10.0, draw(-6.0, 0.0)),
               .frequency = draw(2.0, 42.0),
               .phase = draw(0.0, 2.0 * M_PI)};
    double rate;
    bool unclear;
    if (value_of(&a, ARMED_AT, &rate) < 1e-6 || rate > -1e-3) continue;
    const double when = truth_of(&a, &unclear);
    if (unclear) continue;
    cases++;
    never += when == NEVER;
    const double found = crossed_at(&a, i % 2);
    if (fabs(found - when) < 1e-8) continue;
    fail_msg("case %d is crossed at %.12g, not at %.12g", i, found, when);
  }
  assert_true(cases > ARMED_BEYOND_CASES / 2 && never > cases / 100);
}

/* Outcome: where a model goes below zero, and the event function does not, by a hump that no place
 * of the step shows, it is crossed where it turns before the hump. */
TEST(one_that_a_hump_keeps_above_its_zero_is_crossed_where_it_turns) {
  for (double at = 0.59; at < 0.64; at += 0.0047) {
    armed a = {
        .square = 2.0, .at = at, .height = -2e-4, .hump = 0.01, .hump_at = at, .width = 0.02};
    bool unclear;
    const double when = truth_of(&a, &unclear);
    assert_true(!unclear && when < at);
    assert_true(fabs(crossed_at(&a, true) - when) < 1e-8);
  }
}

/* h0 arms h1, which recedes to the end; h2 is crossed on the way */
GUARDS(three_guards) {
  h[0] = x[0] - ARMED_AT;
  h[1] = 2.0 - x[0];
  h[2] = x[0] - 0.5;
}

/* Outcome: where another is crossed, one that recedes from beyond its zero is not. */
TEST(one_that_recedes_is_not_crossed_where_another_is) {
  const size_t row_start[] = {0, 1, 1, 1, 1, 1, 1, 1}, row_guard[] = {ESS_GUARD_UP(1)};
  const signed char row_effect[] = {1};
  const ess_reset_matrix resets = {row_start, row_guard, row_effect, NULL, start};
  const ess_system system = {.dimension = 1,
                             .guard_count = 3,
                             .field = toy_clock,
                             .guards = three_guards,
                             .resets = &resets};
  ess_options options = ess_options_default();
  toy_log log;
  options.observer = toy_observer(&log);
  double x[1] = {0.0};
  toy_succeeds(&system, &options, 0.0, 1.0, x);
  assert_int_equal(log.count, 2);
  assert_true(log.guard[0] == 0 && log.guard[1] == 2);
}
