/*
 * Steps through crossings (kinks.c): what their files share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_KINKS_STATE_H
#define ESS_KINKS_STATE_H

#include <stdbool.h>
#include <stddef.h>

/* By event function what the stages of a step saw of crossings, and what the quadrature makes of
 * that; in lanes, of which those that hold a crossing are listed. */
typedef struct ess_kinks {
  bool is_on;       /* the step being tried goes through its crossings */
  bool is_barred;   /* this step is not to */
  double length;    /* of the last step that went through crossings; 0: none has */
  bool is_involved; /* it cannot: crossings have to be made one by one, or in a shorter step */
  double whole;     /* the length that it was to have at first */
  unsigned parts;   /* how often the step being tried has been halved so */
  unsigned wait, patience; /* steps with crossings that are made otherwise before the next try */
  size_t *kink, count;     /* event functions that were seen beyond their zeros */
  size_t *group, groups;   /* lanes that hold one */
  size_t *companion, companions;   /* event functions that rows of these crossings latch */
  bool *is_companion, *is_checked; /* and those in whose sign the field has been found affine */

  double *watch; /* side of an armed guard that was not beyond its zero at the node; else 0 */
  double *known; /* masks: those seen, those that the last stage, and those that the end, saw */
  double *last, *made;
  double *theta;    /* where in the step it is crossed; 1 when it is not */
  double *value[2]; /* moments of order 0 and 1 that the quadrature has missed, */
  double *error[2]; /* those that are in the error estimate, */
  double *dense[2]; /* and in the last coefficient of the dense output */
  double *live;     /* the signs that the field is called with */

  double *f, *sum, *first, *at; /* scratch, by state */
  double *quartic;              /* the last coefficient of the dense output, without its kinks */
} ess_kinks;

#endif
