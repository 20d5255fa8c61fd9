/*
 * Several events at one instant: the orders in which displaced trajectories meet them, the pieces
 * of the derivative, and the piece of a direction: (E2) of docs/theory/simultaneous.md.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "tangents.h"

/* ---- passage --------------------------------------------------------------------------------- */

/* A displaced trajectory meets the events of an instant one after the other. To first order the
 * fields between them are constant:
 *
 *   tau_k = -grad h_k . y / (grad h_k . f),  k = argmin tau_k,  y <- DR_k (y + tau_k f)
 */

/* sets the mode of a passage, and announces it */
static int passage_take(ess_driver *d, const ess_passage *p) {
  ess_take_sides(d, p->sign, p->side);
  return ess_announce(d, d->system.event_count);
}

static void keep_mode(const ess_driver *d, ess_passage *p) {
  const size_t bytes = d->system.event_count * sizeof *p->sign;
  memcpy(p->sign, d->sign, bytes);
  memcpy(p->side, d->side, bytes);
}

/* the field, and the rates of the events along it and along the columns, by gradients if these take
 * fewer calls (ess_tangent_is_matrix) */
static int passage_look(ess_driver *d, ess_passage *p, size_t count, size_t columns) {
  ess_tangents *const v = d->tangents;
  int status = ess_field(d, v->smoothness.time, p->x, p->f);
  if (!status) status = ess_guard_rates(d, v->smoothness.time, p->x, p->f, v->h, v->rate);
  for (size_t i = 0; i < count; i++) {
    p->rate[i] = v->rate[v->events[i]];
    if (!status && !isfinite(p->rate[i])) status = ess_fail(d, ESS_EEVENT, v->events[i]);
  }
  const size_t n = d->system.dimension;
  const bool is_matrix = ess_tangent_is_matrix(d, columns);
  memset(p->column_rate, 0, columns * count * sizeof *p->column_rate);
  memset(v->axis, 0, n * sizeof *v->axis);
  for (size_t l = 0; !status && l < (is_matrix ? n : columns); l++) {
    if (is_matrix) v->axis[l] = 1.0;
    const double *const to = is_matrix ? v->axis : p->y + l * n;
    status = ess_guard_rates(d, v->smoothness.time, p->x, to, v->h, v->rate);
    for (size_t j = 0; is_matrix && j < columns; j++)
      for (size_t i = 0; i < count; i++)
        p->column_rate[j * count + i] += v->rate[v->events[i]] * p->y[j * n + l];
    for (size_t i = 0; !is_matrix && i < count; i++)
      p->column_rate[l * count + i] = v->rate[v->events[i]];
    if (is_matrix) v->axis[l] = 0.0;
  }
  for (size_t j = 0; p->moves && !status && j < columns; j++) {
    memset(v->rate, 0, d->system.event_count * sizeof *v->rate);
    status = ess_parameter_events(d, v->smoothness.time, p->x,
                                  p->moves + j * d->system.parameters.count, v->rate);
    for (size_t i = 0; i < count; i++) p->column_rate[j * count + i] += v->rate[v->events[i]];
  }
  return status;
}

/* its columns, and the displacements of parameters along them, or NULL */
static void passage_columns(ess_driver *d, ess_passage *p, const double columns[],
                            const double moves[], size_t count) {
  p->moves = moves;
  memcpy(p->y, columns, count * d->system.dimension * sizeof *p->y);
  memset(p->elapsed, 0, count * sizeof *p->elapsed);
}

/* whether a jump has passed the i-th event: it is next then, with tau = 0 */
static bool passage_is_beyond(const ess_driver *d, const ess_passage *p, size_t i) {
  return p->place[i] > 0.0 && p->side[d->tangents->events[i]] != 0.0;
}

/* whether the i-th event is approached, or has been passed by a jump */
static bool passage_meets(const ess_driver *d, const ess_passage *p, size_t i) {
  const size_t k = d->tangents->events[i];
  return p->place[i] == 0.0 ? p->side[k] * p->rate[i] > 0.0 : passage_is_beyond(d, p, i);
}

/* whether the i-th event, an impact that has been met, is met again: another has turned the state
 * back to its guard, as of three balls that hit each other */
static bool passage_returns(const ess_driver *d, const ess_passage *p, size_t i) {
  const size_t k = d->tangents->events[i];
  const size_t guard = p->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
  const double least = ESS_SAME * fabs(d->tangents->passage[0].rate[i]);
  return d->impacts && d->rows.kind[guard] == ESS_GUARD_IMPACT && p->place[i] == 0.0 &&
         p->side[k] * p->rate[i] > least;
}

/* an impact of event function k alone */
static int map_alone(ess_driver *d, const ess_passage *from, ess_passage *to, size_t k,
                     bool carried, size_t columns) {
  ess_tangents *const v = d->tangents;
  int status = ess_cross(d, k);
  double *const mode = to->sign;
  bool *const armed = v->armed;
  memcpy(to->x, from->x, d->system.dimension * sizeof *to->x);
  memcpy(mode, d->sign, d->system.event_count * sizeof *mode);
  ess_list_armed(d, armed);
  ess_impact impact = {.t = v->smoothness.time,
                       .count = 1,
                       .events = &k,
                       .x = from->x,
                       .sign = from->sign,
                       .after = to->x,
                       .mode = mode,
                       .armed = armed,
                       .carried = carried};
  const int code = status ? 0 : ess_call_map(d, &impact);
  if (code) status = ess_callback_failed(d, code);
  if (!status) status = ess_tangent_map(d, &impact, v->w, columns, to->y);
  if (!status) status = ess_parameter_map(d, &impact, from->moves, columns, to->y);
  ess_set_mode(d, mode, armed);
  const int told = ess_announce(d, d->system.event_count);
  return status ? status : told;
}

/* each column continues to the i-th event, and crosses it */
static int passage_cross(ess_driver *d, const ess_passage *from, ess_passage *to, size_t i,
                         size_t count, size_t columns) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, k = v->events[i];
  const bool at_once = passage_is_beyond(d, from, i);
  for (size_t j = 0; j < columns; j++) {
    const double time = at_once ? 0.0 : -from->column_rate[j * count + i] / from->rate[i];
    to->elapsed[j] = from->elapsed[j] + time;
    for (size_t l = 0; l < n; l++) v->w[j * n + l] = from->y[j * n + l] + time * from->f[l];
  }
  to->moves = from->moves;
  memcpy(to->place, from->place, count * sizeof *to->place);
  to->place[i] = 0.0;
  int status = passage_take(d, from);
  if (status) return status;
  const bool jumps = ess_is_impact(d, k);
  if (jumps) {
    status = map_alone(d, from, to, k, at_once, columns);
  } else {
    status = ess_cross(d, k);
    memcpy(to->x, from->x, n * sizeof *to->x);
    memcpy(to->y, v->w, columns * n * sizeof *to->y);
  }
  keep_mode(d, to);
  if (!status) status = passage_look(d, to, count, columns);
  // where the jump has put the state: a guard that is within the instant can still be met
  for (size_t l = 0; !status && jumps && l < count; l++) {
    const size_t other = v->events[l];
    const double fastest = ess_larger(fabs(to->rate[l]), fabs(v->passage[0].rate[l]));
    if (to->side[other] == 0.0 || to->place[l] != 0.0) continue;
    if (fabs(v->h[other]) > 2.0 * ess_tie(d) * fastest)
      to->place[l] = to->side[other] * v->h[other] > 0.0 ? 1.0 : -1.0;
  }
  return status;
}

/* y - (sum of tau) f */
static void passage_end(const ess_driver *d, const ess_passage *p, size_t columns, double to[]) {
  const size_t n = d->system.dimension;
  for (size_t j = 0; j < columns; j++)
    for (size_t l = 0; l < n; l++) to[j * n + l] = p->y[j * n + l] - p->elapsed[j] * p->f[l];
}

/* the mode is again that of the first */
static int passage_restore(ess_driver *d) {
  return passage_take(d, &d->tangents->passage[0]);
}

/* ---- additive -------------------------------------------------------------------------------- */

/* More events than can be ordered, whose jumps of the field add up, as those of a plate's contacts
 * do: the flow is differentiable, with 1 + sum J_k grad h_k / (grad h_k . f-). */

/* the field with one event more crossed than in `from`, whose place it may take */
static int cross_one(ess_driver *d, const ess_passage *from, ess_passage *to, size_t i) {
  int status = passage_take(d, from);
  if (!status) status = ess_cross(d, d->tangents->events[i]);
  keep_mode(d, to);
  return status ? status : ess_field(d, d->tangents->smoothness.time, d->tangents->at, to->f);
}

static int go_additively(ess_driver *d, size_t count, bool *adds) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  ess_passage *const first = &v->passage[0], *const one = &v->passage[1];
  ess_passage *const chain = &v->passage[2];
  passage_columns(d, first, v->v, v->moves, v->count);
  int status = passage_look(d, first, count, v->count);
  memcpy(chain->sign, first->sign, d->system.event_count * sizeof *chain->sign);
  memcpy(chain->side, first->side, d->system.event_count * sizeof *chain->side);
  memcpy(chain->f, first->f, n * sizeof *chain->f);
  *adds = true;
  for (size_t i = 0; !status && *adds && i < count; i++) {
    double *const jump = v->mapped, *const before = v->before;
    memcpy(before, chain->f, n * sizeof *before);
    status = cross_one(d, first, one, i);
    if (!status) status = cross_one(d, chain, chain, i);
    for (size_t l = 0; l < n; l++) {
      jump[l] = one->f[l] - first->f[l];
      const double size = fabs(one->f[l]) + fabs(first->f[l]) + fabs(chain->f[l]);
      *adds = *adds && fabs(chain->f[l] - before[l] - jump[l]) <= ESS_NEGLIGIBLE * size;
    }
    // no jump may change the rate of an event
    if (!status) status = ess_guard_rates(d, v->smoothness.time, v->at, jump, v->h, v->rate);
    for (size_t l = 0; !status && l < count; l++)
      *adds = *adds && fabs(v->rate[v->events[l]]) <= ESS_NEGLIGIBLE * fabs(first->rate[l]);
    for (size_t j = 0; j < v->count; j++) {
      const double share = first->column_rate[j * count + i] / first->rate[i];
      v->met[j * d->system.event_count + i] = -share;
      for (size_t l = 0; l < n; l++) first->y[j * n + l] += share * jump[l];
    }
  }
  for (size_t i = 0; i < count; i++) v->best[i] = i;
  if (*adds && !status) memcpy(v->v, first->y, v->count * n * sizeof *v->v);
  return status ? status : passage_restore(d);
}

/* the end of a path */
enum { NONE = UCHAR_MAX };

typedef struct search {
  size_t count, depth;
  size_t first; /* how many have been met, the first of `order` */
  unsigned char order[ESS_MEETING];
  unsigned char path[ESS_PASSES]; /* as they are met, some more than once; by depth */
  size_t rows[ESS_PASSES + 1];    /* of the cone, by depth */
  size_t pieces;
  double most; /* size of the largest matrix, at least 1, that of directions */
  const double *outcome;
  bool differs; /* an order leads elsewhere */
} search;

/* whether some direction has a positive product with all rows, each of length 1: the search for the
 * point of their hull nearest to the origin (Gilbert) ends at such a point, or at the origin */
static bool has_direction(const double rows[], size_t count, size_t n, double nearest[]) {
  enum { MOST = 5000 };
  if (!count) return true;
  memcpy(nearest, rows, n * sizeof *nearest);
  for (int i = 0; i < MOST; i++) {
    double least = INFINITY, square = 0.0;
    const double *worst = rows;
    for (size_t r = 0; r < count; r++) {
      double product = 0.0;
      for (size_t l = 0; l < n; l++) product += rows[r * n + l] * nearest[l];
      if (product >= least) continue;
      least = product;
      worst = rows + r * n;
    }
    for (size_t l = 0; l < n; l++) square += nearest[l] * nearest[l];
    if (square < 1e-14) return false;
    if (least > 1e-3 * square) return true;
    const double apart = square - 2.0 * least + 1.0;
    const double part = ess_clamp((square - least) / apart, 0.0, 1.0);
    for (size_t l = 0; l < n; l++) nearest[l] += part * (worst[l] - nearest[l]);
  }
  return false;
}

/* whether the event at this place of the order can be next */
static bool is_next(const ess_driver *d, const search *s, const ess_passage *p, size_t place) {
  const size_t i = s->order[place];
  return place < s->first ? passage_returns(d, p, i) : passage_meets(d, p, i);
}

/* adds the inequalities by which the i-th event is met before others */
static void narrow(ess_driver *d, search *s, const ess_passage *p, size_t i) {
  ess_tangents *const v = d->tangents;
  const size_t n = v->wide;
  size_t rows = s->rows[s->depth];
  for (size_t next = 0; next < s->count; next++) {
    const size_t l = s->order[next];
    if (l == i || !is_next(d, s, p, next)) continue;
    double *const row = v->cone + rows * n, length = 0.0, size = 0.0;
    for (size_t j = 0; j < n; j++) {
      const double mine = p->column_rate[j * s->count + i] / p->rate[i];
      const double other = p->column_rate[j * s->count + l] / p->rate[l];
      row[j] = mine - other;
      length += row[j] * row[j];
      size += mine * mine + other * other;
    }
    if (length <= ESS_SAME * ESS_SAME * size) continue; // always at the same time
    for (size_t j = 0; j < n; j++) row[j] /= sqrt(length);
    rows++;
  }
  s->rows[s->depth + 1] = rows;
}

/* The end of an order: notes its matrix, unless another order has had it. Matrices are compared by
 * a sum with irregular weights. */
static void note_piece(ess_driver *d, search *s) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const ess_passage *const p = &v->passage[s->depth];
  double off = 0.0, its = 0.0, size = 0.0;
  for (size_t i = 0; i < n; i++) {
    off = ess_larger(off, fabs(p->x[i] - s->outcome[i]));
    size = ess_larger(size, ess_larger(fabs(p->x[i]), fabs(s->outcome[i])));
  }
  s->differs = s->differs || !(off <= ESS_SAME * size);
  double *const matrix = v->w;
  passage_end(d, p, v->wide, matrix);
  size = 0.0;
  for (size_t i = 0; i < n * v->wide; i++) {
    its += (1.0 + sin(12.9898 * (double)(i + 1))) * matrix[i];
    size += fabs(matrix[i]);
  }
  s->most = ess_larger(s->most, size);
  for (size_t i = 0; i < s->pieces; i++)
    if (fabs(v->digest[i] - its) <= ESS_SAME * s->most) return;
  s->differs = s->differs || s->pieces == ESS_ORDERS;
  if (s->differs) return;
  v->digest[s->pieces] = its;
  memset(s->path + s->depth, NONE, sizeof s->path - s->depth);
  memcpy(v->orders[s->pieces++], s->path, sizeof s->path);
}

static int visit(ess_driver *d, search *s);

static void swap(unsigned char order[], size_t i, size_t j) {
  const unsigned char kept = order[i];
  order[i] = order[j];
  order[j] = kept;
}

/* searches on with the event at this place of the order, if some direction meets it next */
static int visit_next(ess_driver *d, search *s, size_t place, bool at_once, bool *met) {
  ess_tangents *const v = d->tangents;
  const size_t depth = s->depth, first = s->first, i = s->order[place];
  const ess_passage *const p = &v->passage[depth];
  const bool is_new = place >= first;
  s->differs = s->differs || depth == ESS_PASSES; // nobody looks further
  if (s->differs) return ESS_SUCCESS;
  if (at_once)
    s->rows[depth + 1] = s->rows[depth];
  else
    narrow(d, s, p, i);
  if (!has_direction(v->cone, s->rows[depth + 1], v->wide, v->nearest)) return ESS_SUCCESS;
  *met = true;
  s->path[depth] = (unsigned char)i;
  int status = passage_cross(d, p, &v->passage[depth + 1], i, s->count, v->wide);
  if (is_new) swap(s->order, s->first++, place);
  s->depth = depth + 1;
  if (!status) status = visit(d, s);
  s->depth = depth;
  if (is_new) swap(s->order, --s->first, place);
  return status;
}

/* all orders from here on that some direction takes, while all lead to the same state */
static int visit(ess_driver *d, search *s) {
  const size_t first = s->first;
  const ess_passage *const p = &d->tangents->passage[s->depth];
  bool met = false, jumped = false;
  int status = ESS_SUCCESS;
  for (size_t next = first; next < s->count; next++)
    jumped = jumped || passage_is_beyond(d, p, s->order[next]);
  for (size_t next = first; !status && next < s->count && !(jumped && met); next++)
    if (jumped ? passage_is_beyond(d, p, s->order[next]) : is_next(d, s, p, next))
      status = visit_next(d, s, next, jumped, &met);
  for (size_t place = 0; !status && !jumped && place < first; place++)
    if (is_next(d, s, p, place)) status = visit_next(d, s, place, false, &met);
  if (!met && !status) {
    s->differs = s->differs || first < s->count;
    note_piece(d, s);
  }
  return status;
}

/* The place in the order of the event that a direction meets next; the first of the order have been
 * met. SIZE_MAX: it meets none. */
static size_t next_met(const ess_driver *d, const ess_passage *p, const size_t order[],
                       size_t first, size_t count) {
  size_t found = SIZE_MAX;
  double soonest = INFINITY;
  for (size_t place = 0; place < count; place++) {
    const size_t i = order[place];
    const bool at_once = place >= first && passage_is_beyond(d, p, i);
    if (place < first ? !passage_returns(d, p, i) : !passage_meets(d, p, i)) continue;
    const double time = at_once ? -INFINITY : -p->column_rate[i] / p->rate[i];
    if (time >= soonest) continue;
    soonest = time;
    found = place;
  }
  return found;
}

/* the place of the one that is next on a path or, without one, on the list, and then of those that
 * are met again */
static size_t next_listed(const ess_driver *d, const ess_passage *p, const unsigned char path[],
                          size_t depth, const size_t order[], size_t first, size_t count) {
  size_t place = path ? 0 : first;
  if (path && (depth == ESS_PASSES || path[depth] == NONE)) return SIZE_MAX;
  if (path)
    while (order[place] != path[depth]) place++;
  if (path || first < count) return place;
  for (place = 0; place < count; place++)
    if (passage_returns(d, p, order[place])) return place;
  return SIZE_MAX;
}

/* Takes columns through the events: along a path, or as listed, or one column in its own order.
 * `order` is the order in which they are met for the first time. */
static int go_through(ess_driver *d, size_t count, size_t columns, bool own,
                      const unsigned char path[], size_t order[], double column[]) {
  ess_tangents *const v = d->tangents;
  ess_passage *p = &v->passage[0];
  const double *const moves = v->moves ? v->moves + (size_t)(column - v->v) / d->system.dimension *
                                                        d->system.parameters.count
                                       : NULL;
  for (size_t i = 0; i < count; i++) order[i] = i;
  passage_columns(d, p, column, moves, columns);
  int status = passage_restore(d);
  if (!status) status = passage_look(d, p, count, columns);
  // more crossings than all pairs can cause are chatter
  const size_t most = count * (count + 1);
  size_t first = 0, depth = 0;
  for (; !status && depth <= most; depth++) {
    const size_t place = own ? next_met(d, p, order, first, count)
                             : next_listed(d, p, path, depth, order, first, count);
    if (place == SIZE_MAX) break;
    const size_t i = order[place];
    // the first stays as it is; two others take turns
    ess_passage *const to = &v->passage[1 + depth % 2];
    status = passage_cross(d, p, to, i, count, columns);
    p = to;
    if (place < first) continue;
    order[place] = order[first];
    order[first++] = i;
    for (size_t j = 0; !status && j < columns; j++) {
      const size_t c = v->column + j, n = d->system.dimension;
      v->met[c * d->system.event_count + i] = to->elapsed[j];
      if (i >= ESS_MEETING) continue;
      memcpy(v->met_y + (c * ESS_MEETING + i) * n, to->y + j * n, n * sizeof *to->y);
    }
  }
  if (!status && (first < count || depth > most))
    return ess_fail(d, ESS_EDISCONTINUOUS, v->events[0]);
  if (!status) passage_end(d, p, columns, column);
  return status;
}

/* each direction in its own order; `best` is that of the first */
static int go_each(ess_driver *d, size_t count) {
  ess_tangents *const v = d->tangents;
  int status = ESS_SUCCESS;
  for (size_t j = v->count; !status && j-- > 0;) {
    v->column = j;
    status = go_through(d, count, 1, true, NULL, v->best, v->v + j * d->system.dimension);
  }
  return status;
}

/* the smoothness of this instant */
static void note_kind(ess_tangents *v, ess_smooth kind, size_t pieces, size_t count) {
  ess_smoothness *const s = &v->smoothness;
  s->instants++;
  s->pieces *= pieces;
  s->count = count;
  if (kind > s->kind) s->kind = kind;
  for (size_t i = 0; i < count; i++) v->best[i] = v->events[v->best[i]];
}

/* all orders are looked at */
static int go_counted(ess_driver *d, size_t count, const double outcome[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  ess_passage *const p = &v->passage[0];
  search s = {.count = count, .most = 1.0, .outcome = outcome};
  // the pieces of the identity
  for (size_t i = 0; i < count; i++) s.order[i] = (unsigned char)i;
  for (size_t i = 0; i < n * v->wide; i++) v->w[i] = i < n * n && i % (n + 1) == 0 ? 1.0 : 0.0;
  passage_columns(d, p, v->w, v->wide > n ? v->unit : NULL, v->wide);
  int status = passage_look(d, p, count, v->wide);
  if (!status) status = visit(d, &s);
  if (status) return status;
  if (s.differs) {
    status = ess_fail(d, ESS_EDISCONTINUOUS, v->events[0]);
    d->failure.other_event = v->events[1];
    return status;
  }
  const bool chosen = v->chosen != SIZE_MAX;
  const size_t piece = chosen ? v->digits % s.pieces : 0;
  if (chosen) v->digits /= s.pieces;
  status = chosen || s.pieces == 1
               ? go_through(d, count, v->count, false, v->orders[piece], v->best, v->v)
               : go_each(d, count);
  note_kind(v, s.pieces == 1 ? ESS_SMOOTH_C1 : ESS_SMOOTH_PIECEWISE, s.pieces, count);
  return status;
}

int ess_tangent_meeting(ess_driver *d, size_t count, const double outcome[]) {
  const bool records = ess_is_recording(d);
  if (records) ess_tape_open(d);
  ess_tangents *const v = d->tangents;
  const bool impact = outcome != v->at;
  const double tie = ess_tie(d);
  v->column = 0;
  v->met_impact = impact;
  v->last_event = SIZE_MAX;
  v->settled_count = 0;
  memcpy(v->met_event, v->events, count * sizeof *v->events);
  v->met_count = count;
  v->met_from = v->smoothness.time - tie;
  v->met_until = v->smoothness.time + 2.0 * tie;
  // the first passage begins at `at`, in the mode before
  ess_passage *const p = &v->passage[0];
  const size_t m = d->system.event_count;
  memcpy(p->x, v->at, d->system.dimension * sizeof *p->x);
  memmove(p->sign, impact ? d->impacts->sign : d->sign, m * sizeof *p->sign);
  memmove(p->side, impact ? d->impacts->side : d->side, m * sizeof *p->side);
  memset(p->place, 0, m * sizeof *p->place);
  d->rows.x = v->at;
  d->rows.t = v->smoothness.time;
  int status = passage_take(d, p);
  const bool is_told = !status;
  if (is_told && count <= ESS_MEETING) {
    status = go_counted(d, count, outcome);
  } else if (is_told) {
    bool adds = false;
    if (!impact) status = go_additively(d, count, &adds);
    if (!status && !adds)
      status =
          v->tape ? go_through(d, count, v->count, false, NULL, v->best, v->v) : go_each(d, count);
    note_kind(v, adds ? ESS_SMOOTH_C1 : ESS_SMOOTH_NOT_COUNTED, adds, count);
  }
  d->rows.x = NULL;
  const int restored = is_told ? passage_restore(d) : ESS_SUCCESS;
  if (!status) status = restored;
  if (records) ess_tape_close(d, !status);
  return status;
}
