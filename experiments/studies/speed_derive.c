/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is derived from the samples of essbench speed: medians with intervals, ratios paired by
 * start and process, the bound that evaluations set, and the cost of one more contact. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "earlier.h"
#include "race.h"
#include "series.h"
#include "solvers.h"
#include "speed.h"

/* errors this much larger than what was asked are marked */
static const double slack = 0.01;

/* ---- runs ------------------------------------------------------------------------------------ */

/* a system under way */
typedef struct deriving {
  study_run *run;
  size_t system, count;
  speed_system of;
  speed_sample entry[SPEED_ENTRIES_MAX];
  size_t first[SPEED_ENTRIES_MAX]; /* run of each */
  double cost[SPEED_FORMS][SPEED_CALLS];
  draws draws;
} deriving;

/* what a process measured of a system */
static const speed_sample *told_by(const deriving *d, size_t process, size_t *count) {
  const speed_settings *const s = d->run->settings;
  return study_samples(d->run, speed_systems(s) + d->system * d->run->processes + process, count);
}

/* the j-th run of an entry, or the one of the first process from the same start */
static const speed_sample *run_of(const deriving *d, size_t entry, size_t j, bool first) {
  return told_by(d, first ? 0 : race_process(&d->draws, j), NULL) +
         race_place(&d->draws, j) * d->count + entry;
}

static double over(double a, double b) {
  return b > 0.0 ? a / b : NAN;
}

/* what was counted at a start, and what follows from it */
static void fill_work(const double n[SPEED_COUNTS], const double cost[SPEED_CALLS], double mujoco_s,
                      speed_one_run *r) {
  const double calls = n[SPEED_GUARDS] + n[SPEED_RATES] + n[SPEED_SOME];
  r->steps = n[SPEED_STEPS];
  r->rejected = n[SPEED_REJECTED];
  r->entries = n[SPEED_ENTRIES];
  r->through = n[SPEED_THROUGH];
  r->field_evaluations = n[SPEED_FIELDS];
  r->guard_evaluations = calls;
  r->entries_per_crossing = over(n[SPEED_ENTRIES], n[SPEED_CROSSINGS]);
  r->evaluations_per_crossing = over(n[SPEED_FIELDS] + calls, n[SPEED_CROSSINGS]);
  r->bound_s = speed_bound(n, cost);
  r->over_bound = r->seconds / r->bound_s;
  r->mujoco_over_bound = mujoco_s / r->bound_s;
}

/* start by start, of each all processes */
static void add_runs(deriving *d, size_t index) {
  const speed_sample *const e = &d->entry[index];
  const size_t rival = speed_entry_of(d->entry, d->count, e->protocol, SPEED_MUJOCO, NULL);
  study_rows(d->run, SPEED_RUNS, &d->first[index]);
  for (size_t j = 0; j < d->draws.trials; j++) {
    const speed_sample *const s = run_of(d, index, j, false);
    speed_one_run r = {.model = d->of.model,
                       .field = e->field,
                       .solver = e->solver,
                       .protocol = e->protocol,
                       .contacts = d->of.contacts,
                       .trial = s->trial,
                       .process = s->process,
                       .damping = d->of.damping,
                       .stiffness = d->of.stiffness,
                       .seconds = s->seconds,
                       .rms_error = s->rms_error,
                       .events = s->process ? NAN : s->events,
                       .events_reference = s->reference_events,
                       .retaken = s->retaken,
                       .disturbed = s->disturbed};
    fill_work(run_of(d, index, j, true)->counts, d->cost[speed_form_of(e)],
              rival == SIZE_MAX ? NAN : run_of(d, rival, j, false)->seconds, &r);
    study_add(d->run, SPEED_RUNS, &r);
  }
}

static gather runs_of(const deriving *d, size_t index) {
  return (gather){d->run, SPEED_RUNS, d->first[index], 1, d->draws.trials};
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void fill_errors(gather runs, double rms[3]) {
  static const double quantiles[3] = {0.5, 0.9, 1.0};
  for (int i = 0; i < 3; i++) rms[i] = gather_quantile(runs, "rms_error", quantiles[i]);
}

/* the errors that settings were chosen by, on the starts that are timed */
static void fill_accepted(const deriving *d, const speed_sample *e, double accepted[3]) {
  const bool rk4 = strcmp(e->protocol, "equal-error-RK4") == 0;
  const size_t yardstick = speed_entry_of(
      d->entry, d->count, rk4 ? speed_yardstick_rk4 : speed_yardstick, SPEED_MUJOCO, NULL);
  accepted[0] = e->target;
  accepted[1] = accepted[2] = NAN;
  if (isnan(e->target)) fill_errors(runs_of(d, yardstick), accepted);
  if (strcmp(e->protocol, "equal-median") == 0) accepted[1] = accepted[2] = NAN;
}

static bool is_worse(const speed_row *r) {
  for (int i = 0; i < 3; i++)
    if (r->rms[i] > (1.0 + slack) * r->accepted[i]) return true;
  return fabs(r->events_ratio - 1.0) > CONTEST_EVENTS_TOLERANCE;
}

/* beside MuJoCo's entry of its protocol, where there is one */
static void fill_rival(const deriving *d, size_t index, size_t rival, speed_row *r) {
  const gather runs = runs_of(d, index), rivals = runs_of(d, rival);
  r->mujoco_variant = d->entry[rival].variant;
  r->mujoco_time_step = d->entry[rival].time_step;
  r->mujoco_s = gather_median(rivals, "seconds");
  fill_errors(rivals, r->mujoco_rms);
  series_median_ratio(rivals, runs, "seconds", &d->draws, &r->ratio, r->ratio_ends);
}

/* beside the cheapest of those that look for no crossing, where there is one with the same field */
static void fill_plain(const deriving *d, size_t index, speed_row *r) {
  const speed_sample *const e = &d->entry[index];
  const size_t plain = speed_entry_of(d->entry, d->count, e->protocol, SPEED_PLAIN, e->field);
  if (plain == SIZE_MAX) return;
  const gather runs = runs_of(d, index), rivals = runs_of(d, plain);
  const speed_sample *const p = &d->entry[plain];
  r->plain_solver = p->solver;
  r->plain_setting = isnan(p->rtol) ? p->time_step : p->rtol;
  r->plain_s = gather_median(rivals, "seconds");
  fill_errors(rivals, r->plain_rms);
  series_median_ratio(rivals, runs, "seconds", &d->draws, &r->plain_ratio, r->plain_ends);
}

static void add_row(const deriving *d, size_t index) {
  const speed_sample *const e = &d->entry[index];
  const gather runs = runs_of(d, index);
  const size_t rival = speed_entry_of(d->entry, d->count, e->protocol, SPEED_MUJOCO, NULL);
  const solver_settings settings = speed_settings_of(e);
  speed_row r;
  column_clear(speed_row_columns, &r);
  r.model = d->of.model;
  r.law = d->of.forms > 1 ? "roller" : ""; // the one MuJoCo can do, and the default
  r.field = e->field;
  r.solver = e->solver;
  r.variant = e->variant;
  r.protocol = e->protocol;
  r.contacts = d->of.contacts;
  r.damping = d->of.damping;
  r.stiffness = d->of.stiffness;
  r.processes = d->run->processes;
  r.trials = d->draws.trials / r.processes;
  r.field_gap = e->field_gap;
  r.scaling_s = e->scaling;
  r.settings = solver_settings_in_force(solver_find(e->solver), &settings,
                                        model_find(d->of.model)->time_step);
  series_median(runs, "seconds", &d->draws, &r.median_s, r.median);
  if (rival != SIZE_MAX) fill_rival(d, index, rival, &r);
  fill_errors(runs, r.rms);
  fill_accepted(d, e, r.accepted);
  r.events = gather_median(runs, "events");
  r.events_ratio = gather_sum(runs, "events") / gather_sum(runs, "events_reference");
  r.s_per_crossing = r.median_s / r.events;
  r.retaken = gather_sum(runs, "retaken");
  r.disturbed = gather_sum(runs, "disturbed");
  if (speed_is(e, SPEED_OURS)) {
    fill_plain(d, index, &r);
    // what was measured earlier has the models' own springs
    const measure_interval before = earlier_ratio(d->of.stiff ? NULL : d->run->own, r.model,
                                                  r.contacts, r.damping, r.field, r.protocol);
    gather_into(runs, gather_median, SPEED_ROWS, "steps", "mujoco_over_bound", &r);
    r.before = before.estimate;
    r.before_ends[0] = before.low;
    r.before_ends[1] = before.high;
  }
  r.worse = is_worse(&r);
  study_add(d->run, SPEED_ROWS, &r);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

/* one of a form's, if the model has it: its cost goes into those of the system */
static void add_callback(deriving *d, size_t form, size_t call) {
  const char *const field = d->of.forms > 1 ? speed_form_names[form] : "";
  const size_t processes = d->run->processes;
  const draws nested = {SPEED_CALL_SAMPLES * processes, processes, d->run->seed, false, NULL};
  gather calls = {d->run, SPEED_VALUES, 0, 1, nested.trials};
  study_rows(d->run, SPEED_VALUES, &calls.first);
  for (size_t i = 0; i < nested.trials; i++) {
    size_t count;
    const speed_sample *s = told_by(d, i % processes, &count);
    while (strcmp(s->what, "call") != 0) s++;
    s += (form * SPEED_CALLS + call) * SPEED_CALL_SAMPLES + i / processes;
    study_add(d->run, SPEED_VALUES, &s->seconds);
  }
  speed_callback c = {.model = d->of.model,
                      .field = field,
                      .callback = speed_call_names[call],
                      .contacts = d->of.contacts,
                      .damping = d->of.damping};
  d->cost[form][call] = NAN;
  if (!gather_known(calls, "seconds")) return;
  series_median(calls, "seconds", &nested, &c.s_per_call, c.interval);
  d->cost[form][call] = c.s_per_call;
  // springs that are stiffer cost no more
  if (!d->of.stiff) study_add(d->run, SPEED_CALLBACKS, &c);
}

/* ---- one more contact ------------------------------------------------------------------------ */

/* over the systems of the series, where all of them have it */
static void add_marginal(study_run *run, const deriving systems[], size_t count,
                         const char *field) {
  gather ours[count], mujoco[count];
  double x[count];
  speed_marginal m = {.field = field, .share_before = earlier_share(run->own, field)};
  for (size_t i = 0; i < count; i++) {
    const deriving *const d = &systems[i];
    const size_t at = speed_entry_of(d->entry, d->count, speed_fixed, SPEED_OURS, field);
    const size_t rival = speed_entry_of(d->entry, d->count, speed_fixed, SPEED_MUJOCO, NULL);
    if (at == SIZE_MAX || rival == SIZE_MAX) return;
    x[i] = (double)d->of.contacts;
    ours[i] = runs_of(d, at);
    mujoco[i] = runs_of(d, rival);
    m.rtol = d->entry[at].rtol;
    m.mujoco_variant = d->entry[rival].variant;
    m.mujoco_time_step = d->entry[rival].time_step;
  }
  const series own = {count, x, ours, "seconds", systems->draws};
  const series theirs = {count, x, mujoco, "seconds", systems->draws};
  series_slope(&own, &m.s_per_contact, m.interval);
  series_slope(&theirs, &m.mujoco_s_per_contact, m.mujoco_interval);
  series_slope_ratio(&own, &theirs, &m.share, m.share_interval);
  study_add(run, SPEED_MARGINALS, &m);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void derive_system(deriving *d, study_run *run, size_t system) {
  const speed_settings *const s = run->settings;
  *d = (deriving){.run = run, .system = system, .of = speed_system_at(s, system)};
  d->count = speed_entries(run, system, d->entry);
  d->draws = race_draws(run, s->trials, true);
  for (size_t i = 0; i < d->of.forms * SPEED_CALLS; i++)
    add_callback(d, i / SPEED_CALLS, i % SPEED_CALLS);
  for (size_t i = 0; i < d->count; i++) add_runs(d, i);
  for (size_t i = 0; i < d->count; i++) add_row(d, i);
}

int speed_derive(study_run *run) {
  const speed_settings *const s = run->settings;
  const size_t count = speed_systems(s), in_series = s->contacts.count;
  deriving *const systems = calloc(count, sizeof *systems);
  if (!systems) return study_out_of_memory(run);
  for (size_t i = 0; i < count; i++) derive_system(&systems[i], run, i);
  for (size_t k = 0; in_series > 1 && k < SPEED_FORMS; k++)
    add_marginal(run, systems + 1, in_series, speed_form_names[k]);
  free(systems);
  speed_derive_samples(run);
  return 0;
}
