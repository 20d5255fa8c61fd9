/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forces on the feet of the body that leaps by massless legs, without pseudo-impulses and with
 * (Figure 4). */
#include "contact_modes.h"

enum { FRONT = 0, REAR = 2, NOSE = 4, TAIL = 5 }; /* of its constraints */

typedef struct feet {
  study_run *run;
  double delta_t, since; /* of the latest event, s */
  contact_mode mode;     /* since then */
} feet;

static int add_row(contact_track *t, double time, const double x[]) {
  const feet *const f = t->context;
  contact_model *const p = t->m.data;
  kkt *const at = p->s.c.elsewhere;
  kkt_multipliers force;
  kkt_at(at, x, x + p->m.coordinates);
  if (!kkt_flow(at, f->mode, NULL, &force)) return -1;
  const leap row = {f->delta_t, time, 0.0 - force.value[FRONT], 0.0 - force.value[REAR]};
  return study_add(f->run, CONTACT_MODES_LEAP, &row);
}

static int add_event(contact_track *t, const ess_impact *impact) {
  feet *const f = t->context;
  contact_model *const p = t->m.data;
  contact_transition made;
  if (contact_system_replay(&p->s, impact, &made)) return -1;
  f->mode = made.before;
  f->since = impact->t;
  if (add_row(t, impact->t, impact->x)) return -1;
  f->mode = made.after;
  return add_row(t, impact->t, impact->after);
}

static int add_step(contact_track *t, const ess_step_info *step) {
  const feet *const f = t->context;
  return step->t1 > f->since ? add_row(t, step->t1, step->x) : 0;
}

static int add(study_run *run, double delta_t) {
  feet f = {.run = run, .delta_t = delta_t, .mode = CONTACT(NOSE) | CONTACT(TAIL)};
  contact_track t = {.impact = add_event, .step = add_step, .context = &f};
  contact_command command = {"rhex", "duration", "0.15", "delta-t",
                             study_text(run, "%.17g", delta_t)};
  const int status = contact_track_follow(run, command, &t);
  contact_track_free(&t);
  return status;
}

int contact_modes_add_leap(study_run *run) {
  const contact_modes_settings *const s = run->settings;
  return add(run, 0.0) || add(run, s->delta_t) ? -1 : 0;
}
