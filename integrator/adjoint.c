/*
 * The adjoint: the gradient of outcomes with respect to the start and the parameters, backward
 * through the recorded operations (tape.c). A step is computed again from its state and transposed,
 * so the adjoint is the transposed tangent, to rounding. If the step is too long for the tolerance,
 * the adjoint goes back along its dense output in parts (parts.c).
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

/* by outcome: the vector lambda, the number sigma, and the gradient by parameters */
typedef struct adjoint {
  ess_driver *d;
  ess_tape *tape;
  size_t n, p, count;
  double *vector, *share, *gained;
  double *step, *gain;    /* what the step tried adds to vector and gained */
  double *half;           /* the vector half-way along the first step */
  double *size;           /* of the first vector that is not 0, in units of the states */
  double *noise, *missed; /* [n + P], of a vector of length 1; error of the step tried */
  double t, dt;           /* of the step */
  double pace;            /* ess_pace_after */

  /* the first stage of the later step is known, at this time: mostly it is the last one of this */
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

/* the first stage of the later step becomes the last one of this, unless it proves to be another */
static void take_next(const adjoint *a) {
  ess_tape *const tape = a->tape;
  ess_swap(&tape->x[0], &tape->x[ESS_STAGES - 1]);
  ess_swap(&tape->k[0], &tape->k[ESS_STAGES - 1]);
  ess_swap(&tape->J[0], &tape->J[ESS_STAGES - 1]);
  ess_swap(&tape->by[0], &tape->by[ESS_STAGES - 1]);
}

/* the step again, from its beginning in x[0]; the last stage may be known */
static int make_again(adjoint *a) {
  ess_tape *const tape = a->tape;
  const bool is_next = a->knows_next && a->next == a->t + a->dt;
  int status = look_at(a, 0, a->t);
  for (int s = 1; !status && s < ESS_STAGES; s++) {
    double *const x = tape->dense[0];
    ess_dopri5_stage_of(a->d, s, a->dt, tape->x[0], tape->k, x);
    const bool is_last = s == ESS_STAGES - 1;
    if (is_last && is_next && memcmp(x, tape->x[s], a->n * sizeof *x) == 0) continue;
    memcpy(tape->x[s], x, a->d->lanes * sizeof *x);
    status = look_at(a, s, a->t + ess_dopri5_c[s] * a->dt);
  }
  a->knows_next = true;
  a->next = a->t;
  return status;
}

/* ---- transposed steps ------------------------------------------------------------------------ */

/* to = the transpose, applied to a vector, of the sum of rates with these weights over the step;
 * adds to the gradient by parameters */
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
      const double factor = a->dt * kappa[i];
      if (factor == 0.0) continue;
      for (size_t j = 0; j < n; j++) back[j] += factor * tape->J[s][i * n + j];
      for (size_t j = 0; j < a->p; j++) gained[j] += factor * tape->by[s][i * a->p + j];
    }
    for (size_t j = 0; j < n; j++) to[j] += back[j];
  }
}

/* The error estimate (parts.c) of component j of vector c, or of its gradient by parameter j - n,
 * if the embedded one is `error`: the vector changes linearly along the step, from theta back. */
static double seen_error(const adjoint *a, size_t c, size_t j, double theta, double error,
                         double rounding) {
  const bool is_state = j < a->n;
  const size_t columns = is_state ? a->n : a->p, column = is_state ? j : j - a->n;
  double *const *const by = is_state ? a->tape->J : a->tape->by;
  double lower = INFINITY, upper = -INFINITY, last = 0.0;
  for (int s = 0; s < ESS_STAGES; s++) {
    double rate = 0.0;
    for (size_t i = 0; i < a->n; i++) {
      const double slope = theta > 0.0 ? a->step[c * a->n + i] / theta : 0.0;
      const double change = (theta - ess_dopri5_c[s]) * slope;
      rate += (a->vector[c * a->n + i] + change) * by[s][i * columns + column];
    }
    lower = ess_smaller(lower, rate);
    upper = ess_larger(upper, rate);
    last += ess_dopri5_d[s] * rate;
  }
  const double exceeding = ess_larger(0.0, fabs(error) - rounding);
  return ess_seen_error(exceeding, rounding, fabs(a->dt) * (upper - lower), a->dt * last);
}

/* the size of parameter j - n, or of state j */
static double unit_of(const adjoint *a, size_t j) {
  const double *const value = a->d->system.parameters.values;
  if (j < a->n) return ess_tangent_unit(a->d, j);
  return value && value[j - a->n] != 0.0 ? fabs(value[j - a->n]) : 1.0;
}

/* the noise of differences in each component of a step, for a vector of length 1 */
static void find_noise(adjoint *a) {
  double *const axis = a->d->tangents->axis;
  memset(axis, 0, a->n * sizeof *axis);
  for (size_t j = 0; j < a->n + a->p; j++) {
    if (j < a->n) axis[j] = 1.0;
    const double noise = j < a->n ? ess_rounding_of(a->d, a->tape->x[0], a->tape->k[0], NULL, axis)
                                  : ess_parameter_noise(a->d, ess_unit_parameter(a->d, j - a->n));
    a->noise[j] = ESS_MARGIN * noise * fabs(a->dt);
    if (j < a->n) axis[j] = 0.0;
  }
}

/* Tries a transposed step, from theta back. Each component is scaled as a direction's is: by its
 * own size, or that of the vector at first. */
static ess_errors try_step(adjoint *a, double theta) {
  const ess_driver *const d = a->d;
  const size_t n = a->n, all = n + a->p;
  const double least = ess_tangent_least_tolerance(d), rest = 1.0 - theta;
  double most = 0.0, weight[ESS_STAGES]; // of the dense output at theta
  for (int s = 0; s < ESS_STAGES; s++)
    weight[s] = theta * (ess_dopri5_b[s] * (theta + 2.0 * rest * theta) +
                         rest * rest * theta * ess_dopri5_d[s]);
  weight[0] += theta * rest * rest;
  weight[ESS_STAGES - 1] -= theta * rest * theta;
  for (int s = 0; s < ESS_STAGES; s++) ess_own_stage(a->d, s, a->dt, a->tape->J[s]);
  find_noise(a);
  memset(a->gain, 0, a->count * a->p * sizeof *a->gain);
  for (size_t c = 0; c < a->count; c++) {
    const double *const vector = a->vector + c * n, *const gained = a->gained + c * a->p;
    double length = 0.0, sum = 0.0;
    transpose(a, weight, vector, a->step + c * n, a->gain + c * a->p);
    memset(a->missed, 0, all * sizeof *a->missed);
    transpose(a, ess_dopri5_e, vector, a->missed, a->missed + n);
    for (size_t i = 0; i < n; i++) length += fabs(vector[i]);
    for (size_t i = 0; a->size[c] == 0.0 && i < n; i++)
      sum = ess_larger(sum, fabs(vector[i]) * unit_of(a, i));
    if (a->size[c] == 0.0) a->size[c] = sum;
    sum = 0.0;
    for (size_t j = 0; j < all; j++) {
      const double unit = unit_of(a, j), own = fabs(j < n ? vector[j] : gained[j - n]) * unit;
      const double tolerance = j < n ? d->rtol[j] + d->atol[j] / unit : least;
      const double error = seen_error(a, c, j, theta, a->missed[j], length * a->noise[j]);
      const double accepted = ess_larger(a->size[c], own) * (ESS_ALLOWED * tolerance);
      const double scaled = error == 0.0 ? 0.0 : error * unit / accepted;
      if (!(scaled <= DBL_MAX)) return (ess_errors){INFINITY, ess_own_error(a->d, a->dt)};
      if (j < n) sum += scaled * scaled;
      if (j >= n) most = ess_larger(most, scaled);
    }
    most = ess_larger(most, sqrt(sum / (double)n));
  }
  return (ess_errors){most, ess_own_error(a->d, a->dt)};
}

static void take_step(adjoint *a) {
  for (size_t i = 0; i < a->count * a->n; i++) a->vector[i] += a->step[i];
  for (size_t i = 0; i < a->count * a->p; i++) a->gained[i] += a->gain[i];
}

/* ---- back along the dense output, if the step is too long ------------------------------------ */

/* the stages of a part of the step */
static int look_at_part(ess_parts *p, double from, double to, ess_errors *errors) {
  enum { LAST = ESS_STAGES - 1 };
  adjoint *const a = p->way;
  const ess_tape *const tape = a->tape;
  const size_t n = a->n;
  int status = ESS_SUCCESS;
  a->t = p->t + from * p->dt;
  a->dt = (to - from) * p->dt;
  // that at its end is known from the part before, or from one that was too long
  for (int s = 0; !status && s < LAST - a->knows_next; s++)
    status = look_at(a, s, ess_parts_stage(p, s, from, to, tape->x[s]));
  if (status) return status;
  // the last two stages are at one place
  const int known = a->knows_next ? LAST : LAST - 1, other = a->knows_next ? LAST - 1 : LAST;
  memcpy(tape->J[other], tape->J[known], n * n * sizeof *tape->J[0]);
  if (a->p) memcpy(tape->by[other], tape->by[known], n * a->p * sizeof *tape->by[0]);
  a->knows_next = true;
  *errors = try_step(a, 1.0);
  return ESS_SUCCESS;
}

static void take_part(ess_parts *p) {
  take_step(p->way);
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
                     .go = take_part,
                     .way = a};
}

/* An adjoint begins with the last step of the run, which no shorter one precedes. A part in its
 * middle, with the vector half-way, sets the pace. The ends of the step are not in it: there the
 * Jacobian may be that of a kink. */
static int confirm_first(adjoint *a, const double x[], double theta) {
  static const double SHARE = 1.0 / 16.0;
  const double dt = a->dt, middle = 0.5 * theta;
  ess_parts parts = parts_of(a, x);
  ess_errors errors;
  for (size_t i = 0; i < a->count * a->n; i++) a->half[i] = a->vector[i] + 0.5 * a->step[i];
  ess_swap(&a->vector, &a->half);
  a->knows_next = false;
  const int status = look_at_part(&parts, middle, middle + SHARE * theta, &errors);
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
  enum { LAST = ESS_STAGES - 1 };
  const ess_tape *const tape = a->tape;
  const double t = entry[0], dt = entry[1], theta = entry[2];
  const double *const x = entry + 3;
  a->t = t;
  a->dt = dt;
  ess_go_between(a->d, t);
  // the field beyond a jump is another
  a->knows_next = a->knows_next && t + dt < a->d->between.next;
  if (a->knows_next) take_next(a);
  memcpy(tape->x[0], x, a->n * sizeof *x);
  int status = make_again(a);
  if (status) return status;
  ess_own_look(a->d, tape->x[LAST], tape->k[LAST], tape->J[LAST]);
  ess_errors errors = try_step(a, theta);
  const bool is_first = a->pace == 0.0;
  if (is_first && !ess_is_too_long(errors)) {
    status = confirm_first(a, x, theta);
    if (status) return status;
    errors = try_step(a, theta);
  }
  const bool is_sure = !is_first && ess_is_surely_small(errors.its);
  const bool beyond = ess_is_beyond(a->pace, dt) && !is_sure;
  if (!beyond) a->pace = ess_pace_after(a->pace, dt, errors.its);
  if (!beyond && !ess_is_too_long(errors)) {
    take_step(a);
    return ESS_SUCCESS;
  }
  ess_parts parts = parts_of(a, x);
  a->knows_next = false;
  status = ess_go_in_parts(&parts, theta, &errors);
  a->knows_next = false;
  return status;
}

static int back_entry(adjoint *a, ess_tape_kind kind, const double entry[]) {
  ess_driver *const d = a->d;
  const size_t n = a->n, p = a->p, m = d->system.event_count;
  a->knows_next = a->knows_next && kind == ESS_TAPE_STEP;
  for (size_t c = 0; c < a->count; c++) {
    double *const vector = a->vector + c * n, *const gained = a->gained + c * p;
    double *const to = a->tape->lambda;
    if (kind == ESS_TAPE_GAIN) a->share[c] += ess_dot(entry, vector, n);
    if (kind == ESS_TAPE_SHARE) {
      for (size_t i = 0; i < n; i++) vector[i] += a->share[c] * entry[i];
      for (size_t j = 0; j < p; j++) gained[j] += a->share[c] * entry[n + j];
      a->share[c] = 0.0;
    }
    if (kind == ESS_TAPE_MAP) {
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p; j++) gained[j] += vector[i] * entry[n * n + i * p + j];
      for (size_t i = 0; i < n; i++) to[i] = ess_dot(entry + i * n, vector, n);
      memcpy(vector, to, n * sizeof *to);
    }
  }
  if (kind == ESS_TAPE_STEP) return back_step(a, entry);
  if (kind != ESS_TAPE_MODE) return ESS_SUCCESS;
  const signed char *const sign = (const signed char *)entry;
  for (size_t k = 0; k < m; k++) d->sign[k] = sign[k];
  return ess_announce(d, m);
}

/* all entries, in their modes; the driver's mode is restored */
static int back_all(adjoint *a) {
  ess_driver *const d = a->d;
  const ess_tape *const tape = a->tape;
  const size_t bytes = d->system.event_count * sizeof *d->sign;
  struct ess_slides *const slides = d->slides;
  const ess_between between = d->between;
  a->knows_next = false;
  d->slides = NULL; // steps of slides are maps
  memcpy(tape->mode, d->sign, bytes);
  if (tape->used) memcpy(d->sign, tape->sign, bytes);
  int status = ess_announce(d, d->system.event_count);
  for (size_t at = tape->used; !status && at > 0;) {
    const size_t count = (size_t)tape->entry[at - 2];
    const ess_tape_kind kind = (ess_tape_kind)tape->entry[at - 1];
    at -= count + 2;
    status = back_entry(a, kind, tape->entry + at);
  }
  memcpy(d->sign, tape->mode, bytes);
  d->slides = slides;
  d->between = between;
  const int told = ess_announce(d, d->system.event_count);
  return status ? status : told;
}

/* the pages before the live one, each recorded again from its checkpoint; the driver is restored */
static int back_pages(adjoint *a) {
  ess_driver *const d = a->d;
  bool differs = false;
  int status = ESS_SUCCESS;
  ess_page_keep_end(d);
  for (size_t i = a->tape->live_from; !status && !differs && i-- > 0;) {
    ess_page_open(d, i);
    status = ess_announce(d, d->system.event_count);
    if (!status) status = d->scheme->run(d, d->apply.t_end);
    differs = !status && !ess_page_is_at(d, i + 1);
    if (!status && a->tape->used == SIZE_MAX) status = ess_fail(d, ESS_ENOMEM, SIZE_MAX);
    if (!status && !differs) status = back_all(a);
  }
  ess_page_close(d);
  const int told = ess_announce(d, d->system.event_count);
  if (differs)
    return ess_refuse(d, "callbacks must be functions of their arguments, and options stay: a run "
                         "that is made again differs");
  if (status) return ess_fail(d, (ess_status)status, SIZE_MAX);
  return told;
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* the adjoint of Dx = V + f Dt, of a run that ends on event function k, for outcomes of the state
 * and of the time */
static int begin_on(adjoint *a, size_t k, const double times[]) {
  ess_driver *const d = a->d;
  const ess_tape *const tape = a->tape;
  const size_t last = d->tangents->last_event;
  const bool shared = last != SIZE_MAX && d->tangents->last_t == d->t;
  const bool crossed = shared && (last == k || ess_has_jumped(d, k));
  double *const gradient = tape->x[1], *const by = tape->by[0], *const f = tape->k[0];
  if (ess_place_met(d, k) < d->tangents->met_count || (ess_has_jumped(d, k) && !crossed))
    return ess_refuse(d, "k is one of several events of the instant that the run has ended in");
  int status = ess_field(d, d->t, d->x, f);
  double rate = 1.0;
  if (!crossed || (last == k && k >= d->watched.first)) {
    if (!status) status = ess_guard_gradient(d, d->t, d->x, k, gradient);
    if (!status) rate = ess_dot(gradient, f, a->n);
    if (!status) status = ess_tangent_refuse_end(d, k, rate);
  }
  if (!status && !crossed) status = ess_parameter_guard(d, d->t, d->x, k, by);
  for (size_t c = 0; !status && c < a->count; c++) {
    double *const vector = a->vector + c * a->n;
    const double moved = ess_dot(vector, f, a->n) + d->caller.way * (times ? times[c] : 0.0);
    if (crossed) a->share[c] = -moved;
    for (size_t i = 0; !crossed && i < a->n; i++) vector[i] -= moved / rate * gradient[i];
    for (size_t j = 0; !crossed && j < a->p; j++) a->gained[c * a->p + j] -= moved / rate * by[j];
  }
  return status;
}

/* a line about what is wrong with the arguments, or NULL */
static const char *check(const ess_driver *d, size_t count, const double outcomes[],
                         const double times[]) {
  const ess_tangents *const v = d->tangents;
  if (ess_is_applying(d)) return "an adjoint is asked for between applies";
  if (!v || !v->tape || v->is_lost) return "no run is recorded";
  if (!count) return "count must be at least 1";
  const size_t all = d->system.dimension + d->system.parameters.count + 2;
  if (count > SIZE_MAX / sizeof(double) / 8 / all)
    return "there are more outcomes than memory can hold";
  if (!outcomes && !times) return "outcomes must not be NULL";
  if (outcomes && !ess_are_finite(outcomes, ess_caller_states(d) * count))
    return "each of outcomes must be finite";
  if (times && !ess_are_finite(times, count)) return "each of times must be finite";
  return NULL;
}

static int find(ess_driver *d, size_t k, size_t count, const double outcomes[],
                const double times[], double start[], double parameters[]) {
  const char *const wrong = check(d, count, outcomes, times);
  if (wrong) return ess_refuse(d, wrong);
  ess_tape *const tape = d->tangents->tape;
  if (tape->status && tape->status != ESS_ESTOP) return tape->status;
  ess_no_failure(d);
  if (tape->used == SIZE_MAX) return ess_fail(d, ESS_ENOMEM, SIZE_MAX);
  adjoint a = {
      .d = d,
      .tape = tape,
      .n = d->system.dimension,
      .p = d->system.parameters.count,
      .count = count,
  };
  const size_t all = a.n + a.p;
  double *const memory = calloc(count * (2 * all + a.n + 2) + 2 * all, sizeof *memory);
  if (!memory) return ess_fail(d, ESS_ENOMEM, SIZE_MAX);
  a.vector = memory;
  a.gained = a.vector + count * a.n;
  a.share = a.gained + count * a.p;
  a.size = a.share + count;
  a.step = a.size + count;
  a.half = a.step + count * a.n;
  a.gain = a.half + count * a.n;
  a.noise = a.gain + count * a.p;
  a.missed = a.noise + all;
  for (size_t c = 0; outcomes && c < count; c++)
    for (size_t i = 0; i < ess_caller_states(d); i++)
      a.vector[c * a.n + i] = outcomes[i * count + c];
  int status = k == SIZE_MAX ? ESS_SUCCESS : begin_on(&a, k, times);
  if (!status) status = back_all(&a);
  if (!status && tape->live_from) status = back_pages(&a);
  if (!status && !ess_are_finite(memory, count * (a.n + a.p)))
    status = ess_fail(d, ESS_EFIELD, SIZE_MAX);
  for (size_t c = 0; !status && c < count; c++) {
    for (size_t i = 0; start && i < ess_caller_states(d); i++)
      start[i * count + c] = a.vector[c * a.n + i];
    for (size_t j = 0; parameters && j < a.p; j++)
      parameters[j * count + c] = a.gained[c * a.p + j];
  }
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
  if (k >= d->system.event_count) return ess_refuse(d, "k must be below event_count");
  return find(d, k, count, outcomes, times, start, parameters);
}
