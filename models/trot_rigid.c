/*
 * A body on two rigid limbs without mass: feet at its ends, which land plastically. Which of them
 * stay at an impact is a complementarity problem: those that stay are pushed, the others leave.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "trot.h"
#include "trot_internal.h"

enum { Z = TROT_Z, THETA = TROT_THETA, VZ = TROT_VZ, OMEGA = TROT_OMEGA, N };

/*
 * Event functions. A foot stands while its `LANDS` is positive. The ground's force on it depends on
 * whether it stands alone; that it may land again is known once it comes down, so that leaving the
 * ground at rest and without force is no landing.
 */
enum { LANDS = 0, LEAVES_ALONE = 2, LEAVES_BOTH = 4, FALLS = 6, EVENTS = 8 };

static bool stands(const double sign[], int foot) {
  return sign[LANDS + foot] > 0.0;
}

/* arm of a foot about the body's centre, along the ground: da/dtheta */
static double arm_of(const trot_parameters *p, const double x[], int foot) {
  return trot_side[foot] * p->half_length * cos(x[THETA]);
}

/* Da_i M^-1 Da_j' */
static double compliance(const trot_parameters *p, const double x[], int i, int j) {
  return 1.0 / p->mass + arm_of(p, x, i) * arm_of(p, x, j) / p->inertia;
}

/* how fast a foot that nothing holds accelerates into the ground */
static double falling(const trot_parameters *p, const double x[], int foot) {
  return p->gravity + trot_side[foot] * p->half_length * sin(x[THETA]) * x[OMEGA] * x[OMEGA];
}

/* forces that give the feet of a set the accelerations -b; 0 for the others */
static void hold(const trot_parameters *p, const double x[], const bool held[FEET],
                 const double b[FEET], double force[FEET]) {
  const double rr = compliance(p, x, REAR, REAR), ff = compliance(p, x, FRONT, FRONT);
  const double rf = compliance(p, x, REAR, FRONT), determinant = rr * ff - rf * rf;
  force[REAR] = force[FRONT] = 0.0;
  if (held[REAR] && held[FRONT]) {
    force[REAR] = (ff * b[REAR] - rf * b[FRONT]) / determinant;
    force[FRONT] = (rr * b[FRONT] - rf * b[REAR]) / determinant;
  } else if (held[REAR]) {
    force[REAR] = b[REAR] / rr;
  } else if (held[FRONT]) {
    force[FRONT] = b[FRONT] / ff;
  }
}

static void ground_forces(const trot_parameters *p, const double x[], bool rear, bool front,
                          double force[FEET]) {
  const double b[FEET] = {falling(p, x, REAR), falling(p, x, FRONT)};
  hold(p, x, (const bool[FEET]){rear, front}, b, force);
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  const trot_parameters *const p = params;
  double force[FEET];
  ground_forces(p, x, stands(sign, REAR), stands(sign, FRONT), force);
  dxdt[Z] = x[VZ];
  dxdt[THETA] = x[OMEGA];
  dxdt[VZ] = (force[REAR] + force[FRONT]) / p->mass - p->gravity;
  dxdt[OMEGA] =
      (arm_of(p, x, REAR) * force[REAR] + arm_of(p, x, FRONT) * force[FRONT]) / p->inertia;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  const trot_parameters *const p = params;
  double both[FEET], alone[FEET], other[FEET];
  ground_forces(p, x, true, true, both);
  ground_forces(p, x, true, false, alone);
  ground_forces(p, x, false, true, other);
  alone[FRONT] = other[FRONT];
  for (int i = 0; i < FEET; i++) {
    h[LANDS + i] = p->leg - x[Z] - trot_side[i] * p->half_length * sin(x[THETA]);
    h[LEAVES_ALONE + i] = -alone[i];
    h[LEAVES_BOTH + i] = -both[i];
    h[FALLS + i] = -x[VZ] - arm_of(p, x, i) * x[OMEGA];
  }
  return 0;
}

/* The forces' gradients, by (theta, omega). With a = d sin, A = d cos, e = 1/m + A^2/I, f = 1/m -
 * A^2/I and u = a omega^2: alone (g + side u)/e; both, since e + f = 2/m and e - f = 2 A^2/I, g m/2
 * + side u I/(2 A^2). */
static void force_gradients(const trot_parameters *p, const double x[], int foot, double alone[2],
                            double both[2]) {
  const double side = trot_side[foot], d = p->half_length;
  const double a = d * sin(x[THETA]), A = d * cos(x[THETA]), w = x[OMEGA];
  const double e = compliance(p, x, foot, foot), b = falling(p, x, foot);
  alone[0] = side * A * w * w / e + b / (e * e) * 2.0 * A * a / p->inertia;
  alone[1] = 2.0 * side * a * w / e;
  both[0] = 0.5 * side * p->inertia * w * w * (1.0 / A + 2.0 * a * a / (A * A * A));
  both[1] = side * p->inertia * a * w / (A * A);
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  const trot_parameters *const p = params;
  memset(Dh, 0, EVENTS * N * sizeof *Dh);
  for (int i = 0; i < FEET; i++) {
    const double a = trot_side[i] * p->half_length * sin(x[THETA]), A = arm_of(p, x, i);
    double alone[2], both[2];
    force_gradients(p, x, i, alone, both);
    double *const lands = &Dh[(LANDS + i) * N], *const falls = &Dh[(FALLS + i) * N];
    lands[Z] = -1.0;
    lands[THETA] = -A;
    falls[THETA] = a * x[OMEGA];
    falls[VZ] = -1.0;
    falls[OMEGA] = -A;
    Dh[(LEAVES_ALONE + i) * N + THETA] = -alone[0];
    Dh[(LEAVES_ALONE + i) * N + OMEGA] = -alone[1];
    Dh[(LEAVES_BOTH + i) * N + THETA] = -both[0];
    Dh[(LEAVES_BOTH + i) * N + OMEGA] = -both[1];
  }
  return 0;
}

/* what is armed in a mode; `released` feet have just left, at rest where force left them */
static void arm(double sign[], bool armed[], const bool standing[FEET], const bool at_rest[FEET]) {
  memset(armed, 0, 2 * EVENTS * sizeof *armed);
  for (int i = 0; i < FEET; i++) {
    const int awaited = standing[i]  ? (standing[1 - i] ? LEAVES_BOTH : LEAVES_ALONE)
                        : at_rest[i] ? FALLS
                                     : LANDS;
    sign[LANDS + i] = standing[i] ? 1.0 : -1.0;
    sign[awaited + i] = -1.0;
    armed[ESS_GUARD_UP(awaited + i)] = true;
  }
}

/* the impact of a set of feet: false where one of them would be pulled, or another one pass through
 * the ground; what a run strays from the ground must not decide which */
static bool impact(const trot_parameters *p, const double x[], const bool touching[FEET],
                   const bool held[FEET], double after[N]) {
  const double astray = 1e-7;
  double speed[FEET], impulse[FEET];
  for (int i = 0; i < FEET; i++) speed[i] = -x[VZ] - arm_of(p, x, i) * x[OMEGA];
  hold(p, x, held, speed, impulse);
  memcpy(after, x, N * sizeof *x);
  for (int i = 0; i < FEET; i++) {
    after[VZ] += impulse[i] / p->mass;
    after[OMEGA] += arm_of(p, x, i) * impulse[i] / p->inertia;
  }
  const double scale = astray * (fabs(speed[REAR]) + fabs(speed[FRONT]));
  for (int i = 0; i < FEET; i++) {
    const double leaving = after[VZ] + arm_of(p, x, i) * after[OMEGA];
    if (held[i] ? impulse[i] < -scale * p->mass : touching[i] && leaving < -scale) return false;
  }
  return true;
}

/* of the sets of touching feet the one whose impulses push, and that leaves no other foot moving
 * into the ground; where that would allow two, the larger */
static void land(const trot_parameters *p, double x[], const bool touching[FEET],
                 bool standing[FEET]) {
  for (int set = 3; set >= 0; set--) {
    const bool held[FEET] = {set & 1, set & 2};
    double after[N];
    if ((held[REAR] && !touching[REAR]) || (held[FRONT] && !touching[FRONT])) continue;
    if (!impact(p, x, touching, held, after)) continue;
    memcpy(x, after, sizeof after);
    memcpy(standing, held, sizeof held);
    return;
  }
}

static int change(ess_impact *impact, void *params) {
  const trot_parameters *const p = params;
  bool lands = false, at_rest[FEET], standing[FEET], touching[FEET];
  for (int i = 0; i < FEET; i++) {
    at_rest[i] = impact->mode[FALLS + i] < 0.0 && impact->armed[ESS_GUARD_UP(FALLS + i)];
    touching[i] = standing[i] = stands(impact->mode, i);
  }
  for (size_t i = 0; i < impact->count; i++) {
    const int event = (int)impact->events[i], foot = event % FEET;
    lands = lands || event < LEAVES_ALONE;
    if (event >= LEAVES_ALONE && event < FALLS) {
      standing[foot] = touching[foot] = false;
      at_rest[foot] = true;
    }
  }
  if (lands) land(p, impact->after, touching, standing);
  arm(impact->mode, impact->armed, standing, at_rest);
  return 0;
}

static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)x, (void)params;
  const bool standing[FEET] = {stands(sign, REAR), stands(sign, FRONT)};
  arm(sign, armed, standing, (const bool[FEET]){false, false});
  return 0;
}

/* landing and leaving are impacts; falling arms landing, and has no effect else */
#define PAIR(kind) kind, ESS_GUARD_CHANGES_FIELD, kind, ESS_GUARD_CHANGES_FIELD
static const ess_guard_kind kinds[] = {PAIR(ESS_GUARD_IMPACT), PAIR(ESS_GUARD_IMPACT),
                                       PAIR(ESS_GUARD_IMPACT), PAIR(ESS_GUARD_ARMS_ONLY)};
static const size_t row_start[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2};
static const size_t row_guard[] = {ESS_GUARD_UP(LANDS + REAR), ESS_GUARD_UP(LANDS + FRONT)};
static const signed char row_effect[] = {1, 1};

static const ess_impacts impacts = {.map = change};
static const ess_reset_matrix resets = {
    .row_start = row_start, .guard = row_guard, .effect = row_effect};

static bool changes_field(size_t guard) {
  return guard < FALLS;
}

const trot_limbs trot_rigid = {
    .system = {.dimension = N,
               .event_count = EVENTS,
               .field = field,
               .event_functions = event_functions,
               .event_jacobian = event_jacobian,
               .kinds = kinds,
               .resets = &resets,
               .impacts = &impacts,
               .start = start},
    .changes_field = changes_field,
};
