/*
 * Hostile systems, by seed: up to 33 guards that are crossed in quick succession, curved in six
 * ways, under ten kinds of reset matrix, with jumps and spacings of six kinds each. In every mode
 * the field is affine in the state, so the truth (hostile_truth.c, which shares nothing with
 * libess) is a Taylor series from crossing to crossing.
 *
 * A run is wrong where it ends in success and errs by more than HOSTILE_WORST tolerances, or makes
 * other crossings than the truth and errs by more than HOSTILE_OTHER. It is left out where the
 * system itself does not tell: where the truth, its start and its guards moved by HOSTILE_MOVED
 * tolerances at random, as often as HOSTILE_MOVES, makes other crossings once, or grows what it was
 * moved by tenfold; or where a row latches a guard that near to its zero, or beyond.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef HOSTILE_SYSTEMS_H
#define HOSTILE_SYSTEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "ess.h"

enum {
  HOSTILE_STATES = 9,
  HOSTILE_GUARDS = 33,
  HOSTILE_OUTPUTS = 8, /* times at which states are compared, the end included */
  HOSTILE_ENTRIES = 8 * HOSTILE_GUARDS,
  HOSTILE_EVENTS = 40 * HOSTILE_GUARDS,
  HOSTILE_MOVES = 12
};

static const double HOSTILE_WORST = 100.0, HOSTILE_OTHER = 10.0, HOSTILE_MOVED = 20.0;

typedef enum hostile_rows {
  HOSTILE_MIRROR,     /* no matrix */
  HOSTILE_ONE_WAY,    /* no matrix, upward crossings alone */
  HOSTILE_EMPTY,      /* a matrix without entries */
  HOSTILE_DISARM,     /* others are disarmed */
  HOSTILE_AHEAD,      /* others are armed ahead; some are not armed at the start */
  HOSTILE_CHAIN,      /* each arms the next, and nothing else is armed */
  HOSTILE_SILENT,     /* every other is silent, and its row names others */
  HOSTILE_SHARED,     /* some event functions are multiples of others */
  HOSTILE_SHARED_ROW, /* the same, and some are disarmed */
  HOSTILE_REARM,      /* half of the guards arm their mirror image */
  HOSTILE_ROWS
} hostile_rows;

typedef enum hostile_shape {
  HOSTILE_LINEAR,
  HOSTILE_SQUARE,  /* and a square of a state, or of several */
  HOSTILE_PRODUCT, /* and a product of two */
  HOSTILE_WAVE,    /* and a sine */
  HOSTILE_CIRCLE,  /* a peg */
  HOSTILE_CUBIC,   /* and a cube */
  HOSTILE_MIXED,   /* any of these, guard by guard */
  HOSTILE_SHAPES
} hostile_shape;

extern const char *const hostile_rows_names[HOSTILE_ROWS];
extern const char *const hostile_shape_names[HOSTILE_SHAPES];

/* how outputs are reached: all sampled in one apply, each by an apply of its own, with other
 * tolerances in turn */
typedef enum hostile_way { HOSTILE_SAMPLED, HOSTILE_APPLIED, HOSTILE_TIGHTENED } hostile_way;

/* an event function, and what it adds to the field where its sign is + */
typedef struct hostile_guard {
  hostile_shape shape;
  double normal[HOSTILE_STATES], place;
  double bend, wave, across[HOSTILE_STATES], other[HOSTILE_STATES];
  double centre[2], radius;
} hostile_guard;

typedef struct hostile_jump {
  double constant[HOSTILE_STATES];
  double column[HOSTILE_STATES], row[HOSTILE_STATES]; /* and column (row . x) */
} hostile_jump;

typedef struct hostile_system {
  hostile_rows rows;
  hostile_shape shape;
  size_t n, m;
  double matrix[HOSTILE_STATES][HOSTILE_STATES], drift[HOSTILE_STATES], x0[HOSTILE_STATES], end;
  hostile_guard guard[HOSTILE_GUARDS];
  hostile_jump jump[HOSTILE_GUARDS];
  bool one_way, has_matrix;
  bool weights; /* the field is declared affine in the signs, which it is; not drawn */
  bool silent[HOSTILE_GUARDS], off[2 * HOSTILE_GUARDS]; /* off: not armed at the start */
  size_t row_start[2 * HOSTILE_GUARDS + 2], row_guard[HOSTILE_ENTRIES];
  signed char row_effect[HOSTILE_ENTRIES];
  size_t output_count; /* the last of them is the end */
  double output[HOSTILE_OUTPUTS];
  bool by_component; /* the tolerance is tenfold for two states of three */
  hostile_way way;
  uint64_t seed;
} hostile_system;

void hostile_draw(hostile_system *s, uint64_t seed);

double hostile_event(const hostile_system *s, size_t k, const double x[]);
void hostile_gradient(const hostile_system *s, size_t k, const double x[], double gradient[]);

/* What state i may err by at a tolerance, relative to 1 + |x_i|. */
double hostile_unit(const hostile_system *s, double tolerance, size_t i);

/* what became of a system, by the truth or by libess */
typedef struct hostile_path {
  int status; /* of the truth: not 0 where it throws itself back, or leaves all bounds */
  double x[HOSTILE_OUTPUTS][HOSTILE_STATES];
  size_t crossings, silent;
  double sign[HOSTILE_GUARDS];
  bool is_unclear; /* the truth: a row has latched a guard within the margin of its zero, or beyond
                    */
} hostile_path;

/* The truth, looking so many times as often as is enough most often. */
void hostile_truth(const hostile_system *s, double margin, double fineness, hostile_path *p);

typedef enum hostile_verdict {
  HOSTILE_RIGHT,
  HOSTILE_WRONG,
  HOSTILE_LEFT_OUT,
  HOSTILE_REFUSED /* it ended in a status */
} hostile_verdict;

typedef struct hostile_outcome {
  hostile_verdict verdict;
  double error; /* in tolerances, the worst of all states and outputs */
  int status;
  size_t crossings, silent, true_crossings, true_silent;
  ess_counters counters;
  bool
      is_observed_alike; /* with an observer of crossings everything is the same, to the last bit */
} hostile_outcome;

/* Runs libess at this tolerance, and holds it against the truth as hostile_truth(s, 0, 1) has it;
 * once more with an observer where that is asked for. */
hostile_outcome hostile_run(const hostile_system *s, const hostile_path *truth, double tolerance,
                            bool observed);

#endif
