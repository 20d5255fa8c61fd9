/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mpi_lines.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 1, FIRST_SLEEP_NS = 20000 };

static long longest_sleep_ns;

/* twice as long each time */
static void wait_a_little(long *sleep_ns) {
  const struct timespec pause = {0, *sleep_ns};
  nanosleep(&pause, NULL);
  *sleep_ns = 2 * *sleep_ns < longest_sleep_ns ? 2 * *sleep_ns : longest_sleep_ns;
}

static int start(long sleep_ns, size_t *rank, size_t *count) {
  int own, all;
  longest_sleep_ns = sleep_ns;
  if (MPI_Init(NULL, NULL)) return -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  *rank = (size_t)own;
  *count = (size_t)all;
  return 0;
}

static int tell(size_t rank, const char *line) {
  const size_t length = strlen(line);
  MPI_Request request;
  int sent = 0;
  if (length > INT_MAX ||
      MPI_Isend(line, (int)length, MPI_CHAR, (int)rank, TAG, MPI_COMM_WORLD, &request))
    return -1;
  for (long sleep_ns = FIRST_SLEEP_NS;;) {
    if (MPI_Test(&request, &sent, MPI_STATUS_IGNORE)) return -1;
    if (sent) return 0;
    wait_a_little(&sleep_ns);
  }
}

static int hear(size_t *rank, char **line) {
  MPI_Message message;
  MPI_Status status;
  int there = 0, length;
  for (long sleep_ns = FIRST_SLEEP_NS;;) {
    if (MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &message, &status)) return -1;
    if (there) break;
    wait_a_little(&sleep_ns);
  }
  if (MPI_Get_count(&status, MPI_CHAR, &length) || !(*line = malloc((size_t)length + 1))) return -1;
  if (MPI_Mrecv(*line, length, MPI_CHAR, &message, MPI_STATUS_IGNORE)) return -1;
  (*line)[length] = '\0';
  *rank = (size_t)status.MPI_SOURCE;
  return 0;
}

static void finish(void) {
  MPI_Finalize();
}

const mpi_lines mpi_lines_module = {
    .start = start,
    .tell = tell,
    .hear = hear,
    .finish = finish,
};
