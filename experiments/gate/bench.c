/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench bench: the micro-runs that the regression gate times, as raw samples. One process takes
 * a few samples of every case for a given time; the gate starts many, of two revisions in turn.
 *
 * Both revisions of a comparison speak this command's options and its JSON, so they change only
 * with the schema's number. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>

#include "clock.h"
#include "command.h"
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
enum {
  TRIALS_MIN = 3,
  TRIALS_MAX = 2000,
  MUJOCO_TRIALS = TRIALS_MIN,
  WARMUP_RUNS = 1,
  RETAKES = 5
};

/* one case on one solver; owned */
typedef struct bench_entry {
  regress_case *of; /* borrowed */
  contest_starts start;
  contestant runner;
  json_t *samples;
  uint64_t runs;  /* of a sample, so many that it lasts */
  double seconds; /* of all of them */
} bench_entry;

static int prepare(bench_entry *e, regress_case *c, const solver_type *solver,
                   char message[SOLVER_MESSAGE_SIZE]) {
  *e = (bench_entry){.of = c, .samples = json_array(), .runs = 1};
  return model_prepare(&c->m, message) ||
                 contest_starts_alloc(&e->start, &c->m, 1, false, 0, message)
             ? -1
             : contestant_prepare(&e->runner, solver, &c->settings, &e->start, message);
}

static void release(bench_entry *e) {
  contestant_release(&e->runner);
  contest_starts_free(&e->start);
  model_release(&e->of->m);
  json_decref(e->samples);
}

/* the timed region: the one start again and again */
static int run_block(bench_entry *e, uint64_t runs) {
  const measure_candidate timed = contestant_candidate(&e->runner);
  const uint64_t start = measure_clock_ns();
  for (uint64_t i = 0; i < runs; i++)
    if (timed.run(timed.context, 0)) return -1;
  e->seconds = 1e-9 * (double)(measure_clock_ns() - start);
  return 0;
}

/* half as many again as are needed, and at most tenfold, for a short block predicts badly; the
 * shorter ones are warm-up */
static int run_lasting(void *context) {
  bench_entry *const e = context;
  int status = run_block(e, e->runs);
  while (!status && e->seconds < sample_s) {
    e->runs = (uint64_t)ceil((double)e->runs * fmin(10, 1.5 * sample_s / fmax(e->seconds, 1e-9)));
    status = run_block(e, e->runs);
  }
  return status;
}

/* of a block that was disturbed each time what others had of it is taken out */
static int take_sample(bench_entry *e) {
  double share = 1.0;
  uint64_t retaken;
  if (run_block(e, WARMUP_RUNS) || measure_undisturbed(run_lasting, e, RETAKES, &retaken, &share))
    return -1;
  return json_array_append_new(e->samples, json_real(share * e->seconds / (double)e->runs));
}

/* takes `trials` samples of every entry, in an order drawn anew for each, or as many as the time
 * allows, but a few of each: on a busy machine the time may be over before the first */
static int time_entries(bench_entry entries[], size_t count, size_t trials, double seconds_max,
                        unsigned long seed, char message[SOLVER_MESSAGE_SIZE]) {
  const uint64_t end_ns = measure_clock_ns() + (uint64_t)(1e9 * seconds_max);
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  bench_entry *order[REGRESS_CASES_MAX], *failed = NULL;
  if (!rng) return measure_fail(message, "out of memory");
  for (size_t k = 0; k < count; k++)
    if (run_lasting(order[k] = &entries[k])) failed = order[k];
  gsl_rng_set(rng, seed);
  for (size_t i = 0; !failed && i < count * trials; i++) {
    if (i % count == 0) gsl_ran_shuffle(rng, order, count, sizeof *order);
    if (take_sample(order[i % count])) failed = order[i % count];
    if (i / count >= TRIALS_MIN && measure_clock_ns() > end_ns) break;
  }
  gsl_rng_free(rng);
  return failed
             ? measure_fail(message, "%s: %.400s", failed->of->name, failed->runner.report.message)
             : 0;
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
  if (!status) status = time_entries(entries, prepared, trials, seconds_max, given->seed, message);
  for (size_t k = 0; k < prepared; k++) {
    const bench_entry *const e = &entries[k];
    if (!status)
      json_array_append_new(cases, json_pack("{s:s, s:s, s:O}", "name", e->of->name, "solver",
                                             e->runner.solver->name, "seconds", e->samples));
    release(&entries[k]);
  }
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
