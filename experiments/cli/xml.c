/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench xml: the MJCF of a model. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "files.h"
#include "mjcf.h"

/* the whole text to the standard output, unless its reader leaves, as `head` does */
static int print(const arguments *given, const char *text) {
  if ((fputs(text, stdout) == EOF || fflush(stdout) == EOF) && errno == EPIPE)
    return COMMAND_FAILURE;
  if (ferror(stdout))
    return command_fail(given, "cannot write to the standard output: %s", strerror(errno));
  return COMMAND_SUCCESS;
}

/* the whole text to the file, or the file stays as it was */
static int save(const arguments *given, const char *text) {
  char message[MEASURE_MESSAGE_SIZE];
  measure_file *file;
  if (measure_file_open(&file, given->file, message)) return command_fail(given, "%s", message);
  fputs(text, measure_file_stream(file));
  if (measure_file_commit(file, message)) return command_fail(given, "%s", message);
  return COMMAND_SUCCESS;
}

static int run(arguments *given) {
  char message[MODEL_MESSAGE_SIZE], *text;
  mjcf_contact contact;
  int status = model_prepare(&given->m, message);
  if (status) return command_stop(given, status, message);
  if (mjcf_contact_of(&given->m, &contact, message))
    return command_stop(given, SOLVER_REFUSED, message);
  mjcf_options options = mjcf_options_default();
  options.time_step = given->m.type->time_step;
  if (mjcf_write(&given->m, &options, &text, NULL, message))
    return command_fail(given, "%s", message);
  status = given->file ? save(given, text) : print(given, text);
  free(text);
  return status;
}

const command xml_command = {
    .name = "xml",
    .summary = "write a model as MJCF, MuJoCo's XML",
    .example = "essbench xml plate --contacts 10 > plate.xml",
    .groups = ARGUMENTS_MODEL | ARGUMENTS_FILE,
    .positional = "MODEL",
    .run = run,
};
