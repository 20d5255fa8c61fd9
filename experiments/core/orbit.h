/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Periodic orbits of a model that has a section, how disturbances grow there, and branches of them.
 */
#ifndef ORBIT_H
#define ORBIT_H

#include "flow.h"
#include "model.h"

/* ---- growth ---------------------------------------------------------------------------------- */

/* How fast products of matrices grow. */

enum { GROWTH_MATRIX_MAX = MODEL_SECTION_MAX * MODEL_SECTION_MAX };

/* Bounds of the joint spectral radius: the growth per factor of the worst product of the matrices,
 * by the products that are not too long to try. One matrix: its spectral radius, twice. */
void growth_of_products(double matrix[][GROWTH_MATRIX_MAX], size_t pieces, size_t count,
                        double *least, double *most);

/* ---- orbit ----------------------------------------------------------------------------------- */

/* Periodic orbits of a model that has a section: fixed points of the map from one passage of it to
 * a later one, by Newton's method with libess's tangents, and how small disturbances grow there. */

enum { ORBIT_PIECES_MAX = 64 };

typedef enum orbit_stability {
  ORBIT_STABLE,    /* whatever order the pieces come in */
  ORBIT_UNSTABLE,  /* by the multipliers; of several pieces by the worst product of them */
  ORBIT_UNDECIDED, /* on the border; or no product of those tried grows, yet longer ones might */
  ORBIT_NOT_KNOWN  /* more pieces than are tried, or than libess counts */
} orbit_stability;

const char *orbit_stability_name(orbit_stability stability);

typedef struct orbit_request {
  const model *m;             /* prepared */
  const ess_options *options; /* of libess */
  size_t passages;            /* of the section, that make the map */
} orbit_request;

/* Multipliers are those of the first piece: real[i] + i imaginary[i], the largest first. */
typedef struct orbit {
  size_t count; /* of the section's coordinates */
  double s[MODEL_SECTION_MAX], period, residual;
  unsigned iterations;
  flow_kind kind;
  size_t pieces, shown;
  double matrix[ORBIT_PIECES_MAX][GROWTH_MATRIX_MAX];
  size_t tied, order[ORBIT_PIECES_MAX][FLOW_EVENTS_MAX]; /* of the last instant of several events */
  double real[MODEL_SECTION_MAX], imaginary[MODEL_SECTION_MAX];

  /* by which disturbances grow with each map, by the worst product: not less than, not more than */
  double least, most;
  orbit_stability stability;
} orbit;

/* What the map makes of s[count], and its derivative there, [count*count]. 0;
 * SOLVER_FAILED or SOLVER_REFUSED with one line. */
int orbit_map(const orbit_request *request, const double s[], double to[], double matrix[],
              char message[SOLVER_MESSAGE_SIZE]);

/* From the guess o->s. 0; SOLVER_FAILED or SOLVER_REFUSED with one line. */
int orbit_find(const orbit_request *request, orbit *o, char message[SOLVER_MESSAGE_SIZE]);

/* ---- branch ---------------------------------------------------------------------------------- */

/* An orbit followed along one parameter of the model, and where its stability changes. */

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
