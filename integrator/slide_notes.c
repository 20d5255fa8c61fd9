/*
 * Notes of crossings, and of surfaces that are taken away, until what slides is settled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "slide_notes.h"

void ess_slide_note(ess_driver *d, size_t k) {
  ess_slides *const s = d->slides;
  s->crossed_before[k] = s->crossed_at[k];
  s->crossed_at[k] = d->t;
  size_t i = 0;
  while (i < s->noted_count && s->noted[i] != k) i++;
  s->noted[i] = k;
  if (i == s->noted_count) s->noted_count++;
}

void ess_slide_release(ess_driver *d, size_t k) {
  ess_slides *const s = d->slides;
  size_t i = 0;
  while (i < s->count && s->set[i] != k) i++;
  if (i == s->count) return;
  memmove(s->set + i, s->set + i + 1, (--s->count - i) * sizeof *s->set);
  s->is_released = true;
}
