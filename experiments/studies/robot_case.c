/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The robot of a study, what runs from each start, and how far two runs are apart. */
#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "files.h"
#include "robot_case.h"
#include "second_order.h"

/* numbers that a trajectory may have: 64 MB of them, of which some six are kept at a time */
static const double numbers_max = 8e6;

const char *const robot_integrators[] = {"Euler",    "implicitfast", "RK4",
                                         "implicit", "discrete",     NULL};

const char *const robot_bases[] = {[ESS_BASE_DOPRI5] = "dopri5",
                                   [ESS_BASE_RKC] = "rkc",
                                   [ESS_BASE_CHOSEN] = "chosen",
                                   [ESS_BASE_RODAS] = "rodas",
                                   [ESS_BASE_ROS2] = "ros2",
                                   [ESS_BASE_CHOSEN_RODAS] = "chosen_rodas",
                                   [ESS_BASE_LIT] = "lit",
                                   [ROBOT_BASES + SECOND_ORDER_HEUN] = "heun",
                                   [ROBOT_BASES + SECOND_ORDER_ADAMS] = "adams2",
                                   [ROBOT_UNLOCATED] = "lit_unlocated",
                                   NULL};

const char *const robot_fourth_order = "RK4";

const char *const robot_who[] = {
    [ROBOT_MUJOCO] = "MuJoCo", [ROBOT_LIBESS] = "libess", [ROBOT_PLAIN] = "plain"};

/* ---- entries --------------------------------------------------------------------------------- */

static int add(study_run *run, robot_entry e) {
  robot_case *const c = run->own;
  if (c->entries == ROBOT_ENTRIES_MAX)
    return measure_fail(run->message,
                        "more than %d runs from each initial condition are not accepted",
                        ROBOT_ENTRIES_MAX);
  c->entry[c->entries++] = e;
  return 0;
}

/* one integrator at all steps, the largest first; the model's own step stands among them where it
 * is the model's own integrator */
static int add_integrator(study_run *run, const char *variant) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const bool own = strcmp(variant, c->size.integrator) == 0;
  const double step = c->size.time_step;
  bool missing = own;
  int status = 0;
  for (size_t i = 0; !status && i < s->time_steps.count; i++) {
    const double h = s->time_steps.value[i];
    const bool same = fabs(h - step) <= 1e-9 * step;
    if (missing && !same && h < step)
      status = add(run, (robot_entry){ROBOT_MUJOCO, variant, step, true});
    if (same || h < step) missing = false;
    if (!status) status = add(run, (robot_entry){ROBOT_MUJOCO, variant, h, own && same});
  }
  if (!status && missing) status = add(run, (robot_entry){ROBOT_MUJOCO, variant, step, true});
  return status;
}

/* the model's own integrator alone, where it is not asked for */
static int add_own(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  for (size_t i = 0; i < s->integrators.count; i++)
    if (strcmp(robot_integrators[s->integrators.index[i]], c->size.integrator) == 0) return 0;
  return add(run, (robot_entry){ROBOT_MUJOCO, c->size.integrator, c->size.time_step, true});
}

/* libess with guards or without, by each base at all tolerances; event-unaware solvers that are no
 * base of libess are without guards alone, and what steps over events is libess alone */
static int add_bases(study_run *run, robot_kind kind) {
  const robot_settings *const s = run->settings;
  int status = 0;
  for (size_t b = 0; b < s->bases.count; b++) {
    const size_t base = s->bases.index[b];
    const robot_kind alone = base == ROBOT_UNLOCATED ? ROBOT_LIBESS : ROBOT_PLAIN;
    if (base >= ROBOT_BASES && kind != alone) continue;
    for (size_t i = 0; !status && i < s->tolerances.count; i++)
      status = add(run, (robot_entry){kind, robot_bases[base], s->tolerances.value[i], false});
  }
  return status;
}

static int list_entries(study_run *run) {
  const robot_settings *const s = run->settings;
  int status =
      add(run, (robot_entry){ROBOT_REFERENCE, robot_bases[ESS_BASE_DOPRI5], s->reference, false});
  for (size_t i = 0; !status && i < s->integrators.count; i++)
    status = add_integrator(run, robot_integrators[s->integrators.index[i]]);
  if (!status) status = add_own(run);
  if (!status) status = add_bases(run, ROBOT_LIBESS);
  return status ? status : add_bases(run, ROBOT_PLAIN);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int check_sizes(study_run *run) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  if (s->bases.index[0] >= ROBOT_BASES)
    return SOLVER_REFUSE(run->message,
                         "--base begins with %s, which is event-unaware; the first must be one of "
                         "libess: dopri5, rkc, chosen, rodas, ros2, chosen_rodas or lit",
                         robot_bases[s->bases.index[0]]);
  const double outputs = floor(s->time / s->output_step + 1e-9) + 1.0;
  if (outputs < 2.0)
    return SOLVER_REFUSE(run->message, "--output-step %g is longer than the run of %g s",
                         s->output_step, s->time);
  if (c->size.dimension == 0)
    return SOLVER_REFUSE(run->message, "%.300s has no moving body", run->operand);
  if (outputs * (double)c->size.dimension > numbers_max)
    return SOLVER_REFUSE(
        run->message,
        "%zu states at %.0f times are more than a trajectory may have here; a shorter "
        "--time, or an --output-step of at least %.1g, would do",
        c->size.dimension, outputs, s->time * (double)c->size.dimension / numbers_max);
  c->output_step = s->output_step;
  c->outputs = (size_t)outputs;
  for (size_t i = 0; i < s->integrators.count; i++)
    if (!robot_steps_knows(robot_integrators[s->integrators.index[i]]))
      return SOLVER_REFUSE(run->message, "this MuJoCo has no integrator %s",
                           robot_integrators[s->integrators.index[i]]);
  return 0;
}

/* what errors are of */
static int find_parts(study_run *run) {
  robot_case *const c = run->own;
  c->hinge = calloc(c->size.nq + 1, sizeof *c->hinge);
  c->body = calloc(c->size.bodies + 1, sizeof *c->body);
  if (!c->hinge || !c->body) return study_out_of_memory(run);
  for (size_t k = 0; k < c->size.nq; k++)
    if (strcmp(robot_state_unit(c->robot, k), "rad") == 0 && robot_state_counts(c->robot, k))
      c->hinge[c->hinges++] = k;
  for (size_t i = 1; i < c->size.bodies; i++)
    if (robot_body_counts(c->robot, i)) c->body[c->bodies++] = i;
  return 0;
}

/* how near a twin is to what it is the twin of, by the motion from x */
static int gauge_twin(study_run *run, const double x[]) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  robot_twin_gaps gaps;
  c->twin_gap = c->twin_text_gap = NAN;
  if (!s->twin) return 0;
  int status = robot_twin_gap(c->robot, x, run->seed, &gaps, run->message);
  if (status) return status;
  c->twin_gap = gaps.field;
  c->twin_text_gap = gaps.text;
  return s->written ? robot_save(c->robot, s->written, run->message) : 0;
}

double robot_height(const robot_settings *s) {
  return !isnan(s->height) ? s->height : s->keyframe ? 0.0 : 0.05;
}

double robot_tilt(const robot_settings *s) {
  return !isnan(s->tilt) ? s->tilt : s->keyframe ? 0.0 : 0.1;
}

int robot_start_of(study_run *run, size_t number, double x[]) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  robot_start start = {s->qpos, robot_height(s), robot_tilt(s), number, run->seed, NULL};
  if (number < c->states.count) start.state = c->states.x + number * c->size.dimension;
  return robot_start_state(c->robot, &start, x, run->message);
}

/* where nothing is raised and nothing tilted, nothing is drawn: medians and intervals of such
 * starts would be of one */
static int check_drawn(study_run *run, const double x[], double other[]) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  if (c->starts < 2 || c->states.count) return 0;
  const int status = robot_start_of(run, 1, other);
  if (status || memcmp(x, other, c->size.dimension * sizeof *x) != 0) return status;
  return SOLVER_REFUSE(
      run->message,
      "with --height %g and --tilt %g all %zu initial conditions are equal; --starts 1 is "
      "accepted, or a --tilt that is not 0",
      robot_height(s), robot_tilt(s), c->starts);
}

/* all starts, so that what is wrong with one is told before anything is run; the first is the last
 */
static int check_starts(study_run *run) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  double *const x = calloc(2 * n + 1, sizeof *x);
  int status = x ? 0 : study_out_of_memory(run);
  for (size_t i = c->starts; !status && i-- > 0;) status = robot_start_of(run, i, x);
  if (!status) status = check_drawn(run, x, x + n);
  // whether there is anything to raise
  robot_start raised = {s->qpos, robot_height(s), robot_tilt(s), 0, run->seed, NULL};
  if (!status) status = robot_start_state(c->robot, &raised, x, run->message);
  raised.height += 1.0;
  if (!status) status = robot_start_state(c->robot, &raised, x + n, run->message);
  c->falls = !status && memcmp(x, x + n, n * sizeof *x) != 0;
  if (!status) status = robot_start_of(run, 0, x);
  if (!status) status = robot_start_broken(c->robot, x, &c->broken, run->message);
  if (!status) status = gauge_twin(run, x);
  free(x);
  return status;
}

/* of the model, and of the controls that a table gives */
static int tell_content(study_run *run) {
  const robot_case *const c = run->own;
  const unsigned char *const bytes = (const unsigned char *)c->controls.value;
  const int status = robot_content(c->robot, &run->content, run->message);
  for (size_t i = 0; !status && i < c->controls.count * c->controls.nu * sizeof(double); i++)
    run->content = (run->content ^ bytes[i]) * 0x100000001b3u;
  return status;
}

static int read_twin(study_run *run, robot_options *options) {
  const robot_settings *const s = run->settings;
  if (measure_is_same_file(s->written, run->operand) ||
      measure_is_same_file(s->written, s->control))
    return SOLVER_REFUSE(
        run->message,
        "--write %.300s would overwrite a file that this study reads; another name is "
        "accepted",
        s->written);
  if (s->twin) return robot_options_twin(s->twin, options, run->message);
  if (!s->written) return 0;
  return SOLVER_REFUSE(run->message, "--write needs --twin K,C, whose model it writes");
}

double robot_period(const robot_case *c) {
  return c->controls.count > 1 || c->controls.joint ? c->controls.period : (double)NAN;
}

static int read_controls(study_run *run) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  const double period = s->period > 0.0 ? s->period : 0.02;
  const int status = robot_controls_read(c->robot, s->control, period, &c->controls, run->message);
  if (status) return status;
  if (s->pd) return robot_controls_track(c->robot, s->pd, !s->control, &c->controls, run->message);
  if (s->period == 0.0 || c->controls.count > 1) return 0;
  return SOLVER_REFUSE(run->message,
                       "--period needs a --ctrl FILE.csv with more than one row, or --pd");
}

/* how many initial conditions there are, by a file or as asked for */
static int read_states(study_run *run) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  // a study of one start has no such option
  c->starts = s->starts ? s->starts : 1;
  if (!s->states) return 0;
  if (s->qpos || s->keyframe || !isnan(s->height) || !isnan(s->tilt))
    return SOLVER_REFUSE(run->message,
                         "--states has the initial conditions as they are; --qpos, --keyframe, "
                         "--height and --tilt do not go with it");
  const int status = robot_states_read(c->robot, s->states, &c->states, run->message);
  if (status) return status;
  if (s->starts > c->states.count)
    return SOLVER_REFUSE(run->message, "--starts %zu is not accepted; --states %.200s has %zu",
                         s->starts, s->states, c->states.count);
  c->starts = s->starts ? s->starts : c->states.count;
  return 0;
}

int robot_case_open(study_run *run, bool unfit) {
  return robot_case_open_with(run, unfit, NULL);
}

int robot_case_open_with(study_run *run, bool unfit, const char *setting) {
  const robot_settings *const s = run->settings;
  robot_options options = {0};
  robot_case *const c = calloc(1, sizeof *c);
  run->own = c;
  if (!c) return study_out_of_memory(run);
  int status = read_twin(run, &options);
  options.without = s->without;
  options.keyframe = s->keyframe;
  options.setting = setting;
  options.unfit = unfit;
  if (!status) status = robot_open(run->operand, NULL, &options, &c->robot, run->message);
  if (status) return status;
  c->size = robot_size(c->robot);
  for (size_t i = 0; i < robot_finding_count(c->robot); i++)
    c->refuses = c->refuses || robot_findings(c->robot)[i].treatment == ROBOT_REFUSED;
  c->follows = robot_followed_pairs(c->robot);
  status = check_sizes(run);
  if (!status) status = find_parts(run);
  if (!status) status = read_controls(run);
  c->held.ctrl = calloc(c->size.nu + 1, sizeof *c->held.ctrl);
  if (!status && !c->held.ctrl) status = study_out_of_memory(run);
  if (!status) status = read_states(run);
  if (!status) status = tell_content(run);
  if (!status) status = check_starts(run);
  if (!status) status = robot_steps_open(c->robot, &c->steps, run->message);
  return status ? status : list_entries(run);
}

void robot_case_close(study_run *run) {
  robot_case *const c = run->own;
  if (!c) return;
  robot_steps_close(c->steps);
  robot_controls_free(&c->controls);
  robot_states_free(&c->states);
  free(c->held.ctrl);
  robot_close(c->robot);
  free(c->hinge);
  free(c->body);
  free(c);
}

/* ---- runs by libess -------------------------------------------------------------------------- */

/* in one second: what needs more is sliding, or stiff beyond use */
enum { STEPS_PER_SECOND = 200000, CROSSINGS_PER_SECOND = 20000 };

int robot_track_alloc(study_run *run, robot_track *t) {
  const robot_case *const c = run->own;
  *t = (robot_track){.states = calloc(c->outputs * c->size.dimension, sizeof *t->states),
                     .times = calloc(c->outputs, sizeof *t->times),
                     .at_end = calloc(c->outputs, sizeof *t->at_end),
                     .asked = c->outputs,
                     .status = "",
                     .event = SIZE_MAX,
                     .unguarded = NAN,
                     .gave_up = ""};
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
  second_order *unaware; /* where there is no driver */
  uint64_t start_ns, looks;
  double budget;         /* of the thread's own time: what else the machine does is no part of it */
  double recent[RECENT]; /* times of the latest crossings, in a ring */
  size_t crossings, guard;
  robot_points *points; /* of a reference, of the pairs that are followed; NULL: not looked at */
} listening;

robot_point_jumps robot_jumps(const study_run *run, const double x[], robot_points points[]) {
  const robot_case *const c = run->own;
  robot_point_jumps jumps;
  const bool is_known = points && !robot_points_jumped(c->robot, x, points, &jumps);
  return is_known ? jumps : (robot_point_jumps){0};
}

/* whether a run that has made so many steps has to end */
static bool out_of_time(listening *l, uint64_t steps) {
  if (l->t->most_steps > 0.0)
    l->late = l->t->steps + (double)steps > l->t->most_steps;
  else if (l->looks++ % LOOK == 0)
    l->late = 1e-9 * (double)(measure_thread_ns() - l->start_ns) > l->budget;
  return l->late || *l->run->interrupted;
}

static int on_step(const ess_step_info *info, void *context) {
  listening *const l = context;
  const robot_point_jumps jumps = robot_jumps(l->run, info->x, l->points);
  l->t->jumps += (double)jumps.count;
  l->t->jump_dist = fmax(l->t->jump_dist, jumps.dist);
  if (!isnan(l->end) && l->looks % LOOK == 0)
    study_within(l->run, "reference at %.3g of %g s", info->t1, l->end);
  return out_of_time(l, ess_driver_counters(l->driver)->steps);
}

static int on_crossing(const ess_crossing_info *info, void *context) {
  listening *const l = context;
  robot_track *const t = l->t;
  l->recent[l->crossings++ % RECENT] = info->t;
  l->guard = info->event;
  if (!l->listen) return 0;
  double *const stop = measure_grow(t->stop, &t->stop_room, t->stops, sizeof *stop);
  if (stop) t->stop = stop;
  robot_touch *const touch = measure_grow(t->touch, &t->room, t->touches, sizeof *touch);
  if (touch) t->touch = touch;
  l->out_of_memory = !stop || !touch;
  if (l->out_of_memory) return -1;
  stop[t->stops++] = info->t;
  if (info->direction >= 0) touch[t->touches++] = (robot_touch){info->t, info->event};
  return 0;
}

/* the field without guards, as MuJoCo has it */
static int plain_field(double time, const double x[], const double sign[], double dxdt[],
                       void *params) {
  (void)time;
  (void)sign;
  return robot_plain_field(params, x, dxdt);
}

static int plain_solve(double time, const double x[], const double sign[], double c, double v[],
                       void *params) {
  (void)time;
  (void)sign;
  return robot_plain_solve(params, x, c, v);
}

/* the same, of a solver that is no base of libess, which has no observer */
static int unaware_field(void *context, double time, const double x[], double dxdt[]) {
  listening *const l = context;
  const robot_case *const c = l->run->own;
  (void)time;
  l->t->evaluations++;
  return out_of_time(l, l->unaware->steps) ? -1 : robot_plain_field(c->robot, x, dxdt);
}

/* from where the track ends on; from tick to tick of the controls, which the integrator stops at */
static int integrate(study_run *run, ess_driver *driver, second_order *unaware, double x[],
                     robot_track *t) {
  robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  double now = t->until, end = (double)(t->asked - 1) * c->output_step;
  int status = ESS_SUCCESS;
  while (!status && t->reached < t->asked) {
    double *const times = t->times + t->reached;
    size_t count = 0;
    robot_set_control(c->robot,
                      robot_controls_hold(&c->controls, now, x, x + c->size.nq, &c->held));
    const double until = fmin(c->held.until, end);
    for (; t->reached + count < t->asked; count++) {
      const double time = (double)(t->reached + count) * c->output_step;
      if (time > until) break;
      times[count] = fmax(time, now);
    }
    double *const states = t->states + t->reached * n;
    status = driver ? ess_driver_sample(driver, &now, until, x, times, count, states)
                    : second_order_sample(unaware, &now, until, x, times, count, states);
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

/* where the time went, as far as crossings say, and which option gives more */
static const char *too_long(study_run *run, const listening *l) {
  const robot_case *const c = run->own;
  const char *const option = isnan(l->end) ? "--budget" : "--reference-budget";
  if (l->crossings == 0 || l->guard >= c->size.events)
    return study_text(run, "longer than --budget; a larger %s goes on", option);
  return study_text(run,
                    "longer than --budget, after %zu changes of contacts and limits, the last of "
                    "%s; a larger %s goes on",
                    l->crossings, robot_event_name(c->robot, l->guard), option);
}

static const char *reason(study_run *run, const listening *l, int status) {
  const robot_case *const c = run->own;
  const double span = chatter(run, l, status);
  if (!isnan(span))
    return study_text(run, "%s chatters: %d changes in %.1e s; %s",
                      robot_event_name(c->robot, l->guard), RECENT, span,
                      l->late ? "longer than --budget" : ess_strerror(status));
  if (l->late) return too_long(run, l);
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
  status = integrate(run, driver, NULL, x, t);
  t->event = status ? ess_driver_failure(driver)->event : SIZE_MAX;
  t->evaluations += (double)ess_driver_counters(driver)->field_evaluations;
  t->steps += (double)ess_driver_counters(driver)->steps;
  t->refused += (double)ess_driver_counters(driver)->rejected;
  ess_driver_free(driver);
  return status;
}

/* the same of a solver that is no base of libess */
static int drive_unaware(study_run *run, second_order_scheme scheme, double tolerance, double x[],
                         listening *l, const char **failed) {
  robot_track *const t = l->t;
  second_order s = {.scheme = scheme,
                    .dimension = ((const robot_case *)run->own)->size.dimension,
                    .rtol = tolerance,
                    .atol = tolerance,
                    .h_max = INFINITY,
                    .field = unaware_field,
                    .context = l};
  l->unaware = &s;
  *failed = second_order_alloc(&s) ? ess_strerror(ESS_ENOMEM) : NULL;
  if (*failed) return -1;
  const int status = integrate(run, NULL, &s, x, t);
  t->event = SIZE_MAX;
  t->steps += (double)s.steps;
  t->refused += (double)s.rejected;
  second_order_free(&s);
  return status == SECOND_ORDER_TOO_SMALL  ? ESS_EUNDERFLOW
         : status == SECOND_ORDER_TOO_MANY ? ESS_EMAXSTEPS
         : status                          ? ESS_ECALLBACK
                                           : ESS_SUCCESS;
}

static size_t base_of(const robot_entry *e) {
  size_t base = 0;
  while (robot_bases[base] != e->variant) base++;
  return base;
}

/* the time that a run with event functions may take before it goes on without, as a share */
static const double guarded_share = 0.5;

/* From where a run has ended, without event functions: what switches is left to the error control.
 */
static int go_on(study_run *run, const ess_system *plain, ess_options *options, double x[],
                 listening *l, int status, const char **failed) {
  const robot_case *const c = run->own;
  robot_track *const t = l->t;
  const char *const why =
      l->late ? "they take more than their share of --budget, and a larger one keeps them"
              : reason(run, l, status);
  const char *const name = t->event < c->size.events ? robot_event_name(c->robot, t->event) : "";
  t->unguarded = t->until;
  t->gave_up =
      study_text(run, "%s%s%s", why, strstr(why, name) ? "" : ": ", strstr(why, name) ? "" : name);
  l->budget /= guarded_share;
  l->late = false;
  l->crossings = l->looks = 0;
  options->h_max = INFINITY;
  return drive(run, plain, options, x, l, failed);
}

static int follow_libess(study_run *run, const robot_entry *e, const double x0[], bool listen,
                         robot_track *t) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  const ess_system plain = {.dimension = c->size.dimension,
                            .field = plain_field,
                            .field_solve = plain_solve,
                            .params = c->robot};
  listening l = {.run = run,
                 .t = t,
                 .listen = listen,
                 .budget = s->budget,
                 .end = e->kind == ROBOT_REFERENCE ? s->time : NAN};
  ess_options options = ess_options_default();
  options.rtol = options.atol = e->knob;
  const size_t base = base_of(e);
  const bool unlocated = base == ROBOT_UNLOCATED, plainly = e->kind == ROBOT_PLAIN || unlocated;
  options.base = base < ROBOT_BASES ? (ess_base)base : unlocated ? ESS_BASE_LIT : ESS_BASE_DOPRI5;
  options.sliding = ESS_SLIDING_SLIDE; // contacts that bounce ever less
  options.max_steps = (uint64_t)(STEPS_PER_SECOND * fmax(1.0, s->time));
  options.max_crossings = (uint64_t)(CROSSINGS_PER_SECOND * fmax(1.0, s->time));
  options.observer = (ess_observer){.step = on_step, .crossing = on_crossing, .context = &l};
  // the reference may take longer: all else is nothing without it
  if (e->kind == ROBOT_REFERENCE)
    l.budget = s->reference_budget > 0.0 ? s->reference_budget : 6.0 * s->budget;
  if (t->most_s > 0.0) l.budget = fmin(l.budget, t->most_s);
  if (t->goes_on) l.budget *= guarded_share;
  const ess_system *const system = plainly ? &plain : robot_system(c->robot);
  const char *failed;
  double *const x = malloc(c->size.dimension * sizeof *x);
  if ((e->kind == ROBOT_REFERENCE || t->goes_on) && c->follows > 0) {
    l.points = calloc(c->follows, sizeof *l.points);
    l.out_of_memory = !l.points;
  }
  if (!x || l.out_of_memory) {
    free(x);
    return study_out_of_memory(run);
  }
  memcpy(x, x0, c->size.dimension * sizeof *x);
  t->unguarded = NAN;
  t->gave_up = "";
  t->until = t->evaluations = t->steps = t->jumps = t->jump_dist = t->refused = 0.0;
  robot_forget(c->robot);
  robot_set_precision(c->robot, e->knob);
  c->held.until = -INFINITY;
  l.start_ns = measure_thread_ns();
  int status =
      base < ROBOT_BASES || unlocated
          ? drive(run, system, &options, x, &l, &failed)
          : drive_unaware(run, (second_order_scheme)(base - ROBOT_BASES), e->knob, x, &l, &failed);
  // a run ends at the step before a contact that is refused: from there on steps are short
  if (!failed && status == ESS_ECALLBACK && c->refuses && !plainly && !l.late &&
      !*run->interrupted) {
    options.h_max = c->output_step;
    status = drive(run, system, &options, x, &l, &failed);
  }
  if (!failed && status && t->goes_on && !*run->interrupted)
    status = go_on(run, &plain, &options, x, &l, status, &failed);
  t->seconds = 1e-9 * (double)(measure_thread_ns() - l.start_ns);
  free(x);
  free(l.points);
  if (failed) return measure_fail(run->message, "libess: %s", failed);
  t->status = reason(run, &l, status);
  if (!isnan(chatter(run, &l, status))) t->event = l.guard;
  return l.out_of_memory ? study_out_of_memory(run) : 0;
}

int robot_follow_steps(study_run *run, const robot_entry *e, const double x0[],
                       const robot_track *along, robot_track *t) {
  const robot_case *const c = run->own;
  const double none = 0.0;
  robot_steps_request request = {.integrator = e->variant,
                                 .time_step = e->knob,
                                 .x0 = x0,
                                 .controls = &c->controls,
                                 .dt = c->output_step,
                                 .count = t->asked,
                                 .states = t->states,
                                 .at_end = t->at_end};
  if (along) {
    request.stops = along->stops ? along->stop : &none;
    request.stop_count = along->stops;
    request.exactly = true;
  }
  robot_steps_report report;
  if (robot_steps_run(c->steps, &request, &report))
    return measure_fail(run->message, "%s", report.message);
  t->reached = report.reached;
  t->until = t->reached ? (double)(t->reached - 1) * c->output_step : 0.0;
  t->status = *report.message ? study_text(run, "%s", report.message) : "success";
  t->seconds = report.seconds;
  t->steps = (double)report.steps;
  t->evaluations = t->steps * (strcmp(e->variant, "RK4") == 0 ? 4.0 : 1.0);
  return 0;
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

/* ---- how far two runs are apart -------------------------------------------------------------- */

/* sum of squares over positions and velocities; quaternions of both are of unit length */
static double squares(const robot_case *c, const double x[], const double y[]) {
  double sum = 0.0;
  for (size_t i = 0; i < c->size.nq + c->size.nv; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

double robot_track_size(const study_run *run, const robot_track *t, size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension, numbers = c->size.nq + c->size.nv;
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < numbers; k++) sum += t->states[i * n + k] * t->states[i * n + k];
  return sqrt(sum / ((double)count * (double)numbers));
}

double robot_apart_at(const study_run *run, const robot_track *t, const robot_track *of, size_t i) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  return sqrt(squares(c, t->states + i * n, of->states + i * n) /
              (double)(c->size.nq + c->size.nv));
}

bool robot_counts_all(const robot_track *t, size_t count) {
  size_t ends = 0;
  for (size_t i = 1; i < count; i++) ends += t->at_end[i];
  return 20 * ends < count - 1;
}

const robot_error robot_error_unknown = {NAN, NAN, NAN};

robot_error robot_error_smaller(robot_error a, robot_error b) {
  return (robot_error){fmin(a.states, b.states), fmin(a.bodies, b.bodies),
                       fmin(a.hinges, b.hinges)};
}

static double larger(double a, double b) {
  return isnan(a) || a >= b ? a : b;
}

robot_error robot_error_larger(robot_error a, robot_error b) {
  return (robot_error){larger(a.states, b.states), larger(a.bodies, b.bodies),
                       larger(a.hinges, b.hinges)};
}

static double hinges_at(const robot_case *c, const double x[], const double y[]) {
  double sum = 0.0;
  for (size_t i = 0; i < c->hinges; i++) {
    const double off = x[c->hinge[i]] - y[c->hinge[i]];
    sum += off * off;
  }
  return sum;
}

/* origins of the bodies that count, by two states; NaN where MuJoCo fails */
static double bodies_at(const robot_case *c, const double x[], const double y[], double room[]) {
  const size_t numbers = 3 * c->size.bodies;
  double sum = 0.0;
  if (robot_body_positions(c->robot, x, room) || robot_body_positions(c->robot, y, room + numbers))
    return NAN;
  for (size_t i = 0; i < 3 * c->bodies; i++) {
    const size_t k = 3 * c->body[i / 3] + i % 3;
    sum += (room[k] - room[numbers + k]) * (room[k] - room[numbers + k]);
  }
  return sum;
}

robot_error robot_apart(const study_run *run, const robot_track *t, const robot_track *of,
                        size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  double *const room = malloc((6 * c->size.bodies + 1) * sizeof *room);
  if (!room || t->reached < count || count < 2) {
    free(room);
    return robot_error_unknown;
  }
  const bool all = robot_counts_all(t, count);
  robot_error sum = {0};
  double counted = 0.0;
  for (size_t i = 1; i < count; i++) {
    if (!all && !t->at_end[i]) continue;
    const double *const here = t->states + i * n, *const there = of->states + i * n;
    sum.states += squares(c, here, there);
    sum.bodies += bodies_at(c, here, there, room);
    sum.hinges += hinges_at(c, here, there);
    counted += 1.0;
  }
  free(room);
  return (robot_error){sqrt(sum.states / (counted * (double)(c->size.nq + c->size.nv))),
                       sqrt(sum.bodies / (counted * (double)c->bodies)),
                       sqrt(sum.hinges / (counted * (double)c->hinges))};
}

/* ---- how stiff a field is ---------------------------------------------------------------------
 */

/* the modulus of the largest eigenvalue of the field's Jacobian by differences, or NaN where the
 * field gives up; room for n (n + 5) numbers */
static double radius_at(robot *r, size_t n, const double x[], gsl_eigen_nonsymm_workspace *work,
                        double room[]) {
  double *const value = room + n * n, *const f = value + 2 * n, *const g = f + n, *const y = g + n;
  gsl_matrix_view jacobian = gsl_matrix_view_array(room, n, n);
  gsl_vector_complex_view values = gsl_vector_complex_view_array(value, n);
  double largest = 0.0;
  if (robot_plain_field(r, x, f)) return NAN;
  memcpy(y, x, n * sizeof *y);
  for (size_t j = 0; j < n; j++) {
    const double step = 1e-7 * (1.0 + fabs(x[j]));
    y[j] += step;
    if (robot_plain_field(r, y, g)) return NAN;
    y[j] = x[j];
    for (size_t i = 0; i < n; i++) {
      room[i * n + j] = (g[i] - f[i]) / step;
      if (!isfinite(room[i * n + j])) return NAN;
    }
  }
  if (gsl_eigen_nonsymm(&jacobian.matrix, &values.vector, work)) return NAN;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, hypot(value[2 * i], value[2 * i + 1]));
  return largest;
}

double robot_spectral_radius(study_run *run, const double states[], size_t count) {
  enum { JACOBIANS = 25 };
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  double sum = 0.0, looks = 0.0;
  gsl_eigen_nonsymm_workspace *const work = gsl_eigen_nonsymm_alloc(n);
  double *const room = calloc(n * (n + 5), sizeof *room);
  for (size_t i = 0; work && room && i < count; i += JACOBIANS, looks += 1.0)
    sum += radius_at(c->robot, n, states + i * n, work, room);
  if (work) gsl_eigen_nonsymm_free(work);
  free(room);
  return sum / looks;
}

/* ---- before anything is measured ------------------------------------------------------------- */

/* What MuJoCo's own steps tell before anything is measured: that nothing moves, or that the
 * reference will end at a contact that is refused. */

/* the steps may take so long, and so may the look for contacts, s of the thread's own time; and
 * what moves less in all its states does not move */
static const double steps_s = 0.4, look_s = 0.6, still = 1e-12;

/* where one would end, by MuJoCo's own steps */
typedef struct outlook {
  double time; /* NAN: nothing is seen */
  const robot_finding *contact;
} outlook;

static double seconds_since(uint64_t start_ns) {
  return 1e-9 * (double)(measure_thread_ns() - start_ns);
}

/* ever longer runs, until one goes to the end or they have taken too long */
static int follow_briefly(study_run *run, const double x0[], robot_track *t) {
  const robot_case *const c = run->own;
  const robot_entry own = {ROBOT_MUJOCO, c->size.integrator, c->size.time_step, true};
  const uint64_t start = measure_thread_ns();
  int status = 0;
  for (t->asked = 2; !status; t->asked *= 2) {
    if (t->asked > c->outputs) t->asked = c->outputs;
    status = robot_follow(run, &own, x0, false, t);
    if (t->asked == c->outputs || t->reached < t->asked || seconds_since(start) > steps_s) break;
  }
  return status;
}

static outlook look_ahead(const study_run *run, const double x0[], const robot_track *t) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const uint64_t start = measure_thread_ns();
  for (size_t i = 0; i < t->reached && (i == 0 || seconds_since(start) < look_s); i++) {
    const double *const x = i ? t->states + i * c->size.dimension : x0;
    const robot_finding *const contact = robot_refused_contact(c->robot, x);
    if (contact) return (outlook){(double)i * s->output_step, contact};
  }
  return (outlook){NAN, NULL};
}

/* ---- nothing moves --------------------------------------------------------------------------- */

static bool is_still(const study_run *run, const double x0[], const robot_track *t) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  for (size_t i = 0; i < t->reached * n; i++)
    if (!(fabs(t->states[i] - x0[i % n]) < still)) return false;
  return t->reached == c->outputs;
}

static int refuse_still(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  char actuators[160] = "it has no actuators";
  if (c->size.nu > 0)
    snprintf(actuators, sizeof actuators, "its %zu actuator%s (%s%s the controls of %s", c->size.nu,
             c->size.nu > 1 ? "s" : "", robot_actuator_name(c->robot, 0),
             c->size.nu > 1 ? ", ...) have" : ") has", s->control ? "--ctrl" : "keyframe 0, or 0");
  return SOLVER_FAIL(
      run->message,
      "%.150s: nothing moves within %g s of the first initial condition, so there is nothing to "
      "compare: %s; --starts 10 adds random velocities, --qpos sets the pose, --ctrl the controls",
      run->operand, s->time, actuators);
}

/* ---- a contact that is refused --------------------------------------------------------------- */

/* what a user can do about it */
static const char *remedy(study_run *run, const robot_finding *f) {
  const robot_case *const c = run->own;
  const char *const between = strstr(f->name, " - ");
  return study_text(run, "--without '%.*s,%s' leaves this pair out of both engines%s",
                    between ? (int)(between - f->name) : 0, f->name, between ? between + 3 : "",
                    robot_event_is_within(c->robot, f->first_event)
                        ? ", --without self all pairs within one robot"
                        : "; a sphere or a capsule in its place would have an event function");
}

/* whether it touches at once from all starts */
static bool ends_at_once(study_run *run, double x[]) {
  const robot_case *const c = run->own;
  for (size_t i = 0; i < c->starts; i++)
    if (robot_start_of(run, i, x) || !robot_refused_contact(c->robot, x)) return false;
  return true;
}

static int tell(study_run *run, const outlook *o, double x[]) {
  if (o->time == 0.0 && ends_at_once(run, x)) {
    measure_message(
        run->message,
        "%.160s: the reference ends at 0 s, so there is nothing to compare: %s touch, and "
        "%s; %s",
        run->operand, o->contact->name, o->contact->why, remedy(run, o->contact));
    return SOLVER_FAILED;
  }
  robot_case *const c = run->own;
  snprintf(c->warning, sizeof c->warning,
           "warning: the reference of the first initial condition will end at about %.3f s: %s "
           "touch, and %s; "
           "all is compared up to there; %s\n",
           o->time, o->contact->name, o->contact->why, remedy(run, o->contact));
  return 0;
}

/* ---- a first answer -------------------------------------------------------------------------- */

/* a reference by which mm are told, how long it may take, and from which time of it on a first
 * answer is worth a line, s */
static const double coarse_tolerance = 1e-4, coarse_s = 10.0, worth_s = 0.05;

int robot_coarse(study_run *run, const double x0[]) {
  const robot_case *const c = run->own;
  const robot_entry own = {ROBOT_MUJOCO, c->size.integrator, c->size.time_step, true};
  const robot_entry coarse = {ROBOT_LIBESS, robot_bases[ESS_BASE_DOPRI5], coarse_tolerance, false};
  robot_track t = {0}, of = {0};
  int status = robot_track_alloc(run, &of);
  if (!status) status = robot_track_alloc(run, &t);
  of.most_s = coarse_s;
  if (!status) status = robot_follow(run, &coarse, x0, false, &of);
  t.asked = of.reached;
  if (!status && of.seconds > worth_s && of.reached > 1)
    status = robot_follow(run, &own, x0, false, &t);
  if (!status && t.reached > 1)
    fprintf(stderr,
            "progress: a first, rough result, by libess at a tolerance of %g, not verified: up to "
            "%.3g s "
            "the error of the bodies is %.2g mm; the reference follows, which takes longer\n",
            coarse_tolerance, of.until, 1e3 * robot_apart(run, &t, &of, t.reached).bodies);
  robot_track_free(&t);
  robot_track_free(&of);
  return status;
}

int robot_outlook(study_run *run, bool stops, bool moves) {
  const robot_case *const c = run->own;
  double *const x0 = calloc(2 * c->size.dimension + 1, sizeof *x0);
  robot_track t = {0};
  int status = x0 ? 0 : study_out_of_memory(run);
  if (!status) status = robot_start_of(run, 0, x0);
  if (!status) status = robot_track_alloc(run, &t);
  if (!status) status = follow_briefly(run, x0, &t);
  if (!status && moves && c->starts == 1 && is_still(run, x0, &t)) status = refuse_still(run);
  if (!status && stops && c->refuses) {
    const outlook o = look_ahead(run, x0, &t);
    if (o.contact) status = tell(run, &o, x0 + c->size.dimension);
  }
  robot_track_free(&t);
  free(x0);
  return status;
}
