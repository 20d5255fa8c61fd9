/*
 * What holds of any run by the default method: observers that stop, runs in parts, samples, and the
 * same numbers again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hostile.h"

enum { SPRINGS = 40, PARTS = 1000, EVENTS = 8 * SPRINGS };

static const double end = 4.7; /* twice down and up again */
static const double tolerances[] = {1e-3, 1e-6, 1e-9};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

static bed springs;

/* crossings as told, and which is to be the last */
typedef struct diary {
  size_t count, steps, stop; /* stop 0: never */
  size_t guard[EVENTS];
  double t[EVENTS], x[EVENTS][2], sign[EVENTS][SPRINGS], last_time;
  bool in_order;
} diary;

ON_CROSSING_CODE(note) {
  diary *const seen = context;
  if (info->t < seen->last_time) seen->in_order = false;
  seen->last_time = info->t;
  if (seen->count < EVENTS) {
    seen->guard[seen->count] = info->guard;
    seen->t[seen->count] = info->t;
    memcpy(seen->x[seen->count], info->x, sizeof seen->x[0]);
    memcpy(seen->sign[seen->count], info->sign, sizeof seen->sign[0]);
  }
  return ++seen->count == seen->stop;
}

ON_STEP(note_step) {
  diary *const seen = context;
  if (!(info->t1 >= info->t0 && info->t1 >= seen->last_time)) seen->in_order = false;
  seen->steps++;
}

static ess_observer observer(diary *seen, size_t stop) {
  seen->count = seen->steps = 0;
  seen->stop = stop;
  seen->last_time = 0.0;
  seen->in_order = true;
  return (ess_observer){.step = note_step, .crossing = note, .context = seen};
}

/* where a run is, or ended */
typedef struct place {
  double t, x[2];
} place;

static const place top = {0.0, {1.0, 0.0}};

static ess_driver *driver(const ess_options *options) {
  bed_make(&springs, SPRINGS, 1e-3);
  const ess_system system = bed_system(&springs);
  return hostile_driver(&system, options);
}

static place run_whole(const ess_options *options, ess_counters *counters) {
  ess_driver *const d = driver(options);
  place p = top;
  assert_int_equal(ess_driver_apply(d, &p.t, end, p.x), ESS_SUCCESS);
  assert_true(p.t == end);
  if (counters) *counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return p;
}

static double apart(const place *a, const place *b) {
  return fmax(fabs(a->x[0] - b->x[0]), fabs(a->x[1] - b->x[1]));
}

/* ---- observers ------------------------------------------------------------------------------- */

/* Outcome: ESS_ESTOP leaves t, x and signs at the crossing that was told last; going on from there
 * tells of the others, and ends where a run without a stop does. */
static void check_stop(double tolerance, size_t stop, size_t all, const place *whole) {
  static diary seen;
  ess_options options = toy_options(tolerance);
  options.observer = observer(&seen, stop);
  ess_driver *const d = driver(&options);
  place p = top;
  const int status = ess_driver_apply(d, &p.t, end, p.x);
  assert_int_equal(status, ESS_ESTOP);
  assert_int_equal(ess_driver_failure(d)->status, ESS_ESTOP);
  assert_int_equal(seen.count, stop);
  assert_true(seen.in_order);
  assert_true(p.t == seen.t[stop - 1]);
  assert_memory_equal(p.x, seen.x[stop - 1], sizeof p.x);
  assert_memory_equal(ess_driver_sign(d), seen.sign[stop - 1], sizeof seen.sign[0]);
  assert_int_equal(ess_driver_apply(d, &p.t, end, p.x), ESS_SUCCESS);
  assert_true(seen.in_order);
  assert_int_equal(seen.count, all);
  if (!(apart(&p, whole) <= 30.0 * tolerance))
    fail_msg("stopped at %zu, at %g: off by %g", stop, tolerance, apart(&p, whole));
  ess_driver_free(d);
}

TEST(a_stop_at_each_crossing) {
  static diary seen;
  for (size_t i = 0; i < TOLERANCES; i++) {
    ess_options options = toy_options(tolerances[i]);
    options.observer = observer(&seen, 0);
    const place whole = run_whole(&options, NULL);
    assert_true(seen.in_order);
    assert_int_equal(seen.count, 4 * SPRINGS);
    const size_t all = seen.count;
    for (size_t stop = 1; stop <= all; stop++) check_stop(tolerances[i], stop, all, &whole);
  }
}

/* each crossing as told: the state on the guard, its sign that of the direction */
TEST(what_crossings_tell) {
  static diary seen;
  for (size_t i = 0; i < TOLERANCES; i++) {
    ess_options options = toy_options(tolerances[i]);
    options.observer = observer(&seen, 0);
    run_whole(&options, NULL);
    for (size_t e = 0; e < seen.count; e++) {
      const size_t k = seen.guard[e];
      assert_true(fabs(springs.level[k] - seen.x[e][0]) <= 30.0 * tolerances[i]);
      assert_true(seen.sign[e][k] == (seen.x[e][1] < 0.0 ? 1.0 : -1.0));
    }
  }
}

TEST(watching_changes_nothing) {
  static diary seen;
  for (size_t i = 0; i < TOLERANCES; i++) {
    ess_options options = toy_options(tolerances[i]);
    ess_counters alone, again, watched;
    const place a = run_whole(&options, &alone), b = run_whole(&options, &again);
    options.observer = observer(&seen, 0);
    const place c = run_whole(&options, &watched);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &c, sizeof a);
    assert_memory_equal(&alone, &again, sizeof alone);
    assert_memory_equal(&alone, &watched, sizeof alone);
    assert_int_equal(seen.count, alone.crossings);
  }
}

/* ---- parts and samples ----------------------------------------------------------------------- */

TEST(in_parts) {
  for (size_t i = 0; i < TOLERANCES; i++) {
    const ess_options options = toy_options(tolerances[i]);
    ess_counters counters;
    const place whole = run_whole(&options, &counters);
    for (size_t parts = 2; parts <= PARTS; parts = 5 * parts + 3) {
      ess_driver *const d = driver(&options);
      place p = top;
      for (size_t j = 1; j <= parts; j++)
        assert_int_equal(ess_driver_apply(d, &p.t, end * (double)j / (double)parts, p.x),
                         ESS_SUCCESS);
      if (!(apart(&p, &whole) <= 30.0 * tolerances[i]))
        fail_msg("%zu parts at %g: off by %g", parts, tolerances[i], apart(&p, &whole));
      assert_int_equal(ess_driver_counters(d)->crossings, counters.crossings);
      ess_driver_free(d);
    }
  }
}

TEST(samples_change_nothing) {
  static double times[PARTS + 1], states[2 * (PARTS + 1)];
  for (size_t j = 0; j <= PARTS; j++) times[j] = end * (double)j / PARTS;
  for (size_t i = 0; i < TOLERANCES; i++) {
    const ess_options options = toy_options(tolerances[i]);
    ess_counters counters;
    const place whole = run_whole(&options, &counters);
    ess_driver *const d = driver(&options);
    place p = top;
    assert_int_equal(ess_driver_sample(d, &p.t, end, p.x, times, PARTS + 1, states), ESS_SUCCESS);
    assert_memory_equal(&p, &whole, sizeof p);
    assert_memory_equal(&counters, ess_driver_counters(d), sizeof counters);
    assert_memory_equal(&states[2 * PARTS], whole.x, sizeof whole.x);
    ess_driver_free(d);
    for (size_t j = 0; j <= PARTS; j++) {
      const double off = fabs(bed_energy(&springs, &states[2 * j]) - 2.0);
      if (!(off <= 300.0 * tolerances[i]))
        fail_msg("sample at %g, at %g: energy off by %g", times[j], tolerances[i], off);
    }
  }
}
