/*
 * speed.json: rows, marginal costs, samples, callbacks, and the comparison with location.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdint.h>

#include "json_file.h"
#include "record.h"
#include "solvers.h"
#include "speed.h"

static json_t *interval_json(const measure_interval *i) {
  json_t *const ends = json_array();
  json_array_append_new(ends, measure_json_number(i->low));
  json_array_append_new(ends, measure_json_number(i->high));
  return ends;
}

/* a number `name` and its interval `interval` */
static void set_interval(json_t *object, const char *name, const char *interval,
                         const measure_interval *i) {
  json_object_set_new(object, name, measure_json_number(i->estimate));
  json_object_set_new(object, interval, interval_json(i));
}

solver_settings speed_settings(const speed_case *c, const speed_entry *entry) {
  return solver_settings_in_force(entry->solver, &entry->settings, c->form[0].type->time_step);
}

json_t *speed_row_json(const speed_row *row, const solver_settings *settings) {
  json_t *const object = json_object();
  for (size_t i = 0; i < SPEED_TEXTS; i++)
    json_object_set_new(object, speed_text_names[i], json_string(row->text[i]));
  for (size_t i = 0; i < SPEED_NUMBERS; i++)
    json_object_set_new(object, speed_number_names[i], measure_json_number(row->number[i]));
  json_object_set_new(object, "settings", record_settings(settings));
  return object;
}

/* ---- costs ----------------------------------------------------------------------------------- */

static json_t *marginals_json(const speed_data *data) {
  json_t *const list = json_array();
  for (size_t i = 0; i < data->marginal_count; i++) {
    const speed_marginal *const m = &data->marginal[i];
    json_t *const one = json_pack("{s:s}", "field", speed_form_name(m->form));
    set_interval(one, "s_per_contact", "interval", &m->ours);
    set_interval(one, "mujoco_s_per_contact", "mujoco_interval", &m->mujoco);
    set_interval(one, "share", "share_interval", &m->share);
    json_object_set_new(one, "share_before",
                        measure_json_number(speed_before_share(data->before, m->form)));
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *samples_json(const speed_data *data) {
  json_t *const list = json_array();
  for (size_t i = 0; i < data->sample_count; i++) {
    const speed_sample_cost *const s = &data->sample[i];
    json_t *const one =
        json_pack("{s:s, s:I, s:I, s:I, s:I}", "model", s->of->form[0].type->name, "contacts",
                  (json_int_t)s->of->contacts, "dimension", (json_int_t)s->dimension, "rows",
                  (json_int_t)s->rows, "rows_less", (json_int_t)s->fewer);
    set_interval(one, "s_per_row", "interval", &s->row);
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *callbacks_json(const speed_data *data) {
  json_t *const list = json_array();
  for (size_t i = 0; i < data->count; i++) {
    const speed_case *const c = &data->cases[i];
    for (size_t k = 0; k < c->forms * SPEED_CALLBACKS; k++) {
      const speed_form form = (speed_form)(k / SPEED_CALLBACKS);
      const measure_interval *const call = &c->costs[form].call[k % SPEED_CALLBACKS];
      if (isnan(call->estimate)) continue;
      json_t *const one =
          json_pack("{s:s, s:I, s:o, s:s, s:s}", "model", c->form[0].type->name, "contacts",
                    (json_int_t)c->contacts, "damping", measure_json_number(c->damping), "field",
                    c->forms > 1 ? speed_form_name(form) : "", "callback",
                    speed_callback_names[k % SPEED_CALLBACKS]);
      set_interval(one, "s_per_call", "interval", call);
      json_array_append_new(list, one);
    }
  }
  return list;
}

/* ---- against location ------------------------------------------------------------------------ */

const char *const speed_point_names[SPEED_POINT_NUMBERS] = {
    "choice_s",         "choice_rms",     "median_s",
    "rms_error",        "rms_q90",        "rms_worst",
    "events_ratio",     "s_per_crossing", "entries_per_crossing",
    "mean_projection_s"};

void speed_point_numbers(const speed_point *p, double out[SPEED_POINT_NUMBERS]) {
  const double values[SPEED_POINT_NUMBERS] = {
      p->choice_s,     p->choice_rms, p->median_s,
      p->rms_error,    p->rms_q90,    p->rms_worst,
      p->events_ratio, p->crossing_s, p->entries_per_crossing,
      p->projected_s};
  for (size_t i = 0; i < SPEED_POINT_NUMBERS; i++) out[i] = values[i];
}

const char *speed_point_regime(const speed_location *l, const speed_point *p) {
  if (isnan(p->entries_per_crossing) || isnan(p->rms_error)) return "";
  return speed_regime(p->entries_per_crossing, p->projected_s, l->of->form[0].type->time_step);
}

static json_t *point_json(const speed_location *l, size_t i) {
  if (i == SIZE_MAX) return json_null();
  const speed_point *const p = &l->point[i];
  double values[SPEED_POINT_NUMBERS];
  json_t *const object = json_pack("{s:s, s:s}", "method", speed_family_names[p->family], "regime",
                                   speed_point_regime(l, p));
  speed_point_numbers(p, values);
  for (size_t k = 0; k < SPEED_POINT_NUMBERS; k++)
    json_object_set_new(object, speed_point_names[k], measure_json_number(values[k]));
  const solver_settings settings = speed_settings(l->of, p->entry);
  json_object_set_new(object, "settings", record_settings(&settings));
  return object;
}

/* one point for every epsilon of each family of the projection */
static json_t *over_epsilon_json(const speed_location *l) {
  json_t *const list = json_array();
  for (speed_family f = SPEED_ORDER_1; f <= SPEED_ORDER_2; f++)
    for (size_t i = 0; i < SPEED_EPSILONS; i++) {
      const size_t at = speed_location_at(l, f, speed_epsilons[i]);
      if (at != SIZE_MAX) json_array_append_new(list, point_json(l, at));
    }
  return list;
}

/* one point for every tolerance of a family that has nothing else */
static json_t *over_tolerance_json(const speed_location *l, speed_family family) {
  json_t *const list = json_array();
  for (size_t i = 0; i < l->race.count; i++)
    if (l->point[i].family == family && !isnan(l->point[i].rms_error))
      json_array_append_new(list, point_json(l, i));
  return list;
}

static json_t *duels_json(const speed_location *l) {
  json_t *const list = json_array();
  for (size_t i = 0; i < SPEED_TARGETS; i++) {
    const speed_duel *const d = &l->duel[i];
    json_t *const one = json_pack("{s:f, s:o, s:o}", "target", d->target, "location",
                                  point_json(l, d->location), "libess", point_json(l, d->libess));
    set_interval(one, "location_over_libess", "interval", &d->location_over_libess);
    json_array_append_new(list, one);
  }
  return list;
}

static json_t *location_json(const speed_location *l) {
  if (!l->of) return json_null();
  return json_pack("{s:I, s:o, s:s, s:I, s:o, s:o, s:o, s:o}", "contacts",
                   (json_int_t)l->of->contacts, "damping", measure_json_number(l->of->damping),
                   "field", speed_form_name(SPEED_CONTACTS), "trials", (json_int_t)l->race.trials,
                   "over_epsilon", over_epsilon_json(l), "over_tolerance",
                   over_tolerance_json(l, SPEED_LIBESS), "located",
                   over_tolerance_json(l, SPEED_LOCATION), "duels", duels_json(l));
}

/* ---- all of it ------------------------------------------------------------------------------- */

json_t *speed_json(const speed_data *data, json_t *rows) {
  json_t *const object = record_begin("essbench-speed-1", data->given, data->core);
  if (!object) return NULL;
  json_object_set_new(object, "trials", json_integer((json_int_t)data->given->trials));
  json_object_set_new(object, "complete", json_boolean(data->complete));
  json_object_set_new(object, "confidence", json_real(0.95));
  json_object_set_new(object, "root_finding",
                      json_pack("{s:f, s:f}", "entries_per_crossing", SPEED_ROOT_ENTRIES,
                                "share_of_output_step", SPEED_ROOT_SHARE));
  json_object_set(object, "rows", rows);
  json_object_set_new(object, "marginals", marginals_json(data));
  json_object_set_new(object, "samples", samples_json(data));
  json_object_set_new(object, "callbacks", callbacks_json(data));
  json_object_set_new(object, "location", location_json(&data->location));
  json_object_set_new(object, "before",
                      data->given->before ? json_string(data->given->before) : json_null());
  return object;
}
