/*
 * Which base makes the next integration step, where that is not settled (ess_options.base), and the
 * stabilised one: Runge-Kutta-Chebyshev of order 2, with as many stages as the step takes to be
 * stable. Their number grows with the square root of the step's length. And ROS2, of order 2, too.
 *
 * B. P. Sommeijer, L. F. Shampine, J. G. Verwer, RKC: an explicit solver for parabolic PDEs,
 * J. Comput. Appl. Math. 88 (1998) 315-326: the recursion and its stability in 2, the error in 3.1,
 * the spectral radius in 3.2.
 *
 * J. G. Verwer, E. J. Spee, J. G. Blom, W. Hundsdorfer, A second-order Rosenbrock method applied to
 * photochemical dispersion problems, SIAM J. Sci. Comput. 20 (1999) 1456-1480: ROS2, whose order
 * does not depend on the matrix that it has for the Jacobian.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "slides.h"

/* ---- the stabilised base --------------------------------------------------------------------- */

/* RKC. DAMPING: its epsilon. s stages are stable if radius times length <= (s^2 - 1) / STABLE.
 * MARGIN: factor on the spectral radius, which may be larger than found. */
static const double DAMPING = 2.0 / 13.0, STABLE = 1.54, MARGIN = 1.2;

/* numbers of stages; the upper limit bounds accumulated rounding */
enum { STAGES_LEAST = 2, STAGES_MOST = 250 };

/* attempted steps after which the spectral radius is computed again */
enum { TRIES = 25 };

/* power iteration: relative change at convergence, and largest number of iterations */
static const double CONVERGED = 0.05;
enum { ITERATIONS = 20 };

/* stages, not rounded, that are stable for this radius times length */
static double stages_of(double extent) {
  return sqrt(1.0 + STABLE * MARGIN * extent);
}

static int stages_for(double extent) {
  return (int)ess_clamp(ceil(stages_of(extent)), STAGES_LEAST, STAGES_MOST);
}

/* ---- the spectral radius --------------------------------------------------------------------- */

/* root mean square of v, or of v - w, by these units */
static double size_of(const ess_driver *d, const double v[], const double w[]) {
  const size_t n = d->system.dimension;
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double part = (w ? v[i] - w[i] : v[i]) / ess_unit_beside(d, i);
    sum += part * part;
  }
  return sqrt(sum / (double)n);
}

/* the field's Jacobian has a spectral radius of this or more: it is f at x and f_before at
 * x_before; 0 where that does not tell */
static double radius_between(const ess_driver *d, const double f[], const double f_before[],
                             const double x[], const double x_before[]) {
  const double rate = size_of(d, f, f_before) / size_of(d, x, x_before);
  return rate < INFINITY ? rate : 0.0; // not a number where nothing has moved
}

double ess_radius_shown(ess_driver *d, double ripple[]) {
  const double *const f = d->stage[ESS_STAGES - 1], *const f_before = d->stage[ESS_STAGES - 2];
  for (size_t i = 0; i < d->lanes; i++) ripple[i] = f[i] - f_before[i];
  (void)ess_dopri5_stage(d, ESS_STAGES - 2, d->x_try); // that before the last, at the end too
  return radius_between(d, f, f_before, d->x_end, d->x_try);
}

/* every component has its part in it, by no pattern that a field may share */
static void any_direction(const ess_driver *d, double v[]) {
  for (size_t i = 0; i < d->system.dimension; i++)
    v[i] = (2.0 * ess_scattered(i + 1) - 1.0) * ess_unit_beside(d, i);
}

/* by a power iteration at the node, from the direction found the last time */
static int find_radius(ess_driver *d) {
  ess_stabilised *const s = &d->stabilised;
  const size_t n = d->system.dimension;
  double *const beside = d->stage[1], *const rate = d->stage[2];
  double size = size_of(d, s->direction, NULL), found = 0.0;
  if (!(size > 0.0 && size < INFINITY)) {
    any_direction(d, s->direction);
    size = size_of(d, s->direction, NULL);
  }
  for (int k = 0; k < ITERATIONS; k++) {
    const double step = ESS_BESIDE / size, before = found;
    for (size_t i = 0; i < n; i++) beside[i] = d->x[i] + step * s->direction[i];
    const int status = ess_field(d, d->t, beside, rate);
    if (status) return status;
    size = size_of(d, rate, d->f);
    // the error control sees what is wrong with a field that is not a number
    if (!(size > 0.0 && size < INFINITY)) break;
    found = radius_between(d, rate, d->f, beside, d->x);
    for (size_t i = 0; i < n; i++) s->direction[i] = rate[i] - d->f[i];
    if (fabs(found - before) <= CONVERGED * found) break;
  }
  s->radius = found;
  s->tries = 0;
  s->is_known = true;
  return ESS_SUCCESS;
}

/* before each try: what the field is like; the next length is no longer than stages can make stable
 */
static int begin_stabilised(ess_driver *d) {
  ess_stabilised *const s = &d->stabilised;
  int status = ESS_SUCCESS;
  if (!s->is_known || s->tries >= TRIES) status = find_radius(d);
  const double most = (double)STAGES_MOST * STAGES_MOST - 1.0;
  ess_control_bound(d, ESS_BY_STABILITY, most / (STABLE * MARGIN * s->radius));
  return status;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* T, T' and T'' at w0, of two degrees in a row */
typedef struct chebyshev {
  double w0, t[2], slope[2], bend[2];
} chebyshev;

static chebyshev first_two(int stages) {
  const double w0 = 1.0 + DAMPING / ((double)stages * stages);
  return (chebyshev){.w0 = w0, .t = {1.0, w0}, .slope = {0.0, 1.0}};
}

static void next_degree(chebyshev *c) {
  const double w0 = c->w0;
  const double t = 2.0 * w0 * c->t[1] - c->t[0];
  const double slope = 2.0 * (c->t[1] + w0 * c->slope[1]) - c->slope[0];
  const double bend = 4.0 * c->slope[1] + 2.0 * w0 * c->bend[1] - c->bend[0];
  *c = (chebyshev){w0, {c->t[1], t}, {c->slope[1], slope}, {c->bend[1], bend}};
}

/* w1, which makes the polynomial that of order 2 */
static double scale_of(int stages) {
  chebyshev c = first_two(stages);
  for (int j = 2; j <= stages; j++) next_degree(&c);
  return c.slope[1] / c.bend[1];
}

/* x_end and the field there, and the last stage before them, with its field in stage[1] */
static int make_stages(ess_driver *d, int stages, const double **before) {
  const size_t n = d->lanes;
  const double dt = d->dt, w1 = scale_of(stages);
  const double *const x = d->x, *const f = d->stage[0];
  double *const rate = d->stage[1], *older = d->stage[2], *old = d->stage[3], *next = d->stage[4];
  chebyshev c = first_two(stages);
  double b_older = 1.0 / (4.0 * c.w0 * c.w0), b_old = b_older; // as T_2 has it
  double node_older = 0.0, node_old = b_old * w1;
  memcpy(older, x, n * sizeof *older);
  for (size_t i = 0; i < n; i++) old[i] = x[i] + dt * node_old * f[i];
  for (int j = 2; j <= stages; j++) {
    const double a = 1.0 - b_old * c.t[1];
    const int status = ess_field(d, d->t + ess_smaller(node_old, 1.0) * dt, old, rate);
    if (status) return status;
    next_degree(&c);
    const double b = c.bend[1] / (c.slope[1] * c.slope[1]);
    const double mu = 2.0 * c.w0 * b / b_old, nu = -b / b_older, gain = 2.0 * w1 * b / b_old;
    double *const to = j == stages ? d->x_end : next;
    for (size_t i = 0; i < n; i++)
      to[i] =
          (1.0 - mu - nu) * x[i] + mu * old[i] + nu * older[i] + dt * gain * (rate[i] - a * f[i]);
    const double node = mu * node_old + nu * node_older + gain * (1.0 - a);
    node_older = node_old;
    node_old = node;
    b_older = b_old;
    b_old = b;
    next = older;
    older = old;
    old = to;
  }
  *before = older;
  return ess_field(d, d->t + dt, d->x_end, d->stage[6]);
}

/* into x_try: what a stabilised step errs by that is as long as the one just tried by either */
static void estimate(ess_driver *d) {
  const double *const f = d->stage[0], *const f_end = d->stage[6];
  for (size_t i = 0; i < d->lanes; i++)
    d->x_try[i] = 0.8 * (d->x[i] - d->x_end[i]) + 0.4 * d->dt * (f[i] + f_end[i]);
}

/* The error of an RKC step, over the tolerance. The local error grows with h^3, the global one with
 * h^2: control of the local error alone would reduce the global error only as tolerance^(2/3). The
 * geometric mean of the local error and the change of state grows with h^2; OF_MEAN is its weight.
 * The result is at most local error / OF_ERROR, since that error may be rounding. */
static const double OF_MEAN = 0.05, OF_ERROR = 0.03;

static double of_order_2(ess_driver *d) {
  const double error = ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x_end[i] - d->x[i];
  const double moves = ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  const double mean = ess_smaller(OF_MEAN * sqrt(error * moves), error / OF_ERROR);
  return ess_larger(mean, error);
}

static int try_rkc(ess_driver *d, double *error) {
  ess_stabilised *const s = &d->stabilised;
  const double *before = NULL;
  s->tries++;
  s->stages = stages_for(d->dt * s->radius);
  const int status = make_stages(d, s->stages, &before);
  if (status) return status;
  // what is not stable outgrows all else in a step: then this is its rate
  const double seen = radius_between(d, d->stage[6], d->stage[1], d->x_end, before);
  s->radius = ess_larger(seen, s->radius);
  estimate(d);
  *error = of_order_2(d);
  return ESS_SUCCESS;
}

/* ---- the linearly implicit base of order 2 --------------------------------------------------- */

/* gamma of ROS2, 1 - 1 / sqrt(2): L-stable with the exact Jacobian */
static const double GAMMA = 0.29289321881345247560;

static int solve(ess_driver *d, double v[]) {
  const ess_system *const s = &d->system;
  d->t_seen = d->t;
  return ess_called(d, s->field_solve(d->t, d->x, d->sign, GAMMA * d->dt, v, s->params));
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
static const double UNSEEN = 5.0;

/* whether state i is not seen, and moves by more than that */
static bool hides(const ess_driver *d, size_t i) {
  const double moves = 0.5 * d->dt * (fabs(d->f[i]) + fabs(d->stage[ESS_STAGES - 1][i]));
  return is_blind(d, i) && moves > UNSEEN * (d->atol[i] + d->rtol[i] * fabs(d->x[i]));
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
  estimate(d);
  if (!status && d->beside.way != 0.0)
    see_by_node(d);
  else if (!status)
    status = see_by_middle(d);
  *error = of_order_2(d);
  return status;
}

/* between those of errors that grow with h^3 and h */
static const double BY_SQUARE = 0.4;

const ess_stepper ess_base_rkc = {.try = try_rkc,
                                  .judge = ess_control_judge,
                                  .dense = ess_dense_of_ends,
                                  .last = ESS_STAGES - 1,
                                  .alpha = BY_SQUARE};
const ess_stepper ess_base_ros2 = {.try = try_ros2,
                                   .judge = ess_control_judge,
                                   .dense = ess_dense_of_ends,
                                   .last = ESS_STAGES - 1,
                                   .alpha = BY_SQUARE,
                                   .is_wary = true};

/* ---- the choice ------------------------------------------------------------------------------ */

/* Between dopri5 and a base for stiff fields, which is the stabilised one or RODAS (rodas.c). */

/* dopri5: field evaluations per step; radius times length up to which it is stable, and from which
 * stability may limit its step size */
static const double CALLS = 6.0, STABLE_TO = 3.3, BOUND_FROM = 1.5;

/* RKC begins below BEGIN times the evaluations of dopri5, and ends above END times its fewest:
 * below 1 because dopri5 is more accurate. For RODAS, which is as accurate, both are 1. IN_A_ROW:
 * steps in a row for which this must hold. */
static const double BEGIN = 0.4, END = 0.6;
enum { IN_A_ROW = 2 };

/* radius times length of the step after a crossing, which excites the fastest motions */
static const double AFTER_CROSSING = 2.0;

/* growth of the step size of RODAS above which its present cost does not predict the next */
static const double GROWS = 2.0;

/* WORTH: steps of RODAS in a row that pay for the change. After fewer, RODAS begins again after
 * WAIT_LEAST other steps, and each time after twice as many, up to WAIT_MOST. */
enum { WORTH = 16, WAIT_LEAST = 8, WAIT_MOST = 256 };

/* Next RKC step: exponent, between those of errors that grow with h^3 (not stiff) and with h
 * (stiff); safety factor; largest growth */
static const double EXPONENT = 0.4, SAFETY = 0.8, LONGER_MOST = 10.0;

void ess_base_reset(ess_driver *d) {
  double *const direction = d->stabilised.direction;
  memset(direction, 0, d->lanes * sizeof *direction);
  d->stabilised = (ess_stabilised){.direction = direction, .off_until = -INFINITY};
  d->choice = (ess_choice){0};
}

/* before each try, where it may be by RODAS, along whose dense output event functions' rates at the
 * node are taken: their signs are the field's alone where the state has just left a surface */
static int begin_rodas(ess_driver *d) {
  const bool was_rodas = d->choice.is_rodas;
  d->choice.is_rodas = (d->options.base == ESS_BASE_RODAS || d->choice.is_stiff) &&
                       !(d->slides && d->slides->left_at == d->t);
  if (d->base != &ess_base_brief)
    d->base = d->choice.is_rodas && !ess_is_sliding(d) ? &ess_base_rodas : &ess_base_dopri5;
  if (!was_rodas || d->choice.is_rodas || !d->armed_count) return ESS_SUCCESS;
  return ess_guard_rates(d, d->t, d->x, d->f, d->h_try, d->rate);
}

int ess_base_begin(ess_driver *d) {
  ess_stabilised *const s = &d->stabilised;
  if (d->rodas) return begin_rodas(d);
  if (d->options.base == ESS_BASE_ROS2) {
    d->base = ess_is_sliding(d) ? &ess_base_dopri5 : &ess_base_ros2;
    return ESS_SUCCESS;
  }
  if (s->crossings != d->counters.crossings) {
    s->crossings = d->counters.crossings;
    if (s->is_on) ess_control_bound(d, ESS_BY_STABILITY, AFTER_CROSSING / s->radius);
    d->choice.turns = 0;
    s->off_until = -INFINITY;
  }
  const bool is_asked = d->choice.is_stiff || d->options.base == ESS_BASE_RKC;
  s->is_on = is_asked && d->t >= s->off_until && !ess_is_sliding(d);
  if (d->base != &ess_base_brief) d->base = s->is_on ? &ess_base_rkc : &ess_base_dopri5;
  return s->is_on ? begin_stabilised(d) : ESS_SUCCESS;
}

/* takes the part along w out of v, states weighed by their tolerances */
static void take_out(const ess_driver *d, const double w[], double v[]) {
  const size_t n = d->system.dimension;
  double product = 0.0, whole = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double scale = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    const double weight = scale > 0.0 ? 1.0 / (scale * scale) : 0.0;
    product += weight * v[i] * w[i];
    whole += weight * w[i] * w[i];
  }
  const double share = whole > 0.0 ? product / whole : 0.0;
  for (size_t i = 0; i < n; i++) v[i] -= share * w[i];
}

/* a step of order 4 that is as accurate as one of order 3 that has this error and moves the state
 * so far, in parts of its length, by tolerances: errors are those of a motion over some time T,
 * which is this part of the motion times (length / T)^3, and to the fourth power with RODAS */
static double length_of_order_4(double error, double moves) {
  static const double PART = 1.0 / 15.0, STRAIGHT = 1e-12;
  const double bend = ess_larger(error / moves, STRAIGHT), time = sqrt(PART / bend);
  const double motion = PART * moves * time;
  return time * pow(motion, -0.25);
}

/* calls of the field for each unit of time that the stiff base would take in place of the step that
 * dopri5 has just made; INFINITY where it is not stability that bounds that one */
static double cost_of_stiff(ess_driver *d) {
  double *const ripple = d->v_try;
  const double radius = ess_radius_shown(d, ripple);
  if (!(radius * d->dt > BOUND_FROM)) return INFINITY;
  estimate(d);
  // what a step at the edge of stability leaves of stiff motions is not in one that damps them
  take_out(d, ripple, d->x_try);
  if (d->rodas) {
    const double error = d->severity * ess_scaled_norm(d, d->x_try, d->x, d->x_end);
    for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x_end[i] - d->x[i];
    const double moves = ess_scaled_norm(d, d->x_try, d->x, d->x_end);
    return ess_rodas_calls(d) / (d->dt * length_of_order_4(error, moves));
  }
  const double error = d->severity * of_order_2(d);
  const double length = d->dt * ess_smaller(LONGER_MOST, SAFETY * pow(error, -EXPONENT));
  return (0.5 + stages_of(radius * length)) / length; // half a stage is rounded up
}

/* as find_radius, by the Jacobian of RODAS's step: what a direction grows by in the mean, which
 * also tells the radius of a pair of eigenvalues, once some turns have taken it to where it grows
 * the most
 */
static double radius_of_rodas(ess_driver *d) {
  const size_t n = d->system.dimension;
  double *const v = d->stabilised.direction, *const to = d->v_try;
  double growth = 1.0;
  enum { TURNS = 6, COUNTED = 4 };
  any_direction(d, v);
  for (int k = 0; k < TURNS + COUNTED; k++) {
    const double size = size_of(d, v, NULL);
    ess_rodas_multiply(d, v, to);
    const double grown = size_of(d, to, NULL) / size;
    if (!(grown > 0.0 && grown < INFINITY)) return 0.0;
    if (k >= TURNS) growth *= pow(grown, 1.0 / COUNTED);
    for (size_t i = 0; i < n; i++) v[i] = to[i] / (grown * size);
  }
  return growth;
}

/* whether dopri5 would take no more calls than the step of the stiff base just made */
static bool is_stiff_no_more(ess_driver *d) {
  ess_stabilised *const s = &d->stabilised;
  if (!d->rodas) return s->stages / d->dt > END * CALLS * s->radius / STABLE_TO;
  if (d->control.next > GROWS * d->dt) return false;
  s->radius = radius_of_rodas(d);
  return ess_rodas_calls(d) / ess_larger(d->dt, d->control.next) > CALLS * s->radius / STABLE_TO;
}

/* RODAS's steps have begun, or ended: what ends soon was not worth beginning */
static void note_turn(ess_driver *d) {
  ess_choice *const c = &d->choice;
  const uint64_t steps = d->counters.steps;
  if (c->is_stiff) {
    c->since = steps;
    return;
  }
  const uint64_t twice = c->wait ? 2 * c->wait : WAIT_LEAST;
  c->wait = steps - c->since >= WORTH ? 0 : twice < WAIT_MOST ? twice : WAIT_MOST;
  c->not_before = steps + c->wait;
}

static void turn(ess_driver *d) {
  ess_choice *const c = &d->choice;
  c->turns = 0;
  c->is_stiff = !c->is_stiff;
  if (d->rodas) note_turn(d);
  ess_control_forget_error(d); // that was the other's
}

void ess_base_choose(ess_driver *d) {
  ess_choice *const c = &d->choice;
  // a step that the run's end has cut short says nothing of what others cost
  if (!ess_is_base_chosen(d) || d->base == &ess_base_brief) return;
  if (d->control.is_last || ess_is_sliding(d)) return;
  const bool is_stiff = d->base != &ess_base_dopri5;
  const double least = (d->rodas ? 1.0 : BEGIN) * CALLS / d->dt;
  const bool other = is_stiff ? is_stiff_no_more(d) : cost_of_stiff(d) < least;
  c->turns = other ? c->turns + 1 : 0;
  if (c->turns < IN_A_ROW || (!is_stiff && d->counters.steps < c->not_before)) return;
  turn(d);
  // a longer one would be refused
  if (d->rodas && is_stiff)
    ess_control_bound(d, ESS_BY_STABILITY, STABLE_TO / d->stabilised.radius);
}

bool ess_base_turn_stiff(ess_driver *d) {
  if (d->options.base != ESS_BASE_CHOSEN_RODAS || d->choice.is_stiff || ess_is_sliding(d))
    return false;
  turn(d);
  ess_control_anew(d, ess_larger(d->piece.t1 - d->piece.t0, 0x1p-40 * fabs(d->t)));
  return true;
}
