/*
 * essbench schema and columns: what studies' results are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "json_file.h"
#include "study_run.h"

enum { NAMES_SIZE = 256 };

__attribute__((noreturn)) static void refuse(const arguments *given) {
  char names[NAMES_SIZE] = "";
  command c;
  for (size_t i = 0; command_at(i, &c); i++)
    if (c.study)
      snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
               c.name);
  command_usage(given, "%.60s is no study; there are %s", given->positionals[0], names);
}

static int print_schema(arguments *given) {
  const study *const s = study_find(given->positionals[0]);
  if (!s) refuse(given);
  json_t *const schema = study_schema(s);
  const int failed = !schema || measure_json_print(schema, stdout);
  json_decref(schema);
  return failed ? command_fail(given, "out of memory") : COMMAND_SUCCESS;
}

static int print_columns(arguments *given) {
  command c;
  (void)given;
  fputs("# Columns\n\nWhat the files of results hold. Written by `essbench columns`.\n", stdout);
  for (size_t i = 0; command_at(i, &c); i++) {
    if (!c.study) continue;
    putchar('\n');
    study_reference(c.study, stdout);
  }
  return COMMAND_SUCCESS;
}

const command schema_command = {
    .name = "schema",
    .summary = "the JSON Schema of a study's results",
    .positional = "STUDY",
    .run = print_schema,
};

const command columns_command = {
    .name = "columns",
    .summary = "what the columns of all studies' results mean, as Markdown",
    .run = print_columns,
};
