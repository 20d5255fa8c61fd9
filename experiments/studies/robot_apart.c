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

double robot_apart(const study_run *run, const robot_track *t, const robot_track *of,
                   size_t count) {
  if (t->reached < count || count < 2) return NAN;
  const bool all = counts_all(t, count);
  double sum = 0.0, counted = 0.0;
  for (size_t i = 1; i < count; i++) {
    if (!all && !t->at_end[i]) continue;
    const double apart = robot_apart_at(run, t, of, i);
    sum += apart * apart;
    counted += 1.0;
  }
  return sqrt(sum / counted);
}

double robot_bodies_apart(const study_run *run, const robot_track *t, const robot_track *of,
                          size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension, numbers = 3 * c->size.bodies;
  double *const here = malloc((2 * numbers + 1) * sizeof *here), *const there = here + numbers;
  if (!here || t->reached < count || count < 2 || numbers < 6) {
    free(here);
    return NAN;
  }
  const bool all = counts_all(t, count);
  double sum = 0.0, counted = 0.0;
  for (size_t i = 1; i < count; i++) {
    if (!all && !t->at_end[i]) continue;
    if (robot_body_positions(c->robot, t->states + i * n, here) ||
        robot_body_positions(c->robot, of->states + i * n, there))
      break;
    for (size_t k = 3; k < numbers; k++) sum += (here[k] - there[k]) * (here[k] - there[k]);
    counted += 1.0;
  }
  free(here);
  // the world's origin does not move
  return sqrt(sum / (counted * (double)(c->size.bodies - 1)));
}
