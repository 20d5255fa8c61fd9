/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "truth_run.h"

#include <stdlib.h>
#include <string.h>

#include "draws.h"

enum { STEPS_MOST = 1000000 };

/* ---- the run --------------------------------------------------------------------------------- */

/* whether an impact at the initial state would change its event function or that one's rate; and
 * whether it would return the state */
static bool would_change(run *r, size_t k, bool *returns) {
  const run before = *r;
  const size_t count = r->end->count;
  const long double noise = r->noise[k], rate_noise = r->rate_noise[k];
  const long double h0 = series_of(r, k)[0], rate = series_of(r, k)[1];
  truth_strike(r, &k, 1);
  *returns = r->now.sign[k] == before.now.sign[k];
  truth_flow(r);
  const bool changes =
      fabsl(series_of(r, k)[0] - h0) > noise || fabsl(series_of(r, k)[1] - rate) > rate_noise;
  r->now = before.now;
  memcpy(r->x, before.x, sizeof r->x);
  r->crossings[k]--;
  r->end->count = count;
  truth_flow(r);
  return changes;
}

/* Signs are those of the values that libess receives, in `double`. Where one of these is 0, and the
 * exact value differs by rounding alone, the state starts on the zero. */
static truth_status find_zeros(run *r) {
  double x[HYBRID_STATES], value[HYBRID_EVENTS];
  for (size_t i = 0; i < r->n; i++) x[i] = (double)r->x[i];
  hybrid_values(r->h, (double)r->t, x, value);
  for (size_t k = 0; k < r->m; k++) {
    const long double exact = series_of(r, k)[0];
    const bool is_near = fabsl(exact) <= r->noise[k] * (DBL_EPSILON / LDBL_EPSILON);
    if (is_on(r, k) || !is_near) continue;
    if (value[k] == 0.0) r->zeros[k] = 1;
    if (value[k] * exact < 0.0L)
      return truth_fail(r, TRUTH_UNDECIDED, "rounding decides on which side the run begins");
  }
  return TRUTH_SUCCESS;
}

/* latches the signs of the initial condition */
static truth_status start(run *r) {
  const hybrid *const h = r->h;
  for (size_t k = 0; k < r->m; k++) r->now.sign[k] = 1.0;
  truth_flow(r);
  if (find_zeros(r)) return r->end->status;
  for (size_t k = 0; k < r->m; k++)
    truth_arm(r, k, !is_on(r, k) && series_of(r, k)[0] < 0.0L ? -1.0 : 1.0, true);
  truth_flow(r);
  for (size_t k = 0; k < r->m; k++) {
    const bool up = h->impact_at[ESS_GUARD_UP(k)], down = h->impact_at[ESS_GUARD_DOWN(k)];
    if (!is_on(r, k) || !(up || down)) continue;
    int place;
    const int way = truth_lead_of(r, k, &place);
    const size_t guard = way > 0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
    double sign = way ? way : 1.0;
    bool is_timed = true, returns;
    for (size_t i = 0; i < r->n; i++)
      is_timed &= truth_is_zero(r, expression_derivative(&r->list, r->event[k], STATE, (int)i));
    if (place >= 2) {
      if (up != down) sign = up ? -1.0 : 1.0;
    } else if (h->impact_at[guard] && !h->unarmed[guard] && !is_timed) {
      truth_arm(r, k, -way, true);
      if (would_change(r, k, &returns) && !(up && down && returns)) sign = -way;
    }
    truth_arm(r, k, sign, true);
    r->zeros[k] = place >= 2 ? 2 : 1;
    truth_flow(r);
  }
  r->is_starting = true;
  const truth_status status = truth_choose(r);
  r->is_starting = false;
  for (size_t g = 0; g < 2 * r->m; g++) r->now.armed[g] = r->now.armed[g] && !h->unarmed[g];
  if (!status) truth_watch(r, false);
  return status ? status : truth_settle(r, false);
}

/* the next time at which the field may jump, or the end */
static long double next_stop(const run *r) {
  long double stop = r->t1;
  for (int i = 0; i < r->list.count; i++) {
    const node *const n = &r->list.nodes[i];
    if (n->op != AFTER) continue;
    const long double at = n->left ? r->parameters[n->left - 1][0] : n->value;
    if ((at - r->t) * r->direction > 0.0L && (stop - at) * r->direction > 0.0L) stop = at;
  }
  return stop;
}

/* The first event within the step, as a time from its beginning, or infinity; marks the functions
 * that are zero there. */
static long double first_event(run *r, long double within, bool hits[]) {
  const long double step = r->step;
  long double bound[2][HYBRID_EVENTS];
  long double first = INFINITY, *const at = truth_room(r->functions, sizeof *at);
  for (size_t k = 0; k < r->functions; k++) {
    const bool is_watch = k >= r->m;
    at[k] = INFINITY;
    if (!is_watch && !is_armed(r, k)) continue;
    terms c;
    int place;
    long double least = INFINITY;
    truth_lead_of(r, k, &place);
    truth_scale(series_of(r, k), is_watch ? r->watch_side[k - r->m] : r->now.sign[k], step, c);
    at[k] = step * polynomial_falls(c, place, noise_of(r, k), &least);
    if (!is_watch) truth_note_distance(r, k, least / size_of(r, k));
    first = fminl(first, at[k]);
  }
  for (size_t k = 0; k < r->m; k++) {
    bound[0][k] = bound[1][k] = INFINITY;
    if (r->now.held[k] == BESIDE) continue;
    long double least = INFINITY;
    for (int rest = 0; rest < (r->now.held[k] == SLIDES ? 2 : 1); rest++) {
      terms c;
      int place;
      truth_lead_of_lambda(r, k, rest, c, &place);
      bound[rest][k] = step * polynomial_falls(c, place, truth_lambda_noise(r, k), &least);
      first = fminl(first, bound[rest][k]);
    }
    truth_note_distance(r, k, least);
    /* a two-fold: the jump's effect on h' vanishes */
    const long double *const effect = r->flow.of[r->effect[k * r->m + k]];
    terms c;
    truth_scale(effect, effect[0] < 0.0L ? -1.0L : 1.0L, step, c);
    first = fminl(first, step * polynomial_falls(c, 0, 0.0L, &least));
  }
  for (size_t k = 0; k < r->functions; k++)
    hits[k] = at[k] <= within && at[k] <= first * (1.0L + 8.0L * LDBL_EPSILON);
  const long double tie = first * (1.0L + 8.0L * LDBL_EPSILON);
  for (size_t k = 0; k < r->m; k++)
    for (int rest = 0; rest < 2; rest++)
      r->at_bound[rest][k] = bound[rest][k] <= within && bound[rest][k] <= tie;
  free(at);
  return first <= within ? first : INFINITY;
}

static void sample(run *r, long double until, bool is_settled) {
  const truth_options *const o = r->options;
  for (; r->sampled < o->time_count; r->sampled++) {
    const long double at = (o->times[r->sampled] - r->t) * r->direction;
    if (is_settled ? at > 0.0L : at >= until) return;
    for (size_t i = 0; i < r->n; i++)
      r->end->states[r->sampled * r->n + i] =
          (double)(is_settled ? r->x[i] : polynomial_value(r->along[i], at));
  }
}

static void change_parameters(run *r) {
  const truth_options *const o = r->options;
  double x[HYBRID_STATES], *const parameter = truth_room(r->h->parameters, sizeof *parameter);
  for (size_t i = 0; i < r->n; i++) x[i] = (double)r->x[i];
  for (size_t p = 0; p < r->h->parameters; p++) parameter[p] = (double)r->parameters[p][0];
  if (o->change) o->change((double)r->t, x, parameter, o->context);
  for (size_t p = 0; p < r->h->parameters && o->change; p++) r->parameters[p][0] = parameter[p];
  free(parameter);
}

/* One step: to its length, an event, or where the field may jump. */
static truth_status advance(run *r) {
  bool hits[2 * HYBRID_EVENTS];
  const long double stop = next_stop(r), left = fabsl(stop - r->t);
  const long double resolution = 8.0L * LDBL_EPSILON * fmaxl(fabsl(r->t), fabsl(stop));
  const long double event = first_event(r, fminl(r->step, left) + resolution, hits);
  long double by = fminl(fminl(r->step, left), event);
  long double to = r->t + r->direction * by;
  if (fabsl(to - stop) <= resolution) to = stop;
  if (fabsl(to - (double)to) <= 8.0L * LDBL_EPSILON * fmaxl(fabsl(r->t), fabsl(to)))
    to = (double)to;
  if (to == r->t && event > by) return truth_fail(r, TRUTH_DIVERGED, "steps become too short");
  const bool is_instant = event < INFINITY || to == stop;
  sample(r, (to - r->t) * r->direction, false);
  for (size_t i = 0; i < r->n; i++) {
    r->size[i] = fmaxl(fabsl(r->x[i]), fabsl(r->along[i][1]) * by);
    r->x[i] = polynomial_value(r->along[i], by);
  }
  r->t = to;
  for (size_t k = 0; k < r->functions; k++) r->zeros[k] = event < INFINITY && hits[k] ? 1 : 0;
  r->end->steps++;
  if (to == stop) change_parameters(r);
  if (event < INFINITY && to != stop) r->since = by;
  if (is_instant) return truth_settle(r, true);
  if (!truth_flow(r))
    return truth_fail(r, TRUTH_NO_CONTINUATION, "nothing holds the state on its surfaces");
  return TRUTH_SUCCESS;
}

static void allot(run *r) {
  hybrid *const h = r->h;
  r->n = h->n;
  r->m = h->m;
  r->functions = h->m + h->watched;
  r->list = h->list;
  r->list.derived = NULL;
  r->list.derived_room = r->list.derivatives = 0;
  r->list.nodes = truth_room((size_t)h->list.room, sizeof(node));
  memcpy(r->list.nodes, h->list.nodes, (size_t)h->list.count * sizeof(node));
  r->list.table = truth_room((size_t)h->list.table_size, sizeof(int));
  memcpy(r->list.table, h->list.table, (size_t)h->list.table_size * sizeof(int));
  r->event = truth_room(r->m, sizeof *r->event);
  for (size_t k = 0; k < r->m; k++) {
    const double lift = r->options->lift ? r->options->lift[k] : 0.0;
    r->event[k] = expression(&r->list, ADD, h->event[k], expression_constant(&r->list, lift));
  }
  r->field = truth_room(r->n, sizeof *r->field);
  memcpy(r->field, h->rate, r->n * sizeof *r->field);
  r->surfaces = truth_room(r->m, sizeof *r->surfaces);
  r->effect = truth_room(r->m * r->m, sizeof *r->effect);
  memset(r->effect, -1, r->m * r->m * sizeof *r->effect);
  r->can_rest = truth_room(r->m, sizeof *r->can_rest);
  r->along = truth_room(r->n, sizeof *r->along);
  r->signs = truth_room(r->m, sizeof *r->signs);
  r->lambda = truth_room(r->m, sizeof *r->lambda);
  r->parameters = truth_room(h->parameters + r->m, sizeof *r->parameters);
  r->slides = truth_room(r->m, sizeof *r->slides);
  r->rests = truth_room(h->parameters + r->m, sizeof *r->rests);
  r->last = truth_room(r->m, sizeof *r->last);
  r->crossings = truth_room(r->m, sizeof *r->crossings);
  r->rates = truth_room(r->functions, sizeof *r->rates);
  r->noise = truth_room(r->functions, sizeof *r->noise);
  r->rate_noise = truth_room(r->functions, sizeof *r->rate_noise);
  for (size_t g = 0; g < 2 * r->m && r->options->rest; g++)
    if (h->impact_at[g]) truth_add_force(r, g, r->field);
  for (size_t k = 0; k < r->m; k++)
    if (truth_may_slide(r, k)) truth_make_affine(r, k);
  for (size_t k = 0; k < r->functions; k++)
    r->rates[k] = truth_along_field(r, function(r, k), r->field);
}

static void release(run *r) {
  void *const rooms[] = {r->event,    r->field,  r->surfaces, r->effect,
                         r->can_rest, r->along,  r->signs,    r->parameters,
                         r->lambda,   r->slides, r->rests,    r->crossings,
                         r->last,     r->rates,  r->noise,    r->rate_noise};
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
  expressions_free(&r->list);
  series_free(&r->flow);
  series_free(&r->other);
  free(r);
}

/* whether the message that ends the run has been told */
static bool has_ended(const run *r) {
  const truth_options *const o = r->options;
  size_t told = 0;
  for (size_t e = 0; o->until && e < r->end->count && e < HYBRID_LOG; e++) {
    const hybrid_record *const m = &r->end->record[e];
    const size_t teller = m->guard + (m->message == HYBRID_EVENT ? r->m : 0);
    told += (o->stops >> m->message & 1) && (!o->at || o->at == teller + 1);
  }
  return o->until && told >= o->until;
}

/* from this initial state, with these parameters */
static truth_end run_from(hybrid *h, const truth_options *options, const long double x[],
                          const long double parameter[]) {
  truth_end end = {.nearest = 1.0, .slowest = INFINITY};
  run *const r = truth_room(1, sizeof *r);
  r->h = h;
  r->options = options;
  r->end = &end;
  allot(r);
  r->t = hybrid_start(h, NULL);
  r->t1 = options->t1 != 0.0 ? options->t1 : hybrid_end_time(h);
  r->span = r->t1 - r->t;
  r->direction = r->span < 0.0L ? -1 : 1;
  memcpy(r->x, x, r->n * sizeof *x);
  for (size_t p = 0; p < h->parameters; p++) r->parameters[p][0] = parameter[p];
  if (options->time_count) end.states = truth_room(options->time_count * r->n, sizeof *end.states);
  r->begins = true;
  start(r);
  r->begins = false;
  if (!end.status) sample(r, 0.0L, true);
  while (!end.status && r->t != r->t1 && !has_ended(r)) {
    if (end.steps >= STEPS_MOST) truth_fail(r, TRUTH_DIVERGED, "too many steps");
    if (!end.status) advance(r);
    if (!end.status) sample(r, 0.0L, true);
  }
  if (!end.status && options->margin >= 0.0 && end.nearest < fmax(options->margin, 1e-15))
    truth_fail(r, TRUTH_UNDECIDED, "another event is nearer than the margin");
  end.t = (double)r->t;
  for (size_t i = 0; i < r->n; i++) end.x[i] = (double)(end.exact[i] = r->x[i]);
  end.exact[r->n] = r->t;
  memcpy(end.crossings, r->crossings, r->m * sizeof *r->crossings);
  for (size_t k = 0; k < r->m; k++) end.sign[k] = r->now.held[k] == SLIDES ? -1.0 : r->now.sign[k];
  release(r);
  return end;
}

truth_end truth_run(hybrid *h, const truth_options *options) {
  hybrid_read(h);
  long double x[HYBRID_STATES], *const parameter = truth_room(h->parameters, sizeof *parameter);
  double first[HYBRID_STATES];
  hybrid_start(h, first);
  for (size_t i = 0; i < h->n; i++) x[i] = options->x0 ? options->x0[i] : first[i];
  for (size_t p = 0; p < h->parameters; p++) parameter[p] = h->parameter[p];
  const truth_end end = run_from(h, options, x, parameter);
  free(parameter);
  return end;
}

/* whether two runs have the same events */
static bool are_alike(const truth_end *a, const truth_end *b) {
  bool alike = a->count == b->count;
  for (size_t e = 0; alike && e < a->count && e < HYBRID_LOG; e++)
    alike =
        a->record[e].message == b->record[e].message && a->record[e].guard == b->record[e].guard;
  return alike;
}

truth_status truth_tangent(hybrid *h, const truth_options *options, double D[]) {
  /* places in steps, and weights, of the derivative at 0 by a polynomial through four places */
  static const long double central[2][4] = {
      {-2.0L, -1.0L, 1.0L, 2.0L}, {1.0L / 12.0L, -2.0L / 3.0L, 2.0L / 3.0L, -1.0L / 12.0L}};
  static const long double ahead[2][4] = {{1.0L, 2.0L, 3.0L, 4.0L},
                                          {-13.0L / 3.0L, 9.5L, -7.0L, 11.0L / 6.0L}};
  const long double(*const by)[4] = options->count ? ahead : central;
  truth_options plain = *options;
  plain.time_count = 0;
  hybrid_read(h);
  const size_t n = h->n, width = n + (options->by_states ? 0 : h->parameters);
  const size_t columns = options->count ? options->count : width;
  const size_t rows = n + (options->until != 0);
  const long double relative = 1e-5L; /* the step, times 1 + |value| */
  long double *const from = truth_room(n + h->parameters, sizeof *from);
  long double *const start = truth_room(n + h->parameters, sizeof *from);
  long double *const sum = truth_room(rows, sizeof *sum);
  truth_status status = TRUTH_SUCCESS;
  double first[HYBRID_STATES];
  hybrid_start(h, first);
  for (size_t i = 0; i < n; i++) start[i] = first[i];
  for (size_t p = 0; p < h->parameters; p++) start[n + p] = h->parameter[p];
  truth_end like = {0};
  if (!options->count) {
    like = truth_run(h, &plain);
    status = like.status;
  }
  for (size_t c = 0; !status && c < columns; c++) {
    long double step = INFINITY;
    for (size_t j = 0; j < width; j++) {
      const double along = options->count ? options->along[j * columns + c] : j == c;
      if (along != 0.0) step = fminl(step, relative * (1.0L + fabsl(start[j])) / fabsl(along));
    }
    memset(sum, 0, rows * sizeof *sum);
    for (size_t a = 0; !status && a < 4 && step < INFINITY; a++) {
      memcpy(from, start, (n + h->parameters) * sizeof *from);
      for (size_t j = 0; j < width; j++)
        from[j] += by[0][a] * step * (options->count ? options->along[j * columns + c] : j == c);
      const truth_end end = run_from(h, &plain, from, from + n);
      if (options->count && a == 0) like = end;
      status = end.status;
      if (!status && !are_alike(&end, &like)) status = TRUTH_UNDECIDED;
      for (size_t i = 0; i < rows; i++) sum[i] += by[1][a] * end.exact[i];
    }
    for (size_t i = 0; i < rows; i++) D[i * columns + c] = (double)(sum[i] / step);
  }
  free(from);
  free(start);
  free(sum);
  return status;
}

/* ---- moved systems --------------------------------------------------------------------------- */

double truth_error(const hybrid *h, const truth_options *options, const truth_end *truth,
                   const double x[], const double samples[], const double unit[]) {
  const bool is_sampled = options->time_count > 0;
  const double *const is = is_sampled ? samples : x;
  const double *const was = is_sampled ? truth->states : truth->x;
  double worst = 0.0;
  for (size_t i = 0; i < h->n * (is_sampled ? options->time_count : 1); i++) {
    const double error = fabs(is[i] - was[i]) / (unit[i % h->n] * (1.0 + fabs(was[i])));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/* The states that an event function which is zero at the start depends on, and of an impact those
 * that its rate depends on; and these event functions. */
static void find_fixed(hybrid *h, double zero, bool is_fixed[], bool is_zero[]) {
  const size_t n = h->n, m = h->m;
  const ess_system s = hybrid_system(h, HYBRID_GIVES_ALL & ~(1u << HYBRID_TIME_RATES));
  double x[HYBRID_STATES], value[HYBRID_EVENTS], sign[HYBRID_EVENTS];
  double *const Dh = truth_room(m * n, sizeof *Dh), *const Df = truth_room(n * n, sizeof *Df);
  const double t = hybrid_start(h, x);
  for (size_t k = 0; k < m; k++) sign[k] = 1.0;
  if (m) s.event_functions(t, x, value, s.params);
  if (m) s.event_jacobian(t, x, Dh, s.params);
  s.field_jacobian(t, x, sign, Df, s.params);
  for (size_t k = 0; k < m; k++) {
    is_zero[k] = fabs(value[k]) <= zero;
    const bool is_impact =
        h->impact[ESS_GUARD_UP(k)].is_impact || h->impact[ESS_GUARD_DOWN(k)].is_impact;
    for (size_t i = 0; i < n && is_zero[k]; i++) {
      if (Dh[k * n + i] == 0.0) continue;
      is_fixed[i] = true;
      for (size_t j = 0; j < n && is_impact; j++) is_fixed[j] |= Df[i * n + j] != 0.0;
    }
  }
  free(Dh);
  free(Df);
}

/* whether two runs end in the same mode, after as many crossings and slides; impacts before a rest
 * cannot be counted */
static bool have_same_events(const hybrid *h, const truth_options *options, const truth_end *a,
                             const truth_end *b) {
  size_t slides[2] = {0};
  for (size_t e = 0; e < HYBRID_LOG; e++) {
    slides[0] += e < a->count && a->record[e].message == HYBRID_SLIDE;
    slides[1] += e < b->count && b->record[e].message == HYBRID_SLIDE;
  }
  bool alike = slides[0] == slides[1];
  for (size_t k = 0; k < h->m; k++) {
    const bool is_impact =
        h->impact[ESS_GUARD_UP(k)].is_impact || h->impact[ESS_GUARD_DOWN(k)].is_impact;
    alike = alike && a->sign[k] == b->sign[k];
    alike = alike && (a->crossings[k] == b->crossings[k] || (is_impact && options->rest));
  }
  return alike;
}

bool truth_is_clear(hybrid *h, const truth_options *options, const truth_end *truth,
                    const double unit[], double *spread) {
  uint64_t sequence = 1;
  double first[HYBRID_STATES], x0[HYBRID_STATES], lift[HYBRID_EVENTS];
  bool is_fixed[HYBRID_STATES] = {false}, is_zero[HYBRID_EVENTS] = {false}, is_clear = true;
  hybrid_read(h);
  const size_t n = h->n, m = h->m, P = h->parameters;
  double *const parameter = truth_room(P, sizeof *parameter);
  double *const Dh = truth_room(m * n, sizeof *Dh), tolerance = unit[0];
  if (P) memcpy(parameter, h->parameter, P * sizeof *parameter);
  for (size_t i = 1; i < n; i++) tolerance = fmin(tolerance, unit[i]);
  find_fixed(h, options->is_rounded ? 1e-12 : 0.0, is_fixed, is_zero);
  const ess_system s = hybrid_system(h, HYBRID_GIVES_ALL & ~(1u << HYBRID_TIME_RATES));
  if (m) s.event_jacobian(truth->t, truth->x, Dh, s.params);
  truth_options moved = *options;
  moved.x0 = x0;
  moved.lift = lift;
  *spread = 0.0;
  for (int move = 0; move < TRUTH_MOVES && *spread < INFINITY; move++) {
    for (size_t p = 0; p < P; p++)
      h->parameter[p] *= 1.0 + tolerance * TRUTH_MOVED * draw_apart(&sequence, -1.0, 1.0);
    hybrid_start(h, first);
    for (size_t i = 0; i < n; i++) {
      const double by = draw_apart(&sequence, -1.0, 1.0), size = unit[i] * (1.0 + fabs(first[i]));
      x0[i] = first[i] + (is_fixed[i] ? 0.0 : size * TRUTH_MOVED * by);
    }
    for (size_t k = 0; k < m; k++) {
      double size = 0.0;
      for (size_t i = 0; i < n; i++)
        size += fabs(Dh[k * n + i]) * unit[i] * (1.0 + fabs(truth->x[i]));
      const double by = draw_apart(&sequence, -1.0, 1.0);
      lift[k] = is_zero[k] ? 0.0 : size * TRUTH_MOVED * by;
    }
    const truth_end end = truth_run(h, &moved);
    if (end.status)
      *spread = INFINITY;
    else
      *spread = fmax(*spread, truth_error(h, options, truth, end.x, end.states, unit));
    is_clear =
        is_clear && !end.status && end.nearest >= 0.0 && have_same_events(h, options, &end, truth);
    free(end.states);
    if (P) memcpy(h->parameter, parameter, P * sizeof *parameter);
  }
  free(parameter);
  free(Dh);
  return is_clear && *spread < TRUTH_GROWTH * TRUTH_MOVED;
}
