/*
 * The race of a sweep at one number of contacts in one process.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "race.h"
#include "settings.h"
#include "solvers.h"
#include "sweep.h"

size_t sweep_processes(const study_run *run) {
  const sweep_settings *const s = run->settings;
  return run->processes < s->trials ? run->processes : s->trials;
}

size_t sweep_runner(const sweep_sample entry[], size_t index, double time_step) {
  const solver_type *const solver = solver_find(entry[index].solver);
  const solver_settings own = solver_settings_in_force(solver, &entry[index].settings, time_step);
  for (size_t i = 0; i < index; i++) {
    const solver_settings other = solver_settings_in_force(solver, &entry[i].settings, time_step);
    if (strcmp(entry[i].solver, solver->name) == 0 && settings_same(&own, &other)) return i;
  }
  return index;
}

/* one under way, of one process */
typedef struct heat {
  study_run *run;
  const sweep_sample *entries;
  size_t count, process;
  contest_starts *starts;
  size_t place[SWEEP_ENTRIES_MAX]; /* in the race, of every entry */
  size_t racers, trials;
  size_t *trial; /* owned, as what follows */
  race_lap *lap;
} heat;

/* the same seed at every N draws the same starts */
static race *line_up(heat *h, size_t row) {
  const sweep_settings *const given = h->run->settings;
  const double dt = h->starts->m->type->time_step;
  race_entry entry[SWEEP_ENTRIES_MAX] = {{0}};
  for (size_t k = 0; k < h->count; k++) {
    const size_t runner = sweep_runner(h->entries, k, dt);
    h->place[k] = runner < k ? h->place[runner] : h->racers++;
    entry[h->place[k]] = (race_entry){.solver = solver_find(h->entries[k].solver),
                                      .settings = h->entries[runner].settings};
  }
  const race_plan plan = {.starts = h->starts,
                          .seed = h->run->seed + h->entries->contacts,
                          .min_time = given->min_time};
  return race_of(h->run, row, &plan, entry, h->racers);
}

/* a sample of every entry from one of the starts */
static int tell(const heat *h, size_t i, double contact_steps) {
  const size_t trial = h->trial[i];
  for (size_t k = 0; k < h->count; k++) {
    const race_lap *const lap = &h->lap[i * h->racers + h->place[k]];
    sweep_sample s = h->entries[k];
    if (lap->failed)
      return measure_fail(h->run->message, "%zu contacts, trial %zu: %s", s.contacts,
                          lap->failed_at, lap->message);
    s.trial = trial;
    s.process = h->process;
    s.seconds = lap->of.time_s;
    s.repetitions = lap->repetitions;
    s.retaken = lap->retaken;
    s.disturbed = lap->disturbed;
    s.rms_error = lap->of.rms_error;
    s.events = lap->of.events;
    s.events_reference = (double)h->starts->events[trial];
    s.contact_steps = contact_steps;
    if (study_add(h->run, SWEEP_SAMPLES, &s)) return -1;
  }
  return 0;
}

static int race_and_tell(heat *h, size_t row) {
  race *const r = line_up(h, row);
  h->lap = calloc(h->trials * h->racers, sizeof *h->lap);
  if (!h->lap) return study_out_of_memory(h->run);
  if (!r || race_turns(r, h->trial, h->trials, h->lap)) return -1;
  int status = 0;
  for (size_t i = 0; !status && i < h->trials; i++)
    status = tell(h, i, (double)contest_contact_steps(h->starts, h->trial[i]));
  return status;
}

int sweep_race(study_run *run, const sweep_sample entries[], size_t count, size_t row,
               size_t process) {
  const sweep_settings *const given = run->settings;
  const case_change changes[] = {{"contacts", (double)entries->contacts}, {0}};
  heat h = {.run = run, .entries = entries, .count = count, .process = process};
  h.starts = case_starts(run, changes, given->trials);
  h.trial = calloc(given->trials, sizeof *h.trial);
  int status = !h.starts ? -1 : h.trial ? 0 : study_out_of_memory(run);
  for (size_t j = process; !status && j < given->trials; j += sweep_processes(run)) {
    h.trial[h.trials++] = j;
    status = contest_reference(h.starts, j, run->message);
  }
  if (!status) status = race_and_tell(&h, row);
  // those of all numbers of contacts would fill the memory
  for (size_t i = 0; i < h.trials; i++) trajectory_free(&h.starts->references[h.trial[i]]);
  race_end(run);
  free(h.trial);
  free(h.lap);
  return status;
}
