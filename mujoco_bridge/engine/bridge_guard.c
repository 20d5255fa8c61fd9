/*
 * MuJoCo reports errors through a handler that must not return, and by default ends the process and
 * writes a log file. Here an error jumps back to the call that caused it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bridge_guard.h"

#include <ctype.h>
#include <mujoco/mujoco.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct guard {
  jmp_buf back;
  bridge_complaint *complaint;
} guard;

/* MuJoCo's handlers carry no context, so the guard in force has to be found from the thread */
static _Thread_local guard *active;

void bridge_one_line(char *line, size_t size, const char *text) {
  size_t length = 0;
  for (; *text && length + 1 < size; ++text) {
    const bool blank = isspace((unsigned char)*text);
    if (blank && (length == 0 || line[length - 1] == ' ')) continue;
    line[length++] = blank ? ' ' : *text;
  }
  if (length > 0 && line[length - 1] == ' ') --length;
  line[length] = '\0';
}

/* who had the handlers before: they stay theirs where no guard is in force */
static void (*error_before)(const char *), (*warning_before)(const char *);

static void on_error(const char *text) {
  if (!active && error_before) error_before(text);
  // nobody can take the error, and MuJoCo must not go on
  if (!active) {
    fprintf(stderr, "mujoco: %s\n", text);
    abort();
  }
  active->complaint->error = true;
  bridge_one_line(active->complaint->text, BRIDGE_TEXT_SIZE, text);
  longjmp(active->back, 1);
}

static void on_warning(const char *text) {
  if (!active) {
    if (warning_before) warning_before(text);
    return;
  }
  if (active->complaint->warnings++ == 0)
    bridge_one_line(active->complaint->text, BRIDGE_TEXT_SIZE, text);
}

/* the process's own: written only where they are another's, since other threads may be reading */
static void take_handlers(void) {
  if (mju_user_error != on_error) {
    error_before = mju_user_error;
    mju_user_error = on_error;
  }
  if (mju_user_warning != on_warning) {
    warning_before = mju_user_warning;
    mju_user_warning = on_warning;
  }
}

bool bridge_guarded(void (*work)(void *context), void *context, bridge_complaint *complaint) {
  guard here = {.complaint = complaint};
  *complaint = (bridge_complaint){0};
  take_handlers();
  active = &here;
  if (setjmp(here.back) == 0) work(context);
  active = NULL;
  return !complaint->error && complaint->warnings == 0;
}
