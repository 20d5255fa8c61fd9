/*
 * Random systems whose crossings come in clusters, by seed. They are event-selected: along a drift
 * direction d the field is 2 + tanh(...), in [1, 3] in every mode, and normals are d and a part
 * across it. Where each event function is crossed is chosen in time: the independent integration
 * (oracle_events.h) runs, and a guard is put where it stands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef RANDOM_SYSTEMS_H
#define RANDOM_SYSTEMS_H

#include "ess.h"

enum { SYSTEMS_STATES = 8, SYSTEMS_GUARDS = 200, SYSTEMS_TIMES = 50 };

#define SYSTEMS_END  1.0 /* time at which a run ends */
#define SYSTEMS_LIVE 0.4 /* smallest rate at a crossing */

typedef enum systems_kind {
  SYSTEMS_ALIKE,         /* every crossing adds the same */
  SYSTEMS_UNLIKE,        /* sizes over orders of magnitude, directions of their own */
  SYSTEMS_OPPOSITE,      /* +a and -a in random order */
  SYSTEMS_INTERLEAVED,   /* +a, -a, +a ... in time: halves in time cancel */
  SYSTEMS_NON_COMMUTING, /* matrices of rank one, and products of two signs */
  SYSTEMS_RATES,         /* jumps in a guard's own rate and in those of guards to come */
  SYSTEMS_CURVED,        /* quadratic and cosine event functions, round pegs */
  SYSTEMS_ROWS,          /* reset matrix: arming, disarming, silent guards; one way or two */
  SYSTEMS_MIXED,         /* all but the rows, guard by guard */
  SYSTEMS_KINDS
} systems_kind;

extern const char *const systems_kind_names[SYSTEMS_KINDS];

typedef enum systems_shape { SYSTEMS_PLANE, SYSTEMS_BOWL, SYSTEMS_WAVE, SYSTEMS_PEG } systems_shape;

/* an event function, up to its orientation, and what it adds to the field beyond it */
typedef struct systems_guard {
  systems_shape shape;
  double orientation, strength; /* +-1; of the bend, or a peg's radius */
  double normal[SYSTEMS_STATES], bend[SYSTEMS_STATES];
  double place[SYSTEMS_STATES];                       /* a point on it; a peg's middle */
  double time;                                        /* of its crossing, as chosen */
  double jump[SYSTEMS_STATES];                        /* added across the drift */
  bool linear;                                        /* adds what follows too */
  double column[SYSTEMS_STATES], row[SYSTEMS_STATES]; /* so is column (row . x) */
  double pair[SYSTEMS_STATES];                        /* so is this while `partner` is beyond too */
  size_t partner;
  double speed; /* added within the tanh */
  bool unarmed; /* at the start */
} systems_guard;

typedef struct random_system {
  systems_kind kind;
  size_t n, m;
  double drift[SYSTEMS_STATES], matrix[SYSTEMS_STATES][SYSTEMS_STATES];
  double phase[SYSTEMS_STATES], drive[SYSTEMS_STATES];
  double x0[SYSTEMS_STATES];
  systems_guard guard[SYSTEMS_GUARDS];
  bool one_way;
  unsigned callbacks; /* 1: a Jacobian in place of rates; 2: rates of some guards too */
  size_t row_start[2 * SYSTEMS_GUARDS + 2], row_guard[4 * SYSTEMS_GUARDS];
  signed char row_effect[4 * SYSTEMS_GUARDS];
  bool silent[2 * SYSTEMS_GUARDS];
  ess_reset_matrix resets;
  /* by the independent integration */
  double states[SYSTEMS_TIMES * SYSTEMS_STATES];
  size_t crossings[SYSTEMS_GUARDS], crossing_count;
} random_system;

/* Draws a system and integrates it; *s points into itself: it is not to be copied. -1 when the
 * draw is not live, or GSL's own error is too large: another seed is to be tried. */
int random_system_draw(random_system *s, systems_kind kind, unsigned long seed);

/* the i-th output time, 1 ... SYSTEMS_TIMES */
double random_system_time(size_t i);

/* what libess is given */
ess_system random_system_ess(random_system *s);

/* what libess made of a system */
typedef struct random_run {
  int status;
  double error; /* RMS over states and output times */
  size_t missed, invented;
  ess_counters counters;
} random_run;

/* runs libess on a system at rtol = atol = tolerance by a base; with `stop_every` > 0 an observer
 * stops the run after each so many crossings, and it is gone on with */
random_run random_system_run(random_system *s, double tolerance, ess_base base, size_t stop_every);

#endif
