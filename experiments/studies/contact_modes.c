/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench contact-modes: what pseudo-impulses do. A block rocks on, through impacts that
 * accumulate, or comes to rest; a point that slides onto a hill rests at its foot, or climbs
 * (Figures 7 to 9 of Johnson, Burden & Koditschek). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact_model.h"
#include "contact_models.h"
#include "flow.h"
#include "impacts.h"
#include "race.h"
#include "studies.h"
#include "trajectory.h"

/* tight enough not to be seen */
static const double tolerance = 1e-10;

enum { HILL = STUDY_SAMPLES, THRESHOLDS, BLOCK, TRUNCATIONS, LEAPS, NUMBERS, WORDS };

#define OPTIONS(X, row)                                                                            \
  X(row, delta_t, NUMBER, "delta-t", "S", "duration for which forces act during an impact, s",     \
    .initial = "0.03", .min = 1e-3, .max = 1, .result = "delta_t")                                 \
  X(row, tilt, NUMBER, "tilt", "X", "initial tilt of the block, rad", .initial = "0.2",            \
    .min = 1e-3, .max = 0.4, .result = "tilt")                                                     \
  X(row, slope_step, NUMBER, "slope-step", "X", "increment of the slope of the hill, degrees",     \
    .initial = "2", .min = 1, .max = 20, .result = "slope_step")                                   \
  X(row, slope_max, NUMBER, "slope-max", "X", "largest slope, degrees", .initial = "60",           \
    .min = 20, .max = 85, .result = "slope_max")                                                   \
  X(row, speed_step, NUMBER, "speed-step", "X", "increment of the speed, m/s", .initial = "0.02",  \
    .min = 1e-3, .max = 10, .result = "speed_step")                                                \
  X(row, speed_max, NUMBER, "speed-max", "X", "largest speed, m/s", .initial = "0.6", .min = 0.01, \
    .max = 100, .result = "speed_max")                                                             \
  X(row, truncations, NUMBERS, "truncations", "X,Y",                                               \
    "values of delta_t for the impacts of the block, s",                                           \
    .initial = "0.1,0.03,0.01,0.003,0.001,0.0003,0.0001", .min = 1e-6, .max = 1)
OPTION_ROW(settings, OPTIONS);

/* the block at a time of the output, or at an impact */
#define INSTANT(X, row)                                                                            \
  X(row, delta_t, AMOUNT, "s", "of the run")                                                       \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, angle, NUMBER, "rad", "of the block")                                                     \
  X(row, impact, FLAG, "", "whether a corner lands")                                               \
  X(row, speed, AMOUNT, "m/s", "of the corner that does")                                          \
  X(row, velocity, NUMBER, "m/s", "of the block's centre, upward, between impacts")
COLUMN_ROW(instant, INSTANT);

/* what a pseudo-impulse cuts off the block's impacts */
#define TRUNCATION(X, row)                                                                         \
  X(row, delta_t, AMOUNT, "s", "for which forces count in an impact", SHOWN("delta_t", "%8g"))     \
  X(row, impacts, COUNT, "", "of the block", SHOWN("impacts", "%7.0f"))                            \
  X(row, rest, AMOUNT, "s", "time at which it is at rest", SHOWN("rest", "%10.6f"))                \
  X(row, earlier, NUMBER, "s", "than where impacts accumulate without",                            \
    SHOWN("earlier", "%10.6f"))                                                                    \
  X(row, angle, AMOUNT, "rad", "largest difference of the angle, at any time of the output",       \
    SHOWN("angle", "%9.2e"))
COLUMN_ROW(truncation, TRUNCATION);

/* the leaping body's feet, before and behind each event */
#define LEAP(X, row)                                                                               \
  X(row, delta_t, AMOUNT, "s", "of the run")                                                       \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, front, NUMBER, "N", "normal force on the front foot; 0: in the air")                      \
  X(row, rear, NUMBER, "N", "on the rear one")
COLUMN_ROW(leap, LEAP);

#define KNOWN(X, row)                                                                              \
  X(row, example, TEXT, "", "of essbench run --model", SHOWN("essbench run --model", "%-42s"))     \
  X(row, quantity, TEXT, "", "what is known", SHOWN("quantity", "%-30s"))                          \
  X(row, unit, TEXT, "", "its unit", SHOWN("unit", "%-5s"))                                        \
  X(row, known, NUMBER, "", "computed without libess", SHOWN("known", "%11.7g"))                   \
  X(row, found, NUMBER, "", "by libess", SHOWN("found", "%11.7g"))                                 \
  X(row, agrees, FLAG, "", "in all digits that are known", SHOWN("agrees", "%6.0f"))
COLUMN_ROW(known_number, KNOWN);

#define WORD(X, row)                                                                               \
  X(row, example, TEXT, "", "of essbench run --model", SHOWN("essbench run --model", "%-42s"))     \
  X(row, known, TEXT, "", "modes that it is known to go through, or that it is so in kind",        \
    SHOWN("known", "%-42s"))                                                                       \
  X(row, found, TEXT, "", "that it goes through", SHOWN("found", "%-42s"))
COLUMN_ROW(word, WORD);

/* A run, by a driver of its own: its impacts, where it ends, and where they accumulate; zeroed but
 * for what it is asked. */
typedef struct track {
  study_run *run;
  model m;
  impacts impacts;
  double x[MODEL_DIMENSION_MAX], zeno; /* NaN: it goes on to the end */
  bool is_sampled;                     /* at the model's output times, into the path */
  trajectory path;

  /* Optional: told of an impact, and of the end of a step, with the track itself. Nonzero stops. */
  int (*impact)(struct track *t, const ess_impact *impact);
  int (*step)(struct track *t, const ess_step_info *step);
  void *context; /* of these */
} track;

/* A model's name, and its options with their values, ended by NULL. */
typedef const char *const command_line[10];

/* ---- a track --------------------------------------------------------------------------------- */

static int set_up(study_run *run, command_line command, model *m) {
  model_init(m, model_find(command[0]));
  for (size_t i = 1; command[i]; i += 2)
    if (model_set_text(m, command[i], command[i + 1], run->message)) return -1;
  return model_prepare(m, run->message);
}

static int keep(const ess_impact *impact, void *context) {
  track *const t = context;
  if (impacts_add(impact, &t->impacts)) return -1;
  return t->impact ? t->impact(t, impact) : 0;
}

static int pass_step(const ess_step_info *step, void *context) {
  track *const t = context;
  return t->step(t, step);
}

/* as `essbench run --model` would by that command. What it has is to be freed, whatever is
 * returned. */
static int follow_track(study_run *run, command_line command, track *t) {
  if (set_up(run, command, &t->m)) return -1;
  t->run = run;
  t->zeno = NAN;
  t->m.type->initial_state(&t->m, t->x);
  if (impacts_begin(&t->impacts, &t->m, t->x)) return -1;
  if (t->is_sampled && trajectory_alloc(&t->path, &t->m, run->message)) return -1;
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.observer =
      (ess_observer){.impact = keep, .step = t->step ? pass_step : NULL, .context = t};
  ess_driver *const d = ess_driver_alloc(&t->m.system, &options, NULL);
  if (!d) return study_out_of_memory(run);
  double time = 0.0;
  const int status = ess_driver_sample(d, &time, model_get(&t->m, "duration"), t->x, t->path.times,
                                       t->path.count, t->path.states);
  if (status == ESS_EZENO) t->zeno = ess_driver_failure(d)->time;
  ess_driver_free(d);
  if (!status || status == ESS_EZENO) return 0;
  snprintf(run->message, SOLVER_MESSAGE_SIZE, "%s: %s at t = %.9g s", command[0],
           ess_strerror(status), time);
  return -1;
}

static void free_track(track *t) {
  model_release(&t->m);
  impacts_free(&t->impacts);
  trajectory_free(&t->path);
}

/* ---- the block ------------------------------------------------------------------------------- */

enum { ANGLE = 2, RISE = 4 };

static int add_landings(track *t, const ess_impact *impact) {
  const model_impact *const made = &t->impacts.of[t->impacts.count - 1];
  for (size_t i = 0; i < made->count; i++) {
    const instant row = {model_get(&t->m, "delta-t"), made->t, impact->x[ANGLE], true,
                         made->landed[i].speed,       NAN};
    study_add(t->run, BLOCK, &row);
  }
  return 0;
}

/* long enough for impacts to accumulate */
static int follow_block(study_run *run, double delta_t, track *t) {
  const settings *const s = run->settings;
  const char *const tilt = study_text(run, "%.17g", s->tilt);
  const char *const time = study_text(run, "%.17g", delta_t);
  command_line command = {"rocking-block", "tilt", tilt,       "delta-t", time,
                          "complete",      "yes",  "duration", "0.55"};
  t->is_sampled = true;
  return follow_track(run, command, t);
}

static double angle_at(const track *t, size_t i) {
  return t->path.states[i * t->path.dimension + ANGLE];
}

static double last_impact(const track *t) {
  return t->impacts.count ? t->impacts.of[t->impacts.count - 1].t : 0.0;
}

static int add_path(study_run *run, double delta_t) {
  track t = {.impact = add_landings};
  const int status = follow_block(run, delta_t, &t);
  for (size_t i = 0; !status && i < t.path.count; i++) {
    const double rise = t.path.states[i * t.path.dimension + RISE];
    const instant row = {delta_t, t.path.times[i], angle_at(&t, i), false, NAN, rise};
    study_add(run, BLOCK, &row);
  }
  free_track(&t);
  return status;
}

static int add_truncation(study_run *run, const track *whole, double delta_t) {
  track cut = {0};
  const int status = follow_block(run, delta_t, &cut);
  truncation row = {delta_t, cut.impacts.count, last_impact(&cut),
                    last_impact(whole) - last_impact(&cut), 0.0};
  for (size_t i = 0; !status && i < cut.path.count; i++)
    row.angle = fmax(row.angle, fabs(angle_at(&cut, i) - angle_at(whole, i)));
  if (!status) study_add(run, TRUNCATIONS, &row);
  free_track(&cut);
  return status;
}

/* what each delta_t cuts off the block's impacts */
static int add_truncations(study_run *run) {
  const settings *const s = run->settings;
  track whole = {0};
  int status = follow_block(run, 0.0, &whole);
  for (size_t i = 0; !status && i < s->truncations.count; i++)
    status = add_truncation(run, &whole, s->truncations.value[i]);
  free_track(&whole);
  return status;
}

/* ---- the leap -------------------------------------------------------------------------------- */

enum { FRONT = 0, REAR = 2, NOSE = 4, TAIL = 5 }; /* of its constraints */

typedef struct feet {
  study_run *run;
  double delta_t, since; /* of the latest event, s */
  contact_mode mode;     /* since then */
} feet;

static int add_row(track *t, double time, const double x[]) {
  const feet *const f = t->context;
  contact_model *const p = t->m.data;
  kkt *const at = p->s.c.elsewhere;
  kkt_multipliers force;
  kkt_at(at, x, x + p->m.coordinates);
  if (!kkt_flow(at, f->mode, NULL, &force)) return -1;
  const leap row = {f->delta_t, time, 0.0 - force.value[FRONT], 0.0 - force.value[REAR]};
  return study_add(f->run, LEAPS, &row);
}

static int add_event(track *t, const ess_impact *impact) {
  feet *const f = t->context;
  contact_model *const p = t->m.data;
  contact_transition made;
  if (contact_system_replay(&p->s, impact, &made)) return -1;
  f->mode = made.before;
  f->since = impact->t;
  if (add_row(t, impact->t, impact->x)) return -1;
  f->mode = made.after;
  return add_row(t, impact->t, impact->after);
}

static int add_step(track *t, const ess_step_info *step) {
  const feet *const f = t->context;
  return step->t1 > f->since ? add_row(t, step->t1, step->x) : 0;
}

/* the forces on its feet */
static int add_leap(study_run *run, double delta_t) {
  feet f = {.run = run, .delta_t = delta_t, .mode = CONTACT(NOSE) | CONTACT(TAIL)};
  track t = {.impact = add_event, .step = add_step, .context = &f};
  command_line command = {"rhex", "duration", "0.15", "delta-t", study_text(run, "%.17g", delta_t)};
  const int status = follow_track(run, command, &t);
  free_track(&t);
  return status;
}

/* ---- what is known --------------------------------------------------------------------------- */

/* A number read off a run; `at` is of which impact, or of which contact. */
typedef double read_fn(track *t, size_t at);

static double impact_time(track *t, size_t at) {
  return at < t->impacts.count ? t->impacts.of[at].t : NAN;
}

/* from the impact before */
static double time_between(track *t, size_t at) {
  return impact_time(t, at) - impact_time(t, at - 1);
}

/* of the block's centre, cm/s: half of its corner's */
static double centre_speed(track *t, size_t at) {
  return at < t->impacts.count ? 50.0 * t->impacts.of[at].landed[0].speed : NAN;
}

static double speed_ratio(track *t, size_t at) {
  return centre_speed(t, at) / centre_speed(t, at - 1);
}

static double zeno_time(track *t, size_t at) {
  (void)at;
  return t->zeno;
}

/* How much later the block's impacts accumulate if it begins tilted further, s/rad: a difference of
 * second order to the side above its tilt, or below. */
static double zeno_slope(track *t, size_t below) {
  const double step = below ? -1e-3 : 1e-3, tilt = model_get(&t->m, "tilt");
  double time[3] = {t->zeno};
  for (size_t i = 1; i < 3; i++) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", tilt + (double)i * step);
    const command_line further = {"rocking-block", "tilt", text, "delta-t", "0"};
    track next = {0};
    time[i] = follow_track(t->run, further, &next) ? NAN : next.zeno;
    free_track(&next);
  }
  return (4.0 * time[1] - 3.0 * time[0] - time[2]) / (2.0 * step);
}

/* the speed along the first coordinate, at the end */
static double end_speed(track *t, size_t at) {
  (void)at;
  return fabs(t->x[t->m.system.dimension / 2]);
}

/* the largest of all rates, at the end */
static double end_rate(track *t, size_t at) {
  const size_t dimension = t->m.system.dimension;
  double most = 0.0;
  (void)at;
  for (size_t i = dimension / 2; i < dimension; i++) most = fmax(most, fabs(t->x[i]));
  return most;
}

static kkt *at_state(track *t, const double x[]) {
  contact_model *const p = t->m.data;
  kkt_at(p->s.c.here, x, x + p->m.coordinates);
  return p->s.c.here;
}

/* U of the force on the curve that it starts on */
static double start_force(track *t, size_t at) {
  double x0[MODEL_DIMENSION_MAX];
  kkt_multipliers force;
  t->m.type->initial_state(&t->m, x0);
  kkt *const here = at_state(t, x0);
  return kkt_flow(here, CONTACT(at), NULL, &force) ? 0.0 + kkt_cone(here, at, force.value) : NAN;
}

/* U of the impulse on the ground where the point, at its foot, is kept on hill and ground */
static double ground_impulse(track *t, size_t at) {
  const double x[4] = {0.0, 0.0, model_get(&t->m, "speed"), 0.0};
  kkt_multipliers impulse;
  kkt *const here = at_state(t, x);
  return kkt_impact(here, 3, NULL, &impulse) ? kkt_cone(here, at, impulse.value) : NAN;
}

/* flat on the ground, on both corners: U of the pseudo-impulse on one */
static double pseudo_impulse(track *t, size_t at) {
  const double x[6] = {0.0, 0.5 * model_get(&t->m, "height")};
  kkt_multipliers force;
  if (!kkt_pseudo_impulse(at_state(t, x), 3, &force)) return NAN;
  return -model_get(&t->m, "delta-t") * force.value[at];
}

/* Flat on the ground, the left corner turning and the right one landing: the fastest, cm/s of the
 * centre, that stops it. */
static double stop_speed(track *t, size_t at) {
  (void)at;
  contact_model *const p = t->m.data;
  const double half_height = 0.5 * model_get(&t->m, "height"),
               half_width = 0.5 * model_get(&t->m, "width");
  const bool sticks = model_get(&t->m, "friction") == 0.0;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 60; i++) {
    const double speed = 0.5 * (low + high), omega = -speed / half_width;
    const double x[6] = {0.0, half_height, 0.0, sticks ? -half_height * omega : 0.0, -speed, omega};
    contact_transition made;
    if (contact_system_transition(&p->s, x, CONTACT(0), CONTACT(1), &made)) return NAN;
    *(made.held == 3 ? &low : &high) = speed;
  }
  return 100.0 * low;
}

/* The speed of (103), cm/s, where its two sides are equal: with the sign of 2 I_b that (100) has in
 * print, or with that of the moment about the corner that lands. */
static double formula_speed(track *t, size_t as_printed) {
  const double h = model_get(&t->m, "height"), w = model_get(&t->m, "width");
  const double turn = (w * w + h * h) / 3.0; // 4 I_b/m_b of a uniform block
  const double pulse = model_get(&t->m, "delta-t") * contact_gravity * w * w;
  return 100.0 * pulse / (h * h - w * w + (as_printed ? -turn : turn));
}

/* The known number to the digits that it is known to: `within` is half of its last one. */
typedef struct known_case {
  command_line command;
  const char *quantity, *unit;
  read_fn *read;
  size_t at;
  double known, within;
} known_case;

#define CURVE(which)                                                                               \
  { "particle-on-curve", "curve", which, "speed", "2" }
#define HILL_45                                                                                    \
  { "hill", "slope", "45", "mass", "2", "speed", "3" }
#define HILL_30                                                                                    \
  { "hill", "slope", "30", "speed", "1" }
#define HILL_AT(v)                                                                                 \
  { "hill", "speed", v, "distance", "0.01" }
#define ROCKS                                                                                      \
  { "rocking-block", "tilt", "0.2" }
#define ROCKS_ON                                                                                   \
  { "rocking-block", "tilt", "0.2", "delta-t", "0" }
#define COMPLETED                                                                                  \
  { "rocking-block", "tilt", "0.2", "delta-t", "0", "complete", "yes" }
#define LESS                                                                                       \
  { "rocking-block", "tilt", "0.170984", "delta-t", "0" }
#define SLIDES                                                                                     \
  { "rocking-block", "friction", "none", "tilt", "0.2" }
#define SLIDES_ON                                                                                  \
  { "rocking-block", "friction", "none", "delta-t", "0" }

static const known_case cases[] = {
    {CURVE("a"), "U at the origin", "N", start_force, 0, -0.5, 1e-9},
    {CURVE("b"), "U at the origin", "N", start_force, 0, 0.5, 1e-9},
    {CURVE("c"), "U at the origin", "N", start_force, 0, 0, 1e-9},
    {CURVE("d"), "U at the origin", "N", start_force, 0, 0, 1e-9},
    {HILL_45, "U_G of the impulse", "N s", ground_impulse, 0, -6, 1e-9},
    {HILL_30, "back on the ground after", "s", time_between, 1, 0.353119, 5e-7},
    {HILL_30, "leaves at", "m/s", end_speed, 0, 0.75, 1e-7},
    {HILL_AT("0.169913"), "it rests at speed", "m/s", end_speed, 0, 0, 1e-12},
    {ROCKS, "first impact", "s", impact_time, 0, 0.102296, 5e-7},
    {ROCKS, "second", "s", impact_time, 1, 0.218653, 5e-7},
    {ROCKS, "third", "s", impact_time, 2, 0.294712, 5e-7},
    {ROCKS, "first, centre's speed", "cm/s", centre_speed, 0, 10.8092, 5e-5},
    {ROCKS, "second, centre's speed", "cm/s", centre_speed, 1, 7.5664, 5e-5},
    {ROCKS, "third, centre's speed", "cm/s", centre_speed, 2, 5.2965, 5e-5},
    {ROCKS, "stops below, centre", "cm/s", stop_speed, 0, 6.3064, 5e-5},
    {ROCKS, "stops below, (103) with -2 I_b", "cm/s", formula_speed, 0, 6.3064, 5e-5},
    {ROCKS, "stops below, (103) as printed", "cm/s", formula_speed, 1, 22.0725, 5e-5},
    {ROCKS, "U of the pseudo-impulse", "N s", pseudo_impulse, 0, 0.73575, 5e-6},
    {ROCKS_ON, "fourth impact", "s", impact_time, 3, 0.346423, 5e-7},
    {ROCKS_ON, "fourth, centre's speed", "cm/s", centre_speed, 3, 3.7076, 5e-5},
    {ROCKS_ON, "ratio of speeds", "", speed_ratio, 3, 0.7, 1e-7},
    {ROCKS_ON, "impacts accumulate at", "s", zeno_time, 0, 0.464672, 5e-7},
    {ROCKS_ON, "that time by tilt, above", "s/rad", zeno_slope, 0, 1.1535, 5e-5},
    {ROCKS_ON, "that time by tilt, below", "s/rad", zeno_slope, 1, 1.1535, 5e-5},
    {COMPLETED, "fastest rate at the end", "", end_rate, 0, 0, 1e-9},
    {LESS, "third impact", "s", impact_time, 2, 0.27, 5e-5},
    {LESS, "third, centre's speed", "cm/s", centre_speed, 2, 4.99, 5e-3},
    {LESS, "impacts accumulate at", "s", zeno_time, 0, 0.42993, 5e-6},
    {SLIDES, "first impact", "s", impact_time, 0, 0.0586794, 5e-8},
    {SLIDES, "first, centre's speed", "cm/s", centre_speed, 0, 17.0909, 5e-5},
    {SLIDES, "stops below, centre", "cm/s", stop_speed, 0, 44.145, 5e-4},
    {SLIDES_ON, "ratio of speeds", "", speed_ratio, 1, 0.25, 1e-7},
};

/* as a user writes it */
static const char *example_of(study_run *run, command_line command) {
  const char *text = command[0];
  for (size_t i = 1; command[i]; i += 2)
    text = study_text(run, "%s --%s %s", text, command[i], command[i + 1]);
  return text;
}

static int add_number(study_run *run, const known_case *c) {
  track t = {0};
  int status = follow_track(run, c->command, &t);
  if (!status) {
    const double found = c->read(&t, c->at);
    const known_number row = {
        example_of(run, c->command),        c->quantity, c->unit, c->known, found,
        fabs(found - c->known) <= c->within};
    status = study_add(run, NUMBERS, &row);
  }
  free_track(&t);
  return status;
}

/* what they go through; NULL: known in kind alone */
static const struct {
  command_line command;
  const char *known;
} words[] = {
    {{"particle-on-curve", "curve", "a"}, "{}"},
    {{"particle-on-curve", "curve", "b"}, "{curve}"},
    {{"particle-on-curve", "curve", "c"}, "{}"},
    {{"particle-on-curve", "curve", "d"}, "{curve}"},
    {{"particle-on-curve", "curve", "c", "start-x", "-0.5"}, "{curve} {}"},
    {{"ball-under-ceiling"}, "{} {1} {}"},
    {{"hill", "slope", "30", "speed", "1"}, "{G} {H} {G}"},
    {{"hill", "speed", "0.169913", "distance", "0.01"}, "{G} {G, H}"},
    {{"hill", "speed", "0.169915", "distance", "0.01"}, "{G} {H} {G}"},
    {{"hill", "speed", "0", "distance", "0"}, "{G, H}"},
    {ROCKS, "{left} {right} {left} {left, right}"},
    {ROCKS_ON, "{left} {right} {left} {right} ..."},
    {SLIDES, "{left} {left, right}"},
    {{"rhex", "delta-t", "0", "duration", "0.06"}, NULL},
    {{"rhex", "delta-t", "0.03"}, NULL},
    {{"rhex", "scenario", "vertical"}, NULL},
    {{"rhex", "scenario", "ledge"}, NULL},
};

/* the modes in their order, of a chatter the first ones */
static const char *word_of(study_run *run, const track *t, bool alternates) {
  enum { SHORT = 4, LONG = 12 };
  const size_t most = alternates ? SHORT : LONG;
  const char *text = study_text(run, "%s", t->impacts.start), *last = t->impacts.start;
  size_t length = 1;
  for (size_t i = 0; i < t->impacts.count; i++) {
    const char *const next[2] = {t->impacts.of[i].held, t->impacts.of[i].after};
    for (size_t k = 0; k < 2; k++) {
      if (strcmp(next[k], last) == 0) continue;
      if (length++ == most) return study_text(run, "%s ...", text);
      text = study_text(run, "%s %s", text, next[k]);
      last = next[k];
    }
  }
  return text;
}

static int add_word(study_run *run, command_line command, const char *known) {
  track t = {0};
  int status = follow_track(run, command, &t);
  if (!status) {
    const word row = {example_of(run, command), known ? known : "in kind",
                      word_of(run, &t, known && strstr(known, "..."))};
    status = study_add(run, WORDS, &row);
  }
  free_track(&t);
  return status;
}

/* the paper's examples: numbers, and sequences of modes */
static int add_all_known(study_run *run) {
  int status = 0;
  for (size_t i = 0; !status && i < sizeof cases / sizeof *cases; i++)
    status = add_number(run, &cases[i]);
  for (size_t i = 0; !status && i < sizeof words / sizeof *words; i++)
    status = add_word(run, words[i].command, words[i].known);
  return status;
}

/* The point starts so far off the hill, m, and rests when it is slower than this right after, m/s
 * and s. */
static const double distance = 0.01, at_rest = 1e-9, right_after = 1e-4;

/* the slowest and the fastest that is tried for a threshold, m/s */
static const double slowest = 1e-3, fastest = 100.0;

enum { HALVINGS = 40 };

/* ---- rows ------------------------------------------------------------------------------------ */

/* one arrival */
#define ARRIVAL(X, row)                                                                            \
  X(row, slope, AMOUNT, "degrees", "of the hill")                                                  \
  X(row, speed, AMOUNT, "m/s", "along the ground")                                                 \
  X(row, rests, FLAG, "", "whether it stays at the foot")
COLUMN_ROW(arrival, ARRIVAL);

#define THRESHOLD(X, row)                                                                          \
  X(row, slope, AMOUNT, "degrees", "of the hill", SHOWN("slope", "%6g"))                           \
  X(row, found, AMOUNT, "m/s", "fastest arrival that rests, by halving", SHOWN("found", "%10.6f")) \
  X(row, known, AMOUNT, "m/s", "g delta_t tan(slope)", SHOWN("known", "%10.6f"))
COLUMN_ROW(threshold, THRESHOLD);

/* ---- the hill: a cell is a slope ------------------------------------------------------------- */

static int plan(study_run *run, size_t stage) {
  const settings *const s = run->settings;
  for (size_t i = 1; stage == 0 && (double)i * s->slope_step <= s->slope_max; i++) {
    const double slope = (double)i * s->slope_step;
    study_cell(run, &slope, "slope=%.17g", slope);
  }
  return 0;
}

static const model *hill_of(study_run *run, double slope) {
  const settings *const s = run->settings;
  const case_change changes[] = {
      {"slope", slope}, {"distance", distance}, {"delta-t", s->delta_t}, {0}};
  return case_model_of(run, &hill_type, changes);
}

static int arrive(study_run *run, const model *m, double speed, bool *rests) {
  double x0[MODEL_DIMENSION_MAX], x[MODEL_DIMENSION_MAX];
  ess_options with = ess_options_default();
  with.rtol = with.atol = tolerance;
  m->type->initial_state(m, x0);
  x0[model_state_place(m, "vx")] = speed;
  if (flow_end(m, &with, x0, distance / speed + right_after, x, run->message)) return -1;
  *rests = fabs(x[model_state_place(m, "vx")]) < at_rest;
  return 0;
}

static int measure(study_run *run, const void *planned) {
  const settings *const s = run->settings;
  const double slope = *(const double *)planned;
  const model *const m = hill_of(run, slope);
  int status = m ? 0 : -1;
  for (size_t i = 1; !status && (double)i * s->speed_step <= s->speed_max; i++) {
    arrival row = {.slope = slope, .speed = (double)i * s->speed_step};
    status = arrive(run, m, row.speed, &row.rests);
    study_add(run, HILL, &row);
  }
  return status;
}

static int add_threshold(study_run *run, double slope) {
  const settings *const s = run->settings;
  const model *const m = hill_of(run, slope);
  double low = slowest, high = fastest;
  int status = m ? 0 : -1;
  for (int i = 0; !status && i < HALVINGS; i++) {
    const double speed = sqrt(low * high);
    bool rests;
    status = arrive(run, m, speed, &rests);
    if (!status) *(rests ? &low : &high) = speed;
  }
  const threshold row = {slope, low, 9.81 * s->delta_t * tan(slope * acos(-1.0) / 180.0)};
  return status ? status : study_add(run, THRESHOLDS, &row);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int derive(study_run *run) {
  const settings *const s = run->settings;
  int status = 0;
  for (size_t i = 0; !status && i < study_cells(run); i++)
    status = add_threshold(run, *(const double *)study_cell_at(run, i));
  for (int with = 0; !status && with < 2; with++) {
    const double delta_t = with ? s->delta_t : 0.0; // without pseudo-impulses first
    status = add_path(run, delta_t) || add_leap(run, delta_t) ? -1 : 0;
  }
  if (!status) status = add_truncations(run);
  return status ? status : add_all_known(run);
}

const study contact_modes_study = {
    .name = "contact-modes",
    .summary = "effect of pseudo-impulses: a rocking block, and a point that meets a hill",
    .file = "contact_modes",
    .group = STUDY_MECHANISMS,
    .figures = {STUDY_FIGURE("fig_contact_modes", "contact_modes.csv")},
    .make = "contact-modes",
    .small = "",
    STUDY_BRIEF,
    .cells = "slopes",
    STUDY_OF(settings, double),
    .tables = {[HILL] = STUDY_ROWS(arrival, .json = "hill", .csv = "contact_modes_hill.csv",
                                   .meaning = "one arrival at the hill"),
               [THRESHOLDS] =
                   STUDY_ROWS(threshold, .json = "thresholds", .csv = "contact_modes.csv",
                              .meaning = "one slope of the hill"),
               [BLOCK] = STUDY_ROWS(instant, .json = "block", .csv = "contact_modes_block.csv",
                                    .meaning = "the block at one time, or at an impact"),
               [TRUNCATIONS] = STUDY_ROWS(
                   truncation, .json = "truncation", .csv = "contact_modes_truncation.csv",
                   .meaning = "the block's impacts cut short by one delta_t", .above = ""),
               [LEAPS] = STUDY_ROWS(leap, .json = "leap", .csv = "contact_modes_leap.csv",
                                    .meaning = "the leaping body before or behind an event"),
               [NUMBERS] =
                   STUDY_ROWS(known_number, .json = "known", .csv = "contact_modes_known.csv",
                              .meaning = "one number of the paper's examples", .above = ""),
               [WORDS] = STUDY_ROWS(word, .json = "words", .csv = "contact_modes_words.csv",
                                    .meaning = "one example's sequence of modes", .above = "")},
    .plan = plan,
    .run = measure,
    .derive = derive,
};
