/*
 * Ratios of earlier results, beside which new ones are shown: of speed.json, or else of sweep.json.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef EARLIER_H
#define EARLIER_H

#include <stddef.h>

#include "bootstrap.h"

typedef struct earlier earlier;

/* Reads folders with commas between. NULL with one line; earlier_free accepts NULL. */
earlier *earlier_read(const char *folders, char message[MEASURE_MESSAGE_SIZE]);
void earlier_free(earlier *e);

/* MuJoCo's time over libess's. NaN where they have none, or there are none. */
measure_interval earlier_ratio(const earlier *e, const char *type, size_t contacts, double damping,
                               const char *field, const char *protocol);

/* libess's share of MuJoCo's cost of one more contact, likewise. */
double earlier_share(const earlier *e, const char *field);

#endif
