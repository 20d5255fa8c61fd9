/*
 * Slides between applies of one driver, in samples, and with options that are set again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ess_tangents.h"
#include "hybrid.h"
#include "test.h"

static ess_options sliding(const hybrid *h, hybrid_log *log) {
  ess_options options = hybrid_options(1e-8);
  options.sliding = ESS_SLIDING_SLIDE;
  options.observer = hybrid_observer(h, log);
  return options;
}

static ess_driver *driver_of(hybrid *h, hybrid_log *log) {
  const ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  const ess_options options = sliding(h, log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  if (!d) fail_msg("%s", ess_check(&system, &options));
  return d;
}

TEST(a_sliding_run_does_not_turn_around) {
  hybrid *const h = hybrid_of("x' = -[s]; s: x");
  hybrid_log log;
  double t = 0.0, x[] = {0.5};
  size_t count;
  ess_driver *const d = driver_of(h, &log);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_sliding(d, &count)[0], 0);
  assert_int_equal(count, 1);
  assert_int_equal(ess_driver_apply(d, &t, 0.0, x), ESS_ESLIDING);
  assert_true(t == 1.0 && fabs(x[0]) < 1e-15);
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  // from another state it slides no more
  x[0] = -0.5;
  assert_int_equal(ess_driver_apply(d, &t, 2.25, x), ESS_SUCCESS);
  assert_true(fabs(x[0] + 0.25) < 1e-12);
  (void)ess_driver_sliding(d, &count);
  assert_int_equal(count, 0);
  ess_driver_free(d);
  hybrid_free(h);
}

/* between two applies a caller may change what drives it: from there on it is not held */
TEST(a_drive_that_changes_between_applies_takes_it_off) {
  static const double drives[] = {2.0, -2.0, 1.0 + 1e-7, 0.9, -1.0 - 1e-9};
  for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
    const bool is_held = fabs(drives[i]) <= 1.0;
    hybrid *const h = hybrid_of("drive = 0.5; x' = drive - [s]; s: x");
    hybrid_log log;
    double t = 0.0, x[] = {0.25};
    ess_driver *const d = driver_of(h, &log);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    const size_t before = log.count;
    hybrid_set(h, "drive", drives[i]);
    assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
    assert_true(fabs(x[0] - (is_held ? 0.0 : drives[i] - copysign(1.0, drives[i]))) < 1e-12);
    assert_int_equal(log.count > before, !is_held);
    const hybrid_record *const left = &log.record[before];
    if (!is_held)
      assert_true(left->message == HYBRID_SLIDE && left->direction == -1 && left->t == 1.0);
    ess_driver_free(d);
    hybrid_free(h);
  }
}

/* the value of what is slid on is not needed to slide on, and yet nothing is held there any more:
 * samples behind it stay as they are */
TEST(samples_behind_a_value_that_is_no_number_stay) {
  hybrid *const h = hybrid_of("x' = 0.3 - [a]; y' = 1\n"
                              "a: x + sqrt(0.5 - y)^2 - 0.5 + y; b: y - 3\n");
  hybrid_log log;
  const double times[] = {0.25, 0.75, 1.75};
  double t = 0.0, x[] = {0.2, 0.0}, samples[6] = {[2] = 7.0, [4] = 7.0};
  ess_driver *const d = driver_of(h, &log);
  assert_int_equal(ess_driver_sample(d, &t, 2.0, x, times, 3, samples), ESS_EGUARD);
  assert_true(fabs(samples[1] - 0.25) < 1e-12 && samples[2] == 7.0 && samples[4] == 7.0);
  ess_driver_free(d);
  hybrid_free(h);
}

/* it lies above its table, though rounding says that it is below */
static int begin_above(double t, const double x[], double sign[], bool armed[], void *params) {
  sign[0] = 1.0;
  armed[ESS_GUARD_DOWN(0)] = true;
  armed[ESS_GUARD_UP(0)] = false;
  return 0;
}

/* stopped where the ball begins to lie there, at the start, and again where it leaves */
TEST(a_rest_that_is_stopped_at_the_start_goes_on) {
  hybrid *const h = hybrid_of("z' = v; v' = -9.81; table: z - 0.1*sin(12*t); to 0.1\n"
                              "hit down table: v = -0.5*v + 1.8*cos(12*t)\n"
                              "from 0.02: z = 0.1*sin(0.24)*(1 - 4.5e-16), v = 1.2*cos(0.24)");
  hybrid_log log;
  ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  ess_impacts impacts = *system.impacts;
  ess_options options = sliding(h, &log);
  impacts.start = begin_above;
  system.impacts = &impacts;
  options.sliding = ESS_SLIDING_SLIDE_AND_REST;
  options.rtol = options.atol = 1e-10;
  log.stops = 1u << HYBRID_SLIDE;
  double x[2], t = hybrid_start(h, x);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_apply(d, &t, 0.1, x), ESS_ESTOP);
  assert_true(t == 0.02 && log.record[0].direction == 1);
  assert_int_equal(ess_driver_apply(d, &t, 0.1, x), ESS_ESTOP);
  assert_true(log.record[1].direction == -1 && fabs(t - asin(9.81 / 14.4) / 12.0) <= 1e-9);
  assert_int_equal(ess_driver_apply(d, &t, 0.1, x), ESS_SUCCESS);
  ess_driver_free(d);
  hybrid_free(h);
}

/* a map that does not send back what comes slowly: an impact of it is the last, and no rest */
static int let_through(ess_impact *impact, void *params) {
  const int code = ((hybrid *)params)->impacts.map(impact, params);
  if (fabs(impact->x[1]) > 0.005) return code;
  impact->mode[0] = -impact->sign[0];
  impact->armed[ESS_GUARD_UP(0)] = impact->armed[ESS_GUARD_DOWN(0)] = false;
  return code;
}

TEST(a_body_that_is_not_sent_back_does_not_rest) {
  hybrid *const h = hybrid_of("z' = v; v' = -9.81; floor: z; hit both floor: v = -0.5*v");
  hybrid_log log;
  ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  ess_impacts impacts = *system.impacts;
  ess_options options = sliding(h, &log);
  impacts.map = let_through;
  system.impacts = &impacts;
  options.sliding = ESS_SLIDING_SLIDE_AND_REST;
  double t = 0.0, x[] = {0.1, 0.0};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  const int status = ess_driver_apply(d, &t, 2.0, x);
  assert_true(status == ESS_EZENO || (status == ESS_SUCCESS && x[0] < -0.1));
  assert_int_equal(ess_driver_counters(d)->slides, 0);
  ess_driver_free(d);
  hybrid_free(h);
}

/* which may be slid on is chosen with sliding; arrays have no room for what is watched */
TEST(slides_stay_as_they_were_chosen) {
  hybrid *const h = hybrid_of("x' = 1; y' = -[s]; s: y; other: x - 50; watch a: y; watch b: x");
  hybrid_log log;
  const ess_system system = hybrid_system(h, HYBRID_GIVES_NONE);
  ess_options options = sliding(h, &log);
  bool *const slides = malloc(2 * sizeof *slides);
  double *const epsilons = malloc(2 * sizeof *epsilons);
  slides[0] = true;
  slides[1] = false;
  epsilons[0] = epsilons[1] = 1e-3;
  options.slides = slides;
  options.guard_epsilons = epsilons;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
  epsilons[1] = 0.0;
  assert_int_equal(ess_driver_set_options(d, &options), ESS_EINVAL);
  epsilons[1] = 1e-3;
  slides[1] = true;
  assert_int_equal(ess_driver_set_options(d, &options), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "slides"));
  options.slides = NULL;
  assert_int_equal(ess_driver_set_options(d, &options), ESS_EINVAL);
  options.sliding = (ess_sliding)7;
  assert_string_equal(
      ess_check(&system, &options),
      "sliding must be ESS_SLIDING_STOP, ESS_SLIDING_SLIDE or ESS_SLIDING_SLIDE_AND_REST");
  ess_driver_free(d);
  hybrid_free(h);
  free(slides);
  free(epsilons);
}

/* what may not slide, because it is silent or its crossings are impacts, is left out when the
 * options are set again, too */
TEST(the_same_options_are_accepted_again) {
  static const char rows[] = "row up s: +down s; row down s: +up s\n"
                             "row up other: +down other; row down other: +up other\n";
  static const char *const more[] = {"", "", "silent both other", "hit both other: x = x"};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    hybrid *const h = hybrid_of("x' = 1; y' = -[s]; s: y; other: x - 50\n%s", more[i]);
    if (i == 1 || i == 2) hybrid_add(h, "%s", rows);
    hybrid_log log;
    ess_driver *const d = driver_of(h, &log);
    const ess_options options = sliding(h, &log);
    assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
    ess_driver_free(d);
    hybrid_free(h);
  }
}

/* The absolute tolerance that held states get is kept: with the caller's of zero, options that are
 * set again change nothing, and a run continues after each fault. */
TEST(a_run_without_an_absolute_tolerance_continues) {
  static const char *const texts[] = {
      "x' = 1; y' = -[s]; s: y", "x' = v; v' = -x + cos(0.4*t) - 0.6*[s]; s: v",
      "x' = v; v' = -x + 1.2*cos(0.4*t) - 0.6*[s]; y' = w; w' = 0.3*(x - y) - 0.2*[u]; s: v; u: w"};
  for (size_t i = 0; i < 3; i++)
    for (double rtol = 1e-5; rtol > 1e-9; rtol *= 1e-3) {
      const double start[] = {0.5, 0.3, 0.1, 0.2}, t1 = 8.0;
      hybrid *const h = hybrid_of("%s", texts[i]);
      hybrid_log log;
      ess_options options = sliding(h, &log);
      options.rtol = rtol;
      options.atol = 0.0;
      const ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
      double whole[2][4], x[4];
      uint64_t calls[HYBRID_CALLBACKS];
      for (int sets = 0; sets < 2; sets++) {
        ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
        double t = 0.0;
        memset(h->calls, 0, sizeof h->calls);
        memcpy(whole[sets], start, sizeof start);
        for (int part = 1; part <= 8; part++) {
          assert_int_equal(ess_driver_apply(d, &t, t1 * part / 8, whole[sets]), ESS_SUCCESS);
          if (sets) assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
        }
        ess_driver_free(d);
      }
      assert_memory_equal(whole[1], whole[0], h->n * sizeof *x);
      memcpy(calls, h->calls, sizeof calls);
      for (int in = 0; in < HYBRID_CALLBACKS; in++)
        for (uint64_t call = 1; call <= calls[in]; call += 1 + call / 8) {
          ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
          double t = 0.0;
          memset(h->calls, 0, sizeof h->calls);
          memcpy(x, start, sizeof x);
          h->fault =
              (hybrid_fault){.in = (hybrid_callback)in, .call = call, .once = true, .code = 7};
          int status = ess_driver_apply(d, &t, t1, x);
          if (status == ESS_ECALLBACK) status = ess_driver_apply(d, &t, t1, x);
          if (status)
            fail_msg("%s at %g: %s after call %llu of callback %d", texts[i], rtol,
                     ess_strerror(status), (unsigned long long)call, in);
          for (size_t l = 0; l < h->n; l++) assert_true(fabs(x[l] - whole[0][l]) <= 100.0 * rtol);
          ess_driver_free(d);
        }
      hybrid_free(h);
    }
}

/* After a fault directions are those of a run without, or none are left. */
TEST(directions_are_not_wrong_after_a_fault) {
  hybrid *const h = hybrid_of("x' = v; v' = -x + cos(0.4*t) - 0.6*[s]; s: v");
  hybrid_log log;
  const double t1 = 5.0;
  double t = 0.0, x[] = {0.3, 0.5}, D[4];
  uint64_t calls[HYBRID_CALLBACKS];
  ess_driver *d = driver_of(h, &log);
  assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  memset(h->calls, 0, sizeof h->calls);
  assert_int_equal(ess_driver_apply(d, &t, t1, x), ESS_SUCCESS);
  memcpy(D, ess_driver_tangent(d), sizeof D);
  memcpy(calls, h->calls, sizeof calls);
  ess_driver_free(d);
  for (int in = 0; in < HYBRID_CALLBACKS; in++)
    for (uint64_t call = 1; call <= calls[in]; call++) {
      t = 0.0;
      x[0] = 0.3;
      x[1] = 0.5;
      d = driver_of(h, &log);
      assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
      memset(h->calls, 0, sizeof h->calls);
      h->fault = (hybrid_fault){.in = (hybrid_callback)in, .call = call, .once = true, .code = 7};
      assert_int_equal(ess_driver_apply(d, &t, t1, x), ESS_ECALLBACK);
      assert_int_equal(ess_driver_apply(d, &t, t1, x), ESS_SUCCESS);
      const double *const tangent = ess_driver_tangent(d);
      for (size_t i = 0; tangent && i < 4; i++)
        if (!(fabs(tangent[i] - D[i]) < 1e-5))
          fail_msg("call %llu of callback %d: %g in place of %g", (unsigned long long)call, in,
                   tangent[i], D[i]);
      ess_driver_free(d);
    }
  hybrid_free(h);
}
