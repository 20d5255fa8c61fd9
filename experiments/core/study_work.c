/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of a study: its cells one after the other in this process, or in several, which are the
 * same command with --part. They meet in the database alone: each opens it, plans, runs the cells
 * that are its own, and keeps them there. A line into a pipe tells the one who leads of each cell,
 * or of what went wrong. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "process.h"
#include "progress.h"
#include "study_run.h"

extern char **environ;

static bool is_process(const study_run *run) {
  return run->private->request->part < run->private->request->processes;
}

int study_work_join(study_run *run) {
  struct pollfd leader = {.fd = STDOUT_FILENO};
  run->private->worker = is_process(run);
  if (!run->private->worker) return 0;
  // a process does not outlive the study it is of, which may have ended before it could say so
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (poll(&leader, 1, 0) < 0 || leader.revents & POLLERR)
    return measure_fail(run->message, "the run to measure for is gone");
  return 0;
}

void study_within(study_run *run, const char *format, ...) {
  char text[MEASURE_PROGRESS_WITHIN];
  va_list values;
  if (!run->private->progress) return;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  measure_progress_within(run->private->progress, text);
}

/* cells of this process's share that are not known */
static size_t missing(const study_run *run) {
  size_t count = 0;
  for (size_t i = 0; i < run->private->cells; i++)
    count += study_share_has(run, i) && !study_cells_known(run, i);
  return count;
}

/* ---- cells in this process ------------------------------------------------------------------- */

/* what was measured, whose reference it takes */
static int keep(study_run *run, json_t *entry) {
  if (study_cells_take(run, entry)) return study_store_keep(run, entry);
  json_decref(entry);
  return study_out_of_memory(run);
}

/* The worker of a cell depends on nothing that another may have measured meanwhile. */
static bool is_of(const study_run *run, study_turn turn, size_t workers, size_t worker) {
  const size_t shares = run->private->request->share.count;
  const size_t place = shares ? turn.cell / shares : turn.cell;
  return study_share_has(run, turn.cell) &&
         (run->study->pinned ? turn.worker : place % workers) == worker;
}

/* those of one worker, in the order that all have; calls `done` after each */
static int run_cells(study_run *run, size_t workers, size_t worker, void done(study_run *run)) {
  size_t count;
  study_turn *const turns = study_order(run, workers, &count);
  int status = turns ? 0 : -1;
  for (size_t i = 0; !status && i < count; i++) {
    // a name may be planned twice
    if (!is_of(run, turns[i], workers, worker) || study_cells_known(run, turns[i].cell)) continue;
    status = study_cells_run(run, turns[i].cell);
    if (!status) status = keep(run, study_cells_entry(run, &run->private->cell[turns[i].cell]));
    if (!status) done(run);
    if (*run->interrupted) status = 1;
  }
  free(turns);
  return status;
}

/* ---- a process of several -------------------------------------------------------------------- */

static void tell_done(study_run *run) {
  (void)run;
  if (write(STDOUT_FILENO, ".\n", 2) < 0) _exit(EXIT_FAILURE);
}

int study_work_serve(study_run *run) {
  char line[MEASURE_MESSAGE_SIZE + 2];
  int status = study_store_open(run);
  if (!status) status = study_share_take(run);
  // up to the stage of which cells are not known
  for (long added = 1; !status && added && !study_share_unknown(run); run->private->stages++) {
    if (study_cells_settle(run)) status = -1;
    if (!status) added = study_cells_plan(run, run->private->stages);
    if (added < 0) status = -1;
  }
  if (!status) status = run_cells(run, run->processes, run->private->request->part, tell_done);
  const int length = snprintf(line, sizeof line, "%s\n", run->message);
  if (status < 0 && write(STDOUT_FILENO, line, (size_t)length) < 0) return -1;
  return status;
}

/* ---- who leads ------------------------------------------------------------------------------- */

/* the same command with --part, which tells the pipe. 0, or an error number */
static int spawn(const study_run *run, size_t part, int pipe, pid_t *child) {
  const study_request *const q = run->private->request;
  char option[32], *argv[q->argc + 3];
  posix_spawn_file_actions_t actions;
  snprintf(option, sizeof option, "--part=%zu", part);
  argv[0] = "essbench";
  argv[1] = (char *)(uintptr_t)run->study->name;
  for (int k = 1; k < q->argc; k++) argv[k + 1] = q->argv[k];
  argv[q->argc + 1] = option;
  argv[q->argc + 2] = NULL;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe, STDOUT_FILENO);
  fflush(stdout);
  const int error = posix_spawn(child, "/proc/self/exe", &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* what processes say, until none does any more: a failure's line ends the others */
static int hear(study_run *run, FILE *said, const pid_t child[], size_t count, size_t done) {
  char *line = NULL;
  size_t size = 0;
  int status = 0;
  while (getline(&line, &size, said) > 0) {
    if (*line == '.') measure_progress_update(run->private->progress, ++done);
    if (*line == '.' || status) continue;
    status = measure_fail(run->message, "%.*s", (int)strcspn(line, "\n"), line);
    for (size_t i = 0; i < count; i++) kill(child[i], SIGTERM);
  }
  free(line);
  return status;
}

/* so many processes from `part` on, side by side, to their ends */
static int run_processes(study_run *run, size_t part, size_t count, size_t done) {
  pid_t child[count];
  int ends[2], error = pipe2(ends, O_CLOEXEC) ? errno : 0, ended = 0;
  size_t started = 0;
  FILE *const said = error ? NULL : fdopen(ends[0], "r");
  for (; !error && started < count; started += !error)
    error = spawn(run, part + started, ends[1], &child[started]);
  if (error) return measure_fail(run->message, "cannot start a process: %s", strerror(error));
  close(ends[1]);
  interrupts_pass_on(child, started);
  int status = hear(run, said, child, started, done);
  for (size_t i = 0; i < started; i++) ended |= process_wait(child[i]);
  interrupts_pass_on(NULL, 0);
  fclose(said);
  if (*run->interrupted) return 1;
  return status || !ended ? status
                          : measure_fail(run->message, "a process of the measurement ended early");
}

static bool has_cells(const study_run *run, size_t part) {
  size_t count, own = 0;
  study_turn *const turns = study_order(run, run->processes, &count);
  for (size_t i = 0; turns && i < count; i++) own += is_of(run, turns[i], run->processes, part);
  free(turns);
  return own;
}

/* times are taken by one process at a time */
static int lead(study_run *run, size_t known) {
  const size_t count = run->processes, together = run->study->pinned ? 1 : count;
  int status = 0;
  for (size_t part = 0; !status && part < count; part += together) {
    if (run->study->pinned && !has_cells(run, part)) continue;
    status = run_processes(run, part, together, known);
    if (!status) status = study_store_take(run);
    known = json_object_size(run->private->known);
  }
  return status;
}

static void count_one(study_run *run) {
  measure_progress_update(run->private->progress, json_object_size(run->private->known));
}

int study_work(study_run *run) {
  const size_t known = json_object_size(run->private->known), stages = run->study->stages;
  measure_progress progress;
  char label[96];
  if (!missing(run)) return 0;
  snprintf(label, sizeof label, "part %zu of at most %zu, %s", run->private->stages, stages,
           run->study->cells);
  measure_progress_begin(&progress, NULL, stages > 1 ? label : run->study->cells, known,
                         run->private->cells);
  measure_progress_update(&progress, known);
  run->private->progress = &progress;
  int status = study_share_begin(run);
  if (!status) status = run->processes > 1 ? lead(run, known) : run_cells(run, 1, 0, count_one);
  study_share_pause(run);
  run->private->progress = NULL;
  measure_progress_end(&progress);
  return status;
}
