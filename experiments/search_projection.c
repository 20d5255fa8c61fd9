/*
 * The search over the projection's settings, by stages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "progress.h"
#include "search.h"
#include "solvers.h"
#include "statistics.h"

/* the coarse grid; what is searched for finely lies between its points */
static const int orders[] = {2, 1};
static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
static const double epsilons[] = {1e-1, 3.2e-2, 1e-2, 3.2e-3, 1e-3, 3.2e-4, 1e-4};
static const double times_together[] = {1e-2, 3e-3, 1e-3, 0.0};
static const double longest_projections[] = {0.0, 2e-3, 5e-3, 7e-3, 1e-2, INFINITY};

/* on the grid; its neighbours have more and less */
static const double usual_approach = 0.25;

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum {
  GRID = COUNT(orders) * COUNT(tolerances) * COUNT(epsilons) * COUNT(times_together) *
         COUNT(longest_projections),
  SCREEN_STARTS = 4, /* each of the grid is run from so many */
  SHORT_LIST = 512,  /* and at most so many of it from all, */
  ACCEPTED = 24,     /* until so many are accepted */
  ROUNDS = 48,       /* of looking at the neighbours of one of the best, */
  NEIGHBOURS = 14,   /* of which there are so many */
  FINALISTS = 8,
  ROOM = SHORT_LIST + NEIGHBOURS * ROUNDS
};

/* what few starts say is taken with a pinch of salt; a setting this much slower than the best on
 * the first start is not run from another */
static const double salt = 1.25, slower = 3.0;

/* a setting's neighbours: by a quarter of a decade in epsilon, by half a decade in the tolerance,
 * by the root of two in the longest projection, by half as much again in the time together, by two
 * in the approach */
typedef struct neighbour {
  double epsilon, tolerance, projection_max, together, approach;
} neighbour;

#define E 1.7782794100389228
#define T 3.1622776601683795
static const neighbour neighbours[NEIGHBOURS] = {
    {E, 1, 1, 1, 1},       {1 / E, 1, 1, 1, 1},     {1, T, 1, 1, 1},     {1, 1 / T, 1, 1, 1},
    {E, T, 1, 1, 1},       {1 / E, T, 1, 1, 1},     {E, 1 / T, 1, 1, 1}, {1 / E, 1 / T, 1, 1, 1},
    {1, 1, M_SQRT2, 1, 1}, {1, 1, M_SQRT1_2, 1, 1}, {1, 1, 1, 1.5, 1},   {1, 1, 1, 1 / 1.5, 1},
    {1, 1, 1, 1, 2},       {1, 1, 1, 1, 0.5}};
#undef E
#undef T

typedef struct search {
  const search_request *request;
  search_candidate *grid;        /* GRID, owned */
  search_candidate chosen[ROOM]; /* those run from all starts */
  size_t count;
  bool refined[ROOM]; /* their neighbours have been looked at */
  measure_progress progress;
  uint64_t done;
  char *message;
} search;

/* true ends the search */
static bool told_to_stop(search *s) {
  measure_progress_update(&s->progress, ++s->done);
  const volatile int *const interrupted = s->request->interrupted;
  if (!interrupted || !*interrupted) return false;
  measure_message(s->message, "interrupted");
  return true;
}

/* ---- the coarse grid ------------------------------------------------------------------------- */

/* setting number i: loose tolerances first, so that slow settings meet a good one's time */
static solver_settings grid_settings(const search_request *request, size_t i) {
  solver_settings s = request->base;
  s.h_max = INFINITY;
  s.approach = usual_approach;
  s.projection_max = longest_projections[i % COUNT(longest_projections)];
  i /= COUNT(longest_projections);
  s.together = times_together[i % COUNT(times_together)];
  i /= COUNT(times_together);
  s.epsilon = epsilons[i % COUNT(epsilons)];
  i /= COUNT(epsilons);
  s.order = orders[i % COUNT(orders)];
  i /= COUNT(orders);
  s.rtol = s.atol = tolerances[i];
  return s;
}

static search_limits salted(const search_limits *l) {
  return (search_limits){salt * l->rms, INFINITY, salt * l->rms_worst, 2.0 * l->events_off};
}

static int by_time(const void *a, const void *b) {
  const search_candidate *const p = a, *const q = b;
  if (p->seconds != q->seconds) return p->seconds < q->seconds ? -1 : 1;
  return p->rms < q->rms ? -1 : p->rms > q->rms;
}

/* moves the accepted ones to the front, the cheapest first; returns how many there are */
static size_t sort_accepted(const search_limits *limits, search_candidate list[], size_t count) {
  size_t accepted = 0;
  for (size_t i = 0; i < count; i++) {
    if (!search_accepts(limits, &list[i])) continue;
    const search_candidate moved = list[accepted];
    list[accepted++] = list[i];
    list[i] = moved;
  }
  qsort(list, accepted, sizeof *list, by_time);
  return accepted;
}

/* every setting of the grid from few starts */
static int screen(search *s) {
  const search_limits limits = salted(&s->request->limits);
  double best = INFINITY;
  for (size_t i = 0; i < GRID; i++) {
    search_candidate *const c = &s->grid[i];
    c->settings = grid_settings(s->request, i);
    search_run(s->request->starts, SCREEN_STARTS, &projection_solver,
               (search_patience){slower * best, INFINITY, INFINITY}, c);
    if (c->seconds < best && search_accepts(&limits, c)) best = c->seconds;
    if (told_to_stop(s)) return -1;
  }
  return 0;
}

/* ---- from all starts ------------------------------------------------------------------------- */

static int run_chosen(search *s, const solver_settings *settings) {
  const search_request *const r = s->request;
  search_candidate *const c = &s->chosen[s->count++];
  c->settings = *settings;
  search_run(r->starts, r->starts->trials, &projection_solver,
             (search_patience){INFINITY, r->limits.rms_worst, r->limits.events_off}, c);
  return told_to_stop(s) ? -1 : 0;
}

/* says of the grid's closest setting, patiently run from all starts, why it is not accepted */
static int explain(search *s) {
  const search_request *const r = s->request;
  search_candidate c = {.seconds = INFINITY};
  const size_t closest = search_closest(&r->limits, s->grid, GRID);
  if (closest != SIZE_MAX) {
    c.settings = s->grid[closest].settings;
    search_run(r->starts, r->starts->trials, &projection_solver, SEARCH_PATIENT, &c);
  }
  search_explain(&r->limits, &c, GRID, s->message);
  return 1;
}

/* those of the grid that look acceptable, the cheapest first; 1 when none is */
static int run_short_list(search *s) {
  const search_limits limits = salted(&s->request->limits);
  const size_t accepted = sort_accepted(&limits, s->grid, GRID);
  size_t good = 0;
  for (size_t i = 0; i < accepted && s->count < SHORT_LIST && good < ACCEPTED; i++) {
    if (run_chosen(s, &s->grid[i].settings)) return -1;
    good += search_accepts(&s->request->limits, &s->chosen[i]);
  }
  return good ? 0 : explain(s);
}

/* the same but for rounding; 0 and infinity are themselves alone */
static bool same(double a, double b) {
  return a == b || fabs(a - b) < 0.05 * fabs(a);
}

static bool was_run(const search *s, const solver_settings *t) {
  for (size_t i = 0; i < s->count; i++) {
    const solver_settings *const o = &s->chosen[i].settings;
    if (o->order == t->order && same(o->together, t->together) &&
        same(o->projection_max, t->projection_max) && same(o->epsilon, t->epsilon) &&
        same(o->rtol, t->rtol) && same(o->approach, t->approach))
      return true;
  }
  return false;
}

static int run_neighbours(search *s, const solver_settings *of) {
  for (size_t i = 0; i < NEIGHBOURS; i++) {
    solver_settings t = *of;
    t.epsilon *= neighbours[i].epsilon;
    t.rtol = t.atol *= neighbours[i].tolerance;
    t.projection_max *= neighbours[i].projection_max;
    t.together *= neighbours[i].together;
    t.approach *= neighbours[i].approach;
    const bool inside = t.together < 0.03 && t.approach < 1.01 && t.approach > 0.05 &&
                        t.epsilon < 0.11 && t.epsilon > 0.9e-4 && t.rtol < 1.1e-3 &&
                        t.rtol > 0.9e-8;
    if (inside && !was_run(s, &t) && run_chosen(s, &t)) return -1;
  }
  return 0;
}

/* the cheapest accepted setting whose neighbours have not been looked at, unless it is far from the
 * best; SIZE_MAX when there is none */
static size_t next_to_refine(const search *s) {
  double best = INFINITY;
  size_t next = SIZE_MAX;
  for (size_t i = 0; i < s->count; i++) {
    const search_candidate *const c = &s->chosen[i];
    if (!search_accepts(&s->request->limits, c)) continue;
    best = fmin(best, c->seconds);
    if (s->refined[i]) continue;
    if (next == SIZE_MAX || c->seconds < s->chosen[next].seconds) next = i;
  }
  return next != SIZE_MAX && s->chosen[next].seconds <= salt * best ? next : SIZE_MAX;
}

/* looks around the cheapest, and around those that are cheaper still: around several, since their
 * times are those of single runs, and one that is a little better may lie between two that are
 * not accepted */
static int refine(search *s) {
  for (int round = 0; round < ROUNDS; round++) {
    const size_t next = next_to_refine(s);
    if (next == SIZE_MAX) break;
    s->refined[next] = true;
    const solver_settings settings = s->chosen[next].settings;
    if (run_neighbours(s, &settings)) return -1;
  }
  return 0;
}

/* ---- the final ------------------------------------------------------------------------------- */

/* medians of the finalists, timed in turn */
static int time_finalists(const search *s, search_candidate final[], size_t count) {
  const contest_starts *const starts = s->request->starts;
  contestant contestants[FINALISTS] = {0};
  measure_candidate candidates[FINALISTS] = {0};
  double *const seconds = calloc(count * starts->trials, sizeof *seconds);
  int status = seconds ? 0 : -1;
  if (status) measure_message(s->message, "out of memory");
  for (size_t k = 0; !status && k < count; k++) {
    status = contestant_prepare(&contestants[k], &projection_solver, &final[k].settings, starts,
                                s->message);
    candidates[k] = contestant_candidate(&contestants[k]);
  }
  const measure_plan plan = {
      .trials = starts->trials, .seed = s->request->seed, .min_time_s = 2e-4, .warmup_runs = 1};
  if (!status && measure_interleave(candidates, count, &plan, seconds, NULL, NULL)) {
    measure_message(s->message, "timing of the settings failed");
    status = -1;
  }
  for (size_t k = 0; !status && k < count; k++)
    status = measure_median(seconds + k * starts->trials, starts->trials, &final[k].seconds);
  for (size_t k = 0; k < count; k++) contestant_release(&contestants[k]);
  free(seconds);
  return status;
}

static int decide(search *s, search_candidate *best) {
  const search_limits *const limits = &s->request->limits;
  size_t count = sort_accepted(limits, s->chosen, s->count);
  if (count > FINALISTS) count = FINALISTS;
  if (time_finalists(s, s->chosen, count)) return -1;
  *best = s->chosen[search_cheapest(limits, s->chosen, count)];
  return 0;
}

int search_projection(const search_request *request, search_candidate *best,
                      char message[SOLVER_MESSAGE_SIZE]) {
  search *const s = calloc(1, sizeof *s);
  search_candidate *const grid = calloc(GRID, sizeof *grid);
  int status = -1;
  if (s && grid) {
    s->request = request;
    s->grid = grid;
    s->message = message;
    measure_progress_begin(&s->progress, NULL, request->label, GRID + ROOM);
    status = screen(s);
    if (!status) status = run_short_list(s);
    if (!status) status = refine(s);
    if (!status) status = decide(s, best);
    measure_progress_end(&s->progress);
  } else {
    measure_message(message, "out of memory");
  }
  free(grid);
  free(s);
  return status;
}
