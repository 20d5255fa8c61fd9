/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "robot_list.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "clock.h"

enum { TEXT_SIZE = 512, PATH_SIZE = 4096 };

void robot_words_add(robot_words *w, const char *format, ...) {
  va_list list;
  char *word = NULL;
  va_start(list, format);
  if (w->count < ROBOT_WORDS_MAX && vasprintf(&word, format, list) >= 0) w->word[w->count++] = word;
  va_end(list);
}

void robot_words_add_numbers(robot_words *w, const char *option, const option_numbers *n) {
  char text[TEXT_SIZE] = "";
  size_t used = 0;
  for (size_t i = 0; i < n->count && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.10g", i ? "," : "", n->value[i]);
  robot_words_add(w, "--%s=%s", option, text);
}

static void add_options(robot_words *w, const char *options) {
  for (const char *at = options; *at;) {
    const size_t length = strcspn(at, " \t");
    if (length) robot_words_add(w, "%.*s", (int)length, at);
    at += length + strspn(at + length, " \t");
  }
}

/* ---- a model --------------------------------------------------------------------------------- */

/* the line has the model's name already */
static const char *without_name(const char *text, const char *file) {
  const size_t length = strlen(file);
  return strncmp(text, file, length) ? text : text + length + strspn(text + length, ": ");
}

static void set_text(study_run *run, const robot_list_kind *kind, void *row, const char *name,
                     const char *text) {
  const column *const c = column_find(kind->columns, name);
  *(const char **)((char *)row + c->offset) = study_text(run, "%s", text);
}

int robot_list_measure(study_run *run, const robot_list_kind *kind, size_t number, void *row) {
  const listed_file *const m = &((const file_list *)run->own)->file[number];
  char folder[PATH_SIZE], text[CHILD_TEXT_SIZE];
  robot_words w = {0};
  int ended = -1;
  snprintf(folder, sizeof folder, "%s/%s", run->folder, m->folder);
  robot_words_add(&w, "essbench");
  robot_words_add(&w, "%s", kind->command);
  robot_words_add(&w, "%s", m->file);
  robot_words_add(&w, "--out=%s", folder);
  robot_words_add(&w, "--seed=%lu", run->seed);
  kind->add_words(run, &w);
  if (study_begins_anew(run)) robot_words_add(&w, "--restart");
  // those of the line come last, and win
  add_options(&w, m->options);
  const uint64_t start = measure_clock_ns();
  const int status = child_run(run, w.word, folder, text, &ended);
  for (size_t i = 0; i < w.count; i++) free(w.word[i]);
  if (status || (!ended && study_ask(run, folder, kind->sql, kind->columns, row))) return -1;
  set_text(run, kind, row, "class", m->class);
  set_text(run, kind, row, "name", m->name);
  set_text(run, kind, row, "model", m->listed);
  set_text(run, kind, row, "folder", m->folder);
  *(double *)((char *)row + column_find(kind->columns, "seconds")->offset) =
      1e-9 * (double)(measure_clock_ns() - start);
  if (!ended) return 0;
  set_text(run, kind, row, "verdict", "no answer");
  set_text(run, kind, row, "status", study_text(run, "failed: %s", without_name(text, m->file)));
  return 0;
}

/* ---- the study ------------------------------------------------------------------------------- */

/* what is asked for, so that another list does not go on where this one ended */
static uint64_t content_of(const file_list *list) {
  uint64_t content = 0xcbf29ce484222325u;
  for (size_t i = 0; i < list->count; i++) {
    const listed_file *const m = &list->file[i];
    const char *const texts[] = {m->class, m->listed, m->options};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
      for (const char *at = texts[k]; at == texts[k] || at[-1]; at++)
        content = (content ^ (unsigned char)*at) * 0x100000001b3u;
  }
  return content;
}

int robot_list_check(study_run *run, const char *folder) {
  file_list *const list = calloc(1, sizeof *list);
  run->own = list;
  if (!list) return study_out_of_memory(run);
  const int status = file_list_read(list, run->operand, folder, run->message);
  if (!status) run->content = content_of(list);
  return status;
}

int robot_list_plan(study_run *run, size_t stage) {
  const file_list *const list = run->own;
  for (size_t i = 0; stage == 0 && i < list->count; i++)
    study_cell(run, &i, "model=%s", list->file[i].folder);
  return 0;
}

void robot_list_release(study_run *run) {
  if (run->own) file_list_free(run->own);
  free(run->own);
}

/* ---- the screen ------------------------------------------------------------------------------ */

void robot_list_print_number(double value, int width) {
  if (isnan(value))
    printf(" %*s", width, "-");
  else
    printf(" %*.3g", width, value);
}

void robot_list_print_words(const char *text, size_t most) {
  static const char more[] = " ...";
  size_t length = strlen(text);
  if (length > most)
    for (length = most - strlen(more); length > 0 && text[length] != ' ';) length--;
  printf(" %.*s%s\n", (int)length, text, text[length] ? more : "");
}
