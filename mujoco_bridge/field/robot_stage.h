/*
 * Private to the bridge: MuJoCo's stages, of which none is made twice for one state.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_STAGE_H
#define ROBOT_STAGE_H

#include "robot_instance.h"

/* These may leave by MuJoCo's error handler: call them within robot_guarded. */

/* What values of event functions need at the positions of x, where their rates are not asked for.
 */
void robot_stage_places(robot *r, const double x[]);

/* Poses of all bodies and lengths of tendons at the positions of x. */
void robot_stage_poses(robot *r, const double x[]);

/* And what velocities, inertia and Jacobians are made of. */
void robot_stage_kinematics(robot *r, const double x[]);

/* Velocities of all bodies for the generalised velocity v[nv] at those poses. */
void robot_stage_velocities(robot *r, const double v[]);

/* Inertia and transmission, and the rows of what acts by sign[events]. */
void robot_stage_dynamics(robot *r, const double sign[]);

/* The accelerations, and rates of the activations, of x: data->qacc and data->act_dot. */
void robot_stage_forces(robot *r, const double x[]);

/* The next search for constraints' forces starts from the one that has just been made. */
void robot_stage_keep(const mjModel *m, mjData *d);

/* Of those forces: idle[k] where event k acts, and none of its rows has a force. Without them the
 * accelerations would be the same. Of a twin it tells nothing: its contacts are no rows. */
void robot_stage_idle(const robot *r, bool idle[]);

/* How far a limit is from acting, negative where it does, and its rate along the velocity v when
 * that is not NULL. */
double robot_stage_limit(const robot *r, const robot_event *e, const double v[], double *rate);

/* Nothing that mjData holds is valid any more. */
void robot_stage_forget(robot *r);

/* All of mjData as new but the controls: after an error, and after another model's stages. */
void robot_stage_reset(robot *r);

/* Calls work(context); 0, or -1 after an error of MuJoCo's, which then stands in r->failure. */
int robot_guarded(robot *r, void (*work)(void *context), void *context);

#endif
