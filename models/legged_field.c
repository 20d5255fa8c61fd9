/*
 * The robot's field: articulated-body dynamics of a star. In its own frame each leg is two hinges
 * in a plane, so that its accelerations are eliminated by hand; what is left are six equations for
 * the body.
 *
 * In the body's frame, with a the acceleration of the body's origin less gravity and alpha the
 * angular acceleration, a point c of leg coordinates q accelerates by
 *   a + alpha x c + sum_k e_k q_k'' + B,   e_k = t x (c - hinge k),
 * where B is what the rates alone make. Leg by leg, M q'' + Q [a; alpha] = r.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "legged_internal.h"

enum { LINKS = 2 };

/* A force, in the leg's frame (outwards, along t, up), on a point of the shank. */
typedef struct load {
  legged_point at;
  double force[3];
} load;

/* A leg as eliminated: q'' = free - response [a_r, a_z, alpha_t] */
typedef struct legged_leg {
  double free[LINKS], response[LINKS][3];
} legged_leg;

/* The six equations. */
typedef struct equations {
  double matrix[6][6], right[6];
} equations;

int legged_field_prepare(legged_data *d) {
  d->leg = calloc(d->parameters.legs, sizeof *d->leg);
  return d->leg ? 0 : -1;
}

void legged_field_release(legged_data *d) {
  free(d->leg);
}

/* ---- a leg ----------------------------------------------------------------------------------- */

/* A leg's geometry and motion in its own frame, and what it adds to the body's equations there. */
typedef struct workings {
  legged_point middle[LINKS];       /* of each link, from the body's origin */
  legged_point along[LINKS][LINKS]; /* e_k of it: [link][hinge] */
  double swing[LINKS][3];           /* B of it */
  double rate[LINKS];               /* angular, of the link against the body */
  double omega[3];                  /* of the body */
  double linear[3][3], mixed[3][3], angular[3][3], right[6];
} workings;

static legged_point hip_of(const legged_parameters *p) {
  return (legged_point){p->body_radius, 0.0};
}

/* B = omega x (omega x c) + 2 omega x c' + what turning about the hinges makes */
static void swing_of(const double w[3], legged_point c, legged_point rate, legged_point turning,
                     double out[3]) {
  const double along = w[0] * c.r + w[2] * c.z;
  const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  out[0] = w[0] * along - square * c.r + 2.0 * w[1] * rate.z + turning.r;
  out[1] = w[1] * along + 2.0 * (w[2] * rate.r - w[0] * rate.z);
  out[2] = w[2] * along - square * c.z - 2.0 * w[1] * rate.r + turning.z;
}

static void look_at_leg(const legged_parameters *p, const legged_links *links,
                        const double hinge_rate[2], workings *w) {
  const legged_point half[LINKS] = {{0.5 * links->thigh.r, 0.5 * links->thigh.z},
                                    {0.5 * links->shank.r, 0.5 * links->shank.z}};
  const legged_point from_hip = legged_add(links->thigh, 1.0, half[1]);
  w->middle[0] = legged_add(hip_of(p), 1.0, half[0]);
  w->middle[1] = legged_add(hip_of(p), 1.0, from_hip);
  w->along[0][0] = legged_turned(half[0]);
  w->along[0][1] = (legged_point){0.0, 0.0};
  w->along[1][0] = legged_turned(from_hip);
  w->along[1][1] = legged_turned(half[1]);
  w->rate[0] = hinge_rate[0];
  w->rate[1] = hinge_rate[0] + hinge_rate[1];

  const double turn = -w->rate[0] * w->rate[0], next = -w->rate[1] * w->rate[1];
  const legged_point still = {0.0, 0.0};
  const legged_point turning[LINKS] = {
      legged_add(still, turn, half[0]),
      legged_add(legged_add(still, turn, links->thigh), next, half[1])};
  for (int j = 0; j < LINKS; j++) {
    const legged_point velocity =
        legged_add(legged_add(still, hinge_rate[0], w->along[j][0]), hinge_rate[1], w->along[j][1]);
    swing_of(w->omega, w->middle[j], velocity, turning[j], w->swing[j]);
  }
}

/* the links as if the hinges were stiff */
static void add_links(const legged_parameters *p, workings *w) {
  memset(w->linear, 0, sizeof w->linear);
  memset(w->mixed, 0, sizeof w->mixed);
  memset(w->angular, 0, sizeof w->angular);
  memset(w->right, 0, sizeof w->right);
  for (int j = 0; j < LINKS; j++) {
    const double m = p->link_mass[j], inertia = p->link_inertia[j];
    const legged_point c = w->middle[j];
    const double *const b = w->swing[j];
    for (int i = 0; i < 3; i++) w->linear[i][i] += m;
    w->mixed[0][1] += m * c.z;
    w->mixed[1][0] -= m * c.z;
    w->mixed[1][2] += m * c.r;
    w->mixed[2][1] -= m * c.r;
    w->angular[0][0] += m * c.z * c.z + inertia;
    w->angular[1][1] += m * legged_dot(c, c) + inertia;
    w->angular[2][2] += m * c.r * c.r + inertia;
    w->angular[0][2] -= m * c.r * c.z;
    w->angular[2][0] -= m * c.r * c.z;
    for (int i = 0; i < 3; i++) w->right[i] -= m * b[i];
    w->right[3] -= -m * c.z * b[1] - inertia * w->rate[j] * w->omega[2];
    w->right[4] -= m * (c.z * b[0] - c.r * b[2]);
    w->right[5] -= m * c.r * b[1] + inertia * w->rate[j] * w->omega[0];
  }
}

static void add_load(const load *at, workings *w) {
  const double *const f = at->force;
  for (int i = 0; i < 3; i++) w->right[i] += f[i];
  w->right[3] -= at->at.z * f[1];
  w->right[4] += at->at.z * f[0] - at->at.r * f[2];
  w->right[5] += at->at.r * f[1];
}

/* M and r of the leg, and its Q, of which three columns are not 0 */
typedef struct hinges {
  double matrix[3], couple[LINKS][3], right[LINKS];
} hinges;

static hinges hinges_of(const legged_parameters *p, const legged_links *links,
                        const double hinge[2], const double hinge_rate[2], const load *at,
                        const workings *w) {
  hinges h = {
      .matrix = {p->link_inertia[0] + p->link_inertia[1], p->link_inertia[1], p->link_inertia[1]}};
  const legged_point from_hip = legged_add(at->at, -1.0, hip_of(p));
  const legged_point arm[LINKS] = {legged_turned(from_hip),
                                   legged_turned(legged_add(from_hip, -1.0, links->thigh))};
  for (int k = 0; k < LINKS; k++) {
    h.couple[k][2] = k == 0 ? p->link_inertia[0] + p->link_inertia[1] : p->link_inertia[1];
    h.right[k] = -p->joint_stiffness * (hinge[k] - p->rest[k]) - p->joint_damping * hinge_rate[k] +
                 arm[k].r * at->force[0] + arm[k].z * at->force[2];
    for (int j = 0; j < LINKS; j++) {
      const double m = p->link_mass[j];
      const legged_point e = w->along[j][k], c = w->middle[j];
      h.couple[k][0] += m * e.r;
      h.couple[k][1] += m * e.z;
      h.couple[k][2] += m * (c.z * e.r - c.r * e.z);
      h.right[k] -= m * (e.r * w->swing[j][0] + e.z * w->swing[j][2]);
    }
  }
  for (int j = 0; j < LINKS; j++) {
    h.matrix[0] += p->link_mass[j] * legged_dot(w->along[j][0], w->along[j][0]);
    h.matrix[1] += p->link_mass[j] * legged_dot(w->along[j][0], w->along[j][1]);
    h.matrix[2] += p->link_mass[j] * legged_dot(w->along[j][1], w->along[j][1]);
  }
  return h;
}

/* M q'' = r - Q [a; alpha] solved for q'', and put into the body's equations */
static void eliminate(const hinges *h, workings *w, legged_leg *leg) {
  const double scale = 1.0 / (h->matrix[0] * h->matrix[2] - h->matrix[1] * h->matrix[1]);
  const double inverse[LINKS][LINKS] = {{scale * h->matrix[2], -scale * h->matrix[1]},
                                        {-scale * h->matrix[1], scale * h->matrix[0]}};
  for (int k = 0; k < LINKS; k++) {
    leg->free[k] = inverse[k][0] * h->right[0] + inverse[k][1] * h->right[1];
    for (int i = 0; i < 3; i++)
      leg->response[k][i] = inverse[k][0] * h->couple[0][i] + inverse[k][1] * h->couple[1][i];
  }
  double less[3][3], right[3];
  for (int i = 0; i < 3; i++) {
    right[i] = h->couple[0][i] * leg->free[0] + h->couple[1][i] * leg->free[1];
    for (int j = 0; j < 3; j++)
      less[i][j] = h->couple[0][i] * leg->response[0][j] + h->couple[1][i] * leg->response[1][j];
  }
  w->linear[0][0] -= less[0][0];
  w->linear[0][2] -= less[0][1];
  w->linear[2][0] -= less[1][0];
  w->linear[2][2] -= less[1][1];
  w->mixed[0][1] -= less[0][2];
  w->mixed[2][1] -= less[1][2];
  w->angular[1][1] -= less[2][2];
  w->right[0] -= right[0];
  w->right[2] -= right[1];
  w->right[4] -= right[2];
}

/* ---- the body -------------------------------------------------------------------------------- */

/* adds the block, turned about z by an angle of cosine and sine `to` */
static void add_turned(const double block[3][3], const double to[2], size_t row, size_t column,
                       double matrix[6][6]) {
  const double turn[3][3] = {{to[0], -to[1], 0.0}, {to[1], to[0], 0.0}, {0.0, 0.0, 1.0}};
  double half[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      half[i][j] = turn[i][0] * block[0][j] + turn[i][1] * block[1][j] + turn[i][2] * block[2][j];
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++)
      matrix[row + i][column + j] +=
          half[i][0] * turn[j][0] + half[i][1] * turn[j][1] + half[i][2] * turn[j][2];
}

static void turn_out(const double to[2], const double leg[3], double body[3]) {
  body[0] += to[0] * leg[0] - to[1] * leg[1];
  body[1] += to[1] * leg[0] + to[0] * leg[1];
  body[2] += leg[2];
}

static void turn_in(const double to[2], const double body[3], double leg[3]) {
  leg[0] = to[0] * body[0] + to[1] * body[1];
  leg[1] = to[0] * body[1] - to[1] * body[0];
  leg[2] = body[2];
}

static void add_body(const legged_parameters *p, const double omega[3], equations *e) {
  const double spin[3] = {p->body_inertia[0] * omega[0], p->body_inertia[1] * omega[1],
                          p->body_inertia[2] * omega[2]};
  memset(e, 0, sizeof *e);
  for (int i = 0; i < 3; i++) {
    e->matrix[i][i] = p->body_mass;
    e->matrix[3 + i][3 + i] = p->body_inertia[i];
    e->right[3 + i] =
        spin[(i + 1) % 3] * omega[(i + 2) % 3] - spin[(i + 2) % 3] * omega[(i + 1) % 3];
  }
}

static void add_leg(const workings *w, const double to[2], equations *e) {
  add_turned(w->linear, to, 0, 0, e->matrix);
  add_turned(w->mixed, to, 0, 3, e->matrix);
  add_turned(w->angular, to, 3, 3, e->matrix);
  turn_out(to, w->right, e->right);
  turn_out(to, w->right + 3, e->right + 3);
}

/* in place by Cholesky; the lower half of the matrix is not read. The inertia of bodies is positive
 * definite. */
static void solve(equations *e, double x[6]) {
  double(*const u)[6] = e->matrix;
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < i; k++) u[i][i] -= u[k][i] * u[k][i];
    u[i][i] = sqrt(u[i][i]);
    for (int j = i + 1; j < 6; j++) {
      for (int k = 0; k < i; k++) u[i][j] -= u[k][i] * u[k][j];
      u[i][j] /= u[i][i];
    }
    x[i] = e->right[i];
    for (int k = 0; k < i; k++) x[i] -= u[k][i] * x[k];
    x[i] /= u[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    for (int k = i + 1; k < 6; k++) x[i] -= u[i][k] * x[k];
    x[i] /= u[i][i];
  }
}

/* ---- the system ------------------------------------------------------------------------------ */

/* [a; alpha] of the body and q'' of all legs, hinge[2N], loaded as `loads` says */
static void accelerate(const legged_data *d, const double hinge[], const double omega[3],
                       const double hinge_rate[], void (*loads)(size_t i, load *at, void *context),
                       void *context, double body[6], double bend[]) {
  const legged_parameters *const p = &d->parameters;
  equations e;
  add_body(p, omega, &e);
  for (size_t i = 0; i < p->legs; i++) {
    workings w;
    load at = {0};
    const legged_links links = legged_links_at(p, hinge + 2 * i);
    turn_in(d->toward[i], omega, w.omega);
    look_at_leg(p, &links, hinge_rate + 2 * i, &w);
    add_links(p, &w);
    at.at = legged_add(legged_add(hip_of(p), 1.0, links.thigh), 1.0, links.shank);
    loads(i, &at, context);
    add_load(&at, &w);
    const hinges h = hinges_of(p, &links, hinge + 2 * i, hinge_rate + 2 * i, &at, &w);
    eliminate(&h, &w, &d->leg[i]);
    add_leg(&w, d->toward[i], &e);
  }
  solve(&e, body);
  for (size_t i = 0; i < p->legs; i++) {
    const legged_leg *const leg = &d->leg[i];
    double a[3], alpha[3];
    turn_in(d->toward[i], body, a);
    turn_in(d->toward[i], body + 3, alpha);
    for (int k = 0; k < LINKS; k++)
      bend[2 * i + (size_t)k] = leg->free[k] - leg->response[k][0] * a[0] -
                                leg->response[k][1] * a[2] - leg->response[k][2] * alpha[1];
  }
}

/* The state that feet are to be pushed in. */
typedef struct standing {
  const legged_data *d;
  const double *x, *sign;
  double up[3];
} standing;

/* F = k p + c p' straight up while the contact's event functions are positive */
static void push_foot(size_t i, load *at, void *context) {
  const standing *const s = context;
  const legged_parameters *const p = &s->d->parameters;
  const bool damped = p->damping > 0.0;
  if (!(s->sign[i] > 0.0) || (damped && !(s->sign[p->legs + i] > 0.0))) return;
  double depth[2];
  legged_depth(s->d, i, s->x, s->up, depth);
  const double force = p->stiffness * depth[0] + p->damping * depth[1];
  turn_in(s->d->toward[i], s->up, at->force);
  for (int j = 0; j < 3; j++) at->force[j] *= force;
}

/* body's frame to world's, by a quaternion of any length */
static void to_world(const double q[4], const double v[3], double out[3]) {
  const double scale = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double cross[3] = {q[2] * v[2] - q[3] * v[1] + q[0] * v[0],
                           q[3] * v[0] - q[1] * v[2] + q[0] * v[1],
                           q[1] * v[1] - q[2] * v[0] + q[0] * v[2]};
  out[0] = v[0] + scale * (q[2] * cross[2] - q[3] * cross[1]);
  out[1] = v[1] + scale * (q[3] * cross[0] - q[1] * cross[2]);
  out[2] = v[2] + scale * (q[1] * cross[1] - q[2] * cross[0]);
}

/* q' = q (0, omega) / 2 */
static void quaternion_rate(const double q[4], const double w[3], double out[4]) {
  out[0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
  out[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  out[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
  out[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

int legged_field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  const legged_data *const d = params;
  const double *const v = x + d->coordinates, *const omega = v + 3;
  double *const dvdt = dxdt + d->coordinates, body[6];
  standing s = {.d = d, .x = x, .sign = sign};
  legged_up(x + LEGGED_QUATERNION, s.up);
  memcpy(dxdt, v, 3 * sizeof *v);
  quaternion_rate(x + LEGGED_QUATERNION, omega, dxdt + LEGGED_QUATERNION);
  memcpy(dxdt + LEGGED_HINGES, v + LEGGED_BODY_RATES, 2 * d->parameters.legs * sizeof *v);
  accelerate(d, x + LEGGED_HINGES, omega, v + LEGGED_BODY_RATES, push_foot, &s, body,
             dvdt + LEGGED_BODY_RATES);
  to_world(x + LEGGED_QUATERNION, body, dvdt);
  dvdt[2] -= d->parameters.gravity;
  memcpy(dvdt + 3, body + 3, 3 * sizeof *body);
  return 0;
}

/* A unit force along an axis on the middle of leg 0's shank, which is half a shank before its end.
 */
typedef struct probe {
  legged_point half;
  int axis;
} probe;

static void push_shank(size_t i, load *at, void *context) {
  const probe *const of = context;
  if (i > 0) return;
  at->at = legged_add(at->at, -1.0, of->half);
  at->force[of->axis] = 1.0;
}

double legged_inverse_weight(const model *m) {
  static const double still[3];
  const legged_data *const d = m->data;
  const legged_parameters *const p = &d->parameters;
  const legged_links links = legged_links_at(p, p->rest);
  const legged_point half = {0.5 * links.shank.r, 0.5 * links.shank.z};
  const legged_point from_hip = legged_add(links.thigh, 1.0, half);
  const legged_point c = legged_add(hip_of(p), 1.0, from_hip);
  const legged_point along[LINKS] = {legged_turned(from_hip), legged_turned(half)};
  double *const hinge = calloc(6 * p->legs, sizeof *hinge);
  if (!hinge) return NAN;
  double *const rate = hinge + 2 * p->legs, *const bend = rate + 2 * p->legs, sum = 0.0;
  for (size_t i = 0; i < 2 * p->legs; i++) hinge[i] = p->rest[i % 2];
  for (int axis = 0; axis < 3; axis++) {
    double a[6];
    probe of = {half, axis};
    accelerate(d, hinge, still, rate, push_shank, &of, a, bend);
    const double there[3] = {
        a[0] + a[4] * c.z + along[0].r * bend[0] + along[1].r * bend[1],
        a[1] + a[5] * c.r - a[3] * c.z,
        a[2] - a[4] * c.r + along[0].z * bend[0] + along[1].z * bend[1],
    };
    sum += there[axis];
  }
  free(hinge);
  return sum / 3.0;
}
