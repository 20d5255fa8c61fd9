/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench merge: the shares of studies in a folder become its results. */
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "process.h"
#include "studies.h"
#include "study_run.h"

extern char **environ;

/* The study's own command finds all cells in the folder's database, and makes the results. It may
 * have been given another name of the folder. */
static int conclude(const arguments *given, const json_t *words) {
  const size_t count = json_array_size(words);
  char *argv[count + 4], program[] = "essbench", out[] = "--out";
  pid_t child;
  argv[0] = program;
  for (size_t i = 0; i < count; i++)
    argv[i + 1] = (char *)(uintptr_t)json_string_value(json_array_get(words, i));
  argv[count + 1] = out;
  argv[count + 2] = (char *)(uintptr_t)given->folder;
  argv[count + 3] = NULL;
  fflush(stdout);
  const int error = posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ);
  if (error) return command_fail(given, "cannot start a process: %s", strerror(error));
  interrupts_pass_on(&child, 1);
  const int status = process_wait(child);
  interrupts_pass_on(NULL, 0);
  return status;
}

static int run(arguments *given) {
  char message[MEASURE_MESSAGE_SIZE];
  json_t *const commands = json_array(), *const files = json_array(), *item;
  size_t i;
  interrupts_catch();
  int status = 0;
  if (study_share_merge(given->folder, study_find, commands, files, message))
    status = command_fail(given, "%s", message);
  json_array_foreach(commands, i, item) if (!status) status = conclude(given, item);
  // their cells are in the folder's database
  if (!status) json_array_foreach(files, i, item) unlink(json_string_value(item));
  json_decref(commands);
  json_decref(files);
  return status;
}

const command merge_command = {
    .name = "merge",
    .summary = "take in the shares of studies, and write their results",
    .example = "essbench merge --out results",
    .groups = ARGUMENTS_FOLDER,
    .run = run,
};
