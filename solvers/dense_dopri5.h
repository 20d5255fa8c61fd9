/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Dormand-Prince 5(4) stepper with dense output, for baselines that locate or look for events
 * themselves; libess has its own, which it keeps to itself.
 *
 * E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer
 * 1993: tableau II.5 table 5.2, step control II.4, dense output II.6. */
#ifndef DENSE_DOPRI5_H
#define DENSE_DOPRI5_H

#include "solver.h"

/* Room for states; unused components stay 0, so that loops over all of them need no remainder. */
enum { DENSE_DOPRI5_ROOM = 8, DENSE_DOPRI5_STAGES = 7 };

/* dxdt[n] = f(t, x[n]); nonzero stops the step. */
typedef int (*dense_dopri5_field)(double t, const double x[], double dxdt[], void *params);

typedef enum dense_dopri5_status {
  DENSE_DOPRI5_SUCCESS = 0,
  DENSE_DOPRI5_EFIELD,    /* the field's callback failed */
  DENSE_DOPRI5_EUNDERFLOW /* the step fell below the resolution of time */
} dense_dopri5_status;

typedef struct dense_dopri5 {
  dense_dopri5_field field;
  void *params;
  size_t n; /* at most DENSE_DOPRI5_ROOM */
  double rtol, atol, h_max;

  /* the latest step: from x at t over h to x_end at t_end; k[0] is the field at its start, k[6] at
   * its end */
  double t, h, t_end;
  double x[DENSE_DOPRI5_ROOM], x_end[DENSE_DOPRI5_ROOM];
  double k[DENSE_DOPRI5_STAGES][DENSE_DOPRI5_ROOM];

  double next;       /* length proposed for the next step */
  double error_old;  /* of the last accepted step, for the step control */
  uint64_t rejected; /* steps refused by the error control or halved */
  bool dense_ready;
  double dense[4][DENSE_DOPRI5_ROOM];
} dense_dopri5;

/* A stepper that has not started. Nothing is allocated. */
dense_dopri5 dense_dopri5_make(size_t n, dense_dopri5_field field, void *params, double rtol,
                               double atol, double h_max);

/* Starts at (t, x[n]): evaluates the field there and chooses a first step (II.4), t1 being the end
 * of the integration. A dense_dopri5_status. */
int dense_dopri5_start(dense_dopri5 *d, double t, const double x[], double t1);

/* Steps from (t, x), not past t1 > t, as long as the tolerances allow; the step stays to be
 * accepted, halved or cut. A dense_dopri5_status. */
int dense_dopri5_step(dense_dopri5 *d, double t1);

/* State, and its time derivative, on the latest step at t + theta*h, theta in [0, 1]. */
void dense_dopri5_at(dense_dopri5 *d, double theta, double x[]);
void dense_dopri5_rate_at(dense_dopri5 *d, double theta, double dxdt[]);

/* Writes the outputs from *written on up to time t, none further than theta of the latest step. */
void dense_dopri5_write(dense_dopri5 *d, const solver_output *output, size_t *written, double theta,
                        double t);

/* Moves to the end of the latest step; no evaluation (first same as last). */
void dense_dopri5_accept(dense_dopri5 *d);

/* Discards the latest step: the next one is half as long. */
void dense_dopri5_halve(dense_dopri5 *d);

/* Moves to theta of the latest step and evaluates the field there, which may be another from here
 * on. The length proposed stays. A dense_dopri5_status. */
int dense_dopri5_cut(dense_dopri5 *d, double theta);

/* Evaluates the field at (t, x) anew, after it has become another. A dense_dopri5_status. */
int dense_dopri5_refresh(dense_dopri5 *d);

#endif
