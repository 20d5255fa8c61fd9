/*
 * Programs of awkward cases: each case is a CTest of its own, named awkward_<case>, that runs the
 * program with the case's name. Without an argument a program runs them all. Every case is run with
 * either order of projection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef AWKWARD_H
#define AWKWARD_H

#include "toy.h"

/* the order of projection to run a case with, from its cmocka state */
static inline int awkward_order(void **state) {
  return *(const int *)*state;
}

static inline int awkward_main(int argc, char *argv[], struct CMUnitTest cases[], size_t count) {
  bool known = argc < 2;
  for (size_t i = 0; i < count && !known; i++) known = !strcmp(cases[i].name, argv[1]);
  if (!known) {
    fprintf(stderr, "no case is called %s\n", argv[1]);
    return 2;
  }
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  int failed = 0;
  for (int order = 1; order <= 2; order++) {
    for (size_t i = 0; i < count; i++) cases[i].initial_state = &order;
    const char *const group = order == 1 ? "projection of order 1" : "projection of order 2";
    failed += _cmocka_run_group_tests(group, cases, count, NULL, NULL);
  }
  return failed != 0;
}

#endif
