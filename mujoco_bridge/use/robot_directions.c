/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "robot_directions.h"

#include <string.h>

#include "robot_instance.h"
#include "robot_rates.h"

size_t robot_directions(const robot *r) {
  return (size_t)(2 * r->model.nv + r->model.na);
}

void robot_rate_of_direction(const robot *r, const double x[], const double way[], double dx[]) {
  const mjModel *const m = &r->model;
  robot_position_rates(m, x, way, dx);
  memcpy(dx + m->nq, way + m->nv, (size_t)(m->nv + m->na) * sizeof *dx);
}

void robot_direction_of_rate(const robot *r, const double x[], const double dx[], double way[]) {
  const mjModel *const m = &r->model;
  robot_velocities(m, x, dx, way);
  memcpy(way + m->nv, dx + m->nq, (size_t)(m->nv + m->na) * sizeof *dx);
}

void robot_move(const robot *r, const double x[], const double way[], double by, double out[]) {
  const mjModel *const m = &r->model;
  memcpy(out, x, (size_t)m->nq * sizeof *x);
  mj_integratePos(m, out, way, by);
  for (mjtSize i = 0; i < m->nv + m->na; i++) out[m->nq + i] = x[m->nq + i] + by * way[m->nv + i];
}

void robot_difference(const robot *r, const double x[], const double y[], double way[]) {
  const mjModel *const m = &r->model;
  mj_differentiatePos(m, way, 1.0, x, y);
  for (mjtSize i = 0; i < m->nv + m->na; i++) way[m->nv + i] = y[m->nq + i] - x[m->nq + i];
}
