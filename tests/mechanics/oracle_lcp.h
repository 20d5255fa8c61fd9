/*
 * Linear complementarity by Lemke's algorithm: w = G z + c, w >= 0, z >= 0, w'z = 0; and the dense
 * solve that builds G. Independent of the mechanics room.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ORACLE_LCP_H
#define ORACLE_LCP_H

#include <stdbool.h>
#include <stddef.h>

enum { ORACLE_MAX = 12 };

/* x[n*columns] of A x = b, by elimination with pivots; A and b are overwritten. */
bool oracle_solve(size_t n, size_t columns, double A[], double b[]);

/* z[n], for G positive definite. false: it ended on a ray, or did not end. */
bool oracle_lcp(size_t n, const double G[], const double c[], double z[]);

#endif
