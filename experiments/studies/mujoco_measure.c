/*
 * Trajectories and times of MuJoCo's settings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mujoco_settings.h"
#include "progress.h"
#include "repeat.h"

/* with fewer starts than these a 95 % interval of a median is no such thing: no verdict on times */
enum { GAP_STATES = 2000, VERDICT_TRIALS = 6 };

/* a sample lasts at least this long, as is right for micro-runs */
static const double sample_s = 5e-3;

static int out_of_memory(char message[SOLVER_MESSAGE_SIZE]) {
  snprintf(message, SOLVER_MESSAGE_SIZE, "out of memory");
  return -1;
}

/* ---- setting up ------------------------------------------------------------------------------ */

static int allocate_rows(mujoco_case *c, char message[SOLVER_MESSAGE_SIZE]) {
  const size_t trials = c->starts.trials;
  c->own = calloc(trials * c->samples.count * c->samples.dimension, sizeof *c->own);
  c->row = calloc(mujoco_variant_count, sizeof *c->row);
  if (!c->own || !c->row) return out_of_memory(message);
  c->rows = mujoco_variant_count;
  for (size_t k = 0; k < c->rows; k++) {
    mujoco_row *const row = &c->row[k];
    *row = (mujoco_row){.variant = &mujoco_variants[k], .of = c};
    row->ratio = row->confirmed = row->median = (measure_interval){NAN, NAN, NAN};
    row->rms = calloc(trials, sizeof *row->rms);
    row->seconds = calloc(trials, sizeof *row->seconds);
    if (!row->rms || !row->seconds) return out_of_memory(message);
  }
  return 0;
}

/* every setting this MuJoCo has; it must have the two bases */
static int prepare_rows(mujoco_case *c, char message[SOLVER_MESSAGE_SIZE]) {
  const solver_output output = trajectory_output(&c->samples);
  for (size_t k = 0; k < c->rows; k++) {
    mujoco_row *const row = &c->row[k];
    const int status =
        mujoco_variant_prepare(row->variant, &c->m, &output, &row->instance, row->left_out);
    if (!status) row->left_out[0] = '\0';
    if (!status || (status == SOLVER_REFUSED && k > MUJOCO_RACE)) continue;
    snprintf(message, SOLVER_MESSAGE_SIZE, "%.500s", row->left_out);
    return -1;
  }
  return 0;
}

int mujoco_case_init(mujoco_case *c, const char *type, size_t contacts, const arguments *given,
                     char message[SOLVER_MESSAGE_SIZE]) {
  *c = (mujoco_case){.contacts = contacts};
  model_init(&c->m, model_find(type));
  // the hopper has one contact, and no parameter to say so
  if (!isnan(model_get(&c->m, "contacts")) &&
      model_set(&c->m, "contacts", (double)contacts, message))
    return -1;
  if (model_prepare(&c->m, message) || trajectory_alloc(&c->samples, &c->m, message)) return -1;
  if (contest_starts_alloc(&c->starts, &c->m, given->trials, true, given->seed, message)) return -1;
  for (size_t i = 0; i < given->trials; i++)
    if (contest_reference(&c->starts, i, message)) return -1;
  return allocate_rows(c, message) ? -1 : prepare_rows(c, message);
}

void mujoco_case_free(mujoco_case *c) {
  for (size_t k = 0; k < c->rows; k++) {
    mujoco_row *const row = &c->row[k];
    if (row->instance) bridge_solver.release(row->instance);
    free(row->rms);
    free(row->seconds);
    free(row->again);
  }
  free(c->row);
  free(c->own);
  trajectory_free(&c->samples);
  contest_starts_free(&c->starts);
  model_release(&c->m);
  *c = (mujoco_case){0};
}

/* ---- trajectories ---------------------------------------------------------------------------- */

/* the timed region */
static int run(void *context, size_t trial) {
  mujoco_row *const row = context;
  mujoco_case *const c = row->of;
  const solver_output output = trajectory_output(&c->samples);
  const double *const x0 = c->starts.states + trial * c->m.system.dimension;
  return bridge_solver.run(row->instance, x0, &output, &row->report);
}

/* largest difference in any component, relative to the component's largest value in `b` */
static double difference_of(const trajectory *a, const double b[]) {
  double largest = 0.0;
  for (size_t j = 0; j < a->dimension; j++) {
    double gap = 0.0, scale = 0.0;
    for (size_t i = j; i < a->count * a->dimension; i += a->dimension) {
      gap = fmax(gap, fabs(a->states[i] - b[i]));
      scale = fmax(scale, fabs(b[i]));
    }
    if (gap > 0.0) largest = fmax(largest, gap / scale);
  }
  return largest;
}

/* one setting from every start */
static int follow(mujoco_row *row) {
  mujoco_case *const c = row->of;
  const size_t size = c->samples.count * c->samples.dimension;
  for (size_t i = 0; i < c->starts.trials; i++) {
    double *const own = c->own + i * size;
    if (run(row, i)) return -1;
    if (row == &c->row[MUJOCO_OWN]) memcpy(own, c->samples.states, size * sizeof *own);
    row->difference = fmax(row->difference, difference_of(&c->samples, own));
    row->rms[i] = trajectory_rms(&c->samples, &c->starts.references[i]);
  }
  return measure_summarize(row->rms, c->starts.trials, &row->error);
}

int mujoco_follow(mujoco_case *c, unsigned long seed, char message[SOLVER_MESSAGE_SIZE]) {
  for (size_t k = 0; k < c->rows; k++) {
    mujoco_row *const row = &c->row[k];
    if (!row->instance) continue;
    if (bridge_instance_gap(row->instance, GAP_STATES, seed, &row->gap, message)) return -1;
    if (!follow(row)) continue;

    // a setting with which MuJoCo gives up is out of the race, unless it is the race's
    snprintf(row->left_out, sizeof row->left_out, "%.500s", row->report.message);
    snprintf(message, SOLVER_MESSAGE_SIZE, "%.500s", row->report.message);
    if (k <= MUJOCO_RACE) return -1;
    bridge_solver.release(row->instance);
    row->instance = NULL;
  }
  return 0;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* one interleaved session: which rows take part, and where their samples go */
typedef struct session {
  mujoco_case *of;
  size_t count;
  mujoco_row **row;
  measure_progress progress;
  uint64_t done;
} session;

static int sampled(const measure_sample *sample, void *context) {
  (void)sample;
  session *const s = context;
  measure_progress_update(&s->progress, ++s->done);
  return 0;
}

/* samples of the session's rows, row-major into `seconds` */
static int interleave(session *s, unsigned long seed, double seconds[],
                      char message[SOLVER_MESSAGE_SIZE]) {
  const size_t trials = s->of->starts.trials;
  measure_candidate *const candidates = calloc(s->count, sizeof *candidates);
  if (!candidates) return out_of_memory(message);
  for (size_t k = 0; k < s->count; k++)
    candidates[k] = (measure_candidate){.name = "mujoco", .run = run, .context = s->row[k]};
  const measure_plan plan = {.trials = trials,
                             .seed = seed,
                             .min_time_s = sample_s,
                             .warmup_runs = 1,
                             .sampled = sampled,
                             .context = s};
  char label[64];
  snprintf(label, sizeof label, "mujoco %s %zu", s->of->m.type->name, s->of->contacts);
  measure_progress_begin(&s->progress, NULL, label, s->count * trials);
  const int status = measure_interleave(candidates, s->count, &plan, seconds, NULL, NULL);
  measure_progress_end(&s->progress);
  free(candidates);
  if (status) snprintf(message, SOLVER_MESSAGE_SIZE, "timing: %s", measure_strerror(status));
  return status ? -1 : 0;
}

/* the race's row first, then those that `wanted` picks; 0, or -1 */
static int gather(session *s, mujoco_case *c, bool (*wanted)(const mujoco_row *)) {
  *s = (session){.of = c, .row = calloc(c->rows, sizeof(mujoco_row *))};
  if (!s->row) return -1;
  s->row[s->count++] = &c->row[MUJOCO_RACE];
  for (size_t k = 0; k < c->rows; k++)
    if (k != MUJOCO_RACE && wanted(&c->row[k])) s->row[s->count++] = &c->row[k];
  return 0;
}

static bool takes_part(const mujoco_row *row) {
  return row->instance != NULL;
}

static bool looks_faster(const mujoco_row *row) {
  return row->verdict == MUJOCO_FASTER;
}

static int summarize(mujoco_row *row, const mujoco_row *race, unsigned long seed) {
  const measure_bootstrap options = measure_bootstrap_default(seed);
  const size_t trials = row->of->starts.trials;
  int status = measure_summarize(row->seconds, trials, &row->time);
  if (!status) status = measure_bootstrap_median(row->seconds, trials, &options, &row->median);
  if (!status)
    status =
        measure_bootstrap_paired_ratio(row->seconds, race->seconds, trials, &options, &row->ratio);
  return status;
}

mujoco_verdict mujoco_judge(const mujoco_row *row, const measure_interval *ratio, double effect) {
  if (!row->instance) return MUJOCO_LEFT_OUT;
  if (!(row->difference <= MUJOCO_UNCHANGED)) return MUJOCO_CHANGED;
  if (row->variant == &mujoco_variants[MUJOCO_RACE]) return MUJOCO_IS_THE_RACE;
  if (ratio->estimate * (1.0 + effect) < 1.0 && ratio->high < 1.0) return MUJOCO_FASTER;
  if (ratio->estimate > 1.0 + effect && ratio->low > 1.0) return MUJOCO_SLOWER;
  return MUJOCO_AS_FAST;
}

static double effect_of(const arguments *given) {
  return given->trials < VERDICT_TRIALS ? INFINITY : given->minimum_effect;
}

/* every setting that takes part, and a first verdict */
static int time_all(mujoco_case *c, const arguments *given, double seconds[],
                    char message[SOLVER_MESSAGE_SIZE]) {
  const size_t trials = c->starts.trials;
  session s;
  if (gather(&s, c, takes_part)) return out_of_memory(message);
  int status = interleave(&s, given->seed, seconds, message);
  for (size_t k = 0; !status && k < s.count; k++) {
    memcpy(s.row[k]->seconds, seconds + k * trials, trials * sizeof *seconds);
    status = summarize(s.row[k], s.row[0], given->seed);
    if (status) snprintf(message, SOLVER_MESSAGE_SIZE, "%s", measure_strerror(status));
  }
  free(s.row);
  for (size_t k = 0; k < c->rows; k++)
    c->row[k].verdict = mujoco_judge(&c->row[k], &c->row[k].ratio, effect_of(given));
  return status ? -1 : 0;
}

/* those that looked faster once more, on the same starts in another order */
static int time_again(mujoco_case *c, const arguments *given, double seconds[],
                      char message[SOLVER_MESSAGE_SIZE]) {
  const measure_bootstrap options = measure_bootstrap_default(given->seed);
  const size_t trials = c->starts.trials;
  session s;
  if (gather(&s, c, looks_faster)) return out_of_memory(message);
  int status = s.count > 1 ? interleave(&s, given->seed + 1, seconds, message) : 0;
  for (size_t k = 0; !status && s.count > 1 && k < s.count; k++) {
    mujoco_row *const row = s.row[k];
    row->again = calloc(trials, sizeof *row->again);
    if (!row->again) {
      status = out_of_memory(message);
      break;
    }
    memcpy(row->again, seconds + k * trials, trials * sizeof *seconds);
    status = measure_bootstrap_paired_ratio(row->again, s.row[0]->again, trials, &options,
                                            &row->confirmed);
    if (status) snprintf(message, SOLVER_MESSAGE_SIZE, "%s", measure_strerror(status));
    row->verdict = mujoco_judge(row, &row->confirmed, effect_of(given));
  }
  free(s.row);
  return status ? -1 : 0;
}

int mujoco_time(mujoco_case *c, const arguments *given, char message[SOLVER_MESSAGE_SIZE]) {
  double *const seconds = calloc(c->rows * c->starts.trials, sizeof *seconds);
  if (!seconds) return out_of_memory(message);
  int status = time_all(c, given, seconds, message);
  if (!status) status = time_again(c, given, seconds, message);
  free(seconds);
  return status;
}
