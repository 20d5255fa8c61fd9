/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a start keeps before it is done, so that an interrupt loses nothing that was measured. */
#ifndef ROBOT_PARTS_H
#define ROBOT_PARTS_H

#include "robot_study.h"

/* As robot_follow by libess, or as it was kept under that name. 0, or -1 with one line. */
int robot_follow_kept(study_run *run, const char *name, const robot_entry *e, const double x0[],
                      bool listen, robot_track *t);

/* Whether a number is kept, into *value; and it is kept: 0, or -1 with one line. */
bool robot_number_kept(const study_run *run, const char *name, double *value);
int robot_keep_number(study_run *run, const char *name, double number);

/* The same of an error: *smallest is the smaller of itself and what is kept. */
bool robot_error_kept(const study_run *run, const char *name, robot_error *smallest);
int robot_keep_error(study_run *run, const char *name, const robot_error *error);

/* The same of an entry's run, and of how far MuJoCo is from the reference by all runs up to it. */
bool robot_sample_kept(study_run *run, size_t entry, robot_sample *s, robot_error *mujoco);
int robot_keep_sample(study_run *run, size_t entry, const robot_sample *s,
                      const robot_error *mujoco);

#endif
