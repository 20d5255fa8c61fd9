/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contacts.h"
#include "hopper.h"
#include "legged.h"
#include "mjcf.h"
#include "plate.h"
#include "visited.h"

extern char **environ;

/* what is asked of a process; a state follows */
typedef enum request { RATES, STATES, COUNTS } request;

/* what an answer begins with; steps are -1 where it says why there is no more of it */
typedef struct answer {
  int64_t steps, rejected, field_evaluations, event_evaluations;
  char why[224];
} answer;

typedef struct worker {
  contact_set c;
  const worker_engine *engine;
  double x0[MODEL_DIMENSION_MAX]; /* of the last run */
  pid_t process;
  int asked; /* the end of its standard input */
  int told;  /* that of its answers */
} worker;

/* ---- the system, as the process gets it ------------------------------------------------------ */

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

typedef struct description {
  const model_type *type;
  json_t *(*of)(const model *m);
} description;

static const description descriptions[] = {
    {&hopper_type, describe_hopper}, {&legged_type, describe_legs}, {&plate_type, describe_plate}};

/* why its contacts are not the engine's, or NULL */
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

static bool knows(const worker_engine *engine, const model *m) {
  const model_type *const *type = engine->models;
  while (*type && *type != m->type) type++;
  return *type;
}

static int describe(const worker_engine *engine, const model *m, json_t **system,
                    char message[SOLVER_MESSAGE_SIZE]) {
  if (!knows(engine, m))
    return SOLVER_REFUSE(message, "%s: %s is no body on springs; %s are", engine->name,
                         m->type->name, engine->known);
  const char *const why = unlike(m);
  if (why) return SOLVER_REFUSE(message, "%s: %s", engine->name, why);
  const description *d = descriptions;
  while (d->type != m->type) d++;
  *system = d->of(m);
  return *system ? 0 : SOLVER_FAIL(message, "%s: out of memory", engine->name);
}

static const char *scheme_of(const worker_engine *engine, const solver_settings *settings) {
  size_t i = 0;
  while (settings->variant && strcmp(engine->variants[i], settings->variant)) i++;
  return engine->schemes[i];
}

/* ---- the process ----------------------------------------------------------------------------- */

static const char *program(const worker_engine *engine) {
  const char *const chosen = getenv(engine->variable);
  return chosen && *chosen ? chosen : engine->path;
}

static int start(worker *d, char *text) {
  const char *const path = program(d->engine);
  int to[2] = {-1, -1}, from[2] = {-1, -1};
  posix_spawn_file_actions_t files;
  int failed = pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) ? errno : 0;
  if (!failed) failed = posix_spawn_file_actions_init(&files);
  if (!failed) {
    posix_spawn_file_actions_adddup2(&files, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, from[1], STDOUT_FILENO);
    char *own[] = {(char *)path, text, NULL};
    char *of_source[] = {(char *)path, (char *)"-c", (char *)d->engine->source, text, NULL};
    char **const words = d->engine->source ? of_source : own;
    failed = posix_spawnp(&d->process, path, &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
  }
  if (to[0] >= 0) close(to[0]);
  if (from[1] >= 0) close(from[1]);
  d->asked = to[1];
  d->told = from[0];
  if (failed) d->process = 0;
  return failed;
}

/* Reads so much of the process's answers, as they come: this thread stays on its core, else the
 * time that it sleeps would be taken for time that others had. */
static bool hear(const worker *d, void *data, size_t size) {
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

/* asks, and hears the answer with so many numbers behind it. 0, or SOLVER_FAILED with one line */
static int ask(const worker *d, request what, const double x[], answer *its, double numbers[],
               size_t count, char message[SOLVER_MESSAGE_SIZE]) {
  struct {
    int64_t what;
    double x[MODEL_DIMENSION_MAX];
  } all = {.what = what};
  const size_t size = d->c.m->system.dimension * sizeof *x;
  memcpy(all.x, x, size);
  *its = (answer){.steps = -1, .why = "its process has ended"};
  const bool heard = write_all(d->asked, &all, sizeof all.what + size) && hear(d, its, sizeof *its);
  its->why[sizeof its->why - 1] = '\0';
  if (!heard || its->steps < 0) return SOLVER_FAIL(message, "%s: %s", d->engine->name, its->why);
  if (hear(d, numbers, count * sizeof *numbers)) return 0;
  return SOLVER_FAIL(message, "%s: its process has ended", d->engine->name);
}

void worker_release(void *instance) {
  worker *const d = instance;
  if (!d) return;
  if (d->asked >= 0) close(d->asked); // which ends it
  if (d->told >= 0) close(d->told);
  if (d->process > 0)
    while (waitpid(d->process, NULL, 0) < 0 && errno == EINTR) continue;
  contacts_free(&d->c);
  free(d);
}

static int begin(worker *d, json_t *system, char message[SOLVER_MESSAGE_SIZE]) {
  const worker_engine *const e = d->engine;
  char *const text = json_dumps(system, JSON_REAL_PRECISION(17));
  if (!text) return SOLVER_FAIL(message, "%s: out of memory", e->name);
  const int failed = start(d, text);
  free(text);
  if (failed)
    return SOLVER_REFUSE(message, "%s: %s: %s; `make %s` sets it up, or %s names one", e->name,
                         program(e), strerror(failed), e->name, e->variable);
  answer first = {.steps = -1, .why = "it has ended"};
  if (hear(d, &first, sizeof first) && first.steps == 0)
    return fcntl(d->told, F_SETFL, O_NONBLOCK) ? SOLVER_FAIL(message, "%s: no pipe", e->name) : 0;
  first.why[sizeof first.why - 1] = '\0';
  return SOLVER_REFUSE(message, "%s: %s has no %s to run: %s", e->name, program(e), e->title,
                       first.why);
}

int worker_prepare(const worker_engine *engine, const model *m, const solver_settings *settings,
                   const solver_output *output, void **instance,
                   char message[SOLVER_MESSAGE_SIZE]) {
  json_t *system;
  int status = describe(engine, m, &system, message);
  if (status) return status;
  const double longest = fmin(settings->h_max, output->dt * (double)output->count);
  json_object_set_new(system, "scheme", json_string(scheme_of(engine, settings)));
  json_object_set_new(system, "accuracy", json_real(settings->rtol));
  json_object_set_new(system, "longest", json_real(longest));
  json_object_set_new(system, "dt", json_real(output->dt));
  json_object_set_new(system, "count", json_integer((json_int_t)output->count));
  worker *const d = calloc(1, sizeof *d);
  if (d) *d = (worker){.engine = engine, .asked = -1, .told = -1};
  if (!d || contacts_alloc(&d->c, m))
    status = SOLVER_FAIL(message, "%s: out of memory", engine->name);
  else
    status = begin(d, system, message);
  json_decref(system);
  if (status)
    worker_release(d);
  else
    *instance = d;
  return status;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void note(const answer *its, solver_report *report) {
  report->steps = (uint64_t)its->steps;
  report->rejected = (uint64_t)its->rejected;
  report->field_evaluations = (uint64_t)its->field_evaluations;
  report->event_evaluations = (uint64_t)its->event_evaluations;
}

int worker_run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  worker *const d = instance;
  const size_t n = d->c.m->system.dimension;
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x0[i]))
      return SOLVER_FAIL(report->message, "%s: the initial condition is not finite",
                         d->engine->name);
  memcpy(d->x0, x0, n * sizeof *x0);
  answer its;
  if (ask(d, STATES, x0, &its, output->states, output->count * n, report->message))
    return SOLVER_FAILED;
  note(&its, report);
  return 0;
}

int worker_inspect(void *instance, const solver_output *output, solver_report *report) {
  worker *const d = instance;
  answer its;
  if (ask(d, COUNTS, d->x0, &its, NULL, 0, report->message)) return SOLVER_FAILED;
  note(&its, report);
  return contacts_inspect(instance, output, report);
}

/* ---- the same system ------------------------------------------------------------------------- */

bool worker_is(const solver_type *solver) {
  return solver->run == worker_run;
}

/* adds a difference's square, and that of what it is a part of */
static void add(double sum[2], const double theirs[], const double ours[], size_t count) {
  for (size_t j = 0; j < count; j++) {
    sum[0] += (theirs[j] - ours[j]) * (theirs[j] - ours[j]);
    sum[1] += ours[j] * ours[j];
  }
}

static int compare(const worker *d, visited *at, size_t states, double *gap,
                   char message[SOLVER_MESSAGE_SIZE]) {
  double x[MODEL_DIMENSION_MAX], ours[MODEL_DIMENSION_MAX], theirs[MODEL_DIMENSION_MAX];
  double rates[2] = {0}, positions[2] = {0};
  for (size_t i = 0; i < states; i++) {
    answer its;
    if (visited_draw(at, x) || visited_field(at, x, ours))
      return SOLVER_FAIL(message, "%s: the model's field failed", d->engine->name);
    if (ask(d, RATES, x, &its, theirs, at->positions + at->rates, message)) return SOLVER_FAILED;
    add(positions, theirs, ours, at->positions);
    add(rates, theirs + at->positions, ours + at->positions, at->rates);
  }
  *gap = sqrt(fmax(rates[0] / rates[1], positions[0] / positions[1]));
  return 0;
}

int worker_field_gap(const solver_type *solver, const model *m, const solver_settings *settings,
                     size_t states, unsigned long seed, double *gap,
                     char message[SOLVER_MESSAGE_SIZE]) {
  const solver_output output = {.dt = m->type->time_step, .count = 2};
  void *instance;
  int status = solver->prepare(m, settings, &output, &instance, message);
  if (status) return status;
  const mjcf_shape shape = mjcf_shape_of(m);
  visited at;
  if (visited_open(&at, m, shape.positions, shape.rates, seed))
    status = SOLVER_FAIL(message, "%s: out of memory", solver->name);
  else
    status = compare(instance, &at, states, gap, message);
  visited_close(&at);
  worker_release(instance);
  return status;
}
