/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "truth_run.h"

#include <stdlib.h>
#include <string.h>

/* events within this part of the run happen at one time */
static const long double ACCUMULATED = 1e-14L;
enum { ROUNDS_MOST = 2000, CANDIDATES_MOST = 8 };

truth_status truth_fail(run *r, truth_status status, const char *reason) {
  r->end->reason = reason;
  return r->end->status = status;
}

void truth_note(run *r, hybrid_message message, size_t guard, int direction) {
  truth_end *const e = r->end;
  const hybrid_record record = {message, guard, direction, (double)r->t};
  if (e->count < HYBRID_LOG) e->record[e->count] = record;
  if (r->options->note) r->options->note(&record, r->options->context);
  e->count++;
}

void truth_note_distance(run *r, size_t k, long double distance) {
  const long double last =
      r->crossings[k] ? r->last[k][(r->crossings[k] - 1) % TRUTH_RETURNS] : -INFINITY;
  if (fabsl(r->t - last) <= 1e-6L * fabsl(r->span)) return;
  r->end->nearest = fmin(r->end->nearest, (double)distance);
}

/* ---- which of several modes ------------------------------------------------------------------ */

/* whether the flow agrees with the mode: the state leaves to the sides that it is on, and what
 * holds it stays within bounds */
static bool is_consistent(const run *r, const size_t set[], size_t count) {
  for (size_t a = 0; a < count; a++) {
    const size_t k = set[a];
    if (r->now.held[k] == BESIDE) {
      if (truth_lead_of(r, k, NULL) * r->now.sign[k] < 0.0) return false;
      continue;
    }
    terms c;
    int place;
    if (truth_lead_of_lambda(r, k, false, c, &place) < 0) return false;
    if (r->now.held[k] == SLIDES && truth_lead_of_lambda(r, k, true, c, &place) < 0) return false;
  }
  return true;
}

static bool is_same_motion(const run *r, const terms *other) {
  const long double step = r->step;
  for (size_t i = 0; i < r->n; i++) {
    terms a, b;
    truth_scale(r->along[i], 1.0L, step, a);
    truth_scale(other[i], 1.0L, step, b);
    for (int j = 1; j < SERIES_TERMS; j++)
      if (!(fabsl(a[j] - b[j]) <= 1e-14L * (fmaxl(r->size[i], fabsl(r->x[i])) + fabsl(a[1]))))
        return false;
  }
  return true;
}

/* the cases of event function k, of which the present one is the first */
static size_t list_cases(run *r, size_t k, bool is_still, const mode *before, mode cases[3]) {
  const bool rests = before->held[k] == RESTS || (r->can_rest[k] && is_still && r->options->rest &&
                                                  r->h->impact_at[guard_ahead(r, k)]);
  size_t count = 0;
  cases[count].sign[k] = before->sign[k];
  cases[count++].held[k] = BESIDE;
  if (!rests) {
    cases[count].sign[k] = -before->sign[k];
    cases[count++].held[k] = BESIDE;
  }
  const bool may = truth_may_slide(r, k) && !truth_surface_of(r, k)->fault;
  if (rests || (may && (is_still || before->held[k] == SLIDES || !r->surfaces[k].is_second))) {
    cases[count].sign[k] = rests ? before->sign[k] : -1.0;
    cases[count++].held[k] = rests ? RESTS : SLIDES;
  }
  return count;
}

static void install(run *r, const size_t set[], size_t count, const mode *before) {
  for (size_t a = 0; a < count; a++) {
    const size_t k = set[a];
    const double sign = r->now.sign[k];
    if (r->now.held[k] != BESIDE) {
      const bool has_crossed =
          r->crossings[k] > 0 && r->last[k][(r->crossings[k] - 1) % TRUTH_RETURNS] == r->t;
      if (before->held[k] != BESIDE) continue;
      if (r->now.held[k] == SLIDES && !has_crossed && !r->is_starting)
        truth_note(r, HYBRID_CROSSING, k, before->sign[k] < 0.0 ? 1 : -1);
      truth_note(r, HYBRID_SLIDE, k, 1);
      continue;
    }
    if (before->held[k] != BESIDE)
      truth_note(r, HYBRID_SLIDE, k, -1);
    else if (before->sign[k] == sign)
      continue;
    else if (!r->is_starting)
      truth_note(r, HYBRID_CROSSING, k, (int)sign);
    truth_arm(r, k, sign, true);
  }
}

/* Of all modes of the event functions on whose zeros the state is, those which may be slid on, the
 * one with a consistent flow, which has to be a single one. In the initial condition all others,
 * impacts aside, are among them, too. */
truth_status truth_choose(run *r) {
  size_t set[CANDIDATES_MOST], count = 0, cases[CANDIDATES_MOST], at[CANDIDATES_MOST] = {0};
  mode(*const case_of)[3] = truth_room(CANDIDATES_MOST, sizeof *case_of);
  const mode before = r->now;
  memset(r->now.held, 0, sizeof r->now.held);
  truth_flow(r);
  for (size_t k = 0; k < r->m; k++) {
    int place;
    if (before.held[k] == BESIDE && !is_on(r, k)) continue;
    truth_lead_of(r, k, &place);
    const bool is_hit = r->h->impact_at[2 * k] || r->h->impact_at[2 * k + 1];
    const bool may_rest =
        r->can_rest[k] && place >= 2 && r->options->rest && r->h->impact_at[guard_ahead(r, k)];
    const bool is_armed_here = before.armed[guard_ahead(r, k)];
    if (before.held[k] == BESIDE && !(r->is_starting && !is_hit) &&
        !(is_armed_here && (truth_may_slide(r, k) || may_rest)))
      continue;
    if (count == CANDIDATES_MOST) {
      free(case_of);
      return truth_fail(r, TRUTH_UNDECIDED, "too many event functions are zero at once");
    }
    const bool was_held = before.held[k] != BESIDE;
    const bool is_still = place >= 2 || (was_held && truth_surface_of(r, k)->is_second);
    cases[count] = list_cases(r, k, is_still, &before, case_of[count]);
    r->zeros[k] = is_still ? 2 : 1;
    set[count++] = k;
  }
  terms *const motion = truth_room(r->n, sizeof *motion);
  mode chosen = before;
  size_t found = 0;
  bool is_over = false;
  while (!is_over) {
    r->now = before;
    for (size_t a = 0; a < count; a++) {
      r->now.sign[set[a]] = case_of[a][at[a]].sign[set[a]];
      r->now.held[set[a]] = case_of[a][at[a]].held[set[a]];
    }
    if (truth_flow(r) && is_consistent(r, set, count) && !(found && is_same_motion(r, motion))) {
      found++;
      chosen = r->now;
      memcpy(motion, r->along, r->n * sizeof *motion);
    }
    size_t a = 0;
    while (a < count && ++at[a] == cases[a]) at[a++] = 0;
    is_over = a == count;
  }
  free(motion);
  free(case_of);
  /* a run that starts on a zero towards which the fields of both sides point begins below it */
  const bool is_drawn = !found && r->is_starting && count == 1 && before.held[set[0]] == BESIDE &&
                        !r->h->impact_at[2 * set[0]] && !r->h->impact_at[2 * set[0] + 1];
  if (is_drawn) chosen.sign[set[0]] = -1.0;
  found += is_drawn;
  r->now = chosen;
  if (found != 1)
    return truth_fail(r, TRUTH_NO_CONTINUATION,
                      found ? "several modes are consistent" : "no mode is");
  install(r, set, count, &before);
  truth_flow(r);
  return TRUTH_SUCCESS;
}

/* ---- crossings and impacts ------------------------------------------------------------------- */

/* flips a sign and applies the row of the guard */
static void cross(run *r, size_t k) {
  const hybrid *const h = r->h;
  r->end->slowest = fmin(r->end->slowest, (double)fabsl(series_of(r, k)[1]));
  const size_t guard = guard_ahead(r, k);
  r->last[k][r->crossings[k]++ % TRUTH_RETURNS] = r->t;
  truth_arm(r, k, -r->now.sign[k], !truth_has_matrix(r) && !h->one_way);
  for (size_t e = h->row_start[guard]; truth_has_matrix(r) && e < h->row_start[guard + 1]; e++) {
    const size_t other = h->row_guard[e], l = other / 2;
    if (h->row_effect[e] == ESS_ARM_AHEAD) {
      truth_flow(r);
      const int side = truth_lead_of(r, l, NULL);
      truth_arm(r, l, side ? side : r->now.sign[l], true);
    } else if (h->row_effect[e] > 0) {
      const double side = other % 2 ? 1.0 : -1.0;
      const double ahead = (double)(side * series_of(r, l)[0] / size_of(r, l));
      if (l != k && ahead < 0.0) r->end->nearest = fmin(r->end->nearest, ahead);
      truth_arm(r, l, side, true);
    } else
      r->now.armed[other] = false;
  }
}

/* the values of expressions at the present state */
static void evaluate(run *r, const int of[], int count, const double sign[], long double x[]) {
  series_need(&r->other, &r->list, of, (const int[]){0, 0, count});
  for (size_t i = 0; i < r->n; i++) r->along[i][0] = x[i];
  for (size_t k = 0; k < r->m; k++) r->signs[k][0] = sign[k];
  const series_inputs in = {
      .t = r->t, .direction = 1, .x = r->along, .sign = r->signs, .parameter = r->parameters};
  series_term(&r->other, &in, 0);
}

/* an impact of simultaneous events: crossings, and then the maps, which follow each other */
void truth_strike(run *r, const size_t events[], size_t count) {
  const hybrid *const h = r->h;
  const mode before = r->now;
  size_t made[HYBRID_EVENTS], makes = 0;
  long double *const met = truth_room(2 * r->functions, sizeof *met); /* values and rates before */
  for (size_t k = 0; k < r->functions; k++) memcpy(met + 2 * k, series_of(r, k), 2 * sizeof *met);
  for (size_t e = 0; e < count; e++) {
    const size_t k = events[e];
    if (r->now.sign[k] != before.sign[k] || !is_armed(r, k)) continue;
    cross(r, k);
    made[makes++] = k;
  }
  for (size_t e = 0; e < makes; e++) {
    const size_t k = made[e];
    const hybrid_impact *const one = &h->impact[before.sign[k] < 0.0 ? 2 * k : 2 * k + 1];
    if (!one->is_impact) continue;
    evaluate(r, one->after.outputs, (int)one->after.count, before.sign, r->x);
    for (size_t i = 0; i < r->n; i++)
      if (one->changes[i]) r->x[i] = 0.0L;
    for (size_t o = 0; o < one->after.count; o++)
      r->x[one->after.places[o]] = r->other.of[one->after.outputs[o]][0];
    if (!one->mode[k]) truth_arm(r, k, before.sign[k], true);
    for (size_t j = 0; j < r->m; j++)
      if (one->mode[j]) truth_arm(r, j, one->mode[j], true);
  }
  truth_flow(r);
  for (size_t k = 0; k < r->functions; k++) {
    const long double *const c = series_of(r, k);
    const bool moves = fabsl(c[0] - met[2 * k]) > r->noise[k];
    const bool turns = moves || fabsl(c[1] - met[2 * k + 1]) > r->rate_noise[k];
    if (turns && r->zeros[k] > 1) r->zeros[k] = 1;
    if (moves) r->zeros[k] = 0;
    if (k >= r->m || r->now.held[k] == BESIDE) continue;
    if (!moves && !(turns && r->surfaces[k].is_second)) continue;
    truth_note(r, HYBRID_SLIDE, k, -1); /* thrown off what it slides or rests on */
    if (!moves) r->zeros[k] = 1;
    const long double side = c[moves ? 0 : 1];
    truth_arm(r, k, r->now.held[k] == RESTS ? r->now.sign[k] : side < 0.0L ? -1.0 : 1.0, true);
  }
  free(met);
  if (makes) truth_note(r, HYBRID_IMPACTS, made[0], 0);
  for (size_t e = 0; e < makes; e++)
    truth_note(r, HYBRID_CROSSING, made[e], before.sign[made[e]] < 0.0 ? 1 : -1);
}

/* ---- accumulation ---------------------------------------------------------------------------- */

static bool has_accumulated(const run *r, size_t k) {
  const long double since = fabsl(r->t - r->last[k][r->crossings[k] % TRUTH_RETURNS]);
  return r->crossings[k] >= TRUTH_RETURNS && since <= ACCUMULATED * fabsl(r->span);
}

/* Events accumulate. Puts the state on the zeros, and removes rates across those that hold h'',
 * one after the other, until all are gone: these are 1e-14 of what they were. A rate counts as gone
 * if the state returns within the time of accumulation, or others which push it back do. */
static bool put_on_zeros(run *r) {
  int *const of = truth_room(2 * r->m, sizeof *of);
  int *const gradient = truth_room(r->n, sizeof *gradient);
  const long double time = 10.0L * ACCUMULATED * fabsl(r->span);
  int zeros[2 * HYBRID_EVENTS], count = 0;
  memcpy(zeros, r->zeros, sizeof zeros);
  bool is_slow = true;
  long double push = 0.0L;
  for (size_t k = 0; k < r->m; k++)
    if (has_accumulated(r, k)) push = fmaxl(push, fabsl(series_of(r, k)[2]));
  for (size_t k = 0; k < r->m; k++) {
    const bool rests = r->options->rest && r->can_rest[k];
    if (!truth_may_slide(r, k) && !rests) continue;
    const long double *const c = series_of(r, k);
    const bool is_near = is_on(r, k) || fabsl(c[0]) <= push * time * time;
    if (!has_accumulated(r, k) && !(rests && is_near)) continue;
    const bool is_second = truth_surface_of(r, k)->is_second;
    if (is_second && fabsl(c[1]) > push * time) {
      is_slow = is_slow && !has_accumulated(r, k);
      continue;
    }
    zeros[k] = is_second ? 2 : 1;
    of[count++] = r->event[k];
    if (is_second) of[count++] = r->rates[k];
  }
  if (!is_slow) count = 0;
  if (count > 0) memcpy(r->zeros, zeros, sizeof zeros);
  for (int sweep = 0; sweep < 100; sweep++)
    for (int a = 0; a < count; a++) {
      for (size_t i = 0; i < r->n; i++)
        gradient[i] = expression_derivative(&r->list, of[a], STATE, (int)i);
      long double value, square = 0.0L;
      evaluate(r, &of[a], 1, r->now.sign, r->x);
      value = r->other.of[of[a]][0];
      evaluate(r, gradient, (int)r->n, r->now.sign, r->x);
      for (size_t i = 0; i < r->n; i++) {
        const long double entry = r->other.of[gradient[i]][0];
        square += entry * entry;
      }
      for (size_t i = 0; i < r->n && square > 0.0L; i++)
        r->x[i] -= value / square * r->other.of[gradient[i]][0];
    }
  free(of);
  free(gradient);
  return count > 0;
}

/* ---- an instant ------------------------------------------------------------------------------ */

/* what is there to cross: impacts that an earlier one has carried the state past, or that it
 * reaches, with all that it reaches; or crossings */
typedef struct due {
  size_t events[HYBRID_EVENTS], count;
  bool is_impact, is_pushed; /* pushed onto the guard of an impact at rest */
} due;

static due find_due(run *r, bool is_event) {
  due carried = {.count = 0}, reached = {.count = 0};
  for (size_t k = 0; k < r->m; k++) {
    int place;
    const long double *const c = series_of(r, k);
    const long double size = size_of(r, k);
    if (!is_armed(r, k)) continue;
    const bool is_hit = r->h->impact_at[guard_ahead(r, k)];
    if (is_event && !is_on(r, k)) truth_note_distance(r, k, fabsl(c[0]) / size);
    if (truth_lead_of(r, k, &place) * r->now.sign[k] >= 0.0) continue;
    due *const in = place == 0 ? &carried : &reached;
    if (place == 1 && c[1] * c[2] < 0.0L)
      truth_note_distance(r, k, c[1] * c[1] / (4.0L * fabsl(c[2])) / size);
    in->is_impact |= is_hit;
    in->is_pushed |= is_hit && place >= 2;
    in->events[in->count++] = k;
  }
  due *const in = carried.count ? &carried : &reached;
  size_t kept = 0;
  for (size_t e = 0; e < in->count; e++) {
    const size_t guard = guard_ahead(r, in->events[e]);
    const bool is_kept = in == &carried ? r->h->impact_at[guard] : !r->h->silent[guard];
    if (!in->is_impact || is_kept) in->events[kept++] = in->events[e];
  }
  in->count = kept;
  return *in;
}

/* row 2m: arms guards when none is */
static void refill(run *r) {
  const hybrid *const h = r->h;
  const size_t row = 2 * r->m;
  for (size_t k = 0; k < r->m; k++)
    if (is_armed(r, k)) return;
  for (size_t e = h->row_start[row]; truth_has_matrix(r) && e < h->row_start[row + 1]; e++) {
    const size_t guard = h->row_guard[e], k = guard / 2;
    const bool is_ahead = h->row_effect[e] == ESS_ARM_AHEAD;
    const int side = truth_lead_of(r, k, NULL);
    if (h->row_effect[e] < 0 || (!is_ahead && side != (guard % 2 ? 1 : -1))) continue;
    truth_arm(r, k, side ? side : r->now.sign[k], true);
    truth_flow(r);
  }
}

/* Makes all events of this time. Afterwards the series are those of the flow that goes on. */
static truth_status settle(run *r, bool is_event, bool *ties) {
  double from[HYBRID_EVENTS] = {0.0}; /* signs before crossings since the last impact */
  bool must_choose = false, was_pushed = false;
  size_t last = r->m;
  for (size_t rounds = 0; rounds < ROUNDS_MOST; rounds++) {
    size_t set[HYBRID_EVENTS];
    truth_status status = TRUTH_SUCCESS;
    const long double since = r->since;
    bool is_shifted = false;
    r->since = 0.0L;
    if (must_choose || truth_list_held(r, set))
      status = truth_choose(r);
    else if (!(is_shifted = since > 0.0L && truth_shift(r, since)))
      truth_flow(r);
    if (status) return status;
    must_choose = false;
    if (last < r->m) r->end->slowest = fmin(r->end->slowest, (double)fabsl(series_of(r, last)[1]));
    last = r->m;
    for (size_t i = 0; i < r->n; i++)
      if (!(fabsl(r->along[i][SERIES_ORDER]) < INFINITY) || fabsl(r->x[i]) > 1e100L)
        return truth_fail(r, TRUTH_DIVERGED, "the solution is not finite");
    const due found = find_due(r, is_event);
    if (!found.count && is_shifted) continue;
    if (!found.count) {
      refill(r);
      return TRUTH_SUCCESS;
    }
    if (found.is_pushed && (was_pushed || !r->options->rest))
      return truth_fail(r, TRUTH_ZENO, "the state is pushed onto the guard of an impact");
    was_pushed = must_choose = found.is_pushed;
    const size_t k = found.events[r->descends ? found.count - 1 : 0];
    if (!must_choose && has_accumulated(r, k)) {
      must_choose = put_on_zeros(r);
      const bool may = truth_may_slide(r, k) || (r->options->rest && r->can_rest[k]);
      if (!may && r->last[k][r->crossings[k] % TRUTH_RETURNS] != r->t)
        return truth_fail(r, TRUTH_ZENO, "events accumulate");
    }
    if (must_choose) continue;
    if (found.is_impact) {
      truth_strike(r, found.events, found.count);
      memset(from, 0, sizeof from);
      continue;
    }
    *ties = *ties || found.count > 1;
    if (from[k] == -r->now.sign[k]) {
      if (!truth_may_slide(r, k))
        return truth_fail(r, TRUTH_NO_CONTINUATION, "the state would slide");
      must_choose = true;
      continue;
    }
    from[k] = r->now.sign[k];
    if (!r->h->silent[guard_ahead(r, k)]) truth_note(r, HYBRID_CROSSING, k, from[k] < 0.0 ? 1 : -1);
    cross(r, k);
    last = k;
  }
  return truth_fail(r, TRUTH_ZENO, "events without end at one time");
}

/* watched functions on whose other side the state is now */
void truth_watch(run *r, bool is_told) {
  for (size_t i = 0; i < r->h->watched; i++) {
    const size_t k = r->m + i;
    const int side = truth_lead_of(r, k, NULL);
    if (is_told && side && side != r->watch_side[i]) truth_note(r, HYBRID_EVENT, i, side);
    if (side || !is_told) r->watch_side[i] = side ? side : 1.0;
  }
}

/* Settles. Where several guards are crossed at once, their order must not matter. */
truth_status truth_settle(run *r, bool is_event) {
  run *const before = truth_room(1, sizeof *before);
  *before = *r;
  const size_t count = r->end->count;
  size_t *const crossings = truth_room(r->m, sizeof *crossings);
  memcpy(crossings, r->crossings, r->m * sizeof *crossings);
  bool ties = false;
  truth_status status = settle(r, is_event, &ties);
  if (ties) {
    run *const after = truth_room(1, sizeof *after);
    *after = *r;
    r->now = before->now;
    memcpy(r->x, before->x, sizeof r->x);
    memcpy(r->zeros, before->zeros, sizeof r->zeros);
    memcpy(r->crossings, crossings, r->m * sizeof *crossings);
    r->end->count = count;
    r->end->status = TRUTH_SUCCESS;
    r->descends = true;
    const truth_status other = settle(r, is_event, &ties);
    r->descends = false;
    bool is_same = status == other;
    for (size_t k = 0; k < r->m; k++)
      is_same = is_same && r->now.sign[k] == after->now.sign[k] &&
                r->now.held[k] == after->now.held[k] && is_armed(r, k) == is_armed(after, k);
    for (size_t i = 0; i < r->n; i++)
      is_same = is_same && fabsl(r->x[i] - after->x[i]) <= 1e-15L * r->size[i];
    if (!is_same)
      status = truth_fail(r, TRUTH_UNDECIDED, "the order of simultaneous crossings decides");
    free(after);
  }
  free(before);
  free(crossings);
  if (!status) truth_watch(r, true);
  return status;
}
