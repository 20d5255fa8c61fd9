/*
 * Crossings in quick succession, made in sub-steps within one integration step
 * (docs/theory/sub-steps.md): what the files of the method by one tolerance share.
 *
 * The integration step, the *base*, is a path P(t) in the mode frozen at its start. What crossings
 * change is added to it: over a sub-step that begins at the node, u = 0, and ends at u = U,
 *
 *   x(u) = P + deviation + drift u + bend u^2 / 2 + sum over crossings j of jump_j (u - u_j)+
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CLUSTER_STATE_H
#define ESS_CLUSTER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ESS_GROUPS = 16 }; /* groups in a sub-step at most: one that needs more is too long */

/* How a group's jumps are measured (groups.c). */
typedef enum ess_way {
  ESS_AT_ONCE,             /* all together: shows their sum alone */
  ESS_ONE_AFTER_THE_OTHER, /* first half, second half: shows a trend */
  ESS_ONE_AND_THE_REST,    /* one of them, the others: shows whether they are alike */
  ESS_BOTH                 /* the first half so, and the second: shows both */
} ess_way;

/* Crossings of a sub-step whose jumps of the field are taken as alike. */
typedef struct ess_group {
  size_t begin, end; /* in the list of crossings, by predicted time */
  size_t jumps;      /* how many of them are not silent */
  double mean;       /* of their times since the node */
  double *jump;      /* what each adds to the field, on the average */
  double size;       /* norm of that, in units of the tolerance */
  double *trend; /* and how much more for each unit of time that it comes later; not if is_even */
  double *rate, *trend_rate;         /* what both add to the rates of the event functions */
  double rate_most, trend_rate_most; /* the largest of each */
  double *unlike;                    /* what they do beside the trend, as in ess_memory */
  bool is_alike;                     /* as in ess_memory */
  bool is_even;                      /* no trend has been measured */
  bool latches;  /* the row of one has found another event function on its other side */
  int64_t class; /* direction and label */
  ess_way way;
  size_t half, chosen; /* where its second half begins, and the one measured by itself */
} ess_group;

/* Crossings of a group that have been made: their number and the sum of their times; both again,
 * each weighted by how much later than the group's mean it was listed; and the sum of these weights
 * without sign. */
typedef struct ess_made {
  double count, times, late, late_times, spread;
} ess_made;

enum { ESS_LOOKS = 3, ESS_PLACES = 16, ESS_PLACED = 20 }; /* filled up to whole lanes */

/* ess_made by place, so that places are looked at in lanes. */
typedef struct ess_made_until {
  double count[ESS_PLACED], times[ESS_PLACED], late[ESS_PLACED], late_times[ESS_PLACED];
  double spread[ESS_PLACED];
} ess_made_until;

/* What has been made until places of the sub-step from its first crossing on, when somebody has
 * asked (unlisted.c), by group; and by its end (jumps.c). */
typedef struct ess_places {
  bool is_laid, is_summed;
  double u[ESS_PLACED];
  ess_made_until until[ESS_GROUPS];
  ess_made all[ESS_GROUPS];
} ess_places;

enum { ESS_CLASSES = 4 }; /* whose last jumps are remembered */

/* What the last group of a class was like. */
typedef struct ess_memory {
  int64_t class;
  bool is_set;
  double t;    /* mean time */
  double size; /* as in ess_group */
  double *jump, *trend;
  double *unlike; /* what jumps that differ otherwise do to the state, over sum |time - mean| */
  unsigned count; /* groups since it became known */
  bool is_alike;  /* the last that were measured in parts were much the same */
} ess_memory;

/* An event function as it was before a crossing changed it. */
typedef struct ess_noted {
  size_t guard;
  double sign, side;
  size_t by;          /* that crossing, in the list */
  signed char effect; /* of its row on it; 0: it is its own event function */
  size_t before;      /* what was noted of it in this try before that; or ESS_NONE */
} ess_noted;

#define ESS_NONE SIZE_MAX

typedef struct ess_cluster {
  /* the base: where it began, and how far from there the node is */
  double base_t, base_dt, offset;
  double *base_x;
  double *base_end, *base_end_f; /* its end, and the field there, for who takes it after all */

  unsigned substeps; /* made so far along it */
  double *inexact;   /* by event function: what its model over the base may be off by */

  /* courses (course.h), by event function: coefficients of the second to fourth power of the time
   * since the node; the first two are its own value and rate there */
  double *square, *cubic, *quartic;

  /* event functions that are curved: their courses do not tell what they are where jumps lead. By
   * event function, and as a list; until the base ends */
  bool *is_curved;
  size_t *curved, curved_count;

  /* the path's deviation from the base, from the node on */
  bool deviates; /* false: the path is still the base's */
  double *deviation, *drift, *bend;

  double *at, *before; /* the path where the crossings begin, and the field there before them */

  /* the sub-step being tried */
  double length;  /* U */
  double latest;  /* by how much a crossing at its beginning may have come before it */
  double from;    /* u from which on it is not the base's: 0, or the first crossing's */
  double weight;  /* of the defect in the state */
  double moved;   /* what its crossings' times may be off by, in the state, by the tolerance */
  double wait;    /* a guard passed for no longer at its end may be crossed in the next sub-step */
  double turn;    /* by how much its jumps may turn the rate of any event function, */
  double shift;   /* and move its value */
  bool looks;     /* event functions are called at its path's end: courses may not tell */
  double age;     /* of the defect: for how long it has grown */
  double doubt;   /* by how much the weight may be off */
  double *defect; /* f - x' at its end */
  double *unlike; /* by state: what jumps unlike within groups may do to the state */
  ess_group group[ESS_GROUPS];
  size_t group_count;
  double too_unlike; /* the error where jumps are too unlike for groups; INFINITY: unknown */
  bool is_aligned;   /* it ends where the next crossing is expected */
  bool is_measured;  /* its groups are complete */
  bool is_hopeless;  /* no shorter one helps: a guard armed in it is crossed in it, or one that it
                        crosses is approached again */
  bool is_extended;  /* by crossings that its own jumps have led to */
  ess_memory memory[ESS_CLASSES];
  size_t next_memory;
  uint64_t pattern; /* which of a group's crossings are measured first changes with it */

  /* proposal for the next sub-step's length after its first crossing; 0: none */
  double next_length;

  /* how much the sub-step may bear by the last error: the number of its crossings times its length;
   * 0: nothing is known yet */
  double load;

  /* the sub-step's crossings, by time since the node */
  size_t *crossing, count; /* event functions */
  size_t made_count;       /* how many of them have been made */
  size_t *order;           /* those, by time */
  ess_places places;       /* for their times as they are */
  double *time;
  size_t *of_group; /* of those that are not silent */
  double *root;     /* by event function, of those flagged: when its course rises through zero;
                       INFINITY when Newton steps do not tell */
  double listed;    /* length for which crossings were listed */
  double *way;      /* by event function: its course changes by no more until then */
  bool *has_ways;   /* by block: somebody has asked */
  bool *is_far;     /* by lanes, at the first of them: passed over, being far from their zeros; not
                       in blocks of which none is armed */
  size_t *far, far_count;   /* those, */
  size_t *near, near_count; /* and the others, to be looked at */
  double *ahead;     /* by event function: what it is expected to be at the path's end; then by how
                        much more it is at the end corrected by the defect */
  double *corrected; /* what has been added to its course's square in this try, */
  bool is_corrected; /* if anything has */
  double *defect_rate;          /* and what was not foreseen of its rate at the corrected end */
  double *seen[5];              /* scratch: event functions on the path, or their rates */
  size_t *passed, passed_count; /* silent guards that are crossed where it ends */
  double *listed_side;
  double *late;      /* by how much later than its group's mean it came, when that was measured */
  signed char *part; /* of its group that it is measured with, where the group has several */
  bool *is_silent;   /* or no crossing after all */
  bool *is_told;     /* by event function: its jump has been told apart from others */
  bool *is_made;

  /* event functions that crossings of this trial concern, and those crossed, have its number */
  uint64_t trial, *touched, *crossed;
  uint64_t accepted; /* the trial that the last sub-step came of */

  /* event functions that a group's rows concern have its number */
  uint64_t concern, *concerned;

  /* what the mode was before its crossings; and by event function, of those that they concern, the
   * last of that */
  ess_noted *noted;
  size_t noted_count, *last_noted;
} ess_cluster;

#endif
