/*
 * From MJCF to a compiled scene whose contacts are the model's springs and dampers, or that leaves
 * them to a callback.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _POSIX_C_SOURCE 200809L

#include "bridge_scene.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_version.h"

typedef struct compilation {
  bridge_scene *scene;
  const char *text;
  mjVFS *files;
  char error[BRIDGE_TEXT_SIZE];
} compilation;

static void compile(void *context) {
  compilation *c = context;
  c->scene->model = bridge_version_load(c->files, c->text, c->error, (int)sizeof c->error);
}

static void make_data(void *context) {
  bridge_scene *scene = context;
  scene->data = mj_makeData(scene->model);
}

/* MuJoCo reads numbers in the caller's locale; the text is in the C locale */
static int compile_text(bridge_scene *scene, const char *text, char message[SOLVER_MESSAGE_SIZE]) {
  compilation c = {.scene = scene, .text = text, .files = malloc(sizeof *c.files)};
  bridge_complaint complaint = {.text = "out of memory"};
  const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t callers = c_locale ? uselocale(c_locale) : (locale_t)0;
  const bool quiet = c.files && bridge_guarded(compile, &c, &complaint);
  free(c.files);
  if (c_locale) {
    uselocale(callers);
    freelocale(c_locale);
  }
  if (quiet && scene->model && !c.error[0]) return 0;

  char line[BRIDGE_TEXT_SIZE];
  bridge_one_line(line, sizeof line, c.error[0] ? c.error : complaint.text);
  snprintf(message, SOLVER_MESSAGE_SIZE, "mujoco: the scene does not compile: %s",
           line[0] ? line : "no reason given");
  return -1;
}

static int allocate_data(bridge_scene *scene, char message[SOLVER_MESSAGE_SIZE]) {
  bridge_complaint complaint;
  if (bridge_guarded(make_data, scene, &complaint) && scene->data) return 0;
  snprintf(message, SOLVER_MESSAGE_SIZE, "mujoco: no room for the scene's data: %s",
           complaint.text[0] ? complaint.text : "no reason given");
  return -1;
}

/* what the rest of the bridge relies on, whoever wrote the scene */
static int check_shape(const bridge_scene *scene, const model *m, bool by_callback,
                       char message[SOLVER_MESSAGE_SIZE]) {
  const mjModel *mj = scene->model;
  const mjcf_shape wanted = mjcf_shape_of(m);
  if (by_callback && mj->nuserdata < 1) {
    snprintf(message, SOLVER_MESSAGE_SIZE,
             "mujoco: the scene has no user data, by which a callback finds its model");
    return -1;
  }
  if ((size_t)mj->nq == wanted.positions && (size_t)mj->nv == wanted.rates &&
      (size_t)mj->nbody == wanted.bodies)
    return 0;
  snprintf(message, SOLVER_MESSAGE_SIZE,
           "mujoco: the scene has %d coordinates, %d velocities and %d bodies; %s needs %zu, %zu, "
           "%zu",
           (int)mj->nq, (int)mj->nv, (int)mj->nbody, m->type->name, wanted.positions, wanted.rates,
           wanted.bodies);
  return -1;
}

/* A of a contact: the body of the scene's last geom, as all that touch are alike */
static mjtNum *inverse_weight(mjModel *mj) {
  return &mj->body_invweight0[2 * mj->geom_bodyid[mj->ngeom - 1]];
}

/* R, and with it the force's denominator, is proportional to A, so K and B go along with it */
static void realise(bridge_scene *scene, const mjcf_contact *contact, double scaling) {
  mjModel *mj = scene->model;
  scene->scaling = scaling;
  for (int i = 1; i < (int)mj->nbody; ++i) mj->body_invweight0[2 * i] *= scaling;

  const double unit = *inverse_weight(mj) * (1.0 - MJCF_IMPEDANCE);
  const double solref[mjNREF] = {-contact->stiffness * unit, -contact->damping * unit};
  for (int i = 0; i < (int)mj->ngeom; ++i) mju_copy(mj->geom_solref + mjNREF * i, solref, mjNREF);
  for (int i = 0; i < (int)mj->npair; ++i) mju_copy(mj->pair_solref + mjNREF * i, solref, mjNREF);
}

int bridge_scene_open(bridge_scene *scene, const model *m, const mjcf_options *options,
                      const char *text, double scaling, char message[SOLVER_MESSAGE_SIZE]) {
  mjcf_contact contact;
  char *written = NULL, why[MODEL_MESSAGE_SIZE];
  *scene = (bridge_scene){0};
  if (bridge_version_check(message, SOLVER_MESSAGE_SIZE) != 0) return -1;
  const bool by_callback = options->by_callback;
  int status = !by_callback && mjcf_contact_of(m, &contact, why) != 0 ? SOLVER_REFUSED : 0;
  if (status == 0 && !text && mjcf_write(m, options, &written, NULL, why) != 0)
    status = SOLVER_FAILED;
  if (status != 0) {
    snprintf(message, SOLVER_MESSAGE_SIZE, "%s", why);
    return status;
  }

  status = compile_text(scene, text ? text : written, message);
  if (status == 0) status = check_shape(scene, m, by_callback, message);
  if (status == 0) {
    const bool passive = by_callback || mjcf_shape_of(m).passive;
    scene->inverse_weight = by_callback ? NAN : *inverse_weight(scene->model);
    if (by_callback)
      scene->scaling = NAN;
    else if (options->time_constant == 0.0)
      realise(scene, &contact, scaling);
    if (options->lean) bridge_version_lean(scene->model, passive, by_callback);
    status = allocate_data(scene, message);
  }
  if (status != 0) bridge_scene_free(scene);
  free(written);
  return status;
}

void bridge_scene_free(bridge_scene *scene) {
  if (scene->data) mj_deleteData(scene->data);
  if (scene->model) mj_deleteModel(scene->model);
  *scene = (bridge_scene){0};
}

bool bridge_scene_warned(const mjData *d, char message[SOLVER_MESSAGE_SIZE]) {
  for (int i = 0; i < mjNWARNING; ++i) {
    if (d->warning[i].number == 0) continue;
    char line[BRIDGE_TEXT_SIZE];
    bridge_one_line(line, sizeof line, bridge_version_warning(d, i));
    snprintf(message, SOLVER_MESSAGE_SIZE, "mujoco: warning %d raised %d times: %s", i,
             d->warning[i].number, line);
    return true;
  }
  return false;
}
