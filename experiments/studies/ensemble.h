/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the ensemble: what a block of starts gives, and how it is put together. */
#ifndef ENSEMBLE_H
#define ENSEMBLE_H

#include "histogram.h"
#include "study.h"

/* the map has so many places across, and as many up */
enum {
  ENSEMBLE_MAP = 40,
  ENSEMBLE_QUANTITIES_MAX = MODEL_DIMENSION_MAX + 2,
  ENSEMBLE_REASONS_MAX = 16
};

/* of a place: what is summed over its starts */
enum { MAP_STARTS, MAP_FAILED, MAP_CROSSINGS, MAP_OUTCOME, MAP_NUMBERS };

typedef struct ensemble_settings {
  double tolerance, spread;
  size_t trials, block;
  const char *across, *up, *outcome; /* as given, or NULL */
} ensemble_settings;

/* The starts first .. first+count-1; of the pilot nothing but ranges is kept. */
typedef struct ensemble_cell {
  size_t first, count;
  bool pilot;
} ensemble_cell;

/* What a cell says, one thing a row. The ranges are those of the pilot. */
typedef struct ensemble_sample {
  const char *kind; /* one of those below */
  const char *name; /* the quantity, the state of an axis, or why a run failed */
  size_t starts, seed;
  double sum, squares; /* of differences from the middle of the range */
  double low, high;
  const char *text; /* a tally, or a start */
} ensemble_sample;

#define ENSEMBLE_RANGE   "range" /* where 98 % of a quantity's values are */
#define ENSEMBLE_AXIS    "axis"  /* from where to where a state is at the start */
#define ENSEMBLE_COUNTS  "counts"
#define ENSEMBLE_MAPPED  "map"
#define ENSEMBLE_STATUS  "status"
#define ENSEMBLE_FAILURE "failure"

/* A quantity at the end of a run. */
typedef struct ensemble_quantity {
  const char *name; /* lives as long as the run */
  bool whole;
  double middle;
  histogram bins;
} ensemble_quantity;

/* All that the pilot settles; the same in every process. */
typedef struct ensemble_frame {
  size_t count, states; /* quantities: the states, the crossings, and the change of energy */
  ensemble_quantity quantity[ENSEMBLE_QUANTITIES_MAX];
  size_t axis[2]; /* states, or SIZE_MAX */
  double low[2], high[2];
  size_t outcome; /* of the map: a quantity */
} ensemble_frame;

/* ---- what is derived ------------------------------------------------------------------------- */

enum {
  ENSEMBLE_SAMPLES = STUDY_SAMPLES,
  ENSEMBLE_TOTALS,
  ENSEMBLE_OUTCOMES,
  ENSEMBLE_BINS,
  ENSEMBLE_PLACES,
  ENSEMBLE_STATUSES,
  ENSEMBLE_FAILURES
};

typedef struct ensemble_totals {
  size_t block, finished, failed;
  const char *across, *up, *outcome;
} ensemble_totals;

typedef struct ensemble_outcome {
  const char *quantity;
  size_t starts;
  double mean, deviation, smallest, quantile[7], largest, resolution;
} ensemble_outcome;

#define ENSEMBLE_BIN_COLUMNS(COLUMN, row)                                                          \
  COLUMN(row, quantity, TEXT, "", "as in ensemble.csv")                                            \
  COLUMN(row, from, NUMBER, "", "where the bin begins")                                            \
  COLUMN(row, to, NUMBER, "", "where it ends")                                                     \
  COLUMN(row, starts, COUNT, "", "in it; bins without any are left out")
COLUMN_ROW(ensemble_bin, ENSEMBLE_BIN_COLUMNS);

#define ENSEMBLE_PLACE_ROW_COLUMNS(COLUMN, row)                                                    \
  COLUMN(row, across_state, TEXT, "", "the axis across; empty: none")                              \
  COLUMN(row, up_state, TEXT, "", "the axis up; empty: none")                                      \
  COLUMN(row, outcome_name, TEXT, "", "the quantity of outcome")                                   \
  COLUMN(row, across, NUMBER, "", "that state at the start, in the middle of the place")           \
  COLUMN(row, up, NUMBER, "", "likewise")                                                          \
  COLUMN(row, starts, COUNT, "", "that began in this place and came to their end")                 \
  COLUMN(row, failed, COUNT, "", "that began there and did not")                                   \
  COLUMN(row, crossings, NUMBER, "", "their mean")                                                 \
  COLUMN(row, outcome, NUMBER, "", "their mean")
COLUMN_ROW(ensemble_place_row, ENSEMBLE_PLACE_ROW_COLUMNS);

#define ENSEMBLE_STATUS_COLUMNS(COLUMN, row)                                                       \
  COLUMN(row, status, TEXT, "", "how runs ended", SHOWN("status", "%-44s"))                        \
  COLUMN(row, starts, COUNT, "", "of them", SHOWN("starts", "%10.0f"))
COLUMN_ROW(ensemble_status, ENSEMBLE_STATUS_COLUMNS);

#define ENSEMBLE_FAILURE_COLUMNS(COLUMN, row)                                                      \
  COLUMN(row, seed, COUNT, "", "from which the start was drawn")                                   \
  COLUMN(row, status, TEXT, "", "how the run ended, when and where")                               \
  COLUMN(row, start, TEXT, "", "its state at the start, blanks between")
COLUMN_ROW(ensemble_failure, ENSEMBLE_FAILURE_COLUMNS);

/* What starts came to, of a block or of all: whole numbers, or sums in the order of the plan. */
typedef struct ensemble_sums {
  ensemble_frame frame;
  int64_t count[ENSEMBLE_QUANTITIES_MAX][HISTOGRAM_BINS];
  int64_t map[ENSEMBLE_MAP * ENSEMBLE_MAP][MAP_NUMBERS];
  size_t starts[ENSEMBLE_QUANTITIES_MAX];
  double sum[ENSEMBLE_QUANTITIES_MAX], squares[ENSEMBLE_QUANTITIES_MAX];
  double low[ENSEMBLE_QUANTITIES_MAX], high[ENSEMBLE_QUANTITIES_MAX];
  ensemble_status failed[ENSEMBLE_REASONS_MAX]; /* ends with one without starts */
} ensemble_sums;

/* ensemble_frame.c: forgets all but the frame; counts starts that failed by their reason. */
void ensemble_sums_clear(ensemble_sums *s);
void ensemble_sums_fail(ensemble_sums *s, const char *reason, size_t starts);

/* Starts that are run at a time. */
size_t ensemble_block_size(const ensemble_settings *s);

/* ensemble_frame.c: the frame by the samples of the pilot, which is cell 0. */
void ensemble_frame_make(study_run *run, const model *m, ensemble_frame *f);

/* The quantities of a model, without their bins. */
void ensemble_quantities(const model *m, ensemble_frame *f);

/* The place of a start in the map, and how far an outcome is from the range's middle, in 64ths of
 * a bin: whole numbers, so that their sums do not depend on the order. */
size_t ensemble_place(const ensemble_frame *f, const double x0[]);
int64_t ensemble_shift(const ensemble_quantity *q, double value);
double ensemble_unshift(const ensemble_quantity *q, double shift);

/* ensemble_block.c: runs a cell. 0, or -1 with one line. */
int ensemble_run(study_run *run, const void *cell);
void ensemble_release(study_run *run);

/* ensemble_summary.c: all blocks put together. */
int ensemble_derive(study_run *run);
void ensemble_show(const study_run *run);

#endif
