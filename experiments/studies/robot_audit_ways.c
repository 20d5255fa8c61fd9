/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derivatives of a robot's trajectory as people find them: by matrices of MuJoCo's steps, and by
 * differences of whole runs. */
#include <math.h>
#include <stdlib.h>

#include "robot_audit.h"
#include "robot_directions.h"

const char *const audit_end = "end", *const audit_event = "event", *const audit_error = "error";
const char *const audit_libess = "libess", *const audit_mujoco = "MuJoCo";
const char *const audit_tangents = "tangents", *const audit_transitions = "transitions",
                  *const audit_differences = "differences";

int audit_add_event(study_run *run, double t, const char *name, bool begins) {
  const audit_sample s = {audit_event, "", begins ? "begins" : "ends", "", name, NAN, NAN, t, NAN};
  return study_add(run, AUDIT_SAMPLES, &s);
}

int audit_path_alloc(study_run *run, audit_path *p) {
  const robot_case *const c = run->own;
  *p = (audit_path){.n = robot_directions(c->robot), .note = ""};
  p->matrix = calloc(c->outputs * p->n * p->n + 1, sizeof *p->matrix);
  return p->matrix ? 0 : study_out_of_memory(run);
}

void audit_path_free(audit_path *p) {
  free(p->matrix);
  *p = (audit_path){0};
}

/* ---- matrices of steps ------------------------------------------------------------------------
 */

static int step_along(study_run *run, const double x0[], const robot_entry *e, double move,
                      robot_track *t, audit_path *p) {
  const robot_case *const c = run->own;
  const robot_steps_request request = {.integrator = e->variant,
                                       .time_step = e->knob,
                                       .x0 = x0,
                                       .controls = &c->controls,
                                       .dt = c->output_step,
                                       .count = c->outputs,
                                       .states = t->states,
                                       .transitions = p->matrix,
                                       .move = move};
  robot_steps_report report;
  const int status = robot_steps_run(c->steps, &request, &report);
  p->reached = status ? 0 : report.reached;
  p->note = *report.message ? study_text(run, "%s", report.message) : "";
  return 0;
}

int audit_find_transitions(study_run *run, const double x0[], const robot_entry *e, double move,
                           audit_path *p) {
  robot_track t = {0};
  const int status = robot_track_alloc(run, &t) ? -1 : step_along(run, x0, e, move, &t, p);
  robot_track_free(&t);
  return status;
}

/* ---- differences of runs ----------------------------------------------------------------------
 */

/* of the starts that are moved back and forth along a direction, and what they lead to */
typedef struct sides {
  double *start, *way, *between;
  robot_track back, forth;
} sides;

static int run_from(study_run *run, const double x0[], const robot_entry *e, double by,
                    const sides *at, robot_track *t, audit_path *p) {
  const robot_case *const c = run->own;
  robot_move(c->robot, x0, at->way, by, at->start);
  const int status = robot_follow(run, e, at->start, false, t);
  if (status || t->reached >= p->reached) return status;
  p->reached = t->reached;
  p->note = t->status;
  return 0;
}

/* column j of all matrices */
static int find_column(study_run *run, const double x0[], const robot_entry *e, double move,
                       size_t j, sides *at, audit_path *p) {
  const robot_case *const c = run->own;
  const size_t n = p->n, dimension = c->size.dimension;
  for (size_t i = 0; i < n; i++) at->way[i] = i == j;
  int status = run_from(run, x0, e, -move, at, &at->back, p);
  if (!status) status = run_from(run, x0, e, move, at, &at->forth, p);
  for (size_t k = 1; !status && k < p->reached; k++) {
    robot_difference(c->robot, at->back.states + k * dimension, at->forth.states + k * dimension,
                     at->between);
    for (size_t i = 0; i < n; i++) p->matrix[(k * n + i) * n + j] = at->between[i] / (2.0 * move);
  }
  return status;
}

int audit_find_differences(study_run *run, const double x0[], const robot_entry *e, double move,
                           audit_path *p) {
  const robot_case *const c = run->own;
  double *const room = calloc(c->size.dimension + 2 * p->n + 1, sizeof *room);
  sides at = {.start = room};
  int status = room ? 0 : study_out_of_memory(run);
  if (!status) status = robot_track_alloc(run, &at.back);
  if (!status) status = robot_track_alloc(run, &at.forth);
  p->reached = c->outputs;
  p->note = "";
  for (size_t j = 0; !status && j < p->n && p->reached > 1 && !*run->interrupted; j++) {
    at.way = room + c->size.dimension;
    at.between = at.way + p->n;
    status = find_column(run, x0, e, move, j, &at, p);
  }
  robot_track_free(&at.back);
  robot_track_free(&at.forth);
  free(room);
  return status;
}
