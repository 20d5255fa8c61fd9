/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench columns: what studies' results are. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "names.h"
#include "studies.h"
#include "study_run.h"

__attribute__((noreturn)) static void refuse(const arguments *given) {
  const char *const name = given->positionals[0];
  names known = names_for(name, strlen(name));
  for (size_t i = 0; studies[i]; i++) names_add(&known, studies[i]->name);
  command_usage(given, "%.60s is not a study; %sthere are %s", name, names_hint(&known, ""),
                known.list);
}

static int print_columns(arguments *given) {
  if (given->positionals[0]) {
    const study *const s = study_find(given->positionals[0]);
    if (!s) refuse(given);
    study_reference(s, stdout);
    return COMMAND_SUCCESS;
  }
  fputs("# Columns\n\nWhat the files of results hold. Written by `essbench columns`.\n", stdout);
  for (size_t i = 0; studies[i]; i++) {
    putchar('\n');
    study_reference(studies[i], stdout);
  }
  return COMMAND_SUCCESS;
}

const command columns_command = {
    .name = "columns",
    .summary = "meaning of the columns of a study's results, or of all studies', as Markdown",
    .positional = "[STUDY]",
    .run = print_columns,
};
