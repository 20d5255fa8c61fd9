/*
 * A test stands where it is written: TEST(name) { ... }. Its program, whose main function is
 * test_main, runs those of the file in their order, or the one that its argument names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* before main; by its line, as constructors run in no order that C knows */
void test_declare(const char *name, CMUnitTestFunction run, int line);

int test_main(int argc, char *argv[]);

#define TEST(name)                                                                                 \
  static void name(void **state);                                                                  \
  __attribute__((constructor)) static void declare_##name(void) {                                  \
    test_declare(#name, name, __LINE__);                                                           \
  }                                                                                                \
  static void name(void **state)

/* one of many that are a call, of the same with other arguments */
#define TEST_OF(name, ...)                                                                         \
  TEST(name) {                                                                                     \
    __VA_ARGS__;                                                                                   \
  }                                                                                                \
  _Static_assert(1, "")

#endif
