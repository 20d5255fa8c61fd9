/*
 * The length of the next step: the least of its bounds, each of which has a cause. No other file
 * sets it, or counts a refusal. Two bounds are kept beside it, since they outlast the step: that by
 * turning event functions, and that of low-order restart steps. A try takes the least of all
 * (ess_try_step). The bound by the error is that of a PI controller: (M4) of docs/theory/method.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"

/* ---- bounds and refusals --------------------------------------------------------------------- */

void ess_control_restart(ess_driver *d) {
  d->control.next = 0.0;
  d->control.log_error_old = ESS_LOG_ERROR_FLOOR;
  ess_forget_turning(d);
}

void ess_control_forget(ess_driver *d) {
  ess_control_restart(d);
  d->dt = 0.0;
  d->control.after.crossed = d->control.after.from = d->control.brief.guard = SIZE_MAX;
  d->control.brief.longest = INFINITY;
  for (size_t i = 0; i < 2 * d->system.event_count; i++)
    d->control.after.longest[i] = d->control.brief.way[i] = INFINITY;
}

void ess_control_bound(ess_driver *d, ess_cause cause, double longest) {
  if (!(longest < d->control.next)) return;
  d->control.next = longest;
  d->control.bounded[cause]++;
}

void ess_control_anew(ess_driver *d, double length) {
  d->control.next = length;
}

void ess_control_forget_error(ess_driver *d) {
  d->control.log_error_old = ESS_LOG_ERROR_FLOOR;
}

void ess_control_count(ess_driver *d, ess_cause cause) {
  d->counters.rejected++;
  d->control.refused[cause]++;
}

void ess_control_refuse(ess_driver *d, const ess_verdict *v) {
  ess_control_count(d, v->cause);
  d->control.next = v->next;
}

bool ess_is_resolved(const ess_driver *d, double length) {
  return length > 4.0 * DBL_EPSILON * ess_larger(fabs(d->t), DBL_MIN / DBL_EPSILON);
}

/* ---- the error ------------------------------------------------------------------------------- */

double ess_scaled_norm(const ess_driver *d, const double v[], const double a[], const double b[]) {
  const size_t n = d->caller.system.dimension; // time, where it is a state, has no error
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double magnitude = ess_larger(fabs(a[i]), fabs(b[i]));
    // a component that is and stays zero is right at any tolerance
    const double scale = d->atol[i] + d->rtol[i] * magnitude;
    const double scaled = v[i] == 0.0 ? 0.0 : v[i] / scale;
    // no error is small beside an infinite state: 0 times that is not a number
    sum += scaled * scaled + 0.0 * magnitude;
  }
  return sqrt(sum / (double)n);
}

ess_verdict ess_control_judge(ess_driver *d, double error) {
  ess_control *const c = &d->control;
  const bool stands = error <= 1.0, is_number = isfinite(error);
  // where the field has just changed, or a step has been refused, errors of some bases grow from
  // step to step: with less of a margin every sixth is refused where contacts begin often
  const bool changes = !stands || c->is_repeated || c->after.from != SIZE_MAX;
  const double safety = changes ? d->base->safety : ESS_SAFETY;
  if (!stands) {
    c->is_repeated = true;
    const double part = is_number ? safety * exp2(-d->base->alpha * log2(error)) : 0.0;
    return ess_refused(is_number ? ESS_BY_ERROR : ESS_BY_NO_NUMBER,
                       d->dt * ess_larger(ESS_SHRINK_MOST, part));
  }
  // where the pair is exact, as in free fall, there is nothing to compute
  const double log_error = error > 0.0 ? log2(error) : -INFINITY;
  double factor = ESS_GROW_MOST;
  if (error > 0.0) factor = safety * exp2(ESS_BETA * c->log_error_old - d->base->alpha * log_error);
  factor = ess_clamp(factor, ESS_SHRINK_MOST, ESS_GROW_MOST);
  if (c->is_repeated) factor = ess_smaller(factor, 1.0);
  // a step shortened to end at t1 is no reason against the longer one proposed before it
  if (factor < 1.0 || d->dt * factor > c->next) c->next = d->dt * factor;
  c->log_error_old = ess_larger(log_error, ESS_LOG_ERROR_FLOOR);
  c->is_repeated = false;
  return (ess_verdict){0};
}

ess_verdict ess_control_stands(ess_driver *d, double next) {
  ess_control *const c = &d->control;
  c->next = c->is_repeated ? ess_smaller(next, d->dt) : next;
  c->log_error_old = ESS_LOG_ERROR_FLOOR;
  c->is_repeated = false;
  return (ess_verdict){0};
}

/* ---- the first step -------------------------------------------------------------------------- */

int ess_control_first(ess_driver *d, double t1, double *dt) {
  const size_t n = d->system.dimension;
  if (d->options.h_init > 0.0) {
    *dt = d->options.h_init;
    return ESS_SUCCESS;
  }
  // an Euler step that moves the state by one per cent of its size ...
  const double size = ess_scaled_norm(d, d->x, d->x, d->x);
  const double speed = ess_scaled_norm(d, d->f, d->x, d->x);
  const bool usable = isfinite(size) && isfinite(speed) && size >= 1e-5 && speed >= 1e-5;
  double euler = usable ? 0.01 * size / speed : 1e-6;
  euler = ess_smaller(euler, t1 - d->t);
  for (size_t i = 0; i < n; i++) d->x_try[i] = d->x[i] + euler * d->f[i];
  const int status = ess_field(d, ess_smaller(d->t + euler, d->apply.t_end), d->x_try, d->stage[1]);
  if (status) return status;
  // ... shows the second derivative, and with it the step a 5th-order method may take
  for (size_t i = 0; i < n; i++) d->stage[1][i] -= d->f[i];
  const double bend = ess_scaled_norm(d, d->stage[1], d->x, d->x) / euler;
  const double steepest = ess_larger(speed, bend);
  const double step =
      steepest <= 1e-15 ? ess_larger(1e-6, euler * 1e-3) : pow(0.01 / steepest, 0.2);
  *dt = ess_smaller(100.0 * euler, step);
  // a component at zero under a relative tolerance alone suggests no length
  if (!(*dt > 0.0)) *dt = euler;
  return ESS_SUCCESS;
}

/* ---- steps that begin at a crossing ---------------------------------------------------------- */

/* The length of a step before a crossing does not predict the next one; that of the last step that
 * began at the same guard does: a body that falls makes steps of any length, and one that has
 * touched down does not. So a step is no longer than that one, if that has been refused before. If
 * has been cut where the state came back through the guard, a step is no longer than a few times
 * the time until then: the dense output of a much longer step lets an event function near its zero
 * go back and forth though the state does not. */

/* LONGER: growth of the limit for the next such step. LIMIT_LEAST: smallest limit, over the step
 * that the error would allow; from LIMIT_WORTH times that step on there is none. */
static const double LONGER = 4.0, LIMIT_LEAST = 1e-3, LIMIT_WORTH = 0.5;

/* Where such steps are cut soon, again and again, they need no more than order 3, for half the
 * right-hand-side evaluations. REGAINED: growth of the length limit of these brief steps each time
 * that none is tried: the reason of a rejection need not persist, but an attempt costs half a step.
 */
static const double REGAINED = 1.1;

bool ess_control_after(ess_driver *d) {
  ess_control *const c = &d->control;
  ess_brief *const b = &c->brief;
  const size_t from = c->after.from;
  const double limit = ess_larger(c->after.longest[from], LIMIT_LEAST * c->next);
  if (limit >= LIMIT_WORTH * c->next) c->after.longest[from] = INFINITY;
  if (limit < LIMIT_WORTH * c->next) ess_control_bound(d, ESS_BY_CROSSING, limit);
  if (!d->base->brief || d->system.affine_in_signs || d->tangents) return false;
  const bool is_brief = b->way[from] <= ess_smaller(b->longest, c->next);
  if (is_brief) c->longest = b->longest;
  if (!is_brief && b->way[from] <= c->next) b->longest *= REGAINED;
  return is_brief;
}

ess_verdict ess_brief_judge(ess_driver *d, double error) {
  ess_control *const c = &d->control;
  ess_brief *const b = &c->brief;
  // an error that is not a number is no small one
  const double factor = error == 0.0  ? ESS_GROW_MOST
                        : error > 0.0 ? ESS_SAFETY * cbrt(1.0 / error)
                                      : ESS_SHRINK_MOST;
  const double bounded = ess_clamp(factor, ESS_SHRINK_MOST, ESS_GROW_MOST);
  // a step shortened for another cause is no reason against longer ones
  if (!(factor >= 1.0) || bounded * d->dt > b->longest) b->longest = bounded * d->dt;
  // a step that order 3 makes with next to no error is possible with order 5, too
  if (factor >= ESS_GROW_MOST) c->next = ess_larger(c->next, ESS_GROW_MOST * d->dt);
  const bool stands = error <= 1.0;
  c->longest = stands ? b->longest : INFINITY;
  return stands ? (ess_verdict){0} : ess_refused(ESS_BY_CROSSING, c->next);
}

void ess_control_made(ess_driver *d, double length, uint64_t refused) {
  const ess_after *const a = &d->control.after;
  double *const longest = a->longest + a->from;
  if (a->crossed / 2 == a->from / 2)
    *longest = LONGER * length;
  else
    *longest = refused ? d->dt : *longest < INFINITY ? LONGER * d->dt : INFINITY;
}

/* ---- turning ------------------------------------------------------------------------------ */

/* A bound on steps by how fast event functions turn. The field does not contain that speed: a clock
 * has no error, so that a step could span whole periods of an event function of it, which no few
 * values would show. So steps grow no faster than the models of event functions, which are right in
 * short steps, are expected to stay right. The measure is the error of a model as a share of its
 * range, which grows with the fifth power of the length, or the fourth. Event functions that are
 * affine along the step have no error. */

/* the error up to which a quartic is trusted in a first step, which has no prediction: small, so
 * that agreement by chance is improbable */
static const double BELIEVED_FIRST = 3e-5;

/* smallest reduction of a step for a quartic that disagrees, since kinks disagree at any step size:
 * over the last step, and for the first step over its initial length */
static const double KINKED = 0.5, FIRST_KINKED = 1e-6;

/* After ESS_MANY attempts, each shorter than the one before, disagreement is not a turn but
 * rounding, or a rate that is not the derivative; it then limits no step until a quartic is trusted
 * again. After as many rejections in excess of steps rounding is suspected. An error of a quartic
 * of so many roundings of the event function's terms confirms that; below it a quartic may be
 * trusted by chance. */
static const double TURN_ROUNDINGS = 8.0;

/* part of a distance's fastest change that counts in the next step, where it is slower */
static const double REMEMBERED = 0.7;

/* rate of an event function over its former rate above which it is faster, not merely past a turn
 */
static const double FASTER = 2.0;

void ess_forget_turning(ess_driver *d) {
  d->control.turning.longest = INFINITY;
  d->control.turning.length = d->control.turning.first = 0.0;
  d->control.turning.is_seen = false;
  if (d->control.turning.any_distance)
    memset(d->control.turning.speed, 0, d->blocks * ESS_BLOCK * sizeof *d->control.turning.speed);
  d->control.turning.tries = d->control.turning.refused = 0;
}

/* Where a step begins: event functions that change faster than they did turn sooner. */
static void watch_paces(ess_driver *d) {
  ess_turning *const s = &d->control.turning;
  const ess_lanes zero = {0.0};
  ess_lanes growth = ess_lanes_all(FASTER);
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES) {
      const ess_lanes pace = ess_lanes_load(s->pace + k), side = ess_lanes_load(d->side + k);
      const ess_lanes rate = ess_lanes_abs(ess_lanes_load(d->rate + k));
      const ess_mask counts = (pace > zero) & (side != zero);
      growth = ess_lanes_max(ess_lanes_select(counts, rate / pace, zero), growth);
    }
  }
  const double most =
      ess_larger(ess_larger(growth[0], growth[1]), ess_larger(growth[2], growth[3]));
  if (!(most > FASTER)) return;
  s->length /= most;
  s->longest = ess_larger(s->longest / most, d->control.shortest);
}

double ess_believed_share(const ess_driver *d) {
  return d->control.turning.length == 0.0 ? BELIEVED_FIRST : ESS_BELIEVED;
}

ess_verdict ess_judge_turning(ess_driver *d) {
  ess_turning *const s = &d->control.turning;
  const bool is_first = s->length == 0.0, turns = s->share > ESS_STILL_TURNING;
  const bool is_too_far = s->share > ess_believed_share(d);
  const double factor = turns ? ESS_SAFETY * pow(ESS_BELIEVED / s->share, 0.2) : ESS_GROW_MOST;
  if (is_first && s->first == 0.0) s->first = d->dt;
  if (turns) s->tries = is_too_far ? s->tries + 1 : 0;
  s->refused += is_too_far ? 2 : -(s->refused > 0);
  bool is_lost = s->tries > ESS_MANY;
  // rounding has been taken off the models of weights that hold a slide
  if (is_too_far && !is_lost && s->refused >= ESS_MANY && s->guard != SIZE_MAX) {
    double rounding;
    const int status = ess_rounding_error(d, s->guard, &rounding);
    if (status) return (ess_verdict){.status = status};
    is_lost = d->inside.inexact[s->guard] <= TURN_ROUNDINGS * rounding;
    s->refused = is_lost ? ESS_MANY - 1 : ESS_MANY / 2; // if so, the next is measured at once
  }
  const double kinked = is_first ? FIRST_KINKED * s->first : KINKED * s->length;
  const double least = ess_larger(kinked, d->control.shortest);
  if (is_too_far && d->dt > least && !is_lost) {
    const double shorter =
        is_first ? ESS_SHRINK_MOST : ess_larger(ESS_SHRINK_MOST, ess_smaller(factor, ESS_SAFER));
    s->longest = ess_larger(0.999 * least, shorter * d->dt);
    return ess_refused(ESS_BY_TURNING, d->control.next);
  }
  if (factor >= ESS_GROW_MOST || is_lost)
    s->longest = ess_larger(is_first ? 0.0 : s->longest, ESS_GROW_MOST * d->dt);
  else
    s->longest = ess_larger(d->control.shortest, ess_larger(KINKED, factor) * d->dt);
  s->length = d->dt;
  for (size_t k = 0; s->any_distance && k < d->system.event_count; k++)
    s->speed[k] = ess_larger(s->extent[k] / d->dt, REMEMBERED * s->speed[k]);
  s->is_seen = s->is_seen || turns;
  // the paces are those of the faster end of the step
  for (size_t k = 0; s->is_seen && k < d->blocks * ESS_BLOCK; k += ESS_LANES) {
    const ess_lanes first = ess_lanes_abs(ess_lanes_load(d->rate + k));
    const ess_lanes last = ess_lanes_abs(ess_lanes_load(d->rate_end + k));
    ess_lanes_store(s->pace + k, ess_lanes_max(first, last));
  }
  return (ess_verdict){0};
}

/* ---- the next try ---------------------------------------------------------------------------- */

int ess_control_start(ess_driver *d, double t1) {
  if (d->control.next != 0.0) return ESS_SUCCESS;
  return ess_control_first(d, t1, &d->control.next);
}

int ess_control_begin(ess_driver *d, double t1, bool sliding) {
  ess_control *const c = &d->control;
  ess_after *const a = &d->control.after;
  ess_brief *const b = &d->control.brief;
  const bool watching = d->armed_count > 0;
  if (a->crossed != SIZE_MAX) {
    if (b->guard != SIZE_MAX) b->way[b->guard] = d->t - b->since;
    b->guard = a->crossed;
    b->since = d->t;
  }
  c->longest = INFINITY;
  a->from = sliding ? SIZE_MAX : a->crossed;
  a->crossed = SIZE_MAX;
  // a tolerance below the rounding of the state cannot be kept
  for (size_t i = 0; i < d->caller.system.dimension; i++) {
    const double size = fabs(d->x[i]);
    if (d->atol[i] + d->rtol[i] * size < DBL_EPSILON * size)
      return ess_fail(d, ESS_ETOLERANCE, SIZE_MAX);
  }
  c->shortest = 1e3 * DBL_EPSILON * ess_larger(fabs(d->t), DBL_MIN / DBL_EPSILON);
  if (watching && d->control.turning.is_seen) watch_paces(d);
  if (!watching && !sliding)
    d->control.turning.longest = ess_larger(d->control.turning.longest, ESS_GROW_MOST * d->dt);
  return c->next == 0.0 ? ess_control_start(d, t1) : ESS_SUCCESS;
}

void ess_control_open(ess_driver *d) {
  d->control.is_repeated = false;
  d->control.longest = INFINITY;
}
