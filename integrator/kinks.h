/*
 * Steps through crossings, where the field is affine in the signs (ess_system.weights).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_KINKS_H
#define ESS_KINKS_H

#include "driver_state.h"

/* What is known before the first step of a system with weights; a new trajectory. */
void ess_kinks_prepare(ess_driver *d);
void ess_kinks_reset(ess_driver *d);

/* Whether crossings may be gone through at all; and whether the next step is to: where guards that
 * the tangent reaches are more than a few. */
bool ess_kinks_may(const ess_driver *d);
void ess_kinks_choose(ess_driver *d);

/* The length of the step after one that has gone through crossings, with this error. */
double ess_kinks_next_length(const ess_driver *d, double error);

/* Tries a step of length d->dt as ess_dopri5_try does, with signs that follow the state. Where it
 * crosses none it is that step. d->kinks.is_involved: crossings have to be made one by one. */
int ess_kinks_try(ess_driver *d, double *error);

/* The model is told of the latched mode again: the step is not made. */
int ess_kinks_give_up(ess_driver *d);

/* After a rejection: the length of the next try, or crossings are to be made one by one. */
int ess_kinks_reject(ess_driver *d, double error);

/* It is tried again in the frozen mode: what it crosses has to be made one by one. */
int ess_kinks_leave(ess_driver *d);

/* One has been made; a crossing has been located where such a step might have been made. */
void ess_kinks_accepted(ess_driver *d);
void ess_kinks_located(ess_driver *d);

/* Whether the step just tried, and watched, crosses what its stages saw and nothing else. */
bool ess_kinks_fits(ess_driver *d);

/* Its end is the node. */
int ess_kinks_take(ess_driver *d, double t1, bool last);

#endif
