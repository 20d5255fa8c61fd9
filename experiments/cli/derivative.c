/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench derivative: the state a model ends in, and its derivative by the one it starts from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "flow.h"
#include "gradient.h"
#include "json_file.h"
#include "measure.h"
#include "names.h"
#include "record.h"
#include "solvers.h"

/* more pieces than anyone looks at are counted, and not written out */
enum { PIECES_SHOWN_MAX = 64 };

#define WAYS "forward, adjoint or differences"

/* what came of one trajectory, with room for it */
typedef struct followed {
  flow of;
  double state[MODEL_DIMENSION_MAX], tangent[MODEL_DIMENSION_MAX * MODEL_DIMENSION_MAX];
} followed;

/* what was asked for: read, and refused, before there is anything to free */
typedef struct question {
  double direction[MODEL_DIMENSION_MAX];
  gradient_way way;
  size_t outcome; /* of which derivatives are printed by name; SIZE_MAX: none */
} question;

typedef struct derivative {
  size_t n;
  question asked;
  double x0[MODEL_DIMENSION_MAX];
  ess_options options;
  followed whole, one; /* by all states; along the direction */
  followed piece[PIECES_SHOWN_MAX];
  size_t shown;
  gradient by_name;
  double *room;
  gradient_check check;
  bool is_checked;
} derivative;

static int follow_into(const flow_request *request, followed *f,
                       char message[SOLVER_MESSAGE_SIZE]) {
  f->of = (flow){.state = f->state, .tangent = f->tangent};
  return flow_follow(request, &f->of, message);
}

/* the whole derivative, then its pieces, then what is asked for along a direction */
static int follow(const arguments *given, derivative *d, char message[SOLVER_MESSAGE_SIZE]) {
  flow_request request = {.m = &given->m,
                          .options = &d->options,
                          .x0 = d->x0,
                          .t1 = model_get(&given->m, "duration"),
                          .piece = SIZE_MAX};
  int status = follow_into(&request, &d->whole, message);
  const flow *const whole = &d->whole.of;
  if (status || whole->kind == FLOW_DISCONTINUOUS) return status;
  if (whole->kind == FLOW_PIECEWISE)
    d->shown = whole->pieces < PIECES_SHOWN_MAX ? whole->pieces : PIECES_SHOWN_MAX;
  for (request.piece = 0; !status && request.piece < d->shown; request.piece++)
    status = follow_into(&request, &d->piece[request.piece], message);
  if (status || !given->direction) return status;
  request.piece = SIZE_MAX;
  request.count = 1;
  request.directions = d->asked.direction;
  return follow_into(&request, &d->one, message);
}

/* the way and the outcome that are asked for */
static void read_outcome(arguments *given, question *asked) {
  const model *const m = &given->m;
  asked->outcome = flow_ends(m) ? m->system.dimension : SIZE_MAX;
  asked->way = GRADIENT_FORWARD;
  if (given->way && !gradient_way_find(given->way, &asked->way))
    command_usage(given, "--way %.40s is not accepted; it is %s", given->way, WAYS);
  if (!given->outcome) return;
  const size_t count = gradient_outcomes(m);
  size_t *const at = &asked->outcome;
  for (*at = 0; *at < count; ++*at)
    if (strcmp(gradient_outcome_name(m, *at), given->outcome) == 0) return;
  names known = names_for("", 0);
  for (size_t i = 0; i < count; i++) names_add(&known, gradient_outcome_name(m, i));
  command_usage(given, "--outcome %.40s is not accepted; %s has %s", given->outcome, m->type->name,
                known.list);
}

static question read_question(arguments *given) {
  question asked = {0};
  const size_t n = given->m.system.dimension;
  if (given->direction && !command_numbers(given->direction, n, asked.direction))
    command_usage(given,
                  "--direction %.60s is not accepted; it is %zu numbers with commas between, one "
                  "for each state of %s",
                  given->direction, n, given->m.type->name);
  read_outcome(given, &asked);
  return asked;
}

static int find_by_name(const arguments *given, derivative *d, char message[SOLVER_MESSAGE_SIZE]) {
  const size_t rows = gradient_outcomes(&given->m), columns = gradient_inputs(&given->m);
  if (d->asked.outcome == SIZE_MAX || d->whole.of.kind == FLOW_DISCONTINUOUS) return 0;
  d->room = calloc(rows * (columns + 1), sizeof *d->room);
  if (!d->room) return SOLVER_FAIL(message, "out of memory");
  d->by_name = (gradient){.value = d->room, .by = d->room + rows};
  return gradient_find(&given->m, &d->options, d->x0, d->asked.way, &d->by_name, message);
}

static int compare(const arguments *given, derivative *d, char message[SOLVER_MESSAGE_SIZE]) {
  if (!given->check || d->whole.of.kind == FLOW_DISCONTINUOUS) return 0;
  d->is_checked = true;
  return gradient_check_all(&given->m, &d->options, d->x0, d->whole.of.kind, &d->check, message);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static json_t *matrix(const double values[], size_t n) {
  json_t *const rows = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(rows, measure_json_numbers(values + i * n, n, 1));
  return rows;
}

static json_t *instants_of(const flow *f) {
  return json_pack("{s:I, s:o, s:o}", "instants", (json_int_t)f->instants, "time",
                   measure_json_number(f->tie_time), "events",
                   measure_json_counts(f->order, f->tied));
}

static json_t *pieces_of(const derivative *d) {
  json_t *const pieces = json_array();
  for (size_t i = 0; i < d->shown; i++)
    json_array_append_new(pieces,
                          json_pack("{s:o, s:o}", "order",
                                    measure_json_counts(d->piece[i].of.order, d->piece[i].of.tied),
                                    "matrix", matrix(d->piece[i].tangent, d->n)));
  return pieces;
}

/* the derivative of the outcome, by each input's name; null where none is asked for */
static json_t *by_name(const arguments *given, const derivative *d) {
  if (!d->room) return json_null();
  const size_t columns = gradient_inputs(&given->m);
  json_t *const array = json_array();
  for (size_t j = 0; j < columns; j++)
    json_array_append_new(
        array, json_pack("{s:s, s:o}", "name", gradient_input_name(&given->m, j), "value",
                         measure_json_number(d->by_name.by[d->asked.outcome * columns + j])));
  return array;
}

/* where each way is the farthest from tangents */
static json_t *check_of(const arguments *given, const derivative *d) {
  if (!d->is_checked) return json_null();
  const model *const m = &given->m;
  json_t *const ways = json_array();
  for (gradient_way way = 0; way < GRADIENT_WAYS; way++) {
    const gradient_gap *const gap = &d->check.gap[way];
    const size_t at = gap->outcome * gradient_inputs(m) + gap->input;
    if (!d->check.compared[way]) continue;
    json_array_append_new(
        ways, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "way", gradient_way_name(way),
                        "outcome", gradient_outcome_name(m, gap->outcome), "by",
                        gradient_input_name(m, gap->input), "forward",
                        measure_json_number(d->check.of[GRADIENT_FORWARD].by[at]), "value",
                        measure_json_number(d->check.of[way].by[at]), "off",
                        measure_json_number(gap->off), "allowed", measure_json_number(gap->allowed),
                        "agrees", gap->off <= gap->allowed));
  }
  return json_pack("{s:b, s:o}", "agrees", gradient_check_agrees(&d->check), "ways", ways);
}

static json_t *outcome_of(const arguments *given, const derivative *d) {
  if (!d->room) return json_null();
  const size_t outcome = d->asked.outcome;
  return json_pack("{s:s, s:o}", "name", gradient_outcome_name(&given->m, outcome), "value",
                   measure_json_number(d->by_name.value[outcome]));
}

static json_t *as_json(const arguments *given, const derivative *d) {
  const flow *const f = &d->whole.of;
  const bool exists = f->kind != FLOW_DISCONTINUOUS, is_one = f->kind == FLOW_C1;
  json_t *const states = json_array();
  for (size_t i = 0; i < d->n; i++)
    json_array_append_new(states, json_string(model_state_name(&given->m, i)));
  json_t *const object = json_pack(
      "{s:s, s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "schema",
      "essbench-derivative-1", "schema_version", 1, "model", given->m.type->name, "solver",
      given->solver->name, "parameters", record_model(&given->m), "time", measure_json_number(f->t),
      "states", states, "state", exists ? measure_json_numbers(f->state, d->n, 1) : json_null(),
      "flow", flow_kind_name(f->kind), "derivative",
      is_one ? matrix(f->tangent, d->n) : json_null(), "pieces",
      f->pieces ? json_integer((json_int_t)f->pieces) : json_null(), "matrices",
      f->kind == FLOW_PIECEWISE ? pieces_of(d) : json_null(), "simultaneous",
      f->instants || !exists ? instants_of(f) : json_null(), "directional",
      given->direction && exists ? measure_json_numbers(d->one.tangent, d->n, 1) : json_null());
  json_object_set_new(
      object, "cost",
      json_pack("{s:I, s:I, s:I, s:I}", "field_evaluations",
                (json_int_t)f->counters.field_evaluations, "field_jacobian_evaluations",
                (json_int_t)f->counters.field_jacobian_evaluations, "crossings",
                (json_int_t)f->counters.crossings, "impacts", (json_int_t)f->counters.impacts));
  char contacts[MODEL_MODE_SIZE];
  const bool has_contacts =
      given->m.type->describe_start && !given->m.type->describe_start(&given->m, d->x0, contacts);
  json_object_set_new(object, "outcome", outcome_of(given, d));
  json_object_set_new(object, "way",
                      d->room ? json_string(gradient_way_name(d->asked.way)) : json_null());
  json_object_set_new(object, "by", by_name(given, d));
  json_object_set_new(object, "check", check_of(given, d));
  json_object_set_new(object, "start_contacts", has_contacts ? json_string(contacts) : json_null());
  return object;
}

/* ---- as a table ------------------------------------------------------------------------------ */

static void print_matrix(const arguments *given, const derivative *d, const double values[]) {
  printf("  %-9s", "");
  for (size_t j = 0; j < d->n; j++) printf(" %14s", model_state_name(&given->m, j));
  putchar('\n');
  for (size_t i = 0; i < d->n; i++) {
    printf("  %-9s", model_state_name(&given->m, i));
    for (size_t j = 0; j < d->n; j++) printf(" %14.8g", values[i * d->n + j]);
    putchar('\n');
  }
}

static void print_order(const flow *f) {
  for (size_t i = 0; i < f->tied; i++) printf("%s%zu", i ? ", " : "", f->order[i]);
}

/* A mechanism's states are those in which its contacts stay closed; the others have derivatives of
 * how integration returns from them. */
static void print_start(const arguments *given, const derivative *d) {
  char contacts[MODEL_MODE_SIZE];
  if (!given->m.type->describe_start || given->m.type->describe_start(&given->m, d->x0, contacts) ||
      strcmp(contacts, "{}") == 0)
    return;
  printf("an initial direction is meaningful if it keeps the contacts %s closed and at rest\n",
         contacts);
}

static void print_check(const arguments *given, const derivative *d) {
  const model *const m = &given->m;
  if (!d->is_checked) return;
  printf("largest difference of each method from tangents, and the difference allowed\n  %-12s "
         "%-9s %-9s "
         "%18s %18s %9s %9s\n",
         "method", "outcome", "by", "forward", "by method", "differs", "allowed");
  for (gradient_way way = 0; way < GRADIENT_WAYS; way++) {
    const gradient_gap *const gap = &d->check.gap[way];
    const size_t at = gap->outcome * gradient_inputs(m) + gap->input;
    if (!d->check.compared[way]) continue;
    printf("  %-12s %-9s %-9s %18.12g %18.12g %9.2g %9.2g%s\n", gradient_way_name(way),
           gradient_outcome_name(m, gap->outcome), gradient_input_name(m, gap->input),
           d->check.of[GRADIENT_FORWARD].by[at], d->check.of[way].by[at], gap->off, gap->allowed,
           gap->off <= gap->allowed ? "" : "  no");
  }
  if (!d->check.compared[GRADIENT_DIFFERENCES])
    printf("differences are not compared: %s\n",
           *d->check.why ? d->check.why : "they would mix pieces of the derivative");
  const bool all = d->check.compared[GRADIENT_DIFFERENCES];
  printf("verdict: tangents and adjoint%s %s%s\n", all ? " and differences" : "",
         gradient_check_agrees(&d->check) ? "agree" : "disagree",
         all ? "" : "; they are not compared with differences");
}

static void print_text(const arguments *given, const derivative *d) {
  const flow *const f = &d->whole.of;
  if (f->kind == FLOW_DISCONTINUOUS) {
    printf("%s: the flow is discontinuous: at t = %.9g s events ", given->m.type->name,
           f->tie_time);
    print_order(f);
    printf(" are simultaneous, and the result depends on their order\n");
    return;
  }
  if (flow_ends(&given->m))
    printf("%s ends at %s = %.12g:\n", given->m.type->name, given->m.type->end_name, f->t);
  else
    printf("%s at t = %g s:\n", given->m.type->name, f->t);
  for (size_t i = 0; i < d->n; i++)
    printf("  %-9s %.12g\n", model_state_name(&given->m, i), f->state[i]);
  if (f->instants) {
    printf("simultaneous events at %zu instant%s, last at t = %.9g s: ", f->instants,
           f->instants == 1 ? "" : "s", f->tie_time);
    print_order(f);
    putchar('\n');
  }
  if (f->kind == FLOW_C1) {
    printf("derivative with respect to the initial state (C1: the same for every direction); a row "
           "for each state at the "
           "end, a column for each initial one\n");
    print_matrix(given, d, f->tangent);
  } else if (f->kind == FLOW_NOT_COUNTED) {
    printf("%s: the pieces of the derivative are not counted\n",
           f->instants ? "too many events are simultaneous to try all orders"
                       : "the state stays at a non-smooth point of the right-hand side without an "
                         "event function");
  }
  for (size_t i = 0; i < d->shown; i++) {
    printf("piece %zu of %zu, events in the order ", i + 1, f->pieces);
    print_order(&d->piece[i].of);
    putchar('\n');
    print_matrix(given, d, d->piece[i].tangent);
  }
  print_start(given, d);
  if (given->direction) {
    printf("along the direction\n");
    for (size_t i = 0; i < d->n; i++)
      printf("  %-9s %.12g\n", model_state_name(&given->m, i), d->one.tangent[i]);
  }
  if (d->room) {
    printf("%s by each input, %s%s\n", gradient_outcome_name(&given->m, d->asked.outcome),
           gradient_way_name(d->asked.way),
           f->kind == FLOW_C1 ? "" : ", in the order that the run makes");
    for (size_t j = 0; j < gradient_inputs(&given->m); j++)
      printf("  %-9s %.12g\n", gradient_input_name(&given->m, j),
             d->by_name.by[d->asked.outcome * gradient_inputs(&given->m) + j]);
  }
  print_check(given, d);
  printf("%llu crossing%s, %llu field evaluations, %llu of its Jacobian\n",
         (unsigned long long)f->counters.crossings, f->counters.crossings == 1 ? "" : "s",
         (unsigned long long)f->counters.field_evaluations,
         (unsigned long long)f->counters.field_jacobian_evaluations);
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  const bool paper = given->solver == &projection_solver;
  if (!paper && given->solver != &libess_solver) {
    measure_message(message, "solver %s does not compute derivatives; libess and projection do",
                    given->solver->name);
    return command_stop(given, SOLVER_REFUSED, message);
  }
  const int refused = model_prepare(&given->m, message);
  if (refused) return command_stop(given, refused, message);
  const question asked = read_question(given);
  derivative *const d = calloc(1, sizeof *d);
  if (!d) return command_fail(given, "out of memory");
  d->n = given->m.system.dimension;
  d->asked = asked;
  d->options = solver_libess_options(paper, &given->settings, given->m.type->time_step);
  d->options.tie = given->tie;
  if (given->m.type->slides && !paper) d->options.sliding = ESS_SLIDING_SLIDE;
  given->m.type->initial_state(&given->m, d->x0);
  int status = follow(given, d, message);
  if (!status) status = find_by_name(given, d, message);
  if (!status) status = compare(given, d, message);
  if (status) {
    status = command_stop(given, status, message);
  } else if (given->json) {
    status = command_result(given, as_json(given, d));
  } else {
    print_text(given, d);
  }
  if (!status && d->is_checked && !gradient_check_agrees(&d->check)) status = EXIT_FAILURE;
  gradient_check_free(&d->check);
  free(d->room);
  free(d);
  return status;
}

const command derivative_command = {
    .name = "derivative",
    .summary = "derivative of a model's final state with respect to its initial state",
    .example = "essbench derivative --model plate --contacts 10 --damping 0 --tolerance 1e-10",
    .groups = ARGUMENTS_MODEL | ARGUMENTS_SOLVER | ARGUMENTS_SETTINGS | ARGUMENTS_JSON |
              ARGUMENTS_DERIVATIVE,
    .run = run,
};
