/*
 * essbench rigid-soft: mechanisms with rigid contacts against the same on springs and dampers as
 * these grow stiff: a block that rocks, and a body that lands on two limbs. What stiffness buys
 * what agreement, at what cost, by libess at one tolerance.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "rigid_soft.h"
#include "studies.h"

/* of pseudo-impulses in the rigid block that has a threshold, s */
static const double pseudo_time = 0.03;

enum { SAMPLES = STUDY_SAMPLES, PATHS, ROWS };

/* ---- what is asked for ----------------------------------------------------------------------- */

static const study_option options[] = {
    {"stiffnesses", "X,Y", "of contact springs, N/m, the largest first", OPTION_NUMBERS,
     OPTION_AT(rigid_soft_settings, stiffnesses), .initial = "1e9,1e8,1e7,1e6,1e5,1e4", .min = 1e2,
     .max = 1e11},
    {"ratios", "X,Y", "their damping ratios, c/(2 sqrt(k m)), the largest first", OPTION_NUMBERS,
     OPTION_AT(rigid_soft_settings, ratios), .initial = "10,2,0.2", .min = 0.01, .max = 100},
    {"tolerance", "X", "rtol = atol of libess", OPTION_NUMBER,
     OPTION_AT(rigid_soft_settings, tolerance), .initial = "1e-9", .min = 1e-13, .max = 1e-3,
     .accepts = "a number from 1e-13 to 0.001", .result = "tolerance"},
    {"block-tilt", "X", "angle of the block at the start, rad", OPTION_NUMBER,
     OPTION_AT(rigid_soft_settings, block_tilt), .initial = "0.2", .min = 0.05, .max = 0.4,
     .accepts = "a number from 0.05 to 0.4", .result = "block_tilt"},
    {"trot-tilt", "X", "rotation of the landing body at the start, rad", OPTION_NUMBER,
     OPTION_AT(rigid_soft_settings, trot_tilt), .initial = "0.02", .min = 1e-4, .max = 0.05,
     .accepts = "a number from 0.0001 to 0.05", .result = "trot_tilt"},
    {0},
};

/* ---- rows ------------------------------------------------------------------------------------ */

#define RUN(X, row)                                                                                \
  X(row, system, TEXT, "", "block or trot", SHOWN("system", "%-6s"))                               \
  X(row, contacts, TEXT, "", "rigid or springs", SHOWN("contacts", "%-8s"))                        \
  X(row, delta_t, AMOUNT, "s", "of pseudo-impulses, of rigid contacts", SHOWN("dt", "%5g"))        \
  X(row, damping_ratio, AMOUNT, "", "c/(2 sqrt(k m)), of springs", SHOWN("ratio", "%5g"))          \
  X(row, stiffness, AMOUNT, "N/m", "of springs", SHOWN("k", "%6.0e"))

/* one time of one run */
#define POINT(X, row)                                                                              \
  RUN(X, row)                                                                                      \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, height, NUMBER, "m", "of the body's centre")                                              \
  X(row, angle, NUMBER, "rad", "of the body")                                                      \
  X(row, rate, NUMBER, "rad/s", "its rate")
COLUMN_ROW(point, POINT);
static const column point_columns[] = {POINT(COLUMN_LINE, point){0}};

/* one run, held against the rigid one without pseudo-impulses */
#define CONTACT(X, row)                                                                            \
  RUN(X, row)                                                                                      \
  X(row, landing, AMOUNT, "s",                                                                     \
    "when the other corner, or the other foot, lands: the block's first impact, the body's "       \
    "second",                                                                                      \
    SHOWN("lands", "%9.6f"))                                                                       \
  X(row, landing_off, NUMBER, "s", "later than on rigid contacts", SHOWN("off", "%9.1e"))          \
  X(row, height_rms, AMOUNT, "m", "root mean square of the height's distance, over the run",       \
    SHOWN("height", "%8.1e"))                                                                      \
  X(row, angle_rms, AMOUNT, "rad", "of the angle's", SHOWN("angle", "%8.1e"))                      \
  X(row, rate_rms, AMOUNT, "rad/s", "of its rate's", SHOWN("rate", "%8.1e"))                       \
  X(row, spin_ratio, AMOUNT, "",                                                                   \
    "of the block: root of the energy of the first swing over that of the start, by their tops; "  \
    "on rigid contacts the rate behind an impact over that before it",                             \
    SHOWN("spin", "%7.4f"))                                                                        \
  X(row, end_rate, NUMBER, "rad/s", "of the landing body at the end", SHOWN("end", "%8.5f"))       \
  X(row, stop_speed, AMOUNT, "m/s",                                                                \
    "of the block's centre downward at the first impact, below which the corner it rested on "     \
    "stays; 0: there is none above 0.1 mm/s; not known where it stays from 0.4 rad",               \
    SHOWN("stop", "%8.5f"))                                                                        \
  X(row, stop_delta_t, AMOUNT, "s", "of pseudo-impulses that would stop it there",                 \
    SHOWN("as dt", "%8.5f"))                                                                       \
  X(row, field_evaluations, COUNT, "", "of the run", SHOWN("fields", "%8.0f"))                     \
  X(row, guard_evaluations, COUNT, "", "of all event functions at once", SHOWN("guards", "%8.0f")) \
  X(row, steps, COUNT, "", "accepted")
COLUMN_ROW(contact, CONTACT);
static const column contact_columns[] = {CONTACT(COLUMN_LINE, contact){0}};

/* ---- cells: one run each --------------------------------------------------------------------- */

static int plan_one(study_run *run, rigid_soft_cell c) {
  return study_cell(run, &c, "trot=%d springs=%d delta_t=%.17g ratio=%.17g stiffness=%.17g", c.trot,
                    c.springs, c.delta_t, c.ratio, c.stiffness);
}

static int plan_system(study_run *run, bool trot) {
  const rigid_soft_settings *const s = run->settings;
  int status = plan_one(run, (rigid_soft_cell){trot, false, trot ? NAN : 0.0, NAN, NAN});
  if (!status && !trot)
    status = plan_one(run, (rigid_soft_cell){trot, false, pseudo_time, NAN, NAN});
  for (size_t i = 0; i < s->ratios.count; i++)
    for (size_t k = 0; !status && k < s->stiffnesses.count; k++)
      status = plan_one(
          run, (rigid_soft_cell){trot, true, NAN, s->ratios.value[i], s->stiffnesses.value[k]});
  return status;
}

static int plan(study_run *run, size_t stage) {
  if (stage) return 0;
  return plan_system(run, false) ? -1 : plan_system(run, true);
}

static int measure(study_run *run, const void *planned) {
  const rigid_soft_cell *const c = planned, rigid = {c->trot, false, c->trot ? NAN : 0.0, NAN, NAN};
  track t, of = {0};
  contact row = {.stop_speed = NAN};
  int status = rigid_soft_follow(run, c, &t);
  if (!status) status = rigid_soft_follow(run, &rigid, &of);
  if (!status && !c->trot) status = rigid_soft_stop(run, c, &row.stop_speed);
  if (!status) {
    row = (contact){.system = c->trot ? "trot" : "block",
                    .contacts = c->springs ? "springs" : "rigid",
                    .delta_t = c->delta_t,
                    .damping_ratio = c->ratio,
                    .stiffness = c->stiffness,
                    .landing = t.first,
                    .landing_off = t.first - of.first,
                    .height_rms = track_distance(&t, &of, "height"),
                    .angle_rms = track_distance(&t, &of, "angle"),
                    .rate_rms = track_distance(&t, &of, "rate"),
                    .spin_ratio = c->trot ? NAN : track_spin_ratio(&t),
                    .end_rate = c->trot ? track_value(&t, "rate", t.path.count - 1) : NAN,
                    .stop_speed = row.stop_speed,
                    .field_evaluations = t.report.field_evaluations,
                    .guard_evaluations = t.report.guard_evaluations,
                    .steps = t.report.steps};
    status = study_add(run, SAMPLES, &row);
  }
  trajectory_free(&t.path);
  trajectory_free(&of.path);
  return status;
}

/* ---- all runs -------------------------------------------------------------------------------- */

/* a threshold grows with the time that pseudo-impulses act for */
static int add_rows(study_run *run) {
  size_t count;
  const contact *const all = study_rows(run, SAMPLES, &count);
  double by_time = NAN;
  int status = 0;
  for (size_t i = 0; i < count; i++)
    if (all[i].delta_t > 0.0) by_time = all[i].stop_speed / all[i].delta_t;
  for (size_t i = 0; !status && i < count; i++) {
    contact row = all[i];
    row.stop_delta_t = row.stop_speed / by_time;
    status = study_add(run, ROWS, &row);
  }
  return status;
}

static int add_path(study_run *run, const rigid_soft_cell *c) {
  track t;
  int status = rigid_soft_follow(run, c, &t);
  for (size_t i = 0; !status && i < t.path.count; i++) {
    const point row = {.system = c->trot ? "trot" : "block",
                       .contacts = c->springs ? "springs" : "rigid",
                       .delta_t = c->delta_t,
                       .damping_ratio = c->ratio,
                       .stiffness = c->stiffness,
                       .t = t.path.times[i],
                       .height = track_value(&t, "height", i),
                       .angle = track_value(&t, "angle", i),
                       .rate = track_value(&t, "rate", i)};
    status = study_add(run, PATHS, &row);
  }
  trajectory_free(&t.path);
  return status;
}

static int derive(study_run *run) {
  int status = add_rows(run);
  for (size_t i = 0; !status && i < study_cells(run); i++)
    status = add_path(run, study_cell_at(run, i));
  return status;
}

static void show(const study_run *run) {
  size_t count;
  study_rows(run, ROWS, &count);
  study_print(run, ROWS, 0, count);
}

const study rigid_soft_study = {
    .name = "rigid-soft",
    .summary = "rigid contacts against contact springs as these grow stiff: a block and a landing",
    .file = "rigid_soft",
    .schema = "essbench-rigid-soft-1",
    .own_models = true,
    .unseeded = true,
    .untimed = true,
    .brief = true,
    .cells = "runs",
    .options = options,
    .settings_size = sizeof(rigid_soft_settings),
    .cell_size = sizeof(rigid_soft_cell),
    .tables = {[SAMPLES] = STUDY_TABLE(contact_columns, contact, .meaning = "one run"),
               [PATHS] = STUDY_TABLE(point_columns, point, .csv = "rigid_soft_paths.csv",
                                     .meaning = "one time of one run"),
               [ROWS] = STUDY_TABLE(contact_columns, contact, .json = "rows",
                                    .csv = "rigid_soft.csv", .meaning = "one run")},
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
};
