/*
 * What the driver keeps of functions that are only watched (watched.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_WATCHED_STATE_H
#define ESS_WATCHED_STATE_H

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
  double *v, *h, *h_before, *rate; /* scratch */
  void *memory;
  size_t bytes;
} ess_watched;

#endif
