/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The derivative of a robot's trajectory by its start, as libess carries it along. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ess_tangents.h"
#include "robot_audit.h"
#include "robot_directions.h"

/* what an observer is told */
typedef struct listening {
  study_run *run;
  bool listen, failed, late;
  double jumped; /* when points of a followed contact had jumped; NaN: they have not */
  uint64_t start_ns;
  robot_points *points; /* of pairs that are followed; NULL: there are none */
} listening;

/* a jump of points that are followed is one of the field, and no event function says when: tangents
 * are wrong from there on */
static bool have_jumped(listening *l, const double x[]) {
  const robot_case *const c = l->run->own;
  size_t jumped = 0;
  return l->points && robot_points_jumped(c->robot, x, l->points, &jumped) == 0 && jumped > 0;
}

static int on_step(const ess_step_info *info, void *context) {
  listening *const l = context;
  const audit_settings *const s = l->run->settings;
  if (have_jumped(l, info->x)) l->jumped = info->t1;
  l->late = 1e-9 * (double)(measure_thread_ns() - l->start_ns) > s->robot.budget;
  return l->late || !isnan(l->jumped) || *l->run->interrupted;
}

static int on_crossing(const ess_crossing_info *info, void *context) {
  listening *const l = context;
  const robot_case *const c = l->run->own;
  const char *const name = robot_event_name(c->robot, info->guard);
  l->failed = l->listen && audit_add_event(l->run, info->t, name, info->direction > 0);
  return l->failed;
}

/* ---- why there is none ------------------------------------------------------------------------
 */

/* the names of two events, and what else there is to say of them */
static const char *names_of(study_run *run, const size_t event[], size_t count) {
  const robot_case *const c = run->own;
  const char *names = "events";
  for (size_t i = 0; i < count; i++) {
    if (event[i] >= c->size.events) continue;
    const char *const name = robot_event_name(c->robot, event[i]);
    names = i == 0 ? name : study_text(run, "%s%s%s", names, i + 1 < count ? ", " : " and ", name);
  }
  return names;
}

static const char *reason(study_run *run, const listening *l, int status, const ess_failure *f) {
  const robot_case *const c = run->own;
  const size_t pair[] = {f->guard, f->other_guard};
  const bool named = f->guard < c->size.events;
  if (!isnan(l->jumped))
    return "the points of a followed contact jump, and no event function says when";
  if (l->late) return "longer than --budget";
  if (status == ESS_ECALLBACK && *robot_failure(c->robot))
    return study_text(run, "%s", robot_failure(c->robot));
  if (status == ESS_EDISCONTINUOUS)
    return study_text(run, "%s meet, and what follows depends on their order",
                      names_of(run, pair, 2));
  return study_text(run, "%s%s%s", ess_strerror(status), named ? ": " : "",
                    named ? names_of(run, pair, 1) : "");
}

static const char *pieces_of(study_run *run, const ess_smoothness *s) {
  const char *const names = names_of(run, s->order, s->count);
  return s->pieces ? study_text(run, "%s meet: %zu derivatives, by direction", names, s->pieces)
                   : study_text(run, "%s meet: more than one derivative, by direction", names);
}

/* ---- the run ----------------------------------------------------------------------------------
 */

/* to an output time, from tick to tick of the controls */
static int go_to(study_run *run, ess_driver *driver, double *now, double end, double x[]) {
  const robot_case *const c = run->own;
  int status = ESS_SUCCESS;
  while (!status && *now < end) {
    double until;
    robot_set_control(c->robot, robot_controls_at(&c->controls, *now, &until));
    status = ess_driver_apply(driver, now, fmin(until, end), x);
  }
  return status;
}

/* tangents of the state into columns of a matrix of directions; of a row each here */
static void take_matrix(const robot_case *c, const double x[], const double tangent[],
                        double room[], audit_path *p) {
  const size_t n = p->n, dimension = c->size.dimension;
  double *const rate = room, *const way = room + dimension,
                *const matrix = p->matrix + p->reached * n * n;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < dimension; i++) rate[i] = tangent[i * n + j];
    robot_direction_of_rate(c->robot, x, rate, way);
    for (size_t i = 0; i < n; i++) matrix[i * n + j] = way[i];
  }
}

/* along a driver that follows the directions; x is the start */
static void follow(study_run *run, ess_driver *driver, const listening *l, double x[],
                   double room[], audit_path *p) {
  const robot_case *const c = run->own;
  double now = 0.0;
  for (p->reached = 1; p->reached < c->outputs; p->reached++) {
    const int status = go_to(run, driver, &now, (double)p->reached * c->output_step, x);
    const ess_smoothness *const smooth = ess_driver_smoothness(driver);
    const bool has_one = !smooth || smooth->kind == ESS_SMOOTH_C1;
    if (!has_one) p->note = pieces_of(run, smooth);
    if (has_one && status) p->note = reason(run, l, status, ess_driver_failure(driver));
    p->until = has_one ? now : smooth->time;
    if (!isnan(l->jumped)) p->until = l->jumped;
    if (status || !has_one) return;
    take_matrix(c, x, ess_driver_tangent(driver), room, p);
  }
}

/* the derivative of the start by each direction, a column each */
static void write_directions(const robot_case *c, const double x[], size_t n, double way[],
                             double out[]) {
  double *const rate = way + n;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < n; i++) way[i] = i == j;
    robot_rate_of_direction(c->robot, x, way, rate);
    for (size_t i = 0; i < c->size.dimension; i++) out[i * n + j] = rate[i];
  }
}

static int start(study_run *run, listening *l, double tolerance, double x[], double room[],
                 double directions[], audit_path *p) {
  const robot_case *const c = run->own;
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.observer = (ess_observer){.step = on_step, .crossing = on_crossing, .context = l};
  int status;
  ess_driver *const driver = ess_driver_alloc(robot_system(c->robot), &options, &status);
  if (!driver) return measure_fail(run->message, "libess: %s", ess_strerror(status));
  write_directions(c, x, p->n, room, directions);
  status = ess_driver_follow(driver, p->n, directions);
  robot_forget(c->robot);
  l->start_ns = measure_thread_ns();
  if (!status) follow(run, driver, l, x, room, p);
  ess_driver_free(driver);
  if (status) return measure_fail(run->message, "libess: %s", ess_strerror(status));
  return l->failed ? -1 : 0;
}

int audit_find_tangents(study_run *run, const double x0[], double tolerance, bool listen,
                        audit_path *p) {
  const robot_case *const c = run->own;
  const size_t dimension = c->size.dimension;
  listening l = {.run = run, .listen = listen, .jumped = NAN};
  double *const x = calloc(2 * dimension + p->n + 1, sizeof *x);
  double *const directions = calloc(dimension * p->n + 1, sizeof *directions);
  if (c->follows > 0) l.points = calloc(c->follows, sizeof *l.points);
  const bool has_room = x && directions && (l.points || c->follows == 0);
  if (has_room) memcpy(x, x0, dimension * sizeof *x);
  p->note = "";
  const int status = has_room ? start(run, &l, tolerance, x, x + dimension, directions, p)
                              : study_out_of_memory(run);
  free(x);
  free(directions);
  free(l.points);
  return status;
}
