/*
 * Callbacks that fail once while two blocks stick and slip: a success is right, whatever has failed
 * on the way, and hardly any failure costs more than some steps. Runs that observers stop are in
 * cases/stopped.txt, and faults of other systems in test_properties.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "ess_tangents.h"
#include "hybrid.h"
#include "test.h"

static hybrid *blocks;

/* from rest, on both surfaces; once more where the callback has failed */
static int run_blocks(hybrid_fault fault, bool follows, double x[4], uint64_t *rejected) {
  const ess_system system = hybrid_system(blocks, 1u << HYBRID_GUARD_JACOBIAN);
  ess_options options = hybrid_options(1e-6);
  options.sliding = ESS_SLIDING_SLIDE;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = hybrid_start(blocks, x);
  if (follows) assert_int_equal(ess_driver_follow(d, 4, NULL), ESS_SUCCESS);
  memset(blocks->calls, 0, sizeof blocks->calls);
  blocks->fault = fault;
  int status = ess_driver_apply(d, &t, follows ? 4.0 : 9.0, x);
  if (status == ESS_ECALLBACK && !follows) status = ess_driver_apply(d, &t, 9.0, x);
  *rejected = ess_driver_counters(d)->rejected;
  ess_driver_free(d);
  return status;
}

TEST(a_callback_that_fails_once_spoils_no_slide) {
  size_t dear = 0;
  blocks = hybrid_of("x' = u; y' = v; u' = -x + 0.5*(y - x) + 1.2*sin(0.7*t) - 0.6*[s]\n"
                     "v' = 0.5*(x - y) + 0.3*cos(1.3*t) - 0.4*[r]; s: u; r: v; from 0: x = 1");
  for (int follows = 0; follows < 2; follows++) {
    double expected[4], x[4];
    uint64_t rejected, usual, calls[HYBRID_CALLBACKS];
    assert_int_equal(run_blocks((hybrid_fault){0}, follows, expected, &usual), ESS_SUCCESS);
    memcpy(calls, blocks->calls, sizeof calls);
    for (int in = 0; in < HYBRID_CALLBACKS; in++)
      for (uint64_t call = 1; call <= calls[in]; call += 5) {
        const hybrid_fault fault = {.in = (hybrid_callback)in,
                                    .call = call,
                                    .once = true,
                                    .code = (int)(call / 2 % 2),
                                    .value = NAN,
                                    .entry = 1};
        const int status = run_blocks(fault, follows, x, &rejected);
        if (fault.code && !follows) assert_int_equal(status, ESS_SUCCESS);
        dear += rejected > usual + 10;
        for (size_t j = 0; j < 4 && !status; j++)
          if (!(fabs(x[j] - expected[j]) <= 1e-3))
            fail_msg("call %llu of callback %d, code %d, directions %d: state %zu is %g for %g",
                     (unsigned long long)call, in, fault.code, follows, j, x[j], expected[j]);
      }
  }
  assert_true(dear <= 4);
  hybrid_free(blocks);
}
