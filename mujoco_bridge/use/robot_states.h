/*
 * Initial conditions from a table, as they are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_STATES_H
#define ROBOT_STATES_H

#include "robot.h"

typedef struct robot_states {
  size_t count;
  double *x; /* [count * dimension]; owned */
} robot_states;

/*
 * From a csv file with a row for each: columns by the names of the states (robot_state_name) in any
 * order, or as many of other names in the order of the states. 0, or a solver_status with one line.
 * Free with robot_states_free, which accepts a zeroed one.
 */
int robot_states_read(const robot *r, const char *path, robot_states *out,
                      char message[ROBOT_MESSAGE_SIZE]);
void robot_states_free(robot_states *s);

/* The rows of such a file, of any robot; 0 where it cannot be read. */
size_t robot_states_count(const char *path);

#endif
