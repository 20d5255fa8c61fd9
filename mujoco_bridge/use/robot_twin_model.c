/*
 * A model whose contacts MuJoCo computes as springs and dampers: every two geoms that may touch
 * become a pair of their own, as the stiffness that MuJoCo has to be told is another for each body.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700 // realpath

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_version.h"
#include "mjcf_scene.h"
#include "robot_twin.h"
#include "solver.h"

/* what the added mass is divided by */
static const double scaling = 1e6;

typedef struct rewriting {
  const robot_shared *shared;
  const char *file, *text;
  const robot_options *options;
  mjSpec *spec;
  mjModel *model;
  char *written;
  char error[BRIDGE_TEXT_SIZE];
} rewriting;

/* A of both bodies */
static double inverse_weight(const mjModel *m, const robot_pair *p) {
  return m->body_invweight0[2 * m->geom_bodyid[p->geom[0]]] +
         m->body_invweight0[2 * m->geom_bodyid[p->geom[1]]];
}

/* ---- what cannot be one ---------------------------------------------------------------------- */

static bool holds_bodies(const mjModel *m) {
  for (int i = 0; i < (int)m->neq; ++i)
    if (m->eq_type[i] == mjEQ_CONNECT || m->eq_type[i] == mjEQ_WELD) return true;
  return false;
}

static const char *refusal(const robot_shared *s) {
  if (s->pair_count == 0) return "nothing in it may touch anything";
  if (bridge_version_surfaces_move(s->model)) return "surfaces in it move against their bodies";
  if (holds_bodies(s->model)) return "an equality constraint holds bodies, with the same weights";
  for (size_t i = 0; i < s->pair_count; ++i) {
    const mjContact *c = &s->pairs[i].pattern;
    if (c->dim > 1 && c->friction[0] != c->friction[1])
      return "the friction of a contact depends on the direction";
    if (!(inverse_weight(s->model, &s->pairs[i]) > 0.0)) return "a contact moves nothing";
  }
  return NULL;
}

static bool accepted(double value, double least) {
  return isfinite(value) && value >= least;
}

static bool is_binary(const char *file) {
  const size_t length = strlen(file);
  return length > 4 && strcmp(file + length - 4, ".mjb") == 0;
}

static int check(const robot_shared *s, const char *file, const char *text,
                 const robot_options *options, char message[ROBOT_MESSAGE_SIZE]) {
  const bool compiled = !text && is_binary(file);
  const char *why = compiled ? "it is made of an MJCF, and an .mjb has none" : refusal(s);
  if (!accepted(options->stiffness, 1e-9) || !accepted(options->damping, 0.0)) {
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "a twin of %g N/m and %g N s/m is not accepted; stiffness is a finite number > "
             "0, and damping one >= 0",
             options->stiffness, options->damping);
    return SOLVER_REFUSED;
  }
  if (!why) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "no twin: %s", why);
  return SOLVER_REFUSED;
}

/* ---- the pairs ------------------------------------------------------------------------------- */

static const char *geom_name(int geom, char name[ROBOT_NAME_SIZE]) {
  snprintf(name, ROBOT_NAME_SIZE, "twin_geom_%d", geom);
  return name;
}

/* nothing collides but by pairs, and every geom has a name for them; names by number are ours */
static const char **name_geoms(mjSpec *spec, size_t geoms) {
  const char **names = calloc(geoms + 1, sizeof *names);
  mjsElement *e = mjs_firstElement(spec, mjOBJ_GEOM);
  for (; names && e; e = mjs_nextElement(spec, e)) {
    mjsGeom *geom = mjs_asGeom(e);
    const size_t id = (size_t)mjs_getId(e);
    char name[ROBOT_NAME_SIZE];
    geom->contype = geom->conaffinity = 0;
    if (id >= geoms) continue;
    if (!*mjs_getString(mjs_getName(e))) mjs_setName(e, geom_name((int)id, name));
    names[id] = mjs_getString(mjs_getName(e));
  }
  return names;
}

static void drop_pairs(mjSpec *spec) {
  for (mjsElement *e; (e = mjs_firstElement(spec, mjOBJ_PAIR)) != NULL;)
    if (mjs_delete(spec, e) != 0) return;
}

/* K and B so that the force is k p + c p', and across c v_t: R is A (1 - d)/d, and i times less
 * across */
static void add_pair(rewriting *w, const robot_pair *p, const char *const names[]) {
  const mjModel *m = w->shared->model;
  const double unit = inverse_weight(m, p) * (1.0 - MJCF_IMPEDANCE);
  const double impedance[mjNIMP] = {MJCF_IMPEDANCE, MJCF_IMPEDANCE, 0.001, 0.5, 2.0};
  mjsPair *pair = mjs_addPair(w->spec, NULL);
  mjs_setString(pair->geomname1, names[p->geom[0]]);
  mjs_setString(pair->geomname2, names[p->geom[1]]);
  pair->condim = p->pattern.dim > 1 ? 3 : 1;
  pair->margin = p->margin;
  pair->gap = 0.0;
  pair->solref[0] = -w->options->stiffness * unit;
  pair->solref[1] = -w->options->damping * unit;
  pair->solreffriction[0] = -w->options->stiffness * unit; // counts for nothing, but has to be < 0
  pair->solreffriction[1] = -w->options->damping * unit / m->opt.impratio;
  memcpy(pair->solimp, impedance, sizeof impedance);
  memcpy(pair->friction, p->pattern.friction, sizeof pair->friction);
}

static void set_options(mjSpec *spec) {
  spec->option.cone = mjCONE_ELLIPTIC;
  spec->option.noslip_iterations = 0;
  spec->option.enableflags &= ~mjENBL_OVERRIDE;
}

/* ---- the text and the model ------------------------------------------------------------------ */

/* a folder of assets, as one that the text finds wherever it lies */
static void set_folder(mjString *folder, const char *file) {
  const char *const slash = strrchr(file, '/'), *const given = mjs_getString(folder);
  const int length = slash ? (int)(slash - file) + 1 : 0;
  char path[4096];
  if (*given == '/') return;
  snprintf(path, sizeof path, "%.*s%s", length, file, *given ? given : ".");
  char *const whole = realpath(path, NULL);
  if (whole) mjs_setString(folder, whole);
  free(whole);
}

static void write_text(rewriting *w) {
  if (w->file && !w->text) {
    set_folder(w->spec->compiler.meshdir, w->file);
    set_folder(w->spec->compiler.texturedir, w->file);
  }
  for (int size = 1 << 16; size <= 1 << 28; size *= 4) {
    char *text = realloc(w->written, (size_t)size);
    if (!text) break;
    w->written = text;
    if (mj_saveXMLString(w->spec, text, size, w->error, (int)sizeof w->error) == 0) return;
  }
  free(w->written);
  w->written = NULL;
}

/* R is proportional to A, so K and B go along with it */
static void scale(mjModel *m, double by) {
  for (int i = 1; i < (int)m->nbody; ++i) m->body_invweight0[2 * i] *= by;
  for (int i = 0; i < mjNREF * (int)m->npair; ++i) {
    m->pair_solref[i] *= by;
    m->pair_solreffriction[i] *= by;
  }
}

static void rewrite(void *context) {
  rewriting *w = context;
  w->spec = w->text ? mj_parseXMLString(w->text, NULL, w->error, (int)sizeof w->error)
                    : mj_parseXML(w->file, NULL, w->error, (int)sizeof w->error);
  // numbers of geoms are known once they are compiled
  mjModel *first = w->spec ? mj_compile(w->spec, NULL) : NULL;
  if (!first) return;
  mj_deleteModel(first);
  const char **names = name_geoms(w->spec, (size_t)w->shared->model->ngeom);
  if (!names) return;
  drop_pairs(w->spec);
  set_options(w->spec);
  for (size_t i = 0; i < w->shared->pair_count; ++i) add_pair(w, &w->shared->pairs[i], names);
  free(names);
  w->model = mj_compile(w->spec, NULL);
  if (!w->model) return;
  write_text(w);
  scale(w->model, scaling);
}

/* MuJoCo reads and writes numbers in the caller's locale; an MJCF is in the C locale */
static void rewrite_in_c_locale(rewriting *w, bridge_complaint *complaint) {
  const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t callers = c_locale ? uselocale(c_locale) : (locale_t)0;
  bridge_guarded(rewrite, w, complaint);
  if (!c_locale) return;
  uselocale(callers);
  freelocale(c_locale);
}

int robot_twin_make(robot_shared *shared, const char *file, const char *text,
                    const robot_options *options, char message[ROBOT_MESSAGE_SIZE]) {
  const int wrong = check(shared, file, text, options, message);
  if (wrong) return wrong;
  rewriting w = {.shared = shared, .file = file, .text = text, .options = options};
  bridge_complaint complaint;
  rewrite_in_c_locale(&w, &complaint);
  const char *said = w.spec ? mjs_getError(w.spec) : NULL;
  char line[BRIDGE_TEXT_SIZE];
  bridge_one_line(line, sizeof line,
                  complaint.error ? complaint.text
                  : said && *said ? said
                  : *w.error      ? w.error
                                  : "out of memory");
  if (w.spec) mj_deleteSpec(w.spec);
  if (!w.model || !w.written) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "no twin: %s", line);
    if (w.model) mj_deleteModel(w.model);
    free(w.written);
    return SOLVER_FAILED;
  }
  mj_deleteModel(shared->model);
  shared->model = w.model;
  shared->twin_text = w.written;
  shared->stiffness = options->stiffness;
  shared->damping = options->damping;
  return 0;
}

const char *robot_twin_text(const robot *r) {
  return r->shared->twin_text;
}

static int cannot_save(const char *file, const char *why, char message[ROBOT_MESSAGE_SIZE]) {
  snprintf(message, ROBOT_MESSAGE_SIZE, "cannot write %s: %s", file, why);
  return SOLVER_FAILED;
}

typedef struct saving {
  const mjModel *model;
  const char *file;
} saving;

static void save(void *context) {
  const saving *s = context;
  mj_saveModel(s->model, s->file, NULL, 0);
}

static int save_text(const char *text, const char *file, char message[ROBOT_MESSAGE_SIZE]) {
  FILE *out = fopen(file, "w");
  const bool written = out && fputs(text, out) != EOF;
  const int error = errno;
  if (out && fclose(out) != 0) return cannot_save(file, strerror(errno), message);
  return written ? 0 : cannot_save(file, strerror(error), message);
}

int robot_save(const robot *r, const char *file, char message[ROBOT_MESSAGE_SIZE]) {
  saving s = {.model = r->shared->model, .file = file};
  bridge_complaint complaint;
  if (!r->shared->twin_text) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "it is no twin, so its own file says what it is");
    return SOLVER_REFUSED;
  }
  if (!is_binary(file)) return save_text(r->shared->twin_text, file, message);
  return bridge_guarded(save, &s, &complaint) ? 0 : cannot_save(file, complaint.text, message);
}

/* one number at *text, which then stands behind it; false where there is none */
static bool read_number(const char **text, double *out) {
  if (!strchr("0123456789+-.", **text) || !**text) return false;
  char *end;
  *out = strtod(*text, &end);
  const bool read = end > *text;
  *text = end;
  return read && isfinite(*out);
}

int robot_options_twin(const char *text, robot_options *out, char message[ROBOT_MESSAGE_SIZE]) {
  const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t callers = c_locale ? uselocale(c_locale) : (locale_t)0;
  const char *rest = text;
  *out = (robot_options){0};
  bool good = read_number(&rest, &out->stiffness);
  good = good && *rest == ',';
  if (good) {
    ++rest;
    good = read_number(&rest, &out->damping);
  }
  good = good && !*rest && out->stiffness > 0.0 && out->damping >= 0.0;
  if (c_locale) {
    uselocale(callers);
    freelocale(c_locale);
  }
  if (good) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE,
           "--twin %.80s is not accepted; it is K,C, a stiffness > 0 in N/m and a damping >= 0 in "
           "N s/m",
           *text ? text : "an empty value");
  return SOLVER_REFUSED;
}
