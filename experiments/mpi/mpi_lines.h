/*
 * Lines of text between ranks: all that essbench asks of MPI, in a module of its own, so that a run
 * without mpirun does not load it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MPI_LINES_H
#define MPI_LINES_H

#include <stddef.h>

typedef struct mpi_lines {
  /* Begins. Who waits sleeps between two looks, in the end for so many ns: ranks may be more than
   * cores, and none that waits shall take one. 0, or -1. */
  int (*start)(long sleep_ns, size_t *rank, size_t *count);

  /* 0, or -1. */
  int (*tell)(size_t rank, const char *line);

  /* Waits for a line of any rank, which is the caller's to free. 0, or -1 without memory. */
  int (*hear)(size_t *rank, char **line);

  void (*finish)(void);
} mpi_lines;

/* What the module shows, by this name. */
extern const mpi_lines mpi_lines_module;
#define MPI_LINES_MODULE "mpi_lines_module"

#endif
