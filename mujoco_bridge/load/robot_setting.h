/*
 * Private to the bridge: a setting of MuJoCo that is not the file's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_SETTING_H
#define ROBOT_SETTING_H

#include "robot_instance.h"

/* Changes a compiled model, as robot_setting_check accepts it. */
void robot_setting_apply(mjModel *m, const char *setting);

#endif
