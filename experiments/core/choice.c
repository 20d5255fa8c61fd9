/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "choice.h"

#include <math.h>
#include <stdio.h>

#include "baselines.h"
#include "bridge.h"
#include "solvers.h"
#include "statistics.h"

/* the longest step, in output steps; halvings of a decade of tolerance, which leave 2 % */
enum { LONGEST = 12, HALVINGS = 7, FINEST_TO_TARGET = 64 };
static const double coarsest = 0.1, finest_tolerance = 0.9e-12;

/* where MuJoCo reaches no target, what the others' tails may be, over the target */
static const double q90_max = 3.0, worst_max = 10.0;

/* what takes so many times the fastest is not the cheapest, whatever the machine's mood; how often
 * the others are timed again */
enum { AGAIN = 3, CONTENDERS_MAX = 7 };
static const double near = 1.3;

/* a step, or a tolerance, that takes so many times the best of the others ends a search: a decade
 * of tolerance costs a method of order 2 three times as much, and loose ones may cost more than
 * finer */
static const double too_long = 2.0, too_long_by_tolerance = 10.0;

/* one of those that may be chosen */
typedef struct contender {
  const solver_type *solver;
  const char *variant;
} contender;

/* those with a tolerance first: their cost ends the search for steps that cannot be cheaper */
static const struct {
  choice_who who;
  const char *name;
  double margin; /* of the median error */
  double slack;  /* of all limits */
  size_t finest; /* step, in parts of the output step */
  contender of[CONTENDERS_MAX];
} fields[] = {
    {CHOICE_MUJOCO,
     "mujoco",
     1.0,
     1.0,
     8,
     {{&bridge_solver, "Euler"}, {&bridge_solver, "implicitfast"}, {&bridge_solver, "RK4"}}},
    {CHOICE_CALLBACK,
     "MuJoCo by a callback",
     1.0,
     1.001,
     8,
     {{&bridge_callback_solver, "Euler"},
      {&bridge_callback_solver, "implicitfast"},
      {&bridge_callback_solver, "RK4"}}},
    {CHOICE_LIBESS, "libess", 0.9, 1.0, 0, {{&libess_solver, NULL}}},
    {CHOICE_PLAIN,
     "the event-unaware solvers",
     0.9,
     1.0,
     256,
     {{&plain_dopri5_solver, NULL},
      {&plain_cvode_solver, NULL},
      {&plain_heun_solver, NULL},
      {&plain_adams2_solver, NULL},
      {&plain_lit_solver, NULL},
      {&plain_euler_solver, NULL},
      {&plain_rk4_solver, NULL}}},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static size_t field_of(choice_who who) {
  size_t field = 0;
  while (fields[field].who != who) field++;
  return field;
}

choice_limits choice_limits_of(const choice *rival) {
  return (choice_limits){rival->rms, rival->rms_q90, rival->rms_worst};
}

choice_limits choice_limits_for(choice_who who, choice_limits limits) {
  const size_t field = field_of(who);
  return (choice_limits){fields[field].margin * fields[field].slack * limits.rms,
                         fields[field].slack * limits.rms_q90,
                         fields[field].slack * limits.rms_worst};
}

/* not a number, or infinite, is never accepted */
static bool within(double value, double limit) {
  return value < INFINITY && value <= limit;
}

bool choice_accepts(const choice_limits *limits, const choice *c) {
  return c->seconds < INFINITY && within(c->rms, limits->rms) &&
         within(c->rms_q90, limits->rms_q90) && within(c->rms_worst, limits->rms_worst);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* from all starts, unless the first takes too long: its time is all that is known then; false when
 * it is out */
static bool run_all(contestant *from, double patience, choice *c) {
  double seconds[CHOICE_STARTS];
  const size_t trials = from->starts->trials < CHOICE_STARTS ? from->starts->trials : CHOICE_STARTS;
  for (size_t i = 0; i < trials; i++) {
    if (contestant_sample(from, i, &seconds[i])) return false;
    if (seconds[0] > patience) return c->seconds = seconds[0], false;
  }
  return !measure_median(from->rms, trials, &c->rms) &&
         !measure_quantile(from->rms, trials, 0.9, &c->rms_q90) &&
         !measure_quantile(from->rms, trials, 1.0, &c->rms_worst) &&
         !measure_median(seconds, trials, &c->seconds);
}

void choice_try(const contest_starts *starts, double patience, choice *c) {
  char message[SOLVER_MESSAGE_SIZE];
  contestant tried;
  c->seconds = INFINITY;
  bool good = !contestant_prepare(&tried, c->solver, &c->settings, starts, message);
  if (good) {
    good = run_all(&tried, patience, c);
    contestant_release(&tried);
  }
  if (!good) c->rms = c->rms_q90 = c->rms_worst = INFINITY;
}

choice choice_yardstick(const choice_request *request, const char *integrator) {
  choice c = {.solver = &bridge_solver, .settings = request->base};
  c.settings.variant = integrator;
  c.settings.time_step = request->starts->m->type->time_step;
  choice_try(request->starts, INFINITY, &c);
  return c;
}

/* ---- the rule -------------------------------------------------------------------------------- */

static int look(const choice_ladder *l, double knob, double patience, choice *c, char *message) {
  const size_t ladder = c->ladder;
  const int status = l->look(l->context, knob, patience, c, message);
  c->ladder = ladder;
  c->knob = knob;
  return status;
}

/* between one that is accepted and one that is not, until they are close together */
static int bisect(const choice_limits *limits, const choice_ladder *l, double refused, choice *best,
                  char *message) {
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = sqrt(best->knob * refused);
    choice c = *best;
    if (look(l, middle, INFINITY, &c, message)) return -1;
    if (choice_accepts(limits, &c))
      *best = c;
    else
      refused = middle;
  }
  return 0;
}

/* the cheapest accepted setting from the i-th on, if it is cheaper than the best */
static int cheaper(const choice_limits *limits, const choice_ladder *l, size_t i, choice *best,
                   char *message) {
  for (; i < l->count; i++) {
    choice c = *best;
    if (look(l, l->knob[i], INFINITY, &c, message)) return -1;
    if (choice_accepts(limits, &c) && c.seconds < best->seconds) *best = c;
  }
  return 0;
}

/* Errors need not fall with every tolerance: the first that will do, not any. A step or tolerance
 * that takes far longer than the best of the others ends the search. 0, out->seconds being INFINITY
 * where there is none; or -1. */
static int coarsest_accepted(const choice_limits *limits, const choice_ladder *l, double best_s,
                             choice *out, char *message) {
  const double patience = (l->continuous ? too_long_by_tolerance : too_long) * best_s;
  const double vain = (l->continuous ? too_long_by_tolerance : near) * best_s;
  for (size_t i = 0; i < l->count; i++) {
    if (look(l, l->knob[i], patience, out, message)) return -1;
    if (choice_accepts(limits, out)) {
      if (l->continuous && i && bisect(limits, l, l->knob[i - 1], out, message)) return -1;
      return l->known ? cheaper(limits, l, i, out, message) : 0;
    }
    if (out->seconds < INFINITY && out->seconds >= vain) break;
  }
  out->seconds = INFINITY;
  return 0;
}

/* those that are nearly as fast as the fastest once more: their times are to be of one moment */
static int time_again(const choice_ladder ladder[], choice last[], size_t count, double best_s,
                      char *message) {
  for (size_t i = 0; count > 1 && i < AGAIN * count; i++) {
    choice *const c = &last[i % count], again = *c;
    if (ladder[i % count].known || !(c->seconds < near * best_s)) continue;
    if (look(&ladder[i % count], c->knob, INFINITY, &again, message)) return -1;
    c->seconds = fmin(c->seconds, again.seconds);
  }
  return 0;
}

int choice_of_ladders(const choice_limits *limits, const choice_ladder ladder[], size_t count,
                      choice *best, char message[SOLVER_MESSAGE_SIZE]) {
  choice last[CHOICE_LADDERS_MAX] = {{.seconds = INFINITY}};
  size_t fastest = 0;
  double best_s = INFINITY;
  for (size_t i = 0; i < count; i++) {
    const double other_s = ladder[i].known ? INFINITY : best_s;
    last[i].ladder = i;
    if (coarsest_accepted(limits, &ladder[i], other_s, &last[i], message)) return -1;
    best_s = fmin(best_s, last[i].seconds);
  }
  if (time_again(ladder, last, count, best_s, message)) return -1;
  for (size_t i = 1; i < count; i++)
    if (last[i].seconds < last[fastest].seconds) fastest = i;
  *best = last[fastest];
  return 0;
}

/* ---- a ladder that is run -------------------------------------------------------------------- */

/* a method, and the request that it is tried for */
typedef struct climber {
  const choice_request *request;
  const contender *of;
} climber;

static bool has_tolerance(const contender *one) {
  return solver_concerns(one->solver) & SETTING_TOLERANCE;
}

/* a tolerance, or a step in output steps */
static choice set(const choice_request *request, const contender *one, double knob) {
  choice c = {.solver = one->solver, .settings = request->base};
  if (has_tolerance(one)) {
    c.settings.h_max = INFINITY;
    c.settings.rtol = c.settings.atol = knob;
  } else {
    c.settings.variant = one->variant;
    c.settings.time_step = knob * request->starts->m->type->time_step;
  }
  return c;
}

static int run_with(void *context, double knob, double patience, choice *c, char *message) {
  const climber *const one = context;
  const choice_request *const request = one->request;
  if (request->interrupted && *request->interrupted) return measure_fail(message, "interrupted");
  *c = set(request, one->of, knob);
  choice_try(request->starts, patience, c);
  return 0;
}

/* 12, 11, ... 2, 1 output steps, and 1/2, 1/3, 1/4, 1/6, 1/8, 1/12, ... of one; 0 behind the last
 */
static double next_step(double step, size_t finest) {
  if (step > 1.0) return step - 1.0;
  const size_t parts = (size_t)round(1.0 / step);
  const bool power_of_two = (parts & (parts - 1)) == 0;
  const size_t next = parts == 1 ? 2 : power_of_two ? parts + parts / 2 : parts / 3 * 4;
  return next <= finest ? 1.0 / (double)next : 0.0;
}

static double next_tolerance(double tolerance) {
  return 0.1 * tolerance > finest_tolerance ? 0.1 * tolerance : 0.0;
}

static choice_ladder ladder_of(climber *one, size_t finest) {
  const bool tolerant = has_tolerance(one->of);
  choice_ladder l = {.look = run_with, .context = one, .continuous = tolerant};
  for (double knob = tolerant ? coarsest : LONGEST; knob > 0.0;
       knob = tolerant ? next_tolerance(knob) : next_step(knob, finest))
    l.knob[l.count++] = knob;
  return l;
}

/* ---- the cheapest of all --------------------------------------------------------------------- */

static void say_none(const choice_limits *limits, size_t field, const choice *last, char *message) {
  if (fields[field].who == CHOICE_LIBESS)
    measure_message(
        message,
        "no tolerance is accurate enough: at %.3g median, 90 %% and worst error are %.3g, "
        "%.3g, %.3g, and %.3g, %.3g, %.3g are accepted",
        last->settings.rtol, last->rms, last->rms_q90, last->rms_worst, limits->rms,
        limits->rms_q90, limits->rms_worst);
  else
    measure_message(message, "no setting of %s has the accepted median error of %.3g",
                    fields[field].name, limits->rms);
}

int choice_cheapest(const choice_request *request, choice_who who, choice *best,
                    char message[SOLVER_MESSAGE_SIZE]) {
  const size_t field = field_of(who);
  const bool mujoco = who & (CHOICE_MUJOCO | CHOICE_CALLBACK);
  const size_t finest = mujoco && request->finest ? request->finest : fields[field].finest;
  const choice_limits limits = choice_limits_for(who, request->limits);
  climber one[CONTENDERS_MAX];
  choice_ladder ladder[CONTENDERS_MAX];
  size_t count = 0;
  for (; count < CONTENDERS_MAX && fields[field].of[count].solver; count++) {
    one[count] = (climber){request, &fields[field].of[count]};
    ladder[count] = ladder_of(&one[count], finest);
  }
  if (choice_of_ladders(&limits, ladder, count, best, message)) return -1;
  if (best->seconds < INFINITY) return 0;
  say_none(&limits, field, best, message);
  return 1;
}

/* ---- who races ------------------------------------------------------------------------------- */

/* one of them: as choice_cheapest */
static int enter(const choice_request *request, choice_who who, choice *best) {
  const int status = choice_cheapest(request, who, best, request->message);
  if (status > 0) fprintf(stderr, "warning: %s: %s\n", request->what, request->message);
  return status ? status : request->tell(request->context, best);
}

int choice_enter(const choice_request *request, unsigned who) {
  choice best;
  if (!request->starts->m->type->contact_force) who &= ~(unsigned)CHOICE_CALLBACK;
  for (size_t i = 0; i < FIELDS; i++)
    if (who & fields[i].who && enter(request, fields[i].who, &best) < 0) return -1;
  return 0;
}

int choice_enter_at_target(choice_request *request, double target) {
  choice best;
  choice_request finer = *request;
  finer.limits = (choice_limits){target, INFINITY, INFINITY};
  finer.finest = FINEST_TO_TARGET;
  const int status = enter(&finer, CHOICE_MUJOCO, &best);
  if (status >= 0 && choice_enter(&finer, CHOICE_CALLBACK)) return -1;
  request->limits =
      status ? (choice_limits){target, q90_max * target, worst_max * target}
             : (choice_limits){target, fmax(best.rms_q90, target), fmax(best.rms_worst, target)};
  return status < 0 ? -1 : 0;
}
