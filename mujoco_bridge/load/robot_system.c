/*
 * Field and event functions of a robot.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_system.h"
#include "bridge_version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot_damped.h"
#include "robot_distance.h"
#include "robot_found.h"
#include "robot_points.h"
#include "robot_rates.h"
#include "robot_stage.h"
#include "robot_survey.h"
#include "robot_twin.h"
#include "robot_twist.h"

/* ---- the field ------------------------------------------------------------------------------- */

typedef struct field_call {
  robot *r;
  const double *x, *sign;
} field_call;

static void make_field(void *context) {
  const field_call *c = context;
  robot_stage_kinematics(c->r, c->x);
  robot_stage_dynamics(c->r, c->sign);
  robot_stage_forces(c->r, c->x);
  robot_damped_note(c->r, c->x);
}

static bool all_finite(const double x[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) sum += x[i] - x[i];
  return sum == 0.0;
}

/* MuJoCo ends in errors where a step that is too long has left the finite numbers */
static int write_nothing(const robot *r, double out[]) {
  for (size_t i = 0; i < r->system.dimension; ++i) out[i] = NAN;
  return 0;
}

/* an activation at the end of its range, as mj_step clamps it, goes no further */
static void hold_activations(const mjModel *m, const double act[], double rate[]) {
  for (int i = 0; i < (int)bridge_version_actuators(m); ++i) {
    if (!m->actuator_actlimited[i]) continue;
    const int at = m->actuator_actadr[i] + m->actuator_actnum[i] - 1;
    if (m->actuator_actadr[i] < 0) continue;
    if (act[at] >= m->actuator_actrange[2 * i + 1]) rate[at] = fmin(rate[at], 0.0);
    if (act[at] <= m->actuator_actrange[2 * i]) rate[at] = fmax(rate[at], 0.0);
  }
}

static void write_rates(const mjModel *m, const mjData *d, const double x[], double dxdt[]) {
  robot_position_rates(m, x, x + m->nq, dxdt);
  memcpy(dxdt + m->nq, d->qacc, (size_t)m->nv * sizeof *x);
  memcpy(dxdt + m->nq + m->nv, d->act_dot, (size_t)m->na * sizeof *x);
  hold_activations(m, x + m->nq + m->nv, dxdt + m->nq + m->nv);
}

static bool follows(const robot *r, size_t k) {
  const robot_shared *s = r->shared;
  return robot_found_follows(s, &s->pairs[s->events[k].object]);
}

/* whether the model has no field, or a contact acts that has no rule, nor points that are followed
 */
static bool refuses(robot *r, const double sign[]) {
  const robot_shared *s = r->shared;
  if (*s->unfit) {
    snprintf(r->failure, sizeof r->failure, "%s", s->unfit);
    return true;
  }
  size_t k = s->row_events;
  while (k < s->force_events && (sign[k] < 0.0 || follows(r, k))) k++;
  if (k == s->force_events) return false;
  const size_t pair = (size_t)s->events[k].object;
  snprintf(r->failure, sizeof r->failure, "%s touch: %s", s->events[k].name,
           robot_survey_why(s, &s->pairs[pair]));
  return true;
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  robot *const r = params;
  const field_call call = {.r = r, .x = x, .sign = sign};
  (void)t;

  if (refuses(r, sign)) return -1;

  if (!all_finite(x, r->system.dimension)) return write_nothing(r, dxdt);
  if (robot_guarded(r, make_field, (void *)&call) != 0) return -1;
  write_rates(&r->model, r->data, x, dxdt);
  return 0;
}

/* ---- its springs and dampers ----------------------------------------------------------------- */

typedef struct solve_call {
  robot *r;
  const double *x, *sign;
  double c, *v;
} solve_call;

static void make_solution(void *context) {
  const solve_call *c = context;
  robot_damped_solve(c->r, c->x, c->sign, c->c, c->v);
}

/* without signs: of plain_field */
static int field_solve(double t, const double x[], const double sign[], double c, double v[],
                       void *params) {
  robot *const r = params;
  (void)t;
  if (!sign && !all_finite(x, r->system.dimension)) return write_nothing(r, v);
  if (!sign) return robot_plain_solve(r, x, c, v);
  const solve_call call = {.r = r, .x = x, .sign = sign, .c = c, .v = v};
  return robot_guarded(r, make_solution, (void *)&call);
}

/* ---- event functions ------------------------------------------------------------------------- */

typedef struct guard_call {
  robot *r;
  const double *x, *v; /* v: NULL for values alone */
  const size_t *which; /* NULL: all */
  size_t count;
  double *h, *rate;
  const double *along; /* velocities of bodies along v */
} guard_call;

static double touch_rate(const guard_call *c, const robot_pair *p, const robot_touch *touch) {
  double velocity[3];
  robot_distance_velocity(&c->r->model, c->r->data, p->geom, c->along, touch->pos, velocity);
  return mju_dot3(velocity, touch->normal);
}

/*
 * MuJoCo has no corner of a box touch a plane that is above the box's middle, however deep it is.
 * So what has to be positive for a contact is the lesser of two: the depth, and how far below it
 * is.
 */
static void hold_below_middle(const guard_call *c, const robot_pair *p, const robot_touch *corner,
                              double *h, double *rate) {
  const mjData *d = c->r->data;
  robot_touch middle = *corner;
  double from[3];
  mju_copy3(middle.pos, d->geom_xpos + 3 * p->geom[1]);
  mju_sub3(from, middle.pos, d->geom_xpos + 3 * p->geom[0]);
  const double below = mju_dot3(from, corner->normal) - corner->dist;
  if (below >= *h) return;
  *h = below;
  if (c->v) *rate = touch_rate(c, p, &middle) - touch_rate(c, p, corner);
}

static bool is_box_on_plane(const robot *r, const robot_pair *p) {
  const int *const type = r->model.geom_type;
  return type[p->geom[0]] == mjGEOM_PLANE && type[p->geom[1]] == mjGEOM_BOX;
}

static void make_guard(const guard_call *c, size_t k, double *h, double *rate) {
  const robot_shared *s = c->r->shared;
  const robot_event *e = &s->events[k];
  if (e->fixed) {
    *h = (double)e->fixed;
    if (c->v) *rate = 0.0;
    return;
  }
  if (e->of == ROBOT_OF_JOINT || e->of == ROBOT_OF_TENDON) {
    double away = 0.0;
    *h = -robot_stage_limit(c->r, e, c->v ? c->r->speed : NULL, &away);
    if (c->v) *rate = -away;
    return;
  }
  const robot_pair *p = &s->pairs[e->object];
  robot_touch found;
  if (e->of == ROBOT_OF_WATCH) robot_found_distance(c->r, p, &found);
  const robot_touch *touch = e->of == ROBOT_OF_WATCH ? &found : robot_point(c->r, k);
  *h = p->margin - touch->dist;
  if (c->v) *rate = -touch_rate(c, p, touch);
  if (e->of == ROBOT_OF_PAIR && is_box_on_plane(c->r, p)) hold_below_middle(c, p, touch, h, rate);
}

static bool is_force(const guard_call *c, size_t i) {
  const size_t k = c->which ? c->which[i] : i;
  return c->r->shared->events[k].of == ROBOT_OF_FORCE;
}

/* the contact of a force */
static size_t contact_of(const guard_call *c, size_t i) {
  return (c->which ? c->which[i] : i) - c->r->shared->force_events;
}

/* event functions that are forces, at a state */
static void make_forces(const guard_call *c, const double x[], double out[]) {
  robot_stage_kinematics(c->r, x);
  robot_stage_velocities(c->r, x + c->r->model.nq);
  for (size_t i = 0; i < c->count; ++i)
    if (is_force(c, i)) out[i] = robot_twin_force(c->r, contact_of(c, i));
}

static bool is_without_rate(const guard_call *c, size_t i) {
  return is_force(c, i) && !robot_twin_knows_rate(c->r, contact_of(c, i));
}

/* rates of forces between two bodies whose points move in both: differences along the direction, of
 * a length at which both errors are small */
static void make_differences(const guard_call *c) {
  const size_t n = c->r->system.dimension, events = c->r->system.event_count;
  double *const at = c->r->shifted, *const before = at + n, *const after = before + events;
  double largest = 0.0;
  for (size_t i = 0; i < n; ++i) largest = fmax(largest, fabs(c->v[i]));
  const double span = largest > 0.0 ? 1e-5 / largest : 1.0;
  for (int side = -1; side <= 1; side += 2) {
    for (size_t i = 0; i < n; ++i) at[i] = c->x[i] + side * span * c->v[i];
    make_forces(c, at, side < 0 ? before : after);
  }
  for (size_t i = 0; i < c->count; ++i)
    if (is_without_rate(c, i)) c->rate[i] = (after[i] - before[i]) / (2.0 * span);
}

/* whether any of them is one by which `is` holds */
static bool any(const guard_call *c, bool (*is)(const guard_call *c, size_t i)) {
  size_t i = 0;
  while (i < c->count && !is(c, i)) ++i;
  return i < c->count;
}

/* forces that are event functions, and the velocities of bodies along v */
static void make_forces_and_rates(guard_call *c) {
  robot *const r = c->r;
  const size_t nq = (size_t)r->model.nq;
  if (c->v && any(c, is_without_rate)) make_differences(c);
  make_forces(c, c->x, c->h);
  if (!c->v) return;
  robot_velocities(&r->model, c->x, c->v, r->speed);
  robot_twist(&r->model, r->data, r->speed, c->x + nq, c->v + nq, r->along, r->change);
  c->along = r->along;
  for (size_t i = 0; i < c->count; ++i)
    if (is_force(c, i) && !is_without_rate(c, i))
      c->rate[i] = robot_twin_force_rate(r, contact_of(c, i));
}

/* The velocities along v. Along the field they are the state's own, to the last bit: what the field
 * has found of them stands. */
static void find_speed(const guard_call *c) {
  const mjModel *m = &c->r->model;
  const double *const own = c->x + m->nq;
  double *const rates = c->r->shifted;
  robot_position_rates(m, c->x, own, rates);
  if (memcmp(rates, c->v, (size_t)m->nq * sizeof *rates) == 0)
    memcpy(c->r->speed, own, (size_t)m->nv * sizeof *own);
  else
    robot_velocities(m, c->x, c->v, c->r->speed);
}

static void make_guards(void *context) {
  guard_call *c = context;
  if (robot_twin_has_forces(c->r->shared) && any(c, is_force)) {
    make_forces_and_rates(c);
  } else {
    (c->v ? robot_stage_kinematics : robot_stage_places)(c->r, c->x);
    if (c->v) {
      find_speed(c);
      robot_stage_velocities(c->r, c->r->speed);
    }
    c->along = c->r->data->cvel;
  }
  for (size_t i = 0; i < c->count; ++i)
    if (!is_force(c, i))
      make_guard(c, c->which ? c->which[i] : i, &c->h[i], c->rate ? &c->rate[i] : NULL);
}

static int call_guards(guard_call *c) {
  const size_t n = c->r->system.dimension;
  if (all_finite(c->x, n) && (!c->v || all_finite(c->v, n)))
    return robot_guarded(c->r, make_guards, c);
  for (size_t i = 0; i < c->count; ++i) {
    c->h[i] = NAN;
    if (c->rate) c->rate[i] = NAN;
  }
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  robot *const r = params;
  guard_call call = {.r = r, .x = x, .count = r->system.event_count, .h = h};
  return call_guards(&call);
}

static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  (void)vt;
  (void)t;
  robot *const r = params;
  guard_call call = {.r = r, .x = x, .v = v, .which = which, .count = count, .h = h, .rate = rate};
  return call_guards(&call);
}

const robot_finding *robot_refused_contact(robot *r, const double x[]) {
  const robot_shared *s = r->shared;
  for (size_t k = s->row_events; k < s->force_events; ++k) {
    double h = -1.0;
    if (follows(r, k)) continue;
    guard_call call = {.r = r, .x = x, .which = &k, .count = 1, .h = &h};
    for (size_t i = 0; call_guards(&call) == 0 && h > 0.0 && i < s->finding_count; ++i)
      if (s->findings[i].events > 0 && s->findings[i].first_event == k) return &s->findings[i];
  }
  return NULL;
}

static int idle(bool idle[], void *params) {
  robot_stage_idle(params, idle);
  return 0;
}

static int plain_field(double t, const double x[], double dxdt[], void *params) {
  robot *const r = params;
  (void)t;
  if (!all_finite(x, r->system.dimension)) return write_nothing(r, dxdt);
  return robot_plain_field(r, x, dxdt);
}

ess_system robot_system_of(robot *r) {
  const mjModel *m = &r->model;
  ess_system system = {.dimension = (size_t)(m->nq + m->nv + m->na),
                       .event_count = r->shared->event_count,
                       .field = field,
                       .field_solve = field_solve,
                       .event_functions = event_functions,
                       .event_rates = event_rates,
                       .plain_field = plain_field,
                       .distances = r->shared->distances,
                       .idle = idle,
                       .params = r};
  robot_twin_give_resets(r, &system);
  return system;
}

/* ---- as MuJoCo itself has it ----------------------------------------------------------------- */

typedef struct plain_call {
  robot *r;
  const double *x;
  mjModel model; /* the compiled one, solved as exactly as ours */
} plain_call;

static void make_plain(void *context) {
  plain_call *c = context;
  const mjModel *m = &c->model;
  mjData *d = c->r->data;
  memcpy(d->qpos, c->x, (size_t)m->nq * sizeof *c->x);
  memcpy(d->qvel, c->x + m->nq, (size_t)m->nv * sizeof *c->x);
  memcpy(d->act, c->x + m->nq + m->nv, (size_t)m->na * sizeof *c->x);
  // a twin's springs are MuJoCo's own here
  mju_zero(d->qfrc_applied, (int)m->nv);
  mj_forward(m, d);
  robot_stage_keep(m, d);
  robot_damped_note(c->r, c->x);
}

int robot_plain_field(robot *r, const double x[], double dxdt[]) {
  plain_call call = {.r = r, .x = x, .model = r->model};
  call.model.jnt_range = r->shared->model->jnt_range;
  call.model.tendon_range = r->shared->model->tendon_range;
  robot_stage_forget(r);
  if (*r->shared->unfit || !all_finite(x, r->system.dimension)) {
    snprintf(r->failure, sizeof r->failure, "%s",
             *r->shared->unfit ? r->shared->unfit : "the state is not finite");
    return -1;
  }
  const int status = robot_guarded(r, make_plain, &call);
  robot_stage_forget(r);
  if (status == 0) write_rates(&r->model, r->data, x, dxdt);
  return status;
}

static void make_plain_solution(void *context) {
  const solve_call *c = context;
  robot_damped_solve_plain(c->r, c->x, c->c, c->v);
}

/* A twin's rows say little of its springs: they are known by the signs of its event functions. */
static int solve_twin(robot *r, const double x[], double c, double v[]) {
  const ess_system *const s = &r->system;
  double *const sign = r->shifted; // has room for all
  int status = robot_damped_signs(r, x, sign) ? 0 : s->event_functions(0.0, x, sign, r);
  for (size_t k = 0; !status && k < s->event_count; ++k) sign[k] = sign[k] > 0.0 ? 1.0 : -1.0;
  return status ? status : s->field_solve(0.0, x, sign, c, v, r);
}

int robot_plain_solve(robot *r, const double x[], double c, double v[]) {
  const solve_call call = {.r = r, .x = x, .c = c, .v = v};
  if (r->shared->stiffness > 0.0) return solve_twin(r, x, c, v);
  if (!robot_damped_has_plain(r, x) && robot_plain_field(r, x, r->shifted)) return -1;
  return robot_guarded(r, make_plain_solution, (void *)&call);
}
