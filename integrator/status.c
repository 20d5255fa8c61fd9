/*
 * Statuses and their messages; where and why a driver failed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

static const char *const messages[ESS_STATUS_COUNT] = {
    [ESS_SUCCESS] = "success",
    [ESS_EINVAL] = "an argument or option is outside its accepted range",
    [ESS_ENOMEM] = "out of memory",
    [ESS_ECALLBACK] = "a callback failed",
    [ESS_EFIELD] = "the field is not finite",
    [ESS_EGUARD] = "an event function or its rate is not finite",
    [ESS_EUNDERFLOW] = "the step size fell below the resolution of time",
    [ESS_ELIVENESS] = "liveness is violated: a guard's rate is too small inside its neighbourhood",
    [ESS_ECHATTER] = "no progress: guards throw the state back at each other",
    [ESS_EMAXSTEPS] = "the limit on integration steps was reached",
    [ESS_EMAXCROSSINGS] = "the limit on crossings was reached",
    [ESS_ESTOP] = "stopped by an observer or a watched event",
    [ESS_ESLIDING] = "sliding: the field points back to a guard from either side of it",
    [ESS_ETOLERANCE] = "the tolerance is below the rounding of a state",
    [ESS_EJACOBIAN] = "an event function does not change as its Jacobian predicts",
    [ESS_EIMPACT] = "an impact's map returned a state or a mode that is not accepted",
    [ESS_EZENO] = "impacts accumulate: infinitely many in a finite time",
    [ESS_EGRAZING] = "grazing: a guard is reached along it, at no rate",
    [ESS_EDISCONTINUOUS] = "the flow is discontinuous: the order of simultaneous events decides",
    [ESS_EWEIGHTS] = "the field is not affine in the signs, though weights are declared",
};

const char *ess_strerror(int status) {
  if (status < 0 || status >= ESS_STATUS_COUNT) return "unknown status";
  return messages[status];
}

int ess_fail(ess_driver *d, ess_status status, size_t guard) {
  // a callback fails where it is called; all else where the run has got to
  const bool called = status == ESS_ECALLBACK || status == ESS_EFIELD || status == ESS_EGUARD;
  d->failure.status = status;
  d->failure.time = ess_caller_time(d, called ? ess_smaller(d->t_seen, d->t_end) : d->t);
  d->failure.guard = guard;
  d->failure.other_guard = status == ESS_ECHATTER ? d->last_guard : SIZE_MAX;
  d->failure.reason = NULL;
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
  d->failure =
      (ess_failure){.time = ess_caller_time(d, d->t), .guard = SIZE_MAX, .other_guard = SIZE_MAX};
}

/* ---- version --------------------------------------------------------------------------------- */

/* The version of the library that a program runs with, which need not be the header's. */

const char *ess_version(void) {
  return ESS_VERSION;
}
