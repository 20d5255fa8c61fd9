/*
 * Tangents: what the caller asks for, and the memory that takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks.h"
#include "driver_state.h"
#include "page.h"
#include "status.h"
#include "tangent.h"
#include "tangent_state.h"
#include "tape.h"

enum { PAIRS = ESS_MEETING * (ESS_MEETING - 1) / 2 };

/* the next `count` doubles of the block at the cursor; none is laid where there is no block yet */
static double *lay(double **cursor, size_t *total, size_t count) {
  double *const array = *cursor;
  if (*cursor) *cursor += count;
  *total += count;
  return array;
}

/* lays out all arrays of doubles from `block` on; how many doubles these are */
static size_t lay_all(const ess_driver *d, ess_tangents *v, double *block) {
  const size_t n = d->system.dimension, m = d->system.guard_count, p = v->count;
  const size_t parameters = d->system.parameters, most = n > m ? n : m;
  v->wide = n + parameters;
  const size_t wide = v->wide > p ? v->wide : p, events = m < ESS_MEETING ? m : ESS_MEETING;
  const size_t along = wide * events > p * m ? wide * events : p * m;
  double **const by_column[] = {&v->v,    &v->rows, &v->k[0], &v->k[1],  &v->k[2],  &v->k[3],
                                &v->k[4], &v->k[5], &v->k[6], &v->v_end, &v->v_last};
  double **const by_state[] = {&v->x,      &v->x_beside, &v->f_beside, &v->f_here,
                               &v->before, &v->at,       &v->mapped,   &v->leap};
  double *cursor = block;
  size_t total = 0;
  for (size_t i = 0; i < sizeof by_column / sizeof *by_column; i++)
    *by_column[i] = lay(&cursor, &total, p * n);
  for (size_t i = 0; i < sizeof by_state / sizeof *by_state; i++)
    *by_state[i] = lay(&cursor, &total, d->lanes); // whole ones are written
  v->w = lay(&cursor, &total, wide * n);
  v->matrix = lay(&cursor, &total, n * n);
  v->share = lay(&cursor, &total, p);
  v->h = lay(&cursor, &total, m);
  v->rate = lay(&cursor, &total, m);
  v->mode = lay(&cursor, &total, m);
  for (size_t i = 0; i <= ESS_MEETING; i++) {
    ess_passage *const q = &v->passage[i];
    q->x = lay(&cursor, &total, n);
    q->f = lay(&cursor, &total, n);
    q->sign = lay(&cursor, &total, m);
    q->side = lay(&cursor, &total, m);
    q->y = lay(&cursor, &total, wide * n);
    q->elapsed = lay(&cursor, &total, wide);
    q->along = lay(&cursor, &total, along);
    q->rate = lay(&cursor, &total, m);
  }
  v->cone = lay(&cursor, &total, PAIRS * v->wide);
  v->nearest = lay(&cursor, &total, v->wide);
  v->along = lay(&cursor, &total, p * parameters);
  v->nominal = lay(&cursor, &total, parameters);
  v->by = lay(&cursor, &total, most * parameters);
  v->above = lay(&cursor, &total, parameters ? most : 0);
  v->below = lay(&cursor, &total, parameters ? most : 0);
  v->at_k = lay(&cursor, &total, parameters ? m : 0);
  v->moved = lay(&cursor, &total, parameters ? most : 0);
  v->moving = lay(&cursor, &total, parameters);
  v->unit = lay(&cursor, &total, m > 1 || v->tape ? v->wide * parameters : 0);
  v->met = lay(&cursor, &total, p * m);
  v->met_y = lay(&cursor, &total, p * events * n);
  v->digest = lay(&cursor, &total, m > 1 ? ESS_ORDERS : 0);
  return total;
}

/* false when there is no memory */
static bool allocate(const ess_driver *d, ess_tangents *v) {
  const size_t m = d->system.guard_count, doubles = lay_all(d, v, NULL);
  const size_t orders = m > 1 ? ESS_ORDERS : 0;
  v->memory = calloc(1, doubles * sizeof(double) + 4 * m * sizeof(size_t) + 4 * m * sizeof(bool) +
                            orders * sizeof *v->orders);
  if (!v->memory) return false;
  lay_all(d, v, v->memory);
  v->events = (size_t *)((double *)v->memory + doubles);
  v->best = v->events + m;
  v->ahead = v->best + m;
  v->met_event = v->ahead + m;
  v->armed = (bool *)(v->met_event + m);
  v->armed_after = v->armed + 2 * m;
  v->orders = (unsigned char(*)[ESS_MEETING])(v->armed_after + 2 * m);
  return true;
}

void ess_tangents_free(ess_driver *d) {
  if (!d->tangents) return;
  ess_tape_free(d->tangents);
  free(d->tangents->memory);
  free(d->tangents);
  d->tangents = NULL;
}

void ess_tangents_forget(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  v->last_event = SIZE_MAX;
  v->met_count = v->ahead_count = 0;
  v->severity = 1.0;
  v->radius_crossings = UINT64_MAX;
  ess_tape_clear(d);
}

int ess_tangents_check(ess_driver *d, const double columns[]) {
  const size_t all = d->tangents->count * d->system.dimension;
  size_t i = 0;
  while (i < all && isfinite(columns[i])) i++;
  return i < all ? ess_fail(d, ESS_EFIELD, SIZE_MAX) : ESS_SUCCESS;
}

int ess_tangents_lose(ess_driver *d, int status) {
  if (status) d->tangents->is_lost = true;
  return status;
}

void ess_tangents_begin(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  if (v->is_lost) {
    ess_tangents_free(d);
    return;
  }
  v->has_first = v->is_pending = false;
  v->source = ESS_BEFORE_AT_NODE;
}

/* from rows to columns, or back */
static void transpose(const double from[], size_t rows, size_t columns, double to[]) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

/* the caller's, by row; none, where those are NULL: column first + i moves number i alone */
static void set_part(const double given[], size_t rows, size_t columns, size_t first, size_t stride,
                     double to[]) {
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++)
      to[j * stride + i] = given ? given[i * columns + j] : j == first + i ? 1.0 : 0.0;
}

/* the caller's directions, or one for each of its states, and then of its parameters */
static void set_directions(ess_driver *d, const double directions[], const double parameters[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = ess_caller_states(d), p = d->system.parameters, none = SIZE_MAX / 2;
  set_part(directions, n, v->count, parameters ? none : 0, d->system.dimension, v->v);
  set_part(parameters, p, v->count, directions ? none : n, p, v->along);
  if (!p) v->along = NULL;
  if (d->system.guard_count > 1 || v->tape)
    set_part(NULL, p, v->wide, d->system.dimension, p, v->unit);
}

static bool are_finite(const double values[], size_t count) {
  size_t i = 0;
  while (values && i < count && isfinite(values[i])) i++;
  return !values || i == count;
}

/* what is wrong with directions; NULL when nothing is */
static const char *check_directions(const ess_driver *d, size_t count, const double directions[],
                                    const double parameters[]) {
  const size_t n = ess_caller_states(d), p = d->system.parameters;
  const size_t all = n + p, most = SIZE_MAX / sizeof(double) / 64;
  if (all < n || all > most / all || count > most / (all + d->system.guard_count))
    return "there are more directions than memory can hold";
  if (count && d->rodas)
    return "tangents and recordings need ESS_BASE_DOPRI5, ESS_BASE_RKC or ESS_BASE_CHOSEN";
  if (!are_finite(directions, n * count)) return "each of directions must be finite";
  if (!are_finite(parameters, p * count)) return "each of parameters must be finite";
  return NULL;
}

/* memory is there */
static void begin_following(ess_driver *d, const double directions[], const double parameters[]) {
  ess_tangents *const v = d->tangents;
  set_directions(d, directions, parameters);
  v->chosen = v->digits = SIZE_MAX;
  ess_tangents_forget(d);
  v->smoothness = (ess_smoothness){.pieces = 1, .time = NAN, .order = v->best};
}

static int follow(ess_driver *d, size_t count, const double directions[],
                  const double parameters[]) {
  const char *const wrong = check_directions(d, count, directions, parameters);
  if (wrong) return ess_refuse(d, ess_caller_time(d, d->t), wrong);
  ess_no_failure(d);
  ess_tangents_free(d);
  if (!count) return ESS_SUCCESS;

  ess_tangents *const v = d->tangents = calloc(1, sizeof *v);
  if (!v) return ESS_ENOMEM;
  v->count = count;
  if (!allocate(d, v)) {
    ess_tangents_free(d);
    return ESS_ENOMEM;
  }
  begin_following(d, directions, parameters);
  return ess_tangents_show(d);
}

int ess_driver_follow(ess_driver *d, size_t count, const double directions[]) {
  if (!d) return ESS_EINVAL;
  const double now = ess_caller_time(d, d->t);
  if (d->applying) return ess_refuse(d, now, "directions are given between applies");
  if (!directions && count && count != ess_caller_states(d))
    return ess_refuse(d, now, "count must be the dimension when directions is NULL");
  const int status = follow(d, count, directions, NULL);
  if (status || !count) return status;
  // parameters stay
  d->tangents->along = NULL;
  d->tangents->wide = d->system.dimension;
  return ESS_SUCCESS;
}

int ess_driver_follow_parameters(ess_driver *d, size_t count, const double directions[],
                                 const double parameters[]) {
  if (!d) return ESS_EINVAL;
  const double now = ess_caller_time(d, d->t);
  const size_t p = d->system.parameters;
  if (d->applying) return ess_refuse(d, now, "directions are given between applies");
  if (!p) return ess_refuse(d, now, "the system has no parameters");
  if (!directions && !parameters && count && count != ess_caller_states(d) + p)
    return ess_refuse(d, now,
                      "count must be the dimension and the number of parameters when directions "
                      "and parameters are NULL");
  if (!are_finite(d->system.parameter_values, p))
    return ess_refuse(d, now, "each of parameter_values must be finite");
  return follow(d, count, directions, parameters);
}

int ess_driver_record(ess_driver *d, size_t bytes) {
  if (!d) return ESS_EINVAL;
  const double now = ess_caller_time(d, d->t);
  if (d->applying) return ess_refuse(d, now, "a recording begins between applies");
  if (d->options.method == ESS_METHOD_PAPER)
    return ess_refuse(d, now, "ESS_METHOD_PAPER has no adjoint");
  const char *const wrong = check_directions(d, 1, NULL, NULL);
  if (wrong) return ess_refuse(d, now, wrong);
  if (!are_finite(d->system.parameter_values, d->system.parameters))
    return ess_refuse(d, now, "each of parameter_values must be finite");
  ess_no_failure(d);
  ess_tangents_free(d);
  if (!bytes) return ESS_SUCCESS;
  ess_tangents *const v = d->tangents = calloc(1, sizeof *v);
  if (v) v->tape = ess_tape_alloc(d, bytes);
  if (v) v->count = d->system.dimension + d->system.parameters;
  if (!v || !v->tape || !allocate(d, v)) {
    ess_tangents_free(d);
    return ESS_ENOMEM;
  }
  ess_page_divide(d, v->tape);
  begin_following(d, NULL, NULL);
  v->chosen = v->digits = 0; // the order that the run makes
  return ESS_SUCCESS;
}

int ess_tangents_show(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  if (!v || v->is_lost) return ESS_SUCCESS;
  const ess_failure failed = d->failure;
  // stopped at a crossing, the node is not evaluated
  int status = v->is_pending ? ess_field(d, d->t, d->x, v->f_here) : ESS_SUCCESS;
  if (!status) ess_tangent_finish(d, v->f_here);
  if (!status) status = ess_tangents_check(d, v->v);
  transpose(v->v, v->count, d->system.dimension, v->rows);
  if (failed.status) d->failure = failed;
  return status;
}

const double *ess_driver_tangent(const ess_driver *d) {
  const ess_tangents *const v = d ? d->tangents : NULL;
  return v && !v->is_lost && !v->tape ? v->rows : NULL;
}

const ess_smoothness *ess_driver_smoothness(const ess_driver *d) {
  if (!d || !d->tangents) return NULL;
  ess_tangents *const v = d->tangents;
  if (d->caller.way > 0.0) return &v->smoothness;
  v->told = v->smoothness;
  v->told.time = ess_caller_time(d, v->told.time);
  return &v->told;
}

int ess_driver_choose_piece(ess_driver *d, size_t piece) {
  if (!d) return ESS_EINVAL;
  if (!d->tangents) return ess_refuse(d, ess_caller_time(d, d->t), "no directions are followed");
  d->tangents->chosen = d->tangents->digits = piece;
  return ESS_SUCCESS;
}
