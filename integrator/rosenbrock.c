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

enum { STAGES = 6 };

/* RODAS: gamma, nodes of the stages, and their coefficients of df/dt */
static const double GAMMA = 0.25;
static const double NODE[STAGES] = {0.0, 0.386, 0.21, 0.63, 1.0, 1.0};
static const double BY_TIME[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0};

/* coefficients of earlier stages in the state of a stage; the sixth stage is at the fifth's state
 * plus that stage, and the end is the sixth's state plus that stage, which is the error estimate */
static const double A[STAGES][STAGES - 1] = {
    {0.0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0}};

/* and those added to the field, over the step size */
static const double C[STAGES][STAGES - 1] = {
    {0.0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054}};

/* second and third coefficient of the dense output */
static const double BEND[STAGES] = {10.12623508344586,  -7.487995877610167, -34.80091861555747,
                                    -7.992771707568823, 1.025137723295662,  0.0};
static const double TURN[STAGES] = {-0.6762803392801253, 6.087714651680015,  16.43084320892478,
                                    24.76722511418386,   -6.594389125716872, 0.0};

/* Where between its ends, in parts of it, a step is held against the field. With this the dense
 * output of a linear field, damped in any way and however stiff, errs by at most 3.4 times what is
 * found, and by less than twice that where it is damped by a third of the critical damping or more.
 * Crossings are where the dense output has them: so much less is allowed where there may be some.
 */
static const double HELD_AT = 0.3, SEVERITY_IF_ARMED = 3.0;

/* increment of differences in time, in steps */
static const double LATER = 0x1p-20;

typedef struct ess_rodas {
  double *jacobian, *factors; /* the latter of 1 / (gamma dt) - J, with rows exchanged */
  size_t *exchanged;          /* with which row each was */
  double *by_time;            /* the field's rate of change by time alone */
  double *stage[STAGES];
  double *beside, *other; /* scratch: a state beside the node, or on the way, and the field there */
  bool is_known;          /* the Jacobian is that of the node which has this number */
  uint64_t node;
  double dt;         /* of the factors; 0 where there are none */
  uint64_t check_at; /* the caller's Jacobian is checked in the step that has this number, */
  uint64_t interval; /* and again after so many */
} ess_rodas;

/* ---- memory ---------------------------------------------------------------------------------- */

void ess_rodas_lay(ess_driver *d, ess_layout *l) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  double **const k = s->stage;
  ESS_LAY(l, double, (n * n), &s->jacobian, &s->factors);
  ESS_LAY(l, double, d->lanes, &s->by_time, &s->beside, &s->other, &k[0], &k[1], &k[2], &k[3],
          &k[4], &k[5]);
  ESS_LAY(l, size_t, n, &s->exchanged);
}

bool ess_rodas_alloc(ess_driver *d, const ess_options *options) {
  const size_t n = d->system.dimension, most = SIZE_MAX / sizeof(double) / 4;
  if (!ess_may_be_rodas(options)) return true;
  if (n <= most / (n + STAGES) - 4) d->rodas = calloc(1, sizeof *d->rodas);
  return d->rodas;
}

void ess_rodas_forget(ess_driver *d) {
  if (d->rodas) d->rodas->is_known = false;
}

void ess_rodas_reset(ess_driver *d) {
  ess_rodas_forget(d);
  if (d->rodas) d->rodas->check_at = d->rodas->interval = 0;
}

/* ---- the field's derivatives at the node ----------------------------------------------------- */

/* no other node of the run has it: each that differs in state or mode is counted */
static uint64_t number_of_node(const ess_driver *d) {
  const ess_counters *const c = &d->counters;
  return c->steps + c->projections + c->crossings + c->silent + c->impacts;
}

/* by differences, a call of the field for each state */
static int take_differences(ess_driver *d) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  memcpy(s->beside, d->x, n * sizeof *s->beside);
  for (size_t j = 0; j < n; j++) {
    s->beside[j] = d->x[j] + ESS_BESIDE * ess_unit_beside(d, j);
    const double step = s->beside[j] - d->x[j];
    const int status = ess_field(d, d->t, s->beside, s->other);
    if (status) return status;
    for (size_t i = 0; i < n; i++) s->jacobian[i * n + j] = (s->other[i] - d->f[i]) / step;
    s->beside[j] = d->x[j];
  }
  return ESS_SUCCESS;
}

static int look_at_field(ess_driver *d) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  const double least = 8.0 * DBL_EPSILON * fabs(d->t);
  const double t = d->t + ess_smaller(d->dt, ess_larger(LATER * d->dt, least));
  int status = d->system.field_jacobian ? ess_field_jacobian(d, d->t, d->x, s->jacobian)
                                        : take_differences(d);
  if (!status) status = ess_field(d, t, d->x, s->by_time);
  if (status) return status;
  // no time passes in a step that is shorter than time resolves
  for (size_t i = 0; i < n; i++)
    s->by_time[i] = t > d->t ? (s->by_time[i] - d->f[i]) / (t - d->t) : 0.0;
  s->is_known = ess_are_finite(s->jacobian, n * n) && ess_are_finite(s->by_time, n);
  s->node = number_of_node(d);
  s->dt = 0.0;
  return ESS_SUCCESS;
}

/* the matrix of a step as long as this; false where it has no inverse */
static bool prepare(ess_driver *d) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  if (s->dt == d->dt) return true;
  for (size_t i = 0; i < n * n; i++) s->factors[i] = -s->jacobian[i];
  for (size_t i = 0; i < n; i++) s->factors[i * n + i] += 1.0 / (GAMMA * d->dt);
  double ignored;
  const bool has_inverse = ess_factorise(n, s->factors, s->exchanged, 0.0, &ignored);
  s->dt = has_inverse ? d->dt : 0.0;
  return s->dt > 0.0;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* to = what stages before k have in it by these weights, and `base` where there is one */
static void add_up(const ess_driver *d, const double weight[], int k, const double base[],
                   double to[]) {
  const size_t n = d->system.dimension;
  for (size_t i = 0; i < n; i++) to[i] = base ? base[i] : 0.0;
  for (int j = 0; j < k; j++) {
    const double *const stage = d->rodas->stage[j], its = weight[j];
    for (size_t i = 0; i < n; i++) to[i] += its * stage[i];
  }
}

static int make_stage(ess_driver *d, int k) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  double *const to = s->stage[k];
  const double by_time = BY_TIME[k] * d->dt;
  int status = ESS_SUCCESS;
  add_up(d, A[k], k, d->x, d->x_try);
  if (k) status = ess_field(d, d->t + NODE[k] * d->dt, d->x_try, s->other);
  const double *const f = k ? s->other : d->f;
  add_up(d, C[k], k, NULL, to);
  for (size_t i = 0; i < n; i++) to[i] = f[i] + to[i] / d->dt + by_time * s->by_time[i];
  ess_solve_factorised(n, s->factors, s->exchanged, to);
  return status;
}

/* difference of the states at a step's ends, in roundings, below which rounding spoils the slopes
 */
static const double SPOILED = 1024.0;

/* The dense output. It ends at x_end, unless the step is so short that the difference of the states
 * has lost the slopes: then what the step adds is summed by itself. */
static void make_dense(ess_driver *d) {
  enum { LAST = STAGES - 1 };
  add_up(d, A[LAST], LAST, d->rodas->stage[LAST], d->dense[0]);
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double change = d->x_end[i] - d->x[i];
    if (fabs(change) > SPOILED * DBL_EPSILON * fabs(d->x[i])) d->dense[0][i] = change;
    d->dense[3][i] = 0.0;
  }
  add_up(d, BEND, STAGES, NULL, d->dense[1]);
  add_up(d, TURN, STAGES, NULL, d->dense[2]);
}

/* What the step goes over and does not follow. A motion that is much faster than the step has
 * decayed at its end, or would have if it were damped; and where a state is carried along by
 * others, fast, the end is where they are. Neither the end nor its error tells of what is between.
 * But the dense output does not go as the field does, then. The difference, damped as a step damps
 * it, is about as large as what is not followed. */
static int find_unfollowed(ess_driver *d, double *size) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  double *const slope = d->x_try, *const off = s->other;
  ess_dopri5_dense(d, HELD_AT, s->beside);
  ess_dopri5_slope(d, HELD_AT, slope);
  const int status = ess_field(d, d->t + HELD_AT * d->dt, s->beside, off);
  for (size_t i = 0; i < n; i++) off[i] -= slope[i];
  ess_solve_factorised(n, s->factors, s->exchanged, off);
  *size = ess_scaled_norm(d, off, d->x, d->x_end);
  return status;
}

/* the larger error, at the end or on the way; INFINITY where anything is not a number */
static int find_error(ess_driver *d, double *error) {
  const double *const f_end = d->stage[ESS_STAGES - 1];
  const double at_end = ess_scaled_norm(d, d->rodas->stage[STAGES - 1], d->x, d->x_end);
  double on_the_way;
  make_dense(d);
  const int status = find_unfollowed(d, &on_the_way);
  const bool is_known =
      at_end + on_the_way < INFINITY && ess_are_finite(f_end, d->system.dimension);
  const double severity = d->armed_count ? SEVERITY_IF_ARMED : 1.0;
  *error = is_known ? severity * ess_larger(at_end, on_the_way) : INFINITY;
  return status;
}

/* ---- whether field_jacobian is the field's Jacobian ------------------------------------------ */

/* With another matrix the method is of order 1, and its estimate is blind to most of what it errs
 * by. So the matrix is held against the field, beside the node along the step, by a call in the
 * first step and in every eighth. A Jacobian whose error moves a state by more than this part of
 * the tolerance in a step is suspected. Then each entry is compared with difference quotients on
 * both sides of the node, of which one may lie beyond a kink of the field. An entry is wrong that
 * differs from both by more than this part of it, as far as three quotients in a row tell, each
 * over a quarter of the length of the one before. */
enum { CHECKED_EVERY = 8, ENTRY_QUOTIENTS = 10 };
static const double SUSPECTED = 0.25, WRONG = 2e-3, ENTRY_AGREEMENT = 0.1;
static const double WIDEST = 0x1p-8, CLOSER = 0.25;

/* rounding in component i of the field, in a sum of the terms that it may be made of */
static double rounding_of(const ess_driver *d, size_t i) {
  const size_t n = d->system.dimension;
  double size = fabs(d->f[i]);
  for (size_t j = 0; j < n; j++) size += fabs(d->rodas->jacobian[i * n + j] * d->x[j]);
  return ESS_ROUNDING * size;
}

/* whether the Jacobian has an error along the step just tried that matters */
static int suspect_jacobian(ess_driver *d, bool *suspected) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  double *const way = s->stage[0], *const predicted = s->stage[1], most = 0.0;
  for (size_t i = 0; i < n; i++) {
    way[i] = d->x_end[i] - d->x[i];
    most = ess_larger(most, fabs(way[i]) / ess_unit_beside(d, i));
  }
  *suspected = false;
  if (!(most > 0.0)) return ESS_SUCCESS;
  const double part = ess_smaller(ESS_BESIDE / most, 1.0);
  for (size_t i = 0; i < n; i++) s->beside[i] = d->x[i] + part * way[i];
  const int status = ess_field(d, d->t, s->beside, s->other);
  for (size_t i = 0; i < n; i++) way[i] = s->beside[i] - d->x[i]; // as rounded
  ess_multiply(s->jacobian, way, n, predicted);
  for (size_t i = 0; i < n; i++) {
    const double off = fabs(s->other[i] - d->f[i] - predicted[i]);
    const double seen = part * SUSPECTED * (d->atol[i] + d->rtol[i] * fabs(d->x[i]));
    *suspected = *suspected || (d->dt * off > seen && off > rounding_of(d, i));
  }
  return status;
}

/* the entry that is wrong by the largest part of it; `part` is 0 where none is */
typedef struct wrong_entry {
  size_t row, column;
  double part;
} wrong_entry;

/* by what part of it entries of column j differ from quotients on one side, as far as these tell */
static int compare_column(ess_driver *d, size_t j, double side, double apart[]) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  double *const last = s->stage[0], *const agreeing = s->stage[1];
  int status = ESS_SUCCESS;
  for (size_t i = 0; i < n; i++) {
    last[i] = NAN;
    agreeing[i] = apart[i] = 0.0;
  }
  memcpy(s->beside, d->x, n * sizeof *s->beside);
  double length = side * WIDEST * ess_unit_beside(d, j);
  for (int q = 0; !status && q < ENTRY_QUOTIENTS; q++, length *= CLOSER) {
    s->beside[j] = d->x[j] + length;
    const double step = s->beside[j] - d->x[j];
    status = ess_field(d, d->t, s->beside, s->other);
    for (size_t i = 0; i < n; i++) {
      const double entry = s->jacobian[i * n + j], quotient = (s->other[i] - d->f[i]) / step;
      const double off = fabs(quotient - entry);
      if (!(off * fabs(step) > rounding_of(d, i))) continue;
      agreeing[i] = fabs(quotient - last[i]) <= ENTRY_AGREEMENT * off ? agreeing[i] + 1.0 : 1.0;
      last[i] = quotient;
      const double size = ess_larger(fabs(quotient), fabs(entry));
      apart[i] = agreeing[i] >= ESS_AGREEING && off > WRONG * size ? off / size : 0.0;
    }
  }
  return status;
}

static int find_wrong_entry(ess_driver *d, wrong_entry *worst) {
  const size_t n = d->system.dimension;
  double *const above = d->rodas->stage[2], *const below = d->rodas->stage[3];
  int status = ESS_SUCCESS;
  *worst = (wrong_entry){0};
  for (size_t j = 0; !status && j < n; j++) {
    status = compare_column(d, j, 1.0, above);
    if (!status) status = compare_column(d, j, -1.0, below);
    for (size_t i = 0; !status && i < n; i++) {
      const double part = ess_smaller(above[i], below[i]);
      if (part > worst->part) *worst = (wrong_entry){.row = i, .column = j, .part = part};
    }
  }
  return status;
}

/* of the step just tried, whose error is below the tolerance */
static int check_jacobian(ess_driver *d) {
  ess_rodas *const s = d->rodas;
  bool suspected;
  wrong_entry worst = {0};
  if (!s->interval) s->interval = CHECKED_EVERY;
  int status = suspect_jacobian(d, &suspected);
  if (!status && suspected) status = find_wrong_entry(d, &worst);
  // a field that has kinks is suspected again and again
  if (suspected) s->interval *= 2;
  s->check_at = d->counters.steps + s->interval;
  if (status || !(worst.part > 0.0)) return status;
  ess_fail(d, ESS_EJACOBIAN, SIZE_MAX);
  d->failure.reason = "field_jacobian differs from difference quotients of field";
  d->failure.row = worst.row;
  d->failure.column = worst.column;
  return ESS_EJACOBIAN;
}

static int try_rodas(ess_driver *d, double *error) {
  ess_rodas *const s = d->rodas;
  const size_t n = d->system.dimension;
  const bool is_known = s->is_known && s->node == number_of_node(d);
  int status = is_known ? ESS_SUCCESS : look_at_field(d);
  *error = INFINITY; // where anything is not a number, or the matrix has no inverse
  if (status || !s->is_known || !prepare(d)) return status;
  for (int k = 0; !status && k < STAGES; k++) status = make_stage(d, k);
  for (size_t i = 0; i < n; i++) d->x_end[i] = d->x_try[i] + s->stage[STAGES - 1][i];
  if (!status) status = ess_field(d, d->t + d->dt, d->x_end, d->stage[ESS_STAGES - 1]);
  if (!status) status = find_error(d, error);
  const bool is_due = d->system.field_jacobian && d->counters.steps >= s->check_at;
  if (!status && is_due && *error <= 1.0) status = check_jacobian(d);
  return status;
}

/* rates of event functions along the dense output, at one end of the step, in place of those by the
 * field; but nothing is nothing, as of a state at rest */
static int take_dense_rates(ess_driver *d, double t, const double x[], const double slope[],
                            double rate[]) {
  const int status = ess_guard_rates(d, t, x, slope, d->h_try, d->rate_try);
  for (size_t k = 0; !status && k < d->system.guard_count; k++)
    if (rate[k] != 0.0) rate[k] = d->rate_try[k];
  return status;
}

/* The field is that of a state which is right to the tolerance: where it is stiff it may be far off
 * the way that the state goes. */
static int take_rates(ess_driver *d) {
  double *const first = d->stage[ESS_RODAS_FIRST], *const last = d->stage[ESS_RODAS_LAST];
  ess_dopri5_slope(d, 0.0, first);
  ess_dopri5_slope(d, 1.0, last);
  int status = take_dense_rates(d, d->t, d->x, first, d->rate);
  const double t = d->t + d->dt;
  if (!status) status = ess_guard_rates(d, t, d->x_end, d->stage[6], d->h_end, d->rate_end);
  return status ? status : take_dense_rates(d, t, d->x_end, last, d->rate_end);
}

double ess_rodas_calls(const ess_driver *d) {
  enum { WITHOUT = 8 }; // by time, five stages, the end, on the way
  return WITHOUT + (d->system.field_jacobian ? 1.0 : (double)d->system.dimension);
}

/* as a power iteration, by the Jacobian of the last step: what a direction grows by in the mean,
 * which also tells the radius of a pair of eigenvalues, once some turns have taken it to where it
 * grows the most
 */
double ess_rodas_radius(ess_driver *d) {
  const size_t n = d->system.dimension;
  double *const v = d->stabilised.direction, *const to = d->v_try;
  double growth = 1.0;
  enum { TURNS = 6, COUNTED = 4 };
  ess_any_direction(d, v);
  for (int k = 0; k < TURNS + COUNTED; k++) {
    const double size = ess_size_beside(d, v, NULL);
    ess_multiply(d->rodas->jacobian, v, n, to);
    const double grown = ess_size_beside(d, to, NULL) / size;
    if (!(grown > 0.0 && grown < INFINITY)) return 0.0;
    if (k >= TURNS) growth *= pow(grown, 1.0 / COUNTED);
    for (size_t i = 0; i < n; i++) v[i] = to[i] / (grown * size);
  }
  return growth;
}

/* ---- crossings ------------------------------------------------------------------------------- */

/* place of a cut, in steps, above which rates by the field are not compared with the dense output
 */
static const double NEAR_END = 0.99;

/* nor for a cut this soon, relative to the time */
static const double CUT_LEAST = 8.0 * DBL_EPSILON;

/* accepted relative difference of the rates by the field and by the dense output */
static const double RATES_DIFFER = 0.5;

/* error of an event function at the node, over the one that the tolerance allows, below which it is
 * zero there: a step to its zero would be shorter than rounding resolves */
static const double AT_GUARD = 1e-5;

/* Whether guard k is as fast by the field as along the dense output, both at a state on the way, or
 * is where the step begins. */
static int compare_rates(ess_driver *d, double t, const double slope[], size_t k, bool *agree) {
  ess_rodas *const s = d->rodas;
  double h, along, by_field, allowed;
  int status = ess_some_guard_rates(d, t, s->beside, slope, &k, 1, &h, &along);
  if (!status) status = ess_some_guard_rates(d, t, s->beside, s->other, &k, 1, &h, &by_field);
  if (!status && !isfinite(h + along + by_field)) status = ess_fail(d, ESS_EGUARD, k);
  *agree = status || fabs(by_field - along) <= RATES_DIFFER * fabs(along);
  if (*agree) return status;
  status = ess_allowed_error(d, k, &allowed);
  *agree = status || fabs(d->h[k]) <= AT_GUARD * allowed;
  return status;
}

/* The dense output is right to the tolerance, and so is where it crosses a guard. But where a fast
 * motion takes the state back from there to where the end of a step would be, it crosses the guard
 * again and again. So the step is made to end there. */
static ess_verdict approach(ess_driver *d, double theta) {
  ess_rodas *const s = d->rodas;
  const double t = d->t + theta * d->dt;
  double *const slope = d->stage[1];
  ess_verdict v = {.stands = true, .cause = ESS_BY_DOUBT, .next = theta * d->dt};
  if (theta > NEAR_END || !(t - d->t > CUT_LEAST * fabs(t))) return v;
  ess_dopri5_dense(d, theta, s->beside);
  ess_dopri5_slope(d, theta, slope);
  v.status = ess_field(d, t, s->beside, s->other);
  if (!v.status && !ess_are_finite(s->other, d->system.dimension))
    v.status = ess_fail(d, ESS_EFIELD, SIZE_MAX);
  for (size_t i = 0; !v.status && v.stands && i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (d->fate[k] == ESS_FATE_ENTERED) v.status = compare_rates(d, t, slope, k, &v.stands);
  }
  v.stands = v.stands && !v.status;
  return v;
}

const ess_stepper ess_base_rodas = {.try = try_rodas,
                                    .judge = ess_control_judge,
                                    .rates = take_rates,
                                    .first = ESS_RODAS_FIRST,
                                    .last = ESS_RODAS_LAST,
                                    .solves_all = true,
                                    .alpha = 0.25 - 0.75 * ESS_BETA,
                                    .knows_severity = true,
                                    .approach = approach};

/* ---- the linearly implicit base of order 2 --------------------------------------------------- */

/* gamma of ROS2, 1 - 1 / sqrt(2): L-stable with the exact Jacobian */
static const double GAMMA_2 = 0.29289321881345247560;

static int solve(ess_driver *d, double v[]) {
  const ess_system *const s = &d->system;
  d->t_seen = d->t;
  return ess_called(d, s->field_solve(d->t, d->x, d->sign, GAMMA_2 * d->dt, v, s->params));
}

/* For a field of time alone, or of states that the steps have exactly, ROS2 and its embedded method
 * are both the trapezoidal rule, so the estimate is zero; the error then follows from the field at
 * other times. The estimate is used if it exceeds this fraction of the change of state. */
static const double BLIND = 1e-3;

/* the node at which the driver is, and the last one of its mode */
static void look_beside(ess_driver *d) {
  ess_beside *const b = &d->beside;
  const bool is_same = b->crossings == d->counters.crossings, moves = d->t > b->t;
  if (b->t == d->t && is_same) return;
  ess_swap(&b->f, &b->f_there);
  memcpy(b->f, d->f, d->lanes * sizeof *b->f);
  b->way = is_same && moves ? d->t - b->t : 0.0;
  b->t = d->t;
  b->crossings = d->counters.crossings;
}

void ess_ros2_leave(ess_driver *d, bool moved) {
  if (moved || d->options.base != ESS_BASE_ROS2 || ess_is_sliding(d))
    d->beside.t = NAN;
  else
    look_beside(d);
}

void ess_ros2_resume(ess_driver *d) {
  if (memcmp(d->beside.f, d->f, d->lanes * sizeof *d->f) != 0) d->beside.t = NAN;
}

/* whether the estimate, in x_try, sees nothing of state i */
static bool is_blind(const ess_driver *d, size_t i) {
  const double moves = fabs(d->f[i]) + fabs(d->stage[ESS_STAGES - 1][i]);
  return fabs(d->x_try[i]) <= BLIND * d->dt * moves;
}

/* what the rule errs by, in its place where that is more */
static void see(ess_driver *d, size_t i, double missed) {
  if (is_blind(d, i) && !(fabs(missed) <= fabs(d->x_try[i]))) d->x_try[i] = missed;
}

/* where another node of the mode is known */
static void see_by_node(ess_driver *d) {
  const ess_beside *const b = &d->beside;
  const double *const f = d->f, *const f_end = d->stage[ESS_STAGES - 1], dt = d->dt;
  const double ratio = dt / b->way, over = dt * dt / (6.0 * (dt + b->way));
  for (size_t i = 0; i < d->system.dimension; i++)
    see(d, i, over * ((f_end[i] - f[i]) - ratio * (f[i] - b->f_there[i])));
}

/* change of state in a step, in tolerances, below which the blind estimate does not matter */
static const double HIDDEN = 5.0;

/* whether state i is not seen, and moves by more than that */
static bool hides(const ess_driver *d, size_t i) {
  const double moves = 0.5 * d->dt * (fabs(d->f[i]) + fabs(d->stage[ESS_STAGES - 1][i]));
  return is_blind(d, i) && moves > HIDDEN * (d->atol[i] + d->rtol[i] * fabs(d->x[i]));
}

/* and where none is, as after a crossing: by the field in the middle of the step, where it is
 * called if anything may hide there */
static int see_by_middle(ess_driver *d) {
  const double *const f = d->f, *const f_end = d->stage[ESS_STAGES - 1], dt = d->dt;
  const size_t n = d->system.dimension, size = d->system.guard_count * sizeof *d->idle;
  double *const x = d->stage[1], *const middle = d->stage[2];
  bool any = false;
  for (size_t i = 0; i < n; i++) {
    any = any || hides(d, i);
    x[i] = 0.5 * (d->x[i] + d->x_end[i]) + 0.125 * dt * (f[i] - f_end[i]);
  }
  if (!any) return ESS_SUCCESS;
  // the last call of a step is that of its end
  if (d->system.idle) memcpy(d->idle_at_end, d->idle, size);
  const int status = ess_field(d, d->t + 0.5 * dt, x, middle);
  if (d->system.idle) memcpy(d->idle, d->idle_at_end, size);
  for (size_t i = 0; i < n; i++) see(d, i, dt / 3.0 * (2.0 * middle[i] - f[i] - f_end[i]));
  return status;
}

static int try_ros2(ess_driver *d, double *error) {
  const size_t n = d->lanes;
  const double dt = d->dt;
  double *const first = d->stage[1], *const second = d->stage[2];
  look_beside(d);
  memcpy(first, d->f, n * sizeof *first);
  int status = solve(d, first);
  for (size_t i = 0; i < n; i++) d->x_try[i] = d->x[i] + dt * first[i];
  if (!status) status = ess_field(d, d->t + dt, d->x_try, second);
  for (size_t i = 0; i < n; i++) second[i] -= 2.0 * first[i];
  if (!status) status = solve(d, second);
  for (size_t i = 0; i < n; i++) d->x_end[i] = d->x[i] + dt * (1.5 * first[i] + 0.5 * second[i]);
  if (!status) status = ess_field(d, d->t + dt, d->x_end, d->stage[ESS_STAGES - 1]);
  // as of a stabilised step: with the field at both ends, of which the cubic between them is made
  ess_estimate_by_ends(d);
  if (!status && d->beside.way != 0.0)
    see_by_node(d);
  else if (!status)
    status = see_by_middle(d);
  *error = ess_error_of_order_2(d);
  return status;
}

const ess_stepper ess_base_ros2 = {.try = try_ros2,
                                   .judge = ess_control_judge,
                                   .dense = ess_dense_of_ends,
                                   .last = ESS_STAGES - 1,
                                   .alpha = ESS_BY_SQUARE,
                                   .is_wary = true};
