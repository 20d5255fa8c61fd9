/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flow's derivative, by libess. */
#include "flow.h"

#include <math.h>
#include <string.h>

#include "ess_tangents.h"
#include "measure.h"

const char *flow_kind_name(flow_kind kind) {
  static const char *const names[] = {"C1", "piecewise", "not counted", "discontinuous"};
  return names[kind];
}

static void take_smoothness(const ess_driver *driver, flow *out) {
  const ess_smoothness *const s = ess_driver_smoothness(driver);
  static const flow_kind kinds[] = {[ESS_SMOOTH_C1] = FLOW_C1,
                                    [ESS_SMOOTH_PIECEWISE] = FLOW_PIECEWISE,
                                    [ESS_SMOOTH_NOT_COUNTED] = FLOW_NOT_COUNTED};
  out->kind = kinds[s->kind];
  out->instants = s->instants;
  out->pieces = s->pieces;
  out->tied = s->count < FLOW_EVENTS_MAX ? s->count : FLOW_EVENTS_MAX;
  out->tie_time = s->count ? s->time : NAN;
  if (out->tied) memcpy(out->order, s->order, out->tied * sizeof *out->order);
}

/* the two events that cannot be ordered, where a failure tells of them */
static void take_discontinuity(const ess_failure *failure, flow *out, size_t tangents) {
  out->kind = FLOW_DISCONTINUOUS;
  out->pieces = out->tied = 0;
  out->tie_time = failure->time;
  if (failure->event != SIZE_MAX) out->order[out->tied++] = failure->event;
  if (failure->other_event != SIZE_MAX) out->order[out->tied++] = failure->other_event;
  for (size_t i = 0; i < tangents; i++) out->tangent[i] = NAN;
}

static int end(const ess_crossing_info *info, void *context) {
  (void)context;
  return info->event == 0;
}

int flow_outcome(const model *m, int status) {
  if (!flow_ends(m)) return status;
  // one that has not met its event has no outcome
  return status == ESS_ESTOP ? ESS_SUCCESS : status == ESS_SUCCESS ? ESS_ESTOP : status;
}

int flow_explain(const model *m, int status, const ess_driver *driver,
                 char message[SOLVER_MESSAGE_SIZE]) {
  const ess_failure *const failure = ess_driver_failure(driver);
  if (flow_ends(m) && status == ESS_ESTOP)
    return SOLVER_FAIL(message, "%s does not end by %s = %.9g; --duration is how far it may go",
                       m->type->name, m->type->end_name, model_get(m, "duration"));
  const char *const own =
      status == ESS_ECALLBACK && m->type->reason ? m->type->reason(failure->callback_code) : NULL;
  return SOLVER_FAIL(message, "libess: %s at t = %.9g%s%s", own ? own : ess_strerror(status),
                     failure->time, failure->reason ? ": " : "",
                     failure->reason ? failure->reason : "");
}

ess_driver *flow_driver(const model *m, const ess_options *options, int *status,
                        char message[SOLVER_MESSAGE_SIZE]) {
  ess_options ending = *options;
  if (flow_ends(m)) ending.observer = (ess_observer){.crossing = end};
  const char *const wrong = ess_check(&m->system, &ending);
  ess_driver *const driver = wrong ? NULL : ess_driver_alloc(&m->system, &ending, status);
  if (!driver) measure_message(message, "libess: %s", wrong ? wrong : ess_strerror(*status));
  *status = driver ? 0 : wrong ? SOLVER_REFUSED : SOLVER_FAILED;
  return driver;
}

int flow_follow(const flow_request *request, flow *out, char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = request->m->system.dimension, count = request->directions ? request->count : n;
  int status, result = 0;
  ess_driver *const driver = flow_driver(request->m, request->options, &status, message);
  if (!driver) return status;
  *out = (flow){.state = out->state, .tangent = out->tangent};
  memcpy(out->state, request->x0, n * sizeof *out->state);
  status = ess_driver_follow(driver, count, request->directions);
  if (!status) status = ess_driver_choose_piece(driver, request->piece);
  if (!status) status = ess_driver_apply(driver, &out->t, request->t1, out->state);
  status = flow_outcome(request->m, status);
  if (!status && flow_ends(request->m)) status = ess_driver_section(driver, 0, NULL, out->tangent);
  out->counters = *ess_driver_counters(driver);
  if (status == ESS_EDISCONTINUOUS) {
    take_discontinuity(ess_driver_failure(driver), out, n * count);
  } else if (status) {
    result = flow_explain(request->m, status, driver, message);
  } else {
    take_smoothness(driver, out);
    if (!flow_ends(request->m))
      memcpy(out->tangent, ess_driver_tangent(driver), n * count * sizeof *out->tangent);
  }
  ess_driver_free(driver);
  return result;
}

int flow_end(const model *m, const ess_options *options, const double x0[], double t1, double x[],
             char message[SOLVER_MESSAGE_SIZE]) {
  int status;
  double t = 0.0;
  ess_driver *const driver = flow_driver(m, options, &status, message);
  if (!driver) return status;
  memcpy(x, x0, m->system.dimension * sizeof *x);
  status = flow_outcome(m, ess_driver_apply(driver, &t, t1, x));
  if (status) status = flow_explain(m, status, driver, message);
  ess_driver_free(driver);
  return status;
}
