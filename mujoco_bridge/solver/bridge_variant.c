/*
 * MuJoCo with settings of its own, by their names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE /* strsep */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "measure.h"

/* what MuJoCo does when the scene asks for nothing; a user's box would be a cube */
static mjcf_options own_defaults(void) {
  mjcf_options o = mjcf_options_default();
  o.jacobian = "auto";
  o.warmstart = true;
  o.pairs = MJCF_PAIRS_OFF;
  o.lean = o.tall = false;
  return o;
}

/* members of mjcf_options by name; what is none of them is a flag of MuJoCo's */
typedef enum field_kind { TEXT, WHETHER, PAIRS, WHOLE, NUMBER } field_kind;

static const struct {
  const char *name;
  size_t offset;
  field_kind kind;
} fields[] = {
    {"integrator", offsetof(mjcf_options, integrator), TEXT},
    {"solver", offsetof(mjcf_options, solver), TEXT},
    {"jacobian", offsetof(mjcf_options, jacobian), TEXT},
    {"cone", offsetof(mjcf_options, cone), TEXT},
    {"iterations", offsetof(mjcf_options, iterations), WHOLE},
    {"tolerance", offsetof(mjcf_options, tolerance), NUMBER},
    {"warmstart", offsetof(mjcf_options, warmstart), WHETHER},
    {"pairs", offsetof(mjcf_options, pairs), PAIRS},
    {"lean", offsetof(mjcf_options, lean), WHETHER},
    {"tall", offsetof(mjcf_options, tall), WHETHER},
    {"callback", offsetof(mjcf_options, by_callback), WHETHER},
    {"time_constant", offsetof(mjcf_options, time_constant), NUMBER},
};

enum { FIELDS = sizeof fields / sizeof *fields };

/* a setting of the solver, not of the scene */
static const char step_name[] = "timestep";

/* FIELDS when `name` is no member */
static size_t find_field(const char *name) {
  size_t i = 0;
  while (i < FIELDS && strcmp(fields[i].name, name) != 0) i++;
  return i;
}

/* the options keep `value` if it is a text */
static void set_field(mjcf_options *o, size_t i, const char *value) {
  char *const member = (char *)o + fields[i].offset;
  double number = 0.0;
  measure_number_parse(value, &number);
  switch (fields[i].kind) {
  case TEXT:
    memcpy(member, &value, sizeof value);
    break;
  case WHETHER:
    memcpy(member, &(bool){strcmp(value, "on") == 0}, sizeof(bool));
    break;
  case PAIRS:
    o->pairs = strcmp(value, "on") == 0 ? MJCF_PAIRS_ON : MJCF_PAIRS_OFF;
    break;
  case WHOLE:
    memcpy(member, &(int){(int)number}, sizeof(int));
    break;
  case NUMBER:
    memcpy(member, &number, sizeof number);
    break;
  }
}

static bool is_of_line_search(const char *name) {
  return strncmp(name, "ls_", 3) == 0;
}

/* what is set on the compiled scene: the line search, or a flag */
static int set_on_scene(void *instance, const char *name, const char *value,
                        char message[SOLVER_MESSAGE_SIZE]) {
  double number = 0.0;
  measure_number_parse(value, &number);
  return is_of_line_search(name)
             ? bridge_instance_line_search(instance, name, number, message)
             : bridge_instance_flag(instance, name, strcmp(value, "on") == 0, message);
}

/* the next "name=value" of *rest, cut in two; NULL at the end */
static char *next_change(char **rest, char **value) {
  char *const name = strsep(rest, " ");
  *value = name ? strchr(name, '=') : NULL;
  if (!*value) return NULL;
  *(*value)++ = '\0';
  return name;
}

int bridge_variant_prepare(bool own, const char *changes, const model *m,
                           const solver_settings *settings, const solver_output *output,
                           void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  char members[128], flags[128], *rest = members, *value;
  mjcf_options options = own ? own_defaults() : mjcf_options_default();
  solver_settings plain = *settings;
  plain.variant = NULL; // the changes say the integrator
  snprintf(members, sizeof members, "%s", changes);
  snprintf(flags, sizeof flags, "%s", changes);
  for (char *name; (name = next_change(&rest, &value));) {
    if (find_field(name) < FIELDS) set_field(&options, find_field(name), value);
    if (strcmp(name, step_name) == 0) measure_number_parse(value, &plain.time_step);
  }

  // MuJoCo's flags come last: `lean` sets many of them
  int status = bridge_prepare(m, &plain, output, &options, NULL, instance, message);
  rest = flags;
  for (char *name; !status && (name = next_change(&rest, &value));)
    if (find_field(name) == FIELDS && strcmp(name, step_name) != 0)
      status = set_on_scene(*instance, name, value, message);
  if (status && *instance) {
    bridge_solver.release(*instance);
    *instance = NULL;
  }
  return status;
}
