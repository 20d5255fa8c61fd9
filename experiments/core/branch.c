/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Natural continuation: the next guess is on the line through the last two orbits. Around a fold
 * the parameter is found with the orbit. */
#include "branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arc.h"
#include "measure.h"

enum { HALVINGS_MAX = 10, LOCATE_MAX = 60 };

/* a change is located to this part of the parameter */
static const double located = 1e-10;

/* an orbit that is farther from its guess, beside what it moved before, is another one */
static const double farthest = 4.0, smallest_move = 0.02;

typedef struct course {
  const orbit_request *request;
  branch *b;
  model m; /* with the parameter as it is wanted */
} course;

const char *branch_change_name(branch_change_kind kind) {
  static const char *const names[] = {"period doubling", "multiplier 1", "complex pair", "fold"};
  return names[kind];
}

/* zero where a change is: of det (D + 1), of det (D - 1), of the largest complex pair's size */
static double indicator(const orbit *o, branch_change_kind kind) {
  double real = 1.0, imaginary = 0.0, largest = 0.0;
  for (size_t i = 0; i < o->count; i++) {
    const double shifted = o->real[i] + (kind == BRANCH_DOUBLING ? 1.0 : -1.0);
    const double product = real * shifted - imaginary * o->imaginary[i];
    imaginary = real * o->imaginary[i] + imaginary * shifted;
    real = product;
    if (o->imaginary[i] != 0.0) largest = fmax(largest, hypot(o->real[i], o->imaginary[i]));
  }
  // without a pair there is none to pass
  return kind != BRANCH_PAIR ? real : largest > 0.0 ? largest - 1.0 : NAN;
}

/* the orbit at a value of the parameter, from a guess in *o */
static int find_at(course *c, double value, orbit *o, char message[SOLVER_MESSAGE_SIZE]) {
  const orbit_request request = {
      .m = &c->m, .options = c->request->options, .passages = c->request->passages};
  if (model_set(&c->m, c->b->parameter, value, message)) return SOLVER_REFUSED;
  const int status = model_prepare(&c->m, message);
  if (status) return status == MODEL_REFUSED ? SOLVER_REFUSED : SOLVER_FAILED;
  return orbit_find(&request, o, message);
}

/* a guess between, or beyond, two orbits */
static void guess(const double value[2], const orbit *const of[2], double at, orbit *o) {
  const double part = value[1] != value[0] ? (at - value[0]) / (value[1] - value[0]) : 1.0;
  *o = *of[1];
  for (size_t i = 0; i < o->count; i++) o->s[i] = of[0]->s[i] + part * (of[1]->s[i] - of[0]->s[i]);
}

/* where an indicator is zero between two orbits; by halves, since any Newton's start is near */
static int locate(course *c, branch_change_kind kind, const double ends[2],
                  const orbit *const between[2], branch_change *out,
                  char message[SOLVER_MESSAGE_SIZE]) {
  double value[2] = {ends[0], ends[1]};
  orbit side[2] = {*between[0], *between[1]};
  const bool rises = indicator(&side[1], kind) > 0.0;
  for (int i = 0; i < LOCATE_MAX; i++) {
    const orbit *const of[2] = {&side[0], &side[1]};
    const double middle = 0.5 * (value[0] + value[1]);
    *out = (branch_change){.kind = kind, .value = middle};
    guess(value, of, middle, &out->at);
    const int status = find_at(c, middle, &out->at, message);
    if (status) return status;
    if (fabs(value[1] - value[0]) <= located * fmax(fabs(middle), located)) break;
    const int half = (indicator(&out->at, kind) > 0.0) == rises;
    value[half] = middle;
    side[half] = out->at;
  }
  return 0;
}

/* what changes between the last two points, but of a kind that is skipped; what cannot be located
 * is left out of none */
static int note_changes(course *c, branch_change_kind skipped, char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const size_t last = b->points - 1;
  const double ends[2] = {b->value[last - 1], b->value[last]};
  const orbit *const between[2] = {&b->orbit[last - 1], &b->orbit[last]};
  for (branch_change_kind kind = BRANCH_DOUBLING; kind <= BRANCH_PAIR; kind++) {
    if (kind == skipped) continue;
    const double before = indicator(between[0], kind), after = indicator(between[1], kind);
    if (!(before * after < 0.0)) continue;
    if (b->changes == BRANCH_CHANGES_MAX) {
      measure_message(message, "more than %d changes of stability", BRANCH_CHANGES_MAX);
      return SOLVER_FAILED;
    }
    const int status = locate(c, kind, ends, between, &b->change[b->changes], message);
    if (status) return status;
    b->changes++;
  }
  return 0;
}

/* Newton's method may come to an orbit of another branch: one that lies off the guess by more than
 * the branch moves is refused */
static bool is_near(const orbit *guessed, const orbit *found, const orbit *last) {
  for (size_t i = 0; i < found->count; i++) {
    const double moved = fabs(guessed->s[i] - last->s[i]);
    const double allowed = fmax(farthest * moved, smallest_move * fabs(last->s[i]));
    if (!(fabs(found->s[i] - guessed->s[i]) <= allowed)) return false;
  }
  return true;
}

/* one point more, `step` beyond the last */
static int take(course *c, double value, char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const size_t last = b->points - 1, before = last ? last - 1 : 0;
  const double values[2] = {b->value[before], b->value[last]};
  const orbit *const of[2] = {&b->orbit[before], &b->orbit[last]};
  orbit guessed, *const next = &b->orbit[b->points];
  guess(values, of, value, &guessed);
  *next = guessed;
  const int status = find_at(c, value, next, message);
  if (status) return status;
  if (!is_near(&guessed, next, &b->orbit[last])) {
    measure_message(message, "%s: the orbit found at %s %.9g is another one", c->m.type->name,
                    b->parameter, value);
    return SOLVER_FAILED;
  }
  b->value[b->points++] = value;
  return 0;
}

/* ---- around a fold ----------------------------------------------------------------------------
 */

static arc arc_between(course *c, const orbit_request *request, size_t first) {
  branch *const b = c->b;
  return (arc){.request = request,
               .m = &c->m,
               .parameter = b->parameter,
               .value = {b->value[first], b->value[first + 1]},
               .of = {&b->orbit[first], &b->orbit[first + 1]}};
}

/* where the branch turns back between the last two points, if a multiplier passes 1 there */
static int note_fold(course *c, const orbit_request *request, char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const arc a = arc_between(c, request, b->points - 2);
  branch_change *const out = &b->change[b->changes];
  const double first = indicator(a.of[0], BRANCH_ONE);
  double ends[2] = {-1.0, 0.0};
  if (!(first * indicator(a.of[1], BRANCH_ONE) < 0.0) || b->changes == BRANCH_CHANGES_MAX) return 0;
  *out = (branch_change){.kind = BRANCH_FOLD};
  while (ends[1] - ends[0] > located) {
    const double middle = 0.5 * (ends[0] + ends[1]);
    const int status = arc_find(&a, middle, &out->value, &out->at, message);
    if (status) return status;
    ends[indicator(&out->at, BRANCH_ONE) * first < 0.0] = middle;
  }
  b->changes++;
  return 0;
}

/* one point more along the branch, no longer than `longest`; shorter where that finds none */
static int take_along(course *c, const orbit_request *request, double longest,
                      char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const arc a = arc_between(c, request, b->points - 2);
  double part = fmin(2.0, longest / arc_length(&a));
  int status = SOLVER_FAILED;
  for (int i = 0; status && i < HALVINGS_MAX; i++, part *= 0.5)
    status = arc_find(&a, part, &b->value[b->points], &b->orbit[b->points], message);
  if (!status) b->points++;
  return status;
}

/* the first fold from a change on; NaN where there is none */
static double fold_from(const branch *b, size_t change) {
  for (size_t i = change; i < b->changes; i++)
    if (b->change[i].kind == BRANCH_FOLD) return b->change[i].value;
  return NAN;
}

/* the last point is beyond where the parameter began: it is moved there, if that can be */
static void end_at_start(course *c) {
  branch *const b = c->b;
  char message[SOLVER_MESSAGE_SIZE];
  const size_t last = b->points - 1;
  const double values[2] = {b->value[last - 1], b->value[last]};
  const orbit *const of[2] = {&b->orbit[last - 1], &b->orbit[last]};
  orbit end;
  guess(values, of, b->value[0], &end);
  if (find_at(c, b->value[0], &end, message)) return;
  b->value[last] = b->value[0];
  b->orbit[last] = end;
}

/* On from the last two points, around a fold, until the parameter is back where it began. The
 * parameter of the fold; NaN where the branch ends without one, and nothing is added. */
static double turn_back(course *c, size_t steps) {
  branch *const b = c->b;
  char message[SOLVER_MESSAGE_SIZE];
  const orbit_request request = {
      .m = &c->m, .options = c->request->options, .passages = c->request->passages};
  const size_t changes = b->changes, points = b->points, most = points + 8 * (size_t)HALVINGS_MAX;
  const double onwards = b->to - b->value[0];
  if (points < 3) return NAN;
  const arc first = arc_between(c, &request, 0);
  const double longest = fmax(arc_length(&first), 1.0 / (double)(steps * steps));
  double fold = NAN;
  while (b->points <= (isnan(fold) ? most : BRANCH_POINTS_MAX)) {
    if (take_along(c, &request, longest, message) || note_fold(c, &request, message) ||
        note_changes(c, BRANCH_ONE, message))
      break;
    if (isnan(fold)) fold = fold_from(b, changes);
    if (onwards * (b->value[b->points - 1] - b->value[0]) > 0.0) continue;
    end_at_start(c);
    break;
  }
  if (isnan(fold)) b->points = points, b->changes = changes;
  return fold;
}

static int walk(course *c, size_t steps, char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const double from = b->value[0], whole = (b->to - from) / (double)steps;
  double step = whole;
  int halved = 0;
  while (b->value[b->points - 1] != b->to) {
    if (b->points > BRANCH_POINTS_MAX) {
      measure_message(message, "more than %d points", BRANCH_POINTS_MAX);
      return SOLVER_FAILED;
    }
    const double at = b->value[b->points - 1], left = b->to - at;
    const bool last = fabs(left) <= fabs(step) * (1.0 + 1e-9);
    const int status = take(c, last ? b->to : at + step, message);
    if (status && halved == HALVINGS_MAX) {
      const double fold = turn_back(c, steps);
      if (!isnan(fold))
        measure_message(message, "the branch turns back at %s %.9g", b->parameter, fold);
      return status;
    }
    if (status) {
      step *= 0.5;
      halved++;
      continue;
    }
    if (halved) {
      step *= 2.0;
      halved--;
    }
    const int changes = note_changes(c, BRANCH_FOLD, message);
    if (changes) return changes;
  }
  b->reached = true;
  return 0;
}

int branch_follow(const orbit_request *request, const orbit *first, const char *parameter,
                  double to, size_t steps, branch *b, char message[SOLVER_MESSAGE_SIZE]) {
  course c = {.request = request, .b = b};
  const size_t points = BRANCH_POINTS_MAX + 1;
  *b = (branch){.parameter = parameter,
                .to = to,
                .points = 1,
                .value = calloc(points, sizeof *b->value),
                .orbit = calloc(points, sizeof *b->orbit),
                .change = calloc(BRANCH_CHANGES_MAX, sizeof *b->change)};
  model_init(&c.m, request->m->type);
  memcpy(c.m.value, request->m->value, sizeof c.m.value);
  // both ends are in range before anything is followed
  if (model_set(&c.m, parameter, to, message)) return SOLVER_REFUSED;
  if (!b->value || !b->orbit || !b->change) {
    measure_message(message, "out of memory");
    return SOLVER_FAILED;
  }
  b->value[0] = model_get(request->m, parameter);
  b->orbit[0] = *first;
  if (walk(&c, steps, b->why)) b->reached = false;
  model_release(&c.m);
  return 0;
}

void branch_free(branch *b) {
  free(b->value);
  free(b->orbit);
  free(b->change);
  *b = (branch){0};
}
