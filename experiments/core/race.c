/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "race.h"

#include <math.h>
#include <stdlib.h>

#include "study_run.h"
#include "turns.h"

/* turns of an entry, how long one lasts at least, and how long all of them at most, s */
enum { ROUNDS = 3 };
static const double turn_s = 5e-3, most_s = 3.0;

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
                    .retaken = (double)sample->retaken,
                    .failed = from->failed,
                    .failed_at = sample->trial,
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

static int conclude(const race *r, int status) {
  if (status == MEASURE_ESTOP) return measure_fail(r->run->message, "interrupted");
  if (status) return measure_fail(r->run->message, "timing: %s", measure_strerror(status));
  return 0;
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
  return conclude(r, status);
}

/* ---- in turns -------------------------------------------------------------------------------- */

/* one with the trials that it runs */
typedef struct turner {
  measure_candidate of;
  const size_t *trial;
} turner;

static int run_turn(void *context, size_t i) {
  const turner *const t = context;
  return t->of.run(t->of.context, t->trial[i]);
}

static int note_turn(void *context, size_t i) {
  const turner *const t = context;
  return t->of.after(t->of.context, t->trial[i]);
}

static race_lap lap_of(const runner *from, const measure_turns_record *record, size_t trial,
                       double seconds) {
  race_lap lap = {.of = outcome_unknown(),
                  .repetitions = (double)record->repetitions,
                  .failed = record->failed,
                  .message = record->failed ? from->contestant.report.message : ""};
  lap.of.time_s = seconds;
  if (lap.failed) return lap;
  lap.of.rms_error = from->contestant.rms[trial];
  lap.of.events = from->contestant.events[trial];
  return lap;
}

static int take_turns(race *r, const size_t trial[], size_t trials, turner of[],
                      measure_turns_record record[], double seconds[], race_lap lap[]) {
  measure_candidate candidate[r->count];
  const measure_turns how = {.trials = trials,
                             .seed = r->plan.seed + *trial,
                             .rounds = r->plan.rounds ? r->plan.rounds : ROUNDS,
                             .turn_s = fmax(turn_s, r->plan.min_time * (double)trials),
                             .most_s = fmax(most_s, r->plan.min_time * (double)trials),
                             .stop = r->run->interrupted};
  for (size_t k = 0; k < r->count; k++) {
    of[k] = (turner){r->runners[k].timed, trial};
    candidate[k] = (measure_candidate){.run = run_turn, .after = note_turn, .context = &of[k]};
  }
  if (conclude(r, measure_take_turns(candidate, r->count, &how, seconds, record))) return -1;
  for (size_t i = 0; i < trials * r->count; i++) {
    const size_t k = i % r->count, j = i / r->count;
    lap[i] = lap_of(&r->runners[k], &record[k], trial[j], seconds[k * trials + j]);
    lap[i].failed_at = trial[record[k].trial];
    lap[i].retaken = j ? 0.0 : (double)record[k].retaken;
    lap[i].disturbed = j ? 0.0 : (double)record[k].disturbed;
  }
  return 0;
}

int race_turns(race *r, const size_t trial[], size_t trials, race_lap lap[]) {
  turner *const of = calloc(r->count, sizeof *of);
  measure_turns_record *const record = calloc(r->count, sizeof *record);
  double *const seconds = calloc(r->count * trials, sizeof *seconds);
  const int status = of && record && seconds
                         ? take_turns(r, trial, trials, of, record, seconds, lap)
                         : study_out_of_memory(r->run);
  free(of);
  free(record);
  free(seconds);
  return status;
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
