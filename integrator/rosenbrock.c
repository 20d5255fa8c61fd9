/*
 * The linearly implicit bases: the Rosenbrock method RODAS of order 4, which is L-stable and
 * stiffly accurate, with its dense output of order 3. A step solves six systems of linear equations
 * with one matrix, 1 / (gamma dt) - J, where J is the field's Jacobian at the node.
 *
 * E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, IV.7:
 * the transformed stages (7.25), and that J times them is needed nowhere; VI.4: RODAS, its error
 * and its dense output.
 *
 * J. G. Verwer, E. J. Spee, J. G. Blom, W. Hundsdorfer, A second-order Rosenbrock method applied to
 * photochemical dispersion problems, SIAM J. Sci. Comput. 20 (1999) 1456-1480: ROS2, whose order
 * does not depend on the matrix that it has for the Jacobian.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "slides.h"

/* ---- two methods ----------------------------------------------------------------------------- */

enum { STAGES = 6 };

/* A method in transformed stages: each solves (1 / (gamma dt) - J) u_k = r_k, where r_k is the
 * field at the node's state plus sum a_kj u_j, plus sum c_kj u_j / dt, and a part of df/dt. The end
 * is the node's state plus sum end_k u_k. */
typedef struct method {
  int stages;
  double gamma, node[STAGES], by_time[STAGES];
  double a[STAGES][STAGES], c[STAGES][STAGES], end[STAGES];
} method;

/* the last stage is the error estimate */
static const method RODAS = {
    .stages = STAGES,
    .gamma = 0.25,
    .node = {0.0, 0.386, 0.21, 0.63, 1.0, 1.0},
    .by_time = {0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0},
    .a = {{0.0},
          {1.544},
          {0.9466785280815826, 0.2557011698983284},
          {3.314825187068521, 2.896124015972201, 0.9986419139977817},
          {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
          {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0}},
    .c = {{0.0},
          {-5.6688},
          {-2.430093356833875, -0.2063599157091915},
          {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
          {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
          {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
           -6.058818238834054}},
    .end = {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0,
            1.0}};

/* second and third coefficient of its dense output */
static const double BEND[STAGES] = {10.12623508344586,  -7.487995877610167, -34.80091861555747,
                                    -7.992771707568823, 1.025137723295662,  0.0};
static const double TURN[STAGES] = {-0.6762803392801253, 6.087714651680015,  16.43084320892478,
                                    24.76722511418386,   -6.594389125716872, 0.0};

/* gamma = 1 - 1 / sqrt(2), L-stable with the exact Jacobian; the other coefficients are 1, -2, 3/2
 * and 1/2 over it */
static const method ROS2 = {.stages = 2,
                            .gamma = 0.29289321881345247560,
                            .node = {0.0, 1.0},
                            .a = {{0.0}, {3.4142135623730950488}},
                            .c = {{0.0}, {-6.8284271247461900976}},
                            .end = {5.1213203435596425732, 1.7071067811865475244}};

typedef struct ess_rodas {
  double *jacobian, *factors; /* the latter of 1 / (gamma dt) - J, with rows exchanged */
  size_t *exchanged;          /* with which row each was */
  double *by_time;            /* the field's rate of change by time alone */
  double *last;               /* the last stage */
  double *beside, *other;     /* scratch: a state beside the node, or of the dense output; the field
                                 there */
  uint64_t node;     /* the Jacobian is that of the node with this number; UNKNOWN: of none */
  double dt;         /* of the factors; 0 where there are none */
  uint64_t check_at; /* the caller's Jacobian is checked in the step with this number, */
  uint64_t interval; /* and again after so many */
} ess_rodas;

#define UNKNOWN UINT64_MAX

void ess_rodas_lay(ess_driver *d, ess_layout *l) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  ESS_LAY(l, double, (n * n), &s->jacobian, &s->factors);
  ESS_LAY(l, double, d->lanes, &s->by_time, &s->last, &s->beside, &s->other);
  ESS_LAY(l, size_t, n, &s->exchanged);
}

bool ess_rodas_alloc(ess_driver *d) {
  const size_t n = d->system.dimension, most = SIZE_MAX / sizeof(double) / 4;
  if (n <= most / (n + STAGES) - 4) d->rodas = calloc(1, sizeof *d->rodas);
  return d->rodas;
}

void ess_rodas_forget(ess_driver *d) {
  if (d->rodas) d->rodas->node = UNKNOWN;
}

void ess_rodas_reset(ess_driver *d) {
  ess_rodas_forget(d);
  if (d->rodas) d->rodas->check_at = d->rodas->interval = 0;
}

/* the driver has room for all but the sixth stage */
static void list_stages(const ess_driver *d, double *stage[STAGES]) {
  for (int k = 0; k < STAGES - 1; k++) stage[k] = d->stage[k + 1];
  stage[STAGES - 1] = d->rodas ? d->rodas->last : NULL;
}

/* The stages, and the state at the step's end with the field there. Equations are solved by the
 * factors of the Jacobian, or by the caller, as (1 - c W)^-1 with c = gamma dt. */
static int make_stages(ess_driver *d, const method *m) {
  const ess_system *const s = &d->system;
  const size_t n = s->dimension;
  const double dt = d->dt, c = m->gamma * dt;
  double *stage[STAGES];
  list_stages(d, stage);
  for (int k = 0; k < m->stages; k++) {
    double *const to = stage[k];
    int status = ESS_SUCCESS;
    if (k) {
      ess_sum_rates(1.0, d->x, stage, m->a[k], k, n, d->x_try);
      status = ess_field(d, d->t + m->node[k] * dt, d->x_try, to);
    } else {
      memcpy(to, d->f, n * sizeof *to);
    }
    if (status) return status;
    for (size_t i = 0; i < n; i++) {
      double sum = 0.0;
      for (int j = 0; j < k; j++) sum += m->c[k][j] * stage[j][i];
      to[i] += sum / dt;
      if (d->rodas) to[i] += m->by_time[k] * dt * d->rodas->by_time[i];
    }
    if (d->rodas) {
      ess_solve_factorised(n, d->rodas->factors, d->rodas->exchanged, to);
      continue;
    }
    if (d->unlocated.on) status = ess_return_to_node(d);
    d->apply.t_seen = d->t;
    if (!status)
      status = ess_called(d, s->field_solve(d->t, d->x, ess_signs_to_solve(d), c, to, s->params));
    if (status) return status;
    for (size_t i = 0; i < n; i++) to[i] *= c;
  }
  ess_sum_rates(1.0, d->x, stage, m->end, m->stages, n, d->x_end);
  return ess_field(d, d->t + dt, d->x_end, d->stage[ESS_STAGES - 1]);
}

/* ---- RODAS: the field's derivatives at the node ---------------------------------------------- */

/* no other node of the run has it: each that differs in state or mode is counted */
static uint64_t number_of_node(const ess_driver *d) {
  const ess_counters *const c = &d->counters;
  return c->steps + c->projections + c->crossings + c->silent + c->impacts;
}

/* that by the signs of the state; plain_field has no signs */
static bool is_jacobian_given(const ess_driver *d) {
  return d->system.field_jacobian && !(d->unlocated.on && d->system.plain_field);
}

/* the Jacobian, as it is given or by a call of the field for each state, and df/dt */
static int look_at_field(ess_driver *d) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  const double t = d->t + ess_smaller(d->dt, ess_larger(ESS_LATER * d->dt, ess_time_rounding(d)));
  s->node = UNKNOWN;
  s->dt = 0.0;
  int status = ESS_SUCCESS;
  if (is_jacobian_given(d)) status = ess_field_jacobian(d, d->t, d->x, s->jacobian);
  memcpy(s->beside, d->x, n * sizeof *s->beside);
  for (size_t j = 0; !status && !is_jacobian_given(d) && j < n; j++) {
    s->beside[j] = d->x[j] + sqrt(DBL_EPSILON) * ess_unit_beside(d, j);
    const double step = s->beside[j] - d->x[j];
    status = ess_field(d, d->t, s->beside, s->other);
    for (size_t i = 0; i < n; i++) s->jacobian[i * n + j] = (s->other[i] - d->f[i]) / step;
    s->beside[j] = d->x[j];
  }
  if (!status) status = ess_field(d, t, d->x, s->by_time);
  if (status) return status;
  // no time passes in a step that is shorter than time resolves
  for (size_t i = 0; i < n; i++)
    s->by_time[i] = t > d->t ? (s->by_time[i] - d->f[i]) / (t - d->t) : 0.0;
  if (ess_are_finite(s->jacobian, n * n) && ess_are_finite(s->by_time, n))
    s->node = number_of_node(d);
  return ESS_SUCCESS;
}

/* ---- RODAS: whether field_jacobian is the field's Jacobian ----------------------------------- */

/* With another matrix the method is of order 1, and its estimate misses most of the error. So the
 * matrix is compared with the field, beside the node along the step, by a call in the first step
 * and in every CHECKED_EVERY-th. A Jacobian whose error moves a state by more than SUSPECTED of the
 * tolerance in a step is suspected. Then each entry is compared with difference quotients on both
 * sides of the node, of which one may lie beyond a kink of the field. An entry is wrong if it
 * differs from both by more than WRONG of it, and ESS_AGREEING quotients in a row agree on that. */
enum { CHECKED_EVERY = 8 };
static const double SUSPECTED = 0.25, WRONG = 2e-3;

/* the longest interval of a quotient, in units of the state, and the ratio of each to the next */
static const double WIDEST = 0x1p-8, CLOSER = 0.25;

/* rounding in component i of the field, in a sum of the terms that it may be made of */
static double rounding_of(const ess_driver *d, size_t i) {
  const size_t n = d->system.dimension;
  double size = fabs(d->f[i]);
  for (size_t j = 0; j < n; j++) size += fabs(d->rodas->jacobian[i * n + j] * d->x[j]);
  return ESS_ROUNDING * size;
}

/* relative differences between column j and quotients on one side, 0 where these do not agree */
static int compare_column(ess_driver *d, size_t j, double side, double apart[]) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  double *const last = d->stage[1], *const agreeing = d->stage[2];
  const double unit = ess_unit_beside(d, j);
  int status = ESS_SUCCESS;
  for (size_t i = 0; i < n; i++) {
    last[i] = NAN;
    agreeing[i] = apart[i] = 0.0;
  }
  memcpy(s->beside, d->x, n * sizeof *s->beside);
  for (double part = WIDEST; !status && part >= sqrt(DBL_EPSILON); part *= CLOSER) {
    s->beside[j] = d->x[j] + side * part * unit;
    const double step = s->beside[j] - d->x[j];
    status = ess_field(d, d->t, s->beside, s->other);
    for (size_t i = 0; i < n; i++) {
      const double entry = s->jacobian[i * n + j], quotient = (s->other[i] - d->f[i]) / step;
      const double off = fabs(quotient - entry);
      if (!(off * fabs(step) > rounding_of(d, i))) continue;
      agreeing[i] = fabs(quotient - last[i]) <= ESS_AGREED * off ? agreeing[i] + 1.0 : 1.0;
      last[i] = quotient;
      const double size = ess_larger(fabs(quotient), fabs(entry));
      apart[i] = agreeing[i] >= ESS_AGREEING && off > WRONG * size ? off / size : 0.0;
    }
  }
  return status;
}

/* of the step just tried, whose error is below the tolerance */
static int check_jacobian(ess_driver *d) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  double *const way = d->stage[1], *const predicted = d->stage[2], most = 0.0;
  double *const above = d->stage[3], *const below = d->stage[4], worst = 0.0;
  size_t row = SIZE_MAX, column = SIZE_MAX;
  bool is_suspected = false;
  if (!s->interval) s->interval = CHECKED_EVERY;
  for (size_t i = 0; i < n; i++) {
    way[i] = d->x_end[i] - d->x[i];
    most = ess_larger(most, fabs(way[i]) / ess_unit_beside(d, i));
  }
  const double part = ess_smaller(sqrt(DBL_EPSILON) / most, 1.0);
  for (size_t i = 0; i < n; i++) s->beside[i] = d->x[i] + part * way[i];
  int status = most > 0.0 ? ess_field(d, d->t, s->beside, s->other) : ESS_SUCCESS;
  for (size_t i = 0; i < n; i++) way[i] = s->beside[i] - d->x[i]; // as rounded
  ess_multiply(s->jacobian, way, n, predicted);
  for (size_t i = 0; !status && most > 0.0 && i < n; i++) {
    const double off = fabs(s->other[i] - d->f[i] - predicted[i]);
    const double seen = part * SUSPECTED * (d->atol[i] + d->rtol[i] * fabs(d->x[i]));
    is_suspected = is_suspected || (d->dt * off > seen && off > rounding_of(d, i));
  }
  // a field that has kinks is suspected again and again
  if (is_suspected) s->interval *= 2;
  s->check_at = d->counters.steps + s->interval;
  for (size_t j = 0; !status && is_suspected && j < n; j++) {
    status = compare_column(d, j, 1.0, above);
    if (!status) status = compare_column(d, j, -1.0, below);
    for (size_t i = 0; !status && i < n; i++) {
      const double apart = ess_smaller(above[i], below[i]);
      if (!(apart > worst)) continue;
      worst = apart;
      row = i;
      column = j;
    }
  }
  if (status || !(worst > 0.0)) return status;
  ess_fail(d, ESS_EJACOBIAN, SIZE_MAX);
  d->failure.reason = "field_jacobian differs from difference quotients of field";
  d->failure.row = row;
  d->failure.column = column;
  return ESS_EJACOBIAN;
}

/* ---- RODAS: the step ------------------------------------------------------------------------- */

/* Place, in a step, at which its dense output P is compared with the field. (1 / (gamma dt) - J)^-1
 * (f(P) - P') is about as large as the motion that P does not follow: a motion much faster than the
 * step has decayed at its end, or would have if it were damped, and where other states carry one
 * along, fast, the end is where they are. Neither the end nor the embedded error shows that. For a
 * linear field, damped in any way and however stiff, P has at most 3.4 times this error, and less
 * than twice where the damping is a third of the critical one or more. Crossings are located on P:
 * there the error has to be smaller by SEVERITY_IF_ARMED. */
static const double HELD_AT = 0.3, SEVERITY_IF_ARMED = 3.0;

/* the error is INFINITY where anything is not a number, or the matrix has no inverse */
static int try_rodas(ess_driver *d, double *error) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  double *const slope = d->x_try, *const off = s->other;
  double *stage[STAGES], ignored;
  *error = INFINITY;
  int status = s->node == number_of_node(d) ? ESS_SUCCESS : look_at_field(d);
  if (status || s->node == UNKNOWN) return status;
  if (s->dt != d->dt) { // the factors are of 1 / (gamma dt) - J
    for (size_t i = 0; i < n * n; i++) s->factors[i] = -s->jacobian[i];
    for (size_t i = 0; i < n; i++) s->factors[i * n + i] += 1.0 / (RODAS.gamma * d->dt);
    s->dt = ess_factorise(n, s->factors, s->exchanged, 0.0, &ignored) ? d->dt : 0.0;
  }
  if (!(s->dt > 0.0)) return status;
  status = make_stages(d, &RODAS);
  if (status) return status;
  list_stages(d, stage);
  ess_sum_rates(1.0, NULL, stage, RODAS.end, STAGES, n, d->dense[0]);
  ess_sum_rates(1.0, NULL, stage, BEND, STAGES, n, d->dense[1]);
  ess_sum_rates(1.0, NULL, stage, TURN, STAGES, n, d->dense[2]);
  memset(d->dense[3], 0, n * sizeof *d->dense[3]);
  ess_dopri5_dense(d, HELD_AT, s->beside);
  ess_dopri5_slope(d, HELD_AT, slope);
  status = ess_field(d, d->t + HELD_AT * d->dt, s->beside, off);
  if (status) return status;
  for (size_t i = 0; i < n; i++) off[i] -= slope[i];
  ess_solve_factorised(n, s->factors, s->exchanged, off);
  const double at_end = ess_scaled_norm(d, s->last, d->x, d->x_end);
  const double between = ess_scaled_norm(d, off, d->x, d->x_end);
  if (at_end + between < INFINITY && ess_are_finite(d->stage[ESS_STAGES - 1], n))
    *error = (d->armed_count ? SEVERITY_IF_ARMED : 1.0) * ess_larger(at_end, between);
  const bool is_due = is_jacobian_given(d) && d->counters.steps >= s->check_at;
  return is_due && *error <= 1.0 ? check_jacobian(d) : ESS_SUCCESS;
}

/* Rates of event functions along the dense output at one end of the step, in place of those by the
 * field: the state is right to the tolerance, and where the field is stiff, it may be far off the
 * direction in which the state moves. A rate of zero stays one, as of a state at rest. */
static int take_dense_rates(ess_driver *d, double t, const double x[], const double slope[],
                            double rate[]) {
  const int status = ess_guard_rates(d, t, x, slope, d->h_try, d->rate_try);
  for (size_t k = 0; !status && k < d->system.event_count; k++)
    if (rate[k] != 0.0) rate[k] = d->rate_try[k];
  return status;
}

/* stages that hold the slopes of the dense output at both ends, once event functions are looked at
 */
enum { SLOPE_FIRST = 3, SLOPE_LAST };

static int take_rates(ess_driver *d) {
  double *const first = d->stage[SLOPE_FIRST], *const last = d->stage[SLOPE_LAST];
  ess_dopri5_slope(d, 0.0, first);
  ess_dopri5_slope(d, 1.0, last);
  int status = take_dense_rates(d, d->t, d->x, first, d->rate);
  const double t = d->t + d->dt;
  if (!status) status = ess_guard_rates(d, t, d->x_end, d->stage[6], d->h_end, d->rate_end);
  return status ? status : take_dense_rates(d, t, d->x_end, last, d->rate_end);
}

/* ---- RODAS: its cost ------------------------------------------------------------------------- */

/* calls of a step: the field's derivatives, five stages, the end, between */
static double calls_of(const ess_driver *d) {
  return STAGES + 2.0 + (is_jacobian_given(d) ? 1.0 : (double)d->system.dimension);
}

/* by the second power, which also grows by the radius of a pair of eigenvalues */
static int multiply(ess_driver *d, double v[], double *grown) {
  const size_t n = d->system.dimension;
  double *const once = d->x_try, *const twice = d->v_try;
  ess_multiply(d->rodas->jacobian, v, n, once);
  ess_multiply(d->rodas->jacobian, once, n, twice);
  *grown = sqrt(ess_size_beside(d, twice, NULL) / ess_size_beside(d, v, NULL));
  for (size_t i = 0; i < n; i++) v[i] = twice[i] / (*grown * *grown);
  return ESS_SUCCESS;
}

static double cost_of_rodas(ess_driver *d) {
  // from a direction of its own: the last may be that of a slow motion in another mode
  memset(d->stabilised.direction, 0, d->lanes * sizeof *d->stabilised.direction);
  (void)ess_find_radius(d, multiply);
  return calls_of(d) / ess_larger(d->dt, d->control.next);
}

/* A step of order 4 with the accuracy of one of order 3: the error of that is PART of a motion over
 * some time, times (length / time)^3. So that time is sqrt(PART moves / error), and the error of
 * order 4 is PART of the motion over it, times (length / time)^4. */
static double cost_of_rodas_instead(ess_driver *d, double radius) {
  (void)radius;
  static const double PART = 1.0 / 15.0;
  const double error = ess_severity(d) * ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x_end[i] - d->x[i];
  const double moves = ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  const double time = sqrt(PART / ess_larger(error / moves, DBL_EPSILON));
  return calls_of(d) / (d->dt * time * pow(PART * moves * time, -0.25));
}

/* ---- RODAS: a cut ---------------------------------------------------------------------------- */

/* place of a cut, in steps, above which rates by the field are not compared with the dense output
 */
static const double NEAR_END = 0.99;

/* accepted relative difference of the rates by the field and by the dense output */
static const double RATES_DIFFER = 0.5;

/* The dense output is right to the tolerance, and so is where it crosses a guard. But where a fast
 * motion takes the state back from there to where the end of a step would be, it crosses the guard
 * again and again. So the step is to end there, unless each guard that is entered is as fast by the
 * field as along the dense output, or is where the step begins, within the grain of a state at
 * rest: a step to its zero would be shorter than rounding resolves. */
static ess_verdict approach(ess_driver *d, ess_location *found) {
  ess_rodas *const s = d->rodas;
  const double length = found->theta * d->dt, t = d->t + length;
  double *const slope = d->stage[1];
  ess_verdict v = {0};
  if (found->theta > NEAR_END || !ess_is_resolved(d, length)) return v;
  ess_dopri5_dense(d, found->theta, s->beside);
  ess_dopri5_slope(d, found->theta, slope);
  v.status = ess_field(d, t, s->beside, s->other);
  if (!v.status && !ess_are_finite(s->other, d->system.dimension))
    v.status = ess_fail(d, ESS_EFIELD, SIZE_MAX);
  for (size_t i = 0; ess_stands(&v) && i < d->flagged.count; i++) {
    const size_t k = d->flagged.list[i];
    double h, along, by_field, allowed = 0.0;
    if (d->flagged.fate[k] != ESS_FATE_ENTERED) continue;
    v.status = ess_some_guard_rates(d, t, s->beside, slope, &k, 1, &h, &along);
    if (!v.status) v.status = ess_some_guard_rates(d, t, s->beside, s->other, &k, 1, &h, &by_field);
    if (!v.status && !isfinite(h + along + by_field)) v.status = ess_fail(d, ESS_EEVENT, k);
    if (v.status || fabs(by_field - along) <= RATES_DIFFER * fabs(along)) continue;
    v.status = ess_allowed_error(d, k, &allowed);
    if (!v.status && fabs(d->h[k]) > ESS_GRAIN_AT_REST * allowed)
      v = ess_refused(ESS_BY_DOUBT, length);
  }
  return v;
}

const ess_stepper ess_base_rodas = {.kind = ESS_IMPLICIT,
                                    .try = try_rodas,
                                    .judge = ess_control_judge,
                                    .rates = take_rates,
                                    .first = SLOPE_FIRST,
                                    .last = SLOPE_LAST,
                                    .alpha = 0.25 - 0.75 * ESS_BETA,
                                    .safety = ESS_SAFETY,
                                    .severity = 1.0,
                                    .approach = approach,
                                    .cost = cost_of_rodas,
                                    .cost_instead = cost_of_rodas_instead,
                                    .begins = 1.0,
                                    .ends = 1.0,
                                    .pays = 16};

/* ---- ROS2 ------------------------------------------------------------------------------------ */

/* For a field of time alone, or of states that the steps have exactly, ROS2 and its embedded method
 * are both the trapezoidal rule, so the estimate is zero; the error then follows from the field at
 * other times. The estimate is used if it exceeds this fraction of the change of state. */
static const double BLIND = 1e-3;

/* the node at which the driver is, and the one that the last step led here from, in the same mode
 */
void ess_look_beside(ess_driver *d) {
  ess_beside *const b = &d->beside;
  const bool is_same = b->crossings == d->counters.crossings;
  const bool moves = d->t > b->t && d->piece.kind == ESS_PIECE_STEP && d->piece.t0 == b->t;
  if (b->t == d->t && is_same) return;
  ess_swap(&b->f, &b->f_there);
  memcpy(b->f, d->f, d->lanes * sizeof *b->f);
  b->way = is_same && moves ? d->t - b->t : 0.0;
  b->t = d->t;
  b->crossings = d->counters.crossings;
}

void ess_ros2_leave(ess_driver *d, bool moved) {
  if (moved || !(d->choice.base->near_beside > 0.0) || ess_is_sliding(d))
    d->beside.t = NAN;
  else
    ess_look_beside(d);
}

/* Where the caller has not changed the field, that at the node is what it was; LIT's last step has
 * it but for an error that the next one, which is as long as that can be, hardly feels. */
void ess_base_resume(ess_driver *d) {
  ess_beside *const b = &d->beside;
  if (isnan(b->t) || memcmp(b->f, d->f, d->lanes * sizeof *d->f) == 0) return;
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->control.next * (d->f[i] - b->f[i]);
  const double most = d->control.next > 0.0 ? d->choice.base->near_beside : -1.0;
  if (ess_scaled_norm(d, d->x_try, d->x, d->x) <= most)
    memcpy(b->f, d->f, d->lanes * sizeof *d->f);
  else
    b->t = NAN;
}

/* twice how far state i moves */
static double moves_of(const ess_driver *d, size_t i) {
  return d->dt * (fabs(d->f[i]) + fabs(d->stage[ESS_STAGES - 1][i]));
}

/* whether the estimate in x_try misses the error of state i */
static bool is_blind(const ess_driver *d, size_t i) {
  return fabs(d->x_try[i]) <= BLIND * moves_of(d, i);
}

/* The error of the trapezoidal rule, in the place of a smaller estimate that misses it: by another
 * node of the mode, or, where none is known, as after a crossing, by the field in the middle of the
 * step, which is called if a state moves unseen by its tolerance. */
static int find_missed(ess_driver *d) {
  const ess_beside *const b = &d->beside;
  const double *const f = d->f, *const f_end = d->stage[ESS_STAGES - 1], dt = d->dt;
  const size_t n = d->system.dimension, size = d->system.event_count * sizeof *d->idle.now;
  double *const x = d->stage[1], *const middle = d->stage[2];
  const bool by_node = b->way != 0.0;
  bool any = by_node;
  for (size_t i = 0; !by_node && i < n; i++) {
    const double moves = is_blind(d, i) ? moves_of(d, i) : 0.0;
    any = any || moves > d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    x[i] = 0.5 * (d->x[i] + d->x_end[i]) + 0.125 * dt * (f[i] - f_end[i]);
  }
  if (!any) return ESS_SUCCESS;
  // the last call of a step is that of its end
  if (d->system.idle && !by_node) memcpy(d->idle.at_end, d->idle.now, size);
  const int status = by_node ? ESS_SUCCESS : ess_field(d, d->t + 0.5 * dt, x, middle);
  if (d->system.idle && !by_node) memcpy(d->idle.now, d->idle.at_end, size);
  const double ratio = by_node ? dt / b->way : 0.0, over = dt * dt / (6.0 * (dt + b->way));
  for (size_t i = 0; i < n; i++) {
    const double missed = by_node ? over * ((f_end[i] - f[i]) - ratio * (f[i] - b->f_there[i]))
                                  : dt / 3.0 * (2.0 * middle[i] - f[i] - f_end[i]);
    if (is_blind(d, i) && !(fabs(missed) <= fabs(d->x_try[i]))) d->x_try[i] = missed;
  }
  return status;
}

int ess_ros2_try(ess_driver *d, double *error) {
  ess_look_beside(d);
  int status = make_stages(d, &ROS2);
  if (status) return status;
  // as of a stabilised step: with the field at both ends, of which the cubic between them is made
  ess_estimate_by_ends(d);
  status = find_missed(d);
  *error = ess_error_of_order_2(d);
  return status;
}

const ess_stepper ess_base_ros2 = {.kind = ESS_IMPLICIT,
                                   .try = ess_ros2_try,
                                   .judge = ess_control_judge,
                                   .dense = ess_dense_of_ends,
                                   .last = ESS_STAGES - 1,
                                   .alpha = ESS_BY_SQUARE,
                                   .safety = ESS_SAFER,
                                   .severity = ESS_SEVERITY,
                                   .near_beside = DBL_TRUE_MIN};
