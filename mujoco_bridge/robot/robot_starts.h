/*
 * Where a robot's runs begin, and what its states are called.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_STARTS_H
#define ROBOT_STARTS_H

#include "robot.h"

/*
 * A start: the model's own pose, raised and tilted. The pose is `qpos` where it is given, else the
 * model's keyframe (robot_options.keyframe), else its numeric "init_qpos", else qpos0 with joints
 * moved inside their limits. Every free joint and every vertical slide that carries a body of the
 * world is raised; the first of them is tilted, or a hinge of the same body. Where nothing can be
 * dropped, each hinge is turned instead. What equalities tie together is then moved back to where
 * it meets them, or breaks them as the pose does.
 */
typedef struct robot_start {
  const char *qpos; /* nq numbers with commas between; NULL: the model's own */
  double height;    /* raised by, m */
  double tilt;      /* rad */
  size_t number;    /* 0: that start. Others are drawn around it, also in the joints' angles and all
                       velocities */
  unsigned long seed;
  const double *state; /* [dimension], as it is, in place of all that; NULL: there is none */
} robot_start;

/* The state of a start: x[dimension]. 0, or a solver_status with one line. */
int robot_start_state(robot *r, const robot_start *start, double x[],
                      char message[ROBOT_MESSAGE_SIZE]);

/* The most by which the state x breaks an equality of the model, in m, rad or a tendon's unit.
 * Starts break what their pose breaks, and by as much. 0, or a solver_status with one line. */
int robot_start_broken(const robot *r, const double x[], double *by,
                       char message[ROBOT_MESSAGE_SIZE]);

/* Which pose that is: "keyframe 0", or the name of the one that is chosen, "init_qpos" or "qpos0".
 * The robot's. */
const char *robot_start_pose(const robot *r);

/* What state i of x is called: "hip", "root x", "d hip", "act 2". */
void robot_state_name(const robot *r, size_t i, char name[ROBOT_NAME_SIZE]);

/* Its unit: "m", "rad/s"; "" where it has none. Static storage. */
const char *robot_state_unit(const robot *r, size_t i);

#endif
