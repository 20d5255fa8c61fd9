/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers that mpirun has started, on this machine or on others: rank 0 leads, all others work.
 * All that essbench asks of MPI, in a module of its own, so that a run without mpirun does not load
 * it. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "work.h"

enum { TAG = 1 };

/* between two looks for a line: at first and, twice as long each time, at most */
static const long first_sleep_ns = 20000, sleep_max_ns = 1000000, quiet_sleep_max_ns = 20000000;

typedef struct channel {
  work_channel base;
  int rank;
  long sleep_max_ns;
} channel;

/* ranks may be more than cores: none that waits takes one */
static void wait_a_little(const channel *c, long *sleep_ns) {
  nanosleep(&(struct timespec){.tv_nsec = *sleep_ns}, NULL);
  *sleep_ns = 2 * *sleep_ns < c->sleep_max_ns ? 2 * *sleep_ns : c->sleep_max_ns;
}

/* rank 0 is the one peer of each worker; worker k is rank k + 1 */
static int tell(work_channel *base, size_t peer, const char *line) {
  const channel *const c = (const channel *)base;
  const size_t length = strlen(line);
  const int rank = c->rank ? 0 : (int)peer + 1;
  MPI_Request request;
  int sent = 0;
  if (length > INT_MAX ||
      MPI_Isend(line, (int)length, MPI_CHAR, rank, TAG, MPI_COMM_WORLD, &request))
    return -1;
  for (long sleep_ns = first_sleep_ns;; wait_a_little(c, &sleep_ns)) {
    if (MPI_Test(&request, &sent, MPI_STATUS_IGNORE)) return -1;
    if (sent) return 0;
  }
}

static int hear(work_channel *base, size_t *peer, char **line) {
  const channel *const c = (const channel *)base;
  MPI_Message message;
  MPI_Status status;
  int there = 0, length;
  for (long sleep_ns = first_sleep_ns;; wait_a_little(c, &sleep_ns)) {
    if (MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &message, &status))
      return WORK_FAILED;
    if (there) break;
  }
  if (MPI_Get_count(&status, MPI_CHAR, &length) || !(*line = malloc((size_t)length + 1)) ||
      MPI_Mrecv(*line, length, MPI_CHAR, &message, MPI_STATUS_IGNORE))
    return WORK_FAILED;
  (*line)[length] = '\0';
  *peer = c->rank ? 0 : (size_t)status.MPI_SOURCE - 1;
  return WORK_HEARD;
}

static void close_all(work_channel *base) {
  MPI_Finalize();
  free(base);
}

static work_channel *begin(bool quiet) {
  channel *const c = malloc(sizeof *c);
  int ranks;
  if (!c || MPI_Init(NULL, NULL)) {
    free(c);
    return NULL;
  }
  *c = (channel){.base = {.tell = tell, .hear = hear, .close = close_all},
                 .sleep_max_ns = quiet ? quiet_sleep_max_ns : sleep_max_ns};
  MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  c->base.count = c->rank ? 1 : (size_t)ranks - 1;
  return &c->base;
}

const work_module mpi_work_module = {begin};
