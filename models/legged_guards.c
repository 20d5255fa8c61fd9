/*
 * The robot's event functions and their rates: depth of every foot in the floor, then, with
 * damping, force over stiffness of every foot.
 *
 * A foot at s in the body's frame is as high as the body's origin and u . s more, u being the
 * world's up in that frame, which turns by u x omega.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "legged_internal.h"

legged_links legged_links_at(const legged_parameters *p, const double hinge[2]) {
  const double angle = hinge[0] + hinge[1];
  return (legged_links){
      {-p->link_length[0] * sin(hinge[0]), -p->link_length[0] * cos(hinge[0])},
      {-p->link_length[1] * sin(angle), -p->link_length[1] * cos(angle)},
  };
}

/* |q|^2 u, of which every component is a quadratic form */
static void up_form(const double q[4], const double other[4], double out[3]) {
  out[0] = q[1] * other[3] + q[3] * other[1] - q[0] * other[2] - q[2] * other[0];
  out[1] = q[2] * other[3] + q[3] * other[2] + q[0] * other[1] + q[1] * other[0];
  out[2] = q[0] * other[0] - q[1] * other[1] - q[2] * other[2] + q[3] * other[3];
}

static double dot4(const double a[4], const double b[4]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

void legged_up(const double quaternion[4], double up[3]) {
  const double scale = 1.0 / dot4(quaternion, quaternion);
  up_form(quaternion, quaternion, up);
  for (int i = 0; i < 3; i++) up[i] *= scale;
}

/* its derivative as the quaternion changes by `change` */
static void up_rate(const double quaternion[4], const double change[4], const double up[3],
                    double out[3]) {
  const double scale = 2.0 / dot4(quaternion, quaternion), longer = dot4(quaternion, change);
  up_form(quaternion, change, out);
  for (int i = 0; i < 3; i++) out[i] = scale * (out[i] - longer * up[i]);
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* u . point of a leg's plane */
static double rise(const double up[3], const double to[2], legged_point at) {
  return (to[0] * up[0] + to[1] * up[1]) * at.r + up[2] * at.z;
}

/* A foot from the body's origin and from its hinges. */
typedef struct foot {
  legged_point at, from_hip, from_knee, knee;
} foot;

static foot foot_at(const legged_parameters *p, const double hinge[2]) {
  const legged_links links = legged_links_at(p, hinge);
  const legged_point from_hip = legged_add(links.thigh, 1.0, links.shank);
  return (foot){{p->body_radius + from_hip.r, from_hip.z}, from_hip, links.shank, links.thigh};
}

/* how a point of the shank moves as its hinges turn, from_knee being what it is from the knee */
static legged_point moved(const foot *f, const double hinge_rate[2]) {
  const legged_point still = {0.0, 0.0};
  return legged_add(legged_add(still, hinge_rate[0], legged_turned(f->from_hip)), hinge_rate[1],
                    legged_turned(f->from_knee));
}

/* Quantities of a state that all feet share. */
typedef struct view {
  const legged_data *d;
  const double *x, *v;              /* v: a direction, or NULL */
  double up[3], up_rate[3];         /* as the body turns at omega */
  double change[3], change_rate[3]; /* of both along v */
} view;

static view view_at(const legged_data *d, const double x[], const double v[]) {
  const double *const omega = x + d->coordinates + 3;
  view w = {.d = d, .x = x, .v = v};
  legged_up(x + LEGGED_QUATERNION, w.up);
  cross(w.up, omega, w.up_rate);
  if (!v) return w;
  double turned[3];
  up_rate(x + LEGGED_QUATERNION, v + LEGGED_QUATERNION, w.up, w.change);
  cross(w.change, omega, turned);
  cross(w.up, v + d->coordinates + 3, w.change_rate);
  for (int i = 0; i < 3; i++) w.change_rate[i] += turned[i];
  return w;
}

/* p and p' of foot i */
static void depth_of(const view *w, size_t i, const foot *f, double depth[2]) {
  const legged_data *const d = w->d;
  const double *const to = d->toward[i];
  const double *const rates = w->x + d->coordinates;
  const legged_point velocity = moved(f, rates + LEGGED_BODY_RATES + 2 * i);
  depth[0] = d->parameters.foot_radius - w->x[2] - rise(w->up, to, f->at);
  depth[1] = -rates[2] - rise(w->up_rate, to, f->at) - rise(w->up, to, velocity);
}

/* and how both change along v */
static void depth_changes(const view *w, size_t i, const foot *f, double change[2]) {
  const legged_data *const d = w->d;
  const double *const to = d->toward[i], *const by_rates = w->v + d->coordinates;
  const double *const bend = w->x + d->coordinates + LEGGED_BODY_RATES + 2 * i;
  const double *const along = w->v + LEGGED_HINGES + 2 * i;
  const legged_point velocity = moved(f, bend), shift = moved(f, along), still = {0.0, 0.0};
  const legged_point knee_shift = legged_add(still, along[0], legged_turned(f->knee));

  // the velocity's own change: its arms turn, and its rates change
  const foot shifted = {.from_hip = shift, .from_knee = legged_add(shift, -1.0, knee_shift)};
  const legged_point faster =
      legged_add(moved(&shifted, bend), 1.0, moved(f, by_rates + LEGGED_BODY_RATES + 2 * i));
  change[0] = -w->v[2] - rise(w->change, to, f->at) - rise(w->up, to, shift);
  change[1] = -by_rates[2] - rise(w->change_rate, to, f->at) - rise(w->up_rate, to, shift) -
              rise(w->change, to, velocity) - rise(w->up, to, faster);
}

void legged_depth(const legged_data *d, size_t i, const double x[], const double up[3],
                  double depth[2]) {
  const foot f = foot_at(&d->parameters, x + LEGGED_HINGES + 2 * i);
  view w = {.d = d, .x = x};
  for (int j = 0; j < 3; j++) w.up[j] = up[j];
  cross(up, x + d->coordinates + 3, w.up_rate);
  depth_of(&w, i, &f, depth);
}

/* event function k and, along a direction, its rate */
static void event(const view *w, size_t k, const foot *f, double *h, double *rate) {
  const legged_parameters *const p = &w->d->parameters;
  const size_t i = k % p->legs;
  const double relaxation = k < p->legs ? 0.0 : p->damping / p->stiffness;
  double depth[2], change[2];
  depth_of(w, i, f, depth);
  *h = depth[0] + relaxation * depth[1];
  if (!rate) return;
  depth_changes(w, i, f, change);
  *rate = change[0] + relaxation * change[1];
}

static void all_events(const view *w, double h[], double rate[]) {
  const legged_parameters *const p = &w->d->parameters;
  for (size_t i = 0; i < p->legs; i++) {
    const foot f = foot_at(p, w->x + LEGGED_HINGES + 2 * i);
    event(w, i, &f, &h[i], rate ? &rate[i] : NULL);
    if (p->damping > 0.0)
      event(w, p->legs + i, &f, &h[p->legs + i], rate ? &rate[p->legs + i] : NULL);
  }
}

int legged_event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  const view w = view_at(params, x, NULL);
  all_events(&w, h, NULL);
  return 0;
}

int legged_event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  (void)t, (void)vt;
  const view w = view_at(params, x, v);
  if (!which) all_events(&w, h, rate);
  for (size_t i = 0; which && i < count; i++) {
    const legged_parameters *const p = &w.d->parameters;
    const foot f = foot_at(p, x + LEGGED_HINGES + 2 * (which[i] % p->legs));
    event(&w, which[i], &f, &h[i], &rate[i]);
  }
  return 0;
}
