/*
 * Impacts, crossings at which the state jumps (ess_impacts): what the driver keeps for them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_IMPACT_STATE_H
#define ESS_IMPACT_STATE_H

#include "armed.h"
#include "driver_state.h"

/* Ratios of a quantity to the one before it, as many in a row as agree and are below one. */
typedef struct ess_shrinking {
  double last, ratio; /* of which the ratio is to the one before */
  double fall;        /* product of those that agree */
  unsigned agreeing;
} ess_shrinking;

/* What is remembered of a guard whose crossings are impacts, for those that accumulate (zeno.c). */
typedef struct ess_returning {
  double t;            /* of the last one */
  ess_shrinking way;   /* time since the one before */
  ess_shrinking speed; /* at which the guard was reached */
  uint64_t in_a_row;   /* ways that were shorter than the one before */
  double end, height;  /* of a series: when it ends, how far the state last went from the guard */
  bool is_lost;        /* that is no more than what errors make of it */
  bool has_stopped;    /* the last one has taken all of the speed */
  unsigned stops;      /* such in a row, between which the state has not left the guard */
} ess_returning;

/* Owned by the driver of a system with impacts; NULL in any other. */
typedef struct ess_impact_work {
  ess_impacts calls;           /* the caller's functions */
  bool *at;                    /* by guard */
  size_t *events, count;       /* of the last impact */
  double *x, *sign, *side, *h; /* before the impact */
  double *met;                 /* by event function: its rate before the impact */
  double *after, *mode;
  double *doubt; /* by event function: what is not told from its zero after the impact */
  bool *armed, *carried;
  bool *rests; /* by event function: at the start, on the guard of an impact (resting.c) */

  ess_returning *returning; /* by guard */
  void *memory;
  size_t bytes;
} ess_impact_work;

/* Whether crossing event function k's armed guard is an impact. */
static inline bool ess_is_impact(const ess_driver *d, size_t k) {
  return d->impacts && ess_is_armed(d, k) && d->impacts->at[ess_guard_ahead(d, k)];
}

#endif
