/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "robot_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot_starts.h"
#include "robot_steps.h"

enum { HEIGHT, TILT, DURATION, REFERENCE, PARAMETER_COUNT };

static const model_parameter parameters[PARAMETER_COUNT] = {
    [HEIGHT] = {"height", 0.05, -1000, 1000, false, NULL, "height by which bodies are raised, m"},
    [TILT] = {"tilt", 0.1, -4, 4, false, NULL, "tilt of the first free body, rad"},
    [DURATION] = {"duration", 1, 1e-3, 1000, false, NULL, "duration of the run, s"},
    [REFERENCE] = {"reference", 1e-10, 1e-13, 1e-3, false, NULL,
                   "tolerance of libess's run that others are compared with"},
};

/* the robot's own; what it says of failures is kept where it is asked for */
typedef struct body {
  robot *robot;
  robot_controls controls; /* of keyframe 0, or 0 */
  char (*name)[ROBOT_NAME_SIZE];
  double *h; /* [events] */
} body;

static void release(model *m) {
  body *const b = m->data;
  robot_controls_free(&b->controls);
  robot_close(b->robot);
  free(b->name);
  free(b->h);
  free(b);
}

/* the first row of the controls holds from 0 on, and there is one alone */
static int open_body(const char *file, body *b, char message[ROBOT_MESSAGE_SIZE]) {
  const double period = 1.0;
  int status = robot_open(file, NULL, &(robot_options){0}, &b->robot, message);
  if (!status) status = robot_controls_read(b->robot, NULL, period, &b->controls, message);
  if (status) return status == SOLVER_REFUSED ? MODEL_REFUSED : -1;
  const robot_sizes size = robot_size(b->robot);
  b->name = calloc(size.dimension + 1, sizeof *b->name);
  b->h = calloc(size.events + 1, sizeof *b->h);
  if (!b->name || !b->h) return snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory"), -1;
  for (size_t i = 0; i < size.dimension; i++) robot_state_name(b->robot, i, b->name[i]);
  robot_set_control(b->robot, b->controls.value);
  return 0;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  char why[ROBOT_MESSAGE_SIZE] = "out of memory";
  body *const b = calloc(1, sizeof *b);
  const int status = b ? open_body(m->file, b, why) : -1;
  m->data = b;
  if (!status) {
    m->system = *robot_system(b->robot);
    robot_set_precision(b->robot, m->value[REFERENCE]);
    return 0;
  }
  snprintf(message, MODEL_MESSAGE_SIZE, "%.*s", MODEL_MESSAGE_SIZE - 1, why);
  if (b) release(m);
  m->data = NULL;
  return status;
}

static robot *robot_of(const model *m) {
  return ((const body *)m->data)->robot;
}

static int content(const model *m, uint64_t *number, char message[MODEL_MESSAGE_SIZE]) {
  char why[ROBOT_MESSAGE_SIZE];
  if (!robot_content(robot_of(m), number, why)) return 0;
  return snprintf(message, MODEL_MESSAGE_SIZE, "%.200s", why), -1;
}

static const char *state_name(const model *m, size_t i) {
  return ((const body *)m->data)->name[i];
}

/* a start that cannot be is no number, which every solver tells of */
static void start(const model *m, size_t number, unsigned long seed, double x0[]) {
  char message[ROBOT_MESSAGE_SIZE];
  const robot_start of = {
      .height = m->value[HEIGHT], .tilt = m->value[TILT], .number = number, .seed = seed};
  if (!robot_start_state(robot_of(m), &of, x0, message)) return;
  for (size_t i = 0; i < m->system.dimension; i++) x0[i] = NAN;
}

static void initial_state(const model *m, double x0[]) {
  start(m, 0, 0, x0);
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  start(m, 1, gsl_rng_get(rng), x0);
}

/* ---- contacts and limits --------------------------------------------------------------------- */

static size_t contact_count(const model *m) {
  return m->system.event_count;
}

static void active_contacts(const model *m, const double x[], unsigned char active[]) {
  double *const h = ((const body *)m->data)->h;
  const ess_system *const s = &m->system;
  const int failed = s->event_count ? s->event_functions(0.0, x, h, s->params) : 0;
  for (size_t k = 0; k < s->event_count; k++) active[k] = !failed && h[k] > 0.0;
}

static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return true;
}

static int field_by_state(const model *m, const double x[], double dxdt[]) {
  return robot_plain_field(robot_of(m), x, dxdt);
}

/* ---- the reference --------------------------------------------------------------------------- */

typedef struct listening {
  model_reference *out;
  size_t steps;
} listening;

static int count_crossing(const ess_crossing_info *info, void *context) {
  (void)info;
  ((listening *)context)->out->events++;
  return 0;
}

static int tell_step(const ess_step_info *info, void *context) {
  listening *const l = context;
  size_t reached = 0;
  if (!l->out->reached || ++l->steps % 64) return 0;
  while (reached < l->out->count && l->out->times[reached] <= info->t1) reached++;
  l->out->reached(reached, l->out->context);
  return 0;
}

static int reference(const model *m, const double x0[], model_reference *out,
                     char message[MODEL_MESSAGE_SIZE]) {
  double t = 0.0, x[MODEL_DIMENSION_MAX];
  listening l = {.out = out};
  ess_options options = ess_options_default();
  options.rtol = options.atol = m->value[REFERENCE];
  options.observer = (ess_observer){.crossing = count_crossing, .step = tell_step, .context = &l};
  out->events = 0;
  out->kind = "reference";
  robot_forget(robot_of(m));
  int status;
  ess_driver *const driver = ess_driver_alloc(&m->system, &options, &status);
  memcpy(x, x0, m->system.dimension * sizeof *x);
  if (driver)
    status = ess_driver_sample(driver, &t, out->times[out->count - 1], x, out->times, out->count,
                               out->states);
  ess_driver_free(driver);
  if (!status) return 0;
  const char *const why = status == ESS_ECALLBACK ? robot_failure(robot_of(m)) : "";
  snprintf(message, MODEL_MESSAGE_SIZE, "the reference ends at t = %.6g s: %.180s", t,
           *why ? why : ess_strerror(status));
  return -1;
}

/* ---- MuJoCo's own steps ---------------------------------------------------------------------- */

static const char *const integrators[] = {"Euler", "RK4", "implicit", "implicitfast", NULL};

typedef struct stepping {
  const model *m;
  robot_steps *steps;
  const char *integrator;
  double time_step;
  unsigned char *before, *now; /* [events] */
} stepping;

static void release_steps(void *instance) {
  stepping *const s = instance;
  if (!s) return;
  robot_steps_close(s->steps);
  free(s->before);
  free(s->now);
  free(s);
}

static int prepare_steps(const model *m, const solver_settings *settings,
                         const solver_output *output, void **instance,
                         char message[SOLVER_MESSAGE_SIZE]) {
  char why[ROBOT_MESSAGE_SIZE] = "out of memory";
  const char *const integrator = settings->variant ? settings->variant : *integrators;
  if (!robot_steps_knows(integrator))
    return SOLVER_REFUSE(message, "mujoco: this MuJoCo has no integrator %.40s", integrator);
  stepping *const s = calloc(1, sizeof *s);
  if (s) {
    *s = (stepping){.m = m,
                    .integrator = integrator,
                    .time_step = settings->time_step > 0.0 ? settings->time_step : output->dt,
                    .before = calloc(m->system.event_count + 1, 1),
                    .now = calloc(m->system.event_count + 1, 1)};
    const bool failed = !s->before || !s->now || robot_steps_open(robot_of(m), &s->steps, why);
    if (!failed) return *instance = s, 0;
  }
  release_steps(s);
  return SOLVER_FAIL(message, "mujoco: %.200s", why);
}

static int run_steps(void *instance, const double x0[], const solver_output *output,
                     solver_report *report) {
  const stepping *const s = instance;
  const body *const b = s->m->data;
  robot_steps_report done;
  const robot_steps_request request = {.integrator = s->integrator,
                                       .time_step = s->time_step,
                                       .x0 = x0,
                                       .controls = &b->controls,
                                       .dt = output->dt,
                                       .count = output->count,
                                       .states = output->states};
  *report = (solver_report){0};
  const int status = robot_steps_run(s->steps, &request, &done);
  report->steps = done.steps;
  report->field_evaluations = done.steps * (strcmp(s->integrator, "RK4") == 0 ? 4 : 1);
  if (!status && done.reached == output->count) return 0;
  return SOLVER_FAIL(report->message, "mujoco: %.200s",
                     *done.message ? done.message : "it ended early");
}

/* contacts and limits that begin or cease to act from one output to the next */
static int inspect_steps(void *instance, const solver_output *output, solver_report *report) {
  stepping *const s = instance;
  report->events = 0;
  for (size_t i = 0; i < output->count; i++) {
    active_contacts(s->m, output->states + i * s->m->system.dimension, s->now);
    for (size_t k = 0; i && k < s->m->system.event_count; k++)
      report->events += s->now[k] != s->before[k];
    memcpy(s->before, s->now, s->m->system.event_count);
  }
  return 0;
}

static const solver_type steps_solver = {
    .name = "mujoco",
    .summary = "mj_step of MuJoCo on the model as it was compiled",
    .variants = integrators,
    .prepare = prepare_steps,
    .run = run_steps,
    .inspect = inspect_steps,
    .release = release_steps,
};

/* ---- whether both have the same field -------------------------------------------------------- */

/* at x, with the signs that it has: sums of squares, and what acts there */
static int compare_at(const model *m, const double x[], double *off, bridge_gap *gap) {
  const ess_system *const s = &m->system;
  double ours[MODEL_DIMENSION_MAX], theirs[MODEL_DIMENSION_MAX];
  double *const h = ((const body *)m->data)->h;
  bool touches = false;
  int status = s->event_count ? s->event_functions(0.0, x, h, s->params) : 0;
  for (size_t k = 0; k < s->event_count; k++) {
    touches = touches || h[k] > 0.0;
    h[k] = h[k] > 0.0 ? 1.0 : -1.0;
  }
  if (!status) status = s->field(0.0, x, h, ours, s->params);
  if (!status) status = field_by_state(m, x, theirs);
  for (size_t i = 0; !status && i < s->dimension; i++) {
    gap->worst = fmax(gap->worst, fabs(ours[i] - theirs[i]));
    *off += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
    gap->rms += theirs[i] * theirs[i];
  }
  gap->states++;
  gap->touching += touches;
  return status;
}

/* `count` states along a run */
static int sample(const model *m, const double x0[], size_t count, double states[],
                  char message[MODEL_MESSAGE_SIZE]) {
  double times[count];
  for (size_t i = 0; i < count; i++)
    times[i] = m->value[DURATION] * (double)i / (double)(count - 1);
  model_reference along = {.times = times, .count = count, .states = states};
  return reference(m, x0, &along, message);
}

int robot_model_gap(const model *m, const double x0[], unsigned long seed, bridge_gap *gap,
                    char message[MODEL_MESSAGE_SIZE]) {
  enum { STATES = 200 };
  const size_t n = m->system.dimension, nq = robot_size(robot_of(m)).nq;
  double *const states = calloc(STATES * n, sizeof *states), off = 0.0;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  int status = states && rng ? 0 : -1;
  if (status) snprintf(message, MODEL_MESSAGE_SIZE, "out of memory");
  if (!status) status = sample(m, x0, STATES, states, message);
  if (rng) gsl_rng_set(rng, seed);
  *gap = (bridge_gap){.inverse_weight = NAN, .scaling = NAN};
  for (size_t i = 0; !status && i < STATES; i++) {
    double *const x = states + i * n;
    for (size_t k = nq; k < n && i % 2; k++) x[k] *= 1.5 * gsl_rng_uniform(rng);
    status = compare_at(m, x, &off, gap);
    if (status) snprintf(message, MODEL_MESSAGE_SIZE, "%.200s", robot_failure(robot_of(m)));
  }
  gap->gap = sqrt(off / gap->rms);
  gap->rms = sqrt(gap->rms / (double)(gap->states * n));
  gap->worst /= gap->rms;
  if (rng) gsl_rng_free(rng);
  free(states);
  return status ? -1 : 0;
}

const model_type robot_model_type = {
    .name = "mjcf",
    .summary = "any MJCF (--file), with MuJoCo's own contacts, friction, limits and actuators",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .state_name = state_name,
    .time_step = 0.002,
    .from_file = true,
    .content = content,
    .engine = &steps_solver,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = reference,
    .contact_count = contact_count,
    .active_contacts = active_contacts,
    .field_by_state = field_by_state,
    .changes_field = changes_field,
};
