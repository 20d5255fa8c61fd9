/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "knobs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const column knob_lap_columns[] = {KNOB_LAP_COLUMNS, {0}};

static size_t at_least_one(size_t count) {
  return count ? count : 1;
}

size_t knobs_cases(const knobs_asked *s) {
  return at_least_one(s->contacts.count) * at_least_one(s->dampings.count);
}

/* what a case changes of the model */
static void changes_of(const knobs_asked *s, size_t of, case_change changes[3]) {
  const size_t dampings = at_least_one(s->dampings.count);
  memset(changes, 0, 3 * sizeof *changes);
  if (s->contacts.count)
    *changes++ = (case_change){"contacts", (double)s->contacts.contacts[of / dampings]};
  if (s->dampings.count) *changes = (case_change){"damping", s->dampings.value[of % dampings]};
}

const char *knobs_name(const knobs_asked *s, size_t of, char name[KNOBS_NAME_SIZE]) {
  case_change changes[3];
  size_t used = 0;
  *name = '\0';
  changes_of(s, of, changes);
  for (const case_change *c = changes; c->name; c++)
    used += (size_t)snprintf(name + used, KNOBS_NAME_SIZE - used, "%s=%.17g ", c->name, c->value);
  return name;
}

static int plan_start(study_run *run, size_t of, size_t trial) {
  const knobs *const k = run->study->preset;
  knob_cell c = {.of = of, .trial = trial};
  knob_point p;
  char name[KNOBS_NAME_SIZE];
  knobs_name(run->settings, of, name);
  if (k->starts == KNOBS_SEEDED) return study_cell(run, &c, "%sseed=%lu", name, run->seed + trial);
  if (!k->together) return study_cell(run, &c, "%strial=%zu", name, trial);
  for (; k->point(run, of, c.first, &p); c.first += k->together)
    if (study_cell(run, &c, "%strial=%zu order=%d epsilon=%.17g", name, trial, p.with.order,
                   p.with.epsilon))
      return -1;
  return 0;
}

int knobs_plan(study_run *run, size_t stage) {
  const knobs_asked *const s = run->settings;
  const size_t trials = at_least_one(s->trials);
  int status = 0;
  for (size_t i = 0; !status && stage + 1 == at_least_one(run->study->stages); i++) {
    if (i == knobs_cases(s) * trials) break;
    status = plan_start(run, i / trials, i % trials);
  }
  return status;
}

/* a run that fails is a row all the same, unless it ends the study */
static int run_point(study_run *run, const knob_cell *c, const contest_starts *start, size_t trial,
                     const knob_point *p, knob_lap *lap) {
  char why[SOLVER_MESSAGE_SIZE], name[KNOBS_NAME_SIZE];
  const int status = outcome_run(p->solver, &p->with, start, trial, p->effort, &lap->of, why);
  knobs_name(run->settings, c->of, name);
  if (status < 0 || (status && p->failure == KNOB_ERROR))
    return measure_fail(run->message, "%sepsilon=%g: %s", name, p->with.epsilon, why);
  if (status && p->failure == KNOB_WARNING)
    fprintf(stderr, "warning: %sinitial condition %zu, tolerance %g: %s\n", name, c->trial,
            p->with.rtol, why);
  return 0;
}

static int run_points(study_run *run, const knob_cell *c, contest_starts *starts, size_t trial) {
  const knobs *const k = run->study->preset;
  knob_point p;
  int status = k->run ? 0 : contest_reference(starts, trial, run->message);
  for (size_t i = c->first; !status && k->point(run, c->of, i, &p); i++) {
    if (k->together && i == c->first + k->together) break;
    knob_lap lap;
    column_clear(run->study->tables[STUDY_SAMPLES].columns, &lap);
    lap.what = p.what;
    lap.solver = p.solver->name;
    lap.contacts = model_contacts(starts->m);
    lap.trial = c->trial;
    lap.order = (size_t)p.with.order;
    lap.damping = model_get(starts->m, "damping");
    lap.epsilon = p.with.epsilon;
    lap.tolerance = p.with.rtol;
    lap.events_reference = k->run ? (double)NAN : (double)starts->events[trial];
    status = k->run ? k->run(run, starts, &p, &lap) : run_point(run, c, starts, trial, &p, &lap);
    if (!status) status = study_add(run, STUDY_SAMPLES, &lap);
  }
  return status;
}

contest_starts *knobs_drawn(study_run *run, size_t of) {
  const knobs_asked *const s = run->settings;
  case_change changes[3];
  changes_of(s, of, changes);
  return case_starts(run, changes, s->trials);
}

int knobs_measure(study_run *run, const void *planned) {
  const knobs *const k = run->study->preset;
  const knob_cell *const c = planned;
  contest_starts *const drawn = k->starts == KNOBS_DRAWN ? knobs_drawn(run, c->of) : NULL, one;
  if (k->starts == KNOBS_DRAWN) return drawn ? run_points(run, c, drawn, c->trial) : -1;
  case_change changes[3];
  changes_of(run->settings, c->of, changes);
  const model *const m = case_model(run, changes);
  const bool is_seeded = k->starts == KNOBS_SEEDED;
  if (!m || contest_starts_alloc(&one, m, 1, is_seeded, run->seed + c->trial, run->message))
    return -1;
  const int status = run_points(run, c, &one, 0);
  contest_starts_free(&one);
  return status;
}
