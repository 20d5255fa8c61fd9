/*
 * Private to the bridge: the callbacks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_SYSTEM_H
#define ROBOT_SYSTEM_H

#include "robot_instance.h"

/* The system of r. */
ess_system robot_system_of(robot *r);

#endif
