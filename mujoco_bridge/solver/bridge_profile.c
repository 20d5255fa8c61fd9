/*
 * Profiled runs: MuJoCo's own timers, which it keeps while it has a clock.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "bridge.h"
#include "bridge_instance.h"

static int find(const char *name) {
  for (int i = 0; i < mjNTIMER; ++i)
    if (strcmp(mjTIMERSTRING[i], name) == 0) return i;
  return BRIDGE_NO_TIMER;
}

/* timers came and went over the years, but their names tell what they are parts of */
static int parent_of(const char *name) {
  if (strcmp(name, "step") == 0 || strcmp(name, "inverse") == 0) return BRIDGE_NO_TIMER;
  if (strcmp(name, "forward") == 0 || strcmp(name, "advance") == 0) return find("step");
  if (strncmp(name, "pos_", 4) == 0) return find("position");
  if (strncmp(name, "col_", 4) == 0) return find("pos_collision");
  return find("forward");
}

int bridge_profiled_run(void *instance, const double x0[], const solver_output *output,
                        double (*clock)(void), bridge_profile *out, solver_report *report) {
  _Static_assert((int)mjNTIMER <= (int)BRIDGE_TIMERS_MAX, "room for every timer");
  const mjData *d = ((bridge_instance *)instance)->scene.data;

  // a run begins with zeroed timers, and its errors come back here
  const mjfTime callers = mjcb_time;
  mjcb_time = clock;
  const int status = bridge_solver.run(instance, x0, output, report);
  mjcb_time = callers;
  if (status != 0) return status;

  out->count = mjNTIMER;
  for (int i = 0; i < mjNTIMER; ++i) {
    bridge_timer *t = &out->timer[i];
    t->name = mjTIMERSTRING[i];
    t->parent = parent_of(t->name);
    t->duration += d->timer[i].duration;
    t->calls += (uint64_t)d->timer[i].number;
  }
  return 0;
}
