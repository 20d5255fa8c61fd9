/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_rates.h"

#include <stdbool.h>
#include <string.h>

/* where a joint's quaternion begins in q, and its velocity in v; false where it has none */
static bool quaternion_of(const mjModel *m, int joint, int *q, int *v) {
  const int type = m->jnt_type[joint], shift = type == mjJNT_FREE ? 3 : 0;
  *q = m->jnt_qposadr[joint] + shift;
  *v = m->jnt_dofadr[joint] + shift;
  return type == mjJNT_FREE || type == mjJNT_BALL;
}

/* the angular velocity is in the body's frame: q' = q w / 2 */
static void quaternion_rate(const double q[4], const double w[3], double dq[4]) {
  const double half[4] = {0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
  mju_mulQuat(dq, q, half);
}

void robot_position_rates(const mjModel *m, const double q[], const double v[], double dq[]) {
  for (int j = 0; j < (int)m->njnt; ++j) {
    int at, from;
    const bool turns = quaternion_of(m, j, &at, &from);
    const int q0 = m->jnt_qposadr[j], v0 = m->jnt_dofadr[j];
    if (m->jnt_type[j] == mjJNT_FREE) memcpy(dq + q0, v + v0, 3 * sizeof *v);
    if (turns)
      quaternion_rate(q + at, v + from, dq + at);
    else
      dq[q0] = v[v0];
  }
}

/* w = 2 q^-1 q'; what changes the quaternion's length turns nothing */
static void angular_velocity(const double q[4], const double dq[4], double w[3]) {
  const double inverse[4] = {q[0], -q[1], -q[2], -q[3]};
  double product[4];
  mju_mulQuat(product, inverse, dq);
  const double length = mju_dot(q, q, 4);
  for (int i = 0; i < 3; ++i) w[i] = 2.0 * product[i + 1] / length;
}

void robot_velocities(const mjModel *m, const double q[], const double dq[], double v[]) {
  for (int j = 0; j < (int)m->njnt; ++j) {
    int at, from;
    const bool turns = quaternion_of(m, j, &at, &from);
    const int q0 = m->jnt_qposadr[j], v0 = m->jnt_dofadr[j];
    if (m->jnt_type[j] == mjJNT_FREE) memcpy(v + v0, dq + q0, 3 * sizeof *v);
    if (turns)
      angular_velocity(q + at, dq + at, v + from);
    else
      v[v0] = dq[q0];
  }
}
