/*
 * ess_tangents.h: derivatives of runs, through crossings, impacts and slides; and a check of the
 * derivatives that a model provides.
 *
 * *Tangents* are propagated along a run, for perturbations of its initial state or its parameters.
 * Alternatively a run is recorded, and an *adjoint* goes back along it. Both are derivatives of the
 * one trajectory that is integrated, without differences between trajectories. Neither is available
 * with ESS_BASE_RODAS, nor into slides of second order (ESS_ESLIDING) or onto a state that rests
 * after impacts (ESS_EZENO).
 *
 * Shapes and ownership are those of ess.h, which this header includes; the functions are those of
 * the same library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TANGENTS_H
#define ESS_TANGENTS_H

#include "ess.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tangents: the derivative of the flow ---------------------------------------------------- */

/*
 * Propagates `count` directions from the next apply on, by the derivative of the flow: between
 * crossings by the field's Jacobian, across them by saltation matrices, impacts included.
 * directions[n*count] is copied; NULL with count = n: the unit vectors of the states. Steps and
 * state are as without tangents, except before a crossing of a stiff field, where the tolerance of
 * steps is smaller (docs/theory/tangents.md). The record of smoothness is cleared. This is the only
 * allocation; 0 directions free it. ESS_EINVAL, ESS_ENOMEM.
 *
 * In a step the error of directions, and of adjoints, may be ten times the tolerance of a state.
 * Dynamics faster than all states, such as a force whose parameter is 0, are thus resolved as by a
 * state at ten times the tolerance. At 1e-5 and above that may be poorly.
 *
 * An initial state on a guard, and a final one that has not crossed its guard, is on one side of
 * it: the derivatives are those of the trajectories that do not cross the guard, and do not
 * describe the others. If the run touches a guard within the tolerance, and a crossing would change
 * the field there, it ends with ESS_EGRAZING, because neighbouring trajectories stay beyond the
 * guard for a time that grows as a square root. This does not apply to ESS_METHOD_PAPER, which
 * projects onto guards: near a graze its derivatives are those of its own run.
 *
 * Without field_jacobian the field is evaluated for each direction, or for each state if there are
 * more directions than states: at most as often as in a run by dopri5, and twice as often at
 * tolerances below 1.4e-8, where differences are two-sided. These evaluations are among
 * field_evaluations.
 *
 * At several simultaneous events that cannot be ordered (ess_options.tie) each direction takes the
 * order in which a trajectory displaced along it meets them: the Bouligand derivative, which is
 * linear only within a piece of directions.
 */
ESS_API int ess_driver_follow(ess_driver *driver, size_t count, const double directions[]);

/*
 * As ess_driver_follow, for perturbations of the system's parameters, too: column by column,
 * parameters[P*count], copied. NULL: no perturbation. With parameters, directions may be NULL for
 * an unperturbed initial state; with both NULL, count = n + P: the states' directions, then the
 * parameters'. ess_driver_tangent and ess_driver_section then have derivatives with respect to
 * parameters in those columns. If the initial or final state itself depends on parameters, the
 * caller adds this dependence to the directions and to the results. ESS_EINVAL also if values of
 * parameters are not finite.
 *
 * Parameters are P = ess_system.parameters numbers, which the callbacks read through `params`, and
 * which are constant during a run. They are no states: a run without their tangents ignores them.
 * Finite differences are taken where field_parameter_jacobian, guard_parameter_jacobian or an
 * impact's parameter_jacobian is missing, with ess_watch (for guards), and while the state slides.
 * libess then perturbs ess_system.parameter_values[P], which the caller owns, by some millionths of
 * their size (or of 1 if one is 0), calls mode_changed for all signs, so that a model can recompute
 * data that depend on them, evaluates, and restores the values to the last bit. This takes two
 * evaluations of field or guards for each direction with parameters, wherever a rate is needed. A
 * driver that follows parameters must therefore not share their values with a driver in another
 * thread. parameter_values may be NULL if all derivatives are given.
 */
ESS_API int ess_driver_follow_parameters(ess_driver *driver, size_t count,
                                         const double directions[], const double parameters[]);

/* The directions at the time reached, [n*count]; NULL without tangents, and after a callback has
 * failed or a direction has become non-finite within a step that the state had made. */
ESS_API const double *ess_driver_tangent(const ess_driver *driver);

/*
 * The derivative of a run that ends on event function k, by direction: of the time it ends at,
 * Dt[count] = -grad h_k . V / (grad h_k . f), and of the state there, Dx[n*count] = V + f Dt. The
 * state has to be on the section: an observer has stopped the run at the crossing, or the caller
 * knows. Function i of ess_watch is event function guard_count + i; one that an impact has taken
 * past its zero is a section by the impact. Where event k is one of several of the instant each
 * direction meets it in its own turn: Dt is of that moment, and Dx of the state there or, when that
 * has jumped, of the state after all of them, followed to that moment. Either may be NULL.
 * ESS_EGRAZING where there is no rate; ESS_EINVAL also for Dx among more than 8 events.
 */
ESS_API int ess_driver_section(ess_driver *driver, size_t k, double Dt[], double Dx[]);

/* ---- the adjoint ----------------------------------------------------------------------------- */

/*
 * Records runs from the next apply on, into so many bytes, so that an adjoint can go back along
 * them: to where recording began, or the driver was reset or last turned around. Steps and states
 * are those of a run with tangents. No directions are followed then, and ess_driver_follow ends it,
 * as 0 bytes do. Allocates, here and nowhere else; ESS_EINVAL, also by ESS_METHOD_PAPER, which
 * options cannot choose then; ESS_ENOMEM.
 *
 * A step takes 5 + n doubles, a crossing 4 + 2 n + P, and m / 8 where signs have changed; an impact
 * n (n + P) besides, as do a slide's steps, steps by ESS_BASE_RKC, and instants of several events.
 *
 * From some megabytes on a quarter of them is for that, and half for checkpoints: when the first is
 * half full the driver's state is kept, 50 kB or more, and it is filled anew. The adjoint makes the
 * run again from one checkpoint to the next, with nobody told, at the cost of one run more; its
 * callbacks must be functions of their arguments, and options stay. So the steps that fit grow with
 * the square of the room: with 8 states and 20 event functions 16 MB are for 2 million steps of one
 * apply, 64 MB for 40 million. Each apply begins with a checkpoint, too.
 */
ESS_API int ess_driver_record(ess_driver *driver, size_t bytes);

/* Size in bytes of the recording without checkpoints, or its required size if there was not enough
 * room. Four times this size is always sufficient. */
ESS_API size_t ess_driver_recorded(const ess_driver *driver);

/*
 * The adjoint of the run that is recorded, of `count` outcomes at once: of outcome c, whose
 * derivative by the state at the end is column c of outcomes[n*count], the derivative by the state
 * at the start, start[n*count], and by the parameters, parameters[P*count]. Either of the last two
 * may be NULL. For an integral as outcome add a state whose rate is what is integrated.
 *
 * The adjoint is v^T D phi of the tangents, through crossings, impacts and slides. It costs some
 * three runs, the forward run among them, whatever the number of parameters, where field_jacobian
 * and field_parameter_jacobian are given. Without these a stage takes n calls of the field, and two
 * for each parameter; and what is recorded as matrices takes as many directions as there are states
 * and parameters.
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

/* Differentiability of the flow at simultaneous events. */
typedef enum ess_smooth {
  ESS_SMOOTH_C1,         /* one derivative for all directions */
  ESS_SMOOTH_PIECEWISE,  /* linear in pieces */
  ESS_SMOOTH_NOT_COUNTED /* more than 8 events whose jumps do not add up: it may be either; or the
                            state has stayed at a non-smooth point of the field without a guard, as
                            differences of the field from both sides have shown */
} ess_smooth;

/* Smoothness of the flow since tangents have been followed. Discontinuities end a run. */
typedef struct ess_smoothness {
  ess_smooth kind; /* the least smooth of all instants */
  size_t instants; /* at which several events met */
  size_t pieces;   /* the product of their numbers of pieces, 1 where C1; 0: not counted */

  /* of the last such instant: its time, its events, and the order of the piece that
   * ess_driver_choose_piece has chosen, else that of the first direction, in which events are met
   * for the first time; count is 0 when there was none */
  double time;
  size_t count;
  const size_t *order; /* [count], the driver's */
} ess_smoothness;

/* Smoothness of the flow; NULL without tangents. */
ESS_API const ess_smoothness *ess_driver_smoothness(const ess_driver *driver);

/*
 * Makes all directions take this piece, from 0 on, at simultaneous events, instead of their own:
 * the run's tangents are then one of the matrices that make up its derivative. With several such
 * instants pieces are counted as digits, those of the first instant first. SIZE_MAX (default): by
 * direction. ESS_EINVAL without tangents.
 */
ESS_API int ess_driver_choose_piece(ess_driver *driver, size_t piece);

/* ---- checking a Jacobian --------------------------------------------------------------------- */

/* The derivative in which ess_check_jacobian found the worst disagreement. */
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

/* Compares each derivative with respect to states or time that a model provides with finite
 * differences at time t and state x[n]: ESS_SUCCESS, or ESS_EJACOBIAN. In both cases *worst (which
 * may be NULL) is the worst disagreement. field_jacobian is evaluated in the mode of h(t, x), and
 * impacts->jacobian for each guard's impact at x alone. Steps of all sizes are tried, so units do
 * not matter. Some lead far from x, where guards may fail or not be finite; maps may be piecewise,
 * and are evaluated near x alone. An error below about 0.2 % of an entry, or at rounding level, is
 * not detected. At a non-smooth point there is no gradient: choose another x. For tests: it
 * allocates. Also ESS_EINVAL, ESS_ENOMEM, ESS_ECALLBACK and ESS_EGUARD. */
ESS_API int ess_check_jacobian(const ess_system *system, double t, const double x[],
                               ess_jacobian_check *worst);

#ifdef __cplusplus
}
#endif

#endif
