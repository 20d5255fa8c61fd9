/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corner_springs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jumps.h"

enum { X = CORNERS_X, Z, PHI, VX, VZ, OMEGA, ANCHOR, N = CORNERS_STATES };
enum { PRESSED = 0, PUSHES = CORNERS, EVENTS = 2 * CORNERS };

double corner_springs_damping(double stiffness, double mass, double ratio) {
  return 2.0 * ratio * sqrt(stiffness * mass);
}

void corner_springs_from(const corner_springs *p, int corner, double phi, double from[2]) {
  const double *const b = p->corner[corner], c = cos(phi), s = sin(phi);
  from[0] = b[0] * c - b[1] * s;
  from[1] = b[0] * s + b[1] * c;
}

/* the force that its spring and damper would have, whether or not it touches */
static double push(const corner_springs *p, const double x[], const double from[2]) {
  const double gap = x[Z] + from[1] - p->ground, rate = x[VZ] + from[0] * x[OMEGA];
  return -p->stiffness * gap - p->damping * rate;
}

/* 1 where an event function is positive, else 0, and affine between them */
static double weight(double sign) {
  return 0.5 + 0.5 * sign;
}

static bool is_pressed(const double sign[], int corner) {
  return sign[PRESSED + corner] > 0.0;
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  const corner_springs *const p = params;
  double along = 0.0, up = 0.0, torque = 0.0;
  memcpy(dxdt, &x[VX], 3 * sizeof *dxdt);
  for (int i = 0; i < CORNERS; i++) {
    double from[2], force[2] = {0.0};
    const double pressed = weight(sign[PRESSED + i]);
    dxdt[ANCHOR + i] = 0.0;
    if (pressed == 0.0) continue;
    corner_springs_from(p, i, x[PHI], from);
    force[1] = pressed * weight(sign[PUSHES + i]) * push(p, x, from);
    if (p->sticks)
      force[0] = -pressed * p->stiffness * (x[X] + from[0] - x[ANCHOR + i]) -
                 pressed * p->damping * (x[VX] - from[1] * x[OMEGA]);
    along += force[0];
    up += force[1];
    torque += from[0] * force[1] - from[1] * force[0];
  }
  dxdt[VX] = along / p->mass;
  dxdt[VZ] = up / p->mass - p->gravity;
  dxdt[OMEGA] = torque / p->inertia;
  return 0;
}

/* a force on the body, which acts a way from its centre: its gradient is added to what it moves */
static void add_gradient(const corner_springs *p, const double gradient[N], int to, double arm,
                         double J[]) {
  for (int j = 0; j < N; j++) {
    J[to * N + j] += gradient[j] / p->mass;
    J[OMEGA * N + j] += arm * gradient[j] / p->inertia;
  }
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  (void)t;
  const corner_springs *const p = params;
  memset(J, 0, (size_t)N * N * sizeof *J);
  J[X * N + VX] = J[Z * N + VZ] = J[PHI * N + OMEGA] = 1.0;
  for (int i = 0; i < CORNERS; i++) {
    const double pressed = weight(sign[PRESSED + i]), pushed = pressed * weight(sign[PUSHES + i]);
    const double k = p->stiffness, c = p->damping, held = p->sticks ? pressed : 0.0;
    double from[2];
    corner_springs_from(p, i, x[PHI], from);
    const double up[N] = {[Z] = -pushed * k,
                          [PHI] = pushed * (c * from[1] * x[OMEGA] - k * from[0]),
                          [VZ] = -pushed * c,
                          [OMEGA] = -pushed * c * from[0]};
    double along[N] = {[X] = -held * k,
                       [PHI] = held * (k * from[1] + c * from[0] * x[OMEGA]),
                       [VX] = -held * c,
                       [OMEGA] = held * c * from[1]};
    along[ANCHOR + i] = held * k;
    add_gradient(p, up, VZ, from[0], J);
    add_gradient(p, along, VX, -from[1], J);
    // and its arm turns
    const double along_x =
        -held * (k * (x[X] + from[0] - x[ANCHOR + i]) + c * (x[VX] - from[1] * x[OMEGA]));
    J[OMEGA * N + PHI] -= (from[1] * pushed * push(p, x, from) + from[0] * along_x) / p->inertia;
  }
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  const corner_springs *const p = params;
  for (int i = 0; i < CORNERS; i++) {
    double from[2];
    corner_springs_from(p, i, x[PHI], from);
    h[PRESSED + i] = p->ground - x[Z] - from[1];
    h[PUSHES + i] = push(p, x, from);
  }
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  const corner_springs *const p = params;
  memset(Dh, 0, (size_t)EVENTS * N * sizeof *Dh);
  for (int i = 0; i < CORNERS; i++) {
    double from[2], *const pressed = &Dh[(PRESSED + i) * N], *const pushes = &Dh[(PUSHES + i) * N];
    corner_springs_from(p, i, x[PHI], from);
    pressed[Z] = -1.0;
    pressed[PHI] = -from[0];
    pushes[Z] = -p->stiffness;
    pushes[PHI] = -p->stiffness * from[0] + p->damping * from[1] * x[OMEGA];
    pushes[VZ] = -p->damping;
    pushes[OMEGA] = -p->damping * from[0];
  }
  return 0;
}

/* a corner that touches down is held where it is */
static int anchor(ess_impact *impact, void *params) {
  const corner_springs *const p = params;
  for (int i = 0; i < CORNERS; i++) {
    double from[2];
    if (is_pressed(impact->sign, i) || !is_pressed(impact->mode, i)) continue;
    corner_springs_from(p, i, impact->x[PHI], from);
    impact->after[ANCHOR + i] = impact->x[X] + from[0];
  }
  return 0;
}

static int anchor_jacobian(const ess_impact *impact, double DR[], void *params) {
  const corner_springs *const p = params;
  memset(DR, 0, (size_t)N * N * sizeof *DR);
  for (int i = 0; i < N; i++) DR[i * N + i] = 1.0;
  for (int i = 0; i < CORNERS; i++) {
    double from[2], *const row = &DR[(ANCHOR + i) * N];
    if (is_pressed(impact->sign, i) || !is_pressed(impact->mode, i)) continue;
    corner_springs_from(p, i, impact->x[PHI], from);
    row[ANCHOR + i] = 0.0;
    row[X] = 1.0;
    row[PHI] = -from[1];
  }
  return 0;
}

static const ess_guard_kind kinds[2 * EVENTS] = {[ESS_GUARD_UP(PRESSED)] = ESS_GUARD_IMPACT,
                                                 [ESS_GUARD_UP(PRESSED + 1)] = ESS_GUARD_IMPACT};
static const ess_impacts impacts = {.map = anchor, .jacobian = anchor_jacobian};

int corner_springs_prepare(model *m, const corner_springs *p, char message[MODEL_MESSAGE_SIZE]) {
  corner_springs *const data = malloc(sizeof *data);
  if (!data) {
    snprintf(message, MODEL_MESSAGE_SIZE, "%s: out of memory", m->type->name);
    return -1;
  }
  *data = *p;
  m->data = data;
  m->system = (ess_system){.dimension = N,
                           .event_count = EVENTS,
                           .field = field,
                           .field_jacobian = field_jacobian,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .kinds = p->sticks ? kinds : NULL,
                           .impacts = p->sticks ? &impacts : NULL,
                           .affine_in_signs = true,
                           .params = data};
  return 0;
}

void corner_springs_release(model *m) {
  free(m->data);
}

/* whether a corner would be pushed is of no account above the ground */
bool corner_springs_changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m;
  return guard < PUSHES || is_pressed(sign, (int)guard - PUSHES);
}

size_t corner_springs_contact_count(const model *m) {
  (void)m;
  return CORNERS;
}

void corner_springs_active_contacts(const model *m, const double x[], unsigned char active[]) {
  const corner_springs *const p = m->data;
  double h[EVENTS];
  event_functions(0.0, x, h, m->data);
  for (int i = 0; i < CORNERS; i++)
    active[i] = h[PRESSED + i] > 0.0 && (p->sticks || h[PUSHES + i] > 0.0);
}

/* of corners that slide: those that stick have a force along the ground, too */
int corner_springs_contact_force(const model *m, const double x[], double force[]) {
  const corner_springs *const p = m->data;
  const double c = cos(x[PHI]), s = sin(x[PHI]);
  double up = 0.0, torque = 0.0;
  for (int i = 0; i < CORNERS; i++) {
    const double *const b = p->corner[i], from[2] = {b[0] * c - b[1] * s, b[0] * s + b[1] * c};
    const double pushes = push(p, x, from);
    if (!(p->ground - x[Z] - from[1] > 0.0 && pushes > 0.0)) continue;
    up += pushes;
    torque += from[0] * pushes;
  }
  force[X] = 0.0;
  force[Z] = up;
  force[PHI] = torque;
  return 0;
}

/* its steps have to be short against the fastest that springs and dampers do */
int corner_springs_reference(const model *m, const double x0[], model_reference *out,
                             char message[MODEL_MESSAGE_SIZE]) {
  static const double share = 0.1;
  const corner_springs *const p = m->data;
  double softness = 1.0 / p->mass;
  for (int i = 0; i < CORNERS; i++)
    softness +=
        (p->corner[i][0] * p->corner[i][0] + p->corner[i][1] * p->corner[i][1]) / p->inertia;
  const double fastest = p->damping * softness + sqrt(p->stiffness * softness);
  return jumps_reference_by(m, x0, share / fastest, out, message);
}
