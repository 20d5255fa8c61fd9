/*
 * What is wrong with derivatives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CHECK_H
#define ESS_CHECK_H

#include "ess.h"

/* ess_check_jacobian of the event functions alone. */
int ess_check_events(const ess_system *system, double t, const double x[],
                     ess_jacobian_check *worst);

#endif
