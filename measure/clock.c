/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "clock.h"

#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { RESOLUTION_TRIALS = 1001 };

static uint64_t read_clock(clockid_t which) {
  struct timespec now;
  clock_gettime(which, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t measure_clock_ns(void) {
  return read_clock(CLOCK_MONOTONIC_RAW);
}

uint64_t measure_thread_ns(void) {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double measure_clock_resolution_ns(void) {
  double step[RESOLUTION_TRIALS];
  for (size_t i = 0; i < RESOLUTION_TRIALS; i++) {
    // a coarse clock repeats itself: read until it moves
    const uint64_t start = measure_clock_ns();
    uint64_t now;
    do now = measure_clock_ns();
    while (now == start);
    step[i] = (double)(now - start);
  }
  return gsl_stats_median(step, 1, RESOLUTION_TRIALS);
}

int measure_pin_core(int wanted, char warning[MEASURE_MESSAGE_SIZE]) {
  const int core = wanted < 0 ? sched_getcpu() : wanted;
  if (core < 0 || core >= CPU_SETSIZE)
    return measure_fail(warning, "not pinned to a core: core %d is not one of 0 to %d", core,
                        CPU_SETSIZE - 1);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)core, &set);
  if (sched_setaffinity(0, sizeof set, &set))
    return measure_fail(warning, "not pinned to a core: core %d: %s", core, strerror(errno));
  return core;
}

/* times the scheduler has taken the calling thread off its core against its will */
static long preemptions(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
}

measure_watch measure_watch_begin(void) {
  const long before = preemptions();
  const uint64_t own = measure_thread_ns();
  return (measure_watch){measure_clock_ns(), own, before};
}

double measure_watch_share(const measure_watch *watch) {
  const double wall = (double)(measure_clock_ns() - watch->start_ns);
  if (preemptions() == watch->preemptions) return 1.0;
  return fmin(1.0, (double)(measure_thread_ns() - watch->own_ns) / wall);
}

int measure_undisturbed(int (*work)(void *context), void *context, uint64_t retakes,
                        uint64_t *retaken, double *share) {
  for (*retaken = 0;; ++*retaken) {
    const measure_watch watch = measure_watch_begin();
    const int status = work(context);
    *share = measure_watch_share(&watch);
    if (status || *share == 1.0 || *retaken == retakes) return status;
  }
}
