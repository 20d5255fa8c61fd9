/*
 * What libess's own files share: the driver's state and the functions each file offers the others.
 *
 * Throughout, `g_k = -sign_k h_k` is the event function seen from the side the state is on:
 * negative before the crossing, zero on the guard, whichever of a mirrored pair is the candidate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_INTERNAL_H
#define ESS_INTERNAL_H

#include "ess.h"

enum { ESS_STAGES = 7, ESS_DENSE = 4, ESS_QUARTIC = 5 };

struct ess_driver {
  ess_system system;
  ess_options options;
  ess_counters counters;
  ess_failure failure;

  /* the node: the point the trajectory has reached, with field, event functions and their rates */
  double t, t_rest; /* t_rest: what rounding has cut off t */
  double *x, *f, *h, *rate;

  /* the integration step being tried, from the node to t + dt */
  double dt;
  double *stage[ESS_STAGES]; /* [0] is f at the node, [6] is f at the step's end (FSAL) */
  double *x_end, *h_end, *rate_end;
  double *h_mid, *h_check;  /* event functions at the middle and the first quarter of the step */
  double *dense[ESS_DENSE]; /* coefficients of the dense output, above the node's state */
  double *x_try, *h_try;    /* scratch: a stage's state, a probe of the dense output */
  double *jacobian;         /* Dh, when the system has no guard_rates */

  /* step-size control */
  double dt_next; /* proposal for the next step; 0: to be chosen */
  double error_old;
  double dt_limit; /* cap on the next step while a near-grazing projection is replaced */

  /* the latched mode and the candidates */
  bool latched;
  double *sign;
  double *epsilon;
  double *level; /* g at which a guard stops a step: -epsilon outside its neighbourhood, 0 inside
                    it, INFINITY when it is no candidate */
  double *entry; /* g from which a guard is inside: -epsilon, or where its entry was located */
  size_t armed_count; /* guards with a finite level */

  /* guards that may stop the current step, and from which place on each counts (see locate.c) */
  size_t first_reached; /* the candidate the field at the node reaches first */
  size_t *flagged;
  double *flagged_theta;
  size_t flagged_count;

  /* progress watch, for chatter */
  double progress_time;
  size_t stalled_crossings;
  size_t last_guard;
  uint64_t apply_steps, apply_crossings;

  /* the caller's sample grid during one apply */
  const double *times;
  size_t times_count, times_done;
  double *samples;

  double *memory; /* the one block that every double array above lies in */
};

/* status.c: records why the run stopped and returns `status`. */
int ess_fail(ess_driver *d, ess_status status, size_t guard);

/* dopri5.c */

/* Tries one step of length d->dt from the node; x_end and stage[] are filled, *error is the scaled
 * error (accept when <= 1; not finite when the field is not). */
int ess_dopri5_try(ess_driver *d, double *error);

/* Step length for the first step (Hairer I, II.4). */
int ess_dopri5_first_step(ess_driver *d, double t1, double *dt);

/* Prepares the dense output of the step just tried; evaluates it at theta in [0, 1]. */
void ess_dopri5_prepare_dense(ess_driver *d);
void ess_dopri5_dense(const ess_driver *d, double theta, double x[]);

/* guards.c */

/* Calls the field and checks nothing: the error control sees what is not finite. */
int ess_field(ess_driver *d, double t, const double x[], double f[]);

/* h at x. */
int ess_guards(ess_driver *d, const double x[], double h[]);

/* h and grad h . v at x. */
int ess_guard_rates(ess_driver *d, const double x[], const double v[], double h[], double rate[]);

/* f, h and rates at the node; fails when one is not finite. */
int ess_evaluate_node(ess_driver *d);

/* Latches signs and candidates from h at the node (first apply), or tells the model the mode kept
 * from the apply before. Evaluates the node. */
int ess_latch(ess_driver *d);
int ess_resume(ess_driver *d);

/* Moves candidates in and out of their neighbourhoods, from g and its rate at the node. */
void ess_update_levels(ess_driver *d);

/* Flips guard k's sign and applies the re-arming rule. */
int ess_flip(ess_driver *d, size_t k);

/* The paper's pool rule, after an integration step. May change the mode. */
int ess_refill_pool(ess_driver *d);

/* quartic.c: Bernstein coefficients on [0, 1] */

/* Value and slope at theta. */
double ess_quartic(const double b[ESS_QUARTIC], double theta, double *slope);

/* Where the quartic first goes from negative to non-negative in (0, 1], or ESS_NEVER. */
#define ESS_NEVER 2.0
double ess_quartic_upcrossing(const double b[ESS_QUARTIC]);

/* What locate.c found of the step just tried. */
typedef struct ess_location {
  bool cut;           /* a candidate reaches its level at theta */
  double theta;       /* in (0, 1] */
  bool doubt;         /* the step is too long for the guards' model to be trusted */
  size_t doubt_guard; /* the guard in doubt */
} ess_location;

/* Where the first candidate reaches its level. h_mid, h_check, h_end and rate_end must be set.
 * Guards reached are inside their neighbourhoods afterwards. */
int ess_locate_first(ess_driver *d, ess_location *found);

/* driver.c: adds to the time, and keeps what rounding cuts off: far from t = 0 it would add up. */
void ess_advance_time(ess_driver *d, double duration);

/* step.c: one integration step towards t1, cut where the first candidate reaches its level. */
int ess_integration_step(ess_driver *d, double t1);

/* projection.c */

/* The candidate the field reaches first, and the time it takes; false when there is none. */
bool ess_first_candidate(const ess_driver *d, size_t *guard, double *duration);

/* Moves along the field for `duration` onto `guard`, crosses it. */
int ess_projection_step(ess_driver *d, size_t guard, double duration);

/* sample.c: writes the caller's samples from the node up to time t_end: by the dense output, or on
 * the line from the node along the field; the rest, with the node itself. */
void ess_sample_dense(ess_driver *d, double t_end);
void ess_sample_line(ess_driver *d, double t_end);
void ess_sample_rest(ess_driver *d);

#endif
