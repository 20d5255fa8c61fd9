/*
 * Crosses the guards of a projection, which may be several: each at its own time, though the state
 * stands at one (docs/METHOD.md section 6).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "ess_internal.h"

/* jumps are told apart in so many groups of crossings at most: one more evaluation of the field
 * each */
enum { GROUPS = 4 };

/* `late` += delay * (after - before), which is then `after` */
static void add_jump(const ess_driver *d, double delay, const double after[], double before[],
                     double late[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES) {
    const ess_lanes f = ess_lanes_load(after + i);
    const ess_lanes jump = f - ess_lanes_load(before + i);
    ess_lanes_store(late + i, ess_lanes_load(late + i) + delay * jump);
    ess_lanes_store(before + i, f);
  }
}

/* crosses the i-th of the batch, unless a crossing before it has disarmed it: *jumps when the field
 * may have changed */
static int cross_armed(ess_driver *d, size_t i, const double side[], bool *jumps) {
  const size_t k = d->batch[i];
  *jumps = d->side[k] == side[i] && !ess_is_silent(d, k);
  return d->side[k] == side[i] ? ess_make_crossing(d, k) : ESS_SUCCESS;
}

/* how many of the batch may change the field */
static size_t count_jumps(const ess_driver *d) {
  size_t count = 0;
  for (size_t i = 0; i < d->batch_count; i++) count += !ess_is_silent(d, d->batch[i]);
  return count;
}

/* adds `late` to the state, where that is finite */
static int correct_state(ess_driver *d, const double late[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES)
    ess_lanes_store(d->x_try + i, ess_lanes_load(d->x + i) + ess_lanes_load(late + i));
  const int status = ess_check_state(d, d->x_try);
  if (!status) memcpy(d->x, d->x_try, d->lanes * sizeof *d->x);
  return status;
}

int ess_cross_batch(ess_driver *d, double duration, const double v[]) {
  double *const before = d->stage[1], *const after = d->stage[2], *const late = d->stage[3];
  double *const side = d->some_h;
  const size_t jump_count = count_jumps(d), largest = (jump_count + GROUPS - 1) / GROUPS;
  // one by itself is made at its own time
  const bool shared = duration > 0.0 && jump_count > 1;
  for (size_t i = 0; i < d->batch_count; i++) side[i] = d->side[d->batch[i]];

  // where the projection ends, the field before any is crossed: v is the field half-way there
  for (size_t i = 0; shared && i < d->lanes; i += ESS_LANES) {
    ess_lanes_store(before + i, 2.0 * ess_lanes_load(v + i) - ess_lanes_load(d->f + i));
    ess_lanes_store(late + i, ess_lanes_all(0.0));
  }

  // what the jumps of each group have done to the state since their mean time, or have yet to do
  int status = ESS_SUCCESS;
  size_t in_group = 0;
  double sum = 0.0;
  for (size_t i = 0; !status && i < d->batch_count; i++) {
    bool jumps;
    status = cross_armed(d, i, side, &jumps);
    in_group += jumps;
    sum += jumps ? d->batch_time[i] : 0.0;
    const bool complete = in_group == largest || i + 1 == d->batch_count;
    if (status || !shared || !in_group || !complete) continue;
    status = ess_field(d, d->t, d->x, after);
    if (!status) status = ess_check_state(d, after);
    if (!status) add_jump(d, duration - sum / (double)in_group, after, before, late);
    in_group = 0;
    sum = 0.0;
  }
  return status || !shared ? status : correct_state(d, late);
}
