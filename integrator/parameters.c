/*
 * Derivatives of the callbacks by states and parameters: the caller's, or differences. For those by
 * parameters the caller's numbers are displaced and restored.
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

/* ---- differences of the field ---------------------------------------------------------------- */

double ess_tangent_unit(const ess_driver *d, size_t i) {
  const double unit = ess_absolute_below(d, i);
  return unit > 0.0 ? unit : 1.0;
}

/* the unit of state i; if it has none, the size of all states */
static double unit_of(const ess_driver *d, const double x[], size_t i) {
  const double unit = ess_absolute_below(d, i);
  double largest = 0.0;
  if (unit > 0.0) return unit;
  for (size_t j = 0; j < ess_caller_states(d); j++) largest = ess_larger(largest, fabs(x[j]));
  return largest > 0.0 ? largest : 1.0;
}

double ess_tangent_part(const ess_driver *d, const double x[], const double direction[],
                        double part) {
  // without the time, if it is a state
  const size_t n = ess_caller_states(d);
  double most = 0.0, largest = 1.0;
  for (size_t i = 0; i < n; i++) largest = ess_larger(largest, fabs(x[i]) / unit_of(d, x, i));
  for (size_t i = 0; i < n; i++) {
    const double unit = unit_of(d, x, i), own = ess_larger(fabs(x[i]) / unit, 1.0);
    const double its = fabs(direction[i]) / (unit * cbrt(own * own * largest));
    if (!(its <= DBL_MAX)) return NAN;
    most = ess_larger(most, its);
  }
  const double multiple = most > 0.0 ? part / most : 0.0;
  return isinf(multiple) ? 0.0 : multiple; // such a direction has decayed
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
 * and by more than rounding. */
static const double BENT = 1e-3;

/* whether the field, f in the middle, bends between both sides by more than this part */
static bool is_bent(const ess_driver *d, const double f[], const double above[],
                    const double below[], double part) {
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double rise = above[i] - f[i], before = f[i] - below[i];
    const double rounding = ESS_ROUNDING * fabs(f[i]);
    if (fabs(rise - before) > part * fabs(above[i] - below[i]) + rounding) return true;
  }
  return false;
}

/* A one-sided difference: its side, or 0 for none, and its beginning, over the step of the central
 * one. */
typedef struct aside {
  double side, from;
} aside;

/* The side on which all event functions that have a zero between both sides have the sign of the
 * mode, from the last zero on. None without zeros, or without such a side. */
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

/* A derivative of order 2 in the middle by VALUES values on one side, 1 / ONE_SIDED of the step of
 * a central difference apart: small forces at the beginning of a contact may bend within little. */
enum { VALUES = 3 };
static const double ONE_SIDED = 8.0;

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

/* which components of the field, f at x, have a kink there: their second difference over the step
 * is proportional to that over smaller steps */
static int look_nearer(ess_driver *d, double t, const double x[], const double f[],
                       const double from[], double step) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  bool any = true;
  int status = ESS_SUCCESS;
  for (size_t i = 0; i < n; i++) v->bend[i] = v->change[i] + v->f_beside[i] - 2.0 * f[i];
  for (int k = 0; !status && any && k < NEARER_COUNT; k++) {
    const double part = NEARER[k];
    status = ess_field(d, t, move_state(d, x, from, part * step), v->change);
    if (!status) status = ess_field(d, t, move_state(d, x, from, -part * step), v->f_beside);
    any = false;
    for (size_t i = 0; !status && i < n; i++) {
      const double rise = v->change[i] - f[i], before = f[i] - v->f_beside[i];
      const double off = fabs((rise - before) / part - v->bend[i]);
      const bool stays = off <= PROPORTIONAL * fabs(v->bend[i]) &&
                         fabs(rise - before) > KINKED * (fabs(rise) + fabs(before));
      if (!stays) v->bend[i] = 0.0;
      any |= v->bend[i] != 0.0;
    }
  }
  for (size_t i = 0; !status && any && i < n; i++) v->is_kinked[i] |= v->bend[i] != 0.0;
  return status;
}

/* replaces a central difference across a guard by a one-sided one in the mode */
static int keep_to_mode(ess_driver *d, double t, const double x[], const double f[],
                        const double from[], double step, double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  int status = ESS_SUCCESS;
  aside a = {0};
  if (d->watched.first) {
    status = ess_event_values(d, t, move_state(d, x, from, step), v->h);
    if (!status) status = ess_event_values(d, t, move_state(d, x, from, -step), v->rate);
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

/* Two-sided, if the tolerance requires it, and along slides, where errors across the surface are
 * not damped; one-sided otherwise. If the sliding field itself comes from differences, a five-point
 * stencil. */
int ess_tangent_difference(ess_driver *d, double t, const double x[], const double f[],
                           const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const bool noisy = ess_is_sliding_by_differences(d);
  const bool is_central = v->is_central || ess_is_sliding(d);
  const double part = noisy ? ESS_NOISY_PART : is_central ? cbrt(DBL_EPSILON) : sqrt(DBL_EPSILON);
  const double step = ess_tangent_part(d, x, from, part);
  int status = ESS_SUCCESS;
  memset(to, 0, n * sizeof *to);
  if (!is_central && step != 0.0) {
    status = ess_field(d, t, move_state(d, x, from, step), v->f_beside);
    for (size_t i = 0; i < n; i++) to[i] = (v->f_beside[i] - f[i]) / step;
  }
  if (!is_central) return status;
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

bool ess_tangent_needs_field(const ess_driver *d, const double moves[]) {
  if (ess_is_sliding(d)) return false;
  const bool by_state =
      !ess_tangent_knows_field(d) && (d->watched.first || !d->tangents->is_central);
  return by_state || (moves && d->watched.first && !d->system.parameters.field_jacobian);
}

bool ess_tangent_is_matrix(const ess_driver *d, size_t count) {
  return count >= ess_caller_states(d);
}

bool ess_tangent_knows_field(const ess_driver *d) {
  return d->system.field_jacobian && !ess_is_sliding(d);
}

/* ---- derivatives of the field and of impacts ------------------------------------------------- */

/* the map of the same events at another state */
static int map_again(ess_driver *d, const ess_impact *impact, const double x[], double to[]) {
  ess_impact again = ess_impact_beside(d, impact, impact->t, x, to);
  d->apply.t_seen = impact->t;
  return ess_called(d, d->impacts->calls.map(&again, d->system.params));
}

/* One column by differences of the map: along the states of a direction and, if time is a state,
 * along its part of time, whose steps are far shorter. */
static int difference(ess_driver *d, const ess_impact *impact, const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, states = ess_caller_states(d);
  const double passed = states < n ? from[states] : 0.0;
  int status = ESS_SUCCESS;
  memset(to, 0, n * sizeof *to);
  for (int by_time = 0; by_time <= (passed != 0.0); by_time++) {
    const double step = by_time ? ess_time_apart(d) / fabs(passed)
                                : ess_tangent_part(d, impact->x, from, cbrt(DBL_EPSILON));
    for (int way = -1; !status && step > 0.0 && way <= 1; way += 2) {
      double *const beside = v->x_beside;
      memcpy(beside, impact->x, n * sizeof *beside);
      for (size_t i = by_time ? states : 0; i < (by_time ? n : states); i++)
        beside[i] += way * step * from[i];
      status = map_again(d, impact, beside, v->f_beside);
      for (size_t i = 0; i < n; i++) to[i] += way * v->f_beside[i] / (2.0 * step);
    }
  }
  return status;
}

/* a matrix by differences: of an impact's map or, if that is NULL, of the field, f at x */
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
  d->apply.t_seen = impact->t;
  status = d->impacts->calls.jacobian
               ? ess_called(d, d->impacts->calls.jacobian(impact, matrix, d->system.params))
               : find_matrix(d, impact, impact->t, impact->x, NULL, matrix);
  for (size_t j = 0; !status && j < count; j++) ess_multiply(matrix, from + j * n, n, to + j * n);
  return status;
}

const char *ess_parameter_times_check(const ess_system *s) {
  for (size_t i = 0; s->field_jumps.parameters && i < s->field_jumps.count; i++) {
    const size_t p = s->field_jumps.parameters[i];
    if (p == SIZE_MAX) continue;
    if (p >= s->parameters.count)
      return "each of field_jumps.parameters must be below parameters.count, or SIZE_MAX";
    if (s->parameters.values && s->parameters.values[p] != s->field_jumps.times[i])
      return "each of field_jumps.times must be equal to the parameter that field_jumps.parameters "
             "names";
  }
  return NULL;
}

const char *ess_parameters_check(const ess_system *s, const ess_options *o) {
  const char *const wrong = ess_parameter_times_check(s);
  if (wrong || !s->parameters.count) return wrong;
  const bool guards = (s->event_count && !s->parameters.event_jacobian) || s->watch.count;
  const bool map = s->impacts && !s->impacts->parameter_jacobian;
  const bool differs = !s->parameters.field_jacobian || guards || map;
  if (!s->parameters.values && (differs || o->sliding != ESS_SLIDING_STOP))
    return "parameters.values must not be NULL where a derivative by parameters is not given";
  return NULL;
}

/* ---- derivatives by parameters --------------------------------------------------------------- */

/* The parameters that a direction displaces: mostly one of many, at every stage. */
static ess_range find_range(const ess_driver *d, const double moves[]) {
  const ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, p = d->system.parameters.count;
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

/* the factor of a direction in a central difference: parameters are measured by their values */
static double step_of(const ess_driver *d, const double moves[]) {
  const ess_range r = find_range(d, moves);
  double most = 0.0;
  for (size_t i = r.first; i < r.end; i++) {
    const double size = fabs(d->system.parameters.values[i]);
    most = ess_larger(most, fabs(moves[i]) / (size > 0.0 ? size : 1.0));
  }
  return cbrt(DBL_EPSILON) / most;
}

/* A callback's values with parameters displaced: of the field at x, of event functions there, or of
 * an impact's map; and whether the caller gives their derivative. */
typedef struct question {
  double t;
  const double *x, *f; /* f: the field there if it is needed and known, or NULL */
  const ess_impact *impact;
  size_t count;
  bool of_guards, is_given;
} question;

static question of_field(const ess_driver *d, double t, const double x[]) {
  const bool is_given = d->system.parameters.field_jacobian && !ess_is_sliding(d);
  return (question){.t = t, .x = x, .count = d->system.dimension, .is_given = is_given};
}

/* f if guards may lie between both sides of a difference */
static const double *f_between(const ess_driver *d, const double *f) {
  return d->watched.first && !ess_is_sliding(d) ? f : NULL;
}

static question of_guards(const ess_driver *d, double t, const double x[]) {
  const bool is_given = d->system.parameters.event_jacobian;
  return (question){
      .t = t, .x = x, .count = d->system.event_count, .of_guards = true, .is_given = is_given};
}

static question of_map(const ess_driver *d, const ess_impact *impact) {
  const bool is_given = d->impacts->calls.parameter_jacobian;
  return (question){
      .t = impact->t, .impact = impact, .count = d->system.dimension, .is_given = is_given};
}

/* the caller's derivative */
static int take_given(ess_driver *d, const question *q, double to[]) {
  const ess_system *const s = &d->system;
  d->apply.t_seen = q->t;
  if (q->impact)
    return ess_called(d, d->impacts->calls.parameter_jacobian(q->impact, to, s->params));
  return ess_called(d, q->of_guards ? s->parameters.event_jacobian(q->t, q->x, to, s->params)
                                    : s->parameters.field_jacobian(ess_field_time(d, q->t), q->x,
                                                                   d->sign, to, s->params));
}

/* the values with parameters displaced; a model recomputes data that depend on them */
static int ask_at(ess_driver *d, const question *q, const double moves[], double step,
                  double to[]) {
  double *const values = d->system.parameters.values;
  const size_t bytes = d->system.parameters.count * sizeof *values, m = d->system.event_count;
  const ess_range r = find_range(d, moves);
  memcpy(d->tangents->nominal, values, bytes);
  for (size_t i = r.first; i < r.end; i++) values[i] += step * moves[i];
  int status = ess_announce(d, m);
  if (!status)
    status = q->impact      ? map_again(d, q->impact, q->impact->x, to)
             : q->of_guards ? ess_event_values(d, q->t, q->x, to)
                            : ess_field(d, q->t, q->x, to);
  memcpy(values, d->tangents->nominal, bytes);
  const int told = ess_announce(d, m);
  return status ? status : told;
}

/* to += a one-sided difference of this length */
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

/* to += a central difference or, of the field across a guard, a one-sided one in the mode */
static int add_central(ess_driver *d, const question *q, const double moves[], double to[]) {
  ess_tangents *const v = d->tangents;
  double *const above = v->above, *const below = v->below;
  aside a = {0};
  const double step = step_of(d, moves);
  int status = ask_at(d, q, moves, step, above);
  if (!status) status = ask_at(d, q, moves, -step, below);
  if (!status && q->f && is_bent(d, q->f, above, below, BENT)) {
    question guards = *q;
    guards.of_guards = true;
    status = ask_at(d, &guards, moves, step, v->h);
    if (!status) status = ask_at(d, &guards, moves, -step, v->rate);
    if (!status) a = side_of_mode(d, v->h, v->rate);
  }
  if (!status && a.side != 0.0) return add_aside(d, q, moves, a, a.side * step / ONE_SIDED, to);
  for (size_t i = 0; !status && i < q->count; i++) to[i] += (above[i] - below[i]) / (2.0 * step);
  return status;
}

/* to += a difference along a direction, in up to three parts. A time of a jump must not move past
 * the time of the call, where the field beyond is another: times before it move back only, and the
 * others forward. */
static int add_difference(ess_driver *d, const question *q, const double moves[], double to[]) {
  double *const part = d->tangents->part;
  const double last = d->caller.way > 0.0 ? d->between.passed : -d->between.next;
  int status = ESS_SUCCESS;
  if (!d->system.field_jumps.parameters) return add_central(d, q, moves, to);
  for (int side = -1; !status && side <= 1; side++) {
    for (size_t i = 0; i < d->system.parameters.count; i++) {
      const int sense = d->system.parameters.values[i] <= last ? -1 : 1;
      const bool is_time = d->tangents->is_time[i] && moves[i] != 0.0;
      part[i] = (is_time ? (moves[i] > 0.0 ? sense : -sense) : 0) == side ? moves[i] : 0.0;
    }
    if (is_nothing(d, part)) continue;
    const aside a = {.side = side};
    status = side == 0 ? add_central(d, q, part, to)
                       : add_aside(d, q, part, a, side * step_of(d, part), to);
  }
  return status;
}

/* columns gain the derivative along their displacements of parameters */
static int add_to_columns(ess_driver *d, const question *q, const double *moves, size_t count,
                          double to[]) {
  const size_t p = d->system.parameters.count;
  size_t first = 0;
  while (moves && first < count && is_nothing(d, moves + first * p)) first++;
  if (!moves || first == count) return ESS_SUCCESS;
  int status = q->is_given ? take_given(d, q, d->tangents->by) : ESS_SUCCESS;
  for (size_t j = first; !status && j < count; j++) {
    if (is_nothing(d, moves + j * p)) continue;
    const double *const move = moves + j * p;
    const ess_range r = find_range(d, move);
    if (!q->is_given) status = add_difference(d, q, move, to + j * q->count);
    for (size_t i = 0; q->is_given && i < q->count; i++)
      for (size_t l = r.first; l < r.end; l++)
        to[j * q->count + i] += move[l] != 0.0 ? d->tangents->by[i * p + l] * move[l] : 0.0;
  }
  return status;
}

int ess_parameter_rates(ess_driver *d, double t, const double x[], const double *f,
                        const double moves[], size_t count, double to[]) {
  question q = of_field(d, t, x);
  q.f = f_between(d, f);
  return add_to_columns(d, &q, moves, count, to);
}

int ess_parameter_events(ess_driver *d, double t, const double x[], const double moves[],
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
  double most = 0.0, weight = 0.0;
  bool is_aside = false;
  for (size_t i = 0; i < s->dimension; i++) most = ess_larger(most, fabs(d->f[i]));
  const ess_range r = find_range(d, moves);
  for (size_t i = r.first; i < r.end; i++) is_aside |= d->tangents->is_time[i] && moves[i] != 0.0;
  for (int j = 0; is_aside && j < VALUES; j++) weight += fabs(weight_of((aside){0}, j));
  return (is_aside ? weight : 1.0) * DBL_EPSILON * most / step_of(d, moves);
}

int ess_tangent_guard_rates(ess_driver *d, double t, const double x[], size_t k,
                            const double columns[], const double moves[], size_t count,
                            double rate[]) {
  const size_t n = d->system.dimension, p = d->system.parameters.count;
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
    if (status || !moves || is_nothing(d, moves + j * p)) continue;
    double *const at_k = d->tangents->at_k;
    at_k[k] = rate[j];
    status = ess_parameter_events(d, t, x, moves + j * p, at_k);
    rate[j] = at_k[k];
  }
  return status;
}

/* the whole matrix or, unless it is SIZE_MAX, one of its rows */
static int take(ess_driver *d, const question *q, size_t row, double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t p = d->system.parameters.count;
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
