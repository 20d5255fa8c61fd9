/*
 * Piecewise affine event-selected systems and their exact solution, for the property tests. Shares
 * no code with libess: the flow of a mode is a matrix exponential (GSL), a crossing is bracketed on
 * a fine scan of that flow and located by Brent's method.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef EXACT_AFFINE_H
#define EXACT_AFFINE_H

#include <stdbool.h>
#include <stddef.h>

enum { AFFINE_STATES = 8, AFFINE_GUARDS = 12 };

/* the field of one mode: x' = A x + b */
typedef struct affine_field {
  double A[AFFINE_STATES][AFFINE_STATES], b[AFFINE_STATES];
} affine_field;

/* h_k = normal_k . x - offset_k, each guard crossed once, upward. A mode is the set of guards
 * crossed, one bit each. */
typedef struct affine_system {
  size_t n, m;
  double normal[AFFINE_GUARDS][AFFINE_STATES], offset[AFFINE_GUARDS];
  affine_field *field; /* 2^m, by mode; the caller's */
} affine_system;

/* an exact trajectory from t = 0: its crossings in order, and its end */
typedef struct affine_path {
  size_t count, guard[AFFINE_GUARDS];
  double time[AFFINE_GUARDS], state[AFFINE_GUARDS][AFFINE_STATES], end[AFFINE_STATES];
} affine_path;

double affine_dot(size_t n, const double a[], const double b[]);

/* h_k(x) */
double affine_guard(const affine_system *s, size_t k, const double x[]);

/* f[n], the field of a mode at x */
void affine_velocity(const affine_system *s, size_t mode, const double x[], double f[]);

/* out[n], where the flow of a mode takes x in time tau; not a number when GSL fails */
void affine_flow(const affine_system *s, size_t mode, double tau, const double x[], double out[]);

/* out[n] = exp(A tau) v, what becomes of a small difference v */
void affine_transport(const affine_system *s, size_t mode, double tau, const double v[],
                      double out[]);

/* Places the m guards so that the trajectory from x0 crosses order[i] at exactly times[i],
 * ascending, and ends at t1: sets the offsets and the path. */
void affine_thread(affine_system *s, const double x0[], const size_t order[], const double times[],
                   double t1, affine_path *path);

/* The path from x0 to t1 of a system whose guards are where they are; false when GSL fails. */
bool affine_solve(const affine_system *s, const double x0[], double t1, affine_path *path);

#endif
