/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robot --derivative: how wrong MuJoCo's derivatives of a robot's trajectory are. */
#include "robot_audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies.h"

/* by which libess's own runs are moved, and MuJoCo's states for its matrices; and the tolerance of
 * those runs, over that of the reference */
static const double small_move = 1e-6, runs_tolerance = 1e-3;

/* numbers that the matrices of one way may have: 64 MB of them */
static const double numbers_max = 8e6;

#define AT(member) OPTION_AT(audit_settings, member)

static const study_option options[] = {
    {"time", "S", "up to when derivatives are compared, s", OPTION_NUMBER, AT(robot.time),
     .initial = "0.5", .min = 1e-3, .max = 1e3, .result = "time"},
    {"output-step", "S",
     "between the times at which they are, s; it is rounded to whole steps of the model",
     OPTION_NUMBER, AT(robot.output_step), .initial = "0.1", .min = 1e-5, .max = 1e3,
     .result = "output_step"},
    {"halvings", "COUNT", "steps of mj_step: the model's own, and so many halves of it",
     OPTION_WHOLE, AT(halvings), .initial = "4", .max = 12, .result = "halvings"},
    {"moves", "X,Y",
     "by which the start is moved for differences of MuJoCo's runs, the largest "
     "first",
     OPTION_NUMBERS, AT(moves), .initial = "1e-3,1e-6", .min = 1e-10, .max = 0.1},
    {"qpos", "X,Y",
     "pose that the start is made of (default: keyframe 0, else init_qpos, else qpos0)",
     OPTION_TEXT, AT(robot.qpos), .result = "qpos"},
    {"height", "M", "what can fall is raised by so much, m", OPTION_NUMBER, AT(robot.height),
     .initial = "0.05", .min = -1e3, .max = 1e3, .result = "height"},
    {"tilt", "RAD", "the first thing that falls is tilted by so much, rad", OPTION_NUMBER,
     AT(robot.tilt), .initial = "0.1", .min = -4, .max = 4, .result = "tilt"},
    {"ctrl", "X,Y|FILE",
     "of the actuators: a constant, or a csv with a row for each period (default: keyframe 0's, "
     "else 0)",
     OPTION_TEXT, AT(robot.control), .result = "ctrl"},
    {"period", "S", "control period: a row of --ctrl is held for so long, s", OPTION_NUMBER,
     AT(robot.period), .initial = "0.02", .min = 1e-4, .max = 1e3, .result = "period"},
    {"twin", "K,C",
     "contacts become springs and dampers of K N/m and C N s/m, in both engines (default: they are "
     "MuJoCo's own)",
     OPTION_TEXT, AT(robot.twin), .result = "twin"},
    {"without", "A,B|self",
     "these geoms or bodies never touch, in both engines; self: no two of one robot (default: all "
     "may)",
     OPTION_TEXT, AT(robot.without), .result = "without"},
    {"reference", "X", "tolerance of libess's tangents", OPTION_NUMBER, AT(robot.reference),
     .initial = "1e-9", .min = 1e-10, .max = 1e-3, .result = "reference_tolerance"},
    {"budget", "S", "a run that takes longer is left out, s", OPTION_NUMBER, AT(robot.budget),
     .initial = "60", .min = 1e-3, .max = 1e6},
    {0},
};

/* ---- what is asked for ------------------------------------------------------------------------
 */

/* times are ends of MuJoCo's steps */
static int round_times(study_run *run) {
  const audit_settings *const s = run->settings;
  robot_case *const c = run->own;
  const double step = c->size.time_step;
  c->output_step = step * fmax(1.0, round(s->robot.output_step / step));
  c->outputs = (size_t)(s->robot.time / c->output_step + 1e-9) + 1;
  if (c->outputs > 1) return 0;
  return SOLVER_REFUSE(run->message,
                       "--time %g is shorter than %g s, which are whole steps of %g s",
                       s->robot.time, c->output_step, step);
}

static int check_size(study_run *run) {
  const robot_case *const c = run->own;
  const double n = 2.0 * (double)c->size.nv + (double)c->size.na;
  if (n * n * (double)c->outputs <= numbers_max) return 0;
  return SOLVER_REFUSE(run->message,
                       "matrices of %.0f directions at %zu times are more than can be kept here; "
                       "a shorter --time, or a longer --output-step, would do",
                       n, c->outputs);
}

static int check(study_run *run) {
  int status = robot_case_open(run);
  if (!status) status = round_times(run);
  if (!status) status = check_size(run);
  return status ? status : robot_outlook(run);
}

static int plan(study_run *run, size_t stage) {
  const robot_case *const c = run->own;
  const size_t start = 0;
  if (stage == 0 && *c->warning) fprintf(stderr, "%s", c->warning);
  return stage == 0 ? study_cell(run, &start, "start=%zu", start) : 0;
}

/* ---- samples ----------------------------------------------------------------------------------
 */

static const column sample_columns[] = {
    COLUMNS(audit_sample, TEXT, kind, who, way, integrator, note),
    COLUMNS(audit_sample, AMOUNT, step, move, t, error),
    {0},
};

/* Frobenius's length of a - b, or of a alone */
static double length(const double a[], const double b[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += b ? (a[i] - b[i]) * (a[i] - b[i]) : a[i] * a[i];
  return sqrt(sum);
}

/* `s` says who and how; a sample for each time at which there is a reference */
static int add_errors(study_run *run, audit_sample s, const audit_path *p, const audit_path *of) {
  const robot_case *const c = run->own;
  const size_t numbers = of->n * of->n;
  int status = 0;
  for (size_t k = 1; !status && k < of->reached; k++) {
    const double *const reference = of->matrix + k * numbers;
    s.t = (double)k * c->output_step;
    s.error = NAN;
    s.note = p->note;
    if (k < p->reached) {
      s.error =
          length(p->matrix + k * numbers, reference, numbers) / length(reference, NULL, numbers);
      s.note = isfinite(s.error) ? "" : "it is not finite";
    }
    if (!isfinite(s.error)) s.error = NAN;
    status = study_add(run, AUDIT_SAMPLES, &s);
  }
  return status;
}

/* ---- the cell ---------------------------------------------------------------------------------
 */

/* both tolerances have to see one derivative; `of` is that of the smaller */
static int find_reference(study_run *run, const double x0[], audit_path *of, audit_path *p) {
  const audit_settings *const s = run->settings;
  const char *const base = robot_bases[ESS_BASE_DOPRI5];
  study_within(run, "tangents of libess");
  int status = audit_find_tangents(run, x0, s->robot.reference, true, of);
  if (!status) status = audit_find_tangents(run, x0, 10.0 * s->robot.reference, false, p);
  if (status) return status;
  const audit_path *const first = p->reached < of->reached ? p : of;
  const audit_sample end = {audit_end, audit_libess, "",           "", first->note,
                            NAN,       NAN,          first->until, NAN};
  of->reached = first->reached;
  status = study_add(run, AUDIT_SAMPLES, &end);
  const audit_sample loose = {audit_error, audit_libess, audit_tangents, base, "", NAN, NAN,
                              NAN,         NAN};
  return status ? status : add_errors(run, loose, p, of);
}

static int check_by_runs(study_run *run, const double x0[], const audit_path *of, audit_path *p) {
  const audit_settings *const s = run->settings;
  const char *const base = robot_bases[ESS_BASE_DOPRI5];
  const robot_entry e = {ROBOT_LIBESS, base, runs_tolerance * s->robot.reference, false};
  const audit_sample own = {audit_error, audit_libess, audit_differences, base, "", NAN, small_move,
                            NAN,         NAN};
  study_within(run, "differences of libess's runs");
  const int status = audit_find_differences(run, x0, &e, small_move, p);
  return status ? status : add_errors(run, own, p, of);
}

/* MuJoCo's by one way and move, at the model's own step and its halves */
static int find_mujoco(study_run *run, const double x0[], const char *way, double move,
                       const audit_path *of, audit_path *p) {
  const audit_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const bool by_matrices = way == audit_transitions;
  robot_entry e = {ROBOT_MUJOCO, c->size.integrator, c->size.time_step, false};
  if (by_matrices && !robot_steps_has_transitions(e.variant)) e.variant = robot_integrators[0];
  int status = 0;
  for (size_t i = 0; !status && i <= s->halvings && !*run->interrupted; i++, e.knob /= 2.0) {
    const audit_sample sample = {audit_error, audit_mujoco, way, e.variant, "",
                                 e.knob,      move,         NAN, NAN};
    study_within(run, "MuJoCo's %s, at %g s", way, e.knob);
    status = by_matrices ? audit_find_transitions(run, x0, &e, move, p)
                         : audit_find_differences(run, x0, &e, move, p);
    if (!status) status = add_errors(run, sample, p, of);
  }
  return status;
}

static int audit_start(study_run *run, double x0[], audit_path *of, audit_path *p) {
  const audit_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const robot_start from = {s->robot.qpos, s->robot.height, s->robot.tilt, 0, 0};
  int status = robot_start_state(c->robot, &from, x0, run->message) ? -1 : 0;
  if (!status) robot_normalise(c->robot, x0);
  if (!status) status = find_reference(run, x0, of, p);
  if (status || of->reached < 2) return status;
  status = check_by_runs(run, x0, of, p);
  if (!status) status = find_mujoco(run, x0, audit_transitions, small_move, of, p);
  for (size_t i = 0; !status && i < s->moves.count; i++)
    status = find_mujoco(run, x0, audit_differences, s->moves.value[i], of, p);
  return status;
}

static int measure(study_run *run, const void *cell) {
  (void)cell;
  const robot_case *const c = run->own;
  audit_path of = {0}, p = {0};
  double *const x0 = calloc(c->size.dimension + 1, sizeof *x0);
  int status = x0 ? 0 : study_out_of_memory(run);
  if (!status) status = audit_path_alloc(run, &of);
  if (!status) status = audit_path_alloc(run, &p);
  if (!status) status = audit_start(run, x0, &of, &p);
  // a cell that was cut short is none
  if (!status && *run->interrupted) status = -1;
  audit_path_free(&of);
  audit_path_free(&p);
  free(x0);
  return status;
}

/* ---- the study --------------------------------------------------------------------------------
 */

const study robot_audit_study = {
    .name = "robot-derivative",
    .summary = "how wrong MuJoCo's derivatives of a trajectory of an MJCF are; robot --derivative",
    .example = "essbench robot hopper.xml --derivative",
    .file = "robot_derivative",
    .schema = "essbench-robot-derivative-1",
    .operand = "FILE",
    .own_models = true,
    .unseeded = true,
    .untimed = true,
    .printable = true,
    .table = "show what is known; measure nothing",
    .cells = "starts",
    STUDY_OF(options, audit_settings, size_t),
    .tables =
        {
            [AUDIT_SAMPLES] = STUDY_TABLE(sample_columns, audit_sample,
                                          .meaning = "an error, an event, or the end"),
            [AUDIT_TOP] = STUDY_ROWS(audit_top, .json = "",
                                     .meaning = "the model, and how far it is audited"),
            [AUDIT_TIMES] =
                STUDY_ROWS(audit_time, .json = "times", .csv = "robot_derivative_times.csv",
                           .meaning = "a time, and how exact libess is there"),
            [AUDIT_ERRORS] = STUDY_ROWS(audit_row, .json = "errors", .csv = "robot_derivative.csv",
                                        .meaning = "a derivative, found one way, at one time"),
            [AUDIT_EVENTS] = STUDY_ROWS(
                audit_event_row, .json = "crossings", .csv = "robot_derivative_events.csv",
                .meaning = "a contact or limit that begins or ceases to act"),
        },
    .check = check,
    .plan = plan,
    .run = measure,
    .derive = audit_derive,
    .show = audit_show,
    .release = robot_case_close,
};
