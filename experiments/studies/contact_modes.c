/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench contact-modes: what pseudo-impulses do. A block rocks on, through impacts that
 * accumulate, or comes to rest; a point that slides onto a hill rests at its foot, or climbs
 * (Figures 7 to 9 of Johnson, Burden & Koditschek). */
#include <math.h>
#include <stdio.h>

#include "contact_modes.h"
#include "flow.h"
#include "studies.h"

/* The point starts so far off the hill, m, and rests when it is slower than this right after, m/s
 * and s. */
static const double distance = 0.01, at_rest = 1e-9, right_after = 1e-4;

/* the slowest and the fastest that is tried for a threshold, m/s */
static const double slowest = 1e-3, fastest = 100.0;

enum { HALVINGS = 40 };

/* ---- what is asked for ----------------------------------------------------------------------- */

typedef contact_modes_settings settings;

static const study_option options[] = {
    {"delta-t", "S", "for which forces count in an impact, s", OPTION_NUMBER,
     OPTION_AT(settings, delta_t), .initial = "0.03", .min = 1e-3, .max = 1, .result = "delta_t"},
    {"tilt", "X", "of the block at the start, rad", OPTION_NUMBER, OPTION_AT(settings, tilt),
     .initial = "0.2", .min = 1e-3, .max = 0.4, .result = "tilt"},
    {"slope-step", "X", "between slopes of the hill, degrees", OPTION_NUMBER,
     OPTION_AT(settings, slope_step), .initial = "2", .min = 1, .max = 20, .result = "slope_step"},
    {"slope-max", "X", "the steepest, degrees", OPTION_NUMBER, OPTION_AT(settings, slope_max),
     .initial = "60", .min = 20, .max = 85, .result = "slope_max"},
    {"speed-step", "X", "between speeds, m/s", OPTION_NUMBER, OPTION_AT(settings, speed_step),
     .initial = "0.02", .min = 1e-3, .max = 10, .result = "speed_step"},
    {"speed-max", "X", "the fastest arrival, m/s", OPTION_NUMBER, OPTION_AT(settings, speed_max),
     .initial = "0.6", .min = 0.01, .max = 100, .result = "speed_max"},
    {"truncations", "X,Y", "delta_t that cut the block's impacts short, s", OPTION_NUMBERS,
     OPTION_AT(settings, truncations), .initial = "0.1,0.03,0.01,0.003,0.001,0.0003,0.0001",
     .min = 1e-6, .max = 1},
    {0},
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* one arrival */
#define ARRIVAL(X, row)                                                                            \
  X(row, slope, AMOUNT, "degrees", "of the hill")                                                  \
  X(row, speed, AMOUNT, "m/s", "along the ground")                                                 \
  X(row, rests, FLAG, "", "whether it stays at the foot")
COLUMN_ROW(arrival, ARRIVAL);

#define THRESHOLD(X, row)                                                                          \
  X(row, slope, AMOUNT, "degrees", "of the hill", SHOWN("slope", "%6g"))                           \
  X(row, found, AMOUNT, "m/s", "fastest arrival that rests, by halving", SHOWN("found", "%10.6f")) \
  X(row, known, AMOUNT, "m/s", "g delta_t tan(slope)", SHOWN("known", "%10.6f"))
COLUMN_ROW(threshold, THRESHOLD);

/* ---- the hill: a cell is a slope ------------------------------------------------------------- */

static int plan(study_run *run, size_t stage) {
  const settings *const s = run->settings;
  for (size_t i = 1; stage == 0 && (double)i * s->slope_step <= s->slope_max; i++) {
    const double slope = (double)i * s->slope_step;
    if (study_cell(run, &slope, "slope=%.17g", slope)) return -1;
  }
  return 0;
}

static const model *hill_of(study_run *run, double slope) {
  const settings *const s = run->settings;
  const case_change changes[] = {
      {"slope", slope}, {"distance", distance}, {"delta-t", s->delta_t}, {0}};
  return case_model_of(run, &hill_type, changes);
}

static int arrive(study_run *run, const model *m, double speed, bool *rests) {
  double x0[MODEL_DIMENSION_MAX], x[MODEL_DIMENSION_MAX];
  ess_options with = ess_options_default();
  with.rtol = with.atol = contact_modes_tolerance;
  m->type->initial_state(m, x0);
  x0[model_state_place(m, "vx")] = speed;
  if (flow_end(m, &with, x0, distance / speed + right_after, x, NULL, run->message)) return -1;
  *rests = fabs(x[model_state_place(m, "vx")]) < at_rest;
  return 0;
}

static int measure(study_run *run, const void *planned) {
  const settings *const s = run->settings;
  const double slope = *(const double *)planned;
  const model *const m = hill_of(run, slope);
  int status = m ? 0 : -1;
  for (size_t i = 1; !status && (double)i * s->speed_step <= s->speed_max; i++) {
    arrival row = {.slope = slope, .speed = (double)i * s->speed_step};
    status = arrive(run, m, row.speed, &row.rests);
    study_add(run, CONTACT_MODES_HILL, &row);
  }
  return status;
}

static int add_threshold(study_run *run, double slope) {
  const settings *const s = run->settings;
  const model *const m = hill_of(run, slope);
  double low = slowest, high = fastest;
  int status = m ? 0 : -1;
  for (int i = 0; !status && i < HALVINGS; i++) {
    const double speed = sqrt(low * high);
    bool rests;
    status = arrive(run, m, speed, &rests);
    if (!status) *(rests ? &low : &high) = speed;
  }
  const threshold row = {slope, low, 9.81 * s->delta_t * tan(slope * acos(-1.0) / 180.0)};
  return status ? status : study_add(run, CONTACT_MODES_THRESHOLDS, &row);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int derive(study_run *run) {
  int status = 0;
  for (size_t i = 0; !status && i < study_cells(run); i++)
    status = add_threshold(run, *(const double *)study_cell_at(run, i));
  if (!status) status = contact_modes_add_block(run);
  if (!status) status = contact_modes_add_truncation(run);
  if (!status) status = contact_modes_add_leap(run);
  return status ? status : contact_modes_add_known(run);
}

static void show(const study_run *run) {
  static const size_t shown[] = {CONTACT_MODES_THRESHOLDS, CONTACT_MODES_TRUNCATION,
                                 CONTACT_MODES_KNOWN, CONTACT_MODES_WORDS};
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    if (i > 0) putchar('\n');
    study_print(run, shown[i], 0, SIZE_MAX);
  }
}

const study contact_modes_study = {
    .name = "contact-modes",
    .summary = "what pseudo-impulses do: a rocking block, and a point that meets a hill",
    .file = "contact_modes",
    .schema = "essbench-contact-modes-1",
    .own_models = true,
    .unseeded = true,
    .untimed = true,
    .brief = true,
    .cells = "slopes",
    STUDY_OF(options, settings, double),
    .tables =
        {[CONTACT_MODES_HILL] = STUDY_ROWS(arrival, .json = "hill", .csv = "contact_modes_hill.csv",
                                           .meaning = "one arrival at the hill"),
         [CONTACT_MODES_THRESHOLDS] =
             STUDY_ROWS(threshold, .json = "thresholds", .csv = "contact_modes.csv",
                        .meaning = "one slope of the hill"),
         [CONTACT_MODES_BLOCK] =
             STUDY_ROWS(instant, .json = "block", .csv = "contact_modes_block.csv",
                        .meaning = "the block at one time, or at an impact"),
         [CONTACT_MODES_TRUNCATION] =
             STUDY_ROWS(truncation, .json = "truncation", .csv = "contact_modes_truncation.csv",
                        .meaning = "the block's impacts cut short by one delta_t"),
         [CONTACT_MODES_LEAP] = STUDY_ROWS(leap, .json = "leap", .csv = "contact_modes_leap.csv",
                                           .meaning = "the leaping body before or behind an event"),
         [CONTACT_MODES_KNOWN] =
             STUDY_ROWS(known_number, .json = "known", .csv = "contact_modes_known.csv",
                        .meaning = "one number of the paper's examples"),
         [CONTACT_MODES_WORDS] = STUDY_ROWS(word, .json = "words", .csv = "contact_modes_words.csv",
                                            .meaning = "one example's sequence of modes")},
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
};
