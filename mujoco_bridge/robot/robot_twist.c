/*
 * A joint's axis is a motion of space, fixed in the body before it, or for a ball in its own: it is
 * carried along by that body's velocity. R. Featherstone, Rigid Body Dynamics Algorithms, Springer
 * 2008, chapter 2.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_twist.h"

#include <string.h>

/* out += s (a x b), of two motions about the same point */
static void add_carried(double out[6], double s, const double a[6], const double b[6]) {
  double spin[3], moved[3], turned[3];
  mju_cross(spin, a, b);
  mju_cross(moved, a + 3, b);
  mju_cross(turned, a, b + 3);
  for (int i = 0; i < 3; ++i) {
    out[i] += s * spin[i];
    out[i + 3] += s * (moved[i] + turned[i]);
  }
}

static void add(double out[6], double s, const double a[6]) {
  for (int i = 0; i < 6; ++i) out[i] += s * a[i];
}

void robot_twist(const mjModel *m, const mjData *d, const double speed[], const double v[],
                 const double dv[], double along[], double change[]) {
  memset(along, 0, 6 * sizeof *along);
  memset(change, 0, 6 * sizeof *change);
  for (int body = 1; body < (int)m->nbody; ++body) {
    double *const here = along + 6 * body, *const rate = change + 6 * body;
    memcpy(here, along + 6 * m->body_parentid[body], 6 * sizeof *here);
    memcpy(rate, change + 6 * m->body_parentid[body], 6 * sizeof *rate);
    const int first = m->body_jntadr[body];
    for (int joint = first; joint < first + m->body_jntnum[body]; ++joint) {
      const int type = m->jnt_type[joint], at = m->jnt_dofadr[joint];
      const int shifts = type == mjJNT_FREE ? 3 : 0; // along the world's axes, which stay
      const int turns = type == mjJNT_FREE || type == mjJNT_BALL ? 3 : 0;
      const int end = at + shifts + (turns ? turns : 1);
      for (int i = at; turns && i < end; ++i) add(here, speed[i], d->cdof + 6 * i);
      for (int i = at; i < end; ++i) {
        if (i >= at + shifts) add_carried(rate, v[i], here, d->cdof + 6 * i);
        add(rate, dv[i], d->cdof + 6 * i);
      }
      if (!turns) add(here, speed[at], d->cdof + 6 * at);
    }
  }
}

void robot_twist_at(const mjModel *m, const mjData *d, const double twist[], int geom,
                    const double point[3], double out[3]) {
  const int body = m->geom_bodyid[geom];
  const double *const com = d->subtree_com + 3 * m->body_rootid[body];
  const double *const turn = twist + 6 * body, *const along = turn + 3;
  const double x = point[0] - com[0], y = point[1] - com[1], z = point[2] - com[2];
  out[0] = turn[1] * z - turn[2] * y + along[0];
  out[1] = turn[2] * x - turn[0] * z + along[1];
  out[2] = turn[0] * y - turn[1] * x + along[2];
}
