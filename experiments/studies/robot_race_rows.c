/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What runs of a robot say: columns and queries, the settings that the rule of choice takes for an
 * error, and one screen. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "robot_race.h"
#include "statistics.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* of the model, as the database has it and in the row of all */
#define FACTS(X)                                                                                   \
  X("file", file, TEXT, "", "the model, as given")                                                 \
  X("pose", pose, TEXT, "",                                                                        \
    "that initial conditions are made of: qpos, keyframe 0, init_qpos or qpos0")                   \
  X("positions", sizes.nq, COUNT, "", "nq")                                                        \
  X("velocities", sizes.nv, COUNT, "", "nv")                                                       \
  X("activations", sizes.na, COUNT, "", "na")                                                      \
  X("actuators", sizes.nu, COUNT, "", "nu")                                                        \
  X("bodies", sizes.bodies, COUNT, "", "the world among them")                                     \
  X("events", sizes.events, COUNT, "", "event functions")                                          \
  X("time_step", sizes.time_step, AMOUNT, "s", "the model's own")                                  \
  X("integrator", sizes.integrator, TEXT, "", "the model's own")                                   \
  X("period", period, AMOUNT, "s",                                                                 \
    "a row of --ctrl is held for so long; not known: it is held to the end")                       \
  X("twin_gap", twin_gap, AMOUNT, "",                                                              \
    "of a twin: RMS difference of its field from MuJoCo's, over the field's RMS")                  \
  X("twin_text_gap", twin_text_gap, AMOUNT, "",                                                    \
    "the same from the twin's own text, whose contacts have an added mass")                        \
  X("broken", broken, AMOUNT, "",                                                                  \
    "the most by which the first initial condition, as its pose, breaks an equality: m, rad, or "  \
    "a tendon's length")
#define COST(X, member, meaning) X("cost." #member "_s", bounds.cost.member, AMOUNT, "s", meaning)
#define COSTS(X)                                                                                   \
  COST(X, field,                                                                                   \
       "a right-hand-side evaluation at a new state: the four that follow, along the first run")   \
  COST(X, kinematics, "poses of bodies, lengths of tendons")                                       \
  COST(X, inertia, "its factors, and transmissions")                                               \
  COST(X, rows, "of contacts and limits that act")                                                 \
  COST(X, forces, "velocities, actuators, and the search for the rows' forces")                    \
  COST(X, guards, "event functions, at a state not seen before")                                   \
  COST(X, rates, "their rates, after the field")                                                   \
  COST(X, step, "mj_step by Euler, along the same states")                                         \
  X("cost.acting", bounds.cost.acting, AMOUNT, "", "contacts and limits that act there, the mean") \
  X("stiffness.spectral_radius", bounds.radius, AMOUNT, "1/s",                                     \
    "of the field's Jacobian there, the mean")                                                     \
  X("stiffness.evaluations", bounds.evaluations, AMOUNT, "1/s",                                    \
    "that dopri5 takes in a second where stability alone sets its steps")
#define FACT(called, member, ...) COLUMN_AS(called, robot_top, member, __VA_ARGS__),
#define TAKEN_FACT(called, member, ...)                                                            \
  COLUMN_AS(called, robot_top, member, __VA_ARGS__, .sql = "`" called "`"),
const column robot_fact_columns[] = {FACTS(FACT) COSTS(FACT){0}};

#define FOUND(called, member, sql_, ...)                                                           \
  COLUMN_AS(called, robot_top, member, __VA_ARGS__, .sql = sql_)
#define ABOUT(member, ...) FOUND("reference." #member, member, #member, __VA_ARGS__)
#define OFF(member, ...)   FOUND("off." #member, off.member, __VA_ARGS__)

const column robot_top_columns[] = {
    FACTS(TAKEN_FACT) //
    FOUND("growth", growth, "growth", AMOUNT, "",
          "of a disturbance of 1e-8 of the velocities, at most, by MuJoCo's steps; median"),
    FOUND("reached", reached, "reached", COUNT, "",
          "initial conditions whose reference reaches the end"),
    ABOUT(until, AMOUNT, "s", "time that the reference of every initial condition reaches"),
    FOUND("reference.status", status, "ended", TEXT, "",
          "success, or why the shortest reference ends there"),
    ABOUT(contact, TEXT, "", "where that happens"),
    ABOUT(size, AMOUNT, "",
          "of its states: root mean square over positions and velocities and the output times; "
          "median"),
    ABOUT(estimate, AMOUNT, "",
          "of its error: the larger of the two below, by initial condition; median"),
    ABOUT(estimate_worst, AMOUNT, "", "of all initial conditions"),
    ABOUT(bodies_estimate, AMOUNT, "m", "likewise, of the bodies' origins; median"),
    ABOUT(hinges_estimate, AMOUNT, "rad", "likewise, of the hinges' angles; median"),
    ABOUT(tolerances_apart, AMOUNT, "", "from libess at ten times its tolerance; median"),
    ABOUT(mujoco_apart, AMOUNT, "",
          "from mj_step at its smallest steps, two of them extrapolated where that is nearer; "
          "median"),
    ABOUT(
        check_step, AMOUNT, "s",
        "the smallest of those, by RK4: --check-step, or what --budget lets it be; the largest of "
        "the initial conditions"),
    ABOUT(jumps, AMOUNT, "",
          "jumps of the points of followed contacts, that no event function detects; median"),
    ABOUT(refused, AMOUNT, "",
          "share of its steps that were tried in vain, there and elsewhere; median"),
    OFF(base, "base_off", AMOUNT, "m",
        "largest error of the base from the first initial condition, along one axis, by the "
        "model's own "
        "step; not known where nothing floats or is off"),
    OFF(axis, "coalesce(axis, '')", TEXT, "", "that axis"),
    OFF(name, "coalesce(joint, '')", TEXT, "", "of the joint that is off the most"),
    OFF(joint, "joint_off", AMOUNT, "", "how far that is, at most, in the unit that follows"),
    OFF(unit, "coalesce(joint_unit, '')", TEXT, "", "m or rad"),
    OFF(from, "begins", AMOUNT, "s", "when its error is a tenth of its largest"),
    OFF(after, "coalesce(foot, '')", TEXT, "", "the last touch-down before"),
    OFF(after_time, "touched_at", AMOUNT, "s", "its time"),
    COSTS(TAKEN_FACT){0},
};

/* over the starts */
#define RUN(member, sql_, ...)       COLUMN(robot_row, member, __VA_ARGS__, .sql = sql_)
#define MEDIAN_OF(member, unit, ...) RUN(member, "median(" #member ")", AMOUNT, unit, __VA_ARGS__)
#define ERRORS                                                                                     \
  MEDIAN_OF(                                                                                       \
      rms_error, "",                                                                               \
      "against the reference: root mean square over positions, quaternions normalised, and "       \
      "velocities, in SI units mixed, over the output times; median over the initial conditions"), \
      RUN(rms_low, "quantile(rms_error, 0.25)", AMOUNT, "", "its lower quartile"),                 \
      RUN(rms_high, "quantile(rms_error, 0.75)", AMOUNT, "", "its upper quartile"),                \
      MEDIAN_OF(position_error, "m", "of the bodies' origins, root mean square; median"),          \
      MEDIAN_OF(hinge_error, "rad", "of the hinges' angles, root mean square; median"),            \
      MEDIAN_OF(seconds, "s", "wall time of a run; median"),                                       \
      RUN(estimate, "known_to", AMOUNT, "",                                                        \
          "error of the reference, below which nothing is claimed"),                               \
      RUN(known, "count(rms_error)", COUNT, "", "initial conditions with numbers"),                \
      RUN(note,                                                                                    \
          "coalesce(substr(min(printf('%09d', trial) || message) "                                 \
          "FILTER (WHERE message <> ''), 10), '')",                                                \
          TEXT, "", "why there are none of others")
const column robot_mujoco_columns[] = {
    RUN(variant, "method", TEXT, "", "MuJoCo's integrator"),
    COLUMN_AS("time_step", robot_row, knob, AMOUNT, "s", "of mj_step", .sql = "knob"),
    RUN(own, "own", FLAG, "", "whether both are the model's own"),
    ERRORS,
    {0},
};

const column robot_libess_columns[] = {
    COLUMN_AS("base", robot_row, variant, TEXT, "", "how steps are made: one of --base",
              .sql = "method"),
    COLUMN_AS("tolerance", robot_row, knob, AMOUNT, "", "rtol = atol", .sql = "knob"),
    ERRORS,
    RUN(evaluations, "median(field_evaluations)", AMOUNT, "", "of the field; median"),
    {0},
};

/* ---- queries --------------------------------------------------------------------------------- */

/* A lap is numbered within its cell, as its entry. */
const char robot_laps_sql[] =
    "SELECT l.*, e.who, e.method, e.knob, e.own, max(l.process) OVER () + 1 AS processes, r.seed, "
    "(SELECT median(estimate) FROM robot_laps WHERE run = ?1 AND row = 0) AS known_to "
    "FROM robot_laps l CROSS JOIN (SELECT * FROM robot_entries WHERE run = ?1 LIMIT -1) e "
    "ON e.number = l.row JOIN run r ON r.id = l.run WHERE l.run = ?1";

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
  "(WITH ran AS (SELECT c.*, CAST(start AS INTEGER) AS trial, "                                    \
  "CAST(start AS INTEGER) % spread.processes AS process, spread.processes, spread.seed, "          \
  "a.seconds * pow(nullif(b.seconds, 0) / a.seconds, share) AS seconds, "                          \
  "a.rms_error * pow(nullif(b.rms_error, 0) / a.rms_error, share) AS rms, "                        \
  "a.field_evaluations * pow(nullif(b.field_evaluations, 0) / a.field_evaluations, share) "        \
  "AS evaluations FROM (SELECT max(processes) AS processes, max(seed) AS seed FROM laps) spread, " \
  "robot_choices c LEFT JOIN laps a ON a.trial = c.start AND a.row = c.coarse AND c.coarse "       \
  "AND a.rms_error IS NOT NULL LEFT JOIN laps b ON b.trial = c.start AND b.row = c.fine "          \
  "AND b.rms_error IS NOT NULL WHERE +c.run = ?1 AND start IS NOT NULL) "                          \
  "SELECT m.target, m.error AS rms_error, m.own, m.trial AS start, m.process, m.processes, "       \
  "m.seed, m.method AS variant, m.knob AS time_step, m.seconds AS mujoco_seconds, "                \
  "m.rms AS mujoco_error, l.method AS libess_base, l.knob AS tolerance, "                          \
  "l.seconds AS libess_seconds, l.rms AS libess_error, l.evaluations AS libess_evaluations, "      \
  "p.method AS plain_base, p.knob AS plain_tolerance, p.seconds AS plain_seconds, "                \
  "p.rms AS plain_error, p.evaluations AS plain_evaluations, "                                     \
  "m.seconds / l.seconds AS mujoco_over_libess, p.seconds / l.seconds AS plain_over_libess, "      \
  "b.seconds / l.seconds AS best_over_libess "                                                     \
  "FROM ran m CROSS JOIN ran l USING (target, trial) CROSS JOIN ran p USING (target, trial) "      \
  "CROSS JOIN ran b USING (target, trial) WHERE m.who = 'MuJoCo' AND l.who = 'libess' "            \
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

int robot_choose(study_run *run) {
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

/* ---- the screen: what switches ----------------------------------------------------------------
 */

static bool is_alike(const robot_finding_row *a, const robot_finding_row *b) {
  return strcmp(a->treatment, b->treatment) == 0 && strcmp(a->kind, b->kind) == 0 &&
         strcmp(a->why, b->why) == 0;
}

/* words, in lines of at most 100 columns */
static void show_wrapped(const char *text) {
  enum { INDENT = 11, WIDTH = 100 };
  while (*text) {
    size_t length = strlen(text);
    if (length > WIDTH - INDENT)
      for (length = WIDTH - INDENT; length > 1 && text[length] != ' ';) length--;
    printf("%*s%.*s\n", INDENT, "", (int)length, text);
    text += length + strspn(text + length, " ");
  }
}

/* members that are treated alike share a line, printed at the first of them */
static void robot_show_findings(const study_run *run) {
  size_t count;
  const robot_finding_row *const all = study_rows(run, ROBOT_FINDINGS, &count);
  for (size_t i = 0; i < count; i++) {
    size_t alike = 0, events = 0;
    bool is_first = true;
    for (size_t k = 0; k < i; k++) is_first = is_first && !is_alike(&all[k], &all[i]);
    if (!is_first) continue;
    for (size_t k = i; k < count; k++)
      if (is_alike(&all[k], &all[i])) {
        alike++;
        events += all[k].events;
      }
    printf("  %-8s %s", all[i].treatment, all[i].kind);
    if (alike > 1) printf(", %zu of them", alike);
    if (*all[i].name) printf(": %s%s", all[i].name, alike > 1 ? ", ..." : "");
    if (events) printf(" (%zu event function%s)", events, events > 1 ? "s" : "");
    puts(";");
    show_wrapped(all[i].why);
  }
}

static void robot_show_hulls(const study_run *run) {
  const robot_case *const c = run->own;
  for (size_t i = 0; i < robot_finding_count(c->robot); i++) {
    const robot_finding *const f = &robot_findings(c->robot)[i];
    if (strcmp(f->kind, "mesh") == 0) printf("Mesh %s: %s.\n", f->name, f->why);
  }
}

/* The first lines of a robot's screen: how far MuJoCo's own setting is off in the units of the
 * model, since when, and what it costs to be nearer. */

/* what is nowhere further off does not move; m, rad */
static const double still = 1e-9;

/* an error is asked for, m, rad */
static const double near_enough = 1e-3;

/* ---- the first start, at the model's own setting --------------------------------------------- */

/* "joint 0 z" is along z, of joint 0 */
static void show_worst(const robot_off *off) {
  const size_t length = strlen(off->axis);
  if (length)
    printf("  %-22s %.3g mm at most, along %s (%.*s)\n", "base", 1e3 * off->base,
           off->axis + length - 1, (int)length - 2, off->axis);
  if (*off->name)
    printf("  %-22s %.3g %s at most: %s\n", "worst joint", 1e3 * off->joint,
           strcmp(off->unit, "rad") == 0 ? "mrad" : "mm", off->name);
}

static void show_begin(const robot_off *off) {
  if (isnan(off->from)) return;
  printf("  %-22s ", "begins at");
  if (*off->after)
    printf("%.4g s, after the touch-down %s at %.4g s\n", off->from, off->after, off->after_time);
  else
    printf("%.4g s, before any touch-down\n", off->from);
}

/* ---- settings -------------------------------------------------------------------------------- */

static const robot_row *own_row(const study_run *run) {
  size_t count;
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    if (row[i].own) return &row[i];
  return NULL;
}

/* errors reported in mm, or in mrad: of bodies, or hinges; and where it is in a row, and in what is
 * known of the reference */
typedef struct measure {
  const char *unit;
  size_t row, reference;
} measure;

static const measure by_bodies = {"mm", offsetof(robot_row, position_error),
                                  offsetof(robot_top, bodies_estimate)},
                     by_hinges = {"mrad", offsetof(robot_row, hinge_error),
                                  offsetof(robot_top, hinges_estimate)};

static double error_of(const measure *m, const robot_row *row) {
  return *(const double *)(const void *)((const char *)row + m->row);
}

static const robot_top *top_of(const study_run *run) {
  return study_rows(run, ROBOT_TOP, NULL);
}

static double known_of(const study_run *run, const measure *m) {
  return *(const double *)(const void *)((const char *)top_of(run) + m->reference);
}

/* from every start to the end, and near enough */
static bool reaches(const study_run *run, double error, size_t known, double most) {
  return error <= most && known == study_cells(run);
}

static const robot_row *cheapest_row(const study_run *run, robot_kind kind, const measure *m,
                                     double most) {
  size_t count;
  const robot_row *const row = study_rows(run, robot_table(kind), &count), *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (reaches(run, error_of(m, &row[i]), row[i].known, most) &&
        (!best || row[i].seconds < best->seconds))
      best = &row[i];
  return best;
}

/* below the reference's own error none is reported */
static void print_error(const study_run *run, const measure *m, double error) {
  const double known = known_of(run, m);
  printf("%s%.3g %s", error < known ? "< " : "", 1e3 * fmax(error, known), m->unit);
}

static void show_half(const study_run *run, const measure *m, const robot_row *own) {
  const robot_row *const half = cheapest_row(run, ROBOT_MUJOCO, m, 0.5 * error_of(m, own));
  printf("  %-22s ", "half the error");
  if (!half) {
    puts("not reached at any time step tried");
    return;
  }
  printf("MuJoCo's %s at %g ms: ", half->variant, 1e3 * half->knob);
  print_error(run, m, error_of(m, half));
  printf("; it takes %.2g times as long\n", half->seconds / own->seconds);
}

/* who keeps 1 mm, or 1 mrad, at the least time: MuJoCo, libess, and plain */
static void show_near(const study_run *run, const measure *m) {
  char what[24];
  snprintf(what, sizeof what, "cheapest for 1 %s", m->unit);
  printf("  %-22s ", what);
  const double known = known_of(run, m);
  if (!(known <= near_enough)) {
    printf("not known: the error of the reference may be %.2g %s\n", 1e3 * known, m->unit);
    return;
  }
  const robot_row *const steps = cheapest_row(run, ROBOT_MUJOCO, m, near_enough);
  if (steps)
    printf("MuJoCo's %s at %g ms, %.2g s", steps->variant, 1e3 * steps->knob, steps->seconds);
  else
    printf("MuJoCo at none of the time steps tried");
  for (robot_kind kind = ROBOT_LIBESS; kind <= ROBOT_PLAIN; kind++) {
    const robot_row *const l = cheapest_row(run, kind, m, near_enough);
    if (l)
      printf("\n%25s%s at a tolerance of %g, %s, %.2g s", "", robot_who[kind], l->knob, l->variant,
             l->seconds);
    else
      printf("\n%25s%s at none of the tolerances tried", "", robot_who[kind]);
  }
  putchar('\n');
}

/* by the model's own integrator, at the smallest step that it has run at */
static void show_help(const study_run *run, const measure *m, const robot_row *own) {
  size_t count;
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count), *finest = own;
  for (size_t i = 0; i < count; i++)
    if (!strcmp(row[i].variant, own->variant) && !isnan(row[i].rms_error) &&
        row[i].knob < finest->knob)
      finest = &row[i];
  printf("  %-22s ", "a smaller step");
  if (finest == own) {
    puts("not tried");
    return;
  }
  printf("%s: ", error_of(m, finest) < 0.5 * error_of(m, own) ? "helps" : "hardly helps");
  print_error(run, m, error_of(m, finest));
  printf(" by %s at %.3g ms\n", own->variant, 1e3 * finest->knob);
}

static void show_settings(const study_run *run, const robot_row *own) {
  const bool bodies = own->position_error > still, hinges = own->hinge_error > still;
  if (!bodies && !hinges) return;
  // a body of a metre turns 1 mrad where its end moves 1 mm
  const measure *const m =
      own->hinge_error > own->position_error || !bodies ? &by_hinges : &by_bodies;
  puts("Settings with a smaller error, and the time of a run:");
  show_half(run, m, own);
  if (bodies) show_near(run, &by_bodies);
  if (hinges) show_near(run, &by_hinges);
  show_help(run, m, own);
}

static void show_means(const study_run *run, const robot_row *own) {
  const robot_settings *const s = run->settings;
  const char *const of = s->starts > 1 ? ", median of the initial conditions" : "";
  if (own->position_error > still)
    printf("  %-22s %.3g mm, root mean square of all bodies and times%s\n", "bodies",
           1e3 * own->position_error, of);
  if (own->hinge_error > still)
    printf("  %-22s %.3g mrad, root mean square of all hinges and times%s\n", "hinges",
           1e3 * own->hinge_error, of);
  if (own->position_error <= still && !(own->hinge_error > still))
    printf("  less than %g mm and %g mrad, root mean square%s\n", 1e3 * still, 1e3 * still, of);
}

static void robot_show_brief(const study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_row *const own = own_row(run);
  const robot_top *const top = top_of(run);
  if (!own) return;
  printf("\nError of MuJoCo at the model's own settings (%s, %g ms)", own->variant,
         1e3 * own->knob);
  // reported here, too: else a reader takes the numbers for the whole run
  if (top->reached < s->starts) printf(", up to %.3g s", top->until);
  puts(":");
  if (isnan(own->rms_error)) {
    printf("  not known: %s\n", *own->note ? own->note : "the reference ends at once");
    return;
  }
  if (own->rms_error < own->estimate) {
    puts("  no larger than the error of the reference, so it is not known");
    return;
  }
  show_means(run, own);
  if (s->starts > 1) puts("  from the first initial condition:");
  show_worst(&top->off);
  show_begin(&top->off);
  show_settings(run, own);
}

/* how close two costs are a tie, relative; and how many lines a list has before it is cut */
static const double tie = 1.1;
enum { LINES_MAX = 12 };

/* steps tell where they lead over such a factor */
static const double span = 8.0;

/* an equality that is broken by more is worth a line */
static const double noticed = 1e-6;

/* ---- the model ------------------------------------------------------------------------------- */

static void show_model(const study_run *run, const robot_top *t) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const robot_sizes *const of = &t->sizes;
  printf("%s\n%zu bodies, %zu positions, %zu velocities, %zu actuators; "
         "%zu event functions of contacts and limits.\n"
         "Its integrator is %s, its time step %g ms.\n"
         "%zu initial condition%s, %g s each: %s, ",
         t->file, of->bodies, of->nq, of->nv, of->nu, of->events, of->integrator,
         1e3 * of->time_step, s->starts, s->starts > 1 ? "s" : "", s->time, t->pose);
  if (c->falls)
    printf("raised by %g m, tilted by %g rad.\n", robot_height(s), robot_tilt(s));
  else
    printf("hinges turned by %g rad, as no body is free.\n", robot_tilt(s));
  if (s->without)
    printf("Excluded from contact in MuJoCo and in the reference: --without %s\n", s->without);
  if (s->twin)
    printf("Contacts are springs and dampers (%s N/m, N s/m). The right-hand side agrees with "
           "MuJoCo's to\n%.1e; that of the MJCF, whose contacts have an added mass, to %.1e.\n",
           s->twin, t->twin_gap, t->twin_text_gap);
  if (t->broken > noticed)
    printf("The initial pose violates an equality constraint by %.2g (m, rad), which it then "
           "closes.\n",
           t->broken);
  robot_show_hulls(run);
}

/* ---- the reference --------------------------------------------------------------------------- */

/* what MuJoCo's steps say of the reference */
typedef enum leading { LEAD_THERE, LEAD_ELSEWHERE, LEAD_UNKNOWN } leading;

/* as the gate of a reference: where MuJoCo's finest run is no nearer than its coarsest ones, its
 * steps lead elsewhere; few steps, near each other, tell nothing */
static leading where_steps_lead(const study_run *run, const robot_top *t) {
  size_t count;
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  double coarsest = NAN, largest = 0.0, smallest = t->check_step;
  for (size_t i = 0; i < count; i++) {
    if (isnan(row[i].rms_error)) continue;
    coarsest = fmax(coarsest, row[i].rms_error);
    largest = fmax(largest, row[i].knob);
    smallest = fmin(smallest, row[i].knob);
  }
  if (!(t->mujoco_apart > 10.0 * t->tolerances_apart && t->mujoco_apart > 0.5 * coarsest))
    return LEAD_THERE;
  return largest >= span * smallest ? LEAD_ELSEWHERE : LEAD_UNKNOWN;
}

/* changes that no event function locates, and their cost */
static void show_jumps(const robot_top *t) {
  if (!(t->jumps > 0.0)) return;
  printf(".\nThe points of followed contacts jumped %.3g times, and no event function locates the "
         "jumps:\nonly short steps keep the error small there. %.2g %% of all steps were rejected",
         t->jumps, 100.0 * t->refused);
}

/* in the units of the model first; below it no error is reported */
static void show_estimate(const robot_top *t) {
  // no body's origin moves where all turn about their own: of these nothing is reported
  const bool bodies = t->bodies_estimate > 0.0, hinges = t->hinges_estimate > 0.0;
  if (bodies || hinges) printf(".\nIts error is about ");
  if (bodies) printf("%.2g mm%s", 1e3 * t->bodies_estimate, hinges ? " and " : "");
  if (hinges) printf("%.2g mrad", 1e3 * t->hinges_estimate);
  printf(
      ".\nOver all positions and velocities the error of the reference is about %.1e: libess at a\n"
      "looser tolerance differs from it by %.1e, MuJoCo's nearest run by %.1e. Errors of runs "
      "below\nthat of the reference are not reported",
      t->estimate, t->tolerances_apart, t->mujoco_apart);
}

static void show_reference(const study_run *run, const robot_top *t) {
  const robot_settings *const s = run->settings;
  const bool told = strstr(t->status, t->contact); // an empty one, too
  printf("\nThe reference (libess at a tolerance of %g) reaches the end from %zu of %zu initial "
         "conditions",
         s->reference, t->reached, s->starts);
  if (t->reached < s->starts)
    printf(";\none ends at %.4f s:\n  %s%s%s", t->until, t->status, told ? "" : ", ",
           told ? "" : t->contact);
  if (isnan(t->estimate))
    printf(".\nIts error is not known, so no error is reported");
  else
    show_estimate(t);
  if (t->check_step > s->check_step)
    printf(".\nMuJoCo's smallest step is %.3g s: --budget leaves no time for --check-step, %.3g s",
           t->check_step, s->check_step);
  show_jumps(t);
  const leading lead = where_steps_lead(run, t);
  if (lead == LEAD_ELSEWHERE)
    printf(".\nMuJoCo's steps do not converge to it: one of the two misses an event");
  if (lead == LEAD_UNKNOWN)
    printf(".\nMuJoCo's time steps are too few to show whether they converge to it (--time-steps, "
           "--check-step)");
  printf(".\nA perturbation of the initial condition by 1e-8 is %.3g times as large at the end.\n",
         t->growth);
}

static void show_touchdowns(const study_run *run) {
  size_t count;
  study_rows(run, ROBOT_TOUCHDOWNS, &count);
  if (!count) {
    puts("The first initial condition has no touch-down.");
    return;
  }
  puts("\nTouch-downs from the first initial condition:");
  study_print(run, ROBOT_TOUCHDOWNS, 0, LINES_MAX);
  if (count > LINES_MAX) printf("... %zu more in robot_touchdowns.csv\n", count - LINES_MAX);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static const robot_row *row_at(const study_run *run, const char *variant, double h) {
  size_t count;
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(row[i].variant, variant) && row[i].knob == h) return &row[i];
  return NULL;
}

/* below the reference's error no error is reported */
static void show_error(const robot_row *row) {
  char text[32] = "";
  if (row && isnan(row->rms_error))
    snprintf(text, sizeof text, "none");
  else if (row && row->rms_error < row->estimate)
    snprintf(text, sizeof text, "< %.0e", row->estimate);
  else if (row)
    snprintf(text, sizeof text, "%.2e%s", row->rms_error, row->own ? "*" : "");
  printf(" %12s", text);
}

/* a line for each step that any integrator has, the largest first */
static void show_errors(const study_run *run) {
  size_t orders, rows;
  const robot_order_row *const order = study_rows(run, ROBOT_ORDERS, &orders);
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &rows);
  puts("\nMuJoCo's error by time step (* the model's own), median over the initial conditions:");
  printf("%9s", "step, ms");
  for (size_t i = 0; i < orders; i++) printf(" %12s", order[i].variant);
  for (double last = INFINITY, h; last > 0.0; last = h) {
    h = 0.0;
    for (size_t i = 0; i < rows; i++)
      if (row[i].knob < last && row[i].knob > h) h = row[i].knob;
    if (!(h > 0.0)) break;
    printf("\n%9.5g", 1e3 * h);
    for (size_t i = 0; i < orders; i++) show_error(row_at(run, order[i].variant, h));
  }
  printf("\n%9s", "order");
  for (size_t i = 0; i < orders; i++) printf(" %12.2f", order[i].order);
  putchar('\n');
}

/* ---- what does not get to the end ------------------------------------------------------------ */

/* A line for each integrator and base, with the first reason: what fails from some starts is not
 * to hide behind what does not. */
static void show_endings(const study_run *run) {
  const size_t starts = study_cells(run);
  const robot_row *of = NULL, *first = NULL;
  robot_kind last = ROBOT_MUJOCO;
  for (robot_kind kind = ROBOT_MUJOCO; kind <= ROBOT_PLAIN; kind++) {
    size_t count;
    const robot_row *const row = study_rows(run, robot_table(kind), &count);
    for (size_t i = 0; i < count; i++) {
      if (row[i].known >= starts) continue;
      const bool is_same = of && last == kind && !strcmp(of->variant, row[i].variant);
      if (!of)
        printf("\nNot all runs reach the end (step in s or tolerance: initial conditions that do, "
               "of %zu):",
               starts);
      if (!is_same && first) printf("; %s", first->note);
      if (!is_same) printf("\n  %s, %s:", robot_who[kind], row[i].variant);
      if (!is_same) first = &row[i];
      of = &row[i];
      last = kind;
      printf("%s %g: %zu", is_same ? "," : "", of->knob, of->known);
    }
  }
  if (first) printf("; %s\n", first->note);
}

/* where libess ties or loses, and where a ratio is of some starts alone */
static void show_ties(const study_run *run) {
  size_t count;
  const robot_reach_row *const row = study_rows(run, ROBOT_REACH, &count);
  for (size_t i = 0; i < count; i++) {
    if (row[i].plain_over_libess < tie)
      printf("At an error of %.1e the event-unaware solver is %s.\n", row[i].rms_error,
             row[i].plain_over_libess > 1.0 / tie ? "as cheap as libess" : "cheaper than libess");
    if (row[i].mujoco_over_libess < tie)
      printf("At an error of %.1e MuJoCo is %s.\n", row[i].rms_error,
             row[i].mujoco_over_libess > 1.0 / tie ? "as cheap as libess" : "cheaper than libess");
    if (isnan(row[i].libess_seconds))
      printf("libess does not reach an error of %.1e at the tolerances tried.\n", row[i].rms_error);
    else if (row[i].held_out && row[i].held_out < study_cells(run))
      printf("At an error of %.1e the ratio is known from %zu of %zu initial conditions: from the\n"
             "others MuJoCo or libess does not reach the end.\n",
             row[i].rms_error, row[i].held_out, study_cells(run));
  }
}

static void show_reaches(const study_run *run) {
  size_t count;
  study_rows(run, ROBOT_REACH, &count);
  if (!count) {
    puts("\nCosts are not compared: the error of the reference is too large or not known, or all "
         "runs\n"
         "reach every target error.");
    return;
  }
  puts(
      "\nCost at equal error (the first is that of the model's own settings). ratio: MuJoCo's time "
      "over\nlibess's, with its interval; fields: right-hand-side evaluations of libess; plain: "
      "time "
      "of the\nevent-unaware solver over libess's:");
  show_ties(run);
  study_print(run, ROBOT_REACH, 0, count);
}

void robot_show(const study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_top *const top = study_rows(run, ROBOT_TOP, NULL);
  show_model(run, top);
  robot_show_brief(run);
  show_reference(run, top);
  if (!s->all) {
    puts("--all shows all tables, and --help explains the terms.");
    return;
  }
  puts("\nElements that switch:");
  robot_show_findings(run);
  show_touchdowns(run);
  show_errors(run);
  show_endings(run);
  show_reaches(run);
}
