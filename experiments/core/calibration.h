/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calibration of section 5.1 of the paper: the epsilon at which the projection integrator's
 * RMS error on the hopper equals MuJoCo's, both at steps of at most the output step. */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include "bridge.h"
#include "race.h"
#include "study.h"

/* RMS errors agree to this, relative. */
#define CALIBRATION_AGREEMENT 1e-3

typedef struct calibration {
  double stiffness_over_mass; /* k/m, 1/s^2 */
  double penetration;         /* deepest compression of the exact solution, m */
  double epsilon;             /* NaN when there is none */
  double rms_mujoco, rms_projection;
  bridge_gap gap;
  char status[SOLVER_MESSAGE_SIZE]; /* "ok", or why there is no epsilon */
} calibration;

/* Settings both engines run with: the output step, no longer integration step, and, as in the
 * paper, no bound on projections (a bound would put a step into RMS(epsilon)). */
solver_settings calibration_settings(const model *m);

/*
 * Calibrates on `m` (a prepared hopper) from its own start. 0; or -1 when an engine fails, with one
 * line. That no epsilon exists is no failure here: result->status tells.
 */
int calibrate_hopper(const model *m, unsigned long seed, calibration *result,
                     char message[SOLVER_MESSAGE_SIZE]);

/* The epsilon of calibration.json in the folder of results, or else of one made now; *source says
 * which. 0, or -1 with one line. */
int calibrated_epsilon(study_run *run, double *epsilon, const char **source);

#endif
