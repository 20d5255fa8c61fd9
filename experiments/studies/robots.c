/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robots: a command of a robot on each of many models, as a process, since MuJoCo may end
 * the one that it is in; and a table with a line for each. How large the error of MuJoCo's time
 * steps is; or, by robots-race, what the same error costs libess. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "clock.h"
#include "file_list.h"
#include "robot_case.h"
#include "studies.h"

enum { MODELS = STUDY_SAMPLES + 1, CLASSES, VERDICTS_MAX = 5, TEXT_SIZE = 512, PATH_SIZE = 4096 };

/* A study of many: what runs on each model, beside its options; and the row that it gives, whose
 * columns have the texts `class`, `name`, `model`, `folder`, `verdict` and `status` and the amount
 * `seconds`. */
typedef struct kind {
  const char *command, *more; /* an option that is always set; NULL: none */
  const column *columns;
  const char *sql; /* of a row from the results of one model, as study_ask has it */
} kind;

#define IN_OPTION(X, row)                                                                          \
  X(row, in, TEXT, "folder", "DIR", "folder of the files of a list (default: the current folder)") \
  X(row, without, TEXT, "without", "A,B|self",                                                     \
    "exclude contacts between these geoms or bodies, in all models, in both engines; self: "       \
    "between all of one robot",                                                                    \
    .result = "without")

#define NAME_COLUMNS(COLUMN, row)                                                                  \
  COLUMN(row, class, TEXT, "",                                                                     \
         "legged (a robot on a floor), arm (arms and hands) or other; empty: the list does not "   \
         "say")                                                                                    \
  COLUMN(row, name, TEXT, "", "the part of its path that distinguishes it from the others")        \
  COLUMN(row, model, TEXT, "", "its file, as listed")

/* ---- a command line -------------------------------------------------------------------------- */

enum { WORDS_MAX = 64 };
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

static void add_numbers(words *w, const char *option, const json_t *numbers) {
  char text[TEXT_SIZE] = "";
  size_t used = 0;
  for (size_t i = 0; i < json_array_size(numbers) && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.10g", i ? "," : "",
                             json_number_value(json_array_get(numbers, i)));
  add(w, "--%s=%s", option, text);
}

/* an option of the study is one of each model, but for what is of the list */
static void add_option(words *w, const study_option *o, const void *settings) {
  json_t *const value = option_json(o, settings);
  const bool is_of_list = o->shows || strcmp(o->name, "folder") == 0;
  if (!is_of_list && json_is_array(value)) add_numbers(w, o->name, value);
  if (!is_of_list && json_is_string(value)) add(w, "--%s=%s", o->name, json_string_value(value));
  if (!is_of_list && json_is_number(value)) add(w, "--%s=%.10g", o->name, json_number_value(value));
  json_decref(value);
}

/* those of a line of the list */
static void add_options(words *w, const char *options) {
  for (const char *at = options; *at;) {
    const size_t length = strcspn(at, " \t");
    if (length) add(w, "%.*s", (int)length, at);
    at += length + strspn(at + length, " \t");
  }
}

/* ---- a model --------------------------------------------------------------------------------- */

/* the line has the model's name already */
static const char *without_name(const char *text, const char *file) {
  const size_t length = strlen(file);
  return strncmp(text, file, length) ? text : text + length + strspn(text + length, ": ");
}

static void set_text(study_run *run, const kind *k, void *row, const char *name, const char *text) {
  const column *const c = column_find(k->columns, name);
  *(const char **)((char *)row + c->offset) = study_text(run, "%s", text);
}

/* The command on one model, into a cleared row. 0, also where that fails, which the row says; or -1
 * with one line. */
static int measure_model(study_run *run, const kind *k, size_t number, void *row) {
  const listed_file *const m = &((const file_list *)run->own)->file[number];
  char folder[PATH_SIZE], text[CHILD_TEXT_SIZE];
  words w = {0};
  int ended = -1;
  snprintf(folder, sizeof folder, "%s/%s", run->folder, m->folder);
  add(&w, "essbench");
  add(&w, "%s", k->command);
  add(&w, "%s", m->file);
  add(&w, "--out=%s", folder);
  add(&w, "--seed=%lu", run->seed);
  for (const study_option *o = run->study->options; o->name; o++) add_option(&w, o, run->settings);
  if (k->more) add(&w, "%s", k->more);
  if (study_begins_anew(run)) add(&w, "--restart");
  // those of the line come last, and win
  add_options(&w, m->options);
  const uint64_t start = measure_clock_ns();
  const int status = child_run(run, w.word, folder, text, &ended);
  for (size_t i = 0; i < w.count; i++) free(w.word[i]);
  if (status || (!ended && study_ask(run, folder, k->sql, k->columns, row))) return -1;
  set_text(run, k, row, "class", m->class);
  set_text(run, k, row, "name", m->name);
  set_text(run, k, row, "model", m->listed);
  set_text(run, k, row, "folder", m->folder);
  *(double *)((char *)row + column_find(k->columns, "seconds")->offset) =
      1e-9 * (double)(measure_clock_ns() - start);
  if (!ended) return 0;
  set_text(run, k, row, "verdict", "no answer");
  set_text(run, k, row, "status", study_text(run, "failed: %s", without_name(text, m->file)));
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

static int check_list(study_run *run, const char *folder) {
  file_list *const list = calloc(1, sizeof *list);
  run->own = list;
  if (!list) return study_out_of_memory(run);
  const int status = file_list_read(list, run->operand, folder, run->message);
  if (!status) run->content = content_of(list);
  return status;
}

static int plan(study_run *run, size_t stage) {
  const file_list *const list = run->own;
  for (size_t i = 0; stage == 0 && i < list->count; i++)
    study_cell(run, &i, "model=%s", list->file[i].folder);
  return 0;
}

static void release(study_run *run) {
  if (run->own) file_list_free(run->own);
  free(run->own);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The models of a class, and how many of them have each verdict: the first is the same of both. */
enum { NO_ANSWER };
typedef struct class_row {
  const char *class; /* "" where the list does not say; "all" */
  size_t models, with[VERDICTS_MAX];
} class_row;
#define CLASS_COLUMNS                                                                              \
  COLUMN(class_row, class, TEXT, "", "legged, arm or other; empty: the list does not say; all",    \
         .sql = "of"),                                                                             \
      COLUMN(class_row, models, COUNT, "", "in the list", .sql = "count(*)")
#define VERDICT(called, number, verdict, meaning)                                                  \
  COLUMN_AS(called, class_row, with[number], COUNT, "", meaning,                                   \
            .sql = "sum(verdict = '" verdict "')")

#define LAPS_OF(table) "SELECT *, CAST(folder AS INTEGER) AS number FROM " table " WHERE run = ?1"
#define MODELS_SQL     "laps ORDER BY number"
static const char classes_sql[] =
    "(SELECT *, class AS of, coalesce(nullif(instr(' legged arm other ', ' ' || class || ' '), 0), "
    "99) AS place FROM laps UNION ALL SELECT *, 'all', 100 FROM laps) GROUP BY place "
    "ORDER BY place";

/* ---- the screen ------------------------------------------------------------------------------ */

static void print_number(double value, int width) {
  if (isnan(value))
    printf(" %*s", width, "-");
  else
    printf(" %*.3g", width, value);
}

static void print_words(const char *text, size_t most) {
  static const char more[] = " ...";
  size_t length = strlen(text);
  if (length > most)
    for (length = most - strlen(more); length > 0 && text[length] != ' ';) length--;
  printf(" %.*s%s\n", (int)length, text, text[length] ? more : "");
}

static bool is_unanswered(const char *verdict) {
  return strcmp(verdict, "no answer") == 0;
}

static size_t count_answered(const study_run *run) {
  size_t count, answered = 0;
  study_rows(run, MODELS, &count);
  for (size_t i = 0; i < count; i++)
    answered += !is_unanswered(study_words(run, MODELS, i, "verdict"));
  return answered;
}

/* each has its line, and none has what was asked for */
static int conclude(study_run *run) {
  if (count_answered(run)) return 0;
  return measure_fail(run->message, "%s: no model has an answer; the table says why", run->operand);
}

/* What is the same of both. */
#define OF_MANY                                                                                    \
  .group = STUDY_MECHANISMS, .operand = "LIST|DIR", .own_models = true, .untimed = true,           \
  .printable = true, .processes = 1, .cells = "models", .plan = plan, .conclude = conclude,        \
  .release = release, .table = "show the results of each model in the folder; nothing is measured"

/* ---- the error of its steps ------------------------------------------------------------------ */

#define ERRORS_OPTIONS(X, row)                                                                     \
  ROBOT_TIME_OPTION(X, row)                                                                        \
  X(row, budget, NUMBER, "budget", "S", "processor time that the answer of a model may take, s",   \
    .initial = "20", .min = 1e-3, .max = 1e6, .result = "budget")                                  \
  IN_OPTION(X, row)                                                                                \
  X(row, race, FLAG, "race", NULL,                                                                 \
    "race MuJoCo and libess instead, with the options of essbench robots-race", .shows = true)
OPTION_ROW(errors_settings, ERRORS_OPTIONS);

#define ERRORS_COLUMNS(COLUMN, row)                                                                \
  NAME_COLUMNS(COLUMN, row)                                                                        \
  COLUMN(row, verdict, TEXT, "",                                                                   \
         "the reference: libess; libess, without event functions (from a certain time); MuJoCo's " \
         "fine steps; or no answer")                                                               \
  COLUMN(row, status, TEXT, "", "what limits the answer, or why there is none")                    \
  COLUMN(row, integrator, TEXT, "", "integrator of the model")                                     \
  COLUMN(row, time_step, AMOUNT, "s", "time step of the model")                                    \
  COLUMN(row, stable, FLAG, "", "whether MuJoCo is stable at these settings")                      \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "error of the bodies at the model's own settings: root mean square distance of their "    \
         "origins over time")                                                                      \
  COLUMN(row, bodies_bound, AMOUNT, "m",                                                           \
         "bound: the largest difference of `bodies` from its true value")                          \
  COLUMN(row, hinges, AMOUNT, "rad",                                                               \
         "error of the hinges: root mean square difference of their angles over time")             \
  COLUMN(row, hinges_bound, AMOUNT, "rad", "the same bound of `hinges`")                           \
  COLUMN(row, joint, TEXT, "", "joint with the largest error at any time")                         \
  COLUMN(row, joint_error, AMOUNT, "", "that error, in the unit that follows")                     \
  COLUMN(row, joint_bound, AMOUNT, "", "its bound, likewise")                                      \
  COLUMN(row, unit, TEXT, "", "m or rad")                                                          \
  COLUMN(row, energy_drift, NUMBER, "J",                                                           \
         "change of energy in MuJoCo minus that in the reference: see robot_error.csv")            \
  COLUMN(row, energy_bound, AMOUNT, "J", "its bound, estimated")                                   \
  COLUMN(row, penetration, AMOUNT, "m", "largest depth of a contact in MuJoCo")                    \
  COLUMN(row, penetration_reference, AMOUNT, "m", "the same in the reference")                     \
  COLUMN(row, creep, AMOUNT, "m",                                                                  \
         "largest displacement in MuJoCo of a contact that friction holds: see robot_error.csv")   \
  COLUMN(row, creep_reference, AMOUNT, "m", "the same in the reference")                           \
  COLUMN(row, jumps, AMOUNT, "", "jumps of contact points that no event function detects")         \
  COLUMN(row, jump_dist, AMOUNT, "m", "largest change of a distance over a step with such a jump") \
  ROBOT_STEP_COLUMNS(COLUMN, row)                                                                  \
  COLUMN(row, first, AMOUNT, "s", "processor time until the first number")                         \
  COLUMN(row, total, AMOUNT, "s", "processor time of the answer")                                  \
  COLUMN(row, seconds, AMOUNT, "s", "wall time of the model, the table of steps included")         \
  COLUMN(row, folder, TEXT, "", "its results, within the folder of these")
TAKEN_ROW(errors_row, ERRORS_COLUMNS);

/* by how an answer was obtained */
enum { BY_LIBESS = 1, BY_FIELD, BY_STEPS };
static const column errors_classes[] = {
    CLASS_COLUMNS,
    VERDICT("by_libess", BY_LIBESS, "libess", "models with an answer by libess"),
    VERDICT("by_field", BY_FIELD, "libess, without event functions",
            "by libess, without event functions"),
    VERDICT("by_steps", BY_STEPS, "MuJoCo''s fine steps", "by MuJoCo's fine steps"),
    VERDICT("no_answer", NO_ANSWER, "no answer", "models without an answer"),
    {0},
};

static const char errors_sql[] =
    "'', '', '', CASE WHEN a.how = '' THEN 'no answer' ELSE a.how END, a.note, "
    "coalesce(s.name, ''), s.knob, a.states IS NOT NULL, a.bodies, a.bodies_bound, a.hinges, "
    "a.hinges_bound, coalesce(j.name, ''), j.most, j.most_bound, coalesce(j.unit, ''), "
    "a.energy_drift, a.energy_bound, a.penetration, a.penetration_reference, a.creep, "
    "a.creep_reference, a.jumps, a.jump_dist, a.half_by, a.half_step, a.small_by, a.small_step, "
    "a.seconds, a.total, NULL, '' FROM robot_error a "
    "LEFT JOIN robot_error_steps s ON s.run = a.run AND s.own "
    "LEFT JOIN (SELECT run, name, unit, most, most_bound FROM robot_error_joints "
    "ORDER BY most DESC) j ON j.run = a.run "
    "WHERE a.run IN newest ORDER BY a.run DESC, j.most DESC LIMIT 1";

static const kind errors_kind = {"robot", NULL, errors_row_columns, errors_sql};

static int check_errors(study_run *run) {
  const errors_settings *const s = run->settings;
  return check_list(run, s->in);
}

static int measure_errors(study_run *run, const void *cell) {
  errors_row row;
  column_clear(errors_row_columns, &row);
  if (measure_model(run, &errors_kind, *(const size_t *)cell, &row)) return -1;
  study_add(run, STUDY_SAMPLES, &row);
  return 0;
}

/* a step in ms, by whom */
static void print_step(const char *name, double step) {
  if (!*name)
    printf(" %20s", "-");
  else
    printf(" %12s %7.3g", name, 1e3 * step);
}

static void print_error(const errors_row *r) {
  enum { NAME = 22, STATUS = 77 };
  printf("%-*.*s", NAME, NAME, r->name);
  if (is_unanswered(r->verdict)) {
    print_words(r->status, STATUS);
    return;
  }
  print_number(1e3 * r->bodies, 8);
  print_number(1e3 * r->bodies_bound, 8);
  print_number(1e3 * r->hinges, 8);
  print_number(1e3 * r->hinges_bound, 8);
  print_step(r->small_by, r->small_step);
  printf(" %s\n", r->stable ? r->verdict : "unstable at its own step");
}

static void show_errors(const study_run *run) {
  size_t count, classes;
  const errors_row *const all = study_rows(run, MODELS, &count);
  const class_row *const class = study_rows(run, CLASSES, &classes);
  puts("The error of MuJoCo at each file's own settings, root mean square, with its bound; the\n"
       "cheapest integrator and step tried that have at most 1 mm and 1 mrad, the bound included;\n"
       "and how the answer was obtained.\n");
  printf("%-22s %8s %8s %8s %8s %20s %s\n", "model", "bodies", "+-", "hinges", "+-",
         "1 mm, 1 mrad: ms", "by");
  printf("%-22s %8s %8s %8s %8s\n", "", "mm", "mm", "mrad", "mrad");
  for (size_t i = 0; i < count; i++) print_error(&all[i]);
  putchar('\n');
  for (size_t i = 0; i < classes; i++)
    printf("%-8s %zu model%s: %zu by libess, %zu by libess without event functions, %zu by "
           "MuJoCo's fine steps; %zu without an answer\n",
           *class[i].class ? class[i].class : "no class", class[i].models,
           class[i].models == 1 ? "" : "s", class[i].with[BY_LIBESS], class[i].with[BY_FIELD],
           class[i].with[BY_STEPS], class[i].with[NO_ANSWER]);
  printf("\n%zu of %zu models have an answer. Each has its own screen in "
         "%s/NUMBER-NAME/screen.txt;\nrobots_error.csv has all columns.\n",
         count_answered(run), count, run->folder);
}

const study robots_study = {
    .name = "robots",
    .summary = "essbench robot on many models: a table with a line for each",
    .example = "essbench robots menagerie/ --budget 10",
    .file = "robots_error",
    .figures = {STUDY_FIGURE("fig_robots_error", "robots_error.csv")},
    OF_MANY,
    STUDY_OF(errors_settings, size_t),
    .laps = LAPS_OF("robots_error_cells"),
    .tables = {[STUDY_SAMPLES] = STUDY_ROWS(errors_row, .meaning = "one model"),
               [MODELS] = STUDY_ROWS(errors_row, .json = "models", .csv = "robots_error.csv",
                                     .from = MODELS_SQL, .meaning = "one model"),
               [CLASSES] = STUDY_TABLE(errors_classes, class_row, .json = "classes",
                                       .csv = "robots_error_classes.csv", .from = classes_sql,
                                       .meaning = "the models of a class")},
    .check = check_errors,
    .run = measure_errors,
    .show = show_errors,
};

/* ---- what the same error costs libess -------------------------------------------------------- */

#define RACE_OPTIONS(X, row)                                                                       \
  ROBOT_TIME_OPTION(X, row)                                                                        \
  X(row, starts, WHOLE, "starts", "COUNT",                                                         \
    "initial conditions of each model; intervals need five", .initial = "5", .min = 1,             \
    .max = 1000, .result = "starts")                                                               \
  X(row, budget, NUMBER, "budget", "S", "time limit of a run, s; longer runs are skipped",         \
    .initial = "0.4", .min = 1e-3, .max = 1e6, .result = "budget")                                 \
  X(row, reference_budget, NUMBER, "reference-budget", "S", "time limit of a reference, s",        \
    .initial = "5", .min = 1e-3, .max = 1e6, .result = "reference_budget")                         \
  IN_OPTION(X, row)                                                                                \
  X(row, time_steps, NUMBERS, "time-steps", "X,Y", "time steps of mj_step, s, the largest first",  \
    .initial = "0.008,0.004,0.002,0.001", .min = 1e-7, .max = 1)                                   \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y",                                                 \
    "tolerances of libess, rtol = atol, the largest first",                                        \
    .initial = "0.5,1e-1,1e-2,1e-3,1e-5,1e-7", .min = 1e-13, .max = 0.5)                           \
  X(row, bases, NAMES, "base", "A,B", "step methods, as of essbench robot-race",                   \
    .initial = "dopri5,ros2,lit,lit_unlocated,heun,adams2", .names = robot_bases,                  \
    .result = "base")                                                                              \
  X(row, reference, NUMBER, "reference", "X", "tolerance of the references", .initial = "1e-7",    \
    .min = 1e-13, .max = 1e-3, .result = "reference_tolerance")
OPTION_ROW(many_settings, RACE_OPTIONS);

#define MANY_COLUMNS(COLUMN, row)                                                                  \
  NAME_COLUMNS(COLUMN, row)                                                                        \
  COLUMN(row, verdict, TEXT, "",                                                                   \
         "of libess in the race: faster, where the ratio's whole interval is above 1; slower, "    \
         "where it is below, or where no run of libess has the error within the budget; "          \
         "undecided; stops early; or no answer")                                                   \
  COLUMN(row, status, TEXT, "",                                                                    \
         "to the end; or up to where its reference ends; or failed: in words")                     \
  COLUMN(row, answered, FLAG, "", "whether there are numbers")                                     \
  COLUMN(row, whole, FLAG, "", "whether they are of the whole time, from every initial condition") \
  COLUMN(row, until, AMOUNT, "s", "time that the reference of every initial condition reaches")    \
  COLUMN(row, reference, AMOUNT, "", "its error, over the size of its states; median")             \
  COLUMN(row, own_error, AMOUNT, "",                                                               \
         "MuJoCo's error at the file's own step and integrator, over the same size; median")       \
  COLUMN(row, bodies, AMOUNT, "m", "the same: root mean square of all bodies")                     \
  COLUMN(row, base, AMOUNT, "m", "how far its base is off at most; not known where none floats")   \
  COLUMN(row, joint, TEXT, "", "its worst joint")                                                  \
  COLUMN(row, joint_off, AMOUNT, "", "how far that is off at most, in the unit that follows")      \
  COLUMN(row, unit, TEXT, "", "m or rad")                                                          \
  COLUMN(row, from, AMOUNT, "s", "when the error is a tenth of its largest")                       \
  COLUMN(row, ratio, AMOUNT, "",                                                                   \
         "MuJoCo's time, by the file's own step and integrator, over libess's at that error: "     \
         "median over the initial conditions, each with libess's settings chosen by the others")   \
  COLUMN(row, ratio_low, AMOUNT, "",                                                               \
         "from here to the next a second run has it in 95 of 100, by resampling the initial "      \
         "conditions; not known below five")                                                       \
  COLUMN(row, ratio_high, AMOUNT, "", "as above")                                                  \
  COLUMN(row, known, COUNT, "", "initial conditions that the ratio is known of")                   \
  COLUMN(row, won, COUNT, "", "of them those whose ratio is above 1")                              \
  COLUMN(row, best_ratio, AMOUNT, "",                                                              \
         "the same with MuJoCo's cheapest integrator and step that have the error")                \
  COLUMN(row, plain_ratio, AMOUNT, "",                                                             \
         "the time of the event-unaware solver over libess's at that error")                       \
  COLUMN(row, plain_low, AMOUNT, "", "from here to the next, as of the ratio")                     \
  COLUMN(row, plain_high, AMOUNT, "", "as above")                                                  \
  COLUMN(row, seconds, AMOUNT, "s", "that the study of this model took")                           \
  COLUMN(row, folder, TEXT, "", "its results, within the folder of these")
TAKEN_ROW(many_row, MANY_COLUMNS);

enum { FASTER = 1, SLOWER, UNDECIDED, STOPS_EARLY };
static const column race_classes[] = {
    CLASS_COLUMNS,
    VERDICT("faster", FASTER, "faster", "models on which libess is: see verdict"),
    VERDICT("slower", SLOWER, "slower", "likewise"),
    VERDICT("undecided", UNDECIDED, "undecided", "likewise"),
    VERDICT("stops_early", STOPS_EARLY, "stops early", "models whose reference ends early"),
    VERDICT("no_answer", NO_ANSWER, "no answer", "models without numbers"),
    {0},
};

/* The columns of a row but for its names. Of what is at rest it is not told how far it is off: what
 * the others do is not in mm and mrad. */
static const char race_sql[] =
    "'', '', '', CASE WHEN NOT answered THEN 'no answer' WHEN NOT whole THEN 'stops early' "
    "WHEN low > 1 THEN 'faster' WHEN high < 1 THEN 'slower' "
    "WHEN raced AND low IS NULL AND starts > 4 AND NOT won THEN 'slower' ELSE 'undecided' END, "
    "CASE WHEN NOT answered THEN 'no numbers: ' || note "
    "WHEN NOT whole THEN printf('to %.3g s%s: %s%s', until, "
    "iif(reached, printf(', but from %d to the end', reached), ''), ended, "
    "CASE WHEN instr(ended, contact) THEN '' ELSE ', ' || contact END) "
    "ELSE CASE WHEN rests THEN 'at rest at first; to the end' ELSE 'to the end' END || "
    "CASE WHEN NOT raced THEN '; MuJoCo''s error is too near the reference''s' "
    "WHEN known = 0 THEN '; libess does not reach the error' "
    "WHEN known < starts THEN printf('; libess reaches the error from %d of %d', known, starts) "
    "ELSE '' END END, "
    "answered, whole, until, reference / size, own / size, bodies, "
    "CASE WHEN NOT whole OR NOT rests THEN base END, "
    "joint, CASE WHEN NOT whole OR NOT rests THEN off END, unit, "
    "CASE WHEN NOT whole OR NOT rests THEN begins END, ratio, low, high, known, won, best_ratio, "
    "plain_ratio, plain_low, plain_high, NULL, '' "
    "FROM (SELECT m.rms_error IS NOT NULL AS answered, "
    "m.rms_error IS NOT NULL AND `reference.status` = 'success' AS whole, "
    "NOT coalesce(`off.base` > 0, 0) AND NOT coalesce(`off.joint` > 0, 0) AS rests, "
    "coalesce(m.note, '') AS note, `reference.status` AS ended, `reference.contact` AS contact, "
    "`reference.until` AS until, reached, `reference.estimate` AS reference, `reference.size` AS "
    "size, "
    "m.rms_error AS own, m.position_error AS bodies, `off.base` AS base, `off.name` AS joint, "
    "`off.joint` AS off, `off.unit` AS unit, `off.from` AS begins, r.run IS NOT NULL AS raced, "
    "r.mujoco_over_libess AS ratio, r.mujoco_over_libess_low AS low, "
    "r.mujoco_over_libess_high AS high, coalesce(r.held_out, 0) AS known, "
    "h.starts AS starts, coalesce(h.won, 0) AS won, r.best_over_libess AS best_ratio, "
    "r.plain_over_libess AS plain_ratio, r.plain_over_libess_low AS plain_low, "
    "r.plain_over_libess_high AS plain_high FROM robot_top t "
    "LEFT JOIN robot_mujoco m ON m.run = t.run AND m.own "
    "LEFT JOIN robot_reach r ON r.run = t.run AND r.own "
    "LEFT JOIN (SELECT run, count(*) AS starts, coalesce(sum(mujoco_over_libess > 1), 0) AS won "
    "FROM robot_held_out WHERE own GROUP BY run) h ON h.run = t.run "
    "WHERE t.run IN newest ORDER BY t.run DESC, m.row, r.row LIMIT 1)";

static const kind race_kind = {"robot-race", "--own", many_row_columns, race_sql};

static int check_race(study_run *run) {
  const many_settings *const s = run->settings;
  return check_list(run, s->in);
}

static int measure_race(study_run *run, const void *cell) {
  many_row row;
  column_clear(many_row_columns, &row);
  if (measure_model(run, &race_kind, *(const size_t *)cell, &row)) return -1;
  study_add(run, STUDY_SAMPLES, &row);
  return 0;
}

/* of a reference's error over its states' size */
static const double good_reference = 1e-3;

static void print_race(const many_row *r) {
  enum { NAME = 22, JOINT = 15, STATUS = 12, WHOLE = 77 };
  printf("%-*.*s", NAME, NAME, r->name);
  if (!r->answered) {
    print_words(r->status, WHOLE);
    return;
  }
  print_number(1e3 * r->base, 7);
  printf(" %*.*s", JOINT, JOINT, *r->joint ? r->joint : "-");
  print_number(1e3 * r->joint_off, 7);
  printf(" %-4s", strcmp(r->unit, "rad") == 0 ? "mrad" : *r->unit ? "mm" : "");
  print_number(r->ratio, 5);
  print_number(r->ratio_low, 5);
  print_number(r->ratio_high, 5);
  printf(" %6.0e", r->reference);
  print_words(strcmp(r->verdict, "stops early") ? r->verdict : r->status, STATUS);
}

static void show_race(const study_run *run) {
  size_t count, classes, whole = 0, good = 0;
  const many_row *const all = study_rows(run, MODELS, &count);
  const class_row *const class = study_rows(run, CLASSES, &classes);
  puts(
      "MuJoCo at each file's own step: the largest errors of the base and of the worst joint from\n"
      "the first initial condition; ratio: MuJoCo's time over libess's at the same error, and its\n"
      "interval over the initial conditions; known: the reference's own error, over the size\n"
      "of its states. Neither computes sensors.\n");
  printf("%-22s %7s %15s %7s %-4s %5s %5s %5s %6s %s\n", "model", "base,mm", "worst joint", "off",
         "", "ratio", "from", "to", "known", "libess is");
  for (size_t i = 0; i < count; i++) {
    print_race(&all[i]);
    whole += all[i].whole;
    good += all[i].whole && all[i].reference < good_reference;
  }
  putchar('\n');
  for (size_t i = 0; i < classes; i++)
    printf(
        "%-8s %zu model%s: libess is faster on %zu, slower on %zu; %zu undecided, %zu stop early, "
        "%zu have no answer\n",
        *class[i].class ? class[i].class : "no class", class[i].models,
        class[i].models == 1 ? "" : "s", class[i].with[FASTER], class[i].with[SLOWER],
        class[i].with[UNDECIDED], class[i].with[STOPS_EARLY], class[i].with[NO_ANSWER]);
  printf(
      "\n%zu of %zu models have an answer, %zu of them for the whole time, %zu of these known to "
      "%g or better.\nEach has its own screen in %s/NUMBER-NAME/screen.txt; robots.csv has each "
      "status in full.\n",
      count_answered(run), count, whole, good, good_reference, run->folder);
}

const study robots_race_study = {
    .name = "robots-race",
    .summary = "race of MuJoCo and libess on many models: a table with a line for each",
    .example = "essbench robots menagerie/ --race --budget 1",
    .file = "robots",
    OF_MANY,
    STUDY_OF(many_settings, size_t),
    .laps = LAPS_OF("robots_cells"),
    .tables = {[STUDY_SAMPLES] = STUDY_ROWS(many_row, .meaning = "one model"),
               [MODELS] = STUDY_ROWS(many_row, .json = "models", .csv = "robots.csv",
                                     .from = MODELS_SQL, .meaning = "one model"),
               [CLASSES] = STUDY_TABLE(race_classes, class_row, .json = "classes",
                                       .csv = "robots_classes.csv", .from = classes_sql,
                                       .meaning = "the models of a class")},
    .check = check_race,
    .run = measure_race,
    .show = show_race,
};
