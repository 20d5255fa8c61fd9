/*
 * A laboratory for libess by one tolerance, on the plate: error over tolerance and what it costs,
 * in one line. References are kept on disk, so that another tolerance costs its own runs alone.
 *
 * lab_tolerance N damping tolerance starts [first_seed] [contacts|aggregated]
 *   LAB_CACHE=FOLDER   where references are kept; without it they are computed each time
 *   LAB_LOCATE=1       each crossing located (the paper's method, epsilon 1e-10) for comparison
 *   LAB_REPEATS=K      runs of each start, of which the fastest counts; 3
 *   LAB_LIST=1         a line for each start before the last
 *   LAB_REFERENCE=1    the references alone
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plate.h"

enum { STATES = 6, POINTS = 1001, PATH_SIZE = 512 };

/* what libess did in one run, with what is made of it */
enum { FIELDS, STEPS, REJECTED, THROUGH, ENTRIES, CROSSINGS, MICROSECONDS, QUANTITIES };

typedef struct trajectory {
  double crossings; /* that change the field */
  double states[POINTS * STATES];
} trajectory;

typedef struct lab {
  model m; /* prepared */
  double damping, tolerance;
  size_t contacts, starts;
  unsigned long first_seed;
  double times[POINTS];
  trajectory reference, run;
  double mean[QUANTITIES];
  double *error; /* [starts] */
  size_t failed, unlike;
  double missed, expected; /* crossings too few or too many; those of the references */
} lab;

static int setting(const char *name, int otherwise) {
  const char *const text = getenv(name);
  return text ? atoi(text) : otherwise;
}

static int fail(const char *message) {
  fprintf(stderr, "lab_tolerance: %s\n", message);
  return -1;
}

/* ---- references ------------------------------------------------------------------------------ */

static const char *cache_path(const lab *l, unsigned long seed, char path[PATH_SIZE]) {
  const char *const folder = getenv("LAB_CACHE");
  if (!folder) return NULL;
  snprintf(path, PATH_SIZE, "%s/N%zu-c%g-seed%lu.bin", folder, l->contacts, l->damping, seed);
  return path;
}

static bool recall(const char *path, trajectory *t) {
  FILE *const file = path ? fopen(path, "rb") : NULL;
  const bool whole = file && fread(t, sizeof *t, 1, file) == 1;
  if (file) fclose(file);
  return whole;
}

/* under another name first: several may be at work in the same folder */
static void keep(const char *path, const trajectory *t) {
  char part[PATH_SIZE + 32];
  if (!path) return;
  snprintf(part, sizeof part, "%s.%ld", path, (long)getpid());
  FILE *const file = fopen(part, "wb");
  const bool whole = file && fwrite(t, sizeof *t, 1, file) == 1;
  if (!file || fclose(file) || !whole || rename(part, path)) fail("a reference was not kept");
}

static int find_reference(lab *l, unsigned long seed, const double x0[]) {
  char path[PATH_SIZE], message[MODEL_MESSAGE_SIZE];
  const char *const known = cache_path(l, seed, path);
  if (recall(known, &l->reference)) return 0;
  model_reference wanted = {.times = l->times, .count = POINTS, .states = l->reference.states};
  if (l->m.type->reference(&l->m, x0, &wanted, message)) return fail(message);
  l->reference.crossings = (double)wanted.events;
  keep(known, &l->reference);
  return 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static ess_options options_of(const lab *l) {
  ess_options options = ess_options_default();
  if (setting("LAB_LOCATE", 0)) {
    options = ess_options_paper();
    options.projection.epsilon = 1e-10;
    options.projection.duration_max =
        2e-6; /* as the solver has it: grazed guards are not projected onto */
  }
  options.rtol = options.atol = l->tolerance;
  return options;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* one run; its time in microseconds, or NaN */
static double run_once(lab *l, ess_driver *driver, const double x0[]) {
  double t = 0.0, x[STATES];
  memcpy(x, x0, sizeof x);
  const double start = now();
  ess_driver_reset(driver);
  const int status =
      ess_driver_sample(driver, &t, l->times[POINTS - 1], x, l->times, POINTS, l->run.states);
  if (status) fprintf(stderr, "%s at t = %.9g\n", ess_strerror(status), t);
  return status ? NAN : now() - start;
}

static double rms(const lab *l) {
  double sum = 0.0;
  for (size_t i = 0; i < (size_t)POINTS * STATES; i++) {
    const double error = l->run.states[i] - l->reference.states[i];
    sum += error * error;
  }
  return sqrt(sum / (POINTS * STATES));
}

static void add(lab *l, const ess_counters *c, double microseconds) {
  const double done[QUANTITIES] = {
      [FIELDS] = (double)c->field_evaluations, [STEPS] = (double)c->steps,
      [REJECTED] = (double)c->rejected,        [THROUGH] = (double)c->through,
      [ENTRIES] = (double)c->entries,          [CROSSINGS] = (double)c->crossings,
      [MICROSECONDS] = microseconds,
  };
  for (size_t q = 0; q < QUANTITIES; q++) l->mean[q] += done[q] / (double)l->starts;
  const double off = fabs((double)c->crossings - l->reference.crossings);
  l->missed += off;
  l->expected += l->reference.crossings;
  l->unlike += off > 0.0;
}

static void measure(lab *l, ess_driver *driver, const double x0[], size_t start) {
  double fastest = INFINITY;
  for (int k = setting("LAB_REPEATS", 3); k > 0; k--) {
    const double microseconds = run_once(l, driver, x0);
    fastest = isnan(microseconds) ? microseconds : fmin(fastest, microseconds);
    if (isnan(microseconds)) break;
  }
  if (isnan(fastest)) l->failed++;
  l->error[start] = isnan(fastest) ? DBL_MAX : rms(l);
  add(l, ess_driver_counters(driver), fastest);
  if (setting("LAB_LIST", 0))
    printf("seed %lu  error/tol %.3g  fields %llu  crossings %llu (%.0f)  %.1f us\n",
           l->first_seed + start, l->error[start] / l->tolerance,
           (unsigned long long)ess_driver_counters(driver)->field_evaluations,
           (unsigned long long)ess_driver_counters(driver)->crossings, l->reference.crossings,
           fastest);
}

static int run_all(lab *l, gsl_rng *rng) {
  const ess_options options = options_of(l);
  ess_driver *const driver = ess_driver_alloc(&l->m.system, &options, NULL);
  if (!driver) return fail("the driver refuses the options, or memory is out");
  int status = 0;
  for (size_t i = 0; !status && i < l->starts; i++) {
    double x0[STATES];
    gsl_rng_set(rng, l->first_seed + i);
    l->m.type->random_state(&l->m, rng, x0);
    status = find_reference(l, l->first_seed + i, x0);
    if (!status && !setting("LAB_REFERENCE", 0)) measure(l, driver, x0, i);
  }
  ess_driver_free(driver);
  return status;
}

/* ---- the line -------------------------------------------------------------------------------- */

static void print(lab *l) {
  const size_t worst = gsl_stats_max_index(l->error, 1, l->starts);
  const double *const m = l->mean;
  gsl_sort(l->error, 1, l->starts);
  const double median = gsl_stats_median_from_sorted_data(l->error, 1, l->starts);
  const double q90 = gsl_stats_quantile_from_sorted_data(l->error, 1, l->starts, 0.90);
  const double q99 = gsl_stats_quantile_from_sorted_data(l->error, 1, l->starts, 0.99);
  const double top = l->error[l->starts - 1], tol = l->tolerance;
  printf("N %zu c %g tol %.0e | med/tol %.3g q90 %.3g q99 %.3g worst %.3g worst/med %.3g",
         l->contacts, l->damping, tol, median / tol, q90 / tol, q99 / tol, top / tol, top / median);
  printf(" | fields %.1f steps %.1f rej %.1f through %.1f entries %.1f", m[FIELDS], m[STEPS],
         m[REJECTED], m[THROUGH], m[ENTRIES]);
  printf(" cross %.1f | starts unlike %.3g crossings off %.3g | %.1f us | worst seed %lu",
         m[CROSSINGS], (double)l->unlike / (double)l->starts, l->missed / fmax(1.0, l->expected),
         m[MICROSECONDS], l->first_seed + worst);
  if (l->failed) printf(" | %zu FAILED", l->failed);
  putchar('\n');
}

static int prepare(lab *l, const char *field) {
  char message[MODEL_MESSAGE_SIZE];
  model_init(&l->m, &plate_type);
  for (size_t i = 0; i < POINTS; i++) l->times[i] = (double)i * plate_type.time_step;
  if (model_set(&l->m, "contacts", (double)l->contacts, message) ||
      model_set(&l->m, "damping", l->damping, message) ||
      model_set_text(&l->m, "field", field, message) || model_prepare(&l->m, message))
    return fail(message);
  l->error = calloc(l->starts, sizeof *l->error);
  return l->error ? 0 : fail("out of memory");
}

int main(int argc, char **argv) {
  if (argc < 5)
    return fail("N damping tolerance starts [first_seed] [contacts|aggregated]"), EXIT_FAILURE;
  lab *const l = calloc(1, sizeof *l);
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (!l || !rng) return fail("out of memory"), EXIT_FAILURE;
  l->contacts = strtoul(argv[1], NULL, 10);
  l->damping = strtod(argv[2], NULL);
  l->tolerance = strtod(argv[3], NULL);
  l->starts = strtoul(argv[4], NULL, 10);
  l->first_seed = argc > 5 ? strtoul(argv[5], NULL, 10) : 1;
  const int status = !l->starts || prepare(l, argc > 6 ? argv[6] : "contacts") || run_all(l, rng);
  if (!status && !setting("LAB_REFERENCE", 0)) print(l);
  free(l->error);
  model_release(&l->m);
  free(l);
  gsl_rng_free(rng);
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
