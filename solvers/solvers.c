/*
 * The table of solvers. A new engine is one file and one line here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "solvers.h"

#include <math.h>
#include <string.h>

#include "baselines.h"
#include "bridge.h"

// clang-format off
const solver_type *const solver_types[] = {
    &libess_solver,
    &projection_solver,
    &bridge_solver,
    &reference_solver,
    &listing_solver,
    &location_solver,
    &cvode_solver,
    &gsl_events_solver,
    &hybrid_solver,
    &smooth_solver,
    &time_stepping_solver,
    NULL,
};
// clang-format on

#define TOLERANCES (SETTING_TOLERANCE | SETTING_RTOL | SETTING_ATOL | SETTING_H_MAX)

unsigned solver_concerns(const solver_type *solver) {
  static const struct {
    const solver_type *solver;
    unsigned settings;
  } concerns[] = {
      {&libess_solver, TOLERANCES},
      {&projection_solver, TOLERANCES | SETTING_EPSILON | SETTING_ORDER | SETTING_PROJECTION_MAX},
      {&bridge_solver, SETTING_TIME_STEP | SETTING_SCALING},
      {&reference_solver, 0},
      {&listing_solver, TOLERANCES | SETTING_EPSILON},
      {&location_solver, TOLERANCES},
      {&cvode_solver, TOLERANCES},
      {&gsl_events_solver, TOLERANCES},
      {&hybrid_solver, SETTING_TIME_STEP},
      {&smooth_solver, TOLERANCES | SETTING_EPSILON},
      {&time_stepping_solver, SETTING_TIME_STEP},
  };
  for (size_t i = 0; i < sizeof concerns / sizeof *concerns; i++)
    if (concerns[i].solver == solver) return concerns[i].settings;
  return ~0U;
}

solver_settings solver_settings_in_force(const solver_type *solver, const solver_settings *given,
                                         double dt) {
  const unsigned concern = solver_concerns(solver);
  const double step = given->time_step > 0.0 ? given->time_step : dt;
  const double bound = solver_libess_options(ESS_METHOD_PAPER, given, dt).projection_max;
  const char *const variant = solver_variant(solver, given->variant);
  return (solver_settings){.epsilon = concern & SETTING_EPSILON ? given->epsilon : NAN,
                           .rtol = concern & SETTING_RTOL ? given->rtol : NAN,
                           .atol = concern & SETTING_ATOL ? given->atol : NAN,
                           .h_max = concern & SETTING_H_MAX ? given->h_max : NAN,
                           .projection_max = concern & SETTING_PROJECTION_MAX ? bound : NAN,
                           .time_step = concern & SETTING_TIME_STEP ? step : NAN,
                           .order = concern & SETTING_ORDER ? given->order : 0,
                           .scaling = concern & SETTING_SCALING ? given->scaling : NAN,
                           .variant = variant || !solver->variants ? variant : solver->variants[0]};
}

const solver_type *solver_find(const char *name) {
  for (size_t i = 0; solver_types[i]; i++)
    if (strcmp(solver_types[i]->name, name) == 0) return solver_types[i];
  return NULL;
}

const char *solver_variant(const solver_type *solver, const char *name) {
  for (const char *const *v = solver->variants; v && name && *v; v++)
    if (strcmp(*v, name) == 0) return *v;
  return NULL;
}

solver_settings solver_settings_default(void) {
  return (solver_settings){
      .epsilon = 1e-3, .rtol = 1e-8, .atol = 1e-10, .h_max = INFINITY, .order = 1, .scaling = 1e6};
}
