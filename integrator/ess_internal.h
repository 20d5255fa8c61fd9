/*
 * What libess's own files share: the driver's state and the functions each file offers the others.
 *
 * Throughout, `g_k = -sign_k h_k` is the event function seen from the side the state is on:
 * negative before the crossing, zero on the guard, whichever of a mirrored pair is the candidate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_INTERNAL_H
#define ESS_INTERNAL_H

#include <math.h>

#include "cluster_state.h"
#include "ess.h"
#include "lanes.h"

enum {
  ESS_STAGES = 7,
  ESS_DENSE = 4,
  ESS_QUARTIC = 5,
  ESS_BLOCK = 16 /* guards that are looked at, or passed over, together */
};

/* inline however large: its callers know something that makes it smaller */
#define ESS_INLINE static inline __attribute__((always_inline))

/* smallest error the step-size controller remembers, 2^-13, so that one lucky step does not silence
 * it */
#define ESS_LOG_ERROR_FLOOR -13.0

/* fmin and fmax, but inline; b when one is not a number */
static inline double ess_smaller(double a, double b) {
  return a < b ? a : b;
}

static inline double ess_larger(double a, double b) {
  return a > b ? a : b;
}

static inline double ess_clamp(double v, double least, double most) {
  return v < least ? least : v > most ? most : v;
}

static inline void ess_swap(double **a, double **b) {
  double *const held = *a;
  *a = *b;
  *b = held;
}

/* how the state went from one node to the next */
typedef enum ess_piece_kind {
  ESS_PIECE_POINT,   /* not at all: no step has been made */
  ESS_PIECE_STEP,    /* by the dense output of a step of length `length`, or its first part */
  ESS_PIECE_PATH,    /* by the sub-step of the driver's cluster */
  ESS_PIECE_PARABOLA /* leaving along c[0], and passing the point `length` later along c[1] */
} ess_piece_kind;

typedef struct ess_piece {
  ess_piece_kind kind;
  double t0, t1; /* of its ends; that of t1 is the node */
  double length;
  double *x; /* at t0 */
  double *c[ESS_DENSE];
} ess_piece;

/* What is known of stabilised steps, and whether they are made (base.c, stabilised.c). */
typedef struct ess_stabilised {
  bool is_on;         /* the step being tried is one */
  bool is_next;       /* so is the next, by ESS_BASE_CHOSEN */
  unsigned turns;     /* steps in a row that the other base would have made for less */
  uint64_t crossings; /* that had been made when the last step was tried */
  bool is_path_end;   /* the node is where a sub-step ended */
  bool is_known;      /* radius and direction are */
  double radius;      /* the spectral radius of the field's Jacobian */
  double *direction;  /* in which the field changes the most */
  int tries, stages;  /* since the radius was found; of the last one */
} ess_stabilised;

/* Crossings of one event function, back and forth, among which there are few of others (chatter.c):
 * how many since when, and what steps and crossings had been made then; how long the thousand
 * before took, and for how many thousands in a row there has been no end in sight. */
typedef struct ess_returns {
  size_t guard, count, others, endless;
  double since, span;
  uint64_t steps, crossings;
} ess_returns;

struct ess_driver {
  ess_system system;
  ess_options options; /* its arrays NULL: copied */
  bool applying;       /* within an apply */
  ess_counters counters;
  ess_failure failure;

  /* arrays by state and by guard are filled up with zeros to whole lanes and whole blocks, so that
   * loops over them have no rest */
  size_t lanes, blocks, guard_lanes;

  /* the node: the point the trajectory has reached, with field, event functions and their rates */
  double t, t_rest; /* t_rest: what rounding has cut off t */
  double t_end;     /* of this apply: no time, and no field, beyond it */
  double *x, *f, *h, *rate;

  double t_seen; /* of the state that a callback was last shown, for failures */

  /* the integration step being tried, from the node to t + dt */
  double dt;
  double *stage[ESS_STAGES]; /* [0] is f at the node, [6] is f at the step's end (FSAL) */
  double *x_end, *h_end, *rate_end;
  double *h_mid;            /* event functions at the middle of the step */
  double *h_check[2];       /* and at its first and last quarter */
  double *dense[ESS_DENSE]; /* coefficients of the dense output, above the node's state */
  double *x_try, *v_try;    /* scratch: a state off the node, and a direction there */
  double *h_try, *rate_try; /* scratch: event functions there */
  double *some_h;           /* scratch: those of some guards only */
  double *jacobian;         /* Dh, when the system has no guard_rates */

  ess_piece piece; /* the last step made; arrays of its own, which a failing try leaves alone */

  double *rtol, *atol; /* the tolerance, by state */

  /* step-size control */
  double dt_next;       /* proposal for the next step; 0: to be chosen */
  double log_error_old; /* base 2 */

  ess_stabilised stabilised;

  /* the latched mode, and by event function the one guard of its two that may be armed */
  bool latched;
  double *sign;
  double *side;    /* -sign of an armed guard, so that g = side h; 0 when none is armed */
  double *epsilon; /* the option, for each; INFINITY where time alone bounds neighbourhoods */
  double *scale;   /* what a level may be missed by is relative to this: epsilon, or less where time
                      bounds the neighbourhood in this step */
  double *grain;   /* what is not told from zero (grain.c); 0 until it has to be known */
  bool is_coarse;  /* some event function has a grain */
  double *width;   /* half-width of the neighbourhood that stops a step; 0 for a silent guard;
                      INFINITY where time alone bounds it */
  double lead;     /* within its neighbourhood the field reaches a guard within this time;
                      INFINITY: neighbourhoods are not bounded by time */
  double *entry;   /* margin (candidates.c) from which a guard is inside: 0, or what it was where
                      its entry was located; INFINITY when none is armed */
  double *level;   /* g at which a guard stops the step being tried: where its neighbourhood
                      begins, 0 inside it, INFINITY when none is armed */
  size_t *block_armed; /* armed guards in each block */
  size_t armed_count;

  /* the guard reset matrix (resets.c), copied: 2m + 1 rows */
  size_t *row_start, *row_guard;
  signed char *row_effect;
  double *row_side;    /* by entry that arms ahead: the side found when it was applied last */
  bool rows_look;      /* there is such an entry */
  bool rows_again;     /* rows are applied as they were then, without looking again */
  const double *row_x; /* the state that they look at, at time row_t; NULL: the node */
  double row_t;
  bool *silent, *armed_at_start;
  bool *armed_is_silent; /* by event function */
  int (*start)(const double sign[], bool armed[], void *params);

  /* candidates are looked for among those that the field reaches within this time (candidates.c) */
  double window;

  /* guards that may stop the current step, and from which place on each counts (locate.c) */
  size_t first_reached; /* by the paper's method: what the field at the node reaches first */
  bool awaiting;        /* it is outside its neighbourhood, while others are inside theirs */
  size_t *flagged;
  double *flagged_theta;
  size_t flagged_count;
  bool *is_flagged; /* by event function */

  /* for which guard steps are being halved, how often, and whether this one was (suspect.c); the
   * longest of them since one was made without */
  size_t doubted, doubts;
  bool is_doubting;
  double longest_doubted;

  /* the guard to be projected onto and the silent ones on the way, with the time the field takes to
   * each (candidates.c) */
  size_t *batch, batch_count;
  double *batch_time;
  double listed_until; /* the batch lists all candidates reached until this time; -1: none */

  ess_cluster cluster; /* of the method by one tolerance */
  double severity;     /* an integration step's error is held below the tolerance over this */

  /* progress watch, for chatter */
  double progress_time;
  size_t stalled_crossings;
  size_t last_guard;

  /* returns in a row to one event function, for sliding: from which side, when and after which step
   * it was last crossed, and how long the way there was at first */
  size_t slide_guard, slide_returns;
  double slide_side, slide_time, slide_way;
  uint64_t slide_steps;
  ess_returns returns;
  uint64_t apply_steps, apply_crossings;

  /* the caller's sample grid during one apply */
  const double *times;
  size_t times_count, times_done;
  double *samples;

  void *memory, *indices; /* the blocks that all arrays above lie in */

  struct ess_impact_work *impacts; /* impact.h; NULL in a system without them */
  struct ess_tangents *tangents;   /* tangent.h; NULL when none are followed */
};

/* the end of a block's guards, in whole lanes */
static inline size_t ess_block_end(const ess_driver *d, size_t b) {
  const size_t end = (b + 1) * ESS_BLOCK;
  return end < d->guard_lanes ? end : d->guard_lanes;
}

/* the guard of event function k that a state on its latched side has ahead */
static inline size_t ess_guard_ahead(const ess_driver *d, size_t k) {
  return d->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
}

/* whether that guard is silent, while it is armed */
static inline bool ess_is_silent(const ess_driver *d, size_t k) {
  return d->armed_is_silent[k];
}

/* whether one of event function k's guards is armed */
static inline bool ess_is_armed(const ess_driver *d, size_t k) {
  return fabs(d->side[k]) > 0.0; // quicker than != is where that has to think of NaN
}

/* arms a guard, which is ahead of its event function's latched side, and what goes with it */
static inline void ess_arm(ess_driver *d, size_t guard) {
  const size_t k = guard / 2, more = !ess_is_armed(d, k);
  const bool silent = d->silent[guard];
  d->block_armed[k / ESS_BLOCK] += more;
  d->armed_count += more;
  d->side[k] = -d->sign[k];
  d->entry[k] = 0.0;
  d->armed_is_silent[k] = silent;
  d->width[k] = silent ? 0.0 : d->epsilon[k];
}

/* arms neither guard of event function k */
static inline void ess_disarm(ess_driver *d, size_t k) {
  if (!ess_is_armed(d, k)) return;
  d->block_armed[k / ESS_BLOCK]--;
  d->armed_count--;
  d->side[k] = 0.0;
  d->entry[k] = INFINITY;
}

/* memory.c: lays out every array for a system; frees them. The reset matrix is copied here. */
bool ess_memory_alloc(ess_driver *d);
void ess_memory_free(ess_driver *d);

/* options.c: the options in force from here on, their arrays copied. */
void ess_take_options(ess_driver *d, const ess_options *options);

/* status.c: records why the run stopped and returns `status`; why a call was refused, as of time t,
 * and returns ESS_EINVAL; forgets both. */
int ess_fail(ess_driver *d, ess_status status, size_t guard);
int ess_refuse(ess_driver *d, double t, const char *reason);
void ess_no_failure(ess_driver *d);

/* dopri5.c */

/* Tries one step of length d->dt from the node; x_end and stage[] are filled, *error is the scaled
 * error (accept when <= 1; not finite when the field is not). */
int ess_dopri5_try(ess_driver *d, double *error);

/* State of stage s of the step just tried, and its time; where in a step that stage is. */
double ess_dopri5_stage(const ess_driver *d, int s, double x[]);
double ess_dopri5_node(int s);

/* The pair's sums for any rates in the stages of a step: to = base + dt sum of rates, `count`
 * values, base NULL for none. What is summed is the number of a stage, whose value it gives, or: */
typedef enum ess_sum {
  ESS_SUM_DENSE = ESS_STAGES, /* the last coefficient of the dense output */
  ESS_SUM_ERROR
} ess_sum;
void ess_dopri5_sum(ess_sum what, double dt, const double base[], double *const rate[],
                    size_t count, double to[]);

/* Root mean square of v scaled by the tolerances at |a| and |b|. */
double ess_scaled_norm(const ess_driver *d, const double v[], const double a[], const double b[]);

/* Step length for the first step (Hairer I, II.4). */
int ess_dopri5_first_step(ess_driver *d, double t1, double *dt);

/* Prepares the dense output of the step just tried; evaluates it at theta in [0, 1]. */
void ess_dopri5_prepare_dense(ess_driver *d);
void ess_dopri5_dense(const ess_driver *d, double theta, double x[]);

/* stabilised.c */

/* Before each try: what the field is like; d->dt_next is no longer than stages can make stable. */
int ess_stabilised_begin(ess_driver *d);

/* As ess_dopri5_try, whose dense output is then a cubic. */
int ess_stabilised_try(ess_driver *d, double *error);

/* Into x_try: what a stabilised step errs by that is as long as the one just tried by either. */
void ess_stabilised_estimate(ess_driver *d);

/* Stages, not rounded, that are stable for this radius times length. */
double ess_stabilised_stages(double extent);

/* The field's Jacobian has a spectral radius of this or more: it is f at x and f_before at
 * x_before. 0 where that does not tell. */
double ess_stabilised_radius(const ess_driver *d, const double f[], const double f_before[],
                             const double x[], const double x_before[]);

/* base.c: where it is not dopri5 alone. Before each try, which base makes it; after a step made,
 * which is to make the next. */
void ess_base_reset(ess_driver *d);
int ess_base_begin(ess_driver *d);
void ess_base_choose(ess_driver *d);

/* callbacks.c */

/* Calls the field and checks nothing: the error control sees what is not finite. */
int ess_field(ess_driver *d, double t, const double x[], double f[]);

/* h at x: at the time d->t_seen, which is the caller's to set where no field came before. */
int ess_guards(ess_driver *d, const double x[], double h[]);

/* h and grad h . v at x. */
int ess_guard_rates(ess_driver *d, const double x[], const double v[], double h[], double rate[]);

/* The same for event functions which[count] alone: h[i] and rate[i] are those of which[i]. h and
 * rate have room for all of them. */
int ess_some_guard_rates(ess_driver *d, const double x[], const double v[], const size_t which[],
                         size_t count, double h[], double rate[]);

/* Turns a callback's code, not 0, into a status. */
int ess_callback_failed(ess_driver *d, int code);

/* Tells the model which sign changed: that of one event function, or all (guard_count). */
static inline int ess_announce(ess_driver *d, size_t guard) {
  const ess_system *const s = &d->system;
  d->t_seen = d->t;
  const int code = s->mode_changed ? s->mode_changed(d->sign, guard, s->params) : 0;
  return code ? ess_callback_failed(d, code) : ESS_SUCCESS;
}

/* f, h and rates at the node; fails when f is not finite. */
int ess_evaluate_node(ess_driver *d);

/* Fails when the state that is to become the node is not finite: sums of huge terms overflow. */
int ess_check_state(ess_driver *d, const double x[]);

/* Fails when an event function or rate at the node is not finite. */
int ess_check_guards(ess_driver *d);

/* latch.c: latches signs from h at the node and arms the guards to start with (first apply), or
 * tells the model the mode kept from the apply before. Evaluates the node. */
int ess_latch(ess_driver *d);
int ess_resume(ess_driver *d);

/* resets.c */

/* check.c: ess_check_jacobian of the event functions alone. */
int ess_check_events(const ess_system *system, const double x[], ess_jacobian_check *worst);

/* What is wrong with a system's matrix, or impacts, as ess_check says it; NULL when nothing is. */
const char *ess_impacts_check(const ess_system *system);
const char *ess_resets_check(const ess_system *system);

/* Entries of the system's matrix, or of that of mirrored pairs; copies it into the driver. */
size_t ess_resets_size(const ess_system *system);
void ess_resets_copy(ess_driver *d);

/* Arms the guards to start with, given the latched signs. */
int ess_resets_start(ess_driver *d);

/* Flips event function k's sign and applies the row of the guard crossed; the same of the i-th
 * crossing of the sub-step, and notes in d->cluster what that changes. */
int ess_cross(ess_driver *d, size_t k);
int ess_cross_and_note(ess_driver *d, size_t i);

/* Applies the row of the empty pool after an integration step. May change the mode. */
int ess_refill(ess_driver *d);

/* Whether the row of event function k's armed guard arms none but its own mirror image, and
 * concerns no other that is flagged. */
bool ess_row_is_local(const ess_driver *d, size_t k);

/* Whether that row arms guards of no other event function. */
bool ess_row_arms_none(const ess_driver *d, size_t k);

/* Whether crossing event function k's armed guard arms guards of other event functions, or concerns
 * one in the batch. */
bool ess_row_concerns_batch(const ess_driver *d, size_t k);

/* candidates.c */

/* What the field at the node reaches first; silent guards count from where they are reached. */
typedef struct ess_candidate {
  bool found;
  size_t guard;    /* SIZE_MAX when there is none */
  double duration; /* time the tangent takes to the guard */
} ess_candidate;

int ess_first_candidate(ess_driver *d, ess_candidate *first);

/* The same where it matters only whether one has been passed, and most often none has. */
int ess_first_due(ess_driver *d, ess_candidate *first);

/* Lists in d->batch, by time, the first candidate and the silent ones reached until then. */
void ess_gather_batch(ess_driver *d, const ess_candidate *first);

/* Whether any armed guard, silent ones apart, and event function k's, is inside its neighbourhood
 * at the node; holds it inside, where its entry was located. */
bool ess_any_inside(const ess_driver *d);
bool ess_inside(const ess_driver *d, size_t k);
void ess_hold_inside(ess_driver *d, size_t k);

/* g = 0 or the edge of the neighbourhood: where each guard stops the step just tried. Guards that
 * have left their neighbourhood are outside again. */
void ess_set_levels(ess_driver *d);

/* sort.c: sorts crossings by time, those of one time by guard, in O(count log count) without
 * allocation; in O(count) when they are in order, in reverse, or nearly so. */
void ess_sort_by_time(double time[], size_t guard[], size_t count);

/* quartic.c: Bernstein coefficients on [0, 1] */

/* Value and slope at theta. */
double ess_quartic(const double b[ESS_QUARTIC], double theta, double *slope);

/* Where the quartic first goes from negative to non-negative in (0, 1], or ESS_NEVER. */
#define ESS_NEVER 2.0
double ess_quartic_upcrossing(const double b[ESS_QUARTIC]);

/* Changes of sign among the coefficients: no fewer than there are roots in (0, 1). */
int ess_sign_changes(const double b[ESS_QUARTIC]);

/* The quartic's part from 0 to theta. */
void ess_quartic_until(const double b[ESS_QUARTIC], double theta, double until[ESS_QUARTIC]);

/* bound.c */

/* Bernstein coefficients of guard k's model over the step, relative to its level. */
void ess_model_guard(const ess_driver *d, size_t k, double b[ESS_QUARTIC]);

/* g may miss its level by this much: a billionth of the neighbourhood, or rounding. */
double ess_level_tolerance(const ess_driver *d, size_t k);

/* Lists in d->flagged the guards that reach their level within the step, by their model. Returns a
 * guard of which the step is too long to tell, or SIZE_MAX. */
size_t ess_flag_guards(ess_driver *d);

/* Forgets the guards that are listed; lists one, not placed yet. */
void ess_clear_flags(ess_driver *d);
static inline void ess_flag(ess_driver *d, size_t k) {
  d->flagged_theta[d->flagged_count] = ESS_NEVER;
  d->flagged[d->flagged_count++] = k;
  d->is_flagged[k] = true;
}

/* By how much each event function's model over the step may be off, where ess_flag_guards has not
 * asked: into d->cluster.inexact, as there. h_check must be set. */
void ess_model_doubts(ess_driver *d);

/* Whether guard k's model is off by no more than rounding where it was checked. */
bool ess_model_is_exact(const ess_driver *d, size_t k);

/* Takes the guards off the list whose models do not cross before theta. */
void ess_keep_rivals(ess_driver *d, double theta);

/* locate.c */

/* What was found of the step just tried. */
typedef struct ess_location {
  bool cut;           /* a candidate reaches its level at theta */
  double theta;       /* in (0, 1] */
  size_t doubt_guard; /* the step is too long to trust this guard's model; SIZE_MAX: none */
} ess_location;

/* Where the first candidate reaches its level. h_mid, h_check, h_end and rate_end must be set. A
 * silent guard cuts the step only when another flagged guard depends on it; ess_cross_silent is for
 * the others. */
int ess_locate_first(ess_driver *d, ess_location *found);

/* The same where the guards have just been flagged, and none is in doubt. */
int ess_locate_flagged(ess_driver *d, ess_location *found);

/* The guards that the step was cut at are inside their neighbourhoods: called at the new node. */
void ess_enter_neighbourhoods(ess_driver *d);

/* Crosses the silent guards that the step just taken has passed, by the event functions h at its
 * end, then those it was cut at. */
int ess_cross_silent(ess_driver *d, const double h[]);

/* Crosses the others that it was cut at, where the state is. */
int ess_cross_entered(ess_driver *d);

/* step.c */

/* One integration step towards t1, cut where the first candidate reaches its level. */
int ess_integration_step(ess_driver *d, double t1);

/* Its parts: a step that the error control accepts, *last when it ends at t1; event functions along
 * it; half its length proposed, when guards are in doubt; its end, or the place where it is cut,
 * made the node. */
int ess_accepted_step(ess_driver *d, double t1, bool *last);
int ess_watch_guards(ess_driver *d);
int ess_halve(ess_driver *d, ess_location *found);
int ess_observe_step(ess_driver *d, double t0);
int ess_take_step(ess_driver *d, const ess_location *found, double t1, bool last);

/* tolerance.c: towards t1 by one tolerance. */
int ess_advance_by_tolerance(ess_driver *d, double t1);

/* cluster.c */

/* Whether the crossings listed along the step just tried are cheaper made in sub-steps than located
 * one by one, by an estimate of what each takes. */
bool ess_is_cluster(ess_driver *d);

/* Makes them so, until the step ends or no crossing is near; *made is false when the first sub-step
 * has come to nothing. */
int ess_make_cluster(ess_driver *d, double t1, bool last, bool *made);

/* projection.c */

/* Moves along the field onto the candidate's guard and crosses it, and the silent ones on the way.
 * A silent one on which others depend is crossed where the state is, and nothing else done. *made
 * is false when the guard turns out to lie beyond t1; nothing has changed then. */
int ess_projection_step(ess_driver *d, const ess_candidate *first, double t1, bool *made);

/* Crosses a guard where the state is. */
int ess_make_crossing(ess_driver *d, size_t guard);

/* Tells the observer of a crossing just made; whether it asks to stop. */
bool ess_observe_crossing(ess_driver *d, size_t guard, double t, const double x[]);

/* suspect.c: ESS_EJACOBIAN when event function k does not change as its rate says. */

/* Called each time that the step just tried is halved for k, of which most pass at once. */
int ess_suspect_step(ess_driver *d, size_t k);

/* Called when a step is made, halved before or not. */
void ess_suspect_none(ess_driver *d);

/* Called at the node that a projection onto k has led to, from where k had this value and rate. */
int ess_suspect_projection(ess_driver *d, size_t k, double h, double rate);

/* chatter.c */

/* Looks for returns to this event function from now on. */
void ess_watch_returns_of(ess_driver *d, size_t guard);

/* Called when there have been so many, at the node: ESS_ESLIDING where they stay within the
 * tolerance and there is no end of them. */
enum { ESS_RETURNS = 1000 };
int ess_refuse_chatter(ess_driver *d);

static inline int ess_watch_returns(ess_driver *d) {
  return d->returns.count < ESS_RETURNS ? ESS_SUCCESS : ess_refuse_chatter(d);
}

/* A crossing that is not silent has been made. */
static inline void ess_note_return(ess_driver *d, size_t guard) {
  ess_returns *const r = &d->returns;
  if (guard != r->guard) {
    if (++r->others > 2 * d->system.guard_count) ess_watch_returns_of(d, guard);
    return;
  }
  r->count++;
  r->others = 0;
}

/* grain.c */

/* What event function k changes by when states move by their tolerance: the larger of two ways,
 * along which no two states are moved by amounts that could cancel. */
int ess_allowed_error(ess_driver *d, size_t k, double *allowed);

/* Event function k is in doubt over the step just tried; when it has been so over far
 * longer ones too, and its doubt is small beside the tolerance, it is given a grain. */
int ess_coarsen(ess_driver *d, size_t k, bool *coarser);

/* Called at the node before a step is tried: those that have left their zeros, or may err by less
 * than their grains now, have none any more. */
int ess_refine(ess_driver *d);

/* piece.c: the last step, for who asks later. A new kind of step needs its kind, a function that
 * makes it the last, and a case in ess_piece_state; samples and dense output follow. */

/* A point at the time that the apply begins, where it does not go on from the step before. */
void ess_piece_begin(ess_driver *d, double t, const double x[]);

/* No last step any more: only the node. */
void ess_piece_forget(ess_driver *d);

/* The dense output of the step just tried is the last step, and x_end the node, which is `duration`
 * from where it was; or the sub-step just tried; or the parabola to x_try along f and v. Time
 * advances with them. */
void ess_piece_step(ess_driver *d, double duration);
void ess_piece_path(ess_driver *d);
void ess_piece_parabola(ess_driver *d, double duration, const double v[]);

/* The state within the piece: n values. */
void ess_piece_state(const ess_driver *d, double t, double x[]);

/* sample.c: writes the caller's samples up to time t_end on the last step; the rest, with the node
 * itself. */
void ess_sample_piece(ess_driver *d, double t_end);
void ess_sample_rest(ess_driver *d);

#endif
