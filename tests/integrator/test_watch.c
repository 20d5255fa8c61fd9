/*
 * Events that are only noted, or end a run: ess_system.watch against roots that are known, or found
 * on a fine grid of a run that watches nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "ess_tangents.h"
#include "toy.h"

enum { NOTES = 400, WAVES = 3 };

/* what an observer was told: events as 0, 1, ...; crossings as 100, 101, ...; impacts as -1 */
typedef struct notes {
  size_t count;
  int what[NOTES], direction[NOTES];
  double t[NOTES], x[NOTES], way;
  bool in_order;
} notes;

static int note(notes *o, int what, int direction, double t, double x) {
  assert_true(o->count < NOTES);
  if (o->count) o->in_order = o->in_order && o->way * (t - o->t[o->count - 1]) >= -1e-12;
  o->what[o->count] = what;
  o->direction[o->count] = direction;
  o->x[o->count] = x;
  o->t[o->count++] = t;
  return 0;
}

ON_CROSSING_CODE(on_crossing) {
  return note(context, 100 + (int)info->guard, info->direction, info->t, info->x[0]);
}

ON_IMPACT_CODE(on_impact) {
  for (size_t i = 0; i < impact->count; i++) assert_int_equal(impact->events[i], 0);
  return note(context, -1, 0, impact->t, impact->x[0]);
}

ON_CROSSING_CODE(on_event) {
  return note(context, (int)info->guard, info->direction, info->t, info->x[0]);
}

static ess_observer observe(notes *o, double way) {
  *o = (notes){.way = way, .in_order = true};
  return (ess_observer){
      .crossing = on_crossing, .impact = on_impact, .event = on_event, .context = o};
}

static size_t count_of(const notes *o, int what) {
  size_t count = 0;
  for (size_t i = 0; i < o->count; i++) count += o->what[i] == what;
  return count;
}

/* time of the i-th note of this kind */
static double time_of(const notes *o, int what, size_t i) {
  size_t at = 0;
  while (at < o->count && (o->what[at] != what || i-- > 0)) at++;
  assert_true(at < o->count);
  return o->t[at];
}

/* ---- a clock, whose steps are as long as the run --------------------------------------------- */

static int two_roots(double t, const double x[], double g[], void *params) {
  g[0] = (t - 5.0) * (t - 5.0) - 1e-4;
  return 0;
}

TEST(two_roots_in_one_step_are_found) {
  const ess_system system = {
      .dimension = 1, .field = toy_clock, .watch = {.count = 1, .values = two_roots}};
  for (int way = -1; way <= 1; way += 2) {
    notes o;
    ess_options options = ess_options_default();
    options.observer = observe(&o, way);
    double x[1] = {way > 0 ? 0.0 : 10.0};
    toy_succeeds(&system, &options, x[0], 10.0 - x[0], x);
    assert_int_equal(o.count, 2);
    assert_true(fabs(o.t[0] - (5.0 - way * 0.01)) < 1e-9);
    assert_true(fabs(o.t[1] - (5.0 + way * 0.01)) < 1e-9);
    assert_true(o.direction[0] == -1 && o.direction[1] == 1 && o.in_order);
  }
}

static int sine(double t, const double x[], double g[], void *params) {
  g[0] = sin(t);
  return 0;
}

/* the second event downward, twice: at 3 pi, and 7 pi */
TEST(counted_events_end_runs_which_go_on) {
  int direction[] = {-1};
  uint64_t stop[] = {2};
  const ess_system system = {
      .dimension = 1,
      .field = toy_clock,
      .watch = {.count = 1, .values = sine, .direction = direction, .stop = stop}};
  notes o;
  ess_options options = ess_options_default();
  options.observer = observe(&o, 1.0);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  direction[0] = 0; // copied
  stop[0] = 1;
  const double pi = acos(-1.0);
  double t = 0.5, x[1] = {0.5};
  for (int i = 1; i <= 2; i++) {
    assert_int_equal(ess_driver_apply(d, &t, 30.0, x), ESS_ESTOP);
    assert_int_equal(ess_driver_failure(d)->guard, 0);
    assert_true(fabs(t - (4 * i - 1) * pi) < 1e-8 && fabs(x[0] - t) < 1e-9);
    assert_int_equal(o.count, 2 * i);
  }
  assert_int_equal(ess_driver_apply(d, &t, 30.0, x), ESS_SUCCESS);
  assert_int_equal(o.count, 5);
  // a reset begins to count anew
  ess_driver_reset(d);
  t = x[0] = 0.5;
  assert_int_equal(ess_driver_apply(d, &t, 30.0, x), ESS_ESTOP);
  assert_true(fabs(t - 3 * pi) < 1e-8);
  ess_driver_free(d);
}

/* ---- a driven mass between two springs ------------------------------------------------------- */

typedef struct waves {
  double size[WAVES], speed[WAVES], phase[WAVES], of_x[WAVES], level[WAVES];
} waves;

FIELD(springs_field) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0] - 0.05 * x[1] + 0.3 * sin(2.0 * t);
  if (sign[0] > 0.0) dxdt[1] -= 40.0 * (x[0] - 1.0);
  if (sign[1] > 0.0) dxdt[1] -= 40.0 * (x[0] + 1.0);
}

PLANES(springs, 2, (x[0], -x[0]), (1.0, 1.0));

static int wave_values(double t, const double x[], double g[], void *params) {
  const waves *const w = params;
  for (int i = 0; i < WAVES; i++)
    g[i] = w->size[i] * sin(w->speed[i] * t + w->phase[i]) + w->of_x[i] * x[i % 2] - w->level[i];
  return 0;
}

enum { GRID = 20000 };

/* roots by sign changes on the grid, each refined by a line; a graze that the grid may not tell
 * from a pair makes the case of no use (-1) */
static int grid_roots(const waves *w, int i, const double times[], const double states[],
                      double roots[NOTES]) {
  int count = 0;
  double before[WAVES], now[WAVES], older = 0.0;
  wave_values(times[0], states, before, (void *)(uintptr_t)w);
  for (int j = 1; j < GRID; j++) {
    wave_values(times[j], states + 2 * (size_t)j, now, (void *)(uintptr_t)w);
    const double turn = j > 1 ? fabs(now[i] - 2.0 * before[i] + older) : 0.0;
    if (before[i] * now[i] <= 0.0)
      roots[count++] = times[j - 1] + (times[j] - times[j - 1]) * before[i] / (before[i] - now[i]);
    else if (j > 1 && (now[i] - before[i]) * (before[i] - older) < 0.0 &&
             fabs(before[i]) < 4.0 * turn + 1e-5)
      return -1;
    older = before[i];
    before[i] = now[i];
  }
  return count;
}

static int compare_case(uint64_t seed, double way, ess_base base, double tolerance) {
  waves w;
  for (int i = 0; i < WAVES; i++) {
    w.size[i] = 0.2 + draw(&seed);
    w.speed[i] = 12.0 * draw(&seed);
    w.phase[i] = 6.0 * draw(&seed);
    w.of_x[i] = 2.0 * draw(&seed) - 1.0;
    w.level[i] = draw(&seed) - 0.5;
  }
  const double t0 = 10.0 * draw(&seed), x0[2] = {draw(&seed), 4.0 * draw(&seed) - 2.0};
  const double t1 = t0 + way * 6.0;
  ess_system system = {.dimension = 2, .guard_count = 2, OF_RATES(springs), .params = &w};
  static double times[GRID], states[2 * GRID];
  for (int j = 0; j < GRID; j++) times[j] = j == GRID - 1 ? t1 : t0 + way * 6.0 * j / (GRID - 1.0);
  ess_options options = toy_options(1e-11);
  double t = t0, x[2] = {x0[0], x0[1]};
  notes plain, o;
  options.observer = observe(&plain, way);
  ess_driver *d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_sample(d, &t, t1, x, times, GRID, states), ESS_SUCCESS);
  ess_driver_free(d);

  system.watch = (ess_watch){.count = WAVES, .values = wave_values};
  options.rtol = options.atol = tolerance;
  options.base = base;
  options.observer = observe(&o, way);
  d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double u = t0, y[2] = {x0[0], x0[1]};
  assert_int_equal(ess_driver_apply(d, &u, t1, y), ESS_SUCCESS);
  assert_true(o.in_order && u == t1);
  const double slack = base == ESS_BASE_DOPRI5 ? 1e3 * tolerance : 1e-2;
  assert_true(fabs(y[0] - x[0]) < slack && fabs(y[1] - x[1]) < 10.0 * slack);
  int compared = 0;
  for (int i = 0; i < WAVES && base == ESS_BASE_DOPRI5; i++) {
    double roots[NOTES];
    const int count = grid_roots(&w, i, times, states, roots);
    if (count < 0) continue;
    if (count_of(&o, i) != (size_t)count)
      fail_msg("function %d: %zu events, not %d", i, count_of(&o, i), count);
    for (int j = 0; j < count; j++)
      assert_true(fabs(time_of(&o, i, (size_t)j) - roots[j]) < 1e-3 * (tolerance > 1e-8 ? 10 : 1));
    compared += count;
  }
  for (int k = 100; k < 102 && base == ESS_BASE_DOPRI5; k++)
    assert_int_equal(count_of(&o, k), count_of(&plain, k));
  // none before the start
  for (size_t j = 0; j < o.count; j++) assert_true(o.way * (o.t[j] - t0) >= 0.0);
  ess_driver_free(d);
  return compared;
}

TEST(events_are_the_roots_of_runs_that_watch_nothing) {
  int compared = 0;
  for (uint64_t i = 0; i < 60; i++)
    compared += compare_case(2 * i + 1, i % 2 ? -1.0 : 1.0, ESS_BASE_DOPRI5, i % 3 ? 1e-9 : 1e-7);
  assert_true(compared > 1000);
}

TEST(stabilised_steps_and_chosen_ones_are_watched) {
  for (uint64_t i = 0; i < 4; i++) {
    compare_case(2 * i + 1, 1.0, ESS_BASE_RKC, 1e-6);
    compare_case(2 * i + 1, 1.0, ESS_BASE_CHOSEN, 1e-6);
  }
}

/* ---- a ball that bounces --------------------------------------------------------------------- */

static const double RETURNED = 0.8;

IMPACT_MAP_CODE(bounce) {
  assert_true(impact->count == 1 && impact->events[0] == 0);
  impact->after[0] = 0.0;
  impact->after[1] = -RETURNED * impact->x[1];
  return toy_stays_above(impact, 0);
}

/* velocity, height above some depth, a height that is passed both ways, and time */
static int ball_values(double t, const double x[], double g[], void *params) {
  const double *const depth = params;
  g[0] = x[1];
  g[1] = x[0] + *depth;
  g[2] = x[0] - 0.25;
  g[3] = t - 0.7;
  return 0;
}

static void watch_ball(bool followed) {
  const double directions[] = {1, 0, 0, 1};
  const ess_impacts impacts = {.map = bounce};
  const int direction[] = {0, 0, 0, 0};
  // tangents are refused where the floor is watched as well: two events of one instant
  double depth = followed ? 1.0 : 0.0;
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             OF_JACOBIAN(toy_fall),
                             .impacts = &impacts,
                             .watch = {.count = 4, .values = ball_values, .direction = direction},
                             .params = &depth};
  notes o;
  ess_options options = ess_options_default();
  options.observer = observe(&o, 1.0);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  if (followed) assert_int_equal(ess_driver_follow(d, 2, directions), ESS_SUCCESS);
  double t = 0.0, x[2] = {1.0, 1.0};
  const double g = TOY_GRAVITY, v = sqrt(1.0 + 2.0 * g), first = (1.0 + v) / g;
  const double second = first + 2.0 * RETURNED * v / g, third = second + 2.0 * 0.64 * v / g;
  const double end = 0.5 * (second + third);
  assert_int_equal(ess_driver_apply(d, &t, end + 1e-3, x), ESS_SUCCESS);
  assert_true(o.in_order);
  assert_int_equal(count_of(&o, -1), 2);
  assert_int_equal(count_of(&o, 100), 2);
  // tops, and between them jumps past 0
  const double turns[] = {1.0 / g, first, 0.5 * (first + second), second, end};
  assert_int_equal(count_of(&o, 0), 5);
  for (size_t i = 0; i < 5; i++) assert_true(fabs(time_of(&o, 0, i) - turns[i]) < 1e-7);
  // on the floor it is told of once for each impact
  assert_int_equal(count_of(&o, 1), followed ? 0 : 2);
  for (size_t i = 0; !followed && i < 2; i++)
    assert_true(fabs(time_of(&o, 1, i) - (i ? second : first)) < 1e-7);
  // from above, up and down, and up again
  assert_int_equal(count_of(&o, 2), 4);
  assert_int_equal(count_of(&o, 3), 1);
  assert_true(fabs(time_of(&o, 3, 0) - 0.7) < 1e-9);
  ess_driver_free(d);
}

TEST(a_bouncing_ball_is_watched) {
  watch_ball(false);
  watch_ball(true);
}

/* two more states, which are alike but for rounding, and are multiplied by the same number */
FIELD_CODE(same_field) {
  dxdt[2] = dxdt[3] = 0.0;
  return toy_fall_field(t, x, sign, dxdt, params);
}

IMPACT_MAP_CODE(same_bounce) {
  impact->after[2] = 0.1 * impact->x[2] * 3.0;
  impact->after[3] = 0.3 * impact->x[3];
  return bounce(impact, params);
}

static int same_values(double t, const double x[], double g[], void *params) {
  g[0] = x[3] - x[2];
  return 0;
}

/* Outcome: an impact that takes a function past its zero by rounding alone has no event. */
TEST(rounding_is_no_jump) {
  const ess_impacts impacts = {.map = same_bounce};
  const ess_system system = {.dimension = 4,
                             .guard_count = 1,
                             .field = same_field,
                             .guards = toy_fall_guards,
                             .impacts = &impacts,
                             .watch = {.count = 1, .values = same_values}};
  for (double size = 1.0; size < 1e6; size *= 1.37) {
    notes o;
    ess_options options = ess_options_default();
    options.observer = observe(&o, 1.0);
    double x[4] = {1.0, 0.0, size, size};
    toy_succeeds(&system, &options, 0.0, 3.0, x);
    assert_true(count_of(&o, -1) > 3);
    assert_int_equal(count_of(&o, 0), 0);
  }
}

/* the velocity jumps past zero when the ball lands, from a height y at sqrt(2 y / g) and the faster
 * by dy g / v */
TEST(a_run_ends_on_a_jump_and_its_section_is_the_impacts) {
  const ess_impacts impacts = {.map = bounce};
  const uint64_t stop[] = {1, 0, 0, 0};
  const double directions[] = {1, 0, 0, 1}, g = TOY_GRAVITY, v = sqrt(2.0 * g);
  for (int way = -1; way <= 1; way += 2) {
    const int direction[] = {way, 0, 0, 0};
    double depth = 1.0;
    const ess_system system = {
        .dimension = 2,
        .guard_count = 1,
        OF(toy_fall),
        .impacts = &impacts,
        .watch = {.count = 4, .values = ball_values, .direction = direction, .stop = stop},
        .params = &depth};
    const ess_options options = toy_options(1e-10);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    assert_int_equal(ess_driver_follow(d, 2, directions), ESS_SUCCESS);
    double t = 0.0, x[2] = {1.0, 0.0}, Dt[2], Dx[4];
    // the ball, or what it would have come from: backward it bounces off the floor alike
    assert_int_equal(ess_driver_apply(d, &t, way * 3.0, x), ESS_ESTOP);
    assert_true(fabs(t - way * v / g) < 1e-8);
    assert_int_equal(ess_driver_section(d, 1, Dt, Dx), ESS_SUCCESS);
    assert_true(fabs(Dt[0] - way / v) < 1e-7 && fabs(Dt[1] - 1.0 / g) < 1e-7);
    assert_true(fabs(Dx[0]) < 1e-7 && fabs(Dx[1]) < 1e-7);
    assert_true(fabs(Dx[2] - way * RETURNED * g / v) < 1e-7 && fabs(Dx[3]) < 1e-7);
    ess_driver_free(d);
  }
}

/* ---- systems that say more ------------------------------------------------------------------- */

/* one-way crossings, and a pool: both are as without what is watched, which is passed both ways */
TEST(one_way_and_resets_are_as_without) {
  const size_t row_start[] = {0, 0, 0, 0, 0, 2}, guard[] = {0, 2};
  const signed char effect[] = {1, 1};
  const ess_reset_matrix pool = {.row_start = row_start, .guard = guard, .effect = effect};
  for (int i = 0; i < 4; i++) {
    waves w = {.size = {1, 1, 1}, .speed = {3, 5, 7}};
    notes plain, o;
    ess_options options = ess_options_default();
    ess_system system = {.dimension = 2,
                         .guard_count = 2,
                         OF(springs),
                         .one_way = i % 2,
                         .resets = i / 2 ? &pool : NULL,
                         .params = &w};
    double x[2][2] = {{0.1, 3.0}, {0.1, 3.0}};
    for (int watched = 0; watched < 2; watched++) {
      if (watched) system.watch = (ess_watch){.count = WAVES, .values = wave_values};
      options.observer = observe(watched ? &o : &plain, 1.0);
      toy_succeeds(&system, &options, 0.1, 5.0, x[watched]);
    }
    assert_true(plain.count > 0);
    for (int k = 0; k < 2; k++) {
      assert_int_equal(count_of(&o, 100 + k), count_of(&plain, 100 + k));
      assert_true(fabs(x[0][k] - x[1][k]) < 1e-6);
    }
    const double pi = acos(-1.0);
    for (int k = 0; k < WAVES; k++) {
      assert_int_equal(count_of(&o, k), (size_t)(5.0 * w.speed[k] / pi));
      for (size_t j = 0; j < count_of(&o, k); j++)
        assert_true(fabs(time_of(&o, k, j) - (double)(j + 1) * pi / w.speed[k]) < 1e-7);
    }
  }
}

/* the derivative of the time of an event, by its number after the guards: x' = x, x = 3 */
FIELD(grows) {
  dxdt[0] = x[0];
}

static int reaches(double t, const double x[], double g[], void *params) {
  g[0] = x[0] - 3.0 * t;
  return 0;
}

/* e^t x0 = 3 t: dt = -e^t dx0 / (x - 3) */
TEST(sections_are_of_events_too) {
  const uint64_t stop[] = {1};
  const ess_system system = {
      .dimension = 1, .field = grows, .watch = {.count = 1, .values = reaches, .stop = stop}};
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_follow(d, 1, NULL), ESS_SUCCESS);
  double t = 0.0, x[1] = {1.0}, Dt[1], Dx[1];
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_ESTOP);
  assert_true(fabs(exp(t) - 3.0 * t) < 1e-7);
  assert_int_equal(ess_driver_section(d, 0, Dt, Dx), ESS_SUCCESS);
  const double expected = -exp(t) / (x[0] - 3.0);
  assert_true(fabs(Dt[0] - expected) < 1e-5 * fabs(expected));
  assert_true(fabs(Dx[0] - 3.0 * expected) < 1e-5 * fabs(expected));
  ess_driver_free(d);
}

/* ---- an initial condition at an event ---------------------------------------------------------
 */

static int heights(double t, const double x[], double g[], void *params) {
  g[0] = (x[0] + 2.2) - (x[1] + 2.7);
  g[1] = x[0] - 0.3 * sin(0.7 * t);
  g[2] = x[0] * x[0] - 0.4;
  return 0;
}

FIELD(swings) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0];
}

/* a driver for each stretch, from where the one before was stopped, finds what one driver finds */
TEST(a_run_from_an_event_does_not_report_it_again) {
  for (int i = 0; i < 3 * 2 * 4; i++) {
    const double way = i % 2 ? -1.0 : 1.0, end = 20.0 * way;
    uint64_t stop[3] = {0};
    ess_system system = {.dimension = 2, .field = swings, .watch = {.count = 3, .values = heights}};
    notes all, o;
    ess_options options = toy_options(pow(10.0, -3.0 * (1 + i / 6)));
    options.observer = observe(&all, way);
    double x[2] = {1.0, 0.3}, t = 0.0;
    toy_succeeds(&system, &options, 0.0, end, x);
    const size_t k = (size_t)i / 2 % 3, count = count_of(&all, (int)k);
    stop[k] = 1;
    system.watch.stop = stop;
    options.observer = observe(&o, way);
    x[0] = 1.0;
    x[1] = 0.3;
    int status = ESS_ESTOP;
    while (status == ESS_ESTOP && count_of(&o, (int)k) <= count) {
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      status = ess_driver_apply(d, &t, end, x);
      ess_driver_free(d);
    }
    if (status || count_of(&o, (int)k) != count || count < 6)
      fail_msg("event %zu, %g, way %g: %zu in place of %zu, %s", k, options.rtol, way,
               count_of(&o, (int)k), count, ess_strerror(status));
  }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static int not_a_number(double t, const double x[], double g[], void *params) {
  g[0] = 1.0;
  g[1] = t > 0.5 ? NAN : 1.0;
  return 0;
}

static int fails(double t, const double x[], double g[], void *params) {
  g[0] = 1.0;
  return t > 0.5 ? 7 : 0;
}

TEST(faults_end_with_a_status) {
  ess_system system = {
      .dimension = 1, .field = toy_clock, .watch = {.count = 2, .values = not_a_number}};
  ess_options options = ess_options_default();
  ess_driver *d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[1] = {0.0};
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_EGUARD);
  assert_int_equal(ess_driver_failure(d)->guard, 1);
  ess_driver_free(d);
  system.watch = (ess_watch){.count = 1, .values = fails};
  d = ess_driver_alloc(&system, &options, NULL);
  t = x[0] = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_ECALLBACK);
  assert_int_equal(ess_driver_failure(d)->callback_code, 7);
  const ess_options paper = ess_options_paper();
  assert_int_equal(ess_driver_set_options(d, &paper), ESS_EINVAL);
  assert_non_null(strstr(ess_check(&system, &paper), "watch.count"));
  ess_driver_free(d);
  const int direction[] = {2};
  system.watch.direction = direction;
  assert_non_null(strstr(ess_check(&system, &options), "watch.direction"));
  system.watch.values = NULL;
  assert_non_null(strstr(ess_check(&system, &options), "watch.values"));
}
