/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a robot on the output times, by libess. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "robot_study.h"

/* in one second: what needs more is sliding, or stiff beyond use */
enum { STEPS_PER_SECOND = 200000, CROSSINGS_PER_SECOND = 20000 };

int robot_track_alloc(study_run *run, robot_track *t) {
  const robot_case *const c = run->own;
  *t = (robot_track){.states = calloc(c->outputs * c->size.dimension, sizeof *t->states),
                     .times = calloc(c->outputs, sizeof *t->times),
                     .at_end = calloc(c->outputs, sizeof *t->at_end),
                     .asked = c->outputs,
                     .status = "",
                     .event = SIZE_MAX};
  return t->states && t->times && t->at_end ? 0 : study_out_of_memory(run);
}

void robot_track_free(robot_track *t) {
  free(t->states);
  free(t->times);
  free(t->at_end);
  free(t->touch);
  free(t->stop);
  *t = (robot_track){0};
}

/* ---- libess ---------------------------------------------------------------------------------- */

/* so many changes of contacts and limits within this share of an output step are chatter */
enum { RECENT = 32 };
static const double shortly = 0.1;

/* steps between two looks at the clock, which are calls of the system */
enum { LOOK = 16 };

/* what an observer is told */
typedef struct listening {
  study_run *run;
  robot_track *t;
  bool listen, out_of_memory, late;
  double end; /* of a reference, whose progress is told; else NaN */
  const ess_driver *driver;
  uint64_t start_ns, looks;
  double budget;         /* of the thread's own time: what else the machine does is no part of it */
  double recent[RECENT]; /* times of the latest crossings, in a ring */
  size_t crossings, guard;
  robot_points *points; /* of a reference, of the pairs that are followed; NULL: not looked at */
} listening;

/* A jump of points that are followed is one of the field, too. */
static void look_at_points(listening *l, const double x[]) {
  const robot_case *const c = l->run->own;
  size_t jumped = 0;
  if (l->points && robot_points_jumped(c->robot, x, l->points, &jumped) == 0)
    l->t->jumps += (double)jumped;
}

static int on_step(const ess_step_info *info, void *context) {
  listening *const l = context;
  look_at_points(l, info->x);
  if (!isnan(l->end) && l->looks % LOOK == 0)
    study_within(l->run, "reference at %.3g of %g s", info->t1, l->end);
  if (l->t->most_steps > 0.0)
    l->late = l->t->steps + (double)ess_driver_counters(l->driver)->steps > l->t->most_steps;
  else if (l->looks++ % LOOK == 0)
    l->late = 1e-9 * (double)(measure_thread_ns() - l->start_ns) > l->budget;
  return l->late || *l->run->interrupted;
}

static bool grow(void **array, size_t *room, size_t size) {
  const size_t more = *room ? 2 * *room : 64;
  void *const grown = realloc(*array, more * size);
  if (!grown) return false;
  *array = grown;
  *room = more;
  return true;
}

static int on_crossing(const ess_crossing_info *info, void *context) {
  listening *const l = context;
  robot_track *const t = l->t;
  l->recent[l->crossings++ % RECENT] = info->t;
  l->guard = info->guard;
  if (!l->listen) return 0;
  if (t->stops == t->stop_room && !grow((void **)&t->stop, &t->stop_room, sizeof *t->stop))
    l->out_of_memory = true;
  else
    t->stop[t->stops++] = info->t;
  if (info->direction < 0 || l->out_of_memory) return l->out_of_memory ? -1 : 0;
  if (t->touches == t->room && !grow((void **)&t->touch, &t->room, sizeof *t->touch))
    l->out_of_memory = true;
  else
    t->touch[t->touches++] = (robot_touch){info->t, info->guard};
  return l->out_of_memory ? -1 : 0;
}

/* the field without guards, as MuJoCo has it */
static int plain_field(double time, const double x[], const double sign[], double dxdt[],
                       void *params) {
  (void)time;
  (void)sign;
  return robot_plain_field(params, x, dxdt);
}

static int no_guards(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)x;
  (void)h;
  (void)params;
  return 0;
}

static int no_rates(double t, const double x[], const double v[], double h[], double rate[],
                    void *params) {
  (void)v;
  (void)rate;
  return no_guards(t, x, h, params);
}

/* from where the track ends on; from tick to tick of the controls, which the integrator stops at */
static int integrate(study_run *run, ess_driver *driver, double x[], robot_track *t) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  double now = t->until, end = (double)(t->asked - 1) * c->output_step;
  int status = ESS_SUCCESS;
  while (!status && t->reached < t->asked) {
    double until;
    double *const times = t->times + t->reached;
    size_t count = 0;
    robot_set_control(c->robot, robot_controls_at(&c->controls, now, &until));
    until = fmin(until, end);
    for (; t->reached + count < t->asked; count++) {
      const double time = (double)(t->reached + count) * c->output_step;
      if (time > until) break;
      times[count] = fmax(time, now);
    }
    status = ess_driver_sample(driver, &now, until, x, times, count, t->states + t->reached * n);
    for (size_t i = 0; i < count && times[i] <= now; i++) t->at_end[t->reached++] = true;
  }
  t->until = now;
  return status;
}

/* how long the latest crossings took, where they are so many in so short a time that the run's end
 * is theirs; else NaN */
static double chatter(const study_run *run, const listening *l, int status) {
  const robot_case *const c = run->own;
  const double span = l->t->until - l->recent[l->crossings % RECENT];
  const bool ended = status && status != ESS_ECALLBACK;
  return ended && l->crossings >= RECENT && span < shortly * c->output_step ? span : NAN;
}

static const char *reason(study_run *run, const listening *l, int status) {
  const robot_case *const c = run->own;
  const double span = chatter(run, l, status);
  if (!isnan(span))
    return study_text(run, "%s chatters: %d changes in %.1e s; %s",
                      robot_event_name(c->robot, l->guard), RECENT, span,
                      l->late ? "longer than --budget" : ess_strerror(status));
  if (l->late) return "longer than --budget";
  if (status == ESS_EJACOBIAN && c->follows > 0 && l->t->event < c->size.events)
    return study_text(run, "%s: MuJoCo's search for its distance is too inexact to go on",
                      robot_event_name(c->robot, l->t->event));
  if (status == ESS_ECALLBACK && *robot_failure(c->robot))
    return study_text(run, "%s", robot_failure(c->robot));
  return status ? ess_strerror(status) : "success";
}

/* one driver's part of the way: a status of libess, or -1 with one line in *failed */
static int drive(study_run *run, const ess_system *system, const ess_options *options, double x[],
                 listening *l, const char **failed) {
  robot_track *const t = l->t;
  int status;
  ess_driver *const driver = ess_driver_alloc(system, options, &status);
  *failed = driver ? NULL : ess_strerror(status);
  if (!driver) return -1;
  l->driver = driver;
  status = integrate(run, driver, x, t);
  t->event = status ? ess_driver_failure(driver)->guard : SIZE_MAX;
  t->evaluations += (double)ess_driver_counters(driver)->field_evaluations;
  t->steps += (double)ess_driver_counters(driver)->steps;
  t->refused += (double)ess_driver_counters(driver)->rejected;
  ess_driver_free(driver);
  return status;
}

static ess_base base_of(const robot_entry *e) {
  size_t base = 0;
  while (robot_bases[base] != e->variant) base++;
  return (ess_base)base;
}

static int follow_libess(study_run *run, const robot_entry *e, const double x0[], bool listen,
                         robot_track *t) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const ess_system plain = {.dimension = c->size.dimension,
                            .field = plain_field,
                            .guards = no_guards,
                            .guard_rates = no_rates,
                            .params = c->robot};
  listening l = {.run = run,
                 .t = t,
                 .listen = listen,
                 .budget = s->budget,
                 .end = e->kind == ROBOT_REFERENCE ? s->time : NAN};
  ess_options options = ess_options_default();
  options.rtol = options.atol = e->knob;
  options.base = base_of(e);
  options.sliding = ESS_SLIDING_FILIPPOV; // contacts that bounce ever less
  options.max_steps = (uint64_t)(STEPS_PER_SECOND * fmax(1.0, s->time));
  options.max_crossings = (uint64_t)(CROSSINGS_PER_SECOND * fmax(1.0, s->time));
  options.observer = (ess_observer){.step = on_step, .crossing = on_crossing, .context = &l};
  // the reference may take longer: all else is nothing without it
  if (e->kind == ROBOT_REFERENCE) l.budget *= 6.0;
  if (t->most_s > 0.0) l.budget = fmin(l.budget, t->most_s);
  const ess_system *const system = e->kind == ROBOT_PLAIN ? &plain : robot_system(c->robot);
  const char *failed;
  double *const x = malloc(c->size.dimension * sizeof *x);
  if (e->kind == ROBOT_REFERENCE && c->follows > 0) {
    l.points = calloc(c->follows, sizeof *l.points);
    l.out_of_memory = !l.points;
  }
  if (!x || l.out_of_memory) {
    free(x);
    return study_out_of_memory(run);
  }
  memcpy(x, x0, c->size.dimension * sizeof *x);
  t->until = t->evaluations = t->steps = t->jumps = t->refused = 0.0;
  robot_forget(c->robot);
  const uint64_t start_ns = measure_clock_ns();
  l.start_ns = measure_thread_ns();
  int status = drive(run, system, &options, x, &l, &failed);
  // a run ends at the step before a contact that is refused: from there on steps are short
  if (!failed && status == ESS_ECALLBACK && c->refuses && e->kind != ROBOT_PLAIN && !l.late &&
      !*run->interrupted) {
    options.h_max = c->output_step;
    status = drive(run, system, &options, x, &l, &failed);
  }
  t->seconds = 1e-9 * (double)(measure_clock_ns() - start_ns);
  free(x);
  free(l.points);
  if (failed) return measure_fail(run->message, "libess: %s", failed);
  t->status = reason(run, &l, status);
  if (!isnan(chatter(run, &l, status))) t->event = l.guard;
  return l.out_of_memory ? study_out_of_memory(run) : 0;
}

int robot_follow(study_run *run, const robot_entry *e, const double x0[], bool listen,
                 robot_track *t) {
  const robot_case *const c = run->own;
  t->reached = t->touches = t->stops = 0;
  t->event = SIZE_MAX;
  if (e->kind == ROBOT_MUJOCO) return robot_follow_steps(run, e, x0, NULL, t);
  const int status = follow_libess(run, e, x0, listen, t);
  for (size_t i = 0; i < t->reached; i++)
    robot_normalise(c->robot, t->states + i * c->size.dimension);
  return status;
}
