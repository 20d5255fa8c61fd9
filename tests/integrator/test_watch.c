/*
 * Events that are only noted, or end a run: what cases (cases/watched.txt) cannot express.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "ess_tangents.h"
#include "hybrid.h"
#include "test.h"

static ess_driver *driver_of(hybrid *h, ess_watch watch, double tolerance, hybrid_log *log) {
  ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  ess_options options = hybrid_options(tolerance);
  system.watch.direction = watch.direction;
  system.watch.stop = watch.stop;
  if (log) options.observer = hybrid_observer(h, log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  return d;
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
  hybrid *const h = hybrid_of("x' = 1; watch wave: sin(t)");
  hybrid_log log;
  ess_driver *const d = driver_of(h, (ess_watch){.direction = direction, .stop = stop}, 1e-9, &log);
  direction[0] = 0; // copied
  stop[0] = 1;
  const double pi = acos(-1.0);
  double t = 0.5, x[1] = {0.5};
  for (int i = 1; i <= 2; i++) {
    assert_int_equal(ess_driver_apply(d, &t, 30.0, x), ESS_ESTOP);
    assert_int_equal(ess_driver_failure(d)->guard, 0);
    assert_true(fabs(t - (4 * i - 1) * pi) < 1e-8 && fabs(x[0] - t) < 1e-9);
    assert_int_equal(log.count, 2 * i);
  }
  assert_int_equal(ess_driver_apply(d, &t, 30.0, x), ESS_SUCCESS);
  assert_int_equal(log.count, 5);
  // a reset begins to count anew
  ess_driver_reset(d);
  t = x[0] = 0.5;
  assert_int_equal(ess_driver_apply(d, &t, 30.0, x), ESS_ESTOP);
  assert_true(fabs(t - 3 * pi) < 1e-8);
  ess_driver_free(d);
  hybrid_free(h);
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
      hybrid_log log;
      ess_driver *const d = driver_of(h, (ess_watch){.stop = stop}, tolerance, &log);
      status = ess_driver_apply(d, &t, end, x);
      count += events_of(&log, k);
      ess_driver_free(d);
    }
    if (status || count != events_of(&all.log, k) || count < 6)
      fail_msg("event %zu, %g, way %g: %zu in place of %zu, %s", k, tolerance, way, count,
               events_of(&all.log, k), ess_strerror(status));
    hybrid_free(h);
  }
}

TEST(faults_and_arguments_are_named) {
  hybrid *const h = hybrid_of("x' = 1; watch a: 1 + 0*t; watch b: 1 + t");
  ess_driver *const d = driver_of(h, (ess_watch){0}, 1e-8, NULL);
  double t = 0.0, x[1] = {0.0};
  h->fault = (hybrid_fault){.in = HYBRID_WATCH, .call = 2, .value = NAN, .entry = 1};
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_EGUARD);
  assert_int_equal(ess_driver_failure(d)->guard, 1);
  const ess_options paper = ess_options_paper(), options = ess_options_default();
  assert_int_equal(ess_driver_set_options(d, &paper), ESS_EINVAL);
  ess_driver_free(d);
  ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  assert_non_null(strstr(ess_check(&system, &paper), "watch.count"));
  static const int direction[] = {2, 0};
  system.watch.direction = direction;
  assert_non_null(strstr(ess_check(&system, &options), "watch.direction"));
  system.watch.values = NULL;
  assert_non_null(strstr(ess_check(&system, &options), "watch.values"));
  hybrid_free(h);
}

/* an impact looks at the field, to find on which sides of watched functions its jump has led */
TEST(evaluations_of_the_field_at_impacts_are_counted) {
  hybrid *const h = hybrid_of("x' = v; v' = -2; floor: x; hit down floor: v = -0.5*v\n"
                              "watch high: x - 0.5; watch fast: v");
  ess_driver *const d = driver_of(h, (ess_watch){0}, 1e-9, NULL);
  double t = 0.0, x[2] = {1.0, 0.0};
  assert_int_equal(ess_driver_apply(d, &t, 2.5, x), ESS_SUCCESS);
  const ess_counters *const c = ess_driver_counters(d);
  assert_int_equal(c->impacts, 2);
  assert_int_equal(c->field_evaluations, h->calls[HYBRID_FIELD]);
  ess_driver_free(d);
  hybrid_free(h);
}
