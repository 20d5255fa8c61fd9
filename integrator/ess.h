/*
 * libess: integration of event-selected systems through many near-simultaneous contacts.
 *
 * An event-selected system is a field f(x, sgn h) whose discontinuities lie on the zero sets of
 * event functions h : R^n -> R^m. Where the state passes one, it makes a *crossing*: libess flips
 * that event function's sign and goes on in the new field. The caller gives one tolerance, which
 * holds for the steps between crossings and for crossings. The method of Anderson & Revzen ("Rapid
 * Integrator for a Class of Multi-Contact Systems", 2024), which *projects* the state onto guards
 * within epsilon of them, is a choice (ess_options_paper). Derivatives are in ess_tangents.h.
 *
 * A driver is allocated, applied up to a time, and freed. Needs libm only; no global state; several
 * drivers may run in several threads as long as each system's `params` allows it.
 *
 * Shapes are given in n states, m event functions and P parameters; matrices are row-major. Times
 * and states are in the caller's units. What a system and options point to is copied when the
 * driver is allocated, but for `params`, an observer's context and parameter_values, which stay the
 * caller's. Pointers handed to callbacks and observers are valid during the call only. What a
 * driver's functions point to is the driver's, valid until it is freed; of a NULL driver NULL.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_H
#define ESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a shared library shows; everything else in it is hidden. */
#ifdef __GNUC__
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

/* How a call ended: what every function that returns int returns. */
typedef enum ess_status {
  ESS_SUCCESS = 0,
  ESS_EINVAL,         /* an argument or option outside its accepted range */
  ESS_ENOMEM,         /* allocation failed */
  ESS_ECALLBACK,      /* a callback returned nonzero; see ess_failure.callback_code */
  ESS_EFIELD,         /* the field, or a derivative that is followed, is not finite */
  ESS_EGUARD,         /* an event function or its rate is not finite */
  ESS_EUNDERFLOW,     /* the step size fell below the resolution of time */
  ESS_ELIVENESS,      /* an event function's rate at a projection is below options.liveness */
  ESS_ECHATTER,       /* guards throw the state back at each other, and no time passes (Filippov) */
  ESS_EMAXSTEPS,      /* options.max_steps reached */
  ESS_EMAXCROSSINGS,  /* options.max_crossings reached */
  ESS_ESTOP,          /* an observer, or ess_watch.stop, asked to stop */
  ESS_ESLIDING,       /* on one event function's zero the field points back from either side */
  ESS_ETOLERANCE,     /* the tolerance is below the rounding of a state */
  ESS_EJACOBIAN,      /* an event function, or a field, does not change as its Jacobian predicts */
  ESS_EIMPACT,        /* an impact's map returned a state or mode that is not accepted */
  ESS_EZENO,          /* impacts accumulate; ess_failure.time is when */
  ESS_EGRAZING,       /* an impact, or a crossing that tangents are taken through, has no rate */
  ESS_EDISCONTINUOUS, /* what events at one instant lead to depends on their order: no derivative */
  ESS_EWEIGHTS,       /* the field is not affine in the signs, though ess_system.weights says so */
  ESS_STATUS_COUNT
} ess_status;

/* Message of a status: static storage, lower case, no full stop. Never NULL. */
ESS_API const char *ess_strerror(int status);

/* Where and why a driver last failed. `time` is that of the last good state, which the caller gets
 * back; for ESS_EZENO when impacts accumulate, extrapolated from the last ones; where a callback
 * failed, or returned what is not finite, that of the state it was given, which may be later.
 *
 * ESS_ESLIDING: the event function was crossed back and forth nine times in a row, each time at
 * once. Or it was so thousands of times, within the tolerance, and as many more would exceed
 * max_steps or max_crossings before the end. The state lies where sliding begins. With
 * ess_options.sliding: where the state goes from there is not unique.
 *
 * ESS_EIMPACT: the state is the one before the impact.
 *
 * ESS_EJACOBIAN: difference quotients along the field, at two places, agree with each other and
 * differ from the rate by more than a quarter. ess_check_jacobian finds smaller errors. Of
 * field_jacobian, by ESS_BASE_RODAS: an entry differs from difference quotients on both sides of
 * the state by more than 0.2 %, and the Jacobian has an error that the tolerance sees. */
typedef struct ess_failure {
  ess_status status;
  double time;
  size_t guard;       /* the event function concerned, by index, or SIZE_MAX */
  size_t other_guard; /* ESS_ECHATTER: the one crossed just before; ESS_ESLIDING,
                         ESS_EDISCONTINUOUS: another that is concerned; else SIZE_MAX */
  int callback_code;  /* ESS_ECALLBACK: what the callback returned */
  const char *reason; /* in static storage: ESS_EINVAL: one line that names the argument and what is
                         accepted; ESS_EIMPACT: one line about what the map returned; ESS_ESLIDING:
                         why it is not unique, or NULL; ESS_EJACOBIAN: that it is field_jacobian, or
                         NULL; else NULL */
  size_t row, column; /* ESS_EJACOBIAN: the entry of field_jacobian; else SIZE_MAX */
} ess_failure;

/* ---- guards and the guard reset matrix ------------------------------------------------------- */

/* A guard is one direction in which an event function may be crossed: event function k has the
 * guards ESS_GUARD_UP(k), crossed from h_k < 0, and ESS_GUARD_DOWN(k), crossed from h_k > 0. By the
 * latched sign one of them lies ahead, and is armed, a candidate to be crossed, or not. */
#define ESS_GUARD_UP(k)   (2 * (size_t)(k))
#define ESS_GUARD_DOWN(k) (2 * (size_t)(k) + 1)

/* An effect: the state at the crossing decides. The event function of the guard that the entry
 * names, either of the two, is latched to its sign there, and its guard that lies ahead is armed
 * (none, where a one-way event function is positive). At h = 0 the side is the one the field points
 * to, in the mode that the row has made so far; where it points along the guard the sign stays. An
 * entry costs a call of guards, or of some_guard_rates where there is one. */
#define ESS_ARM_AHEAD 2

/* The guard reset matrix R: crossing guard j disarms j and then applies row j, whose entries arm
 * (+1) or disarm (-1) other guards. Arming a guard also latches its event function's sign to the
 * side before it: a touch-down that arms the release of the same contact says with it that the
 * contact's force is now positive. Rows are stored one after the other.
 *
 * One row more than there are guards: row 2m is applied after an integration step that ends with no
 * guard armed. There +1 arms only guards whose event function is strictly on their near side, and
 * ESS_ARM_AHEAD those of either side. The paper's pool rule is a matrix with this row alone. */
typedef struct ess_reset_matrix {
  const size_t *row_start;   /* [2m+2]: row j holds entries row_start[j] .. row_start[j+1]-1 */
  const size_t *guard;       /* [row_start[2m+1]]: the guard an entry concerns, < 2m */
  const signed char *effect; /* [row_start[2m+1]]: +1 arms it, -1 disarms it, ESS_ARM_AHEAD, which
                                must not name the event function whose guard is crossed */

  /* Optional, [2m]: guards whose crossing, signs latched by their rows included, never changes the
   * field, whatever the mode. They only apply their rows, at the end of the step that passes them
   * or ahead of the projection that would: no step is shortened for them, unless another crossing
   * depends on it, and observers do not hear of them. */
  const bool *silent;

  /* Optional: which guards are armed at the start, armed[2m]. On entry those that lie ahead are; a
   * caller may clear others, as the release of a contact that does not touch. */
  int (*start)(const double sign[], bool armed[], void *params);
} ess_reset_matrix;

/* ---- impacts: crossings at which the state jumps --------------------------------------------- */

/* What an impact's map is handed, and what it returns. Events are those of one instant: all armed
 * guards that the state is on and approaches, and those whose guards it reaches within
 * ess_options.tie, impacts or not. An event that the map leads to (a state that lands on a guard)
 * is made next, at the same time, by a call of its own.
 *
 * On entry `after` is x, `mode` is the latched mode with the events' signs flipped and the rows of
 * their guards applied, and `armed` tells which guards that leaves armed. Of an event it tells so
 * of the guard that was crossed, too, unless the row of `resets` arms none of both: the guard ahead
 * of the mode that the map returns is then armed if the map says nothing else. The mode that it
 * returns is the truth: signs are not read off h(after). So a ball that bounces puts the sign of
 * its height back to +1. A guard on its zero that recedes is not crossed. Event functions whose
 * guards are never armed can hold what else belongs to the mode. */
typedef struct ess_impact {
  double t;
  size_t count;         /* of events, >= 1 */
  const size_t *events; /* [count], event functions, in ascending order */
  const double *x;      /* [n], the state at the impact */
  const double *sign;   /* [m], the latched mode before it */
  double *after;        /* [n], the state after it */
  double *mode;         /* [m], the latched mode after it, each exactly -1.0 or +1.0 */
  bool *armed;          /* [2m], which guards are armed after it; one that does not lie ahead of the
                           side that `mode` says is passed over */
} ess_impact;

/* Which crossings are impacts, and what they do. */
typedef struct ess_impacts {
  const bool *at; /* [2m]: guards whose crossing is an impact, none of them silent; NULL: each */
  /* After the impact. Anything but 0 ends the run with ESS_ECALLBACK, as where no mode is
   * consistent: state and mode are those before it. Where tangents are followed the map must be a
   * function of x, events and sign alone, called more than once; of t too with guards_move. */
  int (*map)(ess_impact *impact, void *params);
  /* Optional, for tangents: DR[n*n], d after_i / d x_j at an impact that the map has just been made
   * of (`after`, `mode` and `armed` are what it returned). NULL: by differences of the map. */
  int (*jacobian)(const ess_impact *impact, double DR[], void *params);
  /* Optional, likewise: Rp[n*P], d after_i / d p_j by the system's parameters. */
  int (*parameter_jacobian)(const ess_impact *impact, double Rp[], void *params);
  /* Optional: the mode to start with, where it is not read off the signs of h. On entry sign[m] and
   * armed[2m] are as without it. */
  int (*start)(double t, const double x[], double sign[], bool armed[], void *params);
} ess_impacts;

/* ---- events that are only noted, or end a run ------------------------------------------------ */

/* Functions of time and state whose zeros are events, and change nothing: neither the field nor the
 * mode, and no row of a matrix names them. They are found, counted and told of as crossings are, of
 * event function m + i; ESS_METHOD_PAPER does not accept them. They cost as much as the same number
 * of event functions that depend on time. All rates are differences then, those of guards too.
 *
 * Where an impact's jump takes one past its zero, that is an event at the impact's time, told of
 * after it. Where one is zero at the impact it is told of once, with the state after it. */
typedef struct ess_watch {
  size_t count; /* 0 (default): none */
  /* g[count] = g(t, x[n]); must not be NULL when count > 0 */
  int (*values)(double t, const double x[], double g[], void *params);
  const int *direction; /* optional, [count]: +1: zeros passed from below alone, as the run passes
                           them; -1: from above; 0 (NULL): both */
  const uint64_t *stop; /* optional, [count]: so many events of it since alloc, reset or the last
                           such stop end the run there with ESS_ESTOP; another apply goes on. 0
                           (NULL): it is only noted */
} ess_watch;

/* ---- the system: (f, h, Dh) of section 2.1 of the paper -------------------------------------- */

/* The system the caller wants integrated. `sign[k]` is the latched sign of h_k: exactly -1.0 or
 * +1.0. It changes only when libess crosses event function k, or when the row of another's guard
 * latches it, so the field must be smooth *through* the zeros of h for a fixed sign vector and must
 * never look at the sign of h itself. Any value but 0 from a callback ends the run with
 * ESS_ECALLBACK. */
typedef struct ess_system {
  size_t dimension;   /* n >= 1, number of states */
  size_t guard_count; /* m >= 0, number of event functions */
  /* dxdt[n] = f(t, x[n], sign[m]) */
  int (*field)(double t, const double x[], const double sign[], double dxdt[], void *params);
  /* h[m] = h(t, x[n]) */
  int (*guards)(double t, const double x[], double h[], void *params);
  /* Dh[m*n]: row k is the gradient of h_k. Optional where guard_rates is given; without either
   * rates are differences of guards, at some four calls for each. */
  int (*guard_jacobian)(double t, const double x[], double Dh[], void *params);
  /* Optional, for speed: h[m] and rate[m], rate[k] = grad h_k . v, in one pass without Dh. */
  int (*guard_rates)(double t, const double x[], const double v[], double h[], double rate[],
                     void *params);
  /* Optional, for speed, where a crossing is located or corrected: as guard_rates, for the `count`
   * event functions which[] alone: h[i] and rate[i] are those of which[i]. */
  int (*some_guard_rates)(double t, const double x[], const double v[], const size_t which[],
                          size_t count, double h[], double rate[], void *params);

  /* Optional: told whenever the latched mode changes, before the field is next called: of the event
   * function `guard` whose sign was flipped, or of m when all of `sign` was set anew. */
  int (*mode_changed)(const double sign[], size_t guard, void *params);

  /* false (default): each event function has two guards, h_k crossed upward (touch-down) and
   * downward (lift-off). true: only crossings from h_k < 0 to h_k >= 0 are guards. */
  bool one_way;

  /* true: the field is affine in each sign and may be called with any numbers for signs, of which
   * mode_changed is told, too: what contact k adds is weighed by (1 + sign[k]) / 2 in place of an
   * `if`, or by the product of two such. Steps then go through many crossings at a time
   * (docs/theory/through-crossings.md). One that is not affine ends the run with ESS_EWEIGHTS. */
  bool weights;

  const ess_reset_matrix *resets; /* optional: which guards a crossing arms; NULL: its mirror */
  const ess_impacts *impacts;     /* optional: which crossings are impacts */

  /* Optional, for tangents and ESS_BASE_RODAS: J[n*n], d f_i / d x_j, of the field with these
   * signs. NULL: by differences, for which atol / rtol is taken as the size of a state near 0. By
   * ESS_BASE_RODAS a wrong one ends the run with ESS_EJACOBIAN, which names the entry. */
  int (*field_jacobian)(double t, const double x[], const double sign[], double J[], void *params);

  /* For ESS_BASE_ROS2: in place of v[n], (1 - c W)^-1 v. W is about d f_i / d x_j at x, or the part
   * of it that is stiff; the order is 2 with any. t, x and sign are the same for all calls of a
   * step, those of its start. c is negative where time runs backwards. */
  int (*field_solve)(double t, const double x[], const double sign[], double c, double v[],
                     void *params);

  /* Optional, for speed, asked after calls of field: idle[m], true for event functions whose signs
   * that call has not depended on: it would have returned the same with any signs of all of them
   * together, as of contacts that act and have no force. On entry all are false. A guard that lies
   * ahead while k is idle at the start and at all calls of a step cuts no step: its crossing is
   * made at the step's end, and told of as of its time along the step's quartic (exact where h_k is
   * affine along the step). Nothing comes of it with impacts of that guard, rows that concern other
   * event functions, weights, tangents, recordings, ESS_METHOD_PAPER, ESS_BASE_RODAS and
   * ESS_BASE_CHOSEN_RODAS. */
  int (*idle)(bool idle[], void *params);
  void *params; /* handed to every callback */

  /* Optional: times at which the field jumps by time alone, as inputs do, ascending; not copied.
   * Steps end there. Up to t_j the field is called with times below it, from there on with t_j or
   * later, in both directions of time: a field that compares t < t_j sees the side that it is
   * integrated on. Event functions have to be continuous there. */
  const double *field_jumps;
  size_t field_jump_count;

  /* true: event functions depend on time, too, which is then as a state more that the caller does
   * not see. Where they do and this is false the run is right, or ends with a status, most often
   * ESS_EJACOBIAN. */
  bool guards_move;
  /* Optional, where they do: ht[m], ht[k] = d h_k / d t of a state that stays. NULL: by differences
   * of guards. guard_jacobian and the rates are those along the state alone in any case. */
  int (*guard_time_rates)(double t, const double x[], double ht[], void *params);
  ess_watch watch; /* optional: what is only noted, or ends the run */

  /* Optional: P parameters that tangents may follow, and [P], where their values are; and, for
   * tangents, Fp[n*P], d f_i / d p_j, and hp[m*P], d h_k / d p_j (ess_driver_follow_parameters). */
  size_t parameters;
  double *parameter_values;
  int (*field_parameter_jacobian)(double t, const double x[], const double sign[], double Fp[],
                                  void *params);
  int (*guard_parameter_jacobian)(double t, const double x[], double hp[], void *params);
} ess_system;

/* ---- observers ------------------------------------------------------------------------------- */

/* What an observer is told of a step: the state at its end and how it got there. */
typedef struct ess_step_info {
  bool projection; /* true: along the field onto a guard; false: an integration step */
  double t0, t1;   /* start and end time */
  const double *x; /* x[n] at t1 */
} ess_step_info;

/* What an observer is told of a crossing: after the flip. */
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

/* Functions told of every step and every crossing, after acceptance and in the order of time: of a
 * step at its end, after what is crossed within it and before what is crossed there. Each may be
 * NULL. They return 0 to go on, anything else to stop with ESS_ESTOP: time, state and signs are
 * then those that they were told, and another apply goes on from there. A step from there that is
 * no longer than rounding is told of, too, but cannot stop the run again. ess_driver_dense may be
 * called from them, apply and set_options may not. */
typedef struct ess_observer {
  int (*step)(const ess_step_info *info, void *context);         /* after each step */
  int (*crossing)(const ess_crossing_info *info, void *context); /* after each crossing */
  int (*impact)(const ess_impact *impact, void *context);     /* after it, before its crossings */
  void *context;                                              /* handed to all */
  int (*event)(const ess_crossing_info *info, void *context); /* of ess_watch: `guard` is i there */
  int (*slide)(const ess_slide_info *info, void *context);    /* where a slide begins or ends */
} ess_observer;

/* ---- options --------------------------------------------------------------------------------- */

/* How crossings are made. */
typedef enum ess_method {
  ESS_METHOD_TOLERANCE, /* the error of everything, crossings included, is controlled by rtol and
                           atol alone (docs/theory/method.md) */
  ESS_METHOD_PAPER      /* by projection inside neighbourhoods of the guards, as in the paper: the
                           error of crossings is that of epsilon, which the caller chooses */
} ess_method;

/* What makes the integration steps. */
typedef enum ess_base {
  ESS_BASE_DOPRI5, /* Dormand-Prince 5(4): six calls of the field a step, or three, of order 3,
                      where the next crossing is near. Where the field is stiff stability bounds
                      these steps, whatever the tolerance */
  ESS_BASE_RKC,    /* Runge-Kutta-Chebyshev of order 2, for stiff motions that decay, at loose
                      tolerances: calls grow with the square root of a step's length. The error is
                      about the tolerance, some 10 to 100 times that with many slow oscillations,
                      hardly damped, and more below 1e-6. Tangents cost what dopri5's do */
  ESS_BASE_CHOSEN, /* dopri5, and RKC for as long as stability bounds dopri5's steps and RKC takes
                      clearly fewer calls */
  ESS_BASE_RODAS,  /* RODAS, a Rosenbrock method of order 4, linearly implicit: for stiff fields of
                      every kind, damped or not. A step takes the field's Jacobian (or n calls, also
                      beside the run's states), eight calls, and linear equations in n unknowns;
                      every eighth step one call more checks field_jacobian. No
                      tangents or recordings. Chosen at alloc, which takes 2 n^2 doubles more */
  ESS_BASE_ROS2,   /* ROS2, a linearly implicit method of order 2 with a W of the caller's, which is
                      field_solve: for forces that damp, at loose tolerances. Errors are like RKC's,
                      or a third with W in full. Two calls of the field a step, and two of
                      field_solve. No tangents or recordings. Chosen at alloc */
  ESS_BASE_CHOSEN_RODAS /* dopri5, and RODAS for as long as stability bounds dopri5's steps and
                           RODAS takes clearly fewer calls; its linear equations are not counted.
                           All that ESS_BASE_RODAS says holds, no tangents or recordings among it */
} ess_base;

/* What happens where the field points back to an event function's zero from both sides. */
typedef enum ess_sliding {
  ESS_SLIDING_NONE,    /* the run ends there with ESS_ESLIDING */
  ESS_SLIDING_FILIPPOV /* the state slides along it, by the mean of the fields of both sides that
                          keeps it there (docs/theory/sliding.md) */
} ess_sliding;

/* How to integrate. Start from ess_options_default() and change what you need. */
typedef struct ess_options {
  /* The tolerance: what each state x_i may err by, up to a factor of a few, is atol + rtol |x_i|.
   * By ESS_METHOD_PAPER it is that of the integration between crossings alone. rtol: in [0, 1),
   * default 1e-8. atol: in units of the states, finite, >= 0, default 1e-10. One of both > 0. */
  double rtol, atol;
  const double *rtols, *atols; /* optional, [n] each: replace rtol or atol, state by state */
  /* Longest integration step, in time, > 0; INFINITY (default): no limit. Set it where event
   * functions have details that are passed in far less than a step. */
  double h_max;
  double h_init;          /* first integration step, in time, finite, >= 0; 0 (default): chosen */
  uint64_t max_steps;     /* of one apply, rejected ones included, >= 1; default 10^7 */
  uint64_t max_crossings; /* of one apply, silent ones included, >= 1; default 10^7 */
  ess_observer observer;  /* who is told; default: nobody */
  ess_method method;      /* default: ESS_METHOD_TOLERANCE */
  ess_base base;          /* default: ESS_BASE_DOPRI5. While the state slides steps are dopri5's */
  /* Events closer in time than this are of one instant, for impacts' maps and tangents; finite, >=
   * 0. 0 (default): what the tolerance cannot order: the time in which the state moves by one
   * tolerance and, for maps, by which the time between both changes when the state is off by that.
   * Two events of time alone are ordered by their times, however close. */
  double tie;
  /* So many impacts in a row, at ever shorter intervals, end a run with ESS_EZENO when they would
   * accumulate before its end. Fewer do where the tolerance cannot tell the time of accumulation
   * from now. >= 4, default 200. */
  uint64_t zeno_impacts;
  /* Default: ESS_SLIDING_NONE. By ESS_SLIDING_FILIPPOV the state may slide on any number of event
   * functions whose jumps of the field add up, as friction's do, and on three at most where they do
   * not, at a call of the field for each and one more. Where the jump changes no rate of its event
   * function, as the force of a contact on a body, the state bounces on the zero ever less; it
   * slides from where the bounces are less than the tolerance, or so many that the run would not
   * come to its end. Tangents do not go on there: ESS_ESLIDING. That is also how a start from which
   * the field points away on both sides ends, and a run that turns around while it slides: neither
   * is unique. Needs ESS_METHOD_TOLERANCE and a system without weights; chosen at alloc. */
  ess_sliding sliding;
  const bool *slides; /* optional, [m]: which event functions may be slid on: none whose guards are
                         silent, impacts or one-way, or whose rows change others. NULL: the rest.
                         Chosen at alloc, too */
  /* Default: false. true: where impacts accumulate, have taken all of the speed, or begin at rest,
   * and the field pushes the state onto their guard, it rests there: it slides, held by what
   * impacts would do to it, and leaves where they would have to pull. Their map is also asked of
   * states that differ from the run's by a thousandth, so that they come to the guard slowly, and
   * has to send them back. Needs ESS_SLIDING_FILIPPOV. Where tangents are followed such a run ends
   * with ESS_EZENO as without. */
  bool rest;
  /* What follows concerns ESS_METHOD_PAPER alone. Half-width of every guard's neighbourhood, in
   * units of h, finite, > 0; default 1e-3. */
  double epsilon;
  const double *guard_epsilons; /* optional, [m]: replaces epsilon, in the same range */
  /* The projection's order in epsilon: 1 (default), along the tangent, one call of the field,
   * global error epsilon^2; 2, along the field half-way, two calls, epsilon^3. */
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
  uint64_t field_evaluations;          /* calls of field, those for tangents included */
  uint64_t guard_evaluations;          /* calls of guards or guard_rates */
  uint64_t some_evaluations;           /* calls of some_guard_rates */
  uint64_t jacobian_evaluations;       /* calls of guard_jacobian */
  uint64_t field_jacobian_evaluations; /* calls of field_jacobian */
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

/* Which option (or system member) ess_driver_alloc would refuse: a one-line message in static
 * storage that names it and what is accepted; NULL when all are accepted. */
ESS_API const char *ess_check(const ess_system *system, const ess_options *options);

/* Integrates x[n] from *t to exactly t1 and sets *t to the time reached. The latched mode is kept
 * from the previous call, so successive calls continue one trajectory; the first call after alloc
 * or reset latches the signs from h(x), with h = 0 taken as the side the field points to.
 *
 * A state at the time of an impact is the one after it, in the direction of the run: also x at t1,
 * and a sample there. A timed jump, the impact of an event function of time alone, is made at the
 * first time, to the last bit, at which that has passed zero, or at t1 where it would be a rounding
 * later. A run that starts at such a time has made it. So has one that starts on a guard whose map
 * changes neither the event function nor its rate; other impacts the field leads through are made
 * at the start.
 *
 * On failure x and *t are the last good state and ess_driver_failure tells the rest. ESS_EINVAL,
 * with nothing changed: what is NULL or not finite, or a call from within an apply of the same
 * driver.
 *
 * Where t1 < *t it goes backward, as the system of time s = -t: its field is -f, and guards are
 * crossed in the order, and the direction, in which the run passes them. Turning around, it latches
 * signs from h(x) anew, but with resets or impacts keeps the mode; impacts undo themselves only
 * where their maps do. */
ESS_API int ess_driver_apply(ess_driver *driver, double *t, double t1, double x[]);

/* As ess_driver_apply, by the same steps, and writes the state at each of times[count], from *t to
 * t1 in this order, into states[count*n]: at the time of an impact the state after it. After a
 * failure rows not reached hold what they held. */
ESS_API int ess_driver_sample(ess_driver *driver, double *t, double t1, double x[],
                              const double times[], size_t count, double states[]);

/* The state x[n] at any time t of the driver's last step, from ess_driver_step_start(driver) to the
 * time reached: chosen afterwards, or by a step's observer, at no call. ESS_EINVAL outside. */
ESS_API int ess_driver_dense(ess_driver *driver, double t, double x[]);

/* Where the last step began: the time of the start when none has been made since, or when the last
 * apply began at another state than the one before had reached. NAN before that, and of NULL. */
ESS_API double ess_driver_step_start(const ess_driver *driver);

/* Other options from the next apply on; mode, step size and counters are kept. ESS_EINVAL, also
 * from within an apply, leaves those in force. */
ESS_API int ess_driver_set_options(ess_driver *driver, const ess_options *options);

/* Forgets mode, step size and counters: the next apply starts a new trajectory. From within an
 * apply of the same driver it does nothing. */
ESS_API void ess_driver_reset(ess_driver *driver);

/* Counters of the work done since alloc or reset. */
ESS_API const ess_counters *ess_driver_counters(const ess_driver *driver);

/* Where and why the latest apply or sample failed, or what any function was refused, or failed in,
 * since; its status is ESS_SUCCESS when nothing was. Of a NULL driver: that it must not be. */
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
