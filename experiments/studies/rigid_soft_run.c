/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rigid_soft.h"

#include <math.h>
#include <string.h>

#include "cases.h"
#include "contact_models.h"
#include "corner_springs.h"
#include "solvers.h"
#include "trot.h"

/* how long each runs: the body until its lifted foot lands again, the block for four impacts */
static const double trot_time = 0.4, block_time = 0.35;

/* The block's threshold is sought between these tilts, by halving their logarithms' distance, with
 * an error that is small against the springs' way. */
enum { HALVINGS = 20 };
static const double least_tilt = 1e-7, most_tilt = 0.4, threshold_tolerance = 1e-12;

/* which contact is 0: the corner that the block rests on at first, or a foot */
enum { LEFT, RIGHT };

static const model *model_of(study_run *run, const rigid_soft_cell *c, double tilt,
                             double duration) {
  const case_change springs[] = {{"tilt", tilt},
                                 {"duration", duration},
                                 {"stiffness", c->stiffness},
                                 {"damping-ratio", c->ratio},
                                 {0}};
  const case_change trot[] = {{"tilt", tilt}, {"duration", duration}, {"limbs", TROT_RIGID}, {0}};
  const case_change block[] = {
      {"tilt", tilt}, {"duration", duration}, {"delta-t", c->delta_t}, {"complete", 1.0}, {0}};
  if (c->springs)
    return case_model_of(run, c->trot ? &trot_on_springs_type : &block_on_springs_type, springs);
  return c->trot ? case_model_of(run, &trot_type, trot)
                 : case_model_of(run, &rocking_block_type, block);
}

static double tilt_of(const study_run *run, const rigid_soft_cell *c) {
  const rigid_soft_settings *const s = run->settings;
  return c->trot ? s->trot_tilt : s->block_tilt;
}

/* a state's place, by its name */
static size_t place_of(const model *m, const char *name) {
  size_t i = 0;
  while (i < m->system.dimension && strcmp(m->type->state_names[i], name) != 0) i++;
  return i;
}

/* in all four systems event k < 2 is the landing of contact k */
static int note(const ess_impact *impact, void *context) {
  track *const t = context;
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    if (k > RIGHT) continue;
    if (k == LEFT && !isnan(t->first)) t->rises = true;
    if (k == LEFT || !isnan(t->first)) continue;
    t->first = impact->t;
    t->speed = -impact->x[place_of(t->m, "vz")];
  }
  return 0;
}

/* free its path, whatever is returned */
static int follow(study_run *run, const rigid_soft_cell *c, double tilt, double duration,
                  double tolerance, track *t) {
  *t = (track){.c = c, .m = model_of(run, c, tilt, duration), .first = NAN, .speed = NAN};
  if (!t->m || trajectory_alloc(&t->path, t->m, run->message)) return -1;
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = tolerance;
  with.impact = note;
  with.impact_context = t;
  const solver_output output = trajectory_output(&t->path);
  double x0[MODEL_DIMENSION_MAX];
  void *instance;
  t->m->type->initial_state(t->m, x0);
  if (libess_solver.prepare(t->m, &with, &output, &instance, run->message)) return -1;
  const int status = libess_solver.run(instance, x0, &output, &t->report);
  if (status) strcpy(run->message, t->report.message);
  libess_solver.release(instance);
  return status ? -1 : 0;
}

int rigid_soft_follow(study_run *run, const rigid_soft_cell *c, track *t) {
  const rigid_soft_settings *const s = run->settings;
  return follow(run, c, tilt_of(run, c), c->trot ? trot_time : block_time, s->tolerance, t);
}

/* what is compared: a block's angle is phi, the landing body's theta */
double track_value(const track *t, const char *name, size_t i) {
  if (strcmp(name, "angle") == 0) name = t->c->trot ? "theta" : "phi";
  if (strcmp(name, "height") == 0) name = "z";
  if (strcmp(name, "rate") == 0) name = "omega";
  return t->path.states[i * t->path.dimension + place_of(t->m, name)];
}

double track_distance(const track *a, const track *b, const char *name) {
  double sum = 0.0;
  for (size_t i = 0; i < a->path.count; i++) {
    const double apart = track_value(a, name, i) - track_value(b, name, i);
    sum += apart * apart;
  }
  return sqrt(sum / (double)a->path.count);
}

/* how far the centre is lifted at an angle, but for a factor */
static double lifted(const model *m, double angle) {
  const double leaning = atan2(model_get(m, "width"), model_get(m, "height"));
  return cos(leaning - fabs(angle)) - cos(leaning);
}

/* of the first swing to the other side, whose top is that of a parabola through three points */
double track_spin_ratio(const track *t) {
  size_t top = 0;
  for (size_t i = 1; i + 1 < t->path.count; i++)
    if (track_value(t, "angle", i) < track_value(t, "angle", top)) top = i;
  if (top == 0 || track_value(t, "angle", top) >= 0.0) return 0.0;
  const double before = track_value(t, "angle", top - 1), at = track_value(t, "angle", top);
  const double after = track_value(t, "angle", top + 1), bend = before - 2.0 * at + after;
  const double angle = at - 0.125 * (after - before) * (after - before) / bend;
  return sqrt(lifted(t->m, angle) / lifted(t->m, track_value(t, "angle", 0)));
}

/* until a block that rises has landed, many times over for small tilts; in whole output steps */
static double until_landed(double tilt) {
  return 0.002 * ceil(10.0 + 1000.0 * sqrt(tilt));
}

/* the centre's speed at the first impact, where the corner it rested on only just rises */
int rigid_soft_stop(study_run *run, const rigid_soft_cell *c, double *speed) {
  double low = least_tilt, high = most_tilt;
  *speed = NAN;
  for (int i = 0; i <= HALVINGS; i++) {
    const double tilt = i ? sqrt(low * high) : most_tilt;
    track t;
    const int status = follow(run, c, tilt, until_landed(tilt), threshold_tolerance, &t);
    trajectory_free(&t.path);
    if (status) return -1;
    if (i == 0 && !t.rises) return 0;
    if (t.rises) *speed = t.speed;
    *(t.rises ? &high : &low) = tilt;
  }
  if (low == least_tilt) *speed = 0.0;
  return 0;
}
