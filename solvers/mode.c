/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The latched mode of a run: see mode.h. */
#include "mode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time has passed when it has by more than this many roundings. */
static const double roundings = 64.0 * 2.220446049250313e-16;

/* Crossings in one run: a trajectory that has more chatters, if slowly. */
static const uint64_t most_crossings = 1000000;

/* How far ahead, in the state, a field that points along a guard is asked again. */
static const double a_little = 1e-6;

int mode_alloc(latched_mode *mode, const model *m, const char *solver,
               char message[SOLVER_MESSAGE_SIZE]) {
  const ess_system *const s = &m->system;
  const size_t room = s->event_count + 1, matrix = s->event_rates ? 0 : room * s->dimension;
  *mode = (latched_mode){.m = m, .solver = solver};
  mode->sign = calloc(5 * room + matrix, sizeof *mode->sign);
  if (!mode->sign) return SOLVER_FAIL(message, "%s: out of memory", solver);
  mode->h = mode->sign + room;
  mode->rate = mode->h + room;
  mode->h_end = mode->rate + room;
  mode->rate_end = mode->h_end + room;
  mode->jacobian = mode->rate_end + room;
  return 0;
}

void mode_free(latched_mode *mode) {
  free(mode->sign);
  mode->sign = NULL;
}

int mode_field(latched_mode *mode, double t, const double x[], double dxdt[]) {
  const ess_system *const s = &mode->m->system;
  mode->field_evaluations++;
  return s->field(t, x, mode->sign, dxdt, s->params);
}

int mode_guards(latched_mode *mode, double t, const double x[], double h[]) {
  const ess_system *const s = &mode->m->system;
  mode->event_evaluations++;
  return s->event_functions(t, x, h, s->params);
}

int mode_rates(latched_mode *mode, double t, const double x[], const double v[], double h[],
               double rate[]) {
  const ess_system *const s = &mode->m->system;
  if (s->event_rates) {
    mode->event_evaluations++;
    return s->event_rates(t, x, 0.0, v, NULL, s->event_count, h, rate, s->params);
  }
  if (mode_guards(mode, t, x, h) || s->event_jacobian(t, x, mode->jacobian, s->params)) return -1;
  for (size_t k = 0; k < s->event_count; k++) {
    const double *const gradient = mode->jacobian + k * s->dimension;
    rate[k] = 0.0;
    for (size_t i = 0; i < s->dimension; i++) rate[k] += gradient[i] * v[i];
  }
  return 0;
}

/* tells the model which signs changed: one guard's, or all (event_count) */
static int announce(latched_mode *mode, size_t guard) {
  const ess_system *const s = &mode->m->system;
  return s->mode_changed ? s->mode_changed(mode->sign, guard, s->params) : 0;
}

/* On guards, the side is where the field points, or, when it points along the guard, where it
 * points a little later. */
static int choose_sides(latched_mode *mode, double t, const double x[]) {
  const ess_system *const s = &mode->m->system;
  double v[MODEL_DIMENSION_MAX], later[MODEL_DIMENSION_MAX], speed = 1.0;
  int status = mode_field(mode, t, x, v);
  if (!status) status = mode_rates(mode, t, x, v, mode->h, mode->rate);
  for (size_t i = 0; i < s->dimension; i++) speed = fmax(speed, fabs(v[i]));
  for (size_t i = 0; i < s->dimension; i++) later[i] = x[i] + a_little / speed * v[i];
  if (!status) status = mode_field(mode, t + a_little / speed, later, v);
  if (!status)
    status = mode_rates(mode, t + a_little / speed, later, v, mode->h_end, mode->rate_end);
  for (size_t k = 0; !status && k < s->event_count; k++) {
    const double rate = mode->rate[k] == 0.0 ? mode->rate_end[k] : mode->rate[k];
    if (mode->h[k] == 0.0 && rate < 0.0) mode->sign[k] = -1.0;
  }
  return status ? status : announce(mode, s->event_count);
}

int mode_start(latched_mode *mode, double t, const double x[], solver_report *report) {
  const size_t m = mode->m->system.event_count;
  mode->events = mode->crossings = mode->field_evaluations = mode->event_evaluations = 0;
  mode->stalled = 0;
  mode->progress_time = t;
  bool on_a_guard = false;
  int status = m ? mode_guards(mode, t, x, mode->h) : 0;
  for (size_t k = 0; k < m; k++) {
    mode->sign[k] = mode->h[k] < 0.0 ? -1.0 : 1.0;
    on_a_guard = on_a_guard || mode->h[k] == 0.0;
  }
  if (!status) status = announce(mode, m);
  if (!status && on_a_guard) status = choose_sides(mode, t, x);
  return status ? mode_fail(mode, "a callback failed", t, report) : 0;
}

int mode_cross(latched_mode *mode, size_t k, double t, solver_report *report) {
  mode->sign[k] = -mode->sign[k];
  if (announce(mode, k)) return mode_fail(mode, "a callback failed", t, report);
  mode->crossings++;
  mode->events += mode->m->type->changes_field(mode->m, k, mode->sign);

  // chatter: more crossings than guards, and no time between them
  if (t - mode->progress_time > roundings * fabs(t)) {
    mode->progress_time = t;
    mode->stalled = 0;
  }
  if (++mode->stalled > 2 * mode->m->system.event_count + 16 || mode->crossings > most_crossings)
    return mode_fail(mode, "guards throw the state back at each other", t, report);
  return 0;
}

int mode_fail(const latched_mode *mode, const char *why, double t, solver_report *report) {
  return SOLVER_FAIL(report->message, "%s: %s at t = %.9g", mode->solver, why, t);
}

void mode_report(const latched_mode *mode, solver_report *report) {
  report->events = mode->events;
  report->field_evaluations = mode->field_evaluations;
  report->event_evaluations = mode->event_evaluations;
}

int mode_check_impacts(const char *solver, const model *m, char message[SOLVER_MESSAGE_SIZE]) {
  if (!m->system.impacts) return 0;
  return SOLVER_REFUSE(message, "%s: the state of %s jumps; libess and projection know how", solver,
                       m->type->name);
}

int mode_variant(const char *solver, const solver_settings *settings, const char *const names[],
                 char message[SOLVER_MESSAGE_SIZE]) {
  if (!settings->variant) return 0;
  char list[SOLVER_MESSAGE_SIZE / 2] = "";
  for (int i = 0; names[i]; i++) {
    if (strcmp(settings->variant, names[i]) == 0) return i;
    const char *const joint = i == 0 ? "" : names[i + 1] ? ", " : " or ";
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", joint, names[i]);
  }
  return SOLVER_REFUSE(message, "%s: variant %.60s is not accepted; it is %s", solver,
                       settings->variant, list);
}

int mode_check(const char *solver, const model *m, const solver_settings *settings, size_t most,
               const char *const variants[], char message[SOLVER_MESSAGE_SIZE]) {
  if (mode_check_impacts(solver, m, message)) return SOLVER_REFUSED;
  const double rtol = settings->rtol, atol = settings->atol;
  if (!(rtol >= 0.0 && atol >= 0.0 && rtol + atol > 0.0 && isfinite(rtol + atol)))
    return SOLVER_REFUSE(
        message, "%s: rtol %g and atol %g are not accepted; they are finite, >= 0, and one is > 0",
        solver, rtol, atol);
  if (!(settings->h_max > 0.0))
    return SOLVER_REFUSE(message, "%s: h_max %g s is not accepted; it is > 0", solver,
                         settings->h_max);
  if (m->system.dimension > most)
    return SOLVER_REFUSE(message, "%s: %zu states are not accepted; it takes up to %zu", solver,
                         m->system.dimension, most);
  return mode_variant(solver, settings, variants, message);
}
