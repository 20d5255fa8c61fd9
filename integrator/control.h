/*
 * The length of the next step: the least of bounds, each of which has a cause; and refusals.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CONTROL_H
#define ESS_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ess.h"

/* Causes of a bound on the length of a step, or of a refusal. */
typedef enum ess_cause {
  ESS_BY_NONE,
  ESS_BY_ERROR,     /* of the state at its end */
  ESS_BY_NO_NUMBER, /* the same, which is no number */
  ESS_BY_STABILITY, /* of the base that makes it */
  ESS_BY_TURNING,   /* how fast event functions turn */
  ESS_BY_CROSSING,  /* how far those before it came that began at the same guard */
  ESS_BY_SERIES,    /* impacts that accumulate */
  ESS_BY_DOUBT,     /* whether an event function goes as its model does */
  ESS_BY_THROUGH,   /* effects that the crossings within it have on each other */
  ESS_BY_TANGENTS,  /* how exactly directions need its crossing */
  ESS_BY_EXIT,      /* where a slide ends within it */
  ESS_CAUSES
} ess_cause;

/* The outcome of a try: it stands, or is refused, or the run ends. */
typedef struct ess_verdict {
  int status;      /* other than ESS_SUCCESS: the run ends */
  ess_cause cause; /* of a refusal */
  double next;     /* then the next try is no longer */
} ess_verdict;

static inline bool ess_stands(const ess_verdict *v) {
  return !v->status && v->cause == ESS_BY_NONE;
}

/* How fast event functions turn, as far as it has been seen. */
typedef struct ess_turning {
  double share;   /* of its range, the largest that a model of the step just tried may be off by */
  size_t guard;   /* whose model that is; SIZE_MAX: a weight's that holds a slide */
  double length;  /* of the last step that was believed; 0: there was none */
  double first;   /* the first that was tried, while there is none */
  double longest; /* that the next step may be */
  int tries;      /* in a row of which none was */
  int refused;    /* tries of late that were not, less half of the steps that were */
  bool is_seen;   /* event functions have turned: their paces are known */
  double *pace;   /* by event function: its rate, in the last step */
  bool *is_distance, any_distance; /* by event function: it bounds no step far from zero */
  double *extent, *speed; /* of distances: range and doubt in the step just tried; by time before */
} ess_turning;

/* Steps that begin at a crossing. */
typedef struct ess_after {
  size_t crossed;  /* the guard crossed last since a step began, or SIZE_MAX */
  size_t from;     /* the guard whose crossing this step begins at, or SIZE_MAX */
  double *longest; /* by guard: how long such a step may be, by the lengths of those before */
} ess_after;

/* Steps of order 3, from a crossing to the next. */
typedef struct ess_brief {
  double longest; /* that the next may be, by its error */
  size_t guard;   /* that was crossed last, or SIZE_MAX; and when */
  double since;
  double *way; /* by guard: how long after it another was crossed; INFINITY: not known */
} ess_brief;

typedef struct ess_control {
  double next;          /* the step's length by all bounds that last; 0: to be chosen */
  double log_error_old; /* of the step before; base 2 */
  double longest;       /* of tries of this step, where they are brief */
  double shortest;      /* turning bounds no step at this node to less */
  bool is_repeated;     /* a try of this step has been refused for its error */
  ess_turning turning;
  ess_after after;
  ess_brief brief;
  uint64_t bounded[ESS_CAUSES], refused[ESS_CAUSES]; /* how often, for tests */
} ess_control;

/* ---- bounds and refusals --------------------------------------------------------------------- */

/* Nothing is known of steps from here on, where the field jumps; nor of another trajectory. */
void ess_control_restart(ess_driver *d);
void ess_control_forget(ess_driver *d);

/* The next step is no longer than this; it is this long, whatever the bounds were. */
void ess_control_bound(ess_driver *d, ess_cause cause, double longest);
void ess_control_anew(ess_driver *d, double length);

/* The last step's error does not predict the next one's: another base makes that. */
void ess_control_forget_error(ess_driver *d);

/* The step just tried is refused, and the next try is this long; that is done and counted. */
static inline ess_verdict ess_refused(ess_cause cause, double next) {
  return (ess_verdict){.cause = cause, .next = next};
}
void ess_control_refuse(ess_driver *d, const ess_verdict *v);

/* It counts as refused, though it is taken as it is. */
void ess_control_count(ess_driver *d, ess_cause cause);

/* Whether time resolves a step of this length. */
bool ess_is_resolved(const ess_driver *d, double length);

/* Safety factor of the next length; ESS_SAFER where the estimate is of low order, or the field has
 * just changed. Then the largest reduction and growth from one step to the next. */
static const double ESS_SAFETY = 0.9, ESS_SAFER = 0.8, ESS_SHRINK_MOST = 0.1, ESS_GROW_MOST = 10.0;

/* exponent of the error before the last one in the next length */
#define ESS_BETA 0.04

/* ---- a step ---------------------------------------------------------------------------------- */

/* The first step's length (Hairer I, II.4). */
int ess_control_first(ess_driver *d, double t1, double *dt);

/* Where no length is known the next step is the first. */
int ess_control_start(ess_driver *d, double t1);

/* Before the first try of a step, which slides or not. Then, for a step that begins at a crossing
 * and does not go through others: whether it is brief, to be made by a base of order 3. */
int ess_control_begin(ess_driver *d, double t1, bool sliding);
bool ess_control_after(ess_driver *d);

/* An apply begins: no try has been made of its first step. */
void ess_control_open(ess_driver *d);

/* Root mean square of v scaled by the tolerances at |a| and |b|. */
double ess_scaled_norm(const ess_driver *d, const double v[], const double a[], const double b[]);

/* The verdict on a try by its error, over the one allowed; the same for a brief step; and that on a
 * step that stands, for which the next length is known. */
ess_verdict ess_control_judge(ess_driver *d, double error);
ess_verdict ess_brief_judge(ess_driver *d, double error);
ess_verdict ess_control_stands(ess_driver *d, double next);

/* The step has been made, and taken so long, after so many refusals. */
void ess_control_made(ess_driver *d, double length, uint64_t refused);

/* ---- turning --------------------------------------------------------------------------------- */

/* Effect on the state, in tolerances, that does not matter. */
static const double ESS_UNFELT = 0.1;

/* Error of a quartic over its range up to which it is trusted: a sine over about two fifths of a
 * period. */
static const double ESS_BELIEVED = 0.03;

/* A share of which nothing is said: steps may grow as much as they ever do. */
#define ESS_STILL_TURNING 1e-5

/* Nothing is known of the event functions where the driver is now. */
void ess_forget_turning(ess_driver *d);

/* The share of its range that a model may be off by where the step is not too long for it. */
double ess_believed_share(const ess_driver *d);

/* The step just tried, whose guards have been flagged without doubt, is refused if it is too long
 * for its event functions' turns. The next one gets a bound by this one's models. */
ess_verdict ess_judge_turning(ess_driver *d);

#endif
