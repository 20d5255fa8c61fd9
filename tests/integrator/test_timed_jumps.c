/*
 * Jumps of the state at known times, which are impacts of event functions of time alone, and of the
 * field: runs that end or start at one, states at one, and arguments. More are in
 * cases/timed_jumps.txt.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "ess_tangents.h"
#include "hybrid.h"
#include "test.h"

enum { TIMES = 1000, FORMS = 7 };

static uint64_t seed;

/* How an event function is written that is zero at T; the last is a clock of the state's. */
static const char *const forms[FORMS] = {"t - T",      "T - t",          "t/T - 1", "10*t - 10*T",
                                         "sin(t - T)", "exp(t - T) - 1", "c - T"};
enum { FALLING = 1, PART = 2, CLOCK = 6 };

/* x' = -x, and 1 more at T; `both`: either direction is an impact, or the one that is made */
static hybrid *dose_of(int form, bool is_backward, bool both, double T) {
  const bool falls = (form == FALLING || (form == PART && T < 0.0)) != is_backward;
  return hybrid_of("T = %.17g; x' = -x; c' = %d; dose: %s\n%s%s", T, form == CLOCK, forms[form],
                   both || !falls ? "hit up dose: x = x + 1, +dose\n" : "",
                   both || falls ? "hit down dose: x = x + 1, -dose\n" : "");
}

/* before the time, at it, and after it, in the direction of the run */
typedef struct span {
  double start, time, end;
} span;

static span draw_span(bool is_backward) {
  const double size = exp(draw_between(&seed, log(0.1), log(1e3)));
  const double time = draw_between(&seed, -size, size);
  const double before = draw_between(&seed, 0.1, 3.0), after = draw_between(&seed, 0.1, 3.0);
  // as people write them, or to the last digit
  const bool is_exact = fabs(time) < 0x1p-8 || draw(&seed) < 0.5;
  const double rounded = is_exact ? time : round(time * 10.0) / 10.0;
  const double T = rounded == 0.0 ? 0.1 : rounded;
  return is_backward ? (span){T + before, T, T - after} : (span){T - before, T, T + after};
}

/* the same without a word on the mode, which is then that after the crossing */
static int plain_map(ess_impact *impact, void *params) {
  (void)params;
  impact->after[0] += 1.0;
  return 0;
}

static ess_driver *driver_of(hybrid *h, bool is_plain, double tolerance) {
  ess_system system = hybrid_system(h, is_plain ? HYBRID_GIVES_NONE : HYBRID_GIVES_ALL);
  const ess_options options = hybrid_options(tolerance);
  const ess_impacts impacts = {.map = plain_map};
  if (is_plain) system.impacts = &impacts;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  return d;
}

/* Two runs, of which the second starts where the first ends, at the time: in drivers of their own,
 * or in one. One of both gives the dose, and it is the first. */
static void check_split(int form, bool is_backward, bool one_driver, int number) {
  const span at = draw_span(is_backward);
  const double tolerance = exp(draw_between(&seed, log(1e-9), log(1e-4)));
  hybrid *const h = dose_of(form, is_backward, number % 2, at.time);
  const bool is_plain = number % 3;
  ess_driver *d = driver_of(h, is_plain, tolerance);
  double t = at.start, x[2] = {0.7, at.start};
  int status = ess_driver_apply(d, &t, at.time, x);
  const uint64_t first = ess_driver_counters(d)->impacts;
  if (!one_driver) {
    ess_driver_free(d);
    d = driver_of(h, is_plain, tolerance);
  }
  if (!status) status = ess_driver_apply(d, &t, at.end, x);
  const uint64_t all = ess_driver_counters(d)->impacts + (one_driver ? 0 : first);
  const double right = (0.7 * exp(at.start - at.time) + 1.0) * exp(at.time - at.end);
  // a clock of the state's has digits of its own
  if (status || !(form == CLOCK || first == 1) || all != 1 ||
      !(fabs(x[0] - right) <= 50.0 * tolerance * (1.0 + right)))
    fail_msg("%s, T = %.17g, from %.17g to %.17g, %s: %s, %d doses and %d in all, %g off",
             forms[form], at.time, at.start, at.end, one_driver ? "one driver" : "two drivers",
             ess_strerror(status), (int)first, (int)all, x[0] - right);
  ess_driver_free(d);
  hybrid_free(h);
}

TEST(runs_that_meet_at_a_jump_make_it_once) {
  seed = 1;
  for (int number = 0; number < TIMES; number++)
    for (int kind = 0; kind < 4; kind++)
      check_split(number / 2 % FORMS, kind % 2, kind / 2, number);
}

/* states at the time, and at its neighbours, by which nothing else changes */
TEST(the_state_at_a_jump_is_the_one_after_it) {
  seed = 2;
  for (int number = 0; number < TIMES; number++) {
    const span at = draw_span(number % 2);
    hybrid *const h = dose_of(number / 2 % 2 ? FALLING : 0, number % 2, number / 4 % 2, at.time);
    ess_driver *const d = driver_of(h, number % 3, 1e-9);
    const double times[] = {nextafter(at.time, at.start), at.time, nextafter(at.time, at.end)};
    double t = at.start, x[2] = {0.7}, states[3][2];
    assert_int_equal(ess_driver_sample(d, &t, at.end, x, times, 3, states[0]), ESS_SUCCESS);
    const double before = 0.7 * exp(-(at.time - at.start));
    for (int i = 0; i < 3; i++)
      if (!(fabs(states[i][0] - before - (i > 0)) <= 1e-7 * (1.0 + before)))
        fail_msg("T = %.17g, from %.17g: state %d is %g", at.time, at.start, i, states[i][0]);
    ess_driver_free(d);
    hybrid_free(h);
  }
}

/* most of which lie outside of the run */
TEST(ten_million_jumps_are_accepted) {
  enum { COUNT = 10000000 };
  hybrid *const h = hybrid_of("x' = 0");
  double *const at = malloc(COUNT * sizeof *at);
  for (size_t i = 0; i < COUNT; i++) at[i] = ((double)i - 5e6) * 1e-3;
  ess_system system = hybrid_system(h, HYBRID_GIVES_NONE);
  system.field_jumps = at;
  system.field_jump_count = COUNT;
  const ess_options options = hybrid_options(1e-6);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[1] = {0.5};
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  const uint64_t steps = ess_driver_counters(d)->steps;
  assert_true(x[0] == 0.5 && steps >= 1000 && steps < 8000);
  ess_driver_free(d);
  free(at);
  hybrid_free(h);
}

TEST(jumps_that_do_not_ascend_are_refused) {
  static const double falling[] = {1.0, 0.5}, twice[] = {1.0, 1.0}, no_number[] = {0.0, NAN};
  static const struct {
    const double *at;
    const char *why;
  } wrong[] = {{falling, "field_jumps must ascend"},
               {twice, "field_jumps must ascend"},
               {no_number, "each of field_jumps must be finite"},
               {NULL, "field_jumps must not be NULL when field_jump_count > 0"}};
  hybrid *const h = hybrid_of("x' = 0");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ess_system system = hybrid_system(h, HYBRID_GIVES_NONE);
    const ess_options options = hybrid_options(1e-6);
    int status = ESS_SUCCESS;
    system.field_jumps = wrong[i].at;
    system.field_jump_count = 2;
    assert_null(ess_driver_alloc(&system, &options, &status));
    assert_int_equal(status, ESS_EINVAL);
    assert_string_equal(ess_check(&system, &options), wrong[i].why);
  }
  hybrid_free(h);
}

/* ---- derivatives ----------------------------------------------------------------------------- */

TEST(parameters_that_are_not_the_times_are_refused) {
  hybrid *const h = hybrid_of("p = 1; q = 2; x' = after(p) + after(q); jump p; jump q");
  const ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  const ess_options options = hybrid_options(1e-6);
  assert_null(ess_check(&system, &options));
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  h->parameter[1] += 1e-9;
  const char *const differs =
      "each of field_jumps must be equal to the parameter that field_jump_parameters names";
  assert_string_equal(ess_check(&system, &options), differs);
  assert_int_equal(ess_driver_follow_parameters(d, 3, NULL, NULL), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(d)->reason, differs);
  assert_int_equal(ess_driver_record(d, (size_t)1 << 20), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(d)->reason, differs);
  ess_driver_free(d);
  h->jump_parameter[1] = SIZE_MAX; // a constant from now on
  assert_null(ess_check(&system, &options));
  h->jump_parameter[0] = 2;
  assert_string_equal(ess_check(&system, &options),
                      "each of field_jump_parameters must be below parameters, or SIZE_MAX");
  hybrid_free(h);
}

/* Applies end at jumps, which the next ones pass. */
TEST(an_adjoint_between_applies_changes_nothing) {
  hybrid *const h = hybrid_of("each 20: p@ = @.5\neach 20: jump p@\n"
                              "x' = sum(20: (1 + @)*after(p@)) - 0.1*x");
  const ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  const ess_options options = hybrid_options(1e-6);
  double by[2][21];
  for (int between = 0; between < 2; between++) {
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    const double outcome[1] = {1.0};
    double t = 0.0, x[1] = {0.5}, *const to = by[between];
    assert_int_equal(ess_driver_record(d, (size_t)1 << 20), ESS_SUCCESS);
    for (int i = 0; i < 20; i++) {
      assert_int_equal(ess_driver_apply(d, &t, i + 0.5, x), ESS_SUCCESS);
      if (between && i % 4 == 1)
        assert_int_equal(ess_driver_adjoint(d, 1, outcome, to, to + 1), ESS_SUCCESS);
    }
    assert_int_equal(ess_driver_apply(d, &t, 20.0, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_adjoint(d, 1, outcome, to, to + 1), ESS_SUCCESS);
    ess_driver_free(d);
  }
  assert_memory_equal(by[0], by[1], sizeof by[0]);
  assert_true(fabs(by[0][20] + 20.0 * exp(-0.05)) < 1e-6);
  hybrid_free(h);
}
