/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench scale: libess on the plate with ever more contacts, over epsilon from far below the
 * distance between crossings to far above it: error, crossings and cost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "series.h"
#include "solvers.h"
#include "statistics.h"
#include "studies.h"

enum { SCALE_SAMPLES = STUDY_SAMPLES, SCALE_CASES, SCALE_EVENTS, SCALE_SERIES, SCALE_ROWS };

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

/* A row of the results; quantities are medians over the starts. */
#define SCALE_ROW_COLUMNS(COLUMN, row)                                                             \
  COLUMN(row, contacts, COUNT, "", "number of contacts", SHOWN("N", "%6.0f"))                      \
  COLUMN(row, projection_order, COUNT, "", "1 or 2", SHOWN("order", "%5.0f"))                      \
  COLUMN(row, epsilon, AMOUNT, "m", "half-width of the neighbourhoods", SHOWN("epsilon", "%8.1e")) \
  COLUMN(row, crossing_distance, AMOUNT, "m", "of the case, median")                               \
  COLUMN(row, trials, COUNT, "", "starts")                                                         \
  COLUMN(row, exact_counts, COUNT, "",                                                             \
         "initial conditions whose crossings are as many as the reference's",                      \
         SHOWN("exact", "%5.0f"))                                                                  \
  COLUMN(row, reference_events, AMOUNT, "", "crossings of the reference, mean")                    \
  COLUMN(row, rms_worst, AMOUNT, "", "the largest", SHOWN("worst", "%9.2e"))                       \
  COLUMN(row, rms_error, AMOUNT, "",                                                               \
         "with tolerances too tight to be seen; median over the initial conditions, as all that "  \
         "follows",                                                                                \
         SHOWN("RMS", "%9.2e"))                                                                    \
  COLUMN(row, events, AMOUNT, "", "crossings", SHOWN("events", "%8.1f"))                           \
  COLUMN(row, time_s, AMOUNT, "s", "with everyday tolerances, as all that follows")                \
  COLUMN(row, rms_error_timed, AMOUNT, "", "of the runs that are timed", SHOWN("timed", "%9.2e"))  \
  COLUMN(row, steps, AMOUNT, "", "accepted", SHOWN("steps", "%7.0f"))                              \
  COLUMN(row, rejected, AMOUNT, "", "steps")                                                       \
  COLUMN(row, entries, AMOUNT, "", "into neighbourhoods", SHOWN("entries", "%7.0f"))               \
  COLUMN(row, projections, AMOUNT, "", "onto guards")                                              \
  COLUMN(row, field_evaluations, AMOUNT, "", "every one counted")                                  \
  COLUMN(row, guard_evaluations, AMOUNT, "", "of all event functions at once")                     \
  COLUMN(row, fields_per_event, AMOUNT, "", "", .place = COLUMN_SHOWN_ONLY,                        \
         SHOWN("f/ev.", "%6.2f"))                                                                  \
  COLUMN(row, guards_per_event, AMOUNT, "", "", .place = COLUMN_SHOWN_ONLY,                        \
         SHOWN("h/ev.", "%6.2f"))                                                                  \
  COLUMN(row, time_per_event, AMOUNT, "s", "", .place = COLUMN_SHOWN_ONLY,                         \
         SHOWN_TIMES("ns/event", "%9.0f", 1e9))
COLUMN_ROW(scale_row, SCALE_ROW_COLUMNS);

/* What the points of one order say. */
#define SCALE_SERIES_COLUMNS(COLUMN, row)                                                          \
  COLUMN(row, projection_order, COUNT, "", "1 or 2")                                               \
  COLUMN(row, fitted, COUNT, "",                                                                   \
         "points with epsilon at most an eighth of the crossings' median distance and an error "   \
         "ten times the least; less than 3: no slope")                                             \
  COLUMN(row, slope, NUMBER, "", "of log RMS against log epsilon")                                 \
  COLUMN(row, slope_interval, INTERVAL, "", "95 %")                                                \
  COLUMN(row, fit_range, INTERVAL, "m", "of epsilon")                                              \
  COLUMN(row, plateau_rms_error, AMOUNT, "",                                                       \
         "median where epsilon is ten times that distance or more")                                \
  COLUMN(row, exact_epsilon, AMOUNT, "m",                                                          \
         "from which on down every start has the reference's crossings; 0: none")
COLUMN_ROW(scale_series, SCALE_SERIES_COLUMNS);

/* epsilons to a decade, and how far below and above the distance between crossings they go */
enum { PER_DECADE = 3 };
static const double furthest_below = 1e-3, furthest_above = 1e2;

/* ---- what is asked for ----------------------------------------------------------------------- */

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

static const column case_columns[] = {
    COLUMN(scale_sample, contacts, COUNT, "", "number of contacts"),
    COLUMN_AS("crossing_distance.q10", scale_sample, distance.low, AMOUNT, "m",
              "event function of the next guard when one is crossed: 10 % quantile"),
    COLUMN_AS("crossing_distance.median", scale_sample, distance.median, AMOUNT, "m", "median"),
    COLUMN_AS("crossing_distance.q90", scale_sample, distance.high, AMOUNT, "m", "90 % quantile"),
    COLUMN_AS("crossing_interval_s.q10", scale_sample, interval.low, AMOUNT, "s",
              "time from a crossing to the next: 10 % quantile"),
    COLUMN_AS("crossing_interval_s.median", scale_sample, interval.median, AMOUNT, "s", "median"),
    COLUMN_AS("crossing_interval_s.q90", scale_sample, interval.high, AMOUNT, "s", "90 % quantile"),
    {0},
};

static const column event_columns[] = {
    COLUMN_AS("", scale_sample, reference_events, AMOUNT, "",
              "crossings that change the field, from each start"),
    {0},
};

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
  if (!c->m->type->changes_field(c->m, info->guard, info->sign)) return 0;
  if (c->any) {
    double h, rate;
    if (reserve(c) ||
        s->event_rates(info->t, c->x, 0.0, nowhere, &info->guard, 1, &h, &rate, s->params))
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
  with.epsilon = distance_epsilon;
  with.order = 2;
  with.rtol = tight_rtol;
  with.atol = tight_atol;
  with.projection_max = c->m->type->time_step;
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

/* What the samples of scale say: rows, slopes and plateaus. */

/* a slope is fitted where epsilon is at most this part of the distance between crossings, and the
 * error this many times the least one; the plateau begins at so many times the distance */
static const double fitted_below = 0.125, fitted_above = 10.0, plateau_from = 9.99;

/* ---- rows and series ------------------------------------------------------------------------- */

static void add_row(study_run *run, const scale_sample *of, gather starts, double distance) {
  const scale_sample *const s = gather_row(starts, 0);
  scale_row r = {.contacts = of->contacts,
                 .projection_order = of->order,
                 .epsilon = of->epsilon,
                 .crossing_distance = distance,
                 .trials = starts.count,
                 .reference_events = gather_mean(starts, "reference_events"),
                 .rms_worst = gather_quantile(starts, "tight_rms_error", 1.0),
                 .rms_error = gather_median(starts, "tight_rms_error"),
                 .events = gather_median(starts, "tight_events"),
                 .time_s = gather_median(starts, "time_s"),
                 .rms_error_timed = gather_median(starts, "rms_error")};
  gather_into(starts, gather_median, SCALE_ROWS, "steps", "guard_evaluations", &r);
  for (size_t i = 0; i < starts.count; i++)
    r.exact_counts += s[i].tight.events == s[i].reference_events;
  r.fields_per_event = r.field_evaluations / r.reference_events;
  r.guards_per_event = r.guard_evaluations / r.reference_events;
  r.time_per_event = r.time_s / r.reference_events;
  study_add(run, SCALE_ROWS, &r);
}

/* the largest epsilon from which on down all crossings are right */
static double exact_epsilon(const scale_row r[], size_t count) {
  double epsilon = 0.0;
  for (size_t i = count; i-- > 0 && r[i].exact_counts == r[i].trials;) epsilon = r[i].epsilon;
  return epsilon;
}

/* the slope where epsilon is seen, and neither neighbouring crossings nor rounding are */
static void fit_slope(const scale_row r[], size_t count, scale_series *out) {
  double x[OPTION_NUMBERS_MAX], y[OPTION_NUMBERS_MAX], least = INFINITY;
  for (size_t i = 0; i < count; i++) least = fmin(least, r[i].rms_error);
  for (size_t i = 0; i < count; i++) {
    if (r[i].epsilon > fitted_below * r[i].crossing_distance ||
        r[i].rms_error < fitted_above * least)
      continue;
    x[out->fitted] = r[i].epsilon;
    y[out->fitted++] = r[i].rms_error;
  }
  // of fewer than 3 there is none
  const gather_power power = gather_fit_power(x, y, out->fitted < 3 ? 0 : out->fitted);
  out->slope = power.exponent;
  memcpy(out->slope_interval, power.interval, sizeof power.interval);
  out->fit_range[0] = out->fitted < 3 ? (double)NAN : x[out->fitted - 1];
  out->fit_range[1] = out->fitted < 3 ? (double)NAN : x[0];
}

/* of `count` rows of one order */
static void add_series(study_run *run, size_t order, size_t first, size_t count) {
  const scale_row *const r = (const scale_row *)study_rows(run, SCALE_ROWS, NULL) + first;
  scale_series s = {.projection_order = order, .exact_epsilon = exact_epsilon(r, count)};
  gather plateau = gather_rows(run, SCALE_ROWS, first, 1, 0);
  fit_slope(r, count, &s);
  while (plateau.count < count &&
         r[plateau.count].epsilon >= plateau_from * r[plateau.count].crossing_distance)
    plateau.count++;
  s.plateau_rms_error = gather_median(plateau, "rms_error");
  study_add(run, SCALE_SERIES, &s);
}

/* a number of contacts, whose samples of stage 1 begin at *from and are passed by */
static void add_case(study_run *run, size_t index, size_t *from) {
  const size_t trials = ((const scale_settings *)run->settings)->trials;
  size_t count, first;
  const scale_sample *const all = study_rows(run, SCALE_SAMPLES, &count);
  const scale_sample *const of = &all[index * trials];
  study_rows(run, SCALE_ROWS, &first);
  study_add(run, SCALE_CASES, of);
  for (size_t i = 0; i < trials; i++) study_add(run, SCALE_EVENTS, &of[i]);
  size_t points = 0;
  for (; *from < count && all[*from].contacts == of->contacts; *from += trials, points++)
    add_row(run, &all[*from], gather_rows(run, SCALE_SAMPLES, *from, 1, trials),
            of->distance.median);
  const size_t epsilons = points / SCALE_ORDERS;
  for (size_t k = 0; k < SCALE_ORDERS; k++) add_series(run, 1 + k, first + k * epsilons, epsilons);
}

static int scale_derive(study_run *run) {
  const scale_settings *const s = run->settings;
  size_t count, cases = 0;
  const scale_sample *const all = study_rows(run, SCALE_SAMPLES, &count);
  while (cases * s->trials < count && !all[cases * s->trials].order) cases++;
  for (size_t i = 0, from = cases * s->trials; i < cases; i++) add_case(run, i, &from);
  return 0;
}

/* ---- on the terminal ------------------------------------------------------------------------- */

static void show_series(const scale_series *s) {
  printf("order %zu: ", s->projection_order);
  if (s->fitted >= 3)
    printf("slope %.3f [%.3f, %.3f] for epsilon from %.2g to %.2g, ", s->slope,
           s->slope_interval[0], s->slope_interval[1], s->fit_range[0], s->fit_range[1]);
  if (!isnan(s->plateau_rms_error)) printf("plateau at %.2g, ", s->plateau_rms_error);
  if (s->exact_epsilon > 0.0)
    printf("crossings exact from %.2g down\n", s->exact_epsilon);
  else
    printf("crossings not exact at the smallest epsilon\n");
}

static void scale_show(const study_run *run) {
  size_t cases, rows, first = 0;
  const scale_sample *const c = study_rows(run, SCALE_CASES, &cases);
  const scale_row *const r = study_rows(run, SCALE_ROWS, &rows);
  const scale_series *const s = study_rows(run, SCALE_SERIES, NULL);
  for (size_t i = 0; i < cases; i++) {
    size_t end = first;
    while (end < rows && r[end].contacts == c[i].contacts) end++;
    printf(
        "\n%zu contacts: from a crossing to the next %.2g m (10 %%: %.2g, 90 %%: %.2g), %.2g s\n",
        c[i].contacts, c[i].distance.median, c[i].distance.low, c[i].distance.high,
        c[i].interval.median);
    study_print(run, SCALE_ROWS, first, end - first);
    for (size_t k = 0; k < SCALE_ORDERS; k++) show_series(&s[i * SCALE_ORDERS + k]);
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
    .model = "plate",
    .cells = "points",
    .stages = 2,
    .pinned = true,
    STUDY_OF(scale_settings, cell),
    .tables = {[SCALE_SAMPLES] = STUDY_TABLE(sample_columns, scale_sample, .meaning = "one start"),
               [SCALE_CASES] = STUDY_TABLE(case_columns, scale_sample, .json = "cases",
                                           .meaning = "one number of contacts"),
               [SCALE_EVENTS] = STUDY_TABLE(event_columns, scale_sample, .json = "reference_events",
                                            .meaning = "one start", .within = SCALE_CASES),
               [SCALE_SERIES] =
                   STUDY_ROWS(scale_series, .json = "series",
                              .meaning = "what one order's points say", .within = SCALE_CASES),
               [SCALE_ROWS] =
                   STUDY_ROWS(scale_row, .json = "rows", .csv = "scale.csv",
                              .meaning = "one epsilon with one order", .within = SCALE_CASES)},
    .plan = plan,
    .run = measure,
    .derive = scale_derive,
    .show = scale_show,
};
