/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What runs of a robot say: medians over starts, and the order that MuJoCo has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_study.h"

/* orders are those of steps up to this, s */
static const double order_step = 0.002;

/* ---- medians --------------------------------------------------------------------------------- */

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

/* the members that rows of MuJoCo and of libess share */
#define FILL(row, starts)                                                                          \
  do {                                                                                             \
    (row)->rms_error = gather_median(starts, "rms_error");                                         \
    (row)->rms_low = gather_quantile(starts, "rms_error", 0.25);                                   \
    (row)->rms_high = gather_quantile(starts, "rms_error", 0.75);                                  \
    (row)->position_error = gather_median(starts, "position_error");                               \
    (row)->hinge_error = gather_median(starts, "hinge_error");                                     \
    (row)->seconds = gather_median(starts, "seconds");                                             \
    (row)->estimate = robot_estimate((starts).run);                                                \
    (row)->known = gather_known(starts, "rms_error");                                              \
    (row)->note = note_of(starts);                                                                 \
  } while (0)

static void add_rows(study_run *run) {
  const robot_case *const c = run->own;
  for (size_t i = 1; i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i];
    const gather starts = robot_starts_of(run, i);
    if (e->kind == ROBOT_MUJOCO) {
      robot_mujoco_row row = {.variant = e->variant, .time_step = e->knob, .own = e->own};
      FILL(&row, starts);
      study_add(run, ROBOT_MUJOCO_ROWS, &row);
    } else {
      robot_libess_row row = {.base = e->variant, .tolerance = e->knob};
      FILL(&row, starts);
      row.evaluations = gather_median(starts, "evaluations");
      study_add(run, e->kind == ROBOT_LIBESS ? ROBOT_LIBESS_ROWS : ROBOT_PLAIN_ROWS, &row);
    }
  }
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
  const gather references = robot_starts_of(run, 0);
  robot_top top = {
      .file = run->operand,
      .twin_gap = c->twin_gap,
      .twin_text_gap = c->twin_text_gap,
      .broken = c->broken,
      .pose = s->qpos ? "qpos" : robot_start_pose(c->robot),
      .sizes = c->size,
      .growth = gather_median(references, "growth"),
      .reached = reached(run),
      .until = least->until,
      .status = study_text(run, "%s", least->status),
      .contact = study_text(run, "%s", least->contact),
      .size = gather_median(references, "size"),
      .estimate = robot_estimate(run),
      .estimate_worst = gather_quantile(references, "estimate", 1.0),
      .bodies_estimate = gather_median(references, "bodies_estimate"),
      .hinges_estimate = gather_median(references, "hinges_estimate"),
      .tolerances_apart = gather_median(references, "tolerances_apart"),
      .mujoco_apart = gather_median(references, "mujoco_apart"),
      .check_step = gather_quantile(references, "check_step", 1.0),
      .jumps = gather_median(references, "jumps"),
      .refused = gather_median(references, "refused"),
      .off = robot_off_of(run),
  };
  return robot_measure_bounds(run, &top.bounds) ? -1 : study_add(run, ROBOT_TOP, &top);
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

/* ---- orders ---------------------------------------------------------------------------------- */

/* rows first..first+count-1 are of one integrator */
static void add_order(study_run *run, const robot_mujoco_row row[], size_t count) {
  double h[OPTION_NUMBERS_MAX + 1] = {0}, error[OPTION_NUMBERS_MAX + 1] = {0};
  size_t used = 0;
  for (size_t i = 0; i < count && used <= OPTION_NUMBERS_MAX; i++) {
    if (row[i].time_step > order_step * (1.0 + 1e-9)) continue;
    if (!(row[i].rms_error >= robot_known_from * row[i].estimate)) continue;
    h[used] = row[i].time_step;
    error[used++] = row[i].rms_error;
  }
  const gather_power line = gather_fit_power(h, error, used);
  const robot_order_row order = {
      .variant = row->variant,
      .order = used < 2 ? NAN : line.exponent,
      .interval = {used < 3 ? NAN : line.interval[0], used < 3 ? NAN : line.interval[1]},
      .time_steps = used};
  study_add(run, ROBOT_ORDERS, &order);
}

static void add_orders(study_run *run) {
  size_t count;
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && row[next].variant == row[i].variant;) next++;
    add_order(run, row + i, next - i);
  }
}

int robot_derive(study_run *run) {
  add_findings(run);
  add_rows(run);
  add_orders(run);
  if (robot_derive_reach(run) || robot_derive_paths(run)) return -1;
  return add_top(run);
}
