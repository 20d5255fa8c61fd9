/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draws.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* ---- resamples ------------------------------------------------------------------------------- */

static const double tail_95 = 0.025; // of a 95 % interval, at either end

/* processes, and starts for all of them */
static size_t pick_crossed(const draws *d, gsl_rng *rng, size_t pick[]) {
  size_t count = 0, process[d->processes];
  for (size_t i = 0; i < d->processes; i++) process[i] = gsl_rng_uniform_int(rng, d->processes);
  while (count + d->processes <= d->trials) {
    const size_t start = gsl_rng_uniform_int(rng, d->trials / d->processes);
    for (size_t i = 0; i < d->processes; i++) pick[count++] = start * d->processes + process[i];
  }
  return count;
}

/* processes, and of each its own, as many as there are trials at most */
static size_t pick_grouped(const draws *d, gsl_rng *rng, size_t pick[]) {
  size_t count = 0;
  while (count < d->trials) {
    const size_t process = gsl_rng_uniform_int(rng, d->processes), first = d->first[process];
    const size_t size = d->first[process + 1] - first;
    for (size_t k = 0; k < size && count < d->trials; k++)
      pick[count++] = first + gsl_rng_uniform_int(rng, size);
  }
  return count;
}

size_t draws_pick(const draws *d, gsl_rng *rng, size_t pick[]) {
  size_t count = 0;
  if (d->first) return pick_grouped(d, rng, pick);
  if (d->crossed) return pick_crossed(d, rng, pick);
  for (size_t i = 0; i < d->processes; i++) {
    const size_t process = gsl_rng_uniform_int(rng, d->processes);
    const size_t size = (d->trials - process + d->processes - 1) / d->processes;
    for (size_t k = 0; k < size; k++)
      pick[count++] = process + d->processes * gsl_rng_uniform_int(rng, size);
  }
  return count;
}

double draws_widening(const draws *d) {
  const double others = (double)d->processes - 1.0;
  if (others < 1.0) return sqrt(2.0);
  const double student = gsl_cdf_tdist_Pinv(1.0 - tail_95, others);
  const double normal = gsl_cdf_ugaussian_Pinv(1.0 - tail_95);
  return student / normal * sqrt(2.0 * (others + 1.0) / others);
}

/* that of one run: what is left of the statistic's resamples without tails. A measure_status. */
int draws_interval(const draws *d, draws_statistic *statistic, const void *context,
                   double ends[2]) {
  double values[DRAWS_RESAMPLES];
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t *const pick = calloc(d->trials + d->processes, sizeof *pick);
  int status = rng && pick ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  if (rng) gsl_rng_set(rng, d->seed);
  for (size_t b = 0; !status && b < DRAWS_RESAMPLES; b++) {
    const size_t count = draws_pick(d, rng, pick);
    values[b] = statistic(context, pick, count);
  }
  if (!status) status = measure_quantile(values, DRAWS_RESAMPLES, tail_95, &ends[0]);
  if (!status) status = measure_quantile(values, DRAWS_RESAMPLES, 1.0 - tail_95, &ends[1]);
  if (rng) gsl_rng_free(rng);
  free(pick);
  return status;
}

/* ---- fits ------------------------------------------------------------------------------------ */

gather_power gather_fit_power(const double x[], const double y[], size_t count) {
  const double confidence = 0.95;
  gather_power power = {NAN, {NAN, NAN}, NAN, confidence};
  double *const logs = malloc((2 * count + 1) * sizeof *logs), *const u = logs,
                *const v = u + count;
  measure_line line;
  if (!logs) return power;
  for (size_t i = 0; i < count; i++) {
    u[i] = log10(x[i]);
    v[i] = log10(y[i]);
  }
  if (count == 2) power.exponent = (v[1] - v[0]) / (u[1] - u[0]);
  if (count > 2 && !measure_fit_line(u, v, count, confidence, &line))
    power =
        (gather_power){line.slope, {line.slope_low, line.slope_high}, line.intercept, confidence};
  free(logs);
  return power;
}

/* ---- tables of laps ----------------------------------------------------------------------------
 */

/* resamples of a band */
enum { BAND_RESAMPLES = 400 };

void draws_table_free(draws_table *t) {
  free(t->value);
  free(t->drawn);
  free(t->median);
}

/* a measure_status */
int draws_table_alloc(draws_table *t, size_t groups, const double *x, const draws *d) {
  *t = (draws_table){.groups = groups, .trials = d->trials, .x = x};
  t->value = calloc(groups * d->trials, sizeof *t->value);
  t->drawn = calloc(d->trials + d->processes, sizeof *t->drawn);
  t->median = calloc(groups, sizeof *t->median);
  if (t->value && t->drawn && t->median) return MEASURE_SUCCESS;
  draws_table_free(t);
  *t = (draws_table){0};
  return MEASURE_ENOMEM;
}

/* medians of the trials drawn, the same at every x; of all of them in their order with NULL */
static int medians_of(const draws_table *t, const size_t pick[], size_t count) {
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < t->groups; i++) {
    for (size_t j = 0; j < count; j++) t->drawn[j] = t->value[i * t->trials + (pick ? pick[j] : j)];
    status = measure_median(t->drawn, count, &t->median[i]);
  }
  return status;
}

double draws_median(const void *context, const size_t pick[], size_t count) {
  const draws_table *const t = context;
  return medians_of(t, pick, count) ? NAN : t->median[0];
}

/* an interval of one run becomes that of the value of a second one; on the logarithm, where all are
 * above zero and so are to stay */
void draws_widen(const draws *d, double value, double interval[2]) {
  const double factor = draws_widening(d);
  for (int end = 0; end < 2; end++)
    interval[end] = value > 0.0 && interval[end] > 0.0 ? value * pow(interval[end] / value, factor)
                                                       : value + factor * (interval[end] - value);
}

double draws_slope(const void *context, const size_t pick[], size_t count) {
  const draws_table *const t = context;
  double intercept, slope, cov00, cov01, cov11, residual;
  if (medians_of(t, pick, count)) return NAN;
  gsl_fit_linear(t->x, 1, t->median, 1, t->groups, &intercept, &slope, &cov00, &cov01, &cov11,
                 &residual);
  return slope;
}

double draws_slope_ratio(const void *context, const size_t pick[], size_t count) {
  const draws_table *const both = context;
  return draws_slope(&both[0], pick, count) / draws_slope(&both[1], pick, count);
}

/* resampled slopes at every x: value[i * BAND_RESAMPLES + b] */
static int resample(const draws_table *t, const draws *d, size_t window, double value[],
                    double marginal[]) {
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t *const pick = calloc(d->trials + d->processes, sizeof *pick);
  int status = rng && pick ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  if (rng) gsl_rng_set(rng, d->seed);
  for (size_t b = 0; !status && b < BAND_RESAMPLES; b++) {
    const size_t count = draws_pick(d, rng, pick);
    status = medians_of(t, pick, count);
    if (!status) status = measure_smooth_derivative(t->x, t->median, t->groups, window, marginal);
    for (size_t i = 0; !status && i < t->groups; i++) value[i * BAND_RESAMPLES + b] = marginal[i];
  }
  free(pick);
  if (rng) gsl_rng_free(rng);
  return status;
}

int draws_marginal(const draws_table *t, const draws *d, size_t window, double marginal[],
                   double (*interval)[2]) {
  double *const value = calloc(t->groups * BAND_RESAMPLES, sizeof *value);
  int status = value ? resample(t, d, window, value, marginal) : MEASURE_ENOMEM;
  for (size_t i = 0; !status && i < t->groups; i++) {
    const double *const at_x = value + i * BAND_RESAMPLES;
    status = measure_quantile(at_x, BAND_RESAMPLES, tail_95, &interval[i][0]);
    if (!status) status = measure_quantile(at_x, BAND_RESAMPLES, 1.0 - tail_95, &interval[i][1]);
  }
  if (!status) status = medians_of(t, NULL, t->trials);
  if (!status) status = measure_smooth_derivative(t->x, t->median, t->groups, window, marginal);
  for (size_t i = 0; !status && i < t->groups; i++) draws_widen(d, marginal[i], interval[i]);
  free(value);
  return status;
}

int draws_median_of(const draws *d, const double value[], double *median, double interval[2]) {
  draws_table t;
  int status = draws_table_alloc(&t, 1, NULL, d);
  *median = interval[0] = interval[1] = NAN;
  if (status) return status;
  memcpy(t.value, value, d->trials * sizeof *value);
  *median = draws_median(&t, NULL, d->trials);
  status = draws_interval(d, draws_median, &t, interval);
  if (status)
    *median = interval[0] = interval[1] = NAN;
  else
    draws_widen(d, *median, interval);
  draws_table_free(&t);
  return status;
}

/* ---- in SQL ---------------------------------------------------------------------------------- */

/* a value, where it stands, and whose it is */
typedef struct given_value {
  double x, y, over;
  sqlite3_int64 trial;
} given_value;

/* those that an aggregate has been given, and the arguments that all of them have in common */
typedef struct given_values {
  given_value *value; /* owned */
  size_t count, room, window;
  bool unknown; /* one is not known */
  double p;
  draws draws;
} given_values;

static given_values *all_of(sqlite3_context *c) {
  return sqlite3_aggregate_context(c, sizeof(given_values));
}

static double number_of(sqlite3_value *value) {
  return sqlite3_value_type(value) == SQLITE_NULL ? (double)NAN : sqlite3_value_double(value);
}

static void add_value(sqlite3_context *c, given_value v) {
  given_values *const all = all_of(c);
  given_value *const value =
      all ? measure_grow(all->value, &all->room, all->count, sizeof *value) : NULL;
  if (!value) return sqlite3_result_error_nomem(c);
  all->value = value;
  value[all->count++] = v;
  if (isnan(v.x) || isnan(v.y) || isnan(v.over)) all->unknown = true;
}

/* y and p */
static void add_known(sqlite3_context *c, int count, sqlite3_value **of) {
  given_values *const all = all_of(c);
  if (all) all->p = count > 1 ? sqlite3_value_double(of[1]) : 0.5;
  if (sqlite3_value_type(*of) != SQLITE_NULL)
    add_value(c, (given_value){.y = sqlite3_value_double(*of)});
}

/* x and y */
static void add_point(sqlite3_context *c, int count, sqlite3_value **of) {
  (void)count;
  add_value(c, (given_value){.x = number_of(of[0]), .y = number_of(of[1])});
}

/* trial, processes, seed, window; the function itself says whether starts are crossed */
static void add_lap(sqlite3_context *c, int count, given_value v, sqlite3_value **of) {
  given_values *const all = all_of(c);
  if (all) {
    all->draws.crossed = sqlite3_user_data(c);
    all->draws.processes = (size_t)sqlite3_value_int64(of[1]);
    all->draws.seed = (unsigned long)sqlite3_value_int64(of[2]);
    if (count > 3) all->window = (size_t)sqlite3_value_int64(of[3]);
  }
  v.trial = sqlite3_value_int64(of[0]);
  add_value(c, v);
}

static void add_lap_alone(sqlite3_context *c, int count, sqlite3_value **of) {
  add_lap(c, count - 1, (given_value){.y = number_of(of[0])}, of + 1);
}

/* process by process */
static void add_known_lap(sqlite3_context *c, int count, sqlite3_value **of) {
  const sqlite3_int64 processes = sqlite3_value_int64(of[2]);
  const double process = (double)(processes ? sqlite3_value_int64(of[1]) % processes : 0);
  add_lap(c, count - 1, (given_value){.x = process, .y = number_of(of[0])}, of + 1);
}

static void add_lap_at(sqlite3_context *c, int count, sqlite3_value **of) {
  add_lap(c, count - 2, (given_value){.x = number_of(of[0]), .y = number_of(of[1])}, of + 2);
}

static void add_lap_over(sqlite3_context *c, int count, sqlite3_value **of) {
  const given_value v = {number_of(of[0]), number_of(of[1]), number_of(of[2]), 0};
  add_lap(c, count - 3, v, of + 3);
}

static int by_place(const void *a, const void *b) {
  const given_value *const u = a, *const v = b;
  return u->x != v->x ? (u->x > v->x) - (u->x < v->x)
                      : (u->trial > v->trial) - (u->trial < v->trial);
}

/* the same trials, from 0 on, at every x; x[] has room for all. The second table is of the
 * divisors. A measure_status. */
static int table_of_given(given_values *all, double x[], draws_table t[2]) {
  size_t groups = 0;
  if (all->unknown) return MEASURE_ENONFINITE;
  qsort(all->value, all->count, sizeof *all->value, by_place);
  for (size_t i = 0; i < all->count; i++)
    if (!i || all->value[i].x != all->value[i - 1].x) x[groups++] = all->value[i].x;
  all->draws.trials = all->count / groups;
  if (!all->draws.processes || all->draws.processes > all->draws.trials ||
      (all->draws.crossed && all->draws.trials % all->draws.processes))
    return MEASURE_EINVAL;
  for (size_t i = 0; i < all->count; i++)
    if (all->value[i].trial != (sqlite3_int64)(i % all->draws.trials)) return MEASURE_EINVAL;
  int status = draws_table_alloc(&t[0], groups, x, &all->draws);
  if (!status) status = draws_table_alloc(&t[1], groups, x, &all->draws);
  for (size_t i = 0; !status && i < all->count; i++) {
    t[0].value[i] = all->value[i].y;
    t[1].value[i] = all->value[i].over;
  }
  return status;
}

/* numbers behind each other, of which those that are not known are null */
static void append(sqlite3_str *text, const double value[], size_t count) {
  for (size_t i = 0; i < count; i++)
    sqlite3_str_appendf(text, isnan(value[i]) ? "%snull" : "%s%!.17g", i ? "," : "", value[i]);
}

/* gives an array, or an error, and frees all */
static void give(sqlite3_context *c, given_values *all, sqlite3_str *text, int status) {
  char *const array = sqlite3_str_finish(text);
  if (status)
    sqlite3_result_error(c, measure_strerror(status), -1);
  else if (array)
    sqlite3_result_text(c, array, -1, SQLITE_TRANSIENT);
  else
    sqlite3_result_error_nomem(c);
  sqlite3_free(array);
  free(all->value);
}

/* gives so many numbers */
static void give_numbers(sqlite3_context *c, given_values *all, const double value[], size_t count,
                         int status) {
  sqlite3_str *const text = sqlite3_str_new(NULL);
  sqlite3_str_appendchar(text, 1, '[');
  append(text, value, count);
  sqlite3_str_appendchar(text, 1, ']');
  give(c, all, text, status);
}

/* of tables of so many x at least: what it is of fewer is not known */
static void give_statistic(sqlite3_context *c, draws_statistic *statistic, size_t least) {
  given_values *const all = all_of(c);
  if (!all || !all->count) return;
  double *const x = malloc(all->count * sizeof *x), value[3] = {NAN, NAN, NAN};
  draws_table t[2] = {{0}};
  int status = x ? table_of_given(all, x, t) : MEASURE_ENOMEM;
  if (!status && t->groups >= least) {
    *value = statistic(t, NULL, t->trials);
    status = draws_interval(&all->draws, statistic, t, value + 1);
    if (!status) draws_widen(&all->draws, *value, value + 1);
  }
  draws_table_free(&t[0]);
  draws_table_free(&t[1]);
  free(x);
  give_numbers(c, all, value, 3, status);
}

static void give_median(sqlite3_context *c) {
  give_statistic(c, draws_median, 1);
}

/* the known values, process by process: a draw of as many */
static draws keep_known(given_values *all, double known[], size_t first[]) {
  draws d = {.seed = all->draws.seed, .first = first};
  double last = NAN;
  qsort(all->value, all->count, sizeof *all->value, by_place);
  for (size_t i = 0; i < all->count; i++) {
    const given_value *const v = &all->value[i];
    if (isnan(v->y)) continue;
    if (v->x != last) first[d.processes++] = d.trials;
    last = v->x;
    known[d.trials++] = v->y;
  }
  first[d.processes] = d.trials;
  return d;
}

static void give_known_median(sqlite3_context *c) {
  enum { FEW = 5 };
  given_values *const all = all_of(c);
  if (!all || !all->count) return;
  size_t *const first = calloc(all->draws.processes + 2, sizeof *first);
  double *const known = calloc(all->count, sizeof *known), value[3] = {NAN, NAN, NAN};
  const draws d = first && known ? keep_known(all, known, first) : (draws){0};
  int status = first && known ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  if (!status && d.trials >= FEW)
    status = draws_median_of(&d, known, value, value + 1);
  else if (!status && d.trials)
    status = measure_median(known, d.trials, value);
  free(first);
  free(known);
  give_numbers(c, all, value, 3, status);
}

static void give_slope(sqlite3_context *c) {
  give_statistic(c, draws_slope, 2);
}

static void give_slope_ratio(sqlite3_context *c) {
  give_statistic(c, draws_slope_ratio, 2);
}

static void give_marginal(sqlite3_context *c) {
  given_values *const all = all_of(c);
  if (!all || !all->count) return;
  double *const room = malloc(4 * all->count * sizeof *room);
  double *const marginal = room + all->count;
  double(*const ends)[2] = (double(*)[2])(marginal + all->count);
  draws_table t[2] = {{0}};
  int status = room ? table_of_given(all, room, t) : MEASURE_ENOMEM;
  if (!status && t->groups > 1)
    status = draws_marginal(t, &all->draws, all->window, marginal, ends);
  sqlite3_str *const text = sqlite3_str_new(NULL);
  sqlite3_str_appendchar(text, 1, '[');
  for (size_t i = 0; !status && t->groups > 1 && i < t->groups; i++) {
    sqlite3_str_appendall(text, i ? ",[" : "[");
    append(text, (const double[]){room[i], marginal[i], ends[i][0], ends[i][1]}, 4);
    sqlite3_str_appendchar(text, 1, ']');
  }
  sqlite3_str_appendchar(text, 1, ']');
  draws_table_free(&t[0]);
  draws_table_free(&t[1]);
  free(room);
  give(c, all, text, status);
}

static void give_power(sqlite3_context *c) {
  given_values *const all = all_of(c);
  const size_t count = all ? all->count : 0;
  double *const x = calloc(2 * count + 1, sizeof *x), *const y = x + count;
  for (size_t i = 0; x && i < count; i++) {
    x[i] = all->value[i].x;
    y[i] = all->value[i].y;
  }
  if (!x) return sqlite3_result_error_nomem(c);
  const gather_power p = gather_fit_power(x, y, count);
  const double value[] = {p.exponent, p.interval[0], p.interval[1], p.intercept};
  free(x);
  if (all) give_numbers(c, all, value, 4, MEASURE_SUCCESS);
}

/* of a partition as a window's function: all values stay */
static void tell_quantile(sqlite3_context *c) {
  const given_values *const all = all_of(c);
  const size_t count = all ? all->count : 0;
  double *const y = malloc((count + 1) * sizeof *y), value;
  for (size_t i = 0; y && i < count; i++) y[i] = all->value[i].y;
  const int status = !y ? MEASURE_ENOMEM : count ? measure_quantile(y, count, all->p, &value) : 0;
  free(y);
  if (status) return sqlite3_result_error(c, measure_strerror(status), -1);
  if (count) sqlite3_result_double(c, value);
}

static void give_quantile(sqlite3_context *c) {
  given_values *const all = all_of(c);
  tell_quantile(c);
  if (all) free(all->value);
}

static void take_back(sqlite3_context *c, int count, sqlite3_value **of) {
  (void)count, (void)of;
  sqlite3_result_error(c, "a quantile is of a whole partition", -1);
}

int draws_teach(struct sqlite3 *database) {
  static const struct {
    const char *name;
    int arguments;
    bool crossed;
    void (*add)(sqlite3_context *c, int count, sqlite3_value **of);
    void (*give)(sqlite3_context *c);
  } aggregates[] = {{"power", 2, false, add_point, give_power},
                    {"median_of", 4, false, add_lap_alone, give_median},
                    {"slope_of", 5, false, add_lap_at, give_slope},
                    {"marginal_of", 6, false, add_lap_at, give_marginal},
                    {"known_median_of", 4, false, add_known_lap, give_known_median},
                    {"crossed_median_of", 4, true, add_lap_alone, give_median},
                    {"crossed_slope_of", 5, true, add_lap_at, give_slope},
                    {"crossed_slope_ratio_of", 6, true, add_lap_over, give_slope_ratio}};
  static char crossed; // its address says so
  int code = 0;
  for (size_t i = 0; !code && i < sizeof aggregates / sizeof *aggregates; i++)
    code = sqlite3_create_function(database, aggregates[i].name, aggregates[i].arguments,
                                   SQLITE_UTF8, aggregates[i].crossed ? &crossed : NULL, NULL,
                                   aggregates[i].add, aggregates[i].give);
  for (int i = 1; !code && i <= 2; i++)
    code = sqlite3_create_window_function(database, i > 1 ? "quantile" : "median", i, SQLITE_UTF8,
                                          NULL, add_known, give_quantile, tell_quantile, take_back,
                                          NULL);
  return code;
}
