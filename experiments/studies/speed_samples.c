/*
 * What a row of samples costs: the same run with none, with those of the output grid, and with
 * those of one ten times as fine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "solvers.h"
#include "speed.h"

enum { GRIDS = 3, FINER = 10 };
static const double sample_s = 2e-3;

/* one run's way of being sampled; owned */
typedef struct sampling {
  const contest_starts *starts;
  ess_driver *driver;
  double end;
  size_t rows;
  double *times, *states;
} sampling;

static int run(void *context, size_t trial) {
  sampling *const s = context;
  const size_t n = s->starts->m->system.dimension;
  double t = 0.0, x[MODEL_DIMENSION_MAX];
  memcpy(x, s->starts->states + trial * n, n * sizeof *x);
  ess_driver_reset(s->driver);
  return s->rows ? ess_driver_sample(s->driver, &t, s->end, x, s->times, s->rows, s->states)
                 : ess_driver_apply(s->driver, &t, s->end, x);
}

/* `rows` evenly from the start to the end */
static int open_sampling(sampling *s, const contest_starts *starts, const speed_entry *e,
                         size_t rows) {
  const trajectory *const grid = &starts->references[0];
  const ess_options options =
      solver_libess_options(solver_method(e->solver), &e->settings, grid->dt);
  *s = (sampling){.starts = starts, .end = grid->times[grid->count - 1], .rows = rows};
  s->times = calloc(rows + 1, sizeof *s->times);
  s->states = calloc(rows * grid->dimension + 1, sizeof *s->states);
  s->driver = ess_driver_alloc(&starts->m->system, &options, NULL);
  if (!s->times || !s->states || !s->driver) return -1;
  for (size_t i = 0; i < rows; i++) s->times[i] = s->end * (double)i / (double)(rows - 1);
  return 0;
}

static void close_sampling(sampling *s) {
  ess_driver_free(s->driver);
  free(s->times);
  free(s->states);
}

/* what each further row costs, paired by start */
static int difference(const double more[], const double less[], size_t trials, double rows,
                      unsigned long seed, measure_interval *out) {
  const measure_bootstrap options = measure_bootstrap_default(seed);
  double *const each = calloc(trials, sizeof *each);
  if (!each) return MEASURE_ENOMEM;
  for (size_t j = 0; j < trials; j++) each[j] = (more[j] - less[j]) / rows;
  const int status = measure_bootstrap_median(each, trials, &options, out);
  free(each);
  return status;
}

static int time_grids(sampling grids[GRIDS], size_t trials, unsigned long seed, double seconds[]) {
  measure_candidate candidates[GRIDS];
  for (size_t i = 0; i < GRIDS; i++)
    candidates[i] = (measure_candidate){.name = "", .run = run, .context = &grids[i]};
  const measure_plan plan = {
      .trials = trials, .seed = seed, .min_time_s = sample_s, .warmup_runs = 1};
  return measure_interleave(candidates, GRIDS, &plan, seconds, NULL, NULL);
}

int speed_time_samples(const speed_case *c, const speed_entry *e, unsigned long seed,
                       speed_sample_cost out[2], char *message) {
  const contest_starts starts = contest_starts_view(&c->starts, &c->form[e->form]);
  const size_t rows = starts.references[0].count, n = starts.m->system.dimension;
  const size_t counts[GRIDS] = {0, rows, FINER * (rows - 1) + 1};
  sampling grids[GRIDS] = {0};
  double *const seconds = calloc(GRIDS * c->trials, sizeof *seconds);
  int status = seconds ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  for (size_t i = 0; !status && i < GRIDS; i++)
    if (open_sampling(&grids[i], &starts, e, counts[i])) status = MEASURE_ENOMEM;
  if (!status) status = time_grids(grids, c->trials, seed, seconds);
  for (size_t i = 0; !status && i < 2; i++) {
    out[i] =
        (speed_sample_cost){.of = c, .dimension = n, .rows = counts[i + 1], .fewer = counts[i]};
    status = difference(seconds + (i + 1) * c->trials, seconds + i * c->trials, c->trials,
                        (double)(counts[i + 1] - counts[i]), seed, &out[i].row);
  }
  for (size_t i = 0; i < GRIDS; i++) close_sampling(&grids[i]);
  free(seconds);
  if (status) measure_message(message, "timing of samples: %s", measure_strerror(status));
  return status ? -1 : 0;
}
