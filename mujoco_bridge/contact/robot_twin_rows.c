/*
 * When the sign of a twin's force is an event: while its points touch. A foot that nears the ground
 * has a force by its damper long before it is there, which acts on nothing. With friction it is one
 * at all times: what slips is pushed off as it leaves, too, so that it may be held at the surface,
 * which it then slides on; and guards whose rows arm others cannot be slid on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "robot_twin.h"

/* A row has its guard's mirror image, and that of a contact both guards of the force. */
enum { OWN = 1, OF_CONTACT = 3 };

static bool is_of_smooth_contact(const robot_shared *s, size_t k) {
  return k < s->contact_events && s->pairs[s->events[k].object].pattern.dim == 1;
}

/* rows of 2m guards, and the one for when none is armed */
static bool alloc_rows(robot_shared *s) {
  const size_t guards = 2 * s->event_count;
  const size_t entries = OWN * guards + (OF_CONTACT - OWN) * 2 * s->contact_events;
  s->row_start = calloc(guards + 2, sizeof *s->row_start);
  s->row_guard = calloc(entries + 1, sizeof *s->row_guard);
  s->row_effect = calloc(entries + 1, sizeof *s->row_effect);
  return s->row_start && s->row_guard && s->row_effect;
}

static void add_entry(robot_shared *s, size_t *entry, size_t guard, int effect) {
  s->row_guard[*entry] = guard;
  s->row_effect[(*entry)++] = (signed char)effect;
}

bool robot_twin_rows(robot_shared *s) {
  if (!robot_twin_has_forces(s)) return true;
  if (!alloc_rows(s)) return false;
  size_t entry = 0;
  for (size_t guard = 0; guard < 2 * s->event_count; ++guard) {
    const size_t k = guard / 2, force = s->force_events + k;
    const bool touches = guard == ESS_GUARD_UP(k);
    s->row_start[guard] = entry;
    add_entry(s, &entry, touches ? ESS_GUARD_DOWN(k) : ESS_GUARD_UP(k), 1);
    if (!is_of_smooth_contact(s, k)) continue;
    if (touches) add_entry(s, &entry, ESS_GUARD_UP(force), ESS_ARM_AHEAD);
    for (size_t of = ESS_GUARD_UP(force); !touches && of <= ESS_GUARD_DOWN(force); ++of)
      add_entry(s, &entry, of, -1);
  }
  s->row_start[2 * s->event_count] = s->row_start[2 * s->event_count + 1] = entry;
  return true;
}

/* none is armed of such a contact that does not touch */
static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)x;
  const robot *const r = params;
  const robot_shared *const s = r->shared;
  for (size_t k = 0; k < s->contact_events; ++k) {
    const size_t force = s->force_events + k;
    if (sign[k] < 0.0 && is_of_smooth_contact(s, k))
      armed[ESS_GUARD_UP(force)] = armed[ESS_GUARD_DOWN(force)] = false;
  }
  return 0;
}

void robot_twin_give_resets(robot *r, ess_system *system) {
  const robot_shared *const s = r->shared;
  if (!s->row_start) return;
  r->resets =
      (ess_reset_matrix){.row_start = s->row_start, .guard = s->row_guard, .effect = s->row_effect};
  system->resets = &r->resets;
  system->start = start;
}
