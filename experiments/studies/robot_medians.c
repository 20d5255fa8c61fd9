/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of the runs from all starts. */
#include "robot_study.h"

const double robot_known_from = 3.0;

gather robot_starts_of(study_run *run, size_t entry) {
  const robot_case *const c = run->own;
  return (gather){run, ROBOT_SAMPLES, entry, c->entries, study_cells(run)};
}

double robot_estimate(study_run *run) {
  return gather_median(robot_starts_of(run, 0), "estimate");
}
