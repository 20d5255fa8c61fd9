/*
 * From a file, or a text, to a robot; clones; what it is made of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bridge_guard.h"
#include "bridge_status.h"
#include "bridge_version.h"
#include "robot_damped.h"
#include "robot_forces.h"
#include "robot_instance.h"
#include "robot_pairs.h"
#include "robot_setting.h"
#include "robot_stage.h"
#include "robot_survey.h"
#include "robot_system.h"
#include "robot_twin.h"
#include "robot_without.h"

/* ---- compiling ------------------------------------------------------------------------------- */

typedef struct compilation {
  const char *file, *text;
  const mjModel *given; /* by another, to be copied */
  mjModel *model;
  mjVFS files;
  char error[BRIDGE_TEXT_SIZE];
} compilation;

static bool ends_with(const char *name, const char *ending) {
  const size_t length = strlen(name), tail = strlen(ending);
  return length >= tail && strcmp(name + length - tail, ending) == 0;
}

static void compile(void *context) {
  compilation *c = context;
  if (c->text)
    c->model = bridge_version_load(&c->files, c->text, c->error, (int)sizeof c->error);
  else if (ends_with(c->file, ".mjb"))
    c->model = mj_loadModel(c->file, NULL);
  else
    c->model = mj_loadXML(c->file, NULL, c->error, (int)sizeof c->error);
}

/* MuJoCo reads numbers in the caller's locale; an MJCF is in the C locale */
static bool compile_in_c_locale(compilation *c, bridge_complaint *complaint) {
  const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t callers = c_locale ? uselocale(c_locale) : (locale_t)0;
  bridge_guarded(compile, c, complaint);
  if (c_locale) {
    uselocale(callers);
    freelocale(c_locale);
  }
  return !complaint->error && c->model;
}

/* what the robot's own start has of bodies that only a program moves: where MuJoCo puts them back
 * to
 */
static void place_mocap(mjModel *m) {
  for (int i = 0; m->nkey > 0 && i < (int)m->nbody; ++i) {
    const int mocap = m->body_mocapid[i];
    if (mocap < 0) continue;
    memcpy(m->body_pos + 3 * i, m->key_mpos + 3 * mocap, 3 * sizeof *m->body_pos);
    memcpy(m->body_quat + 4 * i, m->key_mquat + 4 * mocap, 4 * sizeof *m->body_quat);
  }
}

/* ---- keyframes ------------------------------------------------------------------------------- */

/* what a keyframe is called: its number where it has no name */
static void keyframe_name(const mjModel *m, int k, char name[ROBOT_NAME_SIZE]) {
  const char *const own = mj_id2name(m, mjOBJ_KEY, k);
  if (own && *own)
    snprintf(name, ROBOT_NAME_SIZE, "%s", own);
  else
    snprintf(name, ROBOT_NAME_SIZE, "%d", k);
}

static int refuse_keyframe(const mjModel *m, const char *wanted, char message[ROBOT_MESSAGE_SIZE]) {
  size_t used =
      (size_t)snprintf(message, ROBOT_MESSAGE_SIZE, "--keyframe %.60s is not accepted; %s", wanted,
                       m->nkey > 0 ? "there are" : "the model has no keyframe");
  for (int k = 0; k < (int)m->nkey && used + 8 < ROBOT_MESSAGE_SIZE; ++k) {
    char name[ROBOT_NAME_SIZE];
    keyframe_name(m, k, name);
    used += (size_t)snprintf(message + used, ROBOT_MESSAGE_SIZE - used, "%s %s", k ? "," : "",
                             strlen(name) + 8 < ROBOT_MESSAGE_SIZE - used ? name : "...");
  }
  return BRIDGE_REFUSED;
}

/* Row k of a table of keyframes becomes its first row. */
static void move_up(double rows[], size_t k, size_t width) {
  memmove(rows, rows + k * width, width * sizeof *rows);
}

/* NULL: keyframe 0 */
static int choose_keyframe(mjModel *m, const char *wanted, char message[ROBOT_MESSAGE_SIZE]) {
  char name[ROBOT_NAME_SIZE] = "";
  int found = -1;
  for (int i = 0; wanted && i < (int)m->nkey && found < 0; ++i) {
    keyframe_name(m, i, name);
    if (strcmp(name, wanted) == 0) found = i;
  }
  if (wanted && found < 0) return refuse_keyframe(m, wanted, message);
  if (found > 0) {
    const size_t k = (size_t)found;
    move_up(m->key_time, k, 1);
    move_up(m->key_qpos, k, (size_t)m->nq);
    move_up(m->key_qvel, k, (size_t)m->nv);
    move_up(m->key_act, k, (size_t)m->na);
    move_up(m->key_ctrl, k, (size_t)m->nu);
    move_up(m->key_mpos, k, 3 * (size_t)m->nmocap);
    move_up(m->key_mquat, k, 4 * (size_t)m->nmocap);
  }
  place_mocap(m);
  return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* warnings are no obstacle: MuJoCo has made a model all the same */
static int load(const char *file, const char *text, mjModel **out,
                char message[ROBOT_MESSAGE_SIZE]) {
  struct stat about = {.st_size = 1};
  if (!text && stat(file, &about)) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "%s cannot be read: %s", file, strerror(errno));
    return BRIDGE_FAILED;
  }
  if (!text && S_ISDIR(about.st_mode)) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "%s is a folder, not a model file", file);
    return BRIDGE_FAILED;
  }
  compilation *c = calloc(1, sizeof *c);
  bridge_complaint complaint = {.text = "out of memory"};
  if (c) {
    c->file = file;
    c->text = text;
  }
  if (c && compile_in_c_locale(c, &complaint)) {
    *out = c->model;
    free(c);
    return 0;
  }
  char line[BRIDGE_TEXT_SIZE];
  bridge_one_line(line, sizeof line, c && c->error[0] ? c->error : complaint.text);
  snprintf(message, ROBOT_MESSAGE_SIZE, "%s does not compile: %s", text ? "the text" : file,
           line[0]              ? line
           : about.st_size == 0 ? "it is empty"
                                : "no reason given");
  // MuJoCo's word for a model that is too large by far
  const size_t used = strlen(message);
  if (strstr(line, "allocate memory"))
    snprintf(message + used, ROBOT_MESSAGE_SIZE - used,
             "; robots with at most %d pairs of geoms that may touch are accepted",
             ROBOT_PAIRS_MAX);
  free(c);
  return BRIDGE_FAILED;
}

/* ---- instances ------------------------------------------------------------------------------- */

static void release(robot_shared *s) {
  if (!s || atomic_fetch_sub(&s->owners, 1) > 1) return;
  if (s->model) mj_deleteModel(s->model);
  free(s->pairs);
  free(s->events);
  free(s->distances);
  free(s->placed);
  free(s->row_start);
  free(s->row_guard);
  free(s->row_effect);
  free(s->findings);
  free(s->twin_text);
  free(s);
}

void robot_close(robot *r) {
  if (!r) return;
  if (r->data) mj_deleteData(r->data);
  free(r->joint_range);
  free(r->tendon_range);
  free(r->acting);
  free(r->contact_end);
  free(r->speed);
  free(r->shifted);
  free(r->along);
  free(r->change);
  free(r->load);
  free(r->touch);
  free(r->touch_known);
  free(r->held);
  robot_damped_free(r);
  robot_forces_free(r);
  release(r->shared);
  free(r);
}

/* of MuJoCo's search for constraints' forces: to rounding, and so many times the tolerance */
static const double solved = 1e-15, share_of_forces = 1e-2;

void robot_solve_exactly(mjOption *o) {
  o->solver = mjSOL_NEWTON;
  o->tolerance = solved;
  o->iterations = 200;
  o->ls_iterations = 100;
}

void robot_leave_sensors(mjOption *o) {
  o->disableflags |= mjDSBL_SENSOR;
}

/* in continuous time, and to rounding */
static void set_options(mjOption *o) {
  robot_solve_exactly(o);
  robot_leave_sensors(o);
  o->timestep = 1e-9;
  o->integrator = mjINT_EULER;
  o->disableflags |= mjDSBL_ISLAND;
  o->enableflags &= ~(mjENBL_SLEEP | mjENBL_ENERGY | mjENBL_FWDINV);
}

static double *copy_of(const double *from, size_t count) {
  double *to = malloc((count + 1) * sizeof *to);
  if (to && count) memcpy(to, from, count * sizeof *to);
  return to;
}

static void make_data(void *context) {
  robot *r = context;
  r->data = mj_makeData(&r->model);
}

/* an instance of what `shared` holds, which it then owns a part of */
static robot *instance_of(robot_shared *shared) {
  robot *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  const mjModel *m = shared->model;
  atomic_fetch_add(&shared->owners, 1);
  r->shared = shared;
  r->model = *m;
  set_options(&r->model.opt);
  r->joint_range = copy_of(m->jnt_range, 2 * (size_t)m->njnt);
  r->tendon_range = copy_of(m->tendon_range, 2 * (size_t)m->ntendon);
  r->acting = calloc(shared->event_count + 1, sizeof *r->acting);
  r->contact_end = calloc(shared->event_count + 1, sizeof *r->contact_end);
  r->speed = calloc((size_t)m->nv + 1, sizeof *r->speed);
  const size_t n = (size_t)(m->nq + m->nv + m->na);
  r->shifted = calloc(n + 2 * shared->event_count + 1, sizeof *r->shifted);
  r->held = calloc((size_t)m->nu + 1, sizeof *r->held);
  r->along = calloc(6 * (size_t)m->nbody, sizeof *r->along);
  r->change = calloc(6 * (size_t)m->nbody, sizeof *r->change);
  r->load = calloc(6 * (size_t)m->nbody, sizeof *r->load);
  r->touch = calloc(shared->contact_events + 1, sizeof *r->touch);
  r->touch_known = calloc(shared->contact_events + 1, sizeof *r->touch_known);
  r->model.jnt_range = r->joint_range;
  r->model.tendon_range = r->tendon_range;
  const bool room = robot_damped_alloc(r) && robot_forces_alloc(r) && r->joint_range &&
                    r->tendon_range && r->acting && r->contact_end && r->speed && r->held &&
                    r->shifted && r->along && r->change && r->load && r->touch && r->touch_known;
  if (room && robot_guarded(r, make_data, r) == 0 && r->data) {
    r->system = robot_system_of(r);
    return r;
  }
  robot_close(r);
  return NULL;
}

/* numbers between -1 and 1 that need no generator */
static void scatter(double x[], size_t count, unsigned round) {
  for (size_t i = 0; i < count; ++i) x[i] += sin(1.0 + 12.9898 * (double)(i + 1) * (round + 1.7));
}

/* A distance that is less is 0 but for rounding. */
static const double nothing = 1e-9;

/* a plane has no edge that a body may be moved over */
static bool is_of_plane(const robot_shared *s, const robot_event *e) {
  return e->of == ROBOT_OF_PAIR && s->model->geom_type[s->pairs[e->object].geom[0]] == mjGEOM_PLANE;
}

/*
 * A distance that no motion changes, such as the floor's from a body that slides along it, has no
 * event: its rounding would have many. Whether it acts is what MuJoCo says at the start. Above a
 * table a distance is as constant, but it is another one beyond the table's edge.
 */
static bool find_fixed(robot *r) {
  enum { ROUNDS = 6 };
  const size_t n = r->system.dimension, events = r->shared->event_count;
  double *const room = calloc(2 * n + 3 * events + 1, sizeof *room);
  if (!room) return false;
  double *const x = room, *const v = x + n, *const h = v + n, *const rate = h + events,
                *const largest = rate + events;
  for (unsigned round = 0; round < ROUNDS; ++round) {
    memset(x, 0, 2 * n * sizeof *x);
    robot_reset_state(r, x);
    scatter(x, n, round);
    scatter(v, n, round + ROUNDS);
    if (r->system.event_rates(0.0, x, 0.0, v, NULL, events, h, rate, r) != 0) break;
    for (size_t k = 0; k < events; ++k) largest[k] = fmax(largest[k], fabs(rate[k]));
  }
  robot_reset_state(r, x);
  if (r->system.event_functions(0.0, x, h, r) == 0)
    for (size_t k = 0; k < r->shared->row_events; ++k)
      if (largest[k] < 1e-12 &&
          (fabs(h[k]) < nothing || is_of_plane(r->shared, &r->shared->events[k])))
        r->shared->events[k].fixed = h[k] > 0.0 ? 1 : -1;
  free(room);
  r->failure[0] = '\0';
  return true;
}

/* of a model in the place of another */
static int find_again(robot_shared *s, const robot_options *options,
                      char message[ROBOT_MESSAGE_SIZE]) {
  const int status = choose_keyframe(s->model, options->keyframe, message);
  if (options->setting) robot_setting_apply(s->model, options->setting);
  free(s->pairs);
  s->pairs = NULL;
  s->pair_count = s->ruled_pairs = 0;
  return status ? status : robot_pairs_find(s, message);
}

/* what is a model, and none that libess can run: the refusal names it */
static int survey(const mjModel *m, const char *file, char message[ROBOT_MESSAGE_SIZE]) {
  char why[ROBOT_MESSAGE_SIZE];
  const int status = robot_survey_check(m, why);
  if (status != 0)
    snprintf(message, ROBOT_MESSAGE_SIZE, "%.180s is not accepted: %.300s",
             file ? file : "the text", why);
  return status;
}

static void copy_model(void *context) {
  compilation *c = context;
  c->model = mj_copyModel(NULL, c->given);
}

/* another's model, which stays as it is */
static int copy(const mjModel *from, mjModel **out, char message[ROBOT_MESSAGE_SIZE]) {
  compilation c = {.given = from};
  bridge_complaint complaint;
  bridge_guarded(copy_model, &c, &complaint);
  *out = c.model;
  if (c.model) {
    place_mocap(c.model);
    return 0;
  }
  snprintf(message, ROBOT_MESSAGE_SIZE, "the model cannot be copied: %.400s", complaint.text);
  return BRIDGE_FAILED;
}

static int fill_from_model(robot_shared *s, const mjModel *from, char message[ROBOT_MESSAGE_SIZE]) {
  int status = copy(from, &s->model, message);
  if (status == 0) status = survey(s->model, "the model", message);
  if (status == 0) status = robot_pairs_find(s, message);
  if (status == 0) status = robot_survey_make(s, message);
  return status;
}

/* what has no field is accepted where the options say so, but for what does not move */
static int survey_or_note(robot_shared *s, const char *file, const robot_options *options,
                          char message[ROBOT_MESSAGE_SIZE]) {
  const bool accepts = options && options->unfit && s->model->nv > 0;
  if (!accepts) return survey(s->model, file, message);
  if (robot_survey_check(s->model, s->unfit) == 0) s->unfit[0] = '\0';
  return 0;
}

static int fill(robot_shared *s, const char *file, const char *text, const robot_options *options,
                char message[ROBOT_MESSAGE_SIZE]) {
  const bool twin = options && (options->stiffness != 0.0 || options->damping != 0.0);
  const char *const keyframe = options ? options->keyframe : NULL;
  int status = load(file, text, &s->model, message);
  if (status == 0) status = choose_keyframe(s->model, keyframe, message);
  if (status == 0 && options && options->setting) robot_setting_apply(s->model, options->setting);
  if (keyframe) snprintf(s->pose, sizeof s->pose, "keyframe %.*s", ROBOT_NAME_SIZE, keyframe);
  if (status == 0) status = survey_or_note(s, text ? NULL : file, options, message);
  if (status == 0) status = robot_pairs_find(s, message);
  if (status == 0 && options && options->without) {
    status = robot_without_make(s, file, text, options->without, message);
    if (status == 0) status = find_again(s, options, message);
  }
  if (status == 0 && twin) {
    status = robot_twin_make(s, file, text, options, message);
    if (status == 0) status = find_again(s, options, message);
  }
  if (status == 0) status = robot_survey_make(s, message);
  return status;
}

/* nothing is found out yet */
static robot_shared *new_shared(char message[ROBOT_MESSAGE_SIZE]) {
  if (bridge_version_check(message, ROBOT_MESSAGE_SIZE) != 0) return NULL;
  robot_shared *const shared = calloc(1, sizeof *shared);
  if (shared) atomic_init(&shared->owners, 1);
  snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
  return shared;
}

/* the instance of what has been found out, and with it or without the end of `shared` here */
static int finish(robot_shared *shared, int status, robot **out, char message[ROBOT_MESSAGE_SIZE]) {
  if (status == 0) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "no room for its state");
    *out = instance_of(shared);
  }
  if (*out && !find_fixed(*out)) {
    robot_close(*out);
    *out = NULL;
  }
  release(shared);
  if (status == 0 && *out) message[0] = '\0';
  return status != 0 ? status : *out ? 0 : BRIDGE_FAILED;
}

int robot_open(const char *file, const char *text, const robot_options *options, robot **out,
               char message[ROBOT_MESSAGE_SIZE]) {
  *out = NULL;
  if (!file && !text) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "no file is given");
    return BRIDGE_REFUSED;
  }
  robot_shared *const shared = new_shared(message);
  if (!shared) return BRIDGE_FAILED;
  return finish(shared, fill(shared, file, text, options, message), out, message);
}

int robot_open_model(const struct mjModel_ *from, robot **out, char message[ROBOT_MESSAGE_SIZE]) {
  *out = NULL;
  robot_shared *const shared = new_shared(message);
  if (!shared) return BRIDGE_FAILED;
  return finish(shared, fill_from_model(shared, from, message), out, message);
}

robot *robot_clone(const robot *r) {
  robot *clone = instance_of(r->shared);
  if (clone) memcpy(clone->data->ctrl, r->data->ctrl, (size_t)r->model.nu * sizeof(double));
  return clone;
}

/* ---- its content -------------------------------------------------------------------------------
 */

typedef struct saving {
  const mjModel *model;
  unsigned char *bytes;
  size_t size;
} saving;

static void save(void *context) {
  const saving *s = context;
  mj_saveModel(s->model, NULL, s->bytes, (mjtSize)s->size);
}

int robot_content(const robot *r, uint64_t *content, char message[ROBOT_MESSAGE_SIZE]) {
  saving s = {.model = r->shared->model, .size = (size_t)mj_sizeModel(r->shared->model)};
  bridge_complaint complaint = {.text = "out of memory"};
  s.bytes = calloc(s.size + 1, 1);
  const bool saved = s.bytes && bridge_guarded(save, &s, &complaint);
  *content = 0xcbf29ce484222325u; // FNV-1a
  for (size_t i = 0; saved && i < s.size; ++i) *content = (*content ^ s.bytes[i]) * 0x100000001b3u;
  free(s.bytes);
  if (saved) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "the model cannot be identified: %s", complaint.text);
  return BRIDGE_FAILED;
}

/* ---- what it is made of ---------------------------------------------------------------------- */

static const char *integrator_name(int integrator) {
  switch (integrator) {
  case mjINT_EULER:
    return "Euler";
  case mjINT_RK4:
    return "RK4";
  case mjINT_IMPLICIT:
    return "implicit";
  case mjINT_IMPLICITFAST:
    return "implicitfast";
  default:
    return "discrete";
  }
}

robot_sizes robot_size(const robot *r) {
  const mjModel *m = r->shared->model;
  robot_sizes s = {.nq = (size_t)m->nq,
                   .nv = (size_t)m->nv,
                   .na = (size_t)m->na,
                   .nu = (size_t)m->nu,
                   .bodies = (size_t)m->nbody,
                   .dimension = r->system.dimension,
                   .events = r->system.event_count,
                   .time_step = m->opt.timestep,
                   .integrator = integrator_name(m->opt.integrator)};
  memcpy(s.gravity, m->opt.gravity, sizeof s.gravity);
  return s;
}

const char *robot_model_name(const robot *r) {
  return r->shared->model->names;
}

const char *robot_unfit(const robot *r) {
  return *r->shared->unfit ? r->shared->unfit : NULL;
}

/* ---- what an error of it says ---------------------------------------------------------------- */

static bool is_static(const mjModel *m, int geom) {
  return m->body_weldid[m->geom_bodyid[geom]] == 0;
}

bool robot_has_ground(const robot *r) {
  const robot_shared *const s = r->shared;
  for (size_t i = 0; i < s->pair_count; ++i)
    if (is_static(s->model, s->pairs[i].geom[0]) || is_static(s->model, s->pairs[i].geom[1]))
      return true;
  return false;
}

/* a target or a marker is a tree of bodies without a contact, in a model that has some */
bool robot_body_counts(const robot *r, size_t body) {
  const robot_shared *const s = r->shared;
  const mjModel *const m = s->model;
  if (m->body_weldid[body] == 0 || m->body_subtreemass[body] <= 0.0) return false;
  bool any = false;
  for (size_t i = 0; i < 2 * s->pair_count; ++i) {
    const int of = m->geom_bodyid[s->pairs[i / 2].geom[i % 2]];
    if (m->body_rootid[of] == m->body_rootid[body]) return true;
    any = true;
  }
  return !any;
}

bool robot_state_counts(const robot *r, size_t k) {
  const mjModel *const m = r->shared->model;
  for (int j = (int)m->njnt - 1; j >= 0; --j)
    if (m->jnt_qposadr[j] <= (int)k) return robot_body_counts(r, (size_t)m->jnt_bodyid[j]);
  return false;
}

/* That search ends where a round improves its cost by less than its own tolerance, and the cost is
 * quadratic in the forces. It converges so fast that the last round's error is far smaller. */
void robot_set_precision(robot *r, double tolerance) {
  const mjOption *const given = &r->shared->model->opt;
  const double share = share_of_forces * tolerance;
  r->model.opt.tolerance = fmax(solved, fmin(given->tolerance, share * share));
  r->model.opt.ccd_tolerance = fmin(given->ccd_tolerance, 1e-3 * tolerance);
  r->model.opt.ccd_iterations = given->ccd_iterations > 200 ? given->ccd_iterations : 200;
  robot_stage_forget(r);
}

const ess_system *robot_system(robot *r) {
  return &r->system;
}

const char *robot_failure(const robot *r) {
  return r->failure;
}

size_t robot_finding_count(const robot *r) {
  return r->shared->finding_count;
}

const robot_finding *robot_findings(const robot *r) {
  return r->shared->findings;
}

const char *robot_event_name(const robot *r, size_t k) {
  return r->shared->events[k].name;
}

const char *robot_actuator_name(const robot *r, size_t i) {
  const char *const name = mj_id2name(r->shared->model, mjOBJ_ACTUATOR, (int)i);
  return name && *name ? name : "unnamed";
}

bool robot_event_is_contact(const robot *r, size_t k) {
  const robot_event_of of = r->shared->events[k].of;
  return of == ROBOT_OF_PAIR || of == ROBOT_OF_WATCH;
}

bool robot_event_is_within(const robot *r, size_t k) {
  const robot_event *const e = &r->shared->events[k];
  return robot_event_is_contact(r, k) &&
         robot_without_self(r->shared->model, r->shared->pairs[e->object].geom);
}
