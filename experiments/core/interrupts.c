/*
 * Interrupts that are noted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "interrupts.h"

#include <signal.h>

/* what a signal handler may touch */
static volatile int interrupted;

static void note_signal(int signal) {
  (void)signal;
  interrupted = 1;
}

const volatile int *interrupts_catch(void) {
  struct sigaction action = {.sa_handler = note_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &interrupted;
}
