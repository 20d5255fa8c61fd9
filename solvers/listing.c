/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listing 1 of Anderson & Revzen, "Rapid Integrator for a Class of Multi-Contact Systems" (2024),
 * as published: what the paper's method does before it is corrected. libess is the corrected one.
 *
 * Kept to the letter:
 * - Guards are one-way and upward; the mirrored pair of an event function h is the two guards h and
 *   -h. A mask holds the guards already crossed, from the start those with h >= 0.
 * - Integration, when no guard outside the mask has h > -epsilon: dopri5 to the end of the run,
 *   stopped after the first step over which any guard, masked or not, goes from below -epsilon to
 *   -epsilon or above. If the mask was full it becomes h >= 0 anew.
 * - Projection otherwise: dt = -h/(Dh f) for every guard outside the mask, whatever its sign; the
 *   smallest is taken, x += dt f, t += dt, and that guard is masked.
 * - The field is f(x, h(x)): it follows the sign of h, masked or not, in every evaluation.
 *
 * Known defects, all of them its own:
 * - Where projection starts depends on where steps end: a step may stop anywhere inside the
 *   neighbourhood or beyond it, so that the error is a staircase in epsilon. After a step beyond
 *   the guard, dt is negative and time runs backwards.
 * - A receding guard (Dh f < 0 at h < 0) also has dt < 0, is the smallest, and takes time back to
 *   where it last was at h = 0, or would have been. A plate that tilts has such guards at almost
 *   every crossing: from two springs on most runs end far from the solution, or do not end. One
 *   guard at a time, with steps short beside epsilon, it is the method of order 2 that is meant.
 * - The sign of a projected state is rounding's: it lies on the guard.
 * - Signs at both ends of a step say nothing of what is crossed and left between.
 * - The mask is only emptied when it is full and a step has ended: on many contacts a lift-off
 *   meanwhile is passed without projection, in steps across the field's jump.
 * - It goes on past the end of the run while a guard is not crossed. Here a run ends when Listing 1
 *   asks for an integration from the end or later, which leads nowhere.
 *
 * What the paper leaves open is chosen thus: in the variant `paper` steps are no longer than the
 * output step (its section 5.1), or h_max if that is given, in the variant `free` only h_max; each
 * integration chooses its first step anew; outputs are interpolated, those that time runs back over
 * are written again by what comes later; and a run that takes too many iterations fails. A crossing
 * is counted where h changes sign from one of its nodes to the next and the field changes with it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "dense_dopri5.h"
#include "mode.h"

static const char *const variants[] = {"paper", "free", NULL};

/* iterations of the loop and integration steps, as a multiple of those that a run would need whose
 * guards are each crossed once */
static const double most_rounds = 100.0;

typedef struct listing {
  latched_mode mode; /* never latched here: signs are those of h, at every evaluation */
  dense_dopri5 stepper;
  double epsilon;
  size_t event_count; /* with mirror images */
  size_t *guard;      /* [event_count]: upward ones, then their mirror images */
  bool *crossed;      /* crossmsk, by guard */
  double *node_sign;  /* signs at the last node */
  double t, x[DENSE_DOPRI5_ROOM];
  size_t written; /* outputs up to t */
  uint64_t rounds, most_rounds;
} listing;

/* ---- event functions, guards, signs ---------------------------------------------------------- */

/* the event function that guard k is, and the value of that guard */
static size_t event_of(const listing *l, size_t k) {
  return l->guard[k] / 2;
}

static double guard_value(const listing *l, size_t k, const double h[]) {
  return l->guard[k] % 2 ? -h[event_of(l, k)] : h[event_of(l, k)];
}

static bool all_crossed(const listing *l) {
  for (size_t k = 0; k < l->event_count; k++)
    if (!l->crossed[k]) return false;
  return true;
}

/* crossmsk = h >= 0 */
static void reset_mask(listing *l, const double h[]) {
  for (size_t k = 0; k < l->event_count; k++) l->crossed[k] = guard_value(l, k, h) >= 0.0;
}

/* any((hx > -eps)[~crossmsk]) */
static bool any_inside(const listing *l, const double h[]) {
  for (size_t k = 0; k < l->event_count; k++)
    if (!l->crossed[k] && guard_value(l, k, h) > -l->epsilon) return true;
  return false;
}

/* the termination condition, over all guards */
static bool any_entered(const listing *l, const double h1[], const double h2[]) {
  for (size_t k = 0; k < l->event_count; k++)
    if (guard_value(l, k, h1) < -l->epsilon && guard_value(l, k, h2) >= -l->epsilon) return true;
  return false;
}

/* f(x, h(x)) */
static int field(double t, const double x[], double dxdt[], void *params) {
  listing *const l = params;
  const ess_system *const s = &l->mode.m->system;
  if (s->event_count && mode_guards(&l->mode, t, x, l->mode.h)) return -1;
  bool changed = false;
  for (size_t k = 0; k < s->event_count; k++) {
    const double sign = l->mode.h[k] >= 0.0 ? 1.0 : -1.0;
    changed = changed || sign != l->mode.sign[k];
    l->mode.sign[k] = sign;
  }
  if (changed && s->mode_changed && s->mode_changed(l->mode.sign, s->event_count, s->params))
    return -1;
  return mode_field(&l->mode, t, x, dxdt);
}

/* counts what changed sign since the last node */
static void visit(listing *l, const double h[]) {
  const model *const m = l->mode.m;
  for (size_t k = 0; k < m->system.event_count; k++) {
    const double sign = h[k] >= 0.0 ? 1.0 : -1.0;
    if (sign == l->node_sign[k]) continue;
    l->node_sign[k] = sign;
    l->mode.events += m->type->changes_field(m, k, l->node_sign);
  }
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* outputs after time t are to be written again */
static void rewind_outputs(listing *l, const solver_output *output, double t) {
  while (l->written > 1 && output->times[l->written - 1] > t) l->written--;
}

static void write_line(listing *l, const solver_output *output, const double f[], double t1) {
  const size_t n = l->mode.m->system.dimension;
  for (; l->written < output->count && output->times[l->written] <= t1; l->written++)
    for (size_t i = 0; i < n; i++)
      output->states[l->written * n + i] = l->x[i] + (output->times[l->written] - l->t) * f[i];
}

/* ---- the two steps --------------------------------------------------------------------------- */

static int fail(const listing *l, const char *why, solver_report *report) {
  return mode_fail(&l->mode, why, l->t, report);
}

/* dopri5(xq, tq, tf); leaves the event functions at its end in mode.h_end */
static int integrate(listing *l, const solver_output *output, solver_report *report) {
  dense_dopri5 *const s = &l->stepper;
  latched_mode *const mode = &l->mode;
  const double t1 = output->times[output->count - 1];
  if (dense_dopri5_start(s, l->t, l->x, t1)) return fail(l, "the field failed", report);
  if (mode_guards(mode, l->t, l->x, mode->h_end)) return fail(l, "a callback failed", report);
  for (bool entered = false; !entered && s->t < t1;) {
    memcpy(mode->rate, mode->h_end, mode->m->system.event_count * sizeof *mode->rate);
    const int status = dense_dopri5_step(s, t1);
    if (status == DENSE_DOPRI5_EFIELD) return fail(l, "the field failed", report);
    if (status) return fail(l, "the step fell below the resolution of time", report);
    dense_dopri5_write(s, output, &l->written, INFINITY, s->t_end);
    dense_dopri5_accept(s);
    l->t = s->t;
    memcpy(l->x, s->x, s->n * sizeof *l->x);
    report->steps++;
    if (mode_guards(mode, l->t, l->x, mode->h_end)) return fail(l, "a callback failed", report);
    visit(l, mode->h_end);
    entered = any_entered(l, mode->rate, mode->h_end);
    report->entries += entered;
    if (++l->rounds > l->most_rounds) return fail(l, "too many iterations", report);
  }
  report->rejected += s->rejected;
  return 0;
}

/* j = argmin(dt) over the guards outside the mask, as numpy has it: the first of equals, and NaN
 * before everything */
static size_t first_guard(const listing *l, const double h[], const double rate[], double *dt) {
  size_t first = 0;
  *dt = INFINITY;
  for (size_t k = 0; k < l->event_count; k++) {
    // h and rate of a mirror image are both negated
    const double candidate = l->crossed[k] ? INFINITY : -h[event_of(l, k)] / rate[event_of(l, k)];
    if (!(candidate < *dt || isnan(candidate))) continue;
    first = k;
    *dt = candidate;
    if (isnan(candidate)) break;
  }
  return first;
}

static int project(listing *l, const solver_output *output, solver_report *report) {
  latched_mode *const mode = &l->mode;
  double f[DENSE_DOPRI5_ROOM], dt;
  if (field(l->t, l->x, f, l) || mode_rates(mode, l->t, l->x, f, mode->h, mode->rate))
    return fail(l, "a callback failed", report);
  const size_t j = first_guard(l, mode->h, mode->rate, &dt);
  if (!isfinite(dt)) return fail(l, "the projection's length is not finite", report);
  rewind_outputs(l, output, l->t + dt);
  write_line(l, output, f, l->t + dt);
  for (size_t i = 0; i < mode->m->system.dimension; i++) l->x[i] += dt * f[i];
  l->t += dt;
  l->crossed[j] = true;
  report->projections++;
  if (mode_guards(mode, l->t, l->x, mode->h_end)) return fail(l, "a callback failed", report);
  visit(l, mode->h_end);
  return 0;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* while tq < tf or not all(crossmsk) */
static int loop(listing *l, const solver_output *output, solver_report *report) {
  latched_mode *const mode = &l->mode;
  const double t1 = output->times[output->count - 1];
  int status = 0;
  while (!status && (l->t < t1 || !all_crossed(l))) {
    if (!mode_finite(l->x, mode->m->system.dimension))
      return fail(l, "the state is not finite", report);
    if (any_inside(l, mode->h_end)) {
      status = project(l, output, report);
    } else {
      // from here the listing never ends
      if (!(l->t < t1)) return 0;
      status = integrate(l, output, report);
      if (!status && all_crossed(l)) reset_mask(l, mode->h_end);
    }
    if (!status && ++l->rounds > l->most_rounds) status = fail(l, "too many iterations", report);
  }
  return status;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  listing *const l = instance;
  latched_mode *const mode = &l->mode;
  const size_t m = mode->m->system.event_count, n = mode->m->system.dimension;
  *report = (solver_report){0};
  memcpy(l->x, x0, n * sizeof *x0);
  memcpy(output->states, x0, n * sizeof *x0);
  l->t = output->times[0];
  l->written = 1;
  l->rounds = 0;
  if (mode_start(mode, l->t, x0, report)) return SOLVER_FAILED;
  if (m && mode_guards(mode, l->t, x0, mode->h_end)) return fail(l, "a callback failed", report);
  reset_mask(l, mode->h_end);
  for (size_t k = 0; k < m; k++) l->node_sign[k] = mode->h_end[k] >= 0.0 ? 1.0 : -1.0;
  const int status = loop(l, output, report);
  mode_report(mode, report);
  return status;
}

static void release(void *instance) {
  listing *const l = instance;
  if (!l) return;
  mode_free(&l->mode);
  free(l->crossed);
  free(l->guard);
  free(l->node_sign);
  free(l);
}

/* index of the variant, or SOLVER_REFUSED */
static int check(const model *m, const solver_settings *settings,
                 char message[SOLVER_MESSAGE_SIZE]) {
  const int variant = mode_check("listing", m, settings, DENSE_DOPRI5_ROOM, variants, message);
  if (variant < 0 || (settings->epsilon > 0.0 && isfinite(settings->epsilon))) return variant;
  return SOLVER_REFUSE(message, "listing: epsilon %g is not accepted; it is a finite number > 0",
                       settings->epsilon);
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  const int variant = check(m, settings, message);
  if (variant < 0) return variant;
  const size_t events = m->system.event_count;
  listing *const l = calloc(1, sizeof *l);
  if (l && mode_alloc(&l->mode, m, "listing", message) == 0) {
    l->node_sign = calloc(events + 1, sizeof *l->node_sign);
    l->crossed = calloc(2 * events + 1, sizeof *l->crossed);
    l->guard = calloc(2 * events + 1, sizeof *l->guard);
  }
  if (!l || !l->crossed || !l->guard || !l->node_sign) {
    release(l);
    return SOLVER_FAIL(message, "listing: out of memory");
  }
  for (size_t j = 0; j < 2 * events; j++) {
    const size_t guard = j < events ? ESS_GUARD_UP(j) : ESS_GUARD_DOWN(j - events);
    if (model_has_guard(m, guard)) l->guard[l->event_count++] = guard;
  }
  l->epsilon = settings->epsilon;
  const bool capped = variant == 0 && !isfinite(settings->h_max);
  const double h_max = capped ? output->dt : settings->h_max;
  l->stepper =
      dense_dopri5_make(m->system.dimension, field, l, settings->rtol, settings->atol, h_max);
  const double steps = output->dt * (double)output->count / h_max;
  l->most_rounds =
      (uint64_t)fmin(1e9, most_rounds * ((double)output->count + (double)l->event_count + steps));
  *instance = l;
  return 0;
}

const solver_type listing_solver = {
    .name = "listing",
    .summary = "the paper's Listing 1 as published",
    .variants = variants,
    .prepare = prepare,
    .run = run,
    .release = release,
};
