/*
 * The paper's method: Listing 1, which alternates integration and projection steps, with the
 * corrections that make it miss no crossing (section 3.1 of the paper).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "tangents.h"

/* ---- options --------------------------------------------------------------------------------- */

const char *ess_projection_check(const ess_system *s, const ess_options *o) {
  const ess_projection_options *const p = &o->projection;
  if (!(p->epsilon >= 0.0) || !isfinite(p->epsilon))
    return "projection.epsilon must be a finite number >= 0";
  if (p->epsilons && p->epsilon == 0.0)
    return "projection.epsilons must be NULL where projection.epsilon is 0";
  for (size_t k = 0; p->epsilons && k < s->event_count; k++)
    if (!(p->epsilons[k] > 0.0) || !isfinite(p->epsilons[k]))
      return "each of projection.epsilons must be a finite number > 0";
  if (p->order != 1 && p->order != 2) return "projection.order must be 1 or 2";
  if (!(p->duration_max > 0.0)) return "projection.duration_max must be > 0 (INFINITY is accepted)";
  if (!(p->liveness >= 0.0) || !isfinite(p->liveness))
    return "projection.liveness must be a finite number >= 0";
  return NULL;
}

void ess_projection_lay(ess_driver *d, ess_layout *l) {
  ESS_LAY(l, double, d->blocks *ESS_BLOCK, &d->projection.epsilon);
}

/* Guards that are armed stay so; one whose neighbourhood is another is inside it or not anew. Those
 * of silent guards have no width. */
void ess_projection_take(ess_driver *d) {
  const ess_projection_options *const o = &d->options.projection;
  const bool projects = ess_projects(&d->options);
  double *const epsilon = d->projection.epsilon;
  for (size_t k = 0; k < d->system.event_count; k++) {
    const double before = epsilon[k];
    epsilon[k] = !projects ? INFINITY : o->epsilons ? o->epsilons[k] : o->epsilon;
    const bool is_wide = ess_is_armed(d, k) && !ess_is_silent(d, k);
    if (is_wide && epsilon[k] != before) d->due_from[k] = 0.0;
  }
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* Which candidate the field at the node reaches first: the argmin over the guards not crossed, over
 * all of them and not only those inside their neighbourhoods. Silent guards count from where they
 * are reached. */
typedef struct candidate {
  bool found;
  size_t guard;    /* SIZE_MAX when there is none */
  double duration; /* time the tangent takes to the guard */
} candidate;

/* time the tangent takes to armed guard k; INFINITY when it recedes, none when already passed */
static double reach(const ess_driver *d, size_t k) {
  const double g = d->side[k] * d->h[k], rate = d->side[k] * d->rate[k];
  if (!(rate > 0.0)) return INFINITY;
  return g < d->grains.of[k] ? (d->grains.of[k] - g) / rate : 0.0;
}

static int find_first(ess_driver *d, candidate *first) {
  const ess_lanes never = ess_lanes_all(INFINITY);
  ess_mask bad = {0};
  *first = (candidate){.guard = SIZE_MAX, .duration = INFINITY};
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    const size_t from = b * ESS_BLOCK, end = ess_block_end(d, b);
    double times[ESS_BLOCK]; // INFINITY for guards not armed, and silent ones that are still ahead
    ess_lanes least = never;
    for (size_t k = from; k < end; k += ESS_LANES) {
      const ess_lanes side = ess_lanes_load(d->side + k), h = ess_lanes_load(d->h + k);
      const ess_lanes g = side * h, rate = side * ess_lanes_load(d->rate + k);
      bad |= ~(g + 0.0 * rate <= ess_lanes_all(DBL_MAX));
      const ess_lanes way = ess_lanes_load(d->grains.of + k) - g;
      const ess_lanes time = ess_lanes_max(way / rate, ess_lanes_all(0.0));
      const ess_mask counts = (ess_lanes_load(d->is_silent + k) == 0.0) | (time <= 0.0);
      const ess_lanes reached = ess_lanes_select((rate > 0.0) & counts, time, never);
      ess_lanes_store(times + (k - from), reached);
      least = ess_lanes_min(reached, least);
    }
    const double soonest =
        ess_smaller(ess_smaller(least[0], least[1]), ess_smaller(least[2], least[3]));
    if (!(soonest < first->duration)) continue;
    for (size_t k = from; k < end; k++)
      if (times[k - from] < first->duration)
        *first = (candidate){.found = true, .guard = k, .duration = times[k - from]};
  }
  return ess_mask_any(bad) ? ess_check_events(d) : ESS_SUCCESS;
}

/* lists in d->batch.list, by time, the first candidate and the silent ones reached until then */
static void gather_batch(ess_driver *d, const candidate *first) {
  d->batch.count = 0;
  ess_list_in_batch(d, first->guard, first->duration);
  for (size_t k = 0; k < d->event_lanes; k += ESS_LANES) {
    const ess_mask armed = ess_lanes_load(d->side + k) != 0.0;
    const ess_mask silent = armed & (ess_lanes_load(d->is_silent + k) != 0.0);
    for (size_t i = 0; ess_mask_any(silent) && i < ESS_LANES; i++)
      if (silent[i] && k + i != first->guard && reach(d, k + i) <= first->duration)
        ess_list_in_batch(d, k + i, reach(d, k + i));
  }
  ess_sort_by_time(d->batch.time, d->batch.list, d->batch.count);
}

/* ---- neighbourhoods ------------------------------------------------------------------------- */

/* half-widths of the neighbourhoods of four guards; 0 for silent ones */
static inline ess_lanes widths(const ess_driver *d, size_t k) {
  const ess_lanes zero = {0.0}, epsilon = ess_lanes_load(d->projection.epsilon + k);
  return ess_lanes_select(ess_lanes_load(d->is_silent + k) == zero, epsilon, zero);
}

/* by how much the state is inside the neighbourhoods of four armed guards: within their width of
 * the guard, and no further than the field goes in the time it may take */
static inline ess_lanes margins(const ess_driver *d, size_t k) {
  const ess_lanes side = ess_lanes_load(d->side + k), zero = {0.0};
  const ess_lanes g = side * ess_lanes_load(d->h + k), width = widths(d, k);
  const double longest = d->options.projection.duration_max;
  if (!(longest < INFINITY)) return g + width;
  const ess_lanes far = longest * ess_lanes_max(side * ess_lanes_load(d->rate + k), zero);
  return g + ess_lanes_min(width, far);
}

static double margin_of(const ess_driver *d, size_t k) {
  return margins(d, k - k % ESS_LANES)[k % ESS_LANES];
}

/* whether any armed guard is inside its neighbourhood at the node, silent ones apart */
static bool any_inside(const ess_driver *d) {
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    ess_mask outside = ~(ess_mask){0};
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES)
      outside &= (margins(d, k) < ess_lanes_load(d->due_from + k)) |
                 (ess_lanes_load(d->is_silent + k) != 0.0);
    if (ess_mask_any(~outside)) return true;
  }
  return false;
}

/* g = 0 or the edge of the neighbourhood: where each guard stops the step just tried. Guards that
 * have left their neighbourhood are outside again. */
static void set_levels(ess_driver *d) {
  const ess_lanes zero = {0.0};
  const double longest = d->options.projection.duration_max;
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES) {
      const ess_lanes from = ess_lanes_load(d->due_from + k);
      const ess_mask armed = ess_lanes_load(d->side + k) != 0.0;
      const ess_mask inside = margins(d, k) >= from;
      // where an entry was located, the margin may be a little below 0: it counts as inside from
      // there on, until it is left
      ess_lanes_store(d->due_from + k, ess_lanes_select(armed & ~inside, zero, from));
      // a neighbourhood bounded by time is at most as wide as the faster end of the step makes it,
      // most often: one that is wider is found at the next node
      ess_lanes width = widths(d, k), epsilon = ess_lanes_load(d->projection.epsilon + k);
      if (longest < INFINITY) {
        const ess_lanes rate = ess_lanes_abs(ess_lanes_load(d->rate + k));
        const ess_lanes rate_end = ess_lanes_abs(ess_lanes_load(d->rate_end + k));
        const ess_lanes far = longest * ess_lanes_max(rate, rate_end);
        width = ess_lanes_min(width, far);
        epsilon = ess_lanes_min(epsilon, far);
      }
      ess_lanes_store(d->levels.scale + k, epsilon);
      const ess_lanes level = ess_lanes_select(inside, zero, -width);
      ess_lanes_store(d->levels.at + k, ess_lanes_select(armed, level, ess_lanes_all(INFINITY)));
    }
  }
  // no guard is projected onto before the one that is reached first: while the run awaits that one,
  // another stops the step only where it is reached itself
  const size_t awaited = d->projection.awaited;
  for (size_t k = 0; awaited != SIZE_MAX && k < d->system.event_count; k++)
    if (k != awaited && d->levels.at[k] < 0.0) d->levels.at[k] = 0.0;
}

/* where a model first reaches a value from below; ESS_NEVER when it does not */
static double reaches(const double b[ESS_QUARTIC], double value) {
  double above[ESS_QUARTIC];
  for (int i = 0; i < ESS_QUARTIC; i++) above[i] = b[i] - value;
  return ess_quartic_upcrossing(above);
}

/* where a neighbourhood bounded by time begins, the tangent reaches the guard within that time: the
 * level that g has there, in place of the bound on it that the step's ends gave */
static void place_entry(ess_driver *d, size_t k) {
  const double longest = d->options.projection.duration_max, side = d->side[k];
  const double width = ess_is_silent(d, k) ? 0.0 : d->projection.epsilon[k];
  // time may bound it somewhere in the step: most at the slower end
  const double slower = ess_smaller(side * d->rate[k], side * d->rate_end[k]);
  if (!(longest < INFINITY && longest * slower < width)) return;
  double b[ESS_QUARTIC], tangent[ESS_QUARTIC], slope, theta = 0.0;
  d->levels.at[k] = 0.0;
  ess_model_guard(d, k, b);
  ess_quartic_slope(b, tangent);
  for (int i = 0; i < ESS_QUARTIC; i++) tangent[i] = b[i] + longest / d->dt * tangent[i];

  // within its width, then soon enough
  if (b[0] < -width) theta = reaches(b, -width);
  if (theta <= 1.0 && ess_quartic(tangent, theta, &slope) < 0.0) theta = reaches(tangent, 0.0);
  const double g = theta <= 1.0 ? ess_quartic(b, theta, &slope) : 0.0;
  d->levels.at[k] = g < -width - ess_level_tolerance(d, k) ? 0.0 : ess_smaller(0.0, g);
}

/* ---- projections ----------------------------------------------------------------------------- */

/* A projection goes along the field onto the guard that is reached first, and across it. Order 1
 * follows the tangent; order 2 the field half-way, with one correction. A guard that is nearly
 * grazed is crossed early or late by much more than epsilon^2, as is one that was armed beyond its
 * zero and nearly turns there. The smaller epsilon, the fewer they are, and the smaller the error.
 */

/* to = the node's state, `duration` further in direction v */
static inline void go_along(const ess_driver *d, double duration, const double v[], double to[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES)
    ess_lanes_store(to + i, ess_lanes_load(d->x + i) + duration * ess_lanes_load(v + i));
}

/*
 * Order 2: the field half-way along the tangent, in v_try, and the time along it to the guard. A
 * guard of the batch that the half-way field does not approach, or only in more than twice the
 * time, is nearly grazed: then the direction is the tangent.
 */
static int bend(ess_driver *d, size_t guard, double *duration) {
  const double q = *duration;
  double bent_duration = q;
  double *const v = d->v_try, *const x = d->x_try, *const h = d->some_h, *const rate = d->levels.at;
  go_along(d, 0.5 * q, d->f, x);
  int status = ess_field(d, d->t + 0.5 * q, x, v);
  if (status) return status;
  if (!ess_are_finite(v, d->system.dimension)) return ess_fail(d, ESS_EFIELD, SIZE_MAX);

  go_along(d, q, v, x);
  status = ess_some_guard_rates(d, d->t + q, x, v, d->batch.list, d->batch.count, h, rate);
  bool bent = true;
  for (size_t i = 0; !status && i < d->batch.count; i++) {
    const size_t k = d->batch.list[i];
    if (!isfinite(h[i] + rate[i])) return ess_fail(d, ESS_EEVENT, k);
    const double approach = d->side[k] * rate[i];
    const double corrected = q - d->side[k] * h[i] / approach;
    bent = bent && approach > 0.0 && corrected <= 2.0 * q;
    if (k == guard) bent_duration = ess_larger(0.0, corrected);
  }
  if (bent)
    *duration = bent_duration;
  else
    memcpy(v, d->f, d->lanes * sizeof *v);
  return status;
}

/* whether the batch begins with a silent guard that has been passed already, or on which others in
 * the batch depend, itself or one of the silent ones after it: it is crossed by itself then */
static bool silent_goes_first(const ess_driver *d, const candidate *first) {
  if (!ess_is_silent(d, d->batch.list[0])) return false;
  bool goes_first = first->duration == 0.0;
  for (size_t i = 0; i < d->batch.count && !goes_first; i++)
    goes_first = ess_is_silent(d, d->batch.list[i]) && ess_row_concerns_batch(d, d->batch.list[i]);
  return goes_first;
}

/* Crosses the batch's guards in order, but for those that a crossing before has disarmed; or makes
 * the impact that the first is, of which all events have to be found. */
static int cross_batch(ess_driver *d, size_t guard) {
  double *const side = d->some_h;
  size_t impact;
  int status = d->impacts ? ess_evaluate_node(d) : ESS_SUCCESS;
  if (!status) status = ess_due_impact(d, guard, &impact);
  if (status || impact != SIZE_MAX) return status ? status : ess_make_impact(d, impact);
  for (size_t i = 0; i < d->batch.count; i++) side[i] = d->side[d->batch.list[i]];
  for (size_t i = 0; !status && i < d->batch.count; i++)
    if (d->side[d->batch.list[i]] == side[i])
      status = ess_make_crossing(d, d->batch.list[i], false);
  return status ? status : ess_evaluate_node(d);
}

/* Moves along the field onto the candidate's guard and crosses it, and the silent ones on the way.
 * A silent one on which others depend is crossed where the state is, and nothing else done. *made
 * is false when the guard turns out to lie beyond t1; nothing has changed then. */
static int project(ess_driver *d, const candidate *first, double t1, bool *made) {
  const size_t guard = first->guard;
  const double t0 = d->t, *v = d->f, h = d->h[guard], rate = d->rate[guard];
  *made = false;
  gather_batch(d, first);
  if (silent_goes_first(d, first)) {
    *made = true;
    return ess_make_crossing(d, d->batch.list[0], false);
  }
  if (d->side[guard] * rate < d->options.projection.liveness)
    return ess_fail(d, ESS_ELIVENESS, guard);
  int status = ESS_SUCCESS;
  double duration = first->duration;
  if (d->options.projection.order == 2 && duration > 0.0) {
    status = bend(d, guard, &duration);
    v = d->v_try;
  }
  if (status || duration > t1 - t0) return status;
  go_along(d, duration, v, d->x_try);
  d->apply.t_seen = t0 + duration;
  status = ess_check_state(d, d->x_try);
  if (status) return status;

  if (d->tangents) status = ess_tangent_straight(d, duration, d->options.projection.order == 2);
  if (status) return status;

  *made = true;
  ess_piece_parabola(d, duration, v);
  ess_sample_piece(d, t0 + duration);
  d->counters.projections++;

  status = ess_observe_step(d, t0);
  if (!status) status = cross_batch(d, guard);
  return status ? status : ess_suspect_piece(d, guard, h, rate);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A point within the step is the node: guards are inside their neighbourhoods from there on. */
static int enter(ess_driver *d, double t0) {
  d->counters.entries++;
  int status = ess_evaluate_node(d);
  for (size_t i = 0; i < d->flagged.count; i++) {
    const size_t k = d->flagged.list[i];
    if (d->flagged.fate[k] != ESS_FATE_ENTERED) continue;
    // the field at the node is not the slope of the dense output there: the margin may be below 0
    const double margin = margin_of(d, k) - 4.0 * ess_level_tolerance(d, k);
    if (margin < d->due_from[k]) d->due_from[k] = margin;
  }
  if (!status) status = ess_cross_silent(d, d->h);
  if (!status) status = ess_refill(d);
  return status ? status : ess_observe_step(d, t0);
}

/* One step: it is tried until its error, and its event functions along it, let a try stand. */
static int step(ess_driver *d, double t1) {
  int status = ess_control_start(d, t1);
  if (!status) status = ess_base_start(d);
  while (!status) {
    ess_location found = {.theta = 1.0, .doubt_guard = SIZE_MAX};
    ess_verdict v = ess_try_step(d, t1);
    if (ess_stands(&v) && d->base->dense) d->base->dense(d);
    if (ess_stands(&v) && d->armed_count) {
      v.status = ess_look_at_guards(d);
      if (v.status) return v.status;
      set_levels(d);
      found.doubt_guard = ess_flag_events(d);
      if (found.doubt_guard == SIZE_MAX) v.status = ess_locate_flagged(d, &found);
      if (!v.status && found.use == ESS_USE_CUT && d->tangents && d->base->kind == ESS_STABILISED)
        v = ess_tangent_approach(d, found.theta * d->dt);
      if (ess_stands(&v) && found.doubt_guard != SIZE_MAX) v = ess_halve(d, &found);
    }
    if (v.status) return v.status;
    if (ess_stands(&v)) return ess_take_step(d, &found, t1, enter);
    status = ess_refuse_step(d, &v);
  }
  return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Projects onto the first candidate where it is inside its neighbourhood and before t1, and
 * integrates otherwise. Crossings that take no time are made even at t1. */
static int run(ess_driver *d, double t1) {
  for (;;) {
    candidate first;
    int status = find_first(d, &first);
    if (status) return status;
    const bool inside = first.found && margin_of(d, first.guard) >= d->due_from[first.guard];
    const double end = ess_smaller(d->between.next, t1);
    bool made = false;
    if (d->t >= end && !(inside && first.duration == 0.0)) {
      if (end >= t1) return ESS_SUCCESS;
      status = ess_pass_field_jump(d);
      if (status) return status;
      continue;
    }
    if (inside && first.duration <= end - d->t) status = project(d, &first, end, &made);
    if (!status && !made && d->t < end) {
      d->projection.awaited = first.found && any_inside(d) && !inside ? first.guard : SIZE_MAX;
      status = step(d, end);
    }
    if (!status) status = ess_obey_returns(d);
    if (status) return status;
  }
}

const ess_scheme ess_scheme_projection = {.run = run, .place_level = place_entry};
