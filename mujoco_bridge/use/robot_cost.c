/*
 * A stage's time is that of all stages up to it less that of those before: each is run at every
 * state anew, in the order of a trajectory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "robot_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "robot_instance.h"
#include "robot_stage.h"

typedef enum cost_part { KINEMATICS, INERTIA, ROWS, FIELD, GUARDS, RATES, STEP, PARTS } cost_part;

typedef struct visit {
  robot *r;
  const double *states;
  double *signs; /* [count * events] */
  double *h, *rate, *dxdt;
  size_t count;
  cost_part part;
  mjModel model; /* of steps */
} visit;

static void set_state(const mjModel *m, mjData *d, const double x[]) {
  memcpy(d->qpos, x, (size_t)m->nq * sizeof *x);
  memcpy(d->qvel, x + m->nq, (size_t)m->nv * sizeof *x);
  memcpy(d->act, x + m->nq + m->nv, (size_t)m->na * sizeof *x);
}

/* nothing acts: inertia alone */
static void visit_inertia(const visit *v, const double x[]) {
  robot_stage_kinematics(v->r, x);
  mj_makeM(&v->r->model, v->r->data);
  mj_factorM(&v->r->model, v->r->data);
  mj_transmission(&v->r->model, v->r->data);
}

static void visit_stages(void *context) {
  const visit *v = context;
  const size_t n = v->r->system.dimension, events = v->r->shared->event_count;
  for (size_t i = 0; i < v->count; ++i) {
    const double *x = v->states + i * n, *sign = v->signs + i * events;
    robot_stage_forget(v->r);
    switch (v->part) {
    case KINEMATICS:
      robot_stage_kinematics(v->r, x);
      break;
    case INERTIA:
      visit_inertia(v, x);
      break;
    case ROWS:
      robot_stage_kinematics(v->r, x);
      robot_stage_dynamics(v->r, sign);
      break;
    default:
      mju_zero(v->r->data->qfrc_applied, (int)v->model.nv);
      set_state(&v->model, v->r->data, x);
      mj_step(&v->model, v->r->data);
    }
  }
}

/* as a driver calls them */
static int visit_callbacks(const visit *v) {
  const ess_system *s = &v->r->system;
  int status = 0;
  for (size_t i = 0; i < v->count && status == 0; ++i) {
    const double *x = v->states + i * s->dimension, *sign = v->signs + i * s->event_count;
    robot_stage_forget(v->r);
    if (v->part != GUARDS) status = s->field(0.0, x, sign, v->dxdt, v->r);
    if (v->part == GUARDS) status = s->event_functions(0.0, x, v->h, v->r);
    if (status == 0 && v->part == RATES)
      status = s->event_rates(0.0, x, 1.0, v->dxdt, NULL, s->event_count, v->h, v->rate, v->r);
  }
  return status;
}

/* so few states at a time, so that the least of them is one in which nothing else had the core */
enum { AT_A_TIME = 20 };

/* seconds of one pass, the least of all rounds; negative: it failed */
static double least_of(visit *v, size_t rounds) {
  double least = INFINITY;
  for (size_t round = 0; round < rounds; ++round) {
    const uint64_t start = measure_clock_ns();
    const int status = v->part == FIELD || v->part == GUARDS || v->part == RATES
                           ? visit_callbacks(v)
                           : robot_guarded(v->r, visit_stages, v);
    if (status != 0) return -1.0;
    least = fmin(least, 1e-9 * (double)(measure_clock_ns() - start));
  }
  return least;
}

/* seconds a state; negative: it failed */
static double time_of(const visit *v, cost_part part, size_t rounds) {
  const ess_system *s = &v->r->system;
  double sum = 0.0;
  for (size_t first = 0; first < v->count; first += AT_A_TIME) {
    visit some = *v;
    some.part = part;
    some.states += first * s->dimension;
    some.signs += first * s->event_count;
    some.count = v->count - first < AT_A_TIME ? v->count - first : AT_A_TIME;
    const double seconds = least_of(&some, rounds);
    if (seconds < 0.0) return -1.0;
    sum += seconds;
  }
  return sum / (double)v->count;
}

/* signs of all states; how many act, or negative after a failure */
static double latch(visit *v) {
  const ess_system *s = &v->r->system;
  double acting = 0.0;
  for (size_t i = 0; i < v->count; ++i) {
    if (s->event_functions(0.0, v->states + i * s->dimension, v->h, v->r) != 0) return -1.0;
    for (size_t k = 0; k < s->event_count; ++k) {
      v->signs[i * s->event_count + k] = v->h[k] > 0.0 ? 1.0 : -1.0;
      acting += v->h[k] > 0.0;
    }
  }
  return acting / (double)v->count;
}

static int take_times(visit *v, size_t rounds, robot_cost *out) {
  double time[PARTS];
  out->acting = latch(v);
  bool good = out->acting >= 0.0;
  for (int k = 0; k < PARTS && good; ++k) {
    time[k] = time_of(v, (cost_part)k, rounds);
    good = time[k] >= 0.0;
  }
  if (!good) return -1;
  *out = (robot_cost){.field = time[FIELD],
                      .kinematics = time[KINEMATICS],
                      .inertia = time[INERTIA] - time[KINEMATICS],
                      .rows = time[ROWS] - time[INERTIA],
                      .forces = time[FIELD] - time[ROWS],
                      .guards = time[GUARDS],
                      .rates = time[RATES] - time[FIELD],
                      .step = time[STEP],
                      .acting = out->acting};
  return 0;
}

/* the model as it was compiled, but stepped by Euler, without sensors */
static mjModel stepped(const robot *r) {
  mjModel m = *r->shared->model;
  m.opt.integrator = mjINT_EULER;
  robot_leave_sensors(&m.opt);
  return m;
}

int robot_cost_at(robot *r, const double states[], size_t count, size_t rounds, robot_cost *out) {
  const size_t n = r->system.dimension, events = r->shared->event_count;
  double *const room = calloc(count * events + 2 * events + n + 1, sizeof *room);
  visit v = {.r = r, .states = states, .signs = room, .count = count, .model = stepped(r)};
  *out = (robot_cost){0};
  if (!room) return -1;
  v.h = room + count * events;
  v.rate = v.h + events;
  v.dxdt = v.rate + events;
  const int status = take_times(&v, rounds, out);
  robot_stage_reset(r);
  free(room);
  return status;
}

typedef struct walk {
  robot *r;
  const double *x;
  double *states;
  size_t count;
  mjModel model;
} walk;

static void take_steps(void *context) {
  const walk *w = context;
  const mjModel *m = &w->model;
  mjData *d = w->r->data;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, n = w->r->system.dimension;
  set_state(m, d, w->x);
  for (size_t i = 0; i < w->count; ++i) {
    memcpy(w->states + i * n, d->qpos, nq * sizeof *d->qpos);
    memcpy(w->states + i * n + nq, d->qvel, nv * sizeof *d->qvel);
    memcpy(w->states + i * n + nq + nv, d->act, (n - nq - nv) * sizeof *d->act);
    mj_step(m, d);
  }
}

int robot_cost_states(robot *r, const double x[], double dt, size_t count, double states[]) {
  walk w = {.r = r, .x = x, .states = states, .count = count, .model = stepped(r)};
  w.model.opt.timestep = dt;
  // forces that a twin's field has left are none of MuJoCo's own steps
  robot_stage_reset(r);
  const int status = robot_guarded(r, take_steps, &w);
  robot_stage_reset(r);
  return status;
}
