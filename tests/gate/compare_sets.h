/*
 * Made-up result folders for the tests of the comparison: times that are known exactly.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef COMPARE_SETS_H
#define COMPARE_SETS_H

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "test_measure_folder.h"

/* A set. The time of trial j at N contacts is base(N, j) times `projection` or `mujoco`. */
typedef struct made_set {
  const char *ours;     /* name of the first */
  const char *contacts; /* "2 10" */
  size_t trials, first_trial, processes;
  double projection, mujoco; /* 0: that solver did not run */
  double per_contact;        /* factor^N, on both */
  double rms;
  double (*noise)(size_t contacts, size_t trial); /* factor on the projection; NULL: 1 */
  const char *json;                               /* of sweep.json; NULL: the usual */
} made_set;

/* The usual set: 12 starts at 2 and at 10 contacts by both solvers. */
static inline made_set made_set_default(void) {
  return (made_set){.ours = "projection",
                    .contacts = "2 10",
                    .trials = 12,
                    .processes = 1,
                    .projection = 1.0,
                    .mujoco = 2.0,
                    .per_contact = 1.0,
                    .rms = 1e-3};
}

/* a different time for each start */
static inline double made_base(size_t contacts, size_t trial) {
  return 1e-3 * (1.0 + 0.1 * (double)contacts) * (1.0 + 0.02 * (double)(trial * 7 % 11));
}

static inline void made_rows(FILE *stream, const made_set *set, const char *solver, double factor,
                             size_t contacts) {
  for (size_t j = set->first_trial; factor > 0.0 && j < set->first_trial + set->trials; j++) {
    const double noise = set->noise && solver == set->ours ? set->noise(contacts, j) : 1.0;
    fprintf(stream, "%zu,%s,paper,%zu,%zu,%.17g,%.17g,4\n", contacts, solver, j, j % set->processes,
            made_base(contacts, j) * factor * noise * pow(set->per_contact, (double)contacts),
            set->rms * (1.0 + 0.01 * (double)j));
  }
}

/* Writes the set into folder/name, whose path it returns. */
static inline char *made_write(void **state, const char *name, const made_set *set,
                               char path[PATH_SIZE]) {
  char file[PATH_SIZE + 32];
  path_in(state, name, path);
  mkdir(path, 0777);
  snprintf(file, sizeof file, "%s/sweep.json", path);
  write_text(file, set->json ? set->json
                             : "{\"schema\": \"essbench-sweep-1\", \"schema_version\": 1, "
                               "\"seed\": 1, \"protocol\": \"paper\", \"epsilon\": 0.001, "
                               "\"model\": {\"contacts\": 10, \"law\": \"roller\"}, "
                               "\"settings\": {\"epsilon\": 0.001, \"scaling\": 1e6}, "
                               "\"environment\": {\"cpu\": \"x\", \"mujoco\": "
                               "{\"version\": \"4.0.0\"}, \"warnings\": []}}\n");
  snprintf(file, sizeof file, "%s/sweep_samples.csv", path);
  FILE *const stream = fopen(file, "w");
  fprintf(stream, "contacts,solver,protocol,trial,process,seconds,rms_error,events\n");
  size_t contacts;
  int used;
  for (const char *at = set->contacts; sscanf(at, "%zu%n", &contacts, &used) == 1; at += used) {
    made_rows(stream, set, set->ours, set->projection, contacts);
    made_rows(stream, set, "mujoco", set->mujoco, contacts);
  }
  fclose(stream);
  return path;
}

#endif
