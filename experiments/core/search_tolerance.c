/*
 * The search for libess's tolerance.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdint.h>

#include "progress.h"
#include "search.h"
#include "solvers.h"

enum { PER_DECADE = 8, DECADES = 9, TOLERANCES = PER_DECADE * DECADES + 1 };
static const double coarsest = 1e-1;

/* number i on the ladder, from all starts */
static void try_tolerance(const search_request *request, int i, search_candidate *c) {
  c->settings = request->base;
  c->settings.h_max = INFINITY;
  c->settings.rtol = c->settings.atol = coarsest * pow(10.0, -(double)i / PER_DECADE);
  search_run(request->starts, request->starts->trials, &libess_solver, INFINITY, c);
}

static int explain(const search_request *request, const search_candidate tried[], char *message) {
  const size_t closest = search_closest(&request->limits, tried, TOLERANCES);
  search_explain(&request->limits, &tried[closest == SIZE_MAX ? 0 : closest], TOLERANCES, message);
  return 1;
}

int search_tolerance(const search_request *request, search_candidate *best,
                     char message[SOLVER_MESSAGE_SIZE]) {
  search_candidate tried[TOLERANCES];
  measure_progress progress;
  int status = 1;
  measure_progress_begin(&progress, NULL, request->label, TOLERANCES);
  // a run costs more the finer its tolerance: the first that is accepted is the cheapest
  for (int i = 0; status > 0 && i < TOLERANCES; i++) {
    try_tolerance(request, i, &tried[i]);
    measure_progress_update(&progress, (uint64_t)i + 1);
    if (request->interrupted && *request->interrupted) {
      measure_message(message, "interrupted");
      status = -1;
    } else if (search_accepts(&request->limits, &tried[i])) {
      *best = tried[i];
      status = 0;
    }
  }
  measure_progress_end(&progress);
  return status > 0 ? explain(request, tried, message) : status;
}
