/*
 * Interrupts (SIGINT, SIGTERM) that end measuring after the present sample instead of the program:
 * what is done is written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

/* Catches them from now on, for the rest of the program. The flag becomes nonzero with the first.
 */
const volatile int *interrupts_catch(void);

#endif
