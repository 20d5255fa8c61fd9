/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ensemble counts: quantities, their bins and the axes of the map, by the pilot's starts.
 */
#include <math.h>
#include <string.h>

#include "ensemble.h"

/* an outcome further from the middle than so many 64ths of a bin is taken to be that far */
static const double longest_shift = 0x1p30, shift_steps = 64.0;

void ensemble_quantities(const model *m, ensemble_frame *f) {
  *f = (ensemble_frame){.states = m->system.dimension};
  for (; f->count < f->states; f->count++)
    f->quantity[f->count].name = model_state_name(m, f->count);
  f->quantity[f->count++] = (ensemble_quantity){.name = "crossings", .whole = true};
  if (m->type->mechanics) f->quantity[f->count++].name = "energy_change";
}

static const ensemble_sample *find(const ensemble_sample *pilot, size_t count, const char *kind,
                                   const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(pilot[i].kind, kind) && !strcmp(pilot[i].name, name)) return &pilot[i];
  return NULL;
}

/* the state that an axis is to be, or the first that is not the other axis and differs from start
 * to start */
static size_t choose_axis(const ensemble_frame *f, const ensemble_sample *pilot, size_t count,
                          const char *given, size_t other) {
  for (size_t i = 0; i < f->states; i++) {
    const ensemble_sample *const axis = find(pilot, count, ENSEMBLE_AXIS, f->quantity[i].name);
    if (given ? !strcmp(given, f->quantity[i].name) : axis && axis->low < axis->high && i != other)
      return i;
  }
  return SIZE_MAX;
}

void ensemble_frame_make(study_run *run, const model *m, ensemble_frame *f) {
  const ensemble_settings *const s = run->settings;
  size_t count, given = SIZE_MAX;
  const ensemble_sample *const pilot = study_samples(run, 0, &count);
  ensemble_quantities(m, f);
  for (size_t i = 0; i < f->count; i++) {
    ensemble_quantity *const q = &f->quantity[i];
    const ensemble_sample *const range = find(pilot, count, ENSEMBLE_RANGE, q->name);
    // nothing is known of one that no start of the pilot came to
    const bool known = range && range->starts;
    const double low = known ? range->low : 0.0, high = known ? range->high : 0.0;
    q->bins = histogram_of(low, high, q->whole);
    q->middle = 0.5 * (low + high);
    if (s->outcome && !strcmp(s->outcome, q->name)) given = i;
  }
  // an axis that was asked for is not chosen for the other one
  const size_t up = s->up ? choose_axis(f, pilot, count, s->up, SIZE_MAX) : SIZE_MAX;
  f->axis[0] = choose_axis(f, pilot, count, s->across, up);
  f->axis[1] = s->up ? up : choose_axis(f, pilot, count, NULL, f->axis[0]);
  for (size_t i = 0; i < 2; i++) {
    if (f->axis[i] == SIZE_MAX) continue;
    const ensemble_sample *const axis =
        find(pilot, count, ENSEMBLE_AXIS, f->quantity[f->axis[i]].name);
    f->low[i] = axis ? axis->low : 0.0;
    f->high[i] = axis ? axis->high : 0.0;
  }
  const size_t last = f->axis[1] < SIZE_MAX ? f->axis[1] : f->axis[0];
  f->outcome = given < SIZE_MAX ? given : last < SIZE_MAX ? last : 0;
}

/* along one axis; what is beyond an end belongs to the place there */
static size_t along(const ensemble_frame *f, size_t i, const double x0[]) {
  if (f->axis[i] == SIZE_MAX || !(f->low[i] < f->high[i])) return 0;
  const double share = (x0[f->axis[i]] - f->low[i]) / (f->high[i] - f->low[i]);
  return (size_t)fmin(ENSEMBLE_MAP - 1, fmax(0.0, floor(ENSEMBLE_MAP * share)));
}

size_t ensemble_place(const ensemble_frame *f, const double x0[]) {
  return along(f, 1, x0) * ENSEMBLE_MAP + along(f, 0, x0);
}

int64_t ensemble_shift(const ensemble_quantity *q, double value) {
  const double steps = (value - q->middle) / q->bins.width * shift_steps;
  return (int64_t)round(fmin(longest_shift, fmax(-longest_shift, steps)));
}

double ensemble_unshift(const ensemble_quantity *q, double shift) {
  return q->middle + shift / shift_steps * q->bins.width;
}

void ensemble_sums_clear(ensemble_sums *s) {
  const size_t behind = offsetof(ensemble_sums, count);
  memset((char *)s + behind, 0, sizeof *s - behind);
  for (size_t i = 0; i < ENSEMBLE_QUANTITIES_MAX; i++) s->low[i] = s->high[i] = NAN;
}

void ensemble_sums_fail(ensemble_sums *s, const char *reason, size_t starts) {
  ensemble_status *f = s->failed;
  while (f + 1 < s->failed + ENSEMBLE_REASONS_MAX && f->starts && strcmp(f->status, reason) != 0)
    f++;
  f->status = reason;
  f->starts += starts;
}
