/*
 * What crossings and impacts do to directions, written down (tape.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_NOTE_H
#define ESS_NOTE_H

#include "ess.h"

/* The share of event function k's crossing at v->at, whose rate is this. */
int ess_tape_share(ess_driver *d, size_t k, double rate, double t);

/* What an impact's map does. */
int ess_tape_map(ess_driver *d, const ess_impact *impact);

#endif
