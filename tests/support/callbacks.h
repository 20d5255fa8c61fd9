/*
 * The callbacks of small systems, by what they are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CALLBACKS_H
#define CALLBACKS_H

#include <stdlib.h>
#include <string.h>

#include "ess.h"

/* FIELD(name) { ... } is one that cannot fail, and FIELD_CODE(name) { ... return code; } says
 * whether it has; so are the others. */
#define TOY_CALLBACK(name, parameters, arguments)                                                  \
  static void name##_does parameters;                                                              \
  static int name parameters {                                                                     \
    name##_does arguments;                                                                         \
    return 0;                                                                                      \
  }                                                                                                \
  static void name##_does parameters

#define FIELD_OF         (double t, const double x[], const double sign[], double dxdt[], void *params)
#define FIELD(name)      TOY_CALLBACK(name, FIELD_OF, (t, x, sign, dxdt, params))
#define FIELD_CODE(name) static int name FIELD_OF

#define FIELD_JACOBIAN_OF                                                                          \
  (double t, const double x[], const double sign[], double J[], void *params)
#define FIELD_JACOBIAN(name) TOY_CALLBACK(name, FIELD_JACOBIAN_OF, (t, x, sign, J, params))

#define GUARDS_OF         (double t, const double x[], double h[], void *params)
#define GUARDS(name)      TOY_CALLBACK(name, GUARDS_OF, (t, x, h, params))
#define GUARDS_CODE(name) static int name GUARDS_OF

#define GUARD_JACOBIAN_OF    (double t, const double x[], double Dh[], void *params)
#define GUARD_JACOBIAN(name) TOY_CALLBACK(name, GUARD_JACOBIAN_OF, (t, x, Dh, params))

#define EVENT_RATES_OF                                                                             \
  (double t, const double x[], double vt, const double v[], const size_t which[], size_t count,    \
   double h[], double rate[], void *params)
#define EVENT_RATES(name)                                                                          \
  TOY_CALLBACK(name, EVENT_RATES_OF, (t, x, vt, v, which, count, h, rate, params))

#define IMPACT_MAP_OF    (ess_impact * impact, void *params)
#define IMPACT_MAP(name) TOY_CALLBACK(name, IMPACT_MAP_OF, (impact, params))

#define ON_STEP_OF         (const ess_step_info *info, void *context)
#define ON_STEP_CODE(name) static int name ON_STEP_OF

#define ON_CROSSING_OF         (const ess_crossing_info *info, void *context)
#define ON_CROSSING(name)      TOY_CALLBACK(name, ON_CROSSING_OF, (info, context))
#define ON_CROSSING_CODE(name) static int name ON_CROSSING_OF

#define ON_SLIDE_OF         (const ess_slide_info *info, void *context)
#define ON_SLIDE_CODE(name) static int name ON_SLIDE_OF

#define ON_IMPACT_OF         (const ess_impact *impact, void *context)
#define ON_IMPACT_CODE(name) static int name ON_IMPACT_OF

#define ARMED_AT_START_OF         (const double sign[], bool armed[], void *params)
#define ARMED_AT_START_CODE(name) static int name ARMED_AT_START_OF

#define MODE_CHANGED_OF    (const double sign[], size_t guard, void *params)
#define MODE_CHANGED(name) TOY_CALLBACK(name, MODE_CHANGED_OF, (sign, guard, params))

#define TOY_MAY_BE_LEFT __attribute__((unused))

/* Event functions that are planes: PLANES_EACH(row, 2, AS(row)->count, x[0], AS(row)->place[k]). */
#define AS(type) ((const type *)params)
#define PLANES_EACH(name, states, count, linear, level)                                            \
  TOY_MAY_BE_LEFT static int name##_guards(double t, const double x[], double h[], void *params) { \
    for (size_t k = 0; k < (count); k++) h[k] = (linear) - (level);                                \
    return 0;                                                                                      \
  }                                                                                                \
  TOY_MAY_BE_LEFT static int name##_rates(double t, const double y[], const double x[],            \
                                          double h[], double rate[], void *params) {               \
    for (size_t k = 0; k < (count); k++) rate[k] = (linear);                                       \
    return name##_guards(t, y, h, params);                                                         \
  }                                                                                                \
  TOY_MAY_BE_LEFT static int name##_jacobian(double t, const double at[], double Dh[],             \
                                             void *params) {                                       \
    const size_t n = (states);                                                                     \
    double *const x = calloc(n, sizeof *x);                                                        \
    for (size_t i = 0; i < n; i++) {                                                               \
      x[i] = 1.0;                                                                                  \
      for (size_t k = 0; k < (count); k++) Dh[k * n + i] = (linear) + 0.0;                         \
      x[i] = 0.0;                                                                                  \
    }                                                                                              \
    free(x);                                                                                       \
    return 0;                                                                                      \
  }                                                                                                \
  _Static_assert(true, "")

/* what a system's callbacks are called: OF(belt), of a system, are belt_field and belt_guards */
#define OF(name)          .field = name##_field, .guards = name##_guards
#define OF_RATES(name)    OF(name), .event_rates = name##_rates
#define OF_JACOBIAN(name) OF(name), .guard_jacobian = name##_jacobian

#endif
