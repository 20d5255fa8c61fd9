/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How wrong MuJoCo's trajectories of a robot are, and what right ones cost: a reference with an
 * error of its own, and what is run against it from every start. */
#ifndef ROBOT_STUDY_H
#define ROBOT_STUDY_H

#include "gather.h"
#include "robot_cost.h"
#include "robot_follow.h"
#include "robot_off.h"
#include "robot_starts.h"
#include "robot_steps.h"

typedef struct robot_settings {
  double time, output_step, height, tilt, period, reference, check_step, budget;
  size_t starts;
  option_numbers time_steps, tolerances;
  option_names integrators, bases;
  const char *qpos, *control, *without;
  bool all;                   /* tables: the whole screen */
  bool derivative;            /* another study is asked for */
  const char *twin, *written; /* its stiffness and damping; a file; NULL: none */
} robot_settings;

/* robot_bases by ess_base */
extern const char *const robot_integrators[], *const robot_bases[], *const robot_fourth_order;

/* ---- what runs from each start --------------------------------------------------------------- */

typedef enum robot_kind { ROBOT_REFERENCE, ROBOT_MUJOCO, ROBOT_LIBESS, ROBOT_PLAIN } robot_kind;

/* One run of a start: MuJoCo at a time step, or libess at a tolerance, with guards or without. */
struct robot_entry {
  robot_kind kind;
  const char *variant; /* MuJoCo's integrator; libess's base, one of robot_bases */
  double knob;         /* time step, or tolerance */
  bool own;            /* the model's own integrator and step */
};

enum { ROBOT_ENTRIES_MAX = 512 };

/* What the process has of the model. */
typedef struct robot_case {
  robot *robot;
  robot_steps *steps;
  robot_controls controls;
  robot_sizes size;
  bool refuses;                   /* some of its contacts are refused */
  size_t follows;                 /* pairs of geoms whose contacts are followed */
  double output_step;             /* between output times */
  size_t outputs;                 /* of them, the start among them */
  size_t *hinge, hinges;          /* the states that are angles of hinges; owned */
  double twin_gap, twin_text_gap; /* NaN: it is no twin */
  bool falls;                     /* something in it can be raised */
  double broken;                  /* the most that the first start breaks an equality by */
  char warning[640];              /* a line on what will end early; may be empty */
  size_t entries;
  robot_entry entry[ROBOT_ENTRIES_MAX]; /* the reference first */
} robot_case;

/* What one of them gave; the rows of a cell are in the order of the entries. */
typedef struct robot_sample {
  size_t start;
  robot_error error;
  double seconds, evaluations, steps;
  const char *note; /* why there are no numbers, or fewer */

  /* of the reference */
  double until, growth, touchdowns, jumps, refused;
  robot_error tolerances, mujoco; /* how far libess at a looser tolerance is from it, and MuJoCo */
  robot_error estimate;           /* the larger of both */
  const char *status, *contact;
  double check_step; /* of MuJoCo's RK4 that it is checked by, s */
  double size;       /* of its states */
} robot_sample;

extern const column robot_sample_columns[];

/* Without numbers, and why. */
robot_sample robot_sample_unknown(size_t start, const char *note);

/* robot_case.c: opens the file that the study is given, and reads what else is asked for. 0, or a
 * solver_status with one line. */
int robot_case_open(study_run *run);
void robot_case_close(study_run *run);

/* robot_outlook.c: before anything is measured. Where nothing moves, or the reference would end at
 * 0 from every start, a solver_status with one line; where it would end early, a warning. */
int robot_outlook(study_run *run);

/* From x0: a line on how far MuJoCo is off, by a loose tolerance, where even that takes its time.
 * 0, or -1 with one line. */
int robot_coarse(study_run *run, const double x0[]);

/* ---- the reference: robot_reference.c -------------------------------------------------------- */

/* The reference from x0, and how far libess at ten times its tolerance is from it. 0, or -1. */
int robot_reference(study_run *run, const double x0[], bool listen, robot_track *t, size_t *count,
                    robot_sample *s);

/* How much a disturbance of 1e-8 of the velocities grows, at most, by MuJoCo's steps: forwards or
 * backwards, whichever is less. */
int robot_growth(study_run *run, const double x0[], size_t count, double *growth);

/* ---- the race: robot_race.c ------------------------------------------------------------------ */

/* All entries but the reference from x0, against it over its first `count` outputs, where all of
 * them end, so that their times are of the same motion: into sample[1] and behind; sample[0], which
 * is the reference's own, learns how far MuJoCo is from it. 0, or -1 with one line. */
int robot_race(study_run *run, const double x0[], const robot_track *of, size_t count,
               robot_sample sample[]);

/* ---- what a field costs: robot_bounds.c ------------------------------------------------------ */

/* Along the first start's fall; NaN where that is not known. */
typedef struct robot_bounds {
  robot_cost cost;
  double radius;      /* of the spectrum of the field's Jacobian, 1/s, the mean */
  double evaluations; /* a second, of dopri5 where that alone sets its steps */
} robot_bounds;

/* 0, or -1 with one line. */
int robot_measure_bounds(study_run *run, robot_bounds *b);

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
  ROBOT_PATHS
};

/* robot_cell.c: a cell, which is the number of a start. 0, or -1 with one line. */
int robot_measure(study_run *run, const void *cell);

/* robot_derive.c; robot_reach.c: what reaches an error; robot_paths.c: the rows of the first
 * start's runs. 0, or -1 with one line. */
int robot_derive(study_run *run);
int robot_derive_reach(study_run *run);
int robot_derive_paths(study_run *run);

/* robot_medians.c: the runs of an entry from all starts; and the reference's error by them. */
gather robot_starts_of(study_run *run, size_t entry);
double robot_estimate(study_run *run);

/* An error is known where it is so many times the reference's. */
extern const double robot_known_from;

typedef struct robot_top {
  const char *file, *pose;
  robot_sizes sizes;
  size_t reached;
  double growth, twin_gap, twin_text_gap, broken;
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

/* medians over the starts */
#define ROBOT_ERROR_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, rms_error, AMOUNT, "",                                                               \
         "against the reference: root mean square over positions, quaternions normalised, and "    \
         "velocities, in SI units mixed, over the output times; median over the starts")           \
  COLUMN(row, rms_low, AMOUNT, "", "its lower quartile")                                           \
  COLUMN(row, rms_high, AMOUNT, "", "its upper quartile")                                          \
  COLUMN(row, position_error, AMOUNT, "m", "of the bodies' origins, root mean square; median")     \
  COLUMN(row, hinge_error, AMOUNT, "rad", "of the hinges' angles, root mean square; median")       \
  COLUMN(row, seconds, AMOUNT, "s", "wall time of a run; median")                                  \
  COLUMN(row, estimate, AMOUNT, "", "error of the reference, below which nothing is claimed")      \
  COLUMN(row, known, COUNT, "", "starts that it has numbers of")                                   \
  COLUMN(row, note, TEXT, "", "why there are none of others")

#define ROBOT_MUJOCO_COLUMNS(COLUMN, row)                                                          \
  COLUMN(row, variant, TEXT, "", "MuJoCo's integrator")                                            \
  COLUMN(row, time_step, AMOUNT, "s", "of mj_step")                                                \
  COLUMN(row, own, FLAG, "", "whether both are the model's own")                                   \
  ROBOT_ERROR_COLUMNS(COLUMN, row)
COLUMN_ROW(robot_mujoco_row, ROBOT_MUJOCO_COLUMNS);

#define ROBOT_LIBESS_COLUMNS(COLUMN, row)                                                          \
  COLUMN(row, base, TEXT, "", "how steps are made: one of --base")                                 \
  COLUMN(row, tolerance, AMOUNT, "", "rtol = atol")                                                \
  ROBOT_ERROR_COLUMNS(COLUMN, row)                                                                 \
  COLUMN(row, evaluations, AMOUNT, "", "of the field; median")
COLUMN_ROW(robot_libess_row, ROBOT_LIBESS_COLUMNS);

#define ROBOT_ORDER_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, variant, TEXT, "", "MuJoCo's integrator", SHOWN("integrator", "%-12s"))              \
  COLUMN(row, order, NUMBER, "",                                                                   \
         "slope of the logarithms: median errors over time steps of at most 2 ms, as far as they " \
         "are above three times the estimate",                                                     \
         SHOWN("order", "%6.2f"))                                                                  \
  COLUMN(row, interval, INTERVAL, "", "of the order, 95 %", .place = COLUMN_JSON_ONLY)             \
  COLUMN(row, time_steps, COUNT, "", "that it is seen over", SHOWN("steps", "%6.0f"))
COLUMN_ROW(robot_order_row, ROBOT_ORDER_COLUMNS);

#define ROBOT_TIME_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, who, TEXT, "", "MuJoCo's integrator, or libess or plain, by the first of --base")    \
  COLUMN(row, knob, AMOUNT, "", "time step, s, or tolerance")                                      \
  COLUMN(row, own, FLAG, "", "whether these are the model's own")                                  \
  COLUMN(row, t, AMOUNT, "s", "time")                                                              \
  COLUMN(row, rms_error, AMOUNT, "", "of positions and velocities at that time, first start")
COLUMN_ROW(robot_time_row, ROBOT_TIME_COLUMNS);

#define ROBOT_PATH_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, t, AMOUNT, "s", "time")                                                              \
  COLUMN(row, state, TEXT, "", "joint, or d joint for its velocity")                               \
  COLUMN(row, unit, TEXT, "", "of the state; empty where it has none")                             \
  COLUMN(row, parts, FLAG, "",                                                                     \
         "whether it is the state that MuJoCo at its own step gets most wrong, over its range")    \
  COLUMN(row, reference, NUMBER, "", "first start")                                                \
  COLUMN(row, mujoco, NUMBER, "", "by the model's own step and integrator")
COLUMN_ROW(robot_path_row, ROBOT_PATH_COLUMNS);

/* robot_switches.c: a table of what switches; a line on meshes that are not what MuJoCo collides */
void robot_show_findings(const study_run *run);
void robot_show_hulls(const study_run *run);

/* robot_show.c; robot_brief.c: its lines in mm and mrad; robot_parts.c: a part, all runs */
void robot_show_part(const char *name, const json_t *value);
void robot_show_runs(const study_run *run);
void robot_show(const study_run *run);
void robot_show_brief(const study_run *run);

#endif
