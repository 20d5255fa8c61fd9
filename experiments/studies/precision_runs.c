/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of methods: what they are worth, and the race of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "precision.h"
#include "same_system.h"
#include "solvers.h"

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
    COLUMNS(precision_sample, COUNT, method, trial, trials, status),
    COLUMNS(precision_sample, AMOUNT, value, retaken),
    COLUMNS(precision_sample, TEXT, message),
    COLUMN_AS("events_reference", precision_sample, start.events, AMOUNT, "", ""),
    COLUMN_AS("held", precision_sample, start.held, AMOUNT, "", ""),
    COLUMNS(precision_sample, GAP, gap),
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
  const solver_settings settings = precision_settings(method, method->values[0], model_contacts(m));
  const int status = same_system(m, &settings, run->seed, gap, run->message);
  if (status != SOLVER_REFUSED) return status;
  *gap = (bridge_gap){.gap = NAN};
  return 0;
}

int precision_add_starts(study_run *run, contest_starts *starts, const option_names *methods) {
  precision_sample s = precision_unknown(0, NAN);
  if (prove_same_system(run, starts->m, methods, &s.gap)) return -1;
  for (size_t j = 0; j < starts->trials; j++) {
    if (*run->interrupted || contest_reference(starts, j, run->message)) return -1;
    s.trial = j;
    s.start = precision_start_of(starts, j);
    study_add(run, STUDY_SAMPLES, &s);
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

study_place precision_place(const void *cell) {
  const precision_cell *const c = cell;
  return (study_place){c->index, c->kind == PRECISION_RACE ? c->process : c->index};
}

/* ---- the race -------------------------------------------------------------------------------- */

/* all turns of a point in one process, s: there are many points, and several processes */
static const double most_s = 0.5;

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

void precision_settle(precision_point *p, size_t sample) {
  p->trials = 1;
  p->settled = true;
  p->draws = (draws){.trials = 1, .processes = 1};
  p->laps = (gather){p->laps.run, STUDY_SAMPLES, sample, 1, 1};
}

/* the numbers of starts from which points may race where there are so many, the largest first */
enum { GROUPS = 3 };
static size_t groups_of(size_t trials, size_t group[GROUPS]) {
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
  size_t group[GROUPS];
  const size_t groups = groups_of(trials, group);
  for (size_t g = 0; g < groups; g++)
    for (size_t j = 0; precision_raced(point, count, group[g]) && j < run->processes; j++) {
      const precision_cell c = {
          .kind = PRECISION_RACE, .index = index, .trials = group[g], .process = j};
      if (study_cell(run, &c, "%srace=%zu process=%zu of %zu", of, group[g], j, run->processes))
        return -1;
    }
  return 0;
}

/* those of one point, the place-th of so many that are raced */
static int collect(study_run *run, precision_point *p, size_t first, size_t raced, size_t place) {
  size_t count;
  p->draws = race_draws(run, p->trials, true);
  p->laps = (gather){run, PRECISION_LAPS, 0, 1, p->draws.trials};
  study_rows(run, PRECISION_LAPS, &p->laps.first);
  for (size_t j = 0; j < p->draws.trials; j++) {
    const precision_sample *const all = study_rows(run, STUDY_SAMPLES, &count);
    const size_t start = race_process(&p->draws, j) * p->trials + race_place(&p->draws, j);
    const size_t at = first + start * raced + place;
    if (at >= count) return measure_fail(run->message, "laps are missing");
    study_add(run, PRECISION_LAPS, &all[at]);
  }
  return 0;
}

int precision_give_laps(study_run *run, precision_point point[], size_t count, size_t trials,
                        size_t *next) {
  size_t group[GROUPS];
  const size_t groups = groups_of(trials, group);
  for (size_t g = 0; g < groups; g++) {
    const size_t raced = precision_raced(point, count, group[g]);
    for (size_t i = 0, place = 0; i < count; i++)
      if (races(&point[i], group[g]) && collect(run, &point[i], *next, raced, place++)) return -1;
    *next += raced * group[g] * run->processes;
  }
  return 0;
}

/* one under way */
typedef struct heat {
  study_run *run;
  const precision_point **point; /* by entry; owned */
} heat;

static int tell(void *context, const race_lap *lap) {
  const heat *const h = context;
  const precision_point *const p = h->point[lap->entry];
  precision_sample s = precision_unknown(p->method, p->value);
  s.trial = lap->trial;
  s.status = *lap->message ? PRECISION_FAILED : PRECISION_OK;
  s.message = lap->message;
  s.retaken = lap->retaken;
  s.of = lap->of;
  return study_add(h->run, STUDY_SAMPLES, &s);
}

int precision_race(study_run *run, contest_starts *starts, const precision_cell *cell,
                   double min_time, const precision_point point[], size_t count) {
  const size_t contacts = model_contacts(starts->m);
  const race_plan plan = {.starts = starts,
                          .trials = cell->trials,
                          .process = cell->process,
                          .processes = run->processes,
                          .crossed = true,
                          .seed = run->seed + contacts,
                          .min_time = min_time,
                          .most_s = most_s};
  race_entry *const entry = calloc(count, sizeof *entry);
  heat h = {run, calloc(count, sizeof *h.point)};
  int status = entry && h.point ? 0 : study_out_of_memory(run);
  size_t raced = 0;
  for (size_t i = 0; !status && i < count; i++)
    if (races(&point[i], cell->trials)) {
      const precision_method *const method = &precision_methods[point[i].method];
      h.point[raced] = &point[i];
      entry[raced++] =
          (race_entry){.solver = solver_find(method->solver),
                       .settings = precision_settings(method, point[i].value, contacts)};
    }
  if (!status) status = race_run(run, &plan, entry, raced, tell, &h);
  free(entry);
  free(h.point);
  return status;
}
