/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mode read off the state: see plain.h. */
#include "plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mode.h"

int plain_check(const char *solver, const model *m, char message[SOLVER_MESSAGE_SIZE]) {
  const ess_system *const s = &m->system;
  if (s->impacts)
    return SOLVER_REFUSE(message,
                         "%s: the state of %s jumps, and no sign of an event function says when; "
                         "libess and projection know how",
                         solver, m->type->name);
  if (s->resets && !m->type->mode_of_state)
    return SOLVER_REFUSE(message,
                         "%s: the mode of %s is no function of its state: its resets remember what "
                         "was crossed; libess and projection know how",
                         solver, m->type->name);
  return 0;
}

int plain_check_tolerance(const char *solver, const model *m, const solver_settings *settings,
                          char message[SOLVER_MESSAGE_SIZE]) {
  static const char *const variants[] = {NULL};
  solver_settings checked = *settings;
  checked.variant = NULL;
  if (plain_check(solver, m, message)) return SOLVER_REFUSED;
  return mode_check(solver, m, &checked, SIZE_MAX, variants, message) < 0 ? SOLVER_REFUSED : 0;
}

int plain_alloc(plain_mode *mode, const char *solver, const model *m,
                char message[SOLVER_MESSAGE_SIZE]) {
  const size_t room = m->system.event_count + 1;
  *mode = (plain_mode){.m = m};
  if (plain_check(solver, m, message)) return SOLVER_REFUSED;
  mode->sign = calloc(2 * room, sizeof *mode->sign);
  if (!mode->sign) return SOLVER_FAIL(message, "%s: out of memory", solver);
  mode->before = mode->sign + room;
  return 0;
}

void plain_free(plain_mode *mode) {
  free(mode->sign);
  mode->sign = NULL;
}

void plain_start(plain_mode *mode) {
  mode->known = false;
  mode->evaluations = 0;
}

/* the signs at x, where h = 0 is the positive side; nothing branches, so that it vectorises */
static int read_signs(const model *m, double t, const double x[], double sign[]) {
  const ess_system *const s = &m->system;
  const size_t count = s->event_count;
  const int status = count ? s->event_functions(t, x, sign, s->params) : 0;
  for (size_t k = 0; k < count; k++) sign[k] = sign[k] < 0.0 ? -1.0 : 1.0;
  return status;
}

/* tanh(h / width) at x, which is no sign: the field is asked what lies between its modes */
static int read_smoothed(const plain_mode *mode, double t, const double x[], double sign[]) {
  const ess_system *const s = &mode->m->system;
  const int status = s->event_functions(t, x, sign, s->params);
  for (size_t k = 0; k < s->event_count; k++) sign[k] = tanh(sign[k] / mode->width);
  return status;
}

/* a model that keeps sums over its mode is told of each sign that is another */
static int tell_changes(plain_mode *mode) {
  const ess_system *const s = &mode->m->system;
  const size_t count = s->event_count;
  int status = 0;
  if (!mode->known) status = s->mode_changed(mode->sign, count, s->params);
  for (size_t k = 0; !status && mode->known && k < count; k++)
    if (mode->sign[k] != mode->before[k]) status = s->mode_changed(mode->sign, k, s->params);
  memcpy(mode->before, mode->sign, count * sizeof *mode->sign);
  mode->known = true;
  return status;
}

int plain_read(plain_mode *mode, double t, const double x[]) {
  const int status = mode->width > 0.0 ? read_smoothed(mode, t, x, mode->sign)
                                       : read_signs(mode->m, t, x, mode->sign);
  return !status && mode->m->system.mode_changed ? tell_changes(mode) : status;
}

int plain_field_by_signs(plain_mode *mode, double t, const double x[], double dxdt[]) {
  const ess_system *const s = &mode->m->system;
  const int status = plain_read(mode, t, x);
  return status ? status : s->field(t, x, mode->sign, dxdt, s->params);
}

void plain_report(const plain_mode *mode, solver_report *report) {
  report->field_evaluations = mode->evaluations;
  report->event_evaluations = mode->m->system.event_count ? mode->evaluations : 0;
}

int plain_inspect(plain_mode *mode, const solver_output *output, solver_report *report) {
  const size_t count = mode->m->system.event_count, n = mode->m->system.dimension;
  double *const now = mode->sign, *const before = mode->before;
  report->events = 0;
  for (size_t i = 0; i < output->count; i++) {
    memcpy(before, now, count * sizeof *now);
    if (read_signs(mode->m, output->times[i], output->states + i * n, now))
      return SOLVER_FAIL(report->message, "a callback failed");
    for (size_t k = 0; k < count && i > 0; k++)
      if (now[k] != before[k]) report->events += mode->m->type->changes_field(mode->m, k, now);
  }
  return 0;
}
