/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a start keeps before it is done: its references, and each run against them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "robot_parts.h"

/* numbers of a reference that are kept; a longer one is measured again */
static const double kept_max = 1e6;

static double number_of(const json_t *object, const char *name) {
  double value;
  return measure_json_value(json_object_get(object, name), &value) ? NAN : value;
}

static const char *text_of(const json_t *object, const char *name) {
  const char *const text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

static void set_number(json_t *object, const char *name, double value) {
  json_object_set_new(object, name, measure_json_number(value));
}

static const char *who_of(const robot_entry *e) {
  return e->kind == ROBOT_MUJOCO ? "MuJoCo" : e->kind == ROBOT_PLAIN ? "plain" : "libess";
}

/* ---- references ------------------------------------------------------------------------------ */

static json_t *numbers(const double value[], size_t count) {
  json_t *const array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, measure_json_number(value[i]));
  return array;
}

static json_t *touches_of(const robot_track *t) {
  json_t *const array = json_array();
  for (size_t i = 0; i < t->touches; i++)
    json_array_append_new(array,
                          json_pack("[f,I]", t->touch[i].time, (json_int_t)t->touch[i].event));
  return array;
}

static int keep_track(study_run *run, const char *name, const robot_entry *e,
                      const robot_track *t) {
  const robot_case *const c = run->own;
  const size_t count = t->reached * c->size.dimension;
  if ((double)count > kept_max) return 0;
  json_t *const value = json_object();
  set_number(value, "tolerance", e->knob);
  set_number(value, "reached", (double)t->reached);
  set_number(value, "until", t->until);
  set_number(value, "seconds", t->seconds);
  set_number(value, "evaluations", t->evaluations);
  set_number(value, "steps", t->steps);
  set_number(value, "jumps", t->jumps);
  set_number(value, "refused", t->refused);
  set_number(value, "event", t->event == SIZE_MAX ? NAN : (double)t->event);
  json_object_set_new(value, "status", json_string(t->status));
  json_object_set_new(value, "touches", touches_of(t));
  json_object_set_new(value, "crossings", numbers(t->stop, t->stops));
  json_object_set_new(value, "states", numbers(t->states, count));
  return study_keep_part(run, name, value);
}

static int take_touches(study_run *run, const json_t *array, robot_track *t) {
  const size_t count = json_array_size(array);
  t->touch = calloc(count + 1, sizeof *t->touch);
  if (!t->touch) return study_out_of_memory(run);
  t->room = count + 1;
  t->touches = count;
  for (size_t i = 0; i < count; i++) {
    const json_t *const one = json_array_get(array, i);
    t->touch[i] = (robot_touch){json_number_value(json_array_get(one, 0)),
                                (size_t)json_integer_value(json_array_get(one, 1))};
  }
  return 0;
}

static int take_crossings(study_run *run, const json_t *array, robot_track *t) {
  const size_t count = json_array_size(array);
  t->stop = calloc(count + 1, sizeof *t->stop);
  if (!t->stop) return study_out_of_memory(run);
  t->stop_room = count + 1;
  t->stops = count;
  for (size_t i = 0; i < count; i++) t->stop[i] = json_number_value(json_array_get(array, i));
  return 0;
}

static int take_track(study_run *run, const json_t *value, robot_track *t) {
  const robot_case *const c = run->own;
  const json_t *const states = json_object_get(value, "states");
  const double event = number_of(value, "event");
  const size_t count = json_array_size(states);
  t->reached = (size_t)number_of(value, "reached");
  if (t->reached > c->outputs || count != t->reached * c->size.dimension)
    return measure_fail(run->message, "a part is none of this start's; begin anew with --restart");
  t->until = number_of(value, "until");
  t->seconds = number_of(value, "seconds");
  t->evaluations = number_of(value, "evaluations");
  t->steps = number_of(value, "steps");
  t->jumps = number_of(value, "jumps");
  t->refused = number_of(value, "refused");
  t->event = isnan(event) ? SIZE_MAX : (size_t)event;
  t->status = study_text(run, "%s", text_of(value, "status"));
  for (size_t i = 0; i < count; i++) t->states[i] = json_number_value(json_array_get(states, i));
  for (size_t i = 0; i < t->reached; i++) t->at_end[i] = true;
  const int status = take_crossings(run, json_object_get(value, "crossings"), t);
  return status ? status : take_touches(run, json_object_get(value, "touches"), t);
}

int robot_follow_kept(study_run *run, const char *name, const robot_entry *e, const double x0[],
                      bool listen, robot_track *t) {
  const json_t *const known = study_part(run, name);
  if (known) return take_track(run, known, t);
  const int status = robot_follow(run, e, x0, listen, t);
  return status ? status : keep_track(run, name, e, t);
}

/* ---- numbers --------------------------------------------------------------------------------- */

bool robot_number_kept(const study_run *run, const char *name, double *value) {
  const json_t *const known = study_part(run, name);
  if (known) *value = number_of(known, "value");
  return known;
}

int robot_keep_number(study_run *run, const char *name, double number) {
  json_t *const value = json_object();
  set_number(value, "value", number);
  return study_keep_part(run, name, value);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static const char *const measures[] = {"rms_error", "position_error", "hinge_error"};

static robot_error error_of(const json_t *object) {
  return (robot_error){number_of(object, measures[0]), number_of(object, measures[1]),
                       number_of(object, measures[2])};
}

static void set_error(json_t *object, const robot_error *error) {
  set_number(object, measures[0], error->states);
  set_number(object, measures[1], error->bodies);
  set_number(object, measures[2], error->hinges);
}

bool robot_error_kept(const study_run *run, const char *name, robot_error *smallest) {
  const json_t *const known = study_part(run, name);
  if (known) *smallest = robot_error_smaller(*smallest, error_of(known));
  return known;
}

int robot_keep_error(study_run *run, const char *name, const robot_error *error) {
  json_t *const value = json_object();
  set_error(value, error);
  return study_keep_part(run, name, value);
}

/* ---- runs ------------------------------------------------------------------------------------ */

enum { NAME_SIZE = 32 };

static const char *name_of(size_t entry, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "run %zu", entry);
  return name;
}

bool robot_sample_kept(study_run *run, size_t entry, robot_sample *s, robot_error *mujoco) {
  char name[NAME_SIZE];
  const json_t *const known = study_part(run, name_of(entry, name));
  if (!known) return false;
  s->error = error_of(known);
  s->seconds = number_of(known, "seconds");
  s->evaluations = number_of(known, "evaluations");
  s->steps = number_of(known, "steps");
  s->note = study_text(run, "%s", text_of(known, "note"));
  *mujoco = robot_error_smaller(*mujoco, error_of(json_object_get(known, "mujoco")));
  return true;
}

int robot_keep_sample(study_run *run, size_t entry, const robot_sample *s,
                      const robot_error *mujoco) {
  char name[NAME_SIZE];
  const robot_case *const c = run->own;
  const robot_entry *const e = &c->entry[entry];
  if (study_part(run, name_of(entry, name))) return 0;
  json_t *const value = json_object();
  json_object_set_new(value, "who", json_string(who_of(e)));
  json_object_set_new(value, "variant", json_string(e->variant));
  set_number(value, "knob", e->knob);
  set_error(value, &s->error);
  set_number(value, "seconds", s->seconds);
  set_number(value, "evaluations", s->evaluations);
  set_number(value, "steps", s->steps);
  json_t *const nearest = json_object();
  set_error(nearest, mujoco);
  json_object_set_new(value, "mujoco", nearest);
  json_object_set_new(value, "note", json_string(s->note));
  return study_keep_part(run, name, value);
}

/* ---- what is there --------------------------------------------------------------------------- */

static void show_run(const char *who, const char *variant, double knob, double error,
                     double seconds, const char *note) {
  printf("  %-7s %-12s %8.3g ", who, variant, knob);
  if (*note)
    printf(" %.66s\n", note);
  else
    printf(" %9.3g mm %9.3g s\n", 1e3 * error, seconds);
}

/* a step in s, or a tolerance; the bodies' error; the time of a run */
void robot_show_part(const char *name, const json_t *value) {
  if (json_object_get(value, "states"))
    printf("  %s: libess at %g, to %.3g s, in %.3g s\n", name, number_of(value, "tolerance"),
           number_of(value, "until"), number_of(value, "seconds"));
  else if (json_object_get(value, "who"))
    show_run(text_of(value, "who"), text_of(value, "variant"), number_of(value, "knob"),
             number_of(value, "position_error"), number_of(value, "seconds"),
             text_of(value, "note"));
}

void robot_show_runs(const study_run *run) {
  size_t count;
  puts("Each run: its step in s or its tolerance, how far the bodies are off, and its time "
       "(medians):");
  const robot_mujoco_row *const m = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    show_run("MuJoCo", m[i].variant, m[i].time_step, m[i].position_error, m[i].seconds,
             m[i].known ? "" : m[i].note);
  for (size_t table = ROBOT_LIBESS_ROWS; table <= ROBOT_PLAIN_ROWS; table++) {
    const robot_libess_row *const l = study_rows(run, table, &count);
    for (size_t i = 0; i < count; i++)
      show_run(table == ROBOT_LIBESS_ROWS ? "libess" : "plain", l[i].base, l[i].tolerance,
               l[i].position_error, l[i].seconds, l[i].known ? "" : l[i].note);
  }
}
