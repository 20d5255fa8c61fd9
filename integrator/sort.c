/*
 * Sorts crossings by time where they stand: insertion while they are nearly in order, as they most
 * often are, and a heap when that turns out to take too long.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdint.h>

#include "events.h"

/* Insertion sort gives way to heapsort after MOVES_EACH moves per crossing, so that both together
 * take at most 2 n log2 n comparisons; up to INSERT_ANYHOW crossings it does not. */
enum { MOVES_EACH = 2, INSERT_ANYHOW = 16 };

#ifndef ESS_SORT_COMPARING
#define ESS_SORT_COMPARING ((void)0) // a test counts here
#endif

/* one crossing in hand */
typedef struct entry {
  double time;
  size_t guard;
} entry;

static inline entry get(const double time[], const size_t guard[], size_t i) {
  return (entry){time[i], guard[i]};
}

static inline void put(double time[], size_t guard[], size_t i, entry e) {
  time[i] = e.time;
  guard[i] = e.guard;
}

static inline bool precedes(entry a, entry b) {
  ESS_SORT_COMPARING;
  return a.time < b.time || (a.time == b.time && a.guard < b.guard);
}

/* puts an entry into the heap below a hole at its top: the hole sinks to the bottom along the later
 * children, and the entry, which came from the bottom, rises from there */
static void sink(double time[], size_t guard[], size_t top, size_t count, entry e) {
  size_t hole = top;
  for (size_t child; (child = 2 * hole + 1) < count; hole = child) {
    const bool right_later =
        child + 1 < count && precedes(get(time, guard, child), get(time, guard, child + 1));
    child += right_later;
    put(time, guard, hole, get(time, guard, child));
  }
  while (hole > top && precedes(get(time, guard, (hole - 1) / 2), e)) {
    put(time, guard, hole, get(time, guard, (hole - 1) / 2));
    hole = (hole - 1) / 2;
  }
  put(time, guard, hole, e);
}

void ess_sort_by_time(double time[], size_t guard[], size_t count) {
  if (count < 2) return;
  // guards side by side are often reached one after the other, from either end
  const bool descends = precedes(get(time, guard, count - 1), get(time, guard, 0));
  for (size_t i = 0, j = count - 1; descends && i < j; i++, j--) {
    const entry held = get(time, guard, i);
    put(time, guard, i, get(time, guard, j));
    put(time, guard, j, held);
  }
  size_t moves = count <= INSERT_ANYHOW ? SIZE_MAX : MOVES_EACH * count;
  for (size_t end = 1; moves && end < count; end++) {
    const entry e = get(time, guard, end);
    size_t i = end;
    for (; moves && i && precedes(e, get(time, guard, i - 1)); i--, moves--)
      put(time, guard, i, get(time, guard, i - 1));
    put(time, guard, i, e);
  }
  if (moves) return;
  for (size_t i = count / 2; i > 0; i--) sink(time, guard, i - 1, count, get(time, guard, i - 1));
  for (size_t end = count - 1; end > 0; end--) {
    const entry last = get(time, guard, end);
    put(time, guard, end, get(time, guard, 0));
    sink(time, guard, 0, end, last);
  }
}
