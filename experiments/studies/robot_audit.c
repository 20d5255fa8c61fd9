/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robot --derivative: how far MuJoCo's derivatives of a robot's trajectory, which are
 * those of its discrete map, are from the derivative of the continuous flow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ess_tangents.h"
#include "robot_case.h"
#include "robot_directions.h"
#include "studies.h"

/* Derivatives of the state at the output times by the start, in directions (robot_directions): a
 * matrix each, row-major. That at the start is none. */
typedef struct audit_path {
  size_t n;         /* directions */
  size_t reached;   /* output times that it gets to, the start among them */
  double *matrix;   /* [outputs * n * n]; owned */
  double until;     /* where it ends */
  const char *note; /* why there; "": it is the end */
} audit_path;

/* ---- samples --------------------------------------------------------------------------------- */

/* What a sample is of; who a derivative is by, and how. */
static const char *const audit_end = "end", *const audit_event = "event",
                         *const audit_error = "error";
static const char *const audit_libess = "libess", *const audit_mujoco = "MuJoCo";
static const char *const audit_tangents = "tangents", *const audit_transitions = "transitions",
                         *const audit_differences = "differences";

typedef struct audit_sample {
  const char *kind, *who, *way, *integrator, *note;
  double step, move, t, error;
  const char *worst;
  double others;
} audit_sample;

/* ---- rows ------------------------------------------------------------------------------------ */

enum { TOP = STUDY_SAMPLES + 1, TIMES, ERRORS, EVENTS };

#define TOP_COLUMNS(COLUMN, row)                                                                   \
  COLUMN(row, file, TEXT, "", "the model, as given")                                               \
  COLUMN(row, pose, TEXT, "",                                                                      \
         "that the initial state is made of: qpos, keyframe 0, init_qpos or qpos0")                \
  COLUMN(row, directions, COUNT, "", "rows and columns of the derivative: 2 nv + na")              \
  COLUMN(row, events, COUNT, "", "event functions")                                                \
  COLUMN(row, time_step, AMOUNT, "s", "the model's own")                                           \
  COLUMN(row, integrator, TEXT, "", "the model's own")                                             \
  COLUMN(row, period, AMOUNT, "s",                                                                 \
         "a row of --ctrl is held for so long; not known: it is held to the end")                  \
  COLUMN(row, audited, AMOUNT, "s", "the last time at which derivatives are compared")             \
  COLUMN(row, until, AMOUNT, "s", "where there is no derivative, or the end")                      \
  COLUMN(row, status, TEXT, "", "why there is none from there on, or success")                     \
  COLUMN(row, verdict, TEXT, "", "how far MuJoCo's derivatives are from the flow's, in a sentence")
COLUMN_ROW(audit_top, TOP_COLUMNS);

#define TIME_COLUMNS(COLUMN, row)                                                                  \
  COLUMN(row, t, AMOUNT, "s", "time")                                                              \
  COLUMN(row, tolerances_apart, AMOUNT, "",                                                        \
         "of libess's tangents, from those at ten times the tolerance")                            \
  COLUMN(row, differences_apart, AMOUNT, "",                                                       \
         "of libess's tangents, from central differences of its own runs")                         \
  COLUMN(row, estimate, AMOUNT, "", "of the error of libess's tangents: the larger of the two")
COLUMN_ROW(audit_time, TIME_COLUMNS);

#define ERROR_COLUMNS(COLUMN, row)                                                                 \
  COLUMN(row, who, TEXT, "", "MuJoCo or libess")                                                   \
  COLUMN(row, way, TEXT, "",                                                                       \
         "transitions: the product of the matrices of mjd_transitionFD; differences: of whole "    \
         "runs, central; tangents: libess's at ten times its tolerance")                           \
  COLUMN(row, integrator, TEXT, "",                                                                \
         "MuJoCo's: the model's own, but Euler where that has no transitions; or libess's base")   \
  COLUMN(row, step, AMOUNT, "s", "of mj_step")                                                     \
  COLUMN(row, own, FLAG, "", "whether that is the model's own")                                    \
  COLUMN(row, move, AMOUNT, "", "by which states are moved for differences, m, rad and so on")     \
  COLUMN(row, t, AMOUNT, "s", "time of the state's derivative with respect to the initial state")  \
  COLUMN(                                                                                          \
      row, error, AMOUNT, "",                                                                      \
      "norm of the difference from the flow's derivative, which is libess's tangents, over the "   \
      "norm of that (Frobenius)")                                                                  \
  COLUMN(row, worst, TEXT, "",                                                                     \
         "joint or coordinate whose position and velocity have the largest part of that")          \
  COLUMN(row, others, AMOUNT, "", "the same error of all others, relative to their derivative")    \
  COLUMN(row, note, TEXT, "", "why there is none")
COLUMN_ROW(audit_row, ERROR_COLUMNS);

#define EVENT_COLUMNS(COLUMN, row)                                                                 \
  COLUMN(row, t, AMOUNT, "s", "time")                                                              \
  COLUMN(row, event, TEXT, "", "the contact or limit")                                             \
  COLUMN(row, begins, FLAG, "", "whether it begins to act there, or ceases")
COLUMN_ROW(audit_event_row, EVENT_COLUMNS);

/* by which libess's own runs are moved, and MuJoCo's states for its matrices; and the tolerance of
 * those runs, over that of the reference */
static const double small_move = 1e-6, runs_tolerance = 1e-3;

/* numbers that the matrices of one way may have: 64 MB of them */
static const double numbers_max = 8e6;

#define OPTIONS(X, row)                                                                            \
  X(row, time, NUMBER, "time", "S", "last time at which derivatives are compared, s",              \
    .initial = "0.5", .min = 1e-3, .max = 1e3, .result = "time")                                   \
  X(row, output_step, NUMBER, "output-step", "S",                                                  \
    "interval between compared times, s; rounded to whole time steps of the model",                \
    .initial = "0.1", .min = 1e-5, .max = 1e3, .result = "output_step")                            \
  X(row, halvings, WHOLE, "halvings", "COUNT",                                                     \
    "number of times that the time step of the model is halved", .initial = "4", .max = 12,        \
    .result = "halvings")                                                                          \
  X(row, moves, NUMBERS, "moves", "X,Y",                                                           \
    "perturbations of the initial state for differences of MuJoCo's runs, the largest first",      \
    .initial = "1e-3,1e-6", .min = 1e-10, .max = 0.1)                                              \
  ROBOT_START_OPTIONS(X, row)                                                                      \
  X(row, reference, NUMBER, "reference", "X", "tolerance of libess's tangents", .initial = "1e-9", \
    .min = 1e-10, .max = 1e-3, .result = "reference_tolerance")                                    \
  X(row, budget, NUMBER, "budget", "S", "time limit of a run, s; longer runs are skipped",         \
    .initial = "60", .min = 1e-3, .max = 1e6)
static const study_option options[] = {OPTIONS(OPTION_LINE, robot_settings){0}};

/* ---- what is asked for ----------------------------------------------------------------------- */

/* times are ends of MuJoCo's steps */
static int round_times(study_run *run) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  const double step = c->size.time_step;
  c->output_step = step * fmax(1.0, round(s->output_step / step));
  c->outputs = (size_t)(s->time / c->output_step + 1e-9) + 1;
  if (c->outputs > 1) return 0;
  return SOLVER_REFUSE(run->message,
                       "--time %g is shorter than %g s, which are whole steps of %g s", s->time,
                       c->output_step, step);
}

static int check_size(study_run *run) {
  const robot_case *const c = run->own;
  const double n = 2.0 * (double)c->size.nv + (double)c->size.na;
  if (n * n * (double)c->outputs <= numbers_max) return 0;
  return SOLVER_REFUSE(run->message,
                       "matrices of %.0f directions at %zu times are too large; "
                       "a shorter --time or a longer --output-step is accepted",
                       n, c->outputs);
}

static int check(study_run *run) {
  int status = robot_case_open(run, false);
  if (!status) status = round_times(run);
  if (!status) status = check_size(run);
  return status ? status : robot_outlook(run, true, false);
}

static int plan(study_run *run, size_t stage) {
  const robot_case *const c = run->own;
  const size_t start = 0;
  if (stage == 0 && *c->warning) fprintf(stderr, "%s", c->warning);
  return stage == 0 ? study_cell(run, &start, "start=%zu", start) : 0;
}

/* ---- tangents of libess ---------------------------------------------------------------------- */

/* what an observer is told */
typedef struct listening {
  study_run *run;
  bool listen, failed, late;
  double jumped; /* when points of a followed contact had jumped; NaN: they have not */
  uint64_t start_ns;
  robot_points *points; /* of pairs that are followed; NULL: there are none */
} listening;

static int on_step(const ess_step_info *info, void *context) {
  listening *const l = context;
  const robot_settings *const s = l->run->settings;
  // tangents are wrong from there on
  if (robot_jumps(l->run, info->x, l->points).count) l->jumped = info->t1;
  l->late = 1e-9 * (double)(measure_thread_ns() - l->start_ns) > s->budget;
  return l->late || !isnan(l->jumped) || *l->run->interrupted;
}

/* an event function that is crossed, into the samples */
static int add_event(study_run *run, double t, const char *name, bool begins) {
  const audit_sample s = {audit_event, "", begins ? "begins" : "ends", "", name, NAN, NAN, t, NAN,
                          "",          NAN};
  return study_add(run, STUDY_SAMPLES, &s);
}

static int on_crossing(const ess_crossing_info *info, void *context) {
  listening *const l = context;
  const robot_case *const c = l->run->own;
  const char *const name = robot_event_name(c->robot, info->event);
  l->failed = l->listen && add_event(l->run, info->t, name, info->direction > 0);
  return l->failed;
}

/* ---- why there is none ----------------------------------------------------------------------- */

/* the names of two events, and what else there is to say of them */
static const char *names_of(study_run *run, const size_t event[], size_t count) {
  const robot_case *const c = run->own;
  const char *names = "events";
  for (size_t i = 0; i < count; i++) {
    if (event[i] >= c->size.events) continue;
    const char *const name = robot_event_name(c->robot, event[i]);
    names = i == 0 ? name : study_text(run, "%s%s%s", names, i + 1 < count ? ", " : " and ", name);
  }
  return names;
}

static const char *reason(study_run *run, const listening *l, int status, const ess_failure *f) {
  const robot_case *const c = run->own;
  const size_t pair[] = {f->event, f->other_event};
  const bool named = f->event < c->size.events;
  if (!isnan(l->jumped)) return "the points of a followed contact jump without an event function";
  if (l->late) return "longer than --budget; a larger --budget goes on";
  if (status == ESS_ECALLBACK && *robot_failure(c->robot))
    return study_text(run, "%s", robot_failure(c->robot));
  if (status == ESS_EDISCONTINUOUS)
    return study_text(run, "%s are simultaneous, and the result depends on their order",
                      names_of(run, pair, 2));
  return study_text(run, "%s%s%s", ess_strerror(status), named ? ": " : "",
                    named ? names_of(run, pair, 1) : "");
}

static const char *pieces_of(study_run *run, const ess_smoothness *s) {
  const char *const names = names_of(run, s->order, s->count);
  if (!s->instants)
    return "the state stays at a non-smooth point of the equations without an event function";
  return s->pieces ? study_text(run, "%s are simultaneous: %zu derivatives, by direction", names,
                                s->pieces)
                   : study_text(run, "%s are simultaneous: more than one derivative, by direction",
                                names);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* to an output time, from tick to tick of the controls */
static int go_to(study_run *run, ess_driver *driver, double *now, double end, double x[]) {
  const robot_case *const c = run->own;
  int status = ESS_SUCCESS;
  while (!status && *now < end) {
    double until;
    robot_set_control(c->robot, robot_controls_at(&c->controls, *now, &until));
    status = ess_driver_apply(driver, now, fmin(until, end), x);
  }
  return status;
}

/* tangents of the state into columns of a matrix of directions; of a row each here */
static void take_matrix(const robot_case *c, const double x[], const double tangent[],
                        double room[], audit_path *p) {
  const size_t n = p->n, dimension = c->size.dimension;
  double *const rate = room, *const way = room + dimension,
                *const matrix = p->matrix + p->reached * n * n;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < dimension; i++) rate[i] = tangent[i * n + j];
    robot_direction_of_rate(c->robot, x, rate, way);
    for (size_t i = 0; i < n; i++) matrix[i * n + j] = way[i];
  }
}

/* along a driver that follows the directions; x is the start */
static void follow(study_run *run, ess_driver *driver, const listening *l, double x[],
                   double room[], audit_path *p) {
  const robot_case *const c = run->own;
  double now = 0.0;
  for (p->reached = 1; p->reached < c->outputs; p->reached++) {
    const int status = go_to(run, driver, &now, (double)p->reached * c->output_step, x);
    const ess_smoothness *const smooth = ess_driver_smoothness(driver);
    const bool has_one = !smooth || smooth->kind == ESS_SMOOTH_C1;
    if (!has_one) p->note = pieces_of(run, smooth);
    if (has_one && status) p->note = reason(run, l, status, ess_driver_failure(driver));
    // where the state stays at a kink there is no instant
    if (has_one)
      p->until = now;
    else if (smooth->instants)
      p->until = smooth->time;
    else
      p->until = (double)(p->reached - 1) * c->output_step;
    if (!isnan(l->jumped)) p->until = l->jumped;
    if (status || !has_one) return;
    take_matrix(c, x, ess_driver_tangent(driver), room, p);
  }
}

/* the derivative of the start by each direction, a column each */
static void write_directions(const robot_case *c, const double x[], size_t n, double way[],
                             double out[]) {
  double *const rate = way + n;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < n; i++) way[i] = i == j;
    robot_rate_of_direction(c->robot, x, way, rate);
    for (size_t i = 0; i < c->size.dimension; i++) out[i * n + j] = rate[i];
  }
}

static int start(study_run *run, listening *l, double tolerance, double x[], double room[],
                 double directions[], audit_path *p) {
  const robot_case *const c = run->own;
  ess_options chosen = ess_options_default();
  chosen.rtol = chosen.atol = tolerance;
  chosen.observer = (ess_observer){.step = on_step, .crossing = on_crossing, .context = l};
  int status;
  ess_driver *const driver = ess_driver_alloc(robot_system(c->robot), &chosen, &status);
  if (!driver) return measure_fail(run->message, "libess: %s", ess_strerror(status));
  write_directions(c, x, p->n, room, directions);
  status = ess_driver_follow(driver, p->n, directions);
  robot_forget(c->robot);
  l->start_ns = measure_thread_ns();
  if (!status) follow(run, driver, l, x, room, p);
  ess_driver_free(driver);
  if (status) return measure_fail(run->message, "libess: %s", ess_strerror(status));
  return l->failed ? -1 : 0;
}

/* tangents of libess at a tolerance. With `listen` events become samples. They end where no
 * derivative is, or more than one. */
static int find_tangents(study_run *run, const double x0[], double tolerance, bool listen,
                         audit_path *p) {
  const robot_case *const c = run->own;
  const size_t dimension = c->size.dimension;
  listening l = {.run = run, .listen = listen, .jumped = NAN};
  double *const x = calloc(2 * dimension + p->n + 1, sizeof *x);
  double *const directions = calloc(dimension * p->n + 1, sizeof *directions);
  if (c->follows > 0) l.points = calloc(c->follows, sizeof *l.points);
  const bool has_room = x && directions && (l.points || c->follows == 0);
  if (has_room) memcpy(x, x0, dimension * sizeof *x);
  p->note = "";
  const int status = has_room ? start(run, &l, tolerance, x, x + dimension, directions, p)
                              : study_out_of_memory(run);
  free(x);
  free(directions);
  free(l.points);
  return status;
}

/* Derivatives of a robot's trajectory as people find them: by matrices of MuJoCo's steps, and by
 * differences of whole runs. */

/* room for one. Free with path_free, which accepts a zeroed one. */
static int path_alloc(study_run *run, audit_path *p) {
  const robot_case *const c = run->own;
  *p = (audit_path){.n = robot_directions(c->robot), .note = ""};
  p->matrix = calloc(c->outputs * p->n * p->n + 1, sizeof *p->matrix);
  return p->matrix ? 0 : study_out_of_memory(run);
}

static void path_free(audit_path *p) {
  free(p->matrix);
  *p = (audit_path){0};
}

/* ---- matrices of steps ----------------------------------------------------------------------- */

/* the product of the matrices that mjd_transitionFD has of MuJoCo's steps */
static int find_transitions(study_run *run, const double x0[], const robot_entry *e, double move,
                            audit_path *p) {
  const robot_case *const c = run->own;
  robot_steps_report report;
  robot_track t;
  const int status = robot_track_alloc(run, &t);
  const robot_steps_request request = {.integrator = e->variant,
                                       .time_step = e->knob,
                                       .x0 = x0,
                                       .controls = &c->controls,
                                       .dt = c->output_step,
                                       .count = c->outputs,
                                       .states = t.states,
                                       .transitions = p->matrix,
                                       .move = move};
  if (!status) {
    p->reached = robot_steps_run(c->steps, &request, &report) ? 0 : report.reached;
    p->note = *report.message ? study_text(run, "%s", report.message) : "";
  }
  robot_track_free(&t);
  return status;
}

/* ---- differences of runs --------------------------------------------------------------------- */

/* of the starts that are moved back and forth along a direction, and what they lead to */
typedef struct sides {
  double *start, *way, *between;
  robot_track back, forth;
} sides;

static int run_from(study_run *run, const double x0[], const robot_entry *e, double by,
                    const sides *at, robot_track *t, audit_path *p) {
  const robot_case *const c = run->own;
  robot_move(c->robot, x0, at->way, by, at->start);
  const int status = robot_follow(run, e, at->start, false, t);
  if (status || t->reached >= p->reached) return status;
  p->reached = t->reached;
  p->note = t->status;
  return 0;
}

/* column j of all matrices */
static int find_column(study_run *run, const double x0[], const robot_entry *e, double move,
                       size_t j, sides *at, audit_path *p) {
  const robot_case *const c = run->own;
  const size_t n = p->n, dimension = c->size.dimension;
  for (size_t i = 0; i < n; i++) at->way[i] = i == j;
  int status = run_from(run, x0, e, -move, at, &at->back, p);
  if (!status) status = run_from(run, x0, e, move, at, &at->forth, p);
  for (size_t k = 1; !status && k < p->reached; k++) {
    robot_difference(c->robot, at->back.states + k * dimension, at->forth.states + k * dimension,
                     at->between);
    for (size_t i = 0; i < n; i++) p->matrix[(k * n + i) * n + j] = at->between[i] / (2.0 * move);
  }
  return status;
}

/* central differences of whole runs of an entry, whose start is moved by so much */
static int find_differences(study_run *run, const double x0[], const robot_entry *e, double move,
                            audit_path *p) {
  const robot_case *const c = run->own;
  double *const room = calloc(c->size.dimension + 2 * p->n + 1, sizeof *room);
  sides at = {.start = room};
  int status = room ? 0 : study_out_of_memory(run);
  if (!status) status = robot_track_alloc(run, &at.back);
  if (!status) status = robot_track_alloc(run, &at.forth);
  p->reached = c->outputs;
  p->note = "";
  for (size_t j = 0; !status && j < p->n && p->reached > 1 && !*run->interrupted; j++) {
    at.way = room + c->size.dimension;
    at.between = at.way + p->n;
    status = find_column(run, x0, e, move, j, &at, p);
  }
  robot_track_free(&at.back);
  robot_track_free(&at.forth);
  free(room);
  return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* where libess's own is not known better than to this, nothing is said of others */
static const double known_to = 0.1;

#define SAMPLES "robot_derivative_cells"

static const char times_sql[] =
    "SELECT s.t, s.error, d.error, coalesce(max(s.error, d.error), s.error, d.error) FROM " SAMPLES
    " s LEFT JOIN " SAMPLES " d ON d.run = s.run AND d.who = s.who AND d.way = 'differences' "
    "AND d.t = s.t "
    "WHERE s.run = ? AND s.who = 'libess' AND s.way = 'tangents' ORDER BY s.row";

/* the model's own step is the largest */
static const char errors_sql[] =
    "SELECT who, way, integrator, step, coalesce(step = max(step) OVER (), 0), move, t, error, "
    "worst, others, note FROM " SAMPLES " WHERE run = ? AND kind = 'error' ORDER BY row";

static const char events_sql[] =
    "SELECT t, note, way = 'begins' FROM " SAMPLES " WHERE run = ? AND kind = 'event' ORDER BY row";

/* times up to which libess's own is known */
static size_t count_known(const study_run *run) {
  size_t count, known = 0;
  const audit_time *const time = study_rows(run, TIMES, &count);
  while (known < count && time[known].estimate <= known_to) known++;
  return known;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* One way and step of MuJoCo's, over all times: rows that stand behind one another. */
typedef struct curve {
  const audit_row *row; /* NULL: there is none */
  double most;          /* the largest error; infinite where one is not known */
  const audit_row *at;  /* where that is */
} curve;

static curve curve_at(const audit_row *row, size_t times) {
  curve c = {row, 0.0, row};
  for (size_t i = 0; i < times; i++) {
    const double error = isnan(row[i].error) ? INFINITY : row[i].error;
    if (error < c.most) continue;
    c.most = error;
    c.at = row + i;
  }
  return c;
}

/* the curve that errs the least of one way, or of all, by moves of at most so much */
static curve best_of(const study_run *run, const char *way, double move, bool own) {
  size_t rows, times;
  const size_t known = count_known(run);
  const audit_row *const row = study_rows(run, ERRORS, &rows);
  study_rows(run, TIMES, &times);
  curve best = {NULL, INFINITY, NULL};
  for (size_t i = 0; times && i + times <= rows; i += times) {
    const bool counts = strcmp(row[i].who, audit_mujoco) == 0 && row[i].move <= move &&
                        (!way || strcmp(row[i].way, way) == 0) && (!own || row[i].own);
    const curve c = curve_at(row + i, known);
    if (counts && (!best.row || c.most < best.most)) best = c;
  }
  return best;
}

/* "83 %", or "7e+04 times its norm" */
static const char *share(study_run *run, const curve *c) {
  if (isinf(c->most)) return "any amount (not known at all times)";
  if (c->most < 10.0) return study_text(run, "%.*g %%", c->most < 1.0 ? 2 : 3, 100.0 * c->most);
  return study_text(run, "%.2g times its norm", c->most);
}

static const char *way_of(study_run *run, const curve *c) {
  if (strcmp(c->row->way, audit_transitions) == 0)
    return study_text(run, "mjd_transitionFD's matrices (%s)", c->row->integrator);
  return study_text(run, "differences of runs perturbed by %g (%s)", c->row->move,
                    c->row->integrator);
}

/* the joint that has the largest part of an error; and the rest, where that is much smaller */
static const char *mostly(study_run *run, const curve *c) {
  static const double half = 0.5;
  if (isinf(c->most) || c->most < 1e-3 || !*c->at->worst) return "";
  if (!(c->at->others < half * c->most))
    return study_text(run, " (the largest part is that of %s)", c->at->worst);
  const curve rest = {c->row, c->at->others, c->at};
  return study_text(run, " (mostly that of %s; without it %s)", c->at->worst, share(run, &rest));
}

static const char *verdict(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const double smallest = s->moves.value[s->moves.count - 1];
  const curve transitions = best_of(run, audit_transitions, INFINITY, true),
              differences = best_of(run, audit_differences, smallest, true),
              best = best_of(run, NULL, INFINITY, false);
  const size_t known = count_known(run);
  const audit_time *const time = study_rows(run, TIMES, NULL);
  if (!known || !transitions.row || !differences.row)
    return "there is no derivative at the first output time, so nothing is compared";
  double estimate = 0.0;
  for (size_t i = 0; i < known; i++) estimate = fmax(estimate, time[i].estimate);
  return study_text(
      run,
      "up to %g s, at the model's time step of %g ms, %s differ from the flow's "
      "derivative by up to "
      "%s%s, and %s by up to %s; the closest ones tried, %s at %g ms, differ by up to "
      "%s; the error of "
      "libess's derivative is at most %.1g %%",
      time[known - 1].t, 1e3 * c->size.time_step, way_of(run, &transitions),
      share(run, &transitions), mostly(run, &transitions), way_of(run, &differences),
      share(run, &differences), way_of(run, &best), 1e3 * best.row->step, share(run, &best),
      100.0 * estimate);
}

/* ---- the model ------------------------------------------------------------------------------- */

static const audit_sample *end_of(const study_run *run) {
  size_t count;
  const audit_sample *s = study_rows(run, STUDY_SAMPLES, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(s[i].kind, audit_end) == 0) return &s[i];
  return s;
}

static const char *status_of(study_run *run, const char *note, size_t known, size_t times) {
  if (known < times)
    return study_text(run, "the error of libess's derivative exceeds %g %%", 100.0 * known_to);
  return *note ? study_text(run, "%s", note) : "success";
}

/* samples into rows, and the verdict */
static int derive(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const audit_sample *const end = end_of(run);
  if (study_select(run, TIMES, times_sql) || study_select(run, ERRORS, errors_sql) ||
      study_select(run, EVENTS, events_sql))
    return -1;
  size_t times;
  const audit_time *const time = study_rows(run, TIMES, &times);
  const size_t known = count_known(run);
  const audit_top top = {.file = run->operand,
                         .pose = s->qpos ? "qpos" : robot_start_pose(c->robot),
                         .directions = 2 * c->size.nv + c->size.na,
                         .events = c->size.events,
                         .time_step = c->size.time_step,
                         .integrator = c->size.integrator,
                         .period = robot_period(c),
                         .audited = known ? time[known - 1].t : 0.0,
                         .until = known < times ? time[known].t : end->t,
                         .status = status_of(run, end->note, known, times),
                         .verdict = verdict(run)};
  return study_add(run, TOP, &top);
}

/* ---- a screen -------------------------------------------------------------------------------- */

enum { TIMES_MAX = 6 };

/* of how many times the columns are, and the first of them: the latest, where they are many */
static size_t columns_of(const study_run *run, size_t *first) {
  size_t count;
  study_rows(run, TIMES, &count);
  *first = count > TIMES_MAX ? count - TIMES_MAX : 0;
  return count - *first;
}

/* the times one way is told at stand behind one another */
static void show_line(const audit_row *row, size_t count, const audit_time *time) {
  char step[16] = "", move[16] = "";
  if (!isnan(row->step))
    snprintf(step, sizeof step, "%.5g%s", 1e3 * row->step, row->own ? "*" : "");
  if (!isnan(row->move)) snprintf(move, sizeof move, "%g", row->move);
  printf("%-7s %-12s %-12s %7s %6s", row->who, row->way, row->integrator, step, move);
  const bool own = strcmp(row->who, audit_libess) == 0;
  for (size_t i = 0; i < count; i++) {
    char text[16] = "none";
    if (!own && row[i].error < time[i].estimate)
      snprintf(text, sizeof text, "< %.0e", time[i].estimate);
    else if (!isnan(row[i].error))
      snprintf(text, sizeof text, "%.1e", row[i].error);
    printf(" %9s", text);
  }
  putchar('\n');
}

static void show_errors(const study_run *run) {
  size_t first, rows, times;
  const size_t count = columns_of(run, &first);
  const audit_row *const row = study_rows(run, ERRORS, &rows);
  const audit_time *const time = study_rows(run, TIMES, &times);
  if (!times) return;
  printf(
      "\nError of the derivative, relative, at these times in s (step in ms, * the model's own):\n"
      "%-7s %-12s %-12s %7s %6s",
      "by", "method", "", "step", "pert.");
  for (size_t i = 0; i < count; i++) printf(" %9.4g", time[first + i].t);
  putchar('\n');
  for (size_t i = 0; i + times <= rows; i += times) show_line(row + i + first, count, time + first);
}

static void show_notes(const study_run *run) {
  size_t rows;
  const audit_row *const row = study_rows(run, ERRORS, &rows);
  for (size_t i = 0; i < rows; i++) {
    if (!*row[i].note) continue;
    printf("none: the first without a value is that of %s by %s at %g s: %s\n", row[i].who,
           row[i].way, row[i].t, row[i].note);
    return;
  }
}

static void show(const study_run *run) {
  const audit_top *const top = study_rows(run, TOP, NULL);
  size_t events;
  study_rows(run, EVENTS, &events);
  printf("%s: the derivative of its state with respect to the initial state (%s), %zu by %zu "
         "numbers; %zu contacts\n"
         "and limits begin or cease to act during the run. MuJoCo's derivatives are those of its "
         "discrete\n"
         "map. The reference is the derivative of the continuous flow of the same equations, by\n"
         "libess's tangents.\n",
         top->file, top->pose, top->directions, top->directions, events);
  show_errors(run);
  show_notes(run);
  if (strcmp(top->status, "success") != 0)
    printf("\nCompared up to %g s. At %.6g s it ends: %s.\n", top->audited, top->until,
           top->status);
  printf("\nVerdict: %s.\n", top->verdict);
}

/* ---- samples --------------------------------------------------------------------------------- */

static const column sample_columns[] = {
    COLUMNS(audit_sample, TEXT, kind, who, way, integrator, note, worst),
    COLUMNS(audit_sample, AMOUNT, step, move, t, error, others),
    {0},
};

/* Frobenius's length of a - b, or of a alone */
static double length(const double a[], const double b[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += b ? (a[i] - b[i]) * (a[i] - b[i]) : a[i] * a[i];
  return sqrt(sum);
}

/* sum of squares over the rows of a velocity and of the position that it moves */
static double part(const robot_case *c, const double a[], const double b[], size_t n, size_t dof) {
  const double position = length(a + dof * n, b ? b + dof * n : NULL, n);
  const size_t row = (c->size.nv + dof) * n;
  const double velocity = length(a + row, b ? b + row : NULL, n);
  return position * position + velocity * velocity;
}

/* which velocity and position have the largest part of an error, and the error without these */
static void find_worst(study_run *run, audit_sample *s, const double matrix[],
                       const double reference[], size_t n) {
  const robot_case *const c = run->own;
  const double all = length(matrix, reference, n * n), size = length(reference, NULL, n * n);
  double most = -1.0;
  size_t worst = 0;
  char name[ROBOT_NAME_SIZE];
  for (size_t dof = 0; dof < c->size.nv; dof++) {
    const double here = part(c, matrix, reference, n, dof);
    if (here > most) most = here, worst = dof;
  }
  robot_state_name(c->robot, c->size.nq + worst, name);
  s->worst = study_text(run, "%s", name + (strncmp(name, "d ", 2) ? 0 : 2));
  s->others =
      sqrt(fmax(0.0, all * all - most) / (size * size - part(c, reference, NULL, n, worst)));
}

/* `s` says who and how; a sample for each time at which there is a reference */
static int add_errors(study_run *run, audit_sample s, const audit_path *p, const audit_path *of) {
  const robot_case *const c = run->own;
  const size_t numbers = of->n * of->n;
  int status = 0;
  for (size_t k = 1; !status && k < of->reached; k++) {
    const double *const reference = of->matrix + k * numbers;
    s.t = (double)k * c->output_step;
    s.error = s.others = NAN;
    s.worst = "";
    s.note = p->note;
    if (k < p->reached) {
      s.error =
          length(p->matrix + k * numbers, reference, numbers) / length(reference, NULL, numbers);
      s.note = isfinite(s.error) ? "" : "it is not finite";
      if (isfinite(s.error) && c->size.nv > 1)
        find_worst(run, &s, p->matrix + k * numbers, reference, of->n);
    }
    if (!isfinite(s.error)) s.error = NAN;
    status = study_add(run, STUDY_SAMPLES, &s);
  }
  return status;
}

/* ---- the cell -------------------------------------------------------------------------------- */

/* both tolerances have to see one derivative; `of` is that of the smaller */
static int find_reference(study_run *run, const double x0[], audit_path *of, audit_path *p) {
  const robot_settings *const s = run->settings;
  const char *const base = robot_bases[ESS_BASE_DOPRI5];
  study_within(run, "tangents of libess");
  int status = find_tangents(run, x0, s->reference, true, of);
  if (!status) status = find_tangents(run, x0, 10.0 * s->reference, false, p);
  if (status) return status;
  const audit_path *const first = p->reached < of->reached ? p : of;
  const audit_sample end = {audit_end, audit_libess, "",  "", first->note, NAN,
                            NAN,       first->until, NAN, "", NAN};
  of->reached = first->reached;
  status = study_add(run, STUDY_SAMPLES, &end);
  const audit_sample loose = {
      audit_error, audit_libess, audit_tangents, base, "", NAN, NAN, NAN, NAN, "", NAN};
  return status ? status : add_errors(run, loose, p, of);
}

static int check_by_runs(study_run *run, const double x0[], const audit_path *of, audit_path *p) {
  const robot_settings *const s = run->settings;
  const char *const base = robot_bases[ESS_BASE_DOPRI5];
  const robot_entry e = {ROBOT_LIBESS, base, runs_tolerance * s->reference, false};
  const audit_sample own = {
      audit_error, audit_libess, audit_differences, base, "", NAN, small_move, NAN, NAN, "", NAN};
  study_within(run, "differences of libess's runs");
  const int status = find_differences(run, x0, &e, small_move, p);
  return status ? status : add_errors(run, own, p, of);
}

/* MuJoCo's by one way and move, at the model's own step and its halves */
static int find_mujoco(study_run *run, const double x0[], const char *way, double move,
                       const audit_path *of, audit_path *p) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const bool by_matrices = way == audit_transitions;
  robot_entry e = {ROBOT_MUJOCO, c->size.integrator, c->size.time_step, false};
  if (by_matrices && !robot_steps_has_transitions(e.variant)) e.variant = robot_integrators[0];
  int status = 0;
  for (size_t i = 0; !status && i <= s->halvings && !*run->interrupted; i++, e.knob /= 2.0) {
    const audit_sample sample = {audit_error, audit_mujoco, way, e.variant, "", e.knob,
                                 move,        NAN,          NAN, "",        NAN};
    study_within(run, "MuJoCo's %s, at %g s", way, e.knob);
    status = by_matrices ? find_transitions(run, x0, &e, move, p)
                         : find_differences(run, x0, &e, move, p);
    if (!status) status = add_errors(run, sample, p, of);
  }
  return status;
}

static int measure_start(study_run *run, double x0[], audit_path *of, audit_path *p) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  int status = robot_start_of(run, 0, x0) ? -1 : 0;
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
  if (!status) status = path_alloc(run, &of);
  if (!status) status = path_alloc(run, &p);
  if (!status) status = measure_start(run, x0, &of, &p);
  // a cell that was cut short is none
  if (!status && *run->interrupted) status = -1;
  path_free(&of);
  path_free(&p);
  free(x0);
  return status;
}

/* ---- the study ------------------------------------------------------------------------------- */

const study robot_audit_study = {
    .name = "robot-derivative",
    .summary = "difference of MuJoCo's derivatives from those of the continuous flow",
    .example = "essbench robot hopper.xml --derivative",
    .file = "robot_derivative",
    ROBOT_STUDY("FILE", size_t),
    .unseeded = true,
    .untimed = true,
    .table = "show what is known; measure nothing",
    .cells = "initial conditions",
    .tables =
        {
            [STUDY_SAMPLES] = STUDY_TABLE(sample_columns, audit_sample,
                                          .meaning = "an error, an event, or the end"),
            [TOP] = STUDY_ROWS(audit_top, .json = "",
                               .meaning = "the model, and how far it is audited"),
            [TIMES] = STUDY_ROWS(audit_time, .json = "times", .csv = "robot_derivative_times.csv",
                                 .meaning = "a time, and how exact libess is there"),
            [ERRORS] = STUDY_ROWS(audit_row, .json = "errors", .csv = "robot_derivative.csv",
                                  .meaning = "a derivative, found one way, at one time"),
            [EVENTS] = STUDY_ROWS(audit_event_row, .json = "crossings",
                                  .csv = "robot_derivative_events.csv",
                                  .meaning = "a contact or limit that begins or ceases to act"),
        },
    .check = check,
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
    .release = robot_case_close,
};
