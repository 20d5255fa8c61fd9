/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This program as a process: what interrupts it, where its files are, whether it is one of several
 * ranks, and how those end that it starts. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "record.h"

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Catches SIGINT and SIGTERM from now on, for the rest of the program: they end measuring after the
 * present sample, and what is done is written. The flag becomes nonzero with the first. */
const volatile int *interrupts_catch(void);

/* They go to these processes as well, one that came before too; NULL and 0 once they have ended. */
void interrupts_pass_on(const pid_t child[], size_t count);

/* Waits for a process: its exit status, or 128 and the signal that ended it. */
int process_wait(pid_t child);

/* What the program ends with: `status`, or where it failed after an interrupt, 128 and the signal's
 * number, as shells have it. */
int interrupts_status(int status);

/* ---- place ----------------------------------------------------------------------------------- */

/* The program's own path; false where it is not known. */
bool place_program(char path[RECORD_PATH_SIZE]);

/* The file or folder `installed`, below the prefix whose bin/ holds the program, if there is one;
 * else `built`. */
const char *place_of(const char *installed, const char *built, char path[RECORD_PATH_SIZE]);

/* ---- host ------------------------------------------------------------------------------------ */

/* The name of the machine, which ESSBENCH_HOST can replace; static storage. */
const char *process_host(void);

#endif
