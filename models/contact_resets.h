/*
 * The guard reset matrix of damped compliant contacts, with event functions p_0 .. p_{N-1} (depth),
 * then F_0 .. F_{N-1} (force, in any unit). A contact is free, pressed, or released but still deep:
 *
 *   free      -- touch-down (p up) -->      pressed
 *   pressed   -- release (F down) -->       released
 *   released  -- re-loading (F up) -->      pressed
 *   released  -- separation (p down) -->    free
 *
 * and in each only the guards that lead out of it are armed. A contact touches down with F > 0
 * always (p = 0, dp/dt > 0) and separates with F < 0 always, so the force's sign change before a
 * touch-down is no crossing at all, and the separation changes no field: it arms only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_CONTACT_RESETS_H
#define MODEL_CONTACT_RESETS_H

#include "ess.h"

/* The matrix, and the kinds of guards. 0, or -1 when out of memory. Release what a failed call has
 * made, too. */
int contact_resets_prepare(ess_reset_matrix *out, ess_guard_kind **kinds, size_t contacts);
void contact_resets_release(ess_reset_matrix *resets, ess_guard_kind *kinds);

/* Which guards lead out of the state that each contact starts in, for the model's start. */
void contact_resets_start(size_t contacts, const double sign[], bool armed[]);

#endif
