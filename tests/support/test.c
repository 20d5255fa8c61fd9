/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS_MOST = 64 };

static struct CMUnitTest tests[TESTS_MOST];
static int lines[TESTS_MOST];
static size_t count;

void test_declare(const char *name, CMUnitTestFunction run, int line) {
  if (count == TESTS_MOST) abort();
  size_t at = count++;
  for (; at > 0 && lines[at - 1] > line; at--) {
    tests[at] = tests[at - 1];
    lines[at] = lines[at - 1];
  }
  tests[at] = (struct CMUnitTest){.name = name, .test_func = run};
  lines[at] = line;
}

int test_main(int argc, char *argv[]) {
  bool known = argc < 2;
  for (size_t i = 0; i < count; i++) known = known || !strcmp(tests[i].name, argv[1]);
  if (!known || argc > 2 || count == 0) {
    fprintf(stderr, "usage: %s [TEST], of:", argv[0]);
    for (size_t i = 0; i < count; i++) fprintf(stderr, " %s", tests[i].name);
    fprintf(stderr, "\n");
    return 2;
  }
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return _cmocka_run_group_tests(argv[0], tests, count, NULL, NULL);
}
