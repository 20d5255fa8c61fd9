/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine that measures, and what else a number depends on. */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <jansson.h>
#include <stdio.h>

#include "measure.h"

/* ---- machine --------------------------------------------------------------------------------- */

/* Facts about the machine a measurement runs on, as Linux tells them. */

/* The first members of the record of the environment (environment.h), from cpu to other_tasks: a
 * new object. Watches the machine for a tenth of a second; `core` is the core measured on, or
 * negative when that is not fixed. */
json_t *measure_machine(int core);

/* Of those, what comes from a stream in the format of /proc/cpuinfo: cpu and isa_flags. */
void measure_machine_parse_cpuinfo(FILE *stream, json_t *facts);

/* Tasks ready to run beside the calling one, from a stream in the format of /proc/loadavg; -1 when
 * it does not tell. */
long measure_machine_parse_loadavg(FILE *stream);

/* ---- environment ----------------------------------------------------------------------------- */

/* The record of the environment that goes with every result: machine, build, libraries, clock. It
 * names no host and no user. */

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
