/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "robot_steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_version.h"
#include "clock.h"
#include "robot_instance.h"
#include "solver.h"

/* how close to an output time the end of a step is taken for it, in steps */
static const double rounding = 1e-6;

/* the shortest step at a stop, s; and how many times its distance from the stop behind it a step
 * may be, which before a stop leaves as small a part of the way */
static const double shortest = 1e-8, lengthening = 2.0;

const double robot_steps_of_stop = 20.0;

struct robot_steps {
  mjModel *model;
  mjOption own; /* as the model was compiled, but without sensors */
  mjData *data;
  double
      *positions;  /* [nq] of an output between two steps; behind them [nv + na] of its beginning */
  robot_held held; /* by the present run */
  double *matrices; /* three of directions, where transitions are asked for */
};

/* ---- open and close -------------------------------------------------------------------------- */

typedef struct opening {
  const mjModel *from;
  robot_steps *steps;
} opening;

static void copy_model(void *context) {
  const opening *const o = context;
  o->steps->model = mj_copyModel(NULL, o->from);
  o->steps->data = mj_makeData(o->steps->model);
}

int robot_steps_open(const robot *r, robot_steps **out, char message[ROBOT_MESSAGE_SIZE]) {
  bridge_complaint complaint = {.text = "out of memory"};
  robot_steps *const s = calloc(1, sizeof *s);
  opening o = {r->shared->model, s};
  *out = NULL;
  const mjModel *const m = r->shared->model;
  if (s) {
    s->positions = calloc((size_t)(m->nq + m->nv + m->na) + 1, sizeof *s->positions);
    s->held.ctrl = calloc((size_t)m->nu + 1, sizeof *s->held.ctrl);
  }
  if (s && s->positions && s->held.ctrl && bridge_guarded(copy_model, &o, &complaint) && s->model &&
      s->data) {
    s->own = s->model->opt;
    robot_leave_sensors(&s->own);
    *out = s;
    return 0;
  }
  snprintf(message, ROBOT_MESSAGE_SIZE, "mujoco: no room for the model: %s", complaint.text);
  robot_steps_close(s);
  return SOLVER_FAILED;
}

void robot_steps_close(robot_steps *s) {
  if (!s) return;
  if (s->data) mj_deleteData(s->data);
  if (s->model) mj_deleteModel(s->model);
  free(s->positions);
  free(s->held.ctrl);
  free(s->matrices);
  free(s);
}

/* ---- settings -------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  int integrator;
} integrators[] = {
    {"Euler", mjINT_EULER},
    {"RK4", mjINT_RK4},
    {"implicit", mjINT_IMPLICIT},
#if mjVERSION_HEADER >= 233
    {"implicitfast", mjINT_IMPLICITFAST},
#endif
#if mjVERSION_HEADER >= 3013000
    {"discrete", mjINT_DISCRETE},
#endif
};

static int find_integrator(const char *name) {
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; ++i)
    if (strcmp(integrators[i].name, name) == 0) return integrators[i].integrator;
  return -1;
}

bool robot_steps_knows(const char *integrator) {
  return bridge_version_has_integrator(integrator);
}

static int set_up(robot_steps *s, const robot_steps_request *q, char message[ROBOT_MESSAGE_SIZE]) {
  const int integrator = find_integrator(q->integrator);
  if (integrator < 0 || !(q->time_step > 0.0) || !isfinite(q->time_step)) {
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "mujoco: integrator %s with a step of %g s is not accepted; MuJoCo %s has %s, and a "
             "step is > 0",
             q->integrator, q->time_step, mj_versionString(), bridge_version_integrators());
    return SOLVER_REFUSED;
  }
  s->model->opt = s->own;
  if (q->exactly) robot_solve_exactly(&s->model->opt);
  s->model->opt.integrator = integrator;
  s->model->opt.timestep = q->time_step;
  return 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct walk {
  robot_steps *s;
  const robot_steps_request *q;
  robot_steps_report *report;
} walk;

static void write_state(const walk *w, size_t output) {
  const mjModel *const m = w->s->model;
  const mjData *const d = w->s->data;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, na = (size_t)m->na;
  double *const x = w->q->states + output * (nq + nv + na);
  memcpy(x, d->qpos, nq * sizeof *x);
  memcpy(x + nq, d->qvel, nv * sizeof *x);
  memcpy(x + nq + nv, d->act, na * sizeof *x);
}

/* the state a share of the last step before its end. The step's end and what the velocities have
 * become are in the data; so is the step's beginning, in the output before it. */
static void write_between(const walk *w, size_t output, double before_end, const double from[]) {
  const mjModel *const m = w->s->model;
  const mjData *const d = w->s->data;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, na = (size_t)m->na;
  double *const x = w->q->states + output * (nq + nv + na), *const v = x + nq;
  const double share = 1.0 - before_end / m->opt.timestep;
  for (size_t i = 0; i < nv; ++i) v[i] = from[i] + (1.0 + share) / 2.0 * (d->qvel[i] - from[i]);
  memcpy(w->s->positions, d->qpos, nq * sizeof *x);
  mj_integratePos(m, w->s->positions, v, -before_end);
  memcpy(x, w->s->positions, nq * sizeof *x);
  for (size_t i = 0; i < nv; ++i) v[i] = from[i] + share * (d->qvel[i] - from[i]);
  for (size_t i = 0; i < na; ++i) v[nv + i] = from[nv + i] + share * (d->act[i] - from[nv + i]);
}

/* what MuJoCo says of a state that is none, or of contacts that it had no room for */
static bool has_failed(const walk *w) {
  const mjData *const d = w->s->data;
  for (int i = 0; i < mjNWARNING; ++i) {
    if (d->warning[i].number == 0) continue;
    bridge_one_line(w->report->message, BRIDGE_TEXT_SIZE, bridge_version_warning(d, i));
    return true;
  }
  return false;
}

/* ---- transitions ----------------------------------------------------------------------------- */

static int directions(const mjModel *m) {
  return (int)(2 * m->nv + m->na);
}

/* the first of the three matrices is the product so far */
static int begin_transitions(robot_steps *s, char message[ROBOT_MESSAGE_SIZE]) {
  const size_t n = (size_t)directions(s->model);
  free(s->matrices);
  s->matrices = calloc(3 * n * n + 1, sizeof *s->matrices);
  for (size_t i = 0; s->matrices && i < n; ++i) s->matrices[i * n + i] = 1.0;
  if (s->matrices) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "mujoco: no room for matrices of transitions");
  return SOLVER_FAILED;
}

/* the matrix of the step to come, times what there is */
static void multiply(const walk *w) {
  const mjModel *const m = w->s->model;
  const int n = directions(m);
  double *const product = w->s->matrices, *const of = product + n * n, *const next = of + n * n;
  mjd_transitionFD(m, w->s->data, w->q->move, 1, of, NULL, NULL, NULL);
  mju_mulMatMat(next, of, product, n, n, n);
  mju_copy(product, next, n * n);
}

static void write_transitions(const walk *w, size_t output, bool at_end) {
  const size_t n = (size_t)directions(w->s->model);
  double *const out = w->q->transitions + output * n * n;
  for (size_t i = 0; i < n * n; ++i) out[i] = at_end ? w->s->matrices[i] : (double)NAN;
}

bool robot_steps_has_transitions(const char *integrator) {
  return strcmp(integrator, "RK4") != 0;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void set_start(const walk *w) {
  const mjModel *const m = w->s->model;
  mjData *const d = w->s->data;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, na = (size_t)m->na;
  mj_resetData(m, d);
  memcpy(d->qpos, w->q->x0, nq * sizeof *d->qpos);
  memcpy(d->qvel, w->q->x0 + nq, nv * sizeof *d->qvel);
  memcpy(d->act, w->q->x0 + nq + nv, na * sizeof *d->act);
  w->s->held.until = -INFINITY;
}

/* the controls of a step from t on, and until when they hold */
static double hold(const walk *w, double t) {
  mjData *const d = w->s->data;
  robot_held *const held = &w->s->held;
  mju_copy(d->ctrl, robot_controls_hold(w->q->controls, t, d->qpos, d->qvel, held),
           (int)w->s->model->nu);
  return held->until;
}

static void step(const walk *w) {
  const mjModel *const m = w->s->model;
  mjData *const d = w->s->data;
  if (w->q->transitions) multiply(w);
  mj_step(m, d);
  ++w->report->steps;
}

/* every output: the step is made that ends at it or behind it. Velocities at that step's beginning
 * are kept for outputs between, above the positions. */
static void go_evenly(const walk *w) {
  const mjModel *const m = w->s->model;
  const mjData *const d = w->s->data;
  const double h = m->opt.timestep;
  double *const from = w->s->positions + m->nq;
  set_start(w);
  for (size_t i = 0; i < w->q->count; ++i) {
    const double t = (double)i * w->q->dt, steps = t / h;
    while ((double)w->report->steps < steps - rounding) {
      memcpy(from, d->qvel, (size_t)m->nv * sizeof *from);
      memcpy(from + m->nv, d->act, (size_t)m->na * sizeof *from);
      hold(w, (double)w->report->steps * h);
      step(w);
      if (has_failed(w)) return;
    }
    const double before_end = (double)w->report->steps - steps;
    const bool at_end = before_end < rounding;
    if (at_end)
      write_state(w, i);
    else
      write_between(w, i, before_end * h, from);
    if (w->q->at_end) w->q->at_end[i] = at_end;
    if (w->q->transitions) write_transitions(w, i, at_end);
    w->report->reached = i + 1;
  }
}

/* how long a step from t may be: to `end`, or less near a stop, of which *next is the first ahead
 */
static double step_towards(const walk *w, double t, double end, size_t *next) {
  const robot_steps_request *const q = w->q;
  while (*next < q->stop_count && q->stops[*next] <= t) ++*next;
  double h = fmin(q->time_step, end - t);
  if (*next > 0) h = fmin(h, fmax(shortest, lengthening * (t - q->stops[*next - 1])));
  if (*next < q->stop_count)
    h = fmin(h, fmax(shortest, (q->stops[*next] - t) * lengthening / (1.0 + lengthening)));
  // no crumb is left before the end
  return end - t - h < 0.5 * shortest ? end - t : h;
}

/* What jumps where a step is short moves the state by little. */
static void go_by_stops(const walk *w) {
  double t = 0.0;
  size_t next = 0;
  set_start(w);
  for (size_t i = 0; i < w->q->count; ++i) {
    const double output = (double)i * w->q->dt;
    while (t < output) {
      const double end = fmin(output, hold(w, t)), h = step_towards(w, t, end, &next);
      w->s->model->opt.timestep = h;
      step(w);
      if (has_failed(w)) return;
      t = end - t > h ? t + h : end;
    }
    write_state(w, i);
    if (w->q->at_end) w->q->at_end[i] = true;
    w->report->reached = i + 1;
  }
}

static void go(void *context) {
  const walk *const w = context;
  (w->q->stops ? go_by_stops : go_evenly)(w);
}

static bool is_finite(const walk *w, size_t output) {
  const size_t n = (size_t)(w->s->model->nq + w->s->model->nv + w->s->model->na);
  for (size_t i = 0; i < n; ++i)
    if (!isfinite(w->q->states[output * n + i])) return false;
  return true;
}

int robot_steps_run(robot_steps *s, const robot_steps_request *request,
                    robot_steps_report *report) {
  walk w = {s, request, report};
  bridge_complaint complaint;
  *report = (robot_steps_report){0};
  int status = set_up(s, request, report->message);
  if (!status && request->transitions) status = begin_transitions(s, report->message);
  if (status) return status;
  const uint64_t start = measure_thread_ns();
  bridge_guarded(go, &w, &complaint);
  report->seconds = 1e-9 * (double)(measure_thread_ns() - start);
  if (complaint.error) {
    snprintf(report->message, sizeof report->message, "%s", complaint.text);
    return SOLVER_FAILED;
  }
  while (report->reached > 0 && !is_finite(&w, report->reached - 1)) {
    --report->reached;
    snprintf(report->message, sizeof report->message, "the state is not finite");
  }
  return 0;
}
