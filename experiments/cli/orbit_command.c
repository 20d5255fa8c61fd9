/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench orbit: a periodic orbit of a model, how disturbances grow on it, and where that changes
 * along a parameter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json_file.h"
#include "measure.h"
#include "names.h"
#include "orbit.h"
#include "record.h"
#include "solvers.h"

enum { STEPS = 20 };

/* derivatives of orbits are worth more digits than runs are, and cost little */
static const double usual_tolerance = 1e-11;

typedef struct found {
  ess_options options;
  orbit_request request;
  orbit orbit;
  branch branch;
  bool is_followed;
} found;

static const model_section *section_of(const found *f) {
  return f->request.m->type->section;
}

static const char *coordinate(const found *f, size_t i) {
  return model_state_name(f->request.m, section_of(f)->states[i]);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static void refuse_model(const arguments *given) {
  names known = names_for("", 0);
  for (size_t i = 0; model_types[i]; i++)
    if (model_types[i]->section) names_add(&known, model_types[i]->name);
  command_usage(given, "model %s has no section; there are %s", given->m.type->name, known.list);
}

static void read_guess(const arguments *given, found *f) {
  const model_section *const section = section_of(f);
  double x0[MODEL_DIMENSION_MAX];
  f->orbit.count = section->count;
  given->m.type->initial_state(&given->m, x0);
  for (size_t i = 0; i < section->count; i++) f->orbit.s[i] = x0[section->states[i]];
  if (!given->guess || command_numbers(given->guess, section->count, f->orbit.s)) return;
  char known[200] = "";
  for (size_t i = 0; i < section->count; i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? "," : "",
             coordinate(f, i));
  command_usage(given, "--guess %.60s is not accepted; it is %zu number%s, %s", given->guess,
                section->count, section->count == 1 ? "" : "s with commas between", known);
}

static void read_branch(const arguments *given, double *to) {
  if (!given->by) {
    if (given->to || given->steps)
      command_usage(given, "--%s needs --by NAME, the parameter of the continuation",
                    given->to ? "to" : "steps");
    return;
  }
  if (!given->to) command_usage(given, "--by needs --to X, the final value of %.40s", given->by);
  if (measure_number_parse(given->to, to) || !isfinite(*to))
    command_usage(given, "--to %.40s is not accepted; it is a number", given->to);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static json_t *matrices_of(const orbit *o) {
  json_t *const pieces = json_array();
  for (size_t p = 0; p < o->shown; p++) {
    json_t *const rows = json_array();
    for (size_t i = 0; i < o->count; i++)
      json_array_append_new(rows, measure_json_numbers(o->matrix[p] + i * o->count, o->count, 1));
    json_array_append_new(pieces,
                          json_pack("{s:o, s:o}", "order",
                                    measure_json_counts(o->order[p], o->tied), "matrix", rows));
  }
  return pieces;
}

static json_t *orbit_json(const orbit *o) {
  json_t *const multipliers = json_array();
  for (size_t i = 0; i < o->count; i++)
    json_array_append_new(multipliers, json_pack("[o, o]", measure_json_number(o->real[i]),
                                                 measure_json_number(o->imaginary[i])));
  return json_pack("{s:o, s:o, s:o, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "state",
                   measure_json_numbers(o->s, o->count, 1), "period",
                   measure_json_number(o->period), "residual", measure_json_number(o->residual),
                   "iterations", (json_int_t)o->iterations, "flow", flow_kind_name(o->kind),
                   "pieces", o->pieces ? json_integer((json_int_t)o->pieces) : json_null(),
                   "matrices", matrices_of(o), "multipliers", multipliers, "growth_least",
                   measure_json_number(o->least), "growth_most", measure_json_number(o->most),
                   "stability", orbit_stability_name(o->stability));
}

static json_t *branch_json(const found *f) {
  const branch *const b = &f->branch;
  if (!f->is_followed) return json_null();
  json_t *const points = json_array(), *const changes = json_array();
  for (size_t i = 0; i < b->points; i++)
    json_array_append_new(points, json_pack("{s:o, s:o}", "value", measure_json_number(b->value[i]),
                                            "orbit", orbit_json(&b->orbit[i])));
  for (size_t i = 0; i < b->changes; i++)
    json_array_append_new(changes, json_pack("{s:s, s:o, s:o}", "kind",
                                             branch_change_name(b->change[i].kind), "value",
                                             measure_json_number(b->change[i].value), "orbit",
                                             orbit_json(&b->change[i].at)));
  return json_pack("{s:s, s:b, s:o, s:o, s:o}", "by", b->parameter, "reached", b->reached, "why",
                   *b->why ? json_string(b->why) : json_null(), "points", points, "changes",
                   changes);
}

static json_t *as_json(const found *f) {
  json_t *const coordinates = json_array();
  for (size_t i = 0; i < f->orbit.count; i++)
    json_array_append_new(coordinates, json_string(coordinate(f, i)));
  return json_pack("{s:s, s:i, s:s, s:o, s:I, s:I, s:o, s:o, s:o}", "schema", "essbench-orbit-1",
                   "schema_version", 1, "model", f->request.m->type->name, "parameters",
                   record_model(f->request.m), "guard", (json_int_t)section_of(f)->guard,
                   "passages", (json_int_t)f->request.passages, "coordinates", coordinates, "orbit",
                   orbit_json(&f->orbit), "branch", branch_json(f));
}

/* ---- as a table ------------------------------------------------------------------------------ */

static void print_multiplier(double real, double imaginary) {
  if (imaginary == 0.0)
    printf(" %.9g", real);
  else
    printf(" %.9g%+.9gi", real, imaginary);
}

static void print_stability(const orbit *o) {
  printf("%s", orbit_stability_name(o->stability));
  if (o->shown > 1)
    printf(": by the worst product of %zu of its %zu pieces a disturbance grows by %.6g to %.6g "
           "with each map",
           o->shown, o->pieces, o->least, o->most);
  else
    printf(": the largest multiplier has size %.9g", o->least);
  putchar('\n');
}

static void print_orbit(const found *f) {
  const orbit *const o = &f->orbit;
  printf("%s: periodic orbit on its section, found in %u steps of Newton's method, to %.1e\n",
         f->request.m->type->name, o->iterations, o->residual);
  for (size_t i = 0; i < o->count; i++) printf("  %-12s %.12g\n", coordinate(f, i), o->s[i]);
  printf("  %-12s %.12g\n", "period", o->period);
  for (size_t p = 0; o->shown > 1 && p < o->shown; p++) {
    printf("piece %zu of %zu, the last events in the order", p + 1, o->pieces);
    for (size_t i = 0; i < o->tied; i++) printf("%s %zu", i ? "," : "", o->order[p][i]);
    putchar('\n');
    for (size_t i = 0; i < o->count; i++) {
      for (size_t j = 0; j < o->count; j++) printf(" %14.8g", o->matrix[p][i * o->count + j]);
      putchar('\n');
    }
  }
  printf("multipliers%s\n", o->shown > 1 ? " of the first piece" : "");
  for (size_t i = 0; i < o->count; i++) {
    putchar(' ');
    print_multiplier(o->real[i], o->imaginary[i]);
    putchar('\n');
  }
  print_stability(o);
}

static void print_branch(const found *f) {
  const branch *const b = &f->branch;
  if (!f->is_followed) return;
  printf("along %s\n  %14s", b->parameter, b->parameter);
  for (size_t i = 0; i < f->orbit.count; i++) printf(" %14s", coordinate(f, i));
  printf(" %14s %10s  %-10s %s\n", "period", "growth", "", "multipliers");
  for (size_t k = 0; k < b->points; k++) {
    const orbit *const o = &b->orbit[k];
    printf("  %14.9g", b->value[k]);
    for (size_t i = 0; i < o->count; i++) printf(" %14.9g", o->s[i]);
    printf(" %14.9g %10.6f  %-10s", o->period, o->least, orbit_stability_name(o->stability));
    for (size_t i = 0; i < o->count; i++) print_multiplier(o->real[i], o->imaginary[i]);
    putchar('\n');
  }
  for (size_t i = 0; i < b->changes; i++)
    printf("%s at %s = %.9g\n", branch_change_name(b->change[i].kind), b->parameter,
           b->change[i].value);
}

/* no orbit was found, by what the user has asked for: one that is known is named */
static int stop(arguments *given, const found *f, int status, const char *message) {
  char said[2 * SOLVER_MESSAGE_SIZE];
  const char *const known = section_of(f)->known;
  snprintf(said, sizeof said, "%s%s%s", message, known ? "; one is found by " : "",
           known ? known : "");
  return command_stop(given, status, said);
}

static int report(arguments *given, const found *f) {
  if (!given->json) {
    print_orbit(f);
    print_branch(f);
  }
  const int status = given->json ? command_result(given, as_json(f)) : COMMAND_SUCCESS;
  if (status || !f->is_followed || f->branch.reached) return status;
  return command_fail(given, "the orbit was followed to %s %.9g: %s", f->branch.parameter,
                      f->branch.value[f->branch.points - 1], f->branch.why);
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  double to = NAN;
  if (!given->m.type->section) refuse_model(given);
  if (given->solver != &libess_solver) {
    measure_message(message, "solver %s cannot compute orbits; libess can", given->solver->name);
    return command_stop(given, SOLVER_REFUSED, message);
  }
  read_branch(given, &to);
  const int refused = model_prepare(&given->m, message);
  if (refused) return command_stop(given, refused, message);
  found *const f = calloc(1, sizeof *f);
  if (!f) return command_fail(given, "out of memory");
  f->options =
      solver_libess_options(ESS_METHOD_TOLERANCE, &given->settings, given->m.type->time_step);
  const unsigned tolerances = SETTING_TOLERANCE | SETTING_RTOL | SETTING_ATOL;
  if (!(given->settings_given & tolerances)) f->options.rtol = f->options.atol = usual_tolerance;
  f->options.tie = given->tie;
  if (given->m.type->slides) f->options.sliding = ESS_SLIDING_SLIDE;
  f->request = (orbit_request){
      .m = &given->m, .options = &f->options, .passages = given->passages ? given->passages : 1};
  read_guess(given, f);
  int status = orbit_find(&f->request, &f->orbit, message);
  if (!status && given->by) {
    f->is_followed = true;
    status = branch_follow(&f->request, &f->orbit, given->by, to,
                           given->steps ? given->steps : STEPS, &f->branch, message);
  }
  status = status ? stop(given, f, status, message) : report(given, f);
  branch_free(&f->branch);
  free(f);
  return status;
}

const command orbit_command = {
    .name = "orbit",
    .summary = "periodic orbit of a model, its multipliers, and continuation in a parameter",
    .example = "essbench orbit --model walker --by slope --to 0.016",
    .groups =
        ARGUMENTS_MODEL | ARGUMENTS_SOLVER | ARGUMENTS_SETTINGS | ARGUMENTS_JSON | ARGUMENTS_ORBIT,
    .run = run,
};
