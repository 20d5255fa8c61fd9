/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench figures: draws, with gnuplot, every figure whose data are there, or those of some
 * studies. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "gnuplot.h"
#include "json_file.h"
#include "names.h"
#include "process.h"
#include "record.h"
#include "studies.h"

enum { NAME_SIZE = 160 };

static const char *const formats[] = {"svg", "pdf", "png"};

/* the figures of this study are asked for */
static bool is_asked(const arguments *given, const char *of) {
  if (!given->only) return true;
  for (const char *name = given->only; *name; name += *name == ',') {
    const size_t length = strcspn(name, ",");
    if (strlen(of) == length && strncmp(of, name, length) == 0) return true;
    name += length;
  }
  return false;
}

/* A name that is no study's is a usage error. */
static void check_names(const arguments *given) {
  for (const char *name = given->only ? given->only : ""; *name; name += *name == ',') {
    const size_t length = strcspn(name, ",");
    names known = names_for(name, length);
    bool is_known = false;
    for (size_t i = 0; studies[i]; i++) {
      if (!studies[i]->figures->name) continue;
      names_add(&known, studies[i]->name);
      is_known = is_known || (strlen(studies[i]->name) == length &&
                              strncmp(studies[i]->name, name, length) == 0);
    }
    if (!is_known)
      command_usage(given, "'%.*s' is not a study with figures; accepted are %s", (int)length, name,
                    known.list);
    name += length;
  }
}

/* draws with the script of that name; `more` are further settings for it */
static int draw(const arguments *given, const char *script_name, const char *name,
                const char *more) {
  const volatile int *const interrupted = interrupts_catch();
  char data[RECORD_PATH_SIZE], settings[3 * RECORD_PATH_SIZE], script[NAME_SIZE];
  char message[MEASURE_MESSAGE_SIZE];
  if (gnuplot_quote(data, sizeof data, given->folder))
    return command_fail(given, "the path of the results folder is too long");
  snprintf(script, sizeof script, "%s.gp", script_name);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    snprintf(settings, sizeof settings, "data='%s'; out='%s/figures'; format='%s'; %s", data, data,
             formats[i], more);
    const int failed = gnuplot_run(settings, script, message);
    if (*interrupted) {
      // what gnuplot has begun is no figure
      snprintf(settings, sizeof settings, "%s/figures/%s.%s", given->folder, name, formats[i]);
      unlink(settings);
      return command_fail(given, "interrupted; %s is not drawn", name);
    }
    if (failed)
      return command_fail(given, "gnuplot did not draw %s.%s%s%s", name, formats[i],
                          *message ? ": " : "", message);
  }
  printf("%s/figures/%s.{svg,pdf,png}\n", given->folder, name);
  return COMMAND_SUCCESS;
}

/* a figure, and a few of its curves where it has more than a talk would show */
static int draw_whole_and_few(const arguments *given, const study_figure *of) {
  char few[NAME_SIZE], settings[2 * NAME_SIZE];
  const int status = draw(given, of->name, of->name, "");
  if (status || !of->crowded) return status;
  snprintf(few, sizeof few, "%.96s_few", of->name);
  snprintf(settings, sizeof settings, "name='%s'; few=6", few);
  return draw(given, of->name, few, settings);
}

/* one case of the results of work-precision: error against time, the same of a few methods and of
 * the main ones, and error against evaluations */
static int draw_case(const arguments *given, const char *of, const char *m, double contacts) {
  static const struct {
    const char *cost, *ending, *more;
  } kinds[] = {{"time", "", ""},
               {"time", "_few", "; few=6"},
               {"time", "_main", "; few=4"},
               {"evaluations", "_evaluations", ""}};
  char name[NAME_SIZE], settings[4 * NAME_SIZE];
  int status = COMMAND_SUCCESS;
  for (size_t i = 0; !status && i < sizeof kinds / sizeof *kinds; i++) {
    snprintf(name, sizeof name, "work_precision_%.96s%s", of, kinds[i].ending);
    // a case whose number of contacts was chosen is named by it
    snprintf(settings, sizeof settings,
             "name='%s'; model='%.64s'; contacts=%.0f; numbered=%d; cost='%s'; label_knobs=%d%s",
             name, m, contacts, strcmp(of, m) != 0, kinds[i].cost, given->label_knobs,
             kinds[i].more);
    status = draw(given, "work_precision", name, settings);
  }
  return status;
}

/* every case of the results of work-precision, which there may be none of */
static int draw_cases(const arguments *given, size_t *drawn) {
  char path[RECORD_PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  if (!is_asked(given, "work-precision") ||
      access(record_path(path, given->folder, "work_precision.json"), F_OK))
    return COMMAND_SUCCESS;
  json_t *const results = measure_json_read(path, message), *one;
  if (!results) return command_fail(given, "%s", message);
  int status = COMMAND_SUCCESS;
  size_t i;
  json_array_foreach(json_object_get(results, "cases"), i, one) {
    const char *const of = json_string_value(json_object_get(one, "name"));
    const char *const m = json_string_value(json_object_get(one, "model"));
    if (!of || !m) break;
    status = draw_case(given, of, m, json_number_value(json_object_get(one, "contacts")));
    if (status) break;
    (*drawn)++;
  }
  if (!status && (i == 0 || i < json_array_size(json_object_get(results, "cases"))))
    status = command_fail(given, "%s is not what work-precision writes; move it away", path);
  json_decref(results);
  return status;
}

/* whether a table has a row below its header; says so where it has none */
static bool has_rows(const char *path, const char *name) {
  FILE *const file = fopen(path, "r");
  if (!file) return false;
  int c, lines = 0, last = '\n';
  while (lines < 2 && (c = getc(file)) != EOF) {
    lines += last == '\n' && c != '\n';
    last = c;
  }
  fclose(file);
  if (lines < 2) fprintf(stderr, "warning: %s is not drawn: %s has no rows\n", name, path);
  return lines >= 2;
}

/* those of its figures that have rows */
static int draw_study(const arguments *given, const study *s, size_t *drawn) {
  char path[RECORD_PATH_SIZE];
  int status = COMMAND_SUCCESS;
  for (const study_figure *f = s->figures; !status && f->name; f++) {
    if (!has_rows(record_path(path, given->folder, f->data), f->name)) continue;
    status = draw_whole_and_few(given, f);
    *drawn += !status;
  }
  return status;
}

static int run(arguments *given) {
  char path[RECORD_PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  check_names(given);
  if (access(given->folder, F_OK) && errno == ENOENT)
    return command_fail(given, "folder %s does not exist, so no results can be drawn",
                        given->folder);
  if (measure_folder_create(record_path(path, given->folder, "figures"), message))
    return command_fail(given, "%s", message);
  size_t drawn = 0;
  int status = COMMAND_SUCCESS;
  for (size_t i = 0; !status && studies[i]; i++)
    if (is_asked(given, studies[i]->name)) status = draw_study(given, studies[i], &drawn);
  if (!status) status = draw_cases(given, &drawn);
  if (status) return status;
  if (!drawn)
    return command_fail(given, "%s holds no results%s%s; run %s first", given->folder,
                        given->only ? " of " : "", given->only ? given->only : "",
                        given->only ? "these studies" : "order, calibrate or sweep");
  return COMMAND_SUCCESS;
}

const command figures_command = {
    .name = "figures",
    .summary = "draw all figures for which there are results",
    .groups = ARGUMENTS_FOLDER | ARGUMENTS_FIGURES,
    .run = run,
};
