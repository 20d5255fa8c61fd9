/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robot: how wrong MuJoCo's trajectories of a given robot are at which time step, and what
 * a right one costs, on the robot's own equations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "race.h"
#include "robot_race.h"
#include "studies.h"

#define OPTIONS(X, row)                                                                            \
  ROBOT_GRID_OPTIONS(X, row)                                                                       \
  X(row, starts, WHOLE, "starts", "COUNT",                                                         \
    "initial conditions: the first from --qpos, --height and --tilt, others random around it",     \
    .initial = "10", .min = 1, .max = 1000, .result = "starts")                                    \
  ROBOT_START_OPTIONS(X, row)                                                                      \
  X(row, written, TEXT, "write", "FILE",                                                           \
    "write the model of --twin as MJCF, or as MuJoCo's binary if FILE ends in .mjb")               \
  X(row, time_steps, NUMBERS, "time-steps", "X,Y",                                                 \
    "time steps of mj_step, s, the largest first (default: 8 ms, halved down to 1/32 ms)",         \
    .initial = "0.008,0.004,0.002,0.001,0.0005,0.00025,0.000125,0.0000625,0.00003125",             \
    .min = 1e-7, .max = 1)                                                                         \
  X(row, integrators, NAMES, "integrators", "A,B",                                                 \
    "integrators of MuJoCo, in addition to that of the model",                                     \
    .initial = "Euler,implicitfast,RK4", .names = robot_integrators, .result = "integrators")      \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y",                                                 \
    "tolerances of libess, rtol = atol, the largest first",                                        \
    .initial = "0.9,0.5,0.25,1e-1,1e-2,1e-3,1e-4,1e-5,1e-6,1e-7", .min = 1e-13, .max = 0.9)        \
  X(row, bases, NAMES, "base", "A,B",                                                              \
    "step methods of libess: dopri5, rkc (stabilised), chosen (stabilised where that is "          \
    "cheaper), ros2 or lit (springs and dampers implicit, with two evaluations a step or one), "   \
    "lit_unlocated, which steps over events, rodas (implicit) or chosen_rodas; and of "            \
    "event-unaware solvers: heun and adams2, of order 2 (default: all but rodas and "              \
    "chosen_rodas)",                                                                               \
    .initial = "dopri5,chosen,rkc,ros2,lit,lit_unlocated,heun,adams2", .names = robot_bases,       \
    .result = "base")                                                                              \
  X(row, reference, NUMBER, "reference", "X", "tolerance of the reference", .initial = "1e-9",     \
    .min = 1e-13, .max = 1e-3, .result = "reference_tolerance")                                    \
  X(row, check_step, NUMBER, "check-step", "S",                                                    \
    "time step of MuJoCo's RK4 for the check of the reference, s", .initial = "0.00000390625",     \
    .min = 1e-7, .max = 1, .result = "check_step")                                                 \
  X(row, own, FLAG, "own", NULL,                                                                   \
    "skip runs that are much more accurate than MuJoCo at the time step of the model",             \
    .result = "own")                                                                               \
  X(row, all, FLAG, "all", NULL,                                                                   \
    "show all tables: switching elements, errors by time step, costs (default: a summary)",        \
    .shows = true)                                                                                 \
  X(row, budget, NUMBER, "budget", "S", "time limit of a run, s; longer runs are skipped",         \
    .initial = "10", .min = 1e-3, .max = 1e6)                                                      \
  X(row, reference_budget, NUMBER, "reference-budget", "S",                                        \
    "time limit of the reference, s (default: six times --budget)", .min = 1e-3, .max = 1e6)
static const study_option options[] = {OPTIONS(OPTION_LINE, robot_settings){0}};

static const study_word words[] = {
    {"base", "first free joint: its largest position error, along one axis"},
    {"worst joint", "hinge or slide joint with the largest error, in mrad or mm"},
    {"bodies, hinges",
     "root mean square error of the origins of all bodies, of the angles of all hinges"},
    {"begins at",
     "time at which the error of the first initial condition reaches a tenth of its maximum"},
    {"reference", "the solution of libess at a tolerance at which its error is small, as "
                  "verified by a looser "
                  "tolerance and by MuJoCo at ever smaller steps"},
    {"libess",
     "the solver of the reference: its steps end where contacts and limits begin and end"},
    {"event function", "function of the state that is zero when a contact or limit begins or ends"},
    {"plain",
     "an event-unaware solver on the same equations: libess without event functions, or heun "
     "or adams2"},
    {"dopri5, rkc, chosen, ros2, lit, rodas, chosen_rodas", "step methods of libess: see --base"},
    {"error",
     "root mean square of all positions and velocities, in m, rad, m/s and rad/s together"},
    {"order", "n: halving the time step divides the error by 2^n"},
    {"ratio", "MuJoCo's time over libess's for the same error"},
    {"fields", "right-hand-side evaluations of libess in one run"},
    {"guarded", "element whose switching has an event function"},
    {"followed", "contact whose beginning has an event function, but not the jumps of its points"},
    {"kink", "non-smooth point that only the error control resolves"},
    {"refused", "contact at which the reference ends"},
    {0},
};

/* ---- samples --------------------------------------------------------------------------------- */

#define ERROR(called, member) COLUMN_AS(called, robot_sample, member, AMOUNT, "", "")

static const column robot_sample_columns[] = {
    COLUMN_AS("trial", robot_sample, start, COUNT, "", ""),
    COLUMNS(robot_sample, COUNT, process),
    COLUMNS(robot_sample, TEXT, solver, variant),
    COLUMNS(robot_sample, AMOUNT, time_step, rtol),
    ERROR("rms_error", error.states),
    ERROR("position_error", error.bodies),
    COLUMNS(robot_sample, AMOUNT, seconds),
    COLUMN_AS("field_evaluations", robot_sample, evaluations, AMOUNT, "", ""),
    COLUMNS(robot_sample, AMOUNT, steps, repetitions, retaken, disturbed, until),
    ERROR("tolerances_apart", tolerances.states),
    ERROR("mujoco_apart", mujoco.states),
    ERROR("estimate", estimate.states),
    COLUMNS(robot_sample, AMOUNT, growth, touchdowns),
    COLUMN_AS("message", robot_sample, note, TEXT, "", ""),
    COLUMN_AS("ended", robot_sample, status, TEXT, "", ""),
    COLUMNS(robot_sample, TEXT, contact),
    COLUMNS(robot_sample, AMOUNT, check_step, jumps, refused, size),
    ERROR("hinge_error", error.hinges),
    ERROR("bodies_estimate", estimate.bodies),
    ERROR("hinges_estimate", estimate.hinges),
    ERROR("mujoco_bodies", mujoco.bodies),
    ERROR("mujoco_hinges", mujoco.hinges),
    {0},
};

/* without numbers, and why */
static robot_sample robot_sample_unknown(size_t start, const char *note) {
  robot_sample s;
  column_clear(robot_sample_columns, &s);
  s.tolerances = s.mujoco = robot_error_unknown;
  s.start = start;
  s.note = note;
  return s;
}

/* ---- cells: one start each, whose reference serves all --------------------------------------- */

static int check(study_run *run) {
  const int status = robot_case_open(run, false);
  return status ? status : robot_outlook(run, true, true);
}

static int plan(study_run *run, size_t stage) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  if (stage == 0 && *c->warning && !study_is_worker(run)) fprintf(stderr, "%s", c->warning);
  for (size_t i = 0; stage == 0 && i < s->starts; i++) study_cell(run, &i, "start=%zu", i);
  return 0;
}

/* ---- what a start keeps before it is done ---------------------------------------------------- */

/* numbers of a reference that are kept; a longer one is measured again */
static const double kept_max = 1e6;

/* ---- references ------------------------------------------------------------------------------ */

static const column track_columns[] = {
    COLUMNS(robot_track, AMOUNT, until, seconds, evaluations, steps, jumps, refused),
    COLUMNS(robot_track, COUNT, reached, event),
    COLUMNS(robot_track, TEXT, status),
    {0},
};

static int keep_track(study_run *run, const char *name, const robot_entry *e,
                      const robot_track *t) {
  const robot_case *const c = run->own;
  const size_t count = t->reached * c->size.dimension;
  if ((double)count > kept_max) return 0;
  json_t *const value = column_object(track_columns, t), *const touches = json_array();
  for (size_t i = 0; i < t->touches; i++)
    json_array_append_new(touches,
                          json_pack("[f,I]", t->touch[i].time, (json_int_t)t->touch[i].event));
  json_object_set_new(value, "tolerance", measure_json_number(e->knob));
  json_object_set_new(value, "touches", touches);
  json_object_set_new(value, "crossings", measure_json_numbers(t->stop, t->stops, 1));
  json_object_set_new(value, "states", measure_json_numbers(t->states, count, 1));
  return study_keep_part(run, name, value);
}

/* room for touches and crossings, and those */
static int take_times(study_run *run, const json_t *touches, const json_t *crossings,
                      robot_track *t) {
  t->touches = json_array_size(touches);
  t->stops = json_array_size(crossings);
  t->touch = calloc(t->room = t->touches + 1, sizeof *t->touch);
  t->stop = calloc(t->stop_room = t->stops + 1, sizeof *t->stop);
  if (!t->touch || !t->stop) return study_out_of_memory(run);
  for (size_t i = 0; i < t->touches; i++) {
    const json_t *const one = json_array_get(touches, i);
    t->touch[i] = (robot_touch){json_number_value(json_array_get(one, 0)),
                                (size_t)json_integer_value(json_array_get(one, 1))};
  }
  for (size_t i = 0; i < t->stops; i++)
    t->stop[i] = json_number_value(json_array_get(crossings, i));
  return 0;
}

static int take_track(study_run *run, const json_t *value, robot_track *t) {
  const robot_case *const c = run->own;
  const json_t *const states = json_object_get(value, "states");
  const size_t count = json_array_size(states);
  if (!column_take_object(track_columns, value, t) || t->reached > c->outputs ||
      count != t->reached * c->size.dimension)
    return measure_fail(run->message,
                        "a part belongs to another initial condition; start over with --restart");
  for (size_t i = 0; i < count; i++) t->states[i] = json_number_value(json_array_get(states, i));
  for (size_t i = 0; i < t->reached; i++) t->at_end[i] = true;
  return take_times(run, json_object_get(value, "touches"), json_object_get(value, "crossings"), t);
}

/* as robot_follow by libess, or as it was kept under that name */
static int robot_follow_kept(study_run *run, const char *name, const robot_entry *e,
                             const double x0[], bool listen, robot_track *t) {
  const json_t *const known = study_part(run, name);
  if (known) return take_track(run, known, t);
  const int status = robot_follow(run, e, x0, listen, t);
  return status ? status : keep_track(run, name, e, t);
}

/* ---- numbers and errors ---------------------------------------------------------------------- */

static const column growth_columns[] = {COLUMN_AS("value", robot_sample, growth, AMOUNT, "", ""),
                                        {0}};

static const column error_columns[] = {COLUMNS(robot_error, AMOUNT, states, bodies, hinges), {0}};

/* ---- runs ------------------------------------------------------------------------------------ */

enum { NAME_SIZE = 32 };

static const char *name_of(size_t entry, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "run %zu", entry);
  return name;
}

/* an entry's run, with how far MuJoCo is from the reference by all runs up to it; texts live as
 * long as the cell */
static bool take_sample(study_run *run, size_t entry, robot_sample *s) {
  char name[NAME_SIZE];
  return column_take_object(robot_sample_columns, study_part(run, name_of(entry, name)), s);
}

static int keep_sample(study_run *run, size_t entry, robot_sample s, const robot_error *mujoco) {
  char name[NAME_SIZE];
  const robot_entry *const e = &((const robot_case *)run->own)->entry[entry];
  if (study_part(run, name_of(entry, name))) return 0;
  s.mujoco = *mujoco;
  json_t *const value = column_object(robot_sample_columns, &s);
  json_object_set_new(value, "of", json_pack("[s, s, f]", robot_who[e->kind], e->variant, e->knob));
  return study_keep_part(run, name, value);
}

/* ---- what is there --------------------------------------------------------------------------- */

static void show_run(const char *who, const char *variant, double knob, double error,
                     double seconds, const char *note) {
  printf("  %-7s %-12s %8.3g ", who, variant, knob);
  if (*note)
    printf(" %.66s\n", note);
  else
    printf(" %9.3g mm %9.3g s\n", 1e3 * error, seconds);
}

/* a step in s, or a tolerance; the bodies' error; the time of a run */
static void robot_show_part(const char *name, const json_t *value) {
  robot_track track;
  robot_sample s;
  const char *who, *variant;
  double knob;
  if (json_object_get(value, "states") && column_take_object(track_columns, value, &track))
    printf("  %s: libess at %g, to %.3g s, in %.3g s\n", name,
           json_number_value(json_object_get(value, "tolerance")), track.until, track.seconds);
  else if (column_take_object(robot_sample_columns, value, &s) &&
           !json_unpack(json_object_get(value, "of"), "[s, s, F]", &who, &variant, &knob))
    show_run(who, variant, knob, s.error.bodies, s.seconds, s.note);
}

static void robot_show_runs(const study_run *run) {
  size_t count;
  puts("Each run: its step in s or its tolerance, how far the bodies are off, and its time "
       "(medians):");
  for (robot_kind kind = ROBOT_MUJOCO; kind <= ROBOT_PLAIN; kind++) {
    const robot_row *const row = study_rows(run, robot_table(kind), &count);
    for (size_t i = 0; i < count; i++)
      show_run(robot_who[kind], row[i].variant, row[i].knob, row[i].position_error, row[i].seconds,
               row[i].known ? "" : row[i].note);
  }
}

/* ---- the reference --------------------------------------------------------------------------- */

/* the disturbance, and the step that shows what becomes of it */
static const double disturbance = 1e-8, growth_step = 2.5e-4;

/* the reference from x0, and how far libess at ten times its tolerance is from it. 0, or -1. */
static int robot_reference(study_run *run, const double x0[], bool listen, robot_track *t,
                           size_t *count, robot_sample *s) {
  const robot_case *const c = run->own;
  const robot_entry *const e = &c->entry[0];
  const robot_entry coarse = {ROBOT_REFERENCE, e->variant, 10.0 * e->knob, false};
  robot_track other = {0};
  int status = robot_follow_kept(run, "reference", e, x0, listen, t);
  if (!status) status = robot_track_alloc(run, &other);
  if (!status) status = robot_follow_kept(run, "looser reference", &coarse, x0, false, &other);
  if (!status) {
    const robot_track *const first = other.reached < t->reached ? &other : t;
    *count = first->reached;
    s->until = fmin(t->until, other.until);
    s->status = first->status;
    s->contact = first->event < c->size.events ? robot_event_name(c->robot, first->event) : "";
    s->size = robot_track_size(run, t, *count);
    s->tolerances = robot_apart(run, &other, t, *count);
    s->seconds = t->seconds;
    s->evaluations = t->evaluations;
    s->steps = t->steps;
    s->touchdowns = (double)t->touches;
    s->jumps = t->jumps;
    s->refused = t->refused / (t->refused + t->steps);
  }
  robot_track_free(&other);
  return status;
}

/* the length of what is between two states at an output */
static double length_apart(const study_run *run, const robot_track *a, const robot_track *b,
                           size_t i) {
  const robot_case *const c = run->own;
  return robot_apart_at(run, a, b, i) * sqrt((double)(c->size.nq + c->size.nv));
}

/* what becomes of a disturbance of that sign, which `there` has room for */
static int disturb(study_run *run, const robot_entry *e, const double x0[], double sign,
                   const robot_track *here, robot_track *there, double *growth) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension, nv = c->size.nv;
  double *const x = malloc(n * sizeof *x);
  if (!x) return study_out_of_memory(run);
  memcpy(x, x0, n * sizeof *x);
  for (size_t i = 0; i < nv; i++)
    x[c->size.nq + i] += (i % 2 ? -sign : sign) * disturbance / sqrt((double)nv);
  const int status = robot_follow(run, e, x, false, there);
  *growth = NAN;
  for (size_t i = 1; !status && i < there->asked && i < here->reached && i < there->reached; i++)
    *growth = fmax(*growth, length_apart(run, here, there, i) / disturbance);
  free(x);
  return status;
}

/*
 * Steps of one size are one map, whose derivative has no error control in it. Where a touch-down
 * falls on the end of a step to rounding, a disturbance to one side moves it by a whole step: that
 * is the step's, and no growth, so the smaller one of both sides counts.
 */
static int robot_growth(study_run *run, const double x0[], size_t count, double *growth) {
  const robot_entry e = {ROBOT_MUJOCO, robot_integrators[0], growth_step, false};
  robot_track here = {0}, there = {0};
  double back = NAN;
  int status = robot_track_alloc(run, &here) || robot_track_alloc(run, &there) ? -1 : 0;
  here.asked = there.asked = count;
  *growth = NAN;
  if (!status) status = robot_follow(run, &e, x0, false, &here);
  if (!status) status = disturb(run, &e, x0, 1.0, &here, &there, growth);
  if (!status) status = disturb(run, &e, x0, -1.0, &here, &there, &back);
  *growth = fmin(*growth, back);
  robot_track_free(&here);
  robot_track_free(&there);
  return status;
}

/* ---- the race -------------------------------------------------------------------------------- */

/* All turns of an entry last about so long, or this share of the budget if that is less. A longer
 * run is timed once. */
static const double most_s = 0.15, longest_share = 0.125;

static double longest_timed(const study_run *run) {
  const robot_settings *const s = run->settings;
  return fmin(most_s, longest_share * s->budget);
}

/* a race from one start */
typedef struct race {
  study_run *run;
  const double *x0;
  const robot_track *of; /* the reference */
  size_t count;          /* its outputs */
  robot_sample *sample;
  robot_track track[2]; /* of an entry and the one before it */
  int status;
} race;

/* an entry of it */
typedef struct runner {
  race *r;
  size_t entry;
  measure_candidate candidate;
} runner;

static bool is_finer(const robot_entry *e) {
  return e->kind == ROBOT_MUJOCO && e[-1].kind == ROBOT_MUJOCO && e->variant == e[-1].variant;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* how far a run is from the reference, or where the errors of two steps are taken for a first
 * order's: of MuJoCo's many runs the one that agrees best counts */
static robot_error apart_by_steps(const study_run *run, const robot_entry *e,
                                  const robot_track *now, const robot_track *before,
                                  const robot_track *of, size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  const double ratio = e->knob / (e[-1].knob - e->knob);
  const robot_error plain = robot_apart(run, now, of, count);
  // the coarser one's states are needed no more
  for (size_t i = 0; i < count * n; i++)
    before->states[i] = now->states[i] + ratio * (now->states[i] - before->states[i]);
  for (size_t i = 0; i < count; i++) before->at_end[i] = before->at_end[i] && now->at_end[i];
  for (size_t i = 0; i < count; i++) robot_normalise(c->robot, before->states + i * n);
  return robot_error_smaller(plain, robot_apart(run, before, of, count));
}

/* a run's numbers against the reference */
static robot_sample numbers_of(const race *r, const robot_track *t) {
  robot_sample s = robot_sample_unknown(r->sample->start, t->status);
  s.seconds = t->seconds;
  s.evaluations = t->evaluations;
  s.steps = t->steps;
  if (t->reached < r->count) return s;
  s.error = robot_apart(r->run, t, r->of, r->count);
  s.note = "";
  return s;
}

/* What a run is expected to take, from that of the next coarser one. The model's own, which all is
 * about, is made whatever it takes. */
static bool is_too_long(const study_run *run, const robot_entry *e, const robot_sample *before) {
  const robot_settings *const s = run->settings;
  return is_finer(e) && !e->own && !(before->seconds * e[-1].knob / e->knob <= s->budget);
}

/* A run that the budget has cut short, or that was not made at all. */
static bool ran_out(const study_run *run, const robot_sample *s) {
  const robot_settings *const settings = run->settings;
  return isnan(s->error.states) && !(s->seconds < settings->budget);
}

/* libess at a tolerance that is behind two which took too long: a smaller one is seldom cheaper */
static bool is_hopeless(const race *r, size_t i) {
  const robot_case *const c = r->run->own;
  const robot_entry *const e = &c->entry[i];
  if (e->kind == ROBOT_MUJOCO || i < 3) return false;
  for (size_t k = i - 2; k < i; k++)
    if (c->entry[k].kind != e->kind || c->entry[k].variant != e->variant ||
        !ran_out(r->run, &r->sample[k]))
      return false;
  return true;
}

/* so much smaller errors than the model's own cost more, and say nothing of it */
static const double far_finer = 0.01;

/* libess at a tolerance that is behind one whose error is that small already */
static bool is_too_fine(const race *r, size_t i) {
  const robot_settings *const s = r->run->settings;
  const robot_case *const c = r->run->own;
  const robot_entry *const e = &c->entry[i];
  double own = NAN;
  if (!s->own || e->kind == ROBOT_MUJOCO) return false;
  for (size_t k = 1; k < i; k++)
    if (c->entry[k].own) own = r->sample[k].error.states;
  for (size_t k = i - 1; c->entry[k].kind == e->kind && c->entry[k].variant == e->variant; k--)
    if (r->sample[k].error.states < far_finer * own) return true;
  return false;
}

/* ---- as those who race, whose one trial is the start ----------------------------------------- */

/* a run that is kept, and that is so long that it is timed once: it is not made again */
static bool recall(race *r, size_t i) {
  robot_sample s = robot_sample_unknown(r->sample->start, "");
  if (!take_sample(r->run, i, &s) || s.seconds < longest_timed(r->run)) return false;
  r->sample->mujoco = robot_error_smaller(r->sample->mujoco, s.mujoco);
  s.mujoco = robot_error_unknown;
  r->sample[i] = s;
  return true;
}

static int prepare(void *context, size_t trial) {
  const runner *const one = context;
  race *const r = one->r;
  const robot_case *const c = r->run->own;
  const size_t i = one->entry;
  (void)trial;
  r->sample[i] = robot_sample_unknown(r->sample->start, "left out: it takes longer than --budget");
  r->track[i % 2].reached = 0;
  // and so are those behind it
  if (r->status || is_too_long(r->run, &c->entry[i], &r->sample[i - 1]) || is_hopeless(r, i))
    return 1;
  r->sample[i].note = "left out: far more exact than is asked for";
  if (is_too_fine(r, i)) return 1;
  if (recall(r, i)) return 1;
  study_within(r->run, "run %zu of %zu: %s %s at %g", i, c->entries - 1,
               robot_who[c->entry[i].kind], c->entry[i].variant, c->entry[i].knob);
  // two runs are extrapolated: the states of the one before it are needed
  robot_track *const before = &r->track[1 - i % 2];
  if (is_finer(&c->entry[i]) && !before->reached && !isnan(r->sample[i - 1].error.states))
    r->status = robot_follow(r->run, &c->entry[i - 1], r->x0, false, before);
  return r->status;
}

static int run_one(void *context, size_t trial) {
  const runner *const one = context;
  race *const r = one->r;
  const robot_case *const c = r->run->own;
  (void)trial;
  if (!r->status)
    r->status =
        robot_follow(r->run, &c->entry[one->entry], r->x0, false, &r->track[one->entry % 2]);
  return r->status;
}

static int note(void *context, size_t trial) {
  const runner *const one = context;
  race *const r = one->r;
  const robot_case *const c = r->run->own;
  const robot_entry *const e = &c->entry[one->entry];
  const robot_track *const now = &r->track[one->entry % 2];
  const robot_track *const before = &r->track[1 - one->entry % 2];
  (void)trial;
  r->sample[one->entry] = numbers_of(r, now);
  if (is_finer(e) && now->reached >= r->count && before->reached >= r->count)
    r->sample->mujoco = robot_error_smaller(
        r->sample->mujoco, apart_by_steps(r->run, e, now, before, r->of, r->count));
  r->status = keep_sample(r->run, one->entry, r->sample[one->entry], &r->sample->mujoco);
  return r->status;
}

static int take_time(void *context, const race_lap *lap) {
  race *const r = context;
  robot_sample *const s = &r->sample[lap->entry + 1];
  if (isnan(lap->of.time_s)) return 0;
  s->seconds = lap->of.time_s;
  s->repetitions = lap->repetitions;
  s->retaken = lap->retaken;
  s->disturbed = lap->disturbed;
  return 0;
}

/* all entries but the reference from x0, against it over its first `count` outputs, where all of
 * them end, so that their times are of the same motion: into sample[1] and behind; sample[0], which
 * is the reference's own, learns how far MuJoCo is from it */
static int robot_race(study_run *run, const double x0[], const robot_track *of, size_t count,
                      robot_sample sample[]) {
  const robot_case *const c = run->own;
  const size_t entries = c->entries - 1;
  race r = {.run = run, .x0 = x0, .of = of, .count = count, .sample = sample};
  const race_plan plan = {
      .trials = 1, .processes = 1, .seed = run->seed + sample->start, .most_s = longest_timed(run)};
  runner *const one = calloc(entries + 1, sizeof *one);
  race_entry *const entry = calloc(entries + 1, sizeof *entry);
  int status = one && entry ? 0 : study_out_of_memory(run);
  if (!status && (robot_track_alloc(run, &r.track[0]) || robot_track_alloc(run, &r.track[1])))
    status = -1;
  r.track[0].asked = r.track[1].asked = count;
  for (size_t i = 0; !status && i < entries; i++) {
    one[i] = (runner){&r, i + 1, {run_one, prepare, note, &one[i]}};
    entry[i] = (race_entry){.own = &one[i].candidate};
  }
  if (!status) status = race_run(run, &plan, entry, entries, take_time, &r);
  if (r.status) status = r.status;
  robot_track_free(&r.track[0]);
  robot_track_free(&r.track[1]);
  free(one);
  free(entry);
  return status;
}

/* ---- a start --------------------------------------------------------------------------------- */

/* a reference is good enough where its error is this share of the state's size: what steps of one
 * size do not show, a run that takes longer is made for */
static const double near_enough = 1e-3;

/* what a step of MuJoCo's RK4 takes, by the finest run there is; and the smallest step of RK4 */
static double seconds_of_step(const robot_case *c, const robot_sample sample[], double *smallest) {
  double finest = INFINITY, seconds = NAN;
  *smallest = INFINITY;
  for (size_t i = 1; i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i];
    if (e->kind != ROBOT_MUJOCO || isnan(sample[i].seconds) || !(e->knob <= finest)) continue;
    // four fields instead of one
    const bool fourth = strcmp(e->variant, robot_fourth_order) == 0;
    if (fourth) *smallest = e->knob;
    if (!fourth && *smallest <= e->knob) continue;
    finest = e->knob;
    seconds = sample[i].seconds * (fourth ? 1.0 : 4.0) / sample[i].steps;
  }
  return seconds;
}

/* a run that checks the reference, or what was kept of it: *nearest is how far it is from it, where
 * that is less */
static int check_by(study_run *run, const char *name, double step, const double x0[],
                    const robot_track *along, const robot_track *of, size_t count,
                    robot_error *nearest) {
  const robot_entry e = {ROBOT_MUJOCO, robot_fourth_order, step, false};
  robot_error apart = robot_error_unknown;
  robot_track t;
  if (column_take_object(error_columns, study_part(run, name), &apart)) {
    *nearest = robot_error_smaller(*nearest, apart);
    return 0;
  }
  int status = robot_track_alloc(run, &t);
  t.asked = count;
  study_within(run, "check by MuJoCo's RK4 at %g s", step);
  if (!status) status = robot_follow_steps(run, &e, x0, along, &t);
  if (!status && t.reached >= count) apart = robot_apart(run, &t, of, count);
  if (!status) status = study_keep_part(run, name, column_object(error_columns, &apart));
  *nearest = robot_error_smaller(*nearest, apart);
  robot_track_free(&t);
  return status;
}

/* MuJoCo's RK4 at a far smaller step, as small as the budget lets it be: a check of the reference
 * and nothing else, whichever integrators are asked for */
static int check_finely(study_run *run, const double x0[], const robot_track *of, size_t count,
                        robot_sample sample[]) {
  const robot_settings *const s = run->settings;
  const double dt = ((const robot_case *)run->own)->output_step;
  double step = s->check_step, smallest;
  const double seconds = seconds_of_step(run->own, sample, &smallest);
  const double span = (double)(count - 1) * dt;
  int status = 0;
  if (isnan(seconds)) return 0;
  while (seconds * span / step > s->budget) step *= 2.0;
  sample->check_step = fmin(step, smallest);
  if (step < smallest) status = check_by(run, "check", step, x0, NULL, of, count, &sample->mujoco);
  if (status || !(sample->mujoco.states > near_enough * sample->size)) return status;

  // steps of one size err at each touch-down: a last run has short ones there
  const double at_stops = seconds * robot_steps_of_stop * (double)of->stops;
  step = s->check_step;
  while (seconds * span / step + at_stops > s->budget && step < dt) step *= 2.0;
  if (step >= dt) return 0;
  return check_by(run, "check at crossings", step, x0, of, of, count, &sample->mujoco);
}

static int run_start(study_run *run, size_t start, double x0[], robot_sample sample[]) {
  const robot_case *const c = run->own;
  robot_track reference = {0};
  size_t count = 0;
  sample[0] = robot_sample_unknown(start, "");
  int status = robot_start_of(run, start, x0) ? -1 : 0;
  if (!status) status = robot_track_alloc(run, &reference);
  if (!status && start == 0 && !study_part(run, "reference")) status = robot_coarse(run, x0);
  if (!status) status = robot_reference(run, x0, true, &reference, &count, sample);
  const bool races = count > 1;
  for (size_t i = 1; !status && !races && i < c->entries; i++)
    sample[i] = robot_sample_unknown(start, "left out: the reference ends at once");
  if (!status && races && !column_take_object(growth_columns, study_part(run, "growth"), sample)) {
    study_within(run, "how a disturbance grows");
    status = robot_growth(run, x0, count, &sample->growth);
    if (!status) status = study_keep_part(run, "growth", column_object(growth_columns, sample));
  }
  if (!status && races) status = robot_race(run, x0, &reference, count, sample);
  if (!status && races) status = check_finely(run, x0, &reference, count, sample);
  sample->estimate = robot_error_larger(sample->tolerances, sample->mujoco);
  robot_track_free(&reference);
  return status;
}

/* who ran, and in which process */
static void name_sample(const study_run *run, const robot_entry *e, robot_sample *s) {
  static const char *const solvers[] = {[ROBOT_REFERENCE] = "reference",
                                        [ROBOT_MUJOCO] = "mujoco",
                                        [ROBOT_LIBESS] = "libess",
                                        [ROBOT_PLAIN] = "plain"};
  s->process = s->start % run->processes;
  s->solver = solvers[e->kind];
  s->variant = e->variant;
  s->time_step = e->kind == ROBOT_MUJOCO ? e->knob : (double)NAN;
  s->rtol = e->kind == ROBOT_MUJOCO ? (double)NAN : e->knob;
}

/* a cell, which is the number of a start */
static int robot_measure(study_run *run, const void *cell) {
  const robot_case *const c = run->own;
  double *const x0 = calloc(c->size.dimension + 1, sizeof *x0);
  robot_sample *const sample = calloc(c->entries, sizeof *sample);
  int status =
      x0 && sample ? run_start(run, *(const size_t *)cell, x0, sample) : study_out_of_memory(run);
  // a cell that was cut short is none
  if (!status && *run->interrupted) status = -1;
  for (size_t i = 0; !status && i < c->entries; i++) {
    name_sample(run, &c->entry[i], &sample[i]);
    study_add(run, ROBOT_SAMPLES, &sample[i]);
  }
  free(x0);
  free(sample);
  return status;
}

/* ---- the first start over time --------------------------------------------------------------- */

static void add_touchdowns(study_run *run, const robot_track *t) {
  const robot_case *const c = run->own;
  for (size_t i = 0; i < t->touches; i++) {
    if (!robot_event_is_contact(c->robot, t->touch[i].event)) continue;
    const robot_touchdown_row row = {t->touch[i].time,
                                     robot_event_name(c->robot, t->touch[i].event)};
    study_add(run, ROBOT_TOUCHDOWNS, &row);
  }
}

static void add_errors(study_run *run, const robot_entry *e, const robot_track *t,
                       const robot_track *of, size_t count) {
  const robot_settings *const s = run->settings;
  const char *const who = e->kind == ROBOT_MUJOCO ? e->variant : robot_who[e->kind];
  for (size_t i = 1; i < count && i < t->reached; i++) {
    if (!t->at_end[i]) continue;
    const robot_time_row row = {who, e->knob, e->own, (double)i * s->output_step,
                                robot_apart_at(run, t, of, i)};
    study_add(run, ROBOT_ERRORS, &row);
  }
}

/* the position or velocity that is furthest off, over what the reference's own range is */
static size_t most_apart(const study_run *run, const robot_track *t, const robot_track *of,
                         size_t count) {
  const robot_case *const c = run->own;
  size_t found = 0;
  double most = -1.0;
  for (size_t k = 0; k < c->size.nq + c->size.nv; k++) {
    double low = INFINITY, high = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < count && i < t->reached; i++) {
      const double value = of->states[i * c->size.dimension + k],
                   off = t->states[i * c->size.dimension + k] - value;
      low = fmin(low, value);
      high = fmax(high, value);
      sum += off * off;
    }
    // a state that hardly moves is nobody's interest
    const double share = sum / (1e-6 + (high - low) * (high - low));
    if (share > most) most = share, found = k;
  }
  return found;
}

static void add_path(study_run *run, const robot_track *t, const robot_track *of, size_t count) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension, parting = most_apart(run, t, of, count);
  for (size_t k = 0; k < n; k++) {
    char name[ROBOT_NAME_SIZE];
    robot_state_name(c->robot, k, name);
    const char *const state = study_text(run, "%s", name);
    for (size_t i = 0; i < count; i++) {
      const robot_path_row row = {.t = (double)i * s->output_step,
                                  .state = state,
                                  .unit = robot_state_unit(c->robot, k),
                                  .parts = k == parting,
                                  .counts = k >= c->size.nq || robot_state_counts(c->robot, k),
                                  .reference = of->states[i * n + k],
                                  .mujoco = i < t->reached ? t->states[i * n + k] : NAN};
      study_add(run, ROBOT_PATHS, &row);
    }
  }
}

/* which runs are drawn over time: MuJoCo's own; of libess and of plain, by the first base, every
 * other tolerance down to the smallest */
static bool is_drawn(const robot_settings *s, const robot_entry *e) {
  if (e->kind == ROBOT_MUJOCO) return e->own;
  if (e->variant != robot_bases[s->bases.index[0]]) return false;
  for (size_t i = s->tolerances.count; i > 0; i--)
    if (s->tolerances.value[i - 1] == e->knob) return (s->tolerances.count - i) % 2 == 0;
  return false;
}

/* an entry as it ran from the first start: no clock has a say in where it ends */
static int repeat(study_run *run, const robot_entry *e, const robot_sample *ran, const double x0[],
                  bool listen, robot_track *t) {
  t->most_steps = ran->steps;
  return robot_follow(run, e, x0, listen, t);
}

/* the outputs that its reference reaches by both its tolerances */
static size_t count_outputs(const study_run *run, const robot_sample *reference) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  size_t count = 0;
  while (count < c->outputs && (double)count * s->output_step <= reference->until) count++;
  return count;
}

/* `ran` is what is known of the first start's runs, in the order of the entries */
static int add_runs(study_run *run, const robot_sample ran[], const double x0[],
                    robot_track *reference, robot_track *t) {
  const robot_case *const c = run->own;
  const robot_settings *const s = run->settings;
  const size_t count = count_outputs(run, ran);
  int status = repeat(run, c->entry, ran, x0, true, reference);
  if (!status) add_touchdowns(run, reference);
  for (size_t i = 1; !status && i < c->entries; i++) {
    if (!is_drawn(s, &c->entry[i])) continue;
    status = repeat(run, &c->entry[i], &ran[i], x0, false, t);
    if (!status) add_errors(run, &c->entry[i], t, reference, count);
    if (!status && c->entry[i].own) add_path(run, t, reference, count);
  }
  return status;
}

static int robot_derive_paths(study_run *run) {
  const robot_case *const c = run->own;
  const robot_sample *const ran = study_rows(run, ROBOT_SAMPLES, NULL);
  robot_track reference = {0}, t = {0};
  double *const x0 = calloc(c->size.dimension + 1, sizeof *x0);
  int status = x0 ? 0 : study_out_of_memory(run);
  if (!status && robot_start_of(run, 0, x0)) status = -1;
  if (!status && (robot_track_alloc(run, &reference) || robot_track_alloc(run, &t))) status = -1;
  if (!status) status = add_runs(run, ran, x0, &reference, &t);
  robot_track_free(&reference);
  robot_track_free(&t);
  free(x0);
  return status;
}

/* ---- what a field costs ---------------------------------------------------------------------- */

/* states that a cost is the mean over, and how often. Beyond so many states a robot's Jacobians
 * take longer than its study. */
enum { STATES = 500, ROUNDS = 20, DIMENSION_MAX = 200 };

/* of dopri5: how far it is stable along the negative axis, and evaluations of a step */
static const double stable_to = 3.3, stages = 6.0;

/* it is no failure of the study where a robot falls apart on the way */
static void measure(study_run *run, double x[], double states[], robot_bounds *b) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const size_t count = (size_t)fmin(STATES, ceil(s->time / s->output_step));
  double until;
  robot_set_control(c->robot, robot_controls_at(&c->controls, 0.0, &until));
  if (robot_cost_states(c->robot, x, s->output_step, count, states)) return;
  robot_cost cost;
  if (!robot_cost_at(c->robot, states, count, ROUNDS, &cost)) {
    b->cost = cost;
    // differences of times: one that is hardly there may come out below nothing
    double *const parts[] = {&b->cost.inertia, &b->cost.rows, &b->cost.forces, &b->cost.rates};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) *parts[i] = fmax(0.0, *parts[i]);
  }
  b->radius = robot_spectral_radius(run, states, count);
  b->evaluations = stages * b->radius / stable_to;
}

/* along the first start */
static int measure_bounds(study_run *run, robot_bounds *b) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  *b = (robot_bounds){{NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, NAN, NAN};
  if (n > DIMENSION_MAX) return 0;
  double *const states = calloc((STATES + 1) * n, sizeof *states), *const x = states + STATES * n;
  if (!states) return study_out_of_memory(run);
  const int status = robot_start_of(run, 0, x) ? -1 : 0;
  if (!status) measure(run, x, states, b);
  free(states);
  return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int add_facts(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  robot_top top = {.file = run->operand,
                   .period = robot_period(c),
                   .twin_gap = c->twin_gap,
                   .twin_text_gap = c->twin_text_gap,
                   .broken = c->broken,
                   .pose = s->qpos ? "qpos" : robot_start_pose(c->robot),
                   .sizes = c->size};
  return measure_bounds(run, &top.bounds) ? -1 : study_add(run, ROBOT_FACTS, &top);
}

static void add_runs_of(study_run *run) {
  const robot_case *const c = run->own;
  for (size_t i = 0; i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i];
    const robot_run_row row = {i, i ? robot_who[e->kind] : "reference", e->variant, e->knob,
                               e->own};
    study_add(run, ROBOT_RUNS, &row);
  }
}

static void add_findings(study_run *run) {
  static const char *const treatments[] = {
      [ROBOT_SMOOTH] = "smooth",     [ROBOT_GUARDED] = "guarded", [ROBOT_KINK] = "kink",
      [ROBOT_FOLLOWED] = "followed", [ROBOT_REFUSED] = "refused", [ROBOT_LEFT_OUT] = "left out"};
  const robot_case *const c = run->own;
  const robot_finding *const all = robot_findings(c->robot);
  for (size_t i = 0; i < robot_finding_count(c->robot); i++) {
    const robot_finding_row row = {.treatment = treatments[all[i].treatment],
                                   .kind = all[i].kind,
                                   .name = all[i].name,
                                   .why = all[i].why,
                                   .events = all[i].events};
    study_add(run, ROBOT_FINDINGS, &row);
  }
}

static int derive(study_run *run) {
  add_runs_of(run);
  add_findings(run);
  return robot_choose(run) || robot_derive_paths(run) || add_facts(run) ? -1 : 0;
}

/* ---- the study ------------------------------------------------------------------------------- */

#define RUNS(kind, columns_, ...)                                                                  \
  STUDY_TABLE(columns_, robot_row,                                                                 \
              .from = "laps WHERE who = '" kind "' GROUP BY row ORDER BY row", __VA_ARGS__)

const study robot_race_study = {
    .name = "robot-race",
    .summary = "race of MuJoCo and libess on a model (MJCF) at equal errors",
    .example = "essbench robot ant.xml --race --starts 3",
    .file = "robot",
    ROBOT_STUDY("FILE", size_t),
    .schema = "essbench-robot-1",
    .pinned = true,
    .processes = 1,
    .table = "show the results in the folder, also of an initial condition in progress; nothing is "
             "measured",
    .cells = "initial conditions",
    .words = words,
    .tables =
        {
            [ROBOT_SAMPLES] = STUDY_ROWS(robot_sample, .sql = STUDY_LAP,
                                         .meaning = "one run from one initial condition"),
            [ROBOT_TOP] =
                STUDY_TABLE(robot_top_columns, robot_top, .json = "", .from = robot_top_sql,
                            .meaning = "the model, and its reference"),
            [ROBOT_FINDINGS] =
                STUDY_ROWS(robot_finding_row, .json = "survey",
                           .meaning = "what switches in the model, and what is made of it"),
            [ROBOT_MUJOCO_ROWS] =
                RUNS("MuJoCo", robot_mujoco_columns, .json = "mujoco", .csv = "robot_mujoco.csv",
                     .meaning = "one integrator at one time step"),
            [ROBOT_LIBESS_ROWS] =
                RUNS("libess", robot_libess_columns, .json = "libess", .csv = "robot_libess.csv",
                     .meaning = "one base and tolerance of libess"),
            [ROBOT_PLAIN_ROWS] = RUNS(
                "plain", robot_libess_columns, .json = "plain", .csv = "robot_plain.csv",
                .meaning = "one base and tolerance of libess on MuJoCo's field, without guards"),
            [ROBOT_ORDERS] = STUDY_ROWS(robot_order_row, .json = "orders", .from = robot_orders_sql,
                                        .meaning = "one of MuJoCo's integrators"),
            [ROBOT_REACH] =
                STUDY_ROWS(robot_reach_row, .json = "reach", .csv = "robot_reach.csv",
                           .from = robot_reach_sql, .meaning = "an error that is asked for"),
            [ROBOT_HELD_OUT] = STUDY_ROWS(
                robot_held_out, .csv = "robot_held_out.csv", .from = robot_held_out_sql,
                .meaning =
                    "a target error, at an initial condition that did not choose the setting"),
            [ROBOT_TOUCHDOWNS] =
                STUDY_ROWS(robot_touchdown_row, .json = "touchdowns", .csv = "robot_touchdowns.csv",
                           .meaning = "a touch-down"),
            [ROBOT_ERRORS] =
                STUDY_ROWS(robot_time_row, .csv = "robot_errors.csv",
                           .meaning = "one run of the first initial condition at one time"),
            [ROBOT_PATHS] =
                STUDY_ROWS(robot_path_row, .csv = "robot_paths.csv",
                           .meaning = "one state of the first initial condition at one time"),
            [ROBOT_FACTS] = STUDY_TABLE(robot_fact_columns, robot_top, .sql = "robot_facts",
                                        .meaning = "the model, and what its fields cost"),
            [ROBOT_RUNS] = STUDY_ROWS(robot_run_row, .sql = "robot_entries",
                                      .meaning = "what runs from each initial condition"),
            [ROBOT_CHOICES] =
                STUDY_ROWS(robot_choice_row, .sql = "robot_choices",
                           .meaning = "the setting of a program for an error that is asked for"),
        },
    .laps = robot_laps_sql,
    .check = check,
    .plan = plan,
    .run = robot_measure,
    .derive = derive,
    .show = robot_show,
    .show_table = robot_show_runs,
    .show_part = robot_show_part,
    .release = robot_case_close,
};
