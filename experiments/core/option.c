/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "names.h"
#include "option.h"

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
  if (!read_number(&cursor, &first)) return refuse(part, "not a number in range", message);
  last = first;
  if (read_dots(&cursor)) {
    if (!read_number(&cursor, &last)) return refuse(part, "not an upper end", message);
    if (last < first) return refuse(part, "the range runs backwards", message);
    if (read_dots(&cursor) && !read_number(&cursor, &step))
      return refuse(part, "not a step", message);
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

/* ---- options --------------------------------------------------------------------------------- */

enum { LINE_SIZE = 160 };

int option_number(const char *name, const char *text, double min, double max, const char *accepts,
                  double *out, char message[MEASURE_MESSAGE_SIZE]) {
  char range[LINE_SIZE];
  if (!measure_number_parse(text, out) && *out >= min && *out <= max) return 0;
  snprintf(range, sizeof range, "a number from %.10g to %.10g", min, max);
  if (!accepts) accepts = range;
  return measure_fail(message, "--%s %.60s is not accepted; it is %s", name, text, accepts);
}

int option_whole(const char *name, const char *text, unsigned long min, unsigned long max,
                 unsigned long *out, char message[MEASURE_MESSAGE_SIZE]) {
  char *end;
  errno = 0;
  *out = strtoul(text, &end, 10);
  if (*text >= '0' && *text <= '9' && !*end && !errno && *out >= min && *out <= max) return 0;
  return measure_fail(message, "--%s %.60s is not accepted; it is a whole number from %lu to %lu",
                      name, text, min, max);
}

/* numbers in the option's range, each smaller than the one before */
static int set_numbers(const study_option *o, const char *text, option_numbers *out,
                       char message[MEASURE_MESSAGE_SIZE]) {
  char *const copy = strdup(text), accepts[LINE_SIZE], range[LINE_SIZE / 2];
  int status = copy ? 0 : -1;
  out->count = 0;
  measure_message(message, "out of memory");
  if (o->max > 1e300)
    snprintf(range, sizeof range, "%s", o->min > 0.0 ? "> 0" : ">= 0");
  else
    snprintf(range, sizeof range, "from %g to %g", o->min, o->max);
  snprintf(accepts, sizeof accepts,
           "numbers %s with commas between, each smaller than the one before", range);
  for (char *word, *rest = copy; !status && (word = strsep(&rest, ","));) {
    const double below = out->count ? nextafter(out->value[out->count - 1], -1.0) : o->max;
    if (out->count == OPTION_NUMBERS_MAX) {
      measure_message(message, "--%s accepts at most %d numbers", o->name, OPTION_NUMBERS_MAX);
      status = -1;
    } else {
      status =
          option_number(o->name, word, o->min, below, accepts, &out->value[out->count], message);
      out->count++;
    }
  }
  free(copy);
  return status;
}

const char *option_name_at(const study_option *o, size_t index) {
  const size_t apart = o->names_apart ? o->names_apart : sizeof *o->names;
  return *(const char *const *)((const char *)o->names + index * apart);
}

/* the place of a name so long among those there are; where there is none, of their end */
static size_t place_of(const study_option *o, const char *name, size_t length) {
  for (size_t i = 0;; i++) {
    const char *const at = option_name_at(o, i);
    if (!at || (strlen(at) == length && strncmp(at, name, length) == 0)) return i;
  }
}

static void refuse_name(const study_option *o, const char *name, size_t length,
                        char message[MEASURE_MESSAGE_SIZE]) {
  names known = names_for(name, length);
  for (size_t i = 0; option_name_at(o, i); i++) names_add(&known, option_name_at(o, i));
  measure_message(message, "--%s %.*s is not accepted; %sthere are %s", o->name,
                  (int)(length < 60 ? length : 60), name, names_hint(&known, ""), known.list);
}

static int set_names(const study_option *o, const char *text, option_names *out,
                     char message[MEASURE_MESSAGE_SIZE]) {
  *out = (option_names){.text = text};
  for (const char *name = text, *end;; name = end + 1) {
    const size_t length = strcspn(name, ","), index = place_of(o, name, length);
    end = name + length;
    if (!option_name_at(o, index)) {
      refuse_name(o, name, length, message);
      return -1;
    }
    for (size_t i = 0; i < out->count; i++) {
      if (out->index[i] != index) continue;
      return measure_fail(message, "--%s names %s twice", o->name, option_name_at(o, index));
    }
    if (out->count == OPTION_NAMES_MAX)
      return measure_fail(message, "--%s accepts at most %d names", o->name, OPTION_NAMES_MAX);
    out->index[out->count++] = index;
    if (!*end) return 0;
  }
}

static int set_contacts(const study_option *o, const char *text, contacts_range *range,
                        char *message) {
  char why[MEASURE_MESSAGE_SIZE];
  contacts_range_free(range);
  if (!contacts_range_parse(text, range, why)) return 0;
  return measure_fail(message, "--%s %s", o->name, why);
}

int option_set(const study_option *o, const char *text, void *settings,
               char message[MEASURE_MESSAGE_SIZE]) {
  void *const at = (char *)settings + o->offset;
  unsigned long whole;
  switch (o->kind) {
  case OPTION_FLAG:
    *(bool *)at = true;
    return 0;
  case OPTION_WHOLE:
    if (option_whole(o->name, text, (unsigned long)o->min, (unsigned long)o->max, &whole, message))
      return -1;
    *(size_t *)at = whole;
    return 0;
  case OPTION_NUMBER:
    return option_number(o->name, text, o->min, o->max, NULL, at, message);
  case OPTION_NUMBERS:
    return set_numbers(o, text, at, message);
  case OPTION_CONTACTS:
    return set_contacts(o, text, at, message);
  case OPTION_NAMES:
    return set_names(o, text, at, message);
  case OPTION_TEXT:
    *(const char **)at = text;
    return 0;
  }
  return -1;
}

int option_defaults(const study_option options[], void *settings,
                    char message[MEASURE_MESSAGE_SIZE]) {
  for (const study_option *o = options; o && o->name; o++) {
    if (o->may_lack) *(double *)((char *)settings + o->offset) = NAN;
    if (o->initial && option_set(o, o->initial, settings, message)) return -1;
  }
  return 0;
}

void option_free(const study_option options[], void *settings) {
  for (const study_option *o = options; settings && o && o->name; o++)
    if (o->kind == OPTION_CONTACTS)
      contacts_range_free((contacts_range *)((char *)settings + o->offset));
}

json_t *option_json(const study_option *o, const void *settings) {
  const void *const at = (const char *)settings + o->offset;
  const option_numbers *const numbers = at;
  const contacts_range *const range = at;
  switch (o->kind) {
  case OPTION_FLAG:
    return json_boolean(*(const bool *)at);
  case OPTION_WHOLE:
    return json_integer((json_int_t) * (const size_t *)at);
  case OPTION_NUMBER:
    return measure_json_number(*(const double *)at);
  case OPTION_NUMBERS:
    return measure_json_numbers(numbers->value, numbers->count, 1);
  case OPTION_CONTACTS:
    return measure_json_counts(range->contacts, range->count);
  case OPTION_NAMES:
    return json_pack("s?", ((const option_names *)at)->text);
  case OPTION_TEXT:
    break;
  }
  return json_pack("s?", *(const char *const *)at);
}
