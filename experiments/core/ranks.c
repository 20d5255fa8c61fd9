/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ranks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* by mpirun of Open MPI, by those of MPICH and Intel, and by srun */
static const struct {
  const char *rank, *count;
} variables[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"PMIX_RANK", "SLURM_NTASKS"},
};

ranks ranks_started(void) {
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *const rank = getenv(variables[i].rank), *const count = getenv(variables[i].count);
    if (rank && count) return (ranks){strtoul(rank, NULL, 10), strtoul(count, NULL, 10)};
  }
  return (ranks){0, 1};
}

/* the standard error that was, while another is in its place */
static int heard = -1;

/* a rank that ends first makes mpirun end the others, rank 0 among them before it has said why */
static void succeed(int status, void *context) {
  (void)context;
  if (status) _exit(EXIT_SUCCESS);
}

void ranks_silence(void) {
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  heard = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  close(nothing);
  on_exit(succeed, NULL);
}

void ranks_speak(void) {
  if (heard < 0) return;
  dup2(heard, STDERR_FILENO);
  close(heard);
  heard = -1;
}

const char *ranks_mpi(void) {
#ifdef ESSBENCH_MPI
  return "MPI " ESSBENCH_MPI_VERSION;
#else
  return NULL;
#endif
}

const char *ranks_host(void) {
  static char name[256];
  const char *const given = getenv("ESSBENCH_HOST");
  if (given) return given;
  if (gethostname(name, sizeof name - 1)) snprintf(name, sizeof name, "unknown");
  return name;
}
