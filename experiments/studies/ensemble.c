/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench ensemble: a million starts of any model under one tolerance: how their ends are
 * distributed, a map of them over the start, and the runs that fail.
 *
 * A cell is a block of starts. It gives counts, not samples, so that memory and database have the
 * same size however many starts there are; a pilot settles beforehand what is counted. */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "names.h"
#include "race.h"
#include "solvers.h"
#include "statistics.h"
#include "studies.h"

/* the map has so many places across, and as many up */
enum { MAP_SIDE = 40, QUANTITIES_MAX = MODEL_DIMENSION_MAX + 2, REASONS_MAX = 16 };

/* of a place: what is summed over its starts */
enum { MAP_STARTS, MAP_FAILED, MAP_CROSSINGS, MAP_OUTCOME, MAP_NUMBERS };

#define OPTIONS(X, row)                                                                            \
  X(row, tolerance, NUMBER, "tolerance", "X", "rtol = atol", .initial = "1e-4", .min = 1e-16,      \
    .max = 0.5, .result = "tolerance")                                                             \
  X(row, trials, WHOLE, "trials", "COUNT",                                                         \
    "initial conditions, each from its own seed: --seed and those that follow",                    \
    .initial = "1000000", .min = 1, .max = 4e9, .result = "trials")                                \
  X(row, spread, NUMBER, "spread", "X",                                                            \
    "largest perturbation of each state, for models with a single initial condition",              \
    .initial = "0", .min = 0, .max = 1e6, .result = "spread")                                      \
  X(row, across, TEXT, "across", "STATE",                                                          \
    "initial state on the horizontal axis of the map (default: the first that differs "            \
    "between initial conditions)")                                                                 \
  X(row, up, TEXT, "up", "STATE", "initial state on the vertical axis (default: the next)")        \
  X(row, outcome, TEXT, "outcome", "NAME",                                                         \
    "outcome that the map shows beside crossings: a final state, crossings or energy_change "      \
    "(default: the state of --up)")                                                                \
  X(row, block, WHOLE, "block", "COUNT",                                                           \
    "initial conditions in one block of work (default: 1000, or as many as give 5000 blocks)",     \
    .min = 1, .max = 1e9)
OPTION_ROW(settings, OPTIONS);

/* The starts first .. first+count-1; of the pilot nothing but ranges is kept. */
typedef struct cell {
  size_t first, count;
  bool pilot;
} cell;

/* What a cell says, one thing a row. The ranges are those of the pilot. */
typedef struct fact {
  const char *kind; /* one of those below */
  const char *name; /* the quantity, the state of an axis, or why a run failed */
  size_t starts, seed;
  double sum, squares; /* of differences from the middle of the range */
  double low, high;
  const char *text; /* a tally, or a start */
} fact;

static const column fact_columns[] = {
    COLUMNS(fact, TEXT, kind, name, text),
    COLUMNS(fact, COUNT, starts, seed),
    COLUMNS(fact, NUMBER, sum, squares, low, high),
    {0},
};

#define RANGE   "range" /* where 98 % of a quantity's values are */
#define AXIS    "axis"  /* from where to where a state is at the start */
#define COUNTS  "counts"
#define MAPPED  "map"
#define STATUS  "status"
#define FAILURE "failure"

/* A quantity at the end of a run. */
typedef struct quantity {
  const char *name; /* lives as long as the run */
  bool whole;
  double middle;
  histogram bins;
} quantity;

/* All that the pilot settles; the same in every process. */
typedef struct frame {
  size_t count, states; /* quantities: the states, the crossings, and the change of energy */
  quantity quantity[QUANTITIES_MAX];
  size_t axis[2]; /* states, or SIZE_MAX */
  double low[2], high[2];
  size_t outcome; /* of the map: a quantity */
} frame;

/* ---- what is derived ------------------------------------------------------------------------- */

enum { SAMPLES = STUDY_SAMPLES, TOTALS, OUTCOMES, BINS, PLACES, STATUSES, FAILURES };

typedef struct totals {
  size_t block, finished, failed;
  const char *across, *up, *outcome;
} totals;

typedef struct distribution {
  const char *quantity;
  size_t starts;
  double mean, deviation, smallest, quantile[7], largest, resolution;
} distribution;

#define BIN_COLUMNS(COLUMN, row)                                                                   \
  COLUMN(row, quantity, TEXT, "", "as in ensemble.csv")                                            \
  COLUMN(row, from, NUMBER, "", "where the bin begins")                                            \
  COLUMN(row, to, NUMBER, "", "where it ends")                                                     \
  COLUMN(row, starts, COUNT, "", "in it; bins without any are left out")
COLUMN_ROW(bin, BIN_COLUMNS);

#define PLACE_COLUMNS(COLUMN, row)                                                                 \
  COLUMN(row, across_state, TEXT, "", "the axis across; empty: none")                              \
  COLUMN(row, up_state, TEXT, "", "the axis up; empty: none")                                      \
  COLUMN(row, outcome_name, TEXT, "", "the quantity of outcome")                                   \
  COLUMN(row, across, NUMBER, "", "that initial state, in the middle of the cell")                 \
  COLUMN(row, up, NUMBER, "", "likewise")                                                          \
  COLUMN(row, starts, COUNT, "", "that began in this place and came to their end")                 \
  COLUMN(row, failed, COUNT, "", "that began there and did not")                                   \
  COLUMN(row, crossings, NUMBER, "", "their mean")                                                 \
  COLUMN(row, outcome, NUMBER, "", "their mean")
COLUMN_ROW(place, PLACE_COLUMNS);

#define ENDING_COLUMNS(COLUMN, row)                                                                \
  COLUMN(row, status, TEXT, "", "how runs ended", SHOWN("status", "%-44s"))                        \
  COLUMN(row, starts, COUNT, "", "of them", SHOWN("starts", "%10.0f"))
COLUMN_ROW(ending, ENDING_COLUMNS);

#define FAILURE_COLUMNS(COLUMN, row)                                                               \
  COLUMN(row, seed, COUNT, "", "of the initial condition")                                         \
  COLUMN(row, status, TEXT, "", "how the run ended, when and where")                               \
  COLUMN(row, start, TEXT, "", "its initial state, separated by blanks")
COLUMN_ROW(failure, FAILURE_COLUMNS);

/* What starts came to, of a block or of all: whole numbers, or sums in the order of the plan. */
typedef struct sums {
  frame frame;
  int64_t count[QUANTITIES_MAX][HISTOGRAM_BINS];
  int64_t map[MAP_SIDE * MAP_SIDE][MAP_NUMBERS];
  size_t starts[QUANTITIES_MAX];
  double sum[QUANTITIES_MAX], squares[QUANTITIES_MAX];
  double low[QUANTITIES_MAX], high[QUANTITIES_MAX];
  ending failed[REASONS_MAX]; /* ends with one without starts */
} sums;

enum { PILOT = 1000 };

/* ---- what is asked for ----------------------------------------------------------------------- */

/* whether a name given is one of the first `count` quantities; it says which there are */
static int check_name(study_run *run, const frame *f, size_t count, const char *option,
                      const char *given) {
  if (!given) return 0;
  names known = names_for(given, strlen(given));
  for (size_t i = 0; i < count; i++) {
    if (strcmp(given, f->quantity[i].name) == 0) return 0;
    names_add(&known, f->quantity[i].name);
  }
  return SOLVER_REFUSE(run->message, "--%s %.60s is not accepted; %sthere are %s", option, given,
                       names_hint(&known, ""), known.list);
}

/* the quantities of a model, without their bins */
static void list_quantities(const model *m, frame *f) {
  *f = (frame){.states = m->system.dimension};
  for (; f->count < f->states; f->count++)
    f->quantity[f->count].name = model_state_name(m, f->count);
  f->quantity[f->count++] = (quantity){.name = "crossings", .whole = true};
  if (m->type->mechanics) f->quantity[f->count++].name = "energy_change";
}

static int check(study_run *run) {
  const settings *const s = run->settings;
  const model *const m = case_model(run, NULL);
  if (!m) return case_refusal(run);
  frame f;
  list_quantities(m, &f);
  int status = check_name(run, &f, f.states, "across", s->across);
  if (!status) status = check_name(run, &f, f.states, "up", s->up);
  if (!status) status = check_name(run, &f, f.count, "outcome", s->outcome);
  if (status || !s->across || !s->up || strcmp(s->across, s->up) != 0) return status;
  return SOLVER_REFUSE(run->message, "--up %s is not accepted; it is the state of --across", s->up);
}

/* ---- what the pilot settles, and sums -------------------------------------------------------- */

/* an outcome further from the middle than so many 64ths of a bin is taken to be that far */
static const double longest_shift = 0x1p30, shift_steps = 64.0;

static const fact *find(const fact *pilot, size_t count, const char *kind, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(pilot[i].kind, kind) && !strcmp(pilot[i].name, name)) return &pilot[i];
  return NULL;
}

/* the state that an axis is to be, or the first that is not the other axis and differs from start
 * to start */
static size_t choose_axis(const frame *f, const fact *pilot, size_t count, const char *given,
                          size_t other) {
  for (size_t i = 0; i < f->states; i++) {
    const fact *const axis = find(pilot, count, AXIS, f->quantity[i].name);
    if (given ? !strcmp(given, f->quantity[i].name) : axis && axis->low < axis->high && i != other)
      return i;
  }
  return SIZE_MAX;
}

/* the frame by the samples of the pilot, which is cell 0 */
static void make_frame(study_run *run, const model *m, frame *f) {
  const settings *const s = run->settings;
  size_t count, given = SIZE_MAX;
  const fact *const pilot = study_samples(run, 0, &count);
  list_quantities(m, f);
  for (size_t i = 0; i < f->count; i++) {
    quantity *const q = &f->quantity[i];
    const fact *const range = find(pilot, count, RANGE, q->name);
    // nothing is known of one that no start of the pilot came to
    const bool known = range && range->starts;
    const double low = known ? range->low : 0.0, high = known ? range->high : 0.0;
    q->bins = histogram_of(low, high, q->whole);
    q->middle = 0.5 * (low + high);
    if (s->outcome && !strcmp(s->outcome, q->name)) given = i;
  }
  // an axis that was asked for is not chosen for the other one
  const size_t up = s->up ? choose_axis(f, pilot, count, s->up, SIZE_MAX) : SIZE_MAX;
  f->axis[0] = choose_axis(f, pilot, count, s->across, up);
  f->axis[1] = s->up ? up : choose_axis(f, pilot, count, NULL, f->axis[0]);
  for (size_t i = 0; i < 2; i++) {
    if (f->axis[i] == SIZE_MAX) continue;
    const fact *const axis = find(pilot, count, AXIS, f->quantity[f->axis[i]].name);
    f->low[i] = axis ? axis->low : 0.0;
    f->high[i] = axis ? axis->high : 0.0;
  }
  const size_t last = f->axis[1] < SIZE_MAX ? f->axis[1] : f->axis[0];
  f->outcome = given < SIZE_MAX ? given : last < SIZE_MAX ? last : 0;
}

/* along one axis; what is beyond an end belongs to the place there */
static size_t along(const frame *f, size_t i, const double x0[]) {
  if (f->axis[i] == SIZE_MAX || !(f->low[i] < f->high[i])) return 0;
  const double share = (x0[f->axis[i]] - f->low[i]) / (f->high[i] - f->low[i]);
  return (size_t)fmin(MAP_SIDE - 1, fmax(0.0, floor(MAP_SIDE * share)));
}

/* the place of a start in the map, and how far an outcome is from the range's middle, in 64ths of a
 * bin: whole numbers, so that their sums do not depend on the order */
static size_t place_of(const frame *f, const double x0[]) {
  return along(f, 1, x0) * MAP_SIDE + along(f, 0, x0);
}

static int64_t shift_of(const quantity *q, double value) {
  const double steps = (value - q->middle) / q->bins.width * shift_steps;
  return (int64_t)round(fmin(longest_shift, fmax(-longest_shift, steps)));
}

static double unshift(const quantity *q, double shift) {
  return q->middle + shift / shift_steps * q->bins.width;
}

/* forgets all but the frame; counts starts that failed by their reason */
static void clear_sums(sums *s) {
  const size_t behind = offsetof(sums, count);
  memset((char *)s + behind, 0, sizeof *s - behind);
  for (size_t i = 0; i < QUANTITIES_MAX; i++) s->low[i] = s->high[i] = NAN;
}

static void note_failure(sums *s, const char *reason, size_t starts) {
  ending *f = s->failed;
  while (f + 1 < s->failed + REASONS_MAX && f->starts && strcmp(f->status, reason) != 0) f++;
  f->status = reason;
  f->starts += starts;
}

/* ---- a block of starts ----------------------------------------------------------------------- */

/* starts of a block, and blocks */
enum { BLOCK = 1000, BLOCKS_MAX = 5000 };

/* runs that fail are told of one by one up to so many in a block; all are counted */
enum { FAILURES_MAX = 20, START_SIZE = 32 * MODEL_DIMENSION_MAX };

/* where the values of the pilot are that decide on bins */
static const double low_share = 0.01, high_share = 0.99;

/* of a process: the solver, and what a block counts; owned */
typedef struct worker {
  const model *m;
  void *instance;
  gsl_rng *rng;
  double *work;    /* of model_energy */
  double times[2]; /* of the start, and of the end */
  double start[MODEL_DIMENSION_MAX], states[2 * MODEL_DIMENSION_MAX];
  bool framed;
  sums of; /* of the block */
  size_t failures;
} worker;

/* so many that neither the plan nor the database grows with the number of starts */
static size_t block_size(const settings *s) {
  const size_t least = (s->trials + BLOCKS_MAX - 1) / BLOCKS_MAX;
  return s->block ? s->block : least > BLOCK ? least : BLOCK;
}

static void release(study_run *run) {
  worker *const w = run->own;
  if (!w) return;
  if (w->instance) libess_solver.release(w->instance);
  if (w->rng) gsl_rng_free(w->rng);
  free(w->work);
  free(w);
}

/* the process's worker, made when first asked for */
static worker *ready(study_run *run) {
  const settings *const s = run->settings;
  if (run->own) return run->own;
  worker *const w = run->own = calloc(1, sizeof *w);
  if (!w) return study_out_of_memory(run), NULL;
  w->m = case_model(run, NULL);
  if (!w->m) return NULL;
  const size_t n = w->m->system.dimension;
  const size_t contacts = model_contacts(w->m);
  w->rng = gsl_rng_alloc(gsl_rng_mt19937);
  w->work = malloc((1 + n) * (1 + contacts) * sizeof *w->work);
  if (!w->rng || !w->work) return study_out_of_memory(run), NULL;
  w->times[1] = model_get(w->m, "duration");
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = s->tolerance;
  const solver_output output = {w->times, w->times[1], 2, w->states};
  return libess_solver.prepare(w->m, &with, &output, &w->instance, run->message) ? NULL : w;
}

/* a start depends on its seed alone, that is, on its index */
static void draw(worker *w, const settings *s, unsigned long seed) {
  gsl_rng_set(w->rng, seed);
  w->m->type->random_state(w->m, w->rng, w->start);
  for (size_t i = 0; s->spread > 0.0 && i < w->m->system.dimension; i++)
    w->start[i] += s->spread * (2.0 * gsl_rng_uniform(w->rng) - 1.0);
}

/* runs from the start drawn; where it does not fail, all quantities */
static int integrate(worker *w, solver_report *report, double value[]) {
  const size_t n = w->m->system.dimension;
  const solver_output output = {w->times, w->times[1], 2, w->states};
  *report = (solver_report){0};
  if (libess_solver.run(w->instance, w->start, &output, report)) return 1;
  const double *const end = w->states + n;
  memcpy(value, end, n * sizeof *value);
  value[n] = (double)report->events;
  if (w->m->type->mechanics)
    value[n + 1] = model_energy(w->m, end, w->work) - model_energy(w->m, w->start, w->work);
  return 0;
}

/* ---- the pilot ------------------------------------------------------------------------------- */

/* what is said of so many starts, without numbers */
static fact unknown(const char *kind, const char *name, size_t starts) {
  fact f;
  column_clear(fact_columns, &f);
  f.kind = kind;
  f.name = name;
  f.starts = starts;
  return f;
}

/* the range of one column of so many rows, NaN where a run failed */
static void add_range(study_run *run, const char *kind, const char *name, const double *values,
                      size_t stride, size_t count, double from, double to) {
  fact sample = unknown(kind, name, 0);
  double *const known = malloc((count + 1) * sizeof *known);
  if (!known) {
    study_out_of_memory(run);
    return;
  }
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[i * stride])) known[sample.starts++] = values[i * stride];
  if (sample.starts && (measure_quantile(known, sample.starts, from, &sample.low) ||
                        measure_quantile(known, sample.starts, to, &sample.high)))
    study_out_of_memory(run);
  free(known);
  study_add(run, STUDY_SAMPLES, &sample);
}

static int run_pilot(study_run *run, worker *w, const cell *c) {
  list_quantities(w->m, &w->of.frame);
  const size_t n = w->of.frame.states, columns = n + w->of.frame.count;
  double *const values = malloc(c->count * columns * sizeof *values);
  if (!values) return study_out_of_memory(run);
  solver_report report;
  for (size_t i = 0; i < c->count && !*run->interrupted; i++) {
    double *const row = values + i * columns;
    draw(w, run->settings, run->seed + c->first + i);
    memcpy(row, w->start, n * sizeof *row);
    if (integrate(w, &report, row + n))
      for (size_t k = n; k < columns; k++) row[k] = NAN;
  }
  for (size_t k = 0; !*run->interrupted && k < columns; k++)
    add_range(run, k < n ? AXIS : RANGE, w->of.frame.quantity[k < n ? k : k - n].name, values + k,
              columns, c->count, k < n ? 0.0 : low_share, k < n ? 1.0 : high_share);
  free(values);
  return *run->interrupted ? -1 : 0;
}

/* ---- a block --------------------------------------------------------------------------------- */

static void count_values(sums *s, const double start[], const double value[]) {
  int64_t *const here = s->map[place_of(&s->frame, start)];
  const size_t mapped = s->frame.outcome;
  for (size_t i = 0; i < s->frame.count; i++) {
    const quantity *const q = &s->frame.quantity[i];
    const double difference = value[i] - q->middle;
    s->count[i][histogram_bin(&q->bins, value[i])]++;
    s->starts[i]++;
    s->sum[i] += difference;
    s->squares[i] += difference * difference;
    s->low[i] = fmin(s->low[i], value[i]);
    s->high[i] = fmax(s->high[i], value[i]);
  }
  here[MAP_STARTS]++;
  here[MAP_CROSSINGS] += (int64_t)value[s->frame.states];
  here[MAP_OUTCOME] += shift_of(&s->frame.quantity[mapped], value[mapped]);
}

/* a run that failed is counted by its reason, and the first of them are rows */
static void count_failure(study_run *run, worker *w, const solver_report *report, size_t seed) {
  char start[START_SIZE] = "";
  size_t used = 0;
  note_failure(&w->of, report->reason ? report->reason : "failed", 1);
  w->of.map[place_of(&w->of.frame, w->start)][MAP_FAILED]++;
  if (w->failures++ >= FAILURES_MAX) return;
  for (size_t k = 0; k < w->of.frame.states; k++)
    used +=
        (size_t)snprintf(start + used, sizeof start - used, "%s%.17g", k ? " " : "", w->start[k]);
  fact sample = unknown(FAILURE, report->message, 1);
  sample.seed = seed;
  sample.text = start;
  study_add(run, STUDY_SAMPLES, &sample);
}

/* a row with a tally */
static void add_tally(study_run *run, fact *sample, const int64_t *tally, size_t places,
                      size_t numbers) {
  char *const text = tally_text(tally, places, numbers);
  sample->text = text;
  if (text)
    study_add(run, STUDY_SAMPLES, sample);
  else
    study_out_of_memory(run);
  free(text);
}

static void tell(study_run *run, const sums *s) {
  for (size_t i = 0; i < s->frame.count; i++) {
    fact sample = {.kind = COUNTS,
                   .name = s->frame.quantity[i].name,
                   .starts = s->starts[i],
                   .sum = s->sum[i],
                   .squares = s->squares[i],
                   .low = s->low[i],
                   .high = s->high[i]};
    add_tally(run, &sample, s->count[i], HISTOGRAM_BINS, 1);
  }
  fact map = unknown(MAPPED, "", s->starts[0]);
  add_tally(run, &map, s->map[0], MAP_SIDE * MAP_SIDE, MAP_NUMBERS);
  for (const ending *f = s->failed; f < s->failed + REASONS_MAX && f->starts; f++) {
    const fact reason = unknown(STATUS, f->status, f->starts);
    study_add(run, STUDY_SAMPLES, &reason);
  }
}

static int run_block(study_run *run, worker *w, const cell *c) {
  double value[QUANTITIES_MAX];
  solver_report report;
  if (!w->framed) make_frame(run, w->m, &w->of.frame);
  w->framed = true;
  w->failures = 0;
  clear_sums(&w->of);
  for (size_t i = c->first; i < c->first + c->count; i++) {
    draw(w, run->settings, run->seed + i);
    if (*run->interrupted) return measure_fail(run->message, "interrupted");
    if (!integrate(w, &report, value))
      count_values(&w->of, w->start, value);
    else
      count_failure(run, w, &report, run->seed + i);
  }
  tell(run, &w->of);
  return 0;
}

/* runs a cell */
static int measure(study_run *run, const void *planned) {
  const cell *const c = planned;
  worker *const w = ready(run);
  if (!w) return -1;
  return c->pilot ? run_pilot(run, w, c) : run_block(run, w, c);
}

/* ---- all blocks put together ----------------------------------------------------------------- */

static const double shares[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

static int add_counts(sums *s, const fact *sample) {
  size_t i = 0;
  while (i < s->frame.count && strcmp(s->frame.quantity[i].name, sample->name) != 0) i++;
  if (i == s->frame.count) return -1;
  s->starts[i] += sample->starts;
  s->sum[i] += sample->sum;
  s->squares[i] += sample->squares;
  s->low[i] = fmin(s->low[i], sample->low);
  s->high[i] = fmax(s->high[i], sample->high);
  return tally_add(s->count[i], HISTOGRAM_BINS, 1, sample->text);
}

/* 0, or -1 with one line */
static int add(study_run *run, sums *s, const fact *sample) {
  const char *const kind = sample->kind;
  if (strcmp(kind, COUNTS) == 0 && add_counts(s, sample)) goto damaged;
  if (strcmp(kind, MAPPED) == 0 &&
      tally_add(s->map[0], MAP_SIDE * MAP_SIDE, MAP_NUMBERS, sample->text))
    goto damaged;
  if (strcmp(kind, STATUS) == 0) note_failure(s, sample->name, sample->starts);
  if (strcmp(kind, FAILURE) != 0) return 0;
  const failure row = {sample->seed, sample->name, sample->text};
  return study_add(run, FAILURES, &row);
damaged:
  return measure_fail(run->message, "the database's counts are damaged; start over with --restart");
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_outcome(study_run *run, const sums *s, size_t i) {
  const quantity *const q = &s->frame.quantity[i];
  const double n = (double)s->starts[i], mean = s->sum[i] / n;
  distribution row = {
      .quantity = q->name,
      .starts = s->starts[i],
      .mean = q->middle + mean,
      .deviation = n > 1.0 ? sqrt(fmax(0.0, s->squares[i] - n * mean * mean) / (n - 1.0)) : NAN,
      .smallest = s->low[i],
      .largest = s->high[i],
      .resolution = q->bins.width};
  for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
    const double value = histogram_quantile(&q->bins, s->count[i], (int64_t)s->starts[i], shares[k],
                                            s->low[i], s->high[i]);
    row.quantile[k] = q->whole ? round(value) : value;
  }
  study_add(run, OUTCOMES, &row);
  for (size_t k = 0; k < HISTOGRAM_BINS; k++) {
    const bin one = {q->name, histogram_edge(&q->bins, k), histogram_edge(&q->bins, k + 1),
                     (size_t)s->count[i][k]};
    if (one.starts) study_add(run, BINS, &one);
  }
}

static const char *name_of(const frame *f, size_t i) {
  return i < f->count ? f->quantity[i].name : "";
}

/* the middle of one place of an axis */
static double middle(const frame *f, size_t axis, size_t at) {
  if (f->axis[axis] == SIZE_MAX) return NAN;
  return f->low[axis] + (f->high[axis] - f->low[axis]) * ((double)at + 0.5) / MAP_SIDE;
}

static void add_place(study_run *run, const sums *s, size_t i) {
  const frame *const f = &s->frame;
  const int64_t *const of = s->map[i];
  if (!of[MAP_STARTS] && !of[MAP_FAILED]) return;
  const double n = (double)of[MAP_STARTS];
  const place row = {
      .across_state = name_of(f, f->axis[0]),
      .up_state = name_of(f, f->axis[1]),
      .outcome_name = name_of(f, f->outcome),
      .across = middle(f, 0, i % MAP_SIDE),
      .up = middle(f, 1, i / MAP_SIDE),
      .starts = (size_t)of[MAP_STARTS],
      .failed = (size_t)of[MAP_FAILED],
      .crossings = n > 0.0 ? (double)of[MAP_CROSSINGS] / n : NAN,
      .outcome = n > 0.0 ? unshift(&f->quantity[f->outcome], (double)of[MAP_OUTCOME] / n) : NAN};
  study_add(run, PLACES, &row);
}

static void add_rows(study_run *run, const sums *s) {
  const settings *const given = run->settings;
  const frame *const f = &s->frame;
  const totals all = {.block = block_size(given),
                      .finished = s->starts[0],
                      .failed = given->trials - s->starts[0],
                      .across = name_of(f, f->axis[0]),
                      .up = name_of(f, f->axis[1]),
                      .outcome = name_of(f, f->outcome)};
  const ending finished = {"success", s->starts[0]};
  study_add(run, TOTALS, &all);
  for (size_t i = 0; i < f->count; i++) add_outcome(run, s, i);
  for (size_t i = 0; i < MAP_SIDE * MAP_SIDE; i++) add_place(run, s, i);
  study_add(run, STATUSES, &finished);
  for (size_t i = 0; i < REASONS_MAX && s->failed[i].starts; i++)
    study_add(run, STATUSES, &s->failed[i]);
}

/* all blocks put together */
static int derive(study_run *run) {
  const model *const m = case_model(run, NULL);
  sums *const s = m ? calloc(1, sizeof *s) : NULL;
  if (!s) return m ? study_out_of_memory(run) : -1;
  make_frame(run, m, &s->frame);
  clear_sums(s);
  size_t count;
  int status = 0;
  const fact *const samples = study_rows(run, SAMPLES, &count);
  for (size_t i = 0; !status && i < count; i++) status = add(run, s, &samples[i]);
  if (!status) add_rows(run, s);
  free(s);
  return status;
}

static void show(const study_run *run) {
  const settings *const s = run->settings;
  printf("%zu initial conditions of %s, tolerance %g\n\n", s->trials, run->m->type->name,
         s->tolerance);
  study_print(run, OUTCOMES, 0, SIZE_MAX);
  putchar('\n');
  study_print(run, STATUSES, 0, SIZE_MAX);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static int plan(study_run *run, size_t stage) {
  const settings *const s = run->settings;
  const size_t block = block_size(s);
  if (stage == 0) {
    const cell pilot = {.count = s->trials < PILOT ? s->trials : PILOT, .pilot = true};
    return study_cell(run, &pilot, "pilot");
  }
  for (size_t first = 0; stage == 1 && first < s->trials; first += block) {
    const size_t left = s->trials - first;
    const cell c = {.first = first, .count = left < block ? left : block};
    study_cell(run, &c, "starts=%zu+%zu", c.first, c.count);
  }
  return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const column totals_columns[] = {
    COLUMN(totals, block, COUNT, "", "initial conditions that are run at a time"),
    COLUMN(totals, finished, COUNT, "", "initial conditions whose run reached its end"),
    COLUMN(totals, failed, COUNT, "",
           "initial conditions whose run did not: in none of the distributions"),
    COLUMN_AS("map.across", totals, across, TEXT, "", "initial state; empty: none"),
    COLUMN_AS("map.up", totals, up, TEXT, "", "initial state; empty: none"),
    COLUMN_AS("map.outcome", totals, outcome, TEXT, "", "quantity at the end"),
    {0},
};

#define QUANTILE(name, index, meaning_, head_)                                                     \
  COLUMN_AS(name, distribution, quantile[index], NUMBER, "", meaning_, SHOWN(head_, "%10.4g"))
static const column outcome_columns[] = {
    COLUMN(distribution, quantity, TEXT, "",
           "a state, crossings that change the field, or energy_change (J), the energy at the end "
           "minus the initial one",
           SHOWN("at the end", "%-13s")),
    COLUMN(distribution, starts, COUNT, "", "whose run came to its end"),
    COLUMN(distribution, mean, NUMBER, "", "of them", SHOWN("mean", "%10.4g")),
    COLUMN(distribution, deviation, AMOUNT, "", "standard deviation", SHOWN("sd", "%10.3g")),
    COLUMN_AS("min", distribution, smallest, NUMBER, "", "the smallest", SHOWN("min", "%10.4g")),
    QUANTILE("q01", 0, "1 % quantile", "1 %"),
    COLUMN_AS("q05", distribution, quantile[1], NUMBER, "", "5 % quantile"),
    QUANTILE("q25", 2, "25 % quantile", "25 %"),
    QUANTILE("median", 3, "50 % quantile", "median"),
    QUANTILE("q75", 4, "75 % quantile", "75 %"),
    COLUMN_AS("q95", distribution, quantile[5], NUMBER, "", "95 % quantile"),
    QUANTILE("q99", 6, "99 % quantile", "99 %"),
    COLUMN_AS("max", distribution, largest, NUMBER, "", "the largest", SHOWN("max", "%10.4g")),
    COLUMN(distribution, resolution, AMOUNT, "",
           "the bins' width: quantiles are no finer; far outside of most values bins are wider"),
    {0},
};

const study ensemble_study = {
    .name = "ensemble",
    .summary = "many initial conditions at one tolerance: distribution and map of final states",
    .example = "mpirun -n 4 essbench ensemble --contacts 100 --tolerance 1e-3 --trials 100000",
    .file = "ensemble",
    .group = STUDY_RUNS,
    .figures = {STUDY_FIGURE("fig_ensemble", "ensemble.csv")},
    .make = "ensemble MODEL=plate CONTACTS TRIALS SEED PROCESSES RANKS",
    .untimed = true,
    .cells = "blocks",
    .stages = 2,
    .processes = 2,
    STUDY_OF(settings, cell),
    .tables = {[SAMPLES] = STUDY_ROWS(fact, .meaning = "one thing that a block says"),
               [TOTALS] = STUDY_TABLE(totals_columns, totals, .json = "",
                                      .meaning = "all initial conditions"),
               [OUTCOMES] = STUDY_TABLE(outcome_columns, distribution, .json = "outcomes",
                                        .csv = "ensemble.csv",
                                        .meaning = "one quantity at the end of all runs"),
               [BINS] = STUDY_ROWS(bin, .csv = "ensemble_distribution.csv",
                                   .meaning = "one bin of one quantity"),
               [PLACES] =
                   STUDY_ROWS(place, .csv = "ensemble_map.csv",
                              .meaning = "one cell of the map, if an initial condition was in it"),
               [STATUSES] = STUDY_ROWS(ending, .json = "statuses", .csv = "ensemble_status.csv",
                                       .meaning = "one way in which runs ended"),
               [FAILURES] = STUDY_ROWS(
                   failure, .json = "failures", .csv = "ensemble_failures.csv",
                   .meaning = "one initial condition whose run failed: the first 20 of each "
                              "block")},
    .check = check,
    .plan = plan,
    .run = measure,
    .derive = derive,
    .show = show,
    .release = release,
};
