/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other ways to do the same job, each a solver of its own file. */
#ifndef BASELINES_H
#define BASELINES_H

#include "solver.h"

/* Listing 1 of the paper as published, its defects included: see the head of listing.c. */
extern const solver_type listing_solver;

/* Integrators with event functions, the mode latched as libess latches it (mode.h). */
extern const solver_type location_solver;   /* dopri5, crossings located to round-off */
extern const solver_type cvode_solver;      /* SUNDIALS', by its own root finding */
extern const solver_type gsl_events_solver; /* GSL's, crossings bisected */

/* Version of the SUNDIALS that cvode_solver runs, such as "6.4.1", or "unknown". */
enum { SUNDIALS_VERSION_SIZE = 32 };
void sundials_version(char version[SUNDIALS_VERSION_SIZE]);

/* Of the Open Dynamics Engine that was built with; "" without one. */
const char *ode_version(void);

/* The three ways of simulating contact that B. Bokser's tutorial tells apart ("Intro to Robot
 * Simulation, Part 2: Contact", 2024). */
extern const solver_type hybrid_solver;        /* a guard check at every step of explicit Euler */
extern const solver_type smooth_solver;        /* a contact force without a kink, no guards */
extern const solver_type time_stepping_solver; /* semi-implicit Euler with complementarity */

/* What anyone would write first: the mode read off the state at every call, no crossing looked for
 * (plain.h). */
extern const solver_type plain_euler_solver;  /* semi-implicit where the model is mechanical */
extern const solver_type plain_rk4_solver;    /* cubic outputs between its ends */
extern const solver_type plain_dopri5_solver; /* libess's base without guards */
extern const solver_type plain_cvode_solver;  /* SUNDIALS' Adams without roots */
extern const solver_type plain_heun_solver;   /* of order 2, two evaluations a step */
extern const solver_type plain_adams2_solver; /* of order 2, one */
extern const solver_type plain_lit_solver;    /* the same, linearly implicit */

/* What is usual where the field points back: each sign smoothed, in the width epsilon. */
extern const solver_type tanh_cvode_solver; /* SUNDIALS' BDF */

/* The Open Dynamics Engine; refuses every model where the build had none. */
extern const solver_type ode_solver;

/* Drake by its integrators with error control, in a process of its own; refuses where there is no
 * Python with Drake, and models with damping: its damping is another law. */
extern const solver_type drake_solver;

/* Simbody likewise; refuses where its worker has not been built. */
extern const solver_type simbody_solver;

#endif
