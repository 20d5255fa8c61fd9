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
  return (solver_settings){.epsilon = 1e-3,
                           .rtol = 1e-8,
                           .atol = 1e-10,
                           .h_max = INFINITY,
                           .order = 1,
                           .approach = 1.0,
                           .scaling = 1e6};
}
