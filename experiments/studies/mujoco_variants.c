/*
 * The settings of MuJoCo's that are tried, and how they are made.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mujoco_settings.h"
#include "solvers.h"

/* what each step from MuJoCo's own defaults to the race's buys, then every single change of the
 * race's, then those that may go together */
const mujoco_variant mujoco_variants[] = {
    {true, ""},
    {false, ""},
    {true, "jacobian=dense"},
    {true, "warmstart=off"},
    {true, "tall=on"},
    {true, "pairs=on"},
    {true, "lean=on"},

    {false, "pairs=off"},
    {false, "pairs=off Midphase=on"},
    {false, "jacobian=sparse"},
    {false, "jacobian=auto"},
    {false, "cone=elliptic"},
    {false, "solver=CG"},
    {false, "solver=CG jacobian=sparse"},
    {false, "solver=PGS"},
    {false, "tolerance=0 iterations=10"},
    {false, "tolerance=1e-10"},
    {false, "tolerance=1e-6"},
    {false, "tolerance=1e-4"},
    {false, "iterations=2"},
    {false, "warmstart=on"},
    {false, "tall=off"},
    {false, "lean=off"},

    {false, "Equality=on"},
    {false, "Frictionloss=on"},
    {false, "Limit=on"},
    {false, "Passive=on"},
    {false, "Spring=on Damper=on"},
    {false, "Clampctrl=on"},
    {false, "Filterparent=on"},
    {false, "Actuation=on"},
    {false, "Refsafe=on"},
    {false, "Sensor=on"},
    {false, "Midphase=on"},
    {false, "Eulerdamp=on"},
    {false, "AutoReset=on"},
    {false, "NativeCCD=on"},
    {false, "MultiCCD=on"},
    {false, "Island=on"},
    {false, "Sleep=off"},
    {false, "Speculative=on"},

    {false, "integrator=implicit"},
    {false, "integrator=implicitfast"},
    {false, "integrator=discrete"},
    {false, "integrator=RK4"},
};

const size_t mujoco_variant_count = sizeof mujoco_variants / sizeof mujoco_variants[0];

const char *mujoco_variant_base(const mujoco_variant *v) {
  return v->own ? "mujoco" : "race";
}

/* what MuJoCo does when the scene asks for nothing; a user's box would be a cube */
static mjcf_options own_defaults(void) {
  mjcf_options o = mjcf_options_default();
  o.jacobian = "auto";
  o.warmstart = true;
  o.pairs = o.lean = o.tall = false;
  return o;
}

/* members of mjcf_options by name; what is none of them is a flag of MuJoCo's */
typedef enum field_kind { TEXT, WHETHER, WHOLE, NUMBER } field_kind;

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
    {"pairs", offsetof(mjcf_options, pairs), WHETHER},
    {"lean", offsetof(mjcf_options, lean), WHETHER},
    {"tall", offsetof(mjcf_options, tall), WHETHER},
};

enum { FIELDS = sizeof fields / sizeof *fields };

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
  case WHOLE:
    memcpy(member, &(int){(int)number}, sizeof(int));
    break;
  case NUMBER:
    memcpy(member, &number, sizeof number);
    break;
  }
}

/* the next "name=value" of *rest, cut in two; NULL at the end */
static char *next_change(char **rest, char **value) {
  char *const name = strsep(rest, " ");
  *value = name ? strchr(name, '=') : NULL;
  if (!*value) return NULL;
  *(*value)++ = '\0';
  return name;
}

int mujoco_variant_prepare(const mujoco_variant *v, const model *m, const solver_output *output,
                           void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  char members[128], flags[128], *rest = members, *value;
  mjcf_options options = v->own ? own_defaults() : mjcf_options_default();
  snprintf(members, sizeof members, "%s", v->changes);
  snprintf(flags, sizeof flags, "%s", v->changes);
  for (char *name; (name = next_change(&rest, &value));)
    if (find_field(name) < FIELDS) set_field(&options, find_field(name), value);

  // MuJoCo's flags come last: `lean` sets many of them
  const solver_settings settings = solver_settings_default();
  int status = bridge_prepare(m, &settings, output, &options, NULL, instance, message);
  rest = flags;
  for (char *name; !status && (name = next_change(&rest, &value));)
    if (find_field(name) == FIELDS)
      status = bridge_instance_flag(*instance, name, strcmp(value, "on") == 0, message);
  if (status && *instance) {
    bridge_solver.release(*instance);
    *instance = NULL;
  }
  return status;
}
