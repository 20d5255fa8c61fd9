/*
 * The plate seen through a window: of thousands of springs, those that the plate's line is about to
 * meet or leave. For a given state every event function is affine in the spring's position, so the
 * springs on one side of it are a stretch at one end of the bed, and only those about that
 * stretch's boundary can be next. As long as neither end of a window is crossed, no spring outside
 * it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_PLATE_WINDOW_H
#define MODEL_PLATE_WINDOW_H

#include "plate_internal.h"

enum { PLATE_WINDOW_RANGES = 4 };

/* event functions first .. end-1 */
typedef struct plate_range {
  size_t first, end;
} plate_range;

typedef struct plate_window {
  plate_data data;      /* the model's, with an active set of its own */
  size_t total;         /* event functions of the plate */
  double *sign;         /* [total] the mode */
  double *h, *rate;     /* [total] scratch */
  size_t *guard, count; /* [total] event functions in the window */
  size_t *some;         /* [total] scratch */
  plate_range range[PLATE_WINDOW_RANGES];
  size_t range_count;
  bool shows_all;
  bool used_up; /* a spring near an end of the window was crossed: time for another */
  bool overrun; /* the spring at an end was crossed: others may have been that nobody watched */
} plate_window;

/* A window on a prepared plate; not opened yet, its mode not set. 0, or -1 when out of memory.
 * `data` outlives it. */
int plate_window_alloc(plate_window *w, const plate_data *data);
void plate_window_free(plate_window *w);

/* Places the window by the mode, or makes it show the whole plate: for some
 * time, so it counts as used up. On a few springs it shows them all anyway, and serves to the end.
 */
void plate_window_open(plate_window *w, bool whole);

/* The plate with the window's guards alone; its field is the aggregated one. Tells the window of
 * every change of the mode. */
ess_system plate_window_system(plate_window *w);

/* Takes notice of a crossing; returns the event function of the plate. */
size_t plate_window_crossed(plate_window *w, size_t guard);

/* Whether every guard in the window is so far off at x that its sign there is the mode's. */
bool plate_window_is_clear(plate_window *w, const double x[]);

/* Whether every event function outside the window has the sign at x that the mode says. */
bool plate_window_was_enough(plate_window *w, const double x[]);

/* Goes back to a mode: sign[total]. */
void plate_window_restore(plate_window *w, const double sign[]);

#endif
