/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a study: what is missing is measured, and the results written and printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "files.h"
#include "json_file.h"
#include "process.h"
#include "race.h"
#include "record.h"
#include "study_run.h"

bool study_is_worker(const study_run *run) {
  return run->private->worker;
}

bool study_begins_anew(const study_run *run) {
  return run->private->request->restart;
}

void study_goes_on(study_run *run) {
  run->private->goes_on = true;
}

/* stage by stage, until one adds no cell */
static int measure_all(study_run *run) {
  if (study_store_open(run)) return -1;
  for (;;) {
    const long added = study_cells_plan(run, run->private->stages);
    if (added < 0) return -1;
    if (!added) return 0;
    const bool is_last = ++run->private->stages >= run->study->stages;
    int status = study_share_note(run, false);
    if (!status) status = study_work(run);
    if (!status && run->private->request->share.count && !is_last) status = study_share_meet(run);
    if (status || run->private->waits) return status;
    if (run->private->request->share.count && is_last) return 0;
    if (study_cells_settle(run)) return -1;
  }
}

/* a name behind others, in lines of at most 100 columns; where the line then ends */
static int print_name(int end, const char *name, const char *ending, bool is_first) {
  enum { WIDTH = 100 };
  const bool fits = end + (int)(strlen(name) + strlen(ending)) + 2 <= WIDTH;
  if (is_first) return end + printf("%s%s", name, ending);
  if (!fits) end = 0;
  return end + printf(fits ? ", %s%s" : ",\n  %s%s", name, ending);
}

/* the names of all files of results */
static void print_files(const study_run *run) {
  const study_table *const tables = run->study->tables;
  int end = printf("results in %s/", run->folder);
  bool is_first = true;
  for (size_t i = 0; i < STUDY_TABLES_MAX && tables[i].columns; i++) {
    if (!tables[i].csv) continue;
    end = print_name(end, tables[i].csv, "", is_first);
    is_first = false;
  }
  print_name(end, run->study->file, ".json", is_first);
  putchar('\n');
}

static bool is_shown(const study_table *t) {
  for (const column *c = t->columns; c->name; c++)
    if (c->head) return true;
  return false;
}

static void show_tables(const study_run *run) {
  const study_table *const tables = run->study->tables;
  if (run->study->show) {
    run->study->show(run);
  } else {
    for (size_t i = 0; i < STUDY_TABLES_MAX && tables[i].columns; i++) {
      if (!run->private->rows[i].count || !is_shown(&tables[i])) continue;
      if (tables[i].above) puts(tables[i].above);
      study_print(run, i, 0, SIZE_MAX);
      if (tables[i].below) puts(tables[i].below);
    }
  }
  print_files(run);
}

/* the file of results, as it stands */
static int print_results(study_run *run) {
  char path[RECORD_PATH_SIZE], name[STUDY_CELL_NAME_SIZE];
  snprintf(name, sizeof name, "%s.json", run->study->file);
  json_t *const results = measure_json_read(record_path(path, run->folder, name), run->message);
  if (!results) return -1;
  const int failed = measure_json_print(results, stdout);
  json_decref(results);
  return failed ? measure_fail(run->message, "cannot print %s", name) : 0;
}

static int show(study_run *run) {
  if (run->private->request->json) return print_results(run);
  show_tables(run);
  return 0;
}

/* --table: nothing is measured */
static int show_earlier(study_run *run) {
  bool shown;
  if (study_store_look(run) || study_store_check_operand(run) || study_parts_show(run, &shown))
    return -1;
  if (shown) return 0;
  if (run->private->store && study_recall(run)) return -1;
  if (!json_array_size(run->private->heads))
    return measure_fail(run->message, "%s holds no results of %s; run it first", run->folder,
                        run->study->name);
  if (!run->study->show_table) return show(run);
  run->study->show_table(run);
  return 0;
}

/* a file of cases is written anew of those in the database: one that has others is left alone */
static int look_at_cases(study_run *run) {
  char path[RECORD_PATH_SIZE], name[STUDY_CELL_NAME_SIZE];
  if (study_store_look(run) || (run->private->store && study_recall(run))) return -1;
  snprintf(name, sizeof name, "%s.json", run->study->file);
  if (json_array_size(run->private->heads) || access(record_path(path, run->folder, name), F_OK))
    return 0;
  return measure_fail(run->message, "%s is of no run in essbench.sqlite; move it away", path);
}

/* whether it can be done at all; with the rows of other cases known. A database that is refused is
 * so before the machine is looked at, which has its own to say. */
static int check(study_run *run) {
  int status = run->study->kept       ? look_at_cases(run)
               : study_is_worker(run) ? 0
                                      : study_store_look(run);
  if (!status && run->study->check) status = run->study->check(run);
  study_rows_clear(run, STUDY_SAMPLES + 1);
  return status;
}

/* before anything is waited for or written: the core, the look at the machine, the folder */
static int prepare(study_run *run) {
  char warning[MEASURE_MESSAGE_SIZE];
  struct study_private *const p = run->private;
  p->core = run->study->pinned ? measure_pin_core(-1, warning) : -1;
  if (p->worker) return 0;
  if (run->study->untimed)
    p->environment = record_environment_now(p->core);
  else if (record_environment(p->core, p->request->strict, &p->environment, run->message))
    return -1;
  return measure_folder_create(run->folder, run->message);
}

/* of what was measured */
static int conclude(study_run *run) {
  if (study_noted(run, run->study->derive ? run->study->derive(run) : 0)) return -1;
  if (study_write(run) || show(run)) return -1;
  return run->study->conclude ? run->study->conclude(run) : 0;
}

/* what is not whole is not kept */
static void tell_interrupt(study_run *run) {
  if (study_parts_kept(run))
    measure_message(run->message,
                    "interrupted; what is done is kept, within the %s, too: the same "
                    "command goes on from here, and --table shows it",
                    run->study->cells);
  else if (json_object_size(run->private->known) > 0 || run->private->goes_on)
    measure_message(run->message, "interrupted; the same command goes on from here");
  else
    measure_message(run->message,
                    "interrupted before the first of its %s was done, so nothing is kept; the same "
                    "command starts over",
                    run->study->cells ? run->study->cells : "parts");
}

static int live(study_run *run) {
  int status = check(run);
  if (!status) status = study_work_join(run);
  if (!status) status = prepare(run);
  run->interrupted = interrupts_catch();
  if (!status) status = run->private->worker ? study_work_serve(run) : measure_all(run);
  // a cell that was cut short is no failure
  if (status < 0 && !run->private->worker && *run->interrupted) status = 1;
  if (status > 0) tell_interrupt(run);
  if (status || run->private->worker) return status;
  return run->private->request->share.count ? study_share_end(run) : conclude(run);
}

int study_execute(const study *s, const study_request *request, char *message) {
  struct study_private private = {.request = request,
                                  .turn = -1,
                                  .known = json_object(),
                                  .recalled = json_array(),
                                  .heads = json_array()};
  study_run run = {.study = s,
                   .settings = request->settings,
                   .operand = request->operand,
                   .m = request->m,
                   .racers = request->racers,
                   .seed = request->seed,
                   .processes = s->processes && request->processes ? request->processes : 1,
                   .folder = request->folder,
                   .message = message,
                   .private = &private};
  measure_message(message, "out of memory");
  int status = -1;
  if (private.known) status = request->table ? show_earlier(&run) : live(&run);
  if (s->release)
    s->release(&run);
  else
    free(run.own);
  cases_free(&run);
  study_rows_clear(&run, 0);
  study_cells_free(&run);
  measure_store_close(private.store);
  json_decref(private.measured);
  json_decref(private.texts);
  json_decref(private.recalled);
  json_decref(private.heads);
  json_decref(private.known);
  json_decref(private.environment);
  return status;
}
