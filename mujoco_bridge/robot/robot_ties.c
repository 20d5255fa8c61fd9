/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_ties.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_status.h"

/* Newton's steps, how long one may be (rad, m), and what an equality is met to */
enum { STEPS_MAX = 200 };
static const double longest = 0.2, met = 1e-11;

/* of the largest row of J J': rows that say the same thing twice have no inverse */
static const double regular = 1e-12;

/* equalities alone, at a state */
typedef struct ties {
  mjModel model; /* the robot's, but for its options */
  mjData *data;
  const double *pose;
  double *x;          /* moved */
  double *goal;       /* [rows], of the pose */
  double *system;     /* [rows * rows] */
  double *multiplier; /* [rows], and [nv] behind it */
  int rows;
  double left;   /* of the equalities, the most of a row */
  double broken; /* by the pose, likewise */
} ties;

/* ---- rows ------------------------------------------------------------------------------------ */

static void make_rows(ties *t, const double q[]) {
  mju_copy(t->data->qpos, q, (int)t->model.nq);
  mj_fwdPosition(&t->model, t->data);
}

static double largest(const double x[], int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

/* out[nv] = J' (J J')^-1 b[rows]: the least motion that changes the rows by b; b is lost */
static void least_motion(ties *t, double b[], double out[]) {
  const int rows = t->rows, nv = (int)t->model.nv;
  const double *const J = t->data->efc_J;
  mju_mulMatMatT(t->system, J, J, rows, nv, rows);
  double scale = 0.0;
  for (int i = 0; i < rows; ++i) scale = fmax(scale, t->system[i * (rows + 1)]);
  for (int i = 0; i < rows; ++i) t->system[i * (rows + 1)] += regular * (scale + mjMINVAL);
  mju_cholFactor(t->system, rows, mjMINVAL);
  mju_cholSolve(b, t->system, b, rows);
  mju_mulMatTVec(out, J, b, rows, nv);
}

/* ---- a state --------------------------------------------------------------------------------- */

static void move_positions(ties *t) {
  const int rows = t->rows, nv = (int)t->model.nv;
  double *const b = t->multiplier, *const way = b + rows;
  for (int i = 0; i < STEPS_MAX; ++i) {
    make_rows(t, t->x);
    mju_sub(b, t->goal, t->data->efc_pos, rows);
    t->left = largest(b, rows);
    if (!(t->left > met)) return;
    least_motion(t, b, way);
    const double length = largest(way, nv);
    mj_integratePos(&t->model, t->x, way, length > longest ? longest / length : 1.0);
  }
}

/* what the start's velocities have beyond the pose's own */
static void move_velocities(ties *t) {
  const int nq = (int)t->model.nq, nv = (int)t->model.nv;
  double *const b = t->multiplier, *const way = b + t->rows, *const v = t->x + nq;
  mju_sub(v, v, t->pose + nq, nv);
  mju_mulMatVec(b, t->data->efc_J, v, t->rows, nv);
  least_motion(t, b, way);
  mju_subFrom(v, way, nv);
  mju_addTo(v, t->pose + nq, nv);
}

/* the rows of the pose, and room for what they are solved by; false: no room */
static bool begin(ties *t) {
  t->data = mj_makeData(&t->model);
  if (!t->data) return false;
  make_rows(t, t->pose);
  t->rows = t->data->ne;
  const size_t rows = (size_t)t->rows, nv = (size_t)t->model.nv;
  t->goal = calloc(rows + 1, sizeof *t->goal);
  t->system = calloc(rows * rows + 1, sizeof *t->system);
  t->multiplier = calloc(rows + nv, sizeof *t->multiplier);
  if (!t->goal || !t->system || !t->multiplier) return false;
  if (rows) memcpy(t->goal, t->data->efc_pos, rows * sizeof *t->goal);
  t->broken = largest(t->goal, t->rows);
  return true;
}

static void keep(void *context) {
  ties *const t = context;
  if (!begin(t)) t->left = NAN;
  if (t->left != 0.0 || !t->rows) return;
  move_positions(t);
  if (t->left <= met) move_velocities(t);
}

static void measure(void *context) {
  ties *const t = context;
  if (!begin(t)) t->left = NAN;
}

/* dense rows of equalities and of nothing else */
static ties ties_of(const mjModel *m, const double pose[], double x[]) {
  ties t = {.model = *m, .pose = pose, .x = x};
  t.model.opt.jacobian = mjJAC_DENSE;
  t.model.opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_ISLAND;
  t.model.opt.enableflags &= ~mjENBL_SLEEP;
  return t;
}

static int run(ties *t, void (*work)(void *context), char message[ROBOT_MESSAGE_SIZE]) {
  bridge_complaint complaint;
  bridge_guarded(work, t, &complaint);
  if (t->data) mj_deleteData(t->data);
  free(t->goal);
  free(t->system);
  free(t->multiplier);
  if (!complaint.error && !isnan(t->left)) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "mujoco: %s",
           complaint.error ? complaint.text : "no room for equalities");
  return BRIDGE_FAILED;
}

int robot_ties_keep(const mjModel *m, const double pose[], double x[],
                    char message[ROBOT_MESSAGE_SIZE]) {
  if (m->neq == 0) return 0;
  ties t = ties_of(m, pose, x);
  const int status = run(&t, keep, message);
  if (status || t.left <= fmax(1e3 * met, t.broken)) return status;
  snprintf(message, ROBOT_MESSAGE_SIZE,
           "raised and tilted so, it breaks its equalities by %.2g, and no state near it meets "
           "them; a smaller --height and --tilt are accepted, 0 as well",
           t.left);
  return BRIDGE_REFUSED;
}

int robot_ties_broken(const mjModel *m, const double x[], double *by,
                      char message[ROBOT_MESSAGE_SIZE]) {
  *by = 0.0;
  if (m->neq == 0) return 0;
  ties t = ties_of(m, x, NULL);
  const int status = run(&t, measure, message);
  *by = t.broken;
  return status;
}
