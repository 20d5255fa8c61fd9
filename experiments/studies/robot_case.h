/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A robot in a study: its file, options and initial conditions; its runs by MuJoCo's steps and by
 * libess; and how far two of them are apart. */
#ifndef ROBOT_CASE_H
#define ROBOT_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "column.h"
#include "robot_physics.h"
#include "robot_starts.h"
#include "robot_states.h"
#include "robot_steps.h"
#include "second_order.h"
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
#define ROBOT_TIME_OPTION(X, row)                                                                  \
  X(row, time, NUMBER, "time", "S", "duration of a run, s", .initial = "1", .min = 1e-3,           \
    .max = 1e3, .result = "time")
#define ROBOT_GRID_OPTIONS(X, row)                                                                 \
  ROBOT_TIME_OPTION(X, row)                                                                        \
  X(row, output_step, NUMBER, "output-step", "S",                                                  \
    "interval of the times at which states are compared, s", .initial = "0.002", .min = 1e-5,      \
    .max = 10, .result = "output_step")
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

/* Columns of the step to choose. */
#define ROBOT_STEP_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, half_by, TEXT, "",                                                                   \
         "integrator of the cheapest run tried that has at most half of the error; empty: none")   \
  COLUMN(row, half_step, AMOUNT, "s", "time step of that run")                                     \
  COLUMN(row, small_by, TEXT, "",                                                                  \
         "integrator of the cheapest run with at most 1 mm and 1 mrad, bounds added; empty: none") \
  COLUMN(row, small_step, AMOUNT, "s", "time step of that run")

/* robot_bases by ess_base; behind ROBOT_BASES of libess event-unaware solvers of order 2, by
 * second_order_scheme; and last libess's LIT that steps over events */
enum { ROBOT_BASES = ESS_BASE_LIT + 1, ROBOT_UNLOCATED = ROBOT_BASES + SECOND_ORDER_ADAMS + 1 };
extern const char *const robot_integrators[], *const robot_bases[], *const robot_fourth_order;

/* ---- a robot, and its runs ------------------------------------------------------------------- */

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

/* Members that the studies of one robot have alike. */
#define ROBOT_STUDY(operand_, cell_)                                                               \
  .group = STUDY_MECHANISMS, .operand = operand_, .own_models = true, .printable = true,           \
  .options = options, .settings_size = sizeof(robot_settings), .cell_size = sizeof(cell_)

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

#endif
