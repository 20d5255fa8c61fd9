/*
 * Awkward cases: guards that coincide, thousands at once, starts inside of several neighbourhoods,
 * guards that throw the state at each other. Exact to round-off, for the fields are piecewise
 * constant.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>

#include "awkward.h"
#include "lanes.h"

static const double EPSILONS[] = {1e-12, 1e-6, 1e-3, 0.1, 10.0};

/* Outcome: each duplicate is crossed once, upward, all at the same time to 4 roundings, whatever
 * the scale of its event function; the field afterwards is that beyond all of them. */
CASE(duplicate_guards) {
  for (size_t e = 0; e < sizeof EPSILONS / sizeof *EPSILONS; e++) {
    lanes l = {.count = 5,
               .offset = {0.5, 0.5, 1.0, 0.5, 0.05},
               .scale = {1.0, 1.0, 2.0, 1.0, 0.1},
               .jump = {0.25, -0.5, 0.75, 0.125, 0.375}};
    toy_log log;
    assert_true(fabs(run_lanes(&l, EPSILONS[e], order, &log) - 0.5) < 4.0 * DBL_EPSILON);
    assert_int_equal(log.count, 5);
    unsigned crossed = 0;
    for (size_t i = 0; i < 5; i++) {
      assert_int_equal(log.direction[i], 1);
      assert_true(fabs(log.time[i] - 0.5) <= 2.0 * DBL_EPSILON);
      crossed |= 1u << log.guard[i];
    }
    assert_int_equal(crossed, 31);
  }
}

/* Outcome: both crossed, the nearer one first, in whichever order they are listed: differences of
 * numbers this close are exact. */
CASE(two_guards_2_ulp_apart) {
  const double near = 0.5, far = nextafter(nextafter(near, 1.0), 1.0);
  for (size_t e = 0; e < sizeof EPSILONS / sizeof *EPSILONS; e++)
    for (size_t first = 0; first < 2; first++) {
      lanes l = {.count = 2, .jump = {2.0, -1.5}};
      l.offset[first] = near;
      l.offset[1 - first] = far;
      toy_log log;
      assert_true(fabs(run_lanes(&l, EPSILONS[e], order, &log) - 0.25) < 4.0 * DBL_EPSILON);
      assert_int_equal(log.count, 2);
      assert_int_equal(log.guard[0], first);
      assert_int_equal(log.guard[1], 1 - first);
      assert_true(fabs(log.time[0] - near) <= 2.0 * DBL_EPSILON);
      assert_true(fabs(log.time[1] - far) <= 2.0 * DBL_EPSILON);
    }
}

/* Outcome: three projections in order of arrival, the first from the start itself; no step is cut
 * at an entry, since all are made before the run; times and state exact. */
CASE(start_inside_several_neighbourhoods) {
  lanes l = {.count = 3, .offset = {0.0625, 0.015625, 0.03125}, .jump = {1.0, 2.0, 4.0}};
  const ess_system system = lanes_system(&l);
  ess_options options = toy_paper(order);
  options.epsilon = 0.125;
  toy_log log;
  options.observer = toy_observer(&log);
  double x[2] = {0.0, 0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 0.0625, x);
  const size_t nearest[] = {1, 2, 0};
  const double times[] = {0.015625, 0.03125, 0.0625};
  assert_int_equal(log.count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(log.guard[i], nearest[i]);
    assert_true(log.time[i] == times[i]);
  }
  assert_int_equal(end.counters.steps, 0);
  assert_int_equal(end.counters.entries, 0);
  assert_true(x[0] == 0.0625 && x[1] == 0.015625 * 2.0 + 0.03125 * 6.0);
}

/* ---- thousands of guards --------------------------------------------------------------------- */

enum { MANY = 4001 };

/* `count` guards at offset[k], none of which depends on x1; x1' is the number of guards crossed */
typedef struct many {
  size_t count;
  double offset[MANY];
} many;

FIELD(many_field) {
  const many *const all = params;
  dxdt[0] = 1.0;
  dxdt[1] = 0.0;
  for (size_t k = 0; k < all->count; k++) dxdt[1] += sign[k] > 0.0 ? 1.0 : 0.0;
}

PLANES_EACH(many, 1, AS(many)->count, x[0], AS(many)->offset[k]);

typedef struct many_log {
  size_t count, out_of_order, out_of_time;
  const many *all;
  double last;
} many_log;

ON_CROSSING(many_crossing) {
  many_log *const log = context;
  const double place = log->all->offset[info->guard];
  log->count++;
  log->out_of_order += place < log->last || info->direction != 1;
  // each crossing rounds the state once
  log->out_of_time += fabs(info->t - place) > (double)log->all->count * DBL_EPSILON;
  log->last = place;
}

static void run_many(many *all, double epsilon, int order) {
  const ess_system system = {
      .dimension = 2, .guard_count = all->count, OF_RATES(many), .params = all};
  many_log log = {.all = all};
  ess_options options = toy_paper(order);
  options.epsilon = epsilon;
  options.observer = (ess_observer){.crossing = many_crossing, .context = &log};
  double x[2] = {0.0, 0.0}, expected = 0.0;
  toy_succeeds(&system, &options, 0.0, 1.0, x);
  for (size_t k = 0; k < all->count; k++) expected += 1.0 - all->offset[k];
  assert_int_equal(log.count, all->count);
  assert_int_equal(log.out_of_order, 0);
  assert_int_equal(log.out_of_time, 0);
  // each of the times is off by `count` roundings at most
  const double count = (double)all->count;
  assert_true(fabs(x[1] - expected) <= count * count * DBL_EPSILON);
}

/* guards shuffled over a thousandth: a stride that shares no factor with their number visits every
 * place once */
static void shuffle(many *all, size_t count) {
  all->count = count;
  for (size_t k = 0; k < count; k++)
    all->offset[k] = 0.5 + 1e-3 * (double)(k * 1237 % count) / (double)count;
}

/* Outcome: thousands of guards shuffled over a thousandth, all inside when the first is reached:
 * each is crossed once, in exact order, at its time. */
CASE(thousands_of_guards_within_epsilon) {
  static many all;
  shuffle(&all, MANY);
  run_many(&all, 1e-2, order);
  run_many(&all, 1e-4, order);
}

/* Outcome: the same for every number of guards up to a hundred, whatever libess takes at a time. */
CASE(any_number_of_guards_within_epsilon) {
  static many all;
  for (size_t count = 1; count <= 100; count++) {
    shuffle(&all, count);
    run_many(&all, 1e-2, order);
  }
}

/* Outcome: as many crossings without time passing as there are guards are progress, no chatter. */
CASE(thousands_of_guards_at_one_place) {
  static many all;
  all.count = MANY;
  for (size_t k = 0; k < MANY; k++) all.offset[k] = 0.5;
  run_many(&all, 1e-3, order);
}

/* ---- chatter --------------------------------------------------------------------------------- */

/* a spiral into the corner of two guards, x0 = 0 and x1 = 0: in every quadrant the distance to the
 * guard behind halves while the one ahead is reached */
FIELD(spiral_field) {
  const bool right = sign[0] > 0.0, up = sign[1] > 0.0;
  dxdt[0] = up == right ? (up ? -1.0 : 1.0) : (up ? -0.5 : 0.5);
  dxdt[1] = up == right ? (up ? 0.5 : -0.5) : (up ? -1.0 : 1.0);
}

PLANES(spiral, 2, (x[0], x[1]), (0.0, 0.0));

/* Outcome: the corner is reached after a geometric series of crossings, at t = 1/2 (1 + 1/2 + ...)
 * = 1; there ESS_ECHATTER names both guards, which take turns. */
CASE(filippov_chatter_between_two_guards) {
  const ess_system system = {.dimension = 2, .guard_count = 2, OF_JACOBIAN(spiral)};
  ess_options options = toy_paper(order);
  toy_log log;
  options.observer = toy_observer(&log);
  double x[2] = {-0.5, -0x1p-60};
  const toy_end end = toy_run(&system, &options, 0.0, 3.0, x);
  assert_int_equal(end.status, ESS_ECHATTER);
  const ess_failure *const failure = &end.failure;
  assert_true(fabs(end.t - 1.0) < 1e-12 && hypot(x[0], x[1]) < 1e-12);
  assert_int_equal(failure->guard + failure->other_guard, 1);
  double arrival = 0.0;
  for (size_t i = 0; i < 30; i++) {
    arrival += ldexp(0.5, -(int)i);
    assert_int_equal(log.guard[i], i % 2);
    assert_int_equal(log.direction[i], i % 4 < 2 ? 1 : -1);
    assert_true(fabs(log.time[i] - arrival) < 1e-12);
  }
}

/* two one-way guards at one place, x0 = 0 from either side, each of which arms the other */
FIELD(turned_field) {
  dxdt[0] = sign[0] < 0.0 ? 1.0 : -1.0;
}

PLANES(turned, 1, (x[0], -x[0]), (0.0, 0.0));

/* Outcome: guards that arm each other without end through a reset matrix are chatter, which names
 * them both. */
CASE(filippov_chatter_by_a_reset_matrix) {
  const size_t rows[] = {0, 1, 1, 2, 2, 2}, armed[] = {ESS_GUARD_UP(1), ESS_GUARD_UP(0)};
  const signed char effects[] = {1, 1};
  const ess_reset_matrix resets = {.row_start = rows, .guard = armed, .effect = effects};
  const ess_system system = {
      .dimension = 1, .guard_count = 2, OF_JACOBIAN(turned), .one_way = true, .resets = &resets};
  const ess_options options = toy_paper(order);
  double x[1] = {-1.0};
  const toy_end made = toy_run(&system, &options, 0.0, 3.0, x);
  assert_int_equal(made.status, ESS_ECHATTER);
  const ess_failure *const failure = &made.failure;
  assert_true(fabs(made.t - 1.0) < 1e-12 && fabs(x[0]) < 1e-12);
  assert_int_equal(failure->guard + failure->other_guard, 1);
}
