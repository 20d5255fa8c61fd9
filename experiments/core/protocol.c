/*
 * Entries, and the protocols that need no search.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "protocol.h"

#include <math.h>
#include <stdio.h>

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

/* every solver with the request's settings and this longest integration step */
static int enter_all(const protocol_request *request, const char *name, double h_max,
                     protocol_entries *entries, char *message) {
  protocol_entry entry = {.settings = request->settings, .target = NAN, .tuned_rms = NAN};
  entry.settings.h_max = h_max;
  if (entry.settings.time_step == 0.0) entry.settings.time_step = request->m->type->time_step;
  snprintf(entry.protocol, sizeof entry.protocol, "%s", name);
  int status = 0;
  for (size_t i = 0; !status && i < request->solver_count; i++) {
    entry.solver = request->solvers[i];
    status = protocol_append(entries, &entry, message);
  }
  return status;
}

int protocol_paper(const protocol_request *request, protocol_entries *entries,
                   char message[SOLVER_MESSAGE_SIZE]) {
  return enter_all(request, "paper", request->m->type->time_step, entries, message);
}

int protocol_free(const protocol_request *request, protocol_entries *entries,
                  char message[SOLVER_MESSAGE_SIZE]) {
  return enter_all(request, "free", INFINITY, entries, message);
}
