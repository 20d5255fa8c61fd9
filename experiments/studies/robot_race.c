/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that runs from one start, against its reference: first one after the other, for their errors,
 * and then in turns, for their times. */
#include <math.h>
#include <stdlib.h>

#include "robot_parts.h"
#include "robot_study.h"
#include "turns.h"

/* turns of a run, how long each lasts at least, and how long all of them about; what takes longer
 * than that is run once */
enum { ROUNDS = 3 };
static const double turn_s = 5e-3, most_s = 0.15;

/* a race from one start */
typedef struct race {
  study_run *run;
  const double *x0;
  const robot_track *of; /* the reference */
  size_t count;          /* its outputs */
  robot_sample *sample;
  robot_track track[2]; /* of an entry and the one before it */
  int status;
} race;

/* an entry of it */
typedef struct runner {
  race *r;
  size_t entry;
} runner;

static bool is_finer(const robot_entry *e) {
  return e->kind == ROBOT_MUJOCO && e[-1].kind == ROBOT_MUJOCO && e->variant == e[-1].variant;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* how far a run is from the reference, or where the errors of two steps are taken for a first
 * order's: of MuJoCo's many runs the one that agrees best counts */
static robot_error apart_by_steps(const study_run *run, const robot_entry *e,
                                  const robot_track *now, const robot_track *before,
                                  const robot_track *of, size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  const double ratio = e->knob / (e[-1].knob - e->knob);
  const robot_error plain = robot_apart(run, now, of, count);
  // the coarser one's states are needed no more
  for (size_t i = 0; i < count * n; i++)
    before->states[i] = now->states[i] + ratio * (now->states[i] - before->states[i]);
  for (size_t i = 0; i < count; i++) before->at_end[i] = before->at_end[i] && now->at_end[i];
  for (size_t i = 0; i < count; i++) robot_normalise(c->robot, before->states + i * n);
  return robot_error_smaller(plain, robot_apart(run, before, of, count));
}

/* a run's numbers against the reference */
static robot_sample numbers_of(const race *r, const robot_track *t) {
  robot_sample s = robot_sample_unknown(r->sample->start, t->status);
  s.seconds = t->seconds;
  s.evaluations = t->evaluations;
  s.steps = t->steps;
  if (t->reached < r->count) return s;
  s.error = robot_apart(r->run, t, r->of, r->count);
  s.note = "";
  return s;
}

/* what a run is expected to take, from that of the next coarser one */
static bool is_too_long(const study_run *run, const robot_entry *e, const robot_sample *before) {
  const robot_settings *const s = run->settings;
  return is_finer(e) && !(before->seconds * e[-1].knob / e->knob <= s->budget);
}

/* ---- as those who race, whose one trial is the start ----------------------------------------- */

/* a run that is kept, and that is so long that it is timed once: it is not made again */
static bool recall(race *r, size_t i) {
  robot_sample s = robot_sample_unknown(r->sample->start, "");
  robot_error apart = robot_error_unknown;
  if (!robot_sample_kept(r->run, i, &s, &apart) || s.seconds < most_s) return false;
  r->sample[i] = s;
  r->sample->mujoco = robot_error_smaller(r->sample->mujoco, apart);
  return true;
}

static int prepare(void *context, size_t trial) {
  const runner *const one = context;
  race *const r = one->r;
  const robot_case *const c = r->run->own;
  const size_t i = one->entry;
  (void)trial;
  r->sample[i] = robot_sample_unknown(r->sample->start, "left out: it takes longer than --budget");
  r->track[i % 2].reached = 0;
  // and so are those behind it
  if (r->status || is_too_long(r->run, &c->entry[i], &r->sample[i - 1])) return 1;
  if (recall(r, i)) return 1;
  study_within(r->run, "run %zu of %zu: %s %s at %g", i, c->entries - 1,
               c->entry[i].kind == ROBOT_MUJOCO   ? "MuJoCo"
               : c->entry[i].kind == ROBOT_LIBESS ? "libess"
                                                  : "plain",
               c->entry[i].variant, c->entry[i].knob);
  // two runs are extrapolated: the states of the one before it are needed
  robot_track *const before = &r->track[1 - i % 2];
  if (is_finer(&c->entry[i]) && !before->reached && !isnan(r->sample[i - 1].error.states))
    r->status = robot_follow(r->run, &c->entry[i - 1], r->x0, false, before);
  return r->status;
}

static int run_one(void *context, size_t trial) {
  const runner *const one = context;
  race *const r = one->r;
  const robot_case *const c = r->run->own;
  (void)trial;
  if (!r->status)
    r->status =
        robot_follow(r->run, &c->entry[one->entry], r->x0, false, &r->track[one->entry % 2]);
  return r->status;
}

static int note(void *context, size_t trial) {
  const runner *const one = context;
  race *const r = one->r;
  const robot_case *const c = r->run->own;
  const robot_entry *const e = &c->entry[one->entry];
  const robot_track *const now = &r->track[one->entry % 2];
  const robot_track *const before = &r->track[1 - one->entry % 2];
  (void)trial;
  r->sample[one->entry] = numbers_of(r, now);
  if (is_finer(e) && now->reached >= r->count && before->reached >= r->count)
    r->sample->mujoco = robot_error_smaller(
        r->sample->mujoco, apart_by_steps(r->run, e, now, before, r->of, r->count));
  r->status = robot_keep_sample(r->run, one->entry, &r->sample[one->entry], &r->sample->mujoco);
  return r->status;
}

static int take_turns(race *r, size_t count, runner runners[], measure_candidate candidate[],
                      measure_turns_record record[], double seconds[]) {
  const measure_turns plan = {.trials = 1,
                              .seed = r->run->seed + r->sample->start,
                              .rounds = ROUNDS,
                              .turn_s = turn_s,
                              .most_s = most_s,
                              .stop = r->run->interrupted};
  for (size_t i = 0; i < count; i++) {
    runners[i] = (runner){r, i + 1};
    candidate[i] = (measure_candidate){run_one, prepare, note, &runners[i]};
  }
  const int status = measure_take_turns(candidate, count, &plan, seconds, record);
  if (r->status) return r->status;
  if (status == MEASURE_ESTOP) return measure_fail(r->run->message, "interrupted");
  if (status) return measure_fail(r->run->message, "timing: %s", measure_strerror(status));
  for (size_t i = 0; i < count; i++)
    if (!record[i].failed) r->sample[i + 1].seconds = seconds[i];
  return 0;
}

int robot_race(study_run *run, const double x0[], const robot_track *of, size_t count,
               robot_sample sample[]) {
  const robot_case *const c = run->own;
  const size_t entries = c->entries - 1;
  race r = {.run = run, .x0 = x0, .of = of, .count = count, .sample = sample};
  runner *const runners = calloc(entries + 1, sizeof *runners);
  measure_candidate *const candidate = calloc(entries + 1, sizeof *candidate);
  measure_turns_record *const record = calloc(entries + 1, sizeof *record);
  double *const seconds = calloc(entries + 1, sizeof *seconds);
  int status = runners && candidate && record && seconds ? 0 : study_out_of_memory(run);
  if (!status && (robot_track_alloc(run, &r.track[0]) || robot_track_alloc(run, &r.track[1])))
    status = -1;
  r.track[0].asked = r.track[1].asked = count;
  if (!status) status = take_turns(&r, entries, runners, candidate, record, seconds);
  robot_track_free(&r.track[0]);
  robot_track_free(&r.track[1]);
  free(runners);
  free(candidate);
  free(record);
  free(seconds);
  return status;
}
