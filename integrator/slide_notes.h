/*
 * What happens to surfaces while the state slides, or may begin to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDE_NOTES_H
#define ESS_SLIDE_NOTES_H

#include "slide_state.h"

/* Event function k is crossed where the state is. */
void ess_slide_note(ess_driver *d, size_t k);

/* Event function k is crossed back and forth without end: whether that is looked at once the node
 * is settled, and told of only where it does not slide. Directions are not carried into such
 * slides. */
bool ess_is_left_to_slides(ess_driver *d, size_t k);
int ess_fail_sliding(ess_driver *d, size_t k);

/* A row, or an impact, arms or disarms one of event function k's guards, or the state is off it:
 * what slides ends. */
void ess_slide_release(ess_driver *d, size_t k);

/* Whether event function k is listed. */
static inline bool ess_slide_is_listed(const size_t list[], size_t count, size_t k) {
  size_t i = 0;
  while (i < count && list[i] != k) i++;
  return i < count;
}

/* To look at surfaces leaves them at -1: their signs are again as noted in d->slides->sign. */
int ess_slide_restore_signs(ess_driver *d);

/* A new node: lambda there, which what is seen on the way from it is held against. */
void ess_slide_begin_node(ess_driver *d, const double lambda[]);

/* What has no answer: ESS_ESLIDING, with the event functions that show it; or with the two of those
 * listed, where many answers are right. */
#define ESS_NOT_UNIQUE "where the state goes from there is not unique"
int ess_slide_fail(ess_driver *d, size_t guard, size_t other, const char *reason);
int ess_slide_fail_pair(ess_driver *d, const size_t list[], const size_t worst[2]);

#endif
