/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The crossings of runs of libess: when each guard is crossed, and how far the next one is then. */
#ifndef CROSSINGS_H
#define CROSSINGS_H

#include "race.h"

typedef struct crossing {
  size_t guard;
  double t;
} crossing;

/* Guard by guard, each in the order of time; owned. */
typedef struct crossings {
  crossing *of;
  size_t count, room;
} crossings;

/* Those of a run from the first start, behind what is there; and how often it evaluated the
 * right-hand side. 0, or -1 with one line. */
int crossings_of(const contest_starts *start, const solver_settings *with, crossings *all,
                 double *evaluations, char message[SOLVER_MESSAGE_SIZE]);

/* From all starts, how far the next guard is when one is crossed, m, and how long it takes to be
 * crossed, s: quantiles of 10 %, 50 % and 90 %. 0, or -1 with one line. */
enum { CROSSING_QUANTILES = 3 };
int crossing_distances(const contest_starts *starts, double distance[CROSSING_QUANTILES],
                       double interval[CROSSING_QUANTILES], char message[SOLVER_MESSAGE_SIZE]);

#endif
