/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How wrong derivatives of a robot's trajectory by its start are: MuJoCo's, by matrices of its
 * steps and by differences of its runs, against tangents of libess. */
#ifndef ROBOT_AUDIT_H
#define ROBOT_AUDIT_H

#include "robot_study.h"

typedef struct audit_settings {
  robot_settings robot; /* first: what opens a robot's case reads it */
  size_t halvings;
  option_numbers moves;
} audit_settings;

/* Derivatives of the state at the output times by the start, in directions (robot_directions): a
 * matrix each, row-major. That at the start is none. */
typedef struct audit_path {
  size_t n;         /* directions */
  size_t reached;   /* output times that it gets to, the start among them */
  double *matrix;   /* [outputs * n * n]; owned */
  double until;     /* where it ends */
  const char *note; /* why there; "": it is the end */
} audit_path;

/* Room for one. 0, or -1 with one line. Free with audit_path_free, which accepts a zeroed one. */
int audit_path_alloc(study_run *run, audit_path *p);
void audit_path_free(audit_path *p);

/* ---- samples --------------------------------------------------------------------------------- */

/* What a sample is of. */
extern const char *const audit_end, *const audit_event, *const audit_error;

/* Who a derivative is by, and how. */
extern const char *const audit_libess, *const audit_mujoco;
extern const char *const audit_tangents, *const audit_transitions, *const audit_differences;

typedef struct audit_sample {
  const char *kind, *who, *way, *integrator, *note;
  double step, move, t, error;
} audit_sample;

/* An event function that is crossed, into the samples. */
int audit_add_event(study_run *run, double t, const char *name, bool begins);

/* ---- ways to find one: each 0, also where it ended early, or -1 with one line -----------------
 */

/* robot_audit_exact.c: tangents of libess at a tolerance. With `listen` events become samples. They
 * end where no derivative is, or more than one. */
int audit_find_tangents(study_run *run, const double x0[], double tolerance, bool listen,
                        audit_path *p);

/* robot_audit_ways.c: the product of the matrices that mjd_transitionFD has of MuJoCo's steps. */
int audit_find_transitions(study_run *run, const double x0[], const robot_entry *e, double move,
                           audit_path *p);

/* Central differences of whole runs of an entry, whose start is moved by so much. */
int audit_find_differences(study_run *run, const double x0[], const robot_entry *e, double move,
                           audit_path *p);

/* ---- rows ------------------------------------------------------------------------------------ */

enum { AUDIT_SAMPLES = STUDY_SAMPLES, AUDIT_TOP, AUDIT_TIMES, AUDIT_ERRORS, AUDIT_EVENTS };

#define AUDIT_TOP_COLUMNS(COLUMN, row)                                                             \
  COLUMN(row, file, TEXT, "", "the model, as given")                                               \
  COLUMN(row, pose, TEXT, "", "that the start is made of: qpos, keyframe 0, init_qpos or qpos0")   \
  COLUMN(row, directions, COUNT, "", "rows and columns of the derivative: 2 nv + na")              \
  COLUMN(row, events, COUNT, "", "event functions")                                                \
  COLUMN(row, time_step, AMOUNT, "s", "the model's own")                                           \
  COLUMN(row, integrator, TEXT, "", "the model's own")                                             \
  COLUMN(row, audited, AMOUNT, "s", "the last time at which derivatives are compared")             \
  COLUMN(row, until, AMOUNT, "s", "where there is no derivative, or the end")                      \
  COLUMN(row, status, TEXT, "", "why there is none from there on, or success")                     \
  COLUMN(row, verdict, TEXT, "", "how wrong MuJoCo's derivative is, in a sentence")
COLUMN_ROW(audit_top, AUDIT_TOP_COLUMNS);

#define AUDIT_TIME_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, t, AMOUNT, "s", "time")                                                              \
  COLUMN(row, tolerances_apart, AMOUNT, "",                                                        \
         "of libess's tangents, from those at ten times the tolerance")                            \
  COLUMN(row, differences_apart, AMOUNT, "",                                                       \
         "of libess's tangents, from central differences of its own runs")                         \
  COLUMN(row, estimate, AMOUNT, "", "of the error of libess's tangents: the larger of the two")
COLUMN_ROW(audit_time, AUDIT_TIME_COLUMNS);

#define AUDIT_ERROR_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, who, TEXT, "", "MuJoCo or libess")                                                   \
  COLUMN(row, way, TEXT, "",                                                                       \
         "transitions: the product of the matrices of mjd_transitionFD; differences: of whole "    \
         "runs, central; tangents: libess's at ten times its tolerance")                           \
  COLUMN(row, integrator, TEXT, "",                                                                \
         "MuJoCo's: the model's own, but Euler where that has no transitions; or libess's base")   \
  COLUMN(row, step, AMOUNT, "s", "of mj_step")                                                     \
  COLUMN(row, own, FLAG, "", "whether that is the model's own")                                    \
  COLUMN(row, move, AMOUNT, "", "by which states are moved for differences, m, rad and so on")     \
  COLUMN(row, t, AMOUNT, "s", "time at which the state's derivative by the start is")              \
  COLUMN(row, error, AMOUNT, "",                                                                   \
         "length of what is between the matrix and that of libess's tangents, over the length of " \
         "the latter (Frobenius)")                                                                 \
  COLUMN(row, note, TEXT, "", "why there is none")
COLUMN_ROW(audit_row, AUDIT_ERROR_COLUMNS);

#define AUDIT_EVENT_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, t, AMOUNT, "s", "time")                                                              \
  COLUMN(row, event, TEXT, "", "the contact or limit")                                             \
  COLUMN(row, begins, FLAG, "", "whether it begins to act there, or ceases")
COLUMN_ROW(audit_event_row, AUDIT_EVENT_COLUMNS);

/* robot_audit_derive.c: samples into rows, and the verdict. 0, or -1 with one line. */
int audit_derive(study_run *run);

/* robot_audit_show.c */
void audit_show(const study_run *run);

#endif
