/*
 * One run of libess, recorded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "glue.h"

typedef struct run {
  const glue_problem *problem;
  const glue_options *options;
  glue_record *record;
  ess_driver *driver;
  double t0, way; /* 1, or -1 where time goes backward */
  size_t n, m;
  bool is_full;      /* memory */
  bool has_failed;   /* a callback that an observer called */
  bool is_stopped;   /* by a tick */
  double *f, *h, *x; /* scratch */
  double *mode;      /* scratch: [m] */
  double *met;       /* [m] rates with which guards are met by the map's last impact */
  double *fastest;   /* [m] the largest of those of impacts that were made */
  double *splits;    /* crossings since the last step, at which its path has a kink */
  size_t split_count, split_space, grid_done;
} run;

/* ---- lists ----------------------------------------------------------------------------------- */

bool glue_append(glue_list *list, const double values[], size_t count) {
  if (list->count + count > list->space) {
    const size_t space = 2 * list->space + count + 64;
    double *const at = realloc(list->at, space * sizeof *at);
    if (!at) return false;
    list->at = at;
    list->space = space;
  }
  memcpy(list->at + list->count, values, count * sizeof *values);
  list->count += count;
  return true;
}

static double *copy(const double values[], size_t count) {
  double *const at = malloc((count + 1) * sizeof *at);
  if (at && count > 0) memcpy(at, values, count * sizeof *at);
  return at;
}

/* ---- the system ------------------------------------------------------------------------------ */

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const glue_problem *const p = ((const run *)params)->problem;
  return p->field(t, x, sign, dxdt, p->context);
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  const glue_problem *const p = ((const run *)params)->problem;
  return p->jacobian(t, x, sign, J, p->context);
}

static int parameter_jacobian(double t, const double x[], const double sign[], double Fp[],
                              void *params) {
  const glue_problem *const p = ((const run *)params)->problem;
  return p->parameter_jacobian(t, x, sign, Fp, p->context);
}

static int event_functions(double t, const double x[], double h[], void *params) {
  const glue_problem *const p = ((const run *)params)->problem;
  return p->guard(t, x, h, p->context);
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  const glue_problem *const p = ((const run *)params)->problem;
  return p->event_jacobian(t, x, Dh, p->context);
}

static int events(double t, const double x[], double g[], void *params) {
  const glue_problem *const p = ((const run *)params)->problem;
  return p->event(t, x, g, p->context);
}

typedef int values(double t, const double x[], double h[], void *params);

/* Event functions at x, and their rates as the state moves by v: by a difference, half as exact as
 * a double, which is enough to tell a side, or to improve a zero. */
static int rates(run *r, values *of, double t, const double x[], const double v[], double h[],
                 double rate[], size_t count) {
  double size = 0.0, speed = 1.0;
  for (size_t i = 0; i < r->n; i++) {
    size = fmax(size, fabs(x[i]));
    speed = fmax(speed, fabs(v[i]));
  }
  const double by = fmax(1e-7 * (1.0 + size) / speed, 1.5e-8 * sqrt(fabs(t)));
  for (size_t i = 0; i < r->n; i++) r->x[i] = x[i] + by * v[i];
  int code = of(t, x, h, r);
  if (!code) code = of(t + by, r->x, rate, r);
  for (size_t k = 0; k < count; k++) rate[k] = (rate[k] - h[k]) / by;
  return code;
}

/* ---- impacts --------------------------------------------------------------------------------- */

static bool is_crossed(const ess_impact *impact, size_t k) {
  for (size_t i = 0; i < impact->count; i++)
    if (impact->events[i] == k) return true;
  return false;
}

/* The rates with which the state comes to the guards that are crossed; `v` is scratch. */
static int rates_before(run *r, const ess_impact *impact, double v[]) {
  int code = field(impact->t, impact->x, impact->sign, v, r);
  if (!code) code = rates(r, event_functions, impact->t, impact->x, v, r->h, r->met, r->m);
  for (size_t k = 0; !code && k < r->m; k++)
    r->met[k] = is_crossed(impact, k) ? fmax(fabs(r->met[k]), r->fastest[k]) : 0.0;
  return code;
}

/* The side of each event function that the state after an impact lies on, where the map has not
 * said: where it is on the guard, as near as before, the side that the run takes it to. What has
 * been stopped on its guard, as a foot on the ground, has a rate that is rounding, next to those
 * with which it has come to it: it is on the side that it came from. A guard past which an earlier
 * impact has carried the state was not near before. */
static int read_off(run *r, const ess_impact *impact) {
  const size_t m = r->m;
  const double tiny = 1e-12, stopped = 1e-6;
  double *const h = malloc((2 * m + r->n) * sizeof *h);
  if (!h) return -1;
  double *const rate = h + m, *const v = rate + m;
  for (size_t k = 0; k < m; k++)
    impact->mode[k] = r->mode[k] < 0.0 || r->mode[k] > 0.0 ? r->mode[k] : impact->sign[k];
  int code = field(impact->t, impact->after, impact->mode, v, r);
  if (!code) code = rates(r, event_functions, impact->t, impact->after, v, h, rate, m);
  if (!code) code = rates_before(r, impact, v);
  for (size_t k = 0; !code && k < m; k++) {
    if (r->mode[k] < 0.0 || r->mode[k] > 0.0) continue;
    const bool is_met = is_crossed(impact, k) && !impact->carried;
    const double near = tiny * fabs(rate[k]) + (is_met ? 2.0 * fabs(r->h[k]) : 0.0);
    const bool is_on = fabs(h[k]) <= near;
    if (is_on && fabs(rate[k]) <= stopped * r->met[k]) continue;
    const double side = is_on ? r->way * rate[k] : h[k];
    if (side > 0.0) impact->mode[k] = 1.0;
    if (side < 0.0) impact->mode[k] = -1.0;
  }
  free(h);
  return code;
}

static int map(ess_impact *impact, void *params) {
  run *const r = params;
  const glue_problem *const p = r->problem;
  for (size_t k = 0; k < r->m; k++) r->mode[k] = impact->sign[k];
  for (size_t i = 0; i < impact->count; i++) r->mode[impact->events[i]] = 0.0;
  int code = p->impact(impact->t, impact->x, impact->sign, impact->events, impact->count,
                       impact->after, r->mode, p->context);
  if (!code) code = read_off(r, impact);
  for (size_t k = 0; !code && k < r->m; k++) {
    impact->armed[ESS_GUARD_UP(k)] = impact->mode[k] < 0.0;
    impact->armed[ESS_GUARD_DOWN(k)] = impact->mode[k] > 0.0;
  }
  return code;
}

/* ---- what is recorded ------------------------------------------------------------------------ */

static bool record_state(run *r, double t, const double x[]) {
  return glue_append(&r->record->t_out, &t, 1) && glue_append(&r->record->x_out, x, r->n);
}

static bool is_ahead(const run *r, double t, double later) {
  return r->way * (later - t) > 0.0;
}

/* one piece of the path, on which it is a polynomial of degree 4 */
static bool record_piece(run *r, double from, double until) {
  const double ends[] = {from, until};
  if (until == from) return true;
  if (!glue_append(&r->record->pieces, ends, 2)) return false;
  for (int i = 0; i < GLUE_NODES; i++) {
    const double part = (double)i / (GLUE_NODES - 1);
    const double t = i == GLUE_NODES - 1 ? until : from + part * (until - from);
    if (ess_driver_dense(r->driver, t, r->x) || !glue_append(&r->record->nodes, r->x, r->n))
      return false;
  }
  return true;
}

static bool record_path(run *r, const ess_step_info *info) {
  double from = info->t0;
  bool ok = true;
  for (size_t i = 0; ok && i < r->split_count; i++)
    if (is_ahead(r, from, r->splits[i]) && is_ahead(r, r->splits[i], info->t1)) {
      ok = record_piece(r, from, r->splits[i]);
      from = r->splits[i];
    }
  r->split_count = 0;
  return ok && record_piece(r, from, info->t1);
}

/* The grid's times before the step's end. What is crossed there has not been made yet, and the
 * state at the time of an impact is the one after it: the next step begins with that. */
static bool record_grid(run *r, const ess_step_info *info) {
  const glue_options *const o = r->options;
  const double first = fmin(info->t0, info->t1), last = fmax(info->t0, info->t1);
  bool ok = true;
  while (ok && r->grid_done < o->times_count && is_ahead(r, o->times[r->grid_done], info->t1)) {
    const double t = o->times[r->grid_done++];
    ok = !ess_driver_dense(r->driver, fmin(fmax(t, first), last), r->x) && record_state(r, t, r->x);
  }
  return ok;
}

/* those up to where the run has ended, with the state there */
static bool record_end(run *r, double t, const double x[]) {
  const glue_options *const o = r->options;
  bool ok = true;
  while (ok && r->grid_done < o->times_count && !is_ahead(r, t, o->times[r->grid_done]))
    ok = record_state(r, o->times[r->grid_done++], x);
  return ok;
}

static int on_step(const ess_step_info *info, void *context) {
  run *const r = context;
  bool ok = true;
  if (r->options->bytes)
    ok = true; // states are recorded where a stretch ends
  else if (r->options->times)
    ok = record_grid(r, info);
  else if (info->t1 != info->t0)
    ok = record_state(r, info->t1, info->x);
  if (ok && r->options->is_dense) ok = record_path(r, info);
  r->is_full |= !ok;
  const int asked = ok && r->problem->tick ? r->problem->tick(info->t1, r->problem->context) : 0;
  r->has_failed |= asked < 0;
  r->is_stopped |= asked > 0;
  return !ok || asked;
}

static bool remember_split(run *r, double t) {
  if (r->split_count == r->split_space) {
    const size_t space = 2 * r->split_space + 16;
    double *const at = realloc(r->splits, space * sizeof *at);
    if (!at) return false;
    r->splits = at;
    r->split_space = space;
  }
  r->splits[r->split_count++] = t;
  return true;
}

/* The zero of one event to rounding: libess locates it to a part of the tolerance. One step of
 * Newton's along the field, where that comes closer. */
static int polish(run *r, const ess_crossing_info *info, double *t, double x[]) {
  const size_t n = r->n, count = r->problem->events, k = info->event;
  double *const g = malloc(2 * (count + n) * sizeof *g);
  if (!g) return -1;
  double *const rate = g + count, *const f = rate + count, *const at = f + n;
  int code = field(info->t, info->x, info->sign, f, r);
  if (!code) code = rates(r, events, info->t, info->x, f, g, rate, count);
  *t = info->t;
  memcpy(x, info->x, n * sizeof *x);
  const double by = -g[k] / rate[k], before = fabs(g[k]);
  if (!code && fabs(by) > 0.0 && isfinite(by)) {
    for (size_t i = 0; i < n; i++) at[i] = info->x[i] + by * f[i];
    code = events(info->t + by, at, g, r);
    if (!code && fabs(g[k]) < before) {
      *t = info->t + by;
      memcpy(x, at, n * sizeof *x);
    }
  }
  free(g);
  return code;
}

/* an event at an impact is at its time, and need not be near a zero: a jump may have passed it */
static bool is_at_impact(const run *r, double t) {
  const glue_list *const impacts = &r->record->impacts;
  return impacts->count > 0 && impacts->at[impacts->count - 1] == t;
}

static int on_event(const ess_crossing_info *info, void *context) {
  run *const r = context;
  double t = info->t;
  const double *x = info->x;
  if (!is_at_impact(r, t)) {
    if (polish(r, info, &t, r->f)) return r->has_failed = true;
    x = r->f;
  }
  const double entry[] = {t, (double)info->event};
  bool ok = glue_append(&r->record->noted, entry, 2) && glue_append(&r->record->noted_x, x, r->n);
  if (ok && r->options->is_dense) ok = remember_split(r, info->t);
  r->is_full |= !ok;
  return !ok;
}

static int on_crossing(const ess_crossing_info *info, void *context) {
  run *const r = context;
  const double entry[] = {info->t, (double)info->event, (double)info->direction};
  bool ok = glue_append(&r->record->crossed, entry, 3);
  if (ok && r->options->is_dense) ok = remember_split(r, info->t);
  r->is_full |= !ok;
  return !ok;
}

static int on_slide(const ess_slide_info *info, void *context) {
  run *const r = context;
  const double entry[] = {info->t, (double)info->event, (double)info->begins};
  bool ok = glue_append(&r->record->slides, entry, 3);
  if (ok && r->options->is_dense) ok = remember_split(r, info->t);
  r->is_full |= !ok;
  return !ok;
}

/* directions before and after an impact, and of its time; NAN where there are none */
static bool record_sides(run *r) {
  const size_t count = r->options->directions, size = r->n * count;
  double *const sides = malloc((2 * size + count) * sizeof *sides);
  if (!sides) return false;
  const int status = ess_driver_impact_tangents(r->driver, sides, sides + size, sides + 2 * size);
  r->has_failed |= status == ESS_ECALLBACK;
  for (size_t i = 0; status && i < 2 * size + count; i++) sides[i] = NAN;
  const bool ok = glue_append(&r->record->sides, sides, 2 * size + count);
  free(sides);
  return ok;
}

static int on_impact(const ess_impact *impact, void *context) {
  run *const r = context;
  glue_record *const record = r->record;
  bool ok = glue_append(&record->impacts, &impact->t, 1) &&
            glue_append(&record->jumps, impact->x, r->n) &&
            glue_append(&record->jumps, impact->after, r->n);
  for (size_t k = 0; k < r->m; k++) r->fastest[k] = fmax(r->fastest[k], r->met[k]);
  if (ok && !r->options->times) ok = record_state(r, impact->t, impact->after);
  if (ok && r->options->directions > 0) ok = record_sides(r);
  r->is_full |= !ok;
  return !ok || r->has_failed;
}

/* ---- the run --------------------------------------------------------------------------------- */

static ess_system make_system(run *r, ess_impacts *impacts) {
  const glue_problem *const p = r->problem;
  if (p->system) return *p->system;
  ess_system system = {
      .dimension = r->n,
      .event_count = r->m,
      .field = field,
      .field_jacobian = p->jacobian ? field_jacobian : NULL,
      .parameters = {.count = p->parameters,
                     .values = p->parameter_values,
                     .field_jacobian = p->parameter_jacobian ? parameter_jacobian : NULL},
      .field_jumps = r->options->jumps,
      .params = r};
  if (r->m > 0) {
    system.event_functions = event_functions;
    system.time_dependence = ESS_TIME_DIFFERENCED;
  }
  if (p->events > 0) system.watch = (ess_watch){p->events, events, p->direction, p->terminal};
  if (p->event_jacobian) system.event_jacobian = event_jacobian;
  if (p->impact) {
    *impacts = (ess_impacts){.map = map};
    system.kinds = p->kinds;
    system.impacts = impacts;
  }
  return system;
}

/* the event that has ended the run: the only one that has occurred as often as that takes */
static size_t last_event(const run *r) {
  const glue_list *const noted = &r->record->noted;
  size_t event = 0, count = 0;
  for (; event < r->problem->events; event++, count = 0) {
    for (size_t i = 1; i < noted->count; i += 2) count += noted->at[i] == (double)event;
    if (count > 0 && count == r->problem->terminal[event]) break;
  }
  return event;
}

static int keep_tangents(run *r) {
  const size_t count = r->options->directions, size = r->n * count;
  const double *const v = ess_driver_tangent(r->driver);
  glue_record *const record = r->record;
  if (!v) return ESS_SUCCESS;
  record->smooth = ess_driver_smoothness(r->driver)->kind;
  record->tangents = copy(v, size);
  if (!record->tangents) return ESS_ENOMEM;
  if (!record->is_ended_by_event) return ESS_SUCCESS;
  record->Dx = malloc(size * sizeof *record->Dx);
  record->Dt = malloc(count * sizeof *record->Dt);
  if (!record->Dx || !record->Dt) return ESS_ENOMEM;
  for (size_t i = 0; i < size; i++) record->Dx[i] = NAN;
  for (size_t j = 0; j < count; j++) record->Dt[j] = NAN;
  return ess_driver_section(r->driver, r->m + last_event(r), record->Dt, record->Dx);
}

/* One stretch of the run, to a time of the grid or an event, and its transposed derivative: of each
 * state at its end or, of the last stretch, of the outcome. `weight` has room for an outcome's. */
static int go_back(run *r, double *t, double until, double x[], bool is_last, const double unit[],
                   double weight[], double at[]) {
  const size_t n = r->n, count = is_last ? 1 : n;
  glue_record *const record = r->record;
  const bool is_run = *t != until;
  int status = is_run ? ess_driver_record(r->driver, r->options->bytes) : ESS_SUCCESS;
  if (!status && is_run) status = ess_driver_apply(r->driver, t, until, x);
  const bool is_ended = status == ESS_ESTOP && !r->has_failed && !r->is_stopped;
  if (status && !is_ended) return status;
  if (!record_state(r, *t, x)) return ESS_ENOMEM;
  if (is_last && r->problem->outcome(*t, x, weight, r->problem->context)) {
    r->has_failed = true;
    return ESS_ECALLBACK;
  }
  const double *const outcomes = is_last ? weight : unit;
  int found = ESS_SUCCESS;
  memset(at, 0, (n + r->problem->parameters) * count * sizeof *at);
  if (!is_run)
    memcpy(at, outcomes, n * count * sizeof *at);
  else if (is_ended)
    found = ess_driver_adjoint_section(r->driver, r->m + last_event(r), count, outcomes, weight + n,
                                       at, at + n * count);
  else
    found = ess_driver_adjoint(r->driver, count, outcomes, at, at + n * count);
  const size_t recorded = ess_driver_recorded(r->driver);
  if (recorded > record->recorded) record->recorded = recorded;
  const ess_smoothness *const smooth = ess_driver_smoothness(r->driver);
  if (smooth && smooth->kind > record->smooth) record->smooth = smooth->kind;
  return found ? found : status;
}

/* all stretches */
static int go_in_stretches(run *r, double *t, double x[]) {
  const glue_options *const o = r->options;
  const size_t n = r->n, each = n + r->problem->parameters;
  double *const unit = calloc(n * n + n + 1 + each * n, sizeof *unit);
  int status = unit ? ESS_SUCCESS : ESS_ENOMEM;
  for (size_t i = 0; unit && i < n; i++) unit[i * n + i] = 1.0;
  for (size_t k = 0; !status && k < o->times_count; k++) {
    const bool is_last = k + 1 == o->times_count;
    double *const weight = unit + n * n, *const at = weight + n + 1;
    status = go_back(r, t, o->times[k], x, is_last, unit, weight, at);
    const bool is_made = !status || (status == ESS_ESTOP && !r->has_failed);
    if (is_made && !glue_append(&r->record->along, at, is_last ? each : each * n))
      status = ESS_ENOMEM;
  }
  free(unit);
  return status;
}

/* The run in stretches, in each of which what `hold` has set is constant. Steps end where one ends;
 * their size and the mode go on. */
static int advance_held(run *r, double *t, double t1, double x[]) {
  const glue_options *const o = r->options;
  const ess_counters *const made = ess_driver_counters(r->driver);
  int status = ESS_SUCCESS;
  for (size_t k = 0; !status && k <= o->holds_count; k++) {
    r->has_failed = r->problem->hold(*t, x, r->problem->context) != 0;
    if (r->has_failed) return ESS_ECALLBACK;
    if (made->steps + made->rejected >= o->integration.max_steps) return ESS_EMAXSTEPS;
    status = ess_driver_apply(r->driver, t, k < o->holds_count ? o->holds[k] : t1, x);
  }
  return status;
}

/* The run itself; with directions and a grid also directions on it, NAN where there are none. */
static int advance(run *r, double *t, double t1, double x[]) {
  const glue_options *const o = r->options;
  glue_list *const along = &r->record->along;
  const size_t size = r->n * o->directions, all = o->times_count * size;
  if (o->holds) return advance_held(r, t, t1, x);
  if (!o->directions || !o->times) return ess_driver_apply(r->driver, t, t1, x);
  double *const states = malloc((o->times_count * r->n + 1) * sizeof *states);
  along->at = malloc((all + 1) * sizeof *along->at);
  r->is_full |= !states || !along->at;
  for (size_t i = 0; along->at && i < all; i++) along->at[i] = NAN;
  const int status = r->is_full ? ESS_ENOMEM
                                : ess_driver_sample_tangents(r->driver, t, t1, x, o->times,
                                                             o->times_count, states, along->at);
  free(states);
  return status;
}

/* the directions of the grid's times that were reached; an event ends a run before those at its end
 * are written */
static void keep_along(run *r, double t) {
  const glue_options *const o = r->options;
  glue_list *const along = &r->record->along;
  const double *const v = ess_driver_tangent(r->driver);
  const size_t size = r->n * o->directions;
  if (!along->at) return;
  along->space = along->count = r->grid_done * size;
  for (size_t k = 0; v && k < r->grid_done; k++)
    if (o->times[k] == t) memcpy(along->at + k * size, v, size * sizeof *v);
}

/* the signs at its end; of a system with plain_field the driver has none while it steps over events
 */
static int keep_signs(run *r, double t, const double x[]) {
  const ess_system *const s = r->problem->system;
  double *const sign = r->record->sign = copy(ess_driver_sign(r->driver), r->m);
  if (!sign) return ESS_ENOMEM;
  if (r->options->integration.locate == ESS_LOCATE_ALL || !s || !s->plain_field) return ESS_SUCCESS;
  if (r->m && s->event_functions(t, x, r->h, s->params)) return ESS_SUCCESS;
  for (size_t k = 0; k < r->m; k++) sign[k] = r->h[k] < 0.0 ? -1.0 : 1.0;
  return ESS_SUCCESS;
}

/* the run ends on its own terms: by an event, where it was asked to stop */
static int keep_end(run *r, double t, const double x[], int status) {
  glue_record *const record = r->record;
  record->failure = *ess_driver_failure(r->driver);
  record->counters = *ess_driver_counters(r->driver);
  record->t = t;
  record->x = copy(x, r->n);
  if (keep_signs(r, t, x) || r->is_full || !record->x) return ESS_ENOMEM;
  record->is_ended_by_event = status == ESS_ESTOP && !r->has_failed && !r->is_stopped;
  if (status == ESS_ESTOP)
    status = r->has_failed ? ESS_ECALLBACK : r->is_stopped ? GLUE_STOPPED : ESS_SUCCESS;
  const int kept = keep_tangents(r);
  return status ? status : kept;
}

static int apply(run *r, double t1, double x[]) {
  const glue_options *const o = r->options;
  double t = r->t0;
  int status = ESS_SUCCESS;
  if (o->directions > 0 && o->parameters_at)
    status =
        ess_driver_follow_parameters(r->driver, o->directions, o->directions_at, o->parameters_at);
  else if (o->directions > 0)
    status = ess_driver_follow(r->driver, o->directions, o->directions_at);
  if (!status && !o->times && !record_state(r, t, x)) status = ESS_ENOMEM;
  if (status) {
    r->record->failure = *ess_driver_failure(r->driver);
    return status;
  }
  status = o->bytes ? go_in_stretches(r, &t, x) : advance(r, &t, t1, x);
  if (!o->bytes && !record_end(r, t, x)) return ESS_ENOMEM;
  if (!o->bytes) keep_along(r, t);
  return keep_end(r, t, x, status);
}

static int open_driver(run *r, double x[], double t1) {
  ess_options options = r->options->integration;
  options.observer = (ess_observer){.step = on_step, .context = r};
  if (options.locate == ESS_LOCATE_ALL) {
    options.observer.crossing = on_crossing;
    options.observer.impact = on_impact;
    options.observer.event = on_event;
    options.observer.slide = on_slide;
  }
  int status;
  ess_impacts impacts;
  const ess_system system = make_system(r, &impacts);
  r->driver = ess_driver_alloc(&system, &options, &status);
  if (!r->driver)
    r->record->failure.reason = ess_check(&system, &options);
  else
    status = apply(r, t1, x);
  return status;
}

int glue_run(const glue_problem *problem, const glue_options *options, double t0, double t1,
             const double x[], glue_record *record) {
  *record = (glue_record){0};
  const size_t n = problem->n, m = problem->guards;
  run r = {.problem = problem,
           .options = options,
           .record = record,
           .t0 = t0,
           .way = t1 < t0 ? -1.0 : 1.0,
           .n = n,
           .m = m};
  double *const start = calloc(3 * n + 4 * m + 1, sizeof *start);
  int status = ESS_ENOMEM;
  if (start) {
    memcpy(start, x, n * sizeof *x);
    r.x = start + n;
    r.h = r.x + n;
    r.mode = r.h + m;
    r.f = r.mode + m;
    r.met = r.f + n;
    r.fastest = r.met + m;
    status = open_driver(&r, start, t1);
  }
  ess_driver_free(r.driver);
  free(r.splits);
  free(start);
  return record->status = status;
}

void glue_free(glue_record *record) {
  glue_list *const lists[] = {&record->t_out,   &record->x_out,   &record->pieces, &record->nodes,
                              &record->crossed, &record->impacts, &record->slides, &record->noted,
                              &record->noted_x, &record->jumps,   &record->along,  &record->sides};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]->at);
  free(record->x);
  free(record->sign);
  free(record->tangents);
  free(record->Dt);
  free(record->Dx);
  *record = (glue_record){0};
}
