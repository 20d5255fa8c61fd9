/*
 * The pair of Dormand and Prince: steps, their error, their dense output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_DOPRI5_H
#define ESS_DOPRI5_H

#include "driver_state.h"

/* Tries one step of length d->dt from the node; x_end and stage[] are filled, *error is the scaled
 * error (accept when <= 1; not finite when the field is not). */
int ess_dopri5_try(ess_driver *d, double *error);

/* State of stage s of the step just tried, and its time; where in a step that stage is. */
double ess_dopri5_stage(const ess_driver *d, int s, double x[]);
double ess_dopri5_node(int s);

/* State of stage s > 0 of any step from x: to the last bit the same as in the run, so that what is
 * differenced there is, too. */
void ess_dopri5_stage_of(const ess_driver *d, int s, double dt, const double x[],
                         double *const stage[], double to[]);

/* How much of stage j's rate is in the state of stage s. */
double ess_dopri5_weight(int s, int j);

/* The pair's sums for any rates in the stages of a step: to = base + dt sum of rates, `count`
 * values, base NULL for none. What is summed is the number of a stage, whose value it gives, or: */
typedef enum ess_sum {
  ESS_SUM_DENSE = ESS_STAGES, /* the last coefficient of the dense output */
  ESS_SUM_ERROR
} ess_sum;
void ess_dopri5_sum(ess_sum what, double dt, const double base[], double *const rate[],
                    size_t count, double to[]);

/* Weights of the pair by stage: b of the end, those of the error, and those of the last coefficient
 * of the dense output. */
extern const double ess_dopri5_b[ESS_STAGES], ess_dopri5_e[ESS_STAGES], ess_dopri5_d[ESS_STAGES],
    ess_dopri5_c[ESS_STAGES];

/* Root mean square of v scaled by the tolerances at |a| and |b|. */
double ess_scaled_norm(const ess_driver *d, const double v[], const double a[], const double b[]);

/* Step length for the first step (Hairer I, II.4). */
int ess_dopri5_first_step(ess_driver *d, double t1, double *dt);

/* Prepares the dense output of the step just tried, a cubic where that has no stages of the pair;
 * evaluates it at theta in [0, 1], and how fast the state moves along it there, whatever made the
 * step. */
void ess_dopri5_prepare_dense(ess_driver *d, bool is_of_pair);
void ess_dopri5_dense(const ess_driver *d, double theta, double x[]);
void ess_dopri5_slope(const ess_driver *d, double theta, double slope[]);

/* The same of any step, from x to the end, by its stages' rates. */
void ess_dopri5_dense_of(const ess_driver *d, double dt, const double x[], const double end[],
                         double *const stage[], double *const dense[]);
void ess_dopri5_along(const ess_driver *d, const double x[], double *const dense[], double theta,
                      double to[]);

#endif
