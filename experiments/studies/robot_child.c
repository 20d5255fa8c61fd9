/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One model of many: essbench robot as a process, since MuJoCo may end the one that it is in. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "clock.h"
#include "robot_many.h"

enum { WORDS_MAX = 64, TEXT_SIZE = 512, PATH_SIZE = 4096 };

/* the words of its command line */
typedef struct words {
  size_t count;
  char *word[WORDS_MAX + 1]; /* owned */
} words;

__attribute__((format(printf, 2, 3))) static void add(words *w, const char *format, ...) {
  va_list list;
  char *word = NULL;
  va_start(list, format);
  if (w->count < WORDS_MAX && vasprintf(&word, format, list) >= 0) w->word[w->count++] = word;
  va_end(list);
}

static void add_numbers(words *w, const char *option, const option_numbers *n) {
  char text[TEXT_SIZE] = "";
  size_t used = 0;
  for (size_t i = 0; i < n->count && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.10g", i ? "," : "", n->value[i]);
  add(w, "--%s=%s", option, text);
}

static void add_options(words *w, const char *options) {
  for (const char *at = options; *at;) {
    const size_t length = strcspn(at, " \t");
    if (length) add(w, "%.*s", (int)length, at);
    at += length + strspn(at + length, " \t");
  }
}

/* those of the line come last, and win */
static void add_words(const study_run *run, const listed_file *m, const char *folder, words *w) {
  const many_settings *const s = run->settings;
  add(w, "essbench");
  add(w, "robot");
  add(w, "%s", m->file);
  add(w, "--out=%s", folder);
  add(w, "--seed=%lu", run->seed);
  add(w, "--time=%.10g", s->time);
  add(w, "--starts=%zu", s->starts);
  add(w, "--budget=%.10g", s->budget);
  if (s->without) add(w, "--without=%s", s->without);
  add_numbers(w, "time-steps", &s->time_steps);
  add_numbers(w, "tolerances", &s->tolerances);
  if (study_begins_anew(run)) add(w, "--restart");
  add_options(w, m->options);
}

/* ---- its results ----------------------------------------------------------------------------- */

static double number_of(const json_t *object, const char *name) {
  const json_t *const value = json_object_get(object, name);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_of(study_run *run, const json_t *object, const char *name) {
  const char *const text = json_string_value(json_object_get(object, name));
  return study_text(run, "%s", text ? text : "");
}

/* the first of an array that is of the model's own setting */
static const json_t *own_of(const json_t *results, const char *table) {
  const json_t *row;
  size_t i;
  json_array_foreach(json_object_get(results, table), i, row) {
    const json_t *const own = json_object_get(row, "own");
    if (json_is_true(own) || json_integer_value(own)) return row;
  }
  return NULL;
}

static void take_results(study_run *run, const json_t *results, many_row *row) {
  const json_t *const reference = json_object_get(results, "reference"),
                      *const off = json_object_get(results, "off"),
                      *const mujoco = own_of(results, "mujoco"),
                      *const reach = own_of(results, "reach");
  const char *const ended = text_of(run, reference, "status"), *const contact = text_of(
                                                                   run, reference, "contact");
  row->until = number_of(reference, "until");
  row->reference = number_of(reference, "estimate") / number_of(reference, "size");
  row->bodies = number_of(mujoco, "position_error");
  row->base = number_of(off, "base");
  row->joint = text_of(run, off, "name");
  row->joint_off = number_of(off, "joint");
  row->unit = text_of(run, off, "unit");
  row->from = number_of(off, "from");
  row->ratio = number_of(reach, "mujoco_over_libess");
  row->plain_ratio = number_of(reach, "plain_over_libess");
  row->answered = !isnan(number_of(mujoco, "rms_error"));
  row->whole = row->answered && strcmp(ended, "success") == 0;
  // it is at rest, and what the others do is not in mm and mrad
  const bool rests = !(row->base > 0.0) && !(row->joint_off > 0.0);
  if (row->whole && rests) {
    row->status = "at rest at first; to the end";
    row->base = row->joint_off = row->from = NAN;
  } else if (row->whole)
    row->status = "to the end";
  else if (row->answered)
    row->status =
        study_text(run, "to %.3g s: %s%s%s", row->until, ended, strstr(ended, contact) ? "" : ", ",
                   strstr(ended, contact) ? "" : contact);
  else
    row->status = study_text(run, "no numbers: %s", text_of(run, mujoco, "note"));
}

/* the line has the model's name already */
static const char *without_name(const char *text, const char *file) {
  const size_t length = strlen(file);
  return strncmp(text, file, length) ? text : text + length + strspn(text + length, ": ");
}

int many_measure(study_run *run, const listed_file *m, many_row *row) {
  char folder[PATH_SIZE], text[CHILD_TEXT_SIZE];
  words w = {0};
  int ended = -1;
  snprintf(folder, sizeof folder, "%s/%s", run->folder, m->name);
  add_words(run, m, folder, &w);
  const uint64_t start = measure_clock_ns();
  const int status = child_run(run, w.word, folder, text, &ended);
  for (size_t i = 0; i < w.count; i++) free(w.word[i]);
  if (status) return status;
  row->model = study_text(run, "%s", m->file);
  row->folder = study_text(run, "%s", m->name);
  row->seconds = 1e-9 * (double)(measure_clock_ns() - start);
  row->status = study_text(run, "failed: %s", without_name(text, m->file));
  if (ended) return 0;
  json_t *const results = child_results(run, folder, "robot");
  if (!results) return -1;
  take_results(run, results, row);
  json_decref(results);
  return 0;
}
