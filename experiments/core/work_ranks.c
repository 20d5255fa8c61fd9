/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the module whose workers are ranks of MPI. */
#include <dlfcn.h>

#include "place.h"
#include "ranks.h"
#include "work.h"

#ifdef ESSBENCH_MPI
/* it stays loaded: MPI is begun once in a program's life */
work_channel *work_ranks_join(bool quiet, char message[MEASURE_MESSAGE_SIZE]) {
  char path[RECORD_PATH_SIZE];
  void *const library =
      dlopen(place_of("lib/essbench/essbench_mpi.so", ESSBENCH_MPI, path), RTLD_NOW | RTLD_GLOBAL);
  const work_module *const module = library ? dlsym(library, "mpi_work_module") : NULL;
  work_channel *const c = module ? module->begin(quiet) : NULL;
  if (!module)
    measure_message(message, "cannot load MPI: %s", dlerror());
  else if (!c)
    measure_message(message, "cannot begin MPI");
  else
    ranks_speak();
  return c;
}
#else
work_channel *work_ranks_join(bool quiet, char message[MEASURE_MESSAGE_SIZE]) {
  (void)quiet;
  measure_message(message, "this essbench was built without MPI; run it without mpirun, or "
                           "configure it again where libopenmpi-dev is installed");
  return NULL;
}
#endif
