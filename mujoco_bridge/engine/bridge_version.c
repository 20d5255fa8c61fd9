/*
 * Everything in which MuJoCo's versions differ: loading from memory, integrators, flags, depths.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bridge_version.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bridge_library.h"

static void version_text(int number, char text[32]) {
  // 2.2.2 counts as 222, 3.12.0 as 3012000
  const int base = number < 1000 ? 10 : 1000;
  snprintf(text, 32, "%d.%d.%d", number / base / base, number / base % base, number % base);
}

int bridge_version_check(char *message, size_t size) {
  char header[32], library[32];
  if (mj_version() == mjVERSION_HEADER) return 0;
  version_text(mjVERSION_HEADER, header);
  version_text(mj_version(), library);
  snprintf(message, size, "mujoco: built for %s but %s is %s; build again with the MuJoCo in use",
           header, bridge_library_path(), library);
  return -1;
}

/* puts text into an empty virtual file system, under a name */
static int add_text(mjVFS *files, const char *name, const char *text, int length) {
#if mjVERSION_HEADER >= 313
  return mj_addBufferVFS(files, name, text, length);
#else
  if (mj_makeEmptyFileVFS(files, name, length) != 0) return -1;
  memcpy(files->filedata[mj_findFileVFS(files, name)], text, (size_t)length);
  return 0;
#endif
}

mjModel *bridge_version_load(mjVFS *files, const char *text, char *error, int size) {
  static const char name[] = "scene.xml";
  const size_t length = strlen(text);
  mjModel *m = NULL;
  if (length == 0 || length > INT_MAX) {
    snprintf(error, (size_t)size, "its text is %s", length == 0 ? "empty" : "too long");
    return NULL;
  }
  mj_defaultVFS(files);
  if (add_text(files, name, text, (int)length) == 0)
    m = mj_loadXML(name, files, error, size);
  else
    snprintf(error, (size_t)size, "no room for its text");
  mj_deleteVFS(files);
  return m;
}

static const char *const integrators[] = {
    "Euler",        "RK4", "implicit",
#if mjVERSION_HEADER >= 233
    "implicitfast",
#endif
#if mjVERSION_HEADER >= 3013000
    "discrete",
#endif
};

enum { INTEGRATOR_COUNT = sizeof integrators / sizeof integrators[0] };

bool bridge_version_has_integrator(const char *name) {
  for (size_t i = 0; i < INTEGRATOR_COUNT; ++i)
    if (strcmp(integrators[i], name) == 0) return true;
  return false;
}

const char *bridge_version_integrators(void) {
#if mjVERSION_HEADER >= 3013000
  return "Euler, RK4, implicit, implicitfast, discrete";
#elif mjVERSION_HEADER >= 233
  return "Euler, RK4, implicit, implicitfast";
#else
  return "Euler, RK4, implicit";
#endif
}

/* the bit of that name among `count`, or -1 */
static int find_bit(const char *const *names, int count, const char *name) {
  for (int bit = 0; bit < count; ++bit)
    if (strcmp(names[bit], name) == 0) return bit;
  return -1;
}

static int disable_bit(const char *name) {
  return find_bit(mjDISABLESTRING, mjNDISABLE, name);
}

static int enable_bit(const char *name) {
  return find_bit(mjENABLESTRING, mjNENABLE, name);
}

bool bridge_version_has_flag(const char *name) {
  return disable_bit(name) >= 0 || enable_bit(name) >= 0;
}

void bridge_version_flag(mjModel *m, const char *name, bool on) {
  const int disable = disable_bit(name), enable = enable_bit(name);
  if (disable >= 0) m->opt.disableflags &= ~(1 << disable);
  if (disable >= 0 && !on) m->opt.disableflags |= 1 << disable;
  if (enable >= 0) m->opt.enableflags &= ~(1 << enable);
  if (enable >= 0 && on) m->opt.enableflags |= 1 << enable;

#if mjVERSION_HEADER >= 340
  // nothing of ours may fall asleep
  if (enable >= 0 && 1 << enable == mjENBL_SLEEP)
    for (int i = 0; on && i < (int)m->ntree; ++i) m->tree_sleep_policy[i] = mjSLEEP_NEVER;
#endif
}

/* the discrete integrator and sleeping exclude each other */
static bool sleep_is_possible(const mjModel *m) {
#if mjVERSION_HEADER >= 3013000
  return m->opt.integrator != mjINT_DISCRETE;
#else
  (void)m;
  return true;
#endif
}

void bridge_version_lean(mjModel *m, bool passive, bool bare) {
  // flags came, moved and split over the years, but every version lists its own by name
  static const char *const needless[] = {"Midphase", "AutoReset", "NativeCCD", "Island",
                                         "MultiCCD"};
  // without any of the first two no callback is asked for passive forces
  static const char *const passives[] = {"Passive", "Spring"}, *const dampers[] = {"Damper",
                                                                                   "Eulerdamp"};
  for (size_t i = 0; i < sizeof needless / sizeof needless[0]; ++i)
    bridge_version_flag(m, needless[i], false);
  for (size_t i = 0; i < 2; ++i) {
    if (!passive) bridge_version_flag(m, passives[i], false);
    if (!passive || bare) bridge_version_flag(m, dampers[i], false);
  }

  // with sleeping enabled, geoms that never move are placed once and not in every step
  if (sleep_is_possible(m) && !bare) bridge_version_flag(m, "Sleep", true);
}

bool bridge_version_line_search(mjModel *m, const char *name, double value) {
#if mjVERSION_HEADER >= 300
  const bool iterations = strcmp(name, "ls_iterations") == 0;
  if (iterations) m->opt.ls_iterations = (int)value;
  if (strcmp(name, "ls_tolerance") != 0) return iterations;
  m->opt.ls_tolerance = value;
  return true;
#else
  (void)m, (void)name, (void)value;
  return false;
#endif
}

const char *bridge_version_warning(const mjData *d, int kind) {
#if mjVERSION_HEADER >= 230
  return mju_warningText(kind, (size_t)d->warning[kind].lastinfo);
#else
  return mju_warningText(kind, d->warning[kind].lastinfo);
#endif
}

size_t bridge_version_actuators(const mjModel *m) {
#if mjVERSION_HEADER >= 3011000
  return (size_t)m->nactuator;
#else
  return (size_t)m->nu;
#endif
}

bool bridge_version_limits_rate(const mjModel *m, int i) {
#if mjVERSION_HEADER >= 3012000
  return m->actuator_dyntype[i] == mjDYN_PID && m->actuator_dynprm[mjNDYN * i + 1] > 0.0;
#else
  (void)m, (void)i;
  return false;
#endif
}

const char *bridge_version_no_field(const mjModel *m) {
#if mjVERSION_HEADER >= 4000000
  if (m->nplastic > 0) return "it has plastic joints or tendons";
#endif
#if mjVERSION_HEADER >= 3011000
  if (m->flg_adhesion) return "its contacts adhere, which pulls at a distance";
#endif
#if mjVERSION_HEADER >= 3011000 && mjVERSION_HEADER < 4000000
  if (m->flg_surfacevel) return "surfaces in it move against their bodies (needs MuJoCo 4.0)";
#endif
  (void)m;
  return NULL;
}

bool bridge_version_surfaces_move(const mjModel *m) {
#if mjVERSION_HEADER >= 4000000
  return m->flg_surfacevel;
#else
  (void)m;
  return false;
#endif
}

void bridge_version_set_surface(mjContact *contact, const double velocity[3]) {
#if mjVERSION_HEADER >= 4000000
  mju_copy3(contact->surfacevel, velocity);
#else
  (void)contact, (void)velocity;
#endif
}

const double *bridge_version_surface(const mjModel *m, int geom) {
#if mjVERSION_HEADER >= 4000000
  return m->geom_surfacevel + 6 * geom;
#else
  (void)m, (void)geom;
  return NULL;
#endif
}

bool bridge_version_too_deep(const mjModel *m, const mjData *d) {
#if mjVERSION_HEADER >= 327
  (void)m;
  (void)d;
  return false;
#else
  // a sphere's centre inside a box: the depth read stops at the sphere's radius
  for (int i = 0; i < d->ncon; ++i)
    for (int side = 0; side < 2; ++side) {
      const int geom = side == 0 ? d->contact[i].geom1 : d->contact[i].geom2;
      const int other = side == 0 ? d->contact[i].geom2 : d->contact[i].geom1;
      if (m->geom_type[geom] == mjGEOM_SPHERE && m->geom_type[other] == mjGEOM_BOX &&
          -d->contact[i].dist >= m->geom_size[3 * geom] * (1.0 - 1e-9))
        return true;
    }
  return false;
#endif
}
