/*
 * Returns to one event function without end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CHATTER_H
#define ESS_CHATTER_H

#include "driver_state.h"

/* Looks for returns to this event function from now on. */
void ess_watch_returns_of(ess_driver *d, size_t guard);

/* Called when there have been so many, at the node: ESS_ESLIDING where they stay within the
 * tolerance and there is no end of them. */
enum { ESS_RETURNS = 1000 };
int ess_refuse_chatter(ess_driver *d);

static inline int ess_watch_returns(ess_driver *d) {
  return d->returns.count < ESS_RETURNS ? ESS_SUCCESS : ess_refuse_chatter(d);
}

/* A crossing that is not silent has been made. Others may come between two returns: contacts that
 * bounce side by side do so by turns, some of them several times. */
enum { ESS_OTHERS = 16 };
static inline void ess_note_return(ess_driver *d, size_t guard) {
  ess_returns *const r = &d->returns;
  if (guard != r->guard) {
    if (++r->others > ESS_OTHERS * d->system.guard_count) ess_watch_returns_of(d, guard);
    return;
  }
  r->count++;
  r->others = 0;
}

#endif
