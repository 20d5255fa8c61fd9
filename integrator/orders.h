/*
 * Directions through several events at one instant.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ORDERS_H
#define ESS_ORDERS_H

#include "ess.h"
#include "tangent_state.h"

/* Several events, those listed, at the state `at` and in the mode as it is, which lead to
 * this state: directions are those after all of them. */
int ess_tangent_meeting(ess_driver *d, size_t count, const double outcome[]);

/* ---- passage ------------------------------------------------------------------------------ */

/* The first passage begins at the state `at`, in this mode; the driver's mode is that again. */
int ess_passage_begin(ess_driver *d, const double sign[], const double side[]);
int ess_passage_restore(ess_driver *d);

/* The driver's mode is that of a passage, and the model told of it. */
int ess_passage_take(ess_driver *d, const ess_passage *p);

/* Its columns, and how parameters move along them, or NULL; then what the field and the events'
 * rates are there, in the driver's mode. */
void ess_passage_columns(ess_driver *d, ess_passage *p, const double columns[],
                         const double moves[], size_t count);
int ess_passage_look(ess_driver *d, ess_passage *p, size_t count, size_t columns);

/* Whether the i-th event is still ahead, and approached. */
bool ess_passage_meets(const ess_driver *d, const ess_passage *p, size_t i);

/* Each column goes to the i-th event, and all cross it. */
int ess_passage_cross(ess_driver *d, const ess_passage *from, ess_passage *to, size_t i,
                      size_t count, size_t columns);

/* Columns where the trajectory that is followed is at that moment. */
void ess_passage_end(const ess_driver *d, const ess_passage *p, size_t columns, double to[]);

/* ---- additive ----------------------------------------------------------------------------- */

/* Whether the jumps of many events add up, and turn the rate of none: then their order
 * does not matter, and directions gain what each adds. */
int ess_tangent_additive(ess_driver *d, size_t count, bool *adds);

#endif
