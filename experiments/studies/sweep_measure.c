/*
 * Measuring what is missing of a sweep: per number of contacts the proof that both engines have the
 * same system, the entries of the protocols, and their race.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "progress.h"
#include "sweep.h"

enum { GAP_STATES = 2000 };

/* one process's share of a sweep under way */
typedef struct measuring {
  sweep_data *data;
  measure_journal *journal;
  size_t part, parts;
  measure_progress progress;
  uint64_t done; /* trials */
  char *message;
} measuring;

/* one row's race under way */
typedef struct race {
  measuring *all;
  sweep_row *row;
  contest_starts *starts;
  contestant contestants[PROTOCOL_ENTRIES_MAX];
} race;

/* notes and journals a sample; nonzero stops the race */
static int take_sample(const measure_sample *sample, void *context) {
  race *const r = context;
  const contestant *const from = &r->contestants[sample->candidate];
  sweep_cell *const c = &r->row->cell[sample->candidate];
  const size_t j = sample->trial;
  c->seconds[j] = sample->seconds;
  c->repetitions[j] = (double)sample->repetitions;
  c->process[j] = (double)r->all->part;
  c->rms[j] = from->rms[j];
  c->events[j] = from->events[j];
  if (sweep_journal_sample(r->all->journal, r->row, sample->candidate, j, r->all->message))
    return -1;
  if (sweep_trial_done(r->row, j)) measure_progress_update(&r->all->progress, ++r->all->done);
  return *r->all->data->interrupted ? 1 : 0;
}

/* the protocols named, one after the other */
static int enter_protocols(measuring *all, sweep_row *row, const model *m) {
  const arguments *const given = all->data->given;
  protocol_request request = {.m = m,
                              .solvers = given->solvers,
                              .solver_count = given->solver_count,
                              .settings = given->settings,
                              .seed = given->seed,
                              .interrupted = all->data->interrupted};
  if (!isnan(all->data->epsilon)) request.settings.epsilon = all->data->epsilon;
  row->entries.count = 0;
  for (size_t i = 0; i < given->protocol_count; i++)
    if (given->protocols[i]->enter(&request, &row->entries, all->message)) return -1;
  return 0;
}

/* whether MuJoCo is among those who race */
static bool mujoco_races(const sweep_row *row) {
  for (size_t k = 0; k < row->entries.count; k++)
    if (row->entries.entry[k].solver == &bridge_solver) return true;
  return false;
}

/* proves that both engines have the same system; without MuJoCo there is nothing to prove */
static int check_gap(measuring *all, sweep_row *row, const model *m) {
  row->gap = (bridge_gap){.gap = NAN, .rms = NAN, .inverse_weight = NAN, .scaling = NAN};
  if (!mujoco_races(row)) return 0;
  if (bridge_field_gap(m, &all->data->given->settings, GAP_STATES, all->data->given->seed,
                       &row->gap, all->message))
    return -1;
  if (row->gap.gap <= BRIDGE_GAP_MAX) return 0;
  measure_message(
      all->message,
      "%zu contacts: the field gap is %.2g at --scaling %g; up to %.0g is accepted, and "
      "a larger scaling lowers it",
      row->contacts, row->gap.gap, row->gap.scaling, BRIDGE_GAP_MAX);
  return -1;
}

/* settles who races, on the same system; once for all processes */
static int enter_row(measuring *all, sweep_row *row, const model *m) {
  if (row->entered) return 0;
  if (enter_protocols(all, row, m) || check_gap(all, row, m)) return -1;
  if (sweep_row_alloc(row, all->data->trials, all->message)) return -1;
  return sweep_journal_row(all->journal, row, all->message);
}

/* this part's trials that are not done, with their references; returns how many, or -1 */
static long pending_trials(const measuring *all, race *r, size_t pending[]) {
  long count = 0;
  for (size_t j = all->part; j < all->data->trials; j += all->parts) {
    if (sweep_trial_done(r->row, j)) continue;
    if (contest_reference(r->starts, j, all->message)) return -1;
    r->row->events_reference[j] = (double)r->starts->events[j];
    r->row->contact_steps[j] = (double)contest_contact_steps(r->starts, j);
    // a trial that was cut short is measured again as a whole
    for (size_t k = 0; k < r->row->entries.count; k++) r->row->cell[k].seconds[j] = NAN;
    pending[count++] = j;
  }
  return count;
}

/* times all entries of one row over the pending trials */
static int run_race(measuring *all, race *r, const size_t pending[], size_t count) {
  const size_t entries = r->row->entries.count;
  measure_candidate candidates[PROTOCOL_ENTRIES_MAX];
  measure_failure failure;
  for (size_t k = 0; k < entries; k++) candidates[k] = contestant_candidate(&r->contestants[k]);
  const measure_plan plan = {.trials = count,
                             .numbers = pending,
                             .seed = all->data->given->seed + r->row->contacts,
                             .min_time_s = all->data->given->min_time,
                             .warmup_runs = 1,
                             .sampled = take_sample,
                             .context = r};
  double *const seconds = calloc(entries * count, sizeof *seconds);
  all->message[0] = '\0';
  const int status = seconds
                         ? measure_interleave(candidates, entries, &plan, seconds, NULL, &failure)
                         : MEASURE_ENOMEM;
  free(seconds);
  if (status == MEASURE_ECALLBACK)
    measure_message(all->message, "%zu contacts, trial %zu: %s", r->row->contacts, failure.trial,
                    r->contestants[failure.candidate].report.message);
  else if (status && !all->message[0])
    measure_message(all->message, "timing: %s", measure_strerror(status));
  return status ? -1 : 0;
}

/* prepares every entry and races them */
static int race_row(measuring *all, sweep_row *row, contest_starts *starts) {
  race r = {.all = all, .row = row, .starts = starts};
  size_t *const pending = calloc(all->data->trials, sizeof *pending);
  const long count = pending ? pending_trials(all, &r, pending) : -1;
  int status = count < 0 ? -1 : 0;
  for (size_t k = 0; !status && count > 0 && k < row->entries.count; k++) {
    const protocol_entry *const e = &row->entries.entry[k];
    status = contestant_prepare(&r.contestants[k], e->solver, &e->settings, starts, all->message);
  }
  if (!status && count > 0) status = run_race(all, &r, pending, (size_t)count);
  for (size_t k = 0; k < PROTOCOL_ENTRIES_MAX; k++) contestant_release(&r.contestants[k]);
  free(pending);
  return status;
}

/* whether any trial of this part is missing */
static bool part_done(const measuring *all, const sweep_row *row) {
  for (size_t j = all->part; j < all->data->trials; j += all->parts)
    if (!sweep_trial_done(row, j)) return false;
  return true;
}

static int measure_row(measuring *all, sweep_row *row) {
  if (part_done(all, row)) return 0;
  const arguments *const given = all->data->given;
  model m = given->m;
  m.data = NULL;
  contest_starts starts = {0};
  // a model without contacts is one row
  int status = 0;
  if (!isnan(model_get(&m, "contacts")))
    status = model_set(&m, "contacts", (double)row->contacts, all->message);
  if (!status) status = model_prepare(&m, all->message);
  if (!status) status = enter_row(all, row, &m);
  // the same seed at every N draws the same starts
  if (!status)
    status = contest_starts_alloc(&starts, &m, all->data->trials, true, given->seed, all->message);
  if (!status) status = race_row(all, row, &starts);
  if (!status) measure_journal_sync(all->journal);
  contest_starts_free(&starts);
  model_release(&m);
  return status;
}

/* trials already done, for the progress line */
static uint64_t count_done(const sweep_data *data) {
  uint64_t done = 0;
  for (size_t i = 0; i < data->rows; i++)
    for (size_t j = 0; j < data->trials; j++) done += sweep_trial_done(&data->row[i], j);
  return done;
}

/* the rows in an order of this part's own: a slow spell of the machine falls on numbers of contacts
 * that have nothing in common, and bends no curve */
static int shuffle_rows(const measuring *all, size_t order[]) {
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (!rng) return -1;
  gsl_rng_set(rng, all->data->given->seed + all->part);
  for (size_t i = 0; i < all->data->rows; i++) order[i] = i;
  gsl_ran_shuffle(rng, order, all->data->rows, sizeof *order);
  gsl_rng_free(rng);
  return 0;
}

int sweep_measure(sweep_data *data, measure_journal *journal, size_t part, size_t parts,
                  char *message) {
  measuring all = {.data = data,
                   .journal = journal,
                   .part = part,
                   .parts = parts,
                   .done = count_done(data),
                   .message = message};
  measure_progress_begin(&all.progress, NULL, "sweep", data->rows * data->trials);
  size_t *const order = calloc(data->rows, sizeof *order);
  int status = order ? shuffle_rows(&all, order) : -1;
  if (status) measure_message(message, "out of memory");
  for (size_t i = 0; !status && !*data->interrupted && i < data->rows; i++)
    status = measure_row(&all, &data->row[order[i]]);
  measure_progress_end(&all.progress);
  free(order);
  return *data->interrupted ? 1 : status;
}
