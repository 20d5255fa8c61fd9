/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "studies.h"

#include <string.h>

// clang-format off
const study *const studies[] = {
    &order_study,
    &calibrate_study,
    &sweep_study,
    &mujoco_study,
    &work_precision_study,
    &crossing_cost_study,
    &speed_study,
    &scale_study,
    &tolerance_study,
    &ensemble_study,
    &derivative_study,
    &limbs_study,
    &rigid_soft_study,
    &contact_modes_study,
    &sliding_study,
    &claims_study,
#ifdef ESS_ROBOTS
    &robot_error_study,
    &robot_study,
    &robots_study,
    &robot_audit_study,
#endif
    NULL,
};
// clang-format on

const study *study_find(const char *name) {
  for (size_t i = 0; studies[i]; i++)
    if (strcmp(studies[i]->name, name) == 0) return studies[i];
  return NULL;
}
