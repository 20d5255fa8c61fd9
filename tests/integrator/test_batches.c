/*
 * Guards that lie in each other's neighbourhoods: each is crossed once, in order, by a projection
 * of its own, and silent ones on the way.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lanes.h"
#include "matrix.h"

/* ---- a few guards along a track -------------------------------------------------------------- */

/* neighbourhoods of everything */
static ess_options wide(toy_log *log) {
  ess_options options = ess_options_paper();
  options.epsilon = 10.0;
  options.observer = toy_observer(log);
  return options;
}

static const lanes five = {
    .count = 5, .offset = {0.5, 0.52, 0.54, 0.56, 0.58}, .jump = {1.0, 1.0, 1.0, 1.0, 1.0}};

/* The second guard at one place is on its zero at the end, where no time is left to look for others
 * in; the third has a value and a rate that are too large for their sum, so that the short list of
 * the nearest is not used. */
TEST(the_first_is_projected_onto_where_no_time_is_left) {
  for (int order = 1; order <= 2; order++) {
    lanes l = {.count = 3, .offset = {0.5, 0.5, 1.5e308}, .scale = {1.0, 1.0, 1.2e308}};
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = wide(&log);
    options.order = order;
    double x[2] = {0.25, 0.0};
    const toy_end end = toy_succeeds(&system, &options, 0.0, 0.25, x);
    assert_true(log.count == 2 && log.guard[0] == 0 && log.guard[1] == 1 && end.t == 0.25);
  }
}

TEST(crossings_at_one_time_are_told_of_by_index) {
  lanes l = {.count = 6, .offset = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}};
  const ess_system system = lanes_system(&l);
  toy_log log;
  const ess_options options = wide(&log);
  double x[2] = {0.0, 0.0};
  toy_succeeds(&system, &options, 0.0, 1.0, x);
  for (size_t k = 0; k < 6; k++) assert_int_equal(log.guard[k], k);
}

/* ---- the end of a run ------------------------------------------------------------------------ */

TEST(none_is_made_past_the_end) {
  for (double end = 0.505; end < 0.6; end += 0.01)
    for (int order = 1; order <= 2; order++) {
      lanes l = five;
      const ess_system system = lanes_system(&l);
      toy_log log;
      ess_options options = wide(&log);
      options.order = order;
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double x[2] = {0.0, 0.0}, t = 0.0;
      assert_int_equal(ess_driver_apply(d, &t, end, x), ESS_SUCCESS);
      size_t before = 0;
      for (size_t k = 0; k < 5; k++) before += l.offset[k] <= end;
      assert_true(t == end && log.count == before);
      assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
      assert_int_equal(log.count, 5);
      for (size_t k = 0; k < 5; k++) assert_int_equal(log.guard[k], k);
      assert_true(fabs(x[1] - 5.0 * 0.46) < 1e-12);
      ess_driver_free(d);
    }
}

/* the last of them lies at the end itself */
TEST(they_may_end_at_the_end) {
  for (size_t last = 0; last < 5; last++) {
    lanes l = five;
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = wide(&log);
    double x[2] = {0.0, 0.0};
    toy_succeeds(&system, &options, 0.0, l.offset[last], x);
    assert_int_equal(log.count, last + 1);
  }
}

/* ---- crossings that concern one another ------------------------------------------------------ */

/* runs `five` under a matrix and lists the crossings */
static void run_matrix(matrix *m, toy_log *log, ess_counters *counters) {
  lanes l = five;
  ess_system system = lanes_system(&l);
  system.resets = matrix_end(m);
  const ess_options options = wide(log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  matrix_free(m);
  double x[2] = {0.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  *counters = *ess_driver_counters(d);
  ess_driver_free(d);
}

TEST(one_may_disarm_another) {
  toy_log log;
  ess_counters c;
  matrix m = matrix_begin(5);
  // those still to come are not crossed then; those crossed already were
  matrix_add(&m, ESS_GUARD_UP(1), ESS_GUARD_UP(2), -1);
  matrix_add(&m, ESS_GUARD_UP(1), ESS_GUARD_UP(0), -1);
  matrix_add(&m, ESS_GUARD_UP(2), ESS_GUARD_UP(4), -1);
  matrix_add(&m, ESS_GUARD_UP(3), ESS_GUARD_UP(1), -1);
  run_matrix(&m, &log, &c);
  static const size_t order[] = {0, 1, 3, 4};
  assert_int_equal(log.count, 4);
  assert_memory_equal(log.guard, order, sizeof order);
  assert_int_equal(c.projections, 4);
}

TEST(one_may_turn_another_round_or_arm_it_again) {
  toy_log log;
  ess_counters c;
  matrix m = matrix_begin(5);
  // 1 is now to be crossed from the other side, which the state recedes from; 2 is armed as before;
  // 3 arms 0 again, which lies behind: it is crossed at once, once more, and then 2
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_DOWN(1), 1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(2), -1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(2), 1);
  matrix_add(&m, ESS_GUARD_UP(3), ESS_GUARD_UP(0), 1);
  run_matrix(&m, &log, &c);
  static const size_t order[] = {0, 2, 3, 0, 2, 4};
  assert_int_equal(log.count, 6);
  assert_memory_equal(log.guard, order, sizeof order);
  assert_true(log.time[3] == log.time[2] && log.time[4] == log.time[2]);
}

TEST(silent_ones_among_them_take_their_turn) {
  for (size_t silent = 0; silent < 5; silent++) {
    toy_log log;
    ess_counters c;
    matrix m = matrix_begin(5);
    m.silent[ESS_GUARD_UP(silent)] = true;
    // disarms all others: those before it are made, those behind it are not
    for (size_t k = 0; k < 5; k++)
      if (k != silent) matrix_add(&m, ESS_GUARD_UP(silent), ESS_GUARD_UP(k), -1);
    run_matrix(&m, &log, &c);
    assert_true(c.silent == 1 && log.count == silent && c.crossings == silent);
    for (size_t k = 0; k < log.count; k++) assert_int_equal(log.guard[k], k);
  }
}

/* ---- the field, which each of them changes --------------------------------------------------- */

/* lanes whose field counts its calls, by how many guards are crossed: all of them, and those at the
 * time of the first */
typedef struct watched {
  lanes l;
  size_t calls[LANES_MAX + 1], at_first[LANES_MAX + 1], total;
  double first[LANES_MAX + 1];
} watched;

FIELD_CODE(watched_field) {
  watched *const w = params;
  size_t crossed = 0;
  for (size_t k = 0; k < w->l.count; k++) crossed += sign[k] > 0.0;
  if (!w->calls[crossed]++) w->first[crossed] = t;
  w->at_first[crossed] += t == w->first[crossed];
  w->total++;
  return lanes_field(t, x, sign, dxdt, &w->l);
}

static ess_system watched_system(watched *w) {
  ess_system system = lanes_system(&w->l);
  system.field = watched_field;
  return system;
}

/* runs lanes to t = 1 and counts evaluations */
static void run_watched(watched *w, const lanes *l, matrix *m, const ess_options *options,
                        ess_counters *counters) {
  *w = (watched){.l = *l};
  ess_system system = watched_system(w);
  if (m) system.resets = matrix_end(m);
  double x[2] = {0.0, 0.0};
  const toy_end end = toy_succeeds(&system, options, 0.0, 1.0, x);
  *counters = end.counters;
  assert_int_equal(counters->field_evaluations, w->total);
  if (m) matrix_free(m);
}

/* a crossing costs the new node's evaluation, and at order 2 the one half-way there */
TEST(one_evaluation_for_each_order) {
  for (int order = 1; order <= 2; order++) {
    watched w;
    toy_log log;
    ess_counters c;
    ess_options options = wide(&log);
    options.order = order;
    run_watched(&w, &five, NULL, &options, &c);
    assert_true(c.projections == 5 && c.crossings == 5);
    for (size_t j = 1; j <= 5; j++) {
      assert_int_equal(w.at_first[j], 1);
      assert_true(fabs(w.first[j] - five.offset[j - 1]) < 1e-12);
    }
    // each later one has its own half-way evaluation, in the mode before it
    for (size_t j = 1; j < 5; j++) assert_int_equal(w.calls[j], options.order);
  }
}

/* silent guards change no field: the four before the one that is not cost nothing */
TEST(none_for_silent_ones) {
  for (int order = 1; order <= 2; order++) {
    watched w;
    toy_log log;
    ess_counters c;
    ess_options options = wide(&log);
    options.order = order;
    matrix m = matrix_begin(5);
    for (size_t k = 0; k < 4; k++) m.silent[ESS_GUARD_UP(k)] = true;
    run_watched(&w, &five, &m, &options, &c);
    assert_true(c.projections == 1 && c.crossings == 1 && c.silent == 4);
    assert_true(w.at_first[5] == 1 && w.calls[0] == (size_t)order);
    for (size_t j = 1; j < 5; j++) assert_int_equal(w.calls[j], 0);
  }
}

/* ---- guards at odds -------------------------------------------------------------------------- */

/* x1 is thrown back at guard 0, x1 = 0, and guard 1 lies there too: nothing moves on */
FIELD(at_odds_field) {
  dxdt[0] = 0.0;
  dxdt[1] = sign[0] > 0.0 ? -1.0 : 1.0;
}

TEST(guards_at_odds_end_the_run) {
  for (int order = 1; order <= 2; order++) {
    lanes l = {.count = 2, .offset = {0.0, 0.0}, .scale = {1e-300, 1e-300}, .slope = {1.0, 1.0}};
    ess_system system = lanes_system(&l);
    system.field = at_odds_field;
    toy_log log;
    ess_options options = wide(&log);
    options.order = order;
    double x[2] = {0.0, -0.25};
    const toy_end end = toy_run(&system, &options, 0.0, 3.0, x);
    assert_true(end.status == ESS_ECHATTER || end.status == ESS_ESLIDING);
    assert_true(fabs(end.t - 0.25) < 1e-9 && fabs(x[1]) < 1e-9 && end.failure.guard < 2);
    // as often as is let pass for progress
    assert_in_range(log.count, 0, 2 * 2 + 17);
  }
}
