/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as `essbench run` has it, told impact by impact. */
#include <stdio.h>
#include <stdlib.h>

#include "contact_modes.h"

static int set_up(study_run *run, contact_command command, model *m) {
  model_init(m, model_find(command[0]));
  for (size_t i = 1; command[i]; i += 2)
    if (model_set_text(m, command[i], command[i + 1], run->message)) return -1;
  return model_prepare(m, run->message);
}

static int keep(const ess_impact *impact, void *context) {
  contact_track *const t = context;
  if (t->count == t->room) {
    const size_t room = t->room ? 2 * t->room : 64;
    model_impact *const more = realloc(t->of, room * sizeof *more);
    if (!more) return -1;
    t->of = more;
    t->room = room;
  }
  if (t->m.type->describe_impact(&t->m, impact, &t->of[t->count++])) return -1;
  return t->impact ? t->impact(t, impact) : 0;
}

static int pass_step(const ess_step_info *step, void *context) {
  contact_track *const t = context;
  return t->step(t, step);
}

int contact_track_follow(study_run *run, contact_command command, contact_track *t) {
  if (set_up(run, command, &t->m)) return -1;
  t->run = run;
  t->zeno = NAN;
  t->m.type->initial_state(&t->m, t->x);
  if (t->m.type->describe_start(&t->m, t->x, t->start)) return -1;
  ess_options options = ess_options_default();
  options.rtol = options.atol = contact_modes_tolerance;
  options.observer =
      (ess_observer){.impact = keep, .step = t->step ? pass_step : NULL, .context = t};
  ess_driver *const d = ess_driver_alloc(&t->m.system, &options, NULL);
  if (!d) return study_out_of_memory(run);
  double time = 0.0;
  const int status = ess_driver_apply(d, &time, model_get(&t->m, "duration"), t->x);
  if (status == ESS_EZENO) t->zeno = ess_driver_failure(d)->time;
  ess_driver_free(d);
  if (!status || status == ESS_EZENO) return 0;
  snprintf(run->message, SOLVER_MESSAGE_SIZE, "%s: %s at t = %.9g s", command[0],
           ess_strerror(status), time);
  return -1;
}

void contact_track_free(contact_track *t) {
  model_release(&t->m);
  free(t->of);
  t->of = NULL;
}
