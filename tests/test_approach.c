/*
 * The option `approach`: where in a guard's neighbourhood an integration step stops, that no
 * crossing is missed for it, and what is projected onto from there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"
#include "lanes.h"

static const double parts[] = {1.0, 0.5, 0.25, 0.01};
static const double step_limits[] = {INFINITY, 0.3, 0.02, 0.002};
enum { PARTS = sizeof parts / sizeof *parts, LIMITS = sizeof step_limits / sizeof *step_limits };

/* ---- where a step stops: one ball, dropped at rest ---------------------------------------------
 */

/* its first projection, and how many there are */
typedef struct projections {
  double begin, end, height;
  size_t count;
  double before; /* height at the step before */
} projections;

static int note_step(const ess_step_info *info, void *context) {
  projections *const p = context;
  if (info->projection && !p->count++) {
    p->begin = info->t0;
    p->end = info->t1;
    p->height = p->before;
  }
  p->before = info->x[0];
  return 0;
}

/* from `height` until it is on its spring; h = -scale z */
static projections drop_one(double height, double scale, ess_options options) {
  balls b = balls_of(1, 1);
  b.scale[0] = scale;
  const ess_system system = balls_system(&b);
  projections seen = {.before = height};
  options.observer = (ess_observer){.step = note_step, .context = &seen};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  const toy_ball ball = {.stiffness = b.stiffness};
  double x[2] = {height, 0.0}, t = 0.0;
  const double end = sqrt(height) + 0.5 * ball_contact_time(&ball, height);
  assert_int_equal(ess_driver_apply(d, &t, end, x), ESS_SUCCESS);
  assert_int_equal(seen.count, 1);
  assert_int_equal(ess_driver_counters(d)->crossings, 1);
  ess_driver_free(d);
  return seen;
}

/* from height z0 at rest: when it is within `length` of the ground, z0 - t^2 = length; and when the
 * tangent takes no longer than `reach` there, z0 - t^2 = 2 t reach */
static double within_length(double height, double length) {
  return sqrt(fmax(0.0, height - length));
}

static double within_time(double height, double reach) {
  return sqrt(reach * reach + height) - reach;
}

/* a neighbourhood's edge, and the place where the part `approach` of it is left: the later of what
 * a length and a time say */
static double left_at(double height, double length, double time, double approach) {
  const double in_space = within_length(height, approach * length);
  return time < INFINITY ? fmax(in_space, within_time(height, approach * time)) : in_space;
}

/* A step that goes all the way stops there; one that h_max ends before, in the neighbourhood or
 * not, is followed by others that do. */
static void check_stop(double height, double length, double time, ess_options options) {
  options.h_init = 10.0;
  const projections seen = drop_one(height, 2.0, options);
  const double place = left_at(height, length, time, options.approach);
  if (!(fabs(seen.begin - place) < 1e-8 + 1e-6 * (sqrt(height) - place)))
    fail_msg("height %g, length %g, time %g, approach %g, steps to %g: from %.9g, not %.9g", height,
             length, time, options.approach, options.h_max, seen.begin, place);
  // the tangent from there is followed to the ground
  const double left = height - seen.begin * seen.begin, tangent = 0.5 * left / seen.begin;
  assert_true(fabs(seen.height - left) < 1e-7);
  if (options.order == 1) assert_true(fabs(seen.end - seen.begin - tangent) < 1e-7);
}

static void steps_stop_where_that_part_of_a_length_is_left(void **state) {
  (void)state;
  for (double height = 0.01; height < 3.0; height *= 2.3)
    for (double length = 1e-5; length < 0.9 * height; length *= 5.1)
      for (size_t i = 0; i < PARTS * LIMITS; i++)
        for (int order = 1; order <= 2; order++) {
          ess_options options = ess_options_paper();
          const double one = 2.0 * length;
          // the first guard's own, or everybody's
          options.epsilon = i % 2 ? one : 17.0;
          options.guard_epsilons = i % 2 ? NULL : &one;
          options.approach = parts[i / LIMITS];
          options.h_max = step_limits[i % LIMITS];
          options.order = order;
          check_stop(height, length, INFINITY, options);
        }
}

static void steps_stop_where_that_part_of_a_time_is_left(void **state) {
  (void)state;
  for (double height = 0.01; height < 3.0; height *= 2.3)
    for (double time = 1e-5; time < 0.2; time *= 3.7)
      for (size_t i = 0; i < PARTS * LIMITS; i++) {
        ess_options options = ess_options_paper();
        options.epsilon_time = time;
        options.approach = parts[i / LIMITS];
        options.h_max = step_limits[i % LIMITS];
        check_stop(height, INFINITY, time, options);
      }
}

/* a length, and a bound on projections, of both of which that part is left */
static void steps_stop_where_that_part_of_both_is_left(void **state) {
  (void)state;
  size_t by_length = 0, by_time = 0;
  for (double height = 0.01; height < 3.0; height *= 2.3)
    for (double length = 1e-4; length < 0.9 * height; length *= 5.1)
      for (double time = 1e-4; time < 0.2; time *= 4.1)
        for (size_t i = 0; i < PARTS * LIMITS; i++) {
          ess_options options = ess_options_paper();
          options.epsilon = 2.0 * length;
          options.projection_max = time;
          options.approach = parts[i / LIMITS];
          options.h_max = step_limits[i % LIMITS];
          check_stop(height, length, time, options);
          const bool later = within_length(height, length) > within_time(height, time);
          by_length += later;
          by_time += !later;
        }
  assert_true(by_length > 100 && by_time > 100);
}

/* A run that starts within the part that is left to approach does not integrate first; one that
 * starts between that and the edge does, up to there. */
static void a_start_is_projected_from_or_led_to_the_place(void **state) {
  (void)state;
  for (double share = 0.05; share < 1.0; share += 0.1) {
    lanes l = {.count = 1, .offset = {0.1}};
    const ess_system system = lanes_system(&l);
    projections seen = {0};
    ess_options options = ess_options_paper();
    options.epsilon = 0.1;
    options.approach = 0.3;
    options.observer = (ess_observer){.step = note_step, .context = &seen};
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {0.1 - 0.1 * share, 0.0};
    assert_int_equal(ess_driver_apply(d, &t, 0.2, x), ESS_SUCCESS);
    const double place = share < 0.3 ? 0.0 : 0.1 * (share - 0.3);
    assert_true(seen.count == 1 && fabs(seen.begin - place) < (share < 0.3 ? 1e-300 : 1e-12));
    assert_true(fabs(seen.end - 0.1 * share) < 1e-12);
    ess_driver_free(d);
  }
}

/* Where a projection ends, the next guard is projected onto from anywhere in its neighbourhood: the
 * first from 0.03 before it, the second from where that leads to, 0.06 before it. */
static void what_follows_a_projection_need_not_be_approached(void **state) {
  (void)state;
  for (int order = 1; order <= 2; order++) {
    lanes l = {.count = 2, .offset = {0.5, 0.56}, .jump = {1.0, -2.0}};
    const ess_system system = lanes_system(&l);
    projections seen = {0};
    ess_options options = ess_options_paper();
    options.epsilon = 0.1;
    options.approach = 0.3;
    options.order = order;
    options.observer = (ess_observer){.step = note_step, .context = &seen};
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {0.0, 0.0};
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_true(seen.count == 2 && fabs(seen.begin - 0.47) < 1e-9);
    const ess_counters *const c = ess_driver_counters(d);
    assert_true(c->projections == 2 && c->entries == 1);
    ess_driver_free(d);
  }
}

/* ---- nothing is missed -------------------------------------------------------------------------
 */

/* Balls that turn around where they like, on all step lengths: each touches down and lifts off
 * once, and the error is no larger than whole neighbourhoods' may be. Parts so small that they are
 * below rounding, or 0 as a length, are the guard itself. */
static void no_crossing_is_missed(void **state) {
  (void)state;
  static const double small[] = {0.25, 0.01, 1e-6, 1e-12, 1e-17, 1e-300, 5e-324};
  for (size_t i = 0; i < 7 * LIMITS * 2 * 3; i++) {
    const int order = 1 + (int)(i & 1), kind = (int)(i / 2 % 3);
    balls b = balls_of(5, 5);
    const ess_system system = balls_system(&b);
    balls_trace trace;
    ess_options options = ess_options_paper();
    options.epsilon = 0.01;
    options.epsilon_time = kind == 1 ? 0.003 : 0.0;
    options.projection_max = kind == 2 ? 0.003 : INFINITY;
    options.order = order;
    options.approach = small[i / 6 % 7];
    options.h_max = step_limits[i / 6 / 7];
    options.observer = balls_observer(&b, &trace);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x0[10], x[10], t = 0.0;
    balls_drop(&b, 0.5, 0.3, x0);
    memcpy(x, x0, sizeof x);
    assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
    assert_true(trace.crossings == 10 && trace.projections == 10);
    assert_true(trace.longest < 0.011);
    const double error = balls_error(&b, x0, t, x);
    if (!(error < (order == 1 ? 0.02 : 0.002)))
      fail_msg("order %d, kind %d, approach %g, steps to %g: error %g", order, kind,
               options.approach, options.h_max, error);
    ess_driver_free(d);
  }
}

/* the error of one touch-down falls with the square of the part (order 2: with its cube), as it
 * does with that of epsilon */
static void the_error_is_that_of_a_part_as_wide(void **state) {
  (void)state;
  for (int order = 1; order <= 2; order++) {
    double error[2][3];
    for (int i = 0; i < 6; i++) {
      toy_ball ball = {.stiffness = 50.0};
      const ess_system system = ball_system(&ball);
      const double part = pow(0.5, i % 3);
      ess_options options = ess_options_paper();
      options.epsilon = i / 3 ? 0.02 * part : 0.02;
      options.approach = i / 3 ? 1.0 : part;
      options.order = order;
      options.h_init = 10.0;
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double x[2] = {1.0, 0.0}, exact[2], t = 0.0;
      assert_int_equal(ess_driver_apply(d, &t, 1.2, x), ESS_SUCCESS);
      ball_exact(&ball, 1.0, t, exact);
      error[i / 3][i % 3] = hypot(x[0] - exact[0], x[1] - exact[1]);
      ess_driver_free(d);
    }
    for (int k = 0; k < 3; k++) assert_true(fabs(error[0][k] / error[1][k] - 1.0) < 1e-3);
    for (int k = 1; k < 3; k++)
      assert_true(fabs(log2(error[0][k - 1] / error[0][k]) - (order + 1)) < 0.1);
  }
}

/* the error of five balls' touch-downs and lift-offs, all apart, and the steps made */
static double five_balls_error(int order, double approach, double rtol, double h_max,
                               uint64_t *steps) {
  balls b = balls_of(5, 5);
  const ess_system system = balls_system(&b);
  ess_options options = ess_options_paper();
  options.epsilon_time = 0.01;
  options.approach = approach;
  options.order = order;
  options.rtol = rtol;
  options.atol = 1e-2 * rtol;
  options.h_max = h_max;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x0[10], x[10], t = 0.0;
  balls_drop(&b, 0.5, 0.3, x0);
  memcpy(x, x0, sizeof x);
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_counters(d)->projections, 10);
  *steps = ess_driver_counters(d)->steps;
  ess_driver_free(d);
  return balls_error(&b, x0, t, x);
}

/* Steps shorter than neighbourhoods, for a tolerance or for h_max, end between the edge and the
 * part to approach: they are no reason to project from there. The error stays that of the part, its
 * square (order 2: cube) times that of whole neighbourhoods. */
static void short_steps_err_no_more(void **state) {
  (void)state;
  for (int order = 1; order <= 2; order++) {
    uint64_t few, many;
    const double whole = five_balls_error(order, 1.0, 1e-9, INFINITY, &few);
    const double part = five_balls_error(order, 0.25, 1e-9, INFINITY, &few);
    print_message("order %d: %.3e, and %.3e with 1/4 to approach\n", order, whole, part);
    assert_true(fabs(log(whole / part) / log(4.0) - (order + 1)) < 0.1);
    for (int i = 1; i < 5; i++) {
      const double tight = five_balls_error(order, 0.25, pow(10.0, -9.0 - i), INFINITY, &many);
      assert_true(fabs(tight / part - 1.0) < 0.03 && many > few);
      const double capped = five_balls_error(order, 0.25, 1e-9, 0.08 / pow(4.0, i), &many);
      assert_true(fabs(capped / part - 1.0) < 0.03 && many > few);
    }
    assert_true(many > 10 * few);
  }
}

/* ---- more is left for crossings made together --------------------------------------------------
 */

/* Guards 0.02 apart and projections of 0.07 at most. A step that stops at the edge of the first
 * guard's neighbourhood leaves the second out of reach; one that stops with a quarter left, 0.0175
 * before it, has the third 0.0575 ahead; one that stops at the first itself, the fourth 0.06. */
static void more_is_made_together(void **state) {
  (void)state;
  static const struct {
    double approach;
    size_t first, projections;
  } cases[] = {{1.0, 1, 3}, {0.25, 3, 2}, {1e-9, 4, 2}};
  for (size_t i = 0; i < 3; i++) {
    lanes l = {
        .count = 5, .offset = {0.5, 0.52, 0.54, 0.56, 0.58}, .jump = {1.0, -2.0, 0.5, 3.0, -1.0}};
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = ess_options_paper();
    options.epsilon = 0.2;
    options.projection_max = 0.07;
    options.together = 0.1;
    options.h_init = 10.0;
    options.approach = cases[i].approach;
    options.observer = toy_observer(&log);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0, exact = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    for (size_t k = 0; k < 5; k++) exact += l.jump[k] * (1.0 - l.offset[k]);
    size_t first = 0;
    while (first < 5 && log.time[first] == log.time[0]) first++;
    assert_int_equal(first, cases[i].first);
    assert_int_equal(log.projections, cases[i].projections);
    assert_true(log.count == 5 && fabs(x[1] - exact) < 1e-12);
    ess_driver_free(d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_stop_where_that_part_of_a_length_is_left),
      cmocka_unit_test(steps_stop_where_that_part_of_a_time_is_left),
      cmocka_unit_test(steps_stop_where_that_part_of_both_is_left),
      cmocka_unit_test(a_start_is_projected_from_or_led_to_the_place),
      cmocka_unit_test(what_follows_a_projection_need_not_be_approached),
      cmocka_unit_test(no_crossing_is_missed),
      cmocka_unit_test(the_error_is_that_of_a_part_as_wide),
      cmocka_unit_test(short_steps_err_no_more),
      cmocka_unit_test(more_is_made_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
