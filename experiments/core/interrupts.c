/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "interrupts.h"

#include <errno.h>
#include <signal.h>

/* what a signal handler may touch: the signal that came first, and who is to be told of it */
static volatile int interrupted;
static const pid_t *volatile children;
static volatile size_t child_count;

static void tell_children(int signal) {
  const int error = errno;
  for (size_t i = 0; i < child_count; i++) kill(children[i], signal);
  errno = error;
}

static void note_signal(int signal) {
  if (!interrupted) interrupted = signal;
  tell_children(signal);
}

const volatile int *interrupts_catch(void) {
  struct sigaction action = {.sa_handler = note_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &interrupted;
}

void interrupts_pass_on(const pid_t child[], size_t count) {
  child_count = 0;
  children = child;
  child_count = count;
  if (interrupted) tell_children(interrupted);
}

int interrupts_status(int status) {
  return status && interrupted ? 128 + interrupted : status;
}
