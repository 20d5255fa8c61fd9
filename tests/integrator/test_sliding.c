/*
 * Slides between applies of one driver, in samples, and with options that are set again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "driven.h"
#include "ess_tangents.h"

static void set_up_slide(driven *r, hybrid *h) {
  set_up(r, h, HYBRID_GIVES_ALL, hybrid_options(1e-8));
  r->options.sliding = ESS_SLIDING_SLIDE;
  hear(r);
}

static void begin_slide(driven *r, const char *text) {
  set_up_slide(r, hybrid_of("%s", text));
  begin(r);
}

TEST(a_sliding_run_does_not_turn_around) {
  driven r;
  size_t count;
  begin_slide(&r, "x' = -[s]; s: x; from 0: x = 0.5");
  assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
  assert_int_equal(ess_driver_sliding(r.d, &count)[0], 0);
  assert_int_equal(count, 1);
  assert_int_equal(go(&r, 0.0), ESS_ESLIDING);
  assert_true(r.t == 1.0 && fabs(r.x[0]) < 1e-15);
  assert_int_equal(go(&r, 2.0), ESS_SUCCESS);
  // from another state it slides no more
  r.x[0] = -0.5;
  assert_int_equal(go(&r, 2.25), ESS_SUCCESS);
  assert_true(fabs(r.x[0] + 0.25) < 1e-12);
  (void)ess_driver_sliding(r.d, &count);
  assert_int_equal(count, 0);
  drop(&r);
}

/* between two applies a caller may change what drives it: from there on it is not held */
TEST(a_drive_that_changes_between_applies_takes_it_off) {
  static const double drives[] = {2.0, -2.0, 1.0 + 1e-7, 0.9, -1.0 - 1e-9};
  for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
    const bool is_held = fabs(drives[i]) <= 1.0;
    driven r;
    begin_slide(&r, "drive = 0.5; x' = drive - [s]; s: x; from 0: x = 0.25");
    assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
    const size_t before = r.log.count;
    hybrid_set(r.h, "drive", drives[i]);
    assert_int_equal(go(&r, 2.0), ESS_SUCCESS);
    assert_true(fabs(r.x[0] - (is_held ? 0.0 : drives[i] - copysign(1.0, drives[i]))) < 1e-12);
    assert_int_equal(r.log.count > before, !is_held);
    const hybrid_record *const left = &r.log.record[before];
    if (!is_held)
      assert_true(left->message == HYBRID_SLIDE && left->direction == -1 && left->t == 1.0);
    drop(&r);
  }
}

/* the value of what is slid on is not needed to slide on, and yet nothing is held there any more:
 * samples behind it stay as they are */
TEST(samples_behind_a_value_that_is_no_number_stay) {
  const double times[] = {0.25, 0.75, 1.75};
  double samples[6] = {[2] = 7.0, [4] = 7.0};
  driven r;
  begin_slide(&r, "x' = 0.3 - [a]; y' = 1; from 0: x = 0.2\n"
                  "a: x + sqrt(0.5 - y)^2 - 0.5 + y; b: y - 3\n");
  assert_int_equal(ess_driver_sample(r.d, &r.t, 2.0, r.x, times, 3, samples), ESS_EEVENT);
  assert_true(fabs(samples[1] - 0.25) < 1e-12 && samples[2] == 7.0 && samples[4] == 7.0);
  drop(&r);
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
  driven r;
  set_up_slide(&r, hybrid_of("z' = v; v' = -9.81; table: z - 0.1*sin(12*t); to 0.1\n"
                             "hit down table: v = -0.5*v + 1.8*cos(12*t)\n"
                             "from 0.02: z = 0.1*sin(0.24)*(1 - 4.5e-16), v = 1.2*cos(0.24)"));
  r.system.start = begin_above;
  r.options.sliding = ESS_SLIDING_SLIDE_AND_REST;
  r.options.rtol = r.options.atol = 1e-10;
  r.log.stops = 1u << HYBRID_SLIDE;
  begin(&r);
  assert_int_equal(go(&r, 0.1), ESS_ESTOP);
  assert_true(r.t == 0.02 && r.log.record[0].direction == 1);
  assert_int_equal(go(&r, 0.1), ESS_ESTOP);
  assert_true(r.log.record[1].direction == -1 && fabs(r.t - asin(9.81 / 14.4) / 12.0) <= 1e-9);
  assert_int_equal(go(&r, 0.1), ESS_SUCCESS);
  drop(&r);
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
  driven r;
  set_up_slide(&r, hybrid_of("z' = v; v' = -9.81; floor: z; hit both floor: v = -0.5*v\n"
                             "from 0: z = 0.1"));
  ess_impacts impacts = *r.system.impacts;
  impacts.map = let_through;
  r.system.impacts = &impacts;
  r.options.sliding = ESS_SLIDING_SLIDE_AND_REST;
  begin(&r);
  const int status = go(&r, 2.0);
  assert_true(status == ESS_EZENO || (status == ESS_SUCCESS && r.x[0] < -0.1));
  assert_int_equal(ess_driver_counters(r.d)->slides, 0);
  drop(&r);
}

/* which may be slid on is chosen with sliding; the array has no room for what is watched */
TEST(slides_stay_as_they_were_chosen) {
  driven r;
  set_up_slide(&r, hybrid_of("x' = 1; y' = -[s]; s: y; other: x - 50; watch a: y; watch b: x"));
  r.system = hybrid_system(r.h, HYBRID_GIVES_NONE);
  bool *const slides = calloc(2, sizeof *slides);
  slides[0] = true;
  r.options.slides = slides;
  begin(&r);
  assert_int_equal(ess_driver_set_options(r.d, &r.options), ESS_SUCCESS);
  slides[1] = true;
  assert_int_equal(ess_driver_set_options(r.d, &r.options), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(r.d)->reason, "slides"));
  r.options.slides = NULL;
  assert_int_equal(ess_driver_set_options(r.d, &r.options), ESS_EINVAL);
  r.options.sliding = (ess_sliding)7;
  assert_string_equal(
      ess_check(&r.system, &r.options),
      "sliding must be ESS_SLIDING_STOP, ESS_SLIDING_SLIDE or ESS_SLIDING_SLIDE_AND_REST");
  drop(&r);
  free(slides);
}

/* what may not slide, because it is silent or its crossings are impacts, is left out when the
 * options are set again, too */
TEST(the_same_options_are_accepted_again) {
#define ROWS                                                                                       \
  "row up s: +down s; row down s: +up s\nrow up other: +down other; row down other: +up other\n"
  static const char *const more[] = {"", ROWS, ROWS "silent both other", "hit both other: x = x"};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    driven r;
    set_up_slide(&r, hybrid_of("x' = 1; y' = -[s]; s: y; other: x - 50\n%s", more[i]));
    begin(&r);
    assert_int_equal(ess_driver_set_options(r.d, &r.options), ESS_SUCCESS);
    drop(&r);
  }
}

/* The absolute tolerance that held states get is kept: with the caller's of zero, options that are
 * set again change nothing, and a run continues after each fault. */
TEST(a_run_without_an_absolute_tolerance_continues) {
  static const char *const texts[] = {
      "x' = 1; y' = -[s]; s: y; from 0: x = 0.5, y = 0.3",
      "x' = v; v' = -x + cos(0.4*t) - 0.6*[s]; s: v; from 0: x = 0.5, v = 0.3",
      ("x' = v; v' = -x + 1.2*cos(0.4*t) - 0.6*[s]; y' = w; w' = 0.3*(x - y) - 0.2*[u]\n"
       "s: v; u: w; from 0: x = 0.5, v = 0.3, y = 0.1, w = 0.2")};
  for (size_t i = 0; i < 3; i++)
    for (double rtol = 1e-5; rtol > 1e-9; rtol *= 1e-3) {
      const double t1 = 8.0;
      double whole[2][4];
      uint64_t calls[HYBRID_CALLBACKS];
      driven r;
      set_up_slide(&r, hybrid_of("%s", texts[i]));
      r.options.rtol = rtol;
      r.options.atol = 0.0;
      for (int sets = 0; sets < 2; sets++) {
        memset(r.h->calls, 0, sizeof r.h->calls);
        begin(&r);
        for (int part = 1; part <= 8; part++) {
          assert_int_equal(go(&r, t1 * part / 8), ESS_SUCCESS);
          if (sets) assert_int_equal(ess_driver_set_options(r.d, &r.options), ESS_SUCCESS);
        }
        memcpy(whole[sets], r.x, sizeof whole[sets]);
        ess_driver_free(r.d);
      }
      assert_memory_equal(whole[1], whole[0], r.h->n * sizeof **whole);
      memcpy(calls, r.h->calls, sizeof calls);
      for (int in = 0; in < HYBRID_CALLBACKS; in++)
        for (uint64_t call = 1; call <= calls[in]; call += 1 + call / 8) {
          memset(r.h->calls, 0, sizeof r.h->calls);
          r.h->fault =
              (hybrid_fault){.in = (hybrid_callback)in, .call = call, .once = true, .code = 7};
          begin(&r);
          int status = go(&r, t1);
          if (status == ESS_ECALLBACK) status = go(&r, t1);
          if (status)
            fail_msg("%s at %g: %s after call %llu of callback %d", texts[i], rtol,
                     ess_strerror(status), (unsigned long long)call, in);
          for (size_t l = 0; l < r.h->n; l++)
            assert_true(fabs(r.x[l] - whole[0][l]) <= 100.0 * rtol);
          ess_driver_free(r.d);
        }
      hybrid_free(r.h);
    }
}

/* After a fault directions are those of a run without, or none are left. */
TEST(directions_are_not_wrong_after_a_fault) {
  driven r;
  const double t1 = 5.0;
  double D[4];
  uint64_t calls[HYBRID_CALLBACKS];
  begin_slide(&r, "x' = v; v' = -x + cos(0.4*t) - 0.6*[s]; s: v; from 0: x = 0.3, v = 0.5");
  assert_int_equal(ess_driver_follow(r.d, 2, NULL), ESS_SUCCESS);
  memset(r.h->calls, 0, sizeof r.h->calls);
  assert_int_equal(go(&r, t1), ESS_SUCCESS);
  memcpy(D, ess_driver_tangent(r.d), sizeof D);
  memcpy(calls, r.h->calls, sizeof calls);
  for (int in = 0; in < HYBRID_CALLBACKS; in++)
    for (uint64_t call = 1; call <= calls[in]; call++) {
      ess_driver_free(r.d);
      r.h->fault = (hybrid_fault){.call = 0};
      begin(&r);
      assert_int_equal(ess_driver_follow(r.d, 2, NULL), ESS_SUCCESS);
      memset(r.h->calls, 0, sizeof r.h->calls);
      r.h->fault = (hybrid_fault){.in = (hybrid_callback)in, .call = call, .once = true, .code = 7};
      assert_int_equal(go(&r, t1), ESS_ECALLBACK);
      assert_int_equal(go(&r, t1), ESS_SUCCESS);
      const double *const tangent = ess_driver_tangent(r.d);
      for (size_t i = 0; tangent && i < 4; i++)
        if (!(fabs(tangent[i] - D[i]) < 1e-5))
          fail_msg("call %llu of callback %d: %g in place of %g", (unsigned long long)call, in,
                   tangent[i], D[i]);
    }
  drop(&r);
}
