/*
 * Private to essbench speed: how fast libess is against MuJoCo at no worse an error, what one more
 * contact costs, what a sample costs, how far from the bound its evaluations set, and where
 * locating each crossing is the better way.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SPEED_H
#define SPEED_H

#include <jansson.h>

#include "arguments.h"
#include "bootstrap.h"
#include "bridge.h"
#include "contest.h"
#include "search.h"

/* ---- what is timed --------------------------------------------------------------------------- */

/* How a model's field is summed. */
typedef enum speed_form { SPEED_CONTACTS, SPEED_AGGREGATED, SPEED_FORMS } speed_form;

/* Work of a run, each callback by itself. */
typedef enum speed_count {
  SPEED_STEPS,
  SPEED_REJECTED,
  SPEED_ENTRIES,
  SPEED_PROJECTIONS,
  SPEED_SUBSTEPS,
  SPEED_GROUPS,
  SPEED_CROSSINGS,   /* that change the field */
  SPEED_PROJECTED,   /* time passed in projections, s */
  SPEED_FIELDS,      /* calls of field */
  SPEED_GUARDS,      /* of guards */
  SPEED_RATES,       /* of guard_rates */
  SPEED_SOME,        /* of some_guard_rates */
  SPEED_SOME_GUARDS, /* event functions asked for in those */
  SPEED_COUNTS
} speed_count;

/* What the calls of a model's callbacks cost, s; an interval's ends are NaN where there is no such
 * callback. */
typedef enum speed_callback {
  SPEED_FIELD_CALL,
  SPEED_GUARDS_CALL,
  SPEED_RATES_CALL,
  SPEED_SOME_CALL, /* for one event function */
  SPEED_MORE_CALL, /* for SPEED_MORE of them */
  SPEED_CALLBACKS
} speed_callback;

enum { SPEED_MORE = 8 };

extern const char *const speed_callback_names[SPEED_CALLBACKS];

typedef struct speed_costs {
  measure_interval call[SPEED_CALLBACKS];
} speed_costs;

/* A solver with its settings, and what it did at every start. */
typedef struct speed_entry {
  const solver_type *solver;
  const char *protocol; /* "equal-error", "equal-median", "equal-error-RK4" or "free" */
  speed_form form;      /* of the field, for solvers that use the model's */
  size_t rival;         /* the case's entry it is compared with; MuJoCo's own is itself */
  solver_settings settings;
  bool may_fail, failed;          /* a run that fails ends the race unless it may */
  double *seconds, *rms, *events; /* by trial; owned */
  double (*counts)[SPEED_COUNTS]; /* by trial, of libess alone; owned */
} speed_entry;

/* Room for as many entries in a case of its own, and in the comparison with location. */
enum { SPEED_ENTRIES_MAX = 8, SPEED_POINTS_MAX = 512 };

/* One mechanical system, its starts, and who races on it; owned. */
typedef struct speed_case {
  model form[SPEED_FORMS];
  size_t forms; /* the hopper has one */
  size_t contacts;
  double damping;
  size_t trials;
  contest_starts starts; /* of form[0], with references */
  double *events;        /* trials: crossings of the references */
  bridge_gap gap[SPEED_FORMS];
  speed_costs costs[SPEED_FORMS];
  double sample_s; /* a sample lasts at least this long, s */
  size_t count, room;
  speed_entry *entry; /* room */
} speed_case;

/* What one more contact costs at equal error: slopes of the medians over the numbers of contacts.
 */
typedef struct speed_marginal {
  speed_form form;
  measure_interval ours, mujoco; /* s per contact */
  measure_interval share;        /* ours over MuJoCo's, starts drawn for both alike */
} speed_marginal;

/* What a row of samples costs. */
typedef struct speed_sample_cost {
  const speed_case *of;
  size_t dimension, rows; /* of the finer grid */
  size_t fewer;           /* rows of the coarser one; 0: none at all */
  measure_interval row;   /* s per row of all states */
} speed_sample_cost;

/* ---- against location ------------------------------------------------------------------------ */

typedef enum speed_family {
  SPEED_LOCATION, /* every crossing located to round-off */
  SPEED_ORDER_1,
  SPEED_ORDER_2,
  SPEED_LIBESS, /* one tolerance for everything */
  SPEED_FAMILIES
} speed_family;

extern const char *const speed_family_names[SPEED_FAMILIES];

/* What a setting of one of them showed. Chosen by the starts of even number, and reported by the
 * others. */
typedef struct speed_point {
  speed_family family;
  const speed_entry *entry;
  double choice_s, choice_rms;                    /* medians over the even starts */
  double median_s, rms_error, rms_q90, rms_worst; /* over the odd starts */
  double events_ratio, crossing_s;                /* crossings over the reference's; s each */
  double entries_per_crossing, projected_s;       /* of the first start; NaN without projection */
} speed_point;

enum { SPEED_TARGETS = 9, SPEED_EPSILONS = 9 };
extern const double speed_epsilons[SPEED_EPSILONS]; /* from the largest */

/* The cheapest of location and of libess by its tolerance at an error. */
typedef struct speed_duel {
  double target;
  size_t location, libess;               /* points, or SIZE_MAX: none reaches it */
  measure_interval location_over_libess; /* paired over the odd starts; NaN without both */
} speed_duel;

typedef struct speed_location {
  const speed_case *of; /* contact by contact */
  speed_case race;      /* of the same starts, borrowed, every setting an entry */
  speed_point *point;   /* by entry; owned */
  speed_duel duel[SPEED_TARGETS];
} speed_location;

/* ---- all of it ------------------------------------------------------------------------------- */

enum { SPEED_SAMPLE_COSTS = 4 };

typedef struct speed_data {
  const arguments *given;
  int core;
  const volatile int *interrupted;
  size_t count;      /* of cases: the hopper, the plate by contacts, the plate without damping */
  speed_case *cases; /* owned */
  size_t marginal_count;
  speed_marginal marginal[SPEED_FORMS];
  size_t sample_count;
  speed_sample_cost sample[SPEED_SAMPLE_COSTS];
  speed_location location; /* `of` NULL: not measured */
  bool complete;           /* neither interrupted nor failed on the way */
  json_t *before;          /* earlier results by speed_before_read, or NULL; owned */
} speed_data;

/* speed_case.c: the starts with their references, the settings searched for, the proof that MuJoCo
 * has the same system. 0, or -1 with one line. speed_case_free accepts a zeroed one. */
int speed_case_init(speed_case *c, const char *type, size_t contacts, double damping, bool rk4,
                    const speed_data *data, char *message);
void speed_case_free(speed_case *c);

/* Adds an entry, without samples, to a case with room for at most `most` of them. 0, or -1 with one
 * line. */
int speed_add_entry(speed_case *c, const speed_entry *entry, size_t most, char *message);
void speed_free_entries(speed_case *c);

/* "hopper", "plate, 100 contacts, c = 60". */
enum { SPEED_NAME_SIZE = 64 };
void speed_case_name(const speed_case *c, char name[SPEED_NAME_SIZE]);

/* speed_race.c: times all entries of a case in turn; `label` is that of the line that shows
 * progress. 0, or -1 with one line. */
int speed_race(speed_case *c, const char *label, const speed_data *data, char *message);

/* speed_counts.c: runs each of libess's entries once more from every start, untimed, its callbacks
 * counted. 0, or -1 with one line. */
int speed_count_work(speed_case *c, char *message);

/* The same for one run. 0, or an ess_status. */
int speed_count_run(const model *m, const solver_type *solver, const solver_settings *settings,
                    const double x0[], const solver_output *output, double counts[SPEED_COUNTS]);

/* speed_costs.c: times the callbacks of every form of a case's model. 0, or -1 with one line. */
int speed_time_callbacks(speed_case *c, unsigned long seed, char *message);

/* speed_samples.c: what a row of samples costs with an entry's settings: the output grid against
 * none, and one ten times as fine against it. Fills in two. 0, or -1 with one line. */
int speed_time_samples(const speed_case *c, const speed_entry *e, unsigned long seed,
                       speed_sample_cost out[2], char *message);

/* speed_location.c: times location and libess over their settings. 0, or -1. */
int speed_time_location(speed_location *l, const speed_case *c, const speed_data *data,
                        char *message);
void speed_location_free(speed_location *l);

/* The index of a family's cheapest point, by what is chosen by, that reaches the target: of one
 * epsilon, or with NAN of any. SIZE_MAX when none does. */
size_t speed_location_cheapest(const speed_location *l, speed_family family, double epsilon,
                               double target);

/* The point that stands for a family's epsilon: the cheapest whose error its tolerance adds less
 * than a tenth to. SIZE_MAX when all have failed. */
size_t speed_location_at(const speed_location *l, speed_family family, double epsilon);

/* speed_duel.c: fills in medians, crossings and duels from the samples. 0, or -1 with one line. */
int speed_location_summarize(speed_location *l, unsigned long seed, char *message);

/* ---- what is derived ------------------------------------------------------------------------- */

/* Located entries per crossing from which, and length of the mean projection as a share of the
 * output step up to which, projection is root finding by another name. */
#define SPEED_ROOT_ENTRIES 0.9
#define SPEED_ROOT_SHARE   0.01

/* Of the paper's method: "projection" or "root finding". */
const char *speed_regime(double entries_per_crossing, double projected_s, double dt);

/* Time that the evaluations of a run alone take: calls of each callback times what one costs. */
double speed_bound(const double counts[SPEED_COUNTS], const speed_costs *costs);

typedef enum speed_text {
  SPEED_TEXT_MODEL,
  SPEED_TEXT_LAW,
  SPEED_TEXT_FIELD,
  SPEED_TEXT_SOLVER,
  SPEED_TEXT_VARIANT,
  SPEED_TEXT_PROTOCOL,
  SPEED_TEXT_REGIME,
  SPEED_TEXTS
} speed_text;

typedef enum speed_number {
  SPEED_N_CONTACTS,
  SPEED_N_DAMPING,
  SPEED_N_TRIALS,
  SPEED_N_MEDIAN,
  SPEED_N_MEDIAN_LOW,
  SPEED_N_MEDIAN_HIGH,
  SPEED_N_RIVAL_MEDIAN,
  SPEED_N_RATIO, /* the rival's time over this, paired by start */
  SPEED_N_RATIO_LOW,
  SPEED_N_RATIO_HIGH,
  SPEED_N_BEFORE, /* the same of earlier results */
  SPEED_N_BEFORE_LOW,
  SPEED_N_BEFORE_HIGH,
  SPEED_N_RMS,
  SPEED_N_RMS_Q90,
  SPEED_N_RMS_WORST,
  SPEED_N_RIVAL_RMS,
  SPEED_N_RIVAL_RMS_Q90,
  SPEED_N_RIVAL_RMS_WORST,
  SPEED_N_EVENTS,
  SPEED_N_EVENTS_RATIO, /* of all starts, over the reference's */
  SPEED_N_PER_CROSSING, /* s */
  SPEED_N_STEPS,
  SPEED_N_REJECTED,
  SPEED_N_ENTRIES,
  SPEED_N_PROJECTIONS,
  SPEED_N_SUBSTEPS,
  SPEED_N_GROUPS,
  SPEED_N_PROJECTED, /* mean length of a projection, s */
  SPEED_N_FIELDS,
  SPEED_N_GUARDS, /* calls of guards, guard_rates and some_guard_rates */
  SPEED_N_ENTRIES_PER_CROSSING,
  SPEED_N_EVALUATIONS_PER_CROSSING,
  SPEED_N_BOUND,          /* s */
  SPEED_N_OVER_BOUND,     /* this over the bound */
  SPEED_N_RATIO_AT_BOUND, /* the rival's time over the bound */
  SPEED_N_GAP,
  SPEED_N_SCALING,
  SPEED_NUMBERS
} speed_number;

extern const char *const speed_text_names[SPEED_TEXTS];
extern const char *const speed_number_names[SPEED_NUMBERS];

/* One entry as files have it; texts are borrowed. */
typedef struct speed_row {
  const char *text[SPEED_TEXTS];
  double number[SPEED_NUMBERS];
} speed_row;

/* Fills in a row: numbers are medians over the starts where not said otherwise; those that the
 * entry does not have are NaN. 0, or -1 with one line. */
int speed_summarize(const speed_case *c, const speed_entry *e, const json_t *before,
                    unsigned long seed, speed_row *row, char *message);

/* Slopes of medians of two solvers over x[groups], times a[groups*trials] and b[groups*trials] row
 * by row, and a's over b's. Starts are drawn once for all of a resample. A measure_status. */
int speed_slopes(const double x[], size_t groups, const double a[], const double b[], size_t trials,
                 unsigned long seed, measure_interval *slope_a, measure_interval *slope_b,
                 measure_interval *share);

/* The marginal costs of the cases from `first` on, `count` of them with different numbers of
 * contacts and the same entries. 0, or -1 with one line. */
int speed_marginals(speed_data *data, size_t first, size_t count, char *message);

/* ---- before, files, table -------------------------------------------------------------------- */

/* speed_before.c: reads earlier results from folders with commas between: speed.json of essbench
 * speed, or else sweep.json of essbench sweep, of which its protocol equal-error. A new object,
 * {rows: [{model, contacts, damping, field, protocol, ratio, lo, hi}], marginals: [{field,
 * share}]}; NULL with one line. */
json_t *speed_before_read(const char *folders, char *message);

/* What earlier results have of a row: MuJoCo's time over libess's. NaN when they have nothing. */
measure_interval speed_before_find(const json_t *before, const speed_row *row);

/* libess's share of MuJoCo's marginal cost in earlier results; NaN when they have none. */
double speed_before_share(const json_t *before, speed_form form);

/* The number a member is; NaN when it is none. */
double speed_number_of(const json_t *object, const char *name);

/* "contacts" or "aggregated". */
const char *speed_form_name(speed_form form);

/* speed_files.c: writes speed.csv, speed_location.csv and speed_samples.csv, and what speed_json.c
 * makes of the data into speed.json. 0, or -1 with one line. */
int speed_write(const speed_data *data, char *message);

/* speed_json.c: all but the raw samples; `rows` are borrowed. NULL when memory is out. */
json_t *speed_json(const speed_data *data, json_t *rows);

/* The settings that an entry of a case runs with. */
solver_settings speed_settings(const speed_case *c, const speed_entry *entry);

/* One row of those. */
json_t *speed_row_json(const speed_row *row, const solver_settings *settings);

/* A point of the comparison with location by numbers that have these names; its regime, empty for
 * all but the projection. */
enum { SPEED_POINT_NUMBERS = 10 };
extern const char *const speed_point_names[SPEED_POINT_NUMBERS];
void speed_point_numbers(const speed_point *p, double out[SPEED_POINT_NUMBERS]);
const char *speed_point_regime(const speed_location *l, const speed_point *p);

/* speed_table.c: the tables of results as speed.json has them, in Markdown. */
void speed_print(const json_t *results);

#endif
