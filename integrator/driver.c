/*
 * The driver: checks and allocates, latches the mode, and runs one of both methods.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "slides.h"
#include "tangents.h"
#include "through.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t round_up(size_t count, size_t to) {
  return (count + to - 1) / to * to;
}

/* the doubles come first, each array on a line of the cache */
static void lay(ess_driver *d, ess_layout *l) {
  enum { line = ESS_CACHE_LINE / sizeof(double) };
  ess_through *const k = &d->through;
  double **const c = d->dense, **const piece = d->piece.c, **const stage = d->stage;
  const size_t m = d->system.event_count, all = d->blocks * ESS_BLOCK, groups = all / ESS_LANES;
  const size_t n = round_up(d->system.dimension, line), entries = ess_resets_size(&d->system);
  ESS_LAY(l, double, n, &d->x, &d->f, &d->x_end, &d->x_try, &d->v_try, &d->rtol, &d->atol,
          &d->piece.x, &k->f, &k->sum[0], &k->sum[1], &k->first, &k->quartic, &k->at,
          &d->stabilised.direction, &d->beside.f, &d->beside.f_there, &c[0], &c[1], &c[2], &c[3],
          &piece[0], &piece[1], &piece[2], &piece[3], &stage[1], &stage[2], &stage[3], &stage[4],
          &stage[5], &stage[6]);
  d->stage[0] = d->f;
  ESS_LAY(l, double, all, &d->h, &d->rate, &d->h_end, &d->rate_end, &d->inside.middle,
          &d->inside.beside[0], &d->inside.beside[1], &d->h_try, &d->rate_try, &d->sign, &d->side,
          &d->is_silent, &d->levels.at, &d->flagged.theta, &d->some_h, &d->batch.time,
          &d->levels.scale, &d->grains.of, &d->due_from, &d->inside.inexact,
          &d->control.turning.pace, &d->control.turning.extent, &d->control.turning.speed,
          &d->unlocated.node, &d->unlocated.end, &d->unlocated.before, &k->live, &k->watch,
          &k->known, &k->last, &k->made, &k->once, &k->theta, &k->until, &k->pair_side,
          &k->missed[0], &k->missed[1], &k->aside[0], &k->aside[1], &k->left[0], &k->left[1],
          &k->left[2], &k->left[3], &k->notified, &k->undoable, &k->checked, &k->companion_in);
  ESS_LAY(l, double, 2 * m, &d->control.after.longest, &d->control.brief.way);
  if (d->system.event_jacobian && !d->caller.system.event_rates)
    ESS_LAY(l, double, d->watched.first *(ess_caller_states(d) + 1), &d->caller.Dh);
  ESS_LAY(l, size_t, m, &d->flagged.list, &d->batch.list, &k->crossed, &k->companion, &k->undo);
  ESS_LAY(l, size_t, 2 * m + 2, &d->rows.start);
  ESS_LAY(l, size_t, entries, &d->rows.guard);
  ESS_LAY(l, size_t, d->blocks, &d->block_armed, &k->block);
  ESS_LAY(l, size_t, groups, &k->group, &k->opened_in);
  ESS_LAY(l, size_t, all, &k->pair);
  ESS_LAY(l, ess_crossing_row, 2 * m, &k->row);
  ESS_LAY(l, bool, 2 * groups, &k->is_alike);
  ESS_LAY(l, signed char, entries, &d->rows.effect);
  ESS_LAY(l, ess_guard_kind, 2 * m, &d->rows.kind);
  ESS_LAY(l, bool, 2 * m, &d->rows.armed);
  ESS_LAY(l, bool, m, &k->changes, &d->idle.now, &d->idle.at_node, &d->idle.at_end,
          &d->idle.in_step);
  ESS_LAY(l, ess_fate, all, &d->flagged.fate);
  ESS_LAY(l, bool, all, &d->control.turning.is_distance);
  ess_projection_lay(d, l);
  if (d->caller.moves) ess_caller_lay(d, l);
  if (d->watched.count) ess_watched_lay(d, l);
  if (d->impacts || d->slides) ESS_LAY(l, ess_return, 2 * m, &d->returns.of);
  if (d->impacts) ess_impacts_lay(d, l);
  if (d->slides) ess_slides_lay(d, l);
  if (d->rodas) ess_rodas_lay(d, l);
}

/* all that a run without tangents needs is in one block, beside the rooms' own structs */
static bool alloc_memory(ess_driver *d, const ess_system *system, const ess_options *options) {
  const size_t most = SIZE_MAX / sizeof(double) / 512; // that memory can hold
  if (!ess_caller_take(d, system)) return false;
  const size_t n = d->system.dimension, m = d->system.event_count;
  const size_t gradient = d->caller.system.event_rates ? 1 : n;
  if (n > most || m > most / gradient || ess_resets_size(&d->system) > most) return false;
  d->lanes = round_up(n, ESS_LANES);
  d->event_lanes = round_up(m, ESS_LANES);
  d->blocks = round_up(m, ESS_BLOCK) / ESS_BLOCK;
  if (d->system.impacts) d->impacts = calloc(1, sizeof *d->impacts);
  if (d->system.impacts && !d->impacts) return false;
  // both declarations are about located crossings: they have no effect on events stepped over
  if (options->locate != ESS_LOCATE_ALL) {
    d->system.affine_in_signs = d->caller.system.affine_in_signs = false;
    d->system.idle = d->caller.system.idle = NULL;
  }
  // a slide begins at a crossing that has been located, not within a step through it
  if (options->sliding != ESS_SLIDING_STOP)
    d->system.affine_in_signs = d->caller.system.affine_in_signs = false;
  if (!ess_slides_alloc(d, options) || !ess_base_alloc(d, options->base)) return false;
  d->memory.at = ess_lay_out(d, lay, &d->memory.bytes);
  if (!d->memory.at) return false;
  for (size_t k = 0; d->caller.moves && k < m; k++) d->caller.each[k] = k;
  ess_resets_copy(d);
  if (d->watched.count) ess_watched_take(d, &system->watch);
  for (size_t k = 0; system->distances && k < system->event_count; k++) {
    d->control.turning.is_distance[k] = system->distances[k];
    d->control.turning.any_distance |= system->distances[k];
  }
  if (d->impacts) ess_impacts_take(d);
  if (d->slides) ess_slides_take(d, system, options);
  return true;
}

ess_driver *ess_driver_alloc(const ess_system *system, const ess_options *options, int *status) {
  int ignored;
  if (!status) status = &ignored;
  *status = ESS_EINVAL;
  if (ess_check(system, options)) return NULL;

  *status = ESS_ENOMEM;
  ess_driver *const d = calloc(1, sizeof *d);
  if (!d) return NULL;
  if (!alloc_memory(d, system, options)) {
    ess_driver_free(d);
    return NULL;
  }
  ess_take_options(d, options);
  d->system.resets = NULL; // copied
  d->system.impacts = NULL;
  d->system.kinds = NULL;
  d->system.distances = NULL;
  ess_driver_reset(d);
  *status = ESS_SUCCESS;
  return d;
}

void ess_driver_free(ess_driver *d) {
  if (!d) return;
  ess_tangents_free(d);
  free(d->slides);
  free(d->rodas);
  free(d->impacts);
  free(d->memory.at);
  free(d);
}

/* what has been learnt on the way is of no use on another */
static void forget(ess_driver *d) {
  d->apply.stopped = NAN;
  if (d->apply.phase == ESS_PHASE_AMID) d->apply.phase = ESS_PHASE_OVER;
  d->dt = 0.0;                // of differences and ties at the start
  d->between.next = INFINITY; // that was in the time of the other way
  ess_control_forget(d);
  ess_base_reset(d);
  ess_through_reset(d);
  d->piece.kind = ESS_PIECE_POINT;
  d->piece.t0 = d->piece.t1 = NAN;
  ess_impacts_forget(d);
  ess_returns_forget(d);
  ess_slides_forget(d);
  if (d->tangents) ess_tangents_forget(d);
  for (size_t k = 0; k < d->system.event_count; k++) d->grains.of[k] = 0.0;
  d->grains.any = false;
  ess_slope_forget(d);
}

void ess_driver_reset(ess_driver *d) {
  if (!d || ess_is_applying(d)) return;
  d->apply.phase = ESS_PHASE_NEW;
  d->t = 0.0;
  forget(d);
  d->counters = (ess_counters){0};
  ess_watched_reset(d);
  ess_no_failure(d);
}

const ess_counters *ess_driver_counters(const ess_driver *d) {
  return d ? &d->counters : NULL;
}

const ess_failure *ess_driver_failure(const ess_driver *d) {
  static const ess_failure no_driver = {.status = ESS_EINVAL,
                                        .event = SIZE_MAX,
                                        .other_event = SIZE_MAX,
                                        .reason = "driver must not be NULL",
                                        .row = SIZE_MAX,
                                        .column = SIZE_MAX};
  return d ? &d->failure : &no_driver;
}

const double *ess_driver_sign(const ess_driver *d) {
  return !d ? NULL : d->unlocated.on ? d->unlocated.node : d->sign;
}

/* forward or backward: the other way is another trajectory, though its mode may go on */
static int turn(ess_driver *d, double t, double t1) {
  const double way = t1 < t ? -1.0 : t1 > t ? 1.0 : d->caller.way;
  const bool turns = way != d->caller.way;
  if (turns && ess_is_sliding(d)) return ess_slide_refuse_turn(d);
  if (turns) ess_caller_turn(d, way);
  if (turns) forget(d);
  // a new trajectory
  if (turns || d->apply.phase == ESS_PHASE_NEW) d->caller.origin = way * t;
  return ESS_SUCCESS;
}

/* puts the driver at the caller's state, in the latched mode, or in that of a new trajectory */
static int begin(ess_driver *d, double t, double t1, const double x[], bool is_new) {
  const bool moved = memcmp(x, d->x, ess_caller_states(d) * sizeof *x) != 0;
  const double reached = d->t;
  ess_base_leave(d, moved || t != d->t || is_new);
  ess_piece_begin(d, t, x);
  if (t != d->apply.stopped || moved) d->apply.stopped = NAN;
  if (t != d->t || moved) d->apply.phase = ESS_PHASE_ON;
  if (d->impacts && d->apply.phase == ESS_PHASE_ON) d->impacts->t_open = NAN;
  d->t = d->apply.t_seen = t;
  // a jump at which the last apply ended has not been passed: what is due is made before it
  const bool is_at_jump = !is_new && !moved && t == reached && t == d->between.next;
  if (!is_at_jump) ess_begin_between(d, t);
  ess_control_open(d);
  ess_no_failure(d);
  if (d->tangents) ess_tangents_begin(d);
  d->apply.t_end = t1;
  d->apply.t_rest = 0.0;
  if (moved) ess_forget_turning(d);
  memcpy(d->x, x, d->system.dimension * sizeof *x);
  // an observer that stops at each crossing does not make them fewer
  if (moved || t != reached || is_new) ess_returns_begin(d, t);
  d->doubt = (ess_doubt){.guard = SIZE_MAX};
  d->apply.steps = 0;
  d->apply.crossings = 0;
  ess_returns_open(d);
  if (is_new) ess_unlocated_begin(d);
  const bool located = !d->unlocated.on;
  d->unlocated.is_known = false;
  int status = !located ? ESS_SUCCESS
               : is_new ? ess_latch(d)
                        : ess_announce(d, d->system.event_count);
  if (!status && !(is_new && located)) status = ess_evaluate_node(d);
  if (!status && !is_new && located) status = ess_check_events(d);
  if (!status) ess_base_resume(d);
  if (!status && d->slides) status = ess_slides_begin(d, is_new, moved);
  // what an observer stops has begun: it goes on from there
  if (status && status != ESS_ESTOP && is_new) d->apply.phase = ESS_PHASE_NEW;
  return status;
}

/* whether times ascend, or where the way is -1 descend */
static bool are_in_order(const double times[], size_t count, double way) {
  // four at once: a long grid is checked in every call
  ess_mask in_order = ~(ess_mask){0};
  size_t i = 1;
  for (; i + ESS_LANES <= count; i += ESS_LANES)
    in_order &= way * ess_lanes_load(times + i) >= way * ess_lanes_load(times + i - 1);
  bool accepted = !ess_mask_any(~in_order);
  for (; i < count; i++) accepted = accepted && way * times[i] >= way * times[i - 1];
  return accepted;
}

/* what is wrong with the grid of samples; NULL when nothing is */
static const char *check_grid(const double times[], size_t count, const double states[], double t,
                              double t1) {
  if (!count) return NULL;
  if (!times) return "times must not be NULL when count > 0";
  if (!states) return "states must not be NULL when count > 0";
  if (t1 < t) {
    if (!(times[0] <= t && times[count - 1] >= t1)) return "times must lie within [t1, *t]";
    return are_in_order(times, count, -1.0) ? NULL : "times must descend where t1 < *t";
  }
  if (!(times[0] >= t && times[count - 1] <= t1)) return "times must lie within [*t, t1]";
  return are_in_order(times, count, 1.0) ? NULL : "times must ascend";
}

/* what is wrong with where an apply is to begin and end; NULL when nothing is */
static const char *check_apply(const ess_driver *d, const double *t, double t1, const double x[]) {
  if (ess_is_applying(d)) return "a callback or observer must not apply the driver that calls it";
  if (!t) return "t must not be NULL";
  if (!x) return "x must not be NULL";
  if (!isfinite(*t)) return "*t must be finite";
  if (!isfinite(t1)) return "t1 must be finite";
  // a field need not look at every component, and would not notice
  return ess_are_finite(x, ess_caller_states(d)) ? NULL : "each of x must be finite";
}

int ess_driver_sample_tangents(ess_driver *d, double *t, double t1, double x[],
                               const double times[], size_t count, double states[],
                               double tangents[]) {
  if (!d) return ESS_EINVAL;
  const char *wrong = check_apply(d, t, t1, x);
  if (!wrong) wrong = check_grid(times, count, states, *t, t1);
  if (!wrong && tangents) wrong = ess_tangents_refuse_samples(d);
  if (wrong) return ess_refuse_at(d, t ? *t : ess_caller_time(d, d->t), wrong);
  d->grid.times = times;
  d->grid.count = count;
  d->grid.done = 0;
  d->grid.states = states;

  const int turned = turn(d, *t, t1);
  if (turned) return turned;
  if (tangents) d->tangents->samples = tangents;
  if (tangents) d->tangents->sampled = 0;
  const bool is_new = d->apply.phase == ESS_PHASE_NEW;
  d->apply.phase = d->apply.phase == ESS_PHASE_AMID ? ESS_PHASE_RESUMED : ESS_PHASE_ON;
  const double from = ess_caller_time(d, *t), to = ess_caller_time(d, t1);
  int status = begin(d, from, to, ess_caller_state(d, from, x), is_new);
  ess_tape_begin(d);
  if (!status && d->apply.phase == ESS_PHASE_RESUMED) status = ess_finish_instant(d);
  if (!status) {
    d->apply.phase = ESS_PHASE_ON; // a jump of the field further on is an instant of its own
    status = d->scheme->run(d, to);
  }
  if (status == ESS_ENDS) status = ess_end(d);
  ess_tape_end(d, status);
  if (d->apply.phase != ESS_PHASE_NEW) d->apply.phase = status ? ESS_PHASE_AMID : ESS_PHASE_OVER;
  if (!status) ess_sample_rest(d);
  // what an observer was refused on the way is no failure of the run
  if (!status) ess_no_failure(d);
  const int shown = ess_tangents_show(d);
  if (!status) status = shown;
  if (tangents && !status) ess_tangents_sample_rest(d);
  if (d->tangents) d->tangents->samples = NULL; // the caller's, for this apply alone
  *t = ess_caller_time(d, d->t);
  memcpy(x, d->x, ess_caller_states(d) * sizeof *x);
  return status;
}

int ess_driver_sample(ess_driver *d, double *t, double t1, double x[], const double times[],
                      size_t count, double states[]) {
  return ess_driver_sample_tangents(d, t, t1, x, times, count, states, NULL);
}

int ess_driver_apply(ess_driver *d, double *t, double t1, double x[]) {
  return ess_driver_sample_tangents(d, t, t1, x, NULL, 0, NULL, NULL);
}
