/*
 * A block of the ensemble's starts: runs them one after the other and counts what they come to, so
 * that it takes the same memory however many they are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "ensemble.h"
#include "solvers.h"
#include "statistics.h"
#include "tally.h"

/* starts of a block, and blocks */
enum { BLOCK = 1000, BLOCKS_MAX = 5000 };

/* runs that fail are told of one by one up to so many in a block; all are counted */
enum { FAILURES_MAX = 20, REASONS_MAX = 16, START_SIZE = 32 * MODEL_DIMENSION_MAX };

/* where the values of the pilot are that decide on bins */
static const double low_share = 0.01, high_share = 0.99;

/* of a process: the solver, and what a block counts; owned */
typedef struct worker {
  const model *m;
  void *instance;
  gsl_rng *rng;
  double *work;             /* of model_energy */
  double *start;            /* n */
  double times[2], *states; /* the start, and the end */
  ensemble_frame frame;
  bool framed;

  /* of the block */
  int64_t count[ENSEMBLE_QUANTITIES_MAX][HISTOGRAM_BINS],
      map[ENSEMBLE_MAP * ENSEMBLE_MAP][MAP_NUMBERS];
  double sum[ENSEMBLE_QUANTITIES_MAX], squares[ENSEMBLE_QUANTITIES_MAX];
  double low[ENSEMBLE_QUANTITIES_MAX], high[ENSEMBLE_QUANTITIES_MAX];
  const char *reason[REASONS_MAX];
  size_t failed[REASONS_MAX], failures, finished;
} worker;

/* so many that neither the plan nor the journal grows with the number of starts */
size_t ensemble_block_size(const ensemble_settings *s) {
  const size_t least = (s->trials + BLOCKS_MAX - 1) / BLOCKS_MAX;
  return s->block ? s->block : least > BLOCK ? least : BLOCK;
}

void ensemble_release(study_run *run) {
  worker *const w = run->own;
  if (!w) return;
  if (w->instance) libess_solver.release(w->instance);
  if (w->rng) gsl_rng_free(w->rng);
  free(w->work);
  free(w->start);
  free(w->states);
  free(w);
}

/* the process's worker, made when first asked for */
static worker *ready(study_run *run) {
  const ensemble_settings *const s = run->settings;
  if (run->own) return run->own;
  worker *const w = run->own = calloc(1, sizeof *w);
  if (!w) return study_out_of_memory(run), NULL;
  w->m = case_model(run, NULL);
  if (!w->m) return NULL;
  const size_t n = w->m->system.dimension;
  const size_t contacts = w->m->type->contact_count ? w->m->type->contact_count(w->m) : 0;
  w->rng = gsl_rng_alloc(gsl_rng_mt19937);
  w->work = malloc((1 + n) * (1 + contacts) * sizeof *w->work);
  w->start = malloc(n * sizeof *w->start);
  w->states = malloc(2 * n * sizeof *w->states);
  if (!w->rng || !w->work || !w->start || !w->states) return study_out_of_memory(run), NULL;
  w->times[1] = model_get(w->m, "duration");
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = s->tolerance;
  const solver_output output = {w->times, w->times[1], 2, w->states};
  return libess_solver.prepare(w->m, &with, &output, &w->instance, run->message) ? NULL : w;
}

/* a start depends on its seed alone, that is, on its index */
static void draw(worker *w, const ensemble_settings *s, unsigned long seed) {
  gsl_rng_set(w->rng, seed);
  w->m->type->random_state(w->m, w->rng, w->start);
  for (size_t i = 0; s->spread > 0.0 && i < w->m->system.dimension; i++)
    w->start[i] += s->spread * (2.0 * gsl_rng_uniform(w->rng) - 1.0);
}

/* runs from the start drawn; where it does not fail, all quantities */
static int integrate(worker *w, solver_report *report, double value[]) {
  const size_t n = w->m->system.dimension;
  const solver_output output = {w->times, w->times[1], 2, w->states};
  *report = (solver_report){0};
  if (libess_solver.run(w->instance, w->start, &output, report)) return 1;
  const double *const end = w->states + n;
  memcpy(value, end, n * sizeof *value);
  value[n] = (double)report->events;
  if (w->m->type->mechanics)
    value[n + 1] = model_energy(w->m, end, w->work) - model_energy(w->m, w->start, w->work);
  return 0;
}

/* ---- the pilot ------------------------------------------------------------------------------- */

/* what is said of so many starts, without numbers */
static ensemble_sample unknown(const char *kind, const char *name, size_t starts) {
  return (ensemble_sample){.kind = kind,
                           .name = name,
                           .starts = starts,
                           .sum = NAN,
                           .squares = NAN,
                           .low = NAN,
                           .high = NAN,
                           .text = ""};
}

/* the range of one column of so many rows, NaN where a run failed */
static int add_range(study_run *run, const char *kind, const char *name, const double *values,
                     size_t stride, size_t count, double from, double to) {
  ensemble_sample sample = unknown(kind, name, 0);
  double *const known = malloc((count + 1) * sizeof *known);
  if (!known) return study_out_of_memory(run);
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[i * stride])) known[sample.starts++] = values[i * stride];
  int status = 0;
  if (sample.starts && (measure_quantile(known, sample.starts, from, &sample.low) ||
                        measure_quantile(known, sample.starts, to, &sample.high)))
    status = study_out_of_memory(run);
  free(known);
  return status ? status : study_add(run, STUDY_SAMPLES, &sample);
}

static int run_pilot(study_run *run, worker *w, const ensemble_cell *c) {
  ensemble_quantities(w->m, &w->frame);
  const size_t n = w->frame.states, columns = n + w->frame.count;
  double *const values = malloc(c->count * columns * sizeof *values);
  if (!values) return study_out_of_memory(run);
  solver_report report;
  for (size_t i = 0; i < c->count && !*run->interrupted; i++) {
    double *const row = values + i * columns;
    draw(w, run->settings, run->seed + c->first + i);
    memcpy(row, w->start, n * sizeof *row);
    if (integrate(w, &report, row + n))
      for (size_t k = n; k < columns; k++) row[k] = NAN;
  }
  int status = *run->interrupted ? -1 : 0;
  for (size_t k = 0; !status && k < columns; k++)
    status = k < n ? add_range(run, ENSEMBLE_AXIS, w->frame.quantity[k].name, values + k, columns,
                               c->count, 0.0, 1.0)
                   : add_range(run, ENSEMBLE_RANGE, w->frame.quantity[k - n].name, values + k,
                               columns, c->count, low_share, high_share);
  free(values);
  return status;
}

/* ---- a block --------------------------------------------------------------------------------- */

static void begin(worker *w) {
  memset(w->count, 0, sizeof w->count);
  memset(w->map, 0, sizeof w->map);
  memset(w->failed, 0, sizeof w->failed);
  w->failures = w->finished = 0;
  for (size_t i = 0; i < w->frame.count; i++) {
    w->sum[i] = w->squares[i] = 0.0;
    w->low[i] = INFINITY;
    w->high[i] = -INFINITY;
  }
}

static void count_values(worker *w, const double value[]) {
  int64_t *const place = w->map[ensemble_place(&w->frame, w->start)];
  const size_t outcome = w->frame.outcome;
  for (size_t i = 0; i < w->frame.count; i++) {
    const ensemble_quantity *const q = &w->frame.quantity[i];
    const double difference = value[i] - q->middle;
    w->count[i][histogram_bin(&q->bins, value[i])]++;
    w->sum[i] += difference;
    w->squares[i] += difference * difference;
    w->low[i] = fmin(w->low[i], value[i]);
    w->high[i] = fmax(w->high[i], value[i]);
  }
  w->finished++;
  place[MAP_STARTS]++;
  place[MAP_CROSSINGS] += (int64_t)value[w->frame.states];
  place[MAP_OUTCOME] += ensemble_shift(&w->frame.quantity[outcome], value[outcome]);
}

/* a run that failed is counted by its reason, and the first of them are rows */
static int count_failure(study_run *run, worker *w, const solver_report *report, size_t seed) {
  char start[START_SIZE] = "";
  const char *const reason = report->reason ? report->reason : "failed";
  size_t i = 0, used = 0;
  while (i + 1 < REASONS_MAX && w->failed[i] && strcmp(w->reason[i], reason) != 0) i++;
  w->reason[i] = reason;
  w->failed[i]++;
  w->map[ensemble_place(&w->frame, w->start)][MAP_FAILED]++;
  if (w->failures++ >= FAILURES_MAX) return 0;
  for (size_t k = 0; k < w->frame.states; k++)
    used +=
        (size_t)snprintf(start + used, sizeof start - used, "%s%.17g", k ? " " : "", w->start[k]);
  ensemble_sample sample = unknown(ENSEMBLE_FAILURE, report->message, 1);
  sample.seed = seed;
  sample.text = start;
  return study_add(run, STUDY_SAMPLES, &sample);
}

/* a row with a tally */
static int add_tally(study_run *run, ensemble_sample *sample, const int64_t *tally, size_t places,
                     size_t numbers) {
  char *const text = tally_text(tally, places, numbers);
  if (!text) return study_out_of_memory(run);
  sample->text = text;
  const int status = study_add(run, STUDY_SAMPLES, sample);
  free(text);
  return status;
}

static int tell(study_run *run, worker *w) {
  int status = 0;
  for (size_t i = 0; !status && i < w->frame.count; i++) {
    ensemble_sample sample = {.kind = ENSEMBLE_COUNTS,
                              .name = w->frame.quantity[i].name,
                              .starts = w->finished,
                              .sum = w->sum[i],
                              .squares = w->squares[i],
                              .low = w->low[i],
                              .high = w->high[i]};
    status = add_tally(run, &sample, w->count[i], HISTOGRAM_BINS, 1);
  }
  ensemble_sample map = unknown(ENSEMBLE_MAPPED, "", w->finished);
  if (!status) status = add_tally(run, &map, w->map[0], ENSEMBLE_MAP * ENSEMBLE_MAP, MAP_NUMBERS);
  for (size_t i = 0; !status && i < REASONS_MAX && w->failed[i]; i++) {
    const ensemble_sample reason = unknown(ENSEMBLE_STATUS, w->reason[i], w->failed[i]);
    status = study_add(run, STUDY_SAMPLES, &reason);
  }
  return status;
}

static int run_block(study_run *run, worker *w, const ensemble_cell *c) {
  double value[ENSEMBLE_QUANTITIES_MAX];
  solver_report report;
  if (!w->framed) ensemble_frame_make(run, w->m, &w->frame);
  w->framed = true;
  begin(w);
  for (size_t i = c->first; i < c->first + c->count; i++) {
    draw(w, run->settings, run->seed + i);
    if (*run->interrupted) return measure_fail(run->message, "interrupted");
    if (!integrate(w, &report, value))
      count_values(w, value);
    else if (count_failure(run, w, &report, run->seed + i))
      return -1;
  }
  return tell(run, w);
}

int ensemble_run(study_run *run, const void *cell) {
  const ensemble_cell *const c = cell;
  worker *const w = ready(run);
  if (!w) return -1;
  return c->pilot ? run_pilot(run, w, c) : run_block(run, w, c);
}
