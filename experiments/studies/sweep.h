/*
 * The sweep over numbers of contacts (section 5.2 of the paper): its raw data, how they are
 * journalled, and what is derived from them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SWEEP_H
#define SWEEP_H

#include "arguments.h"
#include "bridge.h"
#include "draws.h"
#include "journal.h"
#include "protocol.h"

/* One entry (solver, settings, protocol) at one number of contacts: raw data and their summary. */
typedef struct sweep_cell {
  double *seconds, *rms, *events; /* by trial, NaN until measured; owned */
  double *repetitions, *process;  /* by trial; owned */
  double median, median_lo, median_hi, q25, q75, min, mad;
  double outliers; /* samples beyond 3 interquartile ranges above q75: flagged, never dropped */
  double marginal, marginal_lo, marginal_hi; /* d median / d N, smoothed, s per contact */
  double rms_median, rms_q90, rms_worst;
  size_t worst_trial;
  double events_median, events_ratio; /* ratio: all crossings over the reference's */
  bool events_close;                  /* that ratio is within SWEEP_EVENTS_TOLERANCE of one */
} sweep_cell;

/* One number of contacts. */
typedef struct sweep_row {
  size_t contacts;
  bool entered; /* gap and entries are known */
  bridge_gap gap;
  protocol_entries entries;
  sweep_cell cell[PROTOCOL_ENTRIES_MAX];
  double *events_reference, *contact_steps; /* by trial, NaN until known; owned */
} sweep_row;

/* A line through the medians of one entry over all complete rows: s per contact. */
typedef struct sweep_slope {
  double slope, low, high;
} sweep_slope;

typedef struct sweep_data {
  const arguments *given;
  double epsilon; /* of the protocols that take it from the calibration; NaN where none does */
  const char *epsilon_source; /* NULL where there is none */
  int core;                   /* pinned, or -1 */
  size_t trials, rows, complete;
  bool journalled; /* the journal is this sweep's */
  const volatile int *interrupted;
  sweep_row *row; /* owned */
  sweep_slope slope[PROTOCOL_ENTRIES_MAX];
} sweep_data;

/* Largest distance from one that the ratio of crossings may have. */
#define SWEEP_EVENTS_TOLERANCE 0.01

/* sweep_data.c: allocates all rows, not yet entered; frees. 0, or -1 with one line. */
int sweep_data_alloc(sweep_data *data, const arguments *given, char *message);
void sweep_data_free(sweep_data *data);

/* Allocates the cells of a row whose entries are known, and marks it as entered. 0, or -1. */
int sweep_row_alloc(sweep_row *row, size_t trials, char *message);

/* Whether trial `j`, or the whole row, has been measured for every entry. */
bool sweep_trial_done(const sweep_row *row, size_t j);
bool sweep_row_done(const sweep_data *data, const sweep_row *row);

/* sweep_journal.c: opens the journal of the results folder and takes in what it holds. One of a
 * sweep with other settings is refused; a finished one is begun anew. 0, or -1 with one line. */
int sweep_journal_open(measure_journal **journal, sweep_data *data, char *message);

/* Appends what was just learned. 0, or -1 with one line. */
int sweep_journal_row(measure_journal *journal, const sweep_row *row, char *message);
int sweep_journal_sample(measure_journal *journal, const sweep_row *row, size_t entry, size_t trial,
                         char *message);

/* sweep_measure.c: measures what is missing of the trials that belong to `part` of `parts`, and
 * journals it. 0; -1 with one line; or 1 when *data->interrupted became nonzero. */
int sweep_measure(sweep_data *data, measure_journal *journal, size_t part, size_t parts,
                  char *message);

/* sweep_summary.c: fills in every summary of the complete rows. 0, or -1 with one line. */
int sweep_summarize(sweep_data *data, char *message);

/* 95 % interval of the median of values[trials]. A measure_status. */
int sweep_median_interval(const sweep_data *data, const double values[], double *low, double *high);

/* How the sweep's trials were spread over processes. */
draws sweep_draws_of(const sweep_data *data);

/* Whether a sample lies more than three interquartile ranges above the upper quartile. */
bool sweep_is_outlier(const sweep_cell *c, size_t trial);

/* sweep_files.c: writes sweep.csv, sweep_samples.csv and sweep.json. 0, or -1 with one line. */
int sweep_write(const sweep_data *data, char *message);

/* sweep_table.c: the summary a person reads, on the standard output. */
void sweep_print(const sweep_data *data);

#endif
