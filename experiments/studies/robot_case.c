/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The robot of a study, and what runs from each start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "robot_study.h"

/* numbers that a trajectory may have: 64 MB of them, of which some six are kept at a time */
static const double numbers_max = 8e6;

const char *const robot_integrators[] = {"Euler",    "implicitfast", "RK4",
                                         "implicit", "discrete",     NULL};

const char *const robot_bases[] = {[ESS_BASE_DOPRI5] = "dopri5",
                                   [ESS_BASE_RKC] = "rkc",
                                   [ESS_BASE_CHOSEN] = "chosen",
                                   [ESS_BASE_RODAS] = "rodas",
                                   [ESS_BASE_RODAS + 1] = NULL};

const char *const robot_fourth_order = "RK4";

#define ERROR(called, member) COLUMN_AS(called, robot_sample, member, AMOUNT, "", "")

const column robot_sample_columns[] = {
    COLUMNS(robot_sample, COUNT, start),
    ERROR("rms_error", error.states),
    ERROR("position_error", error.bodies),
    COLUMNS(robot_sample, AMOUNT, seconds, evaluations, steps, until),
    ERROR("tolerances_apart", tolerances.states),
    ERROR("mujoco_apart", mujoco.states),
    ERROR("estimate", estimate.states),
    COLUMNS(robot_sample, AMOUNT, growth, touchdowns),
    COLUMNS(robot_sample, TEXT, note, status, contact),
    COLUMNS(robot_sample, AMOUNT, check_step, jumps, refused, size),
    ERROR("hinge_error", error.hinges),
    ERROR("bodies_estimate", estimate.bodies),
    ERROR("hinges_estimate", estimate.hinges),
    {0},
};

robot_sample robot_sample_unknown(size_t start, const char *note) {
  robot_sample s;
  column_clear(robot_sample_columns, &s);
  s.tolerances = s.mujoco = robot_error_unknown;
  s.start = start;
  s.note = note;
  return s;
}

/* ---- entries --------------------------------------------------------------------------------- */

static int add(study_run *run, robot_entry e) {
  robot_case *const c = run->own;
  if (c->entries == ROBOT_ENTRIES_MAX)
    return measure_fail(run->message, "these are more than %d runs from each start",
                        ROBOT_ENTRIES_MAX);
  c->entry[c->entries++] = e;
  return 0;
}

/* one integrator at all steps, the largest first; the model's own step stands among them where it
 * is the model's own integrator */
static int add_integrator(study_run *run, const char *variant) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const bool own = strcmp(variant, c->size.integrator) == 0;
  const double step = c->size.time_step;
  bool missing = own;
  int status = 0;
  for (size_t i = 0; !status && i < s->time_steps.count; i++) {
    const double h = s->time_steps.value[i];
    const bool same = fabs(h - step) <= 1e-9 * step;
    if (missing && !same && h < step)
      status = add(run, (robot_entry){ROBOT_MUJOCO, variant, step, true});
    if (same || h < step) missing = false;
    if (!status) status = add(run, (robot_entry){ROBOT_MUJOCO, variant, h, own && same});
  }
  if (!status && missing) status = add(run, (robot_entry){ROBOT_MUJOCO, variant, step, true});
  return status;
}

/* the model's own integrator alone, where it is not asked for */
static int add_own(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  for (size_t i = 0; i < s->integrators.count; i++)
    if (strcmp(robot_integrators[s->integrators.index[i]], c->size.integrator) == 0) return 0;
  return add(run, (robot_entry){ROBOT_MUJOCO, c->size.integrator, c->size.time_step, true});
}

/* libess with guards or without, by each base at all tolerances */
static int add_bases(study_run *run, robot_kind kind) {
  const robot_settings *const s = run->settings;
  int status = 0;
  for (size_t b = 0; b < s->bases.count; b++)
    for (size_t i = 0; !status && i < s->tolerances.count; i++)
      status = add(
          run, (robot_entry){kind, robot_bases[s->bases.index[b]], s->tolerances.value[i], false});
  return status;
}

static int list_entries(study_run *run) {
  const robot_settings *const s = run->settings;
  int status =
      add(run, (robot_entry){ROBOT_REFERENCE, robot_bases[ESS_BASE_DOPRI5], s->reference, false});
  for (size_t i = 0; !status && i < s->integrators.count; i++)
    status = add_integrator(run, robot_integrators[s->integrators.index[i]]);
  if (!status) status = add_own(run);
  if (!status) status = add_bases(run, ROBOT_LIBESS);
  return status ? status : add_bases(run, ROBOT_PLAIN);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int check_sizes(study_run *run) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  const double outputs = floor(s->time / s->output_step + 1e-9) + 1.0;
  if (outputs < 2.0)
    return SOLVER_REFUSE(run->message, "--output-step %g is longer than the run of %g s",
                         s->output_step, s->time);
  if (c->size.dimension == 0)
    return SOLVER_REFUSE(run->message, "%.300s has nothing that moves", run->operand);
  if (outputs * (double)c->size.dimension > numbers_max) {
    measure_message(run->message,
                    "%zu states at %.0f times are more than a trajectory may have here; a shorter "
                    "--time, or an --output-step of at least %.1g, would do",
                    c->size.dimension, outputs, s->time * (double)c->size.dimension / numbers_max);
    return SOLVER_REFUSED;
  }
  c->output_step = s->output_step;
  c->outputs = (size_t)outputs;
  for (size_t i = 0; i < s->integrators.count; i++)
    if (!robot_steps_knows(robot_integrators[s->integrators.index[i]]))
      return SOLVER_REFUSE(run->message, "this MuJoCo has no integrator %s",
                           robot_integrators[s->integrators.index[i]]);
  return 0;
}

static int find_hinges(study_run *run) {
  robot_case *const c = run->own;
  c->hinge = calloc(c->size.nq + 1, sizeof *c->hinge);
  if (!c->hinge) return study_out_of_memory(run);
  for (size_t k = 0; k < c->size.nq; k++)
    if (strcmp(robot_state_unit(c->robot, k), "rad") == 0) c->hinge[c->hinges++] = k;
  return 0;
}

/* how near a twin is to what it is the twin of, by the motion from x */
static int gauge_twin(study_run *run, const double x[]) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  robot_twin_gaps gaps;
  c->twin_gap = c->twin_text_gap = NAN;
  if (!s->twin) return 0;
  int status = robot_twin_gap(c->robot, x, run->seed, &gaps, run->message);
  if (status) return status;
  c->twin_gap = gaps.field;
  c->twin_text_gap = gaps.text;
  return s->written ? robot_save(c->robot, s->written, run->message) : 0;
}

/* where nothing is raised and nothing tilted, nothing is drawn: medians and intervals of such
 * starts would be of one */
static int check_drawn(study_run *run, const double x[], double other[]) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const robot_start second = {s->qpos, s->height, s->tilt, 1, run->seed};
  if (s->starts < 2) return 0;
  const int status = robot_start_state(c->robot, &second, other, run->message);
  if (status || memcmp(x, other, c->size.dimension * sizeof *x) != 0) return status;
  return SOLVER_REFUSE(run->message,
                       "with --height %g and --tilt %g all %zu starts are equal; --starts 1 is "
                       "accepted, or a --tilt that is not 0",
                       s->height, s->tilt, s->starts);
}

/* all starts, so that what is wrong with one is told before anything is run; the first is the last
 */
static int check_starts(study_run *run) {
  const robot_settings *const s = run->settings;
  robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  double *const x = calloc(2 * n + 1, sizeof *x);
  int status = x ? 0 : study_out_of_memory(run);
  // a study of one start has no such option
  for (size_t i = s->starts ? s->starts : 1; !status && i-- > 0;) {
    const robot_start from = {s->qpos, s->height, s->tilt, i, run->seed};
    status = robot_start_state(c->robot, &from, x, run->message);
  }
  if (!status) status = check_drawn(run, x, x + n);
  const robot_start higher = {s->qpos, s->height + 1.0, s->tilt, 0, run->seed};
  if (!status) status = robot_start_state(c->robot, &higher, x + n, run->message);
  c->falls = !status && memcmp(x, x + n, n * sizeof *x) != 0;
  if (!status) status = robot_start_broken(c->robot, x, &c->broken, run->message);
  if (!status) status = gauge_twin(run, x);
  free(x);
  return status;
}

/* of the model, and of the controls that a table gives */
static int tell_content(study_run *run) {
  const robot_case *const c = run->own;
  const unsigned char *const bytes = (const unsigned char *)c->controls.value;
  const int status = robot_content(c->robot, &run->content, run->message);
  for (size_t i = 0; !status && i < c->controls.count * c->controls.nu * sizeof(double); i++)
    run->content = (run->content ^ bytes[i]) * 0x100000001b3u;
  return status;
}

/* by whatever name */
static bool is_same_file(const char *a, const char *b) {
  struct stat of_a, of_b;
  return a && b && !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

static int read_twin(study_run *run, robot_options *options) {
  const robot_settings *const s = run->settings;
  if (is_same_file(s->written, run->operand) || is_same_file(s->written, s->control)) {
    measure_message(run->message,
                    "--write %.300s would overwrite a file that this study reads; another name is "
                    "accepted",
                    s->written);
    return SOLVER_REFUSED;
  }
  if (s->twin) return robot_options_twin(s->twin, options, run->message);
  if (!s->written) return 0;
  return SOLVER_REFUSE(run->message, "--write writes a twin; --twin K,C says which");
}

int robot_case_open(study_run *run) {
  const robot_settings *const s = run->settings;
  robot_options options = {0};
  robot_case *const c = calloc(1, sizeof *c);
  run->own = c;
  if (!c) return study_out_of_memory(run);
  int status = read_twin(run, &options);
  options.without = s->without;
  if (!status) status = robot_open(run->operand, NULL, &options, &c->robot, run->message);
  if (status) return status;
  c->size = robot_size(c->robot);
  for (size_t i = 0; i < robot_finding_count(c->robot); i++)
    c->refuses = c->refuses || robot_findings(c->robot)[i].treatment == ROBOT_REFUSED;
  c->follows = robot_followed_pairs(c->robot);
  status = check_sizes(run);
  if (!status) status = find_hinges(run);
  if (!status)
    status = robot_controls_read(c->robot, s->control, s->period, &c->controls, run->message);
  if (!status) status = tell_content(run);
  if (!status) status = check_starts(run);
  if (!status) status = robot_steps_open(c->robot, &c->steps, run->message);
  return status ? status : list_entries(run);
}

void robot_case_close(study_run *run) {
  robot_case *const c = run->own;
  if (!c) return;
  robot_steps_close(c->steps);
  robot_controls_free(&c->controls);
  robot_close(c->robot);
  free(c->hinge);
  free(c);
}
