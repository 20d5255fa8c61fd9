/*
 * A body that falls onto two feet, front and rear: the trot of Pace & Burden, "Decoupled limbs
 * yield differentiable trajectory outcomes" (2017), their Fig. 1. On rigid limbs its outcome jumps
 * with the initial rotation, on soft ones it is differentiable, on coupled soft ones continuous.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "trot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jumps.h"
#include "trot_internal.h"

enum {
  LIMBS,
  TILT,
  HEIGHT,
  SPEED,
  MASS,
  INERTIA,
  HALF_LENGTH,
  LEG,
  FOOT_MASS,
  STIFFNESS,
  DAMPING,
  COUPLING,
  DRIVE,
  GRAVITY,
  DURATION,
  PARAMETER_COUNT
};

static const char *const limb_names[] = {"rigid", "soft", NULL};

static const model_parameter parameters[PARAMETER_COUNT] = {
    [LIMBS] = {"limbs", TROT_SOFT, 0, 1, false, limb_names, "kind of limbs"},
    TROT_PARAMETERS,
    [FOOT_MASS] = {"foot-mass", 0.1, 1e-6, 1e3, false, NULL, "foot mass, kg; soft limbs"},
    [STIFFNESS] = {"stiffness", 400, 0, 1e6, false, NULL, "stiffness of a leg, N/m; soft limbs"},
    [DAMPING] = {"damping", 5, 0, 1e5, false, NULL, "damping of a leg, N s/m; soft limbs"},
    [COUPLING] =
        {"coupling", 0, 0, 1e3, false, NULL,
         "force that couples the legs, per square of their common rate, N s^2/m^2; soft limbs"},
    [DRIVE] = {"drive", 0, 0, 1e3, false, NULL,
               "force of a leg in stance per common rate of both legs, N s/m; soft limbs"},
};

/* rigid limbs have the first four alone */
static const char *const state_names[] = {"z",      "theta",   "vz",      "omega",
                                          "y-rear", "y-front", "vy-rear", "vy-front"};
enum { STATES = sizeof state_names / sizeof *state_names };

static const trot_limbs *limbs_of(const model *m) {
  if (!(m->value[LIMBS] > 0.0)) return &trot_rigid;
  return m->value[DRIVE] > 0.0 ? &trot_driven : &trot_soft;
}

/* the feet hang where a level body's legs at rest have them, however it is turned */
static void initial_state(const model *m, double x0[]) {
  memset(x0, 0, m->system.dimension * sizeof *x0);
  x0[TROT_Z] = m->value[HEIGHT];
  x0[TROT_THETA] = m->value[TILT];
  x0[TROT_VZ] = -m->value[SPEED];
  if (limbs_of(m) == &trot_rigid) return;
  for (int i = 0; i < FEET; i++) {
    x0[TROT_REAR + i] = m->value[HEIGHT] - m->value[LEG];
    x0[TROT_REAR + FEET + i] = -m->value[SPEED];
  }
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  initial_state(m, x0);
  x0[TROT_THETA] += 0.2 * (gsl_rng_uniform(rng) - 0.5);
}

static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)sign;
  return limbs_of(m)->changes_field(guard);
}

/* forces on the body, where the first foot's state is moved by u and the second one's by v */
static void body_forces(const trot_parameters *p, const double x[], int i, double u, int j,
                        double v, double force[2]) {
  double at[STATES], f;
  memcpy(at, x, sizeof at);
  at[i] += u;
  at[j] += v;
  force[0] = force[1] = 0.0;
  for (int foot = 0; foot < FEET; foot++) {
    f = trot_soft_force(p, at, foot);
    force[0] += f;
    force[1] += trot_side[foot] * p->half_length * cos(x[TROT_THETA]) * f;
  }
}

/* by differences over lengths at which what is affine cancels to rounding */
static double additivity(const trot_parameters *p, const double x[]) {
  static const double step = 0.25;
  double mixed = 0.0, single = 0.0;
  for (int i = TROT_REAR; i < STATES; i += FEET)
    for (int j = TROT_FRONT; j < STATES; j += FEET) {
      double none[2], first[2], second[2], both[2];
      body_forces(p, x, i, 0.0, j, 0.0, none);
      body_forces(p, x, i, step, j, 0.0, first);
      body_forces(p, x, i, 0.0, j, step, second);
      body_forces(p, x, i, step, j, step, both);
      for (int k = 0; k < 2; k++) {
        mixed = fmax(mixed, fabs(both[k] - first[k] - second[k] + none[k]));
        single = fmax(single, fabs(first[k] - none[k]));
      }
    }
  return mixed / single;
}

/* how much a limb's force changes with a state of the other one, over how much with its own */
static double foreign(const trot_parameters *p, const double x[]) {
  static const double step = 0.25;
  double own = 0.0, other = 0.0;
  for (int i = TROT_REAR; i < STATES; i++) {
    double moved[STATES];
    memcpy(moved, x, sizeof moved);
    moved[i] += step;
    for (int foot = 0; foot < FEET; foot++) {
      double *const largest = (i - TROT_REAR) % FEET == foot ? &own : &other;
      *largest =
          fmax(*largest, fabs(trot_soft_force(p, moved, foot) - trot_soft_force(p, x, foot)));
    }
  }
  return other / own;
}

trot_decoupling trot_decoupling_at(const model *m, const double x[]) {
  const trot_parameters *const p = m->data;
  if (limbs_of(m) != &trot_rigid)
    // Da of a foot is that of its own height, and M is diagonal
    return (trot_decoupling){0.0, true, foreign(p, x), additivity(p, x)};
  const double arm = p->half_length * cos(x[TROT_THETA]), turn = arm * arm / p->inertia;
  return (trot_decoupling){(1.0 / p->mass - turn) / (1.0 / p->mass + turn), false, NAN, NAN};
}

/* Whether a foot starts below the ground, where it would count as standing. A rigid one cannot
 * start to land on it either: it stands there without a speed. */
static bool is_below(const model *m, double lands) {
  const bool rigid = limbs_of(m) == &trot_rigid;
  return m->value[HEIGHT] < lands || (rigid && m->value[SPEED] > 0.0 && m->value[HEIGHT] == lands);
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  const double turned = limbs_of(m) == &trot_rigid ? fabs(sin(m->value[TILT])) : 0.0;
  const double lands = m->value[LEG] + m->value[HALF_LENGTH] * turned;
  if (is_below(m, lands)) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "trot: height %.9g is not accepted; it is above %.9g m, where a foot lands",
             m->value[HEIGHT], lands);
    return MODEL_REFUSED;
  }
  trot_parameters *const p = malloc(sizeof *p);
  if (!p) {
    snprintf(message, MODEL_MESSAGE_SIZE, "trot: out of memory");
    return -1;
  }
  *p = (trot_parameters){.mass = m->value[MASS],
                         .inertia = m->value[INERTIA],
                         .half_length = m->value[HALF_LENGTH],
                         .leg = m->value[LEG],
                         .gravity = m->value[GRAVITY],
                         .foot_mass = m->value[FOOT_MASS],
                         .stiffness = m->value[STIFFNESS],
                         .damping = m->value[DAMPING],
                         .coupling = m->value[COUPLING],
                         .drive = m->value[DRIVE]};
  m->data = p;
  m->system = limbs_of(m)->system;
  m->system.params = p;
  return 0;
}

static void release(model *m) {
  free(m->data);
}

const model_type trot_type = {
    .name = "trot",
    .summary = "a body landing on two feet, rigid or soft (Pace & Burden 2017, Fig. 1)",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = STATES,
    .state_names = state_names,
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = jumps_reference,
    .changes_field = changes_field,
};
