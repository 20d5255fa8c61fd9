/*
 * Private to essbench mujoco: MuJoCo's own settings, tried one by one on the models of the race.
 *
 * Every setting starts from one of two bases: the race's (mjcf_options_default) or MuJoCo's own
 * defaults on the same scene. MuJoCo's own is the reference of trajectories, the race's of times.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MUJOCO_SETTINGS_H
#define MUJOCO_SETTINGS_H

#include "arguments.h"
#include "bootstrap.h"
#include "bridge.h"
#include "contest.h"
#include "statistics.h"

/* Settings that leave the trajectory this close to the reference's, relative to the largest value
 * of the component that differs most, leave it unchanged. */
#define MUJOCO_UNCHANGED 1e-9

/* One combination of settings. */
typedef struct mujoco_variant {
  bool own;            /* based on MuJoCo's own defaults; false: on the race's settings */
  const char *changes; /* "NAME=VALUE ..." by the names of mjcf_options and of MuJoCo's flags, with
                          on and off for whether and for flags; empty: the base itself */
} mujoco_variant;

/* MuJoCo's own first, the race's second. */
enum { MUJOCO_OWN = 0, MUJOCO_RACE = 1 };
extern const mujoco_variant mujoco_variants[];
extern const size_t mujoco_variant_count;

/* "mujoco" or "race". */
const char *mujoco_variant_base(const mujoco_variant *v);

/* Prepares MuJoCo for the model with these settings. 0 and *instance for bridge_solver.release, or
 * a solver_status with one line; SOLVER_REFUSED when this MuJoCo has no such setting. */
int mujoco_variant_prepare(const mujoco_variant *v, const model *m, const solver_output *output,
                           void **instance, char message[SOLVER_MESSAGE_SIZE]);

/* What is said of a setting. */
typedef enum mujoco_verdict {
  MUJOCO_LEFT_OUT,   /* this MuJoCo does not have it, or gives up with it */
  MUJOCO_CHANGED,    /* another trajectory */
  MUJOCO_FASTER,     /* than the race's, by more than the minimum effect, seen twice */
  MUJOCO_SLOWER,     /* by more than the minimum effect */
  MUJOCO_AS_FAST,    /* neither is shown */
  MUJOCO_IS_THE_RACE /* the race's own, with an unchanged trajectory */
} mujoco_verdict;

/* The verdict in a word or two, as files and tables have it. */
const char *mujoco_verdict_name(mujoco_verdict verdict);

/* One setting on one model. */
typedef struct mujoco_row {
  const mujoco_variant *variant;
  struct mujoco_case *of;
  void *instance;                     /* NULL: left out */
  char left_out[SOLVER_MESSAGE_SIZE]; /* why, one line; else empty */
  bridge_gap gap;
  double difference;       /* of trajectories, the largest over all starts, relative */
  double *rms;             /* trials: error against the model's reference */
  double *seconds, *again; /* trials; `again`, if measured a second time, else NULL */
  measure_summary time, error;
  measure_interval median;           /* s */
  measure_interval ratio, confirmed; /* over the race's time, paired by start; NaN: not measured */
  mujoco_verdict verdict;
  solver_report report;
} mujoco_row;

/* One of MuJoCo's timers, per step; a mean over the quiet half of the starts. */
typedef struct mujoco_timer {
  const char *name; /* MuJoCo's own */
  int parent;       /* the timer it is a part of, or BRIDGE_NO_TIMER */
  double calls, measured_ns;
  double net_ns;  /* without what the readings of the clock took */
  double rest_ns; /* of net_ns, what no part of it accounts for */
  bool has_parts;
} mujoco_timer;

/* Where MuJoCo's time goes with one setting. */
typedef struct mujoco_profile {
  const mujoco_row *row; /* NULL: not profiled */
  size_t timers;
  mujoco_timer timer[BRIDGE_TIMERS_MAX]; /* the first is the whole step */
  double run_ns;                         /* a run without timers, per step, likewise */
  measure_interval timers_cost;          /* a run with timers over one without, paired by start */
  double reading_ns;                     /* one reading of the clock, by itself */
} mujoco_profile;

enum { MUJOCO_PROFILES = 2 }; /* the race's settings, MuJoCo's own */

/* One model and all settings; owned. */
typedef struct mujoco_case {
  model m;
  size_t contacts;
  contest_starts starts;
  trajectory samples; /* of the run that was last */
  double *own;        /* trials * samples: trajectories with MuJoCo's own settings */
  size_t rows;
  mujoco_row *row; /* in the order of mujoco_variants */
  mujoco_profile profile[MUJOCO_PROFILES];
} mujoco_case;

/* Sets up the model named `type` with `contacts` contacts, its starts and references. 0, or -1 with
 * one line. Free with mujoco_case_free, which accepts a zeroed one. */
int mujoco_case_init(mujoco_case *c, const char *type, size_t contacts, const arguments *given,
                     char message[SOLVER_MESSAGE_SIZE]);
void mujoco_case_free(mujoco_case *c);

/* Trajectories of all settings from all starts, untimed, and how far they are from the reference
 * setting's. 0, or -1 with one line. */
int mujoco_follow(mujoco_case *c, unsigned long seed, char message[SOLVER_MESSAGE_SIZE]);

/* Times all settings, interleaved; those that look faster than the race's are timed a second time,
 * since of many the luckiest always looks fast. Leaves a verdict in every row. */
int mujoco_time(mujoco_case *c, const arguments *given, char message[SOLVER_MESSAGE_SIZE]);

/* What a ratio over the race's time says of a setting. */
mujoco_verdict mujoco_judge(const mujoco_row *row, const measure_interval *ratio, double effect);

/* Whether the race's settings are MuJoCo's fastest and compute what MuJoCo computes by itself. 0,
 * or -1 with one line. */
int mujoco_check(const mujoco_case cases[], size_t count, char message[SOLVER_MESSAGE_SIZE]);

/* The profiling pass, after the timing. */
int mujoco_profile_case(mujoco_case *c, const arguments *given, char message[SOLVER_MESSAGE_SIZE]);

/* mujoco_settings.csv, mujoco_settings_samples.csv, mujoco_profile.csv, mujoco_settings.json in the
 * folder of results. 0, or -1 with one line. */
int mujoco_write(const mujoco_case cases[], size_t count, const arguments *given, int core,
                 char message[SOLVER_MESSAGE_SIZE]);

/* The tables for people. */
void mujoco_print(const mujoco_case cases[], size_t count, const arguments *given);

#endif
