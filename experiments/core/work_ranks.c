/*
 * Workers that mpirun has started, on this machine or on others: rank 0 leads, all others work.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "mpi_lines.h"
#include "ranks.h"
#include "work.h"

/* between two looks for a line, at most */
static const long sleep_ns = 1000000, quiet_sleep_ns = 20000000;

typedef struct channel {
  work_channel base;
  const mpi_lines *lines;
  size_t rank;
} channel;

/* rank 0 is the one peer of each worker; worker k is rank k + 1 */
static int tell(work_channel *base, size_t peer, const char *line) {
  const channel *const c = (const channel *)base;
  return c->lines->tell(c->rank ? 0 : peer + 1, line);
}

static int hear(work_channel *base, size_t *peer, char **line) {
  const channel *const c = (const channel *)base;
  size_t rank;
  if (c->lines->hear(&rank, line)) return WORK_FAILED;
  *peer = c->rank ? 0 : rank - 1;
  return WORK_HEARD;
}

static void close_all(work_channel *base) {
  channel *const c = (channel *)base;
  c->lines->finish();
  free(c);
}

#ifdef ESSBENCH_MPI
/* it stays loaded: MPI is begun once in a program's life */
static const mpi_lines *load(char *message) {
  void *const module = dlopen(ESSBENCH_MPI, RTLD_NOW | RTLD_GLOBAL);
  const mpi_lines *const lines = module ? dlsym(module, MPI_LINES_MODULE) : NULL;
  if (!lines) measure_message(message, "cannot load MPI: %s", dlerror());
  return lines;
}
#else
static const mpi_lines *load(char *message) {
  measure_message(message, "this essbench was built without MPI; run it without mpirun, or "
                           "configure it again where libopenmpi-dev is installed");
  return NULL;
}
#endif

work_channel *work_ranks_join(bool quiet, char message[MEASURE_MESSAGE_SIZE]) {
  size_t count;
  const mpi_lines *const lines = load(message);
  channel *const c = lines ? calloc(1, sizeof *c) : NULL;
  if (!lines) return NULL;
  if (!c || lines->start(quiet ? quiet_sleep_ns : sleep_ns, &c->rank, &count)) {
    measure_message(message, "cannot begin MPI");
    free(c);
    return NULL;
  }
  c->lines = lines;
  c->base = (work_channel){
      .count = c->rank ? 1 : count - 1, .tell = tell, .hear = hear, .close = close_all};
  ranks_speak();
  return &c->base;
}
