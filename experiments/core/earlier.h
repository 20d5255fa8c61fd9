/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ratios of earlier results, beside which new ones are shown: of speed.json, or else of sweep.json.
 */
#ifndef EARLIER_H
#define EARLIER_H

#include <jansson.h>
#include <stddef.h>

#include "statistics.h"

/* The files of folders with commas between, an array: a new reference. NULL with one line. */
json_t *earlier_read(const char *folders, char message[MEASURE_MESSAGE_SIZE]);

/* MuJoCo's time over libess's in the first that has it. NaN where none has, or they are NULL. */
measure_interval earlier_ratio(const json_t *files, const char *type, size_t contacts,
                               double damping, const char *field, const char *protocol);

/* libess's share of MuJoCo's cost of one more contact, likewise. */
double earlier_share(const json_t *files, const char *field);

#endif
