/*
 * Tangents, directions that the derivative of the flow carries along, from apply to apply; and the
 * adjoint. Directions are columns here, one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TANGENTS_ROOM_H
#define ESS_TANGENTS_ROOM_H

#include "core.h"
#include "ess_tangents.h"

/* ---- parts of steps -------------------------------------------------------------------------- */

/* A step that is too long for what goes along it, directions or, back, an adjoint, which then go
 * along its dense output in parts. Where it is parted both ask here. What goes along it is known to
 * one of them alone; so directions of the step's own tell where it is parted, which are the same
 * for both: where both part a step, they go by the same parts. */

/* directions, and adjoints, may err by so many tolerances in a step: less, and most steps of the
 * state would be too long for them, by little */
static const double ESS_ALLOWED = 10.0;

/* What is smaller than this has decayed, and is no error: doubles soon below it lose their digits.
 */
static const double ESS_DECAYED = 1e-304;

/* The step's own directions: a few, which move all states by about their units. */
enum { ESS_OWN = 4 };

typedef struct ess_own {
  double *v, *k[ESS_STAGES], *end, *error; /* [ESS_OWN][n] */
  double *first, *last;                    /* [n][n], Jacobians of the first and last stage */
  double noise[ESS_OWN];                   /* of the Jacobian's differences, by time */
} ess_own;

/* Lays out their arrays. */
void ess_own_lay(ess_own *own, size_t n, ess_layout *l);

/* They go through stage s of a step, or a part of one, of this length, where J is the Jacobian. */
void ess_own_stage(ess_driver *d, int s, double dt, const double J[]);

/* What is rounding in them, where the step ends, and the field is f and its Jacobian J. */
void ess_own_look(ess_driver *d, const double x[], const double f[], const double J[]);

/* Their error when the last stage is done, in units of what is allowed. */
double ess_own_error(ess_driver *d, double dt);

/* What is rounding in differences of the field, f at x, along a direction, by time: shorter steps
 * do not mend it. The field rounds as its terms do, which may cancel: J x, where J is known, else
 * it is NULL. */
double ess_rounding_of(const ess_driver *d, const double x[], const double f[], const double J[],
                       const double direction[]);

/* Errors in units of what is allowed: of what goes along a step, and of the step's own directions;
 * NAN where those are not known. */
typedef struct ess_errors {
  double its, own;
} ess_errors;

/* Whether a step, or a part of one, is too long. */
static inline bool ess_is_too_long(ess_errors errors) {
  return !(errors.its <= 1.0);
}

/* An error estimate may be small by chance if a step is longer than the periods of what it
 * integrates. So, as for a state, a step of V or of an adjoint is at most as long as the errors of
 * shorter ones before it have allowed: the pace, in time, 0 before the first. */
double ess_pace_after(double pace, double length, double error);

static inline bool ess_is_beyond(double pace, double length) {
  return pace > 0.0 && length > 2.0 * pace;
}

/* An error of a whole step that is too small to be so by chance: the pace does not part it. */
static inline bool ess_is_surely_small(double error) {
  return error < 1e-3;
}

/* The estimate of an error in what has been gained in a step, once it has been held against how
 * much rates have changed from stage to stage, times the length, and against the last coefficient
 * of the dense output, which is of a lower order: where they are not small beside the change, the
 * step has seen little of what is there, and it errs by more. What is not far above rounding is no
 * change. */
double ess_seen_error(double error, double rounding, double change, double last);

/* A way along a step of the pair. */
typedef struct ess_parts {
  ess_driver *d;
  double t, dt;         /* of the step */
  const double *x;      /* where it begins */
  double *const *dense; /* coefficients of its dense output */
  bool goes_back;       /* the last part comes first */
  uint64_t tries;       /* until now */
  double *pace;         /* how long parts may be */

  /* a step of the pair along a part, from one place to another; that is gone, where it is short
   * enough */
  int (*look)(struct ess_parts *p, double from, double to, ess_errors *errors);
  void (*go)(struct ess_parts *p);
  void *way;
} ess_parts;

/* Goes along to a place of the step, whose errors are these, in as many parts as that takes. */
int ess_go_in_parts(ess_parts *p, double to, ess_errors errors);

/* The state at stage s of a part, and its time. The last two stages are at one place. */
double ess_parts_stage(const ess_parts *p, int s, double from, double to, double x[]);

/* ---- directions ------------------------------------------------------------------------------ */

/* events that meet at one instant whose orders are all looked at, how many these are, and how often
 * events may be met in one: the impacts of five balls that hit each other */
enum { ESS_MEETING = 8, ESS_ORDERS = 40320, ESS_PASSES = 10 };

/* A trajectory beside the one that is followed, on its way through the events of an instant: state,
 * field and mode; by column its distance from them, for how long it has been on the way, and its
 * rates. */
typedef struct ess_passage {
  double *x, *f, *sign, *side;
  double *y;           /* n by column */
  const double *moves; /* how parameters move, by column; NULL: not at all */
  double *elapsed;     /* by column */
  double
      *column_rate; /* by column and event, in the order of the list: rate of its guard along y */
  double *rate;     /* by event: along f */
  double *place;    /* by event: 1 where an impact's jump has taken the state beyond its guard, -1
                       where it has taken it back from there, 0 on the guard */
} ess_passage;

/* Where field and state before a crossing are to be had. */
typedef enum ess_before {
  ESS_BEFORE_AT_NODE, /* the node is evaluated in the mode before */
  ESS_BEFORE_KNOWN,   /* in `before` */
  ESS_BEFORE_UNKNOWN  /* the state is the node's, the field there not the driver's */
} ess_before;

/* All numbers of a direction that are not 0 lie in it. */
typedef struct ess_range {
  size_t first, end;
} ess_range;

static inline ess_range ess_range_of(const double v[], size_t count) {
  ess_range r = {.end = count};
  while (r.first < r.end && v[r.first] == 0.0) r.first++;
  while (r.end > r.first && v[r.end - 1] == 0.0) r.end--;
  return r;
}

typedef struct ess_tangents {
  size_t count;           /* of directions, p */
  double *v;              /* [p][n] */
  double *rows;           /* [n][p], as the caller sees them */
  double *k[ESS_STAGES];  /* [p][n], rates of v in the stages of the step tried */
  double *v_end, *v_last; /* [p][n], at its end; the last coefficient of its dense output */
  double *w;              /* [p][n], scratch */
  double *matrix;         /* [n][n], the field's Jacobian, or DR */

  /* parameters, P: how they move, [p][P], NULL where there are none; their values while they are
   * moved; derivatives by them, [n or m][P]; what callbacks return with them moved; scratch */
  double *moves, *nominal, *by, *above, *below, *at_k, *moved;
  ess_range *range; /* by direction: of `moves` */
  bool *is_time;    /* [P]: whose values are times of jumps */
  double *part;     /* [P] */
  double *unit; /* [n + P][P]: how they move where the states move, then each of them by itself */
  size_t wide;  /* n + P: directions of which pieces are counted */
  double *nearest; /* [n + P], scratch */
  double *x, *x_beside, *f_beside, *change, *f_here, *axis, *across;
  double *h, *rate; /* [m], scratch */
  double *corner;   /* [2][m], at a jump of the field: rates before it; whether the field changes */
  /* the step is too long for directions, or has no stages of the pair: they go in parts */
  bool is_rough;
  double theta; /* to this place of it, whose errors are these */
  ess_errors errors;
  double pace; /* parts.c */
  ess_own own;
  bool is_central; /* differences of the field are from both sides */
  /* which components of the field the last of these found at a kink; and those where the step has
   * begun; what the field bends by across it */
  bool *is_kinked, *was_kinked;
  double *bend;
  bool has_first; /* k[0] is that of the next step: its last was this one's (first same as last) */

  /* a crossing in the making: v gains share (f after - mapped), f before being mapped by DR */
  ess_before source;
  double *before, *at, *mapped, *share;
  bool is_pending;
  size_t last_event; /* the last crossing by itself, whose shares these are, and its time */
  double last_t;

  /* the last event that changes the field, and the last jump of the field whose time is a parameter
   * that directions follow */
  size_t event;
  double event_t, jump_t;

  /* an instant of several events, by column and event as listed: when each is met, and the distance
   * then, the latter for the first ESS_MEETING of them */
  double *met, *met_y;
  size_t *met_event, met_count;
  double met_from, met_until;
  bool met_impact; /* the state has jumped there */
  size_t column;   /* the first of those that go through it now */

  /* events of an instant; those still to be crossed whose part in it is settled */
  size_t *events, *best, *settled, settled_count;
  double *mode; /* what an impact's map returns on the way */
  bool *armed, *armed_after;

  ess_passage passage[ESS_PASSES + 1];
  double *cone;   /* [70][n + P], what directions have to satisfy for an order */
  double *digest; /* by piece */
  unsigned char (*orders)[ESS_PASSES];

  /* pieces */
  ess_smoothness smoothness, told; /* the latter where time goes backward */
  size_t chosen;                   /* by ess_driver_choose_piece */
  size_t digits;                   /* what is left of it for instants to come */

  /* by how many times less the step before could err (tangent.c); the spectral radius, and
   * what the stages of a step had shown of it when it was found; tries since then, crossings until
   * then */
  double severity, radius, shown;
  int radius_tries;
  uint64_t radius_crossings;
  double extent; /* radius times length of the step just tried, where its stages have shown it */

  struct ess_tape *tape; /* tape.c; NULL unless the run is recorded */

  bool is_lost; /* a callback has failed on their way: they are elsewhere than the state */
  void *memory;
} ess_tangents;

/* whether that is the last instant of several events */
static inline bool ess_is_last_instant(const ess_tangents *v, double t) {
  return t >= v->met_from && t <= v->met_until;
}

/* place of event function k among those of it; v->met_count where it is none, or it is later now */
static inline size_t ess_place_met(const ess_driver *d, size_t k) {
  const ess_tangents *const v = d->tangents;
  return ess_is_last_instant(v, d->t) ? ess_place_in(v->met_event, v->met_count, k) : v->met_count;
}

/* whether there is room for the parameters' own directions: events may meet, or a run is recorded
 */
static inline bool ess_has_units(const ess_driver *d) {
  return d->system.guard_count > 1 || d->tangents->tape;
}

/* parameter j moving by itself, where ess_has_units */
static inline const double *ess_unit_parameter(const ess_driver *d, size_t j) {
  return d->tangents->unit + (d->system.dimension + j) * d->system.parameters;
}

/* ---- between crossings ----------------------------------------------------------------------- */

void ess_tangents_free(ess_driver *d);

/* An apply begins; another trajectory does. */
void ess_tangents_begin(ess_driver *d);
void ess_tangents_forget(ess_driver *d);

/* An apply ends, perhaps at a crossing: directions as the caller sees them. */
int ess_tangents_show(ess_driver *d);

/* ---- variation ------------------------------------------------------------------------------- */

/* Directions go on along the step just tried to theta, before the node does. */
int ess_tangent_step(ess_driver *d, double theta, bool cut);

/* Where that has not been enough, once the step is the last piece. */
int ess_tangent_piece(ess_driver *d);

/* Along a move of this length from the node, straight along the field there, or at the midpoint. */
int ess_tangent_straight(ess_driver *d, double duration, bool by_midpoint);

/* ---- how exactly directions need a step ------------------------------------------------------ */

/* By how many times less the step of dopri5 just tried has to err than this error, which is in
 * units of what is allowed; 1 where that is enough. */
int ess_tangent_severity(ess_driver *d, double error, double *severity);

/* Before a stabilised step is tried: dopri5 is to make it where a crossing is near. */
int ess_tangent_leave(ess_driver *d);

/* The stabilised step just tried makes its first crossing after this time: whether it stands, or
 * dopri5 is to go there. */
ess_verdict ess_tangent_approach(ess_driver *d, double time);

/* ---- across crossings ------------------------------------------------------------------------ */

/* Event function k is about to be crossed where the state is: what it does to directions is noted
 * down. */
int ess_tangent_cross(ess_driver *d, size_t k);

/* An impact whose map has been made, before its mode and state are the driver's. */
int ess_tangent_impact(ess_driver *d, const ess_impact *impact);

/* The same of one, or of a crossing (NULL), that the last impact's map has led to: it happens when
 * that does, however the state is displaced. */
int ess_tangent_carried(ess_driver *d, const ess_impact *impact);

/* Whether directions, or a recording, move this parameter; none is SIZE_MAX. */
bool ess_tangent_follows(const ess_driver *d, size_t parameter);

/* The field is about to jump at a time that is such a parameter; it has, and the node is evaluated.
 */
int ess_tangent_before_jump(ess_driver *d);
void ess_tangent_jump(ess_driver *d, size_t parameter);

/* ---- graze ----------------------------------------------------------------------------------- */

/* Fails where the step just tried, of which this is to be taken, touches a guard, and the field
 * changes across it: beside the trajectory others cross it twice, or not at all. */
int ess_tangent_refuse_touch(ess_driver *d, const ess_location *found, bool last);

/* The same where the field jumps by time: notes the rates of guards that the state is on, by the
 * field before the jump; fails if one of them has the other sign by the field after it. */
int ess_tangent_note_corners(ess_driver *d);
int ess_tangent_refuse_corner(ess_driver *d);

/* ---- several events at one instant ----------------------------------------------------------- */

/* Several events, those listed, at the state `at` and in the mode as it is, which lead to
 * this state: directions are those after all of them. */
int ess_tangent_meeting(ess_driver *d, size_t count, const double outcome[]);

/* ---- what parameters add to directions ------------------------------------------------------- */

/* One line about what is wrong with the system's parameters; NULL when nothing is. */
const char *ess_parameters_check(const ess_system *system, const ess_options *options);

/* The same of those that are times of jumps of the field, whose values may have changed. */
const char *ess_parameter_times_check(const ess_system *system);

/* Parameters move in directions of their own, one for each column: moves[count][P], NULL for none.
 * What that adds is added: to rates of columns at x, where the field is f, or NULL where that is
 * not known; to the rates of all event functions along one column; and to what an impact's map
 * makes of columns. */
int ess_parameter_rates(ess_driver *d, double t, const double x[], const double *f,
                        const double moves[], size_t count, double to[]);
int ess_parameter_guards(ess_driver *d, double t, const double x[], const double moves[],
                         double rate[]);
int ess_parameter_map(ess_driver *d, const ess_impact *impact, const double moves[], size_t count,
                      double to[]);

/* The derivative of the field, which is f, Fp[n*P], of an impact's map, Rp[n*P], and of event
 * function k, [P], by each of them. */
int ess_parameter_impact(ess_driver *d, const ess_impact *impact, double Rp[]);
int ess_parameter_field(ess_driver *d, double t, const double x[], const double f[], double Fp[]);
int ess_parameter_guard(ess_driver *d, double t, const double x[], size_t k, double hp[]);

/* The gradient of event function k. */
int ess_guard_gradient(ess_driver *d, double t, const double x[], size_t k, double gradient[]);

/* What is rounding in the first of these, by differences; 0 where the caller has the derivative. */
double ess_parameter_noise(const ess_driver *d, const double moves[]);

/* The rates of event function k along columns, `count` of them, whose parameters move so. */
int ess_tangent_guard_rates(ess_driver *d, double t, const double x[], size_t k,
                            const double columns[], const double moves[], size_t count,
                            double rate[]);

/* ---- difference ------------------------------------------------------------------------------ */

/* The size of state i below which its tolerance is absolute; 1 where it never is. */
double ess_tangent_unit(const ess_driver *d, size_t i);

/* The least tolerance of a state, in parts of its unit. */
double ess_tangent_least_tolerance(const ess_driver *d);

/* What a difference along a direction multiplies it by, so that no state moves by more than this
 * part of its size. That is its own, or where its tolerance becomes relative, if that is more, and
 * to a third that of the largest state: what the field bends by is the one's, and what rounds it
 * may be the other's. 0 of a direction that is nothing. */
double ess_tangent_part(const ess_driver *d, const double x[], const double direction[],
                        double part);

/* How far apart in time a map is looked at for a central difference by time: a part of the last
 * step, or of what the state takes to move by its size, whatever the unit of time. */
double ess_time_apart(const ess_driver *d);

/* Whether differences ask for the field at x itself: those from one side do, and those from both
 * sides ask whether a guard is between. */
bool ess_tangent_needs_field(const ess_driver *d, const double moves[]);

/* One column by a difference of the field, which is f at x, or NULL where that is not needed. */
int ess_tangent_difference(ess_driver *d, double t, const double x[], const double f[],
                           const double from[], double to[]);

/* Whether a matrix by differences, one state after the other, takes no more calls than so many
 * columns do. All that are as many are of that matrix, as an adjoint is: so the two are of the same
 * numbers, and agree to rounding, whatever the noise of these. */
bool ess_tangent_is_matrix(const ess_driver *d, size_t count);

/* The field's Jacobian where the field is f, the caller's or by differences. */
bool ess_tangent_knows_field(const ess_driver *d);
int ess_tangent_field(ess_driver *d, double t, const double x[], const double f[], double J[]);

/* ---- derivative ------------------------------------------------------------------------------ */

/* to = DR from, `count` columns, where DR is that of the impact; `from` and `to` are apart. */
int ess_tangent_map(ess_driver *d, const ess_impact *impact, const double from[], size_t count,
                    double to[]);

/* ---- what a run does to directions, written down --------------------------------------------- */

/* What a run does to directions, written down on its way, so that an adjoint can go back
 * (adjoint.c). It is a list of what happens to any direction v, whose parameters move by q, and to
 * one number s beside it:
 *
 *   step    v goes along a step of the pair, which is made again from where it began
 *   share   s = a . v + b . q, what a crossing adds is multiplied by this
 *   map     v = A v + B q, of an impact, or of a stretch that directions have been followed along
 *   gain    v = v + s c
 *   mode    the signs change
 */

typedef enum ess_tape_kind {
  ESS_TAPE_STEP,  /* t, dt, theta, x[n] */
  ESS_TAPE_SHARE, /* a[n], b[P] */
  ESS_TAPE_MAP,   /* A by column, [n][n]; B by row, [n][P] */
  ESS_TAPE_GAIN,  /* c[n] */
  ESS_TAPE_MODE   /* the signs before, one byte each */
} ess_tape_kind;

/* what is written down: after the numbers of an entry its kind and how many they are */
typedef struct ess_tape {
  double *entry;
  size_t used, room, needed; /* doubles; the last of all that has been recorded */
  bool is_short;             /* there was no room for some */
  double *sign;              /* of the last entry */
  bool is_open;              /* unit directions are followed, to be written down as a map */
  size_t shared;             /* whose crossing s is of, and when; SIZE_MAX: none's */
  double shared_t;
  int status; /* of the run */

  /* checkpoints (tape.c): entries as the run goes on, and when it is made again; `places`
   * checkpoints of so many doubles, those kept, and the one from which on entries are live */
  double *live, *page, *store;
  size_t one, places, kept, live_from, live_used;
  double *live_sign;
  uint64_t turn, until; /* between two steps; of a run that is made again */
  bool is_again, begins, is_stuck;

  /* for the way back */
  double *x[ESS_STAGES], *k[ESS_STAGES], *J[ESS_STAGES], *by[ESS_STAGES]; /* of a step's stages */
  double *begin, *dense[ESS_DENSE], *mode, *back[ESS_STAGES], *lambda, *error;
  void *memory;
} ess_tape;

/* Whether a run is being recorded, and directions are not just now followed for that. */
static inline bool ess_is_recording(const ess_driver *d) {
  return d->tangents && d->tangents->tape && !d->tangents->tape->is_open;
}

/* Room for so many bytes of entries; false where there is none. */
bool ess_tape_alloc(ess_driver *d, size_t bytes);

void ess_tape_free(ess_tangents *v);

/* An apply begins; it ends with this status. */
void ess_tape_begin(ess_driver *d);
void ess_tape_end(ess_driver *d, int status);

/* An entry of this kind, with room for so many numbers; NULL where there is none, or nothing is
 * recorded. */
double *ess_tape_add(ess_driver *d, ess_tape_kind kind, size_t count);

/* The step just tried, to theta of it. */
void ess_tape_step(ess_driver *d, double theta);

/* Unit columns of the states, of so many, into v->v. */
void ess_tape_units(ess_driver *d, size_t count);

/* The field gains f - before. */
void ess_tape_gain(ess_driver *d, const double f[], const double before[]);

/* Unit directions are followed from here on; until here, and what has become of them is written
 * down unless it came to nothing. */
void ess_tape_open(ess_driver *d);
void ess_tape_close(ess_driver *d, bool made);

/* Nothing has been recorded. */
void ess_tape_clear(ess_driver *d);

/* ---- gain ------------------------------------------------------------------------------------ */

/* The field after the crossing is this: what was noted down is done. */
void ess_tangent_finish(ess_driver *d, const double f[]);

/* ---- pages ----------------------------------------------------------------------------------- */

/* Between two steps: a checkpoint is made where it is time. Whether a run that is made again has
 * come to where it is to end. */
bool ess_page_turn(ess_driver *d);

/* The driver at the i-th checkpoint, with the page before it to be recorded; at the end again. */
void ess_page_open(ess_driver *d, size_t i);
void ess_page_close(ess_driver *d);

/* The driver's end is kept, for that. */
void ess_page_keep_end(ess_driver *d);

/* Whether the driver is where the run was at the i-th checkpoint. */
bool ess_page_is_at(const ess_driver *d, size_t i);

#endif
