/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derivatives of the flow, integrated along: essbench derivative-error, how well they are known on
 * Table 4.1's system, and essbench limbs, what they are where two feet land. */
#include <math.h>
#include <string.h>

#include "affine3.h"
#include "flow.h"
#include "race.h"
#include "studies.h"
#include "trot.h"

/* the end state at t, and its derivative along so many directions, whose rows have one for each */
static int follow(study_run *run, const model *m, const ess_options *with, const double x0[],
                  double t, size_t count, const double directions[], flow *out) {
  const flow_request request = {.m = m,
                                .options = with,
                                .x0 = x0,
                                .t1 = t,
                                .count = count,
                                .directions = directions,
                                .piece = SIZE_MAX};
  return flow_follow(&request, out, run->message);
}

/* ---- derivative-error ------------------------------------------------------------------------ */

/* Table 4.1's system, where its three guards are crossed one by one and where they meet at a
 * corner. Tangents integrated along stand beside differences of the method's own end state: does
 * the projection, at a finite epsilon, have the derivative? */

enum { N = AFFINE3_GUARDS, PER_DECADE = 4, DECADES = 4, TOLERANCES = 10 };
enum { KNOBS_MAX = PER_DECADE * DECADES + 1 };
enum { ERRORS = STUDY_SAMPLES, FITS };

/* epsilon goes down from here; the integration between guards is not to be seen */
static const double epsilon_max = 0.1, tight = 1e-13;

/* Differences: where the end state is smooth, of four points so far apart that neither curvature
 * nor rounding shows; to one side of a corner, from inside the neighbourhoods. */
static const double smooth_step = 3e-4, corner_step = 1e-3, share_of_epsilon = 0.01;

static const double duration = 0.5, corner_time = 0.3;

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

static const column error_fit_columns[] = {
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
static const char error_fits_sql[] =
    "(SELECT *, error > 0 AND iif(`order` = 0, knob BETWEEN 1e-11 AND 1e-3, "
    "iif(`order` = 1, knob BETWEEN 9e-5 AND 1.1e-2, knob BETWEEN 9e-4 AND 5e-2)) AS fits "
    "FROM (SELECT *, 'tangents' AS kind, tangent_error AS error FROM derivative_error "
    "UNION ALL SELECT *, 'differences', difference_error FROM derivative_error) "
    "WHERE run = ?1) GROUP BY within, kind ORDER BY within, kind DESC";

enum { ISOLATED, X_FIRST, Y_FIRST, PLACES };
static const char *const place_names[PLACES] = {"isolated", "x first", "y first"};

typedef struct error_cell {
  int place;
  size_t order; /* of the projection; 0: libess by tolerance */
} error_cell;

static int plan_errors(study_run *run, size_t stage) {
  for (int place = ISOLATED; !stage && place < PLACES; place++)
    for (size_t order = 0; order <= 2; order++)
      study_cell(run, &(error_cell){place, order}, "place=%d order=%zu", place, order);
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
  const int status = follow(run, p->m, with, p->x0, duration, p->count, p->directions, &out);
  e->tangent_error = error_of(p, found);
  return status;
}

static int measure_errors(study_run *run, const void *planned) {
  const error_cell *const c = planned;
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
    .cell_size = sizeof(error_cell),
    .tables = {[ERRORS] = STUDY_ROWS(error, .json = "errors", .csv = "derivative_error.csv",
                                     .meaning = "one parameter value of one method at one place"),
               [FITS] =
                   STUDY_DERIVED(error_fit_columns, error_fits_sql, .json = "fits",
                                 .csv = "derivative_error_fit.csv",
                                 .meaning = "error over the parameter of one method at one place")},
    .plan = plan_errors,
    .run = measure_errors,
};

/* ---- limbs ----------------------------------------------------------------------------------- */

/* A body that lands on two feet, whose outcome jumps with the initial rotation on rigid limbs, is
 * differentiable on soft ones that are decoupled, and has a kink where they are coupled: Fig. 1 of
 * Pace & Burden (2017), with what decides it at touch-down. */

/* of the two touch-downs behind a rotation that goes to nothing, rad, and the time until both have
 * been, s */
static const double nearly_level = 1e-8, until_both = 1e-7;

/* tight enough not to be seen */
static const double tolerance = 1e-11;

enum { ROTATIONS = STUDY_SAMPLES, CASES };

#define LIMB_OPTIONS(X, row)                                                                       \
  X(row, inertias, NUMBERS, "inertias", "X,Y",                                                     \
    "moments of inertia of the body on rigid limbs, kg m^2, the largest first",                    \
    .initial = "4,2,1,0.5", .min = 1e-3, .max = 1e6)                                               \
  X(row, coupling, NUMBER, "coupling", "X", "coupling of the coupled soft limbs, N s^2/m^2",       \
    .initial = "1", .min = 1e-6, .max = 1e3, .result = "coupling")                                 \
  X(row, tilt_max, NUMBER, "tilt-max", "X", "largest initial rotation in each direction, rad",     \
    .initial = "0.05", .min = 1e-6, .max = 0.5, .result = "tilt_max")                              \
  X(row, rotations, WHOLE, "rotations", "COUNT", "number of initial rotations in each direction",  \
    .initial = "40", .min = 1, .max = 1e5, .result = "rotations")                                  \
  X(row, time, NUMBER, "time", "S", "time of the outcome, s", .initial = "0.3", .min = 0.25,       \
    .max = 10, .result = "time")
OPTION_ROW(limb_settings, LIMB_OPTIONS);

/* one start: its outcome, and the derivative of that by the initial rotation */
#define START(X, row)                                                                              \
  X(row, limbs, TEXT, "", "rigid or soft")                                                         \
  X(row, inertia, AMOUNT, "kg m^2", "of the body")                                                 \
  X(row, coupling, AMOUNT, "N s^2/m^2", "of both legs")                                            \
  X(row, tilt, NUMBER, "rad", "initial rotation")                                                  \
  X(row, flow, TEXT, "", "C1, piecewise or discontinuous there")                                   \
  X(row, z, NUMBER, "m", "height of the body when the outcome is taken")                           \
  X(row, theta, NUMBER, "rad", "its rotation")                                                     \
  X(row, vz, NUMBER, "m/s", "its speed upward")                                                    \
  X(row, omega, NUMBER, "rad/s", "its rate of rotation")                                           \
  X(row, d_z, NUMBER, "m/rad",                                                                     \
    "derivative of z by tilt, integrated along; where there is more than one, that to the right")  \
  X(row, d_theta, NUMBER, "", "of theta")                                                          \
  X(row, d_vz, NUMBER, "m/s/rad", "of vz")                                                         \
  X(row, d_omega, NUMBER, "1/s", "of omega")
COLUMN_ROW(start, START);

/* one body: what decides, and what follows */
#define BODY(X, row)                                                                               \
  X(row, limbs, TEXT, "", "rigid or soft", SHOWN("limbs", "%-6s"))                                 \
  X(row, inertia, AMOUNT, "kg m^2", "of the body", SHOWN("inertia", "%7g"))                        \
  X(row, coupling, AMOUNT, "N s^2/m^2", "of both legs", SHOWN("coupling", "%8g"))                  \
  X(row, orthogonality, NUMBER, "",                                                                \
    "Da_i M^-1 Da_j' at touch-down over the lengths of both: 0 makes outcomes continuous, "        \
    "condition (6)",                                                                               \
    SHOWN("(6)", "%8.4f"))                                                                         \
  X(row, block_diagonal, FLAG, "",                                                                 \
    "whether limbs have coordinates and masses of their own: Assumption 3, 1",                     \
    SHOWN("A3.1", "%4.0f"))                                                                        \
  X(row, foreign, AMOUNT, "",                                                                      \
    "largest change of a limb's force with the state of the other one, over that with its own: "   \
    "0 by Assumption 3, 2; not known where limbs have no states",                                  \
    SHOWN("A3.2", "%8.1e"))                                                                        \
  X(row, additivity, AMOUNT, "",                                                                   \
    "mixed second difference of the forces on the body between two limbs, over the first "         \
    "difference: 0 by Assumption 3, 3; not known where limbs have no states",                      \
    SHOWN("A3.3", "%8.1e"))                                                                        \
  X(row, flow, TEXT, "", "what the flow is from no rotation", SHOWN("flow", "%-13s"))              \
  X(row, turn_right, NUMBER, "rad/s",                                                              \
    "rate of rotation right after both touch-downs, as the initial one goes to 0 from above",      \
    SHOWN("turn 0+", "%10.6f"))                                                                    \
  X(row, turn_left, NUMBER, "rad/s", "from below", SHOWN("turn 0-", "%10.6f"))                     \
  X(row, vz_right, NUMBER, "m/s/rad",                                                              \
    "derivative of vz by an initial rotation above 0, when the outcome is taken",                  \
    SHOWN("dvz 0+", "%10.4f"))                                                                     \
  X(row, vz_left, NUMBER, "m/s/rad", "below 0", SHOWN("dvz 0-", "%10.4f"))
COLUMN_ROW(body, BODY);

typedef struct limb_cell {
  bool soft;
  double inertia, coupling;
} limb_cell;

static int plan_one(study_run *run, limb_cell c) {
  return study_cell(run, &c, "soft=%d inertia=%.17g coupling=%.17g", c.soft, c.inertia, c.coupling);
}

/* soft limbs have the model's own inertia */
static int plan_limbs(study_run *run, size_t stage) {
  const limb_settings *const s = run->settings;
  if (stage) return 0;
  const double own = model_get(run->m, "inertia");
  for (size_t i = 0; i < s->inertias.count; i++)
    plan_one(run, (limb_cell){false, s->inertias.value[i], 0.0});
  plan_one(run, (limb_cell){true, own, 0.0});
  return plan_one(run, (limb_cell){true, own, s->coupling});
}

static const model *model_of(study_run *run, const limb_cell *c) {
  const case_change changes[] = {{"limbs", c->soft ? TROT_SOFT : TROT_RIGID},
                                 {"inertia", c->inertia},
                                 {"coupling", c->coupling},
                                 {0}};
  return case_model(run, changes);
}

/* the outcome at t from an initial rotation, and its derivative along a further one of `along` */
static int follow_tilt(study_run *run, const model *m, double tilt, double along, double t,
                       flow *out) {
  double x0[MODEL_DIMENSION_MAX], direction[MODEL_DIMENSION_MAX] = {0.0};
  ess_options with = ess_options_default();
  with.rtol = with.atol = tolerance;
  m->type->initial_state(m, x0);
  x0[TROT_THETA] = tilt;
  direction[TROT_THETA] = along;
  return follow(run, m, &with, x0, t, 1, direction, out);
}

static int measure_start(study_run *run, const model *m, const limb_cell *c, double tilt) {
  const limb_settings *const s = run->settings;
  double x[MODEL_DIMENSION_MAX], d[MODEL_DIMENSION_MAX];
  flow out = {.state = x, .tangent = d};
  if (follow_tilt(run, m, tilt, 1.0, s->time, &out)) return -1;
  const bool has = out.kind != FLOW_DISCONTINUOUS;
  const start row = {.limbs = c->soft ? "soft" : "rigid",
                     .flow = flow_kind_name(out.kind),
                     .inertia = c->inertia,
                     .coupling = c->coupling,
                     .tilt = tilt,
                     .z = has ? x[TROT_Z] : NAN,
                     .theta = has ? x[TROT_THETA] : NAN,
                     .vz = has ? x[TROT_VZ] : NAN,
                     .omega = has ? x[TROT_OMEGA] : NAN,
                     .d_z = d[TROT_Z],
                     .d_theta = d[TROT_THETA],
                     .d_vz = d[TROT_VZ],
                     .d_omega = d[TROT_OMEGA]};
  return study_add(run, ROTATIONS, &row);
}

static int measure_limbs(study_run *run, const void *planned) {
  const limb_settings *const s = run->settings;
  const limb_cell *const c = planned;
  const model *const m = model_of(run, c);
  int status = m ? 0 : -1;
  for (size_t i = 0; !status && i <= 2 * s->rotations; i++)
    status = measure_start(run, m, c,
                           s->tilt_max * ((double)i - (double)s->rotations) / (double)s->rotations);
  return status;
}

/* the body at the level touch-down of both feet */
static double touch_down(const model *m, double x[]) {
  const double g = model_get(m, "gravity"), speed = model_get(m, "speed");
  const double drop = model_get(m, "height") - model_get(m, "free-length");
  const double landing = sqrt(speed * speed + 2.0 * g * drop);
  m->type->initial_state(m, x);
  x[TROT_Z] -= drop;
  x[TROT_VZ] = -landing;
  for (size_t i = TROT_REAR; i < m->system.dimension; i++) x[i] = i > TROT_FRONT ? -landing : 0.0;
  return (landing - speed) / g;
}

static int add_body(study_run *run, const limb_cell *c) {
  const limb_settings *const s = run->settings;
  const model *const m = model_of(run, c);
  double x[MODEL_DIMENSION_MAX], d[MODEL_DIMENSION_MAX];
  flow out = {.state = x, .tangent = d};
  if (!m) return -1;
  const double landing = touch_down(m, x);
  const trot_decoupling at = trot_decoupling_at(m, x);
  body b = {.limbs = c->soft ? "soft" : "rigid",
            .inertia = c->inertia,
            .coupling = c->coupling,
            .orthogonality = at.orthogonality,
            .block_diagonal = at.block_diagonal,
            .foreign = at.foreign,
            .additivity = at.additivity};
  int status = follow_tilt(run, m, nearly_level, 1.0, landing + until_both, &out);
  b.turn_right = x[TROT_OMEGA];
  if (!status) status = follow_tilt(run, m, -nearly_level, 1.0, landing + until_both, &out);
  b.turn_left = x[TROT_OMEGA];
  if (!status) status = follow_tilt(run, m, 0.0, -1.0, s->time, &out);
  b.vz_left = -d[TROT_VZ];
  if (!status) status = follow_tilt(run, m, 0.0, 1.0, s->time, &out);
  b.vz_right = d[TROT_VZ];
  b.flow = flow_kind_name(out.kind);
  return status ? status : study_add(run, CASES, &b);
}

static int derive_limbs(study_run *run) {
  int status = 0;
  for (size_t i = 0; !status && i < study_cells(run); i++)
    status = add_body(run, study_cell_at(run, i));
  return status;
}

const study limbs_study = {
    .name = "limbs",
    .summary = "a landing on rigid or soft feet: outcome and derivative over the initial rotation",
    .file = "limbs",
    .group = STUDY_MECHANISMS,
    .figures = {STUDY_FIGURE("fig_limbs", "limbs.csv")},
    .make = "limbs",
    .small = "--rotations 3",
    .model = "trot",
    STUDY_BRIEF,
    .cells = "bodies",
    STUDY_OF(limb_settings, limb_cell),
    .tables = {[ROTATIONS] = STUDY_ROWS(start, .json = "starts", .csv = "limbs.csv",
                                        .meaning = "one initial condition of one body"),
               [CASES] = STUDY_ROWS(body, .json = "bodies", .csv = "limbs_bodies.csv",
                                    .meaning = "one body",
                                    .below = "(6) is Da_rear M^-1 Da_front' at the level "
                                             "touch-down, A3.1 whether limbs have states of\n"
                                             "their own, A3.2 how much a limb's force depends on "
                                             "the other limb, A3.3 how far the forces\n"
                                             "on the body are from a sum over limbs")},
    .plan = plan_limbs,
    .run = measure_limbs,
    .derive = derive_limbs,
};
