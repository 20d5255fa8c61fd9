/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench mujoco: MuJoCo at its best. Every setting of its own timed against the race's, where its
 * time goes, and a failure if the race holds it back. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "race.h"
#include "series.h"
#include "solvers.h"
#include "statistics.h"
#include "studies.h"

/* Settings that leave the trajectory this close to the reference's, relative to the largest value
 * of the component that differs most, leave it unchanged. */
#define MUJOCO_UNCHANGED 1e-9

/* One combination of settings. */
typedef struct mujoco_variant {
  bool own;            /* based on MuJoCo's own defaults; false: on the race's settings */
  const char *changes; /* as bridge_variant_prepare has them; empty: the base itself */
} mujoco_variant;

/* MuJoCo's own first, the race's second. */
enum { MUJOCO_OWN = 0, MUJOCO_RACE = 1, MUJOCO_VARIANTS = 52, MUJOCO_PROFILES = 2 };

#define OPTIONS(X, row)                                                                            \
  X(row, contacts, CONTACTS, "contacts", "LIST",                                                   \
    "numbers of the plate's contacts: 2..100, 2..100..7 (in steps of 7), 2,5,10 or a mixture "     \
    "(default 2,10,100); the hopper is always included",                                           \
    .initial = "2,10,100")                                                                         \
  X(row, trials, WHOLE, "trials", "COUNT", "initial conditions for each number of contacts",       \
    .initial = "120", .min = 1, .max = 1e6, .result = "trials")                                    \
  X(row, minimum_effect, NUMBER, "minimum-effect", "X",                                            \
    "smallest relative difference from the compared settings that counts as faster or slower",     \
    .initial = "0.05", .max = 10.0, .result = "minimum_effect")                                    \
  X(row, callback, FLAG, "callback", NULL,                                                         \
    "contact force by a callback instead of contacts, as in solver mujoco-callback",               \
    .result = "callback")
OPTION_ROW(mujoco_settings, OPTIONS);

/* What is said of a setting: this MuJoCo does not have it, or gives up with it; it takes another
 * trajectory; it is faster than the race's by more than the minimum effect, seen twice; slower by
 * as much; neither is shown; it is the race's own, with an unchanged trajectory. */
static const char mujoco_left_out[] = "left out", mujoco_changed[] = "changes the trajectory",
                  mujoco_faster[] = "faster", mujoco_slower[] = "slower",
                  mujoco_as_fast[] = "no difference shown", mujoco_is_the_race[] = "the race's";

/* ---- cells: the hopper, then the plate with every number of contacts ------------------------- */

typedef enum mujoco_kind {
  MUJOCO_FOLLOW, /* trajectories of all settings from all starts, untimed */
  MUJOCO_RACED,  /* all settings in one process; and those that looked faster once more */
  MUJOCO_AGAIN,
  MUJOCO_PROFILE /* MuJoCo's timers on the race's settings, and on its own */
} mujoco_kind;

typedef struct mujoco_cell {
  mujoco_kind kind;
  size_t of, number; /* case; process, or which profile */
} mujoco_cell;

/* What a cell gives: of FOLLOW a row for each setting, of RACED and AGAIN one for each
 * start and each that takes part; of PROFILE one for each start, then one for each timer. */
#define MUJOCO_SAMPLE_COLUMNS(COLUMN, row)                                                         \
  COLUMN(row, variant, COUNT, "", "number of the setting")                                         \
  COLUMN(row, trial, COUNT, "", "of the initial condition")                                        \
  COLUMN(row, difference, AMOUNT, "",                                                              \
         "of trajectories, the largest over all initial conditions, relative")                     \
  COLUMN(row, gap, GAP, "", "of MuJoCo's acceleration from the model's")                           \
  COLUMN(row, left_out, TEXT, "", "why, one line")                                                 \
  COLUMN(row, seconds, AMOUNT, "", "of one run")                                                   \
  COLUMN(row, retaken, AMOUNT, "", "runs taken again")                                             \
  COLUMN(row, rms_error, AMOUNT, "", "against our reference")                                      \
  COLUMN(row, timers_cost, AMOUNT, "",                                                             \
         "time of an initial condition under the timers over seconds, without them")               \
  COLUMN(row, timer, TEXT, "", "MuJoCo's own name")                                                \
  COLUMN(row, parent, NUMBER, "", "the timer it is a part of, or BRIDGE_NO_TIMER")                 \
  COLUMN(row, calls, AMOUNT, "", "in a step")                                                      \
  COLUMN(row, measured_ns, AMOUNT, "", "in a step, by the timer")                                  \
  COLUMN(row, run_ns, AMOUNT, "", "a step without timers")                                         \
  COLUMN(row, reading_ns, AMOUNT, "", "one reading of the clock")
COLUMN_ROW(mujoco_sample, MUJOCO_SAMPLE_COLUMNS);

/* Who takes part in a session of a case: the race's first; and where its laps are. */
typedef struct mujoco_session {
  size_t count, variant[MUJOCO_VARIANTS];
  size_t cell; /* of its first process, where it is planned */
} mujoco_session;

/* ---- rows ------------------------------------------------------------------------------------ */

enum { MUJOCO_SAMPLES = STUDY_SAMPLES, MUJOCO_TOP, MUJOCO_ROWS, MUJOCO_TRIALS, MUJOCO_TIMES };

/* What a row is of. */
typedef struct mujoco_name {
  const char *model;
  size_t contacts;
  const char *base, *changes;
} mujoco_name;

typedef struct mujoco_row {
  mujoco_name of;
  double median_s, median_interval_s[2], q25_s, q75_s, min_s;
  double ratio, ratio_interval[2], difference, rms_error, rms_worst, field_gap, scaling_s;
  double confirmed, confirmed_interval[2];
  double retaken;
  const char *verdict, *left_out;
} mujoco_row;

typedef struct mujoco_trial {
  mujoco_name of;
  size_t session, trial, process;
  double seconds, rms_error;
} mujoco_trial;

/* Where MuJoCo's time goes with one setting, per step; means over the quiet half of the starts. */
typedef struct mujoco_profile {
  mujoco_name of;
  double run_s; /* without timers */
  double timers_cost, reading_s;
} mujoco_profile;

/* A timer, or what none of its parts accounts for. */
typedef struct mujoco_time {
  mujoco_profile in;
  const char *timer, *part_of;
  double calls, measured_s, net_s, share;
} mujoco_time;

#define MUJOCO_TOP_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, unchanged, AMOUNT, "",                                                               \
         "largest relative difference at which a trajectory is unchanged")                         \
  COLUMN(row, confidence, AMOUNT, "", "of the intervals")
COLUMN_ROW(mujoco_top, MUJOCO_TOP_COLUMNS);

/* The settings of MuJoCo's that are tried. */

/* what each step from MuJoCo's own defaults to the race's buys, then every single change of the
 * race's, then those that may go together */
static const mujoco_variant mujoco_variants[MUJOCO_VARIANTS] = {
    {true, ""},
    {false, ""},
    {true, "jacobian=dense"},
    {true, "warmstart=off"},
    {true, "tall=on"},
    {true, "pairs=on"},
    {true, "lean=on"},

    {false, "pairs=on"},
    {false, "pairs=off"},
    {false, "pairs=off Midphase=on"},
    {false, "jacobian=sparse"},
    {false, "jacobian=auto"},
    {false, "cone=elliptic"},
    {false, "solver=CG"},
    {false, "solver=CG jacobian=sparse"},
    {false, "solver=PGS"},
    {false, "tolerance=0 iterations=10"},
    {false, "tolerance=1e-10"},
    {false, "tolerance=1e-6"},
    {false, "tolerance=1e-4"},
    {false, "iterations=2"},
    {false, "ls_iterations=5"},
    {false, "ls_iterations=10"},
    {false, "ls_tolerance=0.1"},
    {false, "ls_tolerance=1e-4"},
    {false, "warmstart=on"},
    {false, "tall=off"},
    {false, "lean=off"},

    {false, "Equality=on"},
    {false, "Frictionloss=on"},
    {false, "Limit=on"},
    {false, "Passive=on"},
    {false, "Spring=on Damper=on"},
    {false, "Clampctrl=on"},
    {false, "Filterparent=on"},
    {false, "Actuation=on"},
    {false, "Refsafe=on"},
    {false, "Sensor=on"},
    {false, "Midphase=on"},
    {false, "Eulerdamp=on"},
    {false, "AutoReset=on"},
    {false, "NativeCCD=on"},
    {false, "MultiCCD=on"},
    {false, "Island=on"},
    {false, "Sleep=off"},
    {false, "Speculative=on"},

    {false, "timestep=0.001"},
    {false, "timestep=0.004"},
    {false, "integrator=implicit"},
    {false, "integrator=implicitfast"},
    {false, "integrator=discrete"},
    {false, "integrator=RK4"},
};

enum { CHANGES_SIZE = 96 };

/* "mujoco" or "race" */
static const char *mujoco_variant_base(const mujoco_variant *v) {
  return v->own ? "mujoco" : "race";
}

/* one of them, for the run's kind of force; the changes are kept in `changes` */
static race_entry variant_entry(const study_run *run, size_t variant, char changes[CHANGES_SIZE]) {
  const mujoco_variant *const v = &mujoco_variants[variant];
  const mujoco_settings *const given = run->settings;
  snprintf(changes, CHANGES_SIZE, "%s%s", given->callback ? "callback=on " : "", v->changes);
  return race_variant(v->own, changes);
}

/* ---- columns --------------------------------------------------------------------------------- */

#define OF_NAME(row, of)                                                                           \
  COLUMN_AS("model", row, of.model, TEXT, "", "hopper or plate", SHOWN("model", "%-6s")),          \
      COLUMN_AS("contacts", row, of.contacts, COUNT, "", "number of contacts",                     \
                SHOWN("N", "%4.0f")),                                                              \
      COLUMN_AS("base", row, of.base, TEXT, "", "mujoco: its own defaults; race: the race's",      \
                SHOWN("base", "%-6s")),                                                            \
      COLUMN_AS("changes", row, of.changes, TEXT, "", "of it, by MuJoCo's names",                  \
                SHOWN("changes", "%-25s"))

static const column row_columns[] = {
    OF_NAME(mujoco_row, of),
    COLUMN(mujoco_row, median_s, AMOUNT, "s", "of one run", SHOWN_TIMES("ms", "%8.4f", 1e3)),
    COLUMN_AS("median_lo_s", mujoco_row, median_interval_s[0], AMOUNT, "s", "its 95 % interval",
              SHOWN_TIMES("from", "%7.4f", 1e3)),
    COLUMN_AS("median_hi_s", mujoco_row, median_interval_s[1], AMOUNT, "s", "its 95 % interval",
              SHOWN_TIMES("to", "%7.4f", 1e3)),
    COLUMN(mujoco_row, q25_s, AMOUNT, "s", "lower quartile", .place = COLUMN_CSV_ONLY),
    COLUMN(mujoco_row, q75_s, AMOUNT, "s", "upper quartile", .place = COLUMN_CSV_ONLY),
    COLUMN(mujoco_row, min_s, AMOUNT, "s", "fastest", .place = COLUMN_CSV_ONLY),
    COLUMN(mujoco_row, ratio, AMOUNT, "", "time over the race's, paired by initial condition",
           SHOWN("ratio", "%6.3f")),
    COLUMN_AS("ratio_lo", mujoco_row, ratio_interval[0], AMOUNT, "", "its 95 % interval",
              SHOWN("from", "%6.3f")),
    COLUMN_AS("ratio_hi", mujoco_row, ratio_interval[1], AMOUNT, "", "its 95 % interval",
              SHOWN("to", "%6.3f")),
    COLUMN(mujoco_row, difference, AMOUNT, "",
           "of the trajectory from that by MuJoCo's own defaults, the largest, relative",
           SHOWN("differs", "%8.1e")),
    COLUMN(mujoco_row, rms_error, AMOUNT, "", "against our reference, median",
           SHOWN("RMS", "%8.2g")),
    COLUMN(mujoco_row, rms_worst, AMOUNT, "", "the largest"),
    COLUMN(mujoco_row, field_gap, AMOUNT, "", "of MuJoCo's acceleration from the model's"),
    COLUMN(mujoco_row, scaling_s, AMOUNT, "", "divides the mass MuJoCo's contacts add"),
    COLUMN(mujoco_row, confirmed, AMOUNT, "", "the ratio when timed a second time",
           SHOWN("again", "%6.3f")),
    COLUMN_AS("confirmed_lo", mujoco_row, confirmed_interval[0], AMOUNT, "", "its 95 % interval"),
    COLUMN_AS("confirmed_hi", mujoco_row, confirmed_interval[1], AMOUNT, "", "its 95 % interval"),
    COLUMN(mujoco_row, retaken, AMOUNT, "",
           "runs taken again because the thread had lost its core, in the first session"),
    COLUMN(mujoco_row, verdict, TEXT, "", "what is said of the setting", SHOWN("", "%s")),
    COLUMN(mujoco_row, left_out, TEXT, "", "why it is left out", SHOWN("", "%s")),
    {0},
};

static const column trial_columns[] = {
    OF_NAME(mujoco_trial, of),
    COLUMN(mujoco_trial, session, COUNT, "", "1, or 2 for those that looked faster"),
    COLUMN(mujoco_trial, trial, COUNT, "", "start"),
    COLUMN(mujoco_trial, process, COUNT, "", "which of them ran it"),
    COLUMN(mujoco_trial, seconds, AMOUNT, "s", "of one run"),
    COLUMN(mujoco_trial, rms_error, AMOUNT, "", "against our reference"),
    {0},
};

static const column time_columns[] = {
    OF_NAME(mujoco_time, in.of),
    COLUMN(mujoco_time, timer, TEXT, "", "MuJoCo's own name; rest: what no part accounts for",
           SHOWN("timer", "%-16s")),
    COLUMN(mujoco_time, part_of, TEXT, "", "the timer it is a part of; empty: the whole step",
           SHOWN("of", "%-13s")),
    COLUMN(mujoco_time, calls, AMOUNT, "", "in a step"),
    COLUMN(mujoco_time, measured_s, AMOUNT, "s", "in a step, by the timer"),
    COLUMN(mujoco_time, net_s, NUMBER, "s", "without what the readings of the clock took",
           SHOWN_TIMES("us", "%8.4f", 1e6)),
    COLUMN(mujoco_time, share, NUMBER, "", "of the step", SHOWN_TIMES("share", "%6.1f%%", 100.0)),
    COLUMN_AS("run_s", mujoco_time, in.run_s, AMOUNT, "s", "a step without timers",
              SHOWN_TIMES("without us", "%10.4f", 1e6)),
    COLUMN_AS("timers_cost", mujoco_time, in.timers_cost, AMOUNT, "",
              "a run with timers over one without", SHOWN("timers cost", "%11.2f")),
    COLUMN_AS("reading_s", mujoco_time, in.reading_s, AMOUNT, "s", "one reading of the clock"),
    {0},
};

/* The cells of mujoco: trajectories of all settings, and their races. */

/* with fewer starts than these a 95 % interval of a median is no such thing: no verdict on times */
enum { VERDICT_TRIALS = 6 };

/* ---- cases ----------------------------------------------------------------------------------- */

static const mujoco_settings *given_of(const study_run *run) {
  return run->settings;
}

/* how many cases there are; one's name, contacts and starts. NULL with one line. */
static size_t mujoco_cases(const study_run *run) {
  return 1 + given_of(run)->contacts.count;
}

static const model_type *mujoco_type(size_t of) {
  return model_find(of ? "plate" : "hopper");
}

static size_t mujoco_contacts(const study_run *run, size_t of) {
  return of ? given_of(run)->contacts.contacts[of - 1] : 1;
}

static contest_starts *mujoco_starts(study_run *run, size_t of) {
  // the hopper has one contact, and no parameter to say so
  const case_change changes[] = {{"contacts", (double)mujoco_contacts(run, of)}, {0}};
  return case_starts_of(run, mujoco_type(of), changes, given_of(run)->trials, run->seed);
}

/* ---- who takes part -------------------------------------------------------------------------- */

static const mujoco_sample *mujoco_followed(const study_run *run, size_t of, size_t variant) {
  return (const mujoco_sample *)study_samples(run, of, NULL) + variant;
}

/* the first cell of a case that is of this kind, if there is one */
static size_t cell_of(const study_run *run, mujoco_kind kind, size_t of) {
  size_t i = 0;
  for (; i < study_cells(run); i++) {
    const mujoco_cell *const c = study_cell_at(run, i);
    if (c->kind == kind && c->of == of) break;
  }
  return i;
}

static mujoco_session mujoco_first_session(study_run *run, size_t of) {
  mujoco_session s = {.count = 1, .variant = {MUJOCO_RACE}, .cell = cell_of(run, MUJOCO_RACED, of)};
  for (size_t k = 0; k < MUJOCO_VARIANTS; k++)
    if (k != MUJOCO_RACE && !*mujoco_followed(run, of, k)->left_out) s.variant[s.count++] = k;
  return s;
}

/* how starts are spread over processes */
static draws mujoco_draws(const study_run *run) {
  return race_draws(run, given_of(run)->trials, false);
}

/* the samples of one who takes part in a session */
static gather mujoco_laps(study_run *run, const mujoco_session *session, size_t place) {
  const draws d = mujoco_draws(run);
  return race_laps(run, session->cell, &d, session->count, place);
}

/* the median of its times in a session, or of those over the race's; a failure is noted */
static void mujoco_median(study_run *run, const mujoco_session *session, size_t place,
                          bool over_race, double *median, double interval[2]) {
  const gather laps = mujoco_laps(run, session, place);
  const draws d = mujoco_draws(run);
  if (over_race)
    series_median_ratio(laps, mujoco_laps(run, session, 0), "seconds", &d, median, interval);
  else
    series_median(laps, "seconds", &d, median, interval);
}

/* of a setting whose trajectory differs so much, and whose time over the race's is a ratio with an
 * interval */
static const char *mujoco_judge(size_t variant, double difference, double ratio,
                                const double interval[2], double effect) {
  if (!(difference <= MUJOCO_UNCHANGED)) return mujoco_changed;
  if (variant == MUJOCO_RACE) return mujoco_is_the_race;
  if (ratio * (1.0 + effect) < 1.0 && interval[1] < 1.0) return mujoco_faster;
  if (ratio > 1.0 + effect && interval[0] > 1.0) return mujoco_slower;
  return mujoco_as_fast;
}

/* the least effect that is one: none is seen from few starts */
static double mujoco_effect(const mujoco_settings *given) {
  return given->trials < VERDICT_TRIALS ? INFINITY : given->minimum_effect;
}

/* those of the first session that look faster than the race's by it, which comes first */
static mujoco_session mujoco_second_session(study_run *run, size_t of) {
  const double effect = mujoco_effect(given_of(run));
  const mujoco_session in = mujoco_first_session(run, of);
  mujoco_session out = {
      .count = 1, .variant = {MUJOCO_RACE}, .cell = cell_of(run, MUJOCO_AGAIN, of)};
  for (size_t i = 1; i < in.count; i++) {
    double ratio, interval[2];
    mujoco_median(run, &in, i, true, &ratio, interval);
    const double difference = mujoco_followed(run, of, in.variant[i])->difference;
    if (mujoco_judge(in.variant[i], difference, ratio, interval, effect) == mujoco_faster)
      out.variant[out.count++] = in.variant[i];
  }
  if (out.count == 1) out.count = 0;
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

static int mujoco_plan(study_run *run, size_t stage) {
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
  char changes[CHANGES_SIZE];
  const race_entry entry = variant_entry(run, s->variant, changes);
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

static int mujoco_follow(study_run *run, size_t of) {
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

static int mujoco_race(study_run *run, const mujoco_cell *c) {
  const bool again = c->kind == MUJOCO_AGAIN;
  const mujoco_session session =
      again ? mujoco_second_session(run, c->of) : mujoco_first_session(run, c->of);
  mujoco_sample sample[MUJOCO_VARIANTS];
  race_entry entry[MUJOCO_VARIANTS];
  char changes[MUJOCO_VARIANTS][CHANGES_SIZE];
  for (size_t i = 0; i < session.count; i++) {
    entry[i] = variant_entry(run, session.variant[i], changes[i]);
    column_clear(mujoco_sample_columns, &sample[i]);
    sample[i].variant = session.variant[i];
  }
  const race_plan plan = {.starts = mujoco_starts(run, c->of),
                          .trials = given_of(run)->trials,
                          .process = c->number,
                          .processes = mujoco_draws(run).processes,
                          .seed = run->seed + again,
                          .sample = sample};
  return plan.starts ? race_run(run, &plan, entry, session.count, NULL, NULL) : -1;
}

static study_place mujoco_place(const void *planned) {
  const mujoco_cell *const c = planned;
  return (study_place){c->of, c->kind == MUJOCO_FOLLOW ? c->of : c->number};
}

/* The profiling pass of mujoco: MuJoCo's own timers, beside runs without them. */

enum { PROFILE_TRIALS_MAX = 60, READINGS = 20000, READING_BLOCKS = 25 };

static const double sample_s = 5e-3;

/* whole nanoseconds in a double are exact for the first hundred days */
static double clock_now(void) {
  return (double)measure_clock_ns();
}

/* the median of several blocks of readings, called as MuJoCo calls it */
static double reading_ns(void) {
  double (*volatile const clock)(void) = clock_now;
  double block[READING_BLOCKS], median = NAN, sum = 0.0;
  for (int i = 0; i < READING_BLOCKS; i++) {
    const uint64_t start = measure_clock_ns();
    for (int k = 0; k < READINGS; k++) sum += clock();
    block[i] = (double)(measure_clock_ns() - start) / READINGS;
  }
  measure_median(block, READING_BLOCKS, &median);
  return sum > 0.0 ? median : NAN;
}

enum { PLAIN, PROFILED, CANDIDATES };

/* one setting under the timers */
typedef struct profiled {
  contestant runner;
  size_t trials;
  bridge_profile timers[PROFILE_TRIALS_MAX]; /* of all runs from a start, ns */
  double steps[PROFILE_TRIALS_MAX];          /* of them */
  double seconds[CANDIDATES * PROFILE_TRIALS_MAX];
} profiled;

static int run_profiled(void *context, size_t trial) {
  profiled *const p = context;
  const contest_starts *const starts = p->runner.starts;
  const solver_output output = trajectory_output(&p->runner.samples);
  const double *const x0 = starts->states + trial * starts->m->system.dimension;
  const int status = bridge_profiled_run(p->runner.instance, x0, &output, clock_now,
                                         &p->timers[trial], &p->runner.report);
  p->steps[trial] += (double)p->runner.report.steps;
  return status;
}

/* a trial's number and what it took */
typedef struct timed_trial {
  size_t trial;
  double seconds;
} timed_trial;

static int by_seconds(const void *a, const void *b) {
  const double x = ((const timed_trial *)a)->seconds, y = ((const timed_trial *)b)->seconds;
  return (x > y) - (x < y);
}

/* Puts the quiet half of the trials first and returns how many they are, with their mean in *mean.
 * Means of the same trials add up, which medians do not; the other half is the noisier one. */
static size_t quiet_half(const double seconds[], size_t trials, timed_trial order[], double *mean) {
  const size_t half = (trials + 1) / 2;
  double sum = 0.0;
  for (size_t i = 0; i < trials; i++) order[i] = (timed_trial){i, seconds[i]};
  qsort(order, trials, sizeof *order, by_seconds);
  for (size_t i = 0; i < half; i++) sum += order[i].seconds;
  *mean = sum / (double)half;
  return half;
}

/* a row for each start, and one for each timer */
static void add_rows(study_run *run, const profiled *p, size_t variant) {
  const double *const plain = p->seconds, *const timed = p->seconds + PROFILED * p->trials;
  timed_trial order[PROFILE_TRIALS_MAX];
  double mean;
  mujoco_sample s;
  column_clear(mujoco_sample_columns, &s);
  s.variant = variant;
  for (size_t i = 0; i < p->trials; i++) {
    s.trial = i;
    s.seconds = plain[i];
    s.timers_cost = timed[i] / plain[i];
    study_add(run, MUJOCO_SAMPLES, &s);
  }
  quiet_half(plain, p->trials, order, &mean);
  s.run_ns = 1e9 * mean / (double)p->runner.report.steps;
  s.reading_ns = reading_ns();
  const size_t half = quiet_half(timed, p->trials, order, &mean);
  for (size_t i = 0; i < p->timers->count; i++) {
    s.timer = p->timers->timer[i].name;
    s.parent = p->timers->timer[i].parent;
    s.calls = (double)p->timers->timer[i].calls / *p->steps;
    s.measured_ns = 0.0;
    for (size_t k = 0; k < half; k++) {
      const size_t at = order[k].trial;
      s.measured_ns += p->timers[at].timer[i].duration / p->steps[at] / (double)half;
    }
    study_add(run, MUJOCO_SAMPLES, &s);
  }
}

static int profile(study_run *run, profiled *p, size_t variant) {
  const measure_candidate candidates[CANDIDATES] = {
      [PLAIN] = contestant_candidate(&p->runner), [PROFILED] = {.run = run_profiled, .context = p}};
  const measure_turns plan = {.trials = p->trials,
                              .seed = run->seed,
                              .rounds = 1,
                              .turn_s = sample_s * (double)p->trials,
                              .most_s = INFINITY};
  measure_turns_record record[CANDIDATES];
  const int status = measure_take_turns(candidates, CANDIDATES, &plan, p->seconds, record);
  if (status) return measure_fail(run->message, "profiling: %s", measure_strerror(status));
  if (record[PLAIN].failed || record[PROFILED].failed)
    return measure_fail(run->message, "profiling: %s", p->runner.report.message);
  add_rows(run, p, variant);
  return 0;
}

static int mujoco_measure_profile(study_run *run, size_t of, size_t which) {
  static const size_t variants[MUJOCO_PROFILES] = {MUJOCO_RACE, MUJOCO_OWN};
  char changes[CHANGES_SIZE];
  const race_entry entry = variant_entry(run, variants[which], changes);
  const contest_starts *const starts = mujoco_starts(run, of);
  profiled *const p = calloc(1, sizeof *p);
  int status = !p ? study_out_of_memory(run) : starts ? 0 : -1;
  if (!status)
    status = contestant_prepare(&p->runner, entry.solver, &entry.settings, starts, run->message);
  if (!status) {
    p->trials = starts->trials < PROFILE_TRIALS_MAX ? starts->trials : PROFILE_TRIALS_MAX;
    status = profile(run, p, variants[which]) ? -1 : 0;
    contestant_release(&p->runner);
  }
  free(p);
  return status ? -1 : 0;
}

/* What the samples of mujoco say: verdicts on settings, and where MuJoCo's time goes. */

static mujoco_name name_of(const study_run *run, size_t of, size_t variant) {
  return (mujoco_name){.model = mujoco_type(of)->name,
                       .contacts = mujoco_contacts(run, of),
                       .base = mujoco_variant_base(&mujoco_variants[variant]),
                       .changes = mujoco_variants[variant].changes};
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
  r->verdict = mujoco_judge(variant, r->difference, r->ratio, r->ratio_interval, effect);
  if (again < session[1].count) {
    mujoco_median(run, &session[1], again, true, &r->confirmed, r->confirmed_interval);
    r->verdict = mujoco_judge(variant, r->difference, r->confirmed, r->confirmed_interval, effect);
  }
}

static void add_row(study_run *run, size_t of, size_t variant, const mujoco_session session[2]) {
  const mujoco_sample *const followed = mujoco_followed(run, of, variant);
  mujoco_row r;
  column_clear(run->study->tables[MUJOCO_ROWS].columns, &r);
  r.of = name_of(run, of, variant);
  r.left_out = followed->left_out;
  r.verdict = mujoco_left_out;
  if (!*r.left_out) {
    r.difference = followed->difference;
    r.field_gap = followed->gap.gap;
    r.scaling_s = followed->gap.scaling;
    fill_times(run, session, variant, &r);
  }
  study_add(run, MUJOCO_ROWS, &r);
}

/* the first session, then the second of those it made look fast */
static void add_trials(study_run *run, size_t of, size_t variant, const mujoco_session session[2]) {
  const mujoco_name name = name_of(run, of, variant);
  const draws d = mujoco_draws(run);
  for (size_t i = 0; i < 2; i++) {
    const mujoco_session *const in = &session[i];
    const size_t place = place_in(in, variant);
    const gather laps = mujoco_laps(run, in, place);
    for (size_t j = 0; place < in->count && j < d.trials; j++) {
      const mujoco_sample *const s = gather_row(laps, j);
      const mujoco_trial t = {name, i + 1, j, j % d.processes, s->seconds, s->rms_error};
      study_add(run, MUJOCO_TRIALS, &t);
    }
  }
}

static void add_case(study_run *run, size_t of) {
  const mujoco_session session[2] = {mujoco_first_session(run, of), mujoco_second_session(run, of)};
  for (size_t k = 0; k < MUJOCO_VARIANTS; k++) {
    add_row(run, of, k, session);
    add_trials(run, of, k, session);
  }
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
        *in,           t[i].timer,     above, t[i].calls, 1e-9 * t[i].measured_ns,
        1e-9 * net[i], net[i] / net[0]};
    const mujoco_time left = {*in, "rest", t[i].timer, NAN, NAN, 1e-9 * rest[i], rest[i] / net[0]};
    if (t[i].calls > 0.0) study_add(run, MUJOCO_TIMES, &time);
    if (!isnan(rest[i])) study_add(run, MUJOCO_TIMES, &left);
  }
}

/* the samples of a profile's cell: starts, then timers */
static void add_profile(study_run *run, size_t of, size_t cell) {
  size_t count, starts = 0;
  const mujoco_sample *const s = study_samples(run, cell, &count);
  while (starts < count && !*s[starts].timer) starts++;
  const gather pairs = gather_rows(run, MUJOCO_SAMPLES, study_first_sample(run, cell), 1, starts);
  const mujoco_profile p = {.of = name_of(run, of, s->variant),
                            .run_s = 1e-9 * s[starts].run_ns,
                            .timers_cost = gather_median(pairs, "timers_cost"),
                            .reading_s = 1e-9 * s[starts].reading_ns};
  add_times(run, &p, s + starts, count - starts);
}

static int mujoco_derive(study_run *run) {
  const size_t cases = mujoco_cases(run), profiles = cases * MUJOCO_PROFILES;
  study_add(run, MUJOCO_TOP, &(mujoco_top){MUJOCO_UNCHANGED, 0.95});
  for (size_t i = 0; i < cases; i++) add_case(run, i);
  for (size_t i = 0; i < profiles; i++)
    add_profile(run, i / MUJOCO_PROFILES, study_cells(run) - profiles + i);
  return 0;
}

static int mujoco_conclude(study_run *run) {
  size_t count;
  const mujoco_row *const rows = study_rows(run, MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++) {
    const mujoco_row *const r = &rows[i];
    if (r->verdict == mujoco_faster)
      return measure_fail(
          run->message,
          "%s, N = %zu: %s %s leaves the trajectory unchanged and takes %.3f [%.3f, %.3f] of the "
          "time of the compared settings, which must be the fastest",
          r->of.model, r->of.contacts, r->of.base, r->of.changes, r->confirmed,
          r->confirmed_interval[0], r->confirmed_interval[1]);
    if (i % MUJOCO_VARIANTS == MUJOCO_RACE && r->verdict != mujoco_is_the_race)
      return measure_fail(
          run->message,
          "%s, N = %zu: the race's settings change MuJoCo's trajectory by %.2g; %.0g is accepted",
          r->of.model, r->of.contacts, r->difference, MUJOCO_UNCHANGED);
  }
  return 0;
}

/* ---- the study ------------------------------------------------------------------------------- */

static int measure(study_run *run, const void *planned) {
  const mujoco_cell *const c = planned;
  if (c->kind == MUJOCO_FOLLOW) return mujoco_follow(run, c->of);
  return c->kind == MUJOCO_PROFILE ? mujoco_measure_profile(run, c->of, c->number)
                                   : mujoco_race(run, c);
}

static void show(const study_run *run) {
  printf("MuJoCo %s; `mujoco`: its defaults; `race`: the settings of sweep and speed\n"
         "ratio: time over that of `race`, paired by initial condition; differs: largest relative "
         "difference\n"
         "of the trajectory from that of MuJoCo's defaults; RMS: error against our reference\n",
         bridge_version_string());
  study_print(run, MUJOCO_ROWS, 0, SIZE_MAX);
  printf("\nprofile of a step, by MuJoCo's timers\n");
  study_print(run, MUJOCO_TIMES, 0, SIZE_MAX);
}

const study mujoco_study = {
    .name = "mujoco",
    .summary = "time and error of MuJoCo with each of its settings, and a profile of its steps",
    .example = "essbench mujoco --contacts 2,100 --trials 30",
    .file = "mujoco_settings",
    .own_models = true,
    .cells = "measurements",
    .stages = 3,
    .pinned = true,
    .processes = 12,
    STUDY_OF(mujoco_settings, mujoco_cell),
    .tables = {[MUJOCO_SAMPLES] = STUDY_ROWS(mujoco_sample, .meaning = "a sample"),
               [MUJOCO_TOP] = STUDY_ROWS(mujoco_top, .json = "", .meaning = "of all"),
               [MUJOCO_ROWS] =
                   STUDY_TABLE(row_columns, mujoco_row, .json = "settings",
                               .csv = "mujoco_settings.csv", .meaning = "one setting on one model"),
               [MUJOCO_TRIALS] =
                   STUDY_TABLE(trial_columns, mujoco_trial, .csv = "mujoco_settings_samples.csv",
                               .meaning = "one sample"),
               [MUJOCO_TIMES] = STUDY_TABLE(time_columns, mujoco_time, .csv = "mujoco_profile.csv",
                                            .meaning = "one timer, or what its parts leave")},
    .plan = mujoco_plan,
    .run = measure,
    .place = mujoco_place,
    .derive = mujoco_derive,
    .show = show,
    .conclude = mujoco_conclude,
};
