/*
 * Calls of a driver that a case (cases.h) cannot express: the last step, applies that follow each
 * other, callbacks that are made for one test, and numbers of event functions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "driven.h"
#include "ess_tangents.h"

static const char BALL[] = "z' = v; v' = -2 - 100*on(s)*z; s: -z; from 0: z = 1; to 3";

static ess_options paper(int order) {
  ess_options options = ess_options_paper();
  options.projection.order = order;
  return options;
}

/* ---- the last step --------------------------------------------------------------------------- */

TEST(dense_output_outside_the_last_step_is_refused) {
  driven r;
  double y[2] = {7.0, 7.0};
  begin_text(&r, BALL, HYBRID_GIVES_ALL, ess_options_default());
  assert_true(isnan(ess_driver_step_start(r.d)) && isnan(ess_driver_step_start(NULL)));
  assert_int_equal(ess_driver_dense(NULL, 0.0, y), ESS_EINVAL);
  assert_int_equal(ess_driver_dense(r.d, 0.0, y), ESS_EINVAL); // nothing has begun
  assert_int_equal(go(&r, 0.5), ESS_SUCCESS);
  const double start = ess_driver_step_start(r.d);
  const double outside[] = {nextafter(start, -1.0), nextafter(r.t, 1.0), NAN, INFINITY};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(ess_driver_dense(r.d, outside[i], y), ESS_EINVAL);
    assert_non_null(strstr(ess_driver_failure(r.d)->reason, "t must lie within the last step"));
  }
  assert_int_equal(ess_driver_dense(r.d, r.t, NULL), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(r.d)->reason, "x must not be NULL");
  assert_true(y[0] == 7.0 && y[1] == 7.0);
  ess_driver_reset(r.d);
  assert_int_equal(ess_driver_dense(r.d, r.t, y), ESS_EINVAL);
  drop(&r);
}

TEST(the_last_step_stays_until_another) {
  driven r;
  double y[2], z[2];
  begin_text(&r, BALL, HYBRID_GIVES_ALL, ess_options_default());
  r.t = 0.25;
  // an apply without a step: the initial state alone
  assert_int_equal(go(&r, 0.25), ESS_SUCCESS);
  assert_true(ess_driver_step_start(r.d) == 0.25);
  assert_int_equal(ess_driver_dense(r.d, 0.25, y), ESS_SUCCESS);
  assert_memory_equal(r.x, y, sizeof y);
  // another apply without a step leaves the last one
  assert_int_equal(go(&r, 0.5), ESS_SUCCESS);
  const double start = ess_driver_step_start(r.d), middle = 0.5 * (start + r.t);
  assert_true(start >= 0.25 && start < 0.5);
  assert_int_equal(ess_driver_dense(r.d, middle, y), ESS_SUCCESS);
  assert_int_equal(go(&r, 0.5), ESS_SUCCESS);
  assert_int_equal(ess_driver_dense(r.d, middle, z), ESS_SUCCESS);
  assert_memory_equal(y, z, sizeof y);
  // no step has led to another state
  r.x[1] += 1.0;
  assert_int_equal(go(&r, 0.5), ESS_SUCCESS);
  assert_true(ess_driver_step_start(r.d) == 0.5);
  assert_int_equal(ess_driver_dense(r.d, middle, y), ESS_EINVAL);
  assert_int_equal(ess_driver_dense(r.d, 0.5, y), ESS_SUCCESS);
  assert_memory_equal(r.x, y, sizeof y);
  drop(&r);
}

/* within steps through crossings, with each number of states: lanes are filled up to a whole one */
enum { WIDEST = 9, GRID = 100 };

typedef struct combed {
  ess_driver *driver;
  size_t n, seen;
  double times[GRID], samples[GRID * WIDEST + 1];
} combed;

static int compare_samples(const ess_step_info *info, void *context) {
  combed *const c = context;
  double x[WIDEST];
  for (size_t k = 0; k < GRID; k++) {
    if (!(c->times[k] > info->t0 && c->times[k] < info->t1)) continue;
    assert_int_equal(ess_driver_dense(c->driver, c->times[k], x), ESS_SUCCESS);
    assert_memory_equal(x, c->samples + k * c->n, c->n * sizeof *x);
    c->seen++;
  }
  return 0;
}

TEST(samples_within_steps_through_crossings_are_dense_output) {
  for (size_t n = 1; n <= WIDEST; n++) {
    driven r;
    set_up(&r,
           hybrid_of("passed = sum(120: on(p@)*(0.01 + 2e-4*@))\n"
                     "each %zu: x@' = 1 + 0.1*@*cos(t + @) + passed\n"
                     "each 120: p@: x0 - 0.3 - 2e-3*@",
                     n),
           1u << HYBRID_GUARD_JACOBIAN | HYBRID_WEIGHTS, hybrid_options(1e-4));
    combed c = {.n = n};
    double x[WIDEST];
    for (size_t k = 0; k < GRID; k++) c.times[k] = 0.6 * (double)k / (GRID - 1);
    c.samples[GRID * n] = 7.0;
    begin(&r);
    assert_int_equal(ess_driver_sample(r.d, &r.t, 0.6, r.x, c.times, GRID, c.samples), 0);
    assert_true(c.samples[GRID * n] == 7.0 && ess_driver_counters(r.d)->through > 2);
    memcpy(x, r.x, n * sizeof *x);
    ess_driver_free(r.d);
    r.options.observer = (ess_observer){.step = compare_samples, .context = &c};
    begin(&r);
    c.driver = r.d;
    assert_int_equal(go(&r, 0.6), ESS_SUCCESS);
    assert_memory_equal(x, r.x, n * sizeof *x);
    assert_true(c.seen > GRID / 2);
    drop(&r);
  }
}

/* ---- applies that follow each other ---------------------------------------------------------- */

TEST(a_short_apply_does_not_shorten_the_next) {
  driven r;
  ess_options options = ess_options_paper();
  options.h_init = 1.0;
  begin_text(&r, "x' = 1; far: x - 10", HYBRID_GIVES_ALL, options);
  assert_int_equal(go(&r, 1e-6), ESS_SUCCESS);
  assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
  assert_int_equal(ess_driver_counters(r.d)->steps, 2);
  drop(&r);
}

typedef struct sequence {
  size_t backwards, beyond;
  double t1;
} sequence;

static int check_order(const ess_step_info *info, void *context) {
  sequence *const o = context;
  o->backwards += info->t1 < info->t0;
  o->beyond += info->t1 > o->t1;
  return 0;
}

/* two guards at one place, where rounding decides: 4 in 100 000 runs went back in time */
TEST(time_never_goes_back_or_beyond_the_end) {
  sequence o = {.t1 = 0.5};
  ess_options options = ess_options_paper();
  options.observer = (ess_observer){.step = check_order, .context = &o};
  driven r;
  begin_text(&r, "speed = 1; place = 0.5; x' = speed; p: x - place; q: x - place",
             1u << HYBRID_GUARD_RATES, options);
  uint64_t seed = 1;
  for (int i = 0; i < 100000; i++) {
    r.h->parameter[0] = draw_between(&seed, 1.0, 2.0);
    r.h->parameter[1] = draw(&seed);
    r.t = r.x[0] = 0.0;
    ess_driver_reset(r.d);
    assert_int_equal(go(&r, o.t1), ESS_SUCCESS);
    assert_true(r.t == o.t1);
  }
  assert_true(o.backwards == 0 && o.beyond == 0);
  drop(&r);
}

/* Where time resolves 1/8, a step in doubt cannot be halved and is taken as it is. Guards of a step
 * that could not be located are not taken for those of the step that was located last. */
typedef struct digits {
  ess_driver *driver;
  char of[16];
  size_t count;
} digits;

static int note_sign(const ess_step_info *info, void *context) {
  digits *const s = context;
  assert_in_range(s->count, 0, sizeof s->of - 2);
  s->of[s->count++] = ess_driver_sign(s->driver)[0] > 0.0 ? '1' : '0';
  return 0;
}

static digits run_unresolved(bool has_run_before) {
  digits s = {0};
  driven r;
  set_up(&r,
         hybrid_of("rough = 0; x' = 1; far: x - 10; low: -1 + rough*sin(1e9*x)\n"
                   "silent both far; row up far:; from 1e15"),
         0, ess_options_paper());
  r.options.h_init = r.options.h_max = 12.0;
  r.options.observer = (ess_observer){.step = note_sign, .context = &s};
  begin(&r);
  s.driver = r.d;
  for (int run = has_run_before ? 0 : 1; run < 2; run++) {
    memset(s.of, 0, sizeof s.of);
    s.count = 0;
    r.h->parameter[0] = run ? 0.9 : 0.0;
    again(&r);
    assert_int_equal(go(&r, 1e15 + 24.0), ESS_SUCCESS);
    assert_true(ess_driver_counters(r.d)->silent == 1 && fabs(r.x[0] - 24.0) < 1e-12);
    assert_true((ess_driver_counters(r.d)->rejected > 0) == (run == 1));
  }
  drop(&r);
  return s;
}

TEST(a_reset_forgets_which_guards_were_located) {
  const digits fresh = run_unresolved(false), again = run_unresolved(true);
  assert_string_equal(fresh.of, again.of);
}

/* a ball from this height above a table */
static void fall(driven *r, double height, double speed) {
  again(r);
  r->x[0] = height;
  r->x[1] = speed;
  assert_int_equal(go(r, 1.5 + 10.0 * height), ESS_SUCCESS);
}

TEST(a_reset_forgets_the_run_before_of_a_state_that_rests) {
  for (int i = 0; i < 20; i++) {
    driven r;
    // differences without a Jacobian may fail at smaller tolerances
    set_up(&r,
           hybrid_of("e = 0.3; a = 0.1; w = 12; x' = v; v' = -9.81\n"
                     "table: x - a*sin(w*t)\n"
                     "hit down table: v = -e*v + (1 + e)*a*w*cos(w*t)\n"),
           i % 2 ? 0 : HYBRID_GIVES_ALL, hybrid_options(1e-6));
    r.options.sliding = ESS_SLIDING_SLIDE_AND_REST;
    begin(&r);
    const bool lies = i >= 10;
    const double height = lies ? 0.0 : 0.1 + 0.01 * i, speed = lies ? 1.2 : 0.1;
    double fresh[2];
    fall(&r, height, speed);
    memcpy(fresh, r.x, sizeof fresh);
    fall(&r, 0.2 - 0.01 * i / 2, -0.05);
    fall(&r, height, speed);
    assert_true(fresh[0] == r.x[0] && fresh[1] == r.x[1]);
    drop(&r);
  }
}

/* ---- callbacks of their own ------------------------------------------------------------------ */

static int arm_everything(double t, const double x[], double sign[], bool armed[], void *params) {
  armed[ESS_GUARD_UP(0)] = armed[ESS_GUARD_DOWN(0)] = true;
  return 0;
}

/* `start` clears guards; where it sets one that does not lie ahead, that is not armed */
TEST(no_start_arms_a_one_way_event_function_downward) {
  for (int i = 0; i < 4; i++) {
    const bool one_way = i & 1;
    driven r;
    set_up(&r, hybrid_of("x' = 1; p: 0.5 - x; row up p: ; %s", one_way ? "one-way" : ""),
           HYBRID_GIVES_ALL, i & 2 ? ess_options_default() : ess_options_paper());
    r.system.start = arm_everything;
    begin(&r);
    assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(r.d)->crossings, one_way ? 0 : 1);
    drop(&r);
  }
}

static int say_up(double t, const double x[], double sign[], bool armed[], void *params) {
  assert_true(t == 0.25 && x[0] == 0.0 && sign[0] == -1.0);
  assert_true(armed[ESS_GUARD_UP(0)] && armed[ESS_GUARD_DOWN(0)]);
  armed[ESS_GUARD_DOWN(0)] = false;
  sign[0] = 1.0;
  return 0;
}

static int say_up_alone(double t, const double x[], double sign[], bool armed[], void *params) {
  sign[0] = 1.0;
  return 0;
}

static int say_nothing(double t, const double x[], double sign[], bool armed[], void *params) {
  sign[0] = 0.0;
  return 0;
}

/* without impacts, too, and although the event function has the other sign */
TEST(a_run_begins_in_the_mode_that_start_says) {
  driven r;
  set_up(&r, hybrid_of("x' = off(p) - on(p); p: x - 0.5; from 0.25: x = 0"), HYBRID_GIVES_ALL,
         hybrid_options(1e-8));
  r.system.start = say_up;
  begin(&r);
  assert_int_equal(go(&r, 1.25), ESS_SUCCESS);
  assert_true(fabs(r.x[0] + 1.0) < 1e-12 && ess_driver_sign(r.d)[0] == 1.0);
  assert_int_equal(ess_driver_counters(r.d)->crossings, 0);
  drop(&r);
  set_up(&r, hybrid_of("x' = 1; p: x - 0.5"), HYBRID_GIVES_ALL, hybrid_options(1e-8));
  r.system.start = say_nothing;
  begin(&r);
  assert_int_equal(go(&r, 1.0), ESS_EIMPACT);
  assert_string_equal(ess_driver_failure(r.d)->reason,
                      "each sign that start returns must be exactly -1.0 or +1.0");
  r.system.start = NULL;
  drop(&r);
}

/* the event function rises through its zero, which is no event in that mode, and falls again */
TEST(the_guard_ahead_of_a_sign_that_start_changes_is_armed) {
  for (int i = 0; i < 2; i++) {
    driven r;
    set_up(&r, hybrid_of("x' = 1 - 2*t; p: x - 0.1; from 0: x = 0"), HYBRID_GIVES_ALL,
           i ? ess_options_paper() : hybrid_options(1e-8));
    r.system.start = say_up_alone;
    begin(&r);
    assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(r.d)->crossings, 1);
    assert_true(ess_driver_sign(r.d)[0] == -1.0);
    drop(&r);
  }
}

/* in either direction: what is crossed once stays, and its mirror image does to the last bit */
TEST(a_guard_that_is_none_is_passed_without_effect) {
  static const char *const texts[] = {"x' = cos(t); q' = on(a)*x; a: x; from 0: x = -0.5; to 9",
                                      "x' = cos(t); q' = off(a)*x; a: -x; from 0: x = -0.5; to 9"};
  double end[2];
  for (size_t i = 0; i < 2; i++) {
    ess_guard_kind kinds[2] = {ESS_GUARD_CHANGES_FIELD};
    kinds[i ? ESS_GUARD_UP(0) : ESS_GUARD_DOWN(0)] = ESS_GUARD_NONE;
    driven r;
    set_up(&r, hybrid_of("%s", texts[i]), HYBRID_GIVES_ALL, hybrid_options(1e-8));
    r.system.kinds = kinds;
    begin(&r);
    assert_int_equal(go(&r, 9.0), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(r.d)->crossings, 1);
    end[i] = r.x[1];
    drop(&r);
  }
  assert_true(end[0] == end[1]);
  // from the crossing at arcsin(0.5): the integral of sin(t) - 0.5
  const double t = asin(0.5);
  assert_true(fabs(end[0] - (cos(t) - cos(9.0) - 0.5 * (9.0 - t))) < 1e-6);
}

static double kinked(double x) {
  return fabs(x) + x * x * x - 0.5;
}

static double width; /* of a difference */

static int wide_rates(double t, const double x[], double vt, const double v[], const size_t which[],
                      size_t count, double h[], double rate[], void *params) {
  (void)vt, (void)which, (void)count;
  rate[0] = v[0] * (kinked(x[0] + width) - kinked(x[0] - width)) / (2.0 * width);
  h[0] = kinked(x[0]);
  return 0;
}

/* rates that are differences over more than the first steps */
TEST(a_wide_difference_beside_a_kink_is_believed) {
  for (width = 1e-3; width > 1e-9; width *= 0.1) {
    driven r;
    set_up(&r, hybrid_of("x' = 1; p: sqrt(x^2) + x^3 - 0.5; from 0: x = %.17g", 0.1 * width), 0,
           ess_options_default());
    r.system.event_rates = wide_rates;
    begin(&r);
    assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(r.d)->crossings, 1);
    drop(&r);
  }
}

/* ---- numbers of event functions -------------------------------------------------------------- */

/* balls on springs, and event functions that nothing reaches; counts about the sizes of blocks */
static hybrid *balls(size_t count, size_t others) {
  hybrid *const h = hybrid_of("each %zu: z@' = v@\neach %zu: v@' = -2 - 50*on(s@)*z@\n"
                              "each %zu: s@: -z@\nto 2.5",
                              count, count, count);
  if (others) hybrid_add(h, "each %zu: far@: 9*cos(3.14159265358979*@) - z0", others);
  for (size_t i = 0; i < count; i++) // no two at one height
    hybrid_add(h, "from 0: z%zu = %.17g", i, 0.5 + 0.5 * fmod(0.6180339887498949 * (double)i, 1.0));
  return h;
}

static hybrid_end run_balls(size_t count, size_t others, unsigned gives, int order) {
  static double epsilons[HYBRID_EVENTS];
  hybrid *const h = balls(count, others);
  hybrid_plan plan = {.options = paper(order), .gives = gives};
  for (size_t k = 0; k < count + others; k++) epsilons[k] = 0.002 + 1e-6 * (double)k;
  plan.options.projection.epsilons = epsilons;
  const hybrid_end end = hybrid_run(h, &plan);
  if (end.status) fail_msg("%zu and %zu: %s", count, others, ess_strerror(end.status));
  assert_int_equal(end.counters.some_evaluations, h->calls[HYBRID_SOME_RATES]);
  hybrid_free(h);
  return end;
}

TEST(rates_of_event_functions_stand_for_their_jacobian) {
  static const size_t counts[] = {1, 3, 4, 5, 15, 16, 17, 31, 33, 64};
  const unsigned rates = 1u << HYBRID_GUARD_RATES;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int order = 1; order <= 2; order++) {
      const hybrid_end a = run_balls(counts[i], 0, rates, order);
      assert_true((a.counters.some_evaluations > 0) == (counts[i] > 1)); // one alone is all
      const hybrid_end c = run_balls(counts[i], 0, 1u << HYBRID_GUARD_JACOBIAN, order);
      assert_int_equal(c.counters.crossings, a.counters.crossings);
      assert_int_equal(c.counters.projections, a.counters.projections);
      for (size_t k = 0; k < 2 * counts[i]; k++) assert_true(fabs(a.x[k] - c.x[k]) < 1e-8);
      hybrid *const h = balls(counts[i], 0);
      hybrid_plan plan = hybrid_at(1e-10);
      const hybrid_end truth = hybrid_run(h, &plan);
      assert_int_equal(a.counters.crossings, truth.counters.crossings);
      for (size_t k = 0; k < counts[i]; k++)
        assert_true(fabs(a.x[k] - truth.x[k]) < (order == 1 ? 1e-2 : 3e-3));
      hybrid_free(h);
    }
}

TEST(guards_that_are_never_reached_change_no_bit) {
  static const size_t others[] = {1, 3, 4, 5, 15, 16, 17, 31, 33, 100, 1000};
  const unsigned gives = 1u << HYBRID_GUARD_RATES;
  const hybrid_end few = run_balls(3, 0, gives, 2);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_true(run_balls(3, others[i], gives, 2).log.hash == few.log.hash);
}
