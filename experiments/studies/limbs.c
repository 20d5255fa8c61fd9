/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench limbs: a body that lands on two feet, whose outcome jumps with the initial rotation on
 * rigid limbs, is differentiable on soft ones that are decoupled, and has a kink where they are
 * coupled: Fig. 1 of Pace & Burden (2017), with what decides it at touch-down. */
#include <math.h>
#include <string.h>

#include "flow.h"
#include "race.h"
#include "studies.h"
#include "trot.h"

/* of the two touch-downs behind a rotation that goes to nothing, rad, and the time until both have
 * been, s */
static const double nearly_level = 1e-8, until_both = 1e-7;

/* tight enough not to be seen */
static const double tolerance = 1e-11;

enum { ROTATIONS = STUDY_SAMPLES, CASES };

/* ---- what is asked for ----------------------------------------------------------------------- */

#define OPTIONS(X, row)                                                                            \
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
OPTION_ROW(settings, OPTIONS);

/* ---- rows ------------------------------------------------------------------------------------ */

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

/* ---- cells: one body each -------------------------------------------------------------------- */

typedef struct cell {
  bool soft;
  double inertia, coupling;
} cell;

static int plan_one(study_run *run, cell c) {
  return study_cell(run, &c, "soft=%d inertia=%.17g coupling=%.17g", c.soft, c.inertia, c.coupling);
}

/* soft limbs have the model's own inertia */
static int plan(study_run *run, size_t stage) {
  const settings *const s = run->settings;
  if (stage) return 0;
  const double own = model_get(run->m, "inertia");
  for (size_t i = 0; i < s->inertias.count; i++)
    plan_one(run, (cell){false, s->inertias.value[i], 0.0});
  plan_one(run, (cell){true, own, 0.0});
  return plan_one(run, (cell){true, own, s->coupling});
}

static const model *model_of(study_run *run, const cell *c) {
  const case_change changes[] = {{"limbs", c->soft ? TROT_SOFT : TROT_RIGID},
                                 {"inertia", c->inertia},
                                 {"coupling", c->coupling},
                                 {0}};
  return case_model(run, changes);
}

/* the outcome at t from an initial rotation, and its derivative along a further one of `along` */
static int follow(study_run *run, const model *m, double tilt, double along, double t, flow *out) {
  double x0[MODEL_DIMENSION_MAX], direction[MODEL_DIMENSION_MAX] = {0.0};
  ess_options with = ess_options_default();
  with.rtol = with.atol = tolerance;
  m->type->initial_state(m, x0);
  x0[TROT_THETA] = tilt;
  direction[TROT_THETA] = along;
  const flow_request request = {.m = m,
                                .options = &with,
                                .x0 = x0,
                                .t1 = t,
                                .count = 1,
                                .directions = direction,
                                .piece = SIZE_MAX};
  return flow_follow(&request, out, run->message);
}

static int measure_start(study_run *run, const model *m, const cell *c, double tilt) {
  const settings *const s = run->settings;
  double x[MODEL_DIMENSION_MAX], d[MODEL_DIMENSION_MAX];
  flow out = {.state = x, .tangent = d};
  if (follow(run, m, tilt, 1.0, s->time, &out)) return -1;
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

static int measure(study_run *run, const void *planned) {
  const settings *const s = run->settings;
  const cell *const c = planned;
  const model *const m = model_of(run, c);
  int status = m ? 0 : -1;
  for (size_t i = 0; !status && i <= 2 * s->rotations; i++)
    status = measure_start(run, m, c,
                           s->tilt_max * ((double)i - (double)s->rotations) / (double)s->rotations);
  return status;
}

/* ---- what decides ---------------------------------------------------------------------------- */

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

static int add_body(study_run *run, const cell *c) {
  const settings *const s = run->settings;
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
  int status = follow(run, m, nearly_level, 1.0, landing + until_both, &out);
  b.turn_right = x[TROT_OMEGA];
  if (!status) status = follow(run, m, -nearly_level, 1.0, landing + until_both, &out);
  b.turn_left = x[TROT_OMEGA];
  if (!status) status = follow(run, m, 0.0, -1.0, s->time, &out);
  b.vz_left = -d[TROT_VZ];
  if (!status) status = follow(run, m, 0.0, 1.0, s->time, &out);
  b.vz_right = d[TROT_VZ];
  b.flow = flow_kind_name(out.kind);
  return status ? status : study_add(run, CASES, &b);
}

static int derive(study_run *run) {
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
    STUDY_OF(settings, cell),
    .tables = {[ROTATIONS] = STUDY_ROWS(start, .json = "starts", .csv = "limbs.csv",
                                        .meaning = "one initial condition of one body"),
               [CASES] = STUDY_ROWS(body, .json = "bodies", .csv = "limbs_bodies.csv",
                                    .meaning = "one body",
                                    .below = "(6) is Da_rear M^-1 Da_front' at the level "
                                             "touch-down, A3.1 whether limbs have states of\n"
                                             "their own, A3.2 how much a limb's force depends on "
                                             "the other limb, A3.3 how far the forces\n"
                                             "on the body are from a sum over limbs")},
    .plan = plan,
    .run = measure,
    .derive = derive,
};
