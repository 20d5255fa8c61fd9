/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of solvers: all that is to be said of one is a member of solver_settings, a bit, and
 * its line in the table. The command line, its help, files of results and the database go by it. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "solver.h"

/* The settings that can be given, one bit each: bit i is line i of the table. */
typedef enum solver_setting {
  SETTING_EPSILON = 1,
  SETTING_RTOL = 2,
  SETTING_ATOL = 4,
  SETTING_H_MAX = 8,
  SETTING_PROJECTION_MAX = 16,
  SETTING_ORDER = 32,
  SETTING_TIME_STEP = 64,
  SETTING_SCALING = 128,
  SETTING_TOLERANCE = 256 /* rtol and atol at once */
} solver_setting;

/* Whose heading it stands under in the help. */
typedef enum setting_owner { SETTING_OF_LIBESS, SETTING_OF_MUJOCO } setting_owner;

/* The table ends with a line without an option. */
typedef struct setting {
  const char *name; /* in files; NULL: it stands for others, and is in none */
  const char *option, *argument, *help;
  setting_owner owner;
  bool whole; /* an int, of which 0 is not known; else a double, of which NaN is not */
  bool alone; /* of the command that runs one solver */
  size_t offset;
  double initial, min, max;
  const char *accepts; /* what it has to be, in words */
} setting;

extern const setting settings_table[];

/* The value; NaN when it is not known. */
double setting_get(const setting *line, const solver_settings *settings);
void setting_put(const setting *line, solver_settings *settings, double value);

/* NULL when there is none of that name. */
const setting *setting_find(const char *name);

/* Whether every line and the variant are the same, or known of neither. */
bool settings_same(const solver_settings *a, const solver_settings *b);

#endif
