/*
 * libess: integration of event-selected systems through many near-simultaneous contacts.
 *
 * An event-selected system is a field f(x, sgn h) whose discontinuities lie on the zero sets of
 * event functions h : R^n -> R^m. Where the state passes one, it makes a *crossing*: libess flips
 * that event function's sign and goes on in the new field. Between crossings it integrates with an
 * adaptive Dormand-Prince pair. The caller gives one tolerance, which holds for crossings too:
 * they are located, or gone through many at a time where the field is affine in their signs. The
 * method of Anderson & Revzen ("Rapid Integrator for a Class of Multi-Contact Systems", 2024),
 * which *projects* the state onto guards within epsilon of them, is a choice (ess_options_paper).
 *
 * Habits are those of GSL's odeiv2: callbacks return 0 for success, a driver is allocated, applied
 * up to a time, and freed. Needs libm only; no global state; several drivers may run in several
 * threads as long as each system's `params` allows it.
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

/*
 * Version of the library that runs, "major.minor.patch" in static storage: ESS_VERSION when it is
 * the one this header belongs to.
 */
ESS_API const char *ess_version(void);

/* ---- statuses -------------------------------------------------------------------------------- */

/*
 * How a call ended. Every function that returns int returns one of these; ess_strerror gives its
 * message.
 */
typedef enum ess_status {
  ESS_SUCCESS = 0,
  ESS_EINVAL,         /* an argument or option outside its accepted range */
  ESS_ENOMEM,         /* allocation failed */
  ESS_ECALLBACK,      /* a callback returned nonzero; see ess_failure.callback_code */
  ESS_EFIELD,         /* the field, or the derivative that tangents are, is not finite */
  ESS_EGUARD,         /* an event function or its rate is not finite */
  ESS_EUNDERFLOW,     /* the step size fell below the resolution of time */
  ESS_ELIVENESS,      /* an event function's rate at a projection is below options.liveness */
  ESS_ECHATTER,       /* guards throw the state back at each other, and no time passes (Filippov) */
  ESS_EMAXSTEPS,      /* options.max_steps reached */
  ESS_EMAXCROSSINGS,  /* options.max_crossings reached */
  ESS_ESTOP,          /* an observer, or ess_watch.stop, asked to stop */
  ESS_ESLIDING,       /* on one event function's zero the field points back from either side */
  ESS_ETOLERANCE,     /* the tolerance is below the rounding of a state */
  ESS_EJACOBIAN,      /* an event function does not change as its Jacobian, or rate, predicts */
  ESS_EIMPACT,        /* an impact's map returned a state or mode that is not accepted */
  ESS_EZENO,          /* impacts accumulate; ess_failure.time is when */
  ESS_EGRAZING,       /* an impact, or a crossing that tangents are taken through, has no rate */
  ESS_EDISCONTINUOUS, /* what events at one instant lead to depends on their order: no derivative */
  ESS_EWEIGHTS,       /* the field is not affine in the signs, though ess_system.weights says so */
  ESS_STATUS_COUNT
} ess_status;

/* Message of a status: static storage, lower case, no full stop. Never NULL. */
ESS_API const char *ess_strerror(int status);

/*
 * Where and why a driver last failed. `guard` and `other_guard` are event functions, by index, or
 * SIZE_MAX. `time` is that of the state at which a callback failed, or returned what is not finite.
 * Within a step this may be later than the last good state, which the caller gets back. Where no
 * callback was at fault it is that state's.
 *
 * ESS_ESLIDING: the event function was crossed back and forth nine times in a row, each time at
 * once. The state lies where sliding begins. Or it was crossed so thousands of times within the
 * tolerance, and max_steps or max_crossings would not reach to the end.
 *
 * With ess_options.sliding it says that where the state goes from there is not unique: `guard` and
 * `other_guard` are two of the event functions that show it, or one, and `reason` says why.
 *
 * ESS_EJACOBIAN: difference quotients of the event function along the field, at two places, agree
 * with each other and differ from the rate by more than a quarter. ess_check_jacobian finds which
 * derivative it is, and smaller errors.
 *
 * ESS_EZENO: `time` is when the impacts accumulate, extrapolated from the last ones. The state is
 * that after the last impact, and *t its time.
 *
 * ESS_EDISCONTINUOUS: `guard` and `other_guard` are two of the events.
 */
typedef struct ess_failure {
  ess_status status;
  double time;
  size_t guard;       /* the event function concerned */
  size_t other_guard; /* ESS_ECHATTER: the one crossed just before; ESS_ESLIDING: another */
  int callback_code;  /* ESS_ECALLBACK: what the callback returned */
  const char *reason; /* ESS_EINVAL: one line that names the argument and what is accepted, in
                         static storage; ESS_ESLIDING: why, or NULL; else NULL */
} ess_failure;

/* ---- guards and the guard reset matrix ------------------------------------------------------- */

/*
 * A guard is one direction in which an event function may be crossed: event function k has the
 * guards ESS_GUARD_UP(k), crossed from h_k < 0, and ESS_GUARD_DOWN(k), crossed from h_k > 0. At any
 * time a guard is armed, a candidate to be crossed, or not; of an event function's two guards at
 * most one is, since the latched sign says on which side the state is.
 */
#define ESS_GUARD_UP(k)   (2 * (size_t)(k))
#define ESS_GUARD_DOWN(k) (2 * (size_t)(k) + 1)

/*
 * An effect: the state at the crossing decides. The event function of the guard that the entry
 * names, either of the two, is latched to its sign there, and its guard that lies ahead is armed
 * (none, where a one-way event function is positive). At h = 0 the side is the one the field points
 * to, in the mode that the row has made so far; where it points along the guard the sign stays. A
 * slip guard armed at touch-down needs this: which way the foot slides is not known before. An
 * entry costs one call of guards, or of some_guard_rates where there is one.
 */
#define ESS_ARM_AHEAD 2

/*
 * The guard reset matrix R: crossing guard j disarms j and then applies row j, whose entries arm
 * (+1) or disarm (-1) other guards; guards without an entry stay as they are. Arming a guard also
 * latches its event function's sign to the side before it: a touch-down that arms the release of
 * the same contact says with it that the contact's force is now positive. Rows are stored one after
 * the other; all arrays are copied by ess_driver_alloc.
 *
 * One row more than there are guards: row 2m is applied after an integration step that ends with no
 * guard armed, and arms only guards whose event function is strictly on their near side, or ahead
 * (ESS_ARM_AHEAD) on either. The paper's pool rule is a matrix with this row alone.
 */
typedef struct ess_reset_matrix {
  const size_t *row_start;   /* [2m+2]: row j holds entries row_start[j] .. row_start[j+1]-1 */
  const size_t *guard;       /* [row_start[2m+1]]: the guard an entry concerns, < 2m */
  const signed char *effect; /* [row_start[2m+1]]: +1 arms it, -1 disarms it, ESS_ARM_AHEAD, which
                                must not name the event function whose guard is crossed */

  /*
   * Optional, [2m]: guards whose crossing, signs latched by their rows included, never changes the
   * field, whatever the mode. They only apply their rows, at the end of the step that passes them
   * or ahead of the projection that would: no step is shortened for them, unless another crossing
   * depends on it, and observers do not hear of them.
   */
  const bool *silent;

  /*
   * Optional: which guards are armed at the start, armed[2m], on entry true for the guards that lie
   * ahead of the latched side. Clearing some is how a model says that, for instance, the release of
   * a contact that does not touch is no candidate.
   */
  int (*start)(const double sign[], bool armed[], void *params);
} ess_reset_matrix;

/* ---- impacts: crossings at which the state jumps --------------------------------------------- */

/*
 * What an impact's map is handed, and what it returns. Events are those of one instant: all armed
 * guards that the state is on and approaches, and those whose guards it reaches within
 * ess_options.tie, impacts or not. An event that the map leads to (a state that lands on a guard)
 * is made next, at the same time, by a call of its own.
 *
 * On entry `after` is x, `mode` is the latched mode with the events' signs flipped and the rows of
 * their guards applied, and `armed` tells which guards that leaves armed. The map changes what it
 * has to. The mode it returns is the truth: the signs are not read off h(after). So a ball that
 * bounces puts the sign of its height back to +1 and arms ESS_GUARD_DOWN again. A guard that is on
 * its zero and recedes is not crossed. An event function of which no guard is ever armed can hold
 * what else belongs to the mode.
 */
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

/*
 * Which crossings are impacts, and what they do. An impact is located. By
 * ESS_METHOD_PAPER the state is projected onto its guard as onto any other. Between impacts
 * everything is as without them.
 */
typedef struct ess_impacts {
  /* [2m], copied: guards whose crossing is an impact; NULL: each. None may be silent. */
  const bool *at;

  /*
   * After the impact. Anything but 0 stops the run with ESS_ECALLBACK, as where no mode is
   * consistent: state and mode are those before it. Where tangents are followed the map must be a
   * function of x, events and sign alone, called more than once; of t too with guards_move.
   */
  int (*map)(ess_impact *impact, void *params);

  /*
   * Optional: DR[n*n], row-major, d after_i / d x_j at an impact that the map has just been made of
   * (`after`, `mode` and `armed` are what it returned). Called where tangents are followed. NULL:
   * by differences of the map.
   */
  int (*jacobian)(const ess_impact *impact, double DR[], void *params);

  /* Optional, likewise: Rp[n*P], row-major, d after_i / d p_j by the system's parameters. */
  int (*parameter_jacobian)(const ess_impact *impact, double Rp[], void *params);

  /*
   * Optional: the mode to start with. On entry sign[m] and armed[2m] are as without it. For modes
   * that are not read off the signs of h.
   */
  int (*start)(double t, const double x[], double sign[], bool armed[], void *params);
} ess_impacts;

/* ---- events that are only noted, or end a run -------------------------------------------------
 */

/*
 * Functions of time and state whose zeros are events, and change nothing: neither the field nor the
 * mode, and no row of a matrix names them. They are found like crossings, to the same tolerance and
 * as surely, and are told to the observer in their order among these; ESS_METHOD_PAPER does not
 * accept them. Watching costs what as many event functions that depend on time cost; rates, those
 * of guards included, are then differences. In counters, in max_crossings, as ess_failure's guard
 * and for ess_driver_section, number i is event function guard_count + i.
 *
 * Where a jump takes one past its zero, that is an event at the impact's time, told of after it;
 * a section by it is one by the impact.
 * Where one is zero at the impact itself it is told of once, with the state after it.
 */
typedef struct ess_watch {
  size_t count; /* 0 (default): none */

  /* g[count] = g(t, x[n]); must not be NULL when count > 0 */
  int (*values)(double t, const double x[], double g[], void *params);

  /* Optional, [count], copied: +1: zeros passed from below alone, as the run passes them; -1: from
   * above; 0 (NULL): both. */
  const int *direction;

  /* Optional, [count], copied: so many events of it since alloc, reset or the last such stop end
   * the run there with ESS_ESTOP; another apply goes on. 0 (NULL): it is only noted. */
  const uint64_t *stop;
} ess_watch;

/* ---- the system: (f, h, Dh) of section 2.1 --------------------------------------------------- */

/*
 * The system the caller wants integrated. All callbacks return 0 for success; any other value stops
 * the run with ESS_ECALLBACK. `sign[k]` is the latched sign of h_k: exactly -1.0 or +1.0. It
 * changes only when libess crosses event function k, or when the row of another's guard latches it,
 * so the field must be smooth *through* the zeros of h for a fixed sign vector and must never look
 * at the sign of h itself.
 *
 * Event functions whose value depends on time say so (guards_move): one that does not say it ends
 * in ESS_EJACOBIAN, or is right.
 */
typedef struct ess_system {
  size_t dimension;   /* n >= 1, number of states */
  size_t guard_count; /* m >= 0, number of event functions */

  /* dxdt[n] = f(t, x[n], sign[m]) */
  int (*field)(double t, const double x[], const double sign[], double dxdt[], void *params);

  /* h[m] = h(t, x[n]) */
  int (*guards)(double t, const double x[], double h[], void *params);

  /* Dh[m*n], row-major: row k is the gradient of h_k. Optional where guard_rates is given; without
   * either rates are differences of guards, at some four calls for each. */
  int (*guard_jacobian)(double t, const double x[], double Dh[], void *params);

  /* Optional, for speed: h[m] and rate[m], rate[k] = grad h_k . v, in one pass without Dh. */
  int (*guard_rates)(double t, const double x[], const double v[], double h[], double rate[],
                     void *params);

  /* Optional, for speed: as guard_rates, for the `count` event functions which[] alone: h[i] and
   * rate[i] are those of which[i]. Used where a crossing is located or corrected. */
  int (*some_guard_rates)(double t, const double x[], const double v[], const size_t which[],
                          size_t count, double h[], double rate[], void *params);

  /*
   * Optional: told whenever the latched mode changes, before the field is next called. `guard` is
   * the event function whose sign was flipped, or guard_count when all of `sign` was set anew. Lets
   * a model keep sums over its active contacts instead of scanning `sign` in every field call.
   */
  int (*mode_changed)(const double sign[], size_t guard, void *params);

  /*
   * false (default): each event function stands for a mirrored pair of guards, h_k crossed upward
   * (touch-down) and -h_k crossed upward (lift-off), stored once and evaluated once.
   * true: only crossings from h_k < 0 to h_k >= 0 are guards.
   */
  bool one_way;

  /*
   * true: the field is affine in each sign and may be called with any numbers for signs, as where
   * what contact k adds is weighed by (1 + sign[k]) / 2 in place of an `if`, or by the product of
   * two such where two event functions make one contact. mode_changed is told of such signs, too.
   * Steps then go through more than three crossings at a time and are put right at their ends
   * (docs/theory/through-crossings.md), at some twenty calls of the field. Else, and in smaller
   * numbers, crossings are located one by one, at some seven calls each. A field that is not affine
   * ends the run with ESS_EWEIGHTS, and the event function.
   */
  bool weights;

  /* Optional: which guards a crossing arms, in place of the mirrored pairs. */
  const ess_reset_matrix *resets;

  /* Optional: which crossings are impacts. Copied. */
  const ess_impacts *impacts;

  /* Optional, for tangents and ESS_BASE_RODAS: J[n*n], row-major, J[i*n+j] = d f_i / d x_j, of the
   * field with these signs. NULL: by differences, for
   * which atol / rtol is taken as the size of a state that is near 0. */
  int (*field_jacobian)(double t, const double x[], const double sign[], double J[], void *params);

  void *params; /* handed to every callback; owned by the caller */

  /* Event functions depend on time, too: it is as a state more, which the caller does not see. */
  bool guards_move;

  /* Optional, where they do: ht[m], ht[k] = d h_k / d t of a state that stays. NULL: by differences
   * of guards. guard_jacobian and the rates are those along the state alone in any case. */
  int (*guard_time_rates)(double t, const double x[], double ht[], void *params);

  ess_watch watch; /* optional: what is only noted, or ends the run */

  /*
   * Parameters that tangents may follow (ess_driver_follow_parameters): P numbers, which the
   * callbacks read through `params`, and which stay the same on the way. They are no states: a run
   * without tangents along them does not look at them. 0 (default): none.
   */
  size_t parameters;

  /*
   * [P], owned by the caller: where those numbers are. Where one of the derivatives below, or the
   * impacts', is not given, or the state slides, libess takes differences: it moves the numbers by
   * some millionths of their size (or of 1 where one is 0), tells mode_changed of all signs, so
   * that a model can make anew what it keeps of them, calls back, and puts them back to the last
   * bit. So a driver that follows parameters shares them with no driver in another thread. NULL is
   * accepted where all derivatives are given.
   */
  double *parameter_values;

  /* Optional, for tangents: Fp[n*P], row-major, d f_i / d p_j. NULL: by differences of the field,
   * two calls for each direction that moves parameters, wherever there are rates of it. */
  int (*field_parameter_jacobian)(double t, const double x[], const double sign[], double Fp[],
                                  void *params);

  /* Optional, for tangents: hp[m*P], row-major, d h_k / d p_j. NULL, or where something is watched:
   * by differences of guards, two calls for each such direction and crossing. */
  int (*guard_parameter_jacobian)(double t, const double x[], double hp[], void *params);
} ess_system;

/* ---- options --------------------------------------------------------------------------------- */

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

/*
 * Functions told of every step and every crossing, after acceptance and in the order of time: of a
 * step at its end, after what is crossed within it and before what is crossed there.
 * They return 0 to go on, anything else to stop with ESS_ESTOP: time, state and signs are then
 * those that they were told, and another apply goes on from there. A step from there that is
 * no longer than rounding is told of, too, but cannot stop the run again. Pointers given to them
 * are valid during the call only. ess_driver_dense may be called from them, apply and set_options
 * may not.
 */
typedef struct ess_observer {
  int (*step)(const ess_step_info *info, void *context);         /* after each step, or NULL */
  int (*crossing)(const ess_crossing_info *info, void *context); /* after each crossing, or NULL */
  int (*impact)(const ess_impact *impact, void *context); /* after each impact, before its events
                                                             are told of as crossings, or NULL */
  void *context;                                          /* handed to all; owned by the caller */
  int (*event)(const ess_crossing_info *info, void *context); /* after each event of ess_watch, or
                                                                 NULL: `guard` is its index there */
  int (*slide)(const ess_slide_info *info, void *context);    /* where a slide begins or ends, or
                                                                 NULL */
} ess_observer;

/* How crossings are made. */
typedef enum ess_method {
  ESS_METHOD_TOLERANCE, /* the error of everything, crossings included, is controlled by rtol and
                           atol alone (docs/theory/method.md) */
  ESS_METHOD_PAPER      /* by projection inside neighbourhoods of the guards, as in the paper: the
                           error of crossings is that of epsilon, which the caller chooses */
} ess_method;

/* What makes the integration steps. */
typedef enum ess_base {
  ESS_BASE_DOPRI5, /* Dormand-Prince 5(4): six calls of the field a step. Where the field is stiff
                      stability bounds these steps, whatever the tolerance */
  ESS_BASE_RKC,    /* Runge-Kutta-Chebyshev of order 2: as many calls as make a step stable, which
                      grow with the square root of its length. For stiff motions that decay, by
                      damping or diffusion, at loose tolerances */
  ESS_BASE_CHOSEN, /* dopri5, and RKC for as long as stability bounds dopri5's steps and RKC takes
                      clearly fewer calls (docs/theory/method.md) */
  ESS_BASE_RODAS   /* RODAS, a Rosenbrock method of order 4, linearly implicit: for stiff fields of
                      every kind, damped or not. A step takes the field's Jacobian, eight calls of
                      the field, and linear equations in n unknowns */
} ess_base;

/* What happens where the field points back to an event function's zero from both sides. */
typedef enum ess_sliding {
  ESS_SLIDING_NONE,    /* the run ends there with ESS_ESLIDING */
  ESS_SLIDING_FILIPPOV /* the state slides along it, by the mean of the fields of both sides that
                          keeps it there (docs/theory/sliding.md) */
} ess_sliding;

/* How to integrate. Start from ess_options_default() and change what you need. */
typedef struct ess_options {
  /*
   * The tolerance: what each state x_i may err by, up to a factor of a few, is atol + rtol |x_i|.
   * By ESS_METHOD_PAPER it is that of the integration between crossings alone. rtol: in [0, 1),
   * default 1e-8. atol: in units of the states, finite, >= 0, default 1e-10. One of both > 0.
   */
  double rtol, atol;

  /* Optional, [n] each: replace rtol or atol, state by state, in the same ranges; copied. */
  const double *rtols, *atols;

  /*
   * Longest integration step, in time, > 0; INFINITY (default): no limit. Set it where event
   * functions have details that are passed in far less than a step.
   */
  double h_max;
  double h_init; /* first integration step, in time, finite, >= 0; 0 (default): chosen */

  /* Integration steps of one apply, rejected ones included, >= 1; default 10^7. */
  uint64_t max_steps;
  uint64_t max_crossings; /* crossings of one apply, silent ones included, >= 1; default 10^7 */
  ess_observer observer;  /* who is told; default: nobody */
  ess_method method;      /* default: ESS_METHOD_TOLERANCE */

  /*
   * Default: ESS_BASE_DOPRI5. RKC finds the spectral radius of the field's Jacobian by calls of the
   * field. Its steps are short where motions oscillate and do not decay. Its error falls with the
   * power 2/3 of the tolerance: it is about the tolerance at 1e-3, and some 10 times that at 1e-6;
   * with slow oscillations that are hardly damped some 20 and 200 times, by ESS_BASE_CHOSEN half of
   * that. Tangents go along its steps by dopri5, at the calls that a run by dopri5 takes.
   *
   * RODAS takes field_jacobian, or differences of the field in the latched mode, n calls a step:
   * the field is called at states beside that of the run, further in time by a millionth of the
   * step. A wrong Jacobian costs steps, or accuracy where the field is stiff. Motions that the
   * tolerance shows are followed, however fast. Crossings are located, each for itself. While the
   * state slides, steps are dopri5's. There are no tangents, and no recordings. It is chosen when
   * the driver is allocated, which takes 2 n^2 doubles more, and some.
   */
  ess_base base;

  /*
   * Events closer in time than this are of one instant, for an impact's map and for tangents;
   * seconds, finite, >= 0. 0 (default): what the tolerance cannot order, the time in which the
   * state moves by one tolerance.
   */
  double tie;

  /*
   * So many impacts in a row, at ever shorter intervals, end a run with ESS_EZENO when they would
   * accumulate before its end; >= 4, default 200. Fewer do where the time left until then is less
   * than the tolerance can tell.
   */
  uint64_t zeno_impacts;

  /*
   * Default: ESS_SLIDING_NONE. With ESS_SLIDING_FILIPPOV the state may slide on any number of event
   * functions whose jumps of the field add up, as friction's do, and on three at most where they do
   * not, as in products of signs. Where it leaves is located. The field is called with signs -1 and
   * +1 alone, once for each of them and once more. Where the field's jump changes no rate of its
   * event function, as the force of a contact on a body does, the state bounces on the zero ever
   * less; it slides from where the bounces are less than the tolerance, or so many that the run
   * would not come to its end. Tangents do not go on there: ESS_ESLIDING.
   *
   * It needs ESS_METHOD_TOLERANCE and a system without weights, and is chosen when the driver is
   * allocated. While the state slides steps are those of ESS_BASE_DOPRI5. A start from which the
   * field points away on both sides, and a run that turns around while it slides, end with
   * ESS_ESLIDING then: neither is unique.
   */
  ess_sliding sliding;

  /* Optional, [m], copied: which event functions may be slid on. None may whose guards are silent,
   * impacts or one-way, or whose rows change others. NULL: each that may. */
  const bool *slides;

  /*
   * Default: false. Whether a state rests on the guard of an impact where impacts accumulate, or
   * have taken all of the speed, and the field pushes it there: it slides on it then, held by what
   * impacts would do to it, and leaves where they would have to pull. The impact's map is asked of
   * states that come a little towards the guard, at rates of a thousandth of the state, and has to
   * send them back. It needs ESS_SLIDING_FILIPPOV. Where tangents are followed such a run ends with
   * ESS_EZENO, as without it.
   */
  bool rest;

  /* Half-width of every guard's neighbourhood, in units of h, finite, > 0; default 1e-3. This, and
   * what follows, concerns ESS_METHOD_PAPER alone. */
  double epsilon;

  /* Optional, [m]: replaces epsilon, one for each event function, in the same range; copied. */
  const double *guard_epsilons;

  /*
   * The projection's order in epsilon: 1 (default), along the tangent, one field evaluation, global
   * error epsilon^2; 2, along the field half-way, two evaluations, epsilon^3.
   */
  int order;

  /*
   * Longest projection, in time, > 0; INFINITY (default): no limit. A guard to which the field
   * takes longer is not yet inside its neighbourhood: set it where guards are nearly grazed, whose
   * projections are long and wrong.
   */
  double projection_max;

  /*
   * Smallest rate of an event function, in units of h over time, that is accepted where its guard
   * is projected onto, finite, >= 0; 0 (default): unchecked. Requirement 4 of the paper.
   */
  double liveness;
} ess_options;

/* The default options: ESS_METHOD_TOLERANCE, rtol 1e-8, atol 1e-10, unlimited step. */
ESS_API ess_options ess_options_default(void);

/*
 * The paper's method: ESS_METHOD_PAPER, epsilon 1e-3, order 1, unlimited projection, and the
 * tolerances of ess_options_default for the integration between guards.
 */
ESS_API ess_options ess_options_paper(void);

/* ---- counters -------------------------------------------------------------------------------- */

/* Work done since alloc or reset. Sampling and observing never change them. */
typedef struct ess_counters {
  uint64_t steps;       /* accepted integration steps, cut ones included */
  uint64_t stabilised;  /* those of them that ESS_BASE_RKC made */
  uint64_t through;     /* those of them that went through crossings (ess_system.weights) */
  uint64_t rejected;    /* steps refused by the error control, or as too long to be sure of what is
                           crossed */
  uint64_t entries;     /* steps cut at a located neighbourhood entry or crossing */
  uint64_t projections; /* projection steps */
  uint64_t crossings;   /* crossings that are not silent */
  uint64_t silent;      /* silent crossings */
  uint64_t impacts; /* calls of an impact's map that were made; their events are crossings too */
  uint64_t slides;  /* slides begun: each of an event function */
  uint64_t field_evaluations;    /* calls of field */
  uint64_t guard_evaluations;    /* calls of guards or guard_rates */
  uint64_t some_evaluations;     /* calls of some_guard_rates */
  uint64_t jacobian_evaluations; /* calls of guard_jacobian */

  /* calls of field_jacobian. Without one tangents call the field, at most as often for each
   * direction, or for each state where directions are more, as a run by dopri5 does; these calls
   * are among field_evaluations */
  uint64_t field_jacobian_evaluations;
} ess_counters;

/* ---- the driver ------------------------------------------------------------------------------ */

/* One trajectory being integrated, and the memory this takes. Its members are private. */
typedef struct ess_driver ess_driver;

/*
 * Checks the arguments and allocates everything a run needs; nothing is allocated afterwards.
 * `system` and `options` are copied; `params` and the observer's context stay the
 * caller's. On failure returns NULL and, when `status` is not NULL, sets it to ESS_EINVAL or
 * ESS_ENOMEM. Free with ess_driver_free.
 */
ESS_API ess_driver *ess_driver_alloc(const ess_system *system, const ess_options *options,
                                     int *status);

/* Frees a driver; NULL is accepted. */
ESS_API void ess_driver_free(ess_driver *driver);

/*
 * Which option (or system member) ess_driver_alloc would refuse: a one-line message in static
 * storage that names it and what is accepted; NULL when all are accepted.
 */
ESS_API const char *ess_check(const ess_system *system, const ess_options *options);

/*
 * Integrates x[n] from *t to exactly t1 and sets *t to the time reached. The latched mode is
 * kept from the previous call, so successive calls continue one trajectory; the first call after
 * alloc or reset latches the signs from h(x), with h = 0 taken as the side the field points to. On
 * failure x and *t are the last good state and ess_driver_failure tells the rest. ESS_EINVAL, with
 * nothing changed: a NULL argument, times or states that are not finite, or a call from within an
 * apply of the same driver.
 *
 * Where t1 < *t it goes backward, as the system of time s = -t: its field is -f, and guards are
 * crossed in the order, and the direction, in which the run passes them. Turning around, it latches
 * signs from h(x) anew, but with resets or impacts keeps the mode; impacts undo themselves only
 * where their maps do.
 */
ESS_API int ess_driver_apply(ess_driver *driver, double *t, double t1, double x[]);

/*
 * As ess_driver_apply, and writes the state at each of `times` (from *t to t1 in this order, count
 * of them) into states[count*n], row-major: by the 4th-order dense output inside an integration
 * step, or on a cubic inside one of RKC, on the straight line inside a projection of order 1, on a
 * parabola inside one of order 2. Steps and counters are those of ess_driver_apply. After a failure
 * the rows not reached hold what they held before.
 */
ESS_API int ess_driver_sample(ess_driver *driver, double *t, double t1, double x[],
                              const double times[], size_t count, double states[]);

/*
 * The state x[n] at any time t of the driver's last step,
 * from ess_driver_step_start(driver) to the time reached: chosen afterwards, or by a step's
 * observer, at no evaluation. ESS_EINVAL outside.
 */
ESS_API int ess_driver_dense(ess_driver *driver, double t, double x[]);

/*
 * Where the last step began: the time of the start when none has been made since, or when the last
 * apply began at another state than the one before had reached. NAN before the first, and of NULL.
 */
ESS_API double ess_driver_step_start(const ess_driver *driver);

/*
 * Other options from the next apply on, as ess_driver_alloc would take them; the trajectory goes on
 * where it is, mode, step size and counters kept. ESS_EINVAL, also from within an apply, leaves
 * those in force as they are.
 */
ESS_API int ess_driver_set_options(ess_driver *driver, const ess_options *options);

/* Forgets mode, step size and counters: the next apply starts a new trajectory. */
ESS_API void ess_driver_reset(ess_driver *driver);

/* Counters of the work done since alloc or reset; owned by the driver, valid until it is freed.
 * NULL of a NULL driver. */
ESS_API const ess_counters *ess_driver_counters(const ess_driver *driver);

/*
 * Where and why the latest apply or sample failed, or what was refused since (by
 * ess_driver_set_options and ess_driver_dense too); its status is ESS_SUCCESS when nothing was.
 * Owned by the driver, valid until it is freed. Of a NULL driver: that it must not be.
 */
ESS_API const ess_failure *ess_driver_failure(const ess_driver *driver);

/* The latched mode, sign[m]; meaningful after the first apply. Owned by the driver. NULL of a NULL
 * driver. */
ESS_API const double *ess_driver_sign(const ess_driver *driver);

/*
 * The event functions that the state slides on, ascending, *count of them; their signs in
 * ess_driver_sign are -1. Owned by the driver; NULL without ess_options.sliding.
 */
ESS_API const size_t *ess_driver_sliding(const ess_driver *driver, size_t *count);

/* ---- tangents: the derivative of the flow ---------------------------------------------------- */

/*
 * Follows `count` directions from the next apply on, as the derivative of the flow carries them:
 * between crossings by the field's Jacobian, across them by saltation matrices, impacts included.
 * directions[n*count], row-major, is copied; NULL with count = n: those of the states. Steps and
 * state are as without tangents, but before a crossing of a stiff field, where steps err by less
 * (docs/theory/method.md). What is known of smoothness is forgotten. Allocates, here and nowhere
 * else; 0 directions frees. ESS_EINVAL, ESS_ENOMEM.
 *
 * At an instant of several events that cannot be ordered (ess_options.tie) each direction takes the
 * order in which a trajectory displaced along it meets them: the Bouligand derivative, which is
 * linear only within a piece of directions.
 */
ESS_API int ess_driver_follow(ess_driver *driver, size_t count, const double directions[]);

/*
 * As ess_driver_follow, for directions in which the parameters of the system move, too: by column
 * of parameters[P*count], row-major, copied. NULL: they stay. With this directions may be NULL for
 * a start that does not move; with both NULL, count = n + P: the states' directions, then the
 * parameters'. ess_driver_tangent and ess_driver_section then have derivatives by parameters in
 * those columns, through crossings, impacts and slides. A start, or an end, that depends on
 * parameters itself is the caller's to add: to directions, and to what is read off the tangents.
 * ESS_EINVAL also where the values of parameters are not finite.
 */
ESS_API int ess_driver_follow_parameters(ess_driver *driver, size_t count,
                                         const double directions[], const double parameters[]);

/* The directions where the trajectory has got to, [n*count], row-major; NULL when none are
 * followed. None are any more once a callback has failed, or a direction is not finite, on their
 * way along a step that the state had made. Owned by the driver. */
ESS_API const double *ess_driver_tangent(const ess_driver *driver);

/*
 * The derivative of a run that ends on event function k, by direction: of the time it ends at,
 * Dt[count] = -grad h_k . V / (grad h_k . f), and of the state there, Dx[n*count] = V + f Dt. The
 * state has to be on the section: an observer has stopped the run at the crossing, or the caller
 * knows. Where event k is one of several of the instant each direction meets it in its own turn: Dt
 * is of that moment, and Dx of the state there or, when that has jumped, of the state after all of
 * them, followed to that moment. Either may be NULL. ESS_EGRAZING where there is no rate;
 * ESS_EINVAL also for Dx among more than 8 events.
 */
ESS_API int ess_driver_section(ess_driver *driver, size_t k, double Dt[], double Dx[]);

/* ---- the adjoint ------------------------------------------------------------------------------
 */

/*
 * Records runs from the next apply on, into so many bytes, so that an adjoint can go back along
 * them: to where recording began, or the driver was reset or last turned around. Steps and states
 * are those of a run with tangents. No directions are followed then, and ess_driver_follow ends it,
 * as 0 bytes do. Allocates, here and nowhere else; ESS_EINVAL, also by ESS_METHOD_PAPER;
 * ESS_ENOMEM.
 *
 * A step takes 5 + n doubles, a crossing 4 + 2 n + P, and m / 8 where signs have changed; an impact
 * n (n + P) besides, as do a slide's steps, steps by ESS_BASE_RKC, and instants of several events.
 *
 * From some megabytes on a quarter of them is for that, and half for checkpoints: when the first is
 * half full the driver's state is kept, 50 kB or more, and it is filled anew. The adjoint makes the
 * run again from one checkpoint to the next, with nobody told, at the cost of one run more; its
 * callbacks must be functions of their arguments. So what lasts grows with the square of the room:
 * with 8 states and 20 event functions 16 MB are for 2 million steps of one apply, 64 MB for 40
 * million. Each apply begins with a checkpoint, too.
 */
ESS_API int ess_driver_record(ess_driver *driver, size_t bytes);

/* How many bytes what has been recorded takes without checkpoints, or would take where there was no
 * room for it: four times as many are always enough. */
ESS_API size_t ess_driver_recorded(const ess_driver *driver);

/*
 * The adjoint of the run that is recorded, of `count` outcomes at once: of outcome c, whose
 * derivative by the state at the end is column c of outcomes[n*count], the derivative by the state
 * at the start, start[n*count], and by the parameters, parameters[P*count]; all row-major, and the
 * caller's. Either of the last two may be NULL. An integral is a state more, whose rate is what is
 * integrated. It is v^T D phi of the tangents, through crossings, impacts and slides, at the cost
 * of some three runs, whatever the number of parameters, where field_jacobian and
 * field_parameter_jacobian are given; the forward run is one of them. Without these a stage takes n
 * calls of the field, and two for each parameter; and what is recorded as matrices takes as many
 * directions as there are states and parameters.
 *
 * At an instant of several events it is that of the piece that ess_driver_choose_piece has chosen,
 * by default the first, and ess_driver_smoothness tells that there are others.
 *
 * ESS_ENOMEM where the recording was too short: what it needs is in ess_driver_recorded. Where the
 * run has failed its status, as ESS_EDISCONTINUOUS or ESS_EGRAZING: there is no derivative.
 * ESS_EFIELD where that is not finite; ESS_EINVAL. The driver stays where it is, and outcomes may
 * be asked for again. Allocates count (n + P + 2) doubles, and frees them.
 */
ESS_API int ess_driver_adjoint(ess_driver *driver, size_t count, const double outcomes[],
                               double start[], double parameters[]);

/*
 * The same of a run that has ended on event function k, as for ess_driver_section: outcomes are by
 * the state there, and by the time of the event, times[count]. Either may be NULL. ESS_EGRAZING
 * where there is no rate; ESS_EINVAL also where k is one of several events of the instant.
 */
ESS_API int ess_driver_adjoint_section(ess_driver *driver, size_t k, size_t count,
                                       const double outcomes[], const double times[],
                                       double start[], double parameters[]);

/* What the flow is at an instant of several events. */
typedef enum ess_smooth {
  ESS_SMOOTH_C1,         /* one derivative for all directions */
  ESS_SMOOTH_PIECEWISE,  /* linear in pieces */
  ESS_SMOOTH_NOT_COUNTED /* more than 8 events whose jumps do not add up: it may be either */
} ess_smooth;

/* What is known of the flow since tangents are followed. Discontinuities end a run. */
typedef struct ess_smoothness {
  ess_smooth kind; /* the least smooth of all instants */
  size_t instants; /* at which several events met */
  size_t pieces;   /* the product of their numbers of pieces, 1 where C1; 0: not counted */

  /* of the last such instant: its time, its events, and the order of the piece that
   * ess_driver_choose_piece has chosen, else that of the first direction; count is 0 when there was
   * none */
  double time;
  size_t count;
  const size_t *order; /* [count], the driver's */
} ess_smoothness;

/* What is known of the flow. Owned by the driver; NULL when no tangents are followed. */
ESS_API const ess_smoothness *ess_driver_smoothness(const ess_driver *driver);

/*
 * All directions take this piece, from 0 on, at instants of several events, in place of their own:
 * the run's tangents are then one of the matrices that make up its derivative. With several such
 * instants pieces are counted as digits, those of the first instant first. SIZE_MAX (default): by
 * direction.
 */
ESS_API int ess_driver_choose_piece(ess_driver *driver, size_t piece);

/* ---- checking a Jacobian --------------------------------------------------------------------- */

/* Which derivative ess_check_jacobian found the worst disagreement in. */
typedef enum ess_jacobian_of {
  ESS_JACOBIAN_OF_GUARDS, /* guard_jacobian, guard_rates, some_guard_rates or guard_time_rates */
  ESS_JACOBIAN_OF_FIELD,  /* field_jacobian; `guard` is the component of the field */
  ESS_JACOBIAN_OF_IMPACT  /* impacts->jacobian; `guard` is the component of the state after */
} ess_jacobian_of;

/* The worst disagreement that ess_check_jacobian found. */
typedef struct ess_jacobian_check {
  size_t guard, state; /* event function k and state i; state SIZE_MAX: along a direction; state n:
                          by time alone */
  double given, found; /* dh_k/dx_i (or the rate) as the callback has it, and by differences */
  ess_jacobian_of of;
  size_t event; /* the impact's, which is of this event alone; else SIZE_MAX */
} ess_jacobian_check;

/*
 * Compares guard_jacobian, guard_rates, some_guard_rates and guard_time_rates with differences of
 * guards at time t and state x[n], and with one another: ESS_SUCCESS, or ESS_EJACOBIAN; in both
 * *worst (which may be NULL) is what agrees the least. What is NULL is passed over. So it does with
 * field_jacobian, in the mode that h(t, x) has, and with impacts->jacobian, for an impact at x of
 * each guard alone that has them, in the mode where that guard alone is passed; there the first
 * that is wrong is reported. Also ESS_EINVAL, ESS_ENOMEM, ESS_ECALLBACK and ESS_EGUARD. For tests
 * of a model: it allocates.
 *
 * It tries steps of all sizes, so units do not matter, and states far from x, where guards may fail
 * or not be finite. It passes an entry that is wrong by less than some 0.2 %, or too small to show
 * beside the event function's rounding. Where an event function has a kink exactly at x there is no
 * gradient: choose another x.
 */
ESS_API int ess_check_jacobian(const ess_system *system, double t, const double x[],
                               ess_jacobian_check *worst);

#ifdef __cplusplus
}
#endif

#endif
