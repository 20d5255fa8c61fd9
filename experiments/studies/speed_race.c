/*
 * A race: everyone with settings of his own timed in turn, from all starts in one process.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "choice.h"
#include "solvers.h"
#include "speed.h"
#include "turns.h"

/* turns of an entry in one process, how long one lasts at least, and how long all of them at most
 * unless there is but one, s */
enum { ROUNDS = 6 };
static const double turn_s = 5e-3, most_s = 3.0;

/* everyone with settings of his own, at the start line */
typedef struct race {
  speed_room *room;
  size_t process, count;
  speed_sample entry[SPEED_ENTRIES_MAX];
  contest_starts view[SPEED_FORMS];
  contestant contestant[SPEED_ENTRIES_MAX];
  measure_candidate candidate[SPEED_ENTRIES_MAX];
  measure_turns_record record[SPEED_ENTRIES_MAX];
  double *seconds; /* owned */
} race;

static int line_up(race *r, size_t system) {
  char *const message = r->room->run->message;
  speed_sample all[SPEED_ENTRIES_MAX];
  const size_t entries = speed_entries(r->room->run, system, all);
  for (size_t k = 0; k < r->room->of.forms; k++)
    r->view[k] = contest_starts_view(&r->room->starts, r->room->form[k]);
  for (size_t i = 0; i < entries; i++) {
    if (speed_runner(all, i) != i) continue;
    const solver_settings settings = speed_settings_of(&all[i]);
    contestant *const one = &r->contestant[r->count];
    if (contestant_prepare(one, solver_find(all[i].solver), &settings,
                           &r->view[speed_form_of(&all[i])], message))
      return -1;
    r->candidate[r->count] = contestant_candidate(one);
    r->entry[r->count++] = all[i];
  }
  r->seconds = calloc(r->count * r->room->starts.trials, sizeof *r->seconds);
  return r->seconds ? 0 : study_out_of_memory(r->room->run);
}

static int time_all(race *r) {
  study_run *const run = r->room->run;
  const measure_turns turns = {.trials = r->room->starts.trials,
                               .seed = run->seed + r->room->of.contacts + r->process,
                               .rounds = ROUNDS,
                               .turn_s = turn_s,
                               .most_s = most_s,
                               .stop = run->interrupted};
  const int status = measure_take_turns(r->candidate, r->count, &turns, r->seconds, r->record);
  if (status) measure_message(run->message, "timing: %s", measure_strerror(status));
  for (size_t k = 0; !status && k < r->count; k++) {
    if (!r->record[k].failed) continue;
    return measure_fail(run->message, "%s, %zu contacts, start %zu: %s", r->room->of.model,
                        r->room->of.contacts, r->record[k].trial, r->contestant[k].report.message);
  }
  return status ? -1 : 0;
}

/* what the runs of one entry gave; errors, crossings and work are the same in every process */
static int add_runs(race *r, size_t k, trajectory *room) {
  const contest_starts *const starts = &r->room->starts;
  const solver_output output = trajectory_output(room);
  const solver_settings settings = speed_settings_of(&r->entry[k]);
  speed_sample s = r->entry[k];
  s.what = "run";
  s.process = r->process;
  s.repetitions = (double)r->record[k].repetitions;
  for (s.trial = 0; s.trial < starts->trials; s.trial++) {
    const double *const x0 = starts->states + s.trial * starts->m->system.dimension;
    const model *const m = r->room->form[speed_form_of(&s)];
    s.seconds = r->seconds[k * starts->trials + s.trial];
    s.retaken = s.trial ? 0.0 : (double)r->record[k].retaken;
    s.disturbed = s.trial ? 0.0 : (double)r->record[k].disturbed;
    s.rms_error = r->contestant[k].rms[s.trial];
    s.events = r->contestant[k].events[s.trial];
    s.reference_events = r->process ? NAN : (double)starts->events[s.trial];
    const int status = solver_is_libess(solver_find(s.solver)) && !r->process
                           ? speed_count_run(m, &settings, x0, &output, s.counts)
                           : ESS_SUCCESS;
    if (status) measure_message(r->room->run->message, "counting: %s", ess_strerror(status));
    if (status || study_add(r->room->run, SPEED_SAMPLES, &s)) return -1;
  }
  return 0;
}

/* what the callbacks of one form take */
static int add_calls(race *r, size_t form) {
  study_run *const run = r->room->run;
  double seconds[SPEED_CALLS][SPEED_CALL_SAMPLES];
  speed_sample s;
  const int status =
      speed_time_calls(r->room->form[form], &r->room->starts.references[0], run->seed, seconds);
  if (status) measure_message(run->message, "timing of callbacks: %s", measure_strerror(status));
  column_clear(run->study->tables[SPEED_SAMPLES].columns, &s);
  s.what = "call";
  s.field = r->room->of.forms > 1 ? speed_form_names[form] : "";
  s.process = r->process;
  for (size_t i = 0; !status && i < SPEED_CALLS * SPEED_CALL_SAMPLES; i++) {
    s.variant = speed_call_names[i / SPEED_CALL_SAMPLES];
    s.trial = i % SPEED_CALL_SAMPLES;
    s.seconds = seconds[i / SPEED_CALL_SAMPLES][s.trial];
    if (study_add(run, SPEED_SAMPLES, &s)) return -1;
  }
  return status ? -1 : 0;
}

/* of the hopper and of the largest plate, by the fastest form of the field */
static int add_grids(race *r) {
  const speed_system *const of = &r->room->of;
  const char *const field = of->forms > 1 ? speed_form_names[of->forms - 1] : "";
  const size_t at = speed_entry_of(r->entry, r->count, "equal-error", field);
  if ((of->forms > 1 && !of->largest) || at == SIZE_MAX) return 0;
  return speed_time_samples(r->room, &r->entry[at], r->process);
}

static int run_race(race *r, size_t system) {
  trajectory samples;
  if (line_up(r, system) || time_all(r) ||
      trajectory_alloc(&samples, r->room->starts.m, r->room->run->message))
    return -1;
  int status = 0;
  for (size_t k = 0; !status && k < r->count; k++) status = add_runs(r, k, &samples);
  for (size_t k = 0; !status && k < r->room->of.forms; k++) status = add_calls(r, k);
  if (!status) status = add_grids(r);
  trajectory_free(&samples);
  return status;
}

int speed_race(speed_room *room, size_t system, size_t process) {
  race *const r = calloc(1, sizeof *r);
  if (!r) return study_out_of_memory(room->run);
  r->room = room;
  r->process = process;
  const int status = run_race(r, system);
  for (size_t k = 0; k < r->count; k++) contestant_release(&r->contestant[k]);
  free(r->seconds);
  free(r);
  return status;
}
