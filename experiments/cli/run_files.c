/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "gnuplot.h"
#include "names.h"

static const char *state_name(const run_files *f, size_t i) {
  return model_state_name(&f->given->m, i);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static void choose_state(run_files *f, const char *word, size_t length) {
  const size_t n = f->given->m.system.dimension;
  names known = names_for(word, length);
  size_t i = 0;
  for (; i < n; i++) {
    names_add(&known, state_name(f, i));
    if (strlen(state_name(f, i)) == length && strncmp(state_name(f, i), word, length) == 0) break;
  }
  const int shown = (int)(length < 60 ? length : 60);
  if (i == n)
    command_usage(f->given, "--columns %.*s is not accepted; %sthere are %s", shown, word,
                  names_hint(&known, ""), known.list);
  for (size_t k = 0; k < f->count; k++)
    if (f->state[k] == i) command_usage(f->given, "--columns names %.*s twice", shown, word);
  f->state[f->count++] = i;
}

/* "a,b"; without it all of them */
static void choose_states(run_files *f) {
  const char *const text = f->given->columns;
  for (size_t i = 0; !text && i < f->given->m.system.dimension; i++) f->state[f->count++] = i;
  for (const char *word = text; word;) {
    const size_t length = strcspn(word, ",");
    choose_state(f, word, length);
    word = word[length] ? word + length + 1 : NULL;
  }
}

/* --plot's own name, or the table's, or the model's, with another ending */
static void name_figure(run_files *f) {
  static const char *const formats[] = {"png", "svg", "pdf"};
  const arguments *const given = f->given;
  const char *const table = given->csv && !f->printed ? given->csv : given->m.type->name;
  const char *const name = *given->plot ? given->plot : table;
  if (strlen(name) >= sizeof f->figure)
    command_usage(given, "--plot %.60s... is too long a name", name);
  strcpy(f->figure, name);
  char *const base = strrchr(f->figure, '/') ? strrchr(f->figure, '/') + 1 : f->figure;
  char *const dot = strrchr(base, '.');
  for (size_t i = 0; *given->plot && dot && i < sizeof formats / sizeof *formats; i++)
    if (strcmp(dot + 1, formats[i]) == 0) f->format = formats[i];
  if (*given->plot && (!f->format || dot == base))
    command_usage(given, "--plot %.60s is not accepted; it ends in .png, .svg or .pdf", name);
  if (!f->format) f->format = "png";
  if (dot && dot > base) *dot = '\0';
}

int run_files_open(run_files *f, const arguments *given) {
  *f = (run_files){.given = given, .printed = given->csv && strcmp(given->csv, "-") == 0};
  char message[MEASURE_MESSAGE_SIZE];
  if (given->columns && !given->csv && !given->plot)
    command_usage(given, "--columns is about what --csv writes and --plot draws; neither is given");
  if (f->printed && given->json)
    command_usage(given, "--csv - and --json both want the standard output");
  choose_states(f);
  if (given->plot) name_figure(f);
  if (given->csv && !f->printed && measure_file_open(&f->csv, given->csv, message))
    return command_fail(given, "%s", message);
  return COMMAND_SUCCESS;
}

void run_files_close(run_files *f) {
  measure_file_discard(f->csv);
  f->csv = NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int write_table(const run_files *f, const trajectory *t, FILE *stream,
                       char message[MEASURE_MESSAGE_SIZE]) {
  const char *columns[MODEL_DIMENSION_MAX + 1] = {"t"};
  for (size_t k = 0; k < f->count; k++) columns[k + 1] = state_name(f, f->state[k]);
  measure_csv csv;
  measure_csv_begin(&csv, stream, columns, f->count + 1);
  for (size_t i = 0; i < t->count; i++) {
    measure_csv_number(&csv, t->times[i]);
    for (size_t k = 0; k < f->count; k++)
      measure_csv_number(&csv, t->states[i * t->dimension + f->state[k]]);
    measure_csv_end_row(&csv);
  }
  return measure_csv_finish(&csv, message);
}

static int save_table(run_files *f, const trajectory *t, char message[MEASURE_MESSAGE_SIZE]) {
  measure_file *const file = f->csv;
  f->csv = NULL;
  // a stream that takes no more is told of where its name and the reason are known
  const int status = write_table(f, t, measure_file_stream(file), message);
  return measure_file_commit(file, message) ? -1 : status;
}

/* ---- the figure ------------------------------------------------------------------------------ */

static int draw_table(const run_files *f, const char *table, char message[MEASURE_MESSAGE_SIZE]) {
  char data[2 * RECORD_PATH_SIZE], out[2 * RECORD_PATH_SIZE], settings[5 * RECORD_PATH_SIZE];
  if (gnuplot_quote(data, sizeof data, table) || gnuplot_quote(out, sizeof out, f->figure))
    return measure_fail(message, "the paths are too long");
  const char *const slash = strrchr(out, '/'), *const name = slash ? slash + 1 : out;
  snprintf(settings, sizeof settings, "table='%s'; out='%.*s'; name='%s'; format='%s'; states=%zu",
           data, slash ? (int)(slash - out) : 1, slash ? out : ".", name, f->format, f->count);
  return gnuplot_run(settings, "trajectory.gp", message);
}

/* of a table that is there only as long as gnuplot reads it */
static int draw(const run_files *f, const trajectory *t, char message[MEASURE_MESSAGE_SIZE]) {
  const char *const folder = getenv("TMPDIR");
  char path[RECORD_PATH_SIZE];
  record_path(path, folder && *folder ? folder : "/tmp", "essbench-XXXXXX");
  const int descriptor = mkstemp(path);
  if (descriptor < 0) return measure_fail(message, "cannot create '%s'", path);
  FILE *const stream = fdopen(descriptor, "w");
  int status = stream ? write_table(f, t, stream, message) : -1;
  if (stream && fclose(stream) && !status)
    status = measure_fail(message, "cannot write '%s'", path);
  if (!status) status = draw_table(f, path, message);
  unlink(path);
  return status;
}

int run_files_write(run_files *f, const trajectory *t) {
  char message[MEASURE_MESSAGE_SIZE] = "";
  int status = 0;
  if (f->csv) status = save_table(f, t, message);
  if (f->printed) status = write_table(f, t, stdout, message);
  if (status) return command_fail(f->given, "%s", message);
  if (*f->figure && draw(f, t, message))
    return command_fail(f->given, "gnuplot did not draw %s.%s%s%s", f->figure, f->format,
                        *message ? ": " : "", message);
  // what the user has named he knows
  if (*f->figure && !*f->given->plot && !f->printed && !f->given->json)
    printf("%s.%s\n", f->figure, f->format);
  return COMMAND_SUCCESS;
}
