/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"

#include <math.h>
#include <string.h>

#define TINY        5e-324
#define HUGE_NUMBER 1.7e308
#define AT(member)  .offset = offsetof(solver_settings, member)

static const char positive[] = "a finite number > 0", limit[] = "a number > 0, or inf";

const setting settings_table[] = {
    {"epsilon", "epsilon", "X",
     "half-width of every guard's neighbourhood in the paper's method, m for plate and hopper; "
     "solver smooth: width of its force, m; tanh-cvode: width of its tanh, in units of the event "
     "function (default 1e-3)",
     AT(epsilon), .initial = 1e-3, .min = TINY, .max = HUGE_NUMBER, .accepts = positive},
    {"rtol", "rtol", "X",
     "relative tolerance: of the whole run with solver libess, of integration between crossings "
     "with others (default 1e-8)",
     AT(rtol), .initial = 1e-8, .max = 0.5, .accepts = "a number from 0 to 0.5"},
    {"atol", "atol", "X", "absolute tolerance, where --rtol applies (default 1e-10)", AT(atol),
     .initial = 1e-10, .min = TINY, .max = HUGE_NUMBER, .accepts = positive},
    {"h_max", "h-max", "S", "longest integration step, s (default inf: no limit)", AT(h_max),
     .initial = INFINITY, .min = TINY, .max = INFINITY, .accepts = limit, .alone = true},
    {"projection_max", "projection-max", "S",
     "longest projection, s; guards reached later are not near (default: 2 s for each m of "
     "epsilon, from 2e-6 to 0.002; inf: no limit)",
     AT(projection_max), .min = TINY, .max = INFINITY, .accepts = limit},
    {"projection_order", "projection-order", "P",
     "order of the projection: 1, with an error of epsilon^2; 2, of epsilon^3, with one evaluation "
     "more (default 1)",
     AT(order), .whole = true, .initial = 1, .min = 1, .max = 2},
    {"time_step", "time-step", "S",
     "time step, s, also of the other solvers with a fixed step; it divides the output step evenly "
     "or is a multiple of it (default: the output step, 0.002)",
     SETTING_OF_MUJOCO, AT(time_step), .min = TINY, .max = HUGE_NUMBER, .accepts = positive},
    {"scaling", "scaling", "X", "divisor of the mass that MuJoCo's contacts add (default 1e6)",
     SETTING_OF_MUJOCO, AT(scaling), .initial = 1e6, .min = 1.0, .max = 1e12,
     .accepts = "a number from 1 to 1e12"},
    {NULL, "tolerance", "X", "--rtol X and --atol X at once", AT(rtol), .initial = 1e-8,
     .min = TINY, .max = 0.5, .accepts = "a number > 0, at most 0.5"},
    {0},
};

double setting_get(const setting *line, const solver_settings *settings) {
  const char *const at = (const char *)settings + line->offset;
  if (!line->whole) return *(const double *)(const void *)at;
  const int whole = *(const int *)(const void *)at;
  return whole ? (double)whole : (double)NAN;
}

void setting_put(const setting *line, solver_settings *settings, double value) {
  char *const at = (char *)settings + line->offset;
  if (line->whole)
    *(int *)(void *)at = isnan(value) ? 0 : (int)value;
  else
    *(double *)(void *)at = value;
}

const setting *setting_find(const char *name) {
  for (const setting *line = settings_table; line->name; line++)
    if (strcmp(line->name, name) == 0) return line;
  return NULL;
}

solver_settings solver_settings_default(void) {
  solver_settings settings = {0};
  for (const setting *line = settings_table; line->name; line++)
    setting_put(line, &settings, line->initial);
  return settings;
}

bool settings_same(const solver_settings *a, const solver_settings *b) {
  for (const setting *line = settings_table; line->name; line++) {
    const double x = setting_get(line, a), y = setting_get(line, b);
    if (x != y && !(isnan(x) && isnan(y))) return false;
  }
  return a->variant && b->variant ? strcmp(a->variant, b->variant) == 0 : a->variant == b->variant;
}
