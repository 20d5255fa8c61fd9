/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench regress-time: the half of the regression gate that asks the clock. Samples of two
 * revisions, taken in turn on this machine, and the committed ratio to MuJoCo as a wide guard. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "json_file.h"
#include "record.h"
#include "regress_time.h"
#include "solvers.h"

/* what is judged, and what has been found so far */
typedef struct judgement {
  regress_samples base, now;
  json_t *rows;        /* of the result file */
  size_t slower, wide; /* series that fail; intervals too wide to see REGRESS_BLIND */
} judgement;

/* one line of the table and one row of the file; a yardstick fails nothing */
static void note(judgement *j, const char *name, const char *solver, const measure_interval *ratio,
                 regress_verdict verdict, bool yardstick) {
  const bool wide = verdict != REGRESS_SLOWER && ratio->high > 1.0 + REGRESS_BLIND;
  printf("%-16s %-12s %7.3f  [%.3f, %.3f]  %s%s\n", name, solver, ratio->estimate, ratio->low,
         ratio->high, yardstick ? "yardstick" : regress_verdict_text(verdict),
         wide ? " (too noisy to exclude 25 %)" : "");
  if (!yardstick) {
    j->slower += verdict == REGRESS_SLOWER;
    j->wide += wide;
  }
  json_array_append_new(j->rows,
                        json_pack("{s:s, s:s, s:o, s:o, s:o, s:s}", "name", name, "solver", solver,
                                  "ratio", measure_json_number(ratio->estimate), "ratio_lo",
                                  measure_json_number(ratio->low), "ratio_hi",
                                  measure_json_number(ratio->high), "verdict",
                                  yardstick ? "yardstick" : regress_verdict_text(verdict)));
}

/* every series that both revisions have, then all of ours together */
static int compare_revisions(judgement *j, char *message) {
  printf("%-16s %-12s %7s  %-14s\n", "case", "solver", "now/base", "99 % interval");
  measure_interval ratio;
  regress_verdict verdict;
  for (size_t k = 0; k < j->now.count; k++) {
    const regress_series *const s = &j->now.series[k];
    const regress_series *const b = regress_samples_find(&j->base, s->name, s->solver);
    if (!b) {
      printf("%-16s %-12s the base revision does not time it\n", s->name, s->solver);
      continue;
    }
    if (regress_compare_series(b, s, j->now.processes, &ratio, &verdict, message)) return -1;
    note(j, s->name, s->solver, &ratio, verdict, !regress_is_ours(s));
  }
  if (regress_compare_overall(&j->base, &j->now, &ratio, &verdict, message)) return -1;
  note(j, "overall", "all of ours", &ratio, verdict, false);
  return 0;
}

/* the committed ratio to MuJoCo; *far counts the cases that left it behind */
static int compare_ratios(const judgement *j, const char *path, size_t *far, char *message) {
  json_t *const root = measure_json_read(path, message);
  const json_t *const cases = json_object_get(root, "cases");
  int status = root && json_array_size(cases) > 0 ? 0 : -1;
  if (root && status) measure_message(message, "%s is no baseline of ratios", path);
  for (size_t k = 0; !status && k < json_array_size(cases); k++) {
    const json_t *const row = json_array_get(cases, k);
    const char *const name = json_string_value(json_object_get(row, "name"));
    double before;
    if (!name || measure_json_value(json_object_get(row, "ratio"), &before) || !(before > 0.0)) {
      measure_message(message, "%s: case %zu lacks a name or a ratio", path, k + 1);
      status = -1;
      continue;
    }
    const double now = regress_mujoco_ratio(&j->now, name);
    if (now <= REGRESS_RATIO_FACTOR * before) continue;
    printf("%s: %.3f times MuJoCo's time in the baseline, %.3f now (more than %g times as much)\n",
           name, before, now, REGRESS_RATIO_FACTOR);
    ++*far;
  }
  if (!status && *far == 0)
    printf("ratio to MuJoCo: %zu cases within %g times the baseline's\n", json_array_size(cases),
           REGRESS_RATIO_FACTOR);
  json_decref(root);
  return status;
}

static int write_result(const arguments *given, const judgement *j, char *message) {
  char path[RECORD_PATH_SIZE];
  json_t *const root = record_head("essbench-regress-time-1", given->command->name, given->seed,
                                   record_environment_now(-1));
  json_object_set_new(root, "pairs", json_integer((json_int_t)j->now.processes));
  json_object_set_new(root, "minimum_effect", measure_json_number(REGRESS_EFFECT));
  json_object_set_new(root, "minimum_effect_of_a_case", measure_json_number(REGRESS_CASE_EFFECT));
  json_object_set_new(root, "confidence", measure_json_number(REGRESS_CONFIDENCE));
  json_object_set(root, "cases", j->rows);
  const int status =
      measure_json_write(root, record_path(path, given->folder, REGRESS_TIME_FILE), message);
  json_decref(root);
  return status;
}

/* without samples of a base revision there is only the ratio to MuJoCo to judge */
static int read_samples(const arguments *given, judgement *j, char *message) {
  char base[RECORD_PATH_SIZE], now[RECORD_PATH_SIZE];
  record_path(now, given->folder, REGRESS_NOW_SAMPLES);
  if (regress_samples_read(&j->now, now, message)) return -1;
  if (access(record_path(base, given->folder, REGRESS_BASE_SAMPLES), F_OK)) return 0;
  if (regress_samples_read(&j->base, base, message)) return -1;
  return regress_samples_match(&j->base, &j->now, message);
}

/* the last line, and the exit status */
static int conclude(const arguments *given, const judgement *j, size_t far) {
  if (far > 0)
    return command_fail(given, "far slower beside MuJoCo than the baseline (%zu cases)", far);
  if (j->slower > 0)
    return command_fail(given, "slower than the base revision (%zu of the above)", j->slower);
  if (j->base.processes == 0) return COMMAND_SUCCESS;
  if (j->wide > 0)
    printf("times: nothing shown, but %zu intervals are too wide to exclude 25 %%; repeat on a "
           "quieter machine\n",
           j->wide);
  else
    printf(
        "times: not shown to be slower than the base revision, by %g %% over all or %g %% in one "
        "case\n",
        100.0 * REGRESS_EFFECT, 100.0 * REGRESS_CASE_EFFECT);
  return COMMAND_SUCCESS;
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE], path[RECORD_PATH_SIZE];
  record_path(path, given->folder, REGRESS_BASELINE "/" REGRESS_RATIO_FILE);
  judgement j = {.rows = json_array()};
  size_t far = 0;
  int status = read_samples(given, &j, message);
  if (!status && j.base.processes > 0) status = compare_revisions(&j, message);
  if (!status) status = compare_ratios(&j, path, &far, message);
  if (!status) status = write_result(given, &j, message);
  status = status ? command_fail(given, "%s", message) : conclude(given, &j, far);
  json_decref(j.rows);
  regress_samples_free(&j.now);
  regress_samples_free(&j.base);
  return status;
}

const command regress_time_command = {
    .name = "regress-time",
    .summary = "judge the times of two revisions from their samples in DIR/regress",
    .groups = ARGUMENTS_FOLDER,
    .run = run,
};
