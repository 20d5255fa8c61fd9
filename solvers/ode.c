/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Open Dynamics Engine as a solver of the same mechanical systems: Russell Smith's rigid bodies
 * in maximal coordinates, stepped by semi-implicit Euler with the contact forces solved for.
 *
 * ODE's contact row reads u' = -(erp/h) p + cfm F with F >= 0, u' being the speed at which the
 * contact opens at the end of the step, h the step and p the depth at its start. With
 *   erp = h k / (h k + c),   cfm = 1 / (h k + c)
 * that is F = k (p - h u') - c u' where positive: the model's spring and damper at the end of the
 * step. The contact law is exact; only the step makes an error, and as h -> 0 none is left.
 *
 * The geometry is the model's own. A contact acts on a body in the x-z plane by the gradient of its
 * depth: its linear part, reversed, is the contact's normal, and the angular part is the arm on
 * which it pushes. ODE's own collision detection is not asked. */

#include <math.h>
#include <ode/ode.h>
#include <ode/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "baselines.h"
#include "contacts.h"
#include "fixed_step.h"

/* coordinates of the model: height alone, or x, z and theta, positive where +x goes up */
enum { HEIGHT_ALONE = 1, PLANAR = 3, COORDINATES_MAX = PLANAR };

typedef struct ode {
  contact_set c;
  fixed_step plan;
  dWorldID world;
  dBodyID body;
  dJointGroupID joints; /* those of the step being taken */
  dContact contact;     /* what all contacts have in common */
} ode;

/* what ODE complained of while this thread called it; its handlers know no context */
static _Thread_local char complaint[SOLVER_MESSAGE_SIZE / 2];

__attribute__((format(printf, 2, 0))) static void complain(int number, const char *format,
                                                           va_list arguments) {
  (void)number;
  if (!complaint[0]) vsnprintf(complaint, sizeof complaint, format, arguments);
}

static void start_library(void) {
  dInitODE2(0);
  dSetMessageHandler(complain);
}

/* ---- prepare and release --------------------------------------------------------------------- */

static void release(void *instance) {
  ode *const o = instance;
  if (!o) return;
  if (o->joints) dJointGroupDestroy(o->joints);
  if (o->world) dWorldDestroy(o->world);
  contacts_free(&o->c);
  free(o);
}

/* a body as heavy as the model's, about as hard to turn about any axis as about its own */
static bool make_world(ode *o) {
  o->world = dWorldCreate();
  o->body = o->world ? dBodyCreate(o->world) : NULL;
  o->joints = dJointGroupCreate(0);
  if (!o->body || !o->joints) return false;

  const model_mechanics *const s = &o->c.law;
  const double inertia = s->coordinates == PLANAR ? 1.0 / s->inverse_mass[2] : 1.0;
  dMass mass;
  dMassSetZero(&mass);
  dMassSetParameters(&mass, 1.0 / s->inverse_mass[0], 0, 0, 0, inertia, inertia, inertia, 0, 0, 0);
  dBodySetMass(o->body, &mass);
  dBodySetGyroscopicMode(o->body, 0);     // none where all axes are alike
  dBodySetFiniteRotationMode(o->body, 1); // turns by exactly h times the rate
  const double gravity = s->free_acceleration[s->coordinates == PLANAR];
  dWorldSetGravity(o->world, s->coordinates == PLANAR ? s->free_acceleration[0] : 0, 0, gravity);
  dWorldSetContactMaxCorrectingVel(o->world, dInfinity);
  dWorldSetContactSurfaceLayer(o->world, 0);
  return true;
}

static int set_up(ode *o, const model *m, const fixed_step *plan) {
  o->plan = *plan;
  if (contacts_alloc(&o->c, m) || !make_world(o)) return SOLVER_FAILED;
  const double by_rate = plan->dt * o->c.law.stiffness + o->c.law.damping;
  o->contact.surface = (dSurfaceParameters){.mode = dContactSoftERP | dContactSoftCFM,
                                            .mu = 0,
                                            .soft_erp = plan->dt * o->c.law.stiffness / by_rate,
                                            .soft_cfm = 1.0 / by_rate};
  return 0;
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  static once_flag once = ONCE_FLAG_INIT;
  model_mechanics mechanics = {0};
  if (m->type->mechanics) m->type->mechanics(m, &mechanics);
  if (mechanics.coordinates != HEIGHT_ALONE && mechanics.coordinates != PLANAR)
    return SOLVER_REFUSE(message, "ode: %s is no body on springs; hopper and plate are",
                         m->type->name);
  fixed_step plan;
  const int status = fixed_step_fit("ode", settings, output->dt, &plan, message);
  if (status) return status;
  call_once(&once, start_library);
  ode *const o = calloc(1, sizeof *o);
  if (o && set_up(o, m, &plan) == 0) {
    *instance = o;
    return 0;
  }
  release(o);
  return SOLVER_FAIL(message, "ode: out of memory");
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* the model's y axis is ODE's reversed: theta turns +x to +z */
static void place(const ode *o, const double x[]) {
  const bool planar = o->c.law.coordinates == PLANAR;
  const double *const v = x + o->c.law.coordinates;
  const double half = planar ? -0.5 * x[2] : 0.0;
  dBodySetPosition(o->body, planar ? x[0] : 0, 0, planar ? x[1] : x[0]);
  dBodySetQuaternion(o->body, (dQuaternion){cos(half), 0, sin(half), 0});
  dBodySetLinearVel(o->body, planar ? v[0] : 0, 0, planar ? v[1] : v[0]);
  dBodySetAngularVel(o->body, 0, planar ? -v[2] : 0, 0);
}

/* the angle of the body nearest to `guess`: a quaternion tells it up to whole turns */
static double angle(dBodyID body, double guess) {
  const dReal *const q = dBodyGetQuaternion(body);
  return guess + remainder(-2.0 * atan2(q[2], q[0]) - guess, 2.0 * M_PI);
}

static void read_back(const ode *o, double dt, double x[]) {
  const bool planar = o->c.law.coordinates == PLANAR;
  double *const v = x + o->c.law.coordinates;
  const dReal *const position = dBodyGetPosition(o->body), *const rate = dBodyGetLinearVel(o->body);
  x[0] = position[planar ? 0 : 2];
  v[0] = rate[planar ? 0 : 2];
  if (!planar) return;
  x[1] = position[2];
  v[1] = rate[2];
  v[2] = -dBodyGetAngularVel(o->body)[1];
  x[2] = angle(o->body, x[2] + dt * v[2]);
}

/* contact i of the body with the world; 0, or SOLVER_FAILED */
static int attach(ode *o, size_t i) {
  const size_t count = o->c.law.contacts;
  const bool planar = o->c.law.coordinates == PLANAR;
  const double *const along = o->c.gradient + i;
  const double x = planar ? -along[0] : 0.0, z = -along[planar ? count : 0];
  const double turn = planar ? along[2 * count] : 0.0;
  const dReal *const centre = dBodyGetPosition(o->body);

  // an arm across the normal, as long as it takes: turn = (arm x normal)_y; a normal of the paper's
  // law is no unit vector, and its depth is along z, which ODE takes as they are
  const double arm = turn / (x * x + z * z);
  dContactGeom *const geometry = &o->contact.geom;
  geometry->depth = o->c.depth[i];
  memcpy(geometry->normal, (dVector3){x, 0, z}, sizeof(dVector3));
  memcpy(geometry->pos, (dVector3){centre[0] - arm * z, 0, centre[2] + arm * x}, sizeof(dVector3));
  const dJointID joint = dJointCreateContact(o->world, o->joints, &o->contact);
  if (joint) dJointAttach(joint, o->body, NULL);
  return joint ? 0 : SOLVER_FAILED;
}

static int step(void *instance, double t, double dt, double x[], solver_report *report) {
  ode *const o = instance;
  o->c.m->type->penetrations(o->c.m, x, o->c.depth, o->c.gradient);
  int status = 0;
  for (size_t i = 0; !status && i < o->c.law.contacts; i++)
    if (o->c.depth[i] > 0.0) status = attach(o, i);
  if (status) snprintf(complaint, sizeof complaint, "no room for a contact");
  if (!status && !dWorldStep(o->world, dt)) snprintf(complaint, sizeof complaint, "out of memory");
  dJointGroupEmpty(o->joints);
  report->field_evaluations++;
  if (complaint[0]) return SOLVER_FAIL(report->message, "ode: %s at t = %g s", complaint, t);
  read_back(o, dt, x);
  return 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  ode *const o = instance;
  complaint[0] = '\0';
  place(o, x0);
  return fixed_step_run(&o->plan, "ode", o->c.m->system.dimension, x0, output, step, o, report);
}

const char *ode_version(void) {
  return dODE_VERSION;
}

const solver_type ode_solver = {
    .name = "ode",
    .summary = "the Open Dynamics Engine: implicit springs at a fixed step",
    .prepare = prepare,
    .run = run,
    .inspect = contacts_inspect,
    .release = release,
};
