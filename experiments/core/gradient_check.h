/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A second and a third opinion of a derivative: tangents, the adjoint, and differences of runs. */
#ifndef GRADIENT_CHECK_H
#define GRADIENT_CHECK_H

#include "gradient.h"

/* Of one outcome and one input, where another way is the farthest from tangents; how far, in parts
 * of what that outcome changes by the most, each input by its size, or of the outcome itself. */
typedef struct gradient_gap {
  size_t outcome, input;
  double off, allowed;
} gradient_gap;

/* That; `allowed` is not filled in. */
gradient_gap gradient_apart(const model *m, const ess_options *options, const double x0[],
                            const gradient *forward, const gradient *other);

typedef struct gradient_check {
  gradient of[GRADIENT_WAYS];
  gradient_gap gap[GRADIENT_WAYS]; /* from tangents; nothing of tangents themselves */
  bool compared[GRADIENT_WAYS];  /* differences are not where the derivative has pieces, or none can
                                    be made */
  char why[SOLVER_MESSAGE_SIZE]; /* no differences could be made; "": they could */
  double *room;
} gradient_check;

/* All outcomes by all inputs, by each way. 0; SOLVER_FAILED or SOLVER_REFUSED with one line. Free
 * it in any case. */
int gradient_check_all(const model *m, const ess_options *options, const double x0[],
                       flow_kind kind, gradient_check *check, char message[SOLVER_MESSAGE_SIZE]);
void gradient_check_free(gradient_check *check);

/* Whether the ways that have been compared agree. */
bool gradient_check_agrees(const gradient_check *check);

#endif
