/*
 * essbench speed: libess against MuJoCo at no worse an error, and what its time is spent on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "commands.h"
#include "interrupts.h"
#include "json_file.h"
#include "record.h"
#include "solvers.h"

/* the damping of the plate by default, N s/m, as in the model */
static const double damping = 60.0;

/* ---- measuring ------------------------------------------------------------------------------- */

/* one system; what is not measured to its end is dropped */
static int measure_case(speed_data *data, const char *type, size_t contacts, double c, bool rk4,
                        char *message) {
  speed_case *const one = &data->cases[data->count++];
  char name[SPEED_NAME_SIZE];
  int status = speed_case_init(one, type, contacts, c, rk4, data, message);
  speed_case_name(one, name);
  if (!status) status = speed_race(one, name, data, message);
  if (!status) status = speed_count_work(one, message);
  if (!status) status = speed_time_callbacks(one, data->given->seed, message);
  if (!status) return 0;
  speed_case_free(one);
  data->count--;
  return -1;
}

/* the entry of the equal-error protocol whose field is the fastest */
static const speed_entry *fastest_form(const speed_case *c) {
  const speed_entry *found = NULL;
  for (size_t k = 0; k < c->count; k++) {
    const speed_entry *const e = &c->entry[k];
    if (e->solver == &libess_solver && (!found || e->form > found->form) &&
        strcmp(e->protocol, "equal-error") == 0)
      found = e;
  }
  return found;
}

/* what samples cost a case, where it has a setting that is good enough */
static int measure_samples(speed_data *data, const speed_case *c, char *message) {
  const speed_entry *const e = fastest_form(c);
  if (!e) return 0;
  if (speed_time_samples(c, e, data->given->seed, data->sample + data->sample_count, message))
    return -1;
  data->sample_count += 2;
  return 0;
}

/* the hopper, the plate with every number of contacts, and the largest without damping */
static int measure_cases(speed_data *data, char *message) {
  const contacts_range *const contacts = &data->given->contacts;
  const size_t last = contacts->count - 1;
  if (measure_case(data, "hopper", 1, NAN, false, message)) return -1;
  for (size_t i = 0; i < contacts->count; i++)
    if (measure_case(data, "plate", contacts->contacts[i], damping, i == last, message)) return -1;
  return measure_case(data, "plate", contacts->contacts[last], 0.0, false, message);
}

static int measure_all(speed_data *data, char *message) {
  const size_t plates = data->given->contacts.count;
  if (measure_cases(data, message) || speed_marginals(data, 1, plates, message)) return -1;
  const speed_case *const largest = &data->cases[plates];
  if (measure_samples(data, &data->cases[0], message) || measure_samples(data, largest, message))
    return -1;
  if (!speed_time_location(&data->location, largest, data, message)) return 0;
  speed_location_free(&data->location);
  return -1;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void free_all(speed_data *data) {
  for (size_t i = 0; i < data->count; i++) speed_case_free(&data->cases[i]);
  free(data->cases);
  speed_location_free(&data->location);
  json_decref(data->before);
}

/* the tables of the results in the folder */
static int show(const arguments *given) {
  char message[MEASURE_MESSAGE_SIZE], path[RECORD_PATH_SIZE];
  if (record_path(path, given->folder, "speed.json"))
    return command_fail(given, "%s: the path is too long", given->folder);
  json_t *const results = measure_json_read(path, message);
  if (!results) return command_fail(given, "%s", message);
  speed_print(results);
  json_decref(results);
  return COMMAND_SUCCESS;
}

/* everything, or what was measured before an interrupt or a failure */
static int measure_and_write(speed_data *data) {
  const arguments *const given = data->given;
  char message[SOLVER_MESSAGE_SIZE], why[SOLVER_MESSAGE_SIZE];
  data->complete = !measure_all(data, why);
  if (!data->count) return command_fail(given, "%s", why);
  if (speed_write(data, message)) return command_fail(given, "%s", message);
  const int status = show(given);
  if (!data->complete)
    return command_fail(given, "%s; %s holds what was measured before", why, given->folder);
  printf("\nresults in %s/speed.csv, speed_location.csv, speed_samples.csv, speed.json\n",
         given->folder);
  return status;
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE], warning[MEASURE_MESSAGE_SIZE];
  speed_data data = {.given = given};
  if (given->table) return show(given);
  if (given->trials < 2)
    command_usage(given, "--trials 1 is not accepted; half of the starts choose what the other "
                         "half shows");
  if (given->before && !(data.before = speed_before_read(given->before, message)))
    return command_fail(given, "%s", message);
  data.core = measure_pin_core(-1, warning);
  data.interrupted = interrupts_catch();
  int status = record_open(given, data.core);
  data.cases = calloc(given->contacts.count + 2, sizeof *data.cases);
  if (!status)
    status = data.cases ? measure_and_write(&data) : command_fail(given, "out of memory");
  free_all(&data);
  return status;
}

const command speed_command = {
    .name = "speed",
    .summary = "how fast libess is against MuJoCo at no worse an error, and where its time goes",
    .example = "essbench speed --contacts 2,10,100 --trials 30 --before results/earlier",
    .groups = ARGUMENTS_SPEED | ARGUMENTS_FOLDER | ARGUMENTS_SEED | ARGUMENTS_STRICT,
    .run = run,
};
