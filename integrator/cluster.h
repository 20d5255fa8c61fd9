/*
 * Crossings in quick succession.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CLUSTER_H
#define ESS_CLUSTER_H

#include "ess.h"

/* Whether the crossings listed along the step just tried are cheaper made in sub-steps than located
 * one by one, by an estimate of what each takes. */
bool ess_is_cluster(ess_driver *d);

/* Makes them so, until the step ends or no crossing is near; *made is false when the first sub-step
 * has come to nothing. */
int ess_make_cluster(ess_driver *d, double t1, bool last, bool *made);

#endif
