/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of the environment that goes with every result: machine, build, libraries, clock. It
 * names no host and no user. */
#ifndef MEASURE_ENVIRONMENT_H
#define MEASURE_ENVIRONMENT_H

#include <jansson.h>

#include "measure.h"

/*
 * A new object, or NULL when memory is out; the caller adds what it alone knows (MuJoCo, seed) and
 * decrefs it. Members (null where the system does not tell):
 *   date                  UTC, ISO 8601
 *   cpu, cores, kernel, governor, load_average[3], other_tasks (ready to run, as a rule)
 *   isa_flags             {avx, avx2, avx512f, fma}; null when the processor is no x86
 *   compiler, compiler_flags, build_type, isa (ESS_ISA), isa_compiled (what the compiler's own
 *                         macros say), sanitizers (empty when none)
 *   git_commit, git_dirty as of the build: the commit that was compiled, and whether sources differ
 *   gsl
 *   clock, clock_resolution_ns
 *   pinned_core           `pinned_core`, or null when it is negative
 *   warnings              array of lines that say why the times may not be trusted; append freely
 */
json_t *measure_environment(int pinned_core);

/* The warnings that a record gives rise to: a new array of strings, or NULL without memory. */
json_t *measure_environment_warnings(const json_t *record);

#endif
