/*
 * Slides: where the field points back to an event function's zero from either side, the state
 * moves along it, by the mean of the fields of both sides that keeps it there (Filippov). What is
 * crossed, or come upon, while it slides, and a weight of the mean that comes to its bound, change
 * what it slides on: one linear complementarity problem tells all of that
 * (docs/theory/sliding.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "armed.h"
#include "bound.h"
#include "callbacks.h"
#include "dopri5.h"
#include "driver_state.h"
#include "grain.h"
#include "instant.h"
#include "locate.h"
#include "quartic.h"
#include "slide.h"
#include "slide_field.h"
#include "slide_notes.h"
#include "status.h"
#include "tangent_state.h"
#include "tape.h"
#include "turning.h"

/* a weight is found a little beyond its bound, so that the state recedes from the surface there */
static const double BEYOND = 1e-12;

/* a surface that the field's rate towards jumps by less than this part of it is none */
static const double SLIGHT = 1e-9;

/* a state is put back on its surfaces where that moves it by more than this part of the tolerance,
 * so often at most */
static const double OFF = 1e-3;
enum { ROUNDS = 3 };

/* events this many ties apart are of one instant: a state that spirals into where surfaces meet
 * comes to it by crossings that are ever closer together */
static const double TIES = 4.0;

/* of so many surfaces all ways to be on them are looked at */
enum { MANY = 6 };

/* a step is halved so often for one doubt */
enum { HALVINGS = 40 };

/* where a model of lambda may be off by its largest, how far aside from there it is held against
 * lambda, spread evenly, and by how many times that it may be off */
static const double CHECKED[ESS_SLIDE_CHECKS] = {0.1, 0.9}, ASIDE = 0.03;
static const double FRACTION = 0.7548776662466927, DOUBT = 4.0;

/* a model that crosses for sure may be off by this part of its range */
static const double TRUSTED = 0.03;

/* ---- what may slide -------------------------------------------------------------------------- */

/* whether a row changes no event function but its guard's own */
static bool is_own(const ess_reset_matrix *r, size_t guard) {
  if (!r) return true;
  size_t i = r->row_start[guard];
  while (i < r->row_start[guard + 1] && r->guard[i] / 2 == guard / 2) i++;
  return i == r->row_start[guard + 1];
}

/* why neither of an event function's guards, or one of them, can be slid on; NULL when both can */
static const char *refuse(const ess_system *s, size_t k) {
  for (size_t guard = ESS_GUARD_UP(k); guard <= ESS_GUARD_DOWN(k); guard++) {
    if (s->resets && s->resets->silent && s->resets->silent[guard])
      return "a guard that is silent must not be among those of slides";
    if (s->impacts && (!s->impacts->at || s->impacts->at[guard]))
      return "a guard whose crossing is an impact must not be among those of slides";
    if (!is_own(s->resets, guard))
      return "a guard whose row arms or disarms another's must not be among those of slides";
  }
  return s->one_way ? "slides must be NULL where guards are one-way" : NULL;
}

const char *ess_slide_check(const ess_system *s, const ess_options *o) {
  if (o->sliding != ESS_SLIDING_NONE && o->sliding != ESS_SLIDING_FILIPPOV)
    return "sliding must be ESS_SLIDING_NONE or ESS_SLIDING_FILIPPOV";
  if (o->sliding == ESS_SLIDING_NONE) return NULL;
  if (o->method != ESS_METHOD_TOLERANCE) return "sliding needs ESS_METHOD_TOLERANCE";
  if (o->base != ESS_BASE_DOPRI5) return "sliding needs ESS_BASE_DOPRI5";
  if (s->weights) return "sliding needs a system without weights";
  for (size_t k = 0; o->slides && k < s->guard_count; k++) {
    const char *const wrong = o->slides[k] ? refuse(s, k) : NULL;
    if (wrong) return wrong;
  }
  return NULL;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static double *lay(double **cursor, size_t *total, size_t count) {
  double *const array = *cursor;
  if (*cursor) *cursor += count;
  *total += count;
  return array;
}

static size_t lay_doubles(const ess_driver *d, ess_slides *s, double *block) {
  const size_t m = d->system.guard_count, n = d->lanes;
  double **const by_guard[] = {
      &s->a,        &s->lambda,    &s->node,       &s->least,          &s->greatest, &s->h,
      &s->rate,     &s->sum,       &s->back,       &s->half,           &s->nothing,  &s->box.b,
      &s->box.near, &s->box.other, &s->crossed_at, &s->crossed_before, &s->sign};
  double **const by_pair[] = {&s->g, &s->box.inner, &s->box.matrix};
  size_t total = 0;
  for (size_t i = 0; i < sizeof by_guard / sizeof *by_guard; i++)
    *by_guard[i] = lay(&block, &total, m);
  for (size_t i = 0; i < sizeof by_pair / sizeof *by_pair; i++)
    *by_pair[i] = lay(&block, &total, m * m);
  s->f0 = lay(&block, &total, n);
  s->jump = lay(&block, &total, m * n);
  s->corner = lay(&block, &total, ESS_CORNERS * n);
  s->q = lay(&block, &total, ESS_CORNERS * m);
  s->checked = lay(&block, &total, ESS_SLIDE_CHECKS * m);
  s->seen = lay(&block, &total, ESS_SLIDE_LOOKS * m);
  return total;
}

bool ess_slides_alloc(ess_driver *d, const ess_system *system, const ess_options *options) {
  const size_t m = d->system.guard_count, most = SIZE_MAX / sizeof(double) / 64;
  if (options->sliding == ESS_SLIDING_NONE || !m) return true;
  if (m > most / (m + d->lanes)) return false;
  ess_slides *const s = d->slides = calloc(1, sizeof *s);
  if (!s) return false;
  s->memory_bytes = lay_doubles(d, s, NULL) * sizeof(double);
  s->indices_bytes = m * (7 * sizeof(size_t) + 3 * sizeof(bool));
  s->memory = calloc(1, s->memory_bytes);
  s->indices = calloc(1, s->indices_bytes);
  if (!s->memory || !s->indices) return false;
  lay_doubles(d, s, s->memory);
  s->field = ess_slide_field;
  size_t **const lists[] = {&s->set,         &s->noted,     &s->events, &s->old,
                            &s->box.members, &s->box.queue, &s->told};
  for (size_t i = 0; i < 7; i++) *lists[i] = (size_t *)s->indices + i * m;
  s->may = (bool *)((size_t *)s->indices + 7 * m);
  s->part = (signed char *)(s->may + m);
  s->box.way = s->part + m;
  for (size_t k = 0; k < m; k++) {
    const bool asked = !options->slides || (k < system->guard_count && options->slides[k]);
    s->may[k] = k < system->guard_count && asked && !refuse(system, k);
    s->half[k] = 0.5;
  }
  return true;
}

void ess_slides_free(ess_driver *d) {
  if (!d->slides) return;
  free(d->slides->memory);
  free(d->slides->indices);
  free(d->slides);
}

const size_t *ess_driver_sliding(const ess_driver *d, size_t *count) {
  if (count) *count = d && d->slides ? d->slides->count : 0;
  return d && d->slides ? d->slides->set : NULL;
}

/* ---- notes ----------------------------------------------------------------------------------- */

void ess_slides_forget(ess_driver *d) {
  ess_slides *const s = d->slides;
  if (!s) return;
  s->count = s->told_count = s->noted_count = 0;
  s->leaves = s->is_released = s->is_whole = false;
  s->adds = true;
  for (size_t k = 0; k < d->system.guard_count; k++)
    s->crossed_at[k] = s->crossed_before[k] = -INFINITY;
}

/* surfaces that the state is not on any more, by what the tolerance lets it be off by, are let go
 * of; so are those that an impact's map has armed */
static int release_left(ess_driver *d) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  for (size_t i = s->count; !status && i-- > 0;) {
    const size_t k = s->set[i];
    double allowed;
    status = ess_allowed_error(d, k, &allowed);
    const bool is_armed = ess_is_armed(d, k);
    if (status || (!is_armed && fabs(d->h[k]) <= allowed)) continue;
    ess_slide_release(d, k);
    if (is_armed) continue;
    d->sign[k] = d->h[k] < 0.0 ? -1.0 : 1.0;
    status = ess_announce(d, k);
    ess_arm(d, ess_guard_ahead(d, k));
  }
  return status;
}

/* ---- what has no answer ---------------------------------------------------------------------- */

static int fail_many(ess_driver *d, size_t guard, size_t other, const char *reason) {
  const int status = ess_fail(d, ESS_ESLIDING, guard);
  d->failure.other_guard = other;
  d->failure.reason = reason;
  return status;
}

static const char *const NOT_UNIQUE = "where the state goes from there is not unique";

/* the two event functions that show it, of those listed */
static int fail_pair(ess_driver *d, const size_t list[], const size_t worst[2]) {
  return fail_many(d, list[worst[0]], worst[1] == SIZE_MAX ? SIZE_MAX : list[worst[1]], NOT_UNIQUE);
}

int ess_slide_refuse_turn(ess_driver *d) {
  return fail_many(d, d->slides->set[0], d->slides->count > 1 ? d->slides->set[1] : SIZE_MAX,
                   "where a sliding state has come from is not unique");
}

/* ---- what slides from the node on ------------------------------------------------------------ */

static bool is_listed(const size_t list[], size_t count, size_t k) {
  size_t i = 0;
  while (i < count && list[i] != k) i++;
  return i < count;
}

/* whether one of the event functions just crossed has come back to it at once: the state spirals
 * into where surfaces meet */
static bool has_returned(const ess_slides *s, double lately) {
  bool returned = false;
  for (size_t i = 0; i < s->noted_count; i++)
    returned = returned || s->crossed_before[s->noted[i]] >= lately;
  return returned;
}

/* whether event function k, which may slide, is among those in question: it is slid on; or has just
 * been crossed and is approached again, or while the state slides; or was crossed of late, where
 * crossings come back at once */
static bool is_in_question(const ess_driver *d, size_t k, double lately, bool returned) {
  const ess_slides *const s = d->slides;
  if (is_listed(s->set, s->count, k)) return true;
  if (!s->may[k] || !ess_is_armed(d, k)) return false;
  const bool crossed = is_listed(s->noted, s->noted_count, k);
  if (crossed && (s->count || d->side[k] * d->rate[k] > 0.0)) return true;
  return returned && s->crossed_at[k] >= lately;
}

/* lists them; with them, where there are any and `ties`, others whose zeros the state is on by what
 * the tolerance can tell */
static size_t gather(ess_driver *d, bool ties) {
  ess_slides *const s = d->slides;
  const double tie = ess_tie(d), lately = d->t - TIES * tie;
  const bool returned = has_returned(s, lately);
  size_t count = 0, sure = 0;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    const bool is_sure = is_in_question(d, k, lately, returned);
    const bool is_tied = s->may[k] && ess_is_armed(d, k) &&
                         (fabs(d->h[k]) <= tie * fabs(d->rate[k]) || s->crossed_at[k] == d->t);
    sure += is_sure;
    if (is_sure || (ties && is_tied)) s->events[count++] = k;
  }
  return sure ? count : 0;
}

/* to look at surfaces leaves them at -1 */
static int restore_signs(ess_driver *d) {
  const ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    if (d->sign[k] * s->sign[k] > 0.0) continue;
    d->sign[k] = s->sign[k];
    const int told = ess_announce(d, k);
    if (!status) status = told;
  }
  return status;
}

/* calls the field on either side of the surfaces in question, and solves for what holds the state;
 * `count` of them are left: those are not whose rates do not jump */
static int solve(ess_driver *d, size_t *count) {
  ess_slides *const s = d->slides;
  size_t worst[2] = {0, SIZE_MAX}, kept = 0;
  int status = ess_slide_look(d, d->t, d->x, s->events, *count);
  if (status) return status;
  for (size_t i = 0; i < *count; i++) {
    const bool jumps = fabs(s->g[i * *count + i]) > SLIGHT * fabs(s->a[i]);
    if (jumps || is_listed(s->set, s->count, s->events[i])) s->events[kept++] = s->events[i];
  }
  if (kept < *count) status = restore_signs(d);
  if (!status && kept < *count) status = ess_slide_look(d, d->t, d->x, s->events, kept);
  *count = kept;
  if (!status) status = ess_slide_look_adds(d, d->t, d->x, s->events, kept);
  if (status || !kept) return status;
  if (!s->adds && kept > 3)
    return fail_many(d, s->events[0], s->events[1],
                     "jumps of more than three event functions that slide do not add up");
  if (!s->adds) status = ess_slide_look(d, d->t, d->x, s->events, kept);
  if (status) return status;
  const ess_solutions found = ess_slide_solve(d, kept, worst);
  bool is_one = found != ESS_MANY_SOLUTIONS;
  if (found == ESS_ONE_SOLUTION)
    is_one = ess_principal_minors(kept, s->g, s->part, worst, &s->box) != ESS_MINORS_NEGATIVE;
  return is_one ? ESS_SUCCESS : fail_pair(d, s->events, worst);
}

/* redundant surfaces may be held in many ways: whether all of them move the state alike */
static bool moves_alike(const ess_driver *d) {
  ess_slides *const s = d->slides;
  double *const other = s->back, *const near = s->sum;
  if (!s->adds) return true;
  for (size_t i = 0; i < s->count; i++) near[i] = 0.3 + 0.4 * fabs(sin(7.0 * (double)(i + 1)));
  if (!ess_complementarity_inside(s->count, s->a, s->g, near, other, &s->box)) return false;
  for (size_t l = 0; l < d->system.dimension; l++) {
    double sum = 0.0, size = 0.0;
    for (size_t j = 0; j < s->count; j++) {
      sum += (other[j] - s->lambda[j]) * s->jump[j * d->lanes + l];
      size += fabs(s->jump[j * d->lanes + l]);
    }
    if (!(fabs(sum) <= 1e-7 * size)) return false;
  }
  return true;
}

/* those that hold the state are slid on, the others left, to where they are */
static int install(ess_driver *d, size_t count) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  s->old_count = s->count;
  memcpy(s->old, s->set, s->count * sizeof *s->old);
  s->count = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t k = s->events[i];
    const bool slid = is_listed(s->old, s->old_count, k), slides = s->part[i] == ESS_BETWEEN;
    const double to = slides ? -1.0 : slid ? (s->part[i] < 0 ? -1.0 : 1.0) : d->sign[k];
    if (slides) {
      s->lambda[s->count] = s->lambda[i];
      s->set[s->count++] = k;
      ess_disarm(d, k);
    }
    if (d->sign[k] * to < 0.0) {
      d->sign[k] = to;
      const int told = ess_announce(d, k);
      if (!status) status = told;
    }
    if (slid && !slides) ess_arm(d, ess_guard_ahead(d, k));
    if (slid != slides && !status) status = ess_watch_progress(d, k);
  }
  return status;
}

/* directions gain what the crossing, or impact, adds to the field, of which they have had what it
 * was before it was known which surfaces hold the state */
static int carry_directions(ess_driver *d, const double before[], bool single) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  double most = 0.0;
  v->has_first = false;
  for (size_t i = 0; i < n; i++) most = ess_larger(fabs(d->f[i] - before[i]), most);
  if (!(most > 0.0)) return ESS_SUCCESS;
  if (!single || v->last_t != d->t || v->is_pending || v->ahead_count)
    return ess_fail(d, ESS_EDISCONTINUOUS, d->slides->noted_count ? d->slides->noted[0] : SIZE_MAX);
  ess_tape_gain(d, d->f, before);
  for (size_t j = 0; j < v->count; j++)
    for (size_t i = 0; i < n; i++) v->v[j * n + i] += v->share[j] * (d->f[i] - before[i]);
  return ESS_SUCCESS;
}

/* the field once surfaces have been let go of */
static int evaluate_released(ess_driver *d) {
  double *const before = d->stage[1];
  memcpy(before, d->f, d->lanes * sizeof *before);
  const int status = ess_evaluate_node(d);
  return status || !d->tangents ? status : carry_directions(d, before, true);
}

static bool tell(ess_driver *d, size_t k, int begins) {
  const ess_observer *const o = &d->options.observer;
  if (!o->slide) return false;
  const ess_slide_info info = {.guard = k, .begins = begins, .t = d->t, .x = d->x, .sign = d->sign};
  return o->slide(&info, o->context) != 0;
}

/* what has ended since observers were told last, then what has begun */
static int tell_changes(ess_driver *d) {
  ess_slides *const s = d->slides;
  size_t stopped = SIZE_MAX;
  for (size_t i = 0; i < s->told_count; i++)
    if (!is_listed(s->set, s->count, s->told[i]) && tell(d, s->told[i], -1)) stopped = s->told[i];
  for (size_t i = 0; i < s->count; i++) {
    if (is_listed(s->told, s->told_count, s->set[i])) continue;
    d->counters.slides++;
    if (tell(d, s->set[i], 1)) stopped = s->set[i];
  }
  s->told_count = s->count;
  memcpy(s->told, s->set, s->count * sizeof *s->told);
  return stopped == SIZE_MAX ? ESS_SUCCESS : ess_fail(d, ESS_ESTOP, stopped);
}

/* a new node: lambda there, which what is seen on the way from it is held against */
static void begin_node(ess_driver *d, const double lambda[]) {
  ess_slides *const s = d->slides;
  const size_t bytes = s->count * sizeof *lambda;
  memmove(s->node, lambda, bytes);
  memcpy(s->least, s->node, bytes);
  memcpy(s->greatest, s->node, bytes);
  s->halvings = 0;
  s->is_whole = false;
}

/* a list of those begun */
static size_t count_begun(const ess_slides *s) {
  size_t begun = 0;
  for (size_t i = 0; i < s->count; i++) begun += !is_listed(s->old, s->old_count, s->set[i]);
  return begun;
}

/* one problem for all surfaces in question */
static int resolve(ess_driver *d, size_t count) {
  ess_slides *const s = d->slides;
  double *const before = d->stage[1];
  memcpy(before, d->f, d->lanes * sizeof *before);
  memcpy(s->sign, d->sign, d->system.guard_count * sizeof *s->sign);
  s->adds = true;
  int status = solve(d, &count);
  if (status == ESS_ESLIDING && count > MANY) { // of so many not all can be looked at
    status = restore_signs(d);
    s->adds = true;
    count = gather(d, false);
    ess_no_failure(d);
    if (!status) status = solve(d, &count);
  }
  const int restored = restore_signs(d);
  if (!status) status = restored;
  if (!status) status = install(d, count);
  if (!status) status = ess_evaluate_node(d);
  if (status) return status;
  begin_node(d, s->lambda);
  if (s->count > 1 && !moves_alike(d)) return fail_many(d, s->set[0], s->set[1], NOT_UNIQUE);
  if (d->tangents && s->noted_count) {
    const bool single =
        s->noted_count == 1 && count_begun(s) <= 1 && d->tangents->last_event == s->noted[0];
    status = carry_directions(d, before, single);
  } else if (d->tangents) {
    d->tangents->has_first = false;
  }
  if (!status) status = tell_changes(d);
  return status;
}

/* ---- drift ----------------------------------------------------------------------------------- */

/* moves the state back onto its surfaces along what the surfaces add to the field: rounding, and
 * the error of steps along surfaces that are curved, take it off them */
static int put_back(ess_driver *d) {
  ess_slides *const s = d->slides;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < s->count; i++) s->sum[i] = -d->h[s->set[i]];
    if (!ess_complementarity_inside(s->count, s->sum, s->g, s->nothing, s->back, &s->box))
      return ESS_SUCCESS;
    memset(d->x_try, 0, d->lanes * sizeof *d->x_try);
    for (size_t j = 0; j < s->count; j++)
      for (size_t i = 0; i < d->system.dimension; i++)
        d->x_try[i] -= s->back[j] * s->jump[j * d->lanes + i];
    if (!(ess_scaled_norm(d, d->x_try, d->x, d->x) > OFF)) return ESS_SUCCESS;
    for (size_t i = 0; i < d->lanes; i++) d->x_try[i] += d->x[i];
    int status = ess_check_state(d, d->x_try);
    if (status) return status;
    memcpy(d->x, d->x_try, d->lanes * sizeof *d->x);
    if (d->tangents) d->tangents->has_first = false;
    status = ess_evaluate_node(d);
    if (status) return status;
    begin_node(d, s->lambda);
  }
  return ESS_SUCCESS;
}

int ess_slide_settle(ess_driver *d) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  if (d->counters.impacts != s->impacts && s->count) status = release_left(d);
  s->impacts = d->counters.impacts;
  if (status) return status;
  if (!s->noted_count && !s->leaves && !s->is_released) {
    if (!s->count) return ESS_SUCCESS;
    if (s->is_whole) begin_node(d, s->seen + (ESS_SLIDE_LOOKS - 1) * d->system.guard_count);
    return put_back(d);
  }
  if (s->is_released) status = evaluate_released(d);
  const size_t count = status ? 0 : gather(d, true);
  if (count)
    status = resolve(d, count);
  else if (!status)
    status = tell_changes(d);
  s->noted_count = 0;
  s->leaves = s->is_released = false;
  return status;
}

/* whether both sides push the state off a surface that it begins on */
static int refuse_repelled(ess_driver *d, size_t k) {
  ess_slides *const s = d->slides;
  const double sign = d->sign[k];
  s->adds = true;
  int status = ess_slide_look(d, d->t, d->x, &k, 1);
  if (sign > 0.0 && !status) {
    d->sign[k] = sign;
    status = ess_announce(d, k);
  }
  const double slight = SLIGHT * fabs(s->g[0]);
  const bool repelled = s->a[0] < -slight && s->a[0] + s->g[0] > slight;
  return status || !repelled ? status : fail_many(d, k, SIZE_MAX, NOT_UNIQUE);
}

int ess_slides_begin(ess_driver *d, bool is_new, bool moved) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  for (size_t k = 0; !status && is_new && k < d->system.guard_count; k++)
    if (d->h[k] == 0.0 && s->may[k] && ess_is_armed(d, k)) status = refuse_repelled(d, k);
  if (status || !s->count) return status;
  if (moved) status = release_left(d);
  if (!status && s->is_released) return ess_slide_settle(d);
  if (!status) begin_node(d, s->lambda);
  return status;
}

/* ---- exits ----------------------------------------------------------------------------------- */

/* lambda at theta of the step just tried */
static int look_at(ess_driver *d, double theta) {
  ess_dopri5_dense(d, theta, d->x_try);
  return ess_slide_field(d, d->t + theta * d->dt, d->x_try, d->v_try);
}

/* how far beyond a bound lambda is: below 0, or above 1 */
static double beyond(double lambda, bool upper) {
  return (upper ? lambda - 1.0 : -lambda) - BEYOND;
}

/* how far beyond its bound the one is that is the farthest, where it has been looked at last */
static double farthest(const ess_slides *s) {
  double most = -INFINITY;
  for (size_t i = 0; i < s->count; i++)
    most = ess_larger(ess_larger(beyond(s->lambda[i], false), beyond(s->lambda[i], true)), most);
  return most;
}

/* Bernstein coefficients of the quartic with these values at every quarter */
static void model(const double y[ESS_SLIDE_LOOKS], double b[ESS_QUARTIC]) {
  const double d1 = y[1] - y[0], d2 = y[2] - 2.0 * y[1] + y[0];
  const double d3 = y[3] - 3.0 * (y[2] - y[1]) - y[0];
  const double d4 = y[4] - 4.0 * (y[3] + y[1]) + 6.0 * y[2] + y[0];
  const double a1 = 4.0 * (d1 - d2 / 2.0 + d3 / 3.0 - d4 / 4.0);
  const double a2 = 16.0 * (d2 / 2.0 - d3 / 2.0 + 11.0 * d4 / 24.0);
  const double a3 = 64.0 * (d3 / 6.0 - d4 / 4.0);
  b[0] = y[0];
  b[1] = y[0] + a1 / 4.0;
  b[2] = y[0] + a1 / 2.0 + a2 / 6.0;
  b[3] = y[0] + 0.75 * a1 + a2 / 2.0 + a3 / 4.0;
  b[4] = y[4];
}

/* the values that say how far beyond a bound the i-th is where it has been seen */
static void values_of(const ess_driver *d, size_t i, bool upper, double y[ESS_SLIDE_LOOKS]) {
  for (int j = 0; j < ESS_SLIDE_LOOKS; j++)
    y[j] = beyond(d->slides->seen[(size_t)j * d->system.guard_count + i], upper);
}

/* by how much it may be off anywhere, from how much it is where it is checked: its error, the
 * product of the ways from its places times a fifth derivative, is the largest there */
static double doubt_of(const ess_driver *d, size_t i, bool upper, const double b[ESS_QUARTIC]) {
  double most = 0.0, slope;
  for (int j = 0; j < ESS_SLIDE_CHECKS; j++) {
    const double lambda = d->slides->checked[(size_t)j * d->system.guard_count + i];
    const double off = beyond(lambda, upper) - ess_quartic(b, d->slides->check_at[j], &slope);
    most = ess_larger(fabs(off) - 64.0 * DBL_EPSILON, most);
  }
  return DOUBT * most;
}

/* where one comes to a bound before theta; ESS_NEVER where it does not. *sure is false where the
 * model does not tell. */
static double reaches(const ess_driver *d, size_t i, bool upper, bool *sure) {
  double y[ESS_SLIDE_LOOKS], b[ESS_QUARTIC], most = -INFINITY, least = INFINITY;
  values_of(d, i, upper, y);
  model(y, b);
  const double doubt = doubt_of(d, i, upper, b);
  for (int j = 0; j < ESS_QUARTIC; j++) {
    most = ess_larger(b[j], most);
    least = ess_smaller(b[j], least);
  }
  *sure = true;
  if (most + doubt < 0.0) return ESS_NEVER;
  const double theta = ess_quartic_upcrossing(b);
  const bool ends_beyond = y[ESS_SLIDE_LOOKS - 1] > 0.0 && ess_sign_changes(b) == 1;
  *sure = doubt <= 0.1 * BEYOND || (ends_beyond && doubt <= TRUSTED * (most - least));
  return theta;
}

/* from the model's place on, where the first of all comes to its bound: none is beyond at `below`,
 * one is at `above`, by these much */
static int refine(ess_driver *d, double theta, double below, double y_below, double above,
                  double y_above, double *at) {
  enum { PROBES = 60 };
  int side = 0;
  for (int i = 0; i < PROBES && above - below > 2.0 * DBL_EPSILON; i++) {
    if (!(theta > below && theta < above)) theta = 0.5 * (below + above);
    const int status = look_at(d, theta);
    if (status) return status;
    const double y = farthest(d->slides);
    if (y >= 0.0 && y <= 0.5 * BEYOND) {
      above = theta;
      break;
    }
    // false position, which halves the weight of an end that stays
    if (y < 0.0) {
      below = theta;
      y_below = y;
      if (side < 0) y_above *= 0.5;
      side = -1;
    } else {
      above = theta;
      y_above = y;
      if (side > 0) y_below *= 0.5;
      side = 1;
    }
    theta = below + (above - below) * (y_below / (y_below - y_above));
  }
  *at = above;
  return look_at(d, above);
}

/* the step is tried again, half as long; false where it is short enough for all doubt */
static bool halve(ess_driver *d) {
  if (++d->slides->halvings > HALVINGS ||
      !(d->dt > 1e3 * DBL_EPSILON * ess_larger(fabs(d->t), DBL_MIN)))
    return false;
  d->counters.rejected++;
  d->dt_next = 0.5 * d->dt;
  return true;
}

/* lambda at every quarter of the step; *far where it stays so far from its bounds that there is no
 * need to look */
static int look_along(ess_driver *d, bool *far) {
  ess_slides *const s = d->slides;
  const size_t m = d->system.guard_count, bytes = s->count * sizeof *s->lambda;
  double *const last = s->seen + (ESS_SLIDE_LOOKS - 1) * m;
  int status = ESS_SUCCESS;
  // the step's last stage was the last call, where no direction has called since
  if (d->tangents) status = ess_slide_field(d, d->t + d->dt, d->x_end, d->v_try);
  memcpy(s->seen, s->node, bytes);
  memcpy(last, s->lambda, bytes);
  *far = true;
  for (size_t i = 0; i < s->count; i++) {
    const double range = s->greatest[i] - s->least[i];
    *far = *far && s->least[i] > range && 1.0 - s->greatest[i] > range;
  }
  return status;
}

static int look_between(ess_driver *d) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  for (size_t j = 1; !status && j + 1 < ESS_SLIDE_LOOKS; j++) {
    status = look_at(d, (double)j / (ESS_SLIDE_LOOKS - 1));
    memcpy(s->seen + j * d->system.guard_count, s->lambda, s->count * sizeof *s->lambda);
  }
  for (size_t j = 0; !status && j < ESS_SLIDE_CHECKS; j++) {
    const double multiple = FRACTION * (double)(d->counters.steps + d->counters.rejected + 1 + j);
    const double aside = ASIDE * (2.0 * (multiple - floor(multiple)) - 1.0);
    s->check_at[j] = CHECKED[j] + aside;
    status = look_at(d, s->check_at[j]);
    memcpy(s->checked + j * d->system.guard_count, s->lambda, s->count * sizeof *s->lambda);
  }
  return status;
}

/* the step is cut where the state leaves; what lies beyond is passed later */
static int cut(ess_driver *d, ess_location *found, double theta) {
  found->cut = true;
  found->theta = theta;
  found->doubt_guard = SIZE_MAX;
  d->slides->leaves = true;
  for (size_t i = 0; i < d->flagged_count; i++)
    if (d->fate[d->flagged[i]] != ESS_FATE_PASSED) d->fate[d->flagged[i]] = ESS_FATE_SOUGHT;
  return ess_guards(d, d->t + theta * d->dt, d->x_try, d->h_try);
}

/* the first place at which one comes to its bound, by the models; ESS_NEVER. *sure: of all. */
static double first_reached(const ess_driver *d, double before, bool *sure) {
  double first = ESS_NEVER;
  *sure = true;
  for (size_t i = 0; i < d->slides->count; i++)
    for (int upper = 0; upper < 2; upper++) {
      bool its;
      const double theta = reaches(d, i, upper, &its);
      *sure = *sure && its;
      first = ess_smaller(theta, first);
    }
  return first <= before ? first : ESS_NEVER;
}

/* how far beyond its bound the farthest is at the j-th place seen */
static double seen_at(const ess_driver *d, int j) {
  double most = -INFINITY;
  for (size_t i = 0; i < d->slides->count; i++) {
    const double lambda = d->slides->seen[(size_t)j * d->system.guard_count + i];
    most = ess_larger(ess_larger(beyond(lambda, false), beyond(lambda, true)), most);
  }
  return most;
}

/* the places seen about theta between which one comes to its bound; false where none does */
static bool bracket(const ess_driver *d, double *below, double *y_below, double *above,
                    double *y_above) {
  *below = 0.0;
  *y_below = ess_smaller(seen_at(d, 0), -0.1 * BEYOND);
  for (int j = 1; j < ESS_SLIDE_LOOKS; j++) {
    const double y = seen_at(d, j), theta = (double)j / (ESS_SLIDE_LOOKS - 1);
    if (y >= 0.0) {
      *above = theta;
      *y_above = y;
      return true;
    }
    *below = theta;
    *y_below = y;
  }
  return false;
}

/* where a model is the greatest, and how great */
static double peak_of(const double b[ESS_QUARTIC], double *value) {
  enum { PLACES = 32, THIRDS = 60 };
  double place = 0.0, slope;
  *value = -INFINITY;
  for (int j = 1; j < PLACES; j++) {
    const double theta = (double)j / PLACES, its = ess_quartic(b, theta, &slope);
    if (its > *value) place = theta;
    *value = ess_larger(its, *value);
  }
  double left = place - 1.0 / PLACES, right = place + 1.0 / PLACES;
  for (int j = 0; j < THIRDS; j++) {
    const double third = (right - left) / 3.0;
    if (ess_quartic(b, left + third, &slope) < ess_quartic(b, right - third, &slope))
      left += third;
    else
      right -= third;
  }
  *value = ess_quartic(b, left, &slope);
  return left;
}

/* where models say that one is the farthest beyond its bound */
static double find_peak(const ess_driver *d) {
  double most = -INFINITY, place = 0.0;
  for (size_t i = 0; i < d->slides->count; i++)
    for (int upper = 0; upper < 2; upper++) {
      double y[ESS_SLIDE_LOOKS], b[ESS_QUARTIC], value;
      values_of(d, i, upper, y);
      model(y, b);
      const double theta = peak_of(b, &value);
      if (value > most) place = theta;
      most = ess_larger(value, most);
    }
  return place;
}

/* whether the surfaces still hold the state, in one way alone, where they have just been looked at
 */
static bool holds(const ess_driver *d, size_t worst[2]) {
  const ess_slides *const s = d->slides;
  return ess_principal_minors(s->count, s->g, NULL, worst, &s->box) != ESS_MINORS_NEGATIVE;
}

/* exits of the step, once lambda is known along it */
static int find_exit(ess_driver *d, ess_location *found, bool *again) {
  bool sure;
  double theta = first_reached(d, found->theta, &sure), below, y_below, above, y_above;
  if (!sure && halve(d)) {
    *again = true;
    return ESS_SUCCESS;
  }
  if (theta > 1.0) return ESS_SUCCESS;
  if (!bracket(d, &below, &y_below, &above, &y_above)) {
    // beyond between two places alone, by the model
    above = find_peak(d);
    const int status = look_at(d, above);
    y_above = farthest(d->slides);
    if (status || y_above < 0.0) return status;
    below = floor(above * (ESS_SLIDE_LOOKS - 1)) / (ESS_SLIDE_LOOKS - 1);
    y_below = ess_smaller(seen_at(d, (int)(below * (ESS_SLIDE_LOOKS - 1))), -0.1 * BEYOND);
  }
  const int status = refine(d, theta, below, y_below, above, y_above, &theta);
  if (status || theta > found->theta) return status;
  return cut(d, found, theta);
}

int ess_slide_watch(ess_driver *d, ess_location *found, bool *again) {
  ess_slides *const s = d->slides;
  size_t worst[2];
  bool far, added = s->adds;
  if (!d->armed_count) ess_clear_flags(d);
  s->leaves = false;
  *again = d->armed_count && ess_turns_too_far(d);
  d->counters.rejected += *again;
  if (*again) return ESS_SUCCESS;
  int status = look_along(d, &far);
  if (!status) status = ess_slide_look_adds(d, d->t + d->dt, d->x_end, s->set, s->count);
  if (status) return status;
  if (added && !s->adds) { // by corners from here on
    if (s->count > 3)
      return fail_many(d, s->set[0], s->set[1],
                       "jumps of more than three event functions that slide do not add up");
    memcpy(s->lambda, s->node, s->count * sizeof *s->lambda);
    d->counters.rejected++;
    d->dt_next = d->dt;
    *again = true;
    return ess_evaluate_node(d);
  }
  bool held = holds(d, worst);
  if (!far) status = look_between(d);
  if (!status && !far) status = find_exit(d, found, again);
  if (status || *again) return status;
  if (s->leaves) held = holds(d, worst);
  if (!held) {
    *again = halve(d);
    if (!*again) return fail_pair(d, s->set, worst);
  }
  s->is_whole = !found->cut;
  return ESS_SUCCESS;
}
