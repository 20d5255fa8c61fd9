/*
 * Callbacks that fail once while two blocks stick and slip: a success is right, whatever has failed
 * on the way, and hardly any failure costs more than some steps. Runs that observers stop are in
 * cases/stopped.txt, and faults of other systems in test_properties.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "driven.h"
#include "ess_tangents.h"

/* from rest, on both surfaces; once more where the callback has failed */
static int run_blocks(driven *r, hybrid_fault fault, bool follows, uint64_t *rejected) {
  begin(r);
  if (follows) assert_int_equal(ess_driver_follow(r->d, 4, NULL), ESS_SUCCESS);
  memset(r->h->calls, 0, sizeof r->h->calls);
  r->h->fault = fault;
  int status = go(r, follows ? 4.0 : 9.0);
  if (status == ESS_ECALLBACK && !follows) status = go(r, 9.0);
  *rejected = ess_driver_counters(r->d)->rejected;
  ess_driver_free(r->d);
  return status;
}

TEST(a_callback_that_fails_once_spoils_no_slide) {
  size_t dear = 0;
  driven r;
  set_up(&r,
         hybrid_of("x' = u; y' = v; u' = -x + 0.5*(y - x) + 1.2*sin(0.7*t) - 0.6*[s]\n"
                   "v' = 0.5*(x - y) + 0.3*cos(1.3*t) - 0.4*[r]; s: u; r: v; from 0: x = 1"),
         1u << HYBRID_GUARD_JACOBIAN, hybrid_options(1e-6));
  r.options.sliding = ESS_SLIDING_SLIDE;
  for (int follows = 0; follows < 2; follows++) {
    double expected[4];
    uint64_t rejected, usual, calls[HYBRID_CALLBACKS];
    assert_int_equal(run_blocks(&r, (hybrid_fault){0}, follows, &usual), ESS_SUCCESS);
    memcpy(expected, r.x, sizeof expected);
    memcpy(calls, r.h->calls, sizeof calls);
    for (int in = 0; in < HYBRID_CALLBACKS; in++)
      for (uint64_t call = 1; call <= calls[in]; call += 5) {
        const hybrid_fault fault = {.in = (hybrid_callback)in,
                                    .call = call,
                                    .once = true,
                                    .code = (int)(call / 2 % 2),
                                    .value = NAN,
                                    .entry = 1};
        const int status = run_blocks(&r, fault, follows, &rejected);
        if (fault.code && !follows) assert_int_equal(status, ESS_SUCCESS);
        dear += rejected > usual + 10;
        for (size_t j = 0; j < 4 && !status; j++)
          if (!(fabs(r.x[j] - expected[j]) <= 1e-3))
            fail_msg("call %llu of callback %d, code %d, directions %d: state %zu is %g for %g",
                     (unsigned long long)call, in, fault.code, follows, j, r.x[j], expected[j]);
      }
  }
  assert_true(dear <= 4);
  hybrid_free(r.h);
}

/* a slide is one, however few crossings an apply may make */
TEST(a_limit_of_crossings_hides_no_slide) {
  hybrid *const h = hybrid_of("x' = v; v' = -2*[s] + 0.1; s: v; from 0: v = 0.5");
  const ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  for (uint64_t most = 1; most <= 4; most++) {
    ess_options options = hybrid_options(1e-8);
    options.max_crossings = most;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    assert_non_null(d);
    double x[2], t = hybrid_start(h, x);
    int status = ESS_EMAXCROSSINGS;
    for (int i = 0; i < 20 && status == ESS_EMAXCROSSINGS; i++)
      status = ess_driver_apply(d, &t, 1.0, x);
    assert_int_equal(status, ESS_ESLIDING);
    ess_driver_free(d);
  }
  hybrid_free(h);
}
