/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

int process_wait(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int interrupts_status(int status) {
  return status && interrupted ? 128 + interrupted : status;
}

/* ---- place ----------------------------------------------------------------------------------- */

bool place_program(char path[RECORD_PATH_SIZE]) {
  const ssize_t length = readlink("/proc/self/exe", path, RECORD_PATH_SIZE - 1);
  path[length > 0 ? length : 0] = '\0';
  return length > 0;
}

const char *place_of(const char *installed, const char *built, char path[RECORD_PATH_SIZE]) {
  char program[RECORD_PATH_SIZE];
  if (!place_program(program)) return built;
  // PREFIX/bin/essbench
  for (int up = 0; up < 2 && strrchr(program, '/'); up++) *strrchr(program, '/') = '\0';
  const int needed = snprintf(path, RECORD_PATH_SIZE, "%s/%s", program, installed);
  return needed < RECORD_PATH_SIZE && access(path, F_OK) == 0 ? path : built;
}

const char *process_host(void) {
  static char name[256];
  const char *const given = getenv("ESSBENCH_HOST");
  if (given) return given;
  if (gethostname(name, sizeof name - 1)) snprintf(name, sizeof name, "unknown");
  return name;
}
