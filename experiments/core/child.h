/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another command of this program as a process of its own, since what it runs may end the one that
 * it is in. */
#ifndef CHILD_H
#define CHILD_H

#include "study.h"

enum { CHILD_TEXT_SIZE = 512 };

/* Runs the words "essbench", COMMAND, ..., NULL; what it prints goes to screen.txt in the folder,
 * which is made. *text is the last line that it says of itself, *status its exit status, or 128 and
 * the signal that ended it. 0, or -1 with one line. */
int child_run(study_run *run, char *const word[], const char *folder, char text[CHILD_TEXT_SIZE],
              int *status);

#endif
