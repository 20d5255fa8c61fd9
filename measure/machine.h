/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the machine a measurement runs on, as Linux tells them. */
#ifndef MEASURE_MACHINE_H
#define MEASURE_MACHINE_H

#include <jansson.h>
#include <stdio.h>

/* The first members of the record of the environment (environment.h), from cpu to other_tasks: a
 * new object. Watches the machine for a tenth of a second; `core` is the core measured on, or
 * negative when that is not fixed. */
json_t *measure_machine(int core);

/* Of those, what comes from a stream in the format of /proc/cpuinfo: cpu and isa_flags. */
void measure_machine_parse_cpuinfo(FILE *stream, json_t *facts);

/* Tasks ready to run beside the calling one, from a stream in the format of /proc/loadavg; -1 when
 * it does not tell. */
long measure_machine_parse_loadavg(FILE *stream);

#endif
