/*
 * Sub-steps: what the files that make one offer each other. A try lists crossings (survey.c), makes
 * them in groups and measures their jumps (groups.c, undo.c), times them on the path that these
 * bend (path.c, jumps.c, times.c), looks where that leads (ahead.c, along.c), and weighs what was
 * not foreseen (substep.c, ends.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SUBSTEP_H
#define ESS_SUBSTEP_H

#include "tangent.h"

/* survey.c */

/* The step just tried, which has been watched, becomes the base that courses are taken from. */
void ess_begin_courses(ess_driver *d);

/* Courses as they were before a try that is given up. */
void ess_restore_courses(ess_driver *d);

/* Courses from the end of the sub-step just accepted on, where the node is now. */
void ess_go_on_courses(ess_driver *d);

/* Event function k is curved until the base ends; none is. */
void ess_note_curved(ess_driver *d, size_t k);
void ess_forget_curved(ess_driver *d);

/* How many of the flagged guards are crossed along the step just tried within `window` of the
 * first, when that is, which is also where a cluster's first sub-step begins to differ from the
 * step, and when the last of them; false when none is crossed. Silent ones do not count. */
bool ess_survey_crossings(ess_driver *d, double window, size_t *count, double *first, double *last);

/* The same with fewer roots: at least so many are, for sure. */
void ess_survey_roughly(ess_driver *d, double window, size_t *count, double *first);

/* Lists the crossings along the sub-step without its jumps; notes the mode that those listed from a
 * place on find. */
void ess_list_crossings(ess_driver *d);
void ess_prepare_list(ess_driver *d, size_t from);

/* jumps.c: what the crossings made add to event functions */

/* Adds the i-th crossing, at that time, to what its group has made. */
static inline void ess_add_made_at(ess_made *m, const ess_cluster *c, size_t i, double time) {
  const double late = c->late[i];
  m->count += 1.0;
  m->times += time;
  m->late += late;
  m->late_times += late * time;
  m->spread += fabs(late);
}

static inline void ess_add_made(ess_made *m, const ess_cluster *c, size_t i) {
  ess_add_made_at(m, c, i, c->time[i]);
}

/* None of any group. */
static inline void ess_none_made(const ess_cluster *c, ess_made made[]) {
  for (size_t g = 0; g < c->group_count; g++) made[g] = (ess_made){0};
}

/* Crossings made until u, by group: at the sub-step's end all of them, which are summed once for
 * their times as they are. What they add to event function k at u, and to its rate. */
void ess_sum_made(const ess_driver *d, double u, ess_made made[ESS_GROUPS]);
const ess_made *ess_all_made(ess_driver *d);

/* They are elsewhere now. */
static inline void ess_forget_places(ess_cluster *c) {
  c->places.is_laid = c->places.is_summed = false;
}

static inline double ess_shift_by(const ess_group group[], size_t groups, size_t k,
                                  const ess_made made[], double u, double *rate) {
  double shift = 0.0, turn = 0.0;
  for (size_t g = 0; g < groups; g++) {
    const double jump = group[g].rate[k];
    shift += jump * (made[g].count * u - made[g].times);
    turn += jump * made[g].count;
    if (group[g].is_even) continue;
    const double trend = group[g].trend_rate[k];
    shift += trend * (made[g].late * u - made[g].late_times);
    turn += trend * made[g].late;
  }
  *rate = turn;
  return shift;
}

static inline double ess_shift(const ess_driver *d, size_t k, const ess_made made[], double u,
                               double *rate) {
  return ess_shift_by(d->cluster.group, d->cluster.group_count, k, made, u, rate);
}

/* The same for any event function, as sums of rates along groups' jumps and trends: what they add
 * at u, and to its rate there. */
typedef struct ess_terms {
  size_t count;
  const double *rate[2 * ESS_GROUPS];
  double shift[2 * ESS_GROUPS], turn[2 * ESS_GROUPS];
} ess_terms;
void ess_terms_of(const ess_driver *d, const ess_made made[], double u, ess_terms *t);

/* Jumps move no event function by more than this until u, and turn no rate by more. */
void ess_bound_shifts(const ess_driver *d, const ess_made made[], double u, double *shift,
                      double *turn);

/* times.c */

/* A crossing that turns out to come a little before or after the sub-step is made in it all the
 * same, when that little is less than this part of it. */
#define ESS_OUTSIDE 0.1

/* Corrects the crossings' times by courses and jumps, in closed form; where what is left matters to
 * the state, and for curved event functions, on the path itself. `corrected`: courses have been put
 * right in this try. *fit is false when a time moves too far. Crossings are in d->cluster.order by
 * their times then. */
int ess_move_times(ess_driver *d, bool corrected, bool *fit);

/* What the state is moved by, in units of the tolerance, when each crossing's time moves by this.
 */
double ess_weigh_moves(const ess_driver *d, const double moved[]);

/* Whether crossings whose rows concern the same event functions were made in the order of their
 * corrected times: that of the others changes nothing. */
bool ess_keeps_order(ess_driver *d);

/* ahead.c */

/* Corrects the crossings' times, and adds crossings that their jumps lead to; the sub-step may come
 * to end elsewhere, with a crossing. *well is false when it is too long for that. */
int ess_correct_times(ess_driver *d, bool *well);

/* along.c */

/* Whether event function k has no crossing that is missing: it is not armed, its crossing has been
 * made, or can wait until the sub-step's end, being silent, armed within, and arming no other. */
bool ess_is_settled(const ess_driver *d, size_t k);

/* Whether event function k, which is not crossed, stays below zero from the first crossing on, its
 * course put right by `off` at the end and in doubt by as much on the way. */
bool ess_stays_below(ess_driver *d, size_t k, double off);

/* Calls the event functions along the path with jumps for the curved ones: *safe is false when one
 * does, or may do, what is not listed; *missing is set when one rises once and for good, which can
 * be listed. */
int ess_watch_curved(ess_driver *d, bool *safe, bool *missing);

/* ends.c: what the state is off by, in units of the tolerance, since event functions end the
 * sub-step, in h_try and rate_try, otherwise than foreseen; INFINITY where one may have been
 * crossed unseen, or turns out to be curved, or is not a number. */
int ess_weigh_ends(ess_driver *d, double *unforeseen);

/* substep.c */

/* Tries the sub-step of d->cluster: its crossings are made, x_end is the state at its end, stage[6]
 * the field there. Accept when *error <= 1; not finite when it is too long for its guards. */
int ess_substep_try(ess_driver *d, double *error);

/* The same, shorter, with the jumps as they have been measured: one call of the field; and whether
 * that can be done. */
bool ess_substep_can_shorten(const ess_driver *d, double length);
int ess_substep_shorten(ess_driver *d, double length, double *error);

/* groups.c: makes the listed crossings, from a place on, and measures what they add to the field;
 * *fit is false when they need too many groups. */
int ess_make_groups(ess_driver *d, size_t from, bool *fit);

/* Makes what is left of the list in the groups it was measured in, when a sub-step is shortened. */
int ess_shorten_groups(ess_driver *d, bool *fit);

/* Keeps what the groups of an accepted sub-step have added; called before the node moves. */
void ess_remember_groups(ess_driver *d);

/* path.c: the sub-step's path at u, and its rate; without what its crossings add, and with it. */
void ess_path_without_jumps(const ess_driver *d, double u, double x[], double rate[]);
void ess_path(const ess_driver *d, double u, double x[], double rate[]);

/* rows.c */

/* An event function along the sub-step less what jumps add: powers of the time since `from`, and
 * what that may be off by. */
typedef struct ess_bare {
  double from, a[ESS_QUARTIC], doubt;
} ess_bare;

/* Whether what crossings and their rows do to guards is right on the path that
 * the jumps make: of all event functions that are not curved, and of one. The sub-step is too long
 * where it is not. */
bool ess_rows_agree(ess_driver *d);
bool ess_agrees_with_rows(ess_driver *d, size_t k, const ess_bare *bare);

/* undo.c: makes the i-th crossing as ess_cross does, where its row looks at the path with the jumps
 * of the groups before it, and notes what that changes; takes back what has been noted beyond the
 * first `noted`; takes back all of it after a failure, without a word to the model, which is told
 * of the mode when the run is resumed. */
int ess_cross_noted(ess_driver *d, size_t i);
int ess_take_back(ess_driver *d, size_t noted);
void ess_forget_crossings(ess_driver *d);

#endif
