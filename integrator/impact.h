/*
 * Impacts, crossings at which the state jumps (ess_impacts): what the driver keeps for them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_IMPACT_H
#define ESS_IMPACT_H

#include "ess_internal.h"

enum { ESS_WAYS = 4 }; /* times between impacts that are remembered */

/* Owned by the driver of a system with impacts; NULL in any other. */
typedef struct ess_impact_work {
  ess_impacts calls; /* the caller's functions */
  bool *at;          /* by guard */
  size_t *events;
  double *x, *sign, *side; /* before the impact */
  double *after, *mode;
  bool *armed;

  /* the last impact, and how long after the one before each of the last came, the last one first;
   * how many in a row came sooner than the one before, by the last two together */
  double last, way[ESS_WAYS];
  uint64_t shrinking;
  void *memory;
} ess_impact_work;

/* Allocates and frees what the driver keeps; false when there is no memory. */
bool ess_impacts_alloc(ess_driver *d);
void ess_impacts_free(ess_driver *d);

/* No impact has been made yet. */
void ess_impacts_forget(ess_driver *d);

/* The mode to start with, by the caller's `start`: the signs are latched, the guards armed. */
int ess_impacts_start(ess_driver *d);

/* Whether crossing event function k's armed guard is an impact. */
static inline bool ess_is_impact(const ess_driver *d, size_t k) {
  return d->impacts && ess_is_armed(d, k) && d->impacts->at[ess_guard_ahead(d, k)];
}

/* Makes the impact of all events at the node, k among them, which has been passed for so long: the
 * state goes back to its guard, and on after the impact. The node is evaluated, and evaluated anew
 * by the caller. */
int ess_make_impact(ess_driver *d, size_t k, double late);

/* instant.c */

/* Events closer in time than this are of one instant, at the node, which is evaluated. */
double ess_tie(const ess_driver *d);

/* An impact at this instant, when event function k is being crossed at the node, which is
 * evaluated: k itself, or another; SIZE_MAX when there is none. */
size_t ess_due_impact(const ess_driver *d, size_t k);

/* Lists the events of the instant at which event function k is crossed, silent ones apart, and
 * returns how many there are. */
size_t ess_gather_events(const ess_driver *d, size_t k, size_t events[]);

/* The armed guards of the mode as it is, by guard; and the mode becomes this, of which only guards
 * that lie ahead can be armed. The model is not told. */
void ess_list_armed(const ess_driver *d, bool armed[]);
void ess_set_mode(ess_driver *d, const double mode[], const bool armed[]);

/* Fails when so many crossings have been made that time should have passed. */
int ess_watch_progress(ess_driver *d, size_t guard);

/* graze.c: fails where event function k's guard, an impact, is reached along it: by how its rate
 * changes in the rest of the step that was cut here, the state turns back at once; where one is all
 * but reached within the step just tried, which is to be taken whole. */
int ess_refuse_grazing(ess_driver *d, size_t k);
int ess_refuse_touch(ess_driver *d);

/* zeno.c: notes an impact at the node's time; ESS_EZENO when impacts accumulate before the end. */
int ess_watch_zeno(ess_driver *d);

#endif
