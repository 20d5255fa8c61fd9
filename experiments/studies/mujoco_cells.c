/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of mujoco: trajectories of all settings, and their races. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mujoco.h"
#include "same_system.h"
#include "series.h"

/* with fewer starts than these a 95 % interval of a median is no such thing: no verdict on times */
enum { VERDICT_TRIALS = 6 };

/* ---- cases ----------------------------------------------------------------------------------- */

static const mujoco_settings *given_of(const study_run *run) {
  return run->settings;
}

size_t mujoco_cases(const study_run *run) {
  return 1 + given_of(run)->contacts.count;
}

const model_type *mujoco_type(size_t of) {
  return model_find(of ? "plate" : "hopper");
}

size_t mujoco_contacts(const study_run *run, size_t of) {
  return of ? given_of(run)->contacts.contacts[of - 1] : 1;
}

contest_starts *mujoco_starts(study_run *run, size_t of) {
  // the hopper has one contact, and no parameter to say so
  const case_change changes[] = {{"contacts", (double)mujoco_contacts(run, of)}, {0}};
  return case_starts_of(run, mujoco_type(of), changes, given_of(run)->trials);
}

/* ---- who takes part -------------------------------------------------------------------------- */

const mujoco_sample *mujoco_followed(const study_run *run, size_t of, size_t variant) {
  return (const mujoco_sample *)study_samples(run, of, NULL) + variant;
}

mujoco_session mujoco_first_session(study_run *run, size_t of) {
  mujoco_session s = {.first = mujoco_cases(run) * MUJOCO_VARIANTS};
  for (size_t i = 0; i <= of; i++) {
    if (i) s.first += s.count * given_of(run)->trials;
    s.count = 0;
    s.variant[s.count++] = MUJOCO_RACE;
    for (size_t k = 0; k < MUJOCO_VARIANTS; k++)
      if (k != MUJOCO_RACE && !*mujoco_followed(run, i, k)->left_out) s.variant[s.count++] = k;
  }
  return s;
}

gather mujoco_laps(study_run *run, const mujoco_session *session, size_t place) {
  return (gather){run, MUJOCO_SAMPLES, session->first + place, session->count,
                  given_of(run)->trials};
}

draws mujoco_draws(const study_run *run) {
  return race_draws(run, given_of(run)->trials, false);
}

void mujoco_median(study_run *run, const mujoco_session *session, size_t place, bool over_race,
                   double *median, double interval[2]) {
  const gather laps = mujoco_laps(run, session, place);
  draws d = mujoco_draws(run);
  size_t first[d.processes + 1];
  race_firsts(&d, first);
  d.first = first;
  if (over_race)
    series_median_ratio(laps, mujoco_laps(run, session, 0), "seconds", &d, median, interval);
  else
    series_median(laps, "seconds", &d, median, interval);
}

mujoco_verdict mujoco_judge(size_t variant, double difference, double ratio,
                            const double interval[2], double effect) {
  if (!(difference <= MUJOCO_UNCHANGED)) return MUJOCO_CHANGED;
  if (variant == MUJOCO_RACE) return MUJOCO_IS_THE_RACE;
  if (ratio * (1.0 + effect) < 1.0 && interval[1] < 1.0) return MUJOCO_FASTER;
  if (ratio > 1.0 + effect && interval[0] > 1.0) return MUJOCO_SLOWER;
  return MUJOCO_AS_FAST;
}

double mujoco_effect(const mujoco_settings *given) {
  return given->trials < VERDICT_TRIALS ? INFINITY : given->minimum_effect;
}

/* those of a session that look faster than the race's by it, which comes first */
static void looks_faster(study_run *run, size_t of, const mujoco_session *in, mujoco_session *out) {
  const double effect = mujoco_effect(given_of(run));
  out->count = 0;
  out->variant[out->count++] = MUJOCO_RACE;
  for (size_t i = 1; i < in->count; i++) {
    double ratio, interval[2];
    mujoco_median(run, in, i, true, &ratio, interval);
    const double difference = mujoco_followed(run, of, in->variant[i])->difference;
    if (mujoco_judge(in->variant[i], difference, ratio, interval, effect) == MUJOCO_FASTER)
      out->variant[out->count++] = in->variant[i];
  }
  if (out->count == 1) out->count = 0;
}

mujoco_session mujoco_second_session(study_run *run, size_t of) {
  mujoco_session out = {0};
  const size_t trials = given_of(run)->trials;
  const mujoco_session last = mujoco_first_session(run, mujoco_cases(run) - 1);
  size_t first = last.first + last.count * trials;
  for (size_t i = 0; i <= of; i++) {
    const mujoco_session one = mujoco_first_session(run, i);
    looks_faster(run, i, &one, &out);
    out.first = first;
    first += out.count * trials;
  }
  return out;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* so many cells of a case: processes, profiles, or the one */
static int plan_case(study_run *run, mujoco_kind kind, size_t of, size_t count) {
  static const char *const names[] = {"follow", "race", "again", "profile"};
  for (size_t i = 0; i < count; i++)
    if (study_cell(run, &(mujoco_cell){kind, of, i}, "%s model=%s contacts=%zu number=%zu of %zu",
                   names[kind], mujoco_type(of)->name, mujoco_contacts(run, of), i, count))
      return -1;
  return 0;
}

int mujoco_plan(study_run *run, size_t stage) {
  const size_t processes = mujoco_draws(run).processes;
  for (size_t i = 0; i < mujoco_cases(run); i++) {
    if (stage == 0 && plan_case(run, MUJOCO_FOLLOW, i, 1)) return -1;
    if (stage == 1 && plan_case(run, MUJOCO_RACED, i, processes)) return -1;
    const bool again = stage == 2 && mujoco_second_session(run, i).count;
    if (again && plan_case(run, MUJOCO_AGAIN, i, processes)) return -1;
  }
  for (size_t i = 0; stage == 2 && i < mujoco_cases(run); i++)
    if (plan_case(run, MUJOCO_PROFILE, i, MUJOCO_PROFILES)) return -1;
  return 0;
}

/* ---- trajectories ---------------------------------------------------------------------------- */

/* largest difference in any component, relative to the component's largest value in `b` */
static double difference_of(const trajectory *a, const double b[]) {
  double largest = 0.0;
  for (size_t j = 0; j < a->dimension; j++) {
    double gap = 0.0, scale = 0.0;
    for (size_t i = j; i < a->count * a->dimension; i += a->dimension) {
      gap = fmax(gap, fabs(a->states[i] - b[i]));
      scale = fmax(scale, fabs(b[i]));
    }
    if (gap > 0.0) largest = fmax(largest, gap / scale);
  }
  return largest;
}

/* one setting from every start; nonzero when MuJoCo gives up with it. `own` has the trajectories of
 * the first, one after the other, begun by it. */
static int follow(contestant *c, double **own, mujoco_sample *s) {
  const size_t size = c->samples.count * c->samples.dimension;
  const bool first = !*own;
  if (first) *own = calloc(c->starts->trials * size, sizeof **own);
  if (!*own) return -1;
  s->difference = 0.0;
  for (size_t i = 0; i < c->starts->trials; i++) {
    double seconds;
    if (contestant_time(c, i, &seconds)) return -1;
    if (first) memcpy(*own + i * size, c->samples.states, size * sizeof **own);
    s->difference = fmax(s->difference, difference_of(&c->samples, *own + i * size));
  }
  return 0;
}

/* a setting with which MuJoCo gives up, or that it does not have, is out of the race: *why is not
 * empty then. The bases must do. */
static int try_variant(study_run *run, const contest_starts *starts, double **own, mujoco_sample *s,
                       char why[SOLVER_MESSAGE_SIZE]) {
  const race_entry entry = mujoco_variant_entry(&mujoco_variants[s->variant]);
  contestant c;
  int status = contestant_prepare(&c, entry.solver, &entry.settings, starts, why);
  if (status) return status == SOLVER_REFUSED && s->variant > MUJOCO_RACE ? 0 : -1;
  status = bridge_instance_gap(c.instance, SAME_SYSTEM_STATES, run->seed, &s->gap, why);
  why[0] = status ? why[0] : '\0';
  if (!status && follow(&c, own, s)) {
    measure_message(why, "%s", *own ? c.report.message : "out of memory");
    status = s->variant > MUJOCO_RACE && *own ? 0 : -1;
  }
  contestant_release(&c);
  return status;
}

int mujoco_follow(study_run *run, size_t of) {
  contest_starts *const starts = mujoco_starts(run, of);
  double *own = NULL;
  int status = starts ? 0 : -1;
  for (size_t k = 0; !status && k < MUJOCO_VARIANTS; k++) {
    char why[SOLVER_MESSAGE_SIZE] = "";
    mujoco_sample s;
    column_clear(mujoco_sample_columns, &s);
    s.variant = k;
    status = try_variant(run, starts, &own, &s, why);
    s.left_out = why;
    if (*why) s.difference = NAN;
    if (status)
      measure_message(run->message, "%s", why);
    else
      status = study_add(run, MUJOCO_SAMPLES, &s);
  }
  free(own);
  return status;
}

/* ---- races ----------------------------------------------------------------------------------- */

/* one under way */
typedef struct heat {
  study_run *run;
  mujoco_session session;
} heat;

static int tell(void *context, const race_lap *lap) {
  const heat *const h = context;
  mujoco_sample s;
  column_clear(mujoco_sample_columns, &s);
  s.variant = h->session.variant[lap->entry];
  s.trial = lap->trial;
  s.seconds = lap->of.time_s;
  s.retaken = lap->retaken;
  s.rms_error = lap->of.rms_error;
  return study_add(h->run, MUJOCO_SAMPLES, &s);
}

int mujoco_race(study_run *run, const mujoco_cell *c) {
  const bool again = c->kind == MUJOCO_AGAIN;
  heat h = {run, again ? mujoco_second_session(run, c->of) : mujoco_first_session(run, c->of)};
  race_entry entry[MUJOCO_VARIANTS];
  for (size_t i = 0; i < h.session.count; i++)
    entry[i] = mujoco_variant_entry(&mujoco_variants[h.session.variant[i]]);
  const race_plan plan = {.starts = mujoco_starts(run, c->of),
                          .trials = given_of(run)->trials,
                          .process = c->number,
                          .processes = mujoco_draws(run).processes,
                          .seed = run->seed + again};
  return plan.starts ? race_run(run, &plan, entry, h.session.count, tell, &h) : -1;
}

study_place mujoco_place(const void *planned) {
  const mujoco_cell *const c = planned;
  return (study_place){c->of, c->kind == MUJOCO_FOLLOW ? c->of : c->number};
}
