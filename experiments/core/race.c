/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "race.h"

#include <stdlib.h>

#include "study_run.h"

/* one at the start line; a run that fails ends no race */
typedef struct runner {
  contestant contestant;
  contest_starts starts; /* as its form of the model has them */
  measure_candidate timed;
  bool failed;
} runner;

struct race {
  study_run *run;
  size_t number, count;
  race_plan plan;
  runner *runners;
  measure_candidate *candidates;
  uint64_t *repetitions;
  double *seconds; /* of a trial, by runner */
  race_lap *lap;   /* of the trial under way; borrowed */
};

static int run_one(void *context, size_t trial) {
  runner *const r = context;
  r->failed = r->timed.run(r->timed.context, trial) != 0;
  return 0;
}

static int note_one(void *context, size_t trial) {
  runner *const r = context;
  r->failed = r->failed || r->timed.after(r->timed.context, trial) != 0;
  return 0;
}

/* nonzero stops the trial */
static int take_sample(const measure_sample *sample, void *context) {
  race *const r = context;
  const runner *const from = &r->runners[sample->candidate];
  race_lap *const lap = &r->lap[sample->candidate];
  *lap = (race_lap){.of = outcome_unknown(),
                    .repetitions = (double)sample->repetitions,
                    .failed = from->failed,
                    .message = from->failed ? from->contestant.report.message : ""};
  if (!from->failed) lap->of = outcome_of(&from->contestant, sample->trial, sample->seconds);
  lap->of.time_s = sample->seconds;
  return *r->run->interrupted;
}

static int line_up(race *r, const race_entry entry[]) {
  r->runners = calloc(r->count, sizeof *r->runners);
  r->candidates = calloc(r->count, sizeof *r->candidates);
  r->repetitions = calloc(r->count, sizeof *r->repetitions);
  r->seconds = calloc(r->count, sizeof *r->seconds);
  if (!r->runners || !r->candidates || !r->repetitions || !r->seconds)
    return study_out_of_memory(r->run);
  for (size_t i = 0; i < r->count; i++) {
    runner *const one = &r->runners[i];
    const model *const m = entry[i].m ? entry[i].m : r->plan.starts->m;
    one->starts = contest_starts_view(r->plan.starts, m);
    if (contestant_prepare(&one->contestant, entry[i].solver, &entry[i].settings, &one->starts,
                           r->run->message))
      return -1;
    one->timed = contestant_candidate(&one->contestant);
    r->candidates[i] = (measure_candidate){.run = run_one, .after = note_one, .context = one};
  }
  return 0;
}

race *race_of(study_run *run, size_t number, const race_plan *plan, const race_entry entry[],
              size_t count) {
  race *r = run->private->race;
  if (r && r->number == number) return r;
  race_end(run);
  r = run->private->race = calloc(1, sizeof *r);
  if (!r) {
    measure_message(run->message, "out of memory");
    return NULL;
  }
  *r = (race){.run = run, .number = number, .count = count, .plan = *plan};
  if (!line_up(r, entry)) return r;
  race_end(run);
  return NULL;
}

int race_trial(race *r, size_t trial, race_lap lap[]) {
  contest_starts *const starts = r->plan.starts;
  const bool kept = starts->references[trial].states != NULL;
  if (contest_reference(starts, trial, r->run->message)) return -1;
  const measure_plan plan = {.trials = 1,
                             .numbers = &trial,
                             .seed = r->plan.seed,
                             .min_time_s = r->plan.min_time,
                             .warmup_runs = r->plan.warmups,
                             .sampled = take_sample,
                             .context = r};
  r->lap = lap;
  const int status =
      measure_interleave(r->candidates, r->count, &plan, r->seconds, r->repetitions, NULL);
  // those of all trials of all cases would fill the memory
  if (!kept) trajectory_free(&starts->references[trial]);
  if (status == MEASURE_ESTOP) measure_message(r->run->message, "interrupted");
  if (status && status != MEASURE_ESTOP)
    measure_message(r->run->message, "timing: %s", measure_strerror(status));
  return status ? -1 : 0;
}

void race_end(study_run *run) {
  race *const r = run->private->race;
  run->private->race = NULL;
  if (!r) return;
  for (size_t i = 0; r->runners && i < r->count; i++) contestant_release(&r->runners[i].contestant);
  free(r->runners);
  free(r->candidates);
  free(r->repetitions);
  free(r->seconds);
  free(r);
}
