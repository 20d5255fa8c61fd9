/*
 * The plate with more and more contacts: error, crossings and cost over epsilon, from far below the
 * distance between crossings to far above it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SCALE_H
#define SCALE_H

#include <jansson.h>

#include "arguments.h"
#include "contest.h"
#include "fit.h"
#include "journal.h"

/* ---- what is measured ------------------------------------------------------------------------ */

/* Of every sample: error and crossings of a run with tolerances too tight to be seen, and all else
 * of a run with tolerances of every day. */
typedef enum scale_quantity {
  SCALE_RMS,
  SCALE_EVENTS,
  SCALE_SECONDS, /* the fastest of some runs */
  SCALE_RMS_TIMED,
  SCALE_STEPS,
  SCALE_REJECTED,
  SCALE_ENTRIES,
  SCALE_PROJECTIONS,
  SCALE_FIELDS,
  SCALE_GUARDS,
  SCALE_QUANTITIES
} scale_quantity;

/* A row of the results; quantities are medians over the starts. */
typedef enum scale_column {
  SCALE_CONTACTS,
  SCALE_ORDER,
  SCALE_EPSILON,
  SCALE_DISTANCE, /* median of the case, m */
  SCALE_TRIALS,
  SCALE_EXACT,            /* starts whose crossings are as many as the reference's */
  SCALE_REFERENCE_EVENTS, /* mean over the starts */
  SCALE_RMS_WORST,
  SCALE_MEASURED, /* the quantities follow */
  SCALE_COLUMNS = SCALE_MEASURED + SCALE_QUANTITIES
} scale_column;

extern const char *const scale_column_names[SCALE_COLUMNS];

/* One epsilon with one order; `sample` is owned. */
typedef struct scale_point {
  int order;
  double epsilon;
  double *sample; /* [SCALE_QUANTITIES][trials] */
  double row[SCALE_COLUMNS];
} scale_point;

/* Distribution over all crossings of all starts. */
typedef struct scale_spread {
  double low, median, high; /* 10 %, 50 %, 90 % */
} scale_spread;

/* What the points of one order say. */
typedef struct scale_series {
  int order;
  size_t fitted;     /* points in the fit; less than 3: there is none */
  measure_line line; /* log RMS against log epsilon, below the distance and above rounding */
  double fit_min, fit_max;
  double plateau;       /* median RMS where epsilon is ten distances or more; NaN without a point */
  double exact_epsilon; /* from which on down every start has the reference's crossings; 0: none */
} scale_series;

enum { SCALE_ORDERS = 2 };

/* One number of contacts; owned. */
typedef struct scale_case {
  size_t contacts;
  model m; /* prepared */
  contest_starts starts;
  scale_spread distance; /* of the next guard when one is crossed, m */
  scale_spread interval; /* time from a crossing to the next, s */
  size_t epsilons;
  scale_point *point; /* [SCALE_ORDERS][epsilons], the largest epsilon first */
  scale_series series[SCALE_ORDERS];
} scale_case;

/* Measuring under way; owned. */
typedef struct scale {
  const arguments *given;
  size_t case_count;
  scale_case *cases;
  json_t *known; /* samples that the journal had, by their keys */
  measure_journal *journal;
  const volatile int *interrupted;
  int core;
  char *message; /* what went wrong */
} scale;

/* scale_case.c: the case of given->contacts[index], its starts, references, distances and points.
 * 0, or -1 with one line. */
int scale_case_init(scale *all, size_t index);
void scale_case_free(scale_case *c);

/* Points of both orders at these epsilons, without samples. 0, or -1 when out of memory. */
int scale_add_points(scale_case *c, const double epsilon[], size_t count);

/* scale_measure.c: takes the samples that the journal did not have. 0; -1 with one line; or 1 when
 * interrupted. */
int scale_measure(scale *all, scale_case *c);

/* scale_journal.c: opens the journal with what it holds in all->known. 0, or -1 with one line. */
int scale_journal_open(scale *all);

/* A trial's sample that the journal had, into the point; false when there is none. */
bool scale_journal_recall(const scale *all, const scale_case *c, scale_point *p, size_t trial);

/* Appends a trial's sample. 0, or -1 with one line. */
int scale_journal_sample(scale *all, const scale_case *c, const scale_point *p, size_t trial);

/* ---- what is derived: scale_summary.c -------------------------------------------------------- */

/* Fills the points' rows and the series from the samples. 0, or -1 with one line. */
int scale_summarize(scale_case *c, char *message);

/* Which cost grows. */
typedef enum scale_cost {
  SCALE_COST_TIME,
  SCALE_COST_FIELD,
  SCALE_COST_GUARD,
  SCALE_COSTS
} scale_cost;

/* Cost of a crossing against the number of contacts, a N^exponent, where epsilon is a tenth of the
 * distance between crossings, or ten times as much. */
typedef struct scale_growth {
  int order;
  double ratio;
  size_t count;                 /* cases; less than 2: there is no exponent */
  double exponent[SCALE_COSTS]; /* NaN without */
} scale_growth;

/* 0, or -1 with one line. */
int scale_fit_growth(const scale *all, int order, double ratio, scale_growth *out, char *message);

/* How evenly the error goes from one number of contacts to the next at one epsilon. */
typedef struct scale_evenness {
  int order;
  double epsilon;
  size_t count; /* cases with this epsilon; 0: not all of them have it */
  double rms_min, rms_max;
  double largest_ratio; /* of the errors of two neighbouring cases, >= 1 */
  bool exact;           /* crossings, of all starts in all cases */
} scale_evenness;

/* At the first case's k-th epsilon. */
scale_evenness scale_look_along(const scale *all, int order, size_t k);

/* ---- what is written: scale_files.c ---------------------------------------------------------- */

/* scale.csv and scale.json of the folder. 0, or -1 with one line. */
int scale_write(const scale *all);

/* The results as a person reads them. 0, or -1 with one line. */
int scale_print(const scale *all);

#endif
