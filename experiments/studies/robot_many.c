/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robots: a line for each of many models, how wrong MuJoCo is on it and what the same
 * error costs libess. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "clock.h"
#include "file_list.h"
#include "studies.h"
#include "study.h"

#define OPTIONS(X, row)                                                                            \
  X(row, time, NUMBER, "time", "S", "how long a run is, s", .initial = "1", .min = 1e-3,           \
    .max = 1e3, .result = "time")                                                                  \
  X(row, starts, WHOLE, "starts", "COUNT", "of each model", .initial = "1", .min = 1, .max = 1000, \
    .result = "starts")                                                                            \
  X(row, budget, NUMBER, "budget", "S",                                                            \
    "a run that takes longer is left out, s; a reference may take six times as long",              \
    .initial = "2", .min = 1e-3, .max = 1e6, .result = "budget")                                   \
  X(row, without, TEXT, "without", "A,B|self",                                                     \
    "these geoms or bodies never touch, in any model, in both engines; self: no two of one robot", \
    .result = "without")                                                                           \
  X(row, time_steps, NUMBERS, "time-steps", "X,Y", "of mj_step, s, the largest first",             \
    .initial = "0.008,0.004,0.002,0.001,0.0005,0.00025", .min = 1e-7, .max = 1)                    \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y", "of libess, rtol = atol, the largest first",    \
    .initial = "0.5,1e-1,1e-2,1e-3,1e-4,1e-5", .min = 1e-13, .max = 0.5)
OPTION_ROW(many_settings, OPTIONS);

#define MANY_COLUMNS(COLUMN, row)                                                                  \
  COLUMN(row, model, TEXT, "", "its file, as listed")                                              \
  COLUMN(row, status, TEXT, "",                                                                    \
         "to the end; or up to where its reference ends; or failed: in words")                     \
  COLUMN(row, answered, FLAG, "", "whether there are numbers")                                     \
  COLUMN(row, whole, FLAG, "", "whether they are of the whole time")                               \
  COLUMN(row, until, AMOUNT, "s", "what the reference of every start reaches")                     \
  COLUMN(row, reference, AMOUNT, "", "its error, over the size of its states; median")             \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "MuJoCo's error at the file's own step and integrator: root mean square of all bodies")   \
  COLUMN(row, base, AMOUNT, "m", "how far its base is off at most; not known where none floats")   \
  COLUMN(row, joint, TEXT, "", "its worst joint")                                                  \
  COLUMN(row, joint_off, AMOUNT, "", "how far that is off at most, in the unit that follows")      \
  COLUMN(row, unit, TEXT, "", "m or rad")                                                          \
  COLUMN(row, from, AMOUNT, "s", "when the error is a tenth of its largest")                       \
  COLUMN(row, ratio, AMOUNT, "", "MuJoCo's time over libess's at that error")                      \
  COLUMN(row, plain_ratio, AMOUNT, "", "the time of libess without event functions over libess's") \
  COLUMN(row, seconds, AMOUNT, "s", "that the study of this model took")                           \
  COLUMN(row, folder, TEXT, "", "its results, within the folder of these")
COLUMN_ROW(many_row, MANY_COLUMNS);

/* One model of many: essbench robot as a process, since MuJoCo may end the one that it is in. */

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

/* The columns of a row. Of what is at rest it is not told how far it is off: what the others do is
 * not in mm and mrad. */
static const char row_sql[] =
    "'', CASE WHEN NOT answered THEN 'no numbers: ' || note "
    "WHEN NOT whole THEN printf('to %.3g s: %s%s', until, ended, "
    "CASE WHEN instr(ended, contact) THEN '' ELSE ', ' || contact END) "
    "WHEN rests THEN 'at rest at first; to the end' ELSE 'to the end' END, "
    "answered, whole, until, reference, bodies, CASE WHEN NOT whole OR NOT rests THEN base END, "
    "joint, CASE WHEN NOT whole OR NOT rests THEN off END, unit, "
    "CASE WHEN NOT whole OR NOT rests THEN begins END, ratio, plain_ratio, NULL, '' "
    "FROM (SELECT m.rms_error IS NOT NULL AS answered, "
    "m.rms_error IS NOT NULL AND `reference.status` = 'success' AS whole, "
    "NOT coalesce(`off.base` > 0, 0) AND NOT coalesce(`off.joint` > 0, 0) AS rests, "
    "coalesce(m.note, '') AS note, `reference.status` AS ended, `reference.contact` AS contact, "
    "`reference.until` AS until, `reference.estimate` / `reference.size` AS reference, "
    "m.position_error AS bodies, `off.base` AS base, `off.name` AS joint, `off.joint` AS off, "
    "`off.unit` AS unit, `off.from` AS begins, r.mujoco_over_libess AS ratio, "
    "r.plain_over_libess AS plain_ratio FROM robot_top t "
    "LEFT JOIN robot_mujoco m ON m.run = t.run AND m.own "
    "LEFT JOIN robot_reach r ON r.run = t.run AND r.own "
    "WHERE t.run IN newest ORDER BY t.run DESC, m.row, r.row LIMIT 1)";

/* the line has the model's name already */
static const char *without_name(const char *text, const char *file) {
  const size_t length = strlen(file);
  return strncmp(text, file, length) ? text : text + length + strspn(text + length, ": ");
}

/* essbench robot on one model, in a process of its own. 0, also where that fails, which the row
 * says; or -1 with one line. */
static int many_measure(study_run *run, const listed_file *m, many_row *row) {
  char folder[PATH_SIZE], text[CHILD_TEXT_SIZE];
  words w = {0};
  int ended = -1;
  snprintf(folder, sizeof folder, "%s/%s", run->folder, m->name);
  add_words(run, m, folder, &w);
  const uint64_t start = measure_clock_ns();
  const int status = child_run(run, w.word, folder, text, &ended);
  for (size_t i = 0; i < w.count; i++) free(w.word[i]);
  if (status || (!ended && study_ask(run, folder, row_sql, many_row_columns, row))) return -1;
  row->model = study_text(run, "%s", m->file);
  row->folder = study_text(run, "%s", m->name);
  row->seconds = 1e-9 * (double)(measure_clock_ns() - start);
  if (ended) row->status = study_text(run, "failed: %s", without_name(text, m->file));
  return 0;
}

/* what is asked for, so that another list does not go on where this one ended */
static uint64_t content_of(const file_list *list) {
  uint64_t content = 0xcbf29ce484222325u;
  for (size_t i = 0; i < list->count; i++) {
    const char *const texts[] = {list->file[i].file, list->file[i].options};
    for (size_t k = 0; k < 2; k++)
      for (const char *at = texts[k]; at == texts[k] || at[-1]; at++)
        content = (content ^ (unsigned char)*at) * 0x100000001b3u;
  }
  return content;
}

static int check(study_run *run) {
  file_list *const list = calloc(1, sizeof *list);
  run->own = list;
  if (!list) return study_out_of_memory(run);
  const int status = file_list_read(list, run->operand, run->message);
  if (!status) run->content = content_of(list);
  return status;
}

static int plan(study_run *run, size_t stage) {
  const file_list *const list = run->own;
  for (size_t i = 0; stage == 0 && i < list->count; i++)
    study_cell(run, &i, "model=%s", list->file[i].name);
  return 0;
}

static int measure(study_run *run, const void *cell) {
  const file_list *const list = run->own;
  many_row row;
  column_clear(many_row_columns, &row);
  if (many_measure(run, &list->file[*(const size_t *)cell], &row)) return -1;
  study_add(run, STUDY_SAMPLES, &row);
  return 0;
}

enum { MODELS = STUDY_SAMPLES + 1 };

static int derive(study_run *run) {
  size_t count;
  const many_row *const all = study_rows(run, STUDY_SAMPLES, &count);
  for (size_t i = 0; i < count; i++) study_add(run, MODELS, &all[i]);
  return 0;
}

/* of a reference's error over its states' size */
static const double good_reference = 1e-3;

/* ---- the screen ------------------------------------------------------------------------------ */

/* a number in so many columns; a dash where there is none */
static void print_number(double value, int width) {
  if (isnan(value))
    printf(" %*s", width, "-");
  else
    printf(" %*.3g", width, value);
}

/* the end of a path, which tells models apart */
static const char *tail(const char *path, size_t most) {
  const size_t length = strlen(path);
  if (length <= most) return path;
  const char *const end = path + length - most, *const slash = strchr(end, '/');
  return slash ? slash + 1 : end;
}

/* as many whole words of a line's last text as there is room for */
static void print_words(const char *text, size_t most) {
  static const char more[] = " ...";
  size_t length = strlen(text);
  if (length > most)
    for (length = most - strlen(more); length > 0 && text[length] != ' ';) length--;
  printf(" %.*s%s\n", (int)length, text, text[length] ? more : "");
}

static void print_model(const many_row *r) {
  enum { NAME = 22, JOINT = 16, STATUS = 14, WHOLE = 77 };
  printf("%-*s", NAME, tail(r->model, NAME));
  if (!r->answered) {
    print_words(r->status, WHOLE);
    return;
  }
  print_number(1e3 * r->base, 7);
  printf(" %*.*s", JOINT, JOINT, *r->joint ? r->joint : "-");
  print_number(1e3 * r->joint_off, 7);
  printf(" %-4s", strcmp(r->unit, "rad") == 0 ? "mrad" : *r->unit ? "mm" : "");
  print_number(r->from, 6);
  print_number(r->ratio, 6);
  printf(" %8.0e", r->reference);
  print_words(r->status, STATUS);
}

static void show(const study_run *run) {
  size_t count, answered = 0, whole = 0, good = 0;
  const many_row *const all = study_rows(run, MODELS, &count);
  puts("MuJoCo at each file's own step: how far the base and the worst joint of the first start "
       "are off\n"
       "at most; from: when a tenth of it is there, s; ratio: MuJoCo's time over libess's at the "
       "same error;\n"
       "known to: the reference's own error, over the size of its states.\n");
  printf("%-22s %7s %16s %7s %-4s %6s %6s %8s %s\n", "model", "base,mm", "worst joint", "off", "",
         "from", "ratio", "known to", "measured");
  for (size_t i = 0; i < count; i++) {
    print_model(&all[i]);
    answered += all[i].answered;
    whole += all[i].whole;
    good += all[i].whole && all[i].reference < good_reference;
  }
  printf(
      "\n%zu of %zu models have an answer, %zu of them for the whole time, %zu of these known to "
      "%g or better.\nEach has its own screen in %s/NUMBER-NAME/screen.txt; robots.csv has each "
      "status in full.\n",
      answered, count, whole, good, good_reference, run->folder);
}

/* each has its line, and none has what was asked for */
static int conclude(study_run *run) {
  size_t count;
  const many_row *const all = study_rows(run, MODELS, &count);
  for (size_t i = 0; i < count; i++)
    if (all[i].answered) return 0;
  return measure_fail(run->message, "%s: no model has an answer; the table says why", run->operand);
}

static void release(study_run *run) {
  if (run->own) file_list_free(run->own);
  free(run->own);
}

const study robots_study = {
    .name = "robots",
    .summary = "essbench robot on many models: a line for each, whatever fails",
    .example = "essbench robots menagerie/ --budget 1",
    .file = "robots",
    .operand = "LIST|DIR",
    .own_models = true,
    .untimed = true,
    .printable = true,
    .table = "show what is known of each model, measure nothing",
    .cells = "models",
    STUDY_OF(many_settings, size_t),
    .tables = {[STUDY_SAMPLES] = STUDY_ROWS(many_row, .meaning = "one model"),
               [MODELS] = STUDY_ROWS(many_row, .json = "models", .csv = "robots.csv",
                                     .meaning = "one model")},
    .check = check,
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
    .conclude = conclude,
    .release = release,
};
