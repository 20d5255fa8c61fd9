/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of an audit of derivatives, and its verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot_audit.h"

/* where libess's own is not known better than to this, nothing is said of others */
static const double known_to = 0.1;

static bool is_at(double t, double time) {
  return fabs(t - time) <= 1e-9 * time;
}

/* samples have the model's own step as it is */
static bool is_own(const study_run *run, double step) {
  const robot_case *const c = run->own;
  return step == c->size.time_step;
}

static bool is(const audit_sample *s, const char *kind, const char *who, const char *way) {
  return strcmp(s->kind, kind) == 0 && strcmp(s->who, who) == 0 && strcmp(s->way, way) == 0;
}

/* libess's own at a time, by one of its ways */
static double own_error(const study_run *run, const char *way, double t) {
  size_t count;
  const audit_sample *const s = study_rows(run, AUDIT_SAMPLES, &count);
  for (size_t i = 0; i < count; i++)
    if (is(&s[i], audit_error, audit_libess, way) && is_at(s[i].t, t)) return s[i].error;
  return NAN;
}

static void add_times(study_run *run) {
  size_t count;
  const audit_sample *const s = study_rows(run, AUDIT_SAMPLES, &count);
  for (size_t i = 0; i < count; i++) {
    if (!is(&s[i], audit_error, audit_libess, audit_tangents)) continue;
    const double runs = own_error(run, audit_differences, s[i].t);
    const audit_time row = {.t = s[i].t,
                            .tolerances_apart = s[i].error,
                            .differences_apart = runs,
                            .estimate = fmax(s[i].error, runs)};
    study_add(run, AUDIT_TIMES, &row);
  }
}

/* times up to which libess's own is known */
static size_t count_known(const study_run *run) {
  size_t count, known = 0;
  const audit_time *const time = study_rows(run, AUDIT_TIMES, &count);
  while (known < count && time[known].estimate <= known_to) known++;
  return known;
}

static void add_errors(study_run *run) {
  size_t count;
  const audit_sample *const s = study_rows(run, AUDIT_SAMPLES, &count);
  for (size_t i = 0; i < count; i++) {
    const audit_row row = {.who = s[i].who,
                           .way = s[i].way,
                           .integrator = s[i].integrator,
                           .step = s[i].step,
                           .own = is_own(run, s[i].step),
                           .move = s[i].move,
                           .t = s[i].t,
                           .error = s[i].error,
                           .note = s[i].note};
    if (strcmp(s[i].kind, audit_error) == 0) study_add(run, AUDIT_ERRORS, &row);
  }
}

static void add_events(study_run *run) {
  size_t count;
  const audit_sample *const s = study_rows(run, AUDIT_SAMPLES, &count);
  for (size_t i = 0; i < count; i++) {
    const audit_event_row row = {s[i].t, s[i].note, strcmp(s[i].way, "begins") == 0};
    if (strcmp(s[i].kind, audit_event) == 0) study_add(run, AUDIT_EVENTS, &row);
  }
}

/* ---- the verdict ------------------------------------------------------------------------------
 */

/* One way and step of MuJoCo's, over all times: rows that stand behind one another. */
typedef struct curve {
  const audit_row *row; /* NULL: there is none */
  double most;          /* the largest error; infinite where one is not known */
} curve;

static curve curve_at(const audit_row *row, size_t times) {
  curve c = {row, 0.0};
  for (size_t i = 0; i < times; i++)
    c.most = isnan(row[i].error) ? INFINITY : fmax(c.most, row[i].error);
  return c;
}

/* the curve that errs the least of one way, or of all, by moves of at most so much */
static curve best_of(const study_run *run, const char *way, double move, bool own) {
  size_t rows, times;
  const size_t known = count_known(run);
  const audit_row *const row = study_rows(run, AUDIT_ERRORS, &rows);
  study_rows(run, AUDIT_TIMES, &times);
  curve best = {NULL, INFINITY};
  for (size_t i = 0; times && i + times <= rows; i += times) {
    const bool counts = strcmp(row[i].who, audit_mujoco) == 0 && row[i].move <= move &&
                        (!way || strcmp(row[i].way, way) == 0) && (!own || row[i].own);
    const curve c = curve_at(row + i, known);
    if (counts && (!best.row || c.most < best.most)) best = c;
  }
  return best;
}

/* "83 %", or "7e+04 times its length" */
static const char *share(study_run *run, const curve *c) {
  if (isinf(c->most)) return "any share (it is not known at all times)";
  if (c->most < 10.0) return study_text(run, "%.*g %%", c->most < 1.0 ? 2 : 3, 100.0 * c->most);
  return study_text(run, "%.2g times its length", c->most);
}

static const char *way_of(study_run *run, const curve *c) {
  if (strcmp(c->row->way, audit_transitions) == 0)
    return study_text(run, "mjd_transitionFD's matrices (%s)", c->row->integrator);
  return study_text(run, "differences of runs moved by %g (%s)", c->row->move, c->row->integrator);
}

static const char *verdict(study_run *run) {
  const audit_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const double smallest = s->moves.value[s->moves.count - 1];
  const curve transitions = best_of(run, audit_transitions, INFINITY, true),
              differences = best_of(run, audit_differences, smallest, true),
              best = best_of(run, NULL, INFINITY, false);
  const size_t known = count_known(run);
  const audit_time *const time = study_rows(run, AUDIT_TIMES, NULL);
  if (!known || !transitions.row || !differences.row)
    return "there is no derivative at the first of the times, so there is nothing to compare";
  double estimate = 0.0;
  for (size_t i = 0; i < known; i++) estimate = fmax(estimate, time[i].estimate);
  return study_text(
      run,
      "up to %g s MuJoCo's derivative, at its own step of %g ms, is off by up to %s by "
      "%s, and by up to %s by %s; the best that was tried is off by up to %s, by %s "
      "at %g ms; libess's own error is at most %.1g %%",
      time[known - 1].t, 1e3 * c->size.time_step, share(run, &transitions),
      way_of(run, &transitions), share(run, &differences), way_of(run, &differences),
      share(run, &best), way_of(run, &best), 1e3 * best.row->step, 100.0 * estimate);
}

/* ---- the model --------------------------------------------------------------------------------
 */

static const audit_sample *end_of(const study_run *run) {
  size_t count;
  const audit_sample *s = study_rows(run, AUDIT_SAMPLES, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(s[i].kind, audit_end) == 0) return &s[i];
  return s;
}

static const char *status_of(study_run *run, const char *note, size_t known, size_t times) {
  if (known < times)
    return study_text(run, "libess's own derivative is not known to %g %%", 100.0 * known_to);
  return *note ? study_text(run, "%s", note) : "success";
}

int audit_derive(study_run *run) {
  const audit_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const audit_sample *const end = end_of(run);
  add_times(run);
  add_errors(run);
  add_events(run);
  size_t times;
  const audit_time *const time = study_rows(run, AUDIT_TIMES, &times);
  const size_t known = count_known(run);
  const audit_top top = {.file = run->operand,
                         .pose = s->robot.qpos ? "qpos" : robot_start_pose(c->robot),
                         .directions = 2 * c->size.nv + c->size.na,
                         .events = c->size.events,
                         .time_step = c->size.time_step,
                         .integrator = c->size.integrator,
                         .audited = known ? time[known - 1].t : 0.0,
                         .until = known < times ? time[known].t : end->t,
                         .status = status_of(run, end->note, known, times),
                         .verdict = verdict(run)};
  return study_add(run, AUDIT_TOP, &top);
}
