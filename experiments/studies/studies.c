/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studies.h"

#include <string.h>

/* Each is NAME_study of a file here; in a group of the help they have this order. */
#define STUDIES(X)                                                                                 \
  X(order)                                                                                         \
  X(calibrate)                                                                                     \
  X(speed)                                                                                         \
  X(sweep)                                                                                         \
  X(work_precision)                                                                                \
  X(crossing_cost)                                                                                 \
  X(scale)                                                                                         \
  X(mujoco)                                                                                        \
  X(tolerance)                                                                                     \
  X(event_times)                                                                                   \
  X(ensemble)                                                                                      \
  X(derivative)                                                                                    \
  X(claims)                                                                                        \
  ROBOTS(X)                                                                                        \
  X(limbs)                                                                                         \
  X(rigid_soft)                                                                                    \
  X(contact_modes)                                                                                 \
  X(sliding)

#ifdef ESS_ROBOTS
#define ROBOTS(X)                                                                                  \
  X(robot_error) X(robot_race) X(robots) X(robots_race) X(robot_audit) X(robot_compare)
#else
#define ROBOTS(X)
#endif

#define DECLARED(name) extern const study name##_study;
#define LISTED(name)   &name##_study,
STUDIES(DECLARED)
const study *const studies[] = {STUDIES(LISTED) NULL};

const study *study_find(const char *name) {
  for (size_t i = 0; studies[i]; i++)
    if (strcmp(studies[i]->name, name) == 0) return studies[i];
  return NULL;
}
