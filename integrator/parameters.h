/*
 * What parameters add to directions: derivatives of field, event functions and maps by them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_PARAMETERS_H
#define ESS_PARAMETERS_H

#include "ess.h"

/* One line about what is wrong with the system's parameters; NULL when nothing is. */
const char *ess_parameters_check(const ess_system *system, const ess_options *options);

/* Parameters move along directions of their own, one for each column: along[count][P], NULL for
 * none. What that adds is added: to rates of columns at x; to the rates of all event functions
 * along one column; and to what an impact's map makes of columns. */
int ess_parameter_rates(ess_driver *d, double t, const double x[], const double along[],
                        size_t count, double to[]);
int ess_parameter_guards(ess_driver *d, double t, const double x[], const double along[],
                         double rate[]);
int ess_parameter_map(ess_driver *d, const ess_impact *impact, const double along[], size_t count,
                      double to[]);

/* The derivative of the field, Fp[n*P], of an impact's map, Rp[n*P], and of event function k, [P],
 * by each of them. */
int ess_parameter_impact(ess_driver *d, const ess_impact *impact, double Rp[]);
int ess_parameter_field(ess_driver *d, double t, const double x[], double Fp[]);
int ess_parameter_guard(ess_driver *d, double t, const double x[], size_t k, double hp[]);

/* The gradient of event function k. */
int ess_guard_gradient(ess_driver *d, double t, const double x[], size_t k, double gradient[]);

/* What is rounding in the first of these, by differences; 0 where the caller has the derivative. */
double ess_parameter_noise(const ess_driver *d, const double along[]);

/* The rate of event function k along a column whose parameters move so. */
int ess_tangent_guard_rate(ess_driver *d, double t, const double x[], size_t k,
                           const double column[], const double along[], double *rate);

/* ---- difference --------------------------------------------------------------------------- */

/* The size of state i below which its tolerance is absolute; 1 where it never is. */
double ess_tangent_unit(const ess_driver *d, size_t i);

/* What a difference along a direction multiplies it by, to move the state x by this part of it;
 * states are weighed by where their tolerance becomes relative. 0 of a direction that is nothing.
 */
double ess_tangent_part(const ess_driver *d, const double x[], const double along[], double part);

/* How far apart in time a map is looked at for a central difference by time: a part of the last
 * step, or of what the state takes to move by its size, whatever the unit of time. */
double ess_time_apart(const ess_driver *d);

/* One column by a difference of the field, which is f at x. */
int ess_tangent_difference(ess_driver *d, double t, const double x[], const double f[],
                           const double from[], double to[]);

/* ---- derivative --------------------------------------------------------------------------- */

/* to = DR from, `count` columns, where DR is that of the impact; `from` and `to` are apart. */
int ess_tangent_map(ess_driver *d, const ess_impact *impact, const double from[], size_t count,
                    double to[]);

#endif
