/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench sliding: a mass on a belt, which sticks and slips, by libess along the guard, and by
 * CVODE's BDF with tanh(slip / width) for the sign of the slip: what an error costs by either, and
 * one run as a path with its slides. */
#include <math.h>
#include <string.h>

#include "race.h"
#include "solvers.h"
#include "studies.h"

static const double path_tolerance = 1e-9;

#define OPTIONS(X, row)                                                                            \
  X(row, widths, NUMBERS, "widths", "X,Y",                                                         \
    "of the tanh, m/s (default: every half decade from 3e-2 to 1e-9)",                             \
    .initial = "3e-2,1e-2,3e-3,1e-3,3e-4,1e-4,3e-5,1e-5,3e-6,1e-6,3e-7,1e-7,3e-8,1e-8,3e-9,1e-9",  \
    .min = 1e-15, .max = 10)                                                                       \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y",                                                 \
    "rtol = atol, of both (default: every half decade from 0.1 to 1e-12)",                         \
    .initial = "1e-1,3e-2,1e-2,3e-3,1e-3,3e-4,1e-4,3e-5,1e-5,3e-6,1e-6,3e-7,1e-7,3e-8,1e-8,3e-9,"  \
               "1e-9,3e-10,1e-10,3e-11,1e-11,3e-12,1e-12",                                         \
    .min = 1e-13, .max = 0.5)                                                                      \
  X(row, trials, WHOLE, "trials", "COUNT", "initial conditions, all drawn with --seed",            \
    .initial = "10", .min = 1, .max = 1e4, .result = "trials")
OPTION_ROW(settings, OPTIONS);

/* ---- rows ------------------------------------------------------------------------------------ */

enum { RUNS = STUDY_SAMPLES, COSTS, PATH, SLIDES };

#define ATTEMPT(X, row)                                                                            \
  X(row, solver, TEXT, "", "libess or tanh-cvode")                                                 \
  X(row, width, AMOUNT, "m/s", "of the tanh; not known: libess has none")                          \
  X(row, tolerance, AMOUNT, "", "rtol = atol")                                                     \
  X(row, error, AMOUNT, "",                                                                        \
    "against the reference: root mean square over all states on the output grid, of the worst "    \
    "start; not known: a run failed")                                                              \
  X(row, calls, AMOUNT, "",                                                                        \
    "right-hand-side evaluations, including those for Jacobians; mean over the initial "           \
    "conditions")                                                                                  \
  X(row, steps, AMOUNT, "", "accepted; mean")
COLUMN_ROW(attempt, ATTEMPT);

static const column cost_columns[] = {
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
#define OURS   CHEAPEST("libess")
#define THEIRS CHEAPEST("tanh-cvode")
static const char costs_sql[] =
    TARGETS " AS target LEFT JOIN " OURS " AS ours ON ours.target = target.error LEFT JOIN " THEIRS
            " AS theirs ON theirs.target = target.error ORDER BY target.error DESC";

#define POINT(X, row)                                                                              \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, x, NUMBER, "m", "how far the spring is stretched")                                        \
  X(row, v, NUMBER, "m/s", "speed of the mass")                                                    \
  X(row, slides, FLAG, "", "whether the mass sticks to the belt: the state slides along the guard")
COLUMN_ROW(point, POINT);

#define SLIDE(X, row)                                                                              \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, x, NUMBER, "m", "how far the spring is stretched")                                        \
  X(row, begins, FLAG, "", "whether a slide begins, else it ends")
COLUMN_ROW(slide, SLIDE);

/* ---- cells: one solver at one width and tolerance -------------------------------------------- */

typedef struct cell {
  double width, tolerance; /* width 0: libess */
} cell;

static void plan_width(study_run *run, double width) {
  const settings *const s = run->settings;
  for (size_t k = 0; k < s->tolerances.count; k++) {
    const cell c = {width, s->tolerances.value[k]};
    study_cell(run, &c, "width=%g tolerance=%g", c.width, c.tolerance);
  }
}

static int plan(study_run *run, size_t stage) {
  const settings *const s = run->settings;
  if (stage == 0) plan_width(run, 0.0);
  for (size_t i = 0; stage == 0 && i < s->widths.count; i++) plan_width(run, s->widths.value[i]);
  return 0;
}

/* the mean over all starts, and the worst error; NaN where one of them has failed */
static void sum_up(contestant *c, size_t trials, attempt *row) {
  double worst = 0.0, calls = 0.0, steps = 0.0, seconds;
  for (size_t j = 0; j < trials; j++) {
    if (contestant_sample(c, j, &seconds)) worst = NAN;
    if (!(c->rms[j] <= worst)) worst = isnan(worst) ? worst : c->rms[j];
    calls += (double)c->report.field_evaluations;
    steps += (double)c->report.steps;
  }
  row->error = worst;
  row->calls = calls / (double)trials;
  row->steps = steps / (double)trials;
}

static int measure(study_run *run, const void *which) {
  const cell *const at = which;
  const settings *const s = run->settings;
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = at->tolerance;
  if (at->width > 0.0) with.epsilon = at->width;
  contest_starts *const starts = case_starts(run, NULL, s->trials);
  for (size_t j = 0; starts && j < s->trials; j++)
    if (contest_reference(starts, j, run->message)) return -1;
  attempt row = {.solver = at->width > 0.0 ? "tanh-cvode" : "libess",
                 .width = at->width > 0.0 ? with.epsilon : (double)NAN,
                 .tolerance = with.rtol};
  contestant c;
  if (!starts || contestant_prepare(&c, solver_find(row.solver), &with, starts, run->message))
    return -1;
  sum_up(&c, s->trials, &row);
  contestant_release(&c);
  return study_add(run, RUNS, &row);
}

/* ---- the path -------------------------------------------------------------------------------- */

/* where slides begin and end: more than any run of the model's default has */
typedef struct told {
  slide at[64];
  size_t count;
} told;

static int note_slide(const ess_slide_info *info, void *context) {
  told *const all = context;
  if (all->count == sizeof all->at / sizeof *all->at) return 0;
  all->at[all->count++] = (slide){.t = info->t, .x = info->x[0], .begins = info->begins > 0};
  return 0;
}

static void add_points(study_run *run, const trajectory *path, const told *all) {
  for (size_t i = 0, next = 0; i < path->count; i++) {
    while (next < all->count && all->at[next].t <= path->times[i]) next++;
    const point row = {path->times[i], path->states[2 * i], path->states[2 * i + 1],
                       next > 0 && all->at[next - 1].begins};
    study_add(run, PATH, &row);
  }
  for (size_t i = 0; i < all->count; i++) study_add(run, SLIDES, &all->at[i]);
}

static int derive(study_run *run) {
  told all = {.count = 0};
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = path_tolerance;
  with.slide = note_slide;
  with.slide_context = &all;
  trajectory path = {0};
  solver_report report;
  const model *const m = case_model(run, NULL);
  const bool fails = !m || trajectory_alloc(&path, m, run->message) ||
                     trajectory_follow(&path, m, &libess_solver, &with, &report, run->message);
  if (!fails) add_points(run, &path, &all);
  trajectory_free(&path);
  return fails ? -1 : 0;
}

const study sliding_study = {
    .name = "sliding",
    .summary = "a mass on a belt: sliding located by events, against smoothed friction",
    .file = "sliding",
    .group = STUDY_MECHANISMS,
    .figures = {STUDY_FIGURE("fig_sliding", "sliding.csv")},
    .make = "sliding",
    .small = "--trials 1 --widths 1e-3 --tolerances 1e-3,1e-5",
    .model = "belt",
    .untimed = true,
    .cells = "settings",
    STUDY_OF(settings, cell),
    .tables = {[RUNS] = STUDY_ROWS(attempt, .json = "runs", .csv = "sliding_runs.csv",
                                   .meaning = "one solver at one width and tolerance"),
               [COSTS] = STUDY_DERIVED(
                   cost_columns, costs_sql, .json = "costs", .csv = "sliding.csv",
                   .meaning = "one error",
                   .above = "Calls of the field, of a run by the cheapest settings that "
                            "keep to an error: libess, and "
                            "CVODE's BDF with tanh(slip / width)"),
               [PATH] =
                   STUDY_ROWS(point, .csv = "sliding_path.csv",
                              .meaning = "one output time of the model's own initial condition"),
               [SLIDES] = STUDY_ROWS(slide, .json = "slides", .csv = "sliding_slides.csv",
                                     .meaning = "one beginning or end of a slide on that path")},
    .plan = plan,
    .run = measure,
    .derive = derive,
};
