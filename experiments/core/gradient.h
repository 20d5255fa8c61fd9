/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model's run leads to, and its derivatives by the parameters of the system and by the
 * start: by tangents, by the adjoint, or by differences of whole runs. */
#ifndef GRADIENT_H
#define GRADIENT_H

#include "flow.h"

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

#endif
