/*
 * Where the jumps of a sub-step lead: guards that are passed, or touched, only because of them
 * (docs/theory/sub-steps.md). A guard passed is listed and measured; or the sub-step is cut there;
 * or, if that was just before its end, it waits for the next. A sub-step in which a guard may be
 * touched and left, or crossed twice, is too long.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "course.h"
#include "driver_state.h"
#include "groups.h"
#include "impact_state.h"
#include "induced.h"
#include "jumps.h"
#include "lanes.h"
#include "listing.h"
#include "path.h"
#include "reset_check.h"
#include "sort.h"
#include "times.h"
#include "unlisted.h"

/* event functions this many times as far from zero as courses and jumps can go are passed over */
static const double FAR = 1.5;

/* jumps cancel whose sum is smaller than this part of what they are one by one */
static const double CANCELLING = 0.5;

/* an event function that is crossed may be so again where it strays from what was foreseen, and is
 * no further from zero than so many times that */
static const double AGAIN = 4.0;

/* what a guard's jump may do to the state while it waits for the next sub-step, in units of the
 * tolerance */
static const double WAITING = 10.0;

/* whether an event function that the crossings concern, seen from the side that counts now, may be
 * crossed and leave again unseen */
static bool may_return(const ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  // neighbours are noted one after the other, by turns with what their rows concern
  size_t looked_at[2] = {SIZE_MAX, SIZE_MAX};
  for (size_t n = 0; n < c->noted_count; n++) {
    const size_t k = c->noted[n].guard - c->noted[n].guard % ESS_LANES;
    if (k == looked_at[0] || k == looked_at[1]) continue;
    looked_at[1] = looked_at[0];
    looked_at[0] = k;
    if (!ess_any_armed(d, k)) continue;
    const ess_course p = ess_course_of(d, k);
    const ess_bounds m = ess_course_bounds(d, &p, k, c->length);
    ess_mask any, many;
    ess_bounds_changes(&m, &any, &many);
    const unsigned doubtful = ess_mask_bits(many & (ess_lanes_load(d->side + k) != 0.0));
    for (size_t i = 0; doubtful >> i; i++)
      if ((doubtful >> i & 1) && c->touched[k + i] == c->trial) return true;
  }
  return false;
}

/* rate of event function k where the sub-step ends */
static double rate_at_end(const ess_driver *d, size_t k, const ess_made made[]) {
  double slope, jumps;
  ess_course_at(d, k, d->cluster.length, &slope);
  ess_shift(d, k, made, d->cluster.length, &jumps);
  return slope + jumps;
}

/* time of the last crossing made; of the first place where jumps count, when there is none */
static double latest_made(const ess_cluster *c) {
  return c->made_count ? ess_larger(c->from, c->time[c->order[c->made_count - 1]]) : c->from;
}

/* for how long a guard may be passed at the end and wait for the next sub-step: what its jump would
 * have done meanwhile is made good, but not measured. By the largest jump that is known. */
static double wait_most(const ess_cluster *c) {
  double largest = 0.0;
  for (size_t g = 0; g < c->group_count; g++) largest = ess_larger(largest, c->group[g].size);
  for (size_t i = 0; i < ESS_CLASSES; i++)
    if (c->memory[i].is_set) largest = ess_larger(largest, c->memory[i].size);
  const double most = ESS_OUTSIDE * (c->length - c->from);
  return largest > 0.0 ? ess_smaller(most, WAITING / largest) : 0.0;
}

/* notes which of four event functions are curved, of those that are far from where they were to be
 * expected: where that may matter */
static void note_strays(ess_driver *d, size_t k, ess_mask strays, ess_lanes range) {
  const ess_lanes seen = ess_lanes_load(d->cluster.seen[0] + k);
  const ess_lanes side = ess_sides(d, k);
  const ess_mask curved = strays & (side != 0.0) & (side * seen > -ESS_NEAR * range);
  for (unsigned bits = ess_mask_bits(curved); bits; bits &= bits - 1)
    ess_note_curved(d, k + (size_t)__builtin_ctz(bits));
}

/* by how much four event functions are elsewhere at the path's end than courses and jumps say,
 * which is `end`: courses are put right; those that are far elsewhere are curved instead */
static inline ess_lanes correct_courses(ess_driver *d, size_t k, const ess_course *p, ess_lanes end,
                                        double length) {
  const ess_cluster *const c = &d->cluster;
  const double square = length * length;
  const ess_lanes seen = ess_lanes_load(c->seen[0] + k), off = seen - end, zero = {0.0};
  const ess_lanes way =
      ess_lanes_max(length * ess_lanes_abs(p->a[1]), square * ess_lanes_abs(p->a[2]));
  const ess_lanes range = ess_lanes_max(ess_lanes_abs(seen - p->a[0]), way);
  const ess_lanes slight = ess_roundings(p->a[0], seen);
  const ess_mask slightly = ess_lanes_abs(off) <= ESS_CURVED * range + slight;
  const ess_lanes added = ess_lanes_select(slightly, off, zero) / square;
  ess_lanes_store(c->square + k, p->a[2] + added);
  ess_lanes_store(c->corrected + k, added);
  if (ess_mask_any(~slightly)) note_strays(d, k, ~slightly, range);
  return off;
}

/* what is looked for at the end */
typedef struct look {
  const ess_made *made; /* by the end */
  ess_terms terms;      /* what that adds to event functions */
  double latest;        /* time of the last crossing */
  bool looked;          /* the event functions are called there, rather than foreseen */

  bool touched; /* a guard may have been touched and left, or crossed again: too long */
  bool missing; /* a guard has been passed that is to be listed */
  double cut; /* where the sub-step should have ended, as guard cut_guard is passed; or INFINITY */
  size_t cut_guard;
} look;

/* which of four guards, below zero at the first crossing and at the end, may be above in between:
 * their rates change by so much on the way that a peak may be high enough */
static inline ess_mask may_peak(ess_lanes first, ess_lanes slope, ess_lanes last, ess_lanes turn,
                                double span) {
  const ess_lanes zero = {0.0};
  const ess_mask turns = (slope + turn > zero) & (slope - turn < zero);
  const ess_mask high = ess_lanes_max(first, last) + (0.25 * span) * turn >= zero;
  return turns & high & (first < zero) & (last < zero);
}

/* what guard k, passed at the end, makes of the sub-step. It can be left to the next where it has
 * been passed so shortly before that its tangent tells when, and nothing has been crossed since
 * then; or this one is cut there. */
static void judge_passed(ess_driver *d, size_t k, look *l) {
  const ess_cluster *const c = &d->cluster;
  const bool again = c->crossed[k] == c->trial && c->touched[k] == c->trial;
  if (!again && ess_is_settled(d, k)) return;
  const double late = d->side[k] * c->ahead[k] / fabs(rate_at_end(d, k, l->made));
  const bool shortly = late <= ESS_OUTSIDE * (c->length - c->from) && l->latest <= c->length - late;
  const bool known = again || c->touched[k] != c->trial;
  if (!shortly || !known || c->is_curved[k]) {
    // an impact is no crossing of a sub-step
    const bool listed = !again && !ess_is_impact(d, k);
    l->missing = l->missing || listed;
    l->touched = l->touched || !listed;
  } else if (late > c->wait && c->length - late < l->cut) {
    l->cut = c->length - late;
    l->cut_guard = k;
  }
}

/* what there is to say of event functions from k on that have been passed, or may have been touched
 */
static void judge(ess_driver *d, size_t k, ess_mask passed, ess_mask touch, look *l) {
  for (unsigned bits = ess_mask_bits(passed | touch); bits; bits &= bits - 1) {
    const size_t i = (size_t)__builtin_ctz(bits);
    if (d->cluster.is_curved[k + i]) continue; // it is watched by itself
    if (passed[i])
      judge_passed(d, k + i, l);
    else if (!l->touched && !ess_is_settled(d, k + i))
      l->touched = !ess_stays_below(d, k + i, 0.0);
  }
}

/* whether four guards, those of them that are armed, are further from their zeros than their
 * courses and the jumps go, and more: one that has been passed is not */
static inline bool are_far(const ess_driver *d, size_t k, double shift) {
  const ess_lanes h = ess_lanes_load(d->h + k), side = ess_lanes_load(d->side + k);
  const ess_lanes way = ess_lanes_load(d->cluster.way + k) + shift;
  const ess_mask near = ~(ess_lanes_abs(h) > FAR * way) | (side * h > 0.0);
  return !ess_mask_any(near & (side != 0.0));
}

/* by how much a block's courses change, where that was not asked for when crossings were listed */
static void find_ways(ess_driver *d, size_t block) {
  ess_cluster *const c = &d->cluster;
  if (c->has_ways[block]) return;
  c->has_ways[block] = true;
  for (size_t k = block * ESS_BLOCK, end = ess_block_end(d, block); k < end; k += ESS_LANES) {
    const ess_course p = ess_course_of(d, k);
    ess_lanes_store(c->way + k, ess_course_way(&p, c->listed));
  }
}

/* what all event functions have in common: where jumps begin, the end, and by how much jumps may
 * turn rates; by value, so that it stays where it is while event functions are stored */
typedef struct extent {
  double from, length, turn;
} extent;

static inline extent extent_of(const ess_cluster *c) {
  return (extent){.from = c->from, .length = c->length, .turn = c->turn};
}

/* what the end of four event functions makes of guards passed or touched; `off` as from
 * correct_courses, NULL when there is no such thing */
static inline void look_at(ess_driver *d, size_t k, const ess_course *p, ess_lanes end,
                           const ess_lanes *off, extent e, look *l) {
  const double from = e.from, length = e.length;
  const ess_lanes side = ess_lanes_load(d->side + k), last = side * end;
  const ess_lanes first = side * (from > 0.0 ? ess_course_value(p, from) : p->a[0]);
  const ess_lanes slope = side * (from > 0.0 ? ess_course_slope(p, from) : p->a[1]);
  const ess_lanes high = 3.0 * ess_lanes_abs(p->a[3]) + (6.0 * length) * ess_lanes_abs(p->a[4]);
  const ess_lanes bend = ess_lanes_abs(p->a[2]) + length * high;
  ess_lanes turn = e.turn + (2.0 * length) * bend;
  if (off) turn += (4.0 / length) * ess_lanes_abs(*off);
  const ess_mask armed = side != 0.0, passed = ~(last < 0.0) & armed;
  const ess_mask touch = may_peak(first, slope, last, turn, length - from) & armed;
  if (ess_mask_any(passed | touch)) judge(d, k, passed, touch, l);
}

/* four event functions at the end by their courses and so many terms of jumps */
static inline ess_lanes foresee(size_t k, const ess_course *p, double length,
                                const ess_terms *terms, size_t count) {
  ess_lanes end = ess_course_value(p, length);
  for (size_t i = 0; i < count; i++) end += terms->shift[i] * ess_lanes_load(terms->rate[i] + k);
  return end;
}

/* lists the lanes that are far from their zeros, and the others */
static void list_near(ess_driver *d, double shift) {
  ess_cluster *const c = &d->cluster;
  size_t near = 0, far = 0;
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    find_ways(d, b);
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES) {
      const bool is_far = are_far(d, k, shift);
      c->is_far[k] = is_far;
      c->near[near] = c->far[far] = k;
      near += !is_far;
      far += is_far;
    }
  }
  c->near_count = near;
  c->far_count = far;
}

ESS_INLINE void look_at_near(ess_driver *d, size_t terms, look *l) {
  const ess_cluster *const c = &d->cluster;
  const extent e = extent_of(c);
  for (size_t n = 0; n < c->near_count; n++) {
    const size_t k = c->near[n];
    const ess_course p = ess_course_of(d, k);
    const ess_lanes end = foresee(k, &p, e.length, &l->terms, terms);
    ess_lanes_store(c->ahead + k, end);
    look_at(d, k, &p, end, NULL, e, l);
  }
}

/* the same of all where event functions were called: courses are put right, also those of guards
 * that are not armed */
ESS_INLINE void look_at_all(ess_driver *d, size_t terms, look *l) {
  ess_cluster *const c = &d->cluster;
  const extent e = extent_of(c);
  size_t count = 0;
  // before courses are put right: crossings were listed by what they were
  for (size_t b = 0; b < d->blocks; b++) find_ways(d, b);
  for (size_t k = 0; k < d->guard_lanes; k += ESS_LANES) {
    const ess_course p = ess_course_of(d, k);
    const ess_lanes foreseen = foresee(k, &p, e.length, &l->terms, terms);
    const ess_lanes off = correct_courses(d, k, &p, foreseen, e.length), end = foreseen + off;
    c->is_far[k] = false;
    c->near[count++] = k;
    ess_lanes_store(c->ahead + k, end);
    if (ess_any_armed(d, k)) look_at(d, k, &p, end, &off, e, l);
  }
  c->near_count = count;
  c->far_count = 0;
}

/* what event functions are where the jumps lead, into c->ahead: by courses and jumps, or as called,
 * if they have been; and what that makes of guards passed or touched */
static void look_ahead(ess_driver *d, look *l) {
  ess_cluster *const c = &d->cluster;
  l->latest = latest_made(c);
  c->wait = wait_most(c);
  l->cut = INFINITY;
  l->made = ess_all_made(d);
  ess_terms_of(d, l->made, c->length, &l->terms);
  ess_bound_shifts(d, l->made, c->length, &c->shift, &c->turn);
  if (!l->looked) list_near(d, c->shift);
  // most often there are two terms, a jump and its trend: known so, they make no loop
  const size_t terms = l->terms.count;
  if (l->looked)
    terms == 2 ? look_at_all(d, 2, l) : look_at_all(d, terms, l);
  else
    terms == 2 ? look_at_near(d, 2, l) : look_at_near(d, terms, l);
}

/* event functions where the path ends, when their courses do not tell */
static int look_at_end(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  ess_path(d, c->length, d->x_try, d->v_try);
  return ess_guards(d, d->t + c->length, d->x_try, c->seen[0]);
}

/* whether the groups' jumps cancel in some component by the end, so that the path leaves the base's
 * by more than it ends beside it; by less than the tolerance it does not matter */
static bool jumps_cancel(const ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  if (c->group_count < 2) return false;
  for (size_t i = 0; i < d->system.dimension; i++) {
    double net = 0.0, sum = 0.0;
    for (size_t g = 0; g < c->group_count; g++) {
      const double jumps = (double)c->group[g].jumps * c->group[g].jump[i];
      net += jumps;
      sum += fabs(jumps);
    }
    const double unit = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    if (fabs(net) < CANCELLING * sum && sum * (c->length - c->from) > unit) return true;
  }
  return false;
}

/* notes those of four event functions that are not at u where their courses and the jumps have
 * them: they are curved; whether one may have reached its zero on such a way */
static bool strays_reach(ess_driver *d, size_t k, double u, const ess_terms *terms) {
  const ess_cluster *const c = &d->cluster;
  const ess_course p = ess_course_of(d, k);
  const ess_lanes seen = ess_lanes_load(c->seen[0] + k), side = ess_lanes_load(d->side + k);
  ess_lanes off = seen - ess_course_value(&p, u);
  for (size_t i = 0; i < terms->count; i++)
    off -= terms->shift[i] * ess_lanes_load(terms->rate[i] + k);
  const ess_lanes range = ess_lanes_max(ess_lanes_abs(seen - p.a[0]), u * ess_lanes_abs(p.a[1]));
  const ess_lanes slight = ess_roundings(p.a[0], seen);
  const ess_mask strays = (ess_lanes_abs(off) > ESS_CURVED * range + slight) & (side != 0.0);
  const ess_mask near = strays & (ess_lanes_abs(seen) < ESS_NEAR * range);
  const ess_mask reach = (side * (seen - off) < 0.0) & (side * seen + ess_lanes_abs(off) >= 0.0);
  bool reached = ess_mask_any(near & reach);
  for (unsigned bits = ess_mask_bits(near); bits; bits &= bits - 1) {
    const size_t i = k + (size_t)__builtin_ctz(bits);
    // one that is crossed may be so again
    reached =
        reached || (c->crossed[i] == c->trial && fabs(c->seen[0][i]) <= AGAIN * fabs(off[i - k]));
    ess_note_curved(d, i);
  }
  return reached;
}

/* calls event functions on a path that leaves the base's and comes back, while it is away: what
 * they do there does not show at the end. *safe is false when one may have reached its zero there,
 * and the sub-step is too long. */
static int look_on_the_way(ess_driver *d, bool *safe) {
  enum { LOOKS = 8 };
  ess_cluster *const c = &d->cluster;
  int status = ESS_SUCCESS;
  for (size_t i = 1; !status && *safe && i <= LOOKS; i++) {
    // where so many of the crossings have been made: they may be close together, but for one
    const size_t last = c->order[(c->made_count * i - 1) / LOOKS];
    const double u = ess_clamp(c->time[last], c->from, c->length);
    ess_made made[ESS_GROUPS];
    ess_terms terms;
    ess_sum_made(d, u, made);
    ess_terms_of(d, made, u, &terms);
    ess_path(d, u, d->x_try, d->v_try);
    status = ess_guards(d, d->t + u, d->x_try, c->seen[0]);
    for (size_t k = 0; !status && k < d->guard_lanes; k += ESS_LANES)
      *safe = !strays_reach(d, k, u, &terms) && *safe;
  }
  return status;
}

/* when guard k, which is above zero by so much at the end, has passed it: by its tangent there, or
 * by the chord where that has it before the node, and it was below zero then */
static double time_of_passing(const ess_driver *d, size_t k, double above, double rate) {
  const ess_cluster *const c = &d->cluster;
  const double below = -d->side[k] * d->h[k], time = c->length - above / rate;
  if (time > 0.0 || !(below > 0.0)) return ess_larger(c->from, time);
  return ess_larger(c->from, c->length * below / (below + above));
}

/* lists after the others the guards that the jumps have led across; false when the time of one is
 * not known */
static bool list_more(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  const size_t listed = c->count;
  const ess_made *const made = ess_all_made(d);
  for (size_t k = 0; k < d->system.guard_count; k++) {
    const double g = d->side[k] * c->ahead[k];
    const bool known = !c->is_far[k - k % ESS_LANES] || c->is_curved[k];
    if (!known || !(g >= 0.0) || ess_is_settled(d, k)) continue;
    // where it was armed a moment ago, nobody knows when it was crossed; an impact is located
    c->is_hopeless = c->is_hopeless || c->touched[k] == c->trial || ess_is_impact(d, k);
    const double rate = d->side[k] * rate_at_end(d, k, made);
    if (c->is_hopeless || c->count >= d->system.guard_count || !(rate > 0.0)) return false;
    c->crossing[c->count] = k;
    c->time[c->count++] = time_of_passing(d, k, g, rate);
  }
  const size_t more = c->count - listed;
  ess_sort_by_time(c->time + listed, c->crossing + listed, more);
  ess_prepare_list(d, listed);
  return true;
}

/* a sub-step that turns out to end before its last crossing ends with it; false when that lies
 * beyond the base */
static bool reach_latest(ess_cluster *c) {
  const double latest = latest_made(c);
  if (latest <= c->length) return true;
  if (c->offset + latest > c->base_dt) return latest <= c->length * (1.0 + DBL_EPSILON);
  c->length = latest;
  ess_forget_places(c);
  c->is_aligned = false;
  return true;
}

/* the sub-step ends where the guard that is passed first at its end is crossed */
static void cut_sub_step(ess_driver *d, const look *l) {
  enum { STEPS = 3 };
  ess_cluster *const c = &d->cluster;
  double end = l->cut, slope, rate;
  for (int i = 0; i < STEPS; i++) {
    const double h = ess_course_at(d, l->cut_guard, end, &slope);
    const double shift = ess_shift(d, l->cut_guard, l->made, end, &rate);
    end = ess_clamp(end - (h + shift) / (slope + rate), l->latest, c->length);
  }
  c->length = end;
  ess_forget_places(c);
  c->is_aligned = true;
}

/* what there is to say of a round */
typedef enum verdict { WELL, ONCE_MORE, MORE_CROSSINGS, TOO_LONG } verdict;

/* times the crossings, and looks at the end of their path, and on the way where that is wanted;
 * *fit is false when the sub-step is too long for that */
static int time_and_look(ess_driver *d, look *l, bool *looked, bool *fit) {
  ess_cluster *const c = &d->cluster;
  int status = ESS_SUCCESS;
  *fit = !may_return(d);
  if (*fit) status = ess_move_times(d, *looked, fit);
  *fit = *fit && reach_latest(c);
  if (!status && *fit && l->looked) status = look_at_end(d);
  if (status || !*fit) return status;
  look_ahead(d, l);
  c->is_corrected = c->is_corrected || l->looked;
  *looked = *looked || l->looked;
  const size_t curved = l->looked ? 0 : c->curved_count;
  if (!l->touched && jumps_cancel(d)) status = look_on_the_way(d, fit);
  // courses have been put right, or some have yet to be timed on the path
  if (!status && *fit && (l->looked || c->curved_count > curved))
    status = ess_move_times(d, *looked, fit);
  return status;
}

/* one round: the path that the crossings listed so far make */
static int try_path(ess_driver *d, look *l, bool *looked, verdict *v) {
  ess_cluster *const c = &d->cluster;
  bool fit, safe = true;
  *v = TOO_LONG;
  int status = time_and_look(d, l, looked, &fit);
  if (status || !fit || l->touched) return status;
  *v = ONCE_MORE;
  if (latest_made(c) > c->length) return status;
  *v = TOO_LONG;
  if (!ess_keeps_order(d)) return status;
  if (c->curved_count) status = ess_watch_curved(d, &safe, &l->missing);
  if (!safe) return status;
  *v = l->missing ? MORE_CROSSINGS : ess_resets_agree(d) ? WELL : TOO_LONG;
  if (*v != WELL || l->cut == INFINITY) return status;
  cut_sub_step(d, l);
  *v = ONCE_MORE;
  return status;
}

int ess_correct_times(ess_driver *d, bool *well) {
  enum { ROUNDS = 6 };
  ess_cluster *const c = &d->cluster;
  bool looked = false;
  *well = false;
  for (int round = 0; round < ROUNDS; round++) {
    look l;
    verdict v;
    l.looked = c->looks && !looked;
    l.touched = l.missing = false;
    int status = try_path(d, &l, &looked, &v);
    *well = !status && v == WELL;
    if (status || v == WELL || v == TOO_LONG) return status;
    if (v == ONCE_MORE) continue;
    const size_t listed = c->count;
    bool fit;
    if (!list_more(d) || c->count == listed) return ESS_SUCCESS;
    c->is_extended = true;
    status = ess_make_groups(d, listed, &fit);
    if (status || !fit) return status;
  }
  return ESS_SUCCESS;
}
