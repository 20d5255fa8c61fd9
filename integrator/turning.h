/*
 * How fast event functions turn, as far as it has been seen: no step is so long that one could turn
 * on its way unseen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TURNING_H
#define ESS_TURNING_H

#include "ess.h"

typedef struct ess_turning {
  double share;   /* of its range, the largest that a model of the step just tried may be off by */
  double length;  /* of the last step that was believed; 0: there was none */
  double first;   /* the first that was tried, while there is none */
  double longest; /* that the next step may be */
  int tries;      /* in a row of which none was */
  bool is_seen;   /* event functions have turned: their paces are known */
  double *pace;   /* by event function: its rate, in the last step */
} ess_turning;

/* Nothing is known of the event functions where the driver is now. */
void ess_forget_turning(ess_driver *d);

/* Where a step begins: event functions that change faster than they did turn sooner. */
void ess_watch_paces(ess_driver *d);

/* Of the step just tried, whose guards have been flagged without doubt: whether it is too long for
 * the way in which event functions turn. The next is bounded by what this one has shown. */
bool ess_turns_too_far(ess_driver *d);

#endif
