/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All studies. */
#ifndef STUDIES_H
#define STUDIES_H

#include "study.h"

extern const study calibrate_study, claims_study, contact_modes_study, crossing_cost_study,
    derivative_study, ensemble_study, limbs_study, mujoco_study, order_study, rigid_soft_study,
    robot_audit_study, robot_error_study, robot_study, robots_study, scale_study, sliding_study,
    speed_study, sweep_study, tolerance_study, work_precision_study;

/* All of them, NULL-terminated. */
extern const study *const studies[];

/* NULL when there is none of that name. */
const study *study_find(const char *name);

#endif
