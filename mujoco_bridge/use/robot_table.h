/*
 * A table of numbers with a column for each of a robot's actuators, or states.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_TABLE_H
#define ROBOT_TABLE_H

#include "robot.h"

/* What the columns are of. */
typedef struct robot_table_of {
  const char *option; /* that names the file */
  const char *noun;   /* "actuator" */
  const char *rows;   /* what is said of rows where a column is one too many; "" */
  size_t count;
  /* what number i of them is called; NULL: it has no name. `room` may hold it. */
  const char *(*name)(const robot *r, size_t i, char room[ROBOT_NAME_SIZE]);
} robot_table_of;

/*
 * Reads *rows rows of a csv file into *values[rows * count], which the caller frees: columns by
 * names in any order where all names are there, or as many columns of other names in order. 0, or a
 * solver_status with one line.
 */
int robot_table_read(const robot *r, const robot_table_of *of, const char *path, double **values,
                     size_t *rows, char message[ROBOT_MESSAGE_SIZE]);

#endif
