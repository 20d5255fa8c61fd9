/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A solver's error at a tolerance or a time step, and its runs by themselves for valgrind to count:
 * what tools/counts reads. The initial conditions are those of the studies' first seeds.
 * usage: equal_error errors|runs MODEL[,NAME=VALUE...] SOLVER[:VARIANT] STARTS VALUE...
 * errors: a line a value: it, the median and the largest error, and means of the counters.
 * runs: each initial condition once; race() is what is counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "solvers.h"

enum { STARTS_MOST = 1000 };

static int fail(const char *why) {
  fprintf(stderr, "equal_error: %s\n", why);
  return EXIT_FAILURE;
}

/* with a name outside and never inlined, so that callgrind finds it */
int race(contestant *c, size_t trial);
__attribute__((noinline)) int race(contestant *c, size_t trial) {
  const solver_output out = trajectory_output(&c->samples);
  return c->solver->run(c->instance, c->starts->states + trial * c->starts->m->system.dimension,
                        &out, &c->report);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void show_errors(contestant *c, double value) {
  const size_t trials = c->starts->trials;
  double fields = 0.0, guards = 0.0, steps = 0.0, rejected = 0.0, seconds;
  for (size_t i = 0; i < trials; i++) {
    if (contestant_sample(c, i, &seconds)) c->rms[i] = INFINITY; // a run that failed
    fields += (double)c->report.field_evaluations / (double)trials;
    guards += (double)c->report.event_evaluations / (double)trials;
    steps += (double)c->report.steps / (double)trials;
    rejected += (double)c->report.rejected / (double)trials;
  }
  qsort(c->rms, trials, sizeof *c->rms, by_size);
  const double median = 0.5 * (c->rms[(trials - 1) / 2] + c->rms[trials / 2]);
  printf("%g %.6e %.6e %.1f %.1f %.1f %.1f\n", value, median, c->rms[trials - 1], fields, guards,
         steps, rejected);
}

/* a value is the time step of a solver that has one, and a tolerance otherwise */
static int at_value(const contest_starts *starts, const solver_type *solver, const char *variant,
                    double value, bool errors, char message[]) {
  solver_settings settings = solver_settings_default();
  const bool steps = solver_concerns(solver) & SETTING_TIME_STEP;
  settings.variant = variant;
  if (steps) settings.time_step = value;
  if (!steps) settings.rtol = settings.atol = value;
  contestant c;
  if (contestant_prepare(&c, solver, &settings, starts, message)) return -1;
  int status = 0;
  if (errors) {
    show_errors(&c, value);
  } else {
    for (size_t i = 0; !status && i < starts->trials; i++) status = race(&c, i);
    if (status) strcpy(message, c.report.message);
  }
  contestant_release(&c);
  return status;
}

static int build_model(model *m, char *words, char message[]) {
  const char *const name = strtok(words, ",");
  const model_type *const type = name ? model_find(name) : NULL;
  if (!type) return strcpy(message, "there is no such model"), -1;
  model_init(m, type);
  for (char *word = strtok(NULL, ","); word; word = strtok(NULL, ",")) {
    char *const value = strchr(word, '=');
    if (!value) return strcpy(message, "a parameter is NAME=VALUE"), -1;
    *value = '\0';
    if (model_set(m, word, atof(value + 1), message)) return -1;
  }
  return model_prepare(m, message);
}

int main(int argc, char **argv) {
  char message[SOLVER_MESSAGE_SIZE] =
      "usage: equal_error errors|runs MODEL[,NAME=VALUE...] SOLVER[:VARIANT] STARTS VALUE...";
  const bool errors = argc > 1 && strcmp(argv[1], "errors") == 0;
  if (argc < 6 || (!errors && strcmp(argv[1], "runs") != 0)) return fail(message), 2;
  char *const name = strtok(argv[3], ":"), *const variant = strtok(NULL, ":");
  const solver_type *const solver = name ? solver_find(name) : NULL;
  const size_t trials = strtoul(argv[4], NULL, 10);
  if (!solver) return fail("there is no such solver"), 2;
  if (variant && !solver_variant(solver, variant)) return fail("it has no such variant"), 2;
  if (trials < 1 || trials > STARTS_MOST) return fail("STARTS must be 1 to 1000"), 2;
  model m;
  contest_starts starts;
  if (build_model(&m, argv[2], message)) return fail(message), 2;
  int status = contest_starts_alloc(&starts, &m, trials, true, 1, message);
  for (size_t i = 0; !status && errors && i < trials; i++)
    status = contest_reference(&starts, i, message);
  for (int i = 5; !status && i < argc; i++)
    status = at_value(&starts, solver, variant, atof(argv[i]), errors, message);
  contest_starts_free(&starts);
  model_release(&m);
  return status ? fail(message) : EXIT_SUCCESS;
}
