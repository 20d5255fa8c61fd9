/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paper's examples beside what was computed of them without libess: numbers, and sequences of
 * modes. */
#include <stdio.h>
#include <string.h>

#include "contact_modes.h"

/* A number read off a run; `at` is of which impact, or of which contact. */
typedef double read_fn(contact_track *t, size_t at);

static double impact_time(contact_track *t, size_t at) {
  return at < t->count ? t->of[at].t : NAN;
}

/* from the impact before */
static double time_between(contact_track *t, size_t at) {
  return impact_time(t, at) - impact_time(t, at - 1);
}

/* of the block's centre, cm/s: half of its corner's */
static double centre_speed(contact_track *t, size_t at) {
  return at < t->count ? 50.0 * t->of[at].landed[0].speed : NAN;
}

static double speed_ratio(contact_track *t, size_t at) {
  return centre_speed(t, at) / centre_speed(t, at - 1);
}

static double zeno_time(contact_track *t, size_t at) {
  (void)at;
  return t->zeno;
}

/* How much later the block's impacts accumulate if it begins tilted further, s/rad: a difference of
 * second order to the side above its tilt, or below. */
static double zeno_slope(contact_track *t, size_t below) {
  const double step = below ? -1e-3 : 1e-3, tilt = model_get(&t->m, "tilt");
  double time[3] = {t->zeno};
  for (size_t i = 1; i < 3; i++) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", tilt + (double)i * step);
    const contact_command further = {"rocking-block", "tilt", text, "delta-t", "0"};
    contact_track next = {0};
    time[i] = contact_track_follow(t->run, further, &next) ? NAN : next.zeno;
    contact_track_free(&next);
  }
  return (4.0 * time[1] - 3.0 * time[0] - time[2]) / (2.0 * step);
}

/* the speed along the first coordinate, at the end */
static double end_speed(contact_track *t, size_t at) {
  (void)at;
  return fabs(t->x[t->m.system.dimension / 2]);
}

/* the largest of all rates, at the end */
static double end_rate(contact_track *t, size_t at) {
  const size_t dimension = t->m.system.dimension;
  double most = 0.0;
  (void)at;
  for (size_t i = dimension / 2; i < dimension; i++) most = fmax(most, fabs(t->x[i]));
  return most;
}

static kkt *at_state(contact_track *t, const double x[]) {
  contact_model *const p = t->m.data;
  kkt_at(p->s.c.here, x, x + p->m.coordinates);
  return p->s.c.here;
}

/* U of the force on the curve that it starts on */
static double start_force(contact_track *t, size_t at) {
  double x0[MODEL_DIMENSION_MAX];
  kkt_multipliers force;
  t->m.type->initial_state(&t->m, x0);
  kkt *const here = at_state(t, x0);
  return kkt_flow(here, CONTACT(at), NULL, &force) ? 0.0 + kkt_cone(here, at, force.value) : NAN;
}

/* U of the impulse on the ground where the point, at its foot, is kept on hill and ground */
static double ground_impulse(contact_track *t, size_t at) {
  const double x[4] = {0.0, 0.0, model_get(&t->m, "speed"), 0.0};
  kkt_multipliers impulse;
  kkt *const here = at_state(t, x);
  return kkt_impact(here, 3, NULL, &impulse) ? kkt_cone(here, at, impulse.value) : NAN;
}

/* flat on the ground, on both corners: U of the pseudo-impulse on one */
static double pseudo_impulse(contact_track *t, size_t at) {
  const double x[6] = {0.0, 0.5 * model_get(&t->m, "height")};
  kkt_multipliers force;
  if (!kkt_pseudo_impulse(at_state(t, x), 3, &force)) return NAN;
  return -model_get(&t->m, "delta-t") * force.value[at];
}

/* Flat on the ground, the left corner turning and the right one landing: the fastest, cm/s of the
 * centre, that stops it. */
static double stop_speed(contact_track *t, size_t at) {
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
static double formula_speed(contact_track *t, size_t as_printed) {
  const double h = model_get(&t->m, "height"), w = model_get(&t->m, "width");
  const double turn = (w * w + h * h) / 3.0; // 4 I_b/m_b of a uniform block
  const double pulse = model_get(&t->m, "delta-t") * contact_gravity * w * w;
  return 100.0 * pulse / (h * h - w * w + (as_printed ? -turn : turn));
}

/* The known number to the digits that it is known to: `within` is half of its last one. */
typedef struct known_case {
  contact_command command;
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
static const char *example_of(study_run *run, contact_command command) {
  const char *text = command[0];
  for (size_t i = 1; command[i]; i += 2)
    text = study_text(run, "%s --%s %s", text, command[i], command[i + 1]);
  return text;
}

static int add_number(study_run *run, const known_case *c) {
  contact_track t = {0};
  int status = contact_track_follow(run, c->command, &t);
  if (!status) {
    const double found = c->read(&t, c->at);
    const known_number row = {
        example_of(run, c->command),        c->quantity, c->unit, c->known, found,
        fabs(found - c->known) <= c->within};
    status = study_add(run, CONTACT_MODES_KNOWN, &row);
  }
  contact_track_free(&t);
  return status;
}

/* what they go through; NULL: known in kind alone */
static const struct {
  contact_command command;
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
static const char *word_of(study_run *run, const contact_track *t, bool alternates) {
  enum { SHORT = 4, LONG = 12 };
  const size_t most = alternates ? SHORT : LONG;
  const char *text = study_text(run, "%s", t->start), *last = t->start;
  size_t length = 1;
  for (size_t i = 0; i < t->count; i++) {
    const char *const next[2] = {t->of[i].held, t->of[i].after};
    for (size_t k = 0; k < 2; k++) {
      if (strcmp(next[k], last) == 0) continue;
      if (length++ == most) return study_text(run, "%s ...", text);
      text = study_text(run, "%s %s", text, next[k]);
      last = next[k];
    }
  }
  return text;
}

static int add_word(study_run *run, contact_command command, const char *known) {
  contact_track t = {0};
  int status = contact_track_follow(run, command, &t);
  if (!status) {
    const word row = {example_of(run, command), known ? known : "in kind",
                      word_of(run, &t, known && strstr(known, "..."))};
    status = study_add(run, CONTACT_MODES_WORDS, &row);
  }
  contact_track_free(&t);
  return status;
}

int contact_modes_add_known(study_run *run) {
  int status = 0;
  for (size_t i = 0; !status && i < sizeof cases / sizeof *cases; i++)
    status = add_number(run, &cases[i]);
  for (size_t i = 0; !status && i < sizeof words / sizeof *words; i++)
    status = add_word(run, words[i].command, words[i].known);
  return status;
}
