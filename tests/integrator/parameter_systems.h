/*
 * Systems with parameters, and their runs: through crossings one by one and many together, impacts,
 * slides, event functions that move, to a section, and backward.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef PARAMETER_SYSTEMS_H
#define PARAMETER_SYSTEMS_H

#include "ess_tangents.h"
#include "toy.h"

enum { STATES = 4, GUARDS = 100, MOST = 6 };

static int known_calls; /* of derivatives by parameters */

/* ---- systems: `params` is the parameters' values ----------------------------------------------
 */

/* two oscillators under forces that switch where positions pass walls: stiffness, damping, force,
 * and by what walls are moved, the second and third by more */
static inline int forced(double t, const double x[], const double sign[], double f[],
                         void *params) {
  const double *const p = params;
  for (int i = 0; i < 2; i++) {
    f[2 * i] = x[2 * i + 1];
    f[2 * i + 1] = -p[0] * x[2 * i] - p[1] * x[2 * i + 1] + 0.2 * cos(t + i);
  }
  for (int k = 0; k < 3; k++) f[2 * (k % 2) + 1] += p[2] * (k + 1) * sign[k];
  return 0;
}

static inline int forced_by(double t, const double x[], const double sign[], double Fp[],
                            void *params) {
  memset(Fp, 0, 16 * sizeof *Fp);
  for (int i = 0; i < 2; i++) {
    Fp[(2 * i + 1) * 4] = -x[2 * i];
    Fp[(2 * i + 1) * 4 + 1] = -x[2 * i + 1];
  }
  for (int k = 0; k < 3; k++) Fp[(2 * (k % 2) + 1) * 4 + 2] += (k + 1) * sign[k];
  known_calls++;
  return 0;
}

static inline int walls(double t, const double x[], double h[], void *params) {
  const double *const p = params;
  for (int k = 0; k < 3; k++) h[k] = x[2 * (k % 2)] - 0.3 + 0.4 * k - (k + 1) * p[3];
  return 0;
}

static inline int walls_by(double t, const double x[], double hp[], void *params) {
  memset(hp, 0, 12 * sizeof *hp);
  for (int k = 0; k < 3; k++) hp[k * 4 + 3] = -(k + 1);
  known_calls++;
  return 0;
}

/* walls that swing: also how fast */
static inline int swinging(double t, const double x[], double h[], void *params) {
  const double *const p = params;
  for (int k = 0; k < 3; k++)
    h[k] = x[2 * (k % 2)] - 0.3 + 0.4 * k - (k + 1) * p[3] - 0.1 * sin(p[4] * t + k);
  return 0;
}

/* a mass that falls on many springs: stiffness, gravity, and how far apart they end */
static inline int layered(double t, const double x[], const double sign[], double f[],
                          void *params) {
  const double *const p = params;
  double push = 0.0;
  for (int k = 0; k < GUARDS; k++) push += sign[k] > 0.0 ? p[0] * (p[2] * k - x[0]) : 0.0;
  f[0] = x[1];
  f[1] = push - p[1];
  return 0;
}

static inline int layered_jacobian(double t, const double x[], const double sign[], double J[],
                                   void *params) {
  J[0] = J[2] = J[3] = 0.0;
  J[1] = 1.0;
  for (int k = 0; k < GUARDS; k++) J[2] -= sign[k] > 0.0 ? ((const double *)params)[0] : 0.0;
  return 0;
}

static inline int layers(double t, const double x[], double h[], void *params) {
  const double *const p = params;
  for (int k = 0; k < GUARDS; k++) h[k] = p[2] * k - x[0];
  return 0;
}

/* a ball on a floor: gravity, restitution, and where the floor is */
static inline int falls(double t, const double x[], const double sign[], double f[], void *params) {
  f[0] = x[1];
  f[1] = -((const double *)params)[0];
  return 0;
}

static inline int falls_by(double t, const double x[], const double sign[], double Fp[],
                           void *params) {
  memset(Fp, 0, 6 * sizeof *Fp);
  Fp[3] = -1.0;
  known_calls++;
  return 0;
}

static inline int ground(double t, const double x[], double h[], void *params) {
  h[0] = x[0] - ((const double *)params)[2];
  return 0;
}

static inline int ground_by(double t, const double x[], double hp[], void *params) {
  hp[0] = hp[1] = 0.0;
  hp[2] = -1.0;
  known_calls++;
  return 0;
}

static inline int bounce(ess_impact *impact, void *params) {
  impact->after[1] *= -((const double *)params)[1];
  return toy_stays_above(impact, 0);
}

static inline int bounce_by(const ess_impact *impact, double Rp[], void *params) {
  memset(Rp, 0, 6 * sizeof *Rp);
  Rp[4] = -impact->x[1];
  known_calls++;
  return 0;
}

static const ess_impacts BOUNCES = {.map = bounce};
static const ess_impacts KNOWN_BOUNCES = {.map = bounce, .parameter_jacobian = bounce_by};

/* a block on a belt: stiffness, friction, speed of the belt */
static inline int dragged(double t, const double x[], const double sign[], double f[],
                          void *params) {
  const double *const p = params;
  f[0] = x[1];
  f[1] = -p[0] * x[0] - p[1] * sign[0] * (1.0 + 0.1 * x[1]) + 0.1 * sin(t);
  return 0;
}

static inline int slips(double t, const double x[], double h[], void *params) {
  h[0] = x[1] - ((const double *)params)[2];
  return 0;
}

/* a state that is drawn to another at once, and a switch: how fast, to where, and the switch */
static inline int drawn(double t, const double x[], const double sign[], double f[], void *params) {
  const double *const p = params;
  f[0] = -p[0] * (x[0] - p[1] * x[1]);
  f[1] = cos(t) + (sign[0] > 0.0 ? p[2] : 0.0);
  return 0;
}

static inline int drawn_jacobian(double t, const double x[], const double sign[], double J[],
                                 void *params) {
  const double *const p = params;
  J[0] = -p[0];
  J[1] = p[0] * p[1];
  J[2] = J[3] = 0.0;
  return 0;
}

static inline int drawn_by(double t, const double x[], const double sign[], double Fp[],
                           void *params) {
  const double *const p = params;
  memset(Fp, 0, 6 * sizeof *Fp);
  Fp[0] = -(x[0] - p[1] * x[1]);
  Fp[1] = p[0] * x[1];
  Fp[5] = sign[0] > 0.0 ? 1.0 : 0.0;
  known_calls++;
  return 0;
}

static inline int half_way(double t, const double x[], double h[], void *params) {
  h[0] = x[0] - 0.5;
  return 0;
}

static inline int half_way_by(double t, const double x[], double hp[], void *params) {
  memset(hp, 0, 3 * sizeof *hp);
  return 0;
}

static inline int sum_of_places(double t, const double x[], double g[], void *params) {
  g[0] = x[0] + 0.5 * x[1] - ((const double *)params)[3] - 0.1;
  return 0;
}

static inline int forced_jacobian(double t, const double x[], const double sign[], double J[],
                                  void *params) {
  const double *const p = params;
  memset(J, 0, 16 * sizeof *J);
  for (int i = 0; i < 2; i++) {
    J[2 * i * 4 + 2 * i + 1] = 1.0;
    J[(2 * i + 1) * 4 + 2 * i] = -p[0];
    J[(2 * i + 1) * 4 + 2 * i + 1] = -p[1];
  }
  return 0;
}

static inline int falls_jacobian(double t, const double x[], const double sign[], double J[],
                                 void *params) {
  J[0] = J[2] = J[3] = 0.0;
  J[1] = 1.0;
  return 0;
}

typedef struct kind {
  const char *name;
  size_t n, m, p;
  int (*field)(double, const double[], const double[], double[], void *);
  int (*guards)(double, const double[], double[], void *);
  int (*field_by)(double, const double[], const double[], double[], void *);
  int (*guards_by)(double, const double[], double[], void *);
  int (*jacobian)(double, const double[], const double[], double[], void *);
  const ess_impacts *impacts;
  bool slides, moves, watches;
  double start[STATES], value[MOST], until;
} kind;

/* the fifth value is of walls that swing alone */
#define FORCED                                                                                     \
  .n = 4, .m = 3, .field = forced, .start = {1.0, 0.0, -0.7, 0.4},                                 \
  .value = {2.0, 0.1, 0.2, 0.05, 1.7}
#define FORCED_KNOWN                                                                               \
  FORCED, .p = 4, .guards = walls, .field_by = forced_by, .guards_by = walls_by,                   \
          .jacobian = forced_jacobian
#define LAYERED                                                                                    \
  .n = 2, .m = GUARDS, .p = 3, .field = layered, .guards = layers, .start = {0.7},                 \
  .value = {0.3, 2.0, 5e-3}, .until = 2.0
#define BALL                                                                                       \
  .n = 2, .m = 1, .p = 3, .field = falls, .guards = ground, .start = {1.0},                        \
  .value = {9.81, 0.8, 0.1}, .until = 1.7

static const kind KINDS[] = {
    {"forces", FORCED, .p = 4, .guards = walls, .until = 6.0},
    {"forces, derivatives given", FORCED_KNOWN, .until = 6.0},
    {"forces, backward", FORCED_KNOWN, .until = -4.0},
    {"swinging walls", FORCED, .p = 5, .guards = swinging, .moves = true, .until = 5.0},
    {"to a section", FORCED_KNOWN, .watches = true, .until = 50.0},
    {"layers", LAYERED},
    {"layers, Jacobian given", LAYERED, .jacobian = layered_jacobian},
    {"ball", BALL, .impacts = &BOUNCES},
    {"ball, derivatives given", BALL, .field_by = falls_by, .guards_by = ground_by,
     .jacobian = falls_jacobian, .impacts = &KNOWN_BOUNCES},
    {"belt", .n = 2, .m = 1, .p = 3, .field = dragged, .guards = slips, .slides = true,
     .start = {0.3, 0.1}, .value = {1.0, 0.6, 0.3}, .until = 9.0},
    {"drawn at once", .n = 2, .m = 1, .p = 3, .field = drawn, .guards = half_way,
     .field_by = drawn_by, .guards_by = half_way_by, .jacobian = drawn_jacobian, .start = {0.2},
     .value = {400.0, 1.1, -0.1}, .until = 10.0},
};

/* steps before a crossing err by less where directions are followed */
static inline bool is_stiff(const kind *k) {
  return k->value[0] > 100.0;
}

static const int UPWARD[] = {1};
static const uint64_t SECOND[] = {2};

static inline ess_system system_of(const kind *k, double values[]) {
  return (ess_system){
      .dimension = k->n,
      .guard_count = k->m,
      .field = k->field,
      .guards = k->guards,
      .guards_move = k->moves,
      .field_jacobian = k->jacobian,
      .impacts = k->impacts,
      .parameters = k->p,
      .parameter_values = values,
      .field_parameter_jacobian = k->field_by,
      .guard_parameter_jacobian = k->guards_by,
      .watch = {.count = k->watches, .values = sum_of_places, .direction = UPWARD, .stop = SECOND},
      .params = values};
}

typedef struct outcome {
  double t, x[STATES], Dt[STATES + MOST], D[STATES * (STATES + MOST)];
  ess_counters counters;
} outcome;

static const double TOLERANCE = 1e-12;

static inline outcome run(const kind *k, const double start[], const double value[],
                          double tolerance, bool follows) {
  double values[MOST];
  memcpy(values, value, sizeof values);
  const ess_system system = system_of(k, values);
  ess_options options = toy_options(tolerance);
  if (k->slides) options.sliding = ESS_SLIDING_FILIPPOV;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  outcome o = {0};
  memcpy(o.x, start, sizeof o.x);
  const size_t all = k->n + k->p;
  if (follows) assert_int_equal(ess_driver_follow_parameters(d, all, NULL, NULL), ESS_SUCCESS);
  const int status = ess_driver_apply(d, &o.t, k->until, o.x);
  if (status != (k->watches ? ESS_ESTOP : ESS_SUCCESS))
    fail_msg("%s: %s", k->name, ess_strerror(status));
  if (follows && k->watches)
    assert_int_equal(ess_driver_section(d, k->m, o.Dt, o.D), ESS_SUCCESS);
  else if (follows)
    memcpy(o.D, ess_driver_tangent(d), k->n * all * sizeof *o.D);
  o.counters = *ess_driver_counters(d);
  // put back to the last bit
  assert_memory_equal(values, value, sizeof values);
  ess_driver_free(d);
  return o;
}

#endif
