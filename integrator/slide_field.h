/*
 * The field on surfaces.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDE_FIELD_H
#define ESS_SLIDE_FIELD_H

#include "slide_state.h"

/* Calls the field on either side of these surfaces, at time t and state x. */
int ess_slide_look(ess_driver *d, double t, const double x[], const size_t set[], size_t count);

/* Whether jumps add up there, by one call more. */
int ess_slide_look_adds(ess_driver *d, double t, const double x[], const size_t set[],
                        size_t count);

/* What the field changes by along a surface's jump: it moves the event function of one of second
 * order, where the jump moves its rate. */
int ess_slide_aside(ess_driver *d, const double jump[], double aside[]);

/* The field with the state on the surfaces that it slides on: what holds it there is in
 * d->slides->lambda. */
int ess_slide_field(ess_driver *d, double t, const double x[], double f[]);

/* Which of the surfaces just looked at hold the state, and which it leaves, and where to: into
 * d->slides->lambda and part. `worst` are two where many answers are right. */
ess_solutions ess_slide_solve(ess_driver *d, size_t count, size_t worst[2]);

#endif
