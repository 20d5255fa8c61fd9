/*
 * Runs of methods: what they are worth, and the race of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "precision.h"
#include "solvers.h"

enum { GAP_STATES = 2000 };

/* ---- judging --------------------------------------------------------------------------------- */

const char *precision_status_name(precision_status status) {
  static const char *const names[] = {
      [PRECISION_OK] = "ok",
      [PRECISION_CROSSINGS] = "crossings",
      [PRECISION_DIVERGED] = "diverged",
      [PRECISION_FAILED] = "failed",
      [PRECISION_UNREACHED] = "not reached",
      [PRECISION_TOO_LONG] = "too long",
      [PRECISION_REFUSED] = "refused",
  };
  return names[status];
}

precision_start precision_start_of(const contest_starts *starts, size_t trial) {
  const trajectory *const reference = &starts->references[trial];
  const size_t n = reference->dimension, size = n * reference->count;
  const double *const x0 = starts->states + trial * n;
  double sum = 0.0;
  for (size_t i = 0; i < size; i++)
    sum += (reference->states[i] - x0[i % n]) * (reference->states[i] - x0[i % n]);
  return (precision_start){(double)starts->events[trial], sqrt(sum / (double)size)};
}

/* a run that gave up has its time and nothing else */
void precision_count(precision_tally *tally, const outcome *of, precision_start start) {
  const bool up = isnan(of->steps), away = !(of->rms_error < start.held);
  tally->trials++;
  tally->up += up;
  tally->away += away;
  tally->failures += up || away;
  if (up) return;
  tally->events += of->events;
  tally->reference += start.events;
}

double precision_events_ratio(const precision_tally *tally) {
  return tally->events == tally->reference ? 1.0 : tally->events / tally->reference;
}

precision_status precision_judge(const precision_tally *tally) {
  if (tally->up) return PRECISION_FAILED;
  if (tally->away) return PRECISION_DIVERGED;
  const bool close = fabs(precision_events_ratio(tally) - 1.0) <= CONTEST_EVENTS_TOLERANCE;
  return close ? PRECISION_OK : PRECISION_CROSSINGS;
}

bool precision_same(double a, double b) {
  return fabs(a - b) <= PRECISION_COINCIDE * fmin(fabs(a), fabs(b)) || (isnan(a) && isnan(b));
}

/* ---- samples --------------------------------------------------------------------------------- */

const column precision_sample_columns[] = {
    COLUMN(precision_sample, method, COUNT, "", ""),
    COLUMN(precision_sample, trial, COUNT, "", ""),
    COLUMN(precision_sample, trials, COUNT, "", ""),
    COLUMN(precision_sample, status, COUNT, "", ""),
    COLUMN(precision_sample, value, AMOUNT, "", ""),
    COLUMN(precision_sample, retaken, AMOUNT, "", ""),
    COLUMN(precision_sample, message, TEXT, "", ""),
    COLUMN_AS("events_reference", precision_sample, start.events, AMOUNT, "", ""),
    COLUMN_AS("held", precision_sample, start.held, AMOUNT, "", ""),
    COLUMN(precision_sample, gap, GAP, "", ""),
    OUTCOME_COLUMNS("", precision_sample, of),
    {0},
};

precision_sample precision_unknown(size_t method, double value) {
  precision_sample s;
  column_clear(precision_sample_columns, &s);
  s.method = method;
  s.value = value;
  return s;
}

size_t precision_contacts(const model *m) {
  return m->type->contact_count ? m->type->contact_count(m) : 0;
}

/* the first method chosen that is MuJoCo's; none: their count */
static size_t mujoco_among(const option_names *methods) {
  size_t i = 0;
  while (i < precision_method_count &&
         (!precision_chosen(methods, i) ||
          strcmp(precision_methods[i].solver, bridge_solver.name) != 0))
    i++;
  return i;
}

static int prove_same_system(study_run *run, const model *m, const option_names *methods,
                             bridge_gap *gap) {
  const size_t i = mujoco_among(methods);
  if (i == precision_method_count) return 0;
  const precision_method *const method = &precision_methods[i];
  const solver_settings settings =
      precision_settings(method, method->values[0], precision_contacts(m));
  const int status = bridge_field_gap(m, &settings, GAP_STATES, run->seed, gap, run->message);
  if (status) {
    *gap = (bridge_gap){.gap = NAN};
    return status == SOLVER_REFUSED ? 0 : -1;
  }
  if (gap->gap <= BRIDGE_GAP_MAX) return 0;
  return measure_fail(run->message,
                      "the field gap is %.2g at a scaling of %g; up to %.0g is accepted", gap->gap,
                      gap->scaling, BRIDGE_GAP_MAX);
}

int precision_add_starts(study_run *run, contest_starts *starts, const option_names *methods) {
  precision_sample s = precision_unknown(0, NAN);
  if (prove_same_system(run, starts->m, methods, &s.gap)) return -1;
  for (size_t j = 0; j < starts->trials; j++) {
    if (*run->interrupted || contest_reference(starts, j, run->message)) return -1;
    s.trial = j;
    s.start = precision_start_of(starts, j);
    if (study_add(run, STUDY_SAMPLES, &s)) return -1;
  }
  return 0;
}

int precision_plan(study_run *run, const option_names *methods, size_t index, const char *of) {
  const precision_cell starts = {.kind = PRECISION_STARTS, .index = index};
  int status = study_cell(run, &starts, "%sstarts", of);
  for (size_t i = 0; !status && i < precision_method_count; i++) {
    const precision_cell c = {.kind = PRECISION_METHOD, .index = index, .method = i};
    if (precision_chosen(methods, i))
      status = study_cell(run, &c, "%smethod=%s", of, precision_methods[i].name);
  }
  return status;
}

/* ---- the race -------------------------------------------------------------------------------- */

precision_point precision_point_of(study_run *run, const precision_sample *known) {
  return (precision_point){.method = known->method,
                           .value = known->value,
                           .obstacle = (precision_status)known->status,
                           .trials = known->trials,
                           .first = known->of,
                           .message = known->message,
                           .as = "",
                           .laps = {.run = run}};
}

size_t precision_groups(size_t trials, size_t group[PRECISION_GROUPS]) {
  size_t count = 0;
  group[count++] = trials;
  if (trials > PRECISION_FEW) group[count++] = PRECISION_FEW;
  if (trials > 1) group[count++] = 1;
  return count;
}

static bool races(const precision_point *p, size_t trials) {
  return p->obstacle == PRECISION_OK && !p->settled && p->trials == trials;
}

size_t precision_raced(const precision_point point[], size_t count, size_t trials) {
  size_t raced = 0;
  for (size_t i = 0; i < count; i++) raced += races(&point[i], trials);
  return raced;
}

int precision_plan_races(study_run *run, const precision_point point[], size_t count, size_t trials,
                         size_t index, const char *of) {
  size_t group[PRECISION_GROUPS];
  const size_t groups = precision_groups(trials, group);
  for (size_t g = 0; g < groups; g++)
    for (size_t j = 0; precision_raced(point, count, group[g]) && j < group[g]; j++) {
      const precision_cell c = {
          .kind = PRECISION_LAP, .index = index, .trials = group[g], .trial = j};
      if (study_cell(run, &c, "%srace=%zu trial=%zu", of, group[g], j)) return -1;
    }
  return 0;
}

void precision_give_laps(study_run *run, precision_point point[], size_t count, size_t trials,
                         size_t *next) {
  size_t group[PRECISION_GROUPS];
  const size_t groups = precision_groups(trials, group);
  for (size_t g = 0; g < groups; g++) {
    const size_t raced = precision_raced(point, count, group[g]), first = *next;
    for (size_t i = 0; i < count; i++)
      if (races(&point[i], group[g]))
        point[i].laps = (gather){run, STUDY_SAMPLES, (*next)++, raced, group[g]};
    *next = first + raced * group[g];
  }
}

static int add_laps(study_run *run, const precision_point point[], size_t count, size_t trials,
                    size_t trial, const race_lap lap[]) {
  for (size_t i = 0, k = 0; i < count; i++) {
    if (!races(&point[i], trials)) continue;
    precision_sample s = precision_unknown(point[i].method, point[i].value);
    s.trial = trial;
    s.status = lap[k].failed ? PRECISION_FAILED : PRECISION_OK;
    s.message = lap[k].message;
    s.retaken = lap[k].retaken;
    s.of = lap[k++].of;
    if (study_add(run, STUDY_SAMPLES, &s)) return -1;
  }
  return 0;
}

int precision_race(study_run *run, size_t number, const race_plan *plan,
                   const precision_point point[], size_t count, size_t trials, size_t trial) {
  const size_t raced = precision_raced(point, count, trials);
  const size_t contacts = precision_contacts(plan->starts->m);
  race_entry *const entry = calloc(raced, sizeof *entry);
  race_lap *const lap = calloc(raced, sizeof *lap);
  int status = entry && lap ? 0 : study_out_of_memory(run);
  for (size_t i = 0, k = 0; !status && i < count; i++)
    if (races(&point[i], trials)) {
      const precision_method *const method = &precision_methods[point[i].method];
      entry[k++] = (race_entry){.solver = solver_find(method->solver),
                                .settings = precision_settings(method, point[i].value, contacts)};
    }
  race *const r = status ? NULL : race_of(run, number, plan, entry, raced);
  status = r ? race_trial(r, trial, lap) : -1;
  if (!status) status = add_laps(run, point, count, trials, trial, lap);
  free(entry);
  free(lap);
  return status;
}
