/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench rigid-soft: mechanisms with rigid contacts against the same on soft ones: a block that
 * rocks, and a body that lands on two limbs. What stiffness, what step and what time buys what
 * agreement, by libess on springs and dampers, and by MuJoCo on these, by its contacts and as a
 * callback, and on contacts of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact_models.h"
#include "corner_springs.h"
#include "race.h"
#include "solvers.h"
#include "studies.h"
#include "trajectory.h"
#include "trot.h"

static const char *const integrators[] = {"Euler", "implicitfast", "RK4", NULL};

#define OPTIONS(X, row)                                                                            \
  X(row, stiffnesses, NUMBERS, "stiffnesses", "X,Y",                                               \
    "stiffnesses of the contact springs of libess, N/m, the largest first",                        \
    .initial = "1e9,1e8,1e7,1e6,1e5,1e4", .min = 1e2, .max = 1e11)                                 \
  X(row, ratios, NUMBERS, "ratios", "X,Y",                                                         \
    "damping ratios of springs, c/(2 sqrt(k m)), the largest first", .initial = "10,2,0.2",        \
    .min = 0.01, .max = 100)                                                                       \
  X(row, time_steps, NUMBERS, "time-steps", "X,Y",                                                 \
    "time steps of MuJoCo, ms, the largest first; each divides 2 ms evenly",                       \
    .initial = "2,1,0.5,0.25,0.125,0.0625,0.03125", .min = 1e-3, .max = 2)                         \
  X(row, integrators, NAMES, "integrators", "NAME,NAME", "MuJoCo's",                               \
    .initial = "Euler,implicitfast,RK4", .names = integrators)                                     \
  X(row, tolerance, NUMBER, "tolerance", "X", "rtol = atol of libess", .initial = "1e-9",          \
    .min = 1e-13, .max = 1e-3, .result = "tolerance")                                              \
  X(row, block_tilt, NUMBER, "block-tilt", "X", "initial angle of the block, rad",                 \
    .initial = "0.2", .min = 0.05, .max = 0.4, .result = "block_tilt")                             \
  X(row, trot_tilt, NUMBER, "trot-tilt", "X", "initial rotation of the landing body, rad",         \
    .initial = "0.02", .min = 1e-4, .max = 0.05, .result = "trot_tilt")
OPTION_ROW(settings, OPTIONS);

/* ---- rows ------------------------------------------------------------------------------------ */

/* One system on contacts of one kind, by one engine; what it has not is not known, or empty. */
#define SETUP(X, row)                                                                              \
  X(row, system, TEXT, "", "block or trot", SHOWN("system", "%-6s"))                               \
  X(row, engine, TEXT, "",                                                                         \
    "libess; mujoco; or mujoco-callback: the force of springs without friction as a callback",     \
    SHOWN("engine", "%-15s"))                                                                      \
  X(row, contacts, TEXT, "", "rigid, springs, or own: MuJoCo's, which has a time constant",        \
    SHOWN("contacts", "%-8s"))                                                                     \
  X(row, choice, TEXT, "",                                                                         \
    "of MuJoCo: default, its own contact as it is when nothing is asked for; stiffest, of one "    \
    "kind of contact, that is stable; closest, of all stable ones, to rigid contacts",             \
    SHOWN("choice", "%-8s"))                                                                       \
  X(row, integrator, TEXT, "", "MuJoCo's", SHOWN("by", "%-12s"))                                   \
  X(row, time_step, AMOUNT, "s", "MuJoCo's", SHOWN_TIMES("ms", "%7.5g", 1e3))                      \
  X(row, time_constant, AMOUNT, "s", "of MuJoCo's own contact", SHOWN("const", "%8.2g"))           \
  X(row, delta_t, AMOUNT, "s", "of pseudo-impulses, of rigid contacts", SHOWN("dt", "%5g"))        \
  X(row, damping_ratio, AMOUNT, "",                                                                \
    "c/(2 sqrt(k m)), of springs; of MuJoCo's own contact as it is at no depth",                   \
    SHOWN("ratio", "%5.3g"))                                                                       \
  X(row, stiffness, AMOUNT, "N/m", "of springs; the same", SHOWN("k", "%7.1e"))
COLUMN_ROW(setup, SETUP);
#define SAME(c)                                                                                    \
  .system = (c)->system, .engine = (c)->engine, .contacts = (c)->contacts, .choice = (c)->choice,  \
  .integrator = (c)->integrator, .time_step = (c)->time_step, .time_constant = (c)->time_constant, \
  .delta_t = (c)->delta_t, .damping_ratio = (c)->damping_ratio, .stiffness = (c)->stiffness

/* One run, held against the rigid one without pseudo-impulses. */
#define CONTACT(X, row)                                                                            \
  SETUP(X, row)                                                                                    \
  X(row, landing, AMOUNT, "s",                                                                     \
    "when the other corner, or the other foot, lands: the block's first impact, the body's "       \
    "second",                                                                                      \
    SHOWN("lands", "%9.6f"))                                                                       \
  X(row, landing_off, NUMBER, "s", "later than on rigid contacts", SHOWN("off", "%9.1e"))          \
  X(row, height_rms, AMOUNT, "m", "root mean square of the height's distance, over the run")       \
  X(row, angle_rms, AMOUNT, "rad", "of the angle's", SHOWN("angle", "%8.1e"))                      \
  X(row, rate_rms, AMOUNT, "rad/s", "of its rate's", SHOWN("rate", "%8.1e"))                       \
  X(row, soft_angle_rms, AMOUNT, "rad",                                                            \
    "of MuJoCo on springs: the angle's distance from libess's on the same springs",                \
    SHOWN("of soft", "%8.1e"))                                                                     \
  X(row, spin_ratio, AMOUNT, "",                                                                   \
    "of the block: root of the energy of the first swing over the initial energy, by their tops; " \
    "on rigid contacts the rate behind an impact over that before it",                             \
    SHOWN("spin", "%7.4f"))                                                                        \
  X(row, end_rate, NUMBER, "rad/s", "of the landing body at the end", SHOWN("end", "%8.5f"))       \
  X(row, stop_speed, AMOUNT, "m/s",                                                                \
    "of the block's centre downward at the first impact, below which the corner it rested on "     \
    "stays; 0: there is none above 0.1 mm/s; not known where it stays from 0.4 rad, and of "       \
    "MuJoCo's stiffest",                                                                           \
    SHOWN("stop", "%8.5f"))                                                                        \
  X(row, stop_delta_t, AMOUNT, "s", "of pseudo-impulses that would stop it there",                 \
    SHOWN("as dt", "%8.5f"))                                                                       \
  X(row, field_evaluations, COUNT, "", "of the run", SHOWN("fields", "%8.0f"))                     \
  X(row, event_evaluations, COUNT, "", "of all event functions at once")                           \
  X(row, steps, COUNT, "", "accepted")                                                             \
  X(row, time_s, AMOUNT, "s", "of the run, median of all turns", SHOWN_TIMES("us", "%9.1f", 1e6))
COLUMN_ROW(contact, CONTACT);

/* One time of one run. */
#define POINT(X, row)                                                                              \
  SETUP(X, row)                                                                                    \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, height, NUMBER, "m", "of the body's centre")                                              \
  X(row, angle, NUMBER, "rad", "of the body")                                                      \
  X(row, rate, NUMBER, "rad/s", "its rate")
COLUMN_ROW(point, POINT);

/* ---- runs ------------------------------------------------------------------------------------ */

static bool is_trot(const setup *c) {
  return strcmp(c->system, "trot") == 0;
}

static bool is_soft(const setup *c) {
  return strcmp(c->contacts, "rigid") != 0;
}

static bool is_by_mujoco(const setup *c) {
  return *c->integrator;
}

/* by libess, on rigid contacts whose pseudo-impulses act so long; a body that lands has none */
static setup rigid(bool trot, double delta_t) {
  setup c;
  column_clear(setup_columns, &c);
  c.system = trot ? "trot" : "block";
  c.engine = "libess";
  c.contacts = "rigid";
  c.delta_t = trot ? NAN : delta_t;
  return c;
}

/* What a run did, and what its impacts say. */
typedef struct track {
  const setup *c;
  const model *m;
  trajectory path;
  solver_report report;
  double first; /* when the other corner, or the other foot, landed first */
  double speed; /* downward, of the centre, as it did */
  bool rises;   /* whether the corner that the block rested on has landed again since */
  double gain;  /* by MuJoCo: of energy of motion and height, at the most, over what could be lost
                   by coming to rest; infinite where MuJoCo gave up */
} track;

/* ---- tracks ---------------------------------------------------------------------------------- */

/* which contact is 0: the corner that the block rests on at first, or a foot */
enum { LEFT };

/* a motion on passive contacts gains no energy, but for what a step sees too late */
static const double gain_max = 0.01;

/* contact k, of 0 and 1, lands */
static void track_note_landing(track *t, size_t k, double time, double speed) {
  if (k == LEFT && !isnan(t->first)) t->rises = true;
  if (k == LEFT || !isnan(t->first)) return;
  t->first = time;
  t->speed = speed;
}

static double track_of_state(const track *t, const char *name, const double x[]) {
  return x[model_state_place(t->m, name)];
}

/* a block's angle is phi, the landing body's theta */
static double track_value(const track *t, const char *name, size_t i) {
  if (strcmp(name, "angle") == 0) name = is_trot(t->c) ? "theta" : "phi";
  if (strcmp(name, "height") == 0) name = "z";
  if (strcmp(name, "rate") == 0) name = "omega";
  return track_of_state(t, name, t->path.states + i * t->path.dimension);
}

static double track_distance(const track *a, const track *b, const char *name) {
  double sum = 0.0;
  for (size_t i = 0; i < a->path.count; i++) {
    const double apart = track_value(a, name, i) - track_value(b, name, i);
    sum += apart * apart;
  }
  return sqrt(sum / (double)a->path.count);
}

/* how far the centre is lifted at an angle, but for a factor */
static double lifted(const model *m, double angle) {
  const double leaning = atan2(model_get(m, "width"), model_get(m, "height"));
  return cos(leaning - fabs(angle)) - cos(leaning);
}

/* of a block: the root of the energy of its first swing to the other side over that of its start;
 * the swing's top is that of a parabola through three points */
static double track_spin_ratio(const track *t) {
  size_t top = 0;
  for (size_t i = 1; i + 1 < t->path.count; i++)
    if (track_value(t, "angle", i) < track_value(t, "angle", top)) top = i;
  if (top == 0 || track_value(t, "angle", top) >= 0.0) return 0.0;
  const double before = track_value(t, "angle", top - 1), at = track_value(t, "angle", top);
  const double after = track_value(t, "angle", top + 1), bend = before - 2.0 * at + after;
  const double angle = at - 0.125 * (after - before) * (after - before) / bend;
  return sqrt(lifted(t->m, angle) / lifted(t->m, track_value(t, "angle", 0)));
}

/* whether it is a motion of passive contacts */
static bool track_is_stable(const track *t) {
  return t->gain <= gain_max;
}

/* ---- MuJoCo's contacts ----------------------------------------------------------------------- */

static bool is_by_callback(const setup *c) {
  return strcmp(c->engine, bridge_callback_solver.name) == 0;
}

/* springs need cones of their own; what is usual is changed as little as can be */
static race_entry entry_of_mujoco(study_run *run, const setup *c) {
  if (is_by_callback(c)) {
    race_entry entry = {.solver = &bridge_callback_solver, .settings = solver_settings_default()};
    entry.settings.variant = c->integrator;
    entry.settings.time_step = c->time_step;
    return entry;
  }
  const bool usual = strcmp(c->choice, "default") == 0;
  const char *const changes =
      study_text(run, "integrator=%s%s time_constant=%.17g", c->integrator,
                 usual ? "" : " cone=elliptic", fmax(0.0, c->time_constant));
  race_entry entry = race_variant(usual, changes);
  entry.settings.time_step = c->time_step;
  return entry;
}

static double gap_of(const corner_springs *p, const double x[], int corner) {
  double from[2];
  corner_springs_from(p, corner, x[CORNERS_PHI], from);
  return x[CORNERS_Z] + from[1] - p->ground;
}

/* above rest on level ground */
static double energy_of(const corner_springs *p, const double x[]) {
  const double along = x[CORNERS_VX], up = x[CORNERS_VZ], turn = x[CORNERS_OMEGA];
  const double height = x[CORNERS_Z] - p->ground + p->corner[0][1];
  return 0.5 * p->mass * (along * along + up * up) + 0.5 * p->inertia * turn * turn +
         p->mass * p->gravity * height;
}

/* of a start, lifted out of the ground: what the springs that carry it hold is part of it */
static double energy_lifted(const corner_springs *p, const double x[]) {
  const double gap = fmin(gap_of(p, x, 0), gap_of(p, x, 1));
  return energy_of(p, x) - p->mass * p->gravity * fmin(gap, 0.0);
}

/* landings between two steps, on the chord of gaps; the speed as it was before the ground acted */
static void note_landings(track *t, const trajectory *steps, size_t i) {
  const corner_springs *const p = t->m->data;
  const double *const x = steps->states + i * steps->dimension;
  const double *const before = i ? x - steps->dimension : x, *const after = x + steps->dimension;
  for (int k = 0; k < CORNERS; k++) {
    const double gap = gap_of(p, x, k), next = gap_of(p, after, k);
    if (!(gap > 0.0 && next <= 0.0)) continue;
    const double share = gap / (gap - next);
    const double up = x[CORNERS_VZ] + share * (x[CORNERS_VZ] - before[CORNERS_VZ]);
    track_note_landing(t, (size_t)k, steps->times[i] + share * steps->dt, -up);
  }
}

/* what all steps say, and those at the times of the path */
static void read_steps(track *t, const trajectory *steps) {
  const size_t stride = (steps->count - 1) / (t->path.count - 1), n = steps->dimension;
  const double start = energy_lifted(t->m->data, steps->states);
  for (size_t i = 0; i < steps->count; i++) {
    const double *const x = steps->states + i * n;
    t->gain = fmax(t->gain, energy_of(t->m->data, x) / start - 1.0);
    if (i + 1 < steps->count) note_landings(t, steps, i);
    if (i % stride == 0) memcpy(t->path.states + i / stride * n, x, n * sizeof *x);
  }
}

/* the part of it by MuJoCo: a path of the model, followed in MuJoCo's steps */
static int follow_mujoco(study_run *run, track *t) {
  race_entry by = entry_of_mujoco(run, t->c);
  trajectory steps;
  double x0[MODEL_DIMENSION_MAX];
  void *instance = NULL;
  if (trajectory_alloc_by(&steps, t->m, t->c->time_step, run->message)) return -1;
  const solver_output output = trajectory_output(&steps);
  t->m->type->initial_state(t->m, x0);
  const int status = by.solver->prepare(t->m, &by.settings, &output, &instance, run->message);
  if (!status && by.solver->run(instance, x0, &output, &t->report) == 0)
    read_steps(t, &steps);
  else
    t->gain = INFINITY;
  if (instance) by.solver->release(instance);
  trajectory_free(&steps);
  return status ? -1 : 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* how long each runs: the body until its lifted foot lands again, the block for four impacts */
static const double trot_time = 0.4, block_time = 0.35;

/* The block's threshold is sought between these tilts, by halving their logarithms' distance: by
 * libess with an error that is small against the springs' way, by MuJoCo to what its steps tell. */
enum { HALVINGS = 20, HALVINGS_IN_STEPS = 12 };
static const double least_tilt = 1e-7, most_tilt = 0.4, threshold_tolerance = 1e-12;

enum { CHANGES = 5 };

/* the model of a case: its type, and what is changed of it */
static const model_type *changes_of(const setup *c, double tilt, double duration,
                                    case_change changes[CHANGES]) {
  const case_change springs[] = {
      {"stiffness", c->stiffness}, {"damping-ratio", c->damping_ratio}, {0}};
  const case_change trot[] = {{"limbs", TROT_RIGID}, {0}};
  const case_change block[] = {{"delta-t", c->delta_t}, {"complete", 1.0}, {0}};
  changes[0] = (case_change){"tilt", tilt};
  changes[1] = (case_change){"duration", duration};
  memcpy(&changes[2], is_soft(c) ? springs : block, sizeof springs);
  if (!is_soft(c) && is_trot(c)) memcpy(&changes[2], trot, sizeof trot);
  if (is_soft(c)) return is_trot(c) ? &trot_on_springs_type : &block_on_springs_type;
  return is_trot(c) ? &trot_type : &rocking_block_type;
}

/* its model; the same as one who races, and its own start. NULL with one line. */
static const model *model_of(study_run *run, const setup *c, double tilt, double duration) {
  case_change changes[CHANGES];
  const model_type *const type = changes_of(c, tilt, duration, changes);
  return case_model_of(run, type, changes);
}

static double tilt_of(const study_run *run, const setup *c) {
  const settings *const s = run->settings;
  return is_trot(c) ? s->trot_tilt : s->block_tilt;
}

static double time_of(const setup *c) {
  return is_trot(c) ? trot_time : block_time;
}

static solver_settings libess_settings(double tolerance) {
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = tolerance;
  return with;
}

static contest_starts *entry_of(study_run *run, const setup *c, race_entry *entry) {
  const settings *const s = run->settings;
  case_change changes[CHANGES];
  const model_type *const type = changes_of(c, tilt_of(run, c), time_of(c), changes);
  *entry = (race_entry){.solver = &libess_solver, .settings = libess_settings(s->tolerance)};
  if (is_by_mujoco(c)) *entry = entry_of_mujoco(run, c);
  contest_starts *const starts = case_own_start_of(run, type, changes);
  entry->starts = starts;
  return starts;
}

/* in all four systems event k < 2 is the landing of contact k */
static int note(const ess_impact *impact, void *context) {
  track *const t = context;
  for (size_t i = 0; i < impact->count; i++)
    if (impact->events[i] < CORNERS)
      track_note_landing(t, impact->events[i], impact->t, -track_of_state(t, "vz", impact->x));
  return 0;
}

static int follow_libess(study_run *run, double tolerance, track *t) {
  solver_settings with = libess_settings(tolerance);
  with.impact = note;
  with.impact_context = t;
  return trajectory_follow(&t->path, t->m, &libess_solver, &with, &t->report, run->message);
}

/* free its path, whatever is returned */
static int follow(study_run *run, const setup *c, double tilt, double duration, double tolerance,
                  track *t) {
  *t = (track){
      .c = c, .m = model_of(run, c, tilt, duration), .first = NAN, .speed = NAN, .gain = -INFINITY};
  if (!t->m || trajectory_alloc(&t->path, t->m, run->message)) return -1;
  return is_by_mujoco(c) ? follow_mujoco(run, t) : follow_libess(run, tolerance, t);
}

/* runs it as the settings say; or otherwise. Its path is to be freed, whatever is returned: 0, or
 * -1 with one line. */
static int follow_as_asked(study_run *run, const setup *c, track *t) {
  const settings *const s = run->settings;
  return follow(run, c, tilt_of(run, c), time_of(c), s->tolerance, t);
}

/* until a block that rises has landed, many times over for small tilts; in whole output steps */
static double until_landed(double tilt) {
  return 0.002 * ceil(10.0 + 1000.0 * sqrt(tilt));
}

/* The speed of a block's centre, downward, at its first impact, where the corner that it rested on
 * only just rises: NaN where it never does, 0 where it always does. */
static int stop_speed(study_run *run, const setup *c, double *speed) {
  double low = least_tilt, high = most_tilt;
  *speed = NAN;
  for (int i = 0; i <= (is_by_mujoco(c) ? HALVINGS_IN_STEPS : HALVINGS); i++) {
    const double tilt = i ? sqrt(low * high) : most_tilt;
    track t;
    const int status = follow(run, c, tilt, until_landed(tilt), threshold_tolerance, &t);
    trajectory_free(&t.path);
    if (status) return -1;
    if (i == 0 && !t.rises) return 0;
    if (t.rises) *speed = t.speed;
    *(t.rises ? &high : &low) = tilt;
  }
  if (low == least_tilt) *speed = 0.0;
  return 0;
}

/* how far MuJoCo is from libess on the same springs */
static int soft_distance(study_run *run, const track *t, double *distance) {
  setup c = *t->c;
  track of;
  c.engine = "libess";
  c.integrator = "";
  const int status = follow_as_asked(run, &c, &of);
  if (!status) *distance = track_distance(t, &of, "angle");
  trajectory_free(&of.path);
  return status;
}

static void fill(const track *t, const track *of, contact *row) {
  const bool trot = is_trot(t->c);
  row->landing = t->first;
  row->landing_off = t->first - of->first;
  row->height_rms = track_distance(t, of, "height");
  row->angle_rms = track_distance(t, of, "angle");
  row->rate_rms = track_distance(t, of, "rate");
  row->spin_ratio = trot ? NAN : track_spin_ratio(t);
  row->end_rate = trot ? track_value(t, "rate", t->path.count - 1) : NAN;
  row->field_evaluations = t->report.field_evaluations;
  row->event_evaluations = t->report.event_evaluations;
  row->steps = t->report.steps;
}

/* a row of what it did: all of it, or without its threshold, which takes many runs */
static int find_row(study_run *run, const setup *c, bool threshold, contact *row) {
  const setup ideal = rigid(is_trot(c), 0.0);
  track t, of = {0};
  *row = (contact){SAME(c), .soft_angle_rms = NAN, .stop_speed = NAN, .stop_delta_t = NAN,
                   .time_s = NAN};
  int status = follow_as_asked(run, c, &t);
  if (!status) status = follow_as_asked(run, &ideal, &of);
  if (!status && is_by_mujoco(c) && !(c->time_constant > 0.0))
    status = soft_distance(run, &t, &row->soft_angle_rms);
  if (!status && threshold && !is_trot(c)) status = stop_speed(run, c, &row->stop_speed);
  if (!status) fill(&t, &of, row);
  trajectory_free(&t.path);
  trajectory_free(&of.path);
  return status;
}

/* ---- searches -------------------------------------------------------------------------------- */

/* MuJoCo's own contact by default, s; and the impedance that it has at no depth, and at most */
static const double default_time_constant = 0.02;
static const double impedance = 0.9, impedance_max = 0.95;

/* rungs: from so soft on, each stiffer by a factor, until MuJoCo does not bear it */
enum { RUNGS = 48 };
static const double softest = 1e4, stiffer = 1.7782794100389228; /* 10^(1/4) */
static const double slowest = 0.032, faster = 1.4142135623730951;

/* ---- the stiffest ---------------------------------------------------------------------------- */

/* MuJoCo's own contact as springs and dampers: K = d/(dmax tc)^2 and B = 2/(dmax tc) for a unit of
 * mass, over its softness A (1-d)/d */
static void set_own(setup *c, double time_constant) {
  model m;
  model_init(&m, is_trot(c) ? &trot_on_springs_type : &block_on_springs_type);
  const double mass = model_get(&m, "mass"), reach = impedance_max * time_constant;
  const double soft = 2.0 / (3.0 * mass) * (1.0 - impedance) / impedance;
  c->contacts = "own";
  c->time_constant = time_constant;
  c->stiffness = impedance / (reach * reach) / soft;
  c->damping_ratio = 1.0 / (reach * soft) / sqrt(c->stiffness * mass);
}

/* what was found by one who climbs */
typedef struct found {
  setup stiffest, closest;
  double distance; /* of the closest */
} found;

/* goes up as far as contacts are stable */
static int climb(study_run *run, setup c, const track *rigid, found *f) {
  const bool own = c.time_constant > 0.0;
  int status = 0;
  bool stable = true;
  for (int i = 0; !status && stable && i < RUNGS; i++) {
    track t;
    if (own)
      set_own(&c, slowest * pow(faster, -i));
    else
      c.stiffness = softest * pow(stiffer, i);
    status = *run->interrupted ? -1 : follow_as_asked(run, &c, &t);
    if (*run->interrupted) return measure_fail(run->message, "interrupted");
    stable = !status && track_is_stable(&t);
    const double distance = stable ? track_distance(&t, rigid, "angle") : INFINITY;
    if (stable) f->stiffest = c;
    if (distance < f->distance) {
      f->distance = distance;
      f->closest = c;
    }
    trajectory_free(&t.path);
  }
  return status;
}

static int add(study_run *run, setup c, const char *choice) {
  contact row;
  const bool threshold = strcmp(choice, "stiffest") != 0;
  c.choice = choice;
  return find_row(run, &c, threshold, &row) ? -1 : study_add(run, STUDY_SAMPLES, &row);
}

/* each kind of contact: MuJoCo's own, where it is not a callback, then springs of each damping
 * ratio
 */
static int search(study_run *run, setup c, const track *rigid) {
  const settings *const s = run->settings;
  found f = {.distance = INFINITY};
  int status = 0;
  for (size_t i = is_by_callback(&c); !status && i <= s->ratios.count; i++) {
    c.contacts = i ? "springs" : "own";
    c.time_constant = i ? NAN : slowest;
    c.damping_ratio = i ? s->ratios.value[i - 1] : NAN;
    f.stiffest.integrator = "";
    status = climb(run, c, rigid, &f);
    if (!status && is_by_mujoco(&f.stiffest)) status = add(run, f.stiffest, "stiffest");
  }
  if (!status && isfinite(f.distance)) status = add(run, f.closest, "closest");
  return status;
}

/* MuJoCo with one step and integrator: how it does by default, the stiffest stable contacts of each
 * kind, and the closest of all, as rows of samples */
static int search_all(study_run *run, setup c) {
  const setup ideal = rigid(is_trot(&c), 0.0);
  track of;
  int status = follow_as_asked(run, &ideal, &of);
  if (!is_by_callback(&c)) {
    set_own(&c, default_time_constant);
    if (!status) status = add(run, c, "default");
  }
  if (!status) status = search(run, c, &of);
  trajectory_free(&of.path);
  return status;
}

/* ---- the race -------------------------------------------------------------------------------- */

/* a row that has a time alone */
static int tell(void *context, const race_lap *lap) {
  contact row;
  column_clear(contact_columns, &row);
  row.time_s = *lap->message ? NAN : lap->of.time_s;
  return study_add(context, STUDY_SAMPLES, &row);
}

/* The times of all cases of samples so far, in turns: a row of samples for each. What one has of a
 * quiet machine, all have. */
static int race_all(study_run *run) {
  size_t count;
  const contact *const row = study_rows(run, STUDY_SAMPLES, &count);
  race_plan plan = {.trials = 1, .processes = 1, .seed = run->seed};
  race_entry *const entry = calloc(count, sizeof *entry);
  int status = entry ? 0 : study_out_of_memory(run);
  for (size_t i = 0; !status && i < count; i++) {
    const setup c = {SAME(&row[i])};
    contest_starts *const starts = entry_of(run, &c, &entry[i]);
    if (!plan.starts) plan.starts = starts;
    status = starts ? 0 : -1;
  }
  if (!status) status = race_run(run, &plan, entry, count, tell, run);
  free(entry);
  return status;
}

/* of pseudo-impulses in the rigid block that has a threshold, s */
static const double pseudo_time = 0.03;

enum { SAMPLES = STUDY_SAMPLES, PATHS, ROWS };

/* ---- what is asked for ----------------------------------------------------------------------- */

static int check(study_run *run) {
  const settings *const s = run->settings;
  for (size_t i = 0; i < s->time_steps.count; i++) {
    const double parts = 2.0 / s->time_steps.value[i];
    if (fabs(parts - round(parts)) < 1e-9 * parts) continue;
    return SOLVER_REFUSE(run->message, "--time-steps: %.9g is not accepted; it divides 2 ms evenly",
                         s->time_steps.value[i]);
  }
  return 0;
}

/* ---- cells: runs by libess, searches for MuJoCo's contacts, then the race of all of them ----- */

typedef enum cell_kind { RUN, SEARCH, RACE } cell_kind;

/* of a search, system, integrator and step */
typedef struct cell {
  cell_kind kind;
  setup of;
} cell;

static int plan_run(study_run *run, setup c) {
  return study_cell(run, &(cell){RUN, c},
                    "trot=%d soft=%d delta_t=%.17g ratio=%.17g stiffness=%.17g", is_trot(&c),
                    is_soft(&c), c.delta_t, c.damping_ratio, c.stiffness);
}

static void plan_libess(study_run *run, bool trot) {
  const settings *const s = run->settings;
  setup c = rigid(trot, NAN);
  plan_run(run, rigid(trot, 0.0));
  if (!trot) plan_run(run, rigid(trot, pseudo_time));
  c.contacts = "springs";
  for (size_t i = 0; i < s->ratios.count; i++)
    for (size_t k = 0; k < s->stiffnesses.count; k++) {
      c.damping_ratio = s->ratios.value[i];
      c.stiffness = s->stiffnesses.value[k];
      plan_run(run, c);
    }
}

static void plan_mujoco(study_run *run, bool trot, const solver_type *engine) {
  const settings *const s = run->settings;
  cell c = {SEARCH, rigid(trot, NAN)};
  c.of.engine = engine->name;
  for (size_t i = 0; i < s->integrators.count; i++)
    for (size_t k = 0; k < s->time_steps.count; k++) {
      c.of.integrator = integrators[s->integrators.index[i]];
      c.of.time_step = 1e-3 * s->time_steps.value[k];
      study_cell(run, &c, "search trot=%d engine=%s by=%s step=%.17g", trot, engine->name,
                 c.of.integrator, c.of.time_step);
    }
}

static int plan(study_run *run, size_t stage) {
  if (stage == 1) return study_cell(run, &(cell){.kind = RACE}, "race");
  for (int trot = 0; !stage && trot < 2; trot++) plan_libess(run, trot);
  for (int trot = 0; !stage && trot < 2; trot++) plan_mujoco(run, trot, &bridge_solver);
  // corners of the block stick, which no callback has
  if (!stage) plan_mujoco(run, true, &bridge_callback_solver);
  return 0;
}

static int measure(study_run *run, const void *planned) {
  const cell *const c = planned;
  contact row;
  if (c->kind == RACE) return race_all(run);
  if (c->kind == SEARCH) return search_all(run, c->of);
  return find_row(run, &c->of, true, &row) ? -1 : study_add(run, SAMPLES, &row);
}

/* ---- all runs -------------------------------------------------------------------------------- */

/* rows of libess, then those of MuJoCo choice by choice, with their times, which stand behind all
 * others in the same order; a threshold grows with the time that pseudo-impulses act for */
static void add_rows(study_run *run) {
  static const char *const choices[] = {"", "default", "closest", "stiffest"};
  size_t count;
  const contact *const all = study_rows(run, SAMPLES, &count), *const times = all + count / 2;
  double by_time = NAN;
  for (size_t i = 0; i < count / 2; i++)
    if (all[i].delta_t > 0.0) by_time = all[i].stop_speed / all[i].delta_t;
  for (size_t k = 0; k < sizeof choices / sizeof *choices; k++)
    for (size_t i = 0; i < count / 2; i++) {
      contact row = all[i];
      row.stop_delta_t = row.stop_speed / by_time;
      row.time_s = times[i].time_s;
      if (strcmp(row.choice, choices[k]) == 0) study_add(run, ROWS, &row);
    }
}

static int add_path(study_run *run, const contact *of) {
  const setup c = {SAME(of)};
  track t;
  int status = follow_as_asked(run, &c, &t);
  for (size_t i = 0; !status && i < t.path.count; i++) {
    const point row = {SAME(of), .t = t.path.times[i], .height = track_value(&t, "height", i),
                       .angle = track_value(&t, "angle", i), .rate = track_value(&t, "rate", i)};
    study_add(run, PATHS, &row);
  }
  trajectory_free(&t.path);
  return status;
}

/* of all but MuJoCo's stiffest */
static int derive(study_run *run) {
  size_t count;
  add_rows(run);
  const contact *const rows = study_rows(run, ROWS, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(rows[i].choice, "stiffest") != 0 && add_path(run, &rows[i])) return -1;
  return 0;
}

static void show(const study_run *run) {
  size_t count, shown = 0;
  const contact *const rows = study_rows(run, ROWS, &count);
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
    .group = STUDY_MECHANISMS,
    .figures = {STUDY_FIGURE("fig_rigid_soft", "rigid_soft.csv", .crowded = true)},
    .make = "rigid-soft",
    .small = "--stiffnesses 1e6,1e5,1e4 --time-steps 2,1",
    .own_models = true,
    .unseeded = true,
    .pinned = true,
    .cells = "runs and searches",
    .stages = 2,
    STUDY_OF(settings, cell),
    .tables = {[SAMPLES] = STUDY_ROWS(contact, .meaning = "one run"),
               [PATHS] = STUDY_ROWS(point, .csv = "rigid_soft_paths.csv",
                                    .meaning = "one time of one run"),
               [ROWS] = STUDY_ROWS(contact, .json = "rows", .csv = "rigid_soft.csv",
                                   .meaning = "one run")},
    .check = check,
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
};
