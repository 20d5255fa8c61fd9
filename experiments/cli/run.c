/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench run: one model, one solver, one start, beside the reference. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "files.h"
#include "gnuplot.h"
#include "impacts.h"
#include "json_file.h"
#include "names.h"
#include "progress.h"
#include "record.h"
#include "solvers.h"
#include "trajectory.h"

/* ---- a table and a figure -------------------------------------------------------------------- */

/* what is kept of the trajectory, of the states that --columns names */
typedef struct run_files {
  const arguments *given;
  size_t count, state[MODEL_DIMENSION_MAX]; /* those chosen, in their order */
  bool printed;                             /* the table goes to the standard output */
  char figure[RECORD_PATH_SIZE];            /* without its ending; "": none */
  const char *format;
  struct measure_file *csv; /* owned; NULL: none */
} run_files;

static const char *state_name(const run_files *f, size_t i) {
  return model_state_name(&f->given->m, i);
}

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

/* whether it can be written, which gnuplot would tell in many lines */
static int probe_figure(const run_files *f, char message[MEASURE_MESSAGE_SIZE]) {
  char path[sizeof f->figure + sizeof ".png"];
  snprintf(path, sizeof path, "%s.%s", f->figure, f->format);
  measure_file *file;
  const int status = measure_file_open(&file, path, message);
  measure_file_discard(file);
  return status;
}

/* before the run, for a prepared model: what cannot be is told then. An exit status, which has said
 * why. */
static int run_files_open(run_files *f, const arguments *given) {
  *f = (run_files){.given = given, .printed = given->csv && strcmp(given->csv, "-") == 0};
  char message[MEASURE_MESSAGE_SIZE];
  if (given->columns && !given->csv && !given->plot)
    command_usage(given, "--columns needs --csv or --plot");
  if (f->printed && given->json)
    command_usage(given, "--csv - and --json cannot both use the standard output");
  choose_states(f);
  if (given->plot) name_figure(f);
  if (given->plot && probe_figure(f, message)) return command_fail(given, "%s", message);
  if (given->csv && !f->printed && measure_file_open(&f->csv, given->csv, message))
    return command_fail(given, "%s", message);
  return COMMAND_SUCCESS;
}

/* where nothing is to be written after all */
static void run_files_close(run_files *f) {
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

/* writes and draws. An exit status, which has said why. */
static int run_files_write(run_files *f, const trajectory *t) {
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

/* what one run gave */
typedef struct outcome {
  solver_report report;
  int status;            /* of the solver's run */
  double wall_s;         /* of the run alone */
  double rms_error;      /* NaN without a reference */
  const char *reference; /* its kind, or NULL */
  size_t reference_events;
  bool has_modes; /* the model has contact modes, and the solver told of its impacts */
  impacts impacts;
  json_t *slides; /* of a model that slides, by a solver that told; else NULL */
} outcome;

/* how far a run has come, shown to who has waited for a while */
typedef struct waiting {
  measure_progress progress;
  double dt;
} waiting;

static const uint64_t patience_ns = 500000000;

static void begin_waiting(waiting *w, const char *what, const trajectory *t) {
  w->dt = t->dt;
  measure_progress_begin(&w->progress, NULL, what, 0, t->count);
}

static void count_reached(size_t count, void *context) {
  waiting *const w = context;
  if (measure_clock_ns() - w->progress.start_ns > patience_ns)
    measure_progress_update(&w->progress, count);
}

static void time_reached(double t, void *context) {
  const waiting *const w = context;
  count_reached((size_t)(t / w->dt), context);
}

/* rows that a run which ends early does not reach are no numbers */
static void forget_rows(trajectory *t) {
  for (size_t i = 0; i < t->count * t->dimension; i++) t->states[i] = NAN;
}

static size_t rows_reached(const trajectory *t) {
  size_t rows = 0;
  while (rows < t->count && !isnan(t->states[rows * t->dimension])) rows++;
  return rows;
}

/* prepares, runs and times the solver */
static int run_solver(arguments *given, const double x0[], trajectory *t, outcome *o,
                      char message[SOLVER_MESSAGE_SIZE]) {
  given->solver = solver_on(given->solver, &given->m);
  const solver_output output = trajectory_output(t);
  void *instance;
  waiting w;
  begin_waiting(&w, given->solver->name, t);
  // a run that nobody looks at is timed without
  given->settings.reached = w.progress.drawn ? time_reached : NULL;
  given->settings.reached_context = &w;
  const int refused =
      given->solver->prepare(&given->m, &given->settings, &output, &instance, message);
  if (refused) return refused;
  const uint64_t start = measure_clock_ns();
  o->status = given->solver->run(instance, x0, &output, &o->report);
  o->wall_s = 1e-9 * (double)(measure_clock_ns() - start);
  measure_progress_end(&w.progress);
  if (!o->status && given->solver->inspect)
    o->status = given->solver->inspect(instance, &output, &o->report);
  given->solver->release(instance);
  return 0;
}

/* the reference on the same grid, and the error against it */
static int compare(arguments *given, const double x0[], const trajectory *t, outcome *o,
                   char message[SOLVER_MESSAGE_SIZE]) {
  trajectory exact;
  if (trajectory_alloc(&exact, &given->m, message)) return -1;
  waiting w;
  begin_waiting(&w, "reference", t);
  exact.reached = count_reached;
  exact.reached_context = &w;
  const int status =
      trajectory_reference(&exact, &given->m, x0, &o->reference_events, &o->reference, message);
  measure_progress_end(&w.progress);
  if (!status) o->rms_error = trajectory_rms(t, &exact);
  trajectory_free(&exact);
  return status;
}

/* has the solver tell of impacts, if it is one that does */
static void list_impacts(arguments *given, const double x0[], outcome *o) {
  const bool tells = given->solver->tells_impacts;
  o->has_modes = tells && impacts_begin(&o->impacts, &given->m, x0) == 0;
  if (!o->has_modes) return;
  given->settings.impact = impacts_add;
  given->settings.impact_context = &o->impacts;
}

/* where slides of the model begin and end, as libess tells of them */
static int add_slide(const ess_slide_info *info, void *context) {
  json_t *const slides = context;
  return json_array_append_new(
      slides, json_pack("{s:o, s:I, s:b}", "t", measure_json_number(info->t), "guard",
                        (json_int_t)info->event, "begins", info->begins > 0));
}

static void list_slides(arguments *given, outcome *o) {
  if (!given->m.type->slides || !given->solver->tells_slides) return;
  o->slides = json_array();
  given->settings.slide = add_slide;
  given->settings.slide_context = o->slides;
}

static json_t *as_json(const arguments *given, const trajectory *t, const outcome *o) {
  const solver_report *const r = &o->report;
  const double *const last = t->states + (t->count - 1) * t->dimension;
  const bool accumulates = r->accumulation > 0.0;
  const double time = accumulates ? r->accumulation : t->times[t->count - 1];
  const solver_settings settings =
      solver_settings_in_force(given->solver, &given->settings, given->m.type->time_step);
  json_t *const options = record_settings(&settings);
  json_object_set_new(options, "parameters", record_model(&given->m));
  json_t *const object = json_pack(
      "{s:s, s:i, s:s, s:s, s:o, s:o, s:o}", "schema", "essbench-run-1", "schema_version", 1,
      "model", given->m.type->name, "solver", given->solver->name, "options", options, "time",
      measure_json_number(time), "state", measure_json_numbers(last, t->dimension, 1));
  const double contacts = model_get(&given->m, "contacts");
  json_object_set_new(object, "contacts",
                      isnan(contacts) ? json_null() : json_integer((json_int_t)contacts));
  const struct {
    const char *name;
    uint64_t value;
  } counters[] = {{"steps", r->steps},
                  {"rejected", r->rejected},
                  {"entries", r->entries},
                  {"projections", r->projections},
                  {"through", r->through},
                  {"field_evaluations", r->field_evaluations},
                  {"event_evaluations", r->event_evaluations}};
  json_object_set_new(object, "events", json_integer((json_int_t)r->events));
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
    json_object_set_new(object, counters[i].name,
                        r->steps ? json_integer((json_int_t)counters[i].value) : json_null());
  json_object_set_new(object, "rms_error", measure_json_number(o->rms_error));
  json_object_set_new(object, "reference", o->reference ? json_string(o->reference) : json_null());
  json_object_set_new(object, "reference_events",
                      o->reference ? json_integer((json_int_t)o->reference_events) : json_null());
  json_object_set_new(object, "impacts", o->has_modes ? impacts_json(&o->impacts) : json_null());
  json_object_set_new(object, "modes",
                      o->has_modes ? impacts_modes_json(&o->impacts) : json_null());
  json_object_set_new(object, "mode_choices",
                      o->has_modes ? impacts_choices_json(&o->impacts) : json_null());
  json_object_set_new(object, "slides", o->slides ? json_incref(o->slides) : json_null());
  json_object_set_new(object, "wall_time_s", measure_json_number(o->wall_s));
  json_object_set_new(object, "status", json_string(accumulates ? "zeno" : "success"));
  return object;
}

static void print_text(const arguments *given, const trajectory *t, const outcome *o) {
  const double *const last = t->states + (t->count - 1) * t->dimension;
  printf("%s with %s, at t = %g s:\n", given->m.type->name, given->solver->name,
         t->times[t->count - 1]);
  for (size_t i = 0; i < t->dimension; i++)
    printf("  %-8s %.12g\n", model_state_name(&given->m, i), last[i]);
  const solver_report *const r = &o->report;
  printf("%llu crossing%s", (unsigned long long)r->events, r->events == 1 ? "" : "s");
  if (r->steps) printf(", %llu steps", (unsigned long long)r->steps);
  if (r->through) printf(", %llu of them through crossings", (unsigned long long)r->through);
  if (r->projections) printf(", %llu projections", (unsigned long long)r->projections);
  if (r->field_evaluations)
    printf(", %llu field evaluations", (unsigned long long)r->field_evaluations);
  printf(", %.3g ms\n", 1e3 * o->wall_s);
  if (o->reference)
    printf("RMS error %.3g against the %s solution (%zu crossing%s)\n", o->rms_error, o->reference,
           o->reference_events, o->reference_events == 1 ? "" : "s");
}

/* what the standard output gets, which a trajectory may have for itself */
static int report(arguments *given, const trajectory *t, const outcome *o, bool told) {
  if (given->json) return command_result(given, as_json(given, t, o));
  if (told) print_text(given, t, o);
  return COMMAND_SUCCESS;
}

/* what was reached before the run, or the reference, came to its end; nothing where it is told of
 * already that this cannot be written either */
static void keep_reached(run_files *files, const trajectory *t) {
  trajectory reached = *t;
  reached.count = rows_reached(t);
  if (reached.count) run_files_write(files, &reached);
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  trajectory t = {0};
  outcome o = {.rms_error = NAN};
  run_files files;
  double x0[MODEL_DIMENSION_MAX];
  int status = model_prepare(&given->m, message);
  if (!status) status = trajectory_alloc(&t, &given->m, message);
  if (status) return command_stop(given, status, message);
  status = run_files_open(&files, given);
  if (status) {
    trajectory_free(&t);
    return status;
  }
  given->m.type->initial_state(&given->m, x0);
  list_impacts(given, x0, &o);
  list_slides(given, &o);
  forget_rows(&t);

  status = run_solver(given, x0, &t, &o, message);
  if (!status && o.has_modes && !given->json && !files.printed) impacts_print(&o.impacts);
  if (!status && o.status) {
    status = o.status;
    snprintf(message, sizeof message, "%s", o.report.message);
  }
  if (!status && !given->no_reference) status = compare(given, x0, &t, &o, message);
  if (status) {
    // what there is until impacts accumulate is as good as any run
    if (given->json && o.report.accumulation > 0.0) report(given, &t, &o, false);
    status = command_stop(given, status, message);
    keep_reached(&files, &t);
  } else {
    status = report(given, &t, &o, !files.printed);
    if (!status) status = run_files_write(&files, &t);
  }
  run_files_close(&files);
  trajectory_free(&t);
  impacts_free(&o.impacts);
  json_decref(o.slides);
  return status;
}

const command run_command = {
    .name = "run",
    .summary = "integrate a model with one solver, and compare it with the reference",
    .example = "essbench run --contacts 37 --damping 0 --solver mujoco --json",
    .groups = ARGUMENTS_MODEL | ARGUMENTS_SOLVER | ARGUMENTS_SETTINGS | ARGUMENTS_JSON |
              ARGUMENTS_REFERENCE | ARGUMENTS_TRAJECTORY,
    .run = run,
};
