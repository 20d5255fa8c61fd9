/*
 * A body on two soft limbs: each foot is a mass of its own, hung from the body by a spring and a
 * damper. It lands plastically, and stays while it presses the ground.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "trot.h"
#include "trot_internal.h"

/* the state: z, theta, y of the feet, and their rates in the order of trot.h */
enum { Z = TROT_Z, THETA = TROT_THETA, VZ = TROT_VZ, OMEGA = TROT_OMEGA, Y = TROT_REAR };
enum { VY = Y + FEET, N = VY + FEET };

/*
 * Event functions of a foot. It stands while `LANDS` is positive; that it may land again is known
 * once it comes down, so that leaving the ground, at rest and without force, is no landing.
 */
enum { LANDS, LEAVES, FALLS, EVENTS };
#define EVENT(foot, which) ((size_t)(EVENTS * (foot) + (which)))

static bool stands(const double sign[], int foot) {
  return sign[EVENT(foot, LANDS)] > 0.0;
}

/* rate of a leg's length */
static double stretching(const trot_parameters *p, const double x[], int foot) {
  return x[VZ] + trot_side[foot] * p->half_length * cos(x[THETA]) * x[OMEGA] - x[VY + foot];
}

double trot_soft_force(const trot_parameters *p, const double x[], int foot) {
  const double length = x[Z] + trot_side[foot] * p->half_length * sin(x[THETA]) - x[Y + foot];
  const double both = stretching(p, x, REAR) + stretching(p, x, FRONT);
  return p->stiffness * (p->leg - length) - p->damping * stretching(p, x, foot) -
         p->coupling * both * fabs(both);
}

/* the same of one that stands: the drive pushes along */
static double force_of(const trot_parameters *p, const double x[], int foot, bool is_standing) {
  const double both = stretching(p, x, REAR) + stretching(p, x, FRONT);
  return trot_soft_force(p, x, foot) + (is_standing ? p->drive * both : 0.0);
}

/* its gradient, turned round; the turns of both legs cancel in `both` */
static void gradient_of(const trot_parameters *p, const double x[], int foot, bool is_standing,
                        double row[N]) {
  const double d = p->half_length, s = sin(x[THETA]), c = cos(x[THETA]), side = trot_side[foot];
  const double both = stretching(p, x, REAR) + stretching(p, x, FRONT);
  const double by_both = 2.0 * p->coupling * fabs(both) - (is_standing ? p->drive : 0.0);
  memset(row, 0, N * sizeof *row);
  row[Z] = p->stiffness;
  row[THETA] = side * d * (p->stiffness * c - p->damping * s * x[OMEGA]);
  row[Y + foot] = -p->stiffness;
  row[VZ] = p->damping + 2.0 * by_both;
  row[OMEGA] = side * p->damping * d * c;
  for (int k = 0; k < FEET; k++) row[VY + k] = -by_both - (k == foot ? p->damping : 0.0);
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  const trot_parameters *const p = params;
  double force = 0.0, torque = 0.0;
  for (int i = 0; i < FEET; i++) {
    const double f = force_of(p, x, i, stands(sign, i));
    force += f;
    torque += trot_side[i] * p->half_length * cos(x[THETA]) * f;
    dxdt[Y + i] = stands(sign, i) ? 0.0 : x[VY + i];
    dxdt[VY + i] = stands(sign, i) ? 0.0 : -f / p->foot_mass - p->gravity;
  }
  dxdt[Z] = x[VZ];
  dxdt[THETA] = x[OMEGA];
  dxdt[VZ] = force / p->mass - p->gravity;
  dxdt[OMEGA] = torque / p->inertia;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  const trot_parameters *const p = params;
  for (int i = 0; i < FEET; i++) {
    h[EVENT(i, LANDS)] = -x[Y + i];
    h[EVENT(i, LEAVES)] = -force_of(p, x, i, true) - p->foot_mass * p->gravity;
    h[EVENT(i, FALLS)] = -x[VY + i];
  }
  if (p->drive > 0.0) h[TROT_APEX] = -x[VZ];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  const trot_parameters *const p = params;
  const size_t events = p->drive > 0.0 ? TROT_APEX + 1 : FEET * EVENTS;
  memset(Dh, 0, events * N * sizeof *Dh);
  for (int i = 0; i < FEET; i++) {
    Dh[EVENT(i, LANDS) * N + Y + (size_t)i] = -1.0;
    Dh[EVENT(i, FALLS) * N + VY + (size_t)i] = -1.0;
    gradient_of(p, x, i, true, &Dh[EVENT(i, LEAVES) * N]);
  }
  if (p->drive > 0.0) Dh[TROT_APEX * N + VZ] = -1.0;
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  (void)t;
  const trot_parameters *const p = params;
  memset(J, 0, N * N * sizeof *J);
  J[Z * N + VZ] = J[THETA * N + OMEGA] = 1.0;
  for (int i = 0; i < FEET; i++) {
    const double arm = trot_side[i] * p->half_length / p->inertia;
    double row[N];
    gradient_of(p, x, i, stands(sign, i), row);
    J[OMEGA * N + THETA] -= arm * sin(x[THETA]) * force_of(p, x, i, stands(sign, i));
    for (int k = 0; k < N; k++) {
      J[VZ * N + k] -= row[k] / p->mass;
      J[OMEGA * N + k] -= arm * cos(x[THETA]) * row[k];
      if (!stands(sign, i)) J[(VY + i) * N + k] = row[k] / p->foot_mass;
    }
    if (!stands(sign, i)) J[(Y + i) * N + VY + i] = 1.0;
  }
  return 0;
}

static void arm_only(double mode[], bool armed[], int foot, int which) {
  for (int k = LANDS; k < EVENTS; k++)
    armed[ESS_GUARD_UP(EVENT(foot, k))] = armed[ESS_GUARD_DOWN(EVENT(foot, k))] = false;
  armed[ESS_GUARD_UP(EVENT(foot, which))] = true;
  mode[EVENT(foot, which)] = -1.0;
}

/* A foot that lands stops; a foot whose force has vanished hangs in the air. A foot that is pulled
 * up while it lands, as a bag of beans by a ceiling, does not stay. */
static int change(ess_impact *impact, void *params) {
  const trot_parameters *const p = params;
  double *const x = impact->after;
  bool changed[FEET] = {false, false};
  for (size_t i = 0; i < impact->count; i++) {
    const int foot = (int)impact->events[i] / EVENTS, which = (int)impact->events[i] % EVENTS;
    changed[foot] = true;
    if (which == LANDS) x[Y + foot] = x[VY + foot] = 0.0;
    if (which == LEAVES) impact->mode[EVENT(foot, LANDS)] = -1.0;
  }
  for (int i = 0; i < FEET; i++) {
    if (!changed[i]) continue;
    if (stands(impact->mode, i) && force_of(p, x, i, true) + p->foot_mass * p->gravity < 0.0)
      impact->mode[EVENT(i, LANDS)] = -1.0;
    arm_only(impact->mode, impact->armed, i, stands(impact->mode, i) ? LEAVES : FALLS);
  }
  return 0;
}

static int change_jacobian(const ess_impact *impact, double DR[], void *params) {
  (void)params;
  memset(DR, 0, N * N * sizeof *DR);
  for (size_t i = 0; i < N; i++) DR[i * N + i] = 1.0;
  for (size_t i = 0; i < impact->count; i++) {
    const size_t foot = impact->events[i] / EVENTS;
    if (impact->events[i] % EVENTS == LANDS)
      DR[(Y + foot) * N + Y + foot] = DR[(VY + foot) * N + VY + foot] = 0.0;
  }
  return 0;
}

static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)x, (void)params;
  for (int i = 0; i < FEET; i++) arm_only(sign, armed, i, stands(sign, i) ? LEAVES : LANDS);
  return 0;
}

/* each foot's: landing and leaving are impacts; falling arms landing, and has no effect else */
#define FOOT                                                                                       \
  ESS_GUARD_IMPACT, ESS_GUARD_CHANGES_FIELD, ESS_GUARD_IMPACT, ESS_GUARD_CHANGES_FIELD,            \
      ESS_GUARD_ARMS_ONLY, ESS_GUARD_CHANGES_FIELD
static const ess_guard_kind kinds[2 * (TROT_APEX + 1)] = {FOOT, FOOT};
static const size_t row_start[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2};
static const size_t driven_row_start[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 4};
static const size_t row_guard[] = {ESS_GUARD_UP(LANDS), ESS_GUARD_UP(EVENTS + LANDS),
                                   ESS_GUARD_DOWN(TROT_APEX), ESS_GUARD_UP(TROT_APEX)};
static const signed char row_effect[] = {1, 1, 1, 1};

static const ess_impacts impacts = {.map = change, .jacobian = change_jacobian};
static const ess_reset_matrix resets = {
    .row_start = row_start, .guard = row_guard, .effect = row_effect};

static const ess_reset_matrix driven_resets = {
    .row_start = driven_row_start, .guard = row_guard, .effect = row_effect};

static bool changes_field(size_t guard) {
  return guard < TROT_APEX && guard % EVENTS != FALLS;
}

const trot_limbs trot_soft = {
    .system = {.dimension = N,
               .event_count = FEET * EVENTS,
               .field = field,
               .event_functions = event_functions,
               .event_jacobian = event_jacobian,
               .kinds = kinds,
               .resets = &resets,
               .impacts = &impacts,
               .start = start,
               .field_jacobian = field_jacobian},
    .changes_field = changes_field,
};

const trot_limbs trot_driven = {
    .system = {.dimension = N,
               .event_count = TROT_APEX + 1,
               .field = field,
               .event_functions = event_functions,
               .event_jacobian = event_jacobian,
               .kinds = kinds,
               .resets = &driven_resets,
               .impacts = &impacts,
               .start = start,
               .field_jacobian = field_jacobian},
    .changes_field = changes_field,
};
