/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

extern char **environ;

static int spawn(const char *settings, const char *script, pid_t *child) {
  char *const argv[] = {"gnuplot", "-e", (char *)(uintptr_t)settings, (char *)(uintptr_t)script,
                        NULL};
  // the labels are UTF-8, and gnuplot complains where the user's locale is not
  setenv("LC_ALL", "C.UTF-8", 1);
  return posix_spawnp(child, "gnuplot", NULL, NULL, argv, environ);
}

int gnuplot_run(const char *settings, const char *script, char message[MEASURE_MESSAGE_SIZE]) {
  char folder[RECORD_PATH_SIZE], path[RECORD_PATH_SIZE];
  pid_t child;
  const int error = spawn(
      settings, record_path(path, place_of("share/essbench/plots", ESSBENCH_PLOTS, folder), script),
      &child);
  if (error == ENOENT)
    return measure_fail(message, "it is not installed; apt-get install gnuplot-nox");
  if (error) return measure_fail(message, "%s", strerror(error));
  interrupts_pass_on(&child, 1);
  const int status = process_wait(child);
  interrupts_pass_on(NULL, 0);
  message[0] = '\0';
  return status ? -1 : 0;
}

int gnuplot_quote(char *out, size_t size, const char *text) {
  size_t used = 0;
  for (; *text; text++) {
    if (used + 3 > size) return -1;
    if (*text == '\'') out[used++] = '\'';
    out[used++] = *text;
  }
  out[used] = '\0';
  return 0;
}
