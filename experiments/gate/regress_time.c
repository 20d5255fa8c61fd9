/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sample files of two revisions, and the intervals of their ratios. */
#include "regress_time.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "json_file.h"
#include "record.h"
#include "solvers.h"
#include "statistics.h"

static const char schema[] = "essbench-bench-1";
static const unsigned long bootstrap_seed = 20;

/* ---- reading --------------------------------------------------------------------------------- */

void regress_samples_free(regress_samples *samples) {
  for (size_t k = 0; k < samples->count; k++) free(samples->series[k].fastest);
  free(samples->files);
  *samples = (regress_samples){0};
}

static int is_json(const struct dirent *entry) {
  const char *const dot = strrchr(entry->d_name, '.');
  return dot && strcmp(dot, ".json") == 0 && strlen(entry->d_name) < REGRESS_NAME_SIZE;
}

/* names of the sample files, ascending */
static int list_files(regress_samples *samples, const char *folder, char *message) {
  struct dirent **entries;
  const int found = scandir(folder, &entries, is_json, alphasort);
  if (found < 0) return measure_fail(message, "%s: no such folder of samples", folder);
  samples->files = calloc((size_t)found + 1, sizeof *samples->files);
  for (int i = 0; i < found; i++) {
    if (samples->files)
      memcpy(samples->files[i], entries[i]->d_name, strlen(entries[i]->d_name) + 1);
    free(entries[i]);
  }
  free(entries);
  if (!samples->files) return measure_fail(message, "out of memory");
  samples->processes = (size_t)found;
  if (found > 0) return 0;
  return measure_fail(message, "%s: no sample files (*.json) there", folder);
}

/* the series of that name, begun when it is new; NULL when memory or room is out */
static regress_series *series_of(regress_samples *samples, const char *name, const char *solver) {
  const regress_series *const known = regress_samples_find(samples, name, solver);
  if (known) return &samples->series[known - samples->series];
  if (samples->count == REGRESS_TIMED_MAX) return NULL;
  regress_series *const s = &samples->series[samples->count];
  s->fastest = calloc(samples->processes, sizeof *s->fastest);
  if (!s->fastest) return NULL;
  for (size_t i = 0; i < samples->processes; i++) s->fastest[i] = NAN;
  snprintf(s->name, sizeof s->name, "%s", name);
  snprintf(s->solver, sizeof s->solver, "%s", solver);
  samples->count++;
  return s;
}

/* the least of a non-empty array of times; NaN when it is none */
static double least(const json_t *seconds) {
  double min = NAN;
  for (size_t i = 0; i < json_array_size(seconds); i++) {
    double value;
    if (measure_json_value(json_array_get(seconds, i), &value) || !(value > 0.0)) return NAN;
    if (!(min <= value)) min = value;
  }
  return min;
}

/* one process's file into its place in every series */
static int note_process(regress_samples *samples, size_t process, const json_t *root) {
  const char *const found = json_string_value(json_object_get(root, "schema"));
  const json_t *const cases = json_object_get(root, "cases");
  if (!found || strcmp(found, schema) != 0 || json_array_size(cases) == 0) return -1;
  for (size_t k = 0; k < json_array_size(cases); k++) {
    const json_t *const row = json_array_get(cases, k);
    const char *const name = json_string_value(json_object_get(row, "name"));
    const char *const solver = json_string_value(json_object_get(row, "solver"));
    const double fastest = least(json_object_get(row, "seconds"));
    if (!name || !solver || isnan(fastest)) return -1;
    regress_series *const s = series_of(samples, name, solver);
    if (!s) return -1;
    s->fastest[process] = fastest;
  }
  return 0;
}

int regress_samples_read(regress_samples *samples, const char *folder,
                         char message[SOLVER_MESSAGE_SIZE]) {
  *samples = (regress_samples){0};
  int status = list_files(samples, folder, message);
  for (size_t i = 0; !status && i < samples->processes; i++) {
    char path[RECORD_PATH_SIZE];
    json_t *const root = measure_json_read(record_path(path, folder, samples->files[i]), message);
    status = root ? note_process(samples, i, root) : -1;
    if (root && status)
      measure_message(message, "%s is no file of samples (schema %s)", path, schema);
    json_decref(root);
  }
  if (status) regress_samples_free(samples);
  return status;
}

const regress_series *regress_samples_find(const regress_samples *samples, const char *name,
                                           const char *solver) {
  for (size_t k = 0; k < samples->count; k++)
    if (strcmp(samples->series[k].name, name) == 0 &&
        strcmp(samples->series[k].solver, solver) == 0)
      return &samples->series[k];
  return NULL;
}

bool regress_is_ours(const regress_series *series) {
  return strcmp(series->solver, bridge_solver.name) != 0;
}

int regress_samples_match(const regress_samples *base, const regress_samples *now,
                          char message[SOLVER_MESSAGE_SIZE]) {
  bool same = base->processes == now->processes;
  for (size_t i = 0; same && i < now->processes; i++)
    same = strcmp(base->files[i], now->files[i]) == 0;
  if (same && now->processes >= REGRESS_PAIRS_MIN) return 0;
  if (same)
    return measure_fail(message, "%zu pairs of processes are too few; at least %d are wanted",
                        now->processes, REGRESS_PAIRS_MIN);
  return measure_fail(
      message,
      "the two folders of samples differ in their files, so there are no pairs to compare");
}

/* ---- comparing ------------------------------------------------------------------------------- */

const char *regress_verdict_text(regress_verdict verdict) {
  switch (verdict) {
  case REGRESS_FASTER:
    return "faster";
  case REGRESS_ACCEPTED:
    return "slower, not certainly by more than accepted";
  case REGRESS_SLOWER:
    return "SLOWER";
  default:
    return "no difference shown";
  }
}

static regress_verdict judge(const measure_interval *ratio, double effect) {
  if (ratio->low > 1.0 + effect) return REGRESS_SLOWER;
  if (ratio->low > 1.0) return REGRESS_ACCEPTED;
  return ratio->high < 1.0 ? REGRESS_FASTER : REGRESS_NO_DIFFERENCE;
}

static int compare(const double base[], const double now[], size_t pairs, const char *name,
                   double effect, measure_interval *ratio, regress_verdict *verdict,
                   char *message) {
  double *const ratios = calloc(pairs, sizeof *ratios);
  if (!ratios) return measure_fail(message, "out of memory");
  for (size_t i = 0; i < pairs; i++) ratios[i] = now[i] / base[i];
  const int status = draws_median(ratios, pairs, bootstrap_seed, REGRESS_CONFIDENCE, ratio);
  free(ratios);
  if (status)
    return measure_fail(message, "%s: %s", name,
                        status == MEASURE_ENONFINITE ? "some processes have no sample of it"
                                                     : measure_strerror(status));
  *verdict = judge(ratio, effect);
  return 0;
}

int regress_compare_series(const regress_series *base, const regress_series *now, size_t pairs,
                           measure_interval *ratio, regress_verdict *verdict,
                           char message[SOLVER_MESSAGE_SIZE]) {
  return compare(base->fastest, now->fastest, pairs, now->name, REGRESS_CASE_EFFECT, ratio, verdict,
                 message);
}

int regress_compare_overall(const regress_samples *base, const regress_samples *now,
                            measure_interval *ratio, regress_verdict *verdict,
                            char message[SOLVER_MESSAGE_SIZE]) {
  const size_t pairs = now->processes;
  double *const means = calloc(2 * pairs, sizeof *means);
  if (!means) return measure_fail(message, "out of memory");
  size_t common = 0;
  for (size_t k = 0; k < now->count; k++) {
    const regress_series *const s = &now->series[k];
    const regress_series *const b = regress_samples_find(base, s->name, s->solver);
    if (!b || !regress_is_ours(s)) continue;
    common++;
    for (size_t i = 0; i < pairs; i++) {
      means[i] += log(b->fastest[i]);
      means[pairs + i] += log(s->fastest[i]);
    }
  }
  int status = common > 0 ? 0 : -1;
  if (status) measure_message(message, "the two revisions have no timed case in common");
  for (size_t i = 0; !status && i < 2 * pairs; i++) means[i] = exp(means[i] / (double)common);
  if (!status)
    status =
        compare(means, means + pairs, pairs, "overall", REGRESS_EFFECT, ratio, verdict, message);
  free(means);
  return status;
}

double regress_mujoco_ratio(const regress_samples *samples, const char *name) {
  const regress_series *const ours = regress_samples_find(samples, name, projection_solver.name);
  const regress_series *const theirs = regress_samples_find(samples, name, bridge_solver.name);
  double a, b;
  if (!ours || !theirs || measure_median(ours->fastest, samples->processes, &a) ||
      measure_median(theirs->fastest, samples->processes, &b))
    return NAN;
  return a / b;
}
