/*
 * The model `legged`: a free body on N spring legs that drops onto a floor of springs and dampers.
 * Parameters, starts, and the reference: libess itself, tight, each crossing located by itself.
 *
 * Parameters that concern all legs or feet are divided among them, so that N legs make about the
 * same motion for every N, and only the number of contacts changes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "legged.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact_resets.h"
#include "legged_internal.h"
#include "reference_options.h"

#define PI 3.14159265358979323846

enum {
  CONTACTS,
  STIFFNESS,
  DAMPING,
  JOINT_STIFFNESS,
  JOINT_DAMPING,
  MASS,
  LEG_MASS,
  GRAVITY,
  HEIGHT,
  TILT,
  DURATION,
  PARAMETER_COUNT
};

enum { LEGS_MIN = 2, LEGS_MAX = 100, BODY_NAMES = LEGGED_HINGES };

static const model_parameter parameters[PARAMETER_COUNT] = {
    [CONTACTS] = {"contacts", 6, LEGS_MIN, LEGS_MAX, true, NULL,
                  "number of legs, with a foot each"},
    [STIFFNESS] = {"stiffness", 20000, 1e-3, 1e12, false, NULL, "stiffness of all feet, N/m"},
    [DAMPING] = {"damping", 100, 0, 1e9, false, NULL, "damping of all feet, N s/m"},
    [JOINT_STIFFNESS] = {"joint-stiffness", 300, 0, 1e9, false, NULL,
                         "stiffness of all hips, and of all knees, N m/rad"},
    [JOINT_DAMPING] = {"joint-damping", 6, 0, 1e9, false, NULL,
                       "damping of all hips, and of all knees, N m s/rad"},
    [MASS] = {"mass", 6, 1e-3, 1e6, false, NULL, "mass of the body, kg"},
    [LEG_MASS] = {"leg-mass", 4, 1e-3, 1e6, false, NULL, "mass of all legs, kg"},
    [GRAVITY] = {"gravity", 9.81, 0, 1000, false, NULL, "gravity, m/s^2"},
    [HEIGHT] = {"height", 0.05, -10, 100, false, NULL,
                "initial height of the feet, before the tilt, m"},
    [TILT] = {"tilt", 0.1, -1.5, 1.5, false, NULL, "initial tilt, rad"},
    [DURATION] = {"duration", 1, 1e-3, 1000, false, NULL, "duration of the run, s"},
};

/* fixed: a disc on legs as long as it is wide, bent outwards at the hip and back at the knee */
static const double body_radius = 0.3, link_length = 0.2, foot_radius = 0.03;
static const double thigh_share = 0.6, rest_of_hip = -0.7, rest_of_knee = 0.9;

const legged_parameters *legged_get(const model *m) {
  const legged_data *d = m->data;
  return &d->parameters;
}

double legged_angle(const legged_parameters *p, size_t i) {
  return 2.0 * PI * (double)i / (double)p->legs;
}

double legged_standing(const legged_parameters *p) {
  const legged_links links = legged_links_at(p, p->rest);
  return p->foot_radius - links.thigh.z - links.shank.z;
}

static legged_parameters read_parameters(const double value[]) {
  const double legs = value[CONTACTS], disc = value[MASS] * body_radius * body_radius / 4.0;
  const double thigh = thigh_share * value[LEG_MASS] / legs;
  const double shank = (1.0 - thigh_share) * value[LEG_MASS] / legs;
  const double rod = link_length * link_length / 12.0;
  return (legged_parameters){
      .legs = (size_t)legs,
      .gravity = value[GRAVITY],
      .body_mass = value[MASS],
      .body_inertia = {disc, disc, 2.0 * disc},
      .body_radius = body_radius,
      .link_mass = {thigh, shank},
      .link_inertia = {thigh * rod, shank * rod},
      .link_length = {link_length, link_length},
      .foot_radius = foot_radius,
      .rest = {rest_of_hip, rest_of_knee},
      .joint_stiffness = value[JOINT_STIFFNESS] / legs,
      .joint_damping = value[JOINT_DAMPING] / legs,
      .stiffness = value[STIFFNESS] / legs,
      .damping = value[DAMPING] / legs,
      .clearance = value[HEIGHT],
      .tilt = value[TILT],
  };
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)x;
  const legged_data *d = params;
  contact_resets_start(d->parameters.legs, sign, armed);
  return 0;
}

static void free_robot(legged_data *d) {
  if (!d) return;
  contact_resets_release(&d->resets, d->kinds);
  legged_field_release(d);
  free(d->toward);
  free(d->name);
  free(d);
}

static void name_states(legged_data *d) {
  static const char *const of_body[] = {"x",  "y",  "z",  "qw",      "qx",      "qy",     "qz",
                                        "vx", "vy", "vz", "omega_x", "omega_y", "omega_z"};
  static const char *const of_leg[] = {"hip", "knee", "hip_rate", "knee_rate"};
  for (size_t i = 0; i < BODY_NAMES; i++) snprintf(d->name[i], LEGGED_NAME_SIZE, "%s", of_body[i]);
  for (size_t i = 0; i < LEGGED_BODY_RATES; i++)
    snprintf(d->name[d->coordinates + i], LEGGED_NAME_SIZE, "%s", of_body[BODY_NAMES + i]);
  for (size_t i = 0; i < 2 * d->parameters.legs; i++) {
    char *const angle = d->name[LEGGED_HINGES + i];
    char *const rate = d->name[d->coordinates + LEGGED_BODY_RATES + i];
    snprintf(angle, LEGGED_NAME_SIZE, "%s%zu", of_leg[i % 2], i / 2);
    snprintf(rate, LEGGED_NAME_SIZE, "%s%zu", of_leg[2 + i % 2], i / 2);
  }
}

static legged_data *make_robot(const legged_parameters *p) {
  legged_data *const d = calloc(1, sizeof *d);
  if (!d) return NULL;
  d->parameters = *p;
  d->coordinates = LEGGED_HINGES + 2 * p->legs;
  d->toward = calloc(p->legs, sizeof *d->toward);
  d->name = calloc(d->coordinates + LEGGED_BODY_RATES + 2 * p->legs, sizeof *d->name);
  const bool failed = !d->toward || !d->name || legged_field_prepare(d) ||
                      (p->damping > 0.0 && contact_resets_prepare(&d->resets, &d->kinds, p->legs));
  if (failed) {
    free_robot(d);
    return NULL;
  }
  for (size_t i = 0; i < p->legs; i++) {
    d->toward[i][0] = cos(legged_angle(p, i));
    d->toward[i][1] = sin(legged_angle(p, i));
  }
  name_states(d);
  return d;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  const legged_parameters p = read_parameters(m->value);
  legged_data *const d = make_robot(&p);
  if (!d) {
    snprintf(message, MODEL_MESSAGE_SIZE, "legged: out of memory for %zu legs", p.legs);
    return -1;
  }
  const bool damped = p.damping > 0.0;
  m->data = d;
  m->system = (ess_system){.dimension = d->coordinates + LEGGED_BODY_RATES + 2 * p.legs,
                           .event_count = damped ? 2 * p.legs : p.legs,
                           .field = legged_field,
                           .event_functions = legged_event_functions,
                           .event_rates = legged_event_rates,
                           .kinds = d->kinds,
                           .resets = damped ? &d->resets : NULL,
                           .start = damped ? start : NULL,
                           .params = d};
  return 0;
}

static void release(model *m) {
  free_robot(m->data);
}

static const char *state_name(const model *m, size_t i) {
  const legged_data *d = m->data;
  return d->name[i];
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* at rest, hinges at rest, tilted about the level axis at an angle from x */
static void stand(const model *m, double clearance, double tilt, double axis, double x0[]) {
  const legged_parameters *const p = legged_get(m);
  memset(x0, 0, m->system.dimension * sizeof *x0);
  x0[2] = legged_standing(p) + clearance;
  x0[LEGGED_QUATERNION] = cos(0.5 * tilt);
  x0[LEGGED_QUATERNION + 1] = sin(0.5 * tilt) * cos(axis);
  x0[LEGGED_QUATERNION + 2] = sin(0.5 * tilt) * sin(axis);
  for (size_t i = 0; i < 2 * p->legs; i++) x0[LEGGED_HINGES + i] = p->rest[i % 2];
}

static void initial_state(const model *m, double x0[]) {
  const legged_parameters *const p = legged_get(m);
  stand(m, p->clearance, p->tilt, 0.5 * PI, x0);
}

/* height first, then how far and which way it is tilted: three draws */
static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  const double clearance = 0.05 + 0.05 * gsl_rng_uniform(rng);
  const double tilt = 0.1 * gsl_rng_uniform(rng);
  stand(m, clearance, tilt, 2.0 * PI * gsl_rng_uniform(rng), x0);
}

/* ---- reference ------------------------------------------------------------------------------- */

/* longer ones would be cut at crossings by a dense output worth less than rtol, s */
static const double longest_step = 5e-4;

static int count_crossing(const ess_crossing_info *info, void *context) {
  const model *const m = ((void **)context)[0];
  size_t *const events = ((void **)context)[1];
  *events += m->type->changes_field(m, info->event, info->sign);
  return 0;
}

static int reference(const model *m, const double x0[], model_reference *out,
                     char message[MODEL_MESSAGE_SIZE]) {
  const size_t n = m->system.dimension;
  void *context[] = {(void *)(uintptr_t)m, &out->events};
  const ess_observer counter = {.crossing = count_crossing, .context = context};
  const ess_options options = model_reference_options(longest_step, &counter);
  double t = out->times[0], x[MODEL_DIMENSION_MAX];
  int status;
  memcpy(x, x0, n * sizeof *x);
  out->events = 0;
  out->kind = "reference";
  ess_driver *const driver = ess_driver_alloc(&m->system, &options, &status);
  for (size_t i = 0; !status && i < out->count; i++) {
    status = ess_driver_apply(driver, &t, out->times[i], x);
    memcpy(out->states + i * n, x, n * sizeof *x);
    if (out->reached) out->reached(i + 1, out->context);
  }
  if (status)
    snprintf(message, MODEL_MESSAGE_SIZE, "legged: reference failed at t = %.0f us: %s", t * 1e6,
             ess_strerror(status));
  ess_driver_free(driver);
  return status ? -1 : 0;
}

/* ---- contacts -------------------------------------------------------------------------------- */

static size_t contact_count(const model *m) {
  return legged_get(m)->legs;
}

static void active_contacts(const model *m, const double x[], unsigned char active[]) {
  const legged_data *const d = m->data;
  const legged_parameters *const p = &d->parameters;
  double up[3], depth[2];
  legged_up(x + LEGGED_QUATERNION, up);
  for (size_t i = 0; i < p->legs; i++) {
    legged_depth(d, i, x, up, depth);
    active[i] = depth[0] > 0.0 && p->stiffness * depth[0] + p->damping * depth[1] > 0.0;
  }
}

/* With damping a crossing of one of a foot's two event functions counts only while the other allows
 * the force. */
static bool changes_field(const model *m, size_t guard, const double sign[]) {
  const legged_parameters *const p = legged_get(m);
  if (!(p->damping > 0.0)) return true;
  return sign[guard < p->legs ? guard + p->legs : guard - p->legs] > 0.0;
}

const model_type legged_type = {
    .name = "legged",
    .summary = "a body on spring legs dropped onto a soft floor",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .state_name = state_name,
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = reference,
    .contact_count = contact_count,
    .active_contacts = active_contacts,
    .mode_of_state = true,
    .changes_field = changes_field,
};
