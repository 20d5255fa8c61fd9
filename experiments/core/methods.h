/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods whose errors and costs are compared, each with the setting that trades one for the
 * other: a new one is one entry of the table. */
#ifndef METHODS_H
#define METHODS_H

#include <stdbool.h>
#include <stddef.h>

#include "settings.h"

/* The setting that trades accuracy for time. */
typedef enum method_knob {
  METHOD_EPSILON,   /* half-width of the neighbourhoods, m */
  METHOD_TOLERANCE, /* libess's: relative and absolute */
  METHOD_RTOL,      /* relative tolerance; the absolute one is a hundredth of it */
  METHOD_TIME_STEP  /* s */
} method_knob;

/* One line of the figures. */
typedef struct race_method {
  const char *name;     /* in files and on the command line, unique */
  const char *label;    /* in legends */
  const char *solver;   /* by its name in the table of solvers */
  const char *variant;  /* of that solver, or NULL */
  int order;            /* of the projection; 0: its default */
  method_knob knob;     /* what is swept */
  const double *values; /* of the knob, the coarsest first; a 0 ends them */
  /* tolerance that goes with the knob: rtol = factor * value^power, between 1e-13 and 1e-2; factor
   * 0: it has none. From `coarse` on, where that is > 0, the factor is coarse_factor */
  double tolerance_factor, tolerance_power;
  double coarse, coarse_factor;
  bool on_request; /* it races only where it is named */
} race_method;

/* All of them; the last has no name, and is not counted. */
extern const race_method race_methods[];
extern const size_t race_method_count;

const char *method_knob_name(method_knob knob);

/* Settings of a method at one value of its knob, for a model with so many contacts: MuJoCo's field
 * gap grows with them, and is kept below its limit by its scaling */
solver_settings method_settings(const race_method *method, double value, size_t contacts);

#endif
