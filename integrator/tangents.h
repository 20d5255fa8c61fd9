/*
 * Tangents and the adjoint (docs/theory/tangents.md, derivatives.md). A tangent V is a set of
 * directions, stored as columns, one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TANGENTS_ROOM_H
#define ESS_TANGENTS_ROOM_H

#include "core.h"
#include "ess_tangents.h"

/* ---- parts of steps -------------------------------------------------------------------------- */

/* A step may be too long for V or for an adjoint. They are then propagated along its dense output,
 * in parts. Both use the same rule for the parts, from errors of directions of the step's own, so
 * if both divide a step, they use the same parts. */

/* accepted error of V and of an adjoint in a step, in tolerances */
static const double ESS_ALLOWED = 10.0;

/* The step's own directions, which together displace all states by about their units. */
enum { ESS_OWN = 4 };

typedef struct ess_own {
  double *v, *k[ESS_STAGES], *end, *error; /* [ESS_OWN][n] */
  double *first, *last;                    /* [n][n], Jacobians of the first and last stage */
  double noise[ESS_OWN];                   /* of the Jacobian's differences, per time */
} ess_own;

void ess_own_lay(ess_own *own, size_t n, ess_layout *l);

/* Their rates in stage s of a step, or of a part, of this length; J is the Jacobian there. */
void ess_own_stage(ess_driver *d, int s, double dt, const double J[]);

/* Sets their noise, from the field f and the Jacobian J at the step's end. */
void ess_own_look(ess_driver *d, const double x[], const double f[], const double J[]);

/* Their error after the last stage, over ESS_ALLOWED tolerances. */
double ess_own_error(ess_driver *d, double dt);

/* Rounding error of a difference of the field, f at x, along a direction, per time. The terms of
 * the field may cancel: if J is known, the size of J x counts, too; else it is NULL. */
double ess_rounding_of(const ess_driver *d, const double x[], const double f[], const double J[],
                       const double direction[]);

/* Errors over ESS_ALLOWED tolerances: of V or the adjoint; of the step's own directions, or NAN. */
typedef struct ess_errors {
  double its, own;
} ess_errors;

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

/* The error estimate max(e, e^2/(1e-3 change), 9e-4 last^2/change) of a step, if its rates change
 * by `change` from stage to stage (times the step's length) and `last` is the last coefficient of
 * its dense output. A change near rounding says nothing. */
double ess_seen_error(double error, double rounding, double change, double last);

/* Parts of a step by the Dormand-Prince pair. */
typedef struct ess_parts {
  ess_driver *d;
  double t, dt;         /* of the step */
  const double *x;      /* at its beginning */
  double *const *dense; /* coefficients of its dense output */
  bool goes_back;       /* the last part comes first */
  double shortest;      /* part, over the step's length */
  uint64_t tries;
  double *pace;

  /* tries a part between two places of the step; and takes it */
  int (*look)(struct ess_parts *p, double from, double to, ess_errors *errors);
  void (*go)(struct ess_parts *p);
  void *way; /* theirs */
} ess_parts;

/* Propagates to a place of the step, whose errors were these; NULL: it has not been tried. */
int ess_go_in_parts(ess_parts *p, double to, const ess_errors *errors);

/* Writes the state at stage s of a part and returns its time. */
double ess_parts_stage(const ess_parts *p, int s, double from, double to, double x[]);

/* ---- directions ------------------------------------------------------------------------------ */

/* MEETING: most events of an instant of which all ORDERS are searched. PASSES: most crossings in an
 * order: the impacts of five balls in a row. */
enum { ESS_MEETING = 8, ESS_ORDERS = 40320, ESS_PASSES = 10 };

/* A displaced trajectory on its way through the events of an instant: state, field and mode. By
 * column: its displacement y, the time elapsed (the sum of the tau), and the rates of guards. */
typedef struct ess_passage {
  double *x, *f, *sign, *side;
  double *y;           /* by column, n each */
  const double *moves; /* by column, P each: displacements of parameters; NULL: none */
  double *elapsed;     /* by column */
  double *column_rate; /* by column and event: grad h . y + dh/dp q */
  double *rate;        /* by event: grad h . f */
  double *place; /* by event: 1 if an impact has put the state beyond its guard, -1 if back from
                    there, 0 on the guard */
} ess_passage;

/* Where f- of the next crossing comes from. */
typedef enum ess_before {
  ESS_BEFORE_AT_NODE, /* the field at the node, in the mode before */
  ESS_BEFORE_KNOWN,   /* `before` */
  ESS_BEFORE_UNKNOWN, /* an evaluation at the node's state */
  ESS_BEFORE_PENDING  /* the same, by which V gains share (f+ - mapped) of the crossing before */
} ess_before;

/* The nonzero components of a direction lie in it. */
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
  size_t count;           /* of directions; 0 while operations are recorded */
  double *v;              /* [count][n] */
  double *rows;           /* [n][count], for the caller */
  double *k[ESS_STAGES];  /* [count][n], rates of V in the stages of the step tried */
  double *v_end, *v_last; /* [count][n], V at its end; the last coefficient of its dense output */
  double *w;              /* [wide][n], scratch */
  double *matrix;         /* [n][n], the Jacobian, or DR */

  /* parameters: displacements q, [count][P], NULL for none; scratch of differences; derivatives,
   * [n or m][P]; a callback's values with parameters displaced */
  double *moves, *nominal, *by, *above, *below, *at_k, *moved;
  ess_range *range; /* of each q */
  bool *is_time;    /* [P]: times of jumps */
  double *part;     /* [P] */
  double *unit;     /* [n + P][P]: zeros, then the unit directions of the parameters */
  size_t wide;      /* n + P, number of directions for pieces and maps */
  double *nearest;  /* [n + P], scratch */
  double *x, *x_beside, *f_beside, *change, *f_here, *axis, *across;
  double *h, *rate; /* [m], scratch */
  double *corner;   /* [2][m], at a jump of the field: rates before it; whether the field changes */

  /* V is still to be propagated along the dense output, up to theta > 0, in parts */
  double theta;
  ess_errors errors; /* of the whole step */
  double pace;       /* ess_pace_after */
  ess_own own;
  bool is_central; /* differences of the field are two-sided */
  /* by component of the field: non-smooth at the last difference; at the step's beginning; the
   * second difference */
  bool *is_kinked, *was_kinked;
  double *bend;
  bool has_first; /* k[0] is known from the step before (first same as last) */

  /* a crossing: V gains share (f+ - mapped), mapped = DR f- */
  ess_before source;
  double *before, *at, *mapped, *share;
  size_t last_event; /* SIZE_MAX: several events, or none */
  double last_t;
  double *v_impact; /* V before the last impact */

  /* the last event that changes the field; the last jump of the field at a followed time */
  size_t event;
  double event_t, jump_t;

  /* the last instant of several events: by column and event, its time, and y for the first
   * ESS_MEETING events */
  double *met, *met_y;
  size_t *met_event, met_count;
  double met_from, met_until;
  bool met_impact; /* the state has jumped there */
  size_t column;   /* the first column of the passage */

  /* events of an instant; those still to be crossed whose effect has been applied */
  size_t *events, *best, *settled, settled_count;
  bool *armed; /* guards, by an impact on a passage */

  ess_passage passage[ESS_PASSES + 1];
  double *cone;   /* [70][n + P], inequalities of an order */
  double *digest; /* by piece */
  unsigned char (*orders)[ESS_PASSES];

  ess_smoothness smoothness, told; /* the latter if time goes backward */
  size_t chosen;                   /* by ess_driver_choose_piece */
  size_t digits;                   /* of it, for instants to come */

  /* before crossings of a stiff system: the last severity; the spectral radius, and the estimate
   * from the stages when it was found; attempts since, crossings until then */
  double severity, radius, shown;
  int radius_tries;
  uint64_t radius_crossings;
  double extent; /* radius times length of the step just tried, if known */

  struct ess_tape *tape; /* NULL unless the run is recorded */

  /* the caller's samples [times_count][n][count] at the driver's times, NULL for none; the part of
   * a step that is tried, from one place to another */
  double *samples;
  size_t sampled;
  double part_from, part_to;

  bool is_lost; /* V could not follow the state */
  void *memory;
} ess_tangents;

static inline bool ess_is_last_instant(const ess_tangents *v, double t) {
  return t >= v->met_from && t <= v->met_until;
}

/* place of event function k in the last instant if it is now; else v->met_count */
static inline size_t ess_place_met(const ess_driver *d, size_t k) {
  const ess_tangents *const v = d->tangents;
  return ess_is_last_instant(v, d->t) ? ess_place_in(v->met_event, v->met_count, k) : v->met_count;
}

static inline bool ess_has_units(const ess_driver *d) {
  return d->system.event_count > 1 || d->tangents->tape;
}

/* the unit direction of parameter j, if ess_has_units */
static inline const double *ess_unit_parameter(const ess_driver *d, size_t j) {
  return d->tangents->unit + (d->system.dimension + j) * d->system.parameters.count;
}

/* ---- between crossings ----------------------------------------------------------------------- */

void ess_tangents_free(ess_driver *d);

/* Begins an apply; forgets the trajectory. */
void ess_tangents_begin(ess_driver *d);
void ess_tangents_forget(ess_driver *d);

/* Ends an apply, perhaps at a crossing: writes the caller's rows. What is wrong with samples, or
 * NULL; those that are left where an apply has reached its end. */
int ess_tangents_show(ess_driver *d);
const char *ess_tangents_refuse_samples(const ess_driver *d);
void ess_tangents_sample_rest(ess_driver *d);

/* ---- variation ------------------------------------------------------------------------------- */

/* Propagates V along the step just tried to theta, before the node advances. */
int ess_tangent_step(ess_driver *d, double theta, bool cut);

/* Completes this along the dense output, after the step has become the last piece. */
int ess_tangent_piece(ess_driver *d);

/* Propagates V along a straight move of this duration, by the field at the node or at the midpoint.
 */
int ess_tangent_straight(ess_driver *d, double duration, bool by_midpoint);

/* ---- before crossings of a stiff system ------------------------------------------------------ */

/* The factor by which the error of the step of dopri5 just tried must be smaller; 1 if none. */
int ess_tangent_severity(ess_driver *d, double error, double *severity);

/* Before a stabilised step is tried: chooses dopri5 if a crossing is near. */
int ess_tangent_leave(ess_driver *d);

/* Whether the stabilised step just tried may make its first crossing, after this time. */
ess_verdict ess_tangent_approach(ess_driver *d, double time);

/* ---- across crossings ------------------------------------------------------------------------ */

/* The operation of the crossing of event function k at the state, before it is made. */
int ess_tangent_cross(ess_driver *d, size_t k);

/* The operations of an impact, after its map, before its mode and state are the driver's. */
int ess_tangent_impact(ess_driver *d, const ess_impact *impact);

/* The same of an impact, or of a crossing (NULL), that the last impact's map has caused. */
int ess_tangent_carried(ess_driver *d, const ess_impact *impact);

/* Whether a direction or the recording displaces this parameter (SIZE_MAX: none). */
bool ess_tangent_follows(const ess_driver *d, size_t parameter);

/* Before and after a jump of the field whose time is such a parameter. */
int ess_tangent_before_jump(ess_driver *d);
void ess_tangent_jump(ess_driver *d, size_t parameter);

/* ---- graze ----------------------------------------------------------------------------------- */

/* Fails if the step just tried touches a guard across which the field changes. */
int ess_tangent_refuse_touch(ess_driver *d, const ess_location *found, bool last);

/* Fails if a run ends on event function k, of this rate, and a function of ess_watch turns back
 * within the tolerance past its zero: neighbours do not reach it. */
int ess_tangent_refuse_end(ess_driver *d, size_t k, double rate);

/* As ess_tangent_refuse_touch where the field jumps by time: notes the rates of guards that the
 * state is on, by the field before the jump; fails if one of them has the other sign by the field
 * after it. */
int ess_tangent_note_corners(ess_driver *d);
int ess_tangent_refuse_corner(ess_driver *d);

/* ---- several events at one instant ----------------------------------------------------------- */

/* Applies the events listed at the state `at`, in the current mode, to V; `outcome` is the state
 * after all of them. */
int ess_tangent_meeting(ess_driver *d, size_t count, const double outcome[]);

/* ---- parameters ------------------------------------------------------------------------------ */

/* One line about what is wrong with the system's parameters; NULL when nothing is. */
const char *ess_parameters_check(const ess_system *system, const ess_options *options);

/* The same for parameters that are times of jumps, whose values may have changed. */
const char *ess_parameter_times_check(const ess_system *system);

/* Adds the effect of displacements moves[count][P] (NULL: none): (df/dp) q to rates of columns, f
 * is the field at x or NULL; (dh/dp) q to the rates of all event functions along one column;
 * (dR/dp) q to columns after an impact. */
int ess_parameter_rates(ess_driver *d, double t, const double x[], const double *f,
                        const double moves[], size_t count, double to[]);
int ess_parameter_events(ess_driver *d, double t, const double x[], const double moves[],
                         double rate[]);
int ess_parameter_map(ess_driver *d, const ess_impact *impact, const double moves[], size_t count,
                      double to[]);

/* dR/dp[n][P], df/dp[n][P], and dh_k/dp[P]. */
int ess_parameter_impact(ess_driver *d, const ess_impact *impact, double Rp[]);
int ess_parameter_field(ess_driver *d, double t, const double x[], const double f[], double Fp[]);
int ess_parameter_guard(ess_driver *d, double t, const double x[], size_t k, double hp[]);

/* The gradient of event function k. */
int ess_guard_gradient(ess_driver *d, double t, const double x[], size_t k, double gradient[]);

/* Rounding error of (df/dp) q by differences; 0 if the caller has the derivative. */
double ess_parameter_noise(const ess_driver *d, const double moves[]);

/* grad h_k . v + (dh_k/dp) q of each column. */
int ess_tangent_guard_rates(ess_driver *d, double t, const double x[], size_t k,
                            const double columns[], const double moves[], size_t count,
                            double rate[]);

/* ---- differences ----------------------------------------------------------------------------- */

/* The size of state i below which its tolerance is absolute; 1 where it never is. */
double ess_tangent_unit(const ess_driver *d, size_t i);

/* The least tolerance of a state, relative to its unit. */
double ess_tangent_least_tolerance(const ess_driver *d);

/* The factor of a direction in a difference: no state moves by more than `part` of its size s_i
 * (docs/theory/tangents.md#between-crossings). 0 if the direction is 0. */
double ess_tangent_part(const ess_driver *d, const double x[], const double direction[],
                        double part);

/* Half the interval of a central difference by time. */
double ess_time_apart(const ess_driver *d);

/* Whether differences need the field at x itself. */
bool ess_tangent_needs_field(const ess_driver *d, const double moves[]);

/* (df/dx) from, by a difference; f is the field at x, or NULL if not needed. */
int ess_tangent_difference(ess_driver *d, double t, const double x[], const double f[],
                           const double from[], double to[]);

/* Whether a matrix by differences takes no more calls than so many columns. The adjoint uses the
 * same matrix, so both agree to rounding. */
bool ess_tangent_is_matrix(const ess_driver *d, size_t count);

/* The field's Jacobian, the caller's or by differences. */
bool ess_tangent_knows_field(const ess_driver *d);
int ess_tangent_field(ess_driver *d, double t, const double x[], const double f[], double J[]);

/* to = DR from, `count` columns; `from` and `to` do not overlap. */
int ess_tangent_map(ess_driver *d, const ess_impact *impact, const double from[], size_t count,
                    double to[]);

/* ---- linear operations ----------------------------------------------------------------------- */

/* A run is a list of linear operations on a direction v with parameters displaced by q, and on a
 * number s (docs/theory/derivatives.md#the-adjoint):
 *
 *   step    v goes along a step of the pair
 *   share   s = a . v + b . q
 *   map     v = A v + B q, of an impact, a slide, a step of RKC, or simultaneous events
 *   gain    v = v + s c
 *   mode    the signs change
 *
 * Each operation is applied to the columns of V, or, in a recording, written down for the adjoint.
 */
typedef enum ess_tape_kind {
  ESS_TAPE_STEP,  /* t, dt, theta, x[n] */
  ESS_TAPE_SHARE, /* a[n], b[P] */
  ESS_TAPE_MAP,   /* A by column, [n][n]; B by row, [n][P] */
  ESS_TAPE_GAIN,  /* c[n] */
  ESS_TAPE_MODE   /* the signs before, one byte each */
} ess_tape_kind;

/* Whether a checkpoint is made between two steps. */
typedef enum ess_paging {
  ESS_PAGING_IF_FULL, /* where the page is half full */
  ESS_PAGING_NOW,     /* an apply begins */
  ESS_PAGING_NEVER    /* it cannot be made any more */
} ess_paging;

/* a recording: each entry is followed by its length and its kind */
typedef struct ess_tape {
  double *entry;
  size_t used, room, needed; /* doubles; used = SIZE_MAX: an entry had no room */
  double *sign;              /* mode of the last entry */
  int status;                /* of the run */

  /* checkpoints: entries of the run and of its repetition; `places` checkpoints of `one` doubles */
  double *live, *page, *store;
  size_t one, places, kept, live_from, live_used;
  double *live_sign;
  uint64_t turn, until; /* steps so far; of a repetition, those at its end, else 0 */
  ess_paging paging;

  /* of the adjoint: the stages of a step */
  double *x[ESS_STAGES], *k[ESS_STAGES], *J[ESS_STAGES], *by[ESS_STAGES];
  double *begin, *dense[ESS_DENSE], *mode, *back[ESS_STAGES], *lambda, *error;
  void *memory;
} ess_tape;

/* Whether operations are written down, and V is not followed for a map of them. */
static inline bool ess_is_recording(const ess_driver *d) {
  return d->tangents && d->tangents->tape && !d->tangents->count;
}

/* Allocates a recording of so many bytes; false without memory. */
bool ess_tape_alloc(ess_driver *d, size_t bytes);
void ess_tape_free(ess_tangents *v);

/* Begins an apply, and ends it with this status; forgets all operations. */
void ess_tape_begin(ess_driver *d);
void ess_tape_end(ess_driver *d, int status);
void ess_tape_clear(ess_driver *d);

/* Writes down the step just tried, to theta. */
void ess_tape_step(ess_driver *d, double theta);

/* An entry for so many numbers; NULL if nothing is recorded, or there is no room. */
double *ess_tape_add(ess_driver *d, ess_tape_kind kind, size_t count);

/* Where the next entry begins, and the removal of all entries from there on: their operation has
 * failed, and is repeated if the run goes on. */
typedef struct ess_tape_place {
  size_t used, needed;
} ess_tape_place;
ess_tape_place ess_tape_place_of(const ess_driver *d);
void ess_tape_take_back(ess_driver *d, ess_tape_place from);

/* The unit directions of the states, and zeros up to `count` columns, in v->v. */
void ess_tape_units(ess_driver *d, size_t count);

/* V gains share (after - before). */
void ess_linear_gain(ess_driver *d, const double after[], const double before[]);

/* From open to close V is the unit directions of states and parameters; what has become of them is
 * written down as a map if it was made. */
void ess_tape_open(ess_driver *d);
void ess_tape_close(ess_driver *d, bool made);

/* The gain of a pending crossing, after which the field is f. */
void ess_tangent_finish(ess_driver *d, const double f[]);

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* Between two steps: makes a checkpoint if it is time. Whether a repetition is at its end. */
bool ess_page_turn(ess_driver *d);

/* Saves the driver's end; restores the i-th checkpoint to repeat the run from there; restores the
 * end. */
void ess_page_keep_end(ess_driver *d);
void ess_page_open(ess_driver *d, size_t i);
void ess_page_close(ess_driver *d);

/* Whether the driver's time and state are those of the i-th checkpoint. */
bool ess_page_is_at(const ess_driver *d, size_t i);

#endif
