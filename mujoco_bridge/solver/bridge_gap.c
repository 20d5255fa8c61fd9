/*
 * The field gap: MuJoCo's acceleration against the model's field at many states.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "bridge_guard.h"
#include "bridge_instance.h"
#include "visited.h"

typedef struct comparison {
  bridge_instance *instance;
  visited *walk;
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
  const size_t positions = c->walk->positions, rates = c->walk->rates;
  double x[MODEL_DIMENSION_MAX], field[MODEL_DIMENSION_MAX], turning[MODEL_DIMENSION_MAX];
  tally sum = {0}, position_sum = {0};
  double stale[MODEL_DIMENSION_MAX] = {0};
  for (size_t i = 0; i < c->out->states; ++i) {
    c->failed = visited_draw(c->walk, x) != 0;
    c->failed = c->failed || visited_field(c->walk, x, field) != 0;
    if (c->failed) return;

    // the previous state's acceleration is the worst warm start a trajectory could give
    bridge_instance_set(c->instance, x);
    memcpy(scene->data->qacc_warmstart, stale, rates * sizeof *stale);
    mj_forward(scene->model, scene->data);
    memcpy(stale, scene->data->qacc, rates * sizeof *stale);
    count(&sum, scene->data->qacc, field + positions, rates);
    c->out->touching += visited_touches(c->walk, x);
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

int bridge_instance_gap(void *instance, size_t states, unsigned long seed, bridge_gap *out,
                        char message[SOLVER_MESSAGE_SIZE]) {
  bridge_instance *b = instance;
  visited w;
  const mjcf_shape shape = mjcf_shape_of(b->model);
  *out = (bridge_gap){
      .states = states, .inverse_weight = b->scene.inverse_weight, .scaling = b->scene.scaling};
  if (states < 1 || visited_open(&w, b->model, shape.positions, shape.rates, seed) != 0) {
    snprintf(message, SOLVER_MESSAGE_SIZE, "mujoco: field gap: %s",
             states < 1 ? "needs at least one state" : "out of memory");
    if (states > 0) visited_close(&w);
    return -1;
  }
  comparison c = {.instance = b, .walk = &w, .out = out};
  bridge_complaint complaint;
  const bool quiet = bridge_instance_guarded(b, compare, &c, &complaint);
  visited_close(&w);
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
