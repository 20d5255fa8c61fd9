/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far two runs of a robot are apart. */
#include <math.h>
#include <stdlib.h>

#include "robot_study.h"

/* sum of squares over positions and velocities; quaternions of both are of unit length */
static double squares(const robot_case *c, const double x[], const double y[]) {
  double sum = 0.0;
  for (size_t i = 0; i < c->size.nq + c->size.nv; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

double robot_track_size(const study_run *run, const robot_track *t, size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension, numbers = c->size.nq + c->size.nv;
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < numbers; k++) sum += t->states[i * n + k] * t->states[i * n + k];
  return sqrt(sum / ((double)count * (double)numbers));
}

double robot_apart_at(const study_run *run, const robot_track *t, const robot_track *of, size_t i) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  return sqrt(squares(c, t->states + i * n, of->states + i * n) /
              (double)(c->size.nq + c->size.nv));
}

/* whether the states between the ends of steps count, too: where hardly any output is such an end
 */
static bool counts_all(const robot_track *t, size_t count) {
  size_t ends = 0;
  for (size_t i = 1; i < count; i++) ends += t->at_end[i];
  return 20 * ends < count - 1;
}

const robot_error robot_error_unknown = {NAN, NAN, NAN};

robot_error robot_error_smaller(robot_error a, robot_error b) {
  return (robot_error){fmin(a.states, b.states), fmin(a.bodies, b.bodies),
                       fmin(a.hinges, b.hinges)};
}

static double larger(double a, double b) {
  return isnan(a) || a >= b ? a : b;
}

robot_error robot_error_larger(robot_error a, robot_error b) {
  return (robot_error){larger(a.states, b.states), larger(a.bodies, b.bodies),
                       larger(a.hinges, b.hinges)};
}

/* ---- sums of squares at one output ----------------------------------------------------------- */

static double hinges_at(const robot_case *c, const double x[], const double y[]) {
  double sum = 0.0;
  for (size_t i = 0; i < c->hinges; i++) {
    const double off = x[c->hinge[i]] - y[c->hinge[i]];
    sum += off * off;
  }
  return sum;
}

/* origins of bodies but the world's, by two states; NaN where MuJoCo fails */
static double bodies_at(const robot_case *c, const double x[], const double y[], double room[]) {
  const size_t numbers = 3 * c->size.bodies;
  double sum = 0.0;
  if (robot_body_positions(c->robot, x, room) || robot_body_positions(c->robot, y, room + numbers))
    return NAN;
  for (size_t k = 3; k < numbers; k++)
    sum += (room[k] - room[numbers + k]) * (room[k] - room[numbers + k]);
  return sum;
}

/* ---- of two runs ----------------------------------------------------------------------------- */

robot_error robot_apart(const study_run *run, const robot_track *t, const robot_track *of,
                        size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  double *const room = malloc((6 * c->size.bodies + 1) * sizeof *room);
  if (!room || t->reached < count || count < 2) {
    free(room);
    return robot_error_unknown;
  }
  const bool all = counts_all(t, count);
  robot_error sum = {0};
  double counted = 0.0;
  for (size_t i = 1; i < count; i++) {
    if (!all && !t->at_end[i]) continue;
    const double *const here = t->states + i * n, *const there = of->states + i * n;
    sum.states += squares(c, here, there);
    sum.bodies += bodies_at(c, here, there, room);
    sum.hinges += hinges_at(c, here, there);
    counted += 1.0;
  }
  free(room);
  return (robot_error){sqrt(sum.states / (counted * (double)(c->size.nq + c->size.nv))),
                       sqrt(sum.bodies / (counted * (double)(c->size.bodies - 1))),
                       sqrt(sum.hinges / (counted * (double)c->hinges))};
}
