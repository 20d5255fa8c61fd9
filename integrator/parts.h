/*
 * A step that is too long for what goes along it, directions or, back, an adjoint, which then go
 * along its dense output in parts. Where it is parted both ask here. What goes along it is known to
 * one of them alone; so directions of the step's own tell where it is parted, which are the same
 * for both: where both part a step, they go by the same parts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_PARTS_H
#define ESS_PARTS_H

#include "driver_state.h"

/* directions, and adjoints, may err by so many tolerances in a step: less, and most steps of the
 * state would be too long for them, by little */
static const double ESS_ALLOWED = 10.0;

/* What is smaller than this has decayed, and is no error: doubles soon below it lose their digits.
 */
static const double ESS_DECAYED = 1e-304;

/* The step's own directions: a few, which move all states by about their units. */
enum { ESS_OWN = 4 };

typedef struct ess_own {
  double *v, *k[ESS_STAGES], *end, *error; /* [ESS_OWN][n] */
  double *first, *last;                    /* [n][n], Jacobians of the first and last stage */
  double noise[ESS_OWN];                   /* of the Jacobian's differences, by time */
} ess_own;

/* Lays out their arrays. */
void ess_own_lay(ess_own *own, size_t n, ess_layout *l);

/* They go through stage s of a step, or a part of one, of this length, where J is the Jacobian. */
void ess_own_stage(ess_driver *d, int s, double dt, const double J[]);

/* What is rounding in them, where the step ends, and the field is f and its Jacobian J. */
void ess_own_look(ess_driver *d, const double x[], const double f[], const double J[]);

/* Their error when the last stage is done, in units of what is allowed. */
double ess_own_error(ess_driver *d, double dt);

/* What is rounding in differences of the field, f at x, along a direction, by time: shorter steps
 * do not mend it. The field rounds as its terms do, which may cancel: J x, where J is known, else
 * it is NULL. */
double ess_rounding_of(const ess_driver *d, const double x[], const double f[], const double J[],
                       const double direction[]);

/* Errors in units of what is allowed: of what goes along a step, and of the step's own directions;
 * NAN where those are not known. */
typedef struct ess_errors {
  double its, own;
} ess_errors;

/* Whether a step, or a part of one, is too long. */
bool ess_is_too_long(ess_errors errors);

/* What parameters gain says nothing of how fast it is to the state's steps, and an error estimate
 * says nothing of what is far faster than a step: by chance it may be small. So steps, and parts of
 * them, are as long as those before them allow, as where a state's error controls them: here is how
 * long the next may be, in time; INFINITY while none has been too long. */
double ess_pace_after(double pace, double length, double error);

/* Whether one of this length is to be parted, whatever its error seems to be. A whole step is not,
 * where its error is too small to be so by chance. */
bool ess_is_beyond(double pace, double length);
bool ess_is_surely_small(double error);

/* The estimate of an error in what has been gained in a step, once it has been held against how
 * much rates have changed from stage to stage, times the length, and against the last coefficient
 * of the dense output, which is of a lower order: where they are not small beside the change, the
 * step has seen little of what is there, and it errs by more. What is not far above rounding is no
 * change. */
double ess_seen_error(double error, double rounding, double change, double last);

/* A way along a step of the pair. */
typedef struct ess_parts {
  ess_driver *d;
  double t, dt;         /* of the step */
  const double *x;      /* where it begins */
  double *const *dense; /* coefficients of its dense output */
  bool goes_back;       /* the last part comes first */
  uint64_t tries;       /* until now */
  double *pace;         /* how long parts may be */

  /* a step of the pair along a part, from one place to another; that is gone, where it is short
   * enough */
  int (*look)(struct ess_parts *p, double from, double to, ess_errors *errors);
  void (*go)(struct ess_parts *p);
  void *way;
} ess_parts;

/* Goes along to a place of the step, whose errors are these, in as many parts as that takes. */
int ess_go_in_parts(ess_parts *p, double to, ess_errors errors);

/* The state at stage s of a part, and its time. The last two stages are at one place. */
double ess_parts_stage(const ess_parts *p, int s, double from, double to, double x[]);

#endif
