/*
 * The independent integration of the plate: see oracle_plate.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "oracle_plate.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <string.h>

enum { N = ORACLE_PLATE_DIMENSION, EVENTS_MAX = 2 * ORACLE_PLATE_CONTACTS_MAX };

static const double step_error_max = 1e-12;

/* An event function this far on its other side has crossed, m; less may be rounding, and will have
 * grown by the end of the next step if it is not. */
static const double noise = 1e-14;

/* A state with the sine and cosine of its tilt. */
typedef struct pose {
  const double *y;
  double sine, cosine;
} pose;

static pose pose_of(const double y[]) {
  return (pose){y, sin(y[2]), cos(y[2])};
}

/* Penetration of contact i, its gradient by (x, z, theta), its rate. */
static double penetration(const oracle_plate *o, size_t i, pose s, double gradient[3],
                          double *rate) {
  const double *const y = s.y, last = (double)o->contacts - 1;
  const double xs = last > 0 ? -o->half_width + 2 * o->half_width * (double)i / last : 0;
  double p;
  if (o->paper) {
    const double tangent = s.sine / s.cosine;
    p = o->free_length + tangent * (y[0] - xs) - y[1];
    gradient[0] = tangent;
    gradient[1] = -1;
    gradient[2] = (y[0] - xs) / (s.cosine * s.cosine);
  } else {
    const double a = o->free_length - o->radius - y[1], d = xs - y[0];
    p = o->radius - d * s.sine + a * s.cosine;
    gradient[0] = s.sine;
    gradient[1] = -s.cosine;
    gradient[2] = -d * s.cosine - a * s.sine;
  }
  *rate = gradient[0] * y[3] + gradient[1] * y[4] + gradient[2] * y[5];
  return p;
}

/* Second time derivative of a penetration p: the Hessian between the velocities, and the gradient
 * times the accelerations. */
static double second_rate(const oracle_plate *o, pose s, double p, const double gradient[3],
                          const double dydt[]) {
  const double vx = s.y[3], vz = s.y[4], w = s.y[5];
  double bend;
  if (o->paper) {
    const double tangent = s.sine / s.cosine, secant = 1 / s.cosine;
    bend = 2 * secant * secant * vx * w + 2 * tangent * gradient[2] * w * w;
  } else {
    bend = 2 * s.cosine * vx * w + 2 * s.sine * vz * w - (p - o->radius) * w * w;
  }
  return bend + gradient[0] * dydt[3] + gradient[1] * dydt[4] + gradient[2] * dydt[5];
}

void oracle_plate_derivatives(const oracle_plate *o, const double y[], const bool p_on[],
                              const bool f_on[], double dydt[]) {
  const pose s = pose_of(y);
  double force[3] = {0, -o->mass * o->gravity, 0};
  for (size_t i = 0; i < o->contacts; i++) {
    if (!p_on[i] || (o->damping > 0 && !f_on[i])) continue;
    double gradient[3], rate;
    const double p = penetration(o, i, s, gradient, &rate);
    const double push = o->stiffness * p + o->damping * rate;
    for (size_t j = 0; j < 3; j++) force[j] -= push * gradient[j];
  }
  for (size_t j = 0; j < 3; j++) dydt[j] = y[3 + j];
  dydt[3] = force[0] / o->mass;
  dydt[4] = force[1] / o->mass;
  dydt[5] = force[2] / o->inertia;
}

static void contact(const oracle_plate *o, size_t i, pose s, const double dydt[], double *p,
                    double *p_rate, double *f, double *f_rate) {
  double gradient[3];
  const double ratio = o->damping / o->stiffness;
  *p = penetration(o, i, s, gradient, p_rate);
  *f = *p + ratio * *p_rate;
  *f_rate = *p_rate + ratio * second_rate(o, s, *p, gradient, dydt);
}

void oracle_plate_contact(const oracle_plate *o, size_t i, const double y[], const double dydt[],
                          double *p, double *p_rate, double *f, double *f_rate) {
  contact(o, i, pose_of(y), dydt, p, p_rate, f, f_rate);
}

/* One run: events 0 .. contacts-1 are penetrations, the rest, with damping, forces. */
typedef struct run {
  const oracle_plate *o;
  gsl_odeiv2_step *step;
  gsl_odeiv2_system system;
  gsl_root_fsolver *solver;
  bool on[EVENTS_MAX]; /* the side each event function is on */
  size_t event_count;
  double y[N]; /* the state the current step starts from */
  int failed;
} run;

static int right_side(double t, const double y[], double dydt[], void *params) {
  (void)t;
  const run *r = params;
  oracle_plate_derivatives(r->o, y, r->on, r->on + r->o->contacts, dydt);
  return GSL_SUCCESS;
}

/* One rk8pd step of length h from the run's state, the signs frozen. */
static void advance(run *r, double h, double y[N]) {
  double error[N];
  memcpy(y, r->y, sizeof r->y);
  if (!(h > 0)) return;
  if (gsl_odeiv2_step_apply(r->step, 0, h, y, error, NULL, NULL, &r->system)) r->failed = 1;
  for (size_t i = 0; i < N; i++) {
    if (!(fabs(error[i]) < step_error_max)) r->failed = 1;
  }
}

/* Event function k and its rate at a state. */
static double event(const run *r, size_t k, const double y[], double *rate) {
  double dydt[N], p, p_rate, f, f_rate;
  right_side(0, y, dydt, (void *)r);
  oracle_plate_contact(r->o, k % r->o->contacts, y, dydt, &p, &p_rate, &f, &f_rate);
  *rate = k < r->o->contacts ? p_rate : f_rate;
  return k < r->o->contacts ? p : f;
}

/* All event functions and rates at a state. */
static void all_events(const run *r, const double y[], double value[], double rate[]) {
  const pose s = pose_of(y);
  const size_t n = r->o->contacts;
  double dydt[N], unused[2];
  right_side(0, y, dydt, (void *)r);
  for (size_t i = 0; i < n; i++) {
    double *const f = r->event_count > n ? &value[n + i] : &unused[0];
    double *const f_rate = r->event_count > n ? &rate[n + i] : &unused[1];
    contact(r->o, i, s, dydt, &value[i], &rate[i], f, f_rate);
  }
}

/* What Brent's method looks at: an event function, or its rate, tau after the run's state. */
typedef struct along {
  run *r;
  size_t k;
  bool of_rate;
} along;

static double value_along(double tau, void *params) {
  const along *a = params;
  double y[N], rate;
  advance(a->r, tau, y);
  const double value = event(a->r, a->k, y, &rate);
  return a->of_rate ? rate : value;
}

/* Root in [0, h], to round-off; 0 when there is no sign change, as at a root that 0 just left. */
static double brent(run *r, size_t k, bool of_rate, double h) {
  along a = {r, k, of_rate};
  gsl_function function = {.function = value_along, .params = &a};
  const double at_0 = value_along(0, &a), at_h = value_along(h, &a);
  if ((at_0 < 0) == (at_h < 0)) return 0;
  gsl_root_fsolver_set(r->solver, &function, 0, h);
  double width = h;
  for (int i = 0; i < 100 && width > 1e-16; i++) {
    gsl_root_fsolver_iterate(r->solver);
    width = gsl_root_fsolver_x_upper(r->solver) - gsl_root_fsolver_x_lower(r->solver);
  }
  return gsl_root_fsolver_root(r->solver);
}

/* A duration in (0, h] after which event function k is on its other side, or 0. Touch-and-leave is
 * seen at the extremum between ends whose rates first approach and then recede. */
static double time_across(run *r, size_t k, double h, const double v0[], const double rate0[],
                          const double v1[], const double rate1[]) {
  const double side = r->on[k] ? -1 : 1;
  if (side * v1[k] > noise) return h;
  const bool turns = side * v0[k] < 0 && side * rate0[k] > 0 && side * rate1[k] < 0;
  if (!turns) return 0;
  const double top = brent(r, k, true, h);
  return side * value_along(top, &(along){r, k, false}) > noise ? top : 0;
}

/*
 * The first crossing within h, or event_count: shortens h to the root of one crossed event function
 * until no other is crossed before it.
 */
static size_t first_crossing(run *r, double *h) {
  double v0[EVENTS_MAX], rate0[EVENTS_MAX], v1[EVENTS_MAX], rate1[EVENTS_MAX], y[N];
  size_t first = r->event_count;
  all_events(r, r->y, v0, rate0);
  while (!r->failed) {
    advance(r, *h, y);
    all_events(r, y, v1, rate1);

    // of those crossed, the one that a straight line through both ends crosses first
    size_t candidate = r->event_count;
    double candidate_time = 0, earliest = INFINITY;
    for (size_t k = 0; k < r->event_count; k++) {
      if (k == first) continue;
      const double across = time_across(r, k, *h, v0, rate0, v1, rate1);
      if (!(across > 0)) continue;
      const double guess = across < *h ? 0 : *h * v0[k] / (v0[k] - v1[k]);
      if (guess >= earliest) continue;
      earliest = guess;
      candidate = k;
      candidate_time = across;
    }
    if (candidate == r->event_count) return first;
    first = candidate;
    *h = brent(r, candidate, false, candidate_time);
    if (!(*h > 0)) return first;
  }
  return first;
}

static bool changes_force(const run *r, size_t k) {
  const size_t n = r->o->contacts;
  return r->event_count == n || r->on[k < n ? k + n : k - n];
}

/* From the run's state over `duration`, through every crossing on the way. */
static void cover(run *r, double duration, double longest, size_t *events) {
  double remaining = duration;
  while (remaining > 0 && !r->failed) {
    double h = fmin(longest, remaining), y[N];
    const size_t k = first_crossing(r, &h);
    advance(r, h, y);
    memcpy(r->y, y, sizeof y);
    remaining -= h;
    if (k == r->event_count) continue;
    r->on[k] = !r->on[k];
    if (changes_force(r, k)) ++*events;
  }
}

static void start(run *r, const double y0[]) {
  double value[EVENTS_MAX], rate[EVENTS_MAX];
  memcpy(r->y, y0, sizeof r->y);
  all_events(r, r->y, value, rate);
  for (size_t k = 0; k < r->event_count; k++) r->on[k] = value[k] > 0;
}

int oracle_plate_integrate(const oracle_plate *o, const double y0[], const double times[],
                           size_t count, double longest, double states[], size_t *events) {
  if (o->contacts > ORACLE_PLATE_CONTACTS_MAX) return -1;
  run r = {.o = o, .event_count = o->damping > 0 ? 2 * o->contacts : o->contacts};
  r.system = (gsl_odeiv2_system){right_side, NULL, N, &r};
  r.step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, N);
  r.solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  if (!r.step || !r.solver) r.failed = 1;
  if (!r.failed) start(&r, y0);
  *events = 0;
  for (size_t i = 0; i < count && !r.failed; i++) {
    if (i > 0) cover(&r, times[i] - times[i - 1], longest, events);
    memcpy(&states[i * N], r.y, sizeof r.y);
  }
  if (r.step) gsl_odeiv2_step_free(r.step);
  if (r.solver) gsl_root_fsolver_free(r.solver);
  return r.failed ? -1 : 0;
}
