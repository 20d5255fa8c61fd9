/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "contacts_range.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *part, const char *why, char message[MEASURE_MESSAGE_SIZE]) {
  return measure_fail(message,
                      "%.40s is not accepted (%s); it is a list such as 2..100, 2..100..7 or "
                      "2,5,10, of whole numbers from 1 to %d",
                      *part ? part : "an empty value", why, CONTACTS_RANGE_MAX);
}

/* reads one whole number in range and moves the cursor past it */
static bool read_number(const char **cursor, size_t *number) {
  if (**cursor < '0' || **cursor > '9') return false;
  char *end;
  errno = 0;
  const unsigned long value = strtoul(*cursor, &end, 10);
  if (errno || value < 1 || value > CONTACTS_RANGE_MAX) return false;
  *cursor = end;
  *number = value;
  return true;
}

/* skips ".." */
static bool read_dots(const char **cursor) {
  if (strncmp(*cursor, "..", 2) != 0) return false;
  *cursor += 2;
  return true;
}

/* marks the numbers of one part: N, A..B or A..B..STEP */
static int mark_part(const char *part, bool wanted[], char message[MEASURE_MESSAGE_SIZE]) {
  const char *cursor = part;
  size_t first, last, step = 1;
  if (!read_number(&cursor, &first)) return refuse(part, "no such number", message);
  last = first;
  if (read_dots(&cursor)) {
    if (!read_number(&cursor, &last)) return refuse(part, "no such upper end", message);
    if (last < first) return refuse(part, "the range runs backwards", message);
    if (read_dots(&cursor) && !read_number(&cursor, &step))
      return refuse(part, "no such step", message);
  }
  if (*cursor) return refuse(part, "something follows the number", message);
  for (size_t n = first; n <= last; n += step) wanted[n] = true;
  return 0;
}

/* turns the marks into an ascending list */
static int collect(const bool wanted[], contacts_range *range, char message[MEASURE_MESSAGE_SIZE]) {
  size_t count = 0;
  for (size_t n = 1; n <= CONTACTS_RANGE_MAX; n++) count += wanted[n];
  range->contacts = malloc(count * sizeof *range->contacts);
  if (!range->contacts) return measure_fail(message, "out of memory");
  range->count = 0;
  for (size_t n = 1; n <= CONTACTS_RANGE_MAX; n++)
    if (wanted[n]) range->contacts[range->count++] = n;
  return 0;
}

int contacts_range_parse(const char *text, contacts_range *range,
                         char message[MEASURE_MESSAGE_SIZE]) {
  *range = (contacts_range){0};
  bool *const wanted = calloc(CONTACTS_RANGE_MAX + 1, sizeof *wanted);
  char *const copy = strdup(text);
  int status = -1;
  if (!wanted || !copy) {
    snprintf(message, MEASURE_MESSAGE_SIZE, "out of memory");
  } else {
    // an empty part, as in "2,,5", is refused like any other that is no number
    char *rest = copy, *part;
    status = 0;
    while (!status && (part = strsep(&rest, ","))) status = mark_part(part, wanted, message);
    if (!status) status = collect(wanted, range, message);
  }
  free(copy);
  free(wanted);
  return status;
}

void contacts_range_free(contacts_range *range) {
  free(range->contacts);
  *range = (contacts_range){0};
}
