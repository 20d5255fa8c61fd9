/*
 * Random systems through the default method, held against an independent integration: a part of
 * population_systems that is run in seconds, and the worst that it has found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "random_systems.h"
#include "toy.h"

#ifndef RANDOM_SYSTEMS
#define RANDOM_SYSTEMS 10 /* of each kind */
#endif

static const double tolerances[] = {1e-2, 1e-4, 1e-6, 1e-8};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

static const double median_max = 30.0, tail_max = 100.0; /* error over tolerance */

/* the independent integration finds each crossing where the state was put on the guard */
TEST(a_system_is_threaded_through_its_guards) {
  static random_system s;
  for (unsigned long seed = 1; seed < 4; seed++) {
    if (random_system_draw(&s, SYSTEMS_UNLIKE, seed)) continue;
    assert_int_equal(s.crossing_count, s.m);
    for (size_t k = 0; k < s.m; k++) assert_int_equal(s.crossings[k], 1);
  }
}

/* error over tolerance; *wrong counts crossings missed or invented, which near a graze are a part
 * of the error at loose tolerances alone */
static double run(random_system *s, unsigned long seed, double tolerance, size_t stop_every,
                  size_t *wrong) {
  const random_run made = random_system_run(s, tolerance, ESS_BASE_DOPRI5, stop_every);
  if (made.status)
    print_error("%s %lu at %g: %s\n", systems_kind_names[s->kind], seed, tolerance,
                ess_strerror(made.status));
  if (tolerance <= 1e-6) *wrong += made.missed + made.invented;
  return made.error / tolerance;
}

/* how many tolerances are not met */
static size_t check_kind(systems_kind kind, size_t *wrong) {
  static random_system s;
  double ratio[TOLERANCES][RANDOM_SYSTEMS];
  unsigned long seed = 1000000;
  size_t broken = 0;
  for (size_t drawn = 0; drawn < RANDOM_SYSTEMS; seed++) {
    if (random_system_draw(&s, kind, seed)) continue;
    for (size_t i = 0; i < TOLERANCES; i++)
      ratio[i][drawn] = run(&s, seed, tolerances[i], 0, wrong);
    drawn++;
  }
  for (size_t i = 0; i < TOLERANCES; i++) {
    qsort(ratio[i], RANDOM_SYSTEMS, sizeof **ratio, ascending);
    const double median = ratio[i][RANDOM_SYSTEMS / 2], worst = ratio[i][RANDOM_SYSTEMS - 1];
    if (median <= median_max && worst <= tail_max) continue;
    print_error("%s at %g: median %g, worst %g\n", systems_kind_names[kind], tolerances[i], median,
                worst);
    broken++;
  }
  return broken;
}

TEST(the_error_is_in_proportion_to_the_tolerance) {
  size_t broken = 0, wrong = 0;
  for (size_t kind = 0; kind < SYSTEMS_KINDS; kind++)
    broken += check_kind((systems_kind)kind, &wrong);
  assert_int_equal(broken, 0);
  assert_int_equal(wrong, 0);
}

/* the worst of thousands, and what their error over the tolerance may be */
static const struct kept {
  systems_kind kind;
  unsigned long seed;
  double tolerance, ratio_max;
} kept[] = {
    {SYSTEMS_ROWS, 70056, 1e-9, 100.0},          {SYSTEMS_ROWS, 5069, 1e-8, 100.0},
    {SYSTEMS_ROWS, 40030, 1e-8, 100.0},          {SYSTEMS_ROWS, 70047, 1e-8, 100.0},
    {SYSTEMS_ROWS, 90206, 1e-8, 100.0},          {SYSTEMS_ROWS, 40058, 1e-7, 100.0},
    {SYSTEMS_ROWS, 70035, 1e-7, 100.0},          {SYSTEMS_ROWS, 80120, 1e-6, 100.0},
    {SYSTEMS_CURVED, 20277, 1e-8, 100.0},        {SYSTEMS_CURVED, 90340, 1e-8, 100.0},
    {SYSTEMS_CURVED, 80006, 1e-7, 100.0},        {SYSTEMS_CURVED, 80175, 1e-6, 100.0},
    {SYSTEMS_CURVED, 20265, 1e-2, 100.0},        {SYSTEMS_MIXED, 40004, 1e-8, 100.0},
    {SYSTEMS_MIXED, 80338, 1e-8, 100.0},         {SYSTEMS_MIXED, 40043, 1e-7, 100.0},
    {SYSTEMS_MIXED, 80304, 1e-7, 100.0},         {SYSTEMS_MIXED, 40049, 1e-6, 100.0},
    {SYSTEMS_MIXED, 80250, 1e-6, 100.0},         {SYSTEMS_OPPOSITE, 5061, 1e-8, 100.0},
    {SYSTEMS_OPPOSITE, 90144, 1e-8, 100.0},      {SYSTEMS_OPPOSITE, 5081, 1e-7, 100.0},
    {SYSTEMS_OPPOSITE, 40026, 1e-7, 100.0},      {SYSTEMS_OPPOSITE, 80100, 1e-7, 100.0},
    {SYSTEMS_OPPOSITE, 40030, 1e-6, 100.0},      {SYSTEMS_OPPOSITE, 80006, 1e-6, 100.0},
    {SYSTEMS_INTERLEAVED, 40007, 1e-8, 100.0},   {SYSTEMS_INTERLEAVED, 80173, 1e-8, 100.0},
    {SYSTEMS_INTERLEAVED, 5021, 1e-7, 100.0},    {SYSTEMS_INTERLEAVED, 5020, 1e-6, 100.0},
    {SYSTEMS_INTERLEAVED, 40004, 1e-6, 100.0},   {SYSTEMS_INTERLEAVED, 90260, 1e-6, 100.0},
    {SYSTEMS_INTERLEAVED, 5098, 1e-5, 100.0},    {SYSTEMS_RATES, 5039, 1e-8, 100.0},
    {SYSTEMS_RATES, 90150, 1e-8, 100.0},         {SYSTEMS_RATES, 40023, 1e-7, 100.0},
    {SYSTEMS_RATES, 80241, 1e-7, 100.0},         {SYSTEMS_RATES, 80160, 1e-6, 100.0},
    {SYSTEMS_NON_COMMUTING, 5025, 1e-8, 100.0},  {SYSTEMS_NON_COMMUTING, 90169, 1e-8, 100.0},
    {SYSTEMS_NON_COMMUTING, 80004, 1e-6, 100.0}, {SYSTEMS_UNLIKE, 5012, 1e-8, 100.0},
    {SYSTEMS_UNLIKE, 90039, 1e-8, 100.0},        {SYSTEMS_UNLIKE, 90196, 1e-6, 100.0},
    {SYSTEMS_UNLIKE, 80091, 1e-3, 100.0},        {SYSTEMS_ALIKE, 80162, 1e-8, 100.0},
    {SYSTEMS_ALIKE, 80061, 1e-6, 100.0},
};

TEST(the_worst_found_stay_within_bounds) {
  static random_system s;
  size_t broken = 0, wrong = 0;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    const int drawn = random_system_draw(&s, kept[i].kind, kept[i].seed);
    if (drawn) fail_msg("%s %lu is not live", systems_kind_names[kept[i].kind], kept[i].seed);
    const double ratio = run(&s, kept[i].seed, kept[i].tolerance, 0, &wrong);
    if (ratio <= kept[i].ratio_max) continue;
    print_error("%s %lu at %g: %g\n", systems_kind_names[kept[i].kind], kept[i].seed,
                kept[i].tolerance, ratio);
    broken++;
  }
  assert_int_equal(broken, 0);
  assert_int_equal(wrong, 0);
}

/* near a graze, where the way back from a stop leads to the crossing before: told of once all the
 * same */
TEST(a_stop_tells_of_no_crossing_again) {
  static random_system s;
  assert_int_equal(random_system_draw(&s, SYSTEMS_MIXED, 60022), 0);
  const random_run made = random_system_run(&s, 1e-3, ESS_BASE_DOPRI5, 1);
  assert_int_equal(made.status, ESS_SUCCESS);
  assert_int_equal(made.missed + made.invented, 0);
}

/* stopped at each crossing, or each seventh, and gone on with: as if it had not been */
TEST(stops_change_nothing_but_the_steps) {
  static random_system s;
  size_t broken = 0, wrong = 0;
  for (size_t kind = 0; kind < SYSTEMS_KINDS; kind++)
    for (unsigned long seed = 2000000; seed < 2000000 + (RANDOM_SYSTEMS + 2) / 3; seed++) {
      if (random_system_draw(&s, (systems_kind)kind, seed)) continue;
      for (size_t stop_every = 1; stop_every < 8; stop_every += 6) {
        const double ratio = run(&s, seed, 1e-6, stop_every, &wrong);
        if (ratio <= tail_max) continue;
        print_error("%s %lu, stopped: %g\n", systems_kind_names[kind], seed, ratio);
        broken++;
      }
    }
  assert_int_equal(broken, 0);
  assert_int_equal(wrong, 0);
}

/* no system here is stiff: stabilised steps keep to the tolerance, and no stiff ones are chosen */
TEST(other_bases_keep_to_it_too) {
  static random_system s;
  for (size_t kind = 0; kind < SYSTEMS_KINDS; kind++)
    for (unsigned long seed = 500; seed < 500 + (RANDOM_SYSTEMS + 2) / 3; seed++) {
      if (random_system_draw(&s, (systems_kind)kind, seed)) continue;
      for (double tolerance = 1e-2; tolerance > 5e-6; tolerance *= 0.1) {
        random_run run[3];
        for (int base = 0; base < 3; base++)
          run[base] = random_system_run(&s, tolerance, (ess_base)base, 0);
        assert_int_equal(run[ESS_BASE_RKC].status, ESS_SUCCESS);
        assert_true(run[ESS_BASE_RKC].error < tail_max * tolerance);
        assert_true(run[ESS_BASE_RKC].counters.stabilised > 0);
        const random_run *const own = &run[ESS_BASE_DOPRI5], *const chosen = &run[ESS_BASE_CHOSEN];
        const random_run by_rodas = random_system_run(&s, tolerance, ESS_BASE_CHOSEN_RODAS, 0);
        assert_true(chosen->error == own->error && by_rodas.error == own->error);
        assert_memory_equal(&chosen->counters, &own->counters, sizeof own->counters);
        assert_memory_equal(&by_rodas.counters, &own->counters, sizeof own->counters);
      }
    }
}
