/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The derivative of a model's flow by its start, as libess carries it along one trajectory, and
 * what is known of the flow there. */
#ifndef FLOW_H
#define FLOW_H

#include "model.h"
#include "solver.h"

enum { FLOW_EVENTS_MAX = 64 };

typedef enum flow_kind {
  FLOW_C1,           /* one derivative */
  FLOW_PIECEWISE,    /* one for each piece of directions */
  FLOW_NOT_COUNTED,  /* either: more events at an instant than orders are tried of */
  FLOW_DISCONTINUOUS /* none: what events at one instant lead to depends on their order */
} flow_kind;

const char *flow_kind_name(flow_kind kind);

/* From where, for how long, along what. */
typedef struct flow_request {
  const model *m;             /* prepared */
  const ess_options *options; /* of libess */
  const double *x0;           /* [n] */
  double t1;
  size_t count; /* of directions; 0 with NULL: those of the states */
  const double *directions;
  size_t piece; /* of a flow that has several, SIZE_MAX: the directions' own */
} flow_request;

/* Whether a model's derivative is that of the time at which its first event function is crossed,
 * and of the state then: its flow ends there, and t1 is the latest that this may be. */
static inline bool flow_ends(const model *m) {
  return m->type->end_name != NULL;
}

/* What came of it. `state` and `tangent` are the caller's, [n] and [n*count], row-major; a
 * discontinuous flow leaves the tangents unknown (NaN) and the state at where it is so. */
typedef struct flow {
  flow_kind kind;
  double t; /* reached */
  double *state, *tangent;
  size_t instants, pieces; /* at which several events met; of directions, 0: not counted */
  double tie_time;         /* of the last such instant; NaN: there was none */
  size_t tied, order[FLOW_EVENTS_MAX]; /* its events, in the order made */
  ess_counters counters;
} flow;

/* One trajectory with its tangents. 0; SOLVER_FAILED or SOLVER_REFUSED with one line. */
int flow_follow(const flow_request *request, flow *out, char message[SOLVER_MESSAGE_SIZE]);

/* A driver of the model, whose runs end as the flow does; NULL with one line and why, and *status
 * as above. Free it with ess_driver_free. */
ess_driver *flow_driver(const model *m, const ess_options *options, int *status,
                        char message[SOLVER_MESSAGE_SIZE]);

/* The outcome of its run, ESS_SUCCESS where it has come to where the flow ends. */
int flow_outcome(const model *m, int status);

/* Says why it has not. SOLVER_FAILED. */
int flow_explain(const model *m, int status, const ess_driver *driver,
                 char message[SOLVER_MESSAGE_SIZE]);

/* The state at t1 alone, x[n], from a start. As above. */
int flow_end(const model *m, const ess_options *options, const double x0[], double t1, double x[],
             char message[SOLVER_MESSAGE_SIZE]);

#endif
