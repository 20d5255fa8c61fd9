/*
 * Awkward cases: each is a CTest of its own, named awkward_<case>, that runs the program with the
 * case's name. Every case is run with either order of projection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef AWKWARD_H
#define AWKWARD_H

#include "toy.h"

#define CASE(name)                                                                                 \
  static void name##_by(int order);                                                                \
  TEST(name) {                                                                                     \
    for (int order = 1; order <= 2; order++) name##_by(order);                                     \
  }                                                                                                \
  static void name##_by(int order)

#define CASE_OF(name, ...)                                                                         \
  CASE(name) {                                                                                     \
    __VA_ARGS__;                                                                                   \
  }                                                                                                \
  _Static_assert(1, "")

#endif
