/*
 * Steps through crossings, where the field is affine in the signs (ess_system.affine_in_signs).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_THROUGH_H
#define ESS_THROUGH_H

#include <stddef.h>
#include <string.h>

#include "arithmetic.h"
#include "control.h"
#include "ess.h"

#define ESS_NONE SIZE_MAX

/* Places between a step's ends at which the path is compared with its dense output. */
enum { ESS_PLACES = 4 };

/* The effect of a guard's row on a step through crossings. */
typedef struct ess_crossing_row {
  size_t undo;      /* the guard that undoes the crossing, or ESS_NONE */
  int64_t undoable; /* a mask: there is one */
  size_t pair;      /* the event function of that guard if it is another, else the row's own */
  double pair_side; /* its side from which the crossing is undone; 0 if there is no other */
  size_t other;     /* the only other event function that the row names, or ESS_NONE */
  size_t named;     /* the guard by which it names that */
  double sign;      /* the sign that it is latched to; 0: it is disarmed */
  bool is_simple;   /* the row names no more than that, none by the state, and of its own event
                       function at most the guard's mirror image */
  bool arms_mirror; /* the mirror image is armed */
  bool arms_silent; /* a silent guard is armed */
  bool arms_more;   /* two or more guards that are not silent are armed */
} ess_crossing_row;

/* Evaluations, and steps made by them. */
typedef struct ess_spent {
  double evaluations, steps;
} ess_spent;

/* Crossings in a step, by event function in lanes: where they are, and the errors of predictions.
 */
typedef struct ess_through {
  /* the length of steps */
  double length;      /* of the next step through crossings, by the last; 0: none was made */
  size_t last_count;  /* crossings in the last one */
  size_t most;        /* and in the one with the most so far */
  double most_length; /* the length of that one, or of the next after it if that is longer */
  double whole;       /* length of the step being tried before it was halved for its crossings */
  unsigned parts;     /* how often it has been */

  ess_spent through, located; /* by steps through crossings, and by steps cut at one */
  double spent;               /* evaluations at the last charge to either */

  /* lists of the step being tried, by number of the try */
  size_t tries;
  bool is_coupled;               /* its crossings affect each other: they are not made in it */
  size_t *block, blocks;         /* blocks with guards that may be crossed, by their first guard */
  size_t *crossed, count;        /* event functions that were seen beyond their zeros: the list is
                                    made where they are checked */
  size_t *group, groups;         /* lanes that hold one, by their first */
  size_t *opened_in;             /* by four: the last try in which they did */
  size_t *companion, companions; /* event functions that rows of these crossings latch */
  double *companion_in;          /* the last try in which each was one */
  size_t *undo, undone;          /* the guard that undoes a crossing which is; their number */
  size_t *pair;                  /* its event function if it is another, else one in these lanes */
  double *pair_side;             /* undone if this times the value of the pair is above zero */
  bool is_paired;                /* guards of other event functions undo some */
  bool end_turns;                /* the slope at the end is not that of the dense output */
  bool arm_more;                 /* rows of some arm two guards or more */

  /* of the system */
  ess_crossing_row *row; /* by guard */
  bool *is_alike;        /* by four event functions, up and down: their rows do the same in lanes */
  double *checked;       /* masks: event functions in whose sign the field was found affine */
  size_t unknown;        /* crossings of others in this step */
  bool *changes;         /* those whose sign, latched by a row, changed the field by itself, */
  size_t changing;       /* and their number */

  /* of each crossing */
  double *watch;     /* side of an armed guard that was not beyond its zero so far; else 0 */
  double *known;     /* masks: seen by any stage, */
  double *made;      /* made at the end; */
  double *once;      /* made, and not undone before; */
  double *undoable;  /* a guard undoes it */
  double *last;      /* the weight with which the last stage saw it */
  double *theta;     /* its place in the step; 1 if it is not crossed */
  double *until;     /* the place where it is undone; 1 if it is not */
  double *missed[2]; /* what its prediction was off by, as weights by the field at either end */
  double *live, *notified;  /* signs that the field is called with, and that mode_changed knows */
  double *aside[2];         /* what the dense output's last coefficient was, in the same way; */
  double *left[ESS_PLACES]; /* and what is left at the places */

  double *f, *first, *sum[2], *at; /* scratch, by state */
  double *quartic;                 /* the last coefficient of the dense output */
} ess_through;

/* Masks of four event functions, and of one, kept in doubles. */
static inline ess_mask ess_mask_at(const double masks[], size_t i) {
  return (ess_mask)ess_lanes_load(masks + i);
}

static inline void ess_keep_mask(double masks[], size_t i, ess_mask mask) {
  ess_lanes_store(masks + i, (ess_lanes)mask);
}

static inline bool ess_is_set(const double masks[], size_t i) {
  int64_t bits;
  memcpy(&bits, masks + i, sizeof bits);
  return bits != 0;
}

/* Bits of the crossings among the four of a group. */
static inline unsigned ess_crossed_bits(const ess_through *k, size_t from) {
  return ess_mask_bits(ess_mask_at(k->known, from));
}

/* Whether crossing i is undone in the step, by a guard that it has armed. */
static inline bool ess_is_undone(const ess_through *k, size_t i) {
  return k->until[i] < 1.0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A new trajectory. */
void ess_through_reset(ess_driver *d);

/* The next step goes through crossings if the tangent reaches more than a few guards. */
void ess_through_choose(ess_driver *d);

/* Tries a step as dopri5 does, with fractional signs. Where it crosses none it is that step. The
 * first estimate that refuses it ends this. d->through.is_coupled: crossings have to be made one by
 * one. */
int ess_through_try(ess_driver *d, double *error);

/* The model is notified of the latched mode again: the step is not made. */
int ess_through_give_up(ess_driver *d);

/* The step is tried again, shorter or in the frozen mode: its crossings affect each other. */
ess_verdict ess_through_leave(ess_driver *d);

/* One has been made; a crossing has been located where such a step might have been made. */
void ess_through_accepted(ess_driver *d);
void ess_through_located(ess_driver *d);

/* Whether the step just tried, and watched, crosses the guards that its stages saw and no others.
 */
bool ess_through_fits(ess_driver *d);

/* Its end is the node. */
int ess_through_take(ess_driver *d, double t1);

#endif
