/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reaches an error at which cost. From every start each program runs as the others have it
 * best: settings are chosen by some starts and judged by those held out. Intervals are of what is
 * held out, start by start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "robot_columns.h"
#include "robot_study.h"
#include "series.h"
#include "statistics.h"

/* errors that are asked for, where they are so many times the reference's */
static const double targets[] = {1e-1, 1e-2, 1e-3, 1e-4};
static const double asked_from = 10.0;

/* one start in so many is held out: with ten of them each of its own */
enum { FOLDS = 10 };

/* ---- settings -------------------------------------------------------------------------------- */

/* what starts show: medians by entry */
typedef struct shown {
  double error[ROBOT_ENTRIES_MAX], seconds[ROBOT_ENTRIES_MAX];
  bool whole[ROBOT_ENTRIES_MAX]; /* to the end from every start, those of a fold among them */
} shown;

/* A setting between two that were measured, a share of the way from one entry to a finer one by the
 * logarithms; or one of them, which is both. */
typedef struct setting {
  size_t coarse, fine; /* entries; 0: nothing reaches the error */
  double share;
  bool coarsest; /* nothing coarser was tried */
} setting;

static const setting no_setting = {0, 0, NAN, false};

static setting only(size_t entry, bool coarsest) {
  return (setting){entry, entry, 0.0, coarsest};
}

static double between(double a, double b, double share) {
  return a > 0.0 && b > 0.0 ? a * pow(b / a, share) : NAN;
}

/* of values by entry */
static double at_setting(const setting *s, const double value[]) {
  return s->fine ? between(value[s->coarse], value[s->fine], s->share) : NAN;
}

static const char *variant_of(const robot_case *c, const setting *s) {
  return s->fine ? c->entry[s->fine].variant : "";
}

/* Entries of one method stand with the coarsest first: the first whose error, and those of all
 * finer ones, are small enough; and, from the one before it, the place where the error is met. */
static setting reach(const shown *all, const size_t entry[], size_t count, double target) {
  size_t i = count;
  while (i > 0 && all->error[entry[i - 1]] <= target) i--;
  if (i == count) return no_setting;
  setting s = only(entry[i], i == 0);
  if (i > 0) {
    const double before = all->error[entry[i - 1]], here = all->error[entry[i]];
    s.coarse = entry[i - 1];
    s.share = here > 0.0 ? log(before / target) / log(before / here) : 1.0;
  }
  // a finer one may be cheaper: at a coarse tolerance many steps are refused
  for (; i < count; i++)
    if (all->seconds[entry[i]] < at_setting(&s, all->seconds)) s = only(entry[i], s.coarsest);
  return s;
}

/* the cheapest of a kind: of all of MuJoCo's integrators, or of all of libess's bases; with
 * `whole`, among the entries that are */
static setting cheapest_among(const robot_case *c, const shown *all, robot_kind kind, double target,
                              bool whole) {
  setting best = no_setting;
  size_t entry[ROBOT_ENTRIES_MAX], count = 0;
  for (size_t i = 1; i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i], *const next = e + 1;
    if (e->kind != kind) continue;
    if (!isnan(all->error[i]) && (all->whole[i] || !whole)) entry[count++] = i;
    if (i + 1 < c->entries && next->kind == kind && next->variant == e->variant) continue;
    const setting s = reach(all, entry, count, target);
    const double seconds = at_setting(&best, all->seconds);
    if (s.fine && (isnan(seconds) || at_setting(&s, all->seconds) < seconds)) best = s;
    count = 0;
  }
  return best;
}

/* What fails from some starts is taken where all else fails: a ratio is to be of all starts. */
static setting cheapest(const robot_case *c, const shown *all, robot_kind kind, double target) {
  const setting s = cheapest_among(c, all, kind, target, true);
  return s.fine ? s : cheapest_among(c, all, kind, target, false);
}

/* of all three, for an error: `own` is the entry of the model's own setting, whose error it is, or
 * 0 */
typedef struct choice {
  double target;
  setting mujoco, libess, plain;
} choice;

static choice choose(const robot_case *c, const shown *all, double target, size_t own) {
  choice made = {.target = own ? all->error[own] : target};
  made.mujoco = own ? only(own, false) : cheapest(c, all, ROBOT_MUJOCO, made.target);
  made.libess = cheapest(c, all, ROBOT_LIBESS, made.target);
  made.plain = cheapest(c, all, ROBOT_PLAIN, made.target);
  return made;
}

/* ---- what starts show ------------------------------------------------------------------------ */

/* The median of values of which some are known: the others are larger than all of them, for a run
 * without an end errs most and costs most. NaN where half are such. */
static int median_of(const double value[], size_t known, size_t asked, double *out) {
  *out = NAN;
  if (2 * known <= asked) return 0;
  return measure_quantile(value, known,
                          known > 1 ? 0.5 * (double)(asked - 1) / (double)(known - 1) : 0.0, out);
}

/* Medians of a setting over the starts that have a reference, but for those of a fold. */
static int look(study_run *run, size_t folds, size_t fold, shown *all) {
  const robot_case *const c = run->own;
  const size_t starts = study_cells(run);
  double *const error = calloc(2 * starts + 1, sizeof *error), *const seconds = error + starts;
  int status = error ? 0 : study_out_of_memory(run);
  for (size_t i = 1; !status && i < c->entries; i++) {
    size_t known = 0, asked = 0;
    all->whole[i] = true;
    for (size_t start = 0; start < starts; start++) {
      const robot_sample *const sample = study_samples(run, start, NULL);
      if (isnan(sample->tolerances.states)) continue;
      all->whole[i] = all->whole[i] && !isnan(sample[i].error.states);
      if (folds && start % folds == fold) continue;
      asked++;
      if (isnan(sample[i].error.states)) continue;
      error[known] = sample[i].error.states;
      seconds[known++] = sample[i].seconds;
    }
    if (median_of(error, known, asked, &all->error[i]) ||
        median_of(seconds, known, asked, &all->seconds[i]))
      status = study_out_of_memory(run);
  }
  free(error);
  return status;
}

/* what one start shows */
typedef struct seen {
  double knob[ROBOT_ENTRIES_MAX], seconds[ROBOT_ENTRIES_MAX], error[ROBOT_ENTRIES_MAX],
      evaluations[ROBOT_ENTRIES_MAX];
} seen;

static void look_at(const study_run *run, size_t start, seen *s) {
  const robot_case *const c = run->own;
  const robot_sample *const sample = study_samples(run, start, NULL);
  for (size_t i = 1; i < c->entries; i++) {
    s->knob[i] = c->entry[i].knob;
    s->error[i] = sample[i].error.states;
    // a run that did not get to the end has no cost that another's is to be compared with
    const bool ended = !isnan(sample[i].error.states);
    s->seconds[i] = ended ? sample[i].seconds : NAN;
    s->evaluations[i] = ended ? sample[i].evaluations : NAN;
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* what is under way: what the starts show but for each fold, and behind them all of them */
typedef struct deriving {
  study_run *run;
  size_t folds;
  shown *by; /* folds + 1 */
  seen *one;
  draws draws;
} deriving;

static void add_held_out(const deriving *d, size_t start, double target, size_t own) {
  const robot_case *const c = d->run->own;
  const choice made = choose(c, &d->by[start % d->folds], target, own);
  const seen *const one = d->one;
  look_at(d->run, start, d->one);
  const robot_held_out row = {.rms_error = made.target,
                              .own = own > 0,
                              .start = start,
                              .process = race_process(&d->draws, start),
                              .variant = variant_of(c, &made.mujoco),
                              .time_step = at_setting(&made.mujoco, one->knob),
                              .mujoco_seconds = at_setting(&made.mujoco, one->seconds),
                              .mujoco_error = at_setting(&made.mujoco, one->error),
                              .libess_base = variant_of(c, &made.libess),
                              .tolerance = at_setting(&made.libess, one->knob),
                              .libess_seconds = at_setting(&made.libess, one->seconds),
                              .libess_error = at_setting(&made.libess, one->error),
                              .libess_evaluations = at_setting(&made.libess, one->evaluations),
                              .plain_base = variant_of(c, &made.plain),
                              .plain_tolerance = at_setting(&made.plain, one->knob),
                              .plain_seconds = at_setting(&made.plain, one->seconds),
                              .plain_error = at_setting(&made.plain, one->error),
                              .plain_evaluations = at_setting(&made.plain, one->evaluations),
                              .mujoco_over_libess = at_setting(&made.mujoco, one->seconds) /
                                                    at_setting(&made.libess, one->seconds),
                              .plain_over_libess = at_setting(&made.plain, one->seconds) /
                                                   at_setting(&made.libess, one->seconds)};
  study_add(d->run, ROBOT_HELD_OUT, &row);
}

/* medians over what is held out, and the two ratios with their intervals */
static void fill_costs(const deriving *d, gather starts, robot_reach_row *row) {
  double ends[2];
  row->mujoco_seconds = gather_median(starts, "mujoco_seconds");
  row->mujoco_error = gather_median(starts, "mujoco_error");
  row->libess_seconds = gather_median(starts, "libess_seconds");
  row->libess_error = gather_median(starts, "libess_error");
  row->libess_evaluations = gather_median(starts, "libess_evaluations");
  row->plain_seconds = gather_median(starts, "plain_seconds");
  row->plain_error = gather_median(starts, "plain_error");
  row->plain_evaluations = gather_median(starts, "plain_evaluations");
  row->held_out = gather_known(starts, "mujoco_over_libess");
  series_median_known(starts, "mujoco_over_libess", &d->draws, &row->mujoco_over_libess, ends);
  row->mujoco_over_libess_low = ends[0];
  row->mujoco_over_libess_high = ends[1];
  series_median_known(starts, "plain_over_libess", &d->draws, &row->plain_over_libess, ends);
  row->plain_over_libess_low = ends[0];
  row->plain_over_libess_high = ends[1];
}

static void add_reach(const deriving *d, double target, size_t own) {
  const robot_case *const c = d->run->own;
  const size_t count = study_cells(d->run);
  const choice made = choose(c, &d->by[d->folds], target, own);
  double knob[ROBOT_ENTRIES_MAX];
  gather starts = {d->run, ROBOT_HELD_OUT, 0, 1, count};
  // what every program does by the coarsest means is no question
  if (made.mujoco.coarsest && made.libess.coarsest && made.plain.coarsest) return;
  for (size_t i = 1; i < c->entries; i++) knob[i] = c->entry[i].knob;
  study_rows(d->run, ROBOT_HELD_OUT, &starts.first);
  robot_reach_row row = {.rms_error = made.target,
                         .own = own > 0,
                         .variant = variant_of(c, &made.mujoco),
                         .time_step = at_setting(&made.mujoco, knob),
                         .libess_base = variant_of(c, &made.libess),
                         .tolerance = at_setting(&made.libess, knob),
                         .plain_base = variant_of(c, &made.plain)};
  for (size_t i = 0; i < count; i++) add_held_out(d, i, target, own);
  fill_costs(d, starts, &row);
  study_add(d->run, ROBOT_REACH, &row);
}

/* the model's own setting first, then the targets that the reference is good enough for */
static void add_reaches(const deriving *d) {
  const robot_case *const c = d->run->own;
  const double known = robot_estimate(d->run);
  for (size_t i = 1; i < c->entries; i++) {
    const double error = d->by[d->folds].error[i];
    if (c->entry[i].own && error > 0.0 && error >= robot_known_from * known) add_reach(d, error, i);
  }
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (targets[i] >= asked_from * known) add_reach(d, targets[i], 0);
}

int robot_derive_reach(study_run *run) {
  const size_t starts = study_cells(run);
  deriving d = {.run = run,
                .folds = starts < FOLDS ? starts : FOLDS,
                .draws = race_draws(run, starts, false)};
  d.by = calloc(d.folds + 1, sizeof *d.by);
  d.one = calloc(1, sizeof *d.one);
  int status = d.by && d.one ? 0 : study_out_of_memory(run);
  // a single start has no others
  for (size_t i = 0; !status && i <= d.folds; i++)
    status = look(run, i < d.folds && starts > 1 ? d.folds : 0, i, &d.by[i]);
  if (!status) add_reaches(&d);
  free(d.by);
  free(d.one);
  return status;
}
