/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "contacts.h"

#include <stdlib.h>
#include <string.h>

int contacts_alloc(contact_set *c, const model *m) {
  *c = (contact_set){.m = m, .law = {.contacts = model_contacts(m)}};
  if (m->type->mechanics) m->type->mechanics(m, &c->law);
  c->depth = calloc(c->law.contacts * (1 + c->law.coordinates), sizeof *c->depth);
  c->flags = malloc(2 * c->law.contacts);
  c->gradient = c->depth ? c->depth + c->law.contacts : NULL;
  return c->depth && c->flags ? 0 : SOLVER_FAILED;
}

void contacts_free(contact_set *c) {
  free(c->depth);
  free(c->flags);
}

int contacts_inspect(void *instance, const solver_output *output, solver_report *report) {
  const contact_set *const c = instance;
  const size_t count = c->law.contacts, n = c->m->system.dimension;
  unsigned char *const now = c->flags, *const before = now + count;
  report->events = 0;
  for (size_t i = 0; i < output->count; i++) {
    c->m->type->active_contacts(c->m, output->states + i * n, now);
    for (size_t k = 0; k < count && i > 0; k++) report->events += now[k] != before[k];
    memcpy(before, now, count);
  }
  return 0;
}
