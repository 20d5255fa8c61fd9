/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweep over numbers of contacts (section 5.2 of the paper): what it asks, measures and
 * derives. */
#ifndef SWEEP_H
#define SWEEP_H

#include "bridge.h"
#include "draws.h"
#include "model.h"
#include "study.h"

/* Which solvers race, and with whose settings. */
typedef enum sweep_protocol {
  SWEEP_PAPER,
  SWEEP_FREE,
  SWEEP_EQUAL_ERROR,
  SWEEP_TARGETS
} sweep_protocol;

/* Their names, NULL-terminated; and entries at one number of contacts, at most. */
extern const char *const sweep_protocols[];
enum { SWEEP_ENTRIES_MAX = 24 };

typedef struct sweep_settings {
  contacts_range contacts;
  option_names protocols;
  size_t trials;
  double min_time;
} sweep_settings;

/* Who races at one number of contacts, and what a trial of it gave: seconds are NaN in the samples
 * that only say who races. In no file are the error that settings were searched for, NaN where they
 * were not; epsilon of the protocols that do not search for one, NaN where nobody has one, and its
 * source; and the gap, NaN where MuJoCo does not race. */
#define SWEEP_SAMPLE_COLUMNS(COLUMN, row)                                                          \
  COLUMN(row, contacts, COUNT, "", "number of contacts")                                           \
  COLUMN(row, solver, TEXT, "", "who races")                                                       \
  COLUMN(row, protocol, TEXT, "", "with whose settings")                                           \
  COLUMN(row, trial, COUNT, "", "number of the start")                                             \
  COLUMN(row, process, COUNT, "", "which of them ran it")                                          \
  COLUMN(row, seconds, AMOUNT, "s", "of one run")                                                  \
  COLUMN(row, repetitions, AMOUNT, "", "runs it is the median of")                                 \
  COLUMN(row, outlier, FLAG, "", "whether it is one of the outliers")                              \
  COLUMN(row, rms_error, AMOUNT, "", "against the reference")                                      \
  COLUMN(row, events, AMOUNT, "", "crossings")                                                     \
  COLUMN(row, events_reference, AMOUNT, "", "of the reference")                                    \
  COLUMN(row, contact_steps, AMOUNT, "",                                                           \
         "contacts in touch by the reference, summed over output steps")                           \
  COLUMN(row, retaken, AMOUNT, "", "runs taken again, of all starts of the process: at its first") \
  COLUMN(row, disturbed, AMOUNT, "", "likewise")                                                   \
  COLUMN(row, target, NUMBER, "", "", .place = COLUMN_JSON_ONLY)                                   \
  COLUMN(row, epsilon, NUMBER, "", "", .place = COLUMN_JSON_ONLY)                                  \
  COLUMN(row, source, NOTE, "", "", .place = COLUMN_JSON_ONLY)                                     \
  COLUMN(row, settings, SETTINGS, "", "", .place = COLUMN_JSON_ONLY)                               \
  COLUMN(row, gap, GAP, "", "", .place = COLUMN_JSON_ONLY)
COLUMN_ROW(sweep_sample, SWEEP_SAMPLE_COLUMNS);

/* One who races at one number of contacts, over all trials. */
typedef struct sweep_row {
  size_t contacts;
  const char *solver, *protocol;
  double median_s, interval_s[2], q25_s, q75_s, min_s, mad_s;
  double marginal_s, marginal_interval_s[2]; /* d median / d N, smoothed */
  double rms_error, rms_q90, rms_worst;
  size_t worst_trial;
  double events, events_reference, events_ratio, s_per_crossing, s_per_contact_step;
  size_t outliers;
  double retaken, disturbed;
  bridge_gap gap;
  double target;
  solver_settings settings; /* in force */
  const char *off;          /* marks more crossings or fewer than the reference's */
} sweep_row;

/* What is one number for all who race, or the same for all of them. */
typedef struct sweep_top {
  double epsilon;
  const char *source;
  solver_settings settings;
} sweep_top;

/* The line through the medians of one who races at every number of contacts. */
#define SWEEP_SLOPE_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, solver, TEXT, "", "who races; plain: the cheapest of them at each N")                \
  COLUMN(row, protocol, TEXT, "", "with whose settings")                                           \
  COLUMN(row, s_per_contact, NUMBER, "s",                                                          \
         "of the median runtime over all numbers of contacts; null with only one")                 \
  COLUMN(row, interval, INTERVAL, "s", "of it")                                                    \
  COLUMN(row, confidence, AMOUNT, "", "of the interval")
COLUMN_ROW(sweep_slope, SWEEP_SLOPE_COLUMNS);

/* MuJoCo's time over that of libess, start by start. */
typedef struct sweep_ratio {
  size_t contacts;
  const char *solver, *protocol;
  double ratio, interval[2], confidence, mujoco_s, ours_s, rms_mujoco, rms_ours;
  solver_settings settings; /* of libess, in force */
} sweep_ratio;

/* The time of the cheapest method that looks for no crossing over that of libess, start by start.
 */
#define SWEEP_PLAIN_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, contacts, COUNT, "", "number of contacts")                                           \
  COLUMN(row, solver, TEXT, "", "the method")                                                      \
  COLUMN(row, plain_over_libess, AMOUNT, "", "median of the quotients")                            \
  COLUMN(row, interval, INTERVAL, "", "of it")                                                     \
  COLUMN(row, confidence, AMOUNT, "", "of the interval")
COLUMN_ROW(sweep_plain, SWEEP_PLAIN_COLUMNS);

/* A row as Google Benchmark has it. */
typedef struct sweep_benchmark {
  const char *name, *run_type, *aggregate_name, *aggregate_unit, *time_unit;
  size_t threads, iterations;
  double real_time, interval[2], rms_error, events_ratio;
} sweep_benchmark;

/* Tables. */
enum {
  SWEEP_SAMPLES = STUDY_SAMPLES,
  SWEEP_TOP,
  SWEEP_SLOPES,
  SWEEP_GAPS,
  SWEEP_RATIOS,
  SWEEP_PLAIN,
  SWEEP_BENCHMARKS,
  SWEEP_ROWS,
  SWEEP_TRIALS
};

/* sweep_columns.c: their columns. */
extern const column sweep_top_columns[], sweep_gap_columns[], sweep_ratio_columns[],
    sweep_benchmark_columns[], sweep_row_columns[];

/* sweep_protocols.c: a sample for everyone who races on a prepared model by the protocols named; it
 * is `of` but for solver, protocol, target and settings. 0, or -1 with one line. */
int sweep_enter(study_run *run, const model *m, const sweep_sample *of);

/* sweep_race.c: times those who race from the starts of one process: a sample for each start and
 * entry. 0, or -1 with one line. */
int sweep_race(study_run *run, const sweep_sample entries[], size_t count, size_t process);

/* How starts are drawn, and over how many processes they are spread. */
draws sweep_draws(const study_run *run);

/* sweep_summary.c: how they are filled. */
int sweep_derive(study_run *run);

/* sweep_verdict.c: what they say, a line each. */
void sweep_verdict(const study_run *run);

#endif
