/*
 * Slides: what the driver keeps for motion along the zeros of event functions, its surfaces.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDE_STATE_H
#define ESS_SLIDE_STATE_H

#include "complementarity.h"
#include "driver_state.h"

enum {
  ESS_CORNERS = 8,     /* of the cube that three signs make, whose jumps do not add up */
  ESS_SLIDE_LOOKS = 5, /* places of a step that lambda is modelled by */
  ESS_SLIDE_CHECKS = 2 /* and others that the model is held against */
};

/* Owned by the driver where ess_options.sliding is on; else NULL. The field on surfaces is
 * f = f0 + sum of lambda_i jump_i, such that a + G lambda = 0: no event function changes. */
typedef struct ess_slides {
  size_t *set, count; /* the surfaces that the state slides on, ascending; their signs are -1 */
  bool *may;          /* by event function */
  bool *second;       /* by event function: its rate does not jump, but what changes that */
  bool *rests;        /* of them: an impact's, which holds the state on the side it comes from */

  /* the field on them, which stands for the caller's while the state slides */
  int (*field)(ess_driver *d, double t, const double x[], double f[]);

  /* at the state looked at last, by surface: the field with all of them at -1 and what each adds;
   * rates of their event functions, by both, [count][count]; what solves them */
  double *f0, *jump, *a, *g, *lambda;
  bool adds;           /* jumps do: else the field is a mean of corners */
  double *corner, *q;  /* the fields there, and rates by them */
  double *node, *seen; /* lambda at the node; and where the step was looked at */
  double *checked, check_at[ESS_SLIDE_CHECKS];
  double *least, *greatest; /* that it has been since the last node */

  /* event functions that have been crossed where the state is, and by event function
   * when it was last, and before that */
  size_t *noted, noted_count;
  double *crossed_at, *crossed_before;
  size_t chatters;  /* one that is crossed back and forth without end; SIZE_MAX: none is */
  bool *stopped;    /* by event function: its impacts have ended, and the state may rest on it */
  double zeno;      /* when they accumulate; NAN: they have taken all of the speed */
  bool has_stopped; /* some have */
  double *push, *scale; /* by event function: what an impact does to the state, how fast it is met,
                           and by how much more it is at lambda = 1 */
  bool is_whole;        /* the step just made was: the node's lambda was seen at its end */
  bool leaves;          /* a lambda has come to its bound: the state is there */
  bool is_released;     /* a row, or an impact, has taken a surface away */
  int halvings;         /* of the step being tried, in doubt */
  uint64_t impacts;     /* that had been made when this was looked at last */

  /* scratch */
  size_t *events, *old, old_count, *told, told_count; /* the last: those that observers know of */
  signed char *part;
  double *h, *rate, *sum, *sign, *back, *half, *nothing; /* the last two all 1/2, and all 0 */
  double *beside, *f_beside;                             /* a state beside the one looked at */
  double *aside;   /* by surface of second order: the way that moves it, and not its rate */
  double *g_aside; /* rates by these, [count][count] */
  ess_box box;
  void *memory, *indices;
  size_t memory_bytes, indices_bytes;
} ess_slides;

/* an event function is seen so that its surface pushes the state below it: what rests on an
 * impact's guard is pushed back to the side that it came from */
static inline double ess_slide_way(const ess_driver *d, size_t k) {
  return d->slides->rests[k] ? -d->sign[k] : 1.0;
}

/* whether the state slides */
static inline bool ess_is_sliding(const ess_driver *d) {
  return d->slides && d->slides->count > 0;
}

#endif
