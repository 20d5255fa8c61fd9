/*
 * Random systems through the default method, held against an independent integration: a part of
 * population_systems that is run in seconds, and the worst that it has found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "random_systems.h"
#include "toy.h"

#ifndef RANDOM_SYSTEMS
#define RANDOM_SYSTEMS 12 /* of each kind */
#endif

static const double tolerances[] = {1e-2, 1e-4, 1e-6, 1e-8};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

static const double median_max = 30.0, tail_max = 100.0; /* error over tolerance */

/* the independent integration finds each crossing where the state was put on the guard */
static void a_system_is_threaded_through_its_guards(void **state) {
  (void)state;
  static random_system s;
  for (unsigned long seed = 1; seed < 4; seed++) {
    if (random_system_draw(&s, SYSTEMS_UNLIKE, seed)) continue;
    assert_int_equal(s.crossing_count, s.m);
    for (size_t k = 0; k < s.m; k++) assert_int_equal(s.crossings[k], 1);
  }
}

static double run(random_system *s, unsigned long seed, double tolerance) {
  const random_run made = random_system_run(s, tolerance);
  if (made.status)
    print_error("%s %lu at %g: %s\n", systems_kind_names[s->kind], seed, tolerance,
                ess_strerror(made.status));
  assert_int_equal(made.status, ESS_SUCCESS);
  // what is missed or invented near a graze is a part of the error at loose tolerances alone
  if (tolerance <= 1e-6) assert_int_equal(made.missed + made.invented, 0);
  return made.error / tolerance;
}

static int ascending(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void check_kind(systems_kind kind) {
  static random_system s;
  double ratio[TOLERANCES][RANDOM_SYSTEMS];
  unsigned long seed = 1000000;
  for (size_t drawn = 0; drawn < RANDOM_SYSTEMS; seed++) {
    if (random_system_draw(&s, kind, seed)) continue;
    for (size_t i = 0; i < TOLERANCES; i++) ratio[i][drawn] = run(&s, seed, tolerances[i]);
    drawn++;
  }
  for (size_t i = 0; i < TOLERANCES; i++) {
    qsort(ratio[i], RANDOM_SYSTEMS, sizeof **ratio, ascending);
    const double median = ratio[i][RANDOM_SYSTEMS / 2], worst = ratio[i][RANDOM_SYSTEMS - 1];
    if (!(median <= median_max && worst <= tail_max))
      print_error("%s at %g: median %g, worst %g\n", systems_kind_names[kind], tolerances[i],
                  median, worst);
    assert_true(median <= median_max && worst <= tail_max);
  }
}

static void the_error_is_in_proportion_to_the_tolerance(void **state) {
  (void)state;
  for (size_t kind = 0; kind < SYSTEMS_KINDS; kind++) check_kind((systems_kind)kind);
}

/* the worst of thousands, and what their error over the tolerance may be */
static const struct kept {
  systems_kind kind;
  unsigned long seed;
  double tolerance, ratio_max;
} kept[] = {
    {SYSTEMS_INTERLEAVED, 8, 1e-5, 100.0},
    {SYSTEMS_RATES, 19, 1e-4, 100.0},
};

static void the_worst_found_stay_within_bounds(void **state) {
  (void)state;
  static random_system s;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    assert_int_equal(random_system_draw(&s, kept[i].kind, kept[i].seed), 0);
    const double ratio = run(&s, kept[i].seed, kept[i].tolerance);
    if (ratio > kept[i].ratio_max)
      print_error("%s %lu at %g: %g\n", systems_kind_names[kept[i].kind], kept[i].seed,
                  kept[i].tolerance, ratio);
    assert_true(ratio <= kept[i].ratio_max);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_system_is_threaded_through_its_guards),
      cmocka_unit_test(the_error_is_in_proportion_to_the_tolerance),
      cmocka_unit_test(the_worst_found_stay_within_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
