/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first start of a robot over time: touch-downs, errors, states. */
#include <math.h>
#include <stdlib.h>

#include "robot_columns.h"
#include "robot_study.h"

static void add_touchdowns(study_run *run, const robot_track *t) {
  const robot_case *const c = run->own;
  for (size_t i = 0; i < t->touches; i++) {
    if (!robot_event_is_contact(c->robot, t->touch[i].event)) continue;
    const robot_touchdown_row row = {t->touch[i].time,
                                     robot_event_name(c->robot, t->touch[i].event)};
    study_add(run, ROBOT_TOUCHDOWNS, &row);
  }
}

static void add_errors(study_run *run, const robot_entry *e, const robot_track *t,
                       const robot_track *of, size_t count) {
  const robot_settings *const s = run->settings;
  const char *const who = e->kind == ROBOT_MUJOCO   ? e->variant
                          : e->kind == ROBOT_LIBESS ? "libess"
                                                    : "plain";
  for (size_t i = 1; i < count && i < t->reached; i++) {
    if (!t->at_end[i]) continue;
    const robot_time_row row = {who, e->knob, e->own, (double)i * s->output_step,
                                robot_apart_at(run, t, of, i)};
    study_add(run, ROBOT_ERRORS, &row);
  }
}

/* the position or velocity that is furthest off, over what the reference's own range is */
static size_t most_apart(const study_run *run, const robot_track *t, const robot_track *of,
                         size_t count) {
  const robot_case *const c = run->own;
  size_t found = 0;
  double most = -1.0;
  for (size_t k = 0; k < c->size.nq + c->size.nv; k++) {
    double low = INFINITY, high = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < count && i < t->reached; i++) {
      const double value = of->states[i * c->size.dimension + k],
                   off = t->states[i * c->size.dimension + k] - value;
      low = fmin(low, value);
      high = fmax(high, value);
      sum += off * off;
    }
    // a state that hardly moves is nobody's interest
    const double share = sum / (1e-6 + (high - low) * (high - low));
    if (share > most) most = share, found = k;
  }
  return found;
}

static void add_path(study_run *run, const robot_track *t, const robot_track *of, size_t count) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension, parting = most_apart(run, t, of, count);
  for (size_t k = 0; k < n; k++) {
    char name[ROBOT_NAME_SIZE];
    robot_state_name(c->robot, k, name);
    const char *const state = study_text(run, "%s", name);
    for (size_t i = 0; i < count; i++) {
      const robot_path_row row = {.t = (double)i * s->output_step,
                                  .state = state,
                                  .unit = robot_state_unit(c->robot, k),
                                  .parts = k == parting,
                                  .reference = of->states[i * n + k],
                                  .mujoco = i < t->reached ? t->states[i * n + k] : NAN};
      study_add(run, ROBOT_PATHS, &row);
    }
  }
}

/* which runs are drawn over time: MuJoCo's own; of libess and of plain, by the first base, every
 * other tolerance down to the smallest */
static bool is_drawn(const robot_settings *s, const robot_entry *e) {
  if (e->kind == ROBOT_MUJOCO) return e->own;
  if (e->variant != robot_bases[s->bases.index[0]]) return false;
  for (size_t i = s->tolerances.count; i > 0; i--)
    if (s->tolerances.value[i - 1] == e->knob) return (s->tolerances.count - i) % 2 == 0;
  return false;
}

/* an entry as it ran from the first start: no clock has a say in where it ends */
static int repeat(study_run *run, const robot_entry *e, const robot_sample *ran, const double x0[],
                  bool listen, robot_track *t) {
  t->most_steps = ran->steps;
  return robot_follow(run, e, x0, listen, t);
}

/* the outputs that its reference reaches by both its tolerances */
static size_t count_outputs(const study_run *run, const robot_sample *reference) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  size_t count = 0;
  while (count < c->outputs && (double)count * s->output_step <= reference->until) count++;
  return count;
}

/* `ran` is what is known of the first start's runs, in the order of the entries */
static int add_runs(study_run *run, const robot_sample ran[], const double x0[],
                    robot_track *reference, robot_track *t) {
  const robot_case *const c = run->own;
  const robot_settings *const s = run->settings;
  const size_t count = count_outputs(run, ran);
  int status = repeat(run, c->entry, ran, x0, true, reference);
  if (!status) add_touchdowns(run, reference);
  for (size_t i = 1; !status && i < c->entries; i++) {
    if (!is_drawn(s, &c->entry[i])) continue;
    status = repeat(run, &c->entry[i], &ran[i], x0, false, t);
    if (!status) add_errors(run, &c->entry[i], t, reference, count);
    if (!status && c->entry[i].own) add_path(run, t, reference, count);
  }
  return status;
}

int robot_derive_paths(study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const robot_start from = {s->qpos, s->height, s->tilt, 0, run->seed};
  const robot_sample *const ran = study_rows(run, ROBOT_SAMPLES, NULL);
  robot_track reference = {0}, t = {0};
  double *const x0 = calloc(c->size.dimension + 1, sizeof *x0);
  int status = x0 ? 0 : study_out_of_memory(run);
  if (!status && robot_start_state(c->robot, &from, x0, run->message)) status = -1;
  if (!status && (robot_track_alloc(run, &reference) || robot_track_alloc(run, &t))) status = -1;
  if (!status) status = add_runs(run, ran, x0, &reference, &t);
  robot_track_free(&reference);
  robot_track_free(&t);
  free(x0);
  return status;
}
