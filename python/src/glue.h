/*
 * One run of libess as a language of arrays asks for it: events that are only noted or that end
 * the run, and everything recorded on the way.
 *
 * The event functions are the `guards`, whose signs the field is given; the `events` are watched,
 * and never change the field.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_GLUE_H
#define ESS_GLUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ess.h"
#include "ess_tangents.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is integrated. Functions return 0, or anything else to stop with ESS_ECALLBACK. */
typedef struct glue_problem {
  size_t n, guards, events;
  int (*field)(double t, const double x[], const double sign[], double dxdt[], void *context);
  int (*guard)(double t, const double x[], double h[], void *context);
  int (*event)(double t, const double x[], double h[], void *context);

  /* optional: J[n*n] of the field; Dh[guards*n] */
  int (*jacobian)(double t, const double x[], const double sign[], double J[], void *context);
  int (*event_jacobian)(double t, const double x[], double Dh[], void *context);

  /* Parameters that directions may move: their numbers, which the functions read and libess moves
   * for a moment where it takes differences; and, optional, Fp[n*parameters] of the field. */
  size_t parameters;
  double *parameter_values;
  int (*parameter_jacobian)(double t, const double x[], const double sign[], double Fp[],
                            void *context);

  /* Optional. On entry `after` is x, and `mode` the signs of the guards before the impact, 0 for
   * those that are crossed. A 0 that is left is read off the state after: the side it lies on, or
   * that the field takes it to. */
  int (*impact)(double t, const double x[], const double sign[], const size_t crossed[],
                size_t count, double after[], double mode[], void *context);
  const ess_guard_kind *kinds; /* [2*guards], likewise */

  /* of each event: which crossings count (0: both), and how many end the run (0: none does) */
  const int *direction;
  const uint64_t *terminal;

  /* Optional: a whole system of libess's own, of n states and `guards` event functions, which takes
   * the place of all functions above. */
  const ess_system *system;

  /* For an adjoint: the derivatives of its outcome with respect to the state at the end of the run
   * and, weight[n], to the time of an event that has ended it. Earlier states are recorded. */
  int (*outcome)(double t, const double x[], double weight[], void *context);

  /* Optional: called after each step with the time reached. A positive result ends the run there
   * with GLUE_STOPPED, a negative one with ESS_ECALLBACK. */
  int (*tick)(double t, void *context);

  /* Where glue_options.holds has times: called with the state at the initial time and at each of
   * these. It may change what the field reads, which then holds until the next. Anything but 0 ends
   * the run there with ESS_ECALLBACK. */
  int (*hold)(double t, const double x[], void *context);
  void *context;
} glue_problem;

/* How, and what is to be recorded. */
typedef struct glue_options {
  ess_options integration; /* with tolerances */
  const double *times;     /* the caller's grid in the run's direction, or NULL: every step */
  size_t times_count;
  ess_field_jumps jumps; /* of the field in time */
  const double *holds;   /* in the run's direction, strictly between its ends, or NULL: see hold */
  size_t holds_count;
  bool is_dense;     /* the path, in pieces */
  size_t directions; /* tangents, and where they begin: [n*directions] */
  const double *directions_at;
  const double *parameters_at; /* [parameters*directions], or NULL: they stay */

  /* Instead of directions: the transposed derivative of each stretch between times of the grid, by
   * an adjoint that may record this many bytes; 0: none. The run ends at the last of the times; an
   * event may end it where that is the only one. */
  size_t bytes;
} glue_options;

/* Numbers that grow. */
typedef struct glue_list {
  double *at;
  size_t count, space;
} glue_list;

/* Appends these numbers; false without memory. */
bool glue_append(glue_list *list, const double values[], size_t count);

enum {
  GLUE_NODES = 5,                 /* of a piece, evenly spaced from its beginning to its end */
  GLUE_STOPPED = ESS_STATUS_COUNT /* a status: `tick` has ended the run */
};

/* What came of it. Free with glue_free, whatever glue_run has returned. */
typedef struct glue_record {
  int status; /* ess_status, or GLUE_STOPPED */
  bool is_ended_by_event;
  double t;          /* reached */
  double *x;         /* [n] there */
  double *sign;      /* [guards] there */
  glue_list t_out;   /* times of the grid that were reached; or of all steps */
  glue_list x_out;   /* [n] each */
  glue_list pieces;  /* begin and end of each, in the run's direction */
  glue_list nodes;   /* [GLUE_NODES*n] each */
  glue_list crossed; /* time, guard, direction of each crossing of a guard */
  glue_list impacts; /* time of each */
  glue_list jumps;   /* [n] before each, [n] after it */
  glue_list slides;  /* time, guard, and 1 or -1 where a slide on it begins or ends */
  glue_list noted;   /* time, event of each event */
  glue_list noted_x; /* [n] each */
  glue_list sides;   /* of each impact: [n*directions] before it and after it, and [directions] of
                        its time */
  double *tangents;  /* [n*directions], or NULL */
  glue_list along;   /* [n*directions] at each of t_out, where there are directions and a grid; or,
                        for an adjoint, [n*n] and [parameters*n] of the stretch that ends there, and
                        of the last one the outcome's, [n] and [parameters] */
  double *Dt, *Dx;   /* [directions], [n*directions] of the end by an event, or NULL */
  ess_smooth smooth; /* where tangents are followed */
  ess_counters counters;
  ess_failure failure;
  size_t recorded; /* bytes that an adjoint has needed */
} glue_record;

/* Runs from x[n] at t0 to t1. Returns ESS_SUCCESS, ESS_ENOMEM, ESS_EINVAL (see failure.reason),
 * GLUE_STOPPED, or the status of the run. */
int glue_run(const glue_problem *problem, const glue_options *options, double t0, double t1,
             const double x[], glue_record *record);

void glue_free(glue_record *record);

#ifdef __cplusplus
}
#endif

#endif
