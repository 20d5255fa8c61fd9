/* SPDX-License-Identifier: GPL-3.0-or-later */
/* That MuJoCo and libess have the same mechanical system, without which no race says anything. */
#ifndef SAME_SYSTEM_H
#define SAME_SYSTEM_H

#include "bridge.h"

/* States at which a study compares the two fields. */
enum { SAME_SYSTEM_STATES = 2000 };

/* Their gap with these settings, at states drawn by `seed`. 0; or with one line SOLVER_REFUSED
 * where MuJoCo does not do the model, SOLVER_FAILED where the gap is larger than BRIDGE_GAP_MAX, or
 * MuJoCo complains. */
int same_system(const model *m, const solver_settings *settings, unsigned long seed,
                bridge_gap *gap, char message[SOLVER_MESSAGE_SIZE]);

#endif
