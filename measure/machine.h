/*
 * Facts about the machine a measurement runs on, as Linux tells them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MEASURE_MACHINE_H
#define MEASURE_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

/* Texts are empty and loads NaN where the system does not tell. */
typedef struct measure_machine {
  char cpu[128];     /* model name */
  char kernel[256];  /* name, release and architecture; never the host's name */
  char governor[64]; /* frequency governor of the core measured on */
  long cores;        /* online */
  double load[3];    /* load averages over 1, 5 and 15 minutes */
  long others;       /* tasks ready to run beside this one, as a rule; -1 unknown */
  bool x86;          /* whether the four below mean anything */
  bool avx, avx2, avx512f, fma;
} measure_machine;

/* Reads everything, watching the machine for a tenth of a second; `core` is the core measured on,
 * or negative when that is not fixed. */
void measure_machine_read(int core, measure_machine *out);

/* The part that comes from a stream in the format of /proc/cpuinfo: cpu, x86 and the ISA flags. */
void measure_machine_parse_cpuinfo(FILE *stream, measure_machine *out);

/* Tasks ready to run beside the calling one, from a stream in the format of /proc/loadavg; -1 when
 * it does not tell. */
long measure_machine_parse_loadavg(FILE *stream);

#endif
