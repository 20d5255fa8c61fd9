/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench order: the error of the projection against epsilon on the affine system of Table 4.1
 * (Fig. 4.1 of the paper), for both orders of the projection; and Fig. 3.1. */
#include <math.h>
#include <string.h>

#include "affine3.h"
#include "ess.h"
#include "race.h"
#include "solvers.h"
#include "studies.h"

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

/* ---- a path between two lines ---------------------------------------------------------------- */

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

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  (void)x;
  (void)params;
  const int mode = (sign[0] > 0.0 ? 1 : 0) + (sign[1] > 0.0 ? 2 : 0);
  memcpy(dxdt, velocities[mode], sizeof velocities[mode]);
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  for (int k = 0; k < 2; k++)
    h[k] = line[k].normal[0] * x[0] + line[k].normal[1] * x[1] - line[k].offset;
  return 0;
}

static int jacobian(double t, const double x[], double Dh[], void *params) {
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
                             .field = field,
                             .event_functions = event_functions,
                             .event_jacobian = jacobian,
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
#define RANGE_OF(order, low, high, paper)  {low, high},
static const struct { double fit_min, fit_max; } wanted[ORDERS] = {WANTED(RANGE_OF)};

/* tight enough not to be seen; epsilon from which on the error must fall */
static const double tight_rtol = 1e-12, tight_atol = 1e-14;
#define MONOTONE_MAX 0.05

/* what integrates the paper's steps has these as they come; epsilon up to which its error is flat
 */
static const double usual_rtol = 1e-6, usual_atol = 1e-12, flat_max = 1e-5;

enum { POINTS = STUDY_SAMPLES, CROSSINGS, FITS, PATH, EXACT, GUARDS, FLAT };

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct point {
  double epsilon;
  size_t projection_order;
  outcome run;
  bool in_fit;
} point;

#define OF_RUN(name, meaning) COLUMN_AS(#name, point, run.name, AMOUNT, "", meaning)
static const column point_columns[] = {
    COLUMN(point, epsilon, AMOUNT, "", "half-width of the neighbourhoods"),
    COLUMN(point, projection_order, COUNT, "", "1 or 2"),
    OF_RUN(rms_error, "error against the exact solution"),
    COLUMN(point, in_fit, FLAG, "", "whether the slope is fitted to it"),
    OF_RUN(steps, "accepted"),
    OF_RUN(entries, "into neighbourhoods"),
    OF_RUN(projections, "onto guards"),
    OF_RUN(field_evaluations, "every one counted"),
    OF_RUN(event_evaluations, "of all event functions at once"),
    {0},
};

/* one epsilon of order 1 under the usual tolerance */
#define FLAT_COLUMNS(COLUMN, row)                                                                  \
  COLUMN(row, epsilon, AMOUNT, "", "half-width of the neighbourhoods")                             \
  COLUMN(row, rtol, AMOUNT, "", "of the integration: the default of SciPy's dopri5")               \
  COLUMN(row, rms_error, AMOUNT, "", "error against the exact solution")
COLUMN_ROW(flat, FLAT_COLUMNS);

typedef struct crossing {
  double time;
} crossing;

static const column crossing_columns[] = {
    COLUMN_AS("", crossing, time, AMOUNT, "s", "of the exact solution"), {0}};

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
/* Epsilons are powers of ten up to rounding. SQLite takes the error of a group from the row that
 * has its only minimum: the smallest epsilon that is fitted. */
#define IN_ORDER "epsilon > 0.9999 * fit_min AND epsilon < 1.0001 * " COLUMN_SQL(MONOTONE_MAX)
#define ORDERS_OF                                                                                  \
  "(SELECT column1 AS projection_order, column2 AS fit_min, column3 AS fit_max, "                  \
  "column4 AS paper_slope FROM (VALUES " WANTED(VALUES_OF) "(0, NULL, NULL, NULL))) "
static const char fits_sql[] =
    "(SELECT projection_order, fit_min, fit_max, paper_slope, "
    "power(epsilon, rms_error) FILTER (WHERE in_fit) AS line, "
    "coalesce(sum(rms_error >= before AND " IN_ORDER "), 0) = 0 AS monotone, "
    "min(iif(in_fit, epsilon, NULL)), rms_error AS rms_error_at_fit_min "
    "FROM (SELECT *, lag(rms_error) OVER (PARTITION BY projection_order ORDER BY epsilon DESC) "
    "AS before FROM `order` WHERE run = ?1) JOIN " ORDERS_OF "USING (projection_order) "
    "GROUP BY projection_order) ORDER BY projection_order";

/* ---- cells: one order each ------------------------------------------------------------------- */

static int plan(study_run *run, size_t stage) {
  for (size_t order = 1; stage == 0 && order <= ORDERS; order++)
    study_cell(run, &order, "order=%zu", order);
  return 0;
}

/* epsilons are powers of ten up to rounding */
static bool within(double epsilon, double low, double high) {
  return epsilon >= low * 0.9999 && epsilon <= high * 1.0001;
}

static const contest_starts *own_start(study_run *run) {
  return case_known(run, case_own_start_of(run, run->m->type, NULL), 1);
}

static int run_once(study_run *run, const contest_starts *start, solver_settings with,
                    outcome *out) {
  static const outcome_effort once = {0};
  char why[SOLVER_MESSAGE_SIZE];
  with.projection_max = INFINITY; // an epsilon of 1 is to be seen as it is
  if (!outcome_run(&projection_solver, &with, start, 0, once, out, why)) return 0;
  return measure_fail(run->message, "epsilon %g: %s", with.epsilon, why);
}

static int measure_point(study_run *run, const contest_starts *start, size_t order,
                         double epsilon) {
  point p = {.epsilon = epsilon, .projection_order = order};
  solver_settings with = solver_settings_default();
  with.epsilon = epsilon;
  with.order = (int)order;
  with.rtol = tight_rtol;
  with.atol = tight_atol;
  p.in_fit = within(epsilon, wanted[order - 1].fit_min, wanted[order - 1].fit_max);
  return run_once(run, start, with, &p.run) ? -1 : study_add(run, POINTS, &p);
}

static int measure(study_run *run, const void *cell) {
  const contest_starts *const start = own_start(run);
  int status = start ? 0 : -1;
  for (int i = 0; !status && i < POINTS_OF_ORDER; i++)
    status = measure_point(run, start, *(const size_t *)cell, pow(10.0, (double)-i / PER_DECADE));
  return status;
}

/* ---- what they say --------------------------------------------------------------------------- */

static int add_crossings(study_run *run) {
  const model *const m = case_model(run, NULL);
  double x0[MODEL_DIMENSION_MAX], times[AFFINE3_GUARDS];
  size_t guards[AFFINE3_GUARDS], count;
  if (!m) return -1;
  m->type->initial_state(m, x0);
  int status = affine3_crossings(x0, model_get(m, "duration"), times, guards, &count, run->message);
  for (size_t i = 0; !status && i < count; i++) study_add(run, CROSSINGS, &(crossing){times[i]});
  return status;
}

static int add_flat(study_run *run) {
  const contest_starts *const start = own_start(run);
  int status = start ? 0 : -1;
  outcome out = {0};
  for (int i = 0; !status && i <= PER_DECADE; i++) {
    flat f = {.epsilon = flat_max * pow(10.0, -(double)i / PER_DECADE), .rtol = usual_rtol};
    solver_settings with = solver_settings_default();
    with.epsilon = f.epsilon;
    with.order = 1;
    with.rtol = usual_rtol;
    with.atol = usual_atol;
    status = run_once(run, start, with, &out);
    f.rms_error = out.rms_error;
    study_add(run, FLAT, &f);
  }
  return status;
}

static int derive(study_run *run) {
  return add_crossings(run) || add_flat(run) ? -1 : order_add_paths(run, PATH, EXACT, GUARDS);
}

static void show(const study_run *run) {
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

const study order_study = {
    .name = "order",
    .summary = "error over epsilon for both orders of the projection (Figs. 3.1 and 4.1)",
    .file = "order",
    .group = STUDY_VALIDATES,
    .figures = {STUDY_FIGURE("fig3_1_projection", "projection_path.csv"),
                STUDY_FIGURE("fig4_1_order", "order.csv")},
    .make = "order",
    .small = "",
    .model = "affine3",
    STUDY_BRIEF,
    .parameters = "model",
    .cells = "orders",
    .cell_size = sizeof(size_t),
    .tables = {[POINTS] =
                   STUDY_ROWS(point, .csv = "order.csv", .meaning = "one epsilon with one order"),
               [CROSSINGS] =
                   STUDY_ROWS(crossing, .json = "crossing_times", .meaning = "one crossing"),
               [FITS] = STUDY_DERIVED(
                   fit_columns, fits_sql, .json = "fits", .csv = "order_fit.csv",
                   .meaning = "log RMS error against log epsilon of one projection order"),
               [PATH] = STUDY_ROWS(order_step, .csv = "projection_path.csv",
                                   .meaning = "one step of Fig. 3.1"),
               [EXACT] = STUDY_ROWS(order_step, .csv = "projection_exact.csv",
                                    .meaning = "one step without neighbourhoods"),
               [GUARDS] = STUDY_ROWS(order_end, .csv = "projection_guards.csv",
                                     .meaning = "one end of a guard or a border"),
               [FLAT] = STUDY_ROWS(flat, .csv = "order_flat.csv",
                                   .meaning = "one small epsilon of order 1, with the tolerance "
                                              "that SciPy's dopri5 has by default")},
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
};
