/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study's .json is, by its tables: as JSON Schema, and as the reference of its columns. */
#include <stdio.h>
#include <string.h>

#include "study_run.h"

enum { NAME_SIZE = 64 };

static json_t *reference_to(const char *definition) {
  char text[2 * NAME_SIZE];
  snprintf(text, sizeof text, "common.schema.json#/$defs/%s", definition);
  return json_pack("{s:s}", "$ref", text);
}

/* a member that is always there */
static void require(json_t *object, const char *name, json_t *schema) {
  json_t *required = json_object_get(object, "required");
  json_t *properties = json_object_get(object, "properties");
  if (!required) json_object_set_new(object, "required", required = json_array());
  if (!properties) json_object_set_new(object, "properties", properties = json_object());
  if (!json_object_get(properties, name)) json_array_append_new(required, json_string(name));
  json_object_set_new(properties, name, schema);
}

/* "a.b" is b of the object a */
static void require_member(json_t *object, const char *name, json_t *schema) {
  const char *const dot = strchr(name, '.');
  if (!dot) {
    require(object, name, schema);
    return;
  }
  char above[NAME_SIZE];
  snprintf(above, sizeof above, "%.*s", (int)(dot - name), name);
  json_t *inner = json_object_get(json_object_get(object, "properties"), above);
  if (!inner) require(object, above, inner = json_pack("{s:s}", "type", "object"));
  require_member(inner, dot + 1, schema);
}

static void require_settings(const study *s, json_t *object) {
  if (s->pinned)
    require(object, "host",
            json_pack("{s:s, s:s}", "description", "that all times are of", "type", "string"));
  if (s->model || !s->own_models)
    require(object, s->parameters ? s->parameters : "parameters", reference_to("model"));
  for (const study_option *o = s->options; o->name; o++)
    if (o->result) require(object, o->result, option_schema(o));
}

bool study_has_benchmarks(const study *s) {
  for (size_t i = 0; i < STUDY_TABLES_MAX && s->tables[i].columns; i++)
    if (s->tables[i].json && strcmp(s->tables[i].json, "benchmarks") == 0) return true;
  return false;
}

static void require_columns(json_t *object, const column columns[]) {
  for (const column *c = columns; c->name; c++)
    if (c->place == COLUMN_BOTH || c->place == COLUMN_JSON_ONLY)
      require_member(object, c->name, column_schema(c));
}

static json_t *row_schema(const study *s, size_t table) {
  const study_table *const t = &s->tables[table];
  if (!*t->columns->name) return column_schema(t->columns);
  json_t *const row = json_pack("{s:s, s:s}", "description", t->meaning, "type", "object");
  require_columns(row, t->columns);
  if (table && table == s->kept) {
    require_settings(s, row);
    require(row, "seed", json_pack("{s:s, s:i}", "type", "integer", "minimum", 0));
    require(row, "environment", reference_to("environment"));
  }
  for (size_t i = 1; i < STUDY_TABLES_MAX && s->tables[i].columns; i++)
    if (table && s->tables[i].json && s->tables[i].within == table)
      require(row, s->tables[i].json,
              json_pack("{s:s, s:o}", "type", "array", "items", row_schema(s, i)));
  return row;
}

json_t *study_schema(const study *s) {
  static const char *const head[] = {"essbench", "seed", "environment"};
  char title[2 * NAME_SIZE];
  snprintf(title, sizeof title, "%s.json of essbench %s", s->file, s->name);
  json_t *const schema = json_pack(
      "{s:s, s:s, s:s, s:[o]}", "$schema", "https://json-schema.org/draft/2020-12/schema", "title",
      title, "$comment", "SPDX-License-Identifier: GPL-3.0-or-later; written by essbench schema",
      "allOf", reference_to("head"));
  require(schema, "schema", json_pack("{s:s}", "const", s->schema));
  require(schema, "schema_version", json_pack("{s:i}", "const", 1));
  require(schema, "command", json_pack("{s:s}", "const", s->name));
  for (size_t i = 0; i < sizeof head / sizeof *head; i++) require(schema, head[i], json_true());
  if (!s->kept) require_settings(s, schema);
  if (study_has_benchmarks(s)) require(schema, "context", json_pack("{s:s}", "type", "object"));
  for (size_t i = 0; i < STUDY_TABLES_MAX && s->tables[i].columns; i++)
    if (s->tables[i].json && !*s->tables[i].json)
      require_columns(schema, s->tables[i].columns);
    else if (s->tables[i].json && !s->tables[i].within)
      require(schema, s->tables[i].json,
              json_pack("{s:s, s:o}", "type", "array", "items", row_schema(s, i)));
  return schema;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void print_table(const study *s, const study_table *t, FILE *stream) {
  fprintf(stream, "\n");
  if (t->csv) fprintf(stream, "`%s`", t->csv);
  if (t->csv && t->json) fprintf(stream, ", and ");
  if (t->json && t->within)
    fprintf(stream, "`%s` of each of `%s`", t->json, s->tables[t->within].json);
  if (t->json && !*t->json) fprintf(stream, "`%s.json`", s->file);
  if (t->json && *t->json && !t->within) fprintf(stream, "`%s` of `%s.json`", t->json, s->file);
  fprintf(stream, ": %s.\n\n| column | unit | meaning |\n|---|---|---|\n", t->meaning);
  for (const column *c = t->columns; c->name; c++) {
    if (c->place == COLUMN_SHOWN_ONLY || !*c->meaning) continue;
    fprintf(stream, "| `%s` | %s | %s%s |\n", *c->name ? c->name : t->json, c->unit, c->meaning,
            c->place == COLUMN_CSV_ONLY    ? " (CSV alone)"
            : c->place == COLUMN_JSON_ONLY ? " (JSON alone)"
                                           : "");
  }
}

void study_reference(const study *s, FILE *stream) {
  fprintf(stream, "## essbench %s\n\n%s\n", s->name, s->summary);
  for (size_t i = 0; i < STUDY_TABLES_MAX && s->tables[i].columns; i++)
    if (s->tables[i].csv || s->tables[i].json) print_table(s, &s->tables[i], stream);
}
