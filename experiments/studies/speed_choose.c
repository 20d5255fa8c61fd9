/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who races on a system: MuJoCo's cheapest settings and libess's largest tolerance, chosen on
 * starts other than those that are timed. */
#include <math.h>
#include <stdio.h>

#include "cases.h"
#include "choice.h"
#include "same_system.h"
#include "solvers.h"
#include "speed.h"

/* the finest step of MuJoCo against its own run of it, and of the plain methods, in parts of the
 * output step */
enum { FINEST = 8, FINEST_PLAIN = 256 };

/* the error at which stiff systems are raced */
static const double stiff_target = 0.01;

static const model *form_of(speed_room *r, size_t form) {
  const case_change changes[] = {{"stiffness", r->of.stiffness},
                                 {"contacts", (double)r->of.contacts},
                                 {"damping", r->of.damping},
                                 {"field", (double)form},
                                 {0}};
  return case_model_of(r->run, model_find(r->of.model), changes);
}

int speed_open(speed_room *r, study_run *run, const speed_system *of, size_t starts, size_t known,
               unsigned long seed) {
  *r = (speed_room){.run = run, .of = *of};
  for (size_t k = 0; k < of->forms; k++)
    if (!(r->form[k] = form_of(r, k))) return -1;
  if (contest_starts_alloc(&r->starts, r->form[0], starts, true, seed, run->message)) return -1;
  for (size_t j = 0; j < known; j++) {
    if (*run->interrupted) measure_message(run->message, "interrupted");
    if (*run->interrupted || contest_reference(&r->starts, j, run->message)) return -1;
  }
  return 0;
}

/* ---- who races ------------------------------------------------------------------------------- */

/* MuJoCo, or another with a form of the field */
static int enter(speed_room *r, const char *protocol, double target, size_t form,
                 const solver_type *solver, const solver_settings *with) {
  const bool mujoco = solver == &bridge_solver;
  const bool by_tolerance = solver_concerns(solver) & SETTING_TOLERANCE;
  speed_sample s;
  column_clear(r->run->study->tables[SPEED_SAMPLES].columns, &s);
  s.what = "entry";
  s.protocol = protocol;
  s.field = !mujoco && r->of.forms > 1 ? speed_form_names[form] : "";
  s.solver = solver->name;
  s.variant = mujoco ? with->variant : "";
  s.target = target;
  s.rtol = by_tolerance ? with->rtol : NAN;
  s.time_step = by_tolerance ? NAN : with->time_step;
  s.field_gap = r->gap.gap;
  s.scaling = r->gap.scaling;
  return study_add(r->run, SPEED_SAMPLES, &s);
}

static choice_request request_of(const speed_room *r, const contest_starts *starts,
                                 choice_limits limits) {
  return (choice_request){starts, solver_settings_default(), limits, r->run->interrupted};
}

static void warn(const speed_room *r, const char *protocol) {
  fprintf(stderr, "warning: %s, %zu contacts, k = %g, c = %g, %s: %s\n", r->of.model,
          r->of.contacts, r->of.stiffness, r->of.damping, protocol, r->run->message);
}

/* libess's largest tolerance with a form of the field, and the cheapest of the plain methods; what
 * has none is left out with a line */
static int enter_form(speed_room *r, const char *protocol, double target, choice_limits limits,
                      size_t form) {
  const contest_starts starts = contest_starts_view(&r->starts, r->form[form]);
  const choice_request request = request_of(r, &starts, limits);
  const solver_type *plain;
  choice best;
  int status = choice_tolerance(&request, &best, r->run->message);
  if (status > 0) warn(r, protocol);
  if (!status) status = enter(r, protocol, target, form, &libess_solver, &best.settings);
  if (status < 0) return -1;
  status = choice_plain(&request, FINEST_PLAIN, &best, &plain, r->run->message);
  if (status > 0) warn(r, protocol);
  if (!status) status = enter(r, protocol, target, form, plain, &best.settings);
  return status < 0 ? -1 : 0;
}

/* with each form of the field */
static int enter_forms(speed_room *r, const char *protocol, double target, choice_limits limits) {
  int status = 0;
  for (size_t k = 0; !status && k < r->of.forms; k++)
    status = enter_form(r, protocol, target, limits, k);
  return status;
}

/* the cheapest of all within limits */
static int enter_all(speed_room *r, const char *protocol, choice_limits limits) {
  const choice_request request = request_of(r, &r->starts, limits);
  choice best;
  if (choice_mujoco(&request, FINEST, &best, r->run->message) ||
      enter(r, protocol, NAN, 0, &bridge_solver, &best.settings))
    return -1;
  return enter_forms(r, protocol, NAN, limits);
}

static int enter_at_target(speed_room *r, double target) {
  char protocol[32];
  choice best;
  choice_limits ours;
  const choice_request request = request_of(r, &r->starts, (choice_limits){0});
  snprintf(protocol, sizeof protocol, "target-%g", target);
  const int status = choice_at_target(&request, target, &best, &ours, r->run->message);
  if (status > 0) warn(r, protocol);
  if (status < 0 || (!status && enter(r, protocol, target, 0, &bridge_solver, &best.settings)))
    return -1;
  return enter_forms(r, protocol, target, ours);
}

/* without MuJoCo: at each error asked for libess and the cheapest plain method, with the field that
 * any contact law has */
static int enter_errors(speed_room *r) {
  const speed_settings *const s = r->run->settings;
  int status = 0;
  for (size_t i = 0; !status && i < s->errors.count && r->of.in_errors; i++) {
    char protocol[32];
    const double error = s->errors.value[i];
    const choice_limits median = {error, INFINITY, INFINITY};
    snprintf(protocol, sizeof protocol, "error-%g", error);
    status = enter_form(r, protocol, error, median, SPEED_CONTACTS);
  }
  return status;
}

static choice run_yardstick(const speed_room *r, const char *integrator) {
  choice c = {.settings = solver_settings_default()};
  c.settings.variant = integrator;
  c.settings.time_step = r->form[0]->type->time_step;
  choice_try(&r->starts, &bridge_solver, INFINITY, &c);
  return c;
}

/* MuJoCo at the output step, which is what no worse than it means */
static int enter_yardstick(speed_room *r, const char *protocol, const char *integrator, choice *c) {
  *c = run_yardstick(r, integrator);
  if (c->rms < INFINITY) return enter(r, protocol, NAN, 0, &bridge_solver, &c->settings);
  return measure_fail(r->run->message, "%s, %zu contacts, %s: MuJoCo does not run to the end",
                      r->of.model, r->of.contacts, protocol);
}

static int check_gap(speed_room *r) {
  const solver_settings settings = solver_settings_default();
  for (size_t k = 0; k < r->of.forms; k++) {
    bridge_gap gap;
    if (same_system(r->form[k], &settings, r->run->seed, &gap, r->run->message)) return -1;
    if (!k || gap.gap > r->gap.gap) r->gap = gap;
  }
  return 0;
}

/* where the springs are too stiff for the output step the yardstick is an error, and MuJoCo at that
 * step is there, if it does run, to show that it is none */
static int choose_stiff(speed_room *r) {
  const choice euler = run_yardstick(r, "Euler");
  if (euler.rms < INFINITY && enter(r, speed_yardstick, NAN, 0, &bridge_solver, &euler.settings))
    return -1;
  return enter_at_target(r, stiff_target);
}

/* one start alone has no tails: the hopper's median is all there is */
int speed_choose(speed_room *r) {
  const speed_settings *const s = r->run->settings;
  choice euler, rk4;
  r->gap = (bridge_gap){.gap = NAN, .scaling = NAN};
  if (!r->of.with_mujoco) return enter_errors(r);
  if (check_gap(r)) return -1;
  if (r->of.stiff) return choose_stiff(r);
  if (enter_yardstick(r, speed_yardstick, "Euler", &euler) ||
      enter_all(r, "equal-error", choice_limits_of(&euler)))
    return -1;
  const choice_limits median = {euler.rms, INFINITY, INFINITY};
  if (r->of.forms > 1 && enter_all(r, "equal-median", median)) return -1;
  if (r->of.largest && (enter_yardstick(r, speed_yardstick_rk4, "RK4", &rk4) ||
                        enter_all(r, "equal-error-RK4", choice_limits_of(&rk4))))
    return -1;
  if (enter_errors(r)) return -1;
  for (size_t i = 0; i < s->targets.count; i++)
    if (enter_at_target(r, s->targets.value[i])) return -1;
  return 0;
}
