/*
 * The table of protocols, and the two that need no search.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "protocol.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static int enter_paper(const protocol_request *request, protocol_entries *entries,
                       char message[SOLVER_MESSAGE_SIZE]) {
  return enter_all(request, "paper", request->m->type->time_step, entries, message);
}

static int enter_free(const protocol_request *request, protocol_entries *entries,
                      char message[SOLVER_MESSAGE_SIZE]) {
  return enter_all(request, "free", INFINITY, entries, message);
}

static const protocol_type paper_protocol = {.name = "paper", .enter = enter_paper};
static const protocol_type free_protocol = {.name = "free", .enter = enter_free};

const protocol_type *const protocol_types[] = {
    &paper_protocol,
    &free_protocol,
    &equal_error_protocol,
    NULL,
};

const protocol_type *protocol_find(const char *name) {
  for (size_t i = 0; protocol_types[i]; i++)
    if (strcmp(protocol_types[i]->name, name) == 0) return protocol_types[i];
  return NULL;
}
