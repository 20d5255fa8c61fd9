/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "population.h"
#include "draws.h"
#include "ess.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* of the drivers of a row */
typedef struct sums {
  int status;
  uint64_t crossings, calls, hash;
} sums;

/* a driver, and the observer that its caller gave it */
typedef struct watched {
  ess_driver *driver;
  size_t n, m;
  ess_observer given;
  struct watched *next;
} watched;

static bool is_on, is_table;
static sums row;
static watched *all;

ess_driver *__real_ess_driver_alloc(const ess_system *system, const ess_options *options,
                                    int *status);
ess_driver *__wrap_ess_driver_alloc(const ess_system *system, const ess_options *options,
                                    int *status);
int __real_ess_driver_set_options(ess_driver *driver, const ess_options *options);
int __wrap_ess_driver_set_options(ess_driver *driver, const ess_options *options);
void __real_ess_driver_free(ess_driver *driver);
void __wrap_ess_driver_free(ess_driver *driver);

/* ---- the hash -------------------------------------------------------------------------------- */

static void mix(const double values[], size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    row.hash = (row.hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    row.hash ^= row.hash >> 29;
  }
}

static int step(const ess_step_info *info, void *context) {
  const watched *const w = context;
  mix(&info->t1, 1);
  mix(info->x, w->n);
  mix(ess_driver_sign(w->driver), w->m);
  return w->given.step ? w->given.step(info, w->given.context) : 0;
}

/* ---- the caller's own observers, with their context ------------------------------------------ */

static int crossing(const ess_crossing_info *info, void *context) {
  const watched *const w = context;
  return w->given.crossing(info, w->given.context);
}

static int impact(const ess_impact *info, void *context) {
  const watched *const w = context;
  return w->given.impact(info, w->given.context);
}

static int event(const ess_crossing_info *info, void *context) {
  const watched *const w = context;
  return w->given.event(info, w->given.context);
}

static int slide(const ess_slide_info *info, void *context) {
  const watched *const w = context;
  return w->given.slide(info, w->given.context);
}

static ess_options watch(watched *w, const ess_options *options) {
  ess_options o = options ? *options : ess_options_default();
  w->given = o.observer;
  o.observer = (ess_observer){.step = step,
                              .crossing = w->given.crossing ? crossing : NULL,
                              .impact = w->given.impact ? impact : NULL,
                              .context = w,
                              .event = w->given.event ? event : NULL,
                              .slide = w->given.slide ? slide : NULL};
  return o;
}

/* ---- wrapped functions ----------------------------------------------------------------------- */

ess_driver *__wrap_ess_driver_alloc(const ess_system *system, const ess_options *options,
                                    int *status) {
  if (!is_on) return __real_ess_driver_alloc(system, options, status);
  watched *const w = calloc(1, sizeof *w);
  if (!w) abort();
  const ess_options o = watch(w, options);
  w->driver = __real_ess_driver_alloc(system, &o, &row.status);
  if (status) *status = row.status;
  if (!w->driver) {
    free(w);
    return NULL;
  }
  w->n = system->dimension;
  w->m = system->event_count;
  w->next = all;
  all = w;
  return w->driver;
}

int __wrap_ess_driver_set_options(ess_driver *driver, const ess_options *options) {
  watched *w = all;
  while (w && w->driver != driver) w = w->next;
  if (!w || !options) return __real_ess_driver_set_options(driver, options);
  const ess_observer before = w->given;
  const ess_options o = watch(w, options);
  const int status = __real_ess_driver_set_options(driver, &o);
  if (status) w->given = before;
  return status;
}

void __wrap_ess_driver_free(ess_driver *driver) {
  watched **at = &all;
  while (*at && (*at)->driver != driver) at = &(*at)->next;
  watched *const w = *at;
  if (w) {
    row.status = (int)ess_driver_failure(driver)->status;
    row.crossings += ess_driver_counters(driver)->crossings;
    row.calls += ess_driver_counters(driver)->field_evaluations;
    *at = w->next;
    free(w);
  }
  __real_ess_driver_free(driver);
}

/* ---- tables ---------------------------------------------------------------------------------- */

enum { FAMILIES = 64, NAME = 32 };

typedef struct family {
  char name[NAME];
  size_t runs, of[POPULATION_FALSE + 1], statuses;
  double *errors, calls; /* errors: of runs that are judged */
  size_t judged;
} family;

static family families[FAMILIES];
static const char *asked;
static struct {
  population_verdict verdict;
  double error;
  int status;
  uint64_t calls;
} latest;

bool population_has(const char *name) {
  return !asked || !strcmp(asked, name);
}

void population_also(const char *name) {
  family *f = families;
  if (!is_table) return;
  while (*f->name && strcmp(f->name, name)) f++;
  if (f == families + FAMILIES - 1) abort();
  snprintf(f->name, NAME, "%s", name);
  f->runs++;
  f->of[latest.verdict]++;
  f->statuses += latest.status != 0;
  f->calls += (double)latest.calls;
  if (latest.status || latest.verdict == POPULATION_OUT) return;
  f->errors = realloc(f->errors, (f->judged + 1) * sizeof *f->errors);
  if (!f->errors) abort();
  f->errors[f->judged++] = latest.error;
}

static double quantile(const family *f, double share) {
  return f->judged ? f->errors[(size_t)(share * (double)(f->judged - 1))] : 0.0;
}

/* prints the table; whether a family is not as it has to be */
static bool has_bad_family(const population *p) {
  bool is_bad = false;
  printf("%-18s %7s %6s %6s %6s %6s %9s %9s %9s %9s\n", "family", "runs", "out", "status", "false",
         "wrong", "median", "99 %", "worst", "calls");
  for (family *f = families; *f->name; f++) {
    if (f->judged) qsort(f->errors, f->judged, sizeof *f->errors, ascending);
    const double runs = (double)f->runs, right = (double)f->of[POPULATION_RIGHT];
    const double bad = (double)(f->of[POPULATION_WRONG] + (p->may_fail ? 0 : f->statuses));
    bool bad_family = p->most == 0.0 ? bad > 0.0 : bad > p->most * runs;
    bad_family |= p->median > 0.0 && quantile(f, 0.5) > p->median;
    bad_family |= right < p->least * runs;
    printf("%-18s %7zu %6zu %6zu %6zu %6zu %9.3g %9.3g %9.3g %9.0f%s\n", f->name, f->runs,
           f->of[POPULATION_OUT], f->statuses, f->of[POPULATION_FALSE], f->of[POPULATION_WRONG],
           quantile(f, 0.5), quantile(f, 0.99), quantile(f, 1.0), f->calls / runs,
           bad_family ? " !" : "");
    is_bad |= bad_family;
    free(f->errors);
    *f = (family){.name = ""};
  }
  return is_bad;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void population_row(const char *name, uint64_t seed, double tolerance, population_verdict verdict,
                    double error) {
  static const char *const verdicts[] = {"right", "wrong", "out", "right"};
  const double shown = isnan(error) ? INFINITY : error;
  latest.verdict = verdict;
  latest.error = shown;
  latest.status = row.status;
  latest.calls = row.calls;
  if (!is_table)
    printf("row,%s,%llu,%.3g,%d,%s,%.3g,%llu,%llu,%016llx\n", name, (unsigned long long)seed,
           tolerance, row.status, verdicts[verdict], shown, (unsigned long long)row.crossings,
           (unsigned long long)row.calls, (unsigned long long)row.hash);
  else if (verdict == POPULATION_WRONG || verdict == POPULATION_FALSE)
    printf("%s: %s %llu at %.3g: %s, error %.3g, %llu crossings\n",
           verdict == POPULATION_FALSE ? "false status" : "wrong", name, (unsigned long long)seed,
           tolerance, ess_strerror(row.status), shown, (unsigned long long)row.crossings);
  population_also(name);
  row = (sums){0};
}

static bool number(const char *text, uint64_t *value) {
  char *end;
  *value = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end;
}

bool population_rows(int argc, char *argv[], void (*run)(uint64_t seed), int *status) {
  uint64_t first, count;
  if (argc < 2 || strcmp(argv[1], "--rows")) return false;
  *status = 2;
  if (argc != 4 || !number(argv[2], &first) || !number(argv[3], &count)) {
    fprintf(stderr, "usage: %s --rows FIRST COUNT, two whole numbers\n", argv[0]);
    return true;
  }
  is_on = true;
  for (uint64_t seed = first; seed < first + count; seed++) run(seed);
  *status = fflush(stdout) || ferror(stdout);
  return true;
}

/* kept seeds, of which none may be wrong or have a false status, and then those of the test */
static bool fails(const population *p) {
  population kept = *p;
  kept.may_fail = true;
  kept.median = kept.most = kept.least = 0.0;
  for (size_t i = 0; i < p->kept_count; i++) {
    asked = p->kept[i].family;
    p->run(p->kept[i].seed);
  }
  bool is_false = false;
  for (const family *f = families; *f->name; f++) is_false |= f->of[POPULATION_FALSE] > 0;
  const bool kept_fail = has_bad_family(&kept) || is_false;
  asked = NULL;
  for (uint64_t seed = p->first; seed < p->first + p->count; seed++) p->run(seed);
  return has_bad_family(p) || kept_fail;
}

int population_main(int argc, char *argv[], const population *p) {
  int status;
  uint64_t first, count;
  if (population_rows(argc, argv, p->run, &status)) return status;
  is_on = is_table = true;
  if (argc == 1) return fails(p);
  if (argc < 3 || argc > 4 || !number(argv[1], &first) || !number(argv[2], &count)) {
    fprintf(stderr, "usage: %s [[--rows] FIRST COUNT [FAMILY]]\n", argv[0]);
    return 2;
  }
  if (argc > 3) asked = argv[3];
  for (uint64_t seed = first; seed < first + count; seed++) p->run(seed);
  return has_bad_family(p);
}
