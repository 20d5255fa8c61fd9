/*
 * Whether mj_step tends to a robot's trajectory as its step goes to 0, whichever integrator it has.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_CONVERGE_H
#define ROBOT_CONVERGE_H

#include "robot_fixture.h"

#include <mujoco/mujoco.h>

enum { CONVERGE_SAMPLES = 201 };
static const double converge_dt = 0.002;

typedef double converge_path[CONVERGE_SAMPLES][FIXTURE_STATES];

static inline double converge_rms(const converge_path a, const converge_path b, size_t n) {
  double sum = 0.0;
  for (int i = 0; i < CONVERGE_SAMPLES; ++i) sum += pow(fixture_distance(a[i], b[i], n), 2.0);
  return sqrt(sum / (double)(CONVERGE_SAMPLES * n));
}

static inline void converge_ours(robot *r, const double x0[], double tolerance, converge_path out,
                                 size_t *crossings) {
  const size_t n = robot_size(r).dimension;
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  ess_driver *d = ess_driver_alloc(robot_system(r), &options, NULL);
  double x[FIXTURE_STATES], t = 0.0, times[CONVERGE_SAMPLES],
                            *states = test_calloc(CONVERGE_SAMPLES * n, sizeof *x);
  memcpy(x, x0, n * sizeof *x);
  for (int i = 0; i < CONVERGE_SAMPLES; ++i) times[i] = i * converge_dt;
  const int status =
      ess_driver_sample(d, &t, times[CONVERGE_SAMPLES - 1], x, times, CONVERGE_SAMPLES, states);
  if (status) fail_msg("%s at %g: %s", ess_strerror(status), t, robot_failure(r));
  for (int i = 0; i < CONVERGE_SAMPLES; ++i) {
    robot_normalise(r, states + (size_t)i * n);
    memcpy(out[i], states + (size_t)i * n, n * sizeof *x);
  }
  *crossings = ess_driver_counters(d)->crossings;
  ess_driver_free(d);
  test_free(states);
}

static inline void converge_its(mjModel *m, const double x0[], int integrator, int substeps,
                                converge_path out) {
  m->opt.integrator = integrator;
  m->opt.timestep = converge_dt / substeps;
  mjData *d = mj_makeData(m);
  memcpy(d->qpos, x0, (size_t)m->nq * sizeof *x0);
  memcpy(d->qvel, x0 + m->nq, (size_t)m->nv * sizeof *x0);
  memcpy(d->act, x0 + m->nq + m->nv, (size_t)m->na * sizeof *x0);
  if (m->nkey > 0) memcpy(d->ctrl, m->key_ctrl, (size_t)m->nu * sizeof *x0);
  for (int i = 0; i < CONVERGE_SAMPLES; ++i) {
    memcpy(out[i], d->qpos, (size_t)m->nq * sizeof *x0);
    memcpy(out[i] + m->nq, d->qvel, (size_t)m->nv * sizeof *x0);
    memcpy(out[i] + m->nq + m->nv, d->act, (size_t)m->na * sizeof *x0);
    for (int k = 0; k < substeps; ++k) mj_step(m, d);
  }
  mj_deleteData(d);
}

static inline mjModel *converge_compiled(const char *text) {
  char error[1000];
  mjVFS *files = test_calloc(1, sizeof *files);
  mj_defaultVFS(files);
  assert_int_equal(mj_addBufferVFS(files, "r.xml", text, (int)strlen(text)), 0);
  mjModel *m = mj_loadXML("r.xml", files, error, sizeof error);
  mj_deleteVFS(files);
  test_free(files);
  if (!m) fail_msg("%s", error);
  return m;
}

/* from x0, controls as in keyframe 0: errors at steps of 1, 1/4 and 1/16 ms fall to half, or below
 * our own, and within `bound` */
static inline void converges(const char *name, const char *text, const double x0[], size_t touches,
                             double least, double bound) {
  static converge_path exact, coarser, its;
  const int integrators[] = {mjINT_EULER, mjINT_RK4, mjINT_IMPLICITFAST};
  const char *const names[] = {"Euler", "RK4", "implicitfast"};
  robot *r = fixture_robot(text);
  mjModel *m = converge_compiled(text);
  const size_t n = robot_size(r).dimension;
  size_t crossings, others;
  if (m->nkey > 0) robot_set_control(r, m->key_ctrl);
  converge_ours(r, x0, 1e-8, exact, &crossings);
  converge_ours(r, x0, 1e-6, coarser, &others);
  const double own = converge_rms(exact, coarser, n);
  print_message("%s: %zu crossings, own error %.1e\n", name, crossings, own);
  assert_true(crossings >= touches && own < least);
  for (int k = 0; k < 3; ++k) {
    double error[3];
    for (int i = 0, substeps = 2; i < 3; ++i, substeps *= 4) {
      converge_its(m, x0, integrators[k], substeps, its);
      error[i] = converge_rms(exact, its, n);
    }
    print_message("%s, %s: %.1e %.1e %.1e\n", name, names[k], error[0], error[1], error[2]);
    assert_true(error[2] < fmax(0.5 * error[0], own));
    assert_true(error[2] < bound);
  }
  mj_deleteModel(m);
  robot_close(r);
}

#endif
