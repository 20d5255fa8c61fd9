/*
 * essbench sweep: the engines race over numbers of contacts (Fig. 5.2 of the paper).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sweep.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibration.h"
#include "clock.h"
#include "commands.h"
#include "interrupts.h"
#include "json_file.h"
#include "record.h"
#include "resume.h"
#include "solvers.h"

extern char **environ;

/* epsilon' of an earlier calibration in the results folder; NaN when there is none */
static double earlier_epsilon(const arguments *given) {
  char path[RECORD_PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  if (record_path(path, given->folder, "calibration.json") || access(path, F_OK)) return NAN;
  json_t *const earlier = measure_json_read(path, message);
  if (!earlier) fprintf(stderr, "warning: calibrating anew: %s\n", message);
  const double epsilon = json_number_value(json_object_get(earlier, "epsilon"));
  json_decref(earlier);
  return epsilon > 0.0 && isfinite(epsilon) ? epsilon : NAN;
}

/* whether anyone who races has neighbourhoods whose size is not searched for */
static bool wants_epsilon(const arguments *given) {
  bool concerned = false, fixed = false;
  for (size_t i = 0; i < given->solver_count; i++)
    concerned = concerned || solver_concerns(given->solvers[i]) & SETTING_EPSILON;
  for (size_t i = 0; i < given->protocol_count; i++)
    fixed = fixed || given->protocols[i] != &equal_error_protocol;
  return concerned && fixed;
}

/* epsilon': given, or from the calibration in the results folder, or calibrated now; none where
 * nobody has one */
static int choose_epsilon(sweep_data *data, char *message) {
  const arguments *const given = data->given;
  data->epsilon = NAN;
  if (!wants_epsilon(given)) return 0;
  data->epsilon = given->settings.epsilon;
  data->epsilon_source = "--epsilon";
  if (given->settings_given & SETTING_EPSILON) return 0;
  data->epsilon = earlier_epsilon(given);
  data->epsilon_source = "calibration.json";
  if (!isnan(data->epsilon)) return 0;

  model hopper;
  calibration result;
  model_init(&hopper, model_find("hopper"));
  int status = model_prepare(&hopper, message);
  if (!status) status = calibrate_hopper(&hopper, 0, given->seed, &result, NULL, message);
  model_release(&hopper);
  if (status) return status;
  data->epsilon_source = "calibrated for this sweep";
  data->epsilon = result.epsilon;
  if (!isnan(result.epsilon)) return 0;
  measure_message(message, "calibration: %s", result.status);
  return -1;
}

/* runs one part of the sweep as a process of its own: the same command with --part */
static int run_part(const sweep_data *data, size_t part, char *message) {
  const arguments *const given = data->given;
  char option[32];
  snprintf(option, sizeof option, "--part=%zu", part);
  char **const argv = calloc((size_t)given->argc + 3, sizeof *argv);
  if (!argv) {
    measure_message(message, "out of memory");
    return -1;
  }
  argv[0] = "essbench";
  argv[1] = "sweep";
  for (int i = 1; i < given->argc; i++) argv[i + 1] = given->argv[i];
  argv[given->argc + 1] = option;
  pid_t child;
  int status = -1, error = posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ);
  free(argv);
  if (error) {
    measure_message(message, "cannot start a process: %s", strerror(error));
    return -1;
  }
  interrupts_pass_on(&child, 1);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  interrupts_pass_on(NULL, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  // one that ended by itself has said why
  message[0] = '\0';
  if (!WIFEXITED(status)) measure_message(message, "process %zu of the sweep was killed", part + 1);
  return *data->interrupted ? 1 : -1;
}

/* opens the journal, measures in this process, and leaves what is known in `data` */
static int measure_here(sweep_data *data, size_t part, size_t parts, bool finish, char *message) {
  measure_journal *journal;
  if (sweep_journal_open(&journal, data, message)) return -1;
  data->journalled = true;
  int status = sweep_measure(data, journal, part, parts, message);
  if (!status && finish) status = resume_finish(journal, message);
  measure_journal_close(journal);
  return status;
}

/* a process for each part, one after the other; the last look at the journal is this process's */
static int measure_in_processes(sweep_data *data, char *message) {
  const arguments *const given = data->given;
  measure_journal *journal;
  if (sweep_journal_open(&journal, data, message)) return -1;
  measure_journal_close(journal);
  data->journalled = true;
  int status = 0;
  for (size_t part = 0; !status && !*data->interrupted && part < given->processes; part++)
    status = run_part(data, part, message);
  if (!status && *data->interrupted) status = 1;

  // what the parts journalled is ours to summarise, after a failure too
  arguments resumed = *given;
  resumed.restart = false;
  data->given = &resumed;
  char ignored[MEASURE_MESSAGE_SIZE];
  if (!sweep_journal_open(&journal, data, status ? ignored : message)) {
    if (!status) status = resume_finish(journal, message);
    measure_journal_close(journal);
  } else if (!status) {
    status = -1;
  }
  data->given = given;
  return status;
}

/* how far an interrupted or failed sweep came */
static void tell_progress(const sweep_data *data) {
  fprintf(stderr,
          "essbench sweep: %zu of %zu numbers of contacts are complete; the same command goes on "
          "from here\n",
          data->complete, data->rows);
}

/* summaries, files and table of what is complete, even after a failure */
static int report(sweep_data *data, int status, char *message) {
  for (size_t i = 0; i < data->rows; i++) data->complete += sweep_row_done(data, &data->row[i]);
  if (status > 0) measure_message(message, "interrupted");
  if (status && *message) command_fail(data->given, "%s", message);
  if (data->complete) {
    if (sweep_summarize(data, message) || sweep_write(data, message))
      return command_fail(data->given, "%s", message);
    sweep_print(data);
  }
  if (data->journalled && (status > 0 || (status && data->complete))) tell_progress(data);
  return status ? COMMAND_FAILURE : COMMAND_SUCCESS;
}

/* what a solver refuses is told before anything is waited for or written */
static int check_solvers(const arguments *given, char *message) {
  model m = given->m;
  trajectory samples = {0};
  int status = 0;
  m.data = NULL;
  if (!isnan(model_get(&m, "contacts")))
    status = model_set(&m, "contacts", (double)given->contacts.contacts[0], message);
  if (!status) status = model_prepare(&m, message);
  if (!status) status = trajectory_alloc(&samples, &m, message);
  for (size_t i = 0; !status && i < given->solver_count; i++) {
    const solver_output output = trajectory_output(&samples);
    void *instance;
    status = given->solvers[i]->prepare(&m, &given->settings, &output, &instance, message);
    if (!status) given->solvers[i]->release(instance);
  }
  trajectory_free(&samples);
  model_release(&m);
  return status;
}

/* a model without contacts is one row */
static int single_row(arguments *given, char *message) {
  if (!isnan(model_get(&given->m, "contacts"))) return 0;
  contacts_range_free(&given->contacts);
  return contacts_range_parse("1", &given->contacts, message);
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE], warning[MEASURE_MESSAGE_SIZE];
  // a process without a trial has nothing to do
  if (given->processes > given->trials) given->processes = given->trials;
  const bool is_part = given->part < given->processes;
  sweep_data data;
  if (single_row(given, message)) return command_fail(given, "%s", message);
  int status = check_solvers(given, message);
  if (status) return command_stop(given, status, message);
  const int core = measure_pin_core(-1, warning);
  if (!is_part && record_open(given, core)) return COMMAND_FAILURE;
  if (sweep_data_alloc(&data, given, message)) return command_fail(given, "%s", message);
  data.core = core;
  data.interrupted = interrupts_catch();
  if (choose_epsilon(&data, message)) {
    status = command_fail(given, "%s", message);
  } else if (is_part) {
    // a part does not outlive the sweep it is of
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    given->restart = false;
    status = measure_here(&data, given->part, given->processes, false, message);
    if (status < 0) command_fail(given, "%s", message);
    status = status ? COMMAND_FAILURE : COMMAND_SUCCESS;
  } else {
    status = given->processes > 1 ? measure_in_processes(&data, message)
                                  : measure_here(&data, 0, 1, true, message);
    status = report(&data, status, message);
  }
  sweep_data_free(&data);
  return status;
}

const command sweep_command = {
    .name = "sweep",
    .summary = "race the engines on the plate over numbers of contacts (Fig. 5.2)",
    .example = "essbench sweep --contacts 2,10,50 --trials 20 --out results",
    .groups = ARGUMENTS_SWEEP | ARGUMENTS_MODEL | ARGUMENTS_SETTINGS | ARGUMENTS_FOLDER |
              ARGUMENTS_SEED | ARGUMENTS_STRICT,
    .run = run,
};
