/*
 * Statuses and their messages, where and why a driver failed; the caller's callbacks: counted,
 * their failures turned into statuses, and the node evaluated.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "slides.h"
#include "tangents.h"

/* ---- statuses -------------------------------------------------------------------------------- */

static const char *const messages[ESS_STATUS_COUNT] = {
    [ESS_SUCCESS] = "success",
    [ESS_EINVAL] = "an argument or option is outside its accepted range",
    [ESS_ENOMEM] = "out of memory",
    [ESS_ECALLBACK] = "a callback failed",
    [ESS_EFIELD] = "the field is not finite",
    [ESS_EEVENT] = "an event function or its rate is not finite",
    [ESS_EUNDERFLOW] = "the step size fell below the resolution of time",
    [ESS_ELIVENESS] = "liveness is violated: a guard's rate is too small inside its neighbourhood",
    [ESS_ECHATTER] = "no progress: guards throw the state back at each other",
    [ESS_EMAXSTEPS] = "the limit on integration steps was reached",
    [ESS_EMAXCROSSINGS] = "the limit on crossings was reached",
    [ESS_ESTOP] = "stopped by an observer or a watched event",
    [ESS_ESLIDING] = "sliding: the field points back to a guard from either side of it",
    [ESS_ETOLERANCE] = "the tolerance is below the rounding of a state",
    [ESS_EJACOBIAN] = "a function does not change as its Jacobian predicts",
    [ESS_EIMPACT] = "an impact's map, or start, returned a state or a mode that is not accepted",
    [ESS_EZENO] = "impacts accumulate: infinitely many in a finite time",
    [ESS_EGRAZING] = "grazing: a guard is reached along it, at no rate",
    [ESS_EDISCONTINUOUS] = "the flow is discontinuous: the order of simultaneous events decides",
    [ESS_EAFFINE] = "the field is not affine in the signs, though it is declared to be",
};

const char *ess_strerror(int status) {
  if (status < 0 || status >= ESS_STATUS_COUNT) return "unknown status";
  return messages[status];
}

int ess_fail(ess_driver *d, ess_status status, size_t guard) {
  // a callback fails where it is called; all else where the run has got to
  const bool called = status == ESS_ECALLBACK || status == ESS_EFIELD || status == ESS_EEVENT;
  d->failure.status = status;
  d->failure.time =
      ess_caller_time(d, called ? ess_smaller(d->apply.t_seen, d->apply.t_end) : d->t);
  d->failure.event = guard;
  d->failure.other_event = status == ESS_ECHATTER ? d->returns.other : SIZE_MAX;
  d->failure.reason = NULL;
  d->failure.row = d->failure.column = SIZE_MAX;
  return (int)status;
}

int ess_refuse_at(ess_driver *d, double t, const char *reason) {
  ess_no_failure(d);
  d->failure.status = ESS_EINVAL;
  d->failure.time = t;
  d->failure.reason = reason;
  return ESS_EINVAL;
}

int ess_refuse(ess_driver *d, const char *reason) {
  return ess_refuse_at(d, ess_caller_time(d, d->t), reason);
}

void ess_no_failure(ess_driver *d) {
  d->failure = (ess_failure){.time = ess_caller_time(d, d->t),
                             .event = SIZE_MAX,
                             .other_event = SIZE_MAX,
                             .row = SIZE_MAX,
                             .column = SIZE_MAX};
}

/* ---- version --------------------------------------------------------------------------------- */

/* The version of the library that a program runs with, which need not be the header's. */

const char *ess_version(void) {
  return ESS_VERSION;
}

/* ---- callbacks ------------------------------------------------------------------------------- */

int ess_callback_failed(ess_driver *d, int code) {
  d->failure.callback_code = code;
  return ess_fail(d, ESS_ECALLBACK, SIZE_MAX);
}

/* The field where events are stepped over: each sign is that of its event function at x. Those at
 * a step's end are kept, whose field the last stage is. */
static int field_by_state(ess_driver *d, double t, const double x[], double f[]) {
  ess_unlocated *const u = &d->unlocated;
  const size_t m = d->system.event_count;
  const double at = d->caller.system.field_jumps.count ? ess_field_time(d, t) : t;
  d->apply.t_seen = t;
  if (d->system.plain_field) {
    d->counters.field_evaluations++;
    return ess_called(d, d->system.plain_field(at, x, f, d->system.params));
  }
  int status = m ? ess_event_values(d, t, x, d->h_try) : ESS_SUCCESS;
  for (size_t k = 0; !status && k < m; k++) {
    if (!isfinite(d->h_try[k])) return ess_fail(d, ESS_EEVENT, k);
    u->before[k] = d->h_try[k] < 0.0 ? -1.0 : 1.0;
  }
  if (!status) status = ess_take_signs(d, u->before);
  if (!status) status = ess_field_at(d, d->sign, t, x, f);
  if (f == d->stage[ESS_STAGES - 1]) memcpy(u->end, d->sign, m * sizeof *u->end);
  return status;
}

int ess_take_signs(ess_driver *d, const double sign[]) {
  const size_t m = d->system.event_count;
  size_t changed = 0, which = m;
  for (size_t k = 0; k < m; k++) {
    if (d->sign[k] == sign[k]) continue;
    d->sign[k] = sign[k];
    which = changed++ ? m : k;
  }
  if (!changed && d->unlocated.is_known) return ESS_SUCCESS;
  const int status = ess_announce(d, d->unlocated.is_known ? which : m);
  d->unlocated.is_known = !status;
  return status;
}

int ess_return_to_node(ess_driver *d) {
  return d->system.plain_field ? ESS_SUCCESS : ess_take_signs(d, d->unlocated.node);
}

int ess_field(ess_driver *d, double t, const double x[], double f[]) {
  if (d->unlocated.on) return field_by_state(d, t, x, f);
  if (d->slides && ess_is_sliding(d)) return d->slides->field(d, t, x, f);
  d->counters.field_evaluations++;
  d->apply.t_seen = t;
  const double at = d->caller.system.field_jumps.count ? ess_field_time(d, t) : t;
  int code = d->system.field(at, x, d->sign, f, d->system.params);
  if (!code && d->system.idle) { // signs that this call has not depended on
    const size_t m = d->system.event_count;
    memset(d->idle.now, 0, m * sizeof *d->idle.now);
    code = d->system.idle(d->idle.now, d->system.params);
    for (size_t k = 0; k < m; k++) d->idle.in_step[k] = d->idle.in_step[k] && d->idle.now[k];
  }
  return code ? ess_callback_failed(d, code) : ESS_SUCCESS;
}

int ess_field_at(ess_driver *d, const double sign[], double t, const double x[], double f[]) {
  d->counters.field_evaluations++;
  d->apply.t_seen = t;
  const double at = d->caller.system.field_jumps.count ? ess_field_time(d, t) : t;
  const int code = d->system.field(at, x, sign, f, d->system.params);
  return code ? ess_callback_failed(d, code) : ESS_SUCCESS;
}

int ess_event_values(ess_driver *d, double t, const double x[], double h[]) {
  d->counters.event_evaluations++;
  d->apply.t_seen = t;
  const int code = d->system.event_functions(t, x, h, d->system.params);
  return code ? ess_callback_failed(d, code) : ESS_SUCCESS;
}

int ess_rates_by_jacobian(ess_driver *d, double t, const double x[], const double v[], double h[],
                          double rate[]) {
  const ess_system *const s = &d->caller.system;
  const size_t n = s->dimension, columns = n + (s->time_dependence == ESS_TIME_COLUMN);
  int code = s->event_functions(t, x, h, s->params);
  if (code) return code;
  d->counters.jacobian_evaluations++;
  code = s->event_jacobian(t, x, d->caller.Dh, s->params);
  for (size_t k = 0; k < d->watched.first; k++) rate[k] = ess_dot(d->caller.Dh + k * columns, v, n);
  return code;
}

int ess_guard_rates(ess_driver *d, double t, const double x[], const double v[], double h[],
                    double rate[]) {
  const ess_system *const s = &d->system;
  d->counters.event_evaluations++;
  d->apply.t_seen = t;
  const int code = s->event_rates
                       ? s->event_rates(t, x, 0.0, v, NULL, s->event_count, h, rate, s->params)
                       : ess_rates_by_jacobian(d, t, x, v, h, rate);
  return code ? ess_callback_failed(d, code) : ESS_SUCCESS;
}

int ess_some_guard_rates(ess_driver *d, double t, const double x[], const double v[],
                         const size_t which[], size_t count, double h[], double rate[]) {
  const ess_system *const s = &d->system;
  bool lists = d->caller.system.event_rates && count < s->event_count;
  for (size_t i = 0; d->watched.count && i < count; i++)
    lists = lists && which[i] < d->watched.first;
  if (lists) {
    d->counters.some_evaluations++;
    d->unlocated.some += (double)count / (double)s->event_count;
    d->apply.t_seen = t;
    return ess_called(d, s->event_rates(t, x, 0.0, v, which, count, h, rate, s->params));
  }
  const int status = ess_guard_rates(d, t, x, v, d->h_try, d->rate_try);
  for (size_t i = 0; !status && i < count; i++) {
    h[i] = d->h_try[which[i]];
    rate[i] = d->rate_try[which[i]];
  }
  return status;
}

int ess_field_jacobian(ess_driver *d, double t, const double x[], double J[]) {
  d->counters.field_jacobian_evaluations++;
  d->apply.t_seen = t;
  const ess_system *const s = &d->system;
  return ess_called(d, s->field_jacobian(ess_field_time(d, t), x, d->sign, J, s->params));
}

/* ---- observers ------------------------------------------------------------------------------- */

int ess_observe_step(ess_driver *d, double t0) {
  const ess_observer *const o = &d->options.observer;
  if (!o->step) return ESS_SUCCESS;
  const ess_step_info info = {.projection = d->piece.kind == ESS_PIECE_PARABOLA,
                              .t0 = d->caller.way * t0,
                              .t1 = d->caller.way * d->t,
                              .x = d->x};
  if (!o->step(&info, o->context)) return ESS_SUCCESS;
  // An apply that has come no further, but for rounding, than where an observer stopped the one
  // before is not stopped again, or none would ever leave that place. Near t = 0, which has no
  // rounding, that is rounding of the step that was cut there.
  const double rounding = 4.0 * DBL_EPSILON * ess_larger(fabs(d->t), d->dt);
  if (d->t - d->apply.stopped <= rounding) return ESS_SUCCESS;
  d->apply.stopped = d->t;
  return ess_fail(d, ESS_ESTOP, SIZE_MAX);
}

bool ess_observe_crossing(ess_driver *d, size_t guard, int direction, double t, const double x[]) {
  const ess_observer *const o = &d->options.observer;
  if (!o->crossing) return false;
  const ess_crossing_info info = {
      .event = guard, .direction = direction, .t = d->caller.way * t, .x = x, .sign = d->sign};
  return o->crossing(&info, o->context) != 0;
}

/* ---- the node -------------------------------------------------------------------------------- */

/* index of the first element that is not finite; count when all are, which is told by four at once:
 * arrays end with zeros */
static size_t first_not_finite(const double v[], size_t count) {
  ess_mask finite = ~(ess_mask){0};
  for (size_t i = 0; i < count; i += ESS_LANES)
    finite &= ess_lanes_abs(ess_lanes_load(v + i)) <= DBL_MAX;
  if (!ess_mask_any(~finite)) return count;
  size_t i = 0;
  while (i < count && isfinite(v[i])) i++;
  return i;
}

int ess_fail_field(ess_driver *d) {
  const size_t k = d->slides ? d->slides->unknown : SIZE_MAX;
  return ess_fail(d, k == SIZE_MAX ? ESS_EFIELD : ESS_EEVENT, k);
}

int ess_evaluate_node(ess_driver *d) {
  const size_t n = d->system.dimension;
  const int status = ess_field(d, d->t, d->x, d->f);
  if (status) return status;
  const size_t size = d->system.event_count * sizeof *d->idle.now;
  if (d->system.idle) memcpy(d->idle.at_node, d->idle.now, size);
  if (first_not_finite(d->f, n) < n) return ess_fail_field(d);
  if (d->tangents) ess_tangent_finish(d, d->f);
  if (d->unlocated.on) memcpy(d->unlocated.node, d->sign, d->system.event_count * sizeof *d->sign);
  if (!d->system.event_count || d->unlocated.on) return ESS_SUCCESS;
  const int looked = ess_guard_rates(d, d->t, d->x, d->f, d->h, d->rate);
  if (looked || !d->impacts) return looked;
  // rates of event functions that impacts have stopped here, and nothing has moved since, are
  // rounding, whose sign says nothing
  ess_impact_work *const w = d->impacts;
  for (size_t k = 0; d->t == w->t_stopped && k < d->system.event_count; k++) {
    if (!(fabs(d->rate[k]) <= ESS_SAME * w->stopped[k])) continue;
    w->left[k] = fabs(d->rate[k]);
    d->rate[k] = 0.0;
  }
  // guards decide what is made next, before a step looks at them
  return ess_check_armed(d, d->h, d->rate);
}

int ess_look_later(ess_driver *d, double later) {
  const double t = ess_smaller(d->t + later, d->apply.t_end);
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x[i] + later * d->f[i];
  const int status = ess_field(d, t, d->x_try, d->stage[1]);
  return status ? status : ess_guard_rates(d, t, d->x_try, d->stage[1], d->h_try, d->rate_end);
}

int ess_check_state(ess_driver *d, const double x[]) {
  return first_not_finite(x, d->lanes) < d->lanes ? ess_fail(d, ESS_EFIELD, SIZE_MAX) : ESS_SUCCESS;
}

int ess_check_events(ess_driver *d) {
  const size_t m = d->system.event_count;
  d->apply.t_seen = d->t;
  const size_t h = first_not_finite(d->h, m), rate = first_not_finite(d->rate, m);
  if (h < m) return ess_fail(d, ESS_EEVENT, h);
  return rate < m ? ess_fail(d, ESS_EEVENT, rate) : ESS_SUCCESS;
}

int ess_check_armed(ess_driver *d, const double h[], const double rate[]) {
  for (size_t k = 0; k < d->system.event_count; k++)
    if (ess_is_armed(d, k) && !(fabs(h[k]) + fabs(rate[k]) <= DBL_MAX))
      return ess_fail(d, ESS_EEVENT, k);
  return ESS_SUCCESS;
}
