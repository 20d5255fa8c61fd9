/*
 * The guard reset matrix: random rows against a walk over the guards' places, guards armed beyond
 * their zeros against the event function itself, and the callbacks that are told of modes. Cases of
 * rows with known outcomes are in cases/resets.txt.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "driven.h"

#ifndef RESETS_PART
#define RESETS_PART 1 // of the random runs; sanitizers: less
#endif

enum { MOST = 20, ENTRIES = 4, EVENTS = 256 };

/* ---- what callbacks are told ----------------------------------------------------------------- */

static struct {
  ess_system of;
  size_t count, guard[EVENTS], starts;
  double sign[MOST];
  bool clear[2 * MOST]; /* what the start disarms */
  int code;             /* that it returns */
} told;

/* every change of the mode has been told of before */
static int told_field(double t, const double x[], const double sign[], double dxdt[],
                      void *params) {
  assert_memory_equal(sign, told.sign, told.of.event_count * sizeof *sign);
  return told.of.field(t, x, sign, dxdt, params);
}

/* one sign, and this one */
static int on_mode(const double sign[], size_t guard, void *params) {
  const size_t m = told.of.event_count;
  for (size_t k = 0; guard < m && k < m; k++)
    assert_true((sign[k] != told.sign[k]) == (k == guard));
  if (guard < m && told.count < EVENTS) told.guard[told.count++] = guard;
  memcpy(told.sign, sign, m * sizeof *sign);
  return 0;
}

static int on_start(double t, const double x[], double sign[], bool armed[], void *params) {
  told.starts++;
  for (size_t k = 0; k < told.of.event_count; k++)
    assert_true(armed[ESS_GUARD_UP(k)] && armed[ESS_GUARD_DOWN(k)]);
  if (told.of.start) told.of.start(t, x, sign, armed, params);
  for (size_t g = 0; g < 2 * told.of.event_count; g++) armed[g] = armed[g] && !told.clear[g];
  return told.code;
}

/* a driver whose callbacks are told of modes and starts */
static void begin_told(driven *r, hybrid *h, ess_options options) {
  memset(&told, 0, sizeof told);
  set_up(r, h, HYBRID_GIVES_ALL, options);
  told.of = r->system;
  assert_non_null(told.of.resets);
  r->system.start = on_start;
  r->system.field = told_field;
  r->system.mode_changed = on_mode;
  hear(r);
  if (options.projection.epsilon > 0.0) r->options.observer.slide = NULL;
  begin(r);
}

static ess_options paper(double epsilon, int order) {
  ess_options options = ess_options_paper();
  options.projection.epsilon = epsilon;
  options.projection.order = order;
  return options;
}

TEST(changes_of_the_mode_are_told_in_order) {
  static const size_t guards[] = {0, 2, 1, 3, 1, 1, 2};
  static const double last[] = {1.0, 1.0, -1.0, 1.0};
  driven r;
  begin_told(&r,
             hybrid_of("x' = 1; y' = on(a) + on(b) + on(c) + on(d)\n"
                       "a: x - 0.5; b: x - 2; c: x - 3; d: x - 0.7\n"
                       // what lies ahead unarmed is armed without a change of the mode
                       "row up a: +down c, +up d, +down b\n"
                       "row up d: +up b, +down b, +up c\n"),
             paper(0.01, 1));
  assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
  assert_int_equal(told.count, sizeof guards / sizeof *guards);
  assert_memory_equal(told.guard, guards, sizeof guards);
  assert_memory_equal(ess_driver_sign(r.d), last, sizeof last);
  assert_int_equal(r.log.count, 2);
  // 0.2 in the mode of three positive signs, then 0.3 in that of three others
  assert_true(fabs(r.x[1] - 0.5 * 3.0) < 1e-9);
  drop(&r);
}

TEST(the_start_is_called_once_for_each_latch_and_may_fail) {
  driven r;
  begin_told(&r,
             hybrid_of("x' = 1; y' = on(a) + on(b)\na: x - 0.25; b: x - 0.75; pool: \n"
                       "from 0: y = 3"),
             paper(0.01, 1));
  told.code = -7;
  assert_int_equal(go(&r, 1.0), ESS_ECALLBACK);
  const ess_failure *const failure = ess_driver_failure(r.d);
  assert_int_equal(failure->callback_code, -7);
  assert_true(failure->event == SIZE_MAX && failure->time == 0.0);
  assert_true(r.t == 0.0 && r.x[0] == 0.0 && r.x[1] == 3.0);
  told.code = 0;
  for (int i = 1; i <= 10; i++) assert_int_equal(go(&r, 0.1 * i), ESS_SUCCESS);
  assert_int_equal(told.starts, 2);
  assert_int_equal(r.log.count, 2);
  again(&r);
  told.clear[ESS_GUARD_UP(1)] = true;
  assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
  assert_int_equal(told.starts, 3);
  assert_int_equal(r.log.count, 3);
  drop(&r);
}

/* it is filled after a step, which passes the guard here: so it is where the start has failed */
TEST(a_pool_that_is_empty_at_the_start_is_filled_after_a_step) {
  for (uint64_t call = 1; call <= 6; call++) {
    driven r;
    set_up(&r, hybrid_of("x' = 1; a: x; pool: +up a; unarmed both a; from 0: x = -0.25"),
           HYBRID_GIVES_NONE, ess_options_default());
    r.h->fault = (hybrid_fault){.in = HYBRID_FIELD, .call = call, .once = true, .code = 1};
    r.options.h_init = 0.5;
    begin(&r);
    assert_int_equal(go(&r, 1.0), ESS_ECALLBACK);
    assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(r.d)->crossings, 0);
    drop(&r);
  }
}

TEST(no_row_arms_ahead_what_is_crossed) {
  static const struct {
    const char *row;
    bool is_refused;
  } rows[] = {{"row up b: ahead b", true},
              {"row down b: ahead b", true},
              {"row up a: ahead b", false},
              {"row down a: ahead b", false},
              {"pool: ahead b", false}};
  const ess_options options = ess_options_default();
  for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
    hybrid *const h = hybrid_of("x' = 1; a: x; b: x - 1\n%s", rows[i / 2].row);
    ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
    ess_guard_kind upward_only[4] = {0};
    upward_only[ESS_GUARD_DOWN(0)] = upward_only[ESS_GUARD_DOWN(1)] = ESS_GUARD_NONE;
    if (i % 2) system.kinds = upward_only;
    h->row_guard[0] += i % 2; // either of the two, also where there is one way
    const char *const said = ess_check(&system, &options);
    if (rows[i / 2].is_refused)
      assert_string_equal(said, "ESS_ARM_AHEAD must not name the event function that is crossed");
    else
      assert_null(said);
    hybrid_free(h);
  }
}

/* ---- random rows against a walk that does nothing else --------------------------------------- */

/* x' = 1, y' = the jumps of the guards that are beyond; h_k = x - place_k. Row k is that of h_k
 * crossed upward, the only guards that are reached. */
typedef struct rows {
  size_t count, entries[MOST], guard[MOST][ENTRIES];
  signed char effect[MOST][ENTRIES];
  double place[MOST], jump[MOST], end;
  bool silent[MOST], off[MOST];
} rows;

static hybrid *system_of(const rows *r) {
  hybrid *const h =
      hybrid_of("sum0 = 0*x\nx' = 1\ny' = sum%zu\nto %.17g\npool: ", r->count, r->end);
  for (size_t k = 0; k < r->count; k++) {
    hybrid_add(h, "p%zu: x - %.17g", k, r->place[k]);
    hybrid_add(h, "sum%zu = %.17g*on(p%zu) + sum%zu", k + 1, r->jump[k], k, k);
    if (r->silent[k]) hybrid_add(h, "silent up p%zu", k);
    if (r->off[k]) hybrid_add(h, "unarmed both p%zu", k);
    for (size_t i = 0; i < r->entries[k]; i++) {
      const size_t guard = r->guard[k][i];
      const char *const to = guard % 2 ? "down " : "up ";
      const bool is_ahead = r->effect[k][i] == ESS_ARM_AHEAD;
      hybrid_add(h, "row up p%zu: %s%sp%zu", k,
                 is_ahead              ? "ahead "
                 : r->effect[k][i] > 0 ? "+"
                                       : "-",
                 is_ahead ? "" : to, guard / 2);
    }
  }
  return h;
}

/* what the walk comes to; it does not end where it crosses more often at one place than libess
 * allows for */
typedef struct outcome {
  bool ends;
  size_t count, event[EVENTS], silent;
  double y, sign[MOST];
} outcome;

static void apply_row(const rows *r, size_t k, double now, bool armed[], double sign[]) {
  armed[k] = false;
  sign[k] = 1.0;
  for (size_t i = 0; i < r->entries[k]; i++) {
    const size_t other = r->guard[k][i] / 2;
    const bool is_up = r->guard[k][i] % 2 == 0;
    if (r->effect[k][i] < 0) {
      armed[other] = armed[other] && !is_up;
      continue;
    }
    const bool is_before = r->effect[k][i] == ESS_ARM_AHEAD ? r->place[other] > now : is_up;
    sign[other] = is_before ? -1.0 : 1.0;
    armed[other] = is_before;
  }
}

static outcome walk(const rows *r) {
  outcome o = {.ends = true};
  bool armed[MOST];
  double now = 0.0;
  size_t stalled = 0;
  for (size_t k = 0; k < r->count; k++) {
    armed[k] = !r->off[k];
    o.sign[k] = -1.0;
  }
  for (;;) {
    size_t first = SIZE_MAX;
    double soonest = r->end;
    for (size_t k = 0; k < r->count; k++) {
      const double at = fmax(r->place[k], now);
      if (!armed[k] || at >= soonest) continue;
      soonest = at;
      first = k;
    }
    for (size_t k = 0; k < r->count; k++)
      if (o.sign[k] > 0.0) o.y += r->jump[k] * (soonest - now);
    stalled = soonest > now ? 1 : stalled + 1;
    now = soonest;
    if (first == SIZE_MAX) return o;
    o.ends = stalled <= 2 * r->count + 16 && o.count < EVENTS;
    if (!o.ends) return o;
    if (r->silent[first])
      o.silent++;
    else
      o.event[o.count++] = first;
    apply_row(r, first, now, armed, o.sign);
  }
}

/* libess makes the crossings of the walk; y within `most` (1 + |y|) */
static void follow(const rows *of, hybrid *h, const outcome *o, ess_options options, double most) {
  driven r;
  begin_told(&r, h, options);
  const int status = go(&r, of->end);
  const ess_counters *const c = ess_driver_counters(r.d);
  if (status != (o->ends ? ESS_SUCCESS : ESS_ECHATTER) || c->crossings != r.log.count ||
      (o->ends && (r.log.count != o->count || c->silent != o->silent ||
                   !(fabs(r.x[1] - o->y) <= most * (1.0 + fabs(o->y))))))
    fail_msg("%s, %zu crossings of %zu, %zu silent of %zu, y %g off in:\n%s", ess_strerror(status),
             r.log.count, o->count, (size_t)c->silent, o->silent, r.x[1] - o->y, h->text);
  for (size_t e = 0; e < o->count && e < r.log.count && e < HYBRID_LOG; e++)
    assert_int_equal(r.log.record[e].guard, o->event[e]);
  if (o->ends) assert_memory_equal(ess_driver_sign(r.d), o->sign, of->count * sizeof *o->sign);
  ess_driver_free(r.d);
}

static size_t draw_one(uint64_t *seed, size_t count) {
  return (size_t)(draw(seed) * (double)count);
}

/* Places a thousandth apart at least, in any order; entries that name any guard. Some guards do not
 * matter, and some of those are silent, which then arm only what does not matter either. */
static rows draw_any(uint64_t *seed, bool has_silent) {
  rows r = {.count = 1 + draw_one(seed, 8), .end = 1.0};
  for (size_t k = 0; k < r.count; k++) {
    r.place[k] = 0.001 * (double)(1 + draw_one(seed, 99) * 8 + k) + 0.05;
    r.jump[k] = has_silent && draw_one(seed, 3) > 0 ? 0.0 : 1.0;
    r.silent[k] = r.jump[k] == 0.0 && draw_one(seed, 3) > 0;
  }
  for (size_t k = 0; k < r.count; k++)
    for (; r.entries[k] < draw_one(seed, 4); r.entries[k]++) {
      const size_t guard = draw_one(seed, 2 * r.count);
      const bool arms = draw_one(seed, 2) && (!r.silent[k] || r.jump[guard / 2] == 0.0);
      r.guard[k][r.entries[k]] = guard;
      r.effect[k][r.entries[k]] = arms ? 1 : -1;
    }
  return r;
}

static void check_any(bool has_silent) {
  enum { COUNT = 2000 / RESETS_PART };
  static const double epsilons[] = {1e-6, 0.01, 0.2};
  size_t chatter = 0, crossings = 0, silent = 0;
  uint64_t seed = 1;
  for (size_t i = 0; i < COUNT; i++) {
    const rows r = draw_any(&seed, has_silent);
    const outcome o = walk(&r);
    // in a wide neighbourhood a crossing beyond it may disarm a silent guard that arms itself
    if (has_silent && !o.ends && epsilons[i % 3] > 0.1) continue;
    hybrid *const h = system_of(&r);
    follow(&r, h, &o, paper(epsilons[i % 3], 1 + (int)(i / 3 % 2)), 1e-7);
    hybrid_free(h);
    crossings += o.count;
    silent += o.silent;
    chatter += !o.ends;
  }
  // all kinds are many
  assert_true(chatter > COUNT / 20 && chatter < COUNT / 2 && crossings > COUNT);
  assert_true(has_silent ? silent > COUNT : silent == 0);
}

TEST_OF(random_rows_do_what_they_say, check_any(false));
TEST_OF(so_do_those_with_silent_guards, check_any(true));

/* an entry: a guard that is armed has to be ahead; a silent one's row latches no other that the
 * field sees */
static bool draw_entry(const rows *r, size_t k, uint64_t *seed, size_t *guard,
                       signed char *effect) {
  static const signed char effects[] = {1, -1, ESS_ARM_AHEAD};
  const size_t other = draw_one(seed, r->count);
  *guard = ESS_GUARD_UP(other);
  *effect = effects[draw_one(seed, 3)];
  if (other == k || (*effect == 1 && other < k)) return false;
  return !r->silent[k] || *effect == -1 || r->silent[other] || other > k;
}

/* places in quick succession, in their order */
static rows draw_close(uint64_t *seed) {
  static const size_t counts[] = {3, 4, 6, 12, MOST};
  rows r = {.count = counts[draw_one(seed, 5)]};
  const double spacing = 1e-4 * pow(10.0, 2.0 * draw(seed)), jump = pow(10.0, 2.0 * draw(seed));
  const bool has_silent = draw(seed) < 0.5, is_late = draw(seed) < 0.5;
  double place = 0.3;
  for (size_t k = 0; k < r.count; k++) {
    r.place[k] = place += spacing * (0.2 + 1.6 * draw(seed));
    r.silent[k] = has_silent && draw(seed) < 0.4;
    r.jump[k] = r.silent[k] ? 0.0 : jump * (0.5 + draw(seed));
    r.off[k] = draw(seed) < 0.3 || (is_late && k >= 8);
  }
  r.end = place + 0.05 * draw(seed);
  for (size_t k = 0; k < r.count; k++)
    for (size_t i = 0; i < 3; i++) {
      const size_t at = r.entries[k];
      if (draw(seed) < 0.5 && draw_entry(&r, k, seed, &r.guard[k][at], &r.effect[k][at]))
        r.entries[k]++;
    }
  return r;
}

TEST(rows_that_meet_within_a_step_do_so_too) {
  uint64_t seed = 1;
  for (size_t i = 0; i < 4000 / RESETS_PART; i++) {
    const rows r = draw_close(&seed);
    const outcome o = walk(&r);
    hybrid *const h = system_of(&r);
    assert_true(o.ends);
    for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 0.01)
      follow(&r, h, &o, hybrid_options(tolerance), 30.0 * tolerance);
    hybrid_free(h);
  }
}

/* The jumps of a cluster are alike, but for two that follow each other: the row of one latches
 * another event function, which takes as much as the crossing gives, and that of the next latches
 * one that gives as much again. Their sum is that without either. */
TEST(rows_latch_other_event_functions_in_clusters) {
  enum { LINES = 14 };
  for (size_t beside = 2; beside + 1 < LINES; beside++)
    for (double gap = 1e-4; gap < 0.1; gap *= 2.0) {
      hybrid *const h =
          hybrid_of("sum0 = 0*x\nx' = 1; y' = sum%d + on(beside) + on(far)\nto 3\none-way\n"
                    "beside: 0.5 - x; far: x - 0.5\nunarmed up far\n"
                    "row up p%zu: ahead beside\nrow up p%zu: ahead far",
                    LINES, beside, beside + 1);
      double y = 3.0;
      for (size_t k = 0; k < LINES; k++) {
        const double at = 1.0 + gap * (double)k;
        hybrid_add(h, "p%zu: x - %.17g", k, at);
        hybrid_add(h, "sum%zu = on(p%zu) + sum%zu", k + 1, k, k);
        y += (3.0 - at) * (k == beside ? 0.0 : k == beside + 1 ? 2.0 : 1.0);
      }
      const hybrid_plan plan = hybrid_at(1e-7);
      const hybrid_end end = hybrid_run(h, &plan);
      assert_int_equal(end.status, ESS_SUCCESS);
      assert_true(fabs(end.x[1] - y) <= 3e-6);
      hybrid_free(h);
    }
}

/* ---- guards that are armed beyond their zeros ------------------------------------------------
 * They are crossed where they come back once they have gone below, or where they turn before. */

/* the second event function, which the first arms at ARMED_AT: a cubic with a wave on it */
typedef struct armed {
  double square, cube, at, height, wave, frequency, phase;
} armed;

static const double ARMED_AT = 0.1, NEVER = 2.0;

static double value_at(const armed *a, double t, double *rate) {
  const double off = t - a->at, turned = a->frequency * t + a->phase;
  *rate = off * (2.0 * a->square + 3.0 * a->cube * off) + a->wave * a->frequency * cos(turned);
  return off * off * (a->square + a->cube * off) + a->height + a->wave * sin(turned);
}

/* where the function, or its rate, rises through zero between two times */
static double rises_at(const armed *a, double below, double above, bool turning) {
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (below + above);
    double rate;
    const double value = value_at(a, middle, &rate);
    *((turning ? rate : value) < 0.0 ? &below : &above) = middle;
  }
  return above;
}

/* when it is crossed; *unclear where a hair decides it: it all but turns, or turns on its zero, or
 * is crossed at the end */
static double crossed_at(const armed *a, bool *unclear) {
  enum { PLACES = 4000 };
  const double part = (1.0 - ARMED_AT) / PLACES;
  double rate_before, rate, after, when = NEVER;
  bool is_beyond = true;
  (void)value_at(a, ARMED_AT, &rate_before);
  *unclear = false;
  for (int i = 1; i <= PLACES && when > 1.0; i++, rate_before = rate) {
    const double t = ARMED_AT + part * i, value = value_at(a, t, &rate);
    double from = t - part;
    (void)value_at(a, t + part, &after);
    *unclear |= is_beyond && rate < 0.0 && rate > -2e-3 && rate >= rate_before && rate >= after;
    if (is_beyond && rate >= 0.0) {
      from = rises_at(a, from, t, true);
      double ignored;
      const double lowest = value_at(a, from, &ignored);
      *unclear |= fabs(lowest) < 1e-9;
      if (lowest >= 0.0) when = from;
      is_beyond = false;
    }
    is_beyond = is_beyond && value >= 0.0;
    if (!is_beyond && value >= 0.0 && when > 1.0) when = rises_at(a, from, t, false);
  }
  *unclear |= fabs(when - 1.0) < 1e-6;
  return when;
}

TEST(guards_armed_beyond_their_zeros_are_crossed_in_time) {
  enum { COUNT = 5000 / RESETS_PART };
  hybrid *const h =
      hybrid_of("square = 1; cube = 0; at = 0; height = 0; wave = 0; frequency = 1; phase = 0\n"
                "x' = 1; a: x - 0.1\n"
                "b: (x - at)^2*(square + cube*(x - at)) + height + wave*sin(frequency*x + phase)\n"
                "row up a: +up b; unarmed both b");
  hybrid_read(h);
  uint64_t seed = 1;
  size_t cases = 0, never = 0;
  for (int i = 0; i < COUNT; i++) {
    const armed a = {
        .square = draw_between(&seed, 0.3, 4.3),
        .cube = draw_between(&seed, -3.0, 3.0),
        .at = draw_between(&seed, 0.2, 0.9),
        .height = draw_between(&seed, -0.5, 0.5) * pow(10.0, draw_between(&seed, -4.0, 0.0)),
        .wave = draw(&seed) < 0.2 ? 0.0 : 0.3 * pow(10.0, draw_between(&seed, -6.0, 0.0)),
        .frequency = draw_between(&seed, 2.0, 42.0),
        .phase = draw_between(&seed, 0.0, 6.283)};
    double rate;
    bool unclear;
    if (value_at(&a, ARMED_AT, &rate) < 1e-6 || rate > -1e-3) continue;
    const double when = crossed_at(&a, &unclear);
    if (unclear) continue;
    memcpy(h->parameter, &a, sizeof a); // in their order
    hybrid_plan plan = {.options = ess_options_default(),
                        .gives = i % 2 ? 1u << HYBRID_GUARD_JACOBIAN : HYBRID_GIVES_NONE};
    plan.options.h_init = 1.0; // one step is to span all of it
    const hybrid_end end = hybrid_run(h, &plan);
    assert_int_equal(end.status, ESS_SUCCESS);
    assert_in_range(end.log.count, 1, 2);
    const double found = end.log.count > 1 ? end.log.record[1].t : NEVER;
    if (!(fabs(found - when) < 1e-8))
      fail_msg("case %d is crossed at %.12g, not at %.12g", i, found, when);
    cases++;
    never += when == NEVER;
  }
  hybrid_free(h);
  assert_true(cases > COUNT / 2 && never > cases / 100);
}
