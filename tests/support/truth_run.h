/*
 * A run of truth.c, and what its files share: truth_flow.c has the motion in a mode,
 * truth_instant.c the events of one time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TRUTH_RUN_H
#define TRUTH_RUN_H

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "taylor.h"
#include "truth.h"

/* Errors of rounding that count as zero, and crossings of one guard that may be an accumulation. */
enum { TRUTH_ROUNDINGS = 64, TRUTH_RETURNS = 12 };

/* The state is beside the zero of an event function, slides on it, or rests on it. */
typedef enum held { BESIDE, SLIDES, RESTS } held;

typedef struct mode {
  double sign[HYBRID_EVENTS];
  bool armed[2 * HYBRID_EVENTS];
  held held[HYBRID_EVENTS];
} mode;

/* An event function h on whose zero the state may stay. `held` is what the share or force lambda
 * keeps at zero: h', or h'' where the jump of the field does not change h'. */
typedef struct surface {
  bool is_made, is_second;
  const char *fault; /* why the state cannot slide there */
  int held;
} surface;

typedef struct run {
  hybrid *h;
  const truth_options *options;
  truth_end *end;
  expressions list; /* that of h, and more */
  int *event;       /* [m], those of h, lifted */
  int *field;       /* [n], with the forces of guards that the state rests on */
  surface *surfaces;
  int *effect;            /* [m * m]: d held_k / d lambda_l, -1: not made */
  bool *can_rest;         /* [m] */
  size_t n, m, functions; /* m event functions, and then those that are watched */
  int direction;
  long double t, t1, span, step; /* step: how far the series are good */
  long double since;             /* an event: the time from the beginning of the step */
  long double x[HYBRID_STATES], size[HYBRID_STATES], error[HYBRID_STATES]; /* size: in the last
                                                                               step */
  mode now, needed; /* needed: the one whose expressions `flow` has */
  bool is_needed;
  terms *along, *signs, *parameters, *lambda; /* series of states, signs and so on */
  bool *slides, *rests;                       /* [m], [P + m] of parameters */
  series flow, other;
  double watch_side[HYBRID_EVENTS];
  int zeros[2 * HYBRID_EVENTS]; /* coefficients of a function that are zero by construction: 1 at an
                                   event, 2 where a force holds h' at zero, too */
  bool at_bound[2][HYBRID_EVENTS];    /* lambda is 0, or 1 - lambda, by construction */
  int *rates;                         /* [functions], derivatives along the field */
  long double *noise, *rate_noise;    /* [functions], of the value and rate, by rounding so far */
  long double (*last)[TRUTH_RETURNS]; /* times of crossings */
  size_t *crossings;
  size_t sampled;
  bool begins; /* nothing has moved yet */
  bool is_starting;
  bool descends; /* the order in which simultaneous crossings are made */
} run;

static inline void *truth_room(size_t count, size_t size) {
  void *const memory = calloc(count + 1, size);
  if (!memory) abort();
  return memory;
}

static inline size_t guard_ahead(const run *r, size_t k) {
  return r->now.sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
}

static inline bool is_armed(const run *r, size_t k) {
  return r->now.held[k] == BESIDE && r->now.armed[guard_ahead(r, k)];
}

static inline int function(const run *r, size_t k) {
  return k < r->m ? r->event[k] : r->h->watch[k - r->m];
}

static inline const long double *series_of(const run *r, size_t k) {
  return r->flow.of[function(r, k)];
}

/* the size of a function's terms */
static inline long double size_of(const run *r, size_t k) {
  return r->flow.error[function(r, k)] / LDBL_EPSILON;
}

/* what rounding in a step may make of a function's values */
static inline long double noise_of(const run *r, size_t k) {
  return TRUTH_ROUNDINGS * LDBL_EPSILON * size_of(r, k);
}

static inline bool is_on(const run *r, size_t k) {
  return r->zeros[k] > 0 || fabsl(series_of(r, k)[0]) <= r->noise[k];
}

/* latches a sign and arms the guard ahead, which a one-way function does not have above zero */
void truth_arm(run *r, size_t k, double sign, bool armed);
bool truth_has_matrix(const run *r);
bool truth_may_slide(const run *r, size_t k);
bool truth_is_zero(const run *r, int of);
/* the derivative with respect to time along a field */
int truth_along_field(run *r, int of, const int field[]);
/* The force with which impacts act on a state at rest on guard g: the map's effect on a state that
 * approaches with speed 1, (DR - I) v with grad psi . v = -1 or +1, where psi is the rate of the
 * event function. It enters the field with a factor, the parameter P + k. */
void truth_add_force(run *r, size_t g, int field[]);
/* Makes the field affine in sign k: the mean of both sides, and the sign times half their
 * difference, so that a share lambda of the sign is that of the field. */
void truth_make_affine(run *r, size_t k);
const surface *truth_surface_of(run *r, size_t k);
size_t truth_list_held(const run *r, size_t set[]);
long double truth_lambda_noise(const run *r, size_t k);
/* Series of everything from the present state, in the present mode. Coefficient j of what the
 * lambda hold at zero is linear in their coefficients j, and Newton's method finds those of j = 0.
 * Returns false where there is no solution. */
bool truth_flow(run *r);
/* At an event so long after the beginning of the step, the first coefficients of event functions
 * without a new flow: false where these do not tell enough. */
bool truth_shift(run *r, long double by);
/* The coefficients of a series over a step. */
void truth_scale(const long double of[], long double by, long double to, terms c);
/* How a function begins: the sign of its first coefficient that is not rounding, and its place. */
int truth_lead_of(const run *r, size_t k, int *place);
/* the same of a share or force lambda, and of 1 - lambda */
int truth_lead_of_lambda(const run *r, size_t k, bool is_rest, terms c, int *place);

/* ---- truth_instant.c ---- */

truth_status truth_fail(run *r, truth_status status, const char *reason);
void truth_note(run *r, hybrid_message message, size_t guard, int direction);
/* How near event function k is to another event; not just after its own, where bounces end. */
void truth_note_distance(run *r, size_t k, long double distance);

/* Of all modes of the event functions on whose zeros the state is, those which may be slid on, the
 * one with a consistent flow, which has to be a single one. In the initial condition all others,
 * impacts aside, are among them, too. */
truth_status truth_choose(run *r);
/* an impact of simultaneous events: crossings, and then the maps, which follow each other */
void truth_strike(run *r, const size_t events[], size_t count);
/* watched functions on whose other side the state is now */
void truth_watch(run *r, bool is_told);
/* Settles. Where several guards are crossed at once, their order must not matter. */
truth_status truth_settle(run *r, bool is_event);

#endif
