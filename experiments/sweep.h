/*
 * The sweep over numbers of contacts (section 5.2 of the paper): its raw data, and what is derived.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SWEEP_H
#define SWEEP_H

#include "arguments.h"
#include "bridge.h"
#include "measure.h"

/* One solver at one number of contacts: raw data of all trials, and their summary. */
typedef struct sweep_cell {
  size_t contacts;
  const solver_type *solver;
  double *seconds, *rms, *events; /* trials each; owned */
  double median, median_lo, median_hi, q25, q75, min;
  double marginal, marginal_lo, marginal_hi; /* d median / d N, smoothed, s per contact */
  double rms_median, rms_q90, rms_worst;
  double events_median, events_reference; /* medians over the trials */
  double events_ratio;                    /* all crossings of all trials over the reference's */
  bool events_close;                      /* that ratio is within 1 % of one */
} sweep_cell;

/* One number of contacts. */
typedef struct sweep_row {
  size_t contacts;
  bridge_gap gap;
  double *events_reference; /* trials; owned */
} sweep_row;

/* Slope of the median runtime over all N, with its interval: s per contact. */
typedef struct sweep_slope {
  double slope, low, high;
} sweep_slope;

typedef struct sweep_data {
  const arguments *given;
  double epsilon; /* of the projection */
  const char *epsilon_source;
  int core; /* pinned, or -1 */
  size_t rows, solvers, trials;
  sweep_row *row;   /* rows; owned */
  sweep_cell *cell; /* rows*solvers, row-major; owned */
  sweep_slope slope[ARGUMENTS_SOLVERS_MAX];
} sweep_data;

/* Largest distance from one that the ratio of crossings may have. */
#define SWEEP_EVENTS_TOLERANCE 0.01

/* Fills in every summary from the raw data. 0, or -1 with one line. */
int sweep_summarize(sweep_data *data, char message[MEASURE_MESSAGE_SIZE]);

/* Writes sweep.csv, sweep_samples.csv and sweep.json into the results folder. 0, or -1. */
int sweep_write(const sweep_data *data, char message[MEASURE_MESSAGE_SIZE]);

#endif
