/*
 * Programs of awkward cases: each case is a CTest of its own, named awkward_<case>, that runs the
 * program with the case's name. Without an argument a program runs them all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef AWKWARD_H
#define AWKWARD_H

#include "toy.h"

static inline int awkward_main(int argc, char *argv[], const struct CMUnitTest cases[],
                               size_t count) {
  bool known = argc < 2;
  for (size_t i = 0; i < count && !known; i++) known = !strcmp(cases[i].name, argv[1]);
  if (!known) {
    fprintf(stderr, "no case is called %s\n", argv[1]);
    return 2;
  }
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return _cmocka_run_group_tests("awkward", cases, count, NULL, NULL);
}

#endif
