/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a fall of a robot costs by MuJoCo's steps and by libess, and its error, for tools/falls to
 * read. A fall is one second from an initial condition of `essbench robot`, with states every 2 ms;
 * nobody computes sensors.
 *
 *   robot_falls errors|runs|times FILE START FOLDER WHO:HOW:VALUE...
 *   robot_falls save FILE BINARY
 *
 * A run is mujoco:INTEGRATOR at a time step, or libess:BASE, which locates events, or plain:BASE,
 * which steps over them, at a tolerance.
 *
 *   errors: a line for each run, with its error, right-hand-side evaluations and steps. Above them
 *     how far the reference is from a looser one, and how it was made; FOLDER keeps it. Behind a
 *     run whose error is a tenth of the first one's, or that is too long, finer ones are left out
 *   runs: each once; counted_run() is what valgrind counts
 *   times: each in turn, again and again, with its seconds in place of an error
 *   save: FILE as MuJoCo's binary, since valgrind takes minutes to compile meshes
 */
#include <errno.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "robot_starts.h"
#include "robot_steps.h"

enum { OUTPUTS = 501, ROUNDS = 3 };
static const double output_step = 0.002, span = 1.0;
/* of a run whose error is asked for, s of the thread's time; and how small an error may be to go
 * on, as a share of the first run's */
static const double patience = 6.0, finest = 0.1;

static const char *const bases[] = {
    [ESS_BASE_DOPRI5] = "dopri5", [ESS_BASE_RKC] = "rkc",
    [ESS_BASE_CHOSEN] = "chosen", [ESS_BASE_RODAS] = "rodas",
    [ESS_BASE_ROS2] = "ros2",     [ESS_BASE_CHOSEN_RODAS] = "chosen_rodas",
    [ESS_BASE_LIT] = "lit",       NULL};

typedef struct fall {
  robot *r;
  robot_steps *steps;
  robot_controls controls;
  size_t n, numbers; /* states; positions and velocities */
  double *x0, *x, *times, *states, *reference;
  bool at_end[OUTPUTS];
  double start_ns; /* of what has a time limit */
  bool limited;
  double first; /* error of the first run; NaN: there is none yet */
} fall;

/* one way through it */
typedef struct way {
  const char *text, *who, *how;
  double value;
} way;

typedef struct cost {
  double evaluations, steps;
} cost;

static int fail(const char *why) {
  fprintf(stderr, "robot_falls: %s\n", why);
  return EXIT_FAILURE;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int on_step(const ess_step_info *info, void *context) {
  const fall *const f = context;
  (void)info;
  return f->limited && (double)measure_thread_ns() - f->start_ns > 1e9 * patience ? -1 : 0;
}

static ess_base base_named(const char *name) {
  size_t i = 0;
  while (bases[i] && strcmp(bases[i], name) != 0) i++;
  return (ess_base)i;
}

/* settings are those of `essbench robot-race` */
static int by_libess(fall *f, const way *w, cost *c) {
  const bool locates = strcmp(w->who, "plain") != 0;
  ess_options options = ess_options_default();
  options.rtol = options.atol = w->value;
  options.base = base_named(w->how);
  options.locate = locates ? ESS_LOCATE_ALL : ESS_LOCATE_NONE;
  options.sliding = locates ? ESS_SLIDING_SLIDE : ESS_SLIDING_STOP;
  options.max_steps = 400000;
  options.max_crossings = 40000;
  options.observer = (ess_observer){.step = on_step, .context = f};
  int status;
  double t = 0.0;
  ess_driver *const driver = ess_driver_alloc(robot_system(f->r), &options, &status);
  if (!driver) return status;
  robot_forget(f->r);
  robot_set_precision(f->r, w->value);
  robot_set_control(f->r, f->controls.value);
  f->start_ns = (double)measure_thread_ns();
  status = ess_driver_sample(driver, &t, span, f->x, f->times, OUTPUTS, f->states);
  *c = (cost){(double)ess_driver_counters(driver)->field_evaluations,
              (double)ess_driver_counters(driver)->steps};
  ess_driver_free(driver);
  return status;
}

static int by_mujoco(fall *f, const way *w, bool exactly, cost *c) {
  const double none = 0.0;
  robot_steps_request request = {.integrator = w->how,
                                 .time_step = w->value,
                                 .x0 = f->x0,
                                 .controls = &f->controls,
                                 .dt = output_step,
                                 .count = OUTPUTS,
                                 .states = f->states,
                                 .at_end = f->at_end,
                                 .stops = exactly ? &none : NULL,
                                 .exactly = exactly};
  robot_steps_report report;
  if (robot_steps_run(f->steps, &request, &report) || report.reached < OUTPUTS) return -1;
  *c =
      (cost){(double)report.steps * (strcmp(w->how, "RK4") == 0 ? 4.0 : 1.0), (double)report.steps};
  return 0;
}

/* with a name outside and never inlined, so that callgrind finds it */
int counted_run(fall *f, const way *w, cost *c);
__attribute__((noinline)) int counted_run(fall *f, const way *w, cost *c) {
  memcpy(f->x, f->x0, f->n * sizeof *f->x);
  return strcmp(w->who, "mujoco") == 0 ? by_mujoco(f, w, false, c) : by_libess(f, w, c);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void normalise(fall *f) {
  for (size_t i = 0; i < OUTPUTS; i++) robot_normalise(f->r, f->states + i * f->n);
}

/* the RMS over positions and velocities; of MuJoCo's at the ends of steps, if these are many */
static double error_of(const fall *f, bool of_steps) {
  double sum = 0.0;
  size_t ends = 0, counted = 0;
  for (size_t i = 1; of_steps && i < OUTPUTS; i++) ends += f->at_end[i];
  const bool all = !of_steps || 20 * ends < OUTPUTS - 1;
  for (size_t i = 1; i < OUTPUTS; i++) {
    if (!all && !f->at_end[i]) continue;
    counted++;
    for (size_t k = 0; k < f->numbers; k++) {
      const double off = f->states[i * f->n + k] - f->reference[i * f->n + k];
      sum += off * off;
    }
  }
  return sqrt(sum / (double)(counted * f->numbers));
}

/* The first that ends in time: libess with events, without, and MuJoCo's fine steps. The looser one
 * that is compared with it is of the same kind. */
static const way references[][2] = {
    {{"located", "libess", "dopri5", 1e-7}, {"", "libess", "dopri5", 1e-6}},
    {{"not located", "plain", "dopri5", 1e-7}, {"", "plain", "dopri5", 1e-6}},
    {{"MuJoCo", "mujoco", "RK4", 3.125e-5}, {"", "mujoco", "RK4", 6.25e-5}},
};

static int follow(fall *f, const way *w) {
  cost c;
  memcpy(f->x, f->x0, f->n * sizeof *f->x);
  const int status =
      strcmp(w->who, "mujoco") == 0 ? by_mujoco(f, w, true, &c) : by_libess(f, w, &c);
  if (!status) normalise(f);
  return status;
}

static int make_reference(fall *f, const char *name) {
  const size_t size = OUTPUTS * f->n * sizeof *f->states;
  for (size_t k = 0; k < sizeof references / sizeof *references; k++) {
    if (follow(f, &references[k][1])) continue;
    memcpy(f->reference, f->states, size);
    if (follow(f, &references[k][0])) continue;
    const double apart = error_of(f, false);
    memcpy(f->reference, f->states, size);
    FILE *const file = fopen(name, "wb");
    if (!file) return fail(strerror(errno));
    fwrite(&apart, sizeof apart, 1, file);
    fwrite(&k, sizeof k, 1, file);
    const bool whole = fwrite(f->reference, size, 1, file) == 1;
    return fclose(file) || !whole ? fail("cannot write a reference") : 0;
  }
  return fail("there is no reference");
}

static int take_reference(fall *f, const char *folder, const char *start) {
  char name[4096];
  double apart;
  size_t k;
  snprintf(name, sizeof name, "%s/%s.reference", folder, start);
  FILE *file = fopen(name, "rb");
  if (!file && make_reference(f, name)) return -1;
  if (!file) file = fopen(name, "rb");
  if (!file) return fail(strerror(errno));
  const bool whole = fread(&apart, sizeof apart, 1, file) == 1 &&
                     fread(&k, sizeof k, 1, file) == 1 &&
                     fread(f->reference, OUTPUTS * f->n * sizeof(double), 1, file) == 1;
  fclose(file);
  if (!whole) return fail("a reference is of another model; remove it");
  printf("reference %.6e %s\n", apart, references[k][0].text);
  return 0;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static int open_fall(fall *f, const char *file, const char *number, char message[]) {
  const robot_options options = {0};
  const robot_start start = {
      .height = 0.05, .tilt = 0.1, .number = strtoul(number, NULL, 10), .seed = 1};
  if (robot_open(file, NULL, &options, &f->r, message)) return -1;
  const robot_sizes size = robot_size(f->r);
  f->n = size.dimension;
  f->numbers = size.nq + size.nv;
  f->x0 = calloc(2 * f->n + OUTPUTS + 2 * OUTPUTS * f->n, sizeof *f->x0);
  if (!f->x0) return strcpy(message, "out of memory"), -1;
  f->x = f->x0 + f->n;
  f->times = f->x + f->n;
  f->states = f->times + OUTPUTS;
  f->reference = f->states + OUTPUTS * f->n;
  for (size_t i = 0; i < OUTPUTS; i++) f->times[i] = (double)i * output_step;
  if (robot_start_state(f->r, &start, f->x0, message)) return -1;
  if (robot_controls_read(f->r, NULL, 0.02, &f->controls, message)) return -1;
  return robot_steps_open(f->r, &f->steps, message);
}

static void close_fall(fall *f) {
  robot_steps_close(f->steps);
  robot_controls_free(&f->controls);
  if (f->r) robot_close(f->r);
  free(f->x0);
}

/* "who:how:value", cut at its colons */
static int read_way(char *text, way *w, char message[]) {
  static const char *const who[] = {"mujoco", "libess", "plain", NULL};
  size_t i = 0;
  *w = (way){.text = text, .who = strtok(text, ":"), .how = strtok(NULL, ":")};
  const char *const value = strtok(NULL, ":");
  while (who[i] && w->who && strcmp(who[i], w->who) != 0) i++;
  const bool known =
      w->how && (i == 0 ? robot_steps_knows(w->how) : bases[base_named(w->how)] != NULL);
  if (value) w->value = atof(value);
  if (who[i] && known && w->value > 0.0) return 0;
  strcpy(message, "a run is mujoco:INTEGRATOR:STEP, or libess:BASE:TOLERANCE, or plain:...");
  return -1;
}

/* whether a finer one of the same kind is of use */
static bool show(fall *f, const way *w, bool errors) {
  cost c = {NAN, NAN};
  const uint64_t start = measure_thread_ns();
  const int status = counted_run(f, w, &c);
  const double seconds = 1e-9 * (double)(measure_thread_ns() - start);
  if (!status && errors) normalise(f);
  const double found = status    ? INFINITY
                       : !errors ? seconds
                                 : error_of(f, strcmp(w->who, "mujoco") == 0);
  printf("%s:%s:%.10g %.6e %.0f %.0f\n", w->who, w->how, w->value, found, c.evaluations, c.steps);
  fflush(stdout);
  if (isnan(f->first)) f->first = found;
  return !errors || (seconds < patience && !(found < finest * f->first));
}

static bool is_same_kind(const way *a, const way *b) {
  return strcmp(a->who, b->who) == 0 && strcmp(a->how, b->how) == 0;
}

static int save(const char *file, const char *binary) {
  char why[1024];
  mjModel *const m = mj_loadXML(file, NULL, why, sizeof why);
  if (!m) return fail(why);
  mj_saveModel(m, binary, NULL, 0);
  mj_deleteModel(m);
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  char message[ROBOT_MESSAGE_SIZE] =
      "usage: robot_falls errors|runs|times FILE START FOLDER WHO:HOW:VALUE...";
  fall f = {.first = NAN};
  if (argc == 4 && strcmp(argv[1], "save") == 0) return save(argv[2], argv[3]);
  if (argc < 6) return fail(message), 2;
  const bool errors = strcmp(argv[1], "errors") == 0, times = strcmp(argv[1], "times") == 0;
  const int count = argc - 5;
  way *const ways = calloc((size_t)count, sizeof *ways);
  if (!ways) return fail("out of memory");
  for (int i = 0; i < count; i++)
    if (read_way(argv[5 + i], &ways[i], message)) return fail(message), 2;
  int status = open_fall(&f, argv[2], argv[3], message);
  if (status) fail(message);
  f.limited = errors;
  if (!status && errors) status = take_reference(&f, argv[4], argv[3]);
  bool useful = true;
  for (int round = 0; !status && round < (times ? ROUNDS : 1); round++)
    for (int i = 0; i < count; i++)
      if (useful || !is_same_kind(&ways[i], &ways[i - 1])) useful = show(&f, &ways[i], errors);
  close_fall(&f);
  free(ways);
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
