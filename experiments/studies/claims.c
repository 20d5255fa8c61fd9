/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench claims: what the papers claim, one by one, and whether the results in the folder bear it
 * out. It measures nothing. */
#include "claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "studies.h"

enum { CLAIMS = STUDY_SAMPLES, FOLDER_SIZE = 4096 };

static const study_option options[] = {{0}};

/* ---- rows ------------------------------------------------------------------------------------ */

#define VERDICT(X, row)                                                                            \
  X(row, paper, TEXT, "", "whose claim it is")                                                     \
  X(row, place, TEXT, "", "where it stands there")                                                 \
  X(row, says, TEXT, "", "what it says, in our words")                                             \
  X(row, criterion, TEXT, "", "what number decides, fixed before it was looked at")                \
  X(row, low, NUMBER, "", "the claim holds from here")                                             \
  X(row, high, NUMBER, "", "to here; not known: without a limit")                                  \
  X(row, number, NUMBER, "", "what was measured")                                                  \
  X(row, verdict, TEXT, "", "holds, fails, not measured or cannot be tested")                      \
  X(row, command, TEXT, "", "what measures it")                                                    \
  X(row, results, TEXT, "", "file that the number is of")
COLUMN_ROW(verdict, VERDICT);

/* ---- a claim's number ------------------------------------------------------------------------ */

/* NaN where nothing has been measured. 0, or -1 with one line */
static int find(study_run *run, const claim *c, double *number) {
  const char *const slash = strchr(c->file, '/'), *const dot = strchr(c->file, '.');
  const int length = slash && slash < dot ? (int)(slash - c->file) : 0;
  char folder[FOLDER_SIZE];
  snprintf(folder, sizeof folder, "%s/%.*s", run->folder, length, c->file);
  return study_ask_number(run, folder, c->number, number);
}

static const char *verdict_of(const claim *c, double number) {
  if (!c->command) return "cannot be tested";
  if (isnan(number)) return "not measured";
  return number >= c->low && number <= c->high ? "holds" : "fails";
}

static bool is_there(const study_run *run, const char *file) {
  char path[FOLDER_SIZE];
  snprintf(path, sizeof path, "%s/%s", run->folder, file);
  return access(path, F_OK) == 0;
}

/* a folder that is not there is a slip, and no folder without results; what earlier programs left
 * has no tables */
static int check(study_run *run) {
  struct stat about;
  if (stat(run->folder, &about) || !S_ISDIR(about.st_mode))
    return measure_fail(run->message, "there is no folder %s whose results could be judged",
                        run->folder);
  for (const claim *c = claims; c->paper && !is_there(run, "essbench.sqlite"); c++)
    if (c->file && is_there(run, c->file))
      return measure_fail(run->message,
                          "%s/%s is of an earlier essbench, which kept no essbench.sqlite; measure "
                          "it again",
                          run->folder, c->file);
  return 0;
}

/* ---- cells: one claim each ------------------------------------------------------------------- */

static int plan(study_run *run, size_t stage) {
  for (size_t i = 0; stage == 0 && claims[i].paper; i++)
    if (study_cell(run, &i, "claim=%zu", i)) return -1;
  return 0;
}

static int judge(study_run *run, const void *cell) {
  const claim *const c = &claims[*(const size_t *)cell];
  verdict row = {.paper = c->paper,
                 .place = c->place,
                 .says = c->says,
                 .criterion = c->criterion,
                 .low = c->command ? c->low : (double)NAN,
                 .high = c->command && isfinite(c->high) ? c->high : (double)NAN,
                 .number = NAN,
                 .command = c->command ? c->command : "",
                 .results = c->command ? c->file : ""};
  if (c->command && find(run, c, &row.number)) return -1;
  row.verdict = verdict_of(c, row.number);
  return study_add(run, CLAIMS, &row);
}

/* ---- a screen -------------------------------------------------------------------------------- */

static void show(const study_run *run) {
  size_t count, holds = 0, fails = 0, other = 0;
  const verdict *const all = study_rows(run, CLAIMS, &count);
  for (size_t i = 0; i < count; i++) {
    const verdict *const v = &all[i];
    if (i == 0 || strcmp(v->paper, v[-1].paper) != 0) printf("%s%s\n", i ? "\n" : "", v->paper);
    printf("  %-16s %s (%s)\n", v->verdict, v->says, v->place);
    printf("  %16s %s", "", v->criterion);
    if (!isnan(v->number)) printf(": %.4g", v->number);
    if (strcmp(v->verdict, "not measured") == 0) printf("; run %s", v->command);
    putchar('\n');
    holds += strcmp(v->verdict, "holds") == 0;
    fails += strcmp(v->verdict, "fails") == 0;
    other += strcmp(v->verdict, "not measured") == 0;
  }
  printf("\n%zu of %zu claims hold, %zu fail, %zu are not measured, %zu cannot be tested\n", holds,
         count, fails, other, count - holds - fails - other);
}

const study claims_study = {
    .name = "claims",
    .summary = "the papers' claims one by one: which hold by the results in the folder",
    .file = "claims",
    .schema = "essbench-claims-1",
    .own_models = true,
    .unseeded = true,
    .untimed = true,
    .brief = true,
    .cells = "claims",
    .options = options,
    .cell_size = sizeof(size_t),
    .tables = {[CLAIMS] = STUDY_ROWS(verdict, .json = "claims", .csv = "claims.csv",
                                     .meaning = "one claim")},
    .check = check,
    .plan = plan,
    .run = judge,
    .show = show,
};
