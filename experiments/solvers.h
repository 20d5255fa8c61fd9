/*
 * The table of solvers, and their common default settings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SOLVERS_H
#define SOLVERS_H

#include "solver.h"

extern const solver_type libess_solver;     /* libess by one tolerance */
extern const solver_type projection_solver; /* libess by the paper's method */
extern const solver_type reference_solver;  /* the model's own exact or reference solution */

/* The table, NULL-terminated. */
extern const solver_type *const solver_types[];

/* The options that solver projection makes of settings, with an output step dt. */
ess_options solver_projection_options(const solver_settings *settings, double dt);

/* NULL when there is none of that name. */
const solver_type *solver_find(const char *name);

/* The solver's own name for a variant, which lives as long as the program; NULL when the solver has
 * no variant of that name. `name` may be NULL. */
const char *solver_variant(const solver_type *solver, const char *name);

#endif
