/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drake as a solver of the same mechanical systems, by any of its integrators with error control:
 * CENIC (Kurtz & Castro 2025), which is made for contact, and Runge-Kutta methods.
 *
 * Drake is a Python package here. So each instance has a process of its own (drake_worker.py),
 * which is asked through a pipe: a start goes there, the states at the output times come back.
 * Drake's point contact without dissipation is the model's spring exactly: f = k p. Its damping is
 * Hunt & Crossley's, f = k p (1 + d p'), which no model here has; contacts with damping are
 * refused. Hinges' springs and dampers are the same in both.
 *
 * The Python is $DRAKE_PYTHON, else .deps/drake/bin/python, which `make drake` sets up. */

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "baselines.h"
#include "contacts.h"
#include "drake_worker.h"
#include "hopper.h"
#include "legged.h"
#include "plate.h"

extern char **environ;

/* what an answer begins with: the steps that a run took, or -1 and why it failed */
typedef struct answer {
  int64_t steps;
  char why[248];
} answer;

typedef struct drake {
  contact_set c;
  pid_t process;
  int asked; /* the end of its standard input */
  int told;  /* that of its answers */
} drake;

static const char *const variants[] = {"cenic", "rk3", "rk5", NULL};
static const char *const schemes[] = {"cenic", "runge_kutta3", "runge_kutta5"};

/* ---- what the process is told of the system -------------------------------------------------- */

static json_t *describe_plate(const model *m) {
  const plate_parameters *const p = plate_get(m);
  json_t *const springs = json_array();
  for (size_t i = 0; i < p->contacts; i++)
    json_array_append_new(springs, json_real(plate_spring_x(p, i)));
  return json_pack("{s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "planar", 1, "mass", p->mass,
                   "inertia", p->inertia, "gravity", p->gravity, "stiffness", p->stiffness,
                   "free_length", p->free_length, "radius", p->radius, "springs", springs);
}

/* a sphere under it stands for the leg, whatever its radius is */
static json_t *describe_hopper(const model *m) {
  const hopper_parameters *const p = hopper_get(m);
  return json_pack("{s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:[f]}", "planar", 0, "mass", p->mass,
                   "inertia", p->mass, "gravity", p->gravity, "stiffness", p->stiffness,
                   "free_length", p->free_length, "radius", 0.5, "springs", 0.0);
}

/* hinges are springs and dampers in Drake, too */
static json_t *describe_legs(const model *m) {
  const legged_parameters *const p = legged_get(m);
  const double *const disc = p->body_inertia, *const mass = p->link_mass;
  json_t *const legs = json_array();
  for (size_t i = 0; i < p->legs; i++) json_array_append_new(legs, json_real(legged_angle(p, i)));
  return json_pack("{s:f, s:[fff], s:f, s:f, s:f, s:f, s:[ff], s:[ff], s:[ff], s:[ff], s:f, s:f, "
                   "s:o}",
                   "mass", p->body_mass, "inertia", disc[0], disc[1], disc[2], "gravity",
                   p->gravity, "stiffness", p->stiffness, "radius", p->foot_radius, "body_radius",
                   p->body_radius, "link_mass", mass[0], mass[1], "link_inertia",
                   p->link_inertia[0], p->link_inertia[1], "link_length", p->link_length[0],
                   p->link_length[1], "rest", p->rest[0], p->rest[1], "joint_stiffness",
                   p->joint_stiffness, "joint_damping", p->joint_damping, "legs", legs);
}

/* why it is not Drake's, or NULL */
static const char *unlike(const model *m) {
  const bool is_plate = m->type == &plate_type;
  const double damping = is_plate                  ? plate_get(m)->damping
                         : m->type == &legged_type ? legged_get(m)->damping
                                                   : 0.0;
  if (damping > 0.0) return "its contacts' damping is another law; it races with --damping 0";
  if (is_plate && plate_get(m)->law != PLATE_ROLLER)
    return "the plate's law roller alone is one of spheres";
  return NULL;
}

static int describe(const model *m, json_t **system, char message[SOLVER_MESSAGE_SIZE]) {
  json_t *(*const by)(const model *) = m->type == &plate_type    ? describe_plate
                                       : m->type == &hopper_type ? describe_hopper
                                       : m->type == &legged_type ? describe_legs
                                                                 : NULL;
  if (!by)
    return SOLVER_REFUSE(message, "drake: %s is no body on springs; hopper, legged and plate are",
                         m->type->name);
  const char *const why = unlike(m);
  if (why) return SOLVER_REFUSE(message, "drake: %s", why);
  *system = by(m);
  return *system ? 0 : SOLVER_FAIL(message, "drake: out of memory");
}

static const char *scheme_of(const solver_settings *settings) {
  size_t i = 0;
  while (settings->variant && strcmp(variants[i], settings->variant)) i++;
  return schemes[i];
}

/* ---- the process ----------------------------------------------------------------------------- */

static const char *python(void) {
  const char *const chosen = getenv("DRAKE_PYTHON");
  return chosen && *chosen ? chosen : ".deps/drake/bin/python";
}

static int start(drake *d, char *text) {
  int to[2] = {-1, -1}, from[2] = {-1, -1};
  posix_spawn_file_actions_t files;
  int failed = pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) ? errno : 0;
  if (!failed) failed = posix_spawn_file_actions_init(&files);
  if (!failed) {
    posix_spawn_file_actions_adddup2(&files, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, from[1], STDOUT_FILENO);
    char *words[] = {(char *)python(), (char *)"-c", (char *)drake_worker, text, NULL};
    failed = posix_spawnp(&d->process, python(), &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
  }
  if (to[0] >= 0) close(to[0]);
  if (from[1] >= 0) close(from[1]);
  d->asked = to[1];
  d->told = from[0];
  if (failed) d->process = 0;
  return failed;
}

/* Reads so much of what the process tells, as it comes: this thread stays on its core, else the
 * time that it sleeps would be taken for time that others had. */
static bool hear(const drake *d, void *data, size_t size) {
  char *to = data;
  while (size) {
    const ssize_t got = read(d->told, to, size);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (got < 0) continue;
    to += got;
    size -= (size_t)got;
  }
  return true;
}

static void release(void *instance) {
  drake *const d = instance;
  if (!d) return;
  if (d->asked >= 0) close(d->asked); // which ends it
  if (d->told >= 0) close(d->told);
  if (d->process > 0)
    while (waitpid(d->process, NULL, 0) < 0 && errno == EINTR) continue;
  contacts_free(&d->c);
  free(d);
}

static int begin(drake *d, json_t *system, char message[SOLVER_MESSAGE_SIZE]) {
  char *const text = json_dumps(system, JSON_REAL_PRECISION(17));
  if (!text) return SOLVER_FAIL(message, "drake: out of memory");
  const int failed = start(d, text);
  free(text);
  if (failed)
    return SOLVER_REFUSE(message,
                         "drake: %s: %s; `make drake` sets it up, or DRAKE_PYTHON names one",
                         python(), strerror(failed));
  answer first = {.steps = -1, .why = "it has ended"};
  if (hear(d, &first, sizeof first) && first.steps == 0)
    return fcntl(d->told, F_SETFL, O_NONBLOCK) ? SOLVER_FAIL(message, "drake: no pipe") : 0;
  first.why[sizeof first.why - 1] = '\0';
  return SOLVER_REFUSE(message, "drake: %s has no Drake to run: %s", python(), first.why);
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  json_t *system;
  int status = describe(m, &system, message);
  if (status) return status;
  const double longest = fmin(settings->h_max, output->dt * (double)output->count);
  json_object_set_new(system, "scheme", json_string(scheme_of(settings)));
  json_object_set_new(system, "accuracy", json_real(settings->rtol));
  json_object_set_new(system, "longest", json_real(longest));
  json_object_set_new(system, "dt", json_real(output->dt));
  json_object_set_new(system, "count", json_integer((json_int_t)output->count));
  drake *const d = calloc(1, sizeof *d);
  if (d) d->asked = d->told = -1;
  if (!d || contacts_alloc(&d->c, m))
    status = SOLVER_FAIL(message, "drake: out of memory");
  else
    status = begin(d, system, message);
  json_decref(system);
  if (status)
    release(d);
  else
    *instance = d;
  return status;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static bool write_all(int to, const void *data, size_t size) {
  const char *from = data;
  while (size) {
    const ssize_t written = write(to, from, size);
    if (written < 0 && errno != EINTR) return false;
    if (written < 0) continue;
    from += written;
    size -= (size_t)written;
  }
  return true;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  drake *const d = instance;
  const size_t n = d->c.m->system.dimension;
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x0[i])) return SOLVER_FAIL(report->message, "drake: the start is not finite");
  answer its = {.steps = -1, .why = "its process has ended"};
  const bool heard = write_all(d->asked, x0, n * sizeof *x0) && hear(d, &its, sizeof its);
  its.why[sizeof its.why - 1] = '\0';
  if (!heard || its.steps < 0) return SOLVER_FAIL(report->message, "drake: %s", its.why);
  report->steps = (uint64_t)its.steps;
  if (hear(d, output->states, output->count * n * sizeof *output->states)) return 0;
  return SOLVER_FAIL(report->message, "drake: its process has ended");
}

const solver_type drake_solver = {
    .name = "drake",
    .summary = "Drake with error control: CENIC, or Runge-Kutta",
    .variants = variants,
    .prepare = prepare,
    .run = run,
    .inspect = contacts_inspect,
    .release = release,
};
