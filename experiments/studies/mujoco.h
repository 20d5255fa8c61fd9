/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MuJoCo's own settings, tried one by one on the models of the race.
 *
 * Every setting starts from one of two bases: the race's (mjcf_options_default) or MuJoCo's own
 * defaults on the same scene. MuJoCo's own is the reference of trajectories, the race's of times.
 */
#ifndef MUJOCO_H
#define MUJOCO_H

#include "cases.h"
#include "gather.h"
#include "race.h"

/* Settings that leave the trajectory this close to the reference's, relative to the largest value
 * of the component that differs most, leave it unchanged. */
#define MUJOCO_UNCHANGED 1e-9

/* One combination of settings. */
typedef struct mujoco_variant {
  bool own;            /* based on MuJoCo's own defaults; false: on the race's settings */
  const char *changes; /* as bridge_variant_prepare has them; empty: the base itself */
} mujoco_variant;

/* mujoco_variants.c: MuJoCo's own first, the race's second. */
enum { MUJOCO_OWN = 0, MUJOCO_RACE = 1, MUJOCO_VARIANTS = 52, MUJOCO_PROFILES = 2 };
extern const mujoco_variant mujoco_variants[MUJOCO_VARIANTS];

/* "mujoco" or "race". And MuJoCo with these settings as one who races. */
const char *mujoco_variant_base(const mujoco_variant *v);
race_entry mujoco_variant_entry(const mujoco_variant *v);

typedef struct mujoco_settings {
  contacts_range contacts;
  size_t trials;
  double minimum_effect;
} mujoco_settings;

/* What is said of a setting. */
typedef enum mujoco_verdict {
  MUJOCO_LEFT_OUT,   /* this MuJoCo does not have it, or gives up with it */
  MUJOCO_CHANGED,    /* another trajectory */
  MUJOCO_FASTER,     /* than the race's, by more than the minimum effect, seen twice */
  MUJOCO_SLOWER,     /* by more than the minimum effect */
  MUJOCO_AS_FAST,    /* neither is shown */
  MUJOCO_IS_THE_RACE /* the race's own, with an unchanged trajectory */
} mujoco_verdict;

/* Of a setting whose trajectory differs so much, and whose time over the race's is a ratio with an
 * interval. */
mujoco_verdict mujoco_judge(size_t variant, double difference, double ratio,
                            const double interval[2], double effect);
const char *mujoco_verdict_name(mujoco_verdict verdict);

/* ---- cells: the hopper, then the plate with every number of contacts --------------------------
 */

typedef enum mujoco_kind {
  MUJOCO_FOLLOW, /* trajectories of all settings from all starts, untimed */
  MUJOCO_RACED,  /* all settings in one process; and those that looked faster once more */
  MUJOCO_AGAIN,
  MUJOCO_PROFILE /* MuJoCo's timers on the race's settings, and on its own */
} mujoco_kind;

typedef struct mujoco_cell {
  mujoco_kind kind;
  size_t of, number; /* case; process, or which profile */
} mujoco_cell;

/* What a cell gives: of FOLLOW a row for each setting, of RACED and AGAIN one for each
 * start and each that takes part; of PROFILE one for each start, then one for each timer. */
#define MUJOCO_SAMPLE_COLUMNS(COLUMN, row)                                                         \
  COLUMN(row, variant, COUNT, "", "number of the setting")                                         \
  COLUMN(row, trial, COUNT, "", "of the start")                                                    \
  COLUMN(row, difference, AMOUNT, "", "of trajectories, the largest over all starts, relative")    \
  COLUMN(row, gap, GAP, "", "of MuJoCo's acceleration from the model's")                           \
  COLUMN(row, left_out, TEXT, "", "why, one line")                                                 \
  COLUMN(row, seconds, AMOUNT, "", "of one run")                                                   \
  COLUMN(row, retaken, AMOUNT, "", "runs taken again")                                             \
  COLUMN(row, rms_error, AMOUNT, "", "against our reference")                                      \
  COLUMN(row, timers_cost, AMOUNT, "",                                                             \
         "time of a start under the timers over seconds, without them")                            \
  COLUMN(row, timer, TEXT, "", "MuJoCo's own name")                                                \
  COLUMN(row, parent, NUMBER, "", "the timer it is a part of, or BRIDGE_NO_TIMER")                 \
  COLUMN(row, calls, AMOUNT, "", "in a step")                                                      \
  COLUMN(row, measured_ns, AMOUNT, "", "in a step, by the timer")                                  \
  COLUMN(row, run_ns, AMOUNT, "", "a step without timers")                                         \
  COLUMN(row, reading_ns, AMOUNT, "", "one reading of the clock")
COLUMN_ROW(mujoco_sample, MUJOCO_SAMPLE_COLUMNS);

/* How many cases there are; one's name, contacts and starts. NULL with one line. */
size_t mujoco_cases(const study_run *run);
const model_type *mujoco_type(size_t of);
size_t mujoco_contacts(const study_run *run, size_t of);
contest_starts *mujoco_starts(study_run *run, size_t of);

/* Who takes part in a session of a case: the race's first; and where its laps are. */
typedef struct mujoco_session {
  size_t count, variant[MUJOCO_VARIANTS];
  size_t first; /* sample of the first lap */
} mujoco_session;

/* mujoco_cells.c */
int mujoco_plan(study_run *run, size_t stage);
study_place mujoco_place(const void *planned);
int mujoco_follow(study_run *run, size_t of);
int mujoco_race(study_run *run, const mujoco_cell *cell);
mujoco_session mujoco_first_session(study_run *run, size_t of);
mujoco_session mujoco_second_session(study_run *run, size_t of);

/* The least effect that is one: none is seen from few starts. */
double mujoco_effect(const mujoco_settings *given);

/* The samples of one who takes part in a session, process by process; and what it was followed by.
 */
gather mujoco_laps(study_run *run, const mujoco_session *session, size_t place);
const mujoco_sample *mujoco_followed(const study_run *run, size_t of, size_t variant);

/* How starts are spread over processes. */
draws mujoco_draws(const study_run *run);

/* The median of its times in a session, or of those over the race's; a failure is noted. */
void mujoco_median(study_run *run, const mujoco_session *session, size_t place, bool over_race,
                   double *median, double interval[2]);

/* mujoco_profile.c */
int mujoco_measure_profile(study_run *run, size_t of, size_t profile);

/* ---- rows: mujoco_derive.c ------------------------------------------------------------------- */

enum {
  MUJOCO_SAMPLES = STUDY_SAMPLES,
  MUJOCO_TOP,
  MUJOCO_MODELS,
  MUJOCO_ROWS,
  MUJOCO_TRIALS,
  MUJOCO_TIMES,
  MUJOCO_PROFILED,
  MUJOCO_TIMERS,
  MUJOCO_BENCHMARKS
};

/* What a row is of. */
typedef struct mujoco_name {
  const char *model;
  size_t contacts;
  const char *base, *changes;
} mujoco_name;

typedef struct mujoco_row {
  mujoco_name of;
  double median_s, median_interval_s[2], q25_s, q75_s, min_s;
  double ratio, ratio_interval[2], difference, rms_error, rms_worst, field_gap, scaling_s;
  double confirmed, confirmed_interval[2];
  double retaken;
  const char *verdict, *left_out;
} mujoco_row;

typedef struct mujoco_trial {
  mujoco_name of;
  size_t session, trial, process;
  double seconds, rms_error;
} mujoco_trial;

/* Where MuJoCo's time goes with one setting, per step; means over the quiet half of the starts. */
typedef struct mujoco_profile {
  mujoco_name of;
  double run_s; /* without timers */
  double timers_cost, timers_cost_interval[2], reading_s;
} mujoco_profile;

/* A timer, or what none of its parts accounts for. */
typedef struct mujoco_time {
  mujoco_profile in;
  const char *timer, *part_of;
  double calls, measured_s, net_s, share, rest_share;
} mujoco_time;

/* Google Benchmark's shape, so that its tools read the file */
typedef struct mujoco_benchmark {
  const char *name, *run_type, *aggregate_name, *aggregate_unit, *time_unit;
  size_t threads, iterations;
  double real_time, rms_error;
} mujoco_benchmark;

#define MUJOCO_TOP_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, unchanged, AMOUNT, "",                                                               \
         "largest relative difference at which a trajectory is unchanged")                         \
  COLUMN(row, confidence, AMOUNT, "", "of the intervals")
COLUMN_ROW(mujoco_top, MUJOCO_TOP_COLUMNS);

typedef struct mujoco_model {
  const model *parameters;
} mujoco_model;

int mujoco_derive(study_run *run);
int mujoco_conclude(study_run *run);

#endif
