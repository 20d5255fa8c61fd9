/*
 * The core: callbacks, the caller's system and options, bases and the steps that they make, and
 * dense output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CORE_H
#define ESS_CORE_H

#include "slides.h"

/* ---- the system's callbacks, as the driver calls them ---------------------------------------- */

/* Calls the field without a check: the error control sees values that are not finite. */
int ess_field(ess_driver *d, double t, const double x[], double f[]);

/* The same with other signs than the latched ones; the model has been notified of them. */
int ess_field_at(ess_driver *d, const double sign[], double t, const double x[], double f[]);

/* The field's Jacobian, as the caller gives it, by rows. */
int ess_field_jacobian(ess_driver *d, double t, const double x[], double J[]);

/* h at time t and state x. */
int ess_event_values(ess_driver *d, double t, const double x[], double h[]);

/* h and grad h . v there. */
int ess_guard_rates(ess_driver *d, double t, const double x[], const double v[], double h[],
                    double rate[]);

/* The same for event functions which[count] alone: h[i] and rate[i] are those of which[i]. h and
 * rate have room for all of them. */
int ess_some_guard_rates(ess_driver *d, double t, const double x[], const double v[],
                         const size_t which[], size_t count, double h[], double rate[]);

/* Turns a callback's code, not 0, into a status; any code. */
int ess_callback_failed(ess_driver *d, int code);
static inline int ess_called(ess_driver *d, int code) {
  return code ? ess_callback_failed(d, code) : ESS_SUCCESS;
}

/* Tells the model which sign changed: that of one event function, or all (event_count). */
static inline int ess_announce(ess_driver *d, size_t guard) {
  const ess_system *const s = &d->system;
  d->apply.t_seen = d->t;
  return s->mode_changed ? ess_called(d, s->mode_changed(d->sign, guard, s->params)) : ESS_SUCCESS;
}

/* All signs are these, of which the model is told where they change, or does not know them. */
int ess_take_signs(ess_driver *d, const double sign[]);

/* Where events are stepped over, before each try of a step and each solution for the Jacobian at
 * the node: the signs are those of the node. */
int ess_return_to_node(ess_driver *d);

/* Event function k takes this sign, of which the model is told where it is another. */
static inline int ess_take_sign(ess_driver *d, size_t k, double sign) {
  if (d->sign[k] * sign > 0.0) return ESS_SUCCESS;
  d->sign[k] = sign;
  return ess_announce(d, k);
}

/* f, h and rates at the node; fails when f is not finite. */
int ess_evaluate_node(ess_driver *d);

/* Event functions and rates, into h_try and rate_end, so much later straight along the field. */
int ess_look_later(ess_driver *d, double later);

/* Fails when the state that is to become the node is not finite: sums of huge terms overflow. */
int ess_check_state(ess_driver *d, const double x[]);

/* Fails when an event function or rate at the node is not finite. */
int ess_check_events(ess_driver *d);

/* Fails when one of these is not finite of an event function whose guard is armed. */
int ess_check_armed(ess_driver *d, const double h[], const double rate[]);

/* On which side of every guard the state is where a trajectory begins, or where events are located
 * from now on: the signs are latched, the node is evaluated, and guards are armed. */
int ess_latch(ess_driver *d);

/* ---- why a run has stopped ------------------------------------------------------------------- */

/* Records why the run stopped and returns `status`; why a call was refused, as of now or the
 * caller's time t, and returns ESS_EINVAL; that the field is no number, or what is slid on, where
 * that is why; forgets all that. */
int ess_fail(ess_driver *d, ess_status status, size_t guard);
int ess_refuse(ess_driver *d, const char *reason);
int ess_refuse_at(ess_driver *d, double t, const char *reason);
int ess_fail_field(ess_driver *d);
void ess_no_failure(ess_driver *d);

/* ---- the caller's system --------------------------------------------------------------------- */

/* Takes the caller's system, before there is memory for anything; false where it is more than that
 * can hold. Then lays out the scratch of one whose rates are not all the caller's. */
bool ess_caller_take(ess_driver *d, const ess_system *system);
void ess_caller_lay(ess_driver *d, ess_layout *l);

/* Puts the system that is integrated in the place of the caller's: its impacts and rows are copied
 * by now, or others. */
void ess_caller_dress(ess_driver *d);

/* Time goes the other way from now on: the mode is that of the state, where it says that. */
void ess_caller_turn(ess_driver *d, double way);

/* The state that is integrated, of the caller's x at the driver's time t. */
const double *ess_caller_state(ess_driver *d, double t, const double x[]);

/* The caller's event functions, and then what it watches, at its time t; 0, or what a callback
 * returned. */
int ess_caller_events(ess_driver *d, double t, const double x[], double h[]);

/* The functions of ess_watch alone, from h + watched.first on. */
int ess_watch_values(ess_driver *d, double t, const double x[], double h[]);

/* ---- slope ----------------------------------------------------------------------------------- */

/* Some event functions, of which alone rates are sought: either of the caller's or watched ones. */
typedef struct ess_sought {
  const size_t *which;
  size_t count;
  bool by_field; /* along the field, or one beside */
} ess_sought;

/* These alone, or all where `sought` is NULL. */
int ess_sought_guards(ess_driver *d, double t, const double x[], const ess_sought *sought,
                      double h[]);

/* rate[m] = dh/dx v + dh/dt vt of these event functions, h[m] at the caller's time t and state
 * x[n]; 0, or what a callback returned. `sought` is NULL for all. */
int ess_slope(ess_driver *d, double t, const double x[], double vt, const double v[],
              const double h[], const ess_sought *sought, double rate[]);

/* At the start of a step along which the state slides by differences: the rounding of event
 * functions, and the size of the terms of their rates, whose sum is then zero. */
int ess_slope_weigh(ess_driver *d);

/* Another trajectory begins: nothing of that is known. */
void ess_slope_forget(ess_driver *d);

/* Rates of the caller's event functions by its Jacobian at its time t, without the part by time. */
int ess_rates_by_jacobian(ess_driver *d, double t, const double x[], const double v[], double h[],
                          double rate[]);

/* As ess_guard_rates, of the caller's event functions alone; where rates are differences only those
 * that are sought are found. */
int ess_sought_guard_rates(ess_driver *d, double t, const double x[], const double v[],
                           const ess_sought *sought, double h[], double rate[]);

/* ---- what is only watched -------------------------------------------------------------------- */

/* One line about what is wrong with what is watched; NULL when nothing is. */
const char *ess_watched_check(const ess_system *system);

/* The caller's system becomes the one with what it watches as event functions. */
void ess_watched_join(ess_driver *d, ess_system *system);

/* Lays out what that needs, which then takes what the caller has told of it. */
void ess_watched_lay(ess_driver *d, ess_layout *l);
void ess_watched_take(ess_driver *d, const ess_watch *watch);

/* Counts of events begin anew. */
void ess_watched_reset(ess_driver *d);

/* Latches watched functions that are about to pass zero, with nothing but the error of a located
 * crossing between, to the side beyond: a run that continues from an event does not report it
 * again. At the node where a run starts, which is evaluated. */
int ess_watched_pass(ess_driver *d);

/* The observer that is told of all event functions, for the caller's, which is told of its own. */
ess_observer ess_watched_observer(ess_driver *d, const ess_observer *observer);

/* An impact with those of its events alone that the caller knows of. */
ess_impact ess_watched_impact(const ess_driver *d, const ess_impact *impact);

/* On which sides watched functions are after an impact that the map has been made of, at the
 * caller's time; 0, or what a callback returned. */
int ess_watched_map(ess_driver *d, ess_impact *impact);

/* ---- jumps of the field by time -------------------------------------------------------------- */

/* One line about what is wrong with their times; NULL when nothing is. */
const char *ess_field_jumps_check(const ess_system *system);

/* Why the table of combinations refuses these options with one of its columns; NULL if it does not.
 */
typedef enum ess_with {
  ESS_WITH_SLIDING,
  ESS_WITH_WATCH,
  ESS_WITH_TANGENTS,
  ESS_WITH_RECORDING,
  ESS_WITH_PROJECTION /* which has a line, but no column */
} ess_with;
const char *ess_refused_with(const ess_options *options, ess_with with);

/* A step that begins at this time is integrated between the jumps beside it. */
void ess_go_between(ess_driver *d, double t);

/* The run is there, and goes on; where that is at a jump its next step is as the first. */
void ess_begin_between(ess_driver *d, double t);

/* The node is where the field jumps: it is evaluated anew on the other side. */
int ess_pass_field_jump(ess_driver *d);

/* The time with which the field is called. */
static inline double ess_field_time(const ess_driver *d, double t) {
  const ess_between *const b = &d->between;
  return t >= b->next ? b->before : t == b->passed ? b->after : t;
}

/* ---- bases ----------------------------------------------------------------------------------- */

/* The composition of a step. */
typedef enum ess_base_kind {
  ESS_EXPLICIT,   /* the stages of the pair, along which directions are followed */
  ESS_THROUGH,    /* the same with crossings among them, which are made with the step */
  ESS_STABILISED, /* many stages: directions follow its dense output */
  ESS_IMPLICIT    /* solutions of linear equations: the rounding of each state is in all others */
} ess_base_kind;

/* A base: d->base makes the step being tried. */
typedef struct ess_stepper {
  ess_base_kind kind;
  /* Before each try: looks at the field at the node; NULL: the base need not. */
  int (*begin)(ess_driver *d);
  /* Tries a step of length d->dt from the node: the state at its end is in x_end, the field there
   * in the last stage; *error is the scaled error (stands when <= 1; not finite when the field is
   * not). */
  int (*try)(ess_driver *d, double *error);
  ess_verdict (*judge)(ess_driver *d, double error); /* whether that lets it stand */
  void (*dense)(ess_driver *d);                      /* its dense output; NULL: the try makes it */
  /* Event functions and rates at its end; NULL: by the field there. */
  int (*rates)(ess_driver *d);
  int first, last; /* stages that hold how fast the state moves at its ends */
  double alpha;    /* exponent of the error in the next length, for ess_control_judge */
  double safety;   /* factor on it after a crossing or a refusal */
  double severity; /* error of the dense output, on which crossings are located, over that of x_end
                    */
  /* > 0: it knows the field at the node before, in d->beside; where a run goes on, if the field
   * here differs from the last step's by no more, over a step, in tolerances. */
  double near_beside;
  /* The step just tried is to be cut where `found` says: whether it stands, or is to end there
   * instead; NULL: it stands. */
  ess_verdict (*approach)(ess_driver *d, ess_location *found);
  const struct ess_stepper *brief;    /* a step of this one that is cut soon may be by that one */
  const struct ess_stepper *fallback; /* makes the step where a bound after a crossing refuses this
                                         one; NULL: the same base */
  /* For a base that may be chosen in place of dopri5: evaluations of the field for each unit of
   * time, by its step just made, and as the step of dopri5 just made predicts, whose estimate by
   * its ends is in x_try. It begins below `begins` times the evaluations of dopri5, and ends above
   * `ends` times their fewest. After fewer steps in a row than `pays` it begins again after as many
   * others, and each time after twice as many. */
  double (*cost)(ess_driver *d), (*cost_instead)(ess_driver *d, double radius);
  double begins, ends;
  uint64_t pays;
} ess_stepper;

extern const ess_stepper ess_base_dopri5, ess_base_brief; /* of order 5 and 3 */
extern const ess_stepper ess_base_rkc, ess_base_ros2;     /* of order 2: stabilised, implicit */
extern const ess_stepper ess_base_lit;                    /* of order 2, implicit, two-step */
extern const ess_stepper ess_base_rodas;                  /* of order 4, implicit */
extern const ess_stepper ess_base_through;                /* dopri5 through crossings */

/* A try by the pair of the base, or by the one of order 5. */
int ess_dopri5_try(ess_driver *d, double *error);

/* severity of dense outputs by the pair's stages, or by both ends */
static const double ESS_SEVERITY = 6.0;

/* ---- options --------------------------------------------------------------------------------- */

/* These are in force from here on, their arrays copied. */
void ess_take_options(ess_driver *d, const ess_options *options);

/* ---- the pair of Dormand and Prince ---------------------------------------------------------- */

/* State of stage s of the step just tried, and its time. */
double ess_dopri5_stage(const ess_driver *d, int s, double x[]);

/* State of stage s > 0 of any step from x: to the last bit the same as in the run, so that what is
 * differenced there is, too. */
void ess_dopri5_stage_of(const ess_driver *d, int s, double dt, const double x[],
                         double *const stage[], double to[]);

/* to = base + dt times a weighed sum of so many rates, `count` values; base NULL is zero */
static inline void ess_sum_rates(double dt, const double base[], double *const rate[],
                                 const double weight[], int rates, size_t count, double to[]) {
  for (size_t i = 0; i < count; i++) {
    double sum = 0.0;
    for (int s = 0; s < rates; s++) sum += weight[s] * rate[s][i];
    to[i] = (base ? base[i] : 0.0) + dt * sum;
  }
}

/* The pair's sums for any rates in the stages of a step: to = base + dt sum of rates, `count`
 * values. What is summed is the number of a stage, whose value it gives, or: */
typedef enum ess_sum {
  ESS_SUM_DENSE = ESS_STAGES, /* the last coefficient of the dense output */
  ESS_SUM_ERROR
} ess_sum;
void ess_dopri5_sum(ess_sum what, double dt, const double base[], double *const rate[],
                    size_t count, double to[]);

/* The pair by stage: where it is, how much of the rates before is in its state; and its weight in
 * the end, in the error, and in the last coefficient of the dense output. */
extern const double ess_dopri5_c[ESS_STAGES], ess_dopri5_a[ESS_STAGES][ESS_STAGES - 1];
extern const double ess_dopri5_b[ESS_STAGES], ess_dopri5_e[ESS_STAGES], ess_dopri5_d[ESS_STAGES];

/* The dense output of the step just tried, by the stages of the pair, or a cubic by the field at
 * both ends. Then its state at theta in [0, 1], and how fast that moves along it, whatever made the
 * step. */
void ess_dense_of_pair(ess_driver *d);
void ess_dense_of_ends(ess_driver *d);
void ess_dopri5_dense(const ess_driver *d, double theta, double x[]);
void ess_dopri5_slope(const ess_driver *d, double theta, double slope[]);

/* The same of any step, from x to the end, by its stages' rates; of so many states, where arrays
 * that are read are filled up to whole lanes. */
void ess_dopri5_dense_of(const ess_driver *d, double dt, const double x[], const double end[],
                         double *const stage[], double *const dense[]);
void ess_dopri5_along(size_t count, const double x[], double *const dense[], double theta,
                      double to[]);

/* ---- which base makes steps ------------------------------------------------------------------ */

/* Whether steps may be by an implicit base; and what bases need, false when there is no memory. */
bool ess_may_be_implicit(ess_base option);
bool ess_base_alloc(ess_driver *d, ess_base option);

/* The driver's option is another; another trajectory begins; the field may be another, on both
 * sides of the node; an apply begins, for which the state may have been moved, and then the field
 * there is known. */
void ess_base_take(ess_driver *d);
void ess_base_reset(ess_driver *d);
void ess_base_forget(ess_driver *d);
void ess_base_leave(ess_driver *d, bool moved);
void ess_base_resume(ess_driver *d);

/* Before the first try of a step: which base makes it. After a try that stands: which is to make
 * the next, if there are two. */
int ess_base_start(ess_driver *d);
void ess_base_choose(ess_driver *d, double t1);

/* Where dopri5's steps have become shorter than time resolves: whether RODAS, which may be chosen,
 * is to make the next, which is as long as the last that was made. */
bool ess_base_turn_stiff(ess_driver *d);

/* Increment of a difference in time, in steps. */
static const double ESS_LATER = 0x1p-20;

/* To find how the field changes states are moved by the root of rounding in their units: of state i
 * its size, or that below which its tolerance is absolute, and less where it would be moved by more
 * than that tolerance. */
static inline double ess_unit_beside(const ess_driver *d, size_t i) {
  const double unit = fabs(d->x[i]) + d->atol[i] / ess_larger(d->rtol[i], sqrt(DBL_EPSILON));
  return unit > 0.0 && unit < INFINITY ? unit : 1.0;
}

/* Observations in a row that count where they agree: difference quotients, each over a shorter
 * interval; ratios of impacts that fall fast; pages of returns. They agree to this part: of what
 * the quotients differ by from the entry of a Jacobian, or the ratios from 1. */
enum { ESS_AGREEING = 3 };
static const double ESS_AGREED = 0.1;

/* ---- stability ------------------------------------------------------------------------------- */

/* Radius times length: from which stability may limit a step of dopri5, whose ripple is then large
 * in the field, but not in the slope of the dense output; and of the first step after a crossing,
 * which excites the fastest motions, or after stabilised steps. */
static const double ESS_BOUND_FROM = 1.5, ESS_EXTENT_ANEW = 2.0;

/* attempted steps after which a spectral radius is computed again */
enum { ESS_RADIUS_TRIES = 25 };

/* Into d->stabilised: the spectral radius of the field's Jacobian at the node, by a power iteration
 * from the direction found last. The multiplier multiplies a direction by that matrix, up to a
 * factor, and returns its growth. */
typedef int ess_multiplier(ess_driver *d, double v[], double *grown);
int ess_find_radius(ess_driver *d, ess_multiplier *multiply);

/* Root mean square of v, or of v - w, in the units of states. */
double ess_size_beside(const ess_driver *d, const double v[], const double w[]);

/* The field's Jacobian has a spectral radius of this or more, as the last two stages of dopri5's
 * step show it, and where that shows; 0 where they do not. Into x_try goes the state of the first.
 */
double ess_radius_shown(ess_driver *d, double ripple[]);

/* Into x_try: the error of a stabilised step as long as the one just tried by any base, from the
 * field at its ends; and its size over the tolerance. */
void ess_estimate_by_ends(ess_driver *d);
double ess_error_of_order_2(ess_driver *d);

/* Exponent of the error in the next length: between those of errors that grow with h^3 and h. */
#define ESS_BY_SQUARE 0.4

/* ---- implicit bases -------------------------------------------------------------------------- */

/* Memory of steps by RODAS, false when there is none; and its layout. The field may be another
 * from now on; and another trajectory begins. */
bool ess_rodas_alloc(ess_driver *d);
void ess_rodas_lay(ess_driver *d, ess_layout *l);
void ess_rodas_forget(ess_driver *d);
void ess_rodas_reset(ess_driver *d);

/* A step by ROS2, by the caller's field_solve. It notes the field at the node, as LIT's steps do,
 * and at the one before it, if the last step led here from that in the same mode. */
int ess_ros2_try(ess_driver *d, double *error);
void ess_look_beside(ess_driver *d);

/* Whether so many steps in a row have shown that W is too stiff for LIT that dopri5 goes on. */
static inline bool ess_distrusts(const ess_driver *d) {
  return d->choice.trust.alarms >= 2 * ESS_AGREEING;
}

/* An apply begins: what these steps know of the field beside stays what it is where the state has
 * not been moved. */
void ess_ros2_leave(ess_driver *d, bool moved);

/* ---- events that are stepped over ------------------------------------------------------------ */

/* Another trajectory begins. */
void ess_unlocated_begin(ess_driver *d);

/* The signs for field_solve; NULL where plain_field has made the last evaluation. */
static inline const double *ess_signs_to_solve(const ess_driver *d) {
  return d->unlocated.on && d->system.plain_field ? NULL : d->sign;
}

/* The step just tried, whose error lets it stand: is refused where signs have changed whose effects
 * the error may not show, since they cancel. */
ess_verdict ess_unlocated_judge(ess_driver *d);

/* Before each step: whether events are located, where that is chosen by what it costs. And where
 * they cannot be located, so that they are stepped over from there on. */
int ess_unlocated_choose(ess_driver *d);
int ess_unlocated_instead(ess_driver *d);

/* ---- steps ----------------------------------------------------------------------------------- */

/* One try of a step, no further than t1. */
ess_verdict ess_try_step(ess_driver *d, double t1);

/* The step just tried is in doubt for an event function: it is to be halved, or stands. */
ess_verdict ess_halve(ess_driver *d, ess_location *found);

/* It is made: its end is the node, or where it is cut, and then `cut` does what there is to do at
 * the node. */
int ess_take_step(ess_driver *d, const ess_location *found, double t1,
                  int (*cut)(ess_driver *d, double t0));

/* It is not made. Where its error has made it shorter than time resolves, the field may have become
 * stiff, or the run ends. */
int ess_refuse_step(ess_driver *d, const ess_verdict *v);

/* ---- the methods ----------------------------------------------------------------------------- */

/* What is still to be made at the node, where an observer has stopped the last apply, or a callback
 * has failed, between the crossings of an instant. */
int ess_finish_instant(ess_driver *d);

/* How crossings are made. */
typedef struct ess_scheme {
  int (*run)(ess_driver *d, double t1); /* towards t1 */
  /* Puts the level of event function k's armed guard, which is below zero, to what it is where the
   * guard first reaches it in the step just tried; NULL: no level is below zero. */
  void (*place_level)(ess_driver *d, size_t k);
} ess_scheme;

extern const ess_scheme ess_scheme_tolerance;

/* whether a crossing is made where it is located, to the tolerance, and not before its level */
static inline bool ess_locates(const ess_driver *d) {
  return !d->scheme->place_level;
}

/* factor by which a step's error is held below the tolerance */
static inline double ess_severity(const ess_driver *d) {
  return ess_locates(d) ? d->base->severity : 1.0;
}

/* ---- dense output ---------------------------------------------------------------------------- */

/* The last step, for who asks later, and the caller's samples on it. A new kind of step needs its
 * kind, a function that makes it the last, and a case in ess_piece_state. */

/* A point at the time that the apply begins, where it does not go on from the step before. */
void ess_piece_begin(ess_driver *d, double t, const double x[]);

/* The dense output of the step just tried is the last step, and x_end the node, which is `duration`
 * from where it was; or the parabola to x_try along f and v. Time advances with them. */
void ess_piece_step(ess_driver *d, double duration);
void ess_piece_parabola(ess_driver *d, double duration, const double v[]);

/* The whole step just made: its end is the node, whose field is already known (first same as last).
 */
void ess_take_whole_step(ess_driver *d, double t1);

/* The state within the piece: n values. */
void ess_piece_state(const ess_driver *d, double t, double x[]);

/* The second derivative of the last step's dense output where it ends; 0 where that is not here. */
void ess_piece_bend(const ess_driver *d, double bend[]);

/* ---- the caller's samples -------------------------------------------------------------------- */

/* Writes those up to time t_end on the last step; those at the node once more, to the last bit what
 * the state is there after an impact, or at the end; and what is left, with these. */
void ess_sample_piece(ess_driver *d, double t_end);
void ess_sample_node(ess_driver *d);
void ess_sample_rest(ess_driver *d);

#endif
