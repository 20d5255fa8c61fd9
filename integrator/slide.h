/*
 * Motion along surfaces that the field points back to from either side (docs/theory/sliding.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDE_H
#define ESS_SLIDE_H

#include "slide_state.h"

struct ess_location;

/* One line about what may not slide, or not so; NULL when nothing is wrong. */
const char *ess_slide_check(const ess_system *system, const ess_options *options);

/* Room for slides where they are asked for; false when there is none. */
bool ess_slides_alloc(ess_driver *d, const ess_system *system, const ess_options *options);
void ess_slides_free(ess_driver *d);

/* Another trajectory begins: none slides. An apply does, from another state than the last ended at
 * where `moved`. */
void ess_slides_forget(ess_driver *d);
int ess_slides_begin(ess_driver *d, bool is_new, bool moved);

/* A run that turns around while the state slides: why there is none. */
int ess_slide_refuse_turn(ess_driver *d);

/* Whether a lambda comes to its bound within the step just tried, before it is cut: it is cut there
 * then. *again where it is to be tried anew, shorter. */
int ess_slide_watch(ess_driver *d, struct ess_location *found, bool *again);

/* Whether a lambda is beyond its bound where it has been looked at last. */
bool ess_slide_is_beyond(const ess_driver *d);

/* What slides from the node on: called where something may have been crossed. */
int ess_slide_settle(ess_driver *d);

#endif
