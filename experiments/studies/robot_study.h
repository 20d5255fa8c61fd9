/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How wrong MuJoCo's trajectories of a robot are, and what right ones cost: a reference with an
 * error of its own, and what is run against it from every start. */
#ifndef ROBOT_STUDY_H
#define ROBOT_STUDY_H

#include <stdbool.h>
#include <stddef.h>

#include "column.h"
#include "robot_cost.h"
#include "robot_physics.h"
#include "robot_starts.h"
#include "robot_states.h"
#include "robot_steps.h"
#include "study.h"

typedef struct robot_settings {
  double time, output_step, height, tilt, period, reference, check_step, budget,
      reference_budget; /* 0: six times the budget */
  size_t starts;
  option_numbers time_steps, tolerances;
  option_names integrators, bases;
  const char *qpos, *keyframe, *states, *control, *pd, *without;
  bool own;     /* the error of the model's own setting alone is asked for */
  bool all;     /* tables: the whole screen */
  bool race;    /* another study is asked for */
  bool compare; /* another study is asked for, which alone has the next */
  const char *settings;
  bool derivative; /* another study is asked for, which alone has the next two */
  size_t halvings;
  option_numbers moves;
  const char *twin, *written; /* its stiffness and damping; a file; NULL: none */
} robot_settings;

/* Options of all studies of a robot. */
#define ROBOT_START_OPTIONS(X, row)                                                                \
  X(row, qpos, TEXT, "qpos", "X,Y",                                                                \
    "pose on which initial conditions are based (default: keyframe 0, else init_qpos, else "       \
    "qpos0)",                                                                                      \
    .result = "qpos")                                                                              \
  X(row, keyframe, TEXT, "keyframe", "NAME",                                                       \
    "keyframe that is the initial condition, with its velocities, activations, controls and "      \
    "mocap "                                                                                       \
    "bodies (default: keyframe 0, raised and tilted)",                                             \
    .result = "keyframe")                                                                          \
  X(row, height, NUMBER, "height", "M",                                                            \
    "height by which free bodies are raised, m (default: 0.05; 0 with --keyframe)", .min = -1e3,   \
    .max = 1e3, .may_lack = true, .result = "height")                                              \
  X(row, tilt, NUMBER, "tilt", "RAD",                                                              \
    "tilt of the first free body, rad (default: 0.1; 0 with --keyframe)", .min = -4, .max = 4,     \
    .may_lack = true, .result = "tilt")                                                            \
  X(row, control, TEXT, "ctrl", "X,Y|FILE",                                                        \
    "controls: constant numbers, or a csv with a row for each period (default: those of "          \
    "keyframe 0, else 0)",                                                                         \
    .result = "ctrl")                                                                              \
  X(row, period, NUMBER, "period", "S",                                                            \
    "control period, for which each row of --ctrl is held, s (default 0.02)", .min = 1e-4,         \
    .max = 1e3)                                                                                    \
  X(row, twin, TEXT, "twin", "K,C",                                                                \
    "replace contacts by springs and dampers of K N/m and C N s/m, in both engines (default: "     \
    "MuJoCo's contacts)",                                                                          \
    .result = "twin")                                                                              \
  X(row, without, TEXT, "without", "A,B|self",                                                     \
    "exclude contacts between these geoms or bodies, in both engines; self: between all of one "   \
    "robot (default: none)",                                                                       \
    .result = "without")

/* robot_bases by ess_base, and behind ROBOT_BASES of libess event-unaware solvers of order 2, by
 * second_order_scheme */
enum { ROBOT_BASES = ESS_BASE_ROS2 + 1 };
extern const char *const robot_integrators[], *const robot_bases[], *const robot_fourth_order;

/* ---- robot_run.c: a robot, and its runs ------------------------------------------------------ */

typedef enum robot_kind { ROBOT_REFERENCE, ROBOT_MUJOCO, ROBOT_LIBESS, ROBOT_PLAIN } robot_kind;

/* One run of a start: MuJoCo at a time step, or libess at a tolerance, with guards or without. */
typedef struct robot_entry {
  robot_kind kind;
  const char *variant; /* MuJoCo's integrator; libess's base, one of robot_bases */
  double knob;         /* time step, or tolerance */
  bool own;            /* the model's own integrator and step */
} robot_entry;

enum { ROBOT_ENTRIES_MAX = 512 };

/* What the process has of the model. */
typedef struct robot_case {
  robot *robot;
  robot_steps *steps;
  robot_controls controls;
  robot_held held;     /* by the present run of libess */
  robot_states states; /* of --states */
  robot_sizes size;
  bool refuses;                   /* some of its contacts are refused */
  size_t follows;                 /* pairs of geoms whose contacts are followed */
  double output_step;             /* between output times */
  size_t outputs;                 /* of them, the start among them */
  size_t *hinge, hinges;          /* the states that are angles of hinges; owned */
  size_t *body, bodies;           /* those whose errors count; owned */
  double twin_gap, twin_text_gap; /* NaN: it is no twin */
  size_t starts;                  /* initial conditions that there are */
  bool falls;                     /* something in it can be raised */
  double broken;                  /* the most that the first start breaks an equality by */
  char warning[640];              /* a line on what will end early; may be empty */
  size_t entries;
  robot_entry entry[ROBOT_ENTRIES_MAX]; /* the reference first */
} robot_case;

/* Opens the file that the study is given, and reads what else is asked for; with `unfit` also a
 * model that only MuJoCo's steps can run. 0, or a solver_status with one line. */
int robot_case_open(study_run *run, bool unfit);
/* The same with a setting of MuJoCo that is not the file's; NULL: there is none. */
int robot_case_open_with(study_run *run, bool unfit, const char *setting);
/* How long a row of the controls is held, s; NaN: there is one alone. */
double robot_period(const robot_case *c);
void robot_case_close(study_run *run);

/* One of its starts, x[dimension]. 0, or a solver_status with one line. */
int robot_start_of(study_run *run, size_t number, double x[]);

/* The height and tilt of initial conditions: a keyframe that is asked for is taken as it is. */
double robot_height(const robot_settings *s);
double robot_tilt(const robot_settings *s);

/* Before anything is measured. Of a study in which something `moves`: where nothing does, a
 * solver_status with one line. Of one that `stops` where its reference ends: the same where that is
 * at 0 from every initial condition, and a warning where it is early. */
int robot_outlook(study_run *run, bool stops, bool moves);

/* From x0: a line on how far MuJoCo is off, by a loose tolerance, where even that takes its time.
 * 0, or -1 with one line. */
int robot_coarse(study_run *run, const double x0[]);

/* An error by three measures, each a root mean square over the output times. NaN: not known. */
typedef struct robot_error {
  double states; /* positions and velocities, in SI units mixed */
  double bodies; /* their origins, m */
  double hinges; /* their angles, rad; NaN where there are none, too */
} robot_error;

/* A touch-down, or a limit that begins to act. */
typedef struct robot_touch {
  double time;
  size_t event;
} robot_touch;

/* What a run did, on the output times. */
typedef struct robot_track {
  double most_steps;  /* of libess: so many, whatever time they take; 0: --budget ends the run */
  double most_s;      /* of the thread's own time, where that is less than --budget; 0: it is not */
  bool goes_on;       /* libess goes on without event functions where it ends with them */
  size_t asked;       /* outputs that it is to reach: all, unless set to fewer */
  double *states;     /* [outputs * dimension]; owned */
  double *times;      /* [outputs] that libess is asked for; owned */
  bool *at_end;       /* [outputs]: MuJoCo's states that are no interpolation; owned */
  size_t reached;     /* outputs that are there */
  double until;       /* the time reached */
  const char *status; /* "success", or why it ended, of the run's texts */
  size_t event;       /* the event function concerned; SIZE_MAX: none */
  double unguarded;   /* from when on there are no event functions; NaN: there always are */
  const char *gave_up; /* why; "" */
  double seconds, evaluations, steps, refused;
  double jumps, jump_dist; /* of a reference's followed points, and the largest, m; else 0 */
  robot_touch *touch;      /* touch-downs in the order of time, where asked for; owned */
  size_t touches, room;
  double *stop; /* times of all crossings, ends of contacts among them, where asked for; owned */
  size_t stops, stop_room;
} robot_track;

/* Room for a run. 0, or -1 with one line. Free with robot_track_free, which accepts a zeroed one.
 */
int robot_track_alloc(study_run *run, robot_track *t);
void robot_track_free(robot_track *t);

/* Runs an entry from x0. With `listen`, touch-downs and crossings are listed. 0, also where it
 * ended early; or -1 with one line. */
int robot_follow(study_run *run, const robot_entry *e, const double x0[], bool listen,
                 robot_track *t);

/* The same by MuJoCo's steps. They are short where the track `along` has
 * crossings, and then solve for constraints' forces to rounding; NULL: steps of one size, as the
 * model is. */
int robot_follow_steps(study_run *run, const robot_entry *e, const double x0[],
                       const robot_track *along, robot_track *t);

/* How many of the points that are followed, of `follows` pairs, have jumped by x, and by how much
 * at most: each a jump of the field, and no event function says when. None where they are NULL. */
robot_point_jumps robot_jumps(const study_run *run, const double x[], robot_points points[]);

/* Root mean square of a track's positions and velocities over its first `count`
 * outputs. */
double robot_track_size(const study_run *run, const robot_track *t, size_t count);

/* What is between two tracks over the first `count` outputs, as far as `t` has states of its own
 * there; all NaN where `t` did not get so far. */
robot_error robot_apart(const study_run *run, const robot_track *t, const robot_track *of,
                        size_t count);

/* Of two errors the smaller one, and the larger one, each measure by itself: a measure that is not
 * known is none of the smaller, and is that of the larger. */
robot_error robot_error_smaller(robot_error a, robot_error b);
robot_error robot_error_larger(robot_error a, robot_error b);
extern const robot_error robot_error_unknown;

/* Whether a track's states between the ends of steps count, too: where hardly any of the first
 * `count` outputs is such an end. */
bool robot_counts_all(const robot_track *t, size_t count);

/* Root mean square over positions and velocities at one output time. */
double robot_apart_at(const study_run *run, const robot_track *t, const robot_track *of, size_t i);

/* The modulus of the largest eigenvalue of the field's Jacobian, 1/s, the mean over every 25th of
 * so many states; NaN where it is not known. */
double robot_spectral_radius(study_run *run, const double states[], size_t count);

/* ---- robot_study.c: what is measured --------------------------------------------------------- */

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

extern const column robot_sample_columns[];

/* Without numbers, and why. */
robot_sample robot_sample_unknown(size_t start, const char *note);

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

/* ---- robot_derive.c, robot_show.c: what samples say, on a screen, too ------------------------ */

/* The rows that no query can say: the entries, the choices, the first start over time. 0, or -1
 * with one line. */
int robot_derive(study_run *run);

/* Laps with their entries, and what the tables of the study are of. */
extern const char robot_laps_sql[], robot_top_sql[], robot_held_out_sql[], robot_reach_sql[],
    robot_orders_sql[];

void robot_show(const study_run *run);

#endif
