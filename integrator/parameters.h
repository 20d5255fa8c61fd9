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

/* Parameters move in directions of their own, one for each column: moves[count][P], NULL for none.
 * What that adds is added: to rates of columns at x; to the rates of all event functions
 * along one column; and to what an impact's map makes of columns. */
int ess_parameter_rates(ess_driver *d, double t, const double x[], const double moves[],
                        size_t count, double to[]);
int ess_parameter_guards(ess_driver *d, double t, const double x[], const double moves[],
                         double rate[]);
int ess_parameter_map(ess_driver *d, const ess_impact *impact, const double moves[], size_t count,
                      double to[]);

/* The derivative of the field, Fp[n*P], of an impact's map, Rp[n*P], and of event function k, [P],
 * by each of them. */
int ess_parameter_impact(ess_driver *d, const ess_impact *impact, double Rp[]);
int ess_parameter_field(ess_driver *d, double t, const double x[], double Fp[]);
int ess_parameter_guard(ess_driver *d, double t, const double x[], size_t k, double hp[]);

/* The gradient of event function k. */
int ess_guard_gradient(ess_driver *d, double t, const double x[], size_t k, double gradient[]);

/* What is rounding in the first of these, by differences; 0 where the caller has the derivative. */
double ess_parameter_noise(const ess_driver *d, const double moves[]);

/* The rates of event function k along columns, `count` of them, whose parameters move so. */
int ess_tangent_guard_rates(ess_driver *d, double t, const double x[], size_t k,
                            const double columns[], const double moves[], size_t count,
                            double rate[]);

/* ---- difference ------------------------------------------------------------------------------ */

/* The size of state i below which its tolerance is absolute; 1 where it never is. */
double ess_tangent_unit(const ess_driver *d, size_t i);

/* The least tolerance of a state, in parts of its unit. */
double ess_tangent_least_tolerance(const ess_driver *d);

/* What a difference along a direction multiplies it by, so that no state moves by more than this
 * part of its size. That is its own, or where its tolerance becomes relative, if that is more, and
 * to a third that of the largest state: what the field bends by is the one's, and what rounds it
 * may be the other's. 0 of a direction that is nothing. */
double ess_tangent_part(const ess_driver *d, const double x[], const double direction[],
                        double part);

/* How far apart in time a map is looked at for a central difference by time: a part of the last
 * step, or of what the state takes to move by its size, whatever the unit of time. */
double ess_time_apart(const ess_driver *d);

/* One column by a difference of the field, which is f at x. */
int ess_tangent_difference(ess_driver *d, double t, const double x[], const double f[],
                           const double from[], double to[]);

/* Whether a matrix by differences, one state after the other, takes no more calls than so many
 * columns do. All that are as many are of that matrix, as an adjoint is: so the two are of the same
 * numbers, and agree to rounding, whatever the noise of these. */
bool ess_tangent_is_matrix(const ess_driver *d, size_t count);

/* The field's Jacobian where the field is f, the caller's or by differences. */
bool ess_tangent_knows_field(const ess_driver *d);
int ess_tangent_field(ess_driver *d, double t, const double x[], const double f[], double J[]);

/* ---- derivative ------------------------------------------------------------------------------ */

/* to = DR from, `count` columns, where DR is that of the impact; `from` and `to` are apart. */
int ess_tangent_map(ess_driver *d, const ess_impact *impact, const double from[], size_t count,
                    double to[]);

#endif
