/*
 * The driver's state, which libess's files share.
 *
 * Throughout, `g_k = -sign_k h_k` is the event function seen from the side the state is on:
 * negative before the crossing, zero on the guard, whichever of a mirrored pair is the candidate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_DRIVER_STATE_H
#define ESS_DRIVER_STATE_H

#include <stdlib.h>
#include <string.h>

#include "along.h"
#include "arithmetic.h"
#include "control.h"
#include "ess.h"
#include "projection.h"
#include "returns.h"
#include "through.h"

enum {
  ESS_STAGES = 7,
  ESS_DENSE = 4,
  ESS_BLOCK = 16 /* guards that are looked at, or passed over, together */
};

/* smallest error the step-size controller remembers, 2^-13, so that one lucky step does not silence
 * it */
#define ESS_LOG_ERROR_FLOOR -13.0

/* Where rates of event functions come from: callbacks; these, but the part by time, which is a
 * difference, whose noise is larger than rounding; or differences alone (slope.c). */
typedef enum ess_rates {
  ESS_RATES_GIVEN,
  ESS_RATES_GIVEN_BUT_FOR_TIME,
  ESS_RATES_BY_DIFFERENCES
} ess_rates;

/* The system as the caller gave it, beside the one that the driver integrates (caller.c). Systems
 * differ where event functions move in time, which is a state more; where their rates are
 * differences; where time goes backward, as a time of its own that goes forward; and where
 * functions are only watched: event functions after the caller's, whose crossing changes nothing.
 * So they are found as surely as those, and in the same order of time. */
typedef struct ess_caller {
  /* callbacks are the caller's, shapes those of what is integrated without the time; resets and
   * impacts NULL: copied */
  ess_system system;
  ess_impacts impacts;
  ess_rates rates; /* of its event functions */
  bool has_rows;   /* the system says what crossings arm */
  bool moves;      /* the state after the caller's is the time since `origin` */
  double way;      /* -1: the driver's time is the caller's, negated; else 1 */
  double origin;   /* in the driver's time */

  double *x;                        /* [n + 1] */
  double *Dh;                       /* when the system gives no event_rates */
  double *partial;                  /* what event functions change by with time alone */
  size_t *each;                     /* all event functions */
  double *beside, *above, *below;   /* a state, and event functions, beside the one looked at */
  double *best, *off, *rate, *bent; /* by event function: differences (slope.c) */
  double *rounding, *terms;         /* where the state slides, what is rounding in them, and how
                                       large the terms are that their rates are the sum of */
  double *after;
} ess_caller;

/* Event functions of ess_watch (watched.c). */
typedef struct ess_watched {
  size_t first, count;   /* event functions from `first` on are only watched */
  ess_observer observer; /* the caller's */
  int *jumped;           /* [count]: which way the last impact has taken it past zero, or 0 */
  double jump_t;         /* when that was */
  uint64_t *stop, *left; /* [count]: events that end a run, and how many are left of them */
  size_t *events;        /* [first]: those of an impact that the caller knows of */
  int *direction;        /* [count] */
  double *v, *x, *h, *h_before, *rate, *rounding; /* scratch */
} ess_watched;

/* how the state went from one node to the next */
typedef enum ess_piece_kind {
  ESS_PIECE_POINT,   /* not at all: no step has been made */
  ESS_PIECE_STEP,    /* by the dense output of a step of length `length`, or its first part */
  ESS_PIECE_PARABOLA /* leaving along c[0], and passing the point `length` later along c[1] */
} ess_piece_kind;

typedef struct ess_piece {
  ess_piece_kind kind;
  double t0, t1; /* of its ends; that of t1 is the node */
  double length;
  double *x; /* at t0 */
  double *c[ESS_DENSE];
} ess_piece;

/* How stiff the field is, and stabilised steps (rkc.c). */
typedef struct ess_stabilised {
  double off_until;  /* none is made until then, or until a crossing (tangent.c) */
  double radius;     /* the spectral radius of the field's Jacobian */
  double *direction; /* in which the field changes the most */
  int tries, stages; /* since the radius was found; of the last step */
} ess_stabilised;

/* Whether LIT may rely on the caller's W (lit.c). */
typedef struct ess_trust {
  double takes, stiffness; /* of steps that have shown that it may: the most that W takes from the
                              correction, as a factor; and that as a stiffness, 1/s */
  uint64_t relied, alarms; /* steps since the last of these; those in a row that show W wrong */
} ess_trust;

/* Which base makes steps (base.c). */
typedef struct ess_choice {
  /* the one that makes the next, unless the state slides; and another that may be chosen as the run
   * goes, or NULL: dopri5 and one for stiff fields, or the other way round */
  const struct ess_stepper *base, *other;
  uint64_t crossings; /* that had been made when the last step was tried */
  unsigned turns;     /* steps in a row that the other base would have made for less */
  /* as counters.steps: when steps by the one for stiff fields began, and before which they do not
   * begin again, which is so many after they ended */
  uint64_t since, not_before, wait;
  ess_trust trust;
} ess_choice;

/* Between which of the field's jumps by time the run is, in its own time (field_jumps.c). */
typedef struct ess_between {
  double passed, next;  /* -INFINITY and INFINITY where there is none */
  double after, before; /* at which times the field is called in place of these */
} ess_between;

/* Data of steps by ROS2 and LIT on the field beside their ends: the node before, of the same mode
 * (rosenbrock.c). */
typedef struct ess_beside {
  double t;            /* the node at which a step was tried last; NAN: none was in this apply */
  double way;          /* to it from the one beside it; 0: there is none */
  double *f, *f_there; /* the field at both */
  uint64_t crossings;  /* that had been made */
} ess_beside;

/* Events that are stepped over (unlocated.c). */
typedef struct ess_unlocated {
  bool on;                     /* now */
  bool is_known;               /* mode_changed has had the signs */
  bool is_lost;                /* events cannot be located on this trajectory */
  double *node, *end, *before; /* signs at the node, at the end of the step tried; scratch */
  /* Work of ESS_LOCATE_CHOSEN so far by event functions of a list, over all; of both ways, by time,
   * as it was last; of the way that is under way: when it began, with which work, after how many
   * steps; how long a trial lasts; how many of these times until the next. */
  double some, rate[2], since, work, trial;
  uint64_t steps, wait;
  bool tries; /* this is a trial */
} ess_unlocated;

/* Steps that are halved for an event function whose model is in doubt (suspect.c). */
typedef struct ess_doubt {
  size_t guard, count; /* which, and how often in a row */
  uint64_t step;       /* that was halved last, as counters.steps before it */
  double longest;      /* of those that were since one was made without */
} ess_doubt;

/* The use of the step just tried, if it stands. */
typedef enum ess_use {
  ESS_USE_WHOLE,
  ESS_USE_CUT,    /* to where a candidate reaches its level */
  ESS_USE_THROUGH /* whole, and its crossings are made in it (through.c) */
} ess_use;

/* Location of the first crossing in the step just tried. */
typedef struct ess_location {
  ess_use use;
  double theta;       /* of the cut, in (0, 1]; 1 without one */
  size_t doubt_guard; /* the step is too long to trust this guard's model; SIZE_MAX: none */
} ess_location;

/* The fate of an event function in the step being tried. Event functions that are sought, or more,
 * are listed in d->flagged. */
typedef unsigned char ess_fate;
enum {
  ESS_FATE_NONE,    /* nothing */
  ESS_FATE_SOUGHT,  /* it may stop the step */
  ESS_FATE_TURNING, /* it does, unless another does before: armed beyond its level, it turns there
                     */
  ESS_FATE_PASSED,  /* silent: passed for good, by the step's end, without stopping it */
  ESS_FATE_IDLE,    /* its sign acts on nothing all along the step: passed for good, too */
  ESS_FATE_REACHED, /* silent: reached where the step is cut for another */
  ESS_FATE_ENTERED  /* the step is cut at its level */
};

/* The block that all arrays of the driver lie in (driver.c). */
typedef struct ess_memory {
  void *at;
  size_t bytes;
} ess_memory;

/* By event function: what is not told from zero; 0 until it has to be known (suspect.c). */
typedef struct ess_grains {
  double *of;
  bool any; /* some event function has one */
} ess_grains;

/* By event function: g at which a guard stops the step being tried, INFINITY when none is armed;
 * and what that may be missed by, which is a billionth of this, or rounding (locate.c). */
typedef struct ess_levels {
  double *at, *scale;
} ess_levels;

/* How far an apply has got. */
typedef enum ess_phase {
  ESS_PHASE_NEW,     /* no trajectory has begun: there is no mode */
  ESS_PHASE_OVER,    /* the last one came to its end */
  ESS_PHASE_AMID,    /* it did not: not all may have been made where it ended, */
  ESS_PHASE_RESUMED, /* where this one begins */
  ESS_PHASE_ON       /* it is under way */
} ess_phase;

/* The apply that is under way, or the last one (driver.c). */
typedef struct ess_apply {
  ess_phase phase;
  double t_end;              /* no time, and no field, beyond it */
  double t_seen;             /* of the state that a callback was last shown, for failures */
  double t_rest;             /* what rounding has cut off the time of the node */
  uint64_t steps, crossings; /* so far, of those that the options allow */
  double stopped;            /* where an observer of steps stopped the last one; else NAN */
} ess_apply;

/* The caller's sample grid during one apply (dense.c). */
typedef struct ess_grid {
  const double *times;
  size_t count, done;
  double *states;
} ess_grid;

/* The guard reset matrix, copied (resets.c): 2m + 1 rows. */
typedef struct ess_rows {
  size_t *start, *guard;
  signed char *effect;
  const double *x; /* the state that they look at, at time t; NULL: the node */
  double t;
  ess_guard_kind *kind; /* [2m] */
  bool *armed;          /* [2m]: scratch, of the start and of impacts */
} ess_rows;

/* By event function, where the system tells: whether its sign acts on nothing by the last call of
 * the field, by those at the node and at the end of the step being tried, and by all of that
 * (callbacks.c). */
typedef struct ess_idle {
  bool *now, *at_node, *at_end, *in_step;
} ess_idle;

/* Event functions in the middle of the step being tried, and where they are compared in each half;
 * by event function, what its model over the step may be off by (enclosure.c). */
typedef struct ess_inside {
  double *middle, *beside[2];
  ess_compared compared;
  double *inexact;
} ess_inside;

/* Guards that may stop the step being tried, and from which place on each counts (locate.c). */
typedef struct ess_flagged {
  size_t *list, count;
  double *theta;
  ess_fate *fate; /* by event function */
} ess_flagged;

/* Crossings that are made in the order of their times, or of their places in a step (crossing.c).
 */
typedef struct ess_batch {
  size_t *list, count;
  double *time;
} ess_batch;

struct ess_driver {
  ess_watched watched;
  ess_caller caller;
  ess_system system;   /* that is integrated */
  ess_options options; /* its arrays NULL: copied */
  ess_counters counters;
  ess_failure failure;

  /* arrays by state and by guard are filled up with zeros to whole lanes and whole blocks, so that
   * loops over them have no rest */
  size_t lanes, blocks, event_lanes;

  /* the node: the point the trajectory has reached, with field, event functions and their rates */
  double t;
  double *x, *f, *h, *rate;

  /* the integration step being tried, from the node to t + dt */
  double dt;
  double *stage[ESS_STAGES]; /* [0] is f at the node, [6] is f at the step's end (FSAL) */
  double *x_end, *h_end, *rate_end;
  ess_inside inside;
  double *dense[ESS_DENSE]; /* coefficients of the dense output, above the node's state */
  double *x_try, *v_try;    /* scratch: a state off the node, and a direction there */
  double *h_try, *rate_try; /* scratch: event functions there */
  double *some_h;           /* scratch: those of some guards only */

  ess_piece piece; /* the last step made; arrays of its own, which a failing try leaves alone */

  double *rtol, *atol; /* the tolerance, by state */

  ess_control control;
  const struct ess_scheme *scheme; /* how crossings are made (core.h) */
  const struct ess_stepper *base;  /* what makes the step being tried (core.h) */

  ess_between between;
  ess_choice choice;
  ess_stabilised stabilised;
  ess_beside beside;
  ess_unlocated unlocated;

  /* the latched mode, and by event function the one guard of its two that may be armed */
  double *sign;
  double *side; /* -sign of an armed guard, so that g = side h; 0 when none is armed */
  ess_grains grains;
  double *due_from; /* g, above its level, from which an armed guard may be due at the node: 0, or
                       what it was where a step was cut at it; INFINITY when none is armed */
  size_t *block_armed; /* armed guards in each block */
  size_t armed_count;

  ess_rows rows;
  double *is_silent; /* by event function, for lanes: 1 where the guard that is armed is silent,
                        else 0 */

  ess_idle idle;
  ess_levels levels;
  ess_flagged flagged;
  ess_doubt doubt;

  ess_batch batch;

  ess_through through; /* steps through crossings */
  ess_projection projection;

  ess_returns returns; /* the ledger of crossings */
  ess_apply apply;
  ess_grid grid;

  ess_memory memory;

  struct ess_impact_work *impacts; /* impacts.h; NULL in a system without them */
  struct ess_rodas *rodas;         /* rosenbrock.c; NULL by other bases */
  struct ess_slides *slides;       /* slides.h; NULL unless asked for */
  struct ess_tangents *tangents;   /* tangents.h; NULL when none are followed */
};

/* whether an apply is under way */
static inline bool ess_is_applying(const ess_driver *d) {
  return d->apply.phase >= ESS_PHASE_RESUMED;
}

/* the caller's time, of one of the driver's or the other way round */
static inline double ess_caller_time(const ess_driver *d, double t) {
  return d->caller.way < 0.0 ? -t : t;
}

/* The node is at this time, and so is its state, where time is one. A run that is gone on with has
 * to find the same state there, to the last bit. */
static inline void ess_take_time(ess_driver *d, double t) {
  d->t = t;
  if (d->caller.moves) d->x[d->caller.system.dimension] = t - d->caller.origin;
}

/* number of the caller's states, which are the first */
static inline size_t ess_caller_states(const ess_driver *d) {
  return d->caller.system.dimension;
}

/* the size of a state below which its tolerance is absolute; 0 where it never is */
static inline double ess_absolute_below(const ess_driver *d, size_t i) {
  return d->atol[i] / (d->rtol[i] > 0.0 ? d->rtol[i] : 1e-8);
}

/* the end of a block's guards, in whole lanes; arrays by guard hold zeros from there to the end of
 * the block, over which a pass that is cheap goes, too */
static inline size_t ess_block_end(const ess_driver *d, size_t b) {
  const size_t end = (b + 1) * ESS_BLOCK;
  return end < d->event_lanes ? end : d->event_lanes;
}

/* Memory that is laid out twice: to find how much it is, and in the block that this takes. */
enum { ESS_CACHE_LINE = 64 };
typedef struct ess_layout {
  char *next; /* NULL the first time */
  size_t bytes;
} ess_layout;

/* the next arrays of `count` elements of this size, into the pointers that are listed; each begins
 * where a double may */
static inline void ess_lay_arrays(ess_layout *l, size_t count, size_t size, void *const list[],
                                  size_t arrays) {
  const size_t bytes = (count * size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
  for (size_t i = 0; i < arrays; i++) {
    memcpy(list[i], &l->next, sizeof l->next);
    if (l->next) l->next += bytes;
    l->bytes += bytes;
  }
}

/* the same of a type, by the pointers' addresses */
#define ESS_LAY(l, type, count, ...)                                                               \
  ess_lay_arrays(l, count, sizeof(type), (void *const[]){__VA_ARGS__},                             \
                 sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))

/* the block, all zeros, and how many bytes it is; NULL where there is no memory. What it holds
 * starts on a line of the cache. */
static inline void *ess_lay_out(ess_driver *d, void (*lay)(ess_driver *d, ess_layout *l),
                                size_t *bytes) {
  ess_layout counted = {0};
  lay(d, &counted);
  *bytes = counted.bytes + ESS_CACHE_LINE;
  char *const block = calloc(1, *bytes);
  ess_layout laid = {.next = block + (ESS_CACHE_LINE - (uintptr_t)block % ESS_CACHE_LINE)};
  if (block) lay(d, &laid);
  return block;
}

#endif
