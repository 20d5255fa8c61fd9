/*
 * The paper's projection method.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_PROJECTION_H
#define ESS_PROJECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "ess.h"

struct ess_layout;

typedef struct ess_projection {
  double *epsilon; /* by event function: half-width of its neighbourhood; else INFINITY */
  /* the event function that the field at the node reaches first, if it is outside its neighbourhood
   * while others are inside theirs; else SIZE_MAX */
  size_t awaited;
} ess_projection;

/* Whether these options ask for the method. */
static inline bool ess_projects(const ess_options *o) {
  return o->projection.epsilon > 0.0;
}

/* One line about an error in the method's options; NULL if there is none. */
const char *ess_projection_check(const ess_system *system, const ess_options *options);

/* Lays out its arrays; and takes the driver's new options, of which arrays are still the caller's.
 */
void ess_projection_lay(ess_driver *d, struct ess_layout *l);
void ess_projection_take(ess_driver *d);

extern const struct ess_scheme ess_scheme_projection;

#endif
