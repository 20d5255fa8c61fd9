/*
 * A race: everyone with settings of his own timed in turn, from all starts in one process.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "race.h"
#include "solvers.h"
#include "speed.h"

/* turns of an entry in one process */
enum { ROUNDS = 6 };

/* everyone with settings of his own */
typedef struct heat {
  speed_room *room;
  size_t process, count;
  speed_sample entry[SPEED_ENTRIES_MAX];
  race_lap *lap; /* owned */
} heat;

static race *line_up(heat *h, size_t system) {
  study_run *const run = h->room->run;
  speed_sample all[SPEED_ENTRIES_MAX];
  race_entry racer[SPEED_ENTRIES_MAX];
  const size_t entries = speed_entries(run, system, all);
  for (size_t i = 0; i < entries; i++) {
    if (speed_runner(all, i) != i) continue;
    racer[h->count] = (race_entry){.solver = solver_find(all[i].solver),
                                   .settings = speed_settings_of(&all[i]),
                                   .m = h->room->form[speed_form_of(&all[i])]};
    h->entry[h->count++] = all[i];
  }
  const race_plan plan = {.starts = &h->room->starts,
                          .seed = run->seed + h->room->of.contacts + h->process,
                          .rounds = ROUNDS};
  return race_of(run, system, &plan, racer, h->count);
}

static int time_all(heat *h, size_t system) {
  study_run *const run = h->room->run;
  race *const r = line_up(h, system);
  const size_t trials = h->room->starts.trials;
  size_t trial[trials];
  for (size_t i = 0; i < trials; i++) trial[i] = i;
  h->lap = calloc(h->count * trials, sizeof *h->lap);
  if (!h->lap) return study_out_of_memory(run);
  if (!r || race_turns(r, trial, trials, h->lap)) return -1;
  for (size_t k = 0; k < h->count; k++)
    if (h->lap[k].failed)
      return measure_fail(run->message, "%s, %zu contacts, start %zu: %s", h->room->of.model,
                          h->room->of.contacts, h->lap[k].failed_at, h->lap[k].message);
  return 0;
}

/* what the runs of one entry gave; errors, crossings and work are the same in every process */
static int add_runs(const heat *h, size_t k, trajectory *room) {
  const contest_starts *const starts = &h->room->starts;
  const solver_output output = trajectory_output(room);
  const solver_settings settings = speed_settings_of(&h->entry[k]);
  speed_sample s = h->entry[k];
  s.what = "run";
  s.process = h->process;
  for (s.trial = 0; s.trial < starts->trials; s.trial++) {
    const double *const x0 = starts->states + s.trial * starts->m->system.dimension;
    const model *const m = h->room->form[speed_form_of(&s)];
    const race_lap *const lap = &h->lap[s.trial * h->count + k];
    s.seconds = lap->of.time_s;
    s.repetitions = lap->repetitions;
    s.retaken = lap->retaken;
    s.disturbed = lap->disturbed;
    s.rms_error = lap->of.rms_error;
    s.events = lap->of.events;
    s.reference_events = h->process ? NAN : (double)starts->events[s.trial];
    const int status = solver_is_libess(solver_find(s.solver)) && !h->process
                           ? speed_count_run(m, &settings, x0, &output, s.counts)
                           : ESS_SUCCESS;
    if (status) measure_message(h->room->run->message, "counting: %s", ess_strerror(status));
    if (status || study_add(h->room->run, SPEED_SAMPLES, &s)) return -1;
  }
  return 0;
}

/* what the callbacks of one form take */
static int add_calls(const heat *h, size_t form) {
  study_run *const run = h->room->run;
  double seconds[SPEED_CALLS][SPEED_CALL_SAMPLES];
  speed_sample s;
  const int status =
      speed_time_calls(h->room->form[form], &h->room->starts.references[0], run->seed, seconds);
  if (status) measure_message(run->message, "timing of callbacks: %s", measure_strerror(status));
  column_clear(run->study->tables[SPEED_SAMPLES].columns, &s);
  s.what = "call";
  s.field = h->room->of.forms > 1 ? speed_form_names[form] : "";
  s.process = h->process;
  for (size_t i = 0; !status && i < SPEED_CALLS * SPEED_CALL_SAMPLES; i++) {
    s.variant = speed_call_names[i / SPEED_CALL_SAMPLES];
    s.trial = i % SPEED_CALL_SAMPLES;
    s.seconds = seconds[i / SPEED_CALL_SAMPLES][s.trial];
    if (study_add(run, SPEED_SAMPLES, &s)) return -1;
  }
  return status ? -1 : 0;
}

/* of the hopper and of the largest plate, by the fastest form of the field */
static int add_grids(const heat *h) {
  const speed_system *const of = &h->room->of;
  const char *const field = of->forms > 1 ? speed_form_names[of->forms - 1] : "";
  const size_t at = speed_entry_of(h->entry, h->count, "equal-error", field);
  if ((of->forms > 1 && !of->largest) || at == SIZE_MAX) return 0;
  return speed_time_samples(h->room, &h->entry[at], h->process);
}

static int run_race(heat *h, size_t system) {
  trajectory samples;
  if (time_all(h, system) || trajectory_alloc(&samples, h->room->starts.m, h->room->run->message))
    return -1;
  int status = 0;
  for (size_t k = 0; !status && k < h->count; k++) status = add_runs(h, k, &samples);
  for (size_t k = 0; !status && k < h->room->of.forms; k++) status = add_calls(h, k);
  if (!status) status = add_grids(h);
  trajectory_free(&samples);
  return status;
}

int speed_race(speed_room *room, size_t system, size_t process) {
  heat *const h = calloc(1, sizeof *h);
  if (!h) return study_out_of_memory(room->run);
  h->room = room;
  h->process = process;
  const int status = run_race(h, system);
  race_end(room->run);
  free(h->lap);
  free(h);
  return status;
}
