/*
 * Settings of MuJoCo that are not the file's: of its solver of forces, its integrator, and of all
 * contacts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_setting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_status.h"
#include "bridge_version.h"

/* what a setting's value may be called, and MuJoCo's number of it */
typedef struct named {
  const char *name;
  int value;
} named;

static const named solvers[] = {
    {"PGS", mjSOL_PGS}, {"CG", mjSOL_CG}, {"Newton", mjSOL_NEWTON}, {0}};
static const named cones[] = {{"pyramidal", mjCONE_PYRAMIDAL}, {"elliptic", mjCONE_ELLIPTIC}, {0}};
static const named integrators[] = {{"Euler", mjINT_EULER},
                                    {"RK4", mjINT_RK4},
                                    {"implicit", mjINT_IMPLICIT},
                                    {"implicitfast", mjINT_IMPLICITFAST},
                                    {0}};

/* of a setting: its name, the values that have names, or how many numbers it has at most */
typedef struct kind {
  const char *name;
  const named *values;
  size_t numbers;
  bool changes_model; /* its solution in continuous time, not the steps alone */
  const char *accepts;
} kind;

static const kind kinds[] = {
    {"solver", solvers, 0, false, "PGS, CG or Newton"},
    {"iterations", NULL, 1, false, "a whole number >= 1"},
    {"integrator", integrators, 0, false, "Euler, RK4, implicit or implicitfast"},
    {"cone", cones, 0, true, "pyramidal or elliptic"},
    {"solref", NULL, 2, true, "two numbers, both > 0 or both <= 0, with white space between"},
    {"solimp", NULL, 5, true,
     "three to five numbers with white space between, of which the first two are from 0 to 1"},
    {0}};

/* the kind, and what stands behind its "="; NULL: there is no such setting */
static const kind *find(const char *setting, const char **value) {
  for (const kind *k = kinds; k->name; ++k) {
    const size_t length = strlen(k->name);
    *value = setting + length + 1;
    if (strncmp(setting, k->name, length) == 0 && setting[length] == '=') return k;
  }
  return NULL;
}

static const named *value_named(const named values[], const char *name) {
  while (values->name && strcmp(values->name, name) != 0) ++values;
  return values->name ? values : NULL;
}

enum { NUMBERS = 5 };

/* how many numbers there are, with white space between; 0 where something else stands there */
static size_t read_numbers(const char *text, double numbers[NUMBERS]) {
  size_t count = 0;
  while (*text) {
    char *end;
    if (count == NUMBERS) return 0;
    numbers[count++] = strtod(text, &end);
    if (end == text || !isfinite(numbers[count - 1])) return 0;
    text = end + strspn(end, " ");
  }
  return count;
}

static bool accepts(const kind *k, const char *value) {
  double x[NUMBERS];
  if (k->values) return value_named(k->values, value) != NULL;
  const size_t count = read_numbers(value, x);
  if (count == 0 || count > k->numbers) return false;
  if (k->numbers == 1) return x[0] >= 1.0 && x[0] <= 1e9 && x[0] == floor(x[0]);
  if (k->numbers == 2) return count == 2 && (x[0] > 0.0) == (x[1] > 0.0);
  return count >= 3 && x[0] >= 0.0 && x[0] <= 1.0 && x[1] >= 0.0 && x[1] <= 1.0 && x[2] > 0.0;
}

int robot_setting_check(const char *setting, bool *changes_model,
                        char message[ROBOT_MESSAGE_SIZE]) {
  const char *value;
  const kind *const k = find(setting, &value);
  if (!k) {
    size_t used = (size_t)snprintf(message, ROBOT_MESSAGE_SIZE,
                                   "setting %.60s is not accepted; it is one of", setting);
    for (const kind *i = kinds; i->name; ++i)
      used += (size_t)snprintf(message + used, ROBOT_MESSAGE_SIZE - used, "%s %s",
                               i == kinds ? "" : ",", i->name);
    snprintf(message + used, ROBOT_MESSAGE_SIZE - used, ", with = and a value");
    return BRIDGE_REFUSED;
  }
  *changes_model = k->changes_model;
  if (k->values == integrators && !bridge_version_has_integrator(value))
    snprintf(message, ROBOT_MESSAGE_SIZE, "setting %.60s is not accepted; this MuJoCo has %s",
             setting, bridge_version_integrators());
  else if (!accepts(k, value))
    snprintf(message, ROBOT_MESSAGE_SIZE, "setting %.60s is not accepted; %s is %s", setting,
             k->name, k->accepts);
  else
    return 0;
  return BRIDGE_REFUSED;
}

/* The first so many numbers of each of `count` contacts' parameters. */
static void set_all(mjtNum parameters[], size_t count, size_t width, const double x[],
                    size_t numbers) {
  for (size_t i = 0; i < count; ++i) memcpy(parameters + i * width, x, numbers * sizeof *x);
}

void robot_setting_apply(mjModel *m, const char *setting) {
  const char *value;
  const kind *const k = find(setting, &value);
  double x[NUMBERS] = {0};
  const size_t numbers = k->values ? 0 : read_numbers(value, x);
  if (k->values == solvers) m->opt.solver = value_named(solvers, value)->value;
  if (k->values == integrators) m->opt.integrator = value_named(integrators, value)->value;
  if (k->values == cones) m->opt.cone = value_named(cones, value)->value;
  if (k->numbers == 1) m->opt.iterations = (int)x[0];
  if (k->numbers == 2) {
    set_all(m->geom_solref, (size_t)m->ngeom, mjNREF, x, numbers);
    set_all(m->pair_solref, (size_t)m->npair, mjNREF, x, numbers);
  }
  if (k->numbers == 5) {
    set_all(m->geom_solimp, (size_t)m->ngeom, mjNIMP, x, numbers);
    set_all(m->pair_solimp, (size_t)m->npair, mjNIMP, x, numbers);
  }
}

/* ---- which there are ------------------------------------------------------------------------- */

/* MuJoCo's own solref and solimp of most contacts, and what is stiffer and softer */
static const char *const all[] = {"solver=PGS",
                                  "solver=CG",
                                  "solver=Newton",
                                  "iterations=1",
                                  "iterations=3",
                                  "iterations=10",
                                  "integrator=Euler",
                                  "integrator=implicitfast",
                                  "integrator=implicit",
                                  "integrator=RK4",
                                  "cone=pyramidal",
                                  "cone=elliptic",
                                  "solref=0.01 1",
                                  "solref=0.02 1",
                                  "solref=0.04 1",
                                  "solimp=0.8 0.9 0.001",
                                  "solimp=0.9 0.95 0.001",
                                  "solimp=0.99 0.999 0.001",
                                  NULL};

/* whether the file has it already */
static bool has(const mjModel *m, const char *setting) {
  const char *value;
  const kind *const k = find(setting, &value);
  double x[NUMBERS] = {0};
  const size_t numbers = k->values ? 0 : read_numbers(value, x);
  if (k->values) {
    const int now = k->values == solvers ? m->opt.solver
                    : k->values == cones ? m->opt.cone
                                         : m->opt.integrator;
    return now == value_named(k->values, value)->value;
  }
  if (k->numbers == 1) return m->opt.iterations <= (int)x[0];
  const mjtNum *const geoms = k->numbers == 2 ? m->geom_solref : m->geom_solimp;
  const size_t width = k->numbers == 2 ? mjNREF : mjNIMP;
  for (size_t i = 0; i < (size_t)m->ngeom; ++i)
    if (memcmp(geoms + i * width, x, numbers * sizeof *x) != 0) return false;
  return true;
}

const char *robot_setting_at(const robot *r, size_t i) {
  for (const char *const *s = all; *s; ++s)
    if (!has(r->shared->model, *s) && i-- == 0) return *s;
  return NULL;
}
