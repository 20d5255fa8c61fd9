/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model's run leads to, its derivatives, and second opinions of them. */
#ifndef GRADIENT_H
#define GRADIENT_H

#include "flow.h"

/* ---- gradient -------------------------------------------------------------------------------- */

/* What a model's run leads to, and its derivatives by the parameters of the system and by the
 * start: by tangents, by the adjoint, or by differences of whole runs. */

typedef enum gradient_way {
  GRADIENT_FORWARD,
  GRADIENT_ADJOINT,
  GRADIENT_DIFFERENCES,
  GRADIENT_WAYS
} gradient_way;

const char *gradient_way_name(gradient_way way);

/* false where none is of that name */
bool gradient_way_find(const char *name, gradient_way *way);

/* Outcomes are the states at the end, and then, where the flow ends on an event, the time of that.
 * They are by the parameters of the system, and then by the states at the start. */
size_t gradient_outcomes(const model *m);
size_t gradient_inputs(const model *m);
const char *gradient_outcome_name(const model *m, size_t i);
const char *gradient_input_name(const model *m, size_t j);

typedef struct gradient {
  double *value; /* [outcomes] */
  double *by;    /* [outcomes * inputs], row-major */
  ess_counters counters;
} gradient;

/* `value` and `by` have room. Where the derivative has pieces it is the first of them, that of the
 * order in which the run makes the events. 0; SOLVER_FAILED or SOLVER_REFUSED with one line. */
int gradient_find(const model *m, const ess_options *options, const double x0[], gradient_way way,
                  gradient *out, char message[SOLVER_MESSAGE_SIZE]);

/* ---- gradient check -------------------------------------------------------------------------- */

/* A second and a third opinion of a derivative: tangents, the adjoint, and differences of runs. */

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
