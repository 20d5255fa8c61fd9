/*
 * All studies.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef STUDIES_H
#define STUDIES_H

#include "study.h"

extern const study ensemble_study, sweep_study, calibrate_study, order_study, scale_study,
    speed_study, tolerance_study;

/* All of them, NULL-terminated. */
extern const study *const studies[];

/* NULL when there is none of that name. */
const study *study_find(const char *name);

#endif
