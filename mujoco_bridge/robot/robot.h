/*
 * Any MJCF as an event-selected system: the user's own model, with MuJoCo's own soft contacts,
 * friction, limits and actuators, as a field that is smooth between events and event functions that
 * say where they are.
 *
 * State: x = (qpos, qvel, act), nq + nv + na numbers, in MJCF's units. The field is that of
 * MuJoCo's equations in continuous time: what mj_step tends to as its step goes to 0, whichever
 * integrator it has. Each contact and each side of a limit has one event function, h_k > 0 while
 * it acts: the depth, which is includemargin - dist. Its latched sign, and not its depth, says
 * whether it acts. ESS_GUARD_UP(k) is a touch-down, ESS_GUARD_DOWN(k) a separation.
 *
 * Quaternions need not be of length 1: the field is that of the normalised state.
 *
 * No MuJoCo type leaves this room. The functions take MuJoCo's process-wide error and warning
 * handlers, as the rest of the bridge does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_H
#define ROBOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ess.h"

enum { ROBOT_MESSAGE_SIZE = 512, ROBOT_NAME_SIZE = 128 };

/* One model and one state of MuJoCo's machinery. Several threads take a clone each. */
typedef struct robot robot;

/* Start from a zeroed one. */
typedef struct robot_options {
  /* Contacts are exactly springs and dampers of stiffness and damping, N/m and N s/m, where
   * stiffness > 0 (twin mode). */
  double stiffness, damping;

  /* Pairs that are never to touch, in MuJoCo's model and in this one: "self", which is all pairs
   * within one robot; or names of geoms or bodies, "A,B" or "A,B,C,D". NULL: none. */
  const char *without;

  /* The keyframe that is the pose, with its velocities, activations, controls and poses of mocap
   * bodies: its name, or its number if it has none. It takes the place of keyframe 0 in the model.
   * NULL: keyframe 0. */
  const char *keyframe;

  /* A setting that is not the file's, which robot_setting_check accepts; NULL: there is none. */
  const char *setting;

  /* A model that is no field of its state is accepted, too: robot_unfit says why, its field fails,
   * and MuJoCo's own steps run. */
  bool unfit;
} robot_options;

/*
 * Reads an MJCF (or .mjb) from a file, or from `text` when that is not NULL, compiles it and finds
 * out what is event-selected in it. 0, or a solver_status with one line in `message`: SOLVER_FAILED
 * where it is no model, or none that can be written as such a system, SOLVER_REFUSED where there is
 * no file or the options are not accepted. Numbers are read in the C locale. Free with
 * robot_close, which accepts NULL.
 */
int robot_open(const char *file, const char *text, const robot_options *options, robot **out,
               char message[ROBOT_MESSAGE_SIZE]);
void robot_close(robot *r);

/* The same of a model that another has compiled (an mjModel), by this MuJoCo; it is copied. */
struct mjModel_;
int robot_open_model(const struct mjModel_ *from, robot **out, char message[ROBOT_MESSAGE_SIZE]);

/* Whether "NAME=VALUE" is a setting of MuJoCo, and whether it changes the solution in continuous
 * time: "solver=CG", "iterations=10" and "integrator=RK4" do not; "cone=elliptic", and "solref=0.02
 * 1" and "solimp=0.9 0.95 0.001" of all contacts do. 0, or a solver_status with one line. */
int robot_setting_check(const char *setting, bool *changes_model, char message[ROBOT_MESSAGE_SIZE]);

/* Usual settings that are not the model's own, by number; NULL behind the last. Static storage. */
const char *robot_setting_at(const robot *r, size_t i);

/* A number that another model than this one's has not: of all that MuJoCo compiled the file to,
 * what it includes among it. 0, or a solver_status with one line. */
int robot_content(const robot *r, uint64_t *content, char message[ROBOT_MESSAGE_SIZE]);

/* A robot of the same model with its own state, control included, for another thread. It may
 * outlive the one it was made of. NULL: out of memory. */
robot *robot_clone(const robot *r);

typedef struct robot_sizes {
  size_t nq, nv, na, nu, bodies;
  size_t dimension;       /* nq + nv + na */
  size_t events;          /* event functions */
  double time_step;       /* the model's own, s */
  double gravity[3];      /* m/s^2 */
  const char *integrator; /* the model's own, by MJCF's name; static storage */
} robot_sizes;

robot_sizes robot_size(const robot *r);

/* What the model calls itself; "" where it does not. The robot's. */
const char *robot_model_name(const robot *r);

/* Why the model is no field of its state; NULL where it is one. The robot's. */
const char *robot_unfit(const robot *r);

/* Whether anything that does not move may touch what does: a floor, a table, a wall. */
bool robot_has_ground(const robot *r);

/* Whether an error of a body, or of the joint that state k is a position of, says anything: a body
 * without mass, or without a contact in a model whose bodies have some, is a target or a marker. */
bool robot_body_counts(const robot *r, size_t body);
bool robot_state_counts(const robot *r, size_t k);

/* Distances that MuJoCo searches for, and forces of constraints, are as exact as a run at this
 * tolerance needs them. Before the first call forces are exact to rounding. */
void robot_set_precision(robot *r, double tolerance);

/*
 * The system: field, event functions with their rates, field_solve, and robot_plain_field for runs
 * that step over events (ess_options.locate; a twin has resets, which refuse that). It is the
 * robot's and lives as long; a driver of it must not run in two threads at once. A callback that
 * fails has said why in robot_failure.
 */
const ess_system *robot_system(robot *r);

/* A twin as an MJCF, which compiles to it but for the mass d/((1-d) A) that each contact adds,
 * since an MJCF cannot say what that is divided by; NULL: r is no twin. The robot's. */
const char *robot_twin_text(const robot *r);

/* Stiffness and damping of a twin from "K,C", numbers in the C locale. 0,
 * or SOLVER_REFUSED with one line. */
int robot_options_twin(const char *text, robot_options *out, char message[ROBOT_MESSAGE_SIZE]);

/* Saves a twin: its text, or, where the name ends in .mjb, the model as MuJoCo's binary, which has
 * the scaling, too. 0, or a solver_status with one line. */
int robot_save(const robot *r, const char *file, char message[ROBOT_MESSAGE_SIZE]);

/* RMS of the difference in rates of positions and in accelerations, over the field's RMS. */
typedef struct robot_twin_gaps {
  double field;            /* of the twin's field from MuJoCo's */
  double text;             /* of the twin's field from what the bare text compiles to */
  size_t states, touching; /* compared; of them with a contact */
} robot_twin_gaps;

/* Compares them at 200 states along the motion from x0, velocities changed at random. 0, or a
 * solver_status with one line. */
int robot_twin_gap(robot *r, const double x0[], unsigned long seed, robot_twin_gaps *out,
                   char message[ROBOT_MESSAGE_SIZE]);

/* One line for why the latest callback failed (MuJoCo's own words, or two geoms that touch without
 * a rule for their distance); empty when none has. */
const char *robot_failure(const robot *r);

/* ---- what is event-selected in it ------------------------------------------------------------ */

typedef enum robot_treatment {
  ROBOT_SMOOTH,   /* nothing switches */
  ROBOT_GUARDED,  /* event functions say where it switches */
  ROBOT_KINK,     /* it switches, and nothing says where: the field has a kink there */
  ROBOT_FOLLOWED, /* an event function says when it touches; its points, MuJoCo's own, may jump */
  ROBOT_REFUSED,  /* the field fails where it acts, by an event function too */
  ROBOT_LEFT_OUT  /* by options.without */
} robot_treatment;

typedef struct robot_finding {
  robot_treatment treatment;
  const char *kind; /* "contact", "joint limit", "tendon limit", "friction", "force limit", ... */
  char name[ROBOT_NAME_SIZE]; /* what it concerns: "floor - left_foot", "hip", "12 contacts" */
  const char *why;            /* one line for people; static storage */
  size_t first_event, events; /* its event functions: first_event .. first_event + events - 1 */
} robot_finding;

size_t robot_finding_count(const robot *r);
const robot_finding *robot_findings(const robot *r);

/* The first pair that is refused (ROBOT_REFUSED) and touches at x; NULL when none does. */
const robot_finding *robot_refused_contact(robot *r, const double x[]);

/* Where a pair that is followed (ROBOT_FOLLOWED) touches: how many points, their mean as each of
 * the two geoms sees it, and the least of their distances. */
typedef struct robot_points {
  size_t count;
  double mean[2][3];
  double dist;
} robot_points;

/* Pairs whose points have jumped from one state to another, and the largest change of the distance
 * of one of them, m, in which the motion between the states is included. */
typedef struct robot_point_jumps {
  size_t count;
  double dist;
} robot_point_jumps;

size_t robot_followed_pairs(const robot *r);

/*
 * Notes the points at x in now[robot_followed_pairs], and finds the pairs whose points have jumped
 * since the state that `now` is of (all 0: before the first): which touched there and touch here,
 * but with another number of points, or elsewhere on both geoms. 0, or -1 as a callback.
 */
int robot_points_jumped(robot *r, const double x[], robot_points now[], robot_point_jumps *jumps);

/* What event function k is of: "floor - left_foot, end 2", "hip upper". The robot's. */
const char *robot_event_name(const robot *r, size_t k);

/* What actuator i is called; "unnamed" where it is not. The robot's. */
const char *robot_actuator_name(const robot *r, size_t i);

/* Whether event function k is of a contact (a touch-down), not of a limit; and of two geoms of one
 * robot. */
bool robot_event_is_contact(const robot *r, size_t k);
bool robot_event_is_within(const robot *r, size_t k);

/* ---- state ----------------------------------------------------------------------------------- */

/* ctrl[nu], held until set again; 0 at first. A driver must be told (ess_driver_reset or a new
 * one) only if it is not at the end of an apply. */
void robot_set_control(robot *r, const double ctrl[]);

/* Forgets what earlier calls have left, such as where the search for forces began: from one state
 * runs are then the same, whatever came before. The control stays. */
void robot_forget(robot *r);

/* The state that MuJoCo resets to (qpos0), and keyframe k, of which 0 is robot_options.keyframe;
 * false where there is none. */
void robot_reset_state(const robot *r, double x[]);
bool robot_keyframe(const robot *r, size_t k, double x[]);

/* Makes the quaternions of x[dimension] unit ones. */
void robot_normalise(const robot *r, double x[]);

/* Origins of all bodies, the world's first: xpos[3 * bodies]. 0, or -1 as a callback. */
int robot_body_positions(robot *r, const double x[], double xpos[]);

/* ---- the gate and the cost ------------------------------------------------------------------- */

/*
 * The field as MuJoCo itself has it: mj_forward at x with nothing latched, on the model as it was
 * compiled; dxdt[dimension]. 0, or -1 with the reason in robot_failure.
 */
int robot_plain_field(robot *r, const double x[], double dxdt[]);

/* Of that field, in place of v[dimension], (1 - c W)^-1 v at x, as of the system (field_solve). 0,
 * or -1 with the reason in robot_failure. */
int robot_plain_solve(robot *r, const double x[], double c, double v[]);

#endif
