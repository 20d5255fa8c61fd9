/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs by MuJoCo in the study of rigid contacts against soft ones, followed step by step. */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "corner_springs.h"
#include "mujoco.h"
#include "rigid_soft.h"

/* springs need cones of their own; what is usual is changed as little as can be */
race_entry rigid_soft_mujoco(study_run *run, const rigid_soft_case *c) {
  const mujoco_variant variant = {
      .own = c->usual,
      .changes = study_text(run, "integrator=%s%s time_constant=%.17g", c->integrator,
                            c->usual ? "" : " cone=elliptic", c->time_constant)};
  race_entry entry = mujoco_variant_entry(&variant);
  entry.settings.time_step = c->time_step;
  return entry;
}

static double gap_of(const corner_springs *p, const double x[], int corner) {
  double from[2];
  corner_springs_from(p, corner, x[CORNERS_PHI], from);
  return x[CORNERS_Z] + from[1] - p->ground;
}

/* above rest on level ground */
static double energy_of(const corner_springs *p, const double x[]) {
  const double along = x[CORNERS_VX], up = x[CORNERS_VZ], turn = x[CORNERS_OMEGA];
  const double height = x[CORNERS_Z] - p->ground + p->corner[0][1];
  return 0.5 * p->mass * (along * along + up * up) + 0.5 * p->inertia * turn * turn +
         p->mass * p->gravity * height;
}

/* of a start, lifted out of the ground: what the springs that carry it hold is part of it */
static double energy_lifted(const corner_springs *p, const double x[]) {
  const double gap = fmin(gap_of(p, x, 0), gap_of(p, x, 1));
  return energy_of(p, x) - p->mass * p->gravity * fmin(gap, 0.0);
}

/* landings between two steps, on the chord of gaps; the speed as it was before the ground acted */
static void note_landings(track *t, const trajectory *steps, size_t i) {
  const corner_springs *const p = t->m->data;
  const double *const x = steps->states + i * steps->dimension;
  const double *const before = i ? x - steps->dimension : x, *const after = x + steps->dimension;
  for (int k = 0; k < CORNERS; k++) {
    const double gap = gap_of(p, x, k), next = gap_of(p, after, k);
    if (!(gap > 0.0 && next <= 0.0)) continue;
    const double share = gap / (gap - next);
    const double up = x[CORNERS_VZ] + share * (x[CORNERS_VZ] - before[CORNERS_VZ]);
    track_note_landing(t, (size_t)k, steps->times[i] + share * steps->dt, -up);
  }
}

/* what all steps say, and those at the times of the path */
static void read_steps(track *t, const trajectory *steps) {
  const size_t stride = (steps->count - 1) / (t->path.count - 1), n = steps->dimension;
  const double start = energy_lifted(t->m->data, steps->states);
  for (size_t i = 0; i < steps->count; i++) {
    const double *const x = steps->states + i * n;
    t->gain = fmax(t->gain, energy_of(t->m->data, x) / start - 1.0);
    if (i + 1 < steps->count) note_landings(t, steps, i);
    if (i % stride == 0) memcpy(t->path.states + i / stride * n, x, n * sizeof *x);
  }
}

int rigid_soft_follow_mujoco(study_run *run, track *t) {
  race_entry by = rigid_soft_mujoco(run, t->c);
  trajectory steps;
  double x0[MODEL_DIMENSION_MAX];
  void *instance = NULL;
  if (trajectory_alloc_by(&steps, t->m, t->c->time_step, run->message)) return -1;
  const solver_output output = trajectory_output(&steps);
  t->m->type->initial_state(t->m, x0);
  const int status = by.solver->prepare(t->m, &by.settings, &output, &instance, run->message);
  if (!status && by.solver->run(instance, x0, &output, &t->report) == 0)
    read_steps(t, &steps);
  else
    t->gain = INFINITY;
  if (instance) by.solver->release(instance);
  trajectory_free(&steps);
  return status ? -1 : 0;
}
