/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench mujoco, a preset of races: MuJoCo at its best. Every setting of its own timed against
 * the race's, where its time goes, and a failure if the race holds it back. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "races.h"
#include "solvers.h"
#include "statistics.h"
#include "studies.h"

/* Settings that leave the trajectory this close to the reference's, relative to the largest value
 * of the component that differs most, leave it unchanged. */
#define UNCHANGED 1e-9

/* One combination of settings. */
typedef struct mujoco_variant {
  bool own;            /* based on MuJoCo's own defaults; false: on the race's settings */
  const char *changes; /* as bridge_variant_prepare has them; empty: the base itself */
} mujoco_variant;

/* MuJoCo's own first, the race's second. */
enum { MUJOCO_OWN = 0, MUJOCO_RACE = 1, MUJOCO_VARIANTS = 52, MUJOCO_PROFILES = 2 };

#define OPTIONS(X, row)                                                                            \
  CASE_CONTACTS(X, row,                                                                            \
                "numbers of the plate's contacts: " CASE_LIST                                      \
                " (default 2,10,100); the hopper is always included",                              \
                .initial = "2,10,100")                                                             \
  CASE_TRIALS(X, row, "initial conditions for each number of contacts", "120", 1e6)                \
  X(row, minimum_effect, NUMBER, "minimum-effect", "X",                                            \
    "smallest relative difference from the compared settings that counts as faster or slower",     \
    .initial = "0.05", .max = 10.0, .result = "minimum_effect")                                    \
  X(row, callback, FLAG, "callback", NULL,                                                         \
    "contact force by a callback instead of contacts, as in solver mujoco-callback",               \
    .result = "callback")
static const study_option mujoco_options[] = {OPTIONS(OPTION_LINE, races_asked){0}};

/* Trajectories of all settings from all starts, untimed; all settings in one process; those that
 * looked faster once more; and MuJoCo's timers on the race's settings and on its own. */
enum { FOLLOW, RACED, RACED_AGAIN, PROFILE };

/* What a cell gives: of FOLLOW a row for each setting, of RACED and RACED_AGAIN one for each
 * start and each that takes part; of PROFILE one for each start, then one for each timer. */
typedef struct mujoco_sample {
  const char *model, *base, *changes;
  size_t contacts, setting, process, trial;
  size_t session;       /* 1 or 2: it is of a race */
  double difference;    /* of trajectories, the largest over all initial conditions, relative */
  bridge_gap gap;       /* of MuJoCo's acceleration from the model's */
  const char *left_out; /* why, one line */
  double seconds, retaken, rms_error;
  double timers_cost; /* time of an initial condition under the timers over seconds */
  const char *timer;  /* MuJoCo's own name; */
  double parent;      /* the timer it is a part of, or BRIDGE_NO_TIMER; and in a step how often */
  double calls, measured_ns, run_ns; /* it is called, and what it shows; and a step without any */
  double reading_ns;                 /* one reading of the clock */
} mujoco_sample;
static const column mujoco_sample_columns[] = {
    COLUMNS(mujoco_sample, TEXT, model),
    COLUMNS(mujoco_sample, COUNT, contacts, session, setting),
    COLUMNS(mujoco_sample, TEXT, base, changes),
    COLUMNS(mujoco_sample, COUNT, process, trial),
    COLUMNS(mujoco_sample, AMOUNT, difference),
    COLUMNS(mujoco_sample, GAP, gap),
    COLUMNS(mujoco_sample, TEXT, left_out),
    COLUMNS(mujoco_sample, AMOUNT, seconds, retaken, rms_error, timers_cost),
    COLUMNS(mujoco_sample, TEXT, timer),
    COLUMNS(mujoco_sample, NUMBER, parent),
    COLUMNS(mujoco_sample, AMOUNT, calls, measured_ns, run_ns, reading_ns),
    {0},
};

/* Who takes part in a session of a case: the race's first; and where its laps are. */
typedef struct mujoco_session {
  size_t count, variant[MUJOCO_VARIANTS];
  size_t cell; /* of its first process, where it is planned */
} mujoco_session;

/* ---- rows ------------------------------------------------------------------------------------ */

enum { MUJOCO_SAMPLES = STUDY_SAMPLES, MUJOCO_TOP, MUJOCO_ROWS, MUJOCO_TRIALS, MUJOCO_TIMES };

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
  snprintf(changes, CHANGES_SIZE, "%s%s", races_given(run)->callback ? "callback=on " : "",
           v->changes);
  return race_variant(v->own, changes);
}

/* ---- columns --------------------------------------------------------------------------------- */

#define OF_NAME                                                                                    \
  TAKEN("model", TEXT, "", "hopper or plate", SHOWN("model", "%-6s")),                             \
      TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%4.0f")),                     \
      TAKEN("base", TEXT, "", "mujoco: its own defaults; race: the race's",                        \
            SHOWN("base", "%-6s")),                                                                \
      TAKEN("changes", TEXT, "", "of it, by MuJoCo's names", SHOWN("changes", "%-25s"))

/* With fewer initial conditions than these a 95 % interval of a median is no such thing: no verdict
 * on times. The least effect that is one is infinite then. */
#define VERDICT_TRIALS 6
#define FEW            COLUMN_SQL(VERDICT_TRIALS)
static const char laps_sql[] =
    "SELECT c.*, r.seed, max(process) OVER () + 1 AS processes, iif(r.settings->>'trials' < " FEW
    ", 1e999, r.settings->>'minimum-effect') AS effect "
    "FROM mujoco_settings_laps c JOIN run r ON r.id = c.run WHERE c.run = ?1";

static const column top_columns[] = {
    DERIVED("unchanged", AMOUNT, "", COLUMN_SQL(UNCHANGED),
            "largest relative difference at which a trajectory is unchanged"),
    DERIVED("confidence", AMOUNT, "", "0.95", "of the intervals"),
    {0},
};

#define SAME COLUMN_SQL(UNCHANGED)

/* What is said of a setting: this MuJoCo does not have it, or gives up with it; it takes another
 * trajectory; it is the race's own, with an unchanged trajectory; it is faster than the race's by
 * more than the minimum effect, seen twice; slower by as much; neither is shown. */
#define VERDICT                                                                                    \
  "CASE WHEN left_out <> '' THEN 'left out' "                                                      \
  "WHEN (difference <= " SAME ") IS NOT 1 THEN 'changes the trajectory' "                          \
  "WHEN base = 'race' AND changes = '' THEN 'the race''s' "                                        \
  "WHEN last->>0 * (1 + effect) < 1 AND last->>2 < 1 THEN 'faster' "                               \
  "WHEN last->>0 > 1 + effect AND last->>1 > 1 THEN 'slower' ELSE 'no difference shown' END"

static const column row_columns[] = {
    OF_NAME,
    DERIVED("median_s", AMOUNT, "s", "median->>0", "of one run", SHOWN_TIMES("ms", "%8.4f", 1e3)),
    DERIVED("median_lo_s", AMOUNT, "s", "median->>1", "its 95 % interval",
            SHOWN_TIMES("from", "%7.4f", 1e3)),
    DERIVED("median_hi_s", AMOUNT, "s", "median->>2", "its 95 % interval",
            SHOWN_TIMES("to", "%7.4f", 1e3)),
    TAKEN("q25_s", AMOUNT, "s", "lower quartile", .place = COLUMN_CSV_ONLY),
    TAKEN("q75_s", AMOUNT, "s", "upper quartile", .place = COLUMN_CSV_ONLY),
    TAKEN("min_s", AMOUNT, "s", "fastest", .place = COLUMN_CSV_ONLY),
    DERIVED("ratio", AMOUNT, "", "first->>0", "time over the race's, paired by initial condition",
            SHOWN("ratio", "%6.3f")),
    DERIVED("ratio_lo", AMOUNT, "", "first->>1", "its 95 % interval", SHOWN("from", "%6.3f")),
    DERIVED("ratio_hi", AMOUNT, "", "first->>2", "its 95 % interval", SHOWN("to", "%6.3f")),
    TAKEN("difference", AMOUNT, "",
          "of the trajectory from that by MuJoCo's own defaults, the largest, relative",
          SHOWN("differs", "%8.1e")),
    DERIVED("rms_error", AMOUNT, "", "error", "against our reference, median",
            SHOWN("RMS", "%8.2g")),
    TAKEN("rms_worst", AMOUNT, "", "the largest"),
    DERIVED("field_gap", AMOUNT, "", "iif(left_out = '', gap->>'gap', NULL)",
            "of MuJoCo's acceleration from the model's"),
    DERIVED("scaling_s", AMOUNT, "", "iif(left_out = '', gap->>'scaling', NULL)",
            "divides the mass MuJoCo's contacts add"),
    DERIVED("confirmed", AMOUNT, "", "again->>0", "the ratio when timed a second time",
            SHOWN("again", "%6.3f")),
    DERIVED("confirmed_lo", AMOUNT, "", "again->>1", "its 95 % interval"),
    DERIVED("confirmed_hi", AMOUNT, "", "again->>2", "its 95 % interval"),
    DERIVED("retaken", AMOUNT, "", "lost",
            "runs taken again because the thread had lost its core, in the first session"),
    DERIVED("verdict", TEXT, "", VERDICT, "what is said of the setting", SHOWN("", "%s")),
    TAKEN("left_out", TEXT, "", "why it is left out", SHOWN("", "%s")),
    {0},
};
/* times over the race's in a session */
#define OVER_RACE(session, name)                                                                   \
  "(SELECT l.model, l.contacts, l.setting, "                                                       \
  "median_of(l.seconds / r.seconds, trial, l.processes, l.seed) AS " name " "                      \
  "FROM laps l JOIN laps r USING (model, contacts, session, trial) "                               \
  "WHERE session = " session " AND r.base = 'race' AND r.changes = '' "                            \
  "GROUP BY l.model, l.contacts, l.setting) USING (model, contacts, setting)"
#define FIRST OVER_RACE("1", "first")
#define AGAIN OVER_RACE("2", "again")
static const char rows_sql[] =
    "(SELECT *, coalesce(again, first) AS last FROM (SELECT * FROM laps WHERE NOT session "
    "AND timer = '' AND timers_cost IS NULL) "
    "LEFT JOIN (SELECT model, contacts, setting, median_of(seconds, trial, processes, seed) "
    "AS median, quantile(seconds, 0.25) AS q25_s, quantile(seconds, 0.75) AS q75_s, "
    "min(seconds) AS min_s, sum(retaken) AS lost, median(rms_error) AS error, "
    "max(rms_error) AS rms_worst FROM laps WHERE session = 1 GROUP BY model, contacts, setting) "
    "USING (model, contacts, setting) LEFT JOIN " FIRST " LEFT JOIN " AGAIN
    ") ORDER BY model, contacts, setting";

static const column trial_columns[] = {
    OF_NAME,
    TAKEN("session", COUNT, "", "1, or 2 for those that looked faster"),
    TAKEN("trial", COUNT, "", "start"),
    TAKEN("process", COUNT, "", "which of them ran it"),
    TAKEN("seconds", AMOUNT, "s", "of one run"),
    TAKEN("rms_error", AMOUNT, "", "against our reference"),
    {0},
};
static const char trials_sql[] =
    "laps WHERE session ORDER BY model, contacts, setting, session, trial";

static const column time_columns[] = {
    OF_NAME,
    DERIVED("timer", TEXT, "", "iif(is_rest, 'rest', timer)",
            "MuJoCo's own name; rest: what no part accounts for", SHOWN("timer", "%-16s")),
    DERIVED("part_of", TEXT, "", "iif(is_rest, timer, above)",
            "the timer it is a part of; empty: the whole step", SHOWN("of", "%-13s")),
    DERIVED("calls", AMOUNT, "", "iif(is_rest, NULL, calls)", "in a step"),
    DERIVED("measured_s", AMOUNT, "s", "iif(is_rest, NULL, 1e-9 * measured_ns)",
            "in a step, by the timer"),
    DERIVED("net_s", NUMBER, "s", "1e-9 * iif(is_rest, rest, net)",
            "without what the readings of the clock took", SHOWN_TIMES("us", "%8.4f", 1e6)),
    DERIVED("share", NUMBER, "", "iif(is_rest, rest, net) / whole", "of the step",
            SHOWN_TIMES("share", "%6.1f%%", 100.0)),
    DERIVED("run_s", AMOUNT, "s", "1e-9 * run_ns", "a step without timers",
            SHOWN_TIMES("without us", "%10.4f", 1e6)),
    DERIVED("timers_cost", AMOUNT, "", "cost", "a run with timers over one without",
            SHOWN("timers cost", "%11.2f")),
    DERIVED("reading_s", AMOUNT, "s", "1e-9 * reading_ns", "one reading of the clock"),
    {0},
};
/* A timer shows the work between its two readings of the clock and, since the readings lie on both
 * sides of it, about one reading; its parts' readings are inside it, two for each. All are taken
 * off, at what a reading costs by itself. What is left of the whole step then has to be a step's
 * time without timers, which is measured as well. Timers are numbered by their place `i`; `inside`
 * has each with all that it is a part of. */
static const char times_sql[] =
    "(WITH RECURSIVE part AS (SELECT *, row_number() OVER (PARTITION BY within ORDER BY row) - 1 "
    "AS i FROM laps WHERE timer <> ''), "
    "inside (within, i, calls, above) AS (SELECT within, i, calls, parent FROM part "
    "UNION ALL SELECT within, inside.i, inside.calls, part.parent FROM inside JOIN part "
    "USING (within) WHERE part.i = inside.above), "
    "clean AS (SELECT *, measured_ns - reading_ns * (calls + 2 * coalesce((SELECT sum(calls) "
    "FROM inside n WHERE n.within = part.within AND n.above = part.i), 0)) AS net FROM part) "
    "SELECT *, net - (SELECT sum(net) FROM clean n WHERE n.within = c.within AND n.parent = c.i "
    "AND n.calls > 0) AS rest, first_value(net) OVER (PARTITION BY within ORDER BY i) AS whole, "
    "coalesce((SELECT timer FROM clean n WHERE n.within = c.within AND n.i = c.parent), '') "
    "AS above, (SELECT median(timers_cost) FROM laps l WHERE l.within = c.within "
    "AND l.timer = '') AS cost "
    "FROM clean c) JOIN (SELECT 0 AS is_rest UNION ALL SELECT 1) "
    "WHERE iif(is_rest, rest IS NOT NULL, calls > 0) "
    "ORDER BY model, contacts, setting DESC, i, is_rest";

/* ---- cases ----------------------------------------------------------------------------------- */

/* the hopper, then the plate with every number of contacts */
static size_t mujoco_cases(const study_run *run) {
  return 1 + races_given(run)->contacts.count;
}

static const model_type *mujoco_type(size_t of) {
  return model_find(of ? "plate" : "hopper");
}

static size_t mujoco_contacts(const study_run *run, size_t of) {
  return of ? races_given(run)->contacts.contacts[of - 1] : 1;
}

static void mujoco_title(const study_run *run, const races_cell *c, char name[RACES_NAME_SIZE]) {
  static const char *const parts[] = {"follow", "race", "again", "profile"};
  snprintf(name, RACES_NAME_SIZE, "%s model=%s contacts=%zu number=%zu of %zu", parts[c->part],
           mujoco_type(c->of)->name, mujoco_contacts(run, c->of), c->number, c->count);
}

static contest_starts *mujoco_starts(study_run *run, size_t of) {
  // the hopper has one contact, and no parameter to say so
  const case_change changes[] = {{"contacts", (double)mujoco_contacts(run, of)}, {0}};
  return case_starts_of(run, mujoco_type(of), changes, races_given(run)->trials, run->seed);
}

/* ---- who takes part -------------------------------------------------------------------------- */

static const mujoco_sample *mujoco_followed(const study_run *run, size_t of, size_t variant) {
  return (const mujoco_sample *)races_samples(run, FOLLOW, of, NULL) + variant;
}

static mujoco_session mujoco_first_session(study_run *run, size_t of) {
  mujoco_session s = {.count = 1, .variant = {MUJOCO_RACE}, .cell = races_cell_of(run, RACED, of)};
  for (size_t k = 0; k < MUJOCO_VARIANTS; k++)
    if (k != MUJOCO_RACE && !*mujoco_followed(run, of, k)->left_out) s.variant[s.count++] = k;
  return s;
}

/* whether one looks faster than the race's in the first session, as its verdict has it */
static bool looks_faster(const study_run *run, const mujoco_session *in, size_t place) {
  const races_asked *const given = races_given(run);
  const draws d = races_draws(run);
  double ratio, interval[2];
  return given->trials >= VERDICT_TRIALS &&
         !race_ratio(run, in->cell, &d, in->count, place, 0, &ratio, interval) &&
         ratio * (1.0 + given->minimum_effect) < 1.0 && interval[1] < 1.0;
}

/* the race's, and those of an unchanged trajectory that look faster */
static mujoco_session mujoco_second_session(study_run *run, size_t of) {
  const mujoco_session in = mujoco_first_session(run, of);
  mujoco_session out = {
      .count = 1, .variant = {MUJOCO_RACE}, .cell = races_cell_of(run, RACED_AGAIN, of)};
  for (size_t i = 1; i < in.count; i++)
    if (mujoco_followed(run, of, in.variant[i])->difference <= UNCHANGED &&
        looks_faster(run, &in, i))
      out.variant[out.count++] = in.variant[i];
  if (out.count == 1) out.count = 0;
  return out;
}

static size_t again_cells(study_run *run, size_t of) {
  return mujoco_second_session(run, of).count ? races_processes(run, of) : 0;
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

/* a sample of a case's setting */
static mujoco_sample sample_of(const study_run *run, size_t of, size_t variant) {
  mujoco_sample s;
  column_clear(mujoco_sample_columns, &s);
  s.model = mujoco_type(of)->name;
  s.contacts = mujoco_contacts(run, of);
  s.setting = variant;
  s.base = mujoco_variant_base(&mujoco_variants[variant]);
  s.changes = mujoco_variants[variant].changes;
  return s;
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
  const race_entry entry = variant_entry(run, s->setting, changes);
  contestant c;
  int status = contestant_prepare(&c, entry.solver, &entry.settings, starts, why);
  if (status) return status == SOLVER_REFUSED && s->setting > MUJOCO_RACE ? 0 : -1;
  status = bridge_instance_gap(c.instance, SAME_SYSTEM_STATES, run->seed, &s->gap, why);
  why[0] = status ? why[0] : '\0';
  if (!status && follow(&c, own, s)) {
    measure_message(why, "%s", *own ? c.report.message : "out of memory");
    status = s->setting > MUJOCO_RACE && *own ? 0 : -1;
  }
  contestant_release(&c);
  return status;
}

static int mujoco_follow(study_run *run, size_t of, size_t number) {
  (void)number;
  contest_starts *const starts = mujoco_starts(run, of);
  double *own = NULL;
  int status = starts ? 0 : -1;
  for (size_t k = 0; !status && k < MUJOCO_VARIANTS; k++) {
    char why[SOLVER_MESSAGE_SIZE] = "";
    mujoco_sample s = sample_of(run, of, k);
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

static int race_session(study_run *run, size_t of, size_t process, bool again) {
  const mujoco_session session =
      again ? mujoco_second_session(run, of) : mujoco_first_session(run, of);
  mujoco_sample sample[MUJOCO_VARIANTS];
  race_entry entry[MUJOCO_VARIANTS];
  char changes[MUJOCO_VARIANTS][CHANGES_SIZE];
  for (size_t i = 0; i < session.count; i++) {
    entry[i] = variant_entry(run, session.variant[i], changes[i]);
    sample[i] = sample_of(run, of, session.variant[i]);
    sample[i].session = 1 + again;
  }
  race_plan plan = races_race(run, mujoco_starts(run, of), process);
  plan.seed += again;
  plan.sample = sample;
  return plan.starts ? race_run(run, &plan, entry, session.count, NULL, NULL) : -1;
}

static int mujoco_race(study_run *run, size_t of, size_t process) {
  return race_session(run, of, process, false);
}

static int mujoco_again(study_run *run, size_t of, size_t process) {
  return race_session(run, of, process, true);
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
  study_run *run;
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
static void add_rows(study_run *run, const profiled *p, mujoco_sample s) {
  const double *const plain = p->seconds, *const timed = p->seconds + PROFILED * p->trials;
  timed_trial order[PROFILE_TRIALS_MAX];
  double mean;
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

static int take_time(void *context, const race_lap *lap) {
  profiled *const p = context;
  p->seconds[lap->entry * p->trials + lap->trial] = lap->of.time_s;
  return isnan(lap->of.time_s)
             ? measure_fail(p->run->message, "profiling: %s", p->runner.report.message)
             : 0;
}

static int profile(study_run *run, profiled *p, mujoco_sample s) {
  const measure_candidate plain = contestant_candidate(&p->runner),
                          timed = {.run = run_profiled, .context = p};
  const race_entry entry[CANDIDATES] = {[PLAIN] = {.own = &plain}, [PROFILED] = {.own = &timed}};
  const race_plan plan = {.trials = p->trials,
                          .processes = 1,
                          .seed = run->seed,
                          .rounds = 1,
                          .min_time = sample_s,
                          .most_s = INFINITY};
  if (race_run(run, &plan, entry, CANDIDATES, take_time, p)) return -1;
  add_rows(run, p, s);
  return 0;
}

static size_t profiles(study_run *run, size_t of) {
  (void)run, (void)of;
  return MUJOCO_PROFILES;
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
    p->run = run;
    p->trials = starts->trials < PROFILE_TRIALS_MAX ? starts->trials : PROFILE_TRIALS_MAX;
    status = profile(run, p, sample_of(run, of, variants[which])) ? -1 : 0;
    contestant_release(&p->runner);
  }
  free(p);
  return status ? -1 : 0;
}

/* ---- whether MuJoCo is held back --------------------------------------------------------------
 */

static int mujoco_conclude(study_run *run) {
  size_t count;
  study_rows(run, MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++) {
    const char *const verdict = study_words(run, MUJOCO_ROWS, i, "verdict");
    const char *const name = study_words(run, MUJOCO_ROWS, i, "model");
    const double contacts = study_number(run, MUJOCO_ROWS, i, "contacts");
    if (strcmp(verdict, "faster") == 0)
      return measure_fail(
          run->message,
          "%s, N = %.0f: %s %s leaves the trajectory unchanged and takes %.3f [%.3f, %.3f] of the "
          "time of the compared settings, which must be the fastest",
          name, contacts, study_words(run, MUJOCO_ROWS, i, "base"),
          study_words(run, MUJOCO_ROWS, i, "changes"),
          study_number(run, MUJOCO_ROWS, i, "confirmed"),
          study_number(run, MUJOCO_ROWS, i, "confirmed_lo"),
          study_number(run, MUJOCO_ROWS, i, "confirmed_hi"));
    if (i % MUJOCO_VARIANTS == MUJOCO_RACE && strcmp(verdict, "the race's") != 0)
      return measure_fail(
          run->message,
          "%s, N = %.0f: the race's settings change MuJoCo's trajectory by %.2g; %s is accepted",
          name, contacts, study_number(run, MUJOCO_ROWS, i, "difference"), COLUMN_SQL(UNCHANGED));
  }
  return 0;
}

/* ---- the study ------------------------------------------------------------------------------- */

static const races_preset preset = {
    .cases = mujoco_cases,
    .title = mujoco_title,
    .part = {[FOLLOW] = {.run = mujoco_follow},
             [RACED] = {.cells = races_processes, .run = mujoco_race},
             [RACED_AGAIN] = {.cells = again_cells, .run = mujoco_again},
             [PROFILE] = {.beside = true, .cells = profiles, .run = mujoco_measure_profile}}};

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
    .group = STUDY_COMPARES,
    .make = "mujoco CONTACTS TRIALS SEED PROCESSES RANKS",
    .own_models = true,
    .cells = "measurements",
    .stages = 3,
    .processes = 12,
    RACES(preset, mujoco_options),
    .laps = laps_sql,
    .tables = {[MUJOCO_SAMPLES] =
                   STUDY_ROWS(mujoco_sample, .sql = STUDY_LAP, .meaning = "a sample"),
               [MUJOCO_TOP] =
                   STUDY_DERIVED(top_columns, "(SELECT 1)", .json = "", .meaning = "of all"),
               [MUJOCO_ROWS] = STUDY_DERIVED(row_columns, rows_sql, .json = "settings",
                                             .csv = "mujoco_settings.csv",
                                             .meaning = "one setting on one model"),
               [MUJOCO_TRIALS] =
                   STUDY_DERIVED(trial_columns, trials_sql, .csv = "mujoco_settings_samples.csv",
                                 .csv_alone = true, .meaning = "one sample"),
               [MUJOCO_TIMES] = STUDY_DERIVED(time_columns, times_sql, .csv = "mujoco_profile.csv",
                                              .meaning = "one timer, or what its parts leave")},
    .show = show,
    .conclude = mujoco_conclude,
};
