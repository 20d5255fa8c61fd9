/*
 * The work of a study: its cells one after the other in this process, or spread over processes of
 * the same command, which tell what they measured in lines of JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupts.h"
#include "json_file.h"
#include "progress.h"
#include "study_run.h"

extern char **environ;

/* a process under way */
typedef struct part {
  pid_t child;
  int told;   /* its standard output */
  char *text; /* of it, what makes no whole line yet; owned */
  size_t length, room;
} part;

/* all of them, and how far they are */
typedef struct working {
  study_run *run;
  measure_progress progress;
  size_t done;
} working;

static int fail(study_run *run, const char *what) {
  measure_message(run->message, "%s: %s", what, strerror(errno));
  return -1;
}

static void begin(working *w, study_run *run) {
  *w = (working){.run = run};
  for (size_t i = 0; i < run->private->cells; i++) w->done += study_cells_known(run, i);
  measure_progress_begin(&w->progress, NULL, run->study->cells, run->private->cells);
  measure_progress_update(&w->progress, w->done);
}

/* ---- in this process ------------------------------------------------------------------------- */

static int work_here(study_run *run) {
  working w;
  int status = 0;
  begin(&w, run);
  for (size_t i = 0; !status && i < run->private->cells; i++) {
    if (study_cells_known(run, i)) continue;
    status = study_cells_run(run, i);
    if (!status) status = study_journal_append(run, study_cells_entry(run, &run->private->cell[i]));
    measure_progress_update(&w.progress, ++w.done);
    if (*run->interrupted) status = 1;
  }
  measure_progress_end(&w.progress);
  return status;
}

/* ---- a process of several -------------------------------------------------------------------- */

/* one line to who started it */
static int tell(json_t *entry) {
  const int failed = !entry || measure_json_line(entry, stdout) || fflush(stdout);
  json_decref(entry);
  return failed ? -1 : 0;
}

int study_work_part(study_run *run) {
  const study_request *const request = run->private->request;
  for (size_t i = request->part; i < run->private->cells; i += request->processes) {
    if (study_cells_known(run, i)) continue;
    if (*run->interrupted) return 1;
    if (study_cells_run(run, i))
      return tell(json_pack("{s:s, s:s}", "type", "failed", "message", run->message)), -1;
    if (tell(study_cells_entry(run, &run->private->cell[i]))) return -1;
  }
  return 0;
}

/* ---- who starts them ------------------------------------------------------------------------- */

/* the same command with --part */
static int start(study_run *run, size_t index, part *out) {
  const study_request *const request = run->private->request;
  char option[32];
  int ends[2];
  snprintf(option, sizeof option, "--part=%zu", index);
  char **const argv = calloc((size_t)request->argc + 3, sizeof *argv);
  if (!argv || pipe(ends)) {
    free(argv);
    return fail(run, "cannot start a process");
  }
  argv[0] = "essbench";
  argv[1] = (char *)(uintptr_t)run->study->name;
  for (int i = 1; i < request->argc; i++) argv[i + 1] = request->argv[i];
  argv[request->argc + 1] = option;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  fflush(stdout);
  errno = posix_spawn(&out->child, "/proc/self/exe", &actions, NULL, argv, environ);
  const int failed = errno;
  posix_spawn_file_actions_destroy(&actions);
  free(argv);
  close(ends[1]);
  out->told = ends[0];
  if (!failed) return 0;
  close(ends[0]);
  errno = failed;
  return fail(run, "cannot start a process");
}

/* a whole line of what a process tells */
static int take_line(working *w, const char *line) {
  json_t *const entry = measure_json_parse(line);
  const char *const type = json_string_value(json_object_get(entry, "type"));
  const char *const message = json_string_value(json_object_get(entry, "message"));
  if (type && strcmp(type, "sample") == 0) {
    measure_progress_update(&w->progress, ++w->done);
    return study_journal_append(w->run, entry);
  }
  measure_message(w->run->message, "%s", message ? message : "a process said what is no JSON");
  json_decref(entry);
  return -1;
}

static int take_lines(working *w, part *p) {
  int status = 0;
  char *line = p->text, *end;
  while (!status && (end = memchr(line, '\n', p->length - (size_t)(line - p->text)))) {
    *end = '\0';
    status = take_line(w, line);
    line = end + 1;
  }
  p->length -= (size_t)(line - p->text);
  memmove(p->text, line, p->length);
  return status;
}

/* what a process has told by now; closes its end when there is no more */
static int listen_to(working *w, part *p) {
  enum { CHUNK = 1 << 16 };
  if (p->room < p->length + CHUNK) {
    char *const text = realloc(p->text, p->length + CHUNK);
    if (!text) return fail(w->run, "a process");
    p->text = text;
    p->room = p->length + CHUNK;
  }
  const ssize_t got = read(p->told, p->text + p->length, CHUNK);
  if (got < 0 && errno == EINTR) return 0;
  if (got <= 0) {
    close(p->told);
    p->told = -1;
    return 0;
  }
  p->length += (size_t)got;
  return take_lines(w, p);
}

static void stop_all(const part parts[], size_t count) {
  for (size_t i = 0; i < count; i++)
    if (parts[i].told >= 0) kill(parts[i].child, SIGTERM);
}

/* until all have ended; where something goes wrong they are told to */
static int gather(working *w, part parts[], size_t count) {
  struct pollfd looked[count];
  int status = 0;
  for (bool stopped = false;;) {
    size_t open = 0;
    for (size_t i = 0; i < count; i++) {
      looked[i] = (struct pollfd){.fd = parts[i].told, .events = POLLIN};
      open += parts[i].told >= 0;
    }
    if (!open) break;
    if (status && !stopped) {
      stop_all(parts, count);
      stopped = true;
    }
    if (poll(looked, count, -1) < 0) continue;
    for (size_t i = 0; i < count; i++)
      if (looked[i].revents && listen_to(w, &parts[i])) status = -1;
  }
  return status;
}

/* the status of one that has told all */
static int wait_for(study_run *run, const part *p) {
  int ended;
  while (waitpid(p->child, &ended, 0) < 0)
    if (errno != EINTR) return fail(run, "a process");
  if (*run->interrupted || (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)) return 0;
  if (!run->message[0]) measure_message(run->message, "a process of the measurement ended early");
  return -1;
}

/* parts first..first+count-1, at once */
static int work_parts(working *w, size_t first, size_t count) {
  part parts[count];
  pid_t child[count];
  int status = 0;
  size_t started = 0;
  memset(parts, 0, sizeof parts);
  w->run->message[0] = '\0';
  for (; !status && started < count; started += !status) {
    status = start(w->run, first + started, &parts[started]);
    child[started] = parts[started].child;
  }
  if (status) stop_all(parts, started);
  interrupts_pass_on(child, started);
  if (gather(w, parts, started)) status = -1;
  interrupts_pass_on(NULL, 0);
  for (size_t i = 0; i < started; i++) {
    if (wait_for(w->run, &parts[i])) status = -1;
    free(parts[i].text);
  }
  return status;
}

/* times are taken by one process after the other, all else by all at once */
int study_work(study_run *run) {
  const size_t processes = run->private->request->processes;
  size_t missing = 0;
  for (size_t i = 0; i < run->private->cells; i++) missing += !study_cells_known(run, i);
  if (!missing) return 0;
  if (processes < 2 || !run->study->processes) return work_here(run);
  working w;
  int status = 0;
  begin(&w, run);
  const size_t at_once = run->study->pinned ? 1 : processes;
  for (size_t i = 0; !status && !*run->interrupted && i < processes; i += at_once)
    status = work_parts(&w, i, at_once);
  measure_progress_end(&w.progress);
  return status ? status : *run->interrupted ? 1 : 0;
}
