/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A race: everyone with settings of his own timed in turn, from all starts in one process. */
#include <math.h>
#include <stdlib.h>

#include "race.h"
#include "solvers.h"
#include "speed.h"

/* turns of an entry in one process */
enum { ROUNDS = 6 };

typedef struct heat {
  speed_room *room;
  size_t process, count;
  speed_sample entry[SPEED_ENTRIES_MAX];
  trajectory samples; /* room for a run that is counted; owned */
} heat;

/* errors, crossings and work are the same in every process */
static int tell(void *context, const race_lap *lap) {
  heat *const h = context;
  const contest_starts *const starts = &h->room->starts;
  const solver_output output = trajectory_output(&h->samples);
  speed_sample s = h->entry[lap->entry];
  if (*lap->message)
    return measure_fail(h->room->run->message, "%s, %zu contacts, start %zu: %s", h->room->of.model,
                        h->room->of.contacts, lap->trial, lap->message);
  s.what = "run";
  s.process = h->process;
  s.trial = lap->trial;
  s.seconds = lap->of.time_s;
  s.repetitions = lap->repetitions;
  s.retaken = lap->retaken;
  s.disturbed = lap->disturbed;
  s.rms_error = lap->of.rms_error;
  s.events = lap->of.events;
  s.reference_events = h->process ? NAN : (double)starts->events[s.trial];
  if (solver_is_libess(solver_find(s.solver)) && !h->process) {
    const solver_settings settings = speed_settings_of(&s);
    const double *const x0 = starts->states + s.trial * starts->m->system.dimension;
    const model *const m = h->room->form[speed_form_of(&s)];
    const int status = speed_count_run(m, &settings, x0, &output, s.counts);
    if (status) return measure_fail(h->room->run->message, "counting: %s", ess_strerror(status));
  }
  return study_add(h->room->run, SPEED_SAMPLES, &s);
}

static int time_all(heat *h) {
  study_run *const run = h->room->run;
  race_entry racer[SPEED_ENTRIES_MAX];
  for (size_t i = 0; i < h->count; i++)
    racer[i] = (race_entry){.solver = solver_find(h->entry[i].solver),
                            .settings = speed_settings_of(&h->entry[i]),
                            .m = h->room->form[speed_form_of(&h->entry[i])]};
  const race_plan plan = {.starts = &h->room->starts,
                          .trials = h->room->starts.trials,
                          .process = h->process,
                          .processes = run->processes,
                          .crossed = true,
                          .seed = run->seed + h->room->of.contacts,
                          .rounds = ROUNDS};
  return race_run(run, &plan, racer, h->count, tell, h);
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
    study_add(run, SPEED_SAMPLES, &s);
  }
  return status ? -1 : 0;
}

/* of the hopper and of the largest plate, by the fastest form of the field */
static int add_grids(const heat *h) {
  const speed_system *const of = &h->room->of;
  const char *const field = of->forms > 1 ? speed_form_names[of->forms - 1] : "";
  const size_t at = speed_entry_of(h->entry, h->count, "equal-error", SPEED_OURS, field);
  if ((of->forms > 1 && !of->largest) || at == SIZE_MAX) return 0;
  return speed_time_samples(h->room, &h->entry[at], h->process);
}

int speed_race(speed_room *room, size_t system, size_t process) {
  heat *const h = calloc(1, sizeof *h);
  if (!h) return study_out_of_memory(room->run);
  h->room = room;
  h->process = process;
  h->count = speed_entries(room->run, system, h->entry);
  int status = trajectory_alloc(&h->samples, room->starts.m, room->run->message);
  if (!status) status = time_all(h);
  for (size_t k = 0; !status && k < room->of.forms; k++) status = add_calls(h, k);
  if (!status) status = add_grids(h);
  trajectory_free(&h->samples);
  free(h);
  return status ? -1 : 0;
}
