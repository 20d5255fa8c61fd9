/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of contact numbers: "2..100", "2..100..7" (in steps of 7), "2,5,10", and mixtures. */
#ifndef CONTACTS_RANGE_H
#define CONTACTS_RANGE_H

#include <stddef.h>

#include "measure.h"

enum { CONTACTS_RANGE_MAX = 100000 };

typedef struct contacts_range {
  size_t count;
  size_t *contacts; /* ascending, each once; owned */
} contacts_range;

/* Parses `text`. 0, or -1 with one line that names the part that was wrong and what is accepted.
 * Free with contacts_range_free. */
int contacts_range_parse(const char *text, contacts_range *range,
                         char message[MEASURE_MESSAGE_SIZE]);

void contacts_range_free(contacts_range *range);

#endif
