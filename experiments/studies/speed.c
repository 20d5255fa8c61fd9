/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench speed, a preset of races: how fast libess is against MuJoCo's cheapest setting at no
 * worse an error, by contacts and with their force as a callback, what one more contact costs each,
 * and how far from the cost of its evaluations alone libess is. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "choice.h"
#include "races.h"
#include "solvers.h"
#include "studies.h"

/* ---- systems --------------------------------------------------------------------------------- */

/* How a model's field is summed: the hopper's in one way. */
typedef enum speed_form { SPEED_CONTACTS, SPEED_AGGREGATED, SPEED_FORMS } speed_form;

/* The hopper, the plate with every number of contacts, and the largest without damping; then both
 * with springs of every stiffness asked for; then plates with many contacts, without MuJoCo. */
typedef struct speed_system {
  size_t index; /* among all */
  const char *model;
  size_t contacts, forms;
  double damping;              /* NaN: the hopper's own */
  double stiffness;            /* of all springs */
  bool stiff;                  /* one of those asked for */
  bool with_mujoco, in_errors; /* MuJoCo races; libess and the plain methods at all errors asked */
  bool largest, in_series;     /* the last of those whose numbers of contacts differ; one of them */
} speed_system;

#define OPTIONS(X, row)                                                                            \
  CASE_CONTACTS(X, row,                                                                            \
                "numbers of the plate's contacts: " CASE_LIST "; the last also without damping",   \
                .initial = "2,10,20,50,100")                                                       \
  X(row, errors, NUMBERS, "errors", "X,Y",                                                         \
    "median RMS errors, the largest first, at which libess is compared with the cheapest "         \
    "event-unaware solver",                                                                        \
    .initial = "1e-1,1e-2,1e-3,1e-4,1e-5", .min = 1e-12, .max = 0.5)                               \
  X(row, many, NUMBERS, "many", "N,M",                                                             \
    "numbers of contacts, the largest first, for which only these two are compared",               \
    .initial = "1000", .min = 2, .max = 1e5)                                                       \
  X(row, targets, NUMBERS, "targets", "X,Y",                                                       \
    "RMS errors at which MuJoCo is compared, too, the largest first (default: none; MuJoCo's "     \
    "smallest steps take long)",                                                                   \
    .min = 1e-12, .max = 0.5)                                                                      \
  X(row, stiff, NUMBERS, "stiff", "K,L",                                                           \
    "stiffnesses, N/m, the largest first, at which hopper and plate (10 contacts) are compared, "  \
    "too, at an RMS error of 0.01 (default: none)",                                                \
    .min = 1e-3, .max = 1e9)                                                                       \
  CASE_TRIALS(X, row, "initial conditions of each system", "120", 1e6)
static const study_option speed_options[] = {OPTIONS(OPTION_LINE, races_asked){0}};

enum { CHOICE, RACE };

/* ---- samples --------------------------------------------------------------------------------- */

/* Who races (what = "entry"), what one of its starts gave in one process ("run"), or what a call of
 * one of a model's callbacks takes ("call", the callback being the variant). Of the numbers that is
 * not known which it has not. */
typedef struct speed_sample {
  speed_system of;
  const char *what, *protocol, *field, *solver, *variant;
  double target, rtol, time_step, field_gap, scaling;
  size_t process, trial;
  double seconds, repetitions, retaken, disturbed, rms_error, events, events_reference;
  double counts[COUNTS];
} speed_sample;

enum { SPEED_ENTRIES_MAX = 64 };

/* Whose an entry is: MuJoCo's, by contacts or by a callback, libess's, or that of a method that
 * looks for no crossing. */
typedef enum speed_whose { SPEED_MUJOCO, SPEED_CALLBACK, SPEED_OURS, SPEED_PLAIN } speed_whose;

static const char speed_yardstick[] = "Euler-2ms", speed_yardstick_rk4[] = "RK4-2ms",
                  speed_fixed[] = "fixed-tolerance";

/* ---- a system within a cell ------------------------------------------------------------------ */

typedef struct speed_room {
  study_run *run;
  speed_system of;
  contest_starts *starts;
  contest_starts form[SPEED_FORMS]; /* the same of each form: views */
  bridge_gap gap,
      callback_gap; /* MuJoCo's by contacts and by a callback: the largest of all forms */

  /* who enters next */
  const char *protocol;
  double target; /* NaN: a run of MuJoCo's */
  size_t field;
  choice_request request;

  /* who races in a process, and where a run goes that is counted; owned */
  size_t process, count;
  speed_sample entry[SPEED_ENTRIES_MAX];
  trajectory samples;
} speed_room;

/* ---- what is derived ------------------------------------------------------------------------- */

enum { SPEED_SAMPLES = STUDY_SAMPLES, SPEED_ROWS, SPEED_MARGINALS, SPEED_CALLBACKS, SPEED_RUNS };

/* What the calls of a run cost alone, by what one of each callback costs; of the event functions
 * that one call is asked for, those behind the first cost what 7 more of them do. */
#define COST(calls, seconds) "iif(" calls " > 0, " calls " * " seconds ", 0.0)"
#define BOUND                                                                                      \
  COST("fields", "field_s")                                                                        \
  " + " COST("guards", "guards_s") " + " COST("rates", "rates_s") " + " COST(                      \
      "some", "some_s") " + " COST("(some_guards - some)", "coalesce(max((more_s - some_s) / 7, "  \
                                                           "0.0), 0.0)")

/* Runs: each with its number among all of its entry, what was counted in the first process, what
 * its calls cost alone, and MuJoCo's time in the same protocol. Entries are in their order. */
static const char laps_sql[] =
    "WITH ran AS (SELECT c.*, r.seed, max(process) OVER () + 1 AS processes, "
    "trial * (max(process) OVER () + 1) + process AS lap, field = 'aggregated' AS aggregated, "
    "coalesce(rtol, time_step) AS setting, iif(process, NULL, events) AS found, min(c.row) OVER "
    "(PARTITION BY system, protocol, field, "
    "solver) AS entry FROM speed_laps c JOIN run r ON r.id = c.run WHERE c.run = ?1 "
    "AND what = 'run'), "
    "cost AS (SELECT system, field = 'aggregated' AS aggregated, "
    "median(seconds) FILTER (WHERE variant = 'field') AS field_s, "
    "median(seconds) FILTER (WHERE variant = 'guards') AS guards_s, "
    "median(seconds) FILTER (WHERE variant = 'event_rates') AS rates_s, "
    "median(seconds) FILTER (WHERE variant = 'event_rates of 1') AS some_s, "
    "median(seconds) FILTER (WHERE variant = 'event_rates of 8') AS more_s "
    "FROM speed_laps WHERE run = ?1 AND what = 'call' GROUP BY system, aggregated), "
    "counted AS (SELECT system, entry, trial, `counts[0]` AS steps, `counts[1]` AS rejected, "
    "`counts[2]` AS entries, `counts[3]` AS through, `counts[4]` AS crossings, "
    "`counts[5]` AS fields, `counts[6]` AS guards, `counts[7]` AS rates, `counts[8]` AS some, "
    "`counts[9]` AS some_guards, aggregated FROM ran WHERE solver = 'libess' AND process = 0), "
    "work AS (SELECT system, entry, trial, steps, rejected, entries, through, crossings, fields, "
    "guards + rates + some AS calls, " BOUND " AS bound FROM counted "
    "JOIN cost USING (system, aggregated)) "
    "SELECT ran.*, steps, rejected, entries, through, crossings, fields, calls, bound, "
    "m.seconds AS mujoco_seconds FROM ran LEFT JOIN work USING (system, entry, trial) "
    "LEFT JOIN (SELECT * FROM ran WHERE solver = 'mujoco') m USING (system, protocol, lap)";

/* what settings were chosen by, on the initial conditions that are timed; the tails where they were
 * asked for; and whether one is more than 1 % above one of those after all */
#define ACCEPTED "coalesce(target, yardstick_rms)"
#define ACCEPTED_TAIL(of)                                                                          \
  "iif(target IS NULL AND protocol <> 'equal-median', yardstick_" of ", NULL)"
#define WORSE                                                                                      \
  "coalesce(rms > 1.01 * " ACCEPTED ", 0) OR coalesce(q90 > 1.01 * " ACCEPTED_TAIL(                \
      "q90") ", 0) "                                                                               \
             "OR coalesce(worst > 1.01 * " ACCEPTED_TAIL(                                          \
                 "worst") ", 0) "                                                                  \
                          "OR coalesce(abs(crossed_ratio - 1) > 0.01, 0)"

static const column speed_row_columns[] = {
    TAKEN("model", TEXT, "", "hopper or plate", SHOWN("model", "%-6s")),
    DERIVED("law", TEXT, "", "iif(model = 'plate', 'roller', '')", "of the plate's contacts"),
    TAKEN("field", TEXT, "", "how libess's field is summed: contacts or aggregated",
          SHOWN("field", "%-10s")),
    TAKEN("solver", TEXT, "", "mujoco, mujoco-callback, libess or a plain one",
          SHOWN("solver", "%-15s")),
    TAKEN("variant", TEXT, "", "MuJoCo's integrator"),
    TAKEN("protocol", TEXT, "", "what is compared (docs/results/speed.md)",
          SHOWN("protocol", "%-15s")),
    TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%3.0f")),
    TAKEN("damping", AMOUNT, "N s/m", "of all springs; not known of the hopper",
          SHOWN("c", "%3.0f")),
    TAKEN("stiffness", AMOUNT, "N/m", "of all springs", SHOWN("k", "%7.0f")),
    TAKEN("trials", COUNT, "", "starts"),
    DERIVED("mujoco_variant", TEXT, "", "coalesce(mujoco_is, '')",
            "integrator that MuJoCo chose in this protocol", SHOWN("MuJoCo's", "%-12s")),
    DERIVED("mujoco_time_step", AMOUNT, "s", "mujoco_setting",
            "step that MuJoCo chose in this protocol", SHOWN_TIMES("ms", "%5.2f", 1e3)),
    TAKEN("rtol", AMOUNT, "", "", .place = COLUMN_SHOWN_ONLY, SHOWN("rtol", "%7.1e")),
    DERIVED("median_s", AMOUNT, "s", "median->>0", "median over initial conditions and processes",
            SHOWN_TIMES("us", "%8.2f", 1e6)),
    DERIVED("median_lo_s", AMOUNT, "s", "median->>1", "lower end of its 95 % interval"),
    DERIVED("median_hi_s", AMOUNT, "s", "median->>2", "upper end"),
    TAKEN("mujoco_s", AMOUNT, "s", "MuJoCo's median in this protocol",
          SHOWN_TIMES("MuJoCo us", "%9.1f", 1e6)),
    DERIVED("mujoco_over_this", AMOUNT, "", "mujoco->>0",
            "median of MuJoCo's time over this, by initial condition and process",
            SHOWN("ratio", "%6.1f")),
    DERIVED("mujoco_over_this_lo", AMOUNT, "", "mujoco->>1", "lower end of its 95 % interval",
            SHOWN("from", "%6.1f")),
    DERIVED("mujoco_over_this_hi", AMOUNT, "", "mujoco->>2", "upper end", SHOWN("to", "%6.1f")),
    DERIVED("callback_variant", TEXT, "", "coalesce(callback_is, '')",
            "the same of MuJoCo with the contact force as a callback: the integrator that it "
            "chose in this protocol",
            SHOWN("callback's", "%-12s")),
    DERIVED("callback_time_step", AMOUNT, "s", "callback_setting", "step that it chose",
            SHOWN_TIMES("ms", "%5.2f", 1e3)),
    TAKEN("callback_s", AMOUNT, "s", "its median", SHOWN_TIMES("callback us", "%11.1f", 1e6)),
    DERIVED("callback_over_this", AMOUNT, "", "callback->>0",
            "median of its time over this, by initial condition and process",
            SHOWN("ratio", "%6.1f")),
    DERIVED("callback_over_this_lo", AMOUNT, "", "callback->>1", "lower end of its 95 % interval",
            SHOWN("from", "%6.1f")),
    DERIVED("callback_over_this_hi", AMOUNT, "", "callback->>2", "upper end", SHOWN("to", "%6.1f")),
    DERIVED("plain_solver", TEXT, "", "coalesce(plain_is, '')",
            "cheapest method that looks for no crossing, in this protocol and with this field; "
            "empty: none reaches it",
            SHOWN("plain", "%-12s")),
    TAKEN("plain_setting", AMOUNT, "", "its tolerance, rtol = atol, or its step, s",
          SHOWN("setting", "%8.2g")),
    TAKEN("plain_s", AMOUNT, "s", "its median", SHOWN_TIMES("unaware us", "%8.2f", 1e6)),
    DERIVED("plain_over_this", AMOUNT, "", "plain->>0",
            "median of its time over this, by initial condition and process",
            SHOWN("ratio", "%6.2f")),
    DERIVED("plain_over_this_lo", AMOUNT, "", "plain->>1", "lower end of its 95 % interval",
            SHOWN("from", "%6.2f")),
    DERIVED("plain_over_this_hi", AMOUNT, "", "plain->>2", "upper end", SHOWN("to", "%6.2f")),
    DERIVED("rms_error", AMOUNT, "", "rms", "RMS error: median initial condition",
            SHOWN("RMS", "%7.1e")),
    DERIVED("rms_q90", AMOUNT, "", "q90", "90 % quantile", SHOWN("90 %", "%7.1e")),
    DERIVED("rms_worst", AMOUNT, "", "worst", "worst initial condition", SHOWN("worst", "%7.1e")),
    DERIVED("mujoco_rms_error", AMOUNT, "", "mujoco_rms",
            "MuJoCo's in this protocol: median initial condition"),
    DERIVED("mujoco_rms_q90", AMOUNT, "", "mujoco_q90", "90 % quantile"),
    DERIVED("mujoco_rms_worst", AMOUNT, "", "mujoco_worst", "worst initial condition"),
    DERIVED("callback_rms_error", AMOUNT, "", "callback_rms",
            "MuJoCo's by a callback: median initial condition"),
    DERIVED("callback_rms_q90", AMOUNT, "", "callback_q90", "90 % quantile"),
    DERIVED("callback_rms_worst", AMOUNT, "", "callback_worst", "worst initial condition"),
    DERIVED("accepted_rms_error", AMOUNT, "", ACCEPTED,
            "what settings were chosen by, on the initial conditions that are timed: median "
            "initial condition"),
    DERIVED("accepted_rms_q90", AMOUNT, "", ACCEPTED_TAIL("q90"),
            "90 % quantile; not known where it was not asked for"),
    DERIVED("accepted_rms_worst", AMOUNT, "", ACCEPTED_TAIL("worst"),
            "worst initial condition, likewise"),
    DERIVED("worse", FLAG, "", WORSE,
            "more than 1 % above one of those after all, or off the reference's crossings",
            SHOWN("(!)", "%3.0f")),
    DERIVED("events", AMOUNT, "", "crossed", "crossings, median"),
    DERIVED("events_ratio", AMOUNT, "", "crossed_ratio",
            "crossings of all initial conditions, over the reference's",
            SHOWN("crossings", "%9.4f")),
    DERIVED("steps", AMOUNT, "", "steps_of", "accepted, median as all to mujoco_over_bound",
            SHOWN("steps", "%5.0f")),
    DERIVED("rejected", AMOUNT, "", "rejected_of", "steps"),
    DERIVED("entries", AMOUNT, "", "entries_of", "crossings located on the dense output",
            SHOWN("located", "%7.0f")),
    DERIVED("through", AMOUNT, "", "through_of", "of the steps, those that went through crossings",
            SHOWN("through", "%7.0f")),
    DERIVED("field_evaluations", AMOUNT, "", "fields_of", "calls"),
    DERIVED("event_evaluations", AMOUNT, "", "calls_of", "calls for all or some event functions"),
    DERIVED("evaluations_per_crossing", AMOUNT, "", "per_crossing",
            "both kinds of calls over those", SHOWN("calls/cr.", "%9.2f")),
    DERIVED("bound_s", AMOUNT, "s", "bound_of",
            "what the calls alone cost: each at its time in callbacks",
            SHOWN_TIMES("bound us", "%8.2f", 1e6)),
    TAKEN("over_bound", AMOUNT, "", "time over the bound", SHOWN("/bound", "%6.2f")),
    DERIVED("mujoco_over_bound", AMOUNT, "", "best",
            "MuJoCo's time over the bound: what these evaluations allow at best"),
    TAKEN("field_gap", AMOUNT, "", "between the model's field and MuJoCo's", SHOWN("gap", "%7.1e")),
    DERIVED("scaling_s", AMOUNT, "", "scaling", "of MuJoCo's contacts, with which that is so"),
    TAKEN("processes", COUNT, "", "that timed every initial condition"),
    DERIVED("retaken", AMOUNT, "", "again",
            "runs taken again because another task had had the core meanwhile"),
    DERIVED("disturbed", AMOUNT, "", "lost",
            "runs that another task had a share of however often they were taken; it is taken out"),
    DERIVED("settings", SETTINGS, "", "force", "with which it ran"),
    {0},
};

/* the runs of each entry */
#define ENTRIES                                                                                    \
  "(SELECT *, crossed_median_of(seconds, lap, processes, seed) AS median, "                        \
  "median(rms_error) AS rms, quantile(rms_error, 0.9) AS q90, max(rms_error) AS worst, "           \
  "count(*) / processes AS trials, median(found) AS crossed, "                                     \
  "sum(found) / sum(events_reference) AS crossed_ratio, sum(retaken) AS again, "                   \
  "sum(disturbed) AS lost, median(steps) AS steps_of, median(rejected) AS rejected_of, "           \
  "median(entries) AS entries_of, median(through) AS through_of, median(fields) AS fields_of, "    \
  "median(calls) AS calls_of, median(bound) AS bound_of, "                                         \
  "median(iif(crossings > 0, (fields + calls) / crossings, NULL)) AS per_crossing, "               \
  "median(seconds / bound) AS over_bound, median(mujoco_seconds / bound) AS best, "                \
  "in_force(model, solver, '{\"variant\":' || json_quote(nullif(variant, '')) || "                 \
  "iif(rtol IS NULL, '', printf(',\"rtol\":%!.17g,\"atol\":%!.17g', rtol, rtol)) || "              \
  "iif(time_step IS NULL, '', printf(',\"time_step\":%!.17g', time_step)) || '}') AS force, "      \
  "iif(protocol = 'equal-error-RK4', 'RK4-2ms', 'Euler-2ms') AS yardstick "                        \
  "FROM laps GROUP BY system, entry)"

/* beside each entry another of its protocol, and its time over this one's, by initial condition and
 * process */
#define RIVAL(name, which)                                                                         \
  "LEFT JOIN (SELECT l.system, l.entry, coalesce(nullif(r.variant, ''), r.solver) AS " name        \
  "_is, "                                                                                          \
  "r.setting AS " name "_setting, median(r.seconds) AS " name "_s, "                               \
  "median(r.rms_error) AS " name "_rms, quantile(r.rms_error, 0.9) AS " name "_q90, "              \
  "max(r.rms_error) AS " name "_worst, "                                                           \
  "crossed_median_of(r.seconds / l.seconds, lap, l.processes, l.seed) AS " name                    \
  " FROM laps l JOIN laps r USING (system, protocol, lap) WHERE " which                            \
  " GROUP BY l.system, l.entry) USING (system, entry) "
/* errors of MuJoCo at the output step */
#define YARDSTICK                                                                                  \
  "LEFT JOIN (SELECT system, protocol AS yardstick, median(rms_error) AS yardstick_rms, "          \
  "quantile(rms_error, 0.9) AS yardstick_q90, max(rms_error) AS yardstick_worst FROM laps "        \
  "WHERE solver = 'mujoco' GROUP BY system, protocol) USING (system, yardstick) "
#define BY_CONTACTS RIVAL("mujoco", "r.solver = 'mujoco'")
#define BY_CALLBACK RIVAL("callback", "r.solver = 'mujoco-callback'")
#define PLAIN                                                                                      \
  RIVAL("plain", "r.solver LIKE 'plain-%' AND r.field = l.field AND l.solver = 'libess'")
static const char rows_sql[] =
    ENTRIES BY_CONTACTS BY_CALLBACK PLAIN YARDSTICK "ORDER BY system, entry";

/* What one more contact costs at settings that are the same at every number of them: the slopes of
 * libess and of another over the same initial conditions and processes. */
static const column speed_marginal_columns[] = {
    TAKEN("field", TEXT, "", "how libess's field is summed", SHOWN("one more contact", "%-16s")),
    TAKEN("rtol", AMOUNT, "", "libess's tolerance at every number of contacts",
          SHOWN("rtol", "%7.1e")),
    TAKEN("mujoco_variant", TEXT, "", "MuJoCo's integrator at each of them",
          SHOWN("MuJoCo's", "%-12s")),
    TAKEN("mujoco_time_step", AMOUNT, "s", "and its step", SHOWN_TIMES("ms", "%5.2f", 1e3)),
    DERIVED("s_per_contact", NUMBER, "s", "line->>0",
            "slope of libess's medians over the number of contacts",
            SHOWN_TIMES("libess us", "%9.3f", 1e6)),
    DERIVED("interval", INTERVAL, "s", "json_remove(line, '$[0]')", "its 95 % interval"),
    DERIVED("mujoco_s_per_contact", NUMBER, "s", "mujoco->>0", "MuJoCo's",
            SHOWN_TIMES("MuJoCo us", "%9.2f", 1e6)),
    DERIVED("mujoco_interval", INTERVAL, "s", "json_remove(mujoco, '$[0]')", "its interval"),
    DERIVED("share", NUMBER, "", "mujoco_share->>0", "libess's over MuJoCo's",
            SHOWN("share", "%7.4f")),
    DERIVED("share_interval", INTERVAL, "", "json_remove(mujoco_share, '$[0]')",
            "its interval, initial conditions and processes drawn for both alike"),
    DERIVED("callback_variant", TEXT, "", "coalesce(callback_variant, '')",
            "integrator at each of them of MuJoCo with the contact force as a callback",
            SHOWN("callback's", "%-12s")),
    TAKEN("callback_time_step", AMOUNT, "s", "and its step", SHOWN_TIMES("ms", "%5.2f", 1e3)),
    DERIVED("callback_s_per_contact", NUMBER, "s", "callback->>0", "its slope",
            SHOWN_TIMES("callback us", "%11.3f", 1e6)),
    DERIVED("callback_interval", INTERVAL, "s", "json_remove(callback, '$[0]')", "its interval"),
    DERIVED("callback_share", NUMBER, "", "callback_share->>0", "libess's over this one's",
            SHOWN("share", "%7.4f")),
    DERIVED("callback_share_interval", INTERVAL, "", "json_remove(callback_share, '$[0]')",
            "its interval"),
    {0},
};
#define FIXED "protocol = 'fixed-tolerance' "
#define SLOPE(name, which)                                                                         \
  "(SELECT l.field, r.variant AS " name "_variant, r.time_step AS " name "_time_step, "            \
  "crossed_slope_of(r.contacts, r.seconds, lap, r.processes, r.seed) AS " name ", "                \
  "crossed_slope_ratio_of(l.contacts, l.seconds, r.seconds, lap, l.processes, l.seed) "            \
  "AS " name "_share FROM laps l JOIN laps r USING (system, protocol, lap) WHERE " FIXED           \
  "AND l.solver = 'libess' AND r.solver = '" which "' GROUP BY l.field) USING (field) "
#define SLOPE_BY_CONTACTS SLOPE("mujoco", "mujoco")
#define SLOPE_BY_CALLBACK SLOPE("callback", "mujoco-callback")
static const char marginals_sql[] =
    "(SELECT field, rtol, crossed_slope_of(contacts, seconds, lap, processes, seed) AS line "
    "FROM laps WHERE " FIXED "AND solver = 'libess' GROUP BY field) "
    "JOIN " SLOPE_BY_CONTACTS "LEFT JOIN " SLOPE_BY_CALLBACK "ORDER BY field DESC";

static const column speed_callback_columns[] = {
    TAKEN("model", TEXT, "", "hopper or plate", SHOWN("calls of", "%-8s")),
    TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%3.0f")),
    TAKEN("damping", AMOUNT, "N s/m", "of all springs", SHOWN("c", "%3.0f")),
    TAKEN("field", TEXT, "", "how it is summed", SHOWN("field", "%-10s")),
    DERIVED("callback", TEXT, "", "variant", "of the model", SHOWN("callback", "%-21s")),
    DERIVED("s_per_call", AMOUNT, "s", "median->>0",
            "median, in cache, at states along a trajectory with half of the contacts pressed",
            SHOWN_TIMES("ns", "%7.1f", 1e9)),
    DERIVED("interval", INTERVAL, "s", "json_remove(median, '$[0]')", "95 %"),
    {0},
};
/* springs that are stiffer cost no more; a callback that the model does not have has no times */
static const char callbacks_sql[] =
    "(SELECT *, min(row) AS place, median_of(seconds, trial * processes + process, processes, "
    "seed) "
    "AS median FROM (SELECT c.*, r.seed, max(process) OVER () + 1 AS processes "
    "FROM speed_laps c JOIN run r ON r.id = c.run WHERE c.run = ?1 AND what = 'call' "
    "AND NOT stiff AND seconds IS NOT NULL) GROUP BY system, field, variant) ORDER BY system, "
    "place";

/* One start in one process. */
static const column speed_run_columns[] = {
    TAKEN("model", TEXT, "", "hopper or plate"),
    TAKEN("contacts", COUNT, "", "number of contacts"),
    TAKEN("damping", AMOUNT, "N s/m", "of all springs"),
    TAKEN("field", TEXT, "", "how libess's field is summed"),
    TAKEN("solver", TEXT, "", "mujoco, mujoco-callback, libess or a plain one"),
    TAKEN("protocol", TEXT, "",
          "what is compared; equal settings of two protocols were timed once for both"),
    TAKEN("trial", COUNT, "", "the initial condition"),
    TAKEN("seconds", AMOUNT, "s", "median of the repetitions"),
    TAKEN("rms_error", AMOUNT, "", "by the first process, as all that follows"),
    DERIVED("events", AMOUNT, "", "found", "crossings"),
    TAKEN("events_reference", AMOUNT, "", "of the reference"),
    TAKEN("process", COUNT, "", "which process"),
    TAKEN("stiffness", AMOUNT, "N/m", "of all springs"),
    {0},
};
static const char runs_sql[] = "laps ORDER BY system, entry, lap";

/* ---- systems, and who races on them ---------------------------------------------------------- */

static const char *const speed_form_names[SPEED_FORMS] = {"contacts", "aggregated"};

/* "" where there is but one */
static const char *form_name(const speed_system *of, size_t form) {
  return of->forms > 1 ? speed_form_names[form] : "";
}

/* what models have by default, and contacts of the plate with other springs */
static const double hopper_stiffness = 800.0, plate_stiffness = 8000.0, plate_damping = 60.0;
enum { STIFF_CONTACTS = 10 };

static size_t speed_systems(const races_asked *s) {
  return s->contacts.count + 2 + 2 * s->stiff.count + s->many.count;
}

static speed_system speed_system_at(const races_asked *s, size_t index) {
  const size_t last = s->contacts.count, stiff = last + 2, many = stiff + 2 * s->stiff.count;
  const bool is_stiff = index >= stiff && index < many, in_series = index && index <= last;
  const bool hopper = !index || (is_stiff && (index - stiff) % 2 == 0);
  speed_system of = {.index = index,
                     .model = hopper ? "hopper" : "plate",
                     .contacts = hopper ? 1 : STIFF_CONTACTS,
                     .forms = hopper ? 1 : SPEED_FORMS,
                     .damping = hopper              ? NAN
                                : index == last + 1 ? 0.0
                                                    : plate_damping,
                     .stiffness = hopper ? hopper_stiffness : plate_stiffness,
                     .stiff = is_stiff,
                     .with_mujoco = index < many,
                     .in_errors = !is_stiff && index != last + 1,
                     .largest = index == last,
                     .in_series = in_series};
  if (is_stiff) of.stiffness = s->stiff.value[(index - stiff) / 2];
  if (in_series) of.contacts = s->contacts.contacts[index - 1];
  if (index == last + 1) of.contacts = s->contacts.contacts[last - 1];
  if (index >= many) of.contacts = (size_t)s->many.value[index - many];
  return of;
}

/* ---- entries --------------------------------------------------------------------------------- */

static bool speed_is(const speed_sample *entry, speed_whose whose) {
  const solver_type *const solver = solver_find(entry->solver);
  const speed_whose is = solver == &libess_solver            ? SPEED_OURS
                         : solver_is_plain(solver)           ? SPEED_PLAIN
                         : solver == &bridge_callback_solver ? SPEED_CALLBACK
                                                             : SPEED_MUJOCO;
  return is == whose;
}

/* what an entry, or a run, runs with */
static speed_form speed_form_of(const speed_sample *entry) {
  return strcmp(entry->field, speed_form_names[SPEED_AGGREGATED]) == 0 ? SPEED_AGGREGATED
                                                                       : SPEED_CONTACTS;
}

static solver_settings speed_settings_of(const speed_sample *entry) {
  solver_settings s = solver_settings_default();
  if (bridge_is(solver_find(entry->solver))) s.variant = entry->variant;
  if (!isnan(entry->rtol)) s.rtol = s.atol = entry->rtol;
  if (!isnan(entry->time_step)) s.time_step = entry->time_step;
  return s;
}

/* the one of MuJoCo's two (field NULL), or of another with a field, in a protocol; SIZE_MAX when
 * there is none */
static size_t speed_entry_of(const speed_sample entry[], size_t count, const char *protocol,
                             speed_whose whose, const char *field) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(entry[i].protocol, protocol) == 0 && speed_is(&entry[i], whose) &&
        (!field || strcmp(entry[i].field, field) == 0))
      return i;
  return SIZE_MAX;
}

/* those that the choice of a system gave */
static size_t chosen(const study_run *run, size_t system, speed_sample entry[]) {
  size_t count;
  const speed_sample *const all = races_samples(run, CHOICE, system, &count);
  if (count > SPEED_ENTRIES_MAX) count = SPEED_ENTRIES_MAX;
  memcpy(entry, all, count * sizeof *entry);
  return count;
}

/* an entry with the setting that serves every number of contacts: MuJoCo's at the largest, or the
 * finest of libess's tolerances */
static bool fixed_entry(const study_run *run, speed_whose whose, const char *field,
                        speed_sample *out) {
  const races_asked *const s = races_given(run);
  bool found = false;
  for (size_t i = 0; i < speed_systems(s); i++) {
    speed_sample entry[SPEED_ENTRIES_MAX];
    if (!speed_system_at(s, i).in_series) continue;
    const size_t at = speed_entry_of(entry, chosen(run, i, entry), "equal-error", whose, field);
    if (at == SIZE_MAX) return false;
    if (!found || whose != SPEED_OURS || entry[at].rtol < out->rtol) *out = entry[at];
    found = true;
  }
  out->protocol = speed_fixed;
  return found;
}

/* who races on a system, by what the choices of all gave: those of its own, and the ones whose
 * settings are the same at every number of contacts. Returns how many. */
static size_t speed_entries(const study_run *run, size_t system,
                            speed_sample entry[SPEED_ENTRIES_MAX]) {
  const races_asked *const s = races_given(run);
  size_t count = chosen(run, system, entry);
  if (!speed_system_at(s, system).in_series || s->contacts.count < 2) return count;
  const struct {
    speed_whose whose;
    const char *field;
  } fixed[] = {{SPEED_MUJOCO, NULL},
               {SPEED_CALLBACK, NULL},
               {SPEED_OURS, speed_form_names[0]},
               {SPEED_OURS, speed_form_names[1]}};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed && count < SPEED_ENTRIES_MAX; i++)
    count += fixed_entry(run, fixed[i].whose, fixed[i].field, &entry[count]);
  return count;
}

/* ---- a system under way ---------------------------------------------------------------------- */

/* the error at which stiff systems are raced */
static const double stiff_target = 0.01;

/* draws starts, and computes the references of the first `known` of them */
static int speed_open(speed_room *r, study_run *run, const speed_system *of, size_t starts,
                      size_t known, unsigned long seed) {
  const model_type *const type = model_find(of->model);
  case_change changes[] = {{"field", 0.0},
                           {"stiffness", of->stiffness},
                           {"contacts", (double)of->contacts},
                           {"damping", of->damping},
                           {0}};
  *r = (speed_room){.run = run, .of = *of};
  r->starts = case_starts_of(run, type, changes, starts, seed);
  if (!case_known(run, r->starts, known)) return -1;
  for (size_t k = 0; k < of->forms; k++) {
    changes->value = (double)k;
    const model *const m = case_model_of(run, type, changes);
    if (!m) return -1;
    r->form[k] = contest_starts_view(r->starts, m);
  }
  return 0;
}

/* ---- who races ------------------------------------------------------------------------------- */

/* MuJoCo's cheapest settings and libess's largest tolerance, chosen on starts other than those that
 * are timed */

static int enter(void *context, const choice *chosen) {
  const speed_room *const r = context;
  const solver_settings *const with = &chosen->settings;
  const bool mujoco = bridge_is(chosen->solver);
  const bool by_tolerance = solver_concerns(chosen->solver) & SETTING_TOLERANCE;
  speed_sample s;
  column_clear(r->run->study->tables[SPEED_SAMPLES].columns, &s);
  s.of = r->of;
  s.what = "entry";
  s.protocol = r->protocol;
  s.field = mujoco ? "" : form_name(&r->of, r->field);
  s.solver = chosen->solver->name;
  s.variant = mujoco ? with->variant : "";
  s.target = r->target;
  s.rtol = by_tolerance ? with->rtol : NAN;
  s.time_step = by_tolerance ? NAN : with->time_step;
  const bridge_gap *const gap =
      chosen->solver == &bridge_callback_solver ? &r->callback_gap : &r->gap;
  s.field_gap = gap->gap;
  s.scaling = gap->scaling;
  return study_add(r->run, SPEED_SAMPLES, &s);
}

/* a protocol begins */
static void begin(speed_room *r, const char *protocol, double target, choice_limits limits) {
  r->protocol = protocol;
  r->target = target;
  r->request = (choice_request){.starts = r->starts,
                                .base = solver_settings_default(),
                                .limits = limits,
                                .interrupted = r->run->interrupted,
                                .what = study_text(r->run, "%s, %zu contacts, k = %g, c = %g, %s",
                                                   r->of.model, r->of.contacts, r->of.stiffness,
                                                   r->of.damping, protocol),
                                .tell = enter,
                                .context = r,
                                .message = r->run->message};
}

/* libess's largest tolerance with the first forms of the field, and the cheapest of the plain
 * methods */
static int enter_forms(speed_room *r, size_t forms) {
  int status = 0;
  for (r->field = 0; !status && r->field < forms; r->field++) {
    r->request.starts = &r->form[r->field];
    status = choice_enter(&r->request, CHOICE_LIBESS | CHOICE_PLAIN);
  }
  return status;
}

/* the cheapest of all within limits */
static int enter_all(speed_room *r, const char *protocol, choice_limits limits) {
  begin(r, protocol, NAN, limits);
  return choice_enter(&r->request, CHOICE_MUJOCO | CHOICE_CALLBACK) ? -1
                                                                    : enter_forms(r, r->of.forms);
}

static int enter_at_target(speed_room *r, double target) {
  begin(r, study_text(r->run, "target-%g", target), target, (choice_limits){0});
  return choice_enter_at_target(&r->request, target) ? -1 : enter_forms(r, r->of.forms);
}

/* without MuJoCo: at each error asked for libess and the cheapest plain method, with the field that
 * sums over all springs */
static int enter_errors(speed_room *r) {
  const races_asked *const s = races_given(r->run);
  int status = 0;
  for (size_t i = 0; !status && i < s->errors.count && r->of.in_errors; i++) {
    const double error = s->errors.value[i];
    begin(r, study_text(r->run, "error-%g", error), error,
          (choice_limits){error, INFINITY, INFINITY});
    status = enter_forms(r, 1);
  }
  return status;
}

/* MuJoCo at the output step, if it does run; *c is what it showed */
static int enter_yardstick(speed_room *r, const char *protocol, const char *integrator, choice *c) {
  begin(r, protocol, NAN, (choice_limits){0});
  *c = choice_yardstick(&r->request, integrator);
  return c->rms < INFINITY ? enter(r, c) : 0;
}

/* what no worse than it means, of the median alone, too, or not */
static int enter_against(speed_room *r, const char *yardstick, const char *integrator,
                         const char *protocol, const char *median_alone) {
  choice c;
  if (enter_yardstick(r, yardstick, integrator, &c)) return -1;
  if (!(c.rms < INFINITY))
    return measure_fail(r->run->message, "%s, %zu contacts, %s: MuJoCo does not run to the end",
                        r->of.model, r->of.contacts, yardstick);
  const choice_limits median = {c.rms, INFINITY, INFINITY};
  if (enter_all(r, protocol, choice_limits_of(&c))) return -1;
  return median_alone ? enter_all(r, median_alone, median) : 0;
}

static int check_gap(speed_room *r, const solver_type *engine, bridge_gap *largest) {
  const solver_settings settings = solver_settings_default();
  for (size_t k = 0; k < r->of.forms; k++) {
    bridge_gap gap;
    if (same_system(engine, r->form[k].m, &settings, r->run->seed, &gap, r->run->message))
      return -1;
    if (!k || gap.gap > largest->gap) *largest = gap;
  }
  return 0;
}

/* One start alone has no tails: the hopper's median is all there is. Where the springs are too
 * stiff for the output step the yardstick is an error, and MuJoCo at that step is there, if it does
 * run, to show that it is none. */
static int speed_choose(speed_room *r) {
  const races_asked *const s = races_given(r->run);
  choice euler;
  r->gap = r->callback_gap = (bridge_gap){.gap = NAN, .scaling = NAN};
  if (!r->of.with_mujoco) return enter_errors(r);
  if (check_gap(r, &bridge_solver, &r->gap) ||
      check_gap(r, &bridge_callback_solver, &r->callback_gap))
    return -1;
  if (r->of.stiff)
    return enter_yardstick(r, speed_yardstick, "Euler", &euler) ? -1
                                                                : enter_at_target(r, stiff_target);
  if (enter_against(r, speed_yardstick, "Euler", "equal-error",
                    r->of.forms > 1 ? "equal-median" : NULL) ||
      (r->of.largest && enter_against(r, speed_yardstick_rk4, "RK4", "equal-error-RK4", NULL)) ||
      enter_errors(r))
    return -1;
  for (size_t i = 0; i < s->targets.count; i++)
    if (enter_at_target(r, s->targets.value[i])) return -1;
  return 0;
}

/* ---- the race in one process ----------------------------------------------------------------- */

/* turns of an entry in one process */
enum { ROUNDS = 6 };

/* errors, crossings and work are the same in every process */
static int tell(void *context, const race_lap *lap) {
  speed_room *const r = context;
  const contest_starts *const starts = r->starts;
  const solver_output output = trajectory_output(&r->samples);
  speed_sample s = r->entry[lap->entry];
  if (*lap->message)
    return measure_fail(r->run->message, "%s, %zu contacts, initial condition %zu: %s", r->of.model,
                        r->of.contacts, lap->trial, lap->message);
  s.of = r->of;
  s.what = "run";
  race_note(lap, r->run->study->tables[SPEED_SAMPLES].columns, &s);
  if (solver_is_libess(solver_find(s.solver)) && !r->process) {
    const solver_settings settings = speed_settings_of(&s);
    const double *const x0 = starts->states + s.trial * starts->m->system.dimension;
    const model *const m = r->form[speed_form_of(&s)].m;
    const int status = count_calls(m, &settings, x0, &output, s.counts);
    if (status) return measure_fail(r->run->message, "counting: %s", ess_strerror(status));
  }
  return study_add(r->run, SPEED_SAMPLES, &s);
}

static int time_all(speed_room *r) {
  study_run *const run = r->run;
  race_entry racer[SPEED_ENTRIES_MAX];
  for (size_t i = 0; i < r->count; i++)
    racer[i] = (race_entry){.solver = solver_find(r->entry[i].solver),
                            .settings = speed_settings_of(&r->entry[i]),
                            .starts = &r->form[speed_form_of(&r->entry[i])]};
  race_plan plan = races_race(run, r->starts, r->process);
  plan.seed += r->of.contacts;
  plan.rounds = ROUNDS;
  return race_run(run, &plan, racer, r->count, tell, r);
}

/* what the callbacks of one form take */
static int add_calls(const speed_room *r, size_t form) {
  study_run *const run = r->run;
  double seconds[CALLS][CALL_SAMPLES];
  speed_sample s;
  const int status = time_calls(r->form[form].m, &r->starts->references[0], run->seed, seconds);
  if (status) measure_message(run->message, "timing of callbacks: %s", measure_strerror(status));
  column_clear(run->study->tables[SPEED_SAMPLES].columns, &s);
  s.of = r->of;
  s.what = "call";
  s.field = form_name(&r->of, form);
  s.process = r->process;
  for (size_t i = 0; !status && i < CALLS * CALL_SAMPLES; i++) {
    s.variant = call_names[i / CALL_SAMPLES];
    s.trial = i % CALL_SAMPLES;
    s.seconds = seconds[i / CALL_SAMPLES][s.trial];
    study_add(run, SPEED_SAMPLES, &s);
  }
  return status ? -1 : 0;
}

/* times them in one process, and adds a sample for every start, and for calls of the callbacks */
static int speed_race(speed_room *r, size_t system, size_t process) {
  r->process = process;
  r->count = speed_entries(r->run, system, r->entry);
  int status = trajectory_alloc(&r->samples, r->starts->m, r->run->message);
  if (!status) status = time_all(r);
  for (size_t k = 0; !status && k < r->of.forms; k++) status = add_calls(r, k);
  trajectory_free(&r->samples);
  return status ? -1 : 0;
}

static const column sample_columns[] = {
    COLUMN_AS("system", speed_sample, of.index, COUNT, "", ""),
    COLUMN_AS("model", speed_sample, of.model, TEXT, "", ""),
    COLUMN_AS("contacts", speed_sample, of.contacts, COUNT, "", ""),
    COLUMN_AS("damping", speed_sample, of.damping, AMOUNT, "", ""),
    COLUMN_AS("stiffness", speed_sample, of.stiffness, AMOUNT, "", ""),
    COLUMN_AS("stiff", speed_sample, of.stiff, FLAG, "", ""),
    COLUMNS(speed_sample, TEXT, what, protocol, field, solver, variant),
    COLUMNS(speed_sample, AMOUNT, target, rtol, time_step, field_gap, scaling),
    COLUMNS(speed_sample, COUNT, process, trial),
    COLUMNS(speed_sample, AMOUNT, seconds, repetitions, retaken, disturbed),
    COLUMNS(speed_sample, AMOUNT, rms_error, events, events_reference),
    COLUMNS(speed_sample, AMOUNT, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]),
    COLUMNS(speed_sample, AMOUNT, counts[6], counts[7], counts[8], counts[9]),
    {0},
};

/* ---- the preset ------------------------------------------------------------------------------ */

static size_t cases(const study_run *run) {
  return speed_systems(races_given(run));
}

static void title(const study_run *run, const races_cell *c, char name[RACES_NAME_SIZE]) {
  const speed_system of = speed_system_at(races_given(run), c->of);
  snprintf(name, RACES_NAME_SIZE,
           "%s model=%s contacts=%zu damping=%g stiffness=%g process=%zu of %zu",
           c->part == RACE ? "race" : "choice", of.model, of.contacts, of.damping, of.stiffness,
           c->number, c->count);
}

/* by errors, on starts of its own */
static int choose(study_run *run, size_t of, size_t number) {
  const speed_system system = speed_system_at(races_given(run), of);
  speed_room room;
  (void)number;
  int status =
      speed_open(&room, run, &system, CHOICE_STARTS, CHOICE_STARTS, run->seed + CHOICE_SEED_OFFSET);
  if (!status) status = speed_choose(&room);
  contest_forget(room.starts);
  return status;
}

/* with one reference to time calls along */
static int race(study_run *run, size_t of, size_t process) {
  const speed_system system = speed_system_at(races_given(run), of);
  speed_room room;
  int status = speed_open(&room, run, &system, races_given(run)->trials, 1, run->seed);
  if (!status) status = speed_race(&room, of, process);
  contest_forget(room.starts);
  return status;
}

static const races_preset preset = {
    .cases = cases,
    .title = title,
    .crossed = true,
    .part = {[CHOICE] = {.run = choose}, [RACE] = {.cells = races_processes, .run = race}}};

const study speed_study = {
    .name = "speed",
    .summary = "times of libess and MuJoCo at an error that is no larger, and a profile",
    .example = "essbench speed --contacts 2,10,100 --trials 30",
    .file = "speed",
    .group = STUDY_COMPARES,
    .make = "speed CONTACTS TRIALS SEED PROCESSES STIFF=1e6 RANKS",
    .own_models = true,
    .table = "the tables of the results in the folder; nothing is measured",
    .cells = "measurements",
    .stages = 2,
    .processes = 5,
    RACES(preset, speed_options),
    .laps = laps_sql,
    .tables = {[SPEED_SAMPLES] = STUDY_TABLE(sample_columns, speed_sample, .sql = STUDY_LAP,
                                             .meaning = "entry, initial condition or call"),
               [SPEED_ROWS] =
                   STUDY_DERIVED(speed_row_columns, rows_sql, .json = "rows", .csv = "speed.csv",
                                 .meaning = "one of either engine in one protocol"),
               [SPEED_MARGINALS] =
                   STUDY_DERIVED(speed_marginal_columns, marginals_sql, .json = "marginals",
                                 .meaning = "what one more contact costs, at settings that are "
                                            "the same at every number of them"),
               [SPEED_CALLBACKS] =
                   STUDY_DERIVED(speed_callback_columns, callbacks_sql, .json = "callbacks",
                                 .meaning = "what a call of a model's callback costs"),
               [SPEED_RUNS] = STUDY_DERIVED(speed_run_columns, runs_sql, .csv = "speed_samples.csv",
                                            .csv_alone = true,
                                            .meaning = "one initial condition in one process")},
};
