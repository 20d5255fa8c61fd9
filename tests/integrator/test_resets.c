/*
 * The guard reset matrix: which guards a crossing arms and disarms, what it says of it, and how it
 * starts. Silent guards are in test_silent.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"
#include "matrix.h"

/* ---- built in and given ---------------------------------------------------------------------- */

/* balls that bounce; `given` NULL: mirrored pairs; returns the counters, the trace and the end
 */
static ess_counters bounce(size_t count, bool one_way, const ess_reset_matrix *given,
                           balls_trace *trace, double x[]) {
  balls b = balls_of(count, count);
  ess_system system = balls_system(&b);
  system.one_way = one_way;
  system.resets = given;
  ess_options options = ess_options_paper();
  options.observer = balls_observer(&b, trace);
  options.h_max = 0.05;
  balls_drop(&b, 0.3, 0.7, x);
  return toy_succeeds(&system, &options, 0.0, 3.0, x).counters;
}

TEST(without_a_matrix_the_system_has_mirrored_pairs) {
  static const size_t counts[] = {1, 3, 16, 17};
  for (size_t i = 0; i < 8; i++) {
    const size_t count = counts[i / 2];
    const bool one_way = i % 2;
    matrix r = matrix_begin(count);
    if (!one_way) matrix_add_mirror(&r);
    balls_trace built, explicit;
    double x[2 * 17], y[2 * 17];
    const ess_counters a = bounce(count, one_way, NULL, &built, x);
    const ess_counters b = bounce(count, one_way, matrix_end(&r), &explicit, y);
    assert_true(built.crossings > 0 && built.hash == explicit.hash);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(x, y, 2 * count * sizeof *x);
    matrix_free(&r);
  }
}

/* ---- a point on a track ---------------------------------------------------------------------- */

/* unit speed in x0 past guards h_k = x0 - place_k; x1' counts the positive signs of those that
 * matter, so that the end tells of every mode on the way. What mode_changed is told is kept. */
enum { TRACK_MAX = 8, TRACK_TOLD = 64 };

typedef struct track {
  size_t count;
  double place[TRACK_MAX];
  bool no_matter[TRACK_MAX];
  size_t told_count, told[TRACK_TOLD];
  double sign[TRACK_MAX];
  size_t starts;
  int start_code;
  bool clear[2 * TRACK_MAX]; /* what `start` clears */
} track;

FIELD(track_field) {
  const track *const r = params;
  // told of every change before
  assert_memory_equal(sign, r->sign, r->count * sizeof *sign);
  dxdt[0] = 1.0;
  dxdt[1] = 0.0;
  for (size_t k = 0; k < r->count; k++) dxdt[1] += sign[k] > 0.0 && !r->no_matter[k];
}

PLANES_EACH(track, 2, AS(track)->count, x[0], AS(track)->place[k]);

MODE_CHANGED(track_told) {
  track *const r = params;
  if (guard < r->count) {
    // one sign, and this one
    for (size_t k = 0; k < r->count; k++) assert_true((sign[k] != r->sign[k]) == (k == guard));
    if (r->told_count < TRACK_TOLD) r->told[r->told_count] = guard;
    r->told_count++;
  }
  memcpy(r->sign, sign, r->count * sizeof *sign);
}

ARMED_AT_START_CODE(track_start) {
  track *const r = params;
  r->starts++;
  for (size_t k = 0; k < r->count; k++) {
    assert_true(armed[ESS_GUARD_UP(k)] == (sign[k] < 0.0));
    assert_true(armed[ESS_GUARD_DOWN(k)] == (sign[k] > 0.0));
  }
  for (size_t j = 0; j < 2 * r->count; j++) armed[j] = armed[j] && !r->clear[j];
  return r->start_code;
}

static ess_system track_system(track *r) {
  return (ess_system){.dimension = 2,
                      .guard_count = r->count,
                      OF_RATES(track),
                      .mode_changed = track_told,
                      .params = r};
}

/* the matrix is freed once the driver has it */
static ess_driver *track_driver(track *r, matrix *m, toy_log *log) {
  ess_system system = track_system(r);
  matrix_end(m);
  m->resets.start = track_start;
  system.resets = &m->resets;
  ess_options options = ess_options_paper();
  options.epsilon = 0.01;
  options.observer = toy_observer(log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  matrix_free(m);
  memset(&m->resets, 0xff, sizeof m->resets);
  assert_non_null(d);
  return d;
}

/* from 0 to 1 */
static toy_end track_run(track *r, matrix *m, toy_log *log, double x[2]) {
  x[0] = x[1] = 0.0;
  return toy_go(track_driver(r, m, log), r->count, 0.0, 1.0, x);
}

TEST(a_row_latches_signs_and_says_so_in_order) {
  track r = {.count = 4, .place = {0.5, 2.0, 3.0, 0.7}};
  matrix m = matrix_begin(4);
  // what lies ahead unarmed is armed without a change of mode; what lies behind changes it; then
  // everything once more in one row
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_DOWN(2), 1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(3), 1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_DOWN(1), 1);
  matrix_add(&m, ESS_GUARD_UP(3), ESS_GUARD_UP(1), 1);
  matrix_add(&m, ESS_GUARD_UP(3), ESS_GUARD_DOWN(1), 1);
  matrix_add(&m, ESS_GUARD_UP(3), ESS_GUARD_UP(2), 1);
  toy_log log;
  double x[2];
  const toy_end end = toy_succeeded(track_run(&r, &m, &log, x));
  static const size_t told[] = {0, 2, 1, 3, 1, 1, 2};
  assert_int_equal(r.told_count, sizeof told / sizeof *told);
  assert_memory_equal(r.told, told, sizeof told);
  static const double last[] = {1.0, 1.0, -1.0, 1.0};
  assert_memory_equal(end.sign, last, sizeof last);
  assert_true(log.count == 2 && log.guard[0] == 0 && log.guard[1] == 3);
  // 0.2 in the mode of three positive signs, then 0.3 in that of three others
  assert_true(fabs(x[1] - 0.5 * 3.0) < 1e-9);
}

TEST(a_disarmed_guard_is_not_crossed) {
  track r = {.count = 4, .place = {0.2, 0.4, 0.2005, 0.6}};
  matrix m = matrix_begin(4);
  // 2 lies within the same neighbourhood; a guard that is not armed, or disarmed twice, is left
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(1), -1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(2), -1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(2), -1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_DOWN(3), -1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_DOWN(0), -1);
  toy_log log;
  double x[2];
  const toy_end end = toy_succeeded(track_run(&r, &m, &log, x));
  assert_true(log.count == 2 && log.guard[0] == 0 && log.guard[1] == 3);
  assert_true(end.sign[1] == -1.0 && end.sign[2] == -1.0);
}

/* disarmed by one and armed again by the next, before it is reached and after */
TEST(a_guard_armed_again_is_crossed) {
  for (int late = 0; late < 2; late++) {
    track r = {.count = 3, .place = {0.2, late ? 0.8 : 0.4, 0.6}};
    matrix m = matrix_begin(3);
    matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(2), -1);
    matrix_add(&m, ESS_GUARD_UP(1), ESS_GUARD_UP(2), 1);
    toy_log log;
    double x[2];
    toy_succeeded(track_run(&r, &m, &log, x));
    assert_true(log.count == 3 && log.guard[2] == 2);
    assert_true(fabs(log.time[2] - (late ? 0.8 : 0.6)) < 1e-9);
  }
}

/* ---- the row of the empty pool --------------------------------------------------------------- */

TEST(the_last_row_refills_an_empty_pool) {
  track r = {.count = 4, .place = {0.2, 0.4, 0.6, 0.8}};
  matrix m = matrix_begin(4);
  // 0 alone is armed at first; crossing it leaves none; 1 and 3 come back, 2 is not named, 0 is
  // behind; a disarming entry means nothing here
  for (size_t k = 1; k < 4; k++) r.clear[ESS_GUARD_UP(k)] = true;
  matrix_add(&m, m.guards, ESS_GUARD_UP(0), 1);
  matrix_add(&m, m.guards, ESS_GUARD_UP(1), 1);
  matrix_add(&m, m.guards, ESS_GUARD_UP(1), -1);
  matrix_add(&m, m.guards, ESS_GUARD_UP(3), 1);
  toy_log log;
  ess_system system = track_system(&r);
  matrix_end(&m);
  m.resets.start = track_start;
  system.resets = &m.resets;
  ess_options options = ess_options_paper();
  options.h_max = 0.05;
  options.epsilon = 1e-3;
  options.observer = toy_observer(&log);
  double x[2] = {0.0, 0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
  matrix_free(&m);
  assert_true(log.count == 3 && log.guard[0] == 0 && log.guard[1] == 1 && log.guard[2] == 3);
  assert_true(end.sign[2] == -1.0);
}

/* nothing is armed at the start and no row arms anything: no guard is ever watched */
TEST(an_empty_matrix_and_an_empty_start) {
  track r = {.count = 2, .place = {0.2, 0.4}};
  memset(r.clear, true, sizeof r.clear);
  matrix m = matrix_begin(2);
  toy_log log;
  double x[2];
  toy_succeeded(track_run(&r, &m, &log, x));
  assert_true(log.count == 0 && fabs(x[0] - 1.0) < 1e-12 && x[1] == 0.0);
}

/* crossed upward, and latched back by its own row: it is told of as it was crossed, each time */
TEST(a_crossing_that_its_row_latches_back_was_upward) {
  for (int paper = 0; paper < 2; paper++) {
    track r = {.count = 1, .place = {0.25}};
    matrix m = matrix_begin(1);
    matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(0), 1);
    matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(0), -1);
    ess_system system = track_system(&r);
    system.resets = matrix_end(&m);
    ess_options options = paper ? ess_options_paper() : ess_options_default();
    toy_log log;
    options.observer = toy_observer(&log);
    double x[2] = {0.0, 0.0};
    const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
    assert_true(log.count == 1 && log.direction[0] == 1 && x[1] == 0.0);
    assert_true(end.sign[0] == -1.0);
    matrix_free(&m);
  }
}

/* ---- the start ------------------------------------------------------------------------------- */

TEST(start_is_called_once_for_each_latch) {
  track r = {.count = 2, .place = {0.25, 0.75}};
  matrix m = matrix_begin(2);
  toy_log log;
  ess_driver *const d = track_driver(&r, &m, &log);
  double x[2] = {0.0, 0.0}, t = 0.0;
  assert_int_equal(r.starts, 0);
  for (int i = 1; i <= 10; i++) assert_int_equal(ess_driver_apply(d, &t, 0.1 * i, x), ESS_SUCCESS);
  assert_int_equal(r.starts, 1);
  assert_int_equal(log.count, 2);
  ess_driver_reset(d);
  t = x[0] = 0.0;
  r.clear[ESS_GUARD_UP(1)] = true;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(r.starts, 2);
  assert_int_equal(log.count, 3);
  ess_driver_free(d);
}

TEST(a_start_that_fails_stops_the_run) {
  track r = {.count = 2, .place = {0.25, 0.75}, .start_code = -7};
  matrix m = matrix_begin(2);
  toy_log log;
  ess_driver *const d = track_driver(&r, &m, &log);
  double x[2] = {0.0, 3.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_ECALLBACK);
  const ess_failure *const failure = ess_driver_failure(d);
  assert_int_equal(failure->callback_code, -7);
  assert_true(failure->guard == SIZE_MAX && failure->time == 0.0);
  assert_true(t == 0.0 && x[0] == 0.0 && x[1] == 3.0);
  // it is asked again
  r.start_code = 0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(r.starts, 2);
  assert_int_equal(log.count, 2);
  ess_driver_free(d);
}

/* a start within neighbourhoods, on a guard, and beyond all */
TEST(start_sees_the_side_of_every_guard) {
  for (double from = -0.5; from < 1.0; from += 0.125) {
    track r = {.count = 4, .place = {-0.5, 0.0, 0.005, 0.5}};
    matrix m = matrix_begin(4);
    toy_log log;
    ess_driver *const d = track_driver(&r, &m, &log);
    double x[2] = {from, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
    // on the guard itself, the field has taken it across already
    size_t ahead = 0;
    for (size_t k = 0; k < 4; k++) ahead += r.place[k] > from;
    assert_int_equal(log.count, ahead);
    ess_driver_free(d);
  }
}

/* ---- random matrices against a machine that does nothing else -------------------------------- */

enum { RANDOM_MATRICES = 2000 };

typedef struct machine {
  const track *r;
  size_t count, events, event[256], silent, stalled;
  double sign[TRACK_MAX], now, sum; /* sum: x1 */
  bool up[TRACK_MAX];               /* armed; down guards are never reached */
} machine;

/* what ess.h says of one crossing */
static void machine_cross(machine *s, const matrix *m, size_t k) {
  s->up[k] = false;
  s->sign[k] = 1.0;
  const size_t row = ESS_GUARD_UP(k);
  for (size_t i = m->row_start[row]; i < m->row_start[row + 1]; i++) {
    const size_t other = m->guard[i] / 2;
    const bool up = m->guard[i] % 2 == 0;
    if (m->effect[i] > 0) {
      s->sign[other] = up ? -1.0 : 1.0;
      s->up[other] = up;
    } else if (up) {
      s->up[other] = false;
    }
  }
}

/* runs to 1; false when it crosses more often at one place than libess allows for */
static bool machine_run(machine *s, const matrix *m) {
  for (;;) {
    size_t first = SIZE_MAX;
    double soonest = INFINITY;
    for (size_t k = 0; k < s->count; k++) {
      const double at = fmax(s->r->place[k], s->now);
      if (!s->up[k] || at >= soonest) continue;
      soonest = at;
      first = k;
    }
    const double until = fmin(soonest, 1.0);
    for (size_t k = 0; k < s->count; k++)
      if (s->sign[k] > 0.0 && !s->r->no_matter[k]) s->sum += until - s->now;
    s->stalled = until > s->now ? 1 : s->stalled + 1;
    s->now = until;
    if (soonest > 1.0) return true;
    if (s->stalled > 2 * s->count + 16 || s->events == 256) return false;
    if (m->silent[ESS_GUARD_UP(first)])
      s->silent++;
    else
      s->event[s->events++] = first;
    machine_cross(s, m, first);
  }
}

static uint64_t draw_state = 1;

static size_t draw(size_t below) {
  draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (size_t)(draw_state >> 33) % below;
}

/* places a thousandth apart at least, in any order; entries that name any guard. Some guards do not
 * matter, and some of those are silent, which then arm only what does not matter either. */
static matrix draw_matrix(track *r, bool silent_ones) {
  r->count = 1 + draw(TRACK_MAX);
  matrix m = matrix_begin(r->count);
  for (size_t k = 0; k < r->count; k++) {
    r->place[k] = 0.001 * (double)(1 + draw(99) * TRACK_MAX + k) + 0.05;
    r->no_matter[k] = silent_ones && draw(3) > 0;
    m.silent[ESS_GUARD_UP(k)] = r->no_matter[k] && draw(3) > 0;
  }
  for (size_t j = 0; j < m.guards; j++)
    for (size_t i = draw(4); i > 0; i--) {
      const size_t guard = draw(m.guards);
      const bool arms = draw(2) && (!m.silent[j] || r->no_matter[guard / 2]);
      matrix_add(&m, j, guard, arms ? 1 : -1);
    }
  matrix_end(&m);
  return m;
}

static machine machine_of(const track *r) {
  machine s = {.r = r, .count = r->count};
  for (size_t k = 0; k < r->count; k++) {
    s.sign[k] = -1.0;
    s.up[k] = true;
  }
  return s;
}

/* runs libess as the machine ran; whether both came to an end */
static void follow(track *r, const matrix *m, const machine *s, bool ends, unsigned variant) {
  static const double epsilons[] = {1e-6, 0.01, 0.2};
  ess_system system = track_system(r);
  system.resets = &m->resets;
  toy_log log;
  ess_options options = ess_options_paper();
  options.epsilon = epsilons[variant % 3];
  options.order = 1 + (int)(variant / 3 % 2);
  options.observer = toy_observer(&log);
  double x[2] = {0.0, 0.0};
  const toy_end made = toy_run(&system, &options, 0.0, 1.0, x);
  assert_int_equal(made.status, ends ? ESS_SUCCESS : ESS_ECHATTER);
  assert_int_equal(made.counters.crossings, log.count);
  for (size_t e = 0; e < s->events && e < log.count && e < TOY_EVENTS; e++)
    assert_int_equal(log.guard[e], s->event[e]);
  if (ends) {
    assert_int_equal(log.count, s->events);
    assert_int_equal(made.counters.silent, s->silent);
    assert_true(fabs(x[1] - s->sum) < 1e-7);
    assert_memory_equal(made.sign, s->sign, r->count * sizeof *s->sign);
  }
}

static void random_matrices(bool silent_ones) {
  size_t chatter = 0, crossings = 0, silent = 0;
  for (unsigned i = 0; i < RANDOM_MATRICES; i++) {
    track r = {0};
    matrix m = draw_matrix(&r, silent_ones);
    machine s = machine_of(&r);
    const bool ends = machine_run(&s, &m);
    follow(&r, &m, &s, ends, i);
    crossings += s.events;
    silent += s.silent;
    chatter += !ends;
    matrix_free(&m);
  }
  // all kinds are many
  assert_true(chatter > 100 && chatter < RANDOM_MATRICES / 2 && crossings > RANDOM_MATRICES);
  assert_true(silent_ones ? silent > RANDOM_MATRICES : silent == 0);
}

TEST_OF(random_matrices_do_what_they_say, random_matrices(false));
TEST_OF(so_do_those_with_silent_guards, random_matrices(true));
