/*
 * Steps through crossings, where the field is affine in the signs (ess_system.weights).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_KINKS_H
#define ESS_KINKS_H

#include <stddef.h>
#include <string.h>

#include "arithmetic.h"
#include "control.h"
#include "ess.h"

/* sums over the stages that have seen a kink, by which these are: bits, the first of which is never
 * set */
#define ESS_NONE SIZE_MAX

enum { ESS_PATTERNS = 128, ESS_KINK_SUMS = 6 };

/* What the row of a guard comes to in a step through crossings. */
typedef struct ess_kink_row {
  size_t undo;      /* the guard that undoes the crossing, or ESS_NONE */
  int64_t undoable; /* a mask: there is one */
  size_t pair;      /* the event function of that, or the row's own where it is none of another */
  double pair_side; /* its side from which it is undone; 0 where it is none of another */
  size_t other;     /* the one other event function that it names, or ESS_NONE; by which guard */
  size_t named;
  double sign;      /* which that is latched to; 0: it is disarmed */
  bool is_paired;   /* the pair is another */
  bool is_simple;   /* it names no more than that, none by where the state is, and of its own event
                       function the guard's mirror image alone, if any: */
  bool arms_mirror; /* that is armed */
  bool arms_silent; /* a silent guard is among those that it arms */
  bool arms_more;   /* it arms two or more that are not */
} ess_kink_row;

/* By event function what the stages of a step saw of crossings, and what the quadrature makes of
 * that; in lanes, of which those that hold a crossing are listed. */
typedef struct ess_kinks {
  double length;     /* of the next step through crossings, by the last; 0: none was made */
  size_t last_count; /* crossings in that, and in the one so far with the most, and the length */
  size_t most;       /* of one after which such a step may have */
  double most_length;
  bool is_involved;      /* it cannot: crossings have to be made one by one, or in a shorter step */
  double whole;          /* the length that it was to have at first */
  unsigned parts;        /* how often the step being tried has been halved so */
  size_t *block, blocks; /* those with guards that may be crossed, by their first */
  size_t *kink, count;   /* event functions that were seen beyond their zeros */
  size_t *group, groups; /* lanes that hold one */
  size_t *opened_in;     /* by four, the last try in which they did */
  size_t *undo, visits;  /* of each, the guard that undoes it, or ESS_NONE; how many are undone */
  size_t *companion, companions; /* event functions that rows of these crossings latch */
  size_t *companion_in, tries;   /* the last try in which each was one, by the number of tries */
  bool is_paired;                /* other event functions' guards undo some */
  bool arm_more;                 /* rows of some arm two guards or more */
  size_t *pair;                  /* of each, that other; else itself, or one in its lanes */
  ess_kink_row *row;             /* by guard */
  bool *is_checked;              /* those in whose sign the field has been found affine */
  size_t unknown;                /* crossings of others */
  bool *acts, any_acts; /* those whose sign, latched by a row, changed the field by itself */

  double *watch;     /* side of an armed guard that was not beyond its zero so far; else 0 */
  double *known;     /* masks: those seen, those that the last stage, and those that the end, saw */
  double *undoable;  /* and those that one guard undoes */
  double *pair_side; /* what is undone when it times the pair's value is above zero; else 0 */
  double *last, *made;
  double *pattern;  /* bits: stages that saw it beyond its zero */
  double *theta;    /* where in the step it is crossed; 1 when it is not */
  double *until;    /* and where what that has armed undoes it; 1 when that does not */
  double *value[2]; /* what the quadrature has missed, as weights by the field at either end; */
  double *error[2]; /* what is in the error estimate, */
  double *dense[2]; /* and in the last coefficient of the dense output */
  double *live;     /* the signs that the field is called with */
  double *told;     /* those that mode_changed has been told of, of these event functions */

  double table[ESS_PATTERNS][ESS_KINK_SUMS];

  double *f, *sum, *first, *at, *embedded; /* scratch, by state */
  double *quartic; /* the last coefficient of the dense output, without its kinks */
} ess_kinks;

/* masks of four event functions, and of one, that are kept in doubles */
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

/* whether crossing i is undone in the step, by what it has armed */
static inline bool ess_is_visit(const ess_kinks *k, size_t i) {
  return k->until[i] < 1.0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* What is known before the first step of a system with weights; a new trajectory. */
void ess_kinks_prepare(ess_driver *d);
void ess_kinks_reset(ess_driver *d);

/* Whether the next step is to go through crossings: where guards that the tangent reaches are more
 * than a few. */
void ess_kinks_choose(ess_driver *d);

/* The model is told of the latched mode again: the step is not made. */
int ess_kinks_give_up(ess_driver *d);

/* It is tried again in the frozen mode: what it crosses has to be made one by one. */
ess_verdict ess_kinks_leave(ess_driver *d);

/* One has been made; a crossing has been located where such a step might have been made. */
void ess_kinks_accepted(ess_driver *d);
void ess_kinks_located(ess_driver *d);

/* Whether the step just tried, and watched, crosses what its stages saw and nothing else. */
bool ess_kinks_fits(ess_driver *d);

/* Its end is the node. */
int ess_kinks_take(ess_driver *d, double t1);

#endif
