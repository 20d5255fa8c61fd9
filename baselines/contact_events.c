/*
 * Contacts that begin or cease to act between samples.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_events.h"

#include <string.h>

uint64_t contact_events_count(const model *m, const solver_output *output,
                              unsigned char scratch[]) {
  const size_t contacts = m->type->contact_count(m), n = m->system.dimension;
  unsigned char *const now = scratch, *const before = scratch + contacts;
  uint64_t events = 0;
  for (size_t i = 0; i < output->count; i++) {
    m->type->active_contacts(m, output->states + i * n, now);
    for (size_t k = 0; k < contacts && i > 0; k++) events += now[k] != before[k];
    memcpy(before, now, contacts);
  }
  return events;
}
