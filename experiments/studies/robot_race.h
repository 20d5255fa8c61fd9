/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The race of MuJoCo and libess on a robot: its samples, what follows from them, and its screen. */
#ifndef ROBOT_RACE_H
#define ROBOT_RACE_H

#include "robot_case.h"
#include "robot_cost.h"

/* ---- samples --------------------------------------------------------------------------------- */

/* What one of them gave; the rows of a cell are in the order of the entries. */
typedef struct robot_sample {
  size_t start, process;
  const char *solver, *variant; /* "reference", "mujoco", "libess" or "plain"; as of the entry */
  double time_step, rtol;
  robot_error error;
  double seconds, evaluations, steps;
  double repetitions, retaken, disturbed; /* as of a race_lap */
  const char *note;                       /* why there are no numbers, or fewer */

  /* of the reference */
  double until, growth, touchdowns, jumps, refused;
  robot_error tolerances, mujoco; /* how far libess at a looser tolerance is from it, and MuJoCo */
  robot_error estimate;           /* the larger of both */
  const char *status, *contact;
  double check_step; /* of MuJoCo's RK4 that it is checked by, s */
  double size;       /* of its states */
} robot_sample;

/* Along the first start's fall; NaN where that is not known. */
typedef struct robot_bounds {
  robot_cost cost;
  double radius;      /* of the spectrum of the field's Jacobian, 1/s, the mean */
  double evaluations; /* a second, of dopri5 where that alone sets its steps */
} robot_bounds;

/* ---- rows ------------------------------------------------------------------------------------ */

enum {
  ROBOT_SAMPLES = STUDY_SAMPLES,
  ROBOT_TOP,
  ROBOT_FINDINGS,
  ROBOT_MUJOCO_ROWS,
  ROBOT_LIBESS_ROWS,
  ROBOT_PLAIN_ROWS,
  ROBOT_ORDERS,
  ROBOT_REACH,
  ROBOT_HELD_OUT,
  ROBOT_TOUCHDOWNS,
  ROBOT_ERRORS,
  ROBOT_PATHS,
  ROBOT_FACTS,  /* of the model, in a row of the top */
  ROBOT_RUNS,   /* what the rows of an initial condition are of */
  ROBOT_CHOICES /* settings of all that race, for a target error */
};

/* How far the first start is off at the model's own setting, in the units of the model. */
typedef struct robot_off {
  double base, joint, from, after_time; /* NaN: there is none, or it is not known */
  const char *axis, *name, *unit, *after;
} robot_off;

typedef struct robot_top {
  const char *file, *pose;
  robot_sizes sizes;
  size_t reached;
  double period, growth, twin_gap, twin_text_gap, broken;
  double until, size, estimate, estimate_worst, bodies_estimate, hinges_estimate, tolerances_apart,
      mujoco_apart, check_step, jumps, refused;
  const char *status, *contact;
  robot_off off;
  robot_bounds bounds;
} robot_top;

#define ROBOT_FINDING_COLUMNS(COLUMN, row)                                                         \
  COLUMN(row, treatment, TEXT, "", "smooth, guarded, kink, followed, refused or left out")         \
  COLUMN(row, kind, TEXT, "", "contact, joint limit, ...")                                         \
  COLUMN(row, name, TEXT, "", "what it concerns")                                                  \
  COLUMN(row, why, TEXT, "", "in words")                                                           \
  COLUMN(row, events, COUNT, "", "event functions")
COLUMN_ROW(robot_finding_row, ROBOT_FINDING_COLUMNS);

/* A run: medians over the starts. */
typedef struct robot_row {
  const char *variant; /* MuJoCo's integrator; libess's base */
  double knob;         /* time step, s; tolerance */
  bool own;
  double rms_error, rms_low, rms_high, position_error, hinge_error, seconds, estimate, evaluations;
  size_t known;
  const char *note;
} robot_row;

/* Of the entries of a kind, which is called so. */
extern const char *const robot_who[];
static inline size_t robot_table(robot_kind kind) {
  return ROBOT_MUJOCO_ROWS + (size_t)(kind - ROBOT_MUJOCO);
}

#define ROBOT_ORDER_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, variant, TEXT, "", "MuJoCo's integrator", SHOWN("integrator", "%-12s"))              \
  COLUMN(row, order, NUMBER, "",                                                                   \
         "slope of the logarithms: median errors over time steps of at most 2 ms, as far as they " \
         "are above three times the estimate",                                                     \
         SHOWN("order", "%6.2f"))                                                                  \
  COLUMN(row, interval, INTERVAL, "", "of the order, 95 %", .place = COLUMN_JSON_ONLY)             \
  COLUMN(row, time_steps, COUNT, "", "that it is seen over", SHOWN("steps", "%6.0f"))
TAKEN_ROW(robot_order_row, ROBOT_ORDER_COLUMNS);

#define ROBOT_TIME_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, who, TEXT, "", "MuJoCo's integrator, or libess or plain, by the first of --base")    \
  COLUMN(row, knob, AMOUNT, "", "time step, s, or tolerance")                                      \
  COLUMN(row, own, FLAG, "", "whether these are the model's own")                                  \
  COLUMN(row, t, AMOUNT, "s", "time")                                                              \
  COLUMN(row, rms_error, AMOUNT, "",                                                               \
         "of positions and velocities at that time, first initial condition")
COLUMN_ROW(robot_time_row, ROBOT_TIME_COLUMNS);

#define ROBOT_PATH_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, t, AMOUNT, "s", "time")                                                              \
  COLUMN(row, state, TEXT, "", "joint, or d joint for its velocity")                               \
  COLUMN(row, unit, TEXT, "", "of the state; empty where it has none")                             \
  COLUMN(row, parts, FLAG, "",                                                                     \
         "whether it is the state that MuJoCo at its own step gets most wrong, over its range")    \
  COLUMN(row, counts, FLAG, "",                                                                    \
         "whether it is of a body that counts: with mass, and with a contact if others have some") \
  COLUMN(row, reference, NUMBER, "", "first initial condition")                                    \
  COLUMN(row, mujoco, NUMBER, "", "by the model's own step and integrator")
COLUMN_ROW(robot_path_row, ROBOT_PATH_COLUMNS);

/* ---- what an error costs, and what touches down ---------------------------------------------- */

/* seconds, errors and ratios are of starts that the settings were not chosen by */
#define ROBOT_REACH_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, rms_error, AMOUNT, "", "asked for", SHOWN("error", "%7.1e"))                         \
  COLUMN(row, own, FLAG, "", "whether it is the error of the model's own step and integrator")     \
  COLUMN(row, variant, TEXT, "", "MuJoCo's cheapest integrator, by all initial conditions",        \
         SHOWN("MuJoCo", "%-12s"))                                                                 \
  COLUMN(row, time_step, AMOUNT, "s", "the largest that reaches it, between those measured",       \
         SHOWN_TIMES("step, ms", "%8.4f", 1e3))                                                    \
  COLUMN(row, mujoco_seconds, AMOUNT, "s", "of a run so; median over the test set",                \
         SHOWN("s", "%8.2e"))                                                                      \
  COLUMN(row, mujoco_error, AMOUNT, "", "there")                                                   \
  COLUMN(row, libess_base, TEXT, "", "libess's cheapest step method, by all initial conditions",   \
         SHOWN("libess", "%-7s"))                                                                  \
  COLUMN(row, tolerance, AMOUNT, "",                                                               \
         "the largest of libess that reaches it, by all initial conditions",                       \
         SHOWN("tol", "%7.1e"))                                                                    \
  COLUMN(row, libess_seconds, AMOUNT, "s", "of a run so; median over the test set",                \
         SHOWN("s", "%8.2e"))                                                                      \
  COLUMN(row, libess_error, AMOUNT, "", "there")                                                   \
  COLUMN(row, libess_evaluations, AMOUNT, "", "of the field", SHOWN("fields", "%6.0f"))            \
  COLUMN(row, plain_base, TEXT, "",                                                                \
         "the cheapest step method without guards, by all initial conditions")                     \
  COLUMN(row, plain_seconds, AMOUNT, "s",                                                          \
         "of libess on the same right-hand side without guards; median over the test set")         \
  COLUMN(row, plain_error, AMOUNT, "", "there")                                                    \
  COLUMN(row, plain_evaluations, AMOUNT, "", "of its field")                                       \
  COLUMN(row, mujoco_over_libess, AMOUNT, "",                                                      \
         "in time: median of the quotients, by initial condition, over the test set",              \
         SHOWN("ratio", "%6.2f"))                                                                  \
  COLUMN(row, mujoco_over_libess_low, AMOUNT, "",                                                  \
         "from here to the next a second run has it in 95 of 100; not known below five initial "   \
         "conditions",                                                                             \
         SHOWN("from", "%6.2f"))                                                                   \
  COLUMN(row, mujoco_over_libess_high, AMOUNT, "", "as above", SHOWN("to", "%6.2f"))               \
  COLUMN(row, plain_over_libess, AMOUNT, "", "in time, likewise", SHOWN("plain", "%6.2f"))         \
  COLUMN(row, plain_over_libess_low, AMOUNT, "", "as above")                                       \
  COLUMN(row, plain_over_libess_high, AMOUNT, "", "as above")                                      \
  COLUMN(row, held_out, COUNT, "",                                                                 \
         "initial conditions for which MuJoCo's time over libess's is known, each with settings "  \
         "chosen by the "                                                                          \
         "others; of a single one, by itself")                                                     \
  COLUMN(row, best_over_libess, AMOUNT, "",                                                        \
         "in time, likewise: MuJoCo by its cheapest integrator and step, also where the error is " \
         "that of the model's own")                                                                \
  COLUMN(row, best_over_libess_low, AMOUNT, "", "as above")                                        \
  COLUMN(row, best_over_libess_high, AMOUNT, "", "as above")
TAKEN_ROW(robot_reach_row, ROBOT_REACH_COLUMNS);

#define ROBOT_HELD_OUT_COLUMNS(COLUMN, row)                                                        \
  COLUMN(                                                                                          \
      row, rms_error, AMOUNT, "",                                                                  \
      "asked for; where it is that of the model's own setting, by the other initial conditions")   \
  COLUMN(row, own, FLAG, "", "whether it is")                                                      \
  COLUMN(row, start, COUNT, "", "its number")                                                      \
  COLUMN(row, process, COUNT, "", "that ran it")                                                   \
  COLUMN(row, variant, TEXT, "", "MuJoCo's cheapest integrator, by the other initial conditions")  \
  COLUMN(row, time_step, AMOUNT, "s", "its step, likewise")                                        \
  COLUMN(row, mujoco_seconds, AMOUNT, "s", "of a run so from this initial condition")              \
  COLUMN(row, mujoco_error, AMOUNT, "", "of it")                                                   \
  COLUMN(row, libess_base, TEXT, "",                                                               \
         "libess's cheapest step method, by the other initial conditions")                         \
  COLUMN(row, tolerance, AMOUNT, "", "of libess, by the other initial conditions")                 \
  COLUMN(row, libess_seconds, AMOUNT, "s", "of a run so from this initial condition")              \
  COLUMN(row, libess_error, AMOUNT, "", "of it")                                                   \
  COLUMN(row, libess_evaluations, AMOUNT, "", "of the field")                                      \
  COLUMN(row, plain_base, TEXT, "",                                                                \
         "the cheapest step method without guards, by the other initial conditions")               \
  COLUMN(row, plain_tolerance, AMOUNT, "",                                                         \
         "of libess without guards, by the other initial conditions")                              \
  COLUMN(row, plain_seconds, AMOUNT, "s", "of a run so from this initial condition")               \
  COLUMN(row, plain_error, AMOUNT, "", "of it")                                                    \
  COLUMN(row, plain_evaluations, AMOUNT, "", "of its field")                                       \
  COLUMN(row, mujoco_over_libess, AMOUNT, "", "in time")                                           \
  COLUMN(row, plain_over_libess, AMOUNT, "", "in time")                                            \
  COLUMN(row, best_over_libess, AMOUNT, "",                                                        \
         "in time: MuJoCo by its cheapest setting, by the other initial conditions")
TAKEN_ROW(robot_held_out, ROBOT_HELD_OUT_COLUMNS);

/* An entry. */
#define ROBOT_RUN_COLUMNS(COLUMN, row)                                                             \
  COLUMN(row, number, COUNT, "", "of the entry, from 0: the reference")                            \
  COLUMN(row, who, TEXT, "", "MuJoCo, libess or plain; or reference")                              \
  COLUMN(row, method, TEXT, "", "MuJoCo's integrator; libess's base")                              \
  COLUMN(row, knob, AMOUNT, "", "time step, s; tolerance")                                         \
  COLUMN(row, own, FLAG, "", "whether both are the model's own")
COLUMN_ROW(robot_run_row, ROBOT_RUN_COLUMNS);

/* A setting for a target error: between two entries, or one of them. */
#define ROBOT_CHOICE_COLUMNS(COLUMN, row)                                                          \
  COLUMN(row, target, COUNT, "", "number of the target")                                           \
  COLUMN(row, error, AMOUNT, "", "asked for")                                                      \
  COLUMN(row, own, FLAG, "", "whether it is that of the model's own setting")                      \
  COLUMN(row, start, NUMBER, "", "held out of the choice; not known: none is")                     \
  COLUMN(row, who, TEXT, "", "MuJoCo, libess, plain; or best, MuJoCo's cheapest")                  \
  COLUMN(row, method, TEXT, "", "its integrator or base; empty: none reaches the error")           \
  COLUMN(row, knob, AMOUNT, "", "its time step, s, or tolerance")                                  \
  COLUMN(row, coarse, COUNT, "", "the entry before it; 0: none reaches the error")                 \
  COLUMN(row, fine, COUNT, "", "the entry behind it, or the same")                                 \
  COLUMN(row, share, NUMBER, "", "of the way from one to the other, by the logarithms")
COLUMN_ROW(robot_choice_row, ROBOT_CHOICE_COLUMNS);

#define ROBOT_TOUCHDOWN_COLUMNS(COLUMN, row)                                                       \
  COLUMN(row, time, AMOUNT, "s", "in the reference from the first initial condition",              \
         SHOWN("time, s", "%9.6f"))                                                                \
  COLUMN(row, foot, TEXT, "", "what touches what", SHOWN("touch-down", "%s"))
COLUMN_ROW(robot_touchdown_row, ROBOT_TOUCHDOWN_COLUMNS);

/* ---- robot_race_rows.c: tables, and the screen ----------------------------------------------- */

/* Laps with their entries, columns, and what the tables of the study are of. */
extern const char robot_laps_sql[], robot_top_sql[], robot_held_out_sql[], robot_reach_sql[],
    robot_orders_sql[];
extern const column robot_fact_columns[], robot_top_columns[], robot_mujoco_columns[],
    robot_libess_columns[];

/* Adds the settings that are chosen for each target error, by all starts and by those that are not
 * held out. 0, or -1 with one line. */
int robot_choose(study_run *run);

void robot_show(const study_run *run);

#endif
