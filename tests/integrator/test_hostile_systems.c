/*
 * Hostile systems through the default method: a part of population_hostile that is run in seconds,
 * and systems of it that were wrong once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "hostile_systems.h"
#include "test.h"

#ifndef HOSTILE_SYSTEMS
#define HOSTILE_SYSTEMS 1000
#endif

static const uint64_t FIRST = 1000000; /* not among those that anything was mended by */

static hostile_system s;

/* how many runs of a system are wrong, or other with an observer, at one of so many tolerances */
static size_t count_wrong(uint64_t seed, int every) {
  hostile_path truth;
  size_t wrong = 0;
  hostile_draw(&s, seed);
  hostile_truth(&s, 0.0, 1.0, &truth);
  if (truth.status || truth.is_unclear) return 0;
  for (int i = 2 + (int)(seed % (uint64_t)every); i < 10; i += every) {
    const double tolerance = pow(10.0, -i);
    const hostile_outcome o = hostile_run(&s, &truth, tolerance, i % 4 == 0);
    if (o.verdict != HOSTILE_WRONG && o.is_observed_alike) continue;
    print_error("seed %lu at %g: error %g tolerances, crossings %zu of %zu\n", (unsigned long)seed,
                tolerance, o.error, o.crossings, o.true_crossings);
    wrong++;
  }
  return wrong;
}

TEST(success_means_success) {
  size_t wrong = 0;
  for (uint64_t i = 0; i < HOSTILE_SYSTEMS; i++) wrong += count_wrong(FIRST + i, 4);
  assert_int_equal(wrong, 0);
}

/* The drawing is what it was: the kept seeds mean the systems that they were kept for. */
TEST(seeds_draw_what_they_drew) {
  hostile_draw(&s, 12761);
  assert_int_equal(s.rows, HOSTILE_SILENT);
  assert_int_equal(s.shape, HOSTILE_WAVE);
  assert_int_equal(s.m, 17);
  assert_int_equal(s.n, 2);
}

TEST(what_was_wrong_once) {
  static const uint64_t seeds[] = {
      12761,  14639,  16330, // rows that meet, silent guards and guards armed ahead
      8440,                  // thrown back by its own jump, and turned again
      19874,                 // two at once, of which one turns the state back from the other
      11421,  28110,  30307, // crossings timed before curved ones that come before them
      204403, 220935,        // rows that latch others, of crossings that are measured together
      235170,                // a wave that turned between two looks of the truth
      1972,   2836,   11505, // curved ones that two jumps had elsewhere when they were crossed
      16243,  27739,  27957, 33439, 202839, 206363, 209128, 222330, 529355,
      615329, // a curved one that the tangent at the end had crossed before the node
  };
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
    assert_int_equal(count_wrong(seeds[i], 1), 0);
}
