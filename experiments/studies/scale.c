/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench scale: libess on the plate with ever more contacts, over epsilon from far below the
 * distance between crossings to far above it: error, crossings and cost. */
#include "scale.h"

#include <math.h>
#include <string.h>

#include "cases.h"
#include "solvers.h"
#include "studies.h"

/* epsilons to a decade, and how far below and above the distance between crossings they go */
enum { PER_DECADE = 3 };
static const double furthest_below = 1e-3, furthest_above = 1e2;

/* ---- what is asked for ----------------------------------------------------------------------- */

static const study_option options[] = {
    {"contacts", "LIST",
     "numbers of contacts: 100,1000, 100..200..10 or a mixture (default 100,1000; 10000 takes half "
     "an hour)",
     OPTION_CONTACTS, OPTION_AT(scale_settings, contacts), .initial = "100,1000"},
    {"epsilons", "X,Y",
     "half-widths of the guards' neighbourhoods, m, the largest first (default: three to the "
     "decade, from 100 times the distance between crossings down to a thousandth of it)",
     OPTION_NUMBERS, OPTION_AT(scale_settings, epsilons), .min = 5e-324, .max = 1.7e308},
    {"trials", "COUNT", "initial conditions", OPTION_WHOLE, OPTION_AT(scale_settings, trials),
     .initial = "3", .min = 1, .max = 1e6, .result = "trials"},
    {"point-time", "S", "a run is repeated for this long and its fastest time kept", OPTION_NUMBER,
     OPTION_AT(scale_settings, point_time), .initial = "0.02", .max = 3600.0,
     .result = "point_time_s"},
    {0},
};

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

/* ---- cells: stage 0 a number of contacts, stage 1 one start with one epsilon and order --------
 */

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
    .summary = "the plate with ever more contacts: error, crossings and cost over epsilon",
    .example = "essbench scale --contacts 100,1000,10000",
    .file = "scale",
    .schema = "essbench-scale-1",
    .model = "plate",
    .cells = "points",
    .stages = 2,
    .pinned = true,
    STUDY_OF(options, scale_settings, cell),
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
                              .meaning = "one epsilon with one order", .within = SCALE_CASES),
               [SCALE_GROWTH] = STUDY_ROWS(scale_growth, .json = "growth",
                                           .meaning = "how a crossing's cost grows"),
               [SCALE_EVENNESS] = STUDY_ROWS(scale_evenness, .json = "evenness",
                                             .meaning = "error along three cases or more")},
    .plan = plan,
    .run = measure,
    .derive = scale_derive,
    .show = scale_show,
};
