/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock every time is taken with, and the core it is taken on. */
#ifndef MEASURE_CLOCK_H
#define MEASURE_CLOCK_H

#include <stdint.h>

#include "measure.h"

/* Name of the clock, for records. */
#define MEASURE_CLOCK_NAME "CLOCK_MONOTONIC_RAW"

/* Nanoseconds of CLOCK_MONOTONIC_RAW: never steps, not slewed by time synchronisation. */
uint64_t measure_clock_ns(void);

/*
 * Measured resolution in ns: the median, over about a thousand trials, of the smallest difference
 * two successive readings show. Holds both the granularity and the cost of a reading, so it is an
 * honest unit for "well above clock resolution". At least 1; takes well below a millisecond.
 */
double measure_clock_resolution_ns(void);

/*
 * Pins the calling thread to one core: `wanted`, or when that is negative the one it runs on now
 * (the scheduler's own choice, so a fast core on machines that have slow ones too). Returns the
 * core, or -1 with one line in `warning`: times are then taken unpinned, which is no error.
 */
int measure_pin_core(int wanted, char warning[MEASURE_MESSAGE_SIZE]);

/* Nanoseconds that the calling thread has had a core. Asking takes a system call. */
uint64_t measure_thread_ns(void);

/* Time and preemptions of the calling thread so far. */
typedef struct measure_watch {
  uint64_t start_ns, own_ns;
  long preemptions;
} measure_watch;

measure_watch measure_watch_begin(void);

/* The share of the time since in which the thread had its core: 1 when the scheduler has not taken
 * it off against its will. The rest is another task's time. */
double measure_watch_share(const measure_watch *watch);

/* Does `work`, and again up to `retakes` times where the thread lost its core meanwhile: another
 * task's time is none of the work's, and long work would be charged with it more often than short
 * one. *share is that of the last time, 1 where it kept its core, *retaken how often it was done
 * again. Returns what `work` does; what is not 0 ends it. */
int measure_undisturbed(int (*work)(void *context), void *context, uint64_t retakes,
                        uint64_t *retaken, double *share);

#endif
