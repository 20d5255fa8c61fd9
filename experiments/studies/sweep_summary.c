/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is derived from a sweep's samples: medians with intervals, marginal cost with a band,
 * slopes, ratios, errors, crossings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "series.h"
#include "settings.h"
#include "solvers.h"
#include "sweep.h"

/* neighbouring numbers of contacts that the smoothed derivative looks at */
enum { WINDOW = 15 };

static const double confidence = 0.95;

/* a sample this many interquartile ranges above the upper quartile is flagged, never dropped */
static const double outlier_ranges = 3.0;

/* ---- samples --------------------------------------------------------------------------------- */

/* one number of contacts: its samples, trial by trial of each process, and its rows */
typedef struct group {
  size_t first, entries, row;
} group;

typedef struct summary {
  study_run *run;
  const sweep_sample *sample;
  draws draws;
  size_t groups, rows;
  group *group;   /* owned */
  sweep_row *row; /* owned */
} summary;

/* those that were timed come behind those that say who races */
static void find_groups(summary *y, size_t count) {
  for (size_t i = 0; i < count;) {
    if (isnan(y->sample[i].seconds)) {
      i++;
      continue;
    }
    group *const g = &y->group[y->groups++];
    *g = (group){.first = i, .row = y->rows};
    while (i < count && y->sample[i].contacts == y->sample[g->first].contacts &&
           y->sample[i].trial == y->sample[g->first].trial)
      i++;
    g->entries = i - g->first;
    y->rows += g->entries;
    i = g->first + g->entries * y->draws.trials;
  }
}

/* the sample of a trial */
static const sweep_sample *sample_of(const summary *y, const group *g, size_t entry, size_t trial) {
  const sweep_sample *s = &y->sample[g->first + entry];
  while (s->trial != trial) s += g->entries;
  return s;
}

/* the trials of one who races, in their order whichever process ran them */
static void add_trials(const summary *y, const group *g, size_t entry) {
  const gather samples = {y->run, SWEEP_SAMPLES, g->first + entry, g->entries, y->draws.trials};
  const measure_summary times = gather_summary(samples, "seconds");
  const double most = times.q75 + outlier_ranges * (times.q75 - times.q25);
  for (size_t j = 0; j < y->draws.trials; j++) {
    sweep_sample s = *sample_of(y, g, entry, j);
    s.outlier = s.seconds > most;
    study_add(y->run, SWEEP_TRIALS, &s);
  }
}

static gather trials_of(const summary *y, size_t i, size_t entry) {
  const size_t first = (y->group[i].row + entry) * y->draws.trials;
  return (gather){y->run, SWEEP_TRIALS, first, 1, y->draws.trials};
}

static const sweep_sample *trial_at(gather trials, size_t j) {
  return (const sweep_sample *)study_rows(trials.run, trials.table, NULL) + trials.first + j;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void fill_times(const summary *y, gather trials, sweep_row *r) {
  const measure_summary times = gather_summary(trials, "seconds");
  r->q25_s = times.q25;
  r->q75_s = times.q75;
  r->min_s = times.min;
  r->mad_s = times.mad;
  r->marginal_s = r->marginal_interval_s[0] = r->marginal_interval_s[1] = NAN;
  r->s_per_crossing = times.median / r->events;
  r->s_per_contact_step = times.median / gather_median(trials, "contact_steps");
  for (size_t j = 0; j < trials.count; j++) r->outliers += trial_at(trials, j)->outlier;
  r->retaken = gather_sum(trials, "retaken");
  r->disturbed = gather_sum(trials, "disturbed");
  series_median(trials, "seconds", &y->draws, &r->median_s, r->interval_s);
}

static void fill_errors(gather trials, sweep_row *r) {
  r->rms_error = gather_median(trials, "rms_error");
  r->rms_q90 = gather_quantile(trials, "rms_error", 0.9);
  r->rms_worst = gather_quantile(trials, "rms_error", 1.0);
  for (size_t j = 0; j < trials.count; j++)
    if (trial_at(trials, j)->rms_error == r->rms_worst) r->worst_trial = j;
  r->events = gather_median(trials, "events");
  r->events_reference = gather_median(trials, "events_reference");
  r->events_ratio = gather_sum(trials, "events") / gather_sum(trials, "events_reference");
  r->off = fabs(r->events_ratio - 1.0) <= CONTEST_EVENTS_TOLERANCE ? "" : "(!)";
}

static void fill_row(const summary *y, gather trials, sweep_row *r) {
  const sweep_sample *const s = trial_at(trials, 0);
  const double dt = y->run->m->type->time_step;
  *r = (sweep_row){.contacts = s->contacts,
                   .solver = s->solver,
                   .protocol = s->protocol,
                   .gap = s->gap,
                   .target = s->target,
                   .settings = solver_settings_in_force(solver_find(s->solver), &s->settings, dt)};
  fill_errors(trials, r);
  fill_times(y, trials, r);
}

/* ---- over all numbers of contacts ------------------------------------------------------------ */

/* who races: plain methods are one, of which there is the cheapest at each number of contacts */
static const char *racer(const sweep_row *r) {
  return solver_is_plain(solver_find(r->solver)) ? "plain" : r->solver;
}

/* whether an entry is the same everywhere: protocols that search may leave one out */
static bool is_everywhere(const summary *y, size_t entry) {
  const sweep_row *const first = &y->row[y->group[0].row + entry];
  for (size_t i = 0; i < y->groups; i++) {
    const sweep_row *const r = &y->row[y->group[i].row + entry];
    if (entry >= y->group[i].entries || strcmp(racer(r), racer(first)) != 0 ||
        strcmp(r->protocol, first->protocol) != 0)
      return false;
  }
  return true;
}

/* marginal cost and slope of one entry, with room for its medians and bands */
static void fill_series(const summary *y, size_t entry, sweep_slope *slope, gather trials[],
                        double x[], double (*band)[2]) {
  double *const marginal = x + y->groups;
  for (size_t i = 0; i < y->groups; i++) {
    x[i] = (double)y->row[y->group[i].row].contacts;
    trials[i] = trials_of(y, i, entry);
  }
  const series s = {y->groups, x, trials, "seconds", y->draws};
  if (series_marginal(&s, WINDOW, marginal, band)) return;
  series_slope(&s, &slope->s_per_contact, slope->interval);
  for (size_t i = 0; i < y->groups; i++) {
    sweep_row *const r = &y->row[y->group[i].row + entry];
    r->marginal_s = marginal[i];
    memcpy(r->marginal_interval_s, band[i], sizeof r->marginal_interval_s);
  }
}

/* a slope for each entry of the first number of contacts; unknown with only one, and where an entry
 * is not everywhere */
static void add_slopes(const summary *y) {
  gather *const trials = calloc(y->groups, sizeof *trials);
  double *const x = calloc(y->groups, 2 * sizeof *x);
  double(*const band)[2] = calloc(y->groups, sizeof *band);
  const bool made = trials && x && band;
  if (!made) study_out_of_memory(y->run);
  for (size_t k = 0; made && k < y->group[0].entries; k++) {
    const sweep_row *const r = &y->row[k];
    sweep_slope slope = {racer(r), r->protocol, NAN, {NAN, NAN}, confidence};
    if (y->groups > 1 && is_everywhere(y, k)) fill_series(y, k, &slope, trials, x, band);
    study_add(y->run, SWEEP_SLOPES, &slope);
  }
  free(trials);
  free(x);
  free(band);
}

/* ---- MuJoCo's times over ours ---------------------------------------------------------------- */

static void add_ratio(const summary *y, size_t i, size_t ours, size_t mujoco) {
  const sweep_row *const a = &y->row[y->group[i].row + mujoco], *const b =
                                                                    &y->row[y->group[i].row + ours];
  sweep_ratio r = {.contacts = b->contacts,
                   .solver = b->solver,
                   .protocol = b->protocol,
                   .confidence = confidence,
                   .mujoco_s = a->median_s,
                   .ours_s = b->median_s,
                   .rms_mujoco = a->rms_error,
                   .rms_ours = b->rms_error,
                   .settings = b->settings};
  series_median_ratio(trials_of(y, i, mujoco), trials_of(y, i, ours), "seconds", &y->draws,
                      &r.ratio, r.interval);
  study_add(y->run, SWEEP_RATIOS, &r);
}

static bool is_of(const sweep_row *r, const char *solver, sweep_protocol protocol) {
  return strcmp(r->solver, solver) == 0 && strcmp(r->protocol, sweep_protocols[protocol]) == 0;
}

/* of the method that looks for no crossing, where one was good enough: it races behind libess */
static void add_plain(const summary *y, size_t i) {
  const group *const g = &y->group[i];
  for (size_t k = 0; k + 1 < g->entries; k++) {
    const sweep_row *const ours = &y->row[g->row + k], *const plain = ours + 1;
    if (!is_of(ours, libess_solver.name, SWEEP_EQUAL_ERROR) ||
        !is_of(plain, plain->solver, SWEEP_EQUAL_ERROR))
      continue;
    sweep_plain p = {
        .contacts = plain->contacts, .solver = plain->solver, .confidence = confidence};
    series_median_ratio(trials_of(y, i, k + 1), trials_of(y, i, k), "seconds", &y->draws,
                        &p.plain_over_libess, p.interval);
    study_add(y->run, SWEEP_PLAIN, &p);
  }
}

/* wherever both ran the same protocol */
static void add_ratios(const summary *y, size_t i) {
  const group *const g = &y->group[i];
  for (size_t a = 0; a < g->entries; a++)
    for (size_t b = 0; b < g->entries; b++) {
      const sweep_row *const ours = &y->row[g->row + a], *const other = &y->row[g->row + b];
      if (solver_is_libess(solver_find(ours->solver)) && strcmp(other->solver, "mujoco") == 0 &&
          strcmp(ours->protocol, other->protocol) == 0)
        add_ratio(y, i, a, b);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void add_top(const summary *y) {
  const sweep_sample *const any = &y->sample[y->group[0].first];
  const sweep_top top = {.epsilon = any->epsilon,
                         .source = any->source,
                         .settings =
                             settings_in_common(&y->row->settings, sizeof *y->row, y->rows)};
  study_add(y->run, SWEEP_TOP, &top);
}

static void add_benchmark(const summary *y, const sweep_row *r) {
  const sweep_benchmark b = {.name =
                                 study_text(y->run, "%s/%s/%s/contacts:%zu", y->run->m->type->name,
                                            r->protocol, r->solver, r->contacts),
                             .run_type = "aggregate",
                             .aggregate_name = "median",
                             .aggregate_unit = "time",
                             .time_unit = "ms",
                             .threads = 1,
                             .iterations = y->draws.trials,
                             .real_time = 1e3 * r->median_s,
                             .interval = {1e3 * r->interval_s[0], 1e3 * r->interval_s[1]},
                             .rms_error = r->rms_error,
                             .events_ratio = r->events_ratio};
  study_add(y->run, SWEEP_BENCHMARKS, &b);
}

static void add_group(const summary *y, size_t i) {
  const group *const g = &y->group[i];
  if (!isnan(y->row[g->row].gap.gap)) study_add(y->run, SWEEP_GAPS, &y->row[g->row]);
  add_ratios(y, i);
  add_plain(y, i);
  for (size_t k = 0; k < g->entries; k++) {
    study_add(y->run, SWEEP_ROWS, &y->row[g->row + k]);
    add_benchmark(y, &y->row[g->row + k]);
  }
}

static void summarize(summary *y) {
  for (size_t i = 0; i < y->groups; i++)
    for (size_t k = 0; k < y->group[i].entries; k++) add_trials(y, &y->group[i], k);
  for (size_t i = 0; i < y->groups; i++)
    for (size_t k = 0; k < y->group[i].entries; k++)
      fill_row(y, trials_of(y, i, k), &y->row[y->group[i].row + k]);
  add_slopes(y);
  add_top(y);
  for (size_t i = 0; i < y->groups; i++) add_group(y, i);
}

int sweep_derive(study_run *run) {
  size_t count;
  summary y = {.run = run, .sample = study_rows(run, SWEEP_SAMPLES, &count)};
  y.draws = sweep_draws(run);
  y.group = calloc(count, sizeof *y.group);
  y.row = calloc(count, sizeof *y.row);
  int status = y.group && y.row ? 0 : study_out_of_memory(run);
  if (!status) find_groups(&y, count);
  if (!status) summarize(&y);
  free(y.group);
  free(y.row);
  return status;
}
