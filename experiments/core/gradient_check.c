/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derivatives by three ways, compared. */
#include "gradient_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* An adjoint is as tangents are to rounding, but for steps that are too long for one of them: there
 * each errs by some tolerances, and by more, which nobody notices, where a Jacobian has a kink. So
 * it does by the noise of differences in other places, where the model has no Jacobian; from both
 * sides at tolerances below `fine`. Runs that are differenced err by some tolerances, over so small
 * a step. */
static const double rounding = 1e-10, kinks = 5e3, noise = 1e-5, fine = 7e-10, fine_noise = 5e-9,
                    truncation = 1e-6, tolerances = 1e6;

/* what an input is large beside */
static double size_of(const model *m, const double x0[], size_t j) {
  const size_t p = m->system.parameters;
  const double size = fabs(j < p ? m->system.parameter_values[j] : x0[j - p]);
  return size > 0.0 ? size : 1.0;
}

/* whether tangents have no noise of differences */
static bool is_exact(const ess_system *s) {
  return s->field_jacobian && (!s->parameters || s->field_parameter_jacobian) &&
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
  if (!check->room) {
    measure_message(message, "out of memory");
    return SOLVER_FAILED;
  }
  for (gradient_way way = 0; way < GRADIENT_WAYS; way++) {
    gradient *const g = &check->of[way];
    g->value = check->room + way * all;
    g->by = g->value + rows;
    const int status = gradient_find(m, options, x0, way, g, message);
    // a model may accept no start beside this one
    if (status && way != GRADIENT_DIFFERENCES) return status;
    if (status) snprintf(check->why, sizeof check->why, "%s", message);
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
