/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the first start is off at the model's own setting, in the units of the model. */
#ifndef ROBOT_OFF_H
#define ROBOT_OFF_H

#include "study.h"

typedef struct robot_off {
  double base, joint, from, after_time; /* NaN: there is none, or it is not known */
  const char *axis, *name, *unit, *after;
} robot_off;

/* robot_brief.c: of the rows of the first start's runs */
robot_off robot_off_of(const study_run *run);

#endif
