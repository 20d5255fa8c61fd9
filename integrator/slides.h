/*
 * Slides: motion along the zeros of event functions, its surfaces, that the field points back to
 * from either side (docs/theory/sliding.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDES_H
#define ESS_SLIDES_H

#include <stdlib.h>

#include "box_lcp.h"
#include "driver_state.h"

enum {
  ESS_CORNERS = 8,     /* of the cube that three signs make, whose jumps do not add up */
  ESS_SLIDE_CHECKS = 2 /* places at which the model of lambda is compared */
};

/* The derivative of the event function that jumps at a surface: the first, or the second; or the
 * second by impacts, on whose guard the state rests at the side that it came from. */
typedef unsigned char ess_order;
enum { ESS_FIRST_ORDER, ESS_SECOND_ORDER, ESS_REST };

/* Why the surfaces have to be solved for, if nothing was crossed: a lambda is at its bound; or a
 * row, an impact, or the state has taken a surface away, and the field is that of the others. */
typedef enum ess_question { ESS_NO_QUESTION, ESS_AT_BOUND, ESS_RELEASED } ess_question;

/* Owned by the driver if ess_options.sliding is on; otherwise NULL. The field on surfaces is
 * f = f0 + sum of lambda_i jump_i with a + G lambda = 0: no event function changes. */
typedef struct ess_slides {
  size_t *set, count; /* the surfaces that the state slides on, ascending; their signs are -1 */
  ess_order *order;   /* by event function */
  bool *can, *may;    /* by event function: by its guards; and it is asked for */
  bool is_noisy;      /* rates of event functions are differences */
  size_t unknown;     /* one that was no number since the field on them was last known; or none */

  /* the field on them, which stands for the caller's while the state slides */
  int (*field)(ess_driver *d, double t, const double x[], double f[]);

  /* at the state of the last look, by surface: the field with all of them at -1, and the jump of
   * each; rates of their event functions by both, [count][count]; the solution */
  double *f0, *jump, *a, *g, *lambda;
  bool adds;           /* jumps add up: otherwise the field is a mean of corners */
  double *corner, *q;  /* the fields of corners, and rates by them */
  double *mode;        /* the signs that the model sees in a look */
  double *node, *seen; /* lambda at the node; and at every quarter of the step */
  double *checked;     /* and at the places compared */
  ess_compared compared;

  size_t *noted, noted_count; /* event functions that have been crossed where the state is */
  size_t chatters; /* one that is crossed back and forth without end; SIZE_MAX: none is */
  bool *stopped;   /* by event function: its impacts have ended, and the state may rest on it */
  ess_ending otherwise;           /* how the run ends where it does not; success: it goes on */
  double chattered, chattered_at; /* when impacts at one instant were too many; how fast still */
  bool has_stopped;               /* some have */
  double *push, *scale; /* by event function: what an impact does to the state, how fast it is met,
                           and by how much more it is at lambda = 1 */
  double *largest;      /* by state of a relative tolerance alone: the largest that it has been; */
  double *floor;        /* its absolute tolerance while it is held at zero; 0: none */
  double *push_by, *aside_by; /* what the surfaces add to the field, and by that to its change, */
  uint64_t scaled_slides;     /* when so many slides had begun */
  bool is_whole;              /* the step just made was: the node's lambda was seen at its end */
  ess_question question;      /* about the surfaces at the node */
  double left_at;             /* when the state left a surface last */
  int halvings;               /* of the step being tried, in doubt */
  uint64_t impacts;           /* that had been made when this was looked at last */

  /* scratch */
  size_t *events, *old, old_count, *told, told_count; /* the last: those that observers know of */
  signed char *part;
  double *h, *rate, *sum, *back, *half, *nothing; /* the last two all 1/2, and all 0 */
  double *beside, *f_beside;                      /* a state beside the one looked at */
  double *aside;   /* by surface of second order: the way that moves it, and not its rate */
  double *g_aside; /* rates by these, [count][count] */
  ess_box box;
} ess_slides;

/* whether the state slides */
static inline bool ess_is_sliding(const ess_driver *d) {
  return d->slides && d->slides->count > 0;
}

/* Whether rates of event functions are differences, whose noise is larger than rounding, and the
 * sliding field with them. That is differenced at so many places on either side, by these weights
 * over the increment: of directions by this part of the state, since the surfaces' curvature shows
 * further apart, and the noise closer. */
static const double ESS_NOISY_PART = 3e-4;
static inline bool ess_is_sliding_by_differences(const ess_driver *d) {
  return ess_is_sliding(d) && d->slides->is_noisy;
}

static inline int ess_difference_ways(bool noisy) {
  return noisy ? 2 : 1;
}

static inline double ess_difference_weight(bool noisy, int way) {
  static const double near = 8.0 / 12.0, far = -1.0 / 12.0;
  const double size = !noisy ? 0.5 : abs(way) == 1 ? near : far;
  return way < 0 ? -size : way > 0 ? size : 0.0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* One line about what may not slide, or not so; NULL when nothing is wrong. */
const char *ess_slide_check(const ess_system *system, const ess_options *options);

/* Room for slides where they are asked for, false when there is none; what is laid out for them;
 * and what may be slid on. */
bool ess_slides_alloc(ess_driver *d, const ess_options *options);
void ess_slides_lay(ess_driver *d, ess_layout *l);
void ess_slides_take(ess_driver *d, const ess_system *system, const ess_options *options);

/* Whether by these options the same event functions may be slid on. */
bool ess_slides_stay(const ess_driver *d, const ess_options *options);

/* Before a step: states that a slide holds at zero get an absolute tolerance; and keep it if the
 * options that are set anew have none for them. */
int ess_slide_scale(ess_driver *d);
void ess_slides_keep_tolerances(ess_driver *d);

/* Another trajectory begins: none slides. An apply does, from another state than the last ended at
 * where `moved`. */
void ess_slides_forget(ess_driver *d);
int ess_slides_begin(ess_driver *d, bool is_new, bool moved);

/* A run that turns around while the state slides: why there is none. */
int ess_slide_refuse_turn(ess_driver *d);

/* Whether the step just tried stands. Where a lambda comes to its bound within it, before it is
 * cut, it is cut there. */
ess_verdict ess_slide_watch(ess_driver *d, ess_location *found);

/* Whether a lambda is beyond its bound where it has been looked at last. */
bool ess_slide_is_beyond(const ess_driver *d);

/* What slides from the node on: called where something may have been crossed. */
int ess_slide_settle(ess_driver *d);

/* ---- notes ----------------------------------------------------------------------------------- */

/* Event function k is crossed where the state is. */
void ess_slide_note(ess_driver *d, size_t k);

/* A row, or an impact, arms or disarms one of event function k's guards, or the state is off it:
 * what slides ends. */
void ess_slide_release(ess_driver *d, size_t k);

/* A new node: lambda there, which what is seen on the way from it is held against. */
void ess_slide_begin_node(ess_driver *d, const double lambda[]);

/* What has no answer: ESS_ESLIDING, with the event functions that show it; or with the two of those
 * listed, where many answers are right. */
#define ESS_NOT_UNIQUE   "where the state goes from there is not unique"
#define ESS_NOT_ADDITIVE "jumps of more than three event functions that slide do not add up"
int ess_slide_fail(ess_driver *d, size_t guard, size_t other, const char *reason);
int ess_slide_fail_pair(ess_driver *d, const size_t list[], const size_t worst[2]);

/* ---- the field on surfaces ------------------------------------------------------------------- */

/* Calls the field on either side of these surfaces at the node, where it has to be told what holds
 * the state: ESS_EFIELD where rates are no numbers. */
int ess_slide_look_here(ess_driver *d, const size_t set[], size_t count);

/* Whether jumps add up there, by one call more. */
int ess_slide_look_adds(ess_driver *d, double t, const double x[], const size_t set[],
                        size_t count);

/* What the field changes by along a surface's jump: it moves the event function of one of second
 * order, where the jump moves its rate. */
int ess_slide_look_aside(ess_driver *d, const double jump[], double aside[]);

/* The field with the state on the surfaces that it slides on: what holds it there is in
 * d->slides->lambda. */
int ess_slide_field(ess_driver *d, double t, const double x[], double f[]);

/* Which of the surfaces just looked at hold the state, and which it leaves, and where to: into
 * d->slides->lambda and part. `worst` are two where many answers are right. */
ess_solutions ess_slide_solve(ess_driver *d, size_t count, size_t worst[2]);

/* ---- where the state is put ------------------------------------------------------------------ */

/* Moves the state back onto its surfaces, by so many tolerances at most; in a step it drifts off
 * them by so many at most. */
static const double ESS_DRIFT = 100.0;
int ess_slide_put_back(ess_driver *d, double most);

/* The state leaves the i-th of the `count` surfaces just looked at, of second order, to the side
 * `to`: it goes away by the cube of time. So it is put beside it, by this part of the tolerance,
 * and moves away from there: adds that to d->x_try. */
static const double ESS_LEFT_BY = 1e-3;
int ess_slide_step_beside(ess_driver *d, size_t i, size_t count, double to, double part);

/* ---- rest on the guards of impacts ----------------------------------------------------------- */

/* Whether a state may rest on the guards of impacts: it is asked for, and no direction is followed.
 */
static inline bool ess_may_rest(const ess_driver *d) {
  return d->options.rest && d->slides && d->impacts && !d->tangents;
}

/* The state has been changed so by an impact of event function k, among others. */
void ess_rest_note(ess_driver *d, size_t k, const double before[], const double after[]);

/* A new trajectory begins at the node: what it lies on is in question. */
int ess_rest_from_start(ess_driver *d);

/* What those that have ended push the state by: they are in question where they are settled
 * next. Then what of them does not hold the state. */
int ess_rest_begin(ess_driver *d);
int ess_rest_end(ess_driver *d);

/* The i-th of the `count` surfaces just solved for does not hold the state. Where the run would end
 * since its guard was grazed, and that is no more than the error of a step, the state goes away
 * from there: it is put beside it, by as much as that may be, and the run goes on. */
int ess_rest_let_go(ess_driver *d, size_t i, size_t count);

/* Of the `count` surfaces just solved for: whether one that rests has lambda = 1, which is no bound
 * of it; it is made to push more. */
bool ess_rest_widen(ess_driver *d, size_t count);

#endif
