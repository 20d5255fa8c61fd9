/*
 * essbench crossing-cost: what a crossing costs every method at the same error, from a few contacts
 * to a thousand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crossing_cost.h"

#include <stdlib.h>

#include "clock.h"
#include "commands.h"
#include "interrupts.h"
#include "record.h"
#include "resume.h"

static int allocate(crossing *all) {
  const size_t rows = all->given->contacts.count * precision_method_count;
  all->entries = json_array();
  all->chosen = calloc(precision_method_count, sizeof *all->chosen);
  all->choice = calloc(precision_method_count, sizeof *all->choice);
  all->row = calloc(rows, sizeof *all->row);
  if (all->entries && all->chosen && all->choice && all->row) return 0;
  measure_message(all->message, "out of memory");
  return -1;
}

static void release(crossing *all) {
  json_decref(all->entries);
  free(all->chosen);
  free(all->choice);
  free(all->row);
}

static int measure_all(crossing *all) {
  const contacts_range *const range = &all->given->contacts;
  if (crossing_journal_open(all)) return -1;
  int status = 0;
  for (size_t i = 0; !status && i < range->count; i++)
    status = crossing_measure(all, range->contacts[i]);
  if (status > 0)
    measure_message(all->message, "interrupted; the same command goes on from here");
  else if (!status)
    status = resume_finish(all->journal, all->message);
  measure_journal_close(all->journal);
  return status;
}

/* what every method refuses is told before anything is waited for or written */
static int check_methods(const crossing *all) {
  model m = all->given->m;
  m.data = NULL;
  int status = model_set(&m, "contacts", (double)all->given->contacts.contacts[0], all->message);
  if (!status) status = model_prepare(&m, all->message);
  if (!status) status = precision_check_methods(&m, all->chosen, all->message);
  model_release(&m);
  return status;
}

static int measure_and_write(crossing *all, arguments *given) {
  char warning[MEASURE_MESSAGE_SIZE];
  all->core = measure_pin_core(-1, warning);
  if (record_open(given, all->core)) return COMMAND_FAILURE;
  all->interrupted = interrupts_catch();
  if (measure_all(all)) return command_fail(given, "%s", all->message);
  crossing_find_coincidences(all->row, all->count, all->methods);
  if (crossing_write(given, all->row, all->count, all->core, all->message))
    return command_fail(given, "%s", all->message);
  crossing_print(given, all->row, all->count);
  return COMMAND_SUCCESS;
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE] = "";
  crossing all = {.given = given, .message = message};
  int status = allocate(&all);
  if (!status) {
    precision_choose_methods(given, all.chosen);
    for (size_t i = 0; i < precision_method_count; i++) all.methods += all.chosen[i];
    status = check_methods(&all);
  }
  status = status ? command_stop(given, status, message) : measure_and_write(&all, given);
  release(&all);
  return status;
}

const command crossing_cost_command = {
    .name = "crossing-cost",
    .summary = "every method's cost of a crossing at the same error, over numbers of contacts",
    .groups =
        ARGUMENTS_CROSSING | ARGUMENTS_MODEL | ARGUMENTS_FOLDER | ARGUMENTS_SEED | ARGUMENTS_STRICT,
    .model = "plate",
    .example = "essbench crossing-cost --contacts 2,10,100 --target 1e-3",
    .run = run,
};
