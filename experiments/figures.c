/*
 * essbench figures: draws, with gnuplot, every figure whose data are there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "files.h"
#include "record.h"

extern char **environ;

/* a figure, and the file whose presence says that it can be drawn */
typedef struct figure {
  const char *name, *data;
} figure;

static const figure figures[] = {
    {"fig3_1_projection", "projection_path.csv"},
    {"fig4_1_order", "order.csv"},
    {"fig5_1_calibration", "calibration_trajectory.csv"},
    {"calibration_epsilon", "calibration.csv"},
    {"fig5_2_marginal", "sweep.csv"},
    {"runtime_vs_n", "sweep.csv"},
    {"error_vs_n", "sweep.csv"},
};
static const char *const formats[] = {"svg", "pdf", "png"};

/* runs gnuplot and waits; its own messages go to the standard error */
static int run_gnuplot(const char *settings, const char *script) {
  char *const argv[] = {"gnuplot", "-e", (char *)(uintptr_t)settings, (char *)(uintptr_t)script,
                        NULL};
  pid_t child;
  const int error = posix_spawnp(&child, "gnuplot", NULL, NULL, argv, environ);
  if (error) {
    errno = error;
    return -1;
  }
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  errno = 0;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* gnuplot's single-quoted string, in which a quote is doubled */
static int quote(char *out, size_t size, const char *text) {
  size_t used = 0;
  for (; *text; text++) {
    if (used + 3 > size) return -1;
    if (*text == '\'') out[used++] = '\'';
    out[used++] = *text;
  }
  out[used] = '\0';
  return 0;
}

static int draw(const arguments *given, const figure *f) {
  char data[RECORD_PATH_SIZE], settings[3 * RECORD_PATH_SIZE], script[RECORD_PATH_SIZE];
  if (quote(data, sizeof data, given->folder) || record_path(script, ESSBENCH_PLOTS, f->name))
    return command_fail(given, "the path of the results folder is too long");
  strncat(script, ".gp", sizeof script - strlen(script) - 1);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    snprintf(settings, sizeof settings, "data='%s'; out='%s/figures'; format='%s'", data, data,
             formats[i]);
    if (run_gnuplot(settings, script))
      return command_fail(given, "gnuplot did not draw %s.%s%s%s", f->name, formats[i],
                          errno ? ": " : "", errno ? strerror(errno) : "");
  }
  return COMMAND_SUCCESS;
}

static int run(arguments *given) {
  char path[RECORD_PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  if (record_path(path, given->folder, "figures") || measure_folder_create(path, message))
    return command_fail(given, "%s", message);
  // the labels are UTF-8, and gnuplot complains where the user's locale is not
  setenv("LC_ALL", "C.UTF-8", 1);
  size_t drawn = 0;
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    if (record_path(path, given->folder, figures[i].data) || access(path, R_OK) != 0) continue;
    const int status = draw(given, &figures[i]);
    if (status) return status;
    printf("%s/figures/%s.{svg,pdf,png}\n", given->folder, figures[i].name);
    drawn++;
  }
  if (!drawn)
    return command_fail(given, "%s holds no results; run order, calibrate or sweep first",
                        given->folder);
  return COMMAND_SUCCESS;
}

const command figures_command = {
    .name = "figures",
    .summary = "draw every figure whose results are there",
    .groups = ARGUMENTS_FOLDER,
    .run = run,
};
