/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robot on many models, each by a process of its own: what it is given, and what one
 * model gives. */
#ifndef ROBOT_MANY_H
#define ROBOT_MANY_H

#include "file_list.h"
#include "study.h"

typedef struct many_settings {
  double time, budget;
  size_t starts;
  const char *without;
  option_numbers time_steps, tolerances;
} many_settings;

#define MANY_COLUMNS(COLUMN, row)                                                                  \
  COLUMN(row, model, TEXT, "", "its file, as listed")                                              \
  COLUMN(row, status, TEXT, "",                                                                    \
         "to the end; or up to where its reference ends; or failed: in words")                     \
  COLUMN(row, answered, FLAG, "", "whether there are numbers")                                     \
  COLUMN(row, whole, FLAG, "", "whether they are of the whole time")                               \
  COLUMN(row, until, AMOUNT, "s", "what the reference of every start reaches")                     \
  COLUMN(row, reference, AMOUNT, "", "its error, over the size of its states; median")             \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "MuJoCo's error at the file's own step and integrator: root mean square of all bodies")   \
  COLUMN(row, base, AMOUNT, "m", "how far its base is off at most; not known where none floats")   \
  COLUMN(row, joint, TEXT, "", "its worst joint")                                                  \
  COLUMN(row, joint_off, AMOUNT, "", "how far that is off at most, in the unit that follows")      \
  COLUMN(row, unit, TEXT, "", "m or rad")                                                          \
  COLUMN(row, from, AMOUNT, "s", "when the error is a tenth of its largest")                       \
  COLUMN(row, ratio, AMOUNT, "", "MuJoCo's time over libess's at that error")                      \
  COLUMN(row, plain_ratio, AMOUNT, "", "the time of libess without event functions over libess's") \
  COLUMN(row, seconds, AMOUNT, "s", "that the study of this model took")                           \
  COLUMN(row, folder, TEXT, "", "its results, within the folder of these")
COLUMN_ROW(many_row, MANY_COLUMNS);

/* robot_child.c: essbench robot on one model, in a process of its own. 0, also where that fails,
 * which the row says; or -1 with one line. */
int many_measure(study_run *run, const listed_file *m, many_row *row);

#endif
