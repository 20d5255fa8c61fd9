/*
 * MuJoCo behind the solver seam: prepare, run, count crossings, release.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bridge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_instance.h"
#include "bridge_status.h"
#include "bridge_version.h"

_Static_assert((int)BRIDGE_FAILED == SOLVER_FAILED && (int)BRIDGE_REFUSED == SOLVER_REFUSED,
               "the bridge returns what solvers do");

/* how many of the shorter step make the longer one; 0 when that is no whole number */
static size_t whole_ratio(double longer, double shorter) {
  const double ratio = longer / shorter, whole = round(ratio);
  const bool fits =
      isfinite(ratio) && whole >= 1.0 && whole <= 1e9 && fabs(ratio - whole) <= 1e-9 * whole;
  return fits ? (size_t)whole : 0;
}

static const char *name_of(bool by_callback) {
  return by_callback ? bridge_callback_solver.name : bridge_solver.name;
}

/* the scene's step: a whole number of them makes an output step, or the other way round */
static int fit_step(bridge_instance *b, const solver_settings *settings, double dt, double *step,
                    char message[SOLVER_MESSAGE_SIZE]) {
  const double wanted = settings->time_step == 0.0 ? dt : settings->time_step;
  const bool positive = dt > 0.0 && wanted > 0.0;
  b->substeps = positive ? whole_ratio(dt, wanted) : 0;
  b->stride = positive && !b->substeps ? whole_ratio(wanted, dt) : 1;
  if (!positive || !b->stride)
    return SOLVER_REFUSE(
        message,
        "%s: step %g s is not accepted; it must divide the output step %g s evenly, or be "
        "a multiple of it",
        name_of(b->by_callback), wanted, dt);
  *step = b->substeps ? dt / (double)b->substeps : dt * (double)b->stride;
  return 0;
}

static int check_settings(const solver_settings *settings, const mjcf_options *options,
                          char message[SOLVER_MESSAGE_SIZE]) {
  const char *const integrator = options->integrator;
  const bool scaled = settings->scaling >= 1.0 && isfinite(settings->scaling);
  if (!options->by_callback && !scaled)
    return SOLVER_REFUSE(message, "mujoco: scaling %g is not accepted; it is a finite number >= 1",
                         settings->scaling);
  if (!bridge_version_has_integrator(integrator))
    return SOLVER_REFUSE(message, "%s: MuJoCo %s has no integrator %s; it has %s",
                         name_of(options->by_callback), bridge_version_string(), integrator,
                         bridge_version_integrators());
  return 0;
}

static void release(void *instance) {
  bridge_instance *b = instance;
  if (!b) return;
  bridge_scene_free(&b->scene);
  free(b->now);
  free(b->before);
  free(b);
}

static bridge_instance *allocate(const model *m, char message[SOLVER_MESSAGE_SIZE]) {
  const size_t contacts = model_contacts(m) + 1; // a model without any is refused later
  bridge_instance *b = calloc(1, sizeof *b);
  if (b) {
    b->model = m;
    b->now = malloc(contacts);
    b->before = malloc(contacts);
  }
  if (b && b->now && b->before) return b;
  release(b);
  snprintf(message, SOLVER_MESSAGE_SIZE, "mujoco: out of memory");
  return NULL;
}

int bridge_prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   const mjcf_options *scene, const char *text, void **instance,
                   char message[SOLVER_MESSAGE_SIZE]) {
  mjcf_options options = scene ? *scene : mjcf_options_default();
  if (settings->variant) options.integrator = settings->variant;
  *instance = NULL;
  int status = check_settings(settings, &options, message);
  if (status == 0 && options.by_callback) status = bridge_callback_check(m, message);
  if (status != 0) return status;
  bridge_instance *b = allocate(m, message);
  if (!b) return SOLVER_FAILED;

  b->by_callback = options.by_callback;
  b->fields_per_step = strcmp(options.integrator, "RK4") == 0 ? 4 : 1;
  status = fit_step(b, settings, output->dt, &options.time_step, message);
  if (status == 0)
    status = bridge_scene_open(&b->scene, m, &options, text, settings->scaling, message);
  if (status != 0) {
    release(b);
    return status;
  }
  *instance = b;
  return 0;
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  return bridge_prepare(m, settings, output, NULL, NULL, instance, message);
}

static int prepare_callback(const model *m, const solver_settings *settings,
                            const solver_output *output, void **instance,
                            char message[SOLVER_MESSAGE_SIZE]) {
  mjcf_options scene = mjcf_options_default();
  scene.by_callback = true;
  return bridge_prepare(m, settings, output, &scene, NULL, instance, message);
}

void bridge_instance_set(bridge_instance *b, const double x[]) {
  const mjModel *m = b->scene.model;
  mjData *d = b->scene.data;

  // all of mjData, which costs no more than two steps: an error may have left it in any state
  mj_resetData(m, d);
  if (b->by_callback) bridge_callback_set(b);
  memcpy(d->qpos, x, (size_t)m->nq * sizeof *x);
  memcpy(d->qvel, x + m->nq, (size_t)m->nv * sizeof *x);
}

static void write_state(const mjModel *m, const mjData *d, double x[]) {
  memcpy(x, d->qpos, (size_t)m->nq * sizeof *x);
  memcpy(x + m->nq, d->qvel, (size_t)m->nv * sizeof *x);
}

typedef struct trajectory {
  bridge_instance *instance;
  const double *x0;
  const solver_output *output;
} trajectory;

/* an output; what a scene does not know stays as it was at the start */
static void write_output(const trajectory *t, size_t i) {
  const bridge_instance *b = t->instance;
  const size_t dimension = b->model->system.dimension;
  const size_t known = (size_t)(b->scene.model->nq + b->scene.model->nv);
  double *const x = t->output->states + i * dimension;
  write_state(b->scene.model, b->scene.data, x);
  memcpy(x + known, t->x0 + known, (dimension - known) * sizeof *x);
}

/* outputs first+1 .. first+stride at the end of one step, those before its end on the chord */
static void write_chord(const trajectory *t, size_t first) {
  const mjModel *m = t->instance->scene.model;
  const size_t dimension = t->instance->model->system.dimension, stride = t->instance->stride;
  const double *const from = t->output->states + first * dimension;
  double to[MODEL_DIMENSION_MAX];
  memcpy(to, t->x0, dimension * sizeof *to);
  write_state(m, t->instance->scene.data, to);
  for (size_t k = 1; k <= stride && first + k < t->output->count; ++k) {
    const double share = (double)k / (double)stride;
    double *const x = t->output->states + (first + k) * dimension;
    for (size_t i = 0; i < dimension; ++i)
      x[i] = k == stride ? to[i] : from[i] + share * (to[i] - from[i]);
  }
}

static void follow(void *context) {
  const trajectory *t = context;
  const mjModel *m = t->instance->scene.model;
  mjData *d = t->instance->scene.data;
  const size_t stride = t->instance->stride;
  bridge_instance_set(t->instance, t->x0);
  if (t->output->count > 0) write_output(t, 0);
  for (size_t i = 0; i + 1 < t->output->count; i += stride) {
    if (stride > 1) {
      mj_step(m, d);
      write_chord(t, i);
      continue;
    }
    for (size_t k = 0; k < t->instance->substeps; ++k) mj_step(m, d);
    write_output(t, i + 1);
  }
}

static bool all_finite(const double x[], size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(x[i])) return false;
  return true;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  bridge_instance *b = instance;
  trajectory t = {.instance = b, .x0 = x0, .output = output};
  bridge_complaint complaint;
  *report = (solver_report){0};
  const bool quiet = bridge_instance_guarded(b, follow, &t, &complaint);

  // MuJoCo's count of a warning says more than the text it gave for the first of them
  if (!complaint.error && bridge_scene_warned(b->scene.data, report->message)) return -1;
  if (!quiet) {
    snprintf(report->message, SOLVER_MESSAGE_SIZE, "mujoco: %s: %s",
             complaint.error ? "error" : "warning", complaint.text);
    return -1;
  }
  const size_t dimension = b->model->system.dimension;
  if (output->count > 0 &&
      !all_finite(output->states + (output->count - 1) * dimension, dimension)) {
    snprintf(report->message, SOLVER_MESSAGE_SIZE, "mujoco: the state is not finite at t = %g s",
             output->times[output->count - 1]);
    return -1;
  }
  const size_t intervals = output->count > 0 ? output->count - 1 : 0;
  report->steps = b->stride > 1 ? (intervals + b->stride - 1) / b->stride : intervals * b->substeps;
  report->field_evaluations = report->steps * b->fields_per_step;
  return 0;
}

typedef struct look {
  bridge_instance *instance;
  const double *x;
  bool too_deep;
} look;

static void look_at_depth(void *context) {
  look *l = context;
  bridge_instance_set(l->instance, l->x);
  mj_fwdPosition(l->instance->scene.model, l->instance->scene.data);
  l->too_deep = bridge_version_too_deep(l->instance->scene.model, l->instance->scene.data);
}

/* a version that cannot measure a depth lets the plate fall through without a word */
static int check_depth(bridge_instance *b, const double x[], double t,
                       char message[SOLVER_MESSAGE_SIZE]) {
  look l = {.instance = b, .x = x};
  bridge_complaint complaint;
  const bool quiet = bridge_guarded(look_at_depth, &l, &complaint);
  if (quiet && !l.too_deep) return 0;
  if (quiet)
    snprintf(message, SOLVER_MESSAGE_SIZE,
             "mujoco: at t = %g s a contact is deeper than its roller's radius, which MuJoCo %s "
             "cannot measure (3.2.7 and later can); use a larger --radius",
             t, bridge_version_string());
  else
    snprintf(message, SOLVER_MESSAGE_SIZE, "mujoco: %s", complaint.text);
  return -1;
}

static int inspect(void *instance, const solver_output *output, solver_report *report) {
  bridge_instance *b = instance;
  const model_type *type = b->model->type;
  const size_t contacts = model_contacts(b->model);
  report->events = 0;
  for (size_t i = 0; i < output->count; ++i) {
    const double *x = output->states + i * b->model->system.dimension;
    if (BRIDGE_DEPTH_IS_LIMITED && check_depth(b, x, output->times[i], report->message) != 0)
      return -1;
    type->active_contacts(b->model, x, b->now);
    for (size_t k = 0; k < contacts && i > 0; ++k) report->events += b->now[k] != b->before[k];
    memcpy(b->before, b->now, contacts);
  }
  return 0;
}

/* those of all versions; prepare refuses what this one has not */
static const char *const integrators[] = {"Euler",        "RK4",      "implicit",
                                          "implicitfast", "discrete", NULL};

const solver_type bridge_solver = {
    .name = "mujoco",
    .summary = "mj_step of MuJoCo on the scene that xmlgen writes",
    .variants = integrators,
    .prepare = prepare,
    .run = run,
    .inspect = inspect,
    .release = release,
};

const solver_type bridge_callback_solver = {
    .name = "mujoco-callback",
    .summary = "mj_step with the contact force by a callback (mjcb_passive) in place of contacts",
    .variants = integrators,
    .prepare = prepare_callback,
    .run = run,
    .inspect = inspect,
    .release = release,
};

bool bridge_is(const solver_type *solver) {
  return solver == &bridge_solver || solver == &bridge_callback_solver;
}
