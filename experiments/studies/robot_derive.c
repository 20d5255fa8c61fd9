/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What runs of a robot say, as queries; what reaches an error, by the rule of choice; and the first
 * start over time. */
#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "robot_study.h"
#include "statistics.h"

/* ---- queries --------------------------------------------------------------------------------- */

/* A lap is numbered within its cell, as its entry. */
const char robot_laps_sql[] =
    "SELECT l.*, e.who, e.method, e.knob, e.own, max(l.process) OVER () + 1 AS processes, r.seed, "
    "(SELECT median(estimate) FROM robot_laps WHERE run = ?1 AND row = 0) AS known_to "
    "FROM robot_laps l JOIN robot_entries e ON e.run = l.run AND e.number = l.row "
    "JOIN run r ON r.id = l.run WHERE l.run = ?1";

/* of steps of at most 2 ms; an error is known where it is three times the reference's */
const char robot_orders_sql[] =
    "(SELECT variant, line->>0 AS `order`, json_remove(line, '$[3]', '$[0]') AS interval, "
    "steps AS time_steps FROM (SELECT variant, min(row) AS place, "
    "power(time_step, rms_error) FILTER (WHERE fits) AS line, sum(fits) AS steps "
    "FROM (SELECT *, time_step <= 0.002 * (1 + 1e-9) AND coalesce(rms_error >= 3 * estimate, 0) "
    "AS fits FROM robot_mujoco WHERE run = ?1 ORDER BY row) GROUP BY variant ORDER BY place))";

/* Of the first initial condition: which states of bodies that count are furthest off, where one
 * that is off by less than 1e-9 m or rad does not move; and when the error is a tenth of its
 * largest. */
const char robot_top_sql[] =
    "(WITH worst AS (SELECT state, unit, min(row) AS place, max(abs(mujoco - reference)) AS most, "
    "state GLOB '?* [xyz]' AS is_base FROM robot_paths WHERE run = ?1 AND counts "
    "AND unit IN ('m', 'rad') AND state NOT GLOB 'd *' GROUP BY state HAVING most > 1e-9), "
    "base AS (SELECT most AS base_off, state AS axis FROM worst WHERE is_base "
    "ORDER BY most DESC, place LIMIT 1), "
    "joint AS (SELECT most AS joint_off, state AS joint, unit AS joint_unit FROM worst "
    "WHERE NOT is_base ORDER BY most DESC, place LIMIT 1), "
    "mine AS (SELECT t, rms_error FROM robot_errors WHERE run = ?1 AND own), "
    "begun AS (SELECT min(t) AS begins FROM mine "
    "WHERE rms_error >= 0.1 * (SELECT max(rms_error) FROM mine)), "
    "touched AS (SELECT foot, time AS touched_at FROM robot_touchdowns, begun "
    "WHERE run = ?1 AND time <= begins ORDER BY row DESC LIMIT 1), "
    "shortest AS (SELECT until, ended, contact FROM laps WHERE row = 0 "
    "ORDER BY until, trial LIMIT 1), "
    "medians AS (SELECT median(growth) AS growth, sum(ended = 'success') AS reached, "
    "median(size) AS size, median(estimate) AS estimate, max(estimate) AS estimate_worst, "
    "median(bodies_estimate) AS bodies_estimate, median(hinges_estimate) AS hinges_estimate, "
    "median(tolerances_apart) AS tolerances_apart, median(mujoco_apart) AS mujoco_apart, "
    "max(check_step) AS check_step, median(jumps) AS jumps, median(refused) AS refused "
    "FROM laps WHERE row = 0) "
    "SELECT * FROM robot_facts f, shortest, medians, begun LEFT JOIN base LEFT JOIN joint "
    "LEFT JOIN touched WHERE f.run = ?1)";

/* What is asked for: the error of the model's own setting where it is known, and others where they
 * are ten times the reference's. */
#define ASKED                                                                                      \
  "(SELECT * FROM robot_choices WHERE run = ?1 AND start IS NULL "                                 \
  "AND error >= iif(own, 3, 10) * (SELECT min(known_to) FROM laps))"

/* From every start each program runs as the others have it best: settings are chosen by some starts
 * and judged by those held out. A setting may lie between two entries. A run that did not get to
 * the end has no cost that another's is to be compared with. */
#define HELD_OUT                                                                                   \
  "(WITH ran AS (SELECT c.*, o.trial, o.process, o.processes, o.seed, "                            \
  "a.seconds * pow(nullif(b.seconds, 0) / a.seconds, share) AS seconds, "                          \
  "a.rms_error * pow(nullif(b.rms_error, 0) / a.rms_error, share) AS rms, "                        \
  "a.field_evaluations * pow(nullif(b.field_evaluations, 0) / a.field_evaluations, share) "        \
  "AS evaluations FROM robot_choices c JOIN laps o ON o.trial = c.start AND o.row = 0 "            \
  "LEFT JOIN laps a ON a.trial = c.start AND a.row = c.coarse AND c.coarse "                       \
  "AND a.rms_error IS NOT NULL LEFT JOIN laps b ON b.trial = c.start AND b.row = c.fine "          \
  "AND b.rms_error IS NOT NULL WHERE c.run = ?1) "                                                 \
  "SELECT m.target, m.error AS rms_error, m.own, m.trial AS start, m.process, m.processes, "       \
  "m.seed, m.method AS variant, m.knob AS time_step, m.seconds AS mujoco_seconds, "                \
  "m.rms AS mujoco_error, l.method AS libess_base, l.knob AS tolerance, "                          \
  "l.seconds AS libess_seconds, l.rms AS libess_error, l.evaluations AS libess_evaluations, "      \
  "p.method AS plain_base, p.knob AS plain_tolerance, p.seconds AS plain_seconds, "                \
  "p.rms AS plain_error, p.evaluations AS plain_evaluations, "                                     \
  "m.seconds / l.seconds AS mujoco_over_libess, p.seconds / l.seconds AS plain_over_libess, "      \
  "b.seconds / l.seconds AS best_over_libess "                                                     \
  "FROM ran m JOIN ran l USING (target, trial) JOIN ran p USING (target, trial) "                  \
  "JOIN ran b USING (target, trial) WHERE m.who = 'MuJoCo' AND l.who = 'libess' "                  \
  "AND p.who = 'plain' AND b.who = 'best' ORDER BY target, trial)"
const char robot_held_out_sql[] = HELD_OUT " WHERE target IN (SELECT target FROM " ASKED ")";

const char robot_reach_sql[] =
    "(WITH asked AS " ASKED ", held AS (SELECT target, median(mujoco_seconds) AS mujoco_seconds, "
    "median(mujoco_error) AS mujoco_error, median(libess_seconds) AS libess_seconds, "
    "median(libess_error) AS libess_error, median(libess_evaluations) AS libess_evaluations, "
    "median(plain_seconds) AS plain_seconds, median(plain_error) AS plain_error, "
    "median(plain_evaluations) AS plain_evaluations, count(mujoco_over_libess) AS held_out, "
    "known_median_of(mujoco_over_libess, start, processes, seed) AS mujoco, "
    "known_median_of(plain_over_libess, start, processes, seed) AS plain, "
    "known_median_of(best_over_libess, start, processes, seed) AS best "
    "FROM " HELD_OUT " GROUP BY target) "
    "SELECT held.*, m.error AS rms_error, m.own, m.method AS variant, m.knob AS time_step, "
    "l.method AS libess_base, l.knob AS tolerance, p.method AS plain_base, "
    "mujoco->>0 AS mujoco_over_libess, mujoco->>1 AS mujoco_over_libess_low, "
    "mujoco->>2 AS mujoco_over_libess_high, plain->>0 AS plain_over_libess, "
    "plain->>1 AS plain_over_libess_low, plain->>2 AS plain_over_libess_high, "
    "best->>0 AS best_over_libess, best->>1 AS best_over_libess_low, "
    "best->>2 AS best_over_libess_high "
    "FROM asked m JOIN asked l USING (target) JOIN asked p USING (target) JOIN held USING (target) "
    "WHERE m.who = 'MuJoCo' AND l.who = 'libess' AND p.who = 'plain' ORDER BY target)";

/* ---- what reaches an error at which cost ----------------------------------------------------- */

/* errors that are asked for */
static const double targets[] = {1e-1, 1e-2, 1e-3, 1e-4};

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

/* ---- rows ------------------------------------------------------------------------------------ */

/* what is under way: what the starts show but for each fold, and behind them all of them */
typedef struct deriving {
  study_run *run;
  size_t folds, targets;
  shown *by; /* folds + 1 */
} deriving;

/* `start` is held out; NaN: none is */
static void add_choices(const deriving *d, double start, const chosen *made, bool own) {
  static const char *const who[] = {"MuJoCo", "libess", "plain", "best"};
  const robot_case *const c = d->run->own;
  const setting *const of[] = {&made->mujoco, &made->libess, &made->plain, &made->best};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    const robot_choice_row row = {.target = d->targets,
                                  .error = made->target,
                                  .own = own,
                                  .start = start,
                                  .who = who[i],
                                  .method = variant_of(c, of[i]),
                                  .knob = knob_of(c, of[i]),
                                  .coarse = of[i]->coarse,
                                  .fine = of[i]->fine,
                                  .share = of[i]->share};
    study_add(d->run, ROBOT_CHOICES, &row);
  }
}

/* with the settings for each start, which are chosen by the others */
static void add_target(deriving *d, double target, size_t own) {
  const robot_case *const c = d->run->own;
  const chosen made = choose(c, &d->by[d->folds], target, own);
  // what every program does by the coarsest means is no question
  if (made.mujoco.coarsest && made.libess.coarsest && made.plain.coarsest) return;
  add_choices(d, NAN, &made, own);
  for (size_t i = 0; i < study_cells(d->run); i++) {
    const chosen here = choose(c, &d->by[i % d->folds], target, own);
    add_choices(d, (double)i, &here, own);
  }
  d->targets++;
}

/* the model's own setting first */
static void add_targets(deriving *d) {
  const robot_case *const c = d->run->own;
  for (size_t i = 1; i < c->entries; i++) {
    const double error = d->by[d->folds].error[i];
    if (c->entry[i].own && error > 0.0) add_target(d, error, i);
  }
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) add_target(d, targets[i], 0);
}

static int choose_all(study_run *run) {
  const size_t starts = study_cells(run);
  deriving d = {.run = run, .folds = starts < FOLDS ? starts : FOLDS};
  d.by = calloc(d.folds + 1, sizeof *d.by);
  int status = d.by ? 0 : study_out_of_memory(run);
  // a single start has no others
  for (size_t i = 0; !status && i <= d.folds; i++)
    status = look(run, i < d.folds && starts > 1 ? d.folds : 0, i, &d.by[i]);
  if (!status) add_targets(&d);
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

/* ---- rows ------------------------------------------------------------------------------------ */

static int add_facts(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  robot_top top = {.file = run->operand,
                   .period = robot_period(c),
                   .twin_gap = c->twin_gap,
                   .twin_text_gap = c->twin_text_gap,
                   .broken = c->broken,
                   .pose = s->qpos ? "qpos" : robot_start_pose(c->robot),
                   .sizes = c->size};
  return measure_bounds(run, &top.bounds) ? -1 : study_add(run, ROBOT_FACTS, &top);
}

static void add_runs_of(study_run *run) {
  const robot_case *const c = run->own;
  for (size_t i = 0; i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i];
    const robot_run_row row = {i, i ? robot_who[e->kind] : "reference", e->variant, e->knob,
                               e->own};
    study_add(run, ROBOT_RUNS, &row);
  }
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

int robot_derive(study_run *run) {
  add_runs_of(run);
  add_findings(run);
  return choose_all(run) || robot_derive_paths(run) || add_facts(run) ? -1 : 0;
}
