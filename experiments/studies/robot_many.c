/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robots: a line for each of many models, how wrong MuJoCo is on it and what the same
 * error costs libess. */
#include "robot_many.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies.h"

static const study_option options[] = {
    {"time", "S", "how long a run is, s", OPTION_NUMBER, OPTION_AT(many_settings, time),
     .initial = "1", .min = 1e-3, .max = 1e3, .result = "time"},
    {"starts", "COUNT", "of each model", OPTION_WHOLE, OPTION_AT(many_settings, starts),
     .initial = "1", .min = 1, .max = 1000, .result = "starts"},
    {"budget", "S",
     "a run that takes longer is left out, s; a reference may take six times as long",
     OPTION_NUMBER, OPTION_AT(many_settings, budget), .initial = "2", .min = 1e-3, .max = 1e6,
     .result = "budget"},
    {"without", "A,B|self",
     "these geoms or bodies never touch, in any model, in both engines; self: no two of one robot",
     OPTION_TEXT, OPTION_AT(many_settings, without), .result = "without"},
    {"time-steps", "X,Y", "of mj_step, s, the largest first", OPTION_NUMBERS,
     OPTION_AT(many_settings, time_steps), .initial = "0.008,0.004,0.002,0.001,0.0005,0.00025",
     .min = 1e-7, .max = 1},
    {"tolerances", "X,Y", "of libess, rtol = atol, the largest first", OPTION_NUMBERS,
     OPTION_AT(many_settings, tolerances), .initial = "0.5,1e-1,1e-2,1e-3,1e-4,1e-5", .min = 1e-13,
     .max = 0.5},
    {0},
};

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
    if (study_cell(run, &i, "model=%s", list->file[i].name)) return -1;
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

static void print_model(const many_row *r) {
  enum { NAME = 22, JOINT = 16, STATUS = 14, WHOLE = 77 };
  printf("%-*s", NAME, tail(r->model, NAME));
  if (!r->answered) {
    printf(" %.*s\n", WHOLE, r->status);
    return;
  }
  print_number(1e3 * r->base, 7);
  printf(" %*.*s", JOINT, JOINT, *r->joint ? r->joint : "-");
  print_number(1e3 * r->joint_off, 7);
  printf(" %-4s", strcmp(r->unit, "rad") == 0 ? "mrad" : *r->unit ? "mm" : "");
  print_number(r->from, 6);
  print_number(r->ratio, 6);
  printf(" %8.0e", r->reference);
  printf(" %.*s\n", STATUS, r->status);
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

static void release(study_run *run) {
  if (run->own) file_list_free(run->own);
  free(run->own);
}

const study robots_study = {
    .name = "robots",
    .summary = "essbench robot on many models: a line for each, whatever fails",
    .example = "essbench robots menagerie/ --budget 1",
    .file = "robots",
    .schema = "essbench-robots-1",
    .operand = "LIST|DIR",
    .own_models = true,
    .untimed = true,
    .printable = true,
    .table = "show what is known of each model, measure nothing",
    .cells = "models",
    STUDY_OF(options, many_settings, size_t),
    .tables = {[STUDY_SAMPLES] = STUDY_ROWS(many_row, .meaning = "one model"),
               [MODELS] = STUDY_ROWS(many_row, .json = "models", .csv = "robots.csv",
                                     .meaning = "one model")},
    .check = check,
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
    .release = release,
};
