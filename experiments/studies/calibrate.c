/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench calibrate: the epsilon at which the projection is as accurate as MuJoCo (Table 5.1 and
 * Fig. 5.1 of the paper), and epsilon over k/m. */
#include <math.h>
#include <stdio.h>

#include "calibration.h"
#include "race.h"
#include "solvers.h"
#include "statistics.h"
#include "studies.h"

/* k/m of the table; the main row is the hopper's default */
static const double ratios[] = {20, 50, 100, 200, 300, 500, 1000, 2000, 5000};

/* Table 5.1 of the paper */
typedef struct paper_values {
  double epsilon, runtime_mujoco_s, runtime_projection_s;
} paper_values;
static const paper_values paper = {0.13, 0.002436, 0.010251};

enum { TRIALS_MAX = 1000 };

#define OPTIONS(X, row)                                                                            \
  X(row, trials, WHOLE, "trials", "COUNT", "timed runs of each engine", .initial = "31", .min = 1, \
    .max = TRIALS_MAX)
OPTION_ROW(settings, OPTIONS);

/* ---- rows ------------------------------------------------------------------------------------ */

enum { ROWS = STUDY_SAMPLES, TOP, PAPER, TABLE, TRAJECTORY };

/* the engines that are timed */
enum { MUJOCO, OURS, ENGINES };
static const solver_type *const engines[ENGINES] = {&bridge_solver, &projection_solver};

typedef struct row {
  calibration of;
  bool main;
  double ratio, runtime[ENGINES];
  const char *status;
} row;

/* of the calibration itself, and of the times */
#define OF(name, member, ...)   COLUMN_AS(name, row, of.member, __VA_ARGS__)
#define TIME(name, member, ...) COLUMN_AS(name, row, member, AMOUNT, "s", __VA_ARGS__)

static const column row_columns[] = {
    OF("stiffness_over_mass", stiffness_over_mass, AMOUNT, "1/s^2", "k/m of the hopper",
       SHOWN("k/m", "%8g")),
    COLUMN(row, main, FLAG, "", "whether it is the hopper's own", .place = COLUMN_CSV_ONLY),
    OF("epsilon", epsilon, AMOUNT, "m",
       "at which both engines have the same error; not known: none", SHOWN("epsilon'", "%11.6f")),
    OF("rms_error_mujoco", rms_mujoco, AMOUNT, "", "of MuJoCo", SHOWN("RMS MuJoCo", "%12.6g")),
    OF("rms_error_projection", rms_projection, AMOUNT, "", "of libess",
       SHOWN("RMS ours", "%12.6g")),
    COLUMN(row, ratio, AMOUNT, "", "our error over MuJoCo's", SHOWN("ratio", "%9.5f")),
    TIME("runtime_mujoco_s", runtime[MUJOCO], "median", SHOWN_TIMES("MuJoCo (ms)", "%11.4f", 1e3)),
    TIME("runtime_projection_s", runtime[OURS], "median", SHOWN_TIMES("ours (ms)", "%11.4f", 1e3)),
    OF("penetration", penetration, AMOUNT, "m", "deepest compression"),
    OF("field_gap", gap, GAP, "", "of the two engines, relative"),
    OF("scaling_s", gap.scaling, AMOUNT, "", "divides the mass MuJoCo's contacts add"),
    COLUMN(row, status, TEXT, "", "ok, or why there is no epsilon"),
    {0},
};

static const column paper_columns[] = {
    COLUMN_AS("paper.epsilon", paper_values, epsilon, AMOUNT, "m", "Table 5.1 of the paper"),
    COLUMN_AS("paper.runtime_mujoco_s", paper_values, runtime_mujoco_s, AMOUNT, "s", "there"),
    COLUMN_AS("paper.runtime_projection_s", paper_values, runtime_projection_s, AMOUNT, "s",
              "there"),
    {0},
};

/* height and its rate: exact, of MuJoCo, and of libess */
typedef struct instant {
  double t, exact[2], mujoco[2], projection[2];
} instant;

static const column instant_columns[] = {
    COLUMN(instant, t, AMOUNT, "s", "time"),
    COLUMN_AS("z_exact", instant, exact[0], NUMBER, "m", "height of the exact solution"),
    COLUMN_AS("v_exact", instant, exact[1], NUMBER, "m/s", "its rate"),
    COLUMN_AS("z_mujoco", instant, mujoco[0], NUMBER, "m", "of MuJoCo"),
    COLUMN_AS("v_mujoco", instant, mujoco[1], NUMBER, "m/s", "of MuJoCo"),
    COLUMN_AS("z_projection", instant, projection[0], NUMBER, "m", "of libess at that epsilon"),
    COLUMN_AS("v_projection", instant, projection[1], NUMBER, "m/s", "of libess"),
    {0},
};

/* ---- cells: one k/m each, and the hopper's own first ------------------------------------------
 */

static int plan(study_run *run, size_t stage) {
  const double own = NAN;
  int status = stage ? 0 : study_cell(run, &own, "hopper");
  for (size_t i = 0; !status && !stage && i < sizeof ratios / sizeof *ratios; i++)
    status = study_cell(run, &ratios[i], "stiffness/mass=%g", ratios[i]);
  return status;
}

/* the hopper with that k/m, or its own where that is not a number */
static const model *hopper_of(study_run *run, double ratio) {
  const double stiffness = ratio * model_get(run->m, "mass");
  const case_change changes[] = {{isnan(ratio) ? NULL : "stiffness", stiffness}, {0}};
  return case_model(run, changes);
}

typedef struct timed {
  study_run *run;
  double seconds[ENGINES][TRIALS_MAX];
} timed;

static int tell(void *context, const race_lap *lap) {
  timed *const t = context;
  t->seconds[lap->entry][lap->trial] = lap->of.time_s;
  return *lap->message ? measure_fail(t->run->message, "%s", lap->message) : 0;
}

/* both engines at the epsilon found, a run lasting 5 ms on the average */
static int time_engines(study_run *run, const model *m, row *r) {
  const settings *const given = run->settings;
  solver_settings with = calibration_settings(m);
  contest_starts starts;
  timed t = {.run = run};
  with.epsilon = r->of.epsilon;
  race_entry entry[ENGINES];
  for (size_t i = 0; i < ENGINES; i++)
    entry[i] = (race_entry){.solver = engines[i], .settings = with};
  if (contest_starts_alloc(&starts, m, given->trials, false, run->seed, run->message)) return -1;
  const race_plan plan = {.starts = &starts,
                          .trials = given->trials,
                          .processes = 1,
                          .seed = run->seed,
                          .min_time = 5e-3};
  const int status = race_run(run, &plan, entry, ENGINES, tell, &t);
  for (size_t i = 0; !status && i < ENGINES; i++)
    if (measure_median(t.seconds[i], given->trials, &r->runtime[i])) r->runtime[i] = NAN;
  contest_starts_free(&starts);
  return status;
}

static int measure(study_run *run, const void *cell) {
  const double ratio = *(const double *)cell;
  const model *const m = hopper_of(run, ratio);
  row r;
  column_clear(row_columns, &r);
  if (!m || calibrate_hopper(m, run->seed, &r.of, run->message)) return -1;
  r.main = isnan(ratio);
  r.ratio = r.of.rms_projection / r.of.rms_mujoco;
  r.status = r.of.status;
  if (!isnan(r.of.epsilon) && time_engines(run, m, &r)) return -1;
  return study_add(run, ROWS, &r);
}

/* ---- what they say --------------------------------------------------------------------------- */

/* the path of one solver from the hopper's own start */
static int follow(study_run *run, const contest_starts *start, const solver_type *solver,
                  const solver_settings *with, contestant *c) {
  double seconds;
  if (contestant_prepare(c, solver, with, start, run->message)) return -1;
  return contestant_sample(c, 0, &seconds) ? measure_fail(run->message, "%s", c->report.message)
                                           : 0;
}

/* Fig. 5.1: all three once more, with the epsilon that was found */
static int add_figure(study_run *run, double epsilon) {
  const contest_starts *const start =
      case_known(run, case_own_start_of(run, run->m->type, NULL), 1);
  contestant path[ENGINES] = {{0}};
  if (!start) return -1;
  solver_settings with = calibration_settings(start->m);
  with.epsilon = epsilon;
  const trajectory *const exact = &start->references[0];
  int status = 0;
  for (size_t i = 0; !status && i < ENGINES; i++)
    status = follow(run, start, engines[i], &with, &path[i]);
  for (size_t i = 0; !status && i < exact->count; i++) {
    const double *const e = exact->states + 2 * i, *const a = path[MUJOCO].samples.states + 2 * i,
                        *const b = path[OURS].samples.states + 2 * i;
    study_add(run, TRAJECTORY,
              &(instant){exact->times[i], {e[0], e[1]}, {a[0], a[1]}, {b[0], b[1]}});
  }
  for (size_t i = 0; i < ENGINES; i++) contestant_release(&path[i]);
  return status;
}

static int derive(study_run *run) {
  size_t count;
  const row *const rows = study_rows(run, ROWS, &count);
  if (isnan(rows->of.epsilon))
    return measure_fail(run->message, "no epsilon for the hopper: %s", rows->status);
  study_add(run, TOP, &rows[0]);
  study_add(run, PAPER, &paper);
  for (size_t i = 1; i < count; i++) study_add(run, TABLE, &rows[i]);
  return add_figure(run, rows->of.epsilon);
}

static void show(const study_run *run) {
  size_t count;
  const row *const rows = study_rows(run, ROWS, &count);
  study_print(run, ROWS, 0, SIZE_MAX);
  printf(
      "the first is the hopper; the paper, whose k/m is not given, has epsilon' %.2f, %.3f ms and "
      "%.3f ms in Python\n",
      paper.epsilon, 1e3 * paper.runtime_mujoco_s, 1e3 * paper.runtime_projection_s);
  for (size_t i = 1; i < count; i++)
    if (isnan(rows[i].of.epsilon))
      printf("k/m = %g: %s\n", rows[i].of.stiffness_over_mass, rows[i].status);
  printf("relative acceleration residual %.2g at s = %g; MuJoCo %s\n", rows->of.gap.gap,
         rows->of.gap.scaling, bridge_version_string());
}

const study calibrate_study = {
    .name = "calibrate",
    .summary = "epsilon at which the projection is as accurate as MuJoCo (Tab. 5.1, Fig. 5.1)",
    .file = "calibration",
    .group = STUDY_VALIDATES,
    .figures = {STUDY_FIGURE("fig5_1_calibration", "calibration_trajectory.csv"),
                STUDY_FIGURE("calibration_epsilon", "calibration.csv")},
    .make = "calibrate",
    .small = "--trials 3",
    .schema = "essbench-calibration-1",
    .model = "hopper",
    .own_models = true,
    .cells = "stiffnesses",
    .pinned = true,
    STUDY_OF(settings, double),
    .tables = {[ROWS] = STUDY_ROWS(row, .csv = "calibration.csv",
                                   .meaning = "one k/m, the hopper's own first"),
               [TOP] = STUDY_ROWS(row, .json = "", .meaning = "the hopper's own"),
               [PAPER] = STUDY_TABLE(paper_columns, paper_values, .json = "",
                                     .sql = "calibration_paper", .meaning = "the paper's"),
               [TABLE] = STUDY_ROWS(row, .json = "table", .meaning = "one k/m"),
               [TRAJECTORY] = STUDY_ROWS(instant, .csv = "calibration_trajectory.csv",
                                         .meaning = "one output time of the hopper")},
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
};
