/*
 * Why a run has stopped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_STATUS_H
#define ESS_STATUS_H

#include "ess.h"

/* Records why the run stopped and returns `status`; why a call was refused, as of time t,
 * and returns ESS_EINVAL; forgets both. */
int ess_fail(ess_driver *d, ess_status status, size_t guard);
int ess_refuse(ess_driver *d, double t, const char *reason);
void ess_no_failure(ess_driver *d);

#endif
