/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block of the ensemble's starts: runs them one after the other and counts what they come to, so
 * that it takes the same memory however many they are. */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "ensemble.h"
#include "solvers.h"
#include "statistics.h"

/* starts of a block, and blocks */
enum { BLOCK = 1000, BLOCKS_MAX = 5000 };

/* runs that fail are told of one by one up to so many in a block; all are counted */
enum { FAILURES_MAX = 20, START_SIZE = 32 * MODEL_DIMENSION_MAX };

/* where the values of the pilot are that decide on bins */
static const double low_share = 0.01, high_share = 0.99;

/* of a process: the solver, and what a block counts; owned */
typedef struct worker {
  const model *m;
  void *instance;
  gsl_rng *rng;
  double *work;    /* of model_energy */
  double times[2]; /* of the start, and of the end */
  double start[MODEL_DIMENSION_MAX], states[2 * MODEL_DIMENSION_MAX];
  bool framed;
  ensemble_sums of; /* of the block */
  size_t failures;
} worker;

/* so many that neither the plan nor the database grows with the number of starts */
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
  const size_t contacts = model_contacts(w->m);
  w->rng = gsl_rng_alloc(gsl_rng_mt19937);
  w->work = malloc((1 + n) * (1 + contacts) * sizeof *w->work);
  if (!w->rng || !w->work) return study_out_of_memory(run), NULL;
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
static void add_range(study_run *run, const char *kind, const char *name, const double *values,
                      size_t stride, size_t count, double from, double to) {
  ensemble_sample sample = unknown(kind, name, 0);
  double *const known = malloc((count + 1) * sizeof *known);
  if (!known) {
    study_out_of_memory(run);
    return;
  }
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[i * stride])) known[sample.starts++] = values[i * stride];
  if (sample.starts && (measure_quantile(known, sample.starts, from, &sample.low) ||
                        measure_quantile(known, sample.starts, to, &sample.high)))
    study_out_of_memory(run);
  free(known);
  study_add(run, STUDY_SAMPLES, &sample);
}

static int run_pilot(study_run *run, worker *w, const ensemble_cell *c) {
  ensemble_quantities(w->m, &w->of.frame);
  const size_t n = w->of.frame.states, columns = n + w->of.frame.count;
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
  for (size_t k = 0; !*run->interrupted && k < columns; k++)
    add_range(run, k < n ? ENSEMBLE_AXIS : ENSEMBLE_RANGE,
              w->of.frame.quantity[k < n ? k : k - n].name, values + k, columns, c->count,
              k < n ? 0.0 : low_share, k < n ? 1.0 : high_share);
  free(values);
  return *run->interrupted ? -1 : 0;
}

/* ---- a block --------------------------------------------------------------------------------- */

static void count_values(ensemble_sums *s, const double start[], const double value[]) {
  int64_t *const place = s->map[ensemble_place(&s->frame, start)];
  const size_t outcome = s->frame.outcome;
  for (size_t i = 0; i < s->frame.count; i++) {
    const ensemble_quantity *const q = &s->frame.quantity[i];
    const double difference = value[i] - q->middle;
    s->count[i][histogram_bin(&q->bins, value[i])]++;
    s->starts[i]++;
    s->sum[i] += difference;
    s->squares[i] += difference * difference;
    s->low[i] = fmin(s->low[i], value[i]);
    s->high[i] = fmax(s->high[i], value[i]);
  }
  place[MAP_STARTS]++;
  place[MAP_CROSSINGS] += (int64_t)value[s->frame.states];
  place[MAP_OUTCOME] += ensemble_shift(&s->frame.quantity[outcome], value[outcome]);
}

/* a run that failed is counted by its reason, and the first of them are rows */
static void count_failure(study_run *run, worker *w, const solver_report *report, size_t seed) {
  char start[START_SIZE] = "";
  size_t used = 0;
  ensemble_sums_fail(&w->of, report->reason ? report->reason : "failed", 1);
  w->of.map[ensemble_place(&w->of.frame, w->start)][MAP_FAILED]++;
  if (w->failures++ >= FAILURES_MAX) return;
  for (size_t k = 0; k < w->of.frame.states; k++)
    used +=
        (size_t)snprintf(start + used, sizeof start - used, "%s%.17g", k ? " " : "", w->start[k]);
  ensemble_sample sample = unknown(ENSEMBLE_FAILURE, report->message, 1);
  sample.seed = seed;
  sample.text = start;
  study_add(run, STUDY_SAMPLES, &sample);
}

/* a row with a tally */
static void add_tally(study_run *run, ensemble_sample *sample, const int64_t *tally, size_t places,
                      size_t numbers) {
  char *const text = tally_text(tally, places, numbers);
  sample->text = text;
  if (text)
    study_add(run, STUDY_SAMPLES, sample);
  else
    study_out_of_memory(run);
  free(text);
}

static void tell(study_run *run, const ensemble_sums *s) {
  for (size_t i = 0; i < s->frame.count; i++) {
    ensemble_sample sample = {.kind = ENSEMBLE_COUNTS,
                              .name = s->frame.quantity[i].name,
                              .starts = s->starts[i],
                              .sum = s->sum[i],
                              .squares = s->squares[i],
                              .low = s->low[i],
                              .high = s->high[i]};
    add_tally(run, &sample, s->count[i], HISTOGRAM_BINS, 1);
  }
  ensemble_sample map = unknown(ENSEMBLE_MAPPED, "", s->starts[0]);
  add_tally(run, &map, s->map[0], ENSEMBLE_MAP * ENSEMBLE_MAP, MAP_NUMBERS);
  for (const ensemble_status *f = s->failed; f < s->failed + ENSEMBLE_REASONS_MAX && f->starts;
       f++) {
    const ensemble_sample reason = unknown(ENSEMBLE_STATUS, f->status, f->starts);
    study_add(run, STUDY_SAMPLES, &reason);
  }
}

static int run_block(study_run *run, worker *w, const ensemble_cell *c) {
  double value[ENSEMBLE_QUANTITIES_MAX];
  solver_report report;
  if (!w->framed) ensemble_frame_make(run, w->m, &w->of.frame);
  w->framed = true;
  w->failures = 0;
  ensemble_sums_clear(&w->of);
  for (size_t i = c->first; i < c->first + c->count; i++) {
    draw(w, run->settings, run->seed + i);
    if (*run->interrupted) return measure_fail(run->message, "interrupted");
    if (!integrate(w, &report, value))
      count_values(&w->of, w->start, value);
    else
      count_failure(run, w, &report, run->seed + i);
  }
  tell(run, &w->of);
  return 0;
}

int ensemble_run(study_run *run, const void *cell) {
  const ensemble_cell *const c = cell;
  worker *const w = ready(run);
  if (!w) return -1;
  return c->pilot ? run_pilot(run, w, c) : run_block(run, w, c);
}
