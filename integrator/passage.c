/*
 * A trajectory beside the one that is followed, which meets the events of one instant one after the
 * other: to first order, in a field that is constant between them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "armed.h"
#include "callbacks.h"
#include "derivative.h"
#include "driver_state.h"
#include "impact_state.h"
#include "instant.h"
#include "parameters.h"
#include "passage.h"
#include "resets.h"
#include "tangent_state.h"

int ess_passage_take(ess_driver *d, const ess_passage *p) {
  for (size_t k = 0; k < d->system.guard_count; k++) {
    ess_disarm(d, k);
    d->sign[k] = p->sign[k];
    if (p->side[k] != 0.0) ess_arm(d, ess_guard_ahead(d, k));
  }
  return ess_announce(d, d->system.guard_count);
}

static void keep_mode(const ess_driver *d, ess_passage *p) {
  const size_t bytes = d->system.guard_count * sizeof *p->sign;
  memcpy(p->sign, d->sign, bytes);
  memcpy(p->side, d->side, bytes);
}

int ess_passage_look(ess_driver *d, ess_passage *p, size_t count, size_t columns) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  int status = ess_field(d, v->smoothness.time, p->x, p->f);
  if (!status) status = ess_guard_rates(d, v->smoothness.time, p->x, p->f, v->h, v->rate);
  for (size_t i = 0; i < count; i++) p->rate[i] = v->rate[v->events[i]];
  for (size_t j = 0; !status && j < columns; j++) {
    const double *const moves = p->moves ? p->moves + j * d->system.parameters : NULL;
    status = ess_guard_rates(d, v->smoothness.time, p->x, p->y + j * n, v->h, v->rate);
    if (!status) status = ess_parameter_guards(d, v->smoothness.time, p->x, moves, v->rate);
    for (size_t i = 0; i < count; i++) p->along[j * count + i] = v->rate[v->events[i]];
  }
  return status;
}

int ess_passage_begin(ess_driver *d, const double sign[], const double side[]) {
  ess_tangents *const v = d->tangents;
  ess_passage *const p = &v->passage[0];
  const size_t m = d->system.guard_count;
  memcpy(p->x, v->at, d->system.dimension * sizeof *p->x);
  memmove(p->sign, sign, m * sizeof *p->sign);
  memmove(p->side, side, m * sizeof *p->side);
  return ess_passage_take(d, p);
}

void ess_passage_columns(ess_driver *d, ess_passage *p, const double columns[],
                         const double moves[], size_t count) {
  p->moves = moves;
  memcpy(p->y, columns, count * d->system.dimension * sizeof *p->y);
  memset(p->elapsed, 0, count * sizeof *p->elapsed);
}

bool ess_passage_meets(const ess_driver *d, const ess_passage *p, size_t i) {
  const size_t k = d->tangents->events[i];
  return p->side[k] * p->rate[i] > 0.0;
}

/* an impact of event function k alone */
static int map_alone(ess_driver *d, const ess_passage *from, ess_passage *to, size_t k,
                     size_t columns) {
  ess_tangents *const v = d->tangents;
  int status = ess_cross(d, k);
  double *const mode = to->sign;
  bool *const armed = v->armed_after;
  memcpy(to->x, from->x, d->system.dimension * sizeof *to->x);
  memcpy(mode, d->sign, d->system.guard_count * sizeof *mode);
  ess_list_armed(d, armed);
  ess_impact impact = {.t = v->smoothness.time,
                       .count = 1,
                       .events = &k,
                       .x = from->x,
                       .sign = from->sign,
                       .after = to->x,
                       .mode = mode,
                       .armed = armed};
  const int code = status ? 0 : d->impacts->calls.map(&impact, d->system.params);
  if (code) status = ess_callback_failed(d, code);
  if (!status) status = ess_tangent_map(d, &impact, v->w, columns, to->y);
  if (!status) status = ess_parameter_map(d, &impact, from->moves, columns, to->y);
  ess_set_mode(d, mode, armed);
  const int told = ess_announce(d, d->system.guard_count);
  return status ? status : told;
}

int ess_passage_cross(ess_driver *d, const ess_passage *from, ess_passage *to, size_t i,
                      size_t count, size_t columns) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, k = v->events[i];
  for (size_t j = 0; j < columns; j++) {
    const double time = -from->along[j * count + i] / from->rate[i];
    to->elapsed[j] = from->elapsed[j] + time;
    for (size_t l = 0; l < n; l++) v->w[j * n + l] = from->y[j * n + l] + time * from->f[l];
  }
  to->moves = from->moves;
  int status = ess_passage_take(d, from);
  if (status) return status;
  if (ess_is_impact(d, k)) {
    status = map_alone(d, from, to, k, columns);
  } else {
    status = ess_cross(d, k);
    memcpy(to->x, from->x, n * sizeof *to->x);
    memcpy(to->y, v->w, columns * n * sizeof *to->y);
  }
  keep_mode(d, to);
  return status ? status : ess_passage_look(d, to, count, columns);
}

void ess_passage_end(const ess_driver *d, const ess_passage *p, size_t columns, double to[]) {
  const size_t n = d->system.dimension;
  for (size_t j = 0; j < columns; j++)
    for (size_t l = 0; l < n; l++) to[j * n + l] = p->y[j * n + l] - p->elapsed[j] * p->f[l];
}

int ess_passage_restore(ess_driver *d) {
  return ess_passage_take(d, &d->tangents->passage[0]);
}
