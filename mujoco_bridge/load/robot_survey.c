/*
 * The survey: event functions of what has a smooth distance, and one line for each kind of thing
 * that switches.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_status.h"
#include "bridge_version.h"
#include "robot_found.h"
#include "robot_mesh.h"
#include "robot_places.h"
#include "robot_twin.h"

/* ---- what is refused ------------------------------------------------------------------------- */

/* an actuator whose force depends on more than the state, and how; NULL: none */
static const char *odd_actuator(const mjModel *m, int *which) {
  for (int i = 0; i < (int)bridge_version_actuators(m); ++i) {
    *which = i;
    if (m->actuator_trntype[i] == mjTRN_BODY) return "acts on whatever touches its body";
    if (m->actuator_delay[i] != 0.0) return "has a delay";
    if (m->actuator_dyntype[i] == mjDYN_USER || m->actuator_gaintype[i] == mjGAIN_USER ||
        m->actuator_biastype[i] == mjBIAS_USER)
      return "is of type user, which needs a callback";
    if (m->actuator_plugin[i] >= 0) return "is a plugin";
    if (bridge_version_limits_rate(m, i)) return "limits its rate by the time step";
  }
  return NULL;
}

static const char has_plugin[] = "it has the plugin";

/* by its kind, such as "mujoco.pid" */
static const char *plugin_name(const mjModel *m) {
  const mjpPlugin *const plugin = mjp_getPluginAtSlot(m->plugin[0]);
  return plugin && plugin->name ? plugin->name : "of an unknown name";
}

int robot_survey_check(const mjModel *m, char message[ROBOT_MESSAGE_SIZE]) {
  int which = 0;
  const char *odd = odd_actuator(m, &which);
  const char *why = m->nv == 0                   ? "nothing in it moves, as no body has a joint"
                    : m->nflex > 0               ? "it has flexible bodies"
                    : m->nplugin > 0             ? has_plugin
                    : bridge_version_no_field(m) ? bridge_version_no_field(m)
                    : odd                        ? odd
                                                 : NULL;
  if (!why) return 0;
  char name[ROBOT_NAME_SIZE];
  if (why == has_plugin) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "%s %.100s, whose effect is no field of its state", why,
             plugin_name(m));
  } else if (odd && why == odd) {
    robot_survey_name(m, mjOBJ_ACTUATOR, which, name, sizeof name);
    snprintf(message, ROBOT_MESSAGE_SIZE, "actuator %s %s, which is no field of its state", name,
             why);
  } else
    snprintf(message, ROBOT_MESSAGE_SIZE, "%s", why);
  return BRIDGE_FAILED;
}

/* ---- names ----------------------------------------------------------------------------------- */

void robot_survey_name(const mjModel *m, int type, int id, char *name, size_t size) {
  const char *given = mj_id2name(m, type, id);
  if (given && *given)
    snprintf(name, size, "%s", given);
  else
    snprintf(name, size, "%s %d", mju_type2Str(type), id);
}

void robot_survey_geom_name(const mjModel *m, int geom, char *name, size_t size) {
  const char *given = mj_id2name(m, mjOBJ_GEOM, geom);
  const int body = m->geom_bodyid[geom];
  if ((given && *given) || body == 0) {
    robot_survey_name(m, mjOBJ_GEOM, geom, name, size);
    return;
  }
  robot_survey_name(m, mjOBJ_BODY, body, name, size);
  const int which = geom - m->body_geomadr[body];
  const size_t length = strlen(name);
  if (m->body_geomnum[body] > 1 && length < size)
    snprintf(name + length, size - length, "/%d", which + 1);
}

static void pair_name(const mjModel *m, const robot_pair *p, char *name, size_t size) {
  char first[ROBOT_NAME_SIZE / 2 - 16], second[ROBOT_NAME_SIZE / 2 - 16];
  robot_survey_geom_name(m, p->geom[0], first, sizeof first);
  robot_survey_geom_name(m, p->geom[1], second, sizeof second);
  snprintf(name, size, "%s - %s", first, second);
}

/* ---- event functions ------------------------------------------------------------------------- */

static bool joint_limited(const mjModel *m, int joint) {
  return m->jnt_limited[joint] && m->jnt_type[joint] != mjJNT_FREE;
}

static void add_pair(robot_shared *s, int pair) {
  const robot_pair *p = &s->pairs[pair];
  char name[ROBOT_NAME_SIZE - 24];
  for (size_t part = 0; part < p->parts; ++part) {
    robot_event *e = &s->events[s->event_count++];
    *e = (robot_event){.of = ROBOT_OF_PAIR, .object = pair, .part = (int)part};
    pair_name(s->model, p, name, sizeof name);
    if (p->parts > 1)
      snprintf(e->name, sizeof e->name, "%s, %s %d", name, p->parts == 2 ? "end" : "corner",
               e->part + 1);
    else
      snprintf(e->name, sizeof e->name, "%s", name);
  }
}

/* sides from `first` to 1 */
static void add_limit(robot_shared *s, robot_event_of of, int object, int first) {
  char name[ROBOT_NAME_SIZE - 8];
  robot_survey_name(s->model, of == ROBOT_OF_JOINT ? mjOBJ_JOINT : mjOBJ_TENDON, object, name,
                    sizeof name);
  for (int side = first; side <= 1; side += 2) {
    robot_event *e = &s->events[s->event_count++];
    *e = (robot_event){.of = of, .object = object, .part = side};
    snprintf(e->name, sizeof e->name, "%s %s", name, side < 0 ? "lower" : "upper");
  }
}

/* ---- findings -------------------------------------------------------------------------------- */

static robot_finding *add_finding(robot_shared *s, robot_treatment treatment, const char *kind,
                                  const char *why) {
  robot_finding *f = &s->findings[s->finding_count++];
  *f = (robot_finding){
      .treatment = treatment, .kind = kind, .why = why, .first_event = s->event_count};
  return f;
}

/* where the points are, of a pair that is followed */
static const char *where_found(const mjModel *m, const robot_pair *p) {
  const int type = m->geom_type[p->geom[1]], first = m->geom_type[p->geom[0]];
  if (first == mjGEOM_HFIELD)
    return "its beginning has an event function; the points are MuJoCo's, one for each prism of "
           "the "
           "height field: they appear and vanish";
  if (type == mjGEOM_MESH || first == mjGEOM_MESH)
    return "its beginning has an event function; the points are MuJoCo's, on the mesh's convex "
           "hull: "
           "they jump from vertex to vertex";
  if (type == mjGEOM_CYLINDER || first == mjGEOM_CYLINDER)
    return "its beginning has an event function; the points are MuJoCo's: they jump along the "
           "cylinder's rim";
  if (type == mjGEOM_BOX)
    return "its beginning has an event function; the points are MuJoCo's: they jump along the "
           "box's "
           "edges";
  return "its beginning has an event function; MuJoCo finds the point by iteration, to a tolerance";
}

const char *robot_survey_why(const robot_shared *s, const robot_pair *p) {
  if (robot_found_follows(s, p)) return where_found(s->model, p);
  if (s->stiffness > 0.0)
    return "--twin needs event functions for the points of a contact, and these geoms have none";
  return "MuJoCo searches a signed distance field from initial points of its own";
}

static void find_contacts(robot_shared *s) {
  for (size_t i = 0; i < s->ruled_pairs; ++i) {
    const robot_pair *p = &s->pairs[i];
    robot_finding *f = add_finding(s, ROBOT_GUARDED, "contact", "the depth of each point");
    pair_name(s->model, p, f->name, sizeof f->name);
    f->events = p->parts;
    add_pair(s, (int)i);
  }
  s->contact_events = s->event_count;
}

static void find_refused(robot_shared *s) {
  for (size_t i = s->ruled_pairs; i < s->pair_count; ++i) {
    const robot_pair *p = &s->pairs[i];
    robot_finding *f = add_finding(s, robot_found_follows(s, p) ? ROBOT_FOLLOWED : ROBOT_REFUSED,
                                   "contact", robot_survey_why(s, p));
    robot_event *e = &s->events[s->event_count++];
    *e = (robot_event){.of = ROBOT_OF_WATCH, .object = (int)i};
    pair_name(s->model, p, e->name, sizeof e->name);
    memcpy(f->name, e->name, sizeof f->name);
    f->events = 1;
  }
}

static void find_limits(robot_shared *s) {
  const mjModel *m = s->model;
  if (m->opt.disableflags & (mjDSBL_LIMIT | mjDSBL_CONSTRAINT)) return;
  for (int i = 0; i < (int)m->njnt; ++i) {
    if (!joint_limited(m, i)) continue;
    const bool ball = m->jnt_type[i] == mjJNT_BALL;
    robot_finding *f = add_finding(s, ROBOT_GUARDED, "joint limit",
                                   ball ? "its angle" : "its lower and its upper end");
    robot_survey_name(m, mjOBJ_JOINT, i, f->name, sizeof f->name);
    add_limit(s, ROBOT_OF_JOINT, i, ball ? 1 : -1);
    f->events = s->event_count - f->first_event;
  }
  for (int i = 0; i < (int)m->ntendon; ++i) {
    if (!m->tendon_limited[i]) continue;
    robot_finding *f = add_finding(s, ROBOT_GUARDED, "tendon limit", "its lower and its upper end");
    robot_survey_name(m, mjOBJ_TENDON, i, f->name, sizeof f->name);
    add_limit(s, ROBOT_OF_TENDON, i, -1);
    f->events = s->event_count - f->first_event;
  }
}

/* The forces of a twin's points: as many event functions as the contacts have, in their order. */
static void find_forces(robot_shared *s) {
  if (!robot_twin_has_forces(s)) return;
  robot_finding *f = add_finding(s, ROBOT_GUARDED, "release", "the force of each point of contact");
  f->events = s->contact_events;
  snprintf(f->name, sizeof f->name, "%zu points", f->events);
  for (size_t k = 0; k < s->contact_events; ++k) {
    const robot_event *of = &s->events[k];
    robot_event *e = &s->events[s->event_count++];
    *e = (robot_event){.of = ROBOT_OF_FORCE, .object = of->object, .part = of->part};
    memcpy(e->name, of->name, sizeof e->name);
    e->name[sizeof e->name - sizeof ", force"] = '\0';
    strcat(e->name, ", force");
  }
}

/* `count` things that switch unguarded; nothing where there are none */
static void add_kink(robot_shared *s, const char *kind, size_t count, const char *things,
                     const char *why) {
  if (count == 0) return;
  robot_finding *f = add_finding(s, ROBOT_KINK, kind, why);
  snprintf(f->name, sizeof f->name, "%zu %s", count, things);
}

static size_t count_set(const mjtBool *flags, mjtSize count) {
  size_t set = 0;
  for (mjtSize i = 0; i < count; ++i) set += flags[i] != 0;
  return set;
}

static size_t count_positive(const mjtNum *numbers, mjtSize count) {
  size_t positive = 0;
  for (mjtSize i = 0; i < count; ++i) positive += numbers[i] > 0.0;
  return positive;
}

static size_t count_friction(const robot_shared *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->pair_count; ++i)
    count += s->pairs[i].parts > 0 && s->pairs[i].pattern.dim > 1;
  return count;
}

/* two rods that may turn through the direction of each other */
static size_t count_parallel(const robot_shared *s) {
  const int *const type = s->model->geom_type;
  size_t count = 0;
  for (size_t i = 0; i < s->ruled_pairs; ++i) {
    const int *const geom = s->pairs[i].geom;
    count += type[geom[0]] == mjGEOM_CAPSULE && type[geom[1]] == mjGEOM_CAPSULE &&
             s->pairs[i].parts == 1;
  }
  return count;
}

static size_t count_wrapping(const mjModel *m) {
  size_t count = 0;
  for (int i = 0; i < (int)m->nwrap; ++i)
    count += m->wrap_type[i] == mjWRAP_SPHERE || m->wrap_type[i] == mjWRAP_CYLINDER;
  return count;
}

/* springs whose length at rest is a range */
static size_t count_slack(const mjModel *m) {
  size_t count = 0;
  for (int i = 0; i < (int)m->ntendon; ++i)
    count += m->tendon_stiffness[i] > 0.0 &&
             m->tendon_lengthspring[2 * i] < m->tendon_lengthspring[2 * i + 1];
  return count;
}

static size_t count_muscles(const mjModel *m) {
  size_t count = 0;
  for (int i = 0; i < (int)bridge_version_actuators(m); ++i)
    count += m->actuator_dyntype[i] == mjDYN_MUSCLE;
  return count;
}

static void find_kinks(robot_shared *s) {
  const mjModel *m = s->model;
  const size_t contacts = s->contact_events;
  const mjtSize actuators = (mjtSize)bridge_version_actuators(m);
  add_kink(s, "friction", count_friction(s), "pairs", "stick, slip and the edges of its cone");
  const bool twin = s->stiffness > 0.0;
  add_kink(s, "release", twin ? 0 : contacts, "points",
           "a force that ends before the contact does");
  add_kink(s, "impedance", s->row_events - (twin ? contacts : 0),
           twin ? "limits" : "points and limits",
           "the spline of solimp, at its midpoint and its width");
  add_kink(s, "parallel", count_parallel(s), "pairs",
           "capsules that turn through parallel while they touch: the point jumps along them, and "
           "within 1e-4 rad MuJoCo has two");
  add_kink(s, "friction loss", count_positive(m->dof_frictionloss, m->nv), "joint axes",
           "stick and slip");
  add_kink(s, "friction loss", count_positive(m->tendon_frictionloss, m->ntendon), "tendons",
           "stick and slip");
  add_kink(s, "force limit", count_set(m->actuator_forcelimited, actuators), "actuators",
           "where a force reaches its range");
  add_kink(s, "force limit", count_set(m->jnt_actfrclimited, m->njnt), "joints",
           "where a force reaches its range");
  add_kink(s, "force limit", count_set(m->tendon_actfrclimited, m->ntendon), "tendons",
           "where a force reaches its range");
  add_kink(s, "slack", count_slack(m), "tendons", "their springs rest over a range of lengths");
  add_kink(s, "wrapping", count_wrapping(m), "geoms",
           "where a tendon begins or ceases to wrap around them");
  add_kink(s, "activation limit", count_set(m->actuator_actlimited, actuators), "actuators",
           "mj_step clamps an activation to its range; the right-hand side only stops it there");
  add_kink(s, "muscle", count_muscles(m), "muscles", "their curves are piecewise");
}

static bool has_mesh(const robot_shared *s, int mesh) {
  const mjModel *m = s->model;
  for (size_t i = s->ruled_pairs; i < s->pair_count; ++i)
    for (int g = 0; g < 2; ++g) {
      const int geom = s->pairs[i].geom[g];
      if (m->geom_type[geom] == mjGEOM_MESH && m->geom_dataid[geom] == mesh) return true;
    }
  return false;
}

/* of those that may touch */
static void find_hulls(robot_shared *s) {
  const mjModel *m = s->model;
  size_t count = 0;
  int first = -1;
  for (int i = 0; i < (int)m->nmesh; ++i) {
    if (!has_mesh(s, i) || robot_mesh_is_convex(m, i)) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return;
  robot_finding *f = add_finding(s, ROBOT_SMOOTH, "mesh",
                                 "not convex: MuJoCo collides the convex hull, and so does the "
                                 "reference");
  char name[ROBOT_NAME_SIZE - 40];
  robot_survey_name(m, mjOBJ_MESH, first, name, sizeof name);
  if (count > 1)
    snprintf(f->name, sizeof f->name, "%s and %zu more", name, count - 1);
  else
    snprintf(f->name, sizeof f->name, "%s", name);
}

/* what is no switch, but is worth a line */
static void find_rest(robot_shared *s) {
  const mjModel *m = s->model;
  find_hulls(s);
  if (s->left_out > 0) {
    robot_finding *f =
        add_finding(s, ROBOT_LEFT_OUT, "contact", "excluded in MuJoCo and in the reference");
    snprintf(f->name, sizeof f->name, "%zu pair%s of geoms, by --without", s->left_out,
             s->left_out > 1 ? "s" : "");
  }
  if (m->neq > 0) {
    robot_finding *f = add_finding(s, ROBOT_SMOOTH, "equality",
                                   "soft, as in MuJoCo; a short solref needs short steps");
    snprintf(f->name, sizeof f->name, "%d constraints", (int)m->neq);
  }
  if (m->opt.solver == mjSOL_PGS || m->opt.solver == mjSOL_CG) {
    robot_finding *f = add_finding(s, ROBOT_SMOOTH, "solver",
                                   "the right-hand side solves to rounding, by Newton's method");
    snprintf(f->name, sizeof f->name, "%s", m->opt.solver == mjSOL_PGS ? "PGS" : "CG");
  }
  if (m->opt.enableflags & mjENBL_SLEEP)
    add_finding(s, ROBOT_SMOOTH, "sleep",
                "mj_step stops bodies that hardly move; the right-hand side does not");
  if (m->opt.noslip_iterations > 0)
    add_kink(s, "noslip", (size_t)m->opt.noslip_iterations, "iterations",
             "its iterations end before convergence");
}

int robot_survey_make(robot_shared *s, char message[ROBOT_MESSAGE_SIZE]) {
  const mjModel *m = s->model;
  size_t events = 2 * (size_t)(m->njnt + m->ntendon);
  for (size_t i = 0; i < s->pair_count; ++i)
    events += s->pairs[i].parts ? 2 * s->pairs[i].parts : 1;
  const size_t findings = s->pair_count + (size_t)(m->njnt + m->ntendon) + 24;
  s->events = calloc(events + 1, sizeof *s->events);
  s->distances = calloc(events + 1, sizeof *s->distances);
  s->findings = calloc(findings, sizeof *s->findings);
  if (!s->events || !s->distances || !s->findings) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
    return BRIDGE_FAILED;
  }
  find_contacts(s);
  find_limits(s);
  s->row_events = s->event_count;
  find_refused(s);
  s->force_events = s->event_count;
  for (size_t k = 0; k < s->force_events; ++k)
    s->distances[k] = s->events[k].of == ROBOT_OF_PAIR || s->events[k].of == ROBOT_OF_WATCH;
  find_forces(s);
  find_kinks(s);
  find_rest(s);
  if (robot_twin_rows(s) && robot_places_find(s)) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
  return BRIDGE_FAILED;
}
