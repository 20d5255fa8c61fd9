/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Periodic orbits of a model that has a section: fixed points of the map from one passage of it to
 * a later one, by Newton's method with libess's tangents, and how small disturbances grow there. */
#ifndef ORBIT_H
#define ORBIT_H

#include "flow.h"
#include "growth.h"

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

/* How far that is, in what each coordinate is large beside; and how near is an orbit. */
double orbit_residual(const double s[], const double to[], size_t count);
double orbit_enough(const orbit_request *request);

/* What there is to know of the orbit through o->s, which is one. As orbit_find. */
int orbit_look(const orbit_request *request, orbit *o, char message[SOLVER_MESSAGE_SIZE]);

/* From the guess o->s. 0; SOLVER_FAILED or SOLVER_REFUSED with one line. */
int orbit_find(const orbit_request *request, orbit *o, char message[SOLVER_MESSAGE_SIZE]);

#endif
