/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The race of a sweep at one number of contacts in one process. */
#include <math.h>

#include "cases.h"
#include "race.h"
#include "solvers.h"
#include "sweep.h"

/* one under way */
typedef struct heat {
  study_run *run;
  const sweep_sample *entries;
  size_t process;
  const contest_starts *starts;
  double contact_steps; /* of the trial */
} heat;

static int tell(void *context, const race_lap *lap) {
  heat *const h = context;
  sweep_sample s = h->entries[lap->entry];
  if (*lap->message)
    return measure_fail(h->run->message, "%zu contacts, trial %zu: %s", s.contacts, lap->trial,
                        lap->message);
  s.trial = lap->trial;
  s.process = h->process;
  s.seconds = lap->of.time_s;
  s.repetitions = lap->repetitions;
  s.retaken = lap->retaken;
  s.disturbed = lap->disturbed;
  s.rms_error = lap->of.rms_error;
  s.events = lap->of.events;
  s.events_reference = (double)h->starts->events[lap->trial];
  if (!lap->entry) h->contact_steps = (double)contest_contact_steps(h->starts, lap->trial);
  s.contact_steps = h->contact_steps;
  return study_add(h->run, SWEEP_SAMPLES, &s);
}

/* the same seed at every N draws the same starts */
int sweep_race(study_run *run, const sweep_sample entries[], size_t count, size_t process) {
  const sweep_settings *const given = run->settings;
  const case_change changes[] = {{"contacts", (double)entries->contacts}, {0}};
  contest_starts *const starts = case_starts(run, changes, given->trials);
  const race_plan plan = {.starts = starts,
                          .trials = given->trials,
                          .process = process,
                          .processes = sweep_draws(run).processes,
                          .seed = run->seed + entries->contacts,
                          .min_time = given->min_time};
  heat h = {run, entries, process, starts, NAN};
  race_entry entry[SWEEP_ENTRIES_MAX];
  for (size_t k = 0; k < count; k++)
    entry[k] =
        (race_entry){.solver = solver_find(entries[k].solver), .settings = entries[k].settings};
  return starts ? race_run(run, &plan, entry, count, tell, &h) : -1;
}

draws sweep_draws(const study_run *run) {
  const sweep_settings *const given = run->settings;
  return race_draws(run, given->trials, false);
}
