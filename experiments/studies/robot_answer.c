/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "robot_answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

const char *const robot_by_events = "libess",
                  *const robot_by_field = "libess, without event functions",
                  *const robot_by_steps = "MuJoCo's fine steps", *const robot_by_none = "";

/* The first tolerance, and the last. An answer is good where its bound is that share of the error,
 * which is smaller as long as it costs a small share of the budget; or less than what nobody asks
 * for, m and rad. */
static const double first_tolerance = 1e-4, last_tolerance = 1e-10, good_share = 0.1,
                    better_share = 0.01, cheap_share = 0.05, negligible = 1e-6;

/* shares of the budget: of the first answer, and of all that makes the bound small. And by how much
 * longer than the last one the next run may be expected to take: by a tenth of the tolerance, or by
 * half of the step. */
static const double first_share = 0.15, tighter_s = 2.5;

/* MuJoCo's first steps come before libess: so many s, and no more than that share of the budget */
static const double steps_s = 3.0, steps_share = 0.4;

const double robot_bound_share = 0.7, robot_halved_s = 2.0;

/* of a spectral radius times a step: beyond it explicit steps are as short as stability has them */
static const double stiff = 100.0;

double robot_answer_elapsed(const robot_answer *a) {
  return 1e-9 * (double)(measure_thread_ns() - a->begin_ns);
}

double robot_answer_left(const robot_answer *a, double share) {
  const robot_settings *const s = a->run->settings;
  return share * s->budget - robot_answer_elapsed(a);
}

static const robot_track *finest(const robot_answer *a) {
  return &a->step[a->halvings % ROBOT_KEPT];
}

static void copy(const robot_answer *a, const robot_track *from, robot_track *to) {
  const size_t n = ((const robot_case *)a->run->own)->size.dimension;
  memcpy(to->states, from->states, a->outputs * n * sizeof *to->states);
  memcpy(to->at_end, from->at_end, a->outputs * sizeof *to->at_end);
  to->reached = from->reached;
  to->until = from->until;
  to->seconds = from->seconds;
}

static void swap(robot_track *x, robot_track *y) {
  const robot_track z = *x;
  *x = *y;
  *y = z;
}

/* ---- errors and bounds ----------------------------------------------------------------------- */

enum { MEASURES = 3 };

/* a measure of an error by its number */
static double *measure_of(robot_error *e, size_t i) {
  return i == 0 ? &e->bodies : i == 1 ? &e->hinges : &e->states;
}

static robot_error plus(robot_error a, robot_error b) {
  return (robot_error){a.states + b.states, a.bodies + b.bodies, a.hinges + b.hinges};
}

/* how far the finest steps are from where ever finer ones lead, by the last three differences of
 * halvings: what follows is a geometric series of a ratio that is at least `slowest` */
static double left_over(const double moved[], size_t halvings) {
  static const double slowest = 1.25, fastest = 2.0;
  double most = 0.0, weight = 1.0;
  const double older = halvings > 2 ? moved[halvings - 2] : moved[halvings - 1];
  const double steps = halvings > 2 ? 2.0 : 1.0;
  const double ratio =
      fmin(fastest, fmax(slowest, pow(older / fmax(moved[halvings], 1e-300), 1.0 / steps)));
  for (size_t i = 0; i < 3 && i < halvings; i++, weight /= ratio)
    most = fmax(most, weight * moved[halvings - i] / (ratio - 1.0));
  return most;
}

/* unknown below two halvings */
static robot_error bound_of_steps(const robot_answer *a) {
  robot_error bound = robot_error_unknown;
  for (size_t m = 0; m < MEASURES && a->halvings > 1; m++) {
    double moved[ROBOT_HALVINGS + 1] = {0};
    for (size_t i = 1; i <= a->halvings; i++) {
      robot_error e = a->moved[i];
      moved[i] = *measure_of(&e, m);
    }
    *measure_of(&bound, m) = left_over(moved, a->halvings);
  }
  return bound;
}

/* the finest steps, and where the last two lead as a first order's would, from a reference */
static int from_steps(robot_answer *a, const robot_track *reference, robot_error *plain,
                      robot_error *nearest) {
  const robot_case *const c = a->run->own;
  const robot_track *const now = finest(a), *const before =
                                                &a->step[(a->halvings + 2) % ROBOT_KEPT];
  const size_t n = c->size.dimension;
  robot_track led = {0};
  *plain = *nearest = robot_apart(a->run, now, reference, a->outputs);
  if (a->halvings == 0) return 0;
  if (robot_track_alloc(a->run, &led)) return -1;
  for (size_t i = 0; i < a->outputs * n; i++)
    led.states[i] = 2.0 * now->states[i] - before->states[i];
  for (size_t i = 0; i < a->outputs; i++) {
    robot_normalise(c->robot, led.states + i * n);
    led.at_end[i] = now->at_end[i] && before->at_end[i];
  }
  led.reached = a->outputs;
  *nearest = robot_error_smaller(*plain, robot_apart(a->run, &led, reference, a->outputs));
  robot_track_free(&led);
  return 0;
}

/* Of the reference: how far a looser one is, and how far MuJoCo's finest steps are. Where these
 * lead elsewhere the bound takes in both. */
static int bound_of_reference(robot_answer *a, robot_error *bound) {
  static const double elsewhere = 3.0;
  a->parts = false;
  robot_error plain, nearest, steps = bound_of_steps(a), loose = robot_error_unknown;
  if (from_steps(a, &a->reference, &plain, &nearest)) return -1;
  if (a->has_looser) loose = robot_apart(a->run, &a->looser, &a->reference, a->outputs);
  *bound = a->has_looser ? robot_error_larger(loose, nearest) : plus(nearest, steps);
  for (size_t m = 0; m < MEASURES; m++) {
    const double off = *measure_of(&plain, m), may = *measure_of(&steps, m);
    if (a->halvings < 2 || !(off > elsewhere * may)) continue;
    *measure_of(bound, m) = off + may;
    a->parts = a->parts || off > negligible;
  }
  return 0;
}

/* m and rad; of an own run that is unstable, what it is about is the smaller ones */
static bool is_within(const robot_error *error, const robot_error *bound, double share) {
  const double bodies = isnan(error->bodies) ? 1e-3 : error->bodies,
               hinges = isnan(error->hinges) ? 1e-3 : error->hinges;
  return !(bound->bodies > fmax(negligible, share * bodies)) &&
         !(bound->hinges > fmax(negligible, share * hinges)) && !isnan(bound->states);
}

/* by libess where its bound is good, or no worse than that of MuJoCo's own steps */
static int judge(robot_answer *a) {
  robot_error reference = robot_error_unknown, steps = bound_of_steps(a);
  if (a->has_reference && bound_of_reference(a, &reference)) return -1;
  const robot_error by_reference = a->has_reference
                                       ? robot_apart(a->run, &a->mine, &a->reference, a->outputs)
                                       : robot_error_unknown;
  a->how = robot_by_none;
  a->error = a->bound = robot_error_unknown;
  const bool is_libess = a->has_reference && !isnan(reference.states) &&
                         (is_within(&by_reference, &reference, good_share) || isnan(steps.states) ||
                          reference.states <= steps.states);
  if (is_libess) {
    a->how = isnan(a->reference.unguarded) ? robot_by_events : robot_by_field;
    a->error = by_reference;
    a->bound = reference;
  } else if (!isnan(steps.states)) {
    a->how = robot_by_steps;
    a->error = robot_apart(a->run, &a->mine, finest(a), a->outputs);
    // a reference that leads elsewhere says that one of the two is wrong
    a->bound = steps;
    for (size_t m = 0; m < MEASURES && a->has_reference; m++)
      if (*measure_of(&reference, m) > 3.0 * *measure_of(&steps, m))
        *measure_of(&a->bound, m) = *measure_of(&reference, m);
  }
  return 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* libess at a tolerance into a track; whether it reaches the end */
static int follow(robot_answer *a, double tolerance, double most_s, robot_track *t, bool *whole) {
  const robot_case *const c = a->run->own;
  robot_entry e = a->libess;
  e.knob = tolerance;
  t->most_s = most_s;
  t->goes_on = true;
  robot_set_precision(c->robot, tolerance);
  study_within(a->run, "libess at %g", tolerance);
  const int status = robot_follow(a->run, &e, a->x0, false, t);
  *whole = !status && t->reached == c->outputs;
  return status;
}

/* and which option would go on */
static const char *why_libess_ends(const robot_answer *a) {
  const robot_track *const t = &a->reference;
  const bool is_late = strstr(t->status, "--budget");
  const char *const leaves =
      isnan(t->unguarded)
          ? ""
          : study_text(a->run, ", without event functions from %.3g s on (%s)", t->unguarded,
                       strstr(t->gave_up, "--budget") ? "they take too long" : t->gave_up);
  if (!is_late)
    return study_text(a->run, "libess ends at %.3g s: %s%s", t->until, t->status, leaves);
  return study_text(a->run,
                    "libess gets to %.3g s within its share of --budget%s; a larger --budget "
                    "takes it further",
                    t->until, leaves);
}

/* the first reference, by the other base where the first has no time */
static int begin(robot_answer *a) {
  const robot_settings *const s = a->run->settings;
  for (int tries = 0; tries < 2 && !a->has_reference; tries++) {
    const int status =
        follow(a, first_tolerance, first_share * s->budget, &a->reference, &a->has_reference);
    if (status) return status;
    if (a->has_reference) break;
    a->note = why_libess_ends(a);
    if (a->libess.variant == robot_bases[ESS_BASE_ROS2]) break;
    a->libess.variant = robot_bases[ESS_BASE_ROS2];
  }
  a->libess.knob = first_tolerance;
  a->no_tighter = !a->has_reference;
  return 0;
}

/* a tenth of the tolerance: the looser one becomes the old one */
static int tighten(robot_answer *a) {
  bool whole;
  const double seconds = tighter_s * a->reference.seconds, tolerance = 0.1 * a->libess.knob;
  a->no_tighter = tolerance < last_tolerance || seconds > robot_answer_left(a, robot_bound_share);
  if (a->no_tighter) return 0;
  const int status =
      follow(a, tolerance, robot_answer_left(a, robot_bound_share), &a->spare, &whole);
  if (status || !whole) {
    a->no_tighter = true;
    return status;
  }
  swap(&a->looser, &a->reference);
  swap(&a->reference, &a->spare);
  a->libess.knob = tolerance;
  a->has_looser = true;
  return 0;
}

static int halve(robot_answer *a) {
  robot_entry e = a->own;
  robot_track *const t = &a->step[(a->halvings + 1) % ROBOT_KEPT];
  a->no_finer = a->halvings == ROBOT_HALVINGS ||
                robot_halved_s * a->step_seconds > robot_answer_left(a, robot_bound_share);
  if (a->no_finer) return 0;
  e.knob /= pow(2.0, (double)(a->halvings + 1));
  study_within(a->run, "MuJoCo's %s at %g s", e.variant, e.knob);
  const int status = robot_follow(a->run, &e, a->x0, false, t);
  a->step_seconds = t->seconds;
  if (status) return status;
  // what is unstable at the own step need not be at a smaller one
  const robot_track *const before = finest(a);
  const bool known = before->reached == a->outputs && t->reached == a->outputs;
  a->moved[a->halvings + 1] = known ? robot_apart(a->run, before, t, a->outputs)
                                    : (robot_error){INFINITY, INFINITY, INFINITY};
  a->halvings++;
  return 0;
}

/* ---- the answer grows ------------------------------------------------------------------------ */

/* so many halvings tell how finer steps converge */
enum { FEW = 3 };

/* a number for who waits */
static void publish(robot_answer *a) {
  const robot_error e = a->has_reference ? robot_apart(a->run, &a->mine, &a->reference, a->outputs)
                                         : robot_apart(a->run, &a->mine, finest(a), a->outputs);
  if (a->first_s > 0.0 || !(a->has_reference || a->halvings)) return;
  a->first_s = robot_answer_elapsed(a);
  if (isnan(e.states))
    fprintf(stderr,
            "progress: %s: MuJoCo's %s is unstable at its own step, %g ms, from %.3g s on\n",
            a->model, a->own.variant, 1e3 * a->own.knob, a->mine.until);
  else
    fprintf(stderr,
            "progress: %s: a first estimate, still without a bound: the error is %.2g mm and "
            "%.2g mrad, by %s\n",
            a->model, 1e3 * e.bodies, 1e3 * (isnan(e.hinges) ? 0.0 : e.hinges),
            a->has_reference ? "libess at a tolerance of 1e-4" : "MuJoCo's steps");
}

/* The model's own setting, the base that the first states ask for, and the first reference. */
static int start(robot_answer *a) {
  const robot_settings *const s = a->run->settings;
  const robot_case *const c = a->run->own;
  enum { LOOK = 51 };
  int status = robot_start_of(a->run, a->start, a->x0) ? -1 : 0;
  a->own = (robot_entry){ROBOT_MUJOCO, c->size.integrator, c->size.time_step, true};
  study_within(a->run, "MuJoCo at its own step");
  if (!status) status = robot_follow(a->run, &a->own, a->x0, false, &a->mine);
  if (!status) copy(a, &a->mine, &a->step[0]);
  a->step_seconds = a->mine.seconds;
  // a first number by steps, which are there before libess may be
  const double share = fmin(steps_share, fmax(cheap_share, steps_s / s->budget));
  while (!status && a->halvings < FEW &&
         robot_halved_s * a->step_seconds < robot_answer_left(a, share))
    status = halve(a);
  if (status) return status;
  if (a->halvings == FEW) publish(a);
  a->libess = (robot_entry){ROBOT_LIBESS, robot_bases[ESS_BASE_DOPRI5], NAN, false};
  if (robot_unfit(c->robot)) {
    a->note = study_text(a->run, "the model has no field: %s", robot_unfit(c->robot));
    a->no_tighter = true;
    return 0;
  }
  enum { DIMENSION_MAX = 200 };
  const size_t seen = a->mine.reached < LOOK ? a->mine.reached : LOOK;
  if (c->size.dimension <= DIMENSION_MAX &&
      robot_spectral_radius(a->run, a->mine.states, seen) * c->size.time_step > stiff)
    a->libess.variant = robot_bases[ESS_BASE_ROS2];
  return begin(a);
}

/* how good an answer is asked for by now */
static double asked(const robot_answer *a) {
  return robot_answer_left(a, cheap_share) > 0.0 ? better_share : good_share;
}

/* what the bound is made of: whether it is the tolerance */
static int wants_tighter(robot_answer *a, bool *wants) {
  robot_error plain, nearest;
  *wants = !a->has_looser;
  if (*wants) return 0;
  if (from_steps(a, &a->reference, &plain, &nearest)) return -1;
  const robot_error loose = robot_apart(a->run, &a->looser, &a->reference, a->outputs);
  *wants = loose.states > nearest.states;
  return 0;
}

/* Until the bound is good, or nothing that would make it smaller fits into the budget. The steps'
 * own bound needs three halvings. */
static int narrow(robot_answer *a) {
  int status = 0;
  if (a->has_reference) publish(a);
  while (!status && !*a->run->interrupted) {
    bool tighter = false;
    if (a->halvings < FEW && !a->no_finer) {
      status = halve(a);
      continue;
    }
    publish(a);
    status = judge(a);
    if (status || is_within(&a->error, &a->bound, asked(a))) break;
    if (a->has_reference) status = wants_tighter(a, &tighter);
    if (a->no_tighter && a->no_finer) break;
    if (!status) status = (tighter && !a->no_tighter) || a->no_finer ? tighten(a) : halve(a);
  }
  return status ? status : judge(a);
}

int robot_answer_find(robot_answer *a) {
  int status = start(a);
  if (!status) status = narrow(a);
  if (!status && a->how == robot_by_none && !*a->note)
    a->note = "--budget is too short for any run beside the own";
  return status;
}

/* ---- its runs, and what it says -------------------------------------------------------------- */

const robot_track *robot_answer_truth(const robot_answer *a) {
  return a->how == robot_by_steps ? finest(a) : &a->reference;
}

const robot_track *robot_answer_finer(const robot_answer *a, size_t coarser) {
  return &a->step[(a->halvings + ROBOT_KEPT - (a->halvings ? coarser : 0)) % ROBOT_KEPT];
}

double robot_answer_known_to(const robot_answer *a, double of, double fine, double before,
                             double loose) {
  const double moved = a->moved[a->halvings].states;
  // of the last difference, by all states
  const double share = moved > 0.0 ? fmax(1.0, a->bound.states / moved) : 1.0;
  if (a->how == robot_by_steps) return share * fabs(fine - before);
  // where the two kinds of runs lead elsewhere neither extrapolates; one that is unstable is NaN,
  // which fmin and fmax leave out
  const double plain = fabs(fine - of), led = fabs(2.0 * fine - before - of);
  return fmax(a->parts ? plain : fmin(plain, led), fabs(loose - of));
}

double robot_answer_bound(const robot_answer *a, size_t state) {
  const size_t n = ((const robot_case *)a->run->own)->size.dimension;
  const robot_track *const of = robot_answer_truth(a), *const fine = robot_answer_finer(a, 0),
                           *const before = robot_answer_finer(a, 1),
                           *const loose = a->has_looser ? &a->looser : of;
  double most = 0.0;
  for (size_t i = 1; i < a->outputs; i++) {
    const size_t at = i * n + state;
    const double here = of->states[at];
    const double finer = fine->reached == a->outputs ? fine->states[at] : NAN,
                 coarser = before->reached == a->outputs ? before->states[at] : NAN;
    most = fmax(most, robot_answer_known_to(a, here, finer, coarser, loose->states[at]));
    // MuJoCo's steps and a libess that leads elsewhere
    if (a->has_reference) most = fmax(most, fabs(a->reference.states[at] - here));
  }
  return most;
}

const char *robot_answer_why_wide(const robot_answer *a) {
  if (is_within(&a->error, &a->bound, good_share) || a->how == robot_by_none) return "";
  if (a->parts)
    return "libess and MuJoCo's finest steps lead to different motions, and the bound takes in "
           "both";
  if (a->halvings == ROBOT_HALVINGS)
    return "MuJoCo's steps hardly converge, and so the bound is wide";
  return "--budget ended the runs that make the bound smaller";
}

int robot_answer_alloc(robot_answer *a) {
  robot_track *const tracks[] = {&a->mine,    &a->reference, &a->looser, &a->spare,
                                 &a->step[0], &a->step[1],   &a->step[2]};
  const robot_case *const c = a->run->own;
  a->x0 = calloc(c->size.dimension + 1, sizeof *a->x0);
  if (!a->x0) return study_out_of_memory(a->run);
  for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++)
    if (robot_track_alloc(a->run, tracks[i])) return -1;
  a->outputs = c->outputs;
  return 0;
}

void robot_answer_free(robot_answer *a) {
  robot_track_free(&a->mine);
  robot_track_free(&a->reference);
  robot_track_free(&a->looser);
  robot_track_free(&a->spare);
  for (size_t i = 0; i < ROBOT_KEPT; i++) robot_track_free(&a->step[i]);
  free(a->x0);
}
