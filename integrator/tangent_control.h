/*
 * How exact steps are before a crossing of a stiff field, for directions' sake.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TANGENT_CONTROL_H
#define ESS_TANGENT_CONTROL_H

#include "ess.h"

/* By how many times less the step of dopri5 just tried has to err than this error, which is in
 * units of what is allowed; 1 where that is enough. */
int ess_tangent_severity(ess_driver *d, double error, double *severity);

/* Before a stabilised step is tried: dopri5 is to make it where a crossing is near. */
int ess_tangent_leave(ess_driver *d);

/* The stabilised step just tried makes its first crossing after this time: *again where dopri5 is
 * to go there. */
int ess_tangent_approach(ess_driver *d, double time, bool *again);

#endif
