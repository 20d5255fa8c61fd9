/*
 * ess_tangents.h: derivatives of runs, through crossings, impacts and slides; and a check of the
 * derivatives that a model provides.
 *
 * *Tangents* are propagated along a run, for perturbations of its initial state or its parameters.
 * Alternatively a run is recorded, and an *adjoint* is propagated backward along it. Both are
 * derivatives of the trajectory that is integrated, without differences between trajectories.
 * Neither is available with ESS_BASE_RODAS, ESS_BASE_CHOSEN_RODAS or ESS_BASE_ROS2. A run with
 * tangents or a recording ends where a slide of second order begins (ESS_ESLIDING), and where the
 * state would come to rest after impacts (ESS_EZENO).
 *
 * Shapes and ownership are those of ess.h, which this header includes. The functions are part of
 * the same library. Those that return a status return ESS_SUCCESS or a status named below.
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
 * Propagates `count` directions from the next apply on by the derivative of the flow: by the
 * field's Jacobian between crossings, and by saltation matrices across crossings and impacts.
 * directions[n*count] holds one direction per column and is copied; NULL with count = n stands for
 * the unit vectors of the states. Steps and states are those of a run without tangents, with three
 * exceptions. Before a crossing of a stiff field the tolerance of the steps is smaller
 * (docs/theory/tangents.md). Dopri5 makes no steps of order 3. affine_in_signs and idle are
 * ignored. The call clears the record of smoothness. It allocates, and the runs after it do not;
 * count = 0 frees the memory. ESS_EINVAL, ESS_ENOMEM.
 *
 * In one step the error of a direction or an adjoint may be ten times the tolerance of a state. If
 * a direction has dynamics faster than those of all states, such as a force whose parameter is 0,
 * they are resolved as if by a state at ten times the tolerance, which may be poor at 1e-6 and
 * above.
 *
 * An initial state on a guard, or a final state that has reached a guard without crossing it,
 * counts as being on one side. The derivatives are those of trajectories that stay on this side,
 * and do not describe the others. If the run touches a guard within the tolerance, and a crossing
 * would change the field there, the run ends with ESS_EGRAZING: the time that neighbouring
 * trajectories spend beyond the guard grows as a square root. This does not apply to projection
 * onto guards: its derivatives near a graze are those of its own run.
 *
 * Without field_jacobian each direction, or each state if there are fewer states than directions,
 * takes at most as many evaluations of the field as the run by dopri5 itself; twice as many at
 * tolerances below 1.4e-8, where differences are two-sided. field_evaluations includes them.
 *
 * At simultaneous events that cannot be ordered (ess_options.tie) each direction takes the order in
 * which a trajectory displaced along it would meet them. The result is the Bouligand derivative,
 * which is piecewise linear in the direction.
 */
ESS_API int ess_driver_follow(ess_driver *driver, size_t count, const double directions[]);

/*
 * As ess_driver_follow, for perturbations of the system's parameters as well. Column c of
 * parameters[P*count], which is copied, perturbs the parameters together with column c of
 * directions; NULL stands for no perturbation. If parameters is given, directions may be NULL, for
 * an unperturbed initial state. If both are NULL, count must be n + P: first the unit vectors of
 * the states, then those of the parameters. ess_driver_tangent and ess_driver_section return the
 * derivatives in the same columns. If the initial state or an outcome depends on parameters
 * directly, the caller adds this dependence to the directions and to the results. ESS_EINVAL also
 * if parameter values are not finite.
 *
 * The P = ess_parameters.count parameters are numbers that the callbacks read through `params` and
 * that are constant during a run. They are not states: a run without tangents of parameters ignores
 * them. Finite differences replace the Jacobians of ess_parameters and an impact's
 * parameter_jacobian where one is missing, that of event_functions also if ess_watch is used, and
 * all of them while the state slides. By the time of a jump of the field (ess_field_jumps) they are
 * one-sided. For a difference libess perturbs ess_parameters.values[P], which the caller owns, by
 * some millionths of the value (of 1 if it is 0), calls mode_changed for all signs, so that a model
 * can recompute data that depend on parameters, evaluates, and restores the values to the last bit.
 * This takes two evaluations of field or event_functions for each direction with parameters,
 * wherever a rate is needed. Drivers that follow parameters must therefore not share their values
 * across threads. ess_parameters.values may be NULL if all derivatives are given.
 */
ESS_API int ess_driver_follow_parameters(ess_driver *driver, size_t count,
                                         const double directions[], const double parameters[]);

/* The directions at the time reached, [n*count]; NULL without tangents, and after a failure that
 * the state is ahead of: a callback has failed or a direction has become non-finite within a step
 * that the state had already taken, or the run has failed in a slide that had already begun. */
ESS_API const double *ess_driver_tangent(const ess_driver *driver);

/* As ess_driver_sample, by the same steps. Also writes the directions at each of times[count] into
 * the rows of tangents[count*n*directions], each as ess_driver_tangent returns them: at the time of
 * a crossing or an impact those after it. NULL: as ess_driver_sample. Takes no evaluations beyond
 * those of a run with tangents. ESS_EINVAL also without directions and with projection. After
 * a failure, rows of times not reached are unchanged. */
ESS_API int ess_driver_sample_tangents(ess_driver *driver, double *t, double t1, double x[],
                                       const double times[], size_t count, double states[],
                                       double tangents[]);

/*
 * For a run that ends on the zero of event function k (a section): the derivative of the time at
 * which it ends, Dt[count] = -(grad h_k . V + (dh_k/dp) q) / (grad h_k . f), and of the state
 * there, Dx[n*count] = V + f Dt. The columns of V are the directions at the time reached, those of
 * q the displacements of the parameters (0 with ess_driver_follow). Either of Dt and Dx may be
 * NULL. The state must be on the section, for instance because an observer has stopped the run at
 * the crossing; libess does not check this. Function i of ess_watch is event function event_count +
 * i. If an impact has taken h_k past zero, the section is that of the impact.
 *
 * If event k is one of several simultaneous events, Dt belongs to the time at which the displaced
 * trajectory meets event k. Dx belongs to the state there or, if impacts are among the events, to
 * the state after all of them, continued to that time. ESS_EGRAZING if h_k has no rate, or is a
 * function of ess_watch that turns back within the tolerance; ESS_EINVAL also if Dx is requested
 * among more than 8 events.
 */
ESS_API int ess_driver_section(ess_driver *driver, size_t k, double Dt[], double Dx[]);

/*
 * The directions on both sides of an impact, before[n*count] and after[n*count], each as
 * ess_driver_tangent returns them, and the derivative of its time, Dt[count]. Any of the three may
 * be NULL. Only ess_observer.impact may call this; it takes one evaluation of the field. The
 * derivative of the state on a side is the direction there plus the field there times Dt. Among
 * simultaneous events Dt belongs to the first that the impact lists. ESS_EINVAL elsewhere.
 */
ESS_API int ess_driver_impact_tangents(ess_driver *driver, double before[], double after[],
                                       double Dt[]);

/* ---- the adjoint ----------------------------------------------------------------------------- */

/*
 * Records runs from the next apply on, in a buffer of the given size, so that an adjoint can be
 * propagated backward along them: to the time at which recording began, or at which the driver was
 * last reset or turned around. Steps and states are those of a run with tangents, but no directions
 * are propagated; ess_driver_follow ends the recording, as does bytes = 0. The call allocates, and
 * the runs after it do not. ESS_EINVAL, also with projection, which ess_driver_set_options refuses
 * during a recording; ESS_ENOMEM.
 *
 * A step takes 5 + n doubles. A crossing takes 4 + 2 n + P, and m / 8 more if signs have changed.
 * A jump of the field at a time that is a parameter takes 4 + 2 n + P, too.
 * Impacts, steps of a slide or by ESS_BASE_RKC, and instants of several events take another
 * n (n + P).
 *
 * From some megabytes on, a quarter of the buffer records the current steps, a quarter is kept for
 * the adjoint, and half stores checkpoints. Whenever the first quarter is full, and at the
 * beginning of each apply, a checkpoint saves the driver's state (50 kB or more) and recording
 * starts over. The adjoint repeats the run from checkpoint to checkpoint, at the cost of one more
 * run. Observers are not called then; callbacks must depend on their arguments only, and options
 * must not change. The number of steps that fit thus grows with the square of the buffer's size:
 * with 8 states and 20 event functions 2 million steps of one apply fit into 16 MB, and 40 million
 * into 64 MB.
 */
ESS_API int ess_driver_record(ess_driver *driver, size_t bytes);

/* Size in bytes of the recording without checkpoints, or the size that would have been required if
 * the buffer was too small. A buffer of four times this size is always sufficient. 0 without a
 * recording. */
ESS_API size_t ess_driver_recorded(const ess_driver *driver);

/*
 * The adjoint of the recorded run, for `count` outcomes at once. Column c of outcomes[n*count] is
 * the gradient of outcome c with respect to the final state. On return column c of start[n*count]
 * is its gradient with respect to the initial state, and column c of parameters[P*count] that with
 * respect to the parameters; either of the two may be NULL. If an outcome is an integral, make the
 * integrand the rate of an additional state.
 *
 * The result is D phi^T v, with the D phi that tangents propagate, through crossings, impacts and
 * slides. Its cost is that of about three runs, the forward run included, for any number of
 * parameters, if the Jacobians of the field by states and parameters are given. Otherwise each
 * stage takes n more evaluations of the field, and two for each parameter; and each entry that is
 * recorded as a matrix is computed with as many directions as there are states and parameters.
 *
 * At simultaneous events the adjoint is that of the piece that ess_driver_choose_piece has chosen
 * (default: the first); ess_driver_smoothness reports whether there are others.
 *
 * ESS_ENOMEM if the buffer was too small (ess_driver_recorded returns the required size). If the
 * run failed, its status, since there is no derivative: ESS_EDISCONTINUOUS or ESS_EGRAZING, for
 * instance. ESS_EFIELD if the result is not finite; ESS_EINVAL. The driver's time and state do not
 * change, and the function may be called again. It allocates about count (3 n + 2 P + 2) doubles
 * and frees them.
 */
ESS_API int ess_driver_adjoint(ess_driver *driver, size_t count, const double outcomes[],
                               double start[], double parameters[]);

/*
 * As ess_driver_adjoint, for a run that has ended on the zero of event function k, as described for
 * ess_driver_section. Outcomes depend on the state there, with gradients outcomes[n*count], and on
 * the time of the event, with derivatives times[count]; one of the two may be NULL. ESS_EGRAZING as
 * there; ESS_EINVAL also if k is one of several simultaneous events.
 */
ESS_API int ess_driver_adjoint_section(ess_driver *driver, size_t k, size_t count,
                                       const double outcomes[], const double times[],
                                       double start[], double parameters[]);

/* Differentiability of the flow at simultaneous events. */
typedef enum ess_smooth {
  ESS_SMOOTH_C1,         /* the derivative is linear in the direction */
  ESS_SMOOTH_PIECEWISE,  /* the derivative is piecewise linear in the direction */
  ESS_SMOOTH_NOT_COUNTED /* undecided: more than 8 simultaneous events whose jumps do not add up; or
                            the state stayed at a non-smooth point of the field without a guard, as
                            differences of the field from both sides have shown */
} ess_smooth;

/* Smoothness of the flow since ess_driver_follow. A run whose flow is discontinuous ends with
 * ESS_EDISCONTINUOUS. */
typedef struct ess_smoothness {
  ess_smooth kind; /* the least smooth of all instants */
  size_t instants; /* instants of several simultaneous events */
  size_t pieces;   /* product of the instants' numbers of pieces, 1 if C1; 0: not counted */

  /* The last such instant: its time, the number of its events (0 if there was none), and the order
   * in which they are met for the first time, in the piece that ess_driver_choose_piece has chosen,
   * or else in that of the first direction. */
  double time;
  size_t count;
  const size_t *order; /* [count], owned by the driver */
} ess_smoothness;

/* Smoothness of the flow since ess_driver_follow; NULL without tangents. */
ESS_API const ess_smoothness *ess_driver_smoothness(const ess_driver *driver);

/*
 * Chooses one piece of the derivative, numbered from 0, for all directions at simultaneous events,
 * so that tangents are linear in the direction: one of the matrices that make up the derivative.
 * With several such instants the number is read as digits, one per instant, the first instant's
 * digit lowest. SIZE_MAX (default): each direction takes its own piece. ESS_EINVAL without
 * tangents.
 */
ESS_API int ess_driver_choose_piece(ess_driver *driver, size_t piece);

/* ---- checking a Jacobian --------------------------------------------------------------------- */

/* The derivative in which ess_check_jacobian found the worst disagreement. */
typedef enum ess_jacobian_of {
  ESS_JACOBIAN_OF_EVENTS, /* event_jacobian or event_rates */
  ESS_JACOBIAN_OF_FIELD,  /* field_jacobian; `row` is the component of the field */
  ESS_JACOBIAN_OF_IMPACT  /* impacts->jacobian; `row` is the component of the state after */
} ess_jacobian_of;

/* The worst disagreement that ess_check_jacobian found. */
typedef struct ess_jacobian_check {
  size_t row, column;  /* event function k and state i; column n: the derivative with respect to
                          time; column SIZE_MAX: the rate along a direction */
  double given, found; /* dh_k/dx_i (or the rate) from the callback, and from finite differences */
  ess_jacobian_of of;
  size_t event; /* ESS_JACOBIAN_OF_IMPACT: the only event of the impact; else SIZE_MAX */
} ess_jacobian_check;

/* Compares each derivative with respect to states or time that a model provides with finite
 * differences at time t and state x[n]. ESS_SUCCESS if they agree, else ESS_EJACOBIAN; in both
 * cases *worst (which may be NULL) is the worst disagreement. field_jacobian is evaluated in the
 * mode of h(t, x), and impacts->jacobian at x for the impact of each guard alone. Increments of all
 * sizes are tried, so units do not matter; some lead far from x, where event_functions may fail or
 * return values that are not finite. Impact maps, which may be piecewise, are evaluated near x
 * only. An error below about 0.2 % of an entry, or at rounding level, is not detected. At a
 * non-smooth point there is no gradient: choose another x. Intended for tests, since it allocates.
 * Also ESS_EINVAL, ESS_ENOMEM, ESS_ECALLBACK and ESS_EEVENT. */
ESS_API int ess_check_jacobian(const ess_system *system, double t, const double x[],
                               ess_jacobian_check *worst);

#ifdef __cplusplus
}
#endif

#endif
