/*
 * A MuJoCo scene around a model: options, sizes, contact law, key frame; the bodies come from the
 * model's emitter.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _POSIX_C_SOURCE 200809L

#include "mjcf.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mjcf_writer.h"

static const mjcf_emitter *const emitters[] = {&mjcf_block_on_springs, &mjcf_hopper, &mjcf_legged,
                                               &mjcf_plate, &mjcf_trot_on_springs};

enum { EMITTER_COUNT = sizeof emitters / sizeof emitters[0] };

mjcf_options mjcf_options_default(void) {
  return (mjcf_options){
      .time_step = 0.002,
      .integrator = "Euler",
      .solver = "Newton",
      .cone = "pyramidal",
      .iterations = 100,
      .tolerance = 1e-8,
      .warmstart = false,
      .pairs = MJCF_PAIRS_BY_SIZE,
      .lean = true,
      .tall = true,
  };
}

static const mjcf_emitter *emitter_of(const model_type *type) {
  for (size_t i = 0; i < EMITTER_COUNT; ++i)
    if (strcmp(emitters[i]->model, type->name) == 0) return emitters[i];
  return NULL;
}

bool mjcf_has(const model_type *type) {
  return emitter_of(type);
}

static const mjcf_emitter *find(const model *m, char message[MODEL_MESSAGE_SIZE]) {
  const mjcf_emitter *const emitter = emitter_of(m->type);
  if (emitter) return emitter;
  snprintf(message, MODEL_MESSAGE_SIZE,
           "%s: this model has no MuJoCo twin; block-on-springs, hopper, legged, plate and "
           "trot-on-springs have",
           m->type->name);
  return NULL;
}

int mjcf_contact_of(const model *m, mjcf_contact *contact, char message[MODEL_MESSAGE_SIZE]) {
  const mjcf_emitter *emitter = find(m, message);
  return emitter ? emitter->contact(m, contact, message) : -1;
}

static mjcf_shape shape_of(const mjcf_emitter *emitter, const model *m) {
  mjcf_shape shape = {emitter->coordinates, emitter->coordinates, 2, false};
  if (emitter->shape) emitter->shape(m, &shape);
  return shape;
}

mjcf_shape mjcf_shape_of(const model *m) {
  char message[MODEL_MESSAGE_SIZE];
  const mjcf_emitter *emitter = find(m, message);
  return emitter ? shape_of(emitter, m) : (mjcf_shape){0};
}

static int check(const mjcf_options *o, char message[MODEL_MESSAGE_SIZE]) {
  const char *wrong = NULL;
  if (!(o->time_step > 0.0) || !isfinite(o->time_step))
    wrong = "time_step must be a finite number > 0";
  else if (o->iterations < 1)
    wrong = "iterations must be >= 1";
  else if (!(o->tolerance >= 0.0) || !isfinite(o->tolerance))
    wrong = "tolerance must be a finite number >= 0";
  else if (o->contact_limit < 0)
    wrong = "contact_limit must be >= 0";
  else if (!(o->time_constant >= 0.0) || !isfinite(o->time_constant))
    wrong = "time_constant must be a finite number >= 0";
  else if (o->by_callback && o->time_constant > 0.0)
    wrong = "a time_constant is of contacts, and a callback has none";
  if (wrong) snprintf(message, MODEL_MESSAGE_SIZE, "mjcf: %s", wrong);
  return wrong ? -1 : 0;
}

static void flag(mjcf_writer *w, const char *name, bool enable) {
  if (!enable) mjcf_text(w, name, "disable");
}

/* only flags that every MuJoCo since 2.2 knows: an unknown one is an error there */
static void write_flags(mjcf_writer *w, const mjcf_options *o) {
  static const char *const needless[] = {"equality",     "frictionloss", "limit",   "clampctrl",
                                         "filterparent", "actuation",    "refsafe", "sensor"};
  mjcf_start(w, "flag");
  flag(w, "warmstart", o->warmstart);
  flag(w, "contact", !o->by_callback);
  flag(w, "constraint", !o->by_callback);
  for (size_t i = 0; i < sizeof needless / sizeof needless[0]; ++i) flag(w, needless[i], !o->lean);
  mjcf_end(w);
}

/* the edges of a pyramid would be springs of their own */
static const char *cone_of(const mjcf_options *o, const mjcf_contact *contact) {
  return contact->friction > 0.0 && o->time_constant == 0.0 ? "elliptic" : o->cone;
}

/* where most of its entries are 0 it is worth looking for them from so many rates on (MuJoCo 4.0: a
 * robot of 20 legs) */
static const size_t sparse_from = 40;

static const char *jacobian_of(const mjcf_options *o, mjcf_shape shape) {
  return o->jacobian ? o->jacobian : shape.rates < sparse_from ? "dense" : "sparse";
}

static void write_option(mjcf_writer *w, const mjcf_options *o, const mjcf_contact *contact,
                         mjcf_shape shape, double gravity) {
  const double g[] = {0.0, 0.0, -gravity};
  mjcf_start(w, "option");
  mjcf_number(w, "timestep", o->time_step);
  mjcf_text(w, "integrator", o->integrator);
  mjcf_numbers(w, "gravity", 3, g);
  mjcf_text(w, "solver", o->solver);
  mjcf_integer(w, "iterations", (size_t)o->iterations);
  mjcf_number(w, "tolerance", o->tolerance);
  mjcf_text(w, "jacobian", jacobian_of(o, shape));
  mjcf_text(w, "cone", cone_of(o, contact));
  write_flags(w, o);
  mjcf_end(w);
}

/* before 2.3 contacts above nconmax were dropped, and its default is 100; one with friction has up
 * to four rows */
static void write_size(mjcf_writer *w, const mjcf_options *o, const mjcf_contact *contact,
                       size_t contacts) {
  const size_t limit = o->contact_limit > 0 ? (size_t)o->contact_limit : contacts;
  mjcf_start(w, "size");
  if (o->by_callback) {
    mjcf_integer(w, "nuserdata", 1);
  } else {
    mjcf_integer(w, "njmax", contact->friction > 0.0 ? 4 * limit : limit);
    mjcf_integer(w, "nconmax", limit);
  }
  mjcf_end(w);
}

/* what a viewer frames; the dynamics know nothing of it */
static void write_view(mjcf_writer *w) {
  const double centre[] = {0.0, 0.0, 1.0};
  mjcf_start(w, "statistic");
  mjcf_numbers(w, "center", 3, centre);
  mjcf_number(w, "extent", 4.0);
  mjcf_end(w);
}

/* what resists a contact: the model's springs and dampers, or MuJoCo's own, whose impedance is its
 * default then */
static void write_reference(mjcf_writer *w, const mjcf_options *o, const mjcf_contact *contact) {
  const double unit = contact->inverse_weight * (1.0 - MJCF_IMPEDANCE);
  const double springs[] = {-contact->stiffness * unit, -contact->damping * unit};
  const double own[] = {o->time_constant, 1.0};
  const double solimp[] = {MJCF_IMPEDANCE, MJCF_IMPEDANCE, 0.001, 0.5, 2.0};
  const bool is_own = o->time_constant > 0.0;
  mjcf_numbers(w, "solref", 2, is_own ? own : springs);
  if (!is_own) mjcf_numbers(w, "solimp", 5, solimp);
}

/* a pair has a coefficient for each direction, of spinning and rolling, too; a geom for each kind
 */
static void write_friction(mjcf_writer *w, const char *element, double friction) {
  const double spin = 0.005, roll = 0.0001;
  if (strcmp(element, "pair") == 0)
    mjcf_numbers(w, "friction", 5, (const double[]){friction, friction, spin, roll, roll});
  else
    mjcf_numbers(w, "friction", 3, (const double[]){friction, spin, roll});
}

static void write_law(mjcf_writer *w, const char *element, const mjcf_options *o,
                      const mjcf_contact *contact) {
  mjcf_start(w, element);
  mjcf_integer(w, "condim", contact->friction > 0.0 ? 3 : 1);
  if (contact->friction > 0.0) write_friction(w, element, contact->friction);
  write_reference(w, o, contact);
  mjcf_number(w, "margin", 0.0);
  mjcf_end(w);
}

static void write_class(mjcf_writer *w, const char *name, bool contype, bool conaffinity) {
  mjcf_start(w, "default");
  mjcf_text(w, "class", name);
  mjcf_start(w, "geom");
  mjcf_integer(w, "contype", contype);
  mjcf_integer(w, "conaffinity", conaffinity);
  mjcf_end(w);
  mjcf_end(w);
}

static bool has_pairs(const mjcf_options *o, const mjcf_emitter *emitter, size_t contacts) {
  if (o->by_callback) return false;
  const bool faster = !emitter->pairs_faster || contacts <= emitter->pairs_faster;
  return o->pairs == MJCF_PAIRS_BY_SIZE ? faster : o->pairs == MJCF_PAIRS_ON;
}

/* explicit pairs need no broad phase, so the geoms then leave it */
static void write_default(mjcf_writer *w, const mjcf_options *o, const mjcf_contact *contact,
                          bool pairs) {
  mjcf_start(w, "default");
  write_law(w, "geom", o, contact);
  write_law(w, "pair", o, contact);
  write_class(w, "fixed", !pairs, false);
  write_class(w, "moving", false, !pairs);
  mjcf_end(w);
}

static void write_pairs(mjcf_writer *w, const mjcf_emitter *emitter, size_t contacts) {
  mjcf_start(w, "contact");
  for (size_t i = 0; i < contacts; ++i) {
    char fixed[MJCF_NAME_SIZE], moving[MJCF_NAME_SIZE];
    emitter->fixed_geom(i, fixed);
    emitter->moving_geom(i, moving);
    mjcf_start(w, "pair");
    mjcf_text(w, "geom1", fixed);
    mjcf_text(w, "geom2", moving);
    mjcf_end(w);
  }
  mjcf_end(w);
}

/* a model's state begins with its coordinates, then their rates: qpos, then qvel */
static void write_key(mjcf_writer *w, const model *m, mjcf_shape shape) {
  double x0[MODEL_DIMENSION_MAX];
  m->type->initial_state(m, x0);
  mjcf_start(w, "keyframe");
  mjcf_start(w, "key");
  mjcf_text(w, "name", "start");
  mjcf_numbers(w, "qpos", shape.positions, x0);
  mjcf_numbers(w, "qvel", shape.rates, x0 + shape.positions);
  mjcf_end(w);
  mjcf_end(w);
}

static void write_scene(mjcf_writer *w, const model *m, const mjcf_emitter *emitter,
                        const mjcf_options *o, const mjcf_contact *contact) {
  const size_t contacts = model_contacts(m);
  char about[MJCF_COMMENT_SIZE] =
      " The bodies alone: a callback (mjcb_passive) adds the force of their contacts. ";
  if (!o->by_callback) emitter->describe(m, about);

  mjcf_start(w, "mujoco");
  mjcf_text(w, "model", emitter->model);
  mjcf_comment(w, about);
  mjcf_start(w, "compiler");
  mjcf_text(w, "angle", "radian");
  mjcf_end(w);
  write_option(w, o, contact, shape_of(emitter, m), emitter->gravity(m));
  write_size(w, o, contact, contacts);
  write_view(w);
  if (!o->by_callback) write_default(w, o, contact, has_pairs(o, emitter, contacts));
  mjcf_start(w, "worldbody");
  emitter->bodies(w, m, o);
  mjcf_end(w);
  if (has_pairs(o, emitter, contacts)) write_pairs(w, emitter, contacts);
  write_key(w, m, shape_of(emitter, m));
  mjcf_end(w);
}

/* the writer's buffer as text of the caller's own */
static int copy_out(mjcf_writer *w, char **text, size_t *length, char message[MODEL_MESSAGE_SIZE]) {
  if (!w->failed && xmlTextWriterFlush(w->xml) < 0) w->failed = true;
  const size_t size = w->failed ? 0 : (size_t)xmlBufferLength(w->buffer);
  *text = w->failed ? NULL : malloc(size + 1);
  if (!*text) {
    snprintf(message, MODEL_MESSAGE_SIZE, "mjcf: out of memory while writing the scene");
    return -1;
  }
  memcpy(*text, xmlBufferContent(w->buffer), size);
  (*text)[size] = '\0';
  if (length) *length = size;
  return 0;
}

int mjcf_write(const model *m, const mjcf_options *options, char **text, size_t *length,
               char message[MODEL_MESSAGE_SIZE]) {
  mjcf_contact contact = {0};
  *text = NULL;
  const mjcf_emitter *emitter = find(m, message);
  if (!emitter || check(options, message) != 0) return -1;
  if (!options->by_callback && emitter->contact(m, &contact, message) != 0) return -1;

  // numbers in the C locale, for this thread only and only while writing
  const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0) {
    snprintf(message, MODEL_MESSAGE_SIZE, "mjcf: the C locale is not available");
    return -1;
  }
  const locale_t callers = uselocale(c_locale);
  mjcf_writer w;
  mjcf_writer_open(&w);
  write_scene(&w, m, emitter, options, &contact);
  const int status = copy_out(&w, text, length, message);
  mjcf_writer_close(&w);
  uselocale(callers);
  freelocale(c_locale);
  return status;
}
