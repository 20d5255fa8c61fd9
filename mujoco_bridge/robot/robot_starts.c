/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_starts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_status.h"
#include "robot_instance.h"
#include "robot_numbers.h"
#include "robot_ties.h"

/* A joint that is closer to its limit than this share of its range is moved there: on the limit
 * itself rounding would decide whether it acts. */
static const double inside = 0.05;

/* A given pose is taken as it is, but for joints that stand on a limit to rounding: those are moved
 * inside by so much of their range. */
static const double rounding = 1e-9, off = 1e-6;

/* What touches to this, m, is raised by so much. */
static const double touching = 1e-12, raised = 1e-9;

/* of an axis that counts as vertical or horizontal */
static const double aligned = 1e-6;

/* where start 0 is tilted to, rad from the first horizontal axis: no axis of a robot's symmetry,
 * along which two feet would land at once */
static const double tilt_direction = 0.4;

/* what a start is made with */
typedef struct making {
  const mjModel *m;
  mjData *d; /* of a pose; owned */
  const robot_start *start;
  uint64_t random;
  double up[3], aside[3], across[3]; /* against gravity, and two directions across it */
  double *x;
  double *pose; /* [nq + nv], as it is given; owned */
} making;

/* ---- numbers drawn --------------------------------------------------------------------------- */

/* splitmix64, in [-1, 1): the same on every machine */
static double draw(making *k) {
  uint64_t z = k->random += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1.0;
}

/* ---- the pose -------------------------------------------------------------------------------- */

/* the numeric of that name, with one number for each position; NULL where there is none */
static const double *init_qpos(const mjModel *m) {
  const int i = mj_name2id(m, mjOBJ_NUMERIC, "init_qpos");
  return i >= 0 && m->numeric_size[i] == m->nq ? m->numeric_data + m->numeric_adr[i] : NULL;
}

const char *robot_start_pose(const robot *r) {
  return *r->shared->pose              ? r->shared->pose
         : r->shared->model->nkey > 0  ? "keyframe 0"
         : init_qpos(r->shared->model) ? "init_qpos"
                                       : "qpos0";
}

static bool is_angle_or_slide(const mjModel *m, int joint) {
  return m->jnt_type[joint] == mjJNT_HINGE || m->jnt_type[joint] == mjJNT_SLIDE;
}

/* hinges and slides, those that have limits */
static void move_inside(making *k) {
  const mjModel *const m = k->m;
  for (int j = 0; j < m->njnt; ++j) {
    if (!is_angle_or_slide(m, j) || !m->jnt_limited[j]) continue;
    const double *const range = m->jnt_range + 2 * j;
    const double margin = inside * (range[1] - range[0]);
    double *const q = k->x + m->jnt_qposadr[j];
    *q = fmin(fmax(*q, range[0] + margin), range[1] - margin);
  }
}

static void move_off(making *k) {
  const mjModel *const m = k->m;
  for (int j = 0; j < m->njnt; ++j) {
    if (!is_angle_or_slide(m, j) || !m->jnt_limited[j]) continue;
    const double *const range = m->jnt_range + 2 * j, width = range[1] - range[0];
    const double low = range[0] + m->jnt_margin[j], high = range[1] - m->jnt_margin[j];
    double *const q = k->x + m->jnt_qposadr[j];
    if (fabs(*q - low) <= rounding * width)
      *q = low + off * width;
    else if (fabs(*q - high) <= rounding * width)
      *q = high - off * width;
  }
}

static int set_given(making *k, char message[ROBOT_MESSAGE_SIZE]) {
  size_t count;
  double *const numbers = robot_numbers_parse(k->start->qpos, &count);
  const size_t nq = (size_t)k->m->nq;
  if (!numbers || count != nq)
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "--qpos %.60s is not accepted; it is %zu finite numbers with commas between",
             k->start->qpos, nq);
  const bool fits = numbers && count == nq;
  if (fits) memcpy(k->x, numbers, nq * sizeof *k->x);
  free(numbers);
  return fits ? 0 : BRIDGE_REFUSED;
}

static int set_pose(making *k, const robot *r, char message[ROBOT_MESSAGE_SIZE]) {
  int status = 0;
  robot_reset_state(r, k->x);
  if (k->start->qpos)
    status = set_given(k, message);
  else if (robot_keyframe(r, 0, k->x))
    status = 0; // as it stands there
  else if (init_qpos(k->m))
    memcpy(k->x, init_qpos(k->m), (size_t)k->m->nq * sizeof *k->x);
  memcpy(k->pose, k->x, (size_t)(k->m->nq + k->m->nv) * sizeof *k->x);
  robot_normalise(r, k->pose);
  if (strcmp(k->start->qpos ? "qpos" : robot_start_pose(r), "qpos0") == 0) move_inside(k);
  move_off(k);
  return status;
}

/* ---- raised and tilted ----------------------------------------------------------------------- */

static void kinematics(void *context) {
  const making *const k = context;
  mju_copy(k->d->qpos, k->x, (int)k->m->nq);
  mj_kinematics(k->m, k->d);
}

/* against gravity; without any, the world's z */
static void find_up(making *k) {
  const double *const g = k->m->opt.gravity;
  const double length = mju_norm3(g), z[3] = {0.0, 0.0, 1.0};
  mju_copy3(k->up, z);
  if (length > 0.0) mju_scl3(k->up, g, -1.0 / length);
  const double along[3] = {fabs(k->up[0]) < 0.9, fabs(k->up[0]) >= 0.9, 0.0};
  mju_cross(k->aside, k->up, along);
  mju_normalize3(k->aside);
  mju_cross(k->across, k->up, k->aside);
}

static double along_up(const making *k, int joint) {
  return mju_dot3(k->up, k->d->xaxis + 3 * joint);
}

/* a slide that carries a body of the world straight up or down */
static bool is_lift(const making *k, int joint) {
  const mjModel *const m = k->m;
  return m->jnt_type[joint] == mjJNT_SLIDE && m->body_parentid[m->jnt_bodyid[joint]] == 0 &&
         !m->jnt_limited[joint] && fabs(along_up(k, joint)) > 1.0 - aligned;
}

static void raise_joint(making *k, int joint, double by) {
  double *const q = k->x + k->m->jnt_qposadr[joint];
  if (k->m->jnt_type[joint] == mjJNT_FREE)
    mju_addToScl3(q, k->up, by);
  else
    *q += by * (along_up(k, joint) > 0.0 ? 1.0 : -1.0);
}

/* about a horizontal axis that lies so far round */
static void tilt_free(making *k, int joint, double by, double direction) {
  double axis[3], turn[4], turned[4], *const q = k->x + k->m->jnt_qposadr[joint] + 3;
  mju_scl3(axis, k->aside, cos(direction));
  mju_addToScl3(axis, k->across, sin(direction));
  mju_axisAngle2Quat(turn, axis, by);
  mju_mulQuat(turned, turn, q);
  mju_copy4(q, turned);
}

/* a hinge of a body's own about a horizontal axis; -1 where it has none */
static int horizontal_hinge(const making *k, int body) {
  const mjModel *const m = k->m;
  for (int i = 0; i < m->body_jntnum[body]; ++i) {
    const int j = m->body_jntadr[body] + i;
    if (m->jnt_type[j] == mjJNT_HINGE && fabs(along_up(k, j)) < aligned) return j;
  }
  return -1;
}

static void tilt_joint(making *k, int joint, double by, double direction) {
  const int hinge = horizontal_hinge(k, k->m->jnt_bodyid[joint]);
  if (k->m->jnt_type[joint] == mjJNT_FREE)
    tilt_free(k, joint, by, direction);
  else if (hinge >= 0)
    k->x[k->m->jnt_qposadr[hinge]] += by;
}

/* a joint's angle or way by so much, but not past its limits */
static void turn_joint(making *k, int joint, double by) {
  const mjModel *const m = k->m;
  double *const q = k->x + m->jnt_qposadr[joint];
  const double *const range = m->jnt_range + 2 * joint, was = *q;
  *q += by;
  if (m->jnt_limited[joint] && was >= range[0] && was <= range[1])
    *q = fmin(fmax(*q, fmin(was, range[0] + inside * (range[1] - range[0]))),
              fmax(was, range[1] - inside * (range[1] - range[0])));
}

static void turn_hinges(making *k, bool drawn) {
  for (int j = 0; j < k->m->njnt; ++j)
    if (k->m->jnt_type[j] == mjJNT_HINGE)
      turn_joint(k, j, k->start->tilt * (drawn ? draw(k) : 1.0));
}

/* what is dropped, and the first of it tilted: false when there is nothing to drop */
static bool drop(making *k, double height, double tilt, double direction) {
  bool dropped = false;
  for (int j = 0; j < k->m->njnt; ++j) {
    if (k->m->jnt_type[j] != mjJNT_FREE && !is_lift(k, j)) continue;
    raise_joint(k, j, height);
    if (!dropped) tilt_joint(k, j, tilt, direction);
    dropped = true;
  }
  return dropped;
}

/* where a contact's distance is 0 to rounding, libess cannot tell on which side it begins */
static int raise_off(making *k, robot *r, char message[ROBOT_MESSAGE_SIZE]) {
  const ess_system *const s = robot_system(r);
  double *const h = calloc(s->event_count + 1, sizeof *h);
  const int status = h ? s->event_functions(0.0, k->x, h, s->params) : -1;
  bool touches = false;
  for (size_t i = 0; !status && i < s->event_count; ++i)
    touches = touches || (robot_event_is_contact(r, i) && fabs(h[i]) < touching);
  for (int j = 0; touches && j < k->m->njnt; ++j)
    if (k->m->jnt_type[j] == mjJNT_FREE || is_lift(k, j)) raise_joint(k, j, raised);
  free(h);
  if (!status) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "%.500s", h ? robot_failure(r) : "out of memory");
  return BRIDGE_FAILED;
}

static void draw_start(making *k) {
  const robot_start *const s = k->start;
  const double pi = 3.14159265358979323846;
  const double height = s->height * (1.0 + 0.5 * draw(k)), tilt = s->tilt * (1.0 + 0.5 * draw(k));
  drop(k, height, tilt, pi * draw(k));
  turn_hinges(k, true);
  for (int i = 0; i < k->m->nv; ++i) k->x[k->m->nq + i] += s->tilt * draw(k);
}

static int leave_pose(making *k, char message[ROBOT_MESSAGE_SIZE]) {
  const robot_start *const s = k->start;
  bridge_complaint complaint;
  find_up(k);
  if (!bridge_guarded(kinematics, k, &complaint)) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "mujoco: %s", complaint.text);
    return BRIDGE_FAILED;
  }
  if (s->number > 0)
    draw_start(k);
  else if (!drop(k, s->height, s->tilt, tilt_direction))
    turn_hinges(k, false);
  return 0;
}

int robot_start_state(robot *r, const robot_start *start, double x[],
                      char message[ROBOT_MESSAGE_SIZE]) {
  if (start->state) {
    memcpy(x, start->state, robot_size(r).dimension * sizeof *x);
    robot_normalise(r, x);
    return 0;
  }
  making k = {.m = r->shared->model, .start = start, .x = x, .random = start->seed * 1000003u};
  for (size_t i = 0; i < start->number; ++i) {
    // each number has a stretch of its own, far from the others
    k.random ^= 0xd1b54a32d192ed03u * (uint64_t)(i + 1);
    draw(&k);
  }
  k.pose = calloc((size_t)(k.m->nq + k.m->nv) + 1, sizeof *k.pose);
  k.d = mj_makeData(k.m);
  int status = k.pose && k.d ? set_pose(&k, r, message) : BRIDGE_FAILED;
  if (!k.pose || !k.d) snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
  if (!status) status = leave_pose(&k, message);
  robot_normalise(r, x);
  if (!status) status = robot_ties_keep(k.m, k.pose, x, message);
  if (!status) status = raise_off(&k, r, message);
  if (k.d) mj_deleteData(k.d);
  free(k.pose);
  return status;
}

int robot_start_broken(const robot *r, const double x[], double *by,
                       char message[ROBOT_MESSAGE_SIZE]) {
  return robot_ties_broken(r->shared->model, x, by, message);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* which joint a position, or with `velocity` a velocity, is of, and which of its numbers it is */
static int joint_of(const mjModel *m, int i, bool velocity, int *part) {
  const int *const first = velocity ? m->jnt_dofadr : m->jnt_qposadr;
  int j = 0;
  while (j + 1 < m->njnt && first[j + 1] <= i) ++j;
  *part = i - first[j];
  return j;
}

const char *robot_state_unit(const robot *r, size_t i) {
  const mjModel *const m = r->shared->model;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  if (i >= nq + nv) return "";
  const bool velocity = i >= nq;
  int part;
  const int type = m->jnt_type[joint_of(m, (int)(velocity ? i - nq : i), velocity, &part)];
  const bool free_way = type == mjJNT_FREE && part < 3;
  if (type == mjJNT_SLIDE || free_way) return velocity ? "m/s" : "m";
  // a quaternion's parts have none
  return velocity ? "rad/s" : type == mjJNT_HINGE ? "rad" : "";
}

void robot_state_name(const robot *r, size_t i, char name[ROBOT_NAME_SIZE]) {
  static const char *const free_parts[] = {"x", "y", "z", "qw", "qx", "qy", "qz"},
                           *const ball_parts[] = {"qw", "qx", "qy", "qz"},
                           *const rates[] = {"x", "y", "z", "wx", "wy", "wz"};
  const mjModel *const m = r->shared->model;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  if (i >= nq + nv) {
    snprintf(name, ROBOT_NAME_SIZE, "act %zu", i - nq - nv);
    return;
  }
  const bool velocity = i >= nq;
  int part;
  const int j = joint_of(m, (int)(velocity ? i - nq : i), velocity, &part);
  const int type = m->jnt_type[j];
  const char *const joint = mj_id2name(m, mjOBJ_JOINT, j), *of = "";
  if (type == mjJNT_FREE) of = velocity ? rates[part] : free_parts[part];
  if (type == mjJNT_BALL) of = velocity ? rates[3 + part] : ball_parts[part];
  char number[32];
  snprintf(number, sizeof number, "joint %d", j);
  snprintf(name, ROBOT_NAME_SIZE, "%s%.100s%s%s", velocity ? "d " : "", joint ? joint : number,
           *of ? " " : "", of);
}
