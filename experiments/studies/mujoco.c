/*
 * essbench mujoco: MuJoCo at its best. Every setting of its own timed against the race's, where its
 * time goes, and a failure if the race holds it back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "clock.h"
#include "commands.h"
#include "mujoco_settings.h"
#include "record.h"

/* one model, from its references to its profile */
static int measure_case(mujoco_case *c, const char *type, size_t contacts, const arguments *given,
                        char *message) {
  if (mujoco_case_init(c, type, contacts, given, message)) return -1;
  if (mujoco_follow(c, given->seed, message)) return -1;
  if (mujoco_time(c, given, message)) return -1;
  return mujoco_profile_case(c, given, message);
}

/* the hopper, then the plate with every number of contacts */
static int measure_all(mujoco_case cases[], const arguments *given, char *message) {
  if (measure_case(&cases[0], "hopper", 1, given, message)) return -1;
  for (size_t i = 0; i < given->contacts.count; i++)
    if (measure_case(&cases[i + 1], "plate", given->contacts.contacts[i], given, message))
      return -1;
  return 0;
}

int mujoco_check(const mujoco_case cases[], size_t count, char message[SOLVER_MESSAGE_SIZE]) {
  for (size_t i = 0; i < count * mujoco_variant_count; i++) {
    const mujoco_case *const c = &cases[i / mujoco_variant_count];
    const mujoco_row *const row = &c->row[i % mujoco_variant_count];
    if (row->verdict == MUJOCO_FASTER) {
      measure_message(message,
                      "%s, N = %zu: %s %s leaves the trajectory unchanged and takes %.3f [%.3f, "
                      "%.3f] of the time of the race's settings, which must be the fastest",
                      c->m.type->name, c->contacts, mujoco_variant_base(row->variant),
                      row->variant->changes, row->confirmed.estimate, row->confirmed.low,
                      row->confirmed.high);
      return -1;
    }
    if (row->variant == &mujoco_variants[MUJOCO_RACE] && row->verdict != MUJOCO_IS_THE_RACE) {
      measure_message(message,
                      "%s, N = %zu: the race's settings change MuJoCo's trajectory by %.2g; %.0g "
                      "is accepted",
                      c->m.type->name, c->contacts, row->difference, MUJOCO_UNCHANGED);
      return -1;
    }
  }
  return 0;
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE], warning[MEASURE_MESSAGE_SIZE];
  const int core = measure_pin_core(-1, warning);
  if (record_open(given, core)) return COMMAND_FAILURE;
  const size_t count = given->contacts.count + 1;
  mujoco_case *const cases = calloc(count, sizeof *cases);
  if (!cases) return command_fail(given, "out of memory");
  int status = measure_all(cases, given, message);
  if (!status) status = mujoco_write(cases, count, given, core, message);
  if (!status) {
    mujoco_print(cases, count, given);
    status = mujoco_check(cases, count, message);
  }
  for (size_t i = 0; i < count; i++) mujoco_case_free(&cases[i]);
  free(cases);
  return status ? command_fail(given, "%s", message) : COMMAND_SUCCESS;
}

const command mujoco_command = {
    .name = "mujoco",
    .summary = "MuJoCo at its best: every setting of its own against the race's, and its profile",
    .groups = ARGUMENTS_ENGINE | ARGUMENTS_FOLDER | ARGUMENTS_SEED | ARGUMENTS_STRICT,
    .example = "essbench mujoco --contacts 2,100 --trials 30",
    .run = run,
};
