/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ensemble's blocks put together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "ensemble.h"

static const double shares[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

static int add_counts(ensemble_sums *s, const ensemble_sample *sample) {
  size_t i = 0;
  while (i < s->frame.count && strcmp(s->frame.quantity[i].name, sample->name) != 0) i++;
  if (i == s->frame.count) return -1;
  s->starts[i] += sample->starts;
  s->sum[i] += sample->sum;
  s->squares[i] += sample->squares;
  s->low[i] = fmin(s->low[i], sample->low);
  s->high[i] = fmax(s->high[i], sample->high);
  return tally_add(s->count[i], HISTOGRAM_BINS, 1, sample->text);
}

/* 0, or -1 with one line */
static int add(study_run *run, ensemble_sums *s, const ensemble_sample *sample) {
  const char *const kind = sample->kind;
  if (strcmp(kind, ENSEMBLE_COUNTS) == 0 && add_counts(s, sample)) goto damaged;
  if (strcmp(kind, ENSEMBLE_MAPPED) == 0 &&
      tally_add(s->map[0], ENSEMBLE_MAP * ENSEMBLE_MAP, MAP_NUMBERS, sample->text))
    goto damaged;
  if (strcmp(kind, ENSEMBLE_STATUS) == 0) ensemble_sums_fail(s, sample->name, sample->starts);
  if (strcmp(kind, ENSEMBLE_FAILURE) != 0) return 0;
  const ensemble_failure row = {sample->seed, sample->name, sample->text};
  return study_add(run, ENSEMBLE_FAILURES, &row);
damaged:
  return measure_fail(run->message, "the database's counts are damaged; begin anew with --restart");
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_outcome(study_run *run, const ensemble_sums *s, size_t i) {
  const ensemble_quantity *const q = &s->frame.quantity[i];
  const double n = (double)s->starts[i], mean = s->sum[i] / n;
  ensemble_outcome row = {
      .quantity = q->name,
      .starts = s->starts[i],
      .mean = q->middle + mean,
      .deviation = n > 1.0 ? sqrt(fmax(0.0, s->squares[i] - n * mean * mean) / (n - 1.0)) : NAN,
      .smallest = s->low[i],
      .largest = s->high[i],
      .resolution = q->bins.width};
  for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
    const double value = histogram_quantile(&q->bins, s->count[i], (int64_t)s->starts[i], shares[k],
                                            s->low[i], s->high[i]);
    row.quantile[k] = q->whole ? round(value) : value;
  }
  study_add(run, ENSEMBLE_OUTCOMES, &row);
  for (size_t k = 0; k < HISTOGRAM_BINS; k++) {
    const ensemble_bin bin = {q->name, histogram_edge(&q->bins, k), histogram_edge(&q->bins, k + 1),
                              (size_t)s->count[i][k]};
    if (bin.starts) study_add(run, ENSEMBLE_BINS, &bin);
  }
}

static const char *name_of(const ensemble_frame *f, size_t quantity) {
  return quantity < f->count ? f->quantity[quantity].name : "";
}

/* the middle of one place of an axis */
static double middle(const ensemble_frame *f, size_t axis, size_t place) {
  if (f->axis[axis] == SIZE_MAX) return NAN;
  return f->low[axis] + (f->high[axis] - f->low[axis]) * ((double)place + 0.5) / ENSEMBLE_MAP;
}

static void add_place(study_run *run, const ensemble_sums *s, size_t i) {
  const ensemble_frame *const f = &s->frame;
  const int64_t *const of = s->map[i];
  if (!of[MAP_STARTS] && !of[MAP_FAILED]) return;
  const double n = (double)of[MAP_STARTS];
  const ensemble_place_row row = {
      .across_state = name_of(f, f->axis[0]),
      .up_state = name_of(f, f->axis[1]),
      .outcome_name = name_of(f, f->outcome),
      .across = middle(f, 0, i % ENSEMBLE_MAP),
      .up = middle(f, 1, i / ENSEMBLE_MAP),
      .starts = (size_t)of[MAP_STARTS],
      .failed = (size_t)of[MAP_FAILED],
      .crossings = n > 0.0 ? (double)of[MAP_CROSSINGS] / n : NAN,
      .outcome =
          n > 0.0 ? ensemble_unshift(&f->quantity[f->outcome], (double)of[MAP_OUTCOME] / n) : NAN};
  study_add(run, ENSEMBLE_PLACES, &row);
}

static void add_rows(study_run *run, const ensemble_sums *s) {
  const ensemble_settings *const given = run->settings;
  const ensemble_frame *const f = &s->frame;
  const ensemble_totals totals = {.block = ensemble_block_size(given),
                                  .finished = s->starts[0],
                                  .failed = given->trials - s->starts[0],
                                  .across = name_of(f, f->axis[0]),
                                  .up = name_of(f, f->axis[1]),
                                  .outcome = name_of(f, f->outcome)};
  const ensemble_status finished = {"success", s->starts[0]};
  study_add(run, ENSEMBLE_TOTALS, &totals);
  for (size_t i = 0; i < f->count; i++) add_outcome(run, s, i);
  for (size_t i = 0; i < ENSEMBLE_MAP * ENSEMBLE_MAP; i++) add_place(run, s, i);
  study_add(run, ENSEMBLE_STATUSES, &finished);
  for (size_t i = 0; i < ENSEMBLE_REASONS_MAX && s->failed[i].starts; i++)
    study_add(run, ENSEMBLE_STATUSES, &s->failed[i]);
}

int ensemble_derive(study_run *run) {
  const model *const m = case_model(run, NULL);
  ensemble_sums *const s = m ? calloc(1, sizeof *s) : NULL;
  if (!s) return m ? study_out_of_memory(run) : -1;
  ensemble_frame_make(run, m, &s->frame);
  ensemble_sums_clear(s);
  size_t count;
  int status = 0;
  const ensemble_sample *const samples = study_rows(run, ENSEMBLE_SAMPLES, &count);
  for (size_t i = 0; !status && i < count; i++) status = add(run, s, &samples[i]);
  if (!status) add_rows(run, s);
  free(s);
  return status;
}

void ensemble_show(const study_run *run) {
  const ensemble_settings *const s = run->settings;
  printf("%zu starts of %s, tolerance %g\n\n", s->trials, run->m->type->name, s->tolerance);
  study_print(run, ENSEMBLE_OUTCOMES, 0, SIZE_MAX);
  putchar('\n');
  study_print(run, ENSEMBLE_STATUSES, 0, SIZE_MAX);
}
