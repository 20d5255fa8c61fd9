/*
 * The linear complementarity problem in a box: lambda in [0, 1]^n such that r = a + G lambda is not
 * above zero where lambda is 0, not below it where lambda is 1, and zero elsewhere.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_COMPLEMENTARITY_H
#define ESS_COMPLEMENTARITY_H

#include <stdbool.h>
#include <stddef.h>

/* Room for n: two matrices, vectors and lists. */
typedef struct ess_box {
  double *inner, *matrix;
  double *b, *near, *other;
  size_t *members, *queue;
  signed char *way;
} ess_box;

/* Where lambda_i is: at 0, between, or at 1. */
enum { ESS_AT_ZERO = -1, ESS_BETWEEN = 0, ESS_AT_ONE = 1 };

/* How many solutions there are. */
typedef enum ess_solutions {
  ESS_ONE_SOLUTION,
  ESS_ONE_RATE, /* of many solutions, for all of which r is the same, the one nearest to 1/2 */
  ESS_MANY_SOLUTIONS
} ess_solutions;

/* What the principal minors of -G over the members are: all above zero, so that there is one
 * solution whatever a is; none below it; or some below. *worst is the pair that shows it. */
typedef enum ess_minors { ESS_MINORS_POSITIVE, ESS_MINORS_ZERO, ESS_MINORS_NEGATIVE } ess_minors;
ess_minors ess_principal_minors(size_t n, const double g[], const signed char part[],
                                size_t worst[2], const ess_box *work);

/* Solves it; `worst` as above where there are many. */
ess_solutions ess_complementarity(size_t n, const double a[], const double g[], double lambda[],
                                  signed char part[], size_t worst[2], const ess_box *work);

/* lambda with a + G lambda = 0, whatever it is; where G is singular the one nearest to
 * `near`; false where there is none. */
bool ess_complementarity_inside(size_t n, const double a[], const double g[], const double near[],
                                double lambda[], const ess_box *work);

/* The members of the i-th of 3^n ways. */
void ess_choose_way(size_t n, size_t way, signed char part[]);

/* Solves the linear equations, and writes over both; false where they are singular. */
bool ess_solve_linear(size_t n, double matrix[], double b[], size_t exchanged[]);

#endif
