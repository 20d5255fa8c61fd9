/*
 * The tutorial's own examples, as it has them: a point mass that falls onto rigid ground, in steps
 * of each of its three methods (B. Bokser, "Intro to Robot Simulation, Part 2: Contact", 2024). SI
 * units; the height z is above the ground. Pure functions of the state.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef POINT_MASS_H
#define POINT_MASS_H

/* Mass, gravity, time step, and the coefficient of restitution e of the hybrid method. */
typedef struct point_mass {
  double mass, gravity, time_step, restitution;
} point_mass;

typedef struct point_mass_state {
  double z, v;
} point_mass_state;

/* m = 10 kg, g = 9.81 m/s^2, dt = 1e-3 s, e = 0.7. */
point_mass point_mass_default(void);

/*
 * Each of these takes one step from *s and returns the ground force at that step, N.
 *
 * Hybrid: below the ground the jump map comes first: z to 0 and v to -e v, by a force of m dv/dt;
 * then explicit Euler without a force.
 */
double point_mass_step_hybrid(const point_mass *p, point_mass_state *s);

/* Smooth: explicit Euler under point_mass_smooth_force. */
double point_mass_step_smooth(const point_mass *p, point_mass_state *s);

/*
 * Time stepping: semi-implicit Euler under the force f >= 0 that leaves z >= 0 after the step, with
 * f z = 0. The tutorial hands this to an interior-point solver with a slack variable; one contact
 * has the solution in closed form.
 */
double point_mass_step_complementarity(const point_mass *p, point_mass_state *s);

/* The smooth method's spring and damper, at any height: d (k - b v) with d = c (1 - tanh(100 z)),
 * k = 0.01, b = 0.1 and c = 750/k, so that a mass at rest deep below would be pushed by 1500 N. */
double point_mass_smooth_force(point_mass_state s);

#endif
