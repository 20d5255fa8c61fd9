/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast products of matrices grow. */
#ifndef GROWTH_H
#define GROWTH_H

#include "model.h"

enum { GROWTH_MATRIX_MAX = MODEL_SECTION_MAX * MODEL_SECTION_MAX };

/* Eigenvalues of a[count*count], row-major, which is destroyed: the largest first, of a pair that
 * with the positive imaginary part. 0, or -1 where they are not found. */
int growth_eigenvalues(double a[], size_t count, double real[], double imaginary[]);

/* Bounds of the joint spectral radius: the growth per factor of the worst product of the matrices,
 * by the products that are not too long to try. One matrix: its spectral radius, twice. */
void growth_of_products(double matrix[][GROWTH_MATRIX_MAX], size_t pieces, size_t count,
                        double *least, double *most);

#endif
