/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tally.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_empty(const int64_t *place, size_t numbers) {
  size_t i = 0;
  while (i < numbers && place[i] == 0) i++;
  return i == numbers;
}

char *tally_text(const int64_t *tally, size_t places, size_t numbers) {
  char *text = NULL;
  size_t length;
  FILE *const stream = open_memstream(&text, &length);
  if (!stream) return NULL;
  const char *joint = "";
  for (size_t i = 0; i < places; i++) {
    const int64_t *const place = tally + i * numbers;
    if (is_empty(place, numbers)) continue;
    fprintf(stream, "%s%zu", joint, i);
    for (size_t k = 0; k < numbers; k++) fprintf(stream, ":%" PRId64, place[k]);
    joint = " ";
  }
  if (!fclose(stream)) return text;
  free(text);
  return NULL;
}

int tally_add(int64_t *tally, size_t places, size_t numbers, const char *text) {
  while (*text) {
    char *end;
    const unsigned long long place = strtoull(text, &end, 10);
    if (end == text || place >= places) return -1;
    for (size_t k = 0; k < numbers; k++) {
      if (*end != ':') return -1;
      text = end + 1;
      tally[place * numbers + k] += strtoll(text, &end, 10);
      if (end == text) return -1;
    }
    if (*end && *end != ' ') return -1;
    text = *end ? end + 1 : end;
  }
  return 0;
}
