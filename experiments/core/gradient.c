/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derivatives of outcomes, by libess. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ess_tangents.h"
#include "gradient.h"

size_t gradient_outcomes(const model *m) {
  return m->system.dimension + flow_ends(m);
}

size_t gradient_inputs(const model *m) {
  return m->system.parameters.count + m->system.dimension;
}

const char *gradient_outcome_name(const model *m, size_t i) {
  return i < m->system.dimension ? model_state_name(m, i) : m->type->end_name;
}

const char *gradient_input_name(const model *m, size_t j) {
  const size_t p = m->system.parameters.count;
  return j < p ? m->type->system_parameters[j] : model_state_name(m, j - p);
}

/* one run to the outcomes */
static int run(const model *m, ess_driver *driver, const double x0[], double value[],
               char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = m->system.dimension;
  double t = 0.0;
  memcpy(value, x0, n * sizeof *value);
  const int status = flow_outcome(m, ess_driver_apply(driver, &t, model_get(m, "duration"), value));
  if (flow_ends(m)) value[n] = t;
  return status ? flow_explain(m, status, driver, message) : 0;
}

/* directions: the parameters', then the states' */
static int follow(const model *m, ess_driver *driver) {
  const size_t n = m->system.dimension, p = m->system.parameters.count, all = n + p;
  if (!p) return ess_driver_follow(driver, n, NULL);
  double *const states = calloc(all * all, sizeof *states);
  if (!states) return ESS_ENOMEM;
  double *const parameters = states + n * all;
  for (size_t j = 0; j < all; j++) (j < p ? parameters + j * all : states + (j - p) * all)[j] = 1.0;
  const int status = ess_driver_follow_parameters(driver, all, states, parameters);
  free(states);
  return status;
}

static int forward(const model *m, ess_driver *driver, const double x0[], gradient *out,
                   char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = m->system.dimension, all = gradient_inputs(m);
  int status = follow(m, driver);
  if (!status) status = ess_driver_choose_piece(driver, 0);
  if (status) return flow_explain(m, status, driver, message);
  const int failed = run(m, driver, x0, out->value, message);
  if (failed) return failed;
  if (flow_ends(m)) {
    status = ess_driver_section(driver, 0, out->by + n * all, out->by);
  } else {
    memcpy(out->by, ess_driver_tangent(driver), n * all * sizeof *out->by);
  }
  return status ? flow_explain(m, status, driver, message) : 0;
}

/* of all outcomes at once; what is recorded is more than any model's run takes, or said to be less
 */
static int adjoint(const model *m, ess_driver *driver, const double x0[], gradient *out,
                   char message[SOLVER_MESSAGE_SIZE]) {
  static const size_t megabytes = (size_t)1 << 20;
  const size_t n = m->system.dimension, p = m->system.parameters.count, all = n + p;
  const size_t rows = gradient_outcomes(m);
  double *const outcomes = calloc(rows * (n + 1) + rows * all, sizeof *outcomes);
  double *const times = outcomes + rows * n, *const by = times + rows;
  int status = outcomes ? ess_driver_record(driver, 256 * megabytes) : ESS_ENOMEM;
  const int failed =
      status ? flow_explain(m, status, driver, message) : run(m, driver, x0, out->value, message);
  for (size_t i = 0; !failed && i < n; i++) outcomes[i * rows + i] = 1.0;
  for (size_t i = n; !failed && i < rows; i++) times[i] = 1.0;
  if (!failed && flow_ends(m))
    status = ess_driver_adjoint_section(driver, 0, rows, outcomes, times, by + p * rows, by);
  else if (!failed)
    status = ess_driver_adjoint(driver, rows, outcomes, by + p * rows, by);
  if (!failed && status) status = flow_explain(m, status, driver, message);
  for (size_t i = 0; !failed && !status && i < rows; i++)
    for (size_t j = 0; j < all; j++) out->by[i * all + j] = by[j * rows + i];
  free(outcomes);
  return failed ? failed : status;
}

/* an input of the run, in its place */
static double *input(const model *m, double x0[], size_t j) {
  const size_t p = m->system.parameters.count;
  return j < p ? &m->system.parameters.values[j] : &x0[j - p];
}

/* what it is large beside */
static double size_of(const model *m, const double x0[], size_t j) {
  const size_t p = m->system.parameters.count;
  const double size = fabs(j < p ? m->system.parameters.values[j] : x0[j - p]);
  return size > 0.0 ? size : 1.0;
}

/* runs of their own with one input moved so far: outcomes' differences, over the distance */
static int difference(const model *m, ess_driver *driver, const double x0[], size_t j, double step,
                      double to[], char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = m->system.dimension, rows = gradient_outcomes(m);
  double start[MODEL_DIMENSION_MAX], below[MODEL_DIMENSION_MAX + 1];
  memcpy(start, x0, n * sizeof *start);
  double *const moved = input(m, start, j), was = *moved;
  int status = 0;
  for (int side = 0; !status && side < 2; side++) {
    *moved = side ? was + step : was - step;
    ess_driver_reset(driver);
    status = run(m, driver, start, side ? to : below, message);
  }
  *moved = was;
  for (size_t i = 0; i < rows; i++) to[i] = (to[i] - below[i]) / (2.0 * step);
  return status;
}

/* of two steps, the fourth order; into `best` where it is surer than what is there: by how far it
 * is from that of the second */
static int refine(const model *m, ess_driver *driver, const double x0[], size_t j, double step,
                  double best[], double doubt[], char message[SOLVER_MESSAGE_SIZE]) {
  double near[MODEL_DIMENSION_MAX + 1], far[MODEL_DIMENSION_MAX + 1];
  int status = difference(m, driver, x0, j, step, near, message);
  if (!status) status = difference(m, driver, x0, j, 2.0 * step, far, message);
  for (size_t i = 0; !status && i < gradient_outcomes(m); i++) {
    const double value = (4.0 * near[i] - far[i]) / 3.0, its = fabs(value - near[i]);
    if (!(its < doubt[i])) continue;
    doubt[i] = its;
    best[i] = value;
  }
  return status;
}

/* by steps of several sizes, of which none suits all: one that is long passes other events */
static int differences(const model *m, ess_driver *driver, const double x0[], gradient *out,
                       char message[SOLVER_MESSAGE_SIZE]) {
  static const double parts[] = {2e-4, 1e-5, 5e-7};
  const size_t rows = gradient_outcomes(m), all = gradient_inputs(m);
  double start[MODEL_DIMENSION_MAX], best[MODEL_DIMENSION_MAX + 1], doubt[MODEL_DIMENSION_MAX + 1];
  memcpy(start, x0, m->system.dimension * sizeof *start);
  int status = run(m, driver, x0, out->value, message);
  for (size_t j = 0; !status && j < all; j++) {
    const double unit = size_of(m, start, j);
    for (size_t i = 0; i < rows; i++) {
      best[i] = NAN;
      doubt[i] = INFINITY;
    }
    for (size_t k = 0; !status && k < sizeof parts / sizeof *parts; k++)
      status = refine(m, driver, x0, j, parts[k] * unit, best, doubt, message);
    for (size_t i = 0; i < rows; i++) out->by[i * all + j] = best[i];
  }
  return status;
}

static const struct {
  const char *name;
  int (*find)(const model *m, ess_driver *driver, const double x0[], gradient *out,
              char message[SOLVER_MESSAGE_SIZE]);
} ways[GRADIENT_WAYS] = {
    [GRADIENT_FORWARD] = {"forward", forward},
    [GRADIENT_ADJOINT] = {"adjoint", adjoint},
    [GRADIENT_DIFFERENCES] = {"differences", differences},
};

const char *gradient_way_name(gradient_way way) {
  return ways[way].name;
}

bool gradient_way_find(const char *name, gradient_way *way) {
  for (*way = 0; *way < GRADIENT_WAYS; (*way)++)
    if (strcmp(ways[*way].name, name) == 0) return true;
  return false;
}

int gradient_find(const model *m, const ess_options *options, const double x0[], gradient_way way,
                  gradient *out, char message[SOLVER_MESSAGE_SIZE]) {
  int status;
  ess_driver *const driver = flow_driver(m, options, &status, message);
  if (!driver) return status;
  status = ways[way].find(m, driver, x0, out, message);
  out->counters = *ess_driver_counters(driver);
  ess_driver_free(driver);
  return status;
}

/* ---- a check --------------------------------------------------------------------------------- */

/* An adjoint is as tangents are to rounding, but for steps that are too long for one of them: there
 * each errs by some tolerances, and by more, which nobody notices, where a Jacobian has a kink. So
 * it does by the noise of differences in other places, where the model has no Jacobian; from both
 * sides at tolerances below `fine`. Runs that are differenced err by some tolerances, over so small
 * a step. */
static const double rounding = 1e-10, kinks = 5e3, noise = 1e-5, fine = 1.4e-8, fine_noise = 5e-9,
                    truncation = 1e-6, tolerances = 1e6;

/* whether tangents have no noise of differences */
static bool is_exact(const ess_system *s) {
  return s->field_jacobian && (!s->parameters.count || s->parameters.field_jacobian) &&
         (!s->impacts || s->impacts->jacobian);
}

static double allowed(const model *m, const ess_options *options, gradient_way way) {
  if (way == GRADIENT_DIFFERENCES)
    return truncation + tolerances * fmax(options->rtol, options->atol);
  const double tolerance = fmax(options->rtol, options->atol);
  const double exactly = rounding + kinks * tolerance;
  if (is_exact(&m->system)) return exactly;
  return exactly + (tolerance < fine ? fine_noise : noise);
}

gradient_gap gradient_apart(const model *m, const ess_options *options, const double x0[],
                            const gradient *forward, const gradient *other) {
  const size_t rows = gradient_outcomes(m), columns = gradient_inputs(m);
  gradient_gap worst = {.off = -1.0};
  for (size_t i = 0; i < rows; i++) {
    // an outcome that depends on little is judged beside what it is itself
    const double unit = options->rtol > 0.0 ? options->atol / options->rtol : 1.0;
    double largest = fmax(fabs(forward->value[i]), unit);
    for (size_t j = 0; j < columns; j++)
      largest = fmax(largest, fabs(forward->by[i * columns + j]) * size_of(m, x0, j));
    for (size_t j = 0; j < columns; j++) {
      const double apart = fabs(forward->by[i * columns + j] - other->by[i * columns + j]);
      const double off = apart * size_of(m, x0, j) / largest;
      if (!(off <= worst.off)) worst = (gradient_gap){.outcome = i, .input = j, .off = off};
      if (isnan(off)) return worst;
    }
  }
  return worst;
}

int gradient_check_all(const model *m, const ess_options *options, const double x0[],
                       flow_kind kind, gradient_check *check, char message[SOLVER_MESSAGE_SIZE]) {
  const size_t rows = gradient_outcomes(m), all = rows * (gradient_inputs(m) + 1);
  *check = (gradient_check){.room = calloc(GRADIENT_WAYS * all, sizeof(double))};
  if (!check->room) return SOLVER_FAIL(message, "out of memory");
  for (gradient_way way = 0; way < GRADIENT_WAYS; way++) {
    gradient *const g = &check->of[way];
    g->value = check->room + way * all;
    g->by = g->value + rows;
    const int status = gradient_find(m, options, x0, way, g, message);
    // a model may accept no start beside this one
    if (status && way != GRADIENT_DIFFERENCES) return status;
    if (status)
      snprintf(check->why, sizeof check->why,
               "the model accepts no initial state beside this one (%.400s)", message);
    if (status || way == GRADIENT_FORWARD) continue;
    check->compared[way] = way != GRADIENT_DIFFERENCES || kind == FLOW_C1;
    check->gap[way] = gradient_apart(m, options, x0, &check->of[GRADIENT_FORWARD], g);
    check->gap[way].allowed = allowed(m, options, way);
  }
  return 0;
}

void gradient_check_free(gradient_check *check) {
  free(check->room);
}

bool gradient_check_agrees(const gradient_check *check) {
  bool agrees = true;
  for (gradient_way way = 0; way < GRADIENT_WAYS; way++)
    agrees = agrees && (!check->compared[way] || check->gap[way].off <= check->gap[way].allowed);
  return agrees;
}
