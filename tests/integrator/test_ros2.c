/*
 * The linearly implicit base of order 2 (ess_options.base): its order whatever matrix the caller
 * has, damping that is stiff, crossings, runs backwards, and what goes wrong.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bases.h"
#include "ess_tangents.h"

/* ---- order ----------------------------------------------------------------------------------- */

/* W is so much of the Jacobian */
typedef struct smooth {
  double share;
  int solves;
} smooth;

static int smooth_solve(double t, const double x[], const double sign[], double c, double v[],
                        void *params) {
  smooth *const s = params;
  s->solves++;
  const double w00 = -2.0 * x[0] * cos(t), w10 = -x[1] * sin(t) * (2.0 + sin(t));
  const double w11 = -sin(t) * x[0] * (2.0 + sin(t)), by = c * s->share;
  v[0] /= 1.0 - by * w00;
  v[1] = (v[1] + by * w10 * v[0]) / (1.0 - by * w11);
  return 0;
}

static void run_smoothly(double share, unsigned steps, double t1, double *end, double *way) {
  smooth s = {.share = share};
  const ess_system system = {
      .dimension = 2, .field = smooth_field, .field_solve = smooth_solve, .params = &s};
  const ess_counters c = smooth_run(&system, ESS_BASE_ROS2, steps, t1, end, way);
  // the first step has one more, in its middle, where its estimate sees nothing
  assert_in_range(c.field_evaluations, 1 + 2 * steps, 2 + 2 * steps);
  assert_int_equal(s.solves, 2 * steps);
}

TEST(its_order_is_2_with_any_matrix) {
  const double shares[] = {0.0, 0.3, 1.0, 2.0, -1.0};
  for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
    for (int way = -1; way <= 1; way += 2) {
      double end[5], dense[5];
      for (int i = 0; i < 5; i++) run_smoothly(shares[k], 40u << i, 4.0 * way, &end[i], &dense[i]);
      const double order = log2(end[0] / end[4]) / 4.0;
      assert_true(order > 1.8 && order < 2.4);
      for (int i = 2; i < 4; i++) {
        const double of_samples = log2(dense[i] / dense[i + 1]);
        assert_true(of_samples > 1.8 && of_samples < 2.2);
      }
      assert_true(end[4] < 3e-5 && dense[4] < 3e-5);
    }
}

/* ---- errors and the tolerance ---------------------------------------------------------------- */

/* x' = A x, and so much of A in W */
typedef struct linear {
  double a[2][2], share;
} linear;

FIELD(linear_field) {
  const linear *const s = params;
  for (int i = 0; i < 2; i++) dxdt[i] = s->a[i][0] * x[0] + s->a[i][1] * x[1];
}

static int linear_solve(double t, const double x[], const double sign[], double c, double v[],
                        void *params) {
  const linear *const s = params;
  const double by = c * s->share, a = 1.0 - by * s->a[0][0], d = 1.0 - by * s->a[1][1];
  const double b = -by * s->a[0][1], e = -by * s->a[1][0], v0 = v[0];
  v[0] = (d * v0 - b * v[1]) / (a * d - b * e);
  v[1] = (a * v[1] - e * v0) / (a * d - b * e);
  return 0;
}

static void linear_end(linear *s, ess_base base, double tolerance, double x[2]) {
  const ess_system system = {
      .dimension = 2, .field = linear_field, .field_solve = linear_solve, .params = s};
  const ess_options options = by(base, tolerance);
  x[0] = 1.0;
  x[1] = 0.5;
  toy_succeeds(&system, &options, 0.0, 10.0, x);
}

/* what decays, turns and grows: an error is as many tolerances at 1e-6 as it is at 1e-3, though an
 * error of order 2 is held by an estimate that grows with the third power of a step */
TEST(errors_of_order_2_fall_with_the_tolerance) {
  for (int i = 0; i < 40; i++)
    for (int of = 0; of < 3; of++) {
      linear s = {.share = of};
      double right[2], off[4] = {0.0};
      for (int k = 0; k < 4; k++)
        s.a[k / 2][k % 2] = 2.0 * fmod(0.618 * (4 * i + k + 1), 1.0) - 1.0;
      linear_end(&s, ESS_BASE_DOPRI5, 1e-12, right);
      for (int j = 0; j < 4; j++) {
        const double tolerance = 1e-3 * pow(0.1, j);
        double x[2];
        linear_end(&s, of < 2 ? ESS_BASE_ROS2 : ESS_BASE_RKC, tolerance, x);
        for (int k = 0; k < 2; k++)
          off[j] = fmax(off[j], fabs(x[k] - right[k]) / (tolerance * (1.0 + fabs(right[k]))));
      }
      if (!(off[3] < 2.5 * fmax(off[0], 1.0) && off[0] < 40.0))
        fail_msg("system %d, %d: %g tolerances at 1e-3, %g at 1e-6", i, of, off[0], off[3]);
    }
}

/* ---- what is driven by time alone ------------------------------------------------------------ */

/* by time, or by a clock that is a state: its steps are those of the trapezoidal rule */
typedef struct driven {
  double rate;
  bool has_clock;
} driven;

static int driven_field(double t, const double x[], const double sign[], double dxdt[],
                        void *params) {
  const driven *const s = params;
  dxdt[0] = sin(s->rate * (s->has_clock ? x[1] : t));
  dxdt[1] = 1.0;
  return 0;
}

static int no_solve(double t, const double x[], const double sign[], double c, double v[],
                    void *params) {
  return 0;
}

TEST(what_time_alone_drives_keeps_the_tolerance) {
  for (int i = 0; i < 10; i++)
    for (double tolerance = 1e-3; tolerance > 1e-7; tolerance *= 0.1)
      for (int form = 0; form < 4; form++) {
        const double end = form & 1 ? -1.0 : 1.0;
        const int applies = form & 2 ? 8 : 1;
        driven s = {.rate = 0.5 * pow(3.0, i / 2), .has_clock = i % 2};
        const ess_system system = {
            .dimension = 2, .field = driven_field, .field_solve = no_solve, .params = &s};
        ess_options options = ess_options_default();
        options.rtol = options.atol = tolerance;
        options.base = ESS_BASE_ROS2;
        ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
        assert_non_null(d);
        double t = 0.0, x[2] = {0.0, 0.0};
        for (int j = 1; j <= applies; j++)
          assert_int_equal(ess_driver_apply(d, &t, end * j / applies, x), ESS_SUCCESS);
        const double error = fabs(x[0] - (1.0 - cos(s.rate)) / s.rate) / tolerance;
        if (!(error < 40.0))
          fail_msg("rate %g, clock %d, form %d, at %g: %g tolerances", s.rate, s.has_clock, form,
                   tolerance, error);
        ess_driver_free(d);
      }
}

/* the same where a clock's places switch how it is driven: no step after a crossing has a node
 * before it in its mode, nor has a first step whose length is given */
typedef struct switched {
  double rate, share, place[3];
} switched;

FIELD(switched_field) {
  const switched *const s = params;
  dxdt[0] = cos(s->rate * t);
  for (int k = 0; k < 3; k++)
    dxdt[0] += sign[k] > 0.0 ? s->share * cos((s->rate + k) * t + k) : 0.0;
  dxdt[1] = 1.0;
}

GUARDS(switched_guards) {
  for (int k = 0; k < 3; k++) h[k] = x[1] - ((const switched *)params)->place[k];
}

static double switched_end(switched *s, const ess_options *options) {
  const ess_system system = {
      .dimension = 2, .guard_count = 3, OF(switched), .field_solve = no_solve, .params = s};
  double x[2] = {0.0, 0.0};
  const toy_end end = toy_succeeds(&system, options, 0.0, 4.0, x);
  assert_int_equal(end.counters.crossings, 3);
  return x[0];
}

TEST(steps_after_crossings_and_first_steps_keep_the_tolerance) {
  for (int i = 0; i < 100; i++) {
    switched s = {.rate = 1.0 + 0.08 * i, .share = 0.2 + 0.017 * i};
    for (int k = 0; k < 3; k++) s.place[k] = 4.0 * fmod(0.618 * (1.0 + i + 7 * k), 1.0);
    const ess_options tight = by(ESS_BASE_DOPRI5, 1e-11);
    const double right = switched_end(&s, &tight);
    for (double tolerance = 1e-2; tolerance > 1e-5; tolerance *= 0.1)
      for (int given = 0; given < 2; given++) {
        ess_options its = by(ESS_BASE_ROS2, tolerance);
        its.h_init = given ? 0.1 + 0.01 * i : 0.0;
        const double error = fabs(switched_end(&s, &its) - right) / (1.0 + fabs(right));
        if (!(error < 40.0 * tolerance))
          fail_msg("rate %g, h_init %g, at %g: %g tolerances", s.rate, its.h_init, tolerance,
                   error / tolerance);
      }
  }
}

/* ---- a damped slide: v' = -d v - s (q - sin t) + g sign, stopped by a spring at q = 0.5 ------ */

/* W has the damper alone, or more or less of it, and not the spring that it makes slow */
typedef struct slide {
  double damping, stiffness, share, wall;
  int fails;
} slide;

FIELD(slide_field) {
  const slide *const s = params;
  const double wall = sign && sign[0] > 0.0 ? -s->wall * (x[0] - 0.5) - 0.2 * s->damping : 0.0;
  dxdt[0] = x[1];
  dxdt[1] = -s->damping * x[1] - s->stiffness * (x[0] - sin(t)) + wall;
}

static int slide_solve(double t, const double x[], const double sign[], double c, double v[],
                       void *params) {
  const slide *const s = params;
  v[1] /= 1.0 + c * s->share * s->damping;
  return s->fails;
}

PLANES(slide, 1, (x[0]), (0.5));

enum { SAMPLES = 400 };

/* samples to 10; the status */
static int slide_run(slide *s, bool guarded, const ess_options *options, double states[],
                     ess_counters *counters) {
  static double times[SAMPLES];
  const ess_system system = {.dimension = 2,
                             .field = slide_field,
                             .field_solve = slide_solve,
                             .guard_count = guarded,
                             .guards = guarded ? slide_guards : NULL,
                             .params = s};
  ess_driver *const d = ess_driver_alloc(&system, options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0;
  for (int i = 0; i < SAMPLES; i++) times[i] = 10.0 * (i + 1) / SAMPLES;
  assert_non_null(d);
  const int status = ess_driver_sample(d, &t, 10.0, x, times, SAMPLES, states);
  *counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return status;
}

/* of positions, the largest */
static double apart(const double a[], const double b[]) {
  double most = 0.0;
  for (size_t i = 0; i < SAMPLES; i++) most = fmax(most, fabs(a[2 * i] - b[2 * i]));
  return most;
}

TEST(damping_that_is_stiff_costs_few_calls) {
  static double right[2 * SAMPLES], states[2 * SAMPLES];
  ess_counters exact, c, dopri5;
  for (int guarded = 0; guarded < 2; guarded++)
    for (double share = 0.8; share < 1.3; share *= 1.25) {
      slide s = {.damping = 300.0, .stiffness = 900.0, .share = share, .wall = 600.0};
      const ess_options tight = by(ESS_BASE_DOPRI5, 1e-11);
      assert_int_equal(slide_run(&s, guarded, &tight, right, &exact), ESS_SUCCESS);
      for (double tolerance = 1e-1; tolerance > 5e-4; tolerance *= 0.1) {
        const ess_options its = by(ESS_BASE_ROS2, tolerance),
                          other = by(ESS_BASE_DOPRI5, tolerance);
        assert_int_equal(slide_run(&s, guarded, &its, states, &c), ESS_SUCCESS);
        assert_true(apart(states, right) < 0.2 * tolerance);
        assert_int_equal(c.crossings, exact.crossings);
        assert_int_equal(slide_run(&s, guarded, &other, states, &dopri5), ESS_SUCCESS);
        const double least = tolerance > 5e-2 ? 5.0 : tolerance > 5e-3 ? 2.5 : 1.2;
        assert_true(least * (double)c.field_evaluations < (double)dopri5.field_evaluations);
      }
    }
  assert_true(exact.crossings >= 4);
}

/* ---- time that guards move with, what is only watched, and slides ---------------------------- */

GUARDS(moving_guard) {
  h[0] = x[0] - 0.5 - 0.1 * sin(3.0 * t);
}

static int watched_value(double t, const double x[], double w[], void *params) {
  w[0] = x[0] - 0.25;
  return 0;
}

TEST(moving_guards_and_watched_values_are_met) {
  slide s = {.damping = 300.0, .stiffness = 900.0, .share = 1.0, .wall = 600.0};
  const ess_system system = {.dimension = 2,
                             .field = slide_field,
                             .field_solve = slide_solve,
                             .guard_count = 1,
                             .guards = moving_guard,
                             .guards_move = true,
                             .watch = {.count = 1, .values = watched_value},
                             .params = &s};
  double end[2][2];
  uint64_t crossings[2];
  for (int way = -1; way <= 1; way += 2) {
    // backwards the damper feeds: for as long as it takes the motion apart by some e^2
    const double t1 = way < 0 ? -0.006 : 10.0;
    for (int k = 0; k < 2; k++) {
      const ess_options options = k ? by(ESS_BASE_ROS2, 1e-4) : by(ESS_BASE_DOPRI5, 1e-11);
      end[k][0] = 0.3;
      end[k][1] = 0.0;
      crossings[k] = toy_succeeds(&system, &options, 0.0, t1, end[k]).counters.crossings;
    }
    assert_true(fabs(end[0][0] - end[1][0]) < 2e-4 && fabs(end[0][1] - end[1][1]) < 2e-2);
    assert_int_equal(crossings[0], crossings[1]);
    assert_true(way < 0 || crossings[0] >= 3);
  }
}

/* dry friction: v' = -40 sign v + 30 sin t - d v, which holds the body for a while */
FIELD(dry_field) {
  const slide *const s = params;
  dxdt[0] = x[1];
  dxdt[1] = -40.0 * sign[0] + 60.0 * sin(t) - s->damping * x[1];
}

PLANES(dry, 2, (x[1]), (0.0));

TEST(a_slide_is_made_of_dopri5s_steps) {
  slide s = {.damping = 300.0, .share = 1.0};
  const ess_system system = {
      .dimension = 2, OF(dry), .field_solve = slide_solve, .guard_count = 1, .params = &s};
  double end[2][2];
  uint64_t slides[2];
  for (int k = 0; k < 2; k++) {
    ess_options options = k ? by(ESS_BASE_ROS2, 1e-4) : by(ESS_BASE_DOPRI5, 1e-11);
    options.sliding = ESS_SLIDING_FILIPPOV;
    end[k][0] = 0.0;
    end[k][1] = 0.1;
    slides[k] = toy_succeeds(&system, &options, 0.0, 9.0, end[k]).counters.slides;
  }
  assert_int_equal(slides[0], slides[1]);
  assert_true(slides[0] >= 3);
  assert_true(fabs(end[0][0] - end[1][0]) < 3e-4 && fabs(end[0][1] - end[1][1]) < 3e-4);
}

TEST(the_papers_method_takes_its_steps) {
  static double right[2 * SAMPLES], states[2 * SAMPLES];
  ess_counters exact, c;
  slide s = {.damping = 300.0, .stiffness = 900.0, .share = 1.0, .wall = 600.0};
  const ess_options tight = by(ESS_BASE_DOPRI5, 1e-11);
  ess_options its = ess_options_paper();
  its.base = ESS_BASE_ROS2;
  its.rtol = its.atol = 1e-3;
  its.epsilon = 1e-5;
  assert_int_equal(slide_run(&s, true, &tight, right, &exact), ESS_SUCCESS);
  assert_int_equal(slide_run(&s, true, &its, states, &c), ESS_SUCCESS);
  assert_int_equal(c.crossings, exact.crossings);
  assert_true(c.projections >= c.crossings && apart(states, right) < 1e-3);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

TEST(it_needs_the_callers_matrix_and_says_so) {
  int status = 0;
  slide s = {.damping = 3.0, .stiffness = 9.0, .share = 1.0};
  ess_system system = {.dimension = 2, .field = slide_field, .params = &s};
  const ess_options its = by(ESS_BASE_ROS2, 1e-3),
                    others[] = {by(ESS_BASE_DOPRI5, 1e-3), by(ESS_BASE_RODAS, 1e-3)};
  const char *const why =
      "ESS_BASE_RODAS, ESS_BASE_CHOSEN_RODAS and ESS_BASE_ROS2 are chosen when the driver is "
      "allocated";
  assert_string_equal(ess_check(&system, &its), "ESS_BASE_ROS2 needs field_solve");
  assert_null(ess_driver_alloc(&system, &its, &status));
  assert_int_equal(status, ESS_EINVAL);
  system.field_solve = slide_solve;
  ess_driver *const d = ess_driver_alloc(&system, &its, NULL);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ess_driver_set_options(d, &others[i]), ESS_EINVAL);
    assert_string_equal(ess_driver_failure(d)->reason, why);
  }
  const double direction[2] = {1.0, 0.0};
  assert_int_equal(ess_driver_follow(d, 1, direction), ESS_EINVAL);
  assert_string_equal(
      ess_driver_failure(d)->reason,
      "tangents and recordings need ESS_BASE_DOPRI5, ESS_BASE_RKC or ESS_BASE_CHOSEN");
  ess_driver_free(d);
}

TEST(a_solve_that_fails_ends_the_run) {
  static double states[2 * SAMPLES];
  ess_counters c;
  slide s = {.damping = 3.0, .stiffness = 9.0, .share = 1.0, .fails = 7};
  const ess_options its = by(ESS_BASE_ROS2, 1e-3);
  assert_int_equal(slide_run(&s, false, &its, states, &c), ESS_ECALLBACK);
  s.fails = 0;
  s.share = NAN;
  assert_int_equal(slide_run(&s, false, &its, states, &c), ESS_EFIELD);
}
