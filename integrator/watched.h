/*
 * Functions that are only watched: event functions after the caller's, whose crossing changes
 * nothing. So they are found as surely as those, and in the same order of time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_WATCHED_H
#define ESS_WATCHED_H

#include "ess.h"

typedef struct ess_watched {
  size_t first, count; /* event functions from `first` on are these */
  ess_system system;   /* as the caller gave it; resets and impacts NULL: copied */
  ess_impacts callers;
  int (*start)(const double sign[], bool armed[], void *params);
  ess_reset_matrix resets; /* of the system that is made of it, until they are copied */
  ess_impacts impacts;
  ess_observer observer;
  int *direction;        /* [count] */
  int *jumped;           /* [count]: which way the last impact has taken it past zero, or 0 */
  double jump_t;         /* when that was */
  uint64_t *stop, *left; /* [count]: events that end a run, and how many are left of them */
  size_t *events;        /* [first]: those of an impact that the caller knows of */
  double *v, *x, *h, *h_before, *rate, *rounding; /* scratch */
  void *memory;
  size_t bytes;
} ess_watched;

/* One line about what is wrong with what is watched; NULL when nothing is. */
const char *ess_watched_check(const ess_system *system, const ess_options *options);

/* The caller's system with what it watches as event functions, or itself where it watches nothing;
 * false when there is no memory. */
bool ess_watched_join(ess_driver *d, const ess_system *system, ess_system *joined);

void ess_watched_free(ess_driver *d);

/* Counts of events begin anew. */
void ess_watched_reset(ess_driver *d);

/* The observer that is told of all event functions, for the caller's, which is told of its own. */
ess_observer ess_watched_observer(ess_driver *d, const ess_observer *observer);

#endif
