/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cases.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "truth.h"

/* ---- files ----------------------------------------------------------------------------------- */

static void *grown(void *memory, size_t count, size_t size) {
  memory = realloc(memory, (count + 1) * size);
  if (!memory) abort();
  return memory;
}

static char *joined(char *text, const char *line) {
  const size_t before = text ? strlen(text) : 0;
  text = grown(text, before + strlen(line) + 1, 1);
  sprintf(text + before, "%s\n", line);
  return text;
}

static const char *after_word(const char *line, const char *word) {
  const size_t length = strlen(word);
  while (isspace((unsigned char)*line)) line++;
  if (strncmp(line, word, length)) return NULL;
  if (isalnum((unsigned char)line[length]) || line[length] == '_') return NULL;
  for (line += length; isspace((unsigned char)*line);) line++;
  return line;
}

static char *copy_of(const char *text) {
  char *const copy = grown(NULL, strlen(text) + 1, 1);
  return strcpy(copy, text);
}

cases cases_read(const char *path) {
  FILE *const file = fopen(path, "r");
  cases all = {0};
  char line[4096];
  a_case *c = NULL;
  if (!file) {
    perror(path);
    exit(2);
  }
  for (int number = 1; fgets(line, sizeof line, file); number++) {
    line[strcspn(line, "\n")] = '\0';
    const char *const settings = after_word(line, "run"), *const expected =
                                                              after_word(line, "expect");
    if (!strncmp(line, "== ", 3)) {
      all.cases = grown(all.cases, all.count, sizeof *all.cases);
      c = &all.cases[all.count++];
      *c = (a_case){.title = copy_of(line + 3), .line = number};
    } else if (!c) {
      continue; /* the head of the file */
    } else if (settings) {
      c->runs = grown(c->runs, c->count, sizeof *c->runs);
      c->runs[c->count++] = (case_run){.settings = copy_of(settings)};
    } else if (expected && c->count) {
      case_run *const run = &c->runs[c->count - 1];
      for (char *one = strtok(line + (expected - line), ";"); one; one = strtok(NULL, ";")) {
        run->expected = grown(run->expected, run->count, sizeof *run->expected);
        run->expected[run->count++] = hybrid_sums(one + strspn(one, " "));
      }
    } else if (!c->count && !strcmp(line, "as above") && all.count > 1) {
      c->text = joined(joined(c->text, all.cases[all.count - 2].text), "but");
    } else if (!c->count) {
      c->text = joined(c->text, line);
    } else if (line[strspn(line, " \t")] && line[strspn(line, " \t")] != '#') {
      fprintf(stderr, "%s:%d: neither run nor expect: %s\n", path, number, line);
      exit(2);
    }
  }
  fclose(file);
  return all;
}

void cases_free(cases *all) {
  for (size_t i = 0; i < all->count; i++) {
    a_case *const c = &all->cases[i];
    for (size_t j = 0; j < c->count; j++) {
      for (size_t k = 0; k < c->runs[j].count; k++) free(c->runs[j].expected[k]);
      free(c->runs[j].expected);
      free(c->runs[j].settings);
    }
    free(c->runs);
    free(c->title);
    free(c->text);
  }
  free(all->cases);
  *all = (cases){0};
}

/* ---- settings -------------------------------------------------------------------------------- */

typedef struct word {
  const char *name;
  unsigned bits;
} word;

// clang-format off
static const word BASES[] = {
    {"dopri5", ESS_BASE_DOPRI5}, {"rkc", ESS_BASE_RKC}, {"chosen", ESS_BASE_CHOSEN},
    {"rodas", ESS_BASE_RODAS}, {"ros2", ESS_BASE_ROS2}, {"chosen_rodas", ESS_BASE_CHOSEN_RODAS},
    {"lit", ESS_BASE_LIT},
    {NULL, 0}};
static const word LOCATES[] = {
    {"all", ESS_LOCATE_ALL}, {"none", ESS_LOCATE_NONE}, {"chosen", ESS_LOCATE_CHOSEN}, {NULL, 0}};
static const word SLIDING[] = {
    {"on", ESS_SLIDING_SLIDE}, {"off", ESS_SLIDING_STOP}, {NULL, 0}};
static const word RESTS[] = {
    {"on", ESS_SLIDING_SLIDE_AND_REST}, {"off", ESS_SLIDING_SLIDE}, {NULL, 0}};
static const word GIVES[] = {
    {"all", HYBRID_GIVES_ALL}, {"none", 0}, {"field", 1 << HYBRID_FIELD_JACOBIAN},
    {"jacobian", 1 << HYBRID_GUARD_JACOBIAN}, {"rates", 1 << HYBRID_GUARD_RATES},
    {"times", 1 << HYBRID_TIME_RATES},
    {"by", 1 << HYBRID_FIELD_BY | 1 << HYBRID_GUARDS_BY | 1 << HYBRID_IMPACT_BY},
    {"weights", HYBRID_WEIGHTS}, {"fixed", HYBRID_FIXED}, {"moves", HYBRID_MOVES},
    {"idle", 1 << HYBRID_IDLE}, {"plain", 1 << HYBRID_PLAIN}, {NULL, 0}};
static const word STOPS[] = {
    {"steps", 1 << HYBRID_STEPS}, {"crossings", 1 << HYBRID_CROSSING},
    {"impacts", 1 << HYBRID_IMPACTS}, {"events", 1 << HYBRID_EVENT},
    {"slides", 1 << HYBRID_SLIDE}, {"none", 0}, {NULL, 0}};
static const word CALLBACKS[] = {
    {"field", HYBRID_FIELD}, {"guards", HYBRID_GUARDS}, {"event_jacobian", HYBRID_GUARD_JACOBIAN},
    {"event_rates", HYBRID_GUARD_RATES}, {"some_rates", HYBRID_SOME_RATES},
    {"time_rates", HYBRID_TIME_RATES}, {"field_jacobian", HYBRID_FIELD_JACOBIAN},
    {"field_by", HYBRID_FIELD_BY}, {"guards_by", HYBRID_GUARDS_BY}, {"impact", HYBRID_IMPACT},
    {"impact_jacobian", HYBRID_IMPACT_JACOBIAN}, {"impact_by", HYBRID_IMPACT_BY},
    {"watch", HYBRID_WATCH}, {"solve", HYBRID_SOLVE}, {"mode", HYBRID_MODE},
    {"start", HYBRID_START}, {"idle", HYBRID_IDLE}, {"plain", HYBRID_PLAIN}, {NULL, 0}};

/* Settings that are members of the plan. Options that are numbers have these names in expectations,
 * too. */
typedef enum member_kind { NUMBER, WHOLE, COUNT, SIZE, SWITCH, WORDS } member_kind;
#define MEMBER(name, kind, member, words) {name, kind, offsetof(hybrid_plan, member), words}
#define OPTION(kind, name)                MEMBER(#name, kind, options.name, NULL)
#define PROJECTION(kind, name)            MEMBER(#name, kind, options.projection.name, NULL)
#define PLAN(kind, name)                  MEMBER(#name, kind, name, NULL)
static const struct {
  const char *name;
  member_kind kind;
  size_t at;
  const word *words;
} MEMBERS[] = {
    OPTION(NUMBER, rtol), OPTION(NUMBER, atol), PROJECTION(NUMBER, epsilon), OPTION(NUMBER, h_max),
    OPTION(NUMBER, h_init), OPTION(NUMBER, tie), PROJECTION(NUMBER, liveness),
    PROJECTION(NUMBER, duration_max), PROJECTION(WHOLE, order), OPTION(COUNT, max_steps),
    OPTION(COUNT, max_crossings), PLAN(SWITCH, back), PLAN(SIZE, every),
    PLAN(SIZE, parts), PLAN(SIZE, until), MEMBER("zeno", COUNT, options.zeno_impacts, NULL),
    MEMBER("to", NUMBER, t1, NULL), MEMBER("samples", SIZE, time_count, NULL),
    MEMBER("bytes", SIZE, derivative.bytes, NULL), MEMBER("piece", SIZE, derivative.piece, NULL),
    MEMBER("follow", SWITCH, derivative.follows, NULL),
    MEMBER("record", SWITCH, derivative.records, NULL),
    MEMBER("by_states", SWITCH, derivative.by_states, NULL),
    MEMBER("locate", WORDS, options.locate, LOCATES), OPTION(NUMBER, event_cost),
    MEMBER("base", WORDS, options.base, BASES), MEMBER("sliding", WORDS, options.sliding, SLIDING),
    MEMBER("rest", WORDS, options.sliding, RESTS),
    MEMBER("gives", WORDS, gives, GIVES),
    MEMBER("stops", WORDS, stops, STOPS), MEMBER("hears", WORDS, hears, STOPS)};

#define COUNTER(name) {#name, offsetof(ess_counters, name)}
static const struct {
  const char *name;
  size_t at;
} COUNTERS[] = {
    COUNTER(steps), COUNTER(stabilised), COUNTER(implicit), COUNTER(unlocated), COUNTER(through), COUNTER(rejected),
    COUNTER(projections), COUNTER(entries), COUNTER(crossings), COUNTER(silent), COUNTER(impacts),
    COUNTER(slides), {"evaluations", offsetof(ess_counters, field_evaluations)},
    {"field_jacobians", offsetof(ess_counters, field_jacobian_evaluations)}};
// clang-format on
enum {
  MEMBER_COUNT = sizeof MEMBERS / sizeof *MEMBERS,
  COUNTER_COUNT = sizeof COUNTERS / sizeof *COUNTERS,
  OTHERS = 24
};

static void refuse(const char *problem, const char *text) {
  fprintf(stderr, "cases: %s: %s\n", problem, text);
  exit(2);
}

/* the bits of words that are joined with + */
static unsigned bits_of(const word words[], const char *text) {
  unsigned bits = 0;
  while (*text) {
    const size_t length = strcspn(text, "+");
    const word *w = words;
    while (w->name && (strlen(w->name) != length || strncmp(w->name, text, length))) w++;
    if (!w->name) refuse("no such word", text);
    bits |= w->bits;
    text += length;
    if (*text) text++;
  }
  return bits;
}

static void set_fault(hybrid *h, const char *value) {
  char in[32], is[3];
  unsigned long long call;
  double number;
  size_t entry = 0;
  if (sscanf(value, "%31[a-z_][%zu]@%llu%2[:*=]%lf", in, &entry, &call, is, &number) != 5 &&
      sscanf(value, "%31[a-z_]@%llu%2[:*=]%lf", in, &call, is, &number) != 4)
    refuse("a fault is CALLBACK[ENTRY]@CALL=CODE", value);
  h->fault = (hybrid_fault){.in = bits_of(CALLBACKS, in), .call = call, .entry = entry};
  if (!strcmp(is, ":=") || !isfinite(number))
    h->fault.value = number;
  else if (!strcmp(is, "*="))
    h->fault.factor = number;
  else
    h->fault.code = (int)number;
}

/* the event function, or watched one, that tells the message which ends the run */
static void set_teller(hybrid *h, hybrid_plan *plan, const char *name) {
  size_t k = hybrid_event(h, name);
  while (k >= h->m && k < h->m + h->watched && strcmp(h->watches[k - h->m], name)) k++;
  if (k == h->m + h->watched) refuse("no event function", name);
  plan->at = k + 1;
  plan->stops = 1 << HYBRID_CROSSING | 1 << HYBRID_EVENT;
  if (!plan->until) plan->until = 1;
}

/* of one direction */
static void set_direction(hybrid *h, hybrid_derivative *v, const char *name, double value) {
  const size_t width = h->n + h->parameters;
  double *const along = v->along ? (double *)v->along : grown(NULL, width, sizeof *along);
  if (!v->along) memset(along, 0, width * sizeof *along);
  for (size_t i = 0; i < h->n; i++)
    if (!strcmp(h->states[i], name)) along[i] = value;
  for (size_t i = 0; i < h->parameters; i++)
    if (!strcmp(h->parameter_names[i], name)) along[h->n + i] = value;
  v->along = along;
  v->count = 1;
}

/* many, of which no two are alike */
static void set_directions(hybrid *h, hybrid_derivative *v, size_t count) {
  const size_t size = (h->n + h->parameters) * count;
  double *const along = grown(NULL, size, sizeof *along);
  for (size_t i = 0; i < size; i++) along[i] = sin(1.0 + (double)i);
  v->along = along;
  v->count = count;
}

static double number_of(hybrid *h, const char *value) {
  char *end;
  const char *text = value;
  double number = strtod(value, &end); // also nan and inf
  if (*end)
    number = hybrid_value(h, &text, 0.0, NULL, NULL, NULL, 0);
  else
    text = end;
  if (*text) refuse("a value is no number", value);
  return number;
}

static void set_member(hybrid *h, hybrid_plan *plan, size_t i, const char *value) {
  void *const at = (char *)plan + MEMBERS[i].at;
  const member_kind kind = MEMBERS[i].kind;
  if (kind == SWITCH)
    *(bool *)at = strcmp(value, "off") != 0;
  else if (kind == WORDS)
    *(unsigned *)at = bits_of(MEMBERS[i].words, value);
  else if (kind == NUMBER)
    *(double *)at = number_of(h, value);
  else if (kind == WHOLE)
    *(int *)at = (int)number_of(h, value);
  else if (kind == COUNT)
    *(uint64_t *)at = (uint64_t)number_of(h, value);
  else
    *(size_t *)at = (size_t)number_of(h, value);
}

void case_set(hybrid *h, hybrid_plan *plan, const char *name, const char *value) {
  ess_options *const o = &plan->options;
  const size_t length = strcspn(name, "/"), its = strcspn(value, "/");
  if (name[length]) { /* of several names, one after the other */
    char first[32], of[64];
    if (!value[its] || its >= sizeof of) refuse("as many values are needed as names", value);
    snprintf(first, sizeof first, "%.*s", (int)length, name);
    snprintf(of, sizeof of, "%.*s", (int)its, value);
    case_set(h, plan, first, of);
    case_set(h, plan, name + length + 1, value + its + 1);
    return;
  }
  if (hybrid_has(h, name)) {
    hybrid_set(h, name, number_of(h, value));
    return;
  }
  for (size_t i = 0; i < MEMBER_COUNT; i++)
    if (!strcmp(name, MEMBERS[i].name)) {
      set_member(h, plan, i, value);
      return;
    }
  if (!strcmp(name, "fail"))
    set_fault(h, value);
  else if (!strcmp(name, "at"))
    set_teller(h, plan, value);
  else if (!strcmp(name, "by"))
    case_set(h, plan, value, "on");
  else if (!strncmp(name, "d_", 2) && hybrid_has(h, name + 2))
    set_direction(h, &plan->derivative, name + 2, number_of(h, value));
  else if (!strcmp(name, "paper"))
    o->projection.epsilon = strcmp(value, "off") ? ess_options_paper().projection.epsilon : 0.0;
  else if (!strcmp(name, "step"))
    o->h_init = o->h_max = number_of(h, value);
  else if (!strcmp(name, "tolerance"))
    o->rtol = o->atol = number_of(h, value);
  else if (!strcmp(name, "directions"))
    set_directions(h, &plan->derivative, (size_t)number_of(h, value));
  else if (!strcmp(name, "share"))
    h->share = number_of(h, value);
  else
    refuse("no such setting", name);
}

/* a setting of a run line, with its values */
typedef struct setting {
  char name[32], *values[64], *text;
  size_t count, chosen;
} setting;

enum { SETTINGS = 48, SHOWN = 5 /* of a case */, KEY = 256 };

static size_t settings_of(const char *text, setting settings[SETTINGS], size_t *draws) {
  size_t count = 0;
  *draws = 1;
  while (*text) {
    const size_t length = strcspn(text, ";");
    char *const copy = grown(NULL, length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    text += length + (text[length] == ';');
    setting s = {.text = copy};
    int at = 0;
    if (sscanf(copy, " %31s %n", s.name, &at) < 1) {
      free(copy);
      continue;
    }
    for (char *value = strtok(copy + at, ","); value; value = strtok(NULL, ",")) {
      while (isspace((unsigned char)*value)) value++;
      for (size_t end = strlen(value); end && isspace((unsigned char)value[end - 1]);)
        value[--end] = '\0';
      if (s.count == 64) refuse("too many values", s.name);
      s.values[s.count++] = value;
    }
    if (!s.count) s.values[s.count++] = "on";
    if (!strcmp(s.name, "random")) {
      *draws = (size_t)strtoull(s.values[0], NULL, 10);
      free(copy);
      continue;
    }
    if (count == SETTINGS) refuse("too many settings", s.name);
    settings[count++] = s;
  }
  return count;
}

/* ---- what is expected ------------------------------------------------------------------------ */

static const char *const STATUSES[ESS_STATUS_COUNT] = {
    "success",       "EINVAL",     "ENOMEM",    "ECALLBACK",      "EFIELD",
    "EEVENT",        "EUNDERFLOW", "ELIVENESS", "ECHATTER",       "EMAXSTEPS",
    "EMAXCROSSINGS", "ESTOP",      "ESLIDING",  "ETOLERANCE",     "EJACOBIAN",
    "EIMPACT",       "EZENO",      "EGRAZING",  "EDISCONTINUOUS", "EAFFINE"};

/* The runs of a case: how far, and the latest truth with what it depends on. */
typedef struct progress {
  size_t runs, failed, others, undecided;
  uint64_t sequence;
  truth_end truth;
  double key[KEY];
  size_t keys;
  case_outcome last;
  truth_status tangent_status;
  double *tangent, tangent_key[KEY]; /* of the latest derivative of the truth */
  size_t tangent_keys;
} progress;

/* A run that is looked at. */
typedef struct look {
  progress *of;
  hybrid *h;
  const hybrid_plan *plan;
  hybrid_end end;
  hybrid_name *names;
  size_t name_count;
  char *words;    /* of names such as D_x_p */
  bool has_plain; /* the names of a run without a derivative */
  double *D;      /* the derivative */
  bool is_told;   /* something has been said of the status */
  bool is_other;  /* success is expected, among others, and there is none */
  bool is_undecided;
  double error;    /* the largest of states, from what they are compared with */
  char found[256]; /* about what was not as expected */
} look;

enum { WORD = 2 * HYBRID_NAME + 4 };

__attribute__((format(printf, 3, 4))) static void name(look *l, double value, const char *format,
                                                       ...) {
  char *const label = l->words + l->name_count * WORD;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(label, WORD, format, arguments);
  va_end(arguments);
  l->names[l->name_count++] = (hybrid_name){label, value};
}

static void name_counters(look *l, const char *before, const ess_counters *c) {
  for (size_t i = 0; i < COUNTER_COUNT; i++)
    name(l, (double)*(const uint64_t *)((const char *)c + COUNTERS[i].at), "%s%s", before,
         COUNTERS[i].name);
}

static void name_options(look *l) {
  for (size_t i = 0; i < MEMBER_COUNT; i++) {
    const void *const at = (const char *)l->plan + MEMBERS[i].at;
    const member_kind kind = MEMBERS[i].kind;
    if (MEMBERS[i].at >= sizeof l->plan->options || kind > SIZE) continue;
    if (hybrid_has(l->h, MEMBERS[i].name)) continue;
    const double value = kind == NUMBER  ? *(const double *)at
                         : kind == WHOLE ? *(const int *)at
                         : kind == COUNT ? (double)*(const uint64_t *)at
                                         : (double)*(const size_t *)at;
    name(l, value, "%s", MEMBERS[i].name);
  }
}

/* D_x_p, of a state or the time by a state or parameter; or D_x, along the only direction */
static void name_derivatives(look *l, size_t columns) {
  const hybrid *const h = l->h;
  for (size_t i = 0; i < (h->n + 1) * columns && l->plan->derivative.count < 2; i++) {
    const size_t of = i / columns, by = i % columns;
    const char *const row = of < h->n ? h->states[of] : "t";
    if (l->plan->derivative.count)
      name(l, l->D[i], "D_%s", row);
    else
      name(l, l->D[i], "D_%s_%s", row, by < h->n ? h->states[by] : h->parameter_names[by - h->n]);
  }
}

static void name_numbers(look *l) {
  const hybrid_end *const e = &l->end;
  const ess_options *const o = &l->plan->options;
  size_t ended = 0;
  for (size_t i = 0; i < e->log.count && i < HYBRID_LOG; i++)
    ended += e->log.record[i].message == HYBRID_SLIDE && e->log.record[i].direction < 0;
  const size_t columns = l->D ? hybrid_columns(l->h, &l->plan->derivative) : 0;
  const size_t most = (l->h->n + 1) * columns + MEMBER_COUNT + 2 * COUNTER_COUNT + OTHERS;
  l->names = grown(NULL, most, sizeof *l->names);
  l->words = grown(NULL, most, WORD);
  name_counters(l, "", &e->counters);
  name_options(l);
  // clang-format off
  const hybrid_name others[] = {
      {"tolerance", o->rtol > o->atol ? o->rtol : o->atol}, {"projected", e->log.projected},
      {"failure_time", e->failure.time}, {"code", e->failure.callback_code},
      {"messages", (double)e->log.count}, {"stopped", (double)e->log.stopped},
      {"slides_ended", (double)ended}, {"smooth", (double)e->smooth.kind}, {"c1", ESS_SMOOTH_C1},
      {"event_evaluations", (double)(e->counters.event_evaluations + e->counters.some_evaluations)},
      {"piecewise", ESS_SMOOTH_PIECEWISE}, {"uncounted", ESS_SMOOTH_NOT_COUNTED},
      {"pieces", (double)e->smooth.pieces}, {"instants", (double)e->smooth.instants},
      {"together", (double)e->smooth.count}, {"solves", (double)l->h->calls[HYBRID_SOLVE]},
      {"row", (double)e->failure.row}, {"column", (double)e->failure.column},
      {"pi", 3.141592653589793}};
  // clang-format on
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    name(l, others[i].value, "%s", others[i].name);
  name_derivatives(l, columns);
}

/* the counters plain_... of the same run without a derivative, and how far apart both end */
static void name_plain(look *l, const char *line) {
  if (l->has_plain || !strstr(line, "plain_")) return;
  l->has_plain = true;
  hybrid_plan plan = *l->plan;
  plan.derivative = (hybrid_derivative){0};
  memset(l->h->calls, 0, sizeof l->h->calls);
  const hybrid_end end = hybrid_run(l->h, &plan);
  name_counters(l, "plain_", &end.counters);
  name(l, hybrid_error(l->h, l->end.x, end.x, 1.0), "plain_apart");
}

static double value_of(look *l, const char **text) {
  return hybrid_value(l->h, text, l->end.t, l->end.x, l->end.sign, l->names, l->name_count);
}

static bool take(const char **text, const char *token) {
  while (isspace((unsigned char)**text)) (*text)++;
  const size_t length = strlen(token);
  if (strncmp(*text, token, length)) return false;
  *text += length;
  return true;
}

static double within(look *l, const char **text, const char *line) {
  if (!take(text, "within")) refuse("within is missing", line);
  return value_of(l, text);
}

static bool compared(look *l, const char *line) {
  name_plain(l, line);
  const char *text = line;
  const double left = value_of(l, &text);
  static const char *const operators[] = {"<=", ">=", "!=", "<", ">", "="};
  size_t op = 0;
  while (op < 6 && !take(&text, operators[op])) op++;
  if (op == 6) refuse("no such expectation", line);
  const double right = value_of(l, &text);
  const double most = op == 5 && text[strspn(text, " ")] ? within(l, &text, line) : 0.0;
  snprintf(l->found, sizeof l->found, "%.17g and %.17g, %.3g apart", left, right,
           fabs(left - right));
  const bool met[] = {left <= right, left >= right, left != right,
                      right > left,  right < left,  fabs(left - right) <= most};
  return met[op];
}

static const char *const MESSAGES[] = {"step", "crossing", "impact", "event", "slide"};

/* what a line expects of a message: the Nth of all, or of its kind where the number follows that */
static bool is_message(look *l, const char *line) {
  char what[16], name[HYBRID_NAME], direction[8];
  size_t number, kind = 0;
  int at = 0;
  const bool of_kind =
      sscanf(line, "%15s %zu: %23s %7s at %n", what, &number, name, direction, &at) == 4;
  if (!of_kind && sscanf(line, "%zu: %15s %23s %7s at %n", &number, what, name, direction, &at) < 4)
    at = 0;
  while (kind < 5 && strcmp(MESSAGES[kind], what)) kind++;
  if (!at || kind == 5) refuse("no such message", line);
  const char *text = line + at;
  const double time = value_of(l, &text), most = within(l, &text, line);
  const hybrid_log *const log = &l->end.log;
  const hybrid_record *r = NULL;
  size_t seen = 0;
  for (size_t i = 0; i < log->count && i < HYBRID_LOG && !r; i++) {
    seen += !of_kind || log->record[i].message == kind;
    if (seen == number) r = &log->record[i];
  }
  snprintf(l->found, sizeof l->found, "there are %zu", seen);
  if (!r) return false;
  const bool is_event = r->message == HYBRID_EVENT;
  const char *const has = (is_event ? l->h->watches : l->h->events)[r->guard];
  snprintf(l->found, sizeof l->found, "%s %s %+d at %.17g", MESSAGES[r->message], has, r->direction,
           r->t);
  return r->message == kind && !strcmp(has, name) &&
         (r->direction == 0 || (r->direction > 0) == !strcmp(direction, "up")) &&
         fabs(r->t - time) <= most;
}

static bool is_apart(look *l, const double x[], const double truth[], double most) {
  const double apart = hybrid_error(l->h, x, truth, 1.0);
  l->error = fmax(l->error, apart);
  snprintf(l->found, sizeof l->found, "an error of %.3g", apart);
  return !(apart <= most);
}

static truth_options truth_like(const look *l) {
  return (truth_options){.margin = -1.0, // `beyond` looks at the nearest event
                         .sliding = l->plan->options.sliding != ESS_SLIDING_STOP,
                         .rest = l->plan->options.sliding == ESS_SLIDING_SLIDE_AND_REST,
                         .t1 = l->plan->t1,
                         .stops = l->plan->stops,
                         .until = l->plan->until,
                         .at = l->plan->at,
                         .times = l->plan->times,
                         .time_count = l->plan->time_count};
}

/* whether what the truth depends on is not what it was */
static bool is_new(look *l, const truth_options *options, double known[KEY], size_t *count) {
  const size_t n = l->h->n, P = l->h->parameters, keys = n + P + 10;
  const size_t along = options->count ? n + P : 0;
  double key[KEY];
  if (keys + along > KEY) refuse("too many parameters", l->h->text);
  key[n] = hybrid_start(l->h, key);
  key[n + 1] = options->sliding;
  key[n + 2] = options->rest;
  key[n + 3] = options->t1 != 0.0 ? options->t1 : hybrid_end_time(l->h);
  key[n + 4] = options->stops;
  key[n + 5] = (double)options->until;
  key[n + 6] = options->by_states;
  key[n + 7] = (double)options->count;
  key[n + 8] = (double)options->at;
  key[n + 9] = (double)options->time_count;
  if (P) memcpy(key + n + 10, l->h->parameter, P * sizeof *key);
  if (along) memcpy(key + keys, options->along, along * sizeof *key);
  if (*count == keys + along && !memcmp(key, known, *count * sizeof *key)) return false;
  *count = keys + along;
  memcpy(known, key, *count * sizeof *key);
  return true;
}

/* The same for runs that differ in settings of libess alone, which follow each other where these
 * are the first in their line. */
static const truth_end *truth_of(look *l) {
  const truth_options options = truth_like(l);
  if (!is_new(l, &options, l->of->key, &l->of->keys)) return &l->of->truth;
  free(l->of->truth.states);
  l->of->truth = truth_run(l->h, &options);
  return &l->of->truth;
}

/* its derivative, as the run's */
static truth_status truth_tangent_of(look *l) {
  const hybrid_derivative *const v = &l->plan->derivative;
  truth_options options = truth_like(l);
  options.by_states = v->by_states;
  options.count = v->count > 1 ? 0 : v->count;
  options.along = v->along;
  progress *const of = l->of;
  if (!is_new(l, &options, of->tangent_key, &of->tangent_keys)) return of->tangent_status;
  const size_t columns = l->h->n + l->h->parameters;
  of->tangent = grown(of->tangent, (l->h->n + 1) * columns, sizeof *of->tangent);
  of->tangent_status = truth_tangent(l->h, &options, of->tangent);
  return of->tangent_status;
}

/* The truth; false where an event is within the margin that the line names, or it has none. */
static bool truth_decides(look *l, const char **text) {
  const double margin = take(text, "beyond") ? value_of(l, text) : 0.0;
  const truth_end *const truth = truth_of(l);
  const bool decides = margin <= 0.0 || (truth->status ? truth->status != TRUTH_UNDECIDED
                                                       : truth->nearest >= margin);
  l->is_undecided = l->is_undecided || !decides;
  return decides;
}

static bool is_true(look *l, const char *text, const char *line);

/* the same, but that what the system itself does not decide at this tolerance is not wrong */
static bool is_true_if_clear(look *l, const char *text, const char *line) {
  if (is_true(l, text, line)) return true;
  const truth_options options = truth_like(l);
  double unit[HYBRID_STATES], spread;
  for (size_t i = 0; i < l->h->n; i++) unit[i] = fmax(l->plan->options.rtol, l->plan->options.atol);
  l->is_undecided =
      l->of->truth.status == TRUTH_UNDECIDED ||
      (!l->of->truth.status && !truth_is_clear(l->h, &options, &l->of->truth, unit, &spread));
  return l->is_undecided;
}

static bool is_true(look *l, const char *text, const char *line) {
  const double most = within(l, &text, line);
  if (!truth_decides(l, &text)) return true;
  const truth_end *const truth = &l->of->truth;
  snprintf(l->found, sizeof l->found, "%s at %.17g, and the truth ends at %.17g: %s",
           STATUSES[l->end.status], l->end.t, truth->t, truth->reason ? truth->reason : "");
  l->is_told = l->is_told || truth->status == TRUTH_ZENO;
  if (truth->status == TRUTH_ZENO)
    return l->end.status == ESS_EZENO &&
           fabs(l->end.failure.time - truth->t) <= most * (1.0 + fabs(truth->t));
  if (truth->status || l->end.status) return false;
  for (size_t k = 0; k < l->h->m; k++)
    if (truth->sign[k] != l->end.sign[k]) {
      snprintf(l->found, sizeof l->found, "the sign of %s is %g", l->h->events[k], l->end.sign[k]);
      return false;
    }
  return !is_apart(l, l->end.x, truth->x, most);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* the same, of one time in any order */
static bool are_told(look *l, const hybrid_record told[], size_t count, const hybrid_record of[],
                     size_t all, double most) {
  bool is_used[HYBRID_LOG] = {false};
  snprintf(l->found, sizeof l->found, "%zu messages, not %zu", count, all);
  if (count != all || count > HYBRID_LOG) return count == all;
  for (size_t i = 0; i < count; i++) {
    size_t j = 0;
    while (j < all &&
           (is_used[j] || of[j].message != told[i].message || of[j].guard != told[i].guard ||
            of[j].direction != told[i].direction || !(fabs(of[j].t - told[i].t) <= most)))
      j++;
    snprintf(l->found, sizeof l->found, "the %zuth message, at %.17g, should not be there", i + 1,
             told[i].t);
    if (j == all) return false;
    is_used[j] = true;
  }
  return true;
}

static bool are_messages_true(look *l, const char *text, const char *line) {
  const double most = within(l, &text, line);
  if (!truth_decides(l, &text)) return true;
  const truth_end *const truth = &l->of->truth;
  snprintf(l->found, sizeof l->found, "the truth ends at %.17g: %s", truth->t,
           truth->reason ? truth->reason : "");
  if (truth->status && truth->status != TRUTH_ZENO) return false;
  return are_told(l, l->end.log.record, l->end.log.count, truth->record, truth->count, most);
}

/* the run that nothing stops, in one part: its status, and in success its states and messages;
 * which impact is the last before a rest is a matter of rounding */
static bool is_whole(look *l, const char *text, const char *line) {
  const double most = within(l, &text, line);
  hybrid_plan plan = *l->plan;
  plan.stops = 0;
  plan.parts = 1;
  memset(l->h->calls, 0, sizeof l->h->calls);
  const hybrid_end whole = hybrid_run(l->h, &plan);
  snprintf(l->found, sizeof l->found, "%s at %.17g, without stops %s", STATUSES[l->end.status],
           l->end.t, STATUSES[whole.status]);
  l->is_told = l->is_told || whole.status;
  if (whole.status || l->end.status)
    return whole.status == l->end.status && fabs(whole.failure.time - l->end.failure.time) <=
                                                most * (1.0 + fabs(whole.failure.time));
  return (plan.options.sliding == ESS_SLIDING_SLIDE_AND_REST ||
          are_told(l, l->end.log.record, l->end.log.count, whole.log.record, whole.log.count,
                   INFINITY)) &&
         !is_apart(l, l->end.x, whole.x, most);
}

/* samples, the truth's or those of `exact` lines */
static bool are_samples_right(look *l, const char *text, const char *line) {
  const bool by_text = take(&text, "exact");
  const double most = within(l, &text, line);
  const size_t n = l->h->n;
  const double *const given = by_text ? NULL : truth_of(l)->states;
  double x[HYBRID_STATES];
  for (size_t i = 0; i < l->plan->time_count; i++) {
    memcpy(x, given ? given + i * n : l->plan->states + i * n, n * sizeof *x);
    if (by_text) hybrid_exact(l->h, l->plan->times[i], x);
    if (!is_apart(l, l->plan->states + i * n, x, most)) continue;
    const size_t length = strlen(l->found);
    snprintf(l->found + length, sizeof l->found - length, " at %.17g", l->plan->times[i]);
    return false;
  }
  return !l->end.status && l->plan->time_count && (by_text || !l->of->truth.status);
}

/* The derivative, from a run of its own: of the final state by initial states and parameters, or
 * along directions. */
static int take_derivative(look *l, bool records, double D[], ess_smoothness *smooth) {
  hybrid_plan plan = *l->plan;
  plan.derivative.follows = !records;
  plan.derivative.records = records;
  plan.derivative.D = D;
  const hybrid_end end = hybrid_run(l->h, &plan);
  *smooth = end.smooth;
  return end.status == ESS_ESTOP && plan.until ? ESS_SUCCESS : end.status;
}

static bool are_tangents_true(look *l, const char *text, const char *line) {
  const hybrid_derivative *const v = &l->plan->derivative;
  const double most = within(l, &text, line);
  const double tolerance = fmax(l->plan->options.rtol, l->plan->options.atol);
  /* the errors of directions and of adjoints are controlled one by one (ess_tangents.h) */
  const double between = take(&text, "adjoint") ? within(l, &text, line) : 100.0 * tolerance;
  const bool may_be_undecided = strstr(text, "beyond") != NULL;
  if (may_be_undecided && !truth_decides(l, &text)) return true;
  const size_t n = l->h->n, columns = hybrid_columns(l->h, v), rows = n + (l->plan->until != 0);
  const size_t width = n + (v->by_states ? 0 : l->h->parameters);
  double *const given = grown(NULL, rows * columns, sizeof *given);
  double *const back = grown(NULL, rows * columns, sizeof *back), worst = 0.0, transposed = 0.0;
  ess_smoothness smooth, other;
  int status = take_derivative(l, false, given, &smooth);
  /* an adjoint is that of one piece, and there is none by the paper's method */
  const bool records = smooth.kind == ESS_SMOOTH_C1 && l->plan->options.projection.epsilon == 0.0;
  if (!status && records) status = take_derivative(l, true, back, &other);
  const truth_status true_status = status ? TRUTH_SUCCESS : truth_tangent_of(l);
  if (may_be_undecided && true_status == TRUTH_UNDECIDED) l->is_undecided = true;
  for (size_t i = 0; i < rows && !status && !true_status; i++) {
    double largest = 0.0; /* of derivatives along many directions */
    for (size_t c = 0; c < columns && v->count > 1; c++)
      largest = fmax(largest, fabs(given[i * columns + c]));
    for (size_t c = 0; c < columns; c++) {
      const double is = given[i * columns + c], size = 1.0 + fmax(fabs(is), largest);
      double truth = v->count > 1 ? 0.0 : l->of->tangent[i * columns + c];
      for (size_t j = 0; j < width && v->count > 1; j++)
        truth += l->of->tangent[i * width + j] * v->along[j * columns + c];
      worst = fmax(worst, fabs(is - truth) / size);
      if (records) transposed = fmax(transposed, fabs(is - back[i * columns + c]) / size);
      if (!isfinite(is - truth) || (records && !isfinite(is - back[i * columns + c])))
        worst = INFINITY;
    }
  }
  l->error = fmax(l->error, fmax(worst, transposed));
  snprintf(l->found, sizeof l->found, "%s, truth %d, an error of %.3g, of the adjoint %.3g",
           ess_strerror(status), (int)true_status, worst, transposed);
  free(given);
  free(back);
  return l->is_undecided || (!status && !true_status && worst <= most && transposed <= between);
}

static bool is_guard(look *l, size_t k, const char *name) {
  while (isspace((unsigned char)*name)) name++;
  snprintf(l->found, sizeof l->found, "it is %s", k < l->h->m ? l->h->events[k] : "none");
  return k < l->h->m ? !strcmp(l->h->events[k], name) : !strcmp(name, "none");
}

/* Whether a line is a status, or several such as "success or EZENO, at most 3": then *is_met. */
static bool is_about_status(look *l, const char *line, bool *is_met) {
  const ess_failure *const f = &l->end.failure;
  bool is_success = false;
  *is_met = false;
  do {
    int s = 0;
    while (s < ESS_STATUS_COUNT && !after_word(line, STATUSES[s])) s++;
    if (s == ESS_STATUS_COUNT) return false;
    line = after_word(line, STATUSES[s]);
    *is_met = *is_met || l->end.status == s;
    is_success = is_success || s == ESS_SUCCESS;
    const char *const rest = line;
    line = after_word(line, "or");
    if (!line && *rest && strncmp(rest, ", at most ", 10)) return false;
  } while (line);
  l->is_told = true;
  l->is_other = is_success && l->end.status;
  snprintf(l->found, sizeof l->found, "%s at %.17g%s%s", STATUSES[l->end.status], l->end.t,
           f->reason ? ": " : "", f->reason ? f->reason : "");
  return true;
}

static bool is_as_expected(look *l, const char *line);

/* either side of an `or` */
static bool is_either(look *l, const char *line, const char * or) {
  char first[256];
  snprintf(first, sizeof first, "%.*s", (int)(or -line), line);
  return is_as_expected(l, first) || is_as_expected(l, or +4);
}

static bool is_as_expected(look *l, const char *line) {
  bool is_met;
  if (is_about_status(l, line, &is_met)) return is_met;
  const char *const or = strncmp(line, "reason", 6) ? strstr(line, " or ") : NULL;
  if (or) return is_either(l, line, or);
  const char *rest = after_word(line, "truth");
  if (rest) return (strstr(rest, "if clear") ? is_true_if_clear : is_true)(l, rest, line);
  rest = after_word(line, "messages");
  if (rest && !strncmp(rest, "within", 6)) return are_messages_true(l, rest, line);
  rest = after_word(line, "whole");
  if (rest) return is_whole(l, rest, line);
  rest = after_word(line, "exact");
  if (rest) {
    double x[HYBRID_STATES];
    memcpy(x, l->end.x, sizeof x);
    hybrid_exact(l->h, l->end.t, x);
    return !is_apart(l, l->end.x, x, within(l, &rest, line));
  }
  rest = after_word(line, "samples");
  if (rest) return are_samples_right(l, rest, line);
  rest = after_word(line, "tangents");
  if (rest) return are_tangents_true(l, rest, line);
  rest = after_word(line, "guard");
  if (rest) return is_guard(l, l->end.failure.event, rest);
  rest = after_word(line, "other");
  if (rest) return is_guard(l, l->end.failure.other_event, rest);
  rest = after_word(line, "reason");
  if (rest) {
    l->is_told = true;
    const char *const reason = l->end.failure.reason ? l->end.failure.reason : "no reason";
    snprintf(l->found, sizeof l->found, "%s", reason);
    return strstr(reason, rest) != NULL;
  }
  const size_t name = isdigit((unsigned char)*line) ? 0 : strcspn(line, " ") + 1;
  const size_t digits = name <= strlen(line) ? strspn(line + name, "0123456789") : 0;
  if (digits && line[name + digits] == ':') return is_message(l, line);
  return compared(l, line);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void describe(const setting settings[], size_t count, const double drawn[], char text[],
                     size_t size) {
  size_t at = 0;
  text[0] = '\0';
  for (size_t i = 0; i < count && at < size; i++) {
    const setting *const s = &settings[i];
    at += (size_t)(isnan(drawn[i]) ? snprintf(text + at, size - at, "%s%s %s", i ? "; " : "",
                                              s->name, s->values[s->chosen])
                                   : snprintf(text + at, size - at, "%s%s %.17g", i ? "; " : "",
                                              s->name, drawn[i]));
  }
}

/* draws each parameter whose name begins as the pattern does, up to its star */
static void draw_many(hybrid *h, const char *pattern, double low, double high, uint64_t *sequence) {
  const size_t length = strcspn(pattern, "*");
  for (size_t p = 0; p < h->parameters; p++)
    if (!strncmp(h->parameter_names[p], pattern, length))
      h->parameter[p] = draw_between(sequence, low, high);
}

/* one combination, one draw; without a path nothing is printed */
static void run_one(const char *path, const a_case *c, const case_run *run,
                    const setting settings[], size_t count, progress *of) {
  hybrid *const h = hybrid_of("%s", c->text);
  hybrid_plan plan = {.options = hybrid_options(1e-8), .gives = HYBRID_GIVES_ALL};
  hybrid_read(h);
  double drawn[SETTINGS];
  // both methods with the same settings: the epsilon of one is not the other's
  bool by_tolerance = false;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(settings[i].name, "paper")) continue;
    plan.options = ess_options_paper();
    by_tolerance = !strcmp(settings[i].values[settings[i].chosen], "off");
  }
  for (size_t i = 0; i < count; i++) {
    const char *value = settings[i].values[settings[i].chosen];
    const char *const range = strstr(value, "..");
    char number[32];
    drawn[i] = NAN;
    if (range && strchr(settings[i].name, '*')) {
      draw_many(h, settings[i].name, strtod(value, NULL), strtod(range + 2, NULL), &of->sequence);
      continue;
    }
    if (range) {
      const bool by_logarithm = range[2] == '.';
      const double low = strtod(value, NULL), high = strtod(range + 2 + by_logarithm, NULL);
      drawn[i] = (by_logarithm ? draw_log : draw_between)(&of->sequence, low, high);
      snprintf(number, sizeof number, "%.17g", drawn[i]);
      value = number;
    }
    case_set(h, &plan, settings[i].name, value);
  }
  if (by_tolerance) plan.options.projection.epsilon = 0.0;
  const size_t samples = plan.time_count;
  const double t0 = hybrid_start(h, NULL), t1 = plan.t1 != 0.0 ? plan.t1 : hybrid_end_time(h);
  double *const times = grown(NULL, samples, sizeof *times);
  for (size_t i = 1; i <= samples; i++)
    times[i - 1] = i < samples ? t0 + (t1 - t0) * (double)i / (double)samples : t1;
  plan.times = times;
  plan.states = grown(NULL, samples * h->n, sizeof *plan.states);
  look l = {.of = of, .h = h, .plan = &plan};
  if (plan.derivative.follows || plan.derivative.records)
    l.D = plan.derivative.D =
        grown(NULL, (h->n + 1) * hybrid_columns(h, &plan.derivative), sizeof *l.D);
  for (size_t i = 0; i < (h->n + 1) * hybrid_columns(h, &plan.derivative) && l.D; i++) l.D[i] = NAN;
  l.end = hybrid_run(h, &plan);
  name_numbers(&l);
  const char *broken = NULL; /* an expectation */
  for (size_t i = 0; i < run->count && !l.is_other && !broken; i++)
    if (!is_as_expected(&l, run->expected[i])) broken = run->expected[i];
  const bool is_at_section = l.end.status == ESS_ESTOP && plan.until;
  if (!broken && l.end.status && !l.is_told && !is_at_section) {
    broken = "success, as nothing is said of the status";
    (void)is_as_expected(&l, "success");
  }
  const bool is_right = !broken;
  if (broken && path && of->failed < SHOWN) {
    char text[1024];
    describe(settings, count, drawn, text, sizeof text);
    printf("%s:%d: %s\n  run %zu: %s\n  expect %s\n  but %s\n", path, c->line, c->title,
           of->runs + 1, text, broken, l.found);
  }
  of->runs++;
  of->others += l.is_other;
  hybrid_free(h);
  free(l.D);
  free(l.names);
  free(l.words);
  free((void *)plan.derivative.along);
  free(times);
  free(plan.states);
  of->failed += !is_right;
  of->undecided += l.is_undecided;
  of->last = (case_outcome){.status = l.end.status,
                            .is_right = is_right,
                            .is_undecided = l.is_undecided,
                            .error = l.error,
                            .tolerance = fmax(plan.options.rtol, plan.options.atol)};
}

/* the number N of "success or EZENO, at most N" */
static size_t most_others(const case_run *run) {
  size_t most = SIZE_MAX;
  for (size_t i = 0; i < run->count; i++) {
    const char *const limit = strstr(run->expected[i], ", at most ");
    if (limit) (void)sscanf(limit, ", at most %zu", &most);
  }
  return most;
}

bool case_draw(const a_case *c, size_t run, uint64_t seed, case_outcome *o) {
  setting settings[SETTINGS];
  size_t draws;
  progress *const of = grown(NULL, 1, sizeof *of);
  const size_t count = settings_of(c->runs[run].settings, settings, &draws);
  *of = (progress){.sequence = seed};
  of->sequence = draw_bits(&of->sequence);
  for (size_t k = 0; k < count; k++)
    settings[k].chosen = (size_t)draw_between(&of->sequence, 0.0, (double)settings[k].count);
  const case_run *expects = &c->runs[run];
  while (!expects->count && expects + 1 < c->runs + c->count) expects++;
  if (draws > 1) run_one(NULL, c, expects, settings, count, of);
  *o = of->last;
  free(of->tangent);
  for (size_t k = 0; k < count; k++) free(settings[k].text);
  free(of->truth.states);
  free(of);
  return draws > 1;
}

case_result case_check(const char *path, const a_case *c) {
  progress *const of = grown(NULL, 1, sizeof *of);
  *of = (progress){0};
  for (size_t i = 0; i < c->count; i++) {
    const case_run *run = &c->runs[i];
    setting settings[SETTINGS];
    const size_t before = of->runs;
    size_t draws, at = 0;
    const size_t count = settings_of(run->settings, settings, &draws);
    of->sequence = 1;
    of->others = of->undecided = 0;
    while (!run->count && run + 1 < c->runs + c->count) run++; // whose expectations hold
    if (!run->count) refuse("nothing is expected of a run of", c->title);
    do {
      for (size_t draw = 0; draw < draws; draw++) run_one(path, c, run, settings, count, of);
      for (at = 0; at < count && ++settings[at].chosen == settings[at].count; at++)
        settings[at].chosen = 0;
    } while (at < count);
    for (size_t k = 0; k < count; k++) free(settings[k].text);
    if (of->others > most_others(run)) {
      printf("%s:%d: %s\n  run %s\n  has %zu runs with another status\n", path, c->line, c->title,
             run->settings, of->others);
      of->failed++;
    }
    if (of->undecided > (of->runs - before) / 3) {
      printf("%s:%d: %s\n  run %s\n  the truth does not decide %zu of %zu\n", path, c->line,
             c->title, run->settings, of->undecided, of->runs - before);
      of->failed++;
    }
  }
  if (!of->runs) refuse("no run of", c->title);
  const case_result result = {of->runs, of->failed};
  free(of->tangent);
  free(of->truth.states);
  free(of);
  return result;
}
