/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench sweep, a preset of races: the engines over numbers of contacts (Fig. 5.2 of the paper).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "choice.h"
#include "races.h"
#include "settings.h"
#include "solvers.h"
#include "studies.h"

/* Which solvers race, and with whose settings. */
typedef enum sweep_protocol {
  SWEEP_PAPER,
  SWEEP_FREE,
  SWEEP_EQUAL_ERROR,
  SWEEP_TARGETS
} sweep_protocol;

/* Their names, NULL-terminated; and entries at one number of contacts, at most. */
static const char *const sweep_protocols[] = {[SWEEP_PAPER] = "paper",
                                              [SWEEP_FREE] = "free",
                                              [SWEEP_EQUAL_ERROR] = "equal-error",
                                              [SWEEP_TARGETS] = "targets",
                                              NULL};
enum { SWEEP_ENTRIES_MAX = 24 };

#define OPTIONS(X, row)                                                                            \
  CASE_CONTACTS(X, row, "numbers of contacts: " CASE_LIST " (default 2..100)",                     \
                .initial = "2..100")                                                               \
  CASE_TRIALS(X, row, "initial conditions for each number of contacts", "120", 1e6)                \
  X(row, protocols, NAMES, "protocol", "A,B",                                                      \
    "protocols: paper, free, equal-error, targets or several", .initial = "paper",                 \
    .names = sweep_protocols, .result = "protocol")                                                \
  X(row, min_time, NUMBER, "min-time", "S",                                                        \
    "time for which a run is repeated, s (default 0: all initial conditions of a turn together "   \
    "for 5 ms)",                                                                                   \
    .initial = "0", .max = 3600.0)
static const study_option sweep_options[] = {OPTIONS(OPTION_LINE, races_asked){0}};

/* Who races at one number of contacts, and what a trial of it gave: seconds are NaN in the samples
 * that only say who races. In no file are the error that settings were searched for, NaN where they
 * were not; epsilon of the protocols that do not search for one, NaN where nobody has one, and its
 * source; and the gap, NaN where MuJoCo does not race. */
typedef struct sweep_sample {
  size_t contacts, trial, process;
  const char *solver, *protocol, *source;
  double seconds, repetitions, rms_error, events, events_reference, retaken, disturbed;
  double target, epsilon;
  solver_settings settings;
  bridge_gap gap;
} sweep_sample;
static const column sweep_sample_columns[] = {
    COLUMNS(sweep_sample, COUNT, contacts),
    COLUMNS(sweep_sample, TEXT, solver, protocol),
    COLUMNS(sweep_sample, COUNT, trial, process),
    COLUMNS(sweep_sample, AMOUNT, seconds, repetitions, rms_error, events, events_reference),
    COLUMNS(sweep_sample, AMOUNT, retaken, disturbed),
    COLUMNS(sweep_sample, NUMBER, target, epsilon),
    COLUMNS(sweep_sample, NOTE, source),
    COLUMNS(sweep_sample, SETTINGS, settings),
    COLUMNS(sweep_sample, GAP, gap),
    {0},
};

/* Tables. */
enum {
  SWEEP_SAMPLES = STUDY_SAMPLES,
  SWEEP_ROWS,
  SWEEP_TRIALS,
  SWEEP_TOP,
  SWEEP_SLOPES,
  SWEEP_RATIOS,
  SWEEP_PLAIN
};

/* ---- what laps say --------------------------------------------------------------------------- */

/* Of the race: `who` races, event-unaware solvers being one, of which a protocol that searches has
 * the cheapest at each number of contacts; `entry` is the place among all who race there, and `nth`
 * among those of one name; and quartiles of the entry's times. */
static const char laps_sql[] =
    "SELECT *, dense_rank() OVER (PARTITION BY contacts, who, protocol ORDER BY entry) AS nth "
    "FROM (SELECT c.*, r.seed, r.settings->>'$.model.name' AS model, max(process) OVER () + 1 "
    "AS processes, iif(solver LIKE 'plain-%', 'plain', solver) AS who, min(c.row) OVER entry "
    "AS entry, median(seconds) OVER entry AS middle, quantile(seconds, 0.25) OVER entry AS q25, "
    "quantile(seconds, 0.75) OVER entry AS q75 "
    "FROM sweep_laps c JOIN cell k ON k.id = c.within JOIN run r ON r.id = c.run "
    "WHERE c.run = ?1 AND k.name LIKE 'race %' "
    "WINDOW entry AS (PARTITION BY contacts, solver, protocol))";
#define IN_FORCE "in_force(model, solver, settings)"
#define BY_ENTRY "GROUP BY contacts, l.entry ORDER BY contacts, l.entry"

/* who races at every number of contacts */
#define EVERYWHERE "count(DISTINCT contacts) = (SELECT count(DISTINCT contacts) FROM laps)"

#define CONFIDENCE DERIVED("confidence", AMOUNT, "", "0.95", "of the interval")

/* a sample this many interquartile ranges above the upper quartile is flagged, never dropped */
#define OUTLIER "(seconds > q75 + 3 * (q75 - q25))"

static const column sample_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts"),
    TAKEN("solver", TEXT, "", "who races"),
    TAKEN("protocol", TEXT, "", "with whose settings"),
    TAKEN("trial", COUNT, "", "number of the initial condition"),
    TAKEN("process", COUNT, "", "which of them ran it"),
    TAKEN("seconds", AMOUNT, "s", "of one run"),
    TAKEN("repetitions", AMOUNT, "", "runs it is the median of"),
    DERIVED("outlier", FLAG, "", OUTLIER, "whether it is one of the outliers"),
    TAKEN("rms_error", AMOUNT, "", "against the reference"),
    TAKEN("events", AMOUNT, "", "crossings"),
    TAKEN("events_reference", AMOUNT, "", "of the reference"),
    TAKEN("retaken", AMOUNT, "",
          "runs taken again, of all initial conditions of the process: at its first"),
    TAKEN("disturbed", AMOUNT, "", "likewise"),
    {0},
};
static const char samples_sql[] = "laps ORDER BY contacts, entry, trial";

/* What is one number for all who race, or the same for all of them. */
static const column top_columns[] = {
    TAKEN("epsilon", AMOUNT, "m",
          "of the protocols that do not search for one; null: nobody who raced has one"),
    DERIVED("epsilon_source", NOTE, "", "source", "where it is from"),
    DERIVED("settings", SETTINGS, "", "common",
            "that all who raced have in common; null where they differ"),
    {0},
};
/* null is infinity, and what is not known is not there */
static const char top_sql[] =
    "(SELECT epsilon, source, (SELECT '{' || group_concat(json_quote(key) || ':' || value) || '}' "
    "FROM (SELECT key, iif(typeof(value) = 'real', printf('%!.17g', value), json_quote(value)) "
    "AS value FROM (SELECT DISTINCT " IN_FORCE " AS force FROM laps), json_each(force) "
    "GROUP BY key HAVING count(DISTINCT coalesce(value, '')) = 1)) AS common FROM laps LIMIT 1)";

/* The line through the medians of one who races at every number of contacts. */
static const column slope_columns[] = {
    DERIVED("solver", TEXT, "", "who", "who races; plain: the cheapest of them at each N"),
    TAKEN("protocol", TEXT, "", "with whose settings"),
    DERIVED("s_per_contact", NUMBER, "s", "line->>0",
            "of the median runtime over all numbers of contacts; null with only one"),
    DERIVED("interval", INTERVAL, "s", "json_remove(line, '$[0]')", "of it"),
    CONFIDENCE,
    {0},
};
static const char slopes_sql[] =
    "(SELECT who, protocol, iif(" EVERYWHERE ", slope_of(contacts, seconds, trial, "
    "processes, seed), NULL) AS line FROM laps GROUP BY who, protocol, nth "
    "ORDER BY min(contacts), min(1000 * contacts + entry))";

/* MuJoCo's time over that of libess, initial condition by initial condition: by contacts, and,
 * where it races, with the contact force as a callback. */
static const column ratio_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts"),
    TAKEN("solver", TEXT, "", "method of libess"),
    TAKEN("protocol", TEXT, "", "of both"),
    DERIVED("mujoco_over_libess", AMOUNT, "", "ratio->>0", "median of the quotients"),
    DERIVED("interval", INTERVAL, "", "json_remove(ratio, '$[0]')", "of it"),
    CONFIDENCE,
    TAKEN("mujoco_s", AMOUNT, "s", "median time of MuJoCo"),
    DERIVED("libess_s", AMOUNT, "s", "middle", "of libess"),
    TAKEN("rms_error_mujoco", AMOUNT, "", "median error of MuJoCo"),
    TAKEN("rms_error_libess", AMOUNT, "", "of libess"),
    DERIVED("epsilon", AMOUNT, "m", "force->>'epsilon'", "of libess"),
    DERIVED("settings", SETTINGS, "", "force", "of libess, in force"),
    DERIVED("callback_over_libess", AMOUNT, "", "callback->>0",
            "median of the quotients of MuJoCo with the contact force as a callback"),
    DERIVED("callback_interval", INTERVAL, "", "json_remove(callback, '$[0]')", "of it"),
    TAKEN("callback_s", AMOUNT, "s", "its median time"),
    TAKEN("rms_error_callback", AMOUNT, "", "its median error"),
    {0},
};
static const char ratios_sql[] =
    "(SELECT l.*, in_force(l.model, l.solver, l.settings) AS force, m.middle AS mujoco_s, c.middle "
    "AS callback_s, "
    "median(l.rms_error) AS rms_error_libess, median(m.rms_error) AS rms_error_mujoco, "
    "median(c.rms_error) AS rms_error_callback, "
    "median_of(m.seconds / l.seconds, trial, l.processes, l.seed) AS ratio, "
    "median_of(c.seconds / l.seconds, trial, l.processes, l.seed) FILTER (WHERE c.who IS NOT NULL) "
    "AS callback FROM laps l JOIN laps m USING (contacts, protocol, trial) "
    "LEFT JOIN (SELECT * FROM laps WHERE solver = 'mujoco-callback') c "
    "USING (contacts, protocol, trial) "
    "WHERE l.solver IN ('libess', 'projection') AND m.solver = 'mujoco' " BY_ENTRY ")";

/* The time of the cheapest method that looks for no crossing over that of libess, initial condition
 * by initial condition. */
static const column plain_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts"),
    DERIVED("solver", TEXT, "", "method", "the method"),
    DERIVED("plain_over_libess", AMOUNT, "", "ratio->>0", "median of the quotients"),
    DERIVED("interval", INTERVAL, "", "json_remove(ratio, '$[0]')", "of it"),
    CONFIDENCE,
    {0},
};
static const char plain_sql[] =
    "(SELECT l.contacts, p.solver AS method, "
    "median_of(p.seconds / l.seconds, trial, l.processes, l.seed) AS ratio "
    "FROM laps l JOIN laps p USING (contacts, protocol, trial) "
    "WHERE protocol = 'equal-error' AND l.solver = 'libess' AND p.who = 'plain' " BY_ENTRY ")";

/* One who races at one number of contacts; the marginal cost looks at 15 neighbouring ones. */
static const column row_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%6.0f")),
    TAKEN("solver", TEXT, "", "who races"),
    DERIVED("shown", TEXT, "", "iif(solver = 'projection', 'paper''s method', solver)", "",
            .place = COLUMN_SHOWN_ONLY, SHOWN("solver", "%-15s")),
    TAKEN("protocol", TEXT, "", "with whose settings", SHOWN("protocol", "%-12s")),
    DERIVED("median_s", AMOUNT, "s", "median->>0", "of one run",
            SHOWN_TIMES("median ms", "%10.4f", 1e3)),
    DERIVED("median_lo_s", AMOUNT, "s", "median->>1", "lower end of its 95 % interval",
            SHOWN_TIMES("95 % from", "%9.4f", 1e3)),
    DERIVED("median_hi_s", AMOUNT, "s", "median->>2", "upper end", SHOWN_TIMES("to", "%9.4f", 1e3)),
    DERIVED("q25_s", AMOUNT, "s", "q25", "lower quartile"),
    DERIVED("q75_s", AMOUNT, "s", "q75", "upper quartile"),
    DERIVED("min_s", AMOUNT, "s", "fastest", "fastest"),
    DERIVED("mad_s", AMOUNT, "s", "mad", "median absolute deviation"),
    DERIVED("marginal_s", NUMBER, "s", "near->>1",
            "cost of one more contact, from medians of 15 neighbouring N; nan with only one N"),
    DERIVED("marginal_lo_s", NUMBER, "s", "near->>2", "lower end of its 95 % band"),
    DERIVED("marginal_hi_s", NUMBER, "s", "near->>3", "upper end"),
    DERIVED("rms_error", AMOUNT, "", "error", "median over the initial conditions",
            SHOWN("RMS", "%8.2g")),
    TAKEN("rms_q90", AMOUNT, "", "90 % quantile", SHOWN("RMS q90", "%8.2g")),
    TAKEN("rms_worst", AMOUNT, "", "largest", SHOWN("worst", "%8.2g")),
    DERIVED("events", AMOUNT, "", "crossings", "median number of crossings"),
    DERIVED("events_reference", AMOUNT, "", "crossings_reference", "of the reference"),
    DERIVED("events_ratio", AMOUNT, "", "crossed", "crossings of all runs over the reference's",
            SHOWN_TIMES("crossings", "%8.2f%%", 100.0)),
    DERIVED("off", TEXT, "", "iif(abs(crossed - 1) <= 0.01, '', '(!)')", "",
            .place = COLUMN_SHOWN_ONLY, SHOWN("", "%s")),
    TAKEN("outliers", COUNT, "",
          "samples more than three interquartile ranges above the upper quartile"),
    DERIVED("retaken", AMOUNT, "", "again",
            "runs taken again because the thread had lost its core"),
    DERIVED("disturbed", AMOUNT, "", "lost",
            "runs that lost it each time: what others had of their time is taken out"),
    DERIVED("field_gap", AMOUNT, "", "gap->>'gap'",
            "how far the engines' accelerations are apart, relative"),
    DERIVED("scaling_s", AMOUNT, "", "gap->>'scaling'",
            "what the mass that MuJoCo's contacts add is divided by"),
    TAKEN("target", NUMBER, "", "error that the settings were searched for"),
    DERIVED("settings", SETTINGS, "", "force", "in force"),
    DERIVED("variant", NOTE, "", "force->>'variant'", "of the solver"),
    {0},
};
static const char rows_sql[] =
    "(SELECT *, (SELECT value FROM json_each(slopes) WHERE value->>0 = contacts) AS near "
    "FROM (SELECT *, " IN_FORCE " AS force, median_of(seconds, trial, processes, seed) AS median, "
    "min(seconds) AS fastest, median(abs(seconds - middle)) AS mad, sum(" OUTLIER ") AS outliers, "
    "sum(retaken) AS again, sum(disturbed) AS lost, median(rms_error) AS error, "
    "quantile(rms_error, 0.9) AS rms_q90, max(rms_error) AS rms_worst, median(events) AS "
    "crossings, median(events_reference) AS crossings_reference, "
    "sum(events) / sum(events_reference) AS crossed FROM laps GROUP BY contacts, entry) "
    "JOIN (SELECT who, protocol, nth, iif(" EVERYWHERE ", marginal_of(contacts, seconds, trial, "
    "processes, seed, 15), '[]') AS slopes FROM laps GROUP BY who, protocol, nth) "
    "USING (who, protocol, nth) ORDER BY contacts, entry)";

/* ---- what is asked for ----------------------------------------------------------------------- */

/* a model without contacts is one case */
static size_t cases(const study_run *run) {
  return isnan(model_get(run->m, "contacts")) ? 1 : races_given(run)->contacts.count;
}

static size_t contacts_of(const study_run *run, size_t of) {
  return isnan(model_get(run->m, "contacts")) ? 1 : races_given(run)->contacts.contacts[of];
}

enum { EPSILON, ENTRIES, RACE };

static void title(const study_run *run, const races_cell *c, char name[RACES_NAME_SIZE]) {
  const size_t contacts = contacts_of(run, c->of);
  if (c->part == EPSILON) snprintf(name, RACES_NAME_SIZE, "epsilon");
  if (c->part == ENTRIES) snprintf(name, RACES_NAME_SIZE, "entries contacts=%zu", contacts);
  if (c->part == RACE)
    snprintf(name, RACES_NAME_SIZE, "race contacts=%zu process=%zu of %zu", contacts, c->number,
             c->count);
}

/* whether anyone who races has neighbourhoods whose size is not searched for */
static bool has_epsilon(const study_run *run) {
  const races_asked *const s = races_given(run);
  bool concerned = false, fixed = false;
  for (size_t i = 0; i < run->racers.count; i++)
    concerned = concerned || solver_concerns(run->racers.solver[i]) & SETTING_EPSILON;
  for (size_t i = 0; i < s->protocols.count; i++)
    fixed = fixed || s->protocols.index[i] < SWEEP_EQUAL_ERROR;
  return concerned && fixed;
}

static bool seeks_epsilon(const study_run *run) {
  return has_epsilon(run) && !(run->racers.given & SETTING_EPSILON);
}

/* whether it is the list by default, which stands for one row of a model without contacts */
static bool is_default(const contacts_range *r) {
  return r->count == 99 && r->contacts[0] == 2 && r->contacts[98] == 100;
}

/* what the model or a solver refuses is reported before anything is waited for or written */
static int check(study_run *run) {
  const races_asked *const s = races_given(run);
  if (isnan(model_get(run->m, "contacts")) && !is_default(&s->contacts)) {
    measure_message(run->message, "--contacts: %s has no such parameter", run->m->type->name);
    return SOLVER_REFUSED;
  }
  const case_change changes[] = {{"contacts", (double)contacts_of(run, 0)}, {0}};
  const contest_starts nowhere = {.m = case_model(run, changes), .trials = 1};
  int status = nowhere.m ? 0 : -1;
  for (size_t i = 0; !status && i < run->racers.count; i++) {
    contestant c;
    status = contestant_prepare(&c, run->racers.solver[i], &run->racers.settings, &nowhere,
                                run->message);
    if (!status) contestant_release(&c);
    // who races by default need not do every model, where it is the last
    if (status == SOLVER_REFUSED && run->racers.by_default && i && i + 1 == run->racers.count) {
      run->racers.count--;
      status = 0;
    }
  }
  return status;
}

/* ---- who races with which settings ----------------------------------------------------------- */

/*
 *   paper        the paper's section 5.2: integration steps no longer than the output step, epsilon
 *                from the calibration on the hopper
 *   free         the same epsilon, integration steps as long as the tolerance allows
 *   equal-error  MuJoCo's cheapest setting and libess's largest tolerance that are no worse than
 *                MuJoCo's Euler at the output step (choice.h says how), chosen on starts other than
 *                those that will be timed; and the cheapest method that looks for no crossing
 *   targets      likewise either's cheapest that reach three errors */

enum { TARGETS = 3 };

static const double targets[TARGETS] = {1e-2, 3e-3, 1e-3};

/* one number of contacts under way */
typedef struct entering {
  study_run *run;
  sweep_sample who; /* enters next: but for solver and settings */
  size_t count;
  contest_starts *tuning; /* what settings are chosen on; NULL: not asked for yet */
  choice_request request; /* its base has epsilon set */
  bridge_gap gap,
      callback_gap; /* MuJoCo's by contacts, which all who race have, and by a callback */
} entering;

static int enter_one(void *context, const choice *chosen) {
  entering *const e = context;
  e->who.solver = chosen->solver->name;
  e->who.settings = chosen->settings;
  e->who.gap = chosen->solver == &bridge_callback_solver ? e->callback_gap : e->gap;
  if (e->count++ < SWEEP_ENTRIES_MAX) return study_add(e->run, SWEEP_SAMPLES, &e->who);
  return measure_fail(e->run->message, "more than %d solvers and protocols at once",
                      SWEEP_ENTRIES_MAX);
}

/* every solver with this longest integration step */
static int enter_all(entering *e, double output_step, double h_max) {
  const study_racers *const racers = &e->run->racers;
  choice c = {.settings = e->request.base};
  int status = 0;
  e->who.target = NAN;
  c.settings.h_max = h_max;
  if (c.settings.time_step == 0.0) c.settings.time_step = output_step;
  for (size_t i = 0; !status && i < racers->count; i++) {
    c.solver = racers->solver[i];
    status = enter_one(e, &c);
  }
  return status;
}

/* all no worse than MuJoCo's Euler at the output step */
static int enter_against_mujoco(entering *e) {
  const choice euler = choice_yardstick(&e->request, "Euler");
  if (!(euler.rms < INFINITY))
    return measure_fail(e->run->message, "equal-error: MuJoCo does not run to the end");
  e->who.target = euler.rms;
  e->request.limits = choice_limits_of(&euler);
  return choice_enter(&e->request, CHOICE_MUJOCO | CHOICE_CALLBACK | CHOICE_LIBESS | CHOICE_PLAIN);
}

static int enter_at_target(entering *e, double target) {
  e->who.protocol = e->request.what = study_text(e->run, "target-%g", target);
  e->who.target = target;
  return choice_enter_at_target(&e->request, target) || choice_enter(&e->request, CHOICE_LIBESS)
             ? -1
             : 0;
}

static int enter_protocol(entering *e, const model *m, sweep_protocol protocol) {
  e->who.protocol = e->request.what = sweep_protocols[protocol];
  if (protocol < SWEEP_EQUAL_ERROR)
    return enter_all(e, m->type->time_step,
                     protocol == SWEEP_PAPER ? m->type->time_step : INFINITY);
  const case_change changes[] = {{"contacts", (double)e->who.contacts}, {0}};
  const unsigned long seed = e->run->seed + CHOICE_SEED_OFFSET;
  e->tuning = case_starts_of(e->run, m->type, changes, CHOICE_STARTS, seed);
  e->request.starts = case_known(e->run, e->tuning, CHOICE_STARTS);
  int status = e->request.starts ? 0 : -1;
  if (!status && protocol == SWEEP_EQUAL_ERROR) return enter_against_mujoco(e);
  for (int i = 0; !status && i < TARGETS; i++) status = enter_at_target(e, targets[i]);
  return status;
}

/* ---- the race at one number of contacts in one process --------------------------------------- */

/* the same seed at every N draws the same starts */
static int race(study_run *run, size_t of, size_t process) {
  size_t count;
  const sweep_sample *const entries = races_samples(run, ENTRIES, of, &count);
  const case_change changes[] = {{"contacts", (double)entries->contacts}, {0}};
  contest_starts *const starts = case_starts(run, changes, races_given(run)->trials);
  race_plan plan = races_race(run, starts, process);
  plan.seed += entries->contacts;
  plan.min_time = races_given(run)->min_time;
  plan.sample = entries;
  plan.where = study_text(run, "%zu contacts, trial", entries->contacts);
  race_entry entry[SWEEP_ENTRIES_MAX];
  for (size_t k = 0; k < count; k++)
    entry[k] =
        (race_entry){.solver = solver_find(entries[k].solver), .settings = entries[k].settings};
  return starts ? race_run(run, &plan, entry, count, NULL, NULL) : -1;
}

/* ---- what they say, a line each -------------------------------------------------------------- */

/* "2 to 5", or "2" where it is one; a solver by what it is: nobody has to know our names of its
 * variants; the ratios of the first that raced MuJoCo by a protocol; and what a contact costs with
 * its interval, as a slope of a few starts is no number alone */
static const char verdict[] =
    "WITH named (solver, name) AS (VALUES ('projection', 'libess by the paper''s method'), "
    "('mujoco', 'MuJoCo'), ('mujoco-callback', 'MuJoCo by a callback'), "
    "('plain', 'the cheapest event-unaware solver')), "
    "title (number, protocol, title) AS (VALUES (1, 'equal-error', 'at equal error'), "
    "(3, 'paper', 'by the paper''s protocol')), "
    "ratio AS (SELECT *, first_value(solver) OVER (PARTITION BY protocol ORDER BY row) AS first, "
    "rms_error_libess / rms_error_mujoco AS error "
    "FROM sweep_ratios JOIN newest USING (run)), "
    "ends AS (SELECT protocol, solver, printf('%.3g', min(mujoco_over_libess)) AS low, "
    "printf('%.3g', max(mujoco_over_libess)) AS high, printf('%.3g', min(error)) AS least, "
    "printf('%.3g', max(error)) AS most, printf('%.3g', min(contacts)) AS few, "
    "printf('%.3g', max(contacts)) AS many, count(*) AS count, "
    "sum(interval->>0 > 1 OR interval->>1 < 1) AS shown, "
    "printf('%.3g', min(callback_over_libess)) AS callback_low, "
    "printf('%.3g', max(callback_over_libess)) AS callback_high, "
    "count(callback_over_libess) AS callbacks FROM ratio WHERE solver = first "
    "GROUP BY protocol), "
    "plain AS (SELECT printf('%.3g', min(plain_over_libess)) AS low, "
    "printf('%.3g', max(plain_over_libess)) AS high FROM sweep_plain JOIN newest USING (run) "
    "HAVING count(*)), "
    "slope AS (SELECT protocol, coalesce(name, solver) || printf(' %.3g us [%.3g, %.3g]', "
    "1e6 * s_per_contact, 1e6 * (interval->>0), 1e6 * (interval->>1)) AS cost FROM sweep_slopes "
    "JOIN newest USING (run) LEFT JOIN named USING (solver) WHERE s_per_contact IS NOT NULL "
    "ORDER BY row) "
    "SELECT line FROM (SELECT number, title || ': ' || coalesce('MuJoCo takes ' || low || "
    "iif(low <> high, ' to ' || high, '') || ' times as long as ' || coalesce(name, solver) || "
    "', whose error is ' || least || iif(least <> most, ' to ' || most, '') || "
    "' times MuJoCo''s; N = ' || few || iif(few <> many, ' to ' || many, '') || "
    "', the difference is significant at ' || shown || ' of ' || count || iif(callbacks, "
    "'; with the contact force by a callback MuJoCo takes ' || callback_low || "
    "iif(callback_low <> callback_high, ' to ' || callback_high, '') || ' times as long', ''), "
    "'not measured') AS line "
    "FROM title LEFT JOIN ends USING (protocol) LEFT JOIN named USING (solver) "
    "UNION ALL SELECT 2, 'at equal error: the cheapest event-unaware solver takes ' "
    "|| low || iif(low <> high, ' to ' || high, '') || ' times as long as libess' FROM plain "
    "UNION ALL SELECT 4 + coalesce(number, 4), 'one more contact ' || coalesce(title, 'by ' || "
    "protocol) || ' [95 %]: ' || group_concat(cost, ', ') FROM slope LEFT JOIN title "
    "USING (protocol) GROUP BY protocol "
    "UNION ALL SELECT 9, 'one more contact: not known from one N' "
    "WHERE NOT EXISTS (SELECT 1 FROM slope)) ORDER BY number";

static void show_verdict(const study_run *run) {
  study_say(run, verdict);
}

/* ---- a cell ---------------------------------------------------------------------------------- */

/* once for all cases, where it is to be found */
static size_t epsilons(study_run *run, size_t of) {
  return !of && seeks_epsilon(run);
}

static int find_epsilon(study_run *run, size_t of, size_t number) {
  sweep_sample s;
  (void)of, (void)number;
  column_clear(sweep_sample_columns, &s);
  if (calibrated_epsilon(run, &s.epsilon, &s.source)) return -1;
  return study_add(run, SWEEP_SAMPLES, &s);
}

/* equal error is MuJoCo's, whoever else races */
static bool has_mujoco(const study_run *run, const solver_type *engine) {
  const races_asked *const s = races_given(run);
  bool races = false;
  for (size_t i = 0; i < run->racers.count; i++) races = races || run->racers.solver[i] == engine;
  for (size_t i = 0; i < s->protocols.count; i++)
    races = races || s->protocols.index[i] >= SWEEP_EQUAL_ERROR;
  return races;
}

static int prove_same_system(study_run *run, const model *m, entering *e) {
  const solver_settings *const settings = &run->racers.settings;
  if (has_mujoco(run, &bridge_solver) &&
      same_system(&bridge_solver, m, settings, run->seed, &e->gap, run->message))
    return -1;
  if (!m->type->contact_force || !has_mujoco(run, &bridge_callback_solver)) return 0;
  return same_system(&bridge_callback_solver, m, settings, run->seed, &e->callback_gap,
                     run->message)
             ? -1
             : 0;
}

/* a sample for everyone who races by the protocols named, one after the other; once for all
 * processes */
static int enter(study_run *run, size_t of, size_t number) {
  const races_asked *const given = races_given(run);
  entering e = {.run = run,
                .request = {.base = run->racers.settings,
                            .interrupted = run->interrupted,
                            .tell = enter_one,
                            .context = &e,
                            .message = run->message}};
  (void)number;
  column_clear(sweep_sample_columns, &e.who);
  e.gap = e.callback_gap = e.who.gap;
  e.who.contacts = contacts_of(run, of);
  if (seeks_epsilon(run)) {
    const sweep_sample *const found = races_samples(run, EPSILON, 0, NULL);
    e.who.epsilon = e.request.base.epsilon = found->epsilon;
    e.who.source = found->source;
  } else if (has_epsilon(run)) {
    e.who.epsilon = run->racers.settings.epsilon;
    e.who.source = "--epsilon";
  }
  const case_change changes[] = {{"contacts", (double)e.who.contacts}, {0}};
  const model *const m = case_model(run, changes);
  int status = m ? 0 : -1;
  if (!status) status = prove_same_system(run, m, &e);
  for (size_t i = 0; !status && i < given->protocols.count; i++)
    status = enter_protocol(&e, m, (sweep_protocol)given->protocols.index[i]);
  contest_forget(e.tuning);
  return status;
}

static const races_preset preset = {.cases = cases,
                                    .title = title,
                                    .part = {[EPSILON] = {.cells = epsilons, .run = find_epsilon},
                                             [ENTRIES] = {.run = enter},
                                             [RACE] = {.cells = races_processes, .run = race}}};

/* ---- what is shown --------------------------------------------------------------------------- */

static const char head[] =
    "SELECT (SELECT printf('%d initial condition%s for each N; ', count(DISTINCT trial), "
    "iif(count(DISTINCT trial) = 1, '', 's')) FROM sweep_laps JOIN newest USING (run)) || "
    "iif(epsilon IS NULL, '', printf('epsilon %.6g (%s); ', epsilon, epsilon_source)) || "
    "'MuJoCo ' || (settings->>'mujoco') FROM (SELECT run, epsilon, epsilon_source FROM sweep_top) "
    "JOIN newest USING (run) JOIN run ON id = run";

static void show(const study_run *run) {
  study_say(run, head);
  study_print(run, SWEEP_ROWS, 0, SIZE_MAX);
  printf(
      "crossings: of all runs, as a share of the reference's; (!) marks a difference above 1 %%\n");
}

/* ---- the study ------------------------------------------------------------------------------- */

const study sweep_study = {
    .name = "sweep",
    .summary = "times of the engines on the plate over the number of contacts (Fig. 5.2)",
    .example = "essbench sweep --contacts 2,10,50 --trials 20 --out results",
    .file = "sweep",
    .group = STUDY_COMPARES,
    .figures = {STUDY_FIGURE("fig5_2_marginal", "sweep.csv"),
                STUDY_FIGURE("marginal_cost", "sweep.csv"),
                STUDY_FIGURE("runtime_vs_n", "sweep.csv"), STUDY_FIGURE("error_vs_n", "sweep.csv")},
    .parameters = "model",
    .cells = "measurements",
    .stages = 3,
    .processes = 12,
    .solvers = "projection,mujoco,mujoco-callback",
    .table = "show the results in the folder, in a few lines; nothing is measured",
    RACES(preset, sweep_options),
    .laps = laps_sql,
    .tables =
        {[SWEEP_SAMPLES] = STUDY_ROWS(sweep_sample, .sql = STUDY_LAP, .meaning = "one sample"),
         [SWEEP_TOP] = STUDY_DERIVED(top_columns, top_sql, .json = "",
                                     .meaning = "what all who raced have in common"),
         [SWEEP_SLOPES] =
             STUDY_DERIVED(slope_columns, slopes_sql, .json = "slopes",
                           .meaning = "the line through the medians over all numbers of contacts"),
         [SWEEP_RATIOS] = STUDY_DERIVED(
             ratio_columns, ratios_sql, .json = "ratios",
             .meaning = "MuJoCo's time over that of libess by the method named in solver, "
                        "paired by initial condition; names say projection for either"),
         [SWEEP_PLAIN] =
             STUDY_DERIVED(plain_columns, plain_sql, .json = "plain",
                           .meaning = "by equal-error: the cheapest method that looks for no "
                                      "crossing over libess, paired by initial condition"),
         [SWEEP_ROWS] = STUDY_DERIVED(row_columns, rows_sql, .csv = "sweep.csv",
                                      .meaning = "one number of contacts, solver and protocol"),
         [SWEEP_TRIALS] = STUDY_DERIVED(sample_columns, samples_sql, .csv = "sweep_samples.csv",
                                        .csv_alone = true, .meaning = "one sample")},
    .check = check,
    .show = show,
    .show_table = show_verdict,
};
