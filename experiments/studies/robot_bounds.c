/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a robot's field costs and where that goes, and how far its stiffness alone sets explicit
 * steps; along the first start's fall. */
#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_study.h"

/* states that a cost is the mean over, and how often; every LOOK-th has a Jacobian. Beyond so many
 * states a robot's Jacobians take longer than its study. */
enum { STATES = 500, ROUNDS = 20, LOOK = 25, DIMENSION_MAX = 200 };

/* of dopri5: how far it is stable along the negative axis, and evaluations of a step */
static const double stable_to = 3.3, stages = 6.0;

/* room for a Jacobian by differences */
typedef struct looking {
  robot *r;
  size_t n;
  gsl_matrix *jacobian;
  gsl_vector_complex *values;
  gsl_eigen_nonsymm_workspace *work;
  double *f, *g, *y;
} looking;

/* the largest eigenvalue's modulus, or NaN where the field gives up */
static double radius_at(const looking *l, const double x[]) {
  double largest = 0.0;
  if (robot_plain_field(l->r, x, l->f)) return NAN;
  memcpy(l->y, x, l->n * sizeof *l->y);
  for (size_t j = 0; j < l->n; j++) {
    const double step = 1e-7 * (1.0 + fabs(x[j]));
    l->y[j] += step;
    if (robot_plain_field(l->r, l->y, l->g)) return NAN;
    l->y[j] = x[j];
    for (size_t i = 0; i < l->n; i++) {
      const double slope = (l->g[i] - l->f[i]) / step;
      if (!isfinite(slope)) return NAN;
      gsl_matrix_set(l->jacobian, i, j, slope);
    }
  }
  if (gsl_eigen_nonsymm(l->jacobian, l->values, l->work)) return NAN;
  for (size_t i = 0; i < l->n; i++) {
    const gsl_complex z = gsl_vector_complex_get(l->values, i);
    largest = fmax(largest, hypot(GSL_REAL(z), GSL_IMAG(z)));
  }
  return largest;
}

static double mean_radius(const looking *l, const double states[], size_t count) {
  double sum = 0.0, looks = 0.0;
  for (size_t i = 0; i < count; i += LOOK) {
    sum += radius_at(l, states + i * l->n);
    looks += 1.0;
  }
  return sum / looks;
}

static double look(study_run *run, const double states[], size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  double radius = NAN;
  looking l = {.r = c->robot,
               .n = n,
               .jacobian = gsl_matrix_alloc(n, n),
               .values = gsl_vector_complex_alloc(n),
               .work = gsl_eigen_nonsymm_alloc(n),
               .f = calloc(3 * n, sizeof *l.f)};
  l.g = l.f + n;
  l.y = l.g + n;
  if (l.jacobian && l.values && l.work && l.f) radius = mean_radius(&l, states, count);
  if (l.jacobian) gsl_matrix_free(l.jacobian);
  if (l.values) gsl_vector_complex_free(l.values);
  if (l.work) gsl_eigen_nonsymm_free(l.work);
  free(l.f);
  return radius;
}

/* it is no failure of the study where a robot falls apart on the way */
static void measure(study_run *run, double x[], double states[], robot_bounds *b) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const size_t count = (size_t)fmin(STATES, ceil(s->time / s->output_step));
  double until;
  robot_set_control(c->robot, robot_controls_at(&c->controls, 0.0, &until));
  if (robot_cost_states(c->robot, x, s->output_step, count, states)) return;
  robot_cost cost;
  if (!robot_cost_at(c->robot, states, count, ROUNDS, &cost)) {
    b->cost = cost;
    // differences of times: one that is hardly there may come out below nothing
    double *const parts[] = {&b->cost.inertia, &b->cost.rows, &b->cost.forces, &b->cost.rates};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) *parts[i] = fmax(0.0, *parts[i]);
  }
  b->radius = look(run, states, count);
  b->evaluations = stages * b->radius / stable_to;
}

int robot_measure_bounds(study_run *run, robot_bounds *b) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  const robot_start first = {s->qpos, s->height, s->tilt, 0, run->seed};
  *b = (robot_bounds){{NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, NAN, NAN};
  if (n > DIMENSION_MAX) return 0;
  double *const states = calloc((STATES + 1) * n, sizeof *states), *const x = states + STATES * n;
  if (!states) return study_out_of_memory(run);
  const int status = robot_start_state(c->robot, &first, x, run->message) ? -1 : 0;
  if (!status) measure(run, x, states, b);
  free(states);
  return status;
}
