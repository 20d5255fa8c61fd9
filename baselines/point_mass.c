/*
 * One step of each of the tutorial's methods on its point mass.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "point_mass.h"

#include <math.h>

point_mass point_mass_default(void) {
  return (point_mass){.mass = 10.0, .gravity = 9.81, .time_step = 1e-3, .restitution = 0.7};
}

static void step_explicit(const point_mass *p, double force, point_mass_state *s) {
  const double v = s->v;
  s->v += p->time_step * (force / p->mass - p->gravity);
  s->z += p->time_step * v;
}

double point_mass_step_hybrid(const point_mass *p, point_mass_state *s) {
  double force = 0.0;
  if (s->z < 0.0) {
    const double after = -p->restitution * s->v;
    force = p->mass * (after - s->v) / p->time_step;
    *s = (point_mass_state){.z = 0.0, .v = after};
  }
  step_explicit(p, 0.0, s);
  return force;
}

double point_mass_smooth_force(point_mass_state s) {
  const double stiffness = 0.01, damping = 0.1, largest = 1500.0, steepness = 100.0;
  const double scale = 0.5 * largest / stiffness;
  const double depth = scale * (1.0 - tanh(steepness * s.z));
  return depth * (stiffness - damping * s.v);
}

double point_mass_step_smooth(const point_mass *p, point_mass_state *s) {
  const double force = point_mass_smooth_force(*s);
  step_explicit(p, force, s);
  return force;
}

double point_mass_step_complementarity(const point_mass *p, point_mass_state *s) {
  const double dt = p->time_step;

  // where the step ends without a force, and what takes it to the ground from below
  const double free_v = s->v - dt * p->gravity;
  const double force = fmax(0.0, -(s->z + dt * free_v) * p->mass / (dt * dt));
  s->v = free_v + dt * force / p->mass;
  s->z += dt * s->v;
  return force;
}
