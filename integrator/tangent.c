/*
 * Tangents: the public functions and their memory, V between crossings, and the accuracy that V
 * requires of steps before crossings of a stiff system.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "slides.h"
#include "tangents.h"

enum { ROWS = ESS_PASSES * (ESS_MEETING - 1) }; // of the cone

static void lay(ess_driver *d, ess_layout *l) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, m = d->system.event_count, p = v->count;
  const size_t parameters = d->system.parameters.count, most = n > m ? n : m;
  v->wide = n + parameters;
  const size_t wide = v->wide > p ? v->wide : p, events = m < ESS_MEETING ? m : ESS_MEETING;
  const size_t column_rates = wide * events > p * m ? wide * events : p * m;
  const size_t by_parameter = parameters ? most : 0, orders = m > 1 ? ESS_ORDERS : 0;
  double **const k = v->k;
  ESS_LAY(l, double, (p * n), &v->v, &v->rows, &k[0], &k[1], &k[2], &k[3], &k[4], &k[5], &k[6],
          &v->v_end, &v->v_last, &v->v_impact);
  ESS_LAY(l, double, d->lanes, &v->x, &v->x_beside, &v->f_beside, &v->f_here, &v->before, &v->at,
          &v->mapped, &v->axis, &v->across, &v->change, &v->bend); // whole ones are written
  ESS_LAY(l, double, (wide * n), &v->w);
  ess_own_lay(&v->own, n, l);
  ESS_LAY(l, double, (n * n), &v->matrix);
  ESS_LAY(l, double, p, &v->share);
  ESS_LAY(l, double, m, &v->h, &v->rate);
  ESS_LAY(l, double, 2 * m, &v->corner);
  for (size_t i = 0; i <= ESS_PASSES; i++) {
    ess_passage *const q = &v->passage[i];
    ESS_LAY(l, double, n, &q->x, &q->f);
    ESS_LAY(l, double, m, &q->sign, &q->side, &q->rate, &q->place);
    ESS_LAY(l, double, (wide * n), &q->y);
    ESS_LAY(l, double, wide, &q->elapsed);
    ESS_LAY(l, double, column_rates, &q->column_rate);
  }
  ESS_LAY(l, double, ROWS * v->wide, &v->cone);
  ESS_LAY(l, double, v->wide, &v->nearest);
  ESS_LAY(l, double, (p * parameters), &v->moves);
  ESS_LAY(l, double, parameters, &v->nominal, &v->part);
  ESS_LAY(l, double, (most * parameters), &v->by);
  ESS_LAY(l, double, by_parameter, &v->above, &v->below, &v->moved);
  ESS_LAY(l, double, parameters ? m : 0, &v->at_k);
  ESS_LAY(l, double, ess_has_units(d) ? (v->wide * parameters) : 0, &v->unit);
  ESS_LAY(l, double, (p * m), &v->met);
  ESS_LAY(l, double, (p * events * n), &v->met_y);
  ESS_LAY(l, double, orders, &v->digest);
  ESS_LAY(l, size_t, m, &v->events, &v->best, &v->settled, &v->met_event);
  ESS_LAY(l, ess_range, p, &v->range);
  ESS_LAY(l, bool, 2 * m, &v->armed);
  ESS_LAY(l, bool, n, &v->is_kinked, &v->was_kinked);
  ESS_LAY(l, bool, parameters, &v->is_time);
  ESS_LAY(l, *v->orders, orders, &v->orders);
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
  v->last_event = v->event = SIZE_MAX;
  v->event_t = v->jump_t = -INFINITY;
  v->met_count = v->settled_count = 0;
  v->severity = 1.0;
  v->radius_crossings = UINT64_MAX;
  v->pace = 0.0;
  ess_tape_clear(d);
}

/* fails where a direction is not finite */
static int check_finite(ess_driver *d, const double columns[]) {
  const bool finite = ess_are_finite(columns, d->tangents->count * d->system.dimension);
  return finite ? ESS_SUCCESS : ess_fail(d, ESS_EFIELD, SIZE_MAX);
}

double ess_tangent_least_tolerance(const ess_driver *d) {
  double least = INFINITY;
  for (size_t i = 0; i < ess_caller_states(d); i++)
    least = ess_smaller(least, d->rtol[i] + d->atol[i] / ess_tangent_unit(d, i));
  return least;
}

void ess_tangents_begin(ess_driver *d) {
  // relative error of one-sided differences, in square roots of rounding, for fields that bend
  // within a fraction of their states' units, as when a motor is switched on
  static const double BENDS = 20.0;
  ess_tangents *const v = d->tangents;
  if (v->is_lost) {
    ess_tangents_free(d);
    return;
  }
  v->has_first = false;
  v->source = ESS_BEFORE_AT_NODE;
  v->is_central = ESS_ALLOWED * ess_tangent_least_tolerance(d) < BENDS * sqrt(DBL_EPSILON);
}

/* the caller's rows as columns; if NULL, column first + i is the i-th unit vector */
static void set_part(const double given[], size_t rows, size_t columns, size_t first, size_t stride,
                     double to[]) {
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++)
      to[j * stride + i] = given ? given[i * columns + j] : j == first + i ? 1.0 : 0.0;
}

/* follows directions, by default unit vectors, or records into so many bytes */
static int follow(ess_driver *d, size_t count, size_t bytes, const double directions[],
                  const double parameters[]) {
  const size_t n = ess_caller_states(d), p = d->system.parameters.count, none = SIZE_MAX / 2;
  const size_t all = n + p, most = SIZE_MAX / sizeof(double) / 64;
  const char *wrong = count ? ess_refused_with(&d->options, ESS_WITH_TANGENTS) : NULL;
  if (all < n || all > most / all || count > most / (all + d->system.event_count))
    wrong = "there are more directions than memory can hold";
  else if (!wrong && directions && !ess_are_finite(directions, n * count))
    wrong = "each of directions must be finite";
  else if (!wrong && parameters && !ess_are_finite(parameters, p * count))
    wrong = "each of parameters must be finite";
  if (wrong) return ess_refuse(d, wrong);
  ess_no_failure(d);
  ess_tangents_free(d);
  if (!count) return ESS_SUCCESS;

  ess_tangents *const v = d->tangents = calloc(1, sizeof *v);
  size_t taken;
  if (v) v->count = count;
  if (v && (!bytes || ess_tape_alloc(d, bytes))) v->memory = ess_lay_out(d, lay, &taken);
  if (!v || !v->memory) {
    ess_tangents_free(d);
    return ess_fail(d, ESS_ENOMEM, SIZE_MAX);
  }
  set_part(directions, n, v->count, parameters ? none : 0, d->system.dimension, v->v);
  set_part(parameters, p, v->count, directions ? none : n, p, v->moves);
  for (size_t j = 0; j < v->count; j++) v->range[j] = ess_range_of(v->moves + j * p, p);
  if (!p) v->moves = NULL;
  for (size_t i = 0; d->system.field_jumps.parameters && i < d->system.field_jumps.count; i++) {
    const size_t time = d->system.field_jumps.parameters[i];
    if (time != SIZE_MAX) v->is_time[time] = true;
  }
  if (ess_has_units(d)) set_part(NULL, p, v->wide, d->system.dimension, p, v->unit);
  v->chosen = v->digits = bytes ? 0 : SIZE_MAX;
  ess_tangents_forget(d);
  v->smoothness = (ess_smoothness){.pieces = 1, .time = NAN, .order = v->best};
  return ess_tangents_show(d);
}

/* a line about what is wrong with the current values of parameters, or NULL */
static const char *check_values(const ess_system *s) {
  if (s->parameters.values && !ess_are_finite(s->parameters.values, s->parameters.count))
    return "each of parameters.values must be finite";
  return ess_parameter_times_check(s);
}

int ess_driver_follow(ess_driver *d, size_t count, const double directions[]) {
  if (!d) return ESS_EINVAL;
  if (ess_is_applying(d)) return ess_refuse(d, "directions are given between applies");
  if (!directions && count && count != ess_caller_states(d))
    return ess_refuse(d, "count must be the dimension when directions is NULL");
  const int status = follow(d, count, 0, directions, NULL);
  if (status || !count) return status;
  // parameters stay
  d->tangents->moves = NULL;
  d->tangents->wide = d->system.dimension;
  return ESS_SUCCESS;
}

int ess_driver_follow_parameters(ess_driver *d, size_t count, const double directions[],
                                 const double parameters[]) {
  if (!d) return ESS_EINVAL;
  const size_t p = d->system.parameters.count;
  if (ess_is_applying(d)) return ess_refuse(d, "directions are given between applies");
  if (!p) return ess_refuse(d, "the system has no parameters");
  if (!directions && !parameters && count && count != ess_caller_states(d) + p)
    return ess_refuse(d, "count must be the dimension and the number of parameters when directions "
                         "and parameters are NULL");
  const char *const wrong = check_values(&d->system);
  return wrong ? ess_refuse(d, wrong) : follow(d, count, 0, directions, parameters);
}

int ess_driver_record(ess_driver *d, size_t bytes) {
  if (!d) return ESS_EINVAL;
  if (ess_is_applying(d)) return ess_refuse(d, "a recording begins between applies");
  const char *wrong = bytes ? ess_refused_with(&d->options, ESS_WITH_RECORDING) : NULL;
  if (!wrong) wrong = check_values(&d->system);
  if (wrong) return ess_refuse(d, wrong);
  const size_t all = d->system.dimension + d->system.parameters.count;
  return follow(d, bytes ? all : 0, bytes, NULL, NULL);
}

int ess_tangents_show(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  if (!v || v->is_lost) return ESS_SUCCESS;
  const ess_failure failed = d->failure;
  // stopped at a crossing, the node is not evaluated
  int status = ESS_SUCCESS;
  if (v->source == ESS_BEFORE_PENDING) {
    // a model that failed to follow the crossing is told of the mode again
    status = ess_announce(d, d->system.event_count);
    if (!status) status = ess_field(d, d->t, d->x, v->f_here);
  }
  v->is_lost = status != ESS_SUCCESS; // the crossing has been made, and directions lack its jump
  if (!status) ess_tangent_finish(d, v->f_here);
  if (!status) status = check_finite(d, v->v);
  for (size_t j = 0; j < v->count; j++)
    for (size_t i = 0; i < d->system.dimension; i++)
      v->rows[i * v->count + j] = v->v[j * d->system.dimension + i];
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
  if (!d->tangents) return ess_refuse(d, "no directions are followed");
  d->tangents->chosen = d->tangents->digits = piece;
  return ESS_SUCCESS;
}

/* ---- between crossings ----------------------------------------------------------------------- */

/* V' = (df/dx) V + (df/dp) q, by the stages of the state's step. */

/* whether df/dx is in v->matrix after rates_of */
static bool has_matrix(const ess_driver *d, size_t count) {
  return ess_tangent_knows_field(d) || ess_tangent_is_matrix(d, count);
}

/* to = (df/dx) from + (df/dp) q of `count` columns at x; f is the field there, or NULL */
static int rates_of(ess_driver *d, double t, const double x[], const double *f, const double from[],
                    const double moves[], size_t count, double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  int status = ESS_SUCCESS;
  if (!f && ess_tangent_needs_field(d, moves)) {
    status = ess_field(d, t, x, v->f_here);
    f = v->f_here;
  }
  const bool is_matrix = has_matrix(d, count);
  if (!status && is_matrix) status = ess_tangent_field(d, t, x, f, v->matrix);
  for (size_t j = 0; !status && is_matrix && j < count; j++)
    ess_multiply(v->matrix, from + j * n, n, to + j * n);
  for (size_t j = 0; !status && !is_matrix && j < count; j++)
    status = ess_tangent_difference(d, t, x, f, from + j * n, to + j * n);
  return status ? status : ess_parameter_rates(d, t, x, f, moves, count, to);
}

/* The largest error of a direction over a step of this length, whose V ends in v_end, over
 * ESS_ALLOWED tolerances of states. J is the Jacobian near there, or NULL. */
static double error_of(ess_driver *d, double dt, const double J[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  double most = 0.0;
  ess_dopri5_sum(ESS_SUM_ERROR, dt, NULL, v->k, v->count * n, v->w);
  ess_dopri5_sum(ESS_SUM_DENSE, dt, NULL, v->k, v->count * n, v->v_last);
  for (size_t j = 0; j < v->count; j++) {
    double *const error = v->w + j * n, *const from = v->v + j * n, *const end = v->v_end + j * n;
    const double *const moves = v->moves ? v->moves + j * d->system.parameters.count : NULL;
    const double rounding = ess_rounding_of(d, d->x, d->f, J, from);
    const double lost = fabs(dt) * (rounding + ess_parameter_noise(d, moves));
    for (size_t i = 0; i < n; i++) {
      double lower = v->k[0][j * n + i], upper = lower;
      for (int s = 1; s < ESS_STAGES; s++) {
        lower = ess_smaller(lower, v->k[s][j * n + i]);
        upper = ess_larger(upper, v->k[s][j * n + i]);
      }
      error[i] = ess_larger(0.0, fabs(error[i]) - lost - DBL_MIN / DBL_EPSILON);
      error[i] = ess_seen_error(error[i], lost, fabs(dt) * (upper - lower), v->v_last[j * n + i]);
    }
    const double scaled = ess_scaled_norm(d, error, from, end);
    if (!(scaled <= DBL_MAX) || !ess_are_finite(end, n)) return INFINITY;
    most = ess_larger(most, scaled);
  }
  return most / ESS_ALLOWED;
}

/* Entry i of V at a place of the step of length dt that ends in v_end: dense output, as the
 * state's.
 */
static double along(const ess_tangents *v, size_t i, double dt, double place) {
  const double rest = 1.0 - place, rise = v->v_end[i] - v->v[i];
  const double bend = dt * v->k[0][i] - rise;
  const double inner = rise - dt * v->k[ESS_STAGES - 1][i] - bend + rest * v->v_last[i];
  return v->v[i] + place * (rise + rest * (bend + place * inner));
}

/* the caller's row of sample k, of the first n states */
static double *row_of(const ess_driver *d, size_t k) {
  return d->tangents->samples + k * ess_caller_states(d) * d->tangents->count;
}

/* Samples on the step, or part, of length dt from time t, before its place `to`; those at its end
 * belong to what follows. */
static void sample(ess_driver *d, double t, double dt, double to) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  for (; v->samples && v->sampled < d->grid.count; v->sampled++) {
    const double place = (ess_caller_time(d, d->grid.times[v->sampled]) - t) / dt;
    if (!(place < to)) return;
    double *const row = row_of(d, v->sampled);
    for (size_t j = 0; j < v->count; j++)
      for (size_t i = 0; i < ess_caller_states(d); i++)
        row[i * v->count + j] = along(v, j * n + i, dt, ess_larger(0.0, place));
  }
}

const char *ess_tangents_refuse_samples(const ess_driver *d) {
  if (!ess_locates(d)) return "projection has no samples of directions";
  const ess_tangents *const v = d->tangents;
  return v && !v->tape && !v->is_lost ? NULL : "no directions are followed";
}

void ess_tangents_sample_rest(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  for (; v->samples && v->sampled < d->grid.count; v->sampled++) {
    if (ess_caller_time(d, d->grid.times[v->sampled]) > d->t) return;
    memcpy(row_of(d, v->sampled), v->rows, ess_caller_states(d) * v->count * sizeof *v->rows);
  }
}

/* rates in the stages of the step just tried, its errors, and whether V needs parts */
static int try_step(ess_driver *d, bool *is_rough) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, all = v->count * n;
  const bool has_own = has_matrix(d, v->count);
  int status = ESS_SUCCESS;
  if (has_own && v->has_first) ess_own_stage(d, 0, d->dt, v->own.first);
  for (int s = v->has_first; !status && s < ESS_STAGES; s++) {
    const double t = ess_dopri5_stage(d, s, v->x);
    double *const to = s == ESS_STAGES - 1 ? v->v_end : v->w;
    ess_dopri5_sum((ess_sum)s, d->dt, v->v, v->k, all, to);
    const bool is_off = s == 0 && v->source == ESS_BEFORE_UNKNOWN;
    memset(v->is_kinked, 0, n * sizeof *v->is_kinked);
    status = rates_of(d, t, v->x, is_off ? NULL : d->stage[s], to, v->moves, v->count, v->k[s]);
    if (!status && has_own) ess_own_stage(d, s, d->dt, v->matrix);
    if (s == 0 && has_own) memcpy(v->own.first, v->matrix, n * n * sizeof *v->matrix);
    if (s == 0) memcpy(v->was_kinked, v->is_kinked, n * sizeof *v->is_kinked);
  }
  v->has_first = !status;
  if (status) return status;
  if (has_own) ess_own_look(d, v->x, d->stage[ESS_STAGES - 1], v->matrix);
  if (has_own) memcpy(v->own.last, v->matrix, n * n * sizeof *v->matrix);
  v->errors.its = error_of(d, d->dt, has_own ? v->own.first : NULL);
  v->errors.own = has_own ? ess_own_error(d, d->dt) : NAN;
  const bool beyond = ess_is_beyond(v->pace, d->dt) && !ess_is_surely_small(v->errors.its);
  *is_rough = beyond || ess_is_too_long(v->errors);
  if (!beyond) v->pace = ess_pace_after(v->pace, d->dt, v->errors.its);
  return ESS_SUCCESS;
}

/* V is at the end of the step, or of a part: its last stage is the next one's first */
static void take_end(ess_tangents *v, size_t n) {
  memcpy(v->v, v->v_end, v->count * n * sizeof *v->v);
  ess_swap(&v->k[0], &v->k[ESS_STAGES - 1]);
  ess_swap(&v->own.first, &v->own.last);
}

/* Where f- of the next crossing comes from, if the step is taken to theta. Mostly that is an
 * evaluation: the slope of a step that leaves a contact, whose force has a kink there, is wrong. A
 * step limited by stability has ripple, which the field amplifies, but the slope does not. */
static void note_source(ess_driver *d, double theta, bool cut) {
  ess_tangents *const v = d->tangents;
  const bool has_slope = cut && (d->base->kind == ESS_STABILISED || v->extent > ESS_BOUND_FROM);
  v->source = !cut ? ESS_BEFORE_AT_NODE : has_slope ? ESS_BEFORE_KNOWN : ESS_BEFORE_UNKNOWN;
  if (has_slope) ess_dopri5_slope(d, theta, v->before);
}

int ess_tangent_step(ess_driver *d, double theta, bool cut) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  // stabilised steps have no stages of the pair: V goes along their dense output
  bool is_rough = d->base->kind == ESS_STABILISED, stays = false;
  if (ess_is_recording(d) && !is_rough && !ess_is_sliding(d)) {
    note_source(d, theta, cut);
    ess_tape_step(d, theta);
    return ESS_SUCCESS;
  }
  ess_tape_open(d);
  const bool looks = !is_rough; // for kinks
  const int status = is_rough ? ESS_SUCCESS : try_step(d, &is_rough);
  if (status) return status;
  // a trajectory that stays at a kink of the field is not smooth, one that passes it is
  for (size_t i = 0; i < n; i++) {
    stays |= looks && v->was_kinked[i] && v->is_kinked[i];
    v->was_kinked[i] = looks && v->is_kinked[i] && !cut;
  }
  if (stays) v->smoothness.kind = ESS_SMOOTH_NOT_COUNTED;
  if (stays) v->smoothness.pieces = 0;
  v->theta = is_rough ? theta : 0.0;
  v->has_first = !cut && !is_rough;
  if (!is_rough) sample(d, d->t, d->dt, theta);
  for (size_t i = 0; !is_rough && cut && i < v->count * n; i++) v->v[i] = along(v, i, d->dt, theta);
  if (!is_rough && !cut) take_end(v, n);
  note_source(d, theta, cut);
  return ESS_SUCCESS;
}

/* a step of the pair along a part of the last piece, into v_end; its first stage is known */
static int try_part(ess_parts *p, double from, double to, ess_errors *errors) {
  enum { LAST = ESS_STAGES - 1 };
  ess_driver *const d = p->d;
  ess_tangents *const v = d->tangents;
  const double dt = (to - from) * p->dt;
  v->part_from = from;
  v->part_to = to;
  // own directions would resolve fast motions that stabilised steps leave out
  const bool has_own = has_matrix(d, v->count) && d->base->kind != ESS_STABILISED;
  const size_t n = d->system.dimension;
  int status = ESS_SUCCESS;
  if (has_own) ess_own_stage(d, 0, dt, v->own.first);
  for (int s = 1; !status && s < ESS_STAGES; s++) {
    double *const at = s == LAST ? v->v_end : v->w;
    ess_dopri5_sum((ess_sum)s, dt, v->v, v->k, v->count * n, at);
    const double t = ess_parts_stage(p, s, from, to, v->x);
    if (s < LAST || !has_own) {
      status = rates_of(d, t, v->x, NULL, at, v->moves, v->count, v->k[s]);
    } else { // the Jacobian at this place is known from the stage before
      const double *const f = ess_tangent_needs_field(d, v->moves) ? v->f_here : NULL;
      for (size_t j = 0; j < v->count; j++) ess_multiply(v->matrix, at + j * n, n, v->k[s] + j * n);
      status = ess_parameter_rates(d, t, v->x, f, v->moves, v->count, v->k[s]);
    }
    if (!status && has_own) ess_own_stage(d, s, dt, v->matrix);
  }
  if (status) return status;
  if (has_own) memcpy(v->own.last, v->matrix, n * n * sizeof *v->matrix);
  errors->its = error_of(d, dt, has_own ? v->own.first : NULL);
  errors->own = has_own ? ess_own_error(d, dt) : NAN;
  return ESS_SUCCESS;
}

static void go_part(ess_parts *p) {
  ess_tangents *const v = p->d->tangents;
  const double dt = (v->part_to - v->part_from) * p->dt;
  sample(p->d, p->t + v->part_from * p->dt, dt, 1.0);
  take_end(v, p->d->system.dimension);
}

int ess_tangent_piece(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  const ess_piece *const piece = &d->piece;
  int status = ESS_SUCCESS;
  if (v->theta > 0.0) {
    ess_parts parts = {.d = d,
                       .t = piece->t0,
                       .dt = piece->length,
                       .x = piece->x,
                       .dense = piece->c,
                       .pace = &v->pace,
                       .look = try_part,
                       .go = go_part};
    const bool is_tried = d->base->kind != ESS_STABILISED; // else its first stage is not known
    if (!is_tried)
      status = rates_of(d, piece->t0, piece->x, NULL, v->v, v->moves, v->count, v->k[0]);
    if (!status) status = ess_go_in_parts(&parts, v->theta, is_tried ? &v->errors : NULL);
    v->theta = 0.0;
    v->is_lost = status != ESS_SUCCESS; // the state is ahead already
  }
  // samples that rounding has put before the node belong to what follows
  while (v->samples && v->sampled > 0 && ess_caller_time(d, d->grid.times[v->sampled - 1]) >= d->t)
    v->sampled--;
  ess_tape_close(d, true);
  return status;
}

int ess_tangent_straight(ess_driver *d, double duration, bool by_midpoint) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, all = v->count * n;
  v->source = ESS_BEFORE_UNKNOWN;
  v->has_first = false;
  int status = rates_of(d, d->t, d->x, d->f, v->v, v->moves, v->count, v->k[0]);
  if (!status && by_midpoint) {
    const double half = 0.5 * duration;
    for (size_t i = 0; i < n; i++) v->x[i] = d->x[i] + half * d->f[i];
    for (size_t i = 0; i < all; i++) v->w[i] = v->v[i] + half * v->k[0][i];
    status = rates_of(d, d->t + half, v->x, NULL, v->w, v->moves, v->count, v->k[0]);
  }
  if (status) return status;
  for (size_t i = 0; i < all; i++) v->w[i] = v->v[i] + duration * v->k[0][i];
  status = check_finite(d, v->w);
  if (!status) memcpy(v->v, v->w, all * sizeof *v->v);
  return status;
}

/* ---- before crossings of a stiff system ------------------------------------------------------ */

/* Steps at the edge of stability leave a ripple in the state, below its tolerance. The field
 * amplifies it by the spectral radius, and a saltation matrix contains the field. So a step before
 * a crossing must have a smaller error (docs/theory/tangents.md). */

/* accepted error of V, in tolerances, for a ripple of one tolerance in the state */
static const double ALLOWED_BEFORE_CROSSING = 30.0;

/* radius times time to a crossing, below which ripple has no time to decay */
static const double NEAR = 40.0;

/* radius times length from which a step may leave ripple */
static const double STIFF_FROM = 0.25;

/* least part of a state in the ripple, over the largest part */
static const double NO_RIPPLE = 0.01;

/* the largest component in units of the states, at least 1 */
static double size_of(const ess_driver *d, const double v[]) {
  double most = 1.0;
  for (size_t i = 0; i < ess_caller_states(d); i++)
    most = ess_larger(most, fabs(v[i]) / ess_tangent_unit(d, i));
  return most;
}

/* root of the sum of squares in these units */
static double length_of(const ess_driver *d, const double v[]) {
  double sum = 0.0;
  for (size_t i = 0; i < ess_caller_states(d); i++) {
    const double part = v[i] / ess_tangent_unit(d, i);
    sum += part * part;
  }
  return sqrt(sum);
}

/* the largest part of a state in the ripple, whose direction is in `at` */
static double largest_part(const ess_driver *d) {
  double most = 0.0;
  for (size_t i = 0; i < ess_caller_states(d); i++)
    most = ess_larger(most, fabs(d->tangents->at[i]) / ess_tangent_unit(d, i));
  return most;
}

/* whether state i is in the ripple: others may be large, as a clock */
static bool is_in_ripple(const ess_driver *d, size_t i, double largest) {
  return fabs(d->tangents->at[i]) >= NO_RIPPLE * largest * ess_tangent_unit(d, i);
}

/* the size of the states in the ripple */
static double size_of_ripples(const ess_driver *d) {
  const double largest = largest_part(d);
  double most = 1.0;
  for (size_t i = 0; i < ess_caller_states(d); i++)
    if (is_in_ripple(d, i, largest))
      most = ess_larger(most, fabs(d->x[i]) / ess_tangent_unit(d, i));
  return most;
}

/* whether sigma is at most 1 for all directions */
static bool is_fast(const ess_driver *d, double radius) {
  return !(radius * size_of_ripples(d) > ALLOWED_BEFORE_CROSSING * size_of(d, d->f));
}

/* Raises *most to sigma, the error of V from the crossing of event function k over the accepted
 * one, for a ripple of one tolerance. */
static int weigh(ess_driver *d, size_t k, double radius, double *most) {
  ess_tangents *const v = d->tangents;
  const double size = size_of_ripples(d), speed = size_of(d, d->f), rate = fabs(d->rate[k]);
  int status = ESS_SUCCESS;
  // for an adjoint, of the worst direction
  if (v->tape && radius * size > ALLOWED_BEFORE_CROSSING * speed * *most)
    *most = radius * size / (ALLOWED_BEFORE_CROSSING * speed);
  for (size_t j = 0; !status && j < v->count; j++) {
    const double *const column = v->v + j * d->system.dimension;
    status = ess_some_guard_rates(d, d->t, d->x, column, &k, 1, v->h, v->rate);
    const double its = fabs(v->rate[0]);
    const double largest = ess_larger(rate * size_of(d, column), its * speed);
    const double error = radius * its * size / (ALLOWED_BEFORE_CROSSING * largest);
    if (error > *most) *most = error;
  }
  return status;
}

/* sigma of all crossings that are near, at least 1 */
static int weigh_near(ess_driver *d, double radius, double *most) {
  int status = ESS_SUCCESS;
  *most = 1.0;
  if (is_fast(d, radius)) return ESS_SUCCESS;
  for (size_t k = 0; !status && k < d->system.event_count; k++) {
    if (!ess_is_armed(d, k) || ess_is_silent(d, k)) continue;
    // a ripple may turn the rate of one that is approached
    const bool near = -d->side[k] * d->h[k] * radius <= NEAR * fabs(d->rate[k]);
    if (near) status = weigh(d, k, radius, most);
  }
  return status;
}

/* to = the Jacobian at the step's end times from; *gain = |to| / |from| */
static int apply_jacobian(ess_driver *d, const double from[], double to[], double *gain) {
  const double *const f = d->stage[ESS_STAGES - 1];
  const int status = rates_of(d, d->t + d->dt, d->x_end, f, from, NULL, 1, to);
  const double before = length_of(d, from);
  *gain = before > 0.0 ? length_of(d, to) / before : 0.0;
  return status;
}

int ess_tangent_severity(ess_driver *d, double error, double *severity) {
  ess_tangents *const v = d->tangents;
  *severity = 1.0;
  v->extent = 0.0;
  v->radius_tries++;
  // a rejected step shows nothing
  if (d->base->kind == ESS_STABILISED || !d->armed_count || !(error <= 1.0)) return ESS_SUCCESS;
  const double shown = ess_radius_shown(d, v->at), was = v->severity;
  v->severity = 1.0;
  v->extent = shown * d->dt;
  int status = ESS_SUCCESS;
  if (!(shown * d->dt > STIFF_FROM || was > 1.0)) return ESS_SUCCESS;
  const bool knows_radius = v->radius_crossings == d->counters.crossings &&
                            v->radius_tries < ESS_RADIUS_TRIES && shown <= ESS_MARGIN * v->shown;
  if (!knows_radius) {
    double most, gain[2] = {0.0, 0.0};
    status = weigh_near(d, shown, &most);
    // most often that is enough
    if (status || !(error * most > 1.0)) return status;
    // the stages alone do not show it if positions and rates have units of different size
    status = apply_jacobian(d, v->at, v->mapped, &gain[0]);
    if (!status) status = apply_jacobian(d, v->mapped, v->at, &gain[1]);
    v->radius = sqrt(gain[0] * gain[1]);
    v->shown = shown;
    v->radius_tries = 0;
    v->radius_crossings = d->counters.crossings;
  }
  if (status || !(v->radius * d->dt > STIFF_FROM || was > 1.0)) return status;
  double most;
  status = weigh_near(d, v->radius, &most);
  // rounding limits the tolerance of a step
  const double largest = largest_part(d);
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double x = fabs(d->x[i]), rounding = ESS_ROUNDING * x,
                 tolerance = d->atol[i] + d->rtol[i] * x;
    if (is_in_ripple(d, i, largest) && rounding * most > tolerance) most = tolerance / rounding;
  }
  v->severity = *severity = ess_larger(1.0, most);
  return status;
}

/* the spectral radius that stabilised steps have found; its direction becomes `at` */
static double take_radius(ess_driver *d) {
  const ess_stabilised *const s = &d->stabilised;
  memcpy(d->tangents->at, s->direction, d->system.dimension * sizeof *s->direction);
  return s->radius;
}

/* dopri5 makes the steps from the node on, for at most this time */
static void leave_stabilised(ess_driver *d, double time) {
  ess_stabilised *const s = &d->stabilised;
  d->base = &ess_base_dopri5;
  s->off_until = d->t + time;
  ess_control_bound(d, ESS_BY_TANGENTS, ESS_EXTENT_ANEW / s->radius);
  ess_control_forget_error(d); // that was the other's
}

int ess_tangent_leave(ess_driver *d) {
  const double radius = take_radius(d);
  double most = 1.0;
  const int status = d->armed_count ? weigh_near(d, radius, &most) : ESS_SUCCESS;
  if (!status && most > 1.0) leave_stabilised(d, 2.0 * NEAR / radius);
  return status;
}

ess_verdict ess_tangent_approach(ess_driver *d, double time) {
  const double radius = take_radius(d);
  double most = 1.0;
  ess_verdict v = {0};
  if (is_fast(d, radius)) return v;
  for (size_t i = 0; !v.status && i < d->flagged.count; i++)
    if (!ess_is_silent(d, d->flagged.list[i]))
      v.status = weigh(d, d->flagged.list[i], radius, &most);
  if (v.status || !(most > 1.0)) return v;
  if (time * radius > NEAR) return ess_refused(ESS_BY_TANGENTS, time - 0.75 * NEAR / radius);
  leave_stabilised(d, time + NEAR / radius);
  return ess_refused(ESS_BY_TANGENTS, d->control.next);
}
