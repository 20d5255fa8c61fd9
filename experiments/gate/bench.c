/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench bench: the micro-runs that the regression gate times, as raw samples. One process takes
 * a few samples of every case for a given time; the gate starts many, of two revisions in turn.
 *
 * Both revisions of a comparison speak this command's options and its JSON, so they change only
 * with the schema's number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "commands.h"
#include "contest.h"
#include "json_file.h"
#include "record.h"
#include "regress_cases.h"
#include "solvers.h"
#include "statistics.h"

/* Samples are shorter than a protocol's: the gate takes each process's fastest, and a short one is
 * the likelier to go undisturbed. */
static const double sample_s = 1e-3;

/* What one process measures us for: short, so that a pair of processes sees one state of the
 * machine. */
static const double process_s = 0.25, yardstick_s = 60;

/* A sample of ours is worth many of MuJoCo's, which serves as a yardstick only. */
enum { TRIALS_MIN = 3, TRIALS_MAX = 2000, MUJOCO_TRIALS = TRIALS_MIN, WARMUP_RUNS = 1 };

/* one case on one solver; owned */
typedef struct bench_entry {
  const char *name; /* borrowed */
  model m;
  contest_starts start;
  contestant runner;
} bench_entry;

static int entry_prepare(bench_entry *e, const regress_case *c, const solver_type *solver,
                         char message[SOLVER_MESSAGE_SIZE]) {
  *e = (bench_entry){.name = c->name};
  if (regress_case_model(c, &e->m, message) ||
      contest_starts_alloc(&e->start, &e->m, 1, false, 0, message))
    return -1;
  return contestant_prepare(&e->runner, solver, &c->settings, &e->start, message);
}

static void entry_release(bench_entry *e) {
  contestant_release(&e->runner);
  contest_starts_free(&e->start);
  model_release(&e->m);
}

/* the timed region: every trial is of the one start */
static int entry_run(void *context, size_t trial) {
  (void)trial;
  bench_entry *const e = context;
  return contestant_candidate(&e->runner).run(&e->runner, 0);
}

/* stops when the time is over, but not before every entry has a few samples: on a busy machine the
 * time may be over before the first */
static int stop_in_time(const measure_sample *sample, void *context) {
  return sample->trial >= TRIALS_MIN && measure_clock_ns() > *(const uint64_t *)context;
}

/* samples of the entries as JSON, appended to `cases` */
static int note_samples(json_t *cases, const bench_entry entries[], size_t count,
                        const double seconds[], size_t trials) {
  int failed = 0;
  for (size_t k = 0; k < count; k++) {
    json_t *const samples = json_array();
    for (size_t i = 0; i < trials; i++)
      if (!isnan(seconds[k * trials + i]))
        failed |= json_array_append_new(samples, measure_json_number(seconds[k * trials + i]));
    failed |=
        json_array_append_new(cases, json_pack("{s:s, s:s, s:o}", "name", entries[k].name, "solver",
                                               entries[k].runner.solver->name, "seconds", samples));
  }
  return failed;
}

/* takes `trials` samples of every entry, or as many as the time allows */
static int time_entries(bench_entry entries[], size_t count, size_t trials, double seconds_max,
                        unsigned long seed, json_t *cases, char message[SOLVER_MESSAGE_SIZE]) {
  measure_candidate *const candidates = calloc(count, sizeof *candidates);
  double *const seconds = calloc(count * trials, sizeof *seconds);
  uint64_t end_ns = measure_clock_ns() + (uint64_t)(1e9 * seconds_max);
  measure_failure failure;
  int status = MEASURE_ENOMEM;
  if (candidates && seconds) {
    for (size_t k = 0; k < count; k++)
      candidates[k] = (measure_candidate){.run = entry_run, .context = &entries[k]};
    const measure_plan plan = {.trials = trials,
                               .seed = seed,
                               .min_time_s = sample_s,
                               .warmup_runs = WARMUP_RUNS,
                               .sampled = stop_in_time,
                               .context = &end_ns};
    status = measure_interleave(candidates, count, &plan, seconds, &failure);
  }
  if (status == MEASURE_ECALLBACK)
    measure_message(message, "%s: %.400s", entries[failure.candidate].name,
                    entries[failure.candidate].runner.report.message);
  else if (status && status != MEASURE_ESTOP)
    measure_message(message, "%s", measure_strerror(status));
  else
    status = note_samples(cases, entries, count, seconds, trials);
  free(candidates);
  free(seconds);
  return status ? -1 : 0;
}

/* all timed cases, each on its own solver; or MuJoCo, once on each model: on what projection runs
 * on
 */
static int bench_cases(const arguments *given, bool yardstick, size_t trials, double seconds_max,
                       json_t *cases, char message[SOLVER_MESSAGE_SIZE]) {
  size_t count, prepared = 0;
  regress_case *const list = regress_timed_cases(&count);
  bench_entry *const entries = calloc(count, sizeof *entries);
  int status = list && entries ? 0 : -1;
  if (status) measure_message(message, "out of memory");
  for (size_t k = 0; !status && k < count; k++) {
    if (yardstick && list[k].solver != &projection_solver) continue;
    const solver_type *const solver = yardstick ? &bridge_solver : list[k].solver;
    status = entry_prepare(&entries[prepared++], &list[k], solver, message);
  }
  if (!status)
    status = time_entries(entries, prepared, trials, seconds_max, given->seed, cases, message);
  for (size_t k = 0; k < prepared; k++) entry_release(&entries[k]);
  free(entries);
  free(list);
  return status;
}

/* ---- output ---------------------------------------------------------------------------------- */

static int print_text(const json_t *cases) {
  printf("%-16s %-12s %8s %12s %12s\n", "case", "solver", "samples", "fastest (ms)", "median (ms)");
  for (size_t k = 0; k < json_array_size(cases); k++) {
    const json_t *const row = json_array_get(cases, k), *const list =
                                                            json_object_get(row, "seconds");
    const size_t count = json_array_size(list);
    double *const x = calloc(count + 1, sizeof *x);
    measure_summary s = {0};
    for (size_t i = 0; x && i < count; i++) x[i] = json_real_value(json_array_get(list, i));
    const int status = x ? measure_summarize(x, count, &s) : MEASURE_ENOMEM;
    free(x);
    if (status) return -1;
    printf("%-16s %-12s %8zu %12.4f %12.4f\n", json_string_value(json_object_get(row, "name")),
           json_string_value(json_object_get(row, "solver")), count, 1e3 * s.min, 1e3 * s.median);
  }
  return 0;
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE], warning[MEASURE_MESSAGE_SIZE];
  const int core = measure_pin_core(-1, warning);
  json_t *const cases = json_array();
  int status = bench_cases(given, false, TRIALS_MAX, process_s, cases, message);
  if (!status) status = bench_cases(given, true, MUJOCO_TRIALS, yardstick_s, cases, message);
  if (status) {
    status = command_fail(given, "%s", message);
  } else if (given->file || given->json) {
    json_t *const result = record_head("essbench-bench-1", given->command->name, given->seed,
                                       record_environment_now(core));
    json_object_set(result, "cases", cases);
    status = command_result(given, result);
  } else if (print_text(cases)) {
    status = command_fail(given, "cannot write the result");
  }
  json_decref(cases);
  return status;
}

const command bench_command = {
    .name = "bench",
    .summary = "time the micro-runs of the regression gate: raw samples",
    .groups = ARGUMENTS_JSON | ARGUMENTS_FILE | ARGUMENTS_SEED,
    .run = run,
};
