/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the samples of mujoco say: verdicts on settings, and where MuJoCo's time goes. */
#include <math.h>

#include "mujoco.h"
#include "series.h"

static mujoco_name name_of(const study_run *run, size_t of, size_t variant) {
  return (mujoco_name){.model = mujoco_type(of)->name,
                       .contacts = mujoco_contacts(run, of),
                       .base = mujoco_variant_base(&mujoco_variants[variant]),
                       .changes = mujoco_variants[variant].changes};
}

const char *mujoco_verdict_name(mujoco_verdict verdict) {
  static const char *const names[] = {[MUJOCO_LEFT_OUT] = "left out",
                                      [MUJOCO_CHANGED] = "changes the trajectory",
                                      [MUJOCO_FASTER] = "faster",
                                      [MUJOCO_SLOWER] = "slower",
                                      [MUJOCO_AS_FAST] = "no difference shown",
                                      [MUJOCO_IS_THE_RACE] = "the race's"};
  return names[verdict];
}

/* ---- settings -------------------------------------------------------------------------------- */

/* the place of a setting in a session; its count when it takes no part */
static size_t place_in(const mujoco_session *session, size_t variant) {
  size_t place = 0;
  while (place < session->count && session->variant[place] != variant) place++;
  return place;
}

/* times of one that took part; what looked faster is judged by the second session */
static void fill_times(study_run *run, const mujoco_session session[2], size_t variant,
                       mujoco_row *r) {
  const mujoco_settings *const given = run->settings;
  const double effect = mujoco_effect(given);
  const size_t place = place_in(&session[0], variant), again = place_in(&session[1], variant);
  const gather laps = mujoco_laps(run, &session[0], place);
  mujoco_median(run, &session[0], place, false, &r->median_s, r->median_interval_s);
  mujoco_median(run, &session[0], place, true, &r->ratio, r->ratio_interval);
  r->q25_s = gather_quantile(laps, "seconds", 0.25);
  r->q75_s = gather_quantile(laps, "seconds", 0.75);
  r->min_s = gather_quantile(laps, "seconds", 0.0);
  r->retaken = gather_sum(laps, "retaken");
  r->rms_error = gather_median(laps, "rms_error");
  r->rms_worst = gather_quantile(laps, "rms_error", 1.0);
  mujoco_verdict verdict =
      mujoco_judge(variant, r->difference, r->ratio, r->ratio_interval, effect);
  if (again < session[1].count) {
    mujoco_median(run, &session[1], again, true, &r->confirmed, r->confirmed_interval);
    verdict = mujoco_judge(variant, r->difference, r->confirmed, r->confirmed_interval, effect);
  }
  r->verdict = mujoco_verdict_name(verdict);
}

static void add_row(study_run *run, size_t of, size_t variant, const mujoco_session session[2]) {
  const mujoco_sample *const followed = mujoco_followed(run, of, variant);
  mujoco_row r;
  column_clear(run->study->tables[MUJOCO_ROWS].columns, &r);
  r.of = name_of(run, of, variant);
  r.left_out = followed->left_out;
  r.verdict = mujoco_verdict_name(MUJOCO_LEFT_OUT);
  if (!*r.left_out) {
    r.difference = followed->difference;
    r.field_gap = followed->gap.gap;
    r.scaling_s = followed->gap.scaling;
    fill_times(run, session, variant, &r);
  }
  study_add(run, MUJOCO_ROWS, &r);
  if (*r.left_out) return;
  const mujoco_benchmark b = {.name = study_text(run, "%s/contacts:%zu/%s%s%s", r.of.model,
                                                 r.of.contacts, r.of.base, *r.of.changes ? "/" : "",
                                                 r.of.changes),
                              .run_type = "aggregate",
                              .aggregate_name = "median",
                              .aggregate_unit = "time",
                              .time_unit = "ms",
                              .threads = 1,
                              .iterations = ((const mujoco_settings *)run->settings)->trials,
                              .real_time = 1e3 * r.median_s,
                              .rms_error = r.rms_error};
  study_add(run, MUJOCO_BENCHMARKS, &b);
}

/* the first session, then the second of those it made look fast */
static void add_trials(study_run *run, size_t of, size_t variant, const mujoco_session session[2]) {
  size_t count;
  const mujoco_sample *const all = study_rows(run, MUJOCO_SAMPLES, &count);
  const mujoco_name name = name_of(run, of, variant);
  const draws d = mujoco_draws(run);
  size_t first[d.processes + 1];
  race_firsts(&d, first);
  for (size_t i = 0; i < 2; i++) {
    const size_t place = place_in(&session[i], variant);
    const gather laps = mujoco_laps(run, &session[i], place);
    for (size_t j = 0; place < session[i].count && j < laps.count; j++) {
      const size_t process = race_process(&d, j), at = first[process] + race_place(&d, j);
      const mujoco_sample *const s = &all[laps.first + at * laps.stride];
      const mujoco_trial t = {name, i + 1, j, process, s->seconds, s->rms_error};
      study_add(run, MUJOCO_TRIALS, &t);
    }
  }
}

static int add_case(study_run *run, size_t of) {
  const mujoco_session session[2] = {mujoco_first_session(run, of), mujoco_second_session(run, of)};
  const mujoco_model m = {mujoco_starts(run, of) ? mujoco_starts(run, of)->m : NULL};
  if (!m.parameters) return -1;
  study_add(run, MUJOCO_MODELS, &m);
  for (size_t k = 0; k < MUJOCO_VARIANTS; k++) {
    add_row(run, of, k, session);
    add_trials(run, of, k, session);
  }
  return 0;
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* A timer shows the work between its two readings of the clock and, since the readings lie on both
 * sides of it, about one reading; its parts' readings are inside it, two for each. All are taken
 * off, at what a reading costs by itself. What is left of the whole step then has to be a step's
 * time without timers, which is measured as well. */

/* readings of the clock that happened inside timer i in a step, its own two counting as one */
static double readings_inside(const mujoco_sample t[], size_t timers, size_t i) {
  double readings = t[i].calls;
  for (size_t k = 0; k < timers; k++) {
    int above = (int)t[k].parent;
    while (above != BRIDGE_NO_TIMER && (size_t)above != i) above = (int)t[above].parent;
    if (above != BRIDGE_NO_TIMER) readings += 2.0 * t[k].calls;
  }
  return readings;
}

/* the time of each without readings, and what its parts leave of it; NaN: it has none */
static void take_off_readings(const mujoco_sample t[], size_t timers, double net[], double rest[]) {
  for (size_t i = 0; i < timers; i++) {
    net[i] = t[i].measured_ns - t->reading_ns * readings_inside(t, timers, i);
    rest[i] = NAN;
  }
  for (size_t i = 0; i < timers; i++) {
    const int parent = (int)t[i].parent;
    if (parent == BRIDGE_NO_TIMER || !(t[i].calls > 0.0)) continue;
    if (isnan(rest[parent])) rest[parent] = net[parent];
    rest[parent] -= net[i];
  }
}

static void add_times(study_run *run, const mujoco_profile *in, const mujoco_sample t[],
                      size_t timers) {
  double net[BRIDGE_TIMERS_MAX], rest[BRIDGE_TIMERS_MAX];
  take_off_readings(t, timers, net, rest);
  for (size_t i = 0; i < timers; i++) {
    const char *const above = t[i].parent >= 0.0 ? t[(size_t)t[i].parent].timer : "";
    const mujoco_time time = {
        *in,           t[i].timer,      above,           t[i].calls, 1e-9 * t[i].measured_ns,
        1e-9 * net[i], net[i] / net[0], rest[i] / net[0]};
    const mujoco_time left = {*in, "rest",         t[i].timer,       NAN,
                              NAN, 1e-9 * rest[i], rest[i] / net[0], NAN};
    if (t[i].calls > 0.0) study_add(run, MUJOCO_TIMES, &time);
    if (t[i].calls > 0.0) study_add(run, MUJOCO_TIMERS, &time);
    if (!isnan(rest[i])) study_add(run, MUJOCO_TIMES, &left);
  }
}

/* the samples of a profile's cell: starts, then timers */
static void add_profile(study_run *run, size_t of, size_t cell) {
  size_t count, starts = 0, all;
  const mujoco_sample *const s = study_samples(run, cell, &count);
  while (starts < count && !*s[starts].timer) starts++;
  const size_t first = (size_t)(s - (const mujoco_sample *)study_rows(run, MUJOCO_SAMPLES, &all));
  const gather pairs = {run, MUJOCO_SAMPLES, first, 1, starts};
  const draws d = {.trials = starts, .processes = 1, .seed = run->seed};
  mujoco_profile p = {.of = name_of(run, of, s->variant),
                      .run_s = 1e-9 * s[starts].run_ns,
                      .reading_s = 1e-9 * s[starts].reading_ns};
  series_median(pairs, "timers_cost", &d, &p.timers_cost, p.timers_cost_interval);
  study_add(run, MUJOCO_PROFILED, &p);
  add_times(run, &p, s + starts, count - starts);
}

int mujoco_derive(study_run *run) {
  const size_t cases = mujoco_cases(run), profiles = cases * MUJOCO_PROFILES;
  study_add(run, MUJOCO_TOP, &(mujoco_top){MUJOCO_UNCHANGED, 0.95});
  for (size_t i = 0; i < cases; i++)
    if (add_case(run, i)) return -1;
  for (size_t i = 0; i < profiles; i++)
    add_profile(run, i / MUJOCO_PROFILES, study_cells(run) - profiles + i);
  return 0;
}

int mujoco_conclude(study_run *run) {
  size_t count;
  const mujoco_row *const rows = study_rows(run, MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++) {
    const mujoco_row *const r = &rows[i];
    if (r->verdict == mujoco_verdict_name(MUJOCO_FASTER))
      return measure_fail(
          run->message,
          "%s, N = %zu: %s %s leaves the trajectory unchanged and takes %.3f [%.3f, %.3f] of the "
          "time of the race's settings, which must be the fastest",
          r->of.model, r->of.contacts, r->of.base, r->of.changes, r->confirmed,
          r->confirmed_interval[0], r->confirmed_interval[1]);
    if (i % MUJOCO_VARIANTS == MUJOCO_RACE && r->verdict != mujoco_verdict_name(MUJOCO_IS_THE_RACE))
      return measure_fail(
          run->message,
          "%s, N = %zu: the race's settings change MuJoCo's trajectory by %.2g; %.0g is accepted",
          r->of.model, r->of.contacts, r->difference, MUJOCO_UNCHANGED);
  }
  return 0;
}
