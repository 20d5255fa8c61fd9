/*
 * Timed jumps of the field, and of the state: impacts of event functions that depend on time alone:
 * runs that end or start at one, states that are asked for at one, and jumps that come shortly
 * after one another.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "ess_tangents.h"
#include "toy.h"

enum { TIMES = 1000, STATES = 2 };

static uint64_t seed;

/* ---- a dose ---------------------------------------------------------------------------------- */

/* how an event function is written that is zero at the time */
typedef enum form { PLAIN, FALLING, PART, TENFOLD, SINE, EXPONENTIAL, CLOCK, FORMS } form;

static const char *const form_names[] = {"t - T",      "T - t",         "t / T - 1", "10 t - 10 T",
                                         "sin(t - T)", "e^(t - T) - 1", "a state's"};

/* x' = -x, and 1 more at the time; the second state is a clock */
typedef struct dose {
  form form;
  double time;
} dose;

FIELD(dose_field) {
  dxdt[0] = -x[0];
  dxdt[1] = AS(dose)->form == CLOCK;
}

GUARDS(dose_guards) {
  const double T = AS(dose)->time;
  switch (AS(dose)->form) {
  case FALLING:
    h[0] = T - t;
    break;
  case PART:
    h[0] = t / T - 1.0;
    break;
  case TENFOLD:
    h[0] = 10.0 * t - 10.0 * T;
    break;
  case SINE:
    h[0] = sin(t - T);
    break;
  case EXPONENTIAL:
    h[0] = exp(t - T) - 1.0;
    break;
  case CLOCK:
    h[0] = x[1] - T;
    break;
  default:
    h[0] = t - T;
  }
}

IMPACT_MAP(dose_map) {
  impact->after[0] += 1.0;
}

/* before the time, at it, and after it, in the direction of the run */
typedef struct span {
  double start, time, end;
} span;

static span span_at_random(bool backward) {
  const double size = exp(draw_between(&seed, log(0.1), log(1e3)));
  const double time = draw_between(&seed, -size, size);
  const double before = draw_between(&seed, 0.1, 3.0), after = draw_between(&seed, 0.1, 3.0);
  // as people write them, and to the last digit
  const double digits = draw_between(&seed, 0.0, 1.0) < 0.5 ? 10.0 : 0x1p60;
  const double rounded = fabs(time) < 0x1p-8 || digits > 10.0 ? time : round(time * 10.0) / 10.0;
  const double T = rounded == 0.0 ? 0.1 : rounded;
  return backward ? (span){T + before, T, T - after} : (span){T - before, T, T + after};
}

/* either direction alone is an impact, or both are */
static const bool ats[3][2] = {{true, true}, {true, false}, {false, true}};

/* which of these crosses the guard in this direction */
static int at_which(const dose *s, bool backward, int number) {
  const bool is_negative = s->form == FALLING || (s->form == PART && s->time < 0.0);
  const bool falls = is_negative != backward;
  return number % 2 ? 0 : falls ? 2 : 1;
}

static ess_system system_of(dose *s, const ess_impacts *impacts) {
  return (ess_system){.dimension = STATES,
                      .guard_count = 1,
                      OF(dose),
                      .guards_move = s->form != CLOCK,
                      .impacts = impacts,
                      .params = s};
}

static double expected(span at, double x0) {
  const double before = exp(-(at.time - at.start)), after = exp(-(at.end - at.time));
  return (x0 * before + 1.0) * after;
}

/* Two runs, of which the second starts where the first ends, at the time: in drivers of their own,
 * or in one. One of both gives the dose, and it is the first. */
static void check_split(form written, bool backward, bool one_driver, int number) {
  const span at = span_at_random(backward);
  dose s = {.form = written, .time = at.time};
  const ess_impacts impacts = {.at = ats[at_which(&s, backward, number)], .map = dose_map};
  const ess_system system = system_of(&s, &impacts);
  const double tolerance = exp(draw_between(&seed, log(1e-9), log(1e-4)));
  const ess_options options = toy_options(tolerance);
  ess_driver *d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = at.start, x[STATES] = {0.7, at.start};
  int status = ess_driver_apply(d, &t, at.time, x);
  const uint64_t first = ess_driver_counters(d)->impacts;
  uint64_t before = first;
  if (!one_driver) {
    ess_driver_free(d);
    d = ess_driver_alloc(&system, &options, NULL);
    assert_non_null(d);
    before = 0;
  }
  if (!status) status = ess_driver_apply(d, &t, at.end, x);
  const uint64_t second = ess_driver_counters(d)->impacts - before;
  ess_driver_free(d);
  const double off = fabs(x[0] - expected(at, 0.7)), size = 1.0 + fabs(expected(at, 0.7));
  // a clock of a state's has digits of its own
  const bool is_first = written == CLOCK || first == 1;
  if (status || !is_first || first + second != 1 || !(off <= 50.0 * tolerance * size))
    fail_msg("%s, T = %.17g, from %.17g to %.17g, %s: %s, %d doses and %d, %g off",
             form_names[written], at.time, at.start, at.end,
             one_driver ? "one driver" : "two drivers", ess_strerror(status), (int)first,
             (int)second, off);
}

TEST(runs_that_meet_at_a_jump_make_it_once) {
  seed = 1;
  for (int number = 0; number < TIMES; number++)
    for (int kind = 0; kind < 4; kind++)
      check_split((form)(number / 2 % FORMS), kind % 2, kind / 2, number);
}

/* states at the time, and at its neighbours, by which nothing else changes */
TEST(the_state_at_a_jump_is_the_one_after_it) {
  seed = 2;
  for (int number = 0; number < TIMES; number++) {
    const bool backward = number % 2;
    const span at = span_at_random(backward);
    const double way = backward ? -1.0 : 1.0;
    dose s = {.form = number / 2 % 2 ? FALLING : PLAIN, .time = at.time};
    const ess_impacts impacts = {.at = ats[at_which(&s, backward, number / 4)], .map = dose_map};
    const ess_system system = system_of(&s, &impacts);
    const ess_options options = toy_options(1e-9);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    assert_non_null(d);
    const double times[] = {nextafter(at.time, at.start), at.time, nextafter(at.time, at.end)};
    double t = at.start, x[STATES] = {0.7}, states[3][STATES];
    assert_int_equal(ess_driver_sample(d, &t, at.end, x, times, 3, states[0]), ESS_SUCCESS);
    const double before = 0.7 * exp(-(at.time - at.start));
    for (int i = 0; i < 3; i++) {
      const double off = fabs(states[i][0] - before - (i > 0));
      if (!(off <= 1e-7 * (1.0 + before)))
        fail_msg("T = %.17g, from %.17g, %g: %d: the state is %g off", at.time, at.start, way, i,
                 off);
    }
    ess_driver_free(d);
  }
}

/* one that puts the mode back before the time would be made again there, without end */
IMPACT_MAP(again) {
  impact->after[0] += 1.0;
  impact->mode[0] = impact->sign[0];
}

TEST(a_jump_at_the_same_time_twice_is_refused) {
  seed = 4;
  for (int number = 0; number < 20; number++) {
    const span at = span_at_random(number % 2);
    dose s = {.form = number / 2 % 2 ? FALLING : PLAIN, .time = at.time};
    const ess_impacts impacts = {.map = again};
    const ess_system system = system_of(&s, &impacts);
    const ess_options options = toy_options(1e-6);
    double x[STATES] = {0.7};
    const toy_end end = toy_run(&system, &options, at.start, at.end, x);
    assert_int_equal(end.status, ESS_EIMPACT);
    assert_non_null(strstr(end.failure.reason, "same time twice"));
    assert_int_equal(end.failure.guard, 0);
    assert_true(fabs(x[0] - 0.7 * exp(-(at.time - at.start))) < 1e-4 && end.t == at.time);
  }
}

/* ---- two of them ----------------------------------------------------------------------------- */

/* x' = v, and v is set anew at these times */
typedef struct input {
  double time[2], value[2];
  bool has_clock; /* the event functions are those of a state that is the time */
} input;

FIELD(input_field) {
  dxdt[0] = x[1];
  dxdt[1] = 0.0;
  if (AS(input)->has_clock) dxdt[2] = 1.0;
}

GUARDS(input_guards) {
  for (int k = 0; k < 2; k++) h[k] = (AS(input)->has_clock ? x[2] : t) - AS(input)->time[k];
}

IMPACT_MAP(input_map) {
  impact->after[1] = AS(input)->value[impact->events[0]];
}

/* a large one for a short time, whatever the tolerance: nothing in the state says which comes
 * first, and the times do */
TEST(short_inputs_are_not_one_instant) {
  seed = 3;
  for (int number = 0; number < TIMES; number++) {
    const double apart = exp(draw_between(&seed, log(1e-8), log(1e-2)));
    const double tolerance = exp(draw_between(&seed, log(1e-10), log(1e-3)));
    const double time = draw_between(&seed, 0.2, 2.0);
    input s = {{time, time + apart}, {1.0 / apart, 0.0}, number % 2};
    const ess_impacts impacts = {.map = input_map};
    const ess_system system = {.dimension = s.has_clock ? 3 : 2,
                               .guard_count = 2,
                               OF(input),
                               .guards_move = !s.has_clock,
                               .impacts = &impacts,
                               .params = &s};
    const ess_options options = toy_options(tolerance);
    double x[3] = {0.0};
    const toy_end end = toy_run(&system, &options, 0.0, 3.0, x);
    const double clock = s.has_clock ? 1e-11 / apart : 0.0; // crossings are located to this
    if (end.status || end.counters.impacts != 2 ||
        !(fabs(x[0] - 1.0) <= 10.0 * tolerance + 1e-7 + clock))
      fail_msg("%g apart, tolerance %g, %s: %s, %d impacts, %g for 1", apart, tolerance,
               s.has_clock ? "a state's" : "time's", ess_strerror(end.status),
               (int)end.counters.impacts, x[0]);
  }
}

/* ---- jumps of the field ---------------------------------------------------------------------- */

/* x' = p cos t within pulses, and 0 between them; a timed jump of the state may be at one */
enum { PULSES = 500 };
static const double WIDTH = 0.05;

typedef struct train {
  double p, at[2 * PULSES];
  double kick; /* when x gains 1; 0: never */
} train;

static train make_train(double p) {
  train s = {.p = p};
  for (size_t i = 0; i < PULSES; i++) {
    s.at[2 * i] = (double)i + 0.3;
    s.at[2 * i + 1] = (double)i + 0.3 + WIDTH;
  }
  return s;
}

FIELD(train_field) {
  const double *const pulse = AS(train)->at + 2 * (size_t)fmin(fmax(t, 0.0), PULSES - 1);
  dxdt[0] = t >= pulse[0] && t < pulse[1] ? AS(train)->p * cos(t) : 0.0;
}

static double train_sum(const train *s) {
  double sum = 0.0;
  for (size_t i = 0; i < PULSES; i++) sum += sin(s->at[2 * i + 1]) - sin(s->at[2 * i]);
  return sum;
}

static ess_system train_system(train *s) {
  return (ess_system){.dimension = 1,
                      .field = train_field,
                      .params = s,
                      .parameters = 1,
                      .parameter_values = &s->p,
                      .field_jumps = s->at,
                      .field_jump_count = 2 * PULSES};
}

/* forward and backward, at once and in parts that end at jumps and between them: no step is refused
 * by a field of the wrong side */
static void check_train(bool backward, size_t parts, ess_base base, double tolerance) {
  train s = make_train(2.0);
  const ess_system system = train_system(&s);
  ess_options options = toy_options(tolerance);
  options.base = base;
  const double begin = backward ? PULSES : 0.0, end = PULSES - begin;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = begin, x[1] = {0.5};
  for (size_t i = 1; i < parts; i++) {
    const size_t jump = i * (2 * PULSES / parts);
    const double to = s.at[backward ? 2 * PULSES - jump : jump];
    assert_int_equal(ess_driver_apply(d, &t, i % 3 ? to : to + 0.01, x), ESS_SUCCESS);
  }
  assert_int_equal(ess_driver_apply(d, &t, end, x), ESS_SUCCESS);
  const double right = 0.5 + (backward ? -1.0 : 1.0) * s.p * train_sum(&s);
  const ess_counters *const c = ess_driver_counters(d);
  if (!(fabs(x[0] - right) < 20.0 * tolerance) || c->rejected > c->steps / 5)
    fail_msg("base %d, %s, %d parts, at %g: %g tolerances, %d steps and %d refused", (int)base,
             backward ? "backward" : "forward", (int)parts, tolerance,
             fabs(x[0] - right) / tolerance, (int)c->steps, (int)c->rejected);
  ess_driver_free(d);
}

TEST(a_train_of_pulses_is_not_missed) {
  static const ess_base bases[] = {ESS_BASE_DOPRI5, ESS_BASE_RKC, ESS_BASE_CHOSEN, ESS_BASE_RODAS,
                                   ESS_BASE_CHOSEN_RODAS};
  for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
    for (int backward = 0; backward < 2; backward++)
      for (size_t parts = 1; parts < 100; parts = 7 * parts + 1)
        check_train(backward, parts, bases[b], bases[b] == ESS_BASE_RKC ? 1e-4 : 1e-7);
}

/* the derivative by p, and by the start, as tangents and as adjoint have it */
TEST(so_are_its_derivatives) {
  for (int backward = 0; backward < 2; backward++)
    for (int records = 0; records < 3; records++) {
      train s = make_train(2.0);
      const ess_system system = train_system(&s);
      const ess_options options = toy_options(1e-7);
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      const double begin = backward ? PULSES : 0.0, right = (backward ? -1.0 : 1.0) * train_sum(&s);
      const double directions[2] = {1.0, 0.0}, parameters[2] = {0.0, 1.0}, outcome[1] = {1.0};
      double t = begin, x[1] = {0.5}, by_start[2], by_p[1];
      // 1: so little room that the run is made again from checkpoints
      const int followed = records ? ess_driver_record(d, (size_t)1 << (records == 1 ? 19 : 24))
                                   : ess_driver_follow_parameters(d, 2, directions, parameters);
      assert_int_equal(followed, ESS_SUCCESS);
      assert_int_equal(ess_driver_apply(d, &t, PULSES - begin, x), ESS_SUCCESS);
      if (records) {
        assert_true((ess_driver_recorded(d) > (size_t)1 << 17) || records == 2);
        assert_int_equal(ess_driver_adjoint(d, 1, outcome, by_start, by_p), ESS_SUCCESS);
      } else {
        memcpy(by_start, ess_driver_tangent(d), sizeof by_start);
        by_p[0] = by_start[1];
      }
      assert_true(fabs(by_start[0] - 1.0) < 1e-9 && fabs(by_p[0] - right) < 2e-6);
      ess_driver_free(d);
    }
}

/* one of the jumps, at which x gains 1 by an impact as well */
GUARDS(kick_guards) {
  h[0] = t - AS(train)->kick;
}

TEST(an_impact_at_the_time_of_a_jump_is_made_once) {
  static const bool both[] = {true, true};
  const ess_impacts impacts = {.at = both, .map = dose_map};
  for (int backward = 0; backward < 2; backward++)
    for (size_t jump = 0; jump < 20; jump++) {
      train s = make_train(2.0);
      s.kick = s.at[jump];
      ess_system system = train_system(&s);
      system.guard_count = 1;
      system.guards = kick_guards;
      system.guards_move = true;
      system.impacts = &impacts;
      const ess_options options = toy_options(1e-7);
      const double begin = backward ? PULSES : 0.0;
      double x[1] = {0.5};
      const toy_end end = toy_succeeds(&system, &options, begin, PULSES - begin, x);
      const double right = 1.5 + (backward ? -1.0 : 1.0) * s.p * train_sum(&s);
      assert_int_equal(end.counters.impacts, 1);
      assert_true(fabs(x[0] - right) < 2e-6);
    }
}

/* held at x = 0 by friction, but for a push from 1 to 1.5; back at 2 */
FIELD(pushed_field) {
  dxdt[0] = (t >= 1.0 && t < 1.5 ? 2.0 : 0.0) - sign[0];
}

GUARDS(pushed_guards) {
  h[0] = x[0];
}

TEST(a_slide_ends_at_a_jump) {
  static const double at[] = {1.0, 1.5}, times[] = {0.5, 1.0, 1.25, 1.5, 1.75, 2.5};
  static const double right[] = {0.0, 0.0, 0.25, 0.5, 0.25, 0.0};
  const ess_system system = {.dimension = 1,
                             .field = pushed_field,
                             .guard_count = 1,
                             .guards = pushed_guards,
                             .field_jumps = at,
                             .field_jump_count = 2};
  ess_options options = toy_options(1e-8);
  options.sliding = ESS_SLIDING_FILIPPOV;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[1] = {0.3}, states[6];
  assert_int_equal(ess_driver_sample(d, &t, 3.0, x, times, 6, states), ESS_SUCCESS);
  for (size_t i = 0; i < 6; i++) assert_true(fabs(states[i] - right[i]) < 1e-7);
  assert_int_equal(ess_driver_counters(d)->slides, 2);
  ess_driver_free(d);
}

/* most of which lie outside of the run */
TEST(ten_million_jumps_are_accepted) {
  enum { COUNT = 10000000 };
  double *const at = malloc(COUNT * sizeof *at);
  for (size_t i = 0; i < COUNT; i++) at[i] = ((double)i - 5e6) * 1e-3;
  train s = make_train(0.0);
  ess_system system = train_system(&s);
  system.field_jumps = at;
  system.field_jump_count = COUNT;
  const ess_options options = toy_options(1e-6);
  double x[1] = {0.5};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
  assert_true(x[0] == 0.5 && end.counters.steps >= 1000 && end.counters.steps < 8000);
  free(at);
}

TEST(jumps_that_are_none_are_refused) {
  static const double falling[] = {1.0, 0.5}, twice[] = {1.0, 1.0}, no_number[] = {0.0, NAN};
  static const struct {
    const double *at;
    const char *why;
  } wrong[] = {{falling, "field_jumps must ascend"},
               {twice, "field_jumps must ascend"},
               {no_number, "each of field_jumps must be finite"},
               {NULL, "field_jumps must not be NULL when field_jump_count > 0"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const ess_system system = {
        .dimension = 1, .field = train_field, .field_jumps = wrong[i].at, .field_jump_count = 2};
    const ess_options options = toy_options(1e-6);
    int status = ESS_SUCCESS;
    assert_null(ess_driver_alloc(&system, &options, &status));
    assert_int_equal(status, ESS_EINVAL);
    assert_string_equal(ess_check(&system, &options), wrong[i].why);
  }
}
