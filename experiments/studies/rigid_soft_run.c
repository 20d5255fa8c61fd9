/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of the study of rigid contacts against soft ones, and what is read off them. */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "contact_models.h"
#include "corner_springs.h"
#include "rigid_soft.h"
#include "solvers.h"
#include "trot.h"

/* how long each runs: the body until its lifted foot lands again, the block for four impacts */
static const double trot_time = 0.4, block_time = 0.35;

/* The block's threshold is sought between these tilts, by halving their logarithms' distance: by
 * libess with an error that is small against the springs' way, by MuJoCo to what its steps tell. */
enum { HALVINGS = 20, HALVINGS_IN_STEPS = 12 };
static const double least_tilt = 1e-7, most_tilt = 0.4, threshold_tolerance = 1e-12;

enum { CHANGES = 5 };

/* the model of a case: its type, and what is changed of it */
static const model_type *changes_of(const rigid_soft_case *c, double tilt, double duration,
                                    case_change changes[CHANGES]) {
  const case_change springs[] = {{"stiffness", c->stiffness}, {"damping-ratio", c->ratio}, {0}};
  const case_change trot[] = {{"limbs", TROT_RIGID}, {0}};
  const case_change block[] = {{"delta-t", c->delta_t}, {"complete", 1.0}, {0}};
  changes[0] = (case_change){"tilt", tilt};
  changes[1] = (case_change){"duration", duration};
  memcpy(&changes[2], c->soft ? springs : block, sizeof springs);
  if (!c->soft && c->trot) memcpy(&changes[2], trot, sizeof trot);
  if (c->soft) return c->trot ? &trot_on_springs_type : &block_on_springs_type;
  return c->trot ? &trot_type : &rocking_block_type;
}

const model *rigid_soft_model(study_run *run, const rigid_soft_case *c, double tilt,
                              double duration) {
  case_change changes[CHANGES];
  const model_type *const type = changes_of(c, tilt, duration, changes);
  return case_model_of(run, type, changes);
}

static double tilt_of(const study_run *run, const rigid_soft_case *c) {
  const rigid_soft_settings *const s = run->settings;
  return c->trot ? s->trot_tilt : s->block_tilt;
}

static double time_of(const rigid_soft_case *c) {
  return c->trot ? trot_time : block_time;
}

static solver_settings libess_settings(double tolerance) {
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = tolerance;
  return with;
}

contest_starts *rigid_soft_entry(study_run *run, const rigid_soft_case *c, race_entry *entry) {
  const rigid_soft_settings *const s = run->settings;
  case_change changes[CHANGES];
  const model_type *const type = changes_of(c, tilt_of(run, c), time_of(c), changes);
  *entry = (race_entry){.solver = &libess_solver, .settings = libess_settings(s->tolerance)};
  if (c->integrator) *entry = rigid_soft_mujoco(run, c);
  contest_starts *const starts = case_own_start_of(run, type, changes);
  entry->starts = starts;
  return starts;
}

/* in all four systems event k < 2 is the landing of contact k */
static int note(const ess_impact *impact, void *context) {
  track *const t = context;
  for (size_t i = 0; i < impact->count; i++)
    if (impact->events[i] < CORNERS)
      track_note_landing(t, impact->events[i], impact->t, -track_of_state(t, "vz", impact->x));
  return 0;
}

static int follow_libess(study_run *run, double tolerance, track *t) {
  solver_settings with = libess_settings(tolerance);
  with.impact = note;
  with.impact_context = t;
  return trajectory_follow(&t->path, t->m, &libess_solver, &with, &t->report, run->message);
}

/* free its path, whatever is returned */
static int follow(study_run *run, const rigid_soft_case *c, double tilt, double duration,
                  double tolerance, track *t) {
  *t = (track){.c = c,
               .m = rigid_soft_model(run, c, tilt, duration),
               .first = NAN,
               .speed = NAN,
               .gain = -INFINITY};
  if (!t->m || trajectory_alloc(&t->path, t->m, run->message)) return -1;
  return c->integrator ? rigid_soft_follow_mujoco(run, t) : follow_libess(run, tolerance, t);
}

int rigid_soft_follow(study_run *run, const rigid_soft_case *c, track *t) {
  const rigid_soft_settings *const s = run->settings;
  return follow(run, c, tilt_of(run, c), time_of(c), s->tolerance, t);
}

/* until a block that rises has landed, many times over for small tilts; in whole output steps */
static double until_landed(double tilt) {
  return 0.002 * ceil(10.0 + 1000.0 * sqrt(tilt));
}

/* The speed of a block's centre, downward, at its first impact, where the corner that it rested on
 * only just rises: NaN where it never does, 0 where it always does. */
static int stop_speed(study_run *run, const rigid_soft_case *c, double *speed) {
  double low = least_tilt, high = most_tilt;
  *speed = NAN;
  for (int i = 0; i <= (c->integrator ? HALVINGS_IN_STEPS : HALVINGS); i++) {
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

/* how far MuJoCo is from libess on the same springs */
static int soft_distance(study_run *run, const track *t, double *distance) {
  rigid_soft_case c = *t->c;
  track of;
  c.integrator = NULL;
  const int status = rigid_soft_follow(run, &c, &of);
  if (!status) *distance = track_distance(t, &of, "angle");
  trajectory_free(&of.path);
  return status;
}

static void fill(const track *t, const track *of, rigid_soft_contact *row) {
  const bool trot = t->c->trot;
  row->landing = t->first;
  row->landing_off = t->first - of->first;
  row->height_rms = track_distance(t, of, "height");
  row->angle_rms = track_distance(t, of, "angle");
  row->rate_rms = track_distance(t, of, "rate");
  row->spin_ratio = trot ? NAN : track_spin_ratio(t);
  row->end_rate = trot ? track_value(t, "rate", t->path.count - 1) : NAN;
  row->field_evaluations = t->report.field_evaluations;
  row->guard_evaluations = t->report.guard_evaluations;
  row->steps = t->report.steps;
}

int rigid_soft_row(study_run *run, const rigid_soft_case *c, const char *choice, bool threshold,
                   rigid_soft_contact *row) {
  const rigid_soft_case rigid = {
      .trot = c->trot, .delta_t = c->trot ? NAN : 0.0, .ratio = NAN, .stiffness = NAN};
  track t, of = {0};
  *row = (rigid_soft_contact){RIGID_SOFT_ROW(c, choice), .soft_angle_rms = NAN, .stop_speed = NAN,
                              .stop_delta_t = NAN, .time_s = NAN};
  int status = rigid_soft_follow(run, c, &t);
  if (!status) status = rigid_soft_follow(run, &rigid, &of);
  if (!status && c->integrator && c->time_constant == 0.0)
    status = soft_distance(run, &t, &row->soft_angle_rms);
  if (!status && threshold && !c->trot) status = stop_speed(run, c, &row->stop_speed);
  if (!status) fill(&t, &of, row);
  trajectory_free(&t.path);
  trajectory_free(&of.path);
  return status;
}

rigid_soft_case rigid_soft_case_of(const rigid_soft_contact *row) {
  const bool libess = strcmp(row->engine, "libess") == 0;
  return (rigid_soft_case){.trot = strcmp(row->system, "trot") == 0,
                           .soft = strcmp(row->contacts, "rigid") != 0,
                           .delta_t = row->delta_t,
                           .ratio = row->damping_ratio,
                           .stiffness = row->stiffness,
                           .integrator = libess ? NULL : row->integrator,
                           .time_step = row->time_step,
                           .time_constant = isnan(row->time_constant) ? 0.0 : row->time_constant,
                           .usual = strcmp(row->choice, "default") == 0};
}
