/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What runs of a robot say: medians over starts, the order that MuJoCo has, what reaches an error,
 * and the first start over time. */
#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "robot_study.h"
#include "series.h"
#include "statistics.h"

/* an error is known where it is so many times the reference's */
static const double robot_known_from = 3.0;

/* the runs of an entry from all starts; and the reference's error by them */
static gather robot_starts_of(study_run *run, size_t entry) {
  const robot_case *const c = run->own;
  return gather_rows(run, ROBOT_SAMPLES, entry, c->entries, study_cells(run));
}

static double robot_estimate(study_run *run) {
  return gather_median(robot_starts_of(run, 0), "estimate");
}

/* ---- what reaches an error at which cost ----------------------------------------------------- */

/* From every start each program runs as the others have it
 * best: settings are chosen by some starts and judged by those held out. Intervals are of what is
 * held out, start by start. */

/* errors that are asked for, where they are so many times the reference's */
static const double targets[] = {1e-1, 1e-2, 1e-3, 1e-4};
static const double asked_from = 10.0;

/* one start in so many is held out: with ten of them each of its own */
enum { FOLDS = 10 };

/* ---- settings -------------------------------------------------------------------------------- */

/* what starts show, by entry: median errors, and mean times */
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

static setting only(size_t entry) {
  return (setting){entry, entry, 0.0, false};
}

static double between(double a, double b, double share) {
  return a > 0.0 && b > 0.0 ? a * pow(b / a, share) : NAN;
}

/* of values by entry */
static double at_setting(const setting *s, const double value[]) {
  return s->fine ? between(value[s->coarse], value[s->fine], s->share) : NAN;
}

static double knob_of(const robot_case *c, const setting *s) {
  return s->fine ? between(c->entry[s->coarse].knob, c->entry[s->fine].knob, s->share) : NAN;
}

static const char *variant_of(const robot_case *c, const setting *s) {
  return s->fine ? c->entry[s->fine].variant : "";
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* a method's settings, and the entries that they are of */
typedef struct method {
  const shown *all;
  choice_ladder ladder;
  size_t entry[CHOICE_RUNGS_MAX];
} method;

static setting setting_at(const method *m, double knob) {
  const choice_ladder *const l = &m->ladder;
  size_t i = 0;
  while (l->knob[i] > knob) i++;
  if (l->knob[i] == knob) return only(m->entry[i]);
  const double share = log(l->knob[i - 1] / knob) / log(l->knob[i - 1] / l->knob[i]);
  return (setting){m->entry[i - 1], m->entry[i], share, false};
}

static int look_up(void *context, double knob, double patience, choice *c, char *message) {
  const method *const m = context;
  const setting s = setting_at(m, knob);
  (void)patience, (void)message;
  c->seconds = at_setting(&s, m->all->seconds);
  c->rms = c->rms_q90 = c->rms_worst = at_setting(&s, m->all->error);
  return 0;
}

/* the methods of a kind, without the entries that have no error, and with `whole` without those
 * that fail from some starts: how many */
static size_t list_methods(const robot_case *c, const shown *all, robot_kind kind, bool whole,
                           method one[CHOICE_LADDERS_MAX]) {
  const char *variant = NULL;
  size_t count = 0;
  for (size_t i = 1; i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i];
    if (e->kind != kind || isnan(all->error[i]) || (whole && !all->whole[i])) continue;
    if (e->variant != variant)
      one[count++] =
          (method){.all = all, .ladder = {.look = look_up, .continuous = true, .known = true}};
    method *const m = &one[count - 1];
    variant = e->variant;
    m->ladder.context = m;
    m->entry[m->ladder.count] = i;
    m->ladder.knob[m->ladder.count++] = e->knob;
  }
  return count;
}

/* the cheapest of a kind: of all of MuJoCo's integrators, or of all of libess's bases */
static setting cheapest_among(const robot_case *c, const shown *all, robot_kind kind, double target,
                              bool whole) {
  static const choice_who who[] = {
      [ROBOT_MUJOCO] = CHOICE_MUJOCO, [ROBOT_LIBESS] = CHOICE_LIBESS, [ROBOT_PLAIN] = CHOICE_PLAIN};
  const choice_limits limits =
      choice_limits_for(who[kind], (choice_limits){target, INFINITY, INFINITY});
  char message[SOLVER_MESSAGE_SIZE];
  method one[CHOICE_LADDERS_MAX];
  choice_ladder ladder[CHOICE_LADDERS_MAX];
  choice best;
  const size_t count = list_methods(c, all, kind, whole, one);
  for (size_t i = 0; i < count; i++) ladder[i] = one[i].ladder;
  if (choice_of_ladders(&limits, ladder, count, &best, message) || !(best.seconds < INFINITY))
    return no_setting;
  setting s = setting_at(&one[best.ladder], best.knob);
  s.coarsest = all->error[one[best.ladder].entry[0]] <= limits.rms;
  return s;
}

/* What fails from some starts is taken where all else fails: a ratio is to be of all starts. */
static setting cheapest(const robot_case *c, const shown *all, robot_kind kind, double target) {
  const setting s = cheapest_among(c, all, kind, target, true);
  return s.fine ? s : cheapest_among(c, all, kind, target, false);
}

/* of all three, for an error: `own` is the entry of the model's own setting, whose error it is, or
 * 0 */
typedef struct chosen {
  double target;
  setting mujoco, libess, plain, best; /* best: MuJoCo's cheapest, where `mujoco` is its own */
} chosen;

static chosen choose(const robot_case *c, const shown *all, double target, size_t own) {
  chosen made = {.target = own ? all->error[own] : target};
  made.best = cheapest(c, all, ROBOT_MUJOCO, made.target);
  made.mujoco = own ? only(own) : made.best;
  // a setting that fails from some starts is not looked at, and the model's own may be one
  if (own && !(at_setting(&made.best, all->seconds) < all->seconds[own])) made.best = made.mujoco;
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

/* What a start costs on average: a setting that few starts take long by is no cheap one, however
 * short the others are. Starts that come to no end cost as much as the longest of the others. */
static double mean_of(const double value[], size_t known, size_t asked) {
  double sum = 0.0, most = 0.0;
  if (2 * known <= asked) return NAN;
  for (size_t i = 0; i < known; i++) {
    sum += value[i];
    most = fmax(most, value[i]);
  }
  return (sum + most * (double)(asked - known)) / (double)asked;
}

/* Of a setting, over the starts that have a reference, but for those of a fold: the median error
 * and the mean time. */
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
    all->seconds[i] = mean_of(seconds, known, asked);
    if (median_of(error, known, asked, &all->error[i])) status = study_out_of_memory(run);
  }
  free(error);
  return status;
}

/* A column of what one start shows. A run that did not get to the end has no cost that another's is
 * to be compared with. */
static double of_start(const setting *s, const robot_sample sample[], const char *name) {
  const column *const c = column_find(robot_sample_columns, name);
  const robot_sample *const coarse = &sample[s->coarse], *const fine = &sample[s->fine];
  if (!s->fine || isnan(coarse->error.states) || isnan(fine->error.states)) return NAN;
  return between(column_number(c, coarse), column_number(c, fine), s->share);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* what is under way: what the starts show but for each fold, and behind them all of them */
typedef struct deriving {
  study_run *run;
  size_t folds;
  shown *by; /* folds + 1 */
  draws draws;
} deriving;

static void add_held_out(const deriving *d, size_t start, double target, size_t own) {
  const robot_case *const c = d->run->own;
  const chosen made = choose(c, &d->by[start % d->folds], target, own);
  const setting *const mujoco = &made.mujoco, *const libess = &made.libess,
                       *const plain = &made.plain;
  const robot_sample *const one = study_samples(d->run, start, NULL);
  const double seconds = of_start(libess, one, "seconds");
  const robot_held_out row = {.rms_error = made.target,
                              .own = own > 0,
                              .start = start,
                              .process = start % d->draws.processes,
                              .variant = variant_of(c, mujoco),
                              .time_step = knob_of(c, mujoco),
                              .mujoco_seconds = of_start(mujoco, one, "seconds"),
                              .mujoco_error = of_start(mujoco, one, "rms_error"),
                              .libess_base = variant_of(c, libess),
                              .tolerance = knob_of(c, libess),
                              .libess_seconds = seconds,
                              .libess_error = of_start(libess, one, "rms_error"),
                              .libess_evaluations = of_start(libess, one, "field_evaluations"),
                              .plain_base = variant_of(c, plain),
                              .plain_tolerance = knob_of(c, plain),
                              .plain_seconds = of_start(plain, one, "seconds"),
                              .plain_error = of_start(plain, one, "rms_error"),
                              .plain_evaluations = of_start(plain, one, "field_evaluations"),
                              .mujoco_over_libess = of_start(mujoco, one, "seconds") / seconds,
                              .plain_over_libess = of_start(plain, one, "seconds") / seconds,
                              .best_over_libess = of_start(&made.best, one, "seconds") / seconds};
  study_add(d->run, ROBOT_HELD_OUT, &row);
}

/* medians over what is held out, and the two ratios with their intervals */
static void fill_costs(const deriving *d, gather starts, robot_reach_row *row) {
  double ends[2];
  gather_into(starts, gather_median, ROBOT_REACH, "mujoco_seconds", "mujoco_error", row);
  gather_into(starts, gather_median, ROBOT_REACH, "libess_seconds", "libess_evaluations", row);
  gather_into(starts, gather_median, ROBOT_REACH, "plain_seconds", "plain_evaluations", row);
  row->held_out = gather_known(starts, "mujoco_over_libess");
  series_median_known(starts, "mujoco_over_libess", &d->draws, &row->mujoco_over_libess, ends);
  row->mujoco_over_libess_low = ends[0];
  row->mujoco_over_libess_high = ends[1];
  series_median_known(starts, "plain_over_libess", &d->draws, &row->plain_over_libess, ends);
  row->plain_over_libess_low = ends[0];
  row->plain_over_libess_high = ends[1];
  series_median_known(starts, "best_over_libess", &d->draws, &row->best_over_libess, ends);
  row->best_over_libess_low = ends[0];
  row->best_over_libess_high = ends[1];
}

static void add_reach(const deriving *d, double target, size_t own) {
  const robot_case *const c = d->run->own;
  const size_t count = study_cells(d->run);
  const chosen made = choose(c, &d->by[d->folds], target, own);
  gather starts = gather_rows(d->run, ROBOT_HELD_OUT, 0, 1, count);
  // what every program does by the coarsest means is no question
  if (made.mujoco.coarsest && made.libess.coarsest && made.plain.coarsest) return;
  study_rows(d->run, ROBOT_HELD_OUT, &starts.first);
  robot_reach_row row = {.rms_error = made.target,
                         .own = own > 0,
                         .variant = variant_of(c, &made.mujoco),
                         .time_step = knob_of(c, &made.mujoco),
                         .libess_base = variant_of(c, &made.libess),
                         .tolerance = knob_of(c, &made.libess),
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

static int robot_derive_reach(study_run *run) {
  const size_t starts = study_cells(run);
  deriving d = {.run = run,
                .folds = starts < FOLDS ? starts : FOLDS,
                .draws = race_draws(run, starts, false)};
  d.by = calloc(d.folds + 1, sizeof *d.by);
  int status = d.by ? 0 : study_out_of_memory(run);
  // a single start has no others
  for (size_t i = 0; !status && i <= d.folds; i++)
    status = look(run, i < d.folds && starts > 1 ? d.folds : 0, i, &d.by[i]);
  if (!status) add_reaches(&d);
  free(d.by);
  return status;
}

/* ---- the first start over time --------------------------------------------------------------- */

static void add_touchdowns(study_run *run, const robot_track *t) {
  const robot_case *const c = run->own;
  for (size_t i = 0; i < t->touches; i++) {
    if (!robot_event_is_contact(c->robot, t->touch[i].event)) continue;
    const robot_touchdown_row row = {t->touch[i].time,
                                     robot_event_name(c->robot, t->touch[i].event)};
    study_add(run, ROBOT_TOUCHDOWNS, &row);
  }
}

static void add_errors(study_run *run, const robot_entry *e, const robot_track *t,
                       const robot_track *of, size_t count) {
  const robot_settings *const s = run->settings;
  const char *const who = e->kind == ROBOT_MUJOCO ? e->variant : robot_who[e->kind];
  for (size_t i = 1; i < count && i < t->reached; i++) {
    if (!t->at_end[i]) continue;
    const robot_time_row row = {who, e->knob, e->own, (double)i * s->output_step,
                                robot_apart_at(run, t, of, i)};
    study_add(run, ROBOT_ERRORS, &row);
  }
}

/* the position or velocity that is furthest off, over what the reference's own range is */
static size_t most_apart(const study_run *run, const robot_track *t, const robot_track *of,
                         size_t count) {
  const robot_case *const c = run->own;
  size_t found = 0;
  double most = -1.0;
  for (size_t k = 0; k < c->size.nq + c->size.nv; k++) {
    double low = INFINITY, high = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < count && i < t->reached; i++) {
      const double value = of->states[i * c->size.dimension + k],
                   off = t->states[i * c->size.dimension + k] - value;
      low = fmin(low, value);
      high = fmax(high, value);
      sum += off * off;
    }
    // a state that hardly moves is nobody's interest
    const double share = sum / (1e-6 + (high - low) * (high - low));
    if (share > most) most = share, found = k;
  }
  return found;
}

static void add_path(study_run *run, const robot_track *t, const robot_track *of, size_t count) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension, parting = most_apart(run, t, of, count);
  for (size_t k = 0; k < n; k++) {
    char name[ROBOT_NAME_SIZE];
    robot_state_name(c->robot, k, name);
    const char *const state = study_text(run, "%s", name);
    for (size_t i = 0; i < count; i++) {
      const robot_path_row row = {.t = (double)i * s->output_step,
                                  .state = state,
                                  .unit = robot_state_unit(c->robot, k),
                                  .parts = k == parting,
                                  .counts = k >= c->size.nq || robot_state_counts(c->robot, k),
                                  .reference = of->states[i * n + k],
                                  .mujoco = i < t->reached ? t->states[i * n + k] : NAN};
      study_add(run, ROBOT_PATHS, &row);
    }
  }
}

/* which runs are drawn over time: MuJoCo's own; of libess and of plain, by the first base, every
 * other tolerance down to the smallest */
static bool is_drawn(const robot_settings *s, const robot_entry *e) {
  if (e->kind == ROBOT_MUJOCO) return e->own;
  if (e->variant != robot_bases[s->bases.index[0]]) return false;
  for (size_t i = s->tolerances.count; i > 0; i--)
    if (s->tolerances.value[i - 1] == e->knob) return (s->tolerances.count - i) % 2 == 0;
  return false;
}

/* an entry as it ran from the first start: no clock has a say in where it ends */
static int repeat(study_run *run, const robot_entry *e, const robot_sample *ran, const double x0[],
                  bool listen, robot_track *t) {
  t->most_steps = ran->steps;
  return robot_follow(run, e, x0, listen, t);
}

/* the outputs that its reference reaches by both its tolerances */
static size_t count_outputs(const study_run *run, const robot_sample *reference) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  size_t count = 0;
  while (count < c->outputs && (double)count * s->output_step <= reference->until) count++;
  return count;
}

/* `ran` is what is known of the first start's runs, in the order of the entries */
static int add_runs(study_run *run, const robot_sample ran[], const double x0[],
                    robot_track *reference, robot_track *t) {
  const robot_case *const c = run->own;
  const robot_settings *const s = run->settings;
  const size_t count = count_outputs(run, ran);
  int status = repeat(run, c->entry, ran, x0, true, reference);
  if (!status) add_touchdowns(run, reference);
  for (size_t i = 1; !status && i < c->entries; i++) {
    if (!is_drawn(s, &c->entry[i])) continue;
    status = repeat(run, &c->entry[i], &ran[i], x0, false, t);
    if (!status) add_errors(run, &c->entry[i], t, reference, count);
    if (!status && c->entry[i].own) add_path(run, t, reference, count);
  }
  return status;
}

static int robot_derive_paths(study_run *run) {
  const robot_case *const c = run->own;
  const robot_sample *const ran = study_rows(run, ROBOT_SAMPLES, NULL);
  robot_track reference = {0}, t = {0};
  double *const x0 = calloc(c->size.dimension + 1, sizeof *x0);
  int status = x0 ? 0 : study_out_of_memory(run);
  if (!status && robot_start_of(run, 0, x0)) status = -1;
  if (!status && (robot_track_alloc(run, &reference) || robot_track_alloc(run, &t))) status = -1;
  if (!status) status = add_runs(run, ran, x0, &reference, &t);
  robot_track_free(&reference);
  robot_track_free(&t);
  free(x0);
  return status;
}

/* ---- what a field costs ---------------------------------------------------------------------- */

/* states that a cost is the mean over, and how often; every LOOK-th has a Jacobian. Beyond so many
 * states a robot's Jacobians take longer than its study. */
enum { STATES = 500, ROUNDS = 20, LOOK = 25, DIMENSION_MAX = 200 };

/* of dopri5: how far it is stable along the negative axis, and evaluations of a step */
static const double stable_to = 3.3, stages = 6.0;

/* the modulus of the largest eigenvalue of the field's Jacobian by differences, or NaN where the
 * field gives up; room for n (n + 5) numbers */
static double radius_at(robot *r, size_t n, const double x[], gsl_eigen_nonsymm_workspace *work,
                        double room[]) {
  double *const value = room + n * n, *const f = value + 2 * n, *const g = f + n, *const y = g + n;
  gsl_matrix_view jacobian = gsl_matrix_view_array(room, n, n);
  gsl_vector_complex_view values = gsl_vector_complex_view_array(value, n);
  double largest = 0.0;
  if (robot_plain_field(r, x, f)) return NAN;
  memcpy(y, x, n * sizeof *y);
  for (size_t j = 0; j < n; j++) {
    const double step = 1e-7 * (1.0 + fabs(x[j]));
    y[j] += step;
    if (robot_plain_field(r, y, g)) return NAN;
    y[j] = x[j];
    for (size_t i = 0; i < n; i++) {
      room[i * n + j] = (g[i] - f[i]) / step;
      if (!isfinite(room[i * n + j])) return NAN;
    }
  }
  if (gsl_eigen_nonsymm(&jacobian.matrix, &values.vector, work)) return NAN;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, hypot(value[2 * i], value[2 * i + 1]));
  return largest;
}

double robot_spectral_radius(study_run *run, const double states[], size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  double sum = 0.0, looks = 0.0;
  gsl_eigen_nonsymm_workspace *const work = gsl_eigen_nonsymm_alloc(n);
  double *const room = calloc(n * (n + 5), sizeof *room);
  for (size_t i = 0; work && room && i < count; i += LOOK, looks += 1.0)
    sum += radius_at(c->robot, n, states + i * n, work, room);
  if (work) gsl_eigen_nonsymm_free(work);
  free(room);
  return sum / looks;
}

/* it is no failure of the study where a robot falls apart on the way */
static void measure(study_run *run, double x[], double states[], robot_bounds *b) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const size_t count = (size_t)fmin(STATES, ceil(s->time / s->output_step));
  double until;
  robot_set_control(c->robot, robot_controls_at(&c->controls, 0.0, &until));
  if (robot_cost_states(c->robot, x, s->output_step, count, states)) return;
  robot_cost cost;
  if (!robot_cost_at(c->robot, states, count, ROUNDS, &cost)) {
    b->cost = cost;
    // differences of times: one that is hardly there may come out below nothing
    double *const parts[] = {&b->cost.inertia, &b->cost.rows, &b->cost.forces, &b->cost.rates};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) *parts[i] = fmax(0.0, *parts[i]);
  }
  b->radius = robot_spectral_radius(run, states, count);
  b->evaluations = stages * b->radius / stable_to;
}

/* along the first start */
static int measure_bounds(study_run *run, robot_bounds *b) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  *b = (robot_bounds){{NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, NAN, NAN};
  if (n > DIMENSION_MAX) return 0;
  double *const states = calloc((STATES + 1) * n, sizeof *states), *const x = states + STATES * n;
  if (!states) return study_out_of_memory(run);
  const int status = robot_start_of(run, 0, x) ? -1 : 0;
  if (!status) measure(run, x, states, b);
  free(states);
  return status;
}

/* ---- what the runs say ----------------------------------------------------------------------- */

/* orders are those of steps up to this, s */
static const double order_step = 0.002;

/* ---- medians --------------------------------------------------------------------------------- */

/* why the first start without numbers has none */
static const char *note_of(gather starts) {
  size_t count;
  const robot_sample *const all = study_rows(starts.run, ROBOT_SAMPLES, &count);
  for (size_t i = 0; i < starts.count; i++) {
    const robot_sample *const s = &all[starts.first + i * starts.stride];
    if (*s->note) return study_text(starts.run, "%s", s->note);
  }
  return "";
}

static void add_rows(study_run *run) {
  const robot_case *const c = run->own;
  for (size_t i = 1; i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i];
    const gather starts = robot_starts_of(run, i);
    robot_row row = {.variant = e->variant,
                     .knob = e->knob,
                     .own = e->own,
                     .rms_error = gather_median(starts, "rms_error"),
                     .rms_low = gather_quantile(starts, "rms_error", 0.25),
                     .rms_high = gather_quantile(starts, "rms_error", 0.75),
                     .estimate = robot_estimate(run),
                     .evaluations = gather_median(starts, "field_evaluations"),
                     .known = gather_known(starts, "rms_error"),
                     .note = note_of(starts)};
    gather_into(starts, gather_median, robot_table(e->kind), "position_error", "seconds", &row);
    study_add(run, robot_table(e->kind), &row);
  }
}

/* ---- the model and its reference ------------------------------------------------------------- */

static const robot_sample *shortest(const study_run *run) {
  const robot_case *const c = run->own;
  size_t count;
  const robot_sample *const all = study_rows(run, ROBOT_SAMPLES, &count), *found = all;
  for (size_t i = 0; i < count; i += c->entries)
    if (all[i].until < found->until) found = &all[i];
  return found;
}

static size_t reached(const study_run *run) {
  const robot_case *const c = run->own;
  size_t count, whole = 0;
  const robot_sample *const all = study_rows(run, ROBOT_SAMPLES, &count);
  for (size_t i = 0; i < count; i += c->entries) whole += strcmp(all[i].status, "success") == 0;
  return whole;
}

static int add_top(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const robot_sample *const least = shortest(run);
  const gather references = robot_starts_of(run, 0);
  robot_top top = {
      .file = run->operand,
      .period = robot_period(c),
      .twin_gap = c->twin_gap,
      .twin_text_gap = c->twin_text_gap,
      .broken = c->broken,
      .pose = s->qpos ? "qpos" : robot_start_pose(c->robot),
      .sizes = c->size,
      .growth = gather_median(references, "growth"),
      .reached = reached(run),
      .until = least->until,
      .status = study_text(run, "%s", least->status),
      .contact = study_text(run, "%s", least->contact),
      .size = gather_median(references, "size"),
      .estimate = robot_estimate(run),
      .estimate_worst = gather_quantile(references, "estimate", 1.0),
      .bodies_estimate = gather_median(references, "bodies_estimate"),
      .hinges_estimate = gather_median(references, "hinges_estimate"),
      .tolerances_apart = gather_median(references, "tolerances_apart"),
      .mujoco_apart = gather_median(references, "mujoco_apart"),
      .check_step = gather_quantile(references, "check_step", 1.0),
      .jumps = gather_median(references, "jumps"),
      .refused = gather_median(references, "refused"),
      .off = robot_off_of(run),
  };
  return measure_bounds(run, &top.bounds) ? -1 : study_add(run, ROBOT_TOP, &top);
}

static void add_findings(study_run *run) {
  static const char *const treatments[] = {
      [ROBOT_SMOOTH] = "smooth",     [ROBOT_GUARDED] = "guarded", [ROBOT_KINK] = "kink",
      [ROBOT_FOLLOWED] = "followed", [ROBOT_REFUSED] = "refused", [ROBOT_LEFT_OUT] = "left out"};
  const robot_case *const c = run->own;
  const robot_finding *const all = robot_findings(c->robot);
  for (size_t i = 0; i < robot_finding_count(c->robot); i++) {
    const robot_finding_row row = {.treatment = treatments[all[i].treatment],
                                   .kind = all[i].kind,
                                   .name = all[i].name,
                                   .why = all[i].why,
                                   .events = all[i].events};
    study_add(run, ROBOT_FINDINGS, &row);
  }
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* rows first..first+count-1 are of one integrator */
static void add_order(study_run *run, const robot_row row[], size_t count) {
  double h[OPTION_NUMBERS_MAX + 1] = {0}, error[OPTION_NUMBERS_MAX + 1] = {0};
  size_t used = 0;
  for (size_t i = 0; i < count && used <= OPTION_NUMBERS_MAX; i++) {
    if (row[i].knob > order_step * (1.0 + 1e-9)) continue;
    if (!(row[i].rms_error >= robot_known_from * row[i].estimate)) continue;
    h[used] = row[i].knob;
    error[used++] = row[i].rms_error;
  }
  const gather_power line = gather_fit_power(h, error, used);
  const robot_order_row order = {
      .variant = row->variant,
      .order = used < 2 ? NAN : line.exponent,
      .interval = {used < 3 ? NAN : line.interval[0], used < 3 ? NAN : line.interval[1]},
      .time_steps = used};
  study_add(run, ROBOT_ORDERS, &order);
}

static void add_orders(study_run *run) {
  size_t count;
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && row[next].variant == row[i].variant;) next++;
    add_order(run, row + i, next - i);
  }
}

int robot_derive(study_run *run) {
  add_findings(run);
  add_rows(run);
  add_orders(run);
  if (robot_derive_reach(run) || robot_derive_paths(run)) return -1;
  return add_top(run);
}
