/*
 * Systems whose crossings are impacts against truths of their own: none silently wrong, none ended
 * by a status that is false. And one by one what went wrong with them once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "impact_families.h"
#include "toy.h"

#ifndef FAMILY_RUNS
#define FAMILY_RUNS 1000
#endif

enum { BALLS_MOST = 20 };

TEST(the_last_ball_leaves_at_the_speed_of_the_first) {
  static const double gaps[] = {0.0, 0.37, 1.0}, diameters[] = {1.0, 0.1, 0.3};
  size_t runs = 0;
  for (size_t count = 3; count <= BALLS_MOST; count++)
    for (unsigned forms = 0; forms < 8; forms++)
      for (size_t i = 0; i < 9; i++) {
        const cradle c = {.count = count,
                          .coming = 1,
                          .overlap = forms & 1,
                          .from_right = forms & 2,
                          .both_are_impacts = forms & 4,
                          .diameter = diameters[i % 3],
                          .from = 0.7 * (double)i - 2.0,
                          .gap = gaps[1 + i / 3 % 2],
                          .tolerance = i % 2 ? 1e-4 : 1e-9};
        double v[BALLS_MOST];
        assert_int_equal(cradle_run(&c, v), ESS_SUCCESS);
        const size_t last = c.from_right ? 0 : count - 1;
        for (size_t k = 0; k < count; k++)
          assert_true(v[k] == (k != last ? 0.0 : c.from_right ? -1.0 : 1.0));
        runs++;
      }
  assert_int_equal(runs, 18 * 8 * 9);
}

/* Balls that touch and move together: what is between them is rounding, which changes as they move.
 * Steps were halved for it until there were too many. */
TEST(as_many_balls_leave_as_come_in) {
  static const double tolerances[] = {1e-3, 1e-9, 1e-12};
  size_t runs = 0;
  for (size_t count = 3; count <= BALLS_MOST; count++)
    for (unsigned forms = 0; forms < 4; forms++)
      for (size_t i = 0; i < 9; i++) {
        const cradle c = {.count = count,
                          .coming = 2 + i / 3 < count ? 2 + i / 3 : count - 1,
                          .overlap = forms & 1,
                          .from_right = forms & 2,
                          .diameter = 0.1,
                          .gap = 0.5,
                          .tolerance = tolerances[i % 3]};
        double v[BALLS_MOST];
        assert_int_equal(cradle_run(&c, v), ESS_SUCCESS);
        for (size_t k = 0; k < count; k++)
          assert_true(v[c.from_right ? k : count - 1 - k] == (k >= c.coming  ? 0.0
                                                              : c.from_right ? -1.0
                                                                             : 1.0));
        runs++;
      }
  assert_int_equal(runs, 18 * 4 * 9);
}

TEST(no_run_is_wrong_or_refused) {
  for (family f = 0; f < FAMILY_COUNT; f++) {
    size_t clear = 0, met = 0;
    for (uint64_t i = 0; i < FAMILY_RUNS; i++) {
      const family_outcome o = family_run(f, 1000000 + i);
      const bool is_false = o.status && o.status != o.expected;
      if (family_is_wrong(&o) || is_false)
        fail_msg("%s, run %llu at %.0e: %s, error %.1e", family_names[f],
                 (unsigned long long)(1000000 + i), o.tolerance, ess_strerror(o.status), o.error);
      clear += o.clear;
      met += o.impacts > 0;
    }
    assert_true(clear > FAMILY_RUNS * 7 / 10 && met > FAMILY_RUNS * 7 / 10);
  }
}

/* a ball that is soon back on the floor, in a step of 50 s: its way between is a ten thousandth of
 * what its height changes by in that step */
TEST(an_impact_soon_after_another_is_not_passed_over) {
  const uint64_t runs[] = {70005646, 70018390};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    const family_outcome o = family_run(FAMILY_CURVED_FLOOR, runs[i]);
    assert_true(o.clear && !family_is_wrong(&o) && o.status == o.expected);
  }
}

/* ---- what a map leads to --------------------------------------------------------------------- */

/* two neurons, v' = I - v, of which the first's spike adds `kick` to the second */
typedef struct pair {
  double kick;
  bool forbidden; /* the second does not fire: the map disarms it */
  bool is_impact; /* its firing is an impact */
  double when;
} pair;

FIELD(pair_field) {
  dxdt[0] = 1.5 - x[0];
  dxdt[1] = (sign[1] < 0.0 ? 0.9 : 0.2) - x[1];
}

PLANES(pair, 2, (x[0], x[1]), (1.0, 1.0));

IMPACT_MAP(pair_fire) {
  pair *const p = params;
  p->when = impact->t;
  assert_int_equal(impact->carried, impact->x[impact->events[0]] > 1.001);
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    impact->after[k] = 0.0;
    if (k == 0) impact->after[1] += p->kick;
    impact->mode[k] = -1.0;
    impact->armed[ESS_GUARD_UP(k)] = k == 0 || !p->forbidden;
    if (k == 0 && p->forbidden) impact->armed[ESS_GUARD_UP(1)] = false;
  }
}

/* at the end, 0.3 after the first's spike, which is at ln 3; how many impacts that took */
static uint64_t run_pair(pair *p, double x[2], double D[4]) {
  const bool at[4] = {true, true, p->is_impact, p->is_impact};
  const ess_impacts impacts = {.at = at, .map = pair_fire};
  const ess_system system = {.dimension = 2,
                             .guard_count = 2,
                             OF_JACOBIAN(pair),
                             .one_way = true,
                             .impacts = &impacts,
                             .params = p};
  const ess_options options = toy_options(1e-11);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0;
  assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, log(3.0) + 0.3, x), ESS_SUCCESS);
  memcpy(D, ess_driver_tangent(d), 4 * sizeof *D);
  const uint64_t count = ess_driver_counters(d)->impacts;
  ess_driver_free(d);
  return count;
}

/* the second is carried from 0.6 or so beyond 1, to where its own field lets it fall */
TEST(a_guard_that_a_map_carries_the_state_past_is_made_then) {
  const double before = 0.9 - 0.3 / 3.0, fades = exp(-0.3);
  for (int i = 0; i < 3; i++) {
    pair p = {.kick = 0.5, .forbidden = i == 1, .is_impact = i < 2};
    double x[2] = {0.0, 0.6}, D[4];
    assert_int_equal(run_pair(&p, x, D), i ? 1 : 2);
    assert_true(fabs(p.when - log(3.0)) < 1e-9);
    assert_true(fabs(x[0] - 1.5 * (1.0 - fades)) < 1e-9);
    // it fires, is let be, or goes on in another field
    const double kicked = before + 0.5, rest = i == 2 ? 0.2 : 0.9, from = i ? kicked : 0.0;
    assert_true(fabs(x[1] - (rest + (from - rest) * fades)) < 1e-9);
    // a start later by d leaves all as it was but for the time: the second has gone on until then
    const double share = 1.0 / 1.5, second = i ? exp(-log(3.0)) : 0.0;
    assert_true(fabs(D[3] - second * fades) < 1e-8);
    assert_true(fabs(D[0] - share * 1.5 * fades * 1.0) < 1e-8);
    // earlier by `share`: then 0.1 of the way to 0.9 is missed, and its rate after it gained
    const double earlier = 2.0 / 3.0;
    const double gained = (rest - from) - (i ? 0.9 - before : 0.0);
    assert_true(fabs(D[2] - earlier * gained * fades) < 1e-8);
  }
}

/* ---- rest ------------------------------------------------------------------------------------ */

/* a map that sends neither side back to itself does not say which one a state at rest is on */
IMPACT_MAP(let_through) {
}

FIELD(stand_still) {
  dxdt[0] = dxdt[1] = 0.0;
}

TEST(a_rest_that_no_map_decides_is_a_status) {
  const ess_impacts impacts = {.map = let_through};
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             .field = stand_still,
                             .guards = toy_fall_guards,
                             .guard_jacobian = toy_fall_jacobian,
                             .impacts = &impacts};
  const ess_options options = ess_options_default();
  double x[2] = {0.0, 0.0};
  const toy_end end = toy_run(&system, &options, 0.0, 1.0, x);
  assert_int_equal(end.status, ESS_EGRAZING);
  assert_int_equal(end.failure.guard, 0);
}

/* ---- what impacts with many guards cost ------------------------------------------------------ */

TEST(an_impact_takes_three_passes_however_many_guards) {
  for (int with_some = 0; with_some < 2; with_some++) {
    int status;
    const ess_counters c = network_counters(100, 5.0, with_some, &status);
    assert_int_equal(status, ESS_SUCCESS);
    assert_true(c.impacts > 300);
    const uint64_t of_steps = 4 * (c.steps + c.rejected), passes = c.guard_evaluations;
    print_message(
        "%llu impacts, %llu steps: %llu calls of all event functions, %llu beside those of "
        "steps, %llu of some\n",
        (unsigned long long)c.impacts, (unsigned long long)(c.steps + c.rejected),
        (unsigned long long)passes, (unsigned long long)(passes - of_steps),
        (unsigned long long)c.some_evaluations);
    assert_true(passes - of_steps <= 3 * c.impacts + 10);
  }
}
