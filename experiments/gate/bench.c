/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench bench: the micro-runs that the regression gate times, as raw samples. One process takes
 * a few samples of every case for a given time; the gate starts many, of two revisions in turn.
 *
 * Both revisions of a comparison speak this command's options and its JSON, so they change only
 * with the schema's number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "commands.h"
#include "json_file.h"
#include "record.h"
#include "regress_cases.h"
#include "repeat.h"
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
  regress_case *of; /* borrowed */
  contest_starts start;
  contestant runner;
} bench_entry;

static int prepare(bench_entry *e, regress_case *c, const solver_type *solver,
                   char message[SOLVER_MESSAGE_SIZE]) {
  *e = (bench_entry){.of = c};
  return model_prepare(&c->m, message) ||
                 contest_starts_alloc(&e->start, &c->m, 1, false, 0, message)
             ? -1
             : contestant_prepare(&e->runner, solver, &c->settings, &e->start, message);
}

static void release(bench_entry *e) {
  contestant_release(&e->runner);
  contest_starts_free(&e->start);
  model_release(&e->of->m);
}

/* the timed region: every trial is of the one start */
static int run_entry(void *context, size_t trial) {
  (void)trial;
  bench_entry *const e = context;
  return contestant_candidate(&e->runner).run(&e->runner, 0);
}

/* stops when the time is over, but not before every entry has a few samples: on a busy machine the
 * time may be over before the first */
static int stop_in_time(const measure_sample *sample, void *context) {
  return sample->trial >= TRIALS_MIN && measure_clock_ns() > *(const uint64_t *)context;
}

/* samples of an entry as JSON, appended to `cases` */
static void note_samples(json_t *cases, const bench_entry *e, const double seconds[],
                         size_t trials) {
  json_t *const samples = json_array();
  for (size_t i = 0; i < trials; i++)
    if (!isnan(seconds[i])) json_array_append_new(samples, measure_json_number(seconds[i]));
  json_array_append_new(cases, json_pack("{s:s, s:s, s:o}", "name", e->of->name, "solver",
                                         e->runner.solver->name, "seconds", samples));
}

/* takes `trials` samples of every entry, or as many as the time allows */
static int time_entries(bench_entry entries[], size_t count, size_t trials, double seconds_max,
                        unsigned long seed, json_t *cases, char message[SOLVER_MESSAGE_SIZE]) {
  measure_candidate candidates[REGRESS_CASES_MAX];
  double *const seconds = calloc(count * trials, sizeof *seconds);
  uint64_t end_ns = measure_clock_ns() + (uint64_t)(1e9 * seconds_max);
  measure_failure failure;
  const measure_plan plan = {.trials = trials,
                             .seed = seed,
                             .min_time_s = sample_s,
                             .warmup_runs = WARMUP_RUNS,
                             .sampled = stop_in_time,
                             .context = &end_ns};
  for (size_t k = 0; k < count; k++)
    candidates[k] = (measure_candidate){.run = run_entry, .context = &entries[k]};
  int status =
      seconds ? measure_interleave(candidates, count, &plan, seconds, &failure) : MEASURE_ENOMEM;
  if (status == MEASURE_ESTOP) status = 0;
  for (size_t k = 0; !status && k < count; k++)
    note_samples(cases, &entries[k], seconds + k * trials, trials);
  free(seconds);
  if (status == MEASURE_ECALLBACK)
    return measure_fail(message, "%s: %.400s", entries[failure.candidate].of->name,
                        entries[failure.candidate].runner.report.message);
  return status ? measure_fail(message, "%s", measure_strerror(status)) : 0;
}

/* all timed cases, each on its own solver; or MuJoCo, once on each model: on what projection runs
 * on
 */
static int bench_cases(const arguments *given, bool yardstick, size_t trials, double seconds_max,
                       json_t *cases, char message[SOLVER_MESSAGE_SIZE]) {
  regress_case list[REGRESS_CASES_MAX];
  bench_entry entries[REGRESS_CASES_MAX];
  const size_t count = regress_timed_cases(list);
  size_t prepared = 0;
  int status = 0;
  for (size_t k = 0; !status && k < count; k++) {
    if (yardstick && list[k].solver != &projection_solver) continue;
    const solver_type *const solver = yardstick ? &bridge_solver : list[k].solver;
    status = prepare(&entries[prepared++], &list[k], solver, message);
  }
  if (!status)
    status = time_entries(entries, prepared, trials, seconds_max, given->seed, cases, message);
  for (size_t k = 0; k < prepared; k++) release(&entries[k]);
  return status;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_text(const json_t *cases) {
  size_t k, i;
  const json_t *row, *value;
  printf("%-16s %-12s %8s %12s %12s\n", "case", "solver", "samples", "fastest (ms)", "median (ms)");
  json_array_foreach(cases, k, row) {
    double x[TRIALS_MAX];
    measure_summary s = {0};
    json_array_foreach(json_object_get(row, "seconds"), i, value) x[i] = json_real_value(value);
    measure_summarize(x, i, &s);
    printf("%-16s %-12s %8zu %12.4f %12.4f\n", json_string_value(json_object_get(row, "name")),
           json_string_value(json_object_get(row, "solver")), i, 1e3 * s.min, 1e3 * s.median);
  }
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
  } else {
    print_text(cases);
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
