/*
 * Impacts, crossings at which the state jumps (ess_impacts): what the driver keeps for them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_IMPACT_STATE_H
#define ESS_IMPACT_STATE_H

#include <math.h>

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
  ess_shrinking pace;  /* that time again, whatever becomes of the speed */
  uint64_t in_a_row;   /* ways that were shorter than the one before */
  double end, height;  /* of a series: when it ends, how far the state last went from the guard */
  bool is_lost;        /* that is no more than what errors make of it */
  bool ends;           /* so it does by the last one, as far as it is told */
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
  double *stopped;  /* by event function: the rate that impacts at t_stopped have taken from it; 0:
                       they have not stopped it */
  double *left;     /* what those rates were after it, as last called: rounding */
  double t_stopped; /* of these */
  double *after, *mode;
  double *doubt; /* by event function: what is not told from its zero after the impact */
  bool *armed, *carried;
  bool
      *pending; /* by event function: an earlier map of the instant has carried the state past it */
  bool *rests;  /* by event function: at the start, on the guard of an impact (resting.c) */

  ess_returning *returning; /* by guard */
  void *memory;
  size_t bytes;
} ess_impact_work;

/* a rate after an impact is rounding, or that of a difference, when it is this part of the one
 * before it */
static const double ESS_STOPPED = 1e-6;

/* The node's rates: of what impacts have stopped here, and nothing has moved since, they are
 * rounding, whose sign says nothing. */
static inline void ess_hold_stopped(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  if (d->t != w->t_stopped) return;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    if (!(fabs(d->rate[k]) <= ESS_STOPPED * w->stopped[k])) continue;
    w->left[k] = fabs(d->rate[k]);
    d->rate[k] = 0.0;
  }
}

/* Nothing is known of a guard's impacts. */
static inline ess_returning ess_no_returns(void) {
  return (ess_returning){
      .t = NAN, .way.last = NAN, .speed.last = NAN, .pace.last = NAN, .end = NAN};
}

/* Whether crossing event function k's armed guard is an impact. */
static inline bool ess_is_impact(const ess_driver *d, size_t k) {
  return d->impacts && ess_is_armed(d, k) && d->impacts->at[ess_guard_ahead(d, k)];
}

#endif
