/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench rigid-soft: mechanisms with rigid contacts against the same on soft ones: a block that
 * rocks, and a body that lands on two limbs. What stiffness, what step and what time buys what
 * agreement, by libess on springs and dampers, and by MuJoCo on these and on contacts of its own.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rigid_soft.h"
#include "studies.h"

/* of pseudo-impulses in the rigid block that has a threshold, s */
static const double pseudo_time = 0.03;

enum { SAMPLES = STUDY_SAMPLES, PATHS, ROWS };

/* ---- what is asked for ----------------------------------------------------------------------- */

static const char *const integrators[] = {"Euler", "implicitfast", "RK4", NULL};

static const study_option options[] = {
    {"stiffnesses", "X,Y", "of contact springs by libess, N/m, the largest first", OPTION_NUMBERS,
     OPTION_AT(rigid_soft_settings, stiffnesses), .initial = "1e9,1e8,1e7,1e6,1e5,1e4", .min = 1e2,
     .max = 1e11},
    {"ratios", "X,Y", "damping ratios of springs, c/(2 sqrt(k m)), the largest first",
     OPTION_NUMBERS, OPTION_AT(rigid_soft_settings, ratios), .initial = "10,2,0.2", .min = 0.01,
     .max = 100},
    {"time-steps", "X,Y", "MuJoCo's, ms, the largest first; each divides 2 ms evenly",
     OPTION_NUMBERS, OPTION_AT(rigid_soft_settings, time_steps),
     .initial = "2,1,0.5,0.25,0.125,0.0625,0.03125", .min = 1e-3, .max = 2},
    {"integrators", "NAME,NAME", "MuJoCo's", OPTION_NAMES,
     OPTION_AT(rigid_soft_settings, integrators), .initial = "Euler,implicitfast,RK4",
     .names = integrators},
    {"tolerance", "X", "rtol = atol of libess", OPTION_NUMBER,
     OPTION_AT(rigid_soft_settings, tolerance), .initial = "1e-9", .min = 1e-13, .max = 1e-3,
     .result = "tolerance"},
    {"block-tilt", "X", "angle of the block at the start, rad", OPTION_NUMBER,
     OPTION_AT(rigid_soft_settings, block_tilt), .initial = "0.2", .min = 0.05, .max = 0.4,
     .result = "block_tilt"},
    {"trot-tilt", "X", "rotation of the landing body at the start, rad", OPTION_NUMBER,
     OPTION_AT(rigid_soft_settings, trot_tilt), .initial = "0.02", .min = 1e-4, .max = 0.05,
     .result = "trot_tilt"},
    {0},
};

static int check(study_run *run) {
  const rigid_soft_settings *const s = run->settings;
  for (size_t i = 0; i < s->time_steps.count; i++) {
    const double parts = 2.0 / s->time_steps.value[i];
    if (fabs(parts - round(parts)) < 1e-9 * parts) continue;
    return SOLVER_REFUSE(run->message, "--time-steps: %.9g is not accepted; it divides 2 ms evenly",
                         s->time_steps.value[i]);
  }
  return 0;
}

/* ---- cells: runs by libess, searches for MuJoCo's contacts, then the race of all of them ------
 */

typedef enum cell_kind { RUN, SEARCH, RACE } cell_kind;

/* of a search, system, integrator and step */
typedef struct cell {
  cell_kind kind;
  rigid_soft_case of;
} cell;

static int plan_run(study_run *run, rigid_soft_case c) {
  return study_cell(run, &(cell){RUN, c},
                    "trot=%d soft=%d delta_t=%.17g ratio=%.17g stiffness=%.17g", c.trot, c.soft,
                    c.delta_t, c.ratio, c.stiffness);
}

static rigid_soft_case rigid(bool trot, double delta_t) {
  return (rigid_soft_case){.trot = trot, .delta_t = delta_t, .ratio = NAN, .stiffness = NAN};
}

static int plan_libess(study_run *run, bool trot) {
  const rigid_soft_settings *const s = run->settings;
  int status = plan_run(run, rigid(trot, trot ? NAN : 0.0));
  if (!status && !trot) status = plan_run(run, rigid(trot, pseudo_time));
  for (size_t i = 0; i < s->ratios.count; i++)
    for (size_t k = 0; !status && k < s->stiffnesses.count; k++)
      status = plan_run(run, (rigid_soft_case){.trot = trot,
                                               .soft = true,
                                               .delta_t = NAN,
                                               .ratio = s->ratios.value[i],
                                               .stiffness = s->stiffnesses.value[k]});
  return status;
}

static int plan_mujoco(study_run *run, bool trot) {
  const rigid_soft_settings *const s = run->settings;
  int status = 0;
  for (size_t i = 0; i < s->integrators.count; i++)
    for (size_t k = 0; !status && k < s->time_steps.count; k++) {
      const char *const by = integrators[s->integrators.index[i]];
      const double step = 1e-3 * s->time_steps.value[k];
      const cell c = {SEARCH, {.trot = trot, .integrator = by, .time_step = step}};
      status = study_cell(run, &c, "search trot=%d by=%s step=%.17g", trot, by, step);
    }
  return status;
}

static int plan(study_run *run, size_t stage) {
  if (stage == 1) return study_cell(run, &(cell){.kind = RACE}, "race");
  if (stage) return 0;
  int status = 0;
  for (int trot = 0; !status && trot < 2; trot++) status = plan_libess(run, trot);
  for (int trot = 0; !status && trot < 2; trot++) status = plan_mujoco(run, trot);
  return status;
}

static int measure(study_run *run, const void *planned) {
  const cell *const c = planned;
  rigid_soft_contact row;
  if (c->kind == RACE) return rigid_soft_race(run);
  if (c->kind == SEARCH)
    return rigid_soft_search(run, c->of.trot, c->of.integrator, c->of.time_step);
  return rigid_soft_row(run, &c->of, "", true, &row) ? -1 : study_add(run, SAMPLES, &row);
}

/* ---- all runs -------------------------------------------------------------------------------- */

/* rows of libess, then those of MuJoCo choice by choice, with their times, which stand behind all
 * others in the same order; a threshold grows with the time that pseudo-impulses act for */
static void add_rows(study_run *run) {
  static const char *const choices[] = {"", "default", "closest", "stiffest"};
  size_t count;
  const rigid_soft_contact *const all = study_rows(run, SAMPLES, &count), *const times =
                                                                              all + count / 2;
  double by_time = NAN;
  for (size_t i = 0; i < count / 2; i++)
    if (all[i].delta_t > 0.0) by_time = all[i].stop_speed / all[i].delta_t;
  for (size_t k = 0; k < sizeof choices / sizeof *choices; k++)
    for (size_t i = 0; i < count / 2; i++) {
      rigid_soft_contact row = all[i];
      row.stop_delta_t = row.stop_speed / by_time;
      row.time_s = times[i].time_s;
      if (strcmp(row.choice, choices[k]) == 0) study_add(run, ROWS, &row);
    }
}

static int add_path(study_run *run, const rigid_soft_contact *of) {
  const rigid_soft_case c = rigid_soft_case_of(of);
  track t;
  int status = rigid_soft_follow(run, &c, &t);
  for (size_t i = 0; !status && i < t.path.count; i++) {
    const rigid_soft_point row = {RIGID_SOFT_ROW(&c, of->choice), .t = t.path.times[i],
                                  .height = track_value(&t, "height", i),
                                  .angle = track_value(&t, "angle", i),
                                  .rate = track_value(&t, "rate", i)};
    study_add(run, PATHS, &row);
  }
  trajectory_free(&t.path);
  return status;
}

/* of all but MuJoCo's stiffest */
static int derive(study_run *run) {
  size_t count;
  add_rows(run);
  const rigid_soft_contact *const rows = study_rows(run, ROWS, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(rows[i].choice, "stiffest") != 0 && add_path(run, &rows[i])) return -1;
  return 0;
}

static void show(const study_run *run) {
  size_t count, shown = 0;
  const rigid_soft_contact *const rows = study_rows(run, ROWS, &count);
  while (shown < count && strcmp(rows[shown].choice, "stiffest") != 0) shown++;
  study_print(run, ROWS, 0, shown);
  printf("and %zu of MuJoCo's stiffest stable contacts of each kind, which are not shown\n",
         count - shown);
}

const study rigid_soft_study = {
    .name = "rigid-soft",
    .summary = "rigid contacts against soft ones, by libess and by MuJoCo: a block and a landing",
    .example = "essbench rigid-soft --time-steps 2,0.5 --integrators RK4",
    .file = "rigid_soft",
    .schema = "essbench-rigid-soft-1",
    .own_models = true,
    .unseeded = true,
    .pinned = true,
    .cells = "runs and searches",
    .stages = 2,
    STUDY_OF(options, rigid_soft_settings, cell),
    .tables = {[SAMPLES] = STUDY_ROWS(rigid_soft_contact, .meaning = "one run"),
               [PATHS] = STUDY_ROWS(rigid_soft_point, .csv = "rigid_soft_paths.csv",
                                    .meaning = "one time of one run"),
               [ROWS] = STUDY_ROWS(rigid_soft_contact, .json = "rows", .csv = "rigid_soft.csv",
                                   .meaning = "one run")},
    .check = check,
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
};
