/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What work-precision and crossing-cost share: the methods, what their runs are worth, and the row
 * of a method at one value of its accuracy knob. */
#ifndef PRECISION_H
#define PRECISION_H

#include "bridge.h"
#include "race.h"
#include "series.h"

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

/* The table, in the order of the legends; it ends with one without a name. */
extern const precision_method precision_methods[];
extern const size_t precision_method_count;

/* So many of them, the first, race where --methods names none. */
extern const size_t precision_default_count;

/* What either study is asked for: contacts and a target crossing-cost alone. */
typedef struct precision_asked {
  contacts_range contacts; /* a case each; none: the run's model is the only one */
  double target;
  option_names methods;
  size_t trials;
  double point_work, min_time;
} precision_asked;

#define PRECISION_OPTIONS(X, row, of_trials, trials_, work)                                        \
  X(row, methods, NAMES, "methods", "A,B", "methods by name, such as projection-2 (default all)",  \
    .names = &precision_methods->name, .names_apart = sizeof(precision_method))                    \
  X(row, trials, WHOLE, "trials", "COUNT", of_trials, .initial = trials_, .min = 1, .max = 1e6,    \
    .result = "trials")                                                                            \
  X(row, point_work, NUMBER, "point-work", "COUNT",                                                \
    "limit of the work of a setting over all initial conditions, in units of about 2 ns: an "      \
    "evaluation is 16 plus the contacts, one of MuJoCo 25 times as many, or by a callback 250 "    \
    "plus the contacts; a setting above the limit has three initial conditions, or one",           \
    .initial = work, .max = 1e15, .result = "point_work")                                          \
  X(row, min_time, NUMBER, "min-time", "S",                                                        \
    "time for which a sample repeats its run, s (default 0: one run)", .initial = "0",             \
    .max = 3600)

/* Whether --methods names it, or names none. */
bool precision_chosen(const option_names *methods, size_t method);

/* Whether any of those chosen can do the model of the first case, at the first value of its knob.
 * 0, or a solver_status with the line of the last. */
int precision_check(study_run *run);

/* The settings of a method at one value of its knob, for a model with so many contacts: MuJoCo's
 * field gap grows with them, and is kept below its limit by its scaling. */
solver_settings precision_settings(const precision_method *method, double value, size_t contacts);

/* What a run from a coarser value lets expect of this one's time; NaN when that tells nothing. */
double precision_expected_time(const precision_method *method, double coarser, double seconds,
                               double value);

/* A run that is to be expected, by what the coarser value took, to take longer than this, s, is not
 * made. */
#define PRECISION_RUN_MAX 10.0

/* Starts of a setting whose work from all of them is more than --point-work allows. One of which it
 * is from these, too, has its first run and no more. */
enum { PRECISION_FEW = 3 };

/* From how many starts a setting is run, the first run of which made so many evaluations of field
 * and guards. The clock has no say: errors and evaluations are the same on every machine. */
size_t precision_trials(const precision_asked *asked, size_t contacts,
                        const precision_method *method, double evaluations);

/* ---- runs ------------------------------------------------------------------------------------ */

/* What a setting is worth. Everything but the first is marked where it is shown. */
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

/* What a start's runs are measured by. */
typedef struct precision_start {
  double events; /* of its reference */
  double held;   /* error of a state that stays where it started */
} precision_start;

/* A sample of either study: a start, what is known of a setting before the race, or a lap of it. */
typedef struct precision_sample {
  size_t method, trial, trials, status;
  double value, retaken;
  const char *message;
  precision_start start;
  bridge_gap gap;
  outcome of;
} precision_sample;

extern const column precision_sample_columns[];
#define PRECISION_SAMPLES                                                                          \
  STUDY_ROWS(precision_sample, .meaning = "an initial condition, a setting or a run")

/* One in which nothing is known but the method and its value. */
precision_sample precision_unknown(size_t method, double value);

/* Runs the sample's method at its value from the first start, and says from how many it is raced.
 * With room for twice so many numbers it is run from all of those, as in the race: its error and
 * time are medians then, infinite where one is not finite. Of a run that failed there are time and
 * counts. 0, or a solver_status with one line. */
int precision_try(const study_run *run, const contest_starts *starts, double room[],
                  precision_sample *s, char message[SOLVER_MESSAGE_SIZE]);

/* ---- cells ----------------------------------------------------------------------------------- */

/* The starts of a case, what is known of each method before the race, and the race in each process.
 */
typedef enum precision_kind { PRECISION_STARTS, PRECISION_METHOD, PRECISION_RACE } precision_kind;

typedef struct precision_cell {
  precision_kind kind;
  size_t index, method, trials, process; /* index: of the case; trials: from how many starts those
                                            race */
} precision_cell;

study_place precision_place(const void *cell);

/* How many cases there are; one's starts, or NULL with one line. */
size_t precision_cases(const study_run *run);
contest_starts *precision_starts(study_run *run, size_t index);

/* ---- the race -------------------------------------------------------------------------------- */

/* One method at one value of its knob, and where its runs are among the samples. */
typedef struct precision_point {
  size_t method;
  double value;
  precision_status obstacle; /* PRECISION_OK, or why it is not raced */
  size_t trials;             /* starts it is measured from; 0: none */
  outcome first;             /* of the first run, or what is expected of it */
  const char *message;       /* of the obstacle; "": none */
  const char *as;            /* the method that stands for it; "": itself */
  bool settled;              /* its first run is all that is wanted: it is its lap */
  draws draws;               /* by which it was raced */
  gather laps;               /* or its first run; there when all is measured */
} precision_point;

/* All points, those of one case after those of another: run->own once they are known. Variants of
 * one solver that have the same values, errors and obstacles wherever both have run are one: the
 * first of the table stands for the others. No clock has a say in who stands for whom. */
typedef struct precision_survey {
  size_t count; /* of a case */
  precision_point point[];
} precision_survey;

/* The starts of a case among the samples. */
gather precision_starts_of(study_run *run, size_t index);

/* How many of them are raced from so many starts. */
size_t precision_raced(const precision_point point[], size_t count, size_t trials);

/* Plans a stage, the first of starts and of the methods named, the second of the races of a survey,
 * which is made then; where that `settles`, the first run of a point that needs no other, or that
 * another one stands for, is its lap. Runs a cell, that of a method by `known`. 0, or -1 with one
 * line. */
int precision_plan(study_run *run, size_t stage, bool settles);
int precision_measure(study_run *run, const void *cell,
                      int (*known)(study_run *run, contest_starts *starts, size_t method));

/* ---- rows ------------------------------------------------------------------------------------ */

/* A setting as files have it; a row of either study has it as its first member p, and its message
 * goes last. */
#define PRECISION_COLUMNS(COLUMN, row)                                                             \
  COLUMN(row, model, TEXT, "", "its name", SHOWN("model", "%-7s"))                                 \
  COLUMN(row, law, TEXT, "", "of its contacts; empty: the model has but one")                      \
  COLUMN(row, method, TEXT, "", "by its name", SHOWN("method", "%-28s"))                           \
  COLUMN(row, label, TEXT, "", "the method in legends")                                            \
  COLUMN(row, solver, TEXT, "", "of the method")                                                   \
  COLUMN(row, variant, TEXT, "", "of the solver; empty: its default")                              \
  COLUMN(row, knob, TEXT, "", "epsilon, tolerance, rtol or time_step")                             \
  COLUMN(row, status, TEXT, "",                                                                    \
         "ok; crossings: more than 1 % off the reference's; diverged: no better "                  \
         "than a state that stays where it started; failed: a run gave up; not "                   \
         "reached: no value reaches the target; too long: not run; refused: the "                  \
         "solver does not do this",                                                                \
         SHOWN("status", "%-11s"))                                                                 \
  COLUMN(row, coincides_with, TEXT, "", "method that stands for it; empty: it stands for itself",  \
         SHOWN("as", "%-21s"))                                                                     \
  COLUMN(row, contacts, COUNT, "", "number of contacts", SHOWN("N", "%5.0f"))                      \
  COLUMN(row, damping, NUMBER, "N s/m", "of all springs")                                          \
  COLUMN(row, value, AMOUNT, "", "of the parameter", SHOWN("knob", "%8.3g"))                       \
  COLUMN(row, trials, COUNT, "", "initial conditions", SHOWN("starts", "%6.0f"))                   \
  COLUMN(row, failures, AMOUNT, "", "of them gave up or diverged")                                 \
  COLUMN(row, rms_error, AMOUNT, "",                                                               \
         "error against the reference: root mean square over all states on the "                   \
         "output grid; median, as all to guard_evaluations",                                       \
         SHOWN("RMS", "%8.2e"))                                                                    \
  COLUMN(row, rms_worst, AMOUNT, "", "the largest", SHOWN("worst", "%8.2e"))                       \
  COLUMN(row, median_s, AMOUNT, "s", "time; where it was not raced, of one run",                   \
         SHOWN_TIMES("median ms", "%10.4f", 1e3))                                                  \
  COLUMN(row, median_lo_s, AMOUNT, "s", "lower end of its 95 % interval",                          \
         SHOWN_TIMES("from", "%10.4f", 1e3))                                                       \
  COLUMN(row, median_hi_s, AMOUNT, "s", "upper end", SHOWN_TIMES("to", "%10.4f", 1e3))             \
  COLUMN(row, events, AMOUNT, "", "crossings that change the field")                               \
  COLUMN(row, events_reference, AMOUNT, "", "of the reference")                                    \
  COLUMN(row, events_ratio, AMOUNT, "",                                                            \
         "crossings of all initial conditions over the reference's",                               \
         SHOWN_TIMES("crossings", "%8.2f%%", 100.0))                                               \
  COLUMN(row, steps, AMOUNT, "", "accepted")                                                       \
  COLUMN(row, rejected, AMOUNT, "", "steps")                                                       \
  COLUMN(row, entries, AMOUNT, "", "steps cut at a located crossing")                              \
  COLUMN(row, projections, AMOUNT, "", "over neighbourhoods of guards")                            \
  COLUMN(row, field_evaluations, AMOUNT, "", "MuJoCo: steps times stages")                         \
  COLUMN(row, guard_evaluations, AMOUNT, "", "of all event functions at once")                     \
  COLUMN(row, evaluations, AMOUNT, "", "of field and guards", SHOWN("evals", "%9.0f"))             \
  COLUMN(row, retaken, AMOUNT, "", "runs taken again because the thread had lost its core")
#define PRECISION_MESSAGE(COLUMN, row)                                                             \
  COLUMN(row, message, TEXT, "", "why the status is not ok", SHOWN("", "%s"))
#define PRECISION_ALL(COLUMN, row)       PRECISION_COLUMNS(COLUMN, row) PRECISION_MESSAGE(COLUMN, row)
#define PRECISION_LINE(row, member, ...) COLUMN_AS(#member, row, p.member, __VA_ARGS__),
COLUMN_ROW(precision_row, PRECISION_ALL);

/* A row of `table`, from the point's laps on those starts. It is the member p of that table's, and
 * its first. */
void precision_summarize(study_run *run, const model *m, gather starts, const precision_point *p,
                         size_t table, precision_row *row);

#endif
