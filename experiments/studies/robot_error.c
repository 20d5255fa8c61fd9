/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robot: how large the error of MuJoCo's time steps is on a model, and which step a user
 * would need. There is always an answer for the whole time, and it has a bound: by libess to ever
 * smaller tolerances; behind an event function that stops a run, without those; or by MuJoCo's own
 * steps, ever finer. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
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
    .initial = "1", .min = 1, .max = 1000, .result = "starts")                                     \
  ROBOT_START_OPTIONS(X, row)                                                                      \
  X(row, budget, NUMBER, "budget", "S",                                                            \
    "time of the processor that an answer may take, s; what it does not suffice for makes the "    \
    "bound larger",                                                                                \
    .initial = "60", .min = 1e-3, .max = 1e6, .result = "budget")                                  \
  X(row, derivative, FLAG, "derivative", NULL,                                                     \
    "compare derivatives instead, with the options of essbench robot-derivative", .shows = true)   \
  X(row, race, FLAG, "race", NULL,                                                                 \
    "race MuJoCo and libess instead, with the options of essbench robot-race", .shows = true)
static const study_option options[] = {OPTIONS(OPTION_LINE, robot_settings){0}};

static const study_word words[] = {
    {"bodies, hinges",
     "root mean square error of the origins of all bodies, of the angles of all hinges"},
    {"+-", "bound: the error of MuJoCo differs from the number by no more than that"},
    {"worst joint", "hinge or slide joint with the largest error at any time"},
    {"largest step",
     "the largest time step tried whose error, and that of all smaller ones, is small "
     "enough"},
    {"event function", "function of the state that is zero when a contact or limit begins or ends"},
    {"unstable", "MuJoCo's run at this step leaves the finite numbers"},
    {0},
};

/* ---- samples --------------------------------------------------------------------------------- */

/* What a sample is of: the answer; MuJoCo at a step; a joint; a time. */
static const char *const of_answer = "answer", *const of_step = "step", *const of_joint = "joint",
                         *const of_time = "time";

/* How an answer was obtained. */
static const char *const by_events = "libess", *const by_field = "libess, without event functions",
                         *const by_steps = "MuJoCo's fine steps", *const by_none = "";

typedef struct error_sample {
  size_t file, start;
  const char *kind, *model, *name, *unit, *how, *note;
  double knob, bodies, bodies_bound, hinges, hinges_bound, states, states_bound, most, most_bound;
  double at, until, seconds, total;
  bool own;
} error_sample;

static const column sample_columns[] = {
    COLUMNS(error_sample, COUNT, file, start),
    COLUMNS(error_sample, TEXT, kind, model, name, unit, how, note),
    COLUMNS(error_sample, AMOUNT, knob, bodies, bodies_bound, hinges, hinges_bound),
    COLUMNS(error_sample, AMOUNT, states, states_bound, most, most_bound),
    COLUMNS(error_sample, AMOUNT, at, until, seconds, total),
    COLUMNS(error_sample, FLAG, own),
    {0},
};

/* ---- rows ------------------------------------------------------------------------------------ */

enum { ANSWERS = STUDY_SAMPLES + 1, STEPS, JOINTS, TIMES };

#define WHICH(COLUMN, row)                                                                         \
  COLUMN(row, file, COUNT, "", "its place among the files, from 0 on")                             \
  COLUMN(row, start, COUNT, "", "the initial condition, from 0 on")

#define ERRORS(COLUMN, row)                                                                        \
  COLUMN(row, bodies, AMOUNT, "m", "error of the bodies' origins, root mean square")               \
  COLUMN(row, hinges, AMOUNT, "rad", "error of the hinges' angles, root mean square")              \
  COLUMN(row, states, AMOUNT, "",                                                                  \
         "error of positions and velocities, root mean square, in SI units mixed")

#define ANSWER_COLUMNS(COLUMN, row)                                                                \
  WHICH(COLUMN, row)                                                                               \
  COLUMN(row, model, TEXT, "", "its name, or its file's")                                          \
  COLUMN(row, how, TEXT, "",                                                                       \
         "libess; libess, without event functions (from a time on); MuJoCo's fine steps; empty: "  \
         "there is no answer")                                                                     \
  COLUMN(row, knob, AMOUNT, "", "the tolerance of libess, or MuJoCo's finest step, s")             \
  COLUMN(row, until, AMOUNT, "s", "the time that the answer is of")                                \
  COLUMN(row, at, AMOUNT, "s",                                                                     \
         "from when on there are no event functions; not known: there always are, or never")       \
  ERRORS(COLUMN, row)                                                                              \
  COLUMN(row, bodies_bound, AMOUNT, "m", "by how much the true error may differ, at most")         \
  COLUMN(row, hinges_bound, AMOUNT, "rad", "likewise")                                             \
  COLUMN(row, states_bound, AMOUNT, "", "likewise")                                                \
  COLUMN(row, seconds, AMOUNT, "s", "until the first number was there, of the processor")          \
  COLUMN(row, total, AMOUNT, "s", "until all was there, of the processor")                         \
  COLUMN(row, note, TEXT, "", "why there is no answer, or what it leaves out")
COLUMN_ROW(answer_row, ANSWER_COLUMNS);

#define STEP_COLUMNS(COLUMN, row)                                                                  \
  WHICH(COLUMN, row)                                                                               \
  COLUMN(row, name, TEXT, "", "MuJoCo's integrator")                                               \
  COLUMN(row, knob, AMOUNT, "s", "its time step")                                                  \
  COLUMN(row, own, FLAG, "", "whether both are the model's own")                                   \
  ERRORS(COLUMN, row)                                                                              \
  COLUMN(row, seconds, AMOUNT, "s", "of a run")                                                    \
  COLUMN(row, note, TEXT, "", "why there is no error: unstable at this step")
COLUMN_ROW(step_row, STEP_COLUMNS);

#define JOINT_COLUMNS(COLUMN, row)                                                                 \
  WHICH(COLUMN, row)                                                                               \
  COLUMN(row, name, TEXT, "", "the joint, or a coordinate of a free body")                         \
  COLUMN(row, unit, TEXT, "", "m or rad")                                                          \
  COLUMN(row, most, AMOUNT, "", "its largest error over time, at the model's own settings")        \
  COLUMN(row, most_bound, AMOUNT, "", "by how much that may differ, at most")                      \
  COLUMN(row, at, AMOUNT, "s", "when that is")
COLUMN_ROW(joint_row, JOINT_COLUMNS);

#define TIME_COLUMNS(COLUMN, row)                                                                  \
  WHICH(COLUMN, row)                                                                               \
  COLUMN(row, at, AMOUNT, "s", "time")                                                             \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "error of the bodies' origins at that time, at the model's own "                          \
         "settings, root mean square")                                                             \
  COLUMN(row, hinges, AMOUNT, "rad", "error of the hinges' angles, likewise")
COLUMN_ROW(time_row, TIME_COLUMNS);

/* ---- the files ------------------------------------------------------------------------------- */

/* a cell */
typedef struct place {
  size_t file, start;
} place;

/* the file number `index` of those given, one a line */
static const char *file_at(study_run *run, const char *operand, size_t index) {
  for (; index > 0; index--) operand = strchr(operand, '\n') + 1;
  return study_text(run, "%.*s", (int)strcspn(operand, "\n"), operand);
}

static size_t count_files(const char *operand) {
  size_t count = 1;
  for (; *operand; operand++) count += *operand == '\n';
  return count;
}

/* what opens a case wants its file as the only one */
static int open_file(study_run *run, const char *file) {
  const char *const all = run->operand;
  run->operand = file;
  int status = robot_case_open(run, true);
  if (!status) status = robot_outlook(run, false);
  run->operand = all;
  return status;
}

static void close_file(study_run *run) {
  robot_case_close(run);
  run->own = NULL;
}

static int check(study_run *run) {
  struct stat about;
  uint64_t content = 0;
  if (count_files(run->operand) == 1) {
    const int status = open_file(run, run->operand);
    content = run->content;
    close_file(run);
    return status;
  }
  for (size_t i = 0; i < count_files(run->operand); i++) {
    const char *const file = file_at(run, run->operand, i);
    if (stat(file, &about)) return SOLVER_REFUSE(run->message, "%.300s cannot be read", file);
    content = content * 31u + (uint64_t)about.st_size * 7u + (uint64_t)about.st_mtime;
  }
  run->content = content;
  return 0;
}

static int plan(study_run *run, size_t stage) {
  const robot_settings *const s = run->settings;
  const size_t files = count_files(run->operand);
  for (size_t i = 0; stage == 0 && i < files * s->starts; i++) {
    const place at = {i / s->starts, i % s->starts};
    study_cell(run, &at, "file=%zu start=%zu", at.file, at.start);
  }
  return 0;
}

/* ---- an answer ------------------------------------------------------------------------------- */

/* halvings of the model's own step; and how many of their runs are kept */
enum { HALVINGS = 9, KEPT = 3 };

/* The first tolerance, and the last. An answer is good where its bound is that share of the error,
 * which is smaller as long as it costs a small share of the budget; or less than what nobody asks
 * for, m and rad. */
static const double first_tolerance = 1e-4, last_tolerance = 1e-10, good_share = 0.1,
                    better_share = 0.01, cheap_share = 0.05, negligible = 1e-6;

/* shares of the budget: of the first answer, and of all that makes the bound small; the rest is for
 * MuJoCo's other steps. And by how much longer than the last one the next run may be expected to
 * take: by a tenth of the tolerance, or by half of the step. */
static const double first_share = 0.15, bound_share = 0.7, tighter_s = 2.5, halved_s = 2.0;

/* of a spectral radius times a step: beyond it explicit steps are as short as stability has them */
static const double stiff = 100.0;

typedef struct answering {
  study_run *run;
  place at;
  const char *model;
  double *x0;
  uint64_t begin_ns;
  robot_entry own, libess;
  robot_track mine; /* of the model's own setting */
  robot_track reference, looser, step[KEPT], spare;
  robot_error moved[HALVINGS + 1]; /* from each halving to the next */
  double step_seconds;             /* of the finest run */
  size_t halvings, outputs;
  bool has_reference, has_looser, no_tighter, no_finer;
  double first_s;
  bool parts;               /* libess and MuJoCo's finest steps do not lead to the same */
  robot_error error, bound; /* of the model's own setting */
  const char *how, *note;
} answering;

static double elapsed(const answering *a) {
  return 1e-9 * (double)(measure_thread_ns() - a->begin_ns);
}

static double left(const answering *a, double share) {
  const robot_settings *const s = a->run->settings;
  return share * s->budget - elapsed(a);
}

static robot_track *finest(answering *a) {
  return &a->step[a->halvings % KEPT];
}

static void swap(robot_track *x, robot_track *y) {
  const robot_track z = *x;
  *x = *y;
  *y = z;
}

/* ---- errors and bounds ----------------------------------------------------------------------- */

enum { MEASURES = 3 };

/* a measure of an error by its number */
static double *measure_of(robot_error *e, size_t i) {
  return i == 0 ? &e->bodies : i == 1 ? &e->hinges : &e->states;
}

static robot_error plus(robot_error a, robot_error b) {
  return (robot_error){a.states + b.states, a.bodies + b.bodies, a.hinges + b.hinges};
}

/* how far the finest steps are from where ever finer ones lead, by the last three differences of
 * halvings: what follows is a geometric series of a ratio that is at least `slowest` */
static double left_over(const double moved[], size_t halvings) {
  static const double slowest = 1.25, fastest = 2.0;
  double most = 0.0, weight = 1.0;
  const double older = halvings > 2 ? moved[halvings - 2] : moved[halvings - 1];
  const double steps = halvings > 2 ? 2.0 : 1.0;
  const double ratio =
      fmin(fastest, fmax(slowest, pow(older / fmax(moved[halvings], 1e-300), 1.0 / steps)));
  for (size_t i = 0; i < 3 && i < halvings; i++, weight /= ratio)
    most = fmax(most, weight * moved[halvings - i] / (ratio - 1.0));
  return most;
}

/* unknown below two halvings */
static robot_error bound_of_steps(const answering *a) {
  robot_error bound = robot_error_unknown;
  for (size_t m = 0; m < MEASURES && a->halvings > 1; m++) {
    double moved[HALVINGS + 1] = {0};
    for (size_t i = 1; i <= a->halvings; i++) {
      robot_error e = a->moved[i];
      moved[i] = *measure_of(&e, m);
    }
    *measure_of(&bound, m) = left_over(moved, a->halvings);
  }
  return bound;
}

/* the finest steps, and where the last two lead as a first order's would, from a reference */
static int from_steps(answering *a, const robot_track *reference, robot_error *plain,
                      robot_error *nearest) {
  const robot_case *const c = a->run->own;
  const robot_track *const now = finest(a), *const before = &a->step[(a->halvings + 2) % KEPT];
  const size_t n = c->size.dimension;
  robot_track led = {0};
  *plain = *nearest = robot_apart(a->run, now, reference, a->outputs);
  if (a->halvings == 0) return 0;
  if (robot_track_alloc(a->run, &led)) return -1;
  for (size_t i = 0; i < a->outputs * n; i++)
    led.states[i] = 2.0 * now->states[i] - before->states[i];
  for (size_t i = 0; i < a->outputs; i++) {
    robot_normalise(c->robot, led.states + i * n);
    led.at_end[i] = now->at_end[i] && before->at_end[i];
  }
  led.reached = a->outputs;
  *nearest = robot_error_smaller(*plain, robot_apart(a->run, &led, reference, a->outputs));
  robot_track_free(&led);
  return 0;
}

/* Of the reference: how far a looser one is, and how far MuJoCo's finest steps are. Where these
 * lead elsewhere the bound takes in both. */
static int bound_of_reference(answering *a, robot_error *bound) {
  static const double elsewhere = 3.0;
  a->parts = false;
  robot_error plain, nearest, steps = bound_of_steps(a), loose = robot_error_unknown;
  if (from_steps(a, &a->reference, &plain, &nearest)) return -1;
  if (a->has_looser) loose = robot_apart(a->run, &a->looser, &a->reference, a->outputs);
  *bound = a->has_looser ? robot_error_larger(loose, nearest) : plus(nearest, steps);
  for (size_t m = 0; m < MEASURES; m++) {
    const double off = *measure_of(&plain, m), may = *measure_of(&steps, m);
    if (a->halvings < 2 || !(off > elsewhere * may)) continue;
    *measure_of(bound, m) = off + may;
    a->parts = a->parts || off > negligible;
  }
  return 0;
}

/* m and rad; of an own run that is unstable, what it is about is the smaller ones */
static bool is_within(const robot_error *error, const robot_error *bound, double share) {
  const double bodies = isnan(error->bodies) ? 1e-3 : error->bodies,
               hinges = isnan(error->hinges) ? 1e-3 : error->hinges;
  return !(bound->bodies > fmax(negligible, share * bodies)) &&
         !(bound->hinges > fmax(negligible, share * hinges)) && !isnan(bound->states);
}

/* by libess where its bound is good, or no worse than that of MuJoCo's own steps */
static int judge(answering *a) {
  robot_error reference = robot_error_unknown, steps = bound_of_steps(a);
  if (a->has_reference && bound_of_reference(a, &reference)) return -1;
  const robot_error by_reference = a->has_reference
                                       ? robot_apart(a->run, &a->mine, &a->reference, a->outputs)
                                       : robot_error_unknown;
  a->how = by_none;
  a->error = a->bound = robot_error_unknown;
  const bool is_libess = a->has_reference && !isnan(reference.states) &&
                         (is_within(&by_reference, &reference, good_share) || isnan(steps.states) ||
                          reference.states <= steps.states);
  if (is_libess) {
    a->how = isnan(a->reference.unguarded) ? by_events : by_field;
    a->error = by_reference;
    a->bound = reference;
  } else if (!isnan(steps.states)) {
    a->how = by_steps;
    a->error = robot_apart(a->run, &a->mine, finest(a), a->outputs);
    // a reference that leads elsewhere says that one of the two is wrong
    a->bound = steps;
    for (size_t m = 0; m < MEASURES && a->has_reference; m++)
      if (*measure_of(&reference, m) > 3.0 * *measure_of(&steps, m))
        *measure_of(&a->bound, m) = *measure_of(&reference, m);
  }
  return 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* libess at a tolerance into a track; whether it reaches the end */
static int follow(answering *a, double tolerance, double most_s, robot_track *t, bool *whole) {
  const robot_case *const c = a->run->own;
  robot_entry e = a->libess;
  e.knob = tolerance;
  t->most_s = most_s;
  t->goes_on = true;
  robot_set_precision(c->robot, tolerance);
  study_within(a->run, "libess at %g", tolerance);
  const int status = robot_follow(a->run, &e, a->x0, false, t);
  *whole = !status && t->reached == c->outputs;
  return status;
}

/* and which option would go on */
static const char *why_libess_ends(const answering *a) {
  const robot_track *const t = &a->reference;
  const bool is_late = strstr(t->status, "--budget");
  const char *const leaves =
      isnan(t->unguarded) ? ""
                          : study_text(a->run, ", without event functions from %.3g s on (%s)",
                                       t->unguarded, t->gave_up);
  if (!is_late)
    return study_text(a->run, "libess ends at %.3g s: %s%s", t->until, t->status, leaves);
  return study_text(a->run, "its share of --budget takes libess to %.3g s%s; a larger one goes on",
                    t->until, leaves);
}

/* the first reference, by the other base where the first has no time */
static int begin(answering *a) {
  const robot_settings *const s = a->run->settings;
  for (int tries = 0; tries < 2 && !a->has_reference; tries++) {
    const int status =
        follow(a, first_tolerance, first_share * s->budget, &a->reference, &a->has_reference);
    if (status) return status;
    if (a->has_reference) break;
    a->note = why_libess_ends(a);
    if (a->libess.variant == robot_bases[ESS_BASE_ROS2]) break;
    a->libess.variant = robot_bases[ESS_BASE_ROS2];
  }
  a->libess.knob = first_tolerance;
  a->no_tighter = !a->has_reference;
  return 0;
}

/* a tenth of the tolerance: the looser one becomes the old one */
static int tighten(answering *a) {
  bool whole;
  const double seconds = tighter_s * a->reference.seconds, tolerance = 0.1 * a->libess.knob;
  a->no_tighter = tolerance < last_tolerance || seconds > left(a, bound_share);
  if (a->no_tighter) return 0;
  const int status = follow(a, tolerance, left(a, bound_share), &a->spare, &whole);
  if (status || !whole) {
    a->no_tighter = true;
    return status;
  }
  swap(&a->looser, &a->reference);
  swap(&a->reference, &a->spare);
  a->libess.knob = tolerance;
  a->has_looser = true;
  return 0;
}

static int halve(answering *a) {
  robot_entry e = a->own;
  robot_track *const t = &a->step[(a->halvings + 1) % KEPT];
  a->no_finer = a->halvings == HALVINGS || halved_s * a->step_seconds > left(a, bound_share);
  if (a->no_finer) return 0;
  e.knob /= pow(2.0, (double)(a->halvings + 1));
  study_within(a->run, "MuJoCo's %s at %g s", e.variant, e.knob);
  const int status = robot_follow(a->run, &e, a->x0, false, t);
  a->step_seconds = t->seconds;
  if (status) return status;
  // what is unstable at the own step need not be at a smaller one
  const robot_track *const before = finest(a);
  const bool known = before->reached == a->outputs && t->reached == a->outputs;
  a->moved[a->halvings + 1] = known ? robot_apart(a->run, before, t, a->outputs)
                                    : (robot_error){INFINITY, INFINITY, INFINITY};
  a->halvings++;
  return 0;
}

/* ---- the answer grows ------------------------------------------------------------------------ */

/* so many halvings tell how finer steps converge */
enum { FEW = 3 };

/* a number for who waits */
static void publish(answering *a) {
  const robot_error e = a->has_reference ? robot_apart(a->run, &a->mine, &a->reference, a->outputs)
                                         : robot_apart(a->run, &a->mine, finest(a), a->outputs);
  if (a->first_s > 0.0) return;
  a->first_s = elapsed(a);
  if (isnan(e.states))
    fprintf(stderr,
            "progress: %s: MuJoCo's %s is unstable at its own step, %g ms, from %.3g s on\n",
            a->model, a->own.variant, 1e3 * a->own.knob, a->mine.until);
  else
    fprintf(stderr,
            "progress: %s: a first number, whose bound is to come: the error is %.2g mm and %.2g "
            "mrad, by %s\n",
            a->model, 1e3 * e.bodies, 1e3 * (isnan(e.hinges) ? 0.0 : e.hinges),
            a->has_reference ? "libess at a tolerance of 1e-4" : "MuJoCo's steps");
}

/* The model's own setting, the base that the first states ask for, and the first reference. */
static int start(answering *a) {
  const robot_case *const c = a->run->own;
  enum { LOOK = 51 };
  int status = robot_start_of(a->run, a->at.start, a->x0) ? -1 : 0;
  a->own = (robot_entry){ROBOT_MUJOCO, c->size.integrator, c->size.time_step, true};
  study_within(a->run, "MuJoCo at its own step");
  if (!status) status = robot_follow(a->run, &a->own, a->x0, false, &a->mine);
  if (!status) status = robot_follow(a->run, &a->own, a->x0, false, &a->step[0]);
  a->step_seconds = a->mine.seconds;
  // a first number by steps, which are there before libess may be
  while (!status && a->halvings < FEW && halved_s * a->step_seconds < left(a, cheap_share))
    status = halve(a);
  if (status) return status;
  if (a->halvings == FEW) publish(a);
  a->libess = (robot_entry){ROBOT_LIBESS, robot_bases[ESS_BASE_DOPRI5], NAN, false};
  if (robot_unfit(c->robot)) {
    a->note = study_text(a->run, "the model has no field: %s", robot_unfit(c->robot));
    a->no_tighter = true;
    return 0;
  }
  enum { DIMENSION_MAX = 200 };
  const size_t seen = a->mine.reached < LOOK ? a->mine.reached : LOOK;
  if (c->size.dimension <= DIMENSION_MAX &&
      robot_spectral_radius(a->run, a->mine.states, seen) * c->size.time_step > stiff)
    a->libess.variant = robot_bases[ESS_BASE_ROS2];
  return begin(a);
}

/* how good an answer is asked for by now */
static double asked(const answering *a) {
  return left(a, cheap_share) > 0.0 ? better_share : good_share;
}

/* what the bound is made of: whether it is the tolerance */
static int wants_tighter(answering *a, bool *wants) {
  robot_error plain, nearest;
  *wants = !a->has_looser;
  if (*wants) return 0;
  if (from_steps(a, &a->reference, &plain, &nearest)) return -1;
  const robot_error loose = robot_apart(a->run, &a->looser, &a->reference, a->outputs);
  *wants = loose.states > nearest.states;
  return 0;
}

/* Until the bound is good, or nothing that would make it smaller fits into the budget. The steps'
 * own bound needs three halvings. */
static int narrow(answering *a) {
  int status = 0;
  if (a->has_reference) publish(a);
  while (!status && !*a->run->interrupted) {
    bool tighter = false;
    if (a->halvings < FEW && !a->no_finer) {
      status = halve(a);
      continue;
    }
    publish(a);
    status = judge(a);
    if (status || is_within(&a->error, &a->bound, asked(a))) break;
    if (a->has_reference) status = wants_tighter(a, &tighter);
    if (a->no_tighter && a->no_finer) break;
    if (!status) status = (tighter && !a->no_tighter) || a->no_finer ? tighten(a) : halve(a);
  }
  return status ? status : judge(a);
}

/* ---- what it says ---------------------------------------------------------------------------- */

static error_sample sample_of(const answering *a, const char *kind) {
  error_sample s;
  column_clear(sample_columns, &s);
  s.file = a->at.file;
  s.start = a->at.start;
  s.kind = kind;
  s.model = a->model;
  return s;
}

static void set_error(error_sample *s, robot_error e) {
  s->bodies = e.bodies;
  s->hinges = e.hinges;
  s->states = e.states;
}

/* the run that errors are told by, and another that says how well it is known */
static const robot_track *truth(answering *a) {
  return a->how == by_steps ? finest(a) : &a->reference;
}

static const robot_track *other(answering *a) {
  return a->how == by_steps ? &a->step[(a->halvings + 2) % KEPT] : finest(a);
}

/* a file beside this one that may have its floor; "" */
static const char *scene_beside(study_run *run, const char *file) {
  const char *const slash = strrchr(file, '/');
  const char *found = "";
  DIR *const folder = opendir(slash ? study_text(run, "%.*s", (int)(slash - file), file) : ".");
  for (const struct dirent *e; folder && !*found && (e = readdir(folder));)
    if (strncmp(e->d_name, "scene", 5) == 0 && strstr(e->d_name, ".xml") &&
        strcmp(e->d_name, slash ? slash + 1 : file) != 0)
      found = study_text(run, "%s", e->d_name);
  if (folder) closedir(folder);
  return found;
}

/* that nothing holds it, which a user may not have seen */
static const char *free_fall(answering *a) {
  const robot_case *const c = a->run->own;
  const double *const g = c->size.gravity;
  const bool pulls = g[0] != 0.0 || g[1] != 0.0 || g[2] != 0.0;
  if (!c->falls || robot_has_ground(c->robot) || !pulls) return "";
  const char *const scene = scene_beside(a->run, file_at(a->run, a->run->operand, a->at.file));
  return study_text(a->run, "the file has no floor, so the robot falls freely%s%s%s",
                    *scene ? "; " : "", scene, *scene ? " beside it may have one" : "");
}

static const char *joined(study_run *run, const char *a, const char *b) {
  return *a && *b ? study_text(run, "%s; %s", a, b) : *a ? a : b;
}

/* why the bound is larger than asked for */
static const char *why_wide(const answering *a) {
  if (is_within(&a->error, &a->bound, good_share) || a->how == by_none) return "";
  if (a->parts)
    return "libess and MuJoCo's finest steps lead to different motions, and the bound takes in "
           "both";
  if (a->halvings == HALVINGS) return "MuJoCo's steps hardly converge, and so the bound is wide";
  return "--budget ended the runs that make the bound smaller";
}

static void add_answer(answering *a) {
  const robot_case *const c = a->run->own;
  error_sample s = sample_of(a, of_answer);
  const bool is_steps = a->how == by_steps;
  s.name = c->size.integrator;
  s.how = a->how;
  s.knob = is_steps ? a->own.knob / pow(2.0, (double)a->halvings) : a->libess.knob;
  s.until = a->how == by_none ? 0.0 : (double)(a->outputs - 1) * c->output_step;
  s.at = is_steps ? NAN : a->reference.unguarded;
  set_error(&s, a->error);
  s.bodies_bound = a->bound.bodies;
  s.hinges_bound = a->bound.hinges;
  s.states_bound = a->bound.states;
  s.seconds = a->first_s;
  s.total = elapsed(a);
  if (a->how == by_field)
    a->note = study_text(a->run, "libess has no event functions from %.3g s on: %s", s.at,
                         a->reference.gave_up);
  if (a->how == by_events) a->note = "";
  s.note = joined(a->run, free_fall(a), joined(a->run, a->note, why_wide(a)));
  study_add(a->run, STUDY_SAMPLES, &s);
}

static void add_joints(answering *a) {
  const robot_case *const c = a->run->own;
  const size_t n = c->size.dimension;
  const robot_track *const of = truth(a), *const by = other(a);
  const robot_track *const third = a->has_reference ? &a->reference : by;
  for (size_t k = 0; k < c->size.nq; k++) {
    char name[ROBOT_NAME_SIZE];
    error_sample s = sample_of(a, of_joint);
    s.unit = robot_state_unit(c->robot, k);
    if (!robot_state_counts(c->robot, k) || (strcmp(s.unit, "m") && strcmp(s.unit, "rad")))
      continue;
    robot_state_name(c->robot, k, name);
    s.name = study_text(a->run, "%s", name);
    s.most = s.most_bound = 0.0;
    for (size_t i = 1; i < a->outputs; i++) {
      const double here = of->states[i * n + k];
      s.most_bound = fmax(s.most_bound, fmax(fabs(by->states[i * n + k] - here),
                                             fabs(third->states[i * n + k] - here)));
      const double off = i < a->mine.reached ? fabs(a->mine.states[i * n + k] - here) : 0.0;
      if (!a->mine.at_end[i] || off <= s.most) continue;
      s.most = off;
      s.at = (double)i * c->output_step;
    }
    study_add(a->run, STUDY_SAMPLES, &s);
  }
}

static void add_times(answering *a) {
  const robot_case *const c = a->run->own;
  const size_t n = c->size.dimension;
  for (size_t i = 1; i < a->outputs && i < a->mine.reached; i++) {
    if (!a->mine.at_end[i]) continue;
    // two outputs, of which the second counts
    robot_track here = a->mine, there = *truth(a);
    here.states += (i - 1) * n;
    here.at_end += i - 1;
    there.states += (i - 1) * n;
    here.reached = 2;
    error_sample s = sample_of(a, of_time);
    s.at = (double)i * c->output_step;
    set_error(&s, robot_apart(a->run, &here, &there, 2));
    study_add(a->run, STUDY_SAMPLES, &s);
  }
}

/* how small an error of a step is asked for: half of the own one and 1 mm or 1 mrad, with some
 * room; or no less than is known */
static double asked_of_steps(double error, double bound) {
  static const double room = 0.7, least = 2e-5;
  const double asked = isnan(error) ? 1e-3 : fmin(0.5 * error, 1e-3);
  return fmax(room * asked, fmax(bound, least));
}

/* One integrator from four times the own step on, until its error is as small as is asked for, or
 * its share of the budget is spent. */
static int add_steps_of(answering *a, const char *integrator, double share) {
  enum { COARSER = 2 };
  const bool is_own = strcmp(integrator, a->own.variant) == 0;
  const double bodies = asked_of_steps(a->error.bodies, a->bound.bodies),
               hinges = asked_of_steps(a->error.hinges, a->bound.hinges);
  double seconds = 0.0;
  for (size_t i = 0; i <= COARSER + HALVINGS && halved_s * seconds < left(a, share); i++) {
    const double step = a->own.knob * pow(2.0, (double)COARSER - (double)i);
    const robot_entry e = {ROBOT_MUJOCO, integrator, step, is_own && i == COARSER};
    error_sample s = sample_of(a, of_step);
    // what is nearer to the finest run than that says nothing
    if (is_own && a->how == by_steps && i >= COARSER + a->halvings) break;
    study_within(a->run, "MuJoCo's %s at %g s", integrator, step);
    const int status = robot_follow(a->run, &e, a->x0, false, &a->spare);
    if (status) return status;
    seconds = a->spare.seconds;
    s.name = integrator;
    s.knob = step;
    s.own = e.own;
    s.seconds = seconds;
    if (a->spare.reached < a->outputs)
      s.note = "unstable at this step";
    else
      set_error(&s, robot_apart(a->run, &a->spare, truth(a), a->outputs));
    study_add(a->run, STUDY_SAMPLES, &s);
    if (i > COARSER && s.bodies < bodies && !(s.hinges >= hinges)) break;
  }
  return 0;
}

static int add_steps(answering *a) {
  static const char *const others[] = {"Euler", "implicitfast", "implicit", "RK4"};
  const size_t count = sizeof others / sizeof *others;
  const double each = (1.0 - bound_share) / (double)(count + 1);
  int status = add_steps_of(a, a->own.variant, bound_share + each);
  for (size_t i = 0; !status && i < count; i++)
    if (strcmp(others[i], a->own.variant) != 0 && robot_steps_knows(others[i]))
      status = add_steps_of(a, others[i], bound_share + each * (double)(i + 2));
  return status;
}

/* ---- a cell ---------------------------------------------------------------------------------- */

static int find_answer(answering *a) {
  int status = start(a);
  if (!status) status = narrow(a);
  if (status) return status;
  if (a->how == by_none && !*a->note) a->note = "--budget is too short for any run beside the own";
  add_answer(a);
  if (a->how == by_none) return 0;
  add_joints(a);
  add_times(a);
  return add_steps(a);
}

static int alloc(answering *a) {
  robot_track *const tracks[] = {&a->mine,    &a->reference, &a->looser, &a->spare,
                                 &a->step[0], &a->step[1],   &a->step[2]};
  const robot_case *const c = a->run->own;
  a->x0 = calloc(c->size.dimension + 1, sizeof *a->x0);
  if (!a->x0) return study_out_of_memory(a->run);
  for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++)
    if (robot_track_alloc(a->run, tracks[i])) return -1;
  a->outputs = c->outputs;
  return 0;
}

static void release(answering *a) {
  robot_track_free(&a->mine);
  robot_track_free(&a->reference);
  robot_track_free(&a->looser);
  robot_track_free(&a->spare);
  for (size_t i = 0; i < KEPT; i++) robot_track_free(&a->step[i]);
  free(a->x0);
}

/* the model's name, and a file's behind it where several are given */
static const char *name_of(study_run *run, const char *file) {
  const robot_case *const c = run->own;
  const char *const slash = strrchr(file, '/');
  // MuJoCo's name for what has none
  const char *const own = c && c->robot ? robot_model_name(c->robot) : "";
  return study_text(run, "%s",
                    *own && strcmp(own, "MuJoCo Model") ? own
                    : slash                             ? slash + 1
                                                        : file);
}

/* of many files one that has no answer is a row that says why */
static int measure(study_run *run, const void *cell) {
  const place *const at = cell;
  const bool is_alone = count_files(run->operand) == 1;
  const char *const file = file_at(run, run->operand, at->file);
  answering a = {
      .run = run, .at = *at, .how = by_none, .note = "", .begin_ns = measure_thread_ns()};
  int status = open_file(run, file);
  a.model = name_of(run, file);
  if (status && !is_alone) {
    error_sample s = sample_of(&a, of_answer);
    s.how = by_none;
    s.note = study_text(run, "%s", run->message);
    study_add(run, STUDY_SAMPLES, &s);
    close_file(run);
    return 0;
  }
  if (!status) status = alloc(&a);
  if (!status) status = find_answer(&a);
  if (!status && *run->interrupted) status = -1;
  release(&a);
  close_file(run);
  return status ? -1 : 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int derive(study_run *run) {
  size_t count;
  const error_sample *const all = study_rows(run, STUDY_SAMPLES, &count);
  for (size_t i = 0; i < count; i++) {
    const error_sample *const s = &all[i];
    const answer_row answer = {.file = s->file,
                               .start = s->start,
                               .model = s->model,
                               .how = s->how,
                               .knob = s->knob,
                               .until = s->until,
                               .at = s->at,
                               .bodies = s->bodies,
                               .hinges = s->hinges,
                               .states = s->states,
                               .bodies_bound = s->bodies_bound,
                               .hinges_bound = s->hinges_bound,
                               .states_bound = s->states_bound,
                               .seconds = s->seconds,
                               .total = s->total,
                               .note = s->note};
    const step_row step = {s->file,   s->start,  s->name,   s->knob,    s->own,
                           s->bodies, s->hinges, s->states, s->seconds, s->note};
    const joint_row joint = {s->file, s->start, s->name, s->unit, s->most, s->most_bound, s->at};
    const time_row time = {s->file, s->start, s->at, s->bodies, s->hinges};
    if (!strcmp(s->kind, of_answer)) study_add(run, ANSWERS, &answer);
    if (!strcmp(s->kind, of_step)) study_add(run, STEPS, &step);
    if (!strcmp(s->kind, of_joint)) study_add(run, JOINTS, &joint);
    if (!strcmp(s->kind, of_time)) study_add(run, TIMES, &time);
  }
  return 0;
}

/* ---- the screen ------------------------------------------------------------------------------ */

/* what is nowhere further off does not move; m, rad */
static const double still = 1e-9;

/* a number with its bound, to as many digits as that leaves */
static void print_known(double value, double bound, const char *unit) {
  if (value > bound)
    printf("%.3g +- %.1g %s", 1e3 * value, 1e3 * bound, unit);
  else
    printf("less than %.2g %s", 1e3 * (value + bound), unit);
}

static bool is_of(const answer_row *a, size_t file, size_t start) {
  return a->file == file && a->start == start;
}

/* the joints that are off the most, and a number of each */
static void show_joints(const study_run *run, const answer_row *a) {
  enum { SHOWN = 3 };
  size_t count;
  const joint_row *const all = study_rows(run, JOINTS, &count);
  const joint_row *last = NULL;
  for (size_t shown = 0; shown < SHOWN; shown++) {
    const joint_row *most = NULL;
    for (size_t i = 0; i < count; i++) {
      const joint_row *const j = &all[i];
      const bool is_less = !last || j->most < last->most || (j->most == last->most && j > last);
      if (is_of(a, j->file, j->start) && is_less && (!most || j->most > most->most)) most = j;
    }
    if (!most || !(most->most > still)) return;
    printf("  %-16s %s: ", shown ? "" : "worst joints", most->name);
    print_known(most->most, most->most_bound, strcmp(most->unit, "m") ? "mrad" : "mm");
    printf(", at %.3g s\n", most->at);
    last = most;
  }
}

/* The cheapest of MuJoCo whose error, and that of all finer steps of the same integrator, is at
 * most that; NULL: none that was tried. */
static const step_row *cheapest(const step_row all[], size_t count, const answer_row *a,
                                double bodies, double hinges) {
  const step_row *best = NULL;
  for (size_t i = count; i-- > 0;) {
    const step_row *const r = &all[i];
    if (!is_of(a, r->file, r->start) || !(r->bodies <= bodies) || r->hinges > hinges) continue;
    bool holds = true;
    for (size_t k = i + 1;
         k < count && all[k].name == r->name && is_of(a, all[k].file, all[k].start); k++)
      holds = holds && all[k].bodies <= bodies && !(all[k].hinges > hinges);
    if (holds && (!best || r->seconds < best->seconds)) best = r;
  }
  return best;
}

static void show_need(const step_row all[], size_t count, const answer_row *a, const step_row *own,
                      const char *what, double bodies, double hinges) {
  const step_row *const r = cheapest(all, count, a, bodies, hinges);
  printf("  %-16s ", what);
  if (!r) {
    puts("none of the steps that were tried");
    return;
  }
  printf("%s at %.3g ms", r->name, 1e3 * r->knob);
  if (own && r == own) printf(", which is the model's own");
  if (own && r != own) printf(", which takes %.2g times as long", r->seconds / own->seconds);
  putchar('\n');
}

static void show_steps(const study_run *run, const answer_row *a) {
  size_t count;
  const step_row *const all = study_rows(run, STEPS, &count), *own = NULL;
  for (size_t i = 0; i < count; i++)
    if (is_of(a, all[i].file, all[i].start) && all[i].own) own = &all[i];
  puts("Largest step tried that has an error of at most:");
  if (a->bodies > still || a->hinges > still)
    show_need(all, count, a, own, "half of that", 0.5 * a->bodies, 0.5 * a->hinges);
  show_need(all, count, a, own, "1 mm, 1 mrad", 1e-3, 1e-3);
  puts("Errors by step, in mm and mrad (* the model's own):");
  const char *last = "";
  for (size_t i = 0; i < count; i++) {
    const step_row *const r = &all[i];
    if (!is_of(a, r->file, r->start)) continue;
    if (strcmp(last, r->name)) printf("  %s\n", r->name);
    last = r->name;
    printf("  %12.5g ms%c ", 1e3 * r->knob, r->own ? '*' : ' ');
    if (*r->note)
      puts(r->note);
    else
      printf("%9.3g %9.3g  %8.2g s\n", 1e3 * r->bodies, isnan(r->hinges) ? 0.0 : 1e3 * r->hinges,
             r->seconds);
  }
}

static void show_how(const study_run *run, const answer_row *a) {
  const bool is_libess = strcmp(a->how, by_steps) != 0;
  (void)run;
  printf("By %s %s %g%s, for the whole %.3g s. The first number took %.2g s, all %.2g s.\n", a->how,
         is_libess ? "at a tolerance of" : "of", is_libess ? a->knob : 1e3 * a->knob,
         is_libess ? "" : " ms", a->until, a->seconds, a->total);
  if (*a->note) printf("%s.\n", a->note);
}

static void show_answer(const study_run *run, const answer_row *a) {
  const robot_settings *const s = run->settings;
  printf("\n%s", a->model);
  if (s->starts > 1) printf(", initial condition %zu", a->start);
  if (!*a->how) {
    printf(": no answer: %s\n", a->note);
    return;
  }
  puts(": the error of MuJoCo at the model's own settings");
  if (isnan(a->states)) {
    puts("  is not known: it is unstable at this step");
  } else {
    printf("  %-16s ", "bodies");
    print_known(a->bodies, a->bodies_bound, "mm, root mean square");
    putchar('\n');
    if (!isnan(a->hinges)) {
      printf("  %-16s ", "hinges");
      print_known(a->hinges, a->hinges_bound, "mrad, root mean square");
      putchar('\n');
    }
    show_joints(run, a);
  }
  show_how(run, a);
  show_steps(run, a);
}

static void show(const study_run *run) {
  size_t count;
  const answer_row *const all = study_rows(run, ANSWERS, &count);
  for (size_t i = 0; i < count; i++) show_answer(run, &all[i]);
  putchar('\n');
}

/* none has what was asked for */
static int conclude(study_run *run) {
  size_t count;
  const answer_row *const all = study_rows(run, ANSWERS, &count);
  for (size_t i = 0; i < count; i++)
    if (*all[i].how) return 0;
  return measure_fail(run->message, "no model has an answer: %s", count ? all[0].note : "none ran");
}

const study robot_error_study = {
    .name = "robot",
    .summary = "error of MuJoCo's time steps on models (MJCF), its bound, and the step to choose",
    .example = "essbench robot ant.xml hopper.xml",
    .file = "robot_error",
    .group = STUDY_MECHANISMS,
    .figures = {STUDY_FIGURE("fig_robot_time", "robot_error_times.csv"),
                STUDY_FIGURE("fig_robot", "robot_mujoco.csv"),
                STUDY_FIGURE("fig_robot_error", "robot_errors.csv"),
                STUDY_FIGURE("fig_robot_derivative", "robot_derivative.csv")},
    .operand = "FILE...",
    .own_models = true,
    .printable = true,
    .untimed = true,
    .processes = 1,
    .table = "show the results in the folder; nothing is measured",
    .cells = "answers",
    .options = options,
    .words = words,
    .settings_size = sizeof(robot_settings),
    .cell_size = sizeof(place),
    .tables = {[STUDY_SAMPLES] = STUDY_TABLE(sample_columns, error_sample,
                                             .meaning = "an answer, a step, a joint or a time"),
               [ANSWERS] = STUDY_ROWS(answer_row, .json = "answers", .csv = "robot_error.csv",
                                      .meaning = "the answer for an initial condition of a file"),
               [STEPS] = STUDY_ROWS(step_row, .json = "steps", .csv = "robot_error_steps.csv",
                                    .meaning = "one of MuJoCo's integrators at a time step"),
               [JOINTS] = STUDY_ROWS(joint_row, .json = "joints", .csv = "robot_error_joints.csv",
                                     .meaning = "a joint, or a coordinate of a free body"),
               [TIMES] = STUDY_ROWS(time_row, .csv = "robot_error_times.csv",
                                    .meaning = "one time of the model's own run")},
    .check = check,
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
    .conclude = conclude,
};
