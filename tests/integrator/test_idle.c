/*
 * Signs that act on nothing (ess_system.idle): balls that leave a damped floor after its force has
 * ended. Their crossings cut no step, are where they are in time, and change no run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bases.h"
#include "ess_tangents.h"

/* ---- balls on damped floors ------------------------------------------------------------------ */

enum { BALLS = 3, STATES = 2 * BALLS, MOST = 64 };
static const double STIFFNESS = 900.0, DAMPING = 15.0;

/* A floor pushes, and never pulls, a ball of mass 1 that is below it. By `bias` it does so at its
 * surface, too: then what leaves it is let go of at once. */
typedef struct floors {
  double bias;
  bool has_force[BALLS];
  int fails;
} floors;

FIELD(floors_field) {
  floors *const f = params;
  for (size_t k = 0; k < BALLS; k++) {
    const double height = x[2 * k], speed = x[2 * k + 1];
    const double force = f->bias - STIFFNESS * height - DAMPING * speed;
    f->has_force[k] = force > 0.0;
    dxdt[2 * k] = speed;
    dxdt[2 * k + 1] = -9.81 + (sign[k] > 0.0 && force > 0.0 ? force : 0.0);
  }
}

static int floors_solve(double t, const double x[], const double sign[], double c, double v[],
                        void *params) {
  for (size_t k = 0; k < BALLS; k++)
    if (sign[k] > 0.0) v[2 * k + 1] /= 1.0 + DAMPING * c;
  return 0;
}

PLANES_EACH(floors, STATES, BALLS, -x[2 * k], 0.0);

static int floors_idle(bool idle[], void *params) {
  const floors *const f = params;
  for (size_t k = 0; k < BALLS; k++) {
    assert_false(idle[k]);
    idle[k] = !f->has_force[k];
  }
  return f->fails;
}

static ess_system floors_system(floors *f, bool tells) {
  return (ess_system){.dimension = STATES,
                      .guard_count = BALLS,
                      OF_RATES(floors),
                      .field_solve = floors_solve,
                      .idle = tells ? floors_idle : NULL,
                      .params = f};
}

static void drop(double x[]) {
  for (size_t k = 0; k < BALLS; k++) {
    x[2 * k] = 0.3 + 0.17 * (double)k;
    x[2 * k + 1] = 0.1 * (double)k;
  }
}

/* ---- what observers are told ----------------------------------------------------------------- */

typedef struct crossings {
  size_t count, stop_at, guard[MOST];
  int direction[MOST];
  double t[MOST], height[MOST], hash;
} crossings;

ON_CROSSING_CODE(note) {
  crossings *const c = context;
  assert_true(c->count < MOST);
  assert_true(info->sign[info->guard] == (double)info->direction);
  c->guard[c->count] = info->guard;
  c->direction[c->count] = info->direction;
  c->t[c->count] = info->t;
  c->height[c->count++] = info->x[2 * info->guard];
  return c->count == c->stop_at;
}

ON_STEP(note_step) {
  crossings *const c = context;
  c->hash = 1.1 * c->hash + info->t1;
  for (size_t i = 0; i < STATES; i++) c->hash += info->x[i] * (double)(i + 1);
}

/* from time 0 to t1 and, where it goes there and `back`, to 0 again */
static ess_counters run(floors *f, bool tells, const ess_options *options, double t1, bool back,
                        crossings *c, double x[]) {
  const ess_system system = floors_system(f, tells);
  ess_options its = *options;
  *c = (crossings){0};
  its.observer = (ess_observer){.crossing = note, .step = note_step, .context = c};
  ess_driver *const d = ess_driver_alloc(&system, &its, NULL);
  assert_non_null(d);
  double t = 0.0;
  drop(x);
  assert_int_equal(ess_driver_apply(d, &t, t1, x), ESS_SUCCESS);
  if (back) assert_int_equal(ess_driver_apply(d, &t, 0.0, x), ESS_SUCCESS);
  const ess_counters made = *ess_driver_counters(d);
  ess_driver_free(d);
  return made;
}

static size_t departures(const crossings *c) {
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++) count += c->direction[i] < 0;
  return count;
}

/* ---- crossings that cut no step -------------------------------------------------------------- */

static void expect_same_crossings(const crossings *a, const crossings *b, double within) {
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; i++) {
    assert_int_equal(a->guard[i], b->guard[i]);
    assert_int_equal(a->direction[i], b->direction[i]);
    assert_true(fabs(a->t[i] - b->t[i]) <= within);
    assert_true(fabs(a->height[i]) <= within);
    assert_true(i == 0 || a->t[i] >= a->t[i - 1]);
  }
}

TEST(a_departure_without_force_cuts_no_step) {
  const ess_base bases[] = {ESS_BASE_DOPRI5, ESS_BASE_RKC, ESS_BASE_CHOSEN, ESS_BASE_ROS2};
  const double t1 = 1.4, tolerances[] = {1e-3, 1e-5, 1e-8};
  floors f = {0};
  crossings right, c, whole;
  double x_right[STATES], x[STATES], x_cut[STATES];
  uint64_t calls[2] = {0};
  const ess_options tight = by(ESS_BASE_DOPRI5, 1e-12);
  (void)run(&f, false, &tight, t1, false, &right, x_right);
  assert_true(departures(&right) >= 4);
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 3; j++) {
      const ess_options its = by(bases[i], tolerances[j]);
      const ess_counters with = run(&f, true, &its, t1, false, &whole, x);
      const ess_counters without = run(&f, false, &its, t1, false, &c, x_cut);
      const double error = toy_apart(x_cut, x_right, STATES);
      assert_int_equal(without.entries, right.count);
      // in a step that is so long the force may end, too: then the crossing is located
      const size_t touches = right.count - departures(&right);
      assert_in_range(with.entries, touches, touches + (j == 0));
      assert_int_equal(with.crossings, right.count);
      calls[0] += with.field_evaluations;
      calls[1] += without.field_evaluations;
      assert_true(toy_apart(x, x_right, STATES) <= 2.0 * error + 20.0 * tolerances[j]);
      expect_same_crossings(&whole, &right, 2.0 * error + 20.0 * tolerances[j]);
    }
  assert_true(calls[0] < calls[1]);
}

TEST(a_departure_with_a_force_is_located) {
  floors f = {.bias = 60.0};
  crossings a, b;
  double x[STATES], y[STATES];
  const ess_options its = by(ESS_BASE_DOPRI5, 1e-6);
  const ess_counters with = run(&f, true, &its, 1.0, false, &a, x);
  const ess_counters without = run(&f, false, &its, 1.0, false, &b, y);
  assert_true(departures(&a) >= 2);
  assert_int_equal(with.entries, with.crossings);
  assert_int_equal(with.field_evaluations, without.field_evaluations);
  assert_true(a.hash == b.hash);
}

TEST(so_it_is_backward) {
  floors f = {0};
  crossings c;
  double x[STATES], x0[STATES];
  const ess_options its = by(ESS_BASE_DOPRI5, 1e-11);
  const ess_counters made = run(&f, true, &its, 0.6, true, &c, x);
  drop(x0);
  assert_true(departures(&c) >= 4 && c.count == 2 * departures(&c));
  assert_true(made.entries + 5 <= c.count); // what enters a force in a long step is located
  assert_true(toy_apart(x, x0, STATES) < 1e-7);
}

/* ---- stops ----------------------------------------------------------------------------------- */

TEST(an_observer_may_stop_at_each) {
  enum { SAMPLES = 50 };
  floors f = {0};
  crossings all;
  double whole[STATES], times[SAMPLES], samples[SAMPLES * STATES];
  const ess_options its = by(ESS_BASE_DOPRI5, 1e-8);
  (void)run(&f, true, &its, 1.0, false, &all, whole);
  for (size_t i = 0; i < SAMPLES; i++) times[i] = 1.0 * (double)(i + 1) / SAMPLES;
  for (size_t stop = 1; stop <= all.count; stop++) {
    const ess_system system = floors_system(&f, true);
    crossings c = {.stop_at = stop};
    ess_options stopped = its;
    stopped.observer = (ess_observer){.crossing = note, .context = &c};
    ess_driver *const d = ess_driver_alloc(&system, &stopped, NULL);
    double x[STATES], t = 0.0;
    drop(x);
    for (size_t i = 0; i < SAMPLES * STATES; i++) samples[i] = NAN;
    assert_int_equal(ess_driver_sample(d, &t, 1.0, x, times, SAMPLES, samples), ESS_ESTOP);
    assert_true(t == c.t[stop - 1] && x[2 * c.guard[stop - 1]] == c.height[stop - 1]);
    assert_true(ess_driver_sign(d)[c.guard[stop - 1]] == (double)c.direction[stop - 1]);
    for (size_t i = 0; i < SAMPLES; i++) assert_true(isnan(samples[i * STATES]) == (times[i] > t));
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_int_equal(c.count, all.count);
    assert_true(toy_apart(x, whole, STATES) < 1e-5);
    ess_driver_free(d);
  }
}

TEST(a_run_may_end_at_one) {
  floors f = {0};
  crossings all;
  double x[STATES];
  ess_options its = by(ESS_BASE_DOPRI5, 1e-8);
  (void)run(&f, true, &its, 1.0, false, &all, x);
  size_t first = 0;
  while (all.direction[first] > 0) first++;
  const ess_system system = floors_system(&f, true);
  its.max_crossings = first;
  drop(x);
  const toy_end end = toy_run(&system, &its, 0.0, 1.0, x);
  assert_int_equal(end.status, ESS_EMAXCROSSINGS);
  assert_int_equal(end.failure.guard, all.guard[first]);
  assert_true(fabs(end.t - all.t[first]) < 1e-12);
}

TEST(a_callback_that_fails_ends_the_run) {
  floors f = {.fails = 7};
  const ess_system system = floors_system(&f, true);
  const ess_options its = by(ESS_BASE_DOPRI5, 1e-6);
  double x[STATES];
  drop(x);
  const toy_end end = toy_run(&system, &its, 0.0, 1.0, x);
  assert_int_equal(end.status, ESS_ECALLBACK);
  assert_int_equal(end.failure.callback_code, 7);
}

/* ---- where nothing comes of it --------------------------------------------------------------- */

TEST(others_run_as_without) {
  floors f = {0};
  crossings a, b;
  double x[STATES], y[STATES];
  ess_options its[] = {by(ESS_BASE_RODAS, 1e-5), by(ESS_BASE_CHOSEN_RODAS, 1e-5),
                       ess_options_paper()};
  for (size_t i = 0; i < 3; i++) {
    (void)run(&f, true, &its[i], 1.0, false, &a, x);
    (void)run(&f, false, &its[i], 1.0, false, &b, y);
    assert_true(departures(&a) >= 4 && a.hash == b.hash);
  }
}

TEST(directions_are_taken_through_each_crossing) {
  floors f = {0};
  double x[2][STATES], direction[STATES] = {1.0};
  uint64_t entries[2];
  for (int tells = 0; tells < 2; tells++) {
    const ess_system system = floors_system(&f, tells);
    const ess_options its = by(ESS_BASE_DOPRI5, 1e-8);
    ess_driver *const d = ess_driver_alloc(&system, &its, NULL);
    double t = 0.0;
    drop(x[tells]);
    assert_int_equal(ess_driver_follow(d, 1, direction), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x[tells]), ESS_SUCCESS);
    entries[tells] = ess_driver_counters(d)->entries;
    ess_driver_free(d);
  }
  assert_int_equal(entries[0], entries[1]);
  assert_memory_equal(x[0], x[1], sizeof x[0]);
}
