/*
 * Hybrid systems by seed that mix features: blocks with dry friction on belts, balls on tables,
 * springs that are met, heaters with hysteresis and doses at given times, coupled to each other and
 * turned into other coordinates, through any base, with any callback left out, and stopped on the
 * way. In every mode the field is affine in the state, sines and time, so the truth (pair_truth.c,
 * which shares nothing with libess) is a Taylor series from event to event.
 *
 * A run is wrong where it ends in success and has an error of more than PAIR_WORST tolerances, or
 * ends in another mode than the truth and has an error of more than PAIR_OTHER. It is left out
 * where the system itself does not tell: where the truth, with its initial condition, its event
 * functions and its friction moved by PAIR_MOVED tolerances at random, as often as PAIR_MOVES,
 * makes other events once, or multiplies the move by ten: unless the error is more than PAIR_BEYOND
 * times what any of these moves makes. These are the measures of population_hostile.c, but for the
 * last, which is stricter. A status says as much of libess where none of these moves has a ball
 * that may not rest bounce no higher than the tolerance, for ESS_EZENO, or makes other events, for
 * ESS_EGRAZING. Errors of RKC and ROS2 may be PAIR_WORST tolerances before the system multiplies
 * them, as ess.h says.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef PAIR_SYSTEMS_H
#define PAIR_SYSTEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "ess.h"

enum {
  PAIR_STATES = 12,
  PAIR_GUARDS = 12,
  PAIR_WAVES = 2,
  PAIR_SINE = PAIR_STATES, /* what forms are linear in: states, sines and cosines, time, and 1 */
  PAIR_TIME = PAIR_SINE + 2 * PAIR_WAVES,
  PAIR_ONE,
  PAIR_WIDTH,
  PAIR_OUTPUTS = 4, /* times at which states are compared, the end included */
  PAIR_HALTS = 12,  /* times at which a run is ended and goes on */
  PAIR_MOVES = 12
};

static const double PAIR_WORST = 100.0, PAIR_OTHER = 10.0, PAIR_MOVED = 20.0, PAIR_BEYOND = 10.0;

typedef enum pair_feature {
  PAIR_DOPRI5, /* the bases in the order of ess_base */
  PAIR_RKC,
  PAIR_CHOSEN,
  PAIR_RODAS,
  PAIR_ROS2,
  PAIR_SLIDING,
  PAIR_REST,
  PAIR_MOVING,            /* event functions depend on time */
  PAIR_NO_GUARD_JACOBIAN, /* neither Jacobian nor rates of event functions */
  PAIR_NO_FIELD_JACOBIAN, /* for ROS2: field_solve with W = 0 */
  PAIR_WEIGHTS,
  PAIR_STOP_EVENTS, /* stopped at crossings, impacts, slides or watched events, and resumed */
  PAIR_STOP_STEPS,  /* at each step */
  PAIR_STOP_TIMES,  /* at given times */
  PAIR_FEATURES
} pair_feature;

extern const char *const pair_feature_names[PAIR_FEATURES];

typedef enum pair_kind {
  PAIR_BLOCK,  /* dry friction: the field jumps where a speed is that of a belt */
  PAIR_BALL,   /* an impact on a table */
  PAIR_SPRING, /* a spring that is met */
  PAIR_HIGH,   /* where a heater is switched off */
  PAIR_LOW,    /* where it is switched on */
  PAIR_DOSE    /* a jump at a time */
} pair_kind;

/* An event function, linear in what forms are linear in. */
typedef struct pair_guard {
  pair_kind kind;
  size_t state;                        /* the speed of a block or ball */
  double row[PAIR_WIDTH];              /* h, which the caller's event function is an odd cubic of */
  double cube;                         /* of that cubic */
  double add[PAIR_STATES][PAIR_WIDTH]; /* what the field gains where the sign is + */
  bool adds[PAIR_STATES];              /* which rates gain anything */
  double push[PAIR_STATES];            /* friction, a table's force, or a dose */
  double bounce;
  bool begins_held; /* a block that begins at its belt's speed, a ball that lies on its table */
} pair_guard;

typedef struct pair_system {
  uint64_t seed;
  bool has[PAIR_FEATURES];
  size_t n, m;
  double base[PAIR_STATES][PAIR_WIDTH]; /* the field with all signs at - */
  pair_guard guard[PAIR_GUARDS];
  double pace[PAIR_WAVES], phase[PAIR_WAVES], x0[PAIR_STATES];
  double mirror[PAIR_STATES]; /* the caller's states are a reflection of these */
  double end, output[PAIR_OUTPUTS], halt[PAIR_HALTS];
  double tolerance;
  bool has_rates, has_time_rates, has_matrix; /* what else the caller gives */
  bool stops_crossings, stops_impacts, stops_slides, watches, resets_place, sets_options;
} pair_system;

/* Draws the features and then the system. */
void pair_draw(pair_system *s, uint64_t seed);

/* What forms are linear in, of a state at a time. */
void pair_widen(const pair_system *s, double t, const double z[], double wide[]);

/* ---- the truth ------------------------------------------------------------------------------- */

typedef struct pair_path {
  int status; /* not 0 where it throws itself back, or leaves all bounds */
  double z[PAIR_OUTPUTS][PAIR_STATES];
  size_t crossings; /* and impacts; of a ball that may rest only those that lead to rest */
  size_t slips;     /* how often something has been held, or let go of */
  double sign[PAIR_GUARDS];
  bool held[PAIR_GUARDS];
  double slow; /* where a ball that may not rest has slowed down, or INFINITY */
} pair_path;

/* The truth, in steps so many times as short as is enough; a ball that falls back from less than
 * `low` rests where it may. */
void pair_truth(const pair_system *s, double low, double fineness, pair_path *p);

/* ---- runs ------------------------------------------------------------------------------------ */

typedef enum pair_verdict {
  PAIR_RIGHT,
  PAIR_WRONG,
  PAIR_LEFT_OUT,
  PAIR_FALSE_STATUS, /* the truth goes on where the run ended, or it never ended */
  PAIR_REFUSED       /* as it is documented */
} pair_verdict;

typedef struct pair_outcome {
  pair_verdict verdict;
  int status;
  bool is_endless; /* it took more calls or stops than any run needs */
  double time;     /* that it reached */
  double error;    /* in tolerances, the worst of all states and outputs */
  bool is_other;   /* it ended in another mode than the truth */
  ess_counters counters;
  uint64_t calls, looks, stops; /* of the field and of event functions; times it was stopped */
  const char *reason;           /* of a status, or NULL */
  size_t guard;                 /* of a status, or SIZE_MAX */
} pair_outcome;

/* Two features that libess refuses together: what it says, and where that is documented. */
typedef struct pair_refusal {
  pair_feature one, other;
  const char *says, *page, *sentence;
} pair_refusal;

enum { PAIR_REFUSALS = 2 };
extern const pair_refusal pair_refusals[PAIR_REFUSALS];

/* Runs libess and holds it against the truth. */
pair_outcome pair_run(const pair_system *s);

#endif
