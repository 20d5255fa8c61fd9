/*
 * The systems that essbench speed times: their starts and references, and who races with which
 * settings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibration.h"
#include "progress.h"
#include "solvers.h"
#include "speed.h"

enum { GAP_STATES = 2000 };

/* long against what interrupts a core, short enough that all entries of a start run within the same
 * moment */
static const double sample_s = 2e-3;

/* setting up under way */
typedef struct setup {
  speed_case *c;
  const speed_data *data;
  contest_starts tuning; /* other starts than those that are timed */
  size_t rival;          /* the MuJoCo entered last, and what no worse than it means */
  search_limits limits;
  char name[SPEED_NAME_SIZE];
  char *message;
} setup;

void speed_case_name(const speed_case *c, char name[SPEED_NAME_SIZE]) {
  const char *const type = c->form[0].type->name;
  if (c->forms == 1)
    snprintf(name, SPEED_NAME_SIZE, "%s", type);
  else
    snprintf(name, SPEED_NAME_SIZE, "%s, %zu contacts, c = %g", type, c->contacts, c->damping);
}

/* ---- models and starts ----------------------------------------------------------------------- */

static int prepare_form(speed_case *c, const char *type, speed_form form, char *message) {
  model *const m = &c->form[form];
  model_init(m, model_find(type));
  int status = 0;
  if (c->forms > 1) {
    status = model_set(m, "contacts", (double)c->contacts, message) ||
             model_set(m, "damping", c->damping, message) ||
             model_set(m, "field", (double)form, message);
  }
  return status || model_prepare(m, message) ? -1 : 0;
}

/* starts with their references */
static int draw_starts(setup *s, contest_starts *starts, size_t trials, unsigned long seed) {
  measure_progress progress;
  if (contest_starts_alloc(starts, &s->c->form[0], trials, true, seed, s->message)) return -1;
  measure_progress_begin(&progress, NULL, s->name, trials);
  int status = 0;
  for (size_t j = 0; !status && j < trials; j++) {
    measure_progress_update(&progress, j);
    status = contest_reference(starts, j, s->message);
    if (*s->data->interrupted) {
      measure_message(s->message, "interrupted");
      status = -1;
    }
  }
  measure_progress_end(&progress);
  return status;
}

static int check_gap(setup *s, speed_form form) {
  bridge_gap *const gap = &s->c->gap[form];
  const solver_settings settings = solver_settings_default();
  if (bridge_field_gap(&s->c->form[form], &settings, GAP_STATES, s->data->given->seed, gap,
                       s->message))
    return -1;
  if (gap->gap <= BRIDGE_GAP_MAX) return 0;
  measure_message(s->message,
                  "%s: the field gap is %.2g at a scaling of %g; up to %.0g is accepted", s->name,
                  gap->gap, gap->scaling, BRIDGE_GAP_MAX);
  return -1;
}

/* ---- who races ------------------------------------------------------------------------------- */

static int out_of_memory(char *message) {
  measure_message(message, "out of memory");
  return -1;
}

int speed_add_entry(speed_case *c, const speed_entry *entry, size_t most, char *message) {
  if (!c->entry) {
    c->entry = calloc(most, sizeof *c->entry);
    if (!c->entry) return out_of_memory(message);
    c->room = most;
  }
  if (c->count == c->room) {
    measure_message(message, "more than %zu entries in one race", c->room);
    return -1;
  }
  speed_entry *const e = &c->entry[c->count++];
  *e = *entry;
  e->seconds = calloc(c->trials, sizeof *e->seconds);
  e->rms = calloc(c->trials, sizeof *e->rms);
  e->events = calloc(c->trials, sizeof *e->events);
  e->counts = calloc(c->trials, sizeof *e->counts);
  return e->seconds && e->rms && e->events && e->counts ? 0 : out_of_memory(message);
}

void speed_free_entries(speed_case *c) {
  for (size_t k = 0; k < c->count; k++) {
    free(c->entry[k].seconds);
    free(c->entry[k].rms);
    free(c->entry[k].events);
    free(c->entry[k].counts);
  }
  free(c->entry);
  c->entry = NULL;
  c->count = 0;
}

static int add_ours(setup *s, const solver_type *solver, const char *protocol, speed_form form,
                    const solver_settings *settings) {
  const speed_entry entry = {.solver = solver,
                             .protocol = protocol,
                             .form = form,
                             .rival = s->rival,
                             .settings = *settings};
  return speed_add_entry(s->c, &entry, SPEED_ENTRIES_MAX, s->message);
}

/* libess's cheapest tolerance with one form of the field; without one it is left out with a line */
static int add_searched(setup *s, const char *protocol, speed_form form) {
  const contest_starts tuning = contest_starts_view(&s->tuning, &s->c->form[form]);
  const search_request request = {.starts = &tuning,
                                  .base = solver_settings_default(),
                                  .limits = s->limits,
                                  .label = s->name,
                                  .interrupted = s->data->interrupted};
  search_candidate best;
  const int status = search_tolerance(&request, &best, s->message);
  if (status < 0) return -1;
  if (!status) return add_ours(s, &libess_solver, protocol, form, &best.settings);
  fprintf(stderr, "warning: %s, %s: %s\n", s->name, protocol, s->message);
  return 0;
}

/* libess within the limits, with each form of the field */
static int add_forms(setup *s, const char *protocol) {
  int status = 0;
  for (size_t k = 0; !status && k < s->c->forms; k++)
    status = add_searched(s, protocol, (speed_form)k);
  return status;
}

/* MuJoCo with one of its integrators at the output step, and libess no worse */
static int add_equal_error(setup *s, const char *protocol, const char *integrator) {
  search_candidate mujoco = {.settings = solver_settings_default()};
  mujoco.settings.time_step = s->c->form[0].type->time_step;
  mujoco.settings.variant = solver_variant(&bridge_solver, integrator);
  search_run(&s->tuning, s->tuning.trials, &bridge_solver, INFINITY, &mujoco);
  if (!(mujoco.rms < INFINITY)) {
    measure_message(s->message, "%s, %s: MuJoCo does not run to the end", s->name, protocol);
    return -1;
  }
  s->rival = s->c->count;
  s->limits = search_limits_against(&mujoco);
  const speed_entry entry = {.solver = &bridge_solver,
                             .protocol = protocol,
                             .rival = s->rival,
                             .settings = mujoco.settings};
  const int status = speed_add_entry(s->c, &entry, SPEED_ENTRIES_MAX, s->message);
  return status ? status : add_forms(s, protocol);
}

/* against the same MuJoCo, libess no worse in the median start, whatever its tails are: what is
 * mostly meant by equal error. One start alone has no tails. */
static int add_equal_median(setup *s) {
  if (s->c->forms == 1) return 0;
  s->limits.rms_q90 = s->limits.rms_worst = INFINITY;
  return add_forms(s, "equal-median");
}

/* the paper's method with the epsilon of the calibration, its steps as long as the tolerance allows
 */
static int add_calibrated(setup *s) {
  calibration result;
  if (calibrate_hopper(&s->c->form[0], 0, s->data->given->seed, &result, NULL, s->message))
    return -1;
  if (isnan(result.epsilon)) {
    fprintf(stderr, "warning: %s, calibration: %s\n", s->name, result.status);
    return 0;
  }
  solver_settings settings = calibration_settings(&s->c->form[0]);
  settings.epsilon = result.epsilon;
  settings.h_max = INFINITY;
  return add_ours(s, &projection_solver, "free", SPEED_CONTACTS, &settings);
}

static int add_all(setup *s, bool rk4) {
  if (add_equal_error(s, "equal-error", NULL) || add_equal_median(s)) return -1;
  if (rk4 && add_equal_error(s, "equal-error-RK4", "RK4")) return -1;
  return s->c->forms > 1 ? 0 : add_calibrated(s);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int set_up(setup *s, const char *type, bool rk4) {
  speed_case *const c = s->c;
  const unsigned long seed = s->data->given->seed;
  for (size_t k = 0; k < c->forms; k++)
    if (prepare_form(c, type, (speed_form)k, s->message)) return -1;
  speed_case_name(c, s->name);
  for (size_t k = 0; k < c->forms; k++)
    if (check_gap(s, (speed_form)k)) return -1;
  c->events = calloc(c->trials, sizeof *c->events);
  if (!c->events) return out_of_memory(s->message);
  if (draw_starts(s, &c->starts, c->trials, seed) ||
      draw_starts(s, &s->tuning, SEARCH_STARTS, seed + SEARCH_SEED_OFFSET))
    return -1;
  for (size_t j = 0; j < c->trials; j++) c->events[j] = (double)c->starts.events[j];
  return add_all(s, rk4);
}

int speed_case_init(speed_case *c, const char *type, size_t contacts, double damping, bool rk4,
                    const speed_data *data, char *message) {
  setup s = {.c = c, .data = data, .message = message};
  *c = (speed_case){.contacts = contacts,
                    .damping = damping,
                    .trials = data->given->trials,
                    .sample_s = sample_s};
  c->forms = isnan(damping) ? 1 : SPEED_FORMS;
  const int status = set_up(&s, type, rk4);
  contest_starts_free(&s.tuning);
  return status;
}

void speed_case_free(speed_case *c) {
  speed_free_entries(c);
  contest_starts_free(&c->starts);
  free(c->events);
  for (size_t k = 0; k < c->forms; k++)
    if (c->form[k].type) model_release(&c->form[k]);
  *c = (speed_case){0};
}
