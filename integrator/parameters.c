/*
 * What parameters add to directions: the caller's derivatives by them, or differences of the
 * callbacks, for which the caller's numbers are moved and put back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "impacts.h"
#include "slides.h"
#include "tangents.h"

/* ---- difference ------------------------------------------------------------------------------ */

/* Differences of the field along a direction, and how long they are. */

double ess_tangent_unit(const ess_driver *d, size_t i) {
  const double unit = ess_absolute_below(d, i);
  return unit > 0.0 ? unit : 1.0;
}

/* what state i is large beside; where that is nothing, all of them */
static double unit_of(const ess_driver *d, const double x[], size_t i) {
  const double unit = ess_absolute_below(d, i);
  double largest = 0.0;
  if (unit > 0.0) return unit;
  for (size_t j = 0; j < ess_caller_states(d); j++) largest = ess_larger(largest, fabs(x[j]));
  return largest > 0.0 ? largest : 1.0;
}

double ess_tangent_part(const ess_driver *d, const double x[], const double direction[],
                        double part) {
  // the time that has passed, where it is a state more, says nothing of how large states are
  const size_t n = ess_caller_states(d);
  double most = 0.0, largest = 1.0;
  for (size_t i = 0; i < n; i++) largest = ess_larger(largest, fabs(x[i]) / unit_of(d, x, i));
  for (size_t i = 0; i < n; i++) {
    const double unit = unit_of(d, x, i), own = ess_larger(fabs(x[i]) / unit, 1.0);
    const double its = fabs(direction[i]) / (unit * cbrt(own * own * largest));
    if (!(its <= DBL_MAX)) return NAN; // so is the difference, then
    most = ess_larger(most, its);
  }
  const double multiple = most > 0.0 ? part / most : 0.0;
  return isinf(multiple) ? 0.0 : multiple; // one so small has decayed
}

double ess_time_apart(const ess_driver *d) {
  const double t = fabs(d->t), dt = d->dt, rounding = 1e4 * DBL_EPSILON * t;
  const double moved = ess_tangent_part(d, d->x, d->f, cbrt(DBL_EPSILON));
  double apart = moved > 0.0 ? moved : cbrt(DBL_EPSILON) * ess_larger(t, 1.0);
  if (dt > 0.0) apart = ess_smaller(cbrt(DBL_EPSILON * ess_larger(t, dt) * dt * dt), apart);
  return ess_larger(apart, rounding);
}

/* The field of a mode need not be smooth beyond the guard at which the mode ends: the force of a
 * contact that only pushes has a kink there. A central difference across the guard would mix both
 * sides. Such a field is bent: the differences on both sides differ by more than BENT, relative,
 * and by more than BENT_ROUNDINGS. */
static const double BENT = 1e-3, BENT_ROUNDINGS = 64.0;

/* whether that is so of a field that is f between both sides */
static bool is_bent(const ess_driver *d, const double f[], const double above[],
                    const double below[], double part) {
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double rise = above[i] - f[i], before = f[i] - below[i];
    const double rounding = BENT_ROUNDINGS * DBL_EPSILON * fabs(f[i]);
    if (fabs(rise - before) > part * fabs(above[i] - below[i]) + rounding) return true;
  }
  return false;
}

/* One-sided differences: where they begin, in parts of the central one's step, and on which side;
 * 0: none is asked for. */
typedef struct aside {
  double side, from;
} aside;

/* Where zeros of event functions, which these are values of, lie between both sides: the side on
 * which all of these have the sign of the mode, from the last of the zeros on, if that is beyond
 * the middle. None where there are no zeros, or no such side. */
static aside side_of_mode(const ess_driver *d, const double above[], const double below[]) {
  aside a = {0};
  for (size_t k = 0; k < d->watched.first; k++) {
    if (!(above[k] * below[k] <= 0.0) || above[k] == below[k]) continue;
    const double its = d->sign[k] * (above[k] - below[k]) > 0.0 ? 1.0 : -1.0;
    if (a.side == -its) return (aside){0};
    a.side = its;
    a.from = ess_larger(a.from, -its * (above[k] + below[k]) / (above[k] - below[k]));
  }
  return a;
}

/* A derivative of order 2 at the middle by VALUES values on one side, at a distance of 1 /
 * ONE_SIDED of a central difference's step. Short, because small forces at the beginning of a
 * contact may bend within little. */
enum { VALUES = 3 };
static const double ONE_SIDED = 8.0;

/* rounding of such a derivative of the full step, beginning at 0, over that of a central one: the
 * sum of its weights */
static const double ASIDE = 8.0;

static double place_of(aside a, int j) {
  return ONE_SIDED * a.from + (j + 1);
}

static double weight_of(aside a, int j) {
  static const double spread[VALUES] = {2.0, -1.0, 2.0};
  double others = 0.0;
  for (int i = 0; i < VALUES; i++)
    if (i != j) others += place_of(a, i);
  return -others / spread[j];
}

/* a state beside x, in x_beside */
static const double *move_state(ess_driver *d, const double x[], const double from[], double step) {
  double *const beside = d->tangents->x_beside;
  for (size_t i = 0; i < d->system.dimension; i++) beside[i] = x[i] + step * from[i];
  return beside;
}

/* A kink at x bends the field in proportion to the step of the difference; neither a kink beside x
 * nor noise, which does not shrink with the step, does so for all of the steps NEARER (fractions of
 * the step, the smallest first, since noise matches it least often). PROPORTIONAL: accepted
 * relative deviation. KINKED: bend over the difference, below which there is no kink. */
static const double NEARER[] = {0x1p-6, 0x1p-4, 0x1p-2}, PROPORTIONAL = 0.1, KINKED = 1e-2;
enum { NEARER_COUNT = sizeof NEARER / sizeof *NEARER };

/* keeps of what the field, which is f at x, bends by over the step that which it bends by over this
 * part of it, too, and is nothing for the rest; whether there is any */
static int keep_proportional(ess_driver *d, double t, const double x[], const double f[],
                             const double from[], double step, double part, bool *any) {
  ess_tangents *const v = d->tangents;
  int status = ess_field(d, t, move_state(d, x, from, part * step), v->change);
  if (!status) status = ess_field(d, t, move_state(d, x, from, -part * step), v->f_beside);
  *any = false;
  for (size_t i = 0; !status && i < d->system.dimension; i++) {
    const double rise = v->change[i] - f[i], before = f[i] - v->f_beside[i];
    const double off = fabs((rise - before) / part - v->bend[i]);
    const bool stays = off <= PROPORTIONAL * fabs(v->bend[i]) &&
                       fabs(rise - before) > KINKED * (fabs(rise) + fabs(before));
    if (!stays) v->bend[i] = 0.0;
    *any |= v->bend[i] != 0.0;
  }
  return status;
}

/* which components of the field, which is f at x and bends over this step, have a kink there */
static int look_nearer(ess_driver *d, double t, const double x[], const double f[],
                       const double from[], double step) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  bool any = true;
  int status = ESS_SUCCESS;
  for (size_t i = 0; i < n; i++) v->bend[i] = v->change[i] + v->f_beside[i] - 2.0 * f[i];
  for (int part = 0; !status && any && part < NEARER_COUNT; part++)
    status = keep_proportional(d, t, x, f, from, step, NEARER[part], &any);
  for (size_t i = 0; !status && any && i < n; i++) v->is_kinked[i] |= v->bend[i] != 0.0;
  return status;
}

/* of the field, one in the mode in the place of a central one across a guard */
static int keep_to_mode(ess_driver *d, double t, const double x[], const double f[],
                        const double from[], double step, double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  int status = ESS_SUCCESS;
  aside a = {0};
  if (d->watched.first) {
    status = ess_guards(d, t, move_state(d, x, from, step), v->h);
    if (!status) status = ess_guards(d, t, move_state(d, x, from, -step), v->rate);
    if (!status) a = side_of_mode(d, v->h, v->rate);
  }
  if (status) return status;
  if (a.side == 0.0 && is_bent(d, f, v->change, v->f_beside, KINKED))
    return look_nearer(d, t, x, f, from, step);
  if (a.side == 0.0) return ESS_SUCCESS;
  const double length = a.side * step / ONE_SIDED;
  memset(to, 0, n * sizeof *to);
  for (int j = 0; !status && j < VALUES; j++) {
    status = ess_field(d, t, move_state(d, x, from, place_of(a, j) * length), v->f_beside);
    for (size_t i = 0; i < n; i++) to[i] += weight_of(a, j) * v->f_beside[i] / length;
  }
  return status;
}

/* the same from both sides: where the tolerance asks for it; and on surfaces, on which directions
 * have to stay, and an error across them is not damped, whatever else is. There of a higher order,
 * where what holds the state is made of differences itself, whose noise is larger. */
static int central_difference(ess_driver *d, double t, const double x[], const double *f,
                              const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const bool noisy = ess_is_sliding_by_differences(d);
  const double step = ess_tangent_part(d, x, from, noisy ? ESS_NOISY_PART : cbrt(DBL_EPSILON));
  int status = ESS_SUCCESS;
  memset(to, 0, n * sizeof *to);
  for (int way = 1; !status && step > 0.0 && way <= ess_difference_ways(noisy); way++) {
    status = ess_field(d, t, move_state(d, x, from, way * step), v->change);
    if (!status) status = ess_field(d, t, move_state(d, x, from, -way * step), v->f_beside);
    const double weight = ess_difference_weight(noisy, way);
    for (size_t i = 0; i < n; i++) to[i] += weight * (v->change[i] - v->f_beside[i]) / step;
  }
  const bool is_asked = f && step > 0.0 && !ess_is_sliding(d);
  if (status || !is_asked || !is_bent(d, f, v->change, v->f_beside, BENT)) return status;
  return keep_to_mode(d, t, x, f, from, step, to);
}

int ess_tangent_difference(ess_driver *d, double t, const double x[], const double f[],
                           const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  if (ess_is_sliding(d) || v->is_central) return central_difference(d, t, x, f, from, to);
  const double step = ess_tangent_part(d, x, from, sqrt(DBL_EPSILON));
  memset(to, 0, n * sizeof *to);
  if (step == 0.0) return ESS_SUCCESS;
  for (size_t i = 0; i < n; i++) v->x_beside[i] = x[i] + step * from[i];
  const int status = ess_field(d, t, v->x_beside, v->f_beside);
  for (size_t i = 0; i < n; i++) to[i] = (v->f_beside[i] - f[i]) / step;
  return status;
}

bool ess_tangent_needs_field(const ess_driver *d, const double moves[]) {
  if (ess_is_sliding(d)) return false;
  const bool by_state =
      !ess_tangent_knows_field(d) && (d->watched.first || !d->tangents->is_central);
  return by_state || (moves && d->watched.first && !d->system.field_parameter_jacobian);
}

bool ess_tangent_is_matrix(const ess_driver *d, size_t count) {
  return count >= ess_caller_states(d);
}

bool ess_tangent_knows_field(const ess_driver *d) {
  return d->system.field_jacobian && !ess_is_sliding(d);
}

/* ---- derivative ------------------------------------------------------------------------------ */

/* The derivatives of the field and of an impact's map, as the caller has them or by differences. */

/* the caller's map once more, of the same events at this state; its mode is no matter */
static int map_again(ess_driver *d, const ess_impact *impact, const double x[], double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t m = d->system.guard_count;
  ess_impact again = *impact;
  memcpy(to, x, d->system.dimension * sizeof *to);
  memcpy(v->mode, impact->mode, m * sizeof *v->mode);
  memcpy(v->armed, impact->armed, 2 * m * sizeof *v->armed);
  again.x = x;
  again.after = to;
  again.mode = v->mode;
  again.armed = v->armed;
  d->t_seen = impact->t;
  return ess_called(d, d->impacts->calls.map(&again, d->system.params));
}

/* the same of a state beside that of the impact */
static int map_beside(ess_driver *d, const ess_impact *impact, double step,
                      const double direction[], double to[]) {
  double *const x = d->tangents->x_beside;
  for (size_t i = 0; i < d->system.dimension; i++) x[i] = impact->x[i] + step * direction[i];
  return map_again(d, impact, x, to);
}

/* what a difference of the map multiplies a direction by, which may be one of time, too */
static double step_beside(const ess_driver *d, const double x[], const double from[]) {
  const size_t states = ess_caller_states(d);
  const double step = ess_tangent_part(d, x, from, cbrt(DBL_EPSILON));
  const double moved = states < d->system.dimension ? fabs(from[states]) : 0.0;
  if (moved == 0.0) return step;
  const double apart = ess_time_apart(d) / moved;
  return step == 0.0 ? apart : ess_smaller(apart, step);
}

/* one column by differences of the map */
static int difference(ess_driver *d, const ess_impact *impact, const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const double step = step_beside(d, impact->x, from);
  memset(to, 0, n * sizeof *to);
  if (step == 0.0) return ESS_SUCCESS;
  int status = map_beside(d, impact, step, from, to);
  if (!status) status = map_beside(d, impact, -step, from, v->f_beside);
  for (size_t i = 0; i < n; i++) to[i] = (to[i] - v->f_beside[i]) / (2.0 * step);
  return status;
}

/* a matrix by differences, one state after the other: of an impact's map, or, without one, of the
 * field, which is f at x */
static int find_matrix(ess_driver *d, const ess_impact *impact, double t, const double x[],
                       const double f[], double matrix[]) {
  const size_t n = d->system.dimension;
  double *const axis = d->tangents->axis, *const column = d->tangents->across;
  int status = ESS_SUCCESS;
  memset(axis, 0, n * sizeof *axis);
  for (size_t j = 0; !status && j < n; j++) {
    axis[j] = 1.0;
    status = impact ? difference(d, impact, axis, column)
                    : ess_tangent_difference(d, t, x, f, axis, column);
    axis[j] = 0.0;
    for (size_t i = 0; i < n; i++) matrix[i * n + j] = column[i];
  }
  return status;
}

int ess_tangent_field(ess_driver *d, double t, const double x[], const double f[], double J[]) {
  return ess_tangent_knows_field(d) ? ess_field_jacobian(d, t, x, J)
                                    : find_matrix(d, NULL, t, x, f, J);
}

/* DR, as the caller has it or by differences */
static int map_matrix(ess_driver *d, const ess_impact *impact, double DR[]) {
  if (!d->impacts->calls.jacobian) return find_matrix(d, impact, impact->t, impact->x, NULL, DR);
  d->t_seen = impact->t;
  return ess_called(d, d->impacts->calls.jacobian(impact, DR, d->system.params));
}

int ess_tangent_map(ess_driver *d, const ess_impact *impact, const double from[], size_t count,
                    double to[]) {
  const size_t n = d->system.dimension;
  double *const matrix = d->tangents->matrix;
  int status = ESS_SUCCESS;
  if (!d->impacts->calls.jacobian && !ess_tangent_is_matrix(d, count)) {
    for (size_t j = 0; !status && j < count; j++)
      status = difference(d, impact, from + j * n, to + j * n);
    return status;
  }
  status = map_matrix(d, impact, matrix);
  for (size_t j = 0; !status && j < count; j++) ess_multiply(matrix, from + j * n, n, to + j * n);
  return status;
}

const char *ess_parameter_times_check(const ess_system *s) {
  for (size_t i = 0; s->field_jump_parameters && i < s->field_jump_count; i++) {
    const size_t p = s->field_jump_parameters[i];
    if (p == SIZE_MAX) continue;
    if (p >= s->parameters)
      return "each of field_jump_parameters must be below parameters, or SIZE_MAX";
    if (s->parameter_values && s->parameter_values[p] != s->field_jumps[i])
      return "each of field_jumps must be equal to the parameter that field_jump_parameters names";
  }
  return NULL;
}

const char *ess_parameters_check(const ess_system *s, const ess_options *o) {
  const char *const wrong = ess_parameter_times_check(s);
  if (wrong || !s->parameters) return wrong;
  const bool guards = (s->guard_count && !s->guard_parameter_jacobian) || s->watch.count;
  const bool map = s->impacts && !s->impacts->parameter_jacobian;
  const bool differs = !s->field_parameter_jacobian || guards || map;
  if (!s->parameter_values && (differs || o->sliding != ESS_SLIDING_NONE))
    return "parameter_values must not be NULL where a derivative by parameters is not given";
  return NULL;
}

/* Which parameters a direction moves. Of many most often one moves, and each direction is asked for
 * in every stage. */
static ess_range find_range(const ess_driver *d, const double moves[]) {
  const ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, p = d->system.parameters;
  if (ess_has_units(d) && moves >= v->unit && moves < v->unit + v->wide * p) {
    const size_t row = (size_t)(moves - v->unit) / p;
    return row < n ? (ess_range){0} : (ess_range){row - n, row - n + 1};
  }
  if (moves >= v->moves && moves < v->moves + v->count * p)
    return v->range[(size_t)(moves - v->moves) / p];
  return ess_range_of(moves, p);
}

static bool is_nothing(const ess_driver *d, const double moves[]) {
  const ess_range r = find_range(d, moves);
  return r.first == r.end;
}

/* what a central difference multiplies a direction by: parameters are weighed by their sizes */
static double step_of(const ess_driver *d, const double moves[]) {
  const ess_range r = find_range(d, moves);
  double most = 0.0;
  for (size_t i = r.first; i < r.end; i++) {
    const double size = fabs(d->system.parameter_values[i]);
    most = ess_larger(most, fabs(moves[i]) / (size > 0.0 ? size : 1.0));
  }
  return cbrt(DBL_EPSILON) / most;
}

/* the caller's numbers, so far along the direction; a model that keeps sums makes them anew */
static int move(ess_driver *d, const double moves[], double step) {
  double *const values = d->system.parameter_values;
  const size_t bytes = d->system.parameters * sizeof *values;
  const ess_range r = find_range(d, moves);
  memcpy(d->tangents->nominal, values, bytes);
  for (size_t i = r.first; i < r.end; i++) values[i] += step * moves[i];
  return ess_announce(d, d->system.guard_count);
}

static int put_back(ess_driver *d) {
  const size_t bytes = d->system.parameters * sizeof(double);
  memcpy(d->system.parameter_values, d->tangents->nominal, bytes);
  return ess_announce(d, d->system.guard_count);
}

/* What is asked for with the parameters moved: so many values, of the field at x, of event
 * functions there, or of an impact's map; and whether the caller gives its derivative by them. */
typedef struct question {
  double t;
  const double *x, *f; /* the latter the field there, where it is asked for and known, or NULL */
  const ess_impact *impact;
  size_t count;
  bool of_guards, is_given;
} question;

static question of_field(const ess_driver *d, double t, const double x[]) {
  const bool is_given = d->system.field_parameter_jacobian && !ess_is_sliding(d);
  return (question){.t = t, .x = x, .count = d->system.dimension, .is_given = is_given};
}

/* where guards may lie between both sides of a difference */
static const double *f_between(const ess_driver *d, const double *f) {
  return d->watched.first && !ess_is_sliding(d) ? f : NULL;
}

static question of_guards(const ess_driver *d, double t, const double x[]) {
  const bool is_given = d->system.guard_parameter_jacobian;
  return (question){
      .t = t, .x = x, .count = d->system.guard_count, .of_guards = true, .is_given = is_given};
}

static question of_map(const ess_driver *d, const ess_impact *impact) {
  const bool is_given = d->impacts->calls.parameter_jacobian;
  return (question){
      .t = impact->t, .impact = impact, .count = d->system.dimension, .is_given = is_given};
}

static int ask(ess_driver *d, const question *q, double to[]) {
  if (q->impact) return map_again(d, q->impact, q->impact->x, to);
  return q->of_guards ? ess_guards(d, q->t, q->x, to) : ess_field(d, q->t, q->x, to);
}

/* the caller's derivative */
static int take_given(ess_driver *d, const question *q, double to[]) {
  const ess_system *const s = &d->system;
  d->t_seen = q->t;
  if (q->impact)
    return ess_called(d, d->impacts->calls.parameter_jacobian(q->impact, to, s->params));
  return ess_called(d, q->of_guards ? s->guard_parameter_jacobian(q->t, q->x, to, s->params)
                                    : s->field_parameter_jacobian(ess_field_time(d, q->t), q->x,
                                                                  d->sign, to, s->params));
}

static int ask_at(ess_driver *d, const question *q, const double moves[], double step,
                  double to[]) {
  int status = move(d, moves, step);
  if (!status) status = ask(d, q, to);
  const int back = put_back(d);
  return status ? status : back;
}

/* the same of parameters that move */
static int find_side(ess_driver *d, const question *q, const double moves[], double step,
                     aside *a) {
  ess_tangents *const v = d->tangents;
  question of = *q;
  of.of_guards = true;
  int status = ask_at(d, &of, moves, step, v->h);
  if (!status) status = ask_at(d, &of, moves, -step, v->rate);
  if (!status) *a = side_of_mode(d, v->h, v->rate);
  return status;
}

/* to += a difference from one side, of this length */
static int add_aside(ess_driver *d, const question *q, const double moves[], aside a, double length,
                     double to[]) {
  double *const above = d->tangents->above;
  int status = ESS_SUCCESS;
  for (int j = 0; !status && j < VALUES; j++) {
    status = ask_at(d, q, moves, place_of(a, j) * length, above);
    for (size_t i = 0; i < q->count; i++) to[i] += weight_of(a, j) * above[i] / length;
  }
  return status;
}

/* to += a central difference; of the field one in the mode, where that is across a guard */
static int add_central(ess_driver *d, const question *q, const double moves[], double to[]) {
  ess_tangents *const v = d->tangents;
  double *const above = v->above, *const below = v->below;
  aside a = {0};
  const double step = step_of(d, moves);
  int status = ask_at(d, q, moves, step, above);
  if (!status) status = ask_at(d, q, moves, -step, below);
  if (!status && q->f && is_bent(d, q->f, above, below, BENT))
    status = find_side(d, q, moves, step, &a);
  if (!status && a.side != 0.0) return add_aside(d, q, moves, a, a.side * step / ONE_SIDED, to);
  for (size_t i = 0; !status && i < q->count; i++) to[i] += (above[i] - below[i]) / (2.0 * step);
  return status;
}

/* Times of jumps must not move past the time at which a callback is called: the field beyond is
 * another. Those of jumps that lie before it only move back, and the others on. */

/* 1 or -1: on that side of a parameter's value the difference along a direction is taken; 0: on
 * both */
static int side_of_time(const ess_driver *d, size_t i, double moves) {
  const ess_between *const b = &d->between;
  if (!d->tangents->is_time[i] || moves == 0.0) return 0;
  const double last = d->caller.way > 0.0 ? b->passed : -b->next;
  const int way = d->system.parameter_values[i] <= last ? -1 : 1;
  return moves > 0.0 ? way : -way;
}

/* to += a difference along a direction, in up to three parts */
static int add_difference(ess_driver *d, const question *q, const double moves[], double to[]) {
  double *const part = d->tangents->part;
  int status = ESS_SUCCESS;
  if (!d->system.field_jump_parameters) return add_central(d, q, moves, to);
  for (int side = -1; !status && side <= 1; side++) {
    for (size_t i = 0; i < d->system.parameters; i++)
      part[i] = side_of_time(d, i, moves[i]) == side ? moves[i] : 0.0;
    if (is_nothing(d, part)) continue;
    const aside a = {.side = side};
    status = side == 0 ? add_central(d, q, part, to)
                       : add_aside(d, q, part, a, side * step_of(d, part), to);
  }
  return status;
}

/* to += the caller's matrix times the direction */
static void add_product(const ess_driver *d, const double moves[], size_t rows, double to[]) {
  const size_t count = d->system.parameters;
  const double *row = d->tangents->by;
  const ess_range r = find_range(d, moves);
  for (size_t i = 0; i < rows; i++, row += count)
    for (size_t j = r.first; j < r.end; j++) to[i] += moves[j] != 0.0 ? row[j] * moves[j] : 0.0;
}

/* columns gain what the matrix says, where there is one, or differences */
static int add_to_columns(ess_driver *d, const question *q, const double *moves, size_t count,
                          double to[]) {
  const size_t p = d->system.parameters;
  size_t first = 0;
  while (moves && first < count && is_nothing(d, moves + first * p)) first++;
  if (!moves || first == count) return ESS_SUCCESS;
  int status = q->is_given ? take_given(d, q, d->tangents->by) : ESS_SUCCESS;
  for (size_t j = first; !status && j < count; j++) {
    if (is_nothing(d, moves + j * p)) continue;
    if (q->is_given)
      add_product(d, moves + j * p, q->count, to + j * q->count);
    else
      status = add_difference(d, q, moves + j * p, to + j * q->count);
  }
  return status;
}

int ess_parameter_rates(ess_driver *d, double t, const double x[], const double *f,
                        const double moves[], size_t count, double to[]) {
  question q = of_field(d, t, x);
  q.f = f_between(d, f);
  return add_to_columns(d, &q, moves, count, to);
}

int ess_parameter_guards(ess_driver *d, double t, const double x[], const double moves[],
                         double rate[]) {
  const question q = of_guards(d, t, x);
  return add_to_columns(d, &q, moves, 1, rate);
}

int ess_parameter_map(ess_driver *d, const ess_impact *impact, const double moves[], size_t count,
                      double to[]) {
  const question q = of_map(d, impact);
  return add_to_columns(d, &q, moves, count, to);
}

double ess_parameter_noise(const ess_driver *d, const double moves[]) {
  const ess_system *const s = &d->system;
  if (!moves || is_nothing(d, moves) || of_field(d, d->t, d->x).is_given) return 0.0;
  double most = 0.0, weight = 1.0;
  for (size_t i = 0; i < s->dimension; i++) most = ess_larger(most, fabs(d->f[i]));
  const ess_range r = find_range(d, moves);
  for (size_t i = r.first; i < r.end; i++)
    if (d->tangents->is_time[i] && moves[i] != 0.0) weight = ASIDE;
  return weight * DBL_EPSILON * most / step_of(d, moves);
}

/* what parameters, that move so, add to the rate of event function k */
static int add_parameters(ess_driver *d, double t, const double x[], size_t k, const double moves[],
                          double *rate) {
  double *const at_k = d->tangents->at_k;
  if (is_nothing(d, moves)) return ESS_SUCCESS;
  at_k[k] = *rate;
  const int status = ess_parameter_guards(d, t, x, moves, at_k);
  *rate = at_k[k];
  return status;
}

int ess_tangent_guard_rates(ess_driver *d, double t, const double x[], size_t k,
                            const double columns[], const double moves[], size_t count,
                            double rate[]) {
  const size_t n = d->system.dimension, p = d->system.parameters;
  const bool has_gradient = ess_tangent_is_matrix(d, count);
  double *const gradient = d->tangents->nearest, h;
  int status = has_gradient ? ess_guard_gradient(d, t, x, k, gradient) : ESS_SUCCESS;
  for (size_t j = 0; !status && j < count; j++) {
    const double *const column = columns + j * n;
    if (has_gradient) {
      rate[j] = ess_dot(gradient, column, n);
    } else {
      status = ess_some_guard_rates(d, t, x, column, &k, 1, &h, &rate[j]);
    }
    if (!status && moves) status = add_parameters(d, t, x, k, moves + j * p, &rate[j]);
  }
  return status;
}

/* the whole matrix, or one of its rows, where there is none by differences: one parameter after the
 * other */
static int take(ess_driver *d, const question *q, size_t row, double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t p = d->system.parameters;
  if (!p) return ESS_SUCCESS;
  int status = q->is_given ? take_given(d, q, row == SIZE_MAX ? to : v->by) : ESS_SUCCESS;
  if (q->is_given && row != SIZE_MAX) memcpy(to, v->by + row * p, p * sizeof *to);
  for (size_t j = 0; !q->is_given && !status && j < p; j++) {
    memset(v->moved, 0, q->count * sizeof *v->moved);
    status = add_difference(d, q, ess_unit_parameter(d, j), v->moved);
    for (size_t i = 0; row == SIZE_MAX && i < q->count; i++) to[i * p + j] = v->moved[i];
    if (row != SIZE_MAX) to[j] = v->moved[row];
  }
  return status;
}

int ess_parameter_field(ess_driver *d, double t, const double x[], const double f[], double Fp[]) {
  question q = of_field(d, t, x);
  q.f = f_between(d, f);
  return take(d, &q, SIZE_MAX, Fp);
}

int ess_parameter_impact(ess_driver *d, const ess_impact *impact, double Rp[]) {
  const question q = of_map(d, impact);
  return take(d, &q, SIZE_MAX, Rp);
}

int ess_parameter_guard(ess_driver *d, double t, const double x[], size_t k, double hp[]) {
  const question q = of_guards(d, t, x);
  return take(d, &q, k, hp);
}

int ess_guard_gradient(ess_driver *d, double t, const double x[], size_t k, double gradient[]) {
  const ess_system *const s = &d->system;
  const size_t n = s->dimension;
  double *const unit = d->tangents->f_beside, h;
  int status = ESS_SUCCESS;
  memset(unit, 0, n * sizeof *unit);
  for (size_t i = 0; !status && i < n; i++) {
    unit[i] = 1.0;
    status = ess_some_guard_rates(d, t, x, unit, &k, 1, &h, &gradient[i]);
    unit[i] = 0.0;
  }
  return status;
}
