/*
 * Checks the cases of a file (tests/support/cases.h), or those whose title has a text:
 *
 *   check_cases FILE [TEXT]
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cases.h"

int main(int argc, char *argv[]) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: %s FILE [TEXT]\n", argv[0]);
    return 2;
  }
  cases all = cases_read(argv[1]);
  case_result sum = {0};
  size_t chosen = 0;
  for (size_t i = 0; i < all.count; i++) {
    if (argc > 2 && !strstr(all.cases[i].title, argv[2])) continue;
    const case_result result = case_check(argv[1], &all.cases[i]);
    chosen++;
    sum.runs += result.runs;
    sum.failed += result.failed;
  }
  cases_free(&all);
  printf("%zu cases, %zu runs, %zu not as expected\n", chosen, sum.runs, sum.failed);
  return sum.failed || !chosen;
}
