/*
 * The entries of a protocol.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "protocol.h"

int protocol_append(protocol_entries *entries, const protocol_entry *entry,
                    char message[SOLVER_MESSAGE_SIZE]) {
  if (entries->count == PROTOCOL_ENTRIES_MAX) {
    snprintf(message, SOLVER_MESSAGE_SIZE, "more than %d solvers and protocols at once",
             PROTOCOL_ENTRIES_MAX);
    return -1;
  }
  entries->entry[entries->count++] = *entry;
  return 0;
}
