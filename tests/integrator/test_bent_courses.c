/*
 * Bent courses through the default method, held against an independent integration: a part of
 * population_bent that is run in seconds, and the worst that it has found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "bent_courses.h"
#include "draws.h"
#include "toy.h"

#ifndef BENT_COURSES
#define BENT_COURSES 25 /* of each shape */
#endif

static const double tolerances[] = {1e-2, 1e-5, 1e-8};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

static const double TAIL_MAX = 100.0; /* error over tolerance, of 99 % */

/* as the truth has it, so has the default method with steps too short to miss anything */
TEST(the_truth_is_met_with_short_steps) {
  static bent_course c;
  for (size_t shape = 0; shape < BENT_SHAPES; shape++)
    for (unsigned long seed = 1; seed <= 3; seed++) {
      if (bent_course_draw(&c, (bent_shape)shape, seed)) continue;
      if (!bent_course_is_clear(&c, 1e-8)) continue;
      const bent_run run = bent_course_run(&c, 1e-8, 0.03 * fmin(c.size, 0.1));
      assert_int_equal(run.status, ESS_SUCCESS);
      assert_int_equal(run.missed + run.invented + run.denied, 0);
      assert_true(run.error <= 10.0);
    }
}

/* error over tolerance; *wrong counts runs with contacts missed, made up or denied, or that fail */
static double run(bent_course *c, bent_shape shape, unsigned long seed, double tolerance,
                  size_t *wrong) {
  const bent_run made = bent_course_run(c, tolerance, INFINITY);
  const bool is_wrong = made.status || made.missed || made.invented || made.denied;
  if (is_wrong)
    print_error("%s %lu at %g: %s, missed %zu, made up %zu, denied %zu\n", bent_shape_names[shape],
                seed, tolerance, ess_strerror(made.status), made.missed, made.invented,
                made.denied);
  *wrong += is_wrong;
  return made.error;
}

TEST(contacts_are_met_and_timed) {
  static bent_course c;
  static double error[TOLERANCES][BENT_SHAPES * BENT_COURSES];
  size_t count[TOLERANCES] = {0}, wrong = 0, broken = 0;
  for (size_t shape = 0; shape < BENT_SHAPES; shape++) {
    unsigned long seed = 1;
    for (size_t drawn = 0; drawn < BENT_COURSES; seed++) {
      if (bent_course_draw(&c, (bent_shape)shape, seed)) continue;
      drawn++;
      for (size_t i = 0; i < TOLERANCES; i++)
        if (bent_course_is_clear(&c, tolerances[i]))
          error[i][count[i]++] = run(&c, (bent_shape)shape, seed, tolerances[i], &wrong);
    }
  }
  for (size_t i = 0; i < TOLERANCES; i++) {
    if (!count[i]) continue;
    qsort(error[i], count[i], sizeof **error, ascending);
    const double tail = error[i][count[i] * 99 / 100], worst = error[i][count[i] - 1];
    if (tail <= TAIL_MAX) continue;
    print_error("of %zu at %g: 99 %% %g, worst %g\n", count[i], tolerances[i], tail, worst);
    broken++;
  }
  assert_int_equal(wrong, 0);
  assert_int_equal(broken, 0);
}

/* the worst of thousands */
static const struct kept {
  bent_shape shape;
  unsigned long seed;
  double tolerance;
} kept[] = {
    {BENT_ELLIPSE, 306, 1e-5}, {BENT_ELLIPSE, 701, 1e-5}, {BENT_RIDGE, 232, 1e-8},
    {BENT_RIDGE, 5, 1e-8},     {BENT_RIDGE, 488, 1e-8},   {BENT_ROD, 234, 1e-8},
    {BENT_ROD, 292, 1e-5},     {BENT_ROOF, 71, 1e-8},     {BENT_ROOF, 175, 1e-8},
    {BENT_ROOF, 14, 1e-5},     {BENT_BEAM, 131, 1e-8},    {BENT_BEAM, 130, 1e-5},
    {BENT_SPUN, 560, 1e-8},    {BENT_SPUN, 53, 1e-8},     {BENT_RIDGE, 9072, 1e-5},
    {BENT_RIDGE, 20001, 1e-5},
};

TEST(the_worst_found_stay_within_bounds) {
  static bent_course c;
  size_t wrong = 0, broken = 0;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    assert_int_equal(bent_course_draw(&c, kept[i].shape, kept[i].seed), 0);
    if (!bent_course_is_clear(&c, kept[i].tolerance))
      fail_msg("%s %lu is in doubt", bent_shape_names[kept[i].shape], kept[i].seed);
    const double error = run(&c, kept[i].shape, kept[i].seed, kept[i].tolerance, &wrong);
    if (error <= TAIL_MAX) continue;
    print_error("%s %lu at %g: error %g\n", bent_shape_names[kept[i].shape], kept[i].seed,
                kept[i].tolerance, error);
    broken++;
  }
  assert_int_equal(wrong, 0);
  assert_int_equal(broken, 0);
}
