/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robot: how large the error of MuJoCo's time steps is on a model, and which step a user
 * would need. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "robot_answer.h"
#include "robot_physics.h"
#include "statistics.h"
#include "studies.h"

#define OPTIONS(X, row)                                                                            \
  ROBOT_GRID_OPTIONS(X, row)                                                                       \
  X(row, starts, WHOLE, "starts", "COUNT",                                                         \
    "initial conditions: the first from --qpos, --height and --tilt, others random around it "     \
    "(default: 1, or all of --states)",                                                            \
    .min = 1, .max = 1000, .result = "starts")                                                     \
  X(row, states, TEXT, "states", "FILE.csv",                                                       \
    "initial conditions as they are, a row each: positions, velocities and activations "           \
    "(default: those of --qpos or --keyframe)",                                                    \
    .result = "states")                                                                            \
  X(row, pd, TEXT, "pd", "KP,KD",                                                                  \
    "PD controller of the actuators' joints, whose output is held for --period; --ctrl then has "  \
    "the positions (default: those of the keyframe)",                                              \
    .result = "pd")                                                                                \
  ROBOT_START_OPTIONS(X, row)                                                                      \
  X(row, budget, NUMBER, "budget", "S",                                                            \
    "processor time that an answer may take once the model is open, s; with a short one the "      \
    "bound is wider",                                                                              \
    .initial = "60", .min = 1e-3, .max = 1e6, .result = "budget")                                  \
  X(row, derivative, FLAG, "derivative", NULL,                                                     \
    "compare derivatives instead, with the options of essbench robot-derivative", .shows = true)   \
  X(row, compare, FLAG, "compare", NULL,                                                           \
    "compare settings of MuJoCo instead, with the options of essbench robot-compare",              \
    .shows = true)                                                                                 \
  X(row, race, FLAG, "race", NULL,                                                                 \
    "race MuJoCo and libess instead, with the options of essbench robot-race", .shows = true)
static const study_option options[] = {OPTIONS(OPTION_LINE, robot_settings){0}};

static const study_word words[] = {
    {"bodies, hinges",
     "root mean square error of the origins of all bodies, of the angles of all hinges"},
    {"+-", "bound: the true value differs from the number by no more than that"},
    {"worst joints", "hinge or slide joint with the largest error at any time"},
    {"energy drift",
     "change of energy in MuJoCo, minus that in the reference: bodies, gravity and springs"},
    {"penetration", "largest depth of a contact at any time"},
    {"friction creep",
     "largest tangential displacement of two geoms while friction holds them together"},
    {"jumps", "of contact points while a contact lasts, which no event function detects"},
    {"cheapest",
     "run tried that takes the least time, if its errors and those of all smaller steps of the "
     "same integrator are small enough"},
    {"event function", "function of the state that is zero when a contact or limit begins or ends"},
    {"unstable", "MuJoCo stops at this step, because a state is too large or not finite"},
    {0},
};

/* ---- samples --------------------------------------------------------------------------------- */

/* What a sample is of: the answer; MuJoCo at a step; a joint; a time. */
static const char *const of_answer = "answer", *const of_step = "step", *const of_joint = "joint",
                         *const of_time = "time";

typedef struct error_sample {
  size_t file, start;
  const char *kind, *model, *name, *unit, *how, *note;
  double knob, bodies, bodies_bound, hinges, hinges_bound, states, states_bound, most, most_bound;
  double at, until, seconds, total, jumps, jump_dist;
  double energy, energy_reference, energy_drift, energy_bound;
  double penetration, penetration_reference, penetration_bound;
  double creep, creep_reference, creep_bound;
  bool own;
} error_sample;

static const column sample_columns[] = {
    COLUMNS(error_sample, COUNT, file, start),
    COLUMNS(error_sample, TEXT, kind, model, name, unit, how, note),
    COLUMNS(error_sample, AMOUNT, knob, bodies, bodies_bound, hinges, hinges_bound),
    COLUMNS(error_sample, AMOUNT, states, states_bound, most, most_bound),
    COLUMNS(error_sample, AMOUNT, at, until, seconds, total, jumps, jump_dist),
    COLUMNS(error_sample, NUMBER, energy, energy_reference, energy_drift, energy_bound),
    COLUMNS(error_sample, AMOUNT, penetration, penetration_reference, penetration_bound),
    COLUMNS(error_sample, AMOUNT, creep, creep_reference, creep_bound),
    COLUMNS(error_sample, FLAG, own),
    {0},
};

/* ---- rows ------------------------------------------------------------------------------------ */

enum {
  ERROR_ANSWERS = STUDY_SAMPLES + 1,
  ERROR_STEPS,
  ERROR_JOINTS,
  ERROR_TIMES,
};

#define ERROR_WHICH(COLUMN, row)                                                                   \
  COLUMN(row, file, COUNT, "", "number of the file, from 0")                                       \
  COLUMN(row, start, COUNT, "", "number of the initial condition, from 0")

#define ERROR_MEASURES(COLUMN, row)                                                                \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "error of the bodies: root mean square distance of their origins over time")              \
  COLUMN(row, hinges, AMOUNT, "rad",                                                               \
         "error of the hinges: root mean square difference of their angles over time")             \
  COLUMN(row, states, AMOUNT, "",                                                                  \
         "root mean square error of all positions and velocities, in SI units")

/* Of MuJoCo at the model's own settings, and of the reference. */
#define ERROR_PHYSICS(COLUMN, row)                                                                 \
  COLUMN(row, energy, NUMBER, "J",                                                                 \
         "change of energy in MuJoCo, E(T) - E(0); E is mj_energyPos + mj_energyVel: bodies, "     \
         "gravity and springs, without the energy of contacts")                                    \
  COLUMN(row, energy_reference, NUMBER, "J", "the same in the reference")                          \
  COLUMN(row, energy_drift, NUMBER, "J", "energy drift: energy - energy_reference")                \
  COLUMN(row, energy_bound, AMOUNT, "J",                                                           \
         "largest difference of energy_drift from its true value, estimated")                      \
  COLUMN(row, penetration, AMOUNT, "m",                                                            \
         "deepest contact in MuJoCo: the largest -dist of all contacts at all output times, or 0") \
  COLUMN(row, penetration_reference, AMOUNT, "m", "the same in the reference")                     \
  COLUMN(row, penetration_bound, AMOUNT, "m",                                                      \
         "largest difference of penetration_reference from its true value, estimated")             \
  COLUMN(row, creep, AMOUNT, "m",                                                                  \
         "friction creep in MuJoCo: the largest norm of the integral of v dt for two geoms while " \
         "their "                                                                                  \
         "contact sticks (friction force inside its cone); v: tangential velocity of one geom "    \
         "against the other, mean over their contacts. Not known if surfaces move (surfacevel)")   \
  COLUMN(row, creep_reference, AMOUNT, "m", "the same in the reference")                           \
  COLUMN(row, creep_bound, AMOUNT, "m",                                                            \
         "largest difference of creep_reference from its true value, estimated")

#define ANSWER_COLUMNS(COLUMN, row)                                                                \
  ERROR_WHICH(COLUMN, row)                                                                         \
  COLUMN(row, model, TEXT, "", "name of the model, or of its file")                                \
  COLUMN(row, how, TEXT, "",                                                                       \
         "the reference: libess; libess, without event functions (from a certain time); MuJoCo's " \
         "fine steps; empty if there is no answer")                                                \
  COLUMN(row, knob, AMOUNT, "", "tolerance of libess, or MuJoCo's finest step in s")               \
  COLUMN(row, until, AMOUNT, "s", "duration that the answer is valid for")                         \
  COLUMN(row, at, AMOUNT, "s",                                                                     \
         "time from which libess has no event functions; unknown if it always has them")           \
  ERROR_MEASURES(COLUMN, row)                                                                      \
  COLUMN(row, bodies_bound, AMOUNT, "m",                                                           \
         "bound: the largest difference of `bodies` from its true value")                          \
  COLUMN(row, hinges_bound, AMOUNT, "rad", "the same of `hinges`")                                 \
  COLUMN(row, states_bound, AMOUNT, "", "the same of `states`")                                    \
  ERROR_PHYSICS(COLUMN, row)                                                                       \
  COLUMN(row, jumps, AMOUNT, "",                                                                   \
         "jumps of contact points that no event function detects (meshes, cylinders), in libess")  \
  COLUMN(row, jump_dist, AMOUNT, "m",                                                              \
         "largest change of a contact's distance over a step with such a jump, motion included")   \
  ROBOT_STEP_COLUMNS(COLUMN, row)                                                                  \
  COLUMN(row, seconds, AMOUNT, "s", "processor time until the first number")                       \
  COLUMN(row, total, AMOUNT, "s",                                                                  \
         "processor time of the whole answer, the table of steps excluded")                        \
  COLUMN(row, note, TEXT, "", "why there is no answer, or what limits it")
TAKEN_ROW(answer_row, ANSWER_COLUMNS);

#define STEP_COLUMNS(COLUMN, row)                                                                  \
  ERROR_WHICH(COLUMN, row)                                                                         \
  COLUMN(row, name, TEXT, "", "MuJoCo's integrator")                                               \
  COLUMN(row, knob, AMOUNT, "s", "time step")                                                      \
  COLUMN(row, own, FLAG, "", "whether integrator and time step are those of the model")            \
  ERROR_MEASURES(COLUMN, row)                                                                      \
  COLUMN(row, seconds, AMOUNT, "s", "processor time of one run")                                   \
  COLUMN(row, note, TEXT, "", "why there is no error: unstable at this step")
TAKEN_ROW(step_row, STEP_COLUMNS);

#define JOINT_COLUMNS(COLUMN, row)                                                                 \
  ERROR_WHICH(COLUMN, row)                                                                         \
  COLUMN(row, name, TEXT, "", "the joint, or a coordinate of a free body")                         \
  COLUMN(row, unit, TEXT, "", "unit of the two errors: m or rad")                                  \
  COLUMN(row, most, AMOUNT, "", "largest error over time at the model's own settings")             \
  COLUMN(row, most_bound, AMOUNT, "", "largest difference of that error from its true value")      \
  COLUMN(row, at, AMOUNT, "s", "time of the largest error")
TAKEN_ROW(joint_row, JOINT_COLUMNS);

#define TIME_COLUMNS(COLUMN, row)                                                                  \
  ERROR_WHICH(COLUMN, row)                                                                         \
  COLUMN(row, at, AMOUNT, "s", "time")                                                             \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "root mean square distance of the bodies' origins at that time, at the model's own "      \
         "settings")                                                                               \
  COLUMN(row, hinges, AMOUNT, "rad", "root mean square difference of the hinges' angles, likewise")
TAKEN_ROW(time_row, TIME_COLUMNS);

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
  if (!status) status = robot_outlook(run, false, true);
  run->operand = all;
  return status;
}

static void close_file(study_run *run) {
  robot_case_close(run);
  run->own = NULL;
}

/* initial conditions of each file */
static size_t count_starts(const study_run *run) {
  const robot_settings *const s = run->settings;
  if (s->starts) return s->starts;
  return s->states ? robot_states_count(s->states) : 1;
}

static int check(study_run *run) {
  const robot_settings *const s = run->settings;
  struct stat about;
  uint64_t content = 0;
  if (s->states && count_files(run->operand) > 1)
    return SOLVER_REFUSE(run->message, "--states %.200s is of one model; %zu files are given",
                         s->states, count_files(run->operand));
  if (count_files(run->operand) == 1) {
    const int status = open_file(run, run->operand);
    content = run->content;
    close_file(run);
    return status;
  }
  for (size_t i = 0; i < count_files(run->operand); i++) {
    const char *const file = file_at(run, run->operand, i);
    if (stat(file, &about))
      return SOLVER_FAIL(run->message, "%.300s cannot be read: %s", file, strerror(errno));
    content = content * 31u + (uint64_t)about.st_size * 7u + (uint64_t)about.st_mtime;
  }
  run->content = content;
  return 0;
}

static int plan(study_run *run, size_t stage) {
  const size_t files = count_files(run->operand), starts = count_starts(run);
  for (size_t i = 0; stage == 0 && i < files * starts; i++) {
    const place at = {i / starts, i % starts};
    study_cell(run, &at, "file=%zu start=%zu", at.file, at.start);
  }
  return 0;
}

/* ---- what it says ---------------------------------------------------------------------------- */

static error_sample sample_of(const robot_answer *a, const char *kind) {
  error_sample s;
  column_clear(sample_columns, &s);
  s.file = a->file;
  s.start = a->start;
  s.kind = kind;
  s.model = a->model;
  return s;
}

static void set_error(error_sample *s, robot_error e) {
  s->bodies = e.bodies;
  s->hinges = e.hinges;
  s->states = e.states;
}

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
static const char *free_fall(robot_answer *a) {
  const robot_case *const c = a->run->own;
  const double *const g = c->size.gravity;
  const bool pulls = g[0] != 0.0 || g[1] != 0.0 || g[2] != 0.0;
  if (!c->falls || robot_has_ground(c->robot) || !pulls) return "";
  const char *const scene = scene_beside(a->run, file_at(a->run, a->run->operand, a->file));
  return study_text(a->run, "the file has no floor, so the robot falls freely%s%s%s",
                    *scene ? "; " : "", scene, *scene ? " beside it may have one" : "");
}

static const char *joined(study_run *run, const char *a, const char *b) {
  return *a && *b ? study_text(run, "%s; %s", a, b) : *a ? a : b;
}

/* at those outputs at which MuJoCo's own steps end */
static int physics_of(robot_answer *a, const robot_track *t, robot_physics *out) {
  const robot_case *const c = a->run->own;
  const bool *const counts = robot_counts_all(&a->mine, a->outputs) ? NULL : a->mine.at_end;
  if (t->reached < a->outputs) {
    *out = (robot_physics){NAN, NAN, NAN, ""};
    return 0;
  }
  return robot_physics_of(c->robot, &c->controls, t->states, counts, a->outputs, c->output_step,
                          out, a->run->message)
             ? -1
             : 0;
}

/* MuJoCo's at the model's own settings, and the reference's. Further runs tell how well this is
 * known: MuJoCo's finest two, where these lead as a first order's would; and libess at the looser
 * tolerance. */
static int set_physics(robot_answer *a, error_sample *s, const char **grazing) {
  robot_physics mine, of, fine, before, loose;
  study_within(a->run, "energy, penetration and creep");
  int status = physics_of(a, &a->mine, &mine);
  if (!status) status = physics_of(a, robot_answer_truth(a), &of);
  if (!status) status = physics_of(a, robot_answer_finer(a, 0), &fine);
  if (!status) status = physics_of(a, robot_answer_finer(a, 1), &before);
  if (!status) status = physics_of(a, a->has_looser ? &a->looser : robot_answer_truth(a), &loose);
  if (status) return status;
  *grazing = study_text(a->run, "%s", mine.grazing);
  s->energy = mine.energy;
  s->energy_reference = of.energy;
  s->energy_drift = mine.energy - of.energy;
  s->energy_bound = robot_answer_known_to(a, of.energy, fine.energy, before.energy, loose.energy);
  s->penetration = mine.penetration;
  s->penetration_reference = of.penetration;
  s->penetration_bound = robot_answer_known_to(a, of.penetration, fine.penetration,
                                               before.penetration, loose.penetration);
  s->creep = mine.creep;
  s->creep_reference = of.creep;
  s->creep_bound = robot_answer_known_to(a, of.creep, fine.creep, before.creep, loose.creep);
  return 0;
}

static int add_answer(robot_answer *a) {
  const robot_case *const c = a->run->own;
  error_sample s = sample_of(a, of_answer);
  const bool is_steps = a->how == robot_by_steps;
  const char *grazing = "";
  s.name = c->size.integrator;
  s.how = a->how;
  s.knob = is_steps ? a->own.knob / pow(2.0, (double)a->halvings) : a->libess.knob;
  s.until = a->how == robot_by_none ? 0.0 : (double)(a->outputs - 1) * c->output_step;
  s.at = is_steps ? NAN : a->reference.unguarded;
  set_error(&s, a->error);
  s.bodies_bound = a->bound.bodies;
  s.hinges_bound = a->bound.hinges;
  s.states_bound = a->bound.states;
  s.seconds = a->first_s;
  if (c->follows > 0 && !isnan(a->libess.knob)) {
    s.jumps = a->reference.jumps;
    s.jump_dist = a->reference.jump_dist;
  }
  if (a->how != robot_by_none && set_physics(a, &s, &grazing)) return -1;
  s.total = robot_answer_elapsed(a);
  if (a->how == robot_by_field)
    a->note = study_text(a->run, "libess has no event functions from %.3g s on: %s", s.at,
                         a->reference.gave_up);
  if (a->how == robot_by_events) a->note = "";
  const char *why = robot_answer_why_wide(a);
  if (*why && *grazing)
    why = study_text(a->run,
                     "the distance of %s stays at 0 up to rounding, which decides whether their "
                     "contact acts, so the bound is wide; --without '%s' excludes it",
                     grazing, grazing);
  s.note = joined(a->run, free_fall(a), joined(a->run, a->note, why));
  return study_add(a->run, STUDY_SAMPLES, &s);
}

/* how far a position is from the reference at most: `mine`, and what says how well that is known */
static void add_joint(robot_answer *a, size_t k) {
  const robot_case *const c = a->run->own;
  const size_t n = c->size.dimension;
  const robot_track *const of = robot_answer_truth(a);
  char name[ROBOT_NAME_SIZE];
  error_sample s = sample_of(a, of_joint);
  s.unit = robot_state_unit(c->robot, k);
  robot_state_name(c->robot, k, name);
  s.name = study_text(a->run, "%s", name);
  s.most = s.most_bound = 0.0;
  for (size_t i = 1; i < a->outputs && i < a->mine.reached; i++) {
    const double off = fabs(a->mine.states[i * n + k] - of->states[i * n + k]);
    if (!a->mine.at_end[i] || off <= s.most) continue;
    s.most = off;
    s.at = (double)i * c->output_step;
  }
  s.most_bound = robot_answer_bound(a, k);
  study_add(a->run, STUDY_SAMPLES, &s);
}

static void add_joints(robot_answer *a) {
  const robot_case *const c = a->run->own;
  for (size_t k = 0; k < c->size.nq; k++) {
    const char *const unit = robot_state_unit(c->robot, k);
    if (robot_state_counts(c->robot, k) && (!strcmp(unit, "m") || !strcmp(unit, "rad")))
      add_joint(a, k);
  }
}

static void add_times(robot_answer *a) {
  const robot_case *const c = a->run->own;
  const size_t n = c->size.dimension;
  for (size_t i = 1; i < a->outputs && i < a->mine.reached; i++) {
    if (!a->mine.at_end[i]) continue;
    // two outputs, of which the second counts
    robot_track here = a->mine, there = *robot_answer_truth(a);
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
static int add_steps_of(robot_answer *a, const char *integrator, double share) {
  enum { COARSER = 2 };
  const bool is_own = strcmp(integrator, a->own.variant) == 0;
  const double bodies = asked_of_steps(a->error.bodies, a->bound.bodies),
               hinges = asked_of_steps(a->error.hinges, a->bound.hinges);
  double seconds = 0.0;
  for (size_t i = 0; i <= COARSER + ROBOT_HALVINGS; i++) {
    // the own step is known, and coarser ones cost little
    const bool is_cheap = is_own && i <= COARSER;
    if (!is_cheap && robot_halved_s * seconds >= robot_answer_left(a, share)) break;
    const double step = a->own.knob * pow(2.0, (double)COARSER - (double)i);
    const robot_entry e = {ROBOT_MUJOCO, integrator, step, is_own && i == COARSER};
    error_sample s = sample_of(a, of_step);
    // what is nearer to the finest run than that says nothing
    if (is_own && a->how == robot_by_steps && i >= COARSER + a->halvings) break;
    study_within(a->run, "MuJoCo's %s at %g s", integrator, step);
    const robot_track *const t = e.own ? &a->mine : &a->spare;
    if (!e.own && robot_follow(a->run, &e, a->x0, false, &a->spare)) return -1;
    seconds = t->seconds;
    s.name = integrator;
    s.knob = step;
    s.own = e.own;
    s.seconds = seconds;
    if (t->reached < a->outputs)
      s.note = "unstable at this step";
    else
      set_error(&s, robot_apart(a->run, t, robot_answer_truth(a), a->outputs));
    study_add(a->run, STUDY_SAMPLES, &s);
    if (i > COARSER && s.bodies < bodies && !(s.hinges >= hinges)) break;
  }
  return 0;
}

static int add_steps(robot_answer *a) {
  static const char *const others[] = {"Euler", "implicitfast", "implicit", "RK4"};
  const size_t count = sizeof others / sizeof *others;
  const double each = (1.0 - robot_bound_share) / (double)(count + 1);
  int status = add_steps_of(a, a->own.variant, robot_bound_share + each);
  for (size_t i = 0; !status && i < count; i++)
    if (strcmp(others[i], a->own.variant) != 0 && robot_steps_knows(others[i]))
      status = add_steps_of(a, others[i], robot_bound_share + each * (double)(i + 2));
  return status;
}

/* ---- a cell ---------------------------------------------------------------------------------- */

static int find_answer(robot_answer *a) {
  int status = robot_answer_find(a);
  if (!status) status = add_answer(a);
  if (status || a->how == robot_by_none) return status;
  add_joints(a);
  add_times(a);
  return add_steps(a);
}

/* the model's name, and a file's behind it where several are given */
static const char *name_of(study_run *run, const char *file) {
  const robot_case *const c = run->own;
  const char *const slash = strrchr(file, '/');
  // MuJoCo's name for what has none
  const char *const own = c && c->robot ? robot_model_name(c->robot) : "";
  if (*own && strcmp(own, "MuJoCo Model") != 0) return study_text(run, "%s", own);
  // a scene is named after its folder
  const char *name = slash ? slash + 1 : file;
  if (strncmp(name, "scene", 5) == 0 && slash)
    for (name = slash; name > file && name[-1] != '/';) name--;
  return study_text(run, "%s", name);
}

/* of many files one that has no answer is a row that says why */
static int measure(study_run *run, const void *cell) {
  const place *const at = cell;
  const bool is_alone = count_files(run->operand) == 1;
  const char *const file = file_at(run, run->operand, at->file);
  robot_answer a = {
      .run = run, .file = at->file, .start = at->start, .how = robot_by_none, .note = ""};
  int status = open_file(run, file);
  // a model may take longer to compile than a short budget is
  a.begin_ns = measure_thread_ns();
  a.model = name_of(run, file);
  if (status && !is_alone) {
    error_sample s = sample_of(&a, of_answer);
    s.how = robot_by_none;
    s.note = study_text(run, "%s", run->message);
    study_add(run, STUDY_SAMPLES, &s);
    close_file(run);
    return 0;
  }
  if (!status) status = robot_answer_alloc(&a);
  if (!status) status = find_answer(&a);
  if (!status && *run->interrupted) status = -1;
  robot_answer_free(&a);
  close_file(run);
  return status ? -1 : 0;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* The cheapest of MuJoCo's runs whose errors, and those of all smaller steps of the same
 * integrator, are small enough: times are noisy, and nobody changes a setting for a fifth of them;
 * of two errors that are in proportion to the step rounding makes one the larger; and the true
 * error may be larger by the reference's, which is the bound. */
static const char answers_sql[] =
    "(WITH step AS (SELECT s.file, s.start, s.row, s.name, s.knob, "
    "iif(s.own, 0.8, 1) * s.seconds AS cost, (a.bodies > 1e-9 OR a.hinges > 1e-9) AND "
    "min(coalesce(s.bodies <= coalesce(max(1e-6, 0.501 * a.bodies), 1e-6), 0) AND NOT "
    "coalesce(s.hinges > coalesce(max(1e-6, 0.501 * a.hinges), 1e-6), 0)) OVER finer AS is_half, "
    "min(coalesce(s.bodies <= 1e-3 - a.bodies_bound, 0) AND NOT "
    "coalesce(s.hinges > 1e-3 - a.hinges_bound, 0)) OVER finer AS is_small "
    "FROM laps s JOIN laps a USING (file, start) WHERE s.kind = 'step' AND a.kind = 'answer' "
    "WINDOW finer AS (PARTITION BY s.file, s.start, s.name ORDER BY s.row DESC)), "
    "half AS (SELECT *, row_number() OVER (PARTITION BY file, start ORDER BY cost, row DESC) "
    "AS place FROM step WHERE is_half), "
    "small AS (SELECT *, row_number() OVER (PARTITION BY file, start ORDER BY cost, row DESC) "
    "AS place FROM step WHERE is_small) "
    "SELECT a.*, coalesce(half.name, '') AS half_by, half.knob AS half_step, "
    "coalesce(small.name, '') AS small_by, small.knob AS small_step FROM laps a "
    "LEFT JOIN half ON half.file = a.file AND half.start = a.start AND half.place = 1 "
    "LEFT JOIN small ON small.file = a.file AND small.start = a.start AND small.place = 1 "
    "WHERE a.kind = 'answer' ORDER BY a.file, a.start)";

#define ROWS_OF(kind) "laps WHERE kind = '" kind "' ORDER BY file, start, row"

/* ---- the screen ------------------------------------------------------------------------------ */

/* m, rad: a smaller error is none */
static const double still = 1e-9;

/* a bound to one digit, never a smaller one */
static double upward(double bound) {
  if (!(bound > 0.0 && isfinite(bound))) return bound;
  const double digit = pow(10.0, floor(log10(bound)));
  return digit * ceil(bound / digit * (1.0 - 1e-12));
}

/* a number with its bound; what has none is exact, as at the initial condition */
static void print_known(double value, double bound, const char *unit) {
  if (value + bound < still)
    printf("less than %.1g %s", 1e3 * still, unit);
  else if (bound == 0.0)
    printf("%.3g %s", 1e3 * value, unit);
  else if (value > bound)
    printf("%.3g +- %g %s", 1e3 * value, upward(1e3 * bound), unit);
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
  const joint_row *const all = study_rows(run, ERROR_JOINTS, &count);
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

/* MuJoCo's run by that integrator and step; NULL: there is none */
static const step_row *step_by(const study_run *run, const answer_row *a, const char *name,
                               double knob) {
  size_t count;
  const step_row *const all = study_rows(run, ERROR_STEPS, &count);
  for (size_t i = 0; i < count; i++)
    if (is_of(a, all[i].file, all[i].start) && !strcmp(all[i].name, name) && all[i].knob == knob)
      return &all[i];
  return NULL;
}

static void show_need(const study_run *run, const answer_row *a, const step_row *own,
                      const char *what, const char *name, double knob) {
  const step_row *const r = step_by(run, a, name, knob);
  printf("  %-16s ", what);
  if (!r) {
    puts("none of the steps that were tried");
    return;
  }
  printf("%s at %.3g ms", r->name, 1e3 * r->knob);
  const double times = own && !*own->note ? r->seconds / own->seconds : NAN;
  if (own && r == own)
    printf(", which is the model's own");
  else if (fabs(times - 1.0) < 0.05)
    printf(", which takes as long");
  else if (!isnan(times))
    printf(", which takes %.2g times as long", times);
  putchar('\n');
}

static void show_steps(const study_run *run, const answer_row *a) {
  size_t count;
  const step_row *const all = study_rows(run, ERROR_STEPS, &count), *own = NULL;
  for (size_t i = 0; i < count; i++)
    if (is_of(a, all[i].file, all[i].start) && all[i].own) own = &all[i];
  puts("Cheapest integrator and step tried that have an error of at most:");
  if (a->bodies > still || a->hinges > still)
    show_need(run, a, own, "half the above", a->half_by, a->half_step);
  show_need(run, a, own, "1 mm, 1 mrad", a->small_by, a->small_step);
  puts("Errors by step, of bodies in mm and of hinges in mrad, and the time of a run (*: the "
       "model's own):");
  const char *last = "";
  for (size_t i = 0; i < count; i++) {
    const step_row *const r = &all[i];
    if (!is_of(a, r->file, r->start)) continue;
    if (strcmp(last, r->name)) printf("  %s\n", r->name);
    last = r->name;
    printf("  %12.5g ms%c ", 1e3 * r->knob, r->own ? '*' : ' ');
    if (*r->note) {
      puts(r->note);
      continue;
    }
    printf("%9.3g ", 1e3 * r->bodies);
    if (isnan(r->hinges))
      printf("%9s", "-");
    else
      printf("%9.3g", 1e3 * r->hinges);
    printf("  %8.2g s\n", r->seconds);
  }
}

/* MuJoCo's at the model's own settings and the reference's, in mm */
static void show_length(const char *what, double mine, double of, double bound) {
  printf("  %-16s %.3g mm, in the reference ", what, 1e3 * mine);
  print_known(of, bound, "mm");
  putchar('\n');
}

static void show_physics(const answer_row *a) {
  if (!isnan(a->energy))
    printf("  %-16s %.3g +- %g J (MuJoCo %+.4g J, reference %+.4g J)\n", "energy drift",
           a->energy_drift, upward(a->energy_bound), a->energy, a->energy_reference);
  if (fmax(a->penetration, a->penetration_reference) > still)
    show_length("penetration", a->penetration, a->penetration_reference, a->penetration_bound);
  if (fmax(a->creep, a->creep_reference) > still)
    show_length("friction creep", a->creep, a->creep_reference, a->creep_bound);
  if (a->jumps > 0.0)
    printf("  %-16s %g of contact points (meshes, cylinders), the largest by %.2g mm\n", "jumps",
           a->jumps, 1e3 * a->jump_dist);
}

static void show_how(const answer_row *a) {
  const bool is_libess = strcmp(a->how, robot_by_steps) != 0;
  printf("By %s %s %g%s, for the whole %.3g s. The first number took %.2g s, all %.2g s.\n", a->how,
         is_libess ? "at a tolerance of" : "of", is_libess ? a->knob : 1e3 * a->knob,
         is_libess ? "" : " ms", a->until, a->seconds, a->total);
  if (*a->note) printf("Note: %s.\n", a->note);
}

static void show_answer(const study_run *run, const answer_row *a) {
  size_t count, starts = 0;
  const answer_row *const all = study_rows(run, ERROR_ANSWERS, &count);
  for (size_t i = 0; i < count; i++) starts += all[i].file == a->file;
  printf("\n%s", a->model);
  if (starts > 1) printf(", initial condition %zu", a->start);
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
  show_physics(a);
  show_how(a);
  show_steps(run, a);
}

/* ---- over the initial conditions of a model -------------------------------------------------- */

static void show_over(const answer_row a[], size_t count, const char *name, const char *unit) {
  const column *const c = column_find(answer_row_columns, name);
  double value[count + 1], median = NAN;
  size_t known = 0, worst = 0;
  for (size_t i = 0; i < count; i++) {
    const double here = column_number(c, &a[i]);
    if (isnan(here)) continue;
    if (!known || here > column_number(c, &a[worst])) worst = i;
    value[known++] = here;
  }
  if (!known || measure_median(value, known, &median)) return;
  printf("  %-16s median %.3g %s, at most %.3g %s (initial condition %zu)\n", name, 1e3 * median,
         unit, 1e3 * column_number(c, &a[worst]), unit, a[worst].start);
}

static void show_summary(const answer_row a[], size_t count) {
  size_t known = 0;
  for (size_t i = 0; i < count; i++) known += isnan(a[i].states) ? 0 : 1;
  printf("\n%s, over %zu initial conditions", a->model, count);
  if (known < count) printf(", of which %zu have an error", known);
  puts(": the error of MuJoCo at the model's own settings");
  show_over(a, count, "bodies", "mm");
  show_over(a, count, "hinges", "mrad");
}

static void show(const study_run *run) {
  size_t count;
  const answer_row *const all = study_rows(run, ERROR_ANSWERS, &count);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i; next < count && all[next].file == all[i].file; next++)
      show_answer(run, &all[next]);
    if (next > i + 1) show_summary(&all[i], next - i);
  }
  putchar('\n');
}

/* ---- the study ------------------------------------------------------------------------------- */

/* none has what was asked for */
static int conclude(study_run *run) {
  size_t count;
  const answer_row *const all = study_rows(run, ERROR_ANSWERS, &count);
  for (size_t i = 0; i < count; i++)
    if (*all[i].how) return 0;
  return measure_fail(run->message, "no model has an answer: %s", count ? all[0].note : "none ran");
}

const study robot_error_study = {
    .name = "robot",
    .summary = "error of MuJoCo's time steps on models (MJCF), its bound, and the step to choose",
    .example = "essbench robot ant.xml hopper.xml",
    .file = "robot_error",
    ROBOT_STUDY("FILE...", place),
    .figures = {STUDY_FIGURE("fig_robot_time", "robot_error_times.csv"),
                STUDY_FIGURE("fig_robot", "robot_mujoco.csv"),
                STUDY_FIGURE("fig_robot_error", "robot_errors.csv"),
                STUDY_FIGURE("fig_robot_derivative", "robot_derivative.csv")},
    .untimed = true,
    .processes = 1,
    .table = "show the results in the folder; nothing is measured",
    .cells = "answers",
    .words = words,
    .laps = "SELECT * FROM robot_error_cells WHERE run = ?1",
    .tables = {[STUDY_SAMPLES] = STUDY_TABLE(sample_columns, error_sample,
                                             .meaning = "an answer, a step, a joint or a time"),
               [ERROR_ANSWERS] = STUDY_ROWS(
                   answer_row, .json = "answers", .csv = "robot_error.csv", .from = answers_sql,
                   .meaning = "the answer for an initial condition of a file"),
               [ERROR_STEPS] = STUDY_ROWS(step_row, .json = "steps", .csv = "robot_error_steps.csv",
                                          .from = ROWS_OF("step"),
                                          .meaning = "one of MuJoCo's integrators at a time step"),
               [ERROR_JOINTS] = STUDY_ROWS(
                   joint_row, .json = "joints", .csv = "robot_error_joints.csv",
                   .from = ROWS_OF("joint"), .meaning = "a joint, or a coordinate of a free body"),
               [ERROR_TIMES] =
                   STUDY_ROWS(time_row, .csv = "robot_error_times.csv", .from = ROWS_OF("time"),
                              .meaning = "one time of the model's own run")},
    .check = check,
    .plan = plan,
    .run = measure,
    .show = show,
    .conclude = conclude,
};
