/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cheapest value of a knob that reaches an error, and methods that are the same wherever theirs
 * is raced. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crossing_cost.h"
#include "solvers.h"
#include "statistics.h"

/* a smaller epsilon may cost less, as fewer guards are inside their neighbourhoods at once: the
 * search goes on until a value costs so many times the cheapest */
static const double hopeless = 1.5;

/* whether finer values may be cheaper than the best so far */
static bool may_improve(const precision_method *method, const crossing_attempt *best,
                        const crossing_attempt *last) {
  if (isinf(best->seconds)) return true;
  const bool humped = method->knob == PRECISION_EPSILON;
  return humped && last->seconds <= hopeless * best->seconds;
}

static void take(crossing_choice *choice, const crossing_attempt *a) {
  choice->value = a->value;
  choice->rms = a->rms;
  choice->seconds = a->seconds;
  choice->trials = a->trials;
}

/* the choice when no value reaches the target as it must: the most accurate, and why */
static void give_up(crossing_choice *choice, const crossing_attempt *closest, double target,
                    bool too_long) {
  const bool none = isinf(closest->rms), near = closest->rms <= target;
  choice->status = too_long ? PRECISION_TOO_LONG
                   : none   ? PRECISION_FAILED
                   : near   ? closest->status
                            : PRECISION_UNREACHED;
  if (none) return;
  take(choice, closest);
  if (near)
    snprintf(choice->message, sizeof choice->message, "the RMS error is %.2g, but %s", closest->rms,
             closest->status == PRECISION_CROSSINGS
                 ? "crossings are more than 1 % off the reference's"
                 : "a start diverged");
  else
    snprintf(choice->message, sizeof choice->message, "the RMS error is %.2g at best",
             closest->rms);
}

void crossing_choose(const precision_method *method, double target, crossing_try *attempt,
                     void *context, crossing_choice *choice) {
  crossing_attempt best = {.seconds = INFINITY}, closest = {.rms = INFINITY},
                   last = {.value = NAN, .rms = NAN, .seconds = NAN};
  bool too_long = false;
  *choice = (crossing_choice){.value = NAN, .rms = NAN, .seconds = NAN};
  for (const double *value = method->values; *value > 0.0; value++) {
    const double expected = precision_expected_time(method, last.value, last.seconds, *value);
    too_long = isfinite(last.seconds) && expected > PRECISION_RUN_MAX;
    if (too_long || !may_improve(method, &best, &last)) break;
    if (attempt(context, method, *value, &last, choice->message) == SOLVER_REFUSED) {
      choice->status = PRECISION_REFUSED;
      return;
    }
    if (last.rms < closest.rms) closest = last;
    if (last.status == PRECISION_OK && last.rms <= target && last.seconds < best.seconds)
      best = last;
  }
  if (isinf(best.seconds)) {
    give_up(choice, &closest, target, too_long);
    return;
  }
  choice->status = PRECISION_OK;
  choice->message[0] = '\0';
  take(choice, &best);
}

/* ---- attempts -------------------------------------------------------------------------------- */

/* what an attempt needs to know */
typedef struct attempting {
  const study_run *run;
  const contest_starts *starts;
  precision_effort effort;
  double *rms, *seconds; /* of so many starts */
} attempting;

/* runs a prepared value from as many starts as it is going to be raced from, judged as in the race
 */
static int try_starts(const attempting *a, const precision_method *method, contestant *c,
                      crossing_attempt *out, char message[SOLVER_MESSAGE_SIZE]) {
  precision_tally tally = {0};
  size_t trials = 1;
  for (size_t j = 0; j < trials; j++) {
    if (contestant_sample(c, j, &a->seconds[j]))
      return measure_fail(message, "%s", c->report.message);
    const outcome of = outcome_of(c, j, a->seconds[j]);
    a->rms[j] = of.rms_error;
    precision_count(&tally, &of, precision_start_of(a->starts, j));
    if (j == 0)
      trials = precision_trials(&a->effort, method, of.field_evaluations + of.guard_evaluations);
  }
  out->status = precision_judge(&tally);
  out->trials = trials;
  // an error that is not finite is that of a value that cannot be used
  if (measure_median(a->rms, trials, &out->rms) ||
      measure_median(a->seconds, trials, &out->seconds))
    out->rms = out->seconds = INFINITY;
  return 0;
}

static int attempt(void *context, const precision_method *method, double value,
                   crossing_attempt *out, char message[SOLVER_MESSAGE_SIZE]) {
  const attempting *const a = context;
  const solver_settings with = precision_settings(method, value, a->effort.contacts);
  contestant c;
  *out = (crossing_attempt){
      .value = value, .rms = INFINITY, .seconds = INFINITY, .status = PRECISION_FAILED};
  if (*a->run->interrupted) return SOLVER_FAILED;
  int status = contestant_prepare(&c, solver_find(method->solver), &with, a->starts, message);
  if (status) return status;
  status = try_starts(a, method, &c, out, message);
  contestant_release(&c);
  return status;
}

int crossing_choose_setting(study_run *run, contest_starts *starts, const precision_effort *effort,
                            const precision_method *method, double target,
                            crossing_choice *choice) {
  const size_t trials = starts->trials;
  double *const values = calloc(2 * trials, sizeof *values);
  attempting a = {run, starts, *effort, values, values + trials};
  int status = values ? 0 : study_out_of_memory(run);
  for (size_t j = 0; !status && j < trials; j++)
    status = contest_reference(starts, j, run->message);
  if (!status) crossing_choose(method, target, attempt, &a, choice);
  free(values);
  return status || *run->interrupted ? -1 : 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void crossing_check_target(crossing_row *r) {
  if (r->p.rms_error <= r->target || strcmp(r->p.status, "ok") != 0) return;
  r->p.status = precision_status_name(PRECISION_UNREACHED);
  r->p.message = "the RMS error is above the target in the race";
}

static bool same_rows(const precision_row *a, const precision_row *b) {
  return strcmp(a->solver, b->solver) == 0 && strcmp(a->status, b->status) == 0 &&
         precision_same(a->value, b->value) && precision_same(a->rms_error, b->rms_error);
}

/* whether the methods of places a and b are the same, and at least somewhere known */
static bool same_methods(const crossing_row rows[], size_t count, size_t methods, size_t a,
                         size_t b) {
  bool known = false;
  for (size_t i = 0; i < count; i += methods) {
    if (!same_rows(&rows[i + a].p, &rows[i + b].p)) return false;
    known = known || !isnan(rows[i + a].p.rms_error);
  }
  return known;
}

void crossing_find_coincidences(crossing_row rows[], size_t count, size_t methods) {
  for (size_t a = 0; count && a < methods; a++) {
    if (*rows[a].p.coincides_with) continue;
    for (size_t b = a + 1; b < methods; b++) {
      if (!same_methods(rows, count, methods, a, b)) continue;
      for (size_t i = 0; i < count; i += methods)
        rows[i + b].p.coincides_with = rows[i + a].p.method;
    }
  }
}
