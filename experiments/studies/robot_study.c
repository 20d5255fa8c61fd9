/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robot: how wrong MuJoCo's trajectories of a given robot are at which time step, and what
 * a right one costs, on the robot's own equations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "race.h"
#include "robot_study.h"
#include "studies.h"

#define OPTIONS(X, row)                                                                            \
  X(row, time, NUMBER, "time", "S", "duration of a run, s", .initial = "1", .min = 1e-3,           \
    .max = 1e3, .result = "time")                                                                  \
  X(row, output_step, NUMBER, "output-step", "S",                                                  \
    "interval of the times at which states are compared, s", .initial = "0.002", .min = 1e-5,      \
    .max = 10, .result = "output_step")                                                            \
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
    "cheaper), "                                                                                   \
    "ros2 (springs and dampers implicit) or rodas (implicit); and of event-unaware solvers: heun " \
    "and adams2, of order 2",                                                                      \
    .initial = "dopri5,chosen,rkc,ros2,heun,adams2", .names = robot_bases, .result = "base")       \
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
    {"dopri5, rkc, chosen, ros2, rodas", "step methods of libess: see --base"},
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

/* ---- rows ------------------------------------------------------------------------------------ */

/* of the model, as the database has it and in the row of all */
#define FACTS(X)                                                                                   \
  X("file", file, TEXT, "", "the model, as given")                                                 \
  X("pose", pose, TEXT, "",                                                                        \
    "that initial conditions are made of: qpos, keyframe 0, init_qpos or qpos0")                   \
  X("positions", sizes.nq, COUNT, "", "nq")                                                        \
  X("velocities", sizes.nv, COUNT, "", "nv")                                                       \
  X("activations", sizes.na, COUNT, "", "na")                                                      \
  X("actuators", sizes.nu, COUNT, "", "nu")                                                        \
  X("bodies", sizes.bodies, COUNT, "", "the world among them")                                     \
  X("events", sizes.events, COUNT, "", "event functions")                                          \
  X("time_step", sizes.time_step, AMOUNT, "s", "the model's own")                                  \
  X("integrator", sizes.integrator, TEXT, "", "the model's own")                                   \
  X("period", period, AMOUNT, "s",                                                                 \
    "a row of --ctrl is held for so long; not known: it is held to the end")                       \
  X("twin_gap", twin_gap, AMOUNT, "",                                                              \
    "of a twin: RMS difference of its field from MuJoCo's, over the field's RMS")                  \
  X("twin_text_gap", twin_text_gap, AMOUNT, "",                                                    \
    "the same from the twin's own text, whose contacts have an added mass")                        \
  X("broken", broken, AMOUNT, "",                                                                  \
    "the most by which the first initial condition, as its pose, breaks an equality: m, rad, or "  \
    "a tendon's length")
#define COST(X, member, meaning) X("cost." #member "_s", bounds.cost.member, AMOUNT, "s", meaning)
#define COSTS(X)                                                                                   \
  COST(X, field,                                                                                   \
       "a right-hand-side evaluation at a new state: the four that follow, along the first run")   \
  COST(X, kinematics, "poses of bodies, lengths of tendons")                                       \
  COST(X, inertia, "its factors, and transmissions")                                               \
  COST(X, rows, "of contacts and limits that act")                                                 \
  COST(X, forces, "velocities, actuators, and the search for the rows' forces")                    \
  COST(X, guards, "event functions, at a state not seen before")                                   \
  COST(X, rates, "their rates, after the field")                                                   \
  COST(X, step, "mj_step by Euler, along the same states")                                         \
  X("cost.acting", bounds.cost.acting, AMOUNT, "", "contacts and limits that act there, the mean") \
  X("stiffness.spectral_radius", bounds.radius, AMOUNT, "1/s",                                     \
    "of the field's Jacobian there, the mean")                                                     \
  X("stiffness.evaluations", bounds.evaluations, AMOUNT, "1/s",                                    \
    "that dopri5 takes in a second where stability alone sets its steps")
#define FACT(called, member, ...) COLUMN_AS(called, robot_top, member, __VA_ARGS__),
#define TAKEN_FACT(called, member, ...)                                                            \
  COLUMN_AS(called, robot_top, member, __VA_ARGS__, .sql = "`" called "`"),
static const column fact_columns[] = {FACTS(FACT) COSTS(FACT){0}};

#define FOUND(called, member, sql_, ...)                                                           \
  COLUMN_AS(called, robot_top, member, __VA_ARGS__, .sql = sql_)
#define ABOUT(member, ...) FOUND("reference." #member, member, #member, __VA_ARGS__)
#define OFF(member, ...)   FOUND("off." #member, off.member, __VA_ARGS__)

static const column top_columns[] = {
    FACTS(TAKEN_FACT) //
    FOUND("growth", growth, "growth", AMOUNT, "",
          "of a disturbance of 1e-8 of the velocities, at most, by MuJoCo's steps; median"),
    FOUND("reached", reached, "reached", COUNT, "",
          "initial conditions whose reference reaches the end"),
    ABOUT(until, AMOUNT, "s", "time that the reference of every initial condition reaches"),
    FOUND("reference.status", status, "ended", TEXT, "",
          "success, or why the shortest reference ends there"),
    ABOUT(contact, TEXT, "", "where that happens"),
    ABOUT(size, AMOUNT, "",
          "of its states: root mean square over positions and velocities and the output times; "
          "median"),
    ABOUT(estimate, AMOUNT, "",
          "of its error: the larger of the two below, by initial condition; median"),
    ABOUT(estimate_worst, AMOUNT, "", "of all initial conditions"),
    ABOUT(bodies_estimate, AMOUNT, "m", "likewise, of the bodies' origins; median"),
    ABOUT(hinges_estimate, AMOUNT, "rad", "likewise, of the hinges' angles; median"),
    ABOUT(tolerances_apart, AMOUNT, "", "from libess at ten times its tolerance; median"),
    ABOUT(mujoco_apart, AMOUNT, "",
          "from mj_step at its smallest steps, two of them extrapolated where that is nearer; "
          "median"),
    ABOUT(
        check_step, AMOUNT, "s",
        "the smallest of those, by RK4: --check-step, or what --budget lets it be; the largest of "
        "the initial conditions"),
    ABOUT(jumps, AMOUNT, "",
          "jumps of the points of followed contacts, that no event function detects; median"),
    ABOUT(refused, AMOUNT, "",
          "share of its steps that were tried in vain, there and elsewhere; median"),
    OFF(base, "base_off", AMOUNT, "m",
        "largest error of the base from the first initial condition, along one axis, by the "
        "model's own "
        "step; not known where nothing floats or is off"),
    OFF(axis, "coalesce(axis, '')", TEXT, "", "that axis"),
    OFF(name, "coalesce(joint, '')", TEXT, "", "of the joint that is off the most"),
    OFF(joint, "joint_off", AMOUNT, "", "how far that is, at most, in the unit that follows"),
    OFF(unit, "coalesce(joint_unit, '')", TEXT, "", "m or rad"),
    OFF(from, "begins", AMOUNT, "s", "when its error is a tenth of its largest"),
    OFF(after, "coalesce(foot, '')", TEXT, "", "the last touch-down before"),
    OFF(after_time, "touched_at", AMOUNT, "s", "its time"),
    COSTS(TAKEN_FACT){0},
};

/* over the starts */
#define RUN(member, sql_, ...)       COLUMN(robot_row, member, __VA_ARGS__, .sql = sql_)
#define MEDIAN_OF(member, unit, ...) RUN(member, "median(" #member ")", AMOUNT, unit, __VA_ARGS__)
#define ERRORS                                                                                     \
  MEDIAN_OF(                                                                                       \
      rms_error, "",                                                                               \
      "against the reference: root mean square over positions, quaternions normalised, and "       \
      "velocities, in SI units mixed, over the output times; median over the initial conditions"), \
      RUN(rms_low, "quantile(rms_error, 0.25)", AMOUNT, "", "its lower quartile"),                 \
      RUN(rms_high, "quantile(rms_error, 0.75)", AMOUNT, "", "its upper quartile"),                \
      MEDIAN_OF(position_error, "m", "of the bodies' origins, root mean square; median"),          \
      MEDIAN_OF(hinge_error, "rad", "of the hinges' angles, root mean square; median"),            \
      MEDIAN_OF(seconds, "s", "wall time of a run; median"),                                       \
      RUN(estimate, "known_to", AMOUNT, "",                                                        \
          "error of the reference, below which nothing is claimed"),                               \
      RUN(known, "count(rms_error)", COUNT, "", "initial conditions with numbers"),                \
      RUN(note,                                                                                    \
          "coalesce(substr(min(printf('%09d', trial) || message) "                                 \
          "FILTER (WHERE message <> ''), 10), '')",                                                \
          TEXT, "", "why there are none of others")
#define RUNS(kind, columns_, ...)                                                                  \
  STUDY_TABLE(columns_, robot_row,                                                                 \
              .from = "laps WHERE who = '" kind "' GROUP BY row ORDER BY row", __VA_ARGS__)

static const column mujoco_columns[] = {
    RUN(variant, "method", TEXT, "", "MuJoCo's integrator"),
    COLUMN_AS("time_step", robot_row, knob, AMOUNT, "s", "of mj_step", .sql = "knob"),
    RUN(own, "own", FLAG, "", "whether both are the model's own"),
    ERRORS,
    {0},
};

static const column libess_columns[] = {
    COLUMN_AS("base", robot_row, variant, TEXT, "", "how steps are made: one of --base",
              .sql = "method"),
    COLUMN_AS("tolerance", robot_row, knob, AMOUNT, "", "rtol = atol", .sql = "knob"),
    ERRORS,
    RUN(evaluations, "median(field_evaluations)", AMOUNT, "", "of the field; median"),
    {0},
};

/* ---- the study ------------------------------------------------------------------------------- */

const study robot_study = {
    .name = "robot-race",
    .summary = "race of MuJoCo and libess on a model (MJCF) at equal errors",
    .example = "essbench robot ant.xml --race --starts 3",
    .file = "robot",
    .group = STUDY_MECHANISMS,
    .schema = "essbench-robot-1",
    .operand = "FILE",
    .own_models = true,
    .printable = true,
    .pinned = true,
    .processes = 1,
    .table = "show the results in the folder, also of an initial condition in progress; nothing is "
             "measured",
    .cells = "initial conditions",
    .options = options,
    .words = words,
    .settings_size = sizeof(robot_settings),
    .cell_size = sizeof(size_t),
    .tables =
        {
            [ROBOT_SAMPLES] = STUDY_ROWS(robot_sample, .sql = STUDY_LAP,
                                         .meaning = "one run from one initial condition"),
            [ROBOT_TOP] = STUDY_TABLE(top_columns, robot_top, .json = "", .from = robot_top_sql,
                                      .meaning = "the model, and its reference"),
            [ROBOT_FINDINGS] =
                STUDY_ROWS(robot_finding_row, .json = "survey",
                           .meaning = "what switches in the model, and what is made of it"),
            [ROBOT_MUJOCO_ROWS] =
                RUNS("MuJoCo", mujoco_columns, .json = "mujoco", .csv = "robot_mujoco.csv",
                     .meaning = "one integrator at one time step"),
            [ROBOT_LIBESS_ROWS] =
                RUNS("libess", libess_columns, .json = "libess", .csv = "robot_libess.csv",
                     .meaning = "one base and tolerance of libess"),
            [ROBOT_PLAIN_ROWS] = RUNS(
                "plain", libess_columns, .json = "plain", .csv = "robot_plain.csv",
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
            [ROBOT_FACTS] = STUDY_TABLE(fact_columns, robot_top, .sql = "robot_facts",
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
    .derive = robot_derive,
    .show = robot_show,
    .show_table = robot_show_runs,
    .show_part = robot_show_part,
    .release = robot_case_close,
};
