/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interrupts (SIGINT, SIGTERM) that end measuring after the present sample instead of the program:
 * what is done is written. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stddef.h>
#include <sys/types.h>

/* Catches them from now on, for the rest of the program. The flag becomes nonzero with the first.
 */
const volatile int *interrupts_catch(void);

/* They go to these processes as well, one that came before too; NULL and 0 once they have ended. */
void interrupts_pass_on(const pid_t child[], size_t count);

/* What the program ends with: `status`, or where it failed after an interrupt, 128 and the signal's
 * number, as shells have it. */
int interrupts_status(int status);

#endif
