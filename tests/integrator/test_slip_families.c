/*
 * States that are held, and let go of by a wave: no slip is missed or made up.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "slip_families.h"
#include "test.h"

#ifndef SLIP_RUNS
#define SLIP_RUNS 100
#endif

static void check(slip_family f, uint64_t i, uint64_t *held, uint64_t *slips) {
  const slip_outcome o = slip_run(f, i);
  // a ball that the table only just leaves behind may graze it
  const bool may_graze = f >= SLIP_LOAD && o.status == ESS_EGRAZING;
  if (slip_is_wrong(&o) || (o.status && !may_graze))
    fail_msg("%s, run %llu at %.0e: %s, late by %g tolerances, early by %g at %g", slip_names[f],
             (unsigned long long)i, o.tolerance, ess_strerror(o.status), o.late, o.early,
             o.wrong_at);
  *held += o.held;
  *slips += o.slips;
}

TEST(no_slip_is_missed_or_made_up) {
  for (slip_family f = 0; f < SLIP_COUNT; f++) {
    uint64_t held = 0, slips = 0;
    for (uint64_t i = 0; i < SLIP_RUNS; i++) check(f, 1000000 + i, &held, &slips);
    assert_true(held > SLIP_RUNS && slips > SLIP_RUNS);
  }
}

/* a load that is all but lifted, and rises far more before the step ends: only the end was seen */
TEST(the_first_of_two_ends_within_a_step_is_found) {
  uint64_t held = 0, slips = 0;
  check(SLIP_LOAD, 10860, &held, &slips);
  assert_true(slips > 0);
}

/* A ball that grazes its load by less than the tolerance, again and again at the same place; and
 * one that comes to rest where next to nothing pushes it onto the table, in ever shorter steps. */
TEST(each_rest_comes_to_an_end) {
  static const struct {
    slip_family family;
    uint64_t run;
  } ends[] = {{SLIP_LOAD, 597},  {SLIP_LOAD, 2580},  {SLIP_LOAD, 8075},
              {SLIP_LOAD, 8636}, {SLIP_TABLE, 2131}, {SLIP_TABLE, 4047}};
  uint64_t held = 0, slips = 0;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    check(ends[i].family, ends[i].run, &held, &slips);
  assert_true(held > 0 && slips > 0);
}
