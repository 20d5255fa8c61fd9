/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rocking block of the study contact-modes: its path without pseudo-impulses and with, and what
 * each delta_t cuts off (Figures 8 and 9). */
#include <math.h>

#include "contact_modes.h"
#include "solvers.h"

/* long enough for impacts to accumulate, s */
static const double block_time = 0.55;

enum { ANGLE = 2 };

typedef struct rocking {
  study_run *run;
  const model *m;
  double delta_t;
  bool keeps; /* whether rows are added */
  size_t impacts;
  double last; /* time of an impact */
  trajectory path;
} rocking;

static int add_impact(const ess_impact *impact, void *context) {
  rocking *const r = context;
  model_impact made;
  if (r->m->type->describe_impact(r->m, impact, &made)) return -1;
  r->impacts++;
  r->last = made.t;
  for (size_t i = 0; r->keeps && i < made.count; i++) {
    const instant row = {r->delta_t, made.t, impact->x[ANGLE], true, made.landed[i].speed};
    study_add(r->run, CONTACT_MODES_BLOCK, &row);
  }
  return 0;
}

/* to be freed, whatever is returned */
static int follow(study_run *run, double delta_t, bool keeps, rocking *r) {
  const contact_modes_settings *const s = run->settings;
  const case_change changes[] = {
      {"tilt", s->tilt}, {"delta-t", delta_t}, {"complete", 1.0}, {"duration", block_time}, {0}};
  *r = (rocking){.run = run,
                 .m = case_model_of(run, &rocking_block_type, changes),
                 .delta_t = delta_t,
                 .keeps = keeps};
  if (!r->m || trajectory_alloc(&r->path, r->m, run->message)) return -1;
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = contact_modes_tolerance;
  with.impact = add_impact;
  with.impact_context = r;
  solver_report report;
  return trajectory_follow(&r->path, r->m, &libess_solver, &with, &report, run->message);
}

static double angle_at(const rocking *r, size_t i) {
  return r->path.states[i * r->path.dimension + ANGLE];
}

static int add_path(study_run *run, double delta_t) {
  rocking r;
  int status = follow(run, delta_t, true, &r);
  for (size_t i = 0; !status && i < r.path.count; i++) {
    const instant row = {delta_t, r.path.times[i], angle_at(&r, i), false, NAN};
    study_add(run, CONTACT_MODES_BLOCK, &row);
  }
  trajectory_free(&r.path);
  return status;
}

int contact_modes_add_block(study_run *run) {
  const contact_modes_settings *const s = run->settings;
  return add_path(run, 0.0) || add_path(run, s->delta_t) ? -1 : 0;
}

static int add_truncation(study_run *run, const rocking *whole, double delta_t) {
  rocking cut;
  int status = follow(run, delta_t, false, &cut);
  truncation row = {delta_t, cut.impacts, cut.last, whole->last - cut.last, 0.0};
  for (size_t i = 0; !status && i < cut.path.count; i++)
    row.angle = fmax(row.angle, fabs(angle_at(&cut, i) - angle_at(whole, i)));
  if (!status) status = study_add(run, CONTACT_MODES_TRUNCATION, &row);
  trajectory_free(&cut.path);
  return status;
}

int contact_modes_add_truncation(study_run *run) {
  const contact_modes_settings *const s = run->settings;
  rocking whole;
  int status = follow(run, 0.0, false, &whole);
  for (size_t i = 0; !status && i < s->truncations.count; i++)
    status = add_truncation(run, &whole, s->truncations.value[i]);
  trajectory_free(&whole.path);
  return status;
}
