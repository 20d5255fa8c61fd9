/*
 * Events that are only noted, or end a run: what cases (cases/watched.txt) cannot express.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "driven.h"

static void begin_watch(driven *r, hybrid *h, ess_watch watch, double tolerance) {
  set_up(r, h, HYBRID_GIVES_ALL, hybrid_options(tolerance));
  r->system.watch.direction = watch.direction;
  r->system.watch.stop = watch.stop;
  hear(r);
  begin(r);
}

static size_t events_of(const hybrid_log *log, size_t which) {
  size_t count = 0;
  for (size_t i = 0; i < log->count && i < HYBRID_LOG; i++)
    count += log->record[i].message == HYBRID_EVENT && log->record[i].guard == which;
  return count;
}

/* the second event downward, twice: at 3 pi, and 7 pi */
TEST(counted_events_end_runs_which_go_on) {
  int direction[] = {-1};
  uint64_t stop[] = {2};
  driven r;
  begin_watch(&r, hybrid_of("x' = 1; watch wave: sin(t); from 0.5: x = 0.5"),
              (ess_watch){.direction = direction, .stop = stop}, 1e-9);
  direction[0] = 0; // copied
  stop[0] = 1;
  const double pi = acos(-1.0);
  for (int i = 1; i <= 2; i++) {
    assert_int_equal(go(&r, 30.0), ESS_ESTOP);
    assert_int_equal(ess_driver_failure(r.d)->event, 0);
    assert_true(fabs(r.t - (4 * i - 1) * pi) < 1e-8 && fabs(r.x[0] - r.t) < 1e-9);
    assert_int_equal(r.log.count, 2 * i);
  }
  assert_int_equal(go(&r, 30.0), ESS_SUCCESS);
  assert_int_equal(r.log.count, 5);
  // a reset begins to count anew
  again(&r);
  assert_int_equal(go(&r, 30.0), ESS_ESTOP);
  assert_true(fabs(r.t - 3 * pi) < 1e-8);
  drop(&r);
}

/* a driver for each stretch, from where the one before was stopped, finds what one driver finds */
TEST(a_run_from_an_event_does_not_report_it_again) {
  for (int i = 0; i < 3 * 2 * 4; i++) {
    const double way = i % 2 ? -1.0 : 1.0, end = 20.0 * way,
                 tolerance = pow(10.0, -3.0 * (1 + i / 6));
    const size_t k = (size_t)i / 2 % 3;
    hybrid *const h = hybrid_of("x' = y; y' = -x; from 0: x = 1, y = 0.3; to %g\n"
                                "watch a: (x + 2.2) - (y + 2.7); watch b: x - 0.3*sin(0.7*t)\n"
                                "watch c: x*x - 0.4",
                                end);
    const hybrid_plan plan = hybrid_at(tolerance);
    const hybrid_end all = hybrid_run(h, &plan);
    uint64_t stop[3] = {0};
    double t = 0.0, x[2] = {1.0, 0.3};
    size_t count = 0;
    int status = ESS_ESTOP;
    stop[k] = 1;
    while (status == ESS_ESTOP && count <= events_of(&all.log, k)) {
      driven r;
      begin_watch(&r, h, (ess_watch){.stop = stop}, tolerance);
      status = ess_driver_apply(r.d, &t, end, x);
      count += events_of(&r.log, k);
      ess_driver_free(r.d);
    }
    if (status || count != events_of(&all.log, k) || count < 6)
      fail_msg("event %zu, %g, way %g: %zu in place of %zu, %s", k, tolerance, way, count,
               events_of(&all.log, k), ess_strerror(status));
    hybrid_free(h);
  }
}

TEST(faults_and_arguments_are_named) {
  static const int direction[] = {2, 0};
  driven r;
  begin_text(&r, "x' = 1; watch a: 1 + 0*t; watch b: 1 + t", HYBRID_GIVES_ALL,
             hybrid_options(1e-8));
  r.h->fault = (hybrid_fault){.in = HYBRID_WATCH, .call = 2, .value = NAN, .entry = 1};
  assert_int_equal(go(&r, 1.0), ESS_EEVENT);
  assert_int_equal(ess_driver_failure(r.d)->event, 1);
  const ess_options paper = ess_options_paper(), options = ess_options_default();
  assert_int_equal(ess_driver_set_options(r.d, &paper), ESS_EINVAL);
  assert_non_null(strstr(ess_check(&r.system, &paper), "watch"));
  r.system.watch.direction = direction;
  assert_non_null(strstr(ess_check(&r.system, &options), "watch.direction"));
  r.system.watch.values = NULL;
  assert_non_null(strstr(ess_check(&r.system, &options), "watch.values"));
  drop(&r);
}

/* an impact looks at the field, to find on which sides of watched functions its jump has led */
TEST(evaluations_of_the_field_at_impacts_are_counted) {
  driven r;
  begin_text(&r,
             "x' = v; v' = -2; floor: x; hit down floor: v = -0.5*v; from 0: x = 1, v = 0\n"
             "watch high: x - 0.5; watch fast: v",
             HYBRID_GIVES_ALL, hybrid_options(1e-9));
  assert_int_equal(go(&r, 2.4), ESS_SUCCESS);
  const ess_counters *const c = ess_driver_counters(r.d);
  assert_int_equal(c->impacts, 2);
  assert_int_equal(c->field_evaluations, r.h->calls[HYBRID_FIELD]);
  drop(&r);
}
