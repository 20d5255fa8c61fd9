/*
 * Many drivers in several threads, on one shared system and on systems with a model of their own:
 * to the last bit what the same drivers give one after another. Also built with ThreadSanitizer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <pthread.h>

#include <math.h>
#include <string.h>

#include "ess.h"
#include "test.h"

enum { THREADS = 4, DRIVERS = 6, PIECES = 5, GRID = 40, SPRINGS = 12, EVENTS = 64 };

/* A mass on springs whose ends lie at heights of their own. A shared one is not written to; one of
 * a driver's own keeps the sums over the springs that touch, which mode_changed finds. */
typedef struct bed {
  double active, sum;
} bed;

static double height(size_t k) {
  return 0.0008 * (double)(k * k);
}

static int find_sums(const double sign[], size_t guard, void *params) {
  bed *const b = params;
  b->active = b->sum = 0.0;
  for (size_t k = 0; k < SPRINGS; k++) {
    b->active += 0.5 + 0.5 * sign[k];
    b->sum += (0.5 + 0.5 * sign[k]) * height(k);
  }
  return 0;
}

static int summing_field(double t, const double x[], const double sign[], double dxdt[],
                         void *params) {
  const bed *const b = params;
  dxdt[0] = x[1];
  dxdt[1] = 20.0 * (b->sum - b->active * x[0]) - 2.0;
  return 0;
}

static int scanning_field(double t, const double x[], const double sign[], double dxdt[],
                          void *params) {
  bed b;
  find_sums(sign, SPRINGS, &b);
  return summing_field(t, x, sign, dxdt, &b);
}

static int bed_event_functions(double t, const double x[], double h[], void *params) {
  for (size_t k = 0; k < SPRINGS; k++) h[k] = height(k) - x[0];
  return 0;
}

static int bed_jacobian(double t, const double x[], double Dh[], void *params) {
  for (size_t k = 0; k < 2 * SPRINGS; k++) Dh[k] = k % 2 ? 0.0 : -1.0;
  return 0;
}

static ess_system bed_system(bed *own) {
  return (ess_system){.dimension = 2,
                      .event_count = SPRINGS,
                      .field = own ? summing_field : scanning_field,
                      .event_functions = bed_event_functions,
                      .event_jacobian = bed_jacobian,
                      .mode_changed = own ? find_sums : NULL,
                      .affine_in_signs = true,
                      .params = own};
}

typedef struct crossings {
  size_t count, guard[EVENTS];
  double time[EVENTS];
} crossings;

static int note(const ess_crossing_info *info, void *context) {
  crossings *const c = context;
  if (c->count < EVENTS) {
    c->guard[c->count] = info->event;
    c->time[c->count] = info->t;
  }
  c->count++;
  return 0;
}

/* one driver's run, and all that is to be seen of it */
typedef struct trajectory {
  const ess_system *system;
  bool projects;
  ess_driver *driver;
  double start, t, x[2], sign[SPRINGS], samples[PIECES * GRID * 2];
  int status;
  ess_counters counters;
  crossings log;
} trajectory;

static void begin(trajectory *r, const ess_system *system, bool projects, double start) {
  ess_options options = projects ? ess_options_paper() : ess_options_default();
  if (!projects) options.rtol = options.atol = 1e-2; // steps through crossings
  *r = (trajectory){.system = system, .projects = projects, .start = start, .x = {start, 0.0}};
  options.observer = (ess_observer){.crossing = note, .context = &r->log};
  r->driver = ess_driver_alloc(system, &options, &r->status);
}

static void go_on(trajectory *r, int piece) {
  double times[GRID];
  for (int i = 0; i < GRID; i++) times[i] = piece + (double)i / GRID;
  if (r->status) return;
  r->status = ess_driver_sample(r->driver, &r->t, piece + 1.0, r->x, times, GRID,
                                r->samples + (size_t)piece * GRID * 2);
}

static void end(trajectory *r) {
  if (r->driver) {
    r->counters = *ess_driver_counters(r->driver);
    memcpy(r->sign, ess_driver_sign(r->driver), sizeof r->sign);
  }
  ess_driver_free(r->driver);
  r->driver = NULL;
}

/* what a thread does: its drivers take turns, piece by piece */
typedef struct job {
  pthread_barrier_t *together; /* NULL: alone */
  const ess_system *shared;
  bed own[DRIVERS];
  ess_system system[DRIVERS]; /* on `own` */
  trajectory run[2 * DRIVERS];
} job;

static void *work(void *argument) {
  job *const j = argument;
  if (j->together) pthread_barrier_wait(j->together);
  for (int i = 0; i < DRIVERS; i++) {
    begin(&j->run[2 * i], j->shared, i % 2, 0.6 + 0.1 * i);
    begin(&j->run[2 * i + 1], &j->system[i], i % 2, 0.65 + 0.1 * i);
  }
  for (int piece = 0; piece < PIECES; piece++)
    for (int i = 0; i < 2 * DRIVERS; i++) go_on(&j->run[i], piece);
  for (int i = 0; i < 2 * DRIVERS; i++) end(&j->run[i]);
  return NULL;
}

static void prepare(job *j, const ess_system *shared, pthread_barrier_t *together) {
  memset(j, 0, sizeof *j);
  j->shared = shared;
  j->together = together;
  for (int i = 0; i < DRIVERS; i++) j->system[i] = bed_system(&j->own[i]);
}

static void assert_same(const trajectory *a, const trajectory *b) {
  assert_int_equal(a->status, ESS_SUCCESS);
  assert_int_equal(b->status, ESS_SUCCESS);
  assert_true(a->log.count > 2 * SPRINGS); // it bounced
  assert_true((a->counters.through > 0) == !a->projects);
  assert_memory_equal(&a->t, &b->t, sizeof a->t);
  assert_memory_equal(a->x, b->x, sizeof a->x);
  assert_memory_equal(a->sign, b->sign, sizeof a->sign);
  assert_memory_equal(a->samples, b->samples, sizeof a->samples);
  assert_memory_equal(&a->counters, &b->counters, sizeof a->counters);
  assert_memory_equal(&a->log, &b->log, sizeof a->log);
}

TEST(threads_change_no_bit) {
  static job alone, jobs[THREADS];
  const ess_system shared = bed_system(NULL);
  pthread_barrier_t together;
  pthread_t thread[THREADS];
  prepare(&alone, &shared, NULL);
  work(&alone);

  assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
  for (int i = 0; i < THREADS; i++) prepare(&jobs[i], &shared, &together);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
  pthread_barrier_destroy(&together);
  for (int i = 0; i < THREADS; i++)
    for (int k = 0; k < 2 * DRIVERS; k++) assert_same(&alone.run[k], &jobs[i].run[k]);
}
