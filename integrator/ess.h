/*
 * libess: integration of event-selected systems through many near-simultaneous contacts.
 *
 * An event-selected system has a right-hand side f(x, sgn h) whose discontinuities lie on the zero
 * sets of event functions h : R^n -> R^m. When the state passes such a zero set, this is a
 * *crossing*: libess flips the sign of the event function and continues with the new right-hand
 * side. One tolerance controls the error of the steps between crossings and of the crossings. The
 * method of Anderson & Revzen ("Rapid Integrator for a Class of Multi-Contact Systems", 2024),
 * which *projects* the state onto guards within epsilon of them, is optional (ess_options_paper).
 * ess_tangents.h declares derivatives.
 *
 * A driver is allocated, applied up to a time, and freed. libess needs only libm and has no global
 * state. Several drivers may run in several threads if each system's `params` allows it.
 *
 * Shapes are given in n states, m event functions and P parameters; matrices are row-major. Times
 * and states are in the caller's units. The driver copies all data to which a system and options
 * point, except `params`, an observer's context and parameter_values, which the caller keeps.
 * Pointers that callbacks and observers receive are valid during the call only. Pointers that a
 * driver's functions return belong to the driver and are valid until it is freed; for a NULL driver
 * they are NULL.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_H
#define ESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks the symbols that a shared library exports. */
#if defined(__GNUC__) && !defined(_WIN32) /* MinGW knows no visibility, and warns of it */
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
#define ESS_VERSION_MINOR 3
#define ESS_VERSION_PATCH 0
#define ESS_VERSION       "0.3.0"

/* Version of the library that runs, "major.minor.patch", in static storage. */
ESS_API const char *ess_version(void);

/* ---- statuses -------------------------------------------------------------------------------- */

/* Status that every function with an int result returns. */
typedef enum ess_status {
  ESS_SUCCESS = 0,
  ESS_EINVAL,     /* an argument or option outside its accepted range */
  ESS_ENOMEM,     /* allocation failed */
  ESS_ECALLBACK,  /* a callback returned nonzero; see ess_failure.callback_code */
  ESS_EFIELD,     /* the right-hand side, or a derivative being propagated, is not finite */
  ESS_EGUARD,     /* an event function or its rate is not finite */
  ESS_EUNDERFLOW, /* the step size fell below the resolution of time */
  ESS_ELIVENESS,  /* an event function's rate at a projection is below options.liveness */
  ESS_ECHATTER,   /* guards send the state back to each other without progress in time (Filippov) */
  ESS_EMAXSTEPS,  /* options.max_steps reached */
  ESS_EMAXCROSSINGS,  /* options.max_crossings reached */
  ESS_ESTOP,          /* an observer, or ess_watch.stop, stopped the run */
  ESS_ESLIDING,       /* on both sides of an event function's zero the field points towards it */
  ESS_ETOLERANCE,     /* the tolerance is below the rounding of a state */
  ESS_EJACOBIAN,      /* an event function or field contradicts its Jacobian */
  ESS_EIMPACT,        /* an impact's map returned a state or mode that is not accepted */
  ESS_EZENO,          /* impacts accumulate; ess_failure.time is the time of accumulation */
  ESS_EGRAZING,       /* an impact, or a crossing that tangents are taken through, has no rate */
  ESS_EDISCONTINUOUS, /* the result of simultaneous events depends on their order: no derivative */
  ESS_EWEIGHTS,       /* the field is not affine in the signs, although ess_system.weights is set */
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
  size_t guard;       /* the event function concerned, by index, or SIZE_MAX */
  size_t other_guard; /* ESS_ECHATTER: the one crossed just before; ESS_ESLIDING,
                         ESS_EDISCONTINUOUS: another that is concerned; else SIZE_MAX */
  int callback_code;  /* ESS_ECALLBACK: the value that the callback returned */
  const char *reason; /* in static storage: ESS_EINVAL: one line that names the argument and what is
                         accepted; ESS_EIMPACT: one line about what the map returned; ESS_ESLIDING:
                         why it is not unique, or NULL; ESS_EJACOBIAN: that it is field_jacobian, or
                         that no Jacobian is given and differences of guards were used, or NULL;
                         else NULL */
  size_t row, column; /* ESS_EJACOBIAN: the entry of field_jacobian; else SIZE_MAX */
} ess_failure;

/* ---- guards and the guard reset matrix ------------------------------------------------------- */

/* A guard is one direction in which an event function may be crossed. Event function k has the
 * guards ESS_GUARD_UP(k), crossed from h_k < 0, and ESS_GUARD_DOWN(k), crossed from h_k > 0. The
 * latched sign determines which of the two lies ahead. That guard is either armed, which makes it a
 * candidate to be crossed, or not. */
#define ESS_GUARD_UP(k)   (2 * (size_t)(k))
#define ESS_GUARD_DOWN(k) (2 * (size_t)(k) + 1)

/* An effect that the state at the crossing determines. The event function of the guard that the
 * entry names, either of the two, is latched to its sign there, and its guard that lies ahead is
 * armed (none, if a one-way event function is positive). At h = 0 the side is the one to which the
 * field points, in the mode after the preceding entries of the row; if the field is tangential to
 * the guard the sign stays. An entry costs one evaluation of guards, or of some_guard_rates if it
 * is given. */
#define ESS_ARM_AHEAD 2

/* The guard reset matrix R: crossing guard j disarms j and then applies row j, whose entries arm
 * (+1) or disarm (-1) other guards. Arming a guard also latches its event function's sign to the
 * side before it: a touch-down that arms the release of the same contact thereby declares that the
 * contact's force is now positive. Rows are stored one after the other.
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

  /* Optional, [2m]: guards whose crossing, including the signs latched by their rows, has no effect
   * on the right-hand side in any mode. They only apply their rows, at the end of the step that
   * passes them or before the projection that would. No step is shortened for them unless another
   * crossing depends on it, and observers do not receive them. */
  const bool *silent;

  /* Optional: which guards are initially armed, armed[2m]. On entry those that lie ahead are armed;
   * a caller may clear others, such as the release of a contact that does not touch. */
  int (*start)(const double sign[], bool armed[], void *params);
} ess_reset_matrix;

/* ---- impacts: crossings at which the state jumps --------------------------------------------- */

/* Input and output of an impact's map. The events are the simultaneous ones: all armed guards that
 * the state is on and approaches, and those that it reaches within ess_options.tie, impacts or not.
 * An event that the map causes (a state that lands on a guard) follows at the same time, in a call
 * of its own.
 *
 * On entry `after` is x, `mode` is the latched mode with the events' signs flipped and the rows of
 * their guards applied, and `armed` has the guards that this leaves armed. For an event this
 * includes the guard that was crossed, unless the row of `resets` arms neither of its guards: the
 * guard ahead of the returned mode is then armed unless the map decides otherwise. The returned
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

/* Impacts: crossings at which the state jumps, and their map. */
typedef struct ess_impacts {
  const bool *at; /* [2m]: guards whose crossing is an impact, none of them silent; NULL: each */
  /* Computes state and mode after the impact. A nonzero result ends the run with ESS_ECALLBACK, for
   * example if no mode is consistent: state and mode are then those before it. With tangents the
   * map must be a function of x, events and sign alone (and of t with guards_move), and is called
   * more than once. */
  int (*map)(ess_impact *impact, void *params);
  /* Optional, for tangents: DR[n*n], d after_i / d x_j at the impact that the map has just computed
   * (`after`, `mode` and `armed` are its results). NULL: finite differences of the map. */
  int (*jacobian)(const ess_impact *impact, double DR[], void *params);
  /* Optional, likewise: Rp[n*P], d after_i / d p_j with respect to the system's parameters. */
  int (*parameter_jacobian)(const ess_impact *impact, double Rp[], void *params);
  /* Optional: the initial mode, if it differs from the signs of h. On entry sign[m] and armed[2m]
   * have their default values. */
  int (*start)(double t, const double x[], double sign[], bool armed[], void *params);
} ess_impacts;

/* ---- events without effect on the right-hand side, terminal or not --------------------------- */

/* Events: functions of time and state whose zeros have no effect on the right-hand side or the
 * mode. No row of a matrix names them. They are located, counted and reported like crossings, as
 * event function m + i; ESS_METHOD_PAPER does not accept them. Their cost is that of the same
 * number of event functions that depend on time. All rates are then finite differences, also those
 * of guards.
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

/* ---- the system: (f, h, Dh) of section 2.1 of the paper -------------------------------------- */

/* The system to integrate. `sign[k]` is the latched sign of h_k: exactly -1.0 or +1.0. It changes
 * only when libess crosses event function k, or when the row of another guard latches it. The field
 * must therefore be smooth *through* the zeros of h for a fixed sign vector and must never evaluate
 * the sign of h itself. A nonzero result of a callback ends the run with ESS_ECALLBACK. */
typedef struct ess_system {
  size_t dimension;   /* n >= 1, number of states */
  size_t guard_count; /* m >= 0, number of event functions */
  /* dxdt[n] = f(t, x[n], sign[m]) */
  int (*field)(double t, const double x[], const double sign[], double dxdt[], void *params);
  /* h[m] = h(t, x[n]) */
  int (*guards)(double t, const double x[], double h[], void *params);
  /* Dh[m*n]: row k is the gradient of h_k. Optional if guard_rates is given. Without either, rates
   * are finite differences of guards, at about four evaluations for each. */
  int (*guard_jacobian)(double t, const double x[], double Dh[], void *params);
  /* Optional, for speed: h[m] and rate[m], rate[k] = grad h_k . v, in one pass without Dh. */
  int (*guard_rates)(double t, const double x[], const double v[], double h[], double rate[],
                     void *params);
  /* Optional, for speed, when a crossing is located or corrected: as guard_rates, only for the
   * `count` event functions which[]: h[i] and rate[i] are those of which[i]. */
  int (*some_guard_rates)(double t, const double x[], const double v[], const size_t which[],
                          size_t count, double h[], double rate[], void *params);

  /* Optional: called whenever the latched mode changes, before the next evaluation of the field.
   * `guard` is the event function whose sign was flipped, or m if all of `sign` may have changed.
   * */
  int (*mode_changed)(const double sign[], size_t guard, void *params);

  /* false (default): each event function has two guards, h_k crossed upward (touch-down) and
   * downward (lift-off). true: only crossings from h_k < 0 to h_k >= 0 are guards. */
  bool one_way;

  /* true: the field is affine in each sign and accepts any numbers as signs, which mode_changed
   * receives, too. The contribution of contact k is weighted by (1 + sign[k]) / 2 instead of an
   * `if`, or by the product of two such weights. Steps then pass through many crossings at a time
   * (docs/theory/through-crossings.md). A field that is not affine ends the run with ESS_EWEIGHTS.
   * */
  bool weights;

  const ess_reset_matrix *resets; /* optional: which guards a crossing arms; NULL: its mirror */
  const ess_impacts *impacts;     /* optional: which crossings are impacts */

  /* Optional, for tangents and ESS_BASE_RODAS: J[n*n], d f_i / d x_j, of the field with these
   * signs. NULL: finite differences, which use atol / rtol as the size of a state near 0. With
   * ESS_BASE_RODAS a wrong Jacobian ends the run with ESS_EJACOBIAN, and the failure names the
   * entry. */
  int (*field_jacobian)(double t, const double x[], const double sign[], double J[], void *params);

  /* For ESS_BASE_ROS2: replaces v[n] by (1 - c W)^-1 v. W is approximately d f_i / d x_j at x, or
   * the stiff part of it; the order is 2 for any W. t, x and sign are the same for all calls of a
   * step, those at its beginning. c is negative if time runs backwards. */
  int (*field_solve)(double t, const double x[], const double sign[], double c, double v[],
                     void *params);

  /* Optional, for speed, called after evaluations of the field: idle[m], true for event functions
   * whose signs had no effect on that evaluation: it would have returned the same with any signs of
   * all of them together, as for contacts that act without a force. On entry all are false. A guard
   * ahead does not end a step if its event function is idle at the beginning and in all evaluations
   * of the step. Its crossing is then made at the step's end, and reported with its time along the
   * step's quartic (exact if h_k is affine along the step). This has no effect with impacts of that
   * guard, rows that concern other event functions, weights, tangents, recordings,
   * ESS_METHOD_PAPER, ESS_BASE_RODAS and ESS_BASE_CHOSEN_RODAS. */
  int (*idle)(bool idle[], void *params);
  void *params; /* passed to every callback */

  /* Optional: times at which the field jumps by time alone, as inputs do, ascending; not copied.
   * Steps end there. Before t_j the field is evaluated only at times below it, and after t_j only
   * at t_j or later, in both directions of time, so a field that compares t < t_j is on the right
   * side. Event functions must be continuous there. */
  const double *field_jumps;
  size_t field_jump_count;

  /* true: event functions depend on time, too. Time is then an additional internal state. If they
   * depend on time and this is false, the run is still right, or ends with a status, most often
   * ESS_EJACOBIAN. */
  bool guards_move;
  /* Optional with guards_move: ht[m], ht[k] = d h_k / d t at a fixed state. NULL: finite
   * differences of guards. guard_jacobian and the rates are always those along the state alone. */
  int (*guard_time_rates)(double t, const double x[], double ht[], void *params);
  ess_watch watch; /* optional: events without effect on the right-hand side */

  /* Optional: P parameters for tangents, and the address of their values, [P]. For tangents also
   * Fp[n*P], d f_i / d p_j, and hp[m*P], d h_k / d p_j (ess_driver_follow_parameters). */
  size_t parameters;
  double *parameter_values;
  int (*field_parameter_jacobian)(double t, const double x[], const double sign[], double Fp[],
                                  void *params);
  int (*guard_parameter_jacobian)(double t, const double x[], double hp[], void *params);
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
  size_t guard;       /* the event function crossed */
  int direction;      /* +1: h went from negative to positive; -1: the mirror image */
  double t;           /* crossing time */
  const double *x;    /* x[n] at t */
  const double *sign; /* sign[m] after the crossing */
} ess_crossing_info;

/* What an observer is told where the state begins to slide on an event function's zero, or ends. */
typedef struct ess_slide_info {
  size_t guard;       /* the event function */
  int begins;         /* +1: from t on the state slides on it; -1: no more */
  double t;           /* time */
  const double *x;    /* x[n] at t */
  const double *sign; /* sign[m] from t on; of those slid on -1 */
} ess_slide_info;

/* Functions that are called for every step and every crossing, after acceptance and in the order of
 * time: for a step at its end, after the crossings within it and before those at its end. Each may
 * be NULL. They return 0 to continue, any other value to stop with ESS_ESTOP: time, state and signs
 * are then those that they received, and another apply continues from there. A step from there that
 * is no longer than rounding is reported, too, but cannot stop the run again. They may call
 * ess_driver_dense, but not apply or set_options. */
typedef struct ess_observer {
  int (*step)(const ess_step_info *info, void *context);         /* after each step */
  int (*crossing)(const ess_crossing_info *info, void *context); /* after each crossing */
  int (*impact)(const ess_impact *impact, void *context);     /* after it, before its crossings */
  void *context;                                              /* passed to all */
  int (*event)(const ess_crossing_info *info, void *context); /* of ess_watch: `guard` is i there */
  int (*slide)(const ess_slide_info *info, void *context);    /* begin or end of a slide */
} ess_observer;

/* ---- options --------------------------------------------------------------------------------- */

/* Treatment of crossings. */
typedef enum ess_method {
  ESS_METHOD_TOLERANCE, /* the error of everything, crossings included, is controlled by rtol and
                           atol alone (docs/theory/method.md) */
  ESS_METHOD_PAPER      /* by projection inside neighbourhoods of the guards, as in the paper: the
                           error of crossings is that of epsilon, which the caller chooses */
} ess_method;

/* Step methods. */
typedef enum ess_base {
  ESS_BASE_DOPRI5, /* Dormand-Prince 5(4): six evaluations of the field a step, or three, of order
                      3, where the next crossing is near. For a stiff field stability bounds these
                      steps, whatever the tolerance */
  ESS_BASE_RKC,    /* Runge-Kutta-Chebyshev of order 2, for stiff motions that decay, at loose
                      tolerances: evaluations grow with the square root of a step's length. The error
                      is about the tolerance, some 10 to 100 times that with many slow oscillations,
                      hardly damped, and more below 1e-6. Tangents cost what dopri5's do */
  ESS_BASE_CHOSEN, /* dopri5, and RKC for as long as stability bounds dopri5's steps and RKC takes
                      clearly fewer evaluations */
  ESS_BASE_RODAS,  /* RODAS, a Rosenbrock method of order 4, linearly implicit: for stiff fields of
                      every kind, damped or not. A step takes the field's Jacobian (or n evaluations,
                      also  beside the run's states), eight evaluations, and linear equations in n
                      unknowns; every eighth step one more evaluation checks field_jacobian. No
                      tangents or recordings. Chosen at alloc, which takes 2 n^2 doubles more */
  ESS_BASE_ROS2,   /* ROS2, a linearly implicit method of order 2 with a W of the caller's, which is
                      field_solve: for forces that damp, at loose tolerances. Errors are like RKC's,
                      or a third with W in full. Two evaluations of the field a step, and two
                      calls of field_solve. No tangents or recordings. Chosen at alloc */
  ESS_BASE_CHOSEN_RODAS /* dopri5, and RODAS for as long as stability bounds dopri5's steps and
                           RODAS takes clearly fewer evaluations; its linear equations are not
                           counted. All that ESS_BASE_RODAS says holds, no tangents or recordings
                           among it */
} ess_base;

/* Behaviour where the field on both sides of an event function's zero points towards it. */
typedef enum ess_sliding {
  ESS_SLIDING_NONE,    /* the run ends there with ESS_ESLIDING */
  ESS_SLIDING_FILIPPOV /* the state slides along it, by the mean of the fields of both sides that
                          keeps it there (docs/theory/sliding.md) */
} ess_sliding;

/* Options. Begin with ess_options_default() and change individual members. */
typedef struct ess_options {
  /* The tolerance: each state x_i has an error of at most atol + rtol |x_i|, up to a factor of a
   * few. With ESS_METHOD_PAPER this holds only for the integration between crossings. rtol: in [0,
   * 1), default 1e-8. atol: in units of the states, finite, >= 0, default 1e-10. One of the two
   * must be > 0. With atol = 0 a state that a slide holds, such as the speed of a body that dry
   * friction has stopped, gets an absolute tolerance for the rest of the run: 2^-44 of the largest
   * value that it has had, or that the jump of the field would give it in a step. */
  double rtol, atol;
  const double *rtols, *atols; /* optional, [n] each: replace rtol or atol, state by state */
  /* Longest integration step, in time, > 0; INFINITY (default): no limit. Set it if event functions
   * change sign twice in far less than a step. */
  double h_max;
  double h_init;          /* first integration step, in time, finite, >= 0; 0 (default): chosen */
  uint64_t max_steps;     /* of one apply, rejected ones included, >= 1; default 10^7 */
  uint64_t max_crossings; /* of one apply, silent ones included, >= 1; default 10^7 */
  ess_observer observer;  /* default: none */
  ess_method method;      /* default: ESS_METHOD_TOLERANCE */
  ess_base base;          /* default: ESS_BASE_DOPRI5. While the state slides steps are dopri5's */
  /* Simultaneity tolerance: events closer in time are simultaneous, for impacts' maps and tangents;
   * finite, >= 0. 0 (default): events whose order the tolerance cannot resolve are simultaneous:
   * those within the time in which the state moves by one tolerance and, for maps, within the
   * change of their distance in time when the state changes by that much. Two events of time alone
   * are always ordered by their times. */
  double tie;
  /* This number of consecutive impacts at ever shorter intervals ends a run with ESS_EZENO if they
   * would accumulate before its end. Fewer suffice if the tolerance cannot distinguish the time of
   * accumulation from the present time. >= 4, default 200. */
  uint64_t zeno_impacts;
  /* Default: ESS_SLIDING_NONE. With ESS_SLIDING_FILIPPOV the state may slide on any number of event
   * functions whose jumps of the field add up, as those of friction do, and on at most three
   * otherwise, at one evaluation of the field for each and one more. If the jump changes no rate of
   * its event function, as with the force of a contact on a body, the state makes ever smaller
   * bounces on the zero; it slides once the bounces are below the tolerance, or so many that the
   * run would not reach its end. Tangents end there with ESS_ESLIDING. The same status ends a run
   * from an initial state from which the field points away on both sides, and a run that turns
   * around while it slides: neither continuation is unique. Needs ESS_METHOD_TOLERANCE and a system
   * without weights; fixed at alloc. */
  ess_sliding sliding;
  const bool *slides; /* optional, [m]: which event functions may be slid on: none whose guards are
                         silent, impacts or one-way, or whose rows change others. NULL: the rest.
                         Chosen at alloc, too */
  /* Default: false. true: where impacts accumulate, have absorbed all of the normal speed, or begin
   * at rest, and the field pushes the state onto their guard, the state rests there. It slides,
   * held by the effect of the impacts, and leaves when they would have to pull. Their map is also
   * evaluated at states that differ from the run's by a thousandth, so that they approach the guard
   * slowly, and must send these back. Needs ESS_SLIDING_FILIPPOV. With tangents such a run ends
   * with ESS_EZENO. */
  bool rest;
  /* What follows concerns ESS_METHOD_PAPER alone. Half-width of every guard's neighbourhood, in
   * units of h, finite, > 0; default 1e-3. */
  double epsilon;
  const double *guard_epsilons; /* optional, [m]: replaces epsilon, in the same range */
  /* The projection's order in epsilon: 1 (default), along the tangent, one evaluation of the field,
   * global error epsilon^2; 2, along the field half-way, two evaluations, epsilon^3. */
  int order;
  /* Longest projection, in time, > 0; INFINITY (default): no limit. A guard to which the field
   * takes longer is not yet inside its neighbourhood: set it where guards are nearly grazed. */
  double projection_max;
  /* Smallest rate of an event function, in units of h over time, that is accepted where its guard
   * is projected onto, finite, >= 0; 0 (default): unchecked. Requirement 4 of the paper. */
  double liveness;
} ess_options;

/* The default options: ESS_METHOD_TOLERANCE, rtol 1e-8, atol 1e-10, unlimited step. */
ESS_API ess_options ess_options_default(void);

/* The paper's method: as ess_options_default, but for ESS_METHOD_PAPER. */
ESS_API ess_options ess_options_paper(void);

/* ---- counters -------------------------------------------------------------------------------- */

/* Work done since alloc or reset. Sampling and observing never change them. */
typedef struct ess_counters {
  uint64_t steps;       /* accepted integration steps, cut ones included */
  uint64_t stabilised;  /* those of them that ESS_BASE_RKC made */
  uint64_t implicit;    /* those of them that ESS_BASE_RODAS made */
  uint64_t through;     /* those of them that went through crossings (ess_system.weights) */
  uint64_t rejected;    /* steps refused: too inaccurate, or too long to be sure of crossings */
  uint64_t entries;     /* steps cut at a located neighbourhood entry or crossing */
  uint64_t projections; /* projection steps */
  uint64_t crossings;   /* crossings that are not silent */
  uint64_t silent;      /* silent crossings */
  uint64_t impacts;     /* impacts made; their events are crossings too */
  uint64_t slides;      /* slides begun: each of an event function */
  uint64_t field_evaluations;          /* evaluations of field, those for tangents included */
  uint64_t guard_evaluations;          /* evaluations of guards or guard_rates */
  uint64_t some_evaluations;           /* evaluations of some_guard_rates */
  uint64_t jacobian_evaluations;       /* evaluations of guard_jacobian */
  uint64_t field_jacobian_evaluations; /* evaluations of field_jacobian */
} ess_counters;

/* ---- the driver ------------------------------------------------------------------------------ */

/* One trajectory being integrated, and the memory this takes. Its members are private. */
typedef struct ess_driver ess_driver;

/* Checks the arguments and allocates everything a run needs; nothing is allocated afterwards.
 * Failing it returns NULL and, when `status` is not NULL, sets it to ESS_EINVAL or ESS_ENOMEM. */
ESS_API ess_driver *ess_driver_alloc(const ess_system *system, const ess_options *options,
                                     int *status);

/* Frees a driver; NULL is accepted. */
ESS_API void ess_driver_free(ess_driver *driver);

/* The option (or system member) that ess_driver_alloc would refuse: a one-line message in static
 * storage with its name and the accepted values; NULL if all are accepted. */
ESS_API const char *ess_check(const ess_system *system, const ess_options *options);

/* Integrates x[n] from *t to exactly t1 and sets *t to the time reached. The latched mode is kept
 * from the previous call, so successive calls continue one trajectory. The first call after alloc
 * or reset latches the signs from h(x); if h = 0 the side is the one to which the field points.
 *
 * The state at the time of an impact is the one after it, in the direction of the run: also x at
 * t1, and a sample there. A timed jump, the impact of an event function of time alone, is made at
 * the first time, to the last bit, at which that has passed zero, or at t1 if it is later only by
 * rounding. A run that begins at such a time does not repeat the jump. The same holds for a run
 * that begins on a guard whose map changes neither the event function nor its rate; other impacts
 * through which the field leads are made at the initial time.
 *
 * On failure x and *t are the last valid state, and ess_driver_failure has the details. ESS_EINVAL,
 * with nothing changed: an argument is NULL or not finite, or the call is from within an apply of
 * the same driver.
 *
 * If t1 < *t the run goes backward, as the system of time s = -t: its field is -f, and guards are
 * crossed in the order and direction in which the run passes them. When a run turns around, it
 * latches signs from h(x) again, but with resets or impacts keeps the mode; impacts are undone only
 * if their maps do so. */
ESS_API int ess_driver_apply(ess_driver *driver, double *t, double t1, double x[]);

/* As ess_driver_apply, by the same steps, and writes the state at each of times[count], from *t to
 * t1 in this order, into states[count*n]: at the time of an impact the state after it. After a
 * failure rows not reached hold what they held. */
ESS_API int ess_driver_sample(ess_driver *driver, double *t, double t1, double x[],
                              const double times[], size_t count, double states[]);

/* The state x[n] at any time t of the driver's last step, from ess_driver_step_start(driver) to the
 * time reached: chosen afterwards, or by a step's observer, at no call. ESS_EINVAL outside. */
ESS_API int ess_driver_dense(ess_driver *driver, double t, double x[]);

/* Time at which the last step began: the initial time if no step has been made since, or if the
 * last apply began at another state than the one before had reached. NAN before that, and for NULL.
 * */
ESS_API double ess_driver_step_start(const ess_driver *driver);

/* Changes the options from the next apply on; mode, step size and counters are kept. On ESS_EINVAL,
 * also from within an apply, the previous options stay in force. */
ESS_API int ess_driver_set_options(ess_driver *driver, const ess_options *options);

/* Forgets mode, step size and counters: the next apply starts a new trajectory. From within an
 * apply of the same driver it does nothing. */
ESS_API void ess_driver_reset(ess_driver *driver);

/* Counters of the work done since alloc or reset. */
ESS_API const ess_counters *ess_driver_counters(const ess_driver *driver);

/* The failure of the latest apply or sample, or of a later call of any function of the driver. Its
 * status is ESS_SUCCESS if there was none. For a NULL driver: that the driver must not be NULL. */
ESS_API const ess_failure *ess_driver_failure(const ess_driver *driver);

/* The latched mode, sign[m]; meaningful after the first apply. */
ESS_API const double *ess_driver_sign(const ess_driver *driver);

/* The event functions that the state slides on, ascending, *count of them; their signs in
 * ess_driver_sign are -1. NULL without ess_options.sliding. */
ESS_API const size_t *ess_driver_sliding(const ess_driver *driver, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
