/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plate with more and more contacts: its samples and rows, and the distances between crossings.
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
#define SCALE_ROW_COLUMNS(COLUMN, row)                                                             \
  COLUMN(row, contacts, COUNT, "", "number of contacts", SHOWN("N", "%6.0f"))                      \
  COLUMN(row, projection_order, COUNT, "", "1 or 2", SHOWN("order", "%5.0f"))                      \
  COLUMN(row, epsilon, AMOUNT, "m", "half-width of the neighbourhoods", SHOWN("epsilon", "%8.1e")) \
  COLUMN(row, crossing_distance, AMOUNT, "m", "of the case, median")                               \
  COLUMN(row, trials, COUNT, "", "starts")                                                         \
  COLUMN(row, exact_counts, COUNT, "", "starts whose crossings are as many as the reference's",    \
         SHOWN("exact", "%5.0f"))                                                                  \
  COLUMN(row, reference_events, AMOUNT, "", "crossings of the reference, mean")                    \
  COLUMN(row, rms_worst, AMOUNT, "", "the largest", SHOWN("worst", "%9.2e"))                       \
  COLUMN(row, rms_error, AMOUNT, "",                                                               \
         "with tolerances too tight to be seen; median over the starts, as all that follows",      \
         SHOWN("RMS", "%9.2e"))                                                                    \
  COLUMN(row, events, AMOUNT, "", "crossings", SHOWN("events", "%8.1f"))                           \
  COLUMN(row, time_s, AMOUNT, "s", "with everyday tolerances, as all that follows")                \
  COLUMN(row, rms_error_timed, AMOUNT, "", "of the runs that are timed", SHOWN("timed", "%9.2e"))  \
  COLUMN(row, steps, AMOUNT, "", "accepted", SHOWN("steps", "%7.0f"))                              \
  COLUMN(row, rejected, AMOUNT, "", "steps")                                                       \
  COLUMN(row, entries, AMOUNT, "", "into neighbourhoods", SHOWN("entries", "%7.0f"))               \
  COLUMN(row, projections, AMOUNT, "", "onto guards")                                              \
  COLUMN(row, field_evaluations, AMOUNT, "", "every one counted")                                  \
  COLUMN(row, guard_evaluations, AMOUNT, "", "of all event functions at once")                     \
  COLUMN(row, fields_per_event, AMOUNT, "", "", .place = COLUMN_SHOWN_ONLY,                        \
         SHOWN("f/ev.", "%6.2f"))                                                                  \
  COLUMN(row, guards_per_event, AMOUNT, "", "", .place = COLUMN_SHOWN_ONLY,                        \
         SHOWN("h/ev.", "%6.2f"))                                                                  \
  COLUMN(row, time_per_event, AMOUNT, "s", "", .place = COLUMN_SHOWN_ONLY,                         \
         SHOWN_TIMES("ns/event", "%9.0f", 1e9))
COLUMN_ROW(scale_row, SCALE_ROW_COLUMNS);

/* What the points of one order say. */
#define SCALE_SERIES_COLUMNS(COLUMN, row)                                                          \
  COLUMN(row, projection_order, COUNT, "", "1 or 2")                                               \
  COLUMN(row, fitted, COUNT, "",                                                                   \
         "points with epsilon at most an eighth of the crossings' median distance and an error "   \
         "ten times the least; less than 3: no slope")                                             \
  COLUMN(row, slope, NUMBER, "", "of log RMS against log epsilon")                                 \
  COLUMN(row, slope_interval, INTERVAL, "", "95 %")                                                \
  COLUMN(row, fit_range, INTERVAL, "m", "of epsilon")                                              \
  COLUMN(row, plateau_rms_error, AMOUNT, "",                                                       \
         "median where epsilon is ten times that distance or more")                                \
  COLUMN(row, exact_epsilon, AMOUNT, "m",                                                          \
         "from which on down every start has the reference's crossings; 0: none")
COLUMN_ROW(scale_series, SCALE_SERIES_COLUMNS);

#define SCALE_GROWTH_COLUMNS(COLUMN, row)                                                          \
  COLUMN(row, projection_order, COUNT, "", "1 or 2")                                               \
  COLUMN(row, epsilon_over_distance, AMOUNT, "", "a tenth of the distance, or ten times")          \
  COLUMN(row, count, COUNT, "", "cases; less than 2: no exponent")                                 \
  COLUMN(row, time_exponent, NUMBER, "", "of N, of a crossing's cost")                             \
  COLUMN(row, field_evaluations_exponent, NUMBER, "", "likewise")                                  \
  COLUMN(row, guard_evaluations_exponent, NUMBER, "", "likewise")
COLUMN_ROW(scale_growth, SCALE_GROWTH_COLUMNS);

#define SCALE_EVENNESS_COLUMNS(COLUMN, row)                                                        \
  COLUMN(row, projection_order, COUNT, "", "1 or 2")                                               \
  COLUMN(row, epsilon, AMOUNT, "m", "that all cases have")                                         \
  COLUMN(row, rms_error_min, AMOUNT, "", "of all cases")                                           \
  COLUMN(row, rms_error_max, AMOUNT, "", "of all cases")                                           \
  COLUMN(row, largest_neighbour_ratio, AMOUNT, "", "of two neighbouring cases' errors")            \
  COLUMN(row, exact_counts, FLAG, "", "of crossings, of all starts in all cases")
COLUMN_ROW(scale_evenness, SCALE_EVENNESS_COLUMNS);

/* scale_distance.c: how far the next guard is when one is crossed, m, and how long it takes to be
 * crossed, s. 0, or -1 with one line. */
int scale_distances(const contest_starts *starts, size_t contacts, scale_spread *distance,
                    scale_spread *interval, char *message);

/* scale_summary.c */
int scale_derive(study_run *run);
void scale_show(const study_run *run);

#endif
