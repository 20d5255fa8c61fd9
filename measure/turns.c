/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "turns.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "clock.h"
#include "statistics.h"

enum { RETAKES = 2, PASSES_MAX = 1000 };

/* runs between two looks at whether the thread has kept its core last about so long: a look is a
 * system call, which is not to stand between short runs */
static const double stretch_s = 1e-3;

/* a candidate under way */
typedef struct turner {
  const measure_candidate *candidate;
  measure_turns_record *record;
  size_t passes, rounds; /* of a turn, and turns */
  size_t stretch;        /* trials between two looks */
  double *times;         /* trials * room; owned */
  size_t room;
} turner;

typedef struct session {
  const measure_turns *plan;
  turner *turners;
  size_t count;
} session;

static bool stopped(const measure_turns *plan) {
  return plan->stop && *plan->stop;
}

static void give_up(turner *t, size_t trial) {
  t->record->failed = true;
  t->record->trial = trial;
}

static size_t between(double value, size_t low, size_t high) {
  return value < (double)high ? (value > (double)low ? (size_t)ceil(value) : low) : high;
}

static bool timed_run(const turner *t, size_t trial, double *seconds) {
  const uint64_t start = measure_clock_ns();
  const bool failed = t->candidate->run(t->candidate->context, trial) != 0;
  *seconds = 1e-9 * (double)(measure_clock_ns() - start);
  return !failed;
}

/* times of trials first..end-1 without what others had of them */
static void take_out(turner *t, size_t first, size_t end, double share) {
  for (size_t j = first; j < end; j++) t->times[j * t->room + t->record->repetitions] *= share;
  t->record->disturbed += end - first;
}

/* all trials once, with the hooks, into times; *pass is what they took in all */
static int first_pass(turner *t, const measure_turns *plan, double *pass) {
  const measure_candidate *const c = t->candidate;
  const measure_watch watch = measure_watch_begin();
  *pass = 0.0;
  for (size_t j = 0; j < plan->trials; j++) {
    if (stopped(plan)) return MEASURE_ESTOP;
    if ((c->before && c->before(c->context, j)) || !timed_run(t, j, &t->times[j]) ||
        (c->after && c->after(c->context, j))) {
      give_up(t, j);
      return MEASURE_SUCCESS;
    }
    *pass += t->times[j];
  }
  const double share = measure_watch_share(&watch);
  if (*pass < plan->most_s) return MEASURE_SUCCESS;
  // runs so long need none before them to be warm, and are not made again
  if (share != 1.0) take_out(t, 0, plan->trials, share);
  t->record->repetitions = 1;
  return MEASURE_SUCCESS;
}

/* what the first pass took says how the turns are laid out */
static int warm_up(turner *t, const measure_turns *plan) {
  double pass;
  t->room = 1;
  t->times = calloc(plan->trials, sizeof *t->times);
  const int status = t->times ? first_pass(t, plan, &pass) : MEASURE_ENOMEM;
  if (status || t->record->failed || t->record->repetitions) return status;
  t->passes = between(plan->turn_s / pass, 1, PASSES_MAX);
  t->rounds = between(plan->most_s / (pass * (double)t->passes), 1, plan->rounds);
  t->stretch = between(stretch_s * (double)plan->trials / pass, 1, plan->trials);
  t->room = t->passes * t->rounds;
  free(t->times);
  t->times = calloc(plan->trials * t->room, sizeof *t->times);
  return t->times ? MEASURE_SUCCESS : MEASURE_ENOMEM;
}

/* trials first..end-1 of a candidate */
typedef struct stretch {
  turner *of;
  size_t first, end;
} stretch;

static int run_stretch(void *context) {
  const stretch *const s = context;
  turner *const t = s->of;
  for (size_t j = s->first; j < s->end && !t->record->failed; j++)
    if (!timed_run(t, j, &t->times[j * t->room + t->record->repetitions])) give_up(t, j);
  return t->record->failed;
}

static void take_stretch(stretch s) {
  double share;
  uint64_t retaken;
  measure_undisturbed(run_stretch, &s, RETAKES, &retaken, &share);
  s.of->record->retaken += retaken * (s.end - s.first);
  if (share != 1.0) take_out(s.of, s.first, s.end, share);
}

static void take_turn(turner *t, const measure_turns *plan) {
  const size_t trials = plan->trials;
  for (size_t i = 0; i < t->passes && !t->record->failed; i++) {
    for (size_t j = 0; j < trials && !t->record->failed && !stopped(plan); j += t->stretch)
      take_stretch((stretch){t, j, j + t->stretch < trials ? j + t->stretch : trials});
    t->record->repetitions++;
  }
}

static int run_rounds(session *s) {
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t *const order = calloc(s->count, sizeof *order);
  int status = rng && order ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  if (rng) gsl_rng_set(rng, s->plan->seed);
  for (size_t k = 0; order && k < s->count; k++) order[k] = k;
  for (size_t k = 0; !status && k < s->count; k++) status = warm_up(&s->turners[k], s->plan);
  for (size_t i = 0; !status && i < s->plan->rounds; i++) {
    gsl_ran_shuffle(rng, order, s->count, sizeof *order);
    for (size_t k = 0; k < s->count; k++) {
      turner *const t = &s->turners[order[k]];
      if (i < t->rounds) take_turn(t, s->plan);
    }
    if (stopped(s->plan)) status = MEASURE_ESTOP;
  }
  if (rng) gsl_rng_free(rng);
  free(order);
  return status;
}

/* a trial's repetitions as one number */
static int settle(const session *s, double seconds[]) {
  int status = MEASURE_SUCCESS;
  for (size_t k = 0; !status && k < s->count; k++) {
    const turner *const t = &s->turners[k];
    for (size_t j = 0; !status && !t->record->failed && j < s->plan->trials; j++)
      status = measure_median(t->times + j * t->room, t->room, &seconds[k * s->plan->trials + j]);
  }
  return status;
}

int measure_take_turns(const measure_candidate candidates[], size_t count,
                       const measure_turns *plan, double seconds[],
                       measure_turns_record records[]) {
  const bool good = plan->trials && plan->rounds && plan->turn_s >= 0.0 && plan->most_s >= 0.0;
  if (!candidates || !count || !good) return MEASURE_EINVAL;
  session s = {plan, calloc(count, sizeof *s.turners), count};
  if (!s.turners) return MEASURE_ENOMEM;
  for (size_t i = 0; i < count * plan->trials; i++) seconds[i] = NAN;
  for (size_t k = 0; k < count; k++) {
    records[k] = (measure_turns_record){0};
    s.turners[k] = (turner){.candidate = &candidates[k], .record = &records[k]};
  }
  int status = run_rounds(&s);
  if (!status) status = settle(&s, seconds);
  for (size_t k = 0; k < count; k++) free(s.turners[k].times);
  free(s.turners);
  return status;
}
