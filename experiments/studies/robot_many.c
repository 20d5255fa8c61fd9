/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robots --race: a line for each of many models, with MuJoCo's error and what the same
 * error costs libess. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot_list.h"
#include "robot_study.h"
#include "studies.h"
#include "study.h"

#define OPTIONS(X, row)                                                                            \
  X(row, time, NUMBER, "time", "S", "duration of a run, s", .initial = "1", .min = 1e-3,           \
    .max = 1e3, .result = "time")                                                                  \
  X(row, starts, WHOLE, "starts", "COUNT",                                                         \
    "initial conditions of each model; intervals need five", .initial = "5", .min = 1,             \
    .max = 1000, .result = "starts")                                                               \
  X(row, budget, NUMBER, "budget", "S", "time limit of a run, s; longer runs are skipped",         \
    .initial = "0.4", .min = 1e-3, .max = 1e6, .result = "budget")                                 \
  X(row, reference_budget, NUMBER, "reference-budget", "S", "time limit of a reference, s",        \
    .initial = "5", .min = 1e-3, .max = 1e6, .result = "reference_budget")                         \
  X(row, in, TEXT, "folder", "DIR", "folder of the files of a list (default: the current folder)") \
  X(row, without, TEXT, "without", "A,B|self",                                                     \
    "exclude contacts between these geoms or bodies, in all models, in both engines; self: "       \
    "between "                                                                                     \
    "all of one robot",                                                                            \
    .result = "without")                                                                           \
  X(row, time_steps, NUMBERS, "time-steps", "X,Y", "time steps of mj_step, s, the largest first",  \
    .initial = "0.008,0.004,0.002,0.001", .min = 1e-7, .max = 1)                                   \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y",                                                 \
    "tolerances of libess, rtol = atol, the largest first",                                        \
    .initial = "0.5,1e-1,1e-2,1e-3,1e-5,1e-7", .min = 1e-13, .max = 0.5)                           \
  X(row, bases, NAMES, "base", "A,B", "step methods, as of essbench robot-race",                   \
    .initial = "dopri5,ros2,heun,adams2", .names = robot_bases, .result = "base")                  \
  X(row, reference, NUMBER, "reference", "X", "tolerance of the references", .initial = "1e-7",    \
    .min = 1e-13, .max = 1e-3, .result = "reference_tolerance")
OPTION_ROW(many_settings, OPTIONS);

#define MANY_COLUMNS(COLUMN, row)                                                                  \
  COLUMN(row, class, TEXT, "",                                                                     \
         "legged (a robot on a floor), arm (arms and hands) or other; empty: "                     \
         "the list does not say")                                                                  \
  COLUMN(row, name, TEXT, "", "the part of its path that distinguishes it from the others")        \
  COLUMN(row, model, TEXT, "", "its file, as listed")                                              \
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

enum { FASTER, SLOWER, UNDECIDED, STOPS_EARLY, NO_ANSWER };
static const column class_columns[] = {
    ROBOT_CLASS_COLUMNS,
    ROBOT_VERDICT("faster", FASTER, "faster", "models on which libess is: see verdict"),
    ROBOT_VERDICT("slower", SLOWER, "slower", "likewise"),
    ROBOT_VERDICT("undecided", UNDECIDED, "undecided", "likewise"),
    ROBOT_VERDICT("stops_early", STOPS_EARLY, "stops early", "models whose reference ends early"),
    ROBOT_VERDICT("no_answer", NO_ANSWER, "no answer", "models without numbers"),
    {0},
};

static void add_words(const study_run *run, robot_words *w) {
  const many_settings *const s = run->settings;
  robot_words_add(w, "--time=%.10g", s->time);
  robot_words_add(w, "--starts=%zu", s->starts);
  robot_words_add(w, "--budget=%.10g", s->budget);
  robot_words_add(w, "--reference-budget=%.10g", s->reference_budget);
  if (s->without) robot_words_add(w, "--without=%s", s->without);
  robot_words_add_numbers(w, "time-steps", &s->time_steps);
  robot_words_add_numbers(w, "tolerances", &s->tolerances);
  robot_words_add(w, "--base=%s", s->bases.text);
  robot_words_add(w, "--own");
  robot_words_add(w, "--reference=%.10g", s->reference);
}

/* ---- its results ----------------------------------------------------------------------------- */

/* The columns of a row but for its names. Of what is at rest it is not told how far it is off: what
 * the others do is not in mm and mrad. */
static const char row_sql[] =
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

static const robot_list_kind kind = {
    .command = "robot-race",
    .columns = many_row_columns,
    .sql = row_sql,
    .add_words = add_words,
};

static int check(study_run *run) {
  const many_settings *const s = run->settings;
  return robot_list_check(run, s->in);
}

static int measure(study_run *run, const void *cell) {
  many_row row;
  column_clear(many_row_columns, &row);
  if (robot_list_measure(run, &kind, *(const size_t *)cell, &row)) return -1;
  study_add(run, STUDY_SAMPLES, &row);
  return 0;
}

/* of a reference's error over its states' size */
static const double good_reference = 1e-3;

/* ---- the screen ------------------------------------------------------------------------------ */

static void print_model(const many_row *r) {
  enum { NAME = 22, JOINT = 15, STATUS = 12, WHOLE = 77 };
  printf("%-*.*s", NAME, NAME, r->name);
  if (!r->answered) {
    robot_list_print_words(r->status, WHOLE);
    return;
  }
  robot_list_print_number(1e3 * r->base, 7);
  printf(" %*.*s", JOINT, JOINT, *r->joint ? r->joint : "-");
  robot_list_print_number(1e3 * r->joint_off, 7);
  printf(" %-4s", strcmp(r->unit, "rad") == 0 ? "mrad" : *r->unit ? "mm" : "");
  robot_list_print_number(r->ratio, 5);
  robot_list_print_number(r->ratio_low, 5);
  robot_list_print_number(r->ratio_high, 5);
  printf(" %6.0e", r->reference);
  robot_list_print_words(strcmp(r->verdict, "stops early") ? r->verdict : r->status, STATUS);
}

static void show(const study_run *run) {
  size_t count, classes, answered = 0, whole = 0, good = 0;
  const many_row *const all = study_rows(run, ROBOT_MODELS, &count);
  const robot_class *const class = study_rows(run, ROBOT_CLASSES, &classes);
  puts(
      "MuJoCo at each file's own step: the largest errors of the base and of the worst joint from\n"
      "the first initial condition; ratio: MuJoCo's time over libess's at the same error, and its\n"
      "interval over the initial conditions; known: the reference's own error, over the size\n"
      "of its states. Neither computes sensors.\n");
  printf("%-22s %7s %15s %7s %-4s %5s %5s %5s %6s %s\n", "model", "base,mm", "worst joint", "off",
         "", "ratio", "from", "to", "known", "libess is");
  for (size_t i = 0; i < count; i++) {
    print_model(&all[i]);
    answered += all[i].answered;
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
      answered, count, whole, good, good_reference, run->folder);
}

/* each has its line, and none has what was asked for */
static int conclude(study_run *run) {
  size_t count;
  const many_row *const all = study_rows(run, ROBOT_MODELS, &count);
  for (size_t i = 0; i < count; i++)
    if (all[i].answered) return 0;
  return measure_fail(run->message, "%s: no model has an answer; the table says why", run->operand);
}

const study robots_race_study = {
    .name = "robots-race",
    .summary = "race of MuJoCo and libess on many models: a table with a line for each",
    .example = "essbench robots menagerie/ --race --budget 1",
    .file = "robots",
    .group = STUDY_MECHANISMS,
    .operand = "LIST|DIR",
    .own_models = true,
    .untimed = true,
    .printable = true,
    .processes = 1,
    .table = "show the results of each model in the folder; nothing is measured",
    .cells = "models",
    STUDY_OF(many_settings, size_t),
    .laps = ROBOT_LIST_LAPS("robots_cells"),
    .tables = {[STUDY_SAMPLES] = STUDY_ROWS(many_row, .meaning = "one model"),
               [ROBOT_MODELS] = STUDY_ROWS(many_row, .json = "models", .csv = "robots.csv",
                                           .from = ROBOT_LIST_MODELS, .meaning = "one model"),
               [ROBOT_CLASSES] = STUDY_TABLE(
                   class_columns, robot_class, .json = "classes", .csv = "robots_classes.csv",
                   .from = ROBOT_LIST_CLASSES, .meaning = "the models of a class")},
    .check = check,
    .plan = robot_list_plan,
    .run = measure,
    .show = show,
    .conclude = conclude,
    .release = robot_list_release,
};
