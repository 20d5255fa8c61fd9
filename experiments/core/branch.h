/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An orbit followed along one parameter of the model, and where its stability changes. */
#ifndef BRANCH_H
#define BRANCH_H

#include "orbit.h"

enum { BRANCH_POINTS_MAX = 2000, BRANCH_CHANGES_MAX = 64 };

typedef enum branch_change_kind {
  BRANCH_DOUBLING, /* a multiplier passes -1 */
  BRANCH_ONE,      /* a multiplier passes 1: orbits meet, or others branch off */
  BRANCH_PAIR,     /* a complex pair passes the unit circle */
  BRANCH_FOLD      /* a multiplier passes 1, and the branch turns back */
} branch_change_kind;

const char *branch_change_name(branch_change_kind kind);

typedef struct branch_change {
  branch_change_kind kind;
  double value; /* of the parameter */
  orbit at;
} branch_change;

typedef struct branch {
  const char *parameter;
  double to;
  size_t points, changes; /* so many are there */
  double *value;          /* [BRANCH_POINTS_MAX + 1] */
  orbit *orbit;           /* likewise: of which the first is where it starts */
  branch_change *change;  /* [BRANCH_CHANGES_MAX] */
  bool reached;
  char why[SOLVER_MESSAGE_SIZE]; /* it ends before `to`; "" */
} branch;

/* From the orbit `first` of the request's model to parameter = to in so many equal steps, of which
 * those that are too long are halved. Where the branch turns back it is followed around the fold,
 * and back to where the parameter began. What has been found stands, whatever ends it. 0;
 * SOLVER_FAILED or SOLVER_REFUSED with one line where there is nothing to follow. Free it in any
 * case. */
int branch_follow(const orbit_request *request, const orbit *first, const char *parameter,
                  double to, size_t steps, branch *b, char message[SOLVER_MESSAGE_SIZE]);
void branch_free(branch *b);

#endif
