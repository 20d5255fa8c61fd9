/*
 * States of a robot: where they start, and what they look like.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "robot_damped.h"
#include "robot_instance.h"
#include "robot_stage.h"

void robot_set_control(robot *r, const double ctrl[]) {
  memcpy(r->data->ctrl, ctrl, (size_t)r->model.nu * sizeof *ctrl);
}

void robot_forget(robot *r) {
  robot_stage_reset(r);
  robot_damped_forget(r);
}

static void write_state(const mjModel *m, const double q[], const double v[], const double act[],
                        double x[]) {
  memset(x, 0, (size_t)(m->nq + m->nv + m->na) * sizeof *x);
  memcpy(x, q, (size_t)m->nq * sizeof *x);
  if (v) memcpy(x + m->nq, v, (size_t)m->nv * sizeof *x);
  if (act) memcpy(x + m->nq + m->nv, act, (size_t)m->na * sizeof *x);
}

void robot_reset_state(const robot *r, double x[]) {
  write_state(&r->model, r->model.qpos0, NULL, NULL, x);
}

bool robot_keyframe(const robot *r, size_t k, double x[]) {
  const mjModel *m = &r->model;
  if (k >= (size_t)m->nkey) return false;
  write_state(m, m->key_qpos + k * (size_t)m->nq, m->key_qvel + k * (size_t)m->nv,
              m->key_act + k * (size_t)m->na, x);
  return true;
}

void robot_normalise(const robot *r, double x[]) {
  mj_normalizeQuat(&r->model, x);
}

typedef struct pose_call {
  robot *r;
  const double *x;
} pose_call;

static void make_poses(void *context) {
  const pose_call *c = context;
  robot_stage_poses(c->r, c->x);
}

int robot_body_positions(robot *r, const double x[], double xpos[]) {
  pose_call call = {.r = r, .x = x};
  if (robot_guarded(r, make_poses, &call) != 0) return -1;
  memcpy(xpos, r->data->xpos, 3 * (size_t)r->model.nbody * sizeof *xpos);
  return 0;
}
