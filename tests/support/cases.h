/*
 * Cases: files of hybrid systems (hybrid.h) with the settings of their runs, and what is expected.
 *
 *   == A ball comes to rest on its floor
 *   z' = v; v' = -9.81; floor: z; hit down floor: v = -e*v; e = 0.5
 *   from 0: z = 1; to 4
 *   run sliding; rest; tolerance 1e-6,1e-9; base dopri5,rkc; e 0.2,0.5
 *   expect success
 *   expect z = 0 within tolerance
 *   expect slides = 1
 *
 * A title says why the case is there. A line `as above` stands for the text of the case before, to
 * which the lines behind it add, or give names another meaning. A run line has settings, separated
 * by semicolons; several values of one, separated by commas, are runs for each, and for each
 * combination with those of others; `a/b 1/2,3/4` are two values of both. Settings are
 *
 *   tolerance rtol atol epsilon order h_max h_init max_steps max_crossings tie zeno liveness
 *   duration_max        options; tolerance is rtol = atol
 *   base                dopri5, rkc, chosen, rodas, ros2, chosen_rodas, lit
 *   locate event_cost   all, none, chosen; and the cost that chosen takes
 *   paper sliding rest                   without a value, or on,off
 *   follow record by_states              with tangents, or the adjoint of a recording, by initial
 *                       states and parameters, or by states alone
 *   by                  follow,record: runs of both kinds
 *   d_NAME directions   along one direction, with these parts; or so many
 *   piece bytes         the piece that is chosen, from 1; the size of a recording
 *   until               N: the run ends at the Nth message of `stops`, and its derivative is
 *                       that of the state there and of its time
 *   at                  NAME: the run ends at a crossing of this event function or watched one
 *   hears               what observers listen to, in words as those of stops
 *   gives               all, none, or some of field, jacobian, rates, times (a column of the
 *                       Jacobian), by, weights, fixed, moves, idle, plain, joined with +
 *   stops every         steps, crossings, impacts, events, slides, joined with +: the run is
 *                       stopped at each `every`th and continued
 *   parts               applies of equal length to the end
 *   back                the run goes on to the initial time again, also from a message `until`
 *   step                h_max and h_init
 *   samples             so many samples, from the first after the initial time to the end
 *   share               of the Jacobian, in field_jacobian and field_solve
 *   fail                CALLBACK[ENTRY]@CALL=CODE: from its 7th call on, field@7=3 returns 3,
 *                       field[1]@7:=nan (or field@7=nan) writes that as entry 1, and
 *                       guards[1]@1*=0.5 halves it
 *   NAME                a parameter or an initial value
 *   random N            N runs; in these a value LOW..HIGH is drawn; LOW...HIGH by its logarithm
 *
 * and what is expected of the run lines just before it, separated by semicolons or on lines:
 *
 *   success, or a status such as ESLIDING; EZENO or EGRAZING; without any, success is expected
 *   success or STATUS, at most N   the rest is expected of success, which at most N runs miss
 *   EXPR = EXPR within EXPR, EXPR < EXPR; also <=, >, >=, =, !=
 *                       in final states, parameters, abbreviations, t, [signs], sum(N: E), and the
 *                       numbers of cases.c. Among them are D_x_p, the derivative of x by p, D_t_p
 *                       of the time, D_x along a direction, and plain_steps and so on, of a run
 *                       without a derivative.
 *   truth within EXPR   the truth's final states, in units of (1 + |x|), and signs; where impacts
 *                       accumulate, EZENO at the truth's time
 *   messages within EXPR           the truth's messages, at its times
 *       ... beyond EXPR            unless the truth is nearer than that to another outcome; it has
 *                                  to decide two thirds of the runs
 *       ... if clear               unless the system does not decide (truth_is_clear)
 *   whole within EXPR   the run without stops, in one part: states in these units, and messages
 *   exact within EXPR   those of the text's `exact` lines
 *   samples within EXPR, samples exact within EXPR      the same of each sample
 *   tangents within EXPR           the truth's derivatives by initial states and parameters; the
 *                       adjoint is their transpose, within 100*tolerance or, after `adjoint
 *                       within`, this
 *   N: crossing|impact|event|slide NAME up|down at EXPR within EXPR
 *                       the Nth message of observers; a slide begins up and ends down
 *   slide N: NAME up|down ...      the Nth of its kind
 *   guard NAME, other NAME         of a failure
 *   X or Y              one of two expectations: EJACOBIAN or truth within 1e-6
 *   reason TEXT         a part of the failure's reason
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CASES_H
#define CASES_H

#include "hybrid.h"

typedef struct case_run {
  char *settings;
  char **expected;
  size_t count;
} case_run;

typedef struct a_case {
  char *title, *text;
  case_run *runs;
  size_t count;
  int line; /* of the title in its file */
} a_case;

typedef struct cases {
  char *text;
  a_case *cases;
  size_t count;
} cases;

/* Reads a file; one that cannot be read ends the program with a message. */
cases cases_read(const char *path);
void cases_free(cases *c);

/* The plan that a setting changes, or the system. */
void case_set(hybrid *h, hybrid_plan *plan, const char *name, const char *value);

/* All runs of a case: how many, and how many are not as expected, which are printed. */
typedef struct case_result {
  size_t runs, failed;
} case_result;
case_result case_check(const char *path, const a_case *c);

/* One draw of a case's run with `random`, and a value of each list: false, if it is not random. */
typedef struct case_outcome {
  int status;
  bool is_right, is_undecided;
  double tolerance, error;
} case_outcome;
bool case_draw(const a_case *c, size_t run, uint64_t seed, case_outcome *o);

#endif
