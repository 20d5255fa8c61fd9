/*
 * The truth about a hybrid system, for tests of libess, of which it uses nothing: Taylor series in
 * `long double` in each mode, zeros of event functions by the Bernstein form, and sliding modes by
 * looking at all cases. Errors are about 1e-17 of a state's largest value, times the condition.
 *
 * It follows the meaning of systems that ess.h documents. Where libess depends on its tolerance,
 * the truth is the limit for tolerance 0.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TRUTH_H
#define TRUTH_H

#include "hybrid.h"

typedef enum truth_status {
  TRUTH_SUCCESS,
  TRUTH_UNDECIDED,       /* a graze, an order of simultaneous events that decides, or the margin */
  TRUTH_NO_CONTINUATION, /* none, or several: without `sliding` also where the state would slide */
  TRUTH_ZENO,            /* impacts accumulate, or push a state at rest */
  TRUTH_DIVERGED         /* the solution is not finite, or takes more than a million steps */
} truth_status;

typedef struct truth_options {
  bool sliding, rest; /* as in ess_options; surfaces of `slides` lines, if there are any */
  bool is_rounded;    /* initial states on a zero are so within the rounding of `double` */
  double
      margin; /* an outcome that is `nearest` by less than this, or 1e-15, is undecided; -1: none */
  double t1;  /* the end; 0: that of the text */
  const double *times; /* samples, from the initial time to t1 */
  size_t time_count;
  const double *x0;   /* initial states, if not those of the text; */
  const double *lift; /* what is added to event functions, if anything */
  /* called at the times of `jump` lines: may change parameters, which are the text's before */
  void (*change)(double t, const double x[], double parameter[], void *context);
  void (*note)(const hybrid_record *record, void *context); /* receives all records */
  void *context;
  unsigned stops; /* as in hybrid_plan: the run ends at the `until`th of these messages; the */
  size_t until;   /* derivative is that of the state there, and of its time in another row */
  size_t at;      /* as in hybrid_plan */
  bool by_states; /* as in hybrid_derivative */
  size_t count;   /* directions, of which the differences are one-sided; 0: unit vectors */
  const double *along;
} truth_options;

typedef struct truth_end {
  truth_status status;
  const char *reason; /* of a failure, else NULL */
  double t, x[HYBRID_STATES], sign[HYBRID_EVENTS];
  size_t steps, count; /* records, of which no more than HYBRID_LOG are kept */
  hybrid_record record[HYBRID_LOG];
  size_t crossings[HYBRID_EVENTS]; /* of each event function, silent ones and impacts too */
  double slowest; /* the smallest rate of an event function at its crossing, before or after it */
  double *states; /* [time_count * n], which the caller frees; NULL without times */
  /* How near the run was to other events: the smallest value, relative to the terms of its event
   * function, of another one at an event, and of a minimum that is no zero, or the depth to which
   * a crossing goes before it returns. Negative: a row has latched a guard beyond its zero. */
  double nearest;
  long double exact[HYBRID_STATES + 1]; /* x in full, and then t */
} truth_end;

/* A run from the initial condition to the end, backward if that is earlier. */
truth_end truth_run(hybrid *h, const truth_options *options);

/* The derivative of the final state with respect to initial states and parameters:
 * D[n * (n + P)], by central differences of runs, whose events must be the same. Along directions,
 * D[n * count], it is that of the runs ahead: their events may be simultaneous in between. */
truth_status truth_tangent(hybrid *h, const truth_options *options, double D[]);

/* Whether the system itself decides its run at a tolerance: with its parameters, initial states and
 * event functions moved at random by up to TRUTH_MOVED tolerances, TRUTH_MOVES times, it has the
 * same events, and errors of less than TRUTH_GROWTH times as much. An initial state on the zero of
 * an event function stays there. unit[i]: the tolerance of state i, relative to 1 + |x|. *spread is
 * the largest error in tolerances, INFINITY where a moved system has no truth. */
enum { TRUTH_MOVES = 12, TRUTH_MOVED = 20, TRUTH_GROWTH = 10 };
bool truth_is_clear(hybrid *h, const truth_options *options, const truth_end *truth,
                    const double unit[], double *spread);

/* The largest error of final states, or of samples where there are any, in tolerances. */
double truth_error(const hybrid *h, const truth_options *options, const truth_end *truth,
                   const double x[], const double samples[], const double unit[]);

#endif
