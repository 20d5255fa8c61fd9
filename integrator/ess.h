/*
 * libess: integration of event-selected systems through many near-simultaneous contacts.
 *
 * An event-selected system has a right-hand side f(x, sgn h) whose discontinuities lie on the zero
 * sets of event functions h : R^n -> R^m. When the state passes such a zero set, this is a
 * *crossing*: libess flips the sign of the event function and continues with the new right-hand
 * side. One tolerance controls the error of both steps and crossings. The method of Anderson &
 * Revzen ("Rapid Integrator for a Class of Multi-Contact Systems", 2024), which *projects* the
 * state onto guards within epsilon of them, is optional (ess_options_paper). ess_tangents.h
 * declares derivatives.
 *
 * A driver is allocated, applied up to a time, and freed. libess needs only libm and has no global
 * state. Several drivers may run in several threads if each system's `params` allows it.
 *
 * Shapes are given in n states, m event functions and P parameters; matrices are row-major. Times
 * and states are in the caller's units. The driver copies all data to which a system and options
 * point, except `params`, an observer's context, values of parameters and the arrays of
 * field_jumps, which the caller keeps. Pointers that callbacks and observers receive are valid
 * during the call only. Pointers that a driver's functions return belong to the driver and are
 * valid until it is freed; for a NULL driver they are NULL.
 *
 * A ball on a spring, from a height of 1 m:
 *
 *   static int f(double t, const double x[], const double sign[], double dxdt[], void *params) {
 *     dxdt[0] = x[1];
 *     dxdt[1] = sign[0] > 0.0 ? -9.81 - 1e4 * x[0] : -9.81;
 *     return 0;
 *   }
 *   static int h(double t, const double x[], double h[], void *params) { h[0] = -x[0]; return 0; }
 *   int main(void) {
 *     const ess_system ball = {.dimension = 2, .event_count = 1, .field = f, .event_functions = h};
 *     const ess_options options = ess_options_default();
 *     ess_driver *const driver = ess_driver_alloc(&ball, &options, NULL);
 *     double t = 0.0, x[] = {1.0, 0.0};
 *     const int status = driver ? ess_driver_apply(driver, &t, 2.0, x) : ESS_ENOMEM;
 *     ess_driver_free(driver);
 *     return status;
 *   }
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_H
#define ESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks the symbols that a shared library exports. */
#if defined(__GNUC__) && !defined(_WIN32) /* MinGW has no visibility, and warns */
#define ESS_API __attribute__((visibility("default")))
#else
#define ESS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version --------------------------------------------------------------------------------- */

/* Version of this header; while the major number is 0, another minor number breaks programs. */
#define ESS_VERSION_MAJOR 0
#define ESS_VERSION_MINOR 4
#define ESS_VERSION_PATCH 0
#define ESS_VERSION       "0.4.0"

/* Version of the library that runs, "major.minor.patch", in static storage. */
ESS_API const char *ess_version(void);

/* ---- statuses -------------------------------------------------------------------------------- */

/* Status that every function with an int result returns. docs/guide/troubleshooting.md has the
 * cause and the remedy of each. */
typedef enum ess_status {
  ESS_SUCCESS = 0,
  ESS_EINVAL,     /* an argument or option outside its accepted range */
  ESS_ENOMEM,     /* allocation failed */
  ESS_ECALLBACK,  /* a callback returned nonzero; see ess_failure.callback_code */
  ESS_EFIELD,     /* the right-hand side, or a derivative being propagated, is not finite */
  ESS_EEVENT,     /* an event function or its rate is not finite */
  ESS_EUNDERFLOW, /* the step size fell below the resolution of time */
  ESS_ELIVENESS,  /* an event function's rate at a projection is below projection.liveness */
  ESS_ECHATTER,   /* several guards send the state back to each other, and time does not advance */
  ESS_EMAXSTEPS,  /* options.max_steps reached */
  ESS_EMAXCROSSINGS,  /* options.max_crossings reached */
  ESS_ESTOP,          /* an observer, or ess_watch.stop, stopped the run */
  ESS_ESLIDING,       /* on both sides of a zero of h_k the field points towards it (Filippov) */
  ESS_ETOLERANCE,     /* the tolerance is below the rounding of a state */
  ESS_EJACOBIAN,      /* an event function or field contradicts its Jacobian */
  ESS_EIMPACT,        /* a state or mode that an impact's map, or `start`, returned is refused */
  ESS_EZENO,          /* impacts accumulate; ess_failure.time is the time of accumulation */
  ESS_EGRAZING,       /* an impact, or a crossing that tangents are taken through, has no rate */
  ESS_EDISCONTINUOUS, /* the result of simultaneous events depends on their order: no derivative */
  ESS_EAFFINE,        /* the field is not affine in the signs, although affine_in_signs is set */
  ESS_STATUS_COUNT
} ess_status;

/* Message of a status: static storage, lower case, no full stop. Never NULL. */
ESS_API const char *ess_strerror(int status);

/* The last failure of a driver. `time` is that of the last valid state, which the caller receives.
 * For ESS_EZENO it is the time of accumulation, extrapolated from the last impacts. If a callback
 * failed or returned a value that is not finite, it is the time of the state passed to it, which
 * may be later.
 *
 * ESS_ESLIDING: the event function was crossed back and forth nine times in a row without progress
 * in time. Or it was crossed thousands of times within the tolerance, and the rest of the run would
 * exceed max_steps or max_crossings. The state is where sliding begins. With ess_options.sliding:
 * the continuation from there is not unique.
 *
 * ESS_EIMPACT: the state is the one before the impact.
 *
 * ESS_EJACOBIAN: difference quotients along the field at two places agree with each other, and
 * differ from the rate by more than a quarter. ess_check_jacobian finds smaller errors. For
 * field_jacobian with ESS_BASE_RODAS: an entry differs from difference quotients on both sides of
 * the state by more than 0.2 %, and the resulting error is significant at the tolerance. */
typedef struct ess_failure {
  ess_status status;
  double time;
  size_t event;       /* the event function concerned, by index, or SIZE_MAX */
  size_t other_event; /* a second one: ESS_ECHATTER: the one crossed just before; ESS_ESLIDING,
                         ESS_EDISCONTINUOUS: another one concerned; else SIZE_MAX */
  int callback_code;  /* ESS_ECALLBACK: the value that the callback returned */
  const char *reason; /* one line in static storage, or NULL. ESS_EINVAL: the argument and the
                         accepted values; ESS_EIMPACT: the map's invalid result; ESS_ESLIDING: why
                         the continuation is not unique; ESS_EJACOBIAN: that field_jacobian is
                         concerned, or that no Jacobian is given and differences of
                         event_functions were used; ESS_EDISCONTINUOUS: that a jump of the field is
                         simultaneous */
  size_t row, column; /* ESS_EJACOBIAN: the entry of field_jacobian; else SIZE_MAX */
} ess_failure;

/* ---- guards and the guard reset matrix ------------------------------------------------------- */

/* A guard is the zero set of an event function together with the direction in which it is crossed.
 * Event function k has the guards ESS_GUARD_UP(k), crossed from h_k < 0, and ESS_GUARD_DOWN(k),
 * crossed from h_k > 0. The latched sign determines which of the two lies ahead. Only that guard
 * can be armed. If it is armed, the state crosses it; otherwise the state passes the zero without
 * effect. */
#define ESS_GUARD_UP(k)   (2 * (size_t)(k))
#define ESS_GUARD_DOWN(k) (2 * (size_t)(k) + 1)

/* Effect of the crossing of a guard. */
typedef enum ess_guard_kind {
  ESS_GUARD_CHANGES_FIELD, /* after it the field is that of the other sign */
  ESS_GUARD_ARMS_ONLY,     /* it only applies its row: neither its sign nor the signs that the row
                              latches have an effect on the field in any mode. It is crossed at the
                              end of the step that passes it, or before a projection that would
                              pass it. No step is shortened for it unless another crossing depends
                              on it, and observers do not receive it */
  ESS_GUARD_IMPACT,        /* the state jumps, by ess_impacts.map */
  ESS_GUARD_NONE           /* it is no guard: passing the zero in this direction has no effect, and
                              neither a row nor `start` arms it */
} ess_guard_kind;

/* An effect that the state at the crossing determines. The entry names either guard of an event
 * function. libess latches the sign that this event function has at the crossing, and arms the
 * guard that then lies ahead (none, if it is of kind ESS_GUARD_NONE). At h = 0 the sign is that of
 * the side to which the field points, in the mode after the preceding entries of the row; if the
 * field is tangential to the guard, the sign stays. An entry costs one evaluation of
 * event_functions, or of event_rates if it is given. */
#define ESS_ARM_AHEAD 2

/* The guard reset matrix R. The crossing of guard j disarms j and flips the sign of its event
 * function. libess then applies row j, whose entries arm (+1) or disarm (-1) guards. An entry that
 * arms a guard also latches the sign of that guard's event function to the side from which the
 * guard is crossed: a touch-down that arms the release of the same contact thereby declares that
 * the contact's force is now positive. Rows are stored one after the other.
 *
 * There is one row more than there are guards: row 2m is applied after an integration step that
 * ends with no guard armed. In this row +1 arms only guards whose event function is strictly on
 * their near side, and ESS_ARM_AHEAD those of either side. The paper's pool rule is a matrix with
 * this row alone. */
typedef struct ess_reset_matrix {
  const size_t *row_start;   /* [2m+2]: row j holds entries row_start[j] .. row_start[j+1]-1 */
  const size_t *guard;       /* [row_start[2m+1]]: the guard an entry concerns, < 2m */
  const signed char *effect; /* [row_start[2m+1]]: +1 arms it, -1 disarms it, ESS_ARM_AHEAD, which
                                must not name the event function whose guard is crossed */
} ess_reset_matrix;

/* ---- impacts: crossings at which the state jumps --------------------------------------------- */

/* Input and output of an impact's map. The events are the simultaneous ones: all armed guards that
 * the state is on and approaches, and those that it reaches within ess_options.tie, impacts or not.
 * An event that the map causes (a state that lands on a guard) follows at the same time, in a call
 * of its own.
 *
 * On entry `after` is x, and `mode` is the latched mode after the crossings of the events: their
 * signs are flipped and their rows applied. `armed` has the guards that are armed then, and for
 * each event also the guard that was crossed, unless the row of this guard in `resets` arms neither
 * guard of the event function. A map that restores the former sign of an event function thereby
 * leaves the crossed guard armed, unless the map sets its entry of `armed` to false. The returned
 * mode is authoritative: signs are not determined from h(after). The map of a bouncing ball
 * therefore resets the sign of its height to +1. A guard on its zero from which the state recedes
 * is not crossed. Event functions whose guards are never armed can store further parts of the mode.
 * */
typedef struct ess_impact {
  double t;
  size_t count;         /* of events, >= 1 */
  const size_t *events; /* [count], event functions, in ascending order */
  const double *x;      /* [n], the state at the impact */
  const double *sign;   /* [m], the latched mode before it */
  double *after;        /* [n], the state after it */
  double *mode;         /* [m], the latched mode after it, each exactly -1.0 or +1.0 */
  bool *armed;          /* [2m], the guards armed after it; guards that do not lie ahead of the side
                           in `mode` are ignored */
  bool carried; /* whether the jump of an earlier impact at the same time has moved the state
                   past the zeros of the events: x is then beyond them, not on them */
} ess_impact;

/* The map of impacts: of the guards of kind ESS_GUARD_IMPACT. */
typedef struct ess_impacts {
  /* Computes state and mode after the impact. A nonzero result ends the run with ESS_ECALLBACK, for
   * example if no mode is consistent: state and mode are then those before it. With tangents the
   * map must be a function of x, events and sign alone (and of t with time_dependence), and is
   * called more than once. */
  int (*map)(ess_impact *impact, void *params);
  /* Optional, for tangents: DR[n*n], d after_i / d x_j at the impact that the map has just computed
   * (`after`, `mode` and `armed` are its results). NULL: finite differences of the map. */
  int (*jacobian)(const ess_impact *impact, double DR[], void *params);
  /* Optional, likewise: Rp[n*P], d after_i / d p_j with respect to the system's parameters. */
  int (*parameter_jacobian)(const ess_impact *impact, double Rp[], void *params);
} ess_impacts;

/* ---- events without effect on the right-hand side, terminal or not --------------------------- */

/* Events: functions of time and state whose zeros have no effect on the right-hand side or the
 * mode. No row of a matrix names them. They are located and counted like crossings; projection does
 * not accept them. Function i is event i for ess_observer.event, and event function m + i for
 * ess_failure and ess_driver_section. Their rates are finite differences: about four evaluations of
 * `values` give all at one state. Rates of the system's event functions are as without them.
 *
 * If an impact's jump changes the sign of such a function, the event has the impact's time and is
 * reported after it. If the function is zero at the impact, the event is reported once, with the
 * state after the impact.
 *
 * A zero at the initial condition is not an event, also if it is off by what a located crossing is:
 * a run from the state of an event does not report that event again. */
typedef struct ess_watch {
  size_t count; /* 0 (default): none */
  /* g[count] = g(t, x[n]); must not be NULL when count > 0 */
  int (*values)(double t, const double x[], double g[], void *params);
  const int *direction; /* optional, [count]: +1: only zeros passed from below, in the direction of
                           the run; -1: from above; 0 (NULL): both */
  const uint64_t *stop; /* optional, [count]: this number of events since alloc, reset or the last
                           such stop ends the run there with ESS_ESTOP; another apply continues.
                           0 (NULL): not terminal */
} ess_watch;

/* ---- event functions and time ---------------------------------------------------------------- */

/* Whether event functions depend on time and, if so, how their derivatives with respect to it are
 * found. If they do, time is an additional internal state. */
typedef enum ess_time_dependence {
  ESS_TIME_NONE,        /* they do not. If they do all the same, the run is correct if neither
                           event_jacobian nor event_rates is given. Otherwise it is correct or
                           fails, most often with ESS_EJACOBIAN */
  ESS_TIME_DIFFERENCED, /* they do; event_jacobian is Dh[m*n] and has no column for time, whose
                           derivatives are finite differences of event_functions */
  ESS_TIME_COLUMN       /* they do; event_jacobian is Dh[m*(n+1)], and the last entry of row k is
                           d h_k / d t */
} ess_time_dependence;

/* ---- parameters, and jumps of the field ------------------------------------------------------ */

/* Parameters, for derivatives with respect to them (ess_driver_follow_parameters). */
typedef struct ess_parameters {
  size_t count;   /* P; 0 (default): none */
  double *values; /* [P]; not copied; NULL if all derivatives are given */
  /* Optional: Fp[n*P], d f_i / d p_j. NULL: finite differences. */
  int (*field_jacobian)(double t, const double x[], const double sign[], double Fp[], void *params);
  /* Optional: hp[m*P], d h_k / d p_j. NULL: finite differences. */
  int (*event_jacobian)(double t, const double x[], double hp[], void *params);
} ess_parameters;

/* Times t_j at which the field is discontinuous in time, as with piecewise constant inputs. Steps
 * end there. In the steps before t_j the field is evaluated only at t < t_j, and in those after it
 * only at t >= t_j, whether the run goes forward or backward. Event functions must be continuous
 * there. A run that begins at t_j has passed it. A run that ends there has not, and the next apply
 * from the same state passes it. */
typedef struct ess_field_jumps {
  size_t count;        /* 0 (default): none */
  const double *times; /* [count], ascending; not copied */
  /* Optional, for derivatives with respect to these times, [count], not copied: the parameter
   * (< P) whose value t_j is; SIZE_MAX: t_j is a constant. Tangents and adjoints then contain the
   * effect of the time, dx+ = dx- + (f- - f+) dt_j, where f- and f+ are the fields before and after
   * the jump. If the field depends on the parameter beyond the comparison of t with t_j, as an
   * impulse response f(t - t_j) does, its derivative contains that as well. A difference moves t_j
   * away from t, so that t remains on the same side. Each such parameter takes three evaluations
   * wherever a rate is needed: ess_parameters.field_jacobian saves them.
   *
   * If a crossing or an impact is simultaneous with such a jump (ess_options.tie), their order
   * decides the derivative: a run whose directions, or recording, contain the parameter ends there
   * with ESS_EDISCONTINUOUS. */
  const size_t *parameters;
} ess_field_jumps;

/* ---- the system: (f, h, Dh) of section 2.1 of the paper -------------------------------------- */

/* The system to integrate. `sign[k]` is the latched sign of h_k: exactly -1.0 or +1.0, except with
 * affine_in_signs. It changes only when event function k is crossed, when the row of another guard
 * or the map of an impact sets it, when a slide begins or ends, and when the run turns around. The
 * field must therefore be smooth *through* the zeros of h for a fixed sign vector and must never
 * evaluate the sign of h itself. A nonzero result of a callback ends the run with ESS_ECALLBACK. */
typedef struct ess_system {
  /* Required. */
  size_t dimension;   /* n >= 1, number of states */
  size_t event_count; /* m >= 0, number of event functions */
  /* dxdt[n] = f(t, x[n], sign[m]) */
  int (*field)(double t, const double x[], const double sign[], double dxdt[], void *params);
  /* h[m] = h(t, x[n]) */
  int (*event_functions)(double t, const double x[], double h[], void *params);
  void *params; /* passed to every callback */

  /* Common, all optional. */

  /* Dh[m*n]: row k is the gradient of h_k; or Dh[m*(n+1)], with ESS_TIME_COLUMN. Without it and
   * event_rates, rates are finite differences: about four evaluations of event_functions give all
   * rates at one state. */
  int (*event_jacobian)(double t, const double x[], double Dh[], void *params);
  ess_time_dependence time_dependence; /* of event functions; default: they do not depend on it */
  const ess_guard_kind *kinds;    /* [2m]: the effect of each guard's crossing; NULL: each is an
                                     impact if there are `impacts`, else changes the field */
  const ess_impacts *impacts;     /* the map of impacts */
  const ess_reset_matrix *resets; /* the guards that a crossing arms; NULL: the guard of the same
                                     event function in the opposite direction */
  /* The mode in which a trajectory begins, and the guards that are armed then. On entry sign[m] has
   * the signs of h(t, x), and armed[2m] is true for every guard but those of kind ESS_GUARD_NONE. A
   * sign that is changed need not be that of h. Of the two guards of an event function the one that
   * lies ahead of its sign on return is armed unless `armed` says false for it; the other is not.
   * An armed guard that the state is already beyond is crossed as soon as h moves away from zero.
   * If the state is at rest on the guard of an impact, it is taken to be on the side of the sign;
   * without `start` it may end the run with ESS_EGRAZING. A field that pushes it onto the guard
   * needs ESS_SLIDING_SLIDE_AND_REST. */
  int (*start)(double t, const double x[], double sign[], bool armed[], void *params);
  ess_watch watch;             /* events without effect on the right-hand side */
  ess_field_jumps field_jumps; /* times at which the field jumps */

  /* Expert: for speed, stiff fields and derivatives; all optional. */

  /* Values and total rates of event functions in one pass without Dh, along the direction (vt, v)
   * of time and state: rate = dh/dt vt + grad h . v. For i < count, h[i] and rate[i] belong to
   * event function which[i]. For all event functions `which` is NULL and count is m. Event
   * functions that do not depend on time ignore vt. */
  int (*event_rates)(double t, const double x[], double vt, const double v[], const size_t which[],
                     size_t count, double h[], double rate[], void *params);

  /* Called whenever the latched mode changes, before the next evaluation of the field. `event` is
   * the event function whose sign was flipped, or m if all of `sign` may have changed. */
  int (*mode_changed)(const double sign[], size_t event, void *params);

  /* true: the field is affine in each sign, and field and mode_changed accept any numbers as
   * signs: instead of an `if`, the contribution of contact k has the weight (1 + sign[k]) / 2, or
   * the product of two such weights. One step may then pass through many crossings
   * (docs/theory/through-crossings.md). If the field is not affine, the run ends with ESS_EAFFINE.
   */
  bool affine_in_signs;

  /* Called after evaluations of the field. idle[k] = true if that evaluation did not depend on
   * sign[k]: any combination of the idle signs would have given the same result, as for contacts
   * whose force is zero. On entry all are false. A guard ahead does not end a step if its event
   * function is idle at the beginning and in all evaluations of the step. Its crossing is then made
   * at the step's end, and reported with the time at which the step's quartic interpolant of h_k is
   * zero (exact if h_k is affine along the step). Ignored for guards that are impacts or whose rows
   * concern other event functions, and with affine_in_signs, tangents, recordings, projection,
   * ESS_BASE_RODAS and ESS_BASE_CHOSEN_RODAS. */
  int (*idle)(bool idle[], void *params);

  /* For tangents and ESS_BASE_RODAS: J[n*n], d f_i / d x_j, of the field with these signs. NULL:
   * finite differences, which use atol / rtol as the size of a state near 0. With ESS_BASE_RODAS a
   * wrong Jacobian ends the run with ESS_EJACOBIAN, and the failure names the entry. */
  int (*field_jacobian)(double t, const double x[], const double sign[], double J[], void *params);

  /* Required by ESS_BASE_ROS2 and ESS_BASE_LIT: replaces v[n] by (I - c W)^-1 v, where W is an
   * approximation of d f_i / d x_j at x, or of its stiff part; the order is 2 for any W. In all
   * calls of a step of ESS_BASE_ROS2 t, x and sign are those at its beginning. In the one call of
   * ESS_BASE_LIT they are those of the evaluation of field just before, near the step's end. c is a
   * time, negative if the run goes backward. */
  int (*field_solve)(double t, const double x[], const double sign[], double c, double v[],
                     void *params);

  /* For ESS_LOCATE_NONE and ESS_LOCATE_CHOSEN: dxdt[n] = f(t, x[n]), the field in which each sign
   * is that of its event function at t and x. NULL: libess evaluates event_functions there, and
   * then field with their signs. While events are stepped over with plain_field, field_solve
   * receives NULL for the signs, field_jacobian is not used, ess_driver_sign is not kept up to
   * date, and two changes of the field that cancel within a step are not noticed. */
  int (*plain_field)(double t, const double x[], double dxdt[], void *params);

  /* [m]: true where h_k is the distance of two bodies, or changes with time as one does: at most at
   * the speeds of the bodies, which are those far from zero as near it. A distance may have kinks,
   * where another part of a body becomes the nearest. In a step in which it stays further from zero
   * than twice its change it bounds the step no more than the error does, however it turns; near
   * zero it is treated as any other. A function that is flat far from zero and steep near it is no
   * distance: two zeros of it within a step may then be missed. NULL: none is */
  const bool *distances;

  ess_parameters parameters; /* for tangents and adjoints */
} ess_system;

/* ---- observers ------------------------------------------------------------------------------- */

/* Information on a step for an observer: the state at its end, and the kind of step. */
typedef struct ess_step_info {
  bool projection; /* true: along the field onto a guard; false: an integration step */
  double t0, t1;   /* start and end time */
  const double *x; /* x[n] at t1 */
} ess_step_info;

/* Information on a crossing for an observer, after the flip. */
typedef struct ess_crossing_info {
  size_t event;       /* the event function crossed, by index */
  int direction;      /* +1: h went from negative to positive; -1: the mirror image */
  double t;           /* crossing time */
  const double *x;    /* x[n] at t */
  const double *sign; /* sign[m] after the crossing */
} ess_crossing_info;

/* Information for an observer on the beginning or end of a slide along the zero of an event
 * function. */
typedef struct ess_slide_info {
  size_t event;       /* the event function, by index */
  int begins;         /* +1: the slide begins; -1: it ends */
  double t;           /* time */
  const double *x;    /* x[n] at t */
  const double *sign; /* sign[m] from t on; -1 for event functions that the state slides on */
} ess_slide_info;

/* Functions that are called for every accepted step and every crossing, in the order of time: for a
 * step at its end, after the crossings within it and before those at its end. Each may be NULL.
 * They return 0 to continue, and any other value to stop the run with ESS_ESTOP. Time, state and
 * signs are then those that the function received, and another apply continues from there; if its
 * first step is no longer than rounding, the step is reported but cannot stop the run again.
 * Observers may call ess_driver_dense, but neither ess_driver_apply nor ess_driver_set_options. */
typedef struct ess_observer {
  int (*step)(const ess_step_info *info, void *context);         /* after each step */
  int (*crossing)(const ess_crossing_info *info, void *context); /* after each crossing */
  int (*impact)(const ess_impact *impact, void *context); /* each impact, before its crossings */
  void *context;                                          /* passed to all */
  int (*event)(const ess_crossing_info *info, void *context); /* of ess_watch, by its index there */
  int (*slide)(const ess_slide_info *info, void *context);    /* beginning or end of a slide */
} ess_observer;

/* ---- options --------------------------------------------------------------------------------- */

/* Options of the paper's method (docs/theory/paper.md), which *projects* the state onto guards: the
 * error of its crossings is that of epsilon, which the caller chooses, and not of the tolerance. */
typedef struct ess_projection_options {
  /* Half-width of every guard's neighbourhood, in units of h, finite, > 0. 0 (default): no
   * projection; the tolerance controls the error of everything, crossings included
   * (docs/theory/method.md). ess_options_paper: 1e-3. */
  double epsilon;
  const double *epsilons; /* optional, [m]: replaces epsilon if that is > 0, each finite, > 0 */
  /* Order of the projection in epsilon. 1 (default): along the tangent, one evaluation of the
   * field, global error O(epsilon^2); 2: along the field at the midpoint, two evaluations,
   * O(epsilon^3). */
  int order;
  /* Longest projection, in units of time, > 0; INFINITY (default): no limit. A guard that the field
   * would reach later does not count as inside its neighbourhood: set it if guards are nearly
   * grazed. */
  double duration_max;
  /* Smallest rate of an event function, in units of h over time, that is accepted at a projection
   * onto its guard, finite, >= 0; 0 (default): not checked. Requirement 4 of the paper. */
  double liveness;
} ess_projection_options;

/* Step methods. */
typedef enum ess_base {
  ESS_BASE_DOPRI5, /* Dormand-Prince 5(4): six evaluations of the field per step; or a step of order
                      3 with three, if the next crossing is near. If the field is stiff, stability
                      limits the step size at any tolerance */
  ESS_BASE_RKC,    /* Runge-Kutta-Chebyshev of order 2, for stiff decaying motions at loose
                      tolerances: evaluations grow with the square root of the step size. The error
                      is about the tolerance; 10 to 100 times that with many slow, hardly damped
                      oscillations; larger at tolerances below 1e-6. Tangents cost as much as with
                      dopri5 */
  ESS_BASE_CHOSEN, /* dopri5, and RKC for as long as stability limits the steps of dopri5 and RKC
                      takes clearly fewer evaluations */
  ESS_BASE_RODAS,  /* RODAS, a Rosenbrock method (linearly implicit) of order 4, for all stiff
                      fields, damped or not. A step takes the field's Jacobian (or n evaluations,
                      which may be at states beside the trajectory), eight evaluations, and the
                      solution of linear equations in n unknowns; in every eighth step one more
                      evaluation checks field_jacobian. No tangents or recordings. Fixed at alloc,
                      which takes 2 n^2 doubles more */
  ESS_BASE_ROS2,   /* ROS2, a linearly implicit W-method of order 2 with the caller's W
                      (field_solve), for damped stiff forces at loose tolerances. Its errors are
                      like those of RKC, or a third of them if W is the full Jacobian. A W that is
                      much stiffer than the field hides the error: some 1000 tolerances at a
                      hundredfold W. A step takes two evaluations of the field and two calls of
                      field_solve. No tangents or recordings. Fixed at alloc */
  ESS_BASE_CHOSEN_RODAS, /* dopri5, and RODAS for as long as stability limits the steps of dopri5
                            and RODAS takes clearly fewer evaluations, its linear equations not
                            counted. The restrictions of ESS_BASE_RODAS apply */
  ESS_BASE_LIT           /* LIT, a linearly implicit two-step method of order 2 with the caller's W
                            (field_solve): an Adams step that the trapezoidal rule corrects. A step
                            takes one evaluation of the field and one call of field_solve. The first
                            step after a crossing is one of ESS_BASE_ROS2. It does not damp motions
                            much faster than a step, but resolves them: W must not be less stiff
                            than the field. If it is more than about four times as stiff, it hides
                            the error. The first step that relies on W, and one in 50, therefore
                            evaluates the field once more, at its end; if six in a row show that W
                            is wrong, the trajectory goes on with dopri5 (ess_counters.implicit
                            counts the steps of LIT). A W that is right for some states and too
                            stiff for others, or becomes so in mid-run, may be seen too late. No
                            tangents or recordings. Fixed at alloc */
} ess_base;

/* Behaviour where the fields on both sides of an event function's zero point towards it. */
typedef enum ess_sliding {
  ESS_SLIDING_STOP,  /* the run ends there with ESS_ESLIDING */
  ESS_SLIDING_SLIDE, /* the state slides along it, by the convex combination of the two fields that
                        keeps it there (docs/theory/sliding.md) */
  ESS_SLIDING_SLIDE_AND_REST /* the same, and the state comes to rest on the guard of an impact if
                                impacts accumulate, have absorbed all normal speed, or begin at
                                rest, and the field pushes the state onto the guard. It then slides,
                                held by the effect of the impacts, and leaves when they would have
                                to pull. The map is also evaluated at states that differ from the
                                trajectory's by a thousandth, so that they approach the guard
                                slowly, and must send these back. A run with tangents ends there
                                with ESS_EZENO */
} ess_sliding;

/* Whether events are located. Those that are not are *stepped over*: each evaluation of the field
 * has the signs of the event functions at its own state, and the error control alone shortens steps
 * over a discontinuity, down to those in which it sees no effect above the tolerance. It sees only
 * a part of the effect: at some places in a step of dopri5 the error is tens of tolerances, or
 * hundreds where another force changes at the same time. This costs a few rejected steps for each
 * event, and saves evaluations of event functions (all of them with plain_field), which pays at
 * loose tolerances. ESS_LOCATE_NONE and ESS_LOCATE_CHOSEN are for runs in which the times of events
 * are not needed, and for systems whose mode is a function of the state: with resets, impacts,
 * `start`, kinds other than ESS_GUARD_CHANGES_FIELD, or observers of crossings they are refused. A
 * mode that begins and ends within one step may have no effect, unless h_max is shorter. If two
 * event functions change their signs in one step, and each alone would have an effect above the
 * tolerance, the step is rejected even if they cancel (not with plain_field). */
typedef enum ess_locate {
  ESS_LOCATE_ALL,   /* all events are located */
  ESS_LOCATE_NONE,  /* none is */
  ESS_LOCATE_CHOSEN /* they are located for as long as that takes fewer evaluations: both ways are
                       tried in turn, and their evaluations per unit of t are compared. A
                       run in which events cannot be located any further (ESS_ESLIDING,
                       ESS_ECHATTER) steps over events from there on */
} ess_locate;

/* The tolerance of one state. */
typedef struct ess_tolerance {
  double rtol, atol; /* as in ess_options */
} ess_tolerance;

/* Options. Begin with ess_options_default() and change individual members.
 *
 * Table of combinations. Members of the system and the options, and derivatives (ess_tangents.h),
 * combine as follows. A combination that is refused returns ESS_EINVAL, and its reason names the
 * line of this table; a member that is ignored costs nothing.
 *
 *                                   sliding   affine_in_signs   watch     tangents   recording
 *   1 projection                    refused   ignored           refused   yes        refused
 *   2 ESS_BASE_RKC, CHOSEN          yes       ignored           yes       yes        yes
 *   3 ESS_BASE_RODAS, ROS2, LIT,
 *     CHOSEN_RODAS                  yes       ignored           yes       refused    refused
 *   4 sliding                       -         ignored           yes       yes        yes
 *   5 impacts                       yes       ignored           yes       yes        yes
 *   6 tangents, recording           yes       ignored           yes       -          -
 *   7 ESS_LOCATE_NONE, CHOSEN       refused   ignored           refused   refused    refused
 *
 * Besides, projection is refused with line 7, ESS_BASE_ROS2 and LIT need field_solve, and
 * ESS_GUARD_IMPACT needs impacts.
 *
 * The system and the last three options are fixed at alloc, with the exceptions that the comments
 * of base and sliding name. All other options may change between applies. */
typedef struct ess_options {
  /* Required: the tolerance. The error of each state x_i is at most a few times atol + rtol |x_i|;
   * with projection this holds only for the integration between crossings. rtol: in [0, 1), default
   * 1e-8. atol: in units of the states, finite, >= 0, default 1e-10. One of the two must be > 0.
   * With atol = 0 a state that a slide holds, such as the speed of a body that dry friction has
   * stopped, gets an absolute tolerance for the rest of the run: 2^-44 of the largest value that it
   * has had, or that the jump of the field would give it in a step. */
  double rtol, atol;

  /* Common. */

  ess_observer observer; /* default: none */
  /* Longest integration step, in units of time, > 0; INFINITY (default): no limit. Set it if an
   * event function changes sign twice within much less than a step. */
  double h_max;
  uint64_t max_steps;     /* of one apply, rejected ones included, >= 1; default 10^7 */
  uint64_t max_crossings; /* of one apply, silent ones included (ESS_GUARD_ARMS_ONLY), >= 1;
                             default 10^7 */

  /* Expert. */

  const ess_tolerance *tolerances; /* optional, [n]: replaces rtol and atol, state by state */
  double h_init; /* first integration step, in units of time, finite, >= 0; 0 (default): chosen by
                    libess */
  /* Simultaneity tolerance, in units of time, finite, >= 0: impact maps and tangents treat events
   * that are closer in time as simultaneous. 0 (default): events are simultaneous if the tolerance
   * cannot resolve their order: within the time in which the state moves by one tolerance and, for
   * impact maps, within the change of their distance in time when the state changes by that much.
   * Two events of time alone are always ordered by their times. */
  double tie;
  /* This number of consecutive impacts at ever shorter intervals ends a run with ESS_EZENO if they
   * would accumulate before its end. Fewer suffice if the tolerance cannot distinguish the time of
   * accumulation from the present time. >= 4, default 200. */
  uint64_t zeno_impacts;
  ess_projection_options projection; /* the paper's method; default: none */

  /* Chosen at alloc. */

  /* Default: ESS_BASE_DOPRI5. While the state slides, steps are dopri5's. ESS_BASE_DOPRI5 and the
   * bases of line 2 of the table may replace each other later, those of line 3 not. */
  ess_base base;
  /* Default: ESS_SLIDING_STOP. Otherwise the state may slide on any number of event
   * functions if their jumps of the field are additive, as those of friction are, and on at most
   * three otherwise. This takes one evaluation of the field for each of them and one more. If the
   * jump does not change the rate of its event function (second order, as with the force of a
   * contact on a body), the state bounces on the zero with decreasing amplitude; it slides once the
   * bounces are below the tolerance, or too many for the run to reach its end. A run with tangents
   * ends there with ESS_ESLIDING. The same status ends a run whose initial state is on a zero from
   * which the fields of both sides point away, and a run that turns around while it slides: in
   * neither case is the continuation unique. ESS_SLIDING_SLIDE and ESS_SLIDING_SLIDE_AND_REST may
   * replace each other later. */
  ess_sliding sliding;
  ess_locate locate;  /* default: ESS_LOCATE_ALL; ess_counters.unlocated says what was done */
  double event_cost;  /* for ESS_LOCATE_CHOSEN: the cost of an evaluation of all event functions, in
                         evaluations of field, finite, > 0; default 1. May change later */
  const bool *slides; /* optional, [m]: the event functions on which the state may slide. Those with
                         guards that arm only, are impacts or are none, or with rows that change
                         other event functions are not accepted. NULL: all others */
} ess_options;

/* The default options: no projection, rtol 1e-8, atol 1e-10, unlimited step. */
ESS_API ess_options ess_options_default(void);

/* As ess_options_default, with the paper's method: projection.epsilon is 1e-3. */
ESS_API ess_options ess_options_paper(void);

/* ---- counters -------------------------------------------------------------------------------- */

/* Work done since alloc or reset. Sampling and observing never change them. */
typedef struct ess_counters {
  uint64_t steps;       /* accepted integration steps, those cut at a crossing included */
  uint64_t stabilised;  /* of these: by ESS_BASE_RKC */
  uint64_t implicit;    /* of these: by ESS_BASE_RODAS, ROS2 or LIT */
  uint64_t through;     /* of these: through crossings (ess_system.affine_in_signs) */
  uint64_t unlocated;   /* of these: without location of events (ess_options.locate) */
  uint64_t rejected;    /* rejected tries of steps: the error was too large, or event functions, a
                           slide or tangents required a shorter step */
  uint64_t entries;     /* steps cut at a located crossing, at the end of a slide or, with
                           projection, at the entry into a guard's neighbourhood */
  uint64_t projections; /* projection steps */
  uint64_t crossings;   /* crossings that are not silent, those of impacts included */
  uint64_t silent;      /* silent crossings, of guards that arm only (ESS_GUARD_ARMS_ONLY) */
  uint64_t impacts;     /* impacts; simultaneous events are one impact */
  uint64_t slides;      /* slides begun, counted for each event function */
  uint64_t field_evaluations;    /* evaluations of field, those for tangents included */
  uint64_t event_evaluations;    /* evaluations of event_functions, or of event_rates for all */
  uint64_t some_evaluations;     /* evaluations of event_rates for a list */
  uint64_t watch_evaluations;    /* evaluations of ess_watch.values */
  uint64_t jacobian_evaluations; /* evaluations of event_jacobian */
  uint64_t field_jacobian_evaluations; /* evaluations of field_jacobian */
} ess_counters;

/* ---- the driver ------------------------------------------------------------------------------ */

/* The state of the integration of one trajectory, and its memory. Its members are private. */
typedef struct ess_driver ess_driver;

/* Checks the arguments and allocates all memory that a run needs; a run itself allocates nothing.
 * On failure it returns NULL and sets *status to ESS_EINVAL or ESS_ENOMEM; status may be NULL. The
 * caller frees the driver with ess_driver_free. */
ESS_API ess_driver *ess_driver_alloc(const ess_system *system, const ess_options *options,
                                     int *status);

/* Frees a driver; NULL is accepted. */
ESS_API void ess_driver_free(ess_driver *driver);

/* The reason for which ess_driver_alloc would return ESS_EINVAL: a line in static storage that
 * names the option or the member of the system and the accepted values; NULL if all are accepted.
 */
ESS_API const char *ess_check(const ess_system *system, const ess_options *options);

/* Integrates x[n] from *t to exactly t1 and sets *t to the time reached. The latched mode is kept
 * from the previous call, so successive calls continue one trajectory. The first call after alloc
 * or reset latches the signs from h(x); if h = 0 the side is the one to which the field points. If
 * the fields of both sides point towards the zero, the run begins below it.
 *
 * The state at the time of an impact is the one after it, in the direction of the run; this applies
 * to x at t1 and to samples. A timed jump (the impact of an event function of time alone) is made
 * at the first floating-point time at which the event function has passed zero, or at t1 if that
 * time is later only by rounding. A run that begins at such a time does not repeat the jump. If a
 * run begins on the guard of any other impact and the field leads through it, the impact is made at
 * the initial time. An impact that would change neither the value nor the rate of its event
 * function is an exception: the run begins after it.
 *
 * On failure *t and x are the last valid time and state, and ess_driver_failure has the details.
 * ESS_EINVAL if an argument is NULL or not finite, or if the call comes from within an apply of the
 * same driver; nothing changes then.
 *
 * If t1 < *t the run goes backward, as the system of time s = -t: its field is -f, and guards are
 * crossed in the order and direction in which the run passes them. When a run turns around, it
 * latches signs from h(x) again, but with resets or impacts keeps the mode; impacts are undone only
 * if their maps do so. */
ESS_API int ess_driver_apply(ess_driver *driver, double *t, double t1, double x[]);

/* As ess_driver_apply, by the same steps. Also writes the state at each of times[count], which are
 * ordered from *t to t1, into the rows of states[count*n]: at the time of an impact the state after
 * it. After a failure, rows of times not reached are unchanged. */
ESS_API int ess_driver_sample(ess_driver *driver, double *t, double t1, double x[],
                              const double times[], size_t count, double states[]);

/* Dense output: the state x[n] at any time t of the driver's last step, from
 * ess_driver_step_start(driver) to the time reached, without evaluations of the field. May be
 * called after an apply or by an observer of steps. ESS_EINVAL if t is outside. */
ESS_API int ess_driver_dense(ess_driver *driver, double t, double x[]);

/* Time at which the last step began. It is the initial time if no step has been made since, or if
 * the last apply began at a state other than the one reached before. NAN before the first apply,
 * and for a NULL driver. */
ESS_API double ess_driver_step_start(const ess_driver *driver);

/* Changes the options from the next apply on; mode, step size and counters are kept. ESS_EINVAL if
 * an option is not accepted, or from within an apply: the previous options then remain in force. */
ESS_API int ess_driver_set_options(ess_driver *driver, const ess_options *options);

/* Clears mode, step size and counters: the next apply begins a new trajectory. From within an apply
 * of the same driver it does nothing. */
ESS_API void ess_driver_reset(ess_driver *driver);

/* Counters of the work done since alloc or reset. */
ESS_API const ess_counters *ess_driver_counters(const ess_driver *driver);

/* The failure of the latest apply or sample, or of a later call of any function of the driver. Its
 * status is ESS_SUCCESS if none has failed, and ESS_EINVAL for a NULL driver. */
ESS_API const ess_failure *ess_driver_failure(const ess_driver *driver);

/* The latched mode, sign[m]; meaningful after the first apply. */
ESS_API const double *ess_driver_sign(const ess_driver *driver);

/* The event functions on which the state slides, [*count], in ascending order; their signs in
 * ess_driver_sign are -1. NULL with ESS_SLIDING_STOP. */
ESS_API const size_t *ess_driver_sliding(const ess_driver *driver, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
