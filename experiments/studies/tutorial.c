/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench tutorial: the example of the tutorial of contact methods, by its own programs as they
 * are printed: a mass of 10 kg that falls 1 m onto a rigid floor, in steps of 1 ms, beside the
 * exact motion; and the derivative of a bounce, by libess. */
#include <math.h>
#include <string.h>

#include "flow.h"
#include "race.h"
#include "studies.h"

enum { Z, V, STATES };
enum { PROGRAMS = STUDY_SAMPLES };

/* as the tutorial has them */
enum { POINTS = 1000 };
static const double mass = 10.0, gravity = 9.81, fall = 1.0, time_step = 1e-3;

/* Starts beside that one, for the slope of a height by the start: they span more than a step's
 * fall, within which the step of the landing changes once. */
enum { NEIGHBOURS = 2001 };
static const double apart = 5e-6;

/* what counts as a touch: a share of the weight, which the smooth force never quite leaves */
static const double touch_share = 0.01;

/* tight enough not to be seen */
static const double tolerance = 1e-11;

/* ---- rows ------------------------------------------------------------------------------------ */

#define PROGRAM(X, row)                                                                            \
  X(row, program, TEXT, "", "hybrid, smooth or time-stepping, as printed; or libess",              \
    SHOWN("program", "%-13s"))                                                                     \
  X(row, restitution, AMOUNT, "", "speed after an impact over that before; not known: a force",    \
    SHOWN("restitution", "%11g"))                                                                  \
  X(row, rms_position, AMOUNT, "m", "error of the height, over all steps",                         \
    SHOWN("RMS z", "%9.2e"))                                                                       \
  X(row, rms_speed, AMOUNT, "m/s", "error of the speed, over all steps", SHOWN("RMS v", "%9.2e"))  \
  X(row, rest, NUMBER, "m", "height at the end", SHOWN("end", "%9.2e"))                            \
  X(row, touches, COUNT, "", "how often the floor begins to push", SHOWN("touches", "%7.0f"))      \
  X(row, kink, AMOUNT, "",                                                                         \
    "largest change of a step's slope, height by initial height, from one to the next at 5 um, "   \
    "over "                                                                                        \
    "all steps",                                                                                   \
    SHOWN("kink", "%8.1e"))                                                                        \
  X(row, derivative, NUMBER, "",                                                                   \
    "of the height at 1 s with respect to the initial height, integrated along")                   \
  X(row, derivative_error, AMOUNT, "", "against the closed form", SHOWN("d error", "%8.1e"))
COLUMN_ROW(program, PROGRAM);

/* ---- the tutorial's programs ----------------------------------------------------------------- */

/* From the state at a step to the next one; before that it may be rewritten, as a jump map does.
 * Returns the force of the floor. */
typedef double step_fn(double x[STATES], double restitution);

static void euler(double x[STATES], double force) {
  const double speed = x[V];
  x[V] += time_step * (force / mass - gravity);
  x[Z] += time_step * speed;
}

static double hybrid(double x[STATES], double restitution) {
  double force = 0.0;
  if (x[Z] < 0.0) {
    force = mass * -(1.0 + restitution) * x[V] / time_step;
    x[Z] = 0.0;
    x[V] *= -restitution;
  }
  euler(x, 0.0);
  return force;
}

static double smooth(double x[STATES], double restitution) {
  static const double spring = 0.01, damping = 0.1, most = 1500.0, steep = 100.0;
  (void)restitution;
  const double scale = 0.5 * most / spring, distance = scale - scale * tanh(steep * x[Z]);
  const double force = spring * distance - damping * x[V] * distance;
  euler(x, force);
  return force;
}

/* The solution of its constraints (1) to (4), without the slack that IPOPT needs: the force is
 * none, or that with which the step ends on the floor. */
static double stepping(double x[STATES], double restitution) {
  (void)restitution;
  const double free_speed = x[V] - time_step * gravity;
  const double force = fmax(0.0, -mass * (x[Z] / time_step + free_speed) / time_step);
  x[V] = free_speed + time_step * force / mass;
  x[Z] = force > 0.0 ? 0.0 : x[Z] + time_step * x[V];
  return force;
}

static const struct {
  const char *name;
  step_fn *step;
  double restitution; /* of the motion that it is compared with */
  bool is_force;
} programs[] = {
    {"hybrid", hybrid, 0.0, false},
    {"hybrid", hybrid, 0.7, false},
    {"smooth", smooth, 0.0, true},
    {"time-stepping", stepping, 0.0, true},
};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

/* ---- the exact motion ------------------------------------------------------------------------ */

/* until the second landing, which is after the end */
static void exact(double t, double restitution, double x[STATES]) {
  const double lands = sqrt(2.0 * fall / gravity), after = t - lands;
  const double up = restitution * gravity * lands;
  x[Z] = after < 0.0 ? fall - 0.5 * gravity * t * t : 0.0;
  x[V] = after < 0.0 ? -gravity * t : 0.0;
  if (after < 0.0 || restitution == 0.0) return;
  x[Z] = up * after - 0.5 * gravity * after * after;
  x[V] = up - gravity * after;
}

/* of the height at t, after the first bounce, by the height at the start */
static double exact_derivative(double t, double restitution) {
  const double lands = sqrt(2.0 * fall / gravity), later = 1.0 / (gravity * lands);
  return later * gravity * ((1.0 + restitution) * (t - lands) - restitution * lands);
}

/* ---- cells: one program each ----------------------------------------------------------------- */

static int plan(study_run *run, size_t stage) {
  for (size_t i = 0; !stage && i <= PROGRAM_COUNT; i++) study_cell(run, &i, "program=%zu", i);
  return 0;
}

/* of the heights from three neighbouring starts, the one in the middle as it has been */
static double largest_kink(size_t which) {
  double most = 0.0, last[POINTS], slope[POINTS];
  for (int i = 0; i < NEIGHBOURS; i++) {
    double x[STATES] = {fall + apart * (i - NEIGHBOURS / 2), 0.0};
    for (int k = 0; k < POINTS; k++) {
      const double now = i ? (x[Z] - last[k]) / apart : NAN;
      if (i > 1) most = fmax(most, fabs(now - slope[k]));
      slope[k] = now;
      last[k] = x[Z];
      programs[which].step(x, programs[which].restitution);
    }
  }
  return most;
}

static int add_program(study_run *run, size_t which) {
  const double restitution = programs[which].restitution;
  double x[STATES] = {fall, 0.0}, known[STATES], squares[STATES] = {0.0};
  bool touches = false;
  program row = {.program = programs[which].name,
                 .restitution = programs[which].is_force ? (double)NAN : restitution,
                 .derivative = NAN,
                 .derivative_error = NAN};
  for (int k = 0; k < POINTS; k++) {
    exact(k * time_step, restitution, known);
    for (int i = 0; i < STATES; i++) squares[i] += (x[i] - known[i]) * (x[i] - known[i]);
    row.rest = x[Z];
    const bool pushed = programs[which].step(x, restitution) > touch_share * mass * gravity;
    row.touches += pushed && !touches;
    touches = pushed;
  }
  row.rms_position = sqrt(squares[Z] / POINTS);
  row.rms_speed = sqrt(squares[V] / POINTS);
  row.kink = largest_kink(which);
  return study_add(run, PROGRAMS, &row);
}

/* the same bounce, its jump map given to libess */
static int add_derivative(study_run *run) {
  static const double restitution = 0.7, end = 1.0;
  const case_change changes[] = {{"restitution", restitution}, {0}};
  const model *const m = case_model(run, changes);
  double x[STATES], tangent[STATES], known[STATES];
  const double start[STATES] = {fall, 0.0}, along[STATES] = {1.0, 0.0};
  ess_options with = ess_options_default();
  with.rtol = with.atol = tolerance;
  const flow_request request = {.m = m,
                                .options = &with,
                                .x0 = start,
                                .t1 = end,
                                .count = 1,
                                .directions = along,
                                .piece = SIZE_MAX};
  flow out = {.state = x, .tangent = tangent};
  if (!m || flow_follow(&request, &out, run->message)) return -1;
  exact(end, restitution, known);
  const program row = {.program = "libess",
                       .restitution = restitution,
                       .rms_position = NAN,
                       .rms_speed = NAN,
                       .rest = x[Z],
                       .touches = 1,
                       .kink = NAN,
                       .derivative = tangent[Z],
                       .derivative_error = fabs(tangent[Z] - exact_derivative(end, restitution))};
  return study_add(run, PROGRAMS, &row);
}

static int measure(study_run *run, const void *cell) {
  const size_t which = *(const size_t *)cell;
  return which < PROGRAM_COUNT ? add_program(run, which) : add_derivative(run);
}

const study tutorial_study = {
    .name = "tutorial",
    .summary = "the contact tutorial's programs as printed, on its mass that falls onto a floor",
    .file = "tutorial",
    .model = "ball",
    STUDY_BRIEF,
    .cells = "programs",
    .cell_size = sizeof(size_t),
    .tables = {[PROGRAMS] = STUDY_ROWS(program, .json = "programs", .csv = "tutorial.csv",
                                       .meaning = "one program")},
    .plan = plan,
    .run = measure,
};
