/*
 * What runs of a robot say: medians over starts, the order that MuJoCo has, and the step or
 * tolerance that reaches an error.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_study.h"

/* errors that are asked for; an error is known where it is so many times the reference's */
static const double targets[] = {1e-1, 1e-2, 1e-3, 1e-4};
static const double known_from = 3.0, asked_from = 10.0;

/* orders are those of steps up to this, s */
static const double order_step = 0.002;

enum { TARGETS = sizeof targets / sizeof *targets };

/* ---- medians --------------------------------------------------------------------------------- */

static gather starts_of(study_run *run, size_t entry) {
  const robot_case *const c = run->own;
  return (gather){run, ROBOT_SAMPLES, entry, c->entries, study_cells(run)};
}

/* why the first start without numbers has none */
static const char *note_of(gather starts) {
  size_t count;
  const robot_sample *const all = study_rows(starts.run, ROBOT_SAMPLES, &count);
  for (size_t i = 0; i < starts.count; i++) {
    const robot_sample *const s = &all[starts.first + i * starts.stride];
    if (*s->note) return study_text(starts.run, "%s", s->note);
  }
  return "";
}

static double estimate(study_run *run) {
  return gather_median(starts_of(run, 0), "estimate");
}

/* the members that rows of MuJoCo and of libess share */
#define FILL(row, starts)                                                                          \
  do {                                                                                             \
    (row)->rms_error = gather_median(starts, "rms_error");                                         \
    (row)->rms_low = gather_quantile(starts, "rms_error", 0.25);                                   \
    (row)->rms_high = gather_quantile(starts, "rms_error", 0.75);                                  \
    (row)->position_error = gather_median(starts, "position_error");                               \
    (row)->seconds = gather_median(starts, "seconds");                                             \
    (row)->estimate = estimate((starts).run);                                                      \
    (row)->known = gather_known(starts, "rms_error");                                              \
    (row)->note = note_of(starts);                                                                 \
  } while (0)

static int add_rows(study_run *run) {
  const robot_case *const c = run->own;
  int status = 0;
  for (size_t i = 1; !status && i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i];
    const gather starts = starts_of(run, i);
    if (e->kind == ROBOT_MUJOCO) {
      robot_mujoco_row row = {.variant = e->variant, .time_step = e->knob, .own = e->own};
      FILL(&row, starts);
      status = study_add(run, ROBOT_MUJOCO_ROWS, &row);
    } else {
      robot_libess_row row = {.tolerance = e->knob};
      FILL(&row, starts);
      row.evaluations = gather_median(starts, "evaluations");
      status = study_add(run, e->kind == ROBOT_LIBESS ? ROBOT_LIBESS_ROWS : ROBOT_PLAIN_ROWS, &row);
    }
  }
  return status;
}

/* ---- the model and its reference ------------------------------------------------------------- */

static const robot_sample *shortest(const study_run *run) {
  const robot_case *const c = run->own;
  size_t count;
  const robot_sample *const all = study_rows(run, ROBOT_SAMPLES, &count), *found = all;
  for (size_t i = 0; i < count; i += c->entries)
    if (all[i].until < found->until) found = &all[i];
  return found;
}

static size_t reached(const study_run *run) {
  const robot_case *const c = run->own;
  size_t count, whole = 0;
  const robot_sample *const all = study_rows(run, ROBOT_SAMPLES, &count);
  for (size_t i = 0; i < count; i += c->entries) whole += strcmp(all[i].status, "success") == 0;
  return whole;
}

static int add_top(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const robot_sample *const least = shortest(run);
  const gather references = starts_of(run, 0);
  const robot_top top = {
      .file = run->operand,
      .twin_gap = c->twin_gap,
      .twin_text_gap = c->twin_text_gap,
      .pose = s->qpos ? "qpos" : robot_start_pose(c->robot),
      .positions = c->size.nq,
      .velocities = c->size.nv,
      .activations = c->size.na,
      .actuators = c->size.nu,
      .bodies = c->size.bodies,
      .events = c->size.events,
      .time_step = c->size.time_step,
      .integrator = c->size.integrator,
      .growth = gather_median(references, "growth"),
      .reached = reached(run),
      .until = least->until,
      .status = study_text(run, "%s", least->status),
      .contact = study_text(run, "%s", least->contact),
      .estimate = estimate(run),
      .estimate_worst = gather_quantile(references, "estimate", 1.0),
      .tolerances_apart = gather_median(references, "tolerances_apart"),
      .mujoco_apart = gather_median(references, "mujoco_apart"),
  };
  return study_add(run, ROBOT_TOP, &top);
}

static int add_findings(study_run *run) {
  static const char *const treatments[] = {[ROBOT_SMOOTH] = "smooth",
                                           [ROBOT_GUARDED] = "guarded",
                                           [ROBOT_KINK] = "kink",
                                           [ROBOT_REFUSED] = "refused"};
  const robot_case *const c = run->own;
  const robot_finding *const all = robot_findings(c->robot);
  int status = 0;
  for (size_t i = 0; !status && i < robot_finding_count(c->robot); i++) {
    const robot_finding_row row = {.treatment = treatments[all[i].treatment],
                                   .kind = all[i].kind,
                                   .name = all[i].name,
                                   .why = all[i].why,
                                   .events = all[i].events};
    status = study_add(run, ROBOT_FINDINGS, &row);
  }
  return status;
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* rows first..first+count-1 are of one integrator */
static int add_order(study_run *run, const robot_mujoco_row row[], size_t count) {
  double h[OPTION_NUMBERS_MAX + 1] = {0}, error[OPTION_NUMBERS_MAX + 1] = {0};
  size_t used = 0;
  for (size_t i = 0; i < count && used <= OPTION_NUMBERS_MAX; i++) {
    if (row[i].time_step > order_step * (1.0 + 1e-9)) continue;
    if (!(row[i].rms_error >= known_from * row[i].estimate)) continue;
    h[used] = row[i].time_step;
    error[used++] = row[i].rms_error;
  }
  const gather_power line = gather_fit_power(h, error, used);
  const robot_order_row order = {
      .variant = row->variant,
      .order = used < 2 ? NAN : line.exponent,
      .interval = {used < 3 ? NAN : line.interval[0], used < 3 ? NAN : line.interval[1]},
      .time_steps = used};
  return study_add(run, ROBOT_ORDERS, &order);
}

static int add_orders(study_run *run) {
  size_t count;
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  int status = 0;
  for (size_t i = 0, next; !status && i < count; i = next) {
    for (next = i + 1; next < count && row[next].variant == row[i].variant;) next++;
    status = add_order(run, row + i, next - i);
  }
  return status;
}

/* ---- what reaches an error ------------------------------------------------------------------- */

/* a knob that reaches an error, and what it costs */
typedef struct reach {
  const char *variant;
  double knob, seconds, evaluations;
  bool coarsest; /* nothing coarser was tried */
} reach;

/* between two that were measured, one on either side, by the logarithms */
static double between(double a, double b, double share) {
  return a > 0.0 && b > 0.0 ? a * pow(b / a, share) : NAN;
}

/* Points of one method stand with the coarsest first: the first whose error, and those of all finer
 * ones, are small enough; and, from the one before it, the place where the error is met. */
static reach reach_by(const double error[], const double knob[], const double seconds[],
                      const double evaluations[], size_t count, double target) {
  reach r = {"", NAN, NAN, NAN, false};
  size_t i = count;
  while (i > 0 && error[i - 1] <= target) i--;
  if (i == count) return r;
  const bool coarsest = i == 0 || !(error[i - 1] > target);
  r = (reach){"", knob[i], seconds[i], evaluations[i], coarsest};
  if (!coarsest) {
    const double share =
        error[i] > 0.0 ? log(error[i - 1] / target) / log(error[i - 1] / error[i]) : 1.0;
    r.knob = between(knob[i - 1], knob[i], share);
    r.seconds = between(seconds[i - 1], seconds[i], share);
    r.evaluations = between(evaluations[i - 1], evaluations[i], share);
  }
  // a finer one may be cheaper: at a coarse tolerance many steps are refused
  for (; i < count; i++)
    if (seconds[i] < r.seconds) r = (reach){"", knob[i], seconds[i], evaluations[i], coarsest};
  return r;
}

enum { POINTS_MAX = OPTION_NUMBERS_MAX + 1 };

/* the cheapest of all integrators */
static reach reach_mujoco(const study_run *run, double target) {
  size_t count;
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  reach best = {"", NAN, NAN, NAN, false};
  for (size_t i = 0, next; i < count; i = next) {
    double error[POINTS_MAX], knob[POINTS_MAX], seconds[POINTS_MAX];
    size_t used = 0;
    for (next = i; next < count && row[next].variant == row[i].variant; next++) {
      // a step that is left out for its time ends the list; a coarse one that fails is passed over
      if (isnan(row[next].rms_error) && used) continue;
      error[used] = row[next].rms_error;
      knob[used] = row[next].time_step;
      seconds[used++] = row[next].seconds;
    }
    reach r = reach_by(error, knob, seconds, seconds, used, target);
    r.variant = row[i].variant;
    if (r.seconds < best.seconds || isnan(best.seconds)) best = r;
  }
  if (isnan(best.seconds)) best.variant = "";
  return best;
}

static reach reach_libess(const study_run *run, size_t table, double target) {
  size_t count;
  const robot_libess_row *const row = study_rows(run, table, &count);
  double error[POINTS_MAX], knob[POINTS_MAX], seconds[POINTS_MAX], evaluations[POINTS_MAX];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (isnan(row[i].rms_error)) continue;
    error[used] = row[i].rms_error;
    knob[used] = row[i].tolerance;
    seconds[used] = row[i].seconds;
    evaluations[used++] = row[i].evaluations;
  }
  return reach_by(error, knob, seconds, evaluations, used, target);
}

static int add_reach(study_run *run, double target, const robot_mujoco_row *own) {
  const reach libess = reach_libess(run, ROBOT_LIBESS_ROWS, target),
              plain = reach_libess(run, ROBOT_PLAIN_ROWS, target);
  reach mujoco = reach_mujoco(run, target);
  if (own) mujoco = (reach){own->variant, own->time_step, own->seconds, NAN, false};
  // what every program does by the coarsest means is no question
  if (mujoco.coarsest && libess.coarsest && plain.coarsest) return 0;
  const robot_reach_row row = {.rms_error = target,
                               .own = own,
                               .variant = mujoco.variant,
                               .time_step = mujoco.knob,
                               .mujoco_seconds = mujoco.seconds,
                               .tolerance = libess.knob,
                               .libess_seconds = libess.seconds,
                               .libess_evaluations = libess.evaluations,
                               .plain_seconds = plain.seconds,
                               .plain_evaluations = plain.evaluations,
                               .mujoco_over_libess = mujoco.seconds / libess.seconds,
                               .plain_over_libess = plain.seconds / libess.seconds};
  return study_add(run, ROBOT_REACH, &row);
}

/* the model's own setting first, then the targets that the reference is good enough for */
static int add_reaches(study_run *run) {
  size_t count;
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  const double known = estimate(run);
  int status = 0;
  for (size_t i = 0; !status && i < count; i++)
    if (row[i].own && row[i].rms_error > 0.0 && row[i].rms_error >= known_from * known)
      status = add_reach(run, row[i].rms_error, &row[i]);
  for (size_t i = 0; !status && i < TARGETS; i++)
    if (targets[i] >= asked_from * known) status = add_reach(run, targets[i], NULL);
  return status;
}

int robot_derive(study_run *run) {
  int status = add_top(run);
  if (!status) status = add_findings(run);
  if (!status) status = add_rows(run);
  if (!status) status = add_orders(run);
  if (!status) status = add_reaches(run);
  return status ? status : robot_derive_paths(run);
}
