/*
 * essbench work-precision: every method on one model, error against time and evaluations.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "work_precision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "commands.h"
#include "interrupts.h"
#include "record.h"
#include "resume.h"
#include "solvers.h"

/* measures what is missing, and finishes the journal */
static int measure(precision_case *c, char *message) {
  measure_journal *journal;
  if (precision_journal_open(&journal, c, message)) return -1;
  int status = precision_measure(c, journal, message);
  if (status > 0)
    measure_message(message, "interrupted; the same command goes on from here");
  else if (!status)
    status = resume_finish(journal, message);
  measure_journal_close(journal);
  return status;
}

/* the file as it then is, of which this model's points are shown */
static int show(const precision_case *c, char *message) {
  precision_results results;
  if (precision_results_read(&results, c->given->folder, message)) return -1;
  size_t first = 0;
  const char *const name = c->m->type->name;
  while (first < results.count &&
         (strcmp(results.row[first].text[PRECISION_MODEL], name) != 0 ||
          results.row[first].number[PRECISION_CONTACTS] != (double)c->contacts))
    first++;
  precision_print(results.row + first, c->count);
  printf("results in %s/work_precision.csv, work_precision.json\n", c->given->folder);
  precision_results_free(&results);
  return 0;
}

/* a file of results that can be read, and from which --methods would take nothing away */
static int check_earlier(const arguments *given, const bool chosen[], char *message) {
  precision_results earlier;
  if (precision_results_read(&earlier, given->folder, message)) return -1;
  const char *const lost =
      given->methods ? precision_results_lose(&earlier, &given->m, chosen) : NULL;
  if (lost)
    measure_message(message,
                    "%s holds this model measured with %s, which --methods leaves out and would "
                    "delete; give another --out, or name it, too",
                    given->folder, lost);
  precision_results_free(&earlier);
  return lost ? -1 : 0;
}

static int compare(arguments *given, const bool chosen[], char *message) {
  char warning[MEASURE_MESSAGE_SIZE];
  precision_case c = {0};
  if (check_earlier(given, chosen, message)) return command_fail(given, "%s", message);
  const int core = measure_pin_core(-1, warning);
  if (record_open(given, core)) return COMMAND_FAILURE;
  int status = precision_case_init(&c, &given->m, given, chosen, message);
  c.interrupted = interrupts_catch();
  c.core = core;
  if (!status) status = measure(&c, message);
  if (!status) status = precision_write(&c, message);
  if (!status) status = show(&c, message);
  precision_case_free(&c);
  return status ? command_fail(given, "%s", message) : COMMAND_SUCCESS;
}

/* the results' table, nothing being measured */
static int print_table(const arguments *given) {
  char message[MEASURE_MESSAGE_SIZE];
  precision_results results;
  if (precision_results_read(&results, given->folder, message))
    return command_fail(given, "%s", message);
  if (!results.count)
    return command_fail(given, "%s holds no work_precision.json; run work-precision first",
                        given->folder);
  precision_print_table(&results);
  precision_results_free(&results);
  return COMMAND_SUCCESS;
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  if (given->table) return print_table(given);
  bool *const chosen = calloc(precision_method_count, sizeof *chosen);
  if (!chosen) return command_fail(given, "out of memory");
  precision_choose_methods(given, chosen);
  int status = model_prepare(&given->m, message);
  if (!status) status = precision_check_methods(&given->m, chosen, message);
  status = status ? command_stop(given, status, message) : compare(given, chosen, message);
  free(chosen);
  return status;
}

const command work_precision_command = {
    .name = "work-precision",
    .summary = "every method over its own accuracy knob: error against time and evaluations",
    .groups = ARGUMENTS_PRECISION | ARGUMENTS_MODEL | ARGUMENTS_FOLDER | ARGUMENTS_SEED |
              ARGUMENTS_STRICT,
    .example = "essbench work-precision --model plate --contacts 100",
    .run = run,
};
