/*
 * The rocking block by libess against Siconos: times of impacts, rates behind them, and where it is
 * in the end. Siconos steps over impacts, so that it has an error of some of its
 * steps.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_run.h"
#include "siconos_block.h"

enum { IMPACTS = 4, MOST = 16 };

static const double duration = 0.35;

/* the largest distances from libess: of a time of impact, of the ratio of rates, of the angle */
typedef struct distance {
  double time, ratio, angle;
} distance;

static distance from_libess(const contact_run *r, double step) {
  siconos_impact impact[MOST];
  double angle;
  distance d = {0};
  assert_int_equal(siconos_block(step, duration, impact, MOST, &angle), IMPACTS);
  for (size_t i = 0; i < IMPACTS; i++) {
    // what is left of the spin depends on the block's shape alone
    d.time = fmax(d.time, fabs(impact[i].t - r->impact[i].t));
    d.ratio = fmax(d.ratio, fabs(impact[i].after / impact[i].before - 0.7));
  }
  d.angle = fabs(angle - r->x[2]);
  print_message("Siconos by steps of %g s: times %.1e s, ratios %.1e, angle %.1e rad off\n", step,
                d.time, d.ratio, d.angle);
  return d;
}

static void siconos_converges_to_libess(void **state) {
  (void)state;
  static const char *const set[] = {"tilt", "0.2", "delta-t", "0", "duration", "0.35", NULL};
  static contact_run r;
  contact_run_with(&r, &rocking_block_type, set, 1e-9);
  assert_int_equal(r.status, ESS_SUCCESS);
  assert_int_equal(r.count, IMPACTS);
  const distance coarse = from_libess(&r, 1e-4), fine = from_libess(&r, 3e-6);
  assert_true(coarse.time < 2e-3 && fine.time < 5e-5 && fine.time < 0.25 * coarse.time);
  assert_true(coarse.ratio < 1e-2 && fine.ratio < 1e-3 && fine.ratio < 0.25 * coarse.ratio);
  assert_true(fine.angle < 5e-5 && fine.angle < 0.25 * coarse.angle);
  model_release(&r.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(siconos_converges_to_libess)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
