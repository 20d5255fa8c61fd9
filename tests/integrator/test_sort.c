/*
 * Crossings sorted by time: their order, ties by guard, and what it costs, in comparisons.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t comparisons;
#define ESS_SORT_COMPARING comparisons++
#include "../../integrator/sort.c"

enum { MOST = 10000 };

static double time_of[MOST];
static size_t guard_of[MOST];
static bool seen[MOST];

static uint64_t next_random(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

/* guards 0 to count - 1 in random order, at one of so many times */
static void shuffle(size_t count, size_t times, uint64_t *seed) {
  for (size_t i = 0; i < count; i++) {
    const size_t j = (size_t)(next_random(seed) % (i + 1));
    guard_of[i] = guard_of[j];
    guard_of[j] = i;
  }
  for (size_t i = 0; i < count; i++) time_of[i] = 0.1 * (double)(next_random(seed) % times);
}

/* sorts the first `count` and checks them: in order, each once and still with its time */
static size_t sorted_at_cost(size_t count) {
  static double time_before[MOST];
  for (size_t i = 0; i < count; i++) time_before[guard_of[i]] = time_of[i];
  memset(seen, 0, sizeof seen);
  comparisons = 0;
  ess_sort_by_time(time_of, guard_of, count);
  for (size_t i = 0; i < count; i++) {
    assert_false(seen[guard_of[i]]);
    seen[guard_of[i]] = true;
    assert_true(time_of[i] == time_before[guard_of[i]]);
    if (!i) continue;
    assert_true(time_of[i - 1] < time_of[i] ||
                (time_of[i - 1] == time_of[i] && guard_of[i - 1] < guard_of[i]));
  }
  return comparisons;
}

static double allowed(size_t count) {
  return count < 2 ? 0.0 : 2.0 * (double)count * log2((double)count);
}

TEST(random_orders_with_and_without_ties) {
  uint64_t seed = 11;
  const size_t times[] = {1, 2, 7, 100, 1u << 30};
  for (size_t count = 0; count < 200; count++)
    for (size_t i = 0; i < 20; i++) {
      shuffle(count, times[i % 5], &seed);
      assert_true((double)sorted_at_cost(count) <= allowed(count));
    }
  for (size_t i = 0; i < 5; i++) {
    shuffle(MOST, times[i], &seed);
    assert_true((double)sorted_at_cost(MOST) <= allowed(MOST));
  }
}

TEST(every_order_of_seven) {
  for (size_t order = 0; order < 5040; order++) {
    size_t rest = order;
    for (size_t i = 0; i < 7; i++) {
      const size_t j = rest % (i + 1);
      rest /= i + 1;
      guard_of[i] = guard_of[j];
      guard_of[j] = i;
    }
    for (size_t i = 0; i < 7; i++) time_of[i] = (double)(guard_of[i] / 2);
    assert_true((double)sorted_at_cost(7) <= allowed(7));
  }
}

/* orders that insertion makes the most of, or the least: it is given up as late as can be */
TEST(orders_made_to_be_dear) {
  for (size_t count = 17; count <= MOST; count = count * 3 / 2)
    for (size_t at = 0; at <= 10; at++) {
      // in order, then the rest from the last to the first, all of it ahead of what came before
      const size_t ordered = at * count / 10;
      for (size_t i = 0; i < count; i++) {
        guard_of[i] = i;
        time_of[i] = i < ordered ? (double)i + 2.0 : 1.0 - (double)i;
      }
      assert_true((double)sorted_at_cost(count) <= allowed(count));
      // and two that alternate
      for (size_t i = 0; i < count; i++) {
        guard_of[i] = i;
        time_of[i] = i % 2 ? (double)i : (double)(at * i) / 10.0 - (double)count;
      }
      assert_true((double)sorted_at_cost(count) <= allowed(count));
    }
}

TEST(order_reverse_and_nearly_so_take_linear_time) {
  uint64_t seed = 5;
  for (int reversed = 0; reversed <= 1; reversed++)
    for (int nearly = 0; nearly <= 1; nearly++) {
      for (size_t i = 0; i < MOST; i++) {
        guard_of[i] = i;
        time_of[i] = reversed ? -(double)i : (double)i;
        if (nearly) time_of[i] += 1e-8 * (double)(next_random(&seed) % 300000000);
      }
      assert_true(sorted_at_cost(MOST) <= (nearly ? 4u : 1u) * MOST);
    }
}
