/*
 * Bodies on stiff floors by the default method, at its defaults and at a loose tolerance, and by
 * the paper's method at its own defaults: `population_floors`. Exit 1 when a requirement is not met
 * by the default method.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "stiff_floors.h"

typedef struct setting {
  const char *name;
  ess_options options;
  double energy_max;
  size_t broken;
} setting;

static void print(const floor_outcome *o, setting *s) {
  const bool good =
      !o->status && o->energy_error <= s->energy_max && o->rest_error <= s->energy_max;
  s->broken += !good;
  printf(" | %8.1e ", o->energy_error);
  if (o->rests)
    printf("%8.1e", o->rest_error);
  else
    printf("%8s", "");
  printf(" %6llu %c", (unsigned long long)o->counters.field_evaluations,
         o->status ? 'E' : (good ? ' ' : '!'));
}

int main(void) {
  setting settings[] = {
      {.name = "defaults", .options = ess_options_default(), .energy_max = 1e-4},
      {.name = "rtol = atol = 1e-4", .options = ess_options_default(), .energy_max = 5e-2},
      {.name = "paper's method", .options = ess_options_paper(), .energy_max = 1e-4}};
  enum { SETTINGS = sizeof settings / sizeof *settings };
  settings[1].options.rtol = settings[1].options.atol = 1e-4;
  puts("energy error at landings, energy above that of rest where it should rest (parts of the\n"
       "start's), calls of the field: by the default method at its defaults and at rtol = atol =\n"
       "1e-4, by the paper's at its defaults. !: above 1e-4 (1e-4: 5e-2); E: a status");
  for (size_t i = 0; i < FLOOR_CASES; i++) {
    const floor_case c = floor_population(i);
    printf("k %5.0e c %6.4g drop %4.2f %s", c.stiffness, c.damping, c.drop,
           c.law == FLOOR_PULLS ? "pulls  " : "lets go");
    for (size_t j = 0; j < SETTINGS; j++) {
      const floor_outcome o = floor_run(&c, &settings[j].options);
      print(&o, &settings[j]);
    }
    putchar('\n');
  }
  for (size_t j = 0; j < SETTINGS; j++)
    printf("%s: %zu of %d not met\n", settings[j].name, settings[j].broken, FLOOR_CASES);
  return settings[0].broken || settings[1].broken;
}
