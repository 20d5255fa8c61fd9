/*
 * Bent courses through the default method, held against an independent integration:
 * `population_bent RUNS [SEED [SHAPE [H_MAX]]]`, RUNS courses of every shape (or all), or of one.
 * Each is run at every tolerance; where that leaves in doubt what is met (bent_courses.h) it is
 * left out. A contact is denied when the run's own states, where the truth's contact is deepest,
 * show it to half that depth and the signs do not: how often, is told of those left out as well,
 * where it may still be the correction of a step that shows a graze. `1 SEED SHAPE` tells of
 * one course. Exit 1 when a requirement is not met.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bent_courses.h"
#include "population.h"

enum { WORST = 5, WORST_OF_ALL = 10, TOLERANCES = 3 };

static const double tolerances[TOLERANCES] = {1e-2, 1e-5, 1e-8};
static const double TAIL_MAX = 100.0; /* error over tolerance, of 99 % */

/* a run's error over its tolerance, and where it comes from */
typedef struct outcome {
  double error, time_error;
  bool wrong; /* something was missed, or made up, or it failed */
  unsigned long seed;
} outcome;

/* one of the worst of all */
typedef struct bad {
  outcome of;
  bent_shape shape;
  double tolerance;
} bad;

/* one shape at one tolerance */
typedef struct tally {
  outcome *of;
  size_t count, left_out, failed, missed, invented, denied, denied_left_out;
  double field_calls, guard_calls;
} tally;

/* of the courses: how many contacts, and because of what */
typedef struct kinds {
  size_t contacts, only_bent, only_straight;
  bad worst[WORST_OF_ALL];
} kinds;

static int by_error(const void *a, const void *b) {
  const double left = ((const outcome *)a)->error, right = ((const outcome *)b)->error;
  return (left > right) - (left < right);
}

/* the wrong ones last of all */
static int by_badness(const void *a, const void *b) {
  const outcome *const left = a, *const right = b;
  return left->wrong == right->wrong ? by_error(a, b) : left->wrong - right->wrong;
}

/* keeps the worst of all, the very worst first */
static void keep_worst(kinds *k, const outcome *of, bent_shape shape, double tolerance) {
  bad new = {*of, shape, tolerance};
  for (size_t i = 0; i < WORST_OF_ALL; i++) {
    if (by_badness(&k->worst[i].of, &new.of) >= 0) continue;
    const bad other = k->worst[i];
    k->worst[i] = new;
    new = other;
  }
}

static int by_time_error(const void *a, const void *b) {
  const double left = ((const outcome *)a)->time_error, right = ((const outcome *)b)->time_error;
  return (left > right) - (left < right);
}

static void add(tally *t, const bent_course *c, unsigned long seed, double tolerance,
                const bent_run *run) {
  if (!bent_course_is_clear(c, tolerance)) {
    t->left_out++;
    t->denied_left_out += run->denied > 0;
    return;
  }
  const bool wrong = run->missed || run->invented || run->denied || run->status;
  t->of[t->count++] = (outcome){run->error, run->time_error, wrong, seed};
  t->failed += run->status != ESS_SUCCESS;
  t->missed += run->missed > 0;
  t->invented += run->invented > 0;
  t->denied += run->denied > 0;
  t->field_calls += (double)run->counters.field_evaluations;
  t->guard_calls += (double)run->counters.guard_evaluations;
}

/* one line; whether it meets the requirement */
static bool print(tally *t, bent_shape shape, double tolerance) {
  printf("%-7s %5.0e %6zu %5zu ", bent_shape_names[shape], tolerance, t->count, t->left_out);
  if (!t->count) {
    printf("%14s %4zu\n", "", t->denied_left_out);
    return true;
  }
  const double count = (double)t->count;
  const size_t tail = t->count * 99 / 100;
  qsort(t->of, t->count, sizeof *t->of, by_time_error);
  const double time_tail = t->of[tail].time_error, time_worst = t->of[t->count - 1].time_error;
  qsort(t->of, t->count, sizeof *t->of, by_error);
  const bool wrong = t->missed || t->invented || t->denied || t->failed;
  const bool good = !wrong && t->of[tail].error <= TAIL_MAX;
  printf("%4zu %4zu %4zu %3zu %4zu %8.3g %8.3g %8.3g %8.3g %8.3g %c %6.0f %6.0f ", t->missed,
         t->invented, t->denied, t->denied_left_out, t->failed, t->of[t->count / 2].error,
         t->of[tail].error, t->of[t->count - 1].error, time_tail, time_worst, good ? ' ' : '!',
         t->field_calls / count, t->guard_calls / count);
  qsort(t->of, t->count, sizeof *t->of, by_badness);
  for (size_t i = 1; i <= WORST && i <= t->count; i++) printf(" %lu", t->of[t->count - i].seed);
  putchar('\n');
  fflush(stdout);
  return good;
}

/* what is to be known of one course that is run alone */
static void tell(const bent_course *c, double tolerance, const bent_run *run) {
  printf("at %g: status %d, error %g, of times %g, missed %zu, invented %zu, denied %zu%s\n",
         tolerance, run->status, run->error, run->time_error, run->missed, run->invented,
         run->denied, bent_course_is_clear(c, tolerance) ? "" : ": in doubt");
  for (size_t i = 0; i < run->event_count; i++)
    printf("  guard %zu at %.12g\n", run->event[i].guard, run->event[i].time);
}

static void tell_truth(const bent_course *c) {
  printf("%zu lines, size %g, bent by %g sizes, smooth %g, damping %g; clear to %g, slant %g\n",
         c->line_count, c->size, c->bend, c->smooth, c->damping, c->truth.clear / BENT_MARGIN,
         c->truth.slant);
  for (size_t i = 0; i < c->truth.event_count; i++)
    printf("  guard %zu at %.12g\n", c->truth.event[i].guard, c->truth.event[i].time);
}

/* runs `count` courses of a shape at every tolerance; how many requirements are not met, or -1 */
static int race(bent_shape shape, size_t count, unsigned long seed, double h_max, kinds *k) {
  const bool alone = count == 1;
  static bent_course course;
  tally tallies[TOLERANCES] = {0};
  int broken = 0;
  for (size_t i = 0; i < TOLERANCES; i++) {
    tallies[i].of = calloc(count, sizeof *tallies[i].of);
    if (!tallies[i].of) broken = -1;
  }
  for (size_t drawn = 0; drawn < count && !broken; seed++) {
    if (bent_course_draw(&course, shape, seed)) continue;
    drawn++;
    k->contacts += course.truth.event_count / 2;
    k->only_bent += course.only_bent;
    k->only_straight += course.only_straight;
    if (alone) tell_truth(&course);
    for (size_t i = 0; i < TOLERANCES; i++) {
      const bent_run run = bent_course_run(&course, tolerances[i], h_max);
      const size_t before = tallies[i].count;
      add(&tallies[i], &course, seed, tolerances[i], &run);
      if (tallies[i].count > before) keep_worst(k, &tallies[i].of[before], shape, tolerances[i]);
      if (alone) tell(&course, tolerances[i], &run);
    }
  }
  for (size_t i = 0; i < TOLERANCES; i++) {
    if (broken >= 0) broken += !print(&tallies[i], shape, tolerances[i]);
    free(tallies[i].of);
  }
  return broken;
}

/* the shape of this name; BENT_SHAPES when none is called so */
static bent_shape shape_of(const char *name) {
  size_t shape = 0;
  while (shape < BENT_SHAPES && strcmp(bent_shape_names[shape], name)) shape++;
  return (bent_shape)shape;
}

/* with --rows */
static void rows_of(uint64_t seed) {
  static bent_course course;
  for (bent_shape shape = 0; shape < BENT_SHAPES; shape++) {
    if (bent_course_draw(&course, shape, (unsigned long)seed)) continue;
    for (size_t i = 0; i < TOLERANCES; i++) {
      const bent_run run = bent_course_run(&course, tolerances[i], INFINITY);
      const bool wrong = run.missed || run.invented || run.denied;
      population_row(bent_shape_names[shape], seed, tolerances[i],
                     !bent_course_is_clear(&course, tolerances[i]) ? POPULATION_OUT
                     : wrong && !run.status                        ? POPULATION_WRONG
                                                                   : POPULATION_RIGHT,
                     run.error);
    }
  }
}

int main(int argc, char *argv[]) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
  const long count = argc > 1 ? atol(argv[1]) : 0;
  const unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
  const bent_shape only = argc > 3 ? shape_of(argv[3]) : BENT_SHAPES;
  const double h_max = argc > 4 ? atof(argv[4]) : INFINITY;
  if (count < 1 || argc > 5 || (argc > 3 && only == BENT_SHAPES && strcmp(argv[3], "all")) ||
      !(h_max > 0.0)) {
    fprintf(stderr, "usage: %s RUNS [SEED [SHAPE [H_MAX]]]\n", argv[0]);
    return 2;
  }
  puts(
      "runs; left out; runs with contacts missed, invented, denied by the run's own states (and "
      "of\n"
      "those left out), failed; error / tolerance: median, 99 %, worst; of contacts' times: 99 %,\n"
      "worst; calls of the field, of guards; seeds of the worst");
  int broken = 0;
  kinds k = {0};
  for (size_t shape = 0; shape < BENT_SHAPES && broken >= 0; shape++) {
    if (only != BENT_SHAPES && only != shape) continue;
    const int more = race((bent_shape)shape, (size_t)count, seed, h_max, &k);
    broken = more < 0 ? more : broken + more;
  }
  printf("%zu contacts; %zu are met only because of the jumps, %zu would be but for them\n",
         k.contacts, k.only_bent, k.only_straight);
  for (size_t i = 0; i < WORST_OF_ALL && (k.worst[i].of.wrong || k.worst[i].of.error > 0.0); i++)
    printf("worst: 1 %lu %s at %g: error %.3g, of times %.3g%s\n", k.worst[i].of.seed,
           bent_shape_names[k.worst[i].shape], k.worst[i].tolerance, k.worst[i].of.error,
           k.worst[i].of.time_error, k.worst[i].of.wrong ? ": contacts are wrong" : "");
  return broken != 0;
}
