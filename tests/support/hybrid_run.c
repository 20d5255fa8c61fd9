/*
 * Runs of hybrid systems: observers, derivatives, stops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hybrid.h"

static void mix(hybrid_log *log, const void *bytes, size_t size) {
  const unsigned char *const p = bytes;
  for (size_t i = 0; i < size; i++) log->hash = (log->hash ^ p[i]) * UINT64_C(1099511628211);
}

static int heard(hybrid_log *log, hybrid_message message, size_t guard, int direction, double t,
                 const double x[], const double sign[]) {
  log->t = t;
  memcpy(log->x, x, log->dimension * sizeof *x);
  log->sign = sign ? memcpy(log->signs, sign, log->events * sizeof *sign) : NULL;
  mix(log, &message, sizeof message);
  mix(log, &guard, sizeof guard);
  mix(log, &t, sizeof t);
  mix(log, x, log->dimension * sizeof *x);
  if (message == HYBRID_STEPS)
    log->steps++;
  else {
    if (log->count < HYBRID_LOG)
      log->record[log->count] = (hybrid_record){message, guard, direction, t};
    log->count++;
  }
  const size_t teller = guard + (message == HYBRID_EVENT ? log->events : 0);
  if (!(log->stops >> message & 1) || (log->at && log->at != teller + 1)) return 0;
  return ++log->heard % (log->every ? log->every : 1) == 0;
}

static int on_step(const ess_step_info *info, void *context) {
  hybrid_log *const log = context;
  if (info->projection && log->projected == 0.0) log->projected = info->t1 - info->t0;
  return heard(context, HYBRID_STEPS, 0, 0, info->t1, info->x, NULL);
}

static int on_crossing(const ess_crossing_info *info, void *context) {
  return heard(context, HYBRID_CROSSING, info->event, info->direction, info->t, info->x,
               info->sign);
}

static int on_impact(const ess_impact *impact, void *context) {
  return heard(context, HYBRID_IMPACTS, impact->events[0], 0, impact->t, impact->after,
               impact->mode);
}

static int on_event(const ess_crossing_info *info, void *context) {
  return heard(context, HYBRID_EVENT, info->event, info->direction, info->t, info->x, info->sign);
}

static int on_slide(const ess_slide_info *info, void *context) {
  return heard(context, HYBRID_SLIDE, info->event, info->begins, info->t, info->x, info->sign);
}

ess_observer hybrid_observer(const hybrid *h, hybrid_log *log) {
  *log = (hybrid_log){.hash = UINT64_C(14695981039346656037), .dimension = h->n, .events = h->m};
  return (ess_observer){.step = on_step,
                        .crossing = on_crossing,
                        .impact = h->has_impacts ? on_impact : NULL,
                        .context = log,
                        .event = h->watched ? on_event : NULL,
                        .slide = on_slide};
}

ess_options hybrid_options(double tolerance) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  return options;
}

hybrid_plan hybrid_at(double tolerance) {
  return (hybrid_plan){.options = hybrid_options(tolerance), .gives = HYBRID_GIVES_ALL};
}

size_t hybrid_columns(const hybrid *h, const hybrid_derivative *derivative) {
  if (derivative->count) return derivative->count;
  return h->n + (derivative->by_states ? 0 : h->parameters);
}

static int begin_derivative(const hybrid *h, ess_driver *d, const hybrid_derivative *v) {
  const bool has_parameters = h->parameters && !v->by_states;
  const double *const by = v->count && has_parameters ? v->along + h->n * v->count : NULL;
  int status = ESS_SUCCESS;
  if (v->records)
    status = ess_driver_record(d, v->bytes ? v->bytes : (size_t)1 << 24);
  else if (has_parameters)
    status = ess_driver_follow_parameters(d, hybrid_columns(h, v), v->along, by);
  else
    status = ess_driver_follow(d, hybrid_columns(h, v), v->along);
  return !status && v->piece ? ess_driver_choose_piece(d, v->piece - 1) : status;
}

/* D from the adjoint of all states, and of the time of event function k, if that is below SIZE_MAX
 */
static int end_recording(const hybrid *h, ess_driver *d, const hybrid_derivative *v, size_t k) {
  const size_t n = h->n, P = h->parameters, outcomes = n + (k != SIZE_MAX);
  const size_t columns = hybrid_columns(h, v);
  double *const unit = calloc(n * outcomes + 1, sizeof *unit), *const times = calloc(outcomes + 1,
                                                                                     sizeof *unit);
  double *const by = calloc((n + P) * outcomes + 1, sizeof *by);
  if (!unit || !times || !by) abort();
  for (size_t i = 0; i < n; i++) unit[i * outcomes + i] = 1.0;
  times[n] = 1.0;
  const int status = k == SIZE_MAX ? ess_driver_adjoint(d, outcomes, unit, by, by + n * outcomes)
                                   : ess_driver_adjoint_section(d, k, outcomes, unit, times, by,
                                                                by + n * outcomes);
  for (size_t i = 0; i < outcomes && !status; i++)
    for (size_t c = 0; c < columns; c++) {
      double sum = v->count ? 0.0 : by[c * outcomes + i];
      for (size_t j = 0; j < (v->by_states ? n : n + P) && v->count; j++)
        sum += by[j * outcomes + i] * v->along[j * columns + c];
      v->D[i * columns + c] = sum;
    }
  free(unit);
  free(times);
  free(by);
  return status;
}

/* takes the derivative of a run that has ended, if it has one */
static int end_derivative(const hybrid *h, ess_driver *d, const hybrid_plan *plan,
                          hybrid_end *end) {
  const hybrid_derivative *const v = &plan->derivative;
  const hybrid_record *const last =
      end->log.count && end->log.count <= HYBRID_LOG ? &end->log.record[end->log.count - 1] : NULL;
  const size_t columns = hybrid_columns(h, v);
  size_t section = SIZE_MAX;
  if (plan->until && end->status == ESS_ESTOP && last && last->message != HYBRID_SLIDE)
    section = last->guard + (last->message == HYBRID_EVENT ? h->m : 0);
  const ess_smoothness *const smooth = ess_driver_smoothness(d);
  if (smooth) end->smooth = *smooth;
  end->smooth.order = NULL;
  if ((end->status && section == SIZE_MAX) || !v->D) return end->status;
  int status = ESS_SUCCESS;
  if (v->records)
    status = end_recording(h, d, v, section);
  else if (section != SIZE_MAX)
    status = ess_driver_section(d, section, v->D + h->n * columns, v->D);
  else
    memcpy(v->D, ess_driver_tangent(d), h->n * columns * sizeof *v->D);
  return status ? status : end->status;
}

hybrid_end hybrid_run(hybrid *h, const hybrid_plan *plan) {
  enum { STOPS = 100000 };
  const ess_system system = hybrid_system(h, plan->gives);
  ess_options options = plan->options;
  if (options.rtol == 0.0 && options.atol == 0.0) options = ess_options_default();
  hybrid_end end = {0};
  const double t0 = hybrid_start(h, end.x), t1 = plan->t1 != 0.0 ? plan->t1 : hybrid_end_time(h);
  end.t = t0;
  if (plan->x0) memcpy(end.x, plan->x0, h->n * sizeof *end.x);
  const ess_observer observer = hybrid_observer(h, &end.log);
  end.log.stops = plan->stops;
  end.log.at = plan->at;
  end.log.every = plan->until ? plan->until : plan->every;
  if (!plan->unobserved) options.observer = observer;
  const unsigned deaf = plan->hears ? ~plan->hears : 0;
  if (deaf >> HYBRID_STEPS & 1) options.observer.step = NULL;
  if (deaf >> HYBRID_CROSSING & 1) options.observer.crossing = NULL;
  if (deaf >> HYBRID_IMPACTS & 1) options.observer.impact = NULL;
  if (deaf >> HYBRID_EVENT & 1) options.observer.event = NULL;
  if (deaf >> HYBRID_SLIDE & 1) options.observer.slide = NULL;
  if (!plan->unobserved && options.projection.epsilon > 0.0) options.observer.slide = NULL;
  if (h->slides && options.sliding && !options.slides) options.slides = h->slides;
  ess_driver *const d = ess_driver_alloc(&system, &options, &end.status);
  if (!d) {
    end.failure.reason = ess_check(&system, &options);
    return end;
  }
  const bool has_derivative = plan->derivative.follows || plan->derivative.records;
  if (has_derivative) end.status = begin_derivative(h, d, &plan->derivative);
  const size_t parts = plan->parts ? plan->parts : 1;
  size_t sampled = 0;
  for (size_t i = 1; !end.status && i <= parts; i++) {
    const double to = i == parts ? t1 : t0 + (t1 - t0) * (double)i / (double)parts;
    do {
      size_t count = 0; /* of the samples up to `to` */
      while (sampled + count < plan->time_count &&
             (t1 >= t0 ? plan->times[sampled + count] <= to : plan->times[sampled + count] >= to))
        count++;
      end.status = count ? ess_driver_sample(d, &end.t, to, end.x, plan->times + sampled, count,
                                             plan->states + sampled * h->n)
                         : ess_driver_apply(d, &end.t, to, end.x);
      while (sampled < plan->time_count &&
             (t1 >= t0 ? plan->times[sampled] <= end.t : plan->times[sampled] >= end.t))
        sampled++;
      const hybrid_log *const log = &end.log;
      if (end.status == ESS_ESTOP)
        end.log.misplaced +=
            end.t != log->t || memcmp(end.x, log->x, h->n * sizeof *end.x) ||
            (log->sign && memcmp(ess_driver_sign(d), log->sign, h->m * sizeof *log->sign));
    } while (end.status == ESS_ESTOP && plan->stops && ++end.log.stopped < STOPS && !plan->until);
  }
  if (plan->back && (!end.status || (end.status == ESS_ESTOP && plan->until))) {
    end.log.stops = 0;
    end.status = ess_driver_apply(d, &end.t, t0, end.x);
  }
  if (h->m) memcpy(end.sign, ess_driver_sign(d), h->m * sizeof *end.sign);
  if (has_derivative) end.status = end_derivative(h, d, plan, &end);
  end.counters = *ess_driver_counters(d);
  end.failure = *ess_driver_failure(d);
  ess_driver_free(d);
  return end;
}

double hybrid_error(const hybrid *h, const double x[], const double truth[], double tolerance) {
  double worst = 0.0;
  for (size_t i = 0; i < h->n; i++)
    worst = fmax(worst, fabs(x[i] - truth[i]) / (tolerance * (1.0 + fabs(truth[i]))));
  return worst;
}
