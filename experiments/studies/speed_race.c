/*
 * A race: all entries of a case timed in turn from the same starts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "progress.h"
#include "speed.h"

/* an entry at the start line */
typedef struct runner {
  speed_entry *entry;
  contestant contestant;
  measure_candidate timed;
} runner;

typedef struct race {
  speed_case *c;
  const speed_data *data;
  contest_starts view[SPEED_FORMS];
  runner *runners;
  measure_candidate *candidates;
  double *seconds;
  measure_progress progress;
  uint64_t done;
} race;

/* what fails and may is noted, and the race goes on */
static int forgive(const runner *r, int status) {
  if (!status || !r->entry->may_fail) return status;
  r->entry->failed = true;
  return 0;
}

/* the timed region */
static int run(void *context, size_t trial) {
  const runner *const r = context;
  return forgive(r, r->timed.run(r->timed.context, trial));
}

static int note(void *context, size_t trial) {
  const runner *const r = context;
  return r->entry->failed ? 0 : forgive(r, r->timed.after(r->timed.context, trial));
}

/* nonzero stops the race */
static int take_sample(const measure_sample *sample, void *context) {
  race *const r = context;
  const runner *const from = &r->runners[sample->candidate];
  from->entry->seconds[sample->trial] = sample->seconds;
  from->entry->rms[sample->trial] = from->contestant.rms[sample->trial];
  from->entry->events[sample->trial] = from->contestant.events[sample->trial];
  measure_progress_update(&r->progress, ++r->done);
  return *r->data->interrupted ? 1 : 0;
}

static int line_up(race *r, char *message) {
  const size_t count = r->c->count;
  r->runners = calloc(count, sizeof *r->runners);
  r->candidates = calloc(count, sizeof *r->candidates);
  r->seconds = calloc(count * r->c->trials, sizeof *r->seconds);
  if (!r->runners || !r->candidates || !r->seconds) {
    measure_message(message, "out of memory");
    return -1;
  }
  for (size_t k = 0; k < r->c->forms; k++)
    r->view[k] = contest_starts_view(&r->c->starts, &r->c->form[k]);
  for (size_t k = 0; k < count; k++) {
    runner *const one = &r->runners[k];
    one->entry = &r->c->entry[k];
    if (contestant_prepare(&one->contestant, one->entry->solver, &one->entry->settings,
                           &r->view[one->entry->form], message))
      return -1;
    one->timed = contestant_candidate(&one->contestant);
    r->candidates[k] = (measure_candidate){.name = "", .run = run, .after = note, .context = one};
  }
  return 0;
}

static int start(race *r, const char *label, char *message) {
  const speed_case *const c = r->c;
  const measure_plan plan = {.trials = c->trials,
                             .seed = r->data->given->seed + c->contacts,
                             .min_time_s = c->sample_s,
                             .warmup_runs = 1,
                             .sampled = take_sample,
                             .context = r};
  measure_failure failure;
  measure_progress_begin(&r->progress, NULL, label, c->count * c->trials);
  const int status = measure_interleave(r->candidates, c->count, &plan, r->seconds, NULL, &failure);
  measure_progress_end(&r->progress);
  if (status == MEASURE_ECALLBACK)
    measure_message(message, "%s, trial %zu: %s", label, failure.trial,
                    r->runners[failure.candidate].contestant.report.message);
  else if (status == MEASURE_ESTOP)
    measure_message(message, "interrupted");
  else if (status)
    measure_message(message, "timing: %s", measure_strerror(status));
  return status ? -1 : 0;
}

int speed_race(speed_case *c, const char *label, const speed_data *data, char *message) {
  race r = {.c = c, .data = data};
  int status = line_up(&r, message);
  if (!status) status = start(&r, label, message);
  for (size_t k = 0; r.runners && k < c->count; k++) contestant_release(&r.runners[k].contestant);
  free(r.runners);
  free(r.candidates);
  free(r.seconds);
  return status;
}
