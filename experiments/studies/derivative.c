/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench derivative-error: how well the flow's derivative is known, on Table 4.1's system, where
 * its three guards are crossed one by one and where they meet at a corner. Tangents integrated
 * along stand beside differences of the method's own end state: does the projection, at a finite
 * epsilon, have the derivative? */
#include <math.h>
#include <string.h>

#include "affine3.h"
#include "flow.h"
#include "race.h"
#include "studies.h"

enum { N = AFFINE3_GUARDS, PER_DECADE = 4, DECADES = 4, TOLERANCES = 10 };
enum { KNOBS_MAX = PER_DECADE * DECADES + 1 };
enum { ERRORS = STUDY_SAMPLES, FITS };

/* epsilon goes down from here; the integration between guards is not to be seen */
static const double epsilon_max = 0.1, tight = 1e-13;

/* Differences: where the end state is smooth, of four points so far apart that neither curvature
 * nor rounding shows; to one side of a corner, from inside the neighbourhoods. */
static const double smooth_step = 3e-4, corner_step = 1e-3, share_of_epsilon = 0.01;

static const double duration = 0.5, corner_time = 0.3;

/* ---- rows ------------------------------------------------------------------------------------ */

#define ERROR(X, row)                                                                              \
  X(row, crossings, TEXT, "",                                                                      \
    "isolated; or at a corner, that of x first or of y first along the direction")                 \
  X(row, method, TEXT, "", "libess, by its tolerance; or projection, by epsilon")                  \
  X(row, order, COUNT, "", "of the projection; 0 of libess")                                       \
  X(row, knob, AMOUNT, "", "rtol = atol, or epsilon")                                              \
  X(row, tangent_error, AMOUNT, "",                                                                \
    "of the derivative integrated along, over the exact one's largest entry")                      \
  X(row, difference_error, AMOUNT, "", "of differences of the method's own end state")
COLUMN_ROW(error, ERROR);

static const column fit_columns[] = {
    TAKEN("crossings", TEXT, "", "as above", SHOWN("crossings", "%-9s")),
    TAKEN("method", TEXT, "", "as above", SHOWN("method", "%-10s")),
    DERIVED("order", COUNT, "", "`order`", "as above", SHOWN("order", "%5.0f")),
    DERIVED("of", TEXT, "", "kind", "tangents or differences", SHOWN("derivative by", "%-13s")),
    DERIVED("slope", NUMBER, "", "power(knob, error) FILTER (WHERE fits)->>0",
            "of log error against log of the parameter", SHOWN("slope", "%7.3f")),
    DERIVED("interval", INTERVAL, "",
            "json_remove(power(knob, error) FILTER (WHERE fits), '$[3]', '$[0]')",
            "of the slope, 95 %"),
    DERIVED("from", AMOUNT, "", "coalesce(min(knob) FILTER (WHERE fits), 0.0)",
            "smallest parameter that it is fitted to", SHOWN("from", "%8.1e")),
    DERIVED("to", AMOUNT, "", "coalesce(max(knob) FILTER (WHERE fits), 0.0)", "largest",
            SHOWN("to", "%8.1e")),
    DERIVED("smallest", AMOUNT, "", "min(error)", "error over all knobs", SHOWN("least", "%9.2e")),
    DERIVED("largest", AMOUNT, "", "max(error)", "error over all knobs", SHOWN("most", "%9.2e")),
    {0},
};
/* slopes are fitted above rounding, and below where higher terms show */
static const char fits_sql[] =
    "(SELECT *, error > 0 AND iif(`order` = 0, knob BETWEEN 1e-11 AND 1e-3, "
    "iif(`order` = 1, knob BETWEEN 9e-5 AND 1.1e-2, knob BETWEEN 9e-4 AND 5e-2)) AS fits "
    "FROM (SELECT *, 'tangents' AS kind, tangent_error AS error FROM derivative_error "
    "UNION ALL SELECT *, 'differences', difference_error FROM derivative_error) "
    "WHERE run = ?1) GROUP BY within, kind ORDER BY within, kind DESC";

/* ---- cells: one method at one place ---------------------------------------------------------- */

enum { ISOLATED, X_FIRST, Y_FIRST, PLACES };
static const char *const place_names[PLACES] = {"isolated", "x first", "y first"};

typedef struct cell {
  int place;
  size_t order; /* of the projection; 0: libess by tolerance */
} cell;

static int plan(study_run *run, size_t stage) {
  for (int place = ISOLATED; !stage && place < PLACES; place++)
    for (size_t order = 0; order <= 2; order++)
      study_cell(run, &(cell){place, order}, "place=%d order=%zu", place, order);
  return 0;
}

static size_t knobs(size_t order, double knob[KNOBS_MAX]) {
  const size_t count = order ? KNOBS_MAX : TOLERANCES;
  for (size_t i = 0; i < count; i++)
    knob[i] =
        order ? epsilon_max * pow(10.0, -(double)i / PER_DECADE) : 1e-3 * pow(10.0, -(double)i);
  return count;
}

static ess_options options_of(size_t order, double knob) {
  ess_options with = order ? ess_options_paper() : ess_options_default();
  with.rtol = with.atol = order ? tight : knob;
  if (!order) return with;
  with.projection.epsilon = knob;
  with.projection.order = (int)order;
  return with;
}

/* what the derivative is taken of, along what, and what it is */
typedef struct problem {
  const model *m;
  double x0[N];
  size_t count; /* of directions */
  double directions[N * N], exact[N * N], scale;
} problem;

/* the model's own start; or the one from which all three guards are met at once, by the closed form
 * of the mode before: (x + 1, y - 1) turns by one radian a second, z + 1 decays */
static void place_start(int place, problem *p) {
  p->m->type->initial_state(p->m, p->x0);
  if (place == ISOLATED) return;
  p->x0[0] = cos(corner_time) - sin(corner_time) - 1.0;
  p->x0[1] = 1.0 - sin(corner_time) - cos(corner_time);
  p->x0[2] = exp(corner_time) - 1.0;
}

/* at the corner, ahead along x has it crossed first, and behind the other one */
static int pose(study_run *run, int place, problem *p) {
  static const size_t orders[PLACES][N] = {[X_FIRST] = {0, 1, 2}, [Y_FIRST] = {1, 0, 2}};
  double exact[N * N];
  *p = (problem){.m = case_model(run, NULL), .count = place == ISOLATED ? N : 1};
  if (!p->m) return -1;
  place_start(place, p);
  for (size_t j = 0; j < p->count; j++)
    p->directions[j * p->count + j] = place == Y_FIRST ? -1.0 : 1.0;
  if (affine3_derivative(p->x0, duration, place == ISOLATED ? NULL : orders[place], exact,
                         run->message))
    return -1;
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < p->count; j++) {
      const double sum = exact[i * N + j] * (place == Y_FIRST ? -1.0 : 1.0);
      p->exact[i * p->count + j] = sum;
      p->scale = fmax(p->scale, fabs(sum));
    }
  return 0;
}

static double error_of(const problem *p, const double found[]) {
  double worst = 0.0;
  for (size_t i = 0; i < N * p->count; i++) worst = fmax(worst, fabs(found[i] - p->exact[i]));
  return worst / p->scale;
}

/* sum of weighted end states from starts moved along state j, over the step */
static int difference(study_run *run, const problem *p, const ess_options *with, size_t j,
                      const double at[], const double weight[], size_t points, double step,
                      double found[]) {
  for (size_t i = 0; i < N; i++) found[i * p->count + j] = 0.0;
  for (size_t k = 0; k < points; k++) {
    double x0[N], x[N];
    memcpy(x0, p->x0, sizeof x0);
    x0[j] += at[k] * step * p->directions[j * p->count + j];
    if (flow_end(p->m, with, x0, duration, x, run->message)) return -1;
    for (size_t i = 0; i < N; i++) found[i * p->count + j] += weight[k] * x[i] / step;
  }
  return 0;
}

static int differences(study_run *run, const problem *p, const ess_options *with, double step,
                       double found[]) {
  static const double around[] = {-2, -1, 1, 2};
  static const double central[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  static const double ahead[] = {0, 0.5, 1}, forward[] = {-3, 4, -1};
  int status = 0;
  for (size_t j = 0; !status && j < p->count; j++)
    status = p->count == N ? difference(run, p, with, j, around, central, 4, step, found)
                           : difference(run, p, with, j, ahead, forward, 3, step, found);
  return status;
}

static int tangents(study_run *run, const problem *p, const ess_options *with, error *e) {
  double x[N], found[N * N] = {0.0};
  flow out = {.state = x, .tangent = found};
  const flow_request request = {.m = p->m,
                                .options = with,
                                .x0 = p->x0,
                                .t1 = duration,
                                .count = p->count,
                                .directions = p->directions,
                                .piece = SIZE_MAX};
  const int status = flow_follow(&request, &out, run->message);
  e->tangent_error = error_of(p, found);
  return status;
}

static int measure(study_run *run, const void *planned) {
  const cell *const c = planned;
  double knob[KNOBS_MAX], found[N * N];
  problem p;
  int status = pose(run, c->place, &p);
  const size_t count = knobs(c->order, knob);
  for (size_t i = 0; !status && i < count; i++) {
    const ess_options with = options_of(c->order, knob[i]);
    const double step = c->place == ISOLATED ? smooth_step
                        : c->order           ? share_of_epsilon * knob[i]
                                             : corner_step;
    error e = {.crossings = place_names[c->place],
               .method = c->order ? "projection" : "libess",
               .order = c->order,
               .knob = knob[i]};
    status = tangents(run, &p, &with, &e);
    if (!status) status = differences(run, &p, &with, step, found);
    e.difference_error = error_of(&p, found);
    if (!status) status = study_add(run, ERRORS, &e);
  }
  return status;
}

const study derivative_study = {
    .name = "derivative-error",
    .summary = "error of the flow's derivative over epsilon and tolerance, also at two events",
    .file = "derivative_error",
    .group = STUDY_VALIDATES,
    .figures = {STUDY_FIGURE("fig_derivative", "derivative_error.csv")},
    .make = "derivative",
    .small = "",
    .model = "affine3",
    STUDY_BRIEF,
    .parameters = "model",
    .cells = "methods",
    .cell_size = sizeof(cell),
    .tables = {[ERRORS] = STUDY_ROWS(error, .json = "errors", .csv = "derivative_error.csv",
                                     .meaning = "one parameter value of one method at one place"),
               [FITS] = STUDY_DERIVED(
                   fit_columns, fits_sql, .json = "fits", .csv = "derivative_error_fit.csv",
                   .meaning = "error over the parameter of one method at one place")},
    .plan = plan,
    .run = measure,
};
