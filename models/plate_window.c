/*
 * Windows on the plate: see plate_window.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plate_window.h"

#include <stdlib.h>
#include <string.h>

/* springs on either side of the boundary, and how near an end of the window is too near */
enum { HALF_WIDTH = 32, NEAR = 8 };

/* springs this far from their guards, m, are on the side where rounding sees them */
static const double clearance = 1e-13;

int plate_window_alloc(plate_window *w, const plate_data *data) {
  const plate_parameters *q = &data->parameters;
  *w = (plate_window){.data = *data, .total = q->damping > 0 ? 2 * q->contacts : q->contacts};
  w->data.active_count = w->data.active_sum = w->data.active_squares = 0;
  w->data.partly = 0;
  w->data.partly_count = w->data.partly_sum = w->data.partly_squares = 0.0;
  w->data.weight = calloc(q->contacts, sizeof *w->data.weight);
  w->sign = calloc(w->total, sizeof *w->sign);
  w->h = calloc(w->total, sizeof *w->h);
  w->rate = calloc(w->total, sizeof *w->rate);
  w->guard = calloc(w->total, sizeof *w->guard);
  w->some = calloc(w->total, sizeof *w->some);
  if (w->data.weight && w->sign && w->h && w->rate && w->guard && w->some) return 0;
  plate_window_free(w);
  return -1;
}

void plate_window_free(plate_window *w) {
  free(w->data.weight);
  free(w->sign);
  free(w->h);
  free(w->rate);
  free(w->guard);
  free(w->some);
  *w = (plate_window){0};
}

static void add_range(plate_window *w, size_t first, size_t end) {
  w->range[w->range_count++] = (plate_range){first, end};
  for (size_t k = first; k < end; k++) w->guard[w->count++] = k;
}

/* Shows the springs on either side of the place where the signs of one family of event functions
 * (penetrations or forces) change, or, when they are all alike, those at both ends of the bed,
 * whence a boundary may come. */
static void open_family(plate_window *w, size_t first) {
  const size_t contacts = w->data.parameters.contacts, end = first + contacts;
  size_t boundary = first + 1;
  while (boundary < end && w->sign[boundary] == w->sign[boundary - 1]) boundary++;
  if (boundary == end) {
    add_range(w, first, first + HALF_WIDTH);
    add_range(w, end - HALF_WIDTH, end);
    return;
  }
  const size_t before = boundary - first, after = end - boundary;
  add_range(w, boundary - (before < HALF_WIDTH ? before : HALF_WIDTH),
            boundary + (after < HALF_WIDTH ? after : HALF_WIDTH));
}

void plate_window_open(plate_window *w, bool whole) {
  const size_t contacts = w->data.parameters.contacts;
  w->count = w->range_count = 0;
  w->shows_all = whole || contacts <= 2 * HALF_WIDTH;
  w->used_up = whole;
  w->overrun = false;
  for (size_t first = 0; first < w->total; first += contacts) {
    if (w->shows_all)
      add_range(w, first, first + contacts);
    else
      open_family(w, first);
  }
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  plate_window *w = params;
  return plate_field_aggregated(t, x, sign, dxdt, &w->data);
}

static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  plate_window *w = params;
  for (size_t i = 0; which && i < count; i++) w->some[i] = w->guard[which[i]];
  return plate_event_rates(t, x, vt, v, which ? w->some : w->guard, count, h, rate, &w->data);
}

static int event_functions(double t, const double x[], double h[], void *params) {
  static const double nowhere[PLATE_DIMENSION] = {0};
  plate_window *w = params;
  return event_rates(t, x, 0.0, nowhere, NULL, w->count, h, w->rate, w);
}

static int mode_changed(const double sign[], size_t guard, void *params) {
  plate_window *w = params;
  const size_t first = guard < w->count ? guard : 0, end = guard < w->count ? guard + 1 : w->count;
  for (size_t i = first; i < end; i++) {
    w->sign[w->guard[i]] = sign[i];
    plate_field_mode_changed(w->sign, w->guard[i], &w->data);
  }
  return 0;
}

ess_system plate_window_system(plate_window *w) {
  return (ess_system){.dimension = PLATE_DIMENSION,
                      .event_count = w->count,
                      .field = field,
                      .event_functions = event_functions,
                      .event_rates = event_rates,
                      .mode_changed = mode_changed,
                      .params = w};
}

size_t plate_window_crossed(plate_window *w, size_t guard) {
  const size_t k = w->guard[guard], contacts = w->data.parameters.contacts;
  const bool end_of_bed = k % contacts == 0 || k % contacts == contacts - 1;
  for (size_t i = 0; i < w->range_count && !w->shows_all; i++) {
    const plate_range range = w->range[i];
    if (k < range.first || k >= range.end) continue;
    const size_t before = k - range.first, after = range.end - 1 - k;
    w->used_up = w->used_up || before < NEAR || after < NEAR;
    w->overrun = w->overrun || (!end_of_bed && (before == 0 || after == 0));
  }
  return k;
}

bool plate_window_is_clear(plate_window *w, const double x[]) {
  event_functions(0.0, x, w->h, w);
  for (size_t i = 0; i < w->count; i++)
    if (!(w->sign[w->guard[i]] * w->h[i] > clearance)) return false;
  return true;
}

bool plate_window_was_enough(plate_window *w, const double x[]) {
  plate_event_functions(0.0, x, w->h, &w->data);
  for (size_t i = 0; i < w->count; i++) w->h[w->guard[i]] = w->sign[w->guard[i]];
  for (size_t k = 0; k < w->total; k++)
    if (!(w->sign[k] * w->h[k] > 0)) return false;
  return true;
}

void plate_window_restore(plate_window *w, const double sign[]) {
  memcpy(w->sign, sign, w->total * sizeof *w->sign);
  plate_field_mode_changed(w->sign, w->total, &w->data);
}
