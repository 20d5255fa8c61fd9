/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The papers' claims as data: what each says, in our words; what number decides it, and within
 * which bounds it holds. Bounds stood here before the number was looked at. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "results.h"

/* One claim. A number is `a`, or a over `b`; with `each`, a column of both, the one of these that
 * is furthest from 0 over all values that it has among the rows of a. */
typedef struct claim {
  const char *paper, *place, *says;
  const char *criterion; /* what number decides, and which values mean that it holds */
  const char *command;   /* what measures it; NULL: it cannot be tested, for the criterion given */
  double low, high;      /* it holds from low to high */
  results_number a, b;
  const char *each;
  results_number reach; /* without a row of it the results do not go as far as the claim */
} claim;

/* Ends with one without a paper. */
extern const claim claims[];

#endif
