/*
 * Hostile systems through the default method: `population_hostile COUNT [SEED [ROWS [SHAPE
 * [weights]]]]`, the systems of COUNT seeds (all rows and shapes where none is given, or "all"),
 * each at eight tolerances; with `weights` their fields are declared affine in the signs, as they
 * are. A line for each kind; before that one for each run that is wrong. Exit 1 when there is any.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile_systems.h"
#include "population.h"

enum { TOLERANCES = 8 };

/* one kind */
typedef struct tally {
  size_t systems, runs, through, left_out, refused, wrong, unlike;
  double worst, field_calls;
} tally;

static void tell(const hostile_system *s, double tolerance, const hostile_outcome *o) {
  printf("wrong: %lu at %g (%s %s, %zu guards): error %.3g, crossings %zu of %zu, silent %zu of "
         "%zu%s\n",
         (unsigned long)s->seed, tolerance, hostile_rows_names[s->rows],
         hostile_shape_names[s->shape], s->m, o->error, o->crossings, o->true_crossings, o->silent,
         o->true_silent, o->is_observed_alike ? "" : "; another with an observer");
  fflush(stdout);
}

static void add(tally *t, const hostile_system *s, double tolerance, const hostile_outcome *o) {
  t->runs++;
  t->through += o->counters.through > 0;
  t->left_out += o->verdict == HOSTILE_LEFT_OUT;
  t->refused += o->verdict == HOSTILE_REFUSED;
  t->wrong += o->verdict == HOSTILE_WRONG;
  t->unlike += !o->is_observed_alike;
  t->field_calls += (double)o->counters.field_evaluations;
  const bool counts = o->verdict == HOSTILE_RIGHT || o->verdict == HOSTILE_WRONG;
  if (counts && !(o->error <= t->worst)) t->worst = o->error;
  if (o->verdict == HOSTILE_WRONG || !o->is_observed_alike) tell(s, tolerance, o);
}

static void add_all(tally *to, const tally *t) {
  to->systems += t->systems;
  to->runs += t->runs;
  to->through += t->through;
  to->left_out += t->left_out;
  to->refused += t->refused;
  to->wrong += t->wrong;
  to->unlike += t->unlike;
  to->field_calls += t->field_calls;
  to->worst = fmax(to->worst, t->worst);
}

static void print(const char *rows, const char *shape, const tally *t) {
  if (!t->systems) return;
  printf("%-10s %-7s %7zu %8zu %8zu %6zu %6zu %5zu %6zu %9.3g %8.0f\n", rows, shape, t->systems,
         t->runs, t->through, t->left_out, t->refused, t->wrong, t->unlike, t->worst,
         t->runs ? t->field_calls / (double)t->runs : 0.0);
}

static void run_system(const hostile_system *s, tally *t) {
  hostile_path truth;
  hostile_truth(s, 0.0, 1.0, &truth);
  t->systems++;
  if (truth.status || truth.is_unclear) {
    t->left_out += TOLERANCES;
    return;
  }
  for (size_t i = 0; i < TOLERANCES; i++) {
    const double tolerance = pow(10.0, -2.0 - (double)i);
    const hostile_outcome o = hostile_run(s, &truth, tolerance, i == s->seed % TOLERANCES);
    add(t, s, tolerance, &o);
  }
}

/* the name's place among `count`; `count` when it is "all", more when it is none of them */
static size_t find(const char *name, const char *const names[], size_t count) {
  size_t i = 0;
  while (i < count && strcmp(names[i], name)) i++;
  return i < count || !strcmp(name, "all") ? i : count + 1;
}

/* with --rows; each system with weights, too */
static void rows_of(uint64_t seed) {
  static const population_verdict verdicts[] = {
      [HOSTILE_WRONG] = POPULATION_WRONG, [HOSTILE_LEFT_OUT] = POPULATION_OUT};
  static hostile_system s;
  hostile_path truth;
  hostile_draw(&s, seed);
  hostile_truth(&s, 0.0, 1.0, &truth);
  if (truth.status || truth.is_unclear) return;
  for (size_t i = 0; i < 2 * TOLERANCES; i++) {
    char family[64];
    const double tolerance = pow(10.0, -2.0 - (double)(i / 2));
    s.weights = i % 2;
    snprintf(family, sizeof family, "%s%s", hostile_rows_names[s.rows],
             s.weights ? " weights" : "");
    const hostile_outcome o = hostile_run(&s, &truth, tolerance, i / 2 == seed % TOLERANCES);
    population_row(family, seed, tolerance,
                   o.is_observed_alike ? verdicts[o.verdict] : POPULATION_WRONG, o.error);
  }
}

int main(int argc, char *argv[]) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
  const long count = argc > 1 ? atol(argv[1]) : 0;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
  const size_t rows = argc > 3 ? find(argv[3], hostile_rows_names, HOSTILE_ROWS) : HOSTILE_ROWS;
  const size_t shape =
      argc > 4 ? find(argv[4], hostile_shape_names, HOSTILE_SHAPES) : HOSTILE_SHAPES;
  const bool weights = argc > 5 && !strcmp(argv[5], "weights");
  if (count < 1 || argc > 6 || (argc > 5 && !weights) || rows > HOSTILE_ROWS ||
      shape > HOSTILE_SHAPES) {
    fprintf(stderr, "usage: %s COUNT [SEED [ROWS [SHAPE [weights]]]]\n", argv[0]);
    return 2;
  }
  static tally tallies[HOSTILE_ROWS][HOSTILE_SHAPES];
  static hostile_system s;
  for (uint64_t i = 0; i < (uint64_t)count; i++) {
    hostile_draw(&s, seed + i);
    if (rows < HOSTILE_ROWS && s.rows != rows) continue;
    if (shape < HOSTILE_SHAPES && s.shape != shape) continue;
    s.weights = weights;
    run_system(&s, &tallies[s.rows][s.shape]);
  }
  printf("%-10s %-7s %7s %8s %8s %6s %6s %5s %6s %9s %8s\n", "rows", "shape", "systems", "runs",
         "through", "out", "status", "wrong", "unlike", "worst/tol", "fields");
  tally all = {0};
  for (size_t i = 0; i < HOSTILE_ROWS; i++)
    for (size_t j = 0; j < HOSTILE_SHAPES; j++) {
      print(hostile_rows_names[i], hostile_shape_names[j], &tallies[i][j]);
      add_all(&all, &tallies[i][j]);
    }
  print("all", "", &all);
  return all.wrong || all.unlike;
}
