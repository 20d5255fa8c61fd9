/*
 * The adjoint: what outcomes of a run gain by its start and by parameters, back along what has been
 * recorded (tape.c). A step is made once more from where it began, and what it does to directions
 * is transposed: so an adjoint is that of the tangents, to rounding. Where a step is too long for
 * its tolerance it goes back along the step's dense output, in parts, as tangents do (parts.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "tangents.h"

/* accepted error of an adjoint over the noise of a Jacobian by differences */
static const double ACCEPTED_NOISE = 4.0;

/* where it has got to: by outcome the vector, the number that belongs to shares, and what has come
 * of parameters */
typedef struct adjoint {
  ess_driver *d;
  ess_tape *tape;
  size_t n, p, count;
  double *vector, *share, *gained;
  double *step, *gain; /* what the step tried adds to vector and gained */
  double *half;        /* the vector half-way along the first step */
  double *size;        /* of the vector when it was first something, in units of the states */
  double *noise;       /* [n] */
  double *missed;      /* [p], scratch */
  double t, dt;        /* of the step */
  double pace;         /* parts.c */

  /* the first stage of the step after this one is looked at, at this time: most often it is the
   * last one of this */
  bool knows_next;
  double next;
} adjoint;

/* ---- the stages of a step -------------------------------------------------------------------- */

/* field, Jacobian, and derivative by parameters at stage s, at this time */
static int look_at(adjoint *a, int s, double t) {
  ess_driver *const d = a->d;
  ess_tape *const tape = a->tape;
  const double *const x = tape->x[s];
  int status = ess_field(d, t, x, tape->k[s]);
  if (!status) status = ess_tangent_field(d, t, x, tape->k[s], tape->J[s]);
  return status ? status : ess_parameter_field(d, t, x, tape->k[s], tape->by[s]);
}

static int look(adjoint *a, int s) {
  return look_at(a, s, a->t + ess_dopri5_c[s] * a->dt);
}

/* what has been the first stage is the last, until it proves to be another */
static void take_next(const adjoint *a) {
  ess_tape *const tape = a->tape;
  ess_swap(&tape->x[0], &tape->x[ESS_STAGES - 1]);
  ess_swap(&tape->k[0], &tape->k[ESS_STAGES - 1]);
  ess_swap(&tape->J[0], &tape->J[ESS_STAGES - 1]);
  ess_swap(&tape->by[0], &tape->by[ESS_STAGES - 1]);
}

/* the last stage, unless it is known */
static int make_last(adjoint *a) {
  enum { LAST = ESS_STAGES - 1 };
  ess_tape *const tape = a->tape;
  double *const x = tape->dense[0];
  ess_dopri5_stage_of(a->d, LAST, a->dt, tape->x[0], tape->k, x);
  const bool is_next = a->knows_next && a->next == a->t + a->dt;
  if (is_next && memcmp(x, tape->x[LAST], a->n * sizeof *x) == 0) return ESS_SUCCESS;
  memcpy(tape->x[LAST], x, a->n * sizeof *x);
  return look(a, LAST);
}

/* the step once more, from its beginning in x[0] */
static int make_again(adjoint *a) {
  ess_tape *const tape = a->tape;
  int status = look(a, 0);
  for (int s = 1; !status && s < ESS_STAGES - 1; s++) {
    ess_dopri5_stage_of(a->d, s, a->dt, tape->x[0], tape->k, tape->x[s]);
    status = look(a, s);
  }
  if (!status) status = make_last(a);
  a->knows_next = true;
  a->next = a->t;
  return status;
}

/* ---- transposed steps ------------------------------------------------------------------------ */

/* how much of each stage's rate is in a direction at theta of a step, over its length */
static void weights_at(double theta, double weight[ESS_STAGES]) {
  const double rest = 1.0 - theta;
  for (int s = 0; s < ESS_STAGES; s++)
    weight[s] = theta * (ess_dopri5_b[s] * (theta + 2.0 * rest * theta) +
                         rest * rest * theta * ess_dopri5_d[s]);
  weight[0] += theta * rest * rest;
  weight[ESS_STAGES - 1] -= theta * rest * theta;
}

/* to = what the rates, so weighed, give back of a vector; parameters gain unless NULL */
static void transpose(const adjoint *a, const double weight[], const double vector[], double to[],
                      double gained[]) {
  const ess_tape *const tape = a->tape;
  const size_t n = a->n;
  double *const kappa = tape->error;
  memset(to, 0, n * sizeof *to);
  for (int s = ESS_STAGES; s-- > 0;) {
    double *const back = tape->back[s];
    for (size_t i = 0; i < n; i++) kappa[i] = weight[s] * vector[i];
    for (int later = s + 1; later < ESS_STAGES; later++) {
      const double part = ess_dopri5_a[later][s];
      for (size_t i = 0; part != 0.0 && i < n; i++) kappa[i] += part * tape->back[later][i];
    }
    memset(back, 0, n * sizeof *back);
    for (size_t i = 0; i < n; i++) {
      const double its = a->dt * kappa[i];
      if (its == 0.0) continue;
      for (size_t j = 0; j < n; j++) back[j] += its * tape->J[s][i * n + j];
      for (size_t j = 0; gained && j < a->p; j++) gained[j] += its * tape->by[s][i * a->p + j];
    }
    for (size_t j = 0; j < n; j++) to[j] += back[j];
  }
}

/* the largest component, each by the size of the state that it is by */
static double size_of(const adjoint *a, const double vector[]) {
  double most = 0.0;
  for (size_t i = 0; i < a->n; i++)
    most = ess_larger(most, fabs(vector[i]) * ess_tangent_unit(a->d, i));
  return most;
}

/* what is rounding in what a vector of length 1 gains in a step by each state's column of the
 * field's Jacobian, by differences: shorter steps do not mend it */
static void find_noise(adjoint *a) {
  double *const axis = a->d->tangents->axis;
  memset(axis, 0, a->n * sizeof *axis);
  for (size_t j = 0; j < a->n; j++) {
    axis[j] = 1.0;
    const double its = ess_rounding_of(a->d, a->tape->x[0], a->tape->k[0], NULL, axis);
    a->noise[j] = ACCEPTED_NOISE * its * fabs(a->dt);
    axis[j] = 0.0;
  }
}

static double length_of(const double vector[], size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += fabs(vector[i]);
  return sum;
}

/* what is rounding in what a parameter gains, where the derivative by it is differences */
static double parameter_noise(const adjoint *a, size_t j) {
  return ACCEPTED_NOISE * fabs(a->dt) * ess_parameter_noise(a->d, ess_unit_parameter(a->d, j));
}

/* an estimate of an error in what is gained in a step, held against its rates in the stages
 * (parts.c) */
static double seen(const adjoint *a, const double rate[ESS_STAGES], double error, double rounding) {
  double least = rate[0], most = rate[0], last = 0.0;
  for (int s = 0; s < ESS_STAGES; s++) {
    least = ess_smaller(least, rate[s]);
    most = ess_larger(most, rate[s]);
    last += ess_dopri5_d[s] * rate[s];
  }
  return ess_seen_error(error, rounding, fabs(a->dt) * (most - least), a->dt * last);
}

/* the rate of component j of vector c, or of what parameter j gains by it, in each stage, whose
 * derivatives have so many columns: the vector changes linearly from end to begin */
static void rates_of(const adjoint *a, size_t c, double *const by[], size_t columns, size_t j,
                     double rate[ESS_STAGES]) {
  const double *const vector = a->vector + c * a->n, *const step = a->step + c * a->n;
  for (int s = 0; s < ESS_STAGES; s++) {
    const double part = 1.0 - ess_dopri5_c[s];
    rate[s] = 0.0;
    for (size_t i = 0; i < a->n; i++)
      rate[s] += (vector[i] + part * step[i]) * by[s][i * columns + j];
  }
}

/* the error of what parameters, each by its size, have gained in a step, which is in a->missed:
 * beside all that they have gained, or what the vector was at first */
static double error_of_gain(const adjoint *a, size_t c, double length) {
  const double *const value = a->d->system.parameter_values;
  const double allowed = ESS_ALLOWED * ess_tangent_least_tolerance(a->d);
  double most = 0.0;
  for (size_t j = 0; j < a->p; j++) {
    const double own = value ? fabs(value[j]) : 0.0, unit = own > 0.0 ? own : 1.0;
    const double size = ess_larger(a->size[c], fabs(a->gained[c * a->p + j]) * unit);
    const double rounding = length * parameter_noise(a, j);
    const double missed = ess_larger(0.0, fabs(a->missed[j]) - rounding);
    double rate[ESS_STAGES];
    rates_of(a, c, a->tape->by, a->p, j, rate);
    const double off = seen(a, rate, missed, rounding);
    if (off > 0.0) most = ess_larger(most, off * unit / size / allowed);
    if (!(off <= DBL_MAX)) return INFINITY;
  }
  return most;
}

/* the error of a transposed step, in units of what is allowed: by component, beside it or what the
 * vector was at first, as a direction's is */
static double error_of(adjoint *a, const double weight[]) {
  const ess_driver *const d = a->d;
  double most = 0.0;
  find_noise(a);
  memset(a->gain, 0, a->count * a->p * sizeof *a->gain);
  for (size_t c = 0; c < a->count; c++)
    transpose(a, weight, a->vector + c * a->n, a->step + c * a->n, a->gain + c * a->p);
  for (size_t c = 0; c < a->count; c++) {
    const double *const vector = a->vector + c * a->n, length = length_of(vector, a->n);
    double *const error = a->tape->lambda, sum = 0.0;
    memset(a->missed, 0, a->p * sizeof *a->missed);
    transpose(a, ess_dopri5_e, vector, error, a->missed);
    if (a->size[c] == 0.0) a->size[c] = size_of(a, vector);
    for (size_t i = 0; i < a->n; i++) {
      const double unit = ess_tangent_unit(d, i), rtol = d->rtol[i] + d->atol[i] / unit;
      const double size = ess_larger(a->size[c], fabs(vector[i]) * unit);
      double rate[ESS_STAGES];
      rates_of(a, c, a->tape->J, a->n, i, rate);
      const double rounding = length * a->noise[i];
      const double off = seen(a, rate, ess_larger(0.0, fabs(error[i]) - rounding), rounding);
      const double scaled = off == 0.0 ? 0.0 : off * unit / size / (ESS_ALLOWED * rtol);
      sum += scaled * scaled;
    }
    if (!(sum <= DBL_MAX)) return INFINITY;
    most = ess_larger(most, sqrt(sum / (double)a->n));
    most = ess_larger(most, error_of_gain(a, c, length));
  }
  return most;
}

/* the same, and that of the step's own directions */
static ess_errors errors_of(adjoint *a, const double weight[]) {
  for (int s = 0; s < ESS_STAGES; s++) ess_own_stage(a->d, s, a->dt, a->tape->J[s]);
  return (ess_errors){.its = error_of(a, weight), .own = ess_own_error(a->d, a->dt)};
}

static void go_back(adjoint *a) {
  for (size_t i = 0; i < a->count * a->n; i++) a->vector[i] += a->step[i];
  for (size_t i = 0; i < a->count * a->p; i++) a->gained[i] += a->gain[i];
}

/* ---- back along the dense output, where the step is too long --------------------------------- */

/* the last two stages of a part are at one place: what is known of one is of both */
static void share_end(const adjoint *a, int known) {
  enum { LAST = ESS_STAGES - 1, SUM = 2 * LAST - 1 };
  const ess_tape *const tape = a->tape;
  const size_t n = a->n;
  const int other = SUM - known;
  memcpy(tape->J[other], tape->J[known], n * n * sizeof *tape->J[0]);
  if (a->p) memcpy(tape->by[other], tape->by[known], n * a->p * sizeof *tape->by[0]);
}

/* the stages of a part of the step, from one place to another */
static int look_at_part(ess_parts *p, double from, double to, ess_errors *errors) {
  adjoint *const a = p->way;
  int status = ESS_SUCCESS;
  a->t = p->t + from * p->dt;
  a->dt = (to - from) * p->dt;
  // that at its end is known from the part before, or from one that was too long
  for (int s = 0; !status && s < ESS_STAGES - 1 - a->knows_next; s++)
    status = look_at(a, s, ess_parts_stage(p, s, from, to, a->tape->x[s]));
  if (status) return status;
  share_end(a, a->knows_next ? ESS_STAGES - 1 : ESS_STAGES - 2);
  a->knows_next = true;
  *errors = errors_of(a, ess_dopri5_b);
  return ESS_SUCCESS;
}

static void go_back_part(ess_parts *p) {
  go_back(p->way);
  take_next(p->way);
}

/* the parts of the step just made again */
static ess_parts parts_of(adjoint *a, const double x[]) {
  const ess_tape *const tape = a->tape;
  memcpy(tape->begin, x, a->n * sizeof *x); // in whole lanes
  ess_dopri5_dense_of(a->d, a->dt, tape->begin, tape->x[ESS_STAGES - 1], tape->k, tape->dense);
  return (ess_parts){.d = a->d,
                     .t = a->t,
                     .dt = a->dt,
                     .x = tape->begin,
                     .dense = tape->dense,
                     .goes_back = true,
                     .pace = &a->pace,
                     .look = look_at_part,
                     .go = go_back_part,
                     .way = a};
}

/* An adjoint begins at the end of the run, where steps are long: no shorter one has shown that its
 * errors are seen. So a part in the middle of the first step shows it, with the vector half-way.
 * Neither end of the step is in it, where the Jacobian may be that of a kink. */
static int confirm_first(adjoint *a, const double x[], double theta) {
  const double dt = a->dt, middle = 0.5 * theta;
  ess_parts parts = parts_of(a, x);
  ess_errors errors;
  for (size_t i = 0; i < a->count * a->n; i++) a->half[i] = a->vector[i] + 0.5 * a->step[i];
  ess_swap(&a->vector, &a->half);
  a->knows_next = false;
  int status = look_at_part(&parts, middle, middle + theta / 16.0, &errors);
  ess_swap(&a->vector, &a->half);
  a->pace = ess_pace_after(0.0, fabs(a->dt), errors.its);
  a->knows_next = false;
  a->t = parts.t;
  a->dt = dt;
  memcpy(a->tape->x[0], x, a->n * sizeof *x);
  return status ? status : make_again(a);
}

/* ---- entries, the last first ----------------------------------------------------------------- */

static int back_step(adjoint *a, const double entry[]) {
  const double t = entry[0], dt = entry[1], theta = entry[2], *const x = entry + 3;
  double weight[ESS_STAGES];
  a->t = t;
  a->dt = dt;
  ess_go_between(a->d, t);
  // the field on the other side of a jump is another
  a->knows_next = a->knows_next && t + dt < a->d->between.next;
  if (a->knows_next) take_next(a);
  memcpy(a->tape->x[0], x, a->n * sizeof *x);
  const int status = make_again(a);
  if (status) return status;
  ess_own_look(a->d, a->tape->x[ESS_STAGES - 1], a->tape->k[ESS_STAGES - 1],
               a->tape->J[ESS_STAGES - 1]);
  weights_at(theta, weight);
  ess_errors errors = errors_of(a, weight);
  const bool is_first = a->pace == 0.0;
  if (is_first && !ess_is_too_long(errors)) {
    const int looked = confirm_first(a, x, theta);
    if (looked) return looked;
    errors = errors_of(a, weight);
  }
  const bool sure = !is_first && ess_is_surely_small(errors.its);
  const bool beyond = ess_is_beyond(a->pace, dt) && !sure;
  if (!beyond) a->pace = ess_pace_after(a->pace, dt, errors.its);
  if (!beyond && !ess_is_too_long(errors)) {
    go_back(a);
    return ESS_SUCCESS;
  }
  a->knows_next = false;
  ess_parts parts = parts_of(a, x);
  const int went = ess_go_in_parts(&parts, theta, errors);
  a->knows_next = false;
  return went;
}

static void back_share(adjoint *a, const double entry[]) {
  for (size_t c = 0; c < a->count; c++) {
    for (size_t i = 0; i < a->n; i++) a->vector[c * a->n + i] += a->share[c] * entry[i];
    for (size_t j = 0; j < a->p; j++) a->gained[c * a->p + j] += a->share[c] * entry[a->n + j];
    a->share[c] = 0.0;
  }
}

static void back_map(adjoint *a, const double entry[]) {
  const size_t n = a->n;
  double *const to = a->tape->lambda;
  for (size_t c = 0; c < a->count; c++) {
    double *const vector = a->vector + c * n;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < a->p; j++)
        a->gained[c * a->p + j] += vector[i] * entry[n * n + i * a->p + j];
    for (size_t i = 0; i < n; i++) to[i] = ess_dot(entry + i * n, vector, n);
    memcpy(vector, to, n * sizeof *to);
  }
}

static int take_mode(adjoint *a, const double entry[]) {
  const signed char *const sign = (const signed char *)entry;
  for (size_t k = 0; k < a->d->system.guard_count; k++) a->d->sign[k] = sign[k];
  return ess_announce(a->d, a->d->system.guard_count);
}

static int back_entry(adjoint *a, ess_tape_kind kind, const double entry[]) {
  a->knows_next = a->knows_next && kind == ESS_TAPE_STEP;
  switch (kind) {
  case ESS_TAPE_STEP:
    return back_step(a, entry);
  case ESS_TAPE_SHARE:
    back_share(a, entry);
    return ESS_SUCCESS;
  case ESS_TAPE_MAP:
    back_map(a, entry);
    return ESS_SUCCESS;
  case ESS_TAPE_GAIN:
    for (size_t c = 0; c < a->count; c++) a->share[c] += ess_dot(entry, a->vector + c * a->n, a->n);
    return ESS_SUCCESS;
  case ESS_TAPE_MODE:
    return take_mode(a, entry);
  }
  return ESS_SUCCESS;
}

/* all of them, in the modes that they were in; the driver's is again what it was */
static int back_all(adjoint *a) {
  ess_driver *const d = a->d;
  const ess_tape *const tape = a->tape;
  const size_t bytes = d->system.guard_count * sizeof *d->sign;
  struct ess_slides *const slides = d->slides;
  const ess_between between = d->between;
  a->knows_next = false;
  d->slides = NULL; // steps on surfaces are maps here
  memcpy(tape->mode, d->sign, bytes);
  if (tape->used) memcpy(d->sign, tape->sign, bytes);
  int status = ess_announce(d, d->system.guard_count);
  for (size_t at = tape->used; !status && at > 0;) {
    const size_t count = (size_t)tape->entry[at - 2];
    const ess_tape_kind kind = (ess_tape_kind)tape->entry[at - 1];
    at -= count + 2;
    status = back_entry(a, kind, tape->entry + at);
  }
  memcpy(d->sign, tape->mode, bytes);
  d->slides = slides;
  d->between = between;
  const int told = ess_announce(d, d->system.guard_count);
  return status ? status : told;
}

/* the run once more from the i-th checkpoint to the next, and back */
static int back_page(adjoint *a, size_t i, bool *differs) {
  ess_driver *const d = a->d;
  ess_page_open(d, i);
  int status = ess_announce(d, d->system.guard_count);
  if (!status) status = d->scheme->run(d, d->t_end);
  *differs = !status && !ess_page_is_at(d, i + 1);
  if (!status && a->tape->is_short) status = ess_fail(d, ESS_ENOMEM, SIZE_MAX);
  return status || *differs ? status : back_all(a);
}

/* what has been recorded, and is no more; the driver is where it was, then */
static int back_pages(adjoint *a) {
  ess_driver *const d = a->d;
  bool differs = false;
  int status = ESS_SUCCESS;
  ess_page_keep_end(d);
  for (size_t i = a->tape->live_from; !status && !differs && i-- > 0;)
    status = back_page(a, i, &differs);
  ess_page_close(d);
  const int told = ess_announce(d, d->system.guard_count);
  if (differs)
    return ess_refuse(d, "callbacks must be functions of their arguments, and options stay: a run "
                         "that is made again differs");
  if (status) return ess_fail(d, (ess_status)status, SIZE_MAX);
  return told;
}

/* ---- where it begins ------------------------------------------------------------------------- */

/* a run that ends on event function k: the state there moves along the field as the time does */
static int begin_on(adjoint *a, size_t k, const double times[]) {
  ess_driver *const d = a->d;
  const ess_tape *const tape = a->tape;
  const bool shared = tape->shared != SIZE_MAX && tape->shared_t == d->t;
  const bool crossed = shared && (tape->shared == k || ess_has_jumped(d, k));
  double *const gradient = tape->x[1], *const by = tape->by[0], *const f = tape->k[0];
  if (ess_place_met(d, k) < d->tangents->met_count || (ess_has_jumped(d, k) && !crossed))
    return ess_refuse(d, "k is one of several events of the instant that the run has ended in");
  int status = ess_field(d, d->t, d->x, f);
  double rate = 1.0;
  if (!crossed) {
    if (!status) status = ess_guard_gradient(d, d->t, d->x, k, gradient);
    if (!status) status = ess_parameter_guard(d, d->t, d->x, k, by);
    if (!status) rate = ess_dot(gradient, f, a->n);
    if (!status && !(fabs(rate) > 0.0)) status = ess_fail(d, ESS_EGRAZING, k);
  }
  for (size_t c = 0; !status && c < a->count; c++) {
    double *const vector = a->vector + c * a->n;
    const double moved = ess_dot(vector, f, a->n) + d->caller.way * (times ? times[c] : 0.0);
    if (crossed) a->share[c] = -moved;
    for (size_t i = 0; !crossed && i < a->n; i++) vector[i] -= moved / rate * gradient[i];
    for (size_t j = 0; !crossed && j < a->p; j++) a->gained[c * a->p + j] -= moved / rate * by[j];
  }
  return status;
}

/* what is wrong with the question; NULL when nothing is */
static const char *check(const ess_driver *d, size_t count, const double outcomes[],
                         const double times[]) {
  const ess_tangents *const v = d->tangents;
  if (d->applying) return "an adjoint is asked for between applies";
  if (!v || !v->tape || v->is_lost) return "no run is recorded";
  if (!count) return "count must be at least 1";
  const size_t all = d->system.dimension + d->system.parameters + 2;
  if (count > SIZE_MAX / sizeof(double) / 8 / all)
    return "there are more outcomes than memory can hold";
  if (!outcomes && !times) return "outcomes must not be NULL";
  if (outcomes && !ess_are_finite(outcomes, ess_caller_states(d) * count))
    return "each of outcomes must be finite";
  if (times && !ess_are_finite(times, count)) return "each of times must be finite";
  return NULL;
}

static void write(const adjoint *a, double start[], double parameters[]) {
  for (size_t c = 0; c < a->count; c++) {
    for (size_t i = 0; start && i < ess_caller_states(a->d); i++)
      start[i * a->count + c] = a->vector[c * a->n + i];
    for (size_t j = 0; parameters && j < a->p; j++)
      parameters[j * a->count + c] = a->gained[c * a->p + j];
  }
}

static int find(ess_driver *d, size_t k, size_t count, const double outcomes[],
                const double times[], double start[], double parameters[]) {
  const char *const wrong = check(d, count, outcomes, times);
  if (wrong) return ess_refuse(d, wrong);
  ess_tape *const tape = d->tangents->tape;
  if (tape->status && tape->status != ESS_ESTOP) return tape->status;
  ess_no_failure(d);
  if (tape->is_short) return ess_fail(d, ESS_ENOMEM, SIZE_MAX);
  adjoint a = {
      .d = d,
      .tape = tape,
      .n = d->system.dimension,
      .p = d->system.parameters,
      .count = count,
  };
  double *const memory = calloc(count * (3 * a.n + 2 * a.p + 2) + a.n + a.p, sizeof *memory);
  if (!memory) return ess_fail(d, ESS_ENOMEM, SIZE_MAX);
  a.vector = memory;
  a.gained = a.vector + count * a.n;
  a.share = a.gained + count * a.p;
  a.size = a.share + count;
  a.noise = a.size + count;
  a.missed = a.noise + a.n;
  a.step = a.missed + a.p;
  a.gain = a.step + count * a.n;
  a.half = a.gain + count * a.p;
  for (size_t c = 0; outcomes && c < count; c++)
    for (size_t i = 0; i < ess_caller_states(d); i++)
      a.vector[c * a.n + i] = outcomes[i * count + c];
  int status = k == SIZE_MAX ? ESS_SUCCESS : begin_on(&a, k, times);
  if (!status) status = back_all(&a);
  if (!status && tape->live_from) status = back_pages(&a);
  if (!status && !ess_are_finite(memory, count * (a.n + a.p)))
    status = ess_fail(d, ESS_EFIELD, SIZE_MAX);
  if (!status) write(&a, start, parameters);
  free(memory);
  return status;
}

int ess_driver_adjoint(ess_driver *d, size_t count, const double outcomes[], double start[],
                       double parameters[]) {
  return d ? find(d, SIZE_MAX, count, outcomes, NULL, start, parameters) : ESS_EINVAL;
}

int ess_driver_adjoint_section(ess_driver *d, size_t k, size_t count, const double outcomes[],
                               const double times[], double start[], double parameters[]) {
  if (!d) return ESS_EINVAL;
  if (k >= d->system.guard_count) return ess_refuse(d, "k must be below guard_count");
  return find(d, k, count, outcomes, times, start, parameters);
}
