/*
 * A run of the study of rigid contacts against springs: which system, what it did, and what is read
 * off it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef RIGID_SOFT_H
#define RIGID_SOFT_H

#include "study.h"
#include "trajectory.h"

typedef struct rigid_soft_settings {
  option_numbers stiffnesses, ratios;
  double tolerance, block_tilt, trot_tilt;
} rigid_soft_settings;

/* One run. */
typedef struct rigid_soft_cell {
  bool trot, springs;
  double delta_t, ratio, stiffness; /* NaN where there is none */
} rigid_soft_cell;

/* What a run did, and what its impacts say. */
typedef struct track {
  const rigid_soft_cell *c;
  const model *m;
  trajectory path;
  solver_report report;
  double first; /* when the other corner, or the other foot, landed first */
  double speed; /* downward, of the centre, as it did */
  bool rises;   /* whether the corner that the block rested on has landed again since */
} track;

/* Runs it as the settings say; or otherwise. Its path is to be freed, whatever is returned: 0, or
 * -1 with one line. */
int rigid_soft_follow(study_run *run, const rigid_soft_cell *c, track *t);

/* The block's or the body's height, angle or rate at a time of its path; the root mean square of
 * what is between those of two. */
double track_value(const track *t, const char *name, size_t i);
double track_distance(const track *a, const track *b, const char *name);

/* Of a block: the root of the energy of its first swing to the other side over that of its start.
 */
double track_spin_ratio(const track *t);

/* The speed of a block's centre, downward, at its first impact, where the corner that it rested on
 * only just rises: NaN where it never does, 0 where it always does. */
int rigid_soft_stop(study_run *run, const rigid_soft_cell *c, double *speed);

#endif
