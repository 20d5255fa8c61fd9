/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `essbench run` keeps of a trajectory: a table by --csv, a figure by --plot, both of the
 * states that --columns names. */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "command.h"
#include "record.h"
#include "trajectory.h"

typedef struct run_files {
  const arguments *given;
  size_t count, state[MODEL_DIMENSION_MAX]; /* those chosen, in their order */
  bool printed;                             /* the table goes to the standard output */
  char figure[RECORD_PATH_SIZE];            /* without its ending; "": none */
  const char *format;
  struct measure_file *csv; /* owned; NULL: none */
} run_files;

/* Before the run, for a prepared model: what cannot be is told then. An exit status, which has said
 * why. */
int run_files_open(run_files *f, const arguments *given);

/* Writes and draws. An exit status, which has said why. */
int run_files_write(run_files *f, const trajectory *t);

/* Where nothing is to be written after all. */
void run_files_close(run_files *f);

#endif
