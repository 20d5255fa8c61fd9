/*
 * Hybrid systems whose features are drawn at random: no run is wrong, and what libess refuses is
 * documented. `population_pairs` has many more.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pair_systems.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#ifndef PAIR_RUNS
#define PAIR_RUNS 300
#endif

static void fail_run(const pair_system *s, const pair_outcome *o) {
  fail_msg("population_pairs %llu 1: at %.0e, %s, error %g%s", (unsigned long long)s->seed,
           s->tolerance, ess_strerror(o->status), o->error, o->is_other ? ", another mode" : "");
}

/* seeds of runs that were wrong */
static const uint64_t were_wrong[] = {1620,  4882,  7907,  8516,  26312, 29750,
                                      30498, 30948, 31192, 33749, 36126};

TEST(no_run_is_wrong) {
  static pair_system s;
  size_t judged = 0, features[PAIR_FEATURES] = {0};
  const size_t known = sizeof were_wrong / sizeof *were_wrong;
  for (uint64_t i = 0; i < known + PAIR_RUNS; i++) {
    pair_draw(&s, i < known ? were_wrong[i] : 1000000 + i);
    const pair_outcome o = pair_run(&s);
    if (o.verdict == PAIR_WRONG) fail_run(&s, &o);
    judged += o.verdict == PAIR_RIGHT;
    for (size_t j = 0; j < PAIR_FEATURES; j++) features[j] += o.verdict == PAIR_RIGHT && s.has[j];
  }
  assert_true(judged > PAIR_RUNS / 2);
  for (size_t j = 0; j < PAIR_FEATURES; j++) assert_true(features[j] > PAIR_RUNS / 40);
}

/* seeds of runs that ended by a status, or never, where the truth goes on, by what was at fault */
static const uint64_t had_ended[] = {
    2864,  6347,  7123,  7184,  7509,  // the rounding of maps, taken for a way past a guard
    3892,  9768,  11055, 12584,        // rates of RODAS's dense output where a slide has just ended
    828,   3441,  7125,  9069,  10982, // a hundred calls for a rate that is nothing, by differences
    3369,  5714,  13432, 13949,        // a weight solved for together with those of resting states
    15307,                             // a stop at each step, closer to t = 0 than steps resolve
    25427,                             // a weight that is noise in steps as short as time resolves
    6462,  17109, 19698,               // more calls for rates of surfaces than are needed
    321,                               // rates by time alone that agree in their rounding
    611,                               // a map that only moves the state, taken for one that pushes
    5618,                              // RODAS's step made to end where it begins
    16527,                             // the drift of a step, taken for what a dose has moved
};

TEST(no_run_ends_before_its_truth) {
  static pair_system s;
  for (size_t i = 0; i < sizeof had_ended / sizeof *had_ended; i++) {
    pair_draw(&s, had_ended[i]);
    const pair_outcome o = pair_run(&s);
    if (o.verdict != PAIR_RIGHT) fail_run(&s, &o);
  }
}

/* whether a page of the project has a sentence, which lines may break */
static bool has_sentence(const char *page, const char *sentence) {
  static char text[200000];
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", PAIR_PROJECT, page);
  FILE *const file = fopen(path, "r");
  assert_non_null(file);
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = '\0';
  return strstr(text, sentence) != NULL;
}

TEST(what_is_refused_is_documented) {
  static pair_system s;
  size_t found[PAIR_REFUSALS] = {0};
  for (size_t i = 0; i < PAIR_REFUSALS; i++)
    assert_true(has_sentence(pair_refusals[i].page, pair_refusals[i].sentence));
  for (uint64_t seed = 0; seed < 500; seed++) {
    pair_draw(&s, seed);
    if (!s.has[PAIR_WEIGHTS] || !s.has[PAIR_SLIDING]) continue;
    const pair_outcome o = pair_run(&s);
    if (o.verdict != PAIR_REFUSED) fail_run(&s, &o);
    for (size_t i = 0; i < PAIR_REFUSALS; i++)
      found[i] += s.has[pair_refusals[i].one] && s.has[pair_refusals[i].other];
  }
  for (size_t i = 0; i < PAIR_REFUSALS; i++) assert_true(found[i] > 0);
}

TEST(what_low_orders_are_judged_by_is_documented) {
  assert_true(
      has_sentence("integrator/ess.h", "10 to 100 times that with many slow, hardly damped"));
}
