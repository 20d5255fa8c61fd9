/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench mujoco: MuJoCo at its best. Every setting of its own timed against the race's, where its
 * time goes, and a failure if the race holds it back. */
#include "mujoco.h"

#include <stdint.h>
#include <stdio.h>

#include "studies.h"

static const study_option options[] = {
    {"contacts", "LIST",
     "numbers of the plate's contacts: 2..100, 2..100..7 (in steps of 7), 2,5,10 or a mixture "
     "(default 2,10,100); the hopper is always there",
     OPTION_CONTACTS, OPTION_AT(mujoco_settings, contacts), .initial = "2,10,100"},
    {"trials", "COUNT", "initial conditions for each number of contacts", OPTION_WHOLE,
     OPTION_AT(mujoco_settings, trials), .initial = "120", .min = 1, .max = 1e6,
     .result = "trials"},
    {"minimum-effect", "X",
     "settings are faster or slower than the race's by more than this, relative", OPTION_NUMBER,
     OPTION_AT(mujoco_settings, minimum_effect), .initial = "0.05", .max = 10.0,
     .result = "minimum_effect"},
    {0},
};

/* ---- columns --------------------------------------------------------------------------------- */

static const column model_columns[] = {
    COLUMN_AS("", mujoco_model, parameters, MODEL, "", "of the models, SI units"),
    {0},
};

#define OF_NAME(row, of)                                                                           \
  COLUMN_AS("model", row, of.model, TEXT, "", "hopper or plate", SHOWN("model", "%-6s")),          \
      COLUMN_AS("contacts", row, of.contacts, COUNT, "", "number of contacts",                     \
                SHOWN("N", "%4.0f")),                                                              \
      COLUMN_AS("base", row, of.base, TEXT, "", "mujoco: its own defaults; race: the race's",      \
                SHOWN("base", "%-6s")),                                                            \
      COLUMN_AS("changes", row, of.changes, TEXT, "", "of it, by MuJoCo's names",                  \
                SHOWN("changes", "%-25s"))

static const column row_columns[] = {
    OF_NAME(mujoco_row, of),
    COLUMN(mujoco_row, median_s, AMOUNT, "s", "of one run", SHOWN_TIMES("ms", "%8.4f", 1e3)),
    COLUMN_AS("median_lo_s", mujoco_row, median_interval_s[0], AMOUNT, "s", "its 95 % interval",
              .place = COLUMN_CSV_ONLY, SHOWN_TIMES("from", "%7.4f", 1e3)),
    COLUMN_AS("median_hi_s", mujoco_row, median_interval_s[1], AMOUNT, "s", "its 95 % interval",
              .place = COLUMN_CSV_ONLY, SHOWN_TIMES("to", "%7.4f", 1e3)),
    COLUMN(mujoco_row, median_interval_s, INTERVAL, "s", "95 %", .place = COLUMN_JSON_ONLY),
    COLUMN(mujoco_row, q25_s, AMOUNT, "s", "lower quartile", .place = COLUMN_CSV_ONLY),
    COLUMN(mujoco_row, q75_s, AMOUNT, "s", "upper quartile", .place = COLUMN_CSV_ONLY),
    COLUMN(mujoco_row, min_s, AMOUNT, "s", "fastest", .place = COLUMN_CSV_ONLY),
    COLUMN(mujoco_row, ratio, AMOUNT, "", "time over the race's, paired by start",
           SHOWN("ratio", "%6.3f")),
    COLUMN_AS("ratio_lo", mujoco_row, ratio_interval[0], AMOUNT, "", "its 95 % interval",
              .place = COLUMN_CSV_ONLY, SHOWN("from", "%6.3f")),
    COLUMN_AS("ratio_hi", mujoco_row, ratio_interval[1], AMOUNT, "", "its 95 % interval",
              .place = COLUMN_CSV_ONLY, SHOWN("to", "%6.3f")),
    COLUMN(mujoco_row, ratio_interval, INTERVAL, "", "95 %", .place = COLUMN_JSON_ONLY),
    COLUMN(mujoco_row, difference, AMOUNT, "",
           "of the trajectory from that by MuJoCo's own defaults, the largest, relative",
           SHOWN("differs", "%8.1e")),
    COLUMN(mujoco_row, rms_error, AMOUNT, "", "against our reference, median",
           SHOWN("RMS", "%8.2g")),
    COLUMN(mujoco_row, rms_worst, AMOUNT, "", "the largest"),
    COLUMN(mujoco_row, field_gap, AMOUNT, "", "of MuJoCo's acceleration from the model's"),
    COLUMN(mujoco_row, scaling_s, AMOUNT, "", "divides the mass MuJoCo's contacts add"),
    COLUMN(mujoco_row, confirmed, AMOUNT, "", "the ratio when timed a second time",
           SHOWN("again", "%6.3f")),
    COLUMN_AS("confirmed_lo", mujoco_row, confirmed_interval[0], AMOUNT, "", "its 95 % interval",
              .place = COLUMN_CSV_ONLY),
    COLUMN_AS("confirmed_hi", mujoco_row, confirmed_interval[1], AMOUNT, "", "its 95 % interval",
              .place = COLUMN_CSV_ONLY),
    COLUMN(mujoco_row, confirmed_interval, INTERVAL, "", "95 %", .place = COLUMN_JSON_ONLY),
    COLUMN(mujoco_row, retaken, AMOUNT, "",
           "runs taken again because the thread had lost its core, in the first session"),
    COLUMN(mujoco_row, verdict, TEXT, "", "what is said of the setting", SHOWN("", "%s")),
    COLUMN(mujoco_row, left_out, TEXT, "", "why it is left out", SHOWN("", "%s")),
    {0},
};

static const column trial_columns[] = {
    OF_NAME(mujoco_trial, of),
    COLUMN(mujoco_trial, session, COUNT, "", "1, or 2 for those that looked faster"),
    COLUMN(mujoco_trial, trial, COUNT, "", "start"),
    COLUMN(mujoco_trial, process, COUNT, "", "which of them ran it"),
    COLUMN(mujoco_trial, seconds, AMOUNT, "s", "of one run"),
    COLUMN(mujoco_trial, rms_error, AMOUNT, "", "against our reference"),
    {0},
};

static const column time_columns[] = {
    OF_NAME(mujoco_time, in.of),
    COLUMN(mujoco_time, timer, TEXT, "", "MuJoCo's own name; rest: what no part accounts for",
           SHOWN("timer", "%-16s")),
    COLUMN(mujoco_time, part_of, TEXT, "", "the timer it is a part of; empty: the whole step",
           SHOWN("of", "%-13s")),
    COLUMN(mujoco_time, calls, AMOUNT, "", "in a step"),
    COLUMN(mujoco_time, measured_s, AMOUNT, "s", "in a step, by the timer"),
    COLUMN(mujoco_time, net_s, NUMBER, "s", "without what the readings of the clock took",
           SHOWN_TIMES("us", "%8.4f", 1e6)),
    COLUMN(mujoco_time, share, NUMBER, "", "of the step", SHOWN_TIMES("share", "%6.1f%%", 100.0)),
    COLUMN_AS("run_s", mujoco_time, in.run_s, AMOUNT, "s", "a step without timers",
              SHOWN_TIMES("without us", "%10.4f", 1e6)),
    COLUMN_AS("timers_cost", mujoco_time, in.timers_cost, AMOUNT, "",
              "a run with timers over one without", SHOWN("timers cost", "%11.2f")),
    COLUMN_AS("timers_cost_lo", mujoco_time, in.timers_cost_interval[0], AMOUNT, "",
              "its 95 % interval"),
    COLUMN_AS("timers_cost_hi", mujoco_time, in.timers_cost_interval[1], AMOUNT, "",
              "its 95 % interval"),
    COLUMN_AS("reading_s", mujoco_time, in.reading_s, AMOUNT, "s", "one reading of the clock"),
    {0},
};

static const column profile_columns[] = {
    COLUMN_AS("model", mujoco_profile, of.model, TEXT, "", "hopper or plate"),
    COLUMN_AS("contacts", mujoco_profile, of.contacts, COUNT, "", "number of contacts"),
    COLUMN_AS("base", mujoco_profile, of.base, TEXT, "", "mujoco or race"),
    COLUMN(mujoco_profile, run_s, AMOUNT, "s", "a step without timers"),
    COLUMN(mujoco_profile, timers_cost, AMOUNT, "", "a run with timers over one without"),
    COLUMN(mujoco_profile, timers_cost_interval, INTERVAL, "", "95 %"),
    COLUMN(mujoco_profile, reading_s, AMOUNT, "s", "one reading of the clock"),
    {0},
};

static const column timer_columns[] = {
    COLUMN(mujoco_time, timer, TEXT, "", "MuJoCo's own name"),
    COLUMN(mujoco_time, part_of, TEXT, "", "the timer it is a part of; empty: the whole step"),
    COLUMN(mujoco_time, calls, AMOUNT, "", "in a step"),
    COLUMN(mujoco_time, net_s, NUMBER, "s", "without what the readings of the clock took"),
    COLUMN(mujoco_time, share, NUMBER, "", "of the step"),
    COLUMN(mujoco_time, rest_share, NUMBER, "", "of the step, what no part accounts for"),
    {0},
};

static const column benchmark_columns[] = {
    COLUMN(mujoco_benchmark, name, TEXT, "", "MODEL/contacts:N/BASE/CHANGES"),
    COLUMN_AS("run_name", mujoco_benchmark, name, TEXT, "", "the same"),
    COLUMN(mujoco_benchmark, run_type, TEXT, "", "aggregate"),
    COLUMN(mujoco_benchmark, aggregate_name, TEXT, "", "median"),
    COLUMN(mujoco_benchmark, aggregate_unit, TEXT, "", "time"),
    COLUMN(mujoco_benchmark, threads, COUNT, "", "1"),
    COLUMN(mujoco_benchmark, iterations, COUNT, "", "starts"),
    COLUMN(mujoco_benchmark, real_time, AMOUNT, "ms", "of one run"),
    COLUMN_AS("cpu_time", mujoco_benchmark, real_time, AMOUNT, "ms", "the same"),
    COLUMN(mujoco_benchmark, time_unit, TEXT, "", "ms"),
    COLUMN(mujoco_benchmark, rms_error, AMOUNT, "", "median"),
    {0},
};

/* ---- the study ------------------------------------------------------------------------------- */

static int measure(study_run *run, const void *planned) {
  const mujoco_cell *const c = planned;
  if (c->kind == MUJOCO_FOLLOW) return mujoco_follow(run, c->of);
  return c->kind == MUJOCO_PROFILE ? mujoco_measure_profile(run, c->of, c->number)
                                   : mujoco_race(run, c);
}

static void show(const study_run *run) {
  printf("MuJoCo %s; `mujoco`: its own defaults, `race`: what the race uses\n"
         "ratio: time over the race's, paired by start; differs: largest relative difference of\n"
         "the trajectory from MuJoCo's own defaults'; RMS: error against our reference\n",
         bridge_version_string());
  study_print(run, MUJOCO_ROWS, 0, SIZE_MAX);
  printf("\nwhere a step's time goes, by MuJoCo's timers\n");
  study_print(run, MUJOCO_TIMES, 0, SIZE_MAX);
}

const study mujoco_study = {
    .name = "mujoco",
    .summary = "MuJoCo at its best: every setting of its own against the race's, and its profile",
    .example = "essbench mujoco --contacts 2,100 --trials 30",
    .file = "mujoco_settings",
    .schema = "essbench-mujoco-1",
    .own_models = true,
    .cells = "cells",
    .stages = 3,
    .pinned = true,
    .processes = 12,
    STUDY_OF(options, mujoco_settings, mujoco_cell),
    .tables = {[MUJOCO_SAMPLES] = STUDY_ROWS(mujoco_sample, .meaning = "a sample"),
               [MUJOCO_TOP] = STUDY_ROWS(mujoco_top, .json = "", .meaning = "of all"),
               [MUJOCO_MODELS] = STUDY_TABLE(model_columns, mujoco_model, .json = "models",
                                             .meaning = "one model with one number of contacts"),
               [MUJOCO_ROWS] =
                   STUDY_TABLE(row_columns, mujoco_row, .json = "settings",
                               .csv = "mujoco_settings.csv", .meaning = "one setting on one model"),
               [MUJOCO_TRIALS] =
                   STUDY_TABLE(trial_columns, mujoco_trial, .csv = "mujoco_settings_samples.csv",
                               .meaning = "one sample"),
               [MUJOCO_TIMES] = STUDY_TABLE(time_columns, mujoco_time, .csv = "mujoco_profile.csv",
                                            .meaning = "one timer, or what its parts leave"),
               [MUJOCO_PROFILED] =
                   STUDY_TABLE(profile_columns, mujoco_profile, .json = "profiles",
                               .meaning = "where a step's time goes with one setting"),
               [MUJOCO_TIMERS] = STUDY_TABLE(timer_columns, mujoco_time, .json = "timers",
                                             .meaning = "one timer", .within = MUJOCO_PROFILED),
               [MUJOCO_BENCHMARKS] =
                   STUDY_TABLE(benchmark_columns, mujoco_benchmark, .json = "benchmarks",
                               .meaning = "the settings as Google Benchmark has them")},
    .plan = mujoco_plan,
    .run = measure,
    .place = mujoco_place,
    .derive = mujoco_derive,
    .show = show,
    .conclude = mujoco_conclude,
};
