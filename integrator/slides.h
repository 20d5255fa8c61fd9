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
  ESS_CORNERS = 8,     /* of the cube of three signs, whose jumps do not add up */
  ESS_SLIDE_CHECKS = 2 /* places at which the model of lambda is compared */
};

/* The derivative of the event function that jumps at a surface: the first, or the second; or the
 * second by impacts, on whose guard the state rests at the side that it came from. */
typedef unsigned char ess_order;
enum { ESS_FIRST_ORDER, ESS_SECOND_ORDER, ESS_REST };

/* Whether an event function may be slid on: its guards do not allow it, or nobody asks for it. */
typedef unsigned char ess_may;
enum { ESS_MAY_NOT, ESS_NOT_ASKED, ESS_MAY_SLIDE };

/* Why the surfaces have to be solved for, if nothing was crossed: a lambda is at its bound; or a
 * row, an impact, or the state has taken a surface away, and the field is that of the others. */
typedef enum ess_question { ESS_NO_QUESTION, ESS_AT_BOUND, ESS_RELEASED } ess_question;

/* Owned by the driver if ess_options.sliding is on; otherwise NULL. The field on surfaces is
 * f = f0 + sum of lambda_i jump_i with a + G lambda = 0: no event function changes. */
typedef struct ess_slides {
  size_t *set, count; /* the surfaces that the state slides on, ascending; their signs are -1 */
  ess_order *order;   /* by event function */
  ess_may *may;       /* by event function */

  size_t unknown; /* one that is not finite, since the last known field on them; or SIZE_MAX */

  /* the field on them, in place of the caller's while the state slides */
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

  size_t *noted, noted_count; /* event functions that have been crossed at the node */
  size_t chatters;            /* one that is crossed back and forth without end, or SIZE_MAX */
  bool *stopped; /* by event function: its impacts have ended, and the state may rest on it */
  ess_ending otherwise;           /* how the run ends where it does not; success: it goes on */
  double chattered, chattered_at; /* when impacts at one instant were too many; how fast still */
  double *push, *scale; /* by event function: what an impact does to the state, how fast it is met,
                           and by how much more it is at lambda = 1 */
  double *largest;      /* by state with no absolute tolerance: its largest value so far */
  double *floor;        /* and the absolute tolerance that it gets where a slide holds it; or 0 */
  double *push_by, *aside_by; /* sums of |jump|, and of |Df jump|, of the surfaces */
  uint64_t scaled_slides;     /* that had begun when these were computed */
  bool is_whole;              /* the last step was not cut: its end is the node */
  ess_question question;      /* about the surfaces at the node */
  double left_at;             /* when the state left a surface last */
  int halvings;               /* of the step being tried, in doubt */
  uint64_t impacts;           /* that had been made when slides were settled last */

  /* scratch */
  size_t *events, *old, old_count, *told, told_count; /* told: as the observer knows them */
  signed char *part;
  double *h, *rate, *sum, *back, *half, *nothing; /* the last two all 1/2, and all 0 */
  double *beside, *f_beside;                      /* a state beside the one of a look */
  double *aside;   /* Df jump, along which a surface of second order moves, and not its rate */
  double *g_aside; /* rates along these, [count][count] */
  ess_box box;
} ess_slides;

/* whether the state slides */
static inline bool ess_is_sliding(const ess_driver *d) {
  return d->slides && d->slides->count > 0;
}

/* Whether the sliding field is made of differences. That is differenced at so many places on either
 * side, by these weights over the increment: of directions by this part of the state, since the
 * surfaces' curvature shows further apart, and the noise closer. */
static const double ESS_NOISY_PART = 3e-4;
static inline bool ess_is_sliding_by_differences(const ess_driver *d) {
  return ess_is_sliding(d) && d->caller.rates != ESS_RATES_GIVEN;
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

/* One line about options of slides that are not accepted; NULL if all are. */
const char *ess_slide_check(const ess_system *system, const ess_options *options);

/* Allocates slides if they are asked for, false without memory; lays out their arrays; notes which
 * event functions may slide. */
bool ess_slides_alloc(ess_driver *d, const ess_options *options);
void ess_slides_lay(ess_driver *d, ess_layout *l);
void ess_slides_take(ess_driver *d, const ess_system *system, const ess_options *options);

/* Whether these options let the same event functions slide. */
bool ess_slides_stay(const ess_driver *d, const ess_options *options);

/* Before a step: states that a slide holds at zero get an absolute tolerance. They keep it if
 * options are set again that have none for them. */
int ess_slide_scale(ess_driver *d);
void ess_slides_keep_tolerances(ess_driver *d);

/* Another trajectory begins, on which nothing slides. An apply begins, `moved` from another state
 * than the end of the last. */
void ess_slides_forget(ess_driver *d);
int ess_slides_begin(ess_driver *d, bool is_new, bool moved);

/* Refuses to reverse time in a slide. */
int ess_slide_refuse_turn(ess_driver *d);

/* Whether the step just tried stands. If a lambda reaches its bound in it, before another cut, the
 * step is cut there. */
ess_verdict ess_slide_watch(ess_driver *d, ess_location *found);

/* Whether a lambda of the last look is beyond its bound. */
bool ess_slide_is_beyond(const ess_driver *d);

/* Finds the surfaces along which the state slides from the node on. */
int ess_slide_settle(ess_driver *d);

/* ---- notes ----------------------------------------------------------------------------------- */

/* Event function k is crossed where the state is. */
void ess_slide_note(ess_driver *d, size_t k);

/* A row, or an impact, arms or disarms one of event function k's guards, or the state is off it:
 * what slides ends. */
void ess_slide_release(ess_driver *d, size_t k);

/* A new node, with this lambda. */
void ess_slide_begin_node(ess_driver *d, const double lambda[]);

/* ESS_ESLIDING with one or two event functions and the reason; or with `worst` of a list, if many
 * lambda solve the problem. */
#define ESS_NOT_UNIQUE   "where the state goes from there is not unique"
#define ESS_NOT_ADDITIVE "jumps of more than three event functions that slide do not add up"
int ess_slide_fail(ess_driver *d, size_t guard, size_t other, const char *reason);
int ess_slide_fail_pair(ess_driver *d, const size_t list[], const size_t worst[2]);

/* ---- the field on surfaces ------------------------------------------------------------------- */

/* A look at the node: evaluates the field on both sides of these surfaces. Fails if rates are not
 * finite. */
int ess_slide_look_here(ess_driver *d, const size_t set[], size_t count);

/* Tests by one evaluation more whether the jumps of a look add up. */
int ess_slide_look_adds(ess_driver *d, double t, const double x[], const size_t set[],
                        size_t count);

/* aside = Df jump at the node: it moves the event function of a surface of second order, as the
 * jump moves its rate. */
int ess_slide_look_aside(ess_driver *d, const double jump[], double aside[]);

/* The field on the surfaces along which the state slides, with its lambda in d->slides->lambda. */
int ess_slide_field(ess_driver *d, double t, const double x[], double f[]);

/* Solves the box LCP of the last look into d->slides->lambda and part: the surfaces that hold the
 * state, and the sides to which it leaves the others. `worst` are two if many lambda solve it. */
ess_solutions ess_slide_solve(ess_driver *d, size_t count, size_t worst[2]);

/* ---- the place of a sliding state ------------------------------------------------------------ */

/* Returns the state onto its surfaces, by so many tolerances at most; ESS_DRIFT after a step. */
static const double ESS_DRIFT = 100.0;
int ess_slide_put_back(ess_driver *d, double most);

/* The state leaves the i-th of the `count` surfaces of the last look, of second order, to the side
 * `to`. Its distance grows with the cube of time, so it is put beside the surface by this part of
 * the tolerance, in d->x_try, with a rate away from it. */
int ess_slide_step_beside(ess_driver *d, size_t i, size_t count, double to, double part);

/* ---- rest on the guards of impacts ----------------------------------------------------------- */

/* Whether a state may rest on the guards of impacts: it is asked for, and no direction is followed.
 */
static inline bool ess_may_rest(const ess_driver *d) {
  return d->options.sliding == ESS_SLIDING_SLIDE_AND_REST && d->slides && d->impacts &&
         !d->tangents;
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
