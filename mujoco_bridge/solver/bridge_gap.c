/*
 * The field gap: MuJoCo's acceleration against the model's field at many states.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "bridge_guard.h"
#include "bridge_instance.h"

/* where states come from: one trajectory after another from the model's random starts */
typedef struct walk {
  const model *model;
  mjcf_shape shape; /* so many positions, and rates behind them */
  gsl_rng *rng;
  double *h, *sign;
  unsigned char *active;
  double x[MODEL_DIMENSION_MAX];
  double time;
} walk;

static bool touching(walk *w, const double x[]) {
  const size_t contacts = model_contacts(w->model);
  w->model->type->active_contacts(w->model, x, w->active);
  return memchr(w->active, 1, contacts) != NULL;
}

/* dxdt with the mode that h says; 0, or what the callback returned */
static int field_at(walk *w, const double x[], double dxdt[]) {
  const ess_system *s = &w->model->system;
  int status = s->event_functions(0.0, x, w->h, s->params);
  for (size_t k = 0; k < s->event_count; ++k) w->sign[k] = w->h[k] >= 0.0 ? 1.0 : -1.0;
  if (status == 0 && s->mode_changed) status = s->mode_changed(w->sign, s->event_count, s->params);
  return status != 0 ? status : s->field(0.0, x, w->sign, dxdt, s->params);
}

/* a coarse step is good enough to visit the region; a trajectory lasts 2 s */
static int advance(walk *w) {
  const double dt = 0.002, duration = 2.0;
  const size_t positions = w->shape.positions, rates = w->shape.rates;
  double dxdt[MODEL_DIMENSION_MAX];
  if (w->time >= duration) {
    w->model->type->random_state(w->model, w->rng, w->x);
    w->time = 0.0;
  }
  if (field_at(w, w->x, dxdt) != 0) return -1;
  for (size_t j = 0; j < rates; ++j) w->x[positions + j] += dt * dxdt[positions + j];
  for (size_t j = 0; j < positions; ++j)
    w->x[j] += dt * (positions == rates ? w->x[positions + j] : dxdt[j]);
  w->time += dt;
  return 0;
}

/* keeps few of the many states in flight, then shakes the velocities; -1 when the field fails */
static int draw(walk *w, double x[]) {
  const double keep_touching = 0.25, keep_free = 0.015, shake = 1.5;
  const size_t positions = w->shape.positions, rates = w->shape.rates;
  do {
    if (advance(w) != 0) return -1;
  } while (gsl_rng_uniform(w->rng) >= (touching(w, w->x) ? keep_touching : keep_free));
  memcpy(x, w->x, w->model->system.dimension * sizeof *x);
  for (size_t j = positions; j < positions + rates; ++j)
    x[j] *= shake * (2.0 * gsl_rng_uniform(w->rng) - 1.0);
  return 0;
}

typedef struct comparison {
  bridge_instance *instance;
  walk *walk;
  bridge_gap *out;
  bool failed; /* the model's own field did */
} comparison;

/* sums over the states compared so far */
typedef struct tally {
  double gaps, fields; /* sums of squares */
  double largest;      /* a difference that is not a number stays */
} tally;

static void count(tally *sum, const double theirs[], const double field[], size_t length) {
  for (size_t j = 0; j < length; ++j) {
    const double gap = fabs(theirs[j] - field[j]);
    if (!(gap <= sum->largest)) sum->largest = gap;
    sum->gaps += gap * gap;
    sum->fields += field[j] * field[j];
  }
}

/* how MuJoCo's positions change by its rates: differences of its own way to integrate them, exact
 * to 1e-9 or so */
static void position_rates(const mjModel *m, const mjData *d, double out[]) {
  const double span = 1e-5;
  double before[MODEL_DIMENSION_MAX], after[MODEL_DIMENSION_MAX];
  mju_copy(before, d->qpos, (int)m->nq);
  mju_copy(after, d->qpos, (int)m->nq);
  mj_integratePos(m, before, d->qvel, -span);
  mj_integratePos(m, after, d->qvel, span);
  for (int j = 0; j < (int)m->nq; ++j) out[j] = (after[j] - before[j]) / (2.0 * span);
}

static void compare(void *context) {
  comparison *c = context;
  const bridge_scene *scene = &c->instance->scene;
  const size_t positions = c->walk->shape.positions, rates = c->walk->shape.rates;
  double x[MODEL_DIMENSION_MAX], field[MODEL_DIMENSION_MAX], turning[MODEL_DIMENSION_MAX];
  tally sum = {0}, position_sum = {0};
  double stale[MODEL_DIMENSION_MAX] = {0};
  for (size_t i = 0; i < c->out->states; ++i) {
    c->failed = draw(c->walk, x) != 0;
    if (positions != rates) mj_normalizeQuat(scene->model, x);
    c->failed = c->failed || field_at(c->walk, x, field) != 0;
    if (c->failed) return;

    // the previous state's acceleration is the worst warm start a trajectory could give
    bridge_instance_set(c->instance, x);
    memcpy(scene->data->qacc_warmstart, stale, rates * sizeof *stale);
    mj_forward(scene->model, scene->data);
    memcpy(stale, scene->data->qacc, rates * sizeof *stale);
    count(&sum, scene->data->qacc, field + positions, rates);
    c->out->touching += touching(c->walk, x);
    if (positions == rates) continue;
    position_rates(scene->model, scene->data, turning);
    count(&position_sum, turning, field, positions);
  }
  c->out->rms = sqrt(sum.fields / (double)(c->out->states * rates));
  c->out->gap = sqrt(sum.gaps / sum.fields);
  c->out->worst = sum.largest / c->out->rms;
  if (positions != rates)
    c->out->gap = fmax(c->out->gap, sqrt(position_sum.gaps / position_sum.fields));
}

static int walk_open(walk *w, const model *m, unsigned long seed) {
  const size_t guards = m->system.event_count;
  *w = (walk){.model = m,
              .shape = mjcf_shape_of(m),
              .rng = gsl_rng_alloc(gsl_rng_mt19937),
              .h = calloc(guards + 1, sizeof *w->h),
              .sign = calloc(guards + 1, sizeof *w->sign),
              .active = malloc(model_contacts(m)),
              .time = INFINITY};
  if (!w->rng || !w->h || !w->sign || !w->active) return -1;
  gsl_rng_set(w->rng, seed);
  return 0;
}

static void walk_close(walk *w) {
  if (w->rng) gsl_rng_free(w->rng);
  free(w->h);
  free(w->sign);
  free(w->active);
}

int bridge_instance_gap(void *instance, size_t states, unsigned long seed, bridge_gap *out,
                        char message[SOLVER_MESSAGE_SIZE]) {
  bridge_instance *b = instance;
  walk w;
  *out = (bridge_gap){
      .states = states, .inverse_weight = b->scene.inverse_weight, .scaling = b->scene.scaling};
  if (states < 1 || walk_open(&w, b->model, seed) != 0) {
    snprintf(message, SOLVER_MESSAGE_SIZE, "mujoco: field gap: %s",
             states < 1 ? "needs at least one state" : "out of memory");
    if (states > 0) walk_close(&w);
    return -1;
  }
  comparison c = {.instance = b, .walk = &w, .out = out};
  bridge_complaint complaint;
  const bool quiet = bridge_instance_guarded(b, compare, &c, &complaint);
  walk_close(&w);
  if (quiet && !c.failed) return 0;
  snprintf(message, SOLVER_MESSAGE_SIZE, "mujoco: field gap: %s",
           quiet ? "the model's field failed" : complaint.text);
  return -1;
}

int bridge_field_gap(const solver_type *engine, const model *m, const solver_settings *settings,
                     size_t states, unsigned long seed, bridge_gap *out,
                     char message[SOLVER_MESSAGE_SIZE]) {
  const solver_output output = {.dt = m->type->time_step};
  void *instance;
  int status = engine->prepare(m, settings, &output, &instance, message);
  if (status != 0) return status;
  status = bridge_instance_gap(instance, states, seed, out, message);
  engine->release(instance);
  return status;
}
