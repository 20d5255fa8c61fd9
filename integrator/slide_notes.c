/*
 * Crossings, and surfaces that are released, noted until the slides of the node are settled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "core.h"
#include "slides.h"

void ess_slide_note(ess_driver *d, size_t k) {
  ess_slides *const s = d->slides;
  const size_t i = ess_place_in(s->noted, s->noted_count, k);
  s->noted[i] = k;
  if (i == s->noted_count) s->noted_count++;
}

void ess_slide_release(ess_driver *d, size_t k) {
  ess_slides *const s = d->slides;
  const size_t i = ess_place_in(s->set, s->count, k);
  if (i == s->count) return;
  s->order[k] = ESS_FIRST_ORDER;
  memmove(s->set + i, s->set + i + 1, (--s->count - i) * sizeof *s->set);
  s->question = ESS_RELEASED;
}

int ess_slide_fail(ess_driver *d, size_t guard, size_t other, const char *reason) {
  const int status = ess_fail(d, ESS_ESLIDING, guard);
  d->failure.other_event = other;
  d->failure.reason = reason;
  return status;
}

int ess_slide_fail_pair(ess_driver *d, const size_t list[], const size_t worst[2]) {
  return ess_slide_fail(d, list[worst[0]], worst[1] == SIZE_MAX ? SIZE_MAX : list[worst[1]],
                        ESS_NOT_UNIQUE);
}
