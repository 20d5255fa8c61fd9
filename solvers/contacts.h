/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model's contacts as solvers without event functions have them: one law of force, depths with
 * their gradient, and crossings counted on the samples. */
#ifndef CONTACTS_H
#define CONTACTS_H

#include "solver.h"

typedef struct contact_set {
  const model *m;
  model_mechanics law;
  double *depth, *gradient; /* [contacts], [coordinates*contacts]: room for the solver's own */
  unsigned char *flags;
} contact_set;

/* Of a model with mechanics; of another one there are its contacts, and no law. 0, or
 * SOLVER_FAILED: no room. contacts_free in any case. */
int contacts_alloc(contact_set *c, const model *m);
void contacts_free(contact_set *c);

/* As solver_type's, of an instance that begins with its contacts. Events are how many contacts
 * begin or cease to act from one sample to the next, over all samples; a contact that does both
 * between two samples goes unseen. */
int contacts_inspect(void *instance, const solver_output *output, solver_report *report);

#endif
