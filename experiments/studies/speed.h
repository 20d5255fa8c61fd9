/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to essbench speed: its samples and rows, the work of a run, and what is derived. */
#ifndef SPEED_H
#define SPEED_H

#include "bridge.h"
#include "contest.h"
#include "study.h"

/* ---- systems --------------------------------------------------------------------------------- */

/* How a model's field is summed: the hopper's in one way. */
typedef enum speed_form { SPEED_CONTACTS, SPEED_AGGREGATED, SPEED_FORMS } speed_form;

/* The hopper, the plate with every number of contacts, and the largest without damping; then both
 * with springs of every stiffness asked for; then plates with many contacts, without MuJoCo. */
typedef struct speed_system {
  const char *model;
  size_t contacts, forms;
  double damping;              /* NaN: the hopper's own */
  double stiffness;            /* of all springs */
  bool stiff;                  /* one of those asked for */
  bool with_mujoco, in_errors; /* MuJoCo races; libess and the plain methods at all errors asked */
  bool largest, in_series;     /* the last of those whose numbers of contacts differ; one of them */
} speed_system;

typedef struct speed_settings {
  contacts_range contacts;
  option_numbers errors, many, targets, stiff;
  size_t trials;
  const char *before;
} speed_settings;

/* How many there are, and each of them. */
size_t speed_systems(const speed_settings *s);
speed_system speed_system_at(const speed_settings *s, size_t index);

/* ---- samples --------------------------------------------------------------------------------- */

/* Work of a run, each callback by itself. */
typedef enum speed_count {
  SPEED_STEPS,
  SPEED_REJECTED,
  SPEED_ENTRIES,
  SPEED_THROUGH,     /* of those steps: through crossings */
  SPEED_CROSSINGS,   /* that change the field */
  SPEED_FIELDS,      /* calls of field */
  SPEED_GUARDS,      /* of guards */
  SPEED_RATES,       /* of guard_rates */
  SPEED_SOME,        /* of some_guard_rates */
  SPEED_SOME_GUARDS, /* event functions asked for in those */
  SPEED_COUNTS
} speed_count;

/* Who races (what = "entry"), what one of its starts gave in one process ("run"), or what a call of
 * one of a model's callbacks takes ("call", the callback being the variant). Of the numbers that is
 * not known which it has not. */
typedef struct speed_sample {
  const char *what, *protocol, *field, *solver, *variant;
  double target, rtol, time_step, rows, field_gap, scaling;
  size_t process, trial;
  double seconds, repetitions, retaken, disturbed, rms_error, events, reference_events;
  double counts[SPEED_COUNTS];
} speed_sample;

enum { SPEED_ENTRIES_MAX = 64 };

/* Who races on a system, by what the choices of all gave: those of its own, and the ones whose
 * settings are the same at every number of contacts. Returns how many. */
size_t speed_entries(const study_run *run, size_t system, speed_sample entry[SPEED_ENTRIES_MAX]);

/* Whose an entry is: MuJoCo's, libess's, or that of a method that looks for no crossing. */
typedef enum speed_whose { SPEED_MUJOCO, SPEED_OURS, SPEED_PLAIN } speed_whose;
bool speed_is(const speed_sample *entry, speed_whose whose);

/* The one of MuJoCo's, or of another with a field, in a protocol; SIZE_MAX when there is none. */
size_t speed_entry_of(const speed_sample entry[], size_t count, const char *protocol,
                      speed_whose whose, const char *field);

/* What an entry, or a run, runs with. */
speed_form speed_form_of(const speed_sample *entry);
solver_settings speed_settings_of(const speed_sample *entry);

/* Names of protocols: MuJoCo at the output step, and settings that are the same at every N. */
extern const char *const speed_form_names[SPEED_FORMS];
extern const char speed_yardstick[], speed_yardstick_rk4[], speed_fixed[];

/* ---- a system within a cell ------------------------------------------------------------------ */

typedef struct speed_room {
  study_run *run;
  speed_system of;
  const model *form[SPEED_FORMS]; /* the run's */
  contest_starts starts;          /* of form 0; owned */
  bridge_gap gap;                 /* the largest of all forms */
} speed_room;

/* Draws starts, and computes the references of the first `known` of them. 0, or -1 with one line:
 * the starts are to be freed then, too. */
int speed_open(speed_room *r, study_run *run, const speed_system *of, size_t starts, size_t known,
               unsigned long seed);

/* Adds a sample for everyone who races on it. 0, or -1 with one line. */
int speed_choose(speed_room *r);

/* Times them in one process, and adds a sample for every start, and for calls of the callbacks. 0,
 * or -1 with one line. */
int speed_race(speed_room *r, size_t system, size_t process);

/* ---- the work of a run ----------------------------------------------------------------------- */

/* What the calls of a model's callbacks cost. */
typedef enum speed_call {
  SPEED_FIELD_CALL,
  SPEED_GUARDS_CALL,
  SPEED_RATES_CALL,
  SPEED_SOME_CALL, /* for one event function */
  SPEED_MORE_CALL, /* for SPEED_MORE of them */
  SPEED_CALLS
} speed_call;

enum { SPEED_MORE = 8, SPEED_CALL_SAMPLES = 31 };

extern const char *const speed_call_names[SPEED_CALLS];

/* Runs libess once more, untimed, every callback counted. 0, or an ess_status. */
int speed_count_run(const model *m, const solver_settings *settings, const double x0[],
                    const solver_output *output, double counts[SPEED_COUNTS]);

/* Seconds that a call takes at states along a trajectory, NaN of a callback that the model has not.
 * A measure_status. */
int speed_time_calls(const model *m, const trajectory *along, unsigned long seed,
                     double seconds[SPEED_CALLS][SPEED_CALL_SAMPLES]);

/* Time that the evaluations of a run alone take: calls of each callback times what one costs. */
double speed_bound(const double counts[SPEED_COUNTS], const double cost[SPEED_CALLS]);

/* ---- what is derived ------------------------------------------------------------------------- */

enum {
  SPEED_SAMPLES = STUDY_SAMPLES,
  SPEED_ROWS,
  SPEED_MARGINALS,
  SPEED_SAMPLE_COSTS,
  SPEED_CALLBACKS,
  SPEED_RUNS,
  SPEED_VALUES
};

/* One of either engine in one protocol. Numbers that it does not have are NaN. */
typedef struct speed_row {
  const char *model, *law, *field, *solver, *variant, *protocol, *mujoco_variant, *plain_solver;
  size_t contacts, trials, processes;
  double damping, stiffness;
  double median_s, median[2], mujoco_s, ratio, ratio_ends[2], before, before_ends[2];
  double plain_setting, plain_s, plain_ratio, plain_ends[2];
  double rms[3], mujoco_rms[3], plain_rms[3], accepted[3]; /* median, 90 % and worst start */
  bool worse;
  double events, events_ratio, s_per_crossing, retaken, disturbed;
  double steps, rejected, entries, through, field_evaluations, guard_evaluations;
  double entries_per_crossing, evaluations_per_crossing, bound_s, over_bound, mujoco_over_bound;
  double field_gap, scaling_s, mujoco_time_step;
  solver_settings settings;
} speed_row;

#define SPEED_MARGINAL_COLUMNS(COLUMN, row)                                                        \
  COLUMN(row, field, TEXT, "", "how libess's field is summed", SHOWN("one more contact", "%-16s")) \
  COLUMN(row, rtol, AMOUNT, "", "libess's tolerance at every number of contacts",                  \
         SHOWN("rtol", "%7.1e"))                                                                   \
  COLUMN(row, mujoco_variant, TEXT, "", "MuJoCo's integrator at each of them",                     \
         SHOWN("MuJoCo's", "%-12s"))                                                               \
  COLUMN(row, mujoco_time_step, AMOUNT, "s", "and its step", SHOWN_TIMES("ms", "%5.2f", 1e3))      \
  COLUMN(row, s_per_contact, NUMBER, "s", "slope of libess's medians over the number of contacts", \
         SHOWN_TIMES("libess us", "%9.3f", 1e6))                                                   \
  COLUMN(row, interval, INTERVAL, "s", "its 95 % interval")                                        \
  COLUMN(row, mujoco_s_per_contact, NUMBER, "s", "MuJoCo's",                                       \
         SHOWN_TIMES("MuJoCo us", "%9.2f", 1e6))                                                   \
  COLUMN(row, mujoco_interval, INTERVAL, "s", "its interval")                                      \
  COLUMN(row, share, NUMBER, "", "libess's over MuJoCo's", SHOWN("share", "%7.4f"))                \
  COLUMN(row, share_interval, INTERVAL, "",                                                        \
         "its interval, starts and processes drawn for both alike")                                \
  COLUMN(row, share_before, NUMBER, "", "of earlier results", SHOWN("before", "%7.4f"))
COLUMN_ROW(speed_marginal, SPEED_MARGINAL_COLUMNS);

#define SPEED_CALLBACK_COLUMNS(COLUMN, row)                                                        \
  COLUMN(row, model, TEXT, "", "hopper or plate", SHOWN("calls of", "%-8s"))                       \
  COLUMN(row, contacts, COUNT, "", "number of contacts", SHOWN("N", "%3.0f"))                      \
  COLUMN(row, damping, AMOUNT, "N s/m", "of all springs", SHOWN("c", "%3.0f"))                     \
  COLUMN(row, field, TEXT, "", "how it is summed", SHOWN("field", "%-10s"))                        \
  COLUMN(row, callback, TEXT, "", "of the model", SHOWN("callback", "%-21s"))                      \
  COLUMN(row, s_per_call, AMOUNT, "s",                                                             \
         "median, in cache, at states along a trajectory with half of the contacts pressed",       \
         SHOWN_TIMES("ns", "%7.1f", 1e9))                                                          \
  COLUMN(row, interval, INTERVAL, "s", "95 %")
COLUMN_ROW(speed_callback, SPEED_CALLBACK_COLUMNS);

#define SPEED_SAMPLE_COST_COLUMNS(COLUMN, row)                                                     \
  COLUMN(row, model, TEXT, "", "hopper or plate", SHOWN("samples of", "%-10s"))                    \
  COLUMN(row, contacts, COUNT, "", "number of contacts", SHOWN("N", "%3.0f"))                      \
  COLUMN(row, dimension, COUNT, "", "states in a row", SHOWN("states", "%6.0f"))                   \
  COLUMN(row, rows, COUNT, "", "of the finer grid", SHOWN("rows", "%6.0f"))                        \
  COLUMN(row, rows_less, COUNT, "", "of the coarser one; 0: none at all",                          \
         SHOWN("against", "%7.0f"))                                                                \
  COLUMN(row, s_per_row, NUMBER, "s", "median difference of a run's time, by row",                 \
         SHOWN_TIMES("ns/row", "%7.2f", 1e9))                                                      \
  COLUMN(row, interval, INTERVAL, "s", "95 %")
COLUMN_ROW(speed_sample_cost, SPEED_SAMPLE_COST_COLUMNS);

/* One start in one process. */
typedef struct speed_one_run {
  const char *model, *field, *solver, *protocol;
  size_t contacts, trial, process;
  double damping, stiffness, seconds, rms_error, events, events_reference, retaken, disturbed;
  double steps, rejected, entries, through, field_evaluations, guard_evaluations;
  double entries_per_crossing, evaluations_per_crossing, bound_s, over_bound, mujoco_over_bound;
} speed_one_run;

extern const column speed_row_columns[], speed_run_columns[], speed_value_columns[];

int speed_derive(study_run *run);

/* speed_samples.c: times an entry of libess's with fewer and more rows of samples, and adds what
 * the starts took, 0, or -1 with one line; what all of them say. */
int speed_time_samples(speed_room *r, const speed_sample *entry, size_t process);
void speed_derive_samples(study_run *run);

#endif
