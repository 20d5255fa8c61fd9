/*
 * The linear complementarity problem in a box: find lambda in [0, 1]^n such that r = a + G lambda
 * has r_i <= 0 where lambda_i = 0, r_i >= 0 where lambda_i = 1, and r_i = 0 elsewhere.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_BOX_LCP_H
#define ESS_BOX_LCP_H

#include <stdbool.h>
#include <stddef.h>

/* unknowns, at most, of which all 3^n choices of bounds are tried */
enum { ESS_LCP_FEW = 6 };

/* Scratch for n unknowns: two matrices, vectors and lists. */
typedef struct ess_box {
  double *inner, *matrix;
  double *b, *near, *other;
  size_t *members, *queue;
  signed char *choice;
} ess_box;

/* The place of lambda_i. */
enum { ESS_AT_ZERO = -1, ESS_BETWEEN, ESS_AT_ONE };

typedef enum ess_solutions {
  ESS_ONE_SOLUTION,
  ESS_ONE_RATE, /* many lambda have the same r: the one nearest to 1/2 */
  ESS_MANY_SOLUTIONS
} ess_solutions;

/* The signs of the principal minors of -G over the unknowns that `at` has between their bounds, or
 * all if it is NULL. If all are positive, there is one solution for every a. `worst` has the first
 * two unknowns of the minor that is not; the second is SIZE_MAX if there is one alone. */
typedef enum ess_minors { ESS_MINORS_POSITIVE, ESS_MINORS_ZERO, ESS_MINORS_NEGATIVE } ess_minors;
ess_minors ess_principal_minors(size_t n, const double g[], const signed char at[], size_t worst[2],
                                const ess_box *work);

/* Solves the problem: lambda, and the place of each. `worst` as above if there are many solutions.
 */
ess_solutions ess_box_lcp(size_t n, const double a[], const double g[], double lambda[],
                          signed char at[], size_t worst[2], const ess_box *work);

/* lambda with r = 0 in spite of bounds; of those with a singular G the one nearest to `near`; false
 * if there is none. */
bool ess_box_unbounded(size_t n, const double a[], const double g[], const double near[],
                       double lambda[], const ess_box *work);

/* The i-th of 3^n choices of places, and lambda for these; false if the equations are singular.
 * Then whether that lambda solves the problem, and one more solution: it replaces the last, and
 * counts unless it is the same. */
void ess_box_choose(size_t n, size_t i, signed char at[]);
bool ess_box_solve(size_t n, const double a[], const double g[], const signed char at[],
                   double lambda[], const ess_box *work);
bool ess_box_fits(size_t n, const double a[], const double g[], const signed char at[],
                  const double lambda[]);
void ess_box_add(size_t n, const double found[], const signed char choice[], double lambda[],
                 signed char at[], size_t *count);

#endif
