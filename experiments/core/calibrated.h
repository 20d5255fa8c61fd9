/*
 * The epsilon of the calibration on the hopper, for studies that race by the paper's method.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CALIBRATED_H
#define CALIBRATED_H

#include "study.h"

/* That of calibration.json in the folder of results, or else of one made now; *source says which.
 * 0, or -1 with one line. */
int calibrated_epsilon(study_run *run, double *epsilon, const char **source);

#endif
