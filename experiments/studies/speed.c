/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench speed: how fast libess is against MuJoCo's cheapest setting at no worse an error, by
 * contacts and with their force as a callback, what one more contact costs each, and how far from
 * the cost of its evaluations alone libess is. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "earlier.h"
#include "race.h"
#include "series.h"
#include "solvers.h"
#include "speed_calls.h"
#include "studies.h"

/* ---- systems --------------------------------------------------------------------------------- */

/* How a model's field is summed: the hopper's in one way. */
typedef enum speed_form { SPEED_CONTACTS, SPEED_AGGREGATED, SPEED_FORMS } speed_form;

/* The hopper, the plate with every number of contacts, and the largest without damping; then both
 * with springs of every stiffness asked for; then plates with many contacts, without MuJoCo. */
typedef struct speed_system {
  const char *model;
  size_t contacts, forms;
  double damping;              /* NaN: the hopper's own */
  double stiffness;            /* of all springs */
  bool stiff;                  /* one of those asked for */
  bool with_mujoco, in_errors; /* MuJoCo races; libess and the plain methods at all errors asked */
  bool largest, in_series;     /* the last of those whose numbers of contacts differ; one of them */
} speed_system;

#define OPTIONS(X, row)                                                                            \
  X(row, contacts, CONTACTS, "contacts", "LIST",                                                   \
    "numbers of the plate's contacts: 2..100, 2..100..7 (in steps of 7), 2,5,10 or a mixture; "    \
    "the last also without damping",                                                               \
    .initial = "2,10,20,50,100")                                                                   \
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
  X(row, trials, WHOLE, "trials", "COUNT", "initial conditions of each system", .initial = "120",  \
    .min = 1, .max = 1e6, .result = "trials")                                                      \
  X(row, before, TEXT, "before", "DIR,DIR",                                                        \
    "folders of earlier results to show alongside: speed.json, or else sweep.json with protocol "  \
    "equal-error",                                                                                 \
    .result = "before")
OPTION_ROW(speed_settings, OPTIONS);

/* ---- samples --------------------------------------------------------------------------------- */

/* Who races (what = "entry"), what one of its starts gave in one process ("run"), or what a call of
 * one of a model's callbacks takes ("call", the callback being the variant). Of the numbers that is
 * not known which it has not. */
typedef struct speed_sample {
  const char *what, *protocol, *field, *solver, *variant;
  double target, rtol, time_step, field_gap, scaling;
  size_t process, trial;
  double seconds, repetitions, retaken, disturbed, rms_error, events, events_reference;
  double counts[SPEED_COUNTS];
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

/* What one run costs, at a start or at the median. */
typedef struct speed_work {
  double steps, rejected, entries, through, field_evaluations, guard_evaluations;
  double evaluations_per_crossing, bound_s, over_bound, mujoco_over_bound;
} speed_work;

/* Another in the same protocol, and its time over this one's, by start and process. */
typedef struct speed_rival {
  const char *name; /* MuJoCo's integrator, or the solver */
  double setting, median_s, ratio, ends[2];
} speed_rival;

/* One of either engine in one protocol. Numbers that it does not have are NaN. */
typedef struct speed_row {
  speed_system of;
  speed_sample who; /* the entry */
  const char *law;
  size_t trials, processes;
  double median_s, median[2];
  speed_rival mujoco, callback, plain;
  measure_interval before;
  double rms[3], mujoco_rms[3], callback_rms[3], accepted[3]; /* median, 90 % and worst start */
  bool worse;
  double events, events_ratio, retaken, disturbed;
  speed_work work;
  solver_settings settings;
} speed_row;

#define SPEED_MARGINAL_COLUMNS(COLUMN, row)                                                        \
  COLUMN(row, field, TEXT, "", "how libess's field is summed", SHOWN("one more contact", "%-16s")) \
  COLUMN(row, rtol, AMOUNT, "", "libess's tolerance at every number of contacts",                  \
         SHOWN("rtol", "%7.1e"))                                                                   \
  COLUMN(row, mujoco_variant, TEXT, "", "MuJoCo's integrator at each of them",                     \
         SHOWN("MuJoCo's", "%-12s"))                                                               \
  COLUMN(row, mujoco_time_step, AMOUNT, "s", "and its step", SHOWN_TIMES("ms", "%5.2f", 1e3))      \
  COLUMN(row, s_per_contact, NUMBER, "s", "slope of libess's medians over the number of contacts", \
         SHOWN_TIMES("libess us", "%9.3f", 1e6))                                                   \
  COLUMN(row, interval, INTERVAL, "s", "its 95 % interval")                                        \
  COLUMN(row, mujoco_s_per_contact, NUMBER, "s", "MuJoCo's",                                       \
         SHOWN_TIMES("MuJoCo us", "%9.2f", 1e6))                                                   \
  COLUMN(row, mujoco_interval, INTERVAL, "s", "its interval")                                      \
  COLUMN(row, share, NUMBER, "", "libess's over MuJoCo's", SHOWN("share", "%7.4f"))                \
  COLUMN(row, share_interval, INTERVAL, "",                                                        \
         "its interval, initial conditions and processes drawn for both alike")                    \
  COLUMN(row, share_before, NUMBER, "", "of earlier results", SHOWN("before", "%7.4f"))            \
  COLUMN(row, callback_variant, TEXT, "",                                                          \
         "integrator at each of them of MuJoCo with the contact force as a callback",              \
         SHOWN("callback's", "%-12s"))                                                             \
  COLUMN(row, callback_time_step, AMOUNT, "s", "and its step", SHOWN_TIMES("ms", "%5.2f", 1e3))    \
  COLUMN(row, callback_s_per_contact, NUMBER, "s", "its slope",                                    \
         SHOWN_TIMES("callback us", "%11.3f", 1e6))                                                \
  COLUMN(row, callback_interval, INTERVAL, "s", "its interval")                                    \
  COLUMN(row, callback_share, NUMBER, "", "libess's over this one's", SHOWN("share", "%7.4f"))     \
  COLUMN(row, callback_share_interval, INTERVAL, "", "its interval")
COLUMN_ROW(speed_marginal, SPEED_MARGINAL_COLUMNS);

#define SPEED_CALLBACK_COLUMNS(COLUMN, row)                                                        \
  COLUMN(row, model, TEXT, "", "hopper or plate", SHOWN("calls of", "%-8s"))                       \
  COLUMN(row, contacts, COUNT, "", "number of contacts", SHOWN("N", "%3.0f"))                      \
  COLUMN(row, damping, AMOUNT, "N s/m", "of all springs", SHOWN("c", "%3.0f"))                     \
  COLUMN(row, field, TEXT, "", "how it is summed", SHOWN("field", "%-10s"))                        \
  COLUMN(row, callback, TEXT, "", "of the model", SHOWN("callback", "%-21s"))                      \
  COLUMN(row, s_per_call, AMOUNT, "s",                                                             \
         "median, in cache, at states along a trajectory with half of the contacts pressed",       \
         SHOWN_TIMES("ns", "%7.1f", 1e9))                                                          \
  COLUMN(row, interval, INTERVAL, "s", "95 %")
COLUMN_ROW(speed_callback, SPEED_CALLBACK_COLUMNS);

/* One start in one process. */
typedef struct speed_one_run {
  speed_system of;
  speed_sample told;
  speed_work work;
} speed_one_run;

/* The columns of essbench speed. */

/* the work of an entry: medians over the starts */
#define WORK(row, name, text, ...) COLUMN_AS(#name, row, work.name, AMOUNT, "", text, __VA_ARGS__)

static const column speed_row_columns[] = {
    COLUMN_AS("model", speed_row, of.model, TEXT, "", "hopper or plate", SHOWN("model", "%-6s")),
    COLUMN(speed_row, law, TEXT, "", "of the plate's contacts"),
    COLUMN_AS("field", speed_row, who.field, TEXT, "",
              "how libess's field is summed: contacts or aggregated", SHOWN("field", "%-10s")),
    COLUMN_AS("solver", speed_row, who.solver, TEXT, "",
              "mujoco, mujoco-callback, libess or a plain one", SHOWN("solver", "%-15s")),
    COLUMN_AS("variant", speed_row, who.variant, TEXT, "", "MuJoCo's integrator"),
    COLUMN_AS("protocol", speed_row, who.protocol, TEXT, "",
              "what is compared (docs/results/speed.md)", SHOWN("protocol", "%-15s")),
    COLUMN_AS("contacts", speed_row, of.contacts, COUNT, "", "number of contacts",
              SHOWN("N", "%3.0f")),
    COLUMN_AS("damping", speed_row, of.damping, AMOUNT, "N s/m",
              "of all springs; not known of the hopper", SHOWN("c", "%3.0f")),
    COLUMN_AS("stiffness", speed_row, of.stiffness, AMOUNT, "N/m", "of all springs",
              SHOWN("k", "%7.0f")),
    COLUMN(speed_row, trials, COUNT, "", "starts"),
    COLUMN_AS("mujoco_variant", speed_row, mujoco.name, TEXT, "",
              "integrator that MuJoCo chose in this protocol", SHOWN("MuJoCo's", "%-12s")),
    COLUMN_AS("mujoco_time_step", speed_row, mujoco.setting, AMOUNT, "s",
              "step that MuJoCo chose in this protocol", SHOWN_TIMES("ms", "%5.2f", 1e3)),
    COLUMN_AS("rtol", speed_row, settings.rtol, AMOUNT, "", "", .place = COLUMN_SHOWN_ONLY,
              SHOWN("rtol", "%7.1e")),
    COLUMN(speed_row, median_s, AMOUNT, "s", "median over initial conditions and processes",
           SHOWN_TIMES("us", "%8.2f", 1e6)),
    COLUMN_AS("median_lo_s", speed_row, median[0], AMOUNT, "s", "lower end of its 95 % interval"),
    COLUMN_AS("median_hi_s", speed_row, median[1], AMOUNT, "s", "upper end"),
    COLUMN_AS("mujoco_s", speed_row, mujoco.median_s, AMOUNT, "s",
              "MuJoCo's median in this protocol", SHOWN_TIMES("MuJoCo us", "%9.1f", 1e6)),
    COLUMN_AS("mujoco_over_this", speed_row, mujoco.ratio, AMOUNT, "",
              "median of MuJoCo's time over this, by initial condition and process",
              SHOWN("ratio", "%6.1f")),
    COLUMN_AS("mujoco_over_this_lo", speed_row, mujoco.ends[0], AMOUNT, "",
              "lower end of its 95 % interval", SHOWN("from", "%6.1f")),
    COLUMN_AS("mujoco_over_this_hi", speed_row, mujoco.ends[1], AMOUNT, "", "upper end",
              SHOWN("to", "%6.1f")),
    COLUMN_AS("callback_variant", speed_row, callback.name, TEXT, "",
              "the same of MuJoCo with the contact force as a callback: the integrator that it "
              "chose in this protocol",
              SHOWN("callback's", "%-12s")),
    COLUMN_AS("callback_time_step", speed_row, callback.setting, AMOUNT, "s", "step that it chose",
              SHOWN_TIMES("ms", "%5.2f", 1e3)),
    COLUMN_AS("callback_s", speed_row, callback.median_s, AMOUNT, "s", "its median",
              SHOWN_TIMES("callback us", "%11.1f", 1e6)),
    COLUMN_AS("callback_over_this", speed_row, callback.ratio, AMOUNT, "",
              "median of its time over this, by initial condition and process",
              SHOWN("ratio", "%6.1f")),
    COLUMN_AS("callback_over_this_lo", speed_row, callback.ends[0], AMOUNT, "",
              "lower end of its 95 % interval", SHOWN("from", "%6.1f")),
    COLUMN_AS("callback_over_this_hi", speed_row, callback.ends[1], AMOUNT, "", "upper end",
              SHOWN("to", "%6.1f")),
    COLUMN_AS("plain_solver", speed_row, plain.name, TEXT, "",
              "cheapest method that looks for no crossing, in this protocol and with this field; "
              "empty: none reaches it",
              SHOWN("plain", "%-12s")),
    COLUMN_AS("plain_setting", speed_row, plain.setting, AMOUNT, "",
              "its tolerance, rtol = atol, or its step, s", SHOWN("setting", "%8.2g")),
    COLUMN_AS("plain_s", speed_row, plain.median_s, AMOUNT, "s", "its median",
              SHOWN_TIMES("unaware us", "%8.2f", 1e6)),
    COLUMN_AS("plain_over_this", speed_row, plain.ratio, AMOUNT, "",
              "median of its time over this, by initial condition and process",
              SHOWN("ratio", "%6.2f")),
    COLUMN_AS("plain_over_this_lo", speed_row, plain.ends[0], AMOUNT, "",
              "lower end of its 95 % interval", SHOWN("from", "%6.2f")),
    COLUMN_AS("plain_over_this_hi", speed_row, plain.ends[1], AMOUNT, "", "upper end",
              SHOWN("to", "%6.2f")),
    COLUMN_AS("before", speed_row, before.estimate, AMOUNT, "", "the same ratio of earlier results",
              SHOWN("before", "%6.1f")),
    COLUMN_AS("before_lo", speed_row, before.low, AMOUNT, "", "its lower end"),
    COLUMN_AS("before_hi", speed_row, before.high, AMOUNT, "", "its upper end"),
    COLUMN_AS("rms_error", speed_row, rms[0], AMOUNT, "", "RMS error: median initial condition",
              SHOWN("RMS", "%7.1e")),
    COLUMN_AS("rms_q90", speed_row, rms[1], AMOUNT, "", "90 % quantile", SHOWN("90 %", "%7.1e")),
    COLUMN_AS("rms_worst", speed_row, rms[2], AMOUNT, "", "worst initial condition",
              SHOWN("worst", "%7.1e")),
    COLUMN_AS("mujoco_rms_error", speed_row, mujoco_rms[0], AMOUNT, "",
              "MuJoCo's in this protocol: median initial condition"),
    COLUMN_AS("mujoco_rms_q90", speed_row, mujoco_rms[1], AMOUNT, "", "90 % quantile"),
    COLUMN_AS("mujoco_rms_worst", speed_row, mujoco_rms[2], AMOUNT, "", "worst initial condition"),
    COLUMN_AS("callback_rms_error", speed_row, callback_rms[0], AMOUNT, "",
              "MuJoCo's by a callback: median initial condition"),
    COLUMN_AS("callback_rms_q90", speed_row, callback_rms[1], AMOUNT, "", "90 % quantile"),
    COLUMN_AS("callback_rms_worst", speed_row, callback_rms[2], AMOUNT, "",
              "worst initial condition"),
    COLUMN_AS("accepted_rms_error", speed_row, accepted[0], AMOUNT, "",
              "what settings were chosen by, on the initial conditions that are timed: median "
              "initial condition"),
    COLUMN_AS("accepted_rms_q90", speed_row, accepted[1], AMOUNT, "",
              "90 % quantile; not known where it was not asked for"),
    COLUMN_AS("accepted_rms_worst", speed_row, accepted[2], AMOUNT, "",
              "worst initial condition, likewise"),
    COLUMN(speed_row, worse, FLAG, "",
           "more than 1 % above one of those after all, or off the reference's crossings",
           SHOWN("(!)", "%3.0f")),
    COLUMN(speed_row, events, AMOUNT, "", "crossings, median"),
    COLUMN(speed_row, events_ratio, AMOUNT, "",
           "crossings of all initial conditions, over the reference's",
           SHOWN("crossings", "%9.4f")),
    WORK(speed_row, steps, "accepted, median as all to mujoco_over_bound", SHOWN("steps", "%5.0f")),
    COLUMN_AS("rejected", speed_row, work.rejected, AMOUNT, "", "steps"),
    WORK(speed_row, entries, "crossings located on the dense output", SHOWN("located", "%7.0f")),
    WORK(speed_row, through, "of the steps, those that went through crossings",
         SHOWN("through", "%7.0f")),
    COLUMN_AS("field_evaluations", speed_row, work.field_evaluations, AMOUNT, "", "calls"),
    COLUMN_AS("guard_evaluations", speed_row, work.guard_evaluations, AMOUNT, "",
              "calls for all or some event functions"),
    WORK(speed_row, evaluations_per_crossing, "both kinds of calls over those",
         SHOWN("calls/cr.", "%9.2f")),
    COLUMN_AS("bound_s", speed_row, work.bound_s, AMOUNT, "s",
              "what the calls alone cost: each at its time in callbacks",
              SHOWN_TIMES("bound us", "%8.2f", 1e6)),
    WORK(speed_row, over_bound, "time over the bound", SHOWN("/bound", "%6.2f")),
    COLUMN_AS("mujoco_over_bound", speed_row, work.mujoco_over_bound, AMOUNT, "",
              "MuJoCo's time over the bound: what these evaluations allow at best"),
    COLUMN_AS("field_gap", speed_row, who.field_gap, AMOUNT, "",
              "between the model's field and MuJoCo's", SHOWN("gap", "%7.1e")),
    COLUMN_AS("scaling_s", speed_row, who.scaling, AMOUNT, "",
              "of MuJoCo's contacts, with which that is so"),
    COLUMN(speed_row, processes, COUNT, "", "that timed every initial condition"),
    COLUMN(speed_row, retaken, AMOUNT, "",
           "runs taken again because another task had had the core meanwhile"),
    COLUMN(speed_row, disturbed, AMOUNT, "",
           "runs that another task had a share of however often they were taken; it is taken out"),
    COLUMN(speed_row, settings, SETTINGS, "", "with which it ran"),
    {0},
};

#define RUN(name, of)                                                                              \
  COLUMN_AS(#name, speed_one_run, of.name, AMOUNT, "", "", .place = COLUMN_JSON_ONLY)
static const column speed_run_columns[] = {
    COLUMN_AS("model", speed_one_run, of.model, TEXT, "", "hopper or plate"),
    COLUMN_AS("contacts", speed_one_run, of.contacts, COUNT, "", "number of contacts"),
    COLUMN_AS("damping", speed_one_run, of.damping, AMOUNT, "N s/m", "of all springs"),
    COLUMN_AS("field", speed_one_run, told.field, TEXT, "", "how libess's field is summed"),
    COLUMN_AS("solver", speed_one_run, told.solver, TEXT, "",
              "mujoco, mujoco-callback, libess or a plain one"),
    COLUMN_AS("protocol", speed_one_run, told.protocol, TEXT, "",
              "what is compared; equal settings of two protocols were timed once for both"),
    COLUMN_AS("trial", speed_one_run, told.trial, COUNT, "", "the initial condition"),
    COLUMN_AS("seconds", speed_one_run, told.seconds, AMOUNT, "s", "median of the repetitions"),
    COLUMN_AS("rms_error", speed_one_run, told.rms_error, AMOUNT, "",
              "by the first process, as all that follows"),
    COLUMN_AS("events", speed_one_run, told.events, AMOUNT, "", "crossings"),
    COLUMN_AS("events_reference", speed_one_run, told.events_reference, AMOUNT, "",
              "of the reference"),
    COLUMN_AS("process", speed_one_run, told.process, COUNT, "", "which process"),
    // of each of its runs, in no file
    RUN(retaken, told),
    RUN(disturbed, told),
    RUN(steps, work),
    RUN(rejected, work),
    RUN(entries, work),
    RUN(through, work),
    RUN(field_evaluations, work),
    RUN(guard_evaluations, work),
    RUN(evaluations_per_crossing, work),
    RUN(bound_s, work),
    RUN(over_bound, work),
    RUN(mujoco_over_bound, work),
    COLUMN_AS("stiffness", speed_one_run, of.stiffness, AMOUNT, "N/m", "of all springs"),
    {0},
};

/* ---- systems, and who races on them ---------------------------------------------------------- */

static const char *const speed_form_names[SPEED_FORMS] = {"contacts", "aggregated"};

/* "" where there is but one */
static const char *form_name(const speed_system *of, size_t form) {
  return of->forms > 1 ? speed_form_names[form] : "";
}

/* what models have by default, and contacts of the plate with other springs */
static const double hopper_stiffness = 800.0, plate_stiffness = 8000.0, plate_damping = 60.0;
enum { STIFF_CONTACTS = 10 };

static size_t speed_systems(const speed_settings *s) {
  return s->contacts.count + 2 + 2 * s->stiff.count + s->many.count;
}

static speed_system speed_system_at(const speed_settings *s, size_t index) {
  const size_t last = s->contacts.count, stiff = last + 2, many = stiff + 2 * s->stiff.count;
  const bool is_stiff = index >= stiff && index < many, in_series = index && index <= last;
  const bool hopper = !index || (is_stiff && (index - stiff) % 2 == 0);
  speed_system of = {.model = hopper ? "hopper" : "plate",
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
  const speed_sample *const all = study_samples(run, system, &count);
  if (count > SPEED_ENTRIES_MAX) count = SPEED_ENTRIES_MAX;
  memcpy(entry, all, count * sizeof *entry);
  return count;
}

/* an entry with the setting that serves every number of contacts: MuJoCo's at the largest, or the
 * finest of libess's tolerances */
static bool fixed_entry(const study_run *run, speed_whose whose, const char *field,
                        speed_sample *out) {
  const speed_settings *const s = run->settings;
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
  const speed_settings *const s = run->settings;
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
  const speed_settings *const s = r->run->settings;
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
  const speed_settings *const s = r->run->settings;
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
  s.what = "run";
  race_note(lap, r->run->study->tables[SPEED_SAMPLES].columns, &s);
  if (solver_is_libess(solver_find(s.solver)) && !r->process) {
    const solver_settings settings = speed_settings_of(&s);
    const double *const x0 = starts->states + s.trial * starts->m->system.dimension;
    const model *const m = r->form[speed_form_of(&s)].m;
    const int status = speed_count_run(m, &settings, x0, &output, s.counts);
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
  const race_plan plan = {.starts = r->starts,
                          .trials = r->starts->trials,
                          .process = r->process,
                          .processes = run->processes,
                          .crossed = true,
                          .seed = run->seed + r->of.contacts,
                          .rounds = ROUNDS};
  return race_run(run, &plan, racer, r->count, tell, r);
}

/* what the callbacks of one form take */
static int add_calls(const speed_room *r, size_t form) {
  study_run *const run = r->run;
  double seconds[SPEED_CALLS][SPEED_CALL_SAMPLES];
  speed_sample s;
  const int status =
      speed_time_calls(r->form[form].m, &r->starts->references[0], run->seed, seconds);
  if (status) measure_message(run->message, "timing of callbacks: %s", measure_strerror(status));
  column_clear(run->study->tables[SPEED_SAMPLES].columns, &s);
  s.what = "call";
  s.field = form_name(&r->of, form);
  s.process = r->process;
  for (size_t i = 0; !status && i < SPEED_CALLS * SPEED_CALL_SAMPLES; i++) {
    s.variant = speed_call_names[i / SPEED_CALL_SAMPLES];
    s.trial = i % SPEED_CALL_SAMPLES;
    s.seconds = seconds[i / SPEED_CALL_SAMPLES][s.trial];
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

/* What is derived from the samples of essbench speed: medians with intervals, ratios paired by
 * start and process, the bound that evaluations set, and the cost of one more contact. */

/* errors this much larger than what was asked are marked */
static const double slack = 0.01;

/* ---- runs ------------------------------------------------------------------------------------ */

/* a system under way */
typedef struct deriving {
  study_run *run;
  size_t system, count;
  speed_system of;
  speed_sample entry[SPEED_ENTRIES_MAX];
  size_t first[SPEED_ENTRIES_MAX]; /* run of each */
  double cost[SPEED_FORMS][SPEED_CALLS];
  draws draws;
} deriving;

/* the cell of a system's race in the first process */
static size_t cell_of(const deriving *d) {
  return speed_systems(d->run->settings) + d->system * d->run->processes;
}

/* the runs of an entry in all processes */
static gather laps_of(const deriving *d, size_t entry) {
  return race_laps(d->run, cell_of(d), &d->draws, d->count, entry);
}

static double over(double a, double b) {
  return b > 0.0 ? a / b : NAN;
}

/* what was counted at a start, and what follows from it */
static speed_work work_of(const double n[SPEED_COUNTS], const double cost[SPEED_CALLS],
                          double seconds, double mujoco_s) {
  const double calls = n[SPEED_GUARDS] + n[SPEED_RATES] + n[SPEED_SOME];
  const double bound_s = speed_bound(n, cost);
  return (speed_work){.steps = n[SPEED_STEPS],
                      .rejected = n[SPEED_REJECTED],
                      .entries = n[SPEED_ENTRIES],
                      .through = n[SPEED_THROUGH],
                      .field_evaluations = n[SPEED_FIELDS],
                      .guard_evaluations = calls,
                      .evaluations_per_crossing = over(n[SPEED_FIELDS] + calls, n[SPEED_CROSSINGS]),
                      .bound_s = bound_s,
                      .over_bound = seconds / bound_s,
                      .mujoco_over_bound = mujoco_s / bound_s};
}

/* start by start, of each all processes */
static void add_runs(deriving *d, size_t index) {
  const speed_sample *const e = &d->entry[index];
  const size_t rival = speed_entry_of(d->entry, d->count, e->protocol, SPEED_MUJOCO, NULL);
  const gather laps = laps_of(d, index), rivals = laps_of(d, rival);
  study_rows(d->run, SPEED_RUNS, &d->first[index]);
  for (size_t j = 0; j < d->draws.trials; j++) {
    // what was counted is in the first process
    const speed_sample *const told = gather_row(laps, j);
    const speed_sample *const first = gather_row(laps, j - j % d->draws.processes);
    const speed_sample *const mujoco = rival == SIZE_MAX ? NULL : gather_row(rivals, j);
    speed_one_run r = {.of = d->of, .told = *told};
    if (told->process) r.told.events = NAN;
    r.work = work_of(first->counts, d->cost[speed_form_of(e)], told->seconds,
                     mujoco ? mujoco->seconds : NAN);
    study_add(d->run, SPEED_RUNS, &r);
  }
}

static gather runs_of(const deriving *d, size_t index) {
  return gather_rows(d->run, SPEED_RUNS, d->first[index], 1, d->draws.trials);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void fill_errors(gather runs, double rms[3]) {
  static const double quantiles[3] = {0.5, 0.9, 1.0};
  for (int i = 0; i < 3; i++) rms[i] = gather_quantile(runs, "rms_error", quantiles[i]);
}

/* the errors that settings were chosen by, on the starts that are timed */
static void fill_accepted(const deriving *d, const speed_sample *e, double accepted[3]) {
  const bool rk4 = strcmp(e->protocol, "equal-error-RK4") == 0;
  const size_t yardstick = speed_entry_of(
      d->entry, d->count, rk4 ? speed_yardstick_rk4 : speed_yardstick, SPEED_MUJOCO, NULL);
  accepted[0] = e->target;
  accepted[1] = accepted[2] = NAN;
  if (isnan(e->target)) fill_errors(runs_of(d, yardstick), accepted);
  if (strcmp(e->protocol, "equal-median") == 0) accepted[1] = accepted[2] = NAN;
}

static bool is_worse(const speed_row *r) {
  for (int i = 0; i < 3; i++)
    if (r->rms[i] > (1.0 + slack) * r->accepted[i]) return true;
  return fabs(r->events_ratio - 1.0) > CONTEST_EVENTS_TOLERANCE;
}

/* beside another of its protocol, where there is one */
static void fill_rival(const deriving *d, size_t index, size_t other, speed_rival *out) {
  if (other == SIZE_MAX) return;
  const gather runs = runs_of(d, index), rivals = runs_of(d, other);
  const speed_sample *const e = &d->entry[other];
  out->name = *e->variant ? e->variant : e->solver;
  out->setting = isnan(e->rtol) ? e->time_step : e->rtol;
  out->median_s = gather_median(rivals, "seconds");
  series_median_ratio(rivals, runs, "seconds", &d->draws, &out->ratio, out->ends);
}

static void add_row(const deriving *d, size_t index) {
  const speed_sample *const e = &d->entry[index];
  const gather runs = runs_of(d, index);
  const size_t rival = speed_entry_of(d->entry, d->count, e->protocol, SPEED_MUJOCO, NULL);
  const size_t callback = speed_entry_of(d->entry, d->count, e->protocol, SPEED_CALLBACK, NULL);
  const solver_settings settings = speed_settings_of(e);
  speed_row r;
  column_clear(speed_row_columns, &r);
  r.of = d->of;
  r.who = *e;
  r.law = d->of.forms > 1 ? "roller" : ""; // the one MuJoCo can do, and the default
  r.processes = d->run->processes;
  r.trials = d->draws.trials / r.processes;
  r.settings = solver_settings_in_force(solver_find(e->solver), &settings,
                                        model_find(d->of.model)->time_step);
  series_median(runs, "seconds", &d->draws, &r.median_s, r.median);
  fill_rival(d, index, rival, &r.mujoco);
  fill_rival(d, index, callback, &r.callback);
  if (rival != SIZE_MAX) fill_errors(runs_of(d, rival), r.mujoco_rms);
  if (callback != SIZE_MAX) fill_errors(runs_of(d, callback), r.callback_rms);
  fill_errors(runs, r.rms);
  fill_accepted(d, e, r.accepted);
  r.events = gather_median(runs, "events");
  r.events_ratio = gather_sum(runs, "events") / gather_sum(runs, "events_reference");
  r.retaken = gather_sum(runs, "retaken");
  r.disturbed = gather_sum(runs, "disturbed");
  if (speed_is(e, SPEED_OURS)) {
    fill_rival(d, index, speed_entry_of(d->entry, d->count, e->protocol, SPEED_PLAIN, e->field),
               &r.plain);
    // what was measured earlier has the models' own springs
    r.before = earlier_ratio(d->of.stiff ? NULL : d->run->own, d->of.model, d->of.contacts,
                             d->of.damping, e->field, e->protocol);
    gather_into(runs, gather_median, SPEED_ROWS, "steps", "mujoco_over_bound", &r);
  }
  r.worse = is_worse(&r);
  study_add(d->run, SPEED_ROWS, &r);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

/* one of a form's, if the model has it, told behind the laps: its cost goes into those of the
 * system */
static void add_callback(deriving *d, size_t form, size_t call) {
  const size_t processes = d->run->processes, laps = d->draws.trials / processes * d->count;
  const draws nested = {SPEED_CALL_SAMPLES * processes, processes, d->run->seed, false, NULL};
  const gather calls = race_laps(d->run, cell_of(d), &nested, 1,
                                 laps + (form * SPEED_CALLS + call) * SPEED_CALL_SAMPLES);
  speed_callback c = {.model = d->of.model,
                      .field = form_name(&d->of, form),
                      .callback = speed_call_names[call],
                      .contacts = d->of.contacts,
                      .damping = d->of.damping};
  d->cost[form][call] = NAN;
  if (!gather_known(calls, "seconds")) return;
  series_median(calls, "seconds", &nested, &c.s_per_call, c.interval);
  d->cost[form][call] = c.s_per_call;
  // springs that are stiffer cost no more
  if (!d->of.stiff) study_add(d->run, SPEED_CALLBACKS, &c);
}

/* ---- one more contact ------------------------------------------------------------------------ */

/* over the systems of the series, where all of them have it */
static void add_marginal(study_run *run, const deriving systems[], size_t count,
                         const char *field) {
  gather ours[count], mujoco[count], callback[count];
  double x[count];
  bool by_callback = true;
  speed_marginal m;
  column_clear(speed_marginal_columns, &m);
  m.field = field;
  m.share_before = earlier_share(run->own, field);
  for (size_t i = 0; i < count; i++) {
    const deriving *const d = &systems[i];
    const size_t at = speed_entry_of(d->entry, d->count, speed_fixed, SPEED_OURS, field);
    const size_t rival = speed_entry_of(d->entry, d->count, speed_fixed, SPEED_MUJOCO, NULL);
    const size_t other = speed_entry_of(d->entry, d->count, speed_fixed, SPEED_CALLBACK, NULL);
    if (at == SIZE_MAX || rival == SIZE_MAX) return;
    by_callback = by_callback && other != SIZE_MAX;
    x[i] = (double)d->of.contacts;
    ours[i] = runs_of(d, at);
    mujoco[i] = runs_of(d, rival);
    m.rtol = d->entry[at].rtol;
    m.mujoco_variant = d->entry[rival].variant;
    m.mujoco_time_step = d->entry[rival].time_step;
    if (!by_callback) continue;
    callback[i] = runs_of(d, other);
    m.callback_variant = d->entry[other].variant;
    m.callback_time_step = d->entry[other].time_step;
  }
  const series own = {count, x, ours, "seconds", systems->draws};
  const series theirs = {count, x, mujoco, "seconds", systems->draws};
  series_slope(&own, &m.s_per_contact, m.interval);
  series_slope(&theirs, &m.mujoco_s_per_contact, m.mujoco_interval);
  series_slope_ratio(&own, &theirs, &m.share, m.share_interval);
  if (by_callback) {
    const series rest = {count, x, callback, "seconds", systems->draws};
    series_slope(&rest, &m.callback_s_per_contact, m.callback_interval);
    series_slope_ratio(&own, &rest, &m.callback_share, m.callback_share_interval);
  }
  study_add(run, SPEED_MARGINALS, &m);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void derive_system(deriving *d, study_run *run, size_t system) {
  const speed_settings *const s = run->settings;
  *d = (deriving){.run = run, .system = system, .of = speed_system_at(s, system)};
  d->count = speed_entries(run, system, d->entry);
  d->draws = race_draws(run, s->trials, true);
  for (size_t i = 0; i < d->of.forms * SPEED_CALLS; i++)
    add_callback(d, i / SPEED_CALLS, i % SPEED_CALLS);
  for (size_t i = 0; i < d->count; i++) add_runs(d, i);
  for (size_t i = 0; i < d->count; i++) add_row(d, i);
}

static int speed_derive(study_run *run) {
  const speed_settings *const s = run->settings;
  const size_t count = speed_systems(s), in_series = s->contacts.count;
  deriving *const systems = calloc(count, sizeof *systems);
  if (!systems) return study_out_of_memory(run);
  for (size_t i = 0; i < count; i++) derive_system(&systems[i], run, i);
  for (size_t k = 0; in_series > 1 && k < SPEED_FORMS; k++)
    add_marginal(run, systems + 1, in_series, speed_form_names[k]);
  free(systems);
  return 0;
}

/* ---- cells: stage 0 the choice of a system's settings, stage 1 its race in one process ------- */

typedef struct cell {
  size_t system, process;
  bool race;
} cell;

static const column sample_columns[] = {
    COLUMNS(speed_sample, TEXT, what, protocol, field, solver, variant),
    COLUMNS(speed_sample, AMOUNT, target, rtol, time_step, field_gap, scaling),
    COLUMNS(speed_sample, COUNT, process, trial),
    COLUMNS(speed_sample, AMOUNT, seconds, repetitions, retaken, disturbed),
    COLUMNS(speed_sample, AMOUNT, rms_error, events, events_reference),
    COLUMNS(speed_sample, AMOUNT, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]),
    COLUMNS(speed_sample, AMOUNT, counts[6], counts[7], counts[8], counts[9]),
    {0},
};

static int plan(study_run *run, size_t stage) {
  const speed_settings *const s = run->settings;
  const size_t processes = stage ? run->processes : 1;
  for (size_t i = 0; stage < 2 && i < speed_systems(s) * processes; i++) {
    const cell c = {i / processes, i % processes, stage > 0};
    const speed_system of = speed_system_at(s, c.system);
    if (study_cell(run, &c, "%s model=%s contacts=%zu damping=%g stiffness=%g process=%zu of %zu",
                   stage ? "race" : "choice", of.model, of.contacts, of.damping, of.stiffness,
                   c.process, processes))
      return -1;
  }
  return 0;
}

static int check(study_run *run) {
  const speed_settings *const s = run->settings;
  if (!s->before) return 0;
  run->own = earlier_read(s->before, run->message);
  return run->own ? 0 : -1;
}

static void release(study_run *run) {
  json_decref(run->own);
}

/* a choice is by errors; a race needs one reference to time calls along */
static int measure(study_run *run, const void *planned) {
  const speed_settings *const s = run->settings;
  const cell *const c = planned;
  const speed_system of = speed_system_at(s, c->system);
  const unsigned long seed = run->seed + (c->race ? 0 : CHOICE_SEED_OFFSET);
  const size_t starts = c->race ? s->trials : CHOICE_STARTS;
  speed_room room;
  int status = speed_open(&room, run, &of, starts, c->race ? 1 : starts, seed);
  if (!status) status = c->race ? speed_race(&room, c->system, c->process) : speed_choose(&room);
  contest_forget(room.starts);
  return status;
}

/* every process has a race of every system */
static study_place place(const void *planned) {
  const cell *const c = planned;
  return (study_place){c->system, c->race ? c->process : c->system};
}

const study speed_study = {
    .name = "speed",
    .summary = "times of libess and MuJoCo at an error that is no larger, and a profile",
    .example = "essbench speed --contacts 2,10,100 --trials 30 --before results/earlier",
    .file = "speed",
    .own_models = true,
    .table = "the tables of the results in the folder; nothing is measured",
    .cells = "measurements",
    .stages = 2,
    .pinned = true,
    .processes = 5,
    STUDY_OF(speed_settings, cell),
    .tables = {[SPEED_SAMPLES] = STUDY_TABLE(sample_columns, speed_sample,
                                             .meaning = "entry, initial condition or call"),
               [SPEED_ROWS] = STUDY_ROWS(speed_row, .json = "rows", .csv = "speed.csv",
                                         .meaning = "one of either engine in one protocol"),
               [SPEED_MARGINALS] =
                   STUDY_ROWS(speed_marginal, .json = "marginals",
                              .meaning = "what one more contact costs, at settings that are "
                                         "the same at every number of them"),
               [SPEED_CALLBACKS] = STUDY_ROWS(speed_callback, .json = "callbacks",
                                              .meaning = "what a call of a model's callback costs"),
               [SPEED_RUNS] =
                   STUDY_TABLE(speed_run_columns, speed_one_run, .csv = "speed_samples.csv",
                               .meaning = "one initial condition in one process")},
    .check = check,
    .plan = plan,
    .run = measure,
    .place = place,
    .derive = speed_derive,
    .release = release,
};
