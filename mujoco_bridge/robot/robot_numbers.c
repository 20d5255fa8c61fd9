/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* strsep */

#include "robot_numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* without white space in front, which strtod would skip */
static int parse(const char *word, double *number) {
  char *end;
  if (!*word || isspace((unsigned char)*word)) return -1;
  *number = strtod(word, &end);
  return *end || !isfinite(*number) ? -1 : 0;
}

double *robot_numbers_parse(const char *text, size_t *count) {
  char *const copy = strdup(text), *rest = copy;
  size_t room = 1;
  for (const char *c = text; *c; ++c) room += *c == ',';
  double *const numbers = calloc(room, sizeof *numbers);
  int status = copy && numbers ? 0 : -1;
  *count = 0;
  for (char *word; status == 0 && (word = strsep(&rest, ","));) {
    status = parse(word, &numbers[*count]);
    ++*count;
  }
  free(copy);
  if (status == 0) return numbers;
  free(numbers);
  return NULL;
}
