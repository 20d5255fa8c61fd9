/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "robot_controls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot_instance.h"
#include "robot_numbers.h"
#include "robot_table.h"
#include "solver.h"

/* how close to a tick a time is taken for it, in periods */
static const double rounding = 1e-9;

static int allocate(robot_controls *c, size_t count, char message[ROBOT_MESSAGE_SIZE]) {
  c->count = count;
  c->value = calloc(count * c->nu + 1, sizeof *c->value);
  if (c->value) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
  return SOLVER_FAILED;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int set_constant(robot_controls *c, const double numbers[], size_t count, const char *text,
                        char message[ROBOT_MESSAGE_SIZE]) {
  if (count != 1 && count != c->nu) {
    char one_each[64] = "";
    if (c->nu > 1) snprintf(one_each, sizeof one_each, ", or %zu, one for each", c->nu);
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "--ctrl %.60s has %zu numbers; accepted is one number for all actuators%s", text,
             count, one_each);
    return SOLVER_REFUSED;
  }
  if (allocate(c, 1, message)) return SOLVER_FAILED;
  for (size_t i = 0; i < c->nu; ++i) c->value[i] = numbers[count == 1 ? 0 : i];
  return 0;
}

/* ---- a table --------------------------------------------------------------------------------- */

static const char *actuator_name(const robot *r, size_t i, char room[ROBOT_NAME_SIZE]) {
  (void)room;
  return mj_id2name(r->shared->model, mjOBJ_ACTUATOR, (int)i);
}

static int set_table(const robot *r, robot_controls *c, const char *path,
                     char message[ROBOT_MESSAGE_SIZE]) {
  const robot_table_of of = {"--ctrl", "actuator", ", and a row is held for --period", c->nu,
                             actuator_name};
  return robot_table_read(r, &of, path, &c->value, &c->count, message);
}

/* those that the model's own start has */
static int set_own(const robot *r, robot_controls *c, char message[ROBOT_MESSAGE_SIZE]) {
  const mjModel *const m = r->shared->model;
  if (allocate(c, 1, message)) return SOLVER_FAILED;
  if (m->nkey > 0) memcpy(c->value, m->key_ctrl, c->nu * sizeof *c->value);
  return 0;
}

/* ---- what others see ------------------------------------------------------------------------- */

int robot_controls_read(const robot *r, const char *text, double period, robot_controls *out,
                        char message[ROBOT_MESSAGE_SIZE]) {
  *out = (robot_controls){.nu = robot_size(r).nu, .period = period};
  if (!text) return set_own(r, out, message);
  if (out->nu == 0) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "--ctrl %.60s is not accepted; the model has no actuator",
             text);
    return SOLVER_REFUSED;
  }
  size_t count;
  double *const numbers = robot_numbers_parse(text, &count);
  int status =
      numbers ? set_constant(out, numbers, count, text, message) : set_table(r, out, text, message);
  free(numbers);
  if (status) robot_controls_free(out);
  return status;
}

void robot_controls_free(robot_controls *c) {
  free(c->value);
  free(c->joint);
  c->value = NULL;
  c->joint = NULL;
}

/* ---- a PD controller ------------------------------------------------------------------------- */

/* why actuator i is none that a PD controller may have; NULL: it is one */
static const char *unfit_for_pd(const mjModel *m, int i) {
  const int type = m->actuator_trntype[i], joint = m->actuator_trnid[2 * i];
  if ((type != mjTRN_JOINT && type != mjTRN_JOINTINPARENT) ||
      (m->jnt_type[joint] != mjJNT_HINGE && m->jnt_type[joint] != mjJNT_SLIDE))
    return "acts on no hinge or slide";
  if (m->actuator_gaintype[i] != mjGAIN_FIXED || m->actuator_biastype[i] != mjBIAS_NONE)
    return "has a force that is not a gain times its control";
  return NULL;
}

static int find_joints(const robot *r, robot_controls *c, char message[ROBOT_MESSAGE_SIZE]) {
  const mjModel *const m = r->shared->model;
  for (size_t i = 0; i < c->nu; ++i) {
    const char *const why = unfit_for_pd(m, (int)i);
    if (why) {
      snprintf(message, ROBOT_MESSAGE_SIZE,
               "--pd is not accepted: actuator %zu (%.100s) %s; a PD controller needs motors of "
               "hinges or slides",
               i + 1, robot_actuator_name(r, i), why);
      return SOLVER_REFUSED;
    }
    const int joint = m->actuator_trnid[2 * i];
    c->joint[i][0] = (size_t)m->jnt_qposadr[joint];
    c->joint[i][1] = (size_t)m->jnt_dofadr[joint];
  }
  return 0;
}

int robot_controls_track(const robot *r, const char *gains, bool own, robot_controls *c,
                         char message[ROBOT_MESSAGE_SIZE]) {
  const mjModel *const m = r->shared->model;
  size_t count;
  double *const numbers = robot_numbers_parse(gains, &count);
  const bool fits = numbers && count == 2 && numbers[0] >= 0.0 && numbers[1] >= 0.0;
  if (fits) {
    c->kp = numbers[0];
    c->kd = numbers[1];
  }
  free(numbers);
  snprintf(message, ROBOT_MESSAGE_SIZE,
           c->nu > 0 ? "--pd %.60s is not accepted; it is two numbers >= 0 with a comma between"
                     : "--pd %.60s is not accepted; the model has no actuator",
           gains);
  if (!fits || c->nu == 0) return SOLVER_REFUSED;
  c->joint = calloc(c->nu, sizeof *c->joint);
  if (!c->joint) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
    return SOLVER_FAILED;
  }
  const int status = find_joints(r, c, message);
  const double *const pose = m->nkey > 0 ? m->key_qpos : m->qpos0;
  for (size_t i = 0; !status && own && i < c->nu; ++i) c->value[i] = pose[c->joint[i][0]];
  return status;
}

const double *robot_controls_at(const robot_controls *c, double t, double *until) {
  const double periods = floor(t / c->period + rounding);
  const bool last = c->count == 1 || periods >= (double)(c->count - 1);
  const size_t row = last ? c->count - 1 : periods > 0.0 ? (size_t)periods : 0;
  if (until) *until = last ? INFINITY : (double)(row + 1) * c->period;
  return c->value + row * c->nu;
}

const double *robot_controls_hold(const robot_controls *c, double t, const double q[],
                                  const double v[], robot_held *held) {
  if (t < held->until - rounding * c->period) return held->ctrl;
  const double *const row = robot_controls_at(c, t, &held->until);
  if (c->joint) held->until = (floor(t / c->period + rounding) + 1.0) * c->period;
  for (size_t i = 0; i < c->nu; ++i)
    held->ctrl[i] =
        c->joint ? c->kp * (row[i] - q[c->joint[i][0]]) - c->kd * v[c->joint[i][1]] : row[i];
  return held->ctrl;
}
