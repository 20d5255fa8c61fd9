/*
 * essbench scale: libess on the plate with ever more contacts, over epsilon: error, crossings and
 * cost.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "scale.h"

#include <stdlib.h>

#include "clock.h"
#include "commands.h"
#include "interrupts.h"
#include "record.h"
#include "resume.h"

static int measure_all(scale *all) {
  if (scale_journal_open(all)) return -1;
  int status = 0;
  for (size_t i = 0; !status && i < all->given->contacts.count; i++) {
    all->case_count++;
    status = scale_case_init(all, i);
    if (!status) status = scale_measure(all, &all->cases[i]);
    if (!status) status = scale_summarize(&all->cases[i], all->message);
  }
  if (status > 0)
    measure_message(all->message, "interrupted; the same command goes on from here");
  else if (!status)
    status = resume_finish(all->journal, all->message);
  measure_journal_close(all->journal);
  return status;
}

static int measure_and_write(scale *all, arguments *given) {
  char warning[MEASURE_MESSAGE_SIZE];
  all->core = measure_pin_core(-1, warning);
  if (record_open(given, all->core)) return COMMAND_FAILURE;
  all->interrupted = interrupts_catch();
  if (measure_all(all) || scale_write(all) || scale_print(all))
    return command_fail(given, "%s", all->message);
  return COMMAND_SUCCESS;
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE] = "out of memory";
  scale all = {.given = given, .message = message};
  all.cases = calloc(given->contacts.count, sizeof *all.cases);
  all.known = json_object();
  const int status =
      all.cases && all.known ? measure_and_write(&all, given) : command_fail(given, "%s", message);
  for (size_t i = 0; i < all.case_count; i++) scale_case_free(&all.cases[i]);
  free(all.cases);
  json_decref(all.known);
  return status;
}

const command scale_command = {
    .name = "scale",
    .summary = "the plate with ever more contacts: error, crossings and cost over epsilon",
    .groups =
        ARGUMENTS_SCALE | ARGUMENTS_MODEL | ARGUMENTS_FOLDER | ARGUMENTS_SEED | ARGUMENTS_STRICT,
    .model = "plate",
    .example = "essbench scale --contacts 100,1000,10000",
    .run = run,
};
