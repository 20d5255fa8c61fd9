/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "process.h"

extern char **environ;

enum { PATH_SIZE = 4096 };

/* its screen into a file, and what it says of itself to *said. 0, or an error number */
static int spawn(char *const word[], const char *screen, pid_t *child, int *said) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, screen, O_WRONLY | O_CREAT | O_TRUNC,
                                   0666);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const int error = posix_spawn(child, "/proc/self/exe", &actions, NULL, word, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  *said = ends[0];
  if (error) close(ends[0]);
  return error;
}

/* the last line that is neither a warning nor progress, without the name of who says it */
static void listen_to(int said, const char *command, char text[CHILD_TEXT_SIZE]) {
  char who[64];
  FILE *const stream = fdopen(said, "r");
  char *line = NULL;
  size_t size = 0;
  const size_t length = (size_t)snprintf(who, sizeof who, "essbench %s: ", command);
  *text = '\0';
  while (stream && getline(&line, &size, stream) >= 0) {
    if (!strncmp(line, "warning: ", 9) || !strncmp(line, "progress: ", 10)) continue;
    const char *const from = strncmp(line, who, length) ? line : line + length;
    snprintf(text, CHILD_TEXT_SIZE, "%.*s", (int)strcspn(from, "\r\n"), from);
  }
  free(line);
  if (stream)
    fclose(stream);
  else
    close(said);
}

int child_run(study_run *run, char *const word[], const char *folder, char text[CHILD_TEXT_SIZE],
              int *status) {
  char screen[PATH_SIZE];
  pid_t child;
  int said = -1;
  snprintf(screen, sizeof screen, "%s/screen.txt", folder);
  if (measure_folder_create(folder, run->message)) return -1;
  const int error = spawn(word, screen, &child, &said);
  if (error) return measure_fail(run->message, "cannot start a process: %s", strerror(error));
  interrupts_pass_on(&child, 1);
  listen_to(said, word[1], text);
  *status = process_wait(child);
  interrupts_pass_on(NULL, 0);
  if (strstr(text, "the same command goes on")) study_goes_on(run);
  if (*run->interrupted) return measure_fail(run->message, "interrupted");
  if (*status && !*text) snprintf(text, CHILD_TEXT_SIZE, "ended with status %d", *status);
  return 0;
}
