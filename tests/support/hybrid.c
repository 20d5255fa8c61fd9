/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hybrid.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

static void *room(size_t count, size_t size) {
  void *const memory = calloc(count + 1, size);
  if (!memory) abort();
  return memory;
}

/* memory that hybrid_free frees */
static void *kept(hybrid *h, size_t count, size_t size) {
  void **const block = room((count + 1) * size + sizeof(max_align_t), 1);
  *block = h->blocks;
  h->blocks = block;
  return (char *)block + sizeof(max_align_t);
}

static void append(hybrid *h, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const size_t before = h->text ? strlen(h->text) : 0;
  const int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  h->text = realloc(h->text, before + (size_t)length + 2);
  if (!h->text || length < 0 || h->is_read) abort();
  vsnprintf(h->text + before, (size_t)length + 1, format, arguments);
  memcpy(h->text + before + length, "\n", 2);
}

hybrid *hybrid_of(const char *format, ...) {
  hybrid *const h = room(1, sizeof *h);
  va_list arguments;
  va_start(arguments, format);
  append(h, format, arguments);
  va_end(arguments);
  h->share = 1.0;
  return h;
}

void hybrid_add(hybrid *h, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append(h, format, arguments);
  va_end(arguments);
}

void hybrid_more(hybrid *h, const char *format, ...) {
  va_list arguments;
  h->text[strlen(h->text) - 1] = '\0';
  va_start(arguments, format);
  append(h, format, arguments);
  va_end(arguments);
}

void hybrid_sum(hybrid *h, const double of[], size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (of[i] != 0.0) hybrid_more(h, " + %.17g*%s%zu", of[i], name, i);
}

typedef struct reader {
  hybrid *h;
  char **lines;
  size_t count;
  const char *at; /* in the line */
  int depth;
  bool is_changed; /* behind a line `but` */
  const hybrid_name *names;
  size_t name_count;
} reader;

static void refuse(const reader *r, const char *problem) {
  fprintf(stderr, "hybrid: %s at \"%.40s\" in:\n%s\n", problem, r->at, r->h->text);
  abort();
}

static void skip(reader *r) {
  while (isspace((unsigned char)*r->at)) r->at++;
}

static bool take(reader *r, const char *token) {
  skip(r);
  const size_t length = strlen(token);
  if (strncmp(r->at, token, length)) return false;
  const char next = r->at[length];
  if (isalpha((unsigned char)token[0]) && (isalnum((unsigned char)next) || next == '_'))
    return false;
  r->at += length;
  return true;
}

/* `each` and `sum`, written out */

typedef struct writing {
  char *text;
  size_t length;
} writing;

static void write_out(writing *w, const char *text, size_t length, size_t number) {
  w->text = realloc(w->text, w->length + 20 * length + 1);
  if (!w->text) abort();
  for (size_t i = 0; i < length; i++) {
    w->text[w->length++] = text[i];
    if (text[i] != '@' || number == SIZE_MAX) continue;
    size_t next = 0;
    while (i + 1 < length && text[i + 1] == '>') next++, i++;
    w->length += (size_t)sprintf(w->text + w->length - 1, "%zu", number + next) - 1;
  }
  w->text[w->length] = '\0';
}

static char *written_out(const char *text, const char *word) {
  writing w = {0};
  const bool is_sum = *word == 's';
  for (const char *at = text; (at = strstr(at, word)); at++) {
    char *body;
    const size_t count = strtoul(at + strlen(word), &body, 10);
    if (!count || *body != ':' || (at > text && isalnum((unsigned char)at[-1]))) continue;
    size_t length = strcspn(++body, "\n;");
    if (is_sum) {
      length = 0;
      for (int depth = 1; body[length]; length++)
        if (!(depth += (body[length] == '(') - (body[length] == ')'))) break;
    }
    write_out(&w, text, (size_t)(at - text), SIZE_MAX);
    for (size_t k = 0; k < count; k++) {
      const char *const between = is_sum ? k ? ")+(" : "((" : k ? ";" : "";
      write_out(&w, between, strlen(between), SIZE_MAX);
      write_out(&w, body, length, k);
    }
    write_out(&w, ")", is_sum, SIZE_MAX);
    at = text = body + length;
  }
  write_out(&w, text, strlen(text), SIZE_MAX);
  return w.text;
}

char *hybrid_sums(const char *text) {
  return written_out(text, "sum(");
}

static void expect(reader *r, const char *token) {
  if (!take(r, token)) refuse(r, token);
}

static bool take_name(reader *r, char name[HYBRID_NAME]) {
  skip(r);
  size_t length = 0;
  while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_') length++;
  if (!length || isdigit((unsigned char)*r->at)) return false;
  if (length >= HYBRID_NAME) refuse(r, "a name is too long");
  memcpy(name, r->at, length);
  name[length] = '\0';
  r->at += length;
  return true;
}

static double take_number(reader *r) {
  char *end;
  skip(r);
  const double value = strtod(r->at, &end);
  if (end == r->at) refuse(r, "a number is missing");
  r->at = end;
  return value;
}

static size_t find(char (*names)[HYBRID_NAME], size_t count, const char *name) {
  size_t k = 0;
  while (k < count && strcmp(names[k], name)) k++;
  return k;
}

static size_t take_known(reader *r, char (*names)[HYBRID_NAME], size_t count) {
  char name[HYBRID_NAME];
  if (!take_name(r, name)) refuse(r, "a name is missing");
  const size_t k = find(names, count, name);
  if (k == count) refuse(r, name);
  return k;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static int take_sum(reader *r);

static int sign_of(reader *r, double half) {
  expressions *const list = &r->h->list;
  const size_t k = take_known(r, r->h->events, r->h->m);
  const int sign = expression(list, SIGN, (int)k, 0);
  if (half == 0.0) return sign;
  return expression(list, ADD, expression_constant(list, 0.5),
                    expression(list, MULTIPLY, expression_constant(list, half), sign));
}

static int named(reader *r) {
  hybrid *const h = r->h;
  char name[HYBRID_NAME];
  if (!take_name(r, name)) refuse(r, "an expression is missing");
  if (!strcmp(name, "t")) return expression(&h->list, TIME, 0, 0);
  for (size_t k = 0; k < r->name_count; k++)
    if (!strcmp(r->names[k].name, name)) return expression_constant(&h->list, r->names[k].value);
  const size_t i = find(h->states, h->n, name);
  if (i < h->n) return expression(&h->list, STATE, (int)i, 0);
  const size_t p = find(h->parameter_names, h->parameters, name);
  if (p < h->parameters) return expression(&h->list, PARAMETER, (int)p, 0);
  const size_t k = find(h->abbreviations, h->abbreviation_count, name);
  if (k == h->abbreviation_count) refuse(r, name);
  const char *const back = r->at;
  if (++r->depth > 100) refuse(r, "an abbreviation contains itself");
  r->at = h->abbreviated[k];
  const int found = take_sum(r);
  r->at = back;
  r->depth--;
  return found;
}

/* 0 before a time, which is a number or a parameter, and 1 from then on */
static int take_after(reader *r) {
  hybrid *const h = r->h;
  char name[HYBRID_NAME];
  if (!take_name(r, name)) return expression_after(&h->list, take_number(r));
  const size_t p = find(h->parameter_names, h->parameters, name);
  if (p == h->parameters) refuse(r, name);
  return expression_after_parameter(&h->list, p);
}

static int take_operand(reader *r) {
  static const struct {
    const char *name;
    operation op;
  } functions[] = {
      {"sin", SINE}, {"cos", COSINE}, {"exp", EXPONENTIAL}, {"log", LOGARITHM}, {"sqrt", ROOT}};
  expressions *const list = &r->h->list;
  int found;
  skip(r);
  if (take(r, "(")) {
    found = take_sum(r);
    expect(r, ")");
  } else if (take(r, "[")) {
    found = sign_of(r, 0.0);
    expect(r, "]");
  } else if (take(r, "on") || take(r, "off")) {
    const bool is_on = r->at[-1] == 'n';
    expect(r, "(");
    found = sign_of(r, is_on ? 0.5 : -0.5);
    expect(r, ")");
  } else if (take(r, "after")) {
    expect(r, "(");
    found = take_after(r);
    expect(r, ")");
  } else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
    found = expression_constant(list, take_number(r));
  } else {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
      const char *const back = r->at;
      if (!take(r, functions[i].name)) continue;
      if (!take(r, "(")) {
        r->at = back;
        continue;
      }
      found = take_sum(r);
      expect(r, ")");
      return expression(list, functions[i].op, found, 0);
    }
    found = named(r);
  }
  return found;
}

static int take_power(reader *r) {
  expressions *const list = &r->h->list;
  const int base = take_operand(r);
  if (!take(r, "^")) return base;
  int power = base;
  for (int i = (int)take_number(r); i > 1; i--) power = expression(list, MULTIPLY, power, base);
  return power;
}

static int take_signed(reader *r) {
  expressions *const list = &r->h->list;
  if (!take(r, "-")) return take_power(r);
  return expression(list, SUBTRACT, expression_constant(list, 0.0), take_signed(r));
}

static int take_product(reader *r) {
  int left = take_signed(r);
  for (;;) {
    const bool times = take(r, "*");
    if (!times && !take(r, "/")) return left;
    left = expression(&r->h->list, times ? MULTIPLY : DIVIDE, left, take_signed(r));
  }
}

static int take_sum(reader *r) {
  int left = take_product(r);
  for (;;) {
    const bool plus = take(r, "+");
    if (!plus && !take(r, "-")) return left;
    left = expression(&r->h->list, plus ? ADD : SUBTRACT, left, take_product(r));
  }
}

/* ---- declarations ---------------------------------------------------------------------------- */

static size_t declare(reader *r, char (**names)[HYBRID_NAME], size_t *count, const char *name) {
  const size_t known = find(*names, *count, name);
  if (known < *count && r->is_changed) return known;
  if (known < *count) refuse(r, "a name is there twice");
  if (!*count) *names = kept(r->h, r->count, sizeof **names);
  strcpy((*names)[*count], name);
  return (*count)++;
}

static bool is_directive(reader *r) {
  static const char *const words[] = {"hit",    "row",     "pool",     "silent", "unarmed",
                                      "slides", "one-way", "jump",     "exact",  "from",
                                      "to",     "solves",  "distances"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (take(r, words[i])) return true;
  return false;
}

/* declares all names, and keeps the expressions of rates, event functions and watched events */
static void declare_all(reader *r, const char ***rates, const char ***events,
                        const char ***watches) {
  hybrid *const h = r->h;
  *rates = kept(h, r->count, sizeof **rates);
  *events = kept(h, r->count, sizeof **events);
  *watches = kept(h, r->count, sizeof **watches);
  for (size_t i = 0; i < r->count; i++) {
    char name[HYBRID_NAME];
    r->at = r->lines[i];
    skip(r);
    r->is_changed |= take(r, "but");
    if (!*r->at || is_directive(r)) continue;
    const bool is_watch = take(r, "watch");
    if (!take_name(r, name)) refuse(r, "a name is missing");
    if (is_watch) {
      expect(r, ":");
      (*watches)[declare(r, &h->watches, &h->watched, name)] = r->at;
    } else if (take(r, "'")) {
      expect(r, "=");
      (*rates)[declare(r, &h->states, &h->n, name)] = r->at;
    } else if (take(r, ":")) {
      (*events)[declare(r, &h->events, &h->m, name)] = r->at;
    } else {
      expect(r, "=");
      char *end;
      const double value = strtod(r->at, &end);
      const char *const text = r->at;
      r->at = end;
      skip(r);
      if (end != text && !*r->at) {
        const size_t p = declare(r, &h->parameter_names, &h->parameters, name);
        if (!h->parameter) h->parameter = kept(h, r->count, sizeof *h->parameter);
        h->parameter[p] = value;
      } else {
        if (!h->abbreviated) h->abbreviated = kept(h, r->count, sizeof *h->abbreviated);
        h->abbreviated[declare(r, &h->abbreviations, &h->abbreviation_count, name)] = text;
      }
    }
  }
}

/* a guard, or two: bits of 1 up and 2 down */
static size_t take_guards(reader *r, unsigned *directions) {
  *directions = take(r, "up") ? 1 : take(r, "down") ? 2 : take(r, "both") ? 3 : 0;
  if (!*directions) refuse(r, "up, down or both is missing");
  return take_known(r, r->h->events, r->h->m);
}

static void read_marks(reader *r, bool marks[]) {
  do {
    unsigned directions;
    const size_t k = take_guards(r, &directions);
    if (directions & 1) marks[ESS_GUARD_UP(k)] = true;
    if (directions & 2) marks[ESS_GUARD_DOWN(k)] = true;
  } while (take(r, ","));
}

static void free_impact(hybrid_impact *impact) {
  expression_array_free(&impact->after);
  expression_array_free(&impact->jacobian);
  expression_array_free(&impact->by);
}

static void read_impact(reader *r) {
  hybrid *const h = r->h;
  unsigned directions;
  const size_t k = take_guards(r, &directions);
  hybrid_impact made = {.is_impact = true,
                        .changes = kept(h, h->n, sizeof *made.changes),
                        .mode = kept(h, h->m, sizeof *made.mode)};
  expect(r, ":");
  skip(r);
  do {
    const bool plus = take(r, "+");
    if (plus || take(r, "-")) {
      made.mode[take_known(r, h->events, h->m)] = plus ? 1 : -1;
      continue;
    }
    skip(r);
    if (!*r->at) break;
    const size_t i = take_known(r, h->states, h->n);
    expect(r, "=");
    const int after = take_sum(r);
    made.changes[i] = true;
    expression_array_put(&made.after, &h->list, i, after);
    for (size_t j = 0; j < h->n; j++)
      expression_array_put(&made.jacobian, &h->list, i * h->n + j,
                           expression_derivative(&h->list, after, STATE, (int)j));
    for (size_t j = 0; j < h->parameters; j++)
      expression_array_put(&made.by, &h->list, i * h->parameters + j,
                           expression_derivative(&h->list, after, PARAMETER, (int)j));
  } while (take(r, ","));
  expression_array_close(&made.after, &h->list, h->n);
  expression_array_close(&made.jacobian, &h->list, h->n * h->n);
  expression_array_close(&made.by, &h->list, h->n * h->parameters);
  h->has_impacts = true;
  for (unsigned d = 0; d < 2; d++) {
    if (!(directions >> d & 1)) continue;
    hybrid_impact *const impact = &h->impact[2 * k + d];
    if (impact->changes != h->impact[2 * k + !d].changes) free_impact(impact);
    *impact = made; /* two share what one frees */
    h->impact_at[2 * k + d] = true;
  }
}

typedef struct entry {
  size_t row, guard;
  signed char effect;
} entry;

static void read_row(reader *r, size_t row, entry **entries, size_t *count) {
  hybrid *const h = r->h;
  h->has_resets = true;
  for (size_t i = 0; i < *count && r->is_changed; i++)
    if ((*entries)[i].row == row) (*entries)[i].row = SIZE_MAX;
  expect(r, ":");
  skip(r);
  if (!*r->at) return;
  do {
    entry made = {.row = row};
    if (take(r, "ahead")) {
      made.effect = ESS_ARM_AHEAD;
      made.guard = ESS_GUARD_UP(take_known(r, h->events, h->m));
    } else {
      made.effect = take(r, "+") ? 1 : -1;
      if (made.effect < 0) expect(r, "-");
      unsigned directions;
      const size_t k = take_guards(r, &directions);
      if (directions == 3) refuse(r, "up or down is missing");
      made.guard = 2 * k + directions - 1;
    }
    *entries = realloc(*entries, (*count + 1) * sizeof **entries);
    if (!*entries) abort();
    (*entries)[(*count)++] = made;
  } while (take(r, ","));
}

static void lay_rows(hybrid *h, const entry entries[], size_t count) {
  h->row_start = kept(h, 2 * h->m + 2, sizeof *h->row_start);
  h->row_guard = kept(h, count, sizeof *h->row_guard);
  h->row_effect = kept(h, count, sizeof *h->row_effect);
  size_t at = 0;
  for (size_t row = 0; row <= 2 * h->m; row++) {
    h->row_start[row] = at;
    for (size_t i = 0; i < count; i++) {
      if (entries[i].row != row) continue;
      h->row_guard[at] = entries[i].guard;
      h->row_effect[at++] = entries[i].effect;
    }
  }
  h->row_start[2 * h->m + 1] = at;
}

static void read_directive(reader *r, entry **entries, size_t *count) {
  hybrid *const h = r->h;
  unsigned directions;
  if (take(r, "but"))
    r->is_changed = true;
  else if (take(r, "hit"))
    read_impact(r);
  else if (take(r, "pool"))
    read_row(r, 2 * h->m, entries, count);
  else if (take(r, "row")) {
    const size_t k = take_guards(r, &directions);
    if (directions & 1) {
      const char *const back = r->at;
      read_row(r, ESS_GUARD_UP(k), entries, count);
      if (directions & 2) r->at = back;
    }
    if (directions & 2) read_row(r, ESS_GUARD_DOWN(k), entries, count);
  } else if (take(r, "silent")) {
    read_marks(r, h->silent);
    h->has_silent = true;
  } else if (take(r, "unarmed")) {
    read_marks(r, h->unarmed);
    h->has_unarmed = true;
  } else if (take(r, "slides")) {
    if (!h->slides) h->slides = kept(h, h->m, sizeof *h->slides);
    do h->slides[take_known(r, h->events, h->m)] = true;
    while (take(r, ","));
  } else if (take(r, "solves")) {
    if (!h->solves) h->solves = kept(h, h->n, sizeof *h->solves);
    do h->solves[take_known(r, h->states, h->n)] = true;
    while (take(r, ","));
  } else if (take(r, "distances")) {
    if (!h->distances) h->distances = kept(h, h->m, sizeof *h->distances);
    do h->distances[take_known(r, h->events, h->m)] = true;
    while (take(r, ","));
  } else if (take(r, "one-way"))
    h->one_way = true;
  else if (take(r, "jump")) {
    if (!h->jumps) h->jump_node = kept(h, r->count, sizeof *h->jump_node);
    h->jump_node[h->jumps++] = take_after(r);
  } else if (take(r, "exact")) {
    const size_t i = take_known(r, h->states, h->n);
    expect(r, ":");
    h->exact[i] = take_sum(r);
  } else if (take(r, "to"))
    h->end = take_sum(r);
  else if (take(r, "from")) {
    h->begin = take_sum(r);
    if (take(r, ":")) do {
        const size_t i = take_known(r, h->states, h->n);
        expect(r, "=");
        h->start[i] = take_sum(r);
      } while (take(r, ","));
  } else
    return;
  skip(r);
  if (*r->at) refuse(r, "a line goes on");
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static void put_gradients(hybrid *h, expression_array *array, const int of[], size_t count,
                          operation by, size_t width) {
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < width; i++)
      expression_array_put(array, &h->list, k * width + i,
                           expression_derivative(&h->list, of[k], by, (int)i));
  expression_array_close(array, &h->list, count * width);
}

static void put_values(hybrid *h, expression_array *array, const int of[], size_t count) {
  for (size_t k = 0; k < count; k++) expression_array_put(array, &h->list, k, of[k]);
  expression_array_close(array, &h->list, count);
}

static void derive(hybrid *h) {
  put_values(h, &h->field, h->rate, h->n);
  put_values(h, &h->event_functions, h->event, h->m);
  put_values(h, &h->watch_values, h->watch, h->watched);
  put_gradients(h, &h->field_jacobian, h->rate, h->n, STATE, h->n);
  put_gradients(h, &h->event_jacobian, h->event, h->m, STATE, h->n);
  put_gradients(h, &h->time_rates, h->event, h->m, TIME, 1);
  h->moves = h->time_rates.count > 0;
  h->one = kept(h, h->m, sizeof *h->one);
  for (size_t k = 0; k < h->m; k++) {
    for (size_t i = 0; i < h->n; i++)
      expression_array_put(&h->one[k], &h->list, i,
                           expression_derivative(&h->list, h->event[k], STATE, (int)i));
    expression_array_put(&h->one[k], &h->list, h->n, h->event[k]);
    expression_array_close(&h->one[k], &h->list, h->n + 1);
  }
  for (size_t i = 0; i < h->n; i++)
    if (h->exact[i] >= 0) expression_array_put(&h->exact_values, &h->list, i, h->exact[i]);
  expression_array_close(&h->exact_values, &h->list, h->n);
}

void hybrid_read(hybrid *h) {
  if (h->is_read) return;
  h->is_read = true;
  char *const sums = hybrid_sums(h->text), *const copy = written_out(sums, "each ");
  free(sums);
  reader r = {.h = h, .at = ""};
  r.lines = kept(h, strlen(copy) + 1, sizeof *r.lines);
  for (char *at = copy; *at; r.count++) {
    r.lines[r.count] = at;
    at += strcspn(at, "\n;");
    if (*at) *at++ = '\0';
    r.lines[r.count][strcspn(r.lines[r.count], "#")] = '\0';
  }
  const char **rates, **events, **watches;
  declare_all(&r, &rates, &events, &watches);
  if (h->n == 0 || h->n > HYBRID_STATES || h->m > HYBRID_EVENTS) refuse(&r, "too few or too many");
  h->start = kept(h, h->n, sizeof *h->start);
  h->begin = expression_constant(&h->list, 0.0);
  h->end = expression_constant(&h->list, 1.0);
  for (size_t i = 0; i < h->n; i++) h->start[i] = h->begin;
  h->rate = kept(h, h->n, sizeof *h->rate);
  h->event = kept(h, h->m, sizeof *h->event);
  h->watch = kept(h, h->watched, sizeof *h->watch);
  h->exact = kept(h, h->n, sizeof *h->exact);
  memset(h->exact, -1, h->n * sizeof *h->exact);
  h->impact = kept(h, 2 * h->m, sizeof *h->impact);
  h->impact_at = kept(h, 2 * h->m, sizeof *h->impact_at);
  h->unarmed = kept(h, 2 * h->m, sizeof *h->unarmed);
  h->silent = kept(h, 2 * h->m, sizeof *h->silent);
  h->kinds = kept(h, 2 * h->m, sizeof *h->kinds);
  const struct {
    const char **text;
    int *of;
    size_t count;
  } lists[] = {{rates, h->rate, h->n}, {events, h->event, h->m}, {watches, h->watch, h->watched}};
  for (size_t list = 0; list < 3; list++)
    for (size_t i = 0; i < lists[list].count; i++) {
      r.at = lists[list].text[i];
      lists[list].of[i] = take_sum(&r);
      skip(&r);
      if (*r.at) refuse(&r, "a line goes on");
    }
  entry *entries = NULL;
  size_t count = 0;
  r.is_changed = false;
  for (size_t i = 0; i < r.count; i++) {
    r.at = r.lines[i];
    read_directive(&r, &entries, &count);
  }
  derive(h);
  lay_rows(h, entries, count);
  h->jump = kept(h, h->jumps, sizeof *h->jump);
  h->jump_parameter = kept(h, h->jumps, sizeof *h->jump_parameter);
  h->value = room((size_t)h->list.count, sizeof *h->value); /* nodes of arrays are older */
  h->last = kept(h, 1 + 2 * h->n + h->m, sizeof *h->last);
  h->told = kept(h, h->m, sizeof *h->told);
  h->mode = kept(h, h->m + h->parameters, sizeof *h->mode);
  h->modes = 1;
  free(entries);
  h->copy = copy;
}

void hybrid_free(hybrid *h) {
  if (!h) return;
  for (size_t k = 0; k < 2 * h->m && h->is_read; k++) {
    const bool is_shared = k % 2 && h->impact[k - 1].changes == h->impact[k].changes;
    if (!is_shared) free_impact(&h->impact[k]);
  }
  for (size_t k = 0; k < h->m && h->one; k++) expression_array_free(&h->one[k]);
  expression_array *const arrays[] = {&h->field,        &h->event_functions, &h->watch_values,
                                      &h->exact_values, &h->field_jacobian,  &h->event_jacobian,
                                      &h->time_rates,   &h->field_by,        &h->guards_by};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) expression_array_free(arrays[i]);
  while (h->blocks) {
    void *const next = *h->blocks;
    free(h->blocks);
    h->blocks = next;
  }
  free(h->value);
  free(h->text);
  free(h->copy);
  expressions_free(&h->list);
  free(h);
}

bool hybrid_has(hybrid *h, const char *name) {
  hybrid_read(h);
  return find(h->states, h->n, name) < h->n ||
         find(h->parameter_names, h->parameters, name) < h->parameters;
}

void hybrid_set(hybrid *h, const char *name, double value) {
  if (!hybrid_has(h, name)) {
    fprintf(stderr, "hybrid: no state or parameter %s in:\n%s\n", name, h->text);
    abort();
  }
  const size_t i = find(h->states, h->n, name);
  if (i < h->n)
    h->start[i] = expression_constant(&h->list, value);
  else
    h->parameter[find(h->parameter_names, h->parameters, name)] = value;
}

size_t hybrid_event(hybrid *h, const char *name) {
  hybrid_read(h);
  return find(h->events, h->m, name);
}

/* the value of one expression */
static double value_of(hybrid *h, int of, double t, const double x[], const double sign[]) {
  expression_array array = {0};
  double value = 0.0;
  expression_array_put(&array, &h->list, 0, of);
  expression_array_close(&array, &h->list, 1);
  double *const nodes = room((size_t)h->list.count, sizeof *nodes);
  expression_array_values(&array, &h->list, false, t, x, sign, h->parameter, nodes, &value);
  expression_array_free(&array);
  free(nodes);
  return value;
}

double hybrid_start(hybrid *h, double x[]) {
  hybrid_read(h);
  for (size_t i = 0; x && i < h->n; i++) x[i] = value_of(h, h->start[i], 0.0, NULL, NULL);
  return value_of(h, h->begin, 0.0, NULL, NULL);
}

double hybrid_end_time(hybrid *h) {
  hybrid_read(h);
  return value_of(h, h->end, 0.0, NULL, NULL);
}

double hybrid_value(hybrid *h, const char **text, double t, const double x[], const double sign[],
                    const hybrid_name names[], size_t count) {
  hybrid_read(h);
  reader r = {.h = h, .at = *text, .names = names, .name_count = count};
  const int of = take_sum(&r);
  *text = r.at;
  return value_of(h, of, t, x, sign);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static void evaluate(hybrid *h, expression_array *array, double t, const double x[],
                     const double sign[], double out[]) {
  double *const parameter = h->mode + h->m;
  const size_t signs = sign ? h->m * sizeof *sign : 0, others = h->parameters * sizeof *parameter;
  const bool is_mode = !signs || !memcmp(h->mode, sign, signs);
  if (!is_mode || (others && memcmp(parameter, h->parameter, others))) {
    if (signs) memcpy(h->mode, sign, signs);
    if (others) memcpy(parameter, h->parameter, others);
    h->modes++;
  }
  expression_array_values(array, &h->list, array->mode == h->modes, t, x, sign, h->parameter,
                          h->value, out);
  array->mode = h->modes;
}

/* counts a call, and makes its fault */
static int count_call(hybrid *h, hybrid_callback in, double out[], size_t size) {
  const hybrid_fault *const f = &h->fault;
  h->calls[in]++;
  if (f->in != in || f->call == 0 || h->calls[in] < f->call) return 0;
  if (f->once && h->calls[in] > f->call) return 0;
  if (f->code || !size) return f->code;
  double *const at = &out[f->entry < size ? f->entry : 0];
  *at = f->factor != 0.0 ? f->factor * *at : f->value;
  return 0;
}

/* the same, for a fault in one of the values that follow the rates */
static int count_rates(hybrid *h, hybrid_callback in, double rate[], double values[],
                       size_t count) {
  const size_t which = h->fault.entry;
  const bool is_value = which >= count && which < 2 * count;
  if (is_value) h->fault.entry -= count;
  const int code = count_call(h, in, is_value ? values : rate, count);
  h->fault.entry = which;
  return code;
}

static int field_of(double t, const double x[], const double sign[], double dxdt[], void *params) {
  hybrid *const h = params;
  evaluate(h, &h->field, t, x, sign, dxdt);
  h->last[0] = t;
  memcpy(h->last + 1, x, h->n * sizeof *x);
  memcpy(h->last + 1 + h->n + h->m, dxdt, h->n * sizeof *dxdt);
  if (h->m) memcpy(h->last + 1 + h->n, sign, h->m * sizeof *sign);
  if (h->is_told && memcmp(h->told, sign, h->m * sizeof *sign)) return HYBRID_UNTOLD;
  return count_call(h, HYBRID_FIELD, dxdt, h->n);
}

/* signs of the event functions, where events are stepped over */
static void signs_of(hybrid *h, double t, const double x[], double sign[]) {
  evaluate(h, &h->event_functions, t, x, NULL, sign);
  for (size_t k = 0; k < h->m; k++) sign[k] = sign[k] < 0.0 ? -1.0 : 1.0;
}

static int plain_of(double t, const double x[], double dxdt[], void *params) {
  hybrid *const h = params;
  double sign[HYBRID_EVENTS];
  signs_of(h, t, x, sign);
  evaluate(h, &h->field, t, x, sign, dxdt);
  return count_call(h, HYBRID_PLAIN, dxdt, h->n);
}

/* idle are signs whose change, alone or together with that of another idle one, changes nothing */
static int idle_of(bool idle[], void *params) {
  hybrid *const h = params;
  double *const x = h->last + 1, *const sign = x + h->n, *const dxdt = sign + h->m;
  double other[HYBRID_STATES];
  for (size_t k = 0; k < h->m; k++) {
    bool is_idle = !idle[k];
    sign[k] = -sign[k];
    for (size_t j = 0; j <= k && is_idle; j++) {
      if (j < k && !idle[j]) continue;
      if (j < k) sign[j] = -sign[j];
      evaluate(h, &h->field, h->last[0], x, sign, other);
      is_idle = !memcmp(other, dxdt, h->n * sizeof *dxdt);
      if (j < k) sign[j] = -sign[j];
    }
    sign[k] = -sign[k];
    idle[k] = is_idle;
  }
  return count_call(h, HYBRID_IDLE, NULL, 0);
}

/* A model may keep the mode that it is told: all signs where the event function is m, else one. */
static int mode_of(const double sign[], size_t guard, void *params) {
  hybrid *const h = params;
  for (size_t k = 0; k < h->m; k++)
    if (guard == h->m || guard == k) h->told[k] = sign[k];
  h->is_told = true;
  return count_call(params, HYBRID_MODE, NULL, 0);
}

static int event_functions_of(double t, const double x[], double values[], void *params) {
  hybrid *const h = params;
  evaluate(h, &h->event_functions, t, x, NULL, values);
  return count_call(h, HYBRID_GUARDS, values, h->m);
}

static int time_rates_of(hybrid *h, double t, const double x[], double ht[]) {
  evaluate(h, &h->time_rates, t, x, NULL, ht);
  return count_call(h, HYBRID_TIME_RATES, ht, h->m);
}

static int guard_jacobian_of(double t, const double x[], double Dh[], void *params) {
  hybrid *const h = params;
  evaluate(h, &h->event_jacobian, t, x, NULL, Dh);
  return count_call(h, HYBRID_GUARD_JACOBIAN, Dh, h->m * h->n);
}

/* the same with a column for time */
static int wide_jacobian_of(double t, const double x[], double Dh[], void *params) {
  hybrid *const h = params;
  double ht[HYBRID_EVENTS];
  int code = guard_jacobian_of(t, x, Dh, params);
  if (!code) code = time_rates_of(h, t, x, ht);
  for (size_t k = h->m; k-- > 0;) {
    memmove(Dh + k * (h->n + 1), Dh + k * h->n, h->n * sizeof *Dh);
    Dh[k * (h->n + 1) + h->n] = ht[k];
  }
  return code;
}

static void rates_of(hybrid *h, double t, const double x[], const double v[], const size_t which[],
                     size_t count, double values[], double rate[]) {
  for (size_t i = 0; i < count; i++) {
    expression_array *const one = &h->one[which ? which[i] : i];
    evaluate(h, one, t, x, NULL, NULL);
    values[i] = rate[i] = 0.0;
    for (size_t j = 0; j < one->count; j++) {
      const double value = h->value[one->outputs[j]];
      if (one->places[j] == h->n)
        values[i] = value;
      else
        rate[i] += value * v[one->places[j]];
    }
  }
}

static int event_rates_of(double t, const double x[], double vt, const double v[],
                          const size_t which[], size_t count, double values[], double rate[],
                          void *params) {
  hybrid *const h = params;
  double ht[HYBRID_EVENTS];
  rates_of(h, t, x, v, which, count, values, rate);
  const int code = h->moves && vt != 0.0 ? time_rates_of(h, t, x, ht) : 0;
  for (size_t i = 0; h->moves && vt != 0.0 && i < count; i++)
    rate[i] += vt * ht[which ? which[i] : i];
  const hybrid_callback in = which ? HYBRID_SOME_RATES : HYBRID_GUARD_RATES;
  return code ? code : count_rates(h, in, rate, values, count);
}

static int field_jacobian_of(double t, const double x[], const double sign[], double J[],
                             void *params) {
  hybrid *const h = params;
  evaluate(h, &h->field_jacobian, t, x, sign, J);
  for (size_t i = 0; i < h->n * h->n; i++) J[i] *= h->share;
  return count_call(h, HYBRID_FIELD_JACOBIAN, J, h->n * h->n);
}

/* by parameters, of which there may be many: made when it is needed */
static void evaluate_by(hybrid *h, expression_array *array, const int of[], size_t count, double t,
                        const double x[], const double sign[], double out[]) {
  if (!array->order) {
    put_gradients(h, array, of, count, PARAMETER, h->parameters);
    h->value = realloc(h->value, (size_t)h->list.count * sizeof *h->value);
    if (!h->value) abort();
  }
  evaluate(h, array, t, x, sign, out);
}

static int field_by_of(double t, const double x[], const double sign[], double Fp[], void *params) {
  hybrid *const h = params;
  evaluate_by(h, &h->field_by, h->rate, h->n, t, x, sign, Fp);
  return count_call(h, HYBRID_FIELD_BY, Fp, h->n * h->parameters);
}

static int guards_by_of(double t, const double x[], double hp[], void *params) {
  hybrid *const h = params;
  evaluate_by(h, &h->guards_by, h->event, h->m, t, x, NULL, hp);
  return count_call(h, HYBRID_GUARDS_BY, hp, h->m * h->parameters);
}

static int watch_of(double t, const double x[], double g[], void *params) {
  hybrid *const h = params;
  evaluate(h, &h->watch_values, t, x, NULL, g);
  return count_call(h, HYBRID_WATCH, g, h->watched);
}

/* v = (I - c J)^-1 v by elimination with pivots */
static int solve_of(double t, const double x[], const double sign[], double c, double v[],
                    void *params) {
  hybrid *const h = params;
  const size_t n = h->n;
  double *const matrix = room(n * n, sizeof *matrix), by_state[HYBRID_EVENTS];
  if (!sign) signs_of(h, t, x, by_state);
  evaluate(h, &h->field_jacobian, t, x, sign ? sign : by_state, matrix);
  for (size_t i = 0; i < n * n; i++) {
    const bool is_in = !h->solves || (h->solves[i / n] && h->solves[i % n]);
    matrix[i] = (i % (n + 1) == 0) - (is_in ? c * h->share * matrix[i] : 0.0);
  }
  for (size_t p = 0; p < n; p++) {
    size_t best = p;
    for (size_t i = p; i < n; i++)
      if (fabs(matrix[i * n + p]) > fabs(matrix[best * n + p])) best = i;
    for (size_t j = 0; j < n && best != p; j++) {
      const double swapped = matrix[p * n + j];
      matrix[p * n + j] = matrix[best * n + j];
      matrix[best * n + j] = swapped;
    }
    const double swapped = v[p];
    v[p] = v[best];
    v[best] = swapped;
    for (size_t i = p + 1; i < n; i++) {
      const double share = matrix[i * n + p] / matrix[p * n + p];
      for (size_t j = p; j < n; j++) matrix[i * n + j] -= share * matrix[p * n + j];
      v[i] -= share * v[p];
    }
  }
  for (size_t p = n; p-- > 0;) {
    for (size_t j = p + 1; j < n; j++) v[p] -= matrix[p * n + j] * v[j];
    v[p] /= matrix[p * n + p];
  }
  free(matrix);
  return count_call(h, HYBRID_SOLVE, v, n);
}

/* ---- impacts --------------------------------------------------------------------------------- */

/* the guard of event function k that this impact crosses */
static hybrid_impact *impact_of(const hybrid *h, const ess_impact *impact, size_t k) {
  return &h->impact[impact->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k)];
}

static void map_one(hybrid *h, hybrid_impact *one, const ess_impact *impact, double x[]) {
  double after[HYBRID_STATES];
  evaluate(h, &one->after, impact->t, x, impact->sign, after);
  for (size_t i = 0; i < h->n; i++)
    if (one->changes[i]) x[i] = after[i];
}

static int map_of(ess_impact *impact, void *params) {
  hybrid *const h = params;
  for (size_t e = 0; e < impact->count; e++) {
    const size_t k = impact->events[e];
    hybrid_impact *const one = impact_of(h, impact, k);
    if (!one->is_impact) continue;
    map_one(h, one, impact, impact->after);
    if (!one->mode[k]) impact->mode[k] = impact->sign[k];
    for (size_t j = 0; j < h->m; j++)
      if (one->mode[j]) impact->mode[j] = one->mode[j];
    for (size_t j = 0; j < h->m; j++) {
      if (j != k && !one->mode[j]) continue;
      impact->armed[ESS_GUARD_UP(j)] = impact->mode[j] < 0.0;
      impact->armed[ESS_GUARD_DOWN(j)] = impact->mode[j] > 0.0 && !h->one_way;
    }
  }
  return count_call(h, HYBRID_IMPACT, impact->after, h->n);
}

/* D by states, or by parameters where there are `width` of them, of maps that follow each other */
static void map_derivative(const ess_impact *impact, double D[], size_t width, bool by_parameters,
                           hybrid *h) {
  const size_t n = h->n;
  double x[HYBRID_STATES];
  double *const J = room(n * n, sizeof *J), *const own = room(n * width, sizeof *own);
  double *const product = room(n * width, sizeof *product);
  memcpy(x, impact->x, n * sizeof *x);
  for (size_t i = 0; i < n * width; i++) D[i] = !by_parameters && i % (n + 1) == 0 ? 1.0 : 0.0;
  for (size_t e = 0; e < impact->count; e++) {
    hybrid_impact *const one = impact_of(h, impact, impact->events[e]);
    if (!one->is_impact) continue;
    evaluate(h, &one->jacobian, impact->t, x, impact->sign, J);
    if (by_parameters) evaluate(h, &one->by, impact->t, x, impact->sign, own);
    memcpy(product, D, n * width * sizeof *D);
    for (size_t i = 0; i < n; i++)
      for (size_t c = 0; c < width && one->changes[i]; c++) {
        D[i * width + c] = by_parameters ? own[i * width + c] : 0.0;
        for (size_t j = 0; j < n; j++) D[i * width + c] += J[i * n + j] * product[j * width + c];
      }
    map_one(h, one, impact, x);
  }
  free(J);
  free(own);
  free(product);
}

static int map_jacobian_of(const ess_impact *impact, double DR[], void *params) {
  hybrid *const h = params;
  map_derivative(impact, DR, h->n, false, h);
  return count_call(h, HYBRID_IMPACT_JACOBIAN, DR, h->n * h->n);
}

static int map_by_of(const ess_impact *impact, double Rp[], void *params) {
  hybrid *const h = params;
  map_derivative(impact, Rp, h->parameters, true, h);
  return count_call(h, HYBRID_IMPACT_BY, Rp, h->n * h->parameters);
}

static int armed_of(double t, const double x[], double sign[], bool armed[], void *params) {
  hybrid *const h = params;
  for (size_t g = 0; g < 2 * h->m; g++) armed[g] = armed[g] && !h->unarmed[g];
  return count_call(h, HYBRID_START, NULL, 0);
}

/* the times at which the field jumps, with the present values of parameters; returns whether there
 * is a parameter among them */
static bool order_jumps(hybrid *h) {
  bool by_parameter = false;
  for (size_t j = 0; j < h->jumps; j++) {
    const node *const n = &h->list.nodes[h->jump_node[j]];
    const double time = n->left ? h->parameter[n->left - 1] : n->value;
    size_t at = j;
    for (; at && h->jump[at - 1] > time; at--) {
      h->jump[at] = h->jump[at - 1];
      h->jump_parameter[at] = h->jump_parameter[at - 1];
    }
    h->jump[at] = time;
    h->jump_parameter[at] = n->left ? (size_t)n->left - 1 : SIZE_MAX;
    by_parameter |= n->left > 0;
  }
  return by_parameter;
}

ess_system hybrid_system(hybrid *h, unsigned gives) {
  hybrid_read(h);
  h->is_told = false;
  const bool gives_weights = gives & HYBRID_WEIGHTS;
  const bool moves = h->moves ? !(gives & HYBRID_FIXED) : (gives & HYBRID_MOVES) != 0;
  const bool is_wide = moves && gives >> HYBRID_TIME_RATES & 1;
#define GIVEN(callback, function) (gives >> (callback)&1 ? (function) : NULL)
  h->resets =
      (ess_reset_matrix){.row_start = h->row_start, .guard = h->row_guard, .effect = h->row_effect};
  for (size_t g = 0; g < 2 * h->m; g++)
    h->kinds[g] = h->impact_at[g] ? ESS_GUARD_IMPACT
                  : h->silent[g]  ? ESS_GUARD_ARMS_ONLY
                                  : ESS_GUARD_CHANGES_FIELD;
  for (size_t k = 0; h->one_way && k < h->m; k++) h->kinds[ESS_GUARD_DOWN(k)] = ESS_GUARD_NONE;
  h->impacts = (ess_impacts){.map = map_of,
                             .jacobian = GIVEN(HYBRID_IMPACT_JACOBIAN, map_jacobian_of),
                             .parameter_jacobian = GIVEN(HYBRID_IMPACT_BY, map_by_of)};
  ess_system system = {
      .dimension = h->n,
      .event_count = h->m,
      .field = field_of,
      .event_functions = h->m ? event_functions_of : NULL,
      .event_jacobian =
          GIVEN(HYBRID_GUARD_JACOBIAN, is_wide ? wide_jacobian_of : guard_jacobian_of),
      .event_rates = GIVEN(HYBRID_GUARD_RATES, event_rates_of),
      .time_dependence = !moves    ? ESS_TIME_NONE
                         : is_wide ? ESS_TIME_COLUMN
                                   : ESS_TIME_DIFFERENCED,
      .affine_in_signs = gives_weights,
      .kinds = h->has_impacts || h->has_silent || h->one_way ? h->kinds : NULL,
      .resets = h->has_resets || h->has_unarmed || h->has_silent ? &h->resets : NULL,
      .impacts = h->has_impacts ? &h->impacts : NULL,
      .start = h->has_unarmed ? armed_of : NULL,
      .field_jacobian = GIVEN(HYBRID_FIELD_JACOBIAN, field_jacobian_of),
      .field_solve = GIVEN(HYBRID_SOLVE, solve_of),
      .mode_changed = GIVEN(HYBRID_MODE, mode_of),
      .idle = GIVEN(HYBRID_IDLE, idle_of),
      .plain_field = GIVEN(HYBRID_PLAIN, plain_of),
      .params = h,
      .distances = h->distances,
      .field_jumps = {.count = h->jumps,
                      .times = h->jump,
                      .parameters = order_jumps(h) ? h->jump_parameter : NULL},
      .watch = {.count = h->watched, .values = h->watched ? watch_of : NULL},
      .parameters = {.count = h->parameters,
                     .values = h->parameter,
                     .field_jacobian = h->parameters ? GIVEN(HYBRID_FIELD_BY, field_by_of) : NULL,
                     .event_jacobian =
                         h->parameters && h->m ? GIVEN(HYBRID_GUARDS_BY, guards_by_of) : NULL}};
#undef GIVEN
  return system;
}

void hybrid_exact(hybrid *h, double t, double x[]) {
  hybrid_read(h);
  evaluate(h, &h->exact_values, t, x, NULL, NULL);
  for (size_t i = 0; i < h->n; i++) {
    if (h->exact[i] < 0) continue;
    const node *const constant = &h->list.nodes[h->exact[i]];
    x[i] = constant->op == CONSTANT ? constant->value : h->value[h->exact[i]];
  }
}

void hybrid_values(hybrid *h, double t, const double x[], double values[]) {
  hybrid_read(h);
  evaluate(h, &h->event_functions, t, x, NULL, values);
}
