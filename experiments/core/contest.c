/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

/* the start of every trial */
static int draw_starts(contest_starts *s, bool random, unsigned long seed) {
  const size_t n = s->m->system.dimension;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (!rng) return -1;
  gsl_rng_set(rng, seed);
  for (size_t i = 0; i < s->trials; i++) {
    if (random)
      s->m->type->random_state(s->m, rng, s->states + i * n);
    else
      s->m->type->initial_state(s->m, s->states + i * n);
  }
  gsl_rng_free(rng);
  return 0;
}

int contest_starts_alloc(contest_starts *s, const model *m, size_t trials, bool random,
                         unsigned long seed, char message[SOLVER_MESSAGE_SIZE]) {
  *s = (contest_starts){.m = m, .trials = trials};
  s->states = calloc(trials * m->system.dimension, sizeof *s->states);
  s->references = calloc(trials, sizeof *s->references);
  s->events = calloc(trials, sizeof *s->events);
  if (s->states && s->references && s->events && !draw_starts(s, random, seed)) return 0;
  contest_starts_free(s);
  return measure_fail(message, "out of memory");
}

int contest_reference(contest_starts *s, size_t trial, char message[SOLVER_MESSAGE_SIZE]) {
  trajectory *const reference = &s->references[trial];
  if (reference->states) return 0;
  if (trajectory_alloc(reference, s->m, message)) return -1;
  const double *const x0 = s->states + trial * s->m->system.dimension;
  if (!trajectory_reference(reference, s->m, x0, &s->events[trial], NULL, message)) return 0;
  trajectory_free(reference);
  return -1;
}

contest_starts contest_starts_view(const contest_starts *s, const model *m) {
  contest_starts view = *s;
  view.m = m;
  return view;
}

size_t contest_contact_steps(const contest_starts *s, size_t trial) {
  const size_t contacts = model_contacts(s->m);
  unsigned char *const active = contacts ? malloc(contacts) : NULL;
  const trajectory *const t = &s->references[trial];
  size_t sum = 0;
  for (size_t i = 0; active && i < t->count; i++) {
    s->m->type->active_contacts(s->m, t->states + i * t->dimension, active);
    for (size_t k = 0; k < contacts; k++) sum += active[k];
  }
  free(active);
  return sum;
}

void contest_starts_free(contest_starts *s) {
  for (size_t i = 0; s->references && i < s->trials; i++) trajectory_free(&s->references[i]);
  free(s->references);
  free(s->states);
  free(s->events);
  *s = (contest_starts){0};
}

int contestant_prepare(contestant *c, const solver_type *solver, const solver_settings *settings,
                       const contest_starts *starts, char message[SOLVER_MESSAGE_SIZE]) {
  *c = (contestant){.solver = solver, .starts = starts};
  c->rms = calloc(starts->trials, sizeof *c->rms);
  c->events = calloc(starts->trials, sizeof *c->events);
  int status = c->rms && c->events ? trajectory_alloc(&c->samples, starts->m, message)
                                   : measure_fail(message, "out of memory");
  if (!status) {
    const solver_output output = trajectory_output(&c->samples);
    status = solver->prepare(starts->m, settings, &output, &c->instance, message);
  }
  if (status) contestant_release(c);
  return status;
}

void contestant_release(contestant *c) {
  if (c->instance) c->solver->release(c->instance);
  trajectory_free(&c->samples);
  free(c->rms);
  free(c->events);
  *c = (contestant){0};
}

static const double *start_of(const contestant *c, size_t trial) {
  return c->starts->states + trial * c->starts->m->system.dimension;
}

/* the timed region */
static int run(void *context, size_t trial) {
  contestant *const c = context;
  const solver_output output = trajectory_output(&c->samples);
  return c->solver->run(c->instance, start_of(c, trial), &output, &c->report);
}

/* after the timing: error and crossings of the run that was timed last */
static int note(void *context, size_t trial) {
  contestant *const c = context;
  const solver_output output = trajectory_output(&c->samples);
  if (c->solver->inspect && c->solver->inspect(c->instance, &output, &c->report)) return -1;
  const trajectory *const reference = &c->starts->references[trial];
  c->rms[trial] = reference->states ? trajectory_rms(&c->samples, reference) : NAN;
  c->events[trial] = (double)c->report.events;
  return 0;
}

measure_candidate contestant_candidate(contestant *c) {
  return (measure_candidate){.run = run, .after = note, .context = c};
}

int contestant_time(contestant *c, size_t trial, double *seconds) {
  const uint64_t start = measure_clock_ns();
  const int status = run(c, trial);
  *seconds = 1e-9 * (double)(measure_clock_ns() - start);
  return status ? -1 : 0;
}

int contestant_sample(contestant *c, size_t trial, double *seconds) {
  return contestant_time(c, trial, seconds) || note(c, trial) ? -1 : 0;
}
