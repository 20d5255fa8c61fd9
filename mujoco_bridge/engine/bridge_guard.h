/*
 * Private to the bridge: calls into MuJoCo from which its errors and warnings come back as text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BRIDGE_GUARD_H
#define BRIDGE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum { BRIDGE_TEXT_SIZE = 384 };

/* The messages of MuJoCo while it was guarded. */
typedef struct bridge_complaint {
  bool error;                  /* it gave up: the call did not finish */
  size_t warnings;             /* it went on */
  char text[BRIDGE_TEXT_SIZE]; /* the error, or else the first warning; one line, may be empty */
} bridge_complaint;

/*
 * Calls work(context). True when it finished without a word from MuJoCo. After an error MuJoCo's
 * stack is left as it was: mj_resetData before using the same mjData again. Guards do not nest.
 */
bool bridge_guarded(void (*work)(void *context), void *context, bridge_complaint *complaint);

/* Copies `text` as one line: runs of blanks and line ends become one blank. */
void bridge_one_line(char *line, size_t size, const char *text);

#endif
