/*
 * Work against precision: every method on the same models, starts and outputs, swept over its own
 * accuracy knob. What is measured, how it is judged, and what is derived from it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef WORK_PRECISION_H
#define WORK_PRECISION_H

#include <jansson.h>

#include "arguments.h"
#include "bridge.h"
#include "contest.h"
#include "journal.h"

/* ---- methods --------------------------------------------------------------------------------- */

/* The setting that trades accuracy for time. */
typedef enum precision_knob {
  PRECISION_EPSILON,   /* half-width of the neighbourhoods, m */
  PRECISION_TOLERANCE, /* libess's: relative and absolute */
  PRECISION_RTOL,      /* relative tolerance; the absolute one is a hundredth of it */
  PRECISION_TIME_STEP  /* s */
} precision_knob;

/* One line of the figures. */
typedef struct precision_method {
  const char *name;     /* in files and on the command line, unique */
  const char *label;    /* in legends */
  const char *solver;   /* by its name in the table of solvers */
  const char *variant;  /* of that solver, or NULL */
  int order;            /* of the projection; 0: its default */
  precision_knob knob;  /* what is swept */
  const double *values; /* of the knob, the coarsest first; a 0 ends them */
  /* tolerance that goes with the knob: rtol = factor * value^power, between 1e-13 and 1e-2; factor
   * 0: it has none. From `coarse` on, where that is > 0, the factor is coarse_factor */
  double tolerance_factor, tolerance_power;
  double coarse, coarse_factor;
} precision_method;

/* The table, in the order of the legends. */
extern const precision_method precision_methods[];
extern const size_t precision_method_count;

/* NULL when there is none of that name. */
const precision_method *precision_method_find(const char *name);

/* "epsilon", "tolerance", "rtol" or "time_step". */
const char *precision_knob_name(precision_knob knob);

/* Marks the methods that --methods names, or all without it. Ends the program with one line where
 * that makes no sense. */
void precision_choose_methods(const arguments *given, bool chosen[]);

/* Whether any of the methods can do the model, at the first value of its knob. 0, or a
 * solver_status with the line of the last. */
int precision_check_methods(const model *m, const bool chosen[], char *message);

/* The settings of a method at one value of its knob, for a model with so many contacts: MuJoCo's
 * field gap grows with them, and is kept below its limit by its scaling. */
solver_settings precision_settings(const precision_method *method, double value, size_t contacts);

/* ---- what is measured ------------------------------------------------------------------------ */

/* Of every sample. */
typedef enum precision_quantity {
  PRECISION_SECONDS,
  PRECISION_RMS,
  PRECISION_EVENTS,
  PRECISION_STEPS,
  PRECISION_REJECTED,
  PRECISION_ENTRIES,
  PRECISION_PROJECTIONS,
  PRECISION_FIELDS,
  PRECISION_GUARDS,
  PRECISION_QUANTITIES
} precision_quantity;

/* As files have them. */
extern const char *const precision_quantity_names[PRECISION_QUANTITIES];

/* What a point is worth. Everything but the first is marked where it is shown. */
typedef enum precision_status {
  PRECISION_OK,
  PRECISION_CROSSINGS, /* ends well, but its crossings are not the reference's */
  PRECISION_DIVERGED,  /* no better than a state that stays where it started */
  PRECISION_FAILED,    /* a run gave up */
  PRECISION_UNREACHED, /* of crossing-cost: at no value of the knob is the target error reached */
  PRECISION_TOO_LONG,  /* a run would take longer than PRECISION_RUN_MAX: not made */
  PRECISION_REFUSED    /* the solver does not do this model, or not with these settings */
} precision_status;

/* "ok", "crossings", "diverged", "failed", "not reached", "too long", "refused". */
const char *precision_status_name(precision_status status);

/* A run that is to be expected, by what the coarser value took, to take longer than this, s, is not
 * made. */
#define PRECISION_RUN_MAX 10.0

/* Starts of a point whose work from all of them is more than --point-work allows. One of which it
 * is from these, too, has its first run and no more. */
enum { PRECISION_FEW = 3 };

/* One method at one value of its knob. */
typedef struct precision_point {
  const precision_method *method;
  double value;
  solver_settings settings;
  bool probed;                          /* what follows is known */
  precision_status obstacle;            /* PRECISION_OK, or why there is no sample */
  double first[PRECISION_QUANTITIES];   /* of the first run, or what is expected of it; of one that
                                           failed, time and counts */
  size_t planned;                       /* starts it is to be measured from; 0: by its first run */
  size_t trials;                        /* starts it is measured from: all, PRECISION_FEW, 1 or 0 */
  char message[SOLVER_MESSAGE_SIZE];    /* of the obstacle, or of the first run that failed */
  double *sample[PRECISION_QUANTITIES]; /* by trial; seconds are NaN until measured, the others NaN
                                           where the run failed; owned */
  const precision_method *as;           /* the method it coincides with, or NULL */
} precision_point;

/* One model, its starts, and all points; owned. */
typedef struct precision_case {
  const arguments *given;
  const model *m; /* borrowed, prepared */
  size_t contacts, trials;
  contest_starts starts;
  double *held; /* trials: error of a state that stays where it started */
  bridge_gap gap;
  size_t count;
  precision_point *point; /* by method, the coarsest first */
  const volatile int *interrupted;
  int core;
  bool each; /* variants that coincide are measured each, and none is marked */
} precision_case;

/* Of a prepared model; 0 of one that has none. */
size_t precision_contacts(const model *m);

/* Points for every method in `chosen` (NULL: all), the starts and their references. 0, or -1 with
 * one line. Free with precision_case_free, which accepts a zeroed one. */
int precision_case_init(precision_case *c, const model *m, const arguments *given,
                        const bool chosen[], char *message);
void precision_case_free(precision_case *c);

/* Drops all points but those marked. */
void precision_case_keep(precision_case *c, const bool keep[]);

/* Forgets all samples. */
void precision_case_clear(precision_case *c);

/* Whether the number of contacts of the model of that name can be chosen, and so belongs to it. */
bool precision_is_numbered(const char *name);

/* "affine3", "hopper" or "plate_10". */
enum { PRECISION_NAME_SIZE = 48 };
void precision_case_name(const precision_case *c, char name[PRECISION_NAME_SIZE]);

/* The first run becomes the point's one sample. */
void precision_take_first(precision_point *p);

/* Whether the point's trial is measured, or the point has nothing to measure any more. */
bool precision_trial_done(const precision_point *p, size_t trial);
bool precision_point_done(const precision_point *p);

/* work_precision_measure.c: proves that MuJoCo has the same system, tries every point once, and
 * times them. 0; -1 with one line; or 1 when *c->interrupted became nonzero. */
int precision_measure(precision_case *c, measure_journal *journal, char *message);

/* work_precision_journal.c: opens the case's journal and takes in what it holds. 0, or -1. */
int precision_journal_open(measure_journal **journal, precision_case *c, char *message);
bool precision_journal_take(precision_case *c, const json_t *entry); /* false: it is none of its */
int precision_journal_probe(measure_journal *journal, const precision_case *c, size_t point,
                            char *message);
int precision_journal_sample(measure_journal *journal, const precision_case *c, size_t point,
                             size_t trial, char *message);

/* From how many starts a setting is run, the first run of which made so many evaluations of field
 * and guards. The clock has no say: errors and evaluations are the same on every machine. */
size_t precision_trials(const precision_case *c, const precision_method *method,
                        double evaluations);

/* What a run from a coarser value lets expect of this one's time; NaN when that tells nothing. */
double precision_expected_time(const precision_method *method, double coarser, double seconds,
                               double value);

/* ---- what is derived ------------------------------------------------------------------------- */

/* The texts and numbers of a row, by which files know it. */
typedef enum precision_text {
  PRECISION_MODEL,
  PRECISION_LAW,
  PRECISION_METHOD,
  PRECISION_LABEL,
  PRECISION_SOLVER,
  PRECISION_VARIANT,
  PRECISION_KNOB,
  PRECISION_STATUS,
  PRECISION_COINCIDES, /* the method that is drawn instead; empty: none */
  PRECISION_MESSAGE,
  PRECISION_TEXTS
} precision_text;

typedef enum precision_number {
  PRECISION_CONTACTS,
  PRECISION_DAMPING,
  PRECISION_VALUE,
  PRECISION_TRIALS,
  PRECISION_FAILURES, /* starts that gave up or diverged */
  PRECISION_RMS_ERROR,
  PRECISION_RMS_WORST,
  PRECISION_MEDIAN,
  PRECISION_MEDIAN_LOW,
  PRECISION_MEDIAN_HIGH,
  PRECISION_EVENTS_MEDIAN,
  PRECISION_EVENTS_REFERENCE,
  PRECISION_EVENTS_RATIO, /* of all starts, over the reference's */
  PRECISION_STEPS_MEDIAN,
  PRECISION_REJECTED_MEDIAN,
  PRECISION_ENTRIES_MEDIAN,
  PRECISION_PROJECTIONS_MEDIAN,
  PRECISION_FIELDS_MEDIAN,
  PRECISION_GUARDS_MEDIAN,
  PRECISION_EVALUATIONS, /* fields and guards */
  PRECISION_NUMBERS
} precision_number;

extern const char *const precision_text_names[PRECISION_TEXTS];
extern const char *const precision_number_names[PRECISION_NUMBERS];

/* One point as files have it; texts are borrowed. */
typedef struct precision_row {
  const char *text[PRECISION_TEXTS];
  double number[PRECISION_NUMBERS];
} precision_row;

/* What a point is worth, by its samples, its obstacle and the case's references. */
precision_status precision_judge(const precision_case *c, const precision_point *p);

/* Median of the reference's crossings; NaN when memory is out. */
double precision_reference_events(const precision_case *c);

/* A row with its names and the case's reference; all else is not known. Texts are borrowed. */
void precision_row_name(const precision_case *c, const precision_method *method, double value,
                        precision_status status, const char *message, precision_row *row);

/* Fills in a row. 0, or -1 with one line. */
int precision_summarize(const precision_case *c, const precision_point *p, precision_row *row,
                        char *message);

/* Largest difference of errors, relative, at which two runs are the same but for rounding. */
#define PRECISION_COINCIDE 1e-6

/* Finds variants of one solver whose first runs have the same errors at every value that both have
 * run, and marks all but the first of the table with that one: what they have is their first run.
 * No clock has a say in who stands for whom. */
void precision_find_coincidences(precision_case *c);

/* The index of the row of a solver (NULL: of any) that reaches the target error at the least cost,
 * PRECISION_MEDIAN or PRECISION_EVALUATIONS; SIZE_MAX when there is none. Only rows with status
 * "ok" that stand for themselves count. */
size_t precision_cheapest(const precision_row rows[], size_t count, const char *solver,
                          double target, precision_number cost);

/* ---- files ----------------------------------------------------------------------------------- */

/* All rows of a results file, in its order; owned. */
typedef struct precision_results {
  json_t *object; /* NULL: there is no file yet */
  size_t count;
  precision_row *row;
} precision_results;

/* Reads work_precision.json of the folder. 0, or -1 with one line. */
int precision_results_read(precision_results *results, const char *folder, char *message);
void precision_results_free(precision_results *results);

/* A method with rows of the prepared model that is not chosen, whose rows precision_write of those
 * chosen would therefore drop; NULL when there is none. */
const char *precision_results_lose(const precision_results *results, const model *m,
                                   const bool chosen[]);

/* How many rows from `first` on are of the same model and number of contacts. */
size_t precision_case_rows(const precision_results *results, size_t first);

/* Writes the case into work_precision.json and .csv of the folder, in place of what they had of the
 * same model and number of contacts. 0, or -1 with one line. */
int precision_write(const precision_case *c, char *message);

/* Points of one model as a person reads them; and, of all models in the results, which solver's
 * best setting costs how much at which error, in time and in evaluations, as Markdown. */
void precision_print(const precision_row rows[], size_t count);
void precision_print_table(const precision_results *results);

#endif
