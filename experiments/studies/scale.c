/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench scale: libess on the plate with ever more contacts, over epsilon from far below the
 * distance between crossings to far above it: error, crossings and cost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "solvers.h"
#include "statistics.h"
#include "studies.h"

enum { SCALE_SAMPLES = STUDY_SAMPLES, SCALE_CASES, SCALE_EVENTS, SCALE_ROWS, SCALE_SERIES };

enum { SCALE_ORDERS = 2 };

#define OPTIONS(X, row)                                                                            \
  X(row, contacts, CONTACTS, "contacts", "LIST",                                                   \
    "numbers of contacts: 100,1000, 100..200..10 or a mixture (default 100,1000; 10000 takes "     \
    "half an hour)",                                                                               \
    .initial = "100,1000")                                                                         \
  X(row, epsilons, NUMBERS, "epsilons", "X,Y",                                                     \
    "half-widths of the guards' neighbourhoods, m, the largest first (default: three per "         \
    "decade, from 100 times the distance between crossings down to a thousandth of it)",           \
    .min = 5e-324, .max = 1.7e308)                                                                 \
  X(row, trials, WHOLE, "trials", "COUNT", "initial conditions", .initial = "3", .min = 1,         \
    .max = 1e6, .result = "trials")                                                                \
  X(row, point_time, NUMBER, "point-time", "S",                                                    \
    "time for which a run is repeated, s; the fastest counts", .initial = "0.02", .max = 3600.0,   \
    .result = "point_time_s")
OPTION_ROW(scale_settings, OPTIONS);

/* Distribution over all crossings of all starts. */
typedef struct scale_spread {
  double low, median, high; /* 10 %, 50 %, 90 % */
} scale_spread;

/* One start: of stage 0 with what the reference has, of stage 1 with one epsilon and order. */
typedef struct scale_sample {
  size_t contacts, order; /* 0: of stage 0, and what follows the spreads is not known */
  double reference_events;
  scale_spread distance, interval;
  double epsilon;
  outcome tight, timed; /* with tolerances too tight to be seen, and with those of every day */
} scale_sample;

/* epsilons to a decade, and how far below and above the distance between crossings they go */
enum { PER_DECADE = 3 };
static const double furthest_below = 1e-3, furthest_above = 1e2;

/* ---- columns --------------------------------------------------------------------------------- */

static const column sample_columns[] = {
    COLUMNS(scale_sample, COUNT, contacts, order),
    COLUMNS(scale_sample, AMOUNT, reference_events, epsilon),
    COLUMNS(scale_sample, AMOUNT, distance.low, distance.median, distance.high),
    COLUMNS(scale_sample, AMOUNT, interval.low, interval.median, interval.high),
    OUTCOME_COLUMNS("tight_", scale_sample, tight),
    OUTCOME_COLUMNS("", scale_sample, timed),
    {0},
};

/* ---- what they say --------------------------------------------------------------------------- */

/* those of stage 1 with what is of their case: its number, and the distance */
static const char laps_sql[] = "SELECT *, dense_rank() OVER (ORDER BY contacts) - 1 AS parent, "
                               "max(`distance.median`) OVER (PARTITION BY contacts) AS distance "
                               "FROM scale_cells WHERE run = ?1";

static const column case_columns[] = {
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
static const char cases_sql[] = "laps WHERE NOT `order` AND row = 0 ORDER BY contacts";

static const column event_columns[] = {
    DERIVED("", AMOUNT, "", "reference_events", "crossings that change the field, from each start"),
    {0},
};
static const char events_sql[] = "laps WHERE NOT `order` ORDER BY contacts, row";

/* quantities are medians over the initial conditions */
static const column row_columns[] = {
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
static const char rows_sql[] = "laps WHERE `order` GROUP BY contacts, `order`, epsilon ORDER BY "
                               "contacts, `order`, epsilon DESC";

/* What the points of one order say. */
static const column series_columns[] = {
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
static const char series_sql[] =
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

/* ---- how far the next guard is when one is crossed ------------------------------------------- */

/* the distances do not depend on these: order 2 is far more accurate than they need */
static const double distance_epsilon = 1e-4, tight_rtol = 1e-10, tight_atol = 1e-12;

/* the crossing before, and all distances and times so far */
typedef struct crossings {
  const model *m;
  bool any;
  double t, x[MODEL_DIMENSION_MAX];
  size_t count, room;
  double *distance, *interval;
} crossings;

static int reserve(crossings *c) {
  if (c->count < c->room) return 0;
  const size_t room = c->room ? 2 * c->room : 1024;
  double *const distance = realloc(c->distance, room * sizeof *distance);
  if (distance) c->distance = distance;
  double *const interval = distance ? realloc(c->interval, room * sizeof *interval) : NULL;
  if (!interval) return -1;
  c->interval = interval;
  c->room = room;
  return 0;
}

/* how far the guard crossed now was from where the one before was crossed */
static int on_crossing(const ess_crossing_info *info, void *context) {
  static const double nowhere[MODEL_DIMENSION_MAX] = {0};
  crossings *const c = context;
  const ess_system *const s = &c->m->system;
  if (!c->m->type->changes_field(c->m, info->event, info->sign)) return 0;
  if (c->any) {
    double h, rate;
    if (reserve(c) ||
        s->event_rates(info->t, c->x, 0.0, nowhere, &info->event, 1, &h, &rate, s->params))
      return -1;
    c->distance[c->count] = fabs(h);
    c->interval[c->count++] = info->t - c->t;
  }
  c->any = true;
  c->t = info->t;
  memcpy(c->x, info->x, s->dimension * sizeof *c->x);
  return 0;
}

/* all crossings from one start */
static int watch(crossings *c, const double x0[]) {
  ess_options with = ess_options_paper();
  with.projection.epsilon = distance_epsilon;
  with.projection.order = 2;
  with.rtol = tight_rtol;
  with.atol = tight_atol;
  with.projection.duration_max = c->m->type->time_step;
  with.observer = (ess_observer){.crossing = on_crossing, .context = c};
  ess_driver *const driver = ess_driver_alloc(&c->m->system, &with, NULL);
  double t = 0.0, x[MODEL_DIMENSION_MAX];
  memcpy(x, x0, c->m->system.dimension * sizeof *x);
  c->any = false;
  const int status =
      driver ? ess_driver_apply(driver, &t, model_get(c->m, "duration"), x) : ESS_ENOMEM;
  ess_driver_free(driver);
  return status;
}

static int spread_of(const double values[], size_t count, scale_spread *out) {
  return measure_quantile(values, count, 0.1, &out->low) ||
         measure_quantile(values, count, 0.5, &out->median) ||
         measure_quantile(values, count, 0.9, &out->high);
}

/* how far the next guard is when one is crossed, m, and how long it takes to be crossed, s */
static int scale_distances(const contest_starts *starts, size_t contacts, scale_spread *distance,
                           scale_spread *interval, char *message) {
  crossings found = {.m = starts->m};
  int status = 0;
  for (size_t i = 0; !status && i < starts->trials; i++)
    status = watch(&found, starts->states + i * starts->m->system.dimension);
  if (status) {
    measure_message(message, "the crossings of %zu contacts: %s", contacts, ess_strerror(status));
  } else if (!found.count || spread_of(found.distance, found.count, distance) ||
             spread_of(found.interval, found.count, interval)) {
    measure_message(message, "%zu contacts: there are no two crossings", contacts);
    status = -1;
  }
  free(found.distance);
  free(found.interval);
  return status ? -1 : 0;
}

/* ---- on the terminal ------------------------------------------------------------------------- */

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

/* ---- cells: stage 0 a number of contacts, stage 1 one start with one epsilon and order ------- */

typedef struct cell {
  size_t contacts, order, trial;
  double epsilon;
} cell;

/* the epsilons asked for, or those about the distance between crossings; the largest first */
static size_t choose_epsilons(const scale_settings *s, double distance,
                              double epsilon[OPTION_NUMBERS_MAX]) {
  size_t count = s->epsilons.count;
  memcpy(epsilon, s->epsilons.value, sizeof s->epsilons.value);
  if (count) return count;
  const int top = (int)floor(PER_DECADE * log10(furthest_above * distance));
  for (int k = top; count < OPTION_NUMBERS_MAX; k--) {
    const double e = pow(10.0, (double)k / PER_DECADE);
    if (e < furthest_below * distance) break;
    epsilon[count++] = e;
  }
  return count;
}

static int plan_points(study_run *run, size_t contacts, double distance) {
  const scale_settings *const s = run->settings;
  double epsilon[OPTION_NUMBERS_MAX];
  const size_t count = choose_epsilons(s, distance, epsilon);
  for (size_t i = 0; i < SCALE_ORDERS * count * s->trials; i++) {
    const size_t point = i / s->trials;
    const cell c = {contacts, 1 + point / count, i % s->trials, epsilon[point % count]};
    if (study_cell(run, &c, "contacts=%zu order=%zu epsilon=%.17g trial=%zu", c.contacts, c.order,
                   c.epsilon, c.trial))
      return -1;
  }
  return 0;
}

static int plan(study_run *run, size_t stage) {
  const scale_settings *const s = run->settings;
  size_t count;
  const scale_sample *const known = study_rows(run, SCALE_SAMPLES, &count);
  int status = 0;
  for (size_t i = 0; !status && stage < 2 && i < s->contacts.count; i++) {
    const cell c = {.contacts = s->contacts.contacts[i]};
    status = stage ? plan_points(run, c.contacts, known[i * s->trials].distance.median)
                   : study_cell(run, &c, "contacts=%zu", c.contacts);
  }
  return status;
}

/* what a start has by its reference, and the case by all of them */
static int measure_case(study_run *run, const contest_starts *starts, scale_sample *s) {
  if (scale_distances(starts, s->contacts, &s->distance, &s->interval, run->message)) return -1;
  for (size_t i = 0; i < starts->trials; i++) {
    s->reference_events = (double)starts->events[i];
    study_add(run, SCALE_SAMPLES, s);
  }
  return 0;
}

/* tolerances, and longest step, s; steps are cut on the dense output, which no tolerance controls
 */
static solver_settings with(const cell *c, double rtol, double atol, double h_max) {
  solver_settings settings = solver_settings_default();
  settings.epsilon = c->epsilon;
  settings.order = (int)c->order;
  settings.rtol = rtol;
  settings.atol = atol;
  settings.h_max = h_max;
  return settings;
}

static int measure_point(study_run *run, const contest_starts *starts, const cell *c,
                         scale_sample *s) {
  const scale_settings *const given = run->settings;
  const solver_settings tight = with(c, 1e-12, 1e-14, 2e-4);
  const solver_settings everyday = with(c, 1e-8, 1e-10, INFINITY);
  const outcome_effort once = {0}, longer = {.seconds = given->point_time};
  char why[SOLVER_MESSAGE_SIZE];
  s->reference_events = (double)starts->events[c->trial];
  s->epsilon = c->epsilon;
  if (!outcome_run(&projection_solver, &tight, starts, c->trial, once, &s->tight, why) &&
      !outcome_run(&projection_solver, &everyday, starts, c->trial, longer, &s->timed, why))
    return study_add(run, SCALE_SAMPLES, s);
  return measure_fail(run->message, "%zu contacts, order %zu, epsilon %g: %s", c->contacts,
                      c->order, c->epsilon, why);
}

static int measure(study_run *run, const void *planned) {
  const scale_settings *const given = run->settings;
  const cell *const c = planned;
  const case_change changes[] = {{"contacts", (double)c->contacts}, {0}};
  contest_starts *const starts = case_starts(run, changes, given->trials);
  scale_sample s;
  if (!starts) return -1;
  for (size_t i = 0; i < given->trials; i++)
    if ((!c->order || i == c->trial) && contest_reference(starts, i, run->message)) return -1;
  column_clear(sample_columns, &s);
  s.contacts = c->contacts;
  s.order = c->order;
  return c->order ? measure_point(run, starts, c, &s) : measure_case(run, starts, &s);
}

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
    STUDY_OF(scale_settings, cell),
    .laps = laps_sql,
    .tables = {[SCALE_SAMPLES] = STUDY_TABLE(sample_columns, scale_sample, .meaning = "one start"),
               [SCALE_CASES] = STUDY_DERIVED(case_columns, cases_sql, .json = "cases",
                                             .meaning = "one number of contacts"),
               [SCALE_EVENTS] = STUDY_DERIVED(event_columns, events_sql, .json = "reference_events",
                                              .meaning = "one start", .within = SCALE_CASES),
               [SCALE_ROWS] =
                   STUDY_DERIVED(row_columns, rows_sql, .json = "rows", .csv = "scale.csv",
                                 .meaning = "one epsilon with one order", .within = SCALE_CASES),
               [SCALE_SERIES] =
                   STUDY_DERIVED(series_columns, series_sql, .json = "series",
                                 .meaning = "what one order's points say", .within = SCALE_CASES)},
    .plan = plan,
    .run = measure,
    .show = scale_show,
};
