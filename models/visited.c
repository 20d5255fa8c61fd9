/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "visited.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool visited_touches(visited *v, const double x[]) {
  const size_t contacts = model_contacts(v->model);
  v->model->type->active_contacts(v->model, x, v->active);
  return memchr(v->active, 1, contacts) != NULL;
}

int visited_field(visited *v, const double x[], double dxdt[]) {
  const ess_system *s = &v->model->system;
  int status = s->event_functions(0.0, x, v->h, s->params);
  for (size_t k = 0; k < s->event_count; ++k) v->sign[k] = v->h[k] >= 0.0 ? 1.0 : -1.0;
  if (status == 0 && s->mode_changed) status = s->mode_changed(v->sign, s->event_count, s->params);
  return status != 0 ? status : s->field(0.0, x, v->sign, dxdt, s->params);
}

/* a coarse step is good enough to visit the region; a trajectory lasts 2 s */
static int advance(visited *v) {
  const double dt = 0.002, duration = 2.0;
  const size_t positions = v->positions, rates = v->rates;
  double dxdt[MODEL_DIMENSION_MAX];
  if (v->time >= duration) {
    v->model->type->random_state(v->model, v->rng, v->x);
    v->time = 0.0;
  }
  if (visited_field(v, v->x, dxdt) != 0) return -1;
  for (size_t j = 0; j < rates; ++j) v->x[positions + j] += dt * dxdt[positions + j];
  for (size_t j = 0; j < positions; ++j)
    v->x[j] += dt * (positions == rates ? v->x[positions + j] : dxdt[j]);
  v->time += dt;
  return 0;
}

static void make_unit(double q[4]) {
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (size_t j = 0; j < 4; ++j) q[j] /= length;
}

/* keeps few of the many states in flight, then shakes the velocities */
int visited_draw(visited *v, double x[]) {
  const double keep_touching = 0.25, keep_free = 0.015, shake = 1.5;
  const size_t positions = v->positions, rates = v->rates;
  do {
    if (advance(v) != 0) return -1;
  } while (gsl_rng_uniform(v->rng) >= (visited_touches(v, v->x) ? keep_touching : keep_free));
  memcpy(x, v->x, v->model->system.dimension * sizeof *x);
  for (size_t j = positions; j < positions + rates; ++j)
    x[j] *= shake * (2.0 * gsl_rng_uniform(v->rng) - 1.0);
  if (positions != rates) make_unit(x + 3);
  return 0;
}

int visited_open(visited *v, const model *m, size_t positions, size_t rates, unsigned long seed) {
  const size_t guards = m->system.event_count;
  *v = (visited){.model = m,
                 .positions = positions,
                 .rates = rates,
                 .rng = gsl_rng_alloc(gsl_rng_mt19937),
                 .h = calloc(guards + 1, sizeof *v->h),
                 .sign = calloc(guards + 1, sizeof *v->sign),
                 .active = malloc(model_contacts(m)),
                 .time = INFINITY};
  if (!v->rng || !v->h || !v->sign || !v->active) return -1;
  gsl_rng_set(v->rng, seed);
  return 0;
}

void visited_close(visited *v) {
  if (v->rng) gsl_rng_free(v->rng);
  free(v->h);
  free(v->sign);
  free(v->active);
}
