/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of solvers. A new engine is one file and one line here. */
#include "solvers.h"

#include <math.h>
#include <string.h>

#include "baselines.h"
#include "bridge.h"

#define TOLERANCES (SETTING_TOLERANCE | SETTING_RTOL | SETTING_ATOL | SETTING_H_MAX)

const solver_line solver_types[] = {
    {&libess_solver, TOLERANCES},
    {&projection_solver, TOLERANCES | SETTING_EPSILON | SETTING_ORDER | SETTING_PROJECTION_MAX},
    {&bridge_solver, SETTING_TIME_STEP | SETTING_SCALING},
    {&bridge_callback_solver, SETTING_TIME_STEP},
    {&reference_solver, 0},
    {&listing_solver, TOLERANCES | SETTING_EPSILON},
    {&location_solver, TOLERANCES},
    {&cvode_solver, TOLERANCES},
    {&gsl_events_solver, TOLERANCES},
    {&hybrid_solver, SETTING_TIME_STEP},
    {&smooth_solver, TOLERANCES | SETTING_EPSILON},
    {&time_stepping_solver, SETTING_TIME_STEP},
    {&ode_solver, SETTING_TIME_STEP},
    {&drake_solver, SETTING_TOLERANCE | SETTING_RTOL | SETTING_H_MAX},
    {&simbody_solver, SETTING_TOLERANCE | SETTING_RTOL | SETTING_H_MAX},
    {&plain_euler_solver, SETTING_TIME_STEP},
    {&plain_rk4_solver, SETTING_TIME_STEP},
    {&plain_dopri5_solver, TOLERANCES},
    {&plain_cvode_solver, TOLERANCES},
    {&plain_heun_solver, TOLERANCES},
    {&plain_adams2_solver, TOLERANCES},
    {&plain_lit_solver, TOLERANCES},
    {&tanh_cvode_solver, TOLERANCES | SETTING_EPSILON},
    {&libess_rkc_solver, TOLERANCES},
    {&libess_rodas_solver, TOLERANCES},
    {&libess_ros2_solver, TOLERANCES},
    {&libess_lit_solver, TOLERANCES},
    {0},
};

unsigned solver_concerns(const solver_type *solver) {
  for (const solver_line *line = solver_types; line->type; line++)
    if (line->type == solver) return line->settings;
  return ~0U;
}

solver_settings solver_settings_in_force(const solver_type *solver, const solver_settings *given,
                                         double dt) {
  const unsigned concern = solver_concerns(solver);
  const char *const variant = solver_variant(solver, given->variant);
  solver_settings s = *given;
  s.variant = variant || !solver->variants ? variant : solver->variants[0];
  if (!(s.time_step > 0.0)) s.time_step = dt;
  s.projection_max = solver_libess_options(true, given, dt).projection.duration_max;
  for (const setting *line = settings_table; line->name; line++)
    if (!(concern & 1U << (line - settings_table))) setting_put(line, &s, NAN);
  return s;
}

bool solver_is_plain(const solver_type *solver) {
  return solver == &plain_euler_solver || solver == &plain_rk4_solver ||
         solver == &plain_dopri5_solver || solver == &plain_cvode_solver ||
         solver == &plain_heun_solver || solver == &plain_adams2_solver ||
         solver == &plain_lit_solver;
}

bool solver_is_libess(const solver_type *solver) {
  return solver == &libess_solver || solver == &projection_solver;
}

const solver_type *solver_on(const solver_type *solver, const model *m) {
  return solver == &bridge_solver && m->type->engine ? m->type->engine : solver;
}

const solver_type *solver_find(const char *name) {
  for (const solver_line *line = solver_types; line->type; line++)
    if (strcmp(line->type->name, name) == 0) return line->type;
  return NULL;
}

const char *solver_variant(const solver_type *solver, const char *name) {
  for (const char *const *v = solver->variants; v && name && *v; v++)
    if (strcmp(*v, name) == 0) return *v;
  return NULL;
}
