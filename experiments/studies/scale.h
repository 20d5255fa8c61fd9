/*
 * The plate with more and more contacts: its samples and rows, and the distances between crossings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SCALE_H
#define SCALE_H

#include "outcome.h"
#include "study.h"

enum {
  SCALE_SAMPLES = STUDY_SAMPLES,
  SCALE_CASES,
  SCALE_EVENTS,
  SCALE_SERIES,
  SCALE_ROWS,
  SCALE_GROWTH,
  SCALE_EVENNESS
};

enum { SCALE_ORDERS = 2 };

typedef struct scale_settings {
  contacts_range contacts;
  option_numbers epsilons;
  size_t trials;
  double point_time;
} scale_settings;

/* Distribution over all crossings of all starts. */
typedef struct scale_spread {
  double low, median, high; /* 10 %, 50 %, 90 % */
} scale_spread;

/* One start: of stage 0 with what the reference has, of stage 1 with one epsilon and order. */
typedef struct scale_sample {
  size_t contacts, order; /* 0: of stage 0, and what follows the spreads is not known */
  double reference_events;
  scale_spread distance, interval;
  double epsilon;
  outcome tight, timed; /* with tolerances too tight to be seen, and with those of every day */
} scale_sample;

/* A row of the results; quantities are medians over the starts. */
typedef struct scale_row {
  size_t contacts, projection_order;
  double epsilon, crossing_distance;
  size_t trials, exact_counts;
  double reference_events, rms_worst, rms_error, events, time_s, rms_error_timed, steps, rejected,
      entries, projections, field_evaluations, guard_evaluations;
  double fields_per_event, guards_per_event, time_per_event;
} scale_row;

/* What the points of one order say. */
typedef struct scale_series {
  size_t projection_order, fitted;
  double slope, slope_interval[2], fit_range[2], plateau_rms_error, exact_epsilon;
} scale_series;

typedef struct scale_growth {
  size_t projection_order;
  double epsilon_over_distance;
  size_t count;
  double time_exponent, field_evaluations_exponent, guard_evaluations_exponent;
} scale_growth;

typedef struct scale_evenness {
  size_t projection_order;
  double epsilon, rms_error_min, rms_error_max, largest_neighbour_ratio;
  bool exact_counts;
} scale_evenness;

/* scale_distance.c: how far the next guard is when one is crossed, m, and how long it takes to be
 * crossed, s. 0, or -1 with one line. */
int scale_distances(const contest_starts *starts, size_t contacts, scale_spread *distance,
                    scale_spread *interval, char *message);

/* scale_summary.c */
int scale_derive(study_run *run);
void scale_show(const study_run *run);

#endif
