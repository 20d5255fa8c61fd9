/*
 * What does not combine: the table in ess.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core.h"

#define REFUSED(one, other, line)                                                                  \
  one " does not combine with " other " (ess.h, table of combinations, line " line ")"

static bool is_implicit(const ess_options *o) {
  return ess_may_be_implicit(o->base);
}

static bool steps_over(const ess_options *o) {
  return o->locate != ESS_LOCATE_ALL;
}

/* the cells of the table that are refused */
static const struct {
  bool (*row)(const ess_options *o);
  ess_with column;
  const char *reason;
} cells[] = {{ess_projects, ESS_WITH_SLIDING, REFUSED("projection", "sliding", "1")},
             {ess_projects, ESS_WITH_WATCH, REFUSED("projection", "watch", "1")},
             {ess_projects, ESS_WITH_RECORDING, REFUSED("projection", "a recording", "1")},
             {is_implicit, ESS_WITH_TANGENTS, REFUSED("an implicit base", "tangents", "3")},
             {is_implicit, ESS_WITH_RECORDING, REFUSED("an implicit base", "a recording", "3")},
             {steps_over, ESS_WITH_PROJECTION, REFUSED("locate", "projection", "7")},
             {steps_over, ESS_WITH_SLIDING, REFUSED("locate", "sliding", "7")},
             {steps_over, ESS_WITH_WATCH, REFUSED("locate", "watch", "7")},
             {steps_over, ESS_WITH_TANGENTS, REFUSED("locate", "tangents", "7")},
             {steps_over, ESS_WITH_RECORDING, REFUSED("locate", "a recording", "7")}};

const char *ess_refused_with(const ess_options *o, ess_with with) {
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
    if (with == cells[i].column && cells[i].row(o)) return cells[i].reason;
  return NULL;
}
