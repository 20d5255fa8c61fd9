/*
 * Crossings made together in one projection: which they are, that each is made and told of once and
 * in order, and how a run may end among them. Their error is in test_together.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"
#include "lanes.h"
#include "matrix.h"

/* ---- hundreds of balls ----------------------------------------------------------------------- */

enum { MANY = 200 };

/* every ball's touch-down, as it was told of */
typedef struct told {
  size_t count, guard[MANY], distinct;
  double time[MANY];
} told;

static int hear(const ess_crossing_info *info, void *context) {
  told *const t = context;
  assert_in_range(t->count, 0, MANY - 1);
  assert_int_equal(info->direction, 1);
  t->distinct += !t->count || info->t > t->time[t->count - 1];
  t->guard[t->count] = info->guard;
  t->time[t->count++] = info->t;
  return 0;
}

/* all fall at one speed: the lower one is the first, whatever the projection */
static void check_told(const told *t, const double x0[], double together) {
  bool heard[MANY] = {false};
  assert_int_equal(t->count, MANY);
  for (size_t i = 0; i < MANY; i++) {
    assert_false(heard[t->guard[i]]);
    heard[t->guard[i]] = true;
    // at the mean of times that lie within `together`, and off by what projection is
    assert_true(fabs(t->time[i] - sqrt(x0[2 * t->guard[i]])) < 1.01 * together + 1e-4);
    if (!i) continue;
    assert_true(t->time[i] >= t->time[i - 1]);
    assert_true(x0[2 * t->guard[i]] > x0[2 * t->guard[i - 1]]);
  }
}

static void each_is_told_of_once_and_in_order(void **state) {
  (void)state;
  size_t before = MANY + 1;
  for (double together = 1e-6; together < 0.02; together *= 10.0)
    for (int order = 1; order <= 2; order++) {
      balls b = balls_of(MANY, MANY);
      const ess_system system = balls_system(&b);
      told t = {0};
      ess_options options = ess_options_paper();
      options.epsilon = 0.01;
      options.order = order;
      options.together = together;
      options.observer = (ess_observer){.crossing = hear, .context = &t};
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double x0[2 * MANY], x[2 * MANY], now = 0.0;
      balls_drop(&b, 1.0, 0.02, x0);
      memcpy(x, x0, sizeof x);
      assert_int_equal(ess_driver_apply(d, &now, 1.1, x), ESS_SUCCESS);
      check_told(&t, x0, together);
      assert_int_equal(ess_driver_counters(d)->projections, t.distinct);
      assert_int_equal(ess_driver_counters(d)->crossings, MANY);
      if (order == 1) assert_true(t.distinct <= before);
      if (order == 1) before = t.distinct;
      ess_driver_free(d);
    }
  // all in a few
  assert_in_range(before, 1, 5);
}

static void a_time_below_every_gap_changes_nothing(void **state) {
  (void)state;
  balls b = balls_of(17, 17);
  const ess_system system = balls_system(&b);
  for (int order = 1; order <= 2; order++) {
    balls_trace trace[2];
    ess_counters counters[2];
    for (int i = 0; i < 2; i++) {
      ess_options options = ess_options_paper();
      options.order = order;
      options.epsilon = 0.05;
      options.together = i ? 1e-9 : 0.0;
      options.observer = balls_observer(&b, &trace[i]);
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double x[34], t = 0.0;
      balls_drop(&b, 0.3, 0.3, x);
      assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
      counters[i] = *ess_driver_counters(d);
      ess_driver_free(d);
    }
    assert_true(trace[0].crossings > 34 && trace[0].hash == trace[1].hash);
    assert_memory_equal(&counters[0], &counters[1], sizeof counters[0]);
  }
}

/* ---- a few guards along a track ----------------------------------------------------------------
 */

/* together 0.1 and neighbourhoods of everything unless said otherwise */
static ess_options wide(toy_log *log) {
  ess_options options = ess_options_paper();
  options.epsilon = 10.0;
  options.together = 0.1;
  options.observer = toy_observer(log);
  return options;
}

static const lanes five = {
    .count = 5, .offset = {0.5, 0.52, 0.54, 0.56, 0.58}, .jump = {1.0, 1.0, 1.0, 1.0, 1.0}};

static void one_projection_to_the_mean(void **state) {
  (void)state;
  lanes l = five;
  const ess_system system = lanes_system(&l);
  toy_log log;
  const ess_options options = wide(&log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0, states[6];
  const double times[] = {0.25, 0.54, 1.0};
  assert_int_equal(ess_driver_sample(d, &t, 1.0, x, times, 3, states), ESS_SUCCESS);
  const ess_counters *const c = ess_driver_counters(d);
  assert_true(c->projections == 1 && c->crossings == 5 && log.count == 5);
  for (size_t i = 0; i < 5; i++) assert_true(log.guard[i] == i && fabs(log.time[i] - 0.54) < 1e-12);
  // fields that change alike: the mean is exact
  assert_true(fabs(x[1] - 5.0 * 0.46) < 1e-12);
  assert_true(fabs(states[0] - 0.25) < 1e-12 && states[1] == 0.0 && states[3] == 0.0);
  ess_driver_free(d);
}

static void those_outside_their_neighbourhoods_are_not_among_them(void **state) {
  (void)state;
  lanes l = five;
  const ess_system system = lanes_system(&l);
  const double epsilons[] = {10.0, 0.3, 10.0, 1e-3, 10.0};
  toy_log log;
  ess_options options = wide(&log);
  options.guard_epsilons = epsilons;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0;
  // made from x0 = 0: guards 0, 2, 4 at their mean, 0.54; then 1, which lies behind; 3 by itself
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  static const size_t order[] = {0, 2, 4, 1, 3};
  assert_int_equal(log.count, 5);
  assert_memory_equal(log.guard, order, sizeof order);
  assert_true(fabs(log.time[3] - 0.54) < 1e-12 && fabs(log.time[4] - 0.56) < 1e-12);
  ess_driver_free(d);
}

/* The second guard at one place is on its zero at the end, where no time is left to look for others
 * in; the third has a value and a rate that are too large for their sum, so that the short list of
 * the nearest is not used. */
static void the_first_is_among_them_where_no_time_is_left(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    lanes l = {.count = 3, .offset = {0.5, 0.5, 1.5e308}, .scale = {1.0, 1.0, 1.2e308}};
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = wide(&log);
    options.order = 1 + i % 2;
    options.together = i / 2 ? 0.1 : 0.0;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.25, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 0.25, x), ESS_SUCCESS);
    assert_true(log.count == 2 && log.guard[0] == 0 && log.guard[1] == 1 && t == 0.25);
    ess_driver_free(d);
  }
}

static void crossings_at_one_time_are_told_of_by_index(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    lanes l = {.count = 6, .offset = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}};
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = wide(&log);
    options.together = i ? 0.1 : 0.0;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    for (size_t k = 0; k < 6; k++) assert_int_equal(log.guard[k], k);
    ess_driver_free(d);
  }
}

/* ---- a run that ends among them ----------------------------------------------------------------
 */

static void a_limit_on_crossings_leaves_the_rest_for_later(void **state) {
  (void)state;
  for (uint64_t limit = 1; limit < 5; limit++) {
    lanes l = five;
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = wide(&log);
    options.max_crossings = limit;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_EMAXCROSSINGS);
    assert_int_equal(ess_driver_failure(d)->guard, limit);
    assert_true(fabs(t - 0.54) < 1e-12 && fabs(x[0] - 0.54) < 1e-12);
    for (size_t k = 0; k < 5; k++) assert_true(ess_driver_sign(d)[k] == (k < limit ? 1.0 : -1.0));
    for (int i = 0; i < 5 && t < 1.0; i++) ess_driver_apply(d, &t, 1.0, x);
    assert_true(t == 1.0 && log.count == 5);
    for (size_t k = 0; k < 5; k++) assert_true(log.guard[k] == k);
    assert_int_equal(ess_driver_counters(d)->crossings, 5);
    ess_driver_free(d);
  }
}

typedef struct stopper {
  toy_log log;
  size_t at; /* the crossing to stop at */
} stopper;

static int stop_there(const ess_crossing_info *info, void *context) {
  stopper *const s = context;
  toy_crossing(info, &s->log);
  return s->log.count == s->at;
}

static void an_observer_may_stop_among_them(void **state) {
  (void)state;
  for (size_t at = 1; at <= 5; at++) {
    lanes l = five;
    const ess_system system = lanes_system(&l);
    stopper s = {.at = at};
    ess_options options = wide(&s.log);
    options.observer = (ess_observer){.crossing = stop_there, .context = &s};
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_ESTOP);
    assert_int_equal(ess_driver_failure(d)->guard, at - 1);
    assert_int_equal(s.log.count, at);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_int_equal(s.log.count, 5);
    for (size_t k = 0; k < 5; k++) assert_int_equal(s.log.guard[k], k);
    ess_driver_free(d);
  }
}

static void each_must_be_live(void **state) {
  (void)state;
  lanes l = five;
  l.scale[3] = 0.25;
  l.offset[3] *= 0.25;
  const ess_system system = lanes_system(&l);
  toy_log log;
  ess_options options = wide(&log);
  options.liveness = 0.5;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_ELIVENESS);
  assert_int_equal(ess_driver_failure(d)->guard, 3);
  assert_true(log.count == 0 && t == 0.0);
  ess_driver_free(d);
}

static void none_is_made_past_the_end(void **state) {
  (void)state;
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
static void they_may_end_at_the_end(void **state) {
  (void)state;
  for (size_t last = 0; last < 5; last++) {
    lanes l = five;
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = wide(&log);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, l.offset[last], x), ESS_SUCCESS);
    assert_int_equal(log.count, last + 1);
    ess_driver_free(d);
  }
}

/* ---- crossings that concern one another --------------------------------------------------------
 */

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

static void one_may_disarm_another(void **state) {
  (void)state;
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
  assert_int_equal(c.projections, 1);
}

static void one_may_turn_another_round_or_arm_it_again(void **state) {
  (void)state;
  toy_log log;
  ess_counters c;
  matrix m = matrix_begin(5);
  // 1 is now to be crossed from the other side, which the state recedes from; 2 is armed as before;
  // 3 arms 0 again, which lies behind: it is crossed at once, once more, and with it 2
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_DOWN(1), 1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(2), -1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(2), 1);
  matrix_add(&m, ESS_GUARD_UP(3), ESS_GUARD_UP(0), 1);
  run_matrix(&m, &log, &c);
  static const size_t order[] = {0, 2, 3, 4, 0, 2};
  assert_int_equal(log.count, 6);
  assert_memory_equal(log.guard, order, sizeof order);
  assert_true(log.time[4] == log.time[3] && log.time[5] == log.time[3]);
}

static void silent_ones_among_them_take_their_turn(void **state) {
  (void)state;
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
    // it has no share in the mean
    if (silent) assert_true(fabs(log.time[0] - 0.54) < 0.03);
  }
}

/* ---- the field, which each of them changes -----------------------------------------------------
 */

/* lanes whose field counts its calls, by how many guards are crossed: all of them, and those at the
 * time of the first. From `bad_from` crossed on it returns `code`, or writes `value` for x1'. */
typedef struct watched {
  lanes l;
  size_t calls[LANES_MAX + 1], at_first[LANES_MAX + 1], total;
  double first[LANES_MAX + 1];
  size_t bad_from;
  int code;
  double value;
} watched;

static int watched_field(double t, const double x[], const double sign[], double dxdt[],
                         void *params) {
  watched *const w = params;
  size_t crossed = 0;
  for (size_t k = 0; k < w->l.count; k++) crossed += sign[k] > 0.0;
  if (!w->calls[crossed]++) w->first[crossed] = t;
  w->at_first[crossed] += t == w->first[crossed];
  w->total++;
  lanes_field(t, x, sign, dxdt, &w->l);
  if (crossed < w->bad_from) return 0;
  dxdt[1] = w->value;
  return w->code;
}

static ess_system watched_system(watched *w) {
  ess_system system = lanes_system(&w->l);
  system.field = watched_field;
  return system;
}

/* the end of the group that the j-th of b jumps, j = 1 ... b, is measured in: four groups at most,
 * and each but the last as large as the others */
static size_t group_end(size_t j, size_t b) {
  const size_t largest = b <= 4 ? 1 : b <= 8 ? 2 : b <= 12 ? 3 : 4;
  size_t last = largest;
  while (last < j) last += largest;
  return last < b ? last : b;
}

/* runs lanes to t = 1, counts evaluations, and returns the final x1 */
static double run_watched(watched *w, const lanes *l, matrix *m, const ess_options *options,
                          ess_counters *counters) {
  *w = (watched){.l = *l, .bad_from = SIZE_MAX};
  ess_system system = watched_system(w);
  if (m) system.resets = matrix_end(m);
  ess_driver *const d = ess_driver_alloc(&system, options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  *counters = *ess_driver_counters(d);
  assert_int_equal(counters->field_evaluations, w->total);
  ess_driver_free(d);
  if (m) matrix_free(m);
  return x[1];
}

/* b lanes 0.005 to 0.01 apart from 0.5 on, whose jumps are unlike; *mean of their places */
static lanes unlike_lanes(size_t b, double *mean) {
  lanes l = {.count = b};
  double place = 0.5, sum = 0.0;
  for (size_t k = 0; k < b; k++) {
    l.offset[k] = place;
    sum += place;
    place += 0.005 * (1.0 + fmod(0.6180339887498949 * (double)(k + 1), 1.0));
    l.jump[k] = (k % 2 ? -1.0 : 1.0) * (1.0 + 0.3 * (double)k);
  }
  *mean = sum / (double)b;
  return l;
}

/* Before the integration that follows: the start, by order 2 the field half-way, one for each group
 * of jumps, four at most, and the new node's, which is the last group's once more, where the state
 * was moved to. */
static void one_evaluation_for_each_group(void **state) {
  (void)state;
  static const size_t groups[LANES_MAX + 1] = {0, 0, 2, 3, 4, 3, 3, 4, 4, 3, 4, 4, 4, 4, 4, 4, 4};
  for (size_t b = 2; b <= LANES_MAX; b++)
    for (int order = 1; order <= 2; order++) {
      watched w;
      toy_log log;
      ess_counters c;
      double mean;
      const lanes l = unlike_lanes(b, &mean);
      ess_options options = wide(&log);
      options.together = 0.3;
      options.order = order;
      run_watched(&w, &l, NULL, &options, &c);
      assert_true(c.projections == 1 && c.crossings == b);
      assert_int_equal(w.calls[0], order);
      size_t evaluations = 0;
      for (size_t j = 1; j < b; j++) {
        const bool ends = group_end(j, b) == j;
        assert_int_equal(w.calls[j], ends);
        if (ends) assert_true(fabs(w.first[j] - mean) < 1e-12);
        evaluations += ends;
      }
      assert_true(fabs(w.first[b] - mean) < 1e-12);
      assert_int_equal(w.at_first[b], 2);
      assert_int_equal(evaluations + 1, groups[b]);
    }
}

/* Every jump acts as from the mean time of its group: up to four, as from its own; beyond, off by
 * jump_j (t_j - the group's mean). Piecewise constant, so that nothing else is wrong. */
static void jumps_are_made_up_for_by_groups(void **state) {
  (void)state;
  for (size_t b = 2; b <= LANES_MAX; b++)
    for (int order = 1; order <= 2; order++) {
      watched w;
      toy_log log;
      ess_counters c;
      double mean, exact = 0.0, expected = 0.0;
      const lanes l = unlike_lanes(b, &mean);
      ess_options options = wide(&log);
      options.together = 0.3;
      options.order = order;
      const double end = run_watched(&w, &l, NULL, &options, &c);
      for (size_t begin = 0, last; begin < b; begin = last) {
        double sum = 0.0;
        last = group_end(begin + 1, b);
        for (size_t k = begin; k < last; k++) sum += l.offset[k];
        for (size_t k = begin; k < last; k++) {
          exact += l.jump[k] * (1.0 - l.offset[k]);
          expected += l.jump[k] * (1.0 - sum / (double)(last - begin));
        }
      }
      assert_true(fabs(end - expected) < 1e-12);
      assert_true(b <= 4 ? fabs(end - exact) < 1e-12 : fabs(end - exact) > 1e-4);
    }
}

/* alone in its projection, a crossing costs the new node's evaluation and nothing more */
static void none_for_one_by_itself(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    watched w;
    toy_log log;
    ess_counters c;
    ess_options options = wide(&log);
    options.order = 1 + i % 2;
    options.together = i / 2 ? 0.01 : 0.0;
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

/* silent guards change no field: four of five, made with the one that is not, or one of five */
static void none_for_silent_ones(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    watched w;
    toy_log log;
    ess_counters c;
    ess_options options = wide(&log);
    options.order = 1 + i % 2;
    options.together = i / 2 % 2 ? 0.1 : 0.0;
    const size_t silent = i / 4 ? 1 : 4;
    matrix m = matrix_begin(5);
    for (size_t k = 0; k < silent; k++) m.silent[ESS_GUARD_UP(k)] = true;
    run_watched(&w, &five, &m, &options, &c);
    const bool shared = silent == 1 && options.together > 0.0;
    const size_t expected = shared || silent == 4 ? 1 : 4;
    assert_int_equal(c.projections, expected);
    assert_true(c.crossings == 5 - silent && c.silent == silent);
    if (silent == 4) assert_int_equal(w.at_first[5], 1);
    if (silent == 4) assert_int_equal(w.calls[0], options.order);
    for (size_t j = 1; silent == 4 && j < 5; j++) assert_int_equal(w.calls[j], 0);
    if (!shared) continue;
    // the silent one is the first of the batch
    assert_int_equal(w.calls[1], 0);
    for (size_t j = 2; j < 5; j++) assert_int_equal(w.calls[j], 1);
    assert_int_equal(w.at_first[5], 2);
  }
}

/* Outcome: the run ends at the crossing after which the field is first seen at fault, that its
 * group ends with, told of and counted; the state is where the projection ended, at its time, and
 * no other crossing is made. Neither the callback's nor the field's fault goes away by trying
 * again. */
static void a_field_at_fault_ends_the_run(void **state) {
  (void)state;
  static const struct {
    int code;
    double value;
  } faults[] = {{7, 0.0}, {0, NAN}, {0, INFINITY}, {0, -INFINITY}};
  for (size_t i = 0; i < 4 * 2 * 5; i++) {
    const size_t from = 1 + i / 8, seen = group_end(from, 5), group = (seen + 1) / 2;
    watched w = {.l = five, .bad_from = from, .code = faults[i / 2 % 4].code};
    w.value = faults[i / 2 % 4].value;
    const ess_system system = watched_system(&w);
    const int expected = w.code ? ESS_ECALLBACK : ESS_EFIELD;
    toy_log log;
    ess_options options = wide(&log);
    options.order = 1 + (int)(i % 2);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), expected);
    assert_true(fabs(t - 0.54) < 1e-12 && fabs(x[0] - 0.54) < 1e-12 && x[1] == 0.0);
    const ess_failure *const f = ess_driver_failure(d);
    assert_true((int)f->status == expected && f->time == t && f->guard == SIZE_MAX);
    assert_int_equal(f->callback_code, w.code);
    const ess_counters *const c = ess_driver_counters(d);
    assert_true(c->projections == 1 && c->crossings == seen && c->steps == 0);
    assert_int_equal(c->field_evaluations, (uint64_t)options.order + group);
    assert_int_equal(w.calls[seen], 1);
    assert_true(log.count == seen && log.projections == 1 && log.steps == 1);
    for (size_t k = 0; k < 5; k++) assert_true(ess_driver_sign(d)[k] == (k < seen ? 1.0 : -1.0));

    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), expected);
    assert_true(fabs(x[0] - 0.54) < 1e-12 && x[1] == 0.0 && log.count == seen);
    ess_driver_free(d);
  }
}

/* each jump is a number, and what they do to the state is none */
static void a_correction_that_is_no_number_is_not_made(void **state) {
  (void)state;
  lanes l = {.count = 2, .offset = {0.5, 1e9}, .jump = {1e300, -1e300}};
  const ess_system system = lanes_system(&l);
  toy_log log;
  ess_options options = wide(&log);
  options.epsilon = options.together = 1e10;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 2e9, x), ESS_EFIELD);
  assert_true(log.count == 2 && x[0] == t && x[1] == 0.0);
  ess_driver_free(d);
}

/* ---- guards at odds -----------------------------------------------------------------------------
 */

/* x1 is thrown back at guard 0, x1 = 0, and guard 1 lies there too, or a little further on */
static int at_odds_field(double t, const double x[], const double sign[], double dxdt[],
                         void *params) {
  (void)t;
  (void)x;
  (void)params;
  dxdt[0] = 0.0;
  dxdt[1] = sign[0] > 0.0 ? -1.0 : 1.0;
  return 0;
}

/* At one place nothing moves on. At two, made together, a throw between them leads back to before
 * the first by as much, and time goes on by the way between them: from 0.255 on by 0.01 each. At
 * last the end is too near for the second, the first is by itself, and nothing moves on. */
static void guards_at_odds_end_the_run(void **state) {
  (void)state;
  static const struct {
    double apart, end, time;
  } cases[] = {{0.0, 3.0, 0.25}, {0.01, 2.998, 2.99}, {0.01, 2.989, 2.98}};
  for (int i = 0; i < 6; i++) {
    const double apart = cases[i / 2].apart, time = cases[i / 2].time;
    lanes l = {.count = 2, .offset = {0.0, apart}, .scale = {1e-300, 1e-300}, .slope = {1.0, 1.0}};
    ess_system system = lanes_system(&l);
    system.field = at_odds_field;
    toy_log log;
    ess_options options = wide(&log);
    options.order = 1 + i % 2;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, -0.25}, t = 0.0;
    const int status = ess_driver_apply(d, &t, cases[i / 2].end, x);
    assert_true(status == ESS_ECHATTER || status == ESS_ESLIDING);
    assert_true(fabs(t - time) < 1e-9 && fabs(x[1]) < 1e-9 && ess_driver_failure(d)->guard < 2);
    // there and back through both each time, and at the end as often as is let pass for progress
    const size_t rounds = apart > 0.0 ? (size_t)lround((time - 0.25) / 0.01) : 0;
    assert_in_range(log.count, 4 * rounds, 4 * rounds + 2 * 2 + 17);
    ess_driver_free(d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_told_of_once_and_in_order),
      cmocka_unit_test(a_time_below_every_gap_changes_nothing),
      cmocka_unit_test(one_projection_to_the_mean),
      cmocka_unit_test(those_outside_their_neighbourhoods_are_not_among_them),
      cmocka_unit_test(the_first_is_among_them_where_no_time_is_left),
      cmocka_unit_test(crossings_at_one_time_are_told_of_by_index),
      cmocka_unit_test(a_limit_on_crossings_leaves_the_rest_for_later),
      cmocka_unit_test(an_observer_may_stop_among_them),
      cmocka_unit_test(each_must_be_live),
      cmocka_unit_test(none_is_made_past_the_end),
      cmocka_unit_test(they_may_end_at_the_end),
      cmocka_unit_test(one_may_disarm_another),
      cmocka_unit_test(one_may_turn_another_round_or_arm_it_again),
      cmocka_unit_test(silent_ones_among_them_take_their_turn),
      cmocka_unit_test(one_evaluation_for_each_group),
      cmocka_unit_test(jumps_are_made_up_for_by_groups),
      cmocka_unit_test(none_for_one_by_itself),
      cmocka_unit_test(none_for_silent_ones),
      cmocka_unit_test(a_field_at_fault_ends_the_run),
      cmocka_unit_test(a_correction_that_is_no_number_is_not_made),
      cmocka_unit_test(guards_at_odds_end_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
