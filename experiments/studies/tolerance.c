/*
 * essbench tolerance: libess on the plate at every tolerance, from many starts, beside location of
 * each crossing. The starts are spread over processes; what they measure is in shared memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tolerance.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "contest.h"
#include "interrupts.h"
#include "progress.h"
#include "record.h"
#include "resume.h"
#include "solvers.h"

/* of each run of libess the fastest counts */
enum { REPEATS = 3 };

/* neighbourhoods so thin that nothing is projected: the paper's method locates each crossing */
static const double location_epsilon = 1e-10;

double *tolerance_work(const tolerance *all, size_t work) {
  return all->work + work * all->work_size;
}

unsigned long tolerance_seed(const tolerance *all, size_t work) {
  return all->given->seed + work % all->given->trials;
}

/* ---- one start ------------------------------------------------------------------------------- */

static void note(const contestant *run, double seconds, double out[]) {
  const solver_report *const r = &run->report;
  out[TOLERANCE_RMS] = run->rms[0];
  out[TOLERANCE_FIELDS] = (double)r->field_evaluations;
  out[TOLERANCE_GUARDS] = (double)r->guard_evaluations;
  out[TOLERANCE_STEPS] = (double)r->steps;
  out[TOLERANCE_REJECTED] = (double)r->rejected;
  out[TOLERANCE_ENTRIES] = (double)r->entries;
  out[TOLERANCE_SUBSTEPS] = (double)r->substeps;
  out[TOLERANCE_SUBSTEPS_REJECTED] = (double)r->substeps_rejected;
  out[TOLERANCE_GROUPS] = (double)r->groups;
  out[TOLERANCE_EVENTS] = run->events[0];
  out[TOLERANCE_SECONDS] = seconds;
}

/* a run that fails is no reason to stop: it is told of and counted, its numbers stay unknown */
static int run_libess(const contest_starts *start, unsigned long seed, double level, double out[],
                      char *message) {
  contestant run;
  double seconds, fastest;
  solver_settings settings = solver_settings_default();
  settings.rtol = settings.atol = level;
  if (contestant_prepare(&run, &libess_solver, &settings, start, message)) return -1;
  int status = contestant_sample(&run, 0, &fastest);
  for (size_t i = 1; !status && i < REPEATS; i++) {
    status = contestant_time(&run, 0, &seconds);
    fastest = fmin(fastest, seconds);
  }
  if (!status)
    note(&run, fastest, out);
  else
    fprintf(stderr, "warning: tolerance %g from seed %lu: %s\n", level, seed, run.report.message);
  contestant_release(&run);
  return 0;
}

static int locate(const contest_starts *start, double level, double out[], char *message) {
  contestant run;
  solver_settings settings = solver_settings_default();
  settings.epsilon = location_epsilon;
  settings.rtol = settings.atol = level;
  if (contestant_prepare(&run, &projection_solver, &settings, start, message)) return -1;
  if (!contestant_try(&run, 0)) {
    out[TOLERANCE_LOCATION_RMS] = run.rms[0];
    out[TOLERANCE_LOCATION_FIELDS] = (double)run.report.field_evaluations;
  }
  contestant_release(&run);
  return 0;
}

/* from one start, whose reference serves every tolerance */
static int measure(const tolerance *all, size_t work) {
  contest_starts start;
  double *const out = tolerance_work(all, work);
  const unsigned long seed = tolerance_seed(all, work);
  const model *const m = &all->cases[work / all->given->trials].m;
  for (size_t i = 0; i < all->work_size; i++) out[i] = NAN;
  if (contest_starts_alloc(&start, m, 1, true, seed, all->message)) return -1;
  int status = contest_reference(&start, 0, all->message);
  out[0] = (double)start.events[0];
  for (size_t i = 0; !status && i < all->levels; i++) {
    double *const quantity = out + 1 + i * TOLERANCE_QUANTITIES;
    if (i < all->given->tolerance_count)
      status = run_libess(&start, seed, all->level[i], quantity, all->message);
    if (!status) status = locate(&start, all->level[i], quantity, all->message);
  }
  contest_starts_free(&start);
  return status;
}

/* ---- processes ------------------------------------------------------------------------------- */

/* every work_count-th piece of work from `part` on; tells each by its number */
__attribute__((noreturn)) static void work_part(const tolerance *all, size_t part, int told) {
  for (size_t i = part; i < all->work_count; i += all->given->processes) {
    if (all->done[i]) continue;
    if (*all->interrupted) _exit(COMMAND_SUCCESS);
    if (measure(all, i) || write(told, &i, sizeof i) != sizeof i) _exit(COMMAND_FAILURE);
  }
  _exit(COMMAND_SUCCESS);
}

/* the number of the next piece of work that a process has done; false when all have ended */
static bool listen(int told, size_t *work) {
  ssize_t got;
  while ((got = read(told, work, sizeof *work)) < 0 && errno == EINTR) continue;
  return got == sizeof *work;
}

/* takes in what processes have done, until all have ended. 0, or -1 */
static int gather(tolerance *all, int told, const pid_t child[], size_t children) {
  measure_progress progress;
  size_t work, count = 0;
  int status = 0;
  for (size_t i = 0; i < all->work_count; i++) count += all->done[i];
  measure_progress_begin(&progress, NULL, "starts", all->work_count);
  while (listen(told, &work)) {
    all->done[work] = true;
    if (tolerance_journal_append(all, work)) status = -1;
    measure_progress_update(&progress, ++count);
  }
  measure_progress_end(&progress);
  for (size_t i = 0; i < children; i++) {
    int ended;
    while (waitpid(child[i], &ended, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(ended) || WEXITSTATUS(ended)) status = -1;
  }
  return status;
}

/* 0; -1 with one line; or 1 when interrupted */
static int measure_all(tolerance *all) {
  int pipes[2];
  pid_t child[all->given->processes];
  size_t children = 0;
  measure_message(all->message, "a process of the measurement ended early");
  if (pipe(pipes)) return -1;
  for (; children < all->given->processes; children++) {
    child[children] = fork();
    if (child[children] < 0) break;
    if (child[children]) continue;
    close(pipes[0]);
    work_part(all, children, pipes[1]);
  }
  close(pipes[1]);
  const bool whole = children == all->given->processes;
  for (size_t i = 0; !whole && i < children; i++) kill(child[i], SIGTERM);
  interrupts_pass_on(child, children);
  const int status = gather(all, pipes[0], child, children);
  interrupts_pass_on(NULL, 0);
  close(pipes[0]);
  return status || !whole ? -1 : *all->interrupted ? 1 : 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int prepare_case(tolerance *all, size_t contacts, double damping) {
  tolerance_case *const c = &all->cases[all->case_count++];
  *c = (tolerance_case){.contacts = contacts, .damping = damping, .m = all->given->m};
  return model_set(&c->m, "contacts", (double)contacts, all->message) ||
                 model_set(&c->m, "damping", damping, all->message) ||
                 model_prepare(&c->m, all->message)
             ? -1
             : 0;
}

static int prepare(tolerance *all) {
  const arguments *const given = all->given;
  all->levels = given->tolerance_count + TOLERANCE_FURTHER;
  for (size_t i = 0; i < all->levels; i++)
    all->level[i] = i < given->tolerance_count ? given->tolerances[i] : 0.1 * all->level[i - 1];
  all->work_count = given->contacts.count * given->damping_count * given->trials;
  all->work_size = 1 + all->levels * TOLERANCE_QUANTITIES;
  all->done = calloc(all->work_count, sizeof *all->done);
  all->cases = calloc(given->contacts.count * given->damping_count, sizeof *all->cases);
  all->work = mmap(NULL, all->work_count * all->work_size * sizeof *all->work,
                   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  measure_message(all->message, "out of memory");
  if (!all->done || !all->cases || all->work == MAP_FAILED) return -1;
  for (size_t i = 0; i < given->contacts.count; i++)
    for (size_t k = 0; k < given->damping_count; k++)
      if (prepare_case(all, given->contacts.contacts[i], given->dampings[k])) return -1;
  return 0;
}

static void release(tolerance *all) {
  for (size_t i = 0; i < all->case_count; i++) model_release(&all->cases[i].m);
  if (all->work && all->work != MAP_FAILED)
    munmap(all->work, all->work_count * all->work_size * sizeof *all->work);
  measure_journal_close(all->journal);
  free(all->cases);
  free(all->done);
}

static int measure_and_write(tolerance *all) {
  if (prepare(all) || tolerance_journal_open(all)) return -1;
  const int status = measure_all(all);
  if (status > 0) measure_message(all->message, "interrupted; the same command goes on from here");
  return status || resume_finish(all->journal, all->message) || tolerance_write(all) ? -1 : 0;
}

static int run(arguments *given) {
  char *const message =
      mmap(NULL, MEASURE_MESSAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (message == MAP_FAILED) return command_fail(given, "out of memory");
  tolerance all = {.given = given, .message = message};
  int status = record_open(given, -1);
  all.interrupted = interrupts_catch();
  if (!status && measure_and_write(&all)) status = command_fail(given, "%s", message);
  release(&all);
  munmap(message, MEASURE_MESSAGE_SIZE);
  return status;
}

const command tolerance_command = {
    .name = "tolerance",
    .summary = "the plate at tolerances from 0.1 to 1e-10: the error that libess makes and its "
               "cost",
    .groups = ARGUMENTS_TOLERANCE | ARGUMENTS_MODEL | ARGUMENTS_FOLDER | ARGUMENTS_SEED |
              ARGUMENTS_STRICT,
    .model = "plate",
    .example = "essbench tolerance --contacts 10,100 --tolerances 1e-2,1e-4,1e-6 --trials 20",
    .run = run,
};
