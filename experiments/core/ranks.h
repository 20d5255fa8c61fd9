/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether mpirun has started this process as one of several, by the environment alone: MPI itself
 * is loaded for studies, and then only. */
#ifndef RANKS_H
#define RANKS_H

#include <stddef.h>

typedef struct ranks {
  size_t rank, count; /* 0 of 1 where nobody else was started */
} ranks;

ranks ranks_started(void);

/* Rank 0 speaks for all: any other is silent from now on, and does not fail. */
void ranks_silence(void);

/* Its warnings are heard again. */
void ranks_speak(void);

/* "MPI 3.1", or NULL where it was built without. */
const char *ranks_mpi(void);

/* The name of the machine, which ESSBENCH_HOST can replace; static storage. */
const char *ranks_host(void);

#endif
