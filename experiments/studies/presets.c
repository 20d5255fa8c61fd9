/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Presets of knobs: libess and its method of the paper over tolerances, epsilons and numbers of
 * contacts. */
#include "knobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affine3.h"
#include "crossings.h"
#include "ess.h"
#include "measure.h"
#include "solvers.h"
#include "statistics.h"
#include "studies.h"

#define EACH_SEEDED "initial conditions, each from a seed of its own: --seed and those that follow"

/* ---- tolerance ------------------------------------------------------------------------------- */

/* libess by one tolerance, on the plate: what error a tolerance gives and what it costs, from many
 * initial conditions, beside the same library when it locates each crossing. */

#define TOLERANCE_OPTIONS(X, row)                                                                  \
  CASE_CONTACTS(X, row, "numbers of contacts: 10,100, 2..10 or a mixture",                         \
                .initial = "2,10,30,100,1000")                                                     \
  X(row, dampings, NUMBERS, "damping", "X,Y", "dampings of all springs, N s/m, the largest first", \
    .initial = "60,0", .max = 1e9)                                                                 \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y",                                                 \
    "rtol = atol, the largest first (default: every decade from 0.1 to 1e-10)",                    \
    .initial = "1e-1,1e-2,1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9,1e-10", .min = 1e-16, .max = 0.5)     \
  CASE_TRIALS(X, row, EACH_SEEDED, "200", 1e6)
static const study_option tolerance_options[] = {TOLERANCE_OPTIONS(OPTION_LINE, knobs_asked){0}};

/* decades that location goes on below the last tolerance, for its error there may be larger than
 * that of libess */
enum { FURTHER = 2 };

/* neighbourhoods so thin that nothing is projected: the paper's method locates each crossing */
static const double location_epsilon = 1e-10;

static bool tolerance_point(const study_run *run, size_t of, size_t i, knob_point *out) {
  (void)of;
  const option_numbers *const given = &((const knobs_asked *)run->settings)->tolerances;
  const bool is_given = i < 2 * given->count, is_located = !is_given || i % 2;
  const size_t further = is_given ? 0 : i - 2 * given->count + 1;
  *out = (knob_point){.what = is_located ? "location" : "libess",
                      .solver = is_located ? &projection_solver : &libess_solver,
                      .with = solver_settings_default(),
                      .effort.runs = is_located ? 1 : 3,
                      .failure = is_located ? KNOB_UNKNOWN : KNOB_WARNING};
  if (is_located) out->with.epsilon = location_epsilon;
  out->with.rtol = given->value[is_given ? i / 2 : given->count - 1];
  for (size_t k = 0; k < further; k++) out->with.rtol *= 0.1;
  out->with.atol = out->with.rtol;
  return further <= FURTHER;
}

/* both methods beside each other; location alone where the tolerance was not given */
static const char tolerance_laps[] =
    "SELECT contacts, damping, tolerance, r.seed + trial AS seed, l.what IS NULL AS alone, "
    "p.events_reference AS reference_events, p.rms_error AS location_rms_error, "
    "p.field_evaluations AS location_field_evaluations, l.seconds, l.rms_error, l.events, "
    "l.field_evaluations, l.event_evaluations, l.steps, l.rejected, l.entries, l.through "
    "FROM tolerance_laps p JOIN run r ON r.id = p.run LEFT JOIN (SELECT * FROM tolerance_laps "
    "WHERE run = ?1 AND what = 'libess') l USING (contacts, damping, tolerance, trial) "
    "WHERE p.run = ?1 AND p.what = 'location'";

/* location's right-hand-side evaluations at the error e, by the logarithms */
#define LOCATION_COST                                                                              \
  "(SELECT was * pow(cost / was, ln(e / last) / ln(rms / last)) FROM (SELECT tolerance, rms, "     \
  "cost, lag(rms) OVER finer AS last, lag(cost) OVER finer AS was FROM (SELECT tolerance, "        \
  "median(location_rms_error) AS rms, avg(location_field_evaluations) AS cost "                    \
  "FROM laps l WHERE l.contacts = s.contacts AND l.damping = s.damping GROUP BY tolerance) "       \
  "WINDOW finer AS (ORDER BY tolerance DESC)) "                                                    \
  "WHERE last >= e AND e >= rms AND last > rms ORDER BY tolerance DESC LIMIT 1)"

static const column tolerance_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%6.0f")),
    TAKEN("damping", AMOUNT, "N s/m", "of all springs", SHOWN("c", "%4g")),
    TAKEN("tolerance", AMOUNT, "", "rtol = atol", SHOWN("tol", "%7.0e")),
    DERIVED("trials", COUNT, "", "count(*)", "starts"),
    DERIVED("failed", COUNT, "", "sum(rms_error IS NULL)",
            "initial conditions whose run ended in a failure: in none of the numbers below",
            SHOWN("fail", "%4.0f")),
    DERIVED("rms_median", AMOUNT, "", "e",
            "error against the reference: root mean square over all states on the output grid",
            SHOWN("median", "%9.2e")),
    DERIVED("rms_q90", AMOUNT, "", "quantile(rms_error, 0.9)", "its 90 % quantile"),
    DERIVED("rms_q99", AMOUNT, "", "quantile(rms_error, 0.99)", "its 99 % quantile"),
    DERIVED("rms_worst", AMOUNT, "", "worst", "the largest"),
    DERIVED("rms_median_first_half", AMOUNT, "", "median(rms_error) FILTER (WHERE NOT later)",
            "of the lower seeds"),
    DERIVED("rms_median_second_half", AMOUNT, "", "median(rms_error) FILTER (WHERE later)",
            "of the higher seeds"),
    DERIVED("median_over_tolerance", AMOUNT, "", "e / tolerance", "rms_median / tolerance",
            SHOWN("/tol", "%7.3g")),
    DERIVED("q99_over_median", AMOUNT, "", "quantile(rms_error, 0.99) / e", "rms_q99 / rms_median",
            SHOWN("99%/med", "%7.2f")),
    DERIVED("worst_over_median", AMOUNT, "", "worst / e", "rms_worst / rms_median",
            SHOWN("max/med", "%7.2f")),
    DERIVED("worst_seed", AMOUNT, "", "max(seed) FILTER (WHERE rms_error = worst)",
            "of the initial condition with the largest error"),
    DERIVED("field_evaluations", AMOUNT, "", "avg(field_evaluations)",
            "every one counted; mean, as all to through", SHOWN("fields", "%8.1f")),
    DERIVED("event_evaluations", AMOUNT, "", "avg(event_evaluations)",
            "of all event functions at once"),
    DERIVED("steps", AMOUNT, "", "avg(steps)", "accepted"),
    DERIVED("rejected", AMOUNT, "", "avg(rejected)", "steps"),
    DERIVED("entries", AMOUNT, "", "avg(entries)", "steps cut at a located crossing"),
    DERIVED("through", AMOUNT, "", "avg(through)",
            "of the steps, those that went through crossings", SHOWN("through", "%7.1f")),
    DERIVED("events_ratio", AMOUNT, "",
            "sum(events) / sum(reference_events) FILTER (WHERE events IS NOT NULL)",
            "crossings that change the field, of all initial conditions, over the reference's",
            SHOWN("events", "%7.4f")),
    DERIVED("other_events", COUNT, "", "count(*) FILTER (WHERE events != reference_events)",
            "initial conditions with another number of crossings than the reference"),
    DERIVED("time_s", AMOUNT, "s", "median(seconds)",
            "median over the initial conditions of the fastest of a few runs",
            SHOWN_TIMES("us", "%9.1f", 1e6)),
    DERIVED("location_rms_median", AMOUNT, "", "median(location_rms_error)",
            "of the paper's method with epsilon 1e-10, which locates each crossing"),
    DERIVED("location_field_evaluations", AMOUNT, "", "avg(location_field_evaluations)",
            "of location; mean"),
    DERIVED("cost_over_location", AMOUNT, "", "avg(field_evaluations) / " LOCATION_COST,
            "field evaluations over those of location at the same median error, between two of its "
            "tolerances by logarithms; not known where its errors do not reach so far",
            SHOWN("/locate", "%7.3f")),
    {0},
};

/* a row is of all initial conditions of a case at a tolerance: e is their median error */
static const char tolerance_sql[] =
    "(SELECT *, median(rms_error) OVER level AS e, max(rms_error) OVER level AS worst, "
    "seed >= min(seed) OVER () + (max(seed) OVER () - min(seed) OVER () + 1) / 2 AS later "
    "FROM laps WINDOW level AS (PARTITION BY contacts, damping, "
    "tolerance)) s WHERE NOT alone GROUP BY contacts, damping, tolerance "
    "ORDER BY contacts, damping DESC, tolerance DESC";

static const knobs tolerance_knobs = {.starts = KNOBS_SEEDED, .point = tolerance_point};

const study tolerance_study = {
    .name = "tolerance",
    .summary = "error and cost of libess on the plate at tolerances from 0.1 to 1e-10",
    .example = "essbench tolerance --contacts 10,100 --tolerances 1e-2,1e-4,1e-6 --trials 20",
    .file = "tolerance",
    .group = STUDY_VALIDATES,
    .figures = {STUDY_FIGURE("fig_tolerance", "tolerance.csv")},
    .make = "tolerance CONTACTS TRIALS SEED PROCESSES RANKS",
    .model = "plate",
    .cells = "initial conditions",
    .processes = 2,
    KNOBS(tolerance_knobs, tolerance_options),
    .laps = tolerance_laps,
    .tables = {[STUDY_SAMPLES] = KNOB_LAPS(knob_lap_columns),
               [STUDY_SAMPLES + 1] = STUDY_DERIVED(
                   tolerance_columns, tolerance_sql, .json = "rows", .csv = "tolerance.csv",
                   .meaning = "one tolerance with one number of contacts and one damping")},
};

/* ---- event-times ----------------------------------------------------------------------------- */

/* How exact the times of events are on the plate at a tolerance, from many initial conditions,
 * beside a run whose tolerance is far smaller. */

static const double fine_tolerance = 1e-13;

#define EVENT_OPTIONS(X, row)                                                                      \
  CASE_CONTACTS(X, row, "numbers of contacts: 10,100, 2..10 or a mixture", .initial = "2,10,100")  \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y", "rtol = atol, the largest first",               \
    .initial = "1e-2,1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9", .min = 1e-11, .max = 0.5)                \
  CASE_TRIALS(X, row, EACH_SEEDED, "50", 1e6)
static const study_option event_options[] = {EVENT_OPTIONS(OPTION_LINE, knobs_asked){0}};

static const column event_lap_columns[] = {KNOB_LAP_COLUMNS,
                                           KNOB_MORE_COLUMN("same", 0),
                                           KNOB_MORE_COLUMN("mean_s", 1),
                                           KNOB_MORE_COLUMN("worst_s", 2),
                                           {0}};

/* the fine run comes first */
static bool event_point(const study_run *run, size_t of, size_t i, knob_point *out) {
  (void)of;
  const option_numbers *const given = &((const knobs_asked *)run->settings)->tolerances;
  *out = (knob_point){
      .what = i ? "libess" : "fine", .solver = &libess_solver, .with = solver_settings_default()};
  out->with.rtol = out->with.atol = i ? given->value[(i - 1) % given->count] : fine_tolerance;
  return i <= given->count;
}

static const column event_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%6.0f")),
    TAKEN("tolerance", AMOUNT, "", "rtol = atol", SHOWN("tol", "%7.0e")),
    DERIVED("trials", COUNT, "", "count(*)", "initial conditions"),
    DERIVED("same", COUNT, "", "count(*) FILTER (WHERE same)",
            "of them with the events of the fine run: each guard is crossed as often. All that "
            "follows is of these",
            SHOWN("same events", "%11.0f")),
    DERIVED("events", AMOUNT, "", "avg(events) FILTER (WHERE same)", "in a run; mean",
            SHOWN("events", "%7.1f")),
    DERIVED("mean_s", AMOUNT, "s", "median(mean_s)",
            "error of an event's time, mean of a run; median", SHOWN("mean s", "%9.2e")),
    DERIVED("worst_s", AMOUNT, "s", "median(worst_s)", "the largest of a run; median",
            SHOWN("worst s", "%9.2e")),
    DERIVED("worst_of_all_s", AMOUNT, "s", "max(worst_s)", "the largest of all runs",
            SHOWN("of all s", "%9.2e")),
    DERIVED("evaluations", AMOUNT, "", "avg(field_evaluations) FILTER (WHERE same)",
            "of the right-hand side; mean", SHOWN("evals", "%7.0f")),
    {0},
};
static const char event_sql[] =
    "event_times_laps WHERE run = ?1 AND what = 'libess' GROUP BY contacts, tolerance "
    "ORDER BY contacts, tolerance DESC";

/* errors of the times, where each guard is crossed as often as in the fine run */
static void compare_events(const crossings *fine, const crossings *found, knob_lap *lap) {
  double sum = 0.0, worst = 0.0;
  bool same = found->count == fine->count;
  for (size_t i = 0; same && i < fine->count; i++) {
    const double error = fabs(found->of[i].t - fine->of[i].t);
    same = found->of[i].guard == fine->of[i].guard;
    sum += error;
    worst = fmax(worst, error);
  }
  lap->more[0] = same;
  lap->of.events = (double)found->count;
  lap->more[1] = same && fine->count ? sum / (double)fine->count : (double)NAN;
  lap->more[2] = same && fine->count ? worst : (double)NAN;
}

static void release_events(study_run *run) {
  crossings *const fine = run->own;
  if (fine) free(fine->of);
  free(fine);
}

/* beside the fine run from the same initial condition, which is run->own */
static int run_events(study_run *run, const contest_starts *start, const knob_point *p,
                      knob_lap *lap) {
  const bool is_fine = p->with.rtol == fine_tolerance;
  crossings found = {0};
  if (!run->own) run->own = calloc(1, sizeof(crossings));
  if (!run->own) return study_out_of_memory(run);
  crossings *const fine = run->own, *const all = is_fine ? fine : &found;
  if (is_fine) fine->count = 0;
  const int status = crossings_of(start, &p->with, all, &lap->of.field_evaluations, run->message);
  if (!status) compare_events(fine, all, lap);
  free(found.of);
  return status;
}

static const knobs event_knobs = {.starts = KNOBS_SEEDED, .point = event_point, .run = run_events};

const study event_times_study = {
    .name = "event-times",
    .summary = "error of the times of events on the plate at tolerances from 1e-2 to 1e-9",
    .example = "essbench event-times --contacts 10 --tolerances 1e-3,1e-6 --trials 20",
    .file = "event_times",
    .group = STUDY_VALIDATES,
    .figures = {STUDY_FIGURE("fig_event_times", "event_times.csv")},
    .make = "event-times CONTACTS TRIALS SEED PROCESSES RANKS",
    .small = "--contacts 2 --trials 2",
    .page = "docs/results/accuracy.md",
    .model = "plate",
    .untimed = true,
    .cells = "initial conditions",
    .processes = 2,
    KNOBS(event_knobs, event_options),
    .tables = {[STUDY_SAMPLES] = KNOB_LAPS(event_lap_columns),
               [STUDY_SAMPLES + 1] =
                   STUDY_DERIVED(event_columns, event_sql, .json = "rows", .csv = "event_times.csv",
                                 .meaning = "one tolerance with one number of contacts")},
    .release = release_events,
};

/* ---- scale ----------------------------------------------------------------------------------- */

/* libess on the plate with ever more contacts, over epsilon from far below the distance between
 * crossings to far above it: error, crossings and cost. */

enum { SCALE_CASES = STUDY_SAMPLES + 1, SCALE_EVENTS, SCALE_ROWS, SCALE_SERIES };
enum { SCALE_ORDERS = 2 };

#define SCALE_OPTIONS(X, row)                                                                      \
  CASE_CONTACTS(X, row,                                                                            \
                "numbers of contacts: 100,1000, 100..200..10 or a mixture (default 100,1000; "     \
                "10000 takes half an hour)",                                                       \
                .initial = "100,1000")                                                             \
  X(row, epsilons, NUMBERS, "epsilons", "X,Y",                                                     \
    "half-widths of the guards' neighbourhoods, m, the largest first (default: three per "         \
    "decade, from 100 times the distance between crossings down to a thousandth of it)",           \
    .min = 5e-324, .max = 1.7e308)                                                                 \
  CASE_TRIALS(X, row, "initial conditions", "3", 1e6)                                              \
  X(row, point_time, NUMBER, "point-time", "S",                                                    \
    "time for which a run is repeated, s; the fastest counts", .initial = "0.02", .max = 3600.0,   \
    .result = "point_time_s")
static const study_option scale_options[] = {SCALE_OPTIONS(OPTION_LINE, knobs_asked){0}};

/* epsilons to a decade, and how far below and above the distance between crossings they go */
enum { SCALE_PER_DECADE = 3 };
static const double furthest_below = 1e-3, furthest_above = 1e2;

/* quantiles over all crossings of all initial conditions: 10 %, 50 %, 90 % */
enum { DISTANCE_MEDIAN = 1 };
static const column scale_lap_columns[] = {
    KNOB_LAP_COLUMNS,
    KNOB_MORE_COLUMN("distance.low", 0),
    KNOB_MORE_COLUMN("distance.median", DISTANCE_MEDIAN),
    KNOB_MORE_COLUMN("distance.high", 2),
    KNOB_MORE_COLUMN("interval.low", 3),
    KNOB_MORE_COLUMN("interval.median", 4),
    KNOB_MORE_COLUMN("interval.high", 5),
    {0},
};

/* runs with tolerances too tight to be seen beside those with everyday ones; and of order 0 what
 * the references have */
static const char scale_laps[] =
    "SELECT *, dense_rank() OVER (ORDER BY contacts) - 1 AS parent, max(`distance.median`) OVER "
    "(PARTITION BY contacts) AS distance FROM (SELECT contacts, `order`, epsilon, trial, "
    "t.events_reference AS reference_events, t.rms_error AS tight_rms_error, t.events AS "
    "tight_events, t.`distance.low`, t.`distance.median`, t.`distance.high`, t.`interval.low`, "
    "t.`interval.median`, t.`interval.high`, e.seconds, e.rms_error, e.steps, e.rejected, "
    "e.entries, e.projections, e.field_evaluations, e.event_evaluations FROM scale_laps t "
    "LEFT JOIN (SELECT * FROM scale_laps WHERE run = ?1 AND what = 'everyday') e "
    "USING (contacts, `order`, epsilon, trial) WHERE t.run = ?1 AND t.what <> 'everyday')";

static const column scale_case_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts"),
    DERIVED("crossing_distance.q10", AMOUNT, "m", "`distance.low`",
            "event function of the next guard when one is crossed: 10 % quantile"),
    DERIVED("crossing_distance.median", AMOUNT, "m", "`distance.median`", "median"),
    DERIVED("crossing_distance.q90", AMOUNT, "m", "`distance.high`", "90 % quantile"),
    DERIVED("crossing_interval_s.q10", AMOUNT, "s", "`interval.low`",
            "time from a crossing to the next: 10 % quantile"),
    DERIVED("crossing_interval_s.median", AMOUNT, "s", "`interval.median`", "median"),
    DERIVED("crossing_interval_s.q90", AMOUNT, "s", "`interval.high`", "90 % quantile"),
    DERIVED("said", TEXT, "",
            "printf('%d contacts: from a crossing to the next %.2g m (10 %%: %.2g, 90 %%: %.2g), "
            "%.2g s', contacts, `distance.median`, `distance.low`, `distance.high`, "
            "`interval.median`)",
            "", .place = COLUMN_SHOWN_ONLY),
    {0},
};
static const char scale_cases_sql[] = "laps WHERE NOT `order` AND NOT trial ORDER BY contacts";

static const column scale_event_columns[] = {
    DERIVED("", AMOUNT, "", "reference_events", "crossings that change the field, from each start"),
    {0},
};
static const char scale_events_sql[] = "laps WHERE NOT `order` ORDER BY contacts, trial";

/* quantities are medians over the initial conditions */
static const column scale_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%6.0f")),
    DERIVED("projection_order", COUNT, "", "`order`", "1 or 2", SHOWN("order", "%5.0f")),
    TAKEN("epsilon", AMOUNT, "m", "half-width of the neighbourhoods", SHOWN("epsilon", "%8.1e")),
    DERIVED("crossing_distance", AMOUNT, "m", "distance", "of the case, median"),
    DERIVED("trials", COUNT, "", "count(*)", "starts"),
    DERIVED("exact_counts", COUNT, "", "count(*) FILTER (WHERE tight_events = reference_events)",
            "initial conditions whose crossings are as many as the reference's",
            SHOWN("exact", "%5.0f")),
    DERIVED("reference_events", AMOUNT, "", "avg(reference_events)",
            "crossings of the reference, mean"),
    DERIVED("rms_worst", AMOUNT, "", "max(tight_rms_error)", "the largest",
            SHOWN("worst", "%9.2e")),
    DERIVED("rms_error", AMOUNT, "", "median(tight_rms_error)",
            "with tolerances too tight to be seen; median over the initial conditions, as all that "
            "follows",
            SHOWN("RMS", "%9.2e")),
    DERIVED("events", AMOUNT, "", "median(tight_events)", "crossings", SHOWN("events", "%8.1f")),
    DERIVED("time_s", AMOUNT, "s", "median(seconds)",
            "with everyday tolerances, as all that follows"),
    DERIVED("rms_error_timed", AMOUNT, "", "median(rms_error)", "of the runs that are timed",
            SHOWN("timed", "%9.2e")),
    DERIVED("steps", AMOUNT, "", "median(steps)", "accepted", SHOWN("steps", "%7.0f")),
    DERIVED("rejected", AMOUNT, "", "median(rejected)", "steps"),
    DERIVED("entries", AMOUNT, "", "median(entries)", "into neighbourhoods",
            SHOWN("entries", "%7.0f")),
    DERIVED("projections", AMOUNT, "", "median(projections)", "onto guards"),
    DERIVED("field_evaluations", AMOUNT, "", "median(field_evaluations)", "every one counted"),
    DERIVED("event_evaluations", AMOUNT, "", "median(event_evaluations)",
            "of all event functions at once"),
    DERIVED("fields_per_event", AMOUNT, "", "median(field_evaluations) / avg(reference_events)", "",
            .place = COLUMN_SHOWN_ONLY, SHOWN("f/ev.", "%6.2f")),
    DERIVED("guards_per_event", AMOUNT, "", "median(event_evaluations) / avg(reference_events)", "",
            .place = COLUMN_SHOWN_ONLY, SHOWN("h/ev.", "%6.2f")),
    DERIVED("time_per_event", AMOUNT, "s", "median(seconds) / avg(reference_events)", "",
            .place = COLUMN_SHOWN_ONLY, SHOWN_TIMES("ns/event", "%9.0f", 1e9)),
    {0},
};
static const char scale_sql[] = "laps WHERE `order` GROUP BY contacts, `order`, epsilon ORDER BY "
                                "contacts, `order`, epsilon DESC";

/* What the points of one order say. */
static const column scale_series_columns[] = {
    TAKEN("projection_order", COUNT, "", "1 or 2"),
    TAKEN("fitted", COUNT, "",
          "points with epsilon at most an eighth of the crossings' median distance and an error "
          "ten times the least; less than 3: no slope"),
    DERIVED("slope", NUMBER, "", "line->>0", "of log RMS against log epsilon"),
    DERIVED("slope_interval", INTERVAL, "", "json_remove(line, '$[3]', '$[0]')", "95 %"),
    DERIVED("fit_range", INTERVAL, "m",
            "iif(line IS NULL, NULL, printf('[%!.17g,%!.17g]', finest, coarsest))", "of epsilon"),
    TAKEN("plateau_rms_error", AMOUNT, "",
          "median where epsilon is ten times that distance or more"),
    TAKEN("exact_epsilon", AMOUNT, "m",
          "from which on down every start has the reference's crossings; 0: none"),
    DERIVED(
        "said", TEXT, "",
        "printf('order %d: ', projection_order) || iif(line IS NULL, '', printf('slope %.3f "
        "[%.3f, %.3f] for epsilon from %.2g to %.2g, ', line->>0, line->>1, line->>2, finest, "
        "coarsest)) || iif(plateau_rms_error IS NULL, '', printf('plateau at %.2g, ', "
        "plateau_rms_error)) || iif(exact_epsilon > 0, printf('crossings exact from %.2g down', "
        "exact_epsilon), 'crossings not exact at the smallest epsilon')",
        "", .place = COLUMN_SHOWN_ONLY),
    {0},
};
/* A slope is fitted where epsilon is seen, and neither neighbouring crossings nor rounding are. */
static const char scale_series_sql[] =
    "(SELECT *, iif(fitted < 3, NULL, points) AS line FROM (SELECT within AS parent, contacts, "
    "projection_order, count(*) FILTER (WHERE fits) AS fitted, "
    "power(epsilon, rms_error) FILTER (WHERE fits) AS points, "
    "min(epsilon) FILTER (WHERE fits) AS finest, max(epsilon) FILTER (WHERE fits) AS coarsest, "
    "median(rms_error) FILTER (WHERE epsilon >= 9.99 * crossing_distance) AS plateau_rms_error, "
    "coalesce(max(epsilon) FILTER (WHERE epsilon < coalesce(off, 1e999)), 0.0) AS exact_epsilon "
    "FROM (SELECT *, epsilon <= crossing_distance / 8 AND rms_error >= 10 * min(rms_error) OVER "
    "points AS fits, min(iif(exact_counts < trials, epsilon, NULL)) OVER points AS off "
    "FROM scale WHERE run = ?1 WINDOW points AS (PARTITION BY contacts, projection_order)) "
    "GROUP BY contacts, projection_order)) ORDER BY contacts, projection_order";

/* the epsilons asked for, or those about the distance between crossings; the largest first */
static size_t choose_epsilons(const knobs_asked *s, double distance,
                              double epsilon[OPTION_NUMBERS_MAX]) {
  size_t count = s->epsilons.count;
  memcpy(epsilon, s->epsilons.value, sizeof s->epsilons.value);
  if (count) return count;
  const int top = (int)floor(SCALE_PER_DECADE * log10(furthest_above * distance));
  for (int k = top; count < OPTION_NUMBERS_MAX; k--) {
    const double e = pow(10.0, (double)k / SCALE_PER_DECADE);
    if (e < furthest_below * distance) break;
    epsilon[count++] = e;
  }
  return count;
}

/* steps are cut on the dense output, which no tolerance controls: the longest is short */
static bool scale_point(const study_run *run, size_t of, size_t i, knob_point *out) {
  const knobs_asked *const s = run->settings;
  const knob_lap *const known = study_rows(run, STUDY_SAMPLES, NULL);
  double epsilon[OPTION_NUMBERS_MAX];
  const size_t count = choose_epsilons(s, known[of * s->trials].more[DISTANCE_MEDIAN], epsilon);
  const bool is_tight = i % 2 == 0;
  *out = (knob_point){.what = is_tight ? "tight" : "everyday",
                      .solver = &projection_solver,
                      .with = solver_settings_default(),
                      .effort.seconds = is_tight ? 0.0 : s->point_time,
                      .failure = KNOB_ERROR};
  out->with.epsilon = epsilon[i / 2 % count];
  out->with.order = (int)(1 + i / 2 / count);
  out->with.rtol = is_tight ? 1e-12 : 1e-8;
  out->with.atol = 1e-2 * out->with.rtol;
  out->with.h_max = is_tight ? 2e-4 : INFINITY;
  return i < 2 * SCALE_ORDERS * count;
}

/* before the laps, what references of a case have, and the distances on which epsilons depend */
static int scale_plan(study_run *run, size_t stage) {
  const knobs_asked *const s = run->settings;
  char name[KNOBS_NAME_SIZE];
  if (stage) return knobs_plan(run, stage);
  for (size_t i = 0; i < knobs_cases(s); i++)
    if (study_cell(run, &(knob_cell){.of = i, .before = true}, "%sdistances",
                   knobs_name(s, i, name)))
      return -1;
  return 0;
}

static int scale_measure(study_run *run, const void *planned) {
  const knobs_asked *const s = run->settings;
  const knob_cell *const c = planned;
  if (!c->before) return knobs_measure(run, c);
  knob_lap lap;
  contest_starts *const starts = case_known(run, knobs_drawn(run, c->of), s->trials);
  if (!starts) return -1;
  column_clear(scale_lap_columns, &lap);
  lap.contacts = model_contacts(starts->m);
  if (crossing_distances(starts, lap.more, lap.more + CROSSING_QUANTILES, run->message)) return -1;
  for (lap.trial = 0; lap.trial < s->trials; lap.trial++) {
    lap.events_reference = (double)starts->events[lap.trial];
    study_add(run, STUDY_SAMPLES, &lap);
  }
  return 0;
}

static void scale_show(const study_run *run) {
  size_t cases, rows, first = 0;
  study_rows(run, SCALE_CASES, &cases);
  study_rows(run, SCALE_ROWS, &rows);
  for (size_t i = 0; i < cases; i++) {
    const double contacts = study_number(run, SCALE_CASES, i, "contacts");
    size_t end = first;
    while (end < rows && study_number(run, SCALE_ROWS, end, "contacts") == contacts) end++;
    printf("\n%s\n", study_words(run, SCALE_CASES, i, "said"));
    study_print(run, SCALE_ROWS, first, end - first);
    for (size_t k = 0; k < SCALE_ORDERS; k++)
      puts(study_words(run, SCALE_SERIES, i * SCALE_ORDERS + k, "said"));
    first = end;
  }
}

static const knobs scale_knobs = {.together = 2, .point = scale_point};

const study scale_study = {
    .name = "scale",
    .summary = "the plate with up to thousands of contacts: error and cost over epsilon",
    .example = "essbench scale --contacts 100,1000,10000",
    .file = "scale",
    .group = STUDY_COMPARES,
    .figures = {STUDY_FIGURE("scale_epsilon", "scale.csv"),
                STUDY_FIGURE("scale_contacts", "scale.csv")},
    .make = "scale CONTACTS TRIALS SEED RANKS",
    .model = "plate",
    .cells = "points",
    .stages = 2,
    .pinned = true,
    KNOBS_BY(scale_knobs, scale_options, scale_plan, scale_measure),
    .laps = scale_laps,
    .tables = {[STUDY_SAMPLES] = KNOB_LAPS(scale_lap_columns),
               [SCALE_CASES] = STUDY_DERIVED(scale_case_columns, scale_cases_sql, .json = "cases",
                                             .meaning = "one number of contacts"),
               [SCALE_EVENTS] =
                   STUDY_DERIVED(scale_event_columns, scale_events_sql, .json = "reference_events",
                                 .meaning = "one start", .within = SCALE_CASES),
               [SCALE_ROWS] =
                   STUDY_DERIVED(scale_columns, scale_sql, .json = "rows", .csv = "scale.csv",
                                 .meaning = "one epsilon with one order", .within = SCALE_CASES),
               [SCALE_SERIES] =
                   STUDY_DERIVED(scale_series_columns, scale_series_sql, .json = "series",
                                 .meaning = "what one order's points say", .within = SCALE_CASES)},
    .show = scale_show,
};

/* ---- sliding --------------------------------------------------------------------------------- */

/* A mass on a belt, which sticks and slips, by libess along the guard, and by CVODE's BDF with
 * tanh(slip / width) for the sign of the slip: what an error costs by either, and one run as a path
 * with its slides. */

static const double path_tolerance = 1e-9;

#define SLIDING_OPTIONS(X, row)                                                                    \
  X(row, epsilons, NUMBERS, "widths", "X,Y",                                                       \
    "widths of the tanh, m/s (default: every half decade from 3e-2 to 1e-9)",                      \
    .initial = "3e-2,1e-2,3e-3,1e-3,3e-4,1e-4,3e-5,1e-5,3e-6,1e-6,3e-7,1e-7,3e-8,1e-8,3e-9,1e-9",  \
    .min = 1e-15, .max = 10)                                                                       \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y",                                                 \
    "rtol = atol, of libess and of CVODE on the tanh (default: every half decade from 0.1 to "     \
    "1e-12)",                                                                                      \
    .initial = "1e-1,3e-2,1e-2,3e-3,1e-3,3e-4,1e-4,3e-5,1e-5,3e-6,1e-6,3e-7,1e-7,3e-8,1e-8,3e-9,"  \
               "1e-9,3e-10,1e-10,3e-11,1e-11,3e-12,1e-12",                                         \
    .min = 1e-13, .max = 0.5)                                                                      \
  CASE_TRIALS(X, row, "initial conditions, all drawn with --seed", "10", 1e4)
static const study_option sliding_options[] = {SLIDING_OPTIONS(OPTION_LINE, knobs_asked){0}};

static bool sliding_point(const study_run *run, size_t of, size_t i, knob_point *out) {
  (void)of;
  const knobs_asked *const s = run->settings;
  const size_t width = i / s->tolerances.count; // 0: libess, which has none
  *out = (knob_point){.what = width ? "tanh-cvode" : "libess",
                      .solver = width ? solver_find("tanh-cvode") : &libess_solver,
                      .with = solver_settings_default()};
  if (width) out->with.epsilon = s->epsilons.value[(width - 1) % s->epsilons.count];
  out->with.rtol = out->with.atol = s->tolerances.value[i % s->tolerances.count];
  return width <= s->epsilons.count;
}

enum { SLIDING_RUNS = STUDY_SAMPLES + 1, SLIDING_COSTS, SLIDING_PATH, SLIDING_SLIDES };

static const column sliding_run_columns[] = {
    DERIVED("solver", TEXT, "", "what", "libess or tanh-cvode"),
    TAKEN("width", AMOUNT, "m/s", "of the tanh; not known: libess has none"),
    TAKEN("tolerance", AMOUNT, "", "rtol = atol"),
    DERIVED(
        "error", AMOUNT, "", "iif(count(rms_error) < count(*), NULL, max(rms_error))",
        "against the reference: root mean square over all states on the output grid, of the worst "
        "start; not known: a run failed"),
    DERIVED("calls", AMOUNT, "", "avg(field_evaluations)",
            "right-hand-side evaluations, including those for Jacobians; mean over the initial "
            "conditions"),
    DERIVED("steps", AMOUNT, "", "avg(steps)", "accepted; mean"),
    {0},
};
static const char sliding_runs_sql[] =
    "(SELECT *, iif(what = 'libess', NULL, epsilon) AS width FROM sliding_laps WHERE run = ?1) "
    "GROUP BY what, width, tolerance ORDER BY what, width DESC, tolerance DESC";

static const column sliding_columns[] = {
    DERIVED("target", AMOUNT, "", "target.error", "the error that both keep to",
            SHOWN("error", "%7.0e")),
    DERIVED("libess_tolerance", AMOUNT, "", "ours.tolerance", "the cheapest that keeps to it",
            SHOWN("libess", "%8.1e")),
    DERIVED("libess_calls", AMOUNT, "", "ours.calls", "right-hand-side evaluations at that",
            SHOWN("calls", "%7.0f")),
    DERIVED("tanh_width", AMOUNT, "m/s", "theirs.width", "of the cheapest tanh that keeps to it",
            SHOWN("width", "%8.1e")),
    DERIVED("tanh_tolerance", AMOUNT, "", "theirs.tolerance", "its tolerance",
            SHOWN("CVODE", "%8.1e")),
    DERIVED("tanh_calls", AMOUNT, "", "theirs.calls", "right-hand-side evaluations at that",
            SHOWN("calls", "%7.0f")),
    DERIVED("ratio", AMOUNT, "", "ours.calls / theirs.calls", "libess_calls / tanh_calls",
            SHOWN("ratio", "%6.2f")),
    {0},
};
#define TARGETS "(SELECT column1 AS error FROM (VALUES (1e-2), (1e-3), (1e-4), (1e-5), (1e-6)))"

/* the cheapest by a solver that keeps to an error; of several the first of the plan */
#define CHEAPEST(solver)                                                                           \
  "(SELECT * FROM (SELECT t.error AS target, r.*, row_number() OVER (PARTITION BY t.error "        \
  "ORDER BY calls, width DESC, tolerance DESC) AS place FROM " TARGETS " t JOIN sliding_runs r "   \
  "ON r.error <= t.error WHERE r.run = ?1 AND solver = '" solver "') WHERE place = 1)"
#define BY_LIBESS CHEAPEST("libess")
#define BY_TANH   CHEAPEST("tanh-cvode")
static const char sliding_sql[] = TARGETS
    " AS target LEFT JOIN " BY_LIBESS " AS ours ON ours.target = target.error LEFT JOIN " BY_TANH
    " AS theirs ON theirs.target = target.error ORDER BY target.error DESC";

#define PATH_POINT(X, row)                                                                         \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, x, NUMBER, "m", "how far the spring is stretched")                                        \
  X(row, v, NUMBER, "m/s", "speed of the mass")                                                    \
  X(row, slides, FLAG, "", "whether the mass sticks to the belt: the state slides along the guard")
COLUMN_ROW(path_point, PATH_POINT);

#define SLIDE(X, row)                                                                              \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, x, NUMBER, "m", "how far the spring is stretched")                                        \
  X(row, begins, FLAG, "", "whether a slide begins, else it ends")
COLUMN_ROW(slide, SLIDE);

/* where slides begin and end: more than any run of the model's default has */
typedef struct told_slides {
  slide at[64];
  size_t count;
} told_slides;

static int note_slide(const ess_slide_info *info, void *context) {
  told_slides *const all = context;
  if (all->count == sizeof all->at / sizeof *all->at) return 0;
  all->at[all->count++] = (slide){.t = info->t, .x = info->x[0], .begins = info->begins > 0};
  return 0;
}

static void add_path_points(study_run *run, const trajectory *path, const told_slides *all) {
  for (size_t i = 0, next = 0; i < path->count; i++) {
    while (next < all->count && all->at[next].t <= path->times[i]) next++;
    const path_point row = {path->times[i], path->states[2 * i], path->states[2 * i + 1],
                            next > 0 && all->at[next - 1].begins};
    study_add(run, SLIDING_PATH, &row);
  }
  for (size_t i = 0; i < all->count; i++) study_add(run, SLIDING_SLIDES, &all->at[i]);
}

static int sliding_derive(study_run *run) {
  told_slides all = {.count = 0};
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = path_tolerance;
  with.slide = note_slide;
  with.slide_context = &all;
  trajectory path = {0};
  solver_report report;
  const model *const m = case_model(run, NULL);
  const bool fails = !m || trajectory_alloc(&path, m, run->message) ||
                     trajectory_follow(&path, m, &libess_solver, &with, &report, run->message);
  if (!fails) add_path_points(run, &path, &all);
  trajectory_free(&path);
  return fails ? -1 : 0;
}

static const knobs sliding_knobs = {.point = sliding_point};

const study sliding_study = {
    .name = "sliding",
    .summary = "a mass on a belt: sliding located by events, against smoothed friction",
    .example = "essbench sliding --widths 1e-2,1e-3 --tolerances 1e-4,1e-6",
    .file = "sliding",
    .group = STUDY_MECHANISMS,
    .figures = {STUDY_FIGURE("fig_sliding", "sliding.csv")},
    .make = "sliding",
    .small = "--trials 1 --widths 1e-3 --tolerances 1e-3,1e-5",
    .model = "belt",
    .untimed = true,
    .cells = "initial conditions",
    KNOBS(sliding_knobs, sliding_options),
    .tables = {[STUDY_SAMPLES] = KNOB_LAPS(knob_lap_columns),
               [SLIDING_RUNS] = STUDY_DERIVED(sliding_run_columns, sliding_runs_sql, .json = "runs",
                                              .csv = "sliding_runs.csv",
                                              .meaning = "one solver at one width and tolerance"),
               [SLIDING_COSTS] = STUDY_DERIVED(
                   sliding_columns, sliding_sql, .json = "costs", .csv = "sliding.csv",
                   .meaning = "one error",
                   .above = "Calls of the field, of a run by the cheapest settings that "
                            "keep to an error: libess, and "
                            "CVODE's BDF with tanh(slip / width)"),
               [SLIDING_PATH] =
                   STUDY_ROWS(path_point, .csv = "sliding_path.csv",
                              .meaning = "one output time of the model's own initial condition"),
               [SLIDING_SLIDES] =
                   STUDY_ROWS(slide, .json = "slides", .csv = "sliding_slides.csv",
                              .meaning = "one beginning or end of a slide on that path")},
    .derive = sliding_derive,
};

/* ---- order ----------------------------------------------------------------------------------- */

/* The error of the projection against epsilon on the affine system of Table 4.1 (Fig. 4.1 of the
 * paper), for both orders of the projection; and Fig. 3.1. */

/* The end of a step; kind 1: it was a projection. */
#define ORDER_STEP_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, kind, AMOUNT, "", "1: the step was a projection")                                    \
  COLUMN(row, t, AMOUNT, "s", "at its end")                                                        \
  COLUMN(row, x, NUMBER, "", "there")                                                              \
  COLUMN(row, y, NUMBER, "", "there")
COLUMN_ROW(order_step, ORDER_STEP_COLUMNS);

/* An end of a guard, or of a border of its neighbourhood. */
#define ORDER_END_COLUMNS(COLUMN, row)                                                             \
  COLUMN(row, guard, AMOUNT, "", "1 or 2")                                                         \
  COLUMN(row, side, NUMBER, "", "0: the guard; -1 and 1: the borders beside it")                   \
  COLUMN(row, x, NUMBER, "", "of the end")                                                         \
  COLUMN(row, y, NUMBER, "", "of the end")
COLUMN_ROW(order_end, ORDER_END_COLUMNS);

/* Fig. 3.1 of the paper: the projection integrator on a piecewise-constant system whose two guards
 * are slanted lines that meet away from the origin. */

/* a guard is the line normal . x = offset; the field has one direction on each of its sides */
typedef struct line_guard {
  double normal[2], offset;
} line_guard;

static const line_guard line[2] = {{{1.0, 0.35}, 1.0}, {{0.6, 1.0}, 1.25}};
static const double velocities[4][2] = {{1.0, 0.55}, {0.7, 1.3}, {1.3, 0.2}, {0.9, 1.0}};
static const double line_start[2] = {0.0, 0.05}, duration = 1.5, drawn_epsilon = 0.16,
                    longest_step = 0.1;

static int line_field(double t, const double x[], const double sign[], double dxdt[],
                      void *params) {
  (void)t;
  (void)x;
  (void)params;
  const int mode = (sign[0] > 0.0 ? 1 : 0) + (sign[1] > 0.0 ? 2 : 0);
  memcpy(dxdt, velocities[mode], sizeof velocities[mode]);
  return 0;
}

static int line_events(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  for (int k = 0; k < 2; k++)
    h[k] = line[k].normal[0] * x[0] + line[k].normal[1] * x[1] - line[k].offset;
  return 0;
}

static int line_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)x;
  (void)params;
  for (int k = 0; k < 2; k++) memcpy(Dh + 2 * k, line[k].normal, sizeof line[k].normal);
  return 0;
}

/* where the ends of steps go */
typedef struct path_table {
  study_run *run;
  size_t table;
} path_table;

static int add_step(const ess_step_info *info, void *context) {
  const path_table *const to = context;
  return study_add(to->run, to->table,
                   &(order_step){info->projection, info->t1, info->x[0], info->x[1]});
}

/* one path: with neighbourhoods to be seen, or with none to speak of (exact: f is constant) */
static int add_path(study_run *run, size_t table, double half_width, double h_max) {
  path_table to = {run, table};
  ess_options options = ess_options_paper();
  options.projection.epsilon = half_width;
  options.h_max = h_max;
  options.observer = (ess_observer){.step = add_step, .context = &to};
  static const ess_guard_kind upward_only[] = {[ESS_GUARD_DOWN(0)] = ESS_GUARD_NONE,
                                               [ESS_GUARD_DOWN(1)] = ESS_GUARD_NONE};
  const ess_system system = {.dimension = 2,
                             .event_count = 2,
                             .field = line_field,
                             .event_functions = line_events,
                             .event_jacobian = line_jacobian,
                             .kinds = upward_only};
  double x[2], t = 0.0;
  memcpy(x, line_start, sizeof x);
  study_add(run, table, &(order_step){0.0, t, x[0], x[1]});
  int status = ESS_ENOMEM;
  ess_driver *const driver = ess_driver_alloc(&system, &options, &status);
  if (driver) status = ess_driver_apply(driver, &t, duration, x);
  ess_driver_free(driver);
  if (status) measure_message(run->message, "projection path: %s", ess_strerror(status));
  return status ? -1 : 0;
}

/* each guard and the borders of its neighbourhood, from the left to the right of the figure */
static void add_guards(study_run *run, size_t table) {
  for (int k = 0; k < 2; k++)
    for (int side = -1; side <= 1; side++)
      for (int end = 0; end < 2; end++) {
        const double y = end ? 2.0 : -0.25;
        const double offset = line[k].offset + side * drawn_epsilon;
        const double x = (offset - line[k].normal[1] * y) / line[k].normal[0];
        study_add(run, table, &(order_end){k + 1, side, x, y});
      }
}

/* the path through a piecewise-constant system with two guards into one table; into another the
 * exact one; and the guards with their neighbourhoods */
static int order_add_paths(study_run *run, size_t path, size_t exact, size_t ends) {
  add_guards(run, ends);
  return add_path(run, path, drawn_epsilon, longest_step) || add_path(run, exact, 1e-12, INFINITY)
             ? -1
             : 0;
}

/* epsilon from 1 down to 1e-6, eight to the decade */
enum { PER_DECADE = 8, DECADES = 6, POINTS_OF_ORDER = PER_DECADE * DECADES + 1, ORDERS = 2 };

/* Where each order's slope is fitted: below the epsilon at which higher terms show and above that
 * at which rounding does, 3e-14 on this system, which order 2 reaches at epsilon 3e-5. The paper's
 * slope is that of order 1. */
#define WANTED(X)                                                                                  \
  X(1, 1e-5, 1e-2, 2.1)                                                                            \
  X(2, 1e-4, 1e-2, NULL)
#define VALUES_OF(order, low, high, paper) "(" #order ", " #low ", " #high ", " #paper "), "

/* tight enough not to be seen; epsilon from which on the error must fall */
static const double tight_rtol = 1e-12, tight_atol = 1e-14;
#define MONOTONE_MAX 0.05

/* what integrates the paper's steps has these as they come; epsilon up to which its error is flat
 */
static const double usual_rtol = 1e-6, usual_atol = 1e-12, flat_max = 1e-5;

enum {
  ORDER_POINTS = STUDY_SAMPLES + 1,
  ORDER_CROSSINGS,
  ORDER_FITS,
  ORDER_PATH,
  ORDER_EXACT,
  ORDER_GUARDS,
  ORDER_FLAT
};

static bool order_point(const study_run *run, size_t of, size_t i, knob_point *out) {
  (void)run, (void)of;
  const bool is_flat = i >= ORDERS * POINTS_OF_ORDER;
  const size_t at = i % POINTS_OF_ORDER;
  *out = (knob_point){.what = is_flat ? "flat" : "projection",
                      .solver = &projection_solver,
                      .with = solver_settings_default(),
                      .failure = KNOB_ERROR};
  out->with.projection_max = INFINITY; // an epsilon of 1 is to be seen as it is
  out->with.epsilon = (is_flat ? flat_max : 1.0) * pow(10.0, -(double)at / PER_DECADE);
  out->with.order = is_flat ? 1 : (int)(1 + i / POINTS_OF_ORDER);
  out->with.rtol = is_flat ? usual_rtol : tight_rtol;
  out->with.atol = is_flat ? usual_atol : tight_atol;
  return i <= ORDERS * POINTS_OF_ORDER + PER_DECADE;
}

/* Epsilons are powers of ten up to rounding. */
#define ORDERS_OF                                                                                  \
  "(SELECT column1 AS projection_order, column2 AS fit_min, column3 AS fit_max, "                  \
  "column4 AS paper_slope FROM (VALUES " WANTED(VALUES_OF) "(0, NULL, NULL, NULL))) "
static const char order_laps[] =
    "SELECT *, `order` AS projection_order FROM order_laps WHERE run = ?1";

static const column order_columns[] = {
    TAKEN("epsilon", AMOUNT, "", "half-width of the neighbourhoods"),
    TAKEN("projection_order", COUNT, "", "1 or 2"),
    TAKEN("rms_error", AMOUNT, "", "error against the exact solution"),
    DERIVED("in_fit", FLAG, "", "epsilon >= 0.9999 * fit_min AND epsilon <= 1.0001 * fit_max",
            "whether the slope is fitted to it"),
    TAKEN("steps", AMOUNT, "", "accepted"),
    TAKEN("entries", AMOUNT, "", "into neighbourhoods"),
    TAKEN("projections", AMOUNT, "", "onto guards"),
    TAKEN("field_evaluations", AMOUNT, "", "every one counted"),
    TAKEN("event_evaluations", AMOUNT, "", "of all event functions at once"),
    {0},
};
static const char order_sql[] = "laps JOIN " ORDERS_OF "USING (projection_order) "
                                "WHERE what = 'projection' ORDER BY projection_order, epsilon DESC";

/* one epsilon of order 1 under the usual tolerance */
static const column flat_columns[] = {
    TAKEN("epsilon", AMOUNT, "", "half-width of the neighbourhoods"),
    DERIVED("rtol", AMOUNT, "", "tolerance", "of the integration: the default of SciPy's dopri5"),
    TAKEN("rms_error", AMOUNT, "", "error against the exact solution"),
    {0},
};
static const char flat_sql[] = "laps WHERE what = 'flat' ORDER BY epsilon DESC";

typedef struct crossing_time {
  double time;
} crossing_time;

static const column crossing_time_columns[] = {
    COLUMN_AS("", crossing_time, time, AMOUNT, "s", "of the exact solution"), {0}};

static const column fit_columns[] = {
    TAKEN("projection_order", COUNT, "", "1 or 2"),
    DERIVED("slope", NUMBER, "", "line->>0", "of log RMS against log epsilon"),
    DERIVED("slope_lo", NUMBER, "", "line->>1", "lower end of its interval",
            .place = COLUMN_CSV_ONLY),
    DERIVED("slope_hi", NUMBER, "", "line->>2", "upper end", .place = COLUMN_CSV_ONLY),
    DERIVED("slope_interval", INTERVAL, "", "json_remove(line, '$[3]', '$[0]')", "both",
            .place = COLUMN_JSON_ONLY),
    DERIVED("intercept", NUMBER, "", "line->>3", "log10 of RMS at epsilon 1",
            .place = COLUMN_CSV_ONLY),
    DERIVED("confidence", AMOUNT, "", "0.95", "of the interval", .place = COLUMN_JSON_ONLY),
    TAKEN("fit_min", AMOUNT, "",
          "epsilon below which the slope is not fitted: for order 2, rounding begins"),
    TAKEN("fit_max", AMOUNT, "", "epsilon above which it is not"),
    TAKEN("paper_slope", NUMBER, "", "not known: the paper has none for this order"),
    TAKEN("monotone", FLAG, "",
          "whether the error falls with epsilon, from monotone_max down to fit_min",
          .place = COLUMN_JSON_ONLY),
    DERIVED("monotone_max", AMOUNT, "", COLUMN_SQL(MONOTONE_MAX), "epsilon",
            .place = COLUMN_JSON_ONLY),
    TAKEN("rms_error_at_fit_min", AMOUNT, "", "error", .place = COLUMN_JSON_ONLY),
    DERIVED("rtol", AMOUNT, "", "1e-12", "of the integration", .place = COLUMN_JSON_ONLY),
    {0},
};
/* SQLite takes the error of a group from the row that has its only minimum: the smallest epsilon
 * that is fitted. */
#define IN_ORDER "epsilon > 0.9999 * fit_min AND epsilon < 1.0001 * " COLUMN_SQL(MONOTONE_MAX)
static const char fits_sql[] =
    "(SELECT projection_order, fit_min, fit_max, paper_slope, "
    "power(epsilon, rms_error) FILTER (WHERE in_fit) AS line, "
    "coalesce(sum(rms_error >= before AND " IN_ORDER "), 0) = 0 AS monotone, "
    "min(iif(in_fit, epsilon, NULL)), rms_error AS rms_error_at_fit_min "
    "FROM (SELECT *, lag(rms_error) OVER (PARTITION BY projection_order ORDER BY epsilon DESC) "
    "AS before FROM `order` WHERE run = ?1) JOIN " ORDERS_OF "USING (projection_order) "
    "GROUP BY projection_order) ORDER BY projection_order";

static int add_crossings(study_run *run) {
  const model *const m = case_model(run, NULL);
  double x0[MODEL_DIMENSION_MAX], times[AFFINE3_GUARDS];
  size_t guards[AFFINE3_GUARDS], count;
  if (!m) return -1;
  m->type->initial_state(m, x0);
  int status = affine3_crossings(x0, model_get(m, "duration"), times, guards, &count, run->message);
  for (size_t i = 0; !status && i < count; i++)
    study_add(run, ORDER_CROSSINGS, &(crossing_time){times[i]});
  return status;
}

static int order_derive(study_run *run) {
  return add_crossings(run) ? -1 : order_add_paths(run, ORDER_PATH, ORDER_EXACT, ORDER_GUARDS);
}

static void order_show(const study_run *run) {
  study_say(
      run, "SELECT printf('projection order %d on affine3: RMS ~ epsilon^%.3f (95 %% interval "
           "%.3f to %.3f) for epsilon from %g to %g', projection_order, slope, slope_lo, slope_hi, "
           "fit_min, fit_max) || iif(paper_slope, printf('; the paper found %.1f', paper_slope), "
           "'') || printf('\nRMS at epsilon %g: %.3g; %s for epsilon from %g to %g', "
           "fit_min, rms_error_at_fit_min, iif(monotone, 'monotone', 'NOT monotone'), fit_min, "
           "monotone_max) FROM order_fit JOIN newest USING (run) ORDER BY row");
  study_say(run, "SELECT 'exact crossings at t = ' || group_concat(printf('%.8f', value), ' ') || "
                 "' s' FROM (SELECT value FROM order_crossing_times JOIN newest USING (run) "
                 "ORDER BY row)");
}

static const knobs order_knobs = {.starts = KNOBS_OWN, .point = order_point};

const study order_study = {
    .name = "order",
    .summary = "error over epsilon for both orders of the projection (Figs. 3.1 and 4.1)",
    .example = "essbench order --out results",
    .file = "order",
    .group = STUDY_VALIDATES,
    .figures = {STUDY_FIGURE("fig3_1_projection", "projection_path.csv"),
                STUDY_FIGURE("fig4_1_order", "order.csv")},
    .make = "order",
    .small = "",
    .model = "affine3",
    STUDY_BRIEF,
    .parameters = "model",
    .cells = "initial conditions",
    KNOBS(order_knobs, NULL),
    .laps = order_laps,
    .tables = {[STUDY_SAMPLES] = KNOB_LAPS(knob_lap_columns),
               [ORDER_POINTS] = STUDY_DERIVED(order_columns, order_sql, .csv = "order.csv",
                                              .meaning = "one epsilon with one order"),
               [ORDER_CROSSINGS] =
                   STUDY_ROWS(crossing_time, .json = "crossing_times", .meaning = "one crossing"),
               [ORDER_FITS] = STUDY_DERIVED(
                   fit_columns, fits_sql, .json = "fits", .csv = "order_fit.csv",
                   .meaning = "log RMS error against log epsilon of one projection order"),
               [ORDER_PATH] = STUDY_ROWS(order_step, .csv = "projection_path.csv",
                                         .meaning = "one step of Fig. 3.1"),
               [ORDER_EXACT] = STUDY_ROWS(order_step, .csv = "projection_exact.csv",
                                          .meaning = "one step without neighbourhoods"),
               [ORDER_GUARDS] = STUDY_ROWS(order_end, .csv = "projection_guards.csv",
                                           .meaning = "one end of a guard or a border"),
               [ORDER_FLAT] =
                   STUDY_DERIVED(flat_columns, flat_sql, .csv = "order_flat.csv",
                                 .meaning = "one small epsilon of order 1, with the tolerance "
                                            "that SciPy's dopri5 has by default")},
    .derive = order_derive,
    .show = order_show,
};
