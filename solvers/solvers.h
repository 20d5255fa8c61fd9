/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of solvers, and which settings concern whom. */
#ifndef SOLVERS_H
#define SOLVERS_H

#include "settings.h"

extern const solver_type libess_solver; /* libess by one tolerance */
extern const solver_type libess_rkc_solver, libess_rodas_solver, libess_ros2_solver,
    libess_lit_solver;                      /* the same by its other bases */
extern const solver_type projection_solver; /* libess by the paper's method */
extern const solver_type reference_solver;  /* the model's own exact or reference solution */

/* A solver, and which settings concern it, by their bits. The table ends with a line of none. */
typedef struct solver_line {
  const solver_type *type;
  unsigned settings;
} solver_line;
extern const solver_line solver_types[];

/* Whether a solver is libess; the options that one of its methods makes of settings, with an output
 * step dt. */
bool solver_is_libess(const solver_type *solver);
ess_options solver_libess_options(bool projects, const solver_settings *settings, double dt);

/* Whether it is one that reads the mode off the state, and looks for no crossing. */
bool solver_is_plain(const solver_type *solver);

/* Which settings concern a solver; one that is in no table may read all. */
unsigned solver_concerns(const solver_type *solver);

/* The settings that a solver runs with when it is given these, at an output step dt: what a default
 * stands for, and NaN, the order 0 and no variant where one does not concern it. */
solver_settings solver_settings_in_force(const solver_type *solver, const solver_settings *given,
                                         double dt);

/* Who runs a model where that solver is asked for: MuJoCo has a solver of its own for some. */
const solver_type *solver_on(const solver_type *solver, const model *m);

/* NULL when there is none of that name. */
const solver_type *solver_find(const char *name);

/* The solver's own name for a variant, which lives as long as the program; NULL when the solver has
 * no variant of that name. `name` may be NULL. */
const char *solver_variant(const solver_type *solver, const char *name);

#endif
