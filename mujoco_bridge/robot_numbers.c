/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* strsep */

#include "robot_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

double *robot_numbers_parse(const char *text, size_t *count) {
  char *const copy = strdup(text), *rest = copy;
  size_t room = 1;
  for (const char *c = text; *c; ++c) room += *c == ',';
  double *const numbers = calloc(room, sizeof *numbers);
  int status = copy && numbers ? 0 : -1;
  *count = 0;
  for (char *word; status == 0 && (word = strsep(&rest, ","));) {
    status = measure_number_parse(word, &numbers[*count]);
    if (status == 0 && !isfinite(numbers[*count])) status = -1;
    ++*count;
  }
  free(copy);
  if (status == 0) return numbers;
  free(numbers);
  return NULL;
}
