/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a row of samples costs: the same run of libess with none, with those of the output grid, and
 * with those of one ten times as fine. */
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "series.h"
#include "solvers.h"
#include "speed.h"
#include "turns.h"

enum { GRIDS = 3, FINER = 10, ROUNDS = 6 };
static const double turn_s = 5e-3, most_s = 1.0;

/* one run's way of being sampled; owned */
typedef struct sampling {
  const contest_starts *starts;
  ess_driver *driver;
  double end;
  size_t rows;
  double *times, *states;
} sampling;

/* rows of the grids of a model: none, those of its output, and of the finer one */
static size_t rows_of(size_t output, size_t grid) {
  return grid == 0 ? 0 : grid == 1 ? output : FINER * (output - 1) + 1;
}

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
static int open_sampling(sampling *s, const contest_starts *starts, const solver_settings *with,
                         size_t grid) {
  const trajectory *const output = &starts->references[0];
  const ess_options options = solver_libess_options(ESS_METHOD_TOLERANCE, with, output->dt);
  *s = (sampling){.starts = starts,
                  .end = output->times[output->count - 1],
                  .rows = rows_of(output->count, grid)};
  s->times = calloc(s->rows + 1, sizeof *s->times);
  s->states = calloc(s->rows * output->dimension + 1, sizeof *s->states);
  s->driver = ess_driver_alloc(&starts->m->system, &options, NULL);
  for (size_t i = 0; s->times && i < s->rows; i++)
    s->times[i] = s->end * (double)i / (double)(s->rows - 1);
  return s->times && s->states && s->driver ? MEASURE_SUCCESS : MEASURE_ENOMEM;
}

static void close_sampling(sampling *s) {
  ess_driver_free(s->driver);
  free(s->times);
  free(s->states);
}

static int time_grids(const study_run *run_of, sampling grids[GRIDS], size_t trials,
                      double seconds[]) {
  measure_candidate candidates[GRIDS];
  measure_turns_record records[GRIDS];
  for (size_t i = 0; i < GRIDS; i++)
    candidates[i] = (measure_candidate){.run = run, .context = &grids[i]};
  const measure_turns turns = {.trials = trials,
                               .seed = run_of->seed,
                               .rounds = ROUNDS,
                               .turn_s = turn_s,
                               .most_s = most_s,
                               .stop = run_of->interrupted};
  const int status = measure_take_turns(candidates, GRIDS, &turns, seconds, records);
  for (size_t i = 0; !status && i < GRIDS; i++)
    if (records[i].failed) return MEASURE_ECALLBACK;
  return status;
}

static void add_grids(const speed_room *r, const speed_sample *entry, size_t process,
                      const double seconds[]) {
  const size_t trials = r->starts.trials;
  for (size_t i = 0; i < GRIDS * trials; i++) {
    speed_sample s = *entry;
    s.what = "grid";
    s.process = process;
    s.rows = (double)rows_of(r->starts.references[0].count, i / trials);
    s.trial = i % trials;
    s.seconds = seconds[i];
    study_add(r->run, SPEED_SAMPLES, &s);
  }
}

int speed_time_samples(speed_room *r, const speed_sample *entry, size_t process) {
  const contest_starts starts = contest_starts_view(&r->starts, r->form[speed_form_of(entry)]);
  const solver_settings with = speed_settings_of(entry);
  sampling grids[GRIDS] = {0};
  double *const seconds = calloc(GRIDS * starts.trials, sizeof *seconds);
  int status = seconds ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  for (size_t i = 0; !status && i < GRIDS; i++)
    status = open_sampling(&grids[i], &starts, &with, i);
  if (!status) status = time_grids(r->run, grids, starts.trials, seconds);
  if (status) measure_message(r->run->message, "timing of samples: %s", measure_strerror(status));
  if (!status) add_grids(r, entry, process, seconds);
  for (size_t i = 0; i < GRIDS; i++) close_sampling(&grids[i]);
  free(seconds);
  return status ? -1 : 0;
}

/* ---- what they say --------------------------------------------------------------------------- */

/* those of a cell, or NULL */
static const speed_sample *grids_of(const study_run *run_of, size_t cell) {
  size_t count;
  const speed_sample *const all = study_samples(run_of, cell, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(all[i].what, "grid") == 0) return &all[i];
  return NULL;
}

/* what each further row of one grid costs against the one before, start by start */
static void add_cost(study_run *run_of, size_t first_cell, const speed_system *of, size_t grid) {
  const size_t processes = run_of->processes;
  const size_t trials = ((const speed_settings *)run_of->settings)->trials;
  const draws crossed = race_draws(run_of, trials, true);
  gather each = {run_of, SPEED_VALUES, 0, 1, crossed.trials};
  study_rows(run_of, SPEED_VALUES, &each.first);
  speed_sample_cost c = {
      .model = of->model, .contacts = of->contacts, .dimension = model_find(of->model)->dimension};
  for (size_t i = 0; i < crossed.trials; i++) {
    const speed_sample *const less =
        grids_of(run_of, first_cell + i % processes) + (grid - 1) * trials + i / processes;
    const speed_sample *const more = less + trials;
    const double value = (more->seconds - less->seconds) / (more->rows - less->rows);
    c.rows = (size_t)more->rows;
    c.rows_less = (size_t)less->rows;
    study_add(run_of, SPEED_VALUES, &value);
  }
  series_median(each, "seconds", &crossed, &c.s_per_row, c.interval);
  study_add(run_of, SPEED_SAMPLE_COSTS, &c);
}

void speed_derive_samples(study_run *run_of) {
  const speed_settings *const s = run_of->settings;
  for (size_t i = 0; i < speed_systems(s); i++) {
    const speed_system of = speed_system_at(s, i);
    const size_t first_cell = speed_systems(s) + i * run_of->processes;
    for (size_t grid = 1; grids_of(run_of, first_cell) && grid < GRIDS; grid++)
      add_cost(run_of, first_cell, &of, grid);
  }
}
