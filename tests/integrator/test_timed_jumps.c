/*
 * Jumps of the state at known times, which are impacts of event functions of time alone, and of the
 * field: runs that end or start at one, states at one, and arguments. More are in
 * cases/timed_jumps.txt.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "driven.h"
#include "ess_tangents.h"

enum { TIMES = 1000, FORMS = 7 };

static uint64_t seed;

/* How an event function is written that is zero at T; the last is a clock of the state's. */
static const char *const forms[FORMS] = {"t - T",      "T - t",          "t/T - 1", "10*t - 10*T",
                                         "sin(t - T)", "exp(t - T) - 1", "c - T"};
enum { FALLING = 1, PART = 2, CLOCK = 6 };

/* x' = -x, and 1 more at T; `both`: either direction is an impact, or the one that is made */
static hybrid *dose_of(int form, bool is_backward, bool both, double start, double T) {
  const bool falls = (form == FALLING || (form == PART && T < 0.0)) != is_backward;
  return hybrid_of("T = %.17g; x' = -x; c' = %d; dose: %s; from %.17g: x = 0.7, c = %.17g\n%s%s", T,
                   form == CLOCK, forms[form], start, start,
                   both || !falls ? "hit up dose: x = x + 1, +dose\n" : "",
                   both || falls ? "hit down dose: x = x + 1, -dose\n" : "");
}

/* before the time, at it, and after it, in the direction of the run */
typedef struct span {
  double start, time, end;
} span;

static span draw_span(bool is_backward) {
  const double size = draw_log(&seed, 0.1, 1e3);
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

static void begin_dose(driven *r, hybrid *h, bool is_plain, double tolerance) {
  set_up(r, h, is_plain ? HYBRID_GIVES_NONE : HYBRID_GIVES_ALL, hybrid_options(tolerance));
  const ess_impacts impacts = {.map = plain_map};
  if (is_plain) r->system.impacts = &impacts;
  begin(r);
}

/* Two runs, of which the second starts where the first ends, at the time: in drivers of their own,
 * or in one. One of both gives the dose, and it is the first. */
static void check_split(int form, bool is_backward, bool one_driver, int number) {
  const span at = draw_span(is_backward);
  const double tolerance = draw_log(&seed, 1e-9, 1e-4);
  const bool is_plain = number % 3;
  driven r, other;
  begin_dose(&r, dose_of(form, is_backward, number % 2, at.start, at.time), is_plain, tolerance);
  int status = go(&r, at.time);
  const uint64_t first = ess_driver_counters(r.d)->impacts;
  if (!one_driver) {
    ess_driver_free(r.d);
    begin_dose(&other, r.h, is_plain, tolerance);
    r.d = other.d;
  }
  if (!status) status = go(&r, at.end);
  const uint64_t all = ess_driver_counters(r.d)->impacts + (one_driver ? 0 : first);
  const double right = (0.7 * exp(at.start - at.time) + 1.0) * exp(at.time - at.end);
  // a clock of the state's has digits of its own
  if (status || !(form == CLOCK || first == 1) || all != 1 ||
      !(fabs(r.x[0] - right) <= 50.0 * tolerance * (1.0 + right)))
    fail_msg("%s, T = %.17g, from %.17g to %.17g, %s: %s, %d doses and %d in all, %g off",
             forms[form], at.time, at.start, at.end, one_driver ? "one driver" : "two drivers",
             ess_strerror(status), (int)first, (int)all, r.x[0] - right);
  drop(&r);
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
    const double times[] = {nextafter(at.time, at.start), at.time, nextafter(at.time, at.end)};
    double states[3][2];
    driven r;
    begin_dose(&r,
               dose_of(number / 2 % 2 ? FALLING : 0, number % 2, number / 4 % 2, at.start, at.time),
               number % 3, 1e-9);
    assert_int_equal(ess_driver_sample(r.d, &r.t, at.end, r.x, times, 3, states[0]), ESS_SUCCESS);
    const double before = 0.7 * exp(-(at.time - at.start));
    for (int i = 0; i < 3; i++)
      if (!(fabs(states[i][0] - before - (i > 0)) <= 1e-7 * (1.0 + before)))
        fail_msg("T = %.17g, from %.17g: state %d is %g", at.time, at.start, i, states[i][0]);
    drop(&r);
  }
}

/* most of which lie outside of the run */
TEST(ten_million_jumps_are_accepted) {
  enum { COUNT = 10000000 };
  double *const at = malloc(COUNT * sizeof *at);
  for (size_t i = 0; i < COUNT; i++) at[i] = ((double)i - 5e6) * 1e-3;
  driven r;
  set_up(&r, hybrid_of("x' = 0; from 0: x = 0.5"), HYBRID_GIVES_NONE, hybrid_options(1e-6));
  r.system.field_jumps = (ess_field_jumps){.count = COUNT, .times = at};
  begin(&r);
  assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
  const uint64_t steps = ess_driver_counters(r.d)->steps;
  assert_true(r.x[0] == 0.5 && steps >= 1000 && steps < 8000);
  drop(&r);
  free(at);
}

TEST(jumps_that_do_not_ascend_are_refused) {
  static const double falling[] = {1.0, 0.5}, twice[] = {1.0, 1.0}, no_number[] = {0.0, NAN};
  static const struct {
    const double *at;
    const char *why;
  } wrong[] = {{falling, "field_jumps.times must ascend"},
               {twice, "field_jumps.times must ascend"},
               {no_number, "each of field_jumps.times must be finite"},
               {NULL, "field_jumps.times must not be NULL when field_jumps.count > 0"}};
  hybrid *const h = hybrid_of("x' = 0");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ess_system system = hybrid_system(h, HYBRID_GIVES_NONE);
    const ess_options options = hybrid_options(1e-6);
    int status = ESS_SUCCESS;
    system.field_jumps = (ess_field_jumps){.count = 2, .times = wrong[i].at};
    assert_null(ess_driver_alloc(&system, &options, &status));
    assert_int_equal(status, ESS_EINVAL);
    assert_string_equal(ess_check(&system, &options), wrong[i].why);
  }
  hybrid_free(h);
}

/* ---- derivatives ----------------------------------------------------------------------------- */

TEST(parameters_that_are_not_the_times_are_refused) {
  driven r;
  begin_text(&r, "p = 1; q = 2; x' = after(p) + after(q); jump p; jump q", HYBRID_GIVES_ALL,
             hybrid_options(1e-6));
  r.h->parameter[1] += 1e-9;
  const char *const differs =
      "each of field_jumps.times must be equal to the parameter that field_jumps.parameters names";
  assert_string_equal(ess_check(&r.system, &r.options), differs);
  assert_int_equal(ess_driver_follow_parameters(r.d, 3, NULL, NULL), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(r.d)->reason, differs);
  assert_int_equal(ess_driver_record(r.d, (size_t)1 << 20), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(r.d)->reason, differs);
  r.h->jump_parameter[1] = SIZE_MAX; // a constant from now on
  assert_null(ess_check(&r.system, &r.options));
  r.h->jump_parameter[0] = 2;
  assert_string_equal(ess_check(&r.system, &r.options),
                      "each of field_jumps.parameters must be below parameters.count, or SIZE_MAX");
  drop(&r);
}

/* Applies end at jumps, which the next ones pass. */
TEST(an_adjoint_between_applies_changes_nothing) {
  const double outcome[1] = {1.0};
  double by[2][21];
  for (int between = 0; between < 2; between++) {
    double *const to = by[between];
    driven r;
    begin_text(&r,
               "each 20: p@ = @.5\neach 20: jump p@\nfrom 0: x = 0.5\n"
               "x' = sum(20: (1 + @)*after(p@)) - 0.1*x",
               HYBRID_GIVES_ALL, hybrid_options(1e-6));
    assert_int_equal(ess_driver_record(r.d, (size_t)1 << 20), ESS_SUCCESS);
    for (int i = 0; i < 20; i++) {
      assert_int_equal(go(&r, i + 0.5), ESS_SUCCESS);
      if (between && i % 4 == 1)
        assert_int_equal(ess_driver_adjoint(r.d, 1, outcome, to, to + 1), ESS_SUCCESS);
    }
    assert_int_equal(go(&r, 20.0), ESS_SUCCESS);
    assert_int_equal(ess_driver_adjoint(r.d, 1, outcome, to, to + 1), ESS_SUCCESS);
    drop(&r);
  }
  assert_memory_equal(by[0], by[1], sizeof by[0]);
  assert_true(fabs(by[0][20] + 20.0 * exp(-0.05)) < 1e-6);
}
