/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The joint spectral radius, between the radius of products and their norms. */
#include "growth.h"

#include <gsl/gsl_eigen.h>
#include <math.h>
#include <string.h>

/* so many products are tried, of as many factors as that allows */
enum { PRODUCTS_MAX = 8192, FACTORS_MAX = 12 };

static bool is_before(double re, double im, double other_re, double other_im) {
  const double a = hypot(re, im), b = hypot(other_re, other_im);
  return fabs(a - b) > 1e-12 * fmax(a, b) ? a > b : im > other_im;
}

static void sort(size_t count, double real[], double imaginary[]) {
  for (size_t i = 1; i < count; i++) {
    const double re = real[i], im = imaginary[i];
    size_t j = i;
    for (; j && is_before(re, im, real[j - 1], imaginary[j - 1]); j--) {
      real[j] = real[j - 1];
      imaginary[j] = imaginary[j - 1];
    }
    real[j] = re;
    imaginary[j] = im;
  }
}

int growth_eigenvalues(double a[], size_t count, double real[], double imaginary[]) {
  gsl_eigen_nonsymm_workspace *const w = gsl_eigen_nonsymm_alloc(count);
  double values[2 * MODEL_SECTION_MAX];
  if (!w) return -1;
  gsl_matrix_view matrix = gsl_matrix_view_array(a, count, count);
  gsl_vector_complex_view out = gsl_vector_complex_view_array(values, count);
  gsl_eigen_nonsymm_params(0, 1, w);
  const int status = gsl_eigen_nonsymm(&matrix.matrix, &out.vector, w);
  gsl_eigen_nonsymm_free(w);
  if (status) return -1;
  for (size_t i = 0; i < count; i++) {
    real[i] = values[2 * i];
    imaginary[i] = values[2 * i + 1];
  }
  sort(count, real, imaginary);
  return 0;
}

static double radius(const double product[], size_t count) {
  double a[GROWTH_MATRIX_MAX], real[MODEL_SECTION_MAX], imaginary[MODEL_SECTION_MAX];
  memcpy(a, product, count * count * sizeof *a);
  return growth_eigenvalues(a, count, real, imaginary) ? NAN : hypot(real[0], imaginary[0]);
}

/* the largest sum of a row; any norm will do */
static double norm(const double a[], size_t count) {
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < count; j++) sum += fabs(a[i * count + j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

static void multiply(const double a[], const double b[], size_t count, double product[]) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      double sum = 0.0;
      for (size_t k = 0; k < count; k++) sum += a[i * count + k] * b[k * count + j];
      product[i * count + j] = sum;
    }
}

/* the product whose factors are the digits of `which` */
static void product_of(double matrix[][GROWTH_MATRIX_MAX], size_t pieces, size_t count,
                       size_t factors, size_t which, double product[]) {
  memcpy(product, matrix[which % pieces], count * count * sizeof *product);
  for (size_t f = 1; f < factors; f++) {
    double next[GROWTH_MATRIX_MAX];
    which /= pieces;
    multiply(matrix[which % pieces], product, count, next);
    memcpy(product, next, count * count * sizeof *product);
  }
}

void growth_of_products(double matrix[][GROWTH_MATRIX_MAX], size_t pieces, size_t count,
                        double *least, double *most) {
  *least = *most = radius(matrix[0], count);
  if (pieces < 2) return;
  *most = INFINITY;
  size_t products = pieces;
  for (size_t factors = 1; factors <= FACTORS_MAX && products <= PRODUCTS_MAX;
       factors++, products *= pieces) {
    double largest = 0.0;
    for (size_t which = 0; which < products; which++) {
      double product[GROWTH_MATRIX_MAX];
      product_of(matrix, pieces, count, factors, which, product);
      *least = fmax(*least, pow(radius(product, count), 1.0 / (double)factors));
      largest = fmax(largest, norm(product, count));
    }
    *most = fmin(*most, pow(largest, 1.0 / (double)factors));
  }
}
