/*
 * Fuzz target of libess's driver: bytes become a random system, random options and a random
 * sequence of apply, sample and reset; every contract of ess.h that can be checked from outside is
 * checked. Built with libFuzzer (coverage-guided) and, on random bytes, with fuzz_main.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fuzz_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* one run of the case, as it stands */
typedef struct fuzz_run {
  const fuzz_case *input;
  fuzz_calls *calls;
  ess_driver *driver;
  ess_system system;
  ess_observer observer;
  const ess_options *options; /* in force */
  double t, t1;               /* last time seen at a step's end, end of this apply */
  double x[FUZZ_STATES];      /* last state seen there */
  double crossing_t, crossing_x[FUZZ_STATES]; /* the same of the last crossing, and whether there */
  bool crossed;                               /* was one after that step's end */
  bool sampled, observed;    /* whether this run samples, and observes what does not stop it */
  uint64_t crossings_before; /* this apply */
  uint64_t steps, crossings; /* calls of the observers */
  double sign[FUZZ_GUARDS];  /* as last seen, if `sign_known` */
  bool sign_known;
  double times[ROWS], samples[ROWS * FUZZ_STATES];
  size_t row_count, row; /* rows asked for, and the first not yet looked at */
  double progress_time;
  size_t stalled; /* crossings since then, in no time */
} fuzz_run;

/* what a run came to, to be compared bit by bit */
typedef struct outcome {
  int status[COMMANDS];
  double t, x[FUZZ_STATES], sign[FUZZ_GUARDS];
  ess_counters counters[COMMANDS];
  ess_failure failure[COMMANDS];
  uint64_t calls, told, samples; /* hashes */
} outcome;

/* ---- what observers are told ----------------------------------------------------------------- */

static bool all_finite(const double v[], size_t count) {
  bool finite = true;
  for (size_t i = 0; i < count; i++) finite = finite && isfinite(v[i]);
  return finite;
}

/* whether the guards are mirrored pairs, all of them armed always */
static bool mirrored(const fuzz_case *c) {
  return !c->model.has_resets && !c->model.one_way;
}

/* what rows of samples hold before they are written */
static const double UNTOUCHED = 12345.678;

static bool untouched(const double row[], size_t count) {
  bool held = true;
  for (size_t i = 0; i < count; i++) held = held && row[i] == UNTOUCHED;
  return held;
}

/* what the method by one tolerance may be off by in state i */
static double tolerance(const fuzz_run *r, size_t i, const double x[]) {
  const ess_options *const o = r->options;
  return (o->atols ? o->atols[i] : o->atol) + (o->rtols ? o->rtols[i] : o->rtol) * fabs(x[i]);
}

/* by how much event function k may be past its zero: a projection ends on it, the method by one
 * tolerance is off by that in the state, in the norm of all */
static double may_pass(const fuzz_run *r, size_t k, const double x[]) {
  const ess_options *const o = r->options;
  const size_t n = r->input->model.dimension;
  const fuzz_guard *const g = &r->input->model.guard[k];
  if (o->method == ESS_METHOD_PAPER)
    return 1e-6 * (o->guard_epsilons ? o->guard_epsilons[k] : o->epsilon);
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += fabs(g->scale * g->normal[i]) * tolerance(r, i, x);
  return 10.0 * sum;
}

/* guard k, if it is affine in the state, must lie on the side its sign says,
 * as far as rounding and the resolution of time allow: no crossing is ever missed */
static void require_side(const fuzz_run *r, size_t k, double t, const double x[], double late) {
  const fuzz_model *const model = &r->input->model;
  const fuzz_guard *const g = &model->guard[k];
  if ((g->shape != FUZZ_AFFINE && g->shape != FUZZ_COORDINATE) || g->rate_factor != 1.0) return;
  double s = g->offset;
  for (size_t i = 0; i < model->dimension; i++)
    if (g->normal[i] != 0.0) s += g->normal[i] * x[i];
  const double allowed = may_pass(r, k, x) + 1e-11 * r->calls->largest[k] +
                         (late + 1e-12 * (fabs(t) + DBL_MIN)) * r->calls->fastest[k];
  const double beyond = -ess_driver_sign(r->driver)[k] * g->scale * s;
  FUZZ_REQUIRE(!(beyond > allowed), "guard %zu is %g past its zero, %g allowed, t = %.17g", k,
               beyond, allowed, t);
}

/* at the end of a step, and at the samples within an integration step: there the mode is one */
static void require_sides(fuzz_run *r, const ess_step_info *info) {
  const fuzz_model *const model = &r->input->model;
  const bool by_paper = r->options->method == ESS_METHOD_PAPER;
  // order 2 goes past a guard by what it is wrong in time
  if (model->fault_count || (by_paper && r->options->order != 1) || !mirrored(r->input)) return;
  const double late = by_paper ? 0.0 : 0.25 * (info->t1 - info->t0);
  for (size_t k = 0; k < model->guard_count; k++) require_side(r, k, info->t1, info->x, late);
  if (!by_paper) return;
  for (; r->row < r->row_count && r->times[r->row] <= info->t1; r->row++) {
    const double *const x = r->samples + r->row * model->dimension;
    if (untouched(x, model->dimension)) return;
    for (size_t k = 0; !info->projection && k < model->guard_count; k++)
      require_side(r, k, r->times[r->row], x, 0.0);
  }
}

/* whether what a polynomial within a step adds up, multiples of dt f, may overflow */
static bool may_overflow(const fuzz_run *r, double t0) {
  const double longest = fmin(r->t1 - t0, r->options->h_max);
  return !(1e3 * r->calls->swiftest * longest <= DBL_MAX);
}

/* beyond this, differences of what a step adds up mean nothing */
static const double HUGE_RATE = 1e100;

/* the state afterwards: at the step's end the end itself, at its beginning what the step before
 * ended with, near either nearly that */
static void require_dense(fuzz_run *r, const ess_step_info *info) {
  const size_t n = r->input->model.dimension;
  const bool by_paper = r->options->method == ESS_METHOD_PAPER; // else crossings correct the node
  const double t0 = info->t0, t1 = info->t1, longest = fmin(r->t1 - t0, r->options->h_max);
  double at_end[FUZZ_STATES], near_end[FUZZ_STATES], at_start[FUZZ_STATES];
  FUZZ_REQUIRE(ess_driver_step_start(r->driver) == t0, "step from %.17g, starts at %.17g", t0,
               ess_driver_step_start(r->driver));
  FUZZ_REQUIRE(!ess_driver_dense(r->driver, t1, at_end), "dense at t1 %.17g", t1);
  FUZZ_REQUIRE(!memcmp(at_end, info->x, n * sizeof *at_end), "dense at t1 %.17g", t1);
  if (t1 == t0 || may_overflow(r, t0) || r->calls->swiftest > HUGE_RATE) return;
  const double before = nextafter(t1, t0);
  FUZZ_REQUIRE(!ess_driver_dense(r->driver, t0, at_start), "dense at t0 %.17g", t0);
  FUZZ_REQUIRE(!ess_driver_dense(r->driver, before, near_end), "dense at %.17g", before);
  for (size_t i = 0; i < n; i++) {
    const double rounding = r->calls->swiftest * (10.0 * (t1 - before) + 1e-11 * longest) +
                            1e-11 * (fabs(info->x[i]) + fabs(r->x[i]));
    const double tol = 10.0 * sqrt((double)n) * tolerance(r, i, info->x);
    FUZZ_REQUIRE(!(fabs(info->x[i]) < HUGE_RATE) ||
                     fabs(near_end[i] - info->x[i]) <= rounding + 1e-3 * tol,
                 "x[%zu] leaps from %.17g to %.17g at t1 = %.17g", i, near_end[i], info->x[i], t1);
    FUZZ_REQUIRE(fabs(at_start[i] - r->x[i]) <= rounding + (by_paper ? 0.0 : tol),
                 "x[%zu] leaps from %.17g to %.17g at t0 = %.17g", i, r->x[i], at_start[i], t0);
  }
}

static int on_step(const ess_step_info *info, void *context) {
  fuzz_run *const r = context;
  const size_t n = r->input->model.dimension;
  r->steps++;
  if (r->input->observe_steps) {
    FUZZ_REQUIRE(info->t0 == r->t, "step from %.17g, last time %.17g", info->t0, r->t);
    FUZZ_REQUIRE(info->t1 >= info->t0, "step from %.17g back to %.17g", info->t0, info->t1);
    FUZZ_REQUIRE(info->t1 <= r->t1, "step to %.17g, past %.17g", info->t1, r->t1);
    FUZZ_REQUIRE(all_finite(info->x, n), "state not finite at t = %g", info->t1);
    require_sides(r, info);
    if (r->observed) require_dense(r, info);
    FUZZ_REQUIRE(info->t1 >= r->crossing_t, "step to %.17g, crossing told at %.17g", info->t1,
                 r->crossing_t);
  }
  r->t = info->t1;
  r->crossed = false;
  memcpy(r->x, info->x, n * sizeof *r->x);
  return r->steps == r->input->stop_step;
}

/* whether crossing event function k this way may latch its sign back: its row names it */
static bool names_itself(const fuzz_model *model, size_t k, int direction) {
  const ess_reset_matrix *const m = &model->resets.matrix;
  const size_t row = direction > 0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
  bool named = false;
  if (!model->has_resets) return false;
  for (size_t i = m->row_start[row]; i < m->row_start[row + 1]; i++)
    named = named || m->guard[i] == row;
  return named;
}

static int on_crossing(const ess_crossing_info *info, void *context) {
  fuzz_run *const r = context;
  const fuzz_model *const model = &r->input->model;
  r->crossings++;
  FUZZ_REQUIRE(info->guard < model->guard_count, "guard %zu", info->guard);
  if (info->t - r->progress_time > 64.0 * DBL_EPSILON * fabs(info->t)) {
    r->progress_time = info->t;
    r->stalled = 0;
  }
  // by one tolerance, those of steps through crossings come on top
  const size_t most =
      (r->options->method == ESS_METHOD_PAPER ? 1 : 8) * (2 * model->guard_count + 17);
  FUZZ_REQUIRE(++r->stalled <= most, "%zu crossings at once", r->stalled);
  FUZZ_REQUIRE(fuzz_signs_exact(info->sign, model->guard_count), "guard %zu", info->guard);
  FUZZ_REQUIRE(info->direction == (info->sign[info->guard] > 0.0 ? 1 : -1) ||
                   names_itself(model, info->guard, info->direction),
               "%d", info->direction);
  FUZZ_REQUIRE(!model->one_way || info->direction == 1, "one-way guard %zu", info->guard);
  FUZZ_REQUIRE(info->t >= r->t && info->t <= r->t1, "crossing at %.17g", info->t);
  FUZZ_REQUIRE(info->t >= r->crossing_t, "crossing at %.17g after one at %.17g", info->t,
               r->crossing_t);
  FUZZ_REQUIRE(all_finite(info->x, model->dimension), "crossing at %g", info->t);
  // where crossings arm their mirror images alone, no other sign changes
  for (size_t k = 0; r->sign_known && mirrored(r->input) && k < model->guard_count; k++)
    FUZZ_REQUIRE(info->sign[k] == (k == info->guard ? -r->sign[k] : r->sign[k]),
                 "sign %zu at the crossing of %zu", k, info->guard);
  memcpy(r->sign, info->sign, model->guard_count * sizeof *r->sign);
  r->sign_known = r->crossed = true;
  r->crossing_t = info->t;
  memcpy(r->crossing_x, info->x, model->dimension * sizeof *r->crossing_x);
  return r->crossings == r->input->stop_crossing;
}

/* ---- the contracts of one call --------------------------------------------------------------- */

/* more calls than this for each try of a step and each crossing are an endless loop */
static uint64_t work_limit(const fuzz_run *r) {
  const uint64_t probes = 100 * (r->input->model.guard_count + 1);
  return (r->options->max_steps + 4) * (16 + probes) + 32 * (r->options->max_crossings + 4);
}

static bool never_less(const ess_counters *a, const ess_counters *b) {
  return a->steps <= b->steps && a->rejected <= b->rejected && a->entries <= b->entries &&
         a->projections <= b->projections && a->crossings <= b->crossings &&
         a->silent <= b->silent && a->through <= b->through &&
         a->some_evaluations <= b->some_evaluations &&
         a->field_evaluations <= b->field_evaluations &&
         a->guard_evaluations <= b->guard_evaluations &&
         a->jacobian_evaluations <= b->jacobian_evaluations;
}

/* counters say what was called, and no limit is exceeded */
static void require_counters(const fuzz_run *r, const ess_counters *before,
                             const uint64_t calls_before[FUZZ_CALLBACKS]) {
  const ess_counters *const now = ess_driver_counters(r->driver);
  const ess_options *const o = r->options;
  uint64_t called[FUZZ_CALLBACKS];
  for (int i = 0; i < FUZZ_CALLBACKS; i++) called[i] = r->calls->count[i] - calls_before[i];
  FUZZ_REQUIRE(never_less(before, now), "a counter went down");
  FUZZ_REQUIRE(now->field_evaluations - before->field_evaluations == called[FUZZ_FIELD], "%llu",
               (unsigned long long)called[FUZZ_FIELD]);
  FUZZ_REQUIRE(now->guard_evaluations - before->guard_evaluations ==
                   called[FUZZ_EVENTS] + called[FUZZ_RATES],
               "%llu", (unsigned long long)called[FUZZ_EVENTS]);
  FUZZ_REQUIRE(now->jacobian_evaluations - before->jacobian_evaluations == called[FUZZ_JACOBIAN],
               "%llu", (unsigned long long)called[FUZZ_JACOBIAN]);
  FUZZ_REQUIRE(now->steps - before->steps <= o->max_steps, "too many steps");
  const bool by_paper = o->method == ESS_METHOD_PAPER;
  FUZZ_REQUIRE(!by_paper || now->through == before->through, "through");
  FUZZ_REQUIRE(by_paper || now->projections == before->projections, "projections");
  FUZZ_REQUIRE(now->some_evaluations - before->some_evaluations == called[FUZZ_SOME_RATES], "%llu",
               (unsigned long long)called[FUZZ_SOME_RATES]);
  const uint64_t crossings = now->crossings - before->crossings;
  FUZZ_REQUIRE(crossings + now->silent - before->silent <= o->max_crossings, "too many crossings");
  if (r->observed && r->input->observe_crossings && !ess_driver_failure(r->driver)->status)
    FUZZ_REQUIRE(r->crossings - r->crossings_before == crossings, "%llu of %llu crossings observed",
                 (unsigned long long)(r->crossings - r->crossings_before),
                 (unsigned long long)crossings);
}

/* where and why it failed makes sense */
static void require_failure(const fuzz_run *r, int status, double t0) {
  const ess_failure *const f = ess_driver_failure(r->driver);
  const size_t m = r->input->model.guard_count;
  FUZZ_REQUIRE((int)f->status == status, "status %d, failure %d", status, f->status);
  FUZZ_REQUIRE(f->time >= t0 && f->time <= r->t1, "failed at %.17g", f->time);
  FUZZ_REQUIRE(f->guard < m || f->guard == SIZE_MAX, "failed at guard %zu", f->guard);
  FUZZ_REQUIRE(f->other_guard < m || f->other_guard == SIZE_MAX, "guard %zu", f->other_guard);
  const bool names_guard = status == ESS_EGUARD || status == ESS_ELIVENESS ||
                           status == ESS_ECHATTER || status == ESS_ESLIDING ||
                           status == ESS_EJACOBIAN || status == ESS_EMAXCROSSINGS;
  if (names_guard) FUZZ_REQUIRE(f->guard < m, "%s without a guard", ess_strerror(status));
  FUZZ_REQUIRE((status == ESS_ECHATTER) == (f->other_guard < m), "%s", ess_strerror(status));
  FUZZ_REQUIRE(f->callback_code == (status == ESS_ECALLBACK ? r->calls->code : 0), "code %d",
               f->callback_code);
  FUZZ_REQUIRE(status != ESS_ECALLBACK || r->calls->code, "no callback failed");
}

/* what a crossing made at the start, where its guard was passed, may correct in state i */
static double may_start_off(const fuzz_run *r, size_t i, const double x0[]) {
  const double n = (double)r->input->model.dimension;
  return r->options->method == ESS_METHOD_PAPER ? 0.0 : 10.0 * sqrt(n) * tolerance(r, i, x0);
}

/* rows up to the time reached are written and finite, those after it hold what they held; either
 * goes within a few roundings of time */
static void require_samples(const fuzz_run *r, bool success, double t0, const double x0[]) {
  const size_t n = r->input->model.dimension;
  const double slack = 4.0 * DBL_EPSILON * fmax(fabs(t0), fabs(r->t));
  // within a step the dense output adds up multiples of dt f, however large
  const bool overflows = may_overflow(r, t0);
  for (size_t i = 0; i < r->row_count; i++) {
    const double *const row = r->samples + i * n;
    const bool held = untouched(row, n);
    if (success || r->times[i] < r->t - slack)
      FUZZ_REQUIRE((all_finite(row, n) || overflows) && !held, "row %zu, t = %.17g", i,
                   r->times[i]);
    else if (r->times[i] > r->t + slack)
      FUZZ_REQUIRE(held, "row %zu, t = %.17g was not reached", i, r->times[i]);
    for (size_t j = 0; r->times[i] == t0 && !held && !overflows && j < n; j++)
      FUZZ_REQUIRE(fabs(row[j] - x0[j]) <= may_start_off(r, j, x0),
                   "row %zu, the start, is off by %g", i, row[j] - x0[j]);
  }
}

/* signs are those last told of; where the run was stopped time and state are those told then, and
 * else no earlier */
static void require_node(const fuzz_run *r, int status, double t, const double x[]) {
  const fuzz_case *const c = r->input;
  const size_t n = c->model.dimension, m = c->model.guard_count;
  const bool crossings_seen = (r->observed && c->observe_crossings) || c->stop_crossing;
  const bool steps_seen = r->observed && c->observe_steps;
  if (status == ESS_EINVAL) return;
  if (r->sign_known && mirrored(c) && crossings_seen)
    FUZZ_REQUIRE(!memcmp(r->sign, ess_driver_sign(r->driver), m * sizeof *r->sign), "signs, %s",
                 ess_strerror(status));
  if (r->crossed) FUZZ_REQUIRE(t >= r->crossing_t, "ends at %.17g, %.17g", t, r->crossing_t);
  if (steps_seen) FUZZ_REQUIRE(t >= r->t, "ends at %.17g, told of %.17g", t, r->t);
  const bool at_crossing = status == ESS_ESTOP && r->crossings == c->stop_crossing && r->crossed;
  if (at_crossing)
    FUZZ_REQUIRE(t == r->crossing_t && !memcmp(x, r->crossing_x, n * sizeof *x),
                 "stopped at %.17g, told of %.17g", t, r->crossing_t);
  if (steps_seen && crossings_seen && !r->crossed && status != ESS_EMAXCROSSINGS &&
      status != ESS_ECALLBACK && mirrored(c))
    FUZZ_REQUIRE(t == r->t && !memcmp(x, r->x, n * sizeof *x), "ends at %.17g, told of %.17g, %s",
                 t, r->t, ess_strerror(status));
}

/* at the end no guard is left passed */
static void require_sides_after(const fuzz_run *r, int status, double t, const double x[]) {
  const fuzz_case *const c = r->input;
  const bool known = r->options->method == ESS_METHOD_TOLERANCE && mirrored(c);
  if (status || !known || c->model.fault_count) return;
  for (size_t k = 0; k < c->model.guard_count; k++) require_side(r, k, t, x, 0.0);
}

static void require_after(const fuzz_run *r, int status, double t, double t0, const double x[],
                          const double x0[]) {
  const size_t n = r->input->model.dimension, m = r->input->model.guard_count;
  FUZZ_REQUIRE(status >= 0 && status < ESS_STATUS_COUNT, "status %d", status);
  const bool usable = all_finite(x0, n);
  // a guard that is not armed is nobody's business
  const bool *const lost_at = r->calls->lost;
  const bool guards_lost = lost_at[FUZZ_EVENTS] || lost_at[FUZZ_JACOBIAN] || lost_at[FUZZ_RATES] ||
                           lost_at[FUZZ_SOME_RATES];
  const bool lost = lost_at[FUZZ_FIELD] || (mirrored(r->input) && guards_lost);
  FUZZ_REQUIRE(status != ESS_SUCCESS || !lost, "what is not finite went unseen");
  FUZZ_REQUIRE(status != (usable ? ESS_EINVAL : ESS_SUCCESS), "status %d", status);
  FUZZ_REQUIRE(status != ESS_ENOMEM, "status %d", status);
  FUZZ_REQUIRE(t >= t0 && t <= r->t1, "from %.17g to %.17g, asked %.17g", t0, t, r->t1);
  if (status == ESS_SUCCESS) FUZZ_REQUIRE(t == r->t1, "ended at %.17g, not %.17g", t, r->t1);
  if (usable) FUZZ_REQUIRE(all_finite(x, n), "state not finite, %s", ess_strerror(status));
  if (status == ESS_SUCCESS)
    FUZZ_REQUIRE(fuzz_signs_exact(ess_driver_sign(r->driver), m), "after success");
  for (size_t i = 0; r->t1 == t0 && usable && i < n; i++)
    FUZZ_REQUIRE(fabs(x[i] - x0[i]) <= may_start_off(r, i, x0), "no time passed, state %zu changed",
                 i);
  require_node(r, status, t, x);
  require_sides_after(r, status, t, x);
  // the observer saw the last state there was to see
  if (r->observed && r->input->observe_steps && status == ESS_SUCCESS && !r->crossed)
    FUZZ_REQUIRE(!memcmp(r->x, x, n * sizeof *x), "not the state last observed");
}

/* ---- running a case -------------------------------------------------------------------------- */

/* apply or sample, with every contract around it */
static int run_to(fuzz_run *r, ess_driver *d, const command *c, double *t, double x[],
                  uint64_t *samples) {
  const size_t n = r->input->model.dimension;
  const double t0 = *t;
  double x0[FUZZ_STATES];
  const ess_counters before = *ess_driver_counters(d);
  uint64_t calls_before[FUZZ_CALLBACKS], total = 0;
  memcpy(x0, x, n * sizeof *x);
  memcpy(r->x, x, n * sizeof *x);
  memcpy(calls_before, r->calls->count, sizeof calls_before);
  for (int i = 0; i < FUZZ_CALLBACKS; i++) total += calls_before[i];
  r->t = r->crossing_t = t0;
  r->crossed = false;
  r->t1 = t0 + c->duration;
  r->calls->limit = total + work_limit(r);
  memset(r->calls->lost, 0, sizeof r->calls->lost);
  r->calls->time_limit = r->t1 + 4.0 * DBL_EPSILON * fabs(r->t1);

  const size_t count = r->sampled && c->action == SAMPLE ? c->count : 0;
  for (size_t i = 0; i < count; i++) r->times[i] = fmin(t0 + c->place[i] * c->duration, r->t1);
  for (size_t i = 0; i < count * n; i++) r->samples[i] = UNTOUCHED;
  r->crossings_before = r->crossings;
  r->row_count = count;
  r->row = r->stalled = 0;
  r->progress_time = t0;
  const int status = count ? ess_driver_sample(d, t, r->t1, x, r->times, count, r->samples)
                           : ess_driver_apply(d, t, r->t1, x);
  require_after(r, status, *t, t0, x, x0);
  r->t = *t;
  require_failure(r, status, t0);
  require_counters(r, &before, calls_before);
  require_samples(r, status == ESS_SUCCESS, t0, x0);
  *samples = fuzz_hash(*samples, r->samples, count * n * sizeof *r->samples);
  return status;
}

/* what is not accepted leaves those in force */
static void change_options(fuzz_run *r, ess_driver *d, const command *c) {
  ess_options options = r->input->options[c->mistake % 2];
  options.observer = r->observer;
  const bool accepted = !ess_check(&r->system, &options);
  const int status = ess_driver_set_options(d, &options);
  FUZZ_REQUIRE(status == (accepted ? ESS_SUCCESS : ESS_EINVAL), "change, status %d", status);
  if (accepted) r->options = &r->input->options[c->mistake % 2];
}

/* what is not accepted is refused and changes nothing */
static int run_refused(fuzz_run *r, ess_driver *d, const command *c, double *t, double x[]) {
  const size_t n = r->input->model.dimension;
  const double before = *t, end = before + 1.0, t1[] = {NAN, INFINITY, -INFINITY};
  const double grids[][2] = {{end, before}, {NAN, end}, {before, NAN}, {before, INFINITY}};
  const uint64_t hash = r->calls->hash;
  const ess_counters counters = *ess_driver_counters(d);
  double x0[FUZZ_STATES], rows[2 * FUZZ_STATES];
  memcpy(x0, x, n * sizeof *x);
  int status;
  if (c->mistake % 2 || end == before)
    status = ess_driver_apply(d, t, t1[c->mistake / 2 % 3], x);
  else
    status = ess_driver_sample(d, t, end, x, grids[c->mistake / 2 % 4], 2, rows);
  FUZZ_REQUIRE(status == ESS_EINVAL, "mistake %d, status %d", c->mistake, status);
  FUZZ_REQUIRE(ess_driver_failure(d)->status == ESS_EINVAL, "mistake %d", c->mistake);
  FUZZ_REQUIRE(*t == before && !memcmp(x, x0, n * sizeof *x), "mistake %d", c->mistake);
  FUZZ_REQUIRE(hash == r->calls->hash, "mistake %d", c->mistake);
  FUZZ_REQUIRE(never_less(&counters, ess_driver_counters(d)) &&
                   never_less(ess_driver_counters(d), &counters),
               "mistake %d", c->mistake);
  return status;
}

/* the whole case on one driver, which may have run before */
static void run_case(fuzz_run *r, ess_driver *d, outcome *out) {
  const fuzz_case *const c = r->input;
  const size_t n = c->model.dimension, m = c->model.guard_count;
  *out = (outcome){0};
  fuzz_calls_start(r->calls, &c->model);
  r->driver = d;
  r->options = &c->options[0];
  r->steps = r->crossings = 0;
  r->sign_known = false;
  double t = c->t0, x[FUZZ_STATES];
  memcpy(x, c->x0, sizeof x);
  for (size_t i = 0; i < c->command_count; i++) {
    const command *const todo = &c->command[i];
    if (todo->action == RESET) {
      ess_driver_reset(d);
      r->sign_known = false;
      FUZZ_REQUIRE(never_less(ess_driver_counters(d), &(ess_counters){0}), "after reset");
    } else if (todo->action == CHANGE) {
      change_options(r, d, todo);
    } else if (todo->action == REFUSED) {
      out->status[i] = run_refused(r, d, todo, &t, x);
    } else if (isfinite(t + todo->duration)) {
      out->status[i] = run_to(r, d, todo, &t, x, &out->samples);
    }
    out->counters[i] = *ess_driver_counters(d);
    out->failure[i] = *ess_driver_failure(d);
  }
  out->t = t;
  memcpy(out->x, x, n * sizeof *x);
  memcpy(out->sign, ess_driver_sign(d), m * sizeof *out->sign);
  out->calls = r->calls->hash;
  out->told = r->calls->told;
}

/* whether mode_changed may fail: a model that is observed is told of modes again, in turn */
static bool fails_at_modes(const fuzz_model *model) {
  bool fails = false;
  for (size_t i = 0; i < model->fault_count; i++)
    fails = fails || model->fault[i].callback == FUZZ_MODE;
  return fails;
}

/* a driver for the case, in a run that samples and observes or in one that does neither; what
 * stops the run is observed in both */
static ess_driver *start(const fuzz_case *c, bool full, fuzz_run *r, fuzz_calls *calls) {
  *r = (fuzz_run){.input = c, .calls = calls, .sampled = full, .observed = full};
  fuzz_calls_start(calls, &c->model);
  ess_system system = fuzz_system(&c->model, calls);
  fuzz_system_damage(&system, c->damage);
  ess_options options = c->options[0];
  options.observer.context = r;
  if ((full && c->observe_steps) || c->stop_step) options.observer.step = on_step;
  if ((full && c->observe_crossings) || c->stop_crossing || fails_at_modes(&c->model))
    options.observer.crossing = on_crossing;
  r->system = system;
  r->observer = options.observer;
  int status = -1;
  ess_driver *const d = ess_driver_alloc(&system, &options, &status);
  const char *const wrong = ess_check(&system, &options);
  FUZZ_REQUIRE(!d == !!wrong, "alloc and check disagree: %s", wrong ? wrong : "accepted");
  FUZZ_REQUIRE(status == (wrong ? ESS_EINVAL : ESS_SUCCESS), "status %d", status);
  return d;
}

/* those to begin with, whatever they were changed to */
static void use_options(fuzz_run *r, ess_driver *d) {
  const command first = {.action = CHANGE, .mistake = 0};
  change_options(r, d, &first);
}

static void require_same(const outcome *a, const outcome *b, const char *what) {
  FUZZ_REQUIRE(!memcmp(a->status, b->status, sizeof a->status), "%s: status", what);
  FUZZ_REQUIRE(!memcmp(&a->t, &b->t, sizeof a->t), "%s: %.17g, %.17g", what, a->t, b->t);
  FUZZ_REQUIRE(!memcmp(a->x, b->x, sizeof a->x), "%s: states", what);
  FUZZ_REQUIRE(!memcmp(a->sign, b->sign, sizeof a->sign), "%s: signs", what);
  FUZZ_REQUIRE(!memcmp(a->counters, b->counters, sizeof a->counters), "%s: counters", what);
  for (size_t i = 0; i < COMMANDS; i++) {
    const ess_failure *const f = &a->failure[i], *const g = &b->failure[i];
    FUZZ_REQUIRE(f->status == g->status && f->time == g->time && f->guard == g->guard &&
                     f->other_guard == g->other_guard && f->callback_code == g->callback_code,
                 "%s: failures", what);
  }
  FUZZ_REQUIRE(a->calls == b->calls, "%s: arguments of the callbacks", what);
}

/* with samples and observers, without them, and a second time after a reset */
static void check_case(const fuzz_case *c) {
  fuzz_run full, plain;
  fuzz_calls full_calls, plain_calls;
  outcome with, without, again;
  ess_driver *const d = start(c, true, &full, &full_calls);
  if (!d) return;
  run_case(&full, d, &with);
  ess_driver_reset(d);
  use_options(&full, d);
  run_case(&full, d, &again);
  require_same(&with, &again, "a second run after a reset");
  FUZZ_REQUIRE(with.samples == again.samples, "a second run after a reset: samples");
  FUZZ_REQUIRE(with.told == again.told, "a second run after a reset: mode_changed");
  ess_driver_free(d);

  ess_driver *const e = start(c, false, &plain, &plain_calls);
  run_case(&plain, e, &without);
  require_same(&with, &without, "without samples and observers");
  ess_driver_free(e);
}

/* FUZZ_PRINT=1 in the environment says what an input means */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_case c;
  fuzz_case_read(&c, data, size);
  if (getenv("FUZZ_PRINT")) fuzz_case_print(&c, stderr);
  check_case(&c);
  return 0;
}
