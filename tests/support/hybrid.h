/*
 * Hybrid systems written as text, for tests: the callbacks of libess and all derivatives follow
 * from it, and so does the truth (truth.h). A ball that bounces on a floor with half its speed:
 *
 *   g = 9.81; e = 0.5            parameters: a name and a number
 *   z' = v; v' = -g              states, in this order
 *   floor: z                     an event function
 *   hit down floor: v = -e*v     an impact at its crossing downward
 *   from 0: z = 1                the initial time, and states that are not 0
 *   to 2                         the end
 *
 * Lines end at a newline or a semicolon; # begins a comment. Initial values and the end may be
 * expressions in parameters. Expressions have + - * / ^ (by a whole number), sin, cos, exp, log,
 * sqrt, the time t, and
 *
 *   [floor], on(floor), off(floor)   the latched sign, (1 + sign)/2, (1 - sign)/2
 *   after(2.5)                       1 from this time or parameter on, and 0 before
 *   name = expression                an abbreviation, unless the expression is a number
 *   sum(3: E)                        E with 0, with 1 and with 2 for each @, added
 *
 * Other lines:
 *
 *   each 3: LINE             the line with 0, with 1 and with 2 for each @; @> is the next number
 *   hit up|down|both NAME: x = E, ..., +NAME, -NAME
 *                            +NAME and -NAME are signs after the impact, by default of the impact's
 *                            own event function the side that it came from; it is armed to come
 *                            back. The maps of simultaneous impacts follow each other.
 *   row up|down NAME: +up NAME, -down NAME, ahead NAME      a row of the reset matrix
 *   pool: +up NAME, ahead NAME                              its last row
 *   silent up|down NAME, ...                                guards without effect on the field
 *   unarmed up|down NAME, ...                               guards that are not armed at first
 *   slides NAME, ...                                        the only ones that may slide
 *   solves NAME, ...         states among which field_solve has derivatives; else all
 *   distances NAME, ...      event functions that are declared as distances
 *   one-way                                                 only crossings upward are guards
 *   watch NAME: E                                           an event without effect
 *   jump T                                  the field jumps at this time, or this parameter
 *   exact NAME: E                                           a state, as a function of t alone
 *   but                      lines from here on may give names, in their old place, hits and rows
 *                            another meaning
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef HYBRID_H
#define HYBRID_H

#include <stdbool.h>
#include <stdint.h>

#include "ess_tangents.h"
#include "expression.h"

enum { HYBRID_UNTOLD = -99 /* a field's code: its mode is not the one that mode_changed told */ };
enum { HYBRID_NAME = 24, HYBRID_STATES = 128, HYBRID_EVENTS = 1024, HYBRID_LOG = 256 };

/* Callbacks, for counts and faults. */
typedef enum hybrid_callback {
  HYBRID_FIELD,
  HYBRID_GUARDS,
  HYBRID_GUARD_JACOBIAN,
  HYBRID_GUARD_RATES, /* event_rates, for all */
  HYBRID_SOME_RATES,  /* and for a list, which is given with them */
  HYBRID_TIME_RATES,  /* the part by time of rates, and of a Jacobian that has the column */
  HYBRID_FIELD_JACOBIAN,
  HYBRID_FIELD_BY, /* parameters, as are the next */
  HYBRID_GUARDS_BY,
  HYBRID_IMPACT,
  HYBRID_IMPACT_JACOBIAN,
  HYBRID_IMPACT_BY,
  HYBRID_WATCH,
  HYBRID_SOLVE, /* with the Jacobian of the whole field */
  HYBRID_MODE,  /* mode_changed */
  HYBRID_START, /* where a text has `unarmed` lines */
  HYBRID_IDLE,  /* which signs the last evaluation of the field did not depend on */
  HYBRID_PLAIN, /* plain_field */
  HYBRID_CALLBACKS
} hybrid_callback;

/* What a system gives libess besides field and guards, as bits 1 << callback; and promises. */
enum {
  HYBRID_GIVES_ALL = (1 << HYBRID_IDLE) - 1, /* all derivatives; no promise, no idle signs */
  HYBRID_GIVES_NONE = 0,                     /* libess makes differences */
  HYBRID_WEIGHTS = 1 << HYBRID_CALLBACKS,    /* declares the field affine in the signs */
  HYBRID_FIXED = 2 << HYBRID_CALLBACKS,      /* does not say that event functions depend on time */
  HYBRID_MOVES = 4 << HYBRID_CALLBACKS       /* says so, although they do not */
};

/* From its `call`th call on, counted from 1 (0: never), a callback returns `code`. Where code is 0
 * it multiplies the entry `entry` of its result by `factor`, or writes `value` there if that is 0;
 * `once`: in that call alone. In event_rates values follow rates. */
typedef struct hybrid_fault {
  hybrid_callback in;
  uint64_t call;
  bool once;
  int code;
  double value, factor;
  size_t entry;
} hybrid_fault;

typedef struct hybrid_impact {
  bool is_impact;
  expression_array after;        /* the states that change, at their places; others stay */
  bool *changes;                 /* [n] */
  expression_array jacobian, by; /* n x n and n x P, of the states that change */
  signed char *mode;             /* [m], 0: kept */
} hybrid_impact;

/* A system. The members up to `text` are the caller's, the others follow from the text. */
typedef struct hybrid {
  double *parameter; /* values, which may be changed between runs: hybrid_set */
  double share;      /* of the Jacobian, which field_jacobian and field_solve have: 1 */
  uint64_t calls[HYBRID_CALLBACKS];
  hybrid_fault fault;

  char *text, *copy; /* of which abbreviations are parts */
  void **blocks;     /* memory, each block with the next one first */
  bool is_read;
  size_t n, m, parameters, watched, jumps, abbreviation_count;
  char (*states)[HYBRID_NAME], (*events)[HYBRID_NAME], (*watches)[HYBRID_NAME],
      (*parameter_names)[HYBRID_NAME], (*abbreviations)[HYBRID_NAME];
  const char **abbreviated; /* what abbreviations stand for, which is read where they are used */
  expressions list;
  double *value; /* of nodes, in an evaluation */
  double *last;  /* evaluation of the field: t, x, sign, dxdt */
  double *told;  /* signs that mode_changed has told, which every field has */
  bool is_told;
  double *mode;           /* signs and parameters of the last one that had signs */
  unsigned long modes;    /* how often these have changed */
  int *start, begin, end; /* expressions: initial values and times */
  double
      *jump; /* times, ascending, and the parameters that they are, or SIZE_MAX; as in the text */
  size_t *jump_parameter;
  int *jump_node;
  int *rate, *event, *watch, *exact; /* expressions; exact: -1 where none is given */
  expression_array field, event_functions, watch_values, exact_values, field_jacobian,
      event_jacobian, time_rates, field_by, guards_by;
  expression_array *one; /* of event function k: its value at place n, its gradient before */
  hybrid_impact *impact; /* [2m] */
  bool one_way, moves, has_impacts, has_resets, has_unarmed, has_silent;
  bool *unarmed, *silent, *impact_at, *slides; /* [2m], [2m], [2m], [m] or NULL */
  ess_guard_kind *kinds;                       /* [2m] */
  bool *solves, *distances;                    /* [n], [m] or NULL */
  size_t *row_start, *row_guard;
  signed char *row_effect;
  ess_reset_matrix resets;
  ess_impacts impacts;
} hybrid;

/* A system with the text that the format makes; %.17g writes a number exactly. hybrid_add appends
 * to a text that has not been used. Text that cannot be read ends the program, with a message. */
hybrid *hybrid_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
void hybrid_add(hybrid *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hybrid_free(hybrid *h);

/* Continues the last line; hybrid_sum does so with + of[i]*NAMEi for all i with another one than 0.
 */
void hybrid_more(hybrid *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hybrid_sum(hybrid *h, const double of[], size_t count, const char *name);

/* Reads the text, which every other function does, too: from then on all members are there. */
void hybrid_read(hybrid *h);

/* Sets a parameter, or the initial value of a state. */
void hybrid_set(hybrid *h, const char *name, double value);
bool hybrid_has(hybrid *h, const char *name);
size_t hybrid_event(hybrid *h, const char *name); /* m if there is none */

/* The initial condition at these parameters: returns the initial time. x may be NULL. */
double hybrid_start(hybrid *h, double x[]);
double hybrid_end_time(hybrid *h);

/* A number with a name, for hybrid_value. */
typedef struct hybrid_name {
  const char *name;
  double value;
} hybrid_name;

/* A copy of a text with each sum( ) written out. */
char *hybrid_sums(const char *text);

/* The value of an expression with these states and signs. *text is moved behind it. names[count]
 * are known besides. */
double hybrid_value(hybrid *h, const char **text, double t, const double x[], const double sign[],
                    const hybrid_name names[], size_t count);

/* The system for libess, which may be changed; its pointers are valid until hybrid_free. */
ess_system hybrid_system(hybrid *h, unsigned gives);

/* The exact states at a time, as far as the text gives them; others are left. */
void hybrid_exact(hybrid *h, double t, double x[]);

/* The values of event functions that libess receives, without a fault. */
void hybrid_values(hybrid *h, double t, const double x[], double values[]);

/* ---- runs ------------------------------------------------------------------------------------ */

typedef enum hybrid_message {
  HYBRID_STEPS, /* which are counted, not listed */
  HYBRID_CROSSING,
  HYBRID_IMPACTS,
  HYBRID_EVENT,
  HYBRID_SLIDE
} hybrid_message;

typedef struct hybrid_record {
  hybrid_message message;
  size_t guard;  /* event function; of an impact its first; of a watched event its index */
  int direction; /* +1 or -1; of an impact 0 */
  double t;
} hybrid_record;

/* What observers have received. */
typedef struct hybrid_log {
  size_t steps, count; /* records; no more than HYBRID_LOG are kept */
  hybrid_record record[HYBRID_LOG];
  uint64_t hash;  /* of steps and records, times and states to the last bit */
  unsigned stops; /* bits 1 << hybrid_message that stop the run, which hybrid_run continues */
  size_t every, heard, stopped; /* only each so many one of them (0: each) */
  size_t at;                    /* as in hybrid_plan */
  size_t misplaced;             /* stops that left another time, state or mode than was told */
  size_t dimension, events;
  double t, x[HYBRID_STATES]; /* of the last message; `sign` where it has one */
  const double *sign;
  double signs[HYBRID_EVENTS];
  double projected; /* how long the first projection took; 0: there was none */
} hybrid_log;

typedef struct hybrid_end {
  int status;
  double t, x[HYBRID_STATES], sign[HYBRID_EVENTS];
  ess_counters counters;
  ess_failure failure;
  hybrid_log log;
  ess_smoothness smooth; /* of a run with a derivative; without its order */
} hybrid_end;

/* A derivative of the final state that a run takes along. */
typedef struct hybrid_derivative {
  bool follows, records; /* tangents, or the adjoint of a recording */
  bool by_states;        /* not by parameters */
  size_t bytes;          /* of the recording; 0: 16 MB */
  size_t piece;          /* the one that is chosen, counted from 1; 0: none */
  size_t count;          /* directions; 0: the unit vectors of all states and parameters */
  const double *along;   /* [(n + P) * count], columns */
  double *D; /* [(n + 1) * columns]; its last row is of the time, where the run ends at an event */
} hybrid_derivative;

/* How a system is run; zeros stand for defaults. */
typedef struct hybrid_plan {
  ess_options options; /* its observer is set; rtol = atol = 0 stands for ess_options_default */
  unsigned gives;
  size_t parts;   /* applies of equal length; 0: one */
  unsigned stops; /* as in hybrid_log; `every` */
  size_t every;
  bool unobserved; /* no observer: the log stays empty */
  unsigned hears;  /* bits 1 << hybrid_message of observers; 0: all */
  size_t until;    /* the message of those in `stops` that ends the run, counted from 1 */
  /* the event function, or from m on the watched one, whose messages count, from 1; 0: any */
  size_t at;
  hybrid_derivative derivative;
  const double *times; /* samples */
  size_t time_count;
  double *states;   /* [time_count * n] */
  double t1;        /* the end; 0: that of the text */
  bool back;        /* and back again to the initial time */
  const double *x0; /* NULL: the initial condition of the text */
} hybrid_plan;

/* Options with rtol = atol = tolerance. */
ess_options hybrid_options(double tolerance);

/* All derivatives given, at this tolerance. */
hybrid_plan hybrid_at(double tolerance);

/* A run from the initial condition to the end by a driver of its own. A run that stops more than
 * 100000 times, or comes no further, ends with ESS_ESTOP. */
hybrid_end hybrid_run(hybrid *h, const hybrid_plan *plan);

/* how many directions a run has, or has by default */
size_t hybrid_columns(const hybrid *h, const hybrid_derivative *derivative);

/* The largest difference of states in units of tolerance * (1 + |x|). */
double hybrid_error(const hybrid *h, const double x[], const double truth[], double tolerance);

/* An observer that writes into a log, which is cleared. */
ess_observer hybrid_observer(const hybrid *h, hybrid_log *log);

#endif
