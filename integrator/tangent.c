/*
 * Tangents: what the caller asks for, and the memory that takes.
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
  const size_t n = d->system.dimension, m = d->system.guard_count, p = v->count;
  const size_t parameters = d->system.parameters, most = n > m ? n : m;
  v->wide = n + parameters;
  const size_t wide = v->wide > p ? v->wide : p, events = m < ESS_MEETING ? m : ESS_MEETING;
  const size_t column_rates = wide * events > p * m ? wide * events : p * m;
  const size_t by_parameter = parameters ? most : 0, orders = m > 1 ? ESS_ORDERS : 0;
  double **const k = v->k;
  ESS_LAY(l, double, (p * n), &v->v, &v->rows, &k[0], &k[1], &k[2], &k[3], &k[4], &k[5], &k[6],
          &v->v_end, &v->v_last);
  ESS_LAY(l, double, d->lanes, &v->x, &v->x_beside, &v->f_beside, &v->f_here, &v->before, &v->at,
          &v->mapped, &v->axis, &v->across, &v->change, &v->bend); // whole ones are written
  ESS_LAY(l, double, (wide * n), &v->w);
  ess_own_lay(&v->own, n, l);
  ESS_LAY(l, double, (n * n), &v->matrix);
  ESS_LAY(l, double, p, &v->share);
  ESS_LAY(l, double, m, &v->h, &v->rate, &v->mode);
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
  ESS_LAY(l, bool, 2 * m, &v->armed, &v->armed_after);
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

/* True if one-sided differences are too inaccurate for the tolerance. Their relative error is
 * `bends` times the square root of rounding, for fields that bend within a fraction of their
 * states' units, as when a motor is switched on. */
static bool asks_more_than_differences(const ess_driver *d) {
  static const double bends = 20.0;
  return ESS_ALLOWED * ess_tangent_least_tolerance(d) < bends * sqrt(DBL_EPSILON);
}

void ess_tangents_begin(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  if (v->is_lost) {
    ess_tangents_free(d);
    return;
  }
  v->has_first = v->is_pending = false;
  v->source = ESS_BEFORE_AT_NODE;
  v->is_central = asks_more_than_differences(d);
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
  set_part(parameters, p, v->count, directions ? none : n, p, v->moves);
  for (size_t j = 0; j < v->count; j++) v->range[j] = ess_range_of(v->moves + j * p, p);
  if (!p) v->moves = NULL;
  for (size_t i = 0; d->system.field_jump_parameters && i < d->system.field_jump_count; i++) {
    const size_t time = d->system.field_jump_parameters[i];
    if (time != SIZE_MAX) v->is_time[time] = true;
  }
  if (ess_has_units(d)) set_part(NULL, p, v->wide, d->system.dimension, p, v->unit);
}

/* what is wrong with directions, or a recording; NULL when nothing is */
static const char *check_directions(const ess_driver *d, size_t count, const double directions[],
                                    const double parameters[]) {
  const size_t n = ess_caller_states(d), p = d->system.parameters;
  const size_t all = n + p, most = SIZE_MAX / sizeof(double) / 64;
  if (all < n || all > most / all || count > most / (all + d->system.guard_count))
    return "there are more directions than memory can hold";
  if (count && (d->rodas || d->options.base == ESS_BASE_ROS2))
    return "tangents and recordings need ESS_BASE_DOPRI5, ESS_BASE_RKC or ESS_BASE_CHOSEN";
  if (directions && !ess_are_finite(directions, n * count))
    return "each of directions must be finite";
  if (parameters && !ess_are_finite(parameters, p * count))
    return "each of parameters must be finite";
  return NULL;
}

/* records into so many bytes, where there are any */
static int follow(ess_driver *d, size_t count, size_t bytes, const double directions[],
                  const double parameters[]) {
  const char *const wrong = check_directions(d, count, directions, parameters);
  if (wrong) return ess_refuse(d, wrong);
  ess_no_failure(d);
  ess_tangents_free(d);
  if (!count) return ESS_SUCCESS;

  ess_tangents *const v = d->tangents = calloc(1, sizeof *v);
  size_t all;
  if (v) v->count = count;
  if (v && (!bytes || ess_tape_alloc(d, bytes))) v->memory = ess_lay_out(d, lay, &all);
  if (!v || !v->memory) {
    ess_tangents_free(d);
    return ess_fail(d, ESS_ENOMEM, SIZE_MAX);
  }
  set_directions(d, directions, parameters);
  v->chosen = v->digits = bytes ? 0 : SIZE_MAX; // recorded is the order that the run makes
  ess_tangents_forget(d);
  v->smoothness = (ess_smoothness){.pieces = 1, .time = NAN, .order = v->best};
  return ess_tangents_show(d);
}

/* what is wrong with the values of parameters, which may have changed; NULL when nothing is */
static const char *check_values(const ess_system *s) {
  if (s->parameter_values && !ess_are_finite(s->parameter_values, s->parameters))
    return "each of parameter_values must be finite";
  return ess_parameter_times_check(s);
}

int ess_driver_follow(ess_driver *d, size_t count, const double directions[]) {
  if (!d) return ESS_EINVAL;
  if (d->applying) return ess_refuse(d, "directions are given between applies");
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
  const size_t p = d->system.parameters;
  if (d->applying) return ess_refuse(d, "directions are given between applies");
  if (!p) return ess_refuse(d, "the system has no parameters");
  if (!directions && !parameters && count && count != ess_caller_states(d) + p)
    return ess_refuse(d, "count must be the dimension and the number of parameters when directions "
                         "and parameters are NULL");
  const char *const wrong = check_values(&d->system);
  return wrong ? ess_refuse(d, wrong) : follow(d, count, 0, directions, parameters);
}

int ess_driver_record(ess_driver *d, size_t bytes) {
  if (!d) return ESS_EINVAL;
  if (d->applying) return ess_refuse(d, "a recording begins between applies");
  if (!d->scheme->locates) return ess_refuse(d, "ESS_METHOD_PAPER has no adjoint");
  const char *const wrong = check_values(&d->system);
  if (wrong) return ess_refuse(d, wrong);
  const size_t all = d->system.dimension + d->system.parameters;
  return follow(d, bytes ? all : 0, bytes, NULL, NULL);
}

int ess_tangents_show(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  if (!v || v->is_lost) return ESS_SUCCESS;
  const ess_failure failed = d->failure;
  // stopped at a crossing, the node is not evaluated
  int status = v->is_pending ? ess_field(d, d->t, d->x, v->f_here) : ESS_SUCCESS;
  if (!status) ess_tangent_finish(d, v->f_here);
  if (!status) status = check_finite(d, v->v);
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
  if (!d->tangents) return ess_refuse(d, "no directions are followed");
  d->tangents->chosen = d->tangents->digits = piece;
  return ESS_SUCCESS;
}

/* ---- variation ------------------------------------------------------------------------------- */

/* Tangents between crossings: v' = (df/dx) v, by the stages of the step that the state makes. */

/* the largest component; not a number where one is not */
static double norm(const double v[], size_t n) {
  double most = 0.0;
  for (size_t i = 0; i < n; i++) most = fabs(v[i]) <= most ? most : fabs(v[i]) + 0.0 * most;
  return most;
}

/* by the state alone */
static int state_rates(ess_driver *d, double t, const double x[], const double *f,
                       const double from[], size_t count, double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  int status = ESS_SUCCESS;
  if (ess_tangent_knows_field(d) || ess_tangent_is_matrix(d, count)) {
    status = ess_tangent_field(d, t, x, f, v->matrix);
    for (size_t j = 0; !status && j < count; j++)
      ess_multiply(v->matrix, from + j * n, n, to + j * n);
    return status;
  }
  for (size_t j = 0; !status && j < count; j++)
    status = ess_tangent_difference(d, t, x, f, from + j * n, to + j * n);
  return status;
}

/* to = the field's Jacobian at x, times from, `count` columns, whose parameters move so,
 * or NULL; f is the field there, or NULL */
static int rates_of(ess_driver *d, double t, const double x[], const double *f, const double from[],
                    const double moves[], size_t count, double to[]) {
  int status = ESS_SUCCESS;
  if (!f && ess_tangent_needs_field(d, moves)) {
    status = ess_field(d, t, x, d->tangents->f_here);
    f = d->tangents->f_here;
  }
  if (!status) status = state_rates(d, t, x, f, from, count, to);
  return status ? status : ess_parameter_rates(d, t, x, f, moves, count, to);
}

/* how much the rates of a component of a column have changed from stage to stage */
static double change_of(const ess_tangents *v, size_t at) {
  double least = v->k[0][at], most = least;
  for (int s = 1; s < ESS_STAGES; s++) {
    least = ess_smaller(least, v->k[s][at]);
    most = ess_larger(most, v->k[s][at]);
  }
  return most - least;
}

/* the error of directions over a step of this length that ends here, in units of what is allowed,
 * as if their components were states: the largest of all directions. J is the field's Jacobian
 * about there, or NULL. */
static double error_of(ess_driver *d, double dt, const double end[], const double J[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  double most = 0.0;
  ess_dopri5_sum(ESS_SUM_ERROR, dt, NULL, v->k, v->count * n, v->w);
  ess_dopri5_sum(ESS_SUM_DENSE, dt, NULL, v->k, v->count * n, v->v_last);
  for (size_t j = 0; j < v->count; j++) {
    double *const error = v->w + j * n, *const from = v->v + j * n;
    const double *const moves = v->moves ? v->moves + j * d->system.parameters : NULL;
    const double rounding = ess_rounding_of(d, d->x, d->f, J, from);
    const double lost = fabs(dt) * (rounding + ess_parameter_noise(d, moves));
    for (size_t i = 0; i < n; i++) error[i] = ess_larger(0.0, fabs(error[i]) - lost - ESS_DECAYED);
    for (size_t i = 0; i < n; i++)
      error[i] =
          ess_seen_error(error[i], lost, fabs(dt) * change_of(v, j * n + i), v->v_last[j * n + i]);
    const double its = ess_scaled_norm(d, error, from, end + j * n);
    if (!(its <= DBL_MAX) || !(norm(end + j * n, n) < INFINITY)) return INFINITY;
    most = ess_larger(most, its);
  }
  return most / ESS_ALLOWED;
}

/* whether the field's Jacobian is in v->matrix where directions have been at a stage */
static bool has_matrix(const ess_driver *d) {
  return ess_tangent_knows_field(d) || ess_tangent_is_matrix(d, d->tangents->count);
}

/* after the last stage of a step, or a part of one */
static ess_errors errors_of(ess_driver *d, double dt) {
  const bool has = has_matrix(d);
  const ess_tangents *const v = d->tangents;
  return (ess_errors){.its = error_of(d, dt, v->v_end, has ? v->own.first : NULL),
                      .own = has ? ess_own_error(d, dt) : NAN};
}

/* rates in the stages of the step just tried */
static int try_step(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, all = v->count * n;
  const bool has_own = has_matrix(d);
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
  // where it is not a number shorter steps may be better
  v->errors = errors_of(d, d->dt);
  const bool beyond = ess_is_beyond(v->pace, d->dt) && !ess_is_surely_small(v->errors.its);
  v->is_rough = beyond || ess_is_too_long(v->errors);
  if (!beyond) v->pace = ess_pace_after(v->pace, d->dt, v->errors.its);
  return ESS_SUCCESS;
}

/* directions at theta of the step tried */
static void go_to(ess_driver *d, double theta) {
  ess_tangents *const v = d->tangents;
  const double rest = 1.0 - theta;
  for (size_t i = 0; i < v->count * d->system.dimension; i++) {
    const double rise = v->v_end[i] - v->v[i], bend = d->dt * v->k[0][i] - rise;
    const double inner = rise - d->dt * v->k[ESS_STAGES - 1][i] - bend + rest * v->v_last[i];
    v->v[i] += theta * (rise + rest * (bend + theta * inner));
  }
}

/* Where the field before a crossing is to be had, when the step just tried is taken to theta. Most
 * often that is a call: a step that leaves a contact, whose force is nothing beyond it, goes over a
 * kink of the field, and its slope there is wrong. */
static void note_source(ess_driver *d, double theta, bool cut) {
  ess_tangents *const v = d->tangents;
  const bool has_slope = cut && (d->base->is_stabilised || v->extent > ESS_BOUND_FROM);
  v->source = !cut ? ESS_BEFORE_AT_NODE : has_slope ? ESS_BEFORE_KNOWN : ESS_BEFORE_UNKNOWN;
  if (has_slope) ess_dopri5_slope(d, theta, v->before);
}

/* A state that stays at a kink of one component of the field is on both sides of it; one that comes
 * past it is on neither. Stabilised steps do not look. */
static void note_kinks(ess_driver *d, bool cut) {
  ess_tangents *const v = d->tangents;
  const bool looks = !d->base->is_stabilised;
  bool stays = false;
  for (size_t i = 0; i < d->system.dimension; i++) {
    stays |= looks && v->was_kinked[i] && v->is_kinked[i];
    v->was_kinked[i] = looks && v->is_kinked[i] && !cut;
  }
  if (!stays) return;
  v->smoothness.kind = ESS_SMOOTH_NOT_COUNTED;
  v->smoothness.pieces = 0;
}

/* directions are where the step, or a part of it, ends: its last stage is the next one's first */
static void take_end(ess_tangents *v, size_t n) {
  memcpy(v->v, v->v_end, v->count * n * sizeof *v->v);
  ess_swap(&v->k[0], &v->k[ESS_STAGES - 1]);
  ess_swap(&v->own.first, &v->own.last);
}

int ess_tangent_step(ess_driver *d, double theta, bool cut) {
  ess_tangents *const v = d->tangents;
  if (ess_is_recording(d) && !d->base->is_stabilised && !ess_is_sliding(d)) {
    note_source(d, theta, cut);
    ess_tape_step(d, theta);
    return ESS_SUCCESS;
  }
  ess_tape_open(d);
  // without stages of the pair directions go along the piece that the step becomes
  if (d->base->is_stabilised) v->is_rough = true;
  const int status = d->base->is_stabilised ? ESS_SUCCESS : try_step(d);
  if (status) return status;
  note_kinks(d, cut);
  v->theta = theta;
  v->has_first = !cut && !v->is_rough;
  if (!v->is_rough && cut) go_to(d, theta);
  if (!v->is_rough && !cut) take_end(v, d->system.dimension);
  note_source(d, theta, cut);
  return ESS_SUCCESS;
}

/* to = v + factor rate */
static void add_rates(const ess_driver *d, const double rate[], double factor, double to[]) {
  const ess_tangents *const v = d->tangents;
  for (size_t i = 0; i < v->count * d->system.dimension; i++) to[i] = v->v[i] + factor * rate[i];
}

/* rates of what is in `from`, at u of the last piece */
static int rates_on_path(ess_driver *d, double u, const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  ess_piece_state(d, d->piece.t0 + u, v->x);
  return rates_of(d, d->piece.t0 + u, v->x, NULL, from, v->moves, v->count, to);
}

/* one step of the pair along the last piece, into v_end */
static int try_step_of_piece(ess_driver *d, double u, double dt) {
  ess_tangents *const v = d->tangents;
  int status = ESS_SUCCESS;
  for (int s = 0; !status && s < ESS_STAGES; s++) {
    double *const to = s == ESS_STAGES - 1 ? v->v_end : v->w;
    ess_dopri5_sum((ess_sum)s, dt, v->v, v->k, v->count * d->system.dimension, to);
    status = rates_on_path(d, u + ess_dopri5_c[s] * dt, to, v->k[s]);
  }
  return status;
}

/* as many steps of the pair as the tolerance takes */
static int go_long(ess_driver *d, double u, double length) {
  ess_tangents *const v = d->tangents;
  double dt = length;
  int status = ESS_SUCCESS;
  for (uint64_t i = 0; !status && i < d->options.max_steps && length != 0.0; i++) {
    const bool last = fabs(dt) >= fabs(length) * (1.0 - 1e-9);
    if (last) dt = length;
    status = try_step_of_piece(d, u, dt);
    const double error = status ? 0.0 : error_of(d, dt, v->v_end, NULL);
    const double factor = error > 0.0 ? 0.9 * pow(error, -0.2) : 5.0; // 0 where it is infinite
    if (!status && error <= 1.0) {
      memcpy(v->v, v->v_end, v->count * d->system.dimension * sizeof *v->v);
      u += dt;
      length = last ? 0.0 : length - dt;
    }
    dt *= ess_clamp(factor, 0.2, 5.0);
    if (!status && length != 0.0 && !(fabs(dt) > DBL_EPSILON * fabs(d->t)))
      status = ess_fail(d, isfinite(error) ? ESS_EUNDERFLOW : ESS_EFIELD, SIZE_MAX);
  }
  return status || length == 0.0 ? status : ess_fail(d, ESS_EMAXSTEPS, SIZE_MAX);
}

/* rates at the place where the field's Jacobian has just been found */
static int rates_once_more(ess_driver *d, double t, const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  for (size_t j = 0; j < v->count; j++) ess_multiply(v->matrix, from + j * n, n, to + j * n);
  const double *const f = ess_tangent_needs_field(d, v->moves) ? v->f_here : NULL;
  return ess_parameter_rates(d, t, v->x, f, v->moves, v->count, to);
}

/* along a part of the last piece, a step of the pair, into v_end; its first stage is known */
static int try_part(ess_parts *p, double from, double to, ess_errors *errors) {
  ess_driver *const d = p->d;
  ess_tangents *const v = d->tangents;
  const double dt = (to - from) * p->dt;
  const bool has_own = has_matrix(d);
  const size_t n = d->system.dimension;
  int status = ESS_SUCCESS;
  if (has_own) ess_own_stage(d, 0, dt, v->own.first);
  for (int s = 1; !status && s < ESS_STAGES; s++) {
    const bool is_last = s == ESS_STAGES - 1;
    double *const at = is_last ? v->v_end : v->w;
    ess_dopri5_sum((ess_sum)s, dt, v->v, v->k, v->count * n, at);
    const double t = ess_parts_stage(p, s, from, to, v->x);
    status = is_last && has_own ? rates_once_more(d, t, at, v->k[s])
                                : rates_of(d, t, v->x, NULL, at, v->moves, v->count, v->k[s]);
    if (!status && has_own) ess_own_stage(d, s, dt, v->matrix);
  }
  if (status) return status;
  if (has_own) memcpy(v->own.last, v->matrix, n * n * sizeof *v->matrix);
  *errors = errors_of(d, dt);
  return ESS_SUCCESS;
}

static void go_part(ess_parts *p) {
  take_end(p->d->tangents, p->d->system.dimension);
}

/* along the last piece, which a step of the pair has become, or another */
static int follow_piece(ess_driver *d, bool is_of_pair) {
  const ess_piece *const piece = &d->piece;
  if (!is_of_pair) return go_long(d, 0.0, piece->t1 - piece->t0);
  ess_parts parts = {.d = d,
                     .t = piece->t0,
                     .dt = piece->length,
                     .x = piece->x,
                     .dense = piece->c,
                     .pace = &d->tangents->pace,
                     .look = try_part,
                     .go = go_part};
  return ess_go_in_parts(&parts, d->tangents->theta, d->tangents->errors);
}

int ess_tangent_piece(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  int status = ESS_SUCCESS;
  if (v->is_rough) {
    v->is_rough = false;
    status = follow_piece(d, !d->base->is_stabilised);
    v->is_lost = status != ESS_SUCCESS; // the state has gone already, and they are elsewhere
  }
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
    add_rates(d, v->k[0], half, v->w);
    status = rates_of(d, d->t + half, v->x, NULL, v->w, v->moves, v->count, v->k[0]);
  }
  if (status) return status;
  for (size_t i = 0; i < all; i++) v->w[i] = v->v[i] + duration * v->k[0][i];
  status = check_finite(d, v->w);
  if (!status) memcpy(v->v, v->w, all * sizeof *v->v);
  return status;
}

/* ---- how exactly directions need a step ------------------------------------------------------ */

/* The ripple that steps at the edge of stability leave in a stiff field, where tangents are
 * followed. In the state it is below the tolerance, but the field multiplies it by its spectral
 * radius, and a crossing takes the field over into directions. So steps before a crossing are
 * held to less: nearly as long, they leave less of it (docs/theory/method.md). */

/* error of directions, in tolerances, per tolerance of ripple in the state */
static const double ALLOWED_BEFORE_CROSSING = 30.0;

/* radius times time to a crossing within which ripples matter: they need as long to decay */
static const double NEAR = 40.0;

/* radius times length from which a step may leave ripple */
static const double STIFF_FROM = 0.25;

/* the spectral radius is also computed again after a crossing, or when stages indicate GROWN times
 * the former value */
static const double GROWN = 4.0;

/* share of a state in the ripple, over the largest, below which it has none */
static const double NO_RIPPLE = 0.01;

/* the largest component in units of the states, at least 1 */
static double size_of(const ess_driver *d, const double v[]) {
  double most = 1.0;
  for (size_t i = 0; i < d->system.dimension; i++)
    most = ess_larger(most, fabs(v[i]) / ess_tangent_unit(d, i));
  return most;
}

/* root of the sum of squares in these units */
static double length_of(const ess_driver *d, const double v[]) {
  double sum = 0.0;
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double part = v[i] / ess_tangent_unit(d, i);
    sum += part * part;
  }
  return sqrt(sum);
}

/* ---- what a crossing makes of an error of the state ------------------------------------------ */

/* the largest part of a state in the ripple, whose direction is in `at` */
static double largest_part(const ess_driver *d) {
  double most = 0.0;
  for (size_t i = 0; i < d->system.dimension; i++)
    most = ess_larger(most, fabs(d->tangents->at[i]) / ess_tangent_unit(d, i));
  return most;
}

/* whether state i has its part in it: others may be as large as they like, as a clock */
static bool is_in_ripple(const ess_driver *d, size_t i, double largest) {
  return fabs(d->tangents->at[i]) >= NO_RIPPLE * largest * ess_tangent_unit(d, i);
}

/* size of the states that ripple */
static double size_of_ripples(const ess_driver *d) {
  const double largest = largest_part(d);
  double most = 1.0;
  for (size_t i = 0; i < d->system.dimension; i++)
    if (is_in_ripple(d, i, largest))
      most = ess_larger(most, fabs(d->x[i]) / ess_tangent_unit(d, i));
  return most;
}

/* whether directions gain so much of a crossing that this is as much as any error in it */
static bool is_fast(const ess_driver *d, double radius) {
  return !(radius * size_of_ripples(d) > ALLOWED_BEFORE_CROSSING * size_of(d, d->f));
}

/* by the crossing of event function k, as directions and field are now: their error of one
 * tolerance of the state, over what is allowed; the largest so far */
static int weigh(ess_driver *d, size_t k, double radius, double *most) {
  ess_tangents *const v = d->tangents;
  const double size = size_of_ripples(d), speed = size_of(d, d->f), rate = fabs(d->rate[k]);
  int status = ESS_SUCCESS;
  // of an adjoint the worst of all directions
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

/* the same of all crossings that are near; 1 where they allow one tolerance */
static int weigh_near(ess_driver *d, double radius, double *most) {
  int status = ESS_SUCCESS;
  *most = 1.0;
  if (is_fast(d, radius)) return ESS_SUCCESS;
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    if (!ess_is_armed(d, k) || ess_is_silent(d, k)) continue;
    // a ripple may turn the rate of one that is approached
    const bool near = -d->side[k] * d->h[k] * radius <= NEAR * fabs(d->rate[k]);
    if (near) status = weigh(d, k, radius, most);
  }
  return status;
}

/* no less than rounding lets a step be held to */
static double limit(const ess_driver *d, double severity) {
  const double largest = largest_part(d);
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double x = fabs(d->x[i]), rounding = ESS_ROUNDING * x;
    if (is_in_ripple(d, i, largest) && rounding * severity > d->atol[i] + d->rtol[i] * x)
      severity = (d->atol[i] + d->rtol[i] * x) / rounding;
  }
  return ess_larger(1.0, severity);
}

/* ---- the spectral radius --------------------------------------------------------------------- */

/* to = the Jacobian at the step's end, times from; how many times as long that is */
static int apply_jacobian(ess_driver *d, const double from[], double to[], double *gain) {
  const double *const f = d->stage[ESS_STAGES - 1];
  const int status = rates_of(d, d->t + d->dt, d->x_end, f, from, NULL, 1, to);
  const double before = length_of(d, from);
  *gain = before > 0.0 ? length_of(d, to) / before : 0.0;
  return status;
}

/* by two iterations from what stages have shown: that alone tells nothing of positions and rates,
 * which are measured in units that have nothing to do with each other */
static int find_radius(ess_driver *d, double shown) {
  ess_tangents *const v = d->tangents;
  double gain[2] = {0.0, 0.0};
  int status = apply_jacobian(d, v->at, v->mapped, &gain[0]);
  if (!status) status = apply_jacobian(d, v->mapped, v->at, &gain[1]);
  v->radius = sqrt(gain[0] * gain[1]);
  v->shown = shown;
  v->radius_tries = 0;
  v->radius_crossings = d->counters.crossings;
  return status;
}

static bool knows_radius(const ess_driver *d, double shown) {
  const ess_tangents *const v = d->tangents;
  return v->radius_crossings == d->counters.crossings && v->radius_tries < ESS_RADIUS_TRIES &&
         shown <= GROWN * v->shown;
}

/* ---- steps of dopri5, and stabilised ones ---------------------------------------------------- */

int ess_tangent_severity(ess_driver *d, double error, double *severity) {
  ess_tangents *const v = d->tangents;
  *severity = 1.0;
  v->extent = 0.0;
  v->radius_tries++;
  // one that is rejected anyhow shows nothing
  if (d->base->is_stabilised || !d->armed_count || !(error <= 1.0)) return ESS_SUCCESS;
  const double shown = ess_radius_shown(d, v->at), was = v->severity;
  v->severity = 1.0;
  v->extent = shown * d->dt;
  int status = ESS_SUCCESS;
  if (!(shown * d->dt > STIFF_FROM || was > 1.0)) return ESS_SUCCESS;
  if (!knows_radius(d, shown)) {
    double most;
    status = weigh_near(d, shown, &most);
    // most often that is enough
    if (status || !(error * most > 1.0)) return status;
    status = find_radius(d, shown);
  }
  if (status || !(v->radius * d->dt > STIFF_FROM || was > 1.0)) return status;
  status = weigh_near(d, v->radius, severity);
  v->severity = *severity = limit(d, *severity);
  return status;
}

/* as stabilised steps have found them */
static double take_radius(ess_driver *d) {
  const ess_stabilised *const s = &d->stabilised;
  memcpy(d->tangents->at, s->direction, d->system.dimension * sizeof *s->direction);
  return s->radius;
}

/* steps are dopri5's from the node on, for so long at most */
static void leave_stabilised(ess_driver *d, double time) {
  ess_stabilised *const s = &d->stabilised;
  s->is_on = false;
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
  ess_verdict v = {.stands = true};
  if (is_fast(d, radius)) return v;
  for (size_t i = 0; !v.status && i < d->flagged_count; i++)
    if (!ess_is_silent(d, d->flagged[i])) v.status = weigh(d, d->flagged[i], radius, &most);
  v.stands = !v.status;
  if (v.status || !(most > 1.0)) return v;
  if (time * radius > NEAR) return ess_refused(ESS_BY_TANGENTS, time - 0.75 * NEAR / radius);
  leave_stabilised(d, time + NEAR / radius);
  return ess_refused(ESS_BY_TANGENTS, d->control.next);
}
