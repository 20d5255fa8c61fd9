/*
 * The caller's samples.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SAMPLE_H
#define ESS_SAMPLE_H

#include "ess.h"

/* Writes those up to time t_end on the last step; the rest, with the node
 * itself. */
void ess_sample_piece(ess_driver *d, double t_end);
void ess_sample_rest(ess_driver *d);

#endif
