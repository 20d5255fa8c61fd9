/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of a study: its cells one after the other in this process, or by workers, which are
 * given one at a time and tell what they measured. Rank 0, or the process that the user has
 * started, leads: it alone plans ahead, keeps the database and writes results.
 *
 * The lines of JSON between them, by "type". To a worker: "sample" (a cell's rows that later stages
 * are planned by), "plan" (the stages up to one), "cell" (the one to run), "end". From a worker:
 * "host" at first, then for each cell "sample", or "failed". */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "process.h"
#include "progress.h"
#include "solver.h"
#include "study_run.h"
#include "work.h"

/* cells under way, and how far they are */
typedef struct working {
  study_run *run;
  measure_progress progress;
  char label[96]; /* of the progress */
  size_t done;
  study_turn *turns; /* of cells that were not known; owned */
  size_t count, next;

  /* of workers */
  size_t busy;
  size_t *cell; /* by worker: the one it runs, or SIZE_MAX; owned */
} working;

/* 0, or -1 with one line */
static int begin(working *w, study_run *run, size_t workers) {
  *w = (working){.run = run};
  w->turns = study_order(run, workers, &w->count);
  if (!w->turns) return -1;
  for (size_t i = 0; i < run->private->cells; i++) w->done += study_cells_known(run, i);
  const size_t stages = run->study->stages;
  if (stages > 1)
    snprintf(w->label, sizeof w->label, "part %zu of at most %zu, %s", run->private->stages, stages,
             run->study->cells);
  measure_progress_begin(&w->progress, NULL, stages > 1 ? w->label : run->study->cells, w->done,
                         run->private->cells);
  measure_progress_update(&w->progress, w->done);
  return 0;
}

static void end(working *w) {
  if (w->turns) measure_progress_end(&w->progress);
  free(w->turns);
  free(w->cell);
}

/* the next cell that is not known, which is not begun yet, or NULL */
static const study_turn *next_turn(working *w) {
  while (w->next < w->count && study_cells_known(w->run, w->turns[w->next].cell)) w->next++;
  return w->next < w->count ? &w->turns[w->next] : NULL;
}

/* what was measured, whose reference it takes */
static int keep(study_run *run, json_t *entry) {
  if (study_cells_take(run, entry)) return study_store_keep(run, entry);
  json_decref(entry);
  return study_out_of_memory(run);
}

/* ---- in this process ------------------------------------------------------------------------- */

static int work_here(study_run *run) {
  working w;
  int status = begin(&w, run, 1);
  run->private->progress = &w.progress;
  for (const study_turn *t; !status && (t = next_turn(&w)); w.next++) {
    status = study_cells_run(run, t->cell);
    if (!status) status = keep(run, study_cells_entry(run, &run->private->cell[t->cell]));
    measure_progress_update(&w.progress, ++w.done);
    if (*run->interrupted) status = 1;
  }
  run->private->progress = NULL;
  end(&w);
  return status;
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

/* ---- lines ----------------------------------------------------------------------------------- */

static int fail(study_run *run, const char *why) {
  return measure_fail(run->message, "%s", why);
}

static int lost(study_run *run) {
  return fail(run, "a process of the measurement ended early");
}

/* one line, whose reference it takes, to one */
static int tell(study_run *run, size_t peer, json_t *entry) {
  work_channel *const c = run->private->channel;
  char *const line = entry ? measure_json_text(entry) : NULL;
  const int status = !line ? fail(run, "out of memory") : c->tell(c, peer, line) ? lost(run) : 0;
  free(line);
  json_decref(entry);
  return status;
}

/* the same to all */
static int tell_all(study_run *run, json_t *entry) {
  int status = 0;
  for (size_t i = 0; !status && i < run->private->channel->count; i++)
    status = tell(run, i, json_incref(entry));
  json_decref(entry);
  return status;
}

/* the next line, and who says it: a new reference, or NULL with one line */
static json_t *hear(study_run *run, size_t *peer) {
  work_channel *const c = run->private->channel;
  char *line = NULL;
  const int status = c->hear(c, peer, &line);
  json_t *const entry = line ? measure_json_parse(line) : NULL;
  free(line);
  if (status == WORK_FAILED)
    fail(run, "out of memory");
  else if (status == WORK_LOST)
    lost(run);
  else if (!entry)
    fail(run, "a process said what is no JSON");
  return entry;
}

static bool is_type(const json_t *entry, const char *type) {
  const char *const given = json_string_value(json_object_get(entry, "type"));
  return given && strcmp(given, type) == 0;
}

/* ---- who works ------------------------------------------------------------------------------- */

/* the stages up to `last`; samples of all before it are known */
static int plan_to(study_run *run, size_t last) {
  for (; run->private->stages <= last; run->private->stages++) {
    if (study_cells_settle(run)) return -1;
    if (study_cells_plan(run, run->private->stages) < 0) return -1;
  }
  return 0;
}

/* does what one line says; *answer may become one */
static int obey(study_run *run, const json_t *order, json_t **answer) {
  const size_t number = (size_t)json_integer_value(json_object_get(order, "number"));
  if (is_type(order, "sample"))
    return study_cells_take(run, order) ? 0 : fail(run, "out of memory");
  if (is_type(order, "plan")) return plan_to(run, number);
  if (number >= run->private->cells) return fail(run, "a process has planned other cells");
  if (*run->interrupted) return fail(run, "a process of the measurement was interrupted");
  const int status = study_cells_run(run, number);
  if (status) return status;
  *answer = study_cells_entry(run, &run->private->cell[number]);
  return *answer ? 0 : fail(run, "out of memory");
}

int study_work_serve(study_run *run) {
  size_t lead;
  int status = tell(run, 0, json_pack("{s:s, s:s}", "type", "host", "name", ranks_host()));
  while (!status) {
    json_t *const order = hear(run, &lead), *answer = NULL;
    if (!order) return -1;
    const bool end = is_type(order, "end");
    const int failed = end ? 0 : obey(run, order, &answer);
    if (failed)
      answer =
          json_pack("{s:s, s:s, s:i}", "type", "failed", "message", run->message, "status", failed);
    json_decref(order);
    if (end) return 0;
    if (answer) status = tell(run, 0, answer);
  }
  return status;
}

/* ---- who leads ------------------------------------------------------------------------------- */

/* the cell that a worker is to run, or SIZE_MAX. Times are taken by one worker at a time, whose
 * cell it is; all else goes to whoever is free. */
static size_t choose(working *w, size_t worker) {
  const study_turn *const turn = next_turn(w);
  if (!turn || (w->run->study->pinned && (w->busy || turn->worker != worker))) return SIZE_MAX;
  w->next++;
  return turn->cell;
}

/* a cell to this worker, where there is one for it */
static int give(working *w, size_t worker) {
  const size_t index = choose(w, worker);
  if (index == SIZE_MAX) return 0;
  w->cell[worker] = index;
  w->busy++;
  return tell(w->run, worker, json_pack("{s:s, s:I}", "type", "cell", "number", (json_int_t)index));
}

/* cells to all that are free and have a right to them */
static int give_all(working *w) {
  const size_t count = w->run->private->channel->count;
  for (size_t i = 0; i < count; i++)
    if (w->cell[i] == SIZE_MAX && give(w, i)) return -1;
  return 0;
}

/* what a worker says, or NULL where it has ended: of its cell, if it has one */
static int take(working *w, size_t worker, json_t *entry) {
  study_run *const run = w->run;
  const char *const message = json_string_value(json_object_get(entry, "message"));
  const char *const name = json_string_value(json_object_get(entry, "cell"));
  const size_t index = w->cell[worker];
  w->busy -= index != SIZE_MAX;
  w->cell[worker] = SIZE_MAX;
  if (!entry) return -1;
  if (index != SIZE_MAX && name && !strcmp(name, run->private->cell[index].name)) {
    measure_progress_update(&w->progress, ++w->done);
    return keep(run, entry);
  }
  const int failed = (int)json_integer_value(json_object_get(entry, "status"));
  fail(run, message ? message : "a process has planned other cells");
  json_decref(entry);
  return failed ? failed : -1;
}

/* all that the workers have to know of earlier stages */
static int bring_up_to_date(study_run *run) {
  struct study_private *const p = run->private;
  for (; p->told < p->settled; p->told++) {
    const char *const name = p->cell[p->told].name;
    if (tell_all(run, json_pack("{s:s, s:s, s:O}", "type", "sample", "cell", name, "rows",
                                json_object_get(p->known, name))))
      return -1;
  }
  return tell_all(run,
                  json_pack("{s:s, s:I}", "type", "plan", "number", (json_int_t)p->stages - 1));
}

/* gives out cells until none is left and none is under way. When one fails no other is begun, but
 * what the others have under way is still taken. */
static int lead(working *w) {
  study_run *const run = w->run;
  char first[MEASURE_MESSAGE_SIZE];
  int status = bring_up_to_date(run);
  bool hurried = false;
  for (;;) {
    if (!status && !*run->interrupted) status = give_all(w);
    if (status && !hurried) {
      hurried = true;
      measure_message(first, "%s", run->message);
      if (run->private->channel->hurry) run->private->channel->hurry(run->private->channel);
    }
    if (!w->busy) break;
    size_t worker;
    json_t *const entry = hear(run, &worker);
    const int taken = take(w, worker, entry);
    if (!status) status = taken;
  }
  if (*run->interrupted) return 1;
  if (status) measure_message(run->message, "%s", first);
  return status;
}

/* where each worker is: times of several machines are not to be compared with each other */
static int meet(study_run *run) {
  const char *const here = ranks_host();
  size_t worker;
  for (size_t i = 0; i < run->private->channel->count; i++) {
    json_t *const entry = hear(run, &worker);
    if (!entry) return -1;
    const char *const name = json_string_value(json_object_get(entry, "name"));
    const bool elsewhere = name && run->study->pinned && strcmp(name, here) != 0;
    if (elsewhere)
      measure_message(
          run->message,
          "times are taken on one host, and these ranks are on %.100s and %.100s; start "
          "all of them on one",
          here, name);
    json_decref(entry);
    if (elsewhere) return -1;
  }
  return 0;
}

/* ---- which kind ------------------------------------------------------------------------------ */

static bool is_process(const study_run *run) {
  return run->private->request->part < run->private->request->processes;
}

int study_work_join(study_run *run) {
  struct study_private *const p = run->private;
  const ranks started = ranks_started();
  if (is_process(run)) {
    p->worker = true;
    p->channel = work_processes_join(run->message);
    return p->channel ? 0 : -1;
  }
  if (started.count < 2) return 0;
  p->worker = started.rank > 0;
  run->processes = started.count - 1;
  p->channel = work_ranks_join(run->study->pinned, run->message);
  return !p->channel ? SOLVER_REFUSED : p->worker ? 0 : meet(run);
}

/* processes are started when there is work for them */
static int start(study_run *run) {
  const study_request *const request = run->private->request;
  if (run->private->channel || !run->study->processes || request->processes < 2) return 0;
  run->private->channel = work_processes_start(run->study->name, request->argc, request->argv,
                                               request->processes, run->message);
  return run->private->channel ? meet(run) : -1;
}

int study_work(study_run *run) {
  size_t missing = 0;
  for (size_t i = 0; i < run->private->cells; i++) missing += !study_cells_known(run, i);
  if (!missing) return 0;
  if (start(run)) return *run->interrupted ? 1 : -1;
  if (!run->private->channel) return work_here(run);
  working w;
  const size_t count = run->private->channel->count;
  int status = begin(&w, run, count);
  w.cell = status ? NULL : malloc(count * sizeof *w.cell);
  for (size_t i = 0; w.cell && i < count; i++) w.cell[i] = SIZE_MAX;
  if (!status) status = w.cell ? lead(&w) : fail(run, "out of memory");
  end(&w);
  return status;
}

void study_work_leave(study_run *run) {
  struct study_private *const p = run->private;
  char message[MEASURE_MESSAGE_SIZE];
  if (!p->channel) return;
  // what it ended with has been said; whoever has ended already hears no more
  measure_message(message, "%s", run->message);
  for (size_t i = 0; !p->worker && i < p->channel->count; i++)
    tell(run, i, json_pack("{s:s}", "type", "end"));
  measure_message(run->message, "%s", message);
  p->channel->close(p->channel);
}
