/*
 * Contacts left out of a model. Within one robot MuJoCo excludes bodies from each other. Of two
 * geoms alone it has no such word: they become a pair of their own, whose contact would act from a
 * depth on that none reaches.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L

#include "robot_without.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_status.h"
#include "robot_survey.h"

/* m; and a contact is looked for where geoms touch, as ever */
static const double never = 1e6;

typedef struct leaving {
  robot_shared *shared;
  const char *file, *text;
  bool self;
  bool *chosen; /* [pair_count] */
  mjSpec *spec;
  mjModel *model;
  char error[BRIDGE_TEXT_SIZE];
} leaving;

bool robot_without_self(const mjModel *m, const int geom[2]) {
  const int a = m->body_rootid[m->geom_bodyid[geom[0]]],
            b = m->body_rootid[m->geom_bodyid[geom[1]]];
  return a > 0 && a == b;
}

bool robot_without_margin(double margin) {
  return margin < -0.5 * never;
}

/* ---- which ----------------------------------------------------------------------------------- */

/* by the name that is printed, or by its body's */
static bool is_called(const mjModel *m, int geom, const char *name, size_t length) {
  char of[ROBOT_NAME_SIZE];
  robot_survey_geom_name(m, geom, of, sizeof of);
  if (strlen(of) == length && strncmp(of, name, length) == 0) return true;
  const char *const body = mj_id2name(m, mjOBJ_BODY, m->geom_bodyid[geom]);
  return body && strlen(body) == length && strncmp(body, name, length) == 0;
}

/* pairs of what two names call; how many there are */
static size_t choose(leaving *w, const char *first, size_t length, const char *second,
                     size_t more) {
  const mjModel *const m = w->shared->model;
  size_t count = 0;
  for (size_t i = 0; i < w->shared->pair_count; ++i) {
    const int *const geom = w->shared->pairs[i].geom;
    const bool meant =
        (is_called(m, geom[0], first, length) && is_called(m, geom[1], second, more)) ||
        (is_called(m, geom[1], first, length) && is_called(m, geom[0], second, more));
    w->chosen[i] = w->chosen[i] || meant;
    count += meant;
  }
  return count;
}

static int choose_self(leaving *w, char message[ROBOT_MESSAGE_SIZE]) {
  size_t count = 0;
  for (size_t i = 0; i < w->shared->pair_count; ++i)
    count += w->chosen[i] = robot_without_self(w->shared->model, w->shared->pairs[i].geom);
  if (count) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "--without self: no two geoms of one robot may touch");
  return BRIDGE_REFUSED;
}

static int choose_named(leaving *w, const char *names, char message[ROBOT_MESSAGE_SIZE]) {
  while (*names) {
    const size_t length = strcspn(names, ",");
    const char *const second = names + length + (names[length] == ',');
    const size_t more = strcspn(second, ",");
    if (!length || !more) {
      snprintf(message, ROBOT_MESSAGE_SIZE,
               "--without %.200s is not accepted; it is self, or names of geoms or bodies in pairs "
               "A,B or A,B,C,D",
               names);
      return BRIDGE_REFUSED;
    }
    if (!choose(w, names, length, second, more)) {
      snprintf(message, ROBOT_MESSAGE_SIZE,
               "--without %.*s,%.*s: no geoms or bodies of these names may touch", (int)length,
               names, (int)more, second);
      return BRIDGE_REFUSED;
    }
    names = second + more + (second[more] == ',');
  }
  return 0;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* what element `id` of a kind is called, which gets a name where it has none; NULL: not found */
static const char *name_of(mjSpec *spec, mjtObj kind, int id) {
  for (mjsElement *e = mjs_firstElement(spec, kind); e; e = mjs_nextElement(spec, e)) {
    char name[64];
    if (mjs_getId(e) != id) continue;
    snprintf(name, sizeof name, "without_%d", id);
    if (!*mjs_getString(mjs_getName(e))) mjs_setName(e, name);
    return mjs_getString(mjs_getName(e));
  }
  return NULL;
}

/* all bodies of one robot from each other */
static void exclude_bodies(leaving *w) {
  const mjModel *const m = w->shared->model;
  for (int a = 1; a < (int)m->nbody; ++a)
    for (int b = a + 1; b < (int)m->nbody; ++b) {
      if (m->body_rootid[a] != m->body_rootid[b] || !m->body_geomnum[a] || !m->body_geomnum[b])
        continue;
      const char *const first = name_of(w->spec, mjOBJ_BODY, a);
      const char *const second = name_of(w->spec, mjOBJ_BODY, b);
      mjsExclude *const exclude = first && second ? mjs_addExclude(w->spec) : NULL;
      if (!exclude) return;
      mjs_setString(exclude->bodyname1, first);
      mjs_setString(exclude->bodyname2, second);
    }
}

/* the model's own pairs go first, which are no bodies' */
static void drop_pairs(leaving *w) {
  mjsElement *next;
  for (mjsElement *e = mjs_firstElement(w->spec, mjOBJ_PAIR); e; e = next) {
    const mjModel *const m = w->shared->model;
    const int id = mjs_getId(e);
    next = mjs_nextElement(w->spec, e);
    if (id < 0 || id >= (int)m->npair) continue;
    const int geom[2] = {m->pair_geom1[id], m->pair_geom2[id]};
    for (size_t i = 0; i < w->shared->pair_count; ++i) {
      const int *const of = w->shared->pairs[i].geom;
      const bool same =
          (of[0] == geom[0] && of[1] == geom[1]) || (of[0] == geom[1] && of[1] == geom[0]);
      if (!w->chosen[i] || !same) continue;
      mjs_delete(w->spec, e);
      break;
    }
  }
}

static void part_geoms(leaving *w) {
  for (size_t i = 0; i < w->shared->pair_count; ++i) {
    if (!w->chosen[i]) continue;
    const char *const first = name_of(w->spec, mjOBJ_GEOM, w->shared->pairs[i].geom[0]);
    const char *const second = name_of(w->spec, mjOBJ_GEOM, w->shared->pairs[i].geom[1]);
    mjsPair *const pair = first && second ? mjs_addPair(w->spec, NULL) : NULL;
    if (!pair) return;
    mjs_setString(pair->geomname1, first);
    mjs_setString(pair->geomname2, second);
    pair->margin = -never;
    pair->gap = never;
  }
}

static void leave_out(void *context) {
  leaving *const w = context;
  w->spec = w->text ? mj_parseXMLString(w->text, NULL, w->error, (int)sizeof w->error)
                    : mj_parseXML(w->file, NULL, w->error, (int)sizeof w->error);
  // numbers are known once it is compiled
  mjModel *const first = w->spec ? mj_compile(w->spec, NULL) : NULL;
  if (!first) return;
  mj_deleteModel(first);
  drop_pairs(w);
  (w->self ? exclude_bodies : part_geoms)(w);
  w->model = mj_compile(w->spec, NULL);
}

/* MuJoCo reads numbers in the caller's locale; an MJCF is in the C locale */
static void leave_out_in_c_locale(leaving *w, bridge_complaint *complaint) {
  const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t callers = c_locale ? uselocale(c_locale) : (locale_t)0;
  bridge_guarded(leave_out, w, complaint);
  if (!c_locale) return;
  uselocale(callers);
  freelocale(c_locale);
}

static int replace(leaving *w, char message[ROBOT_MESSAGE_SIZE]) {
  bridge_complaint complaint;
  char line[BRIDGE_TEXT_SIZE];
  leave_out_in_c_locale(w, &complaint);
  const char *const said = w->spec ? mjs_getError(w->spec) : NULL;
  bridge_one_line(line, sizeof line,
                  complaint.error ? complaint.text
                  : said && *said ? said
                  : *w->error     ? w->error
                                  : "out of memory");
  if (w->spec) mj_deleteSpec(w->spec);
  if (!w->model) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "--without: %s", line);
    return BRIDGE_FAILED;
  }
  mj_deleteModel(w->shared->model);
  w->shared->model = w->model;
  return 0;
}

static const char *refusal(const robot_shared *s, const char *file, const char *text) {
  const size_t length = text ? 0 : strlen(file);
  if (length > 4 && strcmp(file + length - 4, ".mjb") == 0)
    return "an .mjb has no text to leave it out of; an MJCF is accepted";
  if (s->model->opt.enableflags & mjENBL_OVERRIDE)
    return "the model's flag override gives all contacts one margin";
  return NULL;
}

int robot_without_make(robot_shared *shared, const char *file, const char *text,
                       const char *without, char message[ROBOT_MESSAGE_SIZE]) {
  leaving w = {.shared = shared, .file = file, .text = text, .self = !strcmp(without, "self")};
  const char *const why = refusal(shared, file, text);
  if (why) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "--without: %s", why);
    return BRIDGE_REFUSED;
  }
  w.chosen = calloc(shared->pair_count + 1, sizeof *w.chosen);
  snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
  if (!w.chosen) return BRIDGE_FAILED;
  int status =
      w.self ? choose_self(&w, message) : choose_named(&w, *without ? without : ",", message);
  for (size_t i = 0; i < shared->pair_count; ++i) shared->left_out += w.chosen[i];
  if (!status) status = replace(&w, message);
  free(w.chosen);
  return status;
}
