/*
 * essbench schema and columns: what studies' results are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "commands.h"
#include "json_file.h"
#include "studies.h"
#include "study_run.h"

enum { NAMES_SIZE = 256 };

__attribute__((noreturn)) static void refuse(const arguments *given) {
  char names[NAMES_SIZE] = "";
  for (size_t i = 0; studies[i]; i++) command_list(names, sizeof names, studies[i]->name);
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
  (void)given;
  fputs("# Columns\n\nWhat the files of results hold. Written by `essbench columns`.\n", stdout);
  for (size_t i = 0; studies[i]; i++) {
    putchar('\n');
    study_reference(studies[i], stdout);
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
