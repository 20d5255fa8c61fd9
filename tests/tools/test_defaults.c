/*
 * ess_options(3) lists the default of every member, which is that of ess_options_default().
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ess.h"

enum { LINE_SIZE = 256 };

/* a number as the page has it */
static double value_of(const char *text) {
  if (strcmp(text, "INFINITY") == 0) return INFINITY;
  if (strcmp(text, "ESS_BASE_DOPRI5") == 0) return ESS_BASE_DOPRI5;
  if (strcmp(text, "ESS_LOCATE_ALL") == 0) return ESS_LOCATE_ALL;
  if (strcmp(text, "ESS_SLIDING_STOP") == 0) return ESS_SLIDING_STOP;
  if (strcmp(text, "NULL") == 0 || strcmp(text, "false") == 0) return 0.0;
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end) fail_msg("no number: %s", text);
  return value;
}

/* 0 where nobody observes */
static double observers(const ess_observer *o) {
  static const ess_observer nobody;
  return memcmp(o, &nobody, sizeof nobody) == 0 ? 0.0 : NAN;
}

/* the default of a member; fails for one that is not known here */
static double default_of(const char *name) {
  const ess_options o = ess_options_default();
  const struct {
    const char *name;
    double value;
  } members[] = {{"rtol", o.rtol},
                 {"atol", o.atol},
                 {"tolerances", o.tolerances != NULL},
                 {"h_max", o.h_max},
                 {"h_init", o.h_init},
                 {"max_steps", (double)o.max_steps},
                 {"max_crossings", (double)o.max_crossings},
                 {"observer", observers(&o.observer)},
                 {"base", o.base},
                 {"locate", o.locate},
                 {"event_cost", o.event_cost},
                 {"tie", o.tie},
                 {"zeno_impacts", (double)o.zeno_impacts},
                 {"sliding", o.sliding},
                 {"slides", o.slides != NULL},
                 {"projection.epsilon", o.projection.epsilon},
                 {"projection.epsilons", o.projection.epsilons != NULL},
                 {"projection.order", o.projection.order},
                 {"projection.duration_max", o.projection.duration_max},
                 {"projection.liveness", o.projection.liveness}};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (strcmp(members[i].name, name) == 0) return members[i].value;
  fail_msg("ess_options has a member %s, which this test does not know", name);
  return NAN;
}

/* a line "NAME<tab>VALUE" for each member in the section DEFAULTS */
static void the_page_has_the_defaults(void **state) {
  (void)state;
  char line[LINE_SIZE], name[LINE_SIZE], value[LINE_SIZE];
  FILE *const page = fopen(MANUAL "/ess_options.3", "r");
  if (!page) fail_msg("no page %s/ess_options.3", MANUAL);
  size_t listed = 0, nested = 0, members = 0;
  int inside = 0;
  while (fgets(line, sizeof line, page)) {
    if (strncmp(line, ".SH ", 4) == 0) inside = strcmp(line, ".SH DEFAULTS\n") == 0;
    // of the structure in the synopsis
    if (strncmp(line, "  ", 2) == 0 && strchr(line, ';')) {
      members++;
      for (const char *c = line; *c; c++) members += *c == ',';
    }
    if (!inside || *line == '.' || sscanf(line, "%255[a-z_.]\t%255s", name, value) != 2) continue;
    listed += !strchr(name, '.');
    nested += strchr(name, '.') != NULL;
    const double expected = default_of(name);
    if (value_of(value) != expected) fail_msg("%s: %s, and it is %.17g", name, value, expected);
  }
  fclose(page);
  assert_int_equal(nested, 5); // of `projection`, which is a member of the structure
  assert_int_equal(listed + 1, members);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_has_the_defaults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
