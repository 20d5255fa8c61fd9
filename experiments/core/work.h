/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the core: workers of a study, each a process with cells of its own to run, and the one
 * that leads them. What they say to each other is lines of JSON (study_work.c); a kind of worker is
 * how the lines get there. */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stddef.h>

#include "measure.h"

/* What hear says: a line, or that somebody has ended early. */
enum { WORK_HEARD = 0, WORK_LOST = 1, WORK_FAILED = -1 };

/* The others as one sees them: the one who leads has `count` workers, a worker has one peer, 0. */
typedef struct work_channel {
  size_t count;

  /* Sends a line, which has no newline. 0, or -1. */
  int (*tell)(struct work_channel *c, size_t peer, const char *line);

  /* Waits for a line of any peer; it is the caller's to free. WORK_HEARD, WORK_LOST, WORK_FAILED.
   */
  int (*hear)(struct work_channel *c, size_t *peer, char **line);

  /* Asks all peers to end before they are told to; optional. */
  void (*hurry)(struct work_channel *c);

  /* Waits for all to end, and frees the channel. */
  void (*close)(struct work_channel *c);
} work_channel;

/* So many processes of this command, its words being argv[1..argc-1]. NULL with
 * one line. And the one who leads, as such a process sees it. */
work_channel *work_processes_start(const char *command, int argc, char **argv, size_t count,
                                   char message[MEASURE_MESSAGE_SIZE]);
work_channel *work_processes_join(char message[MEASURE_MESSAGE_SIZE]);

/* All other ranks of MPI as rank 0 sees them, or rank 0 as any other does. NULL with
 * one line. With `quiet`, who waits looks for lines more rarely, so as to disturb nobody's times.
 */
work_channel *work_ranks_join(bool quiet, char message[MEASURE_MESSAGE_SIZE]);

/* What the module that is linked with MPI shows (mpi/mpi_work.c): the same, NULL where it fails. */
typedef struct work_module {
  work_channel *(*begin)(bool quiet);
} work_module;
extern const work_module mpi_work_module;

#endif
