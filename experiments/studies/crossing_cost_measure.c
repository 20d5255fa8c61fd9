/*
 * One number of contacts: every method's setting is chosen, and those that reach the target race.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "crossing_cost.h"
#include "progress.h"
#include "solvers.h"
#include "statistics.h"

/* ---- the choice of settings -------------------------------------------------------------------
 */

/* what an attempt needs to know */
typedef struct attempting {
  const crossing *all;
  precision_case *c;
} attempting;

/* one run, timed, and its error; the message says why it failed */
static int try_start(contestant *c, size_t trial, double *seconds,
                     char message[SOLVER_MESSAGE_SIZE]) {
  const measure_candidate timed = contestant_candidate(c);
  const uint64_t start = measure_clock_ns();
  int status = timed.run(timed.context, trial);
  *seconds = 1e-9 * (double)(measure_clock_ns() - start);
  if (!status) status = timed.after(timed.context, trial);
  if (status) snprintf(message, SOLVER_MESSAGE_SIZE, "%s", c->report.message);
  return status ? SOLVER_FAILED : 0;
}

/* runs a prepared value from as many starts as it is going to be raced from */
static int try_starts(const attempting *a, const precision_method *method, contestant *c,
                      double seconds[], double events[], crossing_attempt *out,
                      char message[SOLVER_MESSAGE_SIZE]) {
  size_t trials = 1;
  for (size_t j = 0; j < trials; j++) {
    if (try_start(c, j, &seconds[j], message)) return SOLVER_FAILED;
    events[j] = (double)c->report.events;
    if (j == 0)
      trials = precision_trials(
          a->c, method, (double)c->report.field_evaluations + (double)c->report.guard_evaluations);
  }
  // judged as in the race; that every run ended is all that is asked of the steps
  const precision_point tried = {
      .trials = trials,
      .sample = {
          [PRECISION_RMS] = c->rms, [PRECISION_EVENTS] = events, [PRECISION_STEPS] = seconds}};
  out->status = precision_judge(a->c, &tried);
  out->trials = trials;
  // an error that is not finite is that of a value that cannot be used
  if (measure_median(c->rms, trials, &out->rms) || measure_median(seconds, trials, &out->seconds))
    out->rms = out->seconds = INFINITY;
  return 0;
}

static int attempt(void *context, const precision_method *method, double value,
                   crossing_attempt *out, char message[SOLVER_MESSAGE_SIZE]) {
  const attempting *const a = context;
  const solver_settings settings = precision_settings(method, value, a->c->contacts);
  contestant c;
  *out = (crossing_attempt){
      .value = value, .rms = INFINITY, .seconds = INFINITY, .status = PRECISION_FAILED};
  if (*a->all->interrupted) return SOLVER_FAILED;
  double *const seconds = calloc(2 * a->c->trials, sizeof *seconds);
  if (!seconds) return SOLVER_FAILED;
  int status =
      contestant_prepare(&c, solver_find(method->solver), &settings, &a->c->starts, message);
  if (!status) {
    status = try_starts(a, method, &c, seconds, seconds + a->c->trials, out, message);
    contestant_release(&c);
  }
  free(seconds);
  return status;
}

static int choose_all(crossing *all, precision_case *c) {
  attempting a = {all, c};
  measure_progress progress;
  char label[48];
  snprintf(label, sizeof label, "%zu contacts, settings", c->contacts);
  measure_progress_begin(&progress, NULL, label, all->methods);
  int status = 0;
  for (size_t i = 0, k = 0; !status && i < precision_method_count; i++) {
    if (!all->chosen[i]) continue;
    crossing_choice *const choice = &all->choice[k++];
    choice->method = &precision_methods[i];
    measure_progress_update(&progress, k);
    if (crossing_journal_recall(all, c->contacts, choice)) continue;
    crossing_choose(&precision_methods[i], all->given->target, attempt, &a, choice);
    status = *all->interrupted ? 1 : crossing_journal_choice(all, c->contacts, choice);
  }
  measure_progress_end(&progress);
  return status;
}

/* ---- the race ---------------------------------------------------------------------------------
 */

/* keeps the points that were chosen, each raced from the starts it was chosen by */
static int keep_chosen(const crossing *all, precision_case *c) {
  bool *const keep = calloc(c->count, sizeof *keep);
  if (!keep) return -1;
  for (size_t i = 0; i < c->count; i++) {
    precision_point *const p = &c->point[i];
    for (size_t k = 0; k < all->methods; k++) {
      const crossing_choice *const choice = &all->choice[k];
      if (choice->status != PRECISION_OK || choice->method != p->method ||
          choice->value != p->value)
        continue;
      keep[i] = true;
      p->planned = choice->trials;
    }
  }
  precision_case_keep(c, keep);
  free(keep);
  return 0;
}

/* the row of a method that was not raced: where it came closest */
static void fill_unraced(const precision_case *c, const crossing_choice *choice,
                         precision_row *row) {
  precision_row_name(c, choice->method, choice->value, choice->status, choice->message, row);
  row->number[PRECISION_RMS_ERROR] = choice->rms;
  row->number[PRECISION_MEDIAN] = choice->seconds;
}

void crossing_check_target(crossing_row *r, double target) {
  const double rms = r->row.number[PRECISION_RMS_ERROR];
  const char *const ok = precision_status_name(PRECISION_OK);
  if (rms <= target || strcmp(r->row.text[PRECISION_STATUS], ok) != 0) return;
  r->row.text[PRECISION_STATUS] = precision_status_name(PRECISION_UNREACHED);
  snprintf(r->message, sizeof r->message, "the RMS error is %.2g in the race", rms);
}

/* the rows of one number of contacts, by method */
static int fill_rows(crossing *all, const precision_case *c) {
  for (size_t k = 0, i = 0; k < all->methods; k++) {
    crossing_row *const r = &all->row[all->count];
    const crossing_choice *const choice = &all->choice[k];
    if (choice->status != PRECISION_OK)
      fill_unraced(c, choice, &r->row);
    else if (precision_summarize(c, &c->point[i++], &r->row, all->message))
      return -1;
    // texts that outlive the case
    snprintf(r->message, sizeof r->message, "%s", r->row.text[PRECISION_MESSAGE]);
    r->row.text[PRECISION_MESSAGE] = r->message;
    crossing_check_target(r, all->given->target);
    all->count++;
  }
  return 0;
}

static int choose_and_race(crossing *all, precision_case *c) {
  c->interrupted = all->interrupted;
  int status = choose_all(all, c);
  if (!status && keep_chosen(all, c)) {
    measure_message(all->message, "out of memory");
    status = -1;
  }
  if (status) return status;
  crossing_journal_samples(all, c);
  status = precision_measure(c, all->journal, all->message);
  return status ? status : fill_rows(all, c);
}

int crossing_measure(crossing *all, size_t contacts) {
  model m = all->given->m;
  precision_case c = {0};
  m.data = NULL;
  int status = model_set(&m, "contacts", (double)contacts, all->message);
  if (!status) status = model_prepare(&m, all->message);
  if (!status) status = precision_case_init(&c, &m, all->given, all->chosen, all->message);
  c.each = true;
  if (!status) status = choose_and_race(all, &c);
  precision_case_free(&c);
  model_release(&m);
  return status;
}
